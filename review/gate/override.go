package gate

import (
	"fmt"
	"slices"
	"time"
)

// Override lets a listing pass for a while without the answers that it lacks. It is
// bound to the listing's digest (the caller hands over those of the candidate
// only), to the requirements that were open when it was given, and to the version
// of the policy that asked for them. It approves nothing.
type Override struct {
	ID           string
	By           string // label
	ByID         string
	Reason       string
	At, Until    time.Time
	Policy       int // version
	Requirements []string
}

// MaxOverride is how long an override can hold.
const MaxOverride = 7 * 24 * time.Hour

// DefaultOverride is how long it holds where nobody says: until somebody is back at work.
const DefaultOverride = 24 * time.Hour

// MinReason is the least length of its reason in characters.
const MinReason = 20

// holds reports whether the override counts now.
func (o *Override) holds(f *Facts) bool {
	return o.Policy == f.Policy.Version && f.Now.Before(o.Until) && !f.Now.Before(o.At)
}

// override marks the open requirements that an override covers. What came up after
// it was given is not covered, even under the same id: a rejection of a tool that
// only lacked approvals then is news. A withdrawn release stays withdrawn, what was overtaken
// stays so, and what can't be judged stays undecided.
func (e *evaluation) override() {
	for i := range e.facts.Overrides {
		o := &e.facts.Overrides[i]
		if !o.holds(e.facts) {
			continue
		}
		used := false
		for j := range e.requirements {
			r := &e.requirements[j]
			if r.State != Open || !slices.Contains(o.Requirements, r.ID) || e.since[r.ID].After(o.At) || takesPush(r.ID) {
				continue
			}
			used = true
			r.State = Overridden
			r.Why = fmt.Sprintf("Overridden by %s until %s: %s Not met: %s", o.By, day(o.Until), sentence(o.Reason), r.Why)
		}
		if used {
			e.overrides = append(e.overrides, *o)
		}
	}
}

// stillOpen counts the requirements that nothing answers.
func (e *evaluation) stillOpen() (open, overridden int) {
	for _, r := range e.requirements {
		switch r.State {
		case Open:
			open++
		case Overridden:
			overridden++
		}
	}
	return open, overridden
}

// overriddenWhy says that a pass is none that anybody approved.
func (e *evaluation) overriddenWhy(n int) string {
	o := e.overrides[0]
	return fmt.Sprintf("Passes by override only, until %s: %s set aside by %s. %s Nothing was approved by it.",
		day(o.Until), plural(n, "requirement is", "requirements are"), o.By, sentence(o.Reason))
}

func day(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") }

// What nothing but another push can answer.
const (
	withdrawnID  = "withdrawn"
	supersededID = "superseded"
	outdatedID   = "outdated"
)

func takesPush(id string) bool { return id == withdrawnID || id == supersededID || id == outdatedID }
