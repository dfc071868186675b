package web

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/change"
	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/people"
	"github.com/countersign/countersign/review/prose"
	"github.com/countersign/countersign/review/surface"
	"github.com/countersign/countersign/static"
	"github.com/countersign/countersign/views"
)

// Views of a release.
const (
	viewDecisions = "decisions"
	viewTools     = "tools"
	viewThreads   = "threads"
	viewHistory   = "history"
)

// releaseRequest is what the address of a release page, or a form on it that was
// refused, asks to be shown.
type releaseRequest struct {
	view   string
	filter string // of decisions
	page   int    // of decisions, the first is 0
	tool   string // change id, "n12" or "o12"
	at     string // pointer that a comment is about
	as     string // "rendered" shows descriptions as Markdown beside the text
	names  string // of the list of tools: only names that hold this
	base   string // id of the listing to look from, "" for the gate base
	lens   string // id of the host to look through, "" for none
	name   string // of the tool that was open, to find it again from another base
	part   bool   // only what becomes another with another tool

	status  int
	fault   views.Sentence
	stale   views.Sentence
	kept    *keptAnswer       // typed and not stored
	draft   string            // a comment, typed and not stored
	words   string            // those that it is about
	side    review.Side       // where it says that they stand, "" for either
	blocks  bool              // it is to block the release
	quoted  bool              // the fault is about the words
	suggest string            // the text that it suggests
	checked []views.CheckLine // what that would bring
	quote   string            // fingerprint of a finding that a comment starts with
	rule    string            // its rule
	acks    []string          // notes of a baseline form
	reason  string            // of a withdrawal

	waiver   url.Values // a form about a waiver, typed and not stored
	override url.Values // a form of an override, typed and not stored
	looked   string     // what somebody found about an alarm, typed and not stored
}

func releaseRequestOf(c echo.Context) releaseRequest {
	q := releaseRequest{
		view: c.QueryParam("view"), filter: known(c.QueryParam("filter")), tool: c.QueryParam("tool"), at: c.QueryParam("at"), as: c.QueryParam("as"), quote: c.QueryParam("quote"),
		names: strings.TrimSpace(c.QueryParam("q")), status: http.StatusOK,
		base: c.QueryParam("base"), lens: c.QueryParam("lens"), name: c.QueryParam("name"),
		part: asksPart(c),
	}
	if n, err := strconv.Atoi(c.QueryParam("page")); err == nil && n > 0 {
		q.page = n - 1
	}
	if q.view == "" && q.tool != "" || q.base != "" || q.lens != "" {
		q.view = viewTools
	}
	if q.view == "" {
		q.view = viewDecisions
	}
	return q
}

func (s *Server) releasePage(c echo.Context) error {
	return s.renderRelease(c, releaseRequestOf(c))
}

// renderRelease shows a release as it is now.
func (s *Server) renderRelease(c echo.Context, q releaseRequest) error {
	p, err := s.presentedRelease(c, q)
	if err != nil {
		return err
	}
	from, err := s.fromBase(c, p)
	if err != nil {
		return err
	}
	var tools *views.ToolsView
	if q.view == viewTools {
		if tools, err = s.shownTools(c, from); err != nil {
			return err
		}
	}
	title := titleWith(tools, p.v.Server.Name+" "+p.v.Release.Title())
	if q.part && tools != nil {
		gate := p.gate()
		return s.renderPart(c, views.ToolPart{Title: title, Gate: &gate, Look: p.lookForm(from), Tabs: p.tabs(), Tools: *tools})
	}
	return s.renderWhole(c, p, from, tools, title)
}

// presentedRelease reads a release, with what its reader typed and did not send.
func (s *Server) presentedRelease(c echo.Context, q releaseRequest) (*releasePresenter, error) {
	view, err := s.svc.Release(c.Request().Context(), s.actor(c), c.Param("id"))
	if err != nil {
		return nil, err
	}
	if q.quote != "" && q.draft == "" {
		q.draft, q.rule = quotation(view.Findings, q.quote)
	}
	p := s.newReleasePresenter(c, view, q)
	p.findAgain()
	p.drafts, err = s.loadDrafts(c, view)
	return p, err
}

// renderWhole is the page of a release; from presents its tools, p all else.
func (s *Server) renderWhole(c echo.Context, p, from *releasePresenter, tools *views.ToolsView, title string) error {
	model := p.page(tools)
	model.Head.Look = p.lookForm(from)
	if from != p {
		model.Head.Alerts = alertsOf(from.v.Report, from.toolLinks)
	}
	model.Page = s.page(c, title, "servers", serversCrumb, serverCrumb(&p.v.Server))
	if p.v.Release.Profile != review.DefaultProfile {
		model.Crumbs = append(model.Crumbs, views.NameLink{Name: views.ShowName(p.v.Release.Profile), URL: serverPath(p.v.Server.Slug)})
	}
	c.Response().Header().Set("Speculation-Rules", `"`+static.URL("rules.json")+`"`)
	return s.render(c, p.q.status, views.Release(model))
}

// releasePresenter turns a release into its page.
type releasePresenter struct {
	s    *Server
	v    *review.ReleaseView
	q    releaseRequest
	me   string       // user id
	user *people.User // nil when nobody is signed in
	self bool         // an author's own approval counts

	index   map[string]int // of Changes by change id
	answers []answers      // of Changes
	cards   []card
	whole   *surface.Listing // loaded when an unchanged tool is open
	compare *comparison      // set when this is no release but two listings
	drafts  *drafts          // nil when the reader may not write
	opened  opened           // the tool that is open
	listed  []listRow        // in the list of tools, from the top

	heirs  *heirs                          // made when first asked for
	tables map[string][2][]views.SchemaRow // of tools, by change id, made when first asked for

	oldBytes map[surface.Hash]bool // digests of the older side, made when first asked for

	twinSets []map[string]bool // of v.Twins, made when first asked for

	faultPlaced bool // why an answer was refused stands in its form
}

func (s *Server) newReleasePresenter(c echo.Context, v *review.ReleaseView, q releaseRequest) *releasePresenter {
	p := &releasePresenter{s: s, v: v, q: q, self: v.Server.Policy.SelfReview(), index: map[string]int{}, tables: map[string][2][]views.SchemaRow{}}
	if p.user = s.actor(c).User; p.user != nil {
		p.me = p.user.ID
	}
	for i := range v.Changes {
		p.index[v.Changes[i].ID] = i
		p.answers = append(p.answers, answersTo(&v.Changes[i]))
	}
	p.cards = p.makeCards()
	return p
}

// loadUnchanged reads the listing whole when a tool is open that did not change: a
// release carries the bytes of changed tools only.
func (p *releasePresenter) loadUnchanged(c echo.Context) error {
	if p.whole != nil || !strings.HasPrefix(p.q.tool, "n") {
		return nil
	}
	l, _, err := p.s.svc.Listing(c.Request().Context(), p.s.actor(c), p.v.Listing.ID)
	if err != nil {
		return err
	}
	p.whole = l.Surface
	return nil
}

// page is the whole page; tools are what its view of tools shows.
func (p *releasePresenter) page(tools *views.ToolsView) views.ReleasePage {
	m := views.ReleasePage{Head: p.head(), Tabs: p.tabs(), Aside: p.aside()}
	switch p.q.view {
	case viewTools:
		m.Tools = tools
	case viewThreads:
		m.Threads = p.threads()
	case viewHistory:
		m.History = p.history()
	default:
		m.Decisions = p.decisions()
	}
	if p.faultPlaced {
		m.Head.Fault = nil
	}
	return m
}

func (p *releasePresenter) path(pairs ...string) string { return releasePath(p.v.Release.ID, pairs...) }

func (p *releasePresenter) act(name string) string {
	return path([]string{"releases", p.v.Release.ID, name})
}

// labels name the two sides of every comparison.
func (p *releasePresenter) labels() (old, new string) {
	old = "before"
	if p.v.Base != nil {
		old = prose.Show(p.v.Base.Title()).String()
	}
	return old, prose.Show(p.v.Release.Title()).String()
}

func (p *releasePresenter) tabs() []views.Tab {
	open := 0
	for _, c := range p.cards {
		if c.open() {
			open++
		}
	}
	threads := 0
	for i := range p.v.Threads {
		if p.v.Threads[i].Open() {
			threads++
		}
	}
	tabs := []views.Tab{
		{Text: "Decisions", Count: thousands(open), URL: p.path(), Key: "d", Current: p.q.view == viewDecisions},
		{Text: "Tools", Count: thousands(len(p.v.Changes)), URL: p.path("view", viewTools, "base", p.q.base, "lens", p.q.lens), Key: "t", Current: p.q.view == viewTools},
		{Text: "Threads", URL: p.path("view", viewThreads), Current: p.q.view == viewThreads},
		{Text: "History", URL: p.path("view", viewHistory), Current: p.q.view == viewHistory},
		{Text: "Changelog", URL: p.act("changelog")},
		{Text: "Your review", URL: p.act("desk"), Key: "Enter"},
	}
	if threads > 0 {
		tabs[2].Count = thousands(threads)
	}
	if p.drafts != nil && len(p.drafts.list) > 0 {
		tabs[5].Count = plural(len(p.drafts.list), "draft", "drafts")
	}
	return append(tabs, p.listingTabs()...)
}

// listingTabs lead to what hosts make of the head and what it costs, against the
// base.
func (p *releasePresenter) listingTabs() []views.Tab {
	v, base := p.v, ""
	if v.Listing.Kind != surface.KindListing {
		return nil
	}
	if v.BaseListing != nil {
		base = v.BaseListing.ID
	}
	return []views.Tab{
		{Text: "Hosts", URL: hostsPath(v.Server.Slug, v.Listing.ID, "base", base)},
		{Text: "Cost", URL: costPath(v.Server.Slug, v.Listing.ID, "base", base)},
	}
}

func (p *releasePresenter) head() views.ReleaseHead {
	v := p.v
	h := views.ReleaseHead{
		Title: views.ShowName(v.Release.Title()), Against: views.Say(p.against()), Pushed: views.Say(p.pushed()),
		Digest: v.Listing.Digest.Short(), Tokens: p.tokensSub(), State: releaseBadge(review.ReleaseSummary{State: v.State, Release: v.Release}), Gate: p.gate(), Fault: p.q.fault,
		Live: p.live(), Alerts: p.alerts(), Baseline: p.baseline(), Predecessor: p.predecessor(), Overridden: p.overrideNote(), Alarm: p.alarmNote(),
	}
	if len(p.q.stale) > 0 {
		h.Stale = &views.Stale{Sentence: p.q.stale, Kept: p.keptAnswers()}
	}
	return h
}

// live is where the page hears of what comes after it. The release's own address
// brings the view that was open, and not a form that was refused.
func (p *releasePresenter) live() views.LiveLine {
	if p.compare != nil {
		return views.LiveLine{}
	}
	since := p.v.Pulse.String()
	return views.LiveLine{
		Stream: p.act("events") + path(nil, "since", since), Poll: p.act("news") + path(nil, "since", since),
		Again: p.path("view", p.q.view, "filter", p.q.filter, "tool", p.q.tool, "q", p.q.names, "base", p.q.base, "lens", p.q.lens),
	}
}

func (p *releasePresenter) against() string {
	if p.v.Base == nil {
		return "the first listing of this profile"
	}
	return "against " + p.v.Base.Title() + ", released " + p.s.ago(p.v.Base.ReleasedAt)
}

func (p *releasePresenter) pushed() string {
	h := p.v.Release.Head
	author := "author unknown"
	if h.Author != "" {
		author = "written by " + h.Author
	}
	if h.AuthorID != "" && h.AuthorID == h.PusherID {
		return "pushed " + p.s.ago(h.PushedAt) + " by " + h.PushedBy
	}
	return "pushed " + p.s.ago(h.PushedAt) + " by " + h.PushedBy + ", " + author
}

// gate shows the gate's sentence, and how much there is to do.
func (p *releasePresenter) gate() views.GateBar {
	bar := gateBar(p.v.Answer.Result, p.v.Answer.Why, p.changeCounts()...)
	if bar.Tone == views.OK && len(p.passes()) > 0 {
		bar.Tone, bar.Icon = views.OverrideBadge.Tone, views.OverrideBadge.Icon
	}
	bar.Next, bar.Release = p.next(), p.releaseForm()
	open, mine, words := 0, 0, 0
	for _, c := range p.cards {
		if !c.open() {
			continue
		}
		open++
		words += c.words
		if c.can {
			mine++
		}
	}
	if open > 0 && (mine < open || p.v.Answer.Result != gate.Blocked) { // else the sentence says both
		bar.Sub = append(bar.Sub, fmt.Sprintf("%s open, %s for you", plural(open, "answer", "answers"), thousands(mine)))
	}
	if words > 0 {
		bar.Sub = append(bar.Sub, plural(words, "new word", "new words")+", "+minutes(words, open))
	}
	if n := p.notViewed(); n > 0 && open > 0 {
		bar.Sub = append(bar.Sub, plural(n, "change", "changes")+" not viewed by you")
	}
	if n := p.notRead(); n > 0 {
		bar.Sub = append(bar.Sub, thousands(n)+" of the starting point not read by anybody yet")
	}
	if !p.v.Answer.Independent && p.v.Answer.Result == gate.Pass && p.v.Overridden == 0 {
		bar.Sub = append(bar.Sub, "an author's own approval counted")
	}
	return bar
}

// next leads to what the reader can do for the gate: the next decision that they did not
// answer, not even in a draft, or else the drafts; nil for nothing.
func (p *releasePresenter) next() *views.Link {
	if p.v.Answer.Result != gate.Blocked {
		return nil
	}
	for i := range p.cards {
		if c := &p.cards[i]; p.waitsForMe(c) {
			return &views.Link{Text: "Next decision", URL: p.nextURL(c.id)}
		}
	}
	if p.drafts.some() {
		return &views.Link{Text: "Finish your review", URL: p.act("desk")}
	}
	return nil
}

// waitsForMe reports whether the reader may answer a decision and has not even drafted to.
func (p *releasePresenter) waitsForMe(c *card) bool {
	return c.open() && c.can && !(p.drafts.some() && p.drafts.answers(verdictTarget(p.items(c))))
}

// releaseForm releases what the gate lets pass; nil when the reader may not.
func (p *releasePresenter) releaseForm() *views.ReleaseForm {
	if p.v.State == review.StateReleased || p.v.Actions.Release != "" {
		return nil
	}
	return &views.ReleaseForm{URL: p.act("release"), Digest: p.v.Listing.Digest.String(), Label: "Release " + prose.Show(p.v.Release.Title()).String()}
}

// notViewed counts the changes that the reader has not marked as viewed.
func (p *releasePresenter) notViewed() int {
	if p.me == "" || p.v.Viewed == nil {
		return 0
	}
	n := 0
	for i := range p.v.Changes {
		if !p.v.Viewed[p.v.Changes[i].ID] {
			n++
		}
	}
	return n
}

// notRead counts what of a starting point nobody has read.
func (p *releasePresenter) notRead() int {
	n := 0
	for i := range p.v.Changes {
		if p.v.Changes[i].NotRead {
			n++
		}
	}
	return n
}

// nextURL leads to a decision: within this page when it is the view of decisions.
func (p *releasePresenter) nextURL(id string) string {
	if p.q.view == viewDecisions && p.q.filter == "" && p.q.page == 0 && len(p.cards) <= cardsAtOnce {
		return "#" + id
	}
	return p.cardPath(id)
}

// minutes guesses how long somebody needs: 200 words a minute, and a quarter of a
// minute to decide.
func minutes(words, decisions int) string {
	n := max(1, words/200+decisions/4)
	return "about " + plural(n, "minute", "minutes")
}

func (p *releasePresenter) changeCounts() []string {
	if p.v.Report == nil || p.v.Base == nil {
		return []string{toolCount(p.v.Listing.ToolCount)}
	}
	return countWords(p.v.Report.Counts)
}

// countWords says what happened to the tools, in one line.
func countWords(n change.Counts) []string {
	var parts []string
	add := func(n int, word string) {
		if n > 0 {
			parts = append(parts, thousands(n)+" "+word)
		}
	}
	add(n.Changed, "changed")
	add(n.Added, "new")
	add(n.Removed, "gone")
	add(n.Renamed, "renamed")
	add(n.Moved, "only moved")
	add(n.Same, "the same")
	if len(parts) == 0 {
		return []string{"no tools"}
	}
	number, word, _ := strings.Cut(parts[0], " ")
	noun := "tools"
	if number == "1" {
		noun = "tool"
	}
	parts[0] = number + " " + noun + " " + word
	return []string{strings.Join(parts, ", ")}
}

func (p *releasePresenter) alerts() []views.Alert {
	var out []views.Alert
	if p.v.Overtaken != "" {
		out = append(out, views.Alert{Tone: views.Ask, Icon: "minus", Text: views.Say(p.v.Overtaken)})
	}
	if p.v.Report == nil {
		return out
	}
	return append(out, alertsOf(p.v.Report, p.toolLinks)...)
}

// alertsOf are things about a comparison as a whole that must not be missed.
func alertsOf(r *change.Report, links func([]string) []views.NameLink) []views.Alert {
	var out []views.Alert
	if r.Partial {
		out = append(out, views.Alert{Tone: views.Ask, Icon: "question", Text: views.Say(cmpOr(r.PartialWhy, "This listing is a part: what is missing from it is not removed."))})
	}
	for _, b := range r.Raised {
		look := views.ClassBadge(b.Class)
		out = append(out, views.Alert{Tone: look.Tone, Icon: look.Icon, Text: views.Say(b.Sentence), More: links(b.Tools)})
	}
	for _, n := range r.Notes {
		out = append(out, views.Alert{Tone: views.Plain, Icon: "info", Text: views.Say(n)})
	}
	return out
}

// toolLinks leads to changed tools by name.
func (p *releasePresenter) toolLinks(names []string) []views.NameLink {
	byName := map[string]string{}
	for i := range p.v.Changes {
		byName[p.v.Changes[i].Name()] = p.v.Changes[i].ID
	}
	var out []views.NameLink
	for _, n := range names {
		out = append(out, views.NameLink{Name: views.ShowName(n), URL: p.toolURL(byName[n])})
	}
	return out
}

func (p *releasePresenter) toolURL(id string) string {
	if p.compare != nil {
		return p.compare.path(id, p.q.names)
	}
	return p.path("view", viewTools, "tool", id, "filter", p.toolFilter(), "q", p.q.names, "as", p.q.as, "lens", p.q.lens)
}

// toolFilter is kept from tool to tool; it does not come along from the decisions.
func (p *releasePresenter) toolFilter() string {
	if p.q.view != viewTools {
		return ""
	}
	return p.q.filter
}

func (p *releasePresenter) predecessor() *views.ConfirmForm {
	r := p.v.Release
	if r.Predecessor == "" || r.PredecessorConfirmedBy != "" || !r.ReleasedAt.IsZero() || !r.WithdrawnAt.IsZero() {
		return nil
	}
	return &views.ConfirmForm{
		URL: p.act("predecessor") + "?named=" + url.QueryEscape(r.Predecessor), Cannot: p.v.Actions.ConfirmPredecessor,
		Sentence: views.Say("The push names " + quoted(r.Predecessor) + " as what it follows. " + p.v.BaseWhy),
	}
}

// formError tells errors that belong on the page where they happened from others.
// A stale answer shows the page as it is now.
func (q *releaseRequest) take(err error) error {
	var e *review.Error
	if errors.As(err, &e) && e.Kind == review.Stale {
		q.status, q.stale = http.StatusConflict, views.Say(e.Sentence)
		return nil
	}
	if fault, ok := sentenceOf(err); ok {
		q.status, q.fault, q.quoted = describe(err, "").Status, fault, errors.Is(err, review.ErrQuote)
		return nil
	}
	return err
}
