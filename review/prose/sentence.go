package prose

import (
	"sort"
	"strings"
	"unicode"
)

// Sentence is one sentence, list item, heading or code block of a text. Text is
// without the blanks around it.
type Sentence struct {
	Start, End int // byte offsets: the text is s[Start:End]
	Text       string
}

// Sentences splits s. It keeps abbreviations, version numbers, file names, code
// spans, bracketed objects and quotations whole. It ends a sentence at a line end
// only where the line ends one: before a list item, a heading, an empty line, or
// where a line is too short to have been wrapped. Together the sentences hold
// every character of s that is not blank.
func Sentences(s string) []Sentence {
	sp := splitter{s: s}
	for _, block := range blocksOf(s) {
		if block.code {
			sp.emit(block.start, block.end)
			continue
		}
		sp.split(block.start, block.end)
	}
	return sp.out
}

// block is a stretch of text that sentences don't cross: a fenced code block, or
// a paragraph, list item or heading.
type block struct {
	start, end int
	code       bool
}

// blocksOf cuts s at line ends that end a sentence, and around fenced code.
func blocksOf(s string) []block {
	var out []block
	start, fence := 0, ""
	previous, spans := line{}, lineSpans(s)
	for at := 0; at < len(s); {
		l := lineAt(s, at)
		for len(spans) > 0 && spans[0].end <= at {
			spans = spans[1:]
		}
		if fence == "" && len(spans) > 0 && spans[0].start < at {
			previous, at = l, l.end // within a code span
			continue
		}
		mark := fenceOf(l.text)
		switch {
		case fence != "":
			if mark == fence {
				out = append(out, block{start, l.end, true})
				start, fence, previous = l.end, "", line{}
				at = l.end
				continue
			}
		case mark != "":
			out = append(out, block{start, at, false})
			start, fence = at, mark
		case at > start && breaksBefore(previous, l):
			out = append(out, block{start, at, false})
			start = at
		}
		previous, at = l, l.end
	}
	return append(out, block{start, len(s), fence != ""})
}

// lineSpans lists the code spans of s that go over several lines, in order: a line
// end within one ends no sentence. One backtick reaches no further than the
// paragraph or list item that it stands in, three to wherever they close.
func lineSpans(s string) []span {
	var spans []span
	for at := 0; at < len(s); {
		l := lineAt(s, at)
		if mark := fenceOf(l.text); mark != "" {
			at = fenceEnd(s, l.end, mark)
			continue
		}
		at = l.end
		if code, ok := openSpan(s, l); ok {
			spans = append(spans, code)
			at = code.end
		}
	}
	return spans
}

// fenceEnd returns the end of the line at or after at that closes a fence.
func fenceEnd(s string, at int, mark string) int {
	for at < len(s) {
		l := lineAt(s, at)
		at = l.end
		if fenceOf(l.text) == mark {
			break
		}
	}
	return at
}

// openSpan returns the code span that starts on a line and ends on a later one.
func openSpan(s string, l line) (span, bool) {
	for i := l.start; i < l.end; i++ {
		if s[i] != '`' {
			continue
		}
		stop, closed := codeEnd(s, i, len(s))
		if closed && stop > l.end {
			if code := s[i:stop]; strings.HasPrefix(code, "```") || oneParagraph(code) {
				return span{i, stop}, true
			}
			stop = i + len(s[i:stop]) - len(strings.TrimLeft(s[i:stop], "`"))
		}
		i = stop - 1
	}
	return span{}, false
}

// oneParagraph reports whether no line of code after its first is empty, a list item
// or a heading.
func oneParagraph(code string) bool {
	for at := lineAt(code, 0).end; at < len(code); {
		l := lineAt(code, at)
		if l.text == "" || isListItem(l.text) || isHeading(l.text) {
			return false
		}
		at = l.end
	}
	return true
}

// line is one line of a text; end is after its newline.
type line struct {
	start, end int
	text       string // without blanks around it
	indent     int
}

func lineAt(s string, at int) line {
	end := len(s)
	if i := strings.IndexByte(s[at:], '\n'); i >= 0 {
		end = at + i + 1
	}
	raw := s[at:end]
	text := strings.TrimSpace(raw)
	return line{start: at, end: end, text: text, indent: len(raw) - len(strings.TrimLeft(raw, " \t"))}
}

// fenceOf returns the fence that a line consists of, but for a language's name. A
// fence that closes on the same line is a code span.
func fenceOf(text string) string {
	for _, f := range []string{"```", "~~~"} {
		if rest, ok := strings.CutPrefix(text, f); ok && !strings.Contains(rest, f) {
			return f
		}
	}
	return ""
}

// wrapped is the shortest line, in bytes, that an author may have broken by hand
// for its length.
const wrapped = 56

// breaksBefore reports whether a sentence ends between two lines even without a
// full stop.
func breaksBefore(above, below line) bool {
	if above.text == "" || below.text == "" || isItem(below.text) || isHeading(below.text) || isHeading(above.text) {
		return true
	}
	if strings.HasSuffix(above.text, ":") && !strings.HasPrefix(above.text, "http") {
		return true
	}
	if isField(below.text) {
		return true
	}
	first, _ := decode(below.text, 0)
	if unicode.IsLower(first) || strings.ContainsRune("(),;", first) {
		return false
	}
	return len(above.text) < wrapped || below.indent > above.indent && !isItem(above.text)
}

// isItem reports whether a line starts a list item, a table row or a tag.
func isItem(text string) bool { return itemMark(text) > 0 }

// itemMark returns the length of the list marker at the start of text, with the
// blank after it, or 0: "- ", "* ", "• ", "1. ", "a) ", "| ", "<tag", "> ".
func itemMark(text string) int {
	r, n := decode(text, 0)
	if strings.ContainsRune("-*+•·‣◦–—→▪●✓✅❌⚠>", r) {
		next, size := decode(text, n)
		if next == emojiLook {
			n += size
			next, size = decode(text, n)
		}
		if next == ' ' || next == '\t' {
			return n + size
		}
		return 0
	}
	if r == '|' || r == '<' {
		return 1
	}
	i := 0
	for i < len(text) && i < 3 && text[i] >= '0' && text[i] <= '9' {
		i++
	}
	if i == 0 && len(text) > 1 && text[0] >= 'a' && text[0] <= 'z' {
		i = 1
	}
	if i > 0 && i+1 < len(text) && (text[i] == ')' || text[i] == '.' && text[0] <= '9') && text[i+1] == ' ' {
		return i + 2
	}
	return 0
}

func isHeading(text string) bool {
	return strings.HasPrefix(text, "#") && strings.HasPrefix(strings.TrimLeft(text, "#"), " ") ||
		strings.HasPrefix(text, "**") || strings.Trim(text, "-=_*") == "" && len(text) > 2
}

// isField reports lines of the form "name: text" or "name (type): text".
func isField(text string) bool {
	colon := strings.IndexByte(text, ':')
	if colon <= 0 || colon+1 >= len(text) || text[colon+1] != ' ' {
		return false
	}
	name := text[:colon]
	if i := strings.IndexByte(name, '('); i > 0 {
		name = strings.TrimSpace(name[:i])
	}
	return len(name) < 40 && !strings.ContainsAny(name, " \t,;")
}

// splitter cuts blocks into sentences.
type splitter struct {
	s   string
	out []Sentence
}

// emit adds s[start:end] without the blanks around it.
func (sp *splitter) emit(start, end int) {
	text := sp.s[start:end]
	left := strings.TrimLeftFunc(text, unicode.IsSpace)
	start += len(text) - len(left)
	text = strings.TrimRightFunc(left, unicode.IsSpace)
	if text != "" {
		sp.out = append(sp.out, Sentence{Start: start, End: start + len(text), Text: text})
	}
}

// split cuts a block at its full stops.
func (sp *splitter) split(start, end int) {
	s := sp.s[:end]
	kept := guarded(s, start, end)
	from := start
	for i := start; i < end; {
		if len(kept) > 0 && i >= kept[0].start {
			stop := kept[0].end
			kept = kept[1:]
			if stop <= i {
				continue
			}
			if i = stop; endsInside(s, from, stop) {
				sp.emit(from, stop)
				from = stop
			}
			continue
		}
		r, n := decode(s, i)
		if !isStop(r) {
			i += n
			continue
		}
		stop := closers(s, stops(s, i))
		if sp.ends(s, from, i, r, stop) {
			sp.emit(from, stop)
			from = stop
		}
		i = stop
	}
	sp.emit(from, end)
}

// endsInside reports whether a bracket or quotation that ends at stop ends the
// sentence too: its last character is a full stop, and a new sentence follows.
func endsInside(s string, from, stop int) bool {
	last := decodeBefore(s, stop-1)
	if !isStop(last) || !startsAnew(s, stop) || lowerNext(s, stop) {
		return false
	}
	before := stop - 1 - runeLen(last)
	return before > from && !(last == '.' && isAbbreviation(s[from:before], false))
}

// isStop reports characters that can end a sentence, in any script.
func isStop(r rune) bool {
	switch r {
	case '.', '!', '?', '…', '‽', '。', '！', '？', '｡', '．', '؟', '۔', '।', '॥', '։', '።', '။':
		return true
	}
	return false
}

// isWideStop reports full stops that need no blank after them.
func isWideStop(r rune) bool {
	return r == '。' || r == '！' || r == '？' || r == '｡'
}

// stops returns where a run of stops that starts at i ends.
func stops(s string, i int) int {
	for {
		r, n := decode(s, i)
		if !isStop(r) {
			return i
		}
		i += n
	}
}

// closers returns where the closing quotes, brackets and emphasis after i end.
func closers(s string, i int) int {
	for {
		r, n := decode(s, i)
		if n == 0 || !strings.ContainsRune(`"'”’»)]}*_」』`, r) {
			return i
		}
		i += n
	}
}

// ends reports whether the stop r at s[at], whose closers reach to stop, ends the
// sentence that began at from.
func (sp *splitter) ends(s string, from, at int, r rune, stop int) bool {
	if isWideStop(r) {
		return true
	}
	if !startsAnew(s, stop) {
		return false
	}
	if r != '.' {
		return r != '…' || !lowerNext(s, stop)
	}
	if strings.HasPrefix(s[at:], "..") && lowerNext(s, stop) {
		return false
	}
	return !isAbbreviation(s[from:at], lowerNext(s, stop))
}

// startsAnew reports whether a blank or the end follows.
func startsAnew(s string, i int) bool {
	r, _ := decode(s, i)
	return r == edge || unicode.IsSpace(r)
}

// lowerNext reports whether the next word starts in lower case or is a mark of
// punctuation that continues a sentence.
func lowerNext(s string, i int) bool {
	for {
		r, n := decode(s, i)
		if !unicode.IsSpace(r) {
			return unicode.IsLower(r) || r == ',' || r == ';' || r == ')' || r == '(' || r >= '0' && r <= '9'
		}
		i += n
	}
}

// neverEnds are abbreviations after which a sentence always goes on; mayEnd those
// that can be its last word.
var (
	neverEnds = set("e.g", "i.e", "eg", "ie", "vs", "cf", "approx", "mr", "mrs", "ms", "dr", "prof", "st", "fig", "figs",
		"eq", "ref", "resp", "ca", "al", "ver", "e.g.", "z.b", "p. ex", "viz")
	mayEnd = set("etc", "incl", "excl", "max", "min", "no", "nr", "vol", "inc", "ltd", "corp", "co", "jr", "sr", "a.m", "p.m",
		"u.s", "jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec", "dept", "est", "opt",
		"req", "alt", "ext", "orig", "temp", "misc", "sec", "secs", "mins", "hrs", "avg", "num", "pos", "def", "spec")
)

func set(words ...string) map[string]bool {
	m := make(map[string]bool, len(words))
	for _, w := range words {
		m[w] = true
	}
	return m
}

// isAbbreviation reports whether the full stop after text belongs to its last
// word. continues says that what follows looks like the same sentence.
func isAbbreviation(text string, continues bool) bool {
	i := strings.LastIndexFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune("([{\"'“/—–,;:", r)
	})
	last := text[i+1:]
	if i >= 0 {
		_, n := decode(text, i)
		last = text[i+n:]
	}
	if last == "" {
		return true // a lone stop, as in " ."
	}
	lower := strings.ToLower(last)
	if neverEnds[lower] {
		return true
	}
	if mayEnd[lower] {
		return continues
	}
	return isEnumerator(text, last)
}

// isEnumerator reports the numbers of list items at the start of a sentence.
func isEnumerator(text, last string) bool {
	if strings.TrimSpace(text) != last || len(last) > 3 {
		return false
	}
	return strings.Trim(last, "0123456789") == ""
}

// span is a half-open range of bytes.
type span struct{ start, end int }

// guard is the longest bracket or quotation, in bytes, that keeps its full stops
// from ending a sentence. A longer one is more likely to have lost its end.
const guard = 400

// guarded lists the stretches of s[start:end] in which a full stop ends nothing:
// code spans, brackets and double quotations, none inside another, in order.
func guarded(s string, start, end int) []span {
	var found []span
	var open []int // offsets of brackets not closed yet
	quote := -1
	for i := start; i < end; i++ {
		switch c := s[i]; c {
		case '`':
			j, closed := codeEnd(s, i, end)
			if closed {
				found = append(found, span{i, j})
			}
			i = j - 1
		case '(', '[', '{':
			open = append(open, i)
		case ')', ']', '}':
			if n := len(open); n > 0 && closes(s[open[n-1]], c) {
				if i-open[n-1] < guard {
					found = append(found, span{open[n-1], i + 1})
				}
				open = open[:n-1]
			}
		case '"':
			if quote >= 0 && i-quote < guard && !opensQuote(s, i, end) {
				found = append(found, span{quote, i + 1})
				quote = -1
			} else {
				quote = i
			}
		}
	}
	return outermost(found)
}

// opensQuote reports whether the quote at s[i] can only open: a blank before it
// and none after.
func opensQuote(s string, i, end int) bool {
	before, after := decodeBefore(s, i), edge
	if i+1 < end {
		after, _ = decode(s, i+1)
	}
	return (before == ' ' || before == '\n' || before == '(') && after != edge && !unicode.IsSpace(after) && !unicode.IsPunct(after)
}

func closes(open, c byte) bool {
	return open == '(' && c == ')' || open == '[' && c == ']' || open == '{' && c == '}'
}

// codeEnd returns the end of the code span that opens at s[i], or that of its
// backticks when nothing closes it.
func codeEnd(s string, i, end int) (stop int, closed bool) {
	ticks := i
	for ticks < end && s[ticks] == '`' {
		ticks++
	}
	fence := s[i:ticks]
	limit := min(end, ticks+guard)
	if len(fence) >= 3 {
		limit = min(end, ticks+10*guard) // an example of many lines
	}
	if j := strings.Index(s[ticks:limit], fence); j > 0 {
		return ticks + j + len(fence), true
	}
	return ticks, false
}

// outermost drops spans that lie in others and sorts the rest. Spans that overlap
// are joined.
func outermost(spans []span) []span {
	sort.Slice(spans, func(i, j int) bool { return spans[i].start < spans[j].start })
	var out []span
	for _, sp := range spans {
		if n := len(out); n > 0 && sp.start < out[n-1].end {
			out[n-1].end = max(out[n-1].end, sp.end)
			continue
		}
		out = append(out, sp)
	}
	return out
}
