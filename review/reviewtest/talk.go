package reviewtest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/lint"
	"github.com/countersign/countersign/review/people"
	"github.com/countersign/countersign/review/surface"
)

var talkCases = map[string]func(*world){
	"what a suggested text would bring is said before": talkSuggested,
	"a thread keeps its place":                         talkPlaces,
	"a thread on the older side":                       talkOldSide,
	"a thread on the instructions":                     talkInstructions,
	"mentions":                                         talkMentions,
	"named by an edit":                                 talkNamedByEdit,
	"who is told of a reply":                           talkReplies,
	"one batch, one transaction":                       talkBatch,
	"a stale draft publishes nothing":                  talkStale,
	"a suggestion from before a push":                  talkSuggestedBefore,
	"a draft that can't be published is named":         talkNamed,
	"drafts are private":                               draftPrivate,
	"drafts that can't be kept":                        draftRefused,
	"a note waits for its verdict":                     draftNote,
	"an answer that would be refused is not kept":      draftHopeless,
	"two pages, one draft":                             draftTwoPages,
	"saves of a page that arrive late":                 draftLate,
	"drafts of other forms":                            draftTexts,
	"drafts of a server's settings":                    draftSettings,
	"edits of a comment stay readable":                 talkEdits,
	"a suggestion is recognised":                       talkSuggestion,
	"drafts that a push moved":                         draftMoved,
	"one answer is told as one":                        answerOnce,
	"a hundred comments an hour":                       talkLimit,
	"a thread leads somewhere":                         talkNowhere,
	"a thread on the whole listing":                    talkWhole,
	"filters count before they cut":                    discussedFilters,
	"a quote stands where it says":                     talkQuotes,
	"a suggestion needs a text":                        talkNoText,
	"many decisions, one unread notice":                noticeOnce,
	"notices are read":                                 noticeRead,
	"following a server and a family":                  followed,
	"followers hear of what goes":                      followedAway,
	"who may follow":                                   followRefused,
	"everything unresolved":                            discussed,
	"a notice after the role is gone":                  noticeRoleGone,
}

func (w *world) comment(a review.Actor, p *review.Pushed, n review.NewComment) *review.Thread {
	w.Helper()
	t, err := w.svc.Comment(w.ctx, a, idOf(p), n)
	w.must(err)
	return t
}

// placeOf is what a release's page says of a thread.
func (w *world) placeOf(p *review.Pushed, id string) review.Place {
	w.Helper()
	ts, err := w.svc.Threads(w.ctx, w.vic, idOf(p))
	w.must(err)
	i := slices.IndexFunc(ts, func(t review.Thread) bool { return t.ID == id })
	if i < 0 {
		w.Fatalf("the release does not show thread %s", id)
	}
	page := w.view(idOf(p)).Threads
	if j := slices.IndexFunc(page, func(t review.Thread) bool { return t.ID == id }); j < 0 || page[j].Place.State != ts[i].Place.State {
		w.Errorf("page and answer differ on %s", id)
	}
	return ts[i].Place
}

func talkPlaces(w *world) {
	w.released("1", three())
	p := w.push("2", changed("Finds. Never twice."))
	t := w.comment(w.rita, p, review.NewComment{
		Anchor: review.Anchor{Tool: "find", Pointer: "/description", Quote: "Never twice."}, Body: "Why?", Blocks: true,
	})
	if t.Anchor.Lead != "Finds. " || t.Anchor.Snippet != "Finds. Never twice." {
		w.Errorf("noted: %+v", t.Anchor)
	}
	is := func(p *review.Pushed, want review.PlaceState) {
		w.Helper()
		if got := w.placeOf(p, t.ID); got.State != want {
			w.Errorf("%s: %s, want %s", p.Answer.Release.Version, got.State, want)
		}
	}
	is(p, review.PlaceExact)
	is(w.push("3", changed("Finds quickly. Never twice.")), review.PlaceExact)
	is(w.push("4", changed("Finds. Never thrice.")), review.PlaceChanged)
	is(w.push("5", listing(tool("drop", "Drops."), tool("list", "Lists."))), review.PlaceGone)
	q := w.push("6", renamed("search", "Finds. Never twice."))
	w.must(w.pair(q, "find", "search"))
	is(q, review.PlaceRenamed)
	is(p, review.PlaceExact) // the same thread, on the page where it was opened
	for _, later := range []*review.Pushed{p, q} {
		if g := w.gate(later.Answer.Listing.Digest); !slices.ContainsFunc(g.Requirements, func(r gate.Requirement) bool {
			return r.ID == "thread:"+t.ID && r.State == gate.Open
		}) {
			w.Errorf("%s is not held up by the thread", later.Answer.Release.Version)
		}
	}
}

func talkOldSide(w *world) {
	w.released("1", three())
	p := w.push("2", changed("Finds. Never twice."))
	t := w.comment(w.rita, p, review.NewComment{Anchor: review.Anchor{Tool: "find", Pointer: "/description", Side: review.OldSide, Quote: "Finds."}, Body: "It was shorter."})
	if got := w.placeOf(p, t.ID); got.State != review.PlaceExact {
		w.Errorf("on its own page: %s", got.State)
	}
	w.approveAll(idOf(p))
	w.release(p)
	q := w.push("3", changed("Looks."))
	if got := w.placeOf(q, t.ID); got.State != review.PlaceExact { // "Finds." still stands in the new base
		w.Errorf("with 2 as base: %s", got.State)
	}
}

func talkInstructions(w *world) {
	body := func(text string) string {
		return fmt.Sprintf(`{"protocolVersion":"2025-06-18","instructions":%q,"tools":[%s]}`, text, tool("find", "Finds."))
	}
	p := w.push("1", body("Ask first. Then call."))
	at := review.Anchor{Pointer: "/instructions", Quote: "Ask first."}
	t, err := w.svc.Comment(w.ctx, w.rita, idOf(p), review.NewComment{Anchor: at, Body: "Whom?"})
	w.must(err)
	q := w.push("2", body("Then call."))
	if got := w.placeOf(q, t.ID); got.State != review.PlaceChanged && got.State != review.PlaceGone {
		w.Errorf("without the words: %s", got.State)
	}
}

// notices reads what a person was told, newest first.
func (w *world) notices(a review.Actor) []review.Notice {
	w.Helper()
	in, err := w.svc.Inbox(w.ctx, a, review.Page{})
	w.must(err)
	return in.Notices
}

func (w *world) told(a review.Actor, kinds ...review.NoticeKind) {
	w.Helper()
	var got []review.NoticeKind
	for _, n := range w.notices(a) {
		got = append(got, n.Kind)
	}
	if !slices.Equal(got, kinds) {
		w.Errorf("%s was told %v, want %v", a.Label(), got, kinds)
	}
}

func talkMentions(w *world) {
	p := w.push("1", three())
	sam := w.stranger()
	w.comment(w.rita, p, review.NewComment{Body: "@rob, @ANA. and @sam: mail ben@example.com, not `@vic`, nor @rita and @nobody"})
	w.told(w.rob, review.NoticeMention)
	w.told(w.ana, review.NoticeMention)
	w.told(w.ben)
	w.told(w.vic)
	w.told(w.rita) // nobody is told of what they did
	w.told(sam)
	w.comment(w.rita, p, review.NewComment{Body: "@" + email("Vic") + " rather, not @vic@elsewhere.example"})
	w.told(w.vic, review.NoticeMention)
}

func talkReplies(w *world) {
	m := w.sending("1", three())
	m.params.Author = email("Ben")
	p := w.pushAs(m)
	t := w.comment(w.rita, p, review.NewComment{Anchor: review.Anchor{Tool: "find"}, Body: "Why?"})
	w.told(w.ben, review.NoticeReview)
	_, err := w.svc.AddComment(w.ctx, w.ben, t.ID, "Because.")
	w.must(err)
	w.told(w.rita, review.NoticeThread)
	_, err = w.svc.AddComment(w.ctx, w.rob, t.ID, "I see, @rita.")
	w.must(err)
	w.told(w.rita, review.NoticeMention, review.NoticeThread)
	w.told(w.ben, review.NoticeThread, review.NoticeReview)
	if n := w.notices(w.rita)[0]; n.Actor != "Rob" || n.ThreadID != t.ID || !strings.Contains(n.Text, "1 comment on find in MOT 1") {
		w.Errorf("%+v", n)
	}
}

// updates counts the transactions that write.
type updates struct {
	review.Store
	n int
}

func (u *updates) Update(ctx context.Context, f func(review.Tx) error) error {
	u.n++
	return u.Store.Update(ctx, f)
}

// draft saves a comment that is not published.
func (w *world) draft(a review.Actor, p *review.Pushed, d review.Draft) *review.Draft {
	w.Helper()
	kept, err := w.svc.SaveDraft(w.ctx, a, idOf(p), d)
	w.must(err)
	w.clock = w.clock.Add(time.Millisecond)
	return kept
}

func talkBatch(w *world) {
	w.released("1", three())
	m := w.sending("2", changed("Finds. Never twice."))
	m.params.Author = email("Ben")
	p := w.pushAs(m)
	for n := range 48 {
		w.draft(w.rita, p, review.Draft{Comment: &review.NewComment{Anchor: review.Anchor{Tool: "find"}, Body: fmt.Sprintf("Point %d.", n)}})
	}
	t := w.comment(w.rob, p, review.NewComment{Body: "First."})
	w.draft(w.rita, p, review.Draft{Comment: &review.NewComment{ThreadID: t.ID, Body: "Second, @rob."}})
	w.draft(w.rita, p, review.Draft{Items: []review.VerdictItem{{Change: w.change(idOf(p), "find").ID, Verdict: review.Approve, Note: "Fine."}}})
	if ds, err := w.svc.Drafts(w.ctx, w.rita, idOf(p)); err != nil || len(ds) != 50 {
		w.Fatalf("%d drafts, %v", len(ds), err)
	}
	if len(w.view(idOf(p)).Threads) != 1 {
		w.Error("a draft is published before its time")
	}
	store := &updates{Store: w.store}
	svc := review.NewService(store, review.Config{BaseURL: baseURL, Secret: instanceSecret, Now: func() time.Time { return w.clock }})
	v, err := svc.PublishDrafts(w.ctx, w.rita, idOf(p), nil)
	w.must(err)
	if store.n != 1 {
		w.Errorf("50 drafts took %d transactions", store.n)
	}
	if len(v.Threads) != 49 || v.Answer.Result != gate.Pass {
		w.Errorf("%d threads, gate %s", len(v.Threads), v.Answer.Result)
	}
	w.told(w.rob, review.NoticeMention)
	if n := w.notices(w.ben); len(n) != 2 || !strings.Contains(n[0].Text, "49 comments, 1 approval on MOT 2") {
		w.Errorf("the author was told %+v", n)
	}
	if ds, _ := w.svc.Drafts(w.ctx, w.rita, idOf(p)); len(ds) != 0 {
		w.Errorf("%d drafts are left", len(ds))
	}
}

// talkSuggestedBefore: a suggestion that waited as a draft while a revision was
// pushed is about what its author read, and nobody took it.
func talkSuggestedBefore(w *world) {
	w.released("1", three())
	p := w.push("2", changed("Finds. Never twice."))
	better := "Finds. Never thrice."
	at := review.Anchor{Tool: "find", Pointer: "/description", Quote: "Never twice."}
	w.draft(w.rita, p, review.Draft{Target: "d", Comment: &review.NewComment{Anchor: at, Body: "B", Suggest: &better}})
	w.push("2", changed(better))
	w.draft(w.rita, p, review.Draft{Target: "d", Comment: &review.NewComment{Anchor: at, Body: "Better?", Suggest: &better}})
	v, err := w.svc.PublishDrafts(w.ctx, w.rita, idOf(p), nil)
	w.must(err)
	t := v.Threads[0]
	if s := t.Comments[0].Suggests; s.Old != "Finds. Never twice." || s.New != better {
		w.Errorf("suggested %q for %q", s.New, s.Old)
	}
	if t.Place.State != review.PlaceChanged || len(t.Place.Taken) != 0 {
		w.Errorf("its place is %+v", t.Place)
	}
}

func talkStale(w *world) {
	w.released("1", three())
	p := w.push("2", changed("Finds. Never twice."))
	w.draft(w.rita, p, review.Draft{Comment: &review.NewComment{Body: "Good."}})
	w.draft(w.rita, p, review.Draft{Items: []review.VerdictItem{{Change: w.change(idOf(p), "find").ID, Verdict: review.Approve}}})
	w.push("2", changed("Finds. Never thrice."))
	_, err := w.svc.PublishDrafts(w.ctx, w.rita, idOf(p), nil)
	w.refused(err, review.Stale)
	if v := w.view(idOf(p)); len(v.Threads) != 0 || v.Answer.Result != gate.Blocked {
		w.Error("something was published")
	}
	ds, err := w.svc.Drafts(w.ctx, w.rita, idOf(p))
	w.must(err)
	if len(ds) != 2 {
		w.Fatalf("%d drafts are left, want 2", len(ds))
	}
	_, err = w.svc.PublishDrafts(w.ctx, w.rita, idOf(p), []string{ds[0].Target})
	w.must(err)
	if v := w.view(idOf(p)); len(v.Threads) != 1 {
		w.Error("the chosen draft is not published")
	}
}

// talkNamed: one draft that can't be published keeps the others back, and is named.
func talkNamed(w *world) {
	p := w.push("1", three())
	good := w.draft(w.rita, p, review.Draft{Comment: &review.NewComment{Anchor: review.Anchor{Tool: "list"}, Body: "Good."}})
	w.draft(w.rita, p, review.Draft{Comment: &review.NewComment{Anchor: review.Anchor{Tool: "find", Pointer: "/nope"}, Body: "Hm."}})
	_, err := w.svc.PublishDrafts(w.ctx, w.rita, idOf(p), nil)
	w.refused(err, review.Unprocessable, "Your draft of a comment on find at /nope can't be published, so nothing was: ")
	if n := len(w.view(idOf(p)).Threads); n != 0 {
		w.Errorf("%d threads were opened", n)
	}
	v, err := w.svc.PublishDrafts(w.ctx, w.rita, idOf(p), []string{good.Target})
	w.must(err)
	if len(v.Threads) != 1 {
		w.Errorf("%d threads", len(v.Threads))
	}
}

func draftPrivate(w *world) {
	p := w.push("1", three())
	d := w.draft(w.rita, p, review.Draft{Comment: &review.NewComment{Anchor: review.Anchor{Tool: "find", Pointer: "/x", Quote: "\xff"}, Body: "Hm."}})
	for _, a := range []review.Actor{w.rob, w.admin} {
		if ds, err := w.svc.Drafts(w.ctx, a, idOf(p)); err != nil || len(ds) != 0 {
			w.Errorf("%s sees %d drafts, %v", a.Label(), len(ds), err)
		}
	}
	ds, err := w.svc.Drafts(w.ctx, w.rita, idOf(p))
	w.must(err)
	if len(ds) != 1 || ds[0].Target != d.Target || ds[0].Comment.Anchor.Quote != "\xff" {
		w.Errorf("kept: %+v", ds)
	}
	again := w.draft(w.rita, p, review.Draft{Target: d.Target, Comment: &review.NewComment{Body: "Better."}})
	if ds, _ = w.svc.Drafts(w.ctx, w.rita, idOf(p)); len(ds) != 1 || ds[0].Comment.Body != "Better." || again.Target != d.Target {
		w.Errorf("replaced: %+v", ds)
	}
	w.draft(w.rita, p, review.Draft{Target: d.Target, Comment: &review.NewComment{Body: " "}})
	if ds, _ = w.svc.Drafts(w.ctx, w.rita, idOf(p)); len(ds) != 0 {
		w.Errorf("emptied: %+v", ds)
	}
}

// draftHopeless keeps answers that would be refused when the review is finished: that
// is said when they are kept.
func draftHopeless(w *world) {
	w.released("1", three())
	p := w.push("2", listing(tool("drop", "Drops."), tool("list", "Lists.")))
	gone := w.change(idOf(p), "find").ID
	answer := func(change, note string) review.Draft {
		return review.Draft{Items: []review.VerdictItem{{Change: change, Verdict: review.Approve, Note: note}}}
	}
	_, err := w.svc.SaveDraft(w.ctx, w.rita, idOf(p), answer(gone, " "))
	w.refused(err, review.Invalid, "asks for a reason")
	_, err = w.svc.SaveDraft(w.ctx, w.rita, idOf(p), answer("ch_of_another_day", "Fine."))
	w.refused(err, review.Stale)
	if ds, err := w.svc.Drafts(w.ctx, w.rita, idOf(p)); err != nil || len(ds) > 0 {
		w.Errorf("refused, and kept all the same: %+v, %v", ds, err)
	}
	// What a script keeps of a form that is being typed into is kept as it stands.
	typed := answer(gone, "")
	typed.Writing = review.Writing{Writer: "page", Count: 1}
	_, err = w.svc.TypeDraft(w.ctx, w.rita, idOf(p), typed)
	w.must(err)
	w.draft(w.rita, p, answer(gone, "Nobody calls it."))
	_, err = w.svc.PublishDrafts(w.ctx, w.rita, idOf(p), nil)
	w.must(err)
	w.wantGate(p, gate.Pass)
}

func draftRefused(w *world) {
	p := w.push("1", three())
	note := &review.NewComment{Body: "Hm."}
	for name, d := range map[string]review.Draft{
		"nothing": {}, "both": {Comment: note, Items: []review.VerdictItem{{}}}, "target": {Target: "\xff", Comment: note},
		"text": {Comment: &review.NewComment{Body: "\xff"}}, "verdict": {Items: []review.VerdictItem{{Change: "ch_1", Verdict: "maybe"}}},
	} {
		if _, err := w.svc.SaveDraft(w.ctx, w.rita, idOf(p), d); review.KindOf(err) != review.Invalid {
			w.Errorf("%s: %v", name, err)
		}
	}
	_, err := w.svc.SaveDraft(w.ctx, w.vic, idOf(p), review.Draft{Comment: note})
	w.refused(err, review.Forbidden)
	_, err = w.svc.SaveDraft(w.ctx, w.stranger(), idOf(p), review.Draft{Comment: note})
	w.refused(err, review.NotFound)
	_, err = w.svc.PublishDrafts(w.ctx, w.rita, idOf(p), nil)
	w.refused(err, review.Invalid, "nothing")
}

func draftNote(w *world) {
	w.released("1", three())
	p := w.push("2", changed("Finds. Never twice."))
	id := w.change(idOf(p), "find").ID
	d := w.draft(w.rita, p, review.Draft{Items: []review.VerdictItem{{Change: id, Note: "Ask Ben."}}})
	_, err := w.svc.PublishDrafts(w.ctx, w.rita, idOf(p), nil)
	w.refused(err, review.Invalid, "nothing")
	w.draft(w.rita, p, review.Draft{Target: d.Target, Items: []review.VerdictItem{{Change: id, Verdict: review.Approve, Note: "Ben says yes."}}})
	_, err = w.svc.PublishDrafts(w.ctx, w.rita, idOf(p), nil)
	w.must(err)
	w.wantGate(p, gate.Pass)
}

// typed saves a draft as an open page does.
func (w *world) typed(p *review.Pushed, body string, wr review.Writing) *review.Draft {
	w.Helper()
	kept, err := w.svc.TypeDraft(w.ctx, w.rita, idOf(p), review.Draft{Target: "comment", Comment: &review.NewComment{Body: body}, Writing: wr})
	w.must(err)
	return kept
}

// bodies are the comments that rita has not published, by target.
func (w *world) bodies(p *review.Pushed) []string {
	w.Helper()
	ds, err := w.svc.Drafts(w.ctx, w.rita, idOf(p))
	w.must(err)
	var out []string
	for _, d := range ds {
		out = append(out, d.Comment.Body)
	}
	slices.Sort(out)
	return out
}

func draftTwoPages(w *world) {
	p := w.push("1", three())
	one := w.typed(p, "One", review.Writing{Writer: "a", Count: 1})
	read := review.Writing{Saw: one.Revision, Writer: "b", Count: 1}
	two := w.typed(p, "One and two", read) // the other page had read it: it goes on
	if two.CopyOf != "" || two.Revision <= one.Revision {
		w.Errorf("the second page has %+v after %+v", two, one)
	}
	kept := w.typed(p, "One or three", review.Writing{Saw: one.Revision, Writer: "a", Count: 2})
	if kept.CopyOf != "comment" || kept.Target == "comment" {
		w.Errorf("the first page does not hear that it has a copy: %+v", kept)
	}
	if got := w.bodies(p); !slices.Equal(got, []string{"One and two", "One or three"}) {
		w.Errorf("kept: %q", got)
	}
	if w.typed(p, "", review.Writing{Saw: one.Revision, Writer: "c"}); len(w.bodies(p)) != 2 {
		w.Error("a page that did not see a draft removed it")
	}
	if same := w.typed(p, "One and two", review.Writing{Writer: "d"}); same.CopyOf != "" || len(w.bodies(p)) != 2 {
		w.Errorf("the same text is kept twice: %+v", same)
	}
	// Only one of the two is published without being named.
	_, err := w.svc.PublishDrafts(w.ctx, w.rita, idOf(p), nil)
	w.must(err)
	if got := w.bodies(p); !slices.Equal(got, []string{"One or three"}) {
		w.Errorf("left: %q", got)
	}
	_, err = w.svc.PublishDrafts(w.ctx, w.rita, idOf(p), []string{kept.Target})
	w.must(err)
}

func draftLate(w *world) {
	p := w.push("1", three())
	w.typed(p, "One, two", review.Writing{Writer: "a", Count: 2})
	w.typed(p, "One", review.Writing{Writer: "a", Count: 1})
	if got := w.bodies(p); !slices.Equal(got, []string{"One, two"}) {
		w.Errorf("kept: %q", got)
	}
	// What a page saved while it was left counts as seen by it.
	w.typed(p, "One, two, three", review.Writing{Writer: "a", Count: 3})
	if got := w.bodies(p); !slices.Equal(got, []string{"One, two, three"}) {
		w.Errorf("kept: %q", got)
	}
	w.typed(p, " ", review.Writing{Writer: "a", Count: 4})
	if got := w.bodies(p); len(got) != 0 {
		w.Errorf("emptied: %q", got)
	}
}

func draftTexts(w *world) {
	p := w.push("1", three())
	w.draft(w.rita, p, review.Draft{Target: "form withdraw", Texts: []string{"A mistake."}})
	ds, err := w.svc.Drafts(w.ctx, w.rita, idOf(p))
	w.must(err)
	if len(ds) != 1 || !slices.Equal(ds[0].Texts, []string{"A mistake."}) {
		w.Errorf("kept: %+v", ds)
	}
	_, err = w.svc.PublishDrafts(w.ctx, w.rita, idOf(p), []string{"form withdraw"})
	w.refused(err, review.Invalid, "nothing")
	w.draft(w.rita, p, review.Draft{Target: "form withdraw", Texts: []string{""}})
	if ds, _ = w.svc.Drafts(w.ctx, w.rita, idOf(p)); len(ds) != 0 {
		w.Errorf("emptied: %+v", ds)
	}
}

// draftSettings: what is typed into a server's settings is kept as what is typed into a
// release, for its author alone, and apart from it.
func draftSettings(w *world) {
	p := w.push("1", three())
	w.draft(w.rita, p, review.Draft{Target: "form policy", Texts: []string{"of the release"}})
	typing := func(a review.Actor, text string, wr review.Writing) (*review.Draft, error) {
		return w.svc.TypeServerDraft(w.ctx, a, "mot", review.Draft{Target: "form policy", Texts: []string{text}, Writing: wr})
	}
	texts := func(a review.Actor) []string {
		w.Helper()
		ds, err := w.svc.ServerDrafts(w.ctx, a, "mot")
		w.must(err)
		var out []string
		for _, d := range ds {
			out = append(out, d.Texts...)
		}
		slices.Sort(out)
		return out
	}
	one, err := typing(w.rita, "one", review.Writing{Writer: "a", Count: 1})
	w.must(err)
	if two, err := typing(w.rita, "two", review.Writing{Writer: "b", Count: 1}); err != nil || two.CopyOf != "form policy" {
		w.Errorf("the second page has %+v, %v", two, err)
	}
	_, err = typing(w.rita, "one again", review.Writing{Saw: one.Revision, Writer: "c", Count: 1})
	w.must(err)
	if got := texts(w.rita); !slices.Equal(got, []string{"one again", "two"}) {
		w.Errorf("kept: %q", got)
	}
	if got := texts(w.rob); len(got) != 0 {
		w.Errorf("somebody else has %q", got)
	}
	if ds, err := w.svc.Drafts(w.ctx, w.rita, idOf(p)); err != nil || len(ds) != 1 || ds[0].Texts[0] != "of the release" {
		w.Errorf("the release has %+v, %v", ds, err)
	}
	_, err = w.svc.SaveServerDraft(w.ctx, w.rita, "mot", review.Draft{Target: "form policy", Texts: []string{}})
	w.must(err)
	if got := texts(w.rita); !slices.Equal(got, []string{"two"}) {
		w.Errorf("dropped: %q", got)
	}
	_, err = w.svc.SaveServerDraft(w.ctx, w.rita, "mot", review.Draft{Comment: &review.NewComment{Body: "Hm."}})
	w.refused(err, review.Invalid, "Comment and decide on a release")
	_, err = typing(w.vic, "one", review.Writing{})
	w.refused(err, review.Forbidden)
	_, err = typing(w.stranger(), "one", review.Writing{})
	w.refused(err, review.NotFound)
}

func talkEdits(w *world) {
	p := w.push("1", three())
	t := w.comment(w.rita, p, review.NewComment{Body: "Wich?"})
	c := t.Comments[0].ID
	_, err := w.svc.EditComment(w.ctx, w.rob, t.ID, c, "Which?")
	w.refused(err, review.Forbidden)
	_, err = w.svc.EditComment(w.ctx, w.rita, t.ID, "nothing", "Which?")
	w.refused(err, review.Invalid)
	w.clock = w.clock.Add(time.Minute)
	t, err = w.svc.EditComment(w.ctx, w.rita, t.ID, c, "Which?")
	w.must(err)
	if t.Comments[0].Body != "Which?" || !t.Comments[0].EditedAt.Equal(w.clock) {
		w.Errorf("%+v", t.Comments[0])
	}
	_, err = w.svc.EditComment(w.ctx, w.rita, t.ID, c, "Which?") // the same again is no edit
	w.must(err)
	edits, err := w.svc.ThreadEdits(w.ctx, w.vic, t.ID)
	w.must(err)
	if len(edits) != 1 || edits[0].Body != "Wich?" {
		w.Errorf("%+v", edits)
	}
	_, err = w.svc.ThreadEdits(w.ctx, w.stranger(), t.ID)
	w.refused(err, review.NotFound)
}

// talkNamedByEdit: whom an edit names is told once, and nobody whom the comment named before.
func talkNamedByEdit(w *world) {
	p := w.push("1", three())
	t := w.comment(w.rita, p, review.NewComment{Anchor: review.Anchor{Tool: "find"}, Body: "@rob, look."})
	edit := func(body string) {
		w.clock = w.clock.Add(time.Minute)
		_, err := w.svc.EditComment(w.ctx, w.rita, t.ID, t.Comments[0].ID, body)
		w.must(err)
	}
	edit("@rob and @ben, look. So says @rita.")
	edit("Nobody.")
	edit("@ben and @rob once more.")
	for _, a := range []review.Actor{w.rob, w.ben, w.rita, w.vic} {
		in, err := w.svc.Inbox(w.ctx, a, review.Page{})
		w.must(err)
		want := 0
		if a.User.ID == w.rob.User.ID || a.User.ID == w.ben.User.ID {
			want = 1
		}
		if len(in.Notices) != want {
			w.Errorf("%s is told %+v", a.User.Name, in.Notices)
		}
		if a.User.ID != w.ben.User.ID || want != len(in.Notices) {
			continue
		}
		if n := in.Notices[0]; n.Kind != review.NoticeMention || n.ThreadID != t.ID || n.ReleaseID != idOf(p) || n.Text != "1 comment, edited, on find in MOT 1" {
			w.Errorf("Ben is told %+v", n)
		}
	}
}

func talkSuggestion(w *world) {
	p := w.push("1", three())
	text := "Finds a letter.\nAsk first."
	t := w.comment(w.rita, p, review.NewComment{Anchor: review.Anchor{Tool: "find", Pointer: "/description"}, Body: "Say what.", Suggest: &text})
	s := t.Comments[0].Suggests
	if s == nil || s.Old != "Finds." || s.New != text {
		w.Fatalf("%+v", s)
	}
	patch, err := s.JSONPatch(1, t.Anchor.Pointer)
	w.must(err)
	want := `[{"op":"test","path":"/tools/0/description","value":"Finds."},{"op":"replace","path":"/tools/0/description","value":"Finds a letter.\nAsk first."}]`
	if string(patch) != want {
		w.Errorf("%s", patch)
	}
	if got := s.Patch("find", t.Anchor.Pointer); got != "--- find/description\n+++ find/description\n@@ -1,1 +1,2 @@\n-Finds.\n+Finds a letter.\n+Ask first.\n" {
		w.Errorf("%s", got)
	}
	if got := w.placeOf(p, t.ID); len(got.Taken) != 0 {
		w.Error("taken before any push")
	}
	q := w.push("2", changed(text))
	if got := w.placeOf(q, t.ID); !slices.Equal(got.Taken, []int{0}) {
		w.Errorf("taken: %v", got.Taken)
	}
	w.patchFollows(t.ID)
	if ts, _ := w.svc.Threads(w.ctx, w.vic, idOf(q)); len(ts) != 1 || !ts[0].Open() {
		w.Error("a machine resolved the thread")
	}
}

// talkQuotes: what is quoted stands at its place and on its side when a thread is opened;
// a draft that says otherwise is kept, and publishes nothing.
func talkQuotes(w *world) {
	w.released("1", three())
	p := w.push("2", changed("Finds. Never twice."))
	at := func(side review.Side, quote string) review.Anchor {
		return review.Anchor{Tool: "find", Pointer: "/description", Side: side, Quote: quote}
	}
	for _, c := range []struct {
		anchor review.Anchor
		says   []string
	}{
		{at(review.OldSide, "twice"), []string{"old side at /description of find", "Quote words that do, or none", "What stands there: Finds."}},
		{at(review.NewSide, "thrice"), []string{"new side at /description of find", "Finds. Never twice."}},
		{review.Anchor{Tool: "find", Pointer: "/title", Quote: "x"}, []string{"There is nothing at /title"}},
		{review.Anchor{Quote: "Finds"}, []string{"Name the tool and the pointer"}},
	} {
		_, err := w.svc.Comment(w.ctx, w.rita, idOf(p), review.NewComment{Anchor: c.anchor, Body: "Why?"})
		w.refused(err, review.Unprocessable, c.says...)
	}
	d := w.draft(w.rita, p, review.Draft{Comment: &review.NewComment{Anchor: at(review.NewSide, "thrice"), Body: "Why?"}})
	_, err := w.svc.PublishDrafts(w.ctx, w.rita, idOf(p), []string{d.Target})
	w.refused(err, review.Unprocessable, "does not stand")
	if kept, err := w.svc.Drafts(w.ctx, w.rita, idOf(p)); err != nil || len(kept) != 1 {
		w.Errorf("the draft is gone: %+v, %v", kept, err)
	}
	if got := w.comment(w.rita, p, review.NewComment{Anchor: at(review.NewSide, "twice"), Body: "Why?"}); got.Anchor.Lead != "Finds. Never " {
		w.Errorf("quoted: %+v", got.Anchor)
	}
}

// talkLimit: who is refused is told why, and when it goes on; others are not held up.
func talkLimit(w *world) {
	p := w.push("1", three())
	say := func(a review.Actor, body string) error {
		_, err := w.svc.Comment(w.ctx, a, idOf(p), review.NewComment{Body: body})
		return err
	}
	for range 100 {
		w.must(say(w.rita, "Why?"))
	}
	w.clock = w.clock.Add(18 * time.Minute)
	w.refused(say(w.rita, "Why?"), review.RateLimited, "100 comments within an hour", "in 42 minutes")
	w.must(say(w.rob, "Why?"))
	here := w.svc
	w.svc = review.NewService(w.store, w.config()) // another instance counts the same
	w.refused(say(w.rita, "Why?"), review.RateLimited, "100 comments within an hour", "in 42 minutes")
	w.svc = here
	w.clock = w.clock.Add(42 * time.Minute)
	w.must(say(w.rita, "Why?"))
	w.refused(say(w.rita, strings.Repeat("x", 64<<10+1)), review.Invalid, "too long by 1 byte", "64 KiB")
	w.refused(say(w.rita, "Wh\xffy?"), review.Invalid, "no text")
}

// patchFollows: the patch is for where the tool stands in the listing pushed last, and
// there is none where the tool is gone.
func (w *world) patchFollows(thread string) {
	w.Helper()
	for version, want := range map[string]struct{ body, path string }{
		"3": {listing(tool("drop", "Drops."), tool("find", "Finds.")), "/tools/1/description"},
		"4": {listing(tool("drop", "Drops.")), ""},
	} {
		ts, err := w.svc.Threads(w.ctx, w.vic, idOf(w.push(version, want.body)))
		w.must(err)
		i := slices.IndexFunc(ts, func(t review.Thread) bool { return t.ID == thread })
		got := string(ts[i].JSONPatch(0))
		if (got == "") != (want.path == "") || !strings.Contains(got, want.path) {
			w.Errorf("version %s: %s, want it at %q", version, got, want.path)
		}
	}
}

func talkNoText(w *world) {
	p := w.push("1", three())
	text := "Hm."
	for _, at := range []review.Anchor{{}, {Tool: "find"}, {Tool: "find", Pointer: "/inputSchema"}, {Tool: "find", Pointer: "/nothing"}} {
		_, err := w.svc.Comment(w.ctx, w.rita, idOf(p), review.NewComment{Anchor: at, Body: "Hm.", Suggest: &text})
		w.refused(err, review.Invalid)
	}
}

func noticeOnce(w *world) {
	w.released("1", three())
	m := w.sending("2", listing(tool("find", "Finds it."), tool("drop", "Drops it."), tool("list", "Lists it.")))
	m.params.Author = email("Ben")
	p := w.pushAs(m)
	for _, name := range []string{"find", "drop", "list"} {
		w.approve(w.rita, idOf(p), name)
	}
	w.told(w.ben, review.NoticeReview)
	w.approve(w.rob, idOf(p), "find")
	w.told(w.ben, review.NoticeReview, review.NoticeReview)
}

func noticeRead(w *world) {
	p := w.push("1", three())
	for range 3 {
		w.comment(w.rita, p, review.NewComment{Body: "@rob"})
		w.clock = w.clock.Add(time.Second)
	}
	unread := func() int {
		in, err := w.svc.Inbox(w.ctx, w.rob, review.Page{})
		w.must(err)
		return in.Unread
	}
	ns := w.notices(w.rob)
	w.must(w.svc.ReadNotices(w.ctx, w.ana, ns[0].ID)) // somebody else's
	if unread() != 3 {
		w.Error("Ana read Rob's notices")
	}
	w.must(w.svc.ReadNotices(w.ctx, w.rob, ns[0].ID))
	if unread() != 2 || w.notices(w.rob)[0].ReadAt.IsZero() {
		w.Errorf("%d unread, want 2", unread())
	}
	w.must(w.svc.ReadNotices(w.ctx, w.rob))
	if unread() != 0 {
		w.Errorf("%d unread, want 0", unread())
	}
}

func followed(w *world) {
	family := listing(tool("entity_get", "Gets."), tool("entity_set", "Sets."), tool("note_add", "Adds."), tool("note_drop", "Drops."))
	w.released("1", family)
	w.must(w.svc.Follow(w.ctx, w.vic, "mot", "", true))
	w.must(w.svc.Follow(w.ctx, w.rob, "mot", "entity", true))
	w.push("2", strings.Replace(family, "Adds.", "Adds it.", 1))
	w.told(w.vic, review.NoticePush)
	w.told(w.rob)
	w.push("3", strings.Replace(family, "Gets.", "Gets it.", 1))
	w.told(w.rob, review.NoticePush)
	w.told(w.vic, review.NoticePush, review.NoticePush)
	w.must(w.svc.Follow(w.ctx, w.vic, "mot", "", false))
	w.push("4", strings.Replace(family, "Gets.", "Gets both.", 1))
	w.told(w.vic, review.NoticePush, review.NoticePush)
	in, err := w.svc.Inbox(w.ctx, w.rob, review.Page{})
	w.must(err)
	if len(in.Subscriptions) != 1 || in.Subscriptions[0].Family != "entity" {
		w.Errorf("%+v", in.Subscriptions)
	}
}

// followedAway: who follows a family hears that tools of it go, be it all of them, and
// that what did so is released or taken back.
func followedAway(w *world) {
	w.released("1", listing(tool("entity_get", "Gets."), tool("entity_set", "Sets."), tool("note_add", "Adds."), tool("note_drop", "Drops.")))
	w.must(w.svc.Follow(w.ctx, w.rob, "mot", "entity", true))
	p := w.push("2", listing(tool("note_add", "Adds."), tool("note_drop", "Drops.")))
	w.told(w.rob, review.NoticePush)
	w.must(w.svc.ReadNotices(w.ctx, w.rob))
	w.approve(w.rita, idOf(p), "entity_get", "entity_set")
	w.told(w.rob, review.NoticeReview, review.NoticePush)
	w.release(p)
	_, err := w.svc.WithdrawRelease(w.ctx, w.ana, idOf(p), "The gateway still needs them.", true)
	w.must(err)
	w.told(w.rob, review.NoticeReview, review.NoticeReview, review.NoticeReview, review.NoticePush)
	if n := w.notices(w.rob)[0]; !strings.HasPrefix(n.Text, "withdrew ") || !strings.HasSuffix(n.Text, " 2") {
		w.Errorf("told %q", n.Text)
	}
}

func followRefused(w *world) {
	w.refused(w.svc.Follow(w.ctx, w.stranger(), "mot", "", true), review.NotFound)
	w.refused(w.svc.Follow(w.ctx, w.shell, "mot", "", true), review.Forbidden)
	w.refused(w.svc.Follow(w.ctx, w.vic, "mot", "\xff", true), review.Invalid)
}

func noticeRoleGone(w *world) {
	p := w.push("1", three())
	w.comment(w.rita, p, review.NewComment{Body: "@rob"})
	w.must(w.setRole(w.ana, w.rob.User.ID, "mot", ""))
	w.told(w.again(w.rob))
	w.comment(w.rita, p, review.NewComment{Body: "@rob"})
	w.told(w.again(w.rob))
}

func discussed(w *world) {
	p, q := w.push("1", three()), w.push("2", changed("Finds it."))
	say := func(a review.Actor, p *review.Pushed, tool string, blocks bool) *review.Thread {
		defer func() { w.clock = w.clock.Add(time.Second) }()
		return w.comment(a, p, review.NewComment{Anchor: review.Anchor{Tool: tool}, Body: "Why?", Blocks: blocks})
	}
	first, second, third := say(w.rita, p, "find", true), say(w.rob, q, "find", false), say(w.rob, q, "", false)
	gone := say(w.rob, q, "drop", false)
	_, err := w.svc.ResolveThread(w.ctx, w.rob, gone.ID)
	w.must(err)
	stranger := w.stranger()
	list := func(a review.Actor, q review.ThreadQuery) (*review.Discussion, []string) {
		d, err := w.svc.Discussion(w.ctx, a, q)
		w.must(err)
		var got []string
		for _, t := range d.Threads {
			got = append(got, t.ID)
		}
		return d, got
	}
	d, got := list(w.rita, review.ThreadQuery{})
	if !slices.Equal(got, []string{third.ID, second.ID, first.ID}) || d.All != 3 || d.Blocking != 1 || d.Mine != 1 || d.Answered != 2 {
		w.Errorf("%v %+v", got, d)
	}
	if d.Threads[2].Release != "1" || d.Threads[0].Release != "2" || !slices.Equal(d.Tools, []review.Counted{{Value: "find", N: 2}}) {
		w.Errorf("%+v", d)
	}
	d, got = list(w.rita, review.ThreadQuery{Server: "mot", Tool: "find", Limit: 1})
	if !slices.Equal(got, []string{second.ID}) || d.Total != 2 || d.All != 3 || d.Next != second.ID {
		w.Errorf("one of two: %v %+v", got, d)
	}
	if _, got = list(w.rita, review.ThreadQuery{Tool: "find", Limit: 1, Before: d.Next}); !slices.Equal(got, []string{first.ID}) {
		w.Errorf("the next page: %v", got)
	}
	if _, got = list(w.rita, review.ThreadQuery{Blocks: true, Mine: true}); !slices.Equal(got, []string{first.ID}) {
		w.Errorf("mine that block: %v", got)
	}
	if d, _ = list(stranger, review.ThreadQuery{}); d.All != 0 {
		w.Errorf("a stranger counts %d", d.All)
	}
	_, err = w.svc.Discussion(w.ctx, stranger, review.ThreadQuery{Server: "mot"})
	w.refused(err, review.NotFound)
}

// talkNowhere: a pointer without a quote leads somewhere too, and who mistypes one is told
// what is near.
func talkNowhere(w *world) {
	w.released("1", three())
	p := w.push("2", listing(`{"name":"find","description":"Finds.","inputSchema":{"type":"object","properties":{"id":{"type":"string"},"a/b":{"enum":["x"]}}}}`, tool("list", "Lists.")))
	for _, c := range []struct {
		anchor review.Anchor
		says   []string
	}{
		{review.Anchor{Tool: "find", Pointer: "/inputSchema/properties/idd"}, []string{"/inputSchema/properties/idd of find on the new side", "What is at /inputSchema/properties: /inputSchema/properties/id, /inputSchema/properties/a~1b"}},
		{review.Anchor{Tool: "find", Pointer: "/title"}, []string{"What is at its top: /name, /description, /inputSchema"}},
		{review.Anchor{Tool: "find", Pointer: "/inputSchema/properties/a~1b/enum/1"}, []string{"/inputSchema/properties/a~1b/enum/0"}},
		{review.Anchor{Tool: "find", Pointer: "/description/0"}, []string{"nothing below /description either"}},
		{review.Anchor{Pointer: "/instructions"}, []string{"nothing at /instructions of the server's instructions"}},
	} {
		_, err := w.svc.Comment(w.ctx, w.rita, idOf(p), review.NewComment{Anchor: c.anchor, Body: "Why?"})
		w.refused(err, review.Unprocessable, c.says...)
	}
	w.comment(w.rita, p, review.NewComment{Anchor: review.Anchor{Tool: "drop", Pointer: "/description", Side: review.OldSide}, Body: "Why is it gone?"})
}

// talkWhole: what was said of a whole listing was said of those bytes.
func talkWhole(w *world) {
	w.released("1", three())
	p := w.push("2", changed("Finds. Never twice."))
	t := w.comment(w.rita, p, review.NewComment{Body: "Too long."})
	old := w.comment(w.rita, p, review.NewComment{Anchor: review.Anchor{Side: review.OldSide}, Body: "It was shorter."})
	is := func(p *review.Pushed, id string, want review.PlaceState) {
		w.Helper()
		if got := w.placeOf(p, id); got.State != want {
			w.Errorf("%s: %s, want %s", p.Answer.Release.Version, got.State, want)
		}
	}
	is(p, t.ID, review.PlaceExact)
	is(p, old.ID, review.PlaceExact)
	next := w.push("3", changed("Finds."+" Once."))
	is(next, t.ID, review.PlaceChanged)
	is(next, old.ID, review.PlaceExact)
	is(w.push("4", changed("Finds. Never twice.")), t.ID, review.PlaceExact)
	_, err := w.svc.Comment(w.ctx, w.rita, idOf(p), review.NewComment{Anchor: review.Anchor{Digest: surface.HashOf([]byte("x"))}, Body: "Why?"})
	w.refused(err, review.Unprocessable, "No revision of 2")
}

// discussedFilters: each number says what is left by its value with the other filters as
// they are, also where another value is chosen.
func discussedFilters(w *world) {
	w.addServer("git", gate.Team)
	w.must(w.setRole(w.shell, w.rita.User.ID, "git", people.Reviewer))
	w.rita = w.again(w.rita)
	p := w.push("1", changed("Finds it."))
	say := func(a review.Actor, p *review.Pushed, at review.Anchor, body string, blocks bool) *review.Thread {
		defer func() { w.clock = w.clock.Add(time.Second) }()
		return w.comment(a, p, review.NewComment{Anchor: at, Body: body, Blocks: blocks})
	}
	find := say(w.rita, p, review.Anchor{Tool: "find", Pointer: "/description"}, "Why?", true)
	drop := say(w.rob, p, review.Anchor{Tool: "drop"}, "Why, @rita?", false)
	list := say(w.rob, p, review.Anchor{Tool: "list"}, "Why?", true)
	w.push("2", listing(tool("find", "Looks."), tool("list", "Lists.")))

	got := func(q review.ThreadQuery) string {
		w.Helper()
		d, err := w.svc.Discussion(w.ctx, w.rita, q)
		w.must(err)
		s := fmt.Sprint(d.All, d.Total, " blocking ", d.Blocking, " mine ", d.Mine, " mentions ", d.Mentions, d.Servers, d.Tools, d.Authors, d.States)
		for _, t := range d.Threads {
			s += " " + t.Anchor.Tool
		}
		return s
	}
	for _, c := range []struct {
		q    review.ThreadQuery
		want string
	}{
		{review.ThreadQuery{}, "3 3 blocking 2 mine 1 mentions 1 [{mot 3}] [{drop 1} {find 1} {list 1}] [{Rita 1} {Rob 2}] [{exact 1} {changed 1} {gone 1}] list drop find"},
		{review.ThreadQuery{Author: "Rob"}, "3 2 blocking 1 mine 0 mentions 1 [{mot 2}] [{drop 1} {list 1}] [{Rita 1} {Rob 2}] [{exact 1} {gone 1}] list drop"},
		{review.ThreadQuery{State: review.PlaceGone}, "3 1 blocking 0 mine 0 mentions 1 [{mot 1}] [{drop 1}] [{Rob 1}] [{exact 1} {changed 1} {gone 1}] drop"},
		{review.ThreadQuery{Blocks: true, Tool: "find"}, "3 1 blocking 1 mine 1 mentions 0 [{mot 1}] [{find 1} {list 1}] [{Rita 1}] [{changed 1}] find"},
		{review.ThreadQuery{Server: "git"}, "3 0 blocking 0 mine 0 mentions 0 [{mot 3}] [] [] []"},
		{review.ThreadQuery{Mentions: true}, "3 1 blocking 0 mine 0 mentions 1 [{mot 1}] [{drop 1}] [{Rob 1}] [{gone 1}] drop"},
	} {
		if s := got(c.q); s != c.want {
			w.Errorf("%+v:\n got %s\nwant %s", c.q, s, c.want)
		}
	}
	_, err := w.svc.Discussion(w.ctx, w.rita, review.ThreadQuery{State: "lost"})
	w.refused(err, review.Invalid, "exact, renamed, changed or gone")
	_, err = w.svc.Discussion(w.ctx, w.rita, review.ThreadQuery{Before: "x"})
	w.refused(err, review.Invalid, "no thread that you can read")
	_, err = w.svc.ResolveThread(w.ctx, w.rob, drop.ID)
	w.must(err)
	d, err := w.svc.Discussion(w.ctx, w.rita, review.ThreadQuery{Before: drop.ID}) // it ended the page before
	w.must(err)
	if len(d.Threads) != 1 || d.Threads[0].ID != find.ID || list.ID == "" {
		w.Errorf("behind one that is resolved: %+v", d.Threads)
	}
}

// talkSuggested looks at texts for a description: what they would bring and mend, by
// the policy of the server.
func talkSuggested(w *world) {
	w.released("1", three())
	p := w.push("2", listing(tool("find", "Finds.\u00a0 TODO write more"), tool("drop", "Drops."), tool("list", "Lists.")))
	at := review.Anchor{Tool: "find", Pointer: "/description"}
	check := func(text string) *review.Suggested {
		w.Helper()
		g, err := w.svc.CheckSuggestion(w.ctx, w.rita, idOf(p), at, text)
		w.must(err)
		return g
	}
	has := func(found []lint.Finding, rule string, fresh bool) bool {
		return slices.ContainsFunc(found, func(f lint.Finding) bool { return strings.HasPrefix(f.Rule, rule) && f.New == fresh })
	}
	g := check("Finds one order by its id. Use it when the id is known\u200b.")
	if len(g.Hidden) != 1 || g.Hidden[0].Name() != "ZERO WIDTH SPACE" || !has(g.Findings, "unicode.", true) {
		w.Errorf("a hidden character is not said: %+v", g)
	}
	if g.Tokens <= g.TokensNow || g.TokensNow == 0 || g.Old != "Finds.\u00a0 TODO write more" {
		w.Errorf("%d tokens against %d for %q", g.Tokens, g.TokensNow, g.Old)
	}
	g = check("Finds one order by its id. Use it when the id is known.")
	if len(g.Hidden) != 0 || has(g.Findings, "unicode.", true) || len(g.Gone) == 0 {
		w.Errorf("a plain text: %+v", g)
	}
	rule := g.Gone[0].Rule
	next := w.server.Policy
	next.Rules = map[string]lint.Severity{rule: gate.Off}
	_, err := w.svc.SetPolicy(w.ctx, w.shell, "mot", next, next.Version)
	w.must(err)
	if g := check("Finds one order by its id. Use it when the id is known."); has(g.Gone, rule, false) {
		w.Errorf("the policy turned %s off, and it is said", rule)
	}
	for name, bad := range map[string]review.Anchor{"no text": {Tool: "find", Pointer: "/inputSchema"}, "nothing": {}, "nobody": {Tool: "gone", Pointer: "/description"}} {
		if _, err := w.svc.CheckSuggestion(w.ctx, w.rita, idOf(p), bad, "x"); review.KindOf(err) != review.Invalid {
			w.Errorf("%s: %v", name, err)
		}
	}
	_, err = w.svc.CheckSuggestion(w.ctx, w.vic, idOf(p), at, "x")
	w.refused(err, review.Forbidden)
}

// draftMoved: of somebody's own drafts those are told of whose change or whose tool is
// another now, or gone; what is about what stayed is not, nor is anybody else's.
func draftMoved(w *world) {
	three := func(find, drop string) string {
		return listing(tool("find", find), tool("drop", drop), tool("list", "Lists."))
	}
	w.released("1", three("Finds.", "Drops."))
	p := w.push("2", three("Finds it.", "Drops it."))
	id, since := idOf(p), w.view(idOf(p)).Pulse
	save := func(d review.Draft) {
		w.Helper()
		_, err := w.svc.SaveDraft(w.ctx, w.rita, id, d)
		w.must(err)
	}
	edit := w.change(id, "drop").Details[0].Edit
	thread := w.comment(w.ana, p, review.NewComment{Anchor: review.Anchor{Tool: "find"}, Body: "Why?"})
	save(review.Draft{Target: "verdict find", Items: []review.VerdictItem{{Change: w.change(id, "find").ID, Verdict: review.Approve}}})
	save(review.Draft{Target: "verdict drop", Items: []review.VerdictItem{{Edit: edit, Changes: []string{w.change(id, "drop").ID}, Verdict: review.Approve}}})
	for _, name := range []string{"find", "drop", "list"} {
		save(review.Draft{Target: "comment " + name, Comment: &review.NewComment{Anchor: review.Anchor{Tool: name}, Body: "Hm."}})
	}
	save(review.Draft{Target: "comment", Comment: &review.NewComment{Body: "On the whole."}})
	save(review.Draft{Target: "reply", Comment: &review.NewComment{ThreadID: thread.ID, Body: "So."}})
	moved := func(a review.Actor, want int) {
		w.Helper()
		n, err := w.svc.News(w.ctx, a, id, since)
		w.must(err)
		if n.Moved != want {
			w.Errorf("%d drafts of %s moved, want %d", n.Moved, a.Label(), want)
		}
	}
	moved(w.rita, 0)
	w.push("2", three("Finds all.", "Drops it."))
	moved(w.rita, 2)
	moved(w.ana, 0)
	w.push("2", listing(tool("find", "Finds all.")))
	moved(w.rita, 5)
}

// answerOnce: an answer to the last edit of a tool, or to an edit of several, is stored as
// several verdicts, and told of as one.
func answerOnce(w *world) {
	w.released("1", three())
	p := w.push("2", listing(tool("find", "Finds.", `"title":"Find"`), tool("drop", "Drops."), tool("list", "Lists.", `"title":"List"`)))
	id := idOf(p)
	answers := func(want int) {
		w.Helper()
		n, err := w.svc.News(w.ctx, w.vic, id, review.Pulse{})
		w.must(err)
		if n.Now.Answers != want {
			w.Errorf("%d answers, want %d", n.Now.Answers, want)
		}
	}
	before := w.view(id).Pulse.Answers
	var items []review.VerdictItem
	for _, name := range []string{"find", "list"} {
		c := w.change(id, name)
		items = append(items, review.VerdictItem{Edit: c.Details[0].Edit, Changes: []string{c.ID}, Verdict: review.Approve, Note: "Titles."})
	}
	_, err := w.svc.Decide(w.ctx, w.rita, id, items)
	w.must(err)
	if n := len(w.change(id, "find").Verdicts); n < 2 {
		w.Fatalf("%d verdicts: the case shows nothing", n)
	}
	answers(before + 1)
	w.clock = w.clock.Add(time.Second)
	w.must(w.decide(w.ana, id, review.Reject, "No.", "find", "list"))
	answers(before + 2)
}
