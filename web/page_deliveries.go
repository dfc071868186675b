package web

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/views"
)

// deliveryQuery is what an address asks of the log of deliveries.
type deliveryQuery struct {
	server, outcome, since string // as they stand in the address
	filter                 review.DeliveryFilter
	fault                  string // "" when it can be answered
}

func deliveryQueryOf(c echo.Context) deliveryQuery {
	q := deliveryQuery{server: c.QueryParam("server"), outcome: c.QueryParam("outcome"), since: c.QueryParam("since")}
	switch q.filter.Outcome = review.DeliveryOutcome(q.outcome); q.filter.Outcome {
	case "", review.DeliveryAccepted, review.DeliveryRefused, review.DeliveryUnverified:
	default:
		q.fault = fmt.Sprintf("There is no outcome %.40q: choose accepted, refused or unverified.", q.outcome)
	}
	if q.since != "" {
		var err error
		if q.filter.Since, err = time.Parse(time.DateOnly, q.since); err != nil {
			q.fault = fmt.Sprintf("%.40q is no day: write one such as 2026-11-30.", q.since)
		}
	}
	return q
}

func (q deliveryQuery) status() int {
	if q.fault != "" {
		return http.StatusBadRequest
	}
	return http.StatusOK
}

// pager are the addresses of older rows and of the newest, under the same filter.
func (q deliveryQuery) pager(c echo.Context, next string) (older, newest string) {
	at := func(before string) string {
		return c.Request().URL.Path + path(nil, "server", q.server, "outcome", q.outcome, "since", q.since, "before", before)
	}
	if next != "" {
		older = at(next)
	}
	if c.QueryParam("before") != "" {
		newest = at("")
	}
	return older, newest
}

// deliveryFilter is the form of the log. The page of one server has no choice of
// servers.
func (s *Server) deliveryFilter(c echo.Context, q deliveryQuery) (views.DeliveryFilter, error) {
	f := views.DeliveryFilter{URL: c.Request().URL.Path, Since: q.since, On: q.server != "" || q.outcome != "" || q.since != "", Fault: views.Say(q.fault)}
	f.Outcomes = []views.Place{{Label: "Every outcome", Chosen: q.outcome == ""}}
	for _, o := range []struct {
		value review.DeliveryOutcome
		text  string
	}{{review.DeliveryAccepted, "Accepted"}, {review.DeliveryRefused, "Refused"}, {review.DeliveryUnverified, "Nobody vouched for it"}} {
		f.Outcomes = append(f.Outcomes, views.Place{Value: string(o.value), Label: o.text, Chosen: q.outcome == string(o.value)})
	}
	var err error
	if f.Unlisted, err = s.unlisted(c, cmpOr(c.Param("server"), q.server)); err != nil {
		return f, err
	}
	if c.Param("server") != "" {
		return f, nil
	}
	servers, err := s.svc.Servers(c.Request().Context(), s.actor(c))
	if err != nil {
		return f, err
	}
	f.Servers = []views.Place{{Label: "Every server", Chosen: q.server == ""}}
	for _, v := range servers {
		f.Servers = append(f.Servers, views.Place{Value: v.Server.Slug, Label: views.ShowName(v.Server.Name).String(), Chosen: q.server == v.Server.Slug})
	}
	return f, nil
}

// unlisted words the days of which not all deliveries were kept.
func (s *Server) unlisted(c echo.Context, slug string) (string, error) {
	days, err := s.svc.TurnedAway(c.Request().Context(), s.actor(c), slug)
	var said []string
	for _, d := range days {
		at, err := time.Parse(time.DateOnly, d.Day)
		if err != nil {
			return "", err
		}
		said = append(said, fmt.Sprintf("%d on %s", d.N, s.day(at)))
	}
	return strings.Join(said, ", "), err
}
