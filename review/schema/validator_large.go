package schema

import (
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// largeValues is the size from which a document is compiled in parts. The
// compiler takes time that grows with the square of the number of subschemas.
const largeValues = 4_000

// largeDocument is a document of which only those properties are compiled that
// an instance has. A property that appears nowhere in the instance can't matter
// to it.
type largeDocument struct {
	doc      *value
	draft    string
	patterns *patterns
	compiled *jsonschema.Schema
	names    map[string]bool // that compiled covers
}

// metaschemas are the addresses of the schemas for schemas; the validator brings
// them along.
var metaschemas = map[string]string{
	"4":       "http://json-schema.org/draft-04/schema",
	"6":       "http://json-schema.org/draft-06/schema",
	"7":       "http://json-schema.org/draft-07/schema",
	"2019-09": "https://json-schema.org/draft/2019-09/schema",
	"2020-12": "https://json-schema.org/draft/2020-12/schema",
}

// newLargeValidator checks the document against its metaschema, which is linear,
// and leaves compiling for later.
func newLargeValidator(doc *value, draft string, ps *patterns) (*validator, error) {
	c := compiler(draft, ps)
	c.AssertFormat() // patterns must be readable
	meta, err := c.Compile(metaschemas[draft])
	if err != nil {
		return nil, err
	}
	if err := meta.Validate(doc.any()); err != nil {
		return nil, err
	}
	return &validator{large: &largeDocument{doc: doc, draft: draft, patterns: ps}, patterns: ps}, nil
}

func (l *largeDocument) check(v *value) error {
	names := map[string]bool{}
	memberNames(v, names)
	if l.compiled == nil || !covers(l.names, names) {
		s, err := compile(onlyProperties(l.doc, names), l.draft, l.patterns)
		if err != nil {
			return err
		}
		l.compiled, l.names = s, names
	}
	return l.compiled.Validate(v.any())
}

func memberNames(v *value, into map[string]bool) {
	for _, m := range v.members {
		into[m.name] = true
		memberNames(m.value, into)
	}
	for _, it := range v.items {
		memberNames(it, into)
	}
}

func covers(have, want map[string]bool) bool {
	for n := range want {
		if !have[n] {
			return false
		}
	}
	return true
}

// onlyProperties returns the schema without the properties that names lacks.
func onlyProperties(v *value, names map[string]bool) *value {
	if v.kind != kindObject {
		return v
	}
	out := &value{kind: kindObject}
	for _, m := range v.members {
		h := holders[m.name]
		sub := m.value
		switch {
		case sub.kind == kindArray && h&holdsList != 0:
			items := &value{kind: kindArray}
			for _, it := range sub.items {
				items.items = append(items.items, onlyProperties(it, names))
			}
			sub = items
		case sub.kind == kindObject && h&holdsMap != 0:
			kept := &value{kind: kindObject}
			for _, p := range sub.members {
				if m.name != "properties" || names[p.name] {
					kept.members = append(kept.members, member{p.name, onlyProperties(p.value, names)})
				}
			}
			sub = kept
		case h&holdsOne != 0:
			sub = onlyProperties(sub, names)
		}
		out.members = append(out.members, member{m.name, sub})
	}
	return out
}

// pointsIntoProperties reports whether a $ref of the document may lead to a
// property, so that none may be left out.
func pointsIntoProperties(v *value) bool {
	for _, m := range v.members {
		if strings.HasSuffix(m.name, "ef") && strings.Contains(m.value.text(), "/properties") {
			return true
		}
		if m.name == "$id" || m.name == "$anchor" || m.name == "$dynamicAnchor" || pointsIntoProperties(m.value) {
			return true
		}
	}
	for _, it := range v.items {
		if pointsIntoProperties(it) {
			return true
		}
	}
	return false
}
