package web

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/countersign/countersign/review/change"
	"github.com/countersign/countersign/review/schema"
	"github.com/countersign/countersign/review/surface"
	"github.com/countersign/countersign/views"
)

// schema shows a schema of the tool as a table of its properties and as JSON.
func (s sides) schema(title, pointer string, field func(surface.Tool) (jsontext.Value, bool)) views.SchemaDiff {
	old, new := rawOf(s.old, field), rawOf(s.new, field)
	d := views.SchemaDiff{Title: title, Compared: !s.alone && s.old != nil && s.new != nil}
	if old == nil && new == nil {
		d.Summary = "None."
		if d.Compared {
			d.Summary = "None on either side."
		}
		return d
	}
	d.JSON = views.Texts(indented(string(old)), indented(string(new)), s.oldLabel, s.newLabel)
	d.JSON.Code = true
	rows, err := tableOf(old, new)
	if err != nil {
		d.Fault = views.Say("There is no table: " + err.Error())
		return d
	}
	s.fillTable(&d, rows, pointer)
	return d
}

func rawOf(t *surface.Tool, field func(surface.Tool) (jsontext.Value, bool)) jsontext.Value {
	if t == nil {
		return nil
	}
	raw, ok := field(*t)
	if !ok {
		return nil
	}
	return raw
}

// tableOf pairs the properties of both sides; one side may have no schema.
func tableOf(old, new jsontext.Value) ([]schema.Row, error) {
	switch {
	case old == nil:
		return oneSided(new, func(p *schema.Property) schema.Row { return schema.Row{Path: p.Path, New: p} })
	case new == nil:
		return oneSided(old, func(p *schema.Property) schema.Row { return schema.Row{Path: p.Path, Old: p} })
	}
	return schema.Table(old, new)
}

func oneSided(raw jsontext.Value, row func(*schema.Property) schema.Row) ([]schema.Row, error) {
	list, err := schema.Properties(raw)
	var rows []schema.Row
	for i := range list {
		rows = append(rows, row(&list[i]))
	}
	return rows, err
}

func (s sides) fillTable(d *views.SchemaDiff, rows []schema.Row, pointer string) {
	var same []views.SchemaRow
	for i, r := range rows {
		row := s.schemaRow(r, pointer)
		row.Anchor = fmt.Sprintf("%s-%d", strings.TrimPrefix(pointer, "/"), i)
		if d.Compared && row.What == "same" {
			same = append(same, row)
			continue
		}
		d.Rows = append(d.Rows, row)
	}
	switch {
	case len(rows) == 0:
		d.Summary = "No properties."
	case !d.Compared:
		d.Summary = plural(len(rows), "property", "properties")
	case len(d.Rows) == 0:
		d.Summary = "the same on both sides"
	default:
		d.Summary = fmt.Sprintf("%d of %d changed", len(d.Rows), len(rows))
	}
	if len(same) > 0 {
		d.Folded, d.FoldedLabel = same, "Show "+plural(len(same), "property that is the same", "properties that are the same")
	}
}

func (s sides) schemaRow(r schema.Row, pointer string) views.SchemaRow {
	p := r.New
	if p == nil {
		p = r.Old
	}
	row := views.SchemaRow{
		Path: views.ShowName(p.Path), Pointer: pointer + p.Pointer, Depth: p.Depth, What: whatHappened(r),
		Type:     propertyPair(r, func(p *schema.Property) string { return p.Type }),
		Required: propertyPair(r, required),
		Allowed:  propertyPair(r, allowed),
		Default:  propertyPair(r, func(p *schema.Property) string { return string(p.Default) }),
		Words:    views.Texts(propertyWords(r.Old), propertyWords(r.New), s.oldLabel, s.newLabel),
		Comment:  s.commentOn(pointer + p.Pointer),
	}
	if s.alone {
		row.Words = views.Texts(propertyWords(p), propertyWords(p), "", "")
	}
	return row
}

func whatHappened(r schema.Row) string {
	switch {
	case r.Old == nil:
		return "added"
	case r.New == nil:
		return "removed"
	case len(r.Changed) > 0:
		return "changed"
	}
	return "same"
}

func propertyPair(r schema.Row, value func(*schema.Property) string) views.Pair {
	var old, new string
	if r.Old != nil {
		old = value(r.Old)
	}
	if r.New != nil {
		new = value(r.New)
	}
	return views.PairUp(old, new)
}

func required(p *schema.Property) string {
	if p.Required {
		return "yes"
	}
	return ""
}

// allowed is what limits a value besides its type.
func allowed(p *schema.Property) string {
	var parts []string
	if len(p.Enum) > 0 {
		parts = append(parts, strings.Join(p.Enum, " | "))
	}
	parts = append(parts, p.Constraints...)
	if p.Deprecated {
		parts = append(parts, "deprecated")
	}
	return strings.Join(parts, "; ")
}

func propertyWords(p *schema.Property) *string {
	if p == nil || p.Description == "" {
		return nil
	}
	return &p.Description
}

// markRows gives each row of a table the strongest class of what happened there.
func markRows(d *views.SchemaDiff, details []change.Detail) {
	for i := range d.Rows {
		worst, found := change.None, false
		for _, det := range details {
			if under(det.Pointer, d.Rows[i].Pointer) && !underAnother(det.Pointer, d.Rows, i) {
				worst, found = change.Max(worst, det.Class), true
			}
		}
		if found {
			b := views.ClassBadge(worst)
			d.Rows[i].Badge = &b
		}
	}
}

func under(pointer, at string) bool { return pointer == at || strings.HasPrefix(pointer, at+"/") }

// underAnother reports whether a row deeper than row i holds the pointer too.
func underAnother(pointer string, rows []views.SchemaRow, i int) bool {
	for j := range rows {
		if j != i && len(rows[j].Pointer) > len(rows[i].Pointer) && under(pointer, rows[j].Pointer) {
			return true
		}
	}
	return false
}
