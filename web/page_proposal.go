package web

import (
	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/prose"
	"github.com/countersign/countersign/views"
)

// proposalLines are what waits for a second person: on a server, or with "" wherever
// the person maintains.
func (s *Server) proposalLines(c echo.Context, serverID string) ([]views.ProposalLine, error) {
	ctx, a := c.Request().Context(), s.actor(c)
	waiting, err := s.svc.Proposals(ctx, a)
	if err != nil {
		return nil, err
	}
	var out []views.ProposalLine
	for i := range waiting {
		p := &waiting[i]
		if serverID != "" && (p.ServerID != serverID || p.Kind != review.ProposedNaming) {
			continue
		}
		l := views.ProposalLine{
			ID: p.ID, Says: prose.Show(p.Says()), By: prose.Show(p.By), When: s.when(p.At), Cannot: cannotAgree(p.MayAgree, p.Who), Refuse: "Refuse",
		}
		if p.Server != "" {
			l.Server = views.ShowName(p.Server)
		}
		if p.Alias != nil && p.Alias.Note != "" {
			l.Note = prose.Show(p.Alias.Note)
		}
		if p.Mine {
			l.Refuse = "Take it back"
		}
		out = append(out, l)
	}
	return out, nil
}

// proposalForm agrees to what waits for a second person, or refuses it.
func (s *Server) proposalForm(c echo.Context) error {
	form, err := s.form(c)
	if err != nil {
		return err
	}
	agree := form.Get("agree") == "yes"
	_, err = s.svc.DecideProposal(c.Request().Context(), s.actor(c), form.Get("id"), agree)
	done := "It is refused. Nothing changed."
	if agree {
		done = "You agreed, and it is done."
	}
	return s.afterPerson(c, err, done)
}
