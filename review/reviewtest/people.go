package reviewtest

import (
	"slices"
	"strings"
	"time"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/people"
)

var peopleCases = map[string]func(*world){
	"25: an invitation opened by a scanner": peopleInvitation,
	"26: links are built from BASE_URL":     peopleReset,
	"open invitations":                      peopleInvitations,
	"an invitation to more than one's own":  peopleInvitedWider,
	"inviter and invitee count once":        peopleKinSinceJoining,
	"links end":                             peopleLinksEnd,
	"signing in":                            peopleSignIn,
	"sign-in is throttled":                  peopleThrottle,
	"guesses at once are throttled":         peopleThrottleAtOnce,
	"signing in is no failure":              peopleSignInsAreNoFailures,
	"nobody grants above their own role":    peopleGrants,
	"the last administrator stays":          peopleLastAdmin,
	"a disabled account":                    peopleDisabled,
	"who makes which tokens":                peopleTokens,
	"tokens are not administration":         peopleTokenActs,
	"a token of one profile":                peopleTokenProfile,
	"a review token made in the shell":      peopleTokenTold,
	"demo sign-in":                          peopleDemo,
	"servers":                               peopleServers,
	"the audit":                             peopleAudit,
	"bad accounts":                          peopleBad,
}

func tokenOf(link string) string { return strings.TrimPrefix(link, baseURL+"/links/") }

// setUp runs in a world without people.
func setUp(w *world) {
	needed, err := w.svc.SetUpNeeded(w.ctx)
	w.must(err)
	if !needed {
		w.Error("an empty instance needs no set-up")
	}
	first, err := w.svc.NewSetUpLink(w.ctx)
	w.must(err)
	second, err := w.svc.NewSetUpLink(w.ctx)
	w.must(err)
	l, u, err := w.svc.Link(w.ctx, tokenOf(first))
	w.must(err)
	if l.Kind != review.LinkSetUp || u != nil {
		w.Errorf("the link is %+v of %+v", l, u)
	}
	_, err = w.svc.UseSetUp(w.ctx, tokenOf(first), "ada@example.com", "Ada", "short", "")
	w.refused(err, review.Invalid)
	u, err = w.svc.UseSetUp(w.ctx, tokenOf(first), "ada@example.com", "Ada", "correct horse", "")
	w.must(err)
	if u.RoleOn("") != people.Admin {
		w.Errorf("the first account is %q", u.RoleOn(""))
	}
	for _, link := range []string{first, second} { // used, and no longer for anybody
		_, err = w.svc.UseSetUp(w.ctx, tokenOf(link), "eve@example.com", "Eve", "correct horse", "")
		if err == nil {
			w.Error("a second administrator was set up")
		}
	}
	_, err = w.svc.NewSetUpLink(w.ctx)
	w.refused(err, review.Conflict, "set up already")
	if needed, err = w.svc.SetUpNeeded(w.ctx); err != nil || needed {
		w.Errorf("set up, it still needs it (%v)", err)
	}
}

func peopleInvitation(w *world) {
	u, link, err := w.svc.AddUser(w.ctx, w.ana, review.NewUser{Email: "Zoe@Example.com", Name: "Zoe", Role: people.Reviewer, Servers: []string{"mot"}})
	w.must(err)
	if !strings.HasPrefix(link, baseURL+"/links/") || u.InvitedBy != w.ana.User.ID {
		w.Errorf("link %s, invited by %q", link, u.InvitedBy)
	}
	for range 3 {
		l, who, err := w.svc.Link(w.ctx, tokenOf(link))
		w.must(err)
		if l.Kind != review.LinkInvite || who.ID != u.ID {
			w.Errorf("the link is %+v of %+v", l, who)
		}
	}
	_, err = w.svc.UseReset(w.ctx, tokenOf(link), "short", "")
	w.refused(err, review.Invalid, "too short")
	_, err = w.svc.UseReset(w.ctx, tokenOf(link), "correct horse", "")
	w.must(err)
	_, err = w.svc.UseReset(w.ctx, tokenOf(link), "another horse", "")
	w.refused(err, review.NotFound)
	_, err = w.svc.SignIn(w.ctx, "zoe@example.COM", "correct horse", "")
	w.must(err)
}

// invitations returns the open ones that the actor sees, by address.
func (w *world) invitations(a review.Actor) map[string]review.Invitation {
	w.Helper()
	list, err := w.svc.Invitations(w.ctx, a)
	w.must(err)
	out := map[string]review.Invitation{}
	for _, inv := range list {
		out[inv.User.Email] = inv
	}
	return out
}

func peopleInvitations(w *world) {
	const zoe = "zoe@example.com"
	u, first, err := w.svc.AddUser(w.ctx, w.ana, review.NewUser{Email: zoe, Role: people.Reviewer, Servers: on("mot")})
	w.must(err)
	if inv := w.invitations(w.ben)[zoe]; inv.By != "Ana" || !inv.Open(w.clock) || inv.Open(w.clock.Add(72*time.Hour)) || !inv.MayRenew || !inv.MayRevoke {
		w.Errorf("the invitation is %+v", inv)
	}
	_, err = w.svc.Invitations(w.ctx, w.rita)
	w.refused(err, review.Forbidden)

	_, second, err := w.svc.RenewInvitation(w.ctx, w.ben, u.ID)
	w.must(err)
	_, _, err = w.svc.Link(w.ctx, tokenOf(first)) // of two links only the newest works
	w.refused(err, review.NotFound)
	if inv := w.invitations(w.ana)[zoe]; inv.By != "Ben" {
		w.Errorf("Ben holds the link, the invitation is by %q", inv.By)
	}
	w.must(w.svc.RevokeInvitation(w.ctx, w.ana, u.ID))
	_, err = w.svc.UseReset(w.ctx, tokenOf(second), "correct horse", "")
	w.refused(err, review.NotFound)
	if _, listed := w.invitations(w.admin)[zoe]; listed {
		w.Error("a revoked invitation is listed")
	}
	w.refused(w.svc.RevokeInvitation(w.ctx, w.admin, u.ID), review.Conflict, "revoked")
	_, _, err = w.svc.RenewInvitation(w.ctx, w.admin, u.ID)
	w.refused(err, review.Conflict, "revoked")

	again, third, err := w.svc.AddUser(w.ctx, w.ana, review.NewUser{Email: zoe, Role: people.Viewer, Servers: on("mot")})
	w.must(err)
	if again.ID != u.ID || third == "" || again.RoleOn(w.server.ID) != people.Viewer {
		w.Errorf("invited again: %+v, link %q", again, third)
	}
	_, err = w.svc.UseReset(w.ctx, tokenOf(third), "correct horse", "")
	w.must(err)
	w.refused(w.svc.RevokeInvitation(w.ctx, w.ana, u.ID), review.Conflict, "came already")
	_, _, err = w.svc.RenewInvitation(w.ctx, w.ana, u.ID)
	w.refused(err, review.Conflict, "came already")
}

// peopleInvitedWider: whoever holds a link is all that the account is, so a
// maintainer gets none to an account that is more elsewhere.
func peopleInvitedWider(w *world) {
	w.addServer("b", gate.Team)
	const zoe = "zoe@example.com"
	u, link, err := w.svc.AddUser(w.ctx, w.admin, review.NewUser{Email: zoe, Role: people.Reviewer, Servers: []string{"b", "b"}})
	w.must(err)
	for _, f := range []func(review.Actor) error{
		func(a review.Actor) error { return w.svc.RevokeInvitation(w.ctx, a, u.ID) },
		func(a review.Actor) error { _, _, err := w.svc.RenewInvitation(w.ctx, a, u.ID); return err },
	} {
		w.refused(f(w.ana), review.NotFound) // of another server
		w.refused(f(w.rita), review.NotFound)
	}
	_, none, err := w.svc.AddUser(w.ctx, w.ana, review.NewUser{Email: zoe, Role: people.Maintainer, Servers: on("mot")})
	w.must(err)
	if none != "" {
		w.Error("a maintainer got a link into an account of another server")
	}
	_, _, err = w.svc.RenewInvitation(w.ctx, w.ana, u.ID)
	w.refused(err, review.Forbidden, "more than you may give")
	if inv := w.invitations(w.ana)[zoe]; inv.MayRenew || !inv.MayRevoke {
		w.Errorf("to Ana the invitation is %+v", inv)
	}
	w.must(w.svc.RevokeInvitation(w.ctx, w.ana, u.ID)) // only what is hers
	joined, err := w.svc.UseReset(w.ctx, tokenOf(link), "correct horse", "")
	w.must(err)
	if joined.RoleOn(w.server.ID) != people.NoRole || len(joined.Memberships) != 1 {
		w.Errorf("Ana's part was revoked, joined as %+v", joined.Memberships)
	}
	_, _, err = w.svc.AddUser(w.ctx, w.ana, review.NewUser{Email: "y@example.com", Role: people.Viewer, Servers: []string{"mot", "b"}})
	w.refused(err, review.NotFound) // b is not hers
}

// peopleKinSinceJoining: the 30 days begin when the invited person comes, so an
// old invitation does not become a second pair of eyes on its first day.
func peopleKinSinceJoining(w *world) {
	_, link, err := w.svc.AddUser(w.ctx, w.ana, review.NewUser{Email: "zoe@example.com", Role: people.Maintainer, Servers: on("mot")})
	w.must(err)
	w.clock = w.clock.Add(71 * time.Hour)
	u, err := w.svc.UseReset(w.ctx, tokenOf(link), "correct horse", "")
	w.must(err)
	if !u.Since().Equal(w.clock) {
		w.Errorf("counts since %s, came %s", u.Since(), w.clock)
	}
	w.mustSetPolicy(w.ana, quorum(3), review.PolicyInForce)
	decide := func() error {
		proposed := w.mustSetPolicy(w.ana, quorum(2), review.PolicyProposed)
		zoe := w.again(review.Actor{User: u, Via: "browser"})
		_, err := w.svc.DecidePolicy(w.ctx, zoe, "mot", proposed.Policy.Version, true)
		if err != nil {
			_, back := w.svc.DecidePolicy(w.ctx, w.ana, "mot", proposed.Policy.Version, false)
			w.must(back)
		}
		return err
	}
	w.clock = w.clock.Add(gate.KinTime - time.Hour) // more than 30 days after the invitation
	w.refused(decide(), review.Forbidden, "count as one person")
	w.clock = w.clock.Add(time.Hour)
	w.must(decide())
}

func peopleReset(w *world) {
	_, secret := w.token(review.NewToken{UserEmail: email("Rita"), Scopes: []people.Scope{people.ScopeRead}})
	link, err := w.svc.ResetLink(w.ctx, w.admin, email("Rita"))
	w.must(err)
	if !strings.HasPrefix(link, baseURL+"/links/") {
		w.Errorf("link %s", link)
	}
	_, err = w.svc.UseReset(w.ctx, tokenOf(link), "correct horse", "")
	w.must(err)
	_, err = w.svc.TokenActor(w.ctx, secret, "")
	w.refused(err, review.Unauthenticated)
	for _, who := range []review.Actor{w.ana, w.rita} {
		_, err = w.svc.ResetLink(w.ctx, who, email("Ada"))
		if err == nil {
			w.Errorf("%s may reset an administrator", who.Label())
		}
	}
	_, err = w.svc.ResetLink(w.ctx, w.admin, "nobody@example.com")
	w.refused(err, review.NotFound)
}

func peopleLinksEnd(w *world) {
	reset, err := w.svc.ResetLink(w.ctx, w.admin, email("Rita"))
	w.must(err)
	_, invitation, err := w.svc.AddUser(w.ctx, w.admin, review.NewUser{Email: "zoe@example.com", Role: people.Viewer})
	w.must(err)
	w.clock = w.clock.Add(time.Hour)
	_, _, err = w.svc.Link(w.ctx, tokenOf(reset))
	w.refused(err, review.NotFound)
	_, _, err = w.svc.Link(w.ctx, tokenOf(invitation))
	w.must(err)
	w.clock = w.clock.Add(71 * time.Hour)
	_, err = w.svc.UseReset(w.ctx, tokenOf(invitation), "correct horse", "")
	w.refused(err, review.NotFound)
	_, _, err = w.svc.Link(w.ctx, "nonsense")
	w.refused(err, review.NotFound)
	setUp, err := w.svc.ResetLink(w.ctx, w.admin, email("Rita"))
	w.must(err)
	_, err = w.svc.UseSetUp(w.ctx, tokenOf(setUp), "eve@example.com", "Eve", "correct horse", "")
	w.refused(err, review.NotFound) // a link of another kind
	_, err = w.svc.UseSignInLink(w.ctx, tokenOf(setUp), "")
	w.refused(err, review.NotFound)
}

// password gives an account a password from the shell.
func (w *world) password(name, password string) {
	w.Helper()
	link, err := w.svc.ResetLink(w.ctx, w.shell, email(name))
	w.must(err)
	_, err = w.svc.UseReset(w.ctx, tokenOf(link), password, "")
	w.must(err)
}

func peopleSignIn(w *world) {
	w.password("Rita", "correct horse")
	u, err := w.svc.SignIn(w.ctx, " RITA@example.com ", "correct horse", "192.0.2.1")
	w.must(err)
	if u.ID != w.rita.User.ID {
		w.Errorf("signed in as %+v", u)
	}
	_, wrong := w.svc.SignIn(w.ctx, email("Rita"), "wrong horse", "")
	_, unknown := w.svc.SignIn(w.ctx, "nobody@example.com", "wrong horse", "")
	_, none := w.svc.SignIn(w.ctx, email("Rob"), "", "") // has no password yet
	for _, err := range []error{wrong, unknown, none} {
		w.refused(err, review.Unauthenticated, "Wrong address or password.")
	}
}

func peopleThrottle(w *world) {
	w.password("Rita", "correct horse")
	var err error
	for range 10 {
		_, err = w.svc.SignIn(w.ctx, email("Rita"), "wrong horse", "192.0.2.1")
		w.refused(err, review.Unauthenticated)
	}
	_, err = w.svc.SignIn(w.ctx, email("Rita"), "correct horse", "192.0.2.2")
	w.refused(err, review.RateLimited)
	w.password("Rita", "another horse") // a reset lets her in at once
	_, err = w.svc.SignIn(w.ctx, email("Rita"), "another horse", "192.0.2.2")
	w.must(err)
	w.clock = w.clock.Add(11 * time.Minute)
	_, err = w.svc.SignIn(w.ctx, email("Rita"), "another horse", "192.0.2.1")
	w.must(err)
}

// Guesses that arrive together are counted like guesses one by one.
func peopleThrottleAtOnce(w *world) {
	w.password("Rita", "correct horse")
	const guesses = 30
	kinds := make(chan review.Kind, guesses)
	for range guesses {
		go func() {
			_, err := w.svc.SignIn(w.ctx, email("Rita"), "wrong horse", "192.0.2.1")
			kinds <- review.KindOf(err)
		}()
	}
	got := map[review.Kind]int{}
	for range guesses {
		got[<-kinds]++
	}
	if got[review.Unauthenticated] != 10 || got[review.RateLimited] != guesses-10 {
		w.Errorf("%v, want 10 that are wrong and the rest throttled", got)
	}
}

// Whoever signs in doesn't use up what others at the address may get wrong.
func peopleSignInsAreNoFailures(w *world) {
	w.password("Rita", "correct horse")
	for range 31 {
		_, err := w.svc.SignIn(w.ctx, email("Rita"), "correct horse", "192.0.2.1")
		w.must(err)
	}
}

func peopleGrants(w *world) {
	w.addServer("b", gate.Team)
	for _, c := range []struct {
		who  review.Actor
		role people.Role
		slug string
		want review.Kind
	}{
		{w.ana, people.Maintainer, "mot", ""},
		{w.ana, people.Reviewer, "", review.NotFound},
		{w.ana, people.Reviewer, "b", review.NotFound},
		{w.rita, people.Viewer, "mot", review.Forbidden},
		{w.admin, people.Admin, "", ""},
		{w.admin, people.Admin, "mot", review.Invalid},
		{w.admin, "owner", "", review.Invalid},
	} {
		err := w.setRole(c.who, w.vic.User.ID, c.slug, c.role)
		if c.want == "" {
			w.must(err)
		} else {
			w.refused(err, c.want)
		}
		w.must(w.setRole(w.shell, w.vic.User.ID, "", people.NoRole))
	}
	_, _, err := w.svc.AddUser(w.ctx, w.ana, review.NewUser{Email: "z@example.com", Role: people.Admin})
	if err == nil {
		w.Error("a maintainer invites administrators")
	}
	_, _, err = w.svc.AddUser(w.ctx, w.admin, review.NewUser{Email: "z@example.com", Role: people.Viewer, Password: "correct horse"})
	w.refused(err, review.Forbidden)
}

func peopleLastAdmin(w *world) {
	w.refused(w.setRole(w.admin, w.admin.User.ID, "", people.Viewer), review.Conflict, "last administrator")
	w.refused(w.svc.DisableUser(w.ctx, w.admin, w.admin.User.ID), review.Conflict, "last administrator")
	w.must(w.setRole(w.admin, w.ben.User.ID, "", people.Admin))
	w.must(w.setRole(w.admin, w.admin.User.ID, "", people.Viewer))
	w.refused(w.svc.DisableUser(w.ctx, w.shell, w.ben.User.ID), review.Conflict)
}

func peopleDisabled(w *world) {
	w.password("Rita", "correct horse")
	_, secret := w.token(review.NewToken{UserEmail: email("Rita"), Scopes: []people.Scope{people.ScopeReview}})
	w.refused(w.svc.DisableUser(w.ctx, w.ana, w.rita.User.ID), review.NotFound)
	w.must(w.svc.DisableUser(w.ctx, w.admin, w.rita.User.ID))
	w.must(w.svc.DisableUser(w.ctx, w.admin, w.rita.User.ID))
	_, err := w.svc.UserByID(w.ctx, w.rita.User.ID)
	w.refused(err, review.Unauthenticated)
	_, err = w.svc.SignIn(w.ctx, email("Rita"), "correct horse", "")
	w.refused(err, review.Unauthenticated)
	_, err = w.svc.TokenActor(w.ctx, secret, "")
	w.refused(err, review.Unauthenticated)
	_, err = w.svc.ResetLink(w.ctx, w.admin, email("Rita"))
	w.refused(err, review.NotFound)
}

func peopleTokens(w *world) {
	push, rev := []people.Scope{people.ScopePush}, []people.Scope{people.ScopeReview}
	for name, c := range map[string]struct {
		who  review.Actor
		tok  review.NewToken
		want review.Kind
	}{
		"a machine of one's server": {w.ana, review.NewToken{Name: "ci", ServerSlug: "mot", Scopes: push}, ""},
		"a machine of every server": {w.ana, review.NewToken{Scopes: push}, review.Forbidden},
		"a reviewer's machine":      {w.rita, review.NewToken{ServerSlug: "mot", Scopes: push}, review.Forbidden},
		"one's own":                 {w.rita, review.NewToken{UserEmail: "RITA@example.com", Scopes: rev}, ""},
		"another's":                 {w.ana, review.NewToken{UserEmail: email("Rita"), Scopes: rev}, review.Forbidden},
		"another's, as admin":       {w.admin, review.NewToken{UserEmail: email("Rita"), Scopes: rev}, review.Forbidden},
		"another's, from the shell": {w.shell, review.NewToken{UserEmail: email("Rita"), Scopes: rev}, ""},
		"review without a user":     {w.shell, review.NewToken{Scopes: rev}, review.Invalid},
		"no scope":                  {w.shell, review.NewToken{}, review.Invalid},
		"unknown scope":             {w.shell, review.NewToken{Scopes: []people.Scope{"admin"}}, review.Invalid},
		"for ever":                  {w.shell, review.NewToken{Scopes: push, Days: 4000}, review.Invalid},
		"unknown user":              {w.shell, review.NewToken{UserEmail: "x@example.com", Scopes: rev}, review.NotFound},
		"nobody":                    {review.Actor{}, review.NewToken{Scopes: push}, review.Unauthenticated},
	} {
		secret, tok, err := w.svc.CreateToken(w.ctx, c.who, c.tok)
		if review.KindOf(err) != c.want && (err != nil || c.want != "") {
			w.Errorf("%s: %v", name, err)
		}
		if err == nil && (!strings.HasPrefix(secret, "cs_") || len(secret) != 46 || tok.Hint != secret[42:] || tok.FromShell != c.who.Shell) {
			w.Errorf("%s: %q %+v", name, secret, tok)
		}
	}
	ana, err := w.svc.Tokens(w.ctx, w.ana)
	w.must(err)
	if len(ana) != 1 || ana[0].Name != "ci" || ana[0].Maker != "Ana" || ana[0].User != "" {
		w.Errorf("Ana sees %+v", ana)
	}
	rita, err := w.svc.Tokens(w.ctx, w.rita)
	w.must(err)
	if len(rita) != 2 || !slices.ContainsFunc(rita, func(t review.TokenView) bool { return t.FromShell && t.Maker == "" && t.User == "Rita" }) {
		w.Errorf("Rita sees %+v", rita)
	}
	w.refused(w.svc.RevokeToken(w.ctx, w.rob, rita[0].ID), review.NotFound)
	w.must(w.svc.RevokeToken(w.ctx, w.rita, rita[0].ID))
	w.must(w.svc.RevokeToken(w.ctx, w.ana, ana[0].ID))
}

func peopleTokenActs(w *world) {
	bot, _ := w.token(review.NewToken{UserEmail: email("Ada"), Scopes: []people.Scope{people.ScopePush, people.ScopeGate, people.ScopeRead, people.ScopeReview}})
	_, _, err := w.svc.AddServer(w.ctx, bot, review.NewServer{Slug: "c"})
	w.refused(err, review.Forbidden, "token")
	_, err = w.svc.Users(w.ctx, bot)
	w.refused(err, review.Forbidden)
	_, err = w.svc.RotateSecret(w.ctx, bot, "mot")
	w.refused(err, review.Forbidden)
	_, _, err = w.svc.CreateToken(w.ctx, bot, review.NewToken{UserEmail: email("Ada"), Scopes: []people.Scope{people.ScopeReview}})
	w.refused(err, review.Forbidden)
	_, err = w.svc.AuditLog(w.ctx, bot, review.AuditQuery{}, review.Page{})
	w.refused(err, review.Forbidden)
	gateOnly, _ := w.token(review.NewToken{ServerSlug: "mot", Scopes: []people.Scope{people.ScopeGate}})
	p := w.push("1", three())
	_, err = w.svc.Gate(w.ctx, gateOnly, "mot", review.Question{Digest: p.Answer.Listing.Digest})
	w.must(err)
	_, err = w.svc.Release(w.ctx, gateOnly, idOf(p))
	w.refused(err, review.Forbidden, "read")
}

func peopleTokenProfile(w *world) {
	both := []people.Scope{people.ScopePush, people.ScopeGate}
	for name, n := range map[string]review.NewToken{
		"read":      {ServerSlug: "mot", Profile: "ro", Scopes: []people.Scope{people.ScopeRead}},
		"server":    {Profile: "ro", Scopes: both},
		"1 to 63":   {ServerSlug: "mot", Profile: "r o", Scopes: both},
		"Leave out": {ServerSlug: "mot", Profile: "ro", UserEmail: email("Rita"), Scopes: []people.Scope{people.ScopePush, people.ScopeReview}},
	} {
		_, _, err := w.svc.CreateToken(w.ctx, w.shell, n)
		w.refused(err, review.Invalid)
		if !strings.Contains(sentenceOf(err), name) {
			w.Errorf("%+v: %s", n, sentenceOf(err))
		}
	}
	bound, secret := w.token(review.NewToken{ServerSlug: "mot", Profile: "ro", Scopes: both})
	free := w.push("1", three())
	for _, params := range []review.PushParams{
		{Version: "2"}, {Version: "2", Profile: "default"}, {Version: "2", Profile: "rw"}, {Version: "2", Preview: true},
	} {
		m := w.sending("2", three())
		m.bearer, m.params = secret, params
		_, err := w.send(m)
		w.refused(err, review.Forbidden, "bound to the profile ro", "profile=ro")
	}
	log, err := w.svc.Deliveries(w.ctx, w.ana, "mot", review.Page{})
	w.must(err)
	if len(log) != 5 || log[0].Status != 403 {
		w.Errorf("the refusals are not in the log: %+v", log)
	}
	for _, profile := range []string{"", "default", "rw"} {
		_, err := w.svc.Gate(w.ctx, bound, "mot", review.Question{Profile: profile, Digest: free.Answer.Listing.Digest})
		w.refused(err, review.Forbidden, "bound to the profile ro")
	}
	m := w.sending("2", three())
	m.bearer, m.params = secret, review.PushParams{Version: "2", Profile: "ro"}
	own := w.pushAs(m)
	g, err := w.svc.Gate(w.ctx, bound, "mot", review.Question{Profile: "ro", Digest: own.Answer.Listing.Digest})
	w.must(err)
	if g.Profile != "ro" || g.Server != "mot" {
		w.Errorf("the answer is of %s %s", g.Server, g.Profile)
	}
	_, err = w.svc.AddCapture(w.ctx, bound, free.Answer.Listing.ID, review.NewCapture{})
	w.refused(err, review.Forbidden, "bound to the profile ro")
	_, err = w.svc.Release(w.ctx, bound, idOf(own))
	w.refused(err, review.Forbidden, "scope")
}

// peopleTokenTold: whoever has the command line decides as anybody, who has to hear of it.
func peopleTokenTold(w *world) {
	notices := func(a review.Actor) []review.Notice {
		in, err := w.svc.Inbox(w.ctx, a, review.Page{})
		w.must(err)
		if in.Unread != len(in.Notices) {
			w.Errorf("%d unread of %d", in.Unread, len(in.Notices))
		}
		return in.Notices
	}
	w.token(review.NewToken{ServerSlug: "mot", Scopes: []people.Scope{people.ScopePush}})
	w.token(review.NewToken{UserEmail: email("Rita"), Scopes: []people.Scope{people.ScopeRead}})
	_, _, err := w.svc.CreateToken(w.ctx, w.rita, review.NewToken{UserEmail: email("Rita"), Scopes: []people.Scope{people.ScopeReview}})
	w.must(err)
	if got := notices(w.rita); len(got) != 0 {
		w.Errorf("Rita is told of what does not decide, or of her own: %+v", got)
	}
	bot, _ := w.token(review.NewToken{Name: "bot", UserEmail: email("Rita"), Scopes: []people.Scope{people.ScopeReview}})
	got := notices(w.rita)
	if len(got) != 1 || got[0].Kind != review.NoticeToken || got[0].Actor != "shell" || !strings.Contains(got[0].Text, "bot (…"+bot.Token.Hint+")") {
		w.Fatalf("Rita is told %+v", got)
	}
	if got := notices(w.rob); len(got) != 0 {
		w.Errorf("Rob is told of Rita's token: %+v", got)
	}
	w.released("1", three())
	p := w.push("2", findMore("more"))
	w.approve(bot, idOf(p), "find")
	view := w.view(idOf(p))
	if !slices.ContainsFunc(view.Changes, func(d review.Decided) bool {
		return slices.ContainsFunc(d.Verdicts, func(v review.Verdict) bool { return v.ShellToken })
	}) {
		w.Error("the answer is not marked")
	}
	w.must(w.svc.RevokeToken(w.ctx, w.rita, bot.Token.ID))
}

func peopleDemo(w *world) {
	link, err := w.svc.DemoSignInLink(w.ctx, w.admin.User.ID)
	w.must(err)
	u, err := w.svc.UseSignInLink(w.ctx, tokenOf(link), "127.0.0.1")
	w.must(err)
	if u.ID != w.admin.User.ID {
		w.Errorf("signed in as %+v", u)
	}
	_, err = w.svc.UseSignInLink(w.ctx, tokenOf(link), "127.0.0.1")
	w.refused(err, review.NotFound)
}

func peopleServers(w *world) {
	for slug, want := range map[string]review.Kind{
		"mot": review.Conflict, "Big": review.Invalid, "": review.Invalid, "-a": review.Invalid, "a/b": review.Invalid, strings.Repeat("a", 64): review.Invalid,
	} {
		_, _, err := w.svc.AddServer(w.ctx, w.admin, review.NewServer{Slug: slug})
		w.refused(err, want)
	}
	_, _, err := w.svc.AddServer(w.ctx, w.ana, review.NewServer{Slug: "own"})
	w.refused(err, review.NotFound)
	srv, secret, err := w.svc.AddServer(w.ctx, w.admin, review.NewServer{Slug: "own"})
	w.must(err)
	if srv.Policy.Preset != gate.Team || srv.Policy.Version != 1 || srv.Name != "own" || !strings.HasPrefix(secret, "whsec_") || len(secret) != 50 {
		w.Errorf("%+v %q", srv, secret)
	}
	_, err = w.svc.Server(w.ctx, w.ana, "own")
	w.refused(err, review.NotFound)
}

func peopleAudit(w *world) {
	w.released("1", three())
	log, err := w.svc.AuditLog(w.ctx, w.admin, review.AuditQuery{}, review.Page{Limit: 500})
	w.must(err)
	var acts []string
	for _, e := range log {
		acts = append(acts, e.Act)
		if strings.Contains(e.Before+e.After, "whsec_") || strings.Contains(e.Before+e.After, "argon2id") {
			w.Errorf("a secret in the audit: %+v", e)
		}
	}
	for _, want := range []string{"server.add", "user.add", "listing.push", "baseline.accept", "release.release"} {
		if !slices.Contains(acts, want) {
			w.Errorf("the audit has no %s among %q", want, acts)
		}
	}
	own, err := w.svc.AuditLog(w.ctx, w.ana, review.AuditQuery{}, review.Page{Limit: 500})
	w.must(err)
	if len(own) == 0 || slices.ContainsFunc(own, func(e review.AuditAct) bool { return e.ServerID != w.server.ID }) {
		w.Errorf("Ana sees %+v", own)
	}
	for _, who := range []review.Actor{w.rita, w.vic} {
		_, err = w.svc.AuditLog(w.ctx, who, review.AuditQuery{Server: "mot"}, review.Page{})
		w.refused(err, review.Forbidden)
		_, err = w.svc.AuditLog(w.ctx, who, review.AuditQuery{}, review.Page{})
		w.refused(err, review.Forbidden)
	}
}

func peopleBad(w *world) {
	for _, n := range []review.NewUser{
		{Email: "nobody"}, {Email: "Ada <ada@example.com>"}, {Email: "a@b", Name: "x\ny"}, {Email: "a@b", Name: "\u202e"},
		{Email: "a@b", Name: strings.Repeat("x", 300)}, {Email: strings.Repeat("x", 300) + "@example.com"}, {Email: "a@b", Password: "short"},
	} {
		n.Role = people.Viewer
		_, _, err := w.svc.AddUser(w.ctx, w.shell, n)
		w.refused(err, review.Invalid)
	}
	w.password("Ada", "correct horse")
	_, _, err := w.svc.AddUser(w.ctx, w.shell, review.NewUser{Email: "ADA@example.com", Role: people.Viewer})
	w.refused(err, review.Conflict)
	_, link, err := w.svc.AddUser(w.ctx, w.shell, review.NewUser{Email: email("Ada"), Role: people.Reviewer, Servers: []string{"mot"}})
	w.must(err)
	if link != "" {
		w.Error("an account that exists got an invitation")
	}
}
