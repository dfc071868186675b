package web

import (
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/prose"
	"github.com/countersign/countersign/review/surface"
	"github.com/countersign/countersign/views"
)

// asRendered is the value of "as" that shows descriptions as Markdown beside the text.
const asRendered = "rendered"

// mostRendered bounds the text that is rendered, in bytes.
const mostRendered = 64 << 10

// rendered shows descriptions as a program would that takes them for Markdown. It
// stands beside the text, never instead: what a model reads is the text.
func (s sides) rendered() *views.Rendered {
	r := &views.Rendered{OldLabel: s.oldLabel, NewLabel: s.newLabel}
	side := func(t *surface.Tool) string {
		d := stringOf(t, surface.Tool.Description)
		switch {
		case d == nil:
			return ""
		case len(*d) > mostRendered:
			r.Note = "A text of more than 64 KiB is not rendered."
			return ""
		}
		return markdown(*d)
	}
	r.New = side(s.new)
	if !s.alone {
		r.Old = side(s.old)
	}
	if r.Old == "" && r.New == "" && r.Note == "" {
		return nil
	}
	return r
}

// renderSwitch leads to the same page with the other way of showing texts.
func renderSwitch(as string, url func(as string) string) *views.Link {
	if as == asRendered {
		return &views.Link{Text: "Text only", URL: url("")}
	}
	return &views.Link{Text: "Show rendered too", URL: url(asRendered)}
}

// copyText copies the description of a tool of a listing to the byte.
func copyText(slug, listing string, position int, label string) views.CopyText {
	return views.CopyText{
		URL:   path([]string{"servers", slug, "listings", listing, "text"}, "tool", strconv.Itoa(position)),
		Label: label,
	}
}

// textPage answers with the description of a tool, or without one the instructions,
// exactly as they were received: for copying, as a download that no browser opens.
func (s *Server) textPage(c echo.Context) error {
	l, server, err := s.svc.Listing(c.Request().Context(), s.actor(c), c.Param("id"))
	if err != nil {
		return err
	}
	if server.Slug != c.Param("server") {
		return review.Errorf(review.NotFound, "There is no such listing on this server.")
	}
	text := l.Surface.Instructions.Text
	if at := c.QueryParam("tool"); at != "" {
		n, err := strconv.Atoi(at)
		if err != nil || n < 1 || n > len(l.Surface.Tools) {
			return review.Errorf(review.NotFound, "There is no tool at this position.")
		}
		text, _ = l.Surface.Tools[n-1].Description()
	}
	h := c.Response().Header()
	h.Set(echo.HeaderContentDisposition, `attachment; filename="text.txt"`)
	h.Set(echo.HeaderContentSecurityPolicy, "default-src 'none'; sandbox; frame-ancestors 'none'")
	return c.Blob(http.StatusOK, "text/plain; charset=utf-8", []byte(text))
}

// exact says of both sides of a change how their descriptions are copied.
func (p *releasePresenter) exact(s sides, oldAt, newAt int) []views.CopyText {
	var out []views.CopyText
	old, new := stringOf(s.old, surface.Tool.Description), stringOf(s.new, surface.Tool.Description)
	if old != nil && new != nil && *old == *new {
		oldAt = 0 // once is enough
	}
	if old != nil && p.v.BaseListing != nil && oldAt > 0 {
		out = append(out, copyText(p.v.Server.Slug, p.v.BaseListing.ID, oldAt, prose.Show(s.oldLabel).String()))
	}
	if new != nil && p.v.Listing.ID != "" && newAt > 0 {
		out = append(out, copyText(p.v.Server.Slug, p.v.Listing.ID, newAt, prose.Show(s.newLabel).String()))
	}
	return out
}
