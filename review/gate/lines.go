package gate

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/countersign/countersign/review/change"
	"github.com/countersign/countersign/review/host"
	"github.com/countersign/countersign/review/lint"
	"github.com/countersign/countersign/review/surface"
)

// OwnerRule names who owns some of the tools. Each rule that is about a tool asks
// for an approval by one of its own people, so a further rule never asks for less.
// An empty list of families and names is about every subject, an empty list of
// classes about every change.
type OwnerRule struct {
	People   []string       `json:"people,omitempty" yaml:"people,omitempty"` // addresses
	Teams    []string       `json:"teams,omitempty" yaml:"teams,omitempty"`
	Families []string       `json:"families,omitempty" yaml:"families,omitempty"`
	Names    []string       `json:"names,omitempty" yaml:"names,omitempty"` // patterns with *
	Classes  []change.Class `json:"classes,omitempty" yaml:"classes,omitempty"`
}

// scope names what a rule is about, so that rules of two policies can be matched.
func (r *OwnerRule) scope() string {
	sorted := func(list []string) string { return strings.Join(slices.Sorted(slices.Values(list)), ",") }
	var classes []string
	for _, c := range r.Classes {
		classes = append(classes, string(c))
	}
	return sorted(r.Families) + "|" + sorted(r.Names) + "|" + sorted(classes)
}

// describe names what a rule is about for people.
func (r *OwnerRule) describe() string {
	var parts []string
	for _, list := range [][]string{r.Families, r.Names} {
		parts = append(parts, list...)
	}
	for _, c := range r.Classes {
		parts = append(parts, string(c))
	}
	if len(parts) == 0 {
		return "everything"
	}
	return strings.Join(parts, ", ")
}

// who is how a requirement names a rule's people.
func (r *OwnerRule) who() string {
	names := slices.Clone(r.People)
	for _, t := range r.Teams {
		names = append(names, "team "+t)
	}
	return join(names, "or")
}

// Owns says in words what the rules that name a team are about; none where no rule does.
func (p Policy) Owns(team string) []string {
	var out []string
	for i := range p.Owners {
		if r := &p.Owners[i]; slices.Contains(r.Teams, team) && !slices.Contains(out, r.describe()) {
			out = append(out, r.describe())
		}
	}
	return out
}

// Members returns the addresses of a rule's people, teams resolved, folded and
// sorted.
func (p Policy) Members(r OwnerRule) []string {
	set := map[string]bool{}
	for _, a := range r.People {
		set[strings.ToLower(a)] = true
	}
	for _, t := range r.Teams {
		for _, a := range p.Teams[t] {
			set[strings.ToLower(a)] = true
		}
	}
	return slices.Sorted(maps.Keys(set))
}

// Patterns returns the families that the policy names, by name.
func (p Policy) Patterns() []surface.Pattern {
	var out []surface.Pattern
	for _, family := range slices.Sorted(maps.Keys(p.Families)) {
		for _, match := range p.Families[family] {
			out = append(out, surface.Pattern{Family: family, Match: match})
		}
	}
	return out
}

// AsksFamilies reports whether a rule needs to know the families of tools.
func (p Policy) AsksFamilies() bool {
	return slices.ContainsFunc(p.Owners, func(r OwnerRule) bool { return len(r.Families) > 0 })
}

// about reports whether a rule is about a subject. A renamed tool is the matter of who
// owns its old name, and of who owns the new one.
func (r *OwnerRule) about(s *Subject) bool {
	if len(r.Classes) > 0 && !slices.Contains(r.Classes, s.Class) {
		return false
	}
	if len(r.Families) == 0 && len(r.Names) == 0 {
		return true
	}
	if s.Subject != change.SubjectTool {
		return false
	}
	return r.covers(s.Name, s.Family) || s.FromName != "" && r.covers(s.FromName, s.FromFamily)
}

func (r *OwnerRule) covers(name, family string) bool {
	return slices.Contains(r.Families, family) ||
		slices.ContainsFunc(r.Names, func(pattern string) bool { return Match(pattern, name) })
}

// Match reports whether a pattern, in which * stands for any run of characters,
// covers a name as a whole. The cost is the product of the lengths at most.
func Match(pattern, name string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return pattern == name
	}
	if !strings.HasPrefix(name, parts[0]) {
		return false
	}
	name = name[len(parts[0]):]
	for _, part := range parts[1 : len(parts)-1] {
		i := strings.Index(name, part)
		if i < 0 {
			return false
		}
		name = name[i+len(part):]
	}
	return strings.HasSuffix(name, parts[len(parts)-1])
}

// Check says what is wrong with a policy in itself, "" when nothing is.
func (p Policy) Check() string {
	if _, ok := presets[p.Preset]; !ok {
		return fmt.Sprintf("The preset %.40q is unknown: use team, solo or external.", p.Preset)
	}
	for _, r := range slices.Sorted(maps.Keys(p.Lines)) {
		if why := checkLine(r, p.Lines[r]); why != "" {
			return why
		}
	}
	for i, r := range p.Owners {
		if why := p.checkRule(r); why != "" {
			return fmt.Sprintf("owners/%d: %s", i, why)
		}
	}
	for _, family := range slices.Sorted(maps.Keys(p.Families)) {
		if family == "" || len(p.Families[family]) == 0 {
			return fmt.Sprintf("families/%.40q: give it a name and at least one pattern.", family)
		}
	}
	if p.DestructiveDays < 0 || p.DestructiveDays > 3650 {
		return "destructive_expiry_days: use 0 (never) to 3650."
	}
	if p.FindingSeverity != "" && p.FindingSeverity.Rank() < 0 {
		return fmt.Sprintf("finding_severity: there is no severity %.40q: use info, warn, high or critical, or leave it out.", string(p.FindingSeverity))
	}
	return p.checkRules()
}

const mostApprovals = 10

func checkLine(r Row, l Line) string {
	switch {
	case !slices.Contains(Rows, r):
		return fmt.Sprintf("lines/%.40q: there is no such line; use %s.", string(r), rowNames())
	case l.Rule && r != RowSame && r != RowWording:
		return fmt.Sprintf("lines/%s: no rule can answer for this; only equal, text and compatible changes can pass by rule.", r)
	case l.Block && r != RowHidden && r != RowFinding:
		return fmt.Sprintf("lines/%s: only hidden characters and findings can be blocked for good.", r)
	case l.Block && l.Approvals == 0: // nobody is asked
	case l.Approvals < 1 || l.Approvals > mostApprovals:
		return fmt.Sprintf("lines/%s: ask for 1 to %d approvals.", r, mostApprovals)
	}
	return ""
}

func rowNames() string {
	names := make([]string, len(Rows))
	for i, r := range Rows {
		names[i] = string(r)
	}
	return strings.Join(names, ", ")
}

func (p Policy) checkRule(r OwnerRule) string {
	for _, t := range r.Teams {
		if len(p.Teams[t]) == 0 {
			return fmt.Sprintf("the team %.40q has no members here: name them under teams.", t)
		}
	}
	for _, c := range r.Classes {
		if c.Rank() < 0 {
			return fmt.Sprintf("the class %.40q is unknown.", string(c))
		}
	}
	if len(r.People) == 0 && len(r.Teams) == 0 {
		return "name people or teams."
	}
	return ""
}

// Unsatisfiable says what nobody present could answer, "" when everything can be.
func (p Policy) Unsatisfiable(people []Person) string {
	var present []string
	byAddress := map[string]bool{}
	for _, who := range people {
		if who.Decides {
			present = append(present, who.Label)
			byAddress[strings.ToLower(who.Email)] = true
		}
	}
	for _, r := range Rows {
		if l := p.row(r); p.has(r) && !l.Block && l.Approvals > len(present) {
			return fmt.Sprintf("Nobody could satisfy this: %s asks for %s, and %s may decide here (%s). Add %s first.", r, plural(l.Approvals, "approval", "approvals"),
				plural(len(present), "person", "people"), and(present), plural(l.Approvals-len(present), "reviewer", "reviewers"))
		}
	}
	for i, r := range p.Owners {
		if !slices.ContainsFunc(p.Members(r), func(a string) bool { return byAddress[a] }) {
			return fmt.Sprintf("Nobody could satisfy this: owners/%d names %s, none of whom may decide here. Make %s a reviewer first, or name somebody else.", i, r.who(), join(p.Members(r), "or"))
		}
	}
	return ""
}

// Loosens says, line by line, where the policy asks for less than an older one.
// None means that whatever passes now passed then.
func (p Policy) Loosens(old Policy) []string {
	var out []string
	say := func(looser bool, format string, args ...any) {
		if looser {
			out = append(out, fmt.Sprintf(format, args...))
		}
	}
	for _, r := range Rows {
		a, b := old.row(r), p.row(r)
		if old.has(r) && !p.has(r) {
			out = append(out, fmt.Sprintf("%s: no more is asked than for the class of the change.", r))
			continue
		}
		if a.Block && !b.Block {
			out = append(out, fmt.Sprintf("%s: can be approved now.", r))
			continue
		}
		if b.Block {
			continue
		}
		say(b.Approvals < a.Approvals, "%s: %d instead of %s.", r, b.Approvals, plural(a.Approvals, "approval", "approvals"))
		say(a.Owner && !b.Owner, "%s: no owner is asked for.", r)
		say(a.Reason && !b.Reason, "%s: no reason is asked for.", r)
		say(!a.Self && b.Self, "%s: authors' own approvals count.", r)
		say(!a.Rule && b.Rule, "%s: passes by rule.", r)
	}
	out = append(out, p.loosensOwners(old)...)
	out = append(out, p.Limits.loosens(old.Limits)...)
	out = append(out, p.loosensRules(old)...)
	say(old.AllThreads && !p.AllThreads, "threads: only those that were opened to block do.")
	say(old.Order && !p.Order, "order: not asked for.")
	say(!old.RequiredWithDefault && p.RequiredWithDefault, "required_with_default: asks what behaviour asks.")
	say(old.DestructiveDays > 0 && (p.DestructiveDays == 0 || p.DestructiveDays > old.DestructiveDays), "destructive_expiry_days: approvals of destructive tools count for longer.")
	say(milder(old.FindingSeverity, p.FindingSeverity), "finding_severity: fewer findings block.")
	say(old.SecondFactor && !p.SecondFactor, "second_factor: nobody who decides needs one.")
	say(old.NoShellTokens && !p.NoShellTokens, "shell_tokens: answers by tokens made on the command line count.")
	say(old.BoundDeliveries && !p.BoundDeliveries, "bound_deliveries: the query of a push is not bound by its id.")
	return out
}

// loosensOwners compares rules by what they are about. A rule that is gone, or that
// names further people, asks for less.
func (p Policy) loosensOwners(old Policy) []string {
	now := map[string][]OwnerRule{}
	for _, r := range p.Owners {
		now[r.scope()] = append(now[r.scope()], r)
	}
	var out []string
	for _, r := range old.Owners {
		was := old.Members(r)
		kept := slices.ContainsFunc(now[r.scope()], func(n OwnerRule) bool {
			return !slices.ContainsFunc(p.Members(n), func(a string) bool { return !slices.Contains(was, a) })
		})
		if !kept {
			out = append(out, fmt.Sprintf("owners: %s are not the only owners of %s any more.", r.who(), r.describe()))
		}
	}
	if slices.ContainsFunc(old.Owners, func(r OwnerRule) bool { return len(r.Families) > 0 }) && !maps.EqualFunc(old.Families, p.Families, slices.Equal) {
		out = append(out, "families: owners by family may be asked about other tools.")
	}
	return out
}

// Strictest asks for whatever either of two policies does. It has the version and
// the families of the second.
func Strictest(old, now Policy) Policy {
	out := now
	out.Lines = map[Row]Line{}
	for _, r := range Rows {
		if old.has(r) || now.has(r) {
			out.Lines[r] = stricter(old.row(r), now.row(r))
		}
	}
	out.Owners = slices.Clone(now.Owners)
	for _, r := range old.Owners {
		r.People, r.Teams = old.Members(r), nil // teams of then
		out.Owners = append(out.Owners, r)
	}
	out.Limits = old.Limits.strictest(now.Limits)
	out.strictestRules(old, now)
	out.AllThreads = old.AllThreads || now.AllThreads
	out.Order = old.Order || now.Order
	out.RequiredWithDefault = old.RequiredWithDefault && now.RequiredWithDefault
	if d := old.DestructiveDays; d > 0 && (now.DestructiveDays == 0 || d < now.DestructiveDays) {
		out.DestructiveDays = d
	}
	if milder(old.FindingSeverity, now.FindingSeverity) {
		out.FindingSeverity = old.FindingSeverity
	}
	out.NoShellTokens = old.NoShellTokens || now.NoShellTokens
	out.SecondFactor = old.SecondFactor || now.SecondFactor
	out.BoundDeliveries = old.BoundDeliveries || now.BoundDeliveries
	return out
}

// milder reports whether fewer findings block at a severity, "" for none, than at an
// older one.
func milder(old, now lint.Severity) bool {
	return old != "" && (now == "" || now.Rank() > old.Rank())
}

func stricter(a, b Line) Line {
	return Line{
		Approvals: max(a.Approvals, b.Approvals), Owner: a.Owner || b.Owner, Reason: a.Reason || b.Reason,
		Self: a.Self && b.Self, Rule: a.Rule && b.Rule, Block: a.Block || b.Block,
	}
}

// InForce is a policy with the time from which it was in force.
type InForce struct {
	Policy Policy
	At     time.Time
}

// Effective is the policy for a release that was opened at a time: the latest, but
// where a later one asks for less, what was asked when the release was opened, or
// since, still is. History is every policy that ever was in force, in any order.
func Effective(history []InForce, opened time.Time) Policy {
	history = slices.SortedFunc(slices.Values(history), func(a, b InForce) int { return cmp.Compare(a.Policy.Version, b.Policy.Version) })
	var p Policy
	for i, h := range history {
		switch {
		case i == 0 || !h.At.After(opened) || len(h.Policy.Loosens(p)) == 0:
			p = h.Policy
		default:
			p = Strictest(p, h.Policy)
		}
	}
	return p
}

// loosens says where limits allow more than older ones.
func (l Limits) loosens(old Limits) []string {
	var out []string
	for _, h := range old.Hosts {
		if !slices.Contains(l.Hosts, h) {
			out = append(out, fmt.Sprintf("limits: %s may refuse the listing.", host.NameOf(h)))
		}
	}
	if higher(old.Ceiling, l.Ceiling) {
		out = append(out, "limits: the listing may have more tokens.")
	}
	if higher(old.Growth, l.Growth) {
		out = append(out, "limits: the listing may grow by more tokens.")
	}
	return out
}

// higher reports whether a bound, 0 for none, allows more than an older one.
func higher(old, now int) bool { return old > 0 && (now == 0 || now > old) }

func (l Limits) strictest(other Limits) Limits {
	out := Limits{Hosts: slices.Clone(other.Hosts), Ceiling: other.Ceiling, Growth: other.Growth}
	for _, h := range l.Hosts {
		if !slices.Contains(out.Hosts, h) {
			out.Hosts = append(out.Hosts, h)
		}
	}
	slices.Sort(out.Hosts)
	if higher(l.Ceiling, out.Ceiling) {
		out.Ceiling = l.Ceiling
	}
	if higher(l.Growth, out.Growth) {
		out.Growth = l.Growth
	}
	return out
}
