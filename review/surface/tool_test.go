package surface_test

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/countersign/countersign/review/surface"
)

var leOrder = binary.LittleEndian

func tool(t testing.TB, raw string) surface.Tool {
	t.Helper()
	made, err := surface.NewTool(1, jsontext.Value(raw))
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func TestNewTool(t *testing.T) {
	made := tool(t, " {\"name\":\"a\\ud800\", \"x\":1.0}\n")
	if made.Name != "a\xed\xa0\x80" || string(made.Raw) != `{"name":"a\ud800", "x":1.0}` || made.Offset != -1 {
		t.Errorf("%+v", made)
	}
	if made.Digest != mustDigest(t, `{"x":1,"name":"a\uD800"}`) || made.RawHash != surface.HashOf(made.Raw) {
		t.Error("hashes are of something else")
	}
	_, err := surface.NewTool(1, jsontext.Value(`{"a":`))
	var e *surface.ReadError
	if !errors.As(err, &e) {
		t.Errorf("broken JSON: %v", err)
	}
}

func TestToolTexts(t *testing.T) {
	for _, tc := range []struct {
		raw, title, description string
		hasTitle, hasText       bool
	}{
		{`{}`, "", "", false, false},
		{`null`, "", "", false, false},
		{`{"description":null,"title":null}`, "", "", false, false},
		{`{"description":"","title":""}`, "", "", true, true},
		{`{"description":7,"title":7}`, "", "", false, false},
		{`{"description":"caf\u00e9","title":"A"}`, "A", "café", true, true},
		{`{"annotations":{"title":"B"}}`, "B", "", true, false},
		{`{"title":"A","annotations":{"title":"B"}}`, "A", "", true, false},
		{`{"annotations":{"title":null}}`, "", "", false, false},
		{`{"annotations":[1]}`, "", "", false, false},
		{`{"Description":"other case"}`, "", "", false, false},
	} {
		made := tool(t, tc.raw)
		title, hasTitle := made.Title()
		text, hasText := made.Description()
		if title != tc.title || hasTitle != tc.hasTitle || text != tc.description || hasText != tc.hasText {
			t.Errorf("%s: title %q %t, description %q %t", tc.raw, title, hasTitle, text, hasText)
		}
	}
}

func TestToolFields(t *testing.T) {
	made := tool(t, `{"b":1,"na\u006de":"x", "a" : [ 1 ],"inputSchema":{"type":"object"},"outputSchema":null,"annotations":{}}`)
	var got []string
	for n, v := range made.Fields() {
		got = append(got, n+"="+string(v))
	}
	want := []string{"b=1", `name="x"`, "a=[ 1 ]", `inputSchema={"type":"object"}`, "outputSchema=null", "annotations={}"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for range made.Fields() {
		break // stopping early must work
	}
	if v, ok := made.Field("outputSchema"); !ok || string(v) != "null" {
		t.Errorf("a null field: %s %t", v, ok)
	}
	if _, ok := made.Field("Name"); ok {
		t.Error("names are not case-sensitive")
	}
	if _, ok := made.OutputSchema(); ok {
		t.Error("null is an output schema")
	}
	if v, ok := made.InputSchema(); !ok || string(v) != `{"type":"object"}` {
		t.Errorf("input schema %s %t", v, ok)
	}
	if v, ok := made.Annotations(); !ok || string(v) != "{}" {
		t.Errorf("annotations %s %t", v, ok)
	}
}

// Each form keeps its schemas under names of its own, and under no others.
func TestSchemasByForm(t *testing.T) {
	for _, tc := range []struct {
		form    surface.Form
		raw     string
		in, out bool
	}{
		{surface.FormWire, `{"inputSchema":{},"outputSchema":{}}`, true, true},
		{surface.FormWire, `{"input_schema":{},"parameters":{},"output_schema":{},"":{}}`, false, false},
		{surface.FormSnake, `{"input_schema":{},"output_schema":{}}`, true, true},
		{surface.FormParameters, `{"parameters":{},"":{}}`, true, false},
		{surface.FormParameters, `{"parameters":null,"parametersJsonSchema":{}}`, true, false},
		{surface.FormArguments, `{"arguments":[],"":{}}`, false, false},
	} {
		made := tool(t, tc.raw)
		made.Form = tc.form
		_, in := made.InputSchema()
		_, out := made.OutputSchema()
		if in != tc.in || out != tc.out {
			t.Errorf("%q %s: input %t, output %t", tc.form, tc.raw, in, out)
		}
	}
}

func TestDerivedSchema(t *testing.T) {
	l := mustRead(t, []byte(`[{"name":"list_calc","arguments":[{"name":"year","type":"string","desc":"Filter.","optional":true},{"name":"kind"},{"type":"string"},
		{"name":"tags","type":"array","items":{"type":"string"},"optional":false}]},{"name":"none","arguments":"x"}]`), surface.Options{})
	got, ok := l.Tools[0].DerivedSchema()
	want := `{"type":"object","properties":{"year":{"type":"string","description":"Filter."},"kind":{},"tags":{"type":"array","items":{"type":"string"}}},"required":["kind","tags"]}`
	if !ok || string(got) != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if _, ok := l.Tools[1].DerivedSchema(); ok {
		t.Error("a schema was derived from nothing")
	}
	if _, ok := tool(t, `{"arguments":[]}`).DerivedSchema(); ok {
		t.Error("a schema was derived for a tool of the wire form")
	}
}

func TestHints(t *testing.T) {
	standard := surface.Hints{Destructive: true, OpenWorld: true}
	for raw, want := range map[string]surface.Hints{
		`{}`:                   standard,
		`{"annotations":null}`: standard,
		`{"annotations":{"readOnlyHint":null,"destructiveHint":"no","idempotentHint":1}}`:                           standard,
		`{"annotations":{"readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false}}`: {ReadOnly: true, Idempotent: true},
	} {
		if got := tool(t, raw).Hints(); got != want {
			t.Errorf("%s: %+v", raw, got)
		}
	}
}

func TestMembersAndElements(t *testing.T) {
	for _, raw := range []string{"", "{", "1", "null", `"x"`} {
		for range surface.Members(jsontext.Value(raw)) {
			t.Errorf("%q has members", raw)
		}
		for range surface.Elements(jsontext.Value(raw)) {
			t.Errorf("%q has elements", raw)
		}
	}
	var got []string
	for v := range surface.Elements(jsontext.Value(` [1, {"a":[2]} ,"x"] `)) {
		got = append(got, string(v))
	}
	if diff := cmp.Diff([]string{"1", `{"a":[2]}`, `"x"`}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for range surface.Elements(jsontext.Value(`[1,2]`)) {
		break
	}
}

func TestFolder(t *testing.T) {
	file := func(name, text string) surface.File { return surface.File{Name: name, Data: []byte(text)} }
	files := []surface.File{
		file("find_ff.snap", "{\n  \"name\": \"find\",\n  \"description\": \"Find more.\",\n  \"inputSchema\": {\"type\": \"object\"}\n}\n"),
		file("find.snap", "\xEF\xBB\xBF"+`{"name":"find","description":"Find.","inputSchema":{"type":"object"}}`),
		file("me.snap", "\n\n  {\"name\":\"get_me\", \"description\":\"Me.\",\n \"inputSchema\":{\"type\":\"object\",\n\"properties\":null}}"),
	}
	l, err := surface.ReadFolder(files, surface.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := `folder listing, incomplete
1. "find" 69 bytes at 75
2. "find" 88 bytes at 146
3. "get_me" 91 bytes at 236
error name-duplicate #2 2:11 /name
  find_ff.snap: tool 1 has the same name. If they are variants of one tool, say which configuration each belongs to and push them as profiles.
error schema-invalid #3 5:14 /inputSchema/properties
  me.snap: ` + "`properties` is null; it has to be an object. Leave it out if there is nothing to say. Clients that check schemas drop the tool, or refuse the whole list.\n"
	if diff := cmp.Diff(want, summary(l, nil)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	checkSlices(t, l)
	again := mustRead(t, l.Raw, surface.Options{Complete: true})
	if again.Digest != l.Digest || again.Shape != surface.ShapeFolder || !again.Complete {
		t.Errorf("read again: %s, complete %t", again.Shape, again.Complete)
	}
	if whole, err := surface.ReadFolder(files, surface.Options{Complete: true}); err != nil || !whole.Complete {
		t.Errorf("the pusher's word for a whole folder does not count: %v", err)
	}
}

// What holds no tool is named and not read, whatever a file is called.
func TestFolderWithOtherFiles(t *testing.T) {
	files := []surface.File{
		{Name: "README.md", Data: []byte("# Tools\n{}")}, {Name: "LICENSE", Data: nil},
		{Name: "utf16.txt", Data: []byte("\xFF\xFE{\x00\"\x00n\x00a\x00m\x00e\x00\"\x00:\x00\"\x00b\x00\"\x00}\x00")},
		{Name: "a", Data: []byte(oneTool)},
	}
	l, err := surface.ReadFolder(files, surface.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var passed []string
	for _, p := range l.Problems {
		if p.Code == "file-passed-over" {
			passed = append(passed, p.Message)
		}
	}
	want := []string{"LICENSE does not begin like JSON, so it was not read.", "README.md does not begin like JSON, so it was not read."}
	if d := cmp.Diff(want, passed); d != "" || len(l.Tools) != 2 {
		t.Errorf("%d tools, passed over (-want +got):\n%s", len(l.Tools), d)
	}
	if _, err := surface.ReadFolder(files[:2], surface.Options{}); err == nil || !strings.Contains(err.Error(), "begins like JSON") {
		t.Errorf("nothing of it is a tool: %v", err)
	}
}

func TestFolderRefusals(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		reason     surface.Reason
		inMessage  string
	}{
		{"no file", "", surface.NotListing, "no file"},
		{"broken", `{"name":`, surface.Unreadable, "b.json: the text ends inside an object"},
		{"not UTF-8", "\"\xff\"", surface.Unreadable, "b.json: byte 0xFF"},
		{"UTF-32", "\xFF\xFE\x00\x00", surface.Unreadable, "b.json: the text is UTF-32"},
		{"array", `[]`, surface.NotListing, "b.json: the file holds an array"},
		{"listing", `{"tools":[]}`, surface.NotListing, "b.json: the file holds a whole listing"},
		{"too large", strings.Repeat(" ", 200), surface.TooLarge, "b.json: the file has 200 bytes"},
	} {
		var files []surface.File
		if tc.text != "" {
			files = []surface.File{{Name: "a.json", Data: []byte(oneTool)}, {Name: "b.json", Data: []byte(tc.text)}}
		}
		_, err := surface.ReadFolder(files, surface.Options{Limits: surface.Limits{Bytes: 150}})
		var e *surface.ReadError
		if !errors.As(err, &e) || e.Reason != tc.reason || !strings.Contains(e.Message, tc.inMessage) {
			t.Errorf("%s: %v", tc.name, err)
		}
	}
	files := []surface.File{{Name: "a", Data: []byte(oneTool)}, {Name: "b", Data: []byte(oneTool)}}
	_, err := surface.ReadFolder(files, surface.Options{Limits: surface.Limits{Bytes: 150}})
	var e *surface.ReadError
	if !errors.As(err, &e) || e.Reason != surface.TooLarge {
		t.Errorf("a folder that is too large together: %v", err)
	}
}

func TestOneToolIsCompleteIfThePusherSaysSo(t *testing.T) {
	if l := mustRead(t, []byte(oneTool), surface.Options{Complete: true}); l.Shape != surface.ShapeTool || !l.Complete {
		t.Errorf("%s, complete %t", l.Shape, l.Complete)
	}
	if l := mustRead(t, []byte(`{"tools":[],"nextCursor":"x"}`), surface.Options{Complete: true}); l.Complete {
		t.Error("the pusher's word overrules a missing page")
	}
}

func TestProtocolVersion(t *testing.T) {
	opt := surface.Options{ProtocolVersion: "2025-06-18"}
	if l := mustRead(t, []byte(`{"tools":[]}`), opt); l.ProtocolVersion != "2025-06-18" {
		t.Errorf("version %q", l.ProtocolVersion)
	}
	if l := mustRead(t, []byte(`{"protocolVersion":"2025-11-25","tools":[]}`), opt); l.ProtocolVersion != "2025-11-25" {
		t.Errorf("version %q", l.ProtocolVersion)
	}
}

func TestInspect(t *testing.T) {
	l := mustRead(t, []byte(`{"server":{"protocolVersion":"2025-11-25","instructions":"Ask."},"result":{"tools":[
		{"name":"page_get","description":"G.","inputSchema":{}},{"name":"page_set","description":"S.","inputSchema":{"type":"object"}},
		{"name":"tab_a","description":"A.","inputSchema":{"type":"object"}},{"name":"tab_b","description":"B.","inputSchema":{"type":"object"}},
		{"name":"write_page","description":"W.","inputSchema":{"type":"object"}}]}}`), surface.Options{})
	in := surface.Inspect(l)
	var families []string
	for _, tool := range in.Tools {
		family := "none"
		if tool.Family != nil {
			family = *tool.Family
		}
		families = append(families, fmt.Sprintf("%d %s %s", tool.Position, tool.Name, family))
	}
	want := []string{"1 page_get page", "2 page_set page", "3 tab_a tab", "4 tab_b tab", "5 write_page none"}
	if diff := cmp.Diff(want, families); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if *in.ProtocolVersion != "2025-11-25" || *in.Instructions != "Ask." || in.Digest != l.Digest || len(in.Problems) != 1 {
		t.Errorf("%+v", in)
	}
	bare := surface.Inspect(mustRead(t, []byte(`{"tools":[]}`), surface.Options{}))
	if bare.ProtocolVersion != nil || bare.Instructions != nil || bare.Tools == nil || bare.Problems == nil {
		t.Errorf("%+v", bare)
	}
}

func TestWorst(t *testing.T) {
	for text, want := range map[string]surface.Level{
		`{"tools":[` + oneTool + `]}`: "",
		`{"tools":[{"name":"a","x":1,"description":"A.","inputSchema":{"type":"object"}}]}`: surface.LevelInfo,
		`{"tools":[{"name":"a","x":1,"inputSchema":{"type":"object"}}]}`:                    surface.LevelWarning,
		`{"tools":[{"name":"a"}]}`: surface.LevelError,
	} {
		if got := mustRead(t, []byte(text), surface.Options{}).Worst(); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// Two names that encoding/json would make one stay two.
func TestProblemJSON(t *testing.T) {
	b, err := json.Marshal([]surface.Problem{{Code: "c", Level: surface.LevelError, Tool: "\xed\xa0\x80", Position: 1, Pointer: "/\xed\xbf\xbf", Message: "m"}})
	want := `[{"code":"c","level":"error","position":1,"tool":"\ud800","pointer":"/\udfff","message":"m"}]`
	if err != nil || string(b) != want {
		t.Errorf("%s %v", b, err)
	}
}
