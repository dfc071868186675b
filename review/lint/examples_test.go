package lint_test

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/countersign/countersign/review/lint"
)

// example is a line of testdata/examples.jsonl: a case, and what must and must not be
// found in it. In must_not "family.*" means a finding of that family above info.
type example struct {
	Expect  []string `json:"expect"`
	MustNot []string `json:"must_not"`
}

// Definitions by rule, the plain ones and their look-alikes, in words of our own.
func TestExamples(t *testing.T) {
	f, err := os.Open("testdata/examples.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	n := 0
	for sc := bufio.NewScanner(f); sc.Scan(); n++ {
		var e example
		if err := json.Unmarshal(sc.Bytes(), &e); err != nil {
			t.Fatal(err)
		}
		got := find(t, sc.Text())
		for _, rule := range e.Expect {
			if !has(got, rule) {
				t.Errorf("%s not found in %s\ngot:%s", rule, sc.Text(), list(got))
			}
		}
		for _, rule := range e.MustNot {
			if breaks(got, rule) {
				t.Errorf("%s found in %s\ngot:%s", rule, sc.Text(), list(got))
			}
		}
	}
	if n < 500 {
		t.Errorf("%d examples", n)
	}
}

func breaks(got []lint.Finding, rule string) bool {
	family, isFamily := strings.CutSuffix(rule, "*")
	for _, f := range got {
		if f.Rule == rule || isFamily && strings.HasPrefix(f.Rule, family) && f.Severity.Rank() > lint.Info.Rank() {
			return true
		}
	}
	return false
}
