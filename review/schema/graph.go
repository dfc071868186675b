package schema

import (
	"encoding/binary"
	"math/big"
	"sort"
)

// lit is a schema or its negation: twice the number of a node, plus one for
// "not". Equal schemas have equal lits, whatever document they stand in.
type lit int32

// The trivial schemas: node 0 accepts everything.
const (
	always lit = 0
	never  lit = 1
)

func (l lit) not() lit { return l ^ 1 }

func (l lit) negative() bool { return l&1 == 1 }

// types is a set of JSON types; integer counts beside number.
type types uint8

const (
	typeInteger types = 1 << 6
	allTypes    types = 1<<6 - 1
)

func typeOf(k kind) types { return 1 << k }

var typeNames = map[string]types{
	"null": 1 << kindNull, "boolean": 1 << kindBool, "number": 1 << kindNumber, "integer": typeInteger,
	"string": 1 << kindString, "array": 1 << kindArray, "object": 1 << kindObject,
}

type property struct {
	name string
	lit  lit
}

// node is one schema object in a form that no longer depends on the dialect:
// tuples are prefix, dependencies are split, exclusive bounds are flags.
type node struct {
	linked bool // a $ref met while its target was still being read
	link   lit
	opaque string // why the schema can't be analysed; "" when it can
	shape  []lit  // the declared reading's shape of these schemas, see closure

	types      types
	enums      [][]*value
	lo, hi     *big.Rat
	loX, hiX   bool // the bound itself is excluded
	multiples  []*big.Rat
	minLen     int
	maxLen     int // -1 for none, as all maxima
	patterns   []string
	prefix     []lit
	rest       lit // items behind prefix
	hasRest    bool
	contains   lit
	hasContain bool
	minContain int
	maxContain int
	marks      bool // items that satisfy contains count as evaluated, since 2020-12
	minItems   int
	maxItems   int
	unique     bool
	props      []property
	patProps   []property // name is the pattern
	extra      lit
	hasExtra   bool // additionalProperties is given
	required   []string
	minProps   int
	maxProps   int
	names      lit
	hasNames   bool
	needs      []need
	allOf      []lit
	anyOf      []lit
	oneOf      []lit
	hasAny     bool
	hasOne     bool
	not        []lit
	cond       bool
	ifL        lit
	thenL      lit
	elseL      lit
	leftProps  lit // unevaluatedProperties
	hasLeftP   bool
	leftItems  lit
	hasLeftI   bool
}

// need says that the property name brings names or a schema with it.
type need struct {
	name  string
	names []string
	lit   lit
}

func newNode() *node {
	return &node{types: allTypes, maxLen: -1, minContain: 1, maxContain: -1, maxItems: -1, maxProps: -1}
}

// graph holds the nodes of all documents of one comparison.
type graph struct {
	nodes []*node
	index map[string]lit
}

func newGraph() *graph {
	g := &graph{index: map[string]lit{}}
	g.nodes = append(g.nodes, newNode())
	g.index[newNode().key()] = always
	return g
}

func (g *graph) node(l lit) *node { return g.nodes[l>>1] }

// intern returns the lit of a node that is complete.
func (g *graph) intern(n *node) lit {
	k := n.key()
	if l, ok := g.index[k]; ok {
		return l
	}
	l := g.append(n)
	g.index[k] = l
	return l
}

func (g *graph) append(n *node) lit {
	g.nodes = append(g.nodes, n)
	return lit(len(g.nodes)-1) << 1
}

// resolve follows links to the schema they stand for.
func (g *graph) resolve(l lit) lit {
	for range 64 {
		n := g.node(l)
		if !n.linked {
			return l
		}
		l = n.link ^ (l & 1)
	}
	return l
}

// constant is the schema that accepts exactly v.
func (g *graph) constant(v *value) lit {
	n := newNode()
	n.enums = [][]*value{{v}}
	return g.intern(n)
}

// keyer writes the parts of a node so that equal nodes give equal keys.
type keyer struct{ b []byte }

func (k *keyer) num(tag byte, xs ...int) {
	k.b = append(k.b, tag)
	for _, x := range xs {
		k.b = binary.AppendVarint(k.b, int64(x))
	}
}

func (k *keyer) lits(tag byte, ls []lit) {
	k.num(tag, len(ls))
	for _, l := range ls {
		k.b = binary.AppendVarint(k.b, int64(l))
	}
}

func (k *keyer) text(tag byte, s string) {
	k.num(tag, len(s))
	k.b = append(k.b, s...)
}

func (k *keyer) rat(tag byte, r *big.Rat) {
	if r != nil {
		k.text(tag, r.RatString())
	}
}

func (k *keyer) props(tag byte, ps []property) {
	k.num(tag, len(ps))
	for _, p := range ps {
		k.text('n', p.name)
		k.num('l', int(p.lit))
	}
}

func (n *node) key() string {
	k := &keyer{}
	k.num('t', int(n.types), flags(n.loX, n.hiX, n.unique, n.hasRest, n.hasContain, n.hasExtra, n.hasNames,
		n.hasAny, n.hasOne, n.cond, n.hasLeftP, n.hasLeftI, n.marks))
	k.num('m', n.minLen, n.maxLen, n.minContain, n.maxContain, n.minItems, n.maxItems, n.minProps, n.maxProps)
	k.num('l', int(n.rest), int(n.contains), int(n.extra), int(n.names), int(n.ifL), int(n.thenL), int(n.elseL),
		int(n.leftProps), int(n.leftItems))
	k.text('o', n.opaque)
	for _, e := range n.enums {
		keys := make([]string, len(e))
		for i, v := range e {
			keys[i] = v.key()
		}
		sort.Strings(keys)
		k.num('e', len(e))
		for _, s := range keys {
			k.text('v', s)
		}
	}
	k.rat('<', n.lo)
	k.rat('>', n.hi)
	for _, m := range n.multiples {
		k.rat('*', m)
	}
	for _, p := range n.patterns {
		k.text('p', p)
	}
	k.lits('P', n.prefix)
	k.props('o', n.props)
	k.props('O', n.patProps)
	for _, r := range n.required {
		k.text('r', r)
	}
	for _, d := range n.needs {
		k.text('d', d.name)
		k.num('D', int(d.lit), len(d.names))
		for _, s := range d.names {
			k.text('s', s)
		}
	}
	k.lits('a', n.allOf)
	k.lits('y', n.anyOf)
	k.lits('x', n.oneOf)
	k.lits('!', n.not)
	k.lits('s', n.shape)
	return string(k.b)
}

func flags(bs ...bool) int {
	out := 0
	for i, b := range bs {
		if b {
			out |= 1 << i
		}
	}
	return out
}
