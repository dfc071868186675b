package web

import (
	"net/http"
	"slices"

	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/change"
	"github.com/countersign/countersign/review/prose"
	"github.com/countersign/countersign/review/surface"
	"github.com/countersign/countersign/views"
)

const (
	lineageDetails = 8  // shown of one version
	lineageTexts   = 20 // versions whose texts are compared in the page
)

// lineagePage shows one tool through all versions. The name stands in the query,
// since it may hold slashes.
func (s *Server) lineagePage(c echo.Context) error {
	l, err := s.svc.Lineage(c.Request().Context(), s.actor(c), c.Param("server"), c.QueryParam("profile"), c.QueryParam("name"))
	if err != nil {
		return err
	}
	p := s.presentLineage(l)
	p.Page = s.page(c, l.Name+" of "+l.Server.Name, "servers", serversCrumb, serverCrumb(&l.Server))
	return s.render(c, http.StatusOK, views.Lineage(p))
}

// lineagePath is the page of a tool through all versions, "" for one without a name.
func lineagePath(slug, profile, name string) string {
	if name == "" {
		return ""
	}
	if profile == review.DefaultProfile {
		profile = ""
	}
	return path([]string{"servers", slug, "tool"}, "name", name, "profile", profile)
}

func (s *Server) presentLineage(l *review.Lineage) views.LineagePage {
	p := views.LineagePage{
		Name:      views.ShowName(l.Name),
		Sub:       []string{plural(l.Versions, "version", "versions"), "changed in " + thousands(len(l.Steps))},
		Sentences: blameLines(l.Sentences),
	}
	if l.Profile != review.DefaultProfile {
		p.Sub = append(p.Sub, "profile "+l.Profile)
	}
	switch {
	case l.Gone:
		p.Gone = views.Say("The newest version has no tool of this name.")
	case len(l.Sentences) == 0:
		p.NoWords = "It has no description. A model has only the name to go by."
	}
	for i := range l.Steps {
		p.Steps = append(p.Steps, s.lineageLine(&l.Steps[i], i < lineageTexts))
	}
	return p
}

// blameLines joins neighbours that came with the same version.
func blameLines(list []review.Origin) []views.BlameLine {
	var out []views.BlameLine
	for i, o := range list {
		if i == 0 || list[i-1].Release.ID != o.Release.ID {
			out = append(out, views.BlameLine{Version: views.NameLink{Name: views.ShowName(o.Release.Title()), URL: releasePath(o.Release.ID)}})
		}
		last := &out[len(out)-1]
		last.Text = append(last.Text, prose.Show(o.Text))
	}
	return out
}

var lineageKinds = map[change.Kind]string{change.Added: "new", change.Removed: "removed"}

func (s *Server) lineageLine(st *review.LineageStep, texts bool) views.LineageLine {
	r := &st.Release
	line := views.LineageLine{
		Version: views.NameLink{Name: views.ShowName(r.Title()), URL: releasePath(r.ID)},
		Kind:    cmpOr(lineageKinds[st.Change.Kind], "changed"), Class: views.ClassBadge(st.Change.Class),
		State: "released", When: s.when(r.ReleasedAt),
	}
	if r.ReleasedAt.IsZero() {
		line.State, line.When = "under review, pushed", s.when(r.Head.PushedAt)
	}
	line.Details, line.More = detailLines(&st.Change)
	for _, v := range st.Approvals {
		line.Approved = append(line.Approved, views.ApprovalLine{Who: prose.Show(v.UserLabel), When: s.when(v.At), Note: showIfAny(v.Note)})
	}
	if len(line.Approved) == 0 {
		line.Nobody = "No person approved it by name: a starting point, a rule or an override let it through, or nobody answered yet."
	}
	if texts {
		d := views.Texts(stringOf(st.Old, surface.Tool.Description), stringOf(st.New, surface.Tool.Description), "before", prose.Show(r.Title()).String())
		if d.State == views.Differs {
			line.Words = &d
		}
	}
	return line
}

// detailLines are the sentences of a change, each once.
func detailLines(c *change.Change) (lines []views.Sentence, more string) {
	if c.Kind != change.Changed {
		return nil, ""
	}
	var said []string
	for _, d := range c.Details {
		if !slices.Contains(said, d.Sentence) {
			said = append(said, d.Sentence)
		}
	}
	if n := len(said) - lineageDetails; n > 0 {
		said, more = said[:lineageDetails], "and "+thousands(n)+" more"
	}
	for _, t := range said {
		lines = append(lines, views.Say(t))
	}
	return lines, more
}
