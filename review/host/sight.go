package host

import (
	"bytes"
	"slices"
	"strings"
)

// Edit is one detail of a change, as far as it matters to what a host sends.
type Edit struct {
	Pointer      string // into the definition
	Lost, Gained string // of a passage of a text: what was there, and what is there now
}

// Sight compares what one host sends of a server before and after an edit. It has
// one server on both sides.
type Sight struct {
	p      *Profile
	sides  [2]*renderer
	items  [2]map[int]*item // that are sent, by position
	trials int              // left
}

// mostTrials bounds how often one comparison renders a tool again without one of
// its edits. What is left counts as visible.
const mostTrials = 1000

// NewSight renders both sides.
func NewSight(p *Profile, old, new *Surface) *Sight {
	s := &Sight{p: p, trials: mostTrials}
	for i, surface := range []*Surface{old, new} {
		s.sides[i], s.items[i] = surface.send(p), map[int]*item{}
		for _, it := range s.sides[i].sent() {
			s.items[i][it.tool.position] = it
		}
	}
	return s
}

// Unseen reports for each edit of a tool whether nothing of it reaches the model:
// what the host sends would be the same without it. Positions are those of the tool
// on either side, 0 where it is not. An edit of which that can't be proved counts as
// seen.
func (s *Sight) Unseen(old, new int, edits []Edit) []bool {
	out := make([]bool, len(edits))
	a, b := s.items[0][old], s.items[1][new]
	if a == nil && b == nil || a != nil && b != nil && sameEntry(a, b) {
		for i := range out {
			out[i] = true
		}
		return out
	}
	if a == nil || b == nil || len(edits) < 2 {
		return out // all of it is there, or the one edit is what the model sees
	}
	t := &trial{s: s, a: a, b: b, tried: map[string]bool{}}
	for i, e := range edits {
		out[i] = t.unseen(e)
	}
	return out
}

// SameOrder reports whether the host sends the tools that are on both sides in the
// same order.
func (s *Sight) SameOrder() bool {
	both := map[string]int{}
	for _, r := range s.sides {
		for _, it := range r.sent() {
			both[it.fullName()]++
		}
	}
	var names [2][]string
	for i, r := range s.sides {
		for _, it := range r.sent() {
			if both[it.fullName()] > 1 {
				names[i] = append(names[i], it.fullName())
			}
		}
	}
	return slices.Equal(names[0], names[1])
}

// SameInstructions reports whether the same instructions reach the model.
func (s *Sight) SameInstructions() bool {
	return slices.Equal(s.sides[0].out.Instructions, s.sides[1].out.Instructions)
}

// Moved returns the sentences of a tool's description that an edit pushed behind
// the host's cut, and those that it brought in front of it.
func (s *Sight) Moved(old, new int) (behind, front []string) {
	a, b := s.items[0][old], s.items[1][new]
	if a == nil || b == nil {
		return nil, nil
	}
	before, now := s.p.clean(a.listedWords()), s.p.clean(b.listedWords())
	return s.p.MovedBehind(before, now), s.p.MovedBehind(now, before)
}

func (it *item) listedWords() string { return it.tool.exact.get("description").string() }

// clean makes a description as the host has it before it cuts.
func (p *Profile) clean(text string) string {
	if p.Description.Normal {
		text = visible(text)
	}
	if p.Description.Trim {
		text = trimSpace(text)
	}
	return text
}

// sameEntry reports whether a host sends the same for two tools.
func sameEntry(a, b *item) bool {
	return a.group == b.group && bytes.Equal(a.entry().bytes(), b.entry().bytes())
}

// trial renders one tool again without one of its edits.
type trial struct {
	s     *Sight
	a, b  *item
	alone *item           // the newer tool, rendered without its neighbours
	tried map[string]bool // by pointer
}

func (t *trial) unseen(e Edit) bool {
	if e.Pointer == "/description" && t.behind(e) {
		return true
	}
	at := t.differs(e.Pointer)
	if at == "" {
		return false
	}
	known, ok := t.tried[at]
	if !ok && t.s.trials > 0 {
		t.s.trials--
		known = t.without(at)
		t.tried[at] = known
	}
	return known
}

// behind reports whether a passage stands behind the cut on both sides, and nowhere
// in front of it.
func (t *trial) behind(e Edit) bool {
	hidden := func(it *item, passage string) bool {
		if passage == "" {
			return true
		}
		words := t.s.p.clean(it.listedWords())
		at := strings.Index(words, t.s.p.clean(passage))
		return at >= 0 && at >= t.s.p.CutAt(words)
	}
	return e.Lost+e.Gained != "" && hidden(t.a, e.Lost) && hidden(t.b, e.Gained)
}

// differs returns the pointer, or that of the closest value around it, at which the
// two definitions differ; "" when there is none.
func (t *trial) differs(pointer string) string {
	for pointer != "" {
		a, b := valueAt(t.a.tool.exact, pointer), valueAt(t.b.tool.exact, pointer)
		if (a == nil) != (b == nil) || a != nil && !a.same(b) {
			return pointer
		}
		pointer = pointer[:strings.LastIndexByte(pointer, '/')]
	}
	return ""
}

// without reports whether the host sends the same of the newer tool when the value
// at the pointer is what it was.
func (t *trial) without(pointer string) bool {
	if t.alone == nil {
		if t.alone = t.s.renderAlone(t.b.tool, t.b.tool.exact); t.alone == nil {
			return false
		}
	}
	undone, ok := replaced(t.b.tool.exact, splitPointer(pointer), valueAt(t.a.tool.exact, pointer))
	if !ok {
		return false
	}
	it := t.s.renderAlone(t.b.tool, undone)
	return it != nil && sameEntry(it, t.alone)
}

// renderAlone renders one definition under the server's name; nil when the host
// does not send it.
func (s *Sight) renderAlone(t *tool, root *node) *item {
	sv := &server{name: t.server.name, firstPage: 1}
	one := &tool{server: sv, name: root.get("name").string(), position: 1, exact: root, scripted: root.scripted(), doubled: root.doubled()}
	sv.tools = []*tool{one}
	sv.countNames()
	for _, it := range (&Surface{servers: []*server{sv}}).send(s.p).sent() {
		return it
	}
	return nil
}

// splitPointer splits a pointer.
func splitPointer(pointer string) []string {
	list := strings.Split(strings.TrimPrefix(pointer, "/"), "/")
	for i, s := range list {
		list[i] = unescapePointer(s)
	}
	return list
}

// valueAt returns the value that a pointer leads to, nil when there is none.
func valueAt(n *node, pointer string) *node {
	for _, step := range splitPointer(pointer) {
		if n.is('[') {
			i, ok := indexIn(n, step)
			if !ok {
				return nil
			}
			n = n.elems[i]
			continue
		}
		n = n.get(step)
	}
	return n
}

func indexIn(n *node, step string) (int, bool) {
	if !isIndex(step) || len(step) > 9 {
		return 0, false
	}
	i := int(parseDouble([]byte(step)))
	return i, i < len(n.elems)
}

// replaced returns n with another value at a place; nil takes the member away. It is
// false where there is no such place.
func replaced(n *node, at []string, v *node) (*node, bool) {
	if len(at) == 0 {
		return v, v != nil
	}
	switch {
	case n.is('{') && len(at) == 1 && v == nil:
		return n.without(at[0]), true
	case n.is('{') && len(at) == 1:
		return n.with(at[0], v), true
	case n.is('{') && n.has(at[0]):
		inner, ok := replaced(n.get(at[0]), at[1:], v)
		if !ok {
			return nil, false
		}
		return n.with(at[0], inner), true
	case n.is('['):
		i, ok := indexIn(n, at[0])
		if !ok {
			return nil, false
		}
		inner, ok := replaced(n.elems[i], at[1:], v)
		if !ok {
			return nil, false
		}
		elems := slices.Clone(n.elems)
		elems[i] = inner
		return array(elems...), true
	}
	return nil, false
}
