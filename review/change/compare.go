package change

import (
	"fmt"

	"github.com/countersign/countersign/review/surface"
)

// Options steer [Compare]. The zero value is what a plain comparison uses. Every
// field changes the report, so it belongs to the key that a report is kept by.
type Options struct {
	// Aliases maps an old tool name to the name that answers for it now. A rename
	// that stands here does not break callers.
	Aliases map[string]string

	// Pairings are renames that a person confirmed. They break callers all the
	// same, unless an alias says otherwise.
	Pairings []Pairing

	// Merges are consolidations that a person confirmed: the old tool From is gone, and
	// the new tool To does its work, perhaps with that of others. It stays removed, since
	// calls of it fail; neither of the two is taken for a rename.
	Merges []Pairing

	// SchemaSteps bounds the work on one pair of schemas; 0 is the default of
	// package schema.
	SchemaSteps int

	// Emptied is the pusher's word that a listing without tools is meant: then it
	// is no part, and every tool is removed.
	Emptied bool
}

// Pairing says that the tool From of the old listing is the tool To of the new.
type Pairing struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// Compare says what happened from old to new. Without old every tool is added.
// It never fails: what can't be compared is undecided and says why.
func Compare(old, new *surface.Listing, opt Options) *Report {
	if old == nil {
		old = &surface.Listing{Kind: surface.KindListing, Complete: true, Instructions: surface.Instructions{Asked: true}}
		r := compare(old, new, opt)
		r.From = surface.Hash{}
		return r
	}
	return compare(old, new, opt)
}

func compare(old, new *surface.Listing, opt Options) *Report {
	r := &Report{From: old.Digest, To: new.Digest, Engine: Engine}
	r.PartialWhy = partial(old, new, opt)
	r.Partial = r.PartialWhy != ""
	p := pairTools(old.Tools, new.Tools)
	opt.Merges = p.applying(opt.Merges, new.Tools)
	r.Offered = findRenames(p, opt, r.Partial)
	c := comparer{report: r, opt: opt, pairs: p}
	c.tools(old.Tools, new.Tools)
	c.instructions(old.Instructions, new.Instructions)
	c.order(old, new)
	r.CachePrefixKept = cachePrefix(old.Tools, new.Tools)
	c.finish(old.Tools, new.Tools)
	return r
}

// partial says in one sentence why what is absent from new is no removal; ""
// when absence counts.
func partial(old, new *surface.Listing, opt Options) string {
	switch {
	case !new.Complete:
		return "This listing is a part of a surface, so a tool that is absent from it is not called removed. Push the whole listing."
	case new.Kind != surface.KindListing && new.Kind != old.Kind:
		return fmt.Sprintf("This is a %s and not what a server answered to tools/list, so a tool that is absent from it is not called removed.", new.Kind)
	case len(new.Tools) == 0 && len(old.Tools) > 0 && !opt.Emptied:
		return fmt.Sprintf("This listing became empty after %s. Servers list nothing when credentials or settings are missing, so nothing is called removed. Check the configuration.", count(len(old.Tools), "tool"))
	}
	return ""
}

// count writes a number with its noun: "1 tool", "1,200 tools".
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return thousands(n) + " " + noun + "s"
}

func thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
