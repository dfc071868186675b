package web

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/host"
	"github.com/countersign/countersign/review/prose"
	"github.com/countersign/countersign/views"
)

// policyRequest is what a form on the policy page brought, to be shown again.
type policyRequest struct {
	status int
	fault  views.Sentence
	form   url.Values // of the fields, nil to show the policy in force
	yaml   string     // of the text, "" to show the policy in force
	seen   int        // version that was edited
	moved  bool       // another edit came first
	tried  *views.PolicyTried
}

func (s *Server) policyPage(c echo.Context) error {
	return s.renderPolicy(c, policyRequest{status: http.StatusOK})
}

// policyForm saves an edit by fields or as text. A policy that asks for less waits
// for a second person, which the page says.
func (s *Server) policyForm(c echo.Context) error {
	q, form, err := s.policyRequest(c)
	if err != nil {
		return err
	}
	if form.Get("act") == "more" {
		q.form = withRule(form)
		return s.renderPolicy(c, q)
	}
	p, v, err := s.policyOf(c, form)
	if v != nil && v.MayEdit != "" {
		err = review.Errorf(review.Forbidden, "%s", v.MayEdit)
	}
	if err != nil {
		return s.policyRefused(c, q, err)
	}
	slug := c.Param("server")
	made, err := s.svc.SetPolicy(c.Request().Context(), s.actor(c), slug, p, q.seen)
	if err != nil {
		return s.policyRefused(c, q, err)
	}
	s.savedSettings(c, form)
	s.flash(c, flashDone, policySaved(made))
	return c.Redirect(http.StatusSeeOther, policyPath(slug))
}

// tryPolicyForm says what the gate would answer. Nothing is saved, and what was
// typed stays.
func (s *Server) tryPolicyForm(c echo.Context) error {
	q, form, err := s.policyRequest(c)
	if err != nil {
		return err
	}
	p, v, err := s.policyOf(c, form)
	if err != nil {
		return s.policyRefused(c, q, err)
	}
	tried, err := s.svc.TryPolicy(c.Request().Context(), s.actor(c), c.Param("server"), p)
	if err != nil {
		return s.policyRefused(c, q, err)
	}
	q.tried = presentTried(tried, p, v)
	return s.renderPolicy(c, q)
}

// decidePolicyForm agrees to the version that waits, or refuses it.
func (s *Server) decidePolicyForm(c echo.Context) error {
	form, err := s.form(c)
	if err != nil {
		return err
	}
	slug, agree := c.Param("server"), form.Get("agree") == "yes"
	version, _ := strconv.Atoi(form.Get("version"))
	v, err := s.svc.DecidePolicy(c.Request().Context(), s.actor(c), slug, version, agree)
	if err != nil {
		return s.policyRefused(c, policyRequest{}, err)
	}
	done := fmt.Sprintf("Version %d is refused. What was asked before still is.", v.Policy.Version)
	if agree {
		done = fmt.Sprintf("Version %d is in force. Where it asks for less, it applies to releases that are opened from now on.", v.Policy.Version)
	}
	s.flash(c, flashDone, done)
	return c.Redirect(http.StatusSeeOther, policyPath(slug))
}

// policyYAML hands out the policy in force, to keep beside the code.
func (s *Server) policyYAML(c echo.Context) error {
	v, err := s.svc.Policy(c.Request().Context(), s.actor(c), c.Param("server"))
	if err != nil {
		return err
	}
	text, err := v.Server.Policy.YAML()
	if err != nil {
		return err
	}
	h := c.Response().Header()
	h.Set(echo.HeaderContentDisposition, fmt.Sprintf(`attachment; filename="%s-policy-%d.yaml"`, v.Server.Slug, v.Server.Policy.Version))
	return c.Blob(http.StatusOK, "application/yaml; charset=utf-8", text)
}

func policyPath(slug string) string { return serverPath(slug) + "/policy" }

// policyRequest reads which of the two forms came, by fields or as text.
func (s *Server) policyRequest(c echo.Context) (policyRequest, url.Values, error) {
	form, err := s.form(c)
	q := policyRequest{status: http.StatusOK}
	q.seen, _ = strconv.Atoi(form.Get("version"))
	if form.Has("yaml") {
		q.yaml = form.Get("yaml")
	} else {
		q.form = form
	}
	return q, form, err
}

// policyOf is the policy that a form means. Lines that were left as they stand follow
// the preset, so the policy that they were taken from has to be known.
func (s *Server) policyOf(c echo.Context, form url.Values) (gate.Policy, *review.PolicyView, error) {
	v, err := s.svc.Policy(c.Request().Context(), s.actor(c), c.Param("server"))
	if err != nil {
		return gate.Policy{}, nil, err
	}
	if form.Has("yaml") {
		p, err := parsePolicy(form.Get("yaml"))
		return p, v, err
	}
	p, err := readPolicyForm(form, v.Server.Policy)
	return p, v, err
}

// policyRefused shows the page again with why, and everything that was typed.
func (s *Server) policyRefused(c echo.Context, q policyRequest, err error) error {
	fault, ok := sentenceOf(err)
	if !ok {
		return err
	}
	q.status, q.fault, q.moved = describe(err, "").Status, fault, review.KindOf(err) == review.Conflict
	return s.renderPolicy(c, q)
}

func (s *Server) renderPolicy(c echo.Context, q policyRequest) error {
	v, err := s.svc.Policy(c.Request().Context(), s.actor(c), c.Param("server"))
	if err != nil {
		return err
	}
	p := policyPresenter{s: s, v: v, q: q, path: policyPath(v.Server.Slug)}
	if v.MayEdit == "" {
		if p.drafts, err = s.loadServerDrafts(c, v.Server.Slug); err != nil {
			return err
		}
	}
	m := p.page()
	m.Page = s.page(c, "Policy", "servers", serversCrumb, serverCrumb(&v.Server))
	if m.YAML, err = p.yaml(); err != nil {
		return err
	}
	before, _ := strconv.Atoi(c.QueryParam("before"))
	p.versions(&m, before)
	return s.render(c, q.status, views.Policy(m))
}

// policyPresenter turns a policy into its page.
type policyPresenter struct {
	s    *Server
	v    *review.PolicyView
	q    policyRequest
	path string

	drafts *drafts // nil when the reader may not edit
}

func (p *policyPresenter) page() views.PolicyPage {
	policy := p.v.Server.Policy
	m := views.PolicyPage{
		Server: views.ShowName(p.v.Server.Name), Standing: fmt.Sprintf("Version %d is in force.", policy.Version),
		Fault: p.q.fault, Tried: p.q.tried, Cannot: p.v.MayEdit, Waiting: p.waiting(),
	}
	if p.q.moved && p.q.seen > 0 && p.q.seen != policy.Version {
		m.Moved = p.since(p.q.seen)
	}
	if p.v.MayEdit != "" {
		m.Clauses = clauses(policy)
		return m
	}
	draft, left := p.s.left(p.drafts, targetPolicy)
	form, version := p.q.form, strconv.Itoa(policy.Version)
	switch {
	case form != nil:
		draft.Left = nil // sent just now
	case left != nil:
		form, version = left, left.Get("version") // so that an edit that came between is told
	default:
		form = policyFields(policy)
	}
	m.Form = presentPolicyForm(form)
	m.Form.URL, m.Form.TryURL, m.Form.Version, m.Form.Draft = p.path, p.path+"/try", version, draft
	if w := p.v.Proposed; w != nil {
		m.Form.Cannot = fmt.Sprintf("Nothing else can be saved while version %d waits. Decide on it first.", w.Policy.Version)
	}
	return m
}

func clauses(policy gate.Policy) []views.PolicyClause {
	var out []views.PolicyClause
	for _, c := range policy.Clauses() {
		out = append(out, views.PolicyClause{Where: prose.Show(c.Where), Says: prose.Show(named(c.Where, c.Says))})
	}
	return out
}

// named puts the names of hosts in the place of their ids, where people read a policy.
func named(where, says string) string {
	if where != gate.WhereHosts || says == "" {
		return says
	}
	ids := strings.Split(says, ", ")
	for i, id := range ids {
		ids[i] = host.NameOf(id)
	}
	return strings.Join(ids, ", ")
}

// since says what differs between a version that somebody edited and what is there
// now.
func (p *policyPresenter) since(seen int) []views.PolicyDifference {
	i := slices.IndexFunc(p.v.Versions, func(v review.PolicyVersion) bool { return v.Policy.Version == seen })
	if i < 0 {
		return nil
	}
	return differences(p.v.Server.Policy, p.v.Versions[i].Policy)
}

func differences(now, old gate.Policy) []views.PolicyDifference {
	var out []views.PolicyDifference
	for _, d := range now.Differences(old) {
		out = append(out, views.PolicyDifference{Where: prose.Show(d.Where), Old: prose.Show(named(d.Where, d.Old)), New: prose.Show(named(d.Where, d.New))})
	}
	return out
}

func showAll(texts []string) []prose.Visible {
	var out []prose.Visible
	for _, t := range texts {
		out = append(out, prose.Show(t))
	}
	return out
}

// waiting shows the version that needs a second person, beside what is in force.
func (p *policyPresenter) waiting() *views.PolicyWaiting {
	w := p.v.Proposed
	if w == nil {
		return nil
	}
	out := &views.PolicyWaiting{
		Version: strconv.Itoa(w.Policy.Version), Says: views.Say("Written by " + cmpOr(w.By, "somebody") + " " + p.s.ago(w.At) + "."),
		Loosens: showAll(w.Loosens), Changes: differences(w.Policy, p.v.Server.Policy), Cannot: cannotAgree(p.v.MayAgree, p.v.Who), Refuse: "Refuse",
	}
	if p.v.Mine {
		out.Refuse = "Take it back"
	}
	if p.v.MayEdit == "" {
		out.URL = p.path + "/decide"
	}
	return out
}

// triedShown is how many requirements are told of one release that a policy was tried on.
const triedShown = 5

// cannotAgree is why a person can't agree to what waits, and who can; "" when they can.
func cannotAgree(why string, who []string) string {
	switch {
	case why == "":
		return ""
	case len(who) == 0:
		return why + " Nobody else can either."
	}
	return why + " Who can: " + someOf(who) + "."
}

func presentTried(tried []review.Tried, policy gate.Policy, v *review.PolicyView) *views.PolicyTried {
	out := &views.PolicyTried{Loosens: showAll(policy.Loosens(v.Server.Policy))}
	if why := policy.Unsatisfiable(v.Present); why != "" {
		out.Unsatisfiable = views.Say(why)
	}
	for _, t := range tried {
		differs, more := t.Differs(), ""
		if n := len(differs) - triedShown; n > 0 {
			differs, more = differs[:triedShown], "and "+thousands(n)+" more"
		}
		line := views.PolicyTriedLine{
			Title: views.ShowName(t.Release.Title()), URL: releasePath(t.Release.ID), Why: views.Say(t.Then.Why),
			Now: views.GateBadge(t.Now.Result), Then: views.GateBadge(t.Then.Result), Same: t.Now.Result == t.Then.Result, More: more,
		}
		if n := len(t.Differs()); n > 0 {
			line.Differs = plural(n, "requirement differs", "requirements differ")
		}
		for _, d := range differs {
			line.Changes = append(line.Changes, views.Say(d.Says()))
		}
		out.Releases = append(out.Releases, line)
	}
	return out
}

func (p *policyPresenter) yaml() (views.PolicyYAML, error) {
	y := views.PolicyYAML{
		Version: strconv.Itoa(p.v.Server.Policy.Version), DownloadURL: p.path + "/yaml", TryURL: p.path + "/try", Text: p.q.yaml, Open: p.q.yaml != "",
	}
	if p.v.MayEdit == "" && p.v.Proposed == nil {
		y.SaveURL = p.path
	}
	var left url.Values
	if y.Draft, left = p.s.left(p.drafts, targetPolicyText); y.Text == "" && left != nil {
		y.Text, y.Version, y.Open = left.Get("yaml"), left.Get("version"), true
	} else {
		y.Draft.Left = nil
	}
	if y.Text != "" {
		return y, nil
	}
	text, err := p.v.Server.Policy.YAML()
	y.Text = string(text)
	return y, err
}

// policyVersions is how many versions the page lists at once.
const policyVersions = 20

var policyStates = map[review.PolicyState]views.Badge{
	review.PolicyInForce:  {Tone: views.Plain, Icon: "check", Word: "was in force"},
	review.PolicyProposed: {Tone: views.Ask, Icon: "wait", Word: "waits for a second person"},
	review.PolicyRefused:  {Tone: views.Plain, Icon: "minus", Word: "refused"},
}

// versions lists the history, each version beside the one that was in force when it
// was written.
func (p *policyPresenter) versions(m *views.PolicyPage, before int) {
	all := p.v.Versions
	if before > 0 {
		all = slices.DeleteFunc(slices.Clone(all), func(v review.PolicyVersion) bool { return v.Policy.Version >= before })
		m.Newest = p.path
	}
	for i := range all {
		if i == policyVersions {
			m.Older = p.path + path(nil, "before", m.Versions[i-1].Version)
			return
		}
		m.Versions = append(m.Versions, p.version(&all[i], all[i+1:]))
	}
}

func (p *policyPresenter) version(v *review.PolicyVersion, older []review.PolicyVersion) views.PolicyVersionLine {
	line := views.PolicyVersionLine{
		Version: strconv.Itoa(v.Policy.Version), State: policyStates[v.State], When: p.s.when(v.At), Loosens: showAll(v.Loosens),
		Says: views.Say(p.versionSays(v)),
	}
	if v.Policy.Version == p.v.Server.Policy.Version && v.State == review.PolicyInForce {
		line.State = views.Badge{Tone: views.OK, Icon: "check", Word: "in force"}
	}
	i := slices.IndexFunc(older, func(o review.PolicyVersion) bool { return o.State == review.PolicyInForce })
	if i < 0 {
		line.First = true
		return line
	}
	line.Changes = differences(v.Policy, older[i].Policy)
	return line
}

func (p *policyPresenter) versionSays(v *review.PolicyVersion) string {
	by := cmpOr(v.By, "who added the server")
	switch {
	case v.State == review.PolicyProposed:
		return "Written by " + by + "."
	case v.State == review.PolicyRefused && v.SecondID == v.ByID:
		return "Written by " + by + ", who took it back " + p.s.ago(v.DecidedAt) + "."
	case v.State == review.PolicyRefused:
		return "Written by " + by + ", refused by " + cmpOr(v.Second, "somebody") + " " + p.s.ago(v.DecidedAt) + "."
	case v.Second != "":
		return "Written by " + by + ", agreed by " + v.Second + " " + p.s.ago(v.DecidedAt) + "."
	}
	return "Written by " + by + "."
}
