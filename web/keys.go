package web

import (
	"net/http"

	"github.com/labstack/echo/v4"
)

// wellKnownKeys is where the public keys are, for whoever checks what was signed.
const wellKnownKeys = "/.well-known/countersign/keys.json"

// publicKeys gives the keys that sign and signed, with the statements by which one
// follows another.
func (s *Server) publicKeys(c echo.Context) error {
	ring, err := s.svc.Ring(c.Request().Context())
	if err != nil {
		return err
	}
	return writeJSON(c, http.StatusOK, ring)
}
