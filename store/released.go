package store

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/change"
	"github.com/countersign/countersign/review/surface"
)

// The subjects of released listings are kept as runs. Releases of a profile are
// numbered in the order in which InsertReleased names them; a run says that a
// subject stood in every one from first_n to last_n, and last_n is openEnd while
// it still stands in the newest. So a release costs rows for what differs from
// the release before it, not for what it holds.
//
// Withdrawing changes no run: it takes a number out of those that count.

const openEnd = math.MaxInt64

type releasedRow struct {
	ServerID  string `db:"server_id"`
	Profile   string `db:"profile"`
	N         int64  `db:"n"`
	ReleaseID string `db:"release_id"`
}

// releasedView is a numbered release that counts.
type releasedView struct {
	releasedRow
	Version string `db:"version"`
}

type releasedRun struct {
	ServerID string         `db:"server_id"`
	Profile  string         `db:"profile"`
	Key      hash           `db:"key"`
	FirstN   int64          `db:"first_n"`
	LastN    int64          `db:"last_n"`
	Digest   hash           `db:"digest"`
	Subject  change.Subject `db:"subject"`
	Name     octets         `db:"name"`
}

func subjectHash(k review.SubjectKey) hash { return hash(k.Hash()) }

// InsertReleased records the subjects of a release, which is the newest one of
// its profile from then on.
func (t *tx) InsertReleased(ctx context.Context, serverID, profile, releaseID string, subjects []review.SubjectKey) error {
	var n int64
	if err := t.get(ctx, &n, "SELECT COALESCE(max(n), 0) + 1 FROM released WHERE server_id = $1 AND profile = $2", serverID, profile); err != nil {
		return err
	}
	if err := insertOne(ctx, t, "released", releasedRow{serverID, profile, n, releaseID}); err != nil {
		return err
	}
	var standing []hash
	if err := t.all(ctx, &standing, "SELECT key FROM released_runs WHERE server_id = $1 AND profile = $2 AND last_n = $3",
		serverID, profile, int64(openEnd)); err != nil {
		return err
	}
	byKey := indexed(subjects, subjectHash)
	begun, ended := turnover(standing, distinct(slices.Collect(maps.Keys(byKey))))
	if _, err := execIn(ctx, t, `UPDATE released_runs SET last_n = $4
		WHERE server_id = $1 AND profile = $2 AND last_n = $3 AND key IN (%s)`,
		[]any{serverID, profile, int64(openEnd), n - 1}, ended); err != nil {
		return err
	}
	_, err := insert(ctx, t, "released_runs", "", mapped(begun, func(key hash) releasedRun {
		s := byKey[key]
		return releasedRun{serverID, profile, key, n, openEnd, hash(s.Digest), s.Subject, octets(s.Name)}
	})...)
	return err
}

// turnover says which of the wanted keys don't stand yet, and which standing ones
// are not wanted any more, both sorted. wanted is sorted.
func turnover(standing, wanted []hash) (begun, ended []hash) {
	stands := make(map[hash]bool, len(standing))
	for _, h := range standing {
		stands[h] = true
	}
	for _, h := range wanted {
		if !stands[h] {
			begun = append(begun, h)
		}
		delete(stands, h)
	}
	return begun, distinct(slices.Collect(maps.Keys(stands)))
}

// Released looks digests up in the runs, and takes of each subject the release
// with the highest number: the one that was released last.
func (t *tx) Released(ctx context.Context, profiles []review.ProfileKey, digests []surface.Hash) ([]review.ReleasedSubject, error) {
	counted, runs, err := t.runsOf(ctx, profiles, digests)
	return newestStanding(counted, runs), err
}

func (t *tx) Holders(ctx context.Context, profiles []review.ProfileKey, digests []surface.Hash) ([]string, error) {
	counted, runs, err := t.runsOf(ctx, profiles, digests)
	holds := map[string]bool{}
	for _, run := range runs {
		for _, r := range counted[review.ProfileKey{ServerID: run.ServerID, Profile: run.Profile}] {
			if run.FirstN <= r.N && r.N <= run.LastN {
				holds[r.ReleaseID] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(holds)), err
}

// runsOf returns the runs of digests, and by profile the releases that count, in order
// of their numbers.
func (t *tx) runsOf(ctx context.Context, profiles []review.ProfileKey, digests []surface.Hash) (map[review.ProfileKey][]releasedView, []releasedRun, error) {
	if len(profiles) == 0 || len(digests) == 0 {
		return nil, nil, nil
	}
	var p params
	ofProfiles := p.ofProfiles("x.", profiles)
	var counted []releasedView
	err := t.all(ctx, &counted, "SELECT "+columns[releasedRow]("x.")+`, r.version FROM released x JOIN releases r ON r.id = x.release_id
		WHERE r.released_at <> 0 AND r.withdrawn_at = 0 AND `+ofProfiles+" ORDER BY x.n", p.args...)
	if err != nil || len(counted) == 0 {
		return nil, nil, err
	}
	runs, err := allIn[releasedRun](ctx, t, "SELECT "+columns[releasedRun]("x.")+" FROM released_runs x WHERE "+
		ofProfiles+" AND x.digest IN (%s)", p.args, distinct(mapped(digests, func(h surface.Hash) hash { return hash(h) })))
	if err != nil {
		return nil, nil, err
	}
	byProfile := make(map[review.ProfileKey][]releasedView)
	for _, row := range counted {
		key := review.ProfileKey{ServerID: row.ServerID, Profile: row.Profile}
		byProfile[key] = append(byProfile[key], row)
	}
	return byProfile, runs, nil
}

// newestStanding names for each subject the newest counted release within one of
// its runs. The releases of each profile are in order of their numbers.
func newestStanding(counted map[review.ProfileKey][]releasedView, runs []releasedRun) []review.ReleasedSubject {
	type subject struct {
		profile review.ProfileKey
		key     hash
	}
	type place struct {
		n  int64
		at int // in found
	}
	best := make(map[subject]place, len(runs))
	var found []review.ReleasedSubject
	for _, run := range runs {
		s := subject{review.ProfileKey{ServerID: run.ServerID, Profile: run.Profile}, run.Key}
		newest, ok := lastWithin(counted[s.profile], run)
		known, again := best[s]
		if !ok || again && newest.N < known.n {
			continue
		}
		if !again {
			known.at = len(found)
			found = append(found, review.ReleasedSubject{})
		}
		best[s] = place{newest.N, known.at}
		found[known.at] = review.ReleasedSubject{ProfileKey: s.profile,
			SubjectKey: review.SubjectKey{Subject: run.Subject, Name: string(run.Name), Digest: surface.Hash(run.Digest)},
			ReleaseID:  newest.ReleaseID, Title: newest.Version}
	}
	return found
}

// keptReleased says what stood in each numbered release: of all runs in the order of
// their first numbers, those that cover it.
func (t *tx) keptReleased(ctx context.Context, k *review.Kept) error {
	rows, err := every(ctx, t, "released", func(r releasedRow) releasedRow { return r })
	if err != nil {
		return err
	}
	runs, err := every(ctx, t, "released_runs", func(r releasedRun) releasedRun { return r })
	if err != nil {
		return err
	}
	byProfile := map[review.ProfileKey][]releasedRun{}
	for _, run := range runs {
		key := review.ProfileKey{ServerID: run.ServerID, Profile: run.Profile}
		byProfile[key] = append(byProfile[key], run)
	}
	for _, run := range byProfile {
		slices.SortFunc(run, func(a, b releasedRun) int { return cmp.Compare(a.FirstN, b.FirstN) })
	}
	slices.SortFunc(rows, func(a, b releasedRow) int { return cmp.Compare(a.N, b.N) })
	standing := map[review.ProfileKey][]releasedRun{}
	for _, r := range rows {
		key := review.ProfileKey{ServerID: r.ServerID, Profile: r.Profile}
		now := slices.DeleteFunc(standing[key], func(run releasedRun) bool { return run.LastN < r.N })
		for rest := byProfile[key]; len(rest) > 0 && rest[0].FirstN <= r.N; rest = byProfile[key] {
			if rest[0].LastN >= r.N {
				now = append(now, rest[0])
			}
			byProfile[key] = rest[1:]
		}
		standing[key] = now
		k.Released = append(k.Released, review.KeptRelease{ProfileKey: key, N: r.N, ReleaseID: r.ReleaseID, Holds: review.Holding(mapped(now, releasedRun.stood))})
	}
	return nil
}

func (r releasedRun) stood() review.Stood {
	says := review.SubjectKey{Subject: r.Subject, Name: string(r.Name), Digest: surface.Hash(r.Digest)}
	return review.Stood{Key: surface.Hash(r.Key), Says: says.Hash()}
}

// lastWithin returns the last of the releases that a run covers.
func lastWithin(counted []releasedView, run releasedRun) (releasedView, bool) {
	after, _ := slices.BinarySearchFunc(counted, run.LastN, func(r releasedView, last int64) int {
		if r.N <= last {
			return -1
		}
		return 1
	})
	if after == 0 || counted[after-1].N < run.FirstN {
		return releasedView{}, false
	}
	return counted[after-1], true
}
