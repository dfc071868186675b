package web

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/prose"
	"github.com/countersign/countersign/views"
)

// keptAnswer is what a form answered and what could not be stored.
type keptAnswer struct {
	items    []string
	verdict  string
	note     string
	subject  string
	trials   []views.Trial // as typed
	profiles []string      // others that the answer was meant for too
}

// about reports whether a form of the page asks for the same items.
func (k *keptAnswer) about(items []string) bool { return slices.Equal(k.items, items) }

// verdictItems reads a form of answers: items are "ed_… ch_… ch_…", one edit on
// the changes that were shown, or a change alone.
func verdictItems(form url.Values) ([]review.VerdictItem, keptAnswer) {
	k := keptAnswer{items: form["item"], verdict: form.Get("verdict"), note: written(form.Get("note")), subject: form.Get("subject"), profiles: form["profile"]}
	k.trials = typedTrials(form)
	var tried []gate.Trial
	if k.verdict != string(review.Withdraw) {
		for _, t := range k.trials {
			tried = append(tried, gate.Trial{Prompt: written(t.Prompt), Host: strings.TrimSpace(t.Host), Outcome: written(t.Outcome)})
		}
	}
	var out []review.VerdictItem
	for _, text := range append(slices.Clone(k.items), form["change"]...) {
		item := review.VerdictItem{Verdict: review.VerdictKind(k.verdict), Note: k.note, Evidence: tried}
		if first, rest, several := strings.Cut(text, " "); several {
			item.Edit, item.Changes = first, strings.Fields(rest)
		} else {
			item.Change = first
		}
		out = append(out, item)
	}
	return out, k
}

// typedTrials reads the rows of fields of which one was filled in.
func typedTrials(form url.Values) []views.Trial {
	var out []views.Trial
	at := func(name string, n int) string {
		if n < len(form[name]) {
			return form[name][n]
		}
		return ""
	}
	for n := range form["prompt"] {
		t := views.Trial{Prompt: at("prompt", n), Host: at("host", n), Outcome: at("outcome", n)}
		if strings.TrimSpace(t.Prompt+t.Host+t.Outcome) != "" {
			out = append(out, t)
		}
	}
	return out
}

// wholeTrials is how many trials the form of a whole tool has room for. A decision
// among many has room for one, since a page may have hundreds; the API takes more.
const wholeTrials = 3

// trialFields are the rows of a form: what was typed before, and empty ones.
func trialFields(typed []views.Trial, rows int) []views.Trial {
	return append(slices.Clone(typed), make([]views.Trial, max(0, rows-len(typed)))...)
}

// typedBefore are the fields of evidence that a draft keeps.
func typedBefore(trials []gate.Trial) []views.Trial {
	var out []views.Trial
	for _, t := range trials {
		out = append(out, views.Trial(t))
	}
	return out
}

func triedLines(trials []gate.Trial) []views.TriedLine {
	var out []views.TriedLine
	for _, t := range trials {
		out = append(out, views.TriedLine{Prompt: prose.Show(t.Prompt), Host: showIfAny(t.Host), Outcome: prose.Show(t.Outcome)})
	}
	return out
}

var verdictDone = map[review.VerdictKind]string{
	review.Approve: "Approved.", review.Reject: "Rejected. It blocks the release until you take it back or a new push mends it.", review.Withdraw: "Your answer is taken back.",
}

// verdictForm stores an answer and goes on to the next decision, or the next tool. What
// was answered too late is shown again beside what is there now.
func (s *Server) verdictForm(c echo.Context) error {
	form, err := s.form(c)
	if err != nil {
		return err
	}
	id := c.Param("id")
	items, kept := verdictItems(form)
	if _, err := s.svc.DecideAlso(c.Request().Context(), s.actor(c), id, items, kept.profiles); err != nil {
		return s.refusedOnRelease(c, err, releaseRequest{view: viewOf(kept.items), tool: toolOf(kept.items), kept: &kept})
	}
	s.sent(c, form)
	back := backTo(form.Get("back"), releasePath(id))
	s.keepFlash(c, flash{Kind: flashDone, Text: kept.done(), Undo: kept.undo(path([]string{"releases", id, "verdicts"}), back)})
	return c.Redirect(http.StatusSeeOther, afterAnswer(form, review.VerdictKind(kept.verdict), back))
}

// afterAnswer is where to go on: from an answer to what is next, from one that was taken
// back nowhere.
func afterAnswer(form url.Values, verdict review.VerdictKind, back string) string {
	if verdict == review.Withdraw || verdict == "" {
		return back
	}
	return backTo(form.Get("next"), back)
}

// mostUndo bounds what a session keeps so that an answer can be taken back at once.
const mostUndo = 64 << 10

// done says what was stored, and of what.
func (k *keptAnswer) done() string {
	said := verdictDone[review.VerdictKind(k.verdict)]
	if k.subject != "" {
		said += " It was about " + quoted(clipped(strings.TrimSuffix(k.subject, "."), mostSubject)) + "."
	}
	return said + k.also()
}

// mostSubject is how much of a name, or of a sentence, a message repeats, in characters.
const mostSubject = 120

func clipped(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n]) + "…"
	}
	return s
}

// undo takes the answer back from the message that tells of it; nil where it took back
// another itself.
func (k *keptAnswer) undo(url, back string) *undo {
	if k.verdict == string(review.Withdraw) || len(strings.Join(k.items, "")) > mostUndo {
		return nil
	}
	return &undo{URL: url, Items: k.items, Subject: k.subject, Back: back, Profiles: k.profiles}
}

// also says where the answer was stored beside the release.
func (k *keptAnswer) also() string {
	if len(k.profiles) == 0 {
		return ""
	}
	var names []string
	for _, name := range k.profiles {
		names = append(names, quoted(name))
	}
	did := " Answered in "
	if k.verdict == string(review.Withdraw) {
		did = " Taken back in "
	}
	return did + strings.Join(names, ", ") + " too."
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
	a := views.KeptAnswer{About: prose.Show(k.subject), Did: wantedTo[review.VerdictKind(k.verdict)], URL: p.now(k)}
	if k.note != "" {
		a.Note = prose.Show(k.note)
	}
	return []views.KeptAnswer{a}
}

// now leads to what there is now of what a form was about.
func (p *releasePresenter) now(k *keptAnswer) string {
	if id := p.namesake(k.subject); id != "" {
		return p.toolURL(id)
	}
	if id := p.heirsNow().of(k.items, k.subject); id != "" {
		return p.cardPath(id)
	}
	return ""
}
