package schema_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/testkit"
	"github.com/countersign/countersign/review/schema"
)

type corpusTool struct {
	Name         string          `json:"name"`
	InputSchema  json.RawMessage `json:"inputSchema"`
	OutputSchema json.RawMessage `json:"outputSchema"`
}

// corpusPair is one tool whose schema changed between two versions of a server.
type corpusPair struct {
	name     string
	dir      schema.Direction
	old, new json.RawMessage
	draft    string
}

func corpusTools(t testing.TB, path string) map[string]corpusTool {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Result struct {
			Tools []corpusTool `json:"tools"`
		} `json:"result"`
	}
	if err := json.Unmarshal(b, &doc); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	out := map[string]corpusTool{}
	for _, tool := range doc.Result.Tools {
		out[tool.Name] = tool
	}
	return out
}

// byVersion sorts file names by the numbers in them.
func byVersion(a, b string) int {
	split := func(s string) []string {
		return strings.FieldsFunc(filepath.Base(s), func(r rune) bool { return r < '0' || r > '9' })
	}
	return slices.CompareFunc(split(a), split(b), func(x, y string) int {
		i, _ := strconv.Atoi(x)
		j, _ := strconv.Atoi(y)
		return i - j
	})
}

// corpusPairs lists the changed schemas of all neighbouring versions.
func corpusPairs(t testing.TB) []corpusPair {
	t.Helper()
	dirs, err := filepath.Glob(filepath.Join(testkit.Corpus(t), "*"))
	if err != nil {
		t.Fatal(err)
	}
	var out []corpusPair
	for _, dir := range dirs {
		files, _ := filepath.Glob(filepath.Join(dir, "*.json"))
		slices.SortFunc(files, byVersion)
		for i := 1; i < len(files); i++ {
			before, after := corpusTools(t, files[i-1]), corpusTools(t, files[i])
			for _, name := range slices.Sorted(keys(before)) {
				a, b := before[name], after[name]
				label := fmt.Sprintf("%s %s -> %s %s", filepath.Base(dir), filepath.Base(files[i-1]), filepath.Base(files[i]), name)
				if b.InputSchema != nil && string(a.InputSchema) != string(b.InputSchema) {
					out = append(out, corpusPair{label, schema.Input, a.InputSchema, b.InputSchema, ""})
				}
				if a.OutputSchema != nil && b.OutputSchema != nil && string(a.OutputSchema) != string(b.OutputSchema) {
					out = append(out, corpusPair{label, schema.Output, a.OutputSchema, b.OutputSchema, ""})
				}
			}
		}
	}
	return out
}

func keys[V any](m map[string]V) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// Real schemas: nothing undecided without a reason, every break shown to be one,
// no edit without a sentence.
func TestCorpus(t *testing.T) {
	var took []time.Duration
	undecided := 0
	pairs := corpusPairs(t)
	for _, c := range pairs {
		start := time.Now()
		r := schema.Compare(c.old, c.new, c.dir, schema.Options{JoinObject: true})
		took = append(took, time.Since(start))
		if r.Verdict == schema.Undecided || r.Declared == schema.Undecided {
			undecided++
			t.Logf("%s: undecided: %s", c.name, r.Reason)
		}
		checkResult(t, c, r)
		if os.Getenv("DUMP") != "" {
			dumpResult(c.name, r)
		}
	}
	if undecided*100 > 3*len(pairs) {
		t.Errorf("%d of %d undecided", undecided, len(pairs))
	}
	slices.Sort(took)
	t.Logf("%d pairs, %d undecided; median %v, p99 %v, max %v", len(pairs), undecided, took[len(took)/2], took[len(took)*99/100], took[len(took)-1])
}

func checkResult(t *testing.T, c corpusPair, r schema.Result) {
	t.Helper()
	if r.Reason == "" {
		t.Errorf("%s: no reason", c.name)
	}
	if len(r.Edits) == 0 && schemaKey(t, c.old) != schemaKey(t, c.new) {
		t.Errorf("%s: the schemas differ, but there is no edit", c.name)
	}
	var k *witnessChecker
	if r.Witness != nil {
		k = newWitnessChecker(t, c)
		k.check(t, c.name, r.Witness)
	}
	for _, e := range r.Edits {
		if e.Sentence == "" || e.Verdict == "" || e.VerdictDeclared == "" {
			t.Errorf("%s: edit %s %s lacks a sentence or verdict", c.name, e.ID, e.Pointer)
		}
		if e.Verdict == schema.Undecided && e.Note == nil {
			t.Errorf("%s: edit %s %s is undecided without a note", c.name, e.ID, e.Pointer)
		}
		if e.Verdict == schema.Breaking && e.Witness == nil && e.Effect == nil {
			t.Errorf("%s: edit %s %s breaks without a witness", c.name, e.ID, e.Pointer)
		}
		if e.Witness != nil {
			k.check(t, c.name, e.Witness)
		}
	}
}

// witnessChecker asks the validator once more, from the outside.
type witnessChecker struct{ before, after *schema.Validator }

func newWitnessChecker(t *testing.T, c corpusPair) *witnessChecker {
	t.Helper()
	source, target := c.old, c.new
	if c.dir == schema.Output {
		source, target = target, source
	}
	before, errA := schema.NewValidator(source, schema.Options{Draft: c.draft})
	after, errB := schema.NewValidator(target, schema.Options{Draft: c.draft})
	if errA != nil || errB != nil {
		t.Fatalf("%s: a witness for schemas that don't compile: %v, %v", c.name, errA, errB)
	}
	return &witnessChecker{before, after}
}

func (k *witnessChecker) check(t *testing.T, name string, w json.RawMessage) {
	t.Helper()
	if ok, err := k.before.Accepts(w); err != nil || !ok {
		t.Errorf("%s: witness %s is not valid on the source side (%v)", name, w, err)
	}
	if ok, err := k.after.Accepts(w); err != nil || ok {
		t.Errorf("%s: witness %s is not rejected on the target side (%v)", name, w, err)
	}
}

func schemaKey(t *testing.T, b []byte) string {
	t.Helper()
	var v any
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatal(err)
	}
	out, _ := json.Marshal(v)
	return string(out)
}

func dumpResult(name string, r schema.Result) {
	fmt.Printf("== %s: %s/%s %s w=%s\n", name, r.Verdict, r.Declared, r.Reason, r.Witness)
	for _, e := range r.Edits {
		n := ""
		if e.Note != nil {
			n = " NOTE " + *e.Note
		}
		if e.Effect != nil {
			n += " EFFECT " + *e.Effect
		}
		fmt.Printf("   - %s %s [%s/%s] %s%s w=%s\n", e.ID, e.Pointer, e.Verdict, e.VerdictDeclared, e.Sentence, n, e.Witness)
	}
}
