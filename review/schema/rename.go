package schema

import (
	"strings"
	"unicode"
)

// renames pairs removed properties with added ones that look like the same thing
// under another name: the same schema and a near name or the same description,
// or names that differ only in spelling.
func (w *walker) renames(p *place, gone, fresh []string) map[string]string {
	out := map[string]string{}
	if len(gone)*len(fresh) > 10_000 {
		return out
	}
	taken := map[string]bool{}
	for _, level := range []float64{1, 0.75, 0.5} {
		for _, from := range gone {
			if _, done := out[from]; done {
				continue
			}
			best, score := "", level-0.001
			for _, to := range fresh {
				if s := w.likeness(p, from, to); !taken[to] && s > score {
					best, score = to, s
				}
			}
			if best != "" {
				out[from], taken[best] = best, true
			}
		}
	}
	return out
}

// likeness grades a pair from 0 (unrelated) to 1.
func (w *walker) likeness(p *place, from, to string) float64 {
	if foldName(from) == foldName(to) {
		return 1
	}
	a, _ := findProp(p.flatA.props, from)
	b, _ := findProp(p.flatB.props, to)
	s := w.p.solver
	if s.resolve(a) != s.resolve(b) {
		return 0
	}
	if requires(p.flatA, from) != requires(p.flatB, to) {
		return 0
	}
	score := nearness(foldName(from), foldName(to))
	old, new := propView(p.old, from), propView(p.new, to)
	if d := old.v.get("description").text(); d != "" && d == new.v.get("description").text() {
		score = max(score, 0.9)
	}
	return score
}

// foldName spells a name without case and separators: perPage is per_page.
func foldName(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r == '.' || r == ' ' {
			return -1
		}
		return unicode.ToLower(r)
	}, s)
}

// nearness compares two folded names: one that starts or ends with the other, or
// few edits.
func nearness(a, b string) float64 {
	if len(a) > 64 || len(b) > 64 || a == "" || b == "" {
		return 0
	}
	short, long := a, b
	if len(short) > len(long) {
		short, long = long, short
	}
	if len(short) >= 2 && (strings.HasPrefix(long, short) || strings.HasSuffix(long, short)) {
		return 0.8
	}
	d := distance([]rune(a), []rune(b))
	score := 1 - float64(d)/float64(max(len(a), len(b)))
	if score < 0.6 {
		return 0
	}
	return score
}

// distance counts the insertions, deletions and replacements between two names.
func distance(a, b []rune) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i, x := range a {
		diag := row[0]
		row[0] = i + 1
		for j, y := range b {
			cost := 1
			if x == y {
				cost = 0
			}
			diag, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, diag+cost)
		}
	}
	return row[len(b)]
}
