package store

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/surface"
)

type releaseRow struct {
	ID                     string `db:"id"`
	ServerID               string `db:"server_id"`
	Profile                string `db:"profile"`
	Version                string `db:"version"`
	Ref                    string `db:"ref"`
	Predecessor            string `db:"predecessor"`
	PredecessorConfirmedBy string `db:"predecessor_confirmed_by"`
	CreatedAt              micros `db:"created_at"`
	ReleasedAt             micros `db:"released_at"`
	ReleasedBy             string `db:"released_by"`
	ReleasedRevision       int    `db:"released_revision"`
	ReleasedBaseID         string `db:"released_base_id"`
	WithdrawnAt            micros `db:"withdrawn_at"`
	WithdrawnBy            string `db:"withdrawn_by"`
	WithdrawnReason        string `db:"withdrawn_reason"`
	WithdrawnForCause      bool   `db:"withdrawn_for_cause"`
	ReleasedOverride       string `db:"released_override"`
	ReleasedAside          bool   `db:"released_aside"`
}

func releaseRowOf(r *review.Release) releaseRow {
	return releaseRow{ID: r.ID, ServerID: r.ServerID, Profile: r.Profile, Version: r.Version, Ref: r.Ref,
		Predecessor: r.Predecessor, PredecessorConfirmedBy: r.PredecessorConfirmedBy, CreatedAt: micros(r.CreatedAt),
		ReleasedAt: micros(r.ReleasedAt), ReleasedBy: r.ReleasedBy, ReleasedRevision: r.ReleasedRevision, ReleasedBaseID: r.ReleasedBaseID,
		WithdrawnAt: micros(r.WithdrawnAt), WithdrawnBy: r.WithdrawnBy, WithdrawnReason: r.WithdrawnReason,
		WithdrawnForCause: r.WithdrawnForCause, ReleasedOverride: r.ReleasedOverride, ReleasedAside: r.ReleasedAside}
}

func (r releaseRow) release() review.Release {
	return review.Release{ID: r.ID, ServerID: r.ServerID, Profile: r.Profile, Version: r.Version, Ref: r.Ref,
		Predecessor: r.Predecessor, PredecessorConfirmedBy: r.PredecessorConfirmedBy, CreatedAt: time.Time(r.CreatedAt),
		ReleasedAt: time.Time(r.ReleasedAt), ReleasedBy: r.ReleasedBy, ReleasedRevision: r.ReleasedRevision, ReleasedBaseID: r.ReleasedBaseID,
		WithdrawnAt: time.Time(r.WithdrawnAt), WithdrawnBy: r.WithdrawnBy, WithdrawnReason: r.WithdrawnReason,
		WithdrawnForCause: r.WithdrawnForCause, ReleasedOverride: r.ReleasedOverride, ReleasedAside: r.ReleasedAside}
}

type revisionRow struct {
	ReleaseID string `db:"release_id"`
	N         int    `db:"n"`
	ListingID string `db:"listing_id"`
	Digest    hash   `db:"digest"`
	RawHash   hash   `db:"raw_hash"`
	PushedAt  micros `db:"pushed_at"`
	PusherID  string `db:"pusher_id"`
	PushedBy  string `db:"pushed_by"`
	TokenID   string `db:"token_id"`
	AuthorID  string `db:"author_id"`
	Author    string `db:"author"`
	Commit    string `db:"commit_id"`
	RunURL    string `db:"run_url"`
}

func (r revisionRow) revision() review.Revision {
	return review.Revision{ReleaseID: r.ReleaseID, N: r.N, ListingID: r.ListingID,
		Digest: surface.Hash(r.Digest), RawHash: surface.Hash(r.RawHash), PushedAt: time.Time(r.PushedAt),
		PusherID: r.PusherID, PushedBy: r.PushedBy, TokenID: r.TokenID, AuthorID: r.AuthorID, Author: r.Author,
		Commit: r.Commit, RunURL: r.RunURL}
}

func (t *tx) InsertRelease(ctx context.Context, r *review.Release) error {
	err := insertOne(ctx, t, "releases", releaseRowOf(r))
	return named(err, review.Conflict, "There is a release %q of this profile already.", r.Title())
}

// UpdateRelease changes all but id, server, profile and creation.
func (t *tx) UpdateRelease(ctx context.Context, r *review.Release) error {
	row := releaseRowOf(r)
	err := t.execOne(ctx, `UPDATE releases SET version = $2, ref = $3, predecessor = $4, predecessor_confirmed_by = $5,
		released_at = $6, released_by = $7, released_revision = $8,
		withdrawn_at = $9, withdrawn_by = $10, withdrawn_reason = $11, withdrawn_for_cause = $12, released_base_id = $13,
		released_override = $14, released_aside = $15 WHERE id = $1`,
		row.ID, row.Version, row.Ref, row.Predecessor, row.PredecessorConfirmedBy,
		row.ReleasedAt, row.ReleasedBy, row.ReleasedRevision,
		row.WithdrawnAt, row.WithdrawnBy, row.WithdrawnReason, row.WithdrawnForCause, row.ReleasedBaseID, row.ReleasedOverride, row.ReleasedAside)
	err = named(err, review.Conflict, "There is a release %q of this profile already.", r.Title())
	return named(err, review.NotFound, "There is no such release.")
}

// releases reads releases with their heads in two statements: rest follows
// FROM releases r.
func (t *tx) releases(ctx context.Context, rest string, args ...any) ([]review.Release, error) {
	var rows []releaseRow
	if err := t.all(ctx, &rows, "SELECT "+columns[releaseRow]("r.")+" FROM releases r "+rest, args...); err != nil {
		return nil, err
	}
	ids := mapped(rows, func(r releaseRow) string { return r.ID })
	heads, err := allIn[revisionRow](ctx, t, "SELECT "+columns[revisionRow]("v.")+` FROM revisions v
		WHERE v.release_id IN (%s) AND v.n = (SELECT max(w.n) FROM revisions w WHERE w.release_id = v.release_id)`, nil, ids)
	if err != nil {
		return nil, err
	}
	byRelease := indexed(heads, func(v revisionRow) string { return v.ReleaseID })
	return mapped(rows, func(row releaseRow) review.Release {
		r := row.release()
		if head, ok := byRelease[r.ID]; ok {
			r.Head = head.revision()
		}
		return r
	}), nil
}

func (t *tx) release(ctx context.Context, rest string, args ...any) (*review.Release, error) {
	found, err := t.releases(ctx, rest, args...)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, review.Errorf(review.NotFound, "There is no such release.")
	}
	return &found[0], nil
}

func (t *tx) ReleaseByID(ctx context.Context, id string) (*review.Release, error) {
	return t.release(ctx, "WHERE r.id = $1", id)
}

func (t *tx) ReleasesByID(ctx context.Context, ids []string) ([]review.Release, error) {
	var found []review.Release
	for chunk := range slices.Chunk(ids, inChunk) {
		var p params
		some, err := t.releases(ctx, "WHERE r.id IN ("+p.list(len(chunk), func(i int) any { return chunk[i] })+")", p.args...)
		if err != nil {
			return nil, err
		}
		found = append(found, some...)
	}
	return found, nil
}

func (t *tx) ReleasesByVersion(ctx context.Context, keys []review.VersionKey) ([]review.Release, error) {
	var found []review.Release
	for chunk := range slices.Chunk(keys, inChunk) {
		var p params
		some, err := t.releases(ctx, "WHERE r.version <> '' AND (r.server_id, r.profile, r.version) IN (VALUES "+p.tuples(len(chunk), func(i int) []any {
			return []any{chunk[i].ServerID, chunk[i].Profile, chunk[i].Version}
		})+")", p.args...)
		if err != nil {
			return nil, err
		}
		found = append(found, some...)
	}
	return found, nil
}

func (t *tx) ReleaseByRef(ctx context.Context, serverID, profile, ref string) (*review.Release, error) {
	return t.release(ctx, "WHERE r.server_id = $1 AND r.profile = $2 AND r.ref = $3 AND r.ref <> ''", serverID, profile, ref)
}

func (t *tx) Releases(ctx context.Context, serverID, profile string, pg review.Page) ([]review.Release, error) {
	var p params
	where := "WHERE r.server_id = " + p.add(serverID)
	if profile != "" {
		where += " AND r.profile = " + p.add(profile)
	}
	where += p.page("releases", "r.", "created_at", pg)
	return t.releases(ctx, where, p.args...)
}

// OpenReleases asks how many there are only where the list is full: most never are.
func (t *tx) OpenReleases(ctx context.Context, serverIDs []string, limit int) ([]review.Release, int, error) {
	var found []review.Release
	n := 0
	for chunk := range slices.Chunk(serverIDs, inChunk) {
		var p params
		among := "r.server_id IN (" + p.list(len(chunk), func(i int) any { return chunk[i] }) + ") AND " + underReview
		of := slices.Clone(p.args)
		some, err := t.releases(ctx, "WHERE "+among+" ORDER BY r.created_at DESC, r.id DESC LIMIT "+p.add(limit), p.args...)
		if err != nil {
			return nil, 0, err
		}
		all := len(some)
		if all >= limit {
			if err := t.get(ctx, &all, "SELECT count(*) FROM releases r WHERE "+among, of...); err != nil {
				return nil, 0, err
			}
		}
		found, n = append(found, some...), n+all
	}
	slices.SortStableFunc(found, func(a, b review.Release) int {
		return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(b.ID, a.ID))
	})
	return found[:min(len(found), limit)], n, nil
}

func (t *tx) OpenReleasesOf(ctx context.Context, serverID, profile string) ([]review.Release, error) {
	var p params
	where := "WHERE r.server_id = " + p.add(serverID)
	if profile != "" {
		where += " AND r.profile = " + p.add(profile)
	}
	return t.releases(ctx, where+" AND r.released_at = 0 AND r.withdrawn_at = 0 ORDER BY r.created_at DESC, r.id DESC", p.args...)
}

func (t *tx) NewestReleases(ctx context.Context, profiles []review.ProfileKey) (map[review.ProfileKey]review.Release, error) {
	newest := make(map[review.ProfileKey]review.Release, len(profiles))
	for chunk := range slices.Chunk(profiles, inChunk) {
		var p params
		tuples := p.tuples(len(chunk), func(i int) []any { return []any{chunk[i].ServerID, chunk[i].Profile} })
		const last = "(SELECT x.id FROM releases x WHERE x.server_id = p.server_id AND x.profile = p.profile %s ORDER BY x.created_at DESC, x.id DESC LIMIT 1)"
		found, err := t.releases(ctx, "WHERE r.id IN (WITH p(server_id, profile) AS (VALUES "+tuples+") SELECT COALESCE("+
			strings.ReplaceAll(last, "%s", "AND x.withdrawn_at = 0")+", "+strings.ReplaceAll(last, "%s", "")+") FROM p)", p.args...)
		if err != nil {
			return nil, err
		}
		for _, r := range found {
			newest[review.ProfileKey{ServerID: r.ServerID, Profile: r.Profile}] = r
		}
	}
	return newest, nil
}

// CountOpenReleases leaves out what the last release superseded, and what nobody
// but the shell pushed: a history that was imported.
func (t *tx) CountOpenReleases(ctx context.Context, serverID string) (int, error) {
	var n int
	err := t.get(ctx, &n, `SELECT count(*) FROM releases r WHERE r.server_id = $1 AND `+underReview+`
		AND EXISTS (SELECT 1 FROM revisions v WHERE v.release_id = r.id
			AND NOT (v.pusher_id = '' AND v.token_id = '' AND v.pushed_by = 'shell'))`, serverID)
	return n, err
}

// underReview holds of a row r that is open, and that nothing which its profile released
// last, by override or not, was pushed after.
var underReview = "r.released_at = 0 AND r.withdrawn_at = 0 AND " + notBefore("") + " AND " + notBefore(vouching)

func notBefore(more string) string {
	return pushedAt("r.id") + " >= COALESCE(" + pushedAt(newestOf("r", more)) + ", 0)"
}

// pushedAt selects when a release was pushed last.
func pushedAt(release string) string {
	return "(SELECT v.pushed_at FROM revisions v WHERE v.release_id = " + release + " ORDER BY v.n DESC LIMIT 1)"
}

// vouching is what of the line is a base, besides [newestOf].
const vouching = " AND x.released_override = ''"

// newestOf selects what the profile of a row released last, hotfixes of older versions
// left out. It looks at the end of the index on what was released, however much that is.
func newestOf(row, more string) string {
	return "(SELECT x.id FROM releases x WHERE x.server_id = " + row + ".server_id AND x.profile = " + row + `.profile
		AND x.released_at > 0 AND x.withdrawn_at = 0 AND NOT x.released_aside` + more + " ORDER BY x.released_at DESC, x.id DESC LIMIT 1)"
}

func (t *tx) LastReleased(ctx context.Context, profiles []review.ProfileKey) (map[review.ProfileKey]review.Line, error) {
	lines := make(map[review.ProfileKey]review.Line, len(profiles))
	if len(profiles) == 0 {
		return lines, nil
	}
	var p params
	tuples := p.tuples(len(profiles), func(i int) []any { return []any{profiles[i].ServerID, profiles[i].Profile} })
	found, err := t.releases(ctx, `WHERE r.id IN (WITH p(server_id, profile) AS (VALUES `+tuples+`) SELECT `+
		newestOf("p", "")+` FROM p UNION ALL SELECT `+newestOf("p", vouching)+` FROM p)`, p.args...)
	slices.SortFunc(found, func(a, b review.Release) int {
		return cmp.Or(a.ReleasedAt.Compare(b.ReleasedAt), cmp.Compare(a.ID, b.ID))
	})
	for i := range found {
		r := &found[i]
		key := review.ProfileKey{ServerID: r.ServerID, Profile: r.Profile}
		l := lines[key]
		if l.Newest = r; r.ReleasedOverride == "" {
			l.Base = r
		}
		lines[key] = l
	}
	return lines, err
}

func (t *tx) ReleasesByDigest(ctx context.Context, serverID, profile string, digest surface.Hash) ([]review.Release, error) {
	return t.releases(ctx, `WHERE r.server_id = $1 AND r.profile = $2
		AND r.id IN (SELECT v.release_id FROM revisions v WHERE v.digest = $3)
		ORDER BY r.created_at DESC, r.id DESC`, serverID, profile, hash(digest))
}

func (t *tx) InsertRevision(ctx context.Context, r *review.Revision) error {
	err := insertOne(ctx, t, "revisions", revisionRow{ReleaseID: r.ReleaseID, N: r.N, ListingID: r.ListingID,
		Digest: hash(r.Digest), RawHash: hash(r.RawHash), PushedAt: micros(r.PushedAt),
		PusherID: r.PusherID, PushedBy: r.PushedBy, TokenID: r.TokenID, AuthorID: r.AuthorID, Author: r.Author,
		Commit: r.Commit, RunURL: r.RunURL})
	return named(err, review.Conflict, "The release has a revision %d already.", r.N)
}

func (t *tx) Revisions(ctx context.Context, releaseIDs []string) ([]review.Revision, error) {
	rows, err := allIn[revisionRow](ctx, t, "SELECT "+columns[revisionRow]("")+" FROM revisions WHERE release_id IN (%s)", nil, releaseIDs)
	slices.SortFunc(rows, func(a, b revisionRow) int {
		return cmp.Or(time.Time(b.PushedAt).Compare(time.Time(a.PushedAt)), cmp.Compare(b.N, a.N), cmp.Compare(b.ReleaseID, a.ReleaseID))
	})
	return mapped(rows, revisionRow.revision), err
}
