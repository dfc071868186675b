package report

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/countersign/countersign/review/change"
	"github.com/countersign/countersign/review/schema"
)

// schemaJSON is the form of `countersign schema`.
type schemaJSON struct {
	Verdict  schema.Verdict   `json:"verdict"`
	Declared schema.Verdict   `json:"verdict_declared"`
	Reason   text             `json:"reason"`
	Changes  []schemaEditJSON `json:"changes"`
	Witness  json.RawMessage  `json:"witness"`

	Rejected text `json:"rejected,omitempty"`
}

type schemaEditJSON struct {
	ID      string       `json:"id"`
	Class   change.Class `json:"class"`
	Pointer text         `json:"pointer"`

	Sentence text            `json:"sentence"`
	Witness  json.RawMessage `json:"witness"`
	Effect   *text           `json:"effect"`
	Note     *text           `json:"note"`
}

// Schema writes the answer about two schemas as JSON.
func Schema(r schema.Result) ([]byte, error) {
	out := schemaJSON{
		Verdict: r.Verdict, Declared: r.Declared, Reason: text(r.Reason), Rejected: text(r.Rejected),
		Changes: make([]schemaEditJSON, 0, len(r.Edits)), Witness: r.Witness,
	}
	for _, e := range r.Edits {
		out.Changes = append(out.Changes, schemaEditJSON{
			ID: e.ID, Class: change.EditClass(e), Pointer: text(e.Pointer), Sentence: text(e.Sentence),
			Witness: e.Witness, Effect: textPtr(e.Effect), Note: textPtr(e.Note),
		})
	}
	return encode(out)
}

// SchemaVerdict is one line of `countersign schema --batch`: what was decided
// about the pair with that id. ID is JSON as it was given.
func SchemaVerdict(id json.RawMessage, r schema.Result) ([]byte, error) {
	if len(id) == 0 {
		id = json.RawMessage("null")
	}
	return encode(struct {
		ID       json.RawMessage `json:"id"`
		Verdict  schema.Verdict  `json:"verdict"`
		Declared schema.Verdict  `json:"verdict_declared"`
		Witness  json.RawMessage `json:"witness"`
		Reason   text            `json:"reason"`
	}{id, r.Verdict, r.Declared, r.Witness, text(r.Reason)})
}

// SchemaText writes the answer for people.
func SchemaText(r schema.Result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s", r.Verdict)
	if r.Declared != r.Verdict {
		fmt.Fprintf(&b, " (%s for callers that send declared properties only)", r.Declared)
	}
	fmt.Fprintln(&b)
	if r.Reason != "" {
		fmt.Fprintln(&b, Line(r.Reason))
	}
	if r.Witness != nil {
		fmt.Fprintf(&b, "witness: %s\n", Line(string(r.Witness)))
	}
	for _, e := range r.Edits {
		fmt.Fprintf(&b, "  %-10s %s: %s\n", change.EditClass(e), e.ID, Line(e.Sentence))
	}
	return b.String()
}
