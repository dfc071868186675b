package lint

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/countersign/countersign/review/prose"
)

// unicodeRules look at the characters as received, before anything is folded.
func (v *view) unicodeRules() {
	for _, t := range v.texts {
		v.blankRun(t)
		v.writtenEscape(t)
		if isPlain(t.s) {
			continue
		}
		marks := prose.HiddenIn(t.s)
		stray := zeroWidthSeverity(t, marks)
		for _, m := range marks {
			v.mark(t, m, stray)
		}
		v.lookAlikes(t)
		v.compatForm(t)
		if !norm.NFC.IsNormalString(t.s) {
			v.at(t, "unicode.not-nfc", Info, "This text is not in composed form (NFC): the same letters can have other bytes elsewhere.")
		}
	}
}

// at reports a finding about a text.
func (v *view) at(t *text, rule string, sev Severity, message string) *Finding {
	return v.found(rule, sev, t.node, message)
}

// mark reports a run of hidden characters. One kind is one finding in a text: the first
// run stands for all, so that a million of them cost one.
func (v *view) mark(t *text, m prose.Mark, stray Severity) {
	switch m.Kind {
	case prose.Tag:
		v.tagBlock(t, m)
	case prose.Selector:
		v.selectors(t, m)
	case prose.Bidi:
		v.hiddenOnce(t, m, "unicode.bidi", Critical)
	case prose.ZeroWidth, prose.Stack, prose.Separator, prose.Unassigned:
		v.hiddenOnce(t, m, "unicode.zero-width", stray)
	case prose.SoftHyphen:
		v.hiddenOnce(t, m, "unicode.zero-width", Info)
	case prose.ByteOrder:
		sev := High
		if m.Offset == 0 {
			sev = Info
		}
		v.hiddenOnce(t, m, "unicode.zero-width", sev)
	case prose.Control, prose.BadByte, prose.Surrogate:
		v.hiddenOnce(t, m, "unicode.control", controlSeverity(m))
	case prose.PrivateUse:
		v.hiddenOnce(t, m, "unicode.private-use", Warn)
	}
}

// zeroWidthSeverity tells a message, or a name that is not what it looks like, from a
// stray character that came with a copy: one kind of them, and few.
func zeroWidthSeverity(t *text, marks []prose.Mark) Severity {
	if t.role == roleName || t.role == roleProperty || t.role == roleValue {
		return High
	}
	kinds, n := map[rune]bool{}, 0
	for _, m := range marks {
		if m.Kind == prose.ZeroWidth {
			kinds[m.First()] = true
			n += m.Count
		}
	}
	if len(kinds) > 1 || n >= strayMarks {
		return High
	}
	return Warn
}

// strayMarks is how many zero-width characters are no accident.
const strayMarks = 4

// controlSeverity is critical for what drives a terminal.
func controlSeverity(m prose.Mark) Severity {
	if c := m.First(); m.Kind == prose.Control && (c == 0x1b || c == 0x07 || c == 0x08 || c == '\r' || c >= 0x80 && c < 0xa0) {
		return Critical
	}
	return High
}

func (v *view) hiddenOnce(t *text, m prose.Mark, rule string, sev Severity) {
	if i, ok := t.marked[rule]; ok {
		if f := &v.findings[i]; sev.Rank() > f.Severity.Rank() {
			f.Severity, f.Message, f.Excerpt = sev, markMessage(t, m), around(t.s, m.Offset, m.End())
		}
		return
	}
	if t.marked == nil {
		t.marked = map[string]int{}
	}
	t.marked[rule] = len(v.findings)
	v.at(t, rule, sev, markMessage(t, m)).Excerpt = around(t.s, m.Offset, m.End())
}

func markMessage(t *text, m prose.Mark) string {
	return fmt.Sprintf("Hidden here: %s (%s), at byte %d of %d.", m.Label(), m.Title(), m.Offset, len(t.s))
}

// around is the neighbourhood of a stretch, as received.
func around(s string, start, end int) string {
	const room = 40
	from := max(0, start-room)
	for from > 0 && !utf8.RuneStart(s[from]) {
		from--
	}
	to := min(len(s), end+room)
	for to < len(s) && !utf8.RuneStart(s[to]) {
		to++
	}
	return s[from:to]
}

// maxTagMessage is about three decoded runs.
const maxTagMessage = 700

func (v *view) tagBlock(t *text, m prose.Mark) {
	decoded := m.Decoded()
	v.hiddenOnce(t, m, "unicode.tag-block", Critical)
	if f := &v.findings[t.marked["unicode.tag-block"]]; len(f.Message) < maxTagMessage {
		f.Message += fmt.Sprintf(" They spell %q.", short(decoded, 200))
	}
	v.addDecoded(t, decoded)
}

// maxDecoded bounds how many hidden texts of one tool are read as texts.
const maxDecoded = 50

// addDecoded lets the text rules read what was hidden in a text.
func (v *view) addDecoded(t *text, s string) *text {
	if strings.TrimSpace(s) == "" || v.decoded >= maxDecoded {
		return nil
	}
	v.decoded++
	d := &text{node: t.node, role: t.role, output: t.output, s: s, hidden: true}
	v.texts = append(v.texts, d)
	return d
}

// selectors judges variation selectors: one that is out of place is odd, several in a
// row, or one of the supplement, can carry bytes.
func (v *view) selectors(t *text, m prose.Mark) {
	decoded := decodeSelectors(m.Raw)
	sev, message := Info, markMessage(t, m)
	if m.Count > 1 || m.First() >= 0xe0100 {
		sev = Critical
		message = fmt.Sprintf("%d variation selectors out of place can carry bytes; as bytes they read %q.", m.Count, short(decoded, 120))
		if isReadable(decoded) {
			v.addDecoded(t, decoded)
		}
	}
	v.hiddenOnce(t, m, "unicode.variation-selector", sev)
	if i := t.marked["unicode.variation-selector"]; v.findings[i].Severity == sev && sev == Critical {
		v.findings[i].Message = message
	}
}

// decodeSelectors reads selectors as bytes, the way smuggled text is written in them:
// FE00 is 0, E0100 is 16.
func decodeSelectors(s string) string {
	var b []byte
	for _, r := range s {
		switch {
		case r >= 0xfe00 && r <= 0xfe0f:
			b = append(b, byte(r-0xfe00))
		case r >= 0xe0100 && r <= 0xe01ef:
			b = append(b, byte(r-0xe0100+16))
		}
	}
	return string(b)
}

// isReadable reports whether s is text of at least eight printable characters, three
// quarters of them ASCII.
func isReadable(s string) bool {
	if len(s) < 8 {
		return false
	}
	other, n := 0, 0
	for _, r := range s {
		n++
		switch {
		case r >= 0x20 && r <= 0x7e || r == '\n' || r == '\t' || r == '\r':
		case r == utf8.RuneError || !unicode.IsPrint(r):
			return false
		default:
			other++
		}
	}
	return other*4 <= n
}

// lookAlikes reports words that are not what they look like: in names, and in prose.
func (v *view) lookAlikes(t *text) {
	isName := t.role == roleName || t.role == roleProperty
	if isName {
		folded := prose.Skeleton(t.s)
		if folded != t.s && isPlain(folded) && isIdentifier(folded) && hasForeignLetter(t.s) {
			v.at(t, "unicode.confusable-name", High, fmt.Sprintf("This name looks like %q and is another one.", folded))
		} else if part := twoScripts(t.s); part != "" {
			v.at(t, "unicode.confusable-name", High, fmt.Sprintf("%q mixes Latin with letters of another script that look like it.", part))
		}
		return
	}
	for _, c := range prose.Confusables(t.s) {
		f := v.at(t, "unicode.mixed-script", Warn, fmt.Sprintf("The word %q looks like %q but holds letters of another script.", c.Word, c.Looks))
		f.Excerpt = around(t.s, c.Offset, c.Offset+len(c.Word))
		return
	}
}

// twoScripts returns the first part of a name that mixes Latin letters with those of an
// alphabet that looks like it, "" when there is none.
func twoScripts(name string) string {
	for _, part := range strings.FieldsFunc(name, func(r rune) bool { return strings.ContainsRune("_-./: ", r) }) {
		latin, other := false, false
		for _, r := range part {
			latin = latin || r < 0x80 && unicode.IsLetter(r)
			other = other || unicode.In(r, unicode.Cyrillic, unicode.Greek, unicode.Armenian, unicode.Cherokee)
		}
		if latin && other {
			return part
		}
	}
	return ""
}

func isIdentifier(s string) bool {
	for i := range len(s) {
		if c := s[i]; !isWordByte(c|0x20) && !isUpper(c) && c != '-' && c != '.' && c != '_' && (c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

func hasForeignLetter(s string) bool {
	for _, r := range s {
		if r >= 0x80 && unicode.IsLetter(r) {
			return true
		}
	}
	return false
}

// compatForm reports letters in a form that only looks different, such as full-width or
// mathematical ones, where at least four stand in a row.
func (v *view) compatForm(t *text) {
	run, start := 0, 0
	for i, r := range t.s {
		if r >= 0x80 && unicode.In(r, unicode.L, unicode.So) && foldsToLetter(r) {
			if run++; run == 1 {
				start = i
			}
			if run == 4 {
				f := v.at(t, "unicode.compat-form", Warn, fmt.Sprintf("Letters in a compatibility form: this reads %q.", short(norm.NFKC.String(t.s[start:]), 60)))
				f.Excerpt = around(t.s, start, i)
				return
			}
			continue
		}
		if r != ' ' {
			run = 0
		}
	}
}

func foldsToLetter(r rune) bool {
	folded := norm.NFKC.String(string(r))
	return len(folded) == 1 && (folded[0]|0x20 >= 'a' && folded[0]|0x20 <= 'z')
}

// Blanks that push the rest of a text out of sight.
const (
	blankLines  = 8
	blankSpaces = 80
)

func (v *view) blankRun(t *text) {
	if len(t.s) < blankLines {
		return
	}
	lines, spaces := 0, 0
	for i, r := range t.s {
		switch r {
		case '\n', 0x2028, 0x2029:
			lines++
			spaces = 0
		case ' ', '\t', 0xa0, 0x2800, 0x3000, '\r':
			spaces++
		default:
			if (lines >= blankLines || spaces >= blankSpaces) && i > 0 {
				f := v.at(t, "unicode.blank-run", High, fmt.Sprintf("Text goes on after a gap of %d lines and %d blanks, where a reader may not look: %q.", lines, spaces, short(t.s[i:], 80)))
				f.Excerpt = excerpt(t.s[i:])
				return
			}
			lines, spaces = 0, 0
		}
	}
}

// writtenEscape finds terminal sequences that are spelled out: a program that decodes
// them once more sends them to a terminal. Text in quotation marks speaks of them.
func (v *view) writtenEscape(t *text) {
	if t.role == roleHidden || t.role == roleProperty || strings.IndexByte(t.s, '\\') < 0 {
		return
	}
	s := lower(t.s)
	for _, esc := range []string{`\x1b[`, `\u001b[`, `\033[`, `\e[`, `\x1b]`, `\u001b]`, `\033]`} {
		if i := strings.Index(s, esc); i >= 0 {
			if quotedAt(s, 0, len(s), i, i+len(esc)) || exampleBefore(s[:i]) {
				return
			}
			v.at(t, "unicode.control", Critical, "A terminal sequence is written out here: "+esc+" …").Excerpt = around(t.s, i, i+len(esc))
			return
		}
	}
}
