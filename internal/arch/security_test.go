package arch

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/testkit"
)

// proven finds the tests that docs/security.md and docs/proofs.md name: a function, a case of the
// workflow's suite, or a script.
var proven = regexp.MustCompile("`((?:Test|[a-z]+/)[^`]*)`")

// scripts are the folders of cmd/countersign/testdata.
var scripts = []string{"stories", "offline", "backup"}

// TestSecurityPageNamesTests demands that each of the 35 attacks of docs/security.md, and
// each line of its other tables, names a test, and that each test that the page names
// is there.
func TestSecurityPageNamesTests(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(testkit.Root(), "docs", "security.md"))
	if err != nil {
		t.Fatal(err)
	}
	attacks := 0
	for _, row := range regexp.MustCompile(`(?m)^\|(.*)\|$`).FindAllStringSubmatch(string(page), -1) {
		cells := strings.Split(row[1], "|")
		switch first := strings.TrimSpace(cells[0]); {
		case first == "" || strings.HasPrefix(first, "---") || first == "what holds": // heads of tables
			continue
		case len(cells) == 4:
			if attacks++; first != strconv.Itoa(attacks) {
				t.Errorf("line %s stands at place %d", first, attacks)
			}
		}
		if !proven.MatchString(cells[len(cells)-1]) {
			t.Errorf("no test is named for %q", row[1])
		}
	}
	if attacks != 35 {
		t.Errorf("%d attacks, want 35", attacks)
	}
	namesWhatIsThere(t, string(page))
}

// TestProofsPageNamesTests demands that each line of the tables of docs/proofs.md names a
// test, and that each test that it names is there.
func TestProofsPageNamesTests(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(testkit.Root(), "docs", "proofs.md"))
	if err != nil {
		t.Fatal(err)
	}
	lines := 0
	for _, row := range regexp.MustCompile(`(?m)^\|(.*)\|$`).FindAllStringSubmatch(string(page), -1) {
		switch cells := strings.Split(row[1], "|"); {
		case strings.HasPrefix(row[1], "---") || strings.TrimSpace(cells[0]) == "what holds":
		case len(cells) != 2 || !proven.MatchString(cells[1]):
			t.Errorf("no test is named for %q", row[1])
		default:
			lines++
		}
	}
	if lines < 30 {
		t.Errorf("the page has %d lines", lines)
	}
	namesWhatIsThere(t, string(page))
}

// namesWhatIsThere demands that each test that a page names is there.
func namesWhatIsThere(t *testing.T, page string) {
	t.Helper()
	source := testSource(t)
	for _, m := range proven.FindAllStringSubmatch(page, -1) {
		if !isThere(source, m[1]) {
			t.Errorf("there is no test %s", m[1])
		}
	}
}

// isThere looks for a test by the name that the page gives it.
func isThere(source, name string) bool {
	group, title, isCase := strings.Cut(name, "/")
	switch {
	case slices.Contains(scripts, group):
		_, err := os.Stat(filepath.Join(testkit.Root(), "cmd", "countersign", "testdata", group, title+".txtar"))
		return err == nil
	case isCase:
		return strings.Contains(source, strconv.Quote(title)+":")
	}
	return strings.Contains(source, "func "+name+"(")
}

// testSource is the text of all tests, and of the suites that both databases pass.
func testSource(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(testkit.Root(), func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "node_modules" || d.Name() == ".git"):
			return fs.SkipDir
		case strings.HasSuffix(path, "_test.go") || strings.HasSuffix(path, ".go") && strings.Contains(path, "reviewtest"):
			b, err := os.ReadFile(path)
			all.Write(b)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}
