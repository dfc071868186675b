package lint_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// wordings reads a file of sentences: "# rule" opens a part, any other line is one.
func wordings(t *testing.T, file string, each func(rule, text string)) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	rule, n := "", 0
	for _, line := range strings.Split(string(b), "\n") {
		if head, ok := strings.CutPrefix(line, "# "); ok {
			rule = head
		} else if line != "" {
			n++
			each(rule, line)
		}
	}
	if n < 100 {
		t.Fatalf("%s holds %d sentences", file, n)
	}
}

func inDescription(text string) string {
	return fmt.Sprintf(`{"tool":{"name":"get_weather","description":%q}}`, "Returns the weather of a city. "+text)
}

func inParam(text string) string {
	return fmt.Sprintf(`{"tool":{"name":"get_weather","description":"Returns the weather.","inputSchema":{"type":"object","properties":{"city":{"type":"string","description":%q}}}}}`, "City. "+text)
}

// The same orders in many words: each is found by its rule in a description and in the
// text of a parameter.
func TestOrders(t *testing.T) {
	wordings(t, "testdata/orders.txt", func(rule, text string) {
		if got := find(t, inDescription(text)); !has(got, rule) {
			t.Errorf("%s not found in %q, got:%s", rule, text, list(got))
		}
		if got := find(t, inParam(text)); rule != "desc.steering" && !has(got, rule) {
			t.Errorf("%s not found in a parameter: %q, got:%s", rule, text, list(got))
		}
	})
}

// Sentences of honest tools: taken apart word by word they hold every word of an attack.
func TestHonestSentences(t *testing.T) {
	wordings(t, "testdata/honest.txt", func(_, text string) {
		for _, line := range []string{inDescription(text), inParam(text), fmt.Sprintf(`{"tool":{"name":"do_thing","description":%q}}`, "Does a thing to an item. "+text)} {
			for _, f := range find(t, line) {
				family, _, _ := strings.Cut(f.Rule, ".")
				grave := family == "poison" || family == "shadow" || f.Rule == "desc.steering" || f.Rule == "secret.literal"
				if f.Severity.Rank() >= 1 && grave {
					t.Errorf("%s %s: %q: %s", f.Severity, f.Rule, text, f.Message)
				}
			}
		}
	})
}
