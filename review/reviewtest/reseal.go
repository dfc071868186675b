package reviewtest

import (
	"slices"
	"strings"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/gate"
)

var resealCases = map[string]func(*world){
	"another SECRET, and nobody notices": resealed,
	"what neither opens is named":        resealedLost,
}

// under is the world's service under another SECRET.
func (w *world) under(secret string) {
	cfg := w.config()
	cfg.Secret = []byte(secret)
	w.svc = review.NewService(w.store, cfg)
}

const otherSecret = "another secret of thirty-two bytes or more"

func resealed(w *world) {
	w.password("Rita", "correct horse battery")
	p, _ := w.enrol(w.rita)
	old := w.secret
	fresh, err := w.svc.RotateSecret(w.ctx, w.ana, "mot")
	w.must(err)
	_, err = w.svc.Reseal(w.ctx, w.shell, instanceSecret)
	w.refused(err, review.Invalid, "set the new one")

	w.under(otherSecret)
	w.secret = fresh
	if _, err := w.send(w.sending("1", three())); err == nil {
		w.Fatal("the secret of another SECRET opens")
	}
	_, err = w.svc.Reseal(w.ctx, w.admin, instanceSecret)
	w.refused(err, review.Forbidden, "command line")
	done, err := w.svc.Reseal(w.ctx, w.shell, instanceSecret)
	w.must(err)
	if done.Secrets != 2 || done.Factors != 1 || done.Kept != 0 || len(done.Servers)+len(done.People) != 0 {
		w.Errorf("sealed anew: %+v", done)
	}
	w.push("1", three())
	m := w.sending("2", three())
	m.secret = old // accepted for 24 hours still
	w.pushAs(m)
	if _, err := w.svc.SignInCode(w.ctx, w.rita.User.ID, p.code(w), ""); err != nil {
		w.Errorf("the second factor: %v", err)
	}
	again, err := w.svc.Reseal(w.ctx, w.shell, instanceSecret)
	w.must(err)
	if again.Secrets+again.Factors != 0 || again.Kept != 3 {
		w.Errorf("a second time: %+v", again)
	}
	acts := w.auditOf("secret.reseal")
	if len(acts) != 2 || acts[0].Actor != "shell" || !strings.Contains(acts[1].After, `"webhook_secrets":2`) {
		w.Errorf("the audit has %+v", acts)
	}
}

func resealedLost(w *world) {
	w.enrol(w.rita)
	w.under("a third one, that nobody knows any more")
	_, secret := w.addServer("lost", gate.Team)
	w.enrol(w.rob)
	w.under(otherSecret)
	done, err := w.svc.Reseal(w.ctx, w.shell, instanceSecret)
	w.must(err)
	if done.Secrets != 1 || done.Factors != 1 || !slices.Equal(done.Servers, []string{"lost"}) || !slices.Equal(done.People, []string{email("Rob")}) {
		w.Errorf("sealed anew: %+v", done)
	}
	w.push("1", three())
	m := w.sending("1", three())
	m.slug, m.secret = "lost", secret
	if _, err := w.send(m); err == nil {
		w.Error("what is lost opens")
	}
}
