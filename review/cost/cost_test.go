package cost_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/countersign/countersign/review/cost"
	"github.com/countersign/countersign/review/host"
	"github.com/countersign/countersign/review/surface"
)

func read(t testing.TB, text string) *surface.Listing {
	t.Helper()
	l, err := surface.Read([]byte(text), surface.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// TestSession holds the arithmetic against the numbers of the essay that the
// product grew out of: twelve tools, forty turns, $3 for a million tokens.
func TestSession(t *testing.T) {
	for _, tc := range []struct {
		name                 string
		tokens               int
		prices               cost.Prices
		first, cached, total string
	}{
		{"terse", 720, cost.DefaultPrices, "0.00216", "0.008424", "0.010584"},
		{"wordy", 2280, cost.DefaultPrices, "0.00684", "0.026676", "0.033516"},
		{"one turn", 2280, cost.Prices{1, "3", "0.1", "1"}, "0.00684", "0", "0.00684"},
		{"no cache", 1000, cost.Prices{2, "3", "1", "1"}, "0.003", "0.003", "0.006"},
		{"write surcharge", 1000, cost.Prices{40, "3", "0.1", "1.25"}, "0.00375", "0.0117", "0.01545"},
		{"nothing", 0, cost.DefaultPrices, "0", "0", "0"},
		{"small", 1, cost.Prices{2, "0.000001", "0.0000001", "1"}, "0.000000000001", "0.0000000000000000001", "0.0000000000010000001"},
		{"large", 1 << 40, cost.Prices{1000000, "999999999999", "1", "1"}, "1099511627774900488.372224", "1099510528263272713471735.627776", "1099511627774900488372224"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b, err := cost.Session(tc.tokens, tc.prices)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]string{tc.first, tc.cached, tc.total}, []string{b.FirstTurn.String(), b.Cached.String(), b.Total.String()}); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestSessionRefuses(t *testing.T) {
	for _, tc := range []struct {
		prices cost.Prices
		says   string
	}{
		{cost.Prices{0, "3", "0.1", "1"}, "turns"},
		{cost.Prices{40, "free", "0.1", "1"}, `price: "free"`},
		{cost.Prices{40, "1e9", "0.1", "1"}, "price"},
		{cost.Prices{40, "1/3", "0.1", "1"}, "price"},
		{cost.Prices{40, "-3", "0.1", "1"}, "price"},
		{cost.Prices{40, "3", "", "1"}, "cache-read"},
		{cost.Prices{40, "3", "0.1", strings.Repeat("9", 40)}, "cache-write"},
	} {
		if _, err := cost.Session(10, tc.prices); err == nil || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%+v: got %v, want something about %s", tc.prices, err, tc.says)
		}
	}
	if _, err := cost.Session(-1, cost.DefaultPrices); err == nil {
		t.Error("fewer than no tokens were taken")
	}
}

func TestAmountIsANumber(t *testing.T) {
	b, err := cost.Session(720, cost.DefaultPrices)
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal([]cost.Amount{b.Total, {}})
	if err != nil || string(got) != "[0.010584,0]" {
		t.Errorf("got %s, %v", got, err)
	}
}

// TestTokens compares with counts that are known of the vocabulary.
func TestTokens(t *testing.T) {
	for text, want := range map[string]int{
		"":                   0,
		"hello world":        2,
		"tiktoken is great!": 6,
		"aaaa":               1,
	} {
		if got := cost.Tokens(text); got != want {
			t.Errorf("%q: %d tokens, want %d", text, got, want)
		}
	}
}

// TestLongTextsCountAlike checks that cutting a long text into windows does not
// change its count.
func TestLongTextsCountAlike(t *testing.T) {
	word := "every tool states what it needs "
	one := cost.Tokens(word)
	if got, want := cost.Tokens(strings.Repeat(word, 3000)), 3000*one; got > want || got < want-3000 {
		t.Errorf("%d tokens for 3,000 times %d", got, one)
	}
	if got := cost.Tokens(strings.Repeat("a", 1<<20)); got < 1<<16 {
		t.Errorf("a megabyte of one letter has %d tokens", got)
	}
}

const two = `{"result":{"tools":[
 {"name":"get_issue","title":"Issue","description":"Read an issue.","inputSchema":{"type":"object","properties":{"id":{"type":"string"}}},"annotations":{"readOnlyHint":true}},
 {"name":"list_issues","description":"List issues.","inputSchema":{"type": "object"}}]},"id":1,"jsonrpc":"2.0"}`

func TestOf(t *testing.T) {
	e := cost.Of(read(t, two))
	sum := 0
	for _, tool := range e.Tools {
		p := tool.Parts
		if p.Name == 0 || p.Description == 0 || p.Schema == 0 {
			t.Errorf("%s: a part has no tokens: %+v", tool.Name, p)
		}
		sum += p.Sum()
	}
	if sum != e.Tokens || e.Parts.Sum() != sum {
		t.Errorf("tools sum up to %d, the estimate says %d and by part %d", sum, e.Tokens, e.Parts.Sum())
	}
	family := 0
	for _, f := range e.Families {
		family += f.Tokens
	}
	if family != sum {
		t.Errorf("families sum up to %d, tools to %d", family, sum)
	}
}

func TestSpaceInASchemaIsFree(t *testing.T) {
	a := cost.Of(read(t, `[{"name":"a","description":"A.","inputSchema":{"type":"object","properties":{"b c":{"type":"string","description":"x  \" y"}}}}]`))
	b := cost.Of(read(t, `[{"name":"a","description":"A.","inputSchema":{ "type" : "object",
		"properties" : { "b c" : { "type" : "string", "description" : "x  \" y" } } } }]`))
	if a.Tokens != b.Tokens {
		t.Errorf("%d tokens without space, %d with", a.Tokens, b.Tokens)
	}
}

func TestInstructionsCount(t *testing.T) {
	l := read(t, two)
	before := cost.Of(l).Tokens
	l.Instructions = surface.Instructions{Asked: true, Present: true, Text: "Read before you write."}
	e := cost.Of(l)
	if e.Instructions == 0 || e.Tokens != before+e.Instructions {
		t.Errorf("%d tokens with %d of instructions, %d without", e.Tokens, e.Instructions, before)
	}
}

func TestOfRendering(t *testing.T) {
	l := read(t, two)
	p, err := host.Lookup("gemini-cli")
	if err != nil {
		t.Fatal(err)
	}
	r, err := host.Render(p, []host.Mounted{host.Mount("tickets", l)}, "")
	if err != nil {
		t.Fatal(err)
	}
	if got, plain := cost.OfRendering(r), cost.Of(l); got.Tokens < plain.Tokens+2*40 || len(got.Tools) != 2 {
		t.Errorf("gemini-cli adds a property to each tool, but costs %d where the listing costs %d", got.Tokens, plain.Tokens)
	}
	r, err = host.Render(p, []host.Mounted{host.Mount("tickets", l)}, "plain")
	if err != nil {
		t.Fatal(err)
	}
	if got := cost.OfRendering(r); got.Tokens != 0 {
		t.Errorf("nothing is sent, and it costs %d", got.Tokens)
	}
}

func TestPrefix(t *testing.T) {
	tool := func(name, text string) string {
		return `{"name":"` + name + `","description":"` + text + `","inputSchema":{"type":"object"}}`
	}
	list := func(tools ...string) *surface.Listing { return read(t, "["+strings.Join(tools, ",")+"]") }
	a, b, c := tool("a", "A."), tool("b", "B."), tool("c", "C.")
	for _, tc := range []struct {
		name      string
		old, next *surface.Listing
		kept      int
		why       cost.Why
		tool      string
		position  int
	}{
		{"same", list(a, b), list(a, b), 2, cost.Nothing, "", 0},
		{"appended", list(a, b), list(a, b, c), 2, cost.Nothing, "", 0},
		{"edited", list(a, b, c), list(a, tool("b", "Bee."), c), 1, cost.Edited, "b", 2},
		{"added in front", list(a, b), list(c, a, b), 0, cost.Added, "c", 1},
		{"removed", list(a, b, c), list(b, c), 0, cost.Removed, "a", 1},
		{"last removed", list(a, b), list(a), 1, cost.Removed, "b", 2},
		{"moved", list(a, b, c), list(c, a, b), 0, cost.Moved, "c", 1},
		{"only the title", list(a, b), list(strings.Replace(a, `{`, `{"title":"An a","annotations":{"readOnlyHint":true},`, 1), b), 2, cost.Nothing, "", 0},
		{"written otherwise", list(a, tool("b", "Bé.")), list(strings.ReplaceAll(a, `:`, ` : `), tool("b", `B\u00e9.`)), 2, cost.Nothing, "", 0},
		{"a schema written otherwise", list(strings.Replace(a, `"object"`, `"object","title":"\u0041é\/"`, 1)), list(strings.Replace(a, `"object"`, ` "object","title":"A\u00e9/"`, 1)), 1, cost.Nothing, "", 0},
		{"schema", list(a, b), list(strings.Replace(a, `"object"`, `"object","title":"\u0041"`, 1), b), 0, cost.Edited, "a", 1},
		{"the order of keys", list(strings.Replace(a, `"object"`, `"object","title":"A"`, 1)), list(strings.Replace(a, `"type"`, `"title":"A","type"`, 1)), 0, cost.Edited, "a", 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := cost.Prefix(tc.old, tc.next)
			if got.Kept != tc.kept || got.Why != tc.why || got.Tool != tc.tool || got.Position != tc.position {
				t.Errorf("got %+v", got)
			}
			if whole := cost.Of(tc.next).Tokens; got.KeptTokens+got.Resent != whole {
				t.Errorf("%d kept and %d sent anew, of %d", got.KeptTokens, got.Resent, whole)
			}
		})
	}
}

// TestRenamingMoves shows why a new name can cost more than its own tokens: hosts
// that sort send it elsewhere.
func TestRenamingMoves(t *testing.T) {
	p, err := host.Lookup("claude-code")
	if err != nil {
		t.Fatal(err)
	}
	render := func(first string) *host.Rendering {
		l := read(t, `[{"name":"`+first+`","description":"A.","inputSchema":{"type":"object"}},{"name":"m","description":"M.","inputSchema":{"type":"object"}}]`)
		r, err := host.Render(p, []host.Mounted{host.Mount("s", l)}, "")
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	if got := cost.PrefixOf(render("z"), render("b")); got.Kept != 0 || got.Why != cost.Added || got.Tool != "b" {
		t.Errorf("got %+v", got)
	}
}

// TestForewordBreaks: a host that sends a server's instructions in front of its tools
// pays for an edit of them with all tools, and none of those is to blame. An edit of a
// tool keeps what stands in front of it, in the same group.
func TestForewordBreaks(t *testing.T) {
	p, err := host.Lookup("codex")
	if err != nil {
		t.Fatal(err)
	}
	render := func(instructions, second string) *host.Rendering {
		l := read(t, `{"instructions":"`+instructions+`","tools":[{"name":"a","description":"A.","inputSchema":{"type":"object"}},{"name":"b","description":"`+second+`","inputSchema":{"type":"object"}}]}`)
		return host.NewSurface([]host.Mounted{host.Mount("s", l)}).Render(p)
	}
	old := render("Ask.", "B.")
	for name, tc := range map[string]struct {
		next *host.Rendering
		want cost.Break
	}{
		"instructions": {render("Never ask.", "B."), cost.Break{Why: cost.Foreword}},
		"tool":         {render("Ask.", "Bee."), cost.Break{Kept: 1, Tool: "b", Position: 2, Why: cost.Edited}},
		"nothing":      {render("Ask.", "B."), cost.Break{Kept: 2}},
	} {
		got := cost.PrefixOf(old, tc.next)
		if whole := cost.OfRendering(tc.next).Tokens; got.KeptTokens+got.Resent != whole {
			t.Errorf("%s: %d kept and %d sent anew, of %d", name, got.KeptTokens, got.Resent, whole)
		}
		got.KeptTokens, got.Resent = 0, 0
		if got != tc.want {
			t.Errorf("%s: got %+v, want %+v", name, got, tc.want)
		}
	}
}

func BenchmarkTokens(b *testing.B) {
	text := strings.Repeat(`{"name":"create_issue","description":"Create an issue in a project. Fails when the project is archived.","inputSchema":{"type":"object","properties":{"title":{"type":"string","description":"One line."}}}}`+"\n", 5000)
	cost.Tokens("warm")
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		cost.Tokens(text)
	}
}

func FuzzTokens(f *testing.F) {
	f.Add("plain text", 3)
	f.Add("\xed\xa0\x80 \xff", 1)
	f.Add(strings.Repeat(" ", 5000), 9)
	f.Fuzz(func(t *testing.T, s string, repeat int) {
		s = strings.Repeat(s, min(max(repeat, 1), 200))
		if n := cost.Tokens(s); n < 0 || n > len(s) {
			t.Errorf("%d tokens of %d bytes", n, len(s))
		}
	})
}
