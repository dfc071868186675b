package review

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/countersign/countersign/review/change"
	"github.com/countersign/countersign/review/lint"
	"github.com/countersign/countersign/review/surface"
)

func listingOf(t *testing.T, body string) *surface.Listing {
	t.Helper()
	l, err := surface.Read([]byte(body), surface.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

const (
	toolA = `{"name":"a","inputSchema":{"type":"object"}}`
	toolB = `{"name":"b","inputSchema":{"type":"object"}}`
)

// TestOutlineForgetsNothing takes a change out of a comparison, as a fault of the
// engine would.
func TestOutlineForgetsNothing(t *testing.T) {
	old, new := listingOf(t, `{"tools":[`+toolA+`,`+toolB+`,`+toolB+`]}`), listingOf(t, `{"tools":[`+toolA+`,`+toolB+`]}`)
	r := change.Compare(old, new, change.Options{})
	whole := newOutline(r, old, new)
	r.Changes = nil
	o := newOutline(r, old, new)
	if len(o.Changes) != 1 || o.Changes[0].Kind != change.Removed || o.Changes[0].From != old.Tools[2].Digest || o.Class != change.Breaking {
		t.Errorf("forgotten: %+v", o)
	}
	if len(whole.Changes) != 1 {
		t.Errorf("nothing was forgotten: %+v", whole.Changes)
	}
	r.Partial = true
	if o := newOutline(r, old, new); len(o.Changes) != 0 {
		t.Errorf("a part removes nothing: %+v", o.Changes)
	}
	if o := newOutline(change.Compare(nil, new, change.Options{}), nil, new); len(o.Changes) != 2 || o.Counts[change.Behaviour] != 2 {
		t.Errorf("without a base: %+v", o)
	}
}

// TestPairKey checks that a kept comparison is found for the same inputs only.
func TestPairKey(t *testing.T) {
	info := func(body string) ListingInfo {
		l := Listing{ID: body, Surface: listingOf(t, body)}
		return l.info()
	}
	plain := info(`{"tools":[` + toolA + `]}`)
	spaced := info(`{"tools": [` + toolA + `]}`) // same digest, other bytes
	empty := info(`{"tools":[]}`)
	doubted := empty
	doubted.Complete = false
	base := &Revision{ListingID: "base", Digest: spaced.Digest, RawHash: spaced.RawHash}
	seen := map[ReportKey]string{}
	for name, p := range map[string]pair{
		"plain": newPair(nil, plain, change.Options{}), "spaced": newPair(nil, spaced, change.Options{}), "empty": newPair(nil, empty, change.Options{}), "doubted": newPair(nil, doubted, change.Options{}),
		"with a base": newPair(base, plain, change.Options{}), "outline of another kind": newPair(base, spaced, change.Options{}),
	} {
		if other, ok := seen[p.key(reportOutline)]; ok {
			t.Errorf("%s and %s have one key", name, other)
		}
		seen[p.key(reportOutline)] = name
	}
	if newPair(nil, plain, change.Options{}).key(reportChange) == newPair(nil, plain, change.Options{}).key(reportOutline) {
		t.Error("two kinds of report have one key")
	}
}

// watcher is told when a comparison ends.
type watcher struct {
	unobserved
	analysed func()
}

func (w watcher) Analysed(time.Duration) { w.analysed() }

// TestComparisonsOfAServerWaitForEachOther: while a listing of one server is compared
// no other of it is, and those of other servers are.
func TestComparisonsOfAServerWaitForEachOther(t *testing.T) {
	var s *Service
	free := func(server string) bool {
		mu, _ := s.analysing.LoadOrStore(server, &sync.Mutex{})
		if !mu.(*sync.Mutex).TryLock() {
			return false
		}
		mu.(*sync.Mutex).Unlock()
		return true
	}
	looked := false
	s = NewService(nil, Config{Observer: watcher{analysed: func() {
		looked = true
		if free("ours") || !free("theirs") {
			t.Errorf("while ours is compared: ours free %t, theirs free %t", free("ours"), free("theirs"))
		}
	}}})
	l := listingOf(t, `{"tools":[`+toolA+`]}`)
	if _, _, err := s.compareNow(pair{serverID: "ours"}, nil, l, &toolFindings{found: map[surface.Hash][]lint.Finding{}, fresh: compared{}}); err != nil || !looked {
		t.Fatalf("compared: %v, looked: %t", err, looked)
	}
	if !free("ours") {
		t.Error("the next comparison would wait for ever")
	}
}

// failing is a store whose every transaction panics.
type failing struct{ Store }

func (failing) View(context.Context, func(Tx) error) error { panic("of a store") }

// TestComparisonThatPanics: a fault of the engine fails the call that met it, and not
// the program.
func TestComparisonThatPanics(t *testing.T) {
	err := NewService(failing{}, Config{}).analyse(t.Context(), &missing{pairs: []pair{{serverID: "ours"}}})
	if err == nil || !strings.Contains(err.Error(), "of a store") || KindOf(err) != Internal {
		t.Errorf("got %v", err)
	}
}
