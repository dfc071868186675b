package store

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/countersign/countersign/internal/testkit"
	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/change"
	"github.com/countersign/countersign/review/surface"
)

// tools writes a listing of n tools of about size bytes; those whose number is in
// changed say so.
func tools(n, size int, version string, changed ...int) []byte {
	edited := make(map[int]bool)
	for _, i := range changed {
		edited[i] = true
	}
	var b strings.Builder
	b.WriteString(`{"jsonrpc":"2.0","id":1,"result":{"tools":[`)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		says := fmt.Sprintf("Tool %d of the listing. ", i)
		if edited[i] {
			says += "Changed in " + version + ". "
		}
		head := fmt.Sprintf(`{"name":"family_%d_tool_%d","inputSchema":{"type":"object","properties":{"id":{"type":"string"}}},"description":"%s`, i/10, i, says)
		b.WriteString(head + strings.Repeat("w", max(size-len(head)-2, 0)) + `"}`)
	}
	b.WriteString(`]}}`)
	return []byte(b.String())
}

func readTools(t testing.TB, raw []byte) *surface.Listing {
	t.Helper()
	l, err := surface.Read(raw, surface.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func newListing(serverID string, l *surface.Listing) *review.Listing {
	return &review.Listing{ID: uuid.Must(uuid.NewV7()).String(), ServerID: serverID, Profile: "default", Surface: l, ReceivedAt: time.Now()}
}

func push(t testing.TB, s *Store, l *review.Listing) {
	t.Helper()
	if err := s.Update(t.Context(), func(tx review.Tx) error { return tx.InsertListing(t.Context(), l) }); err != nil {
		t.Fatal(err)
	}
}

// openMigrated returns a store with one server, "s".
func openMigrated(t testing.TB, address string) *Store {
	t.Helper()
	s := open(t, address)
	if err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.Update(t.Context(), func(tx review.Tx) error {
		return tx.InsertServer(t.Context(), &review.Server{ID: "s", Slug: "s"})
	}); err != nil {
		t.Fatal(err)
	}
	return s
}

// storedBytes sums what listings and slices hold, every column of every row.
func storedBytes(t testing.TB, s *Store) int {
	t.Helper()
	total := 0
	for table, sum := range map[string]string{
		"slices": "octet_length(raw_hash) + 8 + octet_length(digest) + octet_length(form) + octet_length(name) + octet_length(raw)",
		"listings": `octet_length(id) + octet_length(server_id) + octet_length(profile) + octet_length(raw_hash) + octet_length(digest)
			+ octet_length(shape) + octet_length(kind) + octet_length(protocol_version) + octet_length(problems) + octet_length(server_info)
			+ octet_length(instructions) + octet_length(refs) + octet_length(envelope) + 3 * 8 + 3`,
	} {
		var n int
		if err := s.read.GetContext(t.Context(), &n, "SELECT COALESCE(sum("+sum+"), 0) FROM "+table); err != nil {
			t.Fatal(err)
		}
		total += n
	}
	return total
}

// TestRepush pushes again what is 99 % unchanged: under 5 % of the bytes may be
// stored again, envelope and order included.
func TestRepush(t *testing.T) {
	tests := []struct {
		name          string
		first, second []byte
	}{
		{"1 kB tools", tools(300, 1024, ""), tools(300, 1024, "2", 7, 150, 299)},
		{"300 byte tools", tools(300, 300, ""), tools(300, 300, "2", 7, 150, 299)},
		{"a tool less at the top", tools(300, 1024, ""), []byte(strings.Replace(string(tools(300, 1024, "")), string(tools(1, 1024, "")[41:41+1024])+",", "", 1))},
		{"2,000 tools", tools(2000, 500, ""), tools(2000, 500, "2", 0, 100, 200, 300, 400, 500, 600, 700, 800, 900, 1000, 1100, 1200, 1300, 1400, 1500, 1600, 1700, 1800, 1900)},
		{"nothing changed", tools(300, 1024, ""), tools(300, 1024, "")},
	}
	onBoth(t, func(t *testing.T, address string) {
		s := openMigrated(t, address)
		for _, tt := range tests {
			push(t, s, newListing("s", readTools(t, tt.first)))
			before := storedBytes(t, s)
			push(t, s, newListing("s", readTools(t, tt.second)))
			again := storedBytes(t, s) - before
			share := 100 * float64(again) / float64(len(tt.second))
			t.Logf("%s: %d of %d bytes again, %.2f %%", tt.name, again, len(tt.second), share)
			if share >= 5 {
				t.Errorf("%s: %.2f %% is stored again", tt.name, share)
			}
		}
	})
}

// TestManyVersions pushes version after version: each costs little more than what
// differs from the one before.
func TestManyVersions(t *testing.T) {
	const versions = 60
	s := openMigrated(t, filepath.Join(t.TempDir(), "x.db"))
	first := readTools(t, tools(300, 1024, ""))
	push(t, s, newListing("s", first))
	before := storedBytes(t, s)
	for v := range versions {
		push(t, s, newListing("s", readTools(t, tools(300, 1024, fmt.Sprint(v), v%300))))
	}
	each := (storedBytes(t, s) - before) / versions
	t.Logf("%d bytes a version of %d", each, len(first.Raw))
	if changed := 2 * 1024; each > 2*changed { // each changes one tool and changes one back
		t.Errorf("a version costs %d bytes", each)
	}
}

// TestStatementsDoNotGrow counts the statements of each method over a small and a
// large listing.
func TestStatementsDoNotGrow(t *testing.T) {
	onBoth(t, func(t *testing.T, address string) {
		s := openMigrated(t, address)
		small, large := statements(t, s, 5), statements(t, s, 1500)
		for method, n := range small {
			t.Logf("%s: %d", method, n)
			if large[method] != n {
				t.Errorf("%s takes %d statements for 5 tools, %d for 1,500", method, n, large[method])
			}
		}
	})
}

func statements(t *testing.T, s *Store, n int) map[string]int {
	l := newListing("s", readTools(t, tools(n, 200, "")))
	push(t, s, l)
	r := &review.Release{ID: l.ID, ServerID: "s", Profile: "default", Version: l.ID}
	key := review.ProfileKey{ServerID: "s", Profile: "default"}
	var hashes, digests []surface.Hash
	var subjects []review.SubjectKey
	var verdicts []review.Verdict
	for _, tool := range l.Surface.Tools {
		hashes, digests = append(hashes, tool.RawHash), append(digests, tool.Digest)
		subjects = append(subjects, review.SubjectKey{Subject: change.SubjectTool, Name: tool.Name, Digest: tool.Digest})
		verdicts = append(verdicts, review.Verdict{ID: uuid.Must(uuid.NewV7()).String(), ServerID: "s", Profile: "default", ReleaseID: r.ID, To: tool.Digest})
	}
	made := map[string]int{}
	run := func(name string, transact func(context.Context, func(review.Tx) error) error, f func(ctx context.Context, tx review.Tx) error) {
		t.Helper()
		ctx, q := CountQueries(t.Context())
		if err := transact(ctx, func(tx review.Tx) error { return f(ctx, tx) }); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		made[name] = q.Count()
	}
	run("InsertListing again", s.Update, func(ctx context.Context, tx review.Tx) error {
		return tx.InsertListing(ctx, newListing("s", l.Surface))
	})
	run("ListingByID", s.View, func(ctx context.Context, tx review.Tx) error {
		_, err := tx.ListingByID(ctx, l.ID)
		return err
	})
	run("ToolRefs", s.View, func(ctx context.Context, tx review.Tx) error {
		_, err := tx.ToolRefs(ctx, []string{l.ID})
		return err
	})
	run("Slices", s.View, func(ctx context.Context, tx review.Tx) error {
		_, err := tx.Slices(ctx, hashes)
		return err
	})
	run("InsertRelease", s.Update, func(ctx context.Context, tx review.Tx) error {
		r.ReleasedAt = time.Now()
		return tx.InsertRelease(ctx, r)
	})
	for start := 0; start < n; start += insertChunk { // writing much that is new takes more
		if err := s.Update(t.Context(), func(tx review.Tx) error {
			return tx.InsertVerdicts(t.Context(), verdicts[start:min(start+insertChunk, n)])
		}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Update(t.Context(), func(tx review.Tx) error {
		return tx.InsertReleased(t.Context(), "s", "default", r.ID, subjects)
	}); err != nil {
		t.Fatal(err)
	}
	run("VerdictsOn", s.View, func(ctx context.Context, tx review.Tx) error {
		vs, err := tx.VerdictsOn(ctx, []review.ProfileKey{key}, digests)
		if err == nil && len(vs) < n {
			err = fmt.Errorf("%d verdicts, want %d", len(vs), n)
		}
		return err
	})
	run("Released", s.View, func(ctx context.Context, tx review.Tx) error {
		found, err := tx.Released(ctx, []review.ProfileKey{key}, digests)
		if err == nil && len(found) < n {
			err = fmt.Errorf("%d released, want %d", len(found), n)
		}
		return err
	})
	run("Releases", s.View, func(ctx context.Context, tx review.Tx) error {
		_, err := tx.Releases(ctx, "s", "", review.Page{Limit: 50})
		return err
	})
	run("Threads", s.View, func(ctx context.Context, tx review.Tx) error {
		_, err := tx.Threads(ctx, review.ThreadFilter{ServerID: "s"})
		return err
	})
	return made
}

// The benchmarks compare a push of 300 tools (about 300 kB) with what it can't
// cost less than: canonicalising and hashing the same bytes, and committing them
// as one row.

func benchmarkBoth(b *testing.B, f func(b *testing.B, s *Store)) {
	b.Run("SQLite", func(b *testing.B) { f(b, openMigrated(b, filepath.Join(b.TempDir(), "x.db"))) })
	b.Run("PostgreSQL", func(b *testing.B) { f(b, openMigrated(b, testkit.Postgres(b))) })
}

// BenchmarkPush reads, digests and stores a listing in which every tool is new.
func BenchmarkPush(b *testing.B) {
	benchmarkBoth(b, func(b *testing.B, s *Store) {
		for i := 0; b.Loop(); i++ {
			b.StopTimer()
			raw := allNew(i)
			b.SetBytes(int64(len(raw)))
			b.StartTimer()
			push(b, s, newListing("s", readTools(b, raw)))
		}
	})
}

func allNew(i int) []byte {
	return []byte(strings.ReplaceAll(string(tools(300, 1000, "")), "Tool ", fmt.Sprintf("Tool of push %06d, ", i)))
}

// BenchmarkRepush reads, digests and stores a listing in which three tools are new.
func BenchmarkRepush(b *testing.B) {
	benchmarkBoth(b, func(b *testing.B, s *Store) {
		push(b, s, newListing("s", readTools(b, tools(300, 1000, ""))))
		for i := 0; b.Loop(); i++ {
			b.StopTimer()
			raw := tools(300, 1000, fmt.Sprint(i), 3, 77, 200)
			b.SetBytes(int64(len(raw)))
			b.StartTimer()
			push(b, s, newListing("s", readTools(b, raw)))
		}
	})
}

// BenchmarkPushOverFloor pushes and does the floor in turn, so that both see the
// same machine: canonicalise and hash every tool, and commit the bytes as one row.
// It reports the medians and their ratio.
func BenchmarkPushOverFloor(b *testing.B) {
	benchmarkBoth(b, func(b *testing.B, s *Store) {
		if _, err := s.write.Exec("CREATE TABLE floor (id BIGINT PRIMARY KEY, raw BYTEA NOT NULL)"); err != nil {
			b.Fatal(err)
		}
		var pushes, floors []time.Duration
		for i := 0; b.Loop(); i++ {
			raw := allNew(i)
			begun := time.Now()
			push(b, s, newListing("s", readTools(b, raw)))
			pushes = append(pushes, time.Since(begun))
			read := readTools(b, raw)
			begun = time.Now()
			floor(b, s, i, read)
			floors = append(floors, time.Since(begun))
		}
		pushed, floored := median(pushes), median(floors)
		b.ReportMetric(float64(pushed)/1e6, "push-ms")
		b.ReportMetric(float64(floored)/1e6, "floor-ms")
		b.ReportMetric(float64(pushed)/float64(floored), "ratio")
	})
}

func floor(b *testing.B, s *Store, i int, l *surface.Listing) {
	b.Helper()
	for _, tool := range l.Tools {
		if _, err := surface.Digest(tool.Raw); err != nil {
			b.Fatal(err)
		}
		surface.HashOf(tool.Raw)
	}
	surface.HashOf(l.Raw)
	if err := s.Update(b.Context(), func(t review.Tx) error {
		_, err := t.(*tx).exec(b.Context(), "INSERT INTO floor (id, raw) VALUES ($1, $2)", i, l.Raw)
		return err
	}); err != nil {
		b.Fatal(err)
	}
}

func median(times []time.Duration) time.Duration {
	slices.Sort(times)
	return times[len(times)/2]
}

// BenchmarkListingByID reads a listing of 1,000 tools back, whole.
func BenchmarkListingByID(b *testing.B) {
	benchmarkBoth(b, func(b *testing.B, s *Store) {
		l := newListing("s", readTools(b, tools(1000, 1000, "")))
		push(b, s, l)
		for b.Loop() {
			if err := s.View(b.Context(), func(tx review.Tx) error {
				_, err := tx.ListingByID(b.Context(), l.ID)
				return err
			}); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkToolRefs reads the tools of a listing of 1,000, without their bytes.
func BenchmarkToolRefs(b *testing.B) {
	benchmarkBoth(b, func(b *testing.B, s *Store) {
		l := newListing("s", readTools(b, tools(1000, 1000, "")))
		push(b, s, l)
		for b.Loop() {
			if err := s.View(b.Context(), func(tx review.Tx) error {
				_, err := tx.ToolRefs(b.Context(), []string{l.ID})
				return err
			}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
