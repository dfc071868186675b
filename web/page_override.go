package web

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/views"
)

// passes are the overrides that stand behind a release, nil for none.
func (p *releasePresenter) passes() []review.OverrideInForce {
	if p.v.PassedBy != nil {
		return []review.OverrideInForce{*p.v.PassedBy}
	}
	return p.v.Overrides
}

func (p *releasePresenter) overrideNote() *views.OverrideNote {
	var n views.OverrideNote
	for _, o := range p.passes() {
		n.Says = append(n.Says, views.Say(o.Says(p.v.Overridden)))
	}
	if n.Says == nil {
		return nil
	}
	if p.v.Actions.EndOverride == "" {
		n.EndURL = p.act("override") + "/end"
	}
	return &n
}

func (p *releasePresenter) alarmNote() *views.AlarmNote {
	if len(p.v.Alarms) == 0 {
		return nil
	}
	n := views.AlarmNote{Note: p.q.looked}
	for _, a := range p.v.Alarms {
		n.Says = append(n.Says, views.Say(a.Why))
	}
	if p.v.Actions.ClearAlarms == "" {
		n.ClearURL = p.act("alarms") + "/clear"
		n.Draft, n.Note = p.drafts.texts(targetAlarm, n.Note)
	}
	return &n
}

var overrideHours = []struct {
	hours int
	text  string
}{{1, "An hour"}, {8, "8 hours"}, {24, "A day"}, {72, "3 days"}, {168, "7 days"}}

// overrideForm offers an override to those who may, with what is open.
func (p *releasePresenter) overrideForm() *views.OverrideForm {
	if p.compare != nil || p.v.Actions.Override != "" {
		return nil
	}
	typed := p.q.override
	f := &views.OverrideForm{
		URL: p.act("override"), Digest: p.v.Listing.Digest.String(), Policy: strconv.Itoa(p.v.Server.Policy.Version),
		Least: strconv.Itoa(gate.MinReason),
	}
	f.Draft, f.Reason = p.drafts.texts(targetOverride, typed.Get("reason"))
	for i := range p.v.Answer.Requirements {
		if r := &p.v.Answer.Requirements[i]; r.State == gate.Open {
			f.Requirements = append(f.Requirements, views.Choice{
				Value: r.ID, Title: views.ShowName(r.ID).String(), Checked: typed == nil || slices.Contains(typed["requirement"], r.ID),
			})
		}
	}
	for _, h := range overrideHours {
		value := strconv.Itoa(h.hours)
		f.Hours = append(f.Hours, views.Place{Value: value, Label: h.text, Chosen: value == cmpOr(typed.Get("hours"), "24")})
	}
	return f
}

// overrideForm lets the head of a release pass for a while.
func (s *Server) overrideForm(c echo.Context) error {
	form, err := s.form(c)
	if err != nil {
		return err
	}
	id, q := c.Param("id"), releaseRequest{view: viewDecisions, override: form}
	digest, err := digestOf("digest", form.Get("digest"))
	if err != nil {
		return s.refusedOnRelease(c, err, q)
	}
	policy, _ := strconv.Atoi(form.Get("policy"))
	hours, _ := strconv.Atoi(form.Get("hours"))
	_, err = s.svc.Override(c.Request().Context(), s.actor(c), id, review.NewOverride{
		Digest: digest, Policy: policy, Requirements: append([]string{}, form["requirement"]...), Reason: written(form.Get("reason")), For: time.Duration(hours) * time.Hour,
	})
	if err != nil {
		return s.refusedOnRelease(c, err, q)
	}
	s.sent(c, form)
	s.flash(c, flashDone, "It passes for now. Nothing is approved by that, and everybody who decides here is told.")
	return c.Redirect(http.StatusSeeOther, releasePath(id))
}

func (s *Server) endOverrideForm(c echo.Context) error {
	id := c.Param("id")
	if _, err := s.svc.EndOverride(c.Request().Context(), s.actor(c), id); err != nil {
		return s.refusedOnRelease(c, err, releaseRequest{view: viewDecisions})
	}
	s.flash(c, flashDone, "The override is over.")
	return c.Redirect(http.StatusSeeOther, releasePath(id))
}

// clearAlarmsForm says that somebody looked into the alarms of a release.
func (s *Server) clearAlarmsForm(c echo.Context) error {
	form, err := s.form(c)
	if err != nil {
		return err
	}
	id, note := c.Param("id"), written(form.Get("note"))
	if err := s.svc.ClearAlarms(c.Request().Context(), s.actor(c), id, note); err != nil {
		return s.refusedOnRelease(c, err, releaseRequest{view: viewDecisions, looked: note})
	}
	s.sent(c, form)
	s.flash(c, flashDone, "The alarm is acknowledged.")
	return c.Redirect(http.StatusSeeOther, releasePath(id))
}

// sinceFormat is what a browser sends for a moment; it is read as UTC.
const sinceFormat = "2006-01-02T15:04"

// revokePage shows what taking an account's answers back would hit: since the moment
// that the address names, else since a day ago.
func (s *Server) revokePage(c echo.Context) error {
	return s.renderRevoke(c, http.StatusOK, url.Values{"since": {c.QueryParam("since")}}, nil)
}

func (s *Server) renderRevoke(c echo.Context, status int, form url.Values, fault views.Sentence) error {
	since, err := time.Parse(sinceFormat, form.Get("since"))
	if err != nil {
		since = s.opt.Now().UTC().Add(-24 * time.Hour).Truncate(time.Minute)
		if form.Get("since") != "" && fault == nil {
			status, fault = http.StatusBadRequest, views.Say("Give the moment as a day and a time, such as 2026-11-30T09:00.")
		}
	}
	id := c.Param("id")
	found, err := s.svc.PreviewRevocation(c.Request().Context(), s.actor(c), id, since)
	if err != nil {
		return err
	}
	p := views.RevokePage{
		Page: s.page(c, "Take answers back", "people", peopleCrumb), Who: views.ShowName(found.User.Label()), URL: path([]string{"people", id, "answers"}),
		Since: since.Format(sinceFormat), Reason: form.Get("reason"), Fault: fault,
		Hits: takenBack(found.Verdicts, found.Overrides, found.Restored), Empty: found.Verdicts+found.Overrides+found.Restored == 0,
	}
	for i := range found.Released {
		p.Released = append(p.Released, releasedLine(&found.Released[i], found.Servers))
	}
	p.Width = narrow
	return s.render(c, status, views.Revoke(p))
}

// takenBack counts what a revocation takes back. What others said before they left, and
// the account took back, stands again.
func takenBack(verdicts, overrides, restored int) string {
	says := plural(verdicts, "answer", "answers") + " and " + plural(overrides, "override", "overrides") + "."
	if restored > 0 {
		says += " " + plural(restored, "answer of others that they took back stands", "answers of others that they took back stand") + " again."
	}
	return says
}

func releasedLine(r *review.Release, servers []review.Server) views.NameLink {
	name := r.Title()
	for _, srv := range servers {
		if srv.ID == r.ServerID {
			name = srv.Name + " " + name
		}
	}
	return views.NameLink{Name: views.ShowName(name), URL: releasePath(r.ID)}
}

// revokeForm takes the answers back, in one act.
func (s *Server) revokeForm(c echo.Context) error {
	form, err := s.form(c)
	if err != nil {
		return err
	}
	since, err := time.Parse(sinceFormat, form.Get("since"))
	if err != nil {
		return s.renderRevoke(c, http.StatusBadRequest, form, nil)
	}
	done, err := s.svc.RevokeAnswers(c.Request().Context(), s.actor(c), c.Param("id"), since, written(form.Get("reason")))
	if fault, ok := sentenceOf(err); ok {
		return s.renderRevoke(c, describe(err, "").Status, form, fault)
	}
	if err != nil {
		return err
	}
	s.flash(c, flashDone, "Taken back: "+takenBack(done.Verdicts, done.Overrides, done.Restored)+" "+
		plural(len(done.Alarms), "released version raises", "released versions raise")+" an alarm.")
	return c.Redirect(http.StatusSeeOther, "/people")
}

var peopleCrumb = views.NameLink{Name: views.ShowName("People"), URL: "/people"}
