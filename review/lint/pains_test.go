package lint_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/countersign/countersign/review/lint"
)

// pain is one report of the handed file, as far as the rules read it.
type pain struct {
	ID     string `json:"id"`
	Inputs struct {
		Server  string          `json:"server"`
		Payload json.RawMessage `json:"payload"`
		Before  json.RawMessage `json:"before"`
		After   json.RawMessage `json:"after"`
	} `json:"inputs"`
}

// line writes the report as a line of a batch.
func (p pain) line(t *testing.T) string {
	t.Helper()
	if p.Inputs.After != nil {
		return fmt.Sprintf(`{"tools":%s,"context":{"previous":%s}}`, p.Inputs.After, p.Inputs.Before)
	}
	var payload struct {
		Tools json.RawMessage `json:"tools"`
	}
	if err := json.Unmarshal(p.Inputs.Payload, &payload); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf(`{"tools":%s,"context":{"server":%q}}`, payload.Tools, p.Inputs.Server)
}

// expectation is what a report asks of the rules: "rule tool severity", where an empty
// part means any.
type expectation struct{ rule, tool, severity string }

var painExpectations = map[string][]expectation{
	"pains-desc_lint-01": {
		{"desc.tautology", "delete_branch", ""}, {"desc.terse", "", ""}, {"desc.destructive-silent", "", "warn"}, {"param.no-description", "", ""},
		{"schema.open-object", "", ""}, {"annot.missing", "", ""}, {"param.bypass-flag", "", ""},
	},
	"pains-desc_lint-03":         {{"desc.tautology", "create_branch", ""}, {"desc.tautology", "accounting_invoices_list", ""}},
	"pains-desc_lint-05":         {{"param.opaque-enum", "list_tickets", "warn"}},
	"pains-desc_lint-07":         {{"desc.steering", "web_search", "warn"}},
	"pains-desc_lint-08":         {{"desc.internal-host", "", "warn"}, {"desc.implementation-detail", "", ""}},
	"pains-desc_lint-09":         {{"desc.branching", "ticket", ""}, {"tool.mode-flag", "ticket", ""}},
	"pains-annotations-01":       {{"annot.uniform", "", "warn"}, {"annot.read-marked-destructive", "search_code", ""}, {"annot.read-marked-destructive", "get_schema", ""}},
	"pains-annotations-03":       {{"diff.annotation-flipped", "run_query", "high"}},
	"pains-annotations-05":       {{"diff.annotation-stale", "save_attachment", "warn"}},
	"pains-poisoning_unicode-01": {{"unicode.tag-block", "format_json", "critical"}},
	"pains-poisoning_unicode-03": {{"unicode.bidi", "a", "critical"}, {"unicode.zero-width", "b", "warn"}, {"unicode.zero-width", "c", "info"}},
	"pains-poisoning_unicode-05": {{"poison.conceal", "check", "high"}},
	"pains-poisoning_unicode-07": {{"poison.encoded-blob", "a", ""}},
	"pains-output_contract-01":   {{"diff.output-schema-added", "get_info", ""}},
	"pains-output_contract-03":   {{"diff.output-broken", "r", ""}},
	"pains-rename_remove-06":     {{"desc.dangling-ref", "next_step", ""}},
	"pains-desc_change-01":       {{"desc.steering", "", ""}, {"poison.conceal", "", "high"}, {"diff.security-regression", "", ""}},
	"pains-noise-06":             {{"annot.incoherent", "a", ""}},
	"pains-name_rules-03":        {{"tool.name-charset", "user-profile/update", "warn"}, {"tool.name-charset", "get weather", ""}, {"tool.duplicate-name", "getuser", "warn"}},
	"pains-name_rules-05":        {{"tool.duplicate-name", "q", "critical"}},
	"pains-schema_valid-01":      {{"schema.invalid", "session.pause", ""}, {"schema.invalid", "files.list", ""}},
}

func TestHandedPains(t *testing.T) {
	seen := 0
	eachLine(t, "cases/pains.jsonl", func(line []byte) {
		var p pain
		if err := json.Unmarshal(line, &p); err != nil {
			return // inputs of another form belong to other packages
		}
		want, ok := painExpectations[p.ID]
		if !ok {
			return
		}
		seen++
		got := find(t, p.line(t))
		for _, e := range want {
			if !hasLike(got, e) {
				t.Errorf("%s: %v not found, got:%s", p.ID, e, list(got))
			}
		}
	})
	if seen != len(painExpectations) {
		t.Errorf("%d of %d reports found in the file", seen, len(painExpectations))
	}
}

func hasLike(got []lint.Finding, e expectation) bool {
	for _, f := range got {
		if f.Rule == e.rule && (e.tool == "" || f.Tool == e.tool) && (e.severity == "" || string(f.Severity) == e.severity) {
			return true
		}
	}
	return false
}

// Ordinary prose is no shadowing: a sibling, and the bare name of a product.
func TestHandedQuietPain(t *testing.T) {
	eachLine(t, "cases/pains.jsonl", func(line []byte) {
		var p pain
		if json.Unmarshal(line, &p) != nil || p.ID != "pains-poisoning_unicode-06" {
			return
		}
		for _, f := range find(t, p.line(t)) {
			if f.Severity.Rank() > lint.Info.Rank() {
				t.Errorf("%s %s: %s", f.Severity, f.Rule, f.Message)
			}
		}
	})
}
