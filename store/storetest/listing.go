package storetest

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/surface"
)

// oddNames are names that no TEXT column of both engines could hold.
var oddNames = []string{"plain", "", "pay\x00x", "payx", "\xed\xa0\x80", "\xed\xbf\xbf", "\ufffd", "a/../b", "naïve 🙂", strings.Repeat("n", 5000)}

// payloads are listings whose bytes a store could lose.
func payloads() map[string][]byte {
	var odd []string
	for _, name := range oddNames {
		odd = append(odd, definition(name, "described"))
	}
	a, z := definition("a", "one"), definition("z", "two")
	return map[string][]byte{
		"response":     payload(a, z),
		"no tools":     payload(),
		"odd names":    payload(odd...),
		"twice":        payload(a, a, z, a),
		"bare array":   []byte("[" + a + "]"),
		"spaced":       []byte("{\r\n  \"tools\" : [\n\n\t" + a + "  ,\n" + z + "\t]\n ,\"x\":[1,  2.0]}\n\n"),
		"pages":        []byte(`[{"tools":[` + a + `],"nextCursor":"p2"},{"tools":[` + z + `]}]`),
		"cut off page": []byte(`{"tools":[` + a + `],"nextCursor":"p2"}`),
		"not objects":  []byte(`{"tools":[` + a + `,42,null,"x",[]]}`),
		"instructions": []byte(`{"instructions":"pay \u0000 \ud800","serverInfo":{"name":"s","version":"1"},"protocolVersion":"2025-06-18","tools":[` + a + `]}`),
		"sse":          []byte("event: message\ndata: " + string(payload(a, z)) + "\n\n"),
		"sse in lines": []byte("data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"tools\":[{\"name\":\ndata: \"split\",\"inputSchema\":{\"type\":\"object\"}}," + a + "]}}\n\n"),
		"utf-16":       utf16(payload(a, z)),
		"with a mark":  append([]byte("\xef\xbb\xbf"), payload(a)...),
		"a request":    []byte(`{"model":"m","messages":[],"tools":[{"name":"a","description":"d","input_schema":{"type":"object"}}]}`),
		"functions":    []byte(`{"model":"m","messages":[],"tools":[{"type":"function","function":{"name":"a","parameters":{"type":"object"}}}]}`),
	}
}

func utf16(text []byte) []byte {
	out := []byte{0xff, 0xfe}
	for _, c := range text { // ASCII only
		out = append(out, c, 0)
	}
	return out
}

func testListings(b *bench) {
	s := b.server("shop")
	for name, raw := range payloads() {
		l := b.push(s, bytes.Clone(raw))
		got := read(b, func(tx review.Tx) (*review.Listing, error) { return tx.ListingByID(b.ctx, l.ID) })
		if !bytes.Equal(got.Surface.Raw, l.Surface.Raw) {
			b.Errorf("%s: bytes came back as %.300q", name, got.Surface.Raw)
		}
		b.equal(got, l)
	}
	missing(b, func(tx review.Tx) (*review.Listing, error) { return tx.ListingByID(b.ctx, "x") })
	b.refuses(review.Invalid, func(tx review.Tx) error {
		return tx.InsertListing(b.ctx, b.listing(&review.Server{ID: "unknown"}, payload()))
	})
	l := b.push(s, payload(definition("n", "new")))
	b.refuses(review.Conflict, func(tx review.Tx) error { return tx.InsertListing(b.ctx, l) })
}

func infoOf(l *review.Listing) review.ListingInfo {
	s := l.Surface
	return review.ListingInfo{ID: l.ID, ServerID: l.ServerID, Profile: l.Profile, RawHash: s.RawHash, Digest: s.Digest,
		Shape: s.Shape, Kind: s.Kind, Complete: s.Complete, ToolCount: len(s.Tools), Bytes: len(s.Raw),
		Problems: s.Problems, ReceivedAt: l.ReceivedAt}
}

func testListingInfos(b *bench) {
	s, other := b.server("shop"), b.server("other")
	whole := payload(definition("a", "one"))
	part := []byte(`{"nextCursor":"p2","tools":[` + definition("a", "one") + `]}`)
	first, cut, odd := b.push(s, whole), b.push(s, part), b.push(s, payload(definition("pay\x00x", ""), "42"))
	foreign := b.push(other, whole)
	profiled := b.listing(s, whole)
	profiled.Profile = "admin"
	b.update(func(tx review.Tx) error { return tx.InsertListing(b.ctx, profiled) })

	infos := func(id string, p review.Page) []review.ListingInfo {
		return read(b, func(tx review.Tx) ([]review.ListingInfo, error) { return tx.ListingInfos(b.ctx, id, p) })
	}
	b.equal(infos(s.ID, review.Page{Limit: 10}), []review.ListingInfo{infoOf(profiled), infoOf(odd), infoOf(cut), infoOf(first)})
	b.equal(infos(s.ID, review.Page{Limit: 2}), []review.ListingInfo{infoOf(profiled), infoOf(odd)})
	b.equal(infos(s.ID, review.Page{Limit: 2, Before: odd.ID}), []review.ListingInfo{infoOf(cut), infoOf(first)})
	b.equal(infos(s.ID, review.Page{Limit: 2, Before: first.ID}), []review.ListingInfo{})
	b.equal(infos(s.ID, review.Page{Limit: 2, Before: "unknown"}), []review.ListingInfo{})

	one := read(b, func(tx review.Tx) (*review.ListingInfo, error) { return tx.ListingInfoByID(b.ctx, odd.ID) })
	want := infoOf(odd)
	want.Instructions = odd.Surface.Instructions
	b.equal(one, &want)
	missing(b, func(tx review.Tx) (*review.ListingInfo, error) { return tx.ListingInfoByID(b.ctx, "x") })
	some := read(b, func(tx review.Tx) ([]review.ListingInfo, error) {
		return tx.ListingInfosByID(b.ctx, []string{foreign.ID, "x", cut.ID, cut.ID})
	})
	byID := func(i review.ListingInfo) string { return i.ID }
	b.equal(sorted(some, byID), sorted([]review.ListingInfo{infoOf(foreign), infoOf(cut)}, byID))

	byDigest := func(profile string, digest surface.Hash) *review.ListingInfo {
		return read(b, func(tx review.Tx) (*review.ListingInfo, error) {
			return tx.ListingByDigest(b.ctx, s.ID, profile, digest)
		})
	}
	b.equal(first.Surface.Digest, cut.Surface.Digest)
	b.equal(byDigest("default", first.Surface.Digest).ID, first.ID) // though cut is newer
	b.equal(byDigest("admin", first.Surface.Digest).ID, profiled.ID)
	again := b.push(s, append(whole, '\n'))
	b.equal(byDigest("default", first.Surface.Digest).ID, again.ID)
	missing(b, func(tx review.Tx) (*review.ListingInfo, error) {
		return tx.ListingByDigest(b.ctx, other.ID, "default", odd.Surface.Digest)
	})
}

func refsOf(l *review.Listing) []review.ToolRef {
	refs := make([]review.ToolRef, len(l.Surface.Tools))
	for i, t := range l.Surface.Tools {
		refs[i] = review.ToolRef{Position: t.Position, Name: t.Name, Digest: t.Digest, RawHash: t.RawHash}
	}
	return refs
}

func testToolRefs(b *bench) {
	s := b.server("shop")
	want := make(map[string][]review.ToolRef)
	bodies := make(map[surface.Hash][]byte)
	for _, raw := range payloads() {
		l := b.push(s, raw)
		want[l.ID] = refsOf(l)
		for _, tool := range l.Surface.Tools {
			bodies[tool.RawHash] = tool.Raw
		}
	}
	asked := append(slices.Collect(maps.Keys(want)), "unknown")
	refs := read(b, func(tx review.Tx) (map[string][]review.ToolRef, error) { return tx.ToolRefs(b.ctx, asked) })
	b.equal(refs, want)

	hashes := append(slices.Collect(maps.Keys(bodies)), surface.Hash{}, digestOf("unknown"))
	found := read(b, func(tx review.Tx) (map[surface.Hash][]byte, error) { return tx.Slices(b.ctx, hashes) })
	b.equal(found, bodies)
	none := read(b, func(tx review.Tx) (map[surface.Hash][]byte, error) { return tx.Slices(b.ctx, nil) })
	b.equal(none, map[surface.Hash][]byte{})
}

// testReadings pushes the same definition in two shapes that read it otherwise:
// whoever came first must not decide what the other listing says.
func testReadings(b *bench) {
	s := b.server("shop")
	first := b.listing(s, payload(definition("name", "one"), definition("same", "two")))
	first.Surface.Tools[0].Name, first.Surface.Tools[0].Form = "chosen by a stranger", surface.FormSnake
	first.Surface.Tools[0].Digest = digestOf("another digest")
	b.update(func(tx review.Tx) error { return tx.InsertListing(b.ctx, first) })
	second := b.push(s, payload(definition("name", "one"), definition("same", "two")))
	for _, l := range []*review.Listing{first, second} {
		got := read(b, func(tx review.Tx) (*review.Listing, error) { return tx.ListingByID(b.ctx, l.ID) })
		b.equal(got, l)
		refs := read(b, func(tx review.Tx) (map[string][]review.ToolRef, error) { return tx.ToolRefs(b.ctx, []string{l.ID}) })
		b.equal(refs[l.ID], refsOf(l))
	}
}

func testLargeListings(b *bench) {
	s := b.server("shop")
	var many []string
	for i := range 2000 {
		many = append(many, definition(fmt.Sprintf("tool_%04d", i), strings.Repeat("word ", 12)))
	}
	huge := []string{definition("small", "x"), definition("huge", strings.Repeat("y", 7<<20)), definition("large", strings.Repeat("z", 1<<20-1000))}
	for name, definitions := range map[string][]string{"2,000 tools": many, "8 MiB": huge} {
		l := b.push(s, payload(definitions...))
		got := read(b, func(tx review.Tx) (*review.Listing, error) { return tx.ListingByID(b.ctx, l.ID) })
		if !bytes.Equal(got.Surface.Raw, l.Surface.Raw) {
			b.Errorf("%s: the bytes differ", name)
		}
		b.equal(len(got.Surface.Tools), len(definitions))
		b.equal(got.Surface.Tools[len(definitions)-1], l.Surface.Tools[len(definitions)-1])
	}
}
