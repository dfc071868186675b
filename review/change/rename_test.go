package change

import (
	"fmt"
	"testing"
)

func TestKin(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"get_work_item", "work_item_get", true},
		{"wit_get_work_item", "work_item_get", true},
		{"plan_issues", "plan", true},
		{"send_mail", "send_email", true},
		{"list_issue", "list_issues", true},
		{"getUser", "get_user", true},
		{"run_code", "run_code_unsafe", true},
		{"enable_notices", "disable_notices", false},
		{"create_rule_set", "create_skill", false},
		{"start_server", "stop_server", false},
		{"get_value", "set_value", false},
		{"lock_door", "unlock_door", false},
		{"read_file", "write_file", false},
	} {
		if got := kin(c.a, c.b); got != c.want {
			t.Errorf("%s and %s: %t", c.a, c.b, got)
		}
		if kin(c.a, c.b) != kin(c.b, c.a) {
			t.Errorf("%s and %s: not the same both ways", c.a, c.b)
		}
	}
}

func TestNameWords(t *testing.T) {
	for name, want := range map[string]string{
		"get_me":          "[get me]",
		"getHTTPServer":   "[get http server]",
		"admin.tools/Run": "[admin tools run]",
		"HTML":            "[html]",
		"a1B2":            "[a1 b2]",
		"\xed\xa0\x80":    "[]",
		"straße-Über":     "[straße über]",
	} {
		if got := fmt.Sprint(nameWords(name)); got != want {
			t.Errorf("%q: got %s, want %s", name, got, want)
		}
	}
}

func TestLetterSimilarity(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want float64
	}{{"mail", "email", 0.8}, {"same", "same", 1}, {"abc", "xyz", 0}, {"", "a", 0}} {
		if got := letterSimilarity(c.a, c.b); got < c.want-0.001 || got > c.want+0.001 {
			t.Errorf("%s and %s: %.3f, want %.3f", c.a, c.b, got, c.want)
		}
	}
}

func TestRuleOf(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{"fleet_list", "list", "prefix `fleet_` dropped"},
		{"list", "fleet_list", "prefix `fleet_` added"},
		{"v1_list_all", "v2_list_all", "prefix `v1_` became `v2_`"},
		{"list_trucks_v1", "list_trucks", "suffix `_v1` dropped"},
		{"tide-now-here", "tide_now_here", "`-` became `_` in names"},
		{"getUserName", "get_user_name", "names are spelled in another style"},
	} {
		a, b := &profile{}, &profile{}
		olds, news := tools(c.old), tools(c.new)
		a.tool, b.tool = &olds[0], &news[0]
		got := ""
		for _, e := range endings(c.old) {
			for _, f := range endings(c.new) {
				if e.key() != f.key() {
					continue
				}
				if k, ok := ruleOf(c.old, c.new, e); ok && got == "" {
					got = k.String()
				}
			}
		}
		if got != c.want {
			t.Errorf("%s to %s: got %q, want %q", c.old, c.new, got, c.want)
		}
	}
}

// Two tools that could both be the new name are for a person to choose from.
func TestContestedRenameIsOffered(t *testing.T) {
	olds, news := tools("item_get"), tools("item_get_one", "one_item_get")
	for i := range news {
		news[i].Raw = []byte(`{"name":"x","description":"Get one item by its number."}`)
	}
	olds[0].Raw = news[0].Raw
	p := pairTools(olds, news)
	offers := findRenames(p, Options{}, false)
	if len(p.pairs) != 0 || len(offers) != 1 {
		t.Errorf("paired %d, offered %d", len(p.pairs), len(offers))
	}
}
