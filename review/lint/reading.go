package lint

import (
	"html"
	"net/url"
	"strings"
	"sync"
	"unicode"
)

// reread is a text as somebody reads it who passes over markup and spelling tricks:
// without inline tags, with entities and escapes resolved, with joined and spaced words
// set as words. It is "" when that is the text as folded, which it nearly always is.
func (t *text) reread() string {
	s := t.fold()
	out := s
	if strings.IndexByte(out, '<') >= 0 {
		out = withoutTags(out)
	}
	if hasEntity(out) {
		out = html.UnescapeString(out)
	}
	if strings.Contains(out, `\u00`) || strings.Contains(out, `\x`) {
		if plain := unescapeFrom(out, 1); plain != "" {
			out = plain
		}
	}
	if strings.Count(out, "%") >= 3 {
		if plain, err := url.PathUnescape(out); err == nil {
			out = plain
		}
	}
	if i := strings.Index(out, "**"); i > 0 && isSmall(out[i-1]) {
		out = strings.ReplaceAll(out, "**", "")
	}
	out = openWords(out)
	if out == s {
		return ""
	}
	return folded(out)
}

// inlineTags are elements that change nothing about the words but their look; after the
// others a new line begins.
var inlineTags = setOf("b i em strong u s span font a code sub sup small big mark tt del ins wbr abbr kbd q")

var blockTags = setOf("p br div li ul ol td tr th table h1 h2 h3 h4 hr blockquote pre")

// withoutTags removes the tags of HTML that only set words.
func withoutTags(s string) string {
	var b strings.Builder
	for {
		i := strings.IndexByte(s, '<')
		if i < 0 {
			break
		}
		b.WriteString(s[:i])
		s = s[i:]
		name, size := tagAt(s)
		switch {
		case inlineTags[name]:
			s = s[size:]
		case blockTags[name]:
			b.WriteByte(' ')
			s = s[size:]
		default:
			b.WriteByte('<')
			s = s[1:]
		}
	}
	b.WriteString(s)
	return b.String()
}

// maxTag is the longest tag that is read as one.
const maxTag = 200

// tagAt returns the name and the size of the tag at the start of s, "" when there is
// none.
func tagAt(s string) (string, int) {
	end := strings.IndexByte(short(s, maxTag), '>')
	if end < 2 {
		return "", 0
	}
	name := strings.Trim(s[1:end], "/ ")
	if i := strings.IndexAny(name, " \n\t/"); i > 0 {
		name = name[:i]
	}
	return name, end + 1
}

// hasEntity reports whether a character is spelled as HTML does it.
func hasEntity(s string) bool {
	for at := 0; ; {
		i := strings.IndexByte(s[at:], '&')
		if i < 0 {
			return false
		}
		at += i + 1
		rest := short(s[at:], 10)
		if end := strings.IndexByte(rest, ';'); end > 0 && !strings.ContainsAny(rest[:end], " &=") || strings.HasPrefix(rest, "#") {
			return true
		}
	}
}

// Bounds from which a run is a spelling trick and no name, number or list.
const (
	minSpelled = 5 // letters that stand alone in a row
	minJoined  = 3 // words that dashes join
	minLeet    = 2 // words with digits in the place of letters
)

// openWords sets words as words: "i g n o r e", "i-g-n-o-r-e", "Ignore-all-previous" and
// "1gn0re prev1ous". It looks at every byte a bounded number of times.
func openWords(s string) string {
	s = joinSpelled(s)
	leet, joined := 0, false
	mapWords(s, func(w string) string {
		if isLeet(w) {
			leet++
		}
		joined = joined || isJoined(w)
		return w
	})
	if !joined && leet < minLeet {
		return s
	}
	return mapWords(s, func(w string) string {
		switch {
		case isJoined(w):
			return strings.NewReplacer("-", " ", "_", " ").Replace(w)
		case leet >= minLeet && isLeet(w):
			return unleet.Replace(w)
		}
		return w
	})
}

// mapWords replaces what stands between blanks; it copies nothing as long as nothing is
// replaced.
func mapWords(s string, f func(string) string) string {
	var b strings.Builder
	from := 0
	for i := 0; i < len(s); {
		if s[i] == ' ' || s[i] == '\n' || s[i] == '\t' {
			i++
			continue
		}
		start := i
		for i < len(s) && s[i] != ' ' && s[i] != '\n' && s[i] != '\t' {
			i++
		}
		if w := s[start:i]; len(w) >= 4 {
			if now := f(w); now != w {
				b.WriteString(s[from:start])
				b.WriteString(now)
				from = i
			}
		}
	}
	if from == 0 {
		return s
	}
	b.WriteString(s[from:])
	return b.String()
}

// isJoined reports whether a word is a sentence that dashes or underscores hold together.
func isJoined(w string) bool {
	if strings.Count(w, "-")+strings.Count(w, "_") < minJoined {
		return false
	}
	return strings.Trim(w, "abcdefghijklmnopqrstuvwxyz-_.,;:!?'\"()") == "" && !strings.Contains(w, "--")
}

// isLeet reports whether digits stand in a word for letters: one before or between them.
func isLeet(w string) bool {
	if strings.IndexByte(w, '0') < 0 && strings.IndexByte(w, '1') < 0 && strings.IndexByte(w, '3') < 0 && strings.IndexByte(w, '4') < 0 && strings.IndexByte(w, '5') < 0 && strings.IndexByte(w, '7') < 0 {
		return false
	}
	w = strings.Trim(w, ".,;:!?'\"()")
	if len(w) < 4 || strings.Trim(w, "abcdefghijklmnopqrstuvwxyz01345789@$") != "" {
		return false
	}
	letters, inner := 0, false
	for i := range len(w) {
		switch {
		case 'a' <= w[i] && w[i] <= 'z':
			letters++
		case i+1 < len(w) && 'a' <= w[i+1] && w[i+1] <= 'z':
			inner = true
		}
	}
	return inner && letters >= 2
}

var unleet = strings.NewReplacer("0", "o", "1", "i", "3", "e", "4", "a", "5", "s", "7", "t", "8", "b", "9", "g", "@", "a", "$", "s")

// joinSpelled joins runs of letters that stand alone, and parts the words again.
func joinSpelled(s string) string {
	var b strings.Builder
	from := 0
	for i := 0; i+2*minSpelled-1 <= len(s); {
		end := spelledAt(s, i)
		if end < 0 {
			i++
			continue
		}
		b.WriteString(s[from:i])
		for _, w := range strings.FieldsFunc(s[i:end], func(r rune) bool { return r == '\n' || r == '\t' }) {
			for _, word := range strings.Split(strings.ReplaceAll(w, "   ", "  "), "  ") {
				b.WriteString(partWords(lettersOf(word)))
				b.WriteByte(' ')
			}
		}
		from, i = end, end
	}
	if from == 0 {
		return s
	}
	b.WriteString(s[from:])
	return b.String()
}

// spelledAt returns the end of a run of letters, each alone between blanks, dashes or
// dots, that starts at i; -1 when there is none.
func spelledAt(s string, i int) int {
	if !isSmall(s[i]) || i > 0 && (isSmall(s[i-1]) || isDigit(s[i-1])) || !isGap(s[i+1]) {
		return -1
	}
	n, end := 0, i
	for j := i; j < len(s) && isSmall(s[j]) && (j+1 == len(s) || !isSmall(s[j+1]) && !isDigit(s[j+1])); {
		n++
		end = j + 1
		for j = end; j < len(s) && j < end+3 && isGap(s[j]); j++ {
		}
		if j == end {
			break
		}
	}
	if n < minSpelled {
		return -1
	}
	return end
}

func isSmall(c byte) bool { return 'a' <= c && c <= 'z' }

func isGap(c byte) bool {
	return c == ' ' || c == '-' || c == '.' || c == '_' || c == '*' || c == '/' || c == '|'
}

func lettersOf(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) {
			return r
		}
		return -1
	}, s)
}

// vocabulary are the words that patterns look for: to part a run of letters needs no
// others.
var vocabulary = sync.OnceValue(func() set {
	words := setOf("a an and the to of is it this that")
	for _, ps := range phrases.byFirst {
		for _, p := range ps {
			for _, part := range p.parts {
				for w := range part.words {
					words[w] = true
				}
			}
		}
	}
	return words
})

// longestWord bounds what is tried as one word.
const longestWord = 14

// partWords parts letters into words, the longest that is known first.
func partWords(s string) string {
	known := vocabulary()
	var b strings.Builder
	for i := 0; i < len(s); {
		n := min(longestWord, len(s)-i)
		for n > 1 && !known[s[i:i+n]] {
			n--
		}
		if n > 1 {
			b.WriteByte(' ')
		}
		b.WriteString(s[i : i+n])
		if i += n; n > 1 && i < len(s) {
			b.WriteByte(' ')
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}
