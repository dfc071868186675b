package prose

// Words counts the words of s: what stands between blanks and punctuation. In a
// script without blanks every letter counts.
func Words(s string) int {
	n := 0
	for _, tok := range tokenise(s, HiddenIn(s)) {
		if isWord(s[tok.start:tok.end]) {
			n++
		}
	}
	return n
}

// isWord reports whether a token holds a letter or a digit.
func isWord(s string) bool {
	for i := 0; i < len(s); {
		r, n := decode(s, i)
		if isWordRune(r) && !isCombining(r) {
			return true
		}
		i += n
	}
	return false
}

// NewWords counts the words that a reviewer of d must read: those inserted. A
// moved passage was read before and doesn't count.
func NewWords(d Diff) int {
	n := 0
	for _, p := range d.New {
		if p.Op == Insert {
			n += Words(p.Raw)
		}
	}
	return n
}
