package host

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// protoKey is the one key that an object of JavaScript can't be given by assignment.
const protoKey = "__proto__"

// scripted returns what a JavaScript program has after reading and copying n:
// numbers are doubles, keys that are array indexes come first in order of size,
// and a key called __proto__ is lost.
func (n *node) scripted() *node {
	if n == nil || !n.odd {
		return n
	}
	switch n.kind {
	case '0':
		return number(n.text)
	case '[':
		return n.mapElems((*node).scripted)
	}
	members := make([]member, 0, len(n.members))
	for _, m := range n.members {
		if m.name != protoKey {
			members = append(members, member{m.name, m.value.scripted()})
		}
	}
	slices.SortStableFunc(members, func(a, b member) int { return compareIndexes(a.name, b.name) })
	return indexed(members)
}

// doubled returns n with every number as a double, as programs in Go have it.
func (n *node) doubled() *node {
	if n == nil || !n.odd {
		return n
	}
	if n.kind == '0' {
		return number(n.text)
	}
	return n.mapped(func(_ string, v *node) *node { return v.doubled() })
}

// isIndex reports whether JavaScript takes a key for an array index.
func isIndex(s string) bool {
	if len(s) == 0 || len(s) > 10 || s[0] == '0' && len(s) > 1 {
		return false
	}
	v, err := strconv.ParseUint(s, 10, 64)
	return err == nil && s[0] != '+' && v < math.MaxUint32
}

// compareIndexes puts indexes first, by size, and leaves other keys as they are.
func compareIndexes(a, b string) int {
	switch ai, bi := isIndex(a), isIndex(b); {
	case ai && bi && len(a) != len(b):
		return len(a) - len(b)
	case ai && bi:
		return strings.Compare(a, b)
	case ai:
		return -1
	case bi:
		return 1
	}
	return 0
}

// isPlainNumber reports whether a number is written as a double prints itself. It
// may say no to some that are.
func isPlainNumber(w []byte) bool {
	if len(w) > 15 || string(w) == "-0" {
		return false
	}
	for i, c := range w {
		if (c < '0' || c > '9') && (i > 0 || c != '-') {
			return string(formatDouble(parseDouble(w))) == string(w)
		}
	}
	return true
}

func parseDouble(w []byte) float64 {
	f, _ := strconv.ParseFloat(string(w), 64) // out of range gives the infinity that a host gets
	return f
}

// number returns the number that a double holds of the literal.
func number(w []byte) *node {
	f := parseDouble(w)
	if math.IsInf(f, 0) {
		return nullNode // as JSON.stringify writes it
	}
	return &node{kind: '0', text: formatDouble(f)}
}

// formatDouble writes a double as ECMAScript does.
func formatDouble(f float64) []byte {
	if f == 0 {
		return []byte("0")
	}
	if a := math.Abs(f); a >= 1e-6 && a < 1e21 {
		return strconv.AppendFloat(nil, f, 'f', -1, 64)
	}
	b := strconv.AppendFloat(nil, f, 'e', -1, 64)
	if n := len(b); n >= 4 && b[n-4] == 'e' && b[n-2] == '0' { // e-07 is written e-7
		b = append(b[:n-2], b[n-1])
	}
	return b
}
