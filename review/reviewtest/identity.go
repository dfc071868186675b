package reviewtest

import (
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/people"
)

var identityCases = map[string]func(*world){
	"a newcomer":                          identityNewcomer,
	"a newcomer who views":                identityViewer,
	"27: same mail, other subject":        identitySameMail,
	"one newcomer, many at once":          identityRace,
	"nobody else's words":                 identityWords,
	"link, unlink":                        identityLink,
	"the only way in stays":               identityOnlyWay,
	"a disabled account":                  identityDisabled,
	"a reset unlinks":                     identityReset,
	"a token links nothing":               identityToken,
	"proofs":                              identityProof,
	"starts are throttled":                identityThrottle,
	"a provider is no way round a factor": identityFactor,
}

const issuer = "https://id.example"

func identity(subject, email string) review.Identity {
	return review.Identity{Issuer: issuer, Subject: subject, Email: email, EmailVerified: true, Name: "Nia"}
}

func (w *world) signInAs(id review.Identity) *people.User {
	w.Helper()
	u, err := w.svc.SignInIdentity(w.ctx, id, "192.0.2.7")
	w.must(err)
	return u
}

// identityViewer: where newcomers may read, they read every server and decide nothing.
func identityViewer(w *world) {
	p := w.push("1", three())
	cfg := w.config()
	cfg.Newcomers = people.Viewer
	w.svc = review.NewService(w.store, cfg)
	nia := review.Actor{User: w.signInAs(identity("nia", "nia@example.com")), Via: "browser"}
	if got := w.again(nia).User.RoleOn(w.server.ID); got != people.Viewer {
		w.Errorf("she is %q", got)
	}
	_, err := w.svc.Server(w.ctx, nia, "mot")
	w.must(err)
	_, err = w.svc.WithdrawRelease(w.ctx, nia, idOf(p), "Not needed.", false)
	w.refused(err, review.Forbidden)
}

func identityNewcomer(w *world) {
	u := w.signInAs(identity("nia", "nia@example.com"))
	if u.Name != "Nia" || len(u.Memberships) != 0 || !u.Joined() || u.PasswordHash != "" {
		w.Errorf("account %+v", u)
	}
	nia := review.Actor{User: u, Via: "browser"}
	_, err := w.svc.Server(w.ctx, nia, "mot")
	w.refused(err, review.NotFound)
	if again := w.signInAs(identity("nia", "other@example.com")); again.ID != u.ID || again.Email != "nia@example.com" {
		w.Errorf("the second time: %+v", again)
	}
	if n := len(w.auditOf("user.join")); n != 1 {
		w.Errorf("%d accounts in the audit", n)
	}
	if n := len(w.auditOf("session.start")); n != 2 {
		w.Errorf("%d sign-ins in the audit", n)
	}
	elsewhere := identity("nia", "nia@example.com") // another issuer's "nia" is another person
	elsewhere.Issuer = "https://id.elsewhere.example"
	_, err = w.svc.SignInIdentity(w.ctx, elsewhere, "")
	w.refused(err, review.Conflict, "Sign in as usual")
	added, link, err := w.svc.AddUser(w.ctx, w.ana, review.NewUser{Email: "nia@example.com", Role: people.Reviewer, Servers: on("mot")})
	if err != nil || link != "" || added.ID != u.ID {
		w.Errorf("a role for the newcomer: %+v, link %q, %v", added, link, err)
	}
}

func identitySameMail(w *world) {
	for _, mail := range []string{email("Rita"), strings.ToUpper(email("Rita")), " " + email("Rita")} {
		_, err := w.svc.SignInIdentity(w.ctx, identity("mallory", mail), "")
		w.refused(err, review.Conflict, "account")
	}
	w.must(w.svc.LinkIdentity(w.ctx, w.rita, identity("rita", email("Rita"))))
	_, err := w.svc.SignInIdentity(w.ctx, identity("mallory", email("Rita")), "")
	w.refused(err, review.Conflict, "Sign in as usual", "account page")
	if links, err := w.svc.Identities(w.ctx, w.rita); err != nil || len(links) != 1 || links[0].Subject != "rita" {
		w.Errorf("linked: %+v, %v", links, err)
	}
}

func identityRace(w *world) {
	var in atomic.Int32
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if _, err := w.svc.SignInIdentity(w.ctx, identity("nia", "nia@example.com"), ""); err == nil {
				in.Add(1)
			} else if review.KindOf(err) != review.Conflict {
				w.Errorf("unexpected: %v", err)
			}
		})
	}
	wg.Wait()
	if n := len(w.auditOf("user.join")); n != 1 || in.Load() == 0 {
		w.Errorf("%d accounts were made, %d got in", n, in.Load())
	}
}

func identityWords(w *world) {
	for name, change := range map[string]func(*review.Identity){
		"no subject":     func(id *review.Identity) { id.Subject = "" },
		"endless":        func(id *review.Identity) { id.Subject = strings.Repeat("x", 256) },
		"NUL":            func(id *review.Identity) { id.Subject = "x\x00" },
		"no issuer":      func(id *review.Identity) { id.Issuer = "" },
		"no address":     func(id *review.Identity) { id.Email = "" },
		"not an address": func(id *review.Identity) { id.Email = "nia" },
		"not verified":   func(id *review.Identity) { id.EmailVerified = false },
	} {
		id := identity("nia", "nia@example.com")
		change(&id)
		if u, err := w.svc.SignInIdentity(w.ctx, id, ""); err == nil || review.KindOf(err) == review.Internal {
			w.Errorf("%s: got in as %+v, %v", name, u, err)
		}
	}
	id := identity("nia", "nia@example.com")
	id.Name = "Ada\u202e\n"
	if u := w.signInAs(id); u.Name != "" {
		w.Errorf("the name %q was taken", u.Name)
	}
}

func identityLink(w *world) {
	w.password("Rita", "correct horse")
	w.must(w.svc.LinkIdentity(w.ctx, w.rita, identity("rita", "rita@elsewhere.example")))
	w.must(w.svc.LinkIdentity(w.ctx, w.rita, identity("rita", "rita@elsewhere.example"))) // is no news
	if n := len(w.auditOf("user.identity-linked")); n != 1 {
		w.Errorf("%d links in the audit", n)
	}
	w.refused(w.svc.LinkIdentity(w.ctx, w.rita, identity("rita-2", "")), review.Conflict, "Unlink that one first")
	w.refused(w.svc.LinkIdentity(w.ctx, w.rob, identity("rita", "")), review.Conflict, "another account")
	if u := w.signInAs(identity("rita", "changed@elsewhere.example")); u.ID != w.rita.User.ID {
		w.Errorf("signed in as %+v", u)
	}
	w.refused(w.svc.UnlinkIdentity(w.ctx, w.rob, issuer), review.Conflict, "No such sign-in")
	w.must(w.svc.UnlinkIdentity(w.ctx, w.rita, issuer))
	w.refused(w.svc.UnlinkIdentity(w.ctx, w.rita, issuer), review.Conflict, "No such sign-in")
	_, err := w.svc.SignInIdentity(w.ctx, identity("rita", email("Rita")), "")
	w.refused(err, review.Conflict, "Sign in as usual")
	w.must(w.svc.LinkIdentity(w.ctx, w.rob, identity("rita", ""))) // it is free again
}

func identityOnlyWay(w *world) {
	nia := review.Actor{User: w.signInAs(identity("nia", "nia@example.com")), Via: "browser"}
	w.refused(w.svc.UnlinkIdentity(w.ctx, nia, issuer), review.Conflict, "no password", "reset link")
	second := identity("nia", "")
	second.Issuer = "https://id.elsewhere.example"
	w.must(w.svc.LinkIdentity(w.ctx, nia, second))
	w.must(w.svc.UnlinkIdentity(w.ctx, nia, issuer))
	w.refused(w.svc.UnlinkIdentity(w.ctx, nia, second.Issuer), review.Conflict, "no password")
}

func identityDisabled(w *world) {
	u := w.signInAs(identity("nia", "nia@example.com"))
	w.must(w.svc.DisableUser(w.ctx, w.admin, u.ID))
	_, err := w.svc.SignInIdentity(w.ctx, identity("nia", "new@example.com"), "")
	w.refused(err, review.Unauthenticated, "disabled")
}

func identityReset(w *world) {
	w.must(w.svc.LinkIdentity(w.ctx, w.rita, identity("mallory", "mallory@example.com"))) // by whoever took her session over
	w.password("Rita", "correct horse")
	if links, err := w.svc.Identities(w.ctx, w.rita); err != nil || len(links) != 0 {
		w.Errorf("after a reset: %+v, %v", links, err)
	}
}

func identityToken(w *world) {
	a, _ := w.token(review.NewToken{ServerSlug: "mot", UserEmail: email("Rita"), Name: "t", Scopes: []people.Scope{people.ScopeReview}})
	w.refused(w.svc.LinkIdentity(w.ctx, a, identity("rita", "")), review.Forbidden)
	w.refused(w.svc.UnlinkIdentity(w.ctx, a, issuer), review.Forbidden)
	w.refused(w.svc.LinkIdentity(w.ctx, review.Actor{}, identity("rita", "")), review.Unauthenticated)
}

func identityProof(w *world) {
	nia := review.Actor{User: w.signInAs(identity("nia", "nia@example.com")), Via: "browser"}
	id := identity("nia", "nia@example.com")
	w.refused(w.svc.ProveIdentity(w.ctx, nia, id, w.clock), review.Unauthenticated, "did not ask you")
	id.AuthAt = w.clock.Add(-time.Hour)
	w.refused(w.svc.ProveIdentity(w.ctx, nia, id, w.clock), review.Unauthenticated, "did not ask you")
	id.AuthAt = w.clock.Add(-time.Second) // clocks differ
	w.must(w.svc.ProveIdentity(w.ctx, nia, id, w.clock))
	id.Subject = "mallory"
	w.refused(w.svc.ProveIdentity(w.ctx, nia, id, w.clock), review.Unauthenticated, "not linked to")
	w.must(w.svc.LinkIdentity(w.ctx, w.rita, id))
	w.refused(w.svc.ProveIdentity(w.ctx, nia, id, w.clock), review.Unauthenticated, "not linked to")
	if n := len(w.auditOf("session.prove")); n != 1 {
		w.Errorf("%d proofs in the audit", n)
	}
}

func identityFactor(w *world) {
	w.must(w.svc.LinkIdentity(w.ctx, w.rita, identity("rita", "")))
	w.enrol(w.rita)
	before := len(w.auditOf("session.start"))
	if u := w.signInAs(identity("rita", "")); !u.HasSecondFactor() {
		w.Errorf("no code is asked of %+v", u)
	}
	if n := len(w.auditOf("session.start")); n != before {
		w.Error("signed in before the code was given")
	}
	id := identity("rita", "")
	id.AuthAt = w.clock
	w.refused(w.svc.ProveIdentity(w.ctx, w.again(w.rita), id, w.clock), review.Forbidden, "code")
}

func identityThrottle(w *world) {
	var err error
	for range 1000 {
		if err = w.svc.BeginIdentity("192.0.2.7"); err != nil {
			break
		}
	}
	w.refused(err, review.RateLimited, "Wait")
	w.must(w.svc.BeginIdentity("192.0.2.8"))
	w.clock = w.clock.Add(time.Hour)
	w.must(w.svc.BeginIdentity("192.0.2.7"))
}
