package reviewtest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"time"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/change"
	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/people"
)

var depthCases = map[string]func(*world){
	"an alias keeps callers whole":            aliasHolds,
	"an alias ends and expires":               aliasEnds,
	"who may note an alias":                   aliasRefused,
	"a pairing by a reviewer, and back":       pairedByHand,
	"a pairing must fit the release":          pairRefused,
	"tools that were merged, and back":        mergedByHand,
	"a merge must fit the release":            mergeRefused,
	"identical changes of another profile":    twinsDecided,
	"an answer for one profile stays there":   twinsApart,
	"viewed marks are private":                viewedPrivate,
	"an answer counts as viewed":              viewedByAnswer,
	"a mark on a changed definition is gone":  viewedMoves,
	"pages wait for comparisons in parts":     comparedInParts,
	"comments since the last visit are new":   freshComments,
	"since I last looked":                     lookedLast,
	"since I looked at what came later":       lookedAhead,
	"viewers mark, strangers learn nothing":   viewedAccess,
	"the released comparison keeps its names": aliasThen,
	"whose turn, why, since when":             attention,
	"a tool's past beside a release":          pastTold,
	"a tool's past under its former name":     pastRenamed,
	"a tool's past is short":                  pastShort,
	"the changelog":                           changelogWritten,
	"an author's reason in the changelog":     changelogOfAuthors,
	"approvals of a push by ref hold":         refHolds,
}

// renamed is the listing of three with find under another name.
func renamed(name, description string) string {
	return listing(tool(name, description), tool("drop", "Drops."), tool("list", "Lists."))
}

func (w *world) alias(old, new string, until time.Time) *review.Naming {
	w.Helper()
	n, err := w.svc.AddAlias(w.ctx, w.ana, "mot", review.NewAlias{Old: old, New: new, Note: "Old clients.", Until: until})
	w.must(err)
	if !n.Waits {
		w.Fatal("one maintainer alone softens a rename")
	}
	_, err = w.svc.DecideProposal(w.ctx, w.ben, n.ID, true)
	w.must(err)
	all, err := w.svc.Namings(w.ctx, w.ana, "mot")
	w.must(err)
	return &all[len(all)-1]
}

func aliasHolds(w *world) {
	w.released("1", three())
	p := w.push("2", renamed("search", "Finds."))
	w.must(w.pair(p, "find", "search"))
	if c := w.change(idOf(p), "search"); c.Kind != change.Renamed || c.Class != change.Breaking {
		w.Fatalf("paired: %s %s", c.Kind, c.Class)
	}
	w.alias("find", "search", time.Time{})
	c := w.change(idOf(p), "search")
	if c.Kind != change.Renamed || c.Class == change.Breaking {
		w.Errorf("with an alias: %s %s", c.Kind, c.Class)
	}
	if v := w.view(idOf(p)); len(v.Aliases) != 1 || v.Aliases[0].ByLabel != "Ana" {
		w.Errorf("aliases: %+v", v.Aliases)
	}
}

// pair pairs two tools and ignores a pairing that the comparison found by itself.
func (w *world) pair(p *review.Pushed, old, new string) error {
	for _, c := range w.view(idOf(p)).Changes {
		if c.Kind == change.Renamed && c.Name() == new {
			return nil
		}
	}
	_, err := w.svc.Pair(w.ctx, w.rita, idOf(p), old, new)
	return err
}

func aliasEnds(w *world) {
	w.released("1", three())
	p := w.push("2", renamed("search", "Looks through the whole archive of letters."))
	w.must(w.pair(p, "find", "search"))
	is := func(want change.Class) {
		w.Helper()
		if c := w.change(idOf(p), "search"); c.Class != want {
			w.Errorf("class %s, want %s", c.Class, want)
		}
	}
	is(change.Breaking)
	w.alias("find", "search", w.clock.Add(time.Hour))
	before := w.change(idOf(p), "search").Class
	if before == change.Breaking {
		w.Error("an alias, and the rename still breaks")
	}
	w.clock = w.clock.Add(time.Hour)
	is(change.Breaking)
	n := w.alias("find", "search", time.Time{})
	is(before)
	w.must(w.svc.EndAlias(w.ctx, w.ana, "mot", n.ID))
	w.clock = w.clock.Add(time.Second)
	is(change.Breaking)
	all, err := w.svc.Namings(w.ctx, w.vic, "mot")
	w.must(err)
	if len(all) != 3 || all[2].EndedAt.IsZero() || all[2].EndedBy != w.ana.User.ID {
		w.Errorf("the ledger: %+v", all)
	}
}

// aliasThen ends an alias after the release that relied on it: what was released
// is still read as it was then.
func aliasThen(w *world) {
	w.released("1", three())
	n := w.alias("find", "search", time.Time{})
	p := w.push("2", renamed("search", "Finds."))
	w.approveAll(idOf(p))
	w.release(p)
	was := w.change(idOf(p), "search").Class
	w.must(w.svc.EndAlias(w.ctx, w.ana, "mot", n.ID))
	w.clock = w.clock.Add(time.Hour)
	if is := w.change(idOf(p), "search").Class; is != was || is == change.Breaking {
		w.Errorf("released as %s, now %s", was, is)
	}
	w.wantGate(p, gate.Pass)
}

func aliasRefused(w *world) {
	w.released("1", three())
	good := review.NewAlias{Old: "find", New: "search"}
	for _, who := range []review.Actor{w.rita, w.vic} {
		_, err := w.svc.AddAlias(w.ctx, who, "mot", good)
		w.refused(err, review.Forbidden)
	}
	stranger := w.stranger()
	_, err := w.svc.AddAlias(w.ctx, stranger, "mot", good)
	w.refused(err, review.NotFound)
	for _, bad := range []review.NewAlias{
		{Old: "find"}, {Old: "find", New: "find"}, {Old: "find", New: "search", Profile: "nothing"},
		{Old: "find", New: "search", Until: w.clock}, {Old: "find", New: "search", Note: "\xff"},
	} {
		_, err := w.svc.AddAlias(w.ctx, w.ana, "mot", bad)
		w.refused(err, review.Invalid)
	}
	_, err = w.svc.AddAlias(w.ctx, w.ana, "mot", review.NewAlias{Old: "fnd", New: "search"})
	w.refused(err, review.Invalid, "No version of the profile default has a tool fnd")
	w.alias("find", "search", time.Time{})
	_, err = w.svc.AddAlias(w.ctx, w.ana, "mot", review.NewAlias{Old: "find", New: "seek"})
	w.refused(err, review.Conflict, "search")
	w.refused(w.svc.EndAlias(w.ctx, w.ana, "mot", "nothing"), review.Invalid)
}

// stranger is a maintainer of another server.
func (w *world) stranger() review.Actor {
	w.Helper()
	w.addServer("shop", gate.Team)
	return w.person("Sam", people.Maintainer, "shop")
}

func pairedByHand(w *world) {
	w.released("1", three())
	p := w.push("2", renamed("search", "Looks through the whole archive of letters."))
	g := w.wantGate(p, gate.Blocked, "approval:search", "removal:find")
	w.requirement(g, "removal:find")
	w.approve(w.rita, idOf(p), "find", "search")
	w.wantGate(p, gate.Pass)
	v, err := w.svc.Pair(w.ctx, w.rob, idOf(p), "find", "search")
	w.must(err)
	if len(v.Pairings) != 1 || v.Pairings[0].ByLabel != "Rob" {
		w.Fatalf("pairings: %+v", v.Pairings)
	}
	c := w.change(idOf(p), "search")
	if c.Kind != change.Renamed || c.Class != change.Breaking || c.FromTool == nil || *c.FromTool != "find" {
		w.Fatalf("paired: %+v", c.Change)
	}
	w.wantGate(p, gate.Blocked) // the step is a new question, whatever approved the bytes
	_, err = w.svc.Unpair(w.ctx, w.vic, idOf(p), v.Pairings[0].ID)
	w.refused(err, review.Forbidden)
	w.clock = w.clock.Add(time.Second)
	_, err = w.svc.Unpair(w.ctx, w.rita, idOf(p), v.Pairings[0].ID)
	w.must(err)
	w.wantGate(p, gate.Pass)
	log, err := w.svc.AuditLog(w.ctx, w.ana, review.AuditQuery{Server: "mot"}, review.Page{})
	w.must(err)
	for _, name := range []string{"pairing.add", "pairing.end"} {
		if !slices.ContainsFunc(log, func(e review.AuditAct) bool { return e.Act == name }) {
			w.Errorf("the audit has no %s", name)
		}
	}
}

// berths are tools of a harbour of which the next version has one.
func berths() string {
	return listing(tool("berth_list", "Lists berths."), tool("berth_get", "Reads a berth."), tool("tide", "Says the tide."))
}

func mergedByHand(w *world) {
	w.released("1", berths())
	p := w.push("2", listing(tool("berth", "Reads a berth, or all of them."), tool("tide", "Says the tide.")))
	w.approve(w.rita, idOf(p), "berth_list", "berth_get", "berth")
	w.wantGate(p, gate.Pass)
	v, err := w.svc.Merge(w.ctx, w.rob, idOf(p), []string{"berth_list", "berth_get"}, "berth")
	w.must(err)
	if len(v.Merges) != 2 || v.Merges[0].ByLabel != "Rob" || len(v.Report.Merged) != 1 {
		w.Fatalf("merges: %+v, %+v", v.Merges, v.Report.Merged)
	}
	w.wantGate(p, gate.Pass) // the removals are the same question as before
	c, err := w.svc.Changelog(w.ctx, w.vic, idOf(p))
	w.must(err)
	for _, text := range []string{c.Markdown, c.Migration} {
		for _, want := range []string{"Calls of them now fail", "`berth` does their work now", "Instead of `berth_get` call `berth`", "Instead of `berth_list` call `berth`"} {
			if !strings.Contains(text, want) {
				w.Errorf("it does not say %q:\n%s", want, text)
			}
		}
	}
	_, err = w.svc.Merge(w.ctx, w.rita, idOf(p), []string{"berth_get"}, "tide")
	w.refused(err, review.Conflict, "berth is already noted as what does the work of berth_get")
	_, err = w.svc.Pair(w.ctx, w.rita, idOf(p), "berth_get", "berth")
	w.refused(err, review.Conflict, "End that first")
	_, err = w.svc.Unpair(w.ctx, w.vic, idOf(p), v.Merges[0].ID)
	w.refused(err, review.Forbidden)
	w.clock = w.clock.Add(time.Second)
	for _, n := range v.Merges {
		_, err = w.svc.Unpair(w.ctx, w.rita, idOf(p), n.ID)
		w.must(err)
	}
	if v := w.view(idOf(p)); len(v.Merges) != 0 || len(v.Report.Merged) != 0 {
		w.Errorf("taken back: %+v", v.Merges)
	}
	// What was taken for a rename can be said to be a merge.
	w.must(w.pair(p, "berth_get", "berth"))
	for _, n := range w.view(idOf(p)).Pairings {
		w.clock = w.clock.Add(time.Second)
		_, err = w.svc.Unpair(w.ctx, w.rita, idOf(p), n.ID)
		w.must(err)
	}
	_, err = w.svc.Merge(w.ctx, w.rita, idOf(p), []string{"berth_get"}, "tide")
	w.must(err)
	if c := w.change(idOf(p), "berth_get"); c.Kind != change.Removed {
		w.Errorf("berth_get is %s", c.Kind)
	}
}

func mergeRefused(w *world) {
	w.released("1", berths())
	p := w.push("2", listing(tool("berth", "Reads a berth, or all of them."), tool("tide", "Says the tide.")))
	for _, bad := range []struct {
		olds []string
		to   string
	}{{nil, "berth"}, {[]string{"berth_get", "tide"}, "berth"}, {[]string{"nothing"}, "berth"}, {[]string{"berth_get"}, "nothing"}, {make([]string, 501), "berth"}} {
		_, err := w.svc.Merge(w.ctx, w.rita, idOf(p), bad.olds, bad.to)
		w.refused(err, review.Invalid)
	}
	_, err := w.svc.Merge(w.ctx, w.rita, idOf(p), []string{"berth_get", "berth_get"}, "berth")
	w.refused(err, review.Conflict)
	if v := w.view(idOf(p)); len(v.Merges) > 0 {
		w.Errorf("refused, and kept all the same: %+v", v.Merges)
	}
	_, err = w.svc.Merge(w.ctx, w.vic, idOf(p), []string{"berth_get"}, "berth")
	w.refused(err, review.Forbidden)
	_, err = w.svc.Merge(w.ctx, w.stranger(), idOf(p), []string{"berth_get"}, "berth")
	w.refused(err, review.NotFound)
	w.approve(w.rita, idOf(p), "berth_list", "berth_get", "berth")
	w.release(p)
	_, err = w.svc.Merge(w.ctx, w.rita, idOf(p), []string{"berth_get"}, "berth")
	w.refused(err, review.Conflict)
}

func pairRefused(w *world) {
	w.released("1", three())
	p := w.push("2", renamed("search", "Looks through the whole archive of letters."))
	for _, bad := range [][2]string{{"drop", "search"}, {"find", "list"}, {"nothing", "search"}, {"find", "nothing"}} {
		_, err := w.svc.Pair(w.ctx, w.rita, idOf(p), bad[0], bad[1])
		w.refused(err, review.Invalid)
	}
	_, err := w.svc.Pair(w.ctx, w.vic, idOf(p), "find", "search")
	w.refused(err, review.Forbidden)
	_, err = w.svc.Pair(w.ctx, w.stranger(), idOf(p), "find", "search")
	w.refused(err, review.NotFound)
	_, err = w.svc.Pair(w.ctx, w.rita, idOf(p), "find", "search")
	w.must(err)
	_, err = w.svc.Pair(w.ctx, w.rita, idOf(p), "find", "search")
	w.refused(err, review.Invalid)
}

// profiled pushes a version of another profile.
func (w *world) profiled(profile, version, body string) *review.Pushed {
	w.Helper()
	m := w.sending(version, body)
	m.params.Profile = profile
	return w.pushAs(m)
}

// twoProfiles has both profiles released with three and a change of find pushed to
// each.
func (w *world) twoProfiles() (p, q *review.Pushed) {
	w.released("1", three())
	base := w.profiled("readonly", "1", three())
	_, err := w.svc.AcceptBaseline(w.ctx, w.ana, idOf(base), base.Answer.Listing.Digest, nil)
	w.must(err)
	w.release(base)
	return w.push("2", changed("Finds. Never twice.")), w.profiled("readonly", "2", changed("Finds. Never twice."))
}

func twinsDecided(w *world) {
	p, q := w.twoProfiles()
	v := w.view(idOf(p))
	if len(v.Twins) != 1 || v.Twins[0].Profile != "readonly" || v.Twins[0].ReleaseID != idOf(q) {
		w.Fatalf("twins: %+v", v.Twins)
	}
	items := []review.VerdictItem{{Change: w.change(idOf(p), "find").ID, Verdict: review.Approve, Note: "Fine."}}
	_, err := w.svc.DecideAlso(w.ctx, w.rita, idOf(p), items, []string{"nothing"})
	w.refused(err, review.Invalid, "nothing")
	w.wantGate(p, gate.Blocked) // all or none
	_, err = w.svc.DecideAlso(w.ctx, w.rita, idOf(p), items, []string{"readonly"})
	w.must(err)
	w.wantGate(p, gate.Pass)
	if v := w.view(idOf(q)); v.Answer.Result != gate.Pass || v.Changes[0].Verdicts[0].Profile != "readonly" {
		w.Errorf("the twin is %s", v.Answer.Result)
	}
}

func twinsApart(w *world) {
	p, q := w.twoProfiles()
	w.approve(w.rita, idOf(p), "find")
	if got := w.view(idOf(q)).Answer.Result; got != gate.Blocked {
		w.Errorf("the other profile is %s", got)
	}
	other := w.profiled("readonly", "2", changed("Finds. Never thrice."))
	if v := w.view(idOf(p)); len(v.Twins) != 0 {
		w.Errorf("twins: %+v", v.Twins)
	}
	items := []review.VerdictItem{{Change: w.change(idOf(p), "find").ID, Verdict: review.Approve, Note: "Fine."}}
	_, err := w.svc.DecideAlso(w.ctx, w.rita, idOf(p), items, []string{other.Answer.Release.Version, "readonly"})
	w.refused(err, review.Invalid)
}

// comparedInParts: a page that waits for many comparisons is told how far it is,
// and each time it asks that is further.
func comparedInParts(w *world) {
	w.released("1", three())
	for i := range 4 {
		w.push(fmt.Sprint("2-rc", i), changed(fmt.Sprint("Finds ", i, ".")))
	}
	w.svc = review.NewService(&upgraded{Store: w.store, made: map[review.ReportKey]bool{}}, w.config())
	waits := review.WithPatience(w.ctx, -time.Second)
	var told []string
	var err error
	for range 20 {
		_, err = w.svc.Server(waits, w.ana, "mot")
		var e *review.Error
		if !errors.As(err, &e) || e.Code != review.StillComparing {
			break
		}
		if e.Kind != review.Unavailable || e.RetryAfter <= 0 || e.Done < 0 || e.Done >= e.Of || !strings.Contains(e.Sentence, fmt.Sprintf("%d of %d", e.Done, e.Of)) {
			w.Errorf("it waits, and says %v", e)
		}
		told = append(told, e.Sentence)
	}
	w.must(err)
	if len(told) < 2 || slices.Contains(told[1:], told[0]) {
		w.Errorf("the page was told: %q", told)
	}
	if _, err := w.svc.Server(waits, w.ana, "mot"); err != nil {
		w.Errorf("all is compared, and it says %v", err)
	}
}

// upgraded is a store as a newer program finds it: what was compared before it is of
// no use.
type upgraded struct {
	review.Store
	made map[review.ReportKey]bool
}

func (u *upgraded) View(ctx context.Context, f func(review.Tx) error) error {
	return u.Store.View(ctx, func(tx review.Tx) error { return f(&upgradedTx{tx, u}) })
}

func (u *upgraded) Update(ctx context.Context, f func(review.Tx) error) error {
	return u.Store.Update(ctx, func(tx review.Tx) error { return f(&upgradedTx{tx, u}) })
}

type upgradedTx struct {
	review.Tx
	u *upgraded
}

func (t *upgradedTx) Reports(ctx context.Context, keys []review.ReportKey) (map[review.ReportKey][]byte, error) {
	return t.Tx.Reports(ctx, slices.DeleteFunc(slices.Clone(keys), func(k review.ReportKey) bool { return !t.u.made[k] }))
}

func (t *upgradedTx) PutReports(ctx context.Context, near string, reports map[review.ReportKey][]byte) error {
	for k := range reports {
		t.u.made[k] = true
	}
	return t.Tx.PutReports(ctx, near, reports)
}

func viewedPrivate(w *world) {
	w.released("1", three())
	p := w.push("2", changed("Finds. Never twice."))
	id := w.change(idOf(p), "find").ID
	w.must(w.svc.MarkViewed(w.ctx, w.rita, idOf(p), []string{id}, true))
	seen := func(a review.Actor) bool {
		v, err := w.svc.Release(w.ctx, a, idOf(p))
		w.must(err)
		return v.Viewed[id]
	}
	if !seen(w.rita) || seen(w.rob) || seen(w.admin) {
		w.Error("the mark is not Rita's alone")
	}
	w.must(w.svc.MarkViewed(w.ctx, w.rita, idOf(p), []string{id}, false))
	if seen(w.rita) {
		w.Error("the mark stays")
	}
	log, err := w.svc.AuditLog(w.ctx, w.admin, review.AuditQuery{Server: "mot"}, review.Page{})
	w.must(err)
	if slices.ContainsFunc(log, func(e review.AuditAct) bool { return e.ActorID == w.rita.User.ID }) {
		w.Error("the audit tells what Rita looked at")
	}
}

func viewedByAnswer(w *world) {
	w.released("1", three())
	p := w.push("2", changed("Finds. Never twice."))
	c := w.change(idOf(p), "find")
	viewed := func(a review.Actor) bool {
		v, err := w.svc.Release(w.ctx, a, idOf(p))
		w.must(err)
		return v.Viewed[c.ID]
	}
	answer := func(a review.Actor, kind review.VerdictKind) {
		w.clock = w.clock.Add(time.Second)
		_, err := w.svc.Decide(w.ctx, a, idOf(p), []review.VerdictItem{{Change: c.ID, Verdict: kind, Note: "Fine."}})
		w.must(err)
	}
	answer(w.rita, review.Approve)
	if !viewed(w.rita) || viewed(w.rob) {
		w.Error("Rita's answer does not count as viewed, or does for Rob too")
	}
	answer(w.rita, review.Withdraw)
	if !viewed(w.rita) {
		w.Error("taken back, Rita has not seen it any more")
	}
}

func freshComments(w *world) {
	w.released("1", three())
	p := w.push("2", changed("Finds. Never twice."))
	id := w.change(idOf(p), "find").ID
	fresh := func(a review.Actor) int {
		v, err := w.svc.Release(w.ctx, a, idOf(p))
		w.must(err)
		return v.Changes[slices.IndexFunc(v.Changes, func(c review.Decided) bool { return c.ID == id })].Fresh
	}
	say := func(a review.Actor) {
		w.clock = w.clock.Add(time.Second)
		_, err := w.svc.Comment(w.ctx, a, idOf(p), review.NewComment{Anchor: review.Anchor{Tool: "find", Side: review.NewSide}, Body: "Why?"})
		w.must(err)
	}
	say(w.rob)
	if n := fresh(w.rita); n != 0 {
		w.Errorf("Rita was never here, and %d comments are new to her", n)
	}
	w.must(w.svc.MarkViewed(w.ctx, w.rita, idOf(p), []string{id}, true))
	say(w.rob)
	if mine, others := fresh(w.rob), fresh(w.rita); mine != 0 || others != 1 {
		w.Errorf("new to Rob, who wrote it: %d; to Rita: %d", mine, others)
	}
	w.must(w.svc.MarkViewed(w.ctx, w.rita, idOf(p), []string{id}, true))
	if n := fresh(w.rita); n != 0 {
		w.Errorf("Rita came back, and %d are still new", n)
	}
}

func viewedMoves(w *world) {
	w.released("1", three())
	p := w.push("2", changed("Finds. Never twice."))
	id := w.change(idOf(p), "find").ID
	w.must(w.svc.MarkViewed(w.ctx, w.rita, idOf(p), []string{id}, true))
	same := w.push("2-rc", changed("Finds. Never twice.")) // another version of the same bytes
	if v, _ := w.svc.Release(w.ctx, w.rita, idOf(same)); !v.Viewed[id] {
		w.Error("the same change in another version is not viewed")
	}
	w.push("2", changed("Finds. Never thrice."))
	v, err := w.svc.Release(w.ctx, w.rita, idOf(p))
	w.must(err)
	if len(v.Viewed) != 0 {
		w.Errorf("viewed: %v", v.Viewed)
	}
	w.refused(w.svc.MarkViewed(w.ctx, w.rita, idOf(p), []string{id}, true), review.Stale)
}

func lookedLast(w *world) {
	w.released("1", three())
	p := w.push("2", changed("Finds. Never twice."))
	kinds := func(a review.Actor) (got []review.BaseKind, look review.BaseChoice) {
		v, err := w.svc.Release(w.ctx, a, idOf(p))
		w.must(err)
		for _, b := range v.Bases {
			if got = append(got, b.Kind); b.Kind == review.LastLooked {
				look = b
			}
		}
		return got, look
	}
	if got, _ := kinds(w.rita); !slices.Equal(got, []review.BaseKind{review.GateBase, review.OtherVersion}) {
		w.Errorf("before: %v", got)
	}
	w.approve(w.rita, idOf(p), "find")
	was := p.Answer.Listing.ID
	w.push("2", changed("Finds. Never thrice."))
	if _, look := kinds(w.rita); look.Listing != was {
		w.Errorf("Rita looked at %+v, want %s", look, was)
	}
	if _, look := kinds(w.rob); look.Listing != "" {
		w.Errorf("Rob looked at %+v", look)
	}
}

// lookedAhead works on the newer of two open versions: on the older one that is nothing
// that came before.
func lookedAhead(w *world) {
	w.released("1", three())
	older := w.push("2", changed("Finds. Never twice."))
	newer := w.push("3", changed("Finds. Never thrice."))
	look := func(id string) string {
		v, err := w.svc.Release(w.ctx, w.rita, id)
		w.must(err)
		for _, b := range v.Bases {
			if b.Kind == review.LastLooked {
				return b.Listing
			}
		}
		return ""
	}
	w.approve(w.rita, idOf(newer), "find")
	if got := look(idOf(older)); got != "" {
		w.Errorf("2 is offered %s to look from, which came after it", got)
	}
	w.approve(w.rita, idOf(older), "find")
	if got := look(idOf(newer)); got != older.Answer.Listing.ID {
		w.Errorf("3 is offered %s, want the one of 2", got)
	}
	third := w.push("3", changed("Finds. Never more."))
	if got := look(idOf(third)); got != newer.Answer.Listing.ID {
		w.Errorf("3 is offered %s, want its own earlier listing", got)
	}
}

func viewedAccess(w *world) {
	p := w.push("1", three())
	id := w.change(idOf(p), "find").ID
	w.must(w.svc.MarkViewed(w.ctx, w.vic, idOf(p), []string{id}, true))
	w.refused(w.svc.MarkViewed(w.ctx, w.stranger(), idOf(p), []string{id}, true), review.NotFound)
	w.refused(w.svc.MarkViewed(w.ctx, w.shell, idOf(p), []string{id}, true), review.Forbidden)
	w.refused(w.svc.MarkViewed(w.ctx, w.vic, idOf(p), nil, true), review.Invalid)
}

func attention(w *world) {
	w.released("1", three())
	p := w.push("2", changed("Finds. Never twice."))
	pushed := w.clock.Add(-time.Second)
	at := func(a review.Actor) review.Attention {
		home, err := w.svc.Home(w.ctx, a)
		w.must(err)
		for _, list := range [][]review.ReleaseSummary{home.YourTurn, home.Waiting} {
			for _, sum := range list {
				if sum.Release.ID == idOf(p) {
					return sum.Attention
				}
			}
		}
		w.Fatalf("%s is not shown the release", a.Label())
		return review.Attention{}
	}
	if got := at(w.rita); !got.Yours || !slices.Equal(got.Who, []string{"Ada", "Ana", "Ben", "Rob"}) || !got.Since.Equal(pushed) || got.Why == "" {
		w.Errorf("Rita: %+v", got)
	}
	if got := at(w.vic); got.Yours || len(got.Who) != 5 {
		w.Errorf("Vic: %+v", got)
	}
	asked := w.clock
	w.open(w.rita, p, "find", true)
	if got := at(w.rob); !got.Since.Equal(asked) {
		w.Errorf("since %s, want %s", got.Since, asked)
	}
}

func changelogWritten(w *world) {
	w.released("1", three())
	w.alias("find", "search", w.clock.Add(48*time.Hour))
	p := w.push("2", renamed("search", "Finds."))
	w.must(w.decide(w.rob, idOf(p), review.Approve, "Wrong, sorry.", "search"))
	w.must(w.decide(w.rob, idOf(p), review.Withdraw, "", "search"))
	w.must(w.decide(w.rita, idOf(p), review.Approve, "Shorter to *say*.", "search"))
	read := func() string {
		c, err := w.svc.Changelog(w.ctx, w.vic, idOf(p))
		w.must(err)
		return c.Markdown
	}
	before := read()
	for _, want := range []string{"## 2", "Not released yet.", "`find` still answers, with `search`, until 2026-12-02", `Reason: Shorter to \*say\*. (Rita)`} {
		if !strings.Contains(before, want) {
			w.Errorf("the changelog does not say %q:\n%s", want, before)
		}
	}
	if strings.Contains(before, "sorry") {
		w.Error("a reason that was taken back is in the changelog")
	}
	w.release(p)
	after := read()
	w.clock = w.clock.Add(72 * time.Hour)
	if later := read(); later != after || !strings.Contains(after, "Released 2026-11-30.") {
		w.Errorf("the changelog moved:\n%s\n%s", after, later)
	}
	q := w.push("3", listing(tool("drop", "Drops."), tool("list", "Lists.")))
	c, err := w.svc.Changelog(w.ctx, w.vic, idOf(q))
	w.must(err)
	if first, err := w.svc.Changelog(w.ctx, w.vic, idOf(p)); err != nil || !strings.Contains(first.Migration, "Old names that still answer") || !strings.Contains(first.Migration, "until 2026-12-02") {
		w.Errorf("nothing breaks until the alias ends: %+v, %v", first, err)
	}
	if !strings.Contains(c.Migration, "## Migrating from 2 to 3") || !strings.Contains(c.Migration, "search") {
		w.Errorf("the migration note:\n%s", c.Migration)
	}
	_, err = w.svc.Changelog(w.ctx, w.stranger(), idOf(p))
	w.refused(err, review.NotFound)
}

// changelogOfAuthors: what an author says of their own push is a reason only where it
// counts, and what is released keeps the reasons that it was released for.
func changelogOfAuthors(w *world) {
	w.released("1", three())
	m := w.sending("2", changed("Finds. Never twice."))
	m.params.Author = w.rita.User.Email
	p := w.pushAs(m)
	w.must(w.decide(w.rita, idOf(p), review.Approve, "Mine, so it is fine.", "find"))
	read := func() string {
		c, err := w.svc.Changelog(w.ctx, w.vic, idOf(p))
		w.must(err)
		return c.Markdown
	}
	if log := read(); strings.Contains(log, "Mine") {
		w.Errorf("an approval that does not count is a reason:\n%s", log)
	}
	w.approve(w.rob, idOf(p), "find")
	w.release(p)
	w.shellPolicy(gate.Policy{Preset: gate.JustMe})
	if log := read(); strings.Contains(log, "Mine") {
		w.Errorf("an approval that did not count then became a reason:\n%s", log)
	}
	m = w.sending("3", changed("Finds. Never thrice."))
	m.params.Author = w.rita.User.Email
	p = w.pushAs(m)
	w.must(w.decide(w.rita, idOf(p), review.Approve, "Mine, and mine to say.", "find"))
	w.release(p)
	w.shellPolicy(gate.Policy{Preset: gate.Team})
	if log := read(); !strings.Contains(log, "Mine, and mine to say. (Rita)") {
		w.Errorf("what it was released for is gone from the changelog:\n%s", log)
	}
}

func refHolds(w *world) {
	w.released("1", three())
	m := w.sending("", changed("Finds. Never twice."))
	m.params.Version, m.params.Ref = "", "pr-12"
	pr := w.pushAs(m)
	w.approve(w.rita, idOf(pr), "find")
	_, err := w.svc.MarkReleased(w.ctx, w.ana, idOf(pr), pr.Answer.Listing.Digest)
	w.refused(err, review.Conflict, "no version")
	p := w.push("2", changed("Finds. Never twice."))
	w.wantGate(p, gate.Pass)
	w.release(p)
}

// pastLine is a step of a past in short: version, kind, class, who approved it.
func pastLines(p *review.Past) []string {
	var out []string
	for _, st := range p.Steps {
		line := fmt.Sprint(st.Release.Title(), " ", st.Change.Kind, " ", st.Change.Class)
		for _, v := range st.Approvals {
			line += " " + v.UserLabel
		}
		out = append(out, line)
	}
	return out
}

func (w *world) wantPast(a review.Actor, p *review.Pushed, name, before string, want ...string) *review.Past {
	w.Helper()
	past, err := w.svc.Past(w.ctx, a, idOf(p), name, before)
	w.must(err)
	if got := pastLines(past); !slices.Equal(got, want) {
		w.Errorf("%s leading to %s: %q, want %q", name, w.view(idOf(p)).Release.Title(), got, want)
	}
	return past
}

// pastTold: the versions that lead to a release and in which the tool changed, newest
// first; what came after it, what is under review elsewhere and what was taken back is
// none of them.
func pastTold(w *world) {
	three := func(find string) string {
		return listing(tool("find", find), tool("drop", "Drops."), tool("list", "Lists."))
	}
	first := w.released("1", three("Finds."))
	second := w.released("2", three("Finds it."))
	w.released("3", listing(tool("drop", "Drops."), tool("list", "Lists.")))
	fourth := w.released("4", three("Finds it again."))
	w.push("5", three("Finds nothing."))
	now := w.push("6", three("Finds all of it."))
	w.approve(w.rita, idOf(now), "find")
	all := []string{"6 changed text Rita", "4 added behaviour Rita", "3 removed breaking Rita", "2 changed text Rita", "1 added behaviour"}
	past := w.wantPast(w.vic, now, "find", "", all...)
	if past.Older || past.Server != "mot" || past.Profile != review.DefaultProfile {
		w.Errorf("%+v", past)
	}
	w.wantPast(w.vic, second, "find", "", all[3:]...)
	w.wantPast(w.vic, first, "find", "", all[4:]...)
	w.wantPast(w.vic, now, "drop", "", "1 added behaviour")
	w.wantPast(w.vic, now, "none", "")
	w.wantPast(w.vic, now, "", "")

	_, err := w.svc.WithdrawRelease(w.ctx, w.ana, idOf(fourth), "It finds nothing.", false)
	w.must(err)
	w.wantPast(w.vic, now, "find", "", "6 added behaviour Rita", "3 removed breaking Rita", "2 changed text Rita", "1 added behaviour")
	sue := w.person("Sue", people.NoRole+people.Reviewer, "")
	w.must(w.setRole(w.shell, sue.User.ID, "", people.NoRole))
	_, err = w.svc.Past(w.ctx, w.again(sue), idOf(now), "find", "")
	w.refused(err, review.NotFound)
}

// pastRenamed: before a release that renames a tool it had the former name.
func pastRenamed(w *world) {
	w.released("1", three())
	w.released("2", renamed("find", "Finds it."))
	p := w.push("3", renamed("search", "Finds it."))
	w.must(w.pair(p, "find", "search"))
	w.wantPast(w.vic, p, "search", "find", "3 renamed breaking", "2 changed text Rita", "1 added behaviour")
	w.wantPast(w.vic, p, "search", "", "3 added behaviour")
}

// pastShort: five steps are told of at most twenty versions, and that there are more.
func pastShort(w *world) {
	var last *review.Pushed
	for i := range 8 {
		last = w.released(fmt.Sprint(i), renamed("find", fmt.Sprintf("Finds %d.", i)))
	}
	if past, err := w.svc.Past(w.ctx, w.vic, idOf(last), "find", ""); err != nil || len(past.Steps) != 5 || !past.Older || past.Steps[4].Release.Title() != "3" {
		w.Errorf("%+v, %v", past, err)
	}
	for i := range 21 {
		last = w.released(fmt.Sprint("more-", i), renamed("find", "Finds 7."))
	}
	if past, err := w.svc.Past(w.ctx, w.vic, idOf(last), "find", ""); err != nil || len(past.Steps) != 0 || !past.Older {
		w.Errorf("%+v, %v", past, err)
	}
}
