// Package lang computes with regular languages over Unicode code points: union,
// intersection, complement, emptiness, shortest members.
//
// A language is an expression, kept once per [Store] (equal expressions have
// equal [ID]s) and read with Brzozowski's derivatives: the derivative of a
// language by a character is what may follow that character. Because the
// expressions contain intersection and complement, everything that a string
// schema can say (patterns, negated patterns, allowed and forbidden values)
// becomes one expression, and look-ahead is an intersection with what follows.
//
// Simplification makes the derivatives of an expression finitely many, but
// possibly very many. Every search is therefore bounded in steps and says
// [ErrLimit] when it gives up.
package lang

import (
	"encoding/binary"
	"errors"
	"slices"
	"unicode/utf8"
)

// ErrLimit says that a language is too large to search within the bounds.
var ErrLimit = errors.New("the pattern has too many states")

// Bounds of one store.
const (
	maxNodes = 40_000  // expressions
	maxSteps = 200_000 // transitions taken by all searches
)

// ID names a language of a [Store].
type ID int32

type op uint8

const (
	opNone   op = iota // no string at all
	opEmpty            // only the empty string
	opChars            // one character of a set
	opConcat           // a then b
	opRepeat           // a, min to max times; max < 0 is unbounded
	opUnion
	opAnd
	opNot
)

type node struct {
	op       op
	nullable bool
	a, b     ID
	min, max int
	subs     []ID
	set      set
	edges    []edge // transitions, filled on first use
	cuts     []set  // sets that decide the next character, filled on first use
	known    bool   // cuts is filled
}

type edge struct {
	by rune // representative of its class of characters
	to ID
}

// Store holds expressions. It is not safe for concurrent use.
type Store struct {
	nodes []node
	index map[string]ID
	found map[search]answer
	steps int
	key   []byte

	// None holds no string, Empty only "", All every string.
	None, Empty, All ID
}

// NewStore returns a store with the trivial languages.
func NewStore() *Store {
	s := &Store{index: map[string]ID{}, found: map[search]answer{}}
	s.None = s.add(node{op: opNone})
	s.Empty = s.add(node{op: opEmpty, nullable: true})
	s.All = s.Repeat(s.chars(anyChar), 0, -1)
	return s
}

// add returns the ID of n, which must be simplified.
func (s *Store) add(n node) ID {
	k := append(s.key[:0], byte(n.op))
	k = binary.AppendVarint(k, int64(n.a))
	k = binary.AppendVarint(k, int64(n.b))
	k = binary.AppendVarint(k, int64(n.min))
	k = binary.AppendVarint(k, int64(n.max))
	for _, x := range n.subs {
		k = binary.AppendVarint(k, int64(x))
	}
	for _, r := range n.set {
		k = binary.AppendVarint(k, int64(r.lo))
		k = binary.AppendVarint(k, int64(r.hi))
	}
	s.key = k
	if id, ok := s.index[string(k)]; ok {
		return id
	}
	id := ID(len(s.nodes))
	s.nodes = append(s.nodes, n)
	s.index[string(k)] = id
	return id
}

// full reports whether the store has no room for further work.
func (s *Store) full() bool { return len(s.nodes) > maxNodes || s.steps > maxSteps }

func (s *Store) chars(c set) ID {
	if len(c) == 0 {
		return s.None
	}
	return s.add(node{op: opChars, set: c})
}

// Literal is the language of one string.
func (s *Store) Literal(text string) ID {
	out := s.Empty
	rs := []rune(text)
	for i := len(rs) - 1; i >= 0; i-- {
		out = s.Concat(s.chars(set{{rs[i], rs[i]}}), out)
	}
	return out
}

// Concat is a followed by b.
func (s *Store) Concat(a, b ID) ID {
	switch {
	case a == s.None || b == s.None:
		return s.None
	case a == s.Empty:
		return b
	case b == s.Empty:
		return a
	case a == s.All && b == s.All:
		return a
	}
	if n := &s.nodes[a]; n.op == opConcat { // right-associative, so that equal texts meet
		x, y := n.a, n.b
		return s.Concat(x, s.Concat(y, b))
	}
	if n := &s.nodes[b]; a == s.All && n.op == opConcat && n.a == s.All {
		return b
	}
	return s.add(node{op: opConcat, a: a, b: b, nullable: s.nodes[a].nullable && s.nodes[b].nullable})
}

// Repeat is a, min to max times; a negative max is unbounded.
func (s *Store) Repeat(a ID, min, max int) ID {
	switch {
	case max == 0 || a == s.Empty:
		return s.Empty
	case a == s.None && min == 0:
		return s.Empty
	case a == s.None:
		return s.None
	case min == 1 && max == 1:
		return a
	}
	n := &s.nodes[a]
	if n.op == opRepeat && n.min == 0 && n.max < 0 {
		return a
	}
	if n.nullable {
		min = 0
	}
	return s.add(node{op: opRepeat, a: a, min: min, max: max, nullable: min == 0})
}

// Union is every string of any of the languages.
func (s *Store) Union(ids ...ID) ID {
	var subs []ID
	var chars set
	for _, id := range s.flatten(opUnion, ids) {
		switch {
		case id == s.None:
		case id == s.All:
			return s.All
		case s.nodes[id].op == opChars:
			chars = chars.union(s.nodes[id].set)
		default:
			subs = append(subs, id)
		}
	}
	if len(chars) > 0 {
		subs = append(subs, s.chars(chars))
	}
	return s.group(opUnion, subs, s.None, s.All)
}

// And is every string that all of the languages have.
func (s *Store) And(ids ...ID) ID {
	var subs []ID
	for _, id := range s.flatten(opAnd, ids) {
		switch id {
		case s.All:
		case s.None:
			return s.None
		default:
			subs = append(subs, id)
		}
	}
	return s.group(opAnd, subs, s.All, s.None)
}

func (s *Store) flatten(o op, ids []ID) []ID {
	var out []ID
	for _, id := range ids {
		if n := &s.nodes[id]; n.op == o {
			out = append(out, n.subs...)
		} else {
			out = append(out, id)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// group makes a union or an intersection of sorted or unsorted members: unit
// when there is none, zero when a member stands beside its complement.
func (s *Store) group(o op, subs []ID, unit, zero ID) ID {
	slices.Sort(subs)
	subs = slices.Compact(subs)
	nullable := o == opAnd
	for _, id := range subs {
		n := &s.nodes[id]
		if n.op == opNot {
			if _, both := slices.BinarySearch(subs, n.a); both {
				return zero
			}
		}
		if o == opAnd {
			nullable = nullable && n.nullable
		} else {
			nullable = nullable || n.nullable
		}
	}
	switch len(subs) {
	case 0:
		return unit
	case 1:
		return subs[0]
	}
	return s.add(node{op: o, subs: subs, nullable: nullable})
}

// Not is every string that the language lacks.
func (s *Store) Not(a ID) ID {
	switch {
	case a == s.None:
		return s.All
	case a == s.All:
		return s.None
	case s.nodes[a].op == opNot:
		return s.nodes[a].a
	}
	return s.add(node{op: opNot, a: a, nullable: !s.nodes[a].nullable})
}

// Length is every string of min to max characters; a negative max is unbounded.
func (s *Store) Length(min, max int) ID { return s.Repeat(s.chars(anyChar), min, max) }

// derive returns what may follow c in the language.
func (s *Store) derive(id ID, c rune) ID {
	n := s.nodes[id]
	switch n.op {
	case opChars:
		if n.set.has(c) {
			return s.Empty
		}
		return s.None
	case opConcat:
		d := s.Concat(s.derive(n.a, c), n.b)
		if s.nodes[n.a].nullable {
			d = s.Union(d, s.derive(n.b, c))
		}
		return d
	case opRepeat:
		rest := n.max
		if rest > 0 {
			rest--
		}
		return s.Concat(s.derive(n.a, c), s.Repeat(n.a, max(n.min-1, 0), rest))
	case opNot:
		return s.Not(s.derive(n.a, c))
	case opUnion, opAnd:
		ds := make([]ID, len(n.subs))
		for i, sub := range n.subs {
			ds[i] = s.derive(sub, c)
		}
		if n.op == opUnion {
			return s.Union(ds...)
		}
		return s.And(ds...)
	}
	return s.None
}

// Matches reports whether text is in the language.
func (s *Store) Matches(id ID, text string) bool {
	for _, c := range text {
		if id == s.None {
			return false
		}
		id = s.derive(id, c)
	}
	return s.nodes[id].nullable
}

// deciders returns the sets whose members decide the derivative of id.
func (s *Store) deciders(id ID) []set {
	if n := &s.nodes[id]; n.known {
		return n.cuts
	}
	n := s.nodes[id]
	var out []set
	switch n.op {
	case opChars:
		out = []set{n.set}
	case opConcat:
		out = s.deciders(n.a)
		if s.nodes[n.a].nullable {
			out = mergeSets(out, s.deciders(n.b))
		}
	case opRepeat, opNot:
		out = s.deciders(n.a)
	case opUnion, opAnd:
		for _, sub := range n.subs {
			out = mergeSets(out, s.deciders(sub))
		}
	}
	s.nodes[id].cuts, s.nodes[id].known = out, true
	return out
}

// next returns the transitions of id, one per class of characters that lead to
// different languages, most readable character first.
func (s *Store) next(id ID) []edge {
	if e := s.nodes[id].edges; e != nil {
		return e
	}
	edges := []edge{}
	seen := map[ID]bool{}
	for _, c := range representatives(s.deciders(id)) {
		to := s.derive(id, c)
		if to != s.None && !seen[to] {
			seen[to] = true
			edges = append(edges, edge{c, to})
		}
	}
	s.nodes[id].edges = edges
	return edges
}

type search struct {
	id       ID
	min, max int
}

type answer struct {
	text string
	ok   bool
	err  error
}

// Find returns a shortest string of min to max characters in the language; a
// negative max is unbounded. It says false when there is none.
func (s *Store) Find(id ID, min, max int) (string, bool, error) {
	q := search{id, min, max}
	a, ok := s.found[q]
	if !ok {
		a.text, a.ok, a.err = s.find(q)
		s.found[q] = a
	}
	return a.text, a.ok, a.err
}

// visit is a step of the breadth-first search, linked to the one before.
type visit struct {
	at   ID
	by   rune
	from int
}

func (s *Store) find(q search) (string, bool, error) {
	if q.max >= 0 && q.max < q.min {
		return "", false, nil
	}
	visits := []visit{{at: q.id, from: -1}}
	layer := []int{0}
	expanded := map[ID]bool{} // at or beyond the minimal length
	for length := 0; len(layer) > 0; length++ {
		var next []int
		inNext := map[ID]bool{}
		for _, i := range layer {
			at := visits[i].at
			if length >= q.min {
				if s.nodes[at].nullable {
					return spell(visits, i), true, nil
				}
				if expanded[at] {
					continue
				}
				expanded[at] = true
			}
			if s.steps++; s.full() {
				return "", false, ErrLimit
			}
			for _, e := range s.next(at) {
				if !inNext[e.to] {
					inNext[e.to] = true
					visits = append(visits, visit{e.to, e.by, i})
					next = append(next, len(visits)-1)
				}
			}
		}
		if length == q.max {
			break
		}
		layer = next
	}
	return "", false, nil
}

func spell(visits []visit, i int) string {
	var rs []rune
	for ; visits[i].from >= 0; i = visits[i].from {
		rs = append(rs, visits[i].by)
	}
	slices.Reverse(rs)
	return string(rs)
}

// Contains reports whether every string of b of min to max characters is in a.
func (s *Store) Contains(a, b ID, min, max int) (bool, error) {
	_, found, err := s.Find(s.And(b, s.Not(a)), min, max)
	return !found, err
}

// Enumerate returns up to limit strings of the language, shortest first, and
// whether that is all of them.
func (s *Store) Enumerate(id ID, min, max, limit int) ([]string, bool, error) {
	var out []string
	for len(out) <= limit {
		text, ok, err := s.Find(id, min, max)
		if err != nil || !ok {
			return out, err == nil, err
		}
		if len(out) == limit {
			break
		}
		out = append(out, text)
		id = s.And(id, s.Not(s.Literal(text)))
	}
	return out, false, nil
}

// Runes counts characters as JSON Schema does.
func Runes(text string) int { return utf8.RuneCountInString(text) }
