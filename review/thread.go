package review

import (
	"cmp"
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
	Digest  surface.Hash // of the tool when the thread was opened, or of the listing
	Pointer string       // RFC 6901 within the tool, "" for the whole tool
	Side    Side
	Quote   string // the words that it is about, "" for none

	// Lead and Tail are the words around the quote, Snippet the value at the place
	// when the thread was opened. The service fills them in.
	Lead, Tail string
	Snippet    string

	Rule string // of the finding that the thread was opened on, "" for none
}

// whole reports whether the anchor is about the whole listing.
func (at Anchor) whole() bool { return at.Tool == "" && at.Pointer == "" }

// Thread is a conversation about a place, kept with the profile so that it
// follows the tool through revisions and versions: it is the same thread there, and
// Place says what became of what it is about. A machine never resolves it.
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
	Place      Place // filled in where a release is shown

	OpenedByLabel, ResolvedByLabel string // filled in on reading
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
	EditedAt  time.Time   // zero: never edited
	Suggests  *Suggestion // nil: none
}

// CommentTurn says that somebody wrote a comment or edited one.
type CommentTurn struct {
	ID, UserID string
	At         time.Time
}

const (
	maxPointer = 4 << 10
	maxQuote   = 16 << 10
)

// OpenThread starts a thread at a place of the release's head or base.
func (s *Service) OpenThread(ctx context.Context, a Actor, releaseID string, at Anchor, body string, blocks bool) (*Thread, error) {
	return s.Comment(ctx, a, releaseID, NewComment{Anchor: at, Body: body, Blocks: blocks})
}

// AddComment answers in a thread.
func (s *Service) AddComment(ctx context.Context, a Actor, threadID, body string) (*Thread, error) {
	return s.Reply(ctx, a, threadID, NewComment{Body: body})
}

// NewComment is a comment to publish.
type NewComment struct {
	ThreadID string // "" opens a thread at Anchor
	Anchor   Anchor
	Body     string
	Blocks   bool    // of a new thread
	Suggest  *string // a text for the place, nil for none
}

// Comment publishes a comment on a release: it opens a thread, or answers in one
// that the release shows. Who is concerned is told.
func (s *Service) Comment(ctx context.Context, a Actor, releaseID string, n NewComment) (*Thread, error) {
	if err := s.mayComment(a, n.Body); err != nil {
		return nil, err
	}
	var t *Thread
	err := s.acting(ctx, a, releaseID, people.Reviewer, func(tx Tx, as *assessment) error {
		if err := s.takeTurn(ctx, tx, a); err != nil {
			return err
		}
		sp, err := s.newSpeech(ctx, tx, a, as)
		if err != nil {
			return err
		}
		if t, err = sp.say(n); err != nil {
			return err
		}
		return sp.end("")
	})
	if err != nil {
		return nil, err
	}
	return t, nil
}

// Reply answers in a thread, wherever it was opened.
func (s *Service) Reply(ctx context.Context, a Actor, threadID string, n NewComment) (*Thread, error) {
	var releaseID string
	err := s.store.View(ctx, func(tx Tx) error {
		t, err := threadFor(ctx, tx, a, threadID)
		if err == nil {
			releaseID = t.ReleaseID
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	n.ThreadID = threadID
	return s.Comment(ctx, a, releaseID, n)
}

// threadFor returns a thread to somebody who may answer in it.
func threadFor(ctx context.Context, tx Tx, a Actor, id string) (*Thread, error) {
	t, err := tx.ThreadByID(ctx, id)
	if KindOf(err) == NotFound {
		return nil, errNoSuchThing
	}
	if err != nil {
		return nil, err
	}
	if err := a.allow(t.ServerID, people.Reviewer, people.ScopeReview); err != nil {
		return nil, err
	}
	return t, a.person()
}

func (s *Service) newThread(a Actor, r *Release, at Anchor, blocks bool, first Comment) *Thread {
	return &Thread{
		ID: first.ThreadID, ServerID: r.ServerID, Profile: r.Profile, ReleaseID: r.ID, Revision: r.Head.N, Anchor: at, Blocks: blocks,
		OpenedBy: a.userID(), OpenedByLabel: a.Label(), OpenedAt: s.now(), Comments: []Comment{first},
	}
}

func (s *Service) newComment(a Actor, threadID, body string) Comment {
	return Comment{ID: newID(), ThreadID: threadID, UserID: a.userID(), UserLabel: a.Label(), Body: withoutCR(body), At: s.now()}
}

// withoutCR ends lines as they end everywhere else: forms of browsers send CR LF, and
// pages would draw each CR as the hidden character that it is.
func withoutCR(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }

// mayComment checks a comment before anything is read for it.
func (s *Service) mayComment(a Actor, body string) error {
	if err := a.person(); err != nil {
		return err
	}
	return s.checkBody(body)
}

// takeTurn keeps a person to so many comments an hour, whichever instance takes them. One
// that is refused takes no turn, and neither do drafts that are published together.
func (s *Service) takeTurn(ctx context.Context, tx Tx, a Actor) error {
	now := s.now()
	n, first, err := tx.CommentTurns(ctx, a.userID(), now.Add(-time.Hour))
	if err != nil {
		return err
	}
	if n >= s.cfg.Limits.CommentsPerHour {
		wait := first.Add(time.Hour).Sub(now)
		return &Error{Kind: RateLimited, RetryAfter: wait, Sentence: fmt.Sprintf(
			"You wrote %d comments within an hour, and more are not taken. Keep this one as a draft and send it in %s.", n, inMinutes(wait))}
	}
	return tx.TakeCommentTurn(ctx, CommentTurn{newID(), a.userID(), now}, now.Add(-time.Hour))
}

func (s *Service) checkBody(body string) error {
	switch {
	case prose.Blank(body):
		return Errorf(Invalid, "The comment is empty.")
	case len(body) > s.cfg.Limits.CommentBytes:
		most := s.cfg.Limits.CommentBytes
		return Errorf(Invalid, "The comment is too long by %d bytes: at most %d KiB are kept. Shorten it, or go on in a reply.", len(body)-most, most>>10)
	case !keepable(body, len(body)):
		return Errorf(Invalid, "The comment is no text: it holds a NUL or bytes that are not UTF-8. Type it anew.")
	}
	return nil
}

// inMinutes says how long to wait, in whole minutes and never too short.
func inMinutes(d time.Duration) string {
	n := int((d + time.Minute - 1) / time.Minute)
	if n == 1 {
		return "a minute"
	}
	return fmt.Sprintf("%d minutes", n)
}

// anchor checks the place of a thread and notes what stands there. That a suggestion has
// a text to be for is checked with it.
func (sp *speech) anchor(at Anchor, suggests bool) (Anchor, error) {
	switch {
	case at.Side == "":
		at.Side = NewSide
	case at.Side != OldSide && at.Side != NewSide:
		return at, Errorf(Invalid, "The side %.20q is unknown: use old or new.", at.Side)
	}
	if len(at.Pointer) > maxPointer || at.Pointer != "" && at.Pointer[0] != '/' {
		return at, Errorf(Invalid, "The pointer must be empty or a JSON pointer such as /inputSchema/properties/id.")
	}
	if _, known := lint.RuleByID(at.Rule); at.Rule != "" && !known {
		return at, Errorf(Invalid, "There is no rule %.80q: name the rule of the finding that the thread is about, or none.", at.Rule)
	}
	if len(at.Quote) > maxQuote || len(at.Lead) > maxQuote {
		return at, misquoted(Invalid, "Quote at most %d KiB.", maxQuote>>10)
	}
	t, err := sp.seen(at)
	switch {
	case err != nil:
		return at, err
	case t == nil && at.Quote != "":
		return at, misquoted(Unprocessable, "A thread about the whole release has nothing to quote. Name the tool and the pointer of the words, or quote none.")
	case t == nil:
		return sp.listed(at)
	}
	if at.Quote == "" && !suggests {
		if err := at.leads(t); err != nil {
			return at, err
		}
	}
	return at.note(t), at.quotes(t)
}

// listed notes in an anchor about the whole listing which one its author reads: the one
// that it names, which an earlier revision may have brought, else the one that is there.
func (sp *speech) listed(at Anchor) (Anchor, error) {
	now := sp.as.listing.Digest
	if at.Side == OldSide {
		if sp.as.base == nil {
			return at, Errorf(Invalid, "This release has no old side: nothing was released before it. Use the side new.")
		}
		at.Digest = sp.as.base.Head.Digest
		return at, nil
	}
	if at.Digest.IsZero() || at.Digest == now {
		at.Digest = now
		return at, nil
	}
	revisions, err := sp.tx.Revisions(sp.ctx, []string{sp.as.release.ID})
	if err != nil {
		return at, err
	}
	if !slices.ContainsFunc(revisions, func(r Revision) bool { return r.Digest == at.Digest }) {
		return at, Errorf(Unprocessable, "No revision of %s is the listing %s. Give the digest that you read, or leave it out.", sp.as.release.Title(), at.Digest)
	}
	return at, nil
}

// leads refuses a pointer that leads nowhere in a tool, and says what is near.
func (at Anchor) leads(t *surface.Tool) error {
	if _, ok := valueAt(t.Raw, at.Pointer); ok {
		return nil
	}
	in := cmp.Or(visible(at.Tool), "the server's instructions")
	parent, names := nearest(t.Raw, at.Pointer)
	if len(names) == 0 {
		return Errorf(Unprocessable, "There is nothing at %s of %s on the %s side, and nothing below %s either. Point at what is there, or at the whole of it.",
			visible(at.Pointer), in, at.Side, cmp.Or(visible(parent), "its top"))
	}
	return Errorf(Unprocessable, "There is nothing at %s of %s on the %s side. What is at %s: %s.",
		visible(at.Pointer), in, at.Side, cmp.Or(visible(parent), "its top"), visible(strings.Join(names, ", ")))
}

// quotes refuses a quote that does not stand at the anchor's place of a tool.
func (at Anchor) quotes(t *surface.Tool) error {
	if at.Quote == "" {
		return nil
	}
	value, ok := valueAt(t.Raw, at.Pointer)
	if !ok {
		return misquoted(Unprocessable, "There is nothing at %s to quote from. Name the place of the words, or quote none.", visible(at.Pointer))
	}
	if text := textOf(value); !strings.Contains(text, at.Quote) {
		return misquoted(Unprocessable, "The quote does not stand on the %s side at %s of %s. Quote words that do, or none. What stands there: %s",
			at.Side, cmp.Or(visible(at.Pointer), "the definition"), cmp.Or(visible(at.Tool), "the server"), visible(firstBytes(text, 300)))
	}
	return nil
}

// seen returns the tool that an anchor is about, as its author saw it: with the
// digest that the anchor has, which an earlier revision may have brought. nil when
// the anchor is about the release.
func (sp *speech) seen(at Anchor) (*surface.Tool, error) {
	if at.Digest.IsZero() || at.Tool == "" || at.Side == OldSide {
		return anchoredTool(sp.ctx, sp.tx, sp.as, at)
	}
	now, err := anchoredTool(sp.ctx, sp.tx, sp.as, at)
	if err == nil && now.Digest == at.Digest {
		return now, nil
	}
	if err != nil && KindOf(err) != Invalid {
		return nil, err
	}
	before, err := earlierTool(sp.ctx, sp.tx, sp.as.release.ID, at)
	if err == nil && before == nil {
		err = Errorf(Unprocessable, "No revision of %s had a tool %s with the digest %s. Give the digest that you read, or leave it out.",
			sp.as.release.Title(), visible(at.Tool), at.Digest)
	}
	return before, err
}

// earlierTool returns the tool of an anchor's name and digest out of any revision of
// a release, nil when none has it.
func earlierTool(ctx context.Context, tx Tx, releaseID string, at Anchor) (*surface.Tool, error) {
	revisions, err := tx.Revisions(ctx, []string{releaseID})
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, r := range revisions {
		ids = append(ids, r.ListingID)
	}
	refs, err := tx.ToolRefs(ctx, ids)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		for _, t := range refs[id] {
			if t.Name == at.Tool && t.Digest == at.Digest {
				raw, err := tx.Slices(ctx, []surface.Hash{t.RawHash})
				return toolsOf([]ToolRef{t}, raw)[t.Name], err
			}
		}
	}
	return nil, nil
}

// anchoredTool returns the tool that an anchor is about, nil when that is the release.
func anchoredTool(ctx context.Context, tx Tx, as *assessment, at Anchor) (*surface.Tool, error) {
	if at.Tool == "" && at.Pointer == "" {
		return nil, nil
	}
	side, err := newSides(ctx, tx, as, []Anchor{at})
	if err != nil {
		return nil, err
	}
	t := side.exact(at)
	if t == nil && at.Tool == "" {
		return nil, Errorf(Invalid, "This release has no old side: nothing was released before it. Use the side new.")
	}
	if t == nil {
		return nil, Errorf(Invalid, "There is no tool %s on the %s side of this release.", visible(at.Tool), at.Side)
	}
	if at.Tool == "" {
		t.Digest = surface.Hash{}
	}
	return t, nil
}

// threadFacts are what the audit says of a thread: where it stands, and what each
// comment says by digest, so that a text can be purged from it.
func threadFacts(t *Thread) any {
	said := map[string]surface.Hash{}
	for _, c := range t.Comments {
		said[c.ID] = surface.HashOf([]byte(c.Body))
	}
	return map[string]any{"open": t.Open(), "blocks": t.Blocks, "comments": said}
}

// onThread runs an act on a thread and returns it as it is then.
func (s *Service) onThread(ctx context.Context, a Actor, id, name string, f func(Tx, *Thread) error) (*Thread, error) {
	var after *Thread
	err := s.store.Update(ctx, func(tx Tx) error {
		t, err := threadFor(ctx, tx, a, id)
		if err != nil {
			return err
		}
		if err := f(tx, t); err != nil {
			return err
		}
		if after, err = tx.ThreadByID(ctx, id); err != nil {
			return err
		}
		return s.audit(ctx, tx, a, act{name: name, serverID: t.ServerID, subject: t.ID, before: threadFacts(t), after: threadFacts(after)})
	})
	if err != nil {
		return nil, err
	}
	return after, nil
}

// ResolveThread closes a thread. One that holds up a release is closed by who opened it,
// or by a maintainer who wrote and pushed nothing that it holds up.
func (s *Service) ResolveThread(ctx context.Context, a Actor, threadID string) (*Thread, error) {
	return s.onThread(ctx, a, threadID, "thread.resolve", func(tx Tx, t *Thread) error {
		if !t.Open() {
			return nil
		}
		if err := mayResolve(ctx, tx, a, t); err != nil {
			return err
		}
		return tx.ResolveThread(ctx, t.ID, a.userID(), s.now())
	})
}

func mayResolve(ctx context.Context, tx Tx, a Actor, t *Thread) error {
	srv, err := tx.ServerByID(ctx, t.ServerID)
	if err != nil {
		return err
	}
	open, err := tx.OpenReleasesOf(ctx, t.ServerID, t.Profile)
	if err != nil {
		return err
	}
	if blocks, err := holdsUp(ctx, tx, srv, t, open); err != nil || !blocks {
		return err
	}
	author, err := wroteAny(ctx, tx, t, open, a.userID())
	if err != nil {
		return err
	}
	if !gate.MayResolve(srv.Policy, personOf(a.User, srv.ID), t.OpenedBy, author) {
		return Errorf(Forbidden, "This thread blocks a release. Who opened it can resolve it, or a maintainer who did not write or push the release.")
	}
	return nil
}

// holdsUp reports whether the gate waits for the thread: it was opened to block, or the
// policy has every thread block, now or for a release that was open when it still did.
func holdsUp(ctx context.Context, tx Tx, srv *Server, t *Thread, open []Release) (bool, error) {
	if t.Blocks || srv.Policy.AllThreads {
		return true, nil
	}
	if srv.Policy.LoosenedAt.IsZero() {
		return false, nil
	}
	history, err := policiesInForce(ctx, tx, []string{srv.ID})
	return slices.ContainsFunc(open, func(r Release) bool {
		return r.CreatedAt.Before(srv.Policy.LoosenedAt) && gate.Effective(history[srv.ID], r.CreatedAt).AllThreads
	}), err
}

// wroteAny reports whether the person wrote or pushed any of the releases, or the one
// that the thread was opened on.
func wroteAny(ctx context.Context, tx Tx, t *Thread, open []Release, userID string) (bool, error) {
	ids := []string{t.ReleaseID}
	for _, r := range open {
		if r.ID != t.ReleaseID {
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
// the open ones of the profile, which follow the tool. Each with its place.
func (s *Service) Threads(ctx context.Context, a Actor, releaseID string) ([]Thread, error) {
	var found []Thread
	err := s.analysed(ctx, func() error {
		return s.store.View(ctx, func(tx Tx) error {
			srv, r, err := releaseFor(ctx, tx, a, releaseID, people.Viewer, people.ScopeRead)
			if err != nil {
				return err
			}
			as, err := s.placingHead(ctx, tx, srv, r)
			if err != nil {
				return err
			}
			found, err = placedThreads(ctx, tx, as)
			return err
		})
	})
	return found, err
}

// placingHead is placing for a release's head.
func (s *Service) placingHead(ctx context.Context, tx Tx, srv *Server, r *Release) (*assessment, error) {
	c, err := newCandidate(ctx, tx, srv, r, r.Head)
	if err != nil {
		return nil, err
	}
	list, err := s.placing(ctx, tx, []candidate{*c})
	if err != nil {
		return nil, err
	}
	return list[0], nil
}

// placing is as much of assessments as places in candidates take.
func (s *Service) placing(ctx context.Context, tx Tx, candidates []candidate) ([]*assessment, error) {
	if len(candidates) == 0 {
		return nil, nil
	}
	l := loader{ctx: ctx, tx: tx, read: s.reread, now: s.now()}
	for _, c := range candidates {
		l.found = append(l.found, &assessment{candidate: c})
	}
	for _, step := range []func() error{l.bases, l.names, l.outlines, l.tools} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return l.found, nil
}

// placedThreads are the threads of a release with what became of their places.
func placedThreads(ctx context.Context, tx Tx, as *assessment) ([]Thread, error) {
	ts, err := threadsOf(ctx, tx, as.release)
	if err != nil || len(ts) == 0 {
		return ts, err
	}
	return ts, placeThreads(ctx, tx, []*assessment{as}, func(*Thread) int { return 0 }, ts)
}

// placeThreads finds the places of threads, each in the candidate that in names by its
// place in list, below 0 for none. It makes as many store calls for many as for one.
func placeThreads(ctx context.Context, tx Tx, list []*assessment, in func(*Thread) int, ts []Thread) error {
	if err := nameListings(ctx, tx, ts); err != nil {
		return err
	}
	anchors := make([][]Anchor, len(list))
	for i := range ts {
		if at := in(&ts[i]); at >= 0 {
			anchors[at] = append(anchors[at], ts[i].Anchor)
		}
	}
	all, err := sidesOf(ctx, tx, list, anchors)
	if err != nil {
		return err
	}
	for i := range ts {
		if at := in(&ts[i]); at >= 0 {
			ts[i].Place = all[at].place(&ts[i])
		}
	}
	return nil
}

// nameListings fills in which listing threads are about that were opened on a whole one
// before that was noted.
func nameListings(ctx context.Context, tx Tx, ts []Thread) error {
	unnamed := func(t *Thread) bool {
		return t.Anchor.whole() && t.Anchor.Side != OldSide && t.Anchor.Digest.IsZero()
	}
	var ids []string
	for i := range ts {
		if unnamed(&ts[i]) {
			ids = append(ids, ts[i].ReleaseID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	slices.Sort(ids)
	revisions, err := tx.Revisions(ctx, slices.Compact(ids))
	type key struct {
		release string
		n       int
	}
	digests := map[key]surface.Hash{}
	for _, r := range revisions {
		digests[key{r.ReleaseID, r.N}] = r.Digest
	}
	for i := range ts {
		if t := &ts[i]; unnamed(t) {
			t.Anchor.Digest = digests[key{t.ReleaseID, t.Revision}]
		}
	}
	return err
}

// threadsOf returns the threads that were opened on a release, the open ones of its
// profile, and those that were open while the release was under review: a thread
// that was resolved through a version stays in that version, to be read or reopened.
func threadsOf(ctx context.Context, tx Tx, r *Release) ([]Thread, error) {
	own, err := tx.Threads(ctx, ThreadFilter{ReleaseID: r.ID})
	if err != nil {
		return nil, err
	}
	others, err := tx.Threads(ctx, ThreadFilter{ServerID: r.ServerID, Profile: r.Profile, Open: true, Since: r.CreatedAt})
	for _, t := range others {
		if t.ReleaseID != r.ID && (t.Open() || r.closed().IsZero() || t.OpenedAt.Before(r.closed())) {
			own = append(own, t)
		}
	}
	slices.SortStableFunc(own, func(a, b Thread) int { return a.OpenedAt.Compare(b.OpenedAt) })
	return own, err
}
