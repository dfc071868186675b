package surface_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/countersign/countersign/internal/testkit"
	"github.com/countersign/countersign/review/surface"
)

// checkSlices checks what every reading must hold: raw slices are where they say
// they are, in order and apart from each other, so that a store can cut them out.
func checkSlices(t testing.TB, l *surface.Listing) {
	t.Helper()
	end := 0
	for n, tool := range l.Tools {
		if tool.Position != n+1 {
			t.Fatalf("tool %d says that it is %d", n+1, tool.Position)
		}
		if tool.RawHash != surface.HashOf(tool.Raw) {
			t.Fatalf("tool %d: raw hash is of something else", n+1)
		}
		if d, err := surface.Digest(tool.Raw); err != nil || d != tool.Digest {
			t.Fatalf("tool %d: raw %q does not give its digest: %v", n+1, tool.Raw, err)
		}
		if tool.Offset < 0 {
			continue
		}
		if tool.Offset < end {
			t.Fatalf("tool %d begins at %d, the one before ends at %d", n+1, tool.Offset, end)
		}
		end = tool.Offset + len(tool.Raw)
		if !bytes.Equal(l.Raw[tool.Offset:end], tool.Raw) {
			t.Fatalf("tool %d is not at its offset", n+1)
		}
	}
}

func TestSlices(t *testing.T) {
	for _, f := range goldenInputs(t) {
		if l, err := surface.Read(f, surface.Options{}); err == nil {
			checkSlices(t, l)
		}
	}
	for _, text := range []string{"", "\xEF\xBB\xBF"} {
		checkSlices(t, mustRead(t, []byte(text+`{"tools":[`+oneTool+`]}`), surface.Options{}))
	}
}

// goldenInputs returns the payloads of the golden files.
func goldenInputs(t testing.TB) [][]byte {
	t.Helper()
	files, err := filepath.Glob("testdata/read/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	var inputs [][]byte
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range archive.Files {
			if !strings.HasSuffix(f.Name, ".want") {
				inputs = append(inputs, f.Data)
			}
		}
	}
	return inputs
}

// benchmarkListing writes n tools of about a kilobyte each.
func benchmarkListing(n int) []byte {
	var b bytes.Buffer
	b.WriteString(`{"jsonrpc":"2.0","id":1,"result":{"tools":[`)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"name":"family%d_action_%d","title":"Action %d","description":%q,"inputSchema":{"type":"object","properties":{`,
			i%11, i, i, strings.Repeat("Does one thing, says so, and returns what it found. ", 8))
		for j := range 6 {
			fmt.Fprintf(&b, `"parameter_%d":{"type":"string","description":"What parameter %d means to the caller.","minLength":%d},`, j, j, j)
		}
		b.WriteString(`"limit":{"type":"integer","minimum":1,"maximum":50,"default":20}},"required":["parameter_1","parameter_2"],"additionalProperties":false},` +
			`"annotations":{"readOnlyHint":true,"openWorldHint":false}}`)
	}
	b.WriteString(`]}}`)
	return b.Bytes()
}

// FuzzRead holds every reading to the promises of the package: no panic, slices and
// digests as said, an error that says where, and the same again from what is kept.
func FuzzRead(f *testing.F) {
	for _, in := range goldenInputs(f) {
		f.Add(in)
	}
	f.Add(utf16Text(leOrder, true, `{"tools":[]}`))
	limits := surface.Limits{Bytes: 1 << 16, Nodes: 5_000, Digits: 100, Pages: 8, Tools: 50}
	f.Fuzz(func(t *testing.T, b []byte) {
		l, err := surface.Read(bytes.Clone(b), surface.Options{Limits: limits})
		if err != nil {
			checkRefusal(t, err)
			return
		}
		if l.RawHash != surface.HashOf(l.Raw) || len(l.Tools) > limits.Tools {
			t.Fatal("raw hash is of something else, or there are too many tools")
		}
		checkSlices(t, l)
		checkProblems(t, l)
		limits := limits
		limits.Bytes *= 2 // a folder's or a capture's text may be longer than what it came from
		again, err := surface.Read(bytes.Clone(l.Raw), surface.Options{Limits: limits})
		if err != nil {
			t.Fatalf("what was kept can't be read: %v\n%q", err, l.Raw)
		}
		if again.Digest != l.Digest || again.Shape != l.Shape || again.Kind != l.Kind || again.Complete != l.Complete {
			t.Fatalf("what was kept reads as another listing:\n%+v\n%+v", l, again)
		}
		surface.Inspect(l)
	})
}

func checkRefusal(t *testing.T, err error) {
	t.Helper()
	e, ok := err.(*surface.ReadError)
	if !ok || len(e.Problems) == 0 || e.Message == "" || e.Reason == "" {
		t.Fatalf("refused without saying why: %#v", err)
	}
	for _, p := range e.Problems {
		if p.Code == "" || p.Message == "" || p.Line < 0 || p.Column < 0 {
			t.Fatalf("problem %+v", p)
		}
	}
}

func checkProblems(t *testing.T, l *surface.Listing) {
	t.Helper()
	last := 0
	for _, p := range l.Problems {
		if p.Position < last || p.Position > len(l.Tools) || p.Code == "" || p.Message == "" || p.Line < 0 || p.Column < 0 {
			t.Fatalf("problem %+v after position %d", p, last)
		}
		last = p.Position
		if p.Position > 0 && p.Tool != l.Tools[p.Position-1].Name {
			t.Fatalf("problem %+v names another tool", p)
		}
	}
}

func TestCorpus(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(testkit.Corpus(t), "*", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatal("no listings", err)
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		l, err := surface.Read(b, surface.Options{})
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		checkSlices(t, l)
		checkProblems(t, l)
		if l.Kind != surface.KindListing || !l.Complete || len(l.Tools) == 0 || l.ProtocolVersion == "" || l.Server == nil {
			t.Errorf("%s: %s %s, complete %t, %d tools", file, l.Shape, l.Kind, l.Complete, len(l.Tools))
		}
		for _, p := range l.Problems {
			// The only errors that these servers really have: empty input schemas.
			if p.Level == surface.LevelError && p.Code != "schema-root-type" {
				t.Errorf("%s: %+v", file, p)
			}
		}
		f := surface.NewFamilies(l.Names())
		placed := len(f.Outliers)
		for _, g := range f.Families {
			placed += len(g.Tools)
		}
		if placed != len(l.Tools) {
			t.Errorf("%s: %d of %d tools have a place", file, placed, len(l.Tools))
		}
	}
}

// The yardstick: canonicalising and hashing each definition with jsontext. Reading
// does that, splits, hashes the raw bytes as well and checks every definition.
func BenchmarkRead(b *testing.B) {
	text := benchmarkListing(300)
	l := mustRead(b, text, surface.Options{})
	b.Run("read", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			mustRead(b, text, surface.Options{})
		}
	})
	b.Run("yardstick", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			for _, tool := range l.Tools {
				c := tool.Raw.Clone()
				if err := c.Canonicalize(); err != nil {
					b.Fatal(err)
				}
				surface.HashOf(c)
			}
		}
	})
}

func TestEnvelopeRoundTrip(t *testing.T) {
	page := func(tools, more string) jsontext.Value {
		return jsontext.Value(`{"tools":[` + tools + `]` + more + `}`)
	}
	for _, tc := range []struct {
		name  string
		e     surface.Envelope
		shape surface.Shape
	}{
		{"bare", surface.Envelope{Results: []jsontext.Value{page(oneTool, "")}}, surface.ShapeResult},
		{"all", surface.Envelope{
			ProtocolVersion: "2025-11-25",
			ServerInfo:      jsontext.Value(`{ "name" : "clock" }`),
			Capabilities:    jsontext.Value(`{"tools":{}}`),
			Instructions:    surface.Instructions{Asked: true, Present: true, Text: "Read \"slowly\"\u2028\xed\xa0\x80"},
			Client:          jsontext.Value(`{"capabilities":{}}`),
			Results:         []jsontext.Value{page(oneTool, `,"nextCursor":"2"`), page(` {"name" :"b","description":"B.","inputSchema":{"type":"object"}} `, "")},
		}, surface.ShapePages},
		{"none sent", surface.Envelope{Instructions: surface.Instructions{Asked: true}, Results: []jsontext.Value{page("", "")}}, surface.ShapeResult},
	} {
		l := mustRead(t, tc.e.Encode(), surface.Options{})
		if l.Shape != tc.shape || !l.Complete || l.ProtocolVersion != tc.e.ProtocolVersion || string(l.Server) != string(tc.e.ServerInfo) {
			t.Errorf("%s: %+v", tc.name, l)
		}
		if diff := cmp.Diff(tc.e.Instructions, l.Instructions); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.name, diff)
		}
		for _, r := range tc.e.Results {
			if !bytes.Contains(l.Raw, r) {
				t.Errorf("%s: the bytes of a result were not kept", tc.name)
			}
		}
	}
	tools := []jsontext.Value{jsontext.Value(oneTool), jsontext.Value(`{"name":"b"}`)}
	l := mustRead(t, surface.Result(tools), surface.Options{})
	if len(l.Tools) != 2 || string(l.Tools[0].Raw) != oneTool {
		t.Errorf("result: %+v", l.Tools)
	}
	incomplete := surface.Envelope{Results: []jsontext.Value{page("", `,"nextCursor":"2"`)}}
	if l := mustRead(t, incomplete.Encode(), surface.Options{}); l.Complete {
		t.Error("a page is missing, and the listing is called complete")
	}
}
