package reviewtest

import (
	"strings"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/people"
)

var purgeCases = map[string]func(*world){
	"a leaked secret goes and digests stay": purgeSecret,
	"what can't be purged is said":          purgeRefused,
}

const leaked = "sk-live/<4f9&c2>\"x"

func purgeSecret(w *world) {
	w.released("1.0.0", three())
	body := listing(tool("find", "Finds. Uses "+leaked+" until Friday."), tool("drop", "Drops."), tool("list", "Lists."))
	p := w.push("1.1.0", body)
	other := w.push("1.2.0", listing(tool("find", "Finds. Uses "+leaked+" until Friday."), tool("fresh", "Is new.")))
	clean := w.push("1.3.0", listing(tool("find", "Finds it all."), tool("drop", "Drops."), tool("list", "Lists.")))
	at := review.Anchor{Tool: "find", Side: "new", Pointer: "/description", Quote: leaked}
	_, err := w.svc.OpenThread(w.ctx, w.rita, idOf(p), at, "Is "+leaked+" real?", false)
	w.must(err)
	w.approve(w.rita, idOf(p), "find")
	before := w.gate(p.Answer.Listing.Digest)

	tried, err := w.svc.Purge(w.ctx, w.shell, leaked, "a token of production", true)
	w.must(err)
	if v := w.listing(p); !strings.Contains(string(v.Surface.Raw), "sk-live") || v.Purged != nil {
		w.Error("a dry run changed something")
	}
	done, err := w.svc.Purge(w.ctx, w.shell, leaked, "a token of production", false)
	w.must(err)
	if len(done.Listings) != 2 || len(tried.Listings) != 2 || done.Rows["slices"] != 1 || done.Rows["comments"] != 1 || done.Rows["threads"] == 0 || done.Rows["reports"] == 0 {
		w.Errorf("the purge reached %+v, its try %+v", done, tried)
	}
	for _, held := range []*review.Pushed{p, other} {
		l := w.listing(held)
		if strings.Contains(string(l.Surface.Raw), "4f9&c2") || !strings.Contains(string(l.Surface.Raw), "Uses ****") || len(l.Surface.Raw) == 0 {
			w.Errorf("the bytes are %s", l.Surface.Raw)
		}
		if l.Purged == nil || l.Purged.By != "shell" || l.Purged.Reason != "a token of production" || !l.Purged.At.Equal(w.clock) {
			w.Errorf("the mark is %+v", l.Purged)
		}
		if l.Surface.Digest != held.Answer.Listing.Digest {
			w.Error("the digest is another")
		}
	}
	if l := w.listing(clean); l.Purged != nil {
		w.Error("a listing without the text is marked")
	}
	for _, row := range w.everyRow("sk-live/<4f9", `sk-live/\u003c4f9`, "uses sk-live") {
		w.Errorf("still there: %s", row)
	}
	after := w.gate(p.Answer.Listing.Digest)
	if after.Result != before.Result || after.Why != before.Why || after.Result != gate.Blocked && after.Result != gate.Pass {
		w.Errorf("the gate was %s (%s), is %s (%s)", before.Result, before.Why, after.Result, after.Why)
	}
	w.view(idOf(p)) // its page is still made
	entries, err := w.svc.AuditLog(w.ctx, w.admin, review.AuditQuery{}, review.Page{Limit: 1})
	w.must(err)
	if len(entries) != 1 || entries[0].Act != "text.purge" || strings.Contains(entries[0].After+entries[0].Subject, "sk-live") {
		w.Errorf("the audit begins with %+v", entries)
	}
	again, err := w.svc.Purge(w.ctx, w.shell, leaked, "a token of production", true)
	w.must(err)
	if len(again.Listings) != 0 {
		w.Errorf("a second purge reaches %+v", again)
	}
}

func (w *world) listing(p *review.Pushed) *review.Listing {
	w.Helper()
	l, _, err := w.svc.Listing(w.ctx, w.admin, p.Answer.Listing.ID)
	w.must(err)
	return l
}

// everyRow returns the tables, the audit aside, that hold one of texts, as a dry
// purge of them finds it.
func (w *world) everyRow(texts ...string) (found []string) {
	w.Helper()
	for _, text := range texts {
		p, err := w.svc.Purge(w.ctx, w.shell, text, "looking for what is left", true)
		w.must(err)
		for table := range p.Rows {
			if table != "audit" {
				found = append(found, table)
			}
		}
	}
	return found
}

func purgeRefused(w *world) {
	reason := "a token of production"
	for text, why := range map[string]string{"short": "8 to", "nul\x00nul-nul": "NUL", strings.Repeat("x", 70_000): "8 to"} {
		_, err := w.svc.Purge(w.ctx, w.shell, text, reason, false)
		w.refused(err, review.Invalid, why)
	}
	_, err := w.svc.Purge(w.ctx, w.shell, "long enough", "short", false)
	w.refused(err, review.Invalid, "reason")
	_, err = w.svc.Purge(w.ctx, w.ana, "long enough", reason, false)
	w.refused(err, review.Forbidden, "administrator")
	_, err = w.svc.Purge(w.ctx, w.shell, "long enough", "it was long enough to be seen", false)
	w.refused(err, review.Invalid, "holds the text")
	acts, _ := w.token(review.NewToken{UserEmail: email("Ada"), Scopes: []people.Scope{people.ScopeReview}})
	_, err = w.svc.Purge(w.ctx, acts, "long enough", reason, false)
	w.refused(err, review.Forbidden, "browser")
	done, err := w.svc.Purge(w.ctx, w.admin, "nowhere to be found", reason, false)
	w.must(err)
	if len(done.Rows) != 0 || len(w.auditOf("text.purge")) != 1 {
		w.Errorf("a purge of what is nowhere reached %+v", done)
	}
}
