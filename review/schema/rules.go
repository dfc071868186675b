package schema

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
)

// replaced handles places where the two schemas have nothing in common that
// could be compared keyword by keyword.
func (w *walker) replaced(p *place) bool {
	a, b := p.flatA, p.flatB
	all := func(n *node) { *n = *b }
	name := w.name(p)
	old, new := p.old[0], p.new[0]
	switch {
	case w.elsewhere(a) != w.elsewhere(b):
		w.rule(p, "ref.remote", old, new, w.elsewhereWords(name, a, b), "", all)
	case a.types != 0 && b.types == 0 && p.inProp:
		w.rule(p, "property.forbidden", old, new, upper(name)+" is not allowed any more.",
			w.either("Calls with "+name+" are now rejected.", upper(name)+" is not allowed any more."), all).narrows = true
	case a.types == 0 && b.types != 0 && p.inProp:
		w.rule(p, "property.allowed", old, new, upper(name)+" is allowed now.", w.either("", "Results may carry "+name+" now."), all)
	case a.types == 0 || b.types == 0:
		w.rule(p, "type.changed", old, new, upper(name)+" takes "+typeWords(b.types)+" now; it was "+typeWords(a.types)+".", "", all)
	case meetTypes(a.types, b.types) == 0:
		old, new = typeView(p.old), typeView(p.new)
		must := fmt.Sprintf("%s must be %s now; it was %s.", upper(name), typeWords(b.types), typeWords(a.types))
		w.rule(p, "type.changed", old, new, must, w.either(must, upper(name)+" is "+typeWords(b.types)+strings.TrimSuffix(w.inResults(p), ".")+"; it was "+typeWords(a.types)+"."), all)
	default:
		return false
	}
	return true
}

// elsewhere returns why a place can't be analysed at all, such as a reference
// that leads out; "" when it can.
func (w *walker) elsewhere(n *node) string {
	bare := *newNode()
	bare.allOf = n.allOf
	if len(n.allOf) != 1 || n.key() != bare.key() {
		return ""
	}
	return w.p.solver.node(n.allOf[0]).opaque
}

func (w *walker) elsewhereWords(name string, a, b *node) string {
	if why := w.elsewhere(b); why != "" {
		return upper(name) + " can't be analysed now: " + why + "."
	}
	return upper(name) + " is described here now; it was " + w.elsewhere(a) + "."
}

// typeView is where the type is written, or the union or schema that says it.
func typeView(parts []view) view {
	for _, word := range []string{"type", "anyOf", "oneOf"} {
		if t := parts[0].child(word); t.v != nil {
			return t
		}
	}
	if t := find(parts, "type"); t.v != nil {
		return t
	}
	return parts[0]
}

// scalars compares the keywords that hold no schemas.
func (w *walker) scalars(p *place) {
	w.types(p)
	w.values(p)
	w.numbers(p)
	w.lengths(p)
	w.patterns(p)
}

func (w *walker) types(p *place) {
	a, b := p.flatA, p.flatB
	if a.types == b.types {
		return
	}
	w.typeEdit(p, typeNow(a), typeNow(b))
}

// typeNow is the set of types that a node takes, its list of values considered.
func typeNow(n *node) types {
	vals, limited := n.values()
	if !limited {
		return n.types
	}
	var t types
	for _, v := range vals {
		if n.types.admits(v) {
			if v.kind == kindNumber && v.num.IsInt() {
				t |= typeInteger
			} else {
				t |= typeOf(v.kind)
			}
		}
	}
	if t&typeOf(kindNumber) != 0 {
		t &^= typeInteger
	}
	return t
}

func (w *walker) typeEdit(p *place, was, is types) {
	null := typeOf(kindNull)
	name := w.name(p)
	_, limitedA := p.flatA.values()
	_, limitedB := p.flatB.values()
	if was == is || limitedA && limitedB {
		return // the list of values tells it
	}
	old, new := typeView(p.old), typeView(p.new)
	take := func(n *node) { n.types = p.flatB.types }
	lost, gained := was&^is, is&^was
	if is&typeOf(kindNumber) != 0 {
		lost &^= typeInteger
	}
	if was&typeOf(kindNumber) != 0 {
		gained &^= typeInteger
	}
	switch {
	case lost == 0 && gained == null:
		w.rule(p, "type.nullable.added", old, new, w.nullAllowed(p), "", take)
	case gained == 0 && lost == null:
		w.rule(p, "type.nullable.removed", old, new, w.nullGone(p), "", take).narrows = true
	case lost == 0:
		w.rule(p, "type.widened", old, new, upper(name)+w.either(" also accepts ", " may also be ")+typeWords(gained)+w.inResults(p), "", take)
	case gained == 0:
		w.rule(p, "type.narrowed", old, new, w.narrowedType(name, was, is), "", take).narrows = true
	default:
		w.rule(p, "type.changed", old, new, fmt.Sprintf("%s takes %s now; it was %s.", upper(name), typeWords(is), typeWords(was)), "", take)
	}
}

func (w *walker) nullAllowed(p *place) string {
	return upper(w.name(p)) + " may be null" + w.inResults(p)
}

func (w *walker) nullGone(p *place) string {
	return upper(w.name(p)) + w.either(" no longer accepts null.", " is never null"+w.inResults(p))
}

func (w *walker) narrowedType(name string, was, is types) string {
	if was&allTypes == allTypes {
		return fmt.Sprintf("%s must be %s now.", upper(name), typeWords(is))
	}
	return fmt.Sprintf("%s must be %s now; it could be %s.", upper(name), typeWords(is), typeWords(was))
}

// valueView is where the list of values is written.
func valueView(parts []view) (view, bool) {
	if c := find(parts, "const"); c.v != nil {
		return c, true
	}
	if e := find(parts, "enum"); e.v != nil {
		return e, false
	}
	for _, word := range []string{"oneOf", "anyOf"} {
		if u := find(parts, word); u.v != nil {
			return u, false
		}
	}
	return view{}, false
}

func (w *walker) values(p *place) {
	was, hadA := p.flatA.values()
	is, hasB := p.flatB.values()
	if !hadA && !hasB {
		return
	}
	old, constA := valueView(p.old)
	new, constB := valueView(p.new)
	name := upper(w.name(p))
	take := func(n *node) { n.enums, n.types = p.flatB.enums, p.flatB.types }
	switch {
	case !hadA:
		id := "enum.introduced"
		if constB {
			id = "const.added"
		}
		w.rule(p, id, old, new, name+w.either(" accepts only "+list(is, "and"), " is always "+list(is, "or"))+" now.", "", take).narrows = true
	case !hasB:
		id := "enum.dropped"
		if constA {
			id = "const.removed"
		}
		w.rule(p, id, old, new, name+w.either(" accepts values other than ", " may be other than ")+list(was, "and")+w.inResults(p), "", take)
	case constA && constB && distinct(slices.Concat(was, is)):
		w.rule(p, "const.changed", old, new, fmt.Sprintf("%s must be %s now, was %s.", name, list(is, "and"), list(was, "and")), "", take)
	default:
		w.listed(p, was, is, old, new)
	}
}

// listed compares two lists of values.
func (w *walker) listed(p *place, was, is []*value, old, new view) {
	name := upper(w.name(p))
	gone, fresh := minus(was, is), minus(is, was)
	if len(gone) > 0 {
		w.rule(p, "enum.value.removed", old, new, name+w.either(" no longer accepts "+list(gone, "and"), " is never "+list(gone, "or"))+w.either(".", w.inResults(p)), "",
			func(n *node) { n.enums = [][]*value{minus(was, gone)} }).narrows = true
	}
	if len(fresh) > 0 {
		types := p.flatB.types
		w.rule(p, "enum.value.added", old, new, name+w.either(" also accepts "+list(fresh, "and"), " may also be "+list(fresh, "or"))+w.inResults(p), "",
			func(n *node) {
				n.enums = [][]*value{slices.Concat(was, fresh)}
				n.types |= types
			})
	}
}

// minus returns the values of a that b lacks.
func minus(a, b []*value) []*value {
	in := map[string]bool{}
	for _, v := range b {
		in[v.key()] = true
	}
	var out []*value
	for _, v := range a {
		if !in[v.key()] {
			out = append(out, v)
		}
	}
	return out
}

func (w *walker) numbers(p *place) {
	a, b := p.flatA, p.flatB
	lowA, lowB := closedBound(a, a.lo, a.loX, 1), closedBound(b, b.lo, b.loX, 1)
	if !equalRat(lowA, lowB) || a.loX != b.loX && !sameInteger(a, b) {
		w.bound(p, "minimum", "exclusiveMinimum", a.lo, b.lo, a.loX, b.loX, compareBounds(a.lo, b.lo, a.loX, b.loX, 1), "below",
			func(n *node) { n.lo, n.loX = b.lo, b.loX })
	}
	highA, highB := closedBound(a, a.hi, a.hiX, -1), closedBound(b, b.hi, b.hiX, -1)
	if !equalRat(highA, highB) || a.hiX != b.hiX && !sameInteger(a, b) {
		w.bound(p, "maximum", "exclusiveMaximum", a.hi, b.hi, a.hiX, b.hiX, compareBounds(a.hi, b.hi, a.hiX, b.hiX, -1), "above",
			func(n *node) { n.hi, n.hiX = b.hi, b.hiX })
	}
	if !slices.EqualFunc(a.multiples, b.multiples, equalRat) {
		w.multiples(p)
	}
}

func sameInteger(a, b *node) bool { return onlyIntegers(a) && onlyIntegers(b) }

func onlyIntegers(n *node) bool { return n.types&typeOf(kindNumber) == 0 }

// closedBound is the bound that integers see: above 0 is at least 1.
func closedBound(n *node, r *big.Rat, open bool, dir int64) *big.Rat {
	if r == nil || !open || !onlyIntegers(n) || !r.IsInt() {
		return r
	}
	return new(big.Rat).Add(r, big.NewRat(dir, 1))
}

func equalRat(a, b *big.Rat) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Cmp(b) == 0
}

// compareBounds is positive when the bound got tighter; dir is 1 for a minimum.
func compareBounds(was, is *big.Rat, wasOpen, isOpen bool, dir int) int {
	switch {
	case is == nil:
		return -1
	case was == nil:
		return 1
	}
	if c := is.Cmp(was) * dir; c != 0 {
		return c
	}
	if isOpen && !wasOpen {
		return 1
	}
	return -1
}

func (w *walker) bound(p *place, word, openWord string, was, is *big.Rat, wasOpen, isOpen bool, tighter int, beyond string, take func(n *node)) {
	pick := func(parts []view, open bool) view {
		if v := find(parts, openWord); open && v.v != nil && v.v.kind == kindNumber {
			return v
		}
		if v := find(parts, word); v.v != nil {
			return v
		}
		return find(parts, openWord)
	}
	old, new := pick(p.old, wasOpen), pick(p.new, isOpen)
	name := upper(w.name(p))
	if tighter > 0 {
		edge := ratText(is)
		sentence := fmt.Sprintf("%s no longer accepts values %s %s.", name, beyond, edge)
		switch {
		case w.p.dir == Output && isOpen:
			sentence = fmt.Sprintf("%s is never %s or %s it%s", name, edge, beyond, w.inResults(p))
		case w.p.dir == Output:
			sentence = fmt.Sprintf("%s is never %s %s%s", name, beyond, edge, w.inResults(p))
		case isOpen:
			sentence = fmt.Sprintf("%s no longer accepts %s or values %s it.", name, edge, beyond)
		}
		w.rule(p, "range.narrowed", old, new, sentence, "", take).narrows = true
		return
	}
	sentence := fmt.Sprintf("%s has no %s any more.", name, word)
	switch {
	case is != nil && is.Cmp(was) == 0:
		sentence = fmt.Sprintf("%s may be %s itself now.", name, ratText(is))
	case is != nil:
		sentence = fmt.Sprintf("The %s of %s is %s now, was %s.", word, w.name(p), ratText(is), ratText(was))
	}
	w.rule(p, "range.widened", old, new, sentence, "", take)
}

func (w *walker) multiples(p *place) {
	a, b := p.flatA.multiples, p.flatB.multiples
	old, new := find(p.old, "multipleOf"), find(p.new, "multipleOf")
	take := func(n *node) { n.multiples = b }
	name := upper(w.name(p))
	switch {
	case len(b) == 0:
		w.rule(p, "multipleOf.widened", old, new, fmt.Sprintf("%s need not be a multiple of %s any more.", name, ratText(a[0])), "", take)
	case len(a) == 1 && isMultiple(a[0], b[0]):
		w.rule(p, "multipleOf.widened", old, new, fmt.Sprintf("%s must be a multiple of %s now, was %s.", name, ratText(b[0]), ratText(a[0])), "", take)
	default:
		w.rule(p, "multipleOf.narrowed", old, new, fmt.Sprintf("%s must be a multiple of %s now.", name, ratText(b[0])), "", take).narrows = true
	}
}

// span is a pair of counts of one kind of thing.
type span struct {
	least, most string // keywords
	id          string
	one, many   string
	empty       string
	get         func(n *node) (*int, *int)
}

var spans = []span{
	{"minLength", "maxLength", "length", "character", "characters", "an empty string", func(n *node) (*int, *int) { return &n.minLen, &n.maxLen }},
	{"minItems", "maxItems", "items.count", "item", "items", "an empty array", func(n *node) (*int, *int) { return &n.minItems, &n.maxItems }},
	{"minProperties", "maxProperties", "properties.count", "property", "properties", "an empty object", func(n *node) (*int, *int) { return &n.minProps, &n.maxProps }},
}

func (w *walker) lengths(p *place) {
	for _, s := range spans {
		leastA, mostA := s.get(p.flatA)
		leastB, mostB := s.get(p.flatB)
		if *leastA != *leastB {
			w.count(p, s, s.least, "fewer than", *leastA, *leastB, *leastB > *leastA, func(n *node) {
				least, _ := s.get(n)
				*least = *leastB
			})
		}
		if *mostA != *mostB {
			w.count(p, s, s.most, "more than", *mostA, *mostB, *mostA < 0 || *mostB >= 0 && *mostB < *mostA, func(n *node) {
				_, most := s.get(n)
				*most = *mostB
			})
		}
	}
}

func (w *walker) count(p *place, s span, word, beyond string, was, is int, tighter bool, take func(n *node)) {
	old, new := find(p.old, word), find(p.new, word)
	name := upper(w.name(p))
	units := func(n int) string {
		if n == 1 {
			return "1 " + s.one
		}
		return fmt.Sprintf("%d %s", n, s.many)
	}
	if tighter {
		sentence := fmt.Sprintf("%s no longer accepts %s %s.", name, beyond, units(is))
		if beyond == "fewer than" && is == 1 {
			sentence = fmt.Sprintf("%s no longer accepts %s.", name, s.empty)
		}
		if w.p.dir == Output {
			sentence = fmt.Sprintf("%s never has %s %s%s", name, beyond, units(is), w.inResults(p))
		}
		w.rule(p, s.id+".narrowed", old, new, sentence, "", take).narrows = true
		return
	}
	sentence := fmt.Sprintf("%s may have any number of %s now.", name, s.many)
	switch {
	case beyond == "more than" && is >= 0:
		sentence = fmt.Sprintf("%s may have up to %s now, was %d.", name, units(is), was)
	case beyond == "fewer than" && was == 1:
		sentence = fmt.Sprintf("%s may be %s now.", name, s.empty)
	case beyond == "fewer than" && is == 0:
		sentence = fmt.Sprintf("%s may have fewer than %s now.", name, units(was))
	case beyond == "fewer than":
		sentence = fmt.Sprintf("%s needs only %s now, was %d.", name, units(is), was)
	}
	w.rule(p, s.id+".widened", old, new, sentence, "", take)
}

func (w *walker) patterns(p *place) {
	a, b := p.flatA.patterns, p.flatB.patterns
	if slices.Equal(a, b) {
		return
	}
	old, new := find(p.old, "pattern"), find(p.new, "pattern")
	take := func(n *node) { n.patterns = b }
	name := upper(w.name(p))
	switch {
	case len(a) == 0:
		w.rule(p, "pattern.added", old, new, fmt.Sprintf("%s must match %s now.", name, b[0]), "", take).narrows = true
	case len(b) == 0:
		w.rule(p, "pattern.removed", old, new, fmt.Sprintf("%s need not match %s any more.", name, a[0]), "", take)
	default:
		breaks := ""
		if w.p.dir == Output {
			breaks = fmt.Sprintf("%s may also be what matches %s%s It was %s.", name, b[0], w.inResults(p), a[0])
		}
		e := w.rule(p, "pattern.changed", old, new, fmt.Sprintf("%s must match %s now. Before, it had to match %s.", name, b[0], a[0]), breaks, take)
		e.widens = w.either(fmt.Sprintf("%s also accepts what matches %s now. Before, it had to match %s.", name, b[0], a[0]), "")
	}
}

// coarse compares a keyword that is judged as a whole.
type coarse struct {
	id        string
	words     []string  // keywords, the first that is written is shown
	sentences [3]string // for added, removed, changed
	key       func(n *node) []lit
	take      func(n, from *node)
}

var coarses = []coarse{
	{"not", []string{"not"}, [3]string{"%s excludes some values now.", "%s excludes nothing any more.", "What %s excludes changed."}, func(n *node) []lit { return n.not }, func(n, from *node) { n.not = from.not }},
	{"contains", []string{"contains", "minContains", "maxContains"}, [3]string{"%s must contain certain items now.", "%s need not contain certain items any more.", "Which items %s must contain changed."},
		func(n *node) []lit {
			if !n.hasContain {
				return nil
			}
			return []lit{n.contains, lit(n.minContain), lit(n.maxContain)}
		},
		func(n, from *node) {
			n.contains, n.hasContain, n.minContain, n.maxContain, n.marks = from.contains, from.hasContain, from.minContain, from.maxContain, from.marks
		}},
	{"propertyNames", []string{"propertyNames"}, [3]string{"The property names of %s are limited now.", "The property names of %s are not limited any more.", "Which property names %s allows changed."},
		func(n *node) []lit {
			if !n.hasNames {
				return nil
			}
			return []lit{n.names}
		},
		func(n, from *node) { n.names, n.hasNames = from.names, from.hasNames }},
	{"conditional", []string{"if", "then", "else"}, [3]string{"%s has a conditional rule now.", "%s lost its conditional rule.", "The conditional rule of %s changed."},
		func(n *node) []lit {
			if !n.cond {
				return nil
			}
			return []lit{n.ifL, n.thenL, n.elseL}
		},
		func(n, from *node) { n.cond, n.ifL, n.thenL, n.elseL = from.cond, from.ifL, from.thenL, from.elseL }},
	{"dependency", []string{"dependentRequired", "dependentSchemas", "dependencies"}, [3]string{"Some properties of %s need others now.", "Properties of %s no longer need others.", "Which properties of %s need which others changed."}, needLits,
		func(n, from *node) { n.needs = from.needs }},
	{"unevaluatedItems", []string{"unevaluatedItems"}, [3]string{"Further items of %s are limited now.", "Further items of %s are not limited any more.", "Which further items %s allows changed."},
		func(n *node) []lit {
			if !n.hasLeftI {
				return nil
			}
			return []lit{n.leftItems}
		},
		func(n, from *node) { n.leftItems, n.hasLeftI = from.leftItems, from.hasLeftI }},
	{"allOf", []string{"allOf", "$ref"}, [3]string{"%s must fit one more schema now.", "%s has one schema less to fit.", "The schemas that %s must fit changed."}, func(n *node) []lit { return n.allOf }, func(n, from *node) { n.allOf = from.allOf }},
}

// needLits makes needs comparable; names are hashed into the list as they are.
func needLits(n *node) []lit {
	var out []lit
	for _, d := range n.needs {
		out = append(out, d.lit, lit(len(d.names)))
		for _, s := range append([]string{d.name}, d.names...) {
			for _, r := range s {
				out = append(out, lit(r))
			}
			out = append(out, -1)
		}
	}
	return out
}

// conditions compares the keywords whose schemas are judged as a whole.
func (w *walker) conditions(p *place) {
	for _, c := range coarses {
		a, b := c.key(p.flatA), c.key(p.flatB)
		if !slices.Equal(a, b) {
			w.coarse(p, c, a == nil, b == nil)
			continue
		}
		for _, word := range c.words {
			w.reworded(p, c.id, word)
		}
	}
}

func (w *walker) coarse(p *place, c coarse, wasNone, isNone bool) {
	var old, new view
	for _, word := range c.words {
		o, n := find(p.old, word), find(p.new, word)
		if (o.v != nil || n.v != nil) && (o.v == nil || n.v == nil || o.v.key() != n.v.key()) {
			old, new = o, n
			break
		}
	}
	for _, word := range c.words {
		if old.v == nil && new.v == nil { // written alike, but it means something else now
			old, new = find(p.old, word), find(p.new, word)
		}
	}
	verb, sentence := "changed", c.sentences[2]
	switch {
	case wasNone:
		verb, sentence = "added", c.sentences[0]
	case isNone:
		verb, sentence = "removed", c.sentences[1]
	}
	name := w.name(p)
	if strings.HasPrefix(sentence, "%s") {
		name = upper(name)
	}
	e := w.rule(p, c.id+"."+verb, old, new, fmt.Sprintf(sentence, name), "", func(n *node) { c.take(n, p.flatB) })
	if c.id == "dependency" && w.p.dir == Input {
		e.breaks = w.newNeed(p)
	}
}

// newNeed says the one new dependency between properties, if it is one.
func (w *walker) newNeed(p *place) string {
	had := map[string]bool{}
	for _, d := range p.flatA.needs {
		for _, n := range d.names {
			had[d.name+"\x00"+n] = true
		}
	}
	out := ""
	for _, d := range p.flatB.needs {
		for _, n := range d.names {
			if had[d.name+"\x00"+n] {
				continue
			}
			if out != "" {
				return ""
			}
			out = fmt.Sprintf("Calls with %s but without %s are now rejected.", w.property(p, d.name), w.property(p, n))
		}
	}
	return out
}

// reworded mentions texts that changed inside a schema that means the same.
func (w *walker) reworded(p *place, id, word string) {
	old, new := find(p.old, word), find(p.new, word)
	if word == "allOf" || word == "$ref" || old.v == nil || new.v == nil || old.v.key() == new.v.key() {
		return
	}
	w.note(p, id+".changed", old, new, fmt.Sprintf("`%s` of %s is worded differently.", word, w.name(p)))
}
