package report

import (
	"encoding/json"
	"fmt"

	"github.com/countersign/countersign/review/change"
	"github.com/countersign/countersign/review/surface"
)

// diffJSON is the form of `countersign diff`. The order of the fields is part of
// the contract, what is not in it stands at the end.
type diffJSON struct {
	From            *surface.Hash `json:"from"`
	To              *surface.Hash `json:"to"`
	Class           change.Class  `json:"class"`
	Counts          change.Counts `json:"counts"`
	CachePrefixKept int           `json:"cache_prefix_kept"`
	Changes         []Change      `json:"changes"`
	Edits           []editJSON    `json:"edits"`
	Folded          []change.Fold `json:"folded"`

	Partial    bool           `json:"partial"`
	PartialWhy text           `json:"partial_why,omitempty"`
	Decisions  []decisionJSON `json:"decisions"`
	Raised     []bulkJSON     `json:"raised"`
	Offered    []offerJSON    `json:"offered"`
	Merged     []offerJSON    `json:"merged,omitempty"`
	Moved      []moveJSON     `json:"moved"`
	Notes      []text         `json:"notes"`
	Bump       bumpJSON       `json:"bump"`
	Engine     string         `json:"engine"`
}

// Change is the JSON form of a change, for answers that add fields of their own.
type Change struct {
	ID          string         `json:"id"`
	Subject     change.Subject `json:"subject"`
	Tool        *text          `json:"tool"`
	FromTool    *text          `json:"from_tool"`
	From        *surface.Hash  `json:"from"`
	To          *surface.Hash  `json:"to"`
	Kind        change.Kind    `json:"kind"`
	Class       change.Class   `json:"class"`
	Confidence  *float64       `json:"confidence"`
	Details     []detailJSON   `json:"details"`
	OldPosition int            `json:"old_position,omitempty"`
	NewPosition int            `json:"new_position,omitempty"`
	Hidden      bool           `json:"hidden,omitempty"`
}

type detailJSON struct {
	ID        string          `json:"id"`
	Edit      string          `json:"edit"`
	Direction *string         `json:"direction"`
	Class     change.Class    `json:"class"`
	Pointer   text            `json:"pointer"`
	Old       json.RawMessage `json:"old"`
	New       json.RawMessage `json:"new"`
	Sentence  text            `json:"sentence"`
	Witness   json.RawMessage `json:"witness"`
	Effect    *text           `json:"effect"`
	Note      *text           `json:"note"`
	Lost      text            `json:"lost,omitempty"`
	Gained    text            `json:"gained,omitempty"`
	Hidden    bool            `json:"hidden,omitempty"`
	Destroys  bool            `json:"destroys,omitempty"`
	Property  text            `json:"property,omitempty"`
	Defaulted bool            `json:"defaulted,omitempty"`
}

type editJSON struct {
	Edit     string       `json:"edit"`
	ID       string       `json:"id"`
	Class    change.Class `json:"class"`
	Sentence text         `json:"sentence"`
	Tools    []text       `json:"tools"`
	Changes  []string     `json:"changes"`
}

type decisionJSON struct {
	Class    change.Class `json:"class"`
	Sentence text         `json:"sentence"`
	Edits    []string     `json:"edits"`
	Tools    []text       `json:"tools"`
	Changes  []string     `json:"changes"`
	Hidden   bool         `json:"hidden,omitempty"`
}

type bulkJSON struct {
	ID       string       `json:"id"`
	Class    change.Class `json:"class"`
	Sentence text         `json:"sentence"`
	Count    int          `json:"count"`
	Tools    []text       `json:"tools"`
}

type offerJSON struct {
	Kind       change.OfferKind `json:"kind"`
	From       []offeredJSON    `json:"from"`
	To         text             `json:"to"`
	Confidence float64          `json:"confidence"`
	Sentence   text             `json:"sentence"`
}

type offeredJSON struct {
	Tool   text   `json:"tool"`
	Action text   `json:"action,omitempty"`
	Lost   []text `json:"lost"`
}

type moveJSON struct {
	Tool text `json:"tool"`
	From int  `json:"from"`
	To   int  `json:"to"`
}

type bumpJSON struct {
	Level  change.Level `json:"level"`
	Reason text         `json:"reason"`
}

// Diff writes a comparison as the contract says, on one line.
func Diff(r *change.Report) ([]byte, error) {
	b, err := encode(diffForm(r))
	if err != nil {
		return nil, fmt.Errorf("write comparison: %w", err)
	}
	return b, nil
}

// ParseDiff reads what [Diff] wrote.
func ParseDiff(b []byte) (*change.Report, error) {
	var f diffJSON
	if err := json.Unmarshal(b, &f); err != nil {
		return nil, fmt.Errorf("read comparison: %w", err)
	}
	return f.report(), nil
}

func diffForm(r *change.Report) *diffJSON {
	return &diffJSON{
		From: hashOrNull(r.From), To: hashOrNull(r.To), Class: r.Class, Counts: r.Counts,
		CachePrefixKept: r.CachePrefixKept, Changes: each(r.Changes, NewChange), Edits: each(r.Edits, editForm),
		Folded: each(r.Folded, same), Partial: r.Partial, PartialWhy: text(r.PartialWhy),
		Decisions: each(r.Decisions, decisionForm), Raised: each(r.Raised, bulkForm), Offered: each(r.Offered, offerForm),
		Merged: each(r.Merged, offerForm),
		Moved:  each(r.Moved, moveForm), Notes: texts(r.Notes),
		Bump: bumpJSON{r.Bump.Level, text(r.Bump.Reason)}, Engine: r.Engine,
	}
}

func (f *diffJSON) report() *change.Report {
	return &change.Report{
		From: hashOf(f.From), To: hashOf(f.To), Class: f.Class, Counts: f.Counts,
		CachePrefixKept: f.CachePrefixKept, Changes: each(f.Changes, Change.change), Edits: each(f.Edits, editJSON.edit),
		Folded: each(f.Folded, same), Partial: f.Partial, PartialWhy: string(f.PartialWhy),
		Decisions: each(f.Decisions, decisionJSON.decision), Raised: each(f.Raised, bulkJSON.bulk),
		Offered: each(f.Offered, offerJSON.offer), Merged: each(f.Merged, offerJSON.offer), Moved: each(f.Moved, moveJSON.move), Notes: plain(f.Notes),
		Bump: change.Bump{Level: f.Bump.Level, Reason: string(f.Bump.Reason)}, Engine: f.Engine,
	}
}

// each maps a list; the result is never nil.
func each[A, B any](s []A, f func(A) B) []B {
	out := make([]B, len(s))
	for i := range s {
		out[i] = f(s[i])
	}
	return out
}

func same[T any](v T) T { return v }

// NewChange returns the JSON form of a change.
func NewChange(c change.Change) Change {
	return Change{
		ID: c.ID, Subject: c.Subject, Tool: textPtr(c.Tool), FromTool: textPtr(c.FromTool),
		From: hashOrNull(c.From), To: hashOrNull(c.To), Kind: c.Kind, Class: c.Class, Confidence: c.Confidence,
		Details: each(c.Details, detailForm), OldPosition: c.OldPosition, NewPosition: c.NewPosition, Hidden: c.Hidden,
	}
}

func (c Change) change() change.Change {
	return change.Change{
		ID: c.ID, Subject: c.Subject, Tool: (*string)(c.Tool), FromTool: (*string)(c.FromTool),
		From: hashOf(c.From), To: hashOf(c.To), Kind: c.Kind, Class: c.Class, Confidence: c.Confidence,
		Details: each(c.Details, detailJSON.detail), OldPosition: c.OldPosition, NewPosition: c.NewPosition, Hidden: c.Hidden,
	}
}

func detailForm(d change.Detail) detailJSON {
	f := detailJSON{
		ID: d.ID, Edit: d.Edit, Class: d.Class, Pointer: text(d.Pointer), Old: d.Old, New: d.New,
		Sentence: text(d.Sentence), Witness: d.Witness, Effect: textPtr(d.Effect), Note: textPtr(d.Note),
		Lost: text(d.Lost), Gained: text(d.Gained), Hidden: d.Hidden, Destroys: d.Destroys, Property: text(d.Property), Defaulted: d.Defaulted,
	}
	if d.Direction != "" {
		f.Direction = &d.Direction
	}
	return f
}

func (f detailJSON) detail() change.Detail {
	d := change.Detail{
		ID: f.ID, Edit: f.Edit, Class: f.Class, Pointer: string(f.Pointer), Old: value(f.Old), New: value(f.New),
		Sentence: string(f.Sentence), Witness: value(f.Witness), Effect: (*string)(f.Effect), Note: (*string)(f.Note),
		Lost: string(f.Lost), Gained: string(f.Gained), Hidden: f.Hidden, Destroys: f.Destroys, Property: string(f.Property), Defaulted: f.Defaulted,
	}
	if f.Direction != nil {
		d.Direction = *f.Direction
	}
	return d
}

// value reads null as absent. A value that was null in a listing reads back as
// absent too: in the contract both are null.
func value(raw json.RawMessage) json.RawMessage {
	if string(raw) == "null" {
		return nil
	}
	return raw
}

func editForm(e change.Edit) editJSON {
	return editJSON{e.Edit, e.ID, e.Class, text(e.Sentence), texts(e.Tools), each(e.Changes, same)}
}

func (f editJSON) edit() change.Edit {
	return change.Edit{Edit: f.Edit, ID: f.ID, Class: f.Class, Sentence: string(f.Sentence), Tools: plain(f.Tools), Changes: f.Changes}
}

func decisionForm(d change.Decision) decisionJSON {
	return decisionJSON{d.Class, text(d.Sentence), each(d.Edits, same), texts(d.Tools), each(d.Changes, same), d.Hidden}
}

func (f decisionJSON) decision() change.Decision {
	return change.Decision{
		Class: f.Class, Sentence: string(f.Sentence), Edits: f.Edits, Tools: plain(f.Tools), Changes: f.Changes, Hidden: f.Hidden,
	}
}

func bulkForm(b change.Bulk) bulkJSON {
	return bulkJSON{b.ID, b.Class, text(b.Sentence), b.Count, texts(b.Tools)}
}

func (f bulkJSON) bulk() change.Bulk {
	return change.Bulk{ID: f.ID, Class: f.Class, Sentence: string(f.Sentence), Count: f.Count, Tools: plain(f.Tools)}
}

func offerForm(o change.Offer) offerJSON {
	return offerJSON{o.Kind, each(o.From, offeredForm), text(o.To), o.Confidence, text(o.Sentence)}
}

func (f offerJSON) offer() change.Offer {
	return change.Offer{
		Kind: f.Kind, From: each(f.From, offeredJSON.offered), To: string(f.To), Confidence: f.Confidence, Sentence: string(f.Sentence),
	}
}

func offeredForm(t change.OfferedTool) offeredJSON {
	return offeredJSON{text(t.Tool), text(t.Action), texts(t.Lost)}
}

func (f offeredJSON) offered() change.OfferedTool {
	return change.OfferedTool{Tool: string(f.Tool), Action: string(f.Action), Lost: plain(f.Lost)}
}

func moveForm(m change.Move) moveJSON { return moveJSON{text(m.Tool), m.From, m.To} }

func (f moveJSON) move() change.Move {
	return change.Move{Tool: string(f.Tool), From: f.From, To: f.To}
}
