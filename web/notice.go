package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/web/api"
)

func (s *Server) showInbox(c echo.Context) error {
	page, err := pageParams(c)
	if err != nil {
		return err
	}
	in, err := s.svc.Inbox(c.Request().Context(), s.actor(c), page)
	if err != nil {
		return err
	}
	slugs := in.Slugs()
	return writeJSON(c, http.StatusOK, api.Inbox{
		YourTurn: attentions(in.Home.YourTurn, slugs), Waiting: attentions(in.Home.Waiting, slugs),
		Drifts: s.inboxDrifts(in.Home.Drifts, slugs), Unlisted: in.Home.Unlisted, Unread: in.Unread, Notices: notices(in.Notices, slugs), Next: in.Next,
	})
}

// attentions presents releases that wait; slugs are those of their servers, by id.
func attentions(list []review.ReleaseSummary, slugs map[string]string) []api.Attention {
	out := make([]api.Attention, 0, len(list))
	for _, sum := range list {
		at := sum.Attention
		who := at.Who
		if who == nil {
			who = []string{}
		}
		out = append(out, api.Attention{
			Server: slugs[sum.Release.ServerID], Release: sum.Release.ID, Title: sum.Release.Title(), State: string(sum.State), Who: who, Why: at.Why, Since: at.Since.UTC(), URL: sum.URL,
		})
	}
	return out
}

func (s *Server) inboxDrifts(list []review.DriftView, slugs map[string]string) []api.InboxDrift {
	out := make([]api.InboxDrift, 0, len(list))
	for _, d := range list {
		slug := slugs[d.ServerID]
		out = append(out, api.InboxDrift{
			Server: slug, Endpoint: d.EndpointID, Name: d.Endpoint.Name, Level: string(d.Level), Why: d.Why, Since: d.Since.UTC(),
			URL: s.opt.BaseURL + endpointPath(slug, d.EndpointID),
		})
	}
	return out
}

func notices(list []review.Notice, slugs map[string]string) []api.Notice {
	out := make([]api.Notice, 0, len(list))
	for _, n := range list {
		out = append(out, api.Notice{
			ID: n.ID, Kind: string(n.Kind), By: n.Actor, Text: n.Text, Server: slugs[n.ServerID], Release: n.ReleaseID, Thread: n.ThreadID,
			Endpoint: n.EndpointID, At: n.At.UTC(), ReadAt: orNil(n.ReadAt),
		})
	}
	return out
}

func (s *Server) readInbox(c echo.Context) error {
	var in api.ReadRequest
	if err := readJSON(c, &in); err != nil {
		return err
	}
	if err := s.svc.ReadNotices(c.Request().Context(), s.actor(c), in.IDs...); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}

func (s *Server) follow(c echo.Context) error {
	var in api.FollowRequest
	if err := readJSON(c, &in); err != nil {
		return err
	}
	on := in.Follow == nil || *in.Follow
	if err := s.svc.Follow(c.Request().Context(), s.actor(c), c.Param("server"), in.Family, on); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}

// threadFilters are what the list of everything unresolved can be chosen by.
var threadFilters = []string{"server", "tool", "author", "state", "blocks", "mine", "mentions", "answered", "limit", "before"}

// threadQuery reads the filters of the list of everything unresolved.
func threadQuery(c echo.Context) (review.ThreadQuery, error) {
	page, err := pageParams(c)
	q := review.ThreadQuery{
		Server: c.QueryParam("server"), Tool: c.QueryParam("tool"), Author: c.QueryParam("author"), State: review.PlaceState(c.QueryParam("state")),
		Before: page.Before, Limit: page.Limit,
	}
	for name, on := range map[string]*bool{"blocks": &q.Blocks, "mine": &q.Mine, "mentions": &q.Mentions, "answered": &q.Answered} {
		if err == nil {
			*on, err = yesParam(c, name)
		}
	}
	return q, err
}

func (s *Server) listDiscussion(c echo.Context) error {
	q, err := threadQuery(c)
	if err != nil {
		return err
	}
	d, err := s.svc.Discussion(c.Request().Context(), s.actor(c), q)
	if err != nil {
		return err
	}
	answer := api.Discussion{
		Threads: make([]api.Thread, 0, len(d.Threads)), Next: d.Next,
		Counts: api.DiscussionCounts{Total: d.Total, All: d.All, Blocking: d.Blocking, Mine: d.Mine, Mentions: d.Mentions, Answered: d.Answered,
			Servers: presentCounted(d.Servers), Tools: presentCounted(d.Tools), Authors: presentCounted(d.Authors), States: presentCounted(d.States)},
	}
	for _, t := range d.Threads {
		answer.Threads = append(answer.Threads, presentThread(t.Thread))
	}
	return writeJSON(c, http.StatusOK, answer)
}

func presentCounted(list []review.Counted) []api.Counted {
	out := make([]api.Counted, 0, len(list))
	for _, n := range list {
		out = append(out, api.Counted{Value: n.Value, Count: n.N})
	}
	return out
}
