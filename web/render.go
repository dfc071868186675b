package web

import (
	"bytes"
	"fmt"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"
)

// render answers with a page. It is made whole before the first byte is sent, so
// a component that fails leaves an error page and never half a page.
func (s *Server) render(c echo.Context, status int, page templ.Component) error {
	var b bytes.Buffer
	ctx := templ.WithNonce(c.Request().Context(), s.nonce(c))
	if err := page.Render(ctx, &b); err != nil {
		return fmt.Errorf("render %s: %w", c.Path(), err)
	}
	return c.HTMLBlob(status, b.Bytes())
}
