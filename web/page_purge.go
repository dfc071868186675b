package web

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/prose"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/web/api"
)

func (s *Server) purgePage(c echo.Context) error {
	return s.renderPurge(c, http.StatusOK, views.PurgePage{}, nil)
}

// purgeForm shows what a purge would reach, and does it when told to.
func (s *Server) purgeForm(c echo.Context) error {
	form, err := s.form(c)
	if err != nil {
		return err
	}
	try := form.Get("act") != "purge"
	// A browser sends line ends as CR LF, which no listing has between its bytes.
	done, err := s.svc.Purge(c.Request().Context(), s.actor(c), strings.ReplaceAll(form.Get("text"), "\r\n", "\n"), form.Get("reason"), try)
	if fault, ok := sentenceOf(err); ok {
		return s.renderPurge(c, describe(err, "").Status, views.PurgePage{Fault: fault}, form)
	}
	if err != nil {
		return err
	}
	if try {
		return s.renderPurge(c, http.StatusOK, views.PurgePage{Tried: purgeResult(done, "would reach")}, form)
	}
	return s.renderPurge(c, http.StatusOK, views.PurgePage{Done: purgeResult(done, "reached")}, nil)
}

func (s *Server) renderPurge(c echo.Context, status int, p views.PurgePage, form url.Values) error {
	p.Page = s.page(c, "Purge a leaked text", "audit", views.NameLink{Name: prose.Show("Audit"), URL: "/audit"})
	p.Text, p.Reason = form.Get("text"), form.Get("reason")
	return s.render(c, status, views.Purge(p))
}

func purgeResult(done *review.Purged, reached string) *views.PurgeResult {
	if len(done.Rows) == 0 {
		return &views.PurgeResult{Says: "Nothing holds this text, as it was given."}
	}
	r := &views.PurgeResult{Says: fmt.Sprintf("It %s %s.", reached, plural(len(done.Listings), "listing", "listings")), Audit: done.Rows["audit"] > 0}
	for _, table := range slices.Sorted(maps.Keys(done.Rows)) {
		r.Places = append(r.Places, views.PurgePlace{Name: prose.Show(strings.ReplaceAll(table, "_", " ")), Rows: plural(done.Rows[table], "row", "rows")})
	}
	for _, l := range done.Held {
		r.Listings = append(r.Listings, views.NameLink{Name: views.ShowName(l.Server + " #" + l.Digest.Short()), URL: listingPath(l.Server, l.ID)})
	}
	return r
}

// purge is the same for programs of whoever administers, in the browser's session.
func (s *Server) purge(c echo.Context) error {
	var in api.PurgeRequest
	if err := readJSON(c, &in); err != nil {
		return err
	}
	done, err := s.svc.Purge(c.Request().Context(), s.actor(c), in.Text, in.Reason, in.DryRun)
	if err != nil {
		return err
	}
	return writeJSON(c, http.StatusOK, api.PurgeAnswer{DryRun: in.DryRun, Rows: done.Rows, Listings: append([]string{}, done.Listings...)})
}
