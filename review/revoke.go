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
	Restored  int // rejections of others, and what else they said, that it took back
	Overrides int
	Alarms    []Alarm   // of released versions that stood on them
	Releases  []Release // that the alarms are of

	revoked, restored, ended []string // ids of verdicts and of overrides
}

// RevokeAnswers takes back what an account answered since a time, in one act: when
// it was in wrong hands, say. Approvals go, and withdrawals of rejections, so that
// those rejections stand again, also those of others who had left; rejections stay, as
// it is safer to block. Overrides
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
			after: map[string]any{"who": u.Label(), "since": since.UTC(), "reason": reason, "verdicts": done.Verdicts, "overrides": done.Overrides, "alarms": len(done.Alarms), "revoked": done.revoked, "restored": done.restored, "ended": done.ended},
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

// found is what a revocation would take back.
type found struct {
	verdicts  []string // ids
	lifted    []string // ids of what others said and the account took back
	overrides []string // ids
	released  []Release
}

func (rv *revocation) run(userID string, since time.Time, why string) (*Revoked, error) {
	f, err := rv.find(userID, since)
	if err != nil {
		return nil, err
	}
	if err := rv.tx.RevokeVerdicts(rv.ctx, f.verdicts, rv.now, why); err != nil {
		return nil, err
	}
	if err := rv.tx.RestoreVerdicts(rv.ctx, f.lifted); err != nil {
		return nil, err
	}
	if err := rv.tx.EndOverrides(rv.ctx, f.overrides, rv.now, rv.actor.Label()); err != nil {
		return nil, err
	}
	alarms, err := rv.raise(f.released, why)
	return &Revoked{
		Verdicts: len(f.verdicts), Restored: len(f.lifted), Overrides: len(f.overrides), Alarms: alarms, Releases: f.released,
		revoked: f.verdicts, restored: f.lifted, ended: f.overrides,
	}, err
}

// find lists the answers and overrides of a person since a time, and each released
// version that an answer was given in, or that holds the bytes of one.
func (rv *revocation) find(userID string, since time.Time) (*found, error) {
	given, err := rv.tx.VerdictsOfUser(rv.ctx, userID, since)
	if err != nil {
		return nil, err
	}
	given = slices.DeleteFunc(given, func(v Verdict) bool { return v.Kind == Reject })
	overrides, err := rv.tx.OverridesOfUser(rv.ctx, userID, since)
	if err != nil {
		return nil, err
	}
	lifted, err := rv.tx.LiftedBy(rv.ctx, userID, since)
	if err != nil {
		return nil, err
	}
	f, releases := &found{}, []string{}
	for _, o := range overrides {
		f.overrides, releases = append(f.overrides, o.ID), append(releases, o.ReleaseID)
	}
	var profiles []ProfileKey
	var digests []surface.Hash
	for _, v := range given {
		f.verdicts = append(f.verdicts, v.ID)
	}
	for _, v := range lifted {
		f.lifted = append(f.lifted, v.ID)
	}
	for _, v := range slices.Concat(given, lifted) {
		releases = append(releases, v.ReleaseID)
		if k := (ProfileKey{v.ServerID, v.Profile}); !slices.Contains(profiles, k) {
			profiles = append(profiles, k)
		}
		if !v.To.IsZero() {
			digests = append(digests, v.To)
		}
	}
	holders, err := rv.tx.Holders(rv.ctx, profiles, digests)
	if err != nil {
		return nil, err
	}
	releases = append(releases, holders...)
	slices.Sort(releases)
	rs, err := rv.tx.ReleasesByID(rv.ctx, slices.Compact(releases))
	f.released = slices.DeleteFunc(rs, func(r Release) bool { return !r.released() })
	return f, err
}

// raise raises an alarm for each release, and tells who maintains its server.
func (rv *revocation) raise(rs []Release, why string) ([]Alarm, error) {
	users, err := rv.tx.Users(rv.ctx)
	if err != nil {
		return nil, err
	}
	servers, err := rv.serverNames()
	if err != nil {
		return nil, err
	}
	var alarms []Alarm
	var notices []Notice
	for i := range rs {
		r := &rs[i]
		alarm := Alarm{ID: newID(), ServerID: r.ServerID, ReleaseID: r.ID, Why: why, At: rv.now}
		alarms = append(alarms, alarm)
		for j := range users {
			if u := &users[j]; u.ID != rv.actor.userID() && u.Active() && u.RoleOn(r.ServerID).AtLeast(people.Maintainer) {
				notices = append(notices, Notice{ID: newID(), UserID: u.ID, ServerID: r.ServerID, ReleaseID: r.ID, Kind: NoticeAlarm, Actor: rv.actor.Label(), Text: "of " + servers[r.ServerID] + " " + r.Title() + ": " + why, At: rv.now})
			}
		}
		err := rv.s.audit(rv.ctx, rv.tx, rv.actor, act{
			name: "release.alarm", serverID: r.ServerID, subject: r.ID, after: map[string]any{"id": alarm.ID, "release": r.Title(), "why": why}, kept: leaving(&alarm),
		})
		if err != nil {
			return nil, err
		}
	}
	if err := rv.tx.InsertAlarms(rv.ctx, alarms); err != nil {
		return nil, err
	}
	return alarms, rv.tx.InsertNotices(rv.ctx, notices)
}

// serverNames are the names of all servers, by id.
func (rv *revocation) serverNames() (map[string]string, error) {
	servers, err := rv.tx.Servers(rv.ctx)
	names := map[string]string{}
	for i := range servers {
		names[servers[i].ID] = servers[i].Name
	}
	return names, err
}

// Revocable is what RevokeAnswers would take back.
type Revocable struct {
	User      people.User
	Verdicts  int
	Restored  int
	Overrides int
	Released  []Release // that would raise an alarm
	Servers   []Server
}

// PreviewRevocation says what RevokeAnswers would take back, and changes nothing.
func (s *Service) PreviewRevocation(ctx context.Context, a Actor, userID string, since time.Time) (*Revocable, error) {
	var out *Revocable
	err := s.store.View(ctx, func(tx Tx) error {
		if err := a.administrator(); err != nil {
			return err
		}
		u, err := tx.UserByID(ctx, userID)
		if err != nil {
			return err
		}
		rv := revocation{s: s, ctx: ctx, tx: tx, actor: a, now: s.now()}
		f, err := rv.find(userID, since)
		if err != nil {
			return err
		}
		out = &Revocable{User: *u, Verdicts: len(f.verdicts), Restored: len(f.lifted), Overrides: len(f.overrides), Released: f.released}
		out.Servers, err = tx.Servers(ctx)
		return err
	})
	return out, err
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
