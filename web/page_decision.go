package web

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/change"
	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/prose"
	"github.com/countersign/countersign/review/surface"
	"github.com/countersign/countersign/views"
)

// card is one decision: some edits on some changes, and where it stands.
type card struct {
	id       string
	class    change.Class
	sentence string
	hidden   bool
	pairs    []editOn
	changes  []int // of the view, in its order
	words    int   // new ones to read

	state  cardState
	can    bool // somebody asked for it, and the actor may answer
	cannot string
	mine   review.VerdictKind // the actor's answer, when it is the same to all
	said   []*review.Verdict

	unseen []string   // hosts in which nothing of it reaches the model
	cuts   []movedCut // what it takes across the cut of a host
}

// editOn is one edit of one change: what an answer is stored for.
type editOn struct {
	edit   string
	change int
	detail *change.Detail
}

type cardState int

const (
	cardOpen cardState = iota
	cardApproved
	cardRejected
	cardSettled // nothing is asked for
)

func (c *card) open() bool { return c.state == cardOpen }

// makeCards makes a card of each decision of the report, and of each change that no
// decision covers, so that nothing is without a place to be seen and answered.
func (p *releasePresenter) makeCards() []card {
	if p.v.Report == nil {
		return nil
	}
	var cards []card
	covered, lonely := map[editKey]bool{}, p.lonely()
	for _, d := range p.v.Report.Decisions {
		c := card{class: d.Class, sentence: d.Sentence, hidden: d.Hidden}
		for _, id := range d.Changes {
			if i, ok := p.index[id]; ok && lonely[i] {
				if own := p.byItself(i, d.Sentence, covered); len(own.pairs) > 0 {
					cards = append(cards, p.finish(own))
				}
				continue
			}
			p.cover(&c, id, d.Edits, covered)
		}
		if len(c.pairs) > 0 {
			cards = append(cards, p.finish(c))
		}
	}
	for i := range p.v.Changes {
		ch := &p.v.Changes[i]
		for j := range ch.Details {
			det := &ch.Details[j]
			if covered[editKey{det.Edit, i}] || det.Class == change.None {
				continue
			}
			c := card{class: det.Class, sentence: det.Sentence, hidden: det.Hidden}
			p.cover(&c, ch.ID, []string{det.Edit}, covered)
			cards = append(cards, p.finish(c))
		}
	}
	return cards
}

// lonely are the changes that brought in a high finding, and that one answer would
// otherwise cover together with others.
func (p *releasePresenter) lonely() map[int]bool {
	out := map[int]bool{}
	for _, d := range p.v.Report.Decisions {
		for _, id := range d.Changes {
			if i, ok := p.index[id]; ok && len(d.Changes) > 1 && p.v.Changes[i].Findings.High() {
				out[i] = true
			}
		}
	}
	return out
}

// byItself is one decision on everything that a change has: what brought in a high
// finding is never answered together with other tools.
func (p *releasePresenter) byItself(i int, sentence string, covered map[editKey]bool) card {
	ch := &p.v.Changes[i]
	c := card{class: ch.Class, sentence: sentence, hidden: ch.Hidden}
	var edits []string
	for _, det := range ch.Details {
		if det.Class != change.None {
			edits = append(edits, det.Edit)
		}
	}
	p.cover(&c, ch.ID, edits, covered)
	return c
}

type editKey struct {
	edit   string
	change int
}

// cover adds the edits that a change has of a decision.
func (p *releasePresenter) cover(c *card, id string, edits []string, covered map[editKey]bool) {
	i, ok := p.index[id]
	if !ok {
		return
	}
	ch := &p.v.Changes[i]
	for _, edit := range edits {
		det := detailOf(ch, edit)
		key := editKey{edit, i}
		if det == nil || covered[key] {
			continue
		}
		covered[key] = true
		c.pairs = append(c.pairs, editOn{edit, i, det})
		if !slices.Contains(c.changes, i) {
			c.changes = append(c.changes, i)
		}
	}
}

func detailOf(ch *review.Decided, edit string) *change.Detail {
	for i := range ch.Details {
		if ch.Details[i].Edit == edit {
			return &ch.Details[i]
		}
	}
	return nil
}

// finish finds out where the card stands.
func (p *releasePresenter) finish(c card) card {
	first := c.pairs[0]
	c.id = fmt.Sprintf("d-%s-%s", first.edit, p.v.Changes[first.change].ID)
	c.words = newWords(c.pairs)
	p.look(&c)
	rejected, answered, settled := false, true, true
	mine := map[review.VerdictKind]int{}
	for _, pr := range c.pairs {
		ch := &p.v.Changes[pr.change]
		st := stateOf(ch, p.answers[pr.change], pr.edit, p.me, p.self)
		rejected = rejected || st.rejected
		settled = settled && st.settled
		answered = answered && (st.approved || st.settled)
		if st.mine != nil {
			mine[st.mine.Kind]++
		}
		c.said = append(c.said, st.said...)
		if ch.CanDecide {
			c.can = true
		} else if c.cannot == "" {
			c.cannot = ch.CannotWhy
		}
	}
	c.state = stateOfCard(rejected, answered, settled, len(c.said) > 0)
	for kind, n := range mine {
		if n == len(c.pairs) {
			c.mine = kind
		}
	}
	return c
}

func stateOfCard(rejected, answered, settled, said bool) cardState {
	switch {
	case rejected:
		return cardRejected
	case settled && !said:
		return cardSettled
	case answered:
		return cardApproved
	}
	return cardOpen
}

// newWords counts the words that somebody who decides has not read before.
func newWords(pairs []editOn) int {
	n := 0
	seen := map[string]bool{}
	for _, pr := range pairs {
		if seen[pr.edit] {
			continue
		}
		seen[pr.edit] = true
		n += len(strings.Fields(pr.detail.Gained))
		if pr.detail.ID == "tool.added" {
			n += addedWords(pr.detail)
		}
	}
	return n
}

// addedWords counts the description of a new tool.
func addedWords(det *change.Detail) int {
	t, err := surface.NewTool(1, jsontext.Value(det.New))
	if err != nil {
		return 0
	}
	return wordsOf(&t)
}

func (p *releasePresenter) decisions() *views.DecisionsView {
	v := &views.DecisionsView{Pills: p.pills(p.cardFacets()), Folded: p.folded()}
	open, closed := p.order(p.q.filter)
	page := p.pageAsked(append(slices.Clone(open), closed...))
	first, end := page*cardsAtOnce, (page+1)*cardsAtOnce
	for i, c := range open {
		if i < first || i >= end {
			continue
		}
		// Once it is answered the next one stands in its place.
		back := p.cardsPath(p.q.filter, page)
		if i+1 < len(open) {
			back += "#" + open[i+1].id
		}
		v.Open = append(v.Open, p.decision(c, back))
	}
	for i, c := range closed {
		if i += len(open); i >= first && i < end {
			v.Closed = append(v.Closed, p.decision(c, p.cardsPath(p.q.filter, page)))
		}
	}
	v.Pages = p.cardPages(page, len(open)+len(closed))
	v.ClosedLabel = plural(len(closed), "decision that is not open", "decisions that are not open")
	v.ClosedOpen = len(open) == 0 && len(closed) > 0 && len(closed) <= 12
	if len(open) == 0 {
		v.Empty = views.Say(p.nothingOpen(len(closed)))
	}
	return v
}

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
func (p *releasePresenter) cardPages(page, n int) *views.PageLinks {
	if n <= cardsAtOnce {
		return nil
	}
	first, end := page*cardsAtOnce, min(n, (page+1)*cardsAtOnce)
	out := &views.PageLinks{Text: fmt.Sprintf("Decisions %s to %s of %s", thousands(first+1), thousands(end), thousands(n))}
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

// decision shows a card; back is where its form leads to afterwards.
func (p *releasePresenter) decision(c *card, back string) views.Decision {
	first := &p.v.Changes[c.changes[0]]
	sentence, meta, also := headline(c)
	d := views.Decision{
		ID: c.id, Badge: views.ClassBadge(c.class), Sentence: views.Say(sentence), Also: also, Hidden: c.hidden,
		AlsoLabel: plural(len(also), "edit", "edits"), Meta: slices.Concat(meta, p.sightOn(c), p.foundOn(c)), Witness: p.witness(c), Evidence: p.evidence(c), Answer: p.answerForm(c, back),
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
			d.CommentURL = p.path("view", viewTools, "tool", first.ID, "at", c.pairs[0].detail.Pointer) + "#comment"
		}
	}
	if b, ok := closedBadges[c.state]; ok {
		d.State = &b
	}
	if c.state == cardSettled && first.Requirement != nil {
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

// headline is the sentence of a card with what is worth knowing of it, and the edits
// that it doesn't speak of, each with its own. Of several edits on one tool it is the
// strongest one's.
func headline(c *card) (string, []views.Sentence, []views.Effect) {
	distinct := distinctEdits(c)
	switch {
	case len(distinct) == 1 || cameOrWent(c):
		return c.sentence, metaOf(c, distinct...), nil
	case len(c.changes) > 1:
		return c.sentence, nil, effectsOf(c, distinct)
	}
	strongest := 0
	for i, det := range distinct {
		if det.Class.Rank() > distinct[strongest].Class.Rank() {
			strongest = i
		}
	}
	return distinct[strongest].Sentence, metaOf(c, distinct[strongest]), effectsOf(c, slices.Delete(slices.Clone(distinct), strongest, strongest+1))
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

// effectsOf lists edits, each with how many of the card's tools have it.
func effectsOf(c *card, list []*change.Detail) []views.Effect {
	on := map[string]int{}
	for _, pr := range c.pairs {
		on[pr.edit]++
	}
	var out []views.Effect
	for _, det := range list {
		e := views.Effect{Badge: views.ClassBadge(det.Class), Sentence: views.Say(det.Sentence), Meta: metaOf(c, det)}
		if len(c.changes) > 1 {
			e.Same = "on " + toolCount(on[det.Edit])
		}
		out = append(out, e)
	}
	return out
}

func (p *releasePresenter) witness(c *card) *views.Witness {
	for _, pr := range c.pairs {
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

// evidence shows what changed in the form that shows it best: of one edit its
// texts or values, of a tool that came or went the tool.
func (p *releasePresenter) evidence(c *card) *views.Evidence {
	first := c.pairs[0]
	ch := &p.v.Changes[first.change]
	switch {
	case ch.Subject == change.SubjectOrder:
		return p.orderEvidence()
	case ch.Kind == change.Added && len(c.changes) == 1, ch.Kind == change.Removed && len(c.changes) == 1:
		return p.toolEvidence(ch)
	case cameOrWent(c):
		return p.toolsEvidence(c)
	case len(c.changes) > 1 && !sameEdit(c):
		return nil // each tool has its own: they are a click away
	}
	return p.editEvidence(c, ch)
}

func sameEdit(c *card) bool {
	for _, pr := range c.pairs {
		if pr.edit != c.pairs[0].edit {
			return false
		}
	}
	return true
}

func (p *releasePresenter) orderEvidence() *views.Evidence {
	e := &views.Evidence{}
	for _, m := range p.v.Report.Moved {
		e.Order = append(e.Order, views.OrderLine{Name: views.ShowName(m.Tool), From: thousands(m.From), To: thousands(m.To)})
	}
	return e
}

func (p *releasePresenter) toolEvidence(ch *review.Decided) *views.Evidence {
	s, ok := p.sides(ch)
	if !ok || ch.Subject != change.SubjectTool {
		return p.instructionsEvidence(ch)
	}
	s.comment = nil
	t := s.view()
	t.Input.Rows = withoutAnchors(t.Input.Rows)
	return &views.Evidence{Tool: &t}
}

// toolsEvidence shows the words of tools that came or went together.
func (p *releasePresenter) toolsEvidence(c *card) *views.Evidence {
	e := &views.Evidence{}
	for _, i := range c.changes {
		ch := &p.v.Changes[i]
		s, ok := p.sides(ch)
		if !ok {
			continue
		}
		t := views.ToolWords{NameLink: views.NameLink{Name: views.ShowName(subjectName(ch)), URL: p.toolURL(ch.ID)}}
		t.Words = s.text(surface.Tool.Description)
		if t.Words.State == views.NoText {
			t.NoWords = "No description."
		}
		e.Tools = append(e.Tools, t)
	}
	return e
}

// withoutAnchors leaves rows without ids: in a page of many cards they would not
// be unique.
func withoutAnchors(rows []views.SchemaRow) []views.SchemaRow {
	for i := range rows {
		rows[i].Anchor = ""
	}
	return rows
}

func (p *releasePresenter) instructionsEvidence(ch *review.Decided) *views.Evidence {
	if len(ch.Details) == 0 {
		return nil
	}
	return &views.Evidence{Texts: []views.PlacedText{{Text: p.texts(&ch.Details[0])}}}
}

// editEvidence shows the edits of a card: texts whole and side by side, each text
// once however many of its passages changed; of a property that came or went its
// row of the table; else the values.
func (p *releasePresenter) editEvidence(c *card, ch *review.Decided) *views.Evidence {
	e := &views.Evidence{}
	seen := map[string]bool{}
	var rows []*change.Detail // shown as rows of the table
	for _, pr := range c.pairs {
		det := pr.detail
		if pr.change != c.changes[0] {
			continue
		}
		if inTable(det) {
			rows = append(rows, det)
			continue
		}
		if seen[det.Pointer] {
			continue
		}
		seen[det.Pointer] = true
		switch {
		case isText(det):
			e.Texts = append(e.Texts, views.PlacedText{Place: placeIfMany(c, det), Text: p.passage(c, det)})
		case strings.HasPrefix(det.ID, "tool."):
		default:
			if v := views.PairUp(jsonText(det.Old), jsonText(det.New)); v.Differs() {
				e.Values = append(e.Values, views.PlacedValue{Place: placeName(det.Pointer), Value: v})
			}
		}
	}
	e.Table = p.rowsAt(ch, rows)
	if len(e.Texts) == 0 && len(e.Values) == 0 && e.Table == nil {
		return nil
	}
	return e
}

// inTable reports whether a row of the table shows an edit best: a property that came
// or went, or that only became required or optional. The list of those that are
// required says nothing by itself.
func inTable(det *change.Detail) bool { return isProperty(det) || isRequired(det) }

func isRequired(det *change.Detail) bool {
	return det.Property != "" && strings.HasSuffix(det.Pointer, "/required") && (kindOf(det.Old) == '[' || kindOf(det.New) == '[')
}

// isProperty reports whether a detail is a property that came or went.
func isProperty(det *change.Detail) bool {
	noun, _, _ := strings.Cut(det.ID, ".")
	return noun == "property" && det.Direction != "" && (kindOf(det.Old) == '{') != (kindOf(det.New) == '{')
}

// rowsAt are the rows of a tool's schemas that some edits are about.
func (p *releasePresenter) rowsAt(ch *review.Decided, edits []*change.Detail) *views.SchemaDiff {
	s, ok := p.sides(ch)
	if len(edits) == 0 || !ok {
		return nil
	}
	s.comment = nil
	t := views.SchemaDiff{Title: "Properties of " + views.ShowName(subjectName(ch)).String(), Compared: true}
	for _, d := range []views.SchemaDiff{s.schema("", "/inputSchema", surface.Tool.InputSchema), s.schema("", "/outputSchema", surface.Tool.OutputSchema)} {
		for _, r := range d.Rows {
			if slices.ContainsFunc(edits, func(det *change.Detail) bool { return showsEdit(r, det) }) {
				t.Rows = append(t.Rows, r)
			}
		}
	}
	if len(t.Rows) == 0 {
		return nil
	}
	t.Rows = withoutAnchors(t.Rows)
	return &t
}

func showsEdit(r views.SchemaRow, det *change.Detail) bool {
	if isRequired(det) {
		return r.Path.Raw() == det.Property && under(r.Pointer, "/"+det.Direction+"Schema")
	}
	return under(r.Pointer, det.Pointer)
}

// placeIfMany names the place when a card is about several.
func placeIfMany(c *card, det *change.Detail) string {
	if len(pointersOf(c)) > 1 {
		return placeName(det.Pointer)
	}
	return ""
}

// isText reports whether a detail is about prose: then it is shown side by side.
func isText(det *change.Detail) bool {
	if det.Lost != "" || det.Gained != "" {
		return true
	}
	return strings.HasSuffix(det.Pointer, "/description") && (kindOf(det.Old) == '"' || kindOf(det.New) == '"')
}

func kindOf(raw []byte) jsontext.Kind { return jsontext.Value(raw).Kind() }

// passage shows an edit of a text: whole on one tool, and on many only the passage
// that they share.
func (p *releasePresenter) passage(c *card, det *change.Detail) views.TextDiff {
	if len(c.changes) > 1 && (det.Lost != "" || det.Gained != "") {
		old, new := p.labels()
		return views.Texts(orNilText(det.Lost), orNilText(det.Gained), old, new)
	}
	return p.texts(det)
}

func orNilText(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// texts compares the whole texts of a detail.
func (p *releasePresenter) texts(det *change.Detail) views.TextDiff {
	old, new := p.labels()
	return views.Texts(rawText(det.Old), rawText(det.New), old, new)
}

// rawText is the text of a JSON string; of another value its JSON; nil of none.
func rawText(raw []byte) *string {
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	s := jsonText(raw)
	return &s
}

// answerForm asks for an answer, or lets one be taken back.
func (p *releasePresenter) answerForm(c *card, back string) *views.AnswerForm {
	if !c.can {
		if c.open() {
			return &views.AnswerForm{Cannot: c.cannot}
		}
		return nil
	}
	if c.state == cardSettled {
		return nil
	}
	f := &views.AnswerForm{
		ID: c.id, URL: p.act("verdicts"), Back: back, About: views.Say(c.sentence).String(), Subject: p.subject(c),
		Items: p.items(c), NoteHint: p.noteHint(c),
	}
	switch c.mine {
	case review.Approve:
		f.Mine = "You approved this."
	case review.Reject:
		f.Mine = "You rejected this."
	}
	p.keep(f)
	return f
}

// keep shows in a form what was typed into it and could not be stored, and why.
func (p *releasePresenter) keep(f *views.AnswerForm) {
	box, draft := p.drafts.box(verdictTarget(f.Items))
	f.Draft = box
	var typed []views.Trial
	var ticked []string
	if draft != nil && draft.Items != nil {
		f.Note, typed = draft.Note(), typedBefore(draft.Items[0].Evidence)
		f.Drafted = string(draft.Verdict())
	}
	k := p.q.kept
	switch {
	case k == nil:
	case k.about(f.Items):
		f.Note, f.Fault, p.faultPlaced, typed, ticked = k.note, p.q.fault, true, k.trials, k.profiles
	case len(p.q.stale) > 0 && k.subject == f.Subject:
		f.Note, typed, ticked = k.note, k.trials, k.profiles
	}
	if f.Mine == "" {
		f.Twins = p.twinTicks(f.Items, ticked)
		rows := 1
		if f.Whole != "" {
			rows = wholeTrials
		}
		f.Trials = trialFields(typed, rows)
	}
}

// twinTicks are the other profiles that wait for an answer to changes of a form.
func (p *releasePresenter) twinTicks(items, ticked []string) []views.TwinTick {
	if len(p.v.Twins) == 0 {
		return nil
	}
	asked := map[string]bool{}
	for _, item := range items {
		for _, word := range strings.Fields(item) {
			if _, is := p.index[word]; is {
				asked[word] = true
			}
		}
	}
	var out []views.TwinTick
	for i := range p.v.Twins {
		t := &p.v.Twins[i]
		n := 0
		for id := range asked {
			if p.twinHas(i, id) {
				n++
			}
		}
		if n == 0 {
			continue
		}
		tick := views.TwinTick{Profile: t.Profile, Name: views.ShowName(t.Profile + " " + t.Title), Ticked: slices.Contains(ticked, t.Profile)}
		if n < len(asked) {
			tick.Count = thousands(n) + " of " + plural(len(asked), "change", "changes")
		}
		out = append(out, tick)
	}
	return out
}

// twinHas reports whether the nth twin has a change, from a set made once a page: a
// page has a form for each decision.
func (p *releasePresenter) twinHas(n int, id string) bool {
	for i := len(p.twinSets); i <= n; i++ {
		set := make(map[string]bool, len(p.v.Twins[i].Changes))
		for _, had := range p.v.Twins[i].Changes {
			set[had] = true
		}
		p.twinSets = append(p.twinSets, set)
	}
	return p.twinSets[n][id]
}

// subject names what a form is about, so that an answer which came too late can be
// matched to what is there now.
func (p *releasePresenter) subject(c *card) string {
	if len(c.changes) == 1 {
		return views.ShowName(subjectName(&p.v.Changes[c.changes[0]])).String()
	}
	return views.Say(c.sentence).String()
}

// items are the edits with the changes that were shown: "ed_… ch_… ch_…".
func (p *releasePresenter) items(c *card) []string {
	var order []string
	on := map[string][]string{}
	for _, pr := range c.pairs {
		ch := &p.v.Changes[pr.change]
		if !ch.CanDecide {
			continue
		}
		if on[pr.edit] == nil {
			order = append(order, pr.edit)
		}
		on[pr.edit] = append(on[pr.edit], ch.ID)
	}
	var out []string
	for _, edit := range order {
		out = append(out, edit+" "+strings.Join(on[edit], " "))
	}
	return out
}

func (p *releasePresenter) noteHint(c *card) string {
	for _, pr := range c.pairs {
		ch := &p.v.Changes[pr.change]
		ask := gate.Ask{Class: pr.detail.Class, Removal: ch.Kind == change.Removed, Hidden: pr.detail.Hidden, High: ch.Findings.High()}
		if !p.v.Server.Policy.Line(ask).Reason {
			continue
		}
		why := views.ClassBadge(pr.detail.Class).Word
		if ch.Findings.High() {
			why = "a finding of severity " + string(ch.Findings.New)
		}
		if pr.detail.Hidden {
			why = "hidden characters"
		}
		return "Reason (needed to approve: " + why + ")"
	}
	return "Reason"
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
