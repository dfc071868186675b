package lint

import "strings"

// hay is a text in which many words are looked for. It knows which pairs of bytes stand
// in it, so that most words are ruled out without a look at the text: rules ask for some
// hundred words, and a text holds few of them.
type hay struct {
	s     string
	pairs *pairs // nil for a text so short that looking is as quick
}

// pairs says which pairs of bytes occur, folded into few bits: a pair that does occur is
// never missing.
type pairs [16]uint64

// shortHay is the length up to which a text is just looked through.
const shortHay = 32

func newHay(s string) hay {
	h := hay{s: s}
	if len(s) <= shortHay {
		return h
	}
	h.pairs = new(pairs)
	for i := 1; i < len(s); i++ {
		p := pairOf(s[i-1], s[i])
		h.pairs[p/64] |= 1 << (p % 64)
	}
	return h
}

func pairOf(a, b byte) uint { return (uint(a)*37 + uint(b)) % 1024 }

// may reports whether a part can stand in the text; false is certain.
func (h hay) may(part string) bool {
	if h.pairs == nil {
		return true
	}
	for i := 1; i < len(part); i++ {
		if p := pairOf(part[i-1], part[i]); h.pairs[p/64]&(1<<(p%64)) == 0 {
			return false
		}
	}
	return true
}

// index is strings.Index.
func (h hay) index(part string) int {
	if !h.may(part) {
		return -1
	}
	return strings.Index(h.s, part)
}

// has reports whether one of the parts stands in the text.
func (h hay) has(parts ...string) bool {
	for _, p := range parts {
		if h.may(p) && strings.Contains(h.s, p) {
			return true
		}
	}
	return false
}
