package review

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/countersign/countersign/review/surface"
)

func toolOf(t testing.TB, raw string) *surface.Tool {
	t.Helper()
	tool, err := surface.NewTool(1, jsontext.Value(raw))
	if err != nil {
		t.Fatal(err)
	}
	return &tool
}

func TestPort(t *testing.T) {
	const old = `{"name":"find","description":"Finds a letter. Never twice. Ask before you call.","inputSchema":{"type":"object","properties":{"a/b":{"type":"string","enum":["x","y"]}},"required":["id"]}}`
	tests := []struct {
		name string
		at   Anchor
		now  string // "" is gone
		want PlaceState
		tool string
	}{
		{"same bytes", Anchor{Pointer: "/description", Quote: "Never twice."}, old, PlaceExact, "find"},
		{"keys in another order", Anchor{Pointer: "/description"}, `{"description":"Finds a letter. Never twice. Ask before you call.","name":"find"}`, PlaceExact, "find"},
		{"no tool", Anchor{Pointer: "/description"}, "", PlaceGone, ""},
		{"no place", Anchor{Pointer: "/inputSchema/properties/a~1b"}, `{"name":"find","inputSchema":{"properties":{"a":{}}}}`, PlaceGone, "find"},
		{"an escaped place", Anchor{Pointer: "/inputSchema/properties/a~1b/type"}, `{"name":"find","inputSchema":{"properties":{"a/b":{"type":"string"}}}}`, PlaceExact, "find"},
		{"an element", Anchor{Pointer: "/inputSchema/properties/a~1b/enum/1"}, `{"name":"find","inputSchema":{"properties":{"a/b":{"enum":["z","y"]}}}}`, PlaceExact, "find"},
		{"an element that is gone", Anchor{Pointer: "/inputSchema/properties/a~1b/enum/1"}, `{"name":"find","inputSchema":{"properties":{"a/b":{"enum":["x"]}}}}`, PlaceGone, "find"},
		{"other value", Anchor{Pointer: "/inputSchema/properties/a~1b/type"}, `{"name":"find","inputSchema":{"properties":{"a/b":{"type":"integer"}}}}`, PlaceChanged, "find"},
		{"the quote moved within the text", Anchor{Pointer: "/description", Quote: "Never twice."}, `{"name":"find","description":"Careful. Never twice. Finds."}`, PlaceExact, "find"},
		{"the quote is gone", Anchor{Pointer: "/description", Quote: "Never twice."}, `{"name":"find","description":"Finds a letter. Never thrice."}`, PlaceChanged, "find"},
		{"the quote occurs twice, one in its context", Anchor{Pointer: "/description", Quote: "Never twice."}, `{"name":"find","description":"Never twice. Finds a letter. Never twice. Done."}`, PlaceExact, "find"},
		{"the quote occurs twice, elsewhere", Anchor{Pointer: "/description", Quote: "Never twice."}, `{"name":"find","description":"Never twice! Or: Never twice.. Never twice."}`, PlaceChanged, "find"},
		{"the whole tool, changed", Anchor{}, `{"name":"find","description":"Other."}`, PlaceChanged, "find"},
		{"renamed, same words", Anchor{Pointer: "/description", Quote: "Never twice."}, `{"name":"seek","description":"Finds a letter. Never twice. Ask before you call."}`, PlaceRenamed, "seek"},
		{"renamed, other words", Anchor{Pointer: "/description", Quote: "Never twice."}, `{"name":"seek","description":"Seeks."}`, PlaceChanged, "seek"},
		{"a string that became an object", Anchor{Pointer: "/description"}, `{"name":"find","description":{"en":"Finds."}}`, PlaceChanged, "find"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.at.Tool = "find"
			at := tt.at.note(toolOf(t, old))
			var now *surface.Tool
			if tt.now != "" {
				now = toolOf(t, tt.now)
			}
			if got := port(at, now); got.State != tt.want || got.Tool != tt.tool {
				t.Errorf("got %+v, want %s %q", got, tt.want, tt.tool)
			}
		})
	}
}

func TestSnippet(t *testing.T) {
	long := strings.Repeat("ä", maxSnippet)
	if snippet(long+"a") == snippet(long+"b") {
		t.Error("two long texts that differ at their end look the same")
	}
	if got := snippet("short"); got != "short" {
		t.Errorf("got %q", got)
	}
	if s := snippet("x" + long); !strings.HasPrefix(s, "xä") || strings.ContainsRune(s, '\uFFFD') {
		t.Error("cut within a character")
	}
}

func FuzzPort(f *testing.F) {
	f.Add(`{"name":"a","description":"b"}`, `{"name":"a"}`, "/description", "b")
	f.Add(`{"name":"a","x":[1,{"~":null}]}`, `{"name":"a","x":[]}`, "/x/1/~0", "")
	f.Fuzz(func(t *testing.T, old, now, pointer, quote string) {
		was, err := surface.NewTool(1, jsontext.Value(old))
		if err != nil || pointer != "" && pointer[0] != '/' {
			return
		}
		at := Anchor{Tool: was.Name, Pointer: pointer, Quote: quote}.note(&was)
		if got := port(at, &was); got.State != PlaceExact {
			t.Errorf("on its own tool: %s", got.State)
		}
		if is, err := surface.NewTool(1, jsontext.Value(now)); err == nil {
			port(at, &is)
		}
	})
}
