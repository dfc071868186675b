package web

import (
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/people"
	"github.com/countersign/countersign/review/prose"
	"github.com/countersign/countersign/views"
)

func maintains(role people.Role) bool { return role.AtLeast(people.Maintainer) }

// discussionPage lists everything unresolved, in every version.
func (s *Server) discussionPage(c echo.Context) error {
	q, err := threadQuery(c)
	if err != nil {
		return err
	}
	d, err := s.svc.Discussion(c.Request().Context(), s.actor(c), q)
	if err != nil {
		return err
	}
	m := views.DiscussionPage{Page: s.page(c, "Threads", "threads"), Pills: threadPills(q, d), Filter: threadFilter(q, d)}
	for i := range d.Threads {
		m.Threads = append(m.Threads, s.discussedLine(&d.Threads[i]))
	}
	m.Shown = thousands(len(d.Threads)) + " of " + thousands(d.Total)
	if d.Next != "" {
		m.NextURL = threadsPath(q, "before", d.Next)
	}
	return s.render(c, http.StatusOK, views.Discussion(m))
}

// threadPairs are the filters of an address, without those of one page.
func threadPairs(q review.ThreadQuery) []string {
	return []string{
		"server", q.Server, "tool", q.Tool, "author", q.Author, "state", string(q.State),
		"blocks", flag(q.Blocks), "mine", flag(q.Mine), "mentions", flag(q.Mentions), "answered", flag(q.Answered),
	}
}

// threadsPath is the list with the filters of q, and one more or changed.
func threadsPath(q review.ThreadQuery, name, value string) string {
	pairs := threadPairs(q)
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i] == name {
			pairs[i+1] = value
			return path([]string{"threads"}, pairs...)
		}
	}
	return path([]string{"threads"}, append(pairs, name, value)...)
}

func flag(on bool) string {
	if on {
		return "true"
	}
	return ""
}

// threadFlag is a filter of threads that is on or off, and how many it leaves.
type threadFlag struct {
	name, text string
	on         bool
	n          int
}

func threadFlags(q review.ThreadQuery, d *review.Discussion) []threadFlag {
	return []threadFlag{
		{"blocks", "Blocking", q.Blocks, d.Blocking}, {"mine", "Yours", q.Mine, d.Mine},
		{"mentions", "Names you", q.Mentions, d.Mentions}, {"answered", "Somebody else spoke last", q.Answered, d.Answered},
	}
}

// threadPills switch what is on or off; the other filters stay as they are.
func threadPills(q review.ThreadQuery, d *review.Discussion) []views.Pill {
	out := []views.Pill{{Text: "All", Count: thousands(d.All), URL: "/threads", Current: !filtered(q)}}
	for _, f := range threadFlags(q, d) {
		out = append(out, views.Pill{Text: f.text, Count: thousands(f.n), URL: threadsPath(q, f.name, flag(!f.on)), Current: f.on})
	}
	return out
}

func filtered(q review.ThreadQuery) bool {
	q.Before, q.Limit = "", 0
	return q != review.ThreadQuery{}
}

var placeWords = map[string]string{
	string(review.PlaceExact): "as it was", string(review.PlaceRenamed): "renamed since", string(review.PlaceChanged): "changed since", string(review.PlaceGone): "gone",
}

// threadFilter is the form of the list, which keeps the pills that are on.
func threadFilter(q review.ThreadQuery, d *review.Discussion) views.ThreadFilter {
	f := views.ThreadFilter{
		URL: "/threads", On: filtered(q),
		Servers: countedPlaces("Every server", q.Server, d.Servers, nil), Tools: countedPlaces("Every tool", q.Tool, d.Tools, nil),
		Authors: countedPlaces("Anybody", q.Author, d.Authors, nil), States: countedPlaces("Whatever became of it", string(q.State), d.States, placeWords),
	}
	for _, on := range threadFlags(q, d) {
		if on.on {
			f.Hidden = append(f.Hidden, views.Hidden{Name: on.name, Value: flag(true)})
		}
	}
	return f
}

// countedPlaces are the values of a filter with how many threads each leaves. What was
// chosen is among them, also where it leaves none.
func countedPlaces(all, chosen string, list []review.Counted, words map[string]string) []views.Place {
	out := []views.Place{{Label: all, Chosen: chosen == ""}}
	if chosen != "" && !slices.ContainsFunc(list, func(n review.Counted) bool { return n.Value == chosen }) {
		list = append(slices.Clone(list), review.Counted{Value: chosen})
	}
	for _, n := range list {
		label := cmpOr(words[n.Value], views.ShowName(n.Value).String())
		out = append(out, views.Place{Value: n.Value, Label: label + " (" + thousands(n.N) + ")", Chosen: n.Value == chosen})
	}
	return out
}

func (s *Server) discussedLine(t *review.DiscussedThread) views.DiscussedLine {
	l := views.DiscussedLine{
		URL:    releasePath(t.ReleaseID, "view", viewThreads) + "#t-" + t.ID,
		Server: views.ShowName(t.Server.Name), Release: views.ShowName(t.Release), Place: placeName(t.Anchor.Pointer), When: s.when(t.OpenedAt),
	}
	if t.Anchor.Tool != "" {
		l.About = views.ShowName(t.Anchor.Tool)
	} else if t.Anchor.Pointer == "" {
		l.Place = "the whole release"
	}
	l.Place = sided(l.Place, &t.Thread)
	if len(t.Comments) > 0 {
		last := t.Comments[len(t.Comments)-1]
		l.Start, l.Who, l.When = prose.Show(beginning(last.Body)), prose.Show(last.UserLabel), s.when(last.At)
	}
	if word := movedSince(&t.Thread); word != "" {
		l.Tags = append(l.Tags, word)
	}
	if t.Blocks {
		l.Tags = append(l.Tags, "blocks the release")
	}
	if n := len(t.Comments) - 1; n > 0 {
		l.Tags = append(l.Tags, plural(n, "reply", "replies"))
	}
	return l
}

var noticeWords = map[review.NoticeKind]string{
	review.NoticeMention: "names you", review.NoticeThread: "a thread that you take part in", review.NoticeReview: "a release of yours, or one that you follow",
	review.NoticePush: "you follow this", review.NoticeOverride: "passes without approval", review.NoticeAlarm: "a released version lost what it stood on",
	review.NoticeAsked: "waits for a second person", review.NoticePolicy: "waits for a second person",
	review.NoticeToken: "a token decides as you",
	review.NoticeDrift: "runs what was never released", review.NoticeLive: "what runs changed",
}

// inboxPage is what waits for somebody, and what they were told.
func (s *Server) inboxPage(c echo.Context) error {
	page, err := pageParams(c)
	if err != nil {
		return err
	}
	in, err := s.svc.Inbox(c.Request().Context(), s.actor(c), page)
	if err != nil {
		return err
	}
	names, slugs := map[string]prose.Visible{}, in.Slugs()
	for _, v := range in.Home.Servers {
		names[v.Server.ID] = views.ShowName(v.Server.Name)
	}
	m := views.InboxPage{
		Page: s.page(c, "Inbox", "inbox"), ReadURL: "/inbox/read",
		Turn: s.attentionLines(in.Home.YourTurn, names), Waiting: s.attentionLines(in.Home.Waiting, names), Follows: s.followLines(in),
		Drifts: s.driftLines(in.Home.Drifts, in.Home.Servers), More: unlisted(in.Home),
	}
	if in.Unread > 0 {
		m.Unread = thousands(in.Unread) + " unread"
	}
	for i := range in.Notices {
		m.Notices = append(m.Notices, s.noticeLine(&in.Notices[i], slugs))
	}
	if in.Next != "" {
		m.NextURL = path([]string{"inbox"}, "before", in.Next)
	}
	return s.render(c, http.StatusOK, views.Inbox(m))
}

// noticeLine is a notice; slugs are those of the servers, by id.
func (s *Server) noticeLine(n *review.Notice, slugs map[string]string) views.NoticeLine {
	l := views.NoticeLine{
		ID: n.ID, URL: releasePath(n.ReleaseID), Who: prose.Show(n.Actor), Text: prose.Show(n.Text), Kind: noticeWords[n.Kind],
		When: s.when(n.At), Unread: n.ReadAt.IsZero(),
	}
	switch n.Kind {
	case review.NoticePolicy:
		l.URL = policyPath(slugs[n.ServerID])
	case review.NoticeAsked:
		l.URL = "/people#asked"
	case review.NoticeToken:
		l.URL = "/tokens"
	case review.NoticeMention, review.NoticeThread: // of several threads, where none is named
		l.URL = releasePath(n.ReleaseID, "view", viewThreads)
	}
	if n.EndpointID != "" {
		l.URL = endpointPath(slugs[n.ServerID], n.EndpointID)
	}
	if n.ThreadID != "" {
		l.URL = releasePath(n.ReleaseID, "view", viewThreads) + "#t-" + n.ThreadID
	}
	return l
}

func (s *Server) attentionLines(list []review.ReleaseSummary, names map[string]prose.Visible) []views.AttentionLine {
	var out []views.AttentionLine
	for _, r := range list {
		out = append(out, views.AttentionLine{
			URL: releasePath(r.Release.ID), Server: names[r.Release.ServerID], Title: views.ShowName(r.Release.Title()),
			Gate: views.GateBadge(r.Gate), Why: views.Say(r.Attention.Why), Who: someOf(r.Attention.Who), Since: s.when(r.Attention.Since),
		})
	}
	return out
}

// someOf names a few people and counts the others.
func someOf(who []string) string {
	const few = 4
	if len(who) <= few {
		return strings.Join(who, ", ")
	}
	return strings.Join(who[:few], ", ") + " and " + plural(len(who)-few, "other", "others")
}

// followLines lists every server with whether it is followed, and the families
// that are.
func (s *Server) followLines(in *review.Inbox) []views.FollowLine {
	on := map[string]bool{}
	for _, sub := range in.Subscriptions {
		if sub.Family == "" {
			on[sub.ServerID] = true
		}
	}
	var out []views.FollowLine
	for _, v := range in.Home.Servers {
		name, to := views.ShowName(v.Server.Name), serverPath(v.Server.Slug)+"/follow"
		out = append(out, views.FollowLine{Server: name, URL: to, On: on[v.Server.ID]})
		for _, sub := range in.Subscriptions {
			if sub.ServerID == v.Server.ID && sub.Family != "" {
				out = append(out, views.FollowLine{Server: name, Family: views.ShowName(sub.Family), Value: sub.Family, URL: to, On: true})
			}
		}
	}
	return out
}

func (s *Server) readInboxForm(c echo.Context) error {
	form, err := s.form(c)
	if err != nil {
		return err
	}
	if err := s.svc.ReadNotices(c.Request().Context(), s.actor(c), form["id"]...); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, "/inbox")
}

func (s *Server) followForm(c echo.Context) error {
	form, err := s.form(c)
	if err != nil {
		return err
	}
	if err := s.svc.Follow(c.Request().Context(), s.actor(c), c.Param("server"), form.Get("family"), form.Get("follow") != "no"); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, "/inbox#follows")
}
