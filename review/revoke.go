package review

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/countersign/countersign/review/people"
	"github.com/countersign/countersign/review/prose"
	"github.com/countersign/countersign/review/surface"
)

// Revoked is what an account's answers were worth, taken back.
type Revoked struct {
	Verdicts  int
	Overrides int
	Alarms    []Alarm // of released versions that stood on them
}

// RevokeAnswers takes back what an account answered since a time, in one act: when
// it was in wrong hands, say. Approvals go, and withdrawals of rejections, so that
// those rejections stand again; rejections stay, as it is safer to block. Overrides
// end. Every gate answers anew from then on, and a released version that stood on
// one of the answers raises an alarm. Only an administrator can.
func (s *Service) RevokeAnswers(ctx context.Context, a Actor, userID string, since time.Time, reason string) (*Revoked, error) {
	if reason = strings.TrimSpace(reason); prose.Blank(reason) || !keepable(reason, maxNote) {
		return nil, Errorf(Invalid, "Write why the answers are taken back, in at most 64 KiB of text.")
	}
	var done *Revoked
	err := s.store.Update(ctx, func(tx Tx) error {
		if err := a.administrator(); err != nil {
			return err
		}
		u, err := tx.UserByID(ctx, userID)
		if err != nil {
			return err
		}
		rv := revocation{s: s, ctx: ctx, tx: tx, actor: a, now: s.now()}
		if done, err = rv.run(userID, since, fmt.Sprintf("Answers of %s since %s are revoked: %s", u.Label(), since.UTC().Format(time.DateTime), reason)); err != nil {
			return err
		}
		return s.audit(ctx, tx, a, act{
			name: "user.revoke-answers", subject: u.ID,
			after: map[string]any{"who": u.Label(), "since": since.UTC(), "reason": reason, "verdicts": done.Verdicts, "overrides": done.Overrides, "alarms": len(done.Alarms)},
		})
	})
	return done, err
}

// revocation is one run of RevokeAnswers.
type revocation struct {
	s     *Service
	ctx   context.Context
	tx    Tx
	actor Actor
	now   time.Time
}

func (rv *revocation) run(userID string, since time.Time, why string) (*Revoked, error) {
	given, err := rv.tx.VerdictsOfUser(rv.ctx, userID, since)
	if err != nil {
		return nil, err
	}
	given = slices.DeleteFunc(given, func(v Verdict) bool { return v.Kind == Reject })
	ids := make([]string, len(given))
	for i, v := range given {
		ids[i] = v.ID
	}
	if err := rv.tx.RevokeVerdicts(rv.ctx, ids, rv.now, why); err != nil {
		return nil, err
	}
	overrides, err := rv.tx.OverridesOfUser(rv.ctx, userID, since)
	if err != nil {
		return nil, err
	}
	alarms, err := rv.alarms(given, overrides, why)
	return &Revoked{Verdicts: len(given), Overrides: len(overrides), Alarms: alarms}, err
}

// alarms ends the overrides, and raises an alarm for each released version that an
// answer was given in, or that holds the bytes of one.
func (rv *revocation) alarms(given []Verdict, overrides []Override, why string) ([]Alarm, error) {
	var ended []string
	var releases []string
	for _, o := range overrides {
		ended, releases = append(ended, o.ID), append(releases, o.ReleaseID)
	}
	if err := rv.tx.EndOverrides(rv.ctx, ended, rv.now, rv.actor.Label()); err != nil {
		return nil, err
	}
	var profiles []ProfileKey
	var digests []surface.Hash
	for _, v := range given {
		releases = append(releases, v.ReleaseID)
		if k := (ProfileKey{v.ServerID, v.Profile}); !slices.Contains(profiles, k) {
			profiles = append(profiles, k)
		}
		if !v.To.IsZero() {
			digests = append(digests, v.To)
		}
	}
	holders, err := rv.tx.Released(rv.ctx, profiles, digests)
	if err != nil {
		return nil, err
	}
	for _, h := range holders {
		releases = append(releases, h.ReleaseID)
	}
	slices.Sort(releases)
	return rv.raise(slices.Compact(releases), why)
}

func (rv *revocation) raise(releaseIDs []string, why string) ([]Alarm, error) {
	rs, err := rv.tx.ReleasesByID(rv.ctx, releaseIDs)
	if err != nil {
		return nil, err
	}
	var alarms []Alarm
	for i := range rs {
		r := &rs[i]
		if !r.released() {
			continue
		}
		alarms = append(alarms, Alarm{ID: newID(), ServerID: r.ServerID, ReleaseID: r.ID, Why: why, At: rv.now})
		err := rv.s.audit(rv.ctx, rv.tx, rv.actor, act{
			name: "release.alarm", serverID: r.ServerID, subject: r.ID, after: map[string]any{"release": r.Title(), "why": why},
		})
		if err != nil {
			return nil, err
		}
	}
	return alarms, rv.tx.InsertAlarms(rv.ctx, alarms)
}

// ClearAlarms says that somebody looked into the alarms of a release.
func (s *Service) ClearAlarms(ctx context.Context, a Actor, releaseID, note string) error {
	if note = strings.TrimSpace(note); prose.Blank(note) || !keepable(note, maxNote) {
		return Errorf(Invalid, "Write what you found, in at most 64 KiB of text.")
	}
	return s.store.Update(ctx, func(tx Tx) error {
		srv, r, err := releaseFor(ctx, tx, a, releaseID, people.Maintainer)
		if err != nil {
			return err
		}
		if err := tx.ClearAlarms(ctx, r.ID, s.now(), a.Label()); err != nil {
			return err
		}
		return s.audit(ctx, tx, a, act{name: "release.clear-alarm", serverID: srv.ID, subject: r.ID, after: map[string]any{"note": note}})
	})
}
