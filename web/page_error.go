package web

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"

	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/views"
)

// headings say what happened, in the words of the person that it happened to.
var headings = map[int]string{
	http.StatusBadRequest:            "This can't be carried out",
	http.StatusForbidden:             "You may not do this",
	http.StatusNotFound:              "There is nothing at this address",
	http.StatusMethodNotAllowed:      "This address does not answer that",
	http.StatusConflict:              "This has moved on",
	http.StatusRequestEntityTooLarge: "This is too large",
	http.StatusUnsupportedMediaType:  "This is in another format",
	http.StatusUnprocessableEntity:   "This does not fit",
	http.StatusTooManyRequests:       "Too many at once",
	http.StatusServiceUnavailable:    "Not available just now",
	http.StatusInternalServerError:   "This failed on our side",
}

var helps = map[int]string{
	http.StatusForbidden:           "Whoever maintains the server can give you the role, or do it for you.",
	http.StatusNotFound:            "If somebody sent you the link, ask them to give you a role on the server.",
	http.StatusTooManyRequests:     "Wait a minute and try again. Nothing was lost.",
	http.StatusServiceUnavailable:  "Try again in a moment.",
	http.StatusInternalServerError: "Try again. If it goes on, give this number to whoever runs Countersign.",
}

// helpFor says what else can be done. The sentence about a single-use link says it
// already, and no role opens one.
func helpFor(c echo.Context, status int) string {
	if status == http.StatusNotFound && c.Path() == linkRoute {
		return ""
	}
	return helps[status]
}

// typedFields are fields of forms that people write text into. What was typed is
// shown again when it could not be stored.
var typedFields = []struct{ name, label string }{
	{"body", "Your comment"}, {"suggest", "The text that you suggest"}, {"note", "Your note"}, {"reason", "Your reason"},
}

// renderError shows a person why their request was not carried out. Nobody at all
// is asked to sign in, and comes back afterwards.
func (s *Server) renderError(c echo.Context, f failure) error {
	if f.Status == http.StatusUnauthorized && s.actor(c).User == nil {
		return s.askToSignIn(c)
	}
	heading := headings[f.Status]
	if heading == "" {
		heading = http.StatusText(f.Status)
	}
	p := views.ErrorPage{
		Page: s.page(c, heading, ""), Status: fmt.Sprintf("Error %d", f.Status), Heading: heading,
		Sentence: views.Say(f.Sentence), Help: helpFor(c, f.Status), Typed: typed(c),
		Links: []views.Link{{Text: "Home", URL: "/"}, {Text: "Servers", URL: "/servers"}},
	}
	p.Width = narrow
	if f.stillComparing() {
		p.Status, p.Heading, p.Help, p.Links = "Still working", "Comparing versions", "This page goes on by itself.", nil
		p.Title, p.Refresh, p.Reload = p.Heading, 1, 1000
		p.Done, p.Of = f.Err.Done, f.Err.Of
	}
	if f.Err != nil {
		p.Problems = problems(f.Err.Problems)
	}
	if f.Kind == review.Internal {
		p.Request = f.Request
		p.Sentence = views.Say("Nothing that you can see was done by half.")
	}
	return s.render(c, f.Status, views.Error(p))
}

// askToSignIn sends nobody at all to the sign-in page, and back afterwards. Whoever
// wrote something gets it back instead, with a way to send it after signing in.
func (s *Server) askToSignIn(c echo.Context) error {
	form := url.Values{}
	if c.Request().Method == http.MethodPost && c.Path() != "" {
		if read, err := s.form(c); err == nil {
			form = read
		}
	}
	texts := typed(c)
	if len(texts) == 0 {
		return c.Redirect(http.StatusSeeOther, signInPath(c))
	}
	p := views.ErrorPage{
		Page: s.page(c, "You are signed out", ""), Status: "Error 401", Heading: "You are signed out", Typed: texts,
		Sentence: views.Say("Nothing was stored. Sign in in another tab, come back here and send it again."),
		Links:    []views.Link{{Text: "Sign in in another tab", URL: "/sign-in", NewTab: true}},
		Again:    &views.AgainForm{URL: c.Request().URL.RequestURI()},
	}
	for _, name := range slices.Sorted(maps.Keys(form)) {
		for _, value := range form[name] {
			p.Again.Fields = append(p.Again.Fields, views.HiddenField{Name: name, Value: value})
		}
	}
	p.Width = narrow
	return s.render(c, http.StatusUnauthorized, views.Error(p))
}

// signInPath leads to the sign-in page, and from there back to a page that was
// asked for. A form is not sent twice: its page is what one comes back to.
func signInPath(c echo.Context) string {
	r := c.Request()
	if r.Method != http.MethodGet || r.URL.Path == "/" {
		return "/sign-in"
	}
	return "/sign-in?" + url.Values{"next": {r.URL.RequestURI()}}.Encode()
}

// typed is what the form held that a person wrote.
func typed(c echo.Context) []views.TypedText {
	var out []views.TypedText
	for _, f := range typedFields {
		for i, text := range c.Request().PostForm[f.name] {
			if text != "" {
				out = append(out, views.TypedText{ID: fmt.Sprintf("%s-%d", f.name, i), Label: f.label, Text: text})
			}
		}
	}
	return out
}
