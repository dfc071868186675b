package host_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/countersign/countersign/review/host"
	"github.com/countersign/countersign/review/surface"
)

// mount makes a server with tools of these names; a name may be followed by a schema.
func mount(t *testing.T, server string, names ...string) host.Mounted {
	t.Helper()
	var defs []string
	for _, n := range names {
		defs = append(defs, fmt.Sprintf(`{"name":%q,"description":"Does it.","inputSchema":{"type":"object","properties":{"a":{"type":"string"}}}}`, n))
	}
	l, err := surface.Read([]byte(`{"tools":[`+strings.Join(defs, ",")+`]}`), surface.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return host.Mount(server, l)
}

func together(t *testing.T, id, variant string, servers ...host.Mounted) *host.Together {
	t.Helper()
	p, err := host.Lookup(id)
	if err != nil {
		t.Fatal(err)
	}
	if p, err = p.As(variant); err != nil {
		t.Fatal(err)
	}
	return host.NewSurface(servers).Together(p, nil)
}

// TestClashes mounts servers whose names meet in some hosts and not in others, and
// says what each host makes of it.
func TestClashes(t *testing.T) {
	for name, tc := range map[string]struct {
		host, variant string
		servers       func(*testing.T) []host.Mounted
		want          []string // "name: server tool -> sent"
	}{
		"kept apart by the form": {"claude-code", "", pairOf("a", "find", "b", "find"), nil},
		"the form itself":        {"claude-code", "", pairOf("a", "b__c", "a__b", "c"), []string{"mcp__a__b__c: a b__c -> mcp__a__b__c, a__b c -> nothing"}},
		"cleaned servers":        {"claude-code", "", pairOf("my server", "x", "my.server", "x"), []string{"mcp__my_server__x: my server x -> mcp__my_server__x, my.server x -> nothing"}},
		"the last one stays":     {"opencode", "", pairOf("a.b", "x", "a_b", "x"), []string{"a_b_x: a.b x -> nothing, a_b x -> a_b_x"}},
		"both are sent":          {"continue-cli", "", pairOf("a", "find", "b", "find"), []string{"find: a find -> find, b find -> find"}},
		"hashed when cleaned":    {"qwen-code", "", pairOf("a.b", "x", "a_b", "x"), nil},
		"nobody starts":          {"openai-agents-js", "", pairOf("a", "find", "b", "find"), []string{"find: a find -> nothing, b find -> nothing"}},
		"a hash for each":        {"openai-agents-js", "prefix", pairOf("a-b", "x", "a_b", "x"), []string{"mcp_a_b__x: a-b x -> mcp_a_b__x_HASH, a_b x -> mcp_a_b__x_HASH"}},
		"the first has no server": {"zed", "", pairOf("a", "find", "b", "find"),
			[]string{"find: a find -> a_find, b find -> b_find"}},
		"two namespaces":    {"codex", "", pairOf("a", "b__c", "a__b", "c"), nil},
		"one namespace":     {"codex", "", pairOf("a-b", "x", "a_b", "x"), []string{"mcp__a_b__x: a-b x -> mcp__a_b_e0598e406614__x, a_b x -> mcp__a_b_909e3df97957__x"}},
		"cut in the middle": {"gemini-cli", "", pairOf("a", "list_"+strings.Repeat("x", 60)+"_of_users", "a2", "other"), nil},
	} {
		t.Run(name, func(t *testing.T) {
			got := together(t, tc.host, tc.variant, tc.servers(t)...)
			var lines []string
			for _, c := range got.Clashes {
				lines = append(lines, clashWords(c))
				if !c.Across() {
					t.Error("of one server")
				}
			}
			if diff := cmp.Diff(tc.want, lines); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func pairOf(server1, tool1, server2, tool2 string) func(*testing.T) []host.Mounted {
	return func(t *testing.T) []host.Mounted {
		return []host.Mounted{mount(t, server1, tool1), mount(t, server2, tool2)}
	}
}

func clashWords(c host.Clash) string {
	var tools []string
	for _, t := range c.Tools {
		sent := t.Sent
		switch at := strings.LastIndexByte(sent, '_'); {
		case sent == "":
			sent = "nothing"
		case at > 0 && len(sent)-at-1 == 8:
			sent = sent[:at] + "_HASH"
		}
		tools = append(tools, t.Server+" "+t.Tool+" -> "+sent)
	}
	return c.Name + ": " + strings.Join(tools, ", ")
}

// TestNamespacesKeepApart: names in two namespaces are two, which render shows, and
// preflight has nothing against them. A name that such a host sends twice in one is refused.
func TestNamespacesKeepApart(t *testing.T) {
	for id, want := range map[string]bool{"codex": false, "claude-code": true} {
		got := together(t, id, "", mount(t, "a", "b__c"), mount(t, "a__b", "c"))
		collides := slices.ContainsFunc(got.Check.Issues, func(i host.Issue) bool { return i.Rule == host.RuleCollision })
		if lost := slices.ContainsFunc(got.Rendering.Lost, func(l host.Loss) bool { return l.Pointer == "/name" }); collides != want || lost != want {
			t.Errorf("%s: preflight %t, render %t", id, collides, lost)
		}
	}
}

// TestShares counts what becomes of the tools of each server: every one is sent,
// deferred or lost, and never two of them.
func TestShares(t *testing.T) {
	var many []string
	for n := range 100 {
		many = append(many, fmt.Sprintf("tool_%03d", n))
	}
	bad := mount(t, "bad", "fine")
	broken, err := surface.NewTool(2, []byte(`{"name":"broken"}`))
	if err != nil {
		t.Fatal(err)
	}
	bad.Tools = append(bad.Tools, broken)
	servers := []host.Mounted{mount(t, "one", many...), mount(t, "two", append(many, "with.dot")...), bad}
	for name, tc := range map[string]struct {
		host, variant string
		want          []host.Share
		sent, limit   int
		limitOf       string
	}{
		"all of them":    {"claude-code", "", []host.Share{{"one", 100, 100, 0, 0, 0}, {"two", 101, 101, 0, 0, 1}, {"bad", 2, 0, 0, 2, 0}}, 201, 0, ""},
		"held back":      {"claude-code", "plain", []host.Share{{"one", 100, 0, 100, 0, 0}, {"two", 101, 0, 101, 0, 0}, {"bad", 2, 0, 0, 2, 0}}, 0, 0, ""},
		"marked":         {"claude-code", "round", []host.Share{{"one", 100, 0, 100, 0, 0}, {"two", 101, 0, 101, 0, 0}, {"bad", 2, 0, 0, 2, 0}}, 201, 0, ""},
		"over the limit": {"cursor", "", []host.Share{{"one", 100, 40, 0, 60, 0}, {"two", 101, 0, 0, 101, 0}, {"bad", 2, 0, 0, 2, 0}}, 40, 40, "cursor"},
		"of a provider":  {"langchain-mcp-adapters", "", []host.Share{{"one", 100, 100, 0, 0, 0}, {"two", 101, 101, 0, 0, 0}, {"bad", 2, 2, 0, 0, 0}}, 203, 128, "openai-chat"},
	} {
		t.Run(name, func(t *testing.T) {
			got := together(t, tc.host, tc.variant, servers...)
			if diff := cmp.Diff(tc.want, got.Shares); diff != "" {
				t.Error(diff)
			}
			if got.Check.Sent != tc.sent || got.Check.Listed != 203 || got.Limit != tc.limit || got.LimitOf != tc.limitOf {
				t.Errorf("%d of %d sent, limit %d of %q", got.Check.Sent, got.Check.Listed, got.Limit, got.LimitOf)
			}
			for _, s := range got.Shares {
				if s.Sent+s.Deferred+s.Lost != s.Listed {
					t.Errorf("%+v does not add up", s)
				}
			}
		})
	}
}

// TestIssuesNameTheirServer: of several servers, a tool's name alone tells nothing.
func TestIssuesNameTheirServer(t *testing.T) {
	got := together(t, "continue-cli", "", mount(t, "a", "find"), mount(t, "b", "find", strings.Repeat("x", 70)))
	servers := map[host.Rule]string{}
	for _, i := range got.Check.Issues {
		servers[i.Rule] = i.Server
	}
	if servers[host.RuleCollision] != "b" || servers[host.RuleNameLength] != "b" {
		t.Errorf("%v", servers)
	}
}
