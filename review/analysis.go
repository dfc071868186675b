package review

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/countersign/countersign/review/change"
	"github.com/countersign/countersign/review/report"
	"github.com/countersign/countersign/review/surface"
)

// Kinds of kept reports. The outline is what gate and lists need of a comparison,
// without its details: it is small whatever was pushed.
const (
	reportChange  = "change"
	reportOutline = "outline 2"
)

// outline is a comparison without its details.
type outline struct {
	Class        change.Class         `json:"class"`
	Counts       map[change.Class]int `json:"counts"`
	Changes      []outlined           `json:"changes"`
	Instructions surface.Hash         `json:"instructions"` // of the newer side
	Order        surface.Hash         `json:"order"`        // of the newer side
	Matters      [][]int              `json:"matters"`      // of each decision: indexes of the changes that it is about
}

// outlined is a change by positions: names come from the listings, which keep them
// exactly.
type outlined struct {
	ID          string         `json:"id,omitempty"`
	Subject     change.Subject `json:"subject"`
	From        surface.Hash   `json:"from"`
	To          surface.Hash   `json:"to"`
	Kind        change.Kind    `json:"kind"`
	Class       change.Class   `json:"class"`
	Hidden      bool           `json:"hidden,omitempty"`
	Destructive bool           `json:"destructive,omitempty"` // the newer tool says that it destroys
	Disarms     bool           `json:"disarms,omitempty"`     // it does not say any more that it may destroy
	Default     bool           `json:"default,omitempty"`     // see defaultsOnly
	OldPosition int            `json:"old,omitempty"`
	NewPosition int            `json:"new,omitempty"`
	Name        []byte         `json:"name,omitempty"` // of a tool that is gone, and before of one that is renamed, as received
}

// newOutline boils a comparison down. A tool of the base that the comparison does
// not account for is a removal: what was forgotten must not pass.
func newOutline(r *change.Report, old, new *surface.Listing) *outline {
	o := &outline{Class: r.Class, Counts: map[change.Class]int{}, Instructions: new.Instructions.Digest(), Order: new.OrderDigest()}
	seen := map[int]bool{}
	for _, c := range r.Changes {
		oc := outlined{
			ID: c.ID, Subject: c.Subject, From: c.From, To: c.To, Kind: c.Kind, Class: c.Class, Hidden: c.Hidden,
			OldPosition: c.OldPosition, NewPosition: c.NewPosition, Default: defaultsOnly(c.Details), Disarms: c.Disarms(),
		}
		if c.Subject == change.SubjectTool && c.NewPosition > 0 && c.NewPosition <= len(new.Tools) {
			oc.Destructive = new.Tools[c.NewPosition-1].SaysDestructive()
		}
		if c.Subject == change.SubjectTool && c.NewPosition == 0 {
			oc.Name = []byte(c.Name())
		}
		if c.FromTool != nil {
			oc.Name = []byte(*c.FromTool)
		}
		seen[c.OldPosition] = true
		o.Changes = append(o.Changes, oc)
		o.Counts[c.Class]++
	}
	if old != nil && !r.Partial {
		o.forgotten(old, new, seen)
	}
	o.Matters = matters(r)
	return o
}

// defaultsOnly reports whether all that breaks is that properties became required
// which have a default: what a caller leaves out is then rejected, but a host may
// fill it in.
func defaultsOnly(details []change.Detail) bool {
	found := false
	for _, d := range details {
		if d.Class != change.Breaking {
			continue
		}
		if !d.Defaulted {
			return false
		}
		found = true
	}
	return found
}

// matters lists, of each decision of the comparison, the places of its changes.
func matters(r *change.Report) [][]int {
	place := make(map[string]int, len(r.Changes))
	for i := range r.Changes {
		place[r.Changes[i].ID] = i
	}
	all := make([][]int, len(r.Decisions))
	for i, d := range r.Decisions {
		for _, id := range d.Changes {
			all[i] = append(all[i], place[id])
		}
	}
	return all
}

// forgotten adds the tools of old that stand neither in a change nor, unchanged,
// in new.
func (o *outline) forgotten(old, new *surface.Listing, seen map[int]bool) {
	still := map[surface.Hash]int{}
	for _, t := range new.Tools {
		still[t.Digest]++
	}
	for _, t := range old.Tools {
		if seen[t.Position] {
			continue
		}
		if still[t.Digest]--; still[t.Digest] >= 0 {
			continue
		}
		o.Class = change.Breaking
		o.Counts[change.Breaking]++
		o.Changes = append(o.Changes, outlined{
			ID:      change.ID(change.SubjectTool, t.Name, "", t.Digest, surface.Hash{}),
			Subject: change.SubjectTool, From: t.Digest, Kind: change.Removed, Class: change.Breaking,
			OldPosition: t.Position, Name: []byte(t.Name),
		})
	}
}

// pair is two listings to compare, by what is known of them: New is at hand when
// it was just pushed.
type pair struct {
	serverID     string
	near         string // what reports of it resemble, see ReportStore
	oldID, newID string // oldID is "" for no base
	old, new     surface.Hash
	inputs       surface.Hash
	opt          change.Options
	listing      *surface.Listing // the newer, nil when it must be read
	limits       limits           // what the policy wants to have measured
	sight        bool             // the comparison is made, and wanted is what it means to models
	beside       []neighbour      // wanted is what is found beside these
}

// newPair names a comparison. Reports depend on the bytes and not only on the
// digests (the prompt cache sees bytes), and on the pusher's word that an empty
// listing is meant; and on the names that people vouch for, where there is a base.
func newPair(old *Revision, new ListingInfo, opt change.Options) pair {
	if old == nil {
		opt = change.Options{}
	}
	opt.Emptied = new.Complete && new.ToolCount == 0
	p := pair{serverID: new.ServerID, near: new.near(), newID: new.ID, new: new.Digest, opt: opt}
	var oldRaw surface.Hash
	if old != nil {
		p.oldID, p.old, oldRaw = old.ListingID, old.Digest, old.RawHash
	}
	inputs := fmt.Appendf(nil, "%s %s %t %t", oldRaw, new.RawHash, new.Complete, p.opt.Emptied)
	p.inputs = surface.HashOf(append(inputs, namingKey(opt)...))
	return p
}

func (p pair) key(kind string) ReportKey {
	return ReportKey{Kind: kind, From: p.old, To: p.new, Inputs: p.inputs, Engine: change.Engine}
}

// compared is a comparison in the forms that are kept.
type compared map[ReportKey][]byte

// missing is the error of a transaction that needs comparisons which nobody made
// yet. They are made outside of it, and then it runs again.
type missing struct {
	pairs []pair
	of    int // how many comparisons were asked for, those that are kept too
}

func (m *missing) Error() string { return fmt.Sprintf("%d comparisons are missing", len(m.pairs)) }

// maxAnalyses bounds how often an act starts again because what it is compared
// with moved meanwhile.
const maxAnalyses = 10

// analysed runs f, and again after making the comparisons that it lacks.
func (s *Service) analysed(ctx context.Context, f func() error) error {
	for try := 1; ; try++ {
		err := f()
		var m *missing
		if !errors.As(err, &m) {
			return err
		}
		if try == maxAnalyses {
			return &Error{Kind: Unavailable, Sentence: "What this is compared with moved again and again. Try once more.", Err: err}
		}
		if err := s.analyse(ctx, m); err != nil {
			return err
		}
	}
}

// StillComparing is the code of an answer that waits for comparisons: after an
// upgrade, or under other patterns, those of many versions are made anew.
const StillComparing = "still_comparing"

type patienceKey struct{}

// WithPatience returns a context in which comparisons are made for about so long. Then
// a call answers that it is still comparing and how far it is (Unavailable). What
// was made is kept, so whoever asks again goes on from there.
func WithPatience(ctx context.Context, patience time.Duration) context.Context {
	return context.WithValue(ctx, patienceKey{}, time.Now().Add(patience))
}

// impatient is the answer to a caller who waited long enough; nil to others. left is how
// many comparisons are still to be made, of how many that were asked for.
func impatient(ctx context.Context, left, of int) error {
	end, ok := ctx.Value(patienceKey{}).(time.Time)
	if !ok || time.Now().Before(end) {
		return nil
	}
	e := &Error{Kind: Unavailable, Code: StillComparing, RetryAfter: time.Second, Done: of - left, Of: of}
	e.Sentence = fmt.Sprintf("Versions are compared anew, since the program or a rule is another than it was: %d of %d are done.", e.Done, e.Of)
	return e
}

// analyse makes comparisons and keeps them.
func (s *Service) analyse(ctx context.Context, m *missing) error {
	for i, p := range m.pairs {
		if err := impatient(ctx, len(m.pairs)-i, max(m.of, len(m.pairs))); err != nil && i > 0 {
			return err // never before one more is made
		}
		if err := s.analyseOnce(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// analyseOnce makes one comparison and keeps it. Who lacks more than was made asks
// again.
func (s *Service) analyseOnce(ctx context.Context, p pair) error {
	key, compare := p.key(reportChange), s.compare
	switch {
	case p.sight:
		key, compare = p.sightKey(), s.look
	case p.beside != nil:
		key, compare = p.besideKey(), s.lookBeside
	}
	_, err := s.once(ctx, []ReportKey{key}, func(ctx context.Context) (compared, error) {
		made, err := compare(ctx, p)
		if err != nil {
			return nil, err
		}
		return made, s.store.Update(ctx, func(tx Tx) error { return made.put(ctx, tx, p.near) })
	})
	return err
}

// once has reports made and kept. Who asks for those that are being made waits for
// them: after a push everybody who was told of it looks at once. The context of making
// has no end, so nobody who hangs up takes it from the others. What comes back is
// shared, and not to be changed.
func (s *Service) once(ctx context.Context, keys []ReportKey, making func(ctx context.Context) (compared, error)) (compared, error) {
	done := s.comparing.DoChan(flight(keys), func() (_ any, err error) {
		// It has a goroutine of its own, where nobody else would catch it.
		defer func() {
			if p := recover(); p != nil {
				err = fmt.Errorf("an analysis failed: %v\n%s", p, debug.Stack())
			}
		}()
		return making(context.WithoutCancel(ctx))
	})
	select {
	case d := <-done:
		made, _ := d.Val.(compared)
		return made, d.Err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// flight names what is made together, in whatever order it was asked for.
func flight(keys []ReportKey) string {
	names := make([]string, len(keys))
	for i, k := range keys {
		names[i] = k.String()
	}
	slices.Sort(names)
	return strings.Join(names, "\n")
}

// foundOr returns the reports that are kept by now, which somebody may have made since
// the caller looked, and those that are still to be made.
func (s *Service) foundOr(ctx context.Context, keys []ReportKey) (found compared, missing []ReportKey, err error) {
	err = s.store.View(ctx, func(tx Tx) (err error) {
		found, err = tx.Reports(ctx, keys)
		return err
	})
	missing = slices.DeleteFunc(slices.Clone(keys), func(k ReportKey) bool { return found[k] != nil })
	return found, missing, err
}

// put keeps what was made, near what it is about.
func (c compared) put(ctx context.Context, tx Tx, near string) error {
	if len(c) == 0 {
		return nil
	}
	return tx.PutReports(ctx, near, c)
}

// compare makes one comparison, outside of any transaction that writes.
func (s *Service) compare(ctx context.Context, p pair) (compared, error) {
	var old, new *surface.Listing
	var tools *toolFindings
	err := s.store.View(ctx, func(tx Tx) error {
		var err error
		if old, err = wholeListing(ctx, tx, p.oldID); err != nil {
			return err
		}
		new = p.listing
		if new == nil {
			if new, err = wholeListing(ctx, tx, p.newID); err != nil {
				return err
			}
		}
		tools, err = readToolFindings(ctx, tx, old, new)
		return err
	})
	if err != nil {
		return nil, err
	}
	r, made, err := s.compareNow(p, old, new, tools)
	if err != nil {
		return nil, err
	}
	full, err := report.Diff(r)
	if err != nil {
		return nil, err
	}
	short, err := json.Marshal(newOutline(r, old, new))
	if err != nil {
		return nil, err
	}
	made[p.key(reportChange)], made[p.key(reportOutline)] = full, short
	return made, nil
}

// compareNow compares one pair of a server at a time, so that a hostile listing
// takes one core and not all. What is found comes in the forms that are kept.
func (s *Service) compareNow(p pair, old, new *surface.Listing, tools *toolFindings) (*change.Report, compared, error) {
	mu, _ := s.analysing.LoadOrStore(p.serverID, &sync.Mutex{})
	mu.(*sync.Mutex).Lock()
	defer mu.(*sync.Mutex).Unlock()
	start := time.Now() // not the service's clock, which says when, not how long
	defer func() { s.cfg.Observer.Analysed(time.Since(start)) }()
	r := change.Compare(old, new, p.opt)
	found, err := tools.find(p, old, new, r)
	if err == nil {
		err = p.measure(old, new, found)
	}
	return r, found, err
}

// wholeListing reads a listing with its bytes; nil for no id.
func wholeListing(ctx context.Context, tx Tx, id string) (*surface.Listing, error) {
	if id == "" {
		return nil, nil
	}
	l, err := tx.ListingByID(ctx, id)
	if err != nil {
		return nil, err
	}
	return l.Surface, nil
}

func parseOutline(b []byte) (*outline, error) {
	var o outline
	if err := json.Unmarshal(b, &o); err != nil {
		return nil, fmt.Errorf("kept outline: %w", err)
	}
	return &o, nil
}

// keptReport reads what is kept of a pair under a key, or says that the pair is missing.
func keptReport(ctx context.Context, tx Tx, p pair, key ReportKey) ([]byte, error) {
	kept, err := tx.Reports(ctx, []ReportKey{key})
	if err != nil {
		return nil, err
	}
	body, ok := kept[key]
	if !ok {
		return nil, &missing{pairs: []pair{p}}
	}
	return body, nil
}

// fullReport reads a kept comparison, or says that it is missing.
func fullReport(ctx context.Context, tx Tx, p pair) (*change.Report, error) {
	body, err := keptReport(ctx, tx, p, p.key(reportChange))
	if err != nil {
		return nil, err
	}
	return report.ParseDiff(body)
}

// shortReport reads what is kept of a comparison in outline, or says that it is missing.
func shortReport(ctx context.Context, tx Tx, p pair) (*outline, error) {
	body, err := keptReport(ctx, tx, p, p.key(reportOutline))
	if err != nil {
		return nil, err
	}
	return parseOutline(body)
}
