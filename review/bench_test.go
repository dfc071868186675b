package review_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/testkit"
	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/people"
	"github.com/countersign/countersign/store/storetest"
)

// history is a server with versions of a listing of many tools, each changing a
// few, the first accepted as baseline and each released but the last.
type history struct {
	svc  *review.Service
	who  review.Actor
	last *review.Pushed
}

func newHistory(b *testing.B, tools, versions, changed int) history {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	svc := review.NewService(storetest.Open(b), review.Config{
		BaseURL: "https://review.example", Secret: make([]byte, 32),
		Now:    func() time.Time { now = now.Add(time.Second); return now },
		Limits: review.Limits{PushesPerMinute: 1e6, PushesPerDay: 1e6, OpenReleases: 1e6},
	})
	shell := review.Actor{Shell: true, Via: "shell"}
	must := func(err error) {
		b.Helper()
		if err != nil {
			b.Fatal(err)
		}
	}
	_, _, err := svc.AddServer(b.Context(), shell, review.NewServer{Slug: "big"})
	must(err)
	ana, _, err := svc.AddUser(b.Context(), shell, review.NewUser{Email: "ana@example.com", Role: people.Admin})
	must(err)
	ben, _, err := svc.AddUser(b.Context(), shell, review.NewUser{Email: "ben@example.com", Role: people.Admin})
	must(err)
	h := history{svc: svc, who: review.Actor{User: ana, Via: "browser"}}
	reviewer := review.Actor{User: ben, Via: "browser"}
	for v := range versions {
		h.last, err = svc.Upload(b.Context(), h.who, "big", review.PushParams{Version: fmt.Sprint(v)}, bigListing(tools, v, changed), "")
		must(err)
		id, digest := h.last.Answer.Release.ID, h.last.Answer.Listing.Digest
		if v == 0 {
			_, err = svc.AcceptBaseline(b.Context(), reviewer, id, digest, nil)
			must(err)
		} else {
			view, err := svc.Release(b.Context(), reviewer, id)
			must(err)
			var items []review.VerdictItem
			for _, c := range view.Changes {
				items = append(items, review.VerdictItem{Change: c.ID, Verdict: review.Approve, Note: "Read."})
			}
			_, err = svc.Decide(b.Context(), reviewer, id, items)
			must(err)
		}
		if v < versions-1 {
			_, err = svc.MarkReleased(b.Context(), reviewer, id, digest)
			must(err)
		}
	}
	return h
}

// bigListing is version v of a listing: a window of changed tools moves through it.
func bigListing(tools, v, changed int) []byte {
	filler := strings.Repeat("Says what it does and what it needs, in plain words. ", 15)
	var b strings.Builder
	b.WriteString(`{"tools":[`)
	for i := range tools {
		if i > 0 {
			b.WriteByte(',')
		}
		last := 0 // version that changed this tool last
		for past := 1; past <= v; past++ {
			if (i+tools-(past*changed)%tools)%tools < changed {
				last = past
			}
		}
		fmt.Fprintf(&b, `{"name":"tool_%d","description":"Reads record %d. %sVersion %d.","inputSchema":{"type":"object","properties":{"id":{"type":"string"}}}}`, i, i, filler, last)
	}
	b.WriteString(`]}`)
	return []byte(b.String())
}

// BenchmarkGate asks the gate for a listing of 1,000 tools with 50 versions of
// history. The promise is about the median, which a pause of the machine does not move.
func BenchmarkGate(b *testing.B) {
	h := newHistory(b, 1000, 50, 20)
	var took []time.Duration
	for b.Loop() {
		start := time.Now()
		if _, err := h.svc.Gate(b.Context(), h.who, "big", review.Question{Digest: h.last.Answer.Listing.Digest}); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "ms-median")
}

// BenchmarkReleasePage reads what the page of 1,000 tools with 100 changes shows.
func BenchmarkReleasePage(b *testing.B) {
	h := newHistory(b, 1000, 2, 100)
	for b.Loop() {
		if _, err := h.svc.Release(b.Context(), h.who, h.last.Answer.Release.ID); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkPush pushes versions of a listing to an open release, each with some
// definitions that nobody sent before.
func BenchmarkPush(b *testing.B) {
	for _, size := range []struct{ tools, changed int }{{300, 3}, {1000, 10}, {1000, 1000}} {
		b.Run(fmt.Sprintf("tools=%d/new=%d", size.tools, size.changed), func(b *testing.B) {
			h := newHistory(b, 1, 1, 1)
			send := func(v int) {
				body := testkit.BigListing(size.tools, size.changed, v+1)
				if _, err := h.svc.Upload(b.Context(), h.who, "big", review.PushParams{Version: "next"}, []byte(body), ""); err != nil {
					b.Fatal(err)
				}
			}
			send(0)
			for v := 1; b.Loop(); v++ {
				send(v)
			}
		})
	}
}
