package web

import (
	"slices"
	"strconv"
	"time"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/prose"
	"github.com/countersign/countersign/views"
)

// history lists pushes and answers, newest first.
func (p *releasePresenter) history() *views.HistoryView {
	v := &views.HistoryView{}
	slug := p.v.Server.Slug
	for i, r := range p.v.Revisions {
		line := views.RevisionLine{
			N: strconv.Itoa(r.N), When: p.s.when(r.PushedAt), By: prose.Show(r.PushedBy), Author: prose.Show(cmpOr(r.Author, "unknown")),
			RunURL: httpsOnly(r.RunURL), Digest: r.Digest.Short(), URL: listingPath(slug, r.ListingID),
		}
		if r.Commit != "" {
			line.Commit = prose.Show(r.Commit)
		}
		if i+1 < len(p.v.Revisions) {
			line.Compare = comparePath(slug, p.v.Revisions[i+1].ListingID, r.ListingID)
		}
		v.Revisions = append(v.Revisions, line)
	}
	if b := p.v.Baseline; b != nil {
		v.Baseline = views.Say("Starting point of this profile accepted by " + b.ByLabel + " on " + p.s.day(b.At) + ".")
	}
	v.Answers = p.answerLines()
	return v
}

func (p *releasePresenter) answerLines() []views.AnswerLine {
	type given struct {
		v  *review.Verdict
		ch *review.Decided
	}
	var all []given
	for i := range p.v.Changes {
		ch := &p.v.Changes[i]
		for j := range ch.Verdicts {
			all = append(all, given{&ch.Verdicts[j], ch})
		}
	}
	slices.SortStableFunc(all, func(a, b given) int { return b.v.At.Compare(a.v.At) })
	var out []views.AnswerLine
	for i, g := range all {
		if i == 0 || all[i-1].ch != g.ch || !together(all[i-1].v, g.v) {
			out = append(out, views.AnswerLine{VerdictLine: p.s.verdictLine(g.v), About: views.ShowName(subjectName(g.ch)), URL: p.toolURL(g.ch.ID)})
		}
		if det := detailOf(g.ch, g.v.Edit); det != nil {
			last := &out[len(out)-1]
			last.Edits = append(last.Edits, views.Say(det.Sentence))
		}
	}
	return out
}

// together reports whether two verdicts, the newer first, are one answer to several
// edits of a change.
func together(a, b *review.Verdict) bool {
	return a.UserID == b.UserID && a.Kind == b.Kind && a.Note == b.Note && a.UsedUp == b.UsedUp && a.OwnPush == b.OwnPush && a.ShellToken == b.ShellToken &&
		a.RevokedAt.Equal(b.RevokedAt) && a.At.Sub(b.At) < time.Second
}
