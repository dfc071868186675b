package host_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/countersign/countersign/internal/testkit"
	"github.com/countersign/countersign/review/host"
	"github.com/countersign/countersign/review/surface"
)

// rendered renders one server for a host.
func rendered(t testing.TB, id, variant, server, tools string) *host.Rendering {
	t.Helper()
	p, err := host.Lookup(id)
	if err != nil {
		t.Fatal(err)
	}
	r, err := host.Render(p, []host.Mounted{host.Mount(server, listing(t, tools))}, variant)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func names(r *host.Rendering) []string {
	var all []string
	for _, e := range r.Tools {
		for _, s := range e.Tools {
			all = append(all, s.Name)
		}
	}
	return all
}

func tool(name, description, schema string) string {
	return fmt.Sprintf(`{"name":%q,"description":%q,"inputSchema":%s}`, name, description, schema)
}

const plain = `{"type":"object","properties":{}}`

// TestNames holds the rules for names against results that were worked out by hand
// or seen in a request.
func TestNames(t *testing.T) {
	long := strings.Repeat("abcdefghij", 14)
	for _, tc := range []struct{ host, server, tool, want string }{
		{"claude-code", "probe", "dot.name", "mcp__probe__dot_name"},
		{"claude-code", "probe", "emoji_🚀", "mcp__probe__emoji___"},
		{"claude-code", "ﬁ", "a\u200bb", "mcp__fi__ab"},
		{"claude-code", "s", long[:120], "mcp__s__" + long[:120]},
		{"claude-code", "s", long[:121], ""},
		{"codex", "my-server", "a-b", "a_b"},
		{"codex", "mcp__done", "x", "x"},
		{"codex", "probe", "n127_fghijabcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcdefg",
			"n127_fghijabcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabc_3ff0e1b34d35"},
		{"codex", "with space", "x", ""},
		{"gemini-cli", "probe", "a.b:c/d", "mcp_probe_a.b:c_d"},
		{"gemini-cli", "probe", long[:64], "mcp_probe_" + long[:20] + "..." + long[34:64]},
		{"qwen-code", "probe", "plain-name", "mcp__probe__plain-name"},
		{"qwen-code", "probe", "dot.name.here", "mcp__probe__dot_name_here_1bz5x01"},
		{"opencode", "srv", "a/b", "srv_a_b"},
		{"copilot-cli", "probe", "ünïcode_naïve", "probe-xn--ncode_nave-68ah3n"},
		{"copilot-cli", "日本", "ping", "xn--wgv71a-ping"},
		{"copilot-cli", "probe", "a b", "probe-a-b"},
		{"cline", "probe", "dot.name.here", "probe__dot_name_here_e1eadc28"},
		{"cline", "probe", "ok", "probe__ok"},
		{"continue-cli", "probe", "any thing", "any thing"},
		{"openai-agents-js", "probe", "a-b.c", "a_b_c"},
		{"vscode", "Billing Server EU", "pay.now", "mcp_billing_serve_pay_now"},
		{"roo-code", "s", strings.Repeat("x", 80), "mcp--s--" + strings.Repeat("x", 56)},
		{"roo-code", "srv", "find it!", "mcp--srv--find_it"},
		{"roo-code", "my \t srv", "x", "mcp--my_srv--x"},
		{"roo-code", "s!", "naïve", "mcp--s--nave"},
		{"roo-code", "srv", "a---b--c", "mcp--srv--a-b-c"},
		{"roo-code", "2nd", "-x", "mcp--_2nd--_-x"},
		{"roo-code", "srv", "東京", "mcp--srv--_unnamed"},
		{"continue-ide", "srv", "srv_find", "srv_find"},
		{"continue-ide", "My Server!", "my_serverless", "my_serverless"},
		{"continue-ide", "My Server!", "find", "my_server_find"},
		{"gemini-cli", "mcp_foo", "x", "mcp_foo_x"},
		{"gemini-cli", "mcp-foo", "x", "mcp_mcp-foo_x"},
		{"zed", "srv", strings.Repeat("é", 40), strings.Repeat("é", 32)},
		{"zed", "srv", "x" + strings.Repeat("é", 40), "x" + strings.Repeat("é", 31)},
		{"spring-ai", "s", "front_" + strings.Repeat("x", 64), strings.Repeat("x", 64)},
		{"librechat", "my server", "go", "go_mcp_my_server"},
		{"cursor", "g", strings.Repeat("x", 59), ""},
		{"cursor", "g", strings.Repeat("x", 58), "g:" + strings.Repeat("x", 58)},
	} {
		t.Run(tc.host+" "+tc.tool, func(t *testing.T) {
			got := names(rendered(t, tc.host, "", tc.server, "["+tool(tc.tool, "d", plain)+"]"))
			if tc.want == "" && len(got) > 0 || tc.want != "" && (len(got) != 1 || got[0] != tc.want) {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

// TestCodexCliff checks the size at which Codex begins to drop descriptions: 5,000
// bytes pass whole, one more loses all of them.
func TestCodexCliff(t *testing.T) {
	schema := func(size int) string {
		frame := `{"type":"object","properties":{"a":{"type":"string","description":""}}}`
		return strings.Replace(frame, `n":""`, `n":"`+strings.Repeat("x", size-len(frame))+`"`, 1)
	}
	for _, tc := range []struct {
		size int
		kept bool
	}{{4999, true}, {5000, true}, {5001, false}} {
		r := rendered(t, "codex", "", "s", "["+tool("t", "d", schema(tc.size))+"]")
		got := string(r.Tools[0].Tools[0].Schema)
		if kept := strings.Contains(got, "xxx"); kept != tc.kept {
			t.Errorf("%d bytes: descriptions kept is %v, want %v", tc.size, kept, tc.kept)
		}
		if tc.kept && len(got) != tc.size {
			t.Errorf("%d bytes became %d", tc.size, len(got))
		}
	}
}

// TestCodexCompacts goes through the passes by which Codex shrinks a schema.
func TestCodexCompacts(t *testing.T) {
	enum := `{"type":"string","enum":["` + strings.Repeat("v", 6000) + `"]}`
	for name, tc := range map[string]struct{ schema, want string }{
		"definitions go": {`{"type":"object","properties":{"a":{"$ref":"#/$defs/A"}},"$defs":{"A":` + enum + `}}`,
			`{"type":"object","properties":{"a":{}}}`},
		"deep objects go": {`{"type":"object","properties":{"a":{"type":"object","properties":{"b":{"type":"object","properties":{"c":{"type":"object","properties":{"d":` + enum + `}}}}}}}}`,
			`{"type":"object","properties":{"a":{"type":"object","properties":{"b":{"type":"object","properties":{"c":{}}}}}}}`},
		"unions go": {`{"type":"object","properties":{"a":{"anyOf":[` + enum + `,{"type":"null"}]}}}`,
			`{"type":"object","properties":{"a":{}}}`},
	} {
		t.Run(name, func(t *testing.T) {
			r := rendered(t, "codex", "", "s", "["+tool("t", "d", tc.schema)+"]")
			if diff := cmp.Diff(tc.want, string(r.Tools[0].Tools[0].Schema)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestDescriptionsAreCutBetweenCharacters(t *testing.T) {
	for _, tc := range []struct {
		text, want string
	}{
		{strings.Repeat("x", 4096), strings.Repeat("x", 4096)},
		{strings.Repeat("x", 4097), strings.Repeat("x", 4096) + "… [truncated]"},
		{strings.Repeat("x", 4095) + "🚀", strings.Repeat("x", 4095) + "… [truncated]"},
		{strings.Repeat("🚀", 2048), strings.Repeat("🚀", 2048)},
		{strings.Repeat("語", 4097), strings.Repeat("語", 4096) + "… [truncated]"},
	} {
		r := rendered(t, "claude-code", "", "s", "["+tool("t", tc.text, plain)+"]")
		if got := r.Tools[0].Tools[0].Description; got != tc.want {
			t.Errorf("%d bytes became %d that end in %.30q", len(tc.text), len(got), got[len(got)-20:])
		}
	}
}

// TestLoneSurrogates checks that half a character stays what it was.
func TestLoneSurrogates(t *testing.T) {
	r := rendered(t, "opencode", "", "s", `[{"name":"t","description":"a\ud800b","inputSchema":{"type":"object","properties":{"\udfff":{"type":"string"}}}}]`)
	if got := string(r.Tools[0].JSON); !strings.Contains(got, `"a\ud800b"`) || !strings.Contains(got, `"\udfff"`) {
		t.Error(got)
	}
}

// TestInlineStops feeds definitions that double with every step.
func TestInlineStops(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"type":"object","properties":{"a":{"$ref":"#/$defs/d0"}},"$defs":{`)
	for i := range 50 {
		fmt.Fprintf(&b, `"d%d":{"type":"object","properties":{"l":{"$ref":"#/$defs/d%d"},"r":{"$ref":"#/$defs/d%d"}}},`, i, i+1, i+1)
	}
	b.WriteString(`"d50":{"type":"string"}}}`)
	r := rendered(t, "langchain-mcp-adapters-js", "", "s", "["+tool("t", "d", b.String())+"]")
	if n := len(r.Tools[0].JSON); n > 64<<20 {
		t.Errorf("%d bytes", n)
	}
}

func TestVariants(t *testing.T) {
	p, err := host.Lookup("claude-code")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"plain", "round", "toff"}, p.Variants()); diff != "" {
		t.Error(diff)
	}
	if _, err := p.As("nonsense"); err == nil || !strings.Contains(err.Error(), "plain, round, toff") {
		t.Errorf("got %v", err)
	}
	if _, err := host.Lookup("nonsense"); err == nil || !strings.Contains(err.Error(), "claude-code") {
		t.Errorf("got %v", err)
	}
	tools := `[` + tool("a", "A.", plain) + `,{"name":"b","description":"B.","inputSchema":` + plain + `,"_meta":{"anthropic/alwaysLoad":true}}]`
	for variant, want := range map[string]int{"": 2, "toff": 2, "plain": 1, "round": 2} {
		r := rendered(t, "claude-code", variant, "s", tools)
		if len(r.Tools) != want {
			t.Errorf("%q: %d tools, want %d", variant, len(r.Tools), want)
		}
		if deferred := lost(r, host.Deferred); (len(deferred) == 1) != (variant == "plain" || variant == "round") {
			t.Errorf("%q: deferred %v", variant, deferred)
		}
	}
}

func lost(r *host.Rendering, what host.What) []host.Loss {
	var out []host.Loss
	for _, l := range r.Lost {
		if l.What == what {
			out = append(out, l)
		}
	}
	return out
}

// TestProfiles checks what every profile has to say of itself.
func TestProfiles(t *testing.T) {
	verified := 0
	for _, p := range host.Profiles() {
		if p.Name == "" || p.Version == "" || p.Checked == "" || len(p.Evidence) == 0 {
			t.Errorf("%s does not say what it is and where it comes from", p.ID)
		}
		for _, e := range p.Evidence {
			if e.Ref == "" || e.Date == "" || e.Kind != "capture" && e.Kind != "source" && e.Kind != "report" {
				t.Errorf("%s: evidence %+v", p.ID, e)
			}
		}
		if p.Verified {
			verified++
		}
		if p.Provider != "" {
			if api, err := host.Lookup(p.Provider); err != nil || !api.IsProvider() {
				t.Errorf("%s: provider %s: %v", p.ID, p.Provider, err)
			}
		}
	}
	if verified != 12 {
		t.Errorf("%d profiles are verified", verified)
	}
}

// TestKeys checks that a kept rendering is found again, and not for another variant.
func TestKeys(t *testing.T) {
	seen := map[string]string{}
	for _, p := range host.Profiles() {
		for _, v := range p.Variants() {
			as, err := p.As(v)
			if err != nil {
				t.Fatal(err)
			}
			if again, _ := p.As(v); again.Key() != as.Key() {
				t.Errorf("%s+%s has two keys", p.ID, v)
			}
			if other, taken := seen[as.Key()]; taken {
				t.Errorf("%s+%s and %s have one key", p.ID, v, other)
			}
			seen[as.Key()] = p.ID + "+" + v
		}
	}
}

func TestCutAt(t *testing.T) {
	claude, err := host.Lookup("claude-code")
	if err != nil {
		t.Fatal(err)
	}
	codex, err := host.Lookup("codex")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Repeat("ü", 4100)
	if got := claude.CutAt(text); got != 2*4096 {
		t.Errorf("claude-code cuts at %d", got)
	}
	if got := claude.CutAt("short"); got != 5 {
		t.Errorf("claude-code cuts a short text at %d", got)
	}
	if got := codex.CutAt(text); got != len(text) {
		t.Errorf("codex cuts at %d", got)
	}
}

// TestDocs keeps the documentation in step: it names every rule, every kind of loss
// and every verified host.
func TestDocs(t *testing.T) {
	b, err := os.ReadFile(filepath.Join(testkit.Root(), "docs", "hosts.md"))
	if err != nil {
		t.Fatal(err)
	}
	var words []string
	for _, w := range []host.What{host.Renamed, host.Truncated, host.Folded, host.Dropped, host.Rewritten, host.Refused, host.NotSent, host.Deferred} {
		words = append(words, string(w))
	}
	for _, r := range []host.Rule{
		host.RuleListing, host.RuleNameLength, host.RuleNameChars, host.RuleServerName, host.RuleCollision, host.RuleGenericName,
		host.RuleRootUnion, host.RuleProperty, host.RuleSchema, host.RuleItems, host.RuleProperties, host.RuleDescription, host.RuleMoved,
		host.RuleTypeList, host.RuleKeyword, host.RuleEnum, host.RuleFormat, host.RuleRef, host.RuleUnion, host.RuleCount,
		host.RuleSize, host.RuleConstraint, host.RuleText, host.RulePage, host.RuleInstruction,
	} {
		words = append(words, string(r))
	}
	for _, w := range words {
		if !strings.Contains(string(b), "`"+w+"`") {
			t.Errorf("docs/hosts.md does not explain %s", w)
		}
	}
	for _, p := range host.Profiles() {
		if p.Verified && !strings.Contains(string(b), "| "+p.ID+" |") {
			t.Errorf("docs/hosts.md has no line for %s", p.ID)
		}
	}
}

// TestConcurrent renders one surface for every profile at once.
func TestConcurrent(t *testing.T) {
	s := host.NewSurface(load(t, "schemas"))
	var wg sync.WaitGroup
	for _, p := range host.Profiles() {
		wg.Go(func() {
			if got, want := s.Render(p), s.Render(p); len(got.Lost) != len(want.Lost) {
				t.Errorf("%s: two renderings differ", p.ID)
			}
			s.Preflight(p)
		})
	}
	wg.Wait()
}

// TestMovedBehind finds sentences that an edit pushed behind the cut.
func TestMovedBehind(t *testing.T) {
	p, err := host.Lookup("claude-code")
	if err != nil {
		t.Fatal(err)
	}
	const rule = "Never delete without asking."
	pad := func(n int) string { return strings.Repeat("x", n) }
	for name, tc := range map[string]struct {
		old, next string
		want      []string
	}{
		"pushed":          {pad(4000) + " " + rule, pad(4090) + " " + rule, []string{rule}},
		"still whole":     {pad(3000) + " " + rule, pad(4000) + " " + rule, nil},
		"never seen":      {pad(5000) + " " + rule, pad(6000) + " " + rule, nil},
		"cut before":      {pad(4080) + " " + rule, pad(4090) + " " + rule, nil},
		"gone altogether": {pad(4000) + " " + rule, pad(5000), nil},
		"kept in front":   {pad(4000) + " " + rule, rule + " " + pad(4090) + " " + rule, nil},
		"short":           {rule, rule, nil},
	} {
		if diff := cmp.Diff(tc.want, p.MovedBehind(tc.old, tc.next)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	serve := func(text string) *host.Surface {
		return host.NewSurface([]host.Mounted{host.Mount("s", listing(t, "["+tool("t", text, plain)+"]"))})
	}
	check := serve(pad(2040)+" "+rule).PreflightFrom(p, serve(pad(2000)+" "+rule))
	if len(check.Issues) != 2 || check.Issues[1].Rule != host.RuleMoved || check.Issues[1].Level != host.Info || check.Status != host.OK {
		t.Errorf("%+v", check)
	}
	check = serve(pad(4090)+" "+rule).PreflightFrom(p, serve(pad(4000)+" "+rule))
	if check.Issues[1].Rule != host.RuleMoved || check.Issues[1].Level != host.Warn || !strings.Contains(check.Issues[1].Reason, rule) {
		t.Errorf("%+v", check)
	}
}

// TestManyTools checks the hosts that count.
func TestManyTools(t *testing.T) {
	var all []string
	for i := range 150 {
		all = append(all, tool(fmt.Sprintf("tool_%03d", i), "Does one thing.", plain))
	}
	list := "[" + strings.Join(all, ",") + "]"
	if r := rendered(t, "cursor", "", "s", list); len(r.Tools) != 40 || len(lost(r, host.Dropped)) != 111 {
		t.Errorf("cursor: %d tools, %d losses", len(r.Tools), len(lost(r, host.Dropped)))
	}
	if r := rendered(t, "vscode", "", "s", list); len(lost(r, host.Refused)) != 1 {
		t.Errorf("vscode: %v", lost(r, host.Refused))
	}
	c := preflight(t, "openai-chat", "s", listing(t, list))
	if c.Status != host.Refuses || c.Issues[0].Rule != host.RuleCount || c.Issues[0].TakesDown != 150 {
		t.Errorf("%+v", c)
	}
}

// TestPagesOfAListing checks that pages which were pushed stay pages.
func TestPagesOfAListing(t *testing.T) {
	pages := `[{"tools":[` + tool("a", "A.", plain) + `],"nextCursor":"x"},{"tools":[` + tool("b", "B.", plain) + `]}]`
	for id, want := range map[string]int{"claude-code": 2, "gemini-cli": 1, "cline": 1} {
		r := rendered(t, id, "", "s", pages)
		if len(r.Tools) != want {
			t.Errorf("%s: %d tools, want %d", id, len(r.Tools), want)
		}
	}
	c := preflight(t, "gemini-cli", "s", listing(t, pages))
	if c.Status != host.Refuses || c.Issues[0].Rule != host.RulePage {
		t.Errorf("%+v", c)
	}
}

func TestParseMountedRefuses(t *testing.T) {
	for text, says := range map[string]string{
		``:                                 "empty",
		`{"servers":{"a":{"tools":[}}`:     "1:27",
		`{"servers":[]}`:                   "/servers",
		`{"tools":[]}`:                     "/servers",
		`{"servers":{"a/b":{}}}`:           "/servers/a~1b",
		`{"servers":{"a":{"pages":[{}]}}}`: "/servers/a/pages/0",
	} {
		if _, err := host.ParseMounted([]byte(text)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: got %v, want something about %s", text, err, says)
		}
	}
}

func FuzzRender(f *testing.F) {
	for _, probe := range probes {
		for _, m := range load(f, probe) {
			for _, tool := range m.Tools {
				if len(tool.Raw) < 2000 {
					f.Add(m.Name, string(tool.Raw))
				}
			}
		}
	}
	profiles := host.Profiles()
	f.Fuzz(func(t *testing.T, server, raw string) {
		tool, err := surface.NewTool(1, []byte(raw))
		if err != nil {
			return
		}
		s := host.NewSurface([]host.Mounted{{Name: server, Tools: []surface.Tool{tool, tool}}})
		for _, p := range profiles {
			for _, v := range p.Variants() {
				as, err := p.As(v)
				if err != nil {
					t.Fatal(err)
				}
				checkRendering(t, as, s.Render(as), 2)
			}
			s.Preflight(p)
		}
	})
}

// checkRendering holds what holds for every rendering: entries are JSON, every tool
// is sent or lost.
func checkRendering(t *testing.T, p *host.Profile, r *host.Rendering, listed int) {
	sent := map[int]bool{}
	for _, e := range r.Tools {
		if !json.Valid(e.JSON) {
			t.Fatalf("%s sends no JSON: %.300s", p.ID, e.JSON)
		}
		for _, s := range e.Tools {
			sent[s.Position] = true
		}
	}
	for _, l := range r.Lost {
		if l.What == host.Dropped || l.What == host.Refused || l.What == host.NotSent || l.What == host.Deferred {
			sent[l.Position] = true
		}
	}
	for i := range listed {
		if !sent[i+1] {
			t.Fatalf("%s neither sends tool %d nor says that it is lost", p.ID, i+1)
		}
	}
}

// issuesOf runs a preflight and returns the issues under a rule.
func issuesOf(t *testing.T, id, tools string, rule host.Rule) []host.Issue {
	t.Helper()
	var out []host.Issue
	for _, i := range preflight(t, id, "srv", listing(t, tools)).Issues {
		if i.Rule == rule {
			out = append(out, i)
		}
	}
	return out
}

// TestFixesOfNames proposes names that can be pasted: letters stay without their
// accents, and no two tools are told to take one name.
func TestFixesOfNames(t *testing.T) {
	got := issuesOf(t, "openai-chat", `[{"name":"café ñ","inputSchema":{"type":"object","properties":{}}},{"name":"a.b","inputSchema":{"type":"object","properties":{}}},
		{"name":"a b","inputSchema":{"type":"object","properties":{}}},{"name":"取引","inputSchema":{"type":"object","properties":{}}}]`, host.RuleNameChars)
	var fixes []string
	for _, i := range got {
		fixes = append(fixes, i.Fix)
	}
	if len(fixes) != 4 || fixes[0] != `"name": "cafe_n"` || fixes[1] != `"name": "a_b_2"` || fixes[2] != `"name": "a_b_3"` || strings.Contains(fixes[3], `""`) {
		t.Errorf("%q", fixes)
	}
}

// TestTwinsAreNotValid checks that nothing calls a listing valid that holds a name twice.
func TestTwinsAreNotValid(t *testing.T) {
	for _, id := range []string{"claude-code", "codex", "cline"} {
		got := issuesOf(t, id, `[{"name":"q","description":"1","inputSchema":{"type":"object","properties":{}}},{"name":"q","description":"2","inputSchema":{"type":"object","properties":{}}}]`, host.RuleCollision)
		if len(got) != 1 || got[0].Verdict != "" || !strings.HasPrefix(got[0].Fix, `"name": "q_2", or a better one`) {
			t.Errorf("%s: %+v", id, got)
		}
	}
}

// TestNamesOutsideTheSpecification checks that a name which the specification advises
// against is not called valid by it, and that one which only a provider minds is.
func TestNamesOutsideTheSpecification(t *testing.T) {
	for name, valid := range map[string]bool{"get user": false, "a/b": false, "": false, "caf\u00e9": false, "a.b": true} {
		c := preflight(t, "anthropic-messages", "srv", listing(t, `[{"name":"`+name+`","inputSchema":{"type":"object","properties":{}}}]`))
		said := slices.ContainsFunc(c.Issues, func(i host.Issue) bool { return i.Verdict != "" })
		if c.Status == host.OK || said != valid {
			t.Errorf("%.20q: valid %v: %+v", name, said, c.Issues)
		}
	}
}

// TestNoArguments loses nothing that a model would have to know.
func TestNoArguments(t *testing.T) {
	c := preflight(t, "qwen-code", "srv", listing(t, `[{"name":"ping","description":"P.","inputSchema":{"type":"object","properties":{}}}]`))
	if c.Status != host.OK {
		t.Errorf("%+v", c)
	}
}

// TestOtherDocuments says of references that leave the schema that nobody follows them.
func TestOtherDocuments(t *testing.T) {
	got := issuesOf(t, "claude-code", `[{"name":"r","inputSchema":{"type":"object","properties":{"a":{"$ref":"https://x.example/y.json"},"b":{"$ref":"#"}}}}]`, host.RuleRef)
	if len(got) != 1 || got[0].Pointer != "/inputSchema/properties/a/$ref" || !strings.Contains(got[0].Reason, "another document") {
		t.Errorf("%+v", got)
	}
}

// TestMergedBranches calls branches merged whose properties are all sent.
func TestMergedBranches(t *testing.T) {
	got := issuesOf(t, "copilot-cli", `[{"name":"u","inputSchema":{"type":"object","allOf":[{"properties":{"x":{"type":"string"}}}]}}]`, host.RuleRootUnion)
	if len(got) != 1 || !strings.Contains(got[0].Reason, "merges") {
		t.Errorf("%+v", got)
	}
	got = issuesOf(t, "mcphost", `[{"name":"u","inputSchema":{"type":"object","allOf":[{"properties":{"x":{"type":"string"}}}]}}]`, host.RuleRootUnion)
	if len(got) != 1 || !strings.Contains(got[0].Reason, "leaves it out") {
		t.Errorf("%+v", got)
	}
}

// TestInstructionsInPreflight warns of instructions that are cut, and tells where
// none arrive.
func TestInstructionsInPreflight(t *testing.T) {
	l := listing(t, `[{"name":"a","description":"A.","inputSchema":{"type":"object","properties":{}}}]`)
	for _, tc := range []struct {
		id    string
		size  int
		what  host.What
		level host.Level
	}{
		{"claude-code", 4096, "", ""}, {"claude-code", 4097, host.Truncated, host.Warn},
		{"cline", 10, host.NotSent, host.Info}, {"codex", 5000, "", ""}, {"anthropic-messages", 10, "", ""},
	} {
		l.Instructions = surface.Instructions{Asked: true, Present: true, Text: strings.Repeat("x", tc.size)}
		var got host.Issue
		for _, i := range preflight(t, tc.id, "srv", l).Issues {
			if i.Rule == host.RuleInstruction {
				got = i
			}
		}
		if got.What != tc.what || got.Level != tc.level || tc.what != "" && (got.Pointer != "/instructions" || got.Fix == "") {
			t.Errorf("%s, %d units: %+v", tc.id, tc.size, got)
		}
	}
}

// TestHiddenTools leaves out what says itself that it is not for the model, in the host
// that is known to look at it, and makes no issue of it.
func TestHiddenTools(t *testing.T) {
	hidden := func(name, seen string) string {
		return `{"name":"` + name + `","description":"D.","inputSchema":{"type":"object","properties":{}},"_meta":{"ui":{"visibility":` + seen + `}}}`
	}
	tools := "[" + strings.Join([]string{hidden("app", `["app"]`), hidden("both", `["app","model"]`), hidden("none", `[]`), hidden("odd", `"app"`), tool("plain", "D.", plain)}, ",") + "]"
	for id, want := range map[string][]string{"vscode": {"both", "odd", "plain"}, "claude-code": {"app", "both", "none", "odd", "plain"}} {
		var sent []string
		for _, e := range rendered(t, id, "", "s", tools).Tools {
			for _, s := range e.Tools {
				sent = append(sent, s.Tool)
			}
		}
		slices.Sort(sent)
		if !slices.Equal(sent, want) {
			t.Errorf("%s sends %v, want %v", id, sent, want)
		}
		if c := preflight(t, id, "s", listing(t, tools)); c.Status != host.OK {
			t.Errorf("%s: %+v", id, c)
		}
	}
}
