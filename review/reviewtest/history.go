package reviewtest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/change"
	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/people"
	"github.com/countersign/countersign/review/surface"
)

// Acts are a history: each number is one act, and decides by itself who does what
// where. So a history without some of its acts is one too, and the shortest that
// still fails can be looked for.
type Acts []uint64

// NewActs makes a history at random. The same seed makes the same one.
func NewActs(seed uint64, n int) Acts {
	rnd := rand.New(rand.NewPCG(seed, 5))
	acts := make(Acts, n)
	for i := range acts {
		acts[i] = rnd.Uint64() >> 32 // short to write down
	}
	return acts
}

// History plays acts of a team (pushes, answers to changes and edits of them,
// baselines, releases and their withdrawal, overrides, edits of the policy, aliases,
// threads, people who leave) in two profiles. After every act it compares the gate
// with the model: a release passes only if the model lets it, and one that the model
// is sure of does pass; a verdict changes nothing of other tools. At the end the audit,
// told again, has to come to what the database has. It returns what was wrong, "" for
// nothing, and the story until then.
func History(t testing.TB, store review.Store, acts Acts) (wrong string, story []string) {
	h := &history{texts: map[surface.Hash]definition{}}
	defer func() {
		if e := recover(); e != nil {
			p, ok := e.(*probe)
			if !ok {
				panic(e)
			}
			wrong, story = p.wrong, h.log
		}
	}()
	h.world = newWorld(&probe{TB: t}, store)
	h.begin()
	for _, act := range acts {
		h.rnd = rand.New(rand.NewPCG(act, 5))
		h.act()
		h.check()
	}
	h.replays()
	return "", h.log
}

// Shrink returns the shortest history that it finds in which something is wrong,
// by leaving acts out of one that is, in at most tries runs.
func Shrink(acts Acts, tries int, wrong func(Acts) bool) Acts {
	for size := len(acts) / 2; size > 0; size /= 2 {
		for at := 0; at+size <= len(acts); {
			if tries--; tries < 0 {
				return acts
			}
			shorter := slices.Concat(acts[:at], acts[at+size:])
			if wrong(shorter) {
				acts = shorter
			} else {
				at += size
			}
		}
	}
	return acts
}

// probe ends a run at the first thing that is wrong, and fails no test: the same
// history is tried again, shorter.
type probe struct {
	testing.TB
	wrong string
}

func (p *probe) stop(wrong string)         { p.wrong = wrong; panic(p) }
func (p *probe) Error(args ...any)         { p.stop(fmt.Sprint(args...)) }
func (p *probe) Errorf(f string, a ...any) { p.stop(fmt.Sprintf(f, a...)) }
func (p *probe) Fatal(args ...any)         { p.stop(fmt.Sprint(args...)) }
func (p *probe) Fatalf(f string, a ...any) { p.stop(fmt.Sprintf(f, a...)) }

type history struct {
	*world
	rnd      *rand.Rand
	team     *team
	guest    review.Actor // whom Ana invited
	profiles []*ledger
	texts    map[surface.Hash]definition // every definition by digest
	log      []string
	versions int
	policy   int // version in force
}

func (h *history) begin() {
	u, _, err := h.svc.AddUser(h.ctx, h.ana, review.NewUser{Email: "guest@example.com", Name: "Guest", Role: people.Reviewer, Servers: on("mot")})
	h.must(err)
	h.guest = review.Actor{User: u, Via: "browser", Addr: "192.0.2.1"}
	first := teamRules()
	first.at = h.clock
	h.team = &team{
		policies: []rules{first}, maintainers: map[string]bool{"Ana": true, "Ben": true}, gone: map[string]bool{},
		inviter: map[string]string{"Guest": "Ana"}, since: map[string]time.Time{"Guest": h.clock},
	}
	h.policy = 1
	for _, name := range []string{review.DefaultProfile, "readonly"} {
		h.profiles = append(h.profiles, newLedger(h.team, name))
	}
}

// act does one thing.
func (h *history) act() {
	h.clock = h.clock.Add(time.Second)
	l := h.profiles[h.rnd.IntN(len(h.profiles))]
	if len(l.reviews) == 0 {
		h.pushes(l)
		return
	}
	kinds := []struct {
		share int
		do    func(*ledger)
	}{
		{17, h.pushes}, {25, h.answers}, {14, h.finishes}, {4, h.accepts}, {5, h.talks}, {8, h.releases}, {4, h.withdraws},
		{6, h.edits}, {4, h.overrides}, {2, h.aliases}, {1, h.leaves}, {1, h.revokes}, {1, h.waits}, {2, h.clears}, {6, h.confirms},
	}
	for n, i := h.rnd.IntN(100), 0; ; i++ {
		if n -= kinds[i].share; n < 0 {
			kinds[i].do(l)
			return
		}
	}
}

func (h *history) note(format string, args ...any) {
	h.log = append(h.log, fmt.Sprintf(format, args...))
}

// waits lets time go by: guests become persons of their own, overrides end.
func (h *history) waits(*ledger) {
	days := 1 + h.rnd.IntN(40)
	h.clock = h.clock.Add(time.Duration(days) * 24 * time.Hour)
	h.note("%d days go by", days)
}

var historyNames = []string{"alpha_read", "beta_write", "gamma_list", "delta_send"}

func (h *history) oneIn(n int) bool { return h.rnd.IntN(n) == 0 }

// some is one of the few definitions that a tool of a name has in its history.
func (h *history) some(name string) definition {
	d := definition{
		name: name, wording: h.rnd.IntN(3), never: h.oneIn(5), required: h.oneIn(4), gentle: h.oneIn(8), hidden: h.oneIn(25), spelled: h.oneIn(5),
	}
	digest, err := surface.Digest([]byte(d.raw()))
	h.must(err)
	h.texts[digest] = d
	return d
}

// pushes sends a new version, or a new revision of an open one.
func (h *history) pushes(l *ledger) {
	head := h.mutated(h.start(l))
	open := l.underReview()
	var c *candidate
	if len(open) > 0 && h.oneIn(2) {
		c = open[h.rnd.IntN(len(open))]
	} else {
		h.versions++
		c = &candidate{version: fmt.Sprint("v", h.versions), authors: map[string]bool{}, opened: h.clock, ref: h.oneIn(6)}
		if h.oneIn(4) && len(l.released) > 0 && !c.ref {
			c.follows = l.released[h.rnd.IntN(len(l.released))]
			head = h.mutated(c.follows.head)
		}
		l.reviews = append(l.reviews, c)
	}
	raws := make([]string, len(head))
	for i, d := range head {
		raws[i] = d.raw()
	}
	m := h.sending(c.version, listing(raws...))
	m.params.Profile = l.profile
	if c.ref {
		m.params.Version, m.params.Ref = "", c.version
	}
	if c.follows != nil && c.head == nil {
		m.params.Predecessor = c.follows.version
	}
	author := ""
	if h.oneIn(3) {
		author = []string{"Rita", "Rob"}[h.rnd.IntN(2)]
		m.params.Author = email(author)
	}
	same := slices.Equal(c.head, head)
	c.id = idOf(h.pushAs(m))
	if same {
		return // the same bytes are no revision, and make nobody an author
	}
	if h.team.gone[author] {
		author = "" // the address belongs to no account any more
	}
	l.push(c, head, author, h.clock)
	h.note("%s: push %s by %q: %s%s", l.profile, c.version, author, brief(head), c.marks())
}

// marks says in a story what is special about a push.
func (c *candidate) marks() string {
	switch {
	case c.ref:
		return ", a ref"
	case c.follows != nil:
		return ", follows " + c.follows.version
	}
	return ""
}

// confirms has a maintainer confirm a predecessor that was named.
func (h *history) confirms(l *ledger) {
	for _, c := range l.underReview() {
		if c.follows == nil || c.confirmed {
			continue
		}
		_, err := h.svc.ConfirmPredecessor(h.ctx, h.ben, c.id, c.follows.version)
		if (err == nil) != slices.Contains(l.released, c.follows) {
			h.Errorf("%s follows %s, which is released or not: %v", c.version, c.follows.version, err)
		}
		if err == nil {
			c.confirmed = true
			for author := range c.authors {
				l.bring(c, author)
			}
			h.note("%s: %s follows %s, Ben confirms", l.profile, c.version, c.follows.version)
		}
		return
	}
}

// start is what a push begins with: what the profile released last, an older release (a
// revert) or the head of something open.
func (h *history) start(l *ledger) []definition {
	switch open := l.underReview(); {
	case len(open) > 0 && h.oneIn(2):
		return open[h.rnd.IntN(len(open))].head
	case len(l.released) > 1 && h.oneIn(3):
		h.note("%s: a revert follows", l.profile)
		return l.released[h.rnd.IntN(len(l.released))].head
	}
	return headOf(l.last())
}

// mutated is a head with a few definitions added, changed, renamed or taken away.
func (h *history) mutated(start []definition) []definition {
	head := slices.Clone(start)
	for range 1 + h.rnd.IntN(2) {
		name := historyNames[h.rnd.IntN(len(historyNames))]
		i := slices.IndexFunc(head, func(d definition) bool { return d.name == name })
		switch {
		case i < 0:
			head = append(head, h.some(name))
		case h.oneIn(5) && len(head) > 1:
			head = slices.Delete(head, i, i+1)
		default:
			head[i] = h.some(name)
		}
	}
	return head
}

func brief(head []definition) string {
	var out []string
	for _, d := range head {
		out = append(out, d.brief())
	}
	return strings.Join(out, " ")
}

func (l *ledger) underReview() []*candidate {
	return slices.DeleteFunc(slices.Clone(l.reviews), func(c *candidate) bool { return !c.open() })
}

// oneOpen picks a release under review, nil when there is none.
func (h *history) oneOpen(l *ledger) *candidate {
	open := l.underReview()
	if len(open) == 0 {
		return nil
	}
	return open[h.rnd.IntN(len(open))]
}

// anyone is somebody who may decide and did not leave.
func (h *history) anyone() review.Actor {
	for {
		a := []review.Actor{h.rita, h.rob, h.ana, h.ben, h.guest}[h.rnd.IntN(5)]
		if !h.team.gone[a.Label()] {
			return a
		}
	}
}

// tools lists the changes of tools, as the page shows them.
func (h *history) tools(c *candidate) []review.Decided {
	return slices.DeleteFunc(slices.Clone(h.view(c.id).Changes), func(d review.Decided) bool { return d.Subject != change.SubjectTool })
}

func (h *history) stepOf(c *change.Change) step { return step{h.texts[c.From], h.texts[c.To]} }

// editsOf lists what somebody is asked of a change: what is equal by rule only where
// there is nothing else.
func editsOf(c *change.Change) []string {
	var out []string
	for _, d := range c.Details {
		if (d.Class != change.None || c.Class == change.None) && !slices.Contains(out, d.Edit) {
			out = append(out, d.Edit)
		}
	}
	return out
}

// answers has somebody answer to a change of an open release, or to some of its
// edits.
func (h *history) answers(l *ledger) {
	c := h.oneOpen(l)
	if c == nil {
		return
	}
	tools := h.tools(c)
	if len(tools) == 0 {
		return
	}
	d := tools[h.rnd.IntN(len(tools))]
	kind := []review.VerdictKind{review.Approve, review.Approve, review.Approve, review.Reject, review.Withdraw}[h.rnd.IntN(5)]
	note := []string{"Said so.", "Said so.", "Said so.", " "}[h.rnd.IntN(4)]
	items := []review.VerdictItem{{Change: d.ID, Verdict: kind, Note: note}}
	if edits := editsOf(&d.Change); h.oneIn(2) && len(edits) > 0 {
		items = nil
		for _, e := range edits[:1+h.rnd.IntN(len(edits))] {
			items = append(items, review.VerdictItem{Edit: e, Changes: []string{d.ID}, Verdict: kind, Note: note})
		}
	}
	h.says(l, c, h.anyone(), []review.Decided{d}, items)
}

// finishes has somebody approve every tool that changed, in one batch, so that
// histories get as far as releases.
func (h *history) finishes(l *ledger) {
	c := h.oneOpen(l)
	if c == nil {
		return
	}
	tools := h.tools(c)
	var items []review.VerdictItem
	for _, d := range tools {
		items = append(items, review.VerdictItem{Change: d.ID, Verdict: review.Approve, Note: "Read it all."})
	}
	for range 1 + h.rnd.IntN(3) {
		h.says(l, c, h.anyone(), tools, items)
	}
	h.releaseOf(l, c)
}

// says gives answers to changes, and tells the model of them when they were taken.
// They must change nothing of other bytes.
func (h *history) says(l *ledger, c *candidate, who review.Actor, about []review.Decided, items []review.VerdictItem) {
	h.clock = h.clock.Add(time.Second)
	before, own := h.othersThan(l, about), l.authors(c)[who.Label()]
	if _, err := h.svc.Decide(h.ctx, who, c.id, items); err != nil {
		return // refused: nothing may have changed, which check sees
	}
	var names []string
	for i := range about {
		d := &about[i].Change
		names = append(names, d.Name())
		if to := h.texts[d.To]; to != (definition{}) && !slices.Contains(c.head, to) {
			h.Errorf("the change of %s leads to what is not in the head", d.Name())
		}
		for _, it := range items {
			if it.Change == d.ID || slices.Contains(it.Changes, d.ID) {
				h.hear(l, &saying{in: c, who: who.Label(), step: h.stepOf(d), edit: it.Edit, edits: editsOf(d), kind: string(it.Verdict), note: it.Note, own: own, at: h.clock})
			}
		}
	}
	what := "all"
	if items[0].Edit != "" {
		what = fmt.Sprint(len(items), " of ", len(editsOf(&about[0].Change)), " edits of")
	}
	h.note("%s: %s %ss %s %s of %s (%q)", l.profile, who.Label(), items[0].Verdict, what, strings.Join(names, ", "), c.version, items[0].Note)
	if after := h.othersThan(l, about); !slices.Equal(before, after) {
		h.Errorf("a verdict on %s changed the state of others:\n%s\n%s", names, before, after)
	}
}

// hear tells the model of an answer. Who has none of their own to take back takes
// back the rejections of people who left.
func (h *history) hear(l *ledger, s *saying) {
	o := l.opinions(s.in, s.step)[s.who]
	mine := o != nil && (o.yes || len(o.no) > 0 || o.anyEdit())
	if s.kind != "withdraw" || mine {
		l.said = append(l.said, s)
		return
	}
	if s.own || !h.team.maintainers[s.who] {
		h.Errorf("%s took back what others said of %s", s.who, s.step.to.name)
	}
	for _, old := range l.said {
		same := old.step.to == s.step.to && (s.step.to != definition{} || old.step.from == s.step.from)
		if same && h.team.gone[old.who] {
			if o := l.opinions(s.in, s.step)[old.who]; o != nil && len(o.no) > 0 {
				h.revokeAll(l, old.who, s)
			}
		}
	}
}

func (h *history) revokeAll(l *ledger, who string, by *saying) {
	of := by.step
	for _, s := range l.said {
		if s.who == who && !s.revoked && s.step.to == of.to && (of.to != definition{} || s.step.from == of.from) {
			s.revoked, s.lifted = true, by
		}
	}
}

func (o *opinion) anyEdit() bool {
	for _, so := range o.steps {
		if so.yes || len(so.edits) > 0 {
			return true
		}
	}
	return false
}

// othersThan lists where every requirement stands in every open release, but for
// those on the bytes of some changes.
func (h *history) othersThan(of *ledger, about []review.Decided) []string {
	var out []string
	for _, l := range h.profiles {
		for _, c := range l.underReview() {
			for _, other := range h.tools(c) {
				same := slices.ContainsFunc(about, func(d review.Decided) bool {
					return !d.To.IsZero() && other.To == d.To || d.To.IsZero() && other.From == d.From
				})
				if q := other.Requirement; q != nil && !(same && l == of) {
					out = append(out, fmt.Sprintf("%s %s %s %s", l.profile, c.version, q.ID, q.State))
				}
			}
		}
	}
	return out
}

// digestOf is the digest of a release's head, as its page says.
func (h *history) digestOf(c *candidate) surface.Hash { return h.view(c.id).Release.Head.Digest }

// accepts has Ana accept a baseline; the service says whether that can still be.
func (h *history) accepts(l *ledger) {
	c := l.reviews[h.rnd.IntN(len(l.reviews))]
	var ack []review.Acknowledgement
	for i := range c.head {
		ack = append(ack, review.Acknowledgement{Position: i + 1, Note: "Looked at it."})
	}
	if _, err := h.svc.AcceptBaseline(h.ctx, h.ana, c.id, h.digestOf(c), ack); err != nil {
		return
	}
	if l.based || l.ever {
		h.Errorf("%s: a baseline after one, or after a release", l.profile)
	}
	l.based = true
	for _, d := range c.head {
		l.baseline[d] = true
	}
	h.note("%s: baseline %s", l.profile, c.version)
}

// talks opens a thread that blocks, or one that does not, or has it resolved.
func (h *history) talks(l *ledger) {
	for id := range l.threads {
		if _, err := h.svc.ResolveThread(h.ctx, h.ben, id); err == nil {
			delete(l.threads, id)
			h.note("%s: thread resolved", l.profile)
		}
		return
	}
	c := h.oneOpen(l)
	if c == nil {
		return
	}
	blocks := h.oneIn(2)
	t, err := h.svc.Comment(h.ctx, h.anyone(), c.id, review.NewComment{Body: "Wait.", Blocks: blocks})
	h.must(err)
	l.threads[t.ID] = thread{blocks: blocks, at: h.clock}
	h.note("%s: thread opened, blocks: %t", l.profile, blocks)
}

// releases has Ana release something; what the model would not let pass must not.
func (h *history) releases(l *ledger) {
	if c := h.oneOpen(l); c != nil {
		h.releaseOf(l, c)
	}
}

func (h *history) releaseOf(l *ledger, c *candidate) {
	h.clock = h.clock.Add(time.Second)
	why, _ := l.mayPass(c, h.clock)
	v, err := h.svc.MarkReleased(h.ctx, h.ana, c.id, h.digestOf(c))
	if err != nil {
		return
	}
	if why != "" {
		h.Errorf("%s was released: %s", c.version, why)
	}
	if c.ref {
		h.Errorf("%s was released and has no version", c.version)
	}
	if v.Release.ReleasedOverride != "" {
		l.goesOut(c)
		h.note("%s: release %s by override", l.profile, c.version)
		return
	}
	l.release(c)
	h.note("%s: release %s", l.profile, c.version)
}

// withdraws has Ana take a release back. For cause, what it introduced is rejected.
func (h *history) withdraws(l *ledger) {
	c := l.reviews[h.rnd.IntN(len(l.reviews))]
	cause := h.oneIn(2)
	introduced := h.tools(c)
	if _, err := h.svc.WithdrawRelease(h.ctx, h.ana, c.id, "A mistake.", cause); err != nil {
		return
	}
	own := l.authors(c)["Ana"]
	c.withdrawn = true
	l.released = slices.DeleteFunc(l.released, func(o *candidate) bool { return o == c })
	for _, d := range introduced {
		held := slices.ContainsFunc(l.released, func(o *candidate) bool { return slices.Contains(o.head, h.texts[d.To]) })
		if cause && !d.To.IsZero() && !held {
			l.said = append(l.said, &saying{in: c, who: "Ana", step: h.stepOf(&d.Change), edits: editsOf(&d.Change), kind: "reject", note: "A mistake.", own: own, at: h.clock})
		}
	}
	h.note("%s: withdraw %s, for cause %t", l.profile, c.version, cause)
}

// edits has Ana or Ben edit the policy, and somebody agree or refuse where it asks
// for less: nobody alone can make it ask for less.
func (h *history) edits(*ledger) {
	old := h.team.policies[len(h.team.policies)-1]
	next := h.otherRules(old)
	writer, other := h.ana, h.ben
	if h.oneIn(2) {
		writer, other = other, writer
	}
	v, err := h.svc.SetPolicy(h.ctx, writer, "mot", next.policy(), h.policy)
	if err != nil {
		return
	}
	if v.Unchanged != (next.lines == old.lines && next.allThreads == old.allThreads && next.betaOwner == old.betaOwner) {
		h.Errorf("the policy %v after %v is unchanged: %t", next, old, v.Unchanged)
	}
	if v.Unchanged {
		return // it is no version, and ends no override
	}
	if next.looser(old) != (v.State == review.PolicyProposed) {
		h.Errorf("the policy %v after %v is %s", next, old, v.State)
	}
	if v.State == review.PolicyProposed {
		if _, err := h.svc.DecidePolicy(h.ctx, writer, "mot", v.Policy.Version, true); err == nil {
			h.Errorf("%s agreed to a looser policy of their own", writer.Label())
		}
		agree := !h.oneIn(3)
		_, err := h.svc.DecidePolicy(h.ctx, other, "mot", v.Policy.Version, agree)
		h.must(err)
		if !agree {
			h.note("%s refuses a policy", other.Label())
			return
		}
	}
	h.policy, next.at = v.Policy.Version, h.clock
	h.team.policies = append(h.team.policies, next)
	h.note("policy %d: %s", h.policy, next.brief())
}

// otherRules changes one or two lines of a policy.
func (h *history) otherRules(p rules) rules {
	for range 1 + h.rnd.IntN(2) {
		line := &p.lines[[]row{rowWording, rowBehaviour, rowBreaking, rowHidden}[h.rnd.IntN(4)]]
		switch h.rnd.IntN(8) {
		case 0, 1, 2:
			line.approvals = 1 + h.rnd.IntN(2)
		case 3:
			line.reason = !line.reason
		case 4:
			line.owner = !line.owner
		case 5:
			p.lines[rowWording].rule = !p.lines[rowWording].rule
		case 6:
			p.allThreads = !p.allThreads
		case 7:
			p.betaOwner = map[string]string{"": "Ben", "Ben": ""}[p.betaOwner]
		}
	}
	return p
}

// policy writes the rules as a policy of the service's.
func (p rules) policy() gate.Policy {
	out := gate.Policy{Preset: gate.Team, AllThreads: p.allThreads, Lines: map[gate.Row]gate.Line{}}
	for i, name := range []gate.Row{gate.RowSame, gate.RowWording, gate.RowBehaviour, gate.RowBreaking, gate.RowHidden} {
		l := p.lines[i]
		out.Lines[name] = gate.Line{Approvals: l.approvals, Owner: l.owner, Reason: l.reason, Rule: l.rule}
	}
	if p.betaOwner != "" {
		out.Owners = []gate.OwnerRule{{People: []string{email(p.betaOwner)}, Names: []string{"beta_*"}}}
	}
	return out
}

// overrides has the administrator let an open release pass.
func (h *history) overrides(l *ledger) {
	c := h.oneOpen(l)
	if c == nil {
		return
	}
	v := h.view(c.id)
	o := override{of: c, head: slices.Clone(c.head), policy: len(h.team.policies), at: h.clock, until: h.clock.Add(gate.MaxOverride)}
	for _, r := range v.Answer.Requirements {
		if r.State == gate.Open {
			o.covers = append(o.covers, r.ID)
		}
	}
	if _, err := h.svc.Override(h.ctx, h.admin, c.id, review.NewOverride{Digest: v.Release.Head.Digest, Policy: h.policy, Reason: emergency, For: gate.MaxOverride}); err != nil {
		return
	}
	l.overrides = append(l.overrides, o)
	h.note("%s: override %s: %v", l.profile, c.version, o.covers)
}

// aliases has Ana note that the server still answers to a name, or end that.
func (h *history) aliases(l *ledger) {
	all, err := h.svc.Namings(h.ctx, h.ana, "mot")
	h.must(err)
	for _, n := range all {
		if n.Profile == l.profile && n.Kind == review.Alias && n.Holds(h.clock) && h.oneIn(2) {
			h.must(h.svc.EndAlias(h.ctx, h.ana, "mot", n.ID))
			delete(l.aliases, n.Old)
			h.note("%s: %s is no alias of %s any more", l.profile, n.Old, n.New)
			return
		}
	}
	old, now := historyNames[h.rnd.IntN(4)], historyNames[h.rnd.IntN(4)]
	if _, err := h.svc.AddAlias(h.ctx, h.shell, "mot", review.NewAlias{Profile: l.profile, Old: old, New: now}); err == nil {
		l.aliases[old] = now
		h.note("%s: %s is an alias of %s", l.profile, old, now)
	}
}

// leaves has the administrator end Rob's account.
func (h *history) leaves(*ledger) {
	if h.team.gone["Rob"] {
		return
	}
	h.must(h.svc.DisableUser(h.ctx, h.admin, h.rob.User.ID))
	h.team.gone["Rob"] = true
	h.note("Rob leaves")
}

// revokes has the administrator take back what somebody answered lately. Rejections
// stay, and those that were withdrawn are back.
func (h *history) revokes(*ledger) {
	who := []review.Actor{h.rita, h.rob, h.guest, h.ana}[h.rnd.IntN(4)]
	since := h.clock.Add(-time.Duration(h.rnd.IntN(120)) * time.Second)
	_, err := h.svc.RevokeAnswers(h.ctx, h.admin, who.User.ID, since, "It was somebody else.")
	h.must(err)
	for _, l := range h.profiles {
		for _, s := range l.said {
			if s.who == who.Label() && s.kind != "reject" && !s.at.Before(since) {
				if !s.revoked {
					l.alarm(s, h.clock)
				}
				s.revoked, s.lifted = true, nil
			}
			if by := s.lifted; by != nil && by.who == who.Label() && !by.at.Before(since) {
				l.alarm(s, h.clock)
				s.revoked, s.lifted = false, nil
			}
		}
		l.unsure = true
	}
	h.note("what %s answered since %s is revoked", who.Label(), since.Format(time.TimeOnly))
}

// alarm says of what was released on an answer, or with the bytes of one, that nobody
// answers for it any more.
func (l *ledger) alarm(s *saying, at time.Time) {
	for _, c := range l.reviews {
		holds := s.step.to != definition{} && slices.Contains(l.released, c) && slices.Contains(c.head, s.step.to)
		if c.released && !c.withdrawn && (s.in == c || holds) {
			c.alarmed = at
		}
	}
}

// clears has Ana look into an alarm.
func (h *history) clears(l *ledger) {
	for _, c := range l.reviews {
		if !c.alarmed.IsZero() {
			h.must(h.svc.ClearAlarms(h.ctx, h.ana, c.id, "Read it again."))
			c.alarmed = time.Time{}
			h.note("%s: Ana looked into the alarm of %s", l.profile, c.version)
			return
		}
	}
}

// counts compares how many releases are open and overtaken by nothing with the model.
func (h *history) counts() {
	want := 0
	for _, l := range h.profiles {
		for _, c := range l.underReview() {
			if l.overtaker(c) == nil {
				want++
			}
		}
	}
	h.must(h.store.View(h.ctx, func(tx review.Tx) error {
		got, err := tx.CountOpenReleases(h.ctx, h.server.ID)
		if err == nil && got != want {
			h.Errorf("%d releases count as open, want %d", got, want)
		}
		return err
	}))
}

// check compares the gate of every open release, and of one that is closed, with
// the model.
func (h *history) check() {
	h.counts()
	for _, l := range h.profiles {
		look := l.underReview()
		if len(l.reviews) > len(look) {
			look = append(look, l.reviews[h.rnd.IntN(len(l.reviews))])
		}
		for _, c := range look {
			why, sure := l.mayPass(c, h.clock)
			got := h.view(c.id).Answer
			switch {
			case why != "" && got.Result == gate.Pass:
				h.Errorf("%s %s passes (%s), but %s", l.profile, c.version, got.Why, why)
			case why == "" && sure && got.Result != gate.Pass:
				h.Errorf("%s %s is %s (%s), though everything was answered", l.profile, c.version, got.Result, got.Why)
			}
		}
	}
}
