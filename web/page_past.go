package web

import (
	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/change"
	"github.com/countersign/countersign/views"
)

// pastOf is the history of the tool that is open, for the pane beside it; nil where there
// is none to tell.
func (s *Server) pastOf(c echo.Context, o opened) (*views.ToolPast, error) {
	if o.name == "" {
		return nil, nil
	}
	id := c.Param("id")
	past, err := s.svc.Past(c.Request().Context(), s.actor(c), id, o.name, o.before)
	if err != nil || len(past.Steps) == 0 {
		return nil, err
	}
	v := &views.ToolPast{URL: lineagePath(past.Server, past.Profile, o.name)}
	if past.Older {
		v.More = "Earlier changes, and what each sentence came with"
	}
	for i := range past.Steps {
		v.Lines = append(v.Lines, s.pastLine(&past.Steps[i], id))
	}
	return v, nil
}

func (s *Server) pastLine(st *review.LineageStep, here string) views.PastLine {
	r := &st.Release
	line := views.PastLine{
		Version: views.NameLink{Name: views.ShowName(r.Title()), URL: releasePath(r.ID, "view", viewTools, "name", st.Change.Name())},
		Here:    r.ID == here, Kind: kindWords[st.Change.Kind], Class: views.ClassBadge(st.Change.Class),
	}
	switch {
	case !r.WithdrawnAt.IsZero():
		line.State, line.When = "withdrawn", s.when(r.WithdrawnAt)
	case !r.ReleasedAt.IsZero():
		line.State, line.When = "released", s.when(r.ReleasedAt)
	default:
		line.State, line.When = "under review, pushed", s.when(r.Head.PushedAt)
	}
	line.By = views.Say(approvedBy(st))
	return line
}

// approvedBy says who approved a step by name.
func approvedBy(st *review.LineageStep) string {
	var names []string
	for _, v := range st.Approvals {
		names = append(names, v.UserLabel)
	}
	switch n := len(names) - whoNamed; {
	case len(names) == 0 && st.Release.ReleasedAt.IsZero():
		return "Approved by nobody yet."
	case len(names) == 0:
		return "Approved by no person: it passed by rule, override or starting point."
	case n > 0:
		names = append(names[:whoNamed], plural(n, "other", "others"))
	}
	return "Approved by " + enumerated(names, " and ") + "."
}

// formerName is what a renamed tool was called, "" for any other.
func formerName(ch *review.Decided) string {
	if ch.Kind == change.Renamed && ch.FromTool != nil {
		return *ch.FromTool
	}
	return ""
}
