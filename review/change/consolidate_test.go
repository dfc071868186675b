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
			var got []string
			for _, o := range offerConsolidations(p.removed, p.added) {
				var from []string
				for _, f := range o.From {
					s := f.Tool + " " + f.Action
					if len(f.Lost) > 0 {
						s += " without " + strings.Join(f.Lost, " ")
					}
					from = append(from, s)
				}
				got = append(got, o.To+": "+strings.Join(from, ", "))
			}
			if strings.Join(got, "\n") != strings.Join(c.want, "\n") {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
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
