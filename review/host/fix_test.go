package host_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/countersign/countersign/review/host"
	"github.com/countersign/countersign/review/surface"
)

// claims finds text to paste in a fix: a member of an object.
var claims = regexp.MustCompile(`"[\w$]+": `)

// TestFixesClear applies every patch of every issue of the fixtures and looks again:
// what can be pasted makes its issue go, and what makes no issue go is not offered as
// something to paste.
func TestFixesClear(t *testing.T) {
	tried := map[host.Rule]int{}
	for name, servers := range fixable(t) {
		for _, p := range host.Profiles() {
			for _, i := range host.NewSurface(servers).Preflight(p).Issues {
				if claims.MatchString(i.Fix) && i.Patches == nil {
					t.Errorf("%s, %s: %s at %s of %s has text to paste and no patch: %s", name, p.ID, i.Rule, i.Pointer, i.Tool, i.Fix)
				}
				for n := range i.Patches {
					tried[i.Rule]++
					if why := stillThere(p, servers, i, i.Patches[n]); why != "" {
						t.Errorf("%s, %s: %s at %s of %s after %s: %s", name, p.ID, i.Rule, i.Pointer, i.Tool, patchText(i.Patches[n]), why)
					}
				}
			}
		}
	}
	for _, rule := range []host.Rule{
		host.RuleListing, host.RuleNameLength, host.RuleNameChars, host.RuleCollision, host.RuleGenericName, host.RuleRootUnion, host.RuleProperty,
		host.RuleSchema, host.RuleItems, host.RuleProperties, host.RuleTypeList, host.RuleKeyword, host.RuleEnum, host.RuleFormat, host.RuleRef, host.RuleConstraint,
	} {
		if tried[rule] == 0 {
			t.Errorf("no patch for %s was tried", rule)
		}
	}
	t.Log(tried)
}

// fixable are the listings on which fixes are tried: the reports that were handed in,
// the probes, and definitions of our own.
func fixable(t *testing.T) map[string][]host.Mounted {
	all := map[string][]host.Mounted{"own": {host.Mount("billing", listing(t, unfit))}}
	for _, probe := range probes {
		servers := load(t, probe)
		for i := range servers {
			servers[i].Tools = servers[i].Tools[:min(len(servers[i].Tools), 60)]
			servers[i].Pages = nil
		}
		all[probe] = servers
	}
	lines(t, "cases/hosts.jsonl", func(raw []byte) {
		var r report
		if err := json.Unmarshal(raw, &r); err != nil {
			t.Fatal(err)
		}
		all[r.ID] = []host.Mounted{host.Mount(r.Server, listing(t, string(r.Tools)))}
	})
	return all
}

// unfit is a listing that somebody refuses in every way that can be mended by a paste.
const unfit = `[
{"name":"tree","description":"Saves a tree.","inputSchema":{"type":"object","properties":{"root":{"$ref":"#/$defs/Node"}},
 "$defs":{"Node":{"type":"object","properties":{"v":{"type":"string"},"kids":{"type":"array","items":{"$ref":"#/$defs/Node"}}}}}}},
{"name":"self","description":"Takes itself.","inputSchema":{"type":"object","properties":{"again":{"$ref":"#"}}}},
{"name":"lost","description":"Lost.","inputSchema":{"type":"object","properties":{"a":{"$ref":"#/$defs/Missing"},"b":{"$ref":"#/definitions/There"}},"$defs":{"There":{"type":"string"}}}},
{"name":"one_of","description":"One of two.","inputSchema":{"type":"object","oneOf":[{"properties":{"a":{"type":"string"}},"required":["a"]},{"properties":{"b":{"type":"string"}},"required":["b"]}]}},
{"name":"all_of","inputSchema":{"type":"object","properties":{"a":{"type":"string"}},"allOf":[{"properties":{"b":{"type":"string"}},"required":["b"]}]}},
{"name":"café ñ","description":"Accents.","inputSchema":{"type":"object","properties":{}}},
{"name":"a.b","description":"Dot.","inputSchema":{"type":"object","properties":{}}},
{"name":"a b","description":"Space.","inputSchema":{"type":"object","properties":{}}},
{"name":"a_b_2","description":"Taken.","inputSchema":{"type":"object","properties":{}}},
{"name":"1password","description":"Digit.","inputSchema":{"type":"object","properties":{}}},
{"name":"q","description":"One.","inputSchema":{"type":"object","properties":{}}},
{"name":"q","description":"Two.","inputSchema":{"type":"object","properties":{}}},
{"name":"update_the_billing_address_of_a_customer_who_has_more_than_one_contract_in_europe","description":"Long.","inputSchema":{"type":"object","properties":{}}},
{"name":"update_the_billing_address_of_a_customer_who_has_more_than_one_contract_in_asia","description":"Long.","inputSchema":{"type":"object","properties":{}}},
{"name":"bounds","description":"Bounds.","inputSchema":{"type":"object","properties":{"n":{"type":"integer","exclusiveMinimum":0,"default":5},"f":{"type":"number","exclusiveMaximum":1.5},"u":{"type":"string","format":"uri"},
 "e":{"type":"integer","enum":[1,2]},"t":{"type":["string","null"]},"l":{"type":"array"},"p":{"type":"string","pattern":"^[a-z]+$","description":"Letters."}},"additionalProperties":false,"minProperties":1}},
{"name":"props","description":"Properties.","inputSchema":{"type":"object","properties":{"straße nr":{"type":"string"},"$filter":{"type":"string"},"_filter":{"type":"string"}},"required":["straße nr"]}},
{"name":"bare","description":"No properties.","inputSchema":{"type":"object"}},
{"name":"old","description":"Draft 4.","inputSchema":{"type":"object","properties":{"a":{"type":"number","minimum":1,"exclusiveMinimum":true},"b":{"type":"array","items":[{"type":"string"}],"additionalItems":false},
 "c":{"type":"int"},"d":{"type":"string","required":true},"items":true,"title":{"type":"string","title":null}}}},
{"name":"twice","description":"Twice.","inputSchema":{"type":"object","properties":{"a":{"type":"string"}},"required":["a","a"]}},
{"name":"untyped","description":"No type.","inputSchema":{"properties":{}}},
{"name":"null_props","description":"Null.","inputSchema":{"type":"object","properties":null}},
{"name":"out","description":"Output.","inputSchema":{"type":"object","properties":{}},"outputSchema":{"type":"array"}},
{"name":"none","description":"None."},
{"name":"no_list","description":"Null.","inputSchema":{"type":"object","properties":{"a":{"type":"string","required":true}},"required":null}},
{"name":"no_object","description":"Array.","inputSchema":{"type":"array","items":{}}},
{"name":"getUser","description":"Gets.","inputSchema":{"type":"object","properties":{}}},
{"name":"getuser","description":"Gets.","inputSchema":{"type":"object","properties":{}}},
{"name":"notes","description":7,"annotations":[],"inputSchema":{"type":"object","properties":{"x":null}}}]`

// TestReferencesThatLeadNowhere calls them so, in every host, and names the definition
// that may be meant.
func TestReferencesThatLeadNowhere(t *testing.T) {
	const tools = `[{"name":"lost","description":"L.","inputSchema":{"type":"object","properties":{"a":{"$ref":"#/$defs/Missing"},"b":{"$ref":"#/definitions/There"},"c":{"$ref":"#/properties/a"}},"$defs":{"There":{"type":"string"}}}}]`
	for _, id := range []string{"claude-code", "gemini-cli", "openai-chat", "gemini"} {
		var nowhere []host.Issue
		for _, i := range issuesOf(t, id, tools, host.RuleRef) {
			if strings.Contains(i.Reason, "leads nowhere") {
				nowhere = append(nowhere, i)
			}
			if i.Verdict != "" {
				t.Errorf("%s: %s", id, i.Says())
			}
		}
		if len(nowhere) != 2 || nowhere[0].Pointer != "/inputSchema/properties/a/$ref" || nowhere[0].Patches != nil || !strings.Contains(nowhere[0].Fix, "Add the definition") {
			t.Errorf("%s: %+v", id, nowhere)
			continue
		}
		if !strings.Contains(nowhere[1].Fix, `#/$defs/There is there`) || nowhere[1].Patches == nil {
			t.Errorf("%s: %+v", id, nowhere[1])
		}
	}
}

// TestConstraintsInWords: what the author says in the description is no issue, and never
// the host's doing; what says nothing, or is no schema, is not put into words.
func TestConstraintsInWords(t *testing.T) {
	const at = "/inputSchema/properties/a/"
	for name, tc := range map[string]struct {
		id, property, pointer string
		level                 host.Level // "" for no issue
		patch                 string     // what a patch adds to the description; "" for none
	}{
		"lost":             {"codex", `{"type":"string","format":"uri"}`, at + "format", host.Warn, `format: \"uri\".`},
		"said by somebody": {"codex", `{"type":"string","description":"format: \"uri\".","format":"uri"}`, at + "format", "", ""},
		"said, and folded": {"copilot-cli", `{"type":"integer","description":"Big.","maximum":5}`, at + "maximum", host.Info, ""},
		"no number":        {"codex", `{"type":"integer","exclusiveMinimum":true}`, at + "exclusiveMinimum", host.Warn, ""},
		"under a flag":     {"codex", `{"type":"integer","minimum":0,"exclusiveMinimum":true}`, at + "minimum", host.Warn, ""},
		"no list":          {"mcphost", `{"type":"string","required":true}`, at + "required", host.Warn, ""},
		"takes anything":   {"codex", `{"type":"object","properties":{},"patternProperties":{}}`, at + "patternProperties", host.Info, ""},
		"from nothing on":  {"codex", `{"type":"string","minLength":0}`, at + "minLength", host.Info, ""},
		"not anything":     {"codex", `{"type":"string","not":{}}`, at + "not", host.Warn, "not: {}."},
	} {
		tools := `[{"name":"t","description":"T.","inputSchema":{"type":"object","properties":{"a":` + tc.property + `}}}]`
		var got host.Issue
		for _, i := range issuesOf(t, tc.id, tools, host.RuleConstraint) {
			if i.Pointer == tc.pointer {
				got = i
			}
		}
		patch := ""
		if len(got.Patches) > 0 {
			patch = patchText(got.Patches[0])
		}
		if got.Level != tc.level || (patch == "") != (tc.patch == "") || !strings.Contains(patch, tc.patch) {
			t.Errorf("%s: level %q, patch %s", name, got.Level, patch)
		}
		if strings.Contains(got.Reason, "writes it into") != (name == "said, and folded") {
			t.Errorf("%s: %s", name, got.Reason)
		}
	}
}

// TestNamesBehindTheCut lists names that stand only behind it: one that is cut in its
// middle is one of them, its parts are none.
func TestNamesBehindTheCut(t *testing.T) {
	p, err := host.Lookup("claude-code")
	if err != nil {
		t.Fatal(err)
	}
	limit := p.Description.Limit
	for name, tc := range map[string]struct{ text, want string }{
		"inside a name":   {strings.Repeat("x", limit-12) + " get_user_and_group, list_users.", "Named only after them: get_user_and_group, list_users."},
		"at its end":      {strings.Repeat("x", limit-9) + " get_user, list_users.", "Named only after them: list_users."},
		"before it":       {strings.Repeat("x", limit) + ". get_user", "Named only after them: get_user."},
		"named before":    {"get_user " + strings.Repeat("x", limit-17) + " get_user_s get_user", "Named only after them: get_user_s."},
		"a word, no name": {strings.Repeat("x", limit-2) + " longer words", "come after them."},
	} {
		text, err := json.Marshal(tc.text)
		if err != nil {
			t.Fatal(err)
		}
		got := issuesOf(t, "claude-code", `[{"name":"t","description":`+string(text)+`,"inputSchema":{"type":"object"}}]`, host.RuleDescription)
		if len(got) == 0 || !strings.HasSuffix(got[0].Fix, tc.want) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// TestRunsThatFail says of names that stop a host how much is lost with them.
func TestRunsThatFail(t *testing.T) {
	for _, id := range []string{"openai-agents-js", "openai-agents-python"} {
		got := issuesOf(t, id, `[{"name":"q","inputSchema":{"type":"object"}},{"name":"q","inputSchema":{"type":"object"}},{"name":"r","inputSchema":{"type":"object"}}]`, host.RuleCollision)
		if len(got) != 1 || got[0].TakesDown != 2 || got[0].Level != host.Error {
			t.Errorf("%s: %+v", id, got)
		}
	}
}

// TestNamesFitEveryHost proposes for a collision a name that no host has to change.
func TestNamesFitEveryHost(t *testing.T) {
	const tools = `[{"name":"createConfluencePageWithAttachmentsAndPermissions","inputSchema":{"type":"object","properties":{}}},
		{"name":"deleteConfluencePageWithAttachmentsAndPermissions","inputSchema":{"type":"object","properties":{}}}]`
	server := host.Mount("atlassian-rovo-mcp-server-cloud", listing(t, tools))
	p, err := host.Lookup("gemini-cli")
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range host.Preflight(p, server).Issues {
		if i.Rule != host.RuleCollision {
			continue
		}
		raw, err := i.Patches[0].Apply(server.Tools[i.Position-1].Raw)
		if err != nil {
			t.Fatal(err)
		}
		one, err := surface.NewTool(1, raw)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range host.Profiles() {
			for _, again := range host.Preflight(p, host.Mounted{Name: server.Name, Tools: []surface.Tool{one}}).Issues {
				if again.Rule == host.RuleNameLength || again.Rule == host.RuleNameChars {
					t.Errorf("%s: %s: %s", p.ID, one.Name, again.Reason)
				}
			}
		}
		return
	}
	t.Error("gemini-cli finds no collision")
}

// stillThere applies a patch and says what is left of an issue; "" for nothing.
func stillThere(p *host.Profile, servers []host.Mounted, i host.Issue, patch host.Patch) string {
	mended := make([]host.Mounted, len(servers))
	for n, m := range servers {
		mended[n] = m
		if m.Name != i.Server {
			continue
		}
		raw, err := patch.Apply(m.Tools[i.Position-1].Raw)
		if err != nil {
			return err.Error()
		}
		tool, err := surface.NewTool(i.Position, raw)
		if err != nil {
			return err.Error()
		}
		mended[n].Tools = append([]surface.Tool{}, m.Tools...)
		mended[n].Tools[i.Position-1] = tool
	}
	for _, left := range host.NewSurface(mended).Preflight(p).Issues {
		if left.Server == i.Server && left.Position == i.Position && left.Rule == i.Rule && left.Pointer == i.Pointer {
			return "it is still there: " + left.Reason
		}
	}
	return ""
}

func patchText(p host.Patch) string {
	var b strings.Builder
	for _, op := range p {
		fmt.Fprintf(&b, "[%s %s %s]", op.Op, op.Path, op.Value)
	}
	return b.String()
}

// FuzzFixes holds for any definition that what can be pasted makes its issue go.
func FuzzFixes(f *testing.F) {
	for _, probe := range probes {
		for _, m := range load(f, probe) {
			for _, tool := range m.Tools {
				if len(tool.Raw) < 2000 {
					f.Add(m.Name, string(tool.Raw))
				}
			}
		}
	}
	for raw := range surface.Elements([]byte(unfit)) {
		f.Add("billing", string(raw))
	}
	profiles := host.Profiles()
	f.Fuzz(func(t *testing.T, server, raw string) {
		tool, err := surface.NewTool(1, []byte(raw))
		if err != nil {
			return
		}
		servers := []host.Mounted{{Name: server, Tools: []surface.Tool{tool}}}
		for _, p := range profiles {
			for _, i := range host.NewSurface(servers).Preflight(p).Issues {
				for _, patch := range i.Patches {
					if why := stillThere(p, servers, i, patch); why != "" {
						t.Fatalf("%s: %s at %q after %s: %s", p.ID, i.Rule, i.Pointer, patchText(patch), why)
					}
				}
			}
		}
	})
}
