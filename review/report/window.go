package report

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/countersign/countersign/review/change"
	"github.com/countersign/countersign/review/surface"
)

// windowJSON is the form of `countersign diff --window`: one row for each older
// listing, in the order that they were given.
type windowJSON struct {
	To   *surface.Hash   `json:"to"`
	Rows []windowRowJSON `json:"rows"`
}

type windowRowJSON struct {
	Label    text          `json:"label"`
	From     *surface.Hash `json:"from"`
	Fit      change.Fit    `json:"fit"`
	Failures []failureJSON `json:"failures"`
	Note     *text         `json:"note"`
}

type failureJSON struct {
	Tool     text            `json:"tool"`
	Fit      change.Fit      `json:"fit"`
	Sentence text            `json:"sentence"`
	Witness  json.RawMessage `json:"witness"`
}

// Window writes which older clients still call validly, on one line.
func Window(rows []change.WindowRow) ([]byte, error) {
	f := windowJSON{Rows: each(rows, windowRowForm)}
	if len(rows) > 0 {
		f.To = hashOrNull(rows[0].To)
	}
	b, err := encode(f)
	if err != nil {
		return nil, fmt.Errorf("write window: %w", err)
	}
	return b, nil
}

func windowRowForm(r change.WindowRow) windowRowJSON {
	f := windowRowJSON{Label: text(r.Label), From: hashOrNull(r.From), Fit: r.Fit, Failures: each(r.Failures, failureForm)}
	if r.Note != "" {
		f.Note = (*text)(&r.Note)
	}
	return f
}

func failureForm(f change.WindowFailure) failureJSON {
	return failureJSON{text(f.Tool), f.Fit, text(f.Sentence), f.Witness}
}

var fitWords = map[change.Fit]string{
	change.FitWorks:     "every old call still works",
	change.FitFails:     "some old calls fail",
	change.FitUndecided: "not proved either way",
}

// WindowText writes the same for people.
func WindowText(rows []change.WindowRow) string {
	var b strings.Builder
	for _, r := range rows {
		fmt.Fprintf(&b, "%s: %s\n", Line(r.Label), fitWords[r.Fit])
		if r.Note != "" {
			fmt.Fprintf(&b, "  %s\n", Line(r.Note))
		}
		for _, f := range r.Failures {
			fmt.Fprintf(&b, "  %s: %s\n", Line(f.Tool), Line(f.Sentence))
			if len(f.Witness) > 0 {
				fmt.Fprintf(&b, "    worked and now fails: %s\n", Line(string(f.Witness)))
			}
		}
	}
	return b.String()
}
