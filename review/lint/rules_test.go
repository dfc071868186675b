package lint_test

import (
	"strings"
	"testing"

	"github.com/countersign/countersign/review/lint"
)

// find answers a case with every rule on.
func find(t testing.TB, line string) []lint.Finding {
	t.Helper()
	c, err := lint.ParseCase([]byte(line))
	if err != nil {
		t.Fatalf("%v in %s", err, line)
	}
	return c.Find(lint.Options{On: []string{"surface.*"}})
}

func has(findings []lint.Finding, rule string) bool {
	for _, f := range findings {
		if f.Rule == rule {
			return true
		}
	}
	return false
}

func list(findings []lint.Finding) string {
	var b strings.Builder
	for _, f := range findings {
		b.WriteString("\n  " + string(f.Severity) + " " + f.Rule + " " + f.Tool + " " + f.Pointer + ": " + f.Message)
	}
	return b.String()
}

// Every rule has examples, and they are true: what must fire does, what must not
// doesn't.
func TestRuleExamples(t *testing.T) {
	for _, r := range lint.Rules() {
		t.Run(r.ID, func(t *testing.T) {
			if r.Title == "" || r.Why == "" || r.Fix == "" || r.Source == "" {
				t.Errorf("incomplete: %+v", r)
			}
			if len(r.Fires) == 0 || len(r.Silent) == 0 {
				t.Fatalf("%d examples that fire, %d that don't: want one of each", len(r.Fires), len(r.Silent))
			}
			for _, line := range r.Fires {
				if got := find(t, line); !has(got, r.ID) {
					t.Errorf("not found in %s\ngot:%s", line, list(got))
				}
			}
			for _, line := range r.Silent {
				if got := find(t, line); has(got, r.ID) {
					t.Errorf("found in %s\ngot:%s", line, list(got))
				}
			}
		})
	}
}
