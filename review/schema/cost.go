package schema

import "strconv"

// maxValidation bounds how many schemas the validator may apply to one value. A
// few lines of nested allOf with $refs can ask for 2^40.
const maxValidation = 200_000

// costs estimates, from above, how often the validator applies a schema of d
// while it checks v.
func (d *document) costs(v *value) int {
	c := &coster{document: d, memo: map[costKey]int{}, active: map[costKey]bool{}}
	return c.cost(view{d.root, ""}, v)
}

type costKey struct {
	at string
	v  *value
}

type coster struct {
	*document
	memo   map[costKey]int
	active map[costKey]bool
}

func (c *coster) cost(s view, v *value) int {
	key := costKey{s.at, v}
	if n, ok := c.memo[key]; ok {
		return n
	}
	if s.v == nil || s.v.kind != kindObject || c.active[key] {
		return 1
	}
	c.active[key] = true
	n := 1
	for _, word := range refWords {
		if ref := s.v.get(word).text(); ref != "" {
			if at, ok := c.target(s.at, ref); ok {
				n = c.sum(n, view{c.root.at(at), at}, v)
			}
		}
	}
	for _, m := range s.v.members {
		if h := holders[m.name]; h != 0 && n <= maxValidation {
			n = c.keyword(n, s.child(m.name), m.name, h, v)
		}
	}
	delete(c.active, key)
	c.memo[key] = n
	return n
}

// sum adds the cost of s for v, up to the bound.
func (c *coster) sum(n int, s view, v *value) int {
	if n > maxValidation {
		return n
	}
	return n + c.cost(s, v)
}

// keyword adds what the schemas under one keyword cost.
func (c *coster) keyword(n int, s view, word string, h holder, v *value) int {
	switch word {
	case "$defs", "definitions":
		return n
	case "properties":
		for _, m := range v.members {
			if p := s.child(m.name); p.v != nil {
				n = c.sum(n, p, m.value)
			}
		}
		return n
	}
	for _, target := range appliedTo(word, v) {
		switch {
		case s.v.kind == kindArray && h&holdsList != 0:
			for i := range s.v.items {
				n = c.sum(n, s.child(strconv.Itoa(i)), target)
			}
		case s.v.kind == kindObject && h&holdsMap != 0:
			for _, m := range s.v.members {
				n = c.sum(n, s.child(m.name), target)
			}
		default:
			n = c.sum(n, s, target)
		}
	}
	return n
}

// appliedTo lists the values to which a keyword may apply its schemas.
func appliedTo(word string, v *value) []*value {
	switch word {
	case "items", "additionalItems", "prefixItems", "contains", "unevaluatedItems":
		return v.items
	case "patternProperties", "additionalProperties", "unevaluatedProperties":
		out := make([]*value, len(v.members))
		for i, m := range v.members {
			out[i] = m.value
		}
		return out
	case "propertyNames":
		out := make([]*value, len(v.members))
		for i, m := range v.members {
			out[i] = stringValue(m.name)
		}
		return out
	}
	return []*value{v}
}
