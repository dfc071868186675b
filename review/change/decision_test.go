package change_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/countersign/countersign/review/change"
)

// listOf writes a listing of n tools with one definition, NAME replaced.
func listOf(n int, definition string) string {
	var all []string
	for i := range n {
		all = append(all, strings.ReplaceAll(definition, "NAME", fmt.Sprintf("yard_tool_%c", 'a'+i)))
	}
	return "[" + strings.Join(all, ",") + "]"
}

func TestDecisions(t *testing.T) {
	const plain = `{"name":"NAME","description":"Does a thing.","inputSchema":{"type":"object","properties":{"id":{"type":"string"}}}}`
	for _, c := range []struct {
		name, new string
		want      int
		says      string
	}{
		{"one edit on all", `{"name":"NAME","description":"Does a thing.","inputSchema":{"type":"object","properties":{"id":{"type":"string"}},"required":["id"]}}`, 1, "Calls without `id` are now rejected."},
		{"one sentence with the tool's own name", `{"name":"NAME","description":"Does a thing. Ask before you call NAME.","inputSchema":{"type":"object","properties":{"id":{"type":"string"}}}}`, 1, "Ask before"},
		{"one parameter in four wordings", `{"name":"NAME","description":"Does a thing.","inputSchema":{"type":"object","properties":{"id":{"type":"string","description":"Number of NAME here."}}}}`, 1, "`id`"},
		{"a parameter made way for another", `{"name":"NAME","description":"Does a thing.","inputSchema":{"type":"object","properties":{"target":{"type":"integer"}}}}`, 1, "`id` made way for `target` on 4 tools."},
		{"two things at one parameter", `{"name":"NAME","description":"Does a thing.","inputSchema":{"type":"object","properties":{"id":{"type":"string","minLength":2,"maxLength":9}}}}`, 1, "`id` changed in 2 ways on 4 tools."},
		{"hidden characters one by one", `{"name":"NAME","description":"Does a\u200b thing.","inputSchema":{"type":"object","properties":{"id":{"type":"string"}}}}`, 4, "U+200B"},
		{"no longer destructive one by one", `{"name":"NAME","description":"Does a thing.","inputSchema":{"type":"object","properties":{"id":{"type":"string"}}},"annotations":{"destructiveHint":false}}`, 4, "destructiveHint"},
		{"destructive together", `{"name":"NAME","description":"Does a thing.","inputSchema":{"type":"object","properties":{"id":{"type":"string"}}},"annotations":{"readOnlyHint":true}}`, 1, "readOnlyHint"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := change.Compare(read(t, listOf(4, plain)), read(t, listOf(4, c.new)), change.Options{})
			if len(r.Decisions) != c.want || !strings.Contains(r.Decisions[0].Sentence, c.says) {
				t.Errorf("%d decisions, want %d that says %q:\n%s", len(r.Decisions), c.want, c.says, outline(r))
			}
		})
	}
}

// A new tool that says it may destroy is no part of "3 new tools", nor of a removal that
// it may replace.
func TestNewToolsThatDestroyAreAlone(t *testing.T) {
	const old = `{"name":"bay_list","description":"Lists bays.","inputSchema":{"type":"object"}}`
	tool := func(name, annotations string) string {
		return `{"name":"` + name + `","description":"Does a thing.","inputSchema":{"type":"object"},"annotations":` + annotations + `}`
	}
	r := change.Compare(read(t, "["+old+"]"), read(t, "["+strings.Join([]string{old,
		tool("bay_read", `{"readOnlyHint":true,"destructiveHint":false}`), tool("bay_wipe", `{"destructiveHint":true}`),
		tool("bay_make", `{}`), tool("bay_void", `{"destructiveHint": true,"readOnlyHint":false}`)}, ",")+"]"), change.Options{})
	var got []string
	for _, d := range r.Decisions {
		got = append(got, strings.Join(d.Tools, "+"))
	}
	slices.Sort(got)
	if want := []string{"bay_read+bay_make", "bay_void", "bay_wipe"}; !slices.Equal(got, want) {
		t.Errorf("decisions on %q, want %q:\n%s", got, want, outline(r))
	}
}

// What else changes in a listing never changes the id of an edit: a stored answer
// stays findable.
func TestEditIDsDependOnThePairAlone(t *testing.T) {
	const a, b = `{"name":"NAME","description":"Does a thing.","inputSchema":{"type":"object"}}`, `{"name":"NAME","description":"Does a thing. Ask first.","inputSchema":{"type":"object"}}`
	alone := change.Compare(read(t, listOf(1, a)), read(t, listOf(1, b)), change.Options{})
	among := change.Compare(read(t, listOf(5, a)), read(t, listOf(5, b)), change.Options{})
	if alone.Changes[0].ID != among.Changes[0].ID || alone.Changes[0].Details[0].Edit != among.Changes[0].Details[0].Edit {
		t.Errorf("%+v\n%+v", alone.Changes[0], among.Changes[0])
	}
}

// Two parameters that became required at once are two edits, and each is the same
// edit as on a tool where it came alone.
func TestRequiredIsOneEditPerParameter(t *testing.T) {
	tool := func(required string) string {
		return `[{"name":"a_tool","description":"A.","inputSchema":{"type":"object","properties":{"x":{"type":"string"},"y":{"type":"string"}}` + required + `}}]`
	}
	both := change.Compare(read(t, tool("")), read(t, tool(`,"required":["x","y"]`)), change.Options{})
	one := change.Compare(read(t, tool("")), read(t, tool(`,"required":["x"]`)), change.Options{})
	if len(both.Edits) != 2 {
		t.Fatalf("%d edits, want 2:\n%s", len(both.Edits), outline(both))
	}
	if both.Changes[0].Details[0].Edit != one.Changes[0].Details[0].Edit {
		t.Error("the same requirement has two ids")
	}
}
