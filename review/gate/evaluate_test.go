package gate_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/countersign/countersign/review/change"
	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/lint"
	"github.com/countersign/countersign/review/surface"
)

var day0 = time.Date(2026, 11, 3, 9, 0, 0, 0, time.UTC)

func h(s string) surface.Hash { return surface.HashOf([]byte(s)) }

// people: Ana and Ben maintain, Rita and Rob review, Vic reads, Gus is gone.
func people() []gate.Person {
	since := day0.AddDate(-1, 0, 0)
	return []gate.Person{
		{ID: "ana", Label: "Ana", Decides: true, Maintainer: true, Since: since},
		{ID: "ben", Label: "Ben", Decides: true, Maintainer: true, Since: since},
		{ID: "rita", Label: "Rita", Decides: true, Since: since},
		{ID: "rob", Label: "Rob", Decides: true, Since: since},
		{ID: "vic", Label: "Vic", Since: since},
		{ID: "gus", Label: "Gus", Left: true, Since: since},
	}
}

// facts are a known, whole listing with a base and nothing to decide.
func facts(preset gate.Preset, subjects ...gate.Subject) gate.Facts {
	return gate.Facts{
		Policy: gate.Policy{Preset: preset, Version: 1}, Engine: "7", URL: "/releases/r", Base: "1.0", BaseAt: day0,
		Listing:  gate.Listing{Known: true, Kind: surface.KindListing, Complete: true, Analysed: true, At: day0},
		Subjects: subjects, People: people(),
	}
}

// find is the tool find going from bytes a to bytes b.
func find(class change.Class) gate.Subject {
	return gate.Subject{
		Subject: change.SubjectTool, Name: "find", Position: 1, From: h("a"), To: h("b"), Kind: change.Changed, Class: class, Change: "ch_1",
	}
}

func added() gate.Subject {
	s := find(change.Behaviour)
	s.From, s.Kind = surface.Hash{}, change.Added
	return s
}

func removed() gate.Subject {
	s := find(change.Breaking)
	s.To, s.Kind, s.Position = surface.Hash{}, change.Removed, 0
	return s
}

func same() gate.Subject {
	return gate.Subject{Subject: change.SubjectTool, Name: "find", Position: 1, From: h("a"), To: h("a")}
}

// says is a verdict of a person on a subject; the clock moves with each.
var clock = day0

func says(who string, kind gate.VerdictKind, s gate.Subject, note string) gate.Verdict {
	clock = clock.Add(time.Minute)
	label := strings.ToUpper(who[:1]) + who[1:]
	return gate.Verdict{
		ID: fmt.Sprint("v", clock.Unix()), Subject: s.Subject, Name: s.Name, From: s.From, To: s.To, Kind: kind, Note: note, Person: who, Label: label, At: clock,
	}
}

// open lists the ids of what is open.
func open(o gate.Outcome) []string {
	ids := []string{}
	for _, r := range o.Answer.Requirements {
		if r.State == gate.Open {
			ids = append(ids, r.ID)
		}
	}
	return ids
}

// TestPresets is the table of who must answer what, by preset and kind of change:
// "rule" passes by itself, "1" takes an approval, "1+" one with a reason, "no" none
// can give.
func TestPresets(t *testing.T) {
	hidden := find(change.Text)
	hidden.Hidden = true
	hiddenSame := find(change.None)
	hiddenSame.Hidden = true
	found := func(class change.Class, sev lint.Severity, isNew bool) gate.Subject {
		s := find(class)
		s.Findings = s.Findings.With("poison.override", sev, isNew, "")
		return s
	}
	foundAdded := added()
	foundAdded.Findings = foundAdded.Findings.With("poison.override", lint.Critical, true, "")
	for _, c := range []struct {
		name                 string
		subject              gate.Subject
		solo, team, external string
	}{
		{"none", find(change.None), "rule", "rule", "rule"},
		{"text", find(change.Text), "rule", "1", "1"},
		{"compatible", find(change.Compatible), "rule", "1", "1"},
		{"behaviour", find(change.Behaviour), "1", "1", "1"},
		{"undecided", find(change.Undecided), "1", "1", "1"},
		{"new", added(), "1", "1", "1"},
		{"breaking", find(change.Breaking), "1+", "1+", "1"},
		{"removed", removed(), "1+", "1+", "1"},
		{"hidden", hidden, "1+", "1+", "no"},
		{"hidden, else equal", hiddenSame, "1+", "1+", "no"},
		{"equal, an old finding", found(change.None, lint.High, false), "rule", "rule", "rule"},
		{"equal, a new remark", found(change.None, lint.Info, true), "rule", "rule", "rule"},
		{"equal, a new finding", found(change.None, lint.Warn, true), "1", "1", "1"},
		{"equal, a high finding", found(change.None, lint.High, true), "1", "1+", "no"},
		{"text, a new finding", found(change.Text, lint.Warn, true), "1", "1", "1"},
		{"text, a high finding", found(change.Text, lint.High, true), "1", "1+", "no"},
		{"text, an old high finding", found(change.Text, lint.Critical, false), "rule", "1", "1"},
		{"behaviour, a critical finding", found(change.Behaviour, lint.Critical, true), "1", "1+", "no"},
		{"new, a critical finding", foundAdded, "1", "1+", "no"},
		{"breaking, a high finding", found(change.Breaking, lint.High, true), "1+", "1+", "no"},
		{"a class of a later version", find("catastrophic"), "1+", "1+", "1"},
	} {
		for preset, want := range map[gate.Preset]string{
			gate.JustMe: c.solo, gate.Team: c.team, gate.NotOurServer: c.external, "unheard of": c.team,
		} {
			if got := asks(preset, c.subject); got != want {
				t.Errorf("%s under %s asks %q, want %q", c.name, preset, got, want)
			}
		}
	}
}

// asks finds out by trying.
func asks(preset gate.Preset, s gate.Subject) string {
	try := func(vs ...gate.Verdict) bool {
		f := facts(preset, s)
		f.Verdicts = vs
		return gate.Evaluate(f).Answer.Result == gate.Pass
	}
	switch {
	case try():
		return "rule"
	case try(says("rita", gate.Approve, s, "")):
		return "1"
	case try(says("rita", gate.Approve, s, "So it is.")):
		return "1+"
	}
	return "no"
}

// TestEvaluate is the table of the rules, one line each.
func TestEvaluate(t *testing.T) {
	text, behaviour, breaking, none := find(change.Text), find(change.Behaviour), find(change.Breaking), find(change.None)
	elsewhere := behaviour // the same bytes from another base
	elsewhere.From = h("z")
	approve, reject, withdraw := gate.Approve, gate.Reject, gate.Withdraw
	given := func(vs ...gate.Verdict) func(*gate.Facts) { return func(f *gate.Facts) { f.Verdicts = vs } }
	subject := func(change func(*gate.Subject)) func(*gate.Facts) {
		return func(f *gate.Facts) { change(&f.Subjects[0]) }
	}
	both := func(fs ...func(*gate.Facts)) func(*gate.Facts) {
		return func(f *gate.Facts) {
			for _, set := range fs {
				set(f)
			}
		}
	}
	authors := func(ids ...string) func(*gate.Facts) { return func(f *gate.Facts) { f.Authors = ids } }
	edit := func(v gate.Verdict, id string) gate.Verdict { v.Edit = id; return v }
	own := func(v gate.Verdict) gate.Verdict { v.Own = true; return v }
	solo := func(f *gate.Facts) { f.Policy.Preset = gate.JustMe }

	for _, c := range []struct {
		name    string
		subject gate.Subject
		set     func(*gate.Facts)
		want    gate.Result
		why     string // of the first requirement, in part
	}{
		{"as in the base", same(), nil, gate.Pass, ""},
		{"as in the base, rejected since", same(), given(says("rob", reject, same(), "No.")), gate.Blocked, "Rejected by Rob: No. Push"},
		{"nobody said anything", text, nil, gate.Blocked, "Needs an approval."},
		{"content: the bytes were approved from another base", behaviour, given(says("rita", approve, elsewhere, "")), gate.Pass, "Approved by Rita."},
		{"content: other bytes were approved", behaviour, given(says("rita", approve, same(), "")), gate.Blocked, ""},
		{"content: approved under another subject", behaviour, func(f *gate.Facts) {
			v := says("rita", approve, behaviour, "")
			v.Subject = change.SubjectInstructions
			f.Verdicts = []gate.Verdict{v}
		}, gate.Blocked, ""},
		{"content: withdrawn", behaviour, given(says("rita", approve, behaviour, ""), says("rita", withdraw, behaviour, "")), gate.Blocked, ""},
		{"content: withdrawn on another base", behaviour, given(says("rita", approve, behaviour, ""), says("rita", withdraw, elsewhere, "")), gate.Blocked, ""},
		{"content: somebody else withdrew", behaviour, given(says("rita", approve, behaviour, ""), says("rob", withdraw, behaviour, "")), gate.Pass, ""},
		{"content: released before", behaviour, subject(func(s *gate.Subject) { s.Released.Title = "0.9" }), gate.Pass, "Reverts to 0.9."},
		{"content: released before, rejected since", behaviour, both(subject(func(s *gate.Subject) { s.Released.Title = "0.9" }),
			given(says("rob", reject, behaviour, ""))), gate.Blocked, "Rejected by Rob."},
		{"content: in the baseline", behaviour, subject(func(s *gate.Subject) { s.Baseline = true }), gate.Pass, "Accepted as starting point"},
		{"content: in the baseline, rejected since", behaviour, both(subject(func(s *gate.Subject) { s.Baseline = true }),
			given(says("rob", reject, behaviour, ""))), gate.Blocked, ""},

		{"transition: exactly this step was approved", breaking, given(says("rita", approve, breaking, "Fine.")), gate.Pass, "Approved by Rita."},
		{"transition: only the bytes were approved", breaking, given(says("rita", approve, elsewhere, "Fine.")), gate.Blocked, "step from the base breaks"},
		{"transition: the bytes were released", breaking, subject(func(s *gate.Subject) { s.Released.Title = "0.9" }), gate.Blocked, "step from the base breaks"},
		{"transition: released, and the step approved", breaking, both(subject(func(s *gate.Subject) { s.Released.Title = "0.9" }),
			given(says("rita", approve, breaking, "Fine."))), gate.Pass, ""},
		{"transition: approved without a reason", breaking, given(says("rita", approve, breaking, " ")), gate.Blocked, "Needs an approval with a reason"},
		{"transition: the bytes were withdrawn elsewhere since", breaking, given(says("rita", approve, breaking, "Fine."),
			says("rita", withdraw, elsewhere, "")), gate.Blocked, ""},

		{"rule: equal by rule", none, nil, gate.Pass, "Accepted by rule"},
		{"rule: the old side is rejected", none, given(says("rob", reject, same(), "")), gate.Blocked, ""},
		{"rule: without an old side", none, subject(func(s *gate.Subject) { s.From = surface.Hash{} }), gate.Blocked, ""},

		{"removal: approved", removed(), given(says("rita", approve, removed(), "Unused.")), gate.Pass, ""},
		{"removal: of other bytes", removed(), func(f *gate.Facts) {
			v := says("rita", approve, removed(), "Unused.")
			v.From = h("other")
			f.Verdicts = []gate.Verdict{v}
		}, gate.Blocked, "It is gone"},
		{"removal: the bytes were approved", removed(), given(says("rita", approve, same(), "Fine.")), gate.Blocked, ""},
		{"removal: rejected", removed(), given(says("rita", approve, removed(), "Unused."), says("rob", reject, removed(), "I use it.")), gate.Blocked, "Rejected by Rob"},
		{"removal: the bytes were rejected, which is no matter now", removed(), given(says("rob", reject, same(), ""),
			says("rita", approve, removed(), "Unused.")), gate.Pass, ""},
		{"removal: never by baseline or release", removed(), subject(func(s *gate.Subject) { s.Baseline, s.Released.Title = true, "0.9" }), gate.Blocked, ""},

		{"rejection: outweighs approvals", text, given(says("rita", approve, text, ""), says("ana", approve, text, ""), says("rob", reject, text, "")), gate.Blocked, ""},
		{"rejection: on another base", text, given(says("rita", approve, text, ""), says("rob", reject, elsewhere, "")), gate.Blocked, ""},
		{"rejection: of an account that is gone", text, given(says("gus", reject, text, ""), says("rita", approve, text, "")), gate.Blocked, "Rejected by Gus"},
		{"rejection: taken back", text, given(says("rob", reject, text, ""), says("rob", withdraw, text, "ok"), says("rita", approve, text, "")), gate.Pass, ""},
		{"rejection: one's mind changed", text, given(says("rob", reject, text, ""), says("rob", approve, text, "ok")), gate.Pass, ""},
		{"rejection: the other way", text, given(says("rob", approve, text, ""), says("rob", reject, text, "")), gate.Blocked, ""},
		{"rejection: of the author counts", text, both(authors("rob"), given(own(says("rob", reject, text, "")), says("rita", approve, text, ""))), gate.Blocked, ""},

		{"author: does not count", text, both(authors("rita"), given(own(says("rita", approve, text, "")))), gate.Blocked, ""},
		{"author: became one after approving", text, both(authors("rita"), given(says("rita", approve, text, ""))), gate.Blocked, ""},
		{"author: approved elsewhere as author", text, given(own(says("rita", approve, text, ""))), gate.Blocked, ""},
		{"author: another person counts", text, both(authors("rita"), given(own(says("rita", approve, text, "")), says("rob", approve, text, ""))), gate.Pass, ""},
		{"author: counts for just me", behaviour, both(solo, authors("rita"), given(own(says("rita", approve, behaviour, "")))), gate.Pass, ""},

		{"edits: one of two is no approval", text, given(edit(says("rita", approve, text, ""), "ed_1")), gate.Blocked, ""},
		{"edits: a rejected edit blocks", text, given(says("rita", approve, text, ""), edit(says("rob", reject, text, "No."), "ed_1")), gate.Blocked, "Rejected by Rob"},
		{"edits: taken out of one's approval", text, given(says("rita", approve, text, ""), edit(says("rita", withdraw, text, ""), "ed_1")), gate.Blocked, ""},
		{"edits: a rejected edit, then the whole", text, given(edit(says("rob", reject, text, ""), "ed_1"), says("rob", approve, text, "ok")), gate.Pass, ""},
		{"edits: a rejected edit, taken back", text, given(says("rita", approve, text, ""), edit(says("rob", reject, text, ""), "ed_1"),
			edit(says("rob", withdraw, text, ""), "ed_1")), gate.Pass, ""},

		{"order is not asked for", gate.Subject{Subject: change.SubjectOrder, From: h("a"), To: h("b"), Kind: change.Moved, Class: change.Behaviour}, nil, gate.Pass, "does not ask"},
		{"instructions changed", gate.Subject{Subject: change.SubjectInstructions, From: h("a"), To: h("b"), Kind: change.Changed, Class: change.Behaviour}, nil, gate.Blocked, "Needs an approval"},
		{"instructions gone", gate.Subject{Subject: change.SubjectInstructions, From: h("a"), Kind: change.Removed, Class: change.Behaviour}, nil, gate.Blocked, "It is gone"},
		{"a tool without a name", gate.Subject{Subject: change.SubjectTool, Position: 4, To: h("b"), Kind: change.Added, Class: change.Behaviour}, nil, gate.Blocked, "It is new"},

		{"released as this", behaviour, func(f *gate.Facts) { f.ReleasedAs = "1.1" }, gate.Pass, ""},
		{"released, rejected since", behaviour, func(f *gate.Facts) {
			f.ReleasedAs = "1.1"
			f.Verdicts = []gate.Verdict{says("rob", reject, behaviour, "")}
		}, gate.Blocked, "Rejected by Rob"},
		{"withdrawn", same(), func(f *gate.Facts) { f.Withdrawn = "It leaks" }, gate.Blocked, "This release was withdrawn: It leaks."},

		{"an error", same(), func(f *gate.Facts) {
			f.Problems = []gate.Problem{{Position: 1, Tool: "find", Message: "No schema."}}
		}, gate.Blocked, "find (tool 1) has an error. No schema."},
		{"an acknowledged error", same(), func(f *gate.Facts) {
			f.Problems = []gate.Problem{{Position: 1, Tool: "find", Message: "No schema.", Acknowledged: true}}
		}, gate.Pass, "Acknowledged in the baseline."},
		{"one of two errors acknowledged", same(), func(f *gate.Facts) {
			f.Problems = []gate.Problem{{Position: 1, Message: "A.", Acknowledged: true}, {Position: 1, Message: "B."}}
		}, gate.Blocked, "Tool 1 has an error. A."},
		{"an error of the listing", same(), func(f *gate.Facts) { f.Problems = []gate.Problem{{Message: "Odd."}} }, gate.Blocked, "The listing has an error. Odd."},
		{"a thread that blocks", same(), func(f *gate.Facts) { f.Threads = []gate.Thread{{ID: "t", Tool: "find", OpenedBy: "rita"}} },
			gate.Blocked, "A thread about find, opened by Rita, blocks"},
		{"a thread about the release", same(), func(f *gate.Facts) { f.Threads = []gate.Thread{{ID: "t", OpenedBy: "nobody"}} },
			gate.Blocked, "A thread about the release, opened by somebody, blocks"},

		{"unknown", same(), func(f *gate.Facts) { f.Listing = gate.Listing{} }, gate.Undecided, "No listing with this digest"},
		{"a part", same(), func(f *gate.Facts) { f.Listing.Complete = false }, gate.Undecided, "A part of this listing never arrived"},
		{"emptied", same(), func(f *gate.Facts) { f.Listing.Emptied = true }, gate.Undecided, "complete=true"},
		{"a capture", same(), func(f *gate.Facts) { f.Listing.Kind = surface.KindCapture }, gate.Undecided, "This is a capture"},
		{"a declaration", same(), func(f *gate.Facts) { f.Listing.Kind = surface.KindDeclaration }, gate.Undecided, "This is a declaration"},
		{"not analysed", same(), func(f *gate.Facts) { f.Listing.Analysed = false }, gate.Undecided, "not there yet"},
		{"a part, and everything approved", text, both(func(f *gate.Facts) { f.Listing.Complete = false }, given(says("rita", approve, text, ""))), gate.Undecided, ""},
		{"no facts at all", same(), func(f *gate.Facts) { *f = gate.Facts{} }, gate.Undecided, ""},
	} {
		f := facts(gate.Team, c.subject)
		if c.set != nil {
			c.set(&f)
		}
		o := gate.Evaluate(f)
		if o.Answer.Result != c.want {
			t.Errorf("%s: %s (%s), want %s", c.name, o.Answer.Result, o.Answer.Why, c.want)
		}
		if c.why != "" && (len(o.Answer.Requirements) == 0 || !strings.Contains(o.Answer.Requirements[0].Why, c.why)) {
			t.Errorf("%s: requirements %+v do not begin with %q", c.name, o.Answer.Requirements, c.why)
		}
		if (o.Answer.Result == gate.Pass) != (len(open(o)) == 0) {
			t.Errorf("%s: %s with open %q", c.name, o.Answer.Result, open(o))
		}
	}
}

func TestWhoCan(t *testing.T) {
	text := find(change.Text)
	reject := says("rob", gate.Reject, text, "")
	rejectByGone := says("gus", gate.Reject, text, "")
	ownReject := says("ana", gate.Reject, text, "")
	ownReject.Own = true
	hidden := text
	hidden.Hidden = true
	for _, c := range []struct {
		name string
		set  func(*gate.Facts)
		want []string
		turn []string
	}{
		{"everybody who decides", nil, []string{"Ana", "Ben", "Rita", "Rob"}, []string{"ana", "ben", "rita", "rob"}},
		{"but the author", func(f *gate.Facts) { f.Authors = []string{"ana", "rob"} }, []string{"Ben", "Rita"}, []string{"ben", "rita"}},
		{"with the author, for just me", func(f *gate.Facts) {
			f.Policy.Preset, f.Subjects[0].Class, f.Authors = gate.JustMe, change.Behaviour, []string{"ana"}
		}, []string{"Ana", "Ben", "Rita", "Rob"}, []string{"ana", "ben", "rita", "rob"}},
		{"nobody is left", func(f *gate.Facts) { f.Authors = []string{"ana", "ben", "rita", "rob"} }, []string{}, nil},
		{"nobody for hidden characters", func(f *gate.Facts) { f.Policy.Preset, f.Subjects[0] = gate.NotOurServer, hidden }, []string{}, nil},
		{"who rejected", func(f *gate.Facts) { f.Verdicts = []gate.Verdict{reject} }, []string{"Rob"}, nil},
		{"a maintainer for who is gone", func(f *gate.Facts) { f.Verdicts = []gate.Verdict{rejectByGone} }, []string{"Ana", "Ben"}, nil},
		{"no author for who is gone", func(f *gate.Facts) { f.Verdicts, f.Authors = []gate.Verdict{rejectByGone}, []string{"ana"} }, []string{"Ben"}, nil},
		{"who rejected and became the author", func(f *gate.Facts) { f.Verdicts, f.Authors = []gate.Verdict{reject}, []string{"rob"} }, []string{}, nil},
		{"who rejected their own push", func(f *gate.Facts) { f.Verdicts, f.Authors = []gate.Verdict{ownReject}, []string{"ana"} }, []string{"Ana"}, nil},
		{"who opened the thread, and maintainers", func(f *gate.Facts) {
			f.Subjects[0] = same()
			f.Threads, f.Authors = []gate.Thread{{ID: "t", OpenedBy: "rob"}}, []string{"ben"}
		}, []string{"Ana", "Rob"}, nil},
	} {
		f := facts(gate.Team, text)
		if c.set != nil {
			c.set(&f)
		}
		o := gate.Evaluate(f)
		if diff := cmp.Diff(c.want, o.Answer.Requirements[0].WhoCan); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", c.name, diff)
		}
		if diff := cmp.Diff(c.turn, o.Turn); diff != "" {
			t.Errorf("%s: turn (-want +got)\n%s", c.name, diff)
		}
	}
}

// TestMissing checks that the gate names who is missing when nobody can answer.
func TestMissing(t *testing.T) {
	f := facts(gate.Team, find(change.Text))
	f.Authors = []string{"ana", "ben", "rita", "rob"}
	o := gate.Evaluate(f)
	if why := o.Answer.Requirements[0].Why; !strings.Contains(why, "Only Ana, Ben and 2 others may decide here and wrote or pushed this") {
		t.Errorf("why: %s", why)
	}
	if !strings.Contains(o.Answer.Why, "Nobody who may decide is left") {
		t.Errorf("why: %s", o.Answer.Why)
	}
	breaking := facts(gate.Team, find(change.Breaking))
	breaking.Policy.Owners = []gate.OwnerRule{{People: []string{"gone@example.org"}}}
	if why := gate.Evaluate(breaking).Answer.Requirements[0].Why; !strings.Contains(why, "An owner is missing: gone@example.org. None of them can answer") {
		t.Errorf("an owner without a role: %s", why)
	}
	f.People = nil
	if why := gate.Evaluate(f).Answer.Requirements[0].Why; !strings.Contains(why, "Nobody has the role reviewer or maintainer") {
		t.Errorf("why: %s", why)
	}
}

func TestIndependent(t *testing.T) {
	s := find(change.Behaviour)
	mine, yours := says("ana", gate.Approve, s, ""), says("rob", gate.Approve, s, "")
	mine.Own = true
	for _, c := range []struct {
		name string
		vs   []gate.Verdict
		base bool
		want bool
	}{
		{"the author alone", []gate.Verdict{mine}, false, false},
		{"the author and another", []gate.Verdict{mine, yours}, false, true},
		{"another", []gate.Verdict{yours}, false, true},
		{"a baseline by the author", nil, true, false},
	} {
		f := facts(gate.JustMe, s)
		f.Verdicts, f.Authors = c.vs, []string{"ana"}
		if c.base {
			f.Subjects[0].Baseline = true
			f.Baseline = gate.Baseline{By: "Ana", ByID: "ana", At: day0}
		}
		if a := gate.Evaluate(f).Answer; a.Result != gate.Pass || a.Independent != c.want {
			t.Errorf("%s: %s, independent %t", c.name, a.Result, a.Independent)
		}
	}
}

func TestSentences(t *testing.T) {
	tools := func(n int, set func(i int, s *gate.Subject)) []gate.Subject {
		var out []gate.Subject
		for i := range n {
			s := find(change.Behaviour)
			s.Name, s.Position, s.To = fmt.Sprint("t", i), i+1, h(fmt.Sprint(i))
			if set != nil {
				set(i, &s)
			}
			out = append(out, s)
		}
		return out
	}
	for _, c := range []struct {
		name string
		f    func() gate.Facts
		want string
	}{
		{"three open", func() gate.Facts { return facts(gate.Team, tools(3, nil)...) },
			"Blocked: 3 decisions open. Ana, Ben or 2 others can take them."},
		{"one open", func() gate.Facts {
			f := facts(gate.Team, tools(1, nil)...)
			f.Authors = []string{"ana", "ben"}
			return f
		}, "Blocked: 1 decision open. Rita or Rob can take it."},
		{"an owner for most", func() gate.Facts {
			f := facts(gate.Team, tools(3, nil)...)
			f.People = addressed(f.People)
			f.Policy.Owners = []gate.OwnerRule{{People: []string{"rob@example.com"}, Names: []string{"t0", "t2"}}}
			return f
		}, "Blocked: 3 decisions open. Rob can take 2 of them. Ana, Ben or 2 others can take 1 of them."},
		{"a first listing", func() gate.Facts {
			f := facts(gate.Team, tools(1, nil)...)
			f.Base, f.Baseline.Open, f.Authors = "", true, []string{"ana", "ben", "rita"}
			return f
		}, "Blocked: 1 decision open. Rob can take it. Or a maintainer can accept this first listing as the starting point."},
		{"a first listing with a thread", func() gate.Facts {
			f := facts(gate.Team, tools(1, nil)...)
			f.Base, f.Baseline.Open, f.Authors = "", true, []string{"ana", "ben", "rita"}
			f.Threads = []gate.Thread{{ID: "1"}}
			return f
		}, "Blocked: 1 decision open, 1 thread to resolve. Rob can take it."},
		{"overtaken", func() gate.Facts {
			f := facts(gate.Team)
			f.Superseded = "Superseded by 1.2. Push it again to bring it back."
			return f
		}, "Blocked: 1 superseded version."},
		{"pushed again", func() gate.Facts {
			f := facts(gate.Team)
			f.Outdated = "1.2 was pushed again since."
			return f
		}, "Blocked: 1 older push of its version."},
		{"everything that blocks", func() gate.Facts {
			ts := tools(2, nil)
			f := facts(gate.Team, ts...)
			f.Verdicts = []gate.Verdict{says("rob", gate.Reject, ts[0], "")}
			f.Problems = []gate.Problem{{Position: 2, Message: "Bad."}}
			f.Threads = []gate.Thread{{ID: "1"}, {ID: "2"}}
			return f
		}, "Blocked: 1 decision open, 1 rejection, 1 tool with errors, 2 threads to resolve. Ana, Ben or 2 others can take it."},
		{"a pass of every kind", func() gate.Facts {
			ts := append(tools(5, func(i int, s *gate.Subject) {
				switch i {
				case 1:
					s.Class = change.None
				case 2:
					s.Released.Title = "0.9"
				case 3:
					s.Baseline = true
				}
			}), same())
			f := facts(gate.Team, ts...)
			f.Baseline.By = "Ana"
			f.Verdicts = []gate.Verdict{says("rob", gate.Approve, ts[0], ""), says("rita", gate.Approve, ts[4], "")}
			return f
		}, "Safe to publish. 2 approved by people, 1 accepted by rule, 1 accepted as starting point by Ana, 1 as in an earlier release, 1 as in 1.0."},
		{"nothing at all", func() gate.Facts { return facts(gate.Team) }, "Safe to publish. An empty listing, as before."},
		{"nothing at first", func() gate.Facts {
			f := facts(gate.Team)
			f.Base = ""
			return f
		}, "Safe to publish. An empty listing."},
		{"unknown", func() gate.Facts { return gate.Facts{} },
			"We can't tell: No listing with this digest was pushed to this server and profile. Push it, then ask again."},
	} {
		if got := gate.Evaluate(c.f()).Answer.Why; got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

// TestNames checks that no name of a tool breaks a line or looks like another one.
func TestNames(t *testing.T) {
	var subjects []gate.Subject
	for i, name := range []string{"find", "find", "pay\x00x", "payx", "a/../b", "\u202egnp", ""} {
		s := added()
		s.Name, s.Position, s.To = name, i+1, h(fmt.Sprint(i))
		subjects = append(subjects, s)
	}
	ids := open(gate.Evaluate(facts(gate.Team, subjects...)))
	if len(slices.Compact(slices.Sorted(slices.Values(ids)))) != len(subjects) {
		t.Errorf("ids are not unique: %q", ids)
	}
	for _, want := range []string{"approval:find", "approval:find (2)", "approval:payx", "approval:a/../b", "approval:tool 7"} {
		if !slices.Contains(ids, want) {
			t.Errorf("no %q among %q", want, ids)
		}
	}
	for _, id := range ids {
		if strings.ContainsAny(id, "\x00\u202e") {
			t.Errorf("%q holds a hidden character", id)
		}
	}
}

// TestEvidence checks that a pass lists one approval for each tool.
func TestEvidence(t *testing.T) {
	s := find(change.Behaviour)
	f := facts(gate.Team, s, same())
	f.Verdicts = []gate.Verdict{says("rob", gate.Approve, s, "Read it.")}
	want := []gate.Approval{
		{Tool: "find", Digest: h("b"), By: "Rob", At: f.Verdicts[0].At, Note: "Read it.", Independent: true},
		{Tool: "find", Digest: h("a"), By: "release 1.0", At: day0, Independent: true},
	}
	if diff := cmp.Diff(want, gate.Evaluate(f).Approvals); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestOthersDoNotMatter checks that no verdict on one tool changes the state of
// another.
func TestOthersDoNotMatter(t *testing.T) {
	a, b := find(change.Behaviour), find(change.Behaviour)
	b.Name, b.Position, b.From, b.To, b.Change = "drop", 2, h("c"), h("d"), "ch_2"
	for _, kind := range []gate.VerdictKind{gate.Approve, gate.Reject, gate.Withdraw} {
		f := facts(gate.Team, a, b)
		before := gate.Evaluate(f).Answer.Requirements[1]
		f.Verdicts = []gate.Verdict{says("rob", kind, a, "So.")}
		if diff := cmp.Diff(before, gate.Evaluate(f).Answer.Requirements[1]); diff != "" {
			t.Errorf("%s on find changes drop (-before +after)\n%s", kind, diff)
		}
	}
}

func TestParsePreset(t *testing.T) {
	for name, want := range map[string]bool{"solo": true, "team": true, "external": true, "": false, "Team": false} {
		if _, ok := gate.ParsePreset(name); ok != want {
			t.Errorf("ParsePreset(%q) = %t", name, ok)
		}
	}
}

// BenchmarkEvaluate judges 1,000 tools of which 100 changed.
func BenchmarkEvaluate(b *testing.B) {
	var subjects []gate.Subject
	for i := range 1000 {
		s := same()
		s.Name, s.Position, s.From, s.To = fmt.Sprint("t", i), i+1, h(fmt.Sprint(i)), h(fmt.Sprint(i))
		if i%10 == 0 {
			s.Kind, s.Class, s.To = change.Changed, change.Behaviour, h(fmt.Sprint(i, "new"))
		}
		subjects = append(subjects, s)
	}
	f := facts(gate.Team, subjects...)
	for b.Loop() {
		gate.Evaluate(f)
	}
}

// TestDecisionsAreCountedAsTheyAreTaken: one answer that covers many changes is one
// decision, however many tools wait for it.
func TestDecisionsAreCountedAsTheyAreTaken(t *testing.T) {
	f := facts(gate.Team)
	f.Matters = [][]string{{"ch_a", "ch_b"}, {"ch_b"}, {"ch_d"}}
	for i, id := range []string{"ch_a", "ch_b", "ch_c"} {
		f.Subjects = append(f.Subjects, gate.Subject{
			Subject: change.SubjectTool, Name: id, Position: i + 1, Kind: change.Changed, Class: change.Behaviour, Change: id,
			From: surface.HashOf([]byte(id)), To: surface.HashOf([]byte(id + "2")),
		})
	}
	// a and b by one answer, b by another as well, c by none that is known; d waits for nothing.
	if got := gate.Evaluate(f).Answer.Why; !strings.HasPrefix(got, "Blocked: 3 decisions open.") {
		t.Errorf("got %q", got)
	}
}
