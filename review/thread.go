package review

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/people"
	"github.com/countersign/countersign/review/surface"
)

// Side is the side of a comparison that a thread was opened on.
type Side string

// The sides.
const (
	OldSide Side = "old"
	NewSide Side = "new"
)

// Anchor is the place a thread is about.
type Anchor struct {
	Tool    string       // name as received; "" for the release or instructions
	Digest  surface.Hash // of the tool when the thread was opened
	Pointer string       // RFC 6901 within the tool, "" for the whole tool
	Side    Side
	Quote   string // the words that it is about, "" for none
}

// Thread is a conversation about a place, kept with the profile so that it
// follows the tool through revisions and versions. A machine never resolves it.
type Thread struct {
	ID         string
	ServerID   string
	Profile    string
	ReleaseID  string // where it was opened
	Revision   int
	Anchor     Anchor
	Blocks     bool // keeps the gate blocked while it is open
	OpenedBy   string
	OpenedAt   time.Time
	ResolvedBy string
	ResolvedAt time.Time // zero while open
	Comments   []Comment
}

// Open reports whether the thread still waits for an answer.
func (t *Thread) Open() bool { return t.ResolvedAt.IsZero() }

// Comment is one message, in Markdown, at most 64 KiB.
type Comment struct {
	ID        string
	ThreadID  string
	UserID    string
	UserLabel string
	Body      string
	At        time.Time
}

const (
	maxPointer = 4 << 10
	maxQuote   = 16 << 10
)

// OpenThread starts a thread at a place of the release's head or base.
func (s *Service) OpenThread(ctx context.Context, a Actor, releaseID string, at Anchor, body string, blocks bool) (*Thread, error) {
	if err := s.mayComment(a, body); err != nil {
		return nil, err
	}
	var t *Thread
	err := s.analysed(ctx, func() error {
		return s.store.Update(ctx, func(tx Tx) error {
			srv, r, err := releaseFor(ctx, tx, a, releaseID, people.Reviewer, people.ScopeReview)
			if err != nil {
				return err
			}
			if blocks && !r.open() {
				return Errorf(Conflict, "%s is not under review any more, so a thread can't block it. Open it without blocking, or withdraw the release.", r.Title())
			}
			if at, err = s.anchor(ctx, tx, srv, r, at); err != nil {
				return err
			}
			t = s.newThread(a, r, at, body, blocks)
			if err := tx.InsertThread(ctx, t); err != nil {
				return err
			}
			return s.audit(ctx, tx, a, act{
				name: "thread.open", serverID: srv.ID, subject: t.ID,
				after: map[string]any{"release": r.ID, "tool": at.Tool, "pointer": at.Pointer, "blocks": blocks},
			})
		})
	})
	if err != nil {
		return nil, err
	}
	return t, nil
}

func (s *Service) newThread(a Actor, r *Release, at Anchor, body string, blocks bool) *Thread {
	t := &Thread{
		ID: newID(), ServerID: r.ServerID, Profile: r.Profile, ReleaseID: r.ID, Revision: r.Head.N, Anchor: at, Blocks: blocks,
		OpenedBy: a.userID(), OpenedAt: s.now(),
	}
	t.Comments = []Comment{s.newComment(a, t.ID, body)}
	return t
}

func (s *Service) newComment(a Actor, threadID, body string) Comment {
	return Comment{ID: newID(), ThreadID: threadID, UserID: a.userID(), UserLabel: a.Label(), Body: body, At: s.now()}
}

// mayComment checks a comment before anything is read for it.
func (s *Service) mayComment(a Actor, body string) error {
	if err := a.person(); err != nil {
		return err
	}
	switch {
	case strings.TrimSpace(body) == "":
		return Errorf(Invalid, "The comment is empty.")
	case !keepable(body, s.cfg.Limits.CommentBytes):
		return Errorf(Invalid, "A comment is text of at most %d KiB.", s.cfg.Limits.CommentBytes>>10)
	}
	if wait := s.comments.take(a.userID(), s.now()); wait > 0 {
		return &Error{Kind: RateLimited, RetryAfter: wait, Sentence: "That is a lot of comments. Wait a while."}
	}
	return nil
}

// anchor checks the place of a thread and notes the digest that it was opened on.
func (s *Service) anchor(ctx context.Context, tx Tx, srv *Server, r *Release, at Anchor) (Anchor, error) {
	switch {
	case at.Side == "":
		at.Side = NewSide
	case at.Side != OldSide && at.Side != NewSide:
		return at, Errorf(Invalid, "The side %.20q is unknown: use old or new.", at.Side)
	}
	if len(at.Pointer) > maxPointer || at.Pointer != "" && at.Pointer[0] != '/' {
		return at, Errorf(Invalid, "The pointer must be empty or a JSON pointer such as /inputSchema/properties/id.")
	}
	if len(at.Quote) > maxQuote {
		return at, Errorf(Invalid, "Quote at most %d KiB.", maxQuote>>10)
	}
	if at.Tool == "" {
		return at, nil
	}
	id, err := s.sideListing(ctx, tx, srv, r, at.Side)
	if err != nil {
		return at, err
	}
	refs, err := tx.ToolRefs(ctx, []string{id})
	for _, t := range refs[id] {
		if t.Name == at.Tool {
			at.Digest = t.Digest
			return at, err
		}
	}
	if err != nil {
		return at, err
	}
	return at, Errorf(Invalid, "There is no tool %s on the %s side of this release.", visible(at.Tool), at.Side)
}

// sideListing returns the listing that a side of the release's page shows; the
// head's where there is no base.
func (s *Service) sideListing(ctx context.Context, tx Tx, srv *Server, r *Release, side Side) (string, error) {
	if side == NewSide {
		return r.Head.ListingID, nil
	}
	c, err := newCandidate(ctx, tx, srv, r, r.Head)
	if err != nil {
		return "", err
	}
	l := loader{ctx: ctx, tx: tx, found: []*assessment{{candidate: *c}}}
	if err := l.bases(); err != nil {
		return "", err
	}
	if b := l.found[0].base; b != nil {
		return b.Head.ListingID, nil
	}
	return "", nil
}

// AddComment answers in a thread.
func (s *Service) AddComment(ctx context.Context, a Actor, threadID, body string) (*Thread, error) {
	if err := s.mayComment(a, body); err != nil {
		return nil, err
	}
	return s.onThread(ctx, a, threadID, "thread.comment", func(tx Tx, t *Thread) error {
		c := s.newComment(a, t.ID, body)
		return tx.InsertComment(ctx, &c)
	})
}

// onThread runs an act on a thread and returns it as it is then.
func (s *Service) onThread(ctx context.Context, a Actor, id, name string, f func(Tx, *Thread) error) (*Thread, error) {
	var after *Thread
	err := s.store.Update(ctx, func(tx Tx) error {
		t, err := tx.ThreadByID(ctx, id)
		if KindOf(err) == NotFound {
			return errNoSuchThing
		}
		if err != nil {
			return err
		}
		if err := a.allow(t.ServerID, people.Reviewer, people.ScopeReview); err != nil {
			return err
		}
		if err := a.person(); err != nil {
			return err
		}
		if err := f(tx, t); err != nil {
			return err
		}
		if after, err = tx.ThreadByID(ctx, id); err != nil {
			return err
		}
		return s.audit(ctx, tx, a, act{name: name, serverID: t.ServerID, subject: t.ID})
	})
	if err != nil {
		return nil, err
	}
	return after, nil
}

// ResolveThread closes a thread. One that blocks is closed by who opened it, or by
// a maintainer who wrote and pushed nothing that it holds up.
func (s *Service) ResolveThread(ctx context.Context, a Actor, threadID string) (*Thread, error) {
	return s.onThread(ctx, a, threadID, "thread.resolve", func(tx Tx, t *Thread) error {
		if !t.Open() {
			return nil
		}
		if t.Blocks {
			if err := s.mayUnblock(ctx, tx, a, t); err != nil {
				return err
			}
		}
		return tx.ResolveThread(ctx, t.ID, a.userID(), s.now())
	})
}

func (s *Service) mayUnblock(ctx context.Context, tx Tx, a Actor, t *Thread) error {
	srv, err := tx.ServerByID(ctx, t.ServerID)
	if err != nil {
		return err
	}
	author, err := wroteOpen(ctx, tx, t, a.userID())
	if err != nil {
		return err
	}
	if !gate.MayResolve(srv.Policy, personOf(a.User, srv.ID), t.OpenedBy, author) {
		return Errorf(Forbidden, "This thread blocks a release. Who opened it can resolve it, or a maintainer who did not write or push the release.")
	}
	return nil
}

// wroteOpen reports whether the person wrote or pushed any open release that the
// thread holds up.
func wroteOpen(ctx context.Context, tx Tx, t *Thread, userID string) (bool, error) {
	rs, err := tx.Releases(ctx, t.ServerID, t.Profile, Page{Limit: maxPage})
	if err != nil {
		return false, err
	}
	ids := []string{t.ReleaseID}
	for _, r := range rs {
		if r.open() && r.ID != t.ReleaseID {
			ids = append(ids, r.ID)
		}
	}
	revisions, err := tx.Revisions(ctx, ids)
	return slices.ContainsFunc(revisions, func(r Revision) bool { return r.PusherID == userID || r.AuthorID == userID }), err
}

// ReopenThread opens a resolved thread again.
func (s *Service) ReopenThread(ctx context.Context, a Actor, threadID string) (*Thread, error) {
	return s.onThread(ctx, a, threadID, "thread.reopen", func(tx Tx, t *Thread) error {
		if t.Open() {
			return nil
		}
		return tx.ReopenThread(ctx, t.ID)
	})
}

// Threads lists the threads that a release page shows, oldest first: its own, and
// the open ones of the profile, which follow the tool.
func (s *Service) Threads(ctx context.Context, a Actor, releaseID string) ([]Thread, error) {
	var found []Thread
	err := s.store.View(ctx, func(tx Tx) error {
		_, r, err := releaseFor(ctx, tx, a, releaseID, people.Viewer, people.ScopeRead)
		if err != nil {
			return err
		}
		found, err = threadsOf(ctx, tx, r)
		return err
	})
	return found, err
}

func threadsOf(ctx context.Context, tx Tx, r *Release) ([]Thread, error) {
	own, err := tx.Threads(ctx, ThreadFilter{ReleaseID: r.ID})
	if err != nil {
		return nil, err
	}
	open, err := tx.Threads(ctx, ThreadFilter{ServerID: r.ServerID, Profile: r.Profile, Open: true})
	for _, t := range open {
		if t.ReleaseID != r.ID {
			own = append(own, t)
		}
	}
	slices.SortStableFunc(own, func(a, b Thread) int { return a.OpenedAt.Compare(b.OpenedAt) })
	return own, err
}
