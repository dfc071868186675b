package reviewtest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// This file is a small model of section 5 of DESIGN and of the approval rules of
// SECURITY, written from their text. It shares no code and no idea of storage with
// the service: it knows no digests, reports or transactions, only who said what
// about which definition, and answers by reading all of that again each time. So
// it can't repeat a mistake of the service's.
//
// Where the texts leave something to the service (is this a rename or a removal
// with an addition?) the model takes the view that lets more pass, and says that
// it is not sure.

// definition is one of the tools that a history's listings are made of. The zero
// value is no tool.
type definition struct {
	name     string
	wording  int  // says the same in other words
	never    bool // forbids something: behaviour
	required bool // an argument is required: breaking, when it comes
	gentle   bool // hints that it destroys nothing: behaviour
	hidden   bool // an invisible character
	spelled  bool // a hint written out at its default: equal by rule
}

// raw is the definition as a server sends it.
func (d definition) raw() string {
	text := []string{"Works on one record of ", "Works on a single record of ", "Handles one record of "}[d.wording] + d.name + "."
	if d.never {
		text += " Never call it twice."
	}
	if d.hidden {
		text += "\u200b"
	}
	var hints []string
	if d.gentle {
		hints = append(hints, `"destructiveHint":false`)
	}
	if d.spelled {
		hints = append(hints, `"openWorldHint":true`)
	}
	def := tool(d.name, text)
	if d.required {
		def = strings.Replace(def, `"properties"`, `"required":["id"],"properties"`, 1)
	}
	if hints != nil {
		def = strings.TrimSuffix(def, "}") + `,"annotations":{` + strings.Join(hints, ",") + "}}"
	}
	return def
}

// brief names the definition in a story.
func (d definition) brief() string {
	out := d.name + fmt.Sprint(d.wording)
	for mark, on := range map[string]bool{"never": d.never, "required": d.required, "gentle": d.gentle, "hidden": d.hidden, "spelled": d.spelled} {
		if on {
			out += "+" + mark[:1]
		}
	}
	return out
}

// step is what happened to one subject. Without from the tool is new, without to
// it is gone.
type step struct{ from, to definition }

// row is what a policy tells apart.
type row int

const (
	rowEqual row = iota
	rowWording
	rowBehaviour
	rowBreaking
	rowHidden
)

// row classes a step, section 4.
func (s step) row() row {
	a, b := s.from, s.to
	none := definition{}
	switch {
	case b == none:
		return rowBreaking
	case b.hidden && !a.hidden:
		return rowHidden
	case a == none:
		return rowBehaviour
	case s.breaks():
		return rowBreaking
	case a.never != b.never || a.gentle != b.gentle:
		return rowBehaviour
	case a.wording != b.wording || a.required != b.required || a.hidden != b.hidden:
		return rowWording
	}
	return rowEqual
}

// breaks reports whether calls that were valid fail now.
func (s step) breaks() bool {
	none := definition{}
	return s.from != none && (s.to == none || !s.from.required && s.to.required)
}

// rules are a policy as the model knows it.
type rules struct {
	lines      [5]ask // by row
	allThreads bool
	betaOwner  string // who must approve tools of the family beta, "" for anybody
	at         time.Time
}

// ask is what a policy asks for one row.
type ask struct {
	approvals int
	owner     bool
	reason    bool
	rule      bool
}

// teamRules is the preset of a team.
func teamRules() rules {
	return rules{lines: [5]ask{
		rowEqual: {approvals: 1, rule: true}, rowWording: {approvals: 1}, rowBehaviour: {approvals: 1, owner: true},
		rowBreaking: {approvals: 1, owner: true, reason: true}, rowHidden: {approvals: 1, owner: true, reason: true},
	}}
}

// brief names the policy in a story.
func (p rules) brief() string {
	out := fmt.Sprintf("all threads %t, owner of beta %q", p.allThreads, p.betaOwner)
	for i, name := range []string{"equal", "wording", "behaviour", "breaking", "hidden"} {
		out += fmt.Sprintf(", %s %+v", name, p.lines[i])
	}
	return out
}

// looser reports whether a policy asks for less anywhere than an older one.
func (p rules) looser(old rules) bool {
	for i, l := range p.lines {
		o := old.lines[i]
		if l.approvals < o.approvals || o.owner && !l.owner || o.reason && !l.reason || l.rule && !o.rule {
			return true
		}
	}
	return old.allThreads && !p.allThreads || old.betaOwner != "" && p.betaOwner != old.betaOwner
}

// with asks for whatever either of two policies does.
func (p rules) with(o rules) rules {
	for i, l := range p.lines {
		m := o.lines[i]
		p.lines[i] = ask{max(l.approvals, m.approvals), l.owner || m.owner, l.reason || m.reason, l.rule && m.rule}
	}
	p.allThreads = p.allThreads || o.allThreads
	if p.betaOwner == "" {
		p.betaOwner = o.betaOwner
	}
	return p
}

// team is the model of the people and of the policy of a server.
type team struct {
	policies    []rules // that came into force, oldest first
	maintainers map[string]bool
	gone        map[string]bool
	inviter     map[string]string
	since       map[string]time.Time
}

// asked is the policy that a release opened at a time is judged by: the latest,
// but what was asked when it was opened, or since, still is.
func (t *team) asked(opened time.Time) rules {
	var p rules
	for i, next := range t.policies {
		if i == 0 || !next.at.After(opened) {
			p = next
			continue
		}
		p = next.with(p)
	}
	return p
}

// kinTime is how long an inviter and their guest count once.
const kinTime = 30 * 24 * time.Hour

// saying is one recorded answer of a person.
type saying struct {
	who     string
	step    step
	edit    string   // "" for the whole change
	edits   []string // all that the change has
	kind    string   // approve, reject, withdraw
	note    string
	own     bool // of who wrote or pushed the release
	at      time.Time
	usedUp  bool
	back    []back // where what it lets go is back
	in      *candidate
	revoked bool
	lifted  *saying // the withdrawal by somebody else that took it back
}

// back says that a version had a tool again, and from when on.
type back struct {
	in *candidate
	at time.Time
}

// ledger is the model of one profile.
type ledger struct {
	team      *team
	profile   string
	reviews   []*candidate
	released  []*candidate // in order, those withdrawn since left out
	out       []*candidate // what went out, by override too, in order
	ever      bool         // something was released once, but for overrides
	said      []*saying
	baseline  map[definition]bool
	based     bool
	threads   map[string]thread
	brought   map[step]map[string]bool // who brought bytes (from is none) or a removal
	overrides []override
	aliases   map[string]string // old name to new
	unsure    bool              // answers were revoked: only what blocks counts
}

// thread is an open conversation.
type thread struct {
	blocks bool
	at     time.Time
}

// candidate is the model of a release.
type candidate struct {
	id        string
	version   string
	opened    time.Time
	pushed    time.Time // when its head came, or came back
	head      []definition
	authors   map[string]bool // who wrote or pushed a revision
	released  bool
	withdrawn bool
	ref       bool       // pushed without a version
	follows   *candidate // the named predecessor, nil for none
	confirmed bool       // by a maintainer
	aside     bool       // released as a hotfix of an older version
	alarmed   time.Time  // when answers that it stood on were taken back, until somebody looks
}

func (c *candidate) open() bool { return !c.released && !c.withdrawn }

// override lets one head pass for a while.
type override struct {
	of     *candidate
	head   []definition
	covers []string
	policy int // how many policies had been in force
	at     time.Time
	until  time.Time
}

func newLedger(t *team, profile string) *ledger {
	return &ledger{
		team: t, profile: profile, baseline: map[definition]bool{}, threads: map[string]thread{},
		brought: map[step]map[string]bool{}, aliases: map[string]string{},
	}
}

func named(head []definition, name string) definition {
	if i := slices.IndexFunc(head, func(d definition) bool { return d.name == name }); i >= 0 {
		return head[i]
	}
	return definition{}
}

// last is what the profile released last, hotfixes of older versions left out, nil for
// nothing.
func (l *ledger) last() *candidate {
	for _, c := range slices.Backward(l.released) {
		if !c.aside {
			return c
		}
	}
	return nil
}

// baseOf is what a candidate is compared with: its predecessor, where a maintainer
// confirmed that and it stands, else what was released last.
func (l *ledger) baseOf(c *candidate) *candidate {
	if c.confirmed && slices.Contains(l.released, c.follows) {
		return c.follows
	}
	return l.last()
}

// headOf is what a candidate lists, nothing where there is none.
func headOf(c *candidate) []definition {
	if c == nil {
		return nil
	}
	return c.head
}

// steps lists what a candidate changes against its gate base, and what is gone.
func (l *ledger) steps(c *candidate) (changed, removed []step) {
	head, base := c.head, headOf(l.baseOf(c))
	for _, d := range head {
		if was := named(base, d.name); was != d {
			changed = append(changed, step{was, d})
		}
	}
	for _, was := range base {
		if named(head, was.name) == (definition{}) {
			removed = append(removed, step{from: was})
		}
	}
	return changed, removed
}

// ambiguous reports whether what is gone may be what is new, renamed.
func ambiguous(changed, removed []step) bool {
	return len(removed) > 0 && slices.ContainsFunc(changed, func(s step) bool { return s.from == definition{} })
}

// push notes a revision by an author, "" for nobody: who brings bytes stays their
// author, and the approved removal of a tool that is back is void in that version.
func (l *ledger) push(c *candidate, head []definition, author string, at time.Time) {
	had := func(name string) bool { return named(c.head, name) != definition{} }
	for _, s := range l.said {
		removal := s.step.to == definition{} && s.kind == "approve"
		if name := s.step.from.name; removal && c.head != nil && !had(name) && named(head, name) != (definition{}) {
			s.back = append(s.back, back{c, at})
		}
	}
	if c.pushed.IsZero() || !slices.Equal(c.head, head) || l.overtaker(c) != nil {
		c.pushed = at
	}
	c.head = head
	if author != "" {
		c.authors[author] = true
		l.bring(c, author)
	}
}

// bring makes somebody the author of what a candidate changes against its base.
func (l *ledger) bring(c *candidate, author string) {
	changed, removed := l.steps(c)
	bring := func(s step) {
		if l.brought[s] == nil {
			l.brought[s] = map[string]bool{}
		}
		l.brought[s][author] = true
	}
	for _, s := range changed {
		bring(step{to: s.to})
	}
	if !ambiguous(changed, removed) {
		for _, s := range removed {
			bring(s)
		}
	}
}

// over reports whether the approval of a removal is over for a release: where the tool
// was back, and in versions opened after it was back where the approval was given.
func (s *saying) over(c *candidate) bool {
	return s.usedUp || slices.ContainsFunc(s.back, func(b back) bool {
		return b.in == c || b.in == s.in && !c.opened.Before(b.at)
	})
}

// authors is who wrote or pushed the release or brought any of its changes before.
func (l *ledger) authors(c *candidate) map[string]bool {
	who := maps.Clone(c.authors)
	changed, removed := l.steps(c)
	for _, s := range changed {
		maps.Copy(who, l.brought[step{to: s.to}])
	}
	if !ambiguous(changed, removed) {
		for _, s := range removed {
			maps.Copy(who, l.brought[s])
		}
	}
	return who
}

// release uses the approvals of removals up, and ends those of tools that it has. A
// hotfix of an older version has what a later one took away, and brings nothing back.
func (l *ledger) release(c *candidate) {
	_, removed := l.steps(c)
	l.goesOut(c)
	for _, s := range l.said {
		listed := !c.aside && s.step.to == definition{} && named(c.head, s.step.from.name) != definition{}
		if s.kind == "approve" && (listed || slices.Contains(removed, s.step)) {
			s.usedUp = true
		}
	}
	l.released = append(l.released, c)
	l.ever = true
}

// goesOut notes that a version was released, whether anybody vouches for it or not.
func (l *ledger) goesOut(c *candidate) {
	base := l.baseOf(c)
	c.aside = base != nil && l.last() != nil && base != l.last()
	c.released = true
	l.out = append(l.out, c)
}

// overtaker is what went out and was pushed after an open version, nil for nothing. Of
// what vouches and what went out last the one that was pushed later counts.
func (l *ledger) overtaker(c *candidate) *candidate {
	last := l.last()
	for _, o := range slices.Backward(l.out) {
		if !o.aside && !o.withdrawn {
			if last == nil || o.pushed.After(last.pushed) {
				last = o
			}
			break
		}
	}
	if !c.open() || last == nil || !last.pushed.After(c.pushed) {
		return nil
	}
	return last
}

// opinion is what one person's answers to bytes, or to a removal, come to.
type opinion struct {
	yes     bool
	why     bool // with a reason
	own     bool
	at      time.Time
	no      map[string]time.Time // rejected edits, "*" for the whole
	steps   map[definition]*stepOpinion
	noFresh time.Time // of the latest rejection
}

// stepOpinion is what they come to for exactly one step.
type stepOpinion struct {
	yes, why, own bool
	at            time.Time
	edits         map[string]bool // approved ones
}

// opinions reads all answers to bytes, or to the removal of some, again, as they count
// in a release. An approval that is over is as good as taken back.
func (l *ledger) opinions(c *candidate, of step) map[string]*opinion {
	out := map[string]*opinion{}
	for _, s := range l.said {
		same := s.step.to == of.to && (of.to != definition{} || s.step.from == of.from)
		if !same || s.revoked {
			continue
		}
		if s.over(c) {
			gone := *s
			gone.kind, s = "withdraw", &gone
		}
		if out[s.who] == nil {
			out[s.who] = &opinion{no: map[string]time.Time{}, steps: map[definition]*stepOpinion{}}
		}
		out[s.who].hear(s)
	}
	return out
}

// hear takes one more answer in. An answer to the whole is one to every edit, and a
// change is approved when all its edits are.
func (o *opinion) hear(s *saying) {
	so := o.steps[s.step.from]
	if so == nil {
		so = &stepOpinion{edits: map[string]bool{}}
		o.steps[s.step.from] = so
	}
	if s.edit != "" && o.yes { // who approved the bytes approved every edit
		for _, e := range s.edits {
			so.edits[e] = true
		}
	}
	approved := strings.TrimSpace(s.note) != ""
	switch {
	case s.kind == "approve" && s.edit != "":
		so.edits[s.edit] = true
		delete(o.no, s.edit)
		if slices.ContainsFunc(s.edits, func(e string) bool { return !so.edits[e] }) {
			so.why = so.why || approved
			return
		}
		o.approve(so, s, approved || so.why)
	case s.kind == "approve":
		for _, e := range s.edits {
			so.edits[e] = true
		}
		o.approve(so, s, approved)
	case s.edit != "":
		o.yes, so.yes = false, false
		delete(so.edits, s.edit)
		delete(o.no, s.edit)
		if s.kind == "reject" {
			o.reject(s.edit, s.at)
		}
	default:
		o.yes, so.yes, so.why, so.edits, o.no = false, false, false, map[string]bool{}, map[string]time.Time{}
		if s.kind == "reject" {
			o.reject("*", s.at)
		}
	}
}

func (o *opinion) approve(so *stepOpinion, s *saying, why bool) {
	o.yes, o.why, o.own, o.at, o.no = true, why, s.own, s.at, map[string]time.Time{}
	so.yes, so.why, so.own, so.at = true, why, s.own, s.at
}

func (o *opinion) reject(edit string, at time.Time) { o.no[edit], o.noFresh = at, at }

// rejected reports whether anybody's rejection of bytes, or of a removal, is
// active, and when the latest was given.
func (l *ledger) rejected(c *candidate, of step) (at time.Time, yes bool) {
	for _, o := range l.opinions(c, of) {
		if len(o.no) > 0 {
			yes = true
			if o.noFresh.After(at) {
				at = o.noFresh
			}
		}
	}
	return at, yes
}

// approvers lists who approved bytes, or with exact the very step.
func (l *ledger) approvers(c *candidate, of step, exact, reason bool) map[string]time.Time {
	authors, out := l.authors(c), map[string]time.Time{}
	for who, o := range l.opinions(c, of) {
		yes, why, own, at := o.yes, o.why, o.own, o.at
		if so := o.steps[of.from]; exact {
			yes = so != nil && so.yes
			if yes {
				why, own, at = so.why, so.own, so.at
			}
		}
		if yes && !own && !authors[who] && (why || !reason) {
			out[who] = at
		}
	}
	return out
}

// enough reports whether approvals are as many persons' as a line asks for, the
// owner's among them.
func (l *ledger) enough(who map[string]time.Time, line ask, p rules, name string) bool {
	if owner := p.betaOwner; owner != "" && line.owner && strings.HasPrefix(name, "beta_") {
		if _, ok := who[owner]; !ok {
			return false
		}
	}
	n := len(who)
	for guest, at := range who {
		if _, both := who[l.team.inviter[guest]]; both && at.Before(l.team.since[guest].Add(kinTime)) {
			n--
		}
	}
	return n >= line.approvals
}

// vouched reports whether bytes stand without a new answer: accepted with the
// baseline, released and not withdrawn, or equal by rule to bytes that stand.
func (l *ledger) vouched(c *candidate, s step, line ask) bool {
	if l.baseline[s.to] {
		return true
	}
	if slices.ContainsFunc(l.released, func(o *candidate) bool { return slices.Contains(o.head, s.to) }) {
		return true
	}
	_, rejected := l.rejected(c, step{to: s.from})
	return line.rule && s.from != (definition{}) && !s.to.hidden && !rejected
}

// blocker is one reason why a release must not pass.
type blocker struct {
	id  string // as requirements are named
	why string
	at  time.Time // since when, where that matters to an override
}

// blockers lists what stands against a release. sure is false when the model lets
// pass what the service may rightly see otherwise.
func (l *ledger) blockers(c *candidate) (against []blocker, sure bool) {
	p := l.team.asked(c.opened)
	if c.withdrawn {
		return []blocker{{id: "withdrawn", why: "it is withdrawn"}}, true
	}
	if o := l.overtaker(c); o != nil {
		against = append(against, blocker{id: "superseded", why: o.version + " overtook it"})
	}
	changed, removed := l.steps(c)
	for _, d := range c.head {
		if at, yes := l.rejected(c, step{to: d}); yes {
			against = append(against, blocker{"approval:" + d.name, d.name + " is rejected", at})
		}
	}
	stands := c
	if base := l.baseOf(c); !c.released && base != nil {
		stands = base
	}
	if !stands.alarmed.IsZero() {
		against = append(against, blocker{"alarm:" + stands.version, "nobody answers for " + stands.version + " any more", stands.alarmed})
	}
	if c.released {
		return against, false
	}
	for _, s := range changed {
		if why := l.undecided(c, s, p); why != "" {
			against = append(against, blocker{id: "approval:" + s.to.name, why: why})
		}
	}
	for _, s := range removed {
		if b, yes := l.stillThere(c, s, changed, p); yes {
			against = append(against, b)
		}
	}
	for id, t := range l.threads {
		if t.blocks || p.allThreads {
			against = append(against, blocker{"thread:" + id, "a thread blocks", t.at})
		}
	}
	return against, !l.unsure && !ambiguous(changed, removed)
}

// undecided says what a changed tool lacks, "" for nothing.
func (l *ledger) undecided(c *candidate, s step, p rules) string {
	line := p.lines[s.row()]
	exact := s.breaks()
	content := l.vouched(c, s, line) || l.enough(l.approvers(c, s, false, line.reason && !exact), line, p, s.to.name)
	switch {
	case !content:
		return s.to.name + " was not approved by enough people who may"
	case exact && !l.enough(l.approvers(c, s, true, line.reason), line, p, s.to.name) && l.aliases[s.from.name] == "":
		return "the step of " + s.to.name + " was not approved by enough people who may"
	}
	return ""
}

// stillThere says why a tool must not be gone. Where a new tool may be the old one
// by another name, an approval of that step, or an alias, is as good.
func (l *ledger) stillThere(c *candidate, s step, changed []step, p rules) (blocker, bool) {
	for _, other := range changed {
		if other.from != (definition{}) {
			continue
		}
		renamed := step{s.from, other.to}
		if l.aliases[s.from.name] == other.to.name || len(l.approvers(c, renamed, true, false)) > 0 {
			return blocker{}, false
		}
	}
	id := "removal:" + s.from.name
	if at, yes := l.rejected(c, s); yes {
		return blocker{id, "the removal of " + s.from.name + " is rejected", at}, true
	}
	line := p.lines[rowBreaking]
	if !l.enough(l.approvers(c, s, true, line.reason), line, p, s.from.name) {
		return blocker{id: id, why: "the removal of " + s.from.name + " was not approved by enough people who may"}, true
	}
	return blocker{}, false
}

// overridden reports whether something that stands against a release is covered by
// an override of exactly this head, under this policy, that came after it.
func (l *ledger) overridden(c *candidate, b blocker, now time.Time) bool {
	return slices.ContainsFunc(l.overrides, func(o override) bool {
		return o.of == c && slices.Equal(o.head, c.head) && o.policy == len(l.team.policies) && now.Before(o.until) &&
			slices.Contains(o.covers, b.id) && !b.at.After(o.at)
	})
}

// mayPass says why a release must not pass now, "" when it may.
func (l *ledger) mayPass(c *candidate, now time.Time) (why string, sure bool) {
	against, sure := l.blockers(c)
	for _, b := range against {
		if !l.overridden(c, b, now) {
			return b.why, sure
		}
	}
	return "", sure
}
