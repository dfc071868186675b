package web

import (
	"slices"
	"strings"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/change"
	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/views"
)

// facets is what a decision, or a changed tool, can be looked for by.
type facets struct {
	class                       change.Class
	hidden, cut, unseen         bool
	me, mine, threads, unviewed bool
}

type filterKind struct {
	value, text string
	class       change.Class
	is          func(facets) bool
}

// filters of decisions and tools, in order. Classes are alternatives to each other;
// everything else narrows.
var filters = []filterKind{
	{value: "me", text: "Needs me", is: func(f facets) bool { return f.me }},
	{value: "breaking", text: "Breaking", class: change.Breaking},
	{value: "undecided", text: "Undecided", class: change.Undecided},
	{value: "behaviour", text: "Behaviour", class: change.Behaviour},
	{value: "text", text: "Text", class: change.Text},
	{value: "compatible", text: "Compatible", class: change.Compatible},
	{value: "hidden", text: "Hidden characters", is: func(f facets) bool { return f.hidden }},
	{value: "cut", text: "Moves a cut", is: func(f facets) bool { return f.cut }},
	{value: "unseen", text: "Invisible in a host", is: func(f facets) bool { return f.unseen }},
	{value: "threads", text: "Open threads", is: func(f facets) bool { return f.threads }},
	{value: "unviewed", text: "Not viewed", is: func(f facets) bool { return f.unviewed }},
	{value: "mine", text: "Answered by me", is: func(f facets) bool { return f.mine }},
}

// chosen splits the filters of an address, as in "breaking,me".
func chosen(filter string) []string {
	return strings.FieldsFunc(filter, func(r rune) bool { return r == ',' })
}

// known leaves of the filters of an address those that there are: another was mistyped,
// or is of another version of the program, and would only be carried on.
func known(filter string) string {
	names := slices.DeleteFunc(chosen(filter), func(name string) bool {
		return !slices.ContainsFunc(filters, func(f filterKind) bool { return f.value == name })
	})
	return strings.Join(names, ",")
}

// keeps reports whether the filters of an address leave something.
func keeps(filter string, f facets) bool {
	names := chosen(filter)
	classes, class := false, false
	for _, k := range filters {
		if !slices.Contains(names, k.value) {
			continue
		}
		if k.class != "" {
			classes, class = true, class || f.class == k.class
		} else if !k.is(f) {
			return false
		}
	}
	return class || !classes
}

// toggled is an address's filters with one more, or one less.
func toggled(filter, value string) string {
	names := chosen(filter)
	if i := slices.Index(names, value); i >= 0 {
		return strings.Join(slices.Delete(names, i, i+1), ",")
	}
	return strings.Join(append(names, value), ",")
}

// pills are the filters that leave something, each with how many it would leave
// together with the others that are chosen.
func (p *releasePresenter) pills(all []facets) []views.Pill {
	names := chosen(p.q.filter)
	var out []views.Pill
	for _, k := range filters {
		on := slices.Contains(names, k.value)
		n := countKept(withFilter(names, k.value), all)
		if n > 0 && countKept(k.value, all) < len(all) || on {
			out = append(out, views.Pill{Text: k.text, Count: thousands(n), URL: p.filterURL(toggled(p.q.filter, k.value)), Current: on})
		}
	}
	if len(out) == 0 {
		return nil // nothing to choose
	}
	return append([]views.Pill{{Text: "All", Count: thousands(len(all)), URL: p.filterURL(""), Current: len(names) == 0}}, out...)
}

// withFilter are the filters that are chosen, but of the classes only value if it is
// one.
func withFilter(names []string, value string) string {
	out := []string{value}
	for _, k := range filters {
		if slices.Contains(names, k.value) && k.value != value && (k.class == "" || !isClass(value)) {
			out = append(out, k.value)
		}
	}
	return strings.Join(out, ",")
}

func isClass(value string) bool {
	for _, k := range filters {
		if k.value == value {
			return k.class != ""
		}
	}
	return false
}

func countKept(filter string, all []facets) int {
	n := 0
	for _, f := range all {
		if keeps(filter, f) {
			n++
		}
	}
	return n
}

// filterURL is the view that is shown, filtered otherwise.
func (p *releasePresenter) filterURL(filter string) string {
	view := p.q.view
	if view == viewDecisions {
		view = ""
	}
	return p.path("view", view, "filter", filter, "q", p.q.names, "lens", p.q.lens)
}

// cardFacets are those of the decisions that are open.
func (p *releasePresenter) cardFacets() []facets {
	var out []facets
	for i := range p.cards {
		if p.cards[i].open() {
			out = append(out, p.facetsOf(&p.cards[i]))
		}
	}
	return out
}

// facetsOf are those of a decision: what one of its changes has, it has.
func (p *releasePresenter) facetsOf(c *card) facets {
	f := facets{class: c.class, hidden: c.hidden, cut: len(c.cuts) > 0, unseen: len(c.unseen) > 0, me: c.can, mine: c.mine != ""}
	for _, i := range c.changes {
		ch := &p.v.Changes[i]
		f.threads = f.threads || ch.Threads > 0
		f.unviewed = f.unviewed || p.unviewed(ch)
	}
	return f
}

// changeFacets are those of a changed tool.
func (p *releasePresenter) changeFacets(ch *review.Decided) facets {
	sight := p.sightOf(ch.ID)
	return facets{
		class: ch.Class, hidden: ch.Hidden, cut: len(sight.Moved) > 0, unseen: len(sight.Unseen)+len(sight.Edits) > 0,
		mine: ch.Mine != "", threads: ch.Threads > 0, unviewed: p.unviewed(ch),
		me: ch.CanDecide && ch.Mine == "" && ch.Requirement != nil && ch.Requirement.State == gate.Open,
	}
}

// unviewed reports whether the reader could mark a change as viewed and did not.
func (p *releasePresenter) unviewed(ch *review.Decided) bool {
	return p.me != "" && p.compare == nil && !p.v.Viewed[ch.ID]
}
