package review

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/mail"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/countersign/countersign/review/surface"
)

// push is one listing on its way in, its sender verified.
type push struct {
	server   *Server
	actor    Actor
	params   PushParams
	body     []byte
	delivery *Delivery

	listing *Listing // once it is read
	made    compared // its comparison with the gate base
}

var (
	profileForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$`)
	commitForm  = regexp.MustCompile(`^[0-9A-Za-z._/-]{1,100}$`)
)

// check checks what the push says about itself and fills in what it leaves out.
func (p *PushParams) check() error {
	if p.Profile == "" {
		p.Profile = DefaultProfile
	}
	switch {
	case !profileForm.MatchString(p.Profile):
		return errProfile(p.Profile)
	case p.Version == "" && p.Ref == "" && !p.Preview:
		return Errorf(Invalid, "Name what this is: version=1.9.0, or ref=pr-12 for a push without a version.")
	case p.Version != "" && p.Ref != "":
		return Errorf(Invalid, "Name a version or a ref, not both.")
	case p.Predecessor != "" && p.Predecessor == p.Version:
		return Errorf(Unprocessable, "The predecessor of %s is named as %s itself. Name the version before it, or none.", p.Version, p.Version)
	case p.Commit != "" && !commitForm.MatchString(p.Commit):
		return Errorf(Invalid, "The commit %.120q is no commit id.", p.Commit)
	}
	for name, v := range map[string]string{"version": p.Version, "ref": p.Ref, "predecessor": p.Predecessor} {
		if len(v) > 200 || !plainLine(v) || strings.TrimSpace(v) != v {
			return Errorf(Invalid, "The %s must be one line of at most 200 bytes.", name)
		}
	}
	return p.checkPeople()
}

func errProfile(name string) *Error {
	return Errorf(Invalid, "The profile %.80q must be 1 to 63 of letters, digits, . _ and -.", name)
}

func (p *PushParams) checkPeople() error {
	if p.Author != "" {
		if a, err := mail.ParseAddress(p.Author); err != nil || len(p.Author) > 254 {
			return Errorf(Invalid, "The author %.100q is no mail address.", p.Author)
		} else {
			p.Author = a.Address
		}
	}
	if p.RunURL != "" {
		u, err := url.Parse(p.RunURL)
		if err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil || len(p.RunURL) > 2000 || !plainLine(p.RunURL) {
			return Errorf(Invalid, "The run_url must be an https address.")
		}
	}
	return nil
}

// push takes a verified push: it knows a retry, keeps to the limits, reads the
// listing, compares it outside of any transaction that writes, and stores it, its
// release, its answer and the record in one.
func (s *Service) push(ctx context.Context, p *push) (*Pushed, error) {
	if pushed, err := s.beforeReading(ctx, p); pushed != nil || err != nil {
		return pushed, err
	}
	if err := s.read(p); err != nil {
		return nil, err
	}
	var pushed *Pushed
	for try := 1; ; try++ {
		var err error
		if p.params.Preview {
			err = s.store.View(ctx, func(tx Tx) error { pushed, err = s.preview(ctx, tx, p); return err })
		} else {
			err = s.store.Update(ctx, func(tx Tx) error { pushed, err = s.keep(ctx, tx, p); return err })
		}
		again, err := s.again(ctx, p, err, try)
		if err != nil {
			return nil, err
		}
		if !again {
			break
		}
	}
	if p.params.Preview {
		return s.recordPreview(ctx, p, pushed)
	}
	return pushed, nil
}

// recordPreview stores the record alone. Of two that have one id the second gets
// the answer of the first.
func (s *Service) recordPreview(ctx context.Context, p *push, pushed *Pushed) (*Pushed, error) {
	err := s.store.Update(ctx, func(tx Tx) error { return tx.InsertDelivery(ctx, p.delivery) })
	if KindOf(err) != Conflict {
		return pushed, err
	}
	err = s.store.View(ctx, func(tx Tx) error { pushed, err = p.replay(ctx, tx); return err })
	return pushed, err
}

// again decides what an attempt to store came to: done, to be tried anew because a
// comparison was missing (it is made now) or another instance took the same push,
// or failed.
func (s *Service) again(ctx context.Context, p *push, err error, try int) (bool, error) {
	var m *missing
	switch {
	case err == nil:
		return false, nil
	case try == maxAnalyses:
		return false, &Error{Kind: Unavailable, Sentence: "What this is compared with moved again and again. Push once more.", Err: err}
	case errors.As(err, &m):
		return true, s.compareAll(ctx, p, m)
	case errors.Is(err, errTaken):
		return true, nil
	}
	return false, err
}

// errTaken says that somebody else stored the same key a moment ago.
var errTaken = errors.New("taken meanwhile")

// compareAll makes the comparisons that an attempt lacked, the pushed listing's
// own in memory, since it is not stored yet.
func (s *Service) compareAll(ctx context.Context, p *push, m *missing) error {
	for _, pr := range m.pairs {
		if pr.newID == p.listing.ID {
			pr.listing = p.listing.Surface
		}
		made, err := s.compare(ctx, pr)
		if err != nil {
			return err
		}
		if p.made == nil {
			p.made = compared{}
		}
		for k, body := range made {
			p.made[k] = body
		}
	}
	return nil
}

// beforeReading checks what can be checked without opening the body. It returns
// the first answer to a delivery that is known.
func (s *Service) beforeReading(ctx context.Context, p *push) (*Pushed, error) {
	if err := p.actor.reaches(p.params.Profile); err != nil {
		return nil, err
	}
	var known *Pushed
	err := s.store.View(ctx, func(tx Tx) error {
		var err error
		if known, err = p.replay(ctx, tx); known != nil || err != nil {
			return err
		}
		if err := p.params.check(); err != nil {
			return err
		}
		if p.actor.Shell {
			return nil // whoever runs the program imports a history at once
		}
		return s.pushLimits(ctx, tx, p.server.ID)
	})
	p.delivery.Params = p.params
	return known, err
}

// pushLimits keeps a server to its number of pushes.
func (s *Service) pushLimits(ctx context.Context, tx Tx, serverID string) error {
	for _, l := range []struct {
		window time.Duration
		limit  int
		each   string
	}{{time.Minute, s.cfg.Limits.PushesPerMinute, "a minute"}, {24 * time.Hour, s.cfg.Limits.PushesPerDay, "a day"}} {
		n, err := tx.CountDeliveries(ctx, serverID, s.now().Add(-l.window))
		if err != nil {
			return err
		}
		if n >= l.limit {
			return &Error{Kind: RateLimited, RetryAfter: l.window,
				Sentence: fmt.Sprintf("Not accepted: this server pushed %d times, more than %d %s are not taken. Try again later.", n, l.limit, l.each)}
		}
	}
	return nil
}

// read reads the body into a listing that is not stored yet.
func (s *Service) read(p *push) error {
	opt := s.cfg.Limits.Surface
	opt.Complete = p.params.Complete
	l, err := surface.Read(p.body, opt)
	if err != nil {
		return notAccepted(err)
	}
	p.listing = &Listing{ID: newID(), ServerID: p.server.ID, Profile: p.params.Profile, Surface: l, ReceivedAt: s.now()}
	return nil
}

// notAccepted words why a listing can't be read.
func notAccepted(err error) error {
	var refused *surface.ReadError
	if errors.As(err, &refused) {
		return &Error{Kind: kindOfReason[refused.Reason], Sentence: "Not accepted: " + refused.Error(), Problems: refused.Problems, Err: err}
	}
	return err
}

var kindOfReason = map[surface.Reason]Kind{
	surface.Unreadable: Invalid, surface.OtherFormat: Unsupported, surface.NotListing: Unprocessable, surface.TooLarge: TooLarge,
}

// info is the listing without its bytes.
func (l *Listing) info() ListingInfo {
	s := l.Surface
	return ListingInfo{
		ID: l.ID, ServerID: l.ServerID, Profile: l.Profile, RawHash: s.RawHash, Digest: s.Digest, Shape: s.Shape, Kind: s.Kind,
		Complete: s.Complete, ToolCount: len(s.Tools), Bytes: len(s.Raw), Problems: s.Problems, ReceivedAt: l.ReceivedAt,
		Instructions: s.Instructions,
	}
}

func (l *Listing) refs() []ToolRef {
	refs := make([]ToolRef, len(l.Surface.Tools))
	for i, t := range l.Surface.Tools {
		refs[i] = ToolRef{Position: t.Position, Name: t.Name, Digest: t.Digest, RawHash: t.RawHash}
	}
	return refs
}

// keep stores the push inside one transaction. It may run several times.
func (s *Service) keep(ctx context.Context, tx Tx, p *push) (*Pushed, error) {
	if known, err := p.replay(ctx, tx); known != nil || err != nil {
		return known, err
	}
	r, err := findRelease(ctx, tx, p)
	if err != nil {
		return nil, err
	}
	if err := s.mayPush(ctx, tx, p, r); err != nil {
		return nil, err
	}
	if same, err := p.sameAsHead(ctx, tx, r); err != nil {
		return nil, err
	} else if same {
		return s.keepSame(ctx, tx, p, r)
	}
	if err := s.roomFor(ctx, tx, p); err != nil {
		return nil, err
	}
	return s.keepNew(ctx, tx, p, r)
}

// roomFor refuses a new listing of a server that has taken all that one may take.
func (s *Service) roomFor(ctx context.Context, tx Tx, p *push) error {
	n, err := tx.StoredBytes(ctx, p.server.ID)
	if err == nil && n >= s.cfg.Limits.StoredBytes {
		return &Error{Kind: RateLimited, RetryAfter: 24 * time.Hour,
			Sentence: fmt.Sprintf("Not accepted: the listings of this server take %d MiB, which is what a server may take. An administrator can raise the limit.", n>>20)}
	}
	return err
}

// findRelease returns the release that the push is for; nil when it is new.
func findRelease(ctx context.Context, tx Tx, p *push) (*Release, error) {
	if p.params.Version == "" {
		r, err := tx.ReleaseByRef(ctx, p.server.ID, p.params.Profile, p.params.Ref)
		if KindOf(err) == NotFound {
			return nil, nil
		}
		return r, err
	}
	rs, err := tx.ReleasesByVersion(ctx, []VersionKey{{ProfileKey{p.server.ID, p.params.Profile}, p.params.Version}})
	if err != nil || len(rs) == 0 {
		return nil, err
	}
	return &rs[0], nil
}

// mayPush refuses other bytes for what is released or withdrawn, and a release too
// many.
func (s *Service) mayPush(ctx context.Context, tx Tx, p *push, r *Release) error {
	if r == nil && p.actor.Shell {
		return nil // a history that is imported is nobody's queue
	}
	if r == nil {
		n, err := tx.CountOpenReleases(ctx, p.server.ID)
		if err == nil && n >= s.cfg.Limits.OpenReleases {
			return &Error{Kind: RateLimited, RetryAfter: time.Hour,
				Sentence: fmt.Sprintf("Not accepted: %d releases of this server are open. Release or withdraw some first.", n)}
		}
		return err
	}
	if r.open() || r.Head.RawHash == p.listing.Surface.RawHash {
		return nil
	}
	was := "released"
	if r.withdrawn() {
		was = "withdrawn"
	}
	return &Error{Kind: Conflict, Code: VersionReused,
		Sentence: fmt.Sprintf("%s is %s with other bytes. Use a new version, or a profile for another configuration.", r.Title(), was)}
}

// sameAsHead reports whether the head of the release has the same bytes and stands
// for the same thing. That an empty listing is meant is worth a revision, and so is
// another predecessor, and that a superseded release is brought back.
func (p *push) sameAsHead(ctx context.Context, tx Tx, r *Release) (bool, error) {
	if r == nil || r.Head.RawHash != p.listing.Surface.RawHash {
		return false, nil
	}
	if !r.open() {
		return true, nil
	}
	if p.params.Predecessor != "" && p.params.Predecessor != r.Predecessor {
		return false, nil
	}
	line, err := lineOf(ctx, tx, ProfileKey{r.ServerID, r.Profile})
	if err != nil || r.supersededBy(line) {
		return false, err
	}
	info, err := tx.ListingInfoByID(ctx, r.Head.ListingID)
	if err != nil {
		return false, err
	}
	return info.Complete || !p.params.Complete, nil
}

// keepSame answers a push of what the head has already: nothing is stored but the
// record.
func (s *Service) keepSame(ctx context.Context, tx Tx, p *push, r *Release) (*Pushed, error) {
	c, err := newCandidate(ctx, tx, p.server, r, r.Head)
	if err != nil {
		return nil, err
	}
	as, err := s.assessOne(ctx, tx, *c, p.made)
	if err != nil {
		return nil, err
	}
	if err := p.made.put(ctx, tx, p.listing.info().near()); err != nil {
		return nil, err
	}
	return s.answer(ctx, tx, p, as, PushSame, "The newest revision has the same bytes.")
}

// keepNew stores a listing as a new revision.
func (s *Service) keepNew(ctx context.Context, tx Tx, p *push, r *Release) (*Pushed, error) {
	fresh := r == nil
	c, err := s.planned(ctx, tx, p, r)
	if err != nil {
		return nil, err
	}
	as, err := s.assessOne(ctx, tx, *c, p.made)
	if err != nil {
		return nil, err // before anything was written: the comparison comes first
	}
	if err := tx.EnsureProfile(ctx, p.server.ID, p.params.Profile, s.now()); err != nil {
		return nil, err
	}
	if err := tx.InsertListing(ctx, p.listing); err != nil {
		return nil, err
	}
	if err := storeRelease(ctx, tx, c.release, fresh); err != nil {
		return nil, err
	}
	if err := tx.InsertRevision(ctx, &c.revision); err != nil {
		return nil, taken(err)
	}
	by := &c.revision
	brought := as.authorship([]string{by.PusherID, by.AuthorID}, []string{by.TokenID})
	if err := tx.InsertAuthors(ctx, brought); err != nil {
		return nil, err
	}
	if err := p.index(ctx, tx, c.release); err != nil {
		return nil, err
	}
	ended, err := s.endByPush(ctx, tx, c)
	if err != nil {
		return nil, err
	}
	if err := p.made.put(ctx, tx, p.listing.info().near()); err != nil {
		return nil, err
	}
	if err := s.auditPush(ctx, tx, p, as, newlyBrought(brought, as.known), ended); err != nil {
		return nil, err
	}
	if err := s.pushed(ctx, tx, p.actor, as); err != nil {
		return nil, err
	}
	return s.answerNew(ctx, tx, p, as)
}

func taken(err error) error {
	if KindOf(err) == Conflict {
		return fmt.Errorf("%w: %w", errTaken, err)
	}
	return err
}

func storeRelease(ctx context.Context, tx Tx, r *Release, fresh bool) error {
	if fresh {
		return taken(tx.InsertRelease(ctx, r))
	}
	return tx.UpdateRelease(ctx, r)
}

// auditPush writes the push down; brought are keys of what it made somebody the author
// of, ended the approvals of removals that it ended for its release.
func (s *Service) auditPush(ctx context.Context, tx Tx, p *push, as *assessment, brought []surface.Hash, ended []string) error {
	r, rev := as.release, &as.revision
	return s.audit(ctx, tx, p.actor, act{
		name: "listing.push", serverID: p.server.ID, subject: r.ID,
		after: pushFacts{
			Release: r.Title(), Profile: r.Profile, Version: r.Version, Ref: r.Ref, Predecessor: r.Predecessor, Revision: rev.N,
			Digest: rev.Digest, Author: rev.AuthorID, Token: rev.TokenID, Delivery: p.delivery.ID, Ended: ended,
			Commit: rev.Commit, Run: rev.RunURL, Authors: true, Brought: brought,
		},
		kept: leaving(r, &pushedRevision{*rev, p.listing.info(), ToolsHash(p.listing.refs())}),
	})
}

// planned is the revision that the push would make, and its release.
func (s *Service) planned(ctx context.Context, tx Tx, p *push, r *Release) (*candidate, error) {
	if err := p.doubtEmpty(ctx, tx, r); err != nil {
		return nil, err
	}
	rev, err := s.newRevision(ctx, tx, p)
	if err != nil {
		return nil, err
	}
	if r == nil {
		r = &Release{
			ID: newID(), ServerID: p.server.ID, Profile: p.params.Profile, Version: p.params.Version, Ref: p.params.Ref, CreatedAt: s.now(),
		}
	}
	if p.params.Predecessor != "" && p.params.Predecessor != r.Predecessor {
		r.Predecessor, r.PredecessorConfirmedBy = p.params.Predecessor, ""
	}
	rev.ReleaseID, rev.N = r.ID, r.Head.N+1
	r.Head = *rev
	return &candidate{server: p.server, release: r, revision: *rev, listing: p.listing.info(), tools: p.listing.refs()}, nil
}

func (p *push) profile() ProfileKey { return ProfileKey{p.server.ID, p.params.Profile} }

// newRevision is the push as a revision, its author found among the accounts. It is
// later than what was released last, wherever a clock was set meanwhile: the order of
// pushes says what supersedes what.
func (s *Service) newRevision(ctx context.Context, tx Tx, p *push) (*Revision, error) {
	line, err := lineOf(ctx, tx, p.profile())
	if err != nil {
		return nil, err
	}
	at := s.now()
	if last := line.pushedLast(); last != nil {
		at = s.after(last.Head.PushedAt)
	}
	l := p.listing
	rev := &Revision{
		ListingID: l.ID, Digest: l.Surface.Digest, RawHash: l.Surface.RawHash, PushedAt: at,
		PusherID: p.actor.userID(), PushedBy: p.actor.Label(), TokenID: p.actor.tokenID(),
		Author: p.params.Author, Commit: p.params.Commit, RunURL: p.params.RunURL,
	}
	if p.params.Author == "" {
		if p.delivery.Via == "upload" {
			rev.AuthorID, rev.Author = p.actor.userID(), p.actor.User.Email
		}
		return rev, nil
	}
	u, err := tx.UserByEmail(ctx, p.params.Author)
	if KindOf(err) == NotFound {
		return rev, nil
	}
	if err != nil {
		return nil, err
	}
	rev.AuthorID = u.ID
	return rev, nil
}

// doubtEmpty takes an empty listing for a part where there were tools before and
// the pusher did not say that it is meant.
func (p *push) doubtEmpty(ctx context.Context, tx Tx, r *Release) error {
	l := p.listing.Surface
	if len(l.Tools) > 0 || l.Kind != surface.KindListing || p.params.Complete || !l.Complete {
		return nil
	}
	last, err := lastReleased(ctx, tx, p.profile())
	if err != nil {
		return err
	}
	var ids []string
	if last != nil {
		ids = append(ids, last.Head.ListingID)
	}
	if r != nil {
		ids = append(ids, r.Head.ListingID)
	}
	before, err := tx.ListingInfosByID(ctx, ids)
	for _, in := range before {
		if in.ToolCount > 0 {
			l.Complete = false
		}
	}
	return err
}

// preview analyses a push and keeps nothing of it.
func (s *Service) preview(ctx context.Context, tx Tx, p *push) (*Pushed, error) {
	r, err := findRelease(ctx, tx, p)
	if err != nil {
		return nil, err
	}
	if r != nil {
		if err := s.mayPush(ctx, tx, p, r); err != nil {
			return nil, err
		}
	}
	c, err := s.planned(ctx, tx, p, r)
	if err != nil {
		return nil, err
	}
	if r == nil {
		c.release.ID, c.revision.ReleaseID = "", ""
	}
	as, err := s.assessOne(ctx, tx, *c, p.made)
	if err != nil {
		return nil, err
	}
	return p.previewed(as)
}

// previewed is the answer to a preview: no ids, since nothing has one.
func (p *push) previewed(as *assessment) (*Pushed, error) {
	ans := PushAnswer{
		Listing: &PushedListing{Digest: as.listing.Digest, Tools: as.listing.ToolCount}, Analysis: "done", Changes: as.outline.Counts, Findings: as.judged.summary(), Gate: &as.Answer,
		Note: sentences("A preview: nothing was kept.", as.predecessorNote()), Problems: as.listing.Problems,
	}
	return p.finish(ans, PushSame, "A preview of "+tools(as.listing.ToolCount)+": nothing was kept.")
}

// answerNew answers a push that was kept, and says what is odd about it.
func (s *Service) answerNew(ctx context.Context, tx Tx, p *push, as *assessment) (*Pushed, error) {
	l := as.listing
	switch {
	case l.Kind != surface.KindListing:
		return s.answer(ctx, tx, p, as, PushPartial, fmt.Sprintf("Kept, but this is a %s and not what a server answered to tools/list: it can't be approved.", l.Kind))
	case emptied(l):
		return s.answer(ctx, tx, p, as, PushPartial, "Kept, but it has no tools and the listing before had some. If that is meant, push it again with complete=true.")
	case !l.Complete:
		return s.answer(ctx, tx, p, as, PushPartial, "Kept, but it is only a part. Push the whole listing.")
	}
	return s.answer(ctx, tx, p, as, PushNew, "")
}

// answer records an accepted push with the bytes of its answer.
func (s *Service) answer(ctx context.Context, tx Tx, p *push, as *assessment, status PushStatus, note string) (*Pushed, error) {
	note = sentences(note, as.predecessorNote())
	ans := PushAnswer{
		Listing: &PushedListing{ID: as.listing.ID, Digest: as.listing.Digest, Tools: as.listing.ToolCount},
		Release: s.pushedRelease(as), Analysis: "done", Changes: as.outline.Counts, Findings: as.judged.summary(), Gate: &as.Answer, Note: note, Problems: as.listing.Problems,
	}
	p.delivery.ListingID, p.delivery.ReleaseID = as.listing.ID, as.release.ID
	outcome := sentences(fmt.Sprintf("Accepted: %s, digest %s.", tools(as.listing.ToolCount), as.listing.Digest.Short()), note)
	pushed, err := p.finish(ans, status, outcome)
	if err != nil {
		return nil, err
	}
	return pushed, taken(tx.InsertDelivery(ctx, p.delivery))
}

// finish fixes the bytes of the answer, which a retry gets again.
func (p *push) finish(ans PushAnswer, status PushStatus, outcome string) (*Pushed, error) {
	body, err := json.Marshal(ans)
	if err != nil {
		return nil, err
	}
	d := p.delivery
	d.Status, d.Outcome, d.Problems, d.Answer = int(status), outcome, ans.Problems, body
	return &Pushed{Status: status, Answer: ans, Body: body}, nil
}

// sentences joins those that say something.
func sentences(said ...string) string {
	return strings.Join(slices.DeleteFunc(said, func(s string) bool { return s == "" }), " ")
}

func tools(n int) string {
	if n == 1 {
		return "1 tool"
	}
	return fmt.Sprintf("%d tools", n)
}
