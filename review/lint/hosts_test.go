package lint_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/countersign/countersign/review/lint"
)

// What stands behind a cut decides how grave it is, and who says so.
func TestOverHostLimitSeverity(t *testing.T) {
	filler := strings.Repeat("It keeps each note as it stands. ", 130)
	for _, tc := range []struct {
		name, text string
		want       lint.Severity
	}{
		{"safety behind a proven cut", filler + "Never use it twice.", lint.High},
		{"a proven cut", filler + "It is quick.", lint.Warn},
		{"safety where reports speak of a cut", filler[:2100] + " Never use it twice.", lint.Warn},
		{"where reports speak of a cut", filler[:2100], lint.Info},
	} {
		l := listing(t, fmt.Sprintf(`[{"name":"archive","description":%q,"inputSchema":{"type":"object"}}]`, tc.text))
		f := first(t, lint.Listing(l, lint.Options{Hosts: []string{"claude-code"}}), "desc.over-host-limit")
		if f.Severity != tc.want || f.Pointer != "/description" || !strings.HasPrefix(f.Message, "Claude Code: ") {
			t.Errorf("%s: %s %s %s, want %s", tc.name, f.Severity, f.Pointer, f.Message, tc.want)
		}
	}
}

// Hosts that do the same are one finding; what is accepted for one is not for the next.
func TestHostsAreBound(t *testing.T) {
	l := listing(t, `[{"name":"a.b","description":"One.","inputSchema":{"type":"object"}},{"name":"a_b","description":"Two.","inputSchema":{"type":"object"}}]`)
	one := lint.Listing(l, lint.Options{Hosts: []string{"claude-code"}})
	waiver := lint.Waiver{Fingerprint: first(t, one, "host.name-collision").Fingerprint, Reason: "not there", Kind: lint.AcceptedRisk}
	opt := lint.Options{Hosts: []string{"claude-code", "claude-code"}, Waivers: []lint.Waiver{waiver}}
	if f := first(t, lint.Listing(l, opt), "host.name-collision"); f.Waiver == nil {
		t.Error("the same host: it is accepted")
	}
	opt.Hosts = []string{"claude-code", "goose"}
	f := first(t, lint.Listing(l, opt), "host.name-collision")
	if f.Waiver != nil || !strings.HasPrefix(f.Message, "Claude Code, goose: ") {
		t.Errorf("another host: waiver %v, %s", f.Waiver, f.Message)
	}
}

// A place is named as the definition names it, whatever its form.
func TestHostPlaceInAnotherForm(t *testing.T) {
	l := listing(t, `[{"name":"fetch","description":"Fetch.","input_schema":{"type":"object","properties":{"u":{"type":"string","format":"uri"}}}}]`)
	f := first(t, lint.Listing(l, lint.Options{Hosts: []string{"openai-strict"}}), "schema.unportable")
	if !strings.HasPrefix(f.Pointer, "/input_schema/properties/u") {
		t.Errorf("at %s", f.Pointer)
	}
}

// A listing that grew by a safety sentence says so beside the number, and nobody counts
// tokens who was not asked to.
func TestTokenCost(t *testing.T) {
	text := "Deletes a branch of a repository."
	more := strings.Repeat(" Returns the name of the branch and the day of its last commit.", 5) + " Never delete a branch that is protected."
	old := listing(t, fmt.Sprintf(`[{"name":"delete_branch","description":%q}]`, text))
	now := listing(t, fmt.Sprintf(`[{"name":"delete_branch","description":%q}]`, text+more))
	f := first(t, lint.Change(old, now, nil, lint.Options{On: []string{"surface.token-cost"}}), "surface.token-cost")
	if !strings.Contains(f.Message, "sentence on safety was added") || f.Severity != lint.Info {
		t.Errorf("got %s %s", f.Severity, f.Message)
	}
	if has(lint.Change(old, now, nil, lint.Options{}), "surface.token-cost") {
		t.Error("nobody asked")
	}
	if has(lint.Change(now, old, nil, lint.Options{On: []string{"surface.token-cost"}}), "surface.token-cost") {
		t.Error("it became cheaper")
	}
}
