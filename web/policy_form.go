package web

import (
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/change"
	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/host"
	"github.com/countersign/countersign/review/lint"
	"github.com/countersign/countersign/views"
)

// A policy is shown and read as the values of one form, so that what was refused is
// shown again as it was typed. [policyFields] writes them, [readPolicyForm] reads
// them, and [presentPolicyForm] draws them.

// askRow is what the form says of a kind of change.
type askRow struct {
	row         gate.Row
	title, hint string
	ticks       []string
}

var askRows = []askRow{
	{gate.RowSame, "Equal by rule", "nothing that a model reads or a caller sends differs", []string{"owner", "reason", "self", "rule"}},
	{gate.RowWording, "Wording", "text and compatible", []string{"owner", "reason", "self", "rule"}},
	{gate.RowBehaviour, "Behaviour", "behaviour, undecided and new tools", []string{"owner", "reason", "self"}},
	{gate.RowBreaking, "Breaking", "callers break, or something is gone", []string{"owner", "reason", "self"}},
	{gate.RowHidden, "Hidden characters", "came in", []string{"owner", "reason", "self", "block"}},
	{gate.RowFinding, "Findings", "high or critical ones came in; empty: as the class asks", []string{"owner", "reason", "self", "block"}},
}

var tickWords = map[string]string{
	"owner": "by owners too", "reason": "with a reason", "self": "authors' own count", "rule": "passes by rule", "block": "nobody can approve",
}

// policySwitch is a line of the policy that is on or off.
type policySwitch struct {
	name, title, text string
	field             func(*gate.Policy) *bool
}

var policySwitches = []policySwitch{
	{"all_threads_block", "Every open thread blocks", "Else only those that were opened to block.", func(p *gate.Policy) *bool { return &p.AllThreads }},
	{"order_asks", "A new order of the list needs an approval", "Order matters to the cache of a prompt and to hosts that cut lists.", func(p *gate.Policy) *bool { return &p.Order }},
	{"required_with_default", "A property that became required and has a default asks what behaviour asks", "Its class stays breaking.", func(p *gate.Policy) *bool { return &p.RequiredWithDefault }},
	{"require_second_factor", "Whoever decides needs a second factor", "Without one they can look, not decide.", func(p *gate.Policy) *bool { return &p.SecondFactor }},
	{"no_shell_tokens", "Answers by tokens that were made on the command line don't count", "", func(p *gate.Policy) *bool { return &p.NoShellTokens }},
	{"bound_deliveries_only", "Signed pushes must bind path and query", "By the ending of their webhook-id.", func(p *gate.Policy) *bool { return &p.BoundDeliveries }},
}

var severityWords = []struct {
	severity lint.Severity
	text     string
}{
	{"", "None blocks by itself"}, {lint.Critical, "Critical"}, {lint.High, "High"}, {lint.Warn, "Warnings"}, {lint.Info, "Info: every finding"},
}

// listed is how a list of names is written in one field.
func listed(names []string) string { return strings.Join(names, ", ") }

// namesIn reads a list of names, by commas.
func namesIn(text string) []string {
	var out []string
	for n := range strings.SplitSeq(text, ",") {
		if n = strings.TrimSpace(n); n != "" {
			out = append(out, n)
		}
	}
	return out
}

// policyFields writes a policy as the values of the form.
func policyFields(p gate.Policy) url.Values {
	v := url.Values{"preset": {string(p.Preset)}}
	for _, a := range askRows {
		lineFields(v, p, a)
	}
	for i, r := range p.Owners {
		ownerFields(v, i+1, r)
	}
	v.Set("owners", strconv.Itoa(len(p.Owners)))
	v.Set("teams", groups(p.Teams))
	v.Set("families", groups(p.Families))
	for _, s := range policySwitches {
		if *s.field(&p) {
			v.Set(s.name, "yes")
		}
	}
	v.Set("finding_severity", string(p.FindingSeverity))
	v.Set("rules", ruleLines(p.Rules))
	v["host"] = p.Limits.Hosts
	for name, n := range map[string]int{"days": p.DestructiveDays, "ceiling": p.Limits.Ceiling, "growth": p.Limits.Growth} {
		if n > 0 {
			v.Set(name, strconv.Itoa(n))
		}
	}
	return v
}

func lineFields(v url.Values, p gate.Policy, a askRow) {
	l, has := p.Row(a.row)
	if !has {
		return
	}
	row := string(a.row)
	if l.Approvals > 0 {
		v.Set(row+".approvals", strconv.Itoa(l.Approvals))
	}
	for name, on := range map[string]bool{"owner": l.Owner, "reason": l.Reason, "self": l.Self, "rule": l.Rule, "block": l.Block} {
		if on {
			v.Set(row+"."+name, "yes")
		}
	}
}

func ownerFields(v url.Values, n int, r gate.OwnerRule) {
	at := "owner." + strconv.Itoa(n) + "."
	v.Set(at+"people", listed(r.People))
	v.Set(at+"teams", listed(r.Teams))
	v.Set(at+"families", listed(r.Families))
	v.Set(at+"names", listed(r.Names))
	for _, c := range r.Classes {
		v.Add(at+"class", string(c))
	}
}

// groups writes lists by name, one a line.
func groups(m map[string][]string) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(m)) {
		b.WriteString(name + ": " + listed(m[name]) + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// readGroups reads what groups writes.
func readGroups(what, text string) (map[string][]string, error) {
	var m map[string][]string
	for line := range strings.SplitSeq(written(text), "\n") {
		if strings.TrimSpace(line) == "" {
			continue
		}
		name, list, ok := strings.Cut(line, ":")
		name = strings.TrimSpace(name)
		if !ok || name == "" {
			return nil, review.Errorf(review.Invalid, "%s: %.80q is no line such as name: one, two.", what, line)
		}
		if _, again := m[name]; again {
			return nil, review.Errorf(review.Invalid, "%s: %.80q is there twice. Put both into one line.", what, name)
		}
		if m == nil {
			m = map[string][]string{}
		}
		m[name] = namesIn(list)
	}
	return m, nil
}

// readPolicyForm is the policy that the values of a form mean. A line that stands as
// in old follows the preset when that is another now.
func readPolicyForm(v url.Values, old gate.Policy) (gate.Policy, error) {
	p := gate.Policy{Preset: gate.Preset(v.Get("preset")), Lines: map[gate.Row]gate.Line{}, FindingSeverity: lint.Severity(v.Get("finding_severity"))}
	for _, a := range askRows {
		if err := readLine(v, a.row, old, &p); err != nil {
			return p, err
		}
	}
	for n := 1; n <= ruleCount(v)+1; n++ {
		if r, ok := readRule(v, n); ok {
			p.Owners = append(p.Owners, r)
		}
	}
	for _, s := range policySwitches {
		*s.field(&p) = v.Get(s.name) == "yes"
	}
	p.Limits.Hosts = v["host"]
	var err error
	read := func(field string, into *int) {
		if err == nil {
			*into, err = readNumber(field, v.Get(field))
		}
	}
	read("days", &p.DestructiveDays)
	read("ceiling", &p.Limits.Ceiling)
	read("growth", &p.Limits.Growth)
	if err != nil {
		return p, err
	}
	if p.Teams, err = readGroups("Teams", v.Get("teams")); err != nil {
		return p, err
	}
	if p.Families, err = readGroups("Families", v.Get("families")); err != nil {
		return p, err
	}
	p.Rules, err = readRuleLines(v.Get("rules"))
	return p.Spare(), err
}

// ruleLines writes overrides of rules, one a line.
func ruleLines(rules map[string]lint.Severity) string {
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(rules)) {
		lines = append(lines, name+": "+string(rules[name]))
	}
	return strings.Join(lines, "\n")
}

// readRuleLines reads what ruleLines writes.
func readRuleLines(text string) (map[string]lint.Severity, error) {
	words, err := readGroups("Rules", text)
	if len(words) == 0 {
		return nil, err
	}
	rules := map[string]lint.Severity{}
	for name, list := range words {
		if len(list) != 1 {
			return nil, review.Errorf(review.Invalid, "Rules: %.80q wants one of off, info, warn, high and critical.", name)
		}
		rules[name] = lint.Severity(list[0])
	}
	return rules, nil
}

func readLine(v url.Values, row gate.Row, old gate.Policy, p *gate.Policy) error {
	at := string(row) + "."
	on := func(name string) bool { return v.Get(at+name) == "yes" }
	l := gate.Line{Owner: on("owner"), Reason: on("reason"), Self: on("self"), Rule: on("rule"), Block: on("block")}
	text := strings.TrimSpace(v.Get(at + "approvals"))
	var err error
	if l.Approvals, err = readNumber(at+"approvals", text); err != nil {
		return err
	}
	was, had := old.Row(row)
	own, mine := old.Lines[row]
	switch {
	case had && l == was && !mine: // as the preset was
	case had && l == was:
		p.Lines[row] = own
	case !had && l == (gate.Line{}): // nothing more than the class
	case l.Block && l.Approvals == 0:
		p.Lines[row] = gate.Line{Block: true, Approvals: 1}
	default:
		p.Lines[row] = l
	}
	return nil
}

func readNumber(field, text string) (int, error) {
	if text = strings.TrimSpace(text); text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0, review.Errorf(review.Invalid, "%s: %.40q is no number from 0.", field, text)
	}
	return n, nil
}

// maxRules bounds the rules about owners that one form holds.
const maxRules = 200

func ruleCount(v url.Values) int {
	n, _ := strconv.Atoi(v.Get("owners"))
	return max(0, min(n, maxRules))
}

// readRule reads one rule; false for one that is removed, or the empty one.
func readRule(v url.Values, n int) (gate.OwnerRule, bool) {
	at := "owner." + strconv.Itoa(n) + "."
	r := gate.OwnerRule{
		People: namesIn(v.Get(at + "people")), Teams: namesIn(v.Get(at + "teams")),
		Families: namesIn(v.Get(at + "families")), Names: namesIn(v.Get(at + "names")),
	}
	for _, c := range v[at+"class"] {
		r.Classes = append(r.Classes, change.Class(c))
	}
	empty := len(r.People)+len(r.Teams)+len(r.Families)+len(r.Names)+len(r.Classes) == 0
	return r, v.Get(at+"remove") != "yes" && (!empty || n <= ruleCount(v))
}

// withRule makes room for one more rule.
func withRule(v url.Values) url.Values {
	v.Set("owners", strconv.Itoa(min(ruleCount(v)+1, maxRules)))
	return v
}

// ownedClasses are what a rule about owners can be restricted to, strongest first.
var ownedClasses = []change.Class{change.Breaking, change.Undecided, change.Behaviour, change.Text, change.Compatible, change.None}

// presentPolicyForm draws the values of a form.
func presentPolicyForm(v url.Values) *views.PolicyForm {
	f := &views.PolicyForm{
		Presets: presetChoices(gate.Preset(v.Get("preset"))), OwnerCount: strconv.Itoa(ruleCount(v)),
		Teams: v.Get("teams"), Families: v.Get("families"), Rules: v.Get("rules"), Days: v.Get("days"), Ceiling: v.Get("ceiling"), Growth: v.Get("growth"),
	}
	for _, a := range askRows {
		f.Asks = append(f.Asks, presentAsk(v, a))
	}
	for n := 1; n <= ruleCount(v)+1; n++ {
		f.Owners = append(f.Owners, presentRule(v, n))
	}
	for _, s := range severityWords {
		f.Severities = append(f.Severities, views.Place{Value: string(s.severity), Label: s.text, Chosen: string(s.severity) == v.Get("finding_severity")})
	}
	for _, s := range policySwitches {
		f.Switches = append(f.Switches, views.Choice{Value: s.name, Title: s.title, Text: s.text, Checked: v.Get(s.name) == "yes"})
	}
	for _, h := range host.Profiles() {
		f.Hosts = append(f.Hosts, views.Choice{Value: h.ID, Title: h.Name, Checked: slices.Contains(v["host"], h.ID)})
	}
	return f
}

func presentAsk(v url.Values, a askRow) views.AskFields {
	f := views.AskFields{Row: string(a.row), Title: a.title, Hint: a.hint, Approvals: v.Get(string(a.row) + ".approvals")}
	for _, t := range a.ticks {
		f.Ticks = append(f.Ticks, views.Choice{Value: t, Title: tickWords[t], Checked: v.Get(string(a.row)+"."+t) == "yes"})
	}
	return f
}

func presentRule(v url.Values, n int) views.OwnerFields {
	at := "owner." + strconv.Itoa(n) + "."
	f := views.OwnerFields{
		N: strconv.Itoa(n), People: v.Get(at + "people"), Teams: v.Get(at + "teams"), Families: v.Get(at + "families"), Names: v.Get(at + "names"),
		Remove: v.Get(at+"remove") == "yes", New: n > ruleCount(v),
	}
	for _, c := range ownedClasses {
		f.Classes = append(f.Classes, views.Choice{Value: string(c), Title: string(c), Checked: slices.Contains(v[at+"class"], string(c))})
	}
	return f
}
