package change

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/countersign/countersign/review/surface"
)

// Offer is a pairing that rests on too little to be assumed: a person confirms it
// or not. Nothing else in a report depends on it but how decisions are grouped.
type Offer struct {
	Kind       OfferKind     `json:"kind"`
	From       []OfferedTool `json:"from"`
	To         string        `json:"to"`
	Confidence float64       `json:"confidence"`
	Sentence   string        `json:"sentence"`
}

// OfferKind says what would have happened.
type OfferKind string

// The kinds of offers.
const (
	OfferRename        OfferKind = "rename"        // one tool got another name
	OfferConsolidation OfferKind = "consolidation" // several tools became one
)

// OfferedTool is an old tool of an [Offer], and how the new one may take its
// place.
type OfferedTool struct {
	Tool   string   `json:"tool"`
	Action string   `json:"action,omitempty"` // argument of the new tool, such as {"action":"list"}
	Lost   []string `json:"lost"`             // parameters that the new tool doesn't name
}

// A pair of names is taken for a rename from assumed on, and offered from offered
// on. A rule that renames many tools at once counts as [ruleConfidence].
const (
	assumed        = 0.85
	offered        = 0.5
	ruleConfidence = 0.97
	ruleScore      = 0.6 // from which a pair speaks for a rule, and the rule for it
)

// maxScored bounds the pairs that are compared word by word. Beyond it only equal
// definitions and names that a rule connects are candidates, so that a listing
// that was replaced altogether costs no more than its size.
const maxScored = 20_000

// findRenames moves pairs of tools from removed and added to the pairs of p, and
// offers what it does not assume. Nothing is known to be gone from a partial
// listing, so there only names that a person or an alias connects are paired.
func findRenames(p *pairing, opt Options, partial bool) []Offer {
	pairNamed(p, opt)
	var offers []Offer
	if !partial && len(p.removed) > 0 && len(p.added) > 0 {
		offers = pairAlike(p, opt)
	}
	p.inNewOrder()
	return offers
}

// pairNamed pairs what a person or the alias ledger says.
func pairNamed(p *pairing, opt Options) {
	for _, named := range opt.Pairings {
		pairByName(p, named, func(q *pair) { q.byHand = true })
	}
	from := make([]string, 0, len(opt.Aliases))
	for name := range opt.Aliases {
		from = append(from, name)
	}
	slices.Sort(from)
	for _, name := range from {
		pairByName(p, Pairing{From: name, To: opt.Aliases[name]}, func(*pair) {})
	}
	for i := range p.pairs {
		p.pairs[i].aliased = aliased(opt, p.pairs[i].old.Name, p.pairs[i].new.Name)
	}
}

func aliased(opt Options, old, new string) bool {
	to, ok := opt.Aliases[old]
	return ok && to == new && old != new
}

func pairByName(p *pairing, named Pairing, mark func(*pair)) {
	i := slices.IndexFunc(p.removed, func(t *surface.Tool) bool { return t.Name == named.From })
	j := slices.IndexFunc(p.added, func(t *surface.Tool) bool { return t.Name == named.To })
	if i < 0 || j < 0 {
		return
	}
	q := pair{old: p.removed[i], new: p.added[j], confidence: 1}
	mark(&q)
	p.take(q)
}

// candidate is a possible rename with what speaks for it.
type candidate struct {
	old, new *profile
	score    float64
	sure     bool   // may be assumed
	rule     string // that renames several tools in the same way
}

// pairAlike takes the pairs that definitions and names speak for, best first.
func pairAlike(p *pairing, opt Options) []Offer {
	olds, news := profilesOf(opt.unmerged(p.removed, Pairing.from)), profilesOf(opt.unmerged(p.added, Pairing.to))
	cands := candidates(olds, news)
	slices.SortStableFunc(cands, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.old.tool.Position, b.old.tool.Position),
			cmp.Compare(a.new.tool.Position, b.new.tool.Position))
	})
	taken := map[*profile]bool{}
	var offers []Offer
	for _, c := range cands {
		if taken[c.old] || taken[c.new] {
			continue
		}
		if c.sure && !contested(c, cands, taken) {
			taken[c.old], taken[c.new] = true, true
			p.take(pair{
				old: c.old.tool, new: c.new.tool, confidence: round(c.score), rule: c.rule,
				aliased: aliased(opt, c.old.tool.Name, c.new.tool.Name),
			})
		}
	}
	for _, c := range cands {
		if !taken[c.old] && !taken[c.new] {
			taken[c.old], taken[c.new] = true, true
			offers = append(offers, renameOffer(c))
		}
	}
	return offers
}

// closeCall is how near two scores must be for a person to choose between them.
const closeCall = 0.03

// contested reports whether another pairing of either tool is about as likely or
// likelier. cands are sorted, best first.
func contested(c candidate, cands []candidate, taken map[*profile]bool) bool {
	for _, d := range cands {
		if d.score < c.score-closeCall {
			return false
		}
		if (d.old == c.old) != (d.new == c.new) && !taken[d.old] && !taken[d.new] {
			return true
		}
	}
	return false
}

func renameOffer(c candidate) Offer {
	sure := round(c.score) // once: the sentence and the number must agree
	return Offer{
		Kind: OfferRename, To: c.new.tool.Name, Confidence: sure,
		From: []OfferedTool{{Tool: c.old.tool.Name, Lost: lostParameters(c.old, c.new)}},
		Sentence: fmt.Sprintf("%s may be the new name of %s (%.0f %%). It counts as removed and added until someone says so.",
			quoteName(c.new.tool.Name), quoteName(c.old.tool.Name), 100*sure),
	}
}

func round(f float64) float64 { return math.Round(f*100) / 100 }

// candidates scores what may be a rename.
func candidates(olds, news []*profile) []candidate {
	rules := renameRules(olds, news)
	var all []candidate
	for _, k := range worthScoring(olds, news, rules) {
		if c := score(k[0], k[1]); c.score >= offered {
			all = append(all, c)
		}
	}
	return applyRules(all, rules)
}

// worthScoring lists the pairs to look at: all of them while that is cheap, else
// equal definitions and what a rule connects.
func worthScoring(olds, news []*profile, rules map[[2]*profile]string) [][2]*profile {
	var all [][2]*profile
	if len(olds)*len(news) <= maxScored {
		for _, a := range olds {
			for _, b := range news {
				all = append(all, [2]*profile{a, b})
			}
		}
		return all
	}
	byBody := map[surface.Hash]*profile{}
	for _, b := range news {
		byBody[b.body] = b
	}
	for _, a := range olds {
		if b := byBody[a.body]; b != nil && rules[[2]*profile{a, b}] == "" {
			all = append(all, [2]*profile{a, b})
		}
	}
	for k := range rules {
		all = append(all, k)
	}
	return all
}

// applyRules makes sure of the pairs that a rule connects, if the rule has enough
// pairs that look alike by themselves.
func applyRules(cands []candidate, rules map[[2]*profile]string) []candidate {
	backed := map[string]int{}
	for _, c := range cands {
		if rule := rules[[2]*profile{c.old, c.new}]; rule != "" && c.score >= ruleScore {
			backed[rule]++
		}
	}
	for i, c := range cands {
		rule := rules[[2]*profile{c.old, c.new}]
		if rule != "" && c.score >= ruleScore && backed[rule] >= ruleTools {
			cands[i].rule, cands[i].sure = rule, true
			cands[i].score = max(c.score, ruleConfidence)
		}
	}
	return cands
}

// score weighs text, schema and name. A schema that names no parameter is no
// evidence: half of all tools could have it.
func score(a, b *profile) candidate {
	c := candidate{old: a, new: b}
	text, shape := a.textLike(b), a.shapeLike(b)
	name := nameSimilarity(a.tool.Name, b.tool.Name)
	if len(a.params) == 0 || len(b.params) == 0 {
		c.score = 0.7*text + 0.3*name
		if len(a.params) != len(b.params) {
			c.score *= 0.8
		}
	} else {
		c.score = 0.45*shape + 0.4*text + 0.15*name
	}
	if a.body == b.body && a.telling() {
		c.score, c.sure = max(c.score, 0.95), true
		return c
	}
	c.sure = c.score >= assumed && kin(a.tool.Name, b.tool.Name)
	return c
}

// kin reports whether two names can be the same thing said twice: the words that
// they don't share are on one side only, or alike letter by letter ("mail" and
// "email"; not "enable" and "disable").
func kin(a, b string) bool {
	x, y := bag(nameWords(a)), bag(nameWords(b))
	restA, restB := without(x, y), without(y, x)
	if len(restA) > len(restB) {
		restA, restB = restB, restA
	}
	for _, w := range restA {
		i := slices.IndexFunc(restB, func(v string) bool { return letterSimilarity(w, v) >= 0.75 })
		if i < 0 {
			return false
		}
		restB = slices.Delete(restB, i, i+1)
	}
	return true
}

func without(a, b map[string]int) []string {
	var rest []string
	for w, n := range a {
		for range n - b[w] {
			rest = append(rest, w)
		}
	}
	slices.Sort(rest)
	return rest
}
