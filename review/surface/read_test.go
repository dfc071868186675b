package surface_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/countersign/countersign/review/surface"
)

// TestReadGolden reads every payload in testdata/read and compares what is made of
// it with the summary that stands behind it. Run with -update to write the
// summaries, and read them.
func TestReadGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/read/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no golden files", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			readGolden(t, file)
		})
	}
}

func readGolden(t *testing.T, file string) {
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	fresh := &txtar.Archive{Comment: archive.Comment}
	for _, f := range archive.Files {
		if name, ok := strings.CutSuffix(f.Name, ".want"); ok {
			want[name] = string(f.Data)
		}
	}
	for _, f := range archive.Files {
		if strings.HasSuffix(f.Name, ".want") {
			continue
		}
		name := strings.TrimSuffix(f.Name, filepath.Ext(f.Name))
		got := summary(surface.Read(f.Data, surface.Options{}))
		fresh.Files = append(fresh.Files, f, txtar.File{Name: name + ".want", Data: []byte(got)})
		if diff := cmp.Diff(want[name], got); diff != "" && !*update {
			t.Errorf("%s (-want +got):\n%s", f.Name, diff)
		}
	}
	if *update {
		if err := os.WriteFile(file, txtar.Format(fresh), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// summary writes the outcome of a reading so that a person can check it.
func summary(l *surface.Listing, err error) string {
	var b strings.Builder
	var e *surface.ReadError
	if errors.As(err, &e) {
		fmt.Fprintf(&b, "refused: %s\n", e.Reason)
		for _, p := range e.Problems {
			b.WriteString(problemLine(p))
		}
		return b.String()
	}
	if err != nil {
		return "error: " + err.Error() + "\n"
	}
	complete := "complete"
	if !l.Complete {
		complete = "incomplete"
	}
	fmt.Fprintf(&b, "%s %s, %s\n", l.Shape, l.Kind, complete)
	if l.ProtocolVersion != "" {
		fmt.Fprintf(&b, "protocol %s\n", l.ProtocolVersion)
	}
	if l.Server != nil {
		fmt.Fprintf(&b, "server %s\n", l.Server)
	}
	if in := l.Instructions; in.Present {
		fmt.Fprintf(&b, "instructions %q\n", in.Text)
	} else if in.Asked {
		b.WriteString("no instructions\n")
	}
	for _, tool := range l.Tools {
		at := "elsewhere"
		if tool.Offset >= 0 {
			at = fmt.Sprintf("%d bytes at %d", len(tool.Raw), tool.Offset)
		}
		fmt.Fprintf(&b, "%d. %q %s\n", tool.Position, tool.Name, at)
	}
	for _, p := range l.Problems {
		b.WriteString(problemLine(p))
	}
	return b.String()
}

func problemLine(p surface.Problem) string {
	where := ""
	if p.Position > 0 {
		where += fmt.Sprintf(" #%d", p.Position)
	}
	if p.Line > 0 {
		where += fmt.Sprintf(" %d:%d", p.Line, p.Column)
	}
	if p.Pointer != "" {
		where += " " + printable(p.Pointer)
	}
	return fmt.Sprintf("%s %s%s\n  %s\n", p.Level, p.Code, where, p.Message)
}

// printable keeps golden files valid UTF-8.
func printable(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return strconv.QuoteToASCII(s)
}
