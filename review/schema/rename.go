package schema

import (
	"strings"
	"unicode"

	"github.com/agnivade/levenshtein"
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
	common := swaps(gone, fresh)
	for _, level := range []float64{1, 0.75, 0.5} {
		for _, from := range gone {
			if _, done := out[from]; done {
				continue
			}
			best, score := "", level-0.001
			for _, to := range fresh {
				if s := w.likeness(p, from, to, common); !taken[to] && s > score {
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
func (w *walker) likeness(p *place, from, to string, common map[string]int) float64 {
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
	if s, ok := swap(from, to); ok && common[s] > 1 {
		score = max(score, 0.85)
	}
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
	d := levenshtein.ComputeDistance(a, b)
	score := 1 - float64(d)/float64(max(len(a), len(b)))
	if score < 0.75 {
		return 0
	}
	return score
}

// words splits a name at separators and at capitals: startRef is start, ref.
func words(name string) []string {
	var out []string
	word := ""
	flush := func() {
		if word != "" {
			out = append(out, strings.ToLower(word))
		}
		word = ""
	}
	for _, r := range name {
		if r == '_' || r == '-' || r == '.' || r == ' ' {
			flush()
			continue
		}
		if unicode.IsUpper(r) && word != "" && !unicode.IsUpper(rune(word[len(word)-1])) {
			flush()
		}
		word += string(r)
	}
	flush()
	return out
}

// swap returns the one word in which two names differ.
func swap(from, to string) (string, bool) {
	a, b := words(from), words(to)
	if len(a) != len(b) {
		return "", false
	}
	out := ""
	for i := range a {
		if a[i] == b[i] {
			continue
		}
		if out != "" {
			return "", false
		}
		out = a[i] + ">" + b[i]
	}
	return out, out != ""
}

// swaps counts how many removed and added properties differ in the same word: a
// word that was replaced throughout makes each of them a renaming.
func swaps(gone, fresh []string) map[string]int {
	out := map[string]int{}
	for _, from := range gone {
		for _, to := range fresh {
			if s, ok := swap(from, to); ok {
				out[s]++
			}
		}
	}
	return out
}

// moved recognises a property that is gone at one place and came at another under
// the same name with the same schema and description.
func (w *walker) moved() {
	came := map[string]*edit{}
	for _, e := range w.edits {
		if e.came != "" {
			came[e.came] = e
		}
	}
	for _, e := range w.edits {
		to := came[e.gone]
		if e.ID != "property.removed" || to == nil || to.at == e.at {
			continue
		}
		a, _ := findProp(e.at.flatA.props, e.gone)
		b, _ := findProp(to.at.flatB.props, e.gone)
		told := propView(e.at.old, e.gone).v.get("description").text()
		tells := propView(to.at.new, e.gone).v.get("description").text()
		if w.p.solver.resolve(a) != w.p.solver.resolve(b) || told == "" || told != tells {
			continue
		}
		from, dest := w.property(e.at, e.gone), w.property(to.at, e.gone)
		e.ID, e.Sentence = "property.moved", from+" moved to "+dest+"."
		if w.p.dir == Input {
			e.breaks = from + " moved to " + dest + "; calls with " + from + " are now rejected."
		} else {
			e.breaks = e.Sentence
		}
	}
}
