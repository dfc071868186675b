package web

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/people"
	"github.com/countersign/countersign/review/prose"
	"github.com/countersign/countersign/views"
)

var scopeWords = []struct {
	scope people.Scope
	text  string
}{
	{people.ScopePush, "sends listings"},
	{people.ScopeGate, "asks whether a listing may be published"},
	{people.ScopeRead, "reads what you may read"},
	{people.ScopeReview, "decides, as you"},
}

func (s *Server) tokensPage(c echo.Context) error {
	return s.renderTokens(c, http.StatusOK, views.TokensPage{}, nil)
}

func (s *Server) renderTokens(c echo.Context, status int, p views.TokensPage, form url.Values) error {
	ctx, a := c.Request().Context(), s.actor(c)
	tokens, err := s.svc.Tokens(ctx, a)
	if err != nil {
		return err
	}
	servers, err := s.svc.Servers(ctx, a)
	if err != nil {
		return err
	}
	names := serverNames(servers)
	p.Page = s.page(c, "Tokens", "tokens")
	for i := range tokens {
		p.Tokens = append(p.Tokens, s.tokenLine(a, &tokens[i], names))
	}
	p.New = tokenForm(a, servers, form)
	return s.render(c, status, views.Tokens(p))
}

func (s *Server) tokenLine(a review.Actor, t *review.TokenView, names map[string]string) views.TokenLine {
	line := views.TokenLine{
		Name: prose.Show(t.Name), Hint: t.Hint, Scopes: joinScopes(t.Scopes),
		Made: s.when(t.CreatedAt), Ends: s.when(t.ExpiresAt), Used: s.when(t.LastUsed), Never: t.LastUsed.IsZero(),
	}
	if t.ServerID != "" {
		line.Server = views.ShowName(cmpOr(names[t.ServerID], "another server"))
	}
	if t.Profile != "" {
		line.Profile = views.ShowName(t.Profile)
	}
	line.User, line.Maker = you(a, t.UserID, t.User), you(a, t.MadeBy, t.Maker)
	if t.FromShell {
		line.Tags = append(line.Tags, "made in the shell")
	}
	switch {
	case !t.RevokedAt.IsZero():
		line.Dead = "revoked"
	case !s.opt.Now().Before(t.ExpiresAt):
		line.Dead = "expired"
	default:
		line.RevokeURL = path([]string{"tokens", t.ID, "revoke"})
	}
	return line
}

// you names somebody, nil nobody; who looks at the page is called you.
func you(a review.Actor, id, label string) prose.Visible {
	switch {
	case id == "":
		return nil
	case a.User != nil && id == a.User.ID:
		return prose.Show("you")
	}
	return prose.Show(label)
}

func joinScopes(scopes []people.Scope) string {
	var out []string
	for _, sc := range scopes {
		out = append(out, string(sc))
	}
	return strings.Join(out, ", ")
}

const meValue = "me"

func tokenForm(a review.Actor, servers []review.ServerView, form url.Values) *views.TokenForm {
	f := &views.TokenForm{
		Name: form.Get("name"), Profile: form.Get("profile"), Days: cmpOr(form.Get("days"), "90"),
		Users: []views.Place{{Value: meValue, Label: "You", Chosen: form.Get("as") == meValue || form == nil && !maintainsAny(a.User)}},
	}
	if maintainsAny(a.User) {
		f.Users = append([]views.Place{{Value: "", Label: "A machine"}}, f.Users...)
	}
	f.Servers = append(f.Servers, views.Place{Value: "", Label: "Every server", Chosen: form.Get("server") == ""})
	for _, v := range servers {
		f.Servers = append(f.Servers, views.Place{Value: v.Server.Slug, Label: prose.Show(v.Server.Name).String(), Chosen: form.Get("server") == v.Server.Slug})
	}
	for _, sc := range scopeWords {
		choice := views.Choice{Value: string(sc.scope), Title: string(sc.scope), Text: sc.text, Checked: form == nil && (sc.scope == people.ScopePush || sc.scope == people.ScopeGate)}
		for _, wanted := range form["scope"] {
			choice.Checked = choice.Checked || wanted == string(sc.scope)
		}
		f.Scopes = append(f.Scopes, choice)
	}
	return f
}

// addTokenForm makes a token and shows its secret, once.
func (s *Server) addTokenForm(c echo.Context) error {
	form, err := s.form(c)
	if err != nil {
		return err
	}
	a := s.actor(c)
	n := review.NewToken{Name: form.Get("name"), ServerSlug: form.Get("server"), Profile: strings.TrimSpace(form.Get("profile")), Days: days(form.Get("days"))}
	for _, sc := range form["scope"] {
		n.Scopes = append(n.Scopes, people.Scope(sc))
	}
	if form.Get("as") == meValue {
		n.UserEmail = a.User.Email
	}
	secret, t, err := s.svc.CreateToken(c.Request().Context(), a, n)
	if fault, ok := sentenceOf(err); ok {
		return s.renderTokens(c, describe(err, "").Status, views.TokensPage{Fault: fault}, form)
	}
	if err != nil {
		return err
	}
	return s.renderTokens(c, http.StatusCreated, views.TokensPage{Secret: secret, SecretOf: prose.Show(t.Name)}, nil)
}

// days reads how long a token lives; what is no number is for the service to
// refuse.
func days(text string) int {
	if text == "" {
		return 0
	}
	n := 0
	for _, r := range text {
		if r < '0' || r > '9' || n > 1000 {
			return -1
		}
		n = n*10 + int(r-'0')
	}
	return n
}

func (s *Server) revokeTokenForm(c echo.Context) error {
	a := s.actor(c)
	err := s.svc.RevokeToken(c.Request().Context(), a, c.Param("id"))
	if review.KindOf(err) == review.NotFound && !maintainsAny(a.User) {
		return review.Errorf(review.Forbidden, "You may revoke your own tokens. Whoever maintains a server may revoke those of its machines.")
	}
	if err != nil {
		return err
	}
	s.flash(c, flashDone, "The token is revoked.")
	return c.Redirect(http.StatusSeeOther, "/tokens")
}
