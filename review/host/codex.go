package host

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// codexKeys are the keywords that Codex has fields for, in the order in which it
// writes them.
var codexKeys = []string{"$ref", "type", "description", "enum", "items", "minItems", "properties", "required",
	"additionalProperties", "anyOf", "oneOf", "allOf", "$defs", "definitions"}

// codexBytes is the size over which Codex begins to take a schema apart.
const codexBytes = 5000

// codexSchema rewrites a schema into the subset that Codex knows.
func codexSchema(r *renderer, it *item) {
	s := it.schema
	if p := s.get("properties"); p == nil || p.is('n') {
		s = s.with("properties", emptyNode) // the model wants them named, even if there are none
	}
	s = pruneDefs(codexLower(s))
	if p, why := codexFits(s); why != "" {
		r.drop(it, "/inputSchema"+p, Dropped, "%s leaves the tool out: %s.", r.p.Name, why).Rule = RuleSchema
		return
	}
	whole := codexOrder(s)
	it.schema = r.compact(it, s, whole)
}

// compact takes a schema that is too large apart, step by step, until it fits.
func (r *renderer) compact(it *item, s, whole *node) *node {
	size := len(whole.bytes())
	if size <= codexBytes {
		return whole
	}
	lost := []string{"all descriptions in it", "all definitions", "all objects at depth 3 or more", "all unions"}
	passes := []func(*node) *node{codexMute, codexForget, func(n *node) *node { return codexCollapse(n, 0) }, codexSingle}
	n := 0
	it.muted = true
	for n < len(passes) && len(whole.bytes()) > codexBytes {
		s = passes[n](s)
		whole = codexOrder(s)
		n++
	}
	r.lose(it.tool, "/inputSchema", Rewritten, "The schema has %d bytes as %s writes it, and over %d it loses %s.",
		size, r.p.Name, codexBytes, strings.Join(lost[:n], ", then ")).Rule = RuleSize
	return whole
}

// codexChild calls f for every schema inside s that the subset has, and returns s
// with the results.
func codexChild(s *node, defs bool, f func(*node) *node) *node {
	return s.mapMembers(func(name string, v *node) *node {
		switch name {
		case "properties":
			return each(v, f)
		case "$defs", "definitions":
			if defs {
				return each(v, f)
			}
		case "items", "anyOf", "oneOf", "allOf":
			return f(v)
		case "additionalProperties":
			if !v.isBool() {
				return f(v)
			}
		}
		return v
	})
}

// each maps the values of an object; anything else stays.
func each(n *node, f func(*node) *node) *node {
	if !n.is('{') {
		return n
	}
	return n.mapMembers(func(_ string, v *node) *node { return f(v) })
}

// codexLower gives every schema a type that the subset has, and empties what says
// nothing that it could keep.
func codexLower(s *node) *node {
	switch {
	case s.isBool():
		return typed("string")
	case s.is('['):
		return s.mapElems(codexLower)
	case !s.is('{'):
		return s
	}
	s = codexChild(s, true, codexLower)
	s = s.mapMembers(func(name string, v *node) *node {
		switch {
		case name == "prefixItems":
			return codexLower(v)
		case (name == "$defs" || name == "definitions") && !v.is('{'):
			return nil
		}
		return v
	})
	if c := s.get("const"); c != nil {
		s = s.without("const").with("enum", array(c))
	}
	types := codexTypes(s.get("type"))
	if len(types) == 0 {
		if s.hasAny("$ref", "anyOf", "oneOf", "allOf") {
			return s
		}
		guess := codexGuess(s)
		if guess == "" {
			return object()
		}
		types = []string{guess}
	}
	return codexFill(s, types)
}

// codexTypes returns the known types among those that a schema names.
func codexTypes(t *node) []string {
	names := t.texts()
	if t.is('"') {
		names = []string{t.str}
	}
	return slices.DeleteFunc(names, func(n string) bool { return !slices.Contains(typeNames, n) })
}

// codexGuess tells a type from what else a schema says; "" when nothing tells.
func codexGuess(s *node) string {
	switch {
	case s.hasAny("properties", "required", "additionalProperties"):
		return "object"
	case s.hasAny("items", "prefixItems"):
		return "array"
	case s.hasAny("enum", "format"):
		return "string"
	case s.hasAny("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"):
		return "number"
	}
	return ""
}

func codexFill(s *node, types []string) *node {
	if len(types) == 1 {
		s = s.with("type", str(types[0]))
	} else {
		s = s.with("type", strs(types))
	}
	if slices.Contains(types, "object") && !s.has("properties") {
		s = s.with("properties", emptyNode)
	}
	if slices.Contains(types, "array") && !s.has("items") {
		s = s.with("items", typed("string"))
	}
	return s
}

// pruneDefs takes away definitions at the root that nothing leads to.
func pruneDefs(s *node) *node {
	if !s.hasAny("$defs", "definitions") {
		return s
	}
	reachable := map[string]bool{}
	var pending []string
	codexRefs(s, false, &pending)
	for len(pending) > 0 {
		at := pending[len(pending)-1]
		pending = pending[:len(pending)-1]
		if reachable[at] {
			continue
		}
		reachable[at] = true
		table, name, _ := strings.Cut(at, "/")
		codexRefs(s.get(table).get(name), true, &pending)
	}
	for _, table := range []string{"$defs", "definitions"} {
		defs := s.get(table)
		if defs == nil {
			continue
		}
		defs = defs.keep(func(m member) bool { return reachable[table+"/"+m.name] })
		if len(defs.members) == 0 {
			s = s.without(table)
			continue
		}
		s = s.with(table, defs)
	}
	return s
}

// codexRefs collects the definitions that s refers to, as "$defs/name".
func codexRefs(s *node, defs bool, found *[]string) {
	switch {
	case s.is('['):
		for _, e := range s.elems {
			codexRefs(e, defs, found)
		}
		return
	case !s.is('{'):
		return
	}
	if at := localDef(s.get("$ref").string()); at != "" {
		*found = append(*found, at)
	}
	if defs { // inside a definition everything counts
		for _, m := range s.members {
			codexRefs(m.value, true, found)
		}
		return
	}
	codexChild(s, false, func(n *node) *node { codexRefs(n, false, found); return n })
}

// localDef returns "$defs/name" for a reference into the definitions of the root.
func localDef(ref string) string {
	fragment, ok := strings.CutPrefix(ref, "#/")
	if !ok {
		return ""
	}
	fragment, err := url.PathUnescape(fragment)
	if err != nil {
		return ""
	}
	table, rest, ok := strings.Cut(fragment, "/")
	if !ok || table != "$defs" && table != "definitions" {
		return ""
	}
	name, _, _ := strings.Cut(rest, "/")
	return table + "/" + unescapePointer(name)
}

// codexFits says where and why a schema can't be put into the fields of Codex.
func codexFits(s *node) (pointer, why string) {
	if s.get("type").isText("null") {
		return "/type", "the arguments of a tool can't be null"
	}
	return codexFit(s)
}

func codexFit(s *node) (pointer, why string) {
	if !s.is('{') {
		return "", "a schema is " + s.kindName()
	}
	for _, m := range s.members {
		if m.value.is('n') && m.name != "enum" || !slices.Contains(codexKeys, m.name) {
			continue
		}
		if p, why := codexField(m.name, m.value); why != "" {
			return "/" + escapePointer(m.name) + p, why
		}
	}
	return "", ""
}

func codexField(name string, v *node) (pointer, why string) {
	switch name {
	case "$ref", "description":
		return want(v.is('"'), name+" is "+v.kindName())
	case "enum":
		return want(v.is('[') || v.is('n'), name+" is "+v.kindName())
	case "minItems":
		return want(isCount(v), name+" is no whole number")
	case "required":
		return want(v.allTexts(), name+" is no list of names")
	case "items":
		return codexFit(v)
	case "additionalProperties":
		if v.isBool() {
			return "", ""
		}
		return codexFit(v)
	case "anyOf", "oneOf", "allOf":
		if !v.is('[') {
			return "", name + " is " + v.kindName()
		}
		return codexFitAll(v)
	case "properties", "$defs", "definitions":
		if !v.is('{') {
			return "", name + " is " + v.kindName()
		}
		return codexFitAll(v)
	}
	return "", ""
}

func codexFitAll(v *node) (pointer, why string) {
	for i, e := range v.elems {
		if p, why := codexFit(e); why != "" {
			return fmt.Sprintf("/%d%s", i, p), why
		}
	}
	for _, m := range v.membersOf() {
		if p, why := codexFit(m.value); why != "" {
			return "/" + escapePointer(m.name) + p, why
		}
	}
	return "", ""
}

// codexOrder writes the fields of Codex in their order, properties sorted.
func codexOrder(s *node) *node {
	if s.is('[') {
		return s.mapElems(codexOrder)
	}
	if !s.is('{') {
		return s
	}
	o := object()
	for _, k := range codexKeys {
		v := s.get(k)
		if v == nil || v.is('n') {
			continue
		}
		switch k {
		case "items", "anyOf", "oneOf", "allOf", "additionalProperties":
			v = codexOrder(v)
		case "properties", "$defs", "definitions":
			v = each(v, codexOrder).sortedTop()
		}
		o.members = append(o.members, member{k, v})
	}
	return o
}

// sortedTop returns an object with its own keys in order of their bytes.
func (n *node) sortedTop() *node {
	members := slices.Clone(n.membersOf())
	slices.SortStableFunc(members, func(a, b member) int { return compareBytes(a.name, b.name) })
	return indexed(members)
}

// codexMute takes every description away.
func codexMute(s *node) *node {
	switch {
	case s.is('['):
		return s.mapElems(codexMute)
	case s.is('{'):
		return codexChild(s.without("description"), true, codexMute)
	}
	return s
}

// codexForget takes the definitions away, and empties what refers to them.
func codexForget(s *node) *node {
	return codexUnref(s).without("$defs", "definitions")
}

func codexUnref(s *node) *node {
	switch {
	case s.is('['):
		return s.mapElems(codexUnref)
	case !s.is('{'):
		return s
	case localDef(s.get("$ref").string()) != "":
		return object()
	}
	return codexChild(s, false, codexUnref)
}

// codexCollapse empties objects at depth 3 or more.
func codexCollapse(s *node, depth int) *node {
	switch {
	case s.is('['):
		return s.mapElems(func(e *node) *node { return codexCollapse(e, depth) })
	case !s.is('{'):
		return s
	case depth >= 3 && s.hasAny("items", "anyOf", "oneOf", "allOf", "properties", "additionalProperties", "$ref"):
		return object()
	}
	return codexChild(s, false, func(n *node) *node { return codexCollapse(n, depth+1) })
}

// codexSingle empties unions.
func codexSingle(s *node) *node {
	switch {
	case s.is('['):
		return s.mapElems(codexSingle)
	case !s.is('{'):
		return s
	case s.hasAny("anyOf", "oneOf", "allOf"):
		return object()
	}
	return codexChild(s, false, codexSingle)
}
