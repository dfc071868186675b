package web

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/prose"
	"github.com/countersign/countersign/views"
)

// Forms whose texts are kept as drafts name what they are for by a target. A page
// that shows the form anew finds the draft by it.
const (
	targetVerdict  = "verdict "
	targetReply    = "reply "
	targetComment  = "comment "
	targetWithdraw = "form withdraw"
	targetBaseline = "form baseline"
	targetOverride = "form override"
	targetAlarm    = "form alarm"
	targetWaive    = "form waive "   // fingerprint
	targetUnwaive  = "form unwaive " // id of a waiver
	targetEdit     = "form edit "    // id of a comment
	targetDecline  = "form decline " // id of a proposed waiver
)

// formTargets are those of forms of which only the texts are kept, and what these are.
var formTargets = []struct{ target, what string }{
	{targetWithdraw, "reason to withdraw"}, {targetBaseline, "notes of a starting point"}, {targetOverride, "reason of an override"},
	{targetAlarm, "note on an alarm"}, {targetWaive, "reason to accept a finding"}, {targetUnwaive, "reason to take a waiver back"},
	{targetEdit, "edit of a comment"}, {targetDecline, "reason to decline a proposed waiver"},
}

// formDraft says what a draft of such a form is; "" for none.
func formDraft(target string) string {
	for _, f := range formTargets {
		if strings.HasPrefix(target, f.target) {
			return f.what
		}
	}
	return ""
}

// verdictTarget is the target of a form that answers for items.
func verdictTarget(items []string) string {
	first := strings.Fields(cmp.Or(items...))
	return targetVerdict + strings.Join(first[:min(2, len(first))], " ")
}

// drafts are what the reader typed into the forms of a release, or of a server's
// settings, and did not send.
type drafts struct {
	release string // id, "" for those of a server
	server  string // slug, "" for those of a release
	list    []review.Draft
	taken   map[string]bool // targets that a form of the page shows

	answered map[string]bool // targets whose answer is given when the review is finished
}

// some reports whether answers wait for the end of the review.
func (d *drafts) some() bool { return d != nil && len(d.answered) > 0 }

// answers reports whether the one to target is drafted.
func (d *drafts) answers(target string) bool { return d != nil && d.answered[target] }

// loadDrafts reads them for whoever may write any.
func (s *Server) loadDrafts(c echo.Context, v *review.ReleaseView) (*drafts, error) {
	if v.Actions.Comment != "" {
		return nil, nil
	}
	list, err := s.svc.Drafts(c.Request().Context(), s.actor(c), v.Release.ID)
	if err != nil {
		return nil, err
	}
	d := &drafts{release: v.Release.ID, list: list, taken: map[string]bool{}, answered: map[string]bool{}}
	for i := range list {
		if list[i].Verdict() != "" {
			d.answered[list[i].Target] = true
		}
	}
	return d, nil
}

// box is where a form keeps what is typed into it, and what was: nil for nothing.
func (d *drafts) box(target string) (views.DraftBox, *review.Draft) {
	if d == nil {
		return views.DraftBox{}, nil
	}
	var kept *review.Draft
	b := views.DraftBox{URL: path([]string{"releases", d.release, "drafts"}), DeskURL: path([]string{"releases", d.release, "desk"}), Kept: "0 " + target}
	if d.server != "" {
		b.URL, b.DeskURL = serverPath(d.server)+"/drafts", ""
	}
	for i := range d.list {
		switch dr := &d.list[i]; {
		case dr.Target == target:
			kept = dr
		case dr.CopyOf == target:
			b.Copies = append(b.Copies, d.shows(dr))
		}
	}
	if kept != nil {
		b.Kept = fmt.Sprint(kept.Revision, " ", target)
		d.taken[target] = true
	}
	return b, kept
}

// shows is the text of a copy.
func (d *drafts) shows(dr *review.Draft) prose.Visible {
	if d.server != "" {
		return settingsText(fieldsOfDraft(dr))
	}
	return prose.Show(textOfDraft(dr))
}

// comment is box for a form that comments on a tool. What was typed about the tool
// before a push gave its change another id is shown in the form about it now.
func (d *drafts) comment(target, tool string) (views.DraftBox, *review.Draft) {
	if b, kept := d.box(target); kept != nil || d == nil || tool == "" {
		return b, kept
	}
	for i := range d.list {
		dr := &d.list[i]
		if dr.Comment != nil && dr.CopyOf == "" && dr.Comment.Anchor.Tool == tool && strings.HasPrefix(dr.Target, targetComment) && !d.taken[dr.Target] {
			return d.box(dr.Target)
		}
	}
	return d.box(target)
}

// texts is box for a form of which only the texts are kept: typed is what was sent
// and refused, and goes before what was kept.
func (d *drafts) texts(target, typed string) (views.DraftBox, string) {
	b, kept := d.box(target)
	if kept != nil && typed == "" {
		typed = textOfDraft(kept)
	}
	return b, typed
}

// textOfDraft is what somebody typed, of several fields one after the other.
func textOfDraft(d *review.Draft) string {
	switch {
	case d.Items != nil:
		return d.Note()
	case d.Comment == nil:
		return strings.Join(d.Texts, "\n")
	case d.Comment.Suggest != nil && d.Comment.Body == "":
		return *d.Comment.Suggest
	case d.Comment.Body == "":
		return d.Comment.Anchor.Quote
	}
	return d.Comment.Body
}

// keptOf reads which draft a form showed, and the revision of it.
func keptOf(form url.Values) (target string, revision int64) {
	rev, target, _ := strings.Cut(form.Get("kept"), " ")
	revision, _ = strconv.ParseInt(rev, 10, 64) // 0, none, for anything else
	return target, revision
}

// draftForm keeps a form as it stands: for a script while somebody types, and for a
// button where there are no scripts.
func (s *Server) draftForm(c echo.Context) error {
	form, err := s.form(c)
	if err != nil {
		return err
	}
	ctx, a, id := c.Request().Context(), s.actor(c), c.Param("id")
	d, err := s.draftOf(ctx, a, id, form)
	if err != nil {
		return err
	}
	kept, err := s.svc.TypeDraft(ctx, a, id, d)
	if err != nil && d.Verdict() != "" && form.Get("writer") == "" {
		_, typed := verdictItems(form)
		typed.verdict = string(d.Verdict())
		return s.refusedOnRelease(c, err, releaseRequest{view: viewOf(typed.items), tool: toolOf(typed.items), kept: &typed})
	}
	if err != nil {
		return err
	}
	if form.Get("writer") != "" {
		return draftKept(c, kept, d.Target)
	}
	switch verdict := d.Verdict(); {
	case kept.Target != d.Target:
		s.flash(c, flashProblem, "Another page wrote here too. Both drafts are kept under “Your review”.")
	case verdict != "":
		s.flash(c, flashDone, "Kept: you will "+string(verdict)+" this when you finish under “Your review”. Until then nobody sees it, and the gate does not count it.")
	default:
		s.flash(c, flashDone, "Kept as a draft. Nobody else sees it until you publish it.")
	}
	return c.Redirect(http.StatusSeeOther, afterAnswer(form, d.Verdict(), besideTool(form, id)))
}

// besideTool is where a form stands: one about a waiver names the tool, others an address.
func besideTool(form url.Values, release string) string {
	if tool := form.Get("back"); tool != "" && !strings.HasPrefix(tool, "/") {
		return withFragment(releasePath(release, "view", viewTools, "tool", tool), toolFragment)
	}
	return backTo(form.Get("back"), releasePath(release))
}

// draftKept tells a script which draft its page goes on with.
func draftKept(c echo.Context, kept *review.Draft, target string) error {
	return writeJSON(c, http.StatusOK, map[string]any{"kept": fmt.Sprint(kept.Revision, " ", kept.Target), "copy": kept.Target != target})
}

// draftOf reads the draft that a form is.
func (s *Server) draftOf(ctx context.Context, a review.Actor, id string, form url.Values) (review.Draft, error) {
	target, revision := keptOf(form)
	count, _ := strconv.ParseInt(form.Get("count"), 10, 64)
	d := review.Draft{Target: target, Writing: review.Writing{Saw: revision, Writer: form.Get("writer"), Count: count}}
	switch {
	case strings.HasPrefix(target, targetVerdict):
		items, k := verdictItems(form)
		for i := range items {
			items[i].Verdict = draftedAnswer(form)
		}
		d.Items, d.Place = items, k.subject
	case strings.HasPrefix(target, targetReply):
		thread, _, _ := strings.Cut(strings.TrimPrefix(target, targetReply), " ")
		d.Comment = &review.NewComment{ThreadID: thread, Body: lines(form.Get("body"))}
	case strings.HasPrefix(target, targetComment):
		n, err := s.draftComment(ctx, a, id, target, form)
		if err != nil {
			return d, err
		}
		d.Comment, d.Place = n, placeOf(form)
	case formDraft(target) != "":
		for _, text := range slices.Concat(form["reason"], form["note"], form["body"], form["why"]) {
			d.Texts = append(d.Texts, lines(text))
		}
	default:
		return d, review.Errorf(review.Invalid, "This form keeps no drafts.")
	}
	return d, nil
}

// draftedAnswer is the answer that a form of answers is to give when the review is
// finished: that of the button that was pressed, else the one drafted before, "" for
// none.
func draftedAnswer(form url.Values) review.VerdictKind {
	switch kind := review.VerdictKind(cmp.Or(form.Get("draft"), form.Get("drafted"))); kind {
	case review.Approve, review.Reject:
		return kind
	}
	return ""
}

// placeOf is what a form comments on, as it says it.
func placeOf(form url.Values) string { return form.Get("on") + " " + form.Get("at") }

// draftComment reads a comment that is being typed. Its place is looked up in the
// release once, and not at every word: a draft that is about the same place knows it.
func (s *Server) draftComment(ctx context.Context, a review.Actor, id, target string, form url.Values) (*review.NewComment, error) {
	n := &review.NewComment{Body: lines(form.Get("body")), Blocks: form.Get("blocks") == "yes", Suggest: suggestedIn(form)}
	kept, err := s.svc.Drafts(ctx, a, id)
	if err != nil {
		return nil, err
	}
	for _, d := range kept {
		if d.Target == target && d.Comment != nil && d.Place == placeOf(form) {
			n.Anchor = d.Comment.Anchor
			n.Anchor.Quote = wordsIn(form)
			return n, nil
		}
	}
	view, err := s.svc.Release(ctx, a, id)
	if err != nil {
		return nil, err
	}
	n.Anchor = anchorOfForm(view, form)
	n.Anchor.Quote = wordsIn(form)
	return n, nil
}

// sent removes the draft of a form that was carried out. That this fails does not
// undo what was: the draft is then still there, and can be removed by hand.
func (s *Server) sent(c echo.Context, form url.Values) {
	target, _ := keptOf(form)
	if target == "" {
		return
	}
	none := review.Draft{Target: target, Texts: []string{}}
	if _, err := s.svc.SaveDraft(c.Request().Context(), s.actor(c), c.Param("id"), none); err != nil {
		s.log.WarnContext(c.Request().Context(), "draft not removed", slog.String("request", requestIDOf(c)), slog.Any("error", err))
	}
}
