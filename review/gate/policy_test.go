package gate_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/countersign/countersign/review/change"
	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/lint"
	"github.com/countersign/countersign/review/surface"
)

func team() gate.Policy { return gate.Policy{Preset: gate.Team, Version: 1} }

func withLine(r gate.Row, l gate.Line) gate.Policy {
	p := team()
	p.Lines = map[gate.Row]gate.Line{r: l}
	return p
}

func owned(rules ...gate.OwnerRule) gate.Policy {
	p := team()
	p.Teams = map[string][]string{"pay": {"ana@example.com", "ben@example.com"}}
	p.Owners = rules
	return p
}

func set(f func(*gate.Policy)) gate.Policy {
	p := team()
	f(&p)
	return p
}

// ruled is a team's policy with overrides: rule and word, in turn.
func ruled(words ...lint.Severity) gate.Policy {
	return set(func(p *gate.Policy) {
		p.Rules = map[string]lint.Severity{}
		for i := 0; i < len(words); i += 2 {
			p.Rules[string(words[i])] = words[i+1]
		}
	})
}

func TestGrade(t *testing.T) {
	p := ruled("desc.*", lint.Info, "desc.no-when", gate.Off, "poison.conceal", lint.Critical)
	for rule, want := range map[string]lint.Severity{
		"desc.no-when": gate.Off, "desc.steering": lint.Info, "poison.conceal": lint.Critical, "poison.override": lint.High, "descending": lint.High,
	} {
		if got := p.Grade(rule, lint.High); got != want {
			t.Errorf("%s counts as %s, want %s", rule, got, want)
		}
	}
}

func TestLoosens(t *testing.T) {
	preset := func(name gate.Preset) gate.Policy { return gate.Policy{Preset: name} }
	rule := func(people ...string) gate.OwnerRule { return gate.OwnerRule{People: people, Names: []string{"pay_*"}} }
	cases := []struct {
		name     string
		old, now gate.Policy
		want     string // begins of the sentences
	}{
		{"the same", team(), team(), ""},
		{"team to solo", preset(gate.Team), preset(gate.JustMe), "equal: authors', wording: authors', wording: passes, behaviour: no owner, behaviour: authors', breaking: no owner, breaking: authors', hidden: no owner, hidden: authors', findings: no more"},
		{"solo to team", preset(gate.JustMe), preset(gate.Team), ""},
		{"external to team", preset(gate.NotOurServer), preset(gate.Team), "hidden: can be approved, findings: can be approved"},
		{"team to external", preset(gate.Team), preset(gate.NotOurServer), "behaviour: no owner, breaking: no owner, breaking: no reason"},
		{"findings ask anew", preset(gate.JustMe), gate.Policy{Preset: gate.JustMe, Lines: map[gate.Row]gate.Line{gate.RowFinding: {Approvals: 1}}}, ""},
		{"fewer", withLine(gate.RowWording, gate.Line{Approvals: 2}), team(), "wording: 1 instead of 2 approvals"},
		{"more", team(), withLine(gate.RowWording, gate.Line{Approvals: 2}), ""},
		{"more here, less there", withLine(gate.RowWording, gate.Line{Approvals: 2}), withLine(gate.RowBehaviour, gate.Line{Approvals: 3, Owner: true}), "wording: 1 instead"},
		{"a reason less", team(), withLine(gate.RowBreaking, gate.Line{Approvals: 1, Owner: true}), "breaking: no reason"},
		{"a preset nobody knows is team", preset("lax"), preset(gate.Team), ""},
		{"an owner more to ask", owned(), owned(rule("ana@example.com")), ""},
		{"an owner rule gone", owned(rule("ana@example.com")), owned(), "owners: ana@example.com are not"},
		{"a further owner", owned(rule("ana@example.com")), owned(rule("ana@example.com", "vic@example.com")), "owners: ana@example.com are not"},
		{"an owner fewer", owned(rule("ana@example.com", "vic@example.com")), owned(rule("Ana@Example.com")), ""},
		{"about other tools", owned(rule("ana@example.com")), owned(gate.OwnerRule{People: []string{"ana@example.com"}, Names: []string{"get_*"}}), "owners: ana@example.com are not"},
		{"a team grew", owned(gate.OwnerRule{Teams: []string{"pay"}}), set(func(p *gate.Policy) {
			p.Owners = []gate.OwnerRule{{Teams: []string{"pay"}}}
			p.Teams = map[string][]string{"pay": {"ana@example.com", "ben@example.com", "vic@example.com"}}
		}), "owners: team pay are not the only owners of everything"},
		{"families mean other tools", set(func(p *gate.Policy) {
			p.Owners = []gate.OwnerRule{{People: []string{"a@b"}, Families: []string{"pay"}}}
			p.Families = map[string][]string{"pay": {"pay_*"}}
		}), set(func(p *gate.Policy) {
			p.Owners = []gate.OwnerRule{{People: []string{"a@b"}, Families: []string{"pay"}}}
		}), "families:"},
		{"limits", set(func(p *gate.Policy) { p.Limits = gate.Limits{Hosts: []string{"codex"}, Ceiling: 10, Growth: 5} }),
			set(func(p *gate.Policy) { p.Limits = gate.Limits{Ceiling: 11} }), "limits: OpenAI Codex CLI may refuse, limits: the listing may have more, limits: the listing may grow"},
		{"limits are set", team(), set(func(p *gate.Policy) { p.Limits = gate.Limits{Ceiling: 11} }), ""},
		{"graver findings only", set(func(p *gate.Policy) { p.FindingSeverity = lint.Warn }), set(func(p *gate.Policy) { p.FindingSeverity = lint.High }), "finding_severity:"},
		{"findings don't block", set(func(p *gate.Policy) { p.FindingSeverity = lint.Critical }), team(), "finding_severity:"},
		{"milder findings too", set(func(p *gate.Policy) { p.FindingSeverity = lint.High }), set(func(p *gate.Policy) { p.FindingSeverity = lint.Info }), ""},
		{"threads", set(func(p *gate.Policy) { p.AllThreads = true }), team(), "threads:"},
		{"order", set(func(p *gate.Policy) { p.Order = true }), team(), "order:"},
		{"required with default", team(), set(func(p *gate.Policy) { p.RequiredWithDefault = true }), "required_with_default:"},
		{"expiry off", set(func(p *gate.Policy) { p.DestructiveDays = 30 }), team(), "destructive_expiry_days:"},
		{"expiry later", set(func(p *gate.Policy) { p.DestructiveDays = 30 }), set(func(p *gate.Policy) { p.DestructiveDays = 31 }), "destructive_expiry_days:"},
		{"expiry sooner", set(func(p *gate.Policy) { p.DestructiveDays = 30 }), set(func(p *gate.Policy) { p.DestructiveDays = 29 }), ""},
		{"second factor", set(func(p *gate.Policy) { p.SecondFactor = true }), team(), "second_factor:"},
		{"shell tokens", set(func(p *gate.Policy) { p.NoShellTokens = true }), team(), "shell_tokens:"},
		{"a rule off", team(), ruled("poison.conceal", gate.Off), "rules: poison.conceal: off"},
		{"a family off", team(), ruled("param.*", gate.Off), "rules: param.*: off"},
		{"a rule lower", team(), ruled("poison.conceal", lint.Warn), "rules: poison.conceal: its findings count as warn"},
		{"lower still", ruled("poison.conceal", lint.High), ruled("poison.conceal", lint.Warn), "rules: poison.conceal"},
		{"a rule on again", ruled("poison.conceal", gate.Off), team(), ""},
		{"a rule graver", ruled("poison.conceal", lint.Warn), ruled("poison.conceal", lint.Critical), ""},
		{"as grave as it finds", team(), ruled("poison.conceal", lint.Critical), ""},
		{"weaker cases count less", ruled("desc.no-when", lint.High), team(), "rules: desc.no-when: weaker"},
		{"out of its family", ruled("desc.*", lint.High, "desc.no-when", gate.Off), ruled("desc.*", lint.High), ""},
		{"bound deliveries", set(func(p *gate.Policy) { p.BoundDeliveries = true }), team(), "bound_deliveries:"},
	}
	for _, c := range cases {
		got := c.now.Loosens(c.old)
		var want []string
		if c.want != "" {
			want = strings.Split(c.want, ", ")
		}
		if len(got) != len(want) {
			t.Errorf("%s: %q, want %q", c.name, got, want)
			continue
		}
		for i := range want {
			if !strings.HasPrefix(got[i], want[i]) {
				t.Errorf("%s: %q, want it to begin %q", c.name, got[i], want[i])
			}
		}
	}
}

var words = []lint.Severity{gate.Off, lint.Info, lint.Warn, lint.High, lint.Critical}

// TestStrictest holds at random that asking for both asks for no less than either.
func TestStrictest(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 1))
	for range 500 {
		a, b := anyPolicy(r), anyPolicy(r)
		both := gate.Strictest(a, b)
		if why := both.Loosens(a); len(why) > 0 && !strings.HasPrefix(why[0], "families:") {
			t.Fatalf("less than the first: %q\n%+v\n%+v", why, a, b)
		}
		if why := both.Loosens(b); len(why) > 0 {
			t.Fatalf("less than the second: %q\n%+v\n%+v", why, a, b)
		}
		third := anyPolicy(r)
		if why := gate.Strictest(both, third).Loosens(both); len(why) > 0 && !strings.HasPrefix(why[0], "families:") {
			t.Fatalf("less than two: %q\n%+v\n%+v", why, both, third)
		}
		for _, s := range words[1:] {
			want := a.Grade("desc.no-when", s)
			if g := b.Grade("desc.no-when", s); g.Rank() > want.Rank() {
				want = g
			}
			if got := both.Grade("desc.no-when", s); got != want {
				t.Fatalf("found as %s it counts as %s, want %s: no more than either asks\n%v\n%v", s, got, want, a.Rules, b.Rules)
			}
		}
	}
}

func anyPolicy(r *rand.Rand) gate.Policy {
	coin := func() bool { return r.IntN(2) == 0 }
	p := owned()
	p.Lines = map[gate.Row]gate.Line{}
	for _, row := range gate.Rows {
		p.Lines[row] = gate.Line{Approvals: 1 + r.IntN(3), Owner: coin(), Reason: coin(), Self: coin(), Rule: coin(), Block: r.IntN(8) == 0}
	}
	for _, name := range []string{"a_*", "b_*"} {
		if coin() {
			p.Owners = append(p.Owners, gate.OwnerRule{Names: []string{name}, Teams: []string{"pay"}, People: []string{"zoe@example.com"}[:r.IntN(2)]})
		}
	}
	p.AllThreads, p.Order, p.RequiredWithDefault = coin(), coin(), coin()
	p.Limits = gate.Limits{Hosts: []string{"codex"}[:r.IntN(2)], Ceiling: r.IntN(3), Growth: r.IntN(3)}
	p.NoShellTokens, p.BoundDeliveries, p.DestructiveDays = coin(), coin(), r.IntN(3)*10
	p.SecondFactor = coin()
	p.Rules = map[string]lint.Severity{}
	for _, name := range []string{"desc.*", "desc.no-when", "poison.conceal"} {
		if coin() {
			p.Rules[name] = words[r.IntN(len(words))]
		}
	}
	return p
}

func TestEffective(t *testing.T) {
	strict, lax := withLine(gate.RowWording, gate.Line{Approvals: 3}), team()
	strict.Version, lax.Version = 1, 2
	history := []gate.InForce{{lax, day0.Add(time.Hour)}, {strict, day0}}
	approvals := func(opened time.Time) int {
		return gate.Effective(history, opened).Line(gate.Ask{Class: change.Text}).Approvals
	}
	if got := approvals(day0.Add(time.Minute)); got != 3 {
		t.Errorf("opened before it was loosened: %d approvals, want 3", got)
	}
	if got := approvals(day0.Add(time.Hour)); got != 1 {
		t.Errorf("opened when it was loosened: %d approvals, want 1", got)
	}
	again := withLine(gate.RowWording, gate.Line{Approvals: 2})
	again.Version = 3
	history = append(history, gate.InForce{Policy: again, At: day0.Add(2 * time.Hour)})
	if got := approvals(day0.Add(90 * time.Minute)); got != 2 {
		t.Errorf("tightened later: %d approvals, want 2 at once", got)
	}
	if got := gate.Effective(history, day0.Add(time.Minute)); got.Version != 3 || got.Line(gate.Ask{Class: change.Text}).Approvals != 3 {
		t.Errorf("of all three: version %d, %d approvals", got.Version, got.Line(gate.Ask{Class: change.Text}).Approvals)
	}
}

func TestPolicyCheck(t *testing.T) {
	for name, c := range map[string]struct {
		p    gate.Policy
		want string
	}{
		"fine":              {owned(gate.OwnerRule{Teams: []string{"pay"}, Classes: []change.Class{change.Breaking}}), ""},
		"preset":            {gate.Policy{Preset: "lax"}, "preset"},
		"no approvals":      {withLine(gate.RowWording, gate.Line{}), "1 to 10"},
		"rule for hidden":   {withLine(gate.RowHidden, gate.Line{Approvals: 1, Rule: true}), "no rule"},
		"rule for new":      {withLine(gate.RowBehaviour, gate.Line{Approvals: 1, Rule: true}), "no rule"},
		"blocked wording":   {withLine(gate.RowWording, gate.Line{Approvals: 1, Block: true}), "hidden characters"},
		"unknown line":      {withLine("style", gate.Line{Approvals: 1}), "no such line"},
		"team of nobody":    {owned(gate.OwnerRule{Teams: []string{"ops"}}), "no members"},
		"rule of nobody":    {owned(gate.OwnerRule{Names: []string{"a"}}), "people or teams"},
		"class":             {owned(gate.OwnerRule{Teams: []string{"pay"}, Classes: []change.Class{"big"}}), "class"},
		"severity":          {set(func(p *gate.Policy) { p.FindingSeverity = lint.Warn }), ""},
		"unknown severity":  {set(func(p *gate.Policy) { p.FindingSeverity = "bad" }), "info, warn, high or critical"},
		"days":              {set(func(p *gate.Policy) { p.DestructiveDays = -1 }), "3650"},
		"rules":             {ruled("param.*", lint.Info, "desc.no-when", gate.Off), ""},
		"rule misspelt":     {ruled("desc.now-hen", gate.Off), "no such rule; the nearest is desc.no-when"},
		"family misspelt":   {ruled("parm.*", gate.Off), "the nearest is param.*"},
		"no rule at all":    {ruled("quite something else", gate.Off), "countersign rules lists them"},
		"rule's word":       {ruled("desc.no-when", "on"), "use off, info, warn, high or critical"},
		"a rule that's off": {ruled("surface.redundant-prefix", lint.Warn), ""},
		"families":          {set(func(p *gate.Policy) { p.Families = map[string][]string{"pay": nil} }), "pattern"},
	} {
		if got := c.p.Check(); c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestUnsatisfiable(t *testing.T) {
	who := addressed(people())
	for name, c := range map[string]struct {
		p    gate.Policy
		want string
	}{
		"team":               {team(), ""},
		"five of four":       {withLine(gate.RowBreaking, gate.Line{Approvals: 5}), "breaking asks for 5 approvals, and 4 people"},
		"an owner who reads": {owned(gate.OwnerRule{People: []string{"vic@example.com"}}), "vic@example.com"},
		"an owner who left":  {owned(gate.OwnerRule{People: []string{"gus@example.com"}}), "gus@example.com"},
		"one of two":         {owned(gate.OwnerRule{People: []string{"gus@example.com"}, Teams: []string{"pay"}}), ""},
		"blocked for good":   {withLine(gate.RowHidden, gate.Line{Approvals: 9, Block: true}), ""},
	} {
		if got := c.p.Unsatisfiable(who); c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// addressed gives people the addresses that policies name.
func addressed(who []gate.Person) []gate.Person {
	for i := range who {
		who[i].Email = who[i].ID + "@example.com"
	}
	return who
}

func TestYAML(t *testing.T) {
	p := owned(gate.OwnerRule{Teams: []string{"pay"}, Families: []string{"payment"}, Names: []string{"pay_*"}, Classes: []change.Class{change.Breaking}})
	p.Version = 0
	p.Lines = map[gate.Row]gate.Line{gate.RowWording: {Approvals: 2, Reason: true}}
	p.Families = map[string][]string{"payment": {"pay_*", "refund"}}
	p.DestructiveDays = 30
	p.Rules = map[string]lint.Severity{"param.*": lint.Info, "desc.no-when": gate.Off}
	text, err := p.YAML()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"preset: team\n", "wording:\n", "hidden:\n", "destructive_expiry_days: 30\n", "shell_tokens: false\n"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	again, err := gate.ParseYAML(text)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(p, again); diff != "" {
		t.Errorf("read back (-want +got):\n%s", diff)
	}
	for _, bad := range []string{"", "preset: team\nquorum: 2\n", "preset: team\n---\npreset: solo\n", "lines: 3\n", "\t", strings.Repeat("#", 300<<10)} {
		if _, err := gate.ParseYAML([]byte(bad)); err == nil {
			t.Errorf("%.40q was read", bad)
		}
	}
}

// A line that says one thing leaves the rest as the preset has it.
func TestPartialLine(t *testing.T) {
	for text, want := range map[string]gate.Line{
		"lines: {breaking: {approvals: 2}}":                          {Approvals: 2, Owner: true, Reason: true},
		"lines: {breaking: {owner: false}}":                          {Approvals: 1, Reason: true},
		"lines: {breaking: }":                                        {Approvals: 1, Owner: true, Reason: true},
		"lines: {breaking: &a {reason: false}, hidden: *a}":          {Approvals: 1, Owner: true},
		"preset: solo\nlines: {breaking: {self: false}}":             {Approvals: 1, Reason: true},
		"preset: external\nlines: {breaking: {owner: true}}":         {Approvals: 1, Owner: true},
		"preset: external\nlines: {breaking: {approvals: 3}}":        {Approvals: 3},
		"preset: team\nlines: {breaking: {approvals: 1}}\nteams: {}": {Approvals: 1, Owner: true, Reason: true},
	} {
		p, err := gate.ParseYAML([]byte(text))
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got, _ := p.Row(gate.RowBreaking); got != want {
			t.Errorf("%s asks %+v, want %+v", text, got, want)
		}
	}
	for text, rule := range map[string]bool{"equal: {reason: true}": true, "equal: {approvals: 2}": false, "equal: {approvals: 2, rule: true}": true} {
		p, err := gate.ParseYAML([]byte("lines: {" + text + "}"))
		if line, _ := p.Row(gate.RowSame); err != nil || line.Rule != rule {
			t.Errorf("%s asks %+v, %v", text, line, err)
		}
	}
	p, err := gate.ParseYAML([]byte("preset: solo\nlines: {findings: {owner: true}}"))
	if line, _ := p.Row(gate.RowFinding); err != nil || line != (gate.Line{Approvals: 1, Owner: true}) || p.Check() != "" {
		t.Errorf("a line that the preset does not have asks %+v, %v", line, err)
	}
}

// What is wrong with a text is said in words of the text: the line, what stands there,
// what can.
func TestYAMLFaults(t *testing.T) {
	for text, want := range map[string]string{
		"preset: team\nquorum: 2\n":              "line 2: there is no key \"quorum\" here; use preset, lines, owners, teams, families, ",
		"lines:\n  breaking:\n    aprovals: 2\n": "line 3: there is no key \"aprovals\" here; use approvals, owner, reason, self, rule, block",
		"owners:\n- persons: [a@example.com]\n":  "line 2: there is no key \"persons\" here; use people, teams, families, names, classes",
		"limits: {host: [x]}\n":                  "line 1: there is no key \"host\" here; use hosts, ",
		"lines: {breaking: {approvals: two}}":    "line 1: `two` stands here, and it takes a whole number",
		"lines: 3\n":                             "line 1: `3` stands here, and it takes keys with values",
		"order_asks: perhaps\n":                  "line 1: `perhaps` stands here, and it takes true or false",
		"preset: team\nlines: [\n":               "line 2: did not find expected node content",
	} {
		_, err := gate.ParseYAML([]byte(text))
		if err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "gate.") || strings.Contains(err.Error(), "!!") {
			t.Errorf("%q:\n%v, want\n%s", text, err, want)
		}
	}
	for text, want := range map[string]string{
		"lines: {breaking: {rule: true}}":                   "lines/breaking: no rule can answer for this",
		"lines: {braking: {approvals: 1}}":                  "lines/\"braking\": there is no such line; use equal, wording, behaviour, breaking, hidden, findings.",
		"lines: {breaking: {approvals: 0}}":                 "lines/breaking: ask for 1 to 10 approvals.",
		"preset: external\nlines: {hidden: {reason: true}}": "",
	} {
		p, err := gate.ParseYAML([]byte(text))
		if why := p.Check(); err != nil || !strings.HasPrefix(why, want) || want == "" && why != "" {
			t.Errorf("%s: %q, %v, want %q", text, why, err, want)
		}
	}
}

// What is exported and imported again is the same policy, with every line and whatever
// stands in a name: it asks neither less nor more, and is written in the same bytes.
func TestYAMLRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 11))
	odd := []string{"pay_*", "no", "1.0", "a: b", "# x", "- y", "'", "\"", "a\nb", "\u202e*", "true", "&a", "*", " lead", "*!x"}
	for range 500 {
		p := anyPolicy(r)
		p.FindingSeverity = append([]lint.Severity{""}, words[1:]...)[r.IntN(len(words))]
		p.Owners = append(p.Owners, gate.OwnerRule{Families: odd[:r.IntN(4)], Names: odd[r.IntN(len(odd)):], People: []string{"zoe@example.com"}})
		p.Families = map[string][]string{odd[r.IntN(len(odd))]: odd[r.IntN(len(odd)):]}
		text, err := p.YAML()
		if err != nil {
			t.Fatal(err)
		}
		again, err := gate.ParseYAML(text)
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		second, err := again.YAML()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(text), string(second)); diff != "" {
			t.Fatalf("written anew (-want +got):\n%s", diff)
		}
		if less, more := again.Loosens(p), p.Loosens(again); len(less)+len(more) > 0 {
			t.Fatalf("another policy came back: %q, %q\n%s", less, more, text)
		}
	}
}

func FuzzParseYAML(f *testing.F) {
	f.Add([]byte("preset: team\nlines: {wording: {approvals: 2}}\nowners: [{people: [a@b], names: ['x*']}]\n"))
	f.Add([]byte("a: &a [*a]\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := gate.ParseYAML(b)
		if err != nil || p.Check() != "" {
			return
		}
		text, err := p.YAML()
		if err != nil {
			t.Fatal(err)
		}
		again, err := gate.ParseYAML(text)
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		if len(again.Loosens(p)) > 0 || len(p.Loosens(again)) > 0 {
			t.Errorf("another policy came back:\n%s", text)
		}
	})
}

func TestMatch(t *testing.T) {
	for _, c := range []struct {
		pattern, name string
		want          bool
	}{
		{"pay", "pay", true}, {"pay", "pays", false}, {"pay_*", "pay_", true}, {"pay_*", "pay", false}, {"*_get", "a_get", true},
		{"a*b*c", "aXbYc", true}, {"a*b*c", "ac", false}, {"*", "", true}, {"a*a", "a", false}, {"**", "x", true}, {"a*bc", "abcbc", true},
	} {
		if got := gate.Match(c.pattern, c.name); got != c.want {
			t.Errorf("Match(%q, %q) = %t", c.pattern, c.name, got)
		}
	}
}

func TestOwners(t *testing.T) {
	pays := gate.OwnerRule{People: []string{"ana@example.com"}, Names: []string{"find*"}}
	breaks := gate.OwnerRule{People: []string{"Ben@Example.com"}, Classes: []change.Class{change.Breaking}}
	family := gate.OwnerRule{People: []string{"rita@example.com"}, Families: []string{"search"}}
	cases := []struct {
		name  string
		class change.Class
		rules []gate.OwnerRule
		by    []string
		want  gate.Result
		who   string
	}{
		{"not by an owner", change.Behaviour, []gate.OwnerRule{pays}, []string{"rita"}, gate.Blocked, "Ana"},
		{"by the owner", change.Behaviour, []gate.OwnerRule{pays}, []string{"ana"}, gate.Pass, ""},
		{"by both", change.Behaviour, []gate.OwnerRule{pays}, []string{"rita", "ana"}, gate.Pass, ""},
		{"about other tools", change.Behaviour, []gate.OwnerRule{{People: []string{"ana@example.com"}, Names: []string{"drop"}}}, []string{"rita"}, gate.Pass, ""},
		{"about another class", change.Behaviour, []gate.OwnerRule{breaks}, []string{"rita"}, gate.Pass, ""},
		{"each rule asks", change.Breaking, []gate.OwnerRule{pays, breaks}, []string{"ana"}, gate.Blocked, "Ben"},
		{"each rule is met", change.Breaking, []gate.OwnerRule{pays, breaks}, []string{"ben", "ana"}, gate.Pass, ""},
		{"by family", change.Behaviour, []gate.OwnerRule{family}, []string{"ana"}, gate.Blocked, "Rita"},
		{"texts ask for no owner", change.Text, []gate.OwnerRule{pays}, []string{"rita"}, gate.Pass, ""},
		{"an owner who left", change.Behaviour, []gate.OwnerRule{{People: []string{"gus@example.com"}}}, []string{"rita"}, gate.Blocked, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := find(c.class)
			s.Family = "search"
			f := facts(gate.Team, s)
			f.People, f.Policy.Owners = addressed(f.People), c.rules
			for _, who := range c.by {
				f.Verdicts = append(f.Verdicts, says(who, gate.Approve, s, "Read."))
			}
			a := gate.Evaluate(f).Answer
			if a.Result != c.want {
				t.Fatalf("gate is %s: %s", a.Result, a.Requirements[0].Why)
			}
			if got := strings.Join(a.Requirements[0].WhoCan, ", "); got != c.who {
				t.Errorf("%q can, want %q", got, c.who)
			}
		})
	}
}

// A rename takes a tool from one owner to another: both are asked.
func TestOwnersOfARename(t *testing.T) {
	owns := func(who string, families, names []string) gate.OwnerRule {
		return gate.OwnerRule{People: []string{who + "@example.com"}, Families: families, Names: names}
	}
	old, new := owns("ana", []string{"search"}, nil), owns("ben", nil, []string{"look*"})
	for _, c := range []struct {
		name  string
		rules []gate.OwnerRule
		by    []string
		want  gate.Result
	}{
		{"by the new owner", []gate.OwnerRule{old, new}, []string{"ben"}, gate.Blocked},
		{"by the old owner", []gate.OwnerRule{old, new}, []string{"ana"}, gate.Blocked},
		{"by both", []gate.OwnerRule{old, new}, []string{"ana", "ben"}, gate.Pass},
		{"the old name is owned by pattern", []gate.OwnerRule{owns("ana", nil, []string{"fin?", "find"})}, []string{"ben"}, gate.Blocked},
		{"neither name is owned", []gate.OwnerRule{owns("ana", []string{"pay"}, []string{"pay*"})}, []string{"ben"}, gate.Pass},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := find(change.Behaviour)
			s.Name, s.Family, s.FromName, s.FromFamily = "look", "looks", "find", "search"
			f := facts(gate.Team, s)
			f.People, f.Policy.Owners = addressed(f.People), c.rules
			for _, who := range c.by {
				f.Verdicts = append(f.Verdicts, says(who, gate.Approve, s, "Read."))
			}
			if a := gate.Evaluate(f).Answer; a.Result != c.want {
				t.Fatalf("gate is %s: %s", a.Result, a.Requirements[0].Why)
			}
		})
	}
}

func TestLinesOfThePolicy(t *testing.T) {
	approved := func(s gate.Subject) []gate.Verdict { return []gate.Verdict{says("ana", gate.Approve, s, "Read.")} }
	destructive := find(change.Behaviour)
	destructive.Destructive = true
	reverted := destructive
	reverted.Released = gate.Release{Title: "1.7.0", At: day0}
	relaxed := find(change.Breaking)
	relaxed.Default = true
	order := gate.Subject{Subject: change.SubjectOrder, From: h("a"), To: h("b"), Kind: change.Moved, Class: change.None, Change: "ch_o"}
	shell := approved(find(change.Behaviour))
	shell[0].Shell = true
	noReason := approved(relaxed)
	noReason[0].Note = ""
	cases := []struct {
		name   string
		policy func(*gate.Policy)
		s      gate.Subject
		vs     []gate.Verdict
		after  time.Duration
		want   gate.Result
	}{
		{"fresh approval of a destructive tool", func(p *gate.Policy) { p.DestructiveDays = 30 }, destructive, approved(destructive), time.Hour, gate.Pass},
		{"old approval of a destructive tool", func(p *gate.Policy) { p.DestructiveDays = 30 }, destructive, approved(destructive), 31 * 24 * time.Hour, gate.Blocked},
		{"old approval of another tool", func(p *gate.Policy) { p.DestructiveDays = 30 }, find(change.Behaviour), approved(find(change.Behaviour)), 31 * 24 * time.Hour, gate.Pass},
		{"released long ago", func(p *gate.Policy) { p.DestructiveDays = 30 }, reverted, nil, 31 * 24 * time.Hour, gate.Blocked},
		{"released lately", func(p *gate.Policy) { p.DestructiveDays = 30 }, reverted, nil, time.Hour, gate.Pass},
		{"no token of the shell", func(p *gate.Policy) { p.NoShellTokens = true }, find(change.Behaviour), shell, 0, gate.Blocked},
		{"tokens of the shell", func(*gate.Policy) {}, find(change.Behaviour), shell, 0, gate.Pass},
		{"required with default, no reason", func(p *gate.Policy) { p.RequiredWithDefault = true }, relaxed, noReason, 0, gate.Pass},
		{"required with default, as ever", func(*gate.Policy) {}, relaxed, noReason, 0, gate.Blocked},
		{"order asks", func(p *gate.Policy) { p.Order = true; p.Lines = map[gate.Row]gate.Line{gate.RowSame: {Approvals: 1}} }, order, nil, 0, gate.Blocked},
		{"order does not ask", func(*gate.Policy) {}, order, nil, 0, gate.Pass},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			f := facts(gate.Team, c.s)
			f.Verdicts, f.Now = c.vs, day0.Add(c.after)
			if len(c.vs) > 0 {
				f.Now = c.vs[0].At.Add(c.after)
			}
			c.policy(&f.Policy)
			if a := gate.Evaluate(f).Answer; a.Result != c.want {
				t.Errorf("gate is %s (%s), want %s", a.Result, a.Why, c.want)
			}
		})
	}
}

// TestPatternsAreInOrder: which family wins may not depend on a map.
func TestPatternsAreInOrder(t *testing.T) {
	p := set(func(p *gate.Policy) { p.Families = map[string][]string{"b": {"x*"}, "a": {"y*", "x*"}} })
	want := []surface.Pattern{{Family: "a", Match: "y*"}, {Family: "a", Match: "x*"}, {Family: "b", Match: "x*"}}
	for range 20 {
		if diff := cmp.Diff(want, p.Patterns()); diff != "" {
			t.Fatal(diff)
		}
	}
}
