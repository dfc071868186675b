package web

import (
	"encoding/base64"
	"net/http"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"
)

// Policy puts a handler of pages under the policy that every page of a Server is
// under, with a nonce of its own. The storybook shows pages without a Server.
func Policy(pages http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		nonce := base64.RawStdEncoding.EncodeToString(randomBytes(16))
		w.Header().Set(echo.HeaderContentSecurityPolicy, pagePolicy(nonce))
		pages.ServeHTTP(w, r.WithContext(templ.WithNonce(r.Context(), nonce)))
	})
}
