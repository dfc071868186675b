package gate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Limits are what a policy asks of a listing as a whole, whoever approved it. The
// zero value asks nothing: a host or a budget blocks only where a team said so.
type Limits struct {
	Hosts   []string `json:"hosts,omitempty" yaml:"hosts,omitempty"`     // ids of hosts that may refuse nothing
	Ceiling int      `json:"ceiling,omitempty" yaml:"ceiling,omitempty"` // the most tokens; 0 is no limit
	Growth  int      `json:"growth,omitempty" yaml:"growth,omitempty"`   // the most tokens more than the base has; 0 is no limit
}

// WhereHosts is the place of the hosts in the clauses of a policy. What it says is
// their ids, with a comma and a space between them.
const WhereHosts = "limits/hosts"

// Asked reports whether there is anything to keep to.
func (l Limits) Asked() bool { return len(l.Hosts) > 0 || l.Ceiling > 0 || l.Growth > 0 }

// Measured is what the limits are held against, as estimated and predicted by the
// profiles of hosts. It holds what the policy asks for.
type Measured struct {
	Hosts  []HostFit
	Tokens int // of the candidate
	Base   int // tokens of the base; 0 without one
}

// HostFit says whether a host refuses something of the candidate, and what it makes
// of its tokens.
type HostFit struct {
	Host    string // id of its profile
	Name    string // as people call it
	Refuses int    // things that it refuses
	First   string // the first of them, one sentence
	Tokens  int    // of what it sends of the candidate; 0 where the policy bounds no tokens, and of a provider
	Base    int    // of what it sends of the base; 0 without one
}

func (f HostFit) name() string { return cmp.Or(f.Name, f.Host) }

// limits adds one requirement for each host that has to take the listing, and one
// for its tokens. Nobody can approve them away: another listing, another policy or
// an override is the way out.
func (e *evaluation) limits() {
	l := e.facts.Policy.Limits
	if e.facts.ReleasedAs != "" {
		return
	}
	for _, id := range l.Hosts {
		i := slices.IndexFunc(e.facts.Measured.Hosts, func(f HostFit) bool { return f.Host == id })
		if i < 0 {
			e.limit("preflight:"+id, false, "No profile of "+id+" is known, so nobody can tell what it refuses. Take it out of the policy, or update Countersign.")
			continue
		}
		f := e.facts.Measured.Hosts[i]
		if f.Refuses > 0 {
			first := ": "
			if f.Refuses > 1 {
				first = ". The first: "
			}
			e.limit("preflight:"+id, false, fmt.Sprint(f.name(), " refuses ", plural(f.Refuses, "thing", "things"), first, sentence(f.First)))
			continue
		}
		e.limit("preflight:"+id, true, f.name()+" refuses nothing of it.")
	}
	if l.Ceiling > 0 || l.Growth > 0 {
		why, kept := e.tokens(l)
		e.limit("tokens", kept, why)
	}
}

func (e *evaluation) limit(id string, kept bool, why string) {
	state := Satisfied
	if !kept {
		state = Open
		e.tally.limits++
	}
	e.add(Requirement{ID: id, State: state, Why: why})
}

// tokens holds the estimates against ceiling and growth, of the listing itself and of
// what the hosts that the policy names send of it, and says every limit that is not
// kept. A first listing grows from nothing, which is no growth.
func (e *evaluation) tokens(l Limits) (why string, kept bool) {
	m := e.facts.Measured
	over := e.over(l, "It costs", m.Tokens, m.Base)
	for _, id := range l.Hosts {
		for _, f := range m.Hosts {
			if f.Host == id {
				over = append(over, e.over(l, "As "+f.name()+" sends it, it costs", f.Tokens, f.Base)...)
			}
		}
	}
	if len(over) == 0 {
		return fmt.Sprintf("It costs about %d tokens, which is within the limits.", m.Tokens), true
	}
	return strings.Join(over, " "), false
}

// over names the limits that an estimate does not keep, one sentence each.
func (e *evaluation) over(l Limits, costs string, tokens, base int) []string {
	var out []string
	if l.Ceiling > 0 && tokens > l.Ceiling {
		out = append(out, fmt.Sprintf("%s about %d tokens, and the ceiling is %d.", costs, tokens, l.Ceiling))
	}
	if grown := tokens - base; l.Growth > 0 && base > 0 && grown > l.Growth {
		out = append(out, fmt.Sprintf("%s about %d tokens more than %s, and may grow by %d.", costs, grown, e.facts.Base, l.Growth))
	}
	return out
}
