package surface_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/testkit"
)

// The page of reading has a line for every code that reading can give, with the
// level that it gives, and for no other. The codes are those of the golden files.
func TestCodesInDocs(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(testkit.Root(), "docs", "reading.md"))
	if err != nil {
		t.Fatal(err)
	}
	given := goldenCodes(t)
	for _, code := range []string{"encoding", "limit", "bom-removed", "utf16-converted", "other-format", "file-passed-over"} {
		given[code] = "" // given by tests of bytes, which golden files can't hold
	}
	_, table, _ := strings.Cut(string(page), "## Problems of a listing")
	documented := map[string]string{}
	row := regexp.MustCompile("(?m)^\\| (`[a-z0-9`, -]+`) \\| (\\w+) \\|")
	for _, m := range row.FindAllStringSubmatch(table, -1) {
		for code := range strings.SplitSeq(strings.ReplaceAll(m[1], "`", ""), ", ") {
			documented[code] = m[2]
		}
	}
	if len(documented) < 30 {
		t.Fatalf("only %d codes were found in the page", len(documented))
	}
	refusals := []string{"encoding", "syntax", "duplicate-key", "limit", "other-format", "not-a-listing"}
	for code, level := range given {
		if slices.Contains(refusals, code) {
			if !strings.Contains(string(page), "`"+code+"`") {
				t.Errorf("%s is not in docs/reading.md", code)
			}
			continue
		}
		if documented[code] == "" || level != "" && documented[code] != level {
			t.Errorf("%s has level %s; docs/reading.md says %q", code, level, documented[code])
		}
	}
	for code := range documented {
		if _, ok := given[code]; !ok {
			t.Errorf("docs/reading.md has %s, which no golden file shows", code)
		}
	}
}

// goldenCodes returns the codes in the golden files with their levels.
func goldenCodes(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob("testdata/read/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`(?m)^(error|warning|info) ([a-z0-9-]+)( |$)`)
	codes := map[string]string{}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range line.FindAllStringSubmatch(string(b), -1) {
			if old := codes[m[2]]; old != "" && old != m[1] {
				t.Errorf("%s has levels %s and %s", m[2], old, m[1])
			}
			codes[m[2]] = m[1]
		}
	}
	return codes
}
