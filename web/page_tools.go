package web

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/change"
	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/prose"
	"github.com/countersign/countersign/review/surface"
	"github.com/countersign/countersign/views"
)

// tools is the list of all tools with one of them open. Without a wish the first
// of the list is open, but not chosen: a narrow screen shows the list.
func (p *releasePresenter) tools() *views.ToolsView {
	v := &views.ToolsView{ListURL: p.toolURL(""), Overview: []string{"Nothing changed."}, At: p.standing(), Chosen: p.q.tool != ""}
	all := p.list()
	l := all.holding(p.q.names, p.q.filter)
	p.listed = l.inOrder()
	open := p.q.tool
	if open == "" {
		open = l.first()
	}
	v.Surface, v.Groups = l.rows(open)
	if p.compare == nil && p.q.names == "" && p.q.filter == "" {
		v.Surface = append([]views.ToolRow{p.surfaceRow(open)}, v.Surface...)
	}
	v.FindNext()
	if !p.q.part {
		p.besideRows(v, all, l)
	}
	if strings.HasPrefix(open, "n") {
		v.SameOpen = p.toolURL(open)
	}
	p.open(v, open)
	return v
}

// besideRows fills in what stands around the rows of the list: what filters them, and
// the tools that did not change.
func (p *releasePresenter) besideRows(v *views.ToolsView, all, l toolList) {
	v.Filter = p.filterForm(l.count(), all.count())
	if p.compare == nil {
		v.Pills = p.pills(all.facets())
	}
	v.Same, v.SameLabel = p.unchanged()
}

// standing is what of a release the whole page speaks of. A page of another standing
// is no place for a tool of this one.
func (p *releasePresenter) standing() string {
	if p.compare != nil {
		return p.compare.beside
	}
	return fmt.Sprintf("%d %s %s", p.v.Pulse.Revision, p.v.Pulse.Gate, p.v.Pulse.State)
}

// open fills in the tool that is open, and what belongs to it.
func (p *releasePresenter) open(v *views.ToolsView, id string) {
	if i, ok := p.index[id]; ok {
		ch := &p.v.Changes[i]
		t := p.toolView(ch)
		v.Open = &t
		if ch.Subject == change.SubjectTool {
			p.opened = opened{ch.Name(), formerName(ch), ch.NewPosition}
		}
		if p.compare == nil {
			v.Needs = p.needsOf(ch)
		}
		v.Findings = p.findingsAt(positionsOf(ch), id)
		v.Threads = p.threadsAbout(ch, id)
		v.Answers = p.verdictsOn(ch)
		return
	}
	if id == surfaceID && p.compare == nil && p.v.New != nil && p.v.Report != nil {
		p.wholeSurface(v)
		return
	}
	position, ok := strings.CutPrefix(id, "n")
	n, err := strconv.Atoi(position)
	if !ok || err != nil || p.whole == nil || n < 1 || n > len(p.whole.Tools) {
		if id != "" {
			v.Overview = []string{"This tool is not in this release.", "It may have changed again: choose it in the list."}
			if strings.HasPrefix(id, changePrefix) {
				v.Overview = []string{"This change is not in this release now.", "A push made another of it, or took it back: choose the tool in the list."}
			}
		}
		return
	}
	p.opened = opened{name: p.whole.Tools[n-1].Name, position: n}
	s := alone(&p.whole.Tools[n-1])
	s.comment = p.commentURL(id)
	t := s.view()
	t.AcrossURL = p.acrossURL(p.whole.Tools[n-1].Name)
	s.newLabel, s.old = "", nil
	p.waysToRead(&t, s, id, 0, n)
	t.Facts = []string{"the same on both sides", "position " + thousands(n)}
	t.Comment = p.commentOnTool(id, t.Name.String(), p.whole.Tools[n-1].Name, nil, &p.whole.Tools[n-1])
	v.Open = &t
	v.Findings = p.findingsAt([]int{n}, id)
	v.Threads = p.threadsOn(p.whole.Tools[n-1].Name, id)
}

// acrossURL is the page of a tool through all versions.
func (p *releasePresenter) acrossURL(name string) string {
	if p.compare != nil {
		return ""
	}
	return lineagePath(p.v.Server.Slug, p.v.Release.Profile, name)
}

// waysToRead shows the description rendered too, when asked, and copies it.
func (p *releasePresenter) waysToRead(t *views.ToolView, s sides, id string, oldAt, newAt int) {
	if p.compare != nil || t.Words.State == views.NoText {
		return
	}
	t.Render = renderSwitch(p.q.as, func(as string) string {
		return p.path("view", viewTools, "tool", id, "q", p.q.names, "as", as, "lens", p.q.lens)
	})
	t.Copies = p.exact(s, oldAt, newAt)
	if p.q.as == asRendered {
		t.Rendered = s.rendered()
	}
}

// sides are the two tools of a change; false when it is about no tool.
func (p *releasePresenter) sides(ch *review.Decided) (sides, bool) {
	s := sides{old: toolAt(p.v.Old, ch.OldPosition), new: toolAt(p.v.New, ch.NewPosition)}
	s.oldLabel, s.newLabel = p.labels()
	s.comment = p.commentURL(ch.ID)
	return s, ch.Subject == change.SubjectTool && (s.old != nil || s.new != nil)
}

// toolAt is the tool at a position, nil when there is none or its bytes were not
// loaded.
func toolAt(l *surface.Listing, position int) *surface.Tool {
	if l == nil || position < 1 || position > len(l.Tools) || len(l.Tools[position-1].Raw) == 0 {
		return nil
	}
	return &l.Tools[position-1]
}

var kindWords = map[change.Kind]string{
	change.Added: "new", change.Removed: "gone", change.Renamed: "renamed", change.Changed: "changed", change.Moved: "moved",
}

// toolView is the open tool of a change.
func (p *releasePresenter) toolView(ch *review.Decided) views.ToolView {
	s, isTool := p.sides(ch)
	var t views.ToolView
	if isTool {
		t = s.view()
		t.AcrossURL = p.acrossURL(ch.Name())
		p.waysToRead(&t, s, ch.ID, ch.OldPosition, ch.NewPosition)
		markRows(&t.Input, ch.Details)
		markRows(&t.Output, ch.Details)
	} else {
		t = p.surfaceView(ch)
	}
	badge := views.ClassBadge(ch.Class)
	t.ID, t.Badge = ch.ID, &badge
	t.Facts, t.Notes = append(factsOf(ch), p.sightFacts(ch)...), p.sightNotes(ch)
	if ch.NotRead {
		t.Facts = append(t.Facts, "not read by anybody yet")
	}
	t.Effects, t.Quiet = p.effects(ch)
	if p.compare == nil {
		t.Answer = p.wholeAnswer(ch)
		if p.me != "" {
			t.Viewed = &views.ViewedForm{URL: p.act("viewed"), ID: ch.ID, Viewed: p.v.Viewed[ch.ID], Back: withFragment(p.toolURL(ch.ID), toolFragment)}
		}
	}
	t.Comment = p.commentOnTool(ch.ID, subjectName(ch), "", pointersIn(ch), s.new)
	return t
}

// surfaceView is a change of the listing itself: instructions or order.
func (p *releasePresenter) surfaceView(ch *review.Decided) views.ToolView {
	t := views.ToolView{Name: views.ShowName(subjectName(ch)), Plain: true}
	if len(ch.Details) == 0 {
		return t
	}
	if ch.Subject == change.SubjectOrder {
		for _, m := range p.v.Report.Moved {
			t.Order = append(t.Order, views.OrderLine{Name: views.ShowName(m.Tool), From: thousands(m.From), To: thousands(m.To)})
		}
		return t
	}
	t.Words = p.texts(&ch.Details[0])
	if comment := p.commentURL(ch.ID); comment != nil {
		t.CommentURL = comment("/instructions")
	}
	return t
}

func factsOf(ch *review.Decided) []string {
	facts := []string{kindWords[ch.Kind]}
	if ch.Confidence != nil && *ch.Confidence < 1 {
		facts = append(facts, fmt.Sprintf("paired with %.0f %% confidence", *ch.Confidence*100))
	}
	switch {
	case ch.Subject != change.SubjectTool:
	case ch.NewPosition == 0:
		facts = append(facts, fmt.Sprintf("was at position %d", ch.OldPosition))
	case ch.OldPosition == 0 || ch.OldPosition == ch.NewPosition:
		facts = append(facts, fmt.Sprintf("position %d", ch.NewPosition))
	default:
		facts = append(facts, fmt.Sprintf("position %d, was %d", ch.NewPosition, ch.OldPosition))
	}
	return facts
}

// effects are what changes for a caller, strongest first; edits without effect
// come last.
func (p *releasePresenter) effects(ch *review.Decided) ([]views.Effect, views.Sentence) {
	shared := map[string]int{}
	for _, e := range p.v.Report.Edits {
		shared[e.Edit] = len(e.Changes)
	}
	details := slices.Clone(ch.Details)
	slices.SortStableFunc(details, func(a, b change.Detail) int { return cmp.Compare(b.Class.Rank(), a.Class.Rank()) })
	var out []views.Effect
	for i := range details {
		det := &details[i]
		e := views.Effect{Anchor: fmt.Sprintf("e%d", i+1), Badge: views.ClassBadge(det.Class), Sentence: views.Say(det.Sentence), Witness: p.witnessOf(ch, det)}
		for _, m := range []*string{det.Effect, det.Note} {
			if m != nil && *m != "" {
				e.Meta = append(e.Meta, views.Say(*m))
			}
		}
		if n := shared[det.Edit] - 1; n > 0 && p.compare == nil {
			e.Same, e.SameURL = "same edit on "+plural(n, "other tool", "other tools"), p.cardURL(det.Edit, ch.ID)
		}
		out = append(out, e)
	}
	if len(out) == 0 {
		return nil, views.Say("Nothing changes for a caller.")
	}
	return out, nil
}

// cardURL leads to the decision that an edit of a change is part of.
func (p *releasePresenter) cardURL(edit, id string) string {
	for i := range p.cards {
		for _, pr := range p.cards[i].pairs {
			if pr.edit == edit && p.v.Changes[pr.change].ID == id {
				return p.cardPath(p.cards[i].id)
			}
		}
	}
	return p.path()
}

// toolFragment is where the open tool stands in its page: who answers or ticks it finds
// the focus on it again.
const toolFragment = "tool"

// wholeAnswer answers a change as a whole.
func (p *releasePresenter) wholeAnswer(ch *review.Decided) *views.AnswerForm {
	if !ch.CanDecide {
		return &views.AnswerForm{Cannot: ch.CannotWhy}
	}
	f := &views.AnswerForm{
		ID: "whole", URL: p.act("verdicts"), Back: withFragment(p.toolURL(ch.ID), toolFragment), Next: p.nextWaiting(ch.ID), Items: []string{ch.ID}, Whole: "Approve all of it", NoteHint: noteOnly,
		About: views.ShowName(subjectName(ch)).String(), Subject: views.ShowName(subjectName(ch)).String(),
	}
	if p.v.Server.Policy.Line(ch.Ask("")).Reason {
		f.NoteHint, f.Needs = "Reason (needed to approve)", needsReason
	}
	f.Mine = mineSaid(ch.Mine)
	p.keep(f)
	return f
}

// nextWaiting leads from a tool to the next one of the list that waits for the reader,
// past the end to the first; where none does, to the gate's answer above the tool.
func (p *releasePresenter) nextWaiting(id string) string {
	here := slices.IndexFunc(p.listed, func(r listRow) bool { return r.id == id })
	for i := range p.listed {
		if r := p.listed[(here+1+i)%len(p.listed)]; r.id != id && r.facets.me && !p.drafts.answers(targetVerdict+r.id) {
			return withFragment(r.url, toolFragment)
		}
	}
	return withFragment(p.toolURL(id), gateFragment)
}

func pointersIn(ch *review.Decided) []string {
	var out []string
	for _, det := range ch.Details {
		if det.Pointer != "" && !slices.Contains(out, det.Pointer) {
			out = append(out, det.Pointer)
		}
	}
	return out
}

// needsOf is what the gate still asks of a change.
func (p *releasePresenter) needsOf(ch *review.Decided) []views.ReqLine {
	r := ch.Requirement
	if r == nil {
		return []views.ReqLine{{State: "met", Icon: "check", Text: views.Say("Nothing is asked for.")}}
	}
	return []views.ReqLine{reqLine(r.State, r.Why, r.WhoCan)}
}

func (p *releasePresenter) verdictsOn(ch *review.Decided) []views.VerdictLine {
	var out []views.VerdictLine
	for i := range slices.Backward(ch.Verdicts) {
		out = append(out, p.s.verdictLine(&ch.Verdicts[i]))
	}
	return out
}

// unchanged are the tools that are the same, to open one by one.
func (p *releasePresenter) unchanged() ([]views.NameLink, string) {
	changed := map[int]bool{}
	for i := range p.v.Changes {
		changed[p.v.Changes[i].NewPosition] = true
	}
	if p.v.New == nil {
		return nil, ""
	}
	var out []views.NameLink
	for i := range p.v.New.Tools {
		t := &p.v.New.Tools[i]
		if !changed[t.Position] && holds(t.Name, p.q.names) {
			out = append(out, views.NameLink{Name: views.ShowName(toolName(t.Name, t.Position)), URL: p.toolURL("n" + strconv.Itoa(t.Position))})
		}
	}
	return out, thousands(len(out)) + " unchanged"
}

// toolList is the list of changed tools, in families by risk.
type toolList struct {
	surface []listRow
	groups  []listGroup
}

type listGroup struct {
	name  string
	rows  []listRow
	worst int
}

type listRow struct {
	id, name string
	url      string
	kind     change.Kind
	class    change.Class
	state    cardState // of the change as a whole
	mine     review.VerdictKind
	notRead  bool // by anybody, since it came with the starting point
	facets   facets
	viewed   bool
	fresh    int // comments since the reader's last visit
	threads  int
	growth   int // in tokens
}

// list sorts the changes into families. Those that stand alone in theirs are
// listed together at the end.
func (p *releasePresenter) list() toolList {
	var rows []listRow
	for i := range p.v.Changes {
		ch := &p.v.Changes[i]
		row := listRow{
			id: ch.ID, name: subjectName(ch), url: p.toolURL(ch.ID), kind: ch.Kind, class: ch.Class, mine: ch.Mine, notRead: ch.NotRead, threads: ch.Threads, fresh: ch.Fresh,
			facets: p.changeFacets(ch), viewed: p.v.Viewed[ch.ID],
			state: p.standingOf(ch, p.answers[i]), growth: p.sightOf(ch.ID).Growth,
		}
		if ch.Subject != change.SubjectTool {
			row.url = p.toolURL(ch.ID)
		}
		rows = append(rows, row)
	}
	return makeList(rows, func(i int) bool { return p.v.Changes[i].Subject != change.SubjectTool }, p.familyOf(p.v.New), p.familyOf(p.v.Old))
}

// standingOf says in the list what is known of a change already.
func (p *releasePresenter) standingOf(ch *review.Decided, all answers) cardState {
	if p.compare != nil {
		return cardOpen
	}
	rejected := false
	for _, a := range all.by {
		rejected = rejected || a.whole != nil && a.whole.Kind == review.Reject
		for _, v := range a.edits {
			rejected = rejected || v.Kind == review.Reject
		}
	}
	switch {
	case rejected:
		return cardRejected
	case ch.Requirement == nil || ch.Requirement.State != gate.Open:
		return cardApproved
	}
	return cardOpen
}

// familyOf tells of one side's names which family each is in; without a side there are
// none.
func (p *releasePresenter) familyOf(l *surface.Listing) map[string]string {
	if l == nil {
		return nil
	}
	return p.s.svc.FamilyOf(&p.v.Server, toolNames(l))
}

func makeList(rows []listRow, isSurface func(int) bool, newFamily, oldFamily map[string]string) toolList {
	var l toolList
	at := map[string]int{}
	for i, r := range rows {
		if isSurface(i) {
			l.surface = append(l.surface, r)
			continue
		}
		name := cmpOr(newFamily[r.name], oldFamily[r.name])
		g, ok := at[name]
		if !ok {
			g = len(l.groups)
			at[name] = g
			l.groups = append(l.groups, listGroup{name: name})
		}
		l.groups[g].rows = append(l.groups[g].rows, r)
		l.groups[g].worst = max(l.groups[g].worst, r.class.Rank())
	}
	l.groups = lumpSingles(l.groups)
	slices.SortStableFunc(l.groups, func(a, b listGroup) int {
		return cmp.Or(cmp.Compare(b.worst, a.worst), cmp.Compare(len(b.rows), len(a.rows)))
	})
	return l
}

// lumpSingles puts families of which one tool changed together.
func lumpSingles(groups []listGroup) []listGroup {
	others := listGroup{name: othersGroup}
	var out []listGroup
	for _, g := range groups {
		if len(g.rows) > 1 && g.name != "" {
			out = append(out, g)
			continue
		}
		others.rows = append(others.rows, g.rows...)
		others.worst = max(others.worst, g.worst)
	}
	slices.SortStableFunc(others.rows, func(a, b listRow) int { return cmp.Compare(b.class.Rank(), a.class.Rank()) })
	if len(others.rows) > 0 {
		out = append(out, others)
	}
	return out
}

const othersGroup = "Others"

// inOrder are the rows as they stand one below the other.
func (l toolList) inOrder() []listRow {
	out := slices.Clone(l.surface)
	for _, g := range l.groups {
		out = append(out, g.rows...)
	}
	return out
}

// facets are those of all rows.
func (l toolList) facets() []facets {
	var out []facets
	for _, r := range l.inOrder() {
		out = append(out, r.facets)
	}
	return out
}

// holding keeps rows that the filters leave and whose names hold a text, whatever
// the case.
func (l toolList) holding(text, filter string) toolList {
	if text == "" && filter == "" {
		return l
	}
	keep := func(rows []listRow) []listRow {
		return slices.DeleteFunc(slices.Clone(rows), func(r listRow) bool { return !holds(r.name, text) || !keeps(filter, r.facets) })
	}
	out := toolList{surface: keep(l.surface)}
	for _, g := range l.groups {
		if g.rows = keep(g.rows); len(g.rows) > 0 {
			out.groups = append(out.groups, g)
		}
	}
	return out
}

func holds(name, text string) bool {
	return strings.Contains(strings.ToLower(name), strings.ToLower(text))
}

func (l toolList) count() int {
	n := len(l.surface)
	for _, g := range l.groups {
		n += len(g.rows)
	}
	return n
}

// fewTools are found without a filter.
const fewTools = 12

func (p *releasePresenter) filterForm(found, all int) *views.FilterForm {
	if all <= fewTools && p.q.names == "" && p.q.filter == "" {
		return nil
	}
	f := &views.FilterForm{URL: p.path(), Hidden: []views.HiddenField{{Name: "view", Value: viewTools}}, Text: p.q.names, Clear: p.path("view", viewTools)}
	if p.compare != nil {
		f.URL, f.Clear, f.Hidden = path(p.compare.at), p.compare.path("", ""), p.compare.hidden()
	}
	if p.compare == nil && p.q.lens != "" {
		f.Hidden = append(f.Hidden, views.HiddenField{Name: "lens", Value: p.q.lens})
		f.Clear = p.path("view", viewTools, "lens", p.q.lens)
	}
	if p.q.filter != "" {
		f.Hidden = append(f.Hidden, views.HiddenField{Name: "filter", Value: p.q.filter})
	}
	if p.q.names != "" || p.q.filter != "" {
		f.Found = thousands(found) + " of " + thousands(all) + " changed"
	}
	return f
}

// first is what is open when nothing is chosen.
func (l toolList) first() string {
	for _, g := range l.groups {
		return g.rows[0].id
	}
	if len(l.surface) > 0 {
		return l.surface[0].id
	}
	return ""
}

func (l toolList) rows(open string) (surface []views.ToolRow, groups []views.ToolGroup) {
	for _, r := range l.surface {
		surface = append(surface, r.view("", open))
	}
	for _, g := range l.groups {
		v := views.ToolGroup{Name: views.ShowName(g.name), Count: thousands(len(g.rows)), Sum: sumOf(g.rows)}
		prefix := ""
		if g.name != othersGroup {
			prefix = commonPrefix(g.rows)
		}
		for _, r := range g.rows {
			v.Tools = append(v.Tools, r.view(prefix, open))
		}
		groups = append(groups, v)
	}
	return surface, groups
}

var kindLetters = map[change.Kind]string{
	change.Added: "+", change.Removed: "−", change.Renamed: "→", change.Changed: "~", change.Moved: "↕",
}

// sumOf says what happened in a family: "~12 +2 +212 tok".
func sumOf(rows []listRow) string {
	n := map[change.Kind]int{}
	for _, r := range rows {
		n[r.kind]++
	}
	var parts []string
	for _, k := range []change.Kind{change.Changed, change.Added, change.Removed, change.Renamed} {
		if n[k] > 0 {
			parts = append(parts, kindLetters[k]+strconv.Itoa(n[k]))
		}
	}
	growth := 0
	for _, r := range rows {
		growth += r.growth
	}
	if growth != 0 {
		parts = append(parts, signed(growth)+" tok")
	}
	return strings.Join(parts, " ")
}

// commonPrefix is what the names of a family begin with, up to a separator: it is
// greyed, so that the rest can be read at a glance.
func commonPrefix(rows []listRow) string {
	if len(rows) < 2 {
		return ""
	}
	prefix := rows[0].name
	for _, r := range rows[1:] {
		n := 0
		for n < len(prefix) && n < len(r.name) && prefix[n] == r.name[n] {
			n++
		}
		prefix = prefix[:n]
	}
	end := strings.LastIndexFunc(prefix, func(r rune) bool { return r < unicode.MaxASCII && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return prefix[:end+1]
}

var classMarks = map[change.Class]string{
	change.Breaking: "✕ ", change.Undecided: "? ", change.Behaviour: "! ", change.Text: "≈ ", change.Compatible: "✓ ", change.None: "= ",
}

func (r listRow) view(prefix, open string) views.ToolRow {
	badge := views.ClassBadge(r.class)
	row := views.ToolRow{
		URL: r.url, Kind: kindLetters[r.kind], KindIs: kindWords[r.kind], Name: views.ShowName(strings.TrimPrefix(r.name, prefix)),
		Mark: classMarks[r.class] + badge.Word, Tone: badge.Tone, Current: r.id == open,
	}
	if prefix != "" && strings.HasPrefix(r.name, prefix) {
		row.Prefix = prose.Show(prefix)
	}
	switch {
	case r.mine == review.Approve:
		row.Mark, row.Tone = badge.Word+" ✓ you", views.OK
	case r.mine == review.Reject:
		row.Mark, row.Tone = badge.Word+" ✕ you", views.Bad
	case r.state == cardRejected:
		row.Mark, row.Tone = badge.Word+" ✕ rejected", views.Bad
	case r.notRead:
		row.Mark, row.Tone = "not read", views.Plain
	case r.state == cardApproved:
		row.Mark, row.Tone = "✓ done", views.OK
	}
	if r.threads > 0 {
		row.Threads = thousands(r.threads)
	}
	if r.fresh > 0 {
		row.Fresh = thousands(r.fresh) + " new"
	}
	row.Viewed = r.viewed
	if r.growth != 0 {
		row.Growth = signed(r.growth)
	}
	return row
}
