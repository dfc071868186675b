package review

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/countersign/countersign/review/people"
)

// NoticeKind says why somebody is told, weakest first in [noticeRank].
type NoticeKind string

// The kinds of notices.
const (
	NoticePush    NoticeKind = "push"    // a server or family that they follow was pushed
	NoticeReview  NoticeKind = "review"  // a release that they wrote, pushed or follow was reviewed
	NoticeThread  NoticeKind = "thread"  // a thread that they take part in went on
	NoticeMention NoticeKind = "mention" // somebody named them

	NoticeOverride NoticeKind = "override" // a release passes without approval
	NoticeAlarm    NoticeKind = "alarm"    // a released version lost what it stood on
	NoticePolicy   NoticeKind = "policy"   // an edit of a policy waits for a second person
	NoticeToken    NoticeKind = "token"    // a token that decides as them was made on the command line
	NoticeAsked    NoticeKind = "asked"    // a role or an alias waits for a second person

	NoticeDrift NoticeKind = "drift" // a server that they maintain runs what was never released
	NoticeLive  NoticeKind = "live"  // a server that they maintain runs something else, or again what it should
)

var noticeRank = map[NoticeKind]int{NoticePush: 1, NoticeReview: 2, NoticeThread: 3, NoticeMention: 4, NoticeOverride: 5, NoticeAlarm: 5, NoticePolicy: 5, NoticeToken: 5, NoticeAsked: 5, NoticeDrift: 5, NoticeLive: 2}

// Notice tells one person of what another did.
type Notice struct {
	ID        string
	UserID    string // who is told
	ServerID  string // "" is about themselves
	ReleaseID string
	ThreadID  string // "" for none
	Kind      NoticeKind
	Actor     string // label of who did it
	Text      string // one sentence
	At        time.Time
	ReadAt    time.Time // zero: unread

	EndpointID string // that it is about, "" for none
}

// NoticeStore keeps notices and what people follow.
type NoticeStore interface {
	InsertNotices(ctx context.Context, ns []Notice) error
	// Notices returns a person's, newest first.
	Notices(ctx context.Context, userID string, unread bool, p Page) ([]Notice, error)
	CountUnread(ctx context.Context, userID string) (int, error)
	// ReadNotices marks a person's notices as read; nil is all of them.
	ReadNotices(ctx context.Context, userID string, ids []string, at time.Time) error
	// UnreadReview reports which of the people have an unread notice of the kind
	// about a release by an actor: then one more says nothing new.
	UnreadReview(ctx context.Context, userIDs []string, releaseID, actor string) (map[string]bool, error)

	// UnreadOfEndpoint returns the unread notices about an endpoint, of whomever.
	UnreadOfEndpoint(ctx context.Context, endpointID string) ([]Notice, error)
	DeleteNotices(ctx context.Context, ids []string) error

	PutSubscription(ctx context.Context, s *Subscription) error
	DeleteSubscription(ctx context.Context, userID, serverID, family string) error
	// Subscriptions returns those on a server, or those of a person.
	SubscriptionsTo(ctx context.Context, serverID string) ([]Subscription, error)
	SubscriptionsOf(ctx context.Context, userID string) ([]Subscription, error)
}

// Subscription is what somebody follows: a server, or one family of its tools.
type Subscription struct {
	UserID   string
	ServerID string
	Family   string // "" for the whole server
	At       time.Time
}

// speech is what one person says about a release in one transaction. However much
// it is, everybody whom it concerns gets one notice.
type speech struct {
	s     *Service
	ctx   context.Context
	tx    Tx
	a     Actor
	as    *assessment
	users []people.User
	subs  []Subscription

	told     map[string]NoticeKind // by user id
	comments int
	answers  map[VerdictKind]int
	thread   string   // the one thread it was about, "" for several
	spokenOf []string // the tools that comments are about, "" for the whole release
	family   map[string]string
}

func (s *Service) newSpeech(ctx context.Context, tx Tx, a Actor, as *assessment) (*speech, error) {
	sp := &speech{s: s, ctx: ctx, tx: tx, a: a, as: as, told: map[string]NoticeKind{}, answers: map[VerdictKind]int{}}
	var err error
	if sp.users, err = tx.Users(ctx); err != nil {
		return nil, err
	}
	sp.subs, err = tx.SubscriptionsTo(ctx, as.server.ID)
	return sp, err
}

// tell notes that somebody should know; the strongest reason stays.
func (sp *speech) tell(userID string, kind NoticeKind) {
	if userID != "" && noticeRank[kind] > noticeRank[sp.told[userID]] {
		sp.told[userID] = kind
	}
}

// tellFollowers tells who follows the server, or the family of a tool.
func (sp *speech) tellFollowers(kind NoticeKind, tools ...string) {
	for _, sub := range sp.subs {
		if sub.Family == "" || slices.ContainsFunc(tools, func(t string) bool { return sp.familyOf(t) == sub.Family }) {
			sp.tell(sub.UserID, kind)
		}
	}
}

// familyOf is the family of a tool that the candidate has or lost, "" for none.
func (sp *speech) familyOf(tool string) string {
	if sp.family == nil {
		sp.family = sp.s.FamilyOf(sp.as.server, sp.as.allNames())
	}
	return sp.family[tool]
}

// say publishes one comment.
func (sp *speech) say(n NewComment) (*Thread, error) {
	if n.ThreadID != "" {
		return sp.reply(n)
	}
	r := sp.as.release
	if n.Blocks && !r.open() {
		return nil, Errorf(Conflict, "%s is not under review any more, so a thread can't block it. Open it without blocking, or withdraw the release.", r.Title())
	}
	at, err := sp.anchor(n.Anchor, n.Suggest != nil)
	if err != nil {
		return nil, err
	}
	c := sp.s.newComment(sp.a, newID(), n.Body)
	if c.Suggests, err = sp.suggestion(at, n.Suggest); err != nil {
		return nil, err
	}
	t := sp.s.newThread(sp.a, r, at, n.Blocks, c)
	if err := sp.tx.InsertThread(sp.ctx, t); err != nil {
		return nil, err
	}
	sp.spoken(t, n.Body)
	for _, id := range sp.as.authors {
		sp.tell(id, NoticeReview)
	}
	sp.tellFollowers(NoticeReview, at.Tool)
	return t, sp.s.audit(sp.ctx, sp.tx, sp.a, act{
		name: "thread.open", serverID: r.ServerID, subject: t.ID,
		after: map[string]any{"release": r.ID, "tool": at.Tool, "pointer": at.Pointer, "blocks": n.Blocks, "comment": c.ID},
		kept:  leaving(t, &t.Comments[0]),
	})
}

func (sp *speech) reply(n NewComment) (*Thread, error) {
	t, err := threadFor(sp.ctx, sp.tx, sp.a, n.ThreadID)
	if err != nil {
		return nil, err
	}
	if t.ServerID != sp.as.server.ID || t.Profile != sp.as.release.Profile {
		return nil, errNoSuchThing
	}
	c := sp.s.newComment(sp.a, t.ID, n.Body)
	if c.Suggests, err = sp.suggestion(t.Anchor, n.Suggest); err != nil {
		return nil, err
	}
	if err := sp.tx.InsertComment(sp.ctx, &c); err != nil {
		return nil, err
	}
	sp.tell(t.OpenedBy, NoticeThread)
	for _, earlier := range t.Comments {
		sp.tell(earlier.UserID, NoticeThread)
	}
	t.Comments = append(t.Comments, c)
	sp.spoken(t, n.Body)
	return t, sp.s.audit(sp.ctx, sp.tx, sp.a, act{
		name: "thread.comment", serverID: t.ServerID, subject: t.ID,
		after: map[string]any{"comment": c.ID, "release": sp.as.release.ID},
		kept:  leaving(&c),
	})
}

// suggestion checks a suggested text: it needs a text in its place to stand for.
func (sp *speech) suggestion(at Anchor, text *string) (*Suggestion, error) {
	if text == nil {
		return nil, nil
	}
	if err := sp.s.suggestable(*text); err != nil {
		return nil, err
	}
	old, err := sp.textSeen(at)
	if err != nil {
		return nil, err
	}
	return &Suggestion{Old: old, New: *text}, nil
}

// textSeen is the text that a suggestion is to stand for, as its author read it.
func (sp *speech) textSeen(at Anchor) (string, error) {
	if at.Side == NewSide && at.Tool != "" && !at.Digest.IsZero() {
		t, err := earlierTool(sp.ctx, sp.tx, sp.as.release.ID, at)
		if err != nil {
			return "", err
		}
		if t != nil {
			old, ok := TextAt(t.Raw, at.Pointer)
			return old, noText(at, ok)
		}
	}
	_, old, err := textAt(sp.ctx, sp.tx, sp.as, at)
	return old, err
}

// spoken notes a published comment and tells who it names.
func (sp *speech) spoken(t *Thread, body string) {
	if sp.comments++; sp.comments == 1 {
		sp.thread = t.ID
	} else if sp.thread != t.ID {
		sp.thread = ""
	}
	if tool := t.Anchor.Tool; !slices.Contains(sp.spokenOf, tool) {
		sp.spokenOf = append(sp.spokenOf, tool)
	}
	for _, handle := range mentions(body) {
		for i := range sp.users {
			if handleOf(&sp.users[i], handle) {
				sp.tell(sp.users[i].ID, NoticeMention)
			}
		}
	}
}

// decided notes answers that were given and tells who wrote and follows the release.
func (sp *speech) decided(items []VerdictItem, r *decision) {
	for _, it := range items {
		sp.answers[it.Verdict] += max(1, len(it.Changes))
	}
	var tools []string
	for _, c := range r.touched {
		tools = append(tools, c.Name())
	}
	for _, id := range sp.as.authors {
		sp.tell(id, NoticeReview)
	}
	sp.tellFollowers(NoticeReview, tools...)
}

// end stores the notices. text says what happened, "" makes a sentence of it.
func (sp *speech) end(text string) error {
	quiet := text == "" && sp.comments == 0
	if text == "" {
		text = sp.sentence()
	}
	thread := sp.thread
	var told []string
	for i := range sp.users {
		u := &sp.users[i]
		if sp.told[u.ID] != "" && u.ID != sp.a.userID() && u.Active() && u.RoleOn(sp.as.server.ID).AtLeast(people.Viewer) {
			told = append(told, u.ID)
		}
	}
	if len(told) == 0 {
		return nil
	}
	known := map[string]bool{}
	if quiet {
		var err error
		if known, err = sp.tx.UnreadReview(sp.ctx, told, sp.as.release.ID, sp.a.Label()); err != nil {
			return err
		}
	}
	var ns []Notice
	for _, id := range told {
		if !known[id] {
			ns = append(ns, Notice{
				ID: newID(), UserID: id, ServerID: sp.as.server.ID, ReleaseID: sp.as.release.ID, ThreadID: thread, Kind: sp.told[id],
				Actor: sp.a.Label(), Text: text, At: sp.s.now(),
			})
		}
	}
	return sp.tx.InsertNotices(sp.ctx, ns)
}

// sentence says what was done in one sentence: "2 comments on find, 1 approval on Store
// 1.9.0". No comment is quoted: what is purged from it would stay here.
func (sp *speech) sentence() string {
	var parts []string
	add := func(n int, one, many string) {
		switch {
		case n == 1:
			parts = append(parts, "1 "+one)
		case n > 1:
			parts = append(parts, fmt.Sprintf("%d %s", n, many))
		}
	}
	of, joint := sp.of(), " on "
	if of != "" {
		joint = " in "
	}
	add(sp.comments, "comment"+of, "comments"+of)
	add(sp.answers[Approve], "approval", "approvals")
	add(sp.answers[Reject], "rejection", "rejections")
	add(sp.answers[Withdraw], "answer taken back", "answers taken back")
	return strings.Join(parts, ", ") + joint + sp.as.server.Name + " " + sp.as.release.Title()
}

// of names the tools that comments are about, "" where one is about the whole release.
func (sp *speech) of() string {
	if len(sp.spokenOf) == 0 || slices.Contains(sp.spokenOf, "") {
		return ""
	}
	return " on " + few(sp.spokenOf)
}

// mentions lists the @names of a comment, in lower case, each once: "@ana", and
// "@ana@example.com". What stands in code is no mention.
func mentions(body string) []string {
	var out []string
	for i, part := range strings.Split(body, "`") {
		if i%2 == 1 {
			continue
		}
		for _, word := range strings.FieldsFunc(part, func(r rune) bool { return !isHandle(r) && r != '@' }) {
			name, named := strings.CutPrefix(word, "@")
			name = strings.ToLower(strings.TrimRight(name, ".-_"))
			if named && name != "" && !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	return out
}

func isHandle(r rune) bool {
	return r == '.' || r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r > 0x7f
}

// handleOf reports whether a person answers to a handle: their address, the part of it
// before the @, or their name without spaces.
func handleOf(u *people.User, handle string) bool {
	local, _, _ := strings.Cut(u.Email, "@")
	return handle == strings.ToLower(local) || handle == strings.ToLower(u.Email) || handle == strings.ToLower(strings.ReplaceAll(u.Name, " ", ""))
}

// pushed tells the followers of a server or of a family that was touched.
func (s *Service) pushed(ctx context.Context, tx Tx, a Actor, as *assessment) error {
	sp, err := s.newSpeech(ctx, tx, a, as)
	if err != nil || len(sp.subs) == 0 && len(as.Barred) == 0 {
		return err
	}
	sp.tellFollowers(NoticePush, as.touched()...)
	text := "pushed " + as.server.Name + " " + as.release.Title()
	if len(as.Barred) == 0 {
		return sp.end(text)
	}
	for _, p := range as.facts.People {
		if p.Maintainer {
			sp.tell(p.ID, NoticeAlarm)
		}
	}
	return sp.end(text + ", with hidden characters or grave findings in " + few(as.Barred) + ". The policy lets nobody approve that")
}

// few names the first of many.
func few(names []string) string {
	const most = 3
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// closed tells who wrote a release and who follows what it touches that it was released
// or taken back. did is what was done: "released", "withdrew".
func (s *Service) closed(ctx context.Context, tx Tx, a Actor, as *assessment, did string) error {
	sp, err := s.newSpeech(ctx, tx, a, as)
	if err != nil {
		return err
	}
	for _, id := range as.authors {
		sp.tell(id, NoticeReview)
	}
	sp.tellFollowers(NoticeReview, as.touched()...)
	return sp.end(did + " " + as.server.Name + " " + as.release.Title())
}

// touched lists the tools that came, changed or went.
func (as *assessment) touched() []string {
	var names []string
	for _, c := range as.outline.Changes {
		switch {
		case c.NewPosition > 0 && c.NewPosition <= len(as.candidate.tools):
			names = append(names, as.candidate.tools[c.NewPosition-1].Name)
		case c.NewPosition == 0 && len(c.Name) > 0:
			names = append(names, string(c.Name))
		}
	}
	return names
}

// Inbox is what waits for somebody, and what they were told.
type Inbox struct {
	Home          *HomeView
	Notices       []Notice
	Next          string // where older notices go on, "" at the end
	Unread        int
	Subscriptions []Subscription
}

// Inbox returns the actor's own notices, newest first, with whose turn it is.
func (s *Service) Inbox(ctx context.Context, a Actor, p Page) (*Inbox, error) {
	home, err := s.Home(ctx, a)
	if err != nil {
		return nil, err
	}
	in := &Inbox{Home: home}
	if err := a.person(); err != nil {
		return nil, err
	}
	p = p.bounded()
	err = s.store.View(ctx, func(tx Tx) error {
		if in.Notices, err = tx.Notices(ctx, a.userID(), false, p); err != nil {
			return err
		}
		if len(in.Notices) == p.Limit {
			in.Next = in.Notices[p.Limit-1].ID
		}
		in.Notices = slices.DeleteFunc(in.Notices, func(n Notice) bool { return n.ServerID != "" && a.role(n.ServerID) == people.NoRole })
		if in.Unread, err = tx.CountUnread(ctx, a.userID()); err != nil {
			return err
		}
		in.Subscriptions, err = tx.SubscriptionsOf(ctx, a.userID())
		return err
	})
	return in, err
}

// Slugs are those of the servers that the inbox is about, by id.
func (in *Inbox) Slugs() map[string]string {
	slugs := map[string]string{}
	for _, v := range in.Home.Servers {
		slugs[v.Server.ID] = v.Server.Slug
	}
	return slugs
}

// Unread counts the actor's own unread notices, in one query: every page asks.
func (s *Service) Unread(ctx context.Context, a Actor) (n int, err error) {
	if err := a.person(); err != nil {
		return 0, err
	}
	err = s.store.View(ctx, func(tx Tx) error {
		n, err = tx.CountUnread(ctx, a.userID())
		return err
	})
	return n, err
}

// ReadNotices marks the actor's notices as read; none named is all of them.
func (s *Service) ReadNotices(ctx context.Context, a Actor, ids ...string) error {
	if err := a.allowAny(); err != nil {
		return err
	}
	if err := a.person(); err != nil {
		return err
	}
	return s.store.Update(ctx, func(tx Tx) error { return tx.ReadNotices(ctx, a.userID(), ids, s.now()) })
}

// Follow tells the actor of pushes to a server, or of those that touch a family of
// its tools; follow false ends that.
func (s *Service) Follow(ctx context.Context, a Actor, slug, family string, follow bool) error {
	if !keepable(family, maxName) {
		return Errorf(Invalid, "The name of a family is text of at most %d bytes.", maxName)
	}
	return s.store.Update(ctx, func(tx Tx) error {
		srv, err := serverFor(ctx, tx, a, slug, people.Viewer, people.ScopeReview)
		if err != nil {
			return err
		}
		if err := a.person(); err != nil {
			return err
		}
		if !follow {
			return tx.DeleteSubscription(ctx, a.userID(), srv.ID, family)
		}
		return tx.PutSubscription(ctx, &Subscription{UserID: a.userID(), ServerID: srv.ID, Family: family, At: s.now()})
	})
}
