package gate_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/countersign/countersign/review/change"
	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/lint"
)

// A finding that is about no subject can't be approved: somebody waives it.
func TestListingFindings(t *testing.T) {
	high, warn := gate.Finding{Rule: "surface.x", Severity: lint.High}, gate.Finding{Rule: "surface.y", Severity: lint.Warn}
	for _, c := range []struct {
		name     string
		preset   gate.Preset
		findings []gate.Finding
		released string
		authors  []string
		want     []string // open
		who      []string
	}{
		{"team", gate.Team, []gate.Finding{high, warn}, "", nil, []string{"finding:surface.x"}, []string{"Ana", "Ben"}},
		{"the author can't", gate.Team, []gate.Finding{high}, "", []string{"ana"}, []string{"finding:surface.x"}, []string{"Ben"}},
		{"not our server", gate.NotOurServer, []gate.Finding{high}, "", nil, []string{"finding:surface.x"}, []string{"Ana", "Ben"}},
		{"just me", gate.JustMe, []gate.Finding{high}, "", nil, []string{}, nil},
		{"released", gate.Team, []gate.Finding{high}, "1.1", nil, []string{}, nil},
		{"nothing high", gate.Team, []gate.Finding{warn}, "", nil, []string{}, nil},
	} {
		f := facts(c.preset, same())
		f.Findings, f.ReleasedAs, f.Authors = c.findings, c.released, c.authors
		o := gate.Evaluate(f)
		if diff := cmp.Diff(c.want, open(o)); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", c.name, diff)
			continue
		}
		if len(c.want) > 0 && (o.Answer.Result != gate.Blocked || !slices.Equal(o.Answer.Requirements[0].WhoCan, c.who)) {
			t.Errorf("%s: %s, %+v", c.name, o.Answer.Result, o.Answer.Requirements)
		}
	}
}

// What is asked for says which rule, and a block says the way out.
func TestFindingWords(t *testing.T) {
	s := find(change.Text)
	s.Findings = s.Findings.With("desc.terse", lint.Info, true, "").With("poison.conceal", lint.High, true, "").With("poison.override", lint.Critical, false, "")
	for preset, words := range map[gate.Preset][]string{
		gate.Team:         {"poison.conceal, high", "Needs an approval with a reason"},
		gate.NotOurServer: {"poison.conceal", "lets nobody approve", "accept the finding"},
	} {
		o := gate.Evaluate(facts(preset, s))
		for _, word := range words {
			if why := o.Answer.Requirements[0].Why; !strings.Contains(why, word) {
				t.Errorf("%s: %q does not say %q", preset, why, word)
			}
		}
	}
}

// A severity that blocks is answered by a waiver alone, which the facts leave out,
// and asks for what the base had as well.
func TestFindingSeverity(t *testing.T) {
	with := func(s gate.Subject, severity lint.Severity, isNew bool) gate.Subject {
		s.Findings = s.Findings.With("poison.conceal", severity, isNew, "")
		return s
	}
	gone := with(removed(), lint.Critical, false)
	for _, c := range []struct {
		name    string
		blocks  lint.Severity
		subject gate.Subject
		listing []gate.Finding
		want    []string
	}{
		{"none blocks", "", with(same(), lint.Critical, false), nil, []string{}},
		{"milder", lint.High, with(same(), lint.Warn, false), nil, []string{}},
		{"that very severity", lint.High, with(same(), lint.High, false), nil, []string{"findings:find"}},
		{"graver", lint.Warn, with(same(), lint.Critical, false), nil, []string{"findings:find"}},
		{"of a change, beside its approval", lint.Warn, with(find(change.Text), lint.Warn, true), nil, []string{"approval:find", "findings:find"}},
		{"of what is gone", lint.Info, gone, nil, []string{"removal:find"}},
		{"of the listing", lint.Warn, same(), []gate.Finding{{Rule: "surface.x", Severity: lint.Warn, Old: true}}, []string{"finding:surface.x"}},
		{"of the listing, milder", lint.High, same(), []gate.Finding{{Rule: "surface.x", Severity: lint.Warn}}, []string{}},
	} {
		f := facts(gate.Team, c.subject)
		f.Policy.FindingSeverity, f.Findings = c.blocks, c.listing
		if diff := cmp.Diff(c.want, open(gate.Evaluate(f))); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", c.name, diff)
		}
		f.ReleasedAs = "1.1"
		if got := open(gate.Evaluate(f)); len(got) > 0 {
			t.Errorf("%s, released: %q", c.name, got)
		}
	}
	f := facts(gate.Team, with(find(change.Text), lint.Warn, true))
	f.Policy.FindingSeverity, f.Verdicts = lint.Warn, []gate.Verdict{says("ana", gate.Approve, f.Subjects[0], "Fine.")}
	if diff := cmp.Diff([]string{"findings:find"}, open(gate.Evaluate(f))); diff != "" {
		t.Errorf("approved: (-want +got)\n%s", diff)
	}
	if who := gate.Evaluate(f).Answer.Requirements[1].WhoCan; len(who) != 4 {
		t.Errorf("a warning can be accepted by every reviewer: %q", who)
	}
}

func TestKin(t *testing.T) {
	people := []gate.Person{{ID: "ana", Since: day0}, {ID: "ben", InvitedBy: "ana", Since: day0}, {ID: "rita", InvitedBy: "ben", Since: day0}}
	soon, later := day0.AddDate(0, 0, 29), day0.AddDate(0, 0, 30)
	for _, c := range []struct {
		a, b string
		now  time.Time
		want bool
	}{
		{"ana", "ben", soon, true}, {"ben", "ana", soon, true}, {"ana", "ben", later, false},
		{"ana", "rita", soon, false}, {"ana", "ana", soon, false}, {"ana", "gus", soon, false},
	} {
		if got := gate.Kin(people, c.a, c.b, c.now); got != c.want {
			t.Errorf("%s and %s at %s: %t", c.a, c.b, c.now.Format(time.DateOnly), got)
		}
	}
}

// A name that ends lines stays on one and is told from the one with a blank.
func TestNamesInOneLine(t *testing.T) {
	s := find(change.Text)
	s.Name = "pay\nx"
	r := gate.Evaluate(facts(gate.Team, s)).Answer.Requirements[0]
	if r.ID != "approval:pay[U+000A]x" {
		t.Errorf("id %q", r.ID)
	}
}
