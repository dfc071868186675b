package schema

import "slices"

// maxShrinks bounds how often the validator is asked while a witness shrinks.
const maxShrinks = 200

// shrink drops members and items that the witness doesn't need, as long as it
// shows what show asks for. Dropping never makes an undeclared property, so a
// witness of the declared reading stays one.
func (p *pair) shrink(v *value, show func(v *value) bool) *value {
	tries := 0
	root := v.clone()
	var visit func(v *value)
	attempt := func(undo func()) bool {
		if tries++; tries > maxShrinks || p.solver.steps > p.solver.limit {
			undo()
			return false
		}
		if !show(root) || !p.confirms(root) {
			undo()
			return false
		}
		return true
	}
	visit = func(v *value) {
		for i := len(v.members) - 1; i >= 0; i-- {
			before := v.members
			v.members = slices.Delete(slices.Clone(before), i, i+1)
			attempt(func() { v.members = before })
		}
		for i := len(v.items) - 1; i >= 0; i-- {
			before := v.items
			v.items = slices.Delete(slices.Clone(before), i, i+1)
			attempt(func() { v.items = before })
		}
		for i := range v.members {
			visit(v.members[i].value)
		}
		for _, it := range v.items {
			visit(it)
		}
	}
	visit(root)
	return p.dress(root, show)
}

// clone copies a value; the solver shares parts of its answers.
func (v *value) clone() *value {
	out := *v
	out.index = nil
	out.items, out.members = slices.Clone(v.items), slices.Clone(v.members)
	for i := range out.items {
		out.items[i] = out.items[i].clone()
	}
	for i := range out.members {
		out.members[i].value = out.members[i].value.clone()
	}
	return &out
}
