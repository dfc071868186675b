package prose

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// token is a word, an identifier, a number, a code span, a mark of punctuation or
// a run of hidden characters. Blanks are no tokens: they stand between them.
type token struct {
	start, end int
	id         int32 // equal text, equal id, across both texts of a comparison
	weight     int32 // how much it says that the same token stands in both texts
	sentence   int32 // number of its sentence in the text
	opens      bool  // first of its sentence
	closes     bool  // last of its sentence
}

// Weights of tokens. What is in nearly every sentence says little; a name or a
// number says much.
const (
	weightFiller = 1
	weightGlyph  = 2 // one character of a script without blanks
	weightWord   = 3
	weightName   = 5 // an identifier, a number, a code span
)

// fillers are the words that stand in every English text.
var fillers = set("a", "an", "the", "of", "to", "in", "on", "at", "by", "for", "with", "from", "as", "and", "or", "is", "are",
	"be", "been", "was", "it", "its", "this", "that", "these", "those", "if", "will", "can", "which", "you", "your", "any",
	"all", "has", "have", "do", "does", "s", "de", "la", "le", "les", "des", "et", "en", "der", "die", "das", "und", "el", "y")

// text is one side of a comparison, read once.
type text struct {
	s         string
	marks     []Mark
	toks      []token
	sentences []tokenRange
}

// tokenRange is a half-open range of tokens.
type tokenRange struct{ from, to int }

// interner gives equal strings equal ids.
type interner map[string]int32

func (in interner) id(s string) int32 {
	id, ok := in[s]
	if !ok {
		id = int32(len(in))
		in[s] = id
	}
	return id
}

func readText(s string, ids interner) *text {
	t := &text{s: s, marks: HiddenIn(s)}
	t.toks = tokenise(s, t.marks)
	for i := range t.toks {
		tok := &t.toks[i]
		tok.id = ids.id(s[tok.start:tok.end])
		tok.weight = weigh(s[tok.start:tok.end])
	}
	t.markSentences()
	return t
}

// markSentences finds which tokens open and close sentences.
func (t *text) markSentences() {
	at := 0
	for _, sentence := range Sentences(t.s) {
		from := at
		for at < len(t.toks) && t.toks[at].start < sentence.End {
			at++
		}
		if at > from {
			for i := from; i < at; i++ {
				t.toks[i].sentence = int32(len(t.sentences))
			}
			t.toks[from].opens, t.toks[at-1].closes = true, true
			t.sentences = append(t.sentences, tokenRange{from, at})
		}
	}
}

// raw returns the text of tokens r with the blanks between them.
func (t *text) raw(r tokenRange) string {
	return t.s[t.toks[r.from].start:t.toks[r.to-1].end]
}

func (t *text) weight(r tokenRange) int {
	sum := 0
	for _, tok := range t.toks[r.from:r.to] {
		sum += int(tok.weight)
	}
	return sum
}

func weigh(s string) int32 {
	r, n := decode(s, 0)
	switch {
	case n == len(s) && (isSpaceless(r) || r >= utf8.RuneSelf && !isWordRune(r)):
		return weightGlyph
	case r == '`' && len(s) > 1, strings.ContainsAny(s, "0123456789_"):
		return weightName
	case n == len(s) && !isWordRune(r):
		return weightFiller
	case len(s) <= 5 && fillers[strings.ToLower(s)]:
		return weightFiller
	}
	return weightWord
}

// tokenise cuts s into tokens. No mark is ever cut: a run of hidden characters
// stands alone, or within the word that goes on behind it.
func tokenise(s string, marks []Mark) []token {
	out := make([]token, 0, len(s)/5+1)
	tz := tokeniser{s: s, marks: marks}
	for i := 0; i < len(s); {
		tz.skipMarks(i)
		if n := tz.blank(i); n > 0 {
			i += n
			continue
		}
		end := tz.next(i)
		out = append(out, token{start: i, end: end})
		i = end
	}
	return out
}

type tokeniser struct {
	s     string
	marks []Mark // those that end after the current offset
}

func (tz *tokeniser) skipMarks(i int) {
	for len(tz.marks) > 0 && tz.marks[0].End() <= i {
		tz.marks = tz.marks[1:]
	}
}

// mark returns the mark that starts at i.
func (tz *tokeniser) mark(i int) (Mark, bool) {
	tz.skipMarks(i)
	if len(tz.marks) > 0 && tz.marks[0].Offset == i {
		return tz.marks[0], true
	}
	return Mark{}, false
}

// blank returns the length of the blank at i, or 0. Unusual spaces and separators
// are blanks although they are drawn as boxes.
func (tz *tokeniser) blank(i int) int {
	if m, ok := tz.mark(i); ok {
		if m.Kind == Space || m.Kind == Separator {
			return len(m.Raw)
		}
		return 0
	}
	if r, n := decode(tz.s, i); unicode.IsSpace(r) {
		return n
	}
	return 0
}

// maxCode is the longest code span, in bytes, that is compared as one word.
const maxCode = 60

// next returns the end of the token that starts at i.
func (tz *tokeniser) next(i int) int {
	s := tz.s
	if m, ok := tz.mark(i); ok && m.Kind != LookAlike {
		return m.End()
	}
	r, n := decode(s, i)
	switch {
	case r == '`':
		return tz.code(i)
	case (r == '$' || r == '@' || r == '#') && wordAt(s, i+n):
		return tz.word(i + n)
	case r == '-' && strings.HasPrefix(s[i:], "--") && wordAt(s, i+2):
		return tz.word(i + 2)
	case isSpaceless(r):
		return tz.cluster(i)
	case isWordRune(r):
		return tz.word(i)
	}
	return tz.cluster(i)
}

// code returns the end of the code span at i, or of the ticks when it is long,
// spans lines or does not close.
func (tz *tokeniser) code(i int) int {
	ticks := i
	for ticks < len(tz.s) && tz.s[ticks] == '`' {
		ticks++
	}
	limit := min(len(tz.s), ticks+maxCode)
	if j := strings.IndexAny(tz.s[ticks:limit], "`\n"); j > 0 && ticks == i+1 && tz.s[ticks+j] == '`' && tz.cutsNoMark(ticks+j) {
		return ticks + j + 1
	}
	return ticks
}

// cutsNoMark reports whether offset i lies in no mark.
func (tz *tokeniser) cutsNoMark(i int) bool {
	for _, m := range tz.marks {
		if m.Offset >= i {
			break
		}
		if m.End() > i {
			return false
		}
	}
	return true
}

// word returns the end of the word that starts at i: letters, digits, "_", and
// connectors and hidden characters with a letter or digit behind them.
func (tz *tokeniser) word(i int) int {
	for i < len(tz.s) {
		if m, ok := tz.mark(i); ok {
			end := tz.markRun(i)
			if m.Kind != LookAlike && (tz.blank(i) > 0 || !wordAt(tz.s, end)) {
				return i
			}
			i = end
			continue
		}
		r, n := decode(tz.s, i)
		switch {
		case isWordRune(r) && !isSpaceless(r), r == zwj || r == zwnj, isSelector(r):
		case isConnector(r) && wordAt(tz.s, i+n):
		case r == ',' && digitAt(tz.s, i-1) && digitAt(tz.s, i+1):
		case r == ':' && digitAt(tz.s, i-1) && digitAt(tz.s, i+1):
		default:
			return i
		}
		i += n
	}
	return i
}

// markRun returns where the run of marks that starts at i ends, blanks left out. It
// only looks ahead.
func (tz *tokeniser) markRun(i int) int {
	for _, m := range tz.marks {
		if m.Offset != i || m.Kind == Space || m.Kind == Separator {
			break
		}
		i = m.End()
	}
	return i
}

// cluster returns the end of the one character that starts at i, with everything
// that is drawn onto it: an emoji sequence, a flag, a letter with its accents.
func (tz *tokeniser) cluster(i int) int {
	r, n := decode(tz.s, i)
	i += n
	if r == flagBase {
		i += regionTags(tz.s[i:])
	}
	if next, size := decode(tz.s, i); isRegional(r) && isRegional(next) {
		return i + size
	}
	for i < len(tz.s) {
		if _, hidden := tz.mark(i); hidden {
			return i
		}
		next, size := decode(tz.s, i)
		switch {
		case next == zwj && isPictograph(r):
			_, joined := decode(tz.s, i+size)
			size += joined
		case isCombining(next), isSelector(next), isSkinTone(next), next == keycap, next == zwj, next == zwnj:
		default:
			return i
		}
		i += size
	}
	return i
}

func isRegional(r rune) bool { return r >= 0x1F1E6 && r <= 0x1F1FF }

// isConnector reports what joins two parts of one word or name.
func isConnector(r rune) bool {
	return r == '-' || r == '.' || r == '\'' || r == '’' || r == '·' || r == 0x2011
}

func isWordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
	}
	return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r)
}

func wordAt(s string, i int) bool {
	r, _ := decode(s, i)
	return isWordRune(r) && !isSpaceless(r)
}

func digitAt(s string, i int) bool { return i >= 0 && i < len(s) && s[i] >= '0' && s[i] <= '9' }

// isSpaceless reports letters of scripts that put no blank between words. There
// each character is a token.
func isSpaceless(r rune) bool {
	return r >= 0xE00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Thai, unicode.Lao, unicode.Khmer,
		unicode.Myanmar, unicode.Tibetan, unicode.Yi)
}
