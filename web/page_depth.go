package web

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"

	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/change"
	"github.com/countersign/countersign/review/prose"
	"github.com/countersign/countersign/views"
)

func (s *Server) changelogPage(c echo.Context) error {
	ctx, a, id := c.Request().Context(), s.actor(c), c.Param("id")
	view, err := s.svc.Release(ctx, a, id)
	if err != nil {
		return err
	}
	log := view.Changelog()
	m := views.ChangelogPage{
		Page:  s.page(c, "Changelog", "servers", serversCrumb, serverCrumb(&view.Server), releaseCrumb(view)),
		Title: views.ShowName(view.Release.Title()), BackURL: releasePath(id),
		HTML: changelogHTML(log.Markdown), Source: prose.Show(log.Markdown),
	}
	if log.Migration != "" {
		m.Migration, m.Guide = changelogHTML(log.Migration), prose.Show(log.Migration)
	}
	return s.render(c, http.StatusOK, views.Changelog(m))
}

func releaseCrumb(v *review.ReleaseView) views.NameLink {
	return views.NameLink{Name: views.ShowName(v.Release.Title()), URL: releasePath(v.Release.ID)}
}

// deskPage is the reader's own side of a review.
func (s *Server) deskPage(c echo.Context) error {
	return s.renderDesk(c, http.StatusOK, nil)
}

func (s *Server) renderDesk(c echo.Context, status int, fault views.Sentence) error {
	ctx, a, id := c.Request().Context(), s.actor(c), c.Param("id")
	view, err := s.svc.Release(ctx, a, id)
	if err != nil {
		return err
	}
	d := desk{s: s, v: view, reviews: view.Actions.Comment == "", p: s.newReleasePresenter(c, view, releaseRequest{view: viewDecisions})}
	m := views.DeskPage{
		Page:  s.page(c, "Your review", "servers", serversCrumb, serverCrumb(&view.Server), releaseCrumb(view)),
		Title: views.ShowName(view.Release.Title()), BackURL: releasePath(id), Fault: fault,
		Publish: d.act("drafts", "publish"), Viewed: d.viewed(), Bases: d.bases(), Twins: d.twins(),
	}
	d.pairings(&m)
	if d.reviews {
		drafts, err := s.svc.Drafts(ctx, a, id)
		if err != nil {
			return err
		}
		m.Drafts, m.Finish = d.drafts(drafts), finishLabel(drafts)
	}
	return s.render(c, status, views.Desk(m))
}

// desk presents what is on somebody's desk.
type desk struct {
	s       *Server
	v       *review.ReleaseView
	reviews bool // may comment and decide
	p       *releasePresenter
}

func (d *desk) act(names ...string) string {
	return path(append([]string{"releases", d.v.Release.ID}, names...))
}

func (d *desk) toolURL(id string) string {
	return releasePath(d.v.Release.ID, "view", viewTools, "tool", id)
}

func (d *desk) viewed() views.ViewedView {
	v := views.ViewedView{URL: d.act("viewed")}
	n := 0
	for i := range d.v.Changes {
		ch := &d.v.Changes[i]
		seen := d.v.Viewed[ch.ID]
		if seen {
			n++
		}
		v.Lines = append(v.Lines, views.ViewedLine{ID: ch.ID, Name: views.ShowName(subjectName(ch)), URL: d.toolURL(ch.ID), Viewed: seen})
	}
	v.Progress = fmt.Sprintf("%s of %s viewed.", thousands(n), plural(len(d.v.Changes), "change", "changes"))
	return v
}

var draftWhat = map[review.VerdictKind]string{review.Approve: "approve", review.Reject: "reject", review.Withdraw: "take back"}

func (d *desk) drafts(list []review.Draft) []views.DraftLine {
	var out []views.DraftLine
	moved := d.v.Moved(list)
	for _, dr := range list {
		l := views.DraftLine{Target: dr.Target, When: d.s.when(dr.UpdatedAt), Drop: d.act("drafts", "remove"), Text: prose.Show(textOfDraft(&dr))}
		switch {
		case dr.Items != nil:
			l.What = cmpOr(draftWhat[dr.Verdict()], "note")
			l.About, l.URL = prose.Show(dr.Place), d.p.draftURL(&dr)
		case dr.Comment == nil:
			l.What, l.URL = cmpOr(formDraft(cmpOr(dr.CopyOf, dr.Target)), "reason"), releasePath(d.v.Release.ID)
		case dr.Comment.ThreadID != "":
			l.What, l.URL = "answer in a thread", releasePath(d.v.Release.ID, "view", viewThreads)+"#t-"+dr.Comment.ThreadID
		default:
			l.What, l.URL = "comment", placeURL(d.v, dr.Comment.Anchor.Tool)+"#comment"
			if dr.Comment.Anchor.Tool != "" {
				l.About = views.ShowName(dr.Comment.Anchor.Tool)
			}
		}
		if moved[dr.Target] {
			l.Moved = "It moved: what it is about is another now, or gone. Nothing is answered by it until you read it again."
		}
		if dr.CopyOf != "" {
			l.What += ", written at the same time as the other"
		}
		out = append(out, l)
	}
	return out
}

// finishLabel says how much is ready to be published, "" for nothing: a note without
// an answer waits, and so does what was written twice.
func finishLabel(list []review.Draft) string {
	n := 0
	for i := range list {
		if list[i].Ready() {
			n++
		}
	}
	if n == 0 {
		return ""
	}
	return "Finish: publish " + plural(n, "draft", "drafts") + " in one"
}

var baseWords = map[review.BaseKind]string{
	review.GateBase: "Gate base", review.LastReleased: "Released last", review.LastLooked: "Since you last worked on it", review.OtherVersion: "Version",
}

func (d *desk) bases() []views.BaseLine {
	var out []views.BaseLine
	for _, b := range d.v.Bases {
		l := views.BaseLine{Kind: baseWords[b.Kind], URL: comparePath(d.v.Server.Slug, b.Listing, d.v.Listing.ID)}
		if b.Title != "" {
			l.Name = views.ShowName(b.Title)
		}
		if !b.At.IsZero() {
			l.When = d.s.when(b.At)
		}
		if b.Kind == review.GateBase {
			l.URL, l.Note = releasePath(d.v.Release.ID), "Decisions are taken from here. "+d.v.BaseWhy
		}
		out = append(out, l)
	}
	return out
}

// pairings lists renames and merges that people recognised, those that are only
// offered, and lets any two tools be paired, or several mapped to one.
func (d *desk) pairings(m *views.DeskPage) {
	open := d.v.Release.ReleasedAt.IsZero() && d.v.Release.WithdrawnAt.IsZero()
	may := d.reviews && d.v.Actions.Rename == ""
	for _, n := range slices.Concat(d.v.Pairings, d.v.Merges) {
		l := views.PairLine{
			ID: n.ID, Old: []views.PairName{pairName(n.Old)}, New: pairName(n.New), Merged: n.Kind == review.Merge,
			Says: views.Say("Recognised by " + n.ByLabel + " " + d.s.ago(n.At) + "."),
		}
		if may && open {
			l.URL = d.act("pairings", "end")
		}
		m.Pairings = append(m.Pairings, l)
	}
	if d.v.Base == nil || !open {
		return
	}
	for _, o := range d.v.Report.Offered {
		l := views.PairLine{New: pairName(o.To), Merged: o.Kind == change.OfferConsolidation, Says: views.Say(o.Sentence)}
		for _, from := range o.From {
			l.Old = append(l.Old, pairName(from.Tool))
		}
		if may {
			l.URL = d.act("pairings")
		}
		m.Offers = append(m.Offers, l)
	}
	if f := d.pairForm(); may && len(f.Old) > 0 && len(f.Into) > 0 {
		m.Pair = f
	}
}

func pairName(name string) views.PairName {
	return views.PairName{Name: views.ShowName(name), Value: name}
}

func (d *desk) pairForm() *views.PairForm {
	f := &views.PairForm{URL: d.act("pairings")}
	for i := range d.v.Changes {
		ch := &d.v.Changes[i]
		name := pairName(ch.Name())
		switch {
		case ch.Subject != change.SubjectTool:
		case ch.Kind == change.Removed:
			f.Old = append(f.Old, name)
		case ch.Kind == change.Added:
			f.New, f.Into = append(f.New, name), append(f.Into, name)
		default:
			f.Into = append(f.Into, name)
		}
	}
	return f
}

func (d *desk) twins() []views.TwinLine {
	var out []views.TwinLine
	for _, t := range d.v.Twins {
		out = append(out, views.TwinLine{
			Profile: views.ShowName(t.Profile), Release: views.ShowName(t.Title), URL: releasePath(t.ReleaseID),
			Count: plural(len(t.Changes), "identical change", "identical changes"),
		})
	}
	return out
}

// viewedForm stores marks: of the changes that the form showed, those that are
// ticked are viewed and the others are not.
func (s *Server) viewedForm(c echo.Context) error {
	form, err := s.form(c)
	if err != nil {
		return err
	}
	ticked := form["viewed"]
	unticked := slices.DeleteFunc(slices.Clone(form["shown"]), func(id string) bool { return slices.Contains(ticked, id) })
	ctx, a, id := c.Request().Context(), s.actor(c), c.Param("id")
	for _, marks := range []struct {
		ids []string
		on  bool
	}{{ticked, true}, {unticked, false}} {
		if len(marks.ids) == 0 && (marks.on || len(ticked) > 0) {
			continue
		}
		if err := s.svc.MarkViewed(ctx, a, id, marks.ids, marks.on); err != nil {
			return s.onDesk(c, err)
		}
	}
	return c.Redirect(http.StatusSeeOther, backTo(form.Get("back"), s.deskPath(id)))
}

func (s *Server) deskPath(id string) string { return path([]string{"releases", id, "desk"}) }

// onDesk shows an error that the reader can do something about on the desk.
func (s *Server) onDesk(c echo.Context, err error) error {
	fault, ok := sentenceOf(err)
	if !ok {
		return err
	}
	return s.renderDesk(c, describe(err, "").Status, fault)
}

func (s *Server) publishForm(c echo.Context) error {
	if _, err := s.svc.PublishDrafts(c.Request().Context(), s.actor(c), c.Param("id"), nil); err != nil {
		return s.onDesk(c, err)
	}
	s.flash(c, flashDone, "Your drafts are published.")
	return c.Redirect(http.StatusSeeOther, releasePath(c.Param("id"), "view", viewThreads))
}

func (s *Server) removeDraftForm(c echo.Context) error {
	form, err := s.form(c)
	if err != nil {
		return err
	}
	empty := review.Draft{Target: form.Get("target"), Texts: []string{}}
	if _, err := s.svc.SaveDraft(c.Request().Context(), s.actor(c), c.Param("id"), empty); err != nil {
		return s.onDesk(c, err)
	}
	return c.Redirect(http.StatusSeeOther, s.deskPath(c.Param("id")))
}

func (s *Server) pairForm(c echo.Context) error {
	form, err := s.form(c)
	if err != nil {
		return err
	}
	said := "They are one tool now. What differs between them is one change."
	if form.Get("merged") == "yes" {
		said = "It is noted. The changelog says what to call instead."
		_, err = s.svc.Merge(c.Request().Context(), s.actor(c), c.Param("id"), form["old"], form.Get("new"))
	} else {
		_, err = s.svc.Pair(c.Request().Context(), s.actor(c), c.Param("id"), form.Get("old"), form.Get("new"))
	}
	if err != nil {
		return s.onDesk(c, err)
	}
	s.flash(c, flashDone, said)
	return c.Redirect(http.StatusSeeOther, s.deskPath(c.Param("id")))
}

func (s *Server) unpairForm(c echo.Context) error {
	form, err := s.form(c)
	if err != nil {
		return err
	}
	if _, err := s.svc.Unpair(c.Request().Context(), s.actor(c), c.Param("id"), form.Get("id")); err != nil {
		return s.onDesk(c, err)
	}
	return c.Redirect(http.StatusSeeOther, s.deskPath(c.Param("id")))
}

// aliasesPage is the ledger of names of a server.
func (s *Server) aliasesPage(c echo.Context) error {
	return s.renderAliases(c, http.StatusOK, nil, nil)
}

// renderAliases shows the ledger; form is what was typed into its form and refused, nil
// for nothing.
func (s *Server) renderAliases(c echo.Context, status int, fault views.Sentence, form url.Values) error {
	ctx, a, slug := c.Request().Context(), s.actor(c), c.Param("server")
	view, err := s.svc.Server(ctx, a, slug)
	if err != nil {
		return err
	}
	all, err := s.svc.Namings(ctx, a, slug)
	if err != nil {
		return err
	}
	m := views.AliasesPage{Page: s.page(c, "Names", "servers", serversCrumb, serverCrumb(&view.Server)), Fault: fault}
	if maintains(view.Role) {
		m.AddURL, m.EndURL = serverPath(slug)+"/aliases", serverPath(slug)+"/aliases/end"
		kept, err := s.loadServerDrafts(c, slug)
		if err != nil {
			return err
		}
		draft, left := s.left(kept, targetAlias)
		if form != nil {
			draft.Left = nil // sent just now
		} else {
			form = left
		}
		m.Draft, m.Old, m.New, m.Until, m.Why = draft, form.Get("old"), form.Get("new"), form.Get("until"), form.Get("note")
	}
	for _, p := range view.Profiles {
		m.Profiles = append(m.Profiles, views.Place{Value: p.Name, Label: views.ShowName(p.Name).String(), Chosen: p.Name == form.Get("profile")})
	}
	if m.Waiting, err = s.proposalLines(c, view.Server.ID); err != nil {
		return err
	}
	for _, n := range slices.Backward(all) {
		switch n.Kind {
		case review.Alias:
			m.Aliases = append(m.Aliases, s.aliasLine(n))
		case review.Merge:
			m.Merges = append(m.Merges, s.aliasLine(n))
		default:
			m.Pairings = append(m.Pairings, s.aliasLine(n))
		}
	}
	return s.render(c, status, views.Aliases(m))
}

func (s *Server) aliasLine(n review.Naming) views.AliasLine {
	l := views.AliasLine{
		ID: n.ID, Old: views.ShowName(n.Old), New: views.ShowName(n.New), Profile: profileName(n.Profile, review.DefaultProfile),
		By: prose.Show(cmpOr(n.ByLabel, "shell")), Note: prose.Show(n.Note), Since: s.when(n.At), Holds: n.Holds(s.opt.Now()),
	}
	switch {
	case !n.EndedAt.IsZero():
		l.Until = "ended " + s.ago(n.EndedAt)
	case !n.Until.IsZero():
		l.Until = "until " + s.day(n.Until)
	}
	return l
}

func (s *Server) addAliasForm(c echo.Context) error {
	form, err := s.form(c)
	if err != nil {
		return err
	}
	n := review.NewAlias{Profile: form.Get("profile"), Old: form.Get("old"), New: form.Get("new"), Note: written(form.Get("note"))}
	if n.Until, _, err = moment("Answers until", form.Get("until")); err != nil {
		return s.onAliases(c, err, form)
	}
	made, err := s.svc.AddAlias(c.Request().Context(), s.actor(c), c.Param("server"), n)
	if err != nil {
		return s.onAliases(c, err, form)
	}
	s.savedSettings(c, form)
	if made.Waits {
		s.flash(c, flashDone, "With the alias a rename breaks nobody, so another maintainer must agree first.")
	}
	return c.Redirect(http.StatusSeeOther, serverPath(c.Param("server"))+"/aliases")
}

func (s *Server) endAliasForm(c echo.Context) error {
	form, err := s.form(c)
	if err != nil {
		return err
	}
	if err := s.svc.EndAlias(c.Request().Context(), s.actor(c), c.Param("server"), form.Get("id")); err != nil {
		return s.onAliases(c, err, nil)
	}
	return c.Redirect(http.StatusSeeOther, serverPath(c.Param("server"))+"/aliases")
}

func (s *Server) onAliases(c echo.Context, err error, form url.Values) error {
	fault, ok := sentenceOf(err)
	if !ok {
		return err
	}
	return s.renderAliases(c, describe(err, "").Status, fault, form)
}
