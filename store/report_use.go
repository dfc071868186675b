package store

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"
)

// Reports are made anew when somebody needs them, so those that nobody reads any more
// are removed: of pushes that were forgotten, of versions that nobody looks at, of
// engines from before an upgrade. Reading writes nothing. What was read is noted here
// and written down by the next sweep, roughly: another one of the same days costs no
// write. A program that is killed loses the notes of an hour, and reports are made
// anew a little earlier for it.

const (
	// useGrain is how far used_at may lie behind the last use.
	useGrain = 7 * 24 * time.Hour
	// firstUses bounds how many new reports one step dates: after an upgrade it is all
	// of them.
	firstUses = 2000
	// mostUses bounds what is noted between two sweeps: some 8 MB.
	mostUses = 100_000
)

// reportUses are keys of reports that were read.
type reportUses struct {
	mu   sync.Mutex
	keys map[hash]struct{}
}

func (u *reportUses) add(rows []reportRow) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.keys == nil {
		u.keys = map[hash]struct{}{}
	}
	for i := range rows {
		if len(u.keys) == mostUses {
			return
		}
		u.keys[rows[i].Key] = struct{}{}
	}
}

// noted returns what was noted, in order: two instances that write down the same
// reports don't deadlock.
func (u *reportUses) noted() []hash {
	u.mu.Lock()
	defer u.mu.Unlock()
	return distinct(slices.Collect(maps.Keys(u.keys)))
}

func (u *reportUses) drop(keys []hash) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, key := range keys {
		delete(u.keys, key)
	}
}

func (t *tx) ForgetReports(ctx context.Context, now, before time.Time, most int) (int, error) {
	if err := t.writeUses(ctx, now); err != nil {
		return 0, err
	}
	var keys []hash
	err := t.all(ctx, &keys, `SELECT r.key FROM reports r WHERE r.used_at > 0 AND r.used_at < $1
		AND NOT EXISTS (SELECT 1 FROM reports o WHERE o.base = r.key) ORDER BY r.used_at, r.key LIMIT $2`, micros(before), most)
	if err != nil {
		return 0, err
	}
	for _, statement := range []string{"DELETE FROM report_bases WHERE key IN (%s)", "DELETE FROM reports WHERE key IN (%s)"} {
		if _, err := execIn(ctx, t, statement, nil, distinct(keys)); err != nil {
			return 0, err
		}
	}
	return len(keys), nil
}

// writeUses writes down when reports were used: those that are new, and those that
// were read. A base is not used by reading what is packed against it, which keeps it
// anyway.
func (t *tx) writeUses(ctx context.Context, now time.Time) error {
	if _, err := t.exec(ctx, "UPDATE reports SET used_at = $1 WHERE key IN (SELECT key FROM reports WHERE used_at = 0 ORDER BY key LIMIT $2)", micros(now), firstUses); err != nil {
		return err
	}
	keys := t.store.reportUses.noted()
	_, err := execIn(ctx, t, "UPDATE reports SET used_at = $1 WHERE used_at < $2 AND key IN (%s)", []any{micros(now), micros(now.Add(-useGrain))}, keys)
	if err == nil {
		// Should the transaction fail at its very end, these uses are lost: see above.
		t.store.reportUses.drop(keys)
	}
	return err
}
