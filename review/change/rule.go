package change

import (
	"fmt"
	"strings"
)

// A rule renames many tools in one way: a prefix or suffix came, went or became
// another, or separators and case changed. One rename could be a coincidence;
// several of one kind in one release are a decision that somebody took.
const (
	ruleTools = 3 // tools that a rule must rename
	ruleWords = 2 // words that may come or go at an end
)

// renameRules finds the rule, in words, that connects each pair of profiles. Its
// cost is that of looking up every name under its few possible changes.
func renameRules(olds, news []*profile) map[[2]*profile]string {
	ends := map[string][]*profile{} // new tools by what is left of their names
	for _, b := range news {
		for _, e := range endings(b.tool.Name) {
			ends[e.key()] = append(ends[e.key()], b)
		}
	}
	pairs := map[ruleKey][][2]*profile{}
	for _, a := range olds {
		for _, e := range endings(a.tool.Name) {
			for _, b := range ends[e.key()] {
				if k, ok := ruleOf(a.tool.Name, b.tool.Name, e); ok {
					pairs[k] = append(pairs[k], [2]*profile{a, b})
				}
			}
		}
	}
	rules := map[[2]*profile]string{}
	strength := map[[2]*profile]int{}
	for k, ps := range pairs {
		if len(ps) < ruleTools {
			continue
		}
		for _, p := range ps {
			// The rule that explains most tools wins; its text breaks a tie.
			if s := k.String(); len(ps) > strength[p] || len(ps) == strength[p] && s < rules[p] {
				rules[p], strength[p] = s, len(ps)
			}
		}
	}
	return rules
}

// ending is what is left of a name when words at one end are taken off.
type ending struct {
	front bool   // the words were taken off the front
	cut   string // as written, separators included
	rest  string // folded
}

func (e ending) key() string {
	if e.front {
		return "<" + e.rest
	}
	return ">" + e.rest
}

// endings lists what a name may have in common with its new form.
func endings(name string) []ending {
	all := []ending{{front: true, rest: foldName(name)}}
	starts := wordStarts(name)
	for n := 1; n <= ruleWords && n < len(starts); n++ {
		at := starts[n]
		all = append(all, ending{front: true, cut: name[:at], rest: foldName(name[at:])})
		at = starts[len(starts)-n]
		end := strings.TrimRight(name[:at], separators)
		all = append(all, ending{cut: name[len(end):], rest: foldName(end)})
	}
	return append(all, ending{rest: foldName(name)})
}

const separators = "_-./: "

// wordStarts lists the byte offsets at which words of a name begin.
func wordStarts(name string) []int {
	var starts []int
	at := 0
	lower := strings.ToLower(name)
	if len(lower) != len(name) {
		return nil // folding moved the letters: no rule for such names
	}
	for _, w := range nameWords(name) {
		i := strings.Index(lower[at:], w)
		if i < 0 {
			return nil
		}
		starts = append(starts, at+i)
		at += i + len(w)
	}
	return starts
}

type ruleKey struct {
	front    bool
	old, new string
}

// ruleOf returns what turns old into new, given that they agree on e.
func ruleOf(old, new string, e ending) (ruleKey, bool) {
	for _, f := range endings(new) {
		if f.key() != e.key() {
			continue
		}
		if e.cut == "" && f.cut == "" {
			return styleRule(old, new)
		}
		return ruleKey{front: e.front, old: e.cut, new: f.cut}, e.cut != f.cut
	}
	return ruleKey{}, false
}

// styleRule names the separator that became another, or else only that the
// spelling changed.
func styleRule(old, new string) (ruleKey, bool) {
	for _, a := range separators {
		for _, b := range separators {
			if a != b && strings.ContainsRune(old, a) && strings.ReplaceAll(old, string(a), string(b)) == new {
				return ruleKey{old: string(a), new: string(b)}, true
			}
		}
	}
	return ruleKey{}, old != new
}

// String says the rule in words, without a count.
func (k ruleKey) String() string {
	end := "suffix"
	if k.front {
		end = "prefix"
	}
	switch {
	case k.old == "" && k.new == "":
		return "names are spelled in another style"
	case len(k.old) == 1 && len(k.new) == 1 && strings.Contains(separators, k.old):
		return fmt.Sprintf("%s became %s in names", quoteName(k.old), quoteName(k.new))
	case k.new == "":
		return fmt.Sprintf("%s %s dropped", end, quoteName(k.old))
	case k.old == "":
		return fmt.Sprintf("%s %s added", end, quoteName(k.new))
	}
	return fmt.Sprintf("%s %s became %s", end, quoteName(k.old), quoteName(k.new))
}
