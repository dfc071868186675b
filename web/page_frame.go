package web

import (
	"log/slog"
	"net/url"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/people"
	"github.com/countersign/countersign/review/prose"
	"github.com/countersign/countersign/views"
)

// Widths of a page.
const (
	narrow = "narrow"
	slim   = "slim"
)

// page is the frame of a page for whoever asks.
func (s *Server) page(c echo.Context, title, section string, crumbs ...views.NameLink) views.Page {
	p := views.Page{Title: title, Section: section, Crumbs: crumbs, Build: s.opt.Build.Version}
	for _, f := range s.takeFlashes(c) {
		n := views.Notice{Tone: views.OK, Text: views.Say(f.Text)}
		if f.Kind != flashDone {
			n.Tone = views.Bad
		}
		n.Undo = (*views.UndoForm)(f.Undo)
		p.Notices = append(p.Notices, n)
	}
	if u := s.actor(c).User; u != nil {
		p.Account = &views.Account{Label: prose.Show(u.Label()), Menu: s.withUnread(c, menu(u))}
	}
	return p
}

// Kinds of flashes.
const (
	flashDone    = "done"
	flashProblem = "problem"
)

// menu is where somebody may go.
func menu(u *people.User) []views.MenuItem {
	items := []views.MenuItem{
		{Section: "home", Text: "Home", URL: "/"},
		{Section: "inbox", Text: "Inbox", URL: "/inbox"},
		{Section: "threads", Text: "Threads", URL: "/threads"},
		{Section: "servers", Text: "Servers", URL: "/servers"},
		{Section: "deliveries", Text: "Deliveries", URL: "/deliveries"},
	}
	if maintainsAny(u) {
		items = append(items,
			views.MenuItem{Section: "people", Text: "People", URL: "/people"},
			views.MenuItem{Section: "audit", Text: "Audit", URL: "/audit"})
	}
	return items
}

// withUnread puts beside the inbox how many notices are unread. A page is shown
// without the number when it can't be had.
func (s *Server) withUnread(c echo.Context, items []views.MenuItem) []views.MenuItem {
	ctx := c.Request().Context()
	n, err := s.svc.Unread(ctx, s.actor(c))
	if err != nil {
		s.log.WarnContext(ctx, "unread notices not counted", slog.String("request", requestIDOf(c)), slog.Any("error", err))
	}
	for i := range items {
		if n > 0 && items[i].Section == "inbox" {
			items[i].Unread = thousands(n)
		}
	}
	return items
}

// maintainsAny says whether pages for maintainers are worth offering; whether they
// open is decided by the service.
func maintainsAny(u *people.User) bool {
	for _, m := range u.Memberships {
		if m.Role.AtLeast(people.Maintainer) {
			return true
		}
	}
	return false
}

func isAdmin(a review.Actor) bool { return a.User.RoleOn("") == people.Admin }

var serversCrumb = views.NameLink{Name: prose.Show("Servers"), URL: "/servers"}

func serverCrumb(srv *review.Server) views.NameLink {
	return views.NameLink{Name: views.ShowName(srv.Name), URL: serverPath(srv.Slug)}
}

// backTo is a path of ours that a form asked to go back to, or other when it
// asked for anything else: the address bar is no place for strangers.
func backTo(wanted, other string) string {
	u, err := url.Parse(wanted)
	if err != nil || wanted == "" || u.Scheme != "" || u.Host != "" || u.User != nil || u.Opaque != "" {
		return other
	}
	if !strings.HasPrefix(u.Path, "/") || strings.HasPrefix(u.Path, "//") || strings.ContainsAny(wanted, "\\\r\n\t") {
		return other
	}
	return u.RequestURI() + fragment(u)
}

func fragment(u *url.URL) string {
	if u.Fragment == "" {
		return ""
	}
	return "#" + u.EscapedFragment()
}

// sentenceOf is what a person may read of an error that belongs on the page where
// it happened. Others are for the error page.
func sentenceOf(err error) (views.Sentence, bool) {
	switch review.KindOf(err) {
	case review.Invalid, review.Conflict, review.RateLimited, review.TooLarge, review.Unsupported, review.Unprocessable:
		return views.Say(describe(err, "").Sentence), true
	}
	return nil, false
}
