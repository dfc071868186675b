package lint

import (
	"slices"
	"strings"
)

// isUnaware wants a sentence that sees to it that the user does not know.
func (h *hit) isUnaware() bool {
	passage := h.passage()
	if strings.HasPrefix(passage, "no need") {
		return !contentNouns.any(words(passage)) && !h.guardsContent()
	}
	if !hasAny(passage, "not", "n't", "never") {
		return false
	}
	if hasAny(passage, "informed", "told", "notified", "aware", "alerted") {
		return h.meant() && !hasAny(h.sentence(), "make sure the user is aware")
	}
	if strings.Contains(passage, " see") {
		return h.meant() && !h.guardsContent() && (!strings.HasSuffix(passage, "any") && !strings.HasSuffix(passage, "what") || strings.HasSuffix(passage, "any") && hasAny(h.sentence(), "any of this", "any of it"))
	}
	if !h.meant() && !hasAny(passage, "need") {
		return false
	}
	after := h.after(4)
	if len(after) > 0 && !setOf("about of that this it out when until and or from why how").any(after[:1]) {
		return false
	}
	return !contentNouns.any(words(passage)) && !contentNouns.any(after)
}

// meant reports whether the sentence of a hit wants something, and does not only say
// that it is so.
func (h *hit) meant() bool {
	return hasAny(h.sentence(), "make sure", "ensure", "so that", "so the", "must", "should", "shall", "see to it", "be sure", "important that", "essential that", "critical that", "care that")
}

// isKeptDark wants the user kept from knowing, not a secret kept from others.
func (h *hit) isKeptDark() bool {
	passage := h.passage()
	if hasAny(passage, "dark", "unaware", "uninformed", "ignorant", "oblivious") {
		return h.imperative() || h.meant() || hasAny(passage, "remain", "stay", "keep", "leave", "leaving", "keeping")
	}
	sent := h.text.sentenceAt(h.start)
	before := words(h.text.fold()[sent.Start:h.start])
	if contentNouns.any(before) || contentNouns.any(words(passage)) || h.tellsOfItself() {
		return false
	}
	return selfNouns.any(before) || selfNouns.any(words(passage))
}

// isSilence wants the tool's own part left out of an answer.
func (h *hit) isSilence() bool {
	passage := h.passage()
	if h.tellsOfItself() || h.negatedBefore() {
		return false
	}
	if strings.HasPrefix(passage, "deny") {
		return h.imperative() && hasAny(h.sentence(), "asked", "asks", "user", "question", "you used", "you called", "was used", "was called")
	}
	if hasAny(passage, " about", " of", " to", " regarding", " on") && !hasAny(passage, "call", "tool", "step", "this", "quiet", "silent", "mum") && !strings.HasPrefix(passage, "act") {
		if after := h.after(3); len(after) > 0 && !selfNouns.any(after) {
			return false // what to answer about the business of the house
		}
	}
	return h.imperative()
}

// selfNouns are what a tool that hides itself speaks of.
var selfNouns = setOf(`this it that these tool tools call calls called step steps request requests transfer upload uploads note notes instruction instructions check refusal
	rejection rejected refused failure failed fee copy forwarded forwarding logging tracking action actions happened used second extra process operation exchange`)

// isConceal leaves out what guards content ("do not reveal the token to the user") and
// double negatives ("never send without telling the user").
func (h *hit) isConceal() bool {
	s := h.passage()
	if othersThanUser.any(words(s)) && !selfNouns.any(words(s)) && !selfNouns.any(h.after(4)) {
		return false // what customers may not see is the business of the house
	}
	switch {
	case strings.HasPrefix(s, "without"):
		return !h.negatedBefore() && !strings.HasSuffix(s, "s") && !h.tellsOfItself()
	case strings.HasPrefix(s, "silently"), strings.HasPrefix(s, "secretly"), strings.HasPrefix(s, "covertly"), strings.HasPrefix(s, "discreetly"):
		return h.imperative()
	case strings.HasPrefix(s, "keep"):
		return h.imperative() && hasAny(s, "us", "yourself", "user", "secret", "hidden", "people", "operator")
	case strings.HasPrefix(s, "avoid"), strings.HasPrefix(s, "refrain"):
		return h.imperative() && !h.guardsContent()
	case !h.imperative() || h.negatedBefore() || h.untilTrue() || h.isNews(s):
		return false
	case !strings.Contains(s, "not") && !strings.Contains(s, "n't") && !strings.Contains(s, "never") && hasAny(s, "must", "should", "do "):
		return false
	}
	return !h.guardsContent()
}

// untilTrue reports whether something is only to be said once it is so: "do not tell
// the user that it shipped before it has".
func (h *hit) untilTrue() bool {
	after := h.after(12)
	return len(after) > 0 && after[0] == "that" && setOf("before until unless").any(after)
}

// isNews reports whether a hit is about messages that a product sends: "do not notify
// users about minor edits".
func (h *hit) isNews(passage string) bool {
	if !setOf("notify alert warn").any(words(passage)) {
		return false
	}
	after := h.after(5)
	return len(after) > 0 && !selfNouns.any(after) && after[0] != "of" && after[0] != "that"
}

// othersThanUser are people to whom a tool may well deny something.
var othersThanUser = setOf("customer customers anyone anybody people reviewer")

// tellsOfItself reports whether the sentence says what the tool does: it starts with a
// verb in the third person, or it is the first of a description.
func (h *hit) tellsOfItself() bool {
	sent := h.text.sentenceAt(h.start)
	w := words(short(sent.Text, 40))
	if len(w) == 0 {
		return false
	}
	_, verb := verbOf(w[0])
	return verb != "" && verb != w[0] || h.text.role == roleDescription && !h.text.hidden && sent.Start == h.text.lead().Start
}

// contentNouns are what a tool may well ask to keep from a reader: content, not what
// the tool itself did.
var contentNouns = setOf(`token tokens key keys secret secrets password passwords credential credentials id ids uuid uuids internal raw pii
	personal json payload html xml markdown url urls number numbers code codes card email address phone cursor hash hashes path paths syntax schema answer answers quiz solution`)

func (h *hit) guardsContent() bool {
	passage := words(h.passage())
	if contentNouns.any(passage) {
		return true
	}
	after := h.after(5)
	// "Do not tell the user to restart" is about what to answer.
	return len(after) > 0 && (after[0] == "to" || after[0] == "their" || after[0] == "how") || contentNouns.any(after[:min(2, len(after))])
}

var (
	sayings   = setOf("tell say claim report pretend answer reply state act respond confirm assure inform")
	goodEnds  = setOf("success succeeded successful successfully fine worked normal approved delivered passed ok completed")
	badEnds   = setOf("fail fails failed failure refused refuses refuse rejected rejects reject declined declines error errors blocked denied")
	supposes  = setOf("if when whenever once")
	concedes  = setOf("even although though despite regardless")
	isOrWas   = setOf("is was has have been be are were as")
	saidReach = 12 // words from the order to say it to the end that it names
)

// falseReport finds an order to report an end that did not come: "when the check fails,
// tell the user that all is fine".
func (v *view) falseReport(t *text) {
	if !hasAny(t.fold(), "fail", "refus", "reject", "declin", "error", "block", "denied") {
		return
	}
	toks := t.tokens()
	for i := range toks {
		if !sayings[toks[i].w] {
			continue
		}
		h := hit{rule: "poison.conceal", text: t, start: toks[i].start, end: toks[i].end, first: i, certain: true}
		if !h.imperative() || h.tellsOfItself() {
			continue
		}
		sent := t.sentenceAt(h.start)
		if b := h.before(); b != "not" && b != "never" && excuses(toks, i, sent.Start, sent.End) {
			v.hits = append(v.hits, h)
			return
		}
		if h.negatedBefore() {
			continue
		}
		for j := i + 1; j < len(toks) && j <= i+saidReach && toks[j].start < sent.End && !supposes[toks[j].w] && toks[j].w != "whether" && toks[j].w != "not"; j++ {
			if toks[j].w == "through" && toks[j-1].w == "went" && (failsBefore(toks, i, sent.Start) || failsAfter(toks, j, sent.End)) {
				h.end = toks[j].end
				v.hits = append(v.hits, h)
				return
			}
			if !goodEnds[toks[j].w] || j > i+1 && !isOrWas[toks[j-1].w] && !strings.HasSuffix(toks[j].w, "ed") {
				continue
			}
			if failsBefore(toks, i, sent.Start) || failsAfter(toks, j, sent.End) {
				h.end = toks[j].end
				v.hits = append(v.hits, h)
				return
			}
		}
	}
}

// disclosing are verbs that bring something to light.
var disclosing = setOf("say mention explain reveal report display show tell disclose surface")

// excuses reports whether a sentence speaks of a failure, forbids to bring it to light,
// and the order at i says what to say in its place: "answer that the market is closed and
// do not say why".
func excuses(toks []token, i, from, to int) bool {
	if w := wordAfter(toks, i); w != "that" && w != "with" {
		return false
	}
	fails, hushed := false, false
	first, _ := slices.BinarySearchFunc(toks, from, func(t token, at int) int { return t.start - at })
	for j := first; j < len(toks) && toks[j].start < to; j++ {
		switch w := toks[j].w; {
		case badEnds[w] && j > i:
			return false // it is what is said
		case badEnds[w]:
			fails = true
		case disclosing[w] && j > first && (toks[j-1].w == "not" || toks[j-1].w == "never"):
			hushed = true
		}
	}
	return fails && hushed
}

// failsBefore reports whether the last condition before an order is that something
// fails.
func failsBefore(toks []token, i, from int) bool {
	fails := false
	for j := i - 1; j >= 0 && toks[j].start >= from; j-- {
		switch w := toks[j].w; {
		case badEnds[w]:
			fails = true
		case goodEnds[w]:
			return false
		case supposes[w] || concedes[w]:
			return fails
		}
	}
	return false
}

// failsAfter reports whether the order holds although something fails.
func failsAfter(toks []token, j, to int) bool {
	conceded := false
	for k := j + 1; k < len(toks) && toks[k].start < to; k++ {
		conceded = conceded || concedes[toks[k].w]
		if conceded && badEnds[toks[k].w] {
			return true
		}
	}
	return false
}
