package host_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/testkit"
	"github.com/countersign/countersign/review/host"
)

// captured is a recorded request of a real host, as the test kit keeps it.
type captured struct {
	Host    string            `json:"host"`
	Variant string            `json:"variant"`
	Probe   string            `json:"probe"`
	Tools   []json.RawMessage `json:"tools"`
}

// drivers names the profile of each program that was driven.
var drivers = map[string]string{
	"claude": "claude-code", "codex": "codex", "gemini": "gemini-cli", "qwen": "qwen-code", "opencode": "opencode",
	"copilot": "copilot-cli", "cn": "continue-cli", "cline": "cline", "mcphost": "mcphost",
	"agents": "openai-agents-js", "langchain": "langchain-mcp-adapters-js", "aisdk": "vercel-ai",
}

// TestCaptures renders the probe listings for every verified host and compares with
// what the real programs sent, byte for byte: same entries, same order, keys in
// their order.
func TestCaptures(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(testkit.Shared(t, "hosts/captures"), "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no captures: %v", err)
	}
	same, all := 0, 0
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			s, n := checkCapture(t, file)
			same, all = same+s, all+n
		})
	}
	t.Logf("%d of %d captured tools reproduced", same, all)
}

func checkCapture(t *testing.T, file string) (same, all int) {
	var c captured
	readJSON(t, file, &c)
	p, err := host.Lookup(drivers[c.Host])
	if err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(testkit.Shared(t, "hosts/probes/"+c.Probe+".json"))
	if err != nil {
		t.Fatal(err)
	}
	servers, err := host.ParseMounted(raw)
	if err != nil {
		t.Fatal(err)
	}
	variant := c.Variant
	if variant == "" {
		variant = "plain"
	}
	r, err := host.Render(p, servers, variant)
	if err != nil {
		t.Fatal(err)
	}
	want, got := compacted(t, c.Tools), entries(t, r)
	got = slices.DeleteFunc(got, func(e string) bool { return takenOut(c, e) })
	if p.Order == "any" {
		slices.Sort(want)
		slices.Sort(got)
	}
	for i := range max(len(want), len(got)) {
		switch {
		case i >= len(got):
			t.Errorf("entry %d is missing: %.1200s", i, want[i])
		case i >= len(want):
			t.Errorf("entry %d is too much: %.1200s", i, got[i])
		case got[i] != want[i]:
			t.Errorf("entry %d\n got %.1200s\nwant %.1200s", i, got[i], want[i])
		default:
			same += tools(want[i])
		}
	}
	for _, w := range want {
		all += tools(w)
	}
	return same, all
}

// takenOut reports whether the test kit took an entry for one of the host's own
// tools: Continue sends both under one name.
func takenOut(c captured, entry string) bool {
	return c.Host == "cn" && c.Probe == "p08-builtin" && (strings.Contains(entry, `"name":"Read"`) || strings.Contains(entry, `"name":"Bash"`))
}

// tools counts the tools in an entry: several in a namespace.
func tools(entry string) int { return max(1, strings.Count(entry, `"type":"function"`)) }

func readJSON(t *testing.T, file string, v any) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, v); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}

func entries(t *testing.T, r *host.Rendering) []string {
	t.Helper()
	var raw []json.RawMessage
	for _, e := range r.Tools {
		raw = append(raw, e.JSON)
	}
	return compacted(t, raw)
}

// compacted writes entries in one form: no space, every character itself.
func compacted(t *testing.T, entries []json.RawMessage) []string {
	t.Helper()
	var out []string
	for _, e := range entries {
		var b bytes.Buffer
		if err := json.Compact(&b, e); err != nil {
			t.Fatal(err)
		}
		out = append(out, unescaped(t, b.String()))
	}
	return out
}

// unescaped replaces every string literal by the one that Go writes for it.
func unescaped(t *testing.T, s string) string {
	t.Helper()
	var b strings.Builder
	for len(s) > 0 {
		i := strings.IndexByte(s, '"')
		if i < 0 {
			b.WriteString(s)
			break
		}
		b.WriteString(s[:i])
		end := i + 1
		for ; s[end] != '"'; end++ {
			if s[end] == '\\' {
				end++
			}
		}
		var text string
		if err := json.Unmarshal([]byte(s[i:end+1]), &text); err != nil {
			t.Fatal(err)
		}
		literal, _ := json.Marshal(text)
		b.Write(literal)
		s = s[end+1:]
	}
	return b.String()
}
