package reviewtest

import (
	"encoding/base32"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/people"
)

var factorCases = map[string]func(*world){
	"set up, sign in, remove":      factorStory,
	"a code works once":            factorReplay,
	"codes at once: one is in":     factorRace,
	"recovery codes":               factorRecovery,
	"codes are throttled":          factorThrottle,
	"a lost factor":                factorLost,
	"required by policy":           factorPolicy,
	"a secret is nowhere in clear": factorSealed,
	"proofs":                       factorProof,
}

// phone is an app that was taught the secret of a person.
type phone struct{ secret []byte }

func (p phone) code(w *world) string { return people.FactorCode(p.secret, w.clock) }

// enrol gives a person a second factor.
func (w *world) enrol(a review.Actor) (phone, []string) {
	w.Helper()
	w.must(w.svc.BeginSecondFactor(w.ctx, a))
	setUp, err := w.svc.WaitingSecondFactor(w.ctx, a)
	w.must(err)
	secret, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(setUp.Key)
	w.must(err)
	p := phone{secret}
	codes, err := w.svc.ConfirmSecondFactor(w.ctx, a, p.code(w), "")
	w.must(err)
	w.clock = w.clock.Add(30 * time.Second) // that code is used
	return p, codes
}

func factorStory(w *world) {
	w.password("Rita", "correct horse")
	if setUp, err := w.svc.WaitingSecondFactor(w.ctx, w.rita); err != nil || setUp != nil {
		w.Errorf("before it began: %+v, %v", setUp, err)
	}
	_, err := w.svc.ConfirmSecondFactor(w.ctx, w.rita, "123456", "")
	w.refused(err, review.Conflict, "Begin again")
	w.must(w.svc.BeginSecondFactor(w.ctx, w.rita))
	_, err = w.svc.ConfirmSecondFactor(w.ctx, w.rita, "nonsense", "")
	w.refused(err, review.Invalid, "clock")
	if u, err := w.svc.SignIn(w.ctx, email("Rita"), "correct horse", ""); err != nil || u.HasSecondFactor() {
		w.Errorf("unconfirmed, it counts already: %+v, %v", u, err)
	}
	p, codes := w.enrol(w.rita)
	if len(codes) != people.RecoveryCodes || len(slices.Compact(slices.Sorted(slices.Values(codes)))) != len(codes) {
		w.Errorf("recovery codes %q", codes)
	}
	if setUp, err := w.svc.WaitingSecondFactor(w.ctx, w.rita); err != nil || setUp != nil {
		w.Errorf("the secret is shown again: %+v, %v", setUp, err)
	}
	w.refused(w.svc.BeginSecondFactor(w.ctx, w.rita), review.Conflict, "Remove it first")

	before := len(w.auditOf("session.start"))
	u, err := w.svc.SignIn(w.ctx, email("Rita"), "correct horse", "")
	w.must(err)
	if !u.HasSecondFactor() || len(w.auditOf("session.start")) != before {
		w.Error("half a sign-in stands as one in the audit")
	}
	_, err = w.svc.SignInCode(w.ctx, u.ID, "000000", "")
	w.refused(err, review.Unauthenticated, "not right")
	u, err = w.svc.SignInCode(w.ctx, u.ID, p.code(w), "192.0.2.1")
	w.must(err)
	if u.ID != w.rita.User.ID || len(w.auditOf("session.start")) != before+1 {
		w.Errorf("signed in as %+v", u)
	}
	w.refused(w.svc.RemoveSecondFactor(w.ctx, w.rob, w.rita.User.ID), review.NotFound)
	w.must(w.svc.RemoveSecondFactor(w.ctx, w.rita, w.rita.User.ID))
	w.refused(w.svc.RemoveSecondFactor(w.ctx, w.rita, w.rita.User.ID), review.Conflict)
	_, err = w.svc.SignInCode(w.ctx, u.ID, codes[0], "")
	w.refused(err, review.Unauthenticated)
}

// auditOf returns the entries of an act.
func (w *world) auditOf(act string) []review.AuditAct {
	w.Helper()
	all, err := w.svc.AuditLog(w.ctx, w.admin, review.AuditQuery{}, review.Page{Limit: 500})
	w.must(err)
	return slices.DeleteFunc(all, func(e review.AuditAct) bool { return e.Act != act })
}

func factorReplay(w *world) {
	p, _ := w.enrol(w.rita)
	id, code := w.rita.User.ID, p.code(w)
	_, err := w.svc.SignInCode(w.ctx, id, code, "")
	w.must(err)
	_, err = w.svc.SignInCode(w.ctx, id, code, "")
	w.refused(err, review.Unauthenticated, "used already")
	_, err = w.svc.SignInCode(w.ctx, id, people.FactorCode(p.secret, w.clock.Add(-30*time.Second)), "")
	w.refused(err, review.Unauthenticated) // older than one that was used
	w.clock = w.clock.Add(30 * time.Second)
	_, err = w.svc.SignInCode(w.ctx, id, p.code(w), "")
	w.must(err)
}

func factorRace(w *world) {
	p, codes := w.enrol(w.rita)
	for _, code := range []string{p.code(w), codes[0]} {
		var in atomic.Int32
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				if _, err := w.svc.SignInCode(w.ctx, w.rita.User.ID, code, ""); err == nil {
					in.Add(1)
				}
			})
		}
		all.Wait()
		if in.Load() != 1 {
			w.Errorf("%d came in with one code", in.Load())
		}
		w.clock = w.clock.Add(time.Hour) // past the throttle
	}
}

func factorRecovery(w *world) {
	_, codes := w.enrol(w.rita)
	left := func(want int) {
		w.Helper()
		if n, err := w.svc.RecoveryCodesLeft(w.ctx, w.rita); err != nil || n != want {
			w.Errorf("%d codes left (%v), want %d", n, err, want)
		}
	}
	left(people.RecoveryCodes)
	_, err := w.svc.SignInCode(w.ctx, w.rita.User.ID, strings.ToUpper(strings.ReplaceAll(codes[3], "-", " ")), "")
	w.must(err)
	left(people.RecoveryCodes - 1)
	_, err = w.svc.SignInCode(w.ctx, w.rita.User.ID, codes[3], "")
	w.refused(err, review.Unauthenticated)
	_, others := w.enrol(w.rob)
	_, err = w.svc.SignInCode(w.ctx, w.rita.User.ID, others[0], "")
	w.refused(err, review.Unauthenticated) // of somebody else
	fresh, err := w.svc.NewRecoveryCodes(w.ctx, w.rita)
	w.must(err)
	left(people.RecoveryCodes)
	_, err = w.svc.SignInCode(w.ctx, w.rita.User.ID, codes[4], "")
	w.refused(err, review.Unauthenticated)
	_, err = w.svc.SignInCode(w.ctx, w.rita.User.ID, fresh[4], "")
	w.must(err)
	_, err = w.svc.NewRecoveryCodes(w.ctx, w.vic)
	w.refused(err, review.Conflict)
}

func factorThrottle(w *world) {
	p, _ := w.enrol(w.rita)
	for range 5 {
		_, err := w.svc.SignInCode(w.ctx, w.rita.User.ID, "000000", "")
		w.refused(err, review.Unauthenticated)
	}
	_, err := w.svc.SignInCode(w.ctx, w.rita.User.ID, p.code(w), "")
	w.refused(err, review.RateLimited)
	w.clock = w.clock.Add(10 * time.Minute)
	_, err = w.svc.SignInCode(w.ctx, w.rita.User.ID, p.code(w), "")
	w.must(err)
}

func factorLost(w *world) {
	w.enrol(w.rita)
	w.refused(w.svc.RemoveSecondFactor(w.ctx, w.ana, w.rita.User.ID), review.NotFound)
	w.must(w.svc.RemoveSecondFactor(w.ctx, w.admin, w.rita.User.ID))
	if w.again(w.rita).User.HasSecondFactor() {
		w.Error("it is still there")
	}
	w.enrol(w.rita)
	w.must(w.svc.RemoveSecondFactor(w.ctx, w.shell, w.rita.User.ID))
	if n := len(w.auditOf("user.second-factor-removed")); n != 2 {
		w.Errorf("the audit has %d removals", n)
	}
}

// factorPolicy: where the policy requires a second factor, one without it can look
// and not decide, by whatever way, and the gate names only those who can.
func factorPolicy(w *world) {
	w.released("1", three())
	pol := gate.Policy{Preset: gate.Team, SecondFactor: true}
	_, err := w.setPolicy(w.ana, pol)
	w.refused(err, review.Conflict, "Nobody could satisfy this")
	w.enrol(w.rita)
	w.enrol(w.ana)
	w.ana, w.rita = w.again(w.ana), w.again(w.rita)
	w.mustSetPolicy(w.ana, pol, review.PolicyInForce)
	pushed := w.push("2", findMore("more"))

	w.refused(w.decide(w.rob, idOf(pushed), review.Approve, "fine", "find"), review.Forbidden, "needs a second factor", "you can look")
	bot, _ := w.token(review.NewToken{UserEmail: email("Rob"), Scopes: []people.Scope{people.ScopeReview}})
	w.refused(w.decide(bot, idOf(pushed), review.Approve, "fine", "find"), review.Forbidden, "needs a second factor")
	_, err = w.setPolicy(w.ben, gate.Policy{Preset: gate.Team})
	w.refused(err, review.Forbidden, "needs a second factor")
	for _, r := range w.wantGate(pushed, gate.Blocked, "approval:find").Requirements {
		for _, who := range r.WhoCan {
			if who == "Rob" || who == "Ben" {
				w.Errorf("the gate names %s, who has no second factor, for %s", who, r.ID)
			}
		}
	}
	w.approve(w.rita, idOf(pushed), "find")

	// Dropping the line asks for less.
	made := w.mustSetPolicy(w.ana, gate.Policy{Preset: gate.Team}, review.PolicyProposed)
	if !slices.ContainsFunc(made.Loosens, func(s string) bool { return strings.HasPrefix(s, "second_factor:") }) {
		w.Errorf("loosens %q", made.Loosens)
	}
}

// factorSealed: neither the secret nor a recovery code stands in the database as
// people know them.
func factorSealed(w *world) {
	p, codes := w.enrol(w.rita)
	w.must(w.store.View(w.ctx, func(tx review.Tx) error {
		f, err := tx.SecondFactor(w.ctx, w.rita.User.ID)
		if err != nil {
			return err
		}
		if strings.Contains(string(f.Sealed), string(p.secret)) || len(f.Sealed) <= len(p.secret) {
			w.Error("the secret is kept in clear")
		}
		return nil
	}))
	w.must(w.store.Update(w.ctx, func(tx review.Tx) error {
		if err := tx.UseRecoveryCode(w.ctx, w.rita.User.ID, []byte(codes[0]), w.clock); review.KindOf(err) != review.NotFound {
			w.Errorf("a recovery code is kept as it is: %v", err)
		}
		return nil
	}))
	// The row of another does not open: the seal is bound to its owner.
	w.forged = true
	w.must(w.store.Update(w.ctx, func(tx review.Tx) error {
		f, err := tx.SecondFactor(w.ctx, w.rita.User.ID)
		if err != nil {
			return err
		}
		f.UserID = w.rob.User.ID
		u, err := tx.UserByID(w.ctx, f.UserID)
		if err != nil {
			return err
		}
		u.SecondFactorAt = w.clock
		if err := tx.UpdateUser(w.ctx, u); err != nil {
			return err
		}
		return tx.PutSecondFactor(w.ctx, f)
	}))
	_, err := w.svc.SignInCode(w.ctx, w.rob.User.ID, p.code(w), "")
	w.refused(err, review.Unavailable)
}

func factorProof(w *world) {
	w.password("Rita", "correct horse")
	w.rita = w.again(w.rita)
	w.refused(w.svc.Prove(w.ctx, w.rita, review.Proof{Password: "wrong horse"}), review.Unauthenticated, "not your password")
	w.must(w.svc.Prove(w.ctx, w.rita, review.Proof{Password: "correct horse"}))
	p, _ := w.enrol(w.rita)
	w.rita = w.again(w.rita)
	w.refused(w.svc.Prove(w.ctx, w.rita, review.Proof{Password: "correct horse"}), review.Unauthenticated) // a stolen password is not enough
	w.must(w.svc.Prove(w.ctx, w.rita, review.Proof{Code: p.code(w)}))
	w.refused(w.svc.Prove(w.ctx, w.rita, review.Proof{Code: p.code(w)}), review.Unauthenticated)
	bot, _ := w.token(review.NewToken{UserEmail: email("Rita"), Scopes: []people.Scope{people.ScopeReview}})
	w.refused(w.svc.Prove(w.ctx, bot, review.Proof{Password: "correct horse"}), review.Forbidden)
	w.refused(w.svc.BeginSecondFactor(w.ctx, bot), review.Forbidden)
	for range 10 {
		w.refused(w.svc.Prove(w.ctx, w.rob, review.Proof{Password: "guess"}), review.Unauthenticated)
	}
	w.refused(w.svc.Prove(w.ctx, w.rob, review.Proof{Password: "guess"}), review.RateLimited)
}
