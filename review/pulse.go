package review

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/people"
	"github.com/countersign/countersign/review/surface"
)

// Pulse is where a release stands, in a few numbers. A page keeps the pulse that it
// was made at; when the release has another one there is something to tell, and the
// two say what, however much happened between them.
type Pulse struct {
	Revision int // of the head
	Answers  int // given to the bytes of the head, and not taken back by revocation: acts, however much each is about
	Comments int
	Threads  int // open ones
	Open     int // requirements that are not met
	Gate     gate.Result
	State    ReleaseState
}

const pulseForm = "%d-%d-%d-%d-%d-%q-%q"

// String writes a pulse so that [ParsePulse] reads it.
func (p Pulse) String() string {
	return fmt.Sprintf(pulseForm, p.Revision, p.Answers, p.Comments, p.Threads, p.Open, p.Gate, p.State)
}

// ParsePulse reads what String wrote. It reports false for anything else.
func ParsePulse(text string) (Pulse, bool) {
	var p Pulse
	_, err := fmt.Sscanf(text, pulseForm, &p.Revision, &p.Answers, &p.Comments, &p.Threads, &p.Open, &p.Gate, &p.State)
	return p, err == nil && p.String() == text
}

// pulse of an assessed release with its threads.
func (as *assessment) pulse(threads []Thread) Pulse {
	p := Pulse{Revision: as.revision.N, Gate: as.Answer.Result, State: as.state()}
	p.Answers = actsOf(as.given)
	for i := range threads {
		p.Comments += len(threads[i].Comments)
		if threads[i].Open() {
			p.Threads++
		}
	}
	for _, r := range as.Answer.Requirements {
		if r.State == gate.Open {
			p.Open++
		}
	}
	return p
}

// actsOf counts answers as people give them: one to an edit of several tools, or to the
// last edit of one, is stored as several verdicts of one moment.
func actsOf(given []Verdict) int {
	type act struct {
		person string
		at     time.Time
		kind   VerdictKind
		note   string
	}
	acts := map[act]bool{}
	for i := range given {
		if v := &given[i]; v.RevokedAt.IsZero() {
			acts[act{v.UserID, v.At, v.Kind, v.Note}] = true
		}
	}
	return len(acts)
}

// News is what happened to a release since a pulse.
type News struct {
	ServerID string
	Now      Pulse
	// Of a new revision: answers to the earlier ones whose change is still there,
	// those whose change is another now, and the actor's own drafts that are about
	// something that is another now, or gone.
	Hold, Again, Moved int
}

// News says where a release stands and what a new revision did to the answers that
// were given before it.
func (s *Service) News(ctx context.Context, a Actor, releaseID string, since Pulse) (*News, error) {
	var n *News
	err := s.analysed(ctx, func() error {
		return s.store.View(ctx, func(tx Tx) error {
			srv, r, err := releaseFor(ctx, tx, a, releaseID, people.Viewer, people.ScopeRead)
			if err != nil {
				return err
			}
			c, err := newCandidate(ctx, tx, srv, r, r.Head)
			if err != nil {
				return err
			}
			as, err := s.assessOne(ctx, tx, *c, nil)
			if err != nil {
				return err
			}
			threads, err := placedThreads(ctx, tx, as)
			if err != nil {
				return err
			}
			n = &News{ServerID: srv.ID, Now: as.pulse(threads)}
			return n.carried(ctx, tx, a, as, since)
		})
	})
	if err != nil {
		return nil, err
	}
	return n, nil
}

// carried counts what a new revision left standing.
func (n *News) carried(ctx context.Context, tx Tx, a Actor, as *assessment, since Pulse) error {
	if n.Now.Revision <= since.Revision {
		return nil
	}
	given, err := tx.VerdictsOfRelease(ctx, as.release.ID)
	if err != nil {
		return err
	}
	here := map[string]bool{}
	for _, c := range as.outline.Changes {
		here[c.ID] = true
	}
	for id := range standing(given, since.Revision) {
		if here[id] {
			n.Hold++
		} else {
			n.Again++
		}
	}
	if a.User == nil {
		return nil
	}
	drafts, err := tx.Drafts(ctx, a.userID(), as.release.ID)
	if err != nil || len(drafts) == 0 {
		return err
	}
	refs, err := tx.ToolRefs(ctx, []string{as.listing.ID})
	tools := map[string]surface.Hash{}
	for _, t := range slices.Backward(refs[as.listing.ID]) {
		tools[t.Name] = t.Digest // of several with one name the first
	}
	for i := range drafts {
		if drafts[i].moved(here, tools) {
			n.Moved++
		}
	}
	return err
}

// Moved reports which of somebody's drafts on the release, by target, are about something
// that is another now, or gone.
func (v *ReleaseView) Moved(drafts []Draft) map[string]bool {
	here, tools := map[string]bool{}, map[string]surface.Hash{}
	for i := range v.Changes {
		here[v.Changes[i].ID] = true
	}
	for i := len(v.New.Tools) - 1; i >= 0; i-- {
		tools[v.New.Tools[i].Name] = v.New.Tools[i].Digest
	}
	moved := map[string]bool{}
	for i := range drafts {
		if drafts[i].moved(here, tools) {
			moved[drafts[i].Target] = true
		}
	}
	return moved
}

// moved reports whether a draft is about what is not there any more: a decision on a
// change that is not among the changes here, or a comment on a tool whose bytes its
// author read and which is another, or gone. An answer in a thread goes where the thread
// goes.
func (d *Draft) moved(here map[string]bool, tools map[string]surface.Hash) bool {
	for _, it := range d.Items {
		for _, id := range append([]string{it.Change}, it.Changes...) {
			if id != "" && !here[id] {
				return true
			}
		}
	}
	if d.Comment == nil || d.Comment.ThreadID != "" || d.Comment.Anchor.Tool == "" || d.Comment.Anchor.Digest.IsZero() {
		return false
	}
	return tools[d.Comment.Anchor.Tool] != d.Comment.Anchor.Digest
}

// standing are the changes that somebody answered to up to a revision and did not
// take the answer back.
func standing(given []Verdict, revision int) map[string]bool {
	type by struct{ change, person, edit string }
	answers := map[by]bool{}
	for i := range given {
		v := &given[i]
		if v.Revision <= revision && v.counts() {
			answers[by{v.ChangeID, v.UserID, v.Edit}] = v.Kind != Withdraw
		}
	}
	ids := map[string]bool{}
	for key, stands := range answers {
		if stands {
			ids[key.change] = true
		}
	}
	return ids
}

// ServerID returns the id of a server that the actor may see.
func (s *Service) ServerID(ctx context.Context, a Actor, slug string) (string, error) {
	id := ""
	err := s.store.View(ctx, func(tx Tx) error {
		srv, err := serverFor(ctx, tx, a, slug, people.Viewer, people.ScopeRead)
		if err == nil {
			id = srv.ID
		}
		return err
	})
	return id, err
}
