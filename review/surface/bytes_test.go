package surface_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"github.com/countersign/countersign/review/surface"
)

const oneTool = `{"name":"get_time","description":"Now.","inputSchema":{"type":"object"}}`

// utf16Text writes text as UTF-16 with or without a byte order mark.
func utf16Text(order binary.AppendByteOrder, mark bool, text string) []byte {
	var b []byte
	if mark {
		b = order.AppendUint16(b, 0xFEFF)
	}
	for _, u := range utf16.Encode([]rune(text)) {
		b = order.AppendUint16(b, u)
	}
	return b
}

func mustRead(t testing.TB, b []byte, opt surface.Options) *surface.Listing {
	t.Helper()
	l, err := surface.Read(b, opt)
	if err != nil {
		t.Fatalf("%.200q: %v", b, err)
	}
	return l
}

func codes(ps []surface.Problem) []string {
	var c []string
	for _, p := range ps {
		c = append(c, p.Code)
	}
	return c
}

func TestByteForms(t *testing.T) {
	text := "{\"tools\":[\n" + strings.Replace(oneTool, "Now.", "Now 😀.", 1) + "]}"
	want := mustRead(t, []byte(text), surface.Options{})
	for _, tc := range []struct {
		name   string
		bytes  []byte
		note   string
		offset int
	}{
		{"plain", []byte(text), "", 11},
		{"UTF-8 with a mark", []byte("\xEF\xBB\xBF" + text), "bom-removed", 14},
		{"UTF-16LE", utf16Text(binary.LittleEndian, true, text), "utf16-converted", -1},
		{"UTF-16BE", utf16Text(binary.BigEndian, true, text), "utf16-converted", -1},
		{"white space around", []byte("\r\n\t " + text + "\n\n"), "", 15},
	} {
		l := mustRead(t, tc.bytes, surface.Options{})
		if l.Digest != want.Digest || !bytes.Equal(l.Raw, tc.bytes) || l.RawHash != surface.HashOf(tc.bytes) {
			t.Errorf("%s: another digest, or the bytes were not kept", tc.name)
		}
		if got := strings.Join(codes(l.Problems), " "); got != tc.note {
			t.Errorf("%s: problems %s, want %s", tc.name, got, tc.note)
		}
		if l.Tools[0].Offset != tc.offset {
			t.Errorf("%s: offset %d, want %d", tc.name, l.Tools[0].Offset, tc.offset)
		}
	}
}

func TestRefusedBytes(t *testing.T) {
	for _, tc := range []struct {
		name, bytes    string
		reason         surface.Reason
		line, column   int
		inMessage, ptr string
	}{
		{"UTF-16 without a mark", string(utf16Text(binary.LittleEndian, false, "{}  ")), surface.Unreadable, 1, 1, "PowerShell", ""},
		{"UTF-16BE without a mark", string(utf16Text(binary.BigEndian, false, "{}  ")), surface.Unreadable, 1, 1, "PowerShell", ""},
		{"UTF-32", "\xFF\xFE\x00\x00{\x00\x00\x00", surface.Unreadable, 1, 1, "UTF-32", ""},
		{"half a character", "\xFF\xFE{\x00}", surface.Unreadable, 1, 5, "cut off", ""},
		{"half a surrogate pair", "\xFF\xFE\"\x00\x00\xD8\"\x00", surface.Unreadable, 1, 5, "offset 4", ""},
		{"not UTF-8", "{\"tools\":\n [\"caf\xe9\"]}", surface.Unreadable, 2, 7, "0xE9 at offset 16", ""},
		{"a raw zero byte", "{\"a\":\"x\x00\"}", surface.Unreadable, 1, 8, "control character (0x00)", "/a"},
		{"gzip", "\x1f\x8b\x08\x00\x00", surface.OtherFormat, 1, 1, "gzip", ""},
		{"zip", "PK\x03\x04\x00", surface.OtherFormat, 1, 1, "zip", ""},
		{"PDF", "%PDF-1.7", surface.OtherFormat, 1, 1, "PDF", ""},
		{"picture", "\x89PNG\r\n", surface.OtherFormat, 1, 1, "picture", ""},
		{"tabs", "name\tdescription\n", surface.OtherFormat, 1, 1, "CSV", ""},
		{"mark counts for nothing", "\xEF\xBB\xBF[1,]", surface.Unreadable, 1, 3, "trailing comma", "/0"},
		{"mark in the middle", "[\uFEFF]", surface.Unreadable, 1, 2, "byte order mark", "/0"},
		{"binary", "\x00\x01\x02\x03", surface.Unreadable, 1, 1, "not JSON", ""},
	} {
		_, err := surface.Read([]byte(tc.bytes), surface.Options{})
		var e *surface.ReadError
		if !errors.As(err, &e) {
			t.Errorf("%s: %v", tc.name, err)
			continue
		}
		p := e.Problems[0]
		if e.Reason != tc.reason || p.Line != tc.line || p.Column != tc.column || p.Pointer != tc.ptr || !strings.Contains(e.Message, tc.inMessage) {
			t.Errorf("%s: %s %+v", tc.name, e.Reason, p)
		}
	}
}

func TestReadErrorText(t *testing.T) {
	_, err := surface.Read([]byte("{\"tools\":\n{}}"), surface.Options{})
	if want := "2:1 (/tools): `tools` is an object"; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("%v, want %s…", err, want)
	}
	for want, e := range map[string]surface.ReadError{
		"x":       {Message: "x"},
		"x ":      {Message: "x ", Problems: []surface.Problem{{}}},
		"(/a): x": {Message: "x", Problems: []surface.Problem{{Pointer: "/a"}}},
		"1:2: x":  {Message: "x", Problems: []surface.Problem{{Line: 1, Column: 2}}},
	} {
		if e.Error() != want {
			t.Errorf("%q, want %q", e.Error(), want)
		}
	}
}

func TestLimits(t *testing.T) {
	nested := func(n int) string {
		return `{"tools":[{"name":"a","description":"A.","inputSchema":{"type":"object","default":` + strings.Repeat("[", n) + strings.Repeat("]", n) + `}}]}`
	}
	pages := func(n int) string {
		var p []string
		for i := range n {
			p = append(p, fmt.Sprintf(`{"tools":[],"nextCursor":"%d"}`, i))
		}
		return "[" + strings.Join(append(p, `{"tools":[]}`), ",") + "]"
	}
	digits := func(n int) string { return `{"tools":[],"x":` + strings.Repeat("9", n) + `}` }
	for _, tc := range []struct {
		name string
		text string
		opt  surface.Limits
		ok   bool
	}{
		{"depth 64", nested(60), surface.Limits{}, true},
		{"depth 65", nested(61), surface.Limits{}, false},
		{"depth as configured", nested(61), surface.Limits{Depth: 65}, true},
		{"1,000 digits", digits(1000), surface.Limits{}, true},
		{"1,001 digits", digits(1001), surface.Limits{}, false},
		{"exponent of many digits", `{"tools":[],"x":1e` + strings.Repeat("9", 1000) + `}`, surface.Limits{}, false},
		{"100 pages", pages(99), surface.Limits{}, true},
		{"101 pages", pages(100), surface.Limits{}, false},
		{"8 MiB", `{"tools":[]}` + strings.Repeat(" ", 8<<20-12), surface.Limits{}, true},
		{"over 8 MiB", `{"tools":[]}` + strings.Repeat(" ", 8<<20-11), surface.Limits{}, false},
		{"500,000 values", `{"x":[` + strings.Repeat("0,", 499_996) + `0],"tools":[]}`, surface.Limits{}, true},
		{"500,001 values", `{"x":[` + strings.Repeat("0,", 499_997) + `0],"tools":[]}`, surface.Limits{}, false},
		{"too many tools", `{"tools":[1,2,3]}`, surface.Limits{Tools: 2}, false},
	} {
		_, err := surface.Read([]byte(tc.text), surface.Options{Limits: tc.opt})
		var e *surface.ReadError
		switch {
		case tc.ok && err != nil:
			t.Errorf("%s: %v", tc.name, err)
		case !tc.ok && (!errors.As(err, &e) || e.Reason != surface.TooLarge):
			t.Errorf("%s: %v, want a refusal as too large", tc.name, err)
		}
	}
}

// A big server must be read: 2,000 tools, 7.5 MB, one description of 20 kB.
func TestLargeListing(t *testing.T) {
	var b bytes.Buffer
	b.WriteString(`{"tools":[`)
	for i := range 2000 {
		if i > 0 {
			b.WriteByte(',')
		}
		length := 3600
		if i == 7 {
			length = 20_582
		}
		fmt.Fprintf(&b, `{"name":"tool_%d","description":"%s","inputSchema":{"type":"object"}}`, i, strings.Repeat("d", length))
	}
	b.WriteString(`]}`)
	l := mustRead(t, b.Bytes(), surface.Options{})
	if len(l.Tools) != 2000 || !l.Complete || len(l.Problems) != 0 {
		t.Errorf("%d tools, complete %t, %d problems", len(l.Tools), l.Complete, len(l.Problems))
	}
}

// Many problems are bounded, and the first of each tool and code is never lost.
func TestManyProblems(t *testing.T) {
	var b bytes.Buffer
	b.WriteString(`{"tools":[`)
	for i := range 1000 {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"name":"t%d","description":"D."`, i)
		for j := range 30 {
			fmt.Fprintf(&b, `,"x%d":1`, j)
		}
		b.WriteByte('}')
	}
	b.WriteString(`]}`)
	l := mustRead(t, b.Bytes(), surface.Options{})
	missing := map[int]bool{}
	for _, p := range l.Problems {
		if p.Code == "schema-missing" {
			missing[p.Position] = true
		}
	}
	if len(missing) != 1000 || len(l.Problems) > 13_000 {
		t.Errorf("%d of 1000 errors kept among %d problems", len(missing), len(l.Problems))
	}
	if p := l.Problems[0]; !strings.Contains(l.Problems[19].Message, "10 more `field-unknown`") {
		t.Errorf("the further problems are not counted: %+v, %+v", p, l.Problems[19])
	}
}

// Looking up references is bounded in steps: what can't be looked up is let pass.
func TestReferencesAreBounded(t *testing.T) {
	var b bytes.Buffer
	b.WriteString(`{"tools":[{"name":"a","description":"A.","inputSchema":{"type":"object","$defs":{`)
	for i := range 40_000 {
		fmt.Fprintf(&b, `"d%d":true,`, i)
	}
	b.WriteString(`"z":true},"properties":{`)
	for i := range 40_000 {
		fmt.Fprintf(&b, `"p%d":{"$ref":"#/$defs/z"},`, i)
	}
	b.WriteString(`"q":{"$ref":"#/$defs/none"}}}}]}`)
	l := mustRead(t, b.Bytes(), surface.Options{})
	if len(l.Problems) != 0 {
		t.Errorf("problems %v", codes(l.Problems))
	}
}

// What a capture's conversation held may be nowhere in what is kept.
func TestCaptureKeepsNoConversation(t *testing.T) {
	const canary = "CANARY-5f1c"
	for _, text := range []string{
		`{"model":"C","system":"C","messages":[{"content":"C"}],"tools":[{"name":"a","x":"C","input_schema":{}}]}`,
		`{"messages":[{"content":"C"}],"metadata":{"C":"C"},"tools":[{"type":"function","C":"C","function":{"name":"a","C":"C","parameters":{}}}]}`,
		`{"input":"C","instructions":"C","model":"C","tools":[{"type":"namespace","description":"C","name":"mcp__x","tools":[{"type":"function","name":"a","C":1}]}]}`,
		`{"contents":["C"],"tools":[{"functionDeclarations":[{"name":"a","C":"C"}],"C":"C"}]}`,
		`{"output":[{"content":"C"},{"type":"mcp_list_tools","C":"C","tools":[{"name":"a","C":"C"}]}]}`,
		`{"log":{"entries":[{"request":{"C":"C"},"response":{"headers":["C"],"content":{"text":"{\"jsonrpc\":\"2.0\",\"result\":{\"tools\":[]}}"}}}]}}`,
		"C\n{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"tools\":[]}} C\n{\"jsonrpc\":\"2.0\",\"method\":\"C\"}\n",
	} {
		payload := []byte(strings.ReplaceAll(text, "C", canary))
		l := mustRead(t, payload, surface.Options{})
		if dump := fmt.Sprintf("%s %+v", l.Raw, l); strings.Contains(dump, canary) {
			t.Errorf("%s\nkept in %s", text, dump)
		}
	}
	for _, text := range []string{
		`{"messages":[{"C":1,"C":2}],"tools":[]}`,
		`{"messages":[{"C":"C`,
		`{"system":{"C":[nope]}}`,
		`{"contents":[{"C":{"C":"\q"}}]}`,
	} {
		_, err := surface.Read([]byte(strings.ReplaceAll(text, "C", canary)), surface.Options{})
		if err == nil || strings.Contains(fmt.Sprintf("%v %+v", err, err), canary) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// What is kept of a capture, of a recording and of a folder reads as the same
// listing again: a store keeps Raw, and nothing else.
func TestRebuiltTextsReadTheSame(t *testing.T) {
	for _, text := range []string{
		`{"model":"m","messages":[],"tools":[{"name":"mcp__a__b","description":"B.","input_schema":{"type":"object"}},{"name":"Bash"}]}`,
		`{"tools":[{"type":"function","function":{"name":"a","parameters":{"type":"object"}}}]}`,
		`{"model":"m","input":[],"tools":[{"type":"namespace","name":"mcp__x","tools":[{"type":"function","name":"a","parameters":{}}]}]}`,
		`{"tools":[{"functionDeclarations":[{"name":"a"},null]}]}`,
		"x\n{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"tools\":[" + oneTool + "]}}",
	} {
		l := mustRead(t, []byte(text), surface.Options{})
		again := mustRead(t, l.Raw, surface.Options{})
		ignorePlaces(l.Problems)
		ignorePlaces(again.Problems)
		if diff := cmp.Diff(l, again); diff != "" {
			t.Errorf("%s (-first +again):\n%s", text, diff)
		}
	}
}

func ignorePlaces(ps []surface.Problem) {
	for i := range ps {
		ps[i].Line, ps[i].Column = 0, 0
	}
}
