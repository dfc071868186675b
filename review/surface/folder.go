package surface

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// MayHoldTool reports whether a file of a folder is taken for a tool, by its name and
// the bytes that it begins with: text that begins like JSON, in whatever file, and
// what calls itself JSON. The rest of a folder, such as a README, is passed over.
func MayHoldTool(name string, head []byte) bool {
	if strings.HasSuffix(strings.ToLower(name), ".json") {
		return true
	}
	for _, m := range byteMarks {
		head = bytes.TrimPrefix(head, []byte(m.mark))
	}
	return startsLikeJSON(bytes.ReplaceAll(head[:min(len(head), 512)], []byte{0}, nil)) // UTF-16 has zeros between
}

// bundled is a folder of one-tool files as one text, with the way back from a line
// of the text to a line of a file.
type bundled struct {
	text   []byte
	files  []File
	seats  []seat // in step with files
	passed []Problem
}

// seat is where a definition stands in its file and in the text.
type seat struct{ line, column, textLine int }

// bundle joins the files, by name, to the text that [reader.own] reads.
func bundle(files []File, limits Limits) (*bundled, error) {
	b := &bundled{}
	for _, f := range slices.SortedStableFunc(slices.Values(files), func(x, y File) int { return strings.Compare(x.Name, y.Name) }) {
		if MayHoldTool(f.Name, f.Data) {
			b.files = append(b.files, f)
		} else {
			b.passed = append(b.passed, Problem{Code: "file-passed-over", Level: LevelInfo, Message: f.Name + " does not begin like JSON, so it was not read."})
		}
	}
	if len(b.files) == 0 {
		return nil, newSource(nil).error(NotListing, string(NotListing), 0, "the folder has no file in it that begins like JSON. Push a folder of JSON files with one tool each.")
	}
	b.text = append(b.text, `{"countersign":{"folder":[`...)
	for _, f := range b.files {
		b.text = append(appendComma(b.text), EncodeString(f.Name)...)
	}
	b.text = append(b.text, `]},"tools":[`...)
	line := 1
	for _, f := range b.files {
		v, err := one(f, limits)
		if err != nil {
			return nil, inFile(f, err)
		}
		b.text = append(appendComma(b.text), '\n')
		line++
		s := seat{textLine: line}
		s.line, s.column = v.d.src.position(int(v.node().start))
		b.seats = append(b.seats, s)
		b.text = append(b.text, v.raw()...)
		line += strings.Count(string(v.raw()), "\n")
	}
	b.text = append(b.text, "\n]}"...)
	return b, nil
}

// one reads the definition in a file.
func one(f File, limits Limits) (value, *ReadError) {
	if len(f.Data) > limits.Bytes {
		return value{}, newSource(nil).error(TooLarge, "limit", 0, fmt.Sprintf("the file has %d bytes; at most %d are read.", len(f.Data), limits.Bytes))
	}
	src, err := decode(f.Data)
	if err != nil {
		return value{}, err
	}
	d, faults := src.document(0, len(src.data), limits)
	if faults != nil {
		return value{}, src.refuse(faults)
	}
	v := d.root()
	switch {
	case !v.is(kindObject):
		return value{}, src.error(NotListing, string(NotListing), 0, "the file holds "+v.kind().String()+", not one tool. Take it out of the folder.")
	case v.has("tools") || v.has("result") || v.has("jsonrpc"):
		return value{}, src.error(NotListing, string(NotListing), 0, "the file holds a whole listing, not one tool. Push it on its own.")
	}
	return v, nil
}

// inFile says in every message which file it is about.
func inFile(f File, e *ReadError) *ReadError {
	e.Message = f.Name + ": " + e.Message
	for i := range e.Problems {
		e.Problems[i].Message = f.Name + ": " + e.Problems[i].Message
	}
	return e
}

// relocate turns positions in the joined text into positions in the files.
func (b *bundled) relocate(problems []Problem) {
	for i := range problems {
		p := &problems[i]
		if p.Position < 1 || p.Position > len(b.seats) {
			continue
		}
		s := b.seats[p.Position-1]
		if p.Line == s.textLine {
			p.Column += s.column - 1
		}
		p.Line += s.line - s.textLine
		p.Message = b.files[p.Position-1].Name + ": " + p.Message
	}
}
