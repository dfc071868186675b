package change_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/countersign/countersign/review/change"
	"github.com/countersign/countersign/review/surface"
)

const library = `{"server":{"instructions":"Lend with care."},"result":{"tools":[
 {"name":"book_find","description":"Find a book.","inputSchema":{"type":"object","properties":{"title":{"type":"string"}},"required":["title"]}},
 {"name":"book_lend","description":"Lend a book for 14 days.","inputSchema":{"type":"object","properties":{"id":{"type":"integer"},"to":{"type":"string"}},"required":["id","to"]},"annotations":{"readOnlyHint":false}},
 {"name":"book_burn","description":"Refused.","inputSchema":{"type":"object"},"annotations":{"destructiveHint":true}}]}}`

func TestCompareWithItself(t *testing.T) {
	l := read(t, library)
	r := change.Compare(l, l, change.Options{})
	if r.Class != change.None || len(r.Changes) != 0 || r.Counts.Same != 3 || r.CachePrefixKept != 3 || r.Bump.Level != change.LevelNone {
		t.Errorf("a listing differs from itself:\n%s", outline(r))
	}
}

// Without a base every tool is added, and so are the instructions.
func TestCompareWithoutBase(t *testing.T) {
	r := change.Compare(nil, read(t, library), change.Options{})
	if r.Counts != (change.Counts{Added: 3}) || !r.From.IsZero() || r.Class != change.Behaviour {
		t.Errorf("unexpected report:\n%s", outline(r))
	}
	for _, c := range r.Changes {
		if c.Kind != change.Added || !c.From.IsZero() || c.To.IsZero() {
			t.Errorf("%s %s: want added, from none", c.Kind, c.Name())
		}
	}
}

// Written another way, the listing is the same: only the prompt cache sees it.
func TestCompareSerialisedAgain(t *testing.T) {
	var doc any
	if err := json.Unmarshal([]byte(library), &doc); err != nil {
		t.Fatal(err)
	}
	again, err := json.MarshalIndent(doc, "", "\t")
	if err != nil {
		t.Fatal(err)
	}
	r := change.Compare(read(t, library), read(t, string(again)), change.Options{})
	if len(r.Changes) != 0 || r.CachePrefixKept != 0 || r.Counts.Same != 3 {
		t.Errorf("key order or blanks count as a change:\n%s", outline(r))
	}
}

// Reports are functions of the two listings: map order must not leak into them.
func TestCompareIsDeterministic(t *testing.T) {
	old, new := read(t, library), read(t, strings.NewReplacer(
		"book_", "shelf_", "14 days", "7 days. Do not lend twice", `"type":"integer"`, `"type":"string"`).Replace(library))
	want := outline(change.Compare(old, new, change.Options{}))
	for range 20 {
		if diff := cmp.Diff(want, outline(change.Compare(old, new, change.Options{}))); diff != "" {
			t.Fatalf("-first +later:\n%s", diff)
		}
	}
}

// Backwards, what was added is removed and the same subjects change.
func TestCompareMirrors(t *testing.T) {
	old := read(t, library)
	for name, edit := range map[string]*strings.Replacer{
		"text": strings.NewReplacer("14 days", "7 days"),
		"removed": strings.NewReplacer(`,
 {"name":"book_burn","description":"Refused.","inputSchema":{"type":"object"},"annotations":{"destructiveHint":true}}`, ""),
		"renamed":      strings.NewReplacer("book_", "shelf_"),
		"instructions": strings.NewReplacer("Lend with care.", "Lend."),
		"hint":         strings.NewReplacer(`"readOnlyHint":false`, `"readOnlyHint":true`),
		"schema":       strings.NewReplacer(`"required":["title"]`, `"required":["title","shelf"]`),
	} {
		t.Run(name, func(t *testing.T) {
			new := read(t, edit.Replace(library))
			mirrored(t, change.Compare(old, new, change.Options{}), change.Compare(new, old, change.Options{}))
		})
	}
}

func mirrored(t *testing.T, there, back *change.Report) {
	t.Helper()
	want := there.Counts
	want.Added, want.Removed = want.Removed, want.Added
	if back.Counts != want {
		t.Errorf("counts %+v and back %+v", there.Counts, back.Counts)
	}
	if len(there.Changes) != len(back.Changes) {
		t.Errorf("%d changes and %d back", len(there.Changes), len(back.Changes))
	}
	digests := map[[2]surface.Hash]int{}
	for _, c := range there.Changes {
		digests[[2]surface.Hash{c.From, c.To}]++
	}
	for _, c := range back.Changes {
		digests[[2]surface.Hash{c.To, c.From}]--
	}
	for _, n := range digests {
		if n != 0 {
			t.Errorf("the changes don't mirror:\n%s\n%s", outline(there), outline(back))
			return
		}
	}
}

// Instructions that nobody asked for are neither gone nor new.
func TestInstructionsNotAsked(t *testing.T) {
	with := read(t, library)
	plain := read(t, `{"tools":[]}`)
	plain.Tools, plain.Digest = with.Tools, surface.ListingDigest(surface.Instructions{}, nil)
	r := change.Compare(with, plain, change.Options{})
	if len(r.Changes) != 0 || len(r.Notes) != 1 {
		t.Errorf("unexpected report:\n%s", outline(r))
	}
	r = change.Compare(plain, with, change.Options{})
	if len(r.Changes) != 1 || r.Changes[0].Kind != change.Added || len(r.Notes) != 1 {
		t.Errorf("unexpected report:\n%s", outline(r))
	}
}

// Empty instructions and none are two things; both ids say which.
func TestInstructionsEmptyAndNone(t *testing.T) {
	listing := func(instructions string) *surface.Listing {
		return read(t, fmt.Sprintf(`{"server":{"instructions":%s},"result":{"tools":[]}}`, instructions))
	}
	none, empty := listing("null"), listing(`""`)
	r := change.Compare(none, empty, change.Options{})
	if len(r.Changes) != 1 || r.Changes[0].Kind != change.Added || !r.Changes[0].From.IsZero() {
		t.Errorf("none to empty:\n%s", outline(r))
	}
	r = change.Compare(empty, none, change.Options{})
	if len(r.Changes) != 1 || r.Changes[0].Kind != change.Removed || !r.Changes[0].To.IsZero() {
		t.Errorf("empty to none:\n%s", outline(r))
	}
}

// A definition that is no object is kept, compared and never hides its neighbours.
func TestBrokenDefinitions(t *testing.T) {
	old := read(t, `{"tools":[{"name":"a","inputSchema":{"type":"object"}},7]}`)
	new := read(t, `{"tools":[{"name":"a","inputSchema":{"type":"object"},"description":"x"},[7]]}`)
	r := change.Compare(old, new, change.Options{})
	if r.Class != change.Undecided || r.Counts.Changed != 2 {
		t.Errorf("unexpected report:\n%s", outline(r))
	}
}

// A person's pairing holds against the evidence, and a partial listing still
// pairs what is named.
func TestPairings(t *testing.T) {
	old := read(t, `[{"name":"a","description":"One thing.","inputSchema":{"type":"object"}}]`)
	new := read(t, `[{"name":"b","description":"Quite another.","inputSchema":{"type":"object"}}]`)
	if r := change.Compare(old, new, change.Options{}); r.Counts.Renamed != 0 || r.Counts.Removed != 1 {
		t.Errorf("assumed a rename:\n%s", outline(r))
	}
	opt := change.Options{Pairings: []change.Pairing{{From: "a", To: "b"}, {From: "gone", To: "b"}}}
	r := change.Compare(old, new, opt)
	if r.Counts.Renamed != 1 || r.Class != change.Breaking || *r.Changes[0].FromTool != "a" {
		t.Errorf("unexpected report:\n%s", outline(r))
	}
	new.Complete = false
	if r := change.Compare(old, new, opt); r.Counts.Renamed != 1 || r.Counts.Removed != 0 {
		t.Errorf("unexpected report:\n%s", outline(r))
	}
}

// A pusher can mean that there are no tools any more.
func TestEmptied(t *testing.T) {
	old, new := read(t, library), read(t, `{"tools":[]}`)
	if r := change.Compare(old, new, change.Options{}); r.Counts.Removed != 0 || !r.Partial {
		t.Errorf("unexpected report:\n%s", outline(r))
	}
	if r := change.Compare(old, new, change.Options{Emptied: true}); r.Counts.Removed != 3 || r.Partial {
		t.Errorf("unexpected report:\n%s", outline(r))
	}
}

// Tool names are compared as bytes: nothing is normalised, lone surrogates differ.
func TestNamesAreBytes(t *testing.T) {
	old := read(t, `[{"name":"\ud800","inputSchema":{"type":"object"}},{"name":"e\u0301","inputSchema":{"type":"object"}},{"name":"pay\u0000x","inputSchema":{"type":"object"}}]`)
	new := read(t, `[{"name":"\udfff","inputSchema":{"type":"object"}},{"name":"\u00e9","inputSchema":{"type":"object"}},{"name":"payx","inputSchema":{"type":"object"}}]`)
	r := change.Compare(old, new, change.Options{})
	if r.Counts.Removed+r.Counts.Renamed != 3 {
		t.Errorf("names were folded:\n%s", outline(r))
	}
	ids := map[string]bool{}
	for _, c := range r.Changes {
		ids[c.ID] = true
	}
	if len(ids) != len(r.Changes) {
		t.Error("different changes share an id")
	}
}

// FuzzCompare feeds two listings of any kind: no panic, the same answer twice,
// nothing without an id, every edit known to its changes.
func FuzzCompare(f *testing.F) {
	f.Add(library, strings.Replace(library, "14", "7", 1))
	f.Add(`[{"name":"a"}]`, `[{"name":"a","description":7,"annotations":[],"execution":"x","_meta":1,"icons":null}]`)
	f.Add(`[7,null,{"name":"a"}]`, `["x",{"name":"a"},{"name":"a"}]`)
	f.Fuzz(func(t *testing.T, a, b string) {
		old, errOld := surface.Read([]byte(a), surface.Options{Complete: true})
		new, errNew := surface.Read([]byte(b), surface.Options{Complete: true})
		if errOld != nil || errNew != nil {
			return
		}
		r := change.Compare(old, new, change.Options{SchemaSteps: 2000})
		wellFormed(t, old, new, r)
		if self := change.Compare(new, new, change.Options{}); self.Class != change.None || len(self.Changes) > 0 {
			t.Errorf("a listing differs from itself:\n%s", outline(self))
		}
	})
}

// wellFormed checks what holds of every report.
func wellFormed(t *testing.T, old, new *surface.Listing, r *change.Report) {
	t.Helper()
	n := r.Counts
	if got := n.Added + n.Renamed + n.Changed + n.Moved + n.Same; got != len(new.Tools) {
		t.Errorf("counts %+v hold %d tools of the new listing, want %d", n, got, len(new.Tools))
	}
	if got := n.Removed + n.Renamed + n.Changed + n.Moved + n.Same; !r.Partial && got != len(old.Tools) {
		t.Errorf("counts %+v hold %d tools of the old listing, want %d", n, got, len(old.Tools))
	}
	edits := map[string]change.Class{}
	for _, c := range r.Changes {
		wellFormedChange(t, &c)
		for _, d := range c.Details {
			edits[d.Edit] = d.Class
		}
	}
	decided := map[string]bool{}
	for _, d := range r.Decisions {
		if len(d.Edits) == 0 || len(d.Changes) == 0 || len(d.Changes) != len(d.Tools) {
			t.Errorf("decision %+v asks for nothing", d)
		}
		for _, e := range d.Edits {
			decided[e] = true
		}
	}
	for e, class := range edits {
		if class != change.None && !decided[e] {
			t.Errorf("no decision asks for edit %s of class %s", e, class)
		}
	}
}

func wellFormedChange(t *testing.T, c *change.Change) {
	t.Helper()
	strongest := change.None
	if len(c.Details) == 0 {
		t.Errorf("%s %q has no detail", c.Kind, c.Name())
	}
	for _, d := range c.Details {
		strongest = change.Max(strongest, d.Class)
		if d.ID == "" || !strings.HasPrefix(d.Edit, "ed_") || d.Sentence == "" || d.Class.Rank() < 0 {
			t.Errorf("%s %q: incomplete detail %+v", c.Kind, c.Name(), d)
		}
		if d.Class == change.Undecided && d.Note == nil && d.ID != "definition.changed" && d.ID != "schema.added" {
			t.Errorf("%s %q: undecided without a reason: %+v", c.Kind, c.Name(), d)
		}
	}
	if strongest != c.Class {
		t.Errorf("%s %q is %s, its details are %s", c.Kind, c.Name(), c.Class, strongest)
	}
	if c.From == c.To && c.Kind != change.Moved {
		t.Errorf("%s %q leads from %s to itself", c.Kind, c.Name(), c.From)
	}
}
