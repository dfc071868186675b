package web

import (
	"slices"
	"strings"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/views"
)

// answerForm asks for an answer, or lets one be taken back.
func (p *releasePresenter) answerForm(c *card, back, next string) *views.AnswerForm {
	if !c.can {
		if c.open() {
			return &views.AnswerForm{Cannot: c.cannot}
		}
		return nil
	}
	if c.state == cardSettled {
		return nil
	}
	f := &views.AnswerForm{
		ID: c.id, URL: p.act("verdicts"), Back: back, Next: next, About: views.Say(c.sentence).String(), Subject: p.subject(c),
		Items: p.items(c),
	}
	f.NoteHint, f.Needs = p.noteHint(c)
	f.Mine = mineSaid(c.mine)
	p.keep(f)
	return f
}

// keep shows in a form what was typed into it and could not be stored, and why.
func (p *releasePresenter) keep(f *views.AnswerForm) {
	box, draft := p.drafts.box(verdictTarget(f.Items))
	moved := draft == nil
	if target := p.inherited(f); moved && target != "" {
		box, draft = p.drafts.box(target)
	}
	f.Draft = box
	var typed []views.Trial
	var ticked []string
	if draft != nil && draft.Items != nil {
		f.Note, typed = draft.Note(), typedBefore(draft.Items[0].Evidence)
		if !moved {
			f.Drafted = string(draft.Verdict())
		}
	}
	k := p.q.kept
	switch {
	case k == nil:
	case k.about(f.Items):
		f.Note, f.Fault, p.faultPlaced, typed, ticked = k.note, p.q.fault, true, k.trials, k.profiles
	case len(p.q.stale) > 0 && (k.subject == f.Subject || f.ID == p.heirsNow().of(k.items, k.subject)):
		f.Note, typed, ticked = k.note, k.trials, k.profiles
	}
	if f.Mine == "" {
		f.Twins = p.twinTicks(f.Items, ticked)
		rows := 1
		if f.Whole != "" {
			rows = wholeTrials
		}
		f.Trials = trialFields(typed, rows)
	}
}

// twinTicks are the other profiles that wait for an answer to changes of a form.
func (p *releasePresenter) twinTicks(items, ticked []string) []views.TwinTick {
	if len(p.v.Twins) == 0 {
		return nil
	}
	asked := map[string]bool{}
	for _, item := range items {
		for _, word := range strings.Fields(item) {
			if _, is := p.index[word]; is {
				asked[word] = true
			}
		}
	}
	var out []views.TwinTick
	for i := range p.v.Twins {
		t := &p.v.Twins[i]
		n := 0
		for id := range asked {
			if p.twinHas(i, id) {
				n++
			}
		}
		if n == 0 {
			continue
		}
		tick := views.TwinTick{Profile: t.Profile, Name: views.ShowName(t.Profile + " " + t.Title), Ticked: slices.Contains(ticked, t.Profile)}
		if n < len(asked) {
			tick.Count = thousands(n) + " of " + plural(len(asked), "change", "changes")
		}
		out = append(out, tick)
	}
	return out
}

// twinHas reports whether the nth twin has a change, from a set made once a page: a
// page has a form for each decision.
func (p *releasePresenter) twinHas(n int, id string) bool {
	for i := len(p.twinSets); i <= n; i++ {
		set := make(map[string]bool, len(p.v.Twins[i].Changes))
		for _, had := range p.v.Twins[i].Changes {
			set[had] = true
		}
		p.twinSets = append(p.twinSets, set)
	}
	return p.twinSets[n][id]
}

// subject names what a form is about, so that an answer which came too late can be
// matched to what is there now.
func (p *releasePresenter) subject(c *card) string {
	if len(c.changes) == 1 {
		return views.ShowName(subjectName(&p.v.Changes[c.changes[0]])).String()
	}
	return views.Say(c.sentence).String()
}

// items are the edits with the changes that were shown: "ed_… ch_… ch_…".
func (p *releasePresenter) items(c *card) []string {
	var order []string
	on := map[string][]string{}
	for _, pr := range c.pairs {
		ch := &p.v.Changes[pr.change]
		if !ch.CanDecide {
			continue
		}
		if on[pr.edit] == nil {
			order = append(order, pr.edit)
		}
		on[pr.edit] = append(on[pr.edit], ch.ID)
	}
	var out []string
	for _, edit := range order {
		out = append(out, edit+" "+strings.Join(on[edit], " "))
	}
	return out
}

// noteHint names the box for a note, and says what is missing where it has to be filled;
// "" where it has not.
func (p *releasePresenter) noteHint(c *card) (hint, needs string) {
	on := map[string]int{} // changes by edit
	for _, pr := range c.pairs {
		if p.v.Changes[pr.change].CanDecide {
			on[pr.edit]++
		}
	}
	for _, pr := range c.pairs {
		ch := &p.v.Changes[pr.change]
		needs = needsReason
		if !p.v.Server.Policy.Line(ch.Ask(pr.detail.Edit)).Reason {
			if !ch.Sweeps(pr.edit, on[pr.edit]) {
				continue
			}
			needs = sweepsTools
		}
		why := views.ClassBadge(pr.detail.Class).Word
		if ch.Findings.High() {
			why = "a finding of severity " + string(ch.Findings.New)
		}
		if pr.detail.Hidden {
			why = "hidden characters"
		}
		return "Reason (needed to approve: " + why + ")", needs
	}
	return noteOnly, ""
}

// noteOnly is the hint of a note that nobody has to write.
const noteOnly = "Reason"

// needsReason is what a script says at once where a reason is missing. Without one the
// answer to the form says it.
const needsReason = "This policy asks for a reason. Write why it is fine, then press Ctrl+Enter, or Approve again."

const sweepsTools = "This breaks callers of several tools, so it takes a reason. Write why it is fine, then press Ctrl+Enter, or Approve again."

// mineSaid tells somebody what they answered; "" for nothing.
func mineSaid(k review.VerdictKind) string {
	switch k {
	case review.Approve:
		return "You approved this."
	case review.Reject:
		return "You rejected this."
	}
	return ""
}
