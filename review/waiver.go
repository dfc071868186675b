package review

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/lint"
	"github.com/countersign/countersign/review/people"
	"github.com/countersign/countersign/review/prose"
	"github.com/countersign/countersign/review/surface"
)

// Waiver is an accepted finding: who accepted what, why, and until when. It holds
// on one (server, profile) for exactly what stood there: Bound is made of the rule
// and its version, the tool, the pointer, the whole value, and the annotations of
// the tool. Any other byte is another finding. Waivers are ended, never removed.
type Waiver struct {
	ID          string
	ServerID    string
	Profile     string
	ReleaseID   string // where it was given
	Rule        string
	RuleVersion string
	Severity    lint.Severity // of the finding when it was accepted
	Tool        string        // as received, "" for the listing
	Pointer     string
	Fingerprint string
	Bound       surface.Hash
	Kind        lint.WaiverKind
	Reason      string
	By          string // user id
	ByLabel     string // filled in on reading
	At          time.Time
	Until       time.Time // first moment in which it does not hold any more
	Policy      int       // version that it was given under

	// A waiver of a critical finding counts once a second person agrees.
	ConfirmedBy      string
	ConfirmedByLabel string // filled in on reading
	ConfirmedAt      time.Time

	EndedBy  string
	EndedAt  time.Time
	EndedWhy string
}

// WaiverStore keeps waivers.
type WaiverStore interface {
	InsertWaivers(ctx context.Context, ws []Waiver) error
	WaiverByID(ctx context.Context, id string) (*Waiver, error)
	// Waivers returns those of the profiles that end after a time, oldest first.
	Waivers(ctx context.Context, profiles []ProfileKey, after time.Time) ([]Waiver, error)
	// WaiversOf returns those of a server, ended ones too, newest first.
	WaiversOf(ctx context.Context, serverID string, p Page) ([]Waiver, error)
	// ConfirmWaiver notes the second person; the first one that did stays.
	ConfirmWaiver(ctx context.Context, id, by string, at time.Time) error
	// EndWaiver ends a waiver; one that is ended already keeps its end.
	EndWaiver(ctx context.Context, id, by string, at time.Time, why string) error
}

// Pending reports whether a waiver waits for a second person.
func (w *Waiver) Pending() bool { return w.Severity == lint.Critical && w.ConfirmedAt.IsZero() }

// Open reports whether a waiver was neither taken back nor has run out.
func (w *Waiver) Open(at time.Time) bool { return w.EndedAt.IsZero() && at.Before(w.Until) }

// covers reports whether a waiver that is open answers a finding of that severity.
// What has become critical since needs a second person too.
func (w *Waiver) covers(s lint.Severity) bool { return s != lint.Critical || !w.ConfirmedAt.IsZero() }

// waivers are the open ones of a profile by what they are bound to.
type waivers map[surface.Hash][]*Waiver

// covering is the waiver by which a place is waived, nil for none.
func (ws waivers) covering(bound surface.Hash, s lint.Severity) *Waiver {
	for _, w := range ws[bound] {
		if w.covers(s) {
			return w
		}
	}
	return nil
}

// waiting is the id of who accepted a place in a way that a second person has to confirm,
// "" for nobody.
func (ws waivers) waiting(bound surface.Hash) string {
	for _, w := range ws[bound] {
		if w.Pending() {
			return w.By
		}
	}
	return ""
}

// mark says of findings how the policy counts them, whether they are waived, and by
// whom.
func (ws waivers) mark(found []Finding, p gate.Policy) []Finding {
	found = grade(found, p)
	for i := range found {
		f := &found[i]
		f.Waived = !f.Off()
		for _, bound := range f.Bound {
			for _, w := range ws[bound] {
				f.Waivers = append(f.Waivers, *w)
			}
			w := ws.covering(bound, f.Severity)
			f.Waived = f.Waived && w != nil
			f.Unchecked = f.Unchecked || w != nil && w.Kind == lint.CouldNotTell
		}
		f.Unchecked = f.Unchecked && f.Waived
	}
	return found
}

// heldWaivers are the open waivers by profile.
type heldWaivers map[ProfileKey]waivers

// openWaivers reads the open waivers of profiles, with one call.
func openWaivers(ctx context.Context, tx Tx, profiles []ProfileKey, now time.Time) (heldWaivers, error) {
	found, err := tx.Waivers(ctx, profiles, now)
	held := heldWaivers{}
	for i := range found {
		w := &found[i]
		k := ProfileKey{w.ServerID, w.Profile}
		if held[k] == nil {
			held[k] = waivers{}
		}
		held[k][w.Bound] = append(held[k][w.Bound], w)
	}
	return held, err
}

// waiversOf are the open waivers of one profile.
func (s *Service) waiversOf(ctx context.Context, tx Tx, k ProfileKey) (waivers, error) {
	held, err := openWaivers(ctx, tx, []ProfileKey{k}, s.now())
	return held[k], err
}

// NewWaiver accepts one finding of a release, at all of its places.
type NewWaiver struct {
	Fingerprint string // of the finding
	Kind        lint.WaiverKind
	Reason      string
	Days        int // from now; 0 is the default

	place string // fingerprint of the one place that it is for, "" for all of them
	last  string // day that it must not outlive, "" for none
	from  string // id of the [ProposedWaiver] that it is made of, "" for none
}

// How long waivers hold.
const (
	waiverDays         = 180
	maxWaiverDays      = 365
	maxCriticalDays    = 90
	maxPlacesPerWaiver = 5000
)

func (n *NewWaiver) check() error {
	n.Reason = strings.TrimSpace(n.Reason)
	switch {
	case n.Fingerprint == "":
		return Errorf(Invalid, "Name the finding by its fingerprint.")
	case n.Kind != lint.AcceptedRisk && n.Kind != lint.CouldNotTell:
		return Errorf(Invalid, "Say what you mean: %s (the finding is right and we live with it) or %s (nobody could tell).", lint.AcceptedRisk, lint.CouldNotTell)
	case prose.Blank(n.Reason) || !keepable(n.Reason, maxNote):
		return Errorf(Invalid, "Write why this finding is accepted, in at most 64 KiB of text.")
	case n.Days < 0 || n.Days > maxWaiverDays:
		return Errorf(Invalid, "A waiver holds for 1 to %d days.", maxWaiverDays)
	}
	return nil
}

// until is when a waiver of a finding ends.
func (n *NewWaiver) until(s lint.Severity, now time.Time) (time.Time, error) {
	days, most := n.Days, maxWaiverDays
	if s == lint.Critical {
		most = maxCriticalDays
	}
	if days == 0 {
		days = min(waiverDays, most)
	}
	if days > most {
		return time.Time{}, Errorf(Invalid, "A waiver of a %s finding holds for %d days at most.", s, most)
	}
	until := now.AddDate(0, 0, days)
	if last, err := time.Parse(time.DateOnly, n.last); err == nil && last.AddDate(0, 0, 1).Before(until) {
		until = last.AddDate(0, 0, 1)
	}
	return until, nil
}

// Waive accepts a finding of a release's head. It takes a reviewer, for findings of
// severity high and critical a maintainer, and nobody waives what they wrote or
// pushed, but for where people review themselves. A critical one counts once a
// second person confirms it. Stale when the head has no such finding any more.
func (s *Service) Waive(ctx context.Context, a Actor, releaseID string, n NewWaiver) (*ReleaseView, error) {
	err := s.acting(ctx, a, releaseID, people.Reviewer, func(tx Tx, as *assessment) error {
		if err := n.check(); err != nil {
			return err
		}
		f, err := as.finding(ctx, tx, n.Fingerprint)
		if err != nil {
			return err
		}
		if err := as.mayWaive(a, f.Severity); err != nil {
			return err
		}
		_, err = s.waiveFinding(ctx, tx, a, as, f, &n)
		return err
	})
	if err != nil {
		return nil, err
	}
	return s.Release(ctx, a, releaseID)
}

// waiveFinding stores the waivers of a finding, at least one, for who may.
func (s *Service) waiveFinding(ctx context.Context, tx Tx, a Actor, as *assessment, f *Finding, n *NewWaiver) ([]Waiver, error) {
	if f.Off() {
		return nil, Errorf(Conflict, "The policy turned %s off: this finding does not count, and needs no waiver.", f.Rule)
	}
	ws, err := s.newWaivers(a, as, f, n)
	if err != nil {
		return nil, err
	}
	if len(ws) == 0 {
		return nil, Errorf(Conflict, "This finding is accepted already.")
	}
	if err := tx.InsertWaivers(ctx, ws); err != nil {
		return nil, err
	}
	return ws, s.audit(ctx, tx, a, act{
		name: "waiver.add", serverID: as.server.ID, subject: ws[0].ID,
		after: map[string]any{
			"release": as.release.ID, "digest": as.revision.Digest, "policy": as.server.Policy.Version, "profile": as.release.Profile,
			"rule": f.Rule, "rule_version": ws[0].RuleVersion, "severity": f.Severity, "fingerprint": n.Fingerprint, "places": len(ws), "waivers": waiverIDs(ws),
			"kind": n.Kind, "reason": n.Reason, "until": ws[0].Until, "proposed": n.from,
		},
		kept: leaving(pointers(ws)...),
	})
}

func waiverIDs(ws []Waiver) []string {
	ids := make([]string, len(ws))
	for i := range ws {
		ids[i] = ws[i].ID
	}
	return ids
}

// finding returns a finding of the candidate, with what people said of it.
func (as *assessment) finding(ctx context.Context, tx Tx, fingerprint string) (*Finding, error) {
	if !as.release.open() {
		return nil, Errorf(Conflict, "%s is not under review any more.", as.release.Title())
	}
	found, err := fullFindings(ctx, tx, as.pair)
	if err != nil {
		return nil, err
	}
	found = as.waivers.mark(found, as.server.Policy)
	for i := range found {
		if slices.ContainsFunc(found[i].Everywhere(), func(p lint.Place) bool { return p.Fingerprint == fingerprint }) {
			return &found[i], nil
		}
	}
	return nil, Errorf(Stale, "%s has no such finding any more: its text, or its rule, changed. Nothing was stored; look again.", as.release.Title())
}

// mayWaive checks that the actor may accept a finding of that severity.
func (as *assessment) mayWaive(a Actor, sev lint.Severity) error {
	if sev.Rank() >= lint.High.Rank() {
		if err := a.allow(as.server.ID, people.Maintainer, people.ScopeReview); err != nil {
			return err
		}
	}
	own := slices.Contains(as.authors, a.userID()) || a.Token != nil && slices.Contains(as.tokens, a.Token.ID)
	if own && !as.server.Policy.SelfReview() {
		return Errorf(Forbidden, "You wrote or pushed this, so somebody else must accept its findings.")
	}
	return nil
}

// newWaivers are waivers of each place of a finding that has none yet.
func (s *Service) newWaivers(a Actor, as *assessment, f *Finding, n *NewWaiver) ([]Waiver, error) {
	until, err := n.until(f.Severity, s.now())
	if err != nil {
		return nil, err
	}
	places := f.Everywhere()
	if len(places) > maxPlacesPerWaiver {
		return nil, Errorf(Invalid, "This finding stands at %d places, too many to accept at once: switch the rule off.", len(places))
	}
	version := ""
	if r, ok := lint.RuleByID(f.Rule); ok {
		version = r.Version
	}
	var ws []Waiver
	for i, p := range places {
		if as.waivers.covering(f.Bound[i], f.Severity) != nil || as.waivers.waiting(f.Bound[i]) != "" || n.place != "" && n.place != p.Fingerprint {
			continue
		}
		ws = append(ws, Waiver{
			ID: newID(), ServerID: as.server.ID, Profile: as.release.Profile, ReleaseID: as.release.ID,
			Rule: f.Rule, RuleVersion: version, Severity: f.Severity, Tool: p.Tool, Pointer: p.Pointer, Fingerprint: p.Fingerprint,
			Bound: f.Bound[i], Kind: n.Kind, Reason: n.Reason, By: a.userID(), At: s.now(), Until: until, Policy: as.server.Policy.Version,
		})
	}
	return ws, nil
}

// ConfirmWaiver is the second person's word on a waiver of a critical finding.
func (s *Service) ConfirmWaiver(ctx context.Context, a Actor, releaseID, id string) (*ReleaseView, error) {
	err := s.acting(ctx, a, releaseID, people.Maintainer, func(tx Tx, as *assessment) error {
		w, err := as.waiver(ctx, tx, id)
		if err != nil {
			return err
		}
		if err := as.mayConfirm(a, w, s.now()); err != nil {
			return err
		}
		if err := tx.ConfirmWaiver(ctx, id, a.userID(), s.now()); err != nil {
			return err
		}
		return s.audit(ctx, tx, a, act{
			name: "waiver.confirm", serverID: w.ServerID, subject: w.ID,
			after: map[string]any{"rule": w.Rule, "fingerprint": w.Fingerprint, "by": w.ByLabel, "policy": as.server.Policy.Version},
		})
	})
	if err != nil {
		return nil, err
	}
	return s.Release(ctx, a, releaseID)
}

// waiver returns a waiver of the candidate's profile.
func (as *assessment) waiver(ctx context.Context, tx Tx, id string) (*Waiver, error) {
	if id == "" {
		return nil, Errorf(Invalid, "Name the waiver by its id.")
	}
	w, err := tx.WaiverByID(ctx, id)
	if KindOf(err) == NotFound {
		return nil, errNoSuchThing
	}
	if err != nil {
		return nil, err
	}
	if (ProfileKey{w.ServerID, w.Profile}) != as.profile() {
		return nil, errNoSuchThing
	}
	return w, nil
}

// mayConfirm checks that the actor can be the second person: not the one who
// waived, nor who that person invited lately or was invited by.
func (as *assessment) mayConfirm(a Actor, w *Waiver, now time.Time) error {
	switch {
	case !w.Open(now):
		return Errorf(Conflict, "This waiver has ended.")
	case !w.Pending():
		return Errorf(Conflict, "This waiver needs no second person.")
	case w.By == a.userID():
		return Errorf(Forbidden, "You waived this yourself: a second person must agree.")
	case gate.Kin(as.facts.People, w.By, a.userID(), now):
		return Errorf(Forbidden, "One of you invited the other less than 30 days ago, so you count as one person here.")
	}
	return as.mayWaive(a, w.Severity)
}

// EndWaiver takes a waiver back: who gave it or a maintainer, with a reason. The
// finding counts again from now on.
func (s *Service) EndWaiver(ctx context.Context, a Actor, releaseID, id, why string) (*ReleaseView, error) {
	why = strings.TrimSpace(why)
	err := s.acting(ctx, a, releaseID, people.Reviewer, func(tx Tx, as *assessment) error {
		if why == "" || !keepable(why, maxNote) {
			return Errorf(Invalid, "Write why the waiver is taken back, in at most 64 KiB of text.")
		}
		w, err := as.waiver(ctx, tx, id)
		if err != nil {
			return err
		}
		if w.By != a.userID() && !a.role(w.ServerID).AtLeast(people.Maintainer) {
			return Errorf(Forbidden, "%s waived this: they or a maintainer can take it back.", w.ByLabel)
		}
		if !w.Open(s.now()) {
			return Errorf(Conflict, "This waiver has ended.")
		}
		if err := tx.EndWaiver(ctx, id, a.userID(), s.now(), why); err != nil {
			return err
		}
		return s.audit(ctx, tx, a, act{
			name: "waiver.end", serverID: w.ServerID, subject: w.ID,
			before: map[string]any{"rule": w.Rule, "fingerprint": w.Fingerprint, "by": w.ByLabel, "reason": w.Reason, "until": w.Until},
			after:  map[string]any{"why": why},
		})
	})
	if err != nil {
		return nil, err
	}
	return s.Release(ctx, a, releaseID)
}

// Waivers lists a server's waivers, ended ones too, newest first.
func (s *Service) Waivers(ctx context.Context, a Actor, slug string, p Page) ([]Waiver, error) {
	var found []Waiver
	err := s.store.View(ctx, func(tx Tx) error {
		srv, err := serverFor(ctx, tx, a, slug, people.Viewer, people.ScopeRead)
		if err != nil {
			return err
		}
		found, err = tx.WaiversOf(ctx, srv.ID, p.bounded())
		return err
	})
	return found, err
}

// Standing says in a word where a waiver stands.
func (w *Waiver) Standing(at time.Time) string {
	switch {
	case !w.EndedAt.IsZero():
		return "taken back"
	case !at.Before(w.Until):
		return "expired"
	case w.Pending():
		return "waits for a second person"
	}
	return fmt.Sprintf("holds until %s", w.Until.Format(time.DateOnly))
}

// Second is the label of the second person, "" for none.
func (w *Waiver) Second() string {
	if w.ConfirmedAt.IsZero() {
		return ""
	}
	return w.ConfirmedByLabel
}
