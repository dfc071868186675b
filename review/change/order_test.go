package change

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/countersign/countersign/review/surface"
)

func TestLongestIncreasing(t *testing.T) {
	for _, c := range []struct {
		seq  []int
		kept int
	}{
		{nil, 0},
		{[]int{7}, 1},
		{[]int{1, 2, 3}, 3},
		{[]int{3, 2, 1}, 1},
		{[]int{3, 1, 2}, 2},
		{[]int{2, 1, 4, 3, 6, 5}, 3},
		{[]int{5, 1, 2, 6, 3, 4}, 4},
	} {
		if got := countKept(longestIncreasing(c.seq)); got != c.kept {
			t.Errorf("%v: kept %d, want %d", c.seq, got, c.kept)
		}
	}
}

func countKept(kept []bool) int {
	n := 0
	for _, k := range kept {
		n += one(k)
	}
	return n
}

// What is kept rises, and no longer rising run exists: checked against the plain
// quadratic way.
func TestLongestIncreasingIsLongest(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		seq := rng.Perm(rng.IntN(40))
		kept := longestIncreasing(seq)
		last := -1
		for i, k := range kept {
			if !k {
				continue
			}
			if seq[i] <= last {
				t.Fatalf("%v: kept %v does not rise", seq, kept)
			}
			last = seq[i]
		}
		if got, want := countKept(kept), slowLongest(seq); got != want {
			t.Fatalf("%v: kept %d, want %d", seq, got, want)
		}
	}
}

func slowLongest(seq []int) int {
	best, longest := make([]int, len(seq)), 0
	for i := range seq {
		best[i] = 1
		for j := range i {
			if seq[j] < seq[i] {
				best[i] = max(best[i], best[j]+1)
			}
		}
		longest = max(longest, best[i])
	}
	return longest
}

func tools(names ...string) []surface.Tool {
	all := make([]surface.Tool, len(names))
	for i, n := range names {
		raw := fmt.Appendf(nil, `{"name":%q}`, n)
		all[i] = surface.Tool{Position: i + 1, Name: n, Raw: raw, RawHash: surface.HashOf(raw), Digest: surface.HashOf(raw)}
	}
	return all
}

func TestMovedTools(t *testing.T) {
	for _, c := range []struct {
		name     string
		old, new []string
		want     []Move
	}{
		{"same", []string{"a", "b", "c"}, []string{"a", "b", "c"}, []Move{}},
		{"to the front", []string{"a", "b", "c"}, []string{"c", "a", "b"}, []Move{{"c", 3, 1}}},
		{"insertions move nothing", []string{"a", "b"}, []string{"x", "a", "y", "b"}, []Move{}},
		{"removals move nothing", []string{"x", "a", "y", "b"}, []string{"a", "b"}, []Move{}},
		{"duplicates stay apart", []string{"q", "q", "a"}, []string{"a", "q", "q"}, []Move{{"a", 3, 1}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := movedTools(pairTools(tools(c.old...), tools(c.new...)).pairs)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestCachePrefix(t *testing.T) {
	for _, c := range []struct {
		old, new []string
		want     int
	}{
		{nil, nil, 0},
		{[]string{"a", "b"}, []string{"a", "b", "c"}, 2},
		{[]string{"a", "b", "c"}, []string{"a", "x", "c"}, 1},
		{[]string{"a"}, []string{"b", "a"}, 0},
	} {
		if got := cachePrefix(tools(c.old...), tools(c.new...)); got != c.want {
			t.Errorf("%v to %v: %d, want %d", c.old, c.new, got, c.want)
		}
	}
}
