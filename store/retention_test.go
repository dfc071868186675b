package store

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/gate"
)

// years is an instance whose clock a test moves, with one server.
type years struct {
	*testing.T
	store *Store
	svc   *review.Service
	clock time.Time
}

func newYears(t *testing.T, s *Store) *years {
	y := &years{T: t, store: s, clock: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)}
	y.svc = review.NewService(s, review.Config{BaseURL: "https://review.example", Secret: []byte(strings.Repeat("s", 32)), Now: func() time.Time { return y.clock }})
	if _, _, err := y.svc.AddServer(t.Context(), shell, review.NewServer{Slug: "mot", Name: "MOT", Preset: gate.Team}); err != nil {
		t.Fatal(err)
	}
	return y
}

func (y *years) push(p review.PushParams, body []byte) *review.Pushed {
	y.Helper()
	p.Complete = true
	done, err := y.svc.Upload(y.Context(), shell, "mot", p, body, "")
	if err != nil {
		y.Fatal(err)
	}
	return done
}

// forget lets a week pass, after which the clock is believed, and runs the sweep until it
// finds nothing more.
func (y *years) forget() (total review.Forgotten) {
	y.Helper()
	const keep = 180 * 24 * time.Hour
	for range 8 {
		if _, err := y.svc.Forget(y.Context(), review.Keeping{Deliveries: 50 * keep, Notices: 50 * keep, Refs: 50 * keep, Reports: 50 * keep}); err != nil {
			y.Fatal(err)
		}
		y.clock = y.clock.Add(24 * time.Hour)
	}
	for {
		f, err := y.svc.Forget(y.Context(), review.Keeping{Deliveries: keep, Notices: keep, Refs: keep, Reports: keep})
		if err != nil {
			y.Fatal(err)
		}
		if f == (review.Forgotten{}) {
			return total
		}
		total.Refs += f.Refs
		total.Reports += f.Reports
	}
}

// rows counts what is in every table but those of the audit, which is for ever.
func (y *years) rows() map[string]int {
	y.Helper()
	tables, err := y.store.catalogue(y.Context(), y.store.read)
	if err != nil {
		y.Fatal(err)
	}
	n := map[string]int{}
	for _, t := range tables {
		if strings.HasPrefix(t.Name, "audit") {
			continue
		}
		var count int
		if err := y.store.read.GetContext(y.Context(), &count, "SELECT count(*) FROM "+quoted(t.Name)); err != nil {
			y.Fatal(err)
		}
		n[t.Name] = count
	}
	return n
}

// TestPullRequestsLeaveNothing pushes for years what pull requests bring, of which
// nothing becomes a version. What is there is bounded by how long it is kept, whatever
// table it is in, and the version that all of it was compared with stays readable.
func TestPullRequestsLeaveNothing(t *testing.T) {
	onBoth(t, func(t *testing.T, address string) {
		s := open(t, address)
		if err := s.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		y := newYears(t, s)
		version := y.push(review.PushParams{Version: "1.0.0"}, tools(30, 300, ""))
		year := func(n int) map[string]int {
			for month := range 12 {
				y.clock = y.clock.Add(22 * 24 * time.Hour) // and a week of the sweep
				name := fmt.Sprintf("pr-%d-%d", n, month)
				for revision := range 2 {
					y.push(review.PushParams{Ref: name}, tools(30, 300, fmt.Sprint(name, revision), month, month+10))
				}
				if _, err := y.svc.Release(t.Context(), shell, version.Answer.Release.ID); err != nil {
					t.Fatal(err)
				}
				y.forget()
			}
			return y.rows()
		}
		year(1)
		second, last := year(2), map[string]int{}
		years := 5
		if s.engine.name == "PostgreSQL" && os.Getenv("COUNTERSIGN_SOAK") != "1" {
			years = 3
		}
		for n := 3; n <= years; n++ {
			last = year(n)
		}
		// A base stays for what is packed against it, so their number moves a little.
		for _, n := range []map[string]int{second, last} {
			if n["reports"] < 10 {
				t.Errorf("%d reports of half a year: nothing is kept, or nothing was made", n["reports"])
			}
		}
		if last["reports"] > second["reports"]+second["reports"]/4 {
			t.Errorf("%d reports after two years, %d after %d", second["reports"], last["reports"], years)
		}
		delete(second, "reports")
		delete(last, "reports")
		if diff := cmp.Diff(second, last); diff != "" {
			t.Errorf("rows after two years and after %d: -two +more\n%s", years, diff)
		}
		y.clock = y.clock.Add(3 * 365 * 24 * time.Hour)
		y.forget()
		y.clock = y.clock.Add(365 * 24 * time.Hour)
		y.forget()
		end := y.rows()
		if end["releases"] != 1 || end["listings"] != 1 || end["slices"] != 30 || end["reports"] != 0 || end["report_bases"] != 0 {
			t.Errorf("at the end there is %v", end)
		}
		if v, err := y.svc.Release(t.Context(), shell, version.Answer.Release.ID); err != nil || len(v.Changes) != 30 {
			t.Errorf("the page of the version, whose reports are made anew: %v", err)
		}
	})
}

// TestReportsInUseStay reads one report for years: it stays, what it is packed against
// stays with it, and the others go.
func TestReportsInUseStay(t *testing.T) {
	onBoth(t, func(t *testing.T, address string) {
		s := openMigrated(t, address)
		clock := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
		sweep := func(days int) (gone int) {
			t.Helper()
			clock = clock.Add(time.Duration(days) * 24 * time.Hour)
			for {
				n := 0
				if err := s.Update(t.Context(), func(tx review.Tx) (err error) {
					n, err = tx.ForgetReports(t.Context(), clock, clock.Add(-100*24*time.Hour), 2)
					return err
				}); err != nil {
					t.Fatal(err)
				}
				if gone += n; n == 0 {
					return gone
				}
			}
		}
		base, used, left, alone := reportKey("finding", "base"), reportKey("finding", "used"), reportKey("finding", "left"), reportKey("other", "alone")
		want := map[review.ReportKey][]byte{base: reportBody(1), used: reportBody(1, 3), left: reportBody(1, 5), alone: reportBody(2)}
		for _, k := range []review.ReportKey{base, used, left, alone} {
			putReports(t, s, "s default", map[review.ReportKey][]byte{k: want[k]})
		}
		if kept := keptReports(t, s); kept[reportHash(used)].Base != reportHash(base) {
			t.Fatal("the report is not packed against the other")
		}
		if n := sweep(0) + sweep(99); n != 0 {
			t.Errorf("%d reports went that are young", n)
		}
		for range 3 {
			getReports(t, s, used)
			sweep(50)
		}
		if diff := cmp.Diff([]string{"base", "used"}, names(t, s, map[string]review.ReportKey{"base": base, "used": used, "left": left, "alone": alone})); diff != "" {
			t.Errorf("kept are -want +got:\n%s", diff)
		}
		// Read by a program that remembers nothing, and packed against by what comes.
		other := open(t, address)
		later := reportKey("finding", "later")
		putReports(t, other, "s default", map[review.ReportKey][]byte{later: reportBody(1, 7)})
		if diff := cmp.Diff(map[review.ReportKey][]byte{used: want[used], later: reportBody(1, 7)}, getReports(t, other, used, later)); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
		sweep(0)
		if n := sweep(200); n != 3 || len(keptReports(t, s)) != 0 {
			t.Errorf("%d reports went in the end, want 3", n)
		}
		putReports(t, s, "s default", map[review.ReportKey][]byte{left: want[left]})
		if got := getReports(t, other, left); !cmp.Equal(got[left], want[left]) {
			t.Error("a report that was made anew reads otherwise")
		}
	})
}

// names returns which of the keys are kept, in order.
func names(t *testing.T, s *Store, keys map[string]review.ReportKey) []string {
	kept := keptReports(t, s)
	return slices.DeleteFunc(slices.Sorted(maps.Keys(keys)), func(name string) bool {
		_, ok := kept[reportHash(keys[name])]
		return !ok
	})
}

// neverOfRefs are tables that refer to releases, and have no row about one that is
// forgotten.
var neverOfRefs = map[string]string{
	"released":        "is about what was released",
	"released_runs":   "is about what was released",
	"release_grounds": "is about what was released",
	"verdicts":        "a ref that somebody answered stays",
	"threads":         "a ref that somebody discussed stays",
	"overrides":       "a ref that somebody overrode stays",
	"alarms":          "is about what was released",
	"baselines":       "keep their listing",
	"captures":        "keep their listing",
	"search_heads":    "are of versions",
}

// TestForgettingKnowsWhatRefers reads out of the schema what refers to releases and
// listings: a table that is added has to go with what is forgotten, or to keep it, else
// the first row in it would stop all forgetting.
func TestForgettingKnowsWhatRefers(t *testing.T) {
	with := strings.Join(slices.Concat(forgetWithRef, forgetWithListing), "\n")
	for child, parent := range references(t) {
		table, _, _ := strings.Cut(child, ".")
		if parent != "releases.id" && parent != "listings.id" || strings.Contains(with, " "+table+" ") {
			continue
		}
		if neverOfRefs[table] == "" {
			t.Errorf("%s refers to %s: remove its rows with what is forgotten, or let them keep it", child, parent)
		}
	}
}
