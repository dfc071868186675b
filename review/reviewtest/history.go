package reviewtest

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/change"
	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/surface"
)

// History drives a team through a random history (pushes, renames, answers of all
// kinds, baselines, threads, releases, reverts) in two profiles, and compares the
// gate with an independent model of what counts after every step. The same seed
// gives the same history.
//
// The model knows no digests, no reports and no classes: it keeps who said what
// about which exact text of a definition, and which texts were released. So it
// can't repeat a mistake of the service's.
func History(t testing.TB, store review.Store, seed uint64, steps int) {
	h := &history{world: newWorld(t, store), rnd: rand.New(rand.NewPCG(seed, 5)), texts: map[surface.Hash]string{}}
	for _, name := range []string{review.DefaultProfile, "readonly"} {
		h.profiles = append(h.profiles, &ledger{profile: name, baseline: map[string]bool{}})
	}
	for n := range steps {
		h.step()
		h.check()
		if t.Failed() {
			t.Fatalf("seed %d, step %d; what happened:\n%s", seed, n, strings.Join(h.log, "\n"))
		}
	}
}

type history struct {
	*world
	rnd      *rand.Rand
	profiles []*ledger
	texts    map[surface.Hash]string // every definition by digest
	log      []string
	versions int
}

// ledger is the model of one profile.
type ledger struct {
	profile  string
	reviews  []*underReview
	released []*underReview // in order, those withdrawn since left out
	said     []saying
	baseline map[string]bool
	based    bool
	open     map[string]review.Actor // blocking threads with who opened them
}

// underReview is the model of a release.
type underReview struct {
	id      string
	version string
	digest  surface.Hash
	head    []string // texts in order
	authors map[string]bool
	closed  bool
}

// saying is the model of a verdict: by whom, on the step between two texts, "" for
// none.
type saying struct {
	who, from, to string
	kind          review.VerdictKind
	own, usedUp   bool
}

func (h *history) step() {
	h.clock = h.clock.Add(time.Second)
	l := h.profiles[h.rnd.IntN(len(h.profiles))]
	switch n := h.rnd.IntN(100); {
	case n < 25 || len(l.reviews) == 0:
		h.pushes(l)
	case n < 60:
		h.answers(l)
	case n < 70:
		h.finishes(l)
	case n < 76:
		h.accepts(l)
	case n < 82:
		h.talks(l)
	case n < 94:
		h.releases(l)
	default:
		h.withdraws(l)
	}
}

func (h *history) note(format string, args ...any) {
	h.log = append(h.log, fmt.Sprintf(format, args...))
}

// text is one of the few definitions that a tool of a name has in its history.
func text(name string, wording int, required bool) string {
	d := tool(name, fmt.Sprintf("The tool %s, in its wording %c.", name, 'a'+wording))
	if required {
		d = strings.Replace(d, `"properties"`, `"required":["id"],"properties"`, 1)
	}
	return d
}

// nameOf reads a definition's name.
func nameOf(def string) string {
	var d struct {
		Name string `json:"name"`
	}
	if err := json.Unmarshal([]byte(def), &d); err != nil {
		panic(err)
	}
	return d.Name
}

// breaks reports whether callers of one definition break on another: of the texts
// of a history, when the argument became required.
func breaks(from, to string) bool {
	return !strings.Contains(from, `"required"`) && strings.Contains(to, `"required"`)
}

func (h *history) some(name string) string {
	return text(name, h.rnd.IntN(3), h.rnd.IntN(4) == 0)
}

var historyNames = []string{"alpha_read", "beta_write", "gamma_list", "delta_send"}

// pushes sends a new version, or a new revision of an open one.
func (h *history) pushes(l *ledger) {
	head := h.mutated(l)
	var r *underReview
	if open := l.underReview(); len(open) > 0 && h.rnd.IntN(2) == 0 {
		r = open[h.rnd.IntN(len(open))]
	} else {
		h.versions++
		r = &underReview{version: fmt.Sprint("v", h.versions), authors: map[string]bool{}}
		l.reviews = append(l.reviews, r)
	}
	m := h.sending(r.version, listing(head...))
	m.params.Profile = l.profile
	author := ""
	if h.rnd.IntN(3) == 0 {
		author = "Rita"
		m.params.Author = email(author)
	}
	same := slices.Equal(r.head, head)
	p := h.pushAs(m)
	r.id, r.digest = idOf(p), p.Answer.Listing.Digest
	if same {
		return // the same bytes are no revision, and make nobody an author
	}
	r.head = head
	if author != "" {
		r.authors[author] = true
	}
	l.comeBack(head)
	h.note("%s: push %s by %q: %s", l.profile, r.version, author, brief(head))
}

// mutated is what the profile released last, or the head of something open, with a
// few definitions added, changed, taken away or renamed.
func (h *history) mutated(l *ledger) []string {
	var head []string
	if open := l.underReview(); len(open) > 0 && h.rnd.IntN(2) == 0 {
		head = slices.Clone(open[h.rnd.IntN(len(open))].head)
	} else if b := l.base(); b != nil {
		head = slices.Clone(b.head)
	}
	for range 1 + h.rnd.IntN(2) {
		name := historyNames[h.rnd.IntN(len(historyNames))]
		i := slices.IndexFunc(head, func(d string) bool { return nameOf(d) == name })
		switch {
		case i < 0:
			head = append(head, h.some(name))
		case h.rnd.IntN(5) == 0 && len(head) > 1:
			head = slices.Delete(head, i, i+1)
		default:
			head[i] = h.some(name)
		}
	}
	for _, d := range head {
		h.register(d)
	}
	return head
}

func (h *history) register(def string) {
	digest, err := surface.Digest([]byte(def))
	h.must(err)
	h.texts[digest] = def
}

func brief(head []string) string {
	var out []string
	for _, d := range head {
		s := nameOf(d) + d[strings.Index(d, " wording ")+9:][:1]
		if strings.Contains(d, `"required"`) {
			s += "!"
		}
		out = append(out, s)
	}
	return strings.Join(out, " ")
}

func (l *ledger) underReview() []*underReview {
	var open []*underReview
	for _, r := range l.reviews {
		if !r.closed {
			open = append(open, r)
		}
	}
	return open
}

// base is what the profile released last.
func (l *ledger) base() *underReview {
	if len(l.released) == 0 {
		return nil
	}
	return l.released[len(l.released)-1]
}

// comeBack ends approvals of removals of tools that are back.
func (l *ledger) comeBack(head []string) {
	for i := range l.said {
		s := &l.said[i]
		if s.to == "" && s.kind == review.Approve && find(head, nameOf(s.from)) != "" {
			s.usedUp = true
		}
	}
}

func find(head []string, name string) string {
	for _, d := range head {
		if nameOf(d) == name {
			return d
		}
	}
	return ""
}

func (h *history) anyone() review.Actor {
	return []review.Actor{h.rita, h.rob, h.ana, h.ben}[h.rnd.IntN(4)]
}

// answers has somebody answer to a change of an open release, as a whole or edit
// by edit.
func (h *history) answers(l *ledger) {
	open := l.underReview()
	if len(open) == 0 {
		return
	}
	r := open[h.rnd.IntN(len(open))]
	var tools []review.Decided
	for _, c := range h.view(r.id).Changes {
		if c.Subject == change.SubjectTool {
			tools = append(tools, c)
		}
	}
	if len(tools) == 0 {
		return
	}
	c := tools[h.rnd.IntN(len(tools))]
	kind := []review.VerdictKind{review.Approve, review.Approve, review.Approve, review.Reject, review.Withdraw}[h.rnd.IntN(5)]
	items := []review.VerdictItem{{Change: c.ID, Verdict: kind, Note: "Said so."}}
	if kind == review.Approve && h.rnd.IntN(2) == 0 {
		items = nil
		for _, d := range c.Details {
			items = append(items, review.VerdictItem{Edit: d.Edit, Changes: []string{c.ID}, Verdict: kind, Note: "Said so."})
		}
	}
	who, before := h.anyone(), h.othersThan(c.Change)
	if _, err := h.svc.Decide(h.ctx, who, r.id, items); err != nil {
		return // refused: nothing may have changed, which check sees
	}
	s := saying{who: who.Label(), from: h.texts[c.From], to: h.texts[c.To], kind: kind, own: r.authors[who.Label()]}
	if s.to != "" && !slices.Contains(r.head, s.to) {
		h.Errorf("the change of %s leads to what is not in the head", c.Name())
	}
	l.said = append(l.said, s)
	h.note("%s: %s %ss %s of %s", l.profile, s.who, kind, c.Name(), r.version)
	if after := h.othersThan(c.Change); !slices.Equal(before, after) {
		h.Errorf("a verdict on %s changed the state of others:\n%s\n%s", c.Name(), before, after)
	}
}

// finishes has somebody approve every tool that changed, in one batch, so that
// histories get as far as releases.
func (h *history) finishes(l *ledger) {
	open := l.underReview()
	if len(open) == 0 {
		return
	}
	r, who := open[h.rnd.IntN(len(open))], h.anyone()
	var items []review.VerdictItem
	var said []saying
	for _, c := range h.view(r.id).Changes {
		if c.Subject == change.SubjectTool {
			items = append(items, review.VerdictItem{Change: c.ID, Verdict: review.Approve, Note: "Read it all."})
			said = append(said, saying{who: who.Label(), from: h.texts[c.From], to: h.texts[c.To], kind: review.Approve, own: r.authors[who.Label()]})
		}
	}
	if _, err := h.svc.Decide(h.ctx, who, r.id, items); err != nil {
		return
	}
	l.said = append(l.said, said...)
	h.note("%s: %s approves all of %s", l.profile, who.Label(), r.version)
	h.releaseOf(l, r)
}

// othersThan lists where every requirement stands in every open release, but for
// those on the bytes of one change.
func (h *history) othersThan(c change.Change) []string {
	var out []string
	for _, l := range h.profiles {
		for _, r := range l.underReview() {
			for _, other := range h.view(r.id).Changes {
				same := !c.To.IsZero() && other.To == c.To || c.To.IsZero() && other.From == c.From
				if q := other.Requirement; q != nil && !(same && l.has(r)) {
					out = append(out, fmt.Sprintf("%s %s %s %s", l.profile, r.version, q.ID, q.State))
				}
			}
		}
	}
	return out
}

func (l *ledger) has(r *underReview) bool { return slices.Contains(l.reviews, r) }

// accepts has Ana accept a baseline; the service says whether that can still be.
func (h *history) accepts(l *ledger) {
	r := l.reviews[h.rnd.IntN(len(l.reviews))]
	if _, err := h.svc.AcceptBaseline(h.ctx, h.ana, r.id, r.digest, nil); err != nil {
		return
	}
	if l.based || len(l.released) > 0 {
		h.Errorf("%s: a baseline after one, or after a release", l.profile)
	}
	l.based = true
	for _, d := range r.head {
		l.baseline[d] = true
	}
	h.note("%s: baseline %s", l.profile, r.version)
}

// talks opens a blocking thread, or has who opened one resolve it.
func (h *history) talks(l *ledger) {
	for id, who := range l.open {
		_, err := h.svc.ResolveThread(h.ctx, who, id)
		h.must(err)
		delete(l.open, id)
		h.note("%s: thread resolved", l.profile)
		return
	}
	open := l.underReview()
	if len(open) == 0 {
		return
	}
	who := h.anyone()
	t, err := h.svc.Comment(h.ctx, who, open[h.rnd.IntN(len(open))].id, review.NewComment{Body: "Wait.", Blocks: true})
	h.must(err)
	l.open = map[string]review.Actor{t.ID: who}
	h.note("%s: thread opened", l.profile)
}

// releases has Ana release something; what the model would not let pass must not.
func (h *history) releases(l *ledger) {
	if r := l.reviews[h.rnd.IntN(len(l.reviews))]; !r.closed {
		h.releaseOf(l, r)
	}
}

func (h *history) releaseOf(l *ledger, r *underReview) {
	h.clock = h.clock.Add(time.Second)
	why, _ := l.blocked(r)
	if _, err := h.svc.MarkReleased(h.ctx, h.ana, r.id, r.digest); err != nil {
		return
	}
	if why != "" {
		h.Errorf("%s was released: %s", r.version, why)
	}
	for i := range l.said {
		s := &l.said[i]
		if b := l.base(); b != nil && s.to == "" && s.kind == review.Approve && slices.Contains(b.head, s.from) && !slices.Contains(r.head, s.from) {
			s.usedUp = s.usedUp || find(r.head, nameOf(s.from)) == ""
		}
	}
	r.closed = true
	l.released = append(l.released, r)
	h.note("%s: release %s", l.profile, r.version)
}

// withdraws has Ana take a release back. For cause, what it introduced is rejected.
func (h *history) withdraws(l *ledger) {
	r := l.reviews[h.rnd.IntN(len(l.reviews))]
	cause := h.rnd.IntN(2) == 0
	var introduced []review.Decided
	for _, c := range h.view(r.id).Changes {
		if c.Subject == change.SubjectTool && !c.To.IsZero() {
			introduced = append(introduced, c)
		}
	}
	if _, err := h.svc.WithdrawRelease(h.ctx, h.ana, r.id, "A mistake.", cause); err != nil {
		return
	}
	r.closed = true
	l.released = slices.DeleteFunc(l.released, func(o *underReview) bool { return o == r })
	if cause {
		for _, c := range introduced {
			l.said = append(l.said, saying{who: "Ana", from: h.texts[c.From], to: h.texts[c.To], kind: review.Reject})
		}
	}
	h.note("%s: withdraw %s, for cause %t", l.profile, r.version, cause)
}

// check compares the gate of every open release with the model.
func (h *history) check() {
	for _, l := range h.profiles {
		for _, r := range l.underReview() {
			why, sure := l.blocked(r)
			got := h.view(r.id).Answer
			switch {
			case why != "" && got.Result == gate.Pass:
				h.Errorf("%s %s passes (%s), but %s", l.profile, r.version, got.Why, why)
			case why == "" && sure && got.Result != gate.Pass:
				h.Errorf("%s %s is %s (%s), though everything was answered", l.profile, r.version, got.Result, got.Why)
			}
		}
	}
}

// blocked says why a release must not pass, "" when nothing stands against it.
// sure is false when the model can't tell a rename from a removal and an addition:
// then only what it blocks counts.
func (l *ledger) blocked(r *underReview) (why string, sure bool) {
	base := &underReview{}
	if b := l.base(); b != nil {
		base = b
	}
	var added, removed []string
	for _, d := range r.head {
		if l.rejected("", d) {
			return nameOf(d) + " is rejected", true
		}
		was := find(base.head, nameOf(d))
		if was == "" {
			added = append(added, d)
		}
		if was != d && !l.vouched(r, d) {
			return nameOf(d) + " was never approved", true
		}
		if was != "" && breaks(was, d) && !l.approved(r, was, d) {
			return "the step of " + nameOf(d) + " was never approved", true
		}
	}
	for _, was := range base.head {
		if find(r.head, nameOf(was)) == "" {
			removed = append(removed, was)
		}
	}
	for _, was := range removed {
		renamed := slices.ContainsFunc(added, func(d string) bool { return l.approved(r, was, d) })
		if !renamed && (l.rejected(was, "") || !l.approved(r, was, "")) {
			return "the removal of " + nameOf(was) + " was never approved", true
		}
	}
	if len(l.open) > 0 {
		return "a thread blocks", true
	}
	return "", len(added) == 0 || len(removed) == 0
}

// vouched reports whether the exact text was approved by somebody who may, accepted
// with the baseline, or released and not withdrawn.
func (l *ledger) vouched(r *underReview, def string) bool {
	if l.baseline[def] || l.approvedText(r, def) {
		return true
	}
	return slices.ContainsFunc(l.released, func(o *underReview) bool { return slices.Contains(o.head, def) })
}

// last finds what each person said last about a step, or with from "*" about a
// text whatever it came from.
func (l *ledger) last(from, to string) map[string]saying {
	out := map[string]saying{}
	for _, s := range l.said {
		if !s.usedUp && s.to == to && (from == "*" || s.from == from) {
			out[s.who] = s
		}
	}
	return out
}

func (l *ledger) approvedText(r *underReview, def string) bool { return counts(r, l.last("*", def)) }

func (l *ledger) approved(r *underReview, from, to string) bool { return counts(r, l.last(from, to)) }

// counts reports whether one approval is of somebody who did not write the release.
func counts(r *underReview, last map[string]saying) bool {
	for who, s := range last {
		if s.kind == review.Approve && !s.own && !r.authors[who] {
			return true
		}
	}
	return false
}

// rejected reports whether a text, or with from the removal of one, is rejected by
// anybody.
func (l *ledger) rejected(from, to string) bool {
	if from == "" {
		from = "*"
	}
	for _, s := range l.last(from, to) {
		if s.kind == review.Reject {
			return true
		}
	}
	return false
}
