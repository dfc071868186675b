package web

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/change"
	"github.com/countersign/countersign/review/prose"
	"github.com/countersign/countersign/review/surface"
	"github.com/countersign/countersign/views"
)

// commentURL leads to the form that comments on a place of a tool; nil when the
// person may not comment.
func (p *releasePresenter) commentURL(tool string) func(pointer string) string {
	if p.v.Actions.Comment != "" {
		return nil
	}
	return func(pointer string) string {
		return p.path("view", viewTools, "tool", tool, "at", pointer) + "#comment"
	}
}

// commentForm comments on a change from its card.
func (p *releasePresenter) commentForm(ch *review.Decided, id string, pointers []string, back string) *views.CommentForm {
	if p.v.Actions.Comment != "" {
		return nil
	}
	f := p.newCommentForm(id, ch.ID, subjectName(ch), back)
	p.typedBefore(f, targetComment+id, nameOf(ch))
	f.Places = p.places(pointers, p.changeSides(ch), f.At)
	f.Open = typedIn(f)
	return f
}

// typedIn reports whether a form holds what somebody typed.
func typedIn(f *views.CommentForm) bool { return f.Body != "" || f.Suggest != "" || f.Quote != "" }

// commentOnTool comments on the open tool; t is its newer side, nil for none.
func (p *releasePresenter) commentOnTool(id, about, name string, pointers []string, t *surface.Tool) *views.CommentForm {
	if p.v.Actions.Comment != "" {
		return nil
	}
	if t != nil {
		if _, ok := review.TextAt(t.Raw, "/description"); ok && !slices.Contains(pointers, "/description") {
			pointers = slices.Insert(slices.Clone(pointers), 0, "/description")
		}
	}
	if p.q.at != "" && !slices.Contains(pointers, p.q.at) {
		pointers = append(pointers, p.q.at)
	}
	f := p.newCommentForm("comment", id, cmpOr(about, name), p.toolURL(id))
	stands := subjectSides{new: true}
	if t != nil {
		stands.newRaw = t.Raw
	}
	i, changed := p.index[id]
	if changed {
		name = nameOf(&p.v.Changes[i])
	}
	p.typedBefore(f, targetComment+id, name)
	if changed {
		stands = p.changeSides(&p.v.Changes[i])
	}
	f.Places = p.places(pointers, stands, f.At)
	p.refused(f)
	f.Open = f.Open || p.q.at != ""
	for _, place := range f.Places {
		if pointer, ok := strings.CutPrefix(place.Value, string(review.NewSide)+" "); ok && place.Chosen {
			p.fill(f, t, pointer)
		}
	}
	return f
}

// typedBefore fills in what was typed into a form and not sent.
func (p *releasePresenter) typedBefore(f *views.CommentForm, target, tool string) {
	box, kept := p.drafts.comment(target, tool)
	f.Draft = box
	if kept == nil || kept.Comment == nil {
		return
	}
	f.Body, f.Quote, f.Blocks = kept.Comment.Body, kept.Comment.Anchor.Quote, kept.Comment.Blocks
	if s := kept.Comment.Suggest; s != nil {
		f.Suggest = *s
	}
	_, f.At, _ = strings.Cut(kept.Place, " ")
	aboutFinding(f, kept.Comment.Anchor.Rule)
}

// aboutFinding notes in a form of which rule the finding is that a thread is opened on;
// what was quoted last counts.
func aboutFinding(f *views.CommentForm, rule string) {
	if rule == "" {
		return
	}
	f.Hidden = slices.DeleteFunc(f.Hidden, func(h views.HiddenField) bool { return h.Name == "rule" })
	f.Hidden = append(f.Hidden, views.HiddenField{Name: "rule", Value: rule})
}

// refused shows in a form what was sent by it just now and could not be stored, and
// why.
func (p *releasePresenter) refused(f *views.CommentForm) {
	if p.q.quoted && len(f.Places) > 0 {
		f.QuoteFault = p.q.fault
	} else {
		f.Fault = p.q.fault
	}
	if p.q.draft != "" {
		f.Body = p.q.draft
	}
	f.Quote = cmpOr(p.q.words, f.Quote)
	f.Blocks = f.Blocks || p.q.blocks
	aboutFinding(f, p.q.rule)
	if p.q.suggest != "" {
		f.Suggest, f.Checked = p.q.suggest, p.q.checked
	}
	f.Open = typedIn(f)
}

// nameOf is the tool that a change is about, "" for the listing itself.
func nameOf(ch *review.Decided) string {
	if ch.Subject != change.SubjectTool {
		return ""
	}
	return ch.Name()
}

func (p *releasePresenter) newCommentForm(id, on, about, back string) *views.CommentForm {
	return &views.CommentForm{
		CheckURL: path([]string{"releases", p.v.Release.ID, "suggestions", "check"}),
		ID:       id, URL: p.act("threads"), About: views.ShowName(about).String(), Back: back,
		Hidden: []views.HiddenField{{Name: "on", Value: on}}, CanBlock: p.v.State == review.StateInReview || p.v.State == review.StateReady,
	}
}

// subjectSides says on which sides a subject is, and with which bytes where the page has them.
type subjectSides struct {
	new, old       bool
	newRaw, oldRaw []byte
}

// changeSides finds the sides of a change.
func (p *releasePresenter) changeSides(ch *review.Decided) subjectSides {
	if ch.Subject == change.SubjectInstructions {
		return subjectSides{new: !ch.To.IsZero(), old: !ch.From.IsZero()}
	}
	s := subjectSides{new: ch.NewPosition > 0, old: ch.OldPosition > 0}
	if t := toolAt(p.v.New, ch.NewPosition); t != nil {
		s.newRaw = t.Raw
	}
	if t := toolAt(p.v.Old, ch.OldPosition); t != nil {
		s.oldRaw = t.Raw
	}
	return s
}

// mayLead reports whether a pointer leads anywhere on a side; where the page has not its
// bytes, it may.
func mayLead(side bool, raw []byte, pointer string) bool {
	return side && (len(raw) == 0 || review.Leads(raw, pointer))
}

// places are what a comment can be about, on either side: "new /description". at is
// the one that was chosen before.
func (p *releasePresenter) places(pointers []string, on subjectSides, at string) []views.Place {
	var out []views.Place
	add := func(side review.Side, pointer, label string) {
		value := string(side) + " " + pointer
		asked := p.q.at != "" && pointer == p.q.at && (p.q.side == "" || side == p.q.side)
		chosen := (asked || p.q.at == "" && at != "" && value == at) && !slices.ContainsFunc(out, func(o views.Place) bool { return o.Chosen })
		out = append(out, views.Place{Value: value, Label: label, Chosen: chosen})
	}
	side := review.NewSide
	if !on.new && on.old {
		side = review.OldSide
	}
	add(side, "", "the whole of it")
	for _, pointer := range pointers {
		label := placeName(pointer)
		if mayLead(on.new || !on.old, on.newRaw, pointer) {
			add(review.NewSide, pointer, label)
		}
		if mayLead(on.old, on.oldRaw, pointer) {
			add(review.OldSide, pointer, label+", "+asItWas)
		}
	}
	return out
}

// threads is the view of all conversations of a release.
func (p *releasePresenter) threads() *views.ThreadsView {
	v := &views.ThreadsView{}
	for i := range p.v.Threads {
		t := p.threadView(&p.v.Threads[i], p.path("view", viewThreads))
		if t.Open {
			v.Open = append(v.Open, t)
		} else {
			v.Closed = append(v.Closed, t)
		}
	}
	if p.v.Actions.Comment == "" {
		v.Comment = p.newCommentForm("comment", "", "the whole release", p.path("view", viewThreads))
		p.typedBefore(v.Comment, targetComment, "")
		p.refused(v.Comment)
	}
	return v
}

func (p *releasePresenter) threadsAbout(ch *review.Decided, id string) []views.ThreadView {
	if ch.Subject != change.SubjectTool {
		return p.threadsWhere(id, func(t *review.Thread) bool { return t.Anchor.Tool == "" && t.Anchor.Pointer == "/instructions" })
	}
	names := []string{ch.Name()}
	if ch.FromTool != nil {
		names = append(names, *ch.FromTool)
	}
	return p.threadsWhere(id, func(t *review.Thread) bool { return slices.Contains(names, t.Anchor.Tool) })
}

func (p *releasePresenter) threadsOn(name, id string) []views.ThreadView {
	return p.threadsWhere(id, func(t *review.Thread) bool { return t.Anchor.Tool == name && name != "" })
}

func (p *releasePresenter) threadsWhere(id string, is func(*review.Thread) bool) []views.ThreadView {
	var out []views.ThreadView
	for i := range p.v.Threads {
		if is(&p.v.Threads[i]) {
			out = append(out, p.threadView(&p.v.Threads[i], p.toolURL(id)))
		}
	}
	return out
}

func (p *releasePresenter) threadView(t *review.Thread, back string) views.ThreadView {
	v := views.ThreadView{
		ID: "t-" + t.ID, Place: placeName(t.Anchor.Pointer), URL: p.threadURL(t), Open: t.Open(), Blocks: t.Blocks,
		Side: p.sideOf(t), Moved: movedSince(t), Rule: t.Anchor.Rule, Back: back + "#t-" + t.ID,
	}
	if t.Anchor.Tool != "" {
		v.About = views.ShowName(t.Anchor.Tool)
	} else if t.Anchor.Pointer == "" {
		v.Place = "the whole release"
	}
	v.Quote = quoteOf(t)
	for i := range t.Comments {
		c := p.s.commentView(t, i)
		c.EditedURL = path([]string{"releases", p.v.Release.ID, "threads", t.ID, "edits"})
		c.Edit = p.editForm(t, &t.Comments[i], v.Back)
		v.Comments = append(v.Comments, c)
	}
	if !t.Open() {
		v.Resolved = "Resolved " + p.s.ago(t.ResolvedAt) + "."
		if t.ResolvedByLabel != "" {
			v.Resolved = "Resolved by " + views.ShowName(t.ResolvedByLabel).String() + ", " + p.s.ago(t.ResolvedAt) + "."
		}
	}
	if p.v.Actions.Comment != "" {
		return v
	}
	act := func(name string) string {
		return path([]string{"releases", p.v.Release.ID, "threads", t.ID, name})
	}
	v.ReplyURL = act("comments")
	box, kept := p.drafts.box(targetReply + t.ID)
	v.Kept = box
	if kept != nil && kept.Comment != nil {
		v.Draft = kept.Comment.Body
	}
	if t.Open() {
		v.CloseURL = act("resolve")
	} else {
		v.ReopenURL = act("reopen")
	}
	return v
}

// editForm changes a comment of the reader's own; nil for those of others.
func (p *releasePresenter) editForm(t *review.Thread, c *review.Comment, back string) *views.EditCommentForm {
	if p.v.Actions.Comment != "" || p.me == "" || c.UserID != p.me {
		return nil
	}
	f := &views.EditCommentForm{
		ID: "c-" + c.ID, URL: path([]string{"releases", p.v.Release.ID, "threads", t.ID, "edit"}), Comment: c.ID, Back: back, Body: c.Body,
	}
	box, kept := p.drafts.box(targetEdit + c.ID)
	f.Draft = box
	if kept != nil && len(kept.Texts) == 1 {
		f.Body, f.Open = kept.Texts[0], true
	}
	return f
}

// threadURL leads to what a thread is about.
func (p *releasePresenter) threadURL(t *review.Thread) string { return placeURL(p.v, t.Anchor.Tool) }

// placeURL leads to a tool in a release: to its change, or to it as it is.
func placeURL(v *review.ReleaseView, tool string) string {
	for i := range v.Changes {
		if ch := &v.Changes[i]; tool != "" && ch.Name() == tool {
			return releasePath(v.Release.ID, "view", viewTools, "tool", ch.ID)
		}
	}
	if v.New != nil {
		for i := range v.New.Tools {
			if tool != "" && v.New.Tools[i].Name == tool {
				return releasePath(v.Release.ID, "view", viewTools, "tool", "n"+strconv.Itoa(v.New.Tools[i].Position))
			}
		}
	}
	return releasePath(v.Release.ID, "view", viewThreads)
}

// sideOf says that a thread is about what stood there before; "" of the newer side. The
// version is named where it has the bytes that the thread was opened on.
func (p *releasePresenter) sideOf(t *review.Thread) string {
	if t.Anchor.Side != review.OldSide {
		return ""
	}
	if p.oldBytes == nil {
		p.oldBytes = map[surface.Hash]bool{}
		if p.v.Base != nil {
			p.oldBytes[p.v.Base.Head.Digest] = true
		}
		if p.v.Old != nil {
			for i := range p.v.Old.Tools {
				p.oldBytes[p.v.Old.Tools[i].Digest] = true
			}
		}
	}
	if old, _ := p.labels(); p.v.Base != nil && !t.Anchor.Digest.IsZero() && p.oldBytes[t.Anchor.Digest] {
		return "on " + old + ", as it was"
	}
	return asItWas
}

// asItWas is said of the older side.
const asItWas = "as it was"

// sided is the place of a thread in a list, which says where it is one of the older side.
func sided(place string, t *review.Thread) string {
	if t.Anchor.Side == review.OldSide {
		return place + ", " + asItWas
	}
	return place
}

// movedSince says what became of the place of a thread.
func movedSince(t *review.Thread) string {
	switch t.Place.State {
	case review.PlaceChanged:
		return "it says something else now"
	case review.PlaceGone:
		return "it is gone since"
	case review.PlaceRenamed:
		return "the tool is " + views.ShowName(t.Place.Tool).String() + " now"
	}
	return ""
}

// quoteOf is the words that a thread is about; where they don't stand any more and
// none were quoted, what stood there.
func quoteOf(t *review.Thread) prose.Visible {
	moved := t.Place.State == review.PlaceChanged || t.Place.State == review.PlaceGone
	switch {
	case t.Anchor.Quote != "":
		return prose.Show(t.Anchor.Quote)
	case moved && t.Anchor.Snippet != "":
		return prose.Show(t.Anchor.Snippet)
	}
	return nil
}

// commentView is one comment of a thread; i is its place.
func (s *Server) commentView(t *review.Thread, i int) views.CommentView {
	c := &t.Comments[i]
	v := views.CommentView{Who: prose.Show(c.UserLabel), When: s.when(c.At), HTML: markdown(c.Body)}
	if !c.EditedAt.IsZero() {
		v.Edited = "edited " + s.ago(c.EditedAt)
	}
	if g := c.Suggests; g != nil {
		v.Suggests = &views.SuggestionView{Patch: prose.Show(g.Patch(t.Anchor.Tool, t.Anchor.Pointer)), Taken: slices.Contains(t.Place.Taken, i)}
		if patch := t.JSONPatch(i); patch != nil {
			v.Suggests.JSON = prose.Show(string(patch))
		}
	}
	return v
}

// threadLines are the open threads beside the page.
func (p *releasePresenter) threadLines() []views.ThreadLine {
	var out []views.ThreadLine
	for i := range p.v.Threads {
		t := &p.v.Threads[i]
		if !t.Open() || len(t.Comments) == 0 {
			continue
		}
		line := views.ThreadLine{URL: p.path("view", viewThreads) + "#t-" + t.ID, Place: placeName(t.Anchor.Pointer), Start: prose.Show(beginning(t.Comments[0].Body))}
		if t.Anchor.Tool != "" {
			line.About = views.ShowName(t.Anchor.Tool)
		}
		line.Place = sided(line.Place, t)
		if t.Blocks {
			line.Tags = append(line.Tags, "blocks the release")
		}
		if n := len(t.Comments) - 1; n > 0 {
			line.Tags = append(line.Tags, plural(n, "reply", "replies"))
		}
		out = append(out, line)
	}
	return out
}

// beginning is the first line of a comment, in short: the thread has it whole.
func beginning(body string) string {
	line, _, more := strings.Cut(strings.TrimSpace(body), "\n")
	words := strings.Fields(line)
	const enough = 14
	if len(words) > enough {
		return strings.Join(words[:enough], " ") + " …"
	}
	if more {
		return line + " …"
	}
	return line
}

// anchorOfForm finds the place that a form is about.
func anchorOfForm(v *review.ReleaseView, form url.Values) review.Anchor {
	on := form.Get("on")
	side, pointer, _ := strings.Cut(form.Get("at"), " ")
	a := review.Anchor{Pointer: pointer, Side: review.Side(side), Rule: form.Get("rule")}
	if a.Side == "" {
		a.Side = review.NewSide
	}
	for i := range v.Changes {
		ch := &v.Changes[i]
		if ch.ID != on {
			continue
		}
		switch {
		case ch.Subject == change.SubjectInstructions:
			a.Pointer = "/instructions"
			if ch.To.IsZero() { // they are gone
				a.Side = review.OldSide
			}
		case ch.Subject != change.SubjectTool || ch.Tool == nil:
		case a.Side == review.OldSide && ch.FromTool != nil:
			a.Tool = *ch.FromTool
		default:
			a.Tool = *ch.Tool
		}
		return a
	}
	if n, err := strconv.Atoi(strings.TrimPrefix(on, "n")); err == nil && v.New != nil && n >= 1 && n <= len(v.New.Tools) {
		a.Tool = v.New.Tools[n-1].Name
	}
	return a
}

// openThreadForm starts a thread on the release or on a place of a tool.
func (s *Server) openThreadForm(c echo.Context) error {
	form, err := s.form(c)
	if err != nil {
		return err
	}
	ctx, a, id := c.Request().Context(), s.actor(c), c.Param("id")
	view, err := s.svc.Release(ctx, a, id)
	if err != nil {
		return err
	}
	n := review.NewComment{Anchor: anchorOfForm(view, form), Body: form.Get("body"), Blocks: form.Get("blocks") == "yes", Suggest: suggestedIn(form)}
	n.Anchor.Quote = wordsIn(form)
	t, err := s.svc.Comment(ctx, a, id, n)
	if err == nil {
		s.sent(c, form)
		s.flash(c, flashDone, "Your comment is published.")
		return c.Redirect(http.StatusSeeOther, afterComment(backTo(form.Get("back"), releasePath(id, "view", viewThreads)), t.ID))
	}
	q := typedComment(form)
	if n.Suggest != nil {
		q.suggest = *n.Suggest
	}
	if err := q.take(err); err != nil {
		return err
	}
	return s.renderRelease(c, q)
}

// wordsIn are the words that a form says a comment is about, "" for none. The ends of lines
// and of the whole are as a browser makes them of what was copied.
func wordsIn(form url.Values) string { return strings.TrimSpace(lines(form.Get("quote"))) }

// typedComment asks for the page with what was typed into the form of a comment.
func typedComment(form url.Values) releaseRequest {
	q := releaseRequest{view: viewThreads, tool: form.Get("on"), draft: form.Get("body"), words: wordsIn(form), blocks: form.Get("blocks") == "yes", rule: form.Get("rule")}
	if q.tool != "" {
		q.view = viewTools
		side, at, _ := strings.Cut(form.Get("at"), " ")
		q.side, q.at = review.Side(side), at
	}
	return q
}

// afterComment is where a new thread is shown. Who comments on a decision stays there: no
// thread is shown among decisions.
func afterComment(back, thread string) string {
	if _, at, _ := strings.Cut(back, "#"); strings.HasPrefix(at, cardPrefix) {
		return back
	}
	return withFragment(back, "t-"+thread)
}

// withFragment replaces the fragment of a path.
func withFragment(p, fragment string) string {
	p, _, _ = strings.Cut(p, "#")
	return p + "#" + fragment
}

func (s *Server) commentOnThreadForm(c echo.Context) error {
	return s.threadForm(c, func(a review.Actor, body string) error {
		_, err := s.svc.AddComment(c.Request().Context(), a, c.Param("thread"), body)
		return err
	})
}

func (s *Server) editCommentForm(c echo.Context) error {
	form, err := s.form(c)
	if err != nil {
		return err
	}
	if _, err := s.svc.EditComment(c.Request().Context(), s.actor(c), c.Param("thread"), form.Get("comment"), form.Get("body")); err != nil {
		return err
	}
	s.sent(c, form)
	return c.Redirect(http.StatusSeeOther, backTo(form.Get("back"), releasePath(c.Param("id"), "view", viewThreads)+"#t-"+c.Param("thread")))
}

// editsPage shows what the comments of a thread said before.
func (s *Server) editsPage(c echo.Context) error {
	ctx, a, id := c.Request().Context(), s.actor(c), c.Param("id")
	view, err := s.svc.Release(ctx, a, id)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(view.Threads, func(t review.Thread) bool { return t.ID == c.Param("thread") })
	if i < 0 {
		return review.Errorf(review.NotFound, "This release shows no such thread.")
	}
	edits, err := s.svc.ThreadEdits(ctx, a, c.Param("thread"))
	if err != nil {
		return err
	}
	t := &view.Threads[i]
	m := views.EditsPage{
		Page:    s.page(c, "Edited comments", "servers", serversCrumb, serverCrumb(&view.Server), releaseCrumb(view)),
		Place:   placeName(t.Anchor.Pointer),
		BackURL: releasePath(id, "view", viewThreads) + "#t-" + t.ID, Comments: s.editedComments(t, edits),
	}
	switch {
	case t.Anchor.Tool != "":
		m.About = views.ShowName(t.Anchor.Tool)
	case t.Anchor.Pointer == "":
		m.Place = "the whole release"
	}
	m.Place = sided(m.Place, t)
	return s.render(c, http.StatusOK, views.Edits(m))
}

// editedComments are those that were edited, each with its texts, newest first.
func (s *Server) editedComments(t *review.Thread, edits []review.CommentEdit) []views.EditedComment {
	earlier := map[string][]views.EditedText{}
	for _, e := range slices.Backward(edits) {
		until := s.when(e.At)
		earlier[e.CommentID] = append(earlier[e.CommentID], views.EditedText{Text: prose.Show(e.Body), Until: &until})
	}
	var out []views.EditedComment
	for i := range t.Comments {
		if c := &t.Comments[i]; earlier[c.ID] != nil {
			texts := append([]views.EditedText{{Text: prose.Show(c.Body)}}, earlier[c.ID]...)
			out = append(out, views.EditedComment{Who: prose.Show(c.UserLabel), Texts: texts})
		}
	}
	return out
}

func (s *Server) resolveThreadForm(c echo.Context) error {
	return s.threadForm(c, func(a review.Actor, _ string) error {
		_, err := s.svc.ResolveThread(c.Request().Context(), a, c.Param("thread"))
		return err
	})
}

func (s *Server) reopenThreadForm(c echo.Context) error {
	return s.threadForm(c, func(a review.Actor, _ string) error {
		_, err := s.svc.ReopenThread(c.Request().Context(), a, c.Param("thread"))
		return err
	})
}

// threadForm acts on a thread and goes back to it.
func (s *Server) threadForm(c echo.Context, act func(review.Actor, string) error) error {
	form, err := s.form(c)
	if err != nil {
		return err
	}
	if err := act(s.actor(c), form.Get("body")); err != nil {
		return err
	}
	s.sent(c, form)
	id := c.Param("id")
	return c.Redirect(http.StatusSeeOther, backTo(form.Get("back"), releasePath(id, "view", viewThreads)+"#t-"+c.Param("thread")))
}
