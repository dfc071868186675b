package change_test

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/testkit"
	"github.com/countersign/countersign/review/change"
	"github.com/countersign/countersign/review/surface"
)

// pain is a problem that somebody reported, rewritten small.
type pain struct {
	ID     string `json:"id"`
	Kind   string `json:"kind"`
	Inputs struct {
		Before, After, Approved, Live json.RawMessage
	} `json:"inputs"`
	Value struct {
		Severity string `json:"severity"`
	} `json:"value"`
}

func pains(t *testing.T) map[string]pain {
	t.Helper()
	f, err := os.Open(testkit.Shared(t, "cases/pains.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all := map[string]pain{}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var p pain
		if err := json.Unmarshal(lines.Bytes(), &p); err != nil {
			continue // the inputs of other kinds have other forms
		}
		all[p.ID] = p
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

func (p pain) compare(t *testing.T) *change.Report {
	t.Helper()
	before, after := p.Inputs.Before, p.Inputs.After
	if before == nil {
		before, after = p.Inputs.Approved, p.Inputs.Live
	}
	return change.Compare(read(t, string(before)), read(t, string(after)), change.Options{})
}

// judged maps the free word of a case to the classes that mean it. A narrowed
// input is breaking here even where the reporter calls it worth a review: the
// witness shows how little it matters.
var judged = map[string]func(change.Class) bool{
	"none":       func(c change.Class) bool { return c == change.None },
	"compatible": func(c change.Class) bool { return c == change.Compatible },
	"breaking":   func(c change.Class) bool { return c == change.Breaking },
	"review":     func(c change.Class) bool { return c.Rank() >= change.Behaviour.Rank() },
	"warn":       func(c change.Class) bool { return c == change.Behaviour },
}

// Of the kinds that concern a comparison every case is judged by its severity.
func TestPainsSeverity(t *testing.T) {
	kinds := "desc_change param_break param_compat noise annotations output_contract"
	n := 0
	for id, p := range pains(t) {
		if p.Inputs.Before == nil || !strings.Contains(kinds, p.Kind) || p.Value.Severity == "" {
			continue
		}
		n++
		t.Run(id, func(t *testing.T) {
			r := p.compare(t)
			ok, known := judged[p.Value.Severity]
			if !known {
				t.Fatalf("unknown severity %q", p.Value.Severity)
			}
			if id == "pains-annotations-05" {
				// That the hint may be stale is for a rule; the two edits are shown.
				ok = func(c change.Class) bool { return c.Rank() >= change.Compatible.Rank() }
			}
			if !ok(r.Class) {
				t.Errorf("class %s, want %s:\n%s", r.Class, p.Value.Severity, outline(r))
			}
		})
	}
	if n < 15 {
		t.Errorf("only %d cases were judged", n)
	}
}

// find returns the detail of an id at a pointer that ends in suffix.
func find(r *change.Report, id, suffix string) *change.Detail {
	for _, c := range r.Changes {
		for i, d := range c.Details {
			if d.ID == id && strings.HasSuffix(d.Pointer, suffix) {
				return &c.Details[i]
			}
		}
	}
	return nil
}

// What each case is about, in the vocabulary of this package.
func TestPainsMeaning(t *testing.T) {
	all := pains(t)
	for id, check := range map[string]func(t *testing.T, r *change.Report){
		"pains-rename_remove-01": func(t *testing.T, r *change.Report) {
			if r.Counts.Renamed != 1 || r.Class != change.Breaking || r.Bump.Level != change.LevelMajor {
				t.Error("want one breaking rename and a major step")
			}
			if enough, known, _ := r.Bump.Enough("2.8.1", "2.8.2"); enough || !known {
				t.Error("a patch step is too small")
			}
		},
		"pains-rename_remove-03": func(t *testing.T, r *change.Report) {
			if r.Counts.Removed != 1 || r.Counts.Added != 1 || len(r.Offered) != 1 {
				t.Error("want a removal, an addition and an offer")
			}
		},
		"pains-rename_remove-05": func(t *testing.T, r *change.Report) {
			if r.Counts.Renamed != 1 || find(r, "description.changed", "/description").Class != change.Behaviour {
				t.Error("want a rename that gained an instruction")
			}
		},
		"pains-rename_remove-06": func(t *testing.T, r *change.Report) {
			if r.Counts.Renamed != 1 || r.Counts.Same != 1 {
				t.Error("want one rename")
			}
		},
		"pains-desc_change-01": func(t *testing.T, r *change.Report) {
			said := 0
			for _, d := range r.Changes[0].Details {
				said += strings.Count(d.Gained, "Prefer this tool") + strings.Count(d.Gained, "Do not mention")
			}
			if said != 2 || len(r.Changes) != 1 {
				t.Error("want both sentences quoted")
			}
		},
		"pains-name_rules-05": func(t *testing.T, r *change.Report) {
			if len(r.Changes) != 1 || r.Changes[0].OldPosition != 1 || r.Counts.Same != 1 {
				t.Error("want the first of the two to have changed")
			}
		},
		"pains-noise-01": func(t *testing.T, r *change.Report) {
			if len(r.Decisions) != 0 || len(r.Folded) != 1 || r.Folded[0].Tools != 2 {
				t.Error("want one folded line on two tools and no decision")
			}
		},
		"pains-noise-03": func(t *testing.T, r *change.Report) {
			if len(r.Raised) != 1 || r.Raised[0].Count != 2 || r.Raised[0].ID != "bulk.param-descriptions.removed" {
				t.Error("want the loss raised")
			}
		},
		"pains-noise-05": func(t *testing.T, r *change.Report) {
			if len(r.Decisions) != 0 || len(r.Folded) != 1 {
				t.Error("want one folded line")
			}
		},
		"pains-noise-06": func(t *testing.T, r *change.Report) {
			d := find(r, "annotation.unknown.added", "/read_only_hint")
			if find(r, "annotation.changed", "/readOnlyHint") == nil || d == nil || !strings.Contains(*d.Note, "readOnlyHint") {
				t.Error("want the lost hint, the unknown one and the wire spelling")
			}
		},
		"pains-annotations-03": func(t *testing.T, r *change.Report) {
			if d := find(r, "annotation.changed", "/readOnlyHint"); d == nil || !strings.Contains(d.Sentence, "without asking") {
				t.Error("want the widened approval said")
			}
		},
		"pains-desc_change-06": func(t *testing.T, r *change.Report) {
			if enough, _, _ := r.Bump.Enough("0.10.2", "0.10.3"); enough || r.Bump.Level != change.LevelMinor {
				t.Error("want a minor step")
			}
		},
		"pains-param_break-01": func(t *testing.T, r *change.Report) {
			if firstWitness(r) == "" {
				t.Error("want a witness")
			}
		},
		"pains-param_break-03": func(t *testing.T, r *change.Report) {
			d := find(r, "enum.value.removed", "/confidence/enum")
			if d == nil || d.Class != change.Breaking || d.Witness == nil || d.Note == nil || !strings.Contains(*d.Note, "same words in another case") {
				t.Error("want a witness, and the case said")
			}
		},
		"pains-param_break-05": func(t *testing.T, r *change.Report) {
			d := find(r, "enum.introduced", "/method/enum")
			if d == nil || d.Class != change.Breaking || d.Note == nil || !strings.Contains(*d.Note, "named each of these values already") {
				t.Error("want it never silently compatible, and that the values were documented")
			}
		},
		"pains-param_break-07": func(t *testing.T, r *change.Report) {
			d := find(r, "property.removed", "/includeWorkspace")
			if d == nil || d.Class != change.Breaking || d.Effect == nil || d.Witness != nil {
				t.Error("want a breaking removal with an effect and no witness")
			}
		},
		"pains-desc_change-03": func(t *testing.T, r *change.Report) {
			if d := find(r, "property.removed", "/format"); d == nil || d.Effect == nil {
				t.Error("want the removed parameter, silently ignored")
			}
			if d := find(r, "default.changed", "/response_format/default"); d == nil || d.Class != change.Behaviour {
				t.Error("want the changed default")
			}
		},
		"pains-output_contract-01": func(t *testing.T, r *change.Report) {
			if d := find(r, "schema.added", "/outputSchema"); d == nil || !strings.Contains(d.Sentence, "structured content") {
				t.Error("want the obligation said")
			}
		},
	} {
		t.Run(id, func(t *testing.T) {
			p, ok := all[id]
			if !ok {
				t.Fatal("no such case")
			}
			r := p.compare(t)
			check(t, r)
			if t.Failed() {
				t.Log("\n" + outline(r))
			}
		})
	}
}

func firstWitness(r *change.Report) string {
	for _, c := range r.Changes {
		for _, d := range c.Details {
			if d.Witness != nil {
				return string(d.Witness)
			}
		}
	}
	return ""
}

// The order case gives names only.
func TestPainsOrder(t *testing.T) {
	list := func(names ...string) *surface.Listing {
		var tools []string
		for _, n := range names {
			tools = append(tools, `{"name":"`+n+`","inputSchema":{"type":"object"}}`)
		}
		return read(t, "["+strings.Join(tools, ",")+"]")
	}
	r := change.Compare(list("alpha", "beta", "gamma"), list("gamma", "alpha", "beta"), change.Options{})
	if len(r.Changes) != 1 || r.Changes[0].Subject != change.SubjectOrder || r.Counts.Moved != 1 || r.Counts.Changed != 0 {
		t.Errorf("want only the order changed:\n%s", outline(r))
	}
}
