package host_test

import (
	"bufio"
	"cmp"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/testkit"
	"github.com/countersign/countersign/review/host"
	"github.com/countersign/countersign/review/surface"
)

// report is a public report of a tool that a host or provider refused or mangled.
type report struct {
	ID     string          `json:"id"`
	Server string          `json:"server"`
	Tools  json.RawMessage `json:"tools"`
	Rule   string          `json:"rule"`
}

// ruleOf translates the names that the reports were sorted under.
var ruleOf = map[string]host.Rule{
	"name-too-long": host.RuleNameLength, "name-charset": host.RuleNameChars,
	"server-name-charset": host.RuleServerName, "server-name-hyphen": host.RuleServerName,
	"rendered-name-collision": host.RuleCollision, "generic-name-unprefixed-hosts": host.RuleGenericName,
	"toplevel-combinator": host.RuleRootUnion, "listing-invalid": host.RuleListing, "property-name": host.RuleProperty,
	"array-without-items": host.RuleItems, "object-without-properties": host.RuleProperties,
	"description-too-long": host.RuleDescription, "strict-mode": host.RuleFormat, "gemini-type-array": host.RuleTypeList,
	"gemini-keyword": host.RuleKeyword, "gemini-enum": host.RuleEnum, "ref": host.RuleRef,
	"anyof-degraded": host.RuleUnion, "tool-count": host.RuleCount,
}

// where names, for reports about one host, the profile that has to find it.
var where = map[string][]string{
	"H01": {"vscode"}, "H06": {"cursor"}, "H07": {"claude-code"}, "H08": {"langchain-mcp-adapters-js", "openai-chat"},
	"H11": {"spring-ai"}, "H12": {"roo-code"}, "H21": {"vscode"}, "H23": {"codex"}, "H33": {"claude-code"}, "H36": {"claude-code"},
	"H37": {"anthropic-messages"}, "H39": {"anthropic-messages"}, "H40": {"anthropic-messages"}, "H42": {"openai-chat"},
	"H44": {"openai-chat"}, "H45": {"claude-code"}, "H50": {"gemini"}, "H58": {"copilot-cli"}, "H59": {"codex"},
	"H60": {"codex"}, "H64": {"cursor"}, "H65": {"claude-code"},
}

// TestReports runs the preflight over the handed reports: each has to be found,
// with a reason, and by the host that it was about.
func TestReports(t *testing.T) {
	lines(t, "cases/hosts.jsonl", func(raw []byte) {
		var r report
		if err := json.Unmarshal(raw, &r); err != nil {
			t.Fatal(err)
		}
		t.Run(r.ID, func(t *testing.T) {
			want, ok := ruleOf[r.Rule]
			if !ok {
				t.Fatalf("no rule for %s", r.Rule)
			}
			found := checks(t, r.Server, r.Tools, want)
			if len(found) == 0 {
				t.Fatalf("no host has an issue under %s", want)
			}
			for _, id := range where[r.ID] {
				if !slices.Contains(found, id) {
					t.Errorf("%s has no issue under %s, only %v", id, want, found)
				}
			}
		})
	})
}

// checks returns the profiles that find something under a rule.
func checks(t *testing.T, server string, tools json.RawMessage, rule host.Rule) []string {
	t.Helper()
	l, err := surface.Read(tools, surface.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	s := host.NewSurface([]host.Mounted{host.Mount(server, l)})
	for _, p := range host.Profiles() {
		for _, i := range s.Preflight(p).Issues {
			if i.Rule != rule {
				continue
			}
			if i.Reason == "" {
				t.Errorf("%s: an issue without a reason: %+v", p.ID, i)
			}
			found = append(found, p.ID)
			break
		}
	}
	return found
}

func lines(t *testing.T, file string, f func([]byte)) {
	t.Helper()
	in, err := os.Open(testkit.Shared(t, file))
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	s := bufio.NewScanner(in)
	s.Buffer(nil, 16<<20)
	for s.Scan() {
		f(s.Bytes())
	}
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
}

// pain is a problem that people reported in public, rewritten small.
type pain struct {
	ID     string          `json:"id"`
	Kind   string          `json:"kind"`
	Inputs json.RawMessage `json:"inputs"`
}

// painInputs are the inputs of a pain that this package has to find: a listing, the
// two of an edit, or the two descriptions of one.
type painInputs struct {
	Server  string `json:"server"`
	Payload struct {
		Tools []map[string]any `json:"tools"`
	} `json:"payload"`
	After      []map[string]any `json:"after"`
	BeforeDesc string           `json:"before_desc"`
	AfterDesc  string           `json:"after_desc"`
}

// painful says what has to be found for a pain: the profile, the rule, the place,
// and words of the fix.
var painful = map[string][]struct {
	host, pointer string
	rule          host.Rule
	fix           string
}{
	"pains-schema_provider-01": {{"anthropic-messages", "/inputSchema/anyOf", host.RuleRootUnion, ""}},
	"pains-schema_provider-03": {{"anthropic-messages", "/inputSchema/anyOf", host.RuleRootUnion, `handler. Or write it as "if": {"not": {"required": ["paths"]}}, "then": {"required": ["scopes"]}`}},
	"pains-schema_provider-05": {{"gemini", "/inputSchema/additionalProperties", host.RuleKeyword, "Remove"}, {"gemini", "/inputSchema/properties/max_count/anyOf/0/exclusiveMinimum", host.RuleKeyword, `"minimum": 1`}},
	"pains-schema_provider-06": {{"vscode", "/inputSchema/properties/nodes", host.RuleItems, `"items"`}},
	"pains-schema_provider-07": {{"gemini", "/inputSchema/properties/level/enum", host.RuleEnum, `["0","1","2","4"]`}},
	"pains-name_rules-01":      {{"gemini-cli", "/name", host.RuleCollision, ""}},
	"pains-name_rules-03":      {{"anthropic-messages", "/name", host.RuleNameChars, "admin_tools_list"}, {"openai-chat", "/name", host.RuleNameChars, "user-profile_update"}, {"claude-code", "/name", host.RuleCollision, "getuser_2"}, {"codex", "/name", host.RuleCollision, "getuser_2"}},
	"pains-name_rules-05": {{"claude-code", "/name", host.RuleCollision, "q_2"}, {"openai-agents-js", "/name", host.RuleCollision, "q_2"}, {"codex", "/name", host.RuleCollision, "q_2"},
		{"qwen-code", "/name", host.RuleListing, "q_2"}, {"continue-cli", "/name", host.RuleCollision, "q_2"}},
	"pains-desc_truncation-01": {{"claude-code", "/description", host.RuleDescription, "5240 of 9336"}},
	"pains-desc_truncation-03": {{"claude-code", "/description", host.RuleMoved, "to the front"}},
}

// ours are the kinds of pains that are about hosts. Each of them has to be in painful.
var ours = []string{"schema_provider", "desc_truncation", "name_rules"}

// TestPains runs the preflight over the handed problems of these kinds.
func TestPains(t *testing.T) {
	met := map[string]bool{}
	lines(t, "cases/pains.jsonl", func(raw []byte) {
		var p pain
		if err := json.Unmarshal(raw, &p); err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(ours, p.Kind) {
			return
		}
		met[p.ID] = true
		t.Run(p.ID, func(t *testing.T) { checkPain(t, p) })
	})
	for id := range painful {
		if !met[id] {
			t.Errorf("%s is not among the handed problems", id)
		}
	}
}

func checkPain(t *testing.T, p pain) {
	if painful[p.ID] == nil {
		t.Fatal("nobody said what has to be found")
	}
	var in painInputs
	if err := json.Unmarshal(p.Inputs, &in); err != nil {
		t.Fatal(err)
	}
	server := cmp.Or(in.Server, "srv")
	now, before := in.surfaces(t, server)
	for _, want := range painful[p.ID] {
		profile, err := host.Lookup(want.host)
		if err != nil {
			t.Fatal(err)
		}
		check := now.PreflightFrom(profile, before)
		if !slices.ContainsFunc(check.Issues, func(i host.Issue) bool {
			return i.Rule == want.rule && i.Pointer == want.pointer && strings.Contains(i.Fix, want.fix)
		}) {
			t.Errorf("%s: nothing under %s at %s with %q in the fix: %+v", want.host, want.rule, want.pointer, want.fix, check.Issues)
		}
	}
}

// surfaces are what a pain serves now, and what was served before; nil for nothing.
func (in painInputs) surfaces(t *testing.T, server string) (now, before *host.Surface) {
	tools := in.Payload.Tools
	if in.After != nil {
		tools = in.After
	}
	if in.AfterDesc != "" {
		tools = described(in.AfterDesc)
		before = serving(t, server, described(in.BeforeDesc))
	}
	for _, tool := range tools {
		if n, ok := tool["description_length"].(float64); ok {
			tool["description"] = strings.Repeat("x", int(n))
		}
	}
	return serving(t, server, tools), before
}

func described(text string) []map[string]any {
	return []map[string]any{{"name": "t", "description": text, "inputSchema": map[string]any{"type": "object"}}}
}

func serving(t *testing.T, server string, tools []map[string]any) *host.Surface {
	t.Helper()
	raw, err := json.Marshal(tools)
	if err != nil {
		t.Fatal(err)
	}
	return host.NewSurface([]host.Mounted{host.Mount(server, listing(t, string(raw)))})
}

// TestCollisionOnlyWhereCut checks that the collision is found only where names are cut.
func TestCollisionOnlyWhereCut(t *testing.T) {
	l := listing(t, `[{"name":"createConfluencePageWithAttachmentsAndPermissions","description":"Create.","inputSchema":{"type":"object","properties":{}}},
		{"name":"deleteConfluencePageWithAttachmentsAndPermissions","description":"Delete.","inputSchema":{"type":"object","properties":{}}}]`)
	for _, id := range []string{"claude-code", "codex", "cline", "qwen-code", "opencode"} {
		for _, i := range preflight(t, id, "atlassian-rovo-mcp-server-cloud", l).Issues {
			if i.Rule == host.RuleCollision && i.Level == host.Error {
				t.Errorf("%s: %s", id, i.Reason)
			}
		}
	}
}

func listing(t testing.TB, text string) *surface.Listing {
	t.Helper()
	l, err := surface.Read([]byte(text), surface.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func preflight(t testing.TB, id, server string, l *surface.Listing) *host.Check {
	t.Helper()
	p, err := host.Lookup(id)
	if err != nil {
		t.Fatal(err)
	}
	return host.Preflight(p, host.Mount(server, l))
}
