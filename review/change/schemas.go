package change

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/countersign/countersign/review/schema"
	"github.com/countersign/countersign/review/surface"
)

// schemaDetails asks package schema what a change does to callers, and turns
// each of its edits into a detail.
func (c *comparer) schemaDetails(field string, old, new jsontext.Value, p pair) []Detail {
	dir, pointer := schema.Input, "/"+field
	if field == "outputSchema" {
		dir = schema.Output
	}
	old, new = absentNull(old), absentNull(new)
	switch {
	case string(canonical(old)) == string(canonical(new)):
		return nil
	case old == nil:
		return schemaAdded(dir, pointer, new)
	case new == nil:
		return schemaRemoved(dir, pointer, old)
	}
	bounds, was, is := safeBounds(old, new)
	res := schema.Compare(was, is, dir, schema.Options{JoinObject: true, Steps: c.opt.SchemaSteps})
	all := make([]Detail, 0, len(bounds)+len(res.Edits))
	for _, s := range bounds {
		all = append(all, s.detail(dir, pointer, p.new.Name))
	}
	for _, e := range inContext(res, was, is) {
		if e.ID == "texts.changed" {
			continue // rewritten says which texts
		}
		if e.Old == nil && e.New == nil {
			e.Old, e.New = nullable(old), nullable(new) // about the whole
		}
		made := editDetails(e, pointer, p.new.Name)
		for i := range made {
			made[i].noteEnum(old, p)
		}
		all = append(all, made...)
	}
	all = settle(all, res, dir, pointer, old, new)
	return complete(all, dir, pointer, old, new, p.new.Name)
}

func absentNull(v jsontext.Value) jsontext.Value {
	if v != nil && v.Kind() == 'n' {
		return nil
	}
	return v
}

func schemaAdded(dir schema.Direction, pointer string, new jsontext.Value) []Detail {
	d := Detail{ID: "schema.added", Direction: string(dir), Class: Behaviour, Pointer: pointer, New: nullable(new)}
	d.Sentence = "Results are now promised to fit an output schema. Strict clients refuse a result without structured content."
	if dir == schema.Input {
		d.Class = Undecided
		d.Sentence = "There was no input schema before, so nothing says which calls worked."
	}
	d.markHidden()
	return []Detail{d.keyed("")}
}

func schemaRemoved(dir schema.Direction, pointer string, old jsontext.Value) []Detail {
	d := Detail{ID: "schema.removed", Direction: string(dir), Class: Breaking, Pointer: pointer, Old: nullable(old)}
	d.Sentence = "Results are no longer promised to fit a schema. " + lostFields(old)
	if dir == schema.Input {
		d.Class = Behaviour
		d.Sentence = "The input schema is gone: any call is accepted and nothing says which arguments there are."
	}
	return []Detail{d.keyed("")}
}

// lostFields says what readers of results can't count on without their schema.
func lostFields(old jsontext.Value) string {
	var names, required []string
	for name := range surface.Members(membersOf(old).values["properties"]) {
		names = append(names, name)
	}
	for v := range surface.Elements(membersOf(old).values["required"]) {
		if name, ok := surface.DecodeString(v); ok {
			required = append(required, name)
		}
	}
	switch {
	case len(required) > 0:
		return "Callers that read " + nameList(required) + ", which every result had, may find them gone."
	case len(names) > 0:
		return "Callers that read " + nameList(names) + " may find them gone or in another form."
	}
	return "Callers that read structured content may find none."
}

// editDetails turns one edit of a schema into details: one, or of a description
// one for each passage.
func editDetails(e schema.Edit, root, tool string) []Detail {
	pointer := root + e.Pointer
	noun, _, _ := strings.Cut(e.ID, ".")
	if noun == "description" || noun == "title" {
		what := place(e)
		f := textField{
			noun: noun, what: noun + " of " + what, place: upperFirst(what) + ": ", pointer: pointer,
			direction: string(e.Direction), contract: noun == "description", property: e.Property,
		}
		old, okOld := textOf(jsontext.Value(e.Old))
		new, okNew := textOf(jsontext.Value(e.New))
		if ds := textDetails(f, old, new, tool); okOld && okNew && len(ds) > 0 {
			return ds
		}
	}
	d := Detail{
		ID: e.ID, Direction: string(e.Direction), Class: editClass(e), Pointer: pointer,
		Old: e.Old, New: e.New, Sentence: e.Sentence, Witness: e.Witness, Effect: e.Effect, Note: e.Note,
		Property: e.Property, Defaulted: e.Defaulted,
	}
	if d.Class == Breaking && e.VerdictDeclared == schema.Compatible {
		d.Note = nil // it says that only undeclared properties break
	}
	d.strictOnly()
	if e.ID == "property.optional.added" && d.Class == Behaviour {
		d.Sentence += " Calls without it now get the default " + shortValue(defaultOf(e.New)) + "."
	}
	d.markHidden()
	return []Detail{d.keyed(tool)}
}

// strictOnly moves a witness that counts only in the strict reading into the note:
// a witness beside a detail always says that it breaks.
func (d *Detail) strictOnly() {
	if d.Class == Breaking || d.Witness == nil {
		return
	}
	note := "Such as: " + shortValue(jsontext.Value(d.Witness))
	if d.Note != nil {
		note = *d.Note + " " + note
	}
	d.Note, d.Witness = &note, nil
}

func place(e schema.Edit) string {
	if e.Property == "" {
		return "the " + string(e.Direction) + " schema"
	}
	return quoteName(e.Property)
}

// editClass follows the declared reading, and what an edit does where no
// validator looks.
func editClass(e schema.Edit) Class {
	noun, verb, _ := strings.Cut(e.ID, ".")
	switch {
	case e.VerdictDeclared == schema.Breaking, unreadable(e, noun):
		return Breaking
	case e.VerdictDeclared == schema.Undecided:
		return Undecided
	case e.Effect != nil && noun == "property":
		return Breaking
	case e.Annotation:
		return annotationClass(e, noun, verb)
	case e.ID == "additionalProperties.closed" && e.Direction == schema.Input:
		return Behaviour // undeclared arguments now fail
	case e.ID == "property.optional.added" && e.Direction == schema.Input && actsByDefault(e.New):
		return Behaviour
	case e.ID == "property.optional.added", e.ID == "property.removed" && e.Direction == schema.Output:
		return Compatible // by its name alone, whatever it takes
	case e.VerdictDeclared == schema.Equivalent:
		return None
	}
	return Compatible
}

// unreadable reports whether results may hold a value of a declared property that
// readers of the old schema don't know. Judged together with a property that is gone,
// such an edit counts as strict only, though the reader meets the value all the same.
func unreadable(e schema.Edit, noun string) bool {
	switch noun {
	case "enum", "const", "type", "range", "length", "pattern":
		return e.Direction == schema.Output && e.Verdict == schema.Breaking && e.Witness != nil
	}
	return false
}

// annotationClass is the class of an edit that changes no verdict.
func annotationClass(e schema.Edit, noun, verb string) Class {
	switch noun {
	case "default":
		if e.Direction == schema.Output {
			return Text
		}
		return Behaviour
	case "format", "content", "deprecated", "readOnly", "writeOnly":
		return Behaviour
	case "dialect", "schema", "defs":
		return None // which words differ is found out by complete
	}
	if verb == "reordered" {
		return None
	}
	return Text
}

// actsByDefault reports whether a new property declares a default that may change
// what a call without it returns. false, null and empty values switch nothing on.
func actsByDefault(property []byte) bool {
	switch string(canonical(defaultOf(property))) {
	case "", "false", "null", `""`, "[]", "{}":
		return false
	}
	return true
}

func defaultOf(property []byte) jsontext.Value {
	return membersOf(asObject(property)).values["default"]
}

// settle reconciles the edits with the verdict on the whole, which is the one
// that is proved. What no edit accounts for gets a detail of its own: nothing that
// differs is ever left out.
func settle(all []Detail, res schema.Result, dir schema.Direction, pointer string, old, new jsontext.Value) []Detail {
	whole := verdictClass(res.Declared)
	strongest := None
	for i := range all {
		strongest = Max(strongest, all[i].Class)
	}
	if whole.Rank() <= strongest.Rank() {
		return all
	}
	d := Detail{
		ID: "schema.changed", Direction: string(dir), Class: whole, Pointer: pointer, Old: nullable(old), New: nullable(new),
		Sentence: wholeSentence(whole, dir), Witness: res.DeclaredWitness,
	}
	if res.Reason != "" {
		d.Note = &res.Reason
	}
	d.markHidden()
	return append(all, d.keyed(""))
}

func verdictClass(v schema.Verdict) Class {
	switch v {
	case schema.Equivalent:
		return None
	case schema.Compatible:
		return Compatible
	case schema.Breaking:
		return Breaking
	}
	return Undecided
}

func wholeSentence(whole Class, dir schema.Direction) string {
	side := "calls"
	if dir == schema.Output {
		side = "results"
	}
	switch whole {
	case Compatible:
		return "The schema changed and all old " + side + " still fit."
	case Breaking:
		if dir == schema.Output {
			return "The tool may now return what the old schema ruled out."
		}
		return "A call that was accepted is now rejected."
	}
	return "We can't prove that old " + side + " still work. Please judge."
}
