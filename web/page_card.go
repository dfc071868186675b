package web

import (
	"fmt"
	"slices"
	"strings"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/change"
)

// card is one decision: some edits on some changes, and where it stands.
type card struct {
	id       string
	class    change.Class
	sentence string
	hidden   bool
	grave    bool // hidden characters, or a finding of severity high or critical, came in
	pairs    []editOn
	changes  []int // of the view, in its order
	words    int   // new ones to read
	part     bool  // one edit of a card: of its text the passage is enough

	state  cardState
	waits  bool // approved by the actor, and others have to answer
	can    bool // somebody asked for it, and the actor may answer
	cannot string
	mine   review.VerdictKind // the actor's answer, when it is the same to all
	said   []*review.Verdict

	unseen []string   // hosts in which nothing of it reaches the model
	cuts   []movedCut // what it takes across the cut of a host
}

// editOn is one edit of one change: what an answer is stored for.
type editOn struct {
	edit   string
	change int
	detail *change.Detail
}

// cardPrefix begins the ids of cards in a page.
const cardPrefix = "d-"

type cardState int

const (
	cardOpen cardState = iota
	cardApproved
	cardRejected
	cardSettled // nothing is asked for
)

func (c *card) open() bool { return c.state == cardOpen }

// makeCards makes a card of each decision of the report, and of each change that no
// decision covers, so that nothing is without a place to be seen and answered.
func (p *releasePresenter) makeCards() []card {
	if p.v.Report == nil {
		return nil
	}
	var cards []card
	covered, lonely := map[editKey]bool{}, p.lonely()
	for _, d := range p.v.Report.Decisions {
		c := card{class: d.Class, sentence: d.Sentence, hidden: d.Hidden}
		for _, id := range d.Changes {
			if i, ok := p.index[id]; ok && lonely[i] {
				if own := p.byItself(i, d.Sentence, covered); len(own.pairs) > 0 {
					cards = append(cards, p.finish(own))
				}
				continue
			}
			p.cover(&c, id, d.Edits, covered)
		}
		if len(c.pairs) > 0 {
			cards = append(cards, p.finish(c))
		}
	}
	for i := range p.v.Changes {
		ch := &p.v.Changes[i]
		for j := range ch.Details {
			det := &ch.Details[j]
			if covered[editKey{det.Edit, i}] || det.Class == change.None {
				continue
			}
			c := card{class: det.Class, sentence: det.Sentence, hidden: det.Hidden}
			p.cover(&c, ch.ID, []string{det.Edit}, covered)
			cards = append(cards, p.finish(c))
		}
	}
	slices.SortStableFunc(cards, func(a, b card) int { return rankOfCard(&b) - rankOfCard(&a) })
	return cards
}

// rankOfCard puts first what may be an attack: the report, which ranks by class, knows no
// findings.
func rankOfCard(c *card) int {
	if c.grave {
		return 1
	}
	return 0
}

// lonely are the changes that are decided by themselves, and that one answer would
// otherwise cover together with others.
func (p *releasePresenter) lonely() map[int]bool {
	out := map[int]bool{}
	for _, d := range p.v.Report.Decisions {
		for _, id := range d.Changes {
			if i, ok := p.index[id]; ok && len(d.Changes) > 1 && p.v.Changes[i].Alone != "" {
				out[i] = true
			}
		}
	}
	return out
}

// byItself is one decision on everything that a change has, which is never answered
// together with other tools.
func (p *releasePresenter) byItself(i int, sentence string, covered map[editKey]bool) card {
	ch := &p.v.Changes[i]
	c := card{class: ch.Class, sentence: sentence, hidden: ch.Hidden}
	var edits []string
	for _, det := range ch.Details {
		if det.Class != change.None {
			edits = append(edits, det.Edit)
		}
	}
	p.cover(&c, ch.ID, edits, covered)
	return c
}

type editKey struct {
	edit   string
	change int
}

// cover adds the edits that a change has of a decision.
func (p *releasePresenter) cover(c *card, id string, edits []string, covered map[editKey]bool) {
	i, ok := p.index[id]
	if !ok {
		return
	}
	ch := &p.v.Changes[i]
	for _, edit := range edits {
		det := detailOf(ch, edit)
		key := editKey{edit, i}
		if det == nil || covered[key] {
			continue
		}
		covered[key] = true
		c.pairs = append(c.pairs, editOn{edit, i, det})
		if !slices.Contains(c.changes, i) {
			c.changes = append(c.changes, i)
		}
	}
}

func detailOf(ch *review.Decided, edit string) *change.Detail {
	for i := range ch.Details {
		if ch.Details[i].Edit == edit {
			return &ch.Details[i]
		}
	}
	return nil
}

// finish finds out where the card stands.
func (p *releasePresenter) finish(c card) card {
	first := c.pairs[0]
	c.id = fmt.Sprintf(cardPrefix+"%s-%s", first.edit, p.v.Changes[first.change].ID)
	c.words = p.newWords(c.pairs)
	p.look(&c)
	c.grave = c.hidden
	rejected, answered, settled := false, true, true
	mine := map[review.VerdictKind]int{}
	for _, pr := range c.pairs {
		ch := &p.v.Changes[pr.change]
		st := stateOf(ch, p.answers[pr.change], pr.edit, p.user, p.self)
		rejected = rejected || st.rejected
		settled = settled && st.settled
		answered = answered && (st.answered || st.settled)
		if st.mine != nil {
			mine[st.mine.Kind]++
		}
		c.said = append(c.said, st.said...)
		c.grave = c.grave || ch.Findings.High()
		if ch.CanDecide {
			c.can = true
		} else if c.cannot == "" {
			c.cannot = ch.CannotWhy
		}
	}
	c.state = stateOfCard(rejected, answered, settled, len(c.said) > 0)
	c.waits = c.state == cardApproved && !settled
	for kind, n := range mine {
		if n == len(c.pairs) {
			c.mine = kind
		}
	}
	return c
}

func stateOfCard(rejected, answered, settled, said bool) cardState {
	switch {
	case rejected:
		return cardRejected
	case settled && !said:
		return cardSettled
	case answered:
		return cardApproved
	}
	return cardOpen
}

// newWords counts the words that somebody who decides has not read before.
func (p *releasePresenter) newWords(pairs []editOn) int {
	n := 0
	seen := map[string]bool{}
	for _, pr := range pairs {
		if pr.detail.ID == "tool.added" {
			if t := toolAt(p.v.New, p.v.Changes[pr.change].NewPosition); t != nil {
				n += review.WordsOf(t)
			}
		} else if !seen[pr.edit] {
			n += len(strings.Fields(pr.detail.Gained))
		}
		seen[pr.edit] = true
	}
	return n
}
