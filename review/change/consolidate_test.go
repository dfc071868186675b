package change

import (
	"fmt"
	"strings"
	"testing"

	"github.com/countersign/countersign/review/surface"
)

// defined makes tools with string parameters from lines such as
// "berth_get id night" or "berth action=list,get id".
func defined(lines ...string) []surface.Tool {
	all := make([]surface.Tool, len(lines))
	for i, line := range lines {
		words := strings.Fields(line)
		var props []string
		for _, p := range words[1:] {
			name, values, isEnum := strings.Cut(p, "=")
			if isEnum {
				props = append(props, fmt.Sprintf(`%q:{"enum":["%s"]}`, name, strings.ReplaceAll(values, ",", `","`)))
				continue
			}
			props = append(props, fmt.Sprintf(`%q:{"type":"string"}`, name))
		}
		raw := fmt.Appendf(nil, `{"name":%q,"inputSchema":{"type":"object","properties":{%s}}}`, words[0], strings.Join(props, ","))
		all[i] = surface.Tool{Position: i + 1, Name: words[0], Raw: raw, RawHash: surface.HashOf(raw), Digest: surface.HashOf(raw)}
	}
	return all
}

func TestOfferConsolidations(t *testing.T) {
	for _, c := range []struct {
		name     string
		old, new []string
		want     []string
	}{
		{"actions", []string{"berth_list harbour", "berth_get id", "crane_order tons"}, []string{"berth action=list,get id harbour", "crane tons"},
			[]string{`berth: berth_list {"action":"list"}, berth_get {"action":"get"}`}},
		{"plurals", []string{"list_branches repo", "delete_branch repo name"}, []string{"branch op=list,delete repo name"},
			[]string{`branch: list_branches {"op":"list"}, delete_branch {"op":"delete"}`}},
		{"what looks lost", []string{"berth_list harbour", "berth_get id night"}, []string{"berth action=list,get id harbour"},
			[]string{`berth: berth_list {"action":"list"}, berth_get {"action":"get"} without night`}},
		{"one tool is no consolidation", []string{"berth_list harbour", "tide_now port"}, []string{"berth action=list,get"}, nil},
		{"no actions", []string{"berth_list harbour", "berth_get id"}, []string{"berth id"}, nil},
		{"other words", []string{"ship_list harbour", "ship_get id"}, []string{"berth action=list,get"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := pairTools(defined(c.old...), defined(c.new...))
			got := drawOffers(offerConsolidations(p.removed, p.added, nil))
			if strings.Join(got, "\n") != strings.Join(c.want, "\n") {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

// drawOffers writes each offer as "new: old action without lost, old …".
func drawOffers(offers []Offer) []string {
	var got []string
	for _, o := range offers {
		var from []string
		for _, f := range o.From {
			s := f.Tool
			if f.Action != "" {
				s += " " + f.Action
			}
			if len(f.Lost) > 0 {
				s += " without " + strings.Join(f.Lost, " ")
			}
			from = append(from, s)
		}
		got = append(got, o.To+": "+strings.Join(from, ", "))
	}
	return got
}

// What a person mapped is told as such, breaks callers as before, is never taken for
// a rename, and is offered no more.
func TestMerges(t *testing.T) {
	all := defined("berth_list harbour", "berth_get id night", "berth_find text", "tide_now port", "mole_get id")
	old := &surface.Listing{Complete: true, Kind: surface.KindListing, Tools: all}
	head := &surface.Listing{Complete: true, Kind: surface.KindListing, Tools: defined("berth action=list,get id harbour", "berth_find2 text", "tide port", "mole_get id")}
	merges := func(to string, from ...string) []Pairing {
		var all []Pairing
		for _, f := range from {
			all = append(all, Pairing{From: f, To: to})
		}
		return all
	}
	for _, c := range []struct {
		name            string
		merges          []Pairing
		merged, offered string
		decided         string
	}{
		{"nobody said anything", nil, "", `berth: berth_list {"action":"list"}, berth_get {"action":"get"} without night`,
			"2 tools are gone: `berth_list`, `berth_get`. Calls of them now fail. 1 new tool may replace them: `berth`."},
		{"what was offered", merges("berth", "berth_get", "berth_list"), `berth: berth_list {"action":"list"}, berth_get {"action":"get"} without night`, "",
			"2 tools are gone: `berth_list`, `berth_get`. Calls of them now fail. `berth` does their work now."},
		{"one of two is still offered", merges("berth", "berth_list"), `berth: berth_list {"action":"list"}`, `berth: berth_get {"action":"get"} without night`,
			"`berth` does their work now."},
		{"what nobody would have guessed", merges("berth", "tide_now"), `berth: tide_now without port`, `berth: berth_list {"action":"list"}, berth_get {"action":"get"} without night`,
			"3 tools are gone"},
		{"into a tool that is the same", merges("mole_get", "tide_now"), `mole_get: tide_now without port`, `berth: berth_list {"action":"list"}, berth_get {"action":"get"} without night`,
			"The tool `tide_now` is gone. Calls of it now fail."},
		{"what is not gone, or not there", append(merges("berth", "mole_get"), merges("nothing", "berth_list")...), "",
			`berth: berth_list {"action":"list"}, berth_get {"action":"get"} without night`, "2 tools are gone"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := Compare(old, head, Options{Merges: c.merges})
			if got := strings.Join(drawOffers(r.Merged), "; "); got != c.merged {
				t.Errorf("merged %q, want %q", got, c.merged)
			}
			var cons []Offer
			for _, o := range r.Offered {
				if o.Kind == OfferConsolidation {
					cons = append(cons, o)
				}
			}
			if got := strings.Join(drawOffers(cons), "; "); got != c.offered {
				t.Errorf("offered %q, want %q", got, c.offered)
			}
			said := ""
			for _, d := range r.Decisions {
				said += d.Sentence + "\n"
			}
			if !strings.Contains(said, c.decided) {
				t.Errorf("decisions %q, want %q among them", said, c.decided)
			}
			for _, m := range r.Merged {
				for _, f := range m.From {
					gone := changeNamed(r, f.Tool)
					if gone == nil || gone.Kind != Removed || gone.Class != Breaking || gone.Details[0].Note == nil {
						t.Errorf("%s is %+v", f.Tool, gone)
					}
				}
			}
		})
	}
}

// changeNamed is the change of a tool, nil for none.
func changeNamed(r *Report, name string) *Change {
	for i := range r.Changes {
		if r.Changes[i].Subject == SubjectTool && r.Changes[i].Name() == name {
			return &r.Changes[i]
		}
	}
	return nil
}

func TestSingulars(t *testing.T) {
	got := strings.Join(singulars([]string{"branches", "queries", "boxes", "addresses", "status", "class", "items", "gas", "bus"}), " ")
	if want := "branch query box address statu class item gas bus"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A loss is a finding about the listing only when nothing of the kind is left.
func TestRaiseBulk(t *testing.T) {
	const with, without = `{"name":"%s","description":"A.","inputSchema":{"type":"object","properties":{"x":{"type":"string","description":"An x."}}},"annotations":{"readOnlyHint":true}}`,
		`{"name":"%s","description":"A.","inputSchema":{"type":"object","properties":{"x":{"type":"string"}}},"annotations":{"readOnlyHint":true}}`
	pairOf := func(name, old, new string) pair {
		a, errA := surface.NewTool(1, fmt.Appendf(nil, old, name))
		b, errB := surface.NewTool(1, fmt.Appendf(nil, new, name))
		if errA != nil || errB != nil {
			t.Fatal(errA, errB)
		}
		return pair{old: &a, new: &b}
	}
	emptied := `{"name":"%s","description":"A.","inputSchema":{"type":"object"}}`
	for _, c := range []struct {
		name  string
		pairs []pair
		want  string
	}{
		{"two tools", []pair{pairOf("a", with, without), pairOf("b", with, without)}, "bulk.param-descriptions.removed 2"},
		{"one tool", []pair{pairOf("a", with, without)}, ""},
		{"one kept its own", []pair{pairOf("a", with, without), pairOf("b", with, without), pairOf("c", with, strings.Replace(with, "An x", "One x", 1))}, ""},
		{"an unchanged tool says nothing", []pair{pairOf("a", with, without), pairOf("b", with, without), pairOf("c", with, with)}, "bulk.param-descriptions.removed 2"},
		{"emptied schemas", []pair{pairOf("a", with, emptied), pairOf("b", with, emptied)}, "bulk.parameters.removed 2, bulk.annotations.removed 2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, b := range raiseBulk(c.pairs) {
				got = append(got, fmt.Sprintf("%s %d", b.ID, b.Count))
			}
			if s := strings.Join(got, ", "); s != c.want {
				t.Errorf("got %q, want %q", s, c.want)
			}
		})
	}
}
