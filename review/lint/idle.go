package lint

// IdleWaiver is a waiver that covers no finding of a listing, with the reason. Such a
// waiver is said and not passed over: somebody believes that it holds.
type IdleWaiver struct {
	Waiver
	Why Idle
}

// Idle says why a waiver covers nothing.
type Idle string

// The reasons.
const (
	IdleExpired   Idle = "expired"       // its last day is over, and the finding counts again
	IdleGone      Idle = "expired-stale" // its last day is over, and so is the finding
	IdleStale     Idle = "stale"         // no such finding: the text or the rule changed, or it was mended
	IdleMisplaced Idle = "misplaced"     // the finding has another rule, tool or pointer than the waiver says
	IdleRuleOff   Idle = "rule-off"      // nobody looks for it
)

// Sentence says it for people.
func (i Idle) Sentence() string {
	switch i {
	case IdleExpired:
		return "has expired: the finding counts again"
	case IdleGone:
		return "has expired, and the finding is gone: take it out"
	case IdleMisplaced:
		return "names another rule, tool or pointer than the finding has: correct it"
	case IdleRuleOff:
		return "is of a rule that is off: take it out"
	}
	return "covers nothing: the text or the rule changed, or the fault is mended"
}

// IdleWaivers returns those of opt that cover none of what [Listing] or [Change] found
// under it, in their order.
func IdleWaivers(found []Finding, opt Options) []IdleWaiver {
	stands, covered := map[string]Place{}, map[string]bool{}
	of := map[string]*Finding{}
	for i := range found {
		f := &found[i]
		places := f.Places
		if places == nil {
			places = []Place{f.Place}
		}
		for _, p := range places {
			stands[p.Fingerprint] = p
			if f.Of == "" {
				of[p.Fingerprint] = f
			}
		}
		covered[f.Fingerprint] = covered[f.Fingerprint] || f.Waiver != nil
	}
	p := newPolicy(opt)
	var idle []IdleWaiver
	for _, w := range opt.Waivers {
		if covered[w.Fingerprint] {
			continue
		}
		place, there := stands[w.Fingerprint]
		why := IdleStale
		switch {
		case w.expired(p.today) && there:
			why = IdleExpired
		case w.expired(p.today):
			why = IdleGone
		case there && of[w.Fingerprint] != nil && !w.names(of[w.Fingerprint], place):
			why = IdleMisplaced
		case w.Rule != "" && !p.looksFor(w.Rule):
			why = IdleRuleOff
		}
		idle = append(idle, IdleWaiver{w, why})
	}
	return idle
}
