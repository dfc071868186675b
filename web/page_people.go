package web

import (
	"net/http"
	"net/url"
	"slices"

	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/people"
	"github.com/countersign/countersign/review/prose"
	"github.com/countersign/countersign/views"
)

var roleWords = []struct {
	role people.Role
	text string
}{
	{people.Viewer, "Viewer: reads"},
	{people.Reviewer, "Reviewer: comments and decides"},
	{people.Maintainer, "Maintainer: also releases, and settings"},
	{people.Admin, "Administrator: also people and servers"},
}

func (s *Server) peoplePage(c echo.Context) error {
	return s.renderPeople(c, http.StatusOK, views.PeoplePage{}, nil)
}

// renderPeople shows the accounts, with what the last act brought; form is what
// was typed, when it was refused.
func (s *Server) renderPeople(c echo.Context, status int, p views.PeoplePage, form url.Values) error {
	ctx, a := c.Request().Context(), s.actor(c)
	users, err := s.svc.Users(ctx, a)
	if err != nil {
		return err
	}
	servers, err := s.svc.Servers(ctx, a)
	if err != nil {
		return err
	}
	names := serverNames(servers)
	invitations, err := s.svc.Invitations(ctx, a)
	if err != nil {
		return err
	}
	may, err := s.overriders(c)
	if err != nil {
		return err
	}
	p.Page = s.page(c, "People", "people")
	if p.Waiting, err = s.proposalLines(c, ""); err != nil {
		return err
	}
	for i := range users {
		if u := &users[i]; u.Joined() || !u.Active() || isMe(a, u) {
			line := s.personLine(a, u, names, servers)
			s.mayOverride(&line, a, u, may[u.ID], servers)
			p.People = append(p.People, line)
		}
	}
	for i := range invitations {
		if inv := &invitations[i]; !isMe(a, &inv.User) {
			p.Invited = append(p.Invited, s.invitedLine(a, inv, names, servers))
		}
	}
	p.Add = &views.PersonForm{
		Email: form.Get("email"), Name: form.Get("name"),
		Roles: rolePlaces(a, people.Role(cmpOr(form.Get("role"), string(people.Reviewer))), false), Servers: serverChoices(a, servers, form["server"]),
	}
	return s.render(c, status, views.People(p))
}

// serverNames are the names of servers by id.
func serverNames(servers []review.ServerView) map[string]string {
	names := make(map[string]string, len(servers))
	for _, v := range servers {
		names[v.Server.ID] = v.Server.Name
	}
	return names
}

func (s *Server) personLine(a review.Actor, u *people.User, names map[string]string, servers []review.ServerView) views.PersonLine {
	line := views.PersonLine{ID: u.ID, Label: prose.Show(u.Label()), Email: prose.Show(u.Email), You: isMe(a, u)}
	for _, m := range u.Memberships {
		r := views.RoleLine{Role: string(m.Role)}
		if m.ServerID != "" {
			name, known := names[m.ServerID]
			if !known {
				continue // a server that the viewer knows nothing of
			}
			r.Where = views.ShowName(name)
		}
		line.Roles = append(line.Roles, r)
	}
	for _, v := range servers {
		for _, name := range review.MemberOf(v.Server.Policy, u.Email) {
			line.Teams = append(line.Teams, views.TeamLink{Name: views.ShowName(name), Where: views.ShowName(v.Server.Name), URL: teamsPath(v.Server.Slug)})
		}
	}
	if isAdmin(a) && !line.You {
		line.Answers = path([]string{"people", u.ID, "answers"})
	}
	if !u.Active() {
		line.Disabled = "disabled " + s.ago(u.DisabledAt)
		return line
	}
	line.RoleForm = &views.RoleForm{URL: path([]string{"people", u.ID, "role"}), Roles: rolePlaces(a, u.RoleOn(""), true), Servers: serverPlaces(a, servers, "")}
	if isAdmin(a) {
		line.Acts = append(line.Acts, personAct(u, "reset", "Make a reset link", false))
		if !line.You {
			line.Acts = append(line.Acts, personAct(u, "sessions/end", "End sessions", false))
			if u.HasSecondFactor() {
				line.Acts = append(line.Acts, personAct(u, "second-factor/remove", "Remove second factor", true))
			}
			line.Acts = append(line.Acts, personAct(u, "disable", "Disable account", true))
		}
	}
	return line
}

// overriders are the servers on which people may override, by user; administrators
// alone are told, since they alone give that.
func (s *Server) overriders(c echo.Context) (map[string][]string, error) {
	a := s.actor(c)
	if !isAdmin(a) {
		return nil, nil
	}
	grants, err := s.svc.Grants(c.Request().Context(), a, "")
	may := map[string][]string{}
	for _, g := range grants {
		if g.Permission == review.MayOverride {
			may[g.UserID] = append(may[g.UserID], g.ServerID)
		}
	}
	return may, err
}

// mayOverride shows where a person may override, and lets that be given and taken.
func (s *Server) mayOverride(line *views.PersonLine, a review.Actor, u *people.User, on []string, servers []review.ServerView) {
	if !isAdmin(a) || !u.Active() || u.RoleOn("") == people.Admin {
		return // administrators may without
	}
	f := &views.OverrideGrant{URL: path([]string{"people", u.ID, "override"})}
	for _, v := range servers {
		place := views.Place{Value: v.Server.Slug, Label: prose.Show(v.Server.Name).String()}
		switch {
		case slices.Contains(on, v.Server.ID):
			f.Take = append(f.Take, place)
			line.Overrides = append(line.Overrides, views.ShowName(v.Server.Name))
		case u.RoleOn(v.Server.ID).AtLeast(people.Reviewer):
			f.Give = append(f.Give, place)
		}
	}
	if len(f.Give)+len(f.Take) > 0 {
		line.Override = f
	}
}

// overrideGrantForm lets a person override on a server, or not any more.
func (s *Server) overrideGrantForm(c echo.Context) error {
	form, err := s.form(c)
	if err != nil {
		return err
	}
	may := form.Get("may") == "yes"
	waits, err := s.svc.GrantOverride(c.Request().Context(), s.actor(c), form.Get("server"), c.Param("id"), may)
	if waits != nil {
		return s.afterPerson(c, err, "It lets a listing pass without approval, so another maintainer must agree first.")
	}
	if may {
		return s.afterPerson(c, err, "They may override there from now on.")
	}
	return s.afterPerson(c, err, "They can't override there any more.")
}

func isMe(a review.Actor, u *people.User) bool { return a.User != nil && u.ID == a.User.ID }

func personAct(u *people.User, name, text string, danger bool) views.PersonAct {
	return views.PersonAct{URL: path([]string{"people", u.ID}) + "/" + name, Text: text, Danger: danger}
}

// invitedLine is an account that nobody came for.
func (s *Server) invitedLine(a review.Actor, inv *review.Invitation, names map[string]string, servers []review.ServerView) views.PersonLine {
	line := s.personLine(a, &inv.User, names, servers)
	line.Acts, line.Ended = nil, !inv.Open(s.opt.Now())
	if inv.MayRenew {
		line.Acts = append(line.Acts, personAct(&inv.User, "invite", "Make a new link", false))
	}
	if inv.MayRevoke {
		line.Acts = append(line.Acts, personAct(&inv.User, "uninvite", "Revoke invitation", true))
	}
	by := "from the shell"
	if inv.By != "" {
		by = "by " + inv.By
	}
	switch {
	case inv.At.IsZero():
		line.Invited = views.Say("Invited " + by + ". There is no link: make a new one.")
	case line.Ended:
		line.Invited = views.Say("Invited " + by + " " + s.ago(inv.At) + ". The link works no more: make a new one.")
	default:
		line.Invited = views.Say("Invited " + by + " " + s.ago(inv.At) + ". The link ends " + s.ago(inv.Until) + ".")
	}
	return line
}

// rolePlaces are the roles that somebody may give: none above their own.
func rolePlaces(a review.Actor, chosen people.Role, none bool) []views.Place {
	var out []views.Place
	for _, r := range roleWords {
		if r.role == people.Admin && !isAdmin(a) {
			continue
		}
		out = append(out, views.Place{Value: string(r.role), Label: r.text, Chosen: r.role == chosen})
	}
	if none {
		out = append(out, views.Place{Value: "", Label: "No role", Chosen: chosen == people.NoRole})
	}
	return out
}

// serverPlaces are the servers that somebody gives roles on; administrators also
// on every one.
func serverPlaces(a review.Actor, servers []review.ServerView, chosen string) []views.Place {
	var out []views.Place
	if isAdmin(a) {
		out = append(out, views.Place{Value: "", Label: "Every server", Chosen: chosen == ""})
	}
	for _, v := range servers {
		if v.Role.AtLeast(people.Maintainer) {
			out = append(out, views.Place{Value: v.Server.Slug, Label: prose.Show(v.Server.Name).String(), Chosen: v.Server.Slug == chosen})
		}
	}
	return out
}

// everyServer is the value of the choice of every server.
const everyServer = "*"

// serverChoices are the servers that somebody may invite to; where there is only
// one there is nothing to choose.
func serverChoices(a review.Actor, servers []review.ServerView, chosen []string) []views.Choice {
	var out []views.Choice
	for _, p := range serverPlaces(a, servers, "") {
		value := cmpOr(p.Value, everyServer)
		out = append(out, views.Choice{Value: value, Title: p.Label, Checked: slices.Contains(chosen, value)})
	}
	if len(out) == 1 {
		out[0].Checked = true
	}
	return out
}

// invitedTo is where a form invites to; none is every server.
func invitedTo(chosen []string) ([]string, error) {
	switch {
	case len(chosen) == 0:
		return nil, review.Errorf(review.Invalid, "Choose the servers that this person is for, or every server.")
	case slices.Contains(chosen, everyServer):
		return nil, nil
	}
	return chosen, nil
}

// addPersonForm adds an account and shows its invitation, once.
func (s *Server) addPersonForm(c echo.Context) error {
	form, err := s.form(c)
	if err != nil {
		return err
	}
	n := review.NewUser{Email: form.Get("email"), Name: form.Get("name"), Role: people.Role(form.Get("role"))}
	var u *people.User
	var link string
	if n.Servers, err = invitedTo(form["server"]); err == nil {
		u, link, err = s.svc.AddUser(c.Request().Context(), s.actor(c), n)
	}
	if fault, ok := sentenceOf(err); ok {
		return s.renderPeople(c, describe(err, "").Status, views.PeoplePage{Fault: fault}, form)
	}
	if err != nil {
		return err
	}
	if link == "" {
		s.flash(c, flashDone, u.Label()+" has an account already. The role is theirs, or waits below until somebody else agrees.")
		return c.Redirect(http.StatusSeeOther, "/people")
	}
	return s.showInvitation(c, http.StatusCreated, u, link)
}

func (s *Server) showInvitation(c echo.Context, status int, u *people.User, link string) error {
	return s.renderPeople(c, status, views.PeoplePage{
		Link: &views.OneLink{For: prose.Show(u.Label()), URL: link, Does: "It sets a password and works once, for 72 hours."},
	}, nil)
}

// inviteForm makes a new link for an invitation and shows it, once.
func (s *Server) inviteForm(c echo.Context) error {
	u, link, err := s.svc.RenewInvitation(c.Request().Context(), s.actor(c), c.Param("id"))
	if err != nil {
		return s.afterPerson(c, err, "")
	}
	return s.showInvitation(c, http.StatusOK, u, link)
}

func (s *Server) uninviteForm(c echo.Context) error {
	err := s.svc.RevokeInvitation(c.Request().Context(), s.actor(c), c.Param("id"))
	return s.afterPerson(c, err, "The invitation is revoked. Its link works no more.")
}

func (s *Server) setRoleForm(c echo.Context) error {
	form, err := s.form(c)
	if err != nil {
		return err
	}
	waits, err := s.svc.SetRole(c.Request().Context(), s.actor(c), c.Param("id"), form.Get("server"), people.Role(form.Get("role")))
	if waits != nil {
		return s.afterPerson(c, err, "With the role more may decide, so it waits until somebody else agrees.")
	}
	return s.afterPerson(c, err, "The role is set.")
}

func (s *Server) disableForm(c echo.Context) error {
	err := s.svc.DisableUser(c.Request().Context(), s.actor(c), c.Param("id"))
	return s.afterPerson(c, err, "The account is disabled. Its sessions and tokens are ended; its rejections stay.")
}

func (s *Server) endSessionsForm(c echo.Context) error {
	err := s.svc.EndSessionsOf(c.Request().Context(), s.actor(c), c.Param("id"))
	return s.afterPerson(c, err, "Every session of the account is ended.")
}

func (s *Server) removeFactorForm(c echo.Context) error {
	err := s.svc.RemoveSecondFactor(c.Request().Context(), s.actor(c), c.Param("id"))
	return s.afterPerson(c, err, "The second factor is removed and every session of the account ended. They sign in with their password and can set up another.")
}

func (s *Server) afterPerson(c echo.Context, err error, done string) error {
	if fault, ok := sentenceOf(err); ok {
		return s.renderPeople(c, describe(err, "").Status, views.PeoplePage{Fault: fault}, nil)
	}
	if err != nil {
		return err
	}
	s.flash(c, flashDone, done)
	return c.Redirect(http.StatusSeeOther, "/people")
}

// resetForm makes a reset link and shows it, once.
func (s *Server) resetForm(c echo.Context) error {
	ctx, a := c.Request().Context(), s.actor(c)
	users, err := s.svc.Users(ctx, a)
	if err != nil {
		return err
	}
	for i := range users {
		if users[i].ID != c.Param("id") {
			continue
		}
		link, err := s.svc.ResetLink(ctx, a, users[i].Email)
		if err != nil {
			return s.afterPerson(c, err, "")
		}
		return s.renderPeople(c, http.StatusOK, views.PeoplePage{
			Link: &views.OneLink{For: prose.Show(users[i].Label()), URL: link, Does: "It sets a new password and works once, for an hour."},
		}, nil)
	}
	return review.Errorf(review.NotFound, "There is no such account.")
}
