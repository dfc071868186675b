package store

import (
	"context"
	"time"

	"github.com/countersign/countersign/review"
)

func (t *tx) ForgetDeliveries(ctx context.Context, before time.Time, most int) (int, error) {
	n, err := t.exec(ctx, `DELETE FROM deliveries WHERE id IN (
		SELECT id FROM deliveries WHERE received_at < $1 ORDER BY received_at, id LIMIT $2)`, micros(before), most)
	if err != nil {
		return int(n), err
	}
	_, err = t.exec(ctx, "DELETE FROM unverified WHERE day < $1", before.UTC().Format(time.DateOnly))
	return int(n), err
}

func (t *tx) ForgetNotices(ctx context.Context, before time.Time, most int) (int, error) {
	n, err := t.exec(ctx, `DELETE FROM notifications WHERE id IN (
		SELECT id FROM notifications WHERE at < $1 AND read_at <> 0 ORDER BY at, id LIMIT $2)`, micros(before), most)
	return int(n), err
}

func (t *tx) ForgetLinks(ctx context.Context, before time.Time, most int) (int, error) {
	n, err := t.exec(ctx, `DELETE FROM links WHERE hash IN (
		SELECT hash FROM links WHERE expires_at < $1 AND NOT (kind = $3 AND used_at = 0) ORDER BY expires_at LIMIT $2)`, micros(before), most, review.LinkInvite)
	return int(n), err
}

func (t *tx) ForgottenRefs(ctx context.Context, before time.Time, most int) ([]string, error) {
	var ids []string
	err := t.all(ctx, &ids, `SELECT r.id FROM releases r
		WHERE r.version = '' AND r.released_at = 0 AND r.created_at < $1
			AND NOT EXISTS (SELECT 1 FROM revisions v WHERE v.release_id = r.id AND v.pushed_at >= $1)
			AND NOT EXISTS (SELECT 1 FROM verdicts v WHERE v.release_id = r.id)
			AND NOT EXISTS (SELECT 1 FROM threads h WHERE h.release_id = r.id)
			AND NOT EXISTS (SELECT 1 FROM overrides o WHERE o.release_id = r.id)
			AND NOT EXISTS (SELECT 1 FROM alarms a WHERE a.release_id = r.id)
		ORDER BY r.created_at, r.id LIMIT $2`, micros(before), most)
	return ids, err
}

// keptListing says what keeps a listing besides the release that goes.
const keptListing = `EXISTS (SELECT 1 FROM revisions v WHERE v.listing_id = l.id)
	OR EXISTS (SELECT 1 FROM baselines b WHERE b.listing_id = l.id)
	OR EXISTS (SELECT 1 FROM captures c WHERE c.listing_id = l.id)`

// forgetWithRef is what goes with releases that are forgotten, in this order. A delivery
// stays, and says no more what came of it.
var forgetWithRef = []string{
	"DELETE FROM drafts WHERE release_id IN (%s)",
	"DELETE FROM notifications WHERE release_id IN (%s)",
	"DELETE FROM looks WHERE release_id IN (%s)",
	"DELETE FROM proposed_waivers WHERE release_id IN (%s) AND state = 'open'",
	"UPDATE deliveries SET listing_id = '', release_id = '' WHERE release_id IN (%s)",
	"DELETE FROM revisions WHERE release_id IN (%s)",
	"DELETE FROM releases WHERE id IN (%s)",
}

func (t *tx) ForgetRefs(ctx context.Context, releaseIDs []string) error {
	listings, err := allIn[string](ctx, t, "SELECT DISTINCT listing_id FROM revisions WHERE release_id IN (%s)", nil, releaseIDs)
	if err != nil {
		return err
	}
	for _, statement := range forgetWithRef {
		if _, err := execIn(ctx, t, statement, nil, releaseIDs); err != nil {
			return err
		}
	}
	return t.forgetListings(ctx, listings)
}

// forgetWithListing is what goes with listings that nothing keeps, in this order.
var forgetWithListing = []string{
	"DELETE FROM looks WHERE listing_id IN (%s)",
	"DELETE FROM purged WHERE listing_id IN (%s)",
	"DELETE FROM listings WHERE id IN (%s)",
}

// forgetListings removes those of listings that nothing holds, and the definitions
// that no listing holds then.
func (t *tx) forgetListings(ctx context.Context, listings []string) error {
	gone, err := allIn[refsRow](ctx, t, "SELECT l.id, l.refs FROM listings l WHERE l.id IN (%s) AND NOT ("+keptListing+")", nil, listings)
	if err != nil || len(gone) == 0 {
		return err
	}
	ids, slices := make([]string, len(gone)), map[int64]bool{}
	for i, l := range gone {
		ids[i] = l.ID
		refs, err := unpackRefs(l.Refs)
		if err != nil {
			return damaged(l.ID, err)
		}
		for _, r := range refs {
			slices[r.slice] = true
		}
	}
	for _, statement := range forgetWithListing {
		if _, err := execIn(ctx, t, statement, nil, ids); err != nil {
			return err
		}
	}
	return t.forgetSlices(ctx, slices)
}

// forgetSlices removes those definitions that no listing holds any more. It reads
// the references of all listings, two bytes for each of their definitions.
func (t *tx) forgetSlices(ctx context.Context, ids map[int64]bool) error {
	err := t.eachRefs(ctx, func(_ string, refs []ref) {
		for _, r := range refs {
			delete(ids, r.slice)
		}
	})
	if err != nil || len(ids) == 0 {
		return err
	}
	unused := make([]int64, 0, len(ids))
	for id := range ids {
		unused = append(unused, id)
	}
	_, err = execIn(ctx, t, "DELETE FROM slices WHERE id IN (%s)", nil, unused)
	return err
}

// eachRefs calls f with the references of every listing there is.
func (t *tx) eachRefs(ctx context.Context, f func(listingID string, refs []ref)) error {
	last := ""
	for {
		var some []struct {
			ID   string `db:"id"`
			Refs blob   `db:"refs"`
		}
		if err := t.all(ctx, &some, "SELECT id, refs FROM listings WHERE id > $1 ORDER BY id LIMIT 1000", last); err != nil {
			return err
		}
		for _, l := range some {
			refs, err := unpackRefs(l.Refs)
			if err != nil {
				return damaged(l.ID, err)
			}
			f(l.ID, refs)
			last = l.ID
		}
		if len(some) == 0 {
			return nil
		}
	}
}

var _ review.RetentionStore = (*tx)(nil)
