package change

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/countersign/countersign/review/schema"
	"github.com/countersign/countersign/review/surface"
)

// inContext corrects edits that were judged one by one. A property that is gone from
// an open object is accepted and ignored, but not when the same release closes the
// object: then calls that send it are rejected, and there is a call that shows it. Nor
// when the release says that the object takes any property: then its name needs no
// mention.
func inContext(res schema.Result, old, new jsontext.Value) []schema.Edit {
	closed, opened := map[string]bool{}, map[string]bool{}
	for _, e := range res.Edits {
		at, ok := strings.CutSuffix(e.Pointer, "/additionalProperties")
		closed[at] = closed[at] || ok && e.ID == "additionalProperties.closed"
		opened[at] = opened[at] || ok && e.ID == "additionalProperties.opened" && e.New != nil
	}
	edits := make([]schema.Edit, len(res.Edits))
	for i, e := range res.Edits {
		at, _, ok := cutLast(e.Pointer, "/properties/")
		switch {
		case !ok || e.Effect == nil:
		case closed[at]:
			e = rejected(e, res, at, old, new)
		case opened[at] && e.ID == "property.removed":
			e = unnamed(e)
		}
		edits[i] = e
	}
	return edits
}

func unnamed(e schema.Edit) schema.Edit {
	e.Effect, e.Verdict, e.VerdictDeclared = nil, schema.Compatible, schema.Compatible
	e.Sentence = quoteName(e.Property) + " is no longer declared by name; any property is accepted now."
	return e
}

func rejected(e schema.Edit, res schema.Result, at string, old, new jsontext.Value) schema.Edit {
	e.Effect = nil
	e.Witness = res.DeclaredWitness
	if e.ID == "property.removed" {
		e.Sentence = "Calls with " + quoteName(e.Property) + " are now rejected."
	}
	if at != "" {
		return e
	}
	if w := callWith(e.Property, old, new); w != nil {
		e.Witness = w
	}
	return e
}

func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// callWith finds arguments that name a property, fit the old schema and don't fit
// the new one; nil when there are none to be found.
func callWith(name string, old, new jsontext.Value) json.RawMessage {
	opt := schema.Options{JoinObject: true}
	res := schema.Compare(requiring(old, name), []byte("false"), schema.Input, opt)
	if res.Witness == nil {
		return nil
	}
	before, errOld := schema.Valid(old, res.Witness, opt)
	after, errNew := schema.Valid(new, res.Witness, opt)
	if errOld != nil || errNew != nil || !before || after {
		return nil
	}
	return res.Witness
}

// requiring is the schema with one more required property.
func requiring(v jsontext.Value, name string) []byte {
	var b bytes.Buffer
	names := [][]byte{surface.EncodeString(name)}
	b.WriteByte('{')
	for k, m := range surface.Members(v) {
		if k == "required" {
			for e := range surface.Elements(m) {
				names = append(names, e)
			}
			continue
		}
		b.Write(surface.EncodeString(k))
		b.WriteByte(':')
		b.Write(m)
		b.WriteByte(',')
	}
	b.WriteString(`"required":[`)
	b.Write(bytes.Join(names, []byte{','}))
	b.WriteString("]}")
	return b.Bytes()
}
