package store

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/surface"
)

func reportKey(kind, to string) review.ReportKey {
	return review.ReportKey{Kind: kind, From: surface.HashOf([]byte("base")), To: surface.HashOf([]byte(to)), Engine: "1"}
}

// reportBody is a report on 300 tools: what it says of each is short and random, and
// another for those in changed.
func reportBody(seed uint64, changed ...int) []byte {
	var b bytes.Buffer
	for i := range 300 {
		of := seed
		for _, n := range changed {
			if i == n {
				of += uint64(1000 + n)
			}
		}
		h := surface.HashOf(fmt.Appendf(nil, "%d %d", of, i))
		fmt.Fprintf(&b, `{"position":%d,"fingerprint":"%s"},`, i, h)
	}
	return b.Bytes()
}

func putReports(t testing.TB, s *Store, near string, reports map[review.ReportKey][]byte) {
	t.Helper()
	if err := s.Update(t.Context(), func(tx review.Tx) error { return tx.PutReports(t.Context(), near, reports) }); err != nil {
		t.Fatal(err)
	}
}

func getReports(t testing.TB, s *Store, keys ...review.ReportKey) map[review.ReportKey][]byte {
	t.Helper()
	var found map[review.ReportKey][]byte
	if err := s.View(t.Context(), func(tx review.Tx) (err error) {
		found, err = tx.Reports(t.Context(), keys)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return found
}

// keptReports reads the rows as they are, by key.
func keptReports(t testing.TB, s *Store) map[hash]reportRow {
	t.Helper()
	var rows []reportRow
	if err := s.read.SelectContext(t.Context(), &rows, "SELECT "+columns[reportRow]("")+" FROM reports"); err != nil {
		t.Fatal(err)
	}
	return indexed(rows, func(r reportRow) hash { return r.Key })
}

// TestReportsCostWhatDiffers keeps reports of many versions: each costs what differs
// from the others, and reads back as it was, on a store that remembers no base too.
func TestReportsCostWhatDiffers(t *testing.T) {
	onBoth(t, func(t *testing.T, address string) {
		s := openMigrated(t, address)
		want := map[review.ReportKey][]byte{}
		var keys []review.ReportKey
		for v := range 20 {
			k := reportKey("finding", fmt.Sprint(v))
			want[k] = reportBody(1, v, v+50, v+100)
			keys = append(keys, k)
			putReports(t, s, "s default", map[review.ReportKey][]byte{k: want[k]})
		}
		if diff := cmp.Diff(want, getReports(t, s, keys...)); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
		kept, bases, most := keptReports(t, s), 0, 0
		for _, row := range kept {
			if row.Base == (hash{}) {
				bases++
			} else {
				most = max(most, len(row.Body))
			}
		}
		if whole := len(want[keys[0]]); bases != 1 || most > whole/20 {
			t.Errorf("%d stand by themselves, want 1; the others take up to %d bytes of %d", bases, most, whole)
		}
		other := open(t, address)
		if diff := cmp.Diff(want, getReports(t, other, keys...)); diff != "" {
			t.Errorf("on another store: -want +got:\n%s", diff)
		}
	})
}

// TestReportsKeepTheirBase keeps what resembles nothing by itself, and finds each
// report whatever was kept near it: other things, other kinds, comparisons with
// nothing, another base.
func TestReportsKeepTheirBase(t *testing.T) {
	onBoth(t, func(t *testing.T, address string) {
		s := openMigrated(t, address)
		rnd := rand.New(rand.NewPCG(1, 2))
		want := map[review.ReportKey][]byte{}
		for i := range 60 {
			k := reportKey([]string{"finding", "change"}[i%2], fmt.Sprint(i))
			if i%3 == 0 {
				k.From = surface.Hash{}
			}
			want[k] = reportBody(uint64(rnd.IntN(3)), rnd.IntN(300))
			if i%10 == 0 {
				want[k] = []byte(fmt.Sprint("short ", i))
			}
			putReports(t, s, []string{"a", "b"}[rnd.IntN(2)], map[review.ReportKey][]byte{k: want[k]})
			putReports(t, s, "a", map[review.ReportKey][]byte{k: []byte("the same key again")})
		}
		var keys []review.ReportKey
		for k := range want {
			keys = append(keys, k)
		}
		if diff := cmp.Diff(want, getReports(t, s, keys...)); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
		kept := keptReports(t, s)
		for _, row := range kept {
			if base, ok := kept[row.Base]; row.Base != (hash{}) && (!ok || base.Base != (hash{})) {
				t.Errorf("%x is packed against what does not stand by itself", row.Key[:4])
			}
		}
	})
}

// Reports from before they were packed are read as they are.
func TestReportsFromBefore(t *testing.T) {
	onBoth(t, func(t *testing.T, address string) {
		s := openMigrated(t, address)
		k := reportKey("finding", "old")
		if err := s.Update(t.Context(), func(rt review.Tx) error {
			_, err := rt.(*tx).exec(t.Context(), "INSERT INTO reports (key, kind, engine, body) VALUES ($1, $2, $3, $4)", reportHash(k), k.Kind, k.Engine, []byte(`{"as":"it was"}`))
			return err
		}); err != nil {
			t.Fatal(err)
		}
		if got := getReports(t, s, k)[k]; string(got) != `{"as":"it was"}` {
			t.Errorf("read as %q", got)
		}
	})
}

// TestPurgeReachesPackedReports purges a text that stands in a base, in what is packed
// against it, and in one that is packed against another; what another instance
// remembers of the base harms nothing that is kept afterwards.
func TestPurgeReachesPackedReports(t *testing.T) {
	const secret = "sk-live-0123456789"
	onBoth(t, func(t *testing.T, address string) {
		s, other := openMigrated(t, address), open(t, address)
		with := func(b []byte, at int) []byte {
			return []byte(string(b[:at]) + secret + string(b[at:]))
		}
		want := map[review.ReportKey][]byte{}
		put := func(near, to string, body []byte) {
			k := reportKey("finding", to)
			want[k] = body
			putReports(t, s, near, map[review.ReportKey][]byte{k: body})
		}
		put("a", "base", with(reportBody(1), 500))
		put("a", "holds it too", with(reportBody(1, 7), 500))
		put("a", "only its base does", reportBody(1, 9))
		put("b", "base of b", reportBody(2))
		put("b", "holds it", with(reportBody(2, 3), 900))
		put("b", "clean", reportBody(2, 4))
		var keys []review.ReportKey
		for k := range want {
			keys = append(keys, k)
		}
		getReports(t, other, keys...) // and remembers the bases

		var done *review.Purged
		if err := s.Update(t.Context(), func(tx review.Tx) (err error) {
			done, err = tx.Purge(t.Context(), secret, review.Purging{By: "shell", At: time.Now(), Reason: "a test"})
			return err
		}); err != nil {
			t.Fatal(err)
		}
		if done.Rows["reports"] != 3 {
			t.Errorf("reached %v, want 3 reports", done.Rows)
		}
		put("a", "after", reportBody(1, 11))
		put("a", "later", reportBody(1, 12))
		for k, body := range want {
			want[k] = []byte(strings.ReplaceAll(string(body), secret, strings.Repeat("*", len(secret))))
			keys = append(keys, k)
		}
		for name, st := range map[string]*Store{"this one": s, "one that remembers": other, "a new one": open(t, address)} {
			if diff := cmp.Diff(want, getReports(t, st, keys...)); diff != "" {
				t.Errorf("%s: -want +got:\n%s", name, diff)
			}
		}
	})
}

// A report that can't be unpacked is an error, and not another report.
func TestDamagedReport(t *testing.T) {
	address := filepath.Join(t.TempDir(), "x.db")
	s := openMigrated(t, address)
	a, b := reportKey("finding", "a"), reportKey("finding", "b")
	putReports(t, s, "s", map[review.ReportKey][]byte{a: reportBody(1)})
	putReports(t, s, "s", map[review.ReportKey][]byte{b: reportBody(1, 5)})
	read := func() error {
		return open(t, address).View(t.Context(), func(tx review.Tx) error {
			_, err := tx.Reports(t.Context(), []review.ReportKey{b})
			return err
		})
	}
	if err := read(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.write.Exec("UPDATE reports SET body = (SELECT body FROM reports WHERE key = $1) WHERE key = $2", reportHash(b), reportHash(a)); err != nil {
		t.Fatal(err)
	}
	if err := read(); review.KindOf(err) != review.Internal {
		t.Errorf("got %v", err)
	}
}

// BenchmarkReports keeps and reads the reports of a version that differ in three tools
// from those of the last.
func BenchmarkReports(b *testing.B) {
	benchmarkBoth(b, func(b *testing.B, s *Store) {
		k := reportKey("finding", "first")
		putReports(b, s, "s", map[review.ReportKey][]byte{k: reportBody(1)})
		for i := 0; b.Loop(); i++ {
			k = reportKey("finding", fmt.Sprint(i))
			putReports(b, s, "s", map[review.ReportKey][]byte{k: reportBody(1, i%300, (i+50)%300, (i+100)%300)})
			getReports(b, s, k)
		}
	})
}
