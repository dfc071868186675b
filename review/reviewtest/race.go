package reviewtest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/change"
	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/people"
	"github.com/countersign/countersign/review/surface"
)

// Race is a release on which twenty reviewers decide while it is pushed again and
// again, a maintainer tries to release it, and somebody asks the gate all the time.
//
// What was acknowledged to each of them is recorded with the moments between which
// it happened, and compared with what is stored and with what the gate said: no
// answer is stored for bytes that its giver was not shown, none is lost, none is
// there that nobody was told of, and the gate never passes without enough approvals
// or against a rejection.
type Race struct {
	*world
	reviewers []review.Actor
	rounds    int
	now       func() time.Time
}

const (
	raceReviewers = 20
	racePushes    = 6
	raceAnswers   = 3
	raceQuorum    = 2
)

// NewRace makes the team. Its policy asks for two approvals of everything.
func NewRace(t testing.TB, store review.Store) *Race {
	r := &Race{world: newInstance(t, store)}
	var ticks atomic.Int64
	start := r.clock
	r.now = func() time.Time { return start.Add(time.Duration(ticks.Add(1)) * time.Millisecond) }
	cfg := r.config()
	cfg.Now = r.now
	cfg.Limits.PushesPerMinute, cfg.Limits.PushesPerDay, cfg.Limits.OpenReleases = 1<<20, 1<<20, 1<<20
	r.svc = review.NewService(store, cfg)
	r.admin = r.person("Ada", people.Admin, "")
	r.server, r.secret = r.addServer("mot", gate.Team)
	r.ana = r.person("Ana", people.Maintainer, "mot")
	for i := range raceReviewers {
		r.reviewers = append(r.reviewers, r.person(fmt.Sprint("Reviewer", i), people.Reviewer, "mot"))
	}
	p := gate.Policy{Preset: gate.Team, Lines: map[gate.Row]gate.Line{}}
	for _, row := range []gate.Row{gate.RowWording, gate.RowBehaviour} {
		p.Lines[row] = gate.Line{Approvals: raceQuorum}
	}
	_, err := r.svc.SetPolicy(r.ctx, r.shell, "mot", p, 1)
	r.must(err)
	return r
}

// RaceTally counts what happened, so that a run shows that it had something to say.
type RaceTally struct{ Answers, Stale, Passes, Releases int }

// Add adds another round's.
func (t *RaceTally) Add(o RaceTally) {
	t.Answers, t.Stale, t.Passes, t.Releases = t.Answers+o.Answers, t.Stale+o.Stale, t.Passes+o.Passes, t.Releases+o.Releases
}

// raceRound is one release, from its first push to its last.
type raceRound struct {
	*Race
	n       int
	release string

	mu     sync.Mutex
	heads  map[surface.Hash][]surface.Hash // tools of each pushed listing
	digest surface.Hash                    // pushed last
	said   []answered
	passes []passed
	tally  RaceTally
	over   atomic.Bool
}

// answered is an answer that was acknowledged, with what its giver was shown.
type answered struct {
	who          string
	change       string
	to           surface.Hash
	kind         review.VerdictKind
	sent, answer time.Time
}

// passed is a gate that was seen to pass, or a release that was let through.
type passed struct {
	digest       surface.Hash
	sent, answer time.Time
}

// Round plays one release and checks it.
func (r *Race) Round(seed uint64) RaceTally {
	r.rounds++
	round := &raceRound{Race: r, n: r.rounds, heads: map[surface.Hash][]surface.Hash{}}
	rnd := func(stream uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, stream)) }
	round.push(rnd(1), []int{0, 0, 0})
	var team, others sync.WaitGroup
	team.Go(func() { round.pushes(rnd(2)) })
	for i, who := range r.reviewers {
		team.Go(func() { round.reviews(rnd(uint64(10+i)), who) })
	}
	others.Go(round.asks)
	others.Go(func() { round.releases(rnd(3)) })
	team.Wait()
	round.over.Store(true)
	others.Wait()
	round.check()
	return round.tally
}

// push sends the listing with some wording of each tool.
func (r *raceRound) push(rnd *rand.Rand, wording []int) {
	var raws []string
	var tools []surface.Hash
	for i, name := range []string{"find", "drop", "list"} {
		raw := tool(name, fmt.Sprintf("Handles things of round %d in wording %d.", r.n, wording[i]))
		digest, err := surface.Digest([]byte(raw))
		if err != nil {
			r.Error(err)
		}
		raws, tools = append(raws, raw), append(tools, digest)
	}
	r.mu.Lock()
	m := r.sending(fmt.Sprint("v", r.n), listing(raws...))
	r.mu.Unlock()
	m.at = r.now() // a thousand rounds take longer than a signature holds
	in := r.incoming(m)
	p, err := r.svc.Deliver(r.ctx, in)
	if err != nil {
		if review.KindOf(err) != review.Conflict { // released meanwhile
			r.Errorf("push: %v", err)
		}
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.release == "" { // the others read it without a lock: it stays what it is
		r.release = idOf(p)
	}
	r.digest = p.Answer.Listing.Digest
	r.heads[r.digest] = tools
}

// pushes changes one tool at a time, sometimes back to what it was.
func (r *raceRound) pushes(rnd *rand.Rand) {
	wording := []int{0, 0, 0}
	for range racePushes {
		pauseAtMost(rnd, 8*time.Millisecond)
		wording[rnd.IntN(3)] = rnd.IntN(3)
		r.push(rnd, wording)
	}
}

func pauseAtMost(rnd *rand.Rand, most time.Duration) {
	time.Sleep(time.Duration(rnd.Int64N(int64(most))))
}

// reviews has one reviewer read the page and answer to what it showed.
func (r *raceRound) reviews(rnd *rand.Rand, who review.Actor) {
	for range raceAnswers {
		v, err := r.svc.Release(r.ctx, who, r.release)
		if err != nil {
			r.Errorf("read: %v", err)
			return
		}
		tools := slices.DeleteFunc(v.Changes, func(d review.Decided) bool { return d.Subject != change.SubjectTool })
		if len(tools) == 0 {
			return // released
		}
		d := tools[rnd.IntN(len(tools))]
		kind := review.Approve
		switch n := rnd.IntN(100); {
		case n < 4:
			kind = review.Reject
		case n < 12:
			kind = review.Withdraw
		}
		pauseAtMost(rnd, 4*time.Millisecond)
		r.answer(who, d, kind)
	}
}

func (r *raceRound) answer(who review.Actor, d review.Decided, kind review.VerdictKind) {
	a := answered{who: who.User.ID, change: d.ID, to: d.To, kind: kind, sent: time.Now()}
	_, err := r.svc.Decide(r.ctx, who, r.release, []review.VerdictItem{{Change: d.ID, Verdict: kind, Note: "Read it."}})
	a.answer = time.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	switch review.KindOf(err) {
	case review.Stale:
		r.tally.Stale++
	case review.Conflict: // released, or nothing to take back
	default:
		if err != nil {
			r.Errorf("answer: %v", err)
			return
		}
		r.tally.Answers++
		r.said = append(r.said, a)
	}
}

// asks asks the gate about what was pushed last, until the round is over.
func (r *raceRound) asks() {
	for !r.over.Load() {
		r.mu.Lock()
		digest := r.digest
		r.mu.Unlock()
		p := passed{digest: digest, sent: time.Now()}
		g, err := r.svc.Gate(r.ctx, r.admin, "mot", review.Question{Digest: digest})
		if err != nil {
			r.Errorf("gate: %v", err)
			return
		}
		if p.answer = time.Now(); g.Result == gate.Pass {
			r.mu.Lock()
			r.passes = append(r.passes, p)
			r.tally.Passes++
			r.mu.Unlock()
		}
	}
}

// releases has the maintainer release what they were shown as passing, now and then.
func (r *raceRound) releases(rnd *rand.Rand) {
	for !r.over.Load() {
		pauseAtMost(rnd, 40*time.Millisecond)
		v, err := r.svc.Release(r.ctx, r.ana, r.release)
		if err != nil {
			r.Errorf("read: %v", err)
			return
		}
		if v.Answer.Result != gate.Pass || rnd.IntN(4) > 0 {
			continue
		}
		p := passed{digest: v.Release.Head.Digest, sent: time.Now()}
		if _, err = r.svc.MarkReleased(r.ctx, r.ana, r.release, p.digest); err == nil {
			p.answer = time.Now()
			r.mu.Lock()
			r.passes = append(r.passes, p)
			r.tally.Releases++
			r.mu.Unlock()
			return
		}
	}
}

// check compares what was acknowledged with what is stored and what was seen.
func (r *raceRound) check() {
	r.stored()
	for _, p := range r.passes {
		for _, to := range r.heads[p.digest] {
			r.mayHavePassed(p, to)
		}
	}
	r.finally()
}

// stored checks that exactly the acknowledged answers are stored, each on bytes that
// the revision held which it names.
func (r *raceRound) stored() {
	var vs []review.Verdict
	held := map[int][]surface.Hash{}
	r.must(r.store.View(r.ctx, func(tx review.Tx) error {
		var err error
		if vs, err = tx.VerdictsOfRelease(r.ctx, r.release); err != nil {
			return err
		}
		revisions, err := tx.Revisions(r.ctx, []string{r.release})
		for _, rev := range revisions {
			held[rev.N] = r.heads[rev.Digest]
		}
		return err
	}))
	type key struct {
		who, change string
		to          surface.Hash
		kind        review.VerdictKind
	}
	count := map[key]int{}
	for _, a := range r.said {
		count[key{a.who, a.change, a.to, a.kind}]++
	}
	for _, v := range vs {
		count[key{v.UserID, v.ChangeID, v.To, v.Kind}]--
		if !slices.Contains(held[v.Revision], v.To) {
			r.Errorf("round %d: a verdict on %s is stored for revision %d, which has no such bytes", r.n, v.To, v.Revision)
		}
	}
	for k, n := range count {
		if n != 0 {
			r.Errorf("round %d: %s of %s by %s: %+d acknowledged more than stored", r.n, k.kind, k.change, k.who, n)
		}
	}
}

// mayHavePassed checks a pass against what could have been true of bytes between
// question and answer: enough people had sent an approval by its end, and no
// rejection stood that was acknowledged before it began and that its giver had not
// begun to take back by its end.
func (r *raceRound) mayHavePassed(p passed, to surface.Hash) {
	approved, rejected := map[string]bool{}, map[string]bool{}
	for _, a := range r.said { // each one's in order
		if a.to != to {
			continue
		}
		if a.kind == review.Approve && a.sent.Before(p.answer) {
			approved[a.who] = true
		}
		switch {
		case a.kind == review.Reject && a.answer.Before(p.sent):
			rejected[a.who] = true
		case a.kind != review.Reject && a.sent.Before(p.answer):
			delete(rejected, a.who)
		}
	}
	if len(approved) < raceQuorum || len(rejected) > 0 {
		r.Errorf("round %d: the gate passed with %d approvals and %d rejections of %s", r.n, len(approved), len(rejected), to)
	}
}

// finally checks the gate of the head when everybody is done: it passes exactly when
// everything was approved by enough and rejected by nobody.
func (r *raceRound) finally() {
	v := r.view(r.release)
	if v.State == review.StateReleased {
		return
	}
	want := gate.Pass
	for _, to := range r.heads[v.Release.Head.Digest] {
		last := map[string]review.VerdictKind{}
		for _, a := range r.said {
			if a.to == to {
				last[a.who] = a.kind
			}
		}
		approvals := 0
		for _, kind := range last {
			if kind == review.Approve {
				approvals++
			}
			if kind == review.Reject {
				want = gate.Blocked
			}
		}
		if approvals < raceQuorum {
			want = gate.Blocked
		}
	}
	if v.Answer.Result != want {
		r.Errorf("round %d: the gate is %s (%s) in the end, want %s", r.n, v.Answer.Result, v.Answer.Why, want)
	}
}
