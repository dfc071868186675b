package gate

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Clause is one thing that a policy says, in words.
type Clause struct {
	Where string // the key of the YAML that says it, such as "lines/wording"
	Says  string // "" where an older or a newer policy says nothing of it
}

// Difference is a clause that two policies say differently.
type Difference struct {
	Where    string
	Old, New string // "" where one says nothing
}

var presetWords = map[Preset]string{JustMe: "just me", Team: "a team", NotOurServer: "it is not our server"}

// Clauses is all that a policy says, in a fixed order: who reviews, what each line
// asks, owners, teams and families, and what blocks. What is asked of nobody is left
// out.
func (p Policy) Clauses() []Clause {
	var out []Clause
	say := func(where, says string) {
		if says != "" {
			out = append(out, Clause{where, says})
		}
	}
	say("preset", presetWords[p.known()])
	for _, r := range Rows {
		if p.has(r) {
			say("lines/"+string(r), p.row(r).words())
		}
	}
	for _, c := range p.ownerClauses() {
		say(c.Where, c.Says)
	}
	for _, t := range slices.Sorted(maps.Keys(p.Teams)) {
		say("teams/"+t, strings.Join(p.Teams[t], ", "))
	}
	for _, f := range slices.Sorted(maps.Keys(p.Families)) {
		say("families/"+f, strings.Join(p.Families[f], ", "))
	}
	for _, c := range append(p.ruleClauses(), p.switches()...) {
		say(c.Where, c.Says)
	}
	return out
}

// ownerClauses says who owns what. Rules about the same things are one clause, since
// they have no other name to be told apart by.
func (p Policy) ownerClauses() []Clause {
	var out []Clause
	at := map[string]int{}
	for i := range p.Owners {
		r := &p.Owners[i]
		if n, ok := at[r.scope()]; ok {
			out[n].Says += "; and " + r.who()
			continue
		}
		at[r.scope()] = len(out)
		out = append(out, Clause{"owners of " + r.describe(), r.who()})
	}
	return out
}

// switches are the clauses that stand for a single value.
func (p Policy) switches() []Clause {
	on := func(set bool) string {
		if set {
			return "yes"
		}
		return ""
	}
	count := func(n int, format string) string {
		if n == 0 {
			return ""
		}
		return fmt.Sprintf(format, strconv.Itoa(n))
	}
	grave := ""
	if p.FindingSeverity != "" {
		grave = string(p.FindingSeverity) + " or graver block"
	}
	return []Clause{
		{"finding_severity", grave},
		{"all_threads_block", on(p.AllThreads)},
		{"order_asks", on(p.Order)},
		{"required_with_default", on(p.RequiredWithDefault)},
		{"destructive_expiry_days", count(p.DestructiveDays, "%s days")},
		{"require_second_factor", on(p.SecondFactor)},
		{"no_shell_tokens", on(p.NoShellTokens)},
		{"bound_deliveries_only", on(p.BoundDeliveries)},
		{WhereHosts, strings.Join(p.Limits.Hosts, ", ")},
		{"limits/ceiling", count(p.Limits.Ceiling, "%s tokens")},
		{"limits/growth", count(p.Limits.Growth, "%s tokens")},
	}
}

// words says what a line asks for.
func (l Line) words() string {
	if l.Block {
		return "nobody can approve it"
	}
	says := plural(l.Approvals, "approval", "approvals")
	if l.Owner {
		says += " with the owners among them"
	}
	if l.Reason {
		says += ", with a reason"
	}
	if l.Self {
		says += ", authors' own count"
	}
	if l.Rule {
		says = "passes by rule, else " + says
	}
	return says
}

// Differences lists what a policy says otherwise than an older one, in the order of
// [Policy.Clauses], and what it does not say any more where that stood.
func (p Policy) Differences(old Policy) []Difference {
	was, is := old.Clauses(), p.Clauses()
	before := map[string]string{}
	for _, c := range was {
		before[c.Where] = c.Says
	}
	var out []Difference
	now := map[string]bool{}
	for _, c := range is {
		now[c.Where] = true
		if before[c.Where] != c.Says {
			out = append(out, Difference{c.Where, before[c.Where], c.Says})
		}
	}
	for _, c := range was {
		if !now[c.Where] {
			out = append(out, Difference{c.Where, c.Says, ""})
		}
	}
	return out
}
