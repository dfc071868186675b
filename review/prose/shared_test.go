package prose_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/testkit"
	"github.com/countersign/countersign/review/prose"
)

// tool is what these tests read of a tool.
type tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"inputSchema"`
}

// readCases calls f with each line of a file of handed cases.
func readCases(t *testing.T, name string, f func(line []byte)) {
	t.Helper()
	data, err := os.ReadFile(testkit.Shared(t, name))
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		f(lines.Bytes())
	}
}

func decode(t *testing.T, data []byte, v any) {
	t.Helper()
	if err := json.Unmarshal(data, v); err != nil {
		t.Fatal(err)
	}
}

// TestDescriptionChanges judges the reported description changes as the cases do.
func TestDescriptionChanges(t *testing.T) {
	type change struct {
		ID     string
		Kind   string
		Inputs struct{ Before, After []tool }
		Value  struct {
			MarkedDeleted  string   `json:"marked_deleted"`
			MarkedInserted string   `json:"marked_inserted"`
			Introduced     []string `json:"introduced"`
		}
	}
	readCases(t, "cases/pains.jsonl", func(line []byte) {
		var c change
		if !bytes.Contains(line, []byte(`"desc_change"`)) {
			return
		}
		decode(t, line, &c)
		if len(c.Inputs.Before) != 1 || len(c.Inputs.After) != 1 {
			return
		}
		old, new := c.Inputs.Before[0].Description, c.Inputs.After[0].Description
		d := prose.Compare(old, new)
		if want := c.Value.MarkedDeleted; want != "" && !hasPiece(d, prose.Delete, want) {
			t.Errorf("%s: %q is not marked as deleted: %+v", c.ID, want, d.Unified)
		}
		if want := c.Value.MarkedInserted; want != "" && !hasPiece(d, prose.Insert, want) {
			t.Errorf("%s: %q is not marked as inserted: %+v", c.ID, want, d.Unified)
		}
		gained := 0
		for _, delta := range prose.ContractDelta(old, new) {
			if delta.Old == "" && delta.Class == prose.Instruction {
				gained++
			}
		}
		if gained != len(c.Value.Introduced) {
			t.Errorf("%s: %d instructions gained, want %d", c.ID, gained, len(c.Value.Introduced))
		}
	})
}

func hasPiece(d prose.Diff, op prose.Op, text string) bool {
	return slices.ContainsFunc(d.Unified, func(p prose.Piece) bool { return p.Op == op && strings.Contains(p.Raw, text) })
}

// TestPoisonedText finds what is hidden in the reported payloads.
func TestPoisonedText(t *testing.T) {
	codes := map[prose.MarkKind]string{
		prose.Tag: "unicode_tag_block", prose.Bidi: "bidi_control", prose.ZeroWidth: "zero_width", prose.SoftHyphen: "soft_hyphen",
	}
	readCases(t, "cases/pains.jsonl", func(line []byte) {
		var c struct {
			ID     string
			Kind   string
			Inputs struct{ Payload struct{ Tools []tool } }
			Value  struct {
				Codes   json.RawMessage
				Count   int
				Decoded string
			}
		}
		if !bytes.Contains(line, []byte(`"poisoning_unicode"`)) {
			return
		}
		decode(t, line, &c)
		for _, tool := range c.Inputs.Payload.Tools {
			for _, m := range prose.HiddenIn(tool.Description) {
				if !strings.Contains(string(c.Value.Codes), codes[m.Kind]) {
					t.Errorf("%s %s: %s found", c.ID, tool.Name, m.Label())
				}
				if m.Kind == prose.Tag && (m.Count != c.Value.Count || m.Decoded() != c.Value.Decoded) {
					t.Errorf("%s: %d tags spell %q", c.ID, m.Count, m.Decoded())
				}
			}
			hides := strings.Contains(string(c.Value.Codes), "unicode_tag") || bytes.HasPrefix(c.Value.Codes, []byte("{"))
			if prose.HasHidden(tool.Description) != hides {
				t.Errorf("%s %s: hidden characters: %t", c.ID, tool.Name, !hides)
			}
		}
	})
}

// TestInnocentText leaves the look-alikes of attacks in peace, and finds the
// attacks.
func TestInnocentText(t *testing.T) {
	hiding := []string{"unicode.tag-block", "unicode.variation-selector", "unicode.zero-width", "unicode.bidi", "unicode.control", "unicode.mixed-script", "unicode.confusable-name"}
	readCases(t, "cases/lint.jsonl", func(line []byte) {
		var c struct {
			ID     string
			Expect []string
			Tool   any
		}
		decode(t, line, &c)
		found := ""
		eachString(c.Tool, func(s string) {
			for _, m := range prose.HiddenIn(s) {
				if m.Grave() {
					found = m.Label()
				}
			}
		})
		expected := slices.ContainsFunc(c.Expect, func(rule string) bool { return slices.Contains(hiding, rule) })
		if expected != (found != "") {
			t.Errorf("%s expects %v, found %q", c.ID, c.Expect, found)
		}
	})
}

func eachString(v any, f func(string)) {
	switch v := v.(type) {
	case string:
		f(v)
	case []any:
		for _, e := range v {
			eachString(e, f)
		}
	case map[string]any:
		for k, e := range v {
			f(k)
			eachString(e, f)
		}
	}
}

// TestCorpus compares the texts of every server's neighbouring versions.
func TestCorpus(t *testing.T) {
	folders, err := filepath.Glob(filepath.Join(testkit.Corpus(t), "*"))
	if err != nil {
		t.Fatal(err)
	}
	changed, behaviour := 0, 0
	for _, folder := range folders {
		files, _ := filepath.Glob(filepath.Join(folder, "*.json"))
		var before map[string]string
		for _, file := range files {
			after := textsOf(t, file)
			for key, new := range after {
				old, ok := before[key]
				if !ok || old == new {
					continue
				}
				changed++
				if len(checkPair(t, file+" "+key, old, new)) > 0 {
					behaviour++
				}
			}
			before = after
		}
	}
	t.Logf("%d changed texts, %d of class behaviour", changed, behaviour)
	if changed == 0 || behaviour == 0 || behaviour == changed {
		t.Errorf("%d changed texts, %d of class behaviour", changed, behaviour)
	}
}

// checkPair checks that a comparison loses nothing and quotes only what is there.
func checkPair(t *testing.T, name, old, new string) []prose.Delta {
	t.Helper()
	d := prose.Compare(old, new)
	if join(d.Old) != old || join(d.New) != new {
		t.Errorf("%s: something was lost", name)
	}
	deltas := prose.ContractDelta(old, new)
	for _, delta := range deltas {
		if !strings.Contains(old, delta.Old) || !strings.Contains(new, delta.New) {
			t.Errorf("%s: %+v quotes what is not there", name, delta)
		}
	}
	return deltas
}

func join(pieces []prose.Piece) string {
	var b strings.Builder
	for _, p := range pieces {
		b.WriteString(p.Raw)
	}
	return b.String()
}

// textsOf reads every description of a listing, by tool and by property.
func textsOf(t *testing.T, file string) map[string]string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var listing struct {
		Server struct{ Instructions string }
		Result struct{ Tools []tool }
	}
	if json.Unmarshal(data, &listing) != nil {
		return nil // not a listing
	}
	texts := map[string]string{"instructions": listing.Server.Instructions}
	for _, tool := range listing.Result.Tools {
		texts[tool.Name] = tool.Description
		var schema struct {
			Properties map[string]struct{ Description string }
		}
		if json.Unmarshal(tool.InputSchema, &schema) != nil {
			continue
		}
		for name, p := range schema.Properties {
			texts[tool.Name+"/"+name] = p.Description
		}
	}
	return texts
}
