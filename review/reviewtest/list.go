package reviewtest

import (
	"fmt"
	"slices"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/people"
)

var listCases = map[string]func(*world){
	"whose turn it is":                listHome,
	"only one's own servers":          listOwn,
	"releases by version and profile": listReleases,
	"store calls do not grow":         listCalls,
}

func listHome(w *world) {
	w.released("1", three())
	m := w.sending("2", changed("Finds. Never twice."))
	m.params.Author = email("Rita")
	p := w.pushAs(m)
	turn := func(a review.Actor) (yours, waiting int) {
		v, err := w.svc.Home(w.ctx, a)
		w.must(err)
		return len(v.YourTurn), len(v.Waiting)
	}
	for _, c := range []struct {
		who   review.Actor
		yours int
	}{{w.rita, 0}, {w.rob, 1}, {w.ana, 1}, {w.vic, 0}} {
		if yours, waiting := turn(c.who); yours != c.yours || waiting != 1-c.yours {
			w.Errorf("%s: %d yours, %d waiting", c.who.Label(), yours, waiting)
		}
	}
	w.approve(w.rob, idOf(p), "find")
	if yours, _ := turn(w.rob); yours != 0 {
		w.Error("Rob decided and still has a turn")
	}
	if yours, _ := turn(w.ana); yours != 1 {
		w.Error("Ana can release and has no turn")
	}
	w.release(p)
	if yours, waiting := turn(w.ana); yours+waiting != 0 {
		w.Error("nothing is open and somebody is asked")
	}
	v, err := w.svc.Home(w.ctx, w.vic)
	w.must(err)
	if len(v.Servers) != 1 || v.Servers[0].Gate != gate.Pass || v.Servers[0].Role != people.Viewer || len(v.Servers[0].Profiles) != 1 {
		w.Errorf("servers: %+v", v.Servers)
	}
}

func listOwn(w *world) {
	_, secret := w.addServer("b", gate.Team)
	m := w.sending("1", three())
	m.slug, m.secret = "b", secret
	w.pushAs(m)
	v, err := w.svc.Home(w.ctx, w.rita)
	w.must(err)
	if len(v.Servers) != 1 || len(v.YourTurn)+len(v.Waiting) != 0 {
		w.Errorf("Rita sees %+v", v)
	}
	all, err := w.svc.Servers(w.ctx, w.admin)
	w.must(err)
	if len(all) != 2 {
		w.Errorf("the administrator sees %d servers", len(all))
	}
	ds, err := w.svc.Deliveries(w.ctx, w.rita, "", review.Page{})
	w.must(err)
	if len(ds) != 0 {
		w.Errorf("Rita sees %d deliveries of others", len(ds))
	}
	_, err = w.svc.Home(w.ctx, review.Actor{})
	w.refused(err, review.Unauthenticated)
}

func listReleases(w *world) {
	w.released("1", three())
	w.push("2", changed("Finds. Never twice."))
	m := w.sending("1", three())
	m.params.Profile = "eu"
	w.pushAs(m)
	titles := func(version, profile string) []string {
		rs, err := w.svc.Releases(w.ctx, w.vic, "mot", version, profile, review.Page{})
		w.must(err)
		var out []string
		for _, r := range rs {
			out = append(out, r.Release.Profile+" "+r.Release.Version+" "+string(r.State))
		}
		return out
	}
	for _, c := range []struct {
		version, profile string
		want             []string
	}{
		{"", "", []string{"eu 1 in review", "default 2 in review", "default 1 released"}},
		{"1", "", []string{"eu 1 in review", "default 1 released"}},
		{"", "eu", []string{"eu 1 in review"}},
		{"9", "", nil},
	} {
		if got := titles(c.version, c.profile); !slices.Equal(got, c.want) {
			w.Errorf("%q %q: %q, want %q", c.version, c.profile, got, c.want)
		}
	}
	w.released("3", changed("Finds. Never thrice."))
	if got, want := titles("2", ""), []string{"default 2 superseded"}; !slices.Equal(got, want) {
		w.Errorf("%q, want %q", got, want)
	}
	_, err := w.svc.WithdrawRelease(w.ctx, w.ana, w.push("4", three()).Answer.Release.ID, "No.", false)
	w.must(err)
	if got, want := titles("4", ""), []string{"default 4 withdrawn"}; !slices.Equal(got, want) {
		w.Errorf("%q, want %q", got, want)
	}
	v, err := w.svc.Server(w.ctx, w.vic, "mot")
	w.must(err)
	if len(v.Releases) != 5 || v.Gate != gate.Blocked || len(v.Profiles) != 2 {
		w.Errorf("%d releases, gate %s", len(v.Releases), v.Gate)
	}
	if sum := v.Releases[1]; sum.Counts["behaviour"] != 1 || sum.Gate != gate.Pass || sum.Listing.ToolCount != 3 || sum.URL == "" {
		w.Errorf("summary: %+v", sum)
	}
}

// listCalls counts the calls of each page over a small history and a larger one.
func listCalls(w *world) {
	pages := map[string]func(p *review.Pushed) error{
		"home":    func(*review.Pushed) error { _, err := w.svc.Home(w.ctx, w.rita); return err },
		"server":  func(*review.Pushed) error { _, err := w.svc.Server(w.ctx, w.rita, "mot"); return err },
		"release": func(p *review.Pushed) error { _, err := w.svc.Release(w.ctx, w.rita, idOf(p)); return err },
		"gate": func(p *review.Pushed) error {
			_, err := w.svc.Gate(w.ctx, w.rita, "mot", review.Question{Digest: p.Answer.Listing.Digest})
			return err
		},
		"threads": func(*review.Pushed) error {
			_, err := w.svc.Discussion(w.ctx, w.rita, review.ThreadQuery{})
			return err
		},
		"policy tried": func(*review.Pushed) error {
			_, err := w.svc.TryPolicy(w.ctx, w.rita, "mot", w.server.Policy)
			return err
		},
		"releases": func(*review.Pushed) error {
			_, err := w.svc.Releases(w.ctx, w.rita, "mot", "", "", review.Page{})
			return err
		},
	}
	count := func(p *review.Pushed) map[string]int {
		n := map[string]int{}
		for name, page := range pages {
			w.must(page(p)) // what is computed once is computed now
			before := w.store.calls.Load()
			w.must(page(p))
			n[name] = int(w.store.calls.Load() - before)
		}
		return n
	}
	w.released("1", three())
	p := w.push("2", changed("Finds. Never twice."))
	t := w.open(w.rita, p, "find", true)
	small := count(p)
	_, err := w.svc.ResolveThread(w.ctx, w.rita, t.ID)
	w.must(err)

	var many []string
	for i := range 60 {
		many = append(many, tool(fmt.Sprint("tool_", i), "Does something. Never twice."))
	}
	for i := range 4 {
		p = w.released(fmt.Sprint("3.", i), listing(append(many[:50+i:50+i], tool("find", "Finds."))...))
	}
	for i := range 5 {
		slug := fmt.Sprint("other", i)
		_, secret := w.addServer(slug, gate.Team)
		w.must(w.setRole(w.shell, w.rita.User.ID, slug, people.Reviewer))
		m := w.sending("1", three())
		m.slug, m.secret = slug, secret
		w.pushAs(m)
		w.person(fmt.Sprint("P", i), people.Reviewer, "mot")
		p = w.push(fmt.Sprint("4.", i), listing(append(many[i:55:55], tool("find", "Finds."))...))
		w.open(w.rita, p, "find", true)
	}
	w.rita = w.again(w.rita)
	large := count(p)
	for name, n := range small {
		// A history adds lookups (the baseline, what was released before), each once.
		if large[name] > n+6 || large[name] > 32 {
			w.Errorf("%s takes %d calls, with more of everything %d", name, n, large[name])
		}
	}
	again := count(p)
	if !mapsEqual(again, large) {
		w.Errorf("calls differ from one time to the next: %v and %v", large, again)
	}
}

func mapsEqual(a, b map[string]int) bool {
	for k, v := range a {
		if b[k] != v {
			return false
		}
	}
	return len(a) == len(b)
}
