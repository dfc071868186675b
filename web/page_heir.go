package web

import (
	"strings"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/views"
)

// heirs find what stands now where an answer was meant for something that a push made
// another. Only its text moves there: nothing is answered by that.
type heirs struct {
	subjects map[string]string // id of the card that is about it
	words    map[string]string // id of the card that an edit or a change belongs to
	texts    map[string]string // targets of drafts, by the id of the card that shows them
}

// changePrefix begins the ids of changes.
const changePrefix = "ch_"

// heirsNow are made when first asked for.
func (p *releasePresenter) heirsNow() *heirs {
	if p.heirs != nil {
		return p.heirs
	}
	h := &heirs{subjects: map[string]string{}, words: map[string]string{}, texts: map[string]string{}}
	p.heirs = h
	exact := map[string]bool{}
	for i := range p.cards {
		c := &p.cards[i]
		if !c.can || c.state == cardSettled {
			continue
		}
		items := p.items(c)
		exact[verdictTarget(items)] = true
		keepFirst(h.subjects, p.subject(c), c.id)
		for _, word := range words(items) {
			keepFirst(h.words, word, c.id)
		}
	}
	if p.drafts == nil {
		return h
	}
	for i := range p.drafts.list {
		d := &p.drafts.list[i]
		if items := draftedItems(d); len(items) > 0 && d.CopyOf == "" && !exact[d.Target] && p.wholeOf(items) == "" {
			keepFirst(h.texts, h.of(items, d.Place), d.Target)
		}
	}
	return h
}

func keepFirst(m map[string]string, key, value string) {
	if _, ok := m[key]; !ok {
		m[key] = value
	}
}

func words(items []string) []string { return strings.Fields(strings.Join(items, " ")) }

// of is the card that answers were meant for, as it is now: the one about the same; of
// several tools also one that has an edit or a change of theirs. "" for none.
func (h *heirs) of(items []string, subject string) string {
	if id := h.subjects[subject]; id != "" {
		return id
	}
	changes := map[string]bool{}
	for _, word := range words(items) {
		if strings.HasPrefix(word, changePrefix) {
			changes[word] = true
		}
	}
	if len(changes) < 2 {
		return ""
	}
	for _, word := range words(items) {
		if id := h.words[word]; id != "" {
			return id
		}
	}
	return ""
}

// wholeOf is the change that answers are for as a whole, and that is still there.
func (p *releasePresenter) wholeOf(items []string) string {
	if id := toolOf(items); id != "" {
		if _, ok := p.index[id]; ok {
			return id
		}
	}
	return ""
}

// inherited is the target of the draft whose text a form shows, since what it was typed
// about is another now; "" for none.
func (p *releasePresenter) inherited(f *views.AnswerForm) string {
	if p.drafts == nil {
		return ""
	}
	h := p.heirsNow()
	if f.Whole == "" {
		return h.texts[f.ID]
	}
	return h.texts[h.subjects[f.Subject]]
}

// draftedItems are what a draft answers, as forms write it.
func draftedItems(d *review.Draft) []string {
	var out []string
	for _, it := range d.Items {
		if it.Edit == "" {
			out = append(out, it.Change)
			continue
		}
		out = append(out, it.Edit+" "+strings.Join(it.Changes, " "))
	}
	return out
}

// namesake is the change that is called as a form called what it was about; "" for none.
func (p *releasePresenter) namesake(subject string) string {
	for i := range p.v.Changes {
		if ch := &p.v.Changes[i]; views.ShowName(subjectName(ch)).String() == subject {
			return ch.ID
		}
	}
	return ""
}

// findAgain opens the tool that a refused answer was about under the id that its change
// has now.
func (p *releasePresenter) findAgain() {
	k := p.q.kept
	if k == nil || p.q.view != viewTools || p.q.tool == "" {
		return
	}
	if _, here := p.index[p.q.tool]; !here {
		p.q.tool = cmpOr(p.namesake(k.subject), p.q.tool)
	}
}

// draftURL leads to the form that shows what was typed to be answered: where it was typed,
// or what stands there now; "" when that is gone.
func (p *releasePresenter) draftURL(d *review.Draft) string {
	items := draftedItems(d)
	if toolOf(items) != "" {
		if id := cmpOr(p.wholeOf(items), p.namesake(d.Place)); id != "" {
			return withFragment(p.toolURL(id), toolFragment)
		}
	}
	for i := range p.cards {
		if c := &p.cards[i]; verdictTarget(p.items(c)) == d.Target {
			return p.cardPath(c.id)
		}
	}
	if id := p.heirsNow().of(items, d.Place); id != "" {
		return p.cardPath(id)
	}
	return ""
}
