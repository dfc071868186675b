package host_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/testkit"
	"github.com/countersign/countersign/review/host"
	"github.com/countersign/countersign/review/surface"
)

// twins are listings whose names become one in some host: the same name twice, names
// that clean to one, and names that are equal up to a cut. And tools of no argument.
var twins = map[string]string{
	"same": `[{"name":"find","description":"one","inputSchema":{"type":"object","properties":{"q":{"type":"string"}}}},
	 {"name":"find","description":"two","inputSchema":{"type":"object","properties":{"q":{"type":"integer"}}}}]`,
	"clean": `[{"name":"get user","description":"one","inputSchema":{"type":"object","properties":{"q":{"type":"string"}}}},
	 {"name":"get_user","description":"two","inputSchema":{"type":"object","properties":{"q":{"type":"string"}}}},
	 {"name":"get-user","description":"three","inputSchema":{"type":"object","properties":{"q":{"type":"string"}}}}]`,
	"long": `[{"name":"LONG_create_LONG","description":"one","inputSchema":{"type":"object","properties":{"q":{"type":"string"}}}},
	 {"name":"LONG_delete_LONG","description":"two","inputSchema":{"type":"object","properties":{"q":{"type":"string"}}}}]`,
	"as if marked by a host": `[{"name":"mcp_status","description":"one","inputSchema":{"type":"object","properties":{"q":{"type":"string"}}}},
	 {"name":"find","description":"two","inputSchema":{"type":"object","properties":{"q":{"type":"string"}}}},
	 {"name":"mcp_status_of","description":"a","inputSchema":{"type":"object","properties":{"q":{"type":"string"}}}},
	 {"name":"mcp_a","description":"b","inputSchema":{"type":"object","properties":{"q":{"type":"string"}}}},
	 {"name":"mcp_ab","description":"c","inputSchema":{"type":"object","properties":{"q":{"type":"string"}}}},
	 {"name":"mcp_get user","description":"three","inputSchema":{"type":"object","properties":{"q":{"type":"string"}}}}]`,
	"empty": `[{"name":"noargs","description":"n","inputSchema":{"type":"object","properties":{}}},
	 {"name":"nop","description":"n","inputSchema":{"type":"object"}},
	 {"name":"undescribed","inputSchema":{"type":"object","properties":{"q":{"type":"string"}},"required":["q"]}}]`,
}

// TestCaptureOfTheOwnRendering holds what every profile sends, in every configuration,
// against the listing that it was made of: all of it is as predicted, and what is
// absent has a reason that the profile knows.
func TestCaptureOfTheOwnRendering(t *testing.T) {
	all := ownListings(t)
	for _, p := range host.Profiles() {
		t.Run(p.ID, func(t *testing.T) {
			for _, variant := range p.Variants() {
				v, err := p.As(variant)
				if err != nil {
					t.Fatal(err)
				}
				for name, m := range all {
					checkOwn(t, v, variant+", "+name, m)
				}
			}
		})
	}
}

// ownListings are those of the fixtures, the probes and the twins, each of one server.
func ownListings(t *testing.T) map[string]host.Mounted {
	t.Helper()
	all := map[string]host.Mounted{}
	for name, text := range twins {
		all[name] = host.Mount("billing", listing(t, strings.ReplaceAll(text, "LONG", strings.Repeat("a", 30))))
	}
	files, err := filepath.Glob("testdata/captured/*.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		f, err := host.ParseFixture(read(t, file))
		if err != nil {
			t.Fatal(err)
		}
		all[filepath.Base(file)] = host.Mount(f.Server, listing(t, string(f.Listing)))
	}
	files, err = filepath.Glob("testdata/probes/*.json")
	if err != nil {
		t.Fatal(err)
	}
	given, err := filepath.Glob(filepath.Join(testkit.Shared(t, "hosts/probes"), "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range append(files, given...) {
		servers, err := host.ParseMounted(read(t, file))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range servers {
			all[filepath.Base(file)+" "+m.Name] = m
		}
	}
	return all
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func checkOwn(t *testing.T, p *host.Profile, name string, m host.Mounted) {
	t.Helper()
	r, err := host.Render(p, []host.Mounted{m}, p.Variant())
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Tools) == 0 {
		return
	}
	capture, err := surface.Read([]byte(requestOf(r)), surface.Options{Of: m.Known()})
	if err != nil || capture.Kind != surface.KindCapture {
		t.Errorf("%s: %v, %v", name, err, capture)
		return
	}
	c, err := host.Compare(p, capture, m)
	if err != nil {
		t.Fatal(err)
	}
	sent := 0
	for _, e := range r.Tools {
		sent += len(e.Tools)
	}
	if c.Doubt || len(c.Tools) != sent || len(c.Added) > 0 || c.Foreign > 0 {
		t.Errorf("%s: doubt %v, %d of %d tools, %d added, %d foreign", name, c.Doubt, len(c.Tools), sent, len(c.Added), c.Foreign)
	}
	for _, pair := range c.Tools {
		if !pair.AsMeant {
			t.Errorf("%s: %s was sent as %s\n got %+v\nwant %+v", name, pair.Listed, pair.Sent, pair.Got, pair.Meant)
		}
	}
	for _, l := range c.Absent {
		if strings.Contains(l.Detail, "knows no reason") {
			t.Errorf("%s: %s is absent, and the profile does not know why", name, l.Tool)
		}
	}
}

// requestOf writes a rendering as the request that the host would post.
func requestOf(r *host.Rendering) string {
	var entries []string
	for _, e := range r.Tools {
		entries = append(entries, string(e.JSON))
	}
	list := strings.Join(entries, ",")
	switch first := entries[0]; {
	case r.Host == "openai-mcp":
		return `{"type":"mcp_list_tools","tools":[` + list + `]}`
	case strings.Contains(first, `"input_schema"`), strings.Contains(first, `"type":"function"`):
		return `{"model":"m","messages":[],"tools":[` + list + `]}`
	}
	return `{"contents":[],"tools":[{"functionDeclarations":[` + list + `]}]}`
}
