package lint_test

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"

	"github.com/countersign/countersign/internal/testkit"
)

// eachLine calls f with every line of a handed file.
func eachLine(t *testing.T, name string, f func(line []byte)) {
	t.Helper()
	file, err := os.Open(testkit.Shared(t, name))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 4<<20)
	for lines.Scan() {
		f(lines.Bytes())
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
}

// TestHandedCases: every id that is expected is found, and none that must not be.
func TestHandedCases(t *testing.T) {
	eachLine(t, "cases/lint.jsonl", func(line []byte) {
		var want struct {
			ID      string   `json:"id"`
			Expect  []string `json:"expect"`
			MustNot []string `json:"must_not"`
		}
		if err := json.Unmarshal(line, &want); err != nil {
			t.Fatal(err)
		}
		got := find(t, string(line))
		for _, rule := range want.Expect {
			if !has(got, rule) {
				t.Errorf("%s: %s not found, got:%s", want.ID, rule, list(got))
			}
		}
		for _, rule := range want.MustNot {
			if has(got, rule) {
				t.Errorf("%s: %s found, got:%s", want.ID, rule, list(got))
			}
		}
	})
}
