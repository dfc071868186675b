package arch

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/testkit"
)

// notBuilt are the lines of docs/security.md about what does not exist yet.
var notBuilt = map[int]bool{}

// TestSecurityPageNamesTests demands that each of the 35 lines of docs/security.md
// names a test, and that each test that the page names is there.
func TestSecurityPageNamesTests(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(testkit.Root(), "docs", "security.md"))
	if err != nil {
		t.Fatal(err)
	}
	source := testSource(t)
	name := regexp.MustCompile("`((?:Test|[a-z]+/)[^`]*)`")
	rows := regexp.MustCompile(`(?m)^\| (\d+) \|.*\|$`).FindAllStringSubmatch(string(page), -1)
	if len(rows) != 35 {
		t.Errorf("%d lines, want 35", len(rows))
	}
	for i, row := range rows {
		n, _ := strconv.Atoi(row[1])
		if n != i+1 {
			t.Errorf("line %d stands at place %d", n, i+1)
		}
		named := len(name.FindAllString(row[0], -1)) > 0
		if named == notBuilt[n] || notBuilt[n] != strings.Contains(row[0], "not built yet") {
			t.Errorf("line %d names a test: %t", n, named)
		}
	}
	for _, m := range name.FindAllStringSubmatch(string(page), -1) {
		found := "func " + m[1] + "("
		if _, title, isCase := strings.Cut(m[1], "/"); isCase {
			found = strconv.Quote(title) + ":"
		}
		if !strings.Contains(source, found) {
			t.Errorf("there is no test %s", m[1])
		}
	}
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
