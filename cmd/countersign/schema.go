package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/countersign/countersign/review/report"
	"github.com/countersign/countersign/review/schema"
	"github.com/countersign/countersign/review/surface"
)

type schemaCmd struct {
	Old       string `arg:"" optional:"" help:"File of the old schema, or -."`
	New       string `arg:"" optional:"" help:"File of the new schema, or -."`
	OldJSON   string `name:"old-json" help:"The old schema itself." placeholder:"JSON"`
	NewJSON   string `name:"new-json" help:"The new schema itself." placeholder:"JSON"`
	Direction string `help:"input: do old calls stay valid? output: do old readers understand new results?" enum:"input,output" default:"input"`
	Draft     string `help:"Dialect of a schema without $schema: 4, 6, 7, 2019-09 or 2020-12." default:"2020-12"`
	Batch     string `help:"File of lines {\"id\",\"direction\",\"old\",\"new\",\"draft\"?}, or -: one answer a line, in order." placeholder:"FILE.jsonl"`
	JSON      bool   `help:"Print JSON."`
}

// Run compares two schemas as they are: 1 when it breaks, 2 when undecided.
func (c *schemaCmd) Run(e *env) error {
	if c.Batch != "" {
		return c.batch(e)
	}
	old, err := c.side(e, c.OldJSON, c.Old, "OLD or --old-json")
	if err != nil {
		return err
	}
	next, err := c.side(e, c.NewJSON, c.New, "NEW or --new-json")
	if err != nil {
		return err
	}
	r := schema.Compare(old, next, schema.Direction(c.Direction), schema.Options{Draft: c.Draft})
	if c.JSON {
		err = printJSON(e.stdout, report.Schema, r)
	} else {
		_, err = io.WriteString(e.stdout, report.SchemaText(r))
	}
	if err != nil {
		return err
	}
	switch r.Verdict {
	case schema.Breaking:
		return exit(exitNo)
	case schema.Undecided:
		return exit(exitUnsure)
	}
	return nil
}

// side returns one schema: given inline, or in a file. When one side is inline, a
// single argument is the other.
func (c *schemaCmd) side(e *env, inline, file, what string) ([]byte, error) {
	if inline != "" {
		return []byte(inline), validJSON(what, []byte(inline))
	}
	if file == "" && c.OldJSON != "" {
		file = c.Old // the only argument is the other side
	}
	if file == "" {
		return nil, fmt.Errorf("no schema given: name %s", what)
	}
	in, err := e.open(file)
	if err != nil {
		return nil, err
	}
	if in.files != nil {
		return nil, fmt.Errorf("%s is a folder: name the file of one schema", file)
	}
	return in.body, validJSON(file, in.body)
}

// validJSON says where b is no strict JSON: what parsers read in different ways is
// no question to answer.
func validJSON(name string, b []byte) error {
	if _, err := surface.Canonical(b); err != nil {
		return (&input{name: name}).refused(err)
	}
	return nil
}

// batchLine is one question of a batch.
type batchLine struct {
	ID        json.RawMessage `json:"id"`
	Direction string          `json:"direction"`
	Old       json.RawMessage `json:"old"`
	New       json.RawMessage `json:"new"`
	Draft     string          `json:"draft"`
}

// batch answers line by line, in order, as the lines come.
func (c *schemaCmd) batch(e *env) error {
	in, err := e.stream(c.Batch)
	if err != nil {
		return err
	}
	defer in.Close()
	out := bufio.NewWriter(e.stdout)
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxInput)
	for n := 1; lines.Scan(); n++ {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		b, err := answerLine(lines.Bytes())
		if err != nil {
			return errors.Join(out.Flush(), fmt.Errorf("%s: line %d: %w", c.Batch, n, err))
		}
		if _, err := fmt.Fprintf(out, "%s\n", b); err != nil {
			return err
		}
	}
	return errors.Join(lines.Err(), out.Flush())
}

func answerLine(line []byte) ([]byte, error) {
	var q batchLine
	if err := json.Unmarshal(line, &q); err != nil {
		return nil, fmt.Errorf("want {\"id\",\"direction\",\"old\",\"new\"}: %w", err)
	}
	if q.Direction != string(schema.Input) && q.Direction != string(schema.Output) {
		return nil, fmt.Errorf("direction %q: want input or output", q.Direction)
	}
	if q.Old == nil || q.New == nil {
		return nil, errors.New("old or new is missing")
	}
	r := schema.Compare(q.Old, q.New, schema.Direction(q.Direction), schema.Options{Draft: q.Draft})
	return report.SchemaVerdict(q.ID, r)
}
