package report

import (
	"encoding/json"
	"fmt"

	"github.com/countersign/countersign/review/lint"
)

// findingsJSON is the form of `countersign lint`. What is not in the contract stands
// behind it.
type findingsJSON struct {
	Findings []findingJSON `json:"findings"`
	Counts   countsJSON    `json:"counts"`
	Waived   int           `json:"waived"`
	Rules    string        `json:"rules_version"`
}

type countsJSON struct {
	Critical int `json:"critical"`
	High     int `json:"high"`
	Warn     int `json:"warn"`
	Info     int `json:"info"`
}

type findingJSON struct {
	Rule          string        `json:"rule"`
	Severity      lint.Severity `json:"severity"`
	Tool          *text         `json:"tool"` // null: the listing
	Pointer       text          `json:"pointer"`
	Excerpt       text          `json:"excerpt"`
	PositionClass string        `json:"position_class"`
	Message       text          `json:"message"`
	Fix           text          `json:"fix"`
	Fingerprint   string        `json:"fingerprint"`
	Position      int           `json:"position"` // of the tool, from 1; 0 is the listing
	New           bool          `json:"new"`
	Of            string        `json:"of,omitempty"`        // rule of the finding that this is about, with the same fingerprint
	RaisedBy      string        `json:"raised_by,omitempty"` // rule that made it graver
	Places        []placeJSON   `json:"places,omitempty"`
	Waiver        *waiverJSON   `json:"waiver,omitempty"`
	ByPolicy      *overrideJSON `json:"by_policy,omitempty"`
}

// overrideJSON is a policy's word on a finding: found is the severity that the rule
// gave.
type overrideJSON struct {
	Found lint.Severity `json:"found"`
	Off   bool          `json:"off"`
}

type placeJSON struct {
	Tool        text   `json:"tool"`
	Position    int    `json:"position"`
	Pointer     text   `json:"pointer"`
	Fingerprint string `json:"fingerprint"`
}

type waiverJSON struct {
	Reason  text   `json:"reason"`
	By      text   `json:"by,omitempty"`
	Kind    string `json:"kind"`
	Expires string `json:"expires,omitempty"`
}

// Findings writes findings as the contract says, on one line.
func Findings(found []lint.Finding) ([]byte, error) {
	b, err := encode(findingsForm(found))
	if err != nil {
		return nil, fmt.Errorf("write findings: %w", err)
	}
	return b, nil
}

// lintJSON is what `countersign lint` answers: the findings, and what came of the waivers.
type lintJSON struct {
	findingsJSON
	AcceptedRisk  int        `json:"accepted_risk"`   // of the waived ones
	CouldNotCheck int        `json:"could_not_check"` // of the waived ones
	Idle          []idleJSON `json:"idle_waivers"`
}

// idleJSON is a waiver that covers nothing.
type idleJSON struct {
	Why         lint.Idle `json:"why"`
	Fingerprint string    `json:"fingerprint"`
	Rule        string    `json:"rule,omitempty"`
	Tool        text      `json:"tool,omitempty"`
	Pointer     text      `json:"pointer,omitempty"`
	waiverJSON
}

// Lint writes findings as [Findings] does, and with them which of the waivers are what,
// and which cover nothing.
func Lint(found []lint.Finding, idle []lint.IdleWaiver) ([]byte, error) {
	out := lintJSON{findingsJSON: findingsForm(found), Idle: each(idle, idleForm)}
	out.AcceptedRisk, out.CouldNotCheck = countWaived(found)
	return encode(out)
}

func idleForm(w lint.IdleWaiver) idleJSON {
	return idleJSON{w.Why, w.Fingerprint, w.Rule, text(w.Tool), text(w.Pointer), waiverForm(&w.Waiver)}
}

func waiverForm(w *lint.Waiver) waiverJSON {
	return waiverJSON{text(w.Reason), text(w.By), string(w.Kind), w.Expires}
}

// FindingsLine answers one line of a batch: {"id","findings"}.
func FindingsLine(id json.RawMessage, found []lint.Finding) ([]byte, error) {
	return encode(struct {
		ID       json.RawMessage `json:"id"`
		Findings []findingJSON   `json:"findings"`
	}{id, each(found, findingForm)})
}

// ParseFindings reads what [Findings] wrote.
func ParseFindings(b []byte) ([]lint.Finding, error) {
	var f findingsJSON
	if err := json.Unmarshal(b, &f); err != nil {
		return nil, fmt.Errorf("read findings: %w", err)
	}
	return each(f.Findings, findingJSON.finding), nil
}

func findingsForm(found []lint.Finding) findingsJSON {
	waived := 0
	for _, f := range found {
		if f.Waiver != nil {
			waived++
		}
	}
	return findingsJSON{each(found, findingForm), countsJSON(lint.Count(found)), waived, lint.Version}
}

func findingForm(f lint.Finding) findingJSON {
	out := findingJSON{
		Rule: f.Rule, Severity: f.Severity, Pointer: text(f.Pointer), Excerpt: text(f.Excerpt), Message: text(f.Message),
		Fix: text(f.Fix), Fingerprint: f.Fingerprint, Position: f.Position, New: f.New, PositionClass: string(f.PositionClass),
		Of: f.Of, RaisedBy: f.RaisedBy,
	}
	if f.Position > 0 || f.Tool != "" {
		tool := text(f.Tool)
		out.Tool = &tool
	}
	for _, p := range f.Places {
		out.Places = append(out.Places, placeJSON{text(p.Tool), p.Position, text(p.Pointer), p.Fingerprint})
	}
	if w := f.Waiver; w != nil {
		form := waiverForm(w)
		out.Waiver = &form
	}
	if o := f.Policy; o != nil {
		out.ByPolicy = &overrideJSON{o.Found, o.Off}
	}
	return out
}

func (f findingJSON) finding() lint.Finding {
	out := lint.Finding{
		Rule: f.Rule, Severity: f.Severity, Excerpt: string(f.Excerpt), Message: string(f.Message), Fix: string(f.Fix), New: f.New,
		PositionClass: lint.PositionClass(f.PositionClass), Of: f.Of, RaisedBy: f.RaisedBy,
		Place: lint.Place{Position: f.Position, Pointer: string(f.Pointer), Fingerprint: f.Fingerprint},
	}
	if f.Tool != nil {
		out.Tool = string(*f.Tool)
	}
	for _, p := range f.Places {
		out.Places = append(out.Places, lint.Place{Tool: string(p.Tool), Position: p.Position, Pointer: string(p.Pointer), Fingerprint: p.Fingerprint})
	}
	if w := f.Waiver; w != nil {
		out.Waiver = &lint.Waiver{
			Fingerprint: f.Fingerprint, Rule: f.Rule, Tool: out.Tool, Pointer: out.Pointer,
			Reason: string(w.Reason), By: string(w.By), Kind: lint.WaiverKind(w.Kind), Expires: w.Expires,
		}
	}
	if o := f.ByPolicy; o != nil {
		out.Policy = &lint.Override{Found: o.Found, Off: o.Off}
	}
	return out
}

// ruleJSON is the form of `countersign rules`.
type ruleJSON struct {
	ID       string            `json:"id"`
	Severity lint.Severity     `json:"severity"`
	Scope    lint.Scope        `json:"scope"`
	On       bool              `json:"on"`
	Title    string            `json:"title"`
	Why      string            `json:"why"`
	Fix      string            `json:"fix"`
	Source   string            `json:"source"`
	Fires    []json.RawMessage `json:"fires"`
	Silent   []json.RawMessage `json:"silent"`
}

// Rules writes the catalogue: {"version","rules"}.
func Rules(rules []lint.Rule) ([]byte, error) {
	raw := func(lines []string) []json.RawMessage {
		return each(lines, func(s string) json.RawMessage { return json.RawMessage(s) })
	}
	return encode(struct {
		Version string     `json:"version"`
		Rules   []ruleJSON `json:"rules"`
	}{lint.Version, each(rules, func(r lint.Rule) ruleJSON {
		return ruleJSON{r.ID, r.Severity, r.Scope, !r.Off, r.Title, r.Why, r.Fix, r.Source, raw(r.Fires), raw(r.Silent)}
	})})
}
