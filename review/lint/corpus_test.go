package lint_test

import (
	"os"
	"path/filepath"
	"sort"
	"testing"

	"github.com/countersign/countersign/internal/testkit"
	"github.com/countersign/countersign/review/lint"
	"github.com/countersign/countersign/review/surface"
)

// realListings returns the paths of the real listings, in order.
func realListings(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(testkit.Corpus(t), "*", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no listings: %v", err)
	}
	sort.Strings(files)
	return files
}

func readListing(t testing.TB, file string) *surface.Listing {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	l, err := surface.Read(b, surface.Options{})
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return l
}

// TestRealListings is the bar of quiet and right: at most one warning for a tool on
// average. What is grave is written to the log, to be read by a person.
func TestRealListings(t *testing.T) {
	for _, file := range realListings(t) {
		name := filepath.Base(filepath.Dir(file)) + "/" + filepath.Base(file)
		t.Run(name, func(t *testing.T) {
			l := readListing(t, file)
			found := lint.Listing(l, lint.Options{})
			counts := lint.Count(found)
			for _, f := range found {
				if f.Severity.Rank() >= lint.High.Rank() {
					t.Logf("%s %s %s %s: %s", f.Severity, f.Rule, f.Tool, f.Pointer, f.Message)
				}
			}
			if counts.Warn > max(len(l.Tools), 5) {
				t.Errorf("%d warnings for %d tools:%s", counts.Warn, len(l.Tools), list(found))
			}
		})
	}
}
