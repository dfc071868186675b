package surface_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/gowebpki/jcs"

	"github.com/countersign/countersign/internal/testkit"
	"github.com/countersign/countersign/review/surface"
)

var update = flag.Bool("update", false, "rewrite golden files")

// vector is a published example of the canonical form.
type vector struct {
	Name      string       `json:"name"`
	JSON      string       `json:"json"`
	Canonical string       `json:"canonical"`
	Digest    surface.Hash `json:"digest"`
}

type vectors struct {
	Values   []vector `json:"values"`
	Listings []vector `json:"listings"`
}

func readVectors(t testing.TB) vectors {
	t.Helper()
	b, err := os.ReadFile("testdata/digests.json")
	if err != nil {
		t.Fatal(err)
	}
	var v vectors
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestPublishedVectors(t *testing.T) {
	v := readVectors(t)
	for _, want := range v.Values {
		got, err := surface.Canonical([]byte(want.JSON))
		if err != nil {
			t.Errorf("%s: %v", want.Name, err)
			continue
		}
		if string(got) != want.Canonical {
			t.Errorf("%s: canonical form\n got %s\nwant %s", want.Name, got, want.Canonical)
		}
		if d, _ := surface.Digest([]byte(want.JSON)); d != want.Digest {
			t.Errorf("%s: digest %s, want %s", want.Name, d, want.Digest)
		}
	}
	for _, want := range v.Listings {
		l, err := surface.Read([]byte(want.JSON), surface.Options{})
		if err != nil {
			t.Errorf("%s: %v", want.Name, err)
			continue
		}
		if l.Digest != want.Digest || surface.HashOf([]byte(want.Canonical)) != want.Digest {
			t.Errorf("%s: digest %s, want %s", want.Name, l.Digest, want.Digest)
		}
	}
}

// The page of the digests shows the vectors that the test reads; -update writes them.
func TestVectorsInDocs(t *testing.T) {
	const begin, end = "<!-- vectors: begin -->\n", "<!-- vectors: end -->"
	file := filepath.Join(testkit.Root(), "docs", "digest.md")
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok1 := strings.Cut(string(page), begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok1 || !ok2 {
		t.Fatalf("%s has no place for the vectors", file)
	}
	want := before + begin + vectorTables(readVectors(t)) + end + after
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want != string(page) {
		t.Error("docs/digest.md shows other vectors than testdata/digests.json; run go test ./review/surface -run Docs -update")
	}
}

// vectorTables writes the vectors for a reader, every character outside ASCII as U+….
func vectorTables(v vectors) string {
	var b strings.Builder
	for _, part := range []struct {
		title string
		rows  []vector
	}{{"JSON value", v.Values}, {"Payload", v.Listings}} {
		fmt.Fprintf(&b, "\n| | %s | canonical form | digest |\n|---|---|---|---|\n", part.title)
		for _, r := range part.rows {
			fmt.Fprintf(&b, "| %s | %s | %s | `%s` |\n", r.Name, cell(r.JSON), cell(r.Canonical), r.Digest)
		}
	}
	return b.String() + "\n"
}

func cell(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\n' || r == '\t':
			b.WriteByte(' ')
		case r < 0x20 || r > 0x7e:
			fmt.Fprintf(&b, "<U+%04X>", r)
		default:
			b.WriteRune(r)
		}
	}
	return "`" + strings.ReplaceAll(b.String(), "|", "\\|") + "`"
}

func mustDigest(t testing.TB, text string) surface.Hash {
	t.Helper()
	d, err := surface.Digest([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return d
}

func TestDigestTellsApart(t *testing.T) {
	for _, group := range [][]string{
		{`"\ud800"`, `"\udfff"`, `"\ufffd"`},
		{`9007199254740993`, `9007199254740992`},
		{`1e400`, `2e400`, `1.7976931348623157e308`},
		{`{"name":1}`, `{"NAME":1}`},
		{`"é"`, `"e\u0301"`},
		{`1`, `"1"`, `true`, `null`, `[1]`},
		{`[1,2]`, `[2,1]`},
		{`"a"`, `"a\u200b"`},
	} {
		seen := map[surface.Hash]string{}
		for _, text := range group {
			d := mustDigest(t, text)
			if other, twice := seen[d]; twice {
				t.Errorf("%s and %s have one digest", text, other)
			}
			seen[d] = text
		}
	}
}

func TestDigestIgnoresWriting(t *testing.T) {
	for _, group := range [][]string{
		{`1.0`, `1`, `10e-1`, `0.1E+1`},
		{`0`, `-0`, `0e5`},
		{`"\ud83d\ude00"`, `"😀"`, `"\uD83D\uDE00"`},
		{`{"a":1,"b":2}`, "{ \"b\": 2,\r\n\"\\u0061\": 1 }"},
		{`"\/"`, `"/"`},
		{`1e400`, `10e399`, `0.1e401`, `1E+00400`},
	} {
		want := mustDigest(t, group[0])
		for _, text := range group[1:] {
			if mustDigest(t, text) != want {
				t.Errorf("%s and %s differ", text, group[0])
			}
		}
	}
}

func TestCanonicalRefuses(t *testing.T) {
	for _, tc := range []struct{ text, code, pointer string }{
		{`{"a":1,"\u0061":2}`, "duplicate-key", "/a"},
		{`{"a":[{},{"x":1,"x":2}]}`, "duplicate-key", "/a/1/x"},
		{"\"\xff\"", "encoding", ""},
		{`[1,]`, "syntax", "/0"},
		{``, "syntax", ""},
		{`1 2`, "syntax", ""},
		{strings.Repeat("[", 10_001) + strings.Repeat("]", 10_001), "limit", strings.Repeat("/0", 10_000)},
	} {
		_, err := surface.Canonical([]byte(tc.text))
		var e *surface.ReadError
		if !errors.As(err, &e) || e.Problems[0].Code != tc.code || e.Problems[0].Pointer != tc.pointer {
			t.Errorf("%.40s: %v", tc.text, err)
		}
	}
}

// gowebpki/jcs implements RFC 8785 without our three rules; where none of them
// applies the two must agree.
func TestCanonicalIsRFC8785(t *testing.T) {
	for _, text := range []string{
		`{"numbers":[333333333.3333333,1E30,4.50,2e-3,0.000000000000000000000000001],"string":"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/","literals":[null,true,false]}`,
		`{"\u20ac":"Euro Sign","\r":"Carriage Return","\ufb33":"Hebrew Letter Dalet With Dagesh","1":"One","\ud83d\ude00":"Emoji: Grinning Face","\u0080":"Control","\u00f6":"Latin Small Letter O With Diaeresis"}`,
		`[1e21,1e20,1e-6,1e-7,123.456,-0.5,5e-324,1.7976931348623157e308,100,0.1]`,
		`{"":{"":[]},"\u0000":1,"\ud7ff":2,"\ue000":3,"\ud800\udc00":4,"\udbff\udfff":5}`,
	} {
		if want, ok := byRFC8785(t, []byte(text)); ok {
			got, err := surface.Canonical([]byte(text))
			if err != nil || string(got) != want {
				t.Errorf("%s\n got %s %v\nwant %s", text, got, err, want)
			}
		} else {
			t.Errorf("%s can't be compared", text)
		}
	}
}

// byRFC8785 returns the form of jcs, and whether our rules leave text alone: no
// lone surrogate, and no number that jcs rounds.
func byRFC8785(t testing.TB, text []byte) (string, bool) {
	t.Helper()
	top := append(append([]byte("["), text...), ']') // jcs wants a container
	want, err := jcs.Transform(top)
	if err != nil || bytes.Contains(text, []byte("\\u")) && !validEscapes(text) {
		return "", false
	}
	got, err := surface.Canonical(text)
	if err != nil {
		return "", false
	}
	for _, n := range numbersIn(got) {
		f := json.Number(n)
		v, err := f.Float64()
		if err != nil {
			return "", false
		}
		if s, err := jcs.NumberToJSON(v); err != nil || s != n {
			return "", false
		}
	}
	return string(want[1 : len(want)-1]), true
}

// validEscapes reports whether encoding/json finds no lone surrogate, which it would
// replace, in the strings of text.
func validEscapes(text []byte) bool {
	c, err := surface.Canonical(text)
	return err == nil && !bytes.Contains(c, []byte(`\ud`))
}

// numbersIn returns the numbers outside of the strings of a canonical text.
func numbersIn(c []byte) []string {
	var numbers []string
	inString := false
	for i := 0; i < len(c); i++ {
		switch {
		case inString && c[i] == '\\':
			i++
		case c[i] == '"':
			inString = !inString
		case !inString && (c[i] == '-' || '0' <= c[i] && c[i] <= '9'):
			end := i
			for end < len(c) && strings.IndexByte("+-.e0123456789", c[end]) >= 0 {
				end++
			}
			numbers = append(numbers, string(c[i:end]))
			i = end - 1
		}
	}
	return numbers
}

func FuzzCanonical(f *testing.F) {
	for _, v := range readVectors(f).Values {
		f.Add([]byte(v.JSON))
	}
	f.Add([]byte(`{"a":1e-0000000000000000000000000000001,"\ud83d":"\ud83d\u0041"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := surface.Canonical(text)
		if err != nil {
			return
		}
		if !utf8.Valid(c) {
			t.Fatalf("not UTF-8: %q", c)
		}
		again, err := surface.Canonical(c)
		if err != nil || !bytes.Equal(again, c) {
			t.Fatalf("not idempotent: %q, then %q (%v)", c, again, err)
		}
		if want, ok := byRFC8785(t, text); ok && want != string(c) {
			t.Fatalf("%q: %q, RFC 8785 has %q", text, c, want)
		}
	})
}

func TestHash(t *testing.T) {
	h := surface.HashOf([]byte("x"))
	if h.IsZero() || (surface.Hash{}).String() != "" || len(h.Short()) != 6 {
		t.Fatalf("hash %s, short %s", h, h.Short())
	}
	back, err := surface.ParseHash(h.String())
	if err != nil || back != h {
		t.Fatalf("%s: %v", h, err)
	}
	for _, bad := range []string{"", "sha256:", h.String()[7:], strings.ToUpper(h.String()), h.String() + "0", "sha256:" + strings.Repeat("G", 64), "sha256:" + strings.ToUpper(h.String()[7:])} {
		if _, err := surface.ParseHash(bad); err == nil {
			t.Errorf("%q is taken for a digest", bad)
		}
	}
	var fromText surface.Hash
	if b, _ := h.MarshalText(); fromText.UnmarshalText(b) != nil || fromText != h {
		t.Error("text form does not survive")
	}
	if fromText.UnmarshalText(nil) != nil || !fromText.IsZero() {
		t.Error("empty text is not the zero hash")
	}
	if fromText.UnmarshalText([]byte("no")) == nil {
		t.Error("no error for a text that is no digest")
	}
}

func TestInstructionsAndOrderDigests(t *testing.T) {
	asked := surface.Instructions{Asked: true}
	empty := surface.Instructions{Asked: true, Present: true}
	some := surface.Instructions{Asked: true, Present: true, Text: "a\xed\xa0\x80"}
	if !(surface.Instructions{}).Digest().IsZero() {
		t.Error("instructions that nobody asked for have a digest")
	}
	if asked.Digest() != surface.HashOf([]byte("null")) || empty.Digest() != surface.HashOf([]byte(`""`)) ||
		some.Digest() != surface.HashOf([]byte(`"a\ud800"`)) {
		t.Error("digest of the instructions is not that of their canonical form")
	}
	l := surface.Listing{Tools: []surface.Tool{{Name: "b"}, {Name: "a\""}}}
	if l.OrderDigest() != surface.HashOf([]byte(`["b","a\""]`)) {
		t.Error("digest of the order is not that of the list of names")
	}
}

func TestStringsRoundTrip(t *testing.T) {
	for _, s := range []string{"", "plain", "\"\\\b\t\n\f\r\v\x00\x1f\x7f", "é😀\u2028", "\xed\xa0\x80", "\xed\xbf\xbfx", "\ufffd"} {
		got, ok := surface.DecodeString(surface.EncodeString(s))
		if !ok || got != s {
			t.Errorf("%q came back as %q", s, got)
		}
	}
	if got := string(surface.EncodeString("\xff\xed\xa0")); got != `"`+"\ufffd\ufffd\ufffd"+`"` {
		t.Errorf("bytes that are no text: %q", got)
	}
	for _, raw := range []string{``, `"`, `1`, `null`, `"a" "b"`, `"\q"`, `["a"]`} {
		if s, ok := surface.DecodeString([]byte(raw)); ok {
			t.Errorf("%s is taken for the string %q", raw, s)
		}
	}
}

// Three texts that careless programs make one keep three digests, and a field that
// differs from a known one only in case is kept, hashed and reported as unknown.
func TestLookalikesStayApart(t *testing.T) {
	seen := map[surface.Hash]bool{}
	for _, s := range []string{`\ud800`, `\udfff`, `\ufffd`} {
		l := mustRead(t, []byte(`{"tools":[{"name":"a","description":"`+s+`","inputSchema":{"type":"object"}}]}`), surface.Options{})
		seen[l.Digest], seen[l.Tools[0].Digest] = true, true
	}
	if len(seen) != 6 {
		t.Errorf("%d digests of three tools and three listings", len(seen))
	}
	plain := mustRead(t, []byte(`{"tools":[`+oneTool+`]}`), surface.Options{})
	twin := mustRead(t, []byte(`{"tools":[`+strings.Replace(oneTool, `{"name"`, `{"NAME":"delete_all","name"`, 1)+`]}`), surface.Options{})
	if twin.Tools[0].Name != "get_time" || twin.Tools[0].Digest == plain.Tools[0].Digest {
		t.Errorf("NAME was taken for name, or is not hashed: %+v", twin.Tools[0])
	}
	if len(twin.Problems) != 1 || twin.Problems[0].Code != "field-unknown" || twin.Problems[0].Pointer != "/NAME" {
		t.Errorf("problems %+v", twin.Problems)
	}
}
