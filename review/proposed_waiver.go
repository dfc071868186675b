package review

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/countersign/countersign/review/lint"
	"github.com/countersign/countersign/review/people"
	"github.com/countersign/countersign/review/prose"
	"github.com/countersign/countersign/review/surface"
)

// ProposedWaiver is a waiver that a file beside the code asks for. Whoever can push can
// write such a file, so it counts for nothing until somebody who may accept the finding
// says so; then an ordinary [Waiver] is made of it. While it is open it is a question of
// one release; an answer holds for the profile.
type ProposedWaiver struct {
	ID        string
	ServerID  string
	Profile   string
	ReleaseID string       // that it was pushed with
	Key       surface.Hash // of all that the file says: the same again is the same question

	Fingerprint string
	Rule        string // these three "" where the file leaves them out
	Tool        string
	Pointer     string
	Kind        lint.WaiverKind
	Reason      string
	Author      string // whom the file names, which nobody checked
	Expires     string // last day, YYYY-MM-DD; "" when the file names none

	PushedBy string // label of who sent it
	At       time.Time

	State           ProposedState
	AnsweredBy      string // user id
	AnsweredByLabel string // filled in on reading
	AnsweredAt      time.Time
	Why             string // of a no
	WaiverID        string // that a yes made
	Until           time.Time
}

// ProposedState is where a proposed waiver stands.
type ProposedState string

// The states.
const (
	ProposedOpen     ProposedState = "open"
	ProposedAccepted ProposedState = "accepted"
	ProposedDeclined ProposedState = "declined"
)

// ProposedWaiverStore keeps proposed waivers. Open ones that are no longer proposed are
// removed; answers stay.
type ProposedWaiverStore interface {
	InsertProposedWaivers(ctx context.Context, ps []ProposedWaiver) error
	DropProposedWaivers(ctx context.Context, ids []string) error // open ones only
	// OpenProposedWaivers returns the open ones of a release, oldest first.
	OpenProposedWaivers(ctx context.Context, releaseID string) ([]ProposedWaiver, error)
	// AnsweredWaivers returns the answered ones of a profile that have one of the keys.
	AnsweredWaivers(ctx context.Context, p ProfileKey, keys []surface.Hash) ([]ProposedWaiver, error)
	ProposedWaiverByID(ctx context.Context, id string) (*ProposedWaiver, error)
	// ProposedWaiversOf returns those of a server, answered ones too, newest first.
	ProposedWaiversOf(ctx context.Context, serverID string, p Page) ([]ProposedWaiver, error)
	// AnswerProposedWaiver stores the answer to one that is open, else Conflict, and
	// drops the same question of other releases of the profile.
	AnswerProposedWaiver(ctx context.Context, p *ProposedWaiver) error
}

// Bounds of what a file may propose.
const (
	maxProposedWaivers = 500
	maxProposedReason  = 4000
)

// keyOf is a hash of all that a file says of one waiver.
func keyOf(w *lint.Waiver) surface.Hash {
	var b strings.Builder
	for _, s := range []string{w.Fingerprint, w.Rule, w.Tool, w.Pointer, string(w.Kind), w.Reason, w.By, w.Expires} {
		b.WriteString(strconv.Itoa(len(s)) + ":" + s)
	}
	return surface.HashOf([]byte(b.String()))
}

// over reports whether the last day that the file names is past.
func (p *ProposedWaiver) over(now time.Time) bool {
	return p.Expires != "" && p.Expires < now.UTC().Format(time.DateOnly)
}

// answered reports whether the answer still stands: a no for ever, a yes as long as the
// waiver would have held. After that the same proposal is a new question.
func (p *ProposedWaiver) answered(now time.Time) bool {
	return p.State == ProposedDeclined || p.State == ProposedAccepted && now.Before(p.Until)
}

// names reports whether it says nothing of the finding's place that is not so.
func (p *ProposedWaiver) names(f *lint.Finding, at lint.Place) bool {
	return lint.NamesRule(p.Rule, f) && (p.Tool == "" || p.Tool == at.Tool) && (p.Pointer == "" || p.Pointer == at.Pointer)
}

// Proposed are the waivers of a file on their way in.
type Proposed struct {
	Release string // id, as the answer to a push says it
	Waivers []lint.Waiver
}

func (p *Proposed) check() error {
	if len(p.Waivers) > maxProposedWaivers {
		return Errorf(Invalid, "The file proposes %d waivers, more than the %d that are taken. Switch rules off instead.", len(p.Waivers), maxProposedWaivers)
	}
	seen := map[string]bool{}
	for i := range p.Waivers {
		w := &p.Waivers[i]
		if w.Kind == "" {
			w.Kind = lint.AcceptedRisk
		}
		if err := w.Valid(); err != nil {
			return Errorf(Invalid, "Waiver %d: %v.", i+1, err)
		}
		switch {
		case seen[w.Fingerprint]:
			return Errorf(Invalid, "Waiver %d: another one is of the same finding. Keep one of them.", i+1)
		case prose.Blank(w.Reason) || !keepable(w.Reason, maxProposedReason):
			return Errorf(Invalid, "Waiver %d: the reason must be text of at most %d bytes.", i+1, maxProposedReason)
		case !keepable(w.By, maxName):
			return Errorf(Invalid, "Waiver %d: the name of who accepted it must be text of at most %d bytes.", i+1, maxName)
		case len(w.Tool) > maxProposedReason || len(w.Pointer) > maxProposedReason:
			return Errorf(Invalid, "Waiver %d: tool and pointer have at most %d bytes.", i+1, maxProposedReason)
		}
		seen[w.Fingerprint] = true
	}
	return nil
}

// ProposedFate is what became of a proposed waiver.
type ProposedFate struct {
	ProposedWaiver        // without an ID where nothing was kept of it
	Idle           string // why it asks nobody anything, "" where somebody is asked or has answered
}

// ProposeWaivers takes the waivers of a file beside the code, from who may push: a
// machine's token, a person's, or a signed delivery. They are all that the release
// proposes from now on: open ones that the file lost are dropped.
func (s *Service) ProposeWaivers(ctx context.Context, in Incoming, n Proposed) ([]ProposedFate, error) {
	p := push{delivery: s.delivery(in), params: in.Params, body: in.Body}
	if err := s.sender(ctx, in, &p); err != nil {
		return nil, s.knocked(in, err)
	}
	if in.Refused != nil {
		return nil, in.Refused
	}
	if err := n.check(); err != nil {
		return nil, err
	}
	a := p.actor
	var fates []ProposedFate
	err := s.analysed(ctx, func() error {
		return s.store.Update(ctx, func(tx Tx) error {
			r, err := tx.ReleaseByID(ctx, n.Release)
			if KindOf(err) == NotFound || err == nil && r.ServerID != p.server.ID {
				return Errorf(NotFound, "%s has no such release: name it by the id that the answer to the push says.", p.server.Name)
			}
			if err != nil {
				return err
			}
			if err := a.reaches(r.Profile); err != nil {
				return err
			}
			fates, err = s.proposeWaivers(ctx, tx, a, p.delivery.By, p.server, r, n.Waivers)
			return err
		})
	})
	return fates, err
}

// knocked is the refusal of who could not be verified, throttled as pushes are.
func (s *Service) knocked(in Incoming, why error) error {
	if k := KindOf(why); k == Unavailable || k == Internal {
		return why
	}
	if wait := s.forgeries.take(in.Addr, s.now()); wait > 0 {
		return &Error{Kind: RateLimited, RetryAfter: wait, Sentence: "Too many requests that could not be verified. Wait a minute and check the secret."}
	}
	return why
}

func (s *Service) proposeWaivers(ctx context.Context, tx Tx, a Actor, by string, srv *Server, r *Release, ws []lint.Waiver) ([]ProposedFate, error) {
	if !r.open() {
		return nil, Errorf(Conflict, "%s is not under review any more, so nobody is asked.", r.Title())
	}
	c, err := newCandidate(ctx, tx, srv, r, r.Head)
	if err != nil {
		return nil, err
	}
	as, err := s.assessOne(ctx, tx, *c, nil)
	if err != nil {
		return nil, err
	}
	found, err := fullFindings(ctx, tx, as.pair)
	if err != nil {
		return nil, err
	}
	found = as.waivers.mark(found, srv.Policy)
	fates, fresh, gone, err := s.sortProposed(ctx, tx, as, by, ws)
	if err != nil {
		return nil, err
	}
	for i := range fates {
		fates[i].Idle = fates[i].idle(found, as, s.now())
	}
	if len(fresh)+len(gone) == 0 {
		return fates, nil
	}
	if err := tx.DropProposedWaivers(ctx, gone); err != nil {
		return nil, err
	}
	if err := tx.InsertProposedWaivers(ctx, fresh); err != nil {
		return nil, err
	}
	return fates, s.audit(ctx, tx, a, act{
		name: "waiver.propose", serverID: srv.ID, subject: r.ID,
		after: map[string]any{"release": r.Title(), "profile": r.Profile, "digest": as.revision.Digest, "by": by,
			"proposed": factsOfProposed(fresh), "dropped": append([]string{}, gone...)},
		kept: leaving(pointers(fresh)...),
	})
}

// sortProposed parts what a file says into what is asked already or was answered, what
// is new, and the ids of open ones that it lost.
func (s *Service) sortProposed(ctx context.Context, tx Tx, as *assessment, by string, ws []lint.Waiver) (fates []ProposedFate, fresh []ProposedWaiver, gone []string, err error) {
	keys := make([]surface.Hash, len(ws))
	for i := range ws {
		keys[i] = keyOf(&ws[i])
	}
	open, err := tx.OpenProposedWaivers(ctx, as.release.ID)
	if err != nil {
		return nil, nil, nil, err
	}
	answered, err := tx.AnsweredWaivers(ctx, as.profile(), keys)
	if err != nil {
		return nil, nil, nil, err
	}
	known, now := map[surface.Hash]*ProposedWaiver{}, s.now()
	for i := range open {
		known[open[i].Key] = &open[i]
	}
	for i := range answered {
		if answered[i].answered(now) {
			known[answered[i].Key] = &answered[i]
		}
	}
	kept := map[string]bool{}
	for i := range ws {
		p := known[keys[i]]
		if p == nil {
			p = s.proposed(as, by, keys[i], &ws[i])
			if !p.over(now) {
				fresh = append(fresh, *p)
			}
		}
		kept[p.ID] = true
		fates = append(fates, ProposedFate{ProposedWaiver: *p})
	}
	for i := range open {
		if !kept[open[i].ID] || open[i].over(now) {
			gone = append(gone, open[i].ID)
		}
	}
	return fates, fresh, gone, nil
}

func (s *Service) proposed(as *assessment, by string, key surface.Hash, w *lint.Waiver) *ProposedWaiver {
	return &ProposedWaiver{
		ID: newID(), ServerID: as.server.ID, Profile: as.release.Profile, ReleaseID: as.release.ID, Key: key,
		Fingerprint: w.Fingerprint, Rule: w.Rule, Tool: w.Tool, Pointer: w.Pointer, Kind: w.Kind, Reason: w.Reason,
		Author: w.By, Expires: w.Expires, PushedBy: by, At: s.now(), State: ProposedOpen,
	}
}

// Why a proposed waiver asks nobody anything.
const (
	idleExpired   = "its last day is over"
	idleGone      = "it covers nothing: the text or the rule changed, or the fault is mended"
	idleMisplaced = "it names another rule, tool or pointer than the finding has"
	idleOff       = "the policy turned the rule off"
	idleWaived    = "the finding is accepted already"
	idleLapsed    = "it was accepted, but what was accepted has changed since or the acceptance was ended: accept the finding anew"
)

// idle says why it asks nobody anything, "" when it asks, or when the answer stands.
func (p *ProposedWaiver) idle(found []Finding, as *assessment, now time.Time) string {
	f, n := placeOf(found, p.Fingerprint)
	if p.State != ProposedOpen {
		if p.State == ProposedAccepted && f != nil && len(as.waivers[f.Bound[n]]) == 0 {
			return idleLapsed
		}
		return ""
	}
	if p.over(now) {
		return idleExpired
	}
	switch {
	case f == nil:
		return idleGone
	case !p.names(&f.Finding, f.Everywhere()[n]):
		return idleMisplaced
	case f.Off():
		return idleOff
	case len(as.waivers[f.Bound[n]]) > 0:
		return idleWaived
	}
	return ""
}

// placeOf finds the finding that has a place of that fingerprint, and which it is.
func placeOf(found []Finding, fingerprint string) (*Finding, int) {
	for i := range found {
		for n, at := range found[i].Everywhere() {
			if at.Fingerprint == fingerprint {
				return &found[i], n
			}
		}
	}
	return nil, 0
}

// propose puts what files propose beside the findings that it would cover, and returns
// the rest, which covers nothing, with the reason.
func propose(found []Finding, open []ProposedWaiver, as *assessment, now time.Time) []ProposedFate {
	var idle []ProposedFate
	for i := range open {
		p := &open[i]
		if why := p.idle(found, as, now); why != "" {
			idle = append(idle, ProposedFate{*p, why})
			continue
		}
		f, _ := placeOf(found, p.Fingerprint)
		f.Proposed = append(f.Proposed, *p)
	}
	return idle
}

// ProposedAnswer is the word of somebody who may accept the finding.
type ProposedAnswer struct {
	ID     string
	Answer string // AnswerAccept or AnswerDecline
	Why    string // of a no, for the author of the file
	Days   int    // of a yes, from now; 0 is as long as the file says, or the default
}

// The answers.
const (
	AnswerAccept  = "accept"
	AnswerDecline = "decline"
)

// AnswerProposedWaiver accepts what a file proposes, which makes a waiver of it, or
// declines it. It takes who may accept the finding. Once answered the same proposal is
// not asked again.
func (s *Service) AnswerProposedWaiver(ctx context.Context, a Actor, releaseID string, n ProposedAnswer) (*ReleaseView, error) {
	err := s.acting(ctx, a, releaseID, people.Reviewer, func(tx Tx, as *assessment) error {
		if n.Answer != AnswerAccept && n.Answer != AnswerDecline {
			return Errorf(Invalid, "The answer is %.40q. Use %s or %s.", n.Answer, AnswerAccept, AnswerDecline)
		}
		p, err := as.proposed(ctx, tx, n.ID)
		if err != nil {
			return err
		}
		if p.State != ProposedOpen {
			return Errorf(Conflict, "This was answered already.")
		}
		if p.over(s.now()) {
			return Errorf(Conflict, "The last day that the file names, %s, is over.", p.Expires)
		}
		f, err := as.finding(ctx, tx, p.Fingerprint)
		if err != nil {
			return err
		}
		if err := as.mayWaive(a, f.Severity); err != nil {
			return err
		}
		p.AnsweredBy, p.AnsweredAt = a.userID(), s.now()
		if n.Answer == AnswerDecline {
			return s.decline(ctx, tx, a, p, n.Why)
		}
		return s.acceptProposed(ctx, tx, a, as, f, p, n.Days)
	})
	if err != nil {
		return nil, err
	}
	return s.Release(ctx, a, releaseID)
}

// proposed returns what was proposed with the candidate's release.
func (as *assessment) proposed(ctx context.Context, tx Tx, id string) (*ProposedWaiver, error) {
	if id == "" {
		return nil, Errorf(Invalid, "Name the proposed waiver by its id.")
	}
	p, err := tx.ProposedWaiverByID(ctx, id)
	if KindOf(err) == NotFound || err == nil && p.ReleaseID != as.release.ID {
		return nil, errNoSuchThing
	}
	return p, err
}

func (s *Service) decline(ctx context.Context, tx Tx, a Actor, p *ProposedWaiver, why string) error {
	p.State, p.Why = ProposedDeclined, strings.TrimSpace(why)
	if prose.Blank(p.Why) || !keepable(p.Why, maxProposedReason) {
		return Errorf(Invalid, "Write why the finding is not accepted, in at most %d bytes of text: whoever pushed reads it.", maxProposedReason)
	}
	if err := tx.AnswerProposedWaiver(ctx, p); err != nil {
		return err
	}
	return s.audit(ctx, tx, a, act{
		name: "waiver.decline", serverID: p.ServerID, subject: p.ID,
		after: map[string]any{"fingerprint": p.Fingerprint, "rule": p.Rule, "reason": p.Reason, "author": p.Author, "pushed_by": p.PushedBy, "why": p.Why},
		kept:  leaving(p),
	})
}

// acceptProposed makes a waiver of what was proposed, for the one place that it names.
func (s *Service) acceptProposed(ctx context.Context, tx Tx, a Actor, as *assessment, f *Finding, p *ProposedWaiver, days int) error {
	n := NewWaiver{Fingerprint: p.Fingerprint, Kind: p.Kind, Reason: p.Reason, Days: days, place: p.Fingerprint, last: p.Expires, from: p.ID}
	if err := n.check(); err != nil {
		return err
	}
	if why := p.idle([]Finding{*f}, as, s.now()); why != "" {
		return Errorf(Conflict, "Nothing was stored: %s.", why)
	}
	ws, err := s.waiveFinding(ctx, tx, a, as, f, &n)
	if err != nil {
		return err
	}
	p.State, p.WaiverID, p.Until = ProposedAccepted, ws[0].ID, ws[0].Until
	return tx.AnswerProposedWaiver(ctx, p)
}

// ProposedWaivers lists what files proposed on a server, answered ones too, newest
// first.
func (s *Service) ProposedWaivers(ctx context.Context, a Actor, slug string, p Page) ([]ProposedWaiver, error) {
	var found []ProposedWaiver
	err := s.store.View(ctx, func(tx Tx) error {
		srv, err := serverFor(ctx, tx, a, slug, people.Viewer, people.ScopeRead)
		if err != nil {
			return err
		}
		found, err = tx.ProposedWaiversOf(ctx, srv.ID, p.bounded())
		return err
	})
	return found, err
}
