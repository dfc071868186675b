package web

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/change"
	"github.com/countersign/countersign/review/prose"
	"github.com/countersign/countersign/review/surface"
	"github.com/countersign/countersign/views"
)

// evidence shows what changed in the form that shows it best: of one edit its
// texts or values, of a tool that came or went the tool.
func (p *releasePresenter) evidence(c *card) *views.Evidence {
	first := c.pairs[0]
	ch := &p.v.Changes[first.change]
	switch {
	case ch.Subject == change.SubjectOrder:
		return p.orderEvidence()
	case ch.Kind == change.Added && len(c.changes) == 1, ch.Kind == change.Removed && len(c.changes) == 1:
		return p.toolEvidence(ch)
	case cameOrWent(c):
		return p.toolsEvidence(c)
	case len(c.changes) > 1 && !sameEdit(c):
		return nil // each edit has its own
	}
	return p.editEvidence(c, ch)
}

func sameEdit(c *card) bool {
	for _, pr := range c.pairs {
		if pr.edit != c.pairs[0].edit {
			return false
		}
	}
	return true
}

func (p *releasePresenter) orderEvidence() *views.Evidence {
	e := &views.Evidence{}
	for _, m := range p.v.Report.Moved {
		e.Order = append(e.Order, views.OrderLine{Name: views.ShowName(m.Tool), From: thousands(m.From), To: thousands(m.To)})
	}
	return e
}

func (p *releasePresenter) toolEvidence(ch *review.Decided) *views.Evidence {
	s, ok := p.sides(ch)
	if !ok || ch.Subject != change.SubjectTool {
		return p.instructionsEvidence(ch)
	}
	s.comment = nil
	t := s.view()
	t.Input.Rows, t.Output.Rows = withoutAnchors(t.Input.Rows), withoutAnchors(t.Output.Rows)
	return &views.Evidence{Tool: &t}
}

// toolsEvidence shows the words of tools that came or went together.
func (p *releasePresenter) toolsEvidence(c *card) *views.Evidence {
	e := &views.Evidence{}
	for _, i := range c.changes {
		ch := &p.v.Changes[i]
		s, ok := p.sides(ch)
		if !ok {
			continue
		}
		t := views.ToolWords{NameLink: views.NameLink{Name: views.ShowName(subjectName(ch)), URL: p.toolURL(ch.ID)}}
		whole := s.view()
		t.Title, t.Words, t.Hints, t.Others = whole.Title, whole.Words, whole.Hints, whole.Others
		t.Needs, t.Takes = namedParams(whole.Input)
		t.Schema = views.Link{Text: "Schema", URL: t.URL}
		if len(whole.Input.Rows) > 0 {
			t.Schema.URL = withFragment(t.URL, whole.Input.Rows[0].Anchor)
		}
		if t.Words.State == views.NoText {
			t.NoWords = "No description."
		}
		e.Tools = append(e.Tools, t)
	}
	return e
}

// namedParams are the names of the parameters of a tool that came or went: those that
// are required, and the others.
func namedParams(d views.SchemaDiff) (needs, takes prose.Visible) {
	var required, others []string
	for _, r := range d.Rows {
		switch {
		case r.Depth > 0:
		case r.Required.Old != nil || r.Required.New != nil:
			required = append(required, r.Path.Raw())
		default:
			others = append(others, r.Path.Raw())
		}
	}
	return showIfAny(strings.Join(required, ", ")), showIfAny(strings.Join(others, ", "))
}

// withoutAnchors leaves rows without ids: in a page of many cards they would not
// be unique.
func withoutAnchors(rows []views.SchemaRow) []views.SchemaRow {
	for i := range rows {
		rows[i].Anchor = ""
	}
	return rows
}

func (p *releasePresenter) instructionsEvidence(ch *review.Decided) *views.Evidence {
	if len(ch.Details) == 0 {
		return nil
	}
	return &views.Evidence{Texts: []views.PlacedText{{Text: p.texts(&ch.Details[0])}}}
}

// editEvidence shows the edits of a card: texts whole and side by side, each text
// once however many of its passages changed; of a property that came or went its
// row of the table; else the values.
func (p *releasePresenter) editEvidence(c *card, ch *review.Decided) *views.Evidence {
	e := &views.Evidence{}
	seen := map[string]bool{}
	var rows []*change.Detail // shown as rows of the table
	for _, pr := range c.pairs {
		det := pr.detail
		if pr.change != c.changes[0] {
			continue
		}
		if inTable(det) {
			rows = append(rows, det)
			continue
		}
		if seen[det.Pointer] {
			continue
		}
		seen[det.Pointer] = true
		switch {
		case isText(det):
			e.Texts = append(e.Texts, views.PlacedText{Place: placeIfMany(c, det), Text: p.passage(c, det)})
		case strings.HasPrefix(det.ID, "tool."):
		default:
			if v := views.PairUp(jsonText(det.Old), jsonText(det.New)); v.Differs() {
				e.Values = append(e.Values, views.PlacedValue{Place: placeName(det.Pointer), Value: v})
			}
		}
	}
	e.Table = p.rowsAt(ch, rows)
	if len(e.Texts) == 0 && len(e.Values) == 0 && e.Table == nil {
		return nil
	}
	return e
}

// inTable reports whether a row of the table shows an edit best: a property that came
// or went, or that only became required or optional. The list of those that are
// required says nothing by itself.
func inTable(det *change.Detail) bool { return isProperty(det) || isRequired(det) }

func isRequired(det *change.Detail) bool {
	return det.Property != "" && strings.HasSuffix(det.Pointer, "/required") && (kindOf(det.Old) == '[' || kindOf(det.New) == '[')
}

// isProperty reports whether a detail is a property that came or went.
func isProperty(det *change.Detail) bool {
	noun, _, _ := strings.Cut(det.ID, ".")
	return noun == "property" && det.Direction != "" && (kindOf(det.Old) == '{') != (kindOf(det.New) == '{')
}

// rowsAt are the rows of a tool's schemas that some edits are about.
func (p *releasePresenter) rowsAt(ch *review.Decided, edits []*change.Detail) *views.SchemaDiff {
	s, ok := p.sides(ch)
	if len(edits) == 0 || !ok {
		return nil
	}
	s.comment = nil
	t := views.SchemaDiff{Title: "Properties of " + views.ShowName(subjectName(ch)).String(), Compared: true}
	for _, rows := range p.tablesOf(ch, s) {
		for _, r := range rows {
			if slices.ContainsFunc(edits, func(det *change.Detail) bool { return showsEdit(r, det) }) {
				t.Rows = append(t.Rows, r)
			}
		}
	}
	if len(t.Rows) == 0 {
		return nil
	}
	t.Rows = withoutAnchors(t.Rows)
	return &t
}

// tablesOf are the rows of both schemas of a tool, made once however many edits show
// some of them.
func (p *releasePresenter) tablesOf(ch *review.Decided, s sides) [2][]views.SchemaRow {
	rows, ok := p.tables[ch.ID]
	if !ok {
		rows = [2][]views.SchemaRow{
			s.schema("", "/inputSchema", surface.Tool.InputSchema).Rows, s.schema("", "/outputSchema", surface.Tool.OutputSchema).Rows,
		}
		p.tables[ch.ID] = rows
	}
	return rows
}

func showsEdit(r views.SchemaRow, det *change.Detail) bool {
	if isRequired(det) {
		return r.Path.Raw() == det.Property && under(r.Pointer, "/"+det.Direction+"Schema")
	}
	return under(r.Pointer, det.Pointer)
}

// placeIfMany names the place when a card is about several.
func placeIfMany(c *card, det *change.Detail) string {
	if len(pointersOf(c)) > 1 {
		return placeName(det.Pointer)
	}
	return ""
}

// isText reports whether a detail is about prose: then it is shown side by side.
func isText(det *change.Detail) bool {
	if det.Lost != "" || det.Gained != "" {
		return true
	}
	return strings.HasSuffix(det.Pointer, "/description") && (kindOf(det.Old) == '"' || kindOf(det.New) == '"')
}

func kindOf(raw []byte) jsontext.Kind { return jsontext.Value(raw).Kind() }

// passage shows an edit of a text: whole on one tool, and on many, or beside other edits,
// only the passage that changed.
func (p *releasePresenter) passage(c *card, det *change.Detail) views.TextDiff {
	if (c.part || len(c.changes) > 1) && (det.Lost != "" || det.Gained != "") {
		old, new := p.labels()
		return views.Texts(orNilText(det.Lost), orNilText(det.Gained), old, new).StandsAt(det.Pointer)
	}
	return p.texts(det)
}

func orNilText(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// texts compares the whole texts of a detail.
func (p *releasePresenter) texts(det *change.Detail) views.TextDiff {
	old, new := p.labels()
	return views.Texts(rawText(det.Old), rawText(det.New), old, new).StandsAt(det.Pointer)
}

// rawText is the text of a JSON string; of another value its JSON; nil of none.
func rawText(raw []byte) *string {
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	s := jsonText(raw)
	return &s
}
