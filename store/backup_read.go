package store

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	stdhash "hash"
	"io"

	"github.com/countersign/countersign/review"
)

// maxBackupLine bounds a row. The largest that is kept, a listing's definition of
// 8 MiB or a report of it, takes less than half.
const maxBackupLine = 256 << 20

// backupReader reads the lines of a backup and checks them.
type backupReader struct {
	zip    *gzip.Reader
	lines  *bufio.Scanner
	sum    stdhash.Hash
	header backupHeader
	done   Backup
	table  *table // that rows belong to
	ended  bool
}

// sayBackup is what to do about a backup that can't be read.
const sayBackup = "Nothing was changed. Take another copy of the backup."

func brokenBackup(format string, args ...any) error {
	return review.Errorf(review.Invalid, "%s %s", fmt.Sprintf(format, args...), sayBackup)
}

func newBackupReader(r io.Reader) (*backupReader, error) {
	zip, err := gzip.NewReader(r)
	if err != nil {
		return nil, brokenBackup("This is not a backup that countersign backup made: it isn't compressed as those are.")
	}
	b := &backupReader{zip: zip, lines: bufio.NewScanner(zip), sum: sha256.New()}
	b.lines.Buffer(make([]byte, 1<<20), maxBackupLine)
	b.lines.Split(wholeLines)
	line, err := b.read()
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(line, &b.header); err != nil || b.header.Format != backupFormat {
		return nil, brokenBackup("This is not a backup that countersign backup made: its first line says something else.")
	}
	if b.header.Version != backupVersion {
		return nil, review.Errorf(review.Invalid, "The backup has format %d, this program reads %d. Restore it with the version that made it (%.80q) or a later one.",
			b.header.Version, backupVersion, b.header.Program)
	}
	b.done.describe(b.header)
	return b, nil
}

// wholeLines splits at the ends of lines; a last line without one is none.
func wholeLines(data []byte, _ bool) (advance int, line []byte, err error) {
	if i := bytes.IndexByte(data, '\n'); i >= 0 {
		return i + 1, data[:i], nil
	}
	return 0, nil, nil
}

// read returns the next line without its end, which must be there.
func (b *backupReader) read() ([]byte, error) {
	if b.lines.Scan() {
		return b.lines.Bytes(), nil
	}
	switch err := b.lines.Err(); {
	case err == nil, errors.Is(err, io.ErrUnexpectedEOF):
		return nil, brokenBackup("The backup is cut off after %d rows.", b.done.Rows)
	case errors.Is(err, gzip.ErrChecksum), errors.Is(err, gzip.ErrHeader):
		return nil, brokenBackup("The backup is damaged: its checksum is wrong.")
	default:
		return nil, brokenBackup("The backup is damaged after %d rows: %v.", b.done.Rows, err)
	}
}

// next returns the next row with the table that it belongs to. A table that
// begins comes with a nil row; after the last line both are nil, and the backup
// was whole.
func (b *backupReader) next() (*table, []any, error) {
	line, err := b.read()
	if err != nil {
		return nil, nil, err
	}
	if len(line) > 0 && line[0] == '[' {
		row, err := b.row(line)
		return b.table, row, err
	}
	var mark backupMark
	if err := json.Unmarshal(line, &mark); err != nil || (mark.End == nil) == (mark.Name == "") {
		return nil, nil, brokenBackup("The backup is damaged after %d rows: a line is neither a row nor a table.", b.done.Rows)
	}
	if mark.End != nil {
		return nil, nil, b.finish(mark.End)
	}
	b.add(line)
	b.done.Tables++
	b.table = &mark.table
	return b.table, nil, nil
}

func (b *backupReader) add(line []byte) {
	b.sum.Write(line)
	b.sum.Write([]byte{'\n'})
}

func (b *backupReader) row(line []byte) ([]any, error) {
	if b.table == nil {
		return nil, brokenBackup("The backup is damaged: a row comes before its table.")
	}
	b.add(line)
	b.done.Rows++
	var row []any
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.UseNumber()
	if err := dec.Decode(&row); err != nil || len(row) != len(b.table.Columns) {
		return nil, brokenBackup("The backup is damaged: row %d, of table %s, can't be read.", b.done.Rows, b.table.Name)
	}
	for i, c := range b.table.Columns {
		v, ok := c.native(row[i])
		if !ok {
			return nil, brokenBackup("The backup is damaged: row %d, of table %s, has no %s in column %s.", b.done.Rows, b.table.Name, c.Type, c.Name)
		}
		row[i] = v
	}
	return row, nil
}

// native undoes portable: what both drivers take for a column of the type.
func (c column) native(v any) (any, bool) {
	switch v := v.(type) {
	case nil:
		return nil, true
	case bool:
		return v, c.Type == "boolean"
	case json.Number:
		n, err := v.Int64()
		return n, err == nil && c.Type == "bigint"
	case string:
		if c.Type == "bytea" {
			b, err := base64.StdEncoding.DecodeString(v)
			return b, err == nil
		}
		return v, c.Type == "text"
	}
	return nil, false
}

// finish compares what was read with what was written, to the last byte of the
// file.
func (b *backupReader) finish(end *backupEnd) error {
	b.done.Content = hex.EncodeToString(b.sum.Sum(nil))
	if end.Rows != b.done.Rows || end.Content != b.done.Content {
		return brokenBackup("The backup is damaged: it says that it has %d rows with the sum %.12s, and has %d with %.12s.",
			end.Rows, end.Content, b.done.Rows, b.done.Content)
	}
	if b.lines.Scan() {
		return brokenBackup("The backup is damaged: something stands behind its end.")
	}
	if err := b.lines.Err(); err != nil {
		return brokenBackup("The backup is damaged at its end: %v.", err)
	}
	b.ended = true
	return nil
}

// CheckBackup reads a backup to its end and says what it holds. It is an error
// of kind Invalid when anything about it is wrong.
func CheckBackup(r io.Reader) (*Backup, error) {
	b, err := newBackupReader(r)
	for err == nil && !b.ended {
		_, _, err = b.next()
	}
	if err != nil {
		return nil, err
	}
	return &b.done, nil
}
