package web

import (
	"cmp"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/prose"
	"github.com/countersign/countersign/review/surface"
	"github.com/countersign/countersign/views"
)

// aside is what stands beside the views of a release: what is missing, what can be
// done, who talks, what was pushed.
func (p *releasePresenter) aside() views.ReleaseAside {
	a := views.ReleaseAside{Threads: p.threadLines(), Facts: p.pushFacts(), Cost: p.costLines()}
	a.Needs, a.Met = p.requirements()
	a.Findings = p.findingsOfSurface()
	p.acts(&a)
	return a
}

// needGroup is requirements that ask for the same of the same people.
type needGroup struct {
	why, who string
	whoCan   []string
	subjects []string // names, "" where the sentence names its subject
	url      string
}

// requirements lists what is open, the gravest first and those alike together, and counts
// the rest.
func (p *releasePresenter) requirements() ([]views.ReqLine, string) {
	var open []*gate.Requirement
	for i := range p.v.Answer.Requirements {
		if r := &p.v.Answer.Requirements[i]; r.State == gate.Open || r.State == gate.Overridden {
			open = append(open, r)
		}
	}
	met := len(p.v.Answer.Requirements) - len(open)
	slices.SortStableFunc(open, func(a, b *gate.Requirement) int { return cmp.Compare(gravity(b), gravity(a)) })
	var groups []*needGroup
	for _, r := range open {
		groups = p.groupNeed(groups, r)
	}
	var out []views.ReqLine
	for _, g := range groups {
		line := reqLine(gate.Open, g.sentence(), g.whoCan)
		if n := len(g.subjects); n > 1 {
			line.Who = append(views.Say(plural(n, "change", "changes")+". "), line.Who...)
		}
		line.URL = g.url
		out = append(out, line)
	}
	switch {
	case met == 0:
		return out, ""
	case len(out) == 0:
		return out, "Nothing. " + plural(met, "requirement is met.", "requirements are met.")
	}
	return out, plural(met, "more is met.", "more are met.")
}

// gravity is what open requirements are sorted by: first what no answer to a change can
// meet, since it is easily missed, then what changes of the strongest class ask for.
func gravity(r *gate.Requirement) int {
	if r.Change == "" {
		return math.MaxInt
	}
	return r.Class.Rank()
}

func (p *releasePresenter) groupNeed(groups []*needGroup, r *gate.Requirement) []*needGroup {
	who := strings.Join(r.WhoCan, "\x00")
	name, url := "", ""
	if i, ok := p.index[r.Change]; ok {
		name, url = subjectName(&p.v.Changes[i]), p.toolURL(r.Change)
	} else if _, place, here := strings.Cut(r.URL, p.path()); here && place != "" {
		url = p.path() + place
	}
	for _, g := range groups {
		if name != "" && g.why == r.Why && g.who == who && g.subjects[0] != "" {
			g.subjects = append(g.subjects, name)
			g.url = p.path()
			return groups
		}
	}
	return append(groups, &needGroup{why: r.Why, who: who, whoCan: r.WhoCan, subjects: []string{name}, url: url})
}

func (g *needGroup) sentence() string {
	if len(g.subjects) > 1 || g.subjects[0] == "" {
		return g.why
	}
	return quoted(g.subjects[0]) + ": " + g.why
}

// whoNamed is how many people a line names before it counts.
const whoNamed = 4

func reqLine(state gate.State, why string, who []string) views.ReqLine {
	line := views.ReqLine{State: "met", Icon: "check", Text: views.Say(why)}
	if state == gate.Open {
		line.State, line.Icon = "open", "stop"
	}
	if len(who) == 0 || state != gate.Open {
		return line
	}
	names := who
	if len(who) > whoNamed {
		names = append(append([]string{}, who[:whoNamed]...), thousands(len(who)-whoNamed)+" more")
	}
	line.Who = views.Say(anyOf(names) + " can.")
	return line
}

// anyOf names people of whom one is enough.
func anyOf(names []string) string { return enumerated(names, " or ") }

// enumerated lists names, with a word before the last.
func enumerated(names []string, word string) string {
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + word + names[last]
}

// acts are what the person may do with the release as a whole, or why not where
// one could expect it.
func (p *releasePresenter) acts(a *views.ReleaseAside) {
	r := &p.v.Release
	title := prose.Show(r.Title()).String()
	switch {
	case p.v.State == review.StateReleased:
		a.LockURL = path([]string{"api", "v1", "servers", p.v.Server.Slug, "lock"}, "version", p.v.Release.Version, "profile", p.v.Release.Profile)
	case p.v.Actions.Release == "": // the gate's answer has the button
	case p.v.State == review.StateWithdrawn:
	case p.v.Actions.Release == p.v.Answer.Why:
		a.Cannot = append(a.Cannot, "It can be released once the gate passes.")
	default:
		a.Cannot = append(a.Cannot, p.v.Actions.Release)
	}
	a.Override = p.overrideForm()
	if p.v.Actions.Withdraw == "" {
		a.Withdraw = &views.WithdrawForm{URL: p.act("withdraw"), Label: "Withdraw " + title}
		a.Withdraw.Draft, a.Withdraw.Reason = p.drafts.texts(targetWithdraw, p.q.reason)
	}
}

func (p *releasePresenter) pushFacts() []views.Fact {
	r, h := &p.v.Release, &p.v.Release.Head
	at := p.s.when(h.PushedAt)
	facts := []views.Fact{{Label: "Pushed", When: &at}, {Label: "By", Value: prose.Show(h.PushedBy)}}
	if h.Author == "" {
		facts = append(facts, views.Fact{Label: "Author", Text: "unknown"})
	} else {
		facts = append(facts, views.Fact{Label: "Author", Value: prose.Show(h.Author)})
	}
	if h.Commit != "" {
		facts = append(facts, views.Fact{Label: "Commit", Value: prose.Show(h.Commit), URL: httpsOnly(h.RunURL)})
	} else if u := httpsOnly(h.RunURL); u != "" {
		facts = append(facts, views.Fact{Label: "Run", Text: "open", URL: u})
	}
	facts = append(facts,
		views.Fact{Label: "Listing", Text: "#" + p.v.Listing.Digest.Short(), URL: listingPath(p.v.Server.Slug, p.v.Listing.ID)},
		views.Fact{Label: "Push", Text: thousands(h.N) + " of this release"},
		views.Fact{Label: "Base", Text: p.v.BaseWhy},
	)
	if !r.ReleasedAt.IsZero() {
		released := p.s.when(r.ReleasedAt)
		facts = append(facts, views.Fact{Label: "Released", When: &released})
	}
	if !r.WithdrawnAt.IsZero() {
		facts = append(facts, views.Fact{Label: "Withdrawn", Value: prose.Show(r.WithdrawnReason)})
	}
	return facts
}

// httpsOnly is a link that a pusher gave, when it is safe to offer.
func httpsOnly(raw string) string {
	u, err := url.Parse(raw)
	if err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil {
		return ""
	}
	return u.String()
}

// baseline offers the first listing of a profile as starting point, where decisions are
// taken: beside a tool it would only stand in the way.
func (p *releasePresenter) baseline() *views.BaselineForm {
	if p.q.view != viewDecisions || !p.v.BaselineOpen || p.v.Actions.Baseline != "" {
		return nil
	}
	n := p.v.Listing.ToolCount
	if n == 0 {
		return nil // there is nothing to begin from
	}
	f := &views.BaselineForm{
		URL: p.act("baseline"), Digest: p.v.Listing.Digest.String(), Question: "Use " + plural(n, "this tool", "these tools") + " as the starting point?",
	}
	if n > 1 {
		f.Question = "Use these " + toolCount(n) + " as the starting point?"
	}
	box, kept := p.drafts.box(targetBaseline)
	f.Draft = box
	if kept != nil && p.q.acks == nil {
		p.q.acks = kept.Texts
	}
	f.Problems = p.ackFields()
	return f
}

// ackFields asks about each tool with an error, one by one.
func (p *releasePresenter) ackFields() []views.AckField {
	var out []views.AckField
	byPosition := map[int]int{}
	for _, pr := range p.v.Listing.Problems {
		if pr.Level != surface.LevelError || pr.Position == 0 {
			continue
		}
		i, ok := byPosition[pr.Position]
		if !ok {
			i = len(out)
			byPosition[pr.Position] = i
			field := views.AckField{Position: strconv.Itoa(pr.Position), Name: views.ShowName(toolName(pr.Tool, pr.Position))}
			if i < len(p.q.acks) {
				field.Note = p.q.acks[i]
			}
			out = append(out, field)
		}
		out[i].Problems = append(out[i].Problems, problems([]surface.Problem{pr})...)
	}
	return p.ackFindings(out, byPosition)
}

func (s *Server) baselineForm(c echo.Context) error {
	form, err := s.form(c)
	if err != nil {
		return err
	}
	digest, err := digestOf("digest", form.Get("digest"))
	if err != nil {
		return err
	}
	var acks []review.Acknowledgement
	notes := form["note"]
	for i, text := range form["position"] {
		if n, err := strconv.Atoi(text); err == nil && i < len(notes) {
			acks = append(acks, review.Acknowledgement{Position: n, Note: written(notes[i])})
		}
	}
	id := c.Param("id")
	view, err := s.svc.AcceptBaseline(c.Request().Context(), s.actor(c), id, digest, acks)
	if err != nil {
		return s.refusedOnRelease(c, err, releaseRequest{view: viewDecisions, acks: notes})
	}
	s.sent(c, form)
	s.flash(c, flashDone, "The starting point is set: "+toolCount(view.Listing.ToolCount)+". From now on only changes are asked about.")
	return c.Redirect(http.StatusSeeOther, releasePath(id))
}

// refusedOnRelease shows the release with what was wrong, and what was typed.
func (s *Server) refusedOnRelease(c echo.Context, err error, q releaseRequest) error {
	if err := q.take(err); err != nil {
		return err
	}
	return s.renderRelease(c, q)
}

func (s *Server) predecessorForm(c echo.Context) error {
	id := c.Param("id")
	if _, err := s.svc.ConfirmPredecessor(c.Request().Context(), s.actor(c), id, c.QueryParam("named")); err != nil {
		return s.refusedOnRelease(c, err, releaseRequest{view: viewDecisions})
	}
	s.flash(c, flashDone, "The predecessor is confirmed.")
	return c.Redirect(http.StatusSeeOther, releasePath(id))
}

func (s *Server) releaseForm(c echo.Context) error {
	form, err := s.form(c)
	if err != nil {
		return err
	}
	digest, err := digestOf("digest", form.Get("digest"))
	if err != nil {
		return err
	}
	id := c.Param("id")
	view, err := s.svc.MarkReleased(c.Request().Context(), s.actor(c), id, digest)
	if err != nil {
		return s.refusedOnRelease(c, err, releaseRequest{view: viewDecisions})
	}
	s.flash(c, flashDone, quoted(view.Release.Title())+" is released. The next version is compared with it.")
	return c.Redirect(http.StatusSeeOther, releasePath(id))
}

func (s *Server) withdrawForm(c echo.Context) error {
	form, err := s.form(c)
	if err != nil {
		return err
	}
	id := c.Param("id")
	view, err := s.svc.WithdrawRelease(c.Request().Context(), s.actor(c), id, written(form.Get("reason")), form.Get("cause") == "yes")
	if err != nil {
		return s.refusedOnRelease(c, err, releaseRequest{view: viewDecisions, reason: form.Get("reason")})
	}
	s.sent(c, form)
	s.flash(c, flashDone, quoted(view.Release.Title())+" is withdrawn.")
	return c.Redirect(http.StatusSeeOther, releasePath(id))
}
