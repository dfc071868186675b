package lint

import (
	"fmt"
	"strings"

	"github.com/agnivade/levenshtein"

	"github.com/countersign/countersign/review/surface"
)

// Waiver is an accepted finding: who accepted what, why, and until when. It is bound to
// the rule, the place, and the text that stood there: other text is another finding.
type Waiver struct {
	Fingerprint string

	// For people, since the fingerprint says it all. Where they are given and are not
	// those of the finding, the waiver covers nothing: it was written for another.
	Rule    string
	Tool    string
	Pointer string

	Reason  string
	By      string
	Expires string // last day, YYYY-MM-DD; "" is for ever

	// Kind tells an accepted risk from a finding that nobody could check.
	Kind WaiverKind
}

// WaiverKind says what the person who waived means.
type WaiverKind string

// The kinds of waivers.
const (
	AcceptedRisk WaiverKind = "accepted-risk"
	CouldNotTell WaiverKind = "could-not-check"
)

// Valid says what is missing in a waiver.
func (w Waiver) Valid() error {
	if _, err := surface.ParseHash(w.Fingerprint); err != nil {
		return fmt.Errorf("fingerprint %.80q: want the one that the finding shows, sha256: and 64 hex digits", w.Fingerprint)
	}
	if strings.TrimSpace(w.Reason) == "" {
		return fmt.Errorf("waiver of %s has no reason: say why this is accepted", w.Fingerprint)
	}
	if w.Kind != AcceptedRisk && w.Kind != CouldNotTell {
		return fmt.Errorf("kind %q: want %s or %s", w.Kind, AcceptedRisk, CouldNotTell)
	}
	if w.Expires != "" && !isDay(w.Expires) {
		return fmt.Errorf("expires %q: want a day such as 2026-12-31", w.Expires)
	}
	if w.Rule != "" && catalogue().byID[w.Rule] == nil {
		return fmt.Errorf("unknown rule %q: countersign rules lists them", w.Rule)
	}
	return nil
}

// expired reports whether its last day is over; without a today nothing is.
func (w *Waiver) expired(today string) bool {
	return w.Expires != "" && today != "" && w.Expires < today
}

// names reports whether the waiver says nothing of the finding that is not so.
func (w *Waiver) names(f *Finding, p Place) bool {
	return NamesRule(w.Rule, f) && (w.Tool == "" || w.Tool == p.Tool) && (w.Pointer == "" || w.Pointer == p.Pointer)
}

// NamesRule reports whether a rule, "" for any, is the one of a finding, or stands for
// what is told as one with it.
func NamesRule(rule string, f *Finding) bool {
	return rule == "" || rule == f.Rule || rule == f.Of || rule == regressionRule && guarded(f.Rule)
}

func isDay(s string) bool {
	if len(s) != 10 || s[4] != '-' || s[7] != '-' {
		return false
	}
	for i := range len(s) {
		if i != 4 && i != 7 && (s[i] < '0' || s[i] > '9') {
			return false
		}
	}
	return s[5:7] >= "01" && s[5:7] <= "12" && s[8:] >= "01" && s[8:] <= "31"
}

// policy is Options, prepared.
type policy struct {
	off, on  []string
	severity map[string]Severity
	waivers  map[string]*Waiver
	today    string
}

func newPolicy(opt Options) *policy {
	p := &policy{off: opt.Off, on: opt.On, severity: opt.Severity, waivers: map[string]*Waiver{}, today: opt.Today}
	for i := range opt.Waivers {
		w := &opt.Waivers[i]
		if !w.expired(p.today) {
			p.waivers[w.Fingerprint] = w
		}
	}
	return p
}

// apply reports whether the finding is shown at all, and sets its severity and waiver.
func (p *policy) apply(f *Finding) bool {
	if !p.looksFor(f.Rule) {
		return false
	}
	if s, ok := p.severity[f.Rule]; ok && s.Rank() >= 0 {
		f.Severity = s
	}
	if w := p.waivers[f.Fingerprint]; w != nil && w.names(f, f.Place) {
		f.Waiver = w
	}
	return true
}

// looksFor reports whether a rule is on.
func (p *policy) looksFor(rule string) bool {
	if matchesRule(p.off, rule) {
		return false
	}
	r := catalogue().byID[rule]
	return r == nil || !r.Off || matchesRule(p.on, rule)
}

// matchesRule reports whether a rule is named, or its family as "desc.*".
func matchesRule(list []string, rule string) bool {
	for _, name := range list {
		if name == rule || strings.HasSuffix(name, ".*") && strings.HasPrefix(rule, name[:len(name)-1]) {
			return true
		}
	}
	return false
}

// NearestRule is the rule, or the family as "desc.*", that a name is most likely a
// slip of the pen for: one change in three letters at most, "" for none.
func NearestRule(name string) string {
	const longest = 80 // of what can be a slip: rules are shorter by half
	if len(name) > longest {
		return ""
	}
	best, least := "", len(name)/3+1
	try := func(known string) {
		if d := levenshtein.ComputeDistance(name, known); d < least {
			best, least = known, d
		}
	}
	for i := range catalogue().rules {
		id := catalogue().rules[i].ID
		family, _, _ := strings.Cut(id, ".")
		try(id)
		try(family + ".*")
	}
	return best
}

// KnownRule reports whether a name stands for a rule, or for a family as "desc.*".
func KnownRule(name string) bool {
	for i := range catalogue().rules {
		if matchesRule([]string{name}, catalogue().rules[i].ID) {
			return true
		}
	}
	return false
}
