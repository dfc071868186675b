package gate

import (
	"testing"
	"time"

	"github.com/countersign/countersign/review/change"
	"github.com/countersign/countersign/review/surface"
)

// TestCountPersons checks that a quorum counts persons: an inviter and the guest
// count once for 30 days. No preset asks for two yet, so the count is asked itself.
func TestCountPersons(t *testing.T) {
	day := time.Date(2026, 11, 3, 9, 0, 0, 0, time.UTC)
	to := surface.HashOf([]byte("b"))
	says := func(who string, at time.Time) Verdict {
		return Verdict{Subject: change.SubjectTool, To: to, Kind: Approve, Person: who, Label: who, At: at}
	}
	for _, c := range []struct {
		name string
		vs   []Verdict
		want int
	}{
		{"two persons", []Verdict{says("ana", day), says("ben", day)}, 2},
		{"one person twice", []Verdict{says("ana", day), says("ana", day.Add(time.Hour))}, 1},
		{"inviter and guest", []Verdict{says("ana", day), says("guest", day)}, 1},
		{"guest and inviter", []Verdict{says("guest", day), says("ana", day)}, 1},
		{"a month later", []Verdict{says("ana", day), says("guest", day.Add(KinTime))}, 2},
		{"two guests of one", []Verdict{says("guest", day), says("other", day)}, 2},
		{"a guest and somebody else", []Verdict{says("guest", day), says("ben", day)}, 2},
	} {
		f := Facts{Verdicts: c.vs}
		e := evaluation{facts: &f, authors: map[string]bool{}, people: map[string]*Person{
			"ana": {ID: "ana"}, "ben": {ID: "ben"},
			"guest": {ID: "guest", InvitedBy: "ana", Since: day}, "other": {ID: "other", InvitedBy: "ana", Since: day},
		}}
		st := NewStanding(c.vs)
		got := e.count(&Subject{}, st.content[key{subject: change.SubjectTool, to: to}], Line{Approvals: 3}, nil, false)
		if len(got) != c.want {
			t.Errorf("%s: %d persons, want %d", c.name, len(got), c.want)
		}
	}
}
