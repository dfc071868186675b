package review

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/review/change"
	"github.com/countersign/countersign/review/surface"
)

// history walks a lineage of the descriptions of a tool; "-" is a version without it.
func history(t *testing.T, descriptions ...string) *Lineage {
	t.Helper()
	l := &Lineage{Name: "find"}
	raw := map[surface.Hash][]byte{}
	var versions []Release
	var found []*ToolRef
	for i, d := range descriptions {
		versions = append(versions, Release{ID: fmt.Sprint(i + 1), Version: fmt.Sprint(i + 1)})
		if d == "-" {
			found = append(found, nil)
			continue
		}
		text := surface.EncodeString(d)
		tool, err := surface.NewTool(1, []byte(`{"name":"find","description":`+string(text)+`,"inputSchema":{"type":"object"}}`))
		if err != nil {
			t.Fatal(err)
		}
		raw[tool.RawHash] = tool.Raw
		found = append(found, &ToolRef{Position: 9, Name: "find", Digest: tool.Digest, RawHash: tool.RawHash})
	}
	l.walk(versions, found, raw)
	return l
}

func (l *Lineage) blame() string {
	var parts []string
	for _, o := range l.Sentences {
		parts = append(parts, o.Release.Version+" "+o.Text)
	}
	return strings.Join(parts, " | ")
}

func (l *Lineage) steps() string {
	var parts []string
	for _, s := range l.Steps {
		parts = append(parts, s.Release.Version+" "+string(s.Change.Kind))
	}
	return strings.Join(parts, ", ")
}

func TestWhichVersionBroughtASentence(t *testing.T) {
	for _, tt := range []struct {
		name, blame, steps string
		versions           []string
	}{
		{"one version", "1 Finds it.", "1 added", []string{"Finds it."}},
		{"nothing changed", "1 Finds it.", "1 added", []string{"Finds it.", "Finds it."}},
		{"a sentence came", "1 Finds it. | 2 Never twice.", "2 changed, 1 added", []string{"Finds it.", "Finds it. Never twice."}},
		{"one was replaced", "1 Finds it. | 3 Sometimes twice.", "3 changed, 2 changed, 1 added",
			[]string{"Finds it.", "Finds it. Never twice.", "Finds it. Sometimes twice."}},
		{"one left and came back", "1 Finds it. | 3 Never twice.", "3 changed, 2 changed, 1 added",
			[]string{"Finds it. Never twice.", "Finds it.", "Finds it. Never twice."}},
		{"they changed places", "1 Never twice. | 1 Finds it.", "2 changed, 1 added",
			[]string{"Finds it. Never twice.", "Never twice. Finds it."}},
		{"said twice", "1 Finds it. | 2 Finds it.", "2 changed, 1 added", []string{"Finds it.", "Finds it. Finds it."}},
		{"gone", "", "2 removed, 1 added", []string{"Finds it.", "-"}},
		{"gone and back", "4 Finds it.", "4 added, 2 removed, 1 added", []string{"Finds it.", "-", "-", "Finds it."}},
		{"later than the first version", "2 Finds it.", "2 added", []string{"-", "Finds it."}},
		{"never", "", "", []string{"-", "-"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := history(t, tt.versions...)
			if got := l.blame(); got != tt.blame {
				t.Errorf("blame: %s\nwant:  %s", got, tt.blame)
			}
			if got := l.steps(); got != tt.steps {
				t.Errorf("steps: %s\nwant:  %s", got, tt.steps)
			}
			if want := tt.versions[len(tt.versions)-1] == "-"; l.Gone != want {
				t.Errorf("gone: %v, want %v", l.Gone, want)
			}
		})
	}
}

func TestOrderOfVersions(t *testing.T) {
	at := func(n int) time.Time { return time.Unix(int64(n), 0) }
	list := []Release{ // newest first
		{ID: "open-new"}, {ID: "open-old"}, {ID: "late", ReleasedAt: at(5)}, {ID: "void", ReleasedAt: at(4), WithdrawnAt: at(6)},
		{ID: "early", ReleasedAt: at(9)}, {ID: "first", ReleasedAt: at(1)},
	}
	var ids []string
	for _, r := range inOrder(list) {
		ids = append(ids, r.ID)
	}
	if got := strings.Join(ids, " "); got != "first late early open-new" {
		t.Errorf("order: %s", got)
	}
}

func TestWhoseApprovalsStand(t *testing.T) {
	to, other := surface.HashOf([]byte("to")), surface.HashOf([]byte("other"))
	v := func(who string, kind VerdictKind) Verdict {
		return Verdict{UserID: who, Kind: kind, Subject: change.SubjectTool, Name: "find", To: to}
	}
	edit, elsewhere, revoked, named := v("edit", Approve), v("elsewhere", Approve), v("revoked", Approve), v("named", Approve)
	edit.Edit, elsewhere.To, revoked.RevokedAt, named.Name = "ed_1", other, time.Unix(1, 0), "seek"
	given := []Verdict{
		v("ana", Approve), v("ben", Approve), v("ben", Reject), v("cy", Reject), v("cy", Approve), v("di", Approve), v("di", Withdraw),
		edit, elsewhere, revoked, named,
	}
	var who []string
	for _, a := range approvalsOf(&change.Change{Subject: change.SubjectTool, To: to}, "find", given) {
		who = append(who, a.UserID)
	}
	if got := strings.Join(who, " "); got != "ana cy" {
		t.Errorf("approved by %s", got)
	}
}
