package schema_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/testkit"
)

// Ids are a promise: every one that appears in the golden file is documented.
func TestIDsAreDocumented(t *testing.T) {
	doc, err := os.ReadFile(filepath.Join(testkit.Root(), "docs", "schema.md"))
	if err != nil {
		t.Fatal(err)
	}
	golden, err := os.ReadFile("testdata/edits.txt")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, m := range regexp.MustCompile(`(?m)^  ([a-zA-Z]+\.[a-zA-Z.-]+) `).FindAllStringSubmatch(string(golden), -1) {
		found++
		if !strings.Contains(string(doc), "`"+m[1]+"`") {
			t.Errorf("docs/schema.md lacks the id %s", m[1])
		}
	}
	if found < 100 {
		t.Errorf("found only %d ids in the golden file", found)
	}
}
