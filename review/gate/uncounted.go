package gate

import (
	"fmt"
	"slices"
	"time"
)

// uncounted says of the approvals that are there and don't count why they don't: nobody
// is to see an approval, a gate that is blocked, and no reason. "" for none.
func (e *evaluation) uncounted(s *Subject, os *opinions, line Line, reason bool, counted []*Verdict) string {
	var whys []string
	who := map[string][]string{}
	say := func(why, label string) {
		if who[why] == nil {
			whys = append(whys, why)
		}
		who[why] = append(who[why], label)
	}
	if os != nil {
		for _, id := range os.people {
			if why, label := e.uncountedWhy(s, os.byPerson[id], line, reason, counted); why != "" {
				say(why, label)
			}
		}
	}
	out := ""
	for _, why := range whys {
		out += fmt.Sprintf(" The approval by %s does not count: %s.", and(who[why]), why)
	}
	return out + e.lapsed(s)
}

// uncountedWhy says why what a person approved does not count, "" when it does or when
// they approved nothing.
func (e *evaluation) uncountedWhy(s *Subject, o *opinion, line Line, reason bool, counted []*Verdict) (why, label string) {
	v := o.approval()
	switch {
	case v == nil && o.ended != nil:
		return endedWhy(s, o.ended.Ended), o.ended.Label
	case v == nil:
		return partly(o)
	}
	if slices.Contains(counted, v) {
		return "", ""
	}
	kin := func(c *Verdict) bool { return e.kin(c, v) }
	switch i := slices.IndexFunc(counted, kin); {
	case e.own(v) && !line.Self:
		why = "who wrote or pushed it can't approve it alone"
	case e.expired(s, v.At):
		why = fmt.Sprintf("it is older than the %s that this policy lets approvals of destructive tools count", plural(e.facts.Policy.DestructiveDays, "day", "days"))
	case v.Shell && e.facts.Policy.NoShellTokens:
		why = "it came by a token that was made on the command line, which this policy leaves out"
	case reason && blank(v.Note):
		why = "it gives no reason, and this policy asks for one"
	case i >= 0:
		why = fmt.Sprintf("one of them and %s invited the other less than 30 days before, so they count as one person", counted[i].Label)
	}
	return why, v.Label
}

// partly says that a person approved edits of a change and not all of them.
func partly(o *opinion) (why, label string) {
	if o.whole != nil && o.whole.Kind == Reject {
		return "", ""
	}
	for _, v := range o.edits {
		switch {
		case v == nil:
		case v.Kind == Reject:
			return "", ""
		case v.Kind == Approve:
			why, label = "it is of some of the edits, and not of all", v.Label
		}
	}
	return why, label
}

// lapsed says of a starting point or an earlier release, which vouched for the bytes,
// that it does so no more.
func (e *evaluation) lapsed(s *Subject) string {
	past := func(what string, at time.Time) string {
		return fmt.Sprintf(" %s vouched for it until %s: this policy lets that count for %s for a destructive tool, so it needs another look.",
			what, at.AddDate(0, 0, e.facts.Policy.DestructiveDays).Format(time.DateOnly), plural(e.facts.Policy.DestructiveDays, "day", "days"))
	}
	switch {
	case s.removal():
	case s.Released.Title != "" && e.expired(s, s.Released.At):
		return past("Release "+show(s.Released.Title), s.Released.At)
	case s.Baseline && e.expired(s, e.facts.Baseline.At):
		return past("The starting point", e.facts.Baseline.At)
	}
	return ""
}
