package schema

import (
	"unicode/utf8"
)

const (
	maxDressed = 16 // values that are tried in one witness
	maxSample  = 40 // characters of a value that is worth showing
)

// samples are values that validators which assert formats accept too.
var samples = map[string]string{
	"email": "a@example.com", "idn-email": "a@example.com", "uri": "https://example.com", "iri": "https://example.com",
	"url": "https://example.com", "uri-reference": "/a", "iri-reference": "/a", "date": "2026-01-31",
	"date-time": "2026-01-31T12:00:00Z", "time": "12:00:00Z", "duration": "P1D",
	"uuid": "123e4567-e89b-12d3-a456-426614174000", "ipv4": "192.0.2.1", "ipv6": "2001:db8::1",
	"hostname": "example.com", "idn-hostname": "example.com", "json-pointer": "/a",
}

// dress replaces values that don't matter to a witness by those that the schema
// offers as examples or defaults, or that fit its format, so that it reads like a
// call. It stays a witness of the same thing, or keeps its plain value.
func (p *pair) dress(root *value, show func(v *value) bool) *value {
	if p.source.valid.large != nil {
		return root
	}
	d := &dresser{p: p, root: root, show: show}
	d.visit(root, view{p.source.doc, ""})
	return root
}

type dresser struct {
	p     *pair
	root  *value
	show  func(v *value) bool
	tries int
}

func (d *dresser) visit(v *value, s view) {
	if s.v == nil {
		return
	}
	parts := d.p.source.parts(s)
	switch v.kind {
	case kindObject:
		for _, m := range v.members {
			d.visit(m.value, propView(parts, m.name))
		}
	case kindArray:
		tuple, rest := tupleViews(parts), restView(parts)
		for i, it := range v.items {
			if i < len(tuple) {
				d.visit(it, tuple[i])
			} else {
				d.visit(it, rest)
			}
		}
	default:
		d.scalar(v, parts)
	}
}

// scalar tries what the schema offers in place of v.
func (d *dresser) scalar(v *value, parts []view) {
	for _, c := range offers(parts) {
		if c.kind != v.kind || utf8.RuneCount(c.appendJSON(nil)) > maxSample || c.key() == v.key() {
			continue
		}
		if d.tries++; d.tries > maxDressed || d.p.solver.steps > d.p.solver.limit {
			return
		}
		plain := *v
		*v = *c
		if d.show(d.root) && d.p.confirms(d.root) {
			return
		}
		*v = plain
	}
}

// offers lists the examples, the default and a sample of the format of a place.
func offers(parts []view) []*value {
	var out []*value
	if e := find(parts, "examples"); e.v != nil && e.v.kind == kindArray && len(e.v.items) > 0 {
		out = append(out, e.v.items[0])
	}
	for _, word := range []string{"example", "default"} {
		if e := find(parts, word); e.v != nil {
			out = append(out, e.v)
		}
	}
	if f := samples[find(parts, "format").v.text()]; f != "" {
		out = append(out, stringValue(f))
	}
	return out
}
