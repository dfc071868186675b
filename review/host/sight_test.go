package host_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/countersign/countersign/review/host"
)

func sightOf(t testing.TB, id, old, next string) *host.Sight {
	t.Helper()
	p, err := host.Lookup(id)
	if err != nil {
		t.Fatal(err)
	}
	s := func(text string) *host.Surface {
		return host.NewSurface([]host.Mounted{host.Mount("docs", listing(t, text))})
	}
	return host.NewSight(p, s(old), s(next))
}

// one writes a listing of one tool.
func one(description, schema, rest string) string {
	return fmt.Sprintf(`[{"name":"find","description":%q,"inputSchema":%s%s}]`, description, schema, rest)
}

// TestUnseen holds edits against what hosts send with and without them.
func TestUnseen(t *testing.T) {
	const plain = `{"type":"object","properties":{"a":{"type":"string"}}}`
	long := strings.Repeat("Words of no weight. ", 300)
	for _, tc := range []struct {
		name, host, old, next string
		edits                 []host.Edit
		want                  []bool
	}{
		{"a title alone", "codex", one("F.", plain, `,"title":"A"`), one("F.", plain, `,"title":"B"`), []host.Edit{{Pointer: "/title"}}, []bool{true}},
		{"a title beside words", "codex", one("F.", plain, `,"title":"A"`), one("G.", plain, `,"title":"B"`),
			[]host.Edit{{Pointer: "/title"}, {Pointer: "/description", Lost: "F.", Gained: "G."}}, []bool{true, false}},
		{"a keyword that codex drops", "codex", one("F.", plain, ""), one("G.", `{"type":"object","properties":{"a":{"type":"string","format":"uuid"}}}`, ""),
			[]host.Edit{{Pointer: "/inputSchema/properties/a/format"}, {Pointer: "/description", Lost: "F.", Gained: "G."}}, []bool{true, false}},
		{"and claude-code sends", "claude-code", one("F.", plain, ""), one("G.", `{"type":"object","properties":{"a":{"type":"string","format":"uuid"}}}`, ""),
			[]host.Edit{{Pointer: "/inputSchema/properties/a/format"}, {Pointer: "/description", Lost: "F.", Gained: "G."}}, []bool{false, false}},
		{"and copilot-cli folds", "copilot-cli", one("F.", plain, ""), one("G.", `{"type":"object","properties":{"a":{"type":"string","format":"uuid"}}}`, ""),
			[]host.Edit{{Pointer: "/inputSchema/properties/a/format"}, {Pointer: "/description", Lost: "F.", Gained: "G."}}, []bool{false, false}},
		{"behind the cut", "claude-code", one(long, plain, ""), one(long+"Never delete.", plain, ""), []host.Edit{{Pointer: "/description", Gained: "Never delete."}}, []bool{true}},
		{"and no cut", "codex", one(long, plain, ""), one(long+"Never delete.", plain, ""), []host.Edit{{Pointer: "/description", Gained: "Never delete."}}, []bool{false}},
		{"behind the cut, and one in front", "claude-code", one("Finds. "+long, plain, ""), one("Looks up. "+long+"Never delete.", plain, ""),
			[]host.Edit{{Pointer: "/description", Lost: "Finds.", Gained: "Looks up."}, {Pointer: "/description", Gained: "Never delete."}}, []bool{false, true}},
		{"a passage that stands in front as well", "claude-code", one("Never delete. "+long, plain, ""), one("Never delete. Or do. "+long+"Never delete.", plain, ""),
			[]host.Edit{{Pointer: "/description", Gained: "Never delete."}, {Pointer: "/description", Gained: "Or do."}}, []bool{false, false}},
		{"required beside what is dropped", "codex", one("F.", `{"type":"object","properties":{"a":{"type":"string","default":"x"}}}`, ""),
			one("F.", `{"type":"object","properties":{"a":{"type":"string","default":"y"}},"required":["a"]}`, ""),
			[]host.Edit{{Pointer: "/inputSchema/properties/a/default"}, {Pointer: "/inputSchema/required"}}, []bool{true, false}},
		{"a pointer to nothing", "codex", one("F.", plain, ""), one("G.", plain, ""), []host.Edit{{Pointer: "/inputSchema/nowhere/at/all"}, {Pointer: ""}}, []bool{false, false}},
		{"a tool that is not sent on either side", "gemini-cli", `[{"name":"find","inputSchema":{"type":"object","properties":null}}]`, `[{"name":"find","description":"F.","inputSchema":{"type":"object","properties":null}}]`,
			[]host.Edit{{Pointer: "/description", Gained: "F."}}, []bool{true}},
		{"a tool that is lost", "gemini-cli", one("F.", plain, ""), one("F.", `{"type":"object","properties":null}`, ""), []host.Edit{{Pointer: "/inputSchema/properties"}}, []bool{false}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := sightOf(t, tc.host, tc.old, tc.next).Unseen(1, 1, tc.edits)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestUnseenTools tells tools that came or went from those that no host sends.
func TestUnseenTools(t *testing.T) {
	s := sightOf(t, "continue-cli", `[]`, one("F.", `{"type":"object","properties":{}}`, ""))
	if s.Unseen(0, 1, []host.Edit{{}})[0] {
		t.Error("a new tool is sent, and was called unseen")
	}
}

// TestSightMoved finds what an edit pushed behind the cut, and what it brought back.
func TestSightMoved(t *testing.T) {
	const plain = `{"type":"object"}`
	long := strings.Repeat("Words of no weight. ", 210)
	before, now := one("Never delete. "+long, plain, ""), one(long+"Never delete.", plain, "")
	s := sightOf(t, "claude-code", before, now)
	behind, front := s.Moved(1, 1)
	if diff := cmp.Diff([]string{"Never delete."}, behind); diff != "" || len(front) != 0 {
		t.Errorf("%s %q", diff, front)
	}
	behind, front = sightOf(t, "claude-code", now, before).Moved(1, 1)
	if len(behind) != 0 || len(front) != 1 || front[0] != "Never delete." {
		t.Errorf("%q, %q", behind, front)
	}
	if behind, front = sightOf(t, "codex", before, now).Moved(1, 1); len(behind)+len(front) != 0 {
		t.Errorf("codex cuts nothing: %q, %q", behind, front)
	}
}

// TestSightOrder asks whether the order that a server chose reaches the model.
func TestSightOrder(t *testing.T) {
	a, b := `{"name":"a","inputSchema":{"type":"object"}}`, `{"name":"b","inputSchema":{"type":"object"}}`
	for id, want := range map[string]bool{"claude-code": true, "cline": false} {
		if got := sightOf(t, id, "["+a+","+b+"]", "["+b+","+a+"]").SameOrder(); got != want {
			t.Errorf("%s: %t", id, got)
		}
	}
}
