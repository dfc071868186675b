package web

import (
	"slices"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/change"
	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/people"
	"github.com/countersign/countersign/review/prose"
	"github.com/countersign/countersign/views"
)

// answers is what people said of one change, as a page shows it: per person the
// newest answer to the whole, and those to single edits since. What it adds up to
// is for the gate to say; here it decides only what a card looks like.
type answers struct {
	people []string // ids, in order of first answer
	by     map[string]*answered
}

type answered struct {
	whole *review.Verdict
	edits map[string]*review.Verdict
}

func answersTo(d *review.Decided) answers {
	all := answers{by: map[string]*answered{}}
	for i := range d.Verdicts {
		v := &d.Verdicts[i]
		if v.UsedUp || !v.RevokedAt.IsZero() {
			continue
		}
		a := all.by[v.UserID]
		if a == nil {
			a = &answered{edits: map[string]*review.Verdict{}}
			all.by[v.UserID] = a
			all.people = append(all.people, v.UserID)
		}
		a.take(v)
	}
	return all
}

func (a *answered) take(v *review.Verdict) {
	switch {
	case v.Edit == "":
		a.whole, a.edits = v, map[string]*review.Verdict{}
		if v.Kind == review.Withdraw {
			a.whole = nil
		}
	case v.Kind == review.Withdraw:
		delete(a.edits, v.Edit)
		a.whole = nil
	default:
		a.edits[v.Edit] = v
		if v.Kind == review.Reject {
			a.whole = nil
		}
	}
}

// on returns what stands for an edit, nil when nothing does.
func (a *answered) on(edit string) *review.Verdict {
	if a == nil {
		return nil
	}
	if v := a.edits[edit]; v != nil {
		return v
	}
	return a.whole
}

// editState is where one edit of one change stands.
type editState struct {
	rejected bool
	settled  bool // the gate asks for nothing (any more)
	answered bool // the reader approved it, and others have to answer
	mine     *review.Verdict
	said     []*review.Verdict
}

// stateOf looks at an edit of a change for who reads. While the gate asks, only the
// reader's own approval takes it off what is left to decide, and no other's: a change is
// approved by who approves all of it. self says that an author's own approval counts.
func stateOf(d *review.Decided, all answers, edit string, me *people.User, self bool) editState {
	st := editState{settled: d.Requirement == nil || d.Requirement.State != gate.Open}
	for _, id := range all.people {
		v := all.by[id].on(edit)
		if v == nil {
			continue
		}
		st.said = append(st.said, v)
		if me != nil && id == me.ID {
			st.mine = v
		}
		st.rejected = st.rejected || v.Kind == review.Reject
	}
	st.answered = !st.settled && st.mine != nil && st.mine.Kind == review.Approve && (self || !st.mine.OwnPush) && !all.askedAgain(d, me)
	return st
}

// askedAgain reports whether the gate asks for the answer of somebody who approved all
// of a change: it expired, or for some other reason does not count.
func (all answers) askedAgain(d *review.Decided, me *people.User) bool {
	if !slices.Contains(d.Requirement.WhoCan, me.Email) {
		return false
	}
	for i := range d.Details {
		det := &d.Details[i]
		v := all.by[me.ID].on(det.Edit)
		if det.Class != change.None && (v == nil || v.Kind != review.Approve) {
			return false
		}
	}
	return true
}

var verdictLooks = map[review.VerdictKind]views.VerdictLine{
	review.Approve:  {Tone: views.OK, Icon: "check", Did: "approved"},
	review.Reject:   {Tone: views.Bad, Icon: "cross", Did: "rejected"},
	review.Withdraw: {Tone: views.Plain, Icon: "minus", Did: "took an answer back"},
}

func (s *Server) verdictLine(v *review.Verdict) views.VerdictLine {
	line := verdictLooks[v.Kind]
	line.Who, line.When = prose.Show(v.UserLabel), s.when(v.At)
	if v.Note != "" {
		line.Note = prose.Show(v.Note)
	}
	line.Tried = triedLines(v.Evidence)
	switch {
	case !v.RevokedAt.IsZero():
		line.Tag = "revoked"
	case v.UsedUp:
		line.Tag = "used up"
	case v.OwnPush:
		line.Tag = "own push"
	case v.ShellToken:
		line.Tag = "token of the shell"
	}
	return line
}

// distinct drops verdicts that say the same of many tools: same person, same
// answer, same note, same evidence.
func distinct(list []*review.Verdict) []*review.Verdict {
	var out []*review.Verdict
	for _, v := range list {
		same := slices.ContainsFunc(out, func(o *review.Verdict) bool {
			return o.UserID == v.UserID && o.Kind == v.Kind && o.Note == v.Note && o.ShellToken == v.ShellToken && slices.Equal(o.Evidence, v.Evidence)
		})
		if !same {
			out = append(out, v)
		}
	}
	return out
}
