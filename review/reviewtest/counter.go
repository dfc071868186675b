package reviewtest

import (
	"context"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/people"
	"github.com/countersign/countersign/review/surface"
)

// counter is a store that counts the calls that read, and the reports that are kept:
// what is computed is kept, so what is kept twice was computed twice.
type counter struct {
	review.Store
	calls atomic.Int64

	answered int // how often somebody refers to what is being forgotten, in between

	mu   sync.Mutex
	puts map[review.ReportKey]int
}

// Update notes the reports of transactions that end well.
func (c *counter) Update(ctx context.Context, f func(review.Tx) error) error {
	var put []review.ReportKey
	err := c.Store.Update(ctx, func(tx review.Tx) error {
		put = nil // an earlier attempt left nothing
		return f(&keepingTx{tx, &put, &c.answered})
	})
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.puts == nil {
		c.puts = map[review.ReportKey]int{}
	}
	for _, k := range put {
		c.puts[k]++
	}
	return nil
}

// kept returns how often a report was kept, by key.
func (c *counter) kept() map[review.ReportKey]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.puts)
}

// keepingTx notes the reports that are kept.
type keepingTx struct {
	review.Tx
	put *[]review.ReportKey

	answered *int
}

// ForgetRefs fails as it does where somebody answers in a release that goes.
func (t *keepingTx) ForgetRefs(ctx context.Context, ids []string) error {
	if *t.answered > 0 {
		*t.answered--
		return review.Errorf(review.Invalid, "Something refers to it.")
	}
	return t.Tx.ForgetRefs(ctx, ids)
}

func (t *keepingTx) PutReport(ctx context.Context, near string, k review.ReportKey, body []byte) error {
	*t.put = append(*t.put, k)
	return t.Tx.PutReport(ctx, near, k, body)
}

func (t *keepingTx) PutReports(ctx context.Context, near string, reports map[review.ReportKey][]byte) error {
	for k := range reports {
		*t.put = append(*t.put, k)
	}
	return t.Tx.PutReports(ctx, near, reports)
}

func (c *counter) View(ctx context.Context, f func(review.Tx) error) error {
	return c.Store.View(ctx, func(tx review.Tx) error { return f(&countedTx{tx, &c.calls}) })
}

// countedTx counts those methods of a transaction that pages use.
type countedTx struct {
	review.Tx
	calls *atomic.Int64
}

func (t *countedTx) ServerByID(ctx context.Context, id string) (*review.Server, error) {
	t.calls.Add(1)
	return t.Tx.ServerByID(ctx, id)
}

func (t *countedTx) ServerBySlug(ctx context.Context, slug string) (*review.Server, error) {
	t.calls.Add(1)
	return t.Tx.ServerBySlug(ctx, slug)
}

func (t *countedTx) Servers(ctx context.Context) ([]review.Server, error) {
	t.calls.Add(1)
	return t.Tx.Servers(ctx)
}

func (t *countedTx) Profiles(ctx context.Context, serverID string) ([]review.Profile, error) {
	t.calls.Add(1)
	return t.Tx.Profiles(ctx, serverID)
}

func (t *countedTx) ListingByID(ctx context.Context, id string) (*review.Listing, error) {
	t.calls.Add(1)
	return t.Tx.ListingByID(ctx, id)
}

func (t *countedTx) ListingInfoByID(ctx context.Context, id string) (*review.ListingInfo, error) {
	t.calls.Add(1)
	return t.Tx.ListingInfoByID(ctx, id)
}

func (t *countedTx) ListingInfosByID(ctx context.Context, ids []string) ([]review.ListingInfo, error) {
	t.calls.Add(1)
	return t.Tx.ListingInfosByID(ctx, ids)
}

func (t *countedTx) ToolRefs(ctx context.Context, ids []string) (map[string][]review.ToolRef, error) {
	t.calls.Add(1)
	return t.Tx.ToolRefs(ctx, ids)
}

func (t *countedTx) Waivers(ctx context.Context, profiles []review.ProfileKey, after time.Time) ([]review.Waiver, error) {
	t.calls.Add(1)
	return t.Tx.Waivers(ctx, profiles, after)
}

func (t *countedTx) Slices(ctx context.Context, hashes []surface.Hash) (map[surface.Hash][]byte, error) {
	t.calls.Add(1)
	return t.Tx.Slices(ctx, hashes)
}

func (t *countedTx) ReleaseByID(ctx context.Context, id string) (*review.Release, error) {
	t.calls.Add(1)
	return t.Tx.ReleaseByID(ctx, id)
}

func (t *countedTx) ReleasesByVersion(ctx context.Context, keys []review.VersionKey) ([]review.Release, error) {
	t.calls.Add(1)
	return t.Tx.ReleasesByVersion(ctx, keys)
}

func (t *countedTx) ReleasesByID(ctx context.Context, ids []string) ([]review.Release, error) {
	t.calls.Add(1)
	return t.Tx.ReleasesByID(ctx, ids)
}

func (t *countedTx) Releases(ctx context.Context, serverID, profile string, p review.Page) ([]review.Release, error) {
	t.calls.Add(1)
	return t.Tx.Releases(ctx, serverID, profile, p)
}

func (t *countedTx) OpenReleases(ctx context.Context, serverIDs []string, limit int) ([]review.Release, int, error) {
	t.calls.Add(1)
	return t.Tx.OpenReleases(ctx, serverIDs, limit)
}

func (t *countedTx) OpenReleasesOf(ctx context.Context, serverID, profile string) ([]review.Release, error) {
	t.calls.Add(1)
	return t.Tx.OpenReleasesOf(ctx, serverID, profile)
}

func (t *countedTx) NewestReleases(ctx context.Context, ks []review.ProfileKey) (map[review.ProfileKey]review.Release, error) {
	t.calls.Add(1)
	return t.Tx.NewestReleases(ctx, ks)
}

func (t *countedTx) InstructionsOf(ctx context.Context, ids []string) (map[string]surface.Instructions, error) {
	t.calls.Add(1)
	return t.Tx.InstructionsOf(ctx, ids)
}

func (t *countedTx) LastReleased(ctx context.Context, ks []review.ProfileKey) (map[review.ProfileKey]review.Line, error) {
	t.calls.Add(1)
	return t.Tx.LastReleased(ctx, ks)
}

func (t *countedTx) ReleasesByDigest(ctx context.Context, serverID, profile string, d surface.Hash) ([]review.Release, error) {
	t.calls.Add(1)
	return t.Tx.ReleasesByDigest(ctx, serverID, profile, d)
}

func (t *countedTx) Revisions(ctx context.Context, ids []string) ([]review.Revision, error) {
	t.calls.Add(1)
	return t.Tx.Revisions(ctx, ids)
}

func (t *countedTx) Released(ctx context.Context, ks []review.ProfileKey, ds []surface.Hash) ([]review.ReleasedSubject, error) {
	t.calls.Add(1)
	return t.Tx.Released(ctx, ks, ds)
}

func (t *countedTx) Rejected(ctx context.Context, ks []review.ProfileKey) ([]surface.Hash, error) {
	t.calls.Add(1)
	return t.Tx.Rejected(ctx, ks)
}

func (t *countedTx) VerdictsOn(ctx context.Context, ks []review.ProfileKey, ds []surface.Hash) ([]review.Verdict, error) {
	t.calls.Add(1)
	return t.Tx.VerdictsOn(ctx, ks, ds)
}

func (t *countedTx) Threads(ctx context.Context, f review.ThreadFilter) ([]review.Thread, error) {
	t.calls.Add(1)
	return t.Tx.Threads(ctx, f)
}

func (t *countedTx) Users(ctx context.Context) ([]people.User, error) {
	t.calls.Add(1)
	return t.Tx.Users(ctx)
}

func (t *countedTx) UserByID(ctx context.Context, id string) (*people.User, error) {
	t.calls.Add(1)
	return t.Tx.UserByID(ctx, id)
}

func (t *countedTx) Reports(ctx context.Context, keys []review.ReportKey) (map[review.ReportKey][]byte, error) {
	t.calls.Add(1)
	return t.Tx.Reports(ctx, keys)
}

func (t *countedTx) CountDeliveries(ctx context.Context, serverID string, since time.Time) (int, error) {
	t.calls.Add(1)
	return t.Tx.CountDeliveries(ctx, serverID, since)
}
