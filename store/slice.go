package store

import (
	"bytes"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/countersign/countersign/review/surface"
)

// sliceRow is a raw definition without its bytes.
type sliceRow struct {
	RawHash hash   `db:"raw_hash"`
	ID      int64  `db:"id"`
	Digest  hash   `db:"digest"`
	Form    string `db:"form"`
	Name    octets `db:"name"`
}

// reading returns what the reader of f's listing made of the slice.
func (r sliceRow) reading(f ref) reading {
	if f.own {
		return f.read
	}
	return reading{string(r.Name), surface.Form(r.Form), surface.Hash(r.Digest)}
}

type sliceBytes struct {
	sliceRow
	Raw blob `db:"raw"`
}

// sliceIDs gives out the short numbers of slices: the microsecond, times 4,096,
// or one more than the last given out. So they are new without asking the
// database, those of one listing are consecutive, and the index on them grows at
// its end. That two processes hit the same number is unlikely, and harmless: the
// unique index fails the later transaction, which runs again.
type sliceIDs struct {
	mu   sync.Mutex
	next int64
}

var sliceEpoch = time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro()

// take reserves n consecutive ids and returns the first.
func (s *sliceIDs) take(now time.Time, n int) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	first := max(s.next, (now.UnixMicro()-sliceEpoch)<<12)
	s.next = first + int64(n)
	return first
}

// keepSlices stores the definitions that are not there yet and returns the row
// of each by raw hash, and how many bytes those took that were new.
//
// It asks for the hashes first, since most pushes bring little that is new, and
// writes in order of hash, since PostgreSQL would deadlock writers that bring
// the same definitions in different orders.
func (t *tx) keepSlices(ctx context.Context, tools []surface.Tool) (known map[hash]sliceRow, stored int, err error) {
	known, err = t.knownSlices(ctx, tools)
	if err != nil {
		return nil, 0, err
	}
	var fresh []sliceBytes
	for i := range tools {
		tool := &tools[i]
		if _, ok := known[hash(tool.RawHash)]; ok {
			continue
		}
		known[hash(tool.RawHash)] = sliceRow{} // twice in the listing: kept once
		row := sliceRow{RawHash: hash(tool.RawHash), Digest: hash(tool.Digest), Form: string(tool.Form), Name: octets(tool.Name)}
		fresh = append(fresh, sliceBytes{row, blob(tool.Raw)})
		stored += len(tool.Raw)
	}
	first := t.store.slices.take(t.store.now(), len(fresh))
	for i := range fresh { // numbered in order of the listing
		fresh[i].ID = first + int64(i)
		known[fresh[i].RawHash] = fresh[i].sliceRow
	}
	slices.SortFunc(fresh, func(a, b sliceBytes) int { return bytes.Compare(a.RawHash[:], b.RawHash[:]) })
	added, err := insert(ctx, t, "slices", "ON CONFLICT DO NOTHING", fresh...)
	if err == nil && added != int64(len(fresh)) {
		t.failed = failure(ctx, errLostRace)
		err = t.failed
	}
	return known, stored, err
}

func (t *tx) knownSlices(ctx context.Context, tools []surface.Tool) (map[hash]sliceRow, error) {
	hashes := make([]hash, len(tools))
	for i := range tools {
		hashes[i] = hash(tools[i].RawHash)
	}
	rows, err := allIn[sliceRow](ctx, t, "SELECT "+columns[sliceRow]("")+" FROM slices WHERE raw_hash IN (%s)", nil, distinct(hashes))
	known := make(map[hash]sliceRow, len(tools))
	for _, row := range rows {
		known[row.RawHash] = row
	}
	return known, err
}

// distinct sorts hashes and drops repeated ones and the zero one.
func distinct(hashes []hash) []hash {
	hashes = slices.DeleteFunc(slices.Clone(hashes), func(h hash) bool { return h == hash{} })
	slices.SortFunc(hashes, func(a, b hash) int { return bytes.Compare(a[:], b[:]) })
	return slices.Compact(hashes)
}

// Slices returns raw definitions by raw hash; absent ones are left out.
func (t *tx) Slices(ctx context.Context, hashes []surface.Hash) (map[surface.Hash][]byte, error) {
	wanted := make([]hash, len(hashes))
	for i, h := range hashes {
		wanted[i] = hash(h)
	}
	rows, err := allIn[struct {
		RawHash hash `db:"raw_hash"`
		Raw     blob `db:"raw"`
	}](ctx, t, "SELECT raw_hash, raw FROM slices WHERE raw_hash IN (%s)", nil, distinct(wanted))
	found := make(map[surface.Hash][]byte, len(rows))
	for _, row := range rows {
		found[surface.Hash(row.RawHash)] = row.Raw
	}
	return found, err
}
