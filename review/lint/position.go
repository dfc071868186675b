package lint

import "strings"

// position says how the passage of a hit stands: as a quotation, as something that
// the sentence says of somebody else, or as a command to the reader.
func (h *hit) position() PositionClass {
	if h.text.hidden {
		return Instruction // what nobody was to see describes nothing
	}
	s := h.text.fold()
	sent := h.text.sentenceAt(h.start)
	switch {
	case quotedAt(s, sent.Start, sent.End, h.start, h.end) || exampleBefore(s[sent.Start:h.start]):
		return Quoted
	case h.certain:
		return Instruction
	case describesGuard(s[sent.Start:h.start]) || describesGuard(s[min(h.end, sent.End):sent.End]) && guardSubject(s[h.end:sent.End]):
		return Described
	}
	return Instruction
}

// quotePairs are the marks between which words are cited.
var quotePairs = []struct{ open, close string }{
	{"`", "`"}, {`"`, `"`}, {"“", "”"}, {"«", "»"}, {"„", "“"}, {"「", "」"}, {"『", "』"},
	{"‘", "’"}, {" '", "'"}, {"('", "'"},
}

// quotedAt reports whether a stretch stands between quotation marks of its sentence.
// Marks are counted from the start of the sentence, so that a mark which is never
// closed quotes nothing.
func quotedAt(s string, from, to, start, end int) bool {
	for _, q := range quotePairs {
		for at := from; ; {
			i := strings.Index(s[at:to], q.open)
			if i < 0 || at+i+len(q.open) > start {
				break
			}
			open := at + i + len(q.open)
			j := strings.Index(s[open:to], q.close)
			if j < 0 {
				break
			}
			if open <= start && end <= open+j {
				return true
			}
			at = open + j + len(q.close)
		}
	}
	return false
}

// exampleBefore reports whether the words just before introduce an example.
func exampleBefore(before string) bool {
	before = strings.TrimRight(before, " :(\"'`")
	for _, intro := range []string{"such as", "e.g.", "e.g", "for example", "for instance", "i.e.", "like", "phrases like", "known as"} {
		if strings.HasSuffix(before, intro) {
			return true
		}
	}
	return false
}

// guards are verbs of sentences that say what a tool looks for or refuses.
var guards = setOf(`detects detect detecting flags flagging blocks blocking prevents prevent scans scan scanning rejects refuses refuse
	recognises recognizes identifies identify classifies classify matches warns catches strips sanitises sanitizes
	attempts protects guards denies refused rejected blocked forbidden prohibited disallowed detected`)

// describesGuard looks only at the clause that the passage stands in.
func describesGuard(s string) bool {
	w := words(s[strings.LastIndexAny(s, ";:")+1:])
	for i, word := range w {
		if guards[word] {
			return !supposed(w[:i]) // "if the guard rejects it, …" describes no guard
		}
	}
	return false
}

// supposed reports whether a case is opened just before a word.
func supposed(before []string) bool {
	for _, w := range before[max(0, len(before)-4):] {
		if w == "if" || w == "when" || w == "whenever" {
			return true
		}
	}
	return false
}

// guardSubject reports whether what follows makes the passage the subject of the
// sentence: "… are refused".
func guardSubject(after string) bool {
	w := words(after)
	for i, word := range w {
		if i > 6 {
			return false
		}
		if word == "is" || word == "are" || word == "get" || word == "will" {
			return true
		}
	}
	return false
}
