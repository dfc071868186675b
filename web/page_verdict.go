package web

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/prose"
	"github.com/countersign/countersign/views"
)

// keptAnswer is what a form answered and what could not be stored.
type keptAnswer struct {
	items   []string
	verdict string
	note    string
	subject string
}

// about reports whether a form of the page asks for the same items.
func (k *keptAnswer) about(items []string) bool { return slices.Equal(k.items, items) }

// verdictItems reads a form of answers: items are "ed_… ch_… ch_…", one edit on
// the changes that were shown, or a change alone.
func verdictItems(form url.Values) ([]review.VerdictItem, keptAnswer) {
	k := keptAnswer{items: form["item"], verdict: form.Get("verdict"), note: written(form.Get("note")), subject: form.Get("subject")}
	var out []review.VerdictItem
	for _, text := range append(slices.Clone(k.items), form["change"]...) {
		item := review.VerdictItem{Verdict: review.VerdictKind(k.verdict), Note: k.note}
		if first, rest, several := strings.Cut(text, " "); several {
			item.Edit, item.Changes = first, strings.Fields(rest)
		} else {
			item.Change = first
		}
		out = append(out, item)
	}
	return out, k
}

var verdictDone = map[review.VerdictKind]string{
	review.Approve: "Approved.", review.Reject: "Rejected. It blocks the release until you take it back or a new push mends it.", review.Withdraw: "Your answer is taken back.",
}

// verdictForm stores an answer and goes on to the next decision. What was answered
// too late is shown again beside what is there now.
func (s *Server) verdictForm(c echo.Context) error {
	form, err := s.form(c)
	if err != nil {
		return err
	}
	id := c.Param("id")
	items, kept := verdictItems(form)
	if _, err := s.svc.Decide(c.Request().Context(), s.actor(c), id, items); err != nil {
		return s.refusedOnRelease(c, err, releaseRequest{view: viewOf(kept.items), tool: toolOf(kept.items), kept: &kept})
	}
	s.sent(c, form)
	s.flash(c, flashDone, verdictDone[review.VerdictKind(kept.verdict)])
	return c.Redirect(http.StatusSeeOther, backTo(form.Get("back"), releasePath(id)))
}

// viewOf is the view whose form was sent: a change alone is answered where its
// tool is open.
func viewOf(items []string) string {
	if toolOf(items) != "" {
		return viewTools
	}
	return viewDecisions
}

func toolOf(items []string) string {
	if len(items) == 1 && strings.HasPrefix(items[0], "ch_") && !strings.Contains(items[0], " ") {
		return items[0]
	}
	return ""
}

var wantedTo = map[review.VerdictKind]string{
	review.Approve: "approve", review.Reject: "reject", review.Withdraw: "take back your answer to",
}

// keptAnswers says what was not stored, and where it can be given again.
func (p *releasePresenter) keptAnswers() []views.KeptAnswer {
	k := p.q.kept
	if k == nil {
		return nil
	}
	a := views.KeptAnswer{About: prose.Show(k.subject), Did: wantedTo[review.VerdictKind(k.verdict)], URL: p.now(k.subject)}
	if k.note != "" {
		a.Note = prose.Show(k.note)
	}
	return []views.KeptAnswer{a}
}

// now leads to what there is now under the name that a form was about.
func (p *releasePresenter) now(subject string) string {
	for i := range p.v.Changes {
		if ch := &p.v.Changes[i]; views.ShowName(subjectName(ch)).String() == subject {
			return p.toolURL(ch.ID)
		}
	}
	for i := range p.cards {
		if p.subject(&p.cards[i]) == subject {
			return p.cardPath(p.cards[i].id)
		}
	}
	return ""
}
