package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/views"
)

// partHeader is sent by a page that lists tools, and whose script wants only what
// becomes another when another tool of the list is opened. Without it the same address
// is the whole page.
const (
	partHeader = "Countersign-Part"
	partTool   = "tool"
)

// asksPart reports whether only the part of a tool is asked for. The answer depends on
// a header, and says so: no cache may give a part to whoever wants the page.
func asksPart(c echo.Context) bool {
	c.Response().Header().Add(echo.HeaderVary, partHeader)
	return c.Request().Method == http.MethodGet && c.Request().Header.Get(partHeader) == partTool
}

// renderPart answers with the part. A script keeps it for as long as nothing happens,
// and nobody else does. Notices are left for the page that they are meant for.
func (s *Server) renderPart(c echo.Context, p views.ToolPart) error {
	c.Response().Header().Set(echo.HeaderCacheControl, "no-store")
	p.Tools = openRowOnly(p.Tools)
	return s.render(c, http.StatusOK, views.Part(p))
}

// openRowOnly leaves of the list the row of the tool that is open: the page has the
// others, and they did not become others.
func openRowOnly(v views.ToolsView) views.ToolsView {
	rows := v.Surface
	for _, g := range v.Groups {
		rows = append(rows, g.Tools...)
	}
	v.Pills, v.Filter, v.Surface, v.Groups, v.Same = nil, nil, nil, nil, nil
	for _, r := range rows {
		if r.Current {
			v.Surface = []views.ToolRow{r}
		}
	}
	return v
}

// titleWith puts the tool that somebody opened before the title of its page, so that
// tabs and the history of a browser tell tools apart.
func titleWith(v *views.ToolsView, title string) string {
	if v == nil || !v.Chosen || v.Open == nil {
		return title
	}
	return v.Open.Name.String() + " · " + title
}
