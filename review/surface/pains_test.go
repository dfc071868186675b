package surface_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/countersign/countersign/review/surface"
)

// pain is a problem that somebody reported, with the outcome judged right. The
// codes in its value are free names: the checks below hold to their meaning.
type pain struct {
	ID     string `json:"id"`
	Kind   string `json:"kind"`
	Inputs struct {
		Payload  json.RawMessage            `json:"payload"`
		Payloads []json.RawMessage          `json:"payloads"`
		Raw      string                     `json:"payload_raw"`
		Base64   map[string]string          `json:"payload_base64"`
		Files    map[string]json.RawMessage `json:"files"`
		Before   json.RawMessage            `json:"before"`
		After    json.RawMessage            `json:"after"`
	} `json:"inputs"`
}

// elsewhere are cases of our kinds that this package can only prepare.
var elsewhere = map[string]string{
	"pains-name_rules-01":      "names that a host shortens: the host's rendering shows it",
	"pains-partial_listing-03": "needs the listing before: the workflow asks",
}

func TestPains(t *testing.T) {
	kinds := []string{"ingest_shape", "ingest_bytes", "partial_listing", "schema_valid", "name_rules"}
	for _, p := range sharedLines[pain](t, "cases/pains.jsonl") {
		if !slices.Contains(kinds, p.Kind) || elsewhere[p.ID] != "" {
			continue
		}
		check := painChecks[p.ID]
		if check == nil {
			t.Errorf("%s has no test", p.ID)
			continue
		}
		t.Run(p.ID, func(t *testing.T) { check(t, p) })
	}
}

var painChecks = map[string]func(*testing.T, pain){
	"pains-schema_valid-01": func(t *testing.T, p pain) {
		l := mustRead(t, p.Inputs.Payload, surface.Options{})
		wantProblem(t, l, "schema-invalid", "session.pause", "/inputSchema/properties")
		wantProblem(t, l, "schema-invalid", "files.list", "/inputSchema/required")
	},
	"pains-schema_valid-03": func(t *testing.T, p pain) {
		l := mustRead(t, p.Inputs.Payload, surface.Options{})
		wantProblem(t, l, "name-missing", "", "")
		wantNames(t, l, "", "x")
	},
	"pains-schema_valid-05": func(t *testing.T, p pain) {
		l := mustRead(t, p.Inputs.Payload, surface.Options{})
		wantProblem(t, l, "ref-external", "a", "/inputSchema/properties/x/$ref")
		wantNone(t, l, "b") // a recursive schema is legal
	},
	"pains-schema_valid-06": func(t *testing.T, p pain) {
		old := mustRead(t, p.Inputs.Payload, surface.Options{ProtocolVersion: "2025-11-25"})
		wantProblem(t, old, "output-root-type", "call", "/outputSchema")
		wantNone(t, mustRead(t, p.Inputs.Payload, surface.Options{ProtocolVersion: "2026-07-28"}), "call")
		wantProblem(t, mustRead(t, p.Inputs.Payload, surface.Options{}), "output-root-type", "call", "/outputSchema")
	},
	"pains-name_rules-03": func(t *testing.T, p pain) {
		l := mustRead(t, p.Inputs.Payload, surface.Options{})
		slash := wantProblem(t, l, "name-charset", "user-profile/update", "/name")
		if !strings.Contains(slash.Message, "SEP-986") || !strings.Contains(slash.Message, "specification") {
			t.Errorf("both sources must be named: %s", slash.Message)
		}
		wantProblem(t, l, "name-charset", "get weather", "/name")
		wantProblem(t, l, "name-case-twin", "getuser", "/name")
		wantNone(t, l, "admin.tools.list")
	},
	"pains-name_rules-05": func(t *testing.T, p pain) {
		before, after := mustRead(t, p.Inputs.Before, surface.Options{}), mustRead(t, p.Inputs.After, surface.Options{})
		wantNames(t, after, "q", "q")
		wantProblem(t, after, "name-duplicate", "q", "/name")
		if before.Tools[0].Digest == after.Tools[0].Digest || before.Tools[1].Digest != after.Tools[1].Digest {
			t.Error("the digests don't show that the first one changed")
		}
	},
	"pains-ingest_shape-01": func(t *testing.T, p pain) {
		l := mustRead(t, p.Inputs.Payload, surface.Options{})
		wantShape(t, l, surface.ShapeJSONRPC, surface.KindListing, 1)
		if !strings.Contains(string(l.Server), "1.2.0") {
			t.Errorf("server %s", l.Server)
		}
	},
	"pains-ingest_shape-03": func(t *testing.T, p pain) {
		l := mustRead(t, p.Inputs.Payload, surface.Options{})
		wantShape(t, l, surface.ShapeAnthropic, surface.KindCapture, 1)
		if bytes.Contains(l.Raw, []byte("clean up")) {
			t.Error("the conversation was kept")
		}
		wantProblem(t, l, "capture-foreign", "", "")
	},
	"pains-ingest_shape-05": func(t *testing.T, p pain) {
		l := mustRead(t, p.Inputs.Payload, surface.Options{})
		wantShape(t, l, surface.ShapeGemini, surface.KindCapture, 1)
		if s, ok := l.Tools[0].InputSchema(); !ok || !strings.Contains(string(s), "OBJECT") {
			t.Errorf("input schema %s", s)
		}
	},
	"pains-ingest_shape-06": func(t *testing.T, p pain) {
		var files []surface.File
		for name, data := range p.Inputs.Files {
			files = append(files, surface.File{Name: name, Data: data})
		}
		l, err := surface.ReadFolder(files, surface.Options{})
		if err != nil {
			t.Fatal(err)
		}
		wantShape(t, l, surface.ShapeFolder, surface.KindListing, 3)
		d := wantProblem(t, l, "name-duplicate", "find_duplicate", "/name")
		if !strings.Contains(d.Message, "which configuration") {
			t.Errorf("nobody asks which configuration the variants belong to: %s", d.Message)
		}
	},
	"pains-ingest_shape-08": func(t *testing.T, p pain) {
		l := mustRead(t, p.Inputs.Payload, surface.Options{})
		wantShape(t, l, surface.ShapeMCPB, surface.KindDeclaration, 1)
		wantNone(t, l, "search_files") // an absent schema is no problem here
		if l.Complete {
			t.Error("a declaration is called complete")
		}
	},
	"pains-ingest_shape-09": func(t *testing.T, p pain) {
		docker := mustRead(t, p.Inputs.Payloads[0], surface.Options{})
		wantShape(t, docker, surface.ShapeDocker, surface.KindDeclaration, 1)
		wantProblem(t, docker, "schema-derived", "", "")
		if s, ok := docker.Tools[0].DerivedSchema(); !ok || !strings.Contains(string(s), `"required":["kind"]`) {
			t.Errorf("derived schema %s", s)
		}
		fast := mustRead(t, p.Inputs.Payloads[1], surface.Options{})
		wantShape(t, fast, surface.ShapeFastMCP, surface.KindListing, 1)
		wantProblem(t, fast, "not-wire-format", "", "")
	},
	"pains-ingest_shape-10": func(t *testing.T, p pain) {
		e := wantRefused(t, p.Inputs.Payload, surface.NotListing)
		if !strings.Contains(e.Message, "Invalid params: missing _meta") {
			t.Errorf("the server's own words are missing: %s", e.Message)
		}
	},
	"pains-ingest_bytes-01": func(t *testing.T, p pain) {
		digests := map[surface.Hash]bool{}
		for name, text := range p.Inputs.Base64 {
			b, err := base64.StdEncoding.DecodeString(text)
			if err != nil {
				t.Fatal(err)
			}
			l := mustRead(t, b, surface.Options{})
			digests[l.Digest] = true
			if len(l.Problems) == 0 || l.Problems[0].Level != surface.LevelInfo {
				t.Errorf("%s: no note about the bytes", name)
			}
		}
		if len(digests) != 1 {
			t.Errorf("%d different listings", len(digests))
		}
	},
	"pains-ingest_bytes-03": func(t *testing.T, p pain) {
		e := wantRefused(t, []byte(p.Inputs.Raw), surface.Unreadable)
		if !strings.Contains(e.Message, "allow_nan") || e.Problems[0].Line != 1 || e.Problems[0].Column < 2 {
			t.Errorf("%+v", e)
		}
	},
	"pains-ingest_bytes-05": func(t *testing.T, p pain) {
		l := mustRead(t, []byte(p.Inputs.Raw), surface.Options{})
		wantProblem(t, l, "number-precision", "a", "/inputSchema/properties/id/maximum")
		wantProblem(t, l, "number-precision", "a", "/inputSchema/properties/id/multipleOf")
		if !bytes.Contains(l.Tools[0].Raw, []byte("9007199254740993")) || !bytes.Contains(l.Tools[0].Raw, []byte("1e400")) {
			t.Error("a number changed")
		}
	},
	"pains-ingest_bytes-07": func(t *testing.T, p pain) {
		description := strings.Repeat("d", 4_194_304/890-100)
		var b bytes.Buffer
		b.WriteString(`{"tools":[{"name":"long","description":"` + strings.Repeat("d", 20_582) + `","inputSchema":{"type":"object"}}`)
		for i := range 889 {
			b.WriteString(`,{"name":"t` + string(rune('a'+i%26)) + strings.Repeat("x", i/26) + `","description":"` + description + `","inputSchema":{"type":"object"}}`)
		}
		b.WriteString(`]}`)
		wantShape(t, mustRead(t, b.Bytes(), surface.Options{}), surface.ShapeResult, surface.KindListing, 890)
	},
	"pains-ingest_bytes-08": func(t *testing.T, p pain) {
		wantShape(t, mustRead(t, []byte(p.Inputs.Raw), surface.Options{}), surface.ShapeSSE, surface.KindListing, 1)
	},
	"pains-partial_listing-01": func(t *testing.T, p pain) {
		text := `{"tools":[` + strings.Repeat(oneTool+",", 49) + oneTool + `],"nextCursor":"eyJvZmZzZXQiOjUwfQ=="}`
		l := mustRead(t, []byte(text), surface.Options{})
		wantProblem(t, l, "page-incomplete", "", "/nextCursor")
		if l.Complete {
			t.Error("a listing with a page missing is called complete")
		}
	},
	"pains-partial_listing-05": func(t *testing.T, p pain) {
		wantRefused(t, []byte(`{"jsonrpc":"2.0","id":2,"result":{"tools":[`+oneTool+`,{"name":"b`), surface.Unreadable)
		wantRefused(t, []byte(`[{"jsonrpc":"2.0","id":1,"result":{"tools":[`+oneTool+`],"nextCursor":"2"}},{"jsonrpc":"2.0","id":2,"error":{"code":-1,"message":"dropped"}}]`), surface.NotListing)
	},
}

func wantShape(t *testing.T, l *surface.Listing, s surface.Shape, k surface.Kind, tools int) {
	t.Helper()
	if l.Shape != s || l.Kind != k || len(l.Tools) != tools {
		t.Errorf("%s %s with %d tools, want %s %s with %d", l.Shape, l.Kind, len(l.Tools), s, k, tools)
	}
}

func wantNames(t *testing.T, l *surface.Listing, names ...string) {
	t.Helper()
	if !slices.Equal(l.Names(), names) {
		t.Errorf("tools %q, want %q", l.Names(), names)
	}
}

// wantProblem finds a problem by code, tool and pointer.
func wantProblem(t *testing.T, l *surface.Listing, code, tool, pointer string) surface.Problem {
	t.Helper()
	for _, p := range l.Problems {
		if p.Code == code && p.Tool == tool && p.Pointer == pointer {
			return p
		}
	}
	t.Errorf("no %s of %q at %s in %+v", code, tool, pointer, l.Problems)
	return surface.Problem{}
}

// wantNone checks that a tool has no problem.
func wantNone(t *testing.T, l *surface.Listing, tool string) {
	t.Helper()
	for _, p := range l.Problems {
		if p.Tool == tool && p.Position > 0 {
			t.Errorf("problem %+v", p)
		}
	}
}

func wantRefused(t *testing.T, b []byte, reason surface.Reason) *surface.ReadError {
	t.Helper()
	_, err := surface.Read(b, surface.Options{})
	var e *surface.ReadError
	if !errors.As(err, &e) || e.Reason != reason {
		t.Fatalf("%v, want a refusal as %s", err, reason)
	}
	return e
}
