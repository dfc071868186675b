package change

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// wordSet is a bag of folded words with their counts.
func wordSet(s string) map[string]int {
	set := map[string]int{}
	for _, w := range strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		set[w]++
	}
	return set
}

func size(set map[string]int) int {
	n := 0
	for _, c := range set {
		n += c
	}
	return n
}

func common(a, b map[string]int) int {
	n := 0
	for w, c := range a {
		n += min(c, b[w])
	}
	return n
}

// dice is the share of words that two bags have in common: 1 for equal bags, 0
// for bags with nothing in common. Two empty bags are equal.
func dice(a, b map[string]int) float64 {
	n := size(a) + size(b)
	if n == 0 {
		return 1
	}
	return 2 * float64(common(a, b)) / float64(n)
}

// contained is the share of the smaller bag that the larger one has.
func contained(a, b map[string]int) float64 {
	n := min(size(a), size(b))
	if n == 0 {
		return 0
	}
	return float64(common(a, b)) / float64(n)
}

// nameWords splits a tool's name where its writer would: at separators and humps.
func nameWords(name string) []string {
	var words []string
	var word strings.Builder
	flush := func() {
		if word.Len() > 0 {
			words = append(words, strings.ToLower(word.String()))
			word.Reset()
		}
	}
	var prev rune
	for i, w := 0, 0; i < len(name); i += w {
		var r rune
		r, w = utf8.DecodeRuneInString(name[i:])
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			flush()
			prev = 0
			continue
		}
		if startsHump(prev, r, name[i+w:]) {
			flush()
		}
		word.WriteRune(r)
		prev = r
	}
	flush()
	return words
}

// startsHump reports whether r begins a word of camel case: after a lower-case
// letter or a digit, or as the last capital of a run ("HTTPServer").
func startsHump(prev, r rune, rest string) bool {
	if !unicode.IsUpper(r) || prev == 0 {
		return false
	}
	next, _ := utf8.DecodeRuneInString(rest)
	return unicode.IsLower(prev) || unicode.IsDigit(prev) || unicode.IsUpper(prev) && unicode.IsLower(next)
}

// nameSimilarity compares names by words and by letters; 1 when they differ only
// in case and separators.
func nameSimilarity(a, b string) float64 {
	wa, wb := bag(nameWords(a)), bag(nameWords(b))
	return max(dice(wa, wb), letterSimilarity(a, b))
}

func bag(words []string) map[string]int {
	set := map[string]int{}
	for _, w := range words {
		set[w]++
	}
	return set
}

// maxLetters bounds the names that are compared letter by letter.
const maxLetters = 200

// letterSimilarity is 1 minus the share of letters to edit.
func letterSimilarity(a, b string) float64 {
	x, y := []rune(foldName(a)), []rune(foldName(b))
	if len(x) == 0 || len(y) == 0 || len(x) > maxLetters || len(y) > maxLetters {
		return 0
	}
	row := make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i := range x {
		diag := row[0]
		row[0] = i + 1
		for j := range y {
			cost := diag
			if x[i] != y[j] {
				cost = 1 + min(diag, row[j], row[j+1])
			}
			diag, row[j+1] = row[j+1], cost
		}
	}
	return 1 - float64(row[len(y)])/float64(max(len(x), len(y)))
}

// foldName is a name without case and separators.
func foldName(name string) string { return strings.Join(nameWords(name), "") }
