package schema

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
)

// document is one schema document while it is read into a graph.
type document struct {
	graph    *graph
	root     *value
	draft    int // 4, 6, 7, 2019, 2020
	ids      map[string]string
	anchors  map[string]string // "resource pointer#name" -> pointer
	resource map[string]bool   // pointers at which a resource starts
	built    map[string]lit
	building map[string]*node // targets being read that a $ref already asked for
	active   map[string]bool
	nodes    int
	reasons  []string        // why parts of it can't be analysed
	remote   map[string]bool // pointers of schemas with a reference that leads out
}

// refWords are the keywords that refer to another schema.
var refWords = []string{"$ref", "$dynamicRef", "$recursiveRef"}

// maxSchemas bounds how many subschemas a document may have. The validator takes
// time that grows with their square.
const maxSchemas = 12_000

func newDocument(g *graph, root *value, draft string) *document {
	d := &document{graph: g, root: root, ids: map[string]string{}, anchors: map[string]string{},
		resource: map[string]bool{"": true}, built: map[string]lit{}, building: map[string]*node{}, active: map[string]bool{},
		remote: map[string]bool{}}
	d.draft = map[string]int{"4": 4, "6": 6, "7": 7, "2019-09": 2019, "2020-12": 2020}[draft]
	d.scan(root, "", "")
	return d
}

// scan collects embedded identifiers and anchors, which a $ref may name.
func (d *document) scan(v *value, at, res string) {
	if v.kind != kindObject {
		return
	}
	if d.draft >= 2019 || v.get("$ref") == nil {
		res = d.scanID(v, at, res)
	}
	for _, word := range []string{"$anchor", "$dynamicAnchor"} {
		if a := v.get(word).text(); a != "" && d.draft >= 2019 {
			d.anchors[res+"#"+a] = at
		}
	}
	for _, m := range v.members {
		h, p := holders[m.name], at+"/"+escapeToken(m.name)
		switch {
		case m.value.kind == kindArray && h&holdsList != 0:
			for i, it := range m.value.items {
				d.scan(it, fmt.Sprintf("%s/%d", p, i), res)
			}
		case m.value.kind == kindObject && h&holdsMap != 0:
			for _, sub := range m.value.members {
				d.scan(sub.value, p+"/"+escapeToken(sub.name), res)
			}
		case h&holdsOne != 0:
			d.scan(m.value, p, res)
		}
	}
}

func (d *document) scanID(v *value, at, res string) string {
	word := "$id"
	if d.draft == 4 {
		word = "id"
	}
	id := v.get(word).text()
	url, frag, _ := strings.Cut(id, "#")
	if frag != "" && d.draft < 2019 {
		d.anchors[res+"#"+frag] = at
	}
	if url == "" {
		return res
	}
	d.ids[url] = at
	d.resource[at] = true
	return at
}

// resourceOf returns the pointer of the resource that holds the place.
func (d *document) resourceOf(at string) string {
	for !d.resource[at] {
		at = at[:strings.LastIndexByte(at, '/')]
	}
	return at
}

// target resolves a reference to a pointer of this document.
func (d *document) target(at, ref string) (string, bool) {
	url, frag, _ := strings.Cut(ref, "#")
	res := d.resourceOf(at)
	if url != "" {
		known, ok := d.ids[url]
		if !ok {
			return "", false
		}
		res = known
	}
	frag = unescapePercent(frag)
	if frag == "" {
		return res, true
	}
	if frag[0] == '/' {
		return res + frag, d.root.at(res+frag) != nil
	}
	p, ok := d.anchors[res+"#"+frag]
	return p, ok
}

func unescapePercent(s string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			var x int
			if _, err := fmt.Sscanf(s[i+1:i+3], "%02x", &x); err == nil {
				b.WriteByte(byte(x))
				i += 2
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// opaque is a schema that can't be analysed. Two of them are never the same,
// even if they look alike, because what they refer to may differ.
func (d *document) opaque(why string) lit {
	n := newNode()
	n.opaque = why
	d.note(why)
	return d.graph.append(n)
}

// elsewhere is a schema that the document doesn't hold: the same address means
// the same schema at both sides, whatever it says.
func (d *document) elsewhere(why string) lit {
	n := newNode()
	n.opaque = why
	d.note(why)
	return d.graph.intern(n)
}

func (d *document) note(why string) {
	if !slices.Contains(d.reasons, why) {
		d.reasons = append(d.reasons, why)
	}
}

// at reads the schema at a pointer, once.
func (d *document) at(ptr string) lit {
	if l, ok := d.built[ptr]; ok {
		return l
	}
	if d.active[ptr] {
		n := d.building[ptr]
		if n == nil {
			n = &node{linked: true}
			n.link = d.graph.append(n) // itself, until the target is read
			d.building[ptr] = n
			d.built[ptr+"\x00link"] = n.link
		}
		return d.built[ptr+"\x00link"]
	}
	d.active[ptr] = true
	l := d.read(d.root.at(ptr), ptr)
	delete(d.active, ptr)
	if n := d.building[ptr]; n != nil {
		l = d.close(n, l, ptr)
	}
	d.built[ptr] = l
	return l
}

// close ties the link n to the schema that was read at ptr.
func (d *document) close(n *node, l lit, ptr string) lit {
	if self := d.built[ptr+"\x00link"]; d.graph.resolve(l)>>1 == self>>1 {
		l = never // as the validator has it: the inner application fails
	}
	n.link = l
	return l
}

func (d *document) read(v *value, ptr string) lit {
	if d.nodes++; d.nodes > maxSchemas {
		return d.opaque("more than 12,000 subschemas")
	}
	switch {
	case v == nil:
		return always
	case v.kind == kindBool && v.boolean:
		return always
	case v.kind == kindBool:
		return never
	case v.kind != kindObject:
		return d.opaque("something that is no schema")
	}
	r := &reader{document: d, v: v, ptr: ptr, n: newNode()}
	return r.read()
}

// reader turns one schema object into a node.
type reader struct {
	*document
	v   *value
	ptr string
	n   *node
}

func (r *reader) read() lit {
	refs := r.refs()
	if r.draft < 2019 && len(refs) > 0 {
		return refs[0]
	}
	r.n.allOf = refs
	r.readTypes()
	r.readNumbers()
	r.readStrings()
	r.readArrays()
	r.readObjects()
	r.readDependencies()
	r.readLogic()
	n := r.n
	if len(n.not) == 1 {
		bare := *newNode()
		bare.not = n.not
		if n.key() == bare.key() {
			return n.not[0].not()
		}
	}
	if len(n.allOf) == 1 {
		bare := *newNode()
		bare.allOf = n.allOf
		if n.key() == bare.key() {
			return n.allOf[0]
		}
	}
	return r.graph.intern(n)
}

func (r *reader) refs() []lit {
	var out []lit
	for _, word := range refWords {
		ref := r.v.get(word)
		if ref == nil || ref.kind != kindString {
			continue
		}
		if word == "$dynamicRef" && r.draft < 2020 || word == "$recursiveRef" && r.draft != 2019 {
			continue
		}
		out = append(out, r.follow(word, ref))
	}
	return out
}

func (r *reader) follow(word string, ref *value) lit {
	if word != "$ref" && len(r.resource) > 1 {
		return r.opaque("a dynamic reference across embedded schemas")
	}
	p, ok := r.target(r.ptr, ref.str)
	if !ok {
		if strings.HasPrefix(ref.str, "#") {
			return r.elsewhere(fmt.Sprintf("the reference %.80s, which leads nowhere", ref.str))
		}
		r.remote[r.ptr] = true
		return r.elsewhere(fmt.Sprintf("the reference %.80s, which is not fetched", ref.str))
	}
	return r.at(p)
}

func (r *reader) sub(tokens ...string) (lit, bool) {
	p := r.ptr
	for _, t := range tokens {
		p += "/" + escapeToken(t)
	}
	if v := r.root.at(p); v == nil {
		return always, false
	}
	return r.at(p), true
}

func (r *reader) list(word string) []lit {
	v := r.v.get(word)
	if v == nil || v.kind != kindArray {
		return nil
	}
	out := make([]lit, len(v.items))
	for i := range v.items {
		out[i] = r.at(fmt.Sprintf("%s/%s/%d", r.ptr, word, i))
	}
	return out
}

func (r *reader) dict(word string) []property {
	v := r.v.get(word)
	if v == nil || v.kind != kindObject {
		return nil
	}
	out := make([]property, len(v.members))
	base := r.ptr + "/" + word + "/"
	for i, m := range v.members {
		l := r.at(base + escapeToken(m.name))
		out[i] = property{m.name, l}
	}
	slices.SortFunc(out, func(a, b property) int { return strings.Compare(a.name, b.name) })
	return out
}

func (r *reader) count(word string, none int) int {
	v := r.v.get(word)
	if v == nil || v.kind != kindNumber || !v.num.IsInt() {
		return none
	}
	if !v.num.Num().IsInt64() || v.num.Num().Int64() > math.MaxInt32 {
		return math.MaxInt32
	}
	return max(int(v.num.Num().Int64()), 0)
}

func (r *reader) number(word string) *big.Rat {
	if v := r.v.get(word); v != nil && v.kind == kindNumber {
		return v.num
	}
	return nil
}

func (r *reader) strings(v *value) []string {
	if v == nil || v.kind != kindArray {
		return nil
	}
	var out []string
	for _, it := range v.items {
		if it.kind == kindString {
			out = append(out, it.str)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func (r *reader) readTypes() {
	if t := r.v.get("type"); t != nil {
		r.n.types = 0
		names := []*value{t}
		if t.kind == kindArray {
			names = t.items
		}
		for _, it := range names {
			r.n.types |= typeNames[it.text()]
		}
		if r.n.types&typeOf(kindNumber) != 0 {
			r.n.types &^= typeInteger
		}
	}
	if e := r.v.get("enum"); e != nil && e.kind == kindArray {
		r.n.enums = append(r.n.enums, e.items)
	}
	if c := r.v.get("const"); c != nil && r.draft >= 6 {
		r.n.enums = append(r.n.enums, []*value{c})
	}
}

func (r *reader) readNumbers() {
	n := r.n
	n.lo, n.hi = r.number("minimum"), r.number("maximum")
	n.loX = n.lo != nil && r.v.get("exclusiveMinimum").isTrue()
	n.hiX = n.hi != nil && r.v.get("exclusiveMaximum").isTrue()
	if x := r.number("exclusiveMinimum"); x != nil && (n.lo == nil || x.Cmp(n.lo) >= 0) {
		n.lo, n.loX = x, true
	}
	if x := r.number("exclusiveMaximum"); x != nil && (n.hi == nil || x.Cmp(n.hi) <= 0) {
		n.hi, n.hiX = x, true
	}
	if m := r.number("multipleOf"); m != nil && m.Sign() > 0 {
		n.multiples = []*big.Rat{m}
	}
}

func (r *reader) readStrings() {
	r.n.minLen = r.count("minLength", 0)
	r.n.maxLen = r.count("maxLength", -1)
	if p := r.v.get("pattern"); p != nil && p.kind == kindString {
		r.n.patterns = []string{p.str}
	}
}

func (r *reader) readArrays() {
	n := r.n
	n.minItems, n.maxItems = r.count("minItems", 0), r.count("maxItems", -1)
	n.unique = r.v.get("uniqueItems").isTrue()
	items := r.v.get("items")
	tuple, tail := "prefixItems", "items"
	if r.draft < 2020 {
		tuple, tail = "items", "additionalItems"
		if items != nil && items.kind != kindArray {
			tuple, tail = "", "items"
		}
		if items == nil {
			tail = ""
		}
	}
	if tuple != "" {
		n.prefix = r.list(tuple)
	}
	if tail != "" {
		n.rest, n.hasRest = r.sub(tail)
	}
	for len(n.prefix) > 0 && n.hasRest && n.prefix[len(n.prefix)-1] == n.rest {
		n.prefix = n.prefix[:len(n.prefix)-1]
	}
	if r.draft >= 6 {
		n.contains, n.hasContain = r.sub("contains")
	}
	if n.hasContain && r.draft >= 2019 {
		n.minContain, n.maxContain = r.count("minContains", 1), r.count("maxContains", -1)
	}
	n.marks = n.hasContain && r.draft >= 2020
	if r.draft >= 2019 {
		n.leftItems, n.hasLeftI = r.sub("unevaluatedItems")
	}
}

func (r *reader) readObjects() {
	n := r.n
	n.props, n.patProps = r.dict("properties"), r.dict("patternProperties")
	n.extra, n.hasExtra = r.sub("additionalProperties")
	n.required = r.strings(r.v.get("required"))
	n.minProps, n.maxProps = r.count("minProperties", 0), r.count("maxProperties", -1)
	if r.draft >= 6 {
		n.names, n.hasNames = r.sub("propertyNames")
	}
	if r.draft >= 2019 {
		n.leftProps, n.hasLeftP = r.sub("unevaluatedProperties")
	}
}

func (r *reader) readDependencies() {
	words := []string{"dependencies"}
	if r.draft >= 2019 {
		words = append(words, "dependentRequired", "dependentSchemas")
	}
	for _, word := range words {
		v := r.v.get(word)
		if v == nil || v.kind != kindObject {
			continue
		}
		for _, m := range v.members {
			switch {
			case word != "dependentSchemas" && m.value.kind == kindArray:
				r.n.needs = append(r.n.needs, need{name: m.name, names: r.strings(m.value)})
			case word != "dependentRequired":
				l, _ := r.sub(word, m.name)
				r.n.needs = append(r.n.needs, need{name: m.name, lit: l})
			}
		}
	}
	slices.SortStableFunc(r.n.needs, func(a, b need) int { return strings.Compare(a.name, b.name) })
}

func (r *reader) readLogic() {
	n := r.n
	n.allOf = append(n.allOf, r.list("allOf")...)
	slices.Sort(n.allOf)
	n.allOf = slices.DeleteFunc(slices.Compact(n.allOf), func(l lit) bool { return l == always })
	n.anyOf, n.oneOf = r.list("anyOf"), r.list("oneOf")
	slices.Sort(n.anyOf)
	slices.Sort(n.oneOf) // not compacted: two equal branches of oneOf never hold
	n.anyOf = slices.Compact(n.anyOf)
	n.hasAny, n.hasOne = len(n.anyOf) > 0, len(n.oneOf) > 0
	if l, ok := r.sub("not"); ok {
		n.not = []lit{l}
	}
	if r.draft < 7 {
		return
	}
	if l, ok := r.sub("if"); ok {
		n.cond, n.ifL = true, l
		n.thenL, _ = r.sub("then")
		n.elseL, _ = r.sub("else")
	}
}
