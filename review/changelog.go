package review

import (
	"context"
	"slices"
	"time"

	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/lock"
	"github.com/countersign/countersign/review/report"
)

// Changelog is what a release tells its users, in Markdown.
type Changelog struct {
	Markdown  string
	Migration string // what callers have to do, "" when nothing breaks
}

// Changelog writes the changelog of a release out of its comparison with the gate
// base, the aliases that hold and the reasons that reviewers gave. Of a released
// version it stays what it was at its release.
func (s *Service) Changelog(ctx context.Context, a Actor, releaseID string) (*Changelog, error) {
	v, err := s.Release(ctx, a, releaseID)
	if err != nil {
		return nil, err
	}
	return v.Changelog(), nil
}

// Changelog writes the changelog of the release that the view shows.
func (v *ReleaseView) Changelog() *Changelog {
	c := v.changelog()
	return &Changelog{Markdown: c.Markdown(), Migration: c.Migration()}
}

func (v *ReleaseView) changelog() report.Changelog {
	c := report.Changelog{Title: v.Release.Title(), Released: day(v.Release.ReleasedAt), Report: v.Report}
	if v.Base != nil {
		c.Base = v.Base.Title()
	}
	for _, o := range v.passes() {
		c.Overrides = append(c.Overrides, o.Says(v.Overridden))
	}
	for _, n := range v.Aliases {
		c.Aliases = append(c.Aliases, report.AliasNote{Old: n.Old, New: n.New, Until: day(n.Until)})
	}
	for i := range v.Changes {
		ch := &v.Changes[i]
		for j := range ch.Verdicts {
			if said := &ch.Verdicts[j]; v.explains(said) && !takenBack(said, ch.Verdicts[j+1:]) {
				c.Remarks = append(c.Remarks, report.Remark{Change: ch.ID, Edit: said.Edit, By: said.UserLabel, Note: said.Note, Evidence: trialLines(said.Evidence)})
			}
		}
	}
	return c
}

// passes are the overrides that a release was released by, else passes by now.
func (v *ReleaseView) passes() []OverrideInForce {
	if v.PassedBy != nil {
		return []OverrideInForce{*v.PassedBy}
	}
	return v.Overrides
}

// explains reports whether an answer is a reason for the release: an approval that
// was not taken back, given before it was released. What authors say of their own push
// is none where the policy leaves it out: readers would take it for a reviewer's.
func (v *ReleaseView) explains(said *Verdict) bool {
	if !said.approves() || v.ownOnly[said.ID] {
		return false
	}
	return v.Release.ReleasedAt.IsZero() || !said.At.After(v.Release.ReleasedAt)
}

// ownApproval reports whether an answer to a change is its author's approval that does
// not count: by the policy as it is, and for what is released as it was then.
func (b *viewBuilder) ownApproval(said *Verdict, all []Verdict, line gate.Line) bool {
	switch {
	case !said.approves() || !said.OwnPush && !slices.Contains(b.as.authors, said.UserID):
		return false
	case b.as.release.ReleasedAt.IsZero():
		return !line.Self
	}
	return !slices.ContainsFunc(all, func(v Verdict) bool {
		return v.UserID == said.UserID && slices.ContainsFunc(b.stoodOn, func(a lock.Approval) bool { return !a.Independent && a.At.Equal(v.At) })
	})
}

// stood reads the approvals that a release was released on.
func (b *viewBuilder) stood() error {
	if b.as.release.ReleasedAt.IsZero() {
		return nil
	}
	k := lock.Lock{Approvals: []lock.Approval{}}
	err := b.as.grounds(b.ctx, b.tx, &k)
	b.stoodOn = k.Approvals
	return err
}

// takenBack reports whether the giver of an answer said otherwise later.
func takenBack(said *Verdict, later []Verdict) bool {
	return slices.ContainsFunc(later, func(v Verdict) bool {
		return v.UserID == said.UserID && v.Kind != Approve && (v.Edit == "" || v.Edit == said.Edit || said.Edit == "")
	})
}

// trialLines words what somebody tried, a line each.
func trialLines(trials []gate.Trial) []string {
	var out []string
	for _, t := range trials {
		line := t.Prompt
		if t.Host != "" {
			line += " (" + t.Host + ")"
		}
		out = append(out, line+": "+t.Outcome)
	}
	return out
}

func day(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.DateOnly)
}

// Attention says whose turn a release is, why, and since when.
type Attention struct {
	Yours bool
	Who   []string // labels of who else can go on, by name
	Why   string   // one sentence
	Since time.Time
}

// attention finds out who can go on with a release under review. It is the turn of
// who can take an open decision; of its authors while something was rejected or
// asked; of the maintainers when it can be released or accepted as baseline.
func (as *assessment) attention(a Actor, mine bool) Attention {
	at := Attention{Yours: mine, Why: as.Answer.Why, Since: as.revision.PushedAt}
	later := func(t time.Time) {
		if t.After(at.Since) {
			at.Since = t
		}
	}
	if as.base != nil {
		later(as.base.ReleasedAt)
	}
	for i := range as.blocking {
		later(as.blocking[i].OpenedAt)
	}
	for i := range as.given {
		if v := &as.given[i]; v.counts() && v.ReleaseID == as.release.ID && v.Kind != Approve {
			later(v.At)
		}
	}
	ready := as.notReleasable() == ""
	for _, p := range as.facts.People {
		turn := slices.Contains(as.Turn, p.ID) || ready && p.Maintainer
		if turn && p.ID != a.userID() {
			at.Who = append(at.Who, p.Label)
		}
	}
	slices.Sort(at.Who)
	return at
}
