package change

import (
	"fmt"
	"strings"
	"testing"

	"github.com/countersign/countersign/review/surface"
)

// toolsOf makes tools from "name=content" words; equal words are equal tools.
func toolsOf(words string) []surface.Tool {
	fields := strings.Fields(words)
	all := make([]surface.Tool, len(fields))
	for i, w := range fields {
		name, _, _ := strings.Cut(w, "=")
		all[i] = surface.Tool{Position: i + 1, Name: name, Raw: []byte(`{}`), Digest: surface.HashOf([]byte(w))}
	}
	return all
}

func TestPairTools(t *testing.T) {
	for _, c := range []struct{ name, old, new, want string }{
		{"by name", "a=1 b=1", "b=2 a=1", "2-1 1-2"},
		{"added and removed", "a=1 b=1", "b=1 c=1", "2-1 -1 +2"},
		{"nothing before", "", "a=1", "+1"},
		{"nothing after", "a=1", "", "-1"},
		{"first of two changed", "q=1 q=2", "q=3 q=2", "1-1 2-2"},
		{"swapped and equal", "q=1 q=2", "q=2 q=1", "2-1 1-2"},
		{"one of three left", "q=1 q=2 q=3", "q=2", "2-1 -1 -3"},
		{"equal ones in order", "q=1 q=1", "q=1 q=1", "1-1 2-2"},
		{"case counts", "Q=1", "q=1", "-1 +1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := drawPairing(pairTools(toolsOf(c.old), toolsOf(c.new))); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func drawPairing(p *pairing) string {
	var parts []string
	for _, q := range p.pairs {
		parts = append(parts, fmt.Sprintf("%d-%d", q.old.Position, q.new.Position))
	}
	for _, t := range p.removed {
		parts = append(parts, fmt.Sprintf("-%d", t.Position))
	}
	for _, t := range p.added {
		parts = append(parts, fmt.Sprintf("+%d", t.Position))
	}
	return strings.Join(parts, " ")
}
