package change

import (
	"strings"
	"testing"

	"github.com/countersign/countersign/review/surface"
)

// Verdicts are stored by these ids, so they never change for equal inputs.
func TestIDIsPinned(t *testing.T) {
	from, to := surface.HashOf([]byte("old")), surface.HashOf([]byte("new"))
	for _, c := range []struct{ got, want string }{
		{ID(SubjectTool, "find", "", from, to), "ch_fs6psvrvgdfrd7b7nfg48wr42re9t1d9"},
		{ID(SubjectTool, "find", "", surface.Hash{}, to), "ch_rrwx7t9dsegqaz4zcv34wh1h92ttwj0m"},
		{ID(SubjectTool, "seek", "find", from, to), "ch_fqaf73fmxs28hr908n4x0d3ry18n47kj"},
		{EditID("default.changed", "input", "/a", Behaviour, []byte("1"), []byte("2")), "ed_crm625nvqjqxm1fkkkdb0gat1wyb6ced"},
	} {
		if c.got != c.want {
			t.Errorf("got %s, want %s", c.got, c.want)
		}
	}
}

func TestIDTellsApart(t *testing.T) {
	a, b := surface.HashOf([]byte("a")), surface.HashOf([]byte("b"))
	var none surface.Hash
	ids := []string{
		ID(SubjectTool, "x", "", a, b),
		ID(SubjectTool, "x", "", b, a),
		ID(SubjectTool, "x", "", a, none),
		ID(SubjectTool, "x", "", none, a),
		ID(SubjectTool, "x", "y", a, b),
		ID(SubjectTool, "xy", "", a, b),
		ID(SubjectTool, "", "x", a, b),
		ID(SubjectTool, "", "", a, b),
		ID(SubjectInstructions, "", "", a, b),
		ID(SubjectOrder, "", "", a, b),
		ID(SubjectTool, "pay\x00x", "", a, b),
		ID(SubjectTool, "payx", "", a, b),
		EditID("a", "", "b", Text, nil, nil),
		EditID("a", "b", "", Text, nil, nil),
		EditID("ab", "", "", Text, nil, nil),
		EditID("a", "", "b", Behaviour, nil, nil),
		EditID("a", "", "b", Text, []byte("c"), nil),
		EditID("a", "", "b", Text, nil, []byte("c")),
	}
	seen := map[string]int{}
	for i, id := range ids {
		if j, ok := seen[id]; ok {
			t.Errorf("%d and %d share %s", i, j, id)
		}
		seen[id] = i
		if len(id) != len("ch_")+32 || strings.ToLower(id) != id {
			t.Errorf("%s: want a prefix and 32 lower-case letters", id)
		}
	}
	if ID(SubjectTool, "x", "x", a, b) != ids[0] {
		t.Error("an equal old name is no rename")
	}
}

// Invalid UTF-8 and lone surrogates in names are different names.
func FuzzID(f *testing.F) {
	f.Add("a", "b", "ab", "")
	f.Add("\xed\xa0\x80", "", "\xed\xbf\xbf", "")
	f.Fuzz(func(t *testing.T, a, aFrom, b, bFrom string) {
		var h surface.Hash
		same := a == b && (aFrom == bFrom || aFrom == a && bFrom == "" || bFrom == b && aFrom == "")
		if got := ID(SubjectTool, a, aFrom, h, h) == ID(SubjectTool, b, bFrom, h, h); got != same {
			t.Errorf("(%q, %q) and (%q, %q): equal ids %t", a, aFrom, b, bFrom, got)
		}
	})
}
