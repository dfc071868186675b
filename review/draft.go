package review

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/countersign/countersign/review/people"
	"github.com/countersign/countersign/review/surface"
)

// Draft is what somebody wrote on a release and did not publish yet: a comment, an
// answer in a thread, a decision with its note, or the texts of another form. It is
// kept on the server, so nothing typed is lost, and shown to nobody else. What is
// written into the settings of a server is a draft of the server's: texts only.
type Draft struct {
	UserID    string
	ReleaseID string // "" for a draft of a server's
	ServerID  string // "" for a draft of a release's
	Target    string // what it is for; a draft with the same target replaces it
	UpdatedAt time.Time
	Revision  int64  // grows with every save
	CopyOf    string // target of the draft that two pages wrote at once; "" for that one itself
	Place     string // what the form that it was typed into is about, as the form says it

	Comment *NewComment   // nil unless it is one
	Items   []VerdictItem // nil unless it is a decision: all that one form answers, alike; without a verdict it is a note only
	Texts   []string      // of another form, in its order; never published from here

	Writing
}

// Writing says who saves a draft and what they had seen of it, so that two open
// pages don't write over each other.
type Writing struct {
	Saw    int64  // revision that the page read or saved last, 0 for none
	Writer string // of one open page, unlike any other's; "" for none
	Count  int64  // of that page's saves: an earlier one that arrives late is dropped
}

// DraftStore keeps drafts.
type DraftStore interface {
	PutDraft(ctx context.Context, d *Draft) error // replaces that of the same target
	// Drafts returns a person's drafts on a release, oldest target first.
	Drafts(ctx context.Context, userID, releaseID string) ([]Draft, error)
	// DeleteDrafts removes drafts; absent ones are no error.
	DeleteDrafts(ctx context.Context, userID, releaseID string, targets []string) error
	// ServerDrafts and DeleteServerDrafts are the same for drafts of a server's.
	ServerDrafts(ctx context.Context, userID, serverID string) ([]Draft, error)
	DeleteServerDrafts(ctx context.Context, userID, serverID string, targets []string) error
}

// maxDrafts bounds what one person keeps on one release, and on one server.
const maxDrafts = 500

// SaveDraft keeps a draft of the actor, whatever was kept before. A target names
// what it is for: "" makes one, which comes back. A comment with nothing in it, and
// a decision with neither verdict nor note, removes the draft. A decision that would be
// refused now, for want of a reason or since its change is not there any more, is
// refused here as well and not only when everything is published.
func (s *Service) SaveDraft(ctx context.Context, a Actor, releaseID string, d Draft) (*Draft, error) {
	return s.keepAnswerable(ctx, a, releaseID, d, always)
}

func always(*Draft, []Draft) bool { return true }

// TypeDraft keeps what a page has of a draft, as d.Writing says. Where another page
// saved the draft since this one saw it, both are kept: what comes back is then a
// draft of its own, with CopyOf, which the page goes on with. Nothing typed is
// removed by a page that did not see it.
func (s *Service) TypeDraft(ctx context.Context, a Actor, releaseID string, d Draft) (*Draft, error) {
	return s.keepAnswerable(ctx, a, releaseID, d, (*Draft).beside)
}

// SaveServerDraft is [Service.SaveDraft] for the texts of a form on a server's settings,
// for whoever may write on the server.
func (s *Service) SaveServerDraft(ctx context.Context, a Actor, slug string, d Draft) (*Draft, error) {
	return s.keepDraft(ctx, a, onServer(slug), d, always)
}

// TypeServerDraft is [Service.TypeDraft] for such a form.
func (s *Service) TypeServerDraft(ctx context.Context, a Actor, slug string, d Draft) (*Draft, error) {
	return s.keepDraft(ctx, a, onServer(slug), d, (*Draft).beside)
}

// ServerDrafts lists the actor's own drafts on a server's settings.
func (s *Service) ServerDrafts(ctx context.Context, a Actor, slug string) ([]Draft, error) {
	var found []Draft
	err := s.store.View(ctx, func(tx Tx) error {
		d, err := onServer(slug)(ctx, tx, a)
		if err != nil {
			return err
		}
		found, err = d.list(ctx, tx, a.userID())
		return err
	})
	return found, err
}

// draftDesk is where drafts lie: on one release with its newest listing, or on one
// server.
type draftDesk struct {
	releaseID, listingID, serverID string

	digest surface.Hash // of the listing
}

// findDesk finds it for an actor who may write there.
type findDesk func(ctx context.Context, tx Tx, a Actor) (draftDesk, error)

func onRelease(id string) findDesk {
	return func(ctx context.Context, tx Tx, a Actor) (draftDesk, error) {
		_, r, err := releaseFor(ctx, tx, a, id, people.Reviewer, people.ScopeReview)
		if err != nil {
			return draftDesk{}, err
		}
		return draftDesk{releaseID: r.ID, listingID: r.Head.ListingID, digest: r.Head.Digest}, a.person()
	}
}

func onServer(slug string) findDesk {
	return func(ctx context.Context, tx Tx, a Actor) (draftDesk, error) {
		srv, err := serverFor(ctx, tx, a, slug, people.Reviewer, people.ScopeReview)
		if err != nil {
			return draftDesk{}, err
		}
		return draftDesk{serverID: srv.ID}, a.person()
	}
}

func (d draftDesk) list(ctx context.Context, tx Tx, userID string) ([]Draft, error) {
	if d.serverID != "" {
		return tx.ServerDrafts(ctx, userID, d.serverID)
	}
	return tx.Drafts(ctx, userID, d.releaseID)
}

func (d draftDesk) remove(ctx context.Context, tx Tx, userID, target string) error {
	if d.serverID != "" {
		return tx.DeleteServerDrafts(ctx, userID, d.serverID, []string{target})
	}
	return tx.DeleteDrafts(ctx, userID, d.releaseID, []string{target})
}

// keepAnswerable keeps a draft on a release, but for an answer that would be refused.
// What a script keeps while somebody types is kept as it is.
func (s *Service) keepAnswerable(ctx context.Context, a Actor, releaseID string, d Draft, want func(*Draft, []Draft) bool) (*Draft, error) {
	if err := s.checkDraft(&d); err != nil {
		return nil, err
	}
	if d.Verdict() != "" && d.Writer == "" {
		if err := s.tryAnswers(ctx, a, releaseID, d.Items); err != nil {
			return nil, err
		}
	}
	return s.keepDraft(ctx, a, onRelease(releaseID), d, want)
}

// keepDraft keeps d beside the drafts that there are; want may give it another
// target, or leave it out.
func (s *Service) keepDraft(ctx context.Context, a Actor, find findDesk, d Draft, want func(*Draft, []Draft) bool) (*Draft, error) {
	if err := s.checkDraft(&d); err != nil {
		return nil, err
	}
	saved := d
	err := s.store.Update(ctx, func(tx Tx) error {
		desk, err := find(ctx, tx, a)
		if err != nil {
			return err
		}
		saved = d
		saved.UserID, saved.ReleaseID, saved.ServerID, saved.UpdatedAt = a.userID(), desk.releaseID, desk.serverID, s.now()
		if desk.serverID != "" && saved.Texts == nil {
			return Errorf(Invalid, "Of a server's settings only texts are kept. Comment and decide on a release.")
		}
		kept, err := desk.list(ctx, tx, saved.UserID)
		if err != nil || !want(&saved, kept) {
			return err
		}
		if saved.empty() {
			return desk.remove(ctx, tx, saved.UserID, saved.Target)
		}
		before := draftFor(kept, saved.Target)
		if err := saved.sees(ctx, tx, desk, before); err != nil {
			return err
		}
		if before == nil && len(kept) >= maxDrafts {
			return Errorf(Conflict, "You have %d drafts here. Publish or remove some first.", len(kept))
		}
		// By the clock, so that a draft made anew never has the revision of one that is gone.
		saved.Revision = saved.UpdatedAt.UnixMicro()
		if before != nil {
			saved.Revision = max(saved.Revision, before.Revision+1)
		}
		return tx.PutDraft(ctx, &saved)
	})
	if err != nil {
		return nil, err
	}
	return &saved, nil
}

// sees notes in a draft that is to open a thread which bytes of the tool its author
// reads: those that it was begun on, whatever is pushed while it waits.
func (d *Draft) sees(ctx context.Context, tx Tx, desk draftDesk, before *Draft) error {
	if desk.listingID == "" || d.Comment == nil || d.Comment.ThreadID != "" {
		return nil
	}
	n := *d.Comment // the caller's stays as it is
	at := &n.Anchor
	if at.Tool == "" && !at.whole() || at.Side == OldSide || !at.Digest.IsZero() {
		return nil
	}
	if before != nil && before.Comment != nil && before.Comment.Anchor.Tool == at.Tool && before.Comment.Anchor.whole() == at.whole() {
		at.Digest = before.Comment.Anchor.Digest
	}
	if at.Digest.IsZero() && at.whole() {
		at.Digest = desk.digest
	} else if at.Digest.IsZero() {
		refs, err := tx.ToolRefs(ctx, []string{desk.listingID})
		if err != nil {
			return err
		}
		for _, t := range firstNamed(refs[desk.listingID], map[string]bool{at.Tool: true}) {
			at.Digest = t.Digest
		}
	}
	d.Comment = &n
	return nil
}

// tryAnswers says why answers would be refused if they were given now, nil when they
// would not.
func (s *Service) tryAnswers(ctx context.Context, a Actor, releaseID string, items []VerdictItem) error {
	return s.analysed(ctx, func() error {
		return s.store.View(ctx, func(tx Tx) error {
			as, err := s.actingOn(ctx, tx, a, releaseID, people.Reviewer)
			if err != nil {
				return err
			}
			_, err = s.answers(ctx, tx, a, as, items)
			return err
		})
	})
}

func draftFor(kept []Draft, target string) *Draft {
	for i := range kept {
		if kept[i].Target == target {
			return &kept[i]
		}
	}
	return nil
}

// beside makes room for a draft that a page typed beside the one that is kept, and
// reports whether it is to be stored.
func (d *Draft) beside(kept []Draft) bool {
	before := draftFor(kept, d.Target)
	switch {
	case before == nil:
		return true
	case before.Writer == d.Writer && d.Writer != "":
		d.CopyOf = before.CopyOf
		if d.Count > before.Count {
			return true
		}
		d.Revision = before.Revision
		return false // overtaken by a later save of the same page
	case before.Revision == d.Saw:
		d.CopyOf = before.CopyOf
		return true
	case d.empty() || d.sameText(before):
		d.Revision = before.Revision
		return false
	}
	d.CopyOf = cmp.Or(before.CopyOf, d.Target)
	d.Target = d.CopyOf + " copy " + newID()
	return true
}

// sameText reports whether two drafts of one target say the same.
func (d *Draft) sameText(o *Draft) bool {
	switch {
	case d.Comment != nil && o.Comment != nil:
		return d.Comment.Body == o.Comment.Body && suggested(d.Comment) == suggested(o.Comment) && d.Comment.Anchor.Quote == o.Comment.Anchor.Quote
	case d.Items != nil && o.Items != nil:
		return d.Note() == o.Note() && d.Verdict() == o.Verdict()
	}
	return slices.Equal(d.Texts, o.Texts)
}

// Verdict is the answer that a decision is to give, "" for a note only and for what is
// none.
func (d *Draft) Verdict() VerdictKind {
	if len(d.Items) == 0 {
		return ""
	}
	return d.Items[0].Verdict
}

// Note is what is to be said with a decision.
func (d *Draft) Note() string {
	if len(d.Items) == 0 {
		return ""
	}
	return d.Items[0].Note
}

func suggested(c *NewComment) string {
	if c.Suggest == nil {
		return ""
	}
	return *c.Suggest
}

// kinds counts what a draft is of comment, decision and texts.
func (d *Draft) kinds() int {
	n := 0
	for _, is := range []bool{d.Comment != nil, d.Items != nil, d.Texts != nil} {
		if is {
			n++
		}
	}
	return n
}

func (s *Service) checkDraft(d *Draft) error {
	switch {
	case d.kinds() != 1:
		return Errorf(Invalid, "A draft is a comment or a decision.")
	case len(d.Texts) > maxItems || d.Texts != nil && d.Target == "":
		return Errorf(Invalid, "The texts of a form need a target, and are at most %d.", maxItems)
	case slices.ContainsFunc(d.Texts, func(t string) bool { return !keepable(t, maxNote) }):
		return Errorf(Invalid, "A text must be text of at most 64 KiB.")
	case !keepable(d.Place, maxName) || !keepable(d.Writer, maxName):
		return Errorf(Invalid, "The place and the writer of a draft are text of at most %d bytes.", maxName)
	case len(d.Target) > maxName || !keepable(d.Target, maxName):
		return Errorf(Invalid, "The target of a draft is text of at most %d bytes.", maxName)
	case d.Comment != nil && !keepable(d.Comment.Body, s.cfg.Limits.CommentBytes):
		return Errorf(Invalid, "A comment is text of at most %d KiB.", s.cfg.Limits.CommentBytes>>10)
	case d.Comment != nil && d.Comment.Suggest != nil && !keepable(*d.Comment.Suggest, s.cfg.Limits.CommentBytes):
		return Errorf(Invalid, "A suggestion is text of at most %d KiB.", s.cfg.Limits.CommentBytes>>10)
	case d.Items != nil:
		if err := d.checkItems(); err != nil {
			return err
		}
	}
	if d.Target == "" {
		d.Target = d.target()
	}
	return nil
}

// checkItems checks a decision; what is typed into one meanwhile only for its size.
func (d *Draft) checkItems() error {
	if d.Verdict() != "" {
		return checkItems(d.Items)
	}
	named := 0
	for _, it := range d.Items {
		named += len(it.Changes)
		switch {
		case it.Verdict != "":
			return Errorf(Invalid, "The decisions of one draft give the same answer.")
		case !keepable(it.Note, maxNote):
			return Errorf(Invalid, "The note must be text of at most 64 KiB.")
		case len(it.Evidence) > maxTrials:
			return Errorf(Invalid, "Give at most %d trials as evidence.", maxTrials)
		}
	}
	if len(d.Items) > maxItems || named > maxItems {
		return Errorf(Invalid, "A draft names at most %d changes.", maxItems)
	}
	return nil
}

// target names what a draft is for: one answer for each thread and each decision,
// any number of new threads.
func (d *Draft) target() string {
	switch {
	case d.Items != nil:
		return strings.TrimSpace("verdict " + d.firstItem())
	case d.Comment.ThreadID != "":
		return "reply " + d.Comment.ThreadID
	}
	return "thread " + newID()
}

// firstItem names the first of what a decision is about, "" for nothing.
func (d *Draft) firstItem() string {
	switch {
	case len(d.Items) == 0:
		return ""
	case d.Items[0].Change != "":
		return d.Items[0].Change
	case len(d.Items[0].Changes) > 0:
		return d.Items[0].Edit + " " + d.Items[0].Changes[0]
	}
	return ""
}

func (d *Draft) empty() bool {
	if d.Items != nil {
		return d.Verdict() == "" && strings.TrimSpace(d.Note()) == ""
	}
	if d.Comment == nil {
		return !slices.ContainsFunc(d.Texts, func(t string) bool { return strings.TrimSpace(t) != "" })
	}
	return d.silent() && d.Comment.Anchor.Quote == ""
}

// silent reports whether a comment says nothing yet.
func (d *Draft) silent() bool {
	return strings.TrimSpace(d.Comment.Body) == "" && d.Comment.Suggest == nil
}

// Ready reports whether a draft is published with all others: one that was written
// twice at once waits for its author to choose.
func (d *Draft) Ready() bool { return d.complete() && d.CopyOf == "" }

// complete reports whether a draft can be published: a note without a verdict waits, and
// so do words quoted with nothing said of them.
func (d *Draft) complete() bool { return d.Comment != nil && !d.silent() || d.Verdict() != "" }

// Drafts lists the actor's own drafts on a release.
func (s *Service) Drafts(ctx context.Context, a Actor, releaseID string) ([]Draft, error) {
	var found []Draft
	err := s.store.View(ctx, func(tx Tx) error {
		_, r, err := releaseFor(ctx, tx, a, releaseID, people.Reviewer, people.ScopeReview)
		if err != nil {
			return err
		}
		if err := a.person(); err != nil {
			return err
		}
		found, err = tx.Drafts(ctx, a.userID(), r.ID)
		return err
	})
	return found, err
}

// PublishDrafts publishes the actor's drafts on a release, all or none, in one
// transaction; everybody whom it concerns gets one notice. targets chooses some;
// nil is every one that is complete, but for
// copies, of which their author has to choose. Stale when a decision is about a change that is
// not there any more: then the drafts are still there too.
func (s *Service) PublishDrafts(ctx context.Context, a Actor, releaseID string, targets []string) (*ReleaseView, error) {
	err := s.acting(ctx, a, releaseID, people.Reviewer, func(tx Tx, as *assessment) error {
		drafts, err := tx.Drafts(ctx, a.userID(), releaseID)
		if err != nil {
			return err
		}
		drafts = slices.DeleteFunc(drafts, func(d Draft) bool {
			if targets == nil {
				return !d.Ready()
			}
			return !d.complete() || !slices.Contains(targets, d.Target)
		})
		if len(drafts) == 0 {
			return Errorf(Invalid, "There is nothing to publish.")
		}
		return s.publish(ctx, tx, a, as, drafts)
	})
	if err != nil {
		return nil, err
	}
	return s.Release(ctx, a, releaseID)
}

func (s *Service) publish(ctx context.Context, tx Tx, a Actor, as *assessment, drafts []Draft) error {
	sp, err := s.newSpeech(ctx, tx, a, as)
	if err != nil {
		return err
	}
	var items []VerdictItem
	var done []string
	for _, d := range drafts {
		done = append(done, d.Target)
		if d.Items != nil {
			items = append(items, d.Items...)
			continue
		}
		if err := s.checkBody(d.Comment.Body); err != nil {
			return d.refused(err)
		}
		if _, err := sp.say(*d.Comment); err != nil {
			return d.refused(err)
		}
	}
	if len(items) > 0 {
		if err := s.decideOn(ctx, tx, sp, items); err != nil {
			return err
		}
	}
	if err := tx.DeleteDrafts(ctx, a.userID(), as.release.ID, done); err != nil {
		return err
	}
	if err := s.looked(ctx, tx, a, as); err != nil {
		return err
	}
	return sp.end("")
}

// refused says which of the drafts it is that can't be published.
func (d *Draft) refused(err error) error {
	var e *Error
	if !errors.As(err, &e) {
		return err
	}
	about := "to a thread"
	if at := d.Comment.Anchor; d.Comment.ThreadID == "" {
		about = "on the whole listing"
		if at.Tool != "" {
			about = strings.TrimSuffix("on "+visible(at.Tool)+" at "+visible(at.Pointer), " at ")
		}
	}
	named := *e
	named.Sentence = fmt.Sprintf("Your draft of a comment %s can't be published, so nothing was: %s Change or discard it, then publish the rest.", about, e.Sentence)
	return &named
}

// CommentEdit is an earlier text of a comment.
type CommentEdit struct {
	ID        string
	CommentID string
	At        time.Time // when it was replaced
	Body      string
}

// EditComment replaces the text of a comment by its author. What it said before
// stays readable to everybody who reads the thread.
func (s *Service) EditComment(ctx context.Context, a Actor, threadID, commentID, body string) (*Thread, error) {
	body = withoutCR(body)
	if err := s.mayComment(a, body); err != nil {
		return nil, err
	}
	return s.onThread(ctx, a, threadID, "comment.edit", func(tx Tx, t *Thread) error {
		if err := s.takeTurn(ctx, tx, a); err != nil {
			return err
		}
		i := slices.IndexFunc(t.Comments, func(c Comment) bool { return c.ID == commentID })
		switch {
		case i < 0:
			return Errorf(Invalid, "This thread has no such comment.")
		case t.Comments[i].UserID != a.userID():
			return Errorf(Forbidden, "Only who wrote a comment can edit it. Answer in the thread instead.")
		case t.Comments[i].Body == body:
			return nil
		}
		if err := s.namedSince(ctx, tx, a, t, &t.Comments[i], body); err != nil {
			return err
		}
		return tx.EditComment(ctx, &CommentEdit{ID: newID(), CommentID: commentID, At: s.now(), Body: t.Comments[i].Body}, body)
	})
}

// namedSince tells the people whom an edit of a comment names and who were named by
// nothing that the comment said before.
func (s *Service) namedSince(ctx context.Context, tx Tx, a Actor, t *Thread, c *Comment, body string) error {
	named := mentions(body)
	if len(named) == 0 {
		return nil
	}
	edits, err := tx.CommentEdits(ctx, t.ID)
	if err != nil {
		return err
	}
	told := mentions(c.Body)
	for _, e := range edits {
		if e.CommentID == c.ID {
			told = append(told, mentions(e.Body)...)
		}
	}
	users, err := tx.Users(ctx)
	if err != nil {
		return err
	}
	r, err := tx.ReleaseByID(ctx, t.ReleaseID)
	if err != nil {
		return err
	}
	srv, err := tx.ServerByID(ctx, t.ServerID)
	if err != nil {
		return err
	}
	text := "1 comment, edited, in " + srv.Name + " " + r.Title()
	if t.Anchor.Tool != "" {
		text = "1 comment, edited, on " + t.Anchor.Tool + " in " + srv.Name + " " + r.Title()
	}
	answers := func(u *people.User, handles []string) bool {
		return slices.ContainsFunc(handles, func(h string) bool { return handleOf(u, h) })
	}
	var ns []Notice
	for i := range users {
		u := &users[i]
		if u.ID != a.userID() && answers(u, named) && !answers(u, told) && u.RoleOn(t.ServerID).AtLeast(people.Viewer) {
			ns = append(ns, Notice{
				ID: newID(), UserID: u.ID, ServerID: t.ServerID, ReleaseID: t.ReleaseID, ThreadID: t.ID, Kind: NoticeMention,
				Actor: a.Label(), Text: text, At: s.now(),
			})
		}
	}
	if len(ns) == 0 {
		return nil
	}
	return tx.InsertNotices(ctx, ns)
}
