package web

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/change"
	"github.com/countersign/countersign/review/lint"
	"github.com/countersign/countersign/review/people"
	"github.com/countersign/countersign/review/prose"
	"github.com/countersign/countersign/review/surface"
	"github.com/countersign/countersign/views"
)

// findingPages are the forms on findings.
func findingPages(s *Server) []route {
	reviews, maintains := person(people.Reviewer), person(people.Maintainer)
	return []route{
		post("/releases/:id/waivers", reviews, s.waiveForm),
		post("/releases/:id/waivers/answer", reviews, s.answerProposedForm),
		post("/releases/:id/waivers/confirm", maintains, s.confirmWaiverForm),
		post("/releases/:id/waivers/end", reviews, s.endWaiverForm),
	}
}

func (s *Server) waiveForm(c echo.Context) error {
	form, err := s.form(c)
	if err != nil {
		return err
	}
	days, _ := strconv.Atoi(form.Get("days")) // what is no number takes the default
	id := c.Param("id")
	_, err = s.svc.Waive(c.Request().Context(), s.actor(c), id, review.NewWaiver{
		Fingerprint: form.Get("fingerprint"), Kind: lint.WaiverKind(form.Get("kind")), Reason: form.Get("reason"), Days: days,
	})
	return s.afterWaiver(c, err, form, "The finding is accepted for as long as its text stays what it is.")
}

func (s *Server) confirmWaiverForm(c echo.Context) error {
	form, err := s.form(c)
	if err != nil {
		return err
	}
	_, err = s.svc.ConfirmWaiver(c.Request().Context(), s.actor(c), c.Param("id"), form.Get("waiver"))
	return s.afterWaiver(c, err, form, "You are the second person: the waiver counts.")
}

func (s *Server) endWaiverForm(c echo.Context) error {
	form, err := s.form(c)
	if err != nil {
		return err
	}
	_, err = s.svc.EndWaiver(c.Request().Context(), s.actor(c), c.Param("id"), form.Get("waiver"), form.Get("reason"))
	return s.afterWaiver(c, err, form, "The waiver is taken back: the finding counts again.")
}

func (s *Server) answerProposedForm(c echo.Context) error {
	form, err := s.form(c)
	if err != nil {
		return err
	}
	answer := form.Get("answer")
	_, err = s.svc.AnswerProposedWaiver(c.Request().Context(), s.actor(c), c.Param("id"), review.ProposedAnswer{
		ID: form.Get("proposed"), Answer: answer, Why: form.Get("why"),
	})
	done := "Declined: whoever pushes is told why, and the same is not asked again."
	if answer == review.AnswerAccept {
		done = "Accepted: what the file proposed is a waiver now."
	}
	return s.afterWaiver(c, err, form, done)
}

// afterWaiver goes back to the tool that the form stood beside, or shows there
// what was wrong, with what was typed. Findings of the listing itself stand beside the
// decisions.
func (s *Server) afterWaiver(c echo.Context, err error, form url.Values, done string) error {
	tool, view := form.Get("back"), viewTools
	if tool == "" {
		view = ""
	}
	if err != nil {
		return s.refusedOnRelease(c, err, releaseRequest{view: cmpOr(view, viewDecisions), tool: tool, waiver: form})
	}
	s.sent(c, form)
	s.flash(c, flashDone, done)
	return c.Redirect(http.StatusSeeOther, besideTool(form, c.Param("id")))
}

// quotation is a comment that starts with a finding: what it says, in words of the
// rule, and the text that it is about; and the rule, for the thread.
func quotation(found []review.Finding, fingerprint string) (text, rule string) {
	for i := range found {
		f := &found[i]
		if !slices.ContainsFunc(f.Everywhere(), func(p lint.Place) bool { return p.Fingerprint == fingerprint }) {
			continue
		}
		text = fmt.Sprintf("%s (%s): %s\n\n", f.Rule, f.Severity, prose.Show(f.Message))
		if f.Excerpt != "" {
			text += "> " + strings.Join(strings.Fields(prose.Show(f.Excerpt).String()), " ") + "\n\n"
		}
		return text, f.Rule
	}
	return "", ""
}

// findingsAt are the findings that stand in a tool, or with no position those of
// the listing itself.
func (p *releasePresenter) findingsAt(positions []int, tool string) *views.FindingList {
	list := &views.FindingList{}
	var mine []review.Finding
	for _, i := range p.findingsInOrder(positions) {
		f := &p.v.Findings[i]
		mine = append(mine, *f)
		listFinding(list, f, p.finding(f, positions, tool, fmt.Sprintf("finding-%d", i)))
	}
	if len(mine) == 0 {
		return nil
	}
	list.Counts = findingBadges(review.CountFindings(mine))
	return list
}

// findingsInOrder are those that stand at positions, by index: the gravest first, those of
// one severity in the order in which a model reads their places.
func (p *releasePresenter) findingsInOrder(positions []int) []int {
	var found []int
	for i := range p.v.Findings {
		if slices.ContainsFunc(positions, p.v.Findings[i].Stands) {
			found = append(found, i)
		}
	}
	slices.SortStableFunc(found, func(a, b int) int {
		f, g := &p.v.Findings[a], &p.v.Findings[b]
		at, beside := placeAmong(f, positions).Pointer, placeAmong(g, positions).Pointer
		return cmp.Or(cmp.Compare(g.Severity.Rank(), f.Severity.Rank()), cmp.Compare(fieldRank(at), fieldRank(beside)), cmp.Compare(at, beside))
	})
	return found
}

// placeAmong is where a finding stands in what is at positions, else its first place.
func placeAmong(f *review.Finding, positions []int) lint.Place {
	for _, place := range f.Everywhere() {
		if slices.Contains(positions, place.Position) {
			return place
		}
	}
	return f.Place
}

// fieldRank is where the field of a pointer stands in a tool as the page shows it.
func fieldRank(pointer string) int {
	field, _, _ := strings.Cut(strings.TrimPrefix(pointer, "/"), "/")
	if at := slices.Index(shownFields, field); at >= 0 {
		return at
	}
	return len(shownFields)
}

// listFinding puts a finding where it belongs: what counts, what is only good to know,
// what somebody accepted as it is, what nobody could check, and what the policy turned
// off.
func listFinding(list *views.FindingList, f *review.Finding, v views.FindingView) {
	to := &list.Open
	switch {
	case f.Off():
		to = &list.Off
	case f.Unchecked:
		to = &list.Unchecked
	case f.Waived:
		to = &list.Waived
	case f.Severity == lint.Info:
		to = &list.Info
	}
	*to = append(*to, v)
}

// finding shows one finding beside the tool that it is about.
func (p *releasePresenter) finding(f *review.Finding, positions []int, tool, id string) views.FindingView {
	v, at := findingView(f, id), placeAmong(f, positions)
	v.Tool = nil
	v.Place = placeName(at.Pointer)
	for i := range f.Waivers {
		if f.Waivers[i].Fingerprint == at.Fingerprint {
			v.Waivers = append(v.Waivers, p.waiver(&f.Waivers[i], tool, fmt.Sprintf("%s-w%d", id, i)))
		}
	}
	for i := range f.Proposed {
		if f.Proposed[i].Fingerprint == at.Fingerprint || slices.Contains(positions, 0) {
			v.Proposed = append(v.Proposed, p.proposed(&f.Proposed[i], f, tool, fmt.Sprintf("%s-p%d", id, i)))
		}
	}
	if p.compare != nil || p.v.Actions.Comment != "" {
		return v
	}
	v.Quote = p.quoteURL(at, tool)
	if f.Counts() && len(v.Waivers) == 0 {
		v.Waive = p.waiveForm(f, at.Fingerprint, tool, id)
	}
	return v
}

// quoteURL leads to a comment that starts with a finding: on the tool where it stands, or
// on the whole release.
func (p *releasePresenter) quoteURL(at lint.Place, tool string) string {
	if tool == "" && at.Position > 0 {
		tool = "n" + strconv.Itoa(at.Position)
		for i := range p.v.Changes {
			if ch := &p.v.Changes[i]; ch.Subject == change.SubjectTool && ch.NewPosition == at.Position {
				tool = ch.ID
			}
		}
	}
	if tool == "" {
		return p.path("view", viewThreads, "quote", at.Fingerprint) + "#comment"
	}
	return p.path("view", viewTools, "tool", tool, "at", at.Pointer, "quote", at.Fingerprint) + "#comment"
}

// quoteOnRelease is quoteURL from elsewhere, where nobody knows what changed.
func quoteOnRelease(id string, at lint.Place) string {
	if at.Position < 1 {
		return releasePath(id, "view", viewThreads, "quote", at.Fingerprint) + "#comment"
	}
	return releasePath(id, "view", viewTools, "tool", "n"+strconv.Itoa(at.Position), "at", at.Pointer, "quote", at.Fingerprint) + "#comment"
}

// mayWaive reports whether the reader may accept a finding.
func (p *releasePresenter) mayWaive(f *review.Finding) bool {
	need := people.Reviewer
	if f.Severity.Rank() >= lint.High.Rank() {
		need = people.Maintainer
	}
	open := p.v.State == review.StateInReview || p.v.State == review.StateReady
	return open && p.v.Role.AtLeast(need) && (!p.own() || p.self)
}

// proposed shows what a file beside the code asks for, with the form to answer for who
// may. f is nil where it covers nothing.
func (p *releasePresenter) proposed(w *review.ProposedWaiver, f *review.Finding, tool, id string) views.ProposedView {
	v := views.ProposedView{
		Badge: views.WaiverBadge(w.Kind), Who: prose.Show(w.Author), PushedBy: prose.Show(w.PushedBy), When: p.s.when(w.At), Reason: prose.Show(w.Reason),
	}
	if w.Author == "" {
		v.Who = nil
	}
	if f != nil && len(f.Everywhere()) > 1 {
		for _, at := range f.Everywhere() {
			if at.Fingerprint == w.Fingerprint {
				v.Tool, v.Place = views.ShowName(at.Tool), placeName(at.Pointer)
			}
		}
	}
	if w.Expires != "" {
		v.Until = "to the end of " + w.Expires
	}
	if f != nil && p.compare == nil && p.v.Actions.Comment == "" && p.mayWaive(f) {
		v.Answer = &views.WaiverForm{ID: id, URL: p.act("waivers") + "/answer", Waiver: w.ID, Back: tool, About: f.Rule}
		typed := ""
		if p.q.waiver.Get("proposed") == w.ID {
			typed = p.q.waiver.Get("why")
		}
		v.Answer.Draft, v.Answer.Reason = p.drafts.texts(targetDecline+w.ID, typed)
		v.Second = f.Severity == lint.Critical
	}
	return v
}

// waiveForm offers to accept a finding to who may; nil to others.
func (p *releasePresenter) waiveForm(f *review.Finding, fingerprint, tool, id string) *views.WaiveForm {
	if !p.mayWaive(f) {
		return nil
	}
	form := &views.WaiveForm{
		ID: id, URL: p.act("waivers"), Fingerprint: fingerprint, Back: tool, About: f.Rule, Days: "180", Most: "365",
	}
	if f.Severity == lint.Critical {
		form.Days, form.Most, form.Second = "90", "90", true
	}
	if n := len(f.Everywhere()); n > 1 {
		form.Places = plural(n, "place", "places")
	}
	reason := ""
	if typed := p.q.waiver; typed.Get("fingerprint") == fingerprint {
		reason, form.Kind, form.Days = typed.Get("reason"), typed.Get("kind"), cmpOr(typed.Get("days"), form.Days)
	}
	form.Draft, form.Reason = p.drafts.texts(targetWaive+fingerprint, reason)
	return form
}

// own reports whether the reader wrote or pushed what is under review.
func (p *releasePresenter) own() bool {
	return p.me != "" && slices.ContainsFunc(p.v.Revisions, func(r review.Revision) bool { return r.PusherID == p.me || r.AuthorID == p.me })
}

func (p *releasePresenter) waiver(w *review.Waiver, tool, id string) views.WaiverView {
	v := views.WaiverView{
		Badge: views.WaiverBadge(w.Kind), Who: prose.Show(w.ByLabel), Reason: prose.Show(w.Reason), When: p.s.when(w.At),
		Until: w.Standing(p.s.opt.Now()), Second: prose.Show(w.ConfirmedByLabel), Pending: w.Pending(),
	}
	if w.Second() == "" {
		v.Second = nil
	}
	if p.compare != nil || p.v.Actions.Comment != "" {
		return v
	}
	maintainer := p.v.Role.AtLeast(people.Maintainer)
	if w.Pending() && maintainer && w.By != p.me && (!p.own() || p.self) {
		v.Confirm = &views.WaiverForm{ID: id, URL: p.act("waivers") + "/confirm", Waiver: w.ID, Back: tool, About: w.Rule}
	}
	if maintainer || w.By == p.me {
		v.TakeBack = &views.WaiverForm{ID: id, URL: p.act("waivers") + "/end", Waiver: w.ID, Back: tool, About: w.Rule}
		reason := ""
		if p.q.waiver.Get("waiver") == w.ID {
			reason = p.q.waiver.Get("reason")
		}
		v.TakeBack.Draft, v.TakeBack.Reason = p.drafts.texts(targetUnwaive+w.ID, reason)
	}
	return v
}

// findingView is what every page shows of a finding.
func findingView(f *review.Finding, id string) views.FindingView {
	v := views.FindingView{
		ID: id, Badge: views.SeverityBadge(f.Severity), Rule: f.Rule, New: f.New, Place: placeName(f.Pointer),
		Message: views.Say(f.Message), Fix: views.Say(f.Fix), Waived: !f.Counts(), Policy: byPolicy(f),
	}
	if f.Tool != "" {
		v.Tool = views.ShowName(f.Tool)
	} else if f.Position == 0 && f.Pointer == "" {
		v.Place = "the listing"
	}
	if n := len(f.Everywhere()); n > 1 {
		v.More = plural(n, "place", "places")
	}
	return v
}

// byPolicy says why a finding counts otherwise than its rule says, "" where it doesn't.
func byPolicy(f *review.Finding) string {
	switch {
	case f.RaisedBy != "":
		return "this change brought it in (" + f.RaisedBy + ")"
	case f.Policy == nil:
		return ""
	case f.Policy.Off:
		return "off by policy"
	}
	return "by policy, found as " + string(f.Policy.Found)
}

// findingBadges are counts per severity, strongest first.
func findingBadges(c review.FindingCounts) []views.CountBadge {
	var out []views.CountBadge
	for _, s := range []struct {
		severity lint.Severity
		n        int
	}{{lint.Critical, c.Critical}, {lint.High, c.High}, {lint.Warn, c.Warn}, {lint.Info, c.Info}} {
		if s.n > 0 {
			out = append(out, views.CountBadge{Badge: views.SeverityBadge(s.severity), N: thousands(s.n)})
		}
	}
	return out
}

// findingWords says in a line what was found; "" while unknown.
func findingWords(c *review.FindingCounts) string {
	if c == nil {
		return ""
	}
	var parts []string
	for _, b := range findingBadges(*c) {
		if b.Word != string(lint.Info) {
			parts = append(parts, b.N+" "+b.Word)
		}
	}
	words := "nothing found"
	if len(parts) > 0 {
		words = "findings: " + strings.Join(parts, ", ")
	}
	for _, apart := range []struct {
		n    int
		word string
	}{{c.Waived - c.Unchecked, "accepted"}, {c.Unchecked, "could not be checked"}, {c.Off, "off by policy"}} {
		if apart.n > 0 {
			words += ", " + thousands(apart.n) + " " + apart.word
		}
	}
	return words
}

// foundOn says in one line of a decision what its tools brought in, and what the
// gravest is when somebody has to give a reason for it and the headline, said, does not
// tell it already.
func (p *releasePresenter) foundOn(c *card, said string) []views.Sentence {
	var counts review.FindingCounts
	var worst *review.Finding
	for i := range p.v.Findings {
		f := &p.v.Findings[i]
		if !f.New || !f.Counts() || f.Severity.Rank() < lint.Warn.Rank() || !p.standsOn(f, c) {
			continue
		}
		counts.Add(f.Severity)
		if worst == nil || f.Severity.Rank() > worst.Severity.Rank() {
			worst = f
		}
	}
	if worst == nil {
		return nil
	}
	line := "New " + findingWords(&counts) + "."
	if worst.Severity.Rank() >= lint.High.Rank() && !strings.Contains(said, worst.Message) {
		line += " " + worst.Message
	}
	return []views.Sentence{views.Say(line)}
}

// standsOn reports whether a finding is about one of a decision's tools.
func (p *releasePresenter) standsOn(f *review.Finding, c *card) bool {
	return slices.ContainsFunc(c.changes, func(i int) bool {
		return slices.ContainsFunc(positionsOf(&p.v.Changes[i]), f.Stands)
	})
}

// listingFindings are the findings of a listing by itself.
func (s *Server) findingsOfListing(c echo.Context, id string, toolURL func(position int) string) (*views.FindingList, error) {
	view, err := s.svc.Findings(c.Request().Context(), s.actor(c), id)
	if err != nil {
		return nil, err
	}
	list := &views.FindingList{Counts: findingBadges(view.Counts())}
	for i := range view.Findings {
		f := &view.Findings[i]
		v := findingView(f, fmt.Sprintf("finding-%d", i))
		v.New = false
		if f.Position > 0 {
			v.URL = toolURL(f.Position)
		}
		if view.Release != nil && view.Role.AtLeast(people.Reviewer) {
			v.Quote = quoteOnRelease(view.Release.ID, f.Everywhere()[0])
		}
		listFinding(list, f, v)
	}
	if len(view.Findings) == 0 {
		list.None = "The rules found nothing."
	}
	return list, nil
}

// positionsOf are the places in the listing that a change is about.
func positionsOf(ch *review.Decided) []int {
	switch {
	case ch.Subject == change.SubjectInstructions:
		return []int{review.InInstructions}
	case ch.Subject == change.SubjectTool && ch.NewPosition > 0:
		return []int{ch.NewPosition}
	}
	return nil
}

// findingsOfSurface are those that are about the listing as a whole, or true of
// many of its tools.
func (p *releasePresenter) findingsOfSurface() *views.FindingList {
	list := &views.FindingList{Counts: findingBadges(review.CountFindings(p.v.Findings))}
	for _, i := range p.gravestFirst() {
		f := &p.v.Findings[i]
		if f.Position > 0 {
			continue
		}
		v := p.finding(f, []int{0}, "", fmt.Sprintf("finding-%d", i))
		if len(f.Places) > 0 && v.Quote != "" {
			v.Quote = p.quoteURL(f.Places[0], "") // a comment needs one place: the first says it
		}
		listFinding(list, f, v)
	}
	if len(p.v.Findings) == 0 {
		list.None = "The rules found nothing."
	}
	at := p.placesOfTools()
	list.Asked, list.Idle, list.Beside = p.askedElsewhere(at), p.idleProposals(), p.besideOthers(at)
	return list
}

// gravestFirst are the findings by index, those of one severity as they came.
func (p *releasePresenter) gravestFirst() []int {
	all := make([]int, len(p.v.Findings))
	for i := range all {
		all[i] = i
	}
	slices.SortStableFunc(all, func(a, b int) int {
		return cmp.Compare(p.v.Findings[b].Severity.Rank(), p.v.Findings[a].Severity.Rank())
	})
	return all
}

// placesOfTools returns the address of the tool at a position.
func (p *releasePresenter) placesOfTools() func(position int) string {
	changed := map[int]string{} // ids of changes by position
	for i := range p.v.Changes {
		if ch := &p.v.Changes[i]; ch.Subject == change.SubjectTool && ch.NewPosition > 0 {
			changed[ch.NewPosition] = ch.ID
		}
	}
	return func(position int) string {
		return p.path("view", viewTools, "tool", cmp.Or(changed[position], "n"+strconv.Itoa(position)))
	}
}

// besideOthers are the findings beside other servers, which nobody can accept or quote.
func (p *releasePresenter) besideOthers(at func(int) string) []views.FindingView {
	var out []views.FindingView
	for i := range p.v.Beside {
		f := review.Finding{Finding: p.v.Beside[i]}
		v := findingView(&f, fmt.Sprintf("beside-%d", i))
		v.New = false
		if f.Position > 0 {
			v.URL = at(f.Position)
		}
		out = append(out, v)
	}
	return out
}

// askedElsewhere are the proposed waivers that stand beside tools, so that nobody has to
// open each to find them.
func (p *releasePresenter) askedElsewhere(at func(int) string) []views.AskedView {
	var asked []views.AskedView
	for i := range p.v.Findings {
		f := &p.v.Findings[i]
		if f.Position == 0 {
			continue
		}
		for range f.Proposed {
			asked = append(asked, views.AskedView{Rule: f.Rule, Tool: views.ShowName(f.Tool), URL: at(f.Position)})
		}
	}
	return asked
}

// idleProposals are the waivers of a file that cover nothing.
func (p *releasePresenter) idleProposals() []views.IdleView {
	var idle []views.IdleView
	for i := range p.v.Proposed {
		w := &p.v.Proposed[i]
		v := views.IdleView{Rule: w.Rule, Reason: prose.Show(w.Reason), Why: "It asks nobody anything: " + w.Idle + "."}
		if w.Tool != "" {
			v.Tool = views.ShowName(w.Tool)
		}
		idle = append(idle, v)
	}
	return idle
}

// ackFindings asks about each tool with a grave finding, beside those with errors.
func (p *releasePresenter) ackFindings(fields []views.AckField, known map[int]int) []views.AckField {
	for i := range p.v.Changes {
		ch := &p.v.Changes[i]
		f := ch.Findings
		if ch.Subject != change.SubjectTool || ch.NewPosition == 0 || f.Worst.Rank() < lint.High.Rank() {
			continue
		}
		n, ok := known[ch.NewPosition]
		if !ok {
			n = len(fields)
			field := views.AckField{Position: strconv.Itoa(ch.NewPosition), Name: views.ShowName(toolName(subjectName(ch), ch.NewPosition))}
			if n < len(p.q.acks) {
				field.Note = p.q.acks[n]
			}
			fields = append(fields, field)
		}
		fields[n].Problems = append(fields[n].Problems, problems([]surface.Problem{{
			Code: f.Rule, Level: surface.LevelWarning, Position: ch.NewPosition, Message: p.worstSaid(ch.NewPosition, f.Rule, f.Worst),
		}})...)
	}
	return fields
}

// worstSaid is what the worst finding of a tool says.
func (p *releasePresenter) worstSaid(position int, rule string, worst lint.Severity) string {
	for i := range p.v.Findings {
		if f := &p.v.Findings[i]; f.Rule == rule && f.Stands(position) {
			return f.Message
		}
	}
	return "A finding of severity " + string(worst) + "."
}

// joinWords puts what is known of a thing on one line.
func joinWords(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ", ")
}
