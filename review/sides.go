package review

import (
	"context"
	"slices"
	"time"

	"github.com/countersign/countersign/review/surface"
)

// sides are the tools on both sides of a release that threads are about, read with
// a fixed number of store calls.
type sides struct {
	old, new map[string]*surface.Tool // by name; of namesakes the first
	renamed  map[string]string        // old name to new
	was      *surface.Tool            // the instructions of the older side, nil for none
	about    *surface.Tool            // those of the newer side
	pushed   time.Time                // the newer side

	before, listing surface.Hash // digests of the listings, before zero without a base
}

// newSides reads what anchors name, under the names of either side.
func newSides(ctx context.Context, tx Tx, as *assessment, anchors []Anchor) (*sides, error) {
	all, err := sidesOf(ctx, tx, []*assessment{as}, [][]Anchor{anchors})
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// sidesOf reads what the anchors of several candidates name, each with its own: with as
// many store calls as for one.
func sidesOf(ctx context.Context, tx Tx, list []*assessment, anchors [][]Anchor) ([]*sides, error) {
	before, err := toolsBefore(ctx, tx, list)
	if err != nil {
		return nil, err
	}
	out := make([]*sides, len(list))
	old, new := make([][]ToolRef, len(list)), make([][]ToolRef, len(list))
	hashes := []surface.Hash{{}}
	for i, as := range list {
		s := &sides{listing: as.listing.Digest, pushed: as.revision.PushedAt}
		var was []ToolRef
		if as.base != nil {
			was, s.before = before[as.base.Head.ListingID], as.base.Head.Digest
		}
		s.renamed = as.renames(was)
		wanted := map[string]bool{}
		for _, at := range anchors[i] {
			wanted[at.Tool], wanted[s.renamed[at.Tool]] = true, true
		}
		delete(wanted, "")
		old[i], new[i] = firstNamed(was, wanted), firstNamed(as.candidate.tools, wanted)
		for _, t := range slices.Concat(old[i], new[i]) {
			hashes = append(hashes, t.RawHash)
		}
		out[i] = s
	}
	raw, err := tx.Slices(ctx, hashes)
	if err != nil {
		return nil, err
	}
	for i, s := range out {
		s.old, s.new = toolsOf(old[i], raw), toolsOf(new[i], raw)
	}
	return out, instruct(ctx, tx, list, anchors, out)
}

// toolsBefore reads the tools of the gate bases, by listing.
func toolsBefore(ctx context.Context, tx Tx, list []*assessment) (map[string][]ToolRef, error) {
	var ids []string
	for _, as := range list {
		if as.base != nil {
			ids = append(ids, as.base.Head.ListingID)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	return tx.ToolRefs(ctx, ids)
}

// instruct reads the instructions of both sides, where any anchor is about them.
func instruct(ctx context.Context, tx Tx, list []*assessment, anchors [][]Anchor, out []*sides) error {
	var ids []string
	for i, as := range list {
		if slices.ContainsFunc(anchors[i], func(at Anchor) bool { return at.Tool == "" && !at.whole() }) {
			ids = append(ids, as.listing.ID)
			if as.base != nil {
				ids = append(ids, as.base.Head.ListingID)
			}
		}
	}
	if len(ids) == 0 {
		return nil
	}
	texts, err := tx.InstructionsOf(ctx, ids)
	for i, as := range list {
		out[i].about = instructionsAsTool(texts[as.listing.ID])
		if as.base != nil {
			out[i].was = instructionsAsTool(texts[as.base.Head.ListingID])
		}
	}
	return err
}

// firstNamed returns the first tool of each wanted name.
func firstNamed(tools []ToolRef, wanted map[string]bool) []ToolRef {
	var out []ToolRef
	seen := map[string]bool{}
	for _, t := range tools {
		if wanted[t.Name] && !seen[t.Name] {
			seen[t.Name] = true
			out = append(out, t)
		}
	}
	return out
}

func toolsOf(refs []ToolRef, raw map[surface.Hash][]byte) map[string]*surface.Tool {
	out := map[string]*surface.Tool{}
	for _, t := range refs {
		out[t.Name] = &surface.Tool{Position: t.Position, Name: t.Name, Digest: t.Digest, RawHash: t.RawHash, Raw: raw[t.RawHash]}
	}
	return out
}

// renames maps the old names of renamed tools to the new ones: by the comparison
// with the base, and by what people vouch for.
func (as *assessment) renames(before []ToolRef) map[string]string {
	out := map[string]string{}
	for _, n := range as.named {
		if n.ServerID == as.server.ID && n.Profile == as.release.Profile && n.EndedAt.IsZero() {
			out[n.Old] = n.New
		}
	}
	names := map[int]string{}
	for _, t := range before {
		names[t.Position] = t.Name
	}
	for _, c := range as.outline.Changes {
		if c.OldPosition > 0 && c.NewPosition > 0 && c.NewPosition <= len(as.candidate.tools) {
			if old, new := names[c.OldPosition], as.candidate.tools[c.NewPosition-1].Name; old != "" && old != new {
				out[old] = new
			}
		}
	}
	return out
}

// exact returns the tool that a new anchor names on its side.
func (s *sides) exact(at Anchor) *surface.Tool {
	switch {
	case at.Tool == "" && at.Side == OldSide:
		return s.was
	case at.Tool == "":
		return s.about
	case at.Side == OldSide:
		return s.old[at.Tool]
	}
	return s.new[at.Tool]
}

// place says what became of a thread's place on its side.
func (s *sides) place(t *Thread) Place {
	at := t.Anchor
	if at.whole() {
		return s.placeOfListing(at)
	}
	now := s.exact(at)
	if now == nil && at.Side == NewSide {
		now = s.new[s.renamed[at.Tool]]
	}
	p := port(at, now)
	head := now
	if at.Side == OldSide && at.Tool == "" {
		head = s.about
	} else if at.Side == OldSide {
		if head = s.new[at.Tool]; head == nil {
			head = s.new[s.renamed[at.Tool]]
		}
	}
	p.Taken, p.Position = s.takenUp(t.Comments, at.Pointer, head), -1
	if head != nil {
		p.Position = head.Position
	}
	return p
}

// placeOfListing says whether the listing that a thread is about is still the one that
// its side has.
func (s *sides) placeOfListing(at Anchor) Place {
	now := s.listing
	if at.Side == OldSide {
		now = s.before
	}
	switch {
	case now.IsZero():
		return Place{State: PlaceGone}
	case at.Digest.IsZero() || at.Digest == now:
		return Place{State: PlaceExact}
	}
	return Place{State: PlaceChanged}
}

// takenUp lists the comments whose suggestion stands at the place now, pushed after
// it was made: nobody took what stood there already.
func (s *sides) takenUp(comments []Comment, pointer string, head *surface.Tool) []int {
	if head == nil {
		return nil
	}
	value, ok := valueAt(head.Raw, pointer)
	if !ok {
		return nil
	}
	var out []int
	for i, c := range comments {
		if c.Suggests != nil && !c.At.After(s.pushed) && c.Suggests.New == textOf(value) {
			out = append(out, i)
		}
	}
	return out
}
