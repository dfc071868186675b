package web

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/prose"
	"github.com/countersign/countersign/views"
)

func teamsPath(slug string) string { return serverPath(slug) + "/teams" }

// teamsPage shows the teams of a server's policy; they are changed with it.
func (s *Server) teamsPage(c echo.Context) error {
	v, err := s.svc.Teams(c.Request().Context(), s.actor(c), c.Param("server"))
	if err != nil {
		return err
	}
	slug := v.Server.Slug
	p := views.TeamsPage{
		Page: s.page(c, "Teams of "+v.Server.Name, "servers", serversCrumb, serverCrumb(&v.Server)), Server: views.ShowName(v.Server.Name),
		PolicyURL: policyPath(slug), Version: strconv.Itoa(v.Server.Policy.Version),
	}
	for i := range v.Teams {
		p.Teams = append(p.Teams, teamCard(i, &v.Teams[i]))
	}
	return s.render(c, http.StatusOK, views.Teams(p))
}

func teamCard(i int, t *review.Team) views.TeamCard {
	card := views.TeamCard{ID: fmt.Sprintf("team-%d", i+1), Name: views.ShowName(t.Name), Badge: teamBadge(t)}
	for _, o := range t.Owns {
		card.Owns = append(card.Owns, prose.Show(o))
	}
	for _, m := range t.Members {
		line := views.TeamMemberLine{Label: prose.Show(m.Email), Role: string(m.Role)}
		if m.Label != "" && !strings.EqualFold(m.Label, m.Email) {
			line.Label, line.Email = prose.Show(m.Label), prose.Show(m.Email)
		}
		if !m.Decides {
			line.Cannot = views.Say(m.Why)
		}
		card.Members = append(card.Members, line)
	}
	return card
}

// teamBadge says how many of a team could approve. A team that is asked and has nobody
// who could holds up every release that it answers for.
func teamBadge(t *review.Team) views.Badge {
	n := t.Decide()
	switch {
	case n > 0:
		return views.Badge{Tone: views.Plain, Word: fmt.Sprintf("%d of %d can approve", n, len(t.Members))}
	case len(t.Owns) > 0:
		return views.Badge{Tone: views.Bad, Icon: "bang", Word: "nobody can approve"}
	}
	return views.Badge{Tone: views.Warn, Icon: "bang", Word: "nobody can approve"}
}
