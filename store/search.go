package store

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/surface"
)

type searchHeadRow struct {
	ServerID  string `db:"server_id"`
	Profile   string `db:"profile"`
	ListingID string `db:"listing_id"`
}

func (r searchHeadRow) head() review.SearchHead {
	return review.SearchHead{ProfileKey: review.ProfileKey{ServerID: r.ServerID, Profile: r.Profile}, ListingID: r.ListingID}
}

type searchTextRow struct {
	ServerID string `db:"server_id"`
	Profile  string `db:"profile"`
	RawHash  hash   `db:"raw_hash"`
	Name     octets `db:"name"`
	Folded   string `db:"folded"`
}

// PutSearch writes what differs from what is there: most pushes change little.
func (t *tx) PutSearch(ctx context.Context, h review.SearchHead, raws []surface.Hash, textOf func(surface.Hash) review.SearchText) error {
	var known []hash
	err := t.all(ctx, &known, "SELECT raw_hash FROM search_texts WHERE server_id = $1 AND profile = $2", h.ServerID, h.Profile)
	if err != nil {
		return err
	}
	gone := make(map[hash]bool, len(known))
	for _, k := range known {
		gone[k] = true
	}
	var fresh []searchTextRow
	for _, raw := range raws {
		if k := hash(raw); gone[k] {
			delete(gone, k)
		} else {
			text := textOf(raw)
			fresh = append(fresh, searchTextRow{h.ServerID, h.Profile, k, octets(text.Name), text.Folded})
		}
	}
	// In order of hash: PostgreSQL would deadlock writers that bring the same in another.
	old := make([]hash, 0, len(gone))
	for k := range gone {
		old = append(old, k)
	}
	slices.SortFunc(old, func(a, b hash) int { return slices.Compare(a[:], b[:]) })
	slices.SortFunc(fresh, func(a, b searchTextRow) int { return slices.Compare(a.RawHash[:], b.RawHash[:]) })
	if _, err := execIn(ctx, t, "DELETE FROM search_texts WHERE server_id = $1 AND profile = $2 AND raw_hash IN (%s)", []any{h.ServerID, h.Profile}, old); err != nil {
		return err
	}
	if _, err := insert(ctx, t, "search_texts", "", fresh...); err != nil {
		return err
	}
	_, err = insert(ctx, t, "search_heads", "ON CONFLICT (server_id, profile) DO UPDATE SET listing_id = excluded.listing_id",
		searchHeadRow{h.ServerID, h.Profile, h.ListingID})
	return err
}

func (t *tx) Unsearched(ctx context.Context) ([]review.SearchHead, error) {
	var rows []searchHeadRow
	err := t.all(ctx, &rows, `SELECT server_id, profile, listing_id FROM (
			SELECT r.server_id AS server_id, r.profile AS profile, v.listing_id AS listing_id,
				ROW_NUMBER() OVER (PARTITION BY r.server_id, r.profile ORDER BY v.pushed_at DESC, v.n DESC) AS nth
			FROM revisions v JOIN releases r ON r.id = v.release_id JOIN listings l ON l.id = v.listing_id
			WHERE r.version <> '' AND l.kind = 'listing'
		) newest WHERE nth = 1 AND NOT EXISTS (SELECT 1 FROM search_heads h
			WHERE h.server_id = newest.server_id AND h.profile = newest.profile AND h.listing_id = newest.listing_id)
		ORDER BY server_id, profile`)
	return mapped(rows, searchHeadRow.head), err
}

var likeEscape = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

// holds restricts rows to those whose expression holds every word.
func (p *params) holds(expression string, words []string) string {
	parts := make([]string, len(words))
	for i, w := range words {
		parts[i] = expression + " LIKE " + p.add("%"+likeEscape.Replace(w)+"%") + ` ESCAPE '\'`
	}
	return strings.Join(parts, " AND ")
}

type searchHitRow struct {
	searchHeadRow
	RawHash hash   `db:"raw_hash"`
	Name    octets `db:"name"`
}

// FindTools reads the texts of the servers' heads from end to end: twenty servers
// of a thousand tools are some 20 MB.
func (t *tx) FindTools(ctx context.Context, serverIDs, words []string, limit int) ([]review.SearchHit, error) {
	var p params
	query := `SELECT s.server_id, s.profile, h.listing_id, s.raw_hash, s.name FROM search_texts s
		JOIN search_heads h ON h.server_id = s.server_id AND h.profile = s.profile
		WHERE ` + p.ofServers("s.server_id", serverIDs) + " AND " + p.holds("s.folded", words)
	// The name is the first line.
	query += " ORDER BY CASE WHEN s.folded LIKE " + p.add(likeEscape.Replace(words[0])+"%") + ` ESCAPE '\' THEN 0 ELSE 1 END, s.folded, s.server_id, s.profile`
	query += " LIMIT " + p.add(limit)
	var rows []searchHitRow
	err := t.all(ctx, &rows, query, p.args...)
	return mapped(rows, func(r searchHitRow) review.SearchHit {
		return review.SearchHit{SearchHead: r.head(), Name: string(r.Name), RawHash: surface.Hash(r.RawHash)}
	}), err
}

type commentHitRow struct {
	threadRow
	CommentID string `db:"comment_id"`
	UserID    string `db:"comment_user"`
	At        micros `db:"comment_at"`
	Body      string `db:"comment_body"`
}

func (t *tx) FindComments(ctx context.Context, serverIDs, words []string, limit int) ([]review.CommentHit, error) {
	var p params
	query := "SELECT " + columns[threadRow]("t.") + `, c.id AS comment_id, c.user_id AS comment_user, c.at AS comment_at, c.body AS comment_body
		FROM comments c JOIN threads t ON t.id = c.thread_id
		WHERE ` + p.ofServers("t.server_id", serverIDs) + " AND " + p.holds("lower(c.body)", words) +
		" ORDER BY c.at DESC, c.id DESC LIMIT " + p.add(limit)
	var rows []commentHitRow
	err := t.all(ctx, &rows, query, p.args...)
	return mapped(rows, func(r commentHitRow) review.CommentHit {
		return review.CommentHit{Thread: r.thread(), Comment: review.Comment{ID: r.CommentID, ThreadID: r.ID, UserID: r.UserID, Body: r.Body, At: time.Time(r.At)}}
	}), err
}
