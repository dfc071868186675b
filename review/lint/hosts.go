package lint

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/countersign/countersign/review/cost"
	"github.com/countersign/countersign/review/host"
	"github.com/countersign/countersign/review/prose"
)

// The rules of this file say what becomes of a listing in the hosts that a team serves.
// What a host does is known by package host; here it is graded, put at its place, and
// said once for all hosts that do the same. Without named hosts nothing is looked at: a
// fault in a host that nobody uses is none.

// hosts are the profiles that somebody named, each once. Names are checked where they
// are read, so that an unknown one is nobody's here.
func (opt *Options) hosts() []*host.Profile {
	var all []*host.Profile
	seen := map[string]bool{}
	for _, id := range slices.Concat(opt.Hosts, opt.Context.Hosts) {
		if p, err := host.Lookup(id); err == nil && !seen[id] {
			seen[id] = true
			all = append(all, p)
		}
	}
	return all
}

// CheckHosts says which name stands for no profile of package host.
func CheckHosts(ids []string) error {
	for _, id := range ids {
		if _, err := host.Lookup(id); err != nil {
			return err
		}
	}
	return nil
}

// hostFact is one thing that hosts do to one place.
type hostFact struct {
	rule     string
	position int
	pointer  string
	why      host.Rule
}

// hostTold is what is said of a fact: by which hosts, and how grave it is in the worst.
type hostTold struct {
	severity Severity
	hosts    []string // ids
	names    []string
	reasons  []string
}

// inHosts reports what the named hosts do to the listing.
func (h *house) inHosts(profiles []*host.Profile) {
	if len(profiles) == 0 {
		return
	}
	name := cmp.Or(h.ctx.Server, "server")
	s := host.NewSurface([]host.Mounted{host.Mount(name, h.l)})
	listed := map[string]int{}
	for _, v := range h.views {
		listed[v.name]++
	}
	told := map[hostFact]*hostTold{}
	var order []hostFact
	for _, p := range profiles {
		for _, i := range s.Preflight(p).Issues {
			rule, severity := h.hostRule(p, &i, listed)
			if rule == "" {
				continue
			}
			fact := hostFact{rule, i.Position, i.Pointer, i.Rule}
			if told[fact] == nil {
				told[fact] = &hostTold{}
				order = append(order, fact)
			}
			told[fact].add(p, severity, i.Says())
		}
		h.titlesFolded(p)
	}
	for _, fact := range order {
		h.tell(fact, told[fact])
	}
}

func (t *hostTold) add(p *host.Profile, sev Severity, reason string) {
	if sev.Rank() > t.severity.Rank() {
		t.severity = sev
	}
	if !slices.Contains(t.hosts, p.ID) {
		t.hosts = append(t.hosts, p.ID)
		t.names = append(t.names, p.Name)
		t.reasons = append(t.reasons, reason)
	}
}

// tell reports a fact. Its fingerprint binds the hosts, so that what was accepted for one
// host is not accepted for the next.
func (h *house) tell(fact hostFact, told *hostTold) {
	message := fmt.Sprintf("%s: %s", strings.Join(told.names, ", "), told.reasons[0])
	binds := "\xff" + string(fact.why) + "\xff" + strings.Join(told.hosts, "\xff")
	if fact.position < 1 || fact.position > len(h.views) {
		h.add(fact.rule, told.severity, "", binds, message).Excerpt = ""
		return
	}
	v := h.views[fact.position-1]
	n := v.place(fact.pointer)
	f := h.at(v, fact.rule, told.severity, n, message)
	f.Fingerprint = fingerprint(catalogue().byID[fact.rule], v.name, f.Pointer, valueOf(n)+binds)
}

// place finds what a pointer of package host means, which knows the names of the protocol
// only.
func (v *view) place(pointer string) *node {
	if rest, ok := strings.CutPrefix(pointer, "/inputSchema"); ok && v.input != nil {
		return v.input.resolveAbove(rest)
	}
	return v.root.resolveAbove(pointer)
}

// resolveAbove finds the value behind a pointer, or what is left above it.
func (n *node) resolveAbove(pointer string) *node {
	for {
		if found := n.resolve(pointer); found != nil || pointer == "" {
			return found
		}
		pointer = pointer[:max(strings.LastIndexByte(pointer, '/'), 0)]
	}
}

// hostRule says which rule an issue is of, and how grave it is; "" when of none. What a
// host does to keywords for information only is the page of the host's business.
// Listed counts the tools by name.
func (h *house) hostRule(p *host.Profile, i *host.Issue, listed map[string]int) (string, Severity) {
	switch {
	case i.Rule == host.RuleCount:
		return "host.count-limit", Warn
	case i.Position < 1 || i.Position > len(h.views):
		return "", ""
	case i.Rule == host.RuleCollision && i.Level == host.Error && listed[i.Tool] == 1: // else it is a fault everywhere
		return "host.name-collision", High
	case i.Rule == host.RuleDescription && i.Pointer == "/description":
		return "desc.over-host-limit", h.cutSeverity(p, i)
	case !strings.HasPrefix(i.Pointer, "/inputSchema") || i.Level == host.Info && i.What != host.Refused:
		return "", ""
	case i.Level == host.Error:
		return "schema.unportable", High
	case i.Level == host.Warn:
		return "schema.unportable", Warn
	}
	return "schema.unportable", Info
}

// cutSeverity grades a text that is too long: by what stands behind the cut, and weaker
// where only reports of other versions speak of one.
func (h *house) cutSeverity(p *host.Profile, i *host.Issue) Severity {
	text := h.views[i.Position-1].root.text("description")
	_, behind := p.Cut(text)
	proven := behind != ""
	if !proven {
		behind = behindDoubt(p, text)
	}
	safety := hasAny(" "+lower(behind)+" ", cutWords...)
	switch {
	case proven && safety:
		return High
	case proven || safety || i.Level != host.Info:
		return Warn
	}
	return Info
}

// cutWords mark what a reader must not miss.
var cutWords = []string{" not ", "n't ", " never ", " only ", " unless ", "irreversib", "cannot be undone"}

// behindDoubt is what stands behind the smallest limit that reports speak of.
func behindDoubt(p *host.Profile, text string) string {
	limit := 0
	for _, d := range p.Doubts {
		if d.Limit > 0 && (limit == 0 || d.Limit < limit) {
			limit = d.Limit
		}
	}
	units := utf16.Encode([]rune(text))
	if limit == 0 || len(units) <= limit {
		return ""
	}
	return string(utf16.Decode(units[limit:]))
}

// titlesFolded reports titles that a host shows the model in place of a description.
func (h *house) titlesFolded(p *host.Profile) {
	if !p.Description.Title {
		return
	}
	for _, v := range h.views {
		title := v.root.get("title")
		if !title.is('"') || strings.TrimSpace(title.str) == "" || v.root.text("description") != "" {
			continue
		}
		h.at(v, "host.title-folded", Info, title, fmt.Sprintf("%s sends the title as the description of %q, which has none: the model reads a text that was written for people.", p.ID, short(v.name, 80)))
	}
}

// TokenCost is the rule for which tokens are counted. It is off unless somebody asks.
const TokenCost = "surface.token-cost"

// Growth of a listing that is worth a word.
const (
	grownShare  = 5  // a fifth of what it was
	grownTokens = 50 // and more than a sentence
)

// cost reports a listing that costs much more than before. Tokens are counted only when
// somebody asked for the rule: that takes longer than all other rules together.
func (d *delta) cost(p *policy) {
	if !p.looksFor(TokenCost) {
		return
	}
	before, after := cost.Of(d.old.l), cost.Of(d.new.l)
	grown := after.Tokens - before.Tokens
	if grown < grownTokens || grown*grownShare < before.Tokens {
		return
	}
	message := fmt.Sprintf("The listing costs %d tokens and did cost %d: %+d %%, in every request.", after.Tokens, before.Tokens, grown*100/max(before.Tokens, 1))
	if n := d.safer(); n > 0 {
		message += fmt.Sprintf(" In %d of the changed texts a sentence on safety was added, which is worth its price.", n)
	}
	d.listing("surface.token-cost", Info, fmt.Sprintf("%s %d %d", cost.Version, before.Tokens, after.Tokens), message)
}

// safer counts the tools whose description gained a sentence on safety.
func (d *delta) safer() int {
	n := 0
	for name, v := range d.byName {
		old := d.oldNames[name]
		if old == nil {
			continue
		}
		before, now := old.root.text("description"), v.root.text("description")
		if before != now && slices.ContainsFunc(prose.ContractDelta(before, now), func(c prose.Delta) bool {
			return c.Old == "" && c.Class == prose.Safety
		}) {
			n++
		}
	}
	return n
}
