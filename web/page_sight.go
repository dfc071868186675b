package web

import (
	"slices"
	"strings"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/cost"
	"github.com/countersign/countersign/review/host"
	"github.com/countersign/countersign/review/prose"
	"github.com/countersign/countersign/views"
)

// sightOf is what a change means to models; nothing where it was not worked out.
func (p *releasePresenter) sightOf(id string) review.ChangeSight {
	if p.v.Sight == nil {
		return review.ChangeSight{}
	}
	return p.v.Sight.Changes[id]
}

// look finds out what hosts show of a card: nothing where all that it asks about is
// invisible, and whose cut it moves.
func (p *releasePresenter) look(c *card) {
	if p.v.Sight == nil || len(c.pairs) == 0 {
		return
	}
	c.unseen = slices.Clone(p.v.Sight.Hosts)
	for _, pr := range c.pairs {
		of := p.sightOf(p.v.Changes[pr.change].ID).Edits[pr.edit]
		c.unseen = slices.DeleteFunc(c.unseen, func(h string) bool { return !slices.Contains(of, h) })
	}
	seen := map[int]bool{}
	for _, pr := range c.pairs {
		if seen[pr.change] || pr.detail.Pointer != "/description" {
			continue
		}
		seen[pr.change] = true
		for _, m := range p.sightOf(p.v.Changes[pr.change].ID).Moved {
			c.cuts = append(c.cuts, movedCut{p.v.Changes[pr.change].Name(), m})
		}
	}
}

// movedCut is what an edit of one tool took across a cut.
type movedCut struct {
	tool string
	review.MovedCut
}

// Bounds of what one card or one tool says about cuts.
const (
	cutsSaid   = 3
	hostsNamed = 4
)

// unseenSentence says in which hosts nothing of something is to be seen; "" for none.
func (p *releasePresenter) unseenSentence(hosts []string) string {
	switch n := len(hosts); {
	case n == 0:
		return ""
	case n == len(p.v.Sight.Hosts) && n > 1:
		return "Invisible in all " + thousands(n) + " hosts that we looked through: no model sees it there."
	}
	return "Invisible in " + hostNames(hosts) + ": nothing of it reaches the model there."
}

// hostNames lists hosts; of many the rest is counted.
func hostNames(hosts []string) string {
	var names []string
	for _, h := range hosts[:min(len(hosts), hostsNamed)] {
		names = append(names, host.NameOf(h))
	}
	if rest := len(hosts) - len(names); rest > 0 {
		return strings.Join(names, ", ") + " and " + thousands(rest) + " more"
	}
	return strings.Join(names, ", ")
}

// cutSentences says what crossed the cut of which host. The tool is named where
// there are several.
func cutSentences(cuts []movedCut, several bool) []views.Sentence {
	var out []views.Sentence
	for _, m := range cuts[:min(len(cuts), cutsSaid)] {
		what := "Moves the cut in " + host.NameOf(m.Host)
		if several {
			what += " for " + quoted(prose.Show(m.tool).String())
		}
		switch {
		case len(m.Behind) > 0:
			what += ": " + passages(m.Behind) + " is behind it now, and not sent any more."
		default:
			what += ": " + passages(m.Front) + " is in front of it now, and reaches the model."
		}
		out = append(out, views.Say(what))
	}
	if rest := len(cuts) - cutsSaid; rest > 0 {
		out = append(out, views.Say("Moves the cut "+plural(rest, "time", "times")+" more: the page of hosts lists all."))
	}
	return out
}

// passages quotes the first of some sentences, and counts the others.
func passages(list []string) string {
	const longest = 160
	text := []rune(strings.ReplaceAll(list[0], "`", "'"))
	if len(text) > longest {
		text = append(text[:longest], '…')
	}
	say := "“" + string(text) + "”"
	if rest := len(list) - 1; rest > 0 {
		say += " with " + plural(rest, "more sentence", "more sentences")
	}
	return say
}

// sightOn is what a card says about hosts.
func (p *releasePresenter) sightOn(c *card) []views.Sentence {
	out := cutSentences(c.cuts, len(c.changes) > 1)
	if s := p.unseenSentence(c.unseen); s != "" {
		out = append(out, views.Say(s))
	}
	return out
}

// sightFacts are what a tool's own view says in its line of facts.
func (p *releasePresenter) sightFacts(ch *review.Decided) []string {
	if p.v.Sight == nil {
		return nil
	}
	s, facts := p.sightOf(ch.ID), []string{}
	if s.Growth != 0 {
		facts = append(facts, signed(s.Growth)+" tokens")
	}
	return facts
}

// sightNotes are what a tool's own view says of hosts.
func (p *releasePresenter) sightNotes(ch *review.Decided) []views.Sentence {
	if p.v.Sight == nil {
		return nil
	}
	s := p.sightOf(ch.ID)
	cuts := make([]movedCut, 0, len(s.Moved))
	for _, m := range s.Moved {
		cuts = append(cuts, movedCut{ch.Name(), m})
	}
	out := cutSentences(cuts, false)
	if say := p.unseenSentence(s.Unseen); say != "" {
		out = append(out, views.Say(say))
	}
	return out
}

// tokensSub says in the head of a release what it costs.
func (p *releasePresenter) tokensSub() string {
	s := p.v.Sight
	if s == nil {
		return ""
	}
	say := "about " + plural(s.Tokens, "token", "tokens")
	if p.v.Base != nil {
		say += ", " + signed(s.Tokens-s.Base)
	}
	return say
}

// costLines say beside a release what it costs, and what it breaks of a cached prefix.
func (p *releasePresenter) costLines() *views.CostLines {
	s := p.v.Sight
	if s == nil || p.compare != nil {
		return nil
	}
	base := ""
	if p.v.BaseListing != nil {
		base = p.v.BaseListing.ID
	}
	l := &views.CostLines{
		Tokens: plural(s.Tokens, "token", "tokens"), URL: costPath(p.v.Server.Slug, p.v.Listing.ID, "base", base),
		Note: "An estimate with " + cost.Tokenizer + ", in every request.",
	}
	if p.v.Base != nil {
		l.Growth, l.Prefix = growthSentence(s.Tokens-s.Base), prefixSentence(s.Prefix)
	}
	return l
}
