package web

import (
	"mime"
	"net/url"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/review"
)

// ownLimit marks a route that bounds its body itself.
const ownLimit bodyLimit = -1

// form reads a form in either encoding. Files stay in memory, bounded by the
// route's limit: what people upload never touches the disk on the way.
func (s *Server) form(c echo.Context) (url.Values, error) {
	r := c.Request()
	kind, _, _ := mime.ParseMediaType(r.Header.Get(echo.HeaderContentType))
	var err error
	switch kind {
	case echo.MIMEMultipartForm:
		err = r.ParseMultipartForm(s.opt.ListingBytes + int64(smallBody))
	case echo.MIMEApplicationForm:
		err = r.ParseForm()
	default:
		return nil, review.Errorf(review.Unsupported, "This address takes a form.")
	}
	if err != nil {
		return nil, bodyError(err)
	}
	return r.PostForm, nil
}

// written is a text that somebody typed into a field of several lines: browsers end
// them with CR LF, and an Enter at the end says nothing.
func written(text string) string {
	return strings.TrimSpace(lines(text))
}

// lines is a text of several lines with the line ends that everybody means.
func lines(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }

// uploadBody is the limit of a form that carries a listing.
func (s *Server) uploadBody() bodyLimit { return bodyLimit(s.opt.ListingBytes) + smallBody }
