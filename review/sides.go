package review

import (
	"context"
	"time"

	"github.com/countersign/countersign/review/surface"
)

// sides are the tools on both sides of a release that threads are about, read with
// a fixed number of store calls.
type sides struct {
	old, new map[string]*surface.Tool // by name; of namesakes the first
	renamed  map[string]string        // old name to new
	about    *surface.Tool            // the instructions of the newer side
	pushed   time.Time                // the newer side
}

// newSides reads what anchors name, under the names of either side.
func newSides(ctx context.Context, tx Tx, as *assessment, anchors []Anchor) (*sides, error) {
	s := &sides{about: instructionsAsTool(as.listing.Instructions), pushed: as.revision.PushedAt}
	var before []ToolRef
	if as.base != nil {
		id := as.base.Head.ListingID
		refs, err := tx.ToolRefs(ctx, []string{id})
		if err != nil {
			return nil, err
		}
		before = refs[id]
	}
	s.renamed = as.renames(before)
	wanted := map[string]bool{}
	for _, at := range anchors {
		wanted[at.Tool], wanted[s.renamed[at.Tool]] = true, true
	}
	delete(wanted, "")
	old, new := firstNamed(before, wanted), firstNamed(as.candidate.tools, wanted)
	hashes := make([]surface.Hash, 0, len(old)+len(new)+1)
	for _, t := range append(old, new...) {
		hashes = append(hashes, t.RawHash)
	}
	raw, err := tx.Slices(ctx, append(hashes, surface.Hash{}))
	s.old, s.new = toolsOf(old, raw), toolsOf(new, raw)
	return s, err
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
	if at.Tool == "" && at.Pointer == "" {
		return Place{State: PlaceExact}
	}
	now := s.exact(at)
	if now == nil && at.Side == NewSide {
		now = s.new[s.renamed[at.Tool]]
	}
	p := port(at, now)
	head := now
	if at.Side == OldSide {
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
