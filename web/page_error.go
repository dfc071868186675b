package web

import (
	"github.com/labstack/echo/v4"
)

// renderError shows a person why their request was not carried out.
func (s *Server) renderError(c echo.Context, f failure) error {
	return c.String(f.Status, f.Sentence)
}
