package lint

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/countersign/countersign/review/prose"
)

// role says what a string is for.
type role uint8

const (
	roleOther role = iota
	roleName
	roleTitle
	roleDescription
	roleProperty    // the name of a parameter
	roleParam       // the description of a parameter
	roleValue       // enum, const, default, examples: what a model may copy into a call
	roleHidden      // pattern, $comment, vendor fields: read by models, seldom by people
	roleAnnotation  // anywhere in annotations
	roleInstruction // the server's instructions
)

// text is one string of a definition, prepared for the rules that read words. What
// costs something is done when a rule first asks.
type text struct {
	node   *node // the string, or for a name the member that it names
	role   role
	output bool     // belongs to what the tool answers
	s      string   // as received
	hidden bool     // was not visible where it stood: decoded, or in a comment
	owner  []string // words of the tool's name, set before the phrases are looked for

	foreign int // words of other languages in it, see tongue

	rotated, mirrored int  // words in it that are English once they are decoded
	signs             sign // what the words say that it may speak of

	marked map[string]int // index of the finding by rule of hidden characters

	isFolded bool
	folded   string // lower case ASCII where s only looks different
	folding  *hay   // of folded
	toks     []token
	isSplit  bool
	sents    []prose.Sentence
}

// sign says that a text holds a word without which a costly search finds nothing.
type sign uint8

const (
	ofShell sign = 1 << iota // programs
	ofStore                  // what holds credentials
	ofAway                   // somebody far off
)

// marks gives the check of words that set a sign; they are never hits.
func marks(s sign) func(*hit) bool {
	return func(h *hit) bool {
		h.text.signs |= s
		return false
	}
}

// token is a word of the folded text.
type token struct {
	start, end int
	w          string
}

// fold returns the text as a reader sees it, in lower case. Offsets into it are those
// of sentences and tokens.
func (t *text) fold() string {
	if !t.isFolded {
		t.isFolded = true
		t.folded = folded(t.s)
	}
	return t.folded
}

// folded is s as a reader sees it, in lower case, with one apostrophe for all.
func folded(s string) string {
	if !isPlain(s) {
		s = straighten(prose.Skeleton(strings.ReplaceAll(s, "´", "’")))
	}
	s = lower(s)
	if strings.Contains(s, "n`t") {
		s = strings.ReplaceAll(s, "n`t", "n't")
	}
	return s
}

// apostrophes are what people and editors write for one within a word.
const apostrophes = "\u2019\u2018\u201b\u02bc\u02b9\u2032\uff07"

// smallCapitals are letters that compatibility forms do not know as the letters that
// they are read as.
var smallCapitals = func() map[rune]rune {
	m := map[rune]rune{}
	for i, r := range []rune("ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘꞯʀꜱᴛᴜᴠᴡxʏᴢ") {
		if r >= 0x80 {
			m[r] = 'a' + rune(i)
		}
	}
	for i := range rune(26) { // regional indicators, and letters in black and white boxes
		m[0x1f1e6+i], m[0x1f170+i], m[0x1f150+i], m[0x1f130+i] = 'a'+i, 'a'+i, 'a'+i, 'a'+i
	}
	m['ǫ'] = 'q'
	return m
}()

// straighten makes the apostrophes within words straight, so that "don’t" is the word
// that it is and ‘don’ is a quotation, and small capitals plain.
func straighten(s string) string {
	out := make([]rune, 0, len(s))
	runes := []rune(s)
	for i, r := range runes {
		if r >= 0x80 {
			if c, ok := smallCapitals[r]; ok {
				r = c
			} else if strings.ContainsRune(apostrophes, r) && i > 0 && i+1 < len(runes) && unicode.IsLetter(runes[i-1]) && unicode.IsLetter(runes[i+1]) {
				r = '\''
			}
		}
		out = append(out, r)
	}
	return string(out)
}

// hay is the folded text, to look for many words in.
func (t *text) hay() hay {
	if t.folding == nil {
		h := newHay(t.fold())
		t.folding = &h
	}
	return *t.folding
}

// isPlain reports whether s is ASCII without control characters but tab and line
// feed: then nothing in it is hidden or looks like something else.
func isPlain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c >= 0x7f || c < 0x20 && c != '\n' && c != '\t' {
			return false
		}
	}
	return true
}

// lower folds ASCII letters only, so that offsets stay.
func lower(s string) string {
	for i := range len(s) {
		if c := s[i]; 'A' <= c && c <= 'Z' {
			b := []byte(s)
			for j := i; j < len(b); j++ {
				if c := b[j]; 'A' <= c && c <= 'Z' {
					b[j] = c + 'a' - 'A'
				}
			}
			return string(b)
		}
	}
	return s
}

// tokens are the words of the folded text. "don't" is two words, "do" and "not".
func (t *text) tokens() []token {
	if t.toks == nil {
		t.toks = tokenise(t.fold())
	}
	return t.toks
}

func isWordByte(c byte) bool {
	return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '_' || c >= 0x80
}

func tokenise(s string) []token {
	toks := make([]token, 0, len(s)/5+1)
	for at := 0; ; {
		start, end := nextWord(s, at)
		if start == end {
			return toks
		}
		toks = appendWord(toks, start, s[start:end])
		at = end
	}
}

// nextWord finds the first word at or behind an offset; start and end are equal when there
// is none.
func nextWord(s string, at int) (start, end int) {
	n := 0
	for at < len(s) {
		if n = wordAt(s, at); n > 0 {
			break
		}
		for at++; at < len(s) && !utf8.RuneStart(s[at]); at++ {
		}
	}
	start = min(at, len(s))
	for n > 0 {
		at += n
		if n = wordAt(s, at); n == 0 && at < len(s) && (s[at] == '\'' || s[at] == '-') && wordAt(s, at+1) > 0 {
			n = 1
		}
	}
	return start, min(at, len(s))
}

// eachWord calls f for the words of a folded text, until it wants no more.
func eachWord(s string, f func(w string) bool) {
	var room [2]token
	for at := 0; ; {
		start, end := nextWord(s, at)
		if start == end {
			return
		}
		for _, tok := range appendWord(room[:0], start, s[start:end]) {
			if !f(tok.w) {
				return
			}
		}
		at = end
	}
}

// atLeastWords reports whether a text has so many words.
func atLeastWords(s string, n int) bool {
	eachWord(lower(s), func(string) bool {
		n--
		return n > 0
	})
	return n <= 0
}

// wordAt is the length of the letter or digit at i, 0 when no word goes on there:
// dashes and quotation marks part words whatever alphabet they are of.
func wordAt(s string, i int) int {
	if i >= len(s) {
		return 0
	}
	if s[i] < utf8.RuneSelf {
		if isWordByte(s[i]) {
			return 1
		}
		return 0
	}
	r, n := utf8.DecodeRuneInString(s[i:])
	if unicode.IsPunct(r) || unicode.IsSpace(r) || r >= 0x2190 && r <= 0x2bff {
		return 0
	}
	return n
}

// appendWord splits "don't"; any other word stands alone, without a possessive.
func appendWord(toks []token, start int, w string) []token {
	end := start + len(w)
	first, negated := w, false
	switch {
	case w == "dont":
		first, negated = "do", true
	case w == "cannot" || w == "can't":
		first, negated = "can", true
	case strings.HasSuffix(w, "n't") && len(w) > 3:
		first, negated = w[:len(w)-3], true
	case strings.HasSuffix(w, "'s"):
		first = w[:len(w)-2]
	case strings.HasSuffix(w, "'re"):
		return append(toks, token{start, end, w[:len(w)-3]}, token{start, end, "are"})
	}
	toks = append(toks, token{start, end, first})
	if negated {
		toks = append(toks, token{start, end, "not"})
	}
	return toks
}

// sentences splits the folded text.
func (t *text) sentences() []prose.Sentence {
	if !t.isSplit {
		t.isSplit = true
		t.sents = prose.Sentences(t.fold())
	}
	return t.sents
}

// lead is the first sentence, empty when there is none. It works on nil.
func (t *text) lead() prose.Sentence {
	if t == nil || len(t.sentences()) == 0 {
		return prose.Sentence{}
	}
	return t.sentences()[0]
}

// sentenceAt is the sentence that holds an offset of the folded text.
func (t *text) sentenceAt(offset int) prose.Sentence {
	sents := t.sentences()
	lo, hi := 0, len(sents)
	for lo < hi {
		mid := (lo + hi) / 2
		if sents[mid].End <= offset {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo < len(sents) && sents[lo].Start <= offset {
		return window(sents[lo], t.fold(), offset)
	}
	return prose.Sentence{Start: offset, End: offset}
}

// What is looked at of a sentence that never ends.
const (
	windowBefore = 1500
	windowAfter  = 2500
)

// window cuts a sentence to the neighbourhood of an offset, at ASCII bytes.
func window(s prose.Sentence, text string, offset int) prose.Sentence {
	if s.End-s.Start <= windowBefore+windowAfter {
		return s
	}
	from, to := max(s.Start, offset-windowBefore), min(s.End, offset+windowAfter)
	for from < offset && text[from] >= 0x80 {
		from++
	}
	for to > offset && to < len(text) && text[to] >= 0x80 {
		to--
	}
	return prose.Sentence{Start: from, End: to, Text: text[from:to]}
}

// tokenAt is the index of the first token at or behind an offset.
func tokenAt(toks []token, offset int) int {
	i, _ := slices.BinarySearchFunc(toks, offset, func(t token, at int) int { return t.start - at })
	return i
}

// between is what stands in s between two neighbours, nothing within "don't".
func between(s string, a, b token) string { return s[min(a.end, b.start):b.start] }

// words are the words of a short text, for rules that compare.
func words(s string) []string {
	toks := tokenise(lower(s))
	out := make([]string, len(toks))
	for i, t := range toks {
		out[i] = t.w
	}
	return out
}

// nameWords splits a name at separators and camel-case humps, in lower case.
func nameWords(name string) []string {
	var out []string
	start := 0
	flush := func(end int) {
		if end > start {
			out = append(out, lower(name[start:end]))
		}
	}
	for i := range len(name) {
		c := name[i]
		switch {
		case c == '_' || c == '-' || c == '.' || c == '/' || c == ':' || c == ' ':
			flush(i)
			start = i + 1
		case isUpper(c) && i > start && (!isUpper(name[i-1]) || i+1 < len(name) && name[i+1] >= 'a' && name[i+1] <= 'z'):
			flush(i)
			start = i
		}
	}
	flush(len(name))
	return out
}

func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }

// stem cuts the endings that make one English word look like several.
func stem(w string) string {
	for _, end := range []string{"ation", "ion", "ies", "ied", "ing", "ses", "xes", "zes", "ches", "shes", "ed", "es", "s", "e", "y"} {
		if rest, ok := strings.CutSuffix(w, end); ok && len(rest) >= 3 && !strings.HasSuffix(w, "ss") {
			switch end {
			case "ies", "ied", "y":
				return rest
			case "ses", "xes", "zes", "ches", "shes":
				return strings.TrimSuffix(w, "es")
			}
			return undouble(rest)
		}
	}
	return w
}

// undouble makes "cancell" of "cancelled" the "cancel" of "cancel".
func undouble(w string) string {
	n := len(w)
	if n >= 4 && w[n-1] == w[n-2] && strings.IndexByte("bdglmnprt", w[n-1]) >= 0 {
		return w[:n-1]
	}
	return w
}

type set map[string]bool

// setOf makes a set of words that stand between blanks.
func setOf(list string) set {
	s := set{}
	for _, w := range strings.Fields(list) {
		s[w] = true
	}
	return s
}

func (s set) any(words []string) bool {
	for _, w := range words {
		if s[w] {
			return true
		}
	}
	return false
}

// hasAny reports whether one of the parts stands in s.
func hasAny(s string, parts ...string) bool {
	for _, p := range parts {
		if strings.Contains(s, p) {
			return true
		}
	}
	return false
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
