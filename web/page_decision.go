package web

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/change"
	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/prose"
	"github.com/countersign/countersign/views"
)

func (p *releasePresenter) decisions() *views.DecisionsView {
	v := &views.DecisionsView{Pills: p.pills(p.cardFacets()), Folded: p.folded()}
	open, closed := p.order(p.q.filter)
	page := p.pageAsked(append(slices.Clone(open), closed...))
	first, end := page*cardsAtOnce, (page+1)*cardsAtOnce
	here, waiting := p.cardsPath(p.q.filter, page), p.waiting(open)
	for i, c := range open {
		if i < first || i >= end {
			continue
		}
		v.Open = append(v.Open, p.decision(c, here, cmpOr(p.afterCard(open, waiting, i), withFragment(here, gateFragment))))
	}
	for i, c := range closed {
		if i += len(open); i >= first && i < end {
			v.Closed = append(v.Closed, p.decision(c, here, ""))
		}
	}
	v.Pages = p.cardPages(page, len(open)+len(closed), len(open))
	v.ClosedLabel = plural(len(closed), "decision that is not open", "decisions that are not open")
	v.ClosedOpen = len(open) == 0 && len(closed) > 0 && len(closed) <= 12
	if len(open) == 0 {
		v.Empty = views.Say(p.nothingOpen(len(closed)))
	}
	return v
}

// waiting are the places of the decisions that wait for the reader.
func (p *releasePresenter) waiting(open []*card) []int {
	var places []int
	for i, c := range open {
		if p.waitsForMe(c) {
			places = append(places, i)
		}
	}
	return places
}

// afterCard leads from the nth decision, once it is answered, to the next one that waits
// for the reader, past the end to the first that they left out; "" for none. What is
// answered leaves the list, so those behind it stand one place further up.
func (p *releasePresenter) afterCard(open []*card, waiting []int, n int) string {
	i, _ := slices.BinarySearch(waiting, n+1)
	if i == len(waiting) {
		i = 0
	}
	if len(waiting) == 0 || waiting[i] == n {
		return ""
	}
	next := waiting[i]
	page := next / cardsAtOnce
	if next > n {
		page = (next - 1) / cardsAtOnce
	}
	return withFragment(p.cardsPath(p.q.filter, page), open[next].id)
}

// gateFragment is where the gate's answer stands in its page: what is next is there when
// nothing is left to answer.
const gateFragment = "gate"

// cardsAtOnce bounds a page: browsers get slow beyond some thousand elements, and
// nobody reads two hundred decisions at one go. The rest is a link away.
const cardsAtOnce = 60

// order lists the cards as they are shown: those that are open and that a filter
// keeps, then those that are not.
func (p *releasePresenter) order(filter string) (open, closed []*card) {
	for i := range p.cards {
		switch c := &p.cards[i]; {
		case !c.open():
			closed = append(closed, c)
		case keeps(filter, p.facetsOf(c)):
			open = append(open, c)
		}
	}
	return open, closed
}

// pageAsked is the page of cards that the address asks for, or the one whose answer
// was just refused.
func (p *releasePresenter) pageAsked(all []*card) int {
	page := p.q.page
	if p.q.kept != nil {
		if i := slices.IndexFunc(all, func(c *card) bool { return p.q.kept.about(p.items(c)) }); i >= 0 {
			page = i / cardsAtOnce
		}
	}
	return max(0, min(page, (len(all)-1)/cardsAtOnce))
}

// cardsPath is a page of cards; the first has no number.
func (p *releasePresenter) cardsPath(filter string, page int) string {
	if page == 0 {
		return p.path("filter", filter)
	}
	return p.path("filter", filter, "page", strconv.Itoa(page+1))
}

// cardPath leads to a card, on whatever page it stands.
func (p *releasePresenter) cardPath(id string) string {
	open, closed := p.order("")
	i := slices.IndexFunc(append(open, closed...), func(c *card) bool { return c.id == id })
	return p.cardsPath("", max(0, i)/cardsAtOnce) + "#" + id
}

// cardPages leads through the pages of cards; nil when there is one.
func (p *releasePresenter) cardPages(page, n, open int) *views.PageLinks {
	if n <= cardsAtOnce {
		return nil
	}
	first, end := page*cardsAtOnce, min(n, (page+1)*cardsAtOnce)
	out := &views.PageLinks{Text: fmt.Sprintf("Decisions %s to %s of %s", thousands(first+1), thousands(end), thousands(n))}
	if open < n {
		out.Text += ", " + thousands(open) + " of them open"
	}
	if page > 0 {
		out.Before = &views.Link{Text: plural(cardsAtOnce, "decision", "decisions") + " before", URL: p.cardsPath(p.q.filter, page-1)}
	}
	if end < n {
		out.After = &views.Link{Text: plural(min(cardsAtOnce, n-end), "decision", "decisions") + " after", URL: p.cardsPath(p.q.filter, page+1)}
	}
	return out
}

func (p *releasePresenter) nothingOpen(closed int) string {
	switch {
	case p.v.Report == nil:
		return "There is no comparison yet. Load this page again in a moment."
	case p.q.filter != "":
		return "Nothing open here."
	case closed > 0 && p.v.Answer.Result == gate.Blocked && slices.ContainsFunc(p.cards, func(c card) bool { return c.waits }):
		return "You answered everything. What is open waits for others."
	case closed > 0:
		return "No decision is open."
	case p.v.Base != nil:
		return "Nothing differs from " + quoted(p.v.Base.Title()) + "."
	}
	return "There is nothing to decide."
}

var closedBadges = map[cardState]views.Badge{
	cardApproved: {Tone: views.OK, Icon: "check", Word: "approved"},
	cardRejected: {Tone: views.Bad, Icon: "cross", Word: "rejected"},
	cardSettled:  {Tone: views.Plain, Icon: "check", Word: "accepted"},
}

// decision shows a card of the page here; next is what to go on with once it is
// answered.
func (p *releasePresenter) decision(c *card, here, next string) views.Decision {
	back := here + "#" + c.id
	first := &p.v.Changes[c.changes[0]]
	sentence, about, rest := headline(c)
	also, more := foldEdits(p.effectsOf(c, rest), rest)
	d := views.Decision{
		ID: c.id, Badge: views.ClassBadge(c.class), Sentence: views.Say(sentence), Also: also, More: more, Hidden: c.hidden,
		MoreLabel: plural(len(more), "more edit", "more edits"), Meta: slices.Concat(metaOf(c, about...), p.sightOn(c), p.foundOn(c, sentence)), Witness: p.witness(c, about), Evidence: p.evidence(c), Answer: p.answerForm(c, back, next),
	}
	if len(c.changes) == 1 {
		d.On, d.OnURL = views.ShowName(subjectName(first)), p.toolURL(first.ID)
		if c.open() {
			d.Comment = p.commentForm(first, c.id+"-c", pointersOf(c), back)
		}
	} else {
		d.OnMany = toolCount(len(c.changes))
		for _, i := range c.changes {
			if cameOrWent(c) {
				break // listed with their words
			}
			d.Tools = append(d.Tools, views.NameLink{Name: views.ShowName(subjectName(&p.v.Changes[i])), URL: p.toolURL(p.v.Changes[i].ID)})
		}
		if p.v.Actions.Comment == "" {
			d.CommentURL = p.path("view", viewTools, "tool", first.ID, "at", c.pairs[0].detail.Pointer) + "#comment-body"
		}
	}
	if b, ok := closedBadges[c.state]; ok {
		if c.waits {
			b.Word = "you approved"
		}
		d.State = &b
	}
	if (c.state == cardSettled || c.waits) && first.Requirement != nil {
		d.Needs = views.Say(first.Requirement.Why)
	}
	for _, v := range distinct(c.said) {
		d.Said = append(d.Said, p.s.verdictLine(v))
	}
	return d
}

// subjectName is how a change is called on pages.
func subjectName(ch *review.Decided) string {
	switch ch.Subject {
	case change.SubjectInstructions:
		return "instructions"
	case change.SubjectOrder:
		return "order of the list"
	}
	if ch.Tool == nil {
		return toolName("", max(ch.NewPosition, ch.OldPosition))
	}
	return toolName(*ch.Tool, max(ch.NewPosition, ch.OldPosition))
}

func pointersOf(c *card) []string {
	var out []string
	for _, pr := range c.pairs {
		if pr.detail.Pointer != "" && !slices.Contains(out, pr.detail.Pointer) {
			out = append(out, pr.detail.Pointer)
		}
	}
	return out
}

// metaOf says what else is worth knowing of some edits, once each: notes that differ
// only in their example are one.
func metaOf(c *card, of ...*change.Detail) []views.Sentence {
	var out []views.Sentence
	seen := map[string]bool{}
	for _, pr := range c.pairs {
		if !slices.ContainsFunc(of, func(det *change.Detail) bool { return det.Edit == pr.edit }) {
			continue
		}
		for _, s := range []*string{pr.detail.Effect, pr.detail.Note} {
			if s == nil || *s == "" {
				continue
			}
			text, _, _ := strings.Cut(*s, " Such as:")
			if !seen[text] {
				seen[text] = true
				out = append(out, views.Say(asSentence(*s)))
			}
		}
	}
	return out
}

// asSentence begins with a capital and ends with a full stop.
func asSentence(s string) string {
	first, size := utf8.DecodeRuneInString(s)
	s = string(unicode.ToUpper(first)) + s[size:]
	if strings.ContainsAny(s[len(s)-1:], ".:!?}]`\"") {
		return s
	}
	return s + "."
}

// headline is the sentence of a card with the edits that it speaks of, and those that
// it doesn't. Of several edits on one tool it is the strongest one's.
func headline(c *card) (sentence string, about, rest []*change.Detail) {
	distinct := distinctEdits(c)
	switch {
	case len(distinct) == 1 || cameOrWent(c):
		return c.sentence, distinct, nil
	case len(c.changes) > 1:
		return c.sentence, nil, distinct
	}
	strongest := 0
	for i, det := range distinct {
		if det.Class.Rank() > distinct[strongest].Class.Rank() {
			strongest = i
		}
	}
	return distinct[strongest].Sentence, distinct[strongest : strongest+1], slices.Delete(slices.Clone(distinct), strongest, strongest+1)
}

func distinctEdits(c *card) []*change.Detail {
	var out []*change.Detail
	seen := map[string]bool{}
	for _, pr := range c.pairs {
		if !seen[pr.edit] {
			seen[pr.edit] = true
			out = append(out, pr.detail)
		}
	}
	return out
}

// cameOrWent reports whether a card is about whole tools: they are shown one by
// one.
func cameOrWent(c *card) bool {
	for _, pr := range c.pairs {
		if pr.detail.ID != "tool.added" && pr.detail.ID != "tool.removed" {
			return false
		}
	}
	return true
}

// effectsOf lists edits, each with the call that shows the break. Of a card about
// several tools each has the tools that it is on and its words as well: the card itself
// can't show them.
func (p *releasePresenter) effectsOf(c *card, list []*change.Detail) []views.Effect {
	on := map[string][]editOn{}
	for _, pr := range c.pairs {
		on[pr.edit] = append(on[pr.edit], pr)
	}
	var out []views.Effect
	for _, det := range list {
		one := card{pairs: on[det.Edit], part: true}
		e := views.Effect{Badge: views.ClassBadge(det.Class), Sentence: views.Say(det.Sentence), Meta: metaOf(c, det), Witness: p.witness(&one, []*change.Detail{det})}
		if len(c.changes) > 1 {
			for _, pr := range one.pairs {
				one.changes = append(one.changes, pr.change)
			}
			e.Same, e.Tools = p.editTools(c, &one)
			e.Evidence = p.evidence(&one)
		}
		out = append(out, e)
	}
	return out
}

// editTools says on which of the card's tools one of its edits is, by name where it is
// not on all.
func (p *releasePresenter) editTools(c, one *card) (string, []views.NameLink) {
	if len(one.changes) == len(c.changes) {
		return "on all " + toolCount(len(c.changes)), nil
	}
	var names []views.NameLink
	for _, i := range one.changes {
		ch := &p.v.Changes[i]
		names = append(names, views.NameLink{Name: views.ShowName(subjectName(ch)), URL: p.toolURL(ch.ID)})
	}
	return "on " + toolCount(len(names)), names
}

// editsAtOnce is how many edits are listed without being asked for.
const editsAtOnce = 8

// foldEdits keeps a long list short: what is more than a wording stays in sight, however
// much of it there is.
func foldEdits(list []views.Effect, of []*change.Detail) (open, folded []views.Effect) {
	strong := 0
	for _, det := range of {
		if mustBeSeen(det) {
			strong++
		}
	}
	room := editsAtOnce - strong // for the others
	for i, e := range list {
		switch {
		case len(list) <= editsAtOnce || mustBeSeen(of[i]):
			open = append(open, e)
		case room > 0:
			open = append(open, e)
			room--
		default:
			folded = append(folded, e)
		}
	}
	return open, folded
}

func mustBeSeen(det *change.Detail) bool {
	return det.Hidden || det.Class.Rank() >= change.Behaviour.Rank()
}

// witness is a call that shows one of some edits; nil for none.
func (p *releasePresenter) witness(c *card, of []*change.Detail) *views.Witness {
	for _, pr := range c.pairs {
		if !slices.ContainsFunc(of, func(det *change.Detail) bool { return det.Edit == pr.edit }) {
			continue
		}
		if w := p.witnessOf(&p.v.Changes[pr.change], pr.detail); w != nil {
			return w
		}
	}
	return nil
}

func (p *releasePresenter) witnessOf(ch *review.Decided, det *change.Detail) *views.Witness {
	if len(det.Witness) == 0 || string(det.Witness) == "null" {
		return nil
	}
	old, new := p.labels()
	lead := "This call worked in " + old + " and fails in " + new + ":"
	if det.Direction == "output" {
		lead = "This result was not possible in " + old + " and is in " + new + ":"
	}
	return &views.Witness{
		Lead: lead, Tool: views.ShowName(subjectName(ch)), Args: prose.Show(string(det.Witness)), Plain: string(det.Witness),
	}
}

// folded is noise and sameness, as one honest line each.
func (p *releasePresenter) folded() []views.FoldLine {
	if p.v.Report == nil {
		return nil
	}
	out := foldLines(p.v.Report, func(ch *change.Change) views.NameLink {
		return views.NameLink{Name: views.ShowName(ch.Name()), URL: p.toolURL(ch.ID)}
	})
	if n := p.v.Report.Counts.Same; n > 0 {
		out = append(out, views.FoldLine{Text: views.Say(plural(n, "tool is the same.", "tools are the same."))})
	}
	return out
}

var foldSentences = map[string]string{
	"annotation.default-made-explicit": "a default of the protocol is now spelled out. No effect.",
	"annotation.default-made-implicit": "a default of the protocol is no longer spelled out. No effect.",
	"null.made-explicit":               "a field that was absent is null now, which says nothing. No effect.",
	"null.made-implicit":               "a field that was null is absent now. No effect.",
	"range.narrowed":                   "an integer is bounded now at 2^53-1, beyond which JSON readers round. No effect.",
	"range.widened":                    "an integer is no longer bounded at 2^53-1, beyond which JSON readers round. No effect.",
}

// foldLines shows what was folded away, with the tools to be opened.
func foldLines(r *change.Report, link func(*change.Change) views.NameLink) []views.FoldLine {
	var out []views.FoldLine
	for _, f := range r.Folded {
		line := views.FoldLine{}
		sentence := foldSentences[f.ID]
		for i := range r.Changes {
			ch := &r.Changes[i]
			for _, det := range ch.Details {
				if det.ID == f.ID && det.Class == change.None {
					line.Tools = append(line.Tools, link(ch))
					sentence = cmpOr(sentence, det.Sentence)
					break
				}
			}
		}
		line.Text = views.Say(toolCount(f.Tools) + ": " + sentence)
		out = append(out, line)
	}
	return out
}
