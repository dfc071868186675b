package prose

import (
	"slices"
	"strings"
	"unicode"
)

// Delta is a contract sentence that a change gained, lost or altered.
type Delta struct {
	Class   SentenceClass   // the strongest of Classes
	Classes []SentenceClass // all that the sentence had or has, strongest first
	Old     string          // the sentence lost, whole; empty when gained
	New     string          // the sentence gained, whole; empty when lost
}

// classNames are how a class is called in a sentence.
var classNames = map[SentenceClass]string{
	Safety: "a safety statement", Failure: "a failure contract", Instruction: "an instruction",
	Default: "a default", Format: "a format", Example: "an example",
}

// Message says the delta in one plain sentence that quotes the text, such as
// `Lost a failure contract: "Refused unless force is true."`. The quotation is as
// received: print it through [Show].
func (d Delta) Message() string {
	name := classNames[d.Class]
	switch {
	case d.Old == "":
		return "Gained " + name + ": " + quote(d.New)
	case d.New == "":
		return "Lost " + name + ": " + quote(d.Old)
	}
	return "Changed " + name + ": " + quote(d.Old) + " became " + quote(d.New)
}

func quote(s string) string { return `"` + s + `"` }

// ContractDelta lists what the contract gained, lost and altered from old to new,
// in the order of the texts: first what is gone or altered, then what is new.
// Rewording that keeps a sentence's classes and its content words is no delta, nor
// is a sentence that moved. A text change is of class behaviour when the list is
// not empty, else of class text.
func ContractDelta(old, new string) []Delta {
	if old == new {
		return nil
	}
	m := newMatcher(old, new)
	a, b := statementsOf(m.a.text), statementsOf(m.b.text)
	dropEqual(a, b, func(s *statement) string { return s.text })
	readStatements(a)
	readStatements(b)
	dropEqual(a, b, (*statement).key)
	m.match()
	m.couple(a, b)
	closely := affordable(a, b)
	if closely {
		coupleAlike(a, b)
	}
	return deltas(a, b, closely)
}

// statement is a sentence with what it promises.
type statement struct {
	text    string
	classes []SentenceClass
	content []string // content words in order
	equal   bool     // stands in the other text too
	partner int      // index of its rewording in the other text, or -1
}

// statementsOf lists the sentences of t.
func statementsOf(t *text) []*statement {
	out := make([]*statement, len(t.sentences))
	for i, r := range t.sentences {
		out[i] = &statement{text: t.raw(r), partner: -1}
	}
	return out
}

// readStatements finds what those sentences promise that are not in both texts. A
// short line that ends in a colon speaks for the list or the code below it: under
// "Do not use for:" each item is an instruction, and the line itself promises
// nothing more.
func readStatements(all []*statement) {
	var header *statement
	var classes []SentenceClass
	for _, s := range all {
		head := isHeader(s.text)
		if !s.equal || head {
			s.classes = Classify(s.text)
			s.content = contentWords(s.text)
		}
		below := isListItem(s.text) || fenceOf(strings.SplitN(s.text, "\n", 2)[0]) != ""
		switch {
		case header != nil && below:
			header.classes = nil
			s.classes = mergeClasses(s.classes, classes)
		case head:
			header, classes = s, s.classes
		default:
			header = nil
		}
	}
}

// isListItem reports whether a sentence is an item of a list, and no table row or tag.
func isListItem(text string) bool {
	return isItem(text) && text[0] != '|' && text[0] != '<'
}

// longHeader is the length in bytes from which a line that ends in a colon is a
// sentence of its own.
const longHeader = 80

func isHeader(text string) bool {
	return len(text) < longHeader && strings.HasSuffix(strings.TrimRight(text, "*_ "), ":")
}

// mergeClasses joins two lists of classes in the order of strength.
func mergeClasses(a, b []SentenceClass) []SentenceClass {
	var out []SentenceClass
	for _, rule := range classRules {
		if slices.Contains(a, rule.class) || slices.Contains(b, rule.class) {
			out = append(out, rule.class)
		}
	}
	return out
}

// dropEqual marks the sentences that both texts hold by key, wherever they stand,
// each as often as both do.
func dropEqual(a, b []*statement, key func(*statement) string) {
	index := map[string][]int{}
	for i, s := range b {
		if !s.equal {
			k := key(s)
			index[k] = append(index[k], i)
		}
	}
	for _, s := range a {
		if s.equal {
			continue
		}
		k := key(s)
		if found := index[k]; len(found) > 0 {
			s.equal, b[found[0]].equal = true, true
			index[k] = found[1:]
		}
	}
}

// key is equal for sentences that say the same in the same words, whatever blanks
// and punctuation they have.
func (s *statement) key() string {
	classes := make([]string, len(s.classes))
	for i, c := range s.classes {
		classes[i] = string(c)
	}
	return strings.Join(classes, " ") + "\x00" + strings.Join(s.content, " ")
}

// couple pairs sentences that the comparison shows as one edited: those that share
// the most kept words.
func (m *matcher) couple(a, b []*statement) {
	common := map[[2]int]int{}
	m.eachPair(func(x, y token, _ int) {
		i, j := int(x.sentence), int(y.sentence)
		if !a[i].equal && !b[j].equal {
			common[[2]int{i, j}] += int(x.weight)
		}
	})
	coupleBest(a, b, common)
}

// coupleBest pairs statements greedily, greatest weight first, ties in order.
func coupleBest(a, b []*statement, weights map[[2]int]int) {
	keys := make([][2]int, 0, len(weights))
	for k := range weights {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(x, y [2]int) int {
		if d := weights[y] - weights[x]; d != 0 {
			return d
		}
		if x[0] != y[0] {
			return x[0] - y[0]
		}
		return x[1] - y[1]
	})
	for _, k := range keys {
		if x, y := a[k[0]], b[k[1]]; x.partner < 0 && y.partner < 0 {
			x.partner, y.partner = k[1], k[0]
		}
	}
}

// maxAlike bounds the words looked at when each sentence is compared with each.
const maxAlike = 1 << 21

// affordable reports whether the changed sentences of both texts are few enough to
// compare each with each.
func affordable(a, b []*statement) bool {
	var sentences, words [2]int
	for side, all := range [][]*statement{a, b} {
		for _, s := range all {
			if !s.equal {
				sentences[side]++
				words[side] += len(s.content)
			}
		}
	}
	return sentences[0]*words[1]+sentences[1]*words[0] <= maxAlike
}

// coupleAlike pairs what is left by content words, where at least half are shared:
// sentences that moved and were edited.
func coupleAlike(a, b []*statement) {
	left, right := alone(a), alone(b)
	weights := map[[2]int]int{}
	for _, i := range left {
		for _, j := range right {
			shared := sharedWords(a[i].content, b[j].content)
			if total := max(len(a[i].content), len(b[j].content)); shared*2 >= total && shared > 1 {
				weights[[2]int{i, j}] = shared * 100 / total
			}
		}
	}
	coupleBest(a, b, weights)
}

// alone lists the statements with a class that have neither equal nor partner.
func alone(all []*statement) []int {
	var out []int
	for i, s := range all {
		if !s.equal && s.partner < 0 && len(s.classes) > 0 {
			out = append(out, i)
		}
	}
	return out
}

// deltas says what each statement with a class became. Closely says that there are
// few enough to look for sentences that were split or joined.
func deltas(a, b []*statement, closely bool) []Delta {
	var out []Delta
	for _, s := range a {
		switch {
		case s.equal:
		case s.partner >= 0:
			twin := b[s.partner]
			if d, ok := alteration(s, twin); ok && !(closely && (split(s, twin, b) || split(twin, s, a))) {
				out = append(out, d)
			}
		case len(s.classes) > 0 && !(closely && said(s, b)):
			out = append(out, Delta{Class: s.classes[0], Classes: s.classes, Old: s.text})
		}
	}
	for _, s := range b {
		if !s.equal && s.partner < 0 && len(s.classes) > 0 && !(closely && said(s, a)) {
			out = append(out, Delta{Class: s.classes[0], Classes: s.classes, New: s.text})
		}
	}
	return out
}

// alteration compares a sentence with its rewording.
func alteration(old, new *statement) (Delta, bool) {
	classes := mergeClasses(old.classes, new.classes)
	if len(classes) == 0 || sameContent(old, new) {
		return Delta{}, false
	}
	switch {
	case len(old.classes) == 0:
		return Delta{Class: classes[0], Classes: classes, New: new.text}, true
	case len(new.classes) == 0:
		return Delta{Class: classes[0], Classes: classes, Old: old.text}, true
	}
	return Delta{Class: classes[0], Classes: classes, Old: old.text, New: new.text}, true
}

// relations are words whose two sides can't be swapped without saying the opposite;
// denials are those that bear on the word behind them.
var (
	relations = set("over", "than", "instead", "before", "after", "from", "to", "until", "into", "rather")
	denials   = set("not", "no", "never", "only", "without", "unless", "alway", "must", "should", "can", "may")
)

// sameContent reports whether a rewording keeps classes and content words. Their
// order counts where a word such as "over" or "before" gives it a meaning, and a
// denial must stay with the word that it denies.
func sameContent(old, new *statement) bool {
	if !slices.Equal(old.classes, new.classes) {
		return false
	}
	if slices.Equal(old.content, new.content) {
		return true
	}
	x, y := slices.Sorted(slices.Values(old.content)), slices.Sorted(slices.Values(new.content))
	return slices.Equal(x, y) && !hasRelation(old.text) && !hasRelation(new.text) &&
		slices.Equal(denied(old.content), denied(new.content))
}

func hasRelation(s string) bool {
	for _, w := range strings.Fields(strings.ToLower(s)) {
		if relations[strings.Trim(w, ".,;:()")] {
			return true
		}
	}
	return false
}

// denied lists each denial with the word behind it, sorted.
func denied(content []string) []string {
	var out []string
	for i, w := range content {
		if !denials[w] {
			continue
		}
		next := ""
		if i+1 < len(content) {
			next = content[i+1]
		}
		out = append(out, w+" "+next)
	}
	slices.Sort(out)
	return out
}

// split reports whether one became two sentences of the other text that say
// together what it said: its rewording, first, and one more.
func split(one, first *statement, other []*statement) bool {
	for _, second := range other {
		if second.equal || second.partner >= 0 || second == first {
			continue
		}
		together := append(slices.Clone(first.content), second.content...)
		if within(one.content, together) && within(together, one.content) &&
			slices.Equal(one.classes, mergeClasses(first.classes, second.classes)) {
			return true
		}
	}
	return false
}

// said reports whether what s says is part of a longer sentence of the other text:
// two sentences became one, or one two.
func said(s *statement, other []*statement) bool {
	for _, o := range other {
		if !o.equal && len(s.content) > 1 && within(s.content, o.content) && includes(o.classes, s.classes) && inOrder(s.content, o.content) {
			return true
		}
	}
	return false
}

func includes(all, some []SentenceClass) bool {
	for _, c := range some {
		if !slices.Contains(all, c) {
			return false
		}
	}
	return true
}

// within reports whether every word of a is in b, as often.
func within(a, b []string) bool { return sharedWords(a, b) == len(a) }

// inOrder reports whether a is a subsequence of b.
func inOrder(a, b []string) bool {
	i := 0
	for _, w := range b {
		if i < len(a) && a[i] == w {
			i++
		}
	}
	return i == len(a)
}

func sharedWords(a, b []string) int {
	count := make(map[string]int, len(b))
	for _, w := range b {
		count[w]++
	}
	n := 0
	for _, w := range a {
		if count[w] > 0 {
			count[w]--
			n++
		}
	}
	return n
}

// grammar are words that carry no content of their own. Words that deny, bound or
// oblige ("not", "only", "must") are not among them.
var grammar = set("a", "an", "the", "of", "in", "on", "at", "by", "for", "with", "as", "and", "is", "are", "be", "been", "being", "was",
	"were", "it", "its", "this", "that", "these", "those", "will", "which", "also", "then", "so", "there", "here", "into",
	"you", "your", "please", "note", "simply", "just", "very", "each", "any", "such", "has", "have", "does", "do", "did",
	"specified", "given", "provided", "following", "current", "currently", "e.g", "e.g.", "i.e", "i.e.", "etc", "if", "when", "to", "from", "return", "returns")

// contentWords lists what a sentence says, in order: its words without grammar and
// endings, its names and numbers as written, and signs that change a value.
func contentWords(s string) []string {
	var out []string
	for _, tok := range tokenise(s, HiddenIn(s)) {
		w := s[tok.start:tok.end]
		switch {
		case isName(w):
			out = append(out, strings.Trim(w, "`"))
		case isWord(w):
			for _, part := range expand(strings.ToLower(w)) {
				if !grammar[part] {
					out = append(out, stem(part))
				}
			}
		case isSign(s, tok):
			out = append(out, w)
		case HasHidden(w):
			out = append(out, w)
		}
	}
	return out
}

// isName reports identifiers, numbers and code spans, which are compared as written.
func isName(w string) bool {
	if w[0] == '`' && len(w) > 1 || strings.ContainsAny(w, "_0123456789") {
		return true
	}
	for i, r := range w {
		if i > 0 && unicode.IsUpper(r) && strings.ToUpper(w) != w {
			return true
		}
	}
	return false
}

// isSign reports signs that change the meaning of what follows, such as "<" or the
// minus of a number.
func isSign(s string, tok token) bool {
	w := s[tok.start:tok.end]
	if w == "-" {
		return digitAt(s, tok.end) && !digitAt(s, tok.start-1)
	}
	return strings.Contains("<>=≤≥≠±%$€£^~|!", w) && w != "|"
}

// stem cuts the endings of English verbs and plurals.
func stem(w string) string {
	for _, end := range []struct{ suffix, put string }{{"ies", "y"}, {"sses", "ss"}, {"ing", ""}, {"ed", ""}, {"es", ""}, {"s", ""}, {"e", ""}} {
		if len(w) > len(end.suffix)+2 && strings.HasSuffix(w, end.suffix) && !strings.HasSuffix(w, "ss") {
			return strings.TrimSuffix(w, end.suffix) + end.put
		}
	}
	return w
}
