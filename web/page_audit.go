package web

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/prose"
	"github.com/countersign/countersign/views"
)

// auditPage lists acts, newest first.
func (s *Server) auditPage(c echo.Context) error {
	page, err := pageParams(c)
	if err != nil {
		return err
	}
	acts, err := s.svc.AuditLog(c.Request().Context(), s.actor(c), c.QueryParam("server"), page)
	if err != nil {
		return err
	}
	p := views.AuditPage{Page: s.page(c, "Audit", "audit")}
	for _, a := range acts {
		p.Acts = append(p.Acts, views.ActLine{
			When: s.when(a.At), Who: prose.Show(a.Actor), Via: a.Via, Addr: a.Addr, Act: a.Act,
			Subject: prose.Show(a.Subject), Before: showIfAny(a.Before), After: showIfAny(a.After),
		})
	}
	p.Older, p.Newest = pagerOf(c, nextPage(acts, page, func(a review.AuditEntry) string { return a.ID }))
	return s.render(c, http.StatusOK, views.Audit(p))
}

func showIfAny(s string) prose.Visible {
	if s == "" {
		return nil
	}
	return prose.Show(s)
}

// pagerOf are the addresses of older rows and of the newest.
func pagerOf(c echo.Context, next string) (older, newest string) {
	q := c.QueryParams()
	at := func(before string) string {
		return path(nil, "server", q.Get("server"), "before", before)
	}
	here := c.Request().URL.Path
	if next != "" {
		older = here + at(next)
	}
	if q.Get("before") != "" {
		newest = here + at("")
	}
	return older, newest
}

// deliveriesPage lists pushes, refused ones too, newest first.
func (s *Server) deliveriesPage(c echo.Context) error {
	page, err := pageParams(c)
	if err != nil {
		return err
	}
	slug := c.Param("server")
	list, err := s.svc.Deliveries(c.Request().Context(), s.actor(c), slug, page)
	if err != nil {
		return err
	}
	p := views.DeliveriesPage{Page: s.page(c, "Deliveries", "deliveries")}
	if slug != "" {
		p.Server = views.ShowName(slug)
		p.Crumbs = []views.NameLink{serversCrumb, {Name: p.Server, URL: serverPath(slug)}}
		p.Command = s.pushCommand(slug)
	}
	for i := range list {
		p.Deliveries = append(p.Deliveries, s.deliveryLine(&list[i]))
	}
	p.Older, p.Newest = pagerOf(c, nextPage(list, page, func(d review.Delivery) string { return d.ID }))
	return s.render(c, http.StatusOK, views.Deliveries(p))
}

func (s *Server) deliveryLine(d *review.Delivery) views.DeliveryLine {
	line := views.DeliveryLine{
		When: s.when(d.ReceivedAt), Outcome: views.Say(d.Outcome), Problems: problems(d.Problems), Server: views.ShowName(d.Slug),
		What: showIfAny(cmpOr(d.Params.Version, d.Params.Ref)), Via: d.Via, By: showIfAny(d.By), Addr: d.RemoteAddr,
	}
	switch {
	case d.By == d.Via:
		line.By = nil
	case strings.HasPrefix(d.By, d.Via+" "):
		line.Via = "" // a token without a name is called "token uV_q"
	}
	if d.BodyBytes > 0 {
		line.Size = bytesSize(d.BodyBytes)
	}
	if d.ReleaseID != "" {
		line.Release = releasePath(d.ReleaseID)
	}
	if d.ListingID != "" {
		line.Listing = listingPath(d.Slug, d.ListingID)
	}
	line.Status, line.Tone, line.Icon = deliveryLook(d.Status)
	return line
}

func deliveryLook(status int) (string, views.Tone, string) {
	switch {
	case status == http.StatusCreated:
		return "201 new", views.OK, "check"
	case status == http.StatusOK:
		return "200 known", views.OK, "check"
	case status == http.StatusAccepted:
		return "202 kept, incomplete", views.Warn, "bang"
	}
	return fmt.Sprintf("%d refused", status), views.Bad, "cross"
}
