package web

import (
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/prose"
	"github.com/countersign/countersign/views"
)

// Forms on a server's settings that are kept as drafts while they are written. They are
// kept whole, with every tick, and come back as they were left.
const (
	targetPolicy     = "form policy"
	targetPolicyText = "form text of a policy"
	targetAlias      = "form alias"
	targetKnown      = "form known " // id of an endpoint, id of its drift
)

// ofNoDraft are fields that say how a form was sent, not what was written into it.
var ofNoDraft = []string{"kept", "writer", "count", "act"}

// ofNoReader are fields that nobody typed.
var ofNoReader = []string{"version", "owners", "digest"}

// settingsDraft reports whether a target is one of such a form, or a copy of it.
func settingsDraft(target string) bool {
	form, _, _ := strings.Cut(target, " copy ")
	return strings.HasPrefix(form, targetKnown) || slices.Contains([]string{targetPolicy, targetPolicyText, targetAlias}, form)
}

// loadServerDrafts reads what the reader left in the forms of a server's settings.
func (s *Server) loadServerDrafts(c echo.Context, slug string) (*drafts, error) {
	list, err := s.svc.ServerDrafts(c.Request().Context(), s.actor(c), slug)
	if err != nil {
		return nil, err
	}
	return &drafts{server: slug, list: list, taken: map[string]bool{}}, nil
}

// left is box for a form of a server's settings: what stood in it, nil for nothing, and
// a line that says so.
func (s *Server) left(d *drafts, target string) (views.DraftBox, url.Values) {
	b, kept := d.box(target)
	if kept == nil {
		return b, nil
	}
	form := fieldsOfDraft(kept)
	if form == nil {
		return b, nil
	}
	at := s.when(kept.UpdatedAt)
	b.Left, b.DropURL = &at, serverPath(d.server)+"/drafts/remove"
	return b, form
}

// fieldsOfDraft are the fields that a draft of settings keeps; nil when it keeps none.
func fieldsOfDraft(d *review.Draft) url.Values {
	if len(d.Texts) != 1 {
		return nil
	}
	form, err := url.ParseQuery(d.Texts[0])
	if err != nil {
		return nil
	}
	return form
}

// settingsText shows the fields of a draft to be read, one a line.
func settingsText(form url.Values) prose.Visible {
	var lines []string
	for name, values := range form {
		if text := strings.Join(values, ", "); strings.TrimSpace(text) != "" && !slices.Contains(ofNoReader, name) {
			lines = append(lines, name+": "+text)
		}
	}
	slices.Sort(lines)
	return prose.Show(strings.Join(lines, "\n"))
}

// serverDraftForm keeps a form of a server's settings as it stands.
func (s *Server) serverDraftForm(c echo.Context) error {
	form, err := s.form(c)
	if err != nil {
		return err
	}
	target, revision := keptOf(form)
	if !settingsDraft(target) {
		return review.Errorf(review.Invalid, "This form keeps no drafts.")
	}
	count, _ := strconv.ParseInt(form.Get("count"), 10, 64)
	d := review.Draft{
		Target: target, Texts: []string{withoutFields(form, ofNoDraft).Encode()},
		Writing: review.Writing{Saw: revision, Writer: form.Get("writer"), Count: count},
	}
	kept, err := s.svc.TypeServerDraft(c.Request().Context(), s.actor(c), c.Param("server"), d)
	if err != nil {
		return err
	}
	if form.Get("writer") != "" {
		return draftKept(c, kept, d.Target)
	}
	s.flash(c, flashDone, "Kept as a draft. Nothing is saved, and nobody else sees it.")
	return c.Redirect(http.StatusSeeOther, settingsPath(c.Param("server"), target))
}

// dropServerDraftForm lets go of what a form of a server's settings kept.
func (s *Server) dropServerDraftForm(c echo.Context) error {
	form, err := s.form(c)
	if err != nil {
		return err
	}
	target, _ := keptOf(form)
	if !settingsDraft(target) {
		return review.Errorf(review.Invalid, "This form keeps no drafts.")
	}
	if err := s.dropServerDraft(c, target); err != nil {
		return err
	}
	s.flash(c, flashDone, "The draft is gone.")
	return c.Redirect(http.StatusSeeOther, settingsPath(c.Param("server"), target))
}

func (s *Server) dropServerDraft(c echo.Context, target string) error {
	_, err := s.svc.SaveServerDraft(c.Request().Context(), s.actor(c), c.Param("server"), review.Draft{Target: target, Texts: []string{}})
	return err
}

// savedSettings removes the draft of a form that was saved. That this fails does not
// undo what was: the draft then offers itself again.
func (s *Server) savedSettings(c echo.Context, form url.Values) {
	target, _ := keptOf(form)
	if !settingsDraft(target) {
		return
	}
	if err := s.dropServerDraft(c, target); err != nil {
		s.log.WarnContext(c.Request().Context(), "draft not removed", slog.String("request", requestIDOf(c)), slog.Any("error", err))
	}
}

// settingsPath is the page that shows the form of a target.
func settingsPath(slug, target string) string {
	if strings.HasPrefix(target, targetAlias) {
		return serverPath(slug) + "/aliases"
	}
	if known, ok := strings.CutPrefix(target, targetKnown); ok {
		endpoint, _, _ := strings.Cut(known, " ")
		return endpointPath(slug, endpoint)
	}
	return policyPath(slug)
}

func withoutFields(form url.Values, names []string) url.Values {
	out := url.Values{}
	for name, values := range form {
		if !slices.Contains(names, name) {
			out[name] = values
		}
	}
	return out
}
