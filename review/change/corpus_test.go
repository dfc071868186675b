package change_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/testkit"
	"github.com/countersign/countersign/review/change"
	"github.com/countersign/countersign/review/surface"
)

// corpus reads real listings, each once.
type corpus struct {
	dir  string
	read map[string]*surface.Listing
}

func newCorpus(t *testing.T) *corpus {
	return &corpus{dir: testkit.Corpus(t), read: map[string]*surface.Listing{}}
}

func (c *corpus) listing(t *testing.T, server, version string) *surface.Listing {
	t.Helper()
	name := filepath.Join(server, version+".json")
	if l := c.read[name]; l != nil {
		return l
	}
	b, err := os.ReadFile(filepath.Join(c.dir, name))
	if err != nil {
		t.Fatal(err)
	}
	l, err := surface.Read(b, surface.Options{})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	c.read[name] = l
	return l
}

func (c *corpus) compare(t *testing.T, server, old, new string) *change.Report {
	t.Helper()
	return change.Compare(c.listing(t, server, old), c.listing(t, server, new), change.Options{})
}

// servers lists the versions of every server as numbers order them, which is good
// enough to find neighbours.
func (c *corpus) servers(t *testing.T) map[string][]string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(c.dir, "index.json"))
	if err != nil {
		t.Fatal(err)
	}
	var index map[string]struct{ Versions []string }
	if err := json.Unmarshal(b, &index); err != nil {
		t.Fatal(err)
	}
	all := map[string][]string{}
	for server, s := range index {
		slices.SortFunc(s.Versions, func(a, b string) int { return slices.Compare(numbers(a), numbers(b)) })
		all[server] = s.Versions
	}
	return all
}

var digits = regexp.MustCompile(`\d+`)

func numbers(version string) []int {
	var n []int
	for _, d := range digits.FindAllString(version, -1) {
		v, _ := strconv.Atoi(d)
		n = append(n, v)
	}
	return n
}

// Every pair of neighbours: nothing undecided without a reason, nothing forgotten,
// the mirror image backwards, and fewer decisions than a verdict per tool.
func TestCorpusNeighbours(t *testing.T) {
	c := newCorpus(t)
	decisions, touched := 0, 0
	for server, versions := range c.servers(t) {
		for i := range len(versions) - 1 {
			old, new := c.listing(t, server, versions[i]), c.listing(t, server, versions[i+1])
			r := change.Compare(old, new, change.Options{})
			t.Run(server+"/"+versions[i]+".."+versions[i+1], func(t *testing.T) {
				wellFormed(t, old, new, r)
				everyLeafIsShown(t, old, new, r)
				if back := change.Compare(new, old, change.Options{}); back.Counts.Changed != r.Counts.Changed || back.Counts.Added != r.Counts.Removed || back.Counts.Renamed != r.Counts.Renamed {
					t.Errorf("counts %+v and back %+v", r.Counts, back.Counts)
				}
			})
			decisions += len(r.Decisions)
			touched += r.Counts.Added + r.Counts.Removed + r.Counts.Renamed + r.Counts.Changed
		}
	}
	if 10*decisions > 6*touched {
		t.Errorf("%d decisions for %d changed tools, want 60 %% or less", decisions, touched)
	}
}

// everyLeafIsShown walks both definitions of every changed tool: a leaf that
// differs must be at or under the place of some detail, or above it.
func everyLeafIsShown(t *testing.T, old, new *surface.Listing, r *change.Report) {
	t.Helper()
	for _, ch := range r.Changes {
		if ch.OldPosition == 0 || ch.NewPosition == 0 {
			continue
		}
		var a, b any
		if json.Unmarshal(old.Tools[ch.OldPosition-1].Raw, &a) != nil || json.Unmarshal(new.Tools[ch.NewPosition-1].Raw, &b) != nil {
			t.Fatal("a tool of the corpus is no JSON")
		}
		for _, pointer := range differingLeaves(a, b, "") {
			if !shown(ch.Details, pointer) {
				t.Errorf("%s: %s differs and no detail shows it", ch.Name(), pointer)
			}
		}
	}
}

func differingLeaves(a, b any, at string) []string {
	x, okA := a.(map[string]any)
	y, okB := b.(map[string]any)
	if !okA || !okB {
		if ja, jb := mustJSON(a), mustJSON(b); ja != jb {
			return []string{at}
		}
		return nil
	}
	var all []string
	for k := range x {
		all = append(all, differingLeaves(x[k], y[k], at+"/"+escape(k))...)
	}
	for k := range y {
		if _, ok := x[k]; !ok {
			all = append(all, at+"/"+escape(k))
		}
	}
	return all
}

func mustJSON(v any) string {
	b, _ := json.Marshal(v)
	return string(b)
}

func escape(s string) string { return strings.NewReplacer("~", "~0", "/", "~1").Replace(s) }

// shown reports whether a detail is about the leaf: at it, above it or below it.
// What a list of required names says is shown at the property, and the old place of
// a renamed property at its new one.
func shown(details []change.Detail, leaf string) bool {
	parent := leaf[:strings.LastIndexByte(leaf, '/')]
	for _, d := range details {
		if strings.HasPrefix(leaf, d.Pointer) || strings.HasPrefix(d.Pointer, leaf) {
			return true
		}
		if strings.HasSuffix(leaf, "/required") && strings.HasPrefix(d.Pointer, parent) {
			return true
		}
		if d.ID == "property.renamed" && strings.HasPrefix(d.Pointer, parent) {
			return true
		}
	}
	return false
}

// What a maintainer of each server would want to read, said by the report.
func TestCorpusFacts(t *testing.T) {
	c := newCorpus(t)
	for _, f := range []struct {
		name, server, old, new string
		id, property           string // of a detail; property "" is any
		class                  change.Class
		says                   string // in its sentence
		tools                  int    // at least so many
	}{
		{"connection id required", "mongodb-mcp-server", "1.13.0", "2.1.1", "property.required.added", "connectionId", change.Breaking, "Calls without `connectionId` are now rejected.", 22},
		{"default lowered", "mongodb-mcp-server", "2.1.1", "3.0.3", "default.changed", "limit", change.Behaviour, "100", 1},
		{"page id required", "chrome-devtools-mcp", "1.3.0", "1.10.1", "property.required.added", "pageId", change.Breaking, "pageId", 25},
		{"renamed with a warning", "playwright-mcp", "0.0.70", "0.0.81", "tool.renamed", "", change.Breaking, "browser_run_code_unsafe", 1},
		{"warning gained", "playwright-mcp", "0.0.70", "0.0.81", "description.changed", "", change.Behaviour, "executes arbitrary JavaScript", 1},
		{"parameter replaced", "playwright-mcp", "0.0.70", "0.0.81", "property.removed", "ref", change.Breaking, "ref", 4},
		{"hints flipped", "playwright-mcp", "0.0.41", "0.0.42", "annotation.changed", "", change.Behaviour, "readOnlyHint", 2},
		{"default format", "azure-devops-mcp", "2.2.2", "2.7.0", "default.changed", "format", change.Behaviour, "arkdown", 1},
		{"free-form closed", "firecrawl-mcp", "3.22.2", "3.25.1", "additionalProperties.closed", "", change.Breaking, "rejected", 3},
		{"url optional", "firecrawl-mcp", "3.22.2", "3.25.1", "property.became-optional", "url", change.Compatible, "may be left out", 1},
		{"asks for feedback", "firecrawl-mcp", "3.11.0", "3.22.0", "description.changed", "", change.Behaviour, "feedback", 1},
		{"hyphens", "tavily-mcp", "0.2.12", "0.2.21", "tool.renamed", "", change.Breaking, "tavily_search", 1},
		{"newly required", "zereight-mcp-gitlab", "2.0.36", "2.1.49", "property.became-required", "project_id", change.Breaking, "project_id", 80},
		{"boilerplate", "zereight-mcp-gitlab", "2.0.36", "2.1.49", "description.changed", "", change.Behaviour, "When `project_id` or `group_id` is accepted", 80},
		{"reader became writer", "n8n-mcp", "2.65.1", "2.77.0", "enum.value.added", "", change.Compatible, "also accepts", 1},
		{"pattern loosened", "cocal-google-calendar-mcp", "2.6.1", "2.6.2", "pattern.changed", "attendees[].email", change.Compatible, "pattern", 0},
	} {
		t.Run(f.name, func(t *testing.T) {
			r := c.compare(t, f.server, f.old, f.new)
			n := 0
			for _, ch := range r.Changes {
				if slices.ContainsFunc(ch.Details, func(d change.Detail) bool {
					return d.ID == f.id && (f.property == "" || d.Property == f.property) && d.Class == f.class && strings.Contains(d.Sentence, f.says)
				}) {
					n++
				}
			}
			if n < f.tools {
				t.Errorf("%d tools say so, want %d", n, f.tools)
			}
		})
	}
}

// The decisions that a reviewer is asked for on three known pairs. An order is
// asked for only where a policy says so.
func TestCorpusDecisions(t *testing.T) {
	c := newCorpus(t)
	for _, p := range []struct {
		server, old, new string
		most             int
	}{
		{"mongodb-mcp-server", "1.13.0", "2.1.1", 15},
		{"playwright-mcp", "0.0.70", "0.0.81", 13},
		{"azure-devops-mcp", "2.7.0", "2.9.0", 14},
	} {
		r := c.compare(t, p.server, p.old, p.new)
		if n := len(r.Decisions); n > p.most {
			t.Errorf("%s %s to %s: %d decisions, want %d or fewer", p.server, p.old, p.new, n, p.most)
		}
	}
}
