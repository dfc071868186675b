package change

import (
	"cmp"
	"slices"

	"github.com/countersign/countersign/review/surface"
)

// comparer fills a report, subject by subject.
type comparer struct {
	report *Report
	opt    Options
	pairs  *pairing
}

func (c *comparer) add(ch Change) {
	for _, d := range ch.Details {
		ch.Class = Max(ch.Class, d.Class)
		ch.Hidden = ch.Hidden || d.Hidden
	}
	c.report.Changes = append(c.report.Changes, ch)
}

// tools adds the changes of tools: those of the new listing in its order, then
// what was removed in the order of the old.
func (c *comparer) tools(old, new []surface.Tool) {
	pairs := make(map[*surface.Tool]pair, len(c.pairs.pairs))
	for _, p := range c.pairs.pairs {
		pairs[p.new] = p
	}
	for i := range new {
		t := &new[i]
		p, paired := pairs[t]
		switch {
		case !paired:
			c.add(addedTool(t))
		case p.old.Name != t.Name:
			c.add(c.renamedTool(p))
		case !p.same():
			c.add(c.changedTool(p))
		}
	}
	if c.report.Partial {
		return
	}
	for _, t := range c.pairs.removed {
		to, ok := c.opt.Aliases[t.Name]
		ok = ok && slices.ContainsFunc(new, func(n surface.Tool) bool { return n.Name == to })
		if !ok {
			to = ""
		}
		c.add(removedTool(t, to))
	}
}

func addedTool(t *surface.Tool) Change {
	d := Detail{
		ID: "tool.added", Class: Behaviour, Sentence: "New tool " + quoteName(t.Name) + ".",
		New: encoded(t.Name),
	}
	if d.Destroys = t.SaysDestructive(); d.Destroys {
		d.Sentence += " It says that it may destroy data."
	}
	d.sayHidden(freshMarks(nil, stringsOf(t.Raw)))
	return Change{
		ID: ID(SubjectTool, t.Name, "", surface.Hash{}, t.Digest), Subject: SubjectTool, Tool: &t.Name,
		To: t.Digest, Kind: Added, Details: []Detail{d.keyed("")}, NewPosition: t.Position,
	}
}

// removedTool describes a tool that is gone. alias is the tool that answers for its
// name now, "" for none.
func removedTool(t *surface.Tool, alias string) Change {
	d := Detail{
		ID: "tool.removed", Class: Breaking, Old: encoded(t.Name),
		Sentence: "The tool " + quoteName(t.Name) + " is gone. Calls of it now fail.",
	}
	if alias != "" {
		d.Class = Behaviour
		d.Sentence = "The tool " + quoteName(t.Name) + " is gone. An alias answers for it with " + quoteName(alias) + "."
	}
	return Change{
		ID: ID(SubjectTool, t.Name, "", t.Digest, surface.Hash{}), Subject: SubjectTool, Tool: &t.Name,
		From: t.Digest, Kind: Removed, Details: []Detail{d.keyed("")}, OldPosition: t.Position,
	}
}

func (c *comparer) changedTool(p pair) Change {
	return Change{
		ID: ID(SubjectTool, p.new.Name, "", p.old.Digest, p.new.Digest), Subject: SubjectTool, Tool: &p.new.Name,
		From: p.old.Digest, To: p.new.Digest, Kind: Changed, Class: None, Details: c.details(p),
		OldPosition: p.old.Position, NewPosition: p.new.Position,
	}
}

func (c *comparer) renamedTool(p pair) Change {
	ch := c.changedTool(p)
	ch.ID = ID(SubjectTool, p.new.Name, p.old.Name, p.old.Digest, p.new.Digest)
	ch.Kind, ch.FromTool, ch.Confidence = Renamed, &p.old.Name, &p.confidence
	ch.Details = slices.Insert(ch.Details, 0, renameDetail(p))
	return ch
}

func renameDetail(p pair) Detail {
	d := Detail{
		ID: "tool.renamed", Class: Breaking, Pointer: "/name",
		Old: encoded(p.old.Name), New: encoded(p.new.Name),
		Sentence: quoteName(p.old.Name) + " is now " + quoteName(p.new.Name) + ". Calls by the old name now fail.",
	}
	if p.aliased {
		d.Class = Behaviour
		d.Sentence = quoteName(p.old.Name) + " is now " + quoteName(p.new.Name) + ". An alias answers for the old name."
	}
	if p.byHand {
		d.Note = ptr("A person paired the two.")
	}
	d.markHidden()
	return d.keyed("")
}

// instructions compares the server's instructions like a description. A listing
// that was captured without asking for them says nothing about them.
func (c *comparer) instructions(old, new surface.Instructions) {
	if !new.Asked && old.Present {
		c.note("The new listing was captured without asking for instructions, so they were not compared.")
	}
	if !new.Asked || (!old.Present && !new.Present) || (old.Present && new.Present && old.Text == new.Text) {
		return
	}
	if !old.Asked {
		c.note("The old listing was captured without asking for instructions, so all of them count as new.")
	}
	from, to := old.Digest(), new.Digest()
	ch := Change{ID: ID(SubjectInstructions, "", "", from, to), Subject: SubjectInstructions, From: from, To: to, Kind: Changed}
	switch {
	case !old.Present:
		ch.Kind, ch.From = Added, surface.Hash{}
	case !new.Present:
		ch.Kind, ch.To = Removed, surface.Hash{}
	}
	ch.ID = ID(SubjectInstructions, "", "", ch.From, ch.To)
	ch.Details = textDetails(instructionsField, instructionValue(old), instructionValue(new), "")
	c.add(ch)
}

func instructionValue(in surface.Instructions) *string {
	if !in.Present {
		return nil
	}
	return &in.Text
}

func (c *comparer) note(s string) { c.report.Notes = append(c.report.Notes, s) }

// finish derives everything that is made of the changes.
func (c *comparer) finish(old, new []surface.Tool) {
	r := c.report
	if !r.Partial {
		r.Merged = confirmConsolidations(c.pairs.removed, new, c.opt.Merges)
		r.Offered = withoutConsolidated(r.Offered, offerConsolidations(c.pairs.removed, c.targets(), c.opt.Merges))
		c.noteMerged()
	}
	r.Class = None
	for i := range r.Changes {
		r.Class = Max(r.Class, r.Changes[i].Class)
	}
	r.Counts = c.counts()
	r.Edits = groupEdits(r.Changes)
	r.Folded = foldNoise(r.Changes)
	r.Raised = raiseBulk(c.pairs.pairs)
	for _, b := range r.Raised {
		r.Class = Max(r.Class, b.Class)
	}
	if r.Partial {
		r.Class = Max(r.Class, Undecided) // what is absent may be gone
	}
	r.Decisions = c.decisions(old, new)
	r.Bump = DefaultBumpPolicy.Suggest(r)
	r.fill()
}

// noteMerged says at each tool that is gone which one does its work now.
func (c *comparer) noteMerged() {
	to := map[string]string{}
	for _, m := range c.report.Merged {
		for _, f := range m.From {
			to[f.Tool] = m.To
		}
	}
	for i := range c.report.Changes {
		ch := &c.report.Changes[i]
		if ch.Subject == SubjectTool && ch.Kind == Removed && to[ch.Name()] != "" {
			ch.Details[0].Note = ptr("A person says that " + quoteName(to[ch.Name()]) + " does its work now.")
		}
	}
}

// targets are the tools that may have taken over the work of others: new ones and
// changed ones.
func (c *comparer) targets() []*surface.Tool {
	all := slices.Clone(c.pairs.added)
	for _, p := range c.pairs.pairs {
		if !p.same() {
			all = append(all, p.new)
		}
	}
	return all
}

// fill replaces nil lists by empty ones: in JSON a list is never null.
func (r *Report) fill() {
	r.Changes = nonNil(r.Changes)
	r.Edits = nonNil(r.Edits)
	r.Folded = nonNil(r.Folded)
	r.Decisions = nonNil(r.Decisions)
	r.Raised = nonNil(r.Raised)
	r.Offered = nonNil(r.Offered)
	r.Merged = nonNil(r.Merged)
	r.Moved = nonNil(r.Moved)
	r.Notes = nonNil(r.Notes)
	for i := range r.Changes {
		r.Changes[i].Details = nonNil(r.Changes[i].Details)
	}
}

func nonNil[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

func (c *comparer) counts() Counts {
	var n Counts
	moved := map[int]bool{} // by new position
	for _, m := range c.report.Moved {
		moved[m.To] = true
	}
	for _, p := range c.pairs.pairs {
		switch {
		case p.old.Name != p.new.Name:
			n.Renamed++
		case !p.same():
			n.Changed++
		case moved[p.new.Position]:
			n.Moved++
		default:
			n.Same++
		}
	}
	n.Added = len(c.pairs.added)
	if !c.report.Partial {
		n.Removed = len(c.pairs.removed)
	}
	return n
}

// strongestFirst sorts by class, keeping the order among equals.
func strongestFirst[T any](s []T, class func(T) Class) {
	slices.SortStableFunc(s, func(a, b T) int { return cmp.Compare(class(b).Rank(), class(a).Rank()) })
}

func ptr[T any](v T) *T { return &v }
