package host_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/testkit"
	"github.com/countersign/countersign/review/host"
	"github.com/countersign/countersign/review/surface"
)

const listed = `[
 {"name":"read_page","description":"Reads a page.","inputSchema":{"type":"object","properties":{"id":{"type":"string","format":"uuid"}},"required":["id"]}},
 {"name":"write.page","description":"Writes a page. Ask first.","inputSchema":{"type":"object","properties":{}}},
 {"name":"drop_page","description":"Drops a page.","inputSchema":{"type":"object","properties":{}}}]`

func compared(t *testing.T, id, capture string) *host.Comparison {
	t.Helper()
	p, err := host.Lookup(id)
	if err != nil {
		t.Fatal(err)
	}
	c, err := host.Compare(p, listing(t, capture), host.Mount("docs", listing(t, listed)))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestCompare maps names back and finds what a request lost.
func TestCompare(t *testing.T) {
	c := compared(t, "claude-code", `{"model":"m","system":"CANARY","messages":[{"role":"user","content":"CANARY"}],"tools":[
	 {"name":"Bash","description":"CANARY","input_schema":{"type":"object"}},
	 {"name":"mcp__other__secret","description":"CANARY","input_schema":{"type":"object"}},
	 {"name":"mcp__docs__write_page","description":"Writes a page.","input_schema":{"type":"object","properties":{}}},
	 {"name":"mcp__docs__read_page","description":"Reads a page.","input_schema":{"type":"object","properties":{"id":{"type":"string"}},"required":["id"]}},
	 {"name":"mcp__docs__extra","description":"Not listed.","input_schema":{"type":"object","properties":{}}}]}`)
	if len(c.Tools) != 2 || c.Foreign != 2 {
		t.Fatalf("%d tools and %d foreign: %+v", len(c.Tools), c.Foreign, c)
	}
	read, write := c.Tools[0], c.Tools[1]
	if read.Listed != "read_page" || len(read.Lost) != 1 || read.Lost[0].Pointer != "/inputSchema/properties/id/format" || read.Lost[0].What != host.Dropped {
		t.Errorf("read_page: %+v", read)
	}
	if write.Listed != "write.page" || write.Sent != "mcp__docs__write_page" || len(write.Lost) != 2 ||
		write.Lost[0].What != host.Renamed || write.Lost[1].What != host.Truncated {
		t.Errorf("write.page: %+v", write)
	}
	if len(c.Absent) != 1 || c.Absent[0].Tool != "drop_page" {
		t.Errorf("absent: %+v", c.Absent)
	}
	if len(c.Added) != 1 || c.Added[0].Sent != "mcp__docs__extra" {
		t.Errorf("added: %+v", c.Added)
	}
	if !c.Doubt {
		t.Error("the profile predicts something else, and that is not said")
	}
	for _, l := range append(append(read.Lost, write.Lost...), c.Absent...) {
		if strings.Contains(l.Detail, "CANARY") || strings.Contains(l.Detail, "secret") {
			t.Errorf("a foreign text came through: %+v", l)
		}
	}
}

// TestCompareOtherServer finds nothing of its own, and names nothing.
func TestCompareOtherServer(t *testing.T) {
	c := compared(t, "opencode", `{"model":"m","messages":[],"tools":[
	 {"type":"function","function":{"name":"docs_private_read","description":"CANARY","parameters":{"type":"object"}}},
	 {"type":"function","function":{"name":"other_read","description":"CANARY","parameters":{"type":"object"}}}]}`)
	if len(c.Tools) != 0 || len(c.Added) != 0 || c.Foreign != 2 || len(c.Absent) != 3 {
		t.Errorf("%+v", c)
	}
}

// TestCompareOverlappingServers counts the tools of a server whose name begins like
// this one's, names none of them, and does not doubt the profile for them.
func TestCompareOverlappingServers(t *testing.T) {
	const request = `{"model":"m","messages":[],"tools":[%s
	 {"name":"mcp__docs__hr__CANARY","input_schema":{"type":"object"}},{"name":"mcp__docs___CANARY","input_schema":{"type":"object"}},
	 {"name":"mcp__docs__","input_schema":{"type":"object"}},{"name":"mcp__docs_hr__CANARY","input_schema":{"type":"object"}}]}`
	p, err := host.Lookup("claude-code")
	if err != nil {
		t.Fatal(err)
	}
	one := `[{"name":"find","description":"F.","inputSchema":{"type":"object","properties":{}}}]`
	for own, added := range map[string]int{"": 0, `{"name":"mcp__docs__extra","input_schema":{"type":"object"}},`: 1} {
		own = `{"name":"mcp__docs__find","description":"F.","input_schema":{"type":"object","properties":{}}},` + own
		c, err := host.Compare(p, listing(t, fmt.Sprintf(request, own)), host.Mount("docs", listing(t, one)))
		if err != nil {
			t.Fatal(err)
		}
		if len(c.Tools) != 1 || c.Foreign != 4 || len(c.Added) != added || c.Doubt != (added > 0) {
			t.Errorf("%+v", c)
		}
	}
	// In a namespace the name of the tool may be anything.
	if p, err = host.Lookup("codex"); err != nil {
		t.Fatal(err)
	}
	c, err := host.Compare(p, listing(t, `{"model":"m","input":[],"tools":[
	 {"type":"namespace","name":"mcp__docs","tools":[{"type":"function","name":"a__b","parameters":{"type":"object"}}]},
	 {"type":"namespace","name":"mcp__docs__hr","tools":[{"type":"function","name":"CANARY","parameters":{"type":"object"}}]}]}`), host.Mount("docs", listing(t, one)))
	if err != nil || len(c.Added) != 1 || c.Added[0].Sent != "mcp__docs__a__b" || c.Foreign != 1 {
		t.Errorf("%v, %+v", err, c)
	}
}

// TestCompareKnown finds the configuration that explains a request, and doubts a
// profile only when none does.
func TestCompareKnown(t *testing.T) {
	const served = `[{"name":"now","description":"N.","inputSchema":{"type":"object","properties":{}},"_meta":{"anthropic/alwaysLoad":true}},
	 {"name":"later","description":"L.","inputSchema":{"type":"object","properties":{}}}]`
	const one = `{"name":"mcp__docs__now","description":"N.","input_schema":{"type":"object","properties":{}}}`
	p, err := host.Lookup("claude-code")
	if err != nil {
		t.Fatal(err)
	}
	round, err := p.As("round")
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		p       *host.Profile
		tools   string
		variant string
		doubt   bool
	}{
		"as it comes":                {p, one, "plain", false},
		"as it comes, said to be it": {round, one, "plain", false},
		"everything":                 {p, one + `,{"name":"mcp__docs__later","description":"L.","input_schema":{"type":"object","properties":{}}}`, "toff", false},
		"nothing that is known":      {p, strings.Replace(one, "N.", "Other.", 1), "toff", true},
		"of another server":          {p, `{"name":"mcp__other__x","input_schema":{"type":"object"}}`, "toff", true},
	} {
		c, err := host.CompareKnown(tc.p, listing(t, `{"model":"m","system":"s","messages":[],"tools":[`+tc.tools+`]}`), host.Mount("docs", listing(t, served)))
		if err != nil || c.Variant != tc.variant || c.Doubt != tc.doubt {
			t.Errorf("%s: %v, %s, doubt %v", name, err, c.Variant, c.Doubt)
		}
	}
}

// TestCompareUnforeseen names what a host does to a schema that its profile doesn't say,
// with its place.
func TestCompareUnforeseen(t *testing.T) {
	const asMeant = `{"type":"object","required":["id"],"properties":{"id":{"type":"string","format":"uuid"}}}`
	p, err := host.Lookup("continue-cli")
	if err != nil {
		t.Fatal(err)
	}
	for sent, want := range map[string]string{
		asMeant: "",
		`{"type":"object","required":["id"],"properties":{"id":{"type":"string","format":"uuid"},"wait":{"type":"boolean"}}}`: "/inputSchema/properties/wait: Continue CLI put it in, which its profile does not say.",
		`{"type":"object","required":["id"],"properties":{"id":{"type":"string","format":"uuid","default":"0"}}}`:             "/inputSchema/properties/id/default: Continue CLI put it in, which its profile does not say.",
		`{"properties":{"id":{"type":"string","format":"uuid"}},"type":"object","required":["id"]}`:                           "/inputSchema: Continue CLI gives its keys in another order than its profile says.",
		`{"type":"object","required":["id"],"properties":{"id":{"type":"string"}}}`:                                           "/inputSchema/properties/id/format: Continue CLI leaves it out.",
	} {
		c, err := host.CompareKnown(p, listing(t, `{"model":"m","messages":[],"tools":[{"type":"function","function":{"name":"read_page","description":"Reads a page.","parameters":`+sent+`}}]}`), host.Mount("docs", listing(t, listed)))
		if err != nil || len(c.Tools) != 1 {
			t.Fatalf("%v, %+v", err, c)
		}
		var got []string
		for _, l := range c.Tools[0].Lost {
			got = append(got, l.Pointer+": "+l.Detail)
		}
		if strings.Join(got, "\n") != want || c.Tools[0].AsMeant != (want == "") {
			t.Errorf("%s: as predicted %t, %q", sent, c.Tools[0].AsMeant, got)
		}
	}
}

// TestCompareOtherForm doubts no profile for a request to an API that the host is not
// known to talk to, and names the configuration in which a host sends nothing at first.
func TestCompareOtherForm(t *testing.T) {
	m := host.Mount("docs", listing(t, listed))
	for id, want := range map[string]struct {
		err    error
		silent string
	}{"codex": {err: host.ErrOtherForm}, "claude-code": {silent: "plain"}} {
		p, err := host.Lookup(id)
		if err != nil {
			t.Fatal(err)
		}
		c, err := host.CompareKnown(p, listing(t, `{"model":"m","system":"s","messages":[],"tools":[{"name":"Bash","input_schema":{"type":"object"}}]}`), m)
		if !errors.Is(err, want.err) || err == nil && (c.Silent != want.silent || !c.Elsewhere()) {
			t.Errorf("%s: %v, %+v", id, err, c)
		}
	}
}

// TestCompareLabel takes a list that names another server for that server's.
func TestCompareLabel(t *testing.T) {
	const item = `{"type":"mcp_list_tools","server_label":%q,"tools":[{"name":"read_page","description":"CANARY","input_schema":{"type":"object"}}]}`
	for label, tools := range map[string]int{"docs": 1, "": 1, "CANARY": 0} {
		c := compared(t, "openai-mcp", fmt.Sprintf(item, label))
		if len(c.Tools) != tools || c.Foreign != 1-tools || c.Elsewhere() != (tools == 0) || strings.Contains(string(c.Capture()), "CANARY") != (tools == 1) {
			t.Errorf("%q: %+v", label, c)
		}
	}
}

// TestCompareLabels takes from the lists of several servers that of ours, and nothing of
// the others but their number.
func TestCompareLabels(t *testing.T) {
	const item = `{"type":"mcp_list_tools","server_label":%q,"tools":[{"name":%q,"description":"Reads a page.","input_schema":{"type":"object"}}]}`
	request := `{"output":[{"type":"message","content":"CANARY"},` + fmt.Sprintf(item, "CANARY-1", "CANARY-2") + "," + fmt.Sprintf(item, "docs", "read_page") + "," + fmt.Sprintf(item, "CANARY-3", "read_page") + "]}"
	m := host.Mount("docs", listing(t, listed))
	capture, err := surface.Read([]byte(request), surface.Options{Of: m.Known()})
	if err != nil {
		t.Fatal(err)
	}
	p, err := host.Lookup("openai-mcp")
	if err != nil {
		t.Fatal(err)
	}
	c, err := host.Compare(p, capture, m)
	if err != nil || len(c.Tools) != 1 || c.Foreign != 2 || c.Server != "docs" {
		t.Errorf("%v: %+v", err, c)
	}
	if strings.Contains(string(capture.Raw)+string(c.Capture()), "CANARY") {
		t.Errorf("kept: %s", capture.Raw)
	}
	for name, of := range map[string]*surface.Known{"nobody knows": nil, "another": {Label: "pages"}} {
		if _, err := surface.Read([]byte(request), surface.Options{Of: of}); err == nil || !strings.Contains(err.Error(), "several servers") || strings.Contains(err.Error(), "CANARY") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestComparePrediction says why a tool is absent, where the profile knows.
func TestComparePrediction(t *testing.T) {
	p, err := host.Lookup("claude-code")
	if err != nil {
		t.Fatal(err)
	}
	if p, err = p.As("plain"); err != nil {
		t.Fatal(err)
	}
	c, err := host.Compare(p, listing(t, `{"model":"m","system":"x","max_tokens":1,"tools":[]}`), host.Mount("docs", listing(t, listed)))
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Absent) != 3 || c.Absent[0].What != host.Deferred || c.Doubt {
		t.Errorf("%+v", c)
	}
}

func TestCompareRefusesAListing(t *testing.T) {
	p, err := host.Lookup("claude-code")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := host.Compare(p, listing(t, listed), host.Mount("docs", listing(t, listed))); err == nil || !strings.Contains(err.Error(), "not a request") {
		t.Errorf("got %v", err)
	}
}

// TestRecognise tells the host by what its profile predicts, and refuses a guess.
func TestRecognise(t *testing.T) {
	m := host.Mount("docs", listing(t, listed))
	for _, p := range host.Profiles() {
		if !p.Verified || p.ID == "codex" {
			continue // entries of Codex stand in a group, which the captures below cover
		}
		r, err := host.Render(p, []host.Mounted{m}, "")
		if err != nil {
			t.Fatal(err)
		}
		var entries []string
		for _, e := range r.Tools {
			entries = append(entries, string(e.JSON))
		}
		capture := `{"model":"m","messages":[],"tools":[` + strings.Join(entries, ",") + `]}`
		got, err := host.Recognise(listing(t, capture), m)
		if err != nil || got.ID != p.ID {
			t.Errorf("%s was taken for %v: %v", p.ID, got, err)
		}
	}
	if _, err := host.Recognise(listing(t, `{"model":"m","messages":[],"tools":[{"type":"function","function":{"name":"x","parameters":{}}}]}`), m); err == nil {
		t.Error("a request without any tool of the server was recognised")
	}
}

// TestRecordedRequests maps real requests back to the listings that were served.
func TestRecordedRequests(t *testing.T) {
	probe, err := os.ReadFile(testkit.Shared(t, "hosts/probes/p00-meta.json"))
	if err != nil {
		t.Fatal(err)
	}
	servers, err := host.ParseMounted(probe)
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(testkit.Shared(t, "hosts/captures"), "*-p00-meta.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			var c captured
			readJSON(t, file, &c)
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			capture, err := surface.Read(raw, surface.Options{})
			if len(c.Tools) == 0 || err != nil || capture.Kind != surface.KindCapture {
				return // nothing to map back
			}
			p, err := host.Recognise(capture, servers[0])
			if err != nil || p.ID != drivers[c.Host] {
				t.Fatalf("%s was taken for %v: %v", c.Host, p, err)
			}
			got, err := host.Compare(p, capture, servers[0])
			if err != nil || got.Doubt || len(got.Tools) != len(capture.Tools) {
				t.Errorf("%v, %+v", err, got)
			}
		})
	}
}
