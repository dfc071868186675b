package prose

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Confusable is a word that looks like another: it mixes Latin with letters of
// another script that look Latin, or is written in such letters alone where
// nothing else in the text is.
type Confusable struct {
	Offset int    // of the word in the text
	Word   string // as received
	Looks  string // the word that a reader sees, in ASCII
	Runes  []rune // the foreign letters in it, in order
}

// posers are letters of other scripts that can't be told from an ASCII letter in
// common fonts. Greek letters that are used as symbols (α, μ, Ω) are left out, and
// so is what only resembles a letter.
var posers = map[rune]byte{
	// Cyrillic
	'а': 'a', 'А': 'A', 'В': 'B', 'с': 'c', 'С': 'C', 'ԁ': 'd', 'е': 'e', 'Е': 'E', 'һ': 'h', 'Н': 'H',
	'і': 'i', 'І': 'I', 'ј': 'j', 'Ј': 'J', 'К': 'K', 'Ӏ': 'l', 'ӏ': 'l', 'М': 'M', 'о': 'o', 'О': 'O',
	'р': 'p', 'Р': 'P', 'ԛ': 'q', 'Ԛ': 'Q', 'ѕ': 's', 'Ѕ': 'S', 'Т': 'T', 'ѵ': 'v', 'Ѵ': 'V', 'ԝ': 'w',
	'Ԝ': 'W', 'х': 'x', 'Х': 'X', 'у': 'y', 'У': 'Y', 'ү': 'y', 'Ү': 'Y',
	// Greek
	'Α': 'A', 'Β': 'B', 'Ε': 'E', 'Ζ': 'Z', 'Η': 'H', 'Ι': 'I', 'Κ': 'K', 'Μ': 'M', 'Ν': 'N', 'Ο': 'O',
	'Ρ': 'P', 'Τ': 'T', 'Υ': 'Y', 'Χ': 'X', 'ο': 'o', 'ν': 'v', 'ι': 'i', 'ϲ': 'c', 'Ϲ': 'C', 'ϳ': 'j',
	// Armenian
	'օ': 'o', 'Օ': 'O', 'ո': 'n', 'ս': 'u', 'ց': 'g', 'հ': 'h', 'Ս': 'U', 'Լ': 'L',
	// Latin, of phonetic writing
	'ɡ': 'g',
	// Cherokee
	'Ꭺ': 'A', 'Ᏼ': 'B', 'Ꮯ': 'C', 'Ꭰ': 'D', 'Ꭼ': 'E', 'Ꮐ': 'G', 'Ꮋ': 'H', 'Ꭻ': 'J', 'Ꮶ': 'K', 'Ꮮ': 'L',
	'Ꮇ': 'M', 'Ꮲ': 'P', 'Ꮪ': 'S', 'Ꭲ': 'T', 'Ꮩ': 'V', 'Ꮃ': 'W', 'Ꮓ': 'Z',
}

// latinTwins are Latin letters and marks of punctuation that look like ASCII. They
// count for [Skeleton], not as posers, because alphabets use them.
var latinTwins = map[rune]byte{
	'ı': 'i', 'ɩ': 'i', 'ɑ': 'a', 'ǀ': 'l', 'ƽ': 's', 'ʋ': 'u', 'ꞌ': '\'',
	'‐': '-', '‑': '-', '−': '-', 'ʼ': '\'', '․': '.', '∕': '/', '⁄': '/', 'ː': ':', '∶': ':', 'ǃ': '!',
}

var scripts = []struct {
	name  string
	table *unicode.RangeTable
}{
	{"Cyrillic", unicode.Cyrillic}, {"Greek", unicode.Greek}, {"Armenian", unicode.Armenian}, {"Cherokee", unicode.Cherokee},
}

// scriptOf returns the index of a letter's script in scripts, or -1.
func scriptOf(r rune) int {
	if r < 0x370 {
		return -1
	}
	for i, s := range scripts {
		if unicode.Is(s.table, r) {
			return i
		}
	}
	return -1
}

// lookAlikeName describes a poser: "CYRILLIC LETTER that looks like Latin a".
func lookAlikeName(r rune) string {
	like, ok := posers[r]
	if !ok {
		return ""
	}
	script := "Latin"
	if i := scriptOf(r); i >= 0 {
		script = scripts[i].name
	}
	return strings.ToUpper(script) + " LETTER LIKE LATIN " + string(rune(like))
}

// minAlone is how many letters a word needs before it counts as written in posers
// alone; shorter ones are symbols.
const minAlone = 3

// word is a stretch of letters, digits and marks, with what scripts it holds.
type word struct {
	start, end int
	latin      bool
	posers     []rune
	honest     bool // has a letter of another script that looks like no Latin one
	switches   int  // changes between Latin and another script
	last       byte // 'l' Latin, 'f' foreign: the last letter added
}

// Confusables lists the words of s that mix Latin with look-alike letters of
// another script, and those of at least three letters that are written in
// look-alikes alone while no other word of s uses that script. A word of a text
// that is really in Cyrillic or Greek is no confusable, nor is "kΩ" or "α-test".
func Confusables(s string) []Confusable {
	var out []Confusable
	for w := range suspects(s) {
		text := s[w.start:w.end]
		out = append(out, Confusable{Offset: w.start, Word: text, Looks: Skeleton(text), Runes: w.posers})
	}
	return out
}

// suspects yields the confusable words of s.
func suspects(s string) func(func(word) bool) {
	return func(yield func(word) bool) {
		if !hasPoser(s) {
			return
		}
		real := realScripts(s)
		for w := range wordsOf(s) {
			alone := !w.latin && !w.honest && len(w.posers) >= minAlone && !real[scriptOf(w.posers[0])]
			if (w.mixes() || alone) && !yield(w) {
				return
			}
		}
	}
}

func hasPoser(s string) bool {
	for _, r := range s {
		if r >= 0x250 && posers[r] != 0 {
			return true
		}
	}
	return false
}

// realScripts returns the scripts in which s has a letter that is no poser.
func realScripts(s string) map[int]bool {
	real := map[int]bool{}
	for _, r := range s {
		if i := scriptOf(r); i >= 0 && posers[r] == 0 && unicode.IsLetter(r) {
			real[i] = true
		}
	}
	return real
}

// wordsOf yields the words of s: letters, digits and marks. A connector such as
// "-" or "." ends one, so that the parts of "α-test" are judged apart.
func wordsOf(s string) func(func(word) bool) {
	return func(yield func(word) bool) {
		w := word{start: -1}
		for i := 0; i <= len(s); {
			r, n := decode(s, i)
			inside := r >= 0 && (unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsNumber(r) || r == '_')
			if inside {
				if w.start < 0 {
					w = word{start: i}
				}
				w.add(r)
			} else if w.start >= 0 {
				w.end = i
				if !yield(w) {
					return
				}
				w = word{start: -1}
			}
			if n == 0 {
				return
			}
			i += n
		}
	}
}

func (w *word) add(r rune) {
	side := byte('f')
	switch {
	case posers[r] != 0:
		w.posers = append(w.posers, r)
	case r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z':
		w.latin, side = true, 'l'
	case r > 0x7F && unicode.IsLetter(r) && !unicode.Is(unicode.Latin, r):
		w.honest = true
	default:
		return
	}
	if w.last != 0 && w.last != side {
		w.switches++
	}
	w.last = side
}

// mixes reports whether the word mixes scripts to deceive. Two words written
// together, such as an acronym and a Russian noun, are honest.
func (w *word) mixes() bool {
	return w.latin && len(w.posers) > 0 && (!w.honest || w.switches > 1)
}

// lookAlikes lists the posing letters of confusable words as marks, each with the
// combining marks on it.
func lookAlikes(s string) []Mark {
	var out []Mark
	for w := range suspects(s) {
		for i := w.start; i < w.end; {
			r, n := decode(s, i)
			end := i + n
			if posers[r] != 0 {
				for end < w.end {
					c, size := decode(s, end)
					if !isCombining(c) {
						break
					}
					end += size
				}
				out = append(out, Mark{Kind: LookAlike, Offset: i, Count: 1, Raw: s[i:end]})
			}
			i = end
		}
	}
	return out
}

// Skeleton maps s to what a reader sees: hidden characters dropped, look-alike
// letters and compatibility forms (full-width, mathematical) as ASCII, runs of
// blanks as one space, blanks before a line end dropped. Line ends stay, as \n.
// Two texts with one skeleton can't be told apart at a glance.
func Skeleton(s string) string {
	if isPlainASCII(s) {
		return foldBlanks(s)
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := decode(s, i)
		if r == flagBase {
			n += regionTags(s[i+n:])
		}
		if like, ok := seen(r); ok {
			b.WriteString(like)
		} else {
			b.WriteString(s[i : i+n])
		}
		i += n
	}
	// What the table turns into ASCII may compose with an accent behind it.
	folded := norm.NFKC.String(mapTwins(norm.NFKC.String(b.String())))
	return foldBlanks(folded)
}

// seen says what a reader sees in place of r, where that is not r itself.
func seen(r rune) (string, bool) {
	switch {
	case r == '\n' || r == '\t':
		return "", false
	case r == 0x2028 || r == 0x2029:
		return "\n", true
	case isBlank(r):
		return " ", true
	case r < 0x20 || r >= 0x7F && r < 0xA0 || isSurrogate(r):
		return "", true
	case isSelector(r) || isFiller(r) || r == 0xAD:
		return "", true
	case r >= 0xE0000 && r <= 0xE0FFF, unicode.Is(unicode.Cf, r) && !isVisibleFormat(r):
		return "", true
	}
	return "", false
}

// mapTwins replaces posers and twins by the ASCII that they look like.
func mapTwins(s string) string {
	return strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf {
			return r
		}
		if c := posers[r]; c != 0 {
			return rune(c)
		}
		if c := latinTwins[r]; c != 0 {
			return rune(c)
		}
		return r
	}, s)
}

// foldBlanks writes each run of blanks as one space, and none at a line's end.
func foldBlanks(s string) string {
	if !strings.Contains(s, "  ") && !strings.ContainsAny(s, "\t\r") && !strings.Contains(s, " \n") && !strings.HasSuffix(s, " ") {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	blank := false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case ' ', '\t', '\r':
			blank = true
		default:
			if blank && c != '\n' {
				b.WriteByte(' ')
			}
			blank = false
			b.WriteByte(c)
		}
	}
	return b.String()
}
