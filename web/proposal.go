package web

import (
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/people"
	"github.com/countersign/countersign/web/api"
)

// listProposals answers what waits for a second person wherever the caller maintains.
func (s *Server) listProposals(c echo.Context) error {
	waiting, err := s.svc.Proposals(c.Request().Context(), s.actor(c))
	if err != nil {
		return err
	}
	answer := api.Proposals{Proposals: make([]api.Proposal, 0, len(waiting))}
	for i := range waiting {
		p := presentProposal(&waiting[i].Proposal)
		p.Mine, p.MayNotAgree, p.WhoCan = waiting[i].Mine, waiting[i].MayAgree, waiting[i].Who
		answer.Proposals = append(answer.Proposals, p)
	}
	return writeJSON(c, http.StatusOK, answer)
}

func presentProposal(p *review.Proposal) api.Proposal {
	out := api.Proposal{
		ID: p.ID, ServerID: p.ServerID, Kind: string(p.Kind), State: string(p.State), Says: p.Says(), By: p.By, At: p.At.UTC(),
		User: p.User, Role: string(p.Role), Permission: string(p.Permission),
	}
	if n := p.Alias; n != nil {
		out.Profile, out.Old, out.New, out.Note, out.Until = n.Profile, string(n.Old), string(n.New), n.Note, orNil(n.Until)
	}
	return out
}

// decideProposal agrees to what waits for a second person, or refuses it.
func (s *Server) decideProposal(c echo.Context) error {
	var in api.ProposalDecision
	if err := readJSON(c, &in); err != nil {
		return err
	}
	p, err := s.svc.DecideProposal(c.Request().Context(), s.actor(c), in.ID, in.Agree)
	if err != nil {
		return err
	}
	return writeJSON(c, http.StatusOK, presentProposal(p))
}

// listGrants answers who may override on a server without being an administrator.
func (s *Server) listGrants(c echo.Context) error {
	return s.answerGrants(c, http.StatusOK)
}

func (s *Server) answerGrants(c echo.Context, status int) error {
	ctx, a := c.Request().Context(), s.actor(c)
	grants, err := s.svc.Grants(ctx, a, c.Param("server"))
	if err != nil {
		return err
	}
	users, err := s.svc.Users(ctx, a)
	if err != nil {
		return err
	}
	emails := map[string]string{}
	for i := range users {
		emails[users[i].ID] = users[i].Email
	}
	answer := api.Grants{Grants: make([]api.Grant, 0, len(grants))}
	for _, g := range grants {
		answer.Grants = append(answer.Grants, api.Grant{User: emails[g.UserID], Permission: string(g.Permission), By: g.GrantedBy, At: g.At.UTC()})
	}
	return writeJSON(c, status, answer)
}

// setGrant lets somebody override on a server, or not any more. Accepted means that it
// waits for a second person.
func (s *Server) setGrant(c echo.Context) error {
	var in api.GrantRequest
	if err := readJSON(c, &in); err != nil {
		return err
	}
	ctx, a := c.Request().Context(), s.actor(c)
	if in.Permission != string(review.MayOverride) {
		return review.Errorf(review.Invalid, "The permission %.40q is unknown: there is override.", in.Permission)
	}
	if _, err := s.svc.Grants(ctx, a, c.Param("server")); err != nil {
		return err // before a word on who has an account
	}
	users, err := s.svc.Users(ctx, a)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(users, func(u people.User) bool { return strings.EqualFold(u.Email, in.User) })
	if i < 0 {
		return review.Errorf(review.Invalid, "There is no account with the address %.254q that you may know of.", in.User)
	}
	waits, err := s.svc.GrantOverride(ctx, a, c.Param("server"), users[i].ID, in.May)
	if err != nil {
		return err
	}
	if waits != nil {
		return s.answerGrants(c, http.StatusAccepted)
	}
	return s.answerGrants(c, http.StatusOK)
}
