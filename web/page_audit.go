package web

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/proof"
	"github.com/countersign/countersign/review/prose"
	"github.com/countersign/countersign/views"
)

// auditPage lists acts, newest first.
func (s *Server) auditPage(c echo.Context) error {
	page, err := pageParams(c)
	if err != nil {
		return err
	}
	ctx, a := c.Request().Context(), s.actor(c)
	choices, err := s.svc.AuditChoices(ctx, a)
	if err != nil {
		return err
	}
	q, err := auditQuery(c)
	var acts []review.AuditAct
	if err == nil {
		acts, err = s.svc.AuditLog(ctx, a, q, page)
	}
	p := views.AuditPage{Page: s.page(c, "Audit", "audit"), Filter: auditFilter(c, q, choices), Sealed: s.sealedWords(&choices.Seal)}
	if isAdmin(a) {
		p.Purge = "/purge"
	}
	status := http.StatusOK
	if err != nil {
		fault, ok := sentenceOf(err)
		if !ok || review.KindOf(err) != review.Invalid {
			return err
		}
		p.Filter.Fault, status = fault, http.StatusBadRequest
	}
	on := map[string]*review.Server{}
	for i := range choices.Servers {
		on[choices.Servers[i].ID] = &choices.Servers[i]
	}
	for i := range acts {
		p.Acts = append(p.Acts, s.actLine(&acts[i], actServer(c, on[acts[i].ServerID])))
	}
	if next := nextPage(acts, page, func(a review.AuditAct) string { return a.ID }); next != "" {
		p.Older = auditPath(c, "/audit", "before", next)
	}
	if c.QueryParam("before") != "" {
		p.Newest = auditPath(c, "/audit", "", "")
	}
	return s.render(c, status, views.Audit(p))
}

// actLine is an act. What it was done to has a name where there is one; the id that the
// audit keeps stands among its details then.
func (s *Server) actLine(a *review.AuditAct, on views.NameLink) views.ActLine {
	l := views.ActLine{
		When: s.when(a.At), Who: prose.Show(a.Actor), Via: a.Via, Addr: a.Addr, Act: a.Act, Server: on,
		Before: showIfAny(a.Before), After: showIfAny(a.After), Tool: showIfAny(a.Tool),
	}
	if l.Subject = prose.Show(a.Subject); a.Release != nil {
		l.Release = views.NameLink{Name: views.ShowName(a.Release.Title()), URL: releasePath(a.Release.ID)}
	}
	return l
}

// sealedWords says how far others can check the audit.
func (s *Server) sealedWords(seal *review.SealState) string {
	if seal.Links == 0 {
		return "Nothing is sealed yet."
	}
	text := plural(int(seal.Links), "act is", "acts are") + " sealed. "
	if seal.Checkpoint == nil {
		return text + "No checkpoint was signed yet."
	}
	return text + "The last checkpoint was signed " + s.ago(seal.Checkpoint.At) + ", at place " + thousands(int(seal.Checkpoint.Seq)) + "."
}

// auditFilters are the names of what chooses acts, in addresses and forms.
var auditFilters = []string{"who", "act", "server", "since", "until"}

// auditPath keeps the filters of an address, with one parameter more.
func auditPath(c echo.Context, at, name, value string) string {
	pairs := []string{name, value}
	for _, f := range auditFilters {
		pairs = append(pairs, f, c.QueryParam(f))
	}
	return at + path(nil, pairs...)
}

// actServer names the server of an act, and leads to the acts on it; srv is nil for none.
func actServer(c echo.Context, srv *review.Server) views.NameLink {
	if srv == nil {
		return views.NameLink{}
	}
	return views.NameLink{Name: views.ShowName(srv.Name), URL: auditPath(c, "/audit", "server", srv.Slug)}
}

// auditQuery reads the filters. A day given as the end counts whole.
func auditQuery(c echo.Context) (review.AuditQuery, error) {
	q := review.AuditQuery{Server: c.QueryParam("server"), Who: strings.TrimSpace(c.QueryParam("who")), Act: strings.TrimSpace(c.QueryParam("act"))}
	var err error
	if q.Since, _, err = moment("since", c.QueryParam("since")); err != nil {
		return q, err
	}
	until, day, err := moment("until", c.QueryParam("until"))
	if day {
		until = until.AddDate(0, 0, 1)
	}
	q.Until = until
	return q, err
}

func auditFilter(c echo.Context, q review.AuditQuery, choices *review.AuditChoices) views.AuditFilter {
	f := views.AuditFilter{
		Who: q.Who, Act: q.Act, Since: day(q.Since), Until: day(q.Until.AddDate(0, 0, -1)), People: choices.Actors, Kinds: review.AuditNouns, AllURL: "/audit",
		JSON: auditPath(c, "/audit/export", "format", "json"), CSV: auditPath(c, "/audit/export", "format", "csv"),
		Servers: []views.Place{{Value: "", Label: "All that you maintain", Chosen: q.Server == ""}},
		Chosen:  q != review.AuditQuery{},
	}
	if q.Until.IsZero() {
		f.Until = ""
	}
	for _, srv := range choices.Servers {
		f.Servers = append(f.Servers, views.Place{Value: srv.Slug, Label: prose.Show(srv.Name).String(), Chosen: q.Server == srv.Slug})
	}
	return f
}

func day(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.DateOnly)
}

// exportAudit streams the acts that the filters choose as a file. When it breaks
// off, the JSON lacks its last line and is no valid export.
func (s *Server) exportAudit(c echo.Context) error {
	q, err := auditQuery(c)
	if err != nil {
		return err
	}
	format := cmpOr(c.QueryParam("format"), "json")
	h := c.Response().Header()
	var x proof.Exporter
	switch format {
	case "json":
		h.Set(echo.HeaderContentType, "application/x-ndjson")
		x = proof.NewJSON(c.Response())
	case "csv":
		h.Set(echo.HeaderContentType, "text/csv; charset=utf-8")
		x = proof.NewCSV(c.Response())
	default:
		return review.Errorf(review.Invalid, "format is %.20q. Use json, which can be verified, or csv.", format)
	}
	h.Set(echo.HeaderContentDisposition, fmt.Sprintf(`attachment; filename="audit-%s.%s"`, s.opt.Now().UTC().Format("20060102-150405"), format))
	h.Set(echo.HeaderContentSecurityPolicy, "default-src 'none'; sandbox; frame-ancestors 'none'")
	return s.svc.ExportAudit(c.Request().Context(), s.actor(c), q, x)
}

func showIfAny(s string) prose.Visible {
	if s == "" {
		return nil
	}
	return prose.Show(s)
}

// deliveriesPage lists pushes, refused ones too, newest first.
func (s *Server) deliveriesPage(c echo.Context) error {
	page, err := pageParams(c)
	if err != nil {
		return err
	}
	slug := c.Param("server")
	q := deliveryQueryOf(c)
	p := views.DeliveriesPage{Page: s.page(c, "Deliveries", "deliveries")}
	if p.Filter, err = s.deliveryFilter(c, q); err != nil {
		return err
	}
	var list []review.Delivery
	if q.fault == "" {
		if list, err = s.svc.DeliveryLog(c.Request().Context(), s.actor(c), cmpOr(slug, q.server), q.filter, page); err != nil {
			return err
		}
	}
	if slug != "" {
		p.Server = views.ShowName(slug)
		p.Crumbs = []views.NameLink{serversCrumb, {Name: p.Server, URL: serverPath(slug)}}
		p.Command = s.pushCommand(slug)
	}
	for i := range list {
		p.Deliveries = append(p.Deliveries, s.deliveryLine(&list[i]))
	}
	p.Older, p.Newest = q.pager(c, nextPage(list, page, func(d review.Delivery) string { return d.ID }))
	return s.render(c, q.status(), views.Deliveries(p))
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
