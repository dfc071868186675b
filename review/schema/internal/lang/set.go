package lang

import (
	"slices"
	"unicode"
)

// span is a range of code points, both ends included.
type span struct{ lo, hi rune }

// set is a sorted list of spans that neither touch nor overlap.
type set []span

// Surrogates are no characters: a JSON string that holds one is refused earlier.
const (
	surrogateMin = 0xD800
	surrogateMax = 0xDFFF
)

var anyChar = set{{0, surrogateMin - 1}, {surrogateMax + 1, unicode.MaxRune}}

// makeSet sorts and merges spans given as pairs of bounds.
func makeSet(pairs []rune) set {
	var out set
	for i := 0; i+1 < len(pairs); i += 2 {
		lo, hi := pairs[i], min(pairs[i+1], unicode.MaxRune)
		if lo < surrogateMin && hi > surrogateMax {
			out = append(out, span{lo, surrogateMin - 1}, span{surrogateMax + 1, hi})
			continue
		}
		if lo >= surrogateMin && lo <= surrogateMax {
			lo = surrogateMax + 1
		}
		if hi >= surrogateMin && hi <= surrogateMax {
			hi = surrogateMin - 1
		}
		if lo <= hi {
			out = append(out, span{lo, hi})
		}
	}
	return out.normal()
}

func (c set) normal() set {
	slices.SortFunc(c, func(a, b span) int { return int(a.lo) - int(b.lo) })
	out := c[:0]
	for _, r := range c {
		if n := len(out); n > 0 && r.lo <= out[n-1].hi+1 && r.lo != surrogateMax+1 {
			out[n-1].hi = max(out[n-1].hi, r.hi)
		} else {
			out = append(out, r)
		}
	}
	return out
}

// complement is every character that c lacks.
func (c set) complement() set {
	var pairs []rune
	next := rune(0)
	for _, sp := range c {
		if sp.lo > next {
			pairs = append(pairs, next, sp.lo-1)
		}
		next = sp.hi + 1
	}
	if next <= unicode.MaxRune {
		pairs = append(pairs, next, unicode.MaxRune)
	}
	return makeSet(pairs)
}

func (c set) has(r rune) bool {
	_, ok := slices.BinarySearchFunc(c, r, func(s span, r rune) int {
		switch {
		case s.hi < r:
			return -1
		case s.lo > r:
			return 1
		}
		return 0
	})
	return ok
}

func (c set) union(d set) set {
	return append(append(make(set, 0, len(c)+len(d)), c...), d...).normal()
}

func (c set) equal(d set) bool { return slices.Equal(c, d) }

// mergeSets appends the sets of b that a lacks.
func mergeSets(a, b []set) []set {
	out := slices.Clip(a)
	for _, s := range b {
		if !slices.ContainsFunc(out, s.equal) {
			out = append(out, s)
		}
	}
	return out
}

// readable are the characters that a witness should be spelled with, best first.
var readable = []rune("a0-A_. /@:1bxz9Z, +=*#%&?!~'\"()[]{}<>|\\^$;`")

// representatives returns one character of each class that the sets tell apart,
// readable ones first.
func representatives(sets []set) []rune {
	seen := map[string]bool{}
	var out []rune
	try := func(r rune) {
		if r > unicode.MaxRune || (r >= surrogateMin && r <= surrogateMax) {
			return
		}
		k := make([]byte, (len(sets)+7)/8)
		for i, s := range sets {
			if s.has(r) {
				k[i/8] |= 1 << (i % 8)
			}
		}
		if !seen[string(k)] {
			seen[string(k)] = true
			out = append(out, r)
		}
	}
	for _, r := range readable {
		try(r)
	}
	for _, s := range sets {
		for _, sp := range s {
			try(firstPrintable(sp))
			try(sp.lo)
			try(sp.hi + 1)
		}
	}
	try(0)
	return out
}

func firstPrintable(s span) rune {
	for r := s.lo; r <= s.hi && r < s.lo+64; r++ {
		if unicode.IsPrint(r) && r != ' ' {
			return r
		}
	}
	return s.lo
}
