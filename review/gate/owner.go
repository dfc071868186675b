package gate

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// ownerSet is a rule about owners with its people, by id.
type ownerSet struct {
	rule *OwnerRule
	ids  map[string]bool
}

// rulesFor returns the rules that are about a subject, where its line asks for an
// owner at all.
func (e *evaluation) rulesFor(s *Subject, line Line) []ownerSet {
	if !line.Owner || len(e.facts.Policy.Owners) == 0 {
		return nil
	}
	if e.rules == nil {
		e.rules = e.resolve()
	}
	var about []ownerSet
	for _, set := range e.rules {
		if set.rule.about(s) {
			about = append(about, set)
		}
	}
	return about
}

// resolve finds the people of every rule.
func (e *evaluation) resolve() []ownerSet {
	byAddress := map[string]string{}
	for _, p := range e.facts.People {
		byAddress[strings.ToLower(p.Email)] = p.ID
	}
	sets := make([]ownerSet, len(e.facts.Policy.Owners))
	for i := range e.facts.Policy.Owners {
		r := &e.facts.Policy.Owners[i]
		sets[i] = ownerSet{r, map[string]bool{}}
		for _, address := range e.facts.Policy.Members(*r) {
			if id := byAddress[address]; id != "" {
				sets[i].ids[id] = true
			}
		}
	}
	return sets
}

// unmet returns the rules that none of the counted approvals meets.
func unmet(rules []ownerSet, counted []*Verdict) []ownerSet {
	return slices.DeleteFunc(slices.Clone(rules), func(set ownerSet) bool {
		return slices.ContainsFunc(counted, func(v *Verdict) bool { return set.ids[v.Person] })
	})
}

// meets reports whether a verdict meets one of the rules.
func meets(v *Verdict, rules []ownerSet) bool {
	return slices.ContainsFunc(rules, func(set ownerSet) bool { return set.ids[v.Person] })
}

// ownersFirst puts the approvals that meet most rules first, so that of two people
// who count as one it is the owner who counts.
func ownersFirst(vs []*Verdict, rules []ownerSet) {
	met := func(v *Verdict) int {
		n := 0
		for _, set := range rules {
			if set.ids[v.Person] {
				n++
			}
		}
		return n
	}
	slices.SortStableFunc(vs, func(a, b *Verdict) int { return cmp.Compare(met(b), met(a)) })
}

// enough reports whether approvals are as many as the line asks for, and by every
// owner.
func (e *evaluation) enough(counted []*Verdict, line Line, rules []ownerSet) bool {
	return len(counted) >= line.Approvals && len(unmet(rules, counted)) == 0
}

// owners names who can still answer: owners where owners are missing, and says so.
func (e *evaluation) owners(line Line, rules []ownerSet, counted []*Verdict) ([]*Person, string) {
	lack := unmet(rules, counted)
	// Who counts as one person with somebody who answered adds nothing to the number, but
	// may be the owner that is missing.
	owner := func(p *Person) bool {
		return slices.ContainsFunc(lack, func(set ownerSet) bool { return set.ids[p.ID] })
	}
	who := e.deciders(line, counted)
	if len(counted) > 0 {
		who = slices.DeleteFunc(slices.Clone(who), func(p *Person) bool {
			return !owner(p) && slices.ContainsFunc(counted, func(c *Verdict) bool { return e.kin(c, &Verdict{Person: p.ID, At: e.facts.Now}) })
		})
	}
	if len(lack) == 0 {
		return who, ""
	}
	var names []string
	for _, set := range lack {
		names = append(names, set.rule.who())
	}
	why := " An owner is missing: " + strings.Join(names, "; ") + "."
	if line.Approvals-len(counted) > 1 {
		return who, why // beside the owner's, anybody's counts
	}
	who = slices.DeleteFunc(slices.Clone(who), func(p *Person) bool { return !owner(p) })
	return who, why
}

// expired reports whether an approval of a destructive tool is older than the
// policy lets it count.
func (e *evaluation) expired(s *Subject, at time.Time) bool {
	days := e.facts.Policy.DestructiveDays
	return days > 0 && s.Destructive && !e.facts.Now.Before(at.AddDate(0, 0, days))
}
