package host

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/countersign/countersign/review/surface"
)

// mostLosses bounds what is listed for one tool; the last one says that there is more.
const mostLosses = 100

// compareAll records what the entries lack of the definitions.
func (r *renderer) compareAll() {
	for _, it := range r.items {
		if it.gone {
			continue
		}
		d := &differ{r: r, it: it}
		d.fields()
		d.description()
		if listed := it.def.get("inputSchema"); listed != nil {
			d.schema(it.tool.exact.get("inputSchema"), it.schema, schemaPath())
		}
		if d.more {
			r.lose(it.tool, "/inputSchema", Rewritten, "More places of the schema do not reach the model as listed.")
		}
	}
}

// differ compares one definition with what is sent of it.
type differ struct {
	r    *renderer
	it   *item
	n    int
	more bool
}

// full reports that no more is listed, and notes that there was more to look at.
func (d *differ) full() bool {
	d.more = d.more || d.n >= mostLosses
	return d.n >= mostLosses
}

func (d *differ) lose(pointer string, what What, format string, args ...any) *Loss {
	d.n++
	l := d.r.lose(d.it.tool, pointer, what, format, args...)
	switch {
	case strings.HasPrefix(pointer, "/inputSchema"):
		l.Rule = RuleConstraint
	case pointer == "/description":
		l.Rule = RuleText
	}
	return l
}

// fields records the fields of the definition that no host sends.
func (d *differ) fields() {
	for _, m := range d.it.tool.exact.membersOf() {
		if d.full() {
			return
		}
		switch m.name {
		case "name", "description", "inputSchema":
			continue
		case "title":
			if d.r.p.Description.Title && d.it.description == m.value.string() {
				continue
			}
		}
		d.lose("/"+escapePointer(m.name), NotSent, "%s sends name, description and input schema only.", d.r.p.Name)
	}
}

// description records changes of the text that are no cut.
func (d *differ) description() {
	listed := d.it.tool.exact.get("description")
	text := listed.string()
	if listed == nil || text == d.it.description || d.r.p.Description.Limit > 0 && utf16Len(text) > d.r.p.Description.Limit {
		return
	}
	switch {
	case d.it.description == "" || !d.it.hasDescription:
		d.lose("/description", Dropped, "The description is not sent.")
	case strings.HasSuffix(d.it.description, text):
		d.lose("/description", Rewritten, "%s puts a sentence in front: %s", d.r.p.Name, strings.TrimSpace(strings.TrimSuffix(d.it.description, text)))
	case trimSpace(text) == d.it.description || trimSpace(text) == "":
		return // space at the ends says nothing
	case d.r.p.Description.Normal && visible(text) != text:
		d.lose("/description", Rewritten, "%s takes invisible characters away and normalises the text.", d.r.p.Name)
	default:
		d.lose("/description", Rewritten, "%s sends another text.", d.r.p.Name)
	}
}

// schemaPath is where schemas begin; there is room for what is below.
func schemaPath() path { return append(make(path, 0, 16), "inputSchema") }

// schema compares a schema with what is sent in its place.
func (d *differ) schema(listed, sent *node, at path) {
	switch {
	case listed == sent || listed == nil:
	case sent == nil:
		d.lose(at.String(), Dropped, "%s leaves it out.", d.r.p.Name)
	case !listed.is('{') || !sent.is('{'):
		d.value(listed, sent, at)
	default:
		for _, m := range listed.members {
			d.keyword(listed, sent, m, at.to(m.name))
		}
	}
}

// keyword compares one member of a schema.
func (d *differ) keyword(listed, sent *node, m member, at path) {
	v := sent.get(m.name)
	switch {
	case v != m.value && d.full():
		return
	case v == nil:
		d.missing(listed, sent, m, at)
		return
	case v == m.value:
		return
	}
	switch shapes[m.name] {
	case "map":
		if m.value.is('{') && v.is('{') {
			for _, p := range m.value.members {
				d.schema(p.value, v.get(p.name), at.to(p.name))
			}
			return
		}
	case "schema":
		d.schema(m.value, v, at)
		return
	case "schemas":
		if m.value.is('[') && v.is('[') && len(m.value.elems) == len(v.elems) {
			for i, e := range m.value.elems {
				d.schema(e, v.elems[i], at.to(strconv.Itoa(i)))
			}
			return
		}
	}
	if m.name == "description" && v.is('"') && m.value.is('"') && strings.HasPrefix(v.str, m.value.str) {
		return // what was folded into it is said where it came from
	}
	d.value(m.value, v, at)
}

// missing records a keyword that is not there any more.
func (d *differ) missing(listed, sent *node, m member, at path) {
	text := strings.TrimPrefix(sent.get("description").string(), listed.get("description").string()) // what the host put there
	root := isUnion(m.name) && len(at) == 2
	worded := strings.HasPrefix(d.it.description, "Input constraint: ")
	switch {
	case d.it.muted && m.name == "description":
	case root && strings.Contains(text, m.name+": "):
		d.lose(at.String(), Folded, "%s writes it into the description and forgets the types of what is not in every branch.", d.r.p.Name).Rule = RuleRootUnion
	case root && worded:
		d.lose(at.String(), Folded, "%s merges the branches and puts the rule into a sentence of the description.", d.r.p.Name).Rule = RuleRootUnion
	case root && m.name == "allOf" && hasAll(sent, m.value):
		d.lose(at.String(), Rewritten, "%s merges the branches.", d.r.p.Name).Rule = RuleRootUnion
	case root && !sent.hasAny("anyOf", "oneOf", "allOf"):
		d.lose(at.String(), Dropped, "%s leaves it out.", d.r.p.Name).Rule = RuleRootUnion
	case text != "" && strings.Contains(text, m.name+": ") && strings.Contains(text, string(m.value.sorted().bytes())):
		d.lose(at.String(), Folded, "%s writes it into the description.", d.r.p.Name)
	case m.name == "const" && sent.has("enum"):
		d.lose(at.String(), Rewritten, "It is sent as an enum.")
	case m.name == "$ref" && len(sent.membersOf()) > 0:
		d.lose(at.String(), Rewritten, "What it refers to stands in its place.").Rule = RuleRef
	case (m.name == "type" || m.name == "oneOf") && sent.has("anyOf"):
		d.lose(at.String(), Rewritten, "It is sent as anyOf.")
	default:
		d.lose(at.String(), Dropped, "%s leaves it out.", d.r.p.Name)
	}
}

// hasAll reports whether a schema has the properties of all branches.
func hasAll(sent, branches *node) bool {
	names := 0
	for _, b := range elemsOf(branches) {
		for _, p := range b.get("properties").membersOf() {
			if names++; !sent.get("properties").has(p.name) {
				return false
			}
		}
	}
	return names > 0
}

func isUnion(name string) bool { return name == "anyOf" || name == "oneOf" || name == "allOf" }

// value compares two values that are no pair of schemas.
func (d *differ) value(listed, sent *node, at path) {
	if listed == sent || sameValue(listed, sent) {
		return
	}
	d.lose(at.String(), Rewritten, "%s is sent as %s.", short(listed), short(sent))
}

// sameValue compares values however numbers are written and keys ordered.
func sameValue(a, b *node) bool {
	if a.kind != b.kind {
		return false
	}
	if a.is('"') {
		return a.str == b.str
	}
	ab, bb := a.bytes(), b.bytes()
	if bytes.Equal(ab, bb) {
		return true
	}
	ca, errA := surface.Canonical(ab)
	cb, errB := surface.Canonical(bb)
	return errA == nil && errB == nil && bytes.Equal(ca, cb)
}

// short writes a value for a sentence.
func short(n *node) string {
	b := n.bytes()
	if len(b) <= 60 {
		return string(b)
	}
	return fmt.Sprintf("%s… (%d bytes)", strings.ToValidUTF8(string(b[:48]), ""), len(b))
}
