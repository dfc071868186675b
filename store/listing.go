package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/surface"
)

// listingInfoRow is a listing without its bytes.
type listingInfoRow struct {
	ID         string            `db:"id"`
	ServerID   string            `db:"server_id"`
	Profile    string            `db:"profile"`
	RawHash    hash              `db:"raw_hash"`
	Digest     hash              `db:"digest"`
	Shape      surface.Shape     `db:"shape"`
	Kind       surface.Kind      `db:"kind"`
	Complete   bool              `db:"complete"`
	ToolCount  int               `db:"tool_count"`
	Bytes      int               `db:"bytes"`
	ReceivedAt micros            `db:"received_at"`
	Problems   jsonOf[[]problem] `db:"problems"`
	Live       bool              `db:"live"`
}

// listingRestRow is what a listing has besides.
type listingRestRow struct {
	ProtocolVersion     octets `db:"protocol_version"`
	InstructionsAsked   bool   `db:"instructions_asked"`
	InstructionsPresent bool   `db:"instructions_present"`
	ServerInfo          blob   `db:"server_info"`
	Instructions        octets `db:"instructions"`
	Refs                blob   `db:"refs"`
	Envelope            blob   `db:"envelope"`
	Stored              int    `db:"stored"` // bytes that came in with it
}

type listingRow struct {
	listingInfoRow
	listingRestRow
}

func (r listingInfoRow) info() review.ListingInfo {
	return review.ListingInfo{ID: r.ID, ServerID: r.ServerID, Profile: r.Profile,
		RawHash: surface.Hash(r.RawHash), Digest: surface.Hash(r.Digest),
		Shape: r.Shape, Kind: r.Kind, Complete: r.Complete, ToolCount: r.ToolCount, Bytes: r.Bytes,
		Problems: givenProblems(r.Problems), ReceivedAt: time.Time(r.ReceivedAt), Live: r.Live}
}

func (t *tx) InsertListing(ctx context.Context, l *review.Listing) error {
	s := l.Surface
	known, stored, err := t.keepSlices(ctx, s.Tools)
	if err != nil {
		return err
	}
	envelope, refs := split(s)
	for i := range refs {
		refs[i].point(&s.Tools[i], known[hash(s.Tools[i].RawHash)])
	}
	packed := packRefs(refs)
	err = insertOne(ctx, t, "listings", listingRow{
		listingInfoRow{ID: l.ID, ServerID: l.ServerID, Profile: l.Profile,
			RawHash: hash(s.RawHash), Digest: hash(s.Digest), Shape: s.Shape, Kind: s.Kind, Complete: s.Complete,
			ToolCount: len(s.Tools), Bytes: len(s.Raw), Problems: keepProblems(s.Problems), ReceivedAt: micros(l.ReceivedAt), Live: l.Live},
		listingRestRow{ProtocolVersion: octets(s.ProtocolVersion), ServerInfo: blob(s.Server),
			InstructionsAsked: s.Instructions.Asked, InstructionsPresent: s.Instructions.Present, Instructions: octets(s.Instructions.Text),
			Refs: packed, Envelope: envelope, Stored: stored + len(packed) + len(envelope)},
	})
	return named(err, review.Conflict, "This listing is kept already.")
}

func (t *tx) StoredBytes(ctx context.Context, serverID string) (int64, error) {
	var n int64
	err := t.get(ctx, &n, "SELECT COALESCE(sum(stored), 0) FROM listings WHERE server_id = $1", serverID)
	return n, err
}

// point makes r refer to the slice of a tool, with the tool's own reading where
// the slice's row has another.
func (r *ref) point(tool *surface.Tool, row sliceRow) {
	r.slice = row.ID
	if own := (reading{tool.Name, tool.Form, tool.Digest}); own != row.reading(ref{}) {
		r.own, r.read = true, own
	}
}

func (t *tx) ListingByID(ctx context.Context, id string) (*review.Listing, error) {
	var row listingRow
	if err := t.get(ctx, &row, "SELECT "+columns[listingRow]("")+" FROM listings WHERE id = $1", id); err != nil {
		return nil, named(err, review.NotFound, "There is no such listing.")
	}
	refs, err := unpackRefs(row.Refs)
	if err != nil {
		return nil, damaged(id, err)
	}
	rows, err := allIn[sliceBytes](ctx, t, "SELECT "+columns[sliceBytes]("")+" FROM slices WHERE id IN (%s)", nil, sliceIDsOf(refs))
	if err != nil {
		return nil, err
	}
	s, err := row.surface(refs, rows)
	var mark *review.Purging
	if errors.Is(err, errOtherBytes) {
		if mark, err = t.purgedMark(ctx, id); err == nil && mark == nil {
			err = errOtherBytes
		}
	}
	if err != nil {
		return nil, damaged(id, err)
	}
	return &review.Listing{Purged: mark, ID: row.ID, ServerID: row.ServerID, Profile: row.Profile, Surface: s, ReceivedAt: time.Time(row.ReceivedAt), Live: row.Live}, nil
}

// surface puts the listing together again, and proves it by its raw hash; when that
// is another it comes with errOtherBytes.
func (r *listingRow) surface(refs []ref, rows []sliceBytes) (*surface.Listing, error) {
	tools := make([]surface.Tool, len(refs))
	bySlice := indexed(rows, func(s sliceBytes) int64 { return s.ID })
	for i, f := range refs {
		s, ok := bySlice[f.slice]
		if !ok {
			return nil, fmt.Errorf("slice %d of tool %d is missing", f.slice, i+1)
		}
		as := s.reading(f)
		tools[i] = surface.Tool{Position: i + 1, Name: as.name, Raw: jsontext.Value(s.Raw),
			RawHash: surface.Hash(s.RawHash), Digest: as.digest, Form: as.form}
	}
	raw, err := join(r.Envelope, refs, tools)
	if err != nil {
		return nil, err
	}
	if surface.HashOf(raw) != surface.Hash(r.RawHash) {
		err = errOtherBytes
	}
	return &surface.Listing{Shape: r.Shape, Kind: r.Kind, Complete: r.Complete,
		Raw: raw, RawHash: surface.Hash(r.RawHash), Digest: surface.Hash(r.Digest),
		ProtocolVersion: string(r.ProtocolVersion), Server: jsontext.Value(r.ServerInfo),
		Instructions: surface.Instructions{Asked: r.InstructionsAsked, Present: r.InstructionsPresent, Text: string(r.Instructions)},
		Tools:        tools, Problems: givenProblems(r.Problems)}, err
}

// errOtherBytes says that a listing is not what was received. That may be meant: a
// purge wrote over a part of it.
var errOtherBytes = errors.New("its bytes don't have its hash")

func damaged(id string, err error) error {
	return &review.Error{Kind: review.Internal, Sentence: sayDamaged, Err: fmt.Errorf("listing %s: %w", id, err)}
}

func indexed[R any, K comparable](rows []R, key func(R) K) map[K]R {
	m := make(map[K]R, len(rows))
	for _, row := range rows {
		m[key(row)] = row
	}
	return m
}

// instructionsRow is a listing with what is kept of its instructions.
type instructionsRow struct {
	listingInfoRow
	Asked   bool   `db:"instructions_asked"`
	Present bool   `db:"instructions_present"`
	Text    octets `db:"instructions"`
}

func (r instructionsRow) info() review.ListingInfo {
	info := r.listingInfoRow.info()
	info.Instructions = surface.Instructions{Asked: r.Asked, Present: r.Present, Text: string(r.Text)}
	return info
}

func (t *tx) ListingInfoByID(ctx context.Context, id string) (*review.ListingInfo, error) {
	var row instructionsRow
	if err := t.get(ctx, &row, "SELECT "+columns[instructionsRow]("")+" FROM listings WHERE id = $1", id); err != nil {
		return nil, named(err, review.NotFound, "There is no such listing.")
	}
	info := row.info()
	return &info, nil
}

func (t *tx) InstructionsOf(ctx context.Context, ids []string) (map[string]surface.Instructions, error) {
	rows, err := allIn[struct {
		ID      string `db:"id"`
		Asked   bool   `db:"instructions_asked"`
		Present bool   `db:"instructions_present"`
		Text    octets `db:"instructions"`
	}](ctx, t, "SELECT id, instructions_asked, instructions_present, instructions FROM listings WHERE id IN (%s)", nil, ids)
	found := make(map[string]surface.Instructions, len(rows))
	for _, r := range rows {
		found[r.ID] = surface.Instructions{Asked: r.Asked, Present: r.Present, Text: string(r.Text)}
	}
	return found, err
}

func (t *tx) ListingInfosByID(ctx context.Context, ids []string) ([]review.ListingInfo, error) {
	rows, err := allIn[listingInfoRow](ctx, t, "SELECT "+columns[listingInfoRow]("")+" FROM listings WHERE id IN (%s)", nil, ids)
	return mapped(rows, listingInfoRow.info), err
}

func (t *tx) ListingByDigest(ctx context.Context, serverID, profile string, digest surface.Hash) (*review.ListingInfo, error) {
	var row listingInfoRow
	err := t.get(ctx, &row, "SELECT "+columns[listingInfoRow]("")+` FROM listings
		WHERE server_id = $1 AND profile = $2 AND digest = $3
		ORDER BY CASE WHEN complete AND kind = 'listing' THEN 0 ELSE 1 END, live, received_at DESC, id DESC LIMIT 1`,
		serverID, profile, hash(digest))
	if err != nil {
		return nil, named(err, review.NotFound, "There is no listing with this digest.")
	}
	info := row.info()
	return &info, nil
}

func (t *tx) ListingInfos(ctx context.Context, serverID string, pg review.Page) ([]review.ListingInfo, error) {
	var p params
	query := "SELECT " + columns[listingInfoRow]("") + " FROM listings WHERE NOT live AND server_id = " + p.add(serverID)
	query += p.page("listings", "", "received_at", pg)
	var rows []listingInfoRow
	err := t.all(ctx, &rows, query, p.args...)
	return mapped(rows, listingInfoRow.info), err
}

type refsRow struct {
	ID   string `db:"id"`
	Refs blob   `db:"refs"`
}

// ToolRefs keeps what it read: a listing never changes, and the gate asks for the
// same one again and again.
func (t *tx) ToolRefs(ctx context.Context, listingIDs []string) (map[string][]review.ToolRef, error) {
	tools := make(map[string][]review.ToolRef, len(listingIDs))
	var unread []string
	for _, id := range listingIDs {
		if kept, ok := t.store.toolRefs.get(id); ok {
			tools[id] = kept
		} else {
			unread = append(unread, id)
		}
	}
	if len(unread) == 0 {
		return tools, nil
	}
	read, err := t.readToolRefs(ctx, unread)
	for id, refs := range read {
		tools[id] = refs
		t.store.toolRefs.put(id, refs, len(refs)+1)
	}
	return tools, err
}

func (t *tx) readToolRefs(ctx context.Context, listingIDs []string) (map[string][]review.ToolRef, error) {
	rows, err := allIn[refsRow](ctx, t, "SELECT "+columns[refsRow]("")+" FROM listings WHERE id IN (%s)", nil, listingIDs)
	if err != nil {
		return nil, err
	}
	unpacked := make(map[string][]ref, len(rows))
	var all []ref
	for _, row := range rows {
		refs, err := unpackRefs(row.Refs)
		if err != nil {
			return nil, damaged(row.ID, err)
		}
		unpacked[row.ID] = refs
		all = append(all, refs...)
	}
	found, err := allIn[sliceRow](ctx, t, "SELECT "+columns[sliceRow]("")+" FROM slices WHERE id IN (%s)", nil, sliceIDsOf(all))
	if err != nil {
		return nil, err
	}
	bySlice := indexed(found, func(s sliceRow) int64 { return s.ID })
	tools := make(map[string][]review.ToolRef, len(unpacked))
	for id, refs := range unpacked {
		if tools[id], err = toolRefs(refs, bySlice); err != nil {
			return nil, damaged(id, err)
		}
	}
	return tools, nil
}

func toolRefs(refs []ref, bySlice map[int64]sliceRow) ([]review.ToolRef, error) {
	tools := make([]review.ToolRef, len(refs))
	for i, f := range refs {
		s, ok := bySlice[f.slice]
		if !ok {
			return nil, fmt.Errorf("slice %d of tool %d is missing", f.slice, i+1)
		}
		as := s.reading(f)
		tools[i] = review.ToolRef{Position: i + 1, Name: as.name, Digest: as.digest, RawHash: surface.Hash(s.RawHash)}
	}
	return tools, nil
}
