package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/lint"
	"github.com/countersign/countersign/review/prose"
	"github.com/countersign/countersign/review/report"
	"github.com/countersign/countersign/review/surface"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/web/api"
)

// checkSuggestion answers what a text would bring.
func (s *Server) checkSuggestion(c echo.Context) error {
	var in api.SuggestionRequest
	if err := readJSON(c, &in); err != nil {
		return err
	}
	at, err := anchorOf(in.Anchor)
	if err != nil {
		return err
	}
	g, err := s.svc.CheckSuggestion(c.Request().Context(), s.actor(c), c.Param("id"), at, in.Text)
	if err != nil {
		return err
	}
	out := api.SuggestionCheck{Tokens: g.Tokens, TokensNow: g.TokensNow, Hidden: []api.HiddenMark{}}
	for _, m := range g.Hidden {
		out.Hidden = append(out.Hidden, api.HiddenMark{Name: m.Name(), Offset: m.Offset, Count: m.Count})
	}
	if out.Findings, err = findingsAlone(g.Findings); err != nil {
		return err
	}
	if out.Gone, err = findingsAlone(g.Gone); err != nil {
		return err
	}
	return writeJSON(c, http.StatusOK, out)
}

// findingsAlone are findings as the command line prints them, without the counts.
func findingsAlone(found []lint.Finding) (json.RawMessage, error) {
	body, err := report.Findings(found)
	if err != nil {
		return nil, fmt.Errorf("write findings: %w", err)
	}
	var all api.Findings
	err = json.Unmarshal(body, &all)
	return all.Findings, err
}

// checkSuggestionForm says what a text in the form of a comment would bring: beside
// the form for a script, and on the page for a button.
func (s *Server) checkSuggestionForm(c echo.Context) error {
	form, err := s.form(c)
	if err != nil {
		return err
	}
	ctx, a, id := c.Request().Context(), s.actor(c), c.Param("id")
	view, err := s.svc.Release(ctx, a, id)
	if err != nil {
		return err
	}
	text := lines(form.Get("suggest"))
	g, err := s.svc.CheckSuggestion(ctx, a, id, anchorOfForm(view, form), text)
	if form.Get("script") != "" {
		if err != nil {
			return err
		}
		f := newFilling(g.Old)
		return writeJSON(c, http.StatusOK, map[string]any{"lines": suggestedLines(g, text), "now": f.text, "filled": f.mark})
	}
	if err == nil && text == "" {
		text = newFilling(g.Old).text // who asks about nothing begins with what stands there
	}
	q := typedComment(form)
	q.suggest, q.status = text, http.StatusOK
	switch {
	case err == nil:
		q.checked = suggestedLines(g, text)
	default:
		if err := q.take(err); err != nil {
			return err
		}
	}
	return s.renderRelease(c, q)
}

// filling is what the box of a suggestion starts with: the text that stands there. The
// mark goes with the form, so that a box that nobody touched is no suggestion.
type filling struct{ text, mark string }

// newFilling fills a box with a text. One that a browser would not give back as it is,
// or that holds what nobody can see, is not filled in.
func newFilling(text string) filling {
	text = lines(text)
	if text == "" || !utf8.ValidString(text) || strings.ContainsAny(text, "\r\x00") || len(prose.HiddenIn(text)) > 0 {
		return filling{}
	}
	return filling{text, surface.HashOf([]byte(text)).String()}
}

// suggestedIn is the text that a form suggests, nil for none.
func suggestedIn(form url.Values) *string {
	text := lines(form.Get("suggest"))
	if text == "" || newFilling(text).mark == form.Get("filled") {
		return nil
	}
	return &text
}

// fill starts the box of a suggestion with the text at a place of the newer side.
func (p *releasePresenter) fill(f *views.CommentForm, t *surface.Tool, pointer string) {
	if f.Suggest != "" || t == nil {
		return
	}
	if text, ok := review.TextAt(t.Raw, pointer); ok {
		now := newFilling(text)
		f.Suggest, f.Filled = now.text, now.mark
	}
}

// suggestedMost is how many lines of a kind are said; the page of findings has all,
// once it is pushed.
const suggestedMost = 12

// suggestedLines says what a text would bring, the gravest first.
func suggestedLines(g *review.Suggested, text string) []views.CheckLine {
	if text == g.Old {
		return []views.CheckLine{{Tone: views.Plain, Text: "This is the text that stands there."}}
	}
	var out []views.CheckLine
	if text == "" {
		return out
	}
	for i, m := range g.Hidden {
		if i == suggestedMost {
			out = append(out, views.CheckLine{Tone: views.Bad, Text: fmt.Sprintf("And %d more hidden characters.", len(g.Hidden)-i)})
			break
		}
		out = append(out, views.CheckLine{Tone: views.Bad, Text: "Hidden character, " + m.Title() + "."})
	}
	out = append(out, findingCheckLines(g.Findings, false)...)
	out = append(out, findingCheckLines(g.Gone, true)...)
	if len(g.Findings) == 0 && len(g.Hidden) == 0 {
		out = append(out, views.CheckLine{Tone: views.OK, Text: "Nothing is found in it."})
	}
	return append(out, views.CheckLine{Tone: views.Plain, Text: tokensAgainst(g.Tokens, g.TokensNow)})
}

// findingCheckLines says findings: those that the text has, or those that it mends.
func findingCheckLines(found []lint.Finding, gone bool) []views.CheckLine {
	var out []views.CheckLine
	for i, f := range found {
		if i == suggestedMost {
			return append(out, views.CheckLine{Tone: views.Plain, Text: fmt.Sprintf("And %d more.", len(found)-i)})
		}
		word, tone := "Still there", views.Plain
		switch {
		case gone:
			word, tone = "Mended", views.OK
		case f.New && f.Severity.Rank() >= lint.High.Rank():
			word, tone = "New", views.Bad
		case f.New && f.Severity.Rank() > lint.Info.Rank():
			word, tone = "New", views.Warn
		case f.New:
			word = "New"
		}
		out = append(out, views.CheckLine{Tone: tone, Text: fmt.Sprintf("%s, %s, %s: %s", word, f.Severity, f.Rule, prose.Show(f.Message))})
	}
	return out
}

// tokensAgainst compares two numbers of tokens in words.
func tokensAgainst(then, now int) string {
	words := "as many as now"
	switch d := then - now; {
	case d > 0:
		words = thousands(d) + " more than now"
	case d < 0:
		words = thousands(-d) + " fewer than now"
	}
	return plural(then, "token", "tokens") + ", " + words + " (estimate)."
}
