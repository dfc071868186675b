package schema

import (
	"slices"
	"strings"
)

// objects compares what two schemas say about properties.
func (w *walker) objects(p *place) {
	a, b := propNames(p.flatA, p.old), propNames(p.flatB, p.new)
	renamed := w.renames(p, minusNames(a, b), minusNames(b, a))
	for _, name := range a {
		switch to, isRenamed := renamed[name]; {
		case isRenamed:
			w.renamedProp(p, name, to)
		case hasProp(p.flatB, name) || slices.Contains(b, name):
			w.keptProp(p, name)
		default:
			w.removedProp(p, name)
		}
	}
	taken := map[string]bool{}
	for _, to := range renamed {
		taken[to] = true
	}
	for _, name := range minusNames(b, a) {
		if !taken[name] {
			w.addedProp(p, name)
		}
	}
	w.undeclaredRequired(p, a, b)
	w.reordered(p, a, b)
	w.extra(p)
	w.patternProps(p)
}

// propNames lists the properties of a place in the order of the document.
func propNames(n *node, parts []view) []string {
	var out []string
	seen := map[string]bool{}
	for _, s := range parts {
		props := s.v.get("properties")
		if props == nil || props.kind != kindObject {
			continue
		}
		for _, m := range props.members {
			if _, ok := findProp(n.props, m.name); ok && !seen[m.name] {
				seen[m.name] = true
				out = append(out, m.name)
			}
		}
	}
	return out
}

func hasProp(n *node, name string) bool {
	_, ok := findProp(n.props, name)
	return ok
}

func minusNames(a, b []string) []string {
	in := make(map[string]bool, len(b))
	for _, n := range b {
		in[n] = true
	}
	var out []string
	for _, n := range a {
		if !in[n] {
			out = append(out, n)
		}
	}
	return out
}

func propView(parts []view, name string) view {
	for _, s := range parts {
		if v := s.child("properties", name); v.v != nil {
			return v
		}
	}
	return view{}
}

func requires(n *node, name string) bool {
	_, ok := slices.BinarySearch(n.required, name)
	return ok
}

// setRequired adds or drops a name in a copy of the list.
func setRequired(n *node, name string, on bool) {
	out := slices.DeleteFunc(slices.Clone(n.required), func(s string) bool { return s == name })
	if on {
		out = union(out, []string{name})
	}
	n.required = out
}

// setProp adds, replaces or drops a property in a copy of the list.
func setProp(n *node, name string, l lit, on bool) {
	out := slices.DeleteFunc(slices.Clone(n.props), func(p property) bool { return p.name == name })
	if on {
		out = append(out, property{name, l})
		slices.SortFunc(out, func(a, b property) int { return strings.Compare(a.name, b.name) })
	}
	n.props = out
}

func (w *walker) keptProp(p *place, name string) {
	was, is := requires(p.flatA, name), requires(p.flatB, name)
	old, new := propView(p.old, name), propView(p.new, name)
	if was != is {
		w.requiredEdit(p, name, was, new)
	}
	if old.v == nil || new.v == nil {
		return
	}
	child := w.place(p, old, new, join(p.path, name))
	child.inProp = true
	child.put = func(n *node, l lit) { setProp(n, name, l, true) }
	w.compare(child)
}

func (w *walker) requiredEdit(p *place, name string, was bool, prop view) {
	old, new := find(p.old, "required"), find(p.new, "required")
	label := w.property(p, name)
	take := func(n *node) { setRequired(n, name, !was) }
	var e *edit
	if was {
		e = w.rule(p, "property.became-optional", old, new, w.either(label+" may be left out now.", label+" may be missing from results now."), "", take)
	} else {
		e = w.rule(p, "property.became-required", old, new, w.either(label+" is required now.", "Results always carry "+label+" now."),
			w.either("Calls without "+label+" are now rejected.", ""), take)
		e.narrows = true
		w.defaulted(e, p, prop)
	}
	e.Property = join(p.path, name)
}

// defaulted tells a property that became required together with a default.
func (w *walker) defaulted(e *edit, p *place, prop view) {
	if prop.v == nil || w.p.dir == Output {
		return
	}
	if d := find(w.newDoc.parts(prop), "default"); d.v != nil {
		e.Defaulted = true
		e.say("It has the default " + show(d.v) + "; validators reject calls without it all the same.")
	}
}

func (w *walker) addedProp(p *place, name string) {
	prop := propView(p.new, name)
	l, _ := findProp(p.flatB.props, name)
	label := w.property(p, name)
	var e *edit
	if requires(p.flatB, name) && !requires(p.flatA, name) {
		e = w.rule(p, "property.required.added", view{}, prop, w.either(label+" is new and required.", "Results always carry "+label+" now."),
			w.either("Calls without "+label+" are now rejected.", "Results carry "+label+" now, which the old schema rules out."), func(n *node) {
				setProp(n, name, l, true)
				setRequired(n, name, true)
			})
		e.narrows = true
		w.defaulted(e, p, prop)
	} else {
		e = w.rule(p, "property.optional.added", view{}, prop, w.either(label+" can be sent now.", "Results may carry "+label+" now."),
			w.either(label+" must fit a schema now; any value was accepted.", "Results may carry "+label+" now, which the old schema rules out."), func(n *node) { setProp(n, name, l, true) })
	}
	e.Property, e.came = join(p.path, name), name
}

func (w *walker) removedProp(p *place, name string) {
	prop := propView(p.old, name)
	label := w.property(p, name)
	stays := requires(p.flatB, name)
	sentence := w.either(label+" is no longer declared by name.", "Results no longer promise "+label+".")
	e := w.rule(p, "property.removed", prop, view{}, sentence, w.either("Calls with "+label+" are now rejected.", "Results may lack "+label+" now."), func(n *node) {
		setProp(n, name, always, false)
		setRequired(n, name, stays)
	})
	e.Property = join(p.path, name)
	e.narrows, e.removed, e.gone = true, true, name
	e.closing = closing(p.flatB)
}

// closing makes a node as open or closed as from.
func closing(from *node) func(n *node) {
	return func(n *node) {
		n.extra, n.hasExtra, n.leftProps, n.hasLeftP = from.extra, from.hasExtra, from.leftProps, from.hasLeftP
	}
}

func (w *walker) renamedProp(p *place, from, to string) {
	old, new := propView(p.old, from), propView(p.new, to)
	l, _ := findProp(p.flatB.props, to)
	sentence := w.property(p, from) + " is called " + w.property(p, to) + " now."
	e := w.rule(p, "property.renamed", old, new, sentence, "", func(n *node) {
		setProp(n, from, always, false)
		setProp(n, to, l, true)
		setRequired(n, from, requires(p.flatB, from))
		setRequired(n, to, requires(p.flatB, to))
	})
	e.Property = join(p.path, to)
	e.removed, e.gone, e.closing = true, from, closing(p.flatB)
	child := w.place(p, old, new, join(p.path, to))
	child.inProp = true
	child.put = func(*node, lit) {} // the edit of the renaming replaces it
	w.annotations(child)
	w.underRenamed(child)
}

// underRenamed mentions that the schema of a renamed property changed too; the
// edit of the renaming carries the verdict.
func (w *walker) underRenamed(p *place) {
	if w.p.solver.resolve(p.a) != w.p.solver.resolve(p.b) {
		e := w.note(p, "schema.changed", p.old[0], p.new[0], "What "+w.name(p)+" accepts changed with its name.")
		e.Annotation = false
		e.Verdict, e.VerdictDeclared = Compatible, Compatible
		e.say("Judged together with the new name.")
	}
}

// undeclaredRequired handles required names that no schema describes.
func (w *walker) undeclaredRequired(p *place, a, b []string) {
	for _, name := range minusNames(p.flatB.required, p.flatA.required) {
		if !slices.Contains(b, name) || slices.Contains(a, name) && !hasProp(p.flatB, name) {
			w.requiredEdit(p, name, false, view{})
		}
	}
	for _, name := range minusNames(p.flatA.required, p.flatB.required) {
		if !slices.Contains(a, name) {
			w.requiredEdit(p, name, true, view{})
		}
	}
}

// reordered mentions that common properties are listed in another order, which a
// model sees.
func (w *walker) reordered(p *place, a, b []string) {
	common := func(xs, ys []string) []string {
		return minusNames(xs, minusNames(xs, ys))
	}
	if !slices.Equal(common(a, b), common(b, a)) {
		w.note(p, "property.reordered", find(p.old, "properties"), find(p.new, "properties"), "The properties of "+w.name(p)+" are listed in another order.")
	}
}

// openness is what a schema says about properties it doesn't name.
type openness uint8

const (
	isOpen openness = iota
	isTyped
	isClosed
)

func opennessOf(l lit, given bool) openness {
	switch {
	case !given || l == always:
		return isOpen
	case l == never:
		return isClosed
	}
	return isTyped
}

func (w *walker) extra(p *place) {
	w.extraOf(p, "additionalProperties", p.flatA.extra, p.flatB.extra, p.flatA.hasExtra, p.flatB.hasExtra,
		func(n *node, l lit, has bool) { n.extra, n.hasExtra = l, has })
	w.extraOf(p, "unevaluatedProperties", p.flatA.leftProps, p.flatB.leftProps, p.flatA.hasLeftP, p.flatB.hasLeftP,
		func(n *node, l lit, has bool) { n.leftProps, n.hasLeftP = l, has })
}

func (w *walker) extraOf(p *place, word string, a, b lit, hadA, hasB bool, set func(n *node, l lit, has bool)) {
	s := w.p.solver
	was, is := opennessOf(s.resolve(a), hadA), opennessOf(s.resolve(b), hasB)
	old, new := find(p.old, word), find(p.new, word)
	if was == isTyped && is == isTyped {
		if old.v != nil && new.v != nil {
			child := w.place(p, old, new, join(p.path, "*"))
			child.label = "each undeclared property of " + w.name(p)
			if p.path == "" && w.p.dir == Input {
				child.label = "each undeclared argument"
			}
			child.put = func(n *node, l lit) { set(n, l, true) }
			w.compare(child)
		}
		return
	}
	if was == is {
		return
	}
	id, sentence := w.extraWords(p, was, is)
	e := w.rule(p, "additionalProperties."+id, old, new, sentence, "", func(n *node) { set(n, b, hasB) })
	e.narrows = id == "closed" || id == "narrowed"
}

func (w *walker) extraWords(p *place, was, is openness) (id, sentence string) {
	what := "properties of " + w.name(p)
	if p.path == "" {
		what = w.either("arguments", "properties")
	}
	switch {
	case is == isClosed:
		return "closed", w.either("Undeclared "+what+" are now rejected.", "Results never carry undeclared "+what+" now.")
	case was == isClosed && is == isOpen:
		return "opened", w.either("Undeclared "+what+" are accepted now.", "Results may carry undeclared "+what+" now.")
	case is == isTyped && was == isOpen:
		return "narrowed", "Undeclared " + what + " must fit a schema now."
	case was == isClosed:
		return "opened", w.either("Undeclared "+what+" that fit a schema are accepted now.", "Results may carry undeclared "+what+" now.")
	}
	return "widened", "Undeclared " + what + " need not fit a schema any more."
}

func (w *walker) patternProps(p *place) {
	for _, a := range p.flatA.patProps {
		_, kept := findProp(p.flatB.patProps, a.name)
		old, new := patView(p.old, a.name), patView(p.new, a.name)
		if !kept {
			w.rule(p, "patternProperties.removed", old, view{}, "Properties of "+w.name(p)+" that match "+a.name+" have no rule of their own any more.", "",
				func(n *node) { setPattern(n, a.name, always, false) })
			continue
		}
		if old.v != nil && new.v != nil {
			child := w.place(p, old, new, join(p.path, "*"))
			child.label = "each property of " + w.name(p) + " that matches " + a.name
			child.put = func(n *node, l lit) { setPattern(n, a.name, l, true) }
			w.compare(child)
		}
	}
	for _, b := range p.flatB.patProps {
		if _, had := findProp(p.flatA.patProps, b.name); !had {
			w.rule(p, "patternProperties.added", view{}, patView(p.new, b.name), "Properties of "+w.name(p)+" that match "+b.name+" have a rule of their own now.", "",
				func(n *node) { setPattern(n, b.name, b.lit, true) })
		}
	}
}

func patView(parts []view, name string) view {
	for _, s := range parts {
		if v := s.child("patternProperties", name); v.v != nil {
			return v
		}
	}
	return view{}
}

func setPattern(n *node, name string, l lit, on bool) {
	x := node{props: n.patProps}
	setProp(&x, name, l, on)
	n.patProps = x.props
}
