package gate

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/countersign/countersign/review/lint"
)

// Off is what a policy says of a rule whose findings don't count.
const Off lint.Severity = "off"

var severities = []lint.Severity{lint.Info, lint.Warn, lint.High, lint.Critical}

// Grade returns the severity at which a finding of a rule counts, [Off] for not at
// all. It is the one place where a policy overrides a rule: whoever counts or shows
// findings asks it.
func (p Policy) Grade(rule string, found lint.Severity) lint.Severity {
	as := found
	if name := p.ruledBy(rule); name != "" {
		as = p.Rules[name]
	}
	if least := p.Floors[rule]; least.Rank() > as.Rank() {
		as = least
	}
	return as
}

// ruledBy is the entry of the policy that speaks of a rule: its own, else that of its
// family, "" for none.
func (p Policy) ruledBy(rule string) string {
	if _, ok := p.Rules[rule]; ok {
		return rule
	}
	if family := familyOf(rule); p.Rules[family] != "" {
		return family
	}
	return ""
}

// familyOf is how a policy names all rules that begin as this one does.
func familyOf(rule string) string {
	family, _, _ := strings.Cut(rule, ".")
	return family + ".*"
}

// byPolicy is a severity as a sentence names it: with whose word it is.
func (p Policy) byPolicy(rule string, s lint.Severity) string {
	if p.ruledBy(rule) != "" {
		return string(s) + " (by policy)"
	}
	return string(s)
}

// checkRules says what is wrong with the overrides. A name that is no rule is
// refused, since one that is misspelt would turn nothing off and nobody would see it.
func (p Policy) checkRules() string {
	for _, name := range slices.Sorted(maps.Keys(p.Rules)) {
		word := p.Rules[name]
		switch {
		case !lint.KnownRule(name):
			return fmt.Sprintf("rules/%.80s: there is no such rule%s.", name, orNearest(name))
		case word != Off && word.Rank() < 0:
			return fmt.Sprintf("rules/%s: %.40q is no severity: use off, info, warn, high or critical.", name, string(word))
		}
	}
	return ""
}

func orNearest(name string) string {
	if near := lint.NearestRule(name); near != "" {
		return "; the nearest is " + near
	}
	return "; countersign rules lists them"
}

func (p Policy) ruleClauses() []Clause {
	var out []Clause
	for _, name := range slices.Sorted(maps.Keys(p.Rules)) {
		out = append(out, Clause{"rules/" + name, ruleSays(p.Rules[name])})
	}
	return out
}

func ruleSays(word lint.Severity) string {
	if word == Off {
		return "off: its findings are listed and don't count"
	}
	return "its findings count as " + string(word)
}

// loosensRules says where findings count for less than under an older policy,
// whichever of its severities a rule finds.
func (p Policy) loosensRules(old Policy) []string {
	if len(p.Rules)+len(old.Rules)+len(old.Floors) == 0 {
		return nil
	}
	var out []string
	for _, r := range lint.Rules() {
		less := slices.ContainsFunc(severities, func(s lint.Severity) bool {
			return s.Rank() <= r.Severity.Rank() && p.Grade(r.ID, s).Rank() < old.Grade(r.ID, s).Rank()
		})
		if !less {
			continue
		}
		if says := p.lessOf(r.ID, old); !slices.Contains(out, says) {
			out = append(out, says)
		}
	}
	return out
}

// lessOf says by which entry findings of a rule count for less.
func (p Policy) lessOf(rule string, old Policy) string {
	name := p.ruledBy(rule)
	switch {
	case name == "":
		if name = old.ruledBy(rule); name == "" {
			name = rule
		}
		return fmt.Sprintf("rules: %s: weaker cases may count for less, since its severity is what the rule finds.", name)
	case p.Rules[name] == Off:
		return fmt.Sprintf("rules: %s: off, its findings don't count.", name)
	}
	return fmt.Sprintf("rules: %s: its findings count as %s.", name, p.Rules[name])
}

// strictestRules takes in, rule by rule, what asks for more. Where one policy leaves a
// rule alone and the other has a word on it, it stays as found, but at least that.
func (p *Policy) strictestRules(old, now Policy) {
	p.Rules, p.Floors = nil, nil
	if len(old.Rules)+len(now.Rules)+len(old.Floors)+len(now.Floors) == 0 {
		return
	}
	p.Rules, p.Floors = map[string]lint.Severity{}, map[string]lint.Severity{}
	for _, r := range lint.Rules() {
		was, is := old.Rules[old.ruledBy(r.ID)], now.Rules[now.ruledBy(r.ID)]
		floor := graver(old.Floors[r.ID], now.Floors[r.ID])
		if was != "" && is != "" {
			p.Rules[r.ID] = graver(was, is)
		} else {
			floor = graver(floor, graver(was, is))
		}
		if floor.Rank() >= 0 {
			p.Floors[r.ID] = floor
		}
	}
}

// graver returns the graver of two severities; "off" and "" are none.
func graver(a, b lint.Severity) lint.Severity {
	if a.Rank() > b.Rank() {
		return a
	}
	return b
}
