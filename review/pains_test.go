package review_test

import (
	"bufio"
	"encoding/json"
	"os"
	"slices"
	"testing"

	"github.com/countersign/countersign/internal/testkit"
	"github.com/countersign/countersign/review/reviewtest"
	"github.com/countersign/countersign/store/storetest"
)

// TestPains plays what people complained about in other tools.
func TestPains(t *testing.T) {
	f, err := os.Open(testkit.Shared(t, "cases/pains.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	left := reviewtest.Played()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var p reviewtest.Pain
		if err := json.Unmarshal(lines.Bytes(), &p); err != nil {
			t.Fatal(err)
		}
		i := slices.Index(left, p.ID)
		if i < 0 {
			continue
		}
		left = slices.Delete(left, i, i+1)
		t.Run(p.ID, func(t *testing.T) { reviewtest.PlayPain(t, storetest.Open(t), p) })
	}
	if err := lines.Err(); err != nil || len(left) > 0 {
		t.Errorf("not found: %q, %v", left, err)
	}
}
