package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/web/api"
)

// openAPI gives the description of the API.
func (s *Server) openAPI(c echo.Context) error {
	return c.Blob(http.StatusOK, "application/yaml; charset=utf-8", api.OpenAPI)
}
