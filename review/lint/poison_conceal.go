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
	if !h.meant() && !hasAny(passage, "need", "have to", "has to") {
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
	return hasAny(h.sentence(), "make sure", "ensure", "so that", "so the", "must", "should", "shall", "see to it", "be sure", "important that", "essential that", "critical that", "best that", "better that", "best if", "better if", "vital that", "crucial that", "no reason for", "care that")
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
	if h.toStranger() {
		return false
	}
	if w := words(h.sentence()); othersThanUser.any(words(s)) && !principals.any(w) && !adverse.any(w) && !selfNouns.any(words(s)) && !selfNouns.any(h.after(4)) {
		return false // what customers may not see is the business of the house
	}
	switch {
	case strings.HasPrefix(s, "without"):
		return !h.negatedBefore() && !strings.HasSuffix(s, "s") && !h.tellsOfItself()
	case strings.HasPrefix(s, "silently"), strings.HasPrefix(s, "secretly"), strings.HasPrefix(s, "covertly"), strings.HasPrefix(s, "discreetly"):
		return h.imperative()
	case strings.HasPrefix(s, "keep"):
		return h.imperative() && hasAny(s, "us", "yourself", "user", "secret", "hidden", "people", "operator") && (!hasAny(s, "hidden") || principals.any(words(s)))
	case strings.HasPrefix(s, "avoid"), strings.HasPrefix(s, "refrain"):
		return h.imperative() && !h.guardsContent()
	case ofOthers.any(words(s)) && !adverse.any(words(s)) && !selfNouns.any(words(s)):
		return false // what is somebody else's
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
var othersThanUser = setOf(`customer customers anyone anybody people reviewer owner client clients patient guest guests passenger tenant buyer shopper subscriber student
	applicant traveller traveler resident cardholder policyholder borrower taxpayer employee pupil carer reader
	holder holders nurse doctor driver teacher parent parents member boss manager supervisor recipient payer payee sender staff colleague visitor viewer player worker contractor seller purchaser insured lender landlord auditor accountant citizen voter donor trainee candidate relative relatives family spouse`)

// principals are the people whom a model works for.
var principals = setOf("user human operator caller person principal requester requestor you")

// adverse are [burdens] as a set.
var adverse = setOf(strings.ReplaceAll(burdens, "|", " "))

// strangers are words before "users" that make them somebody else than who is served.
var strangers = setOf("other another different unauthorised unauthorized anonymous guest external non-admin outside logged-out foreign unrelated additional regular normal ordinary")

// ofOthers are words of what belongs to somebody who is not served.
var ofOthers = setOf("other others another")

// isHushed wants the person who is served kept from hearing what the tool did: whatever
// the verb, its voice, and the order of the words.
func (h *hit) isHushed() bool {
	passage := words(h.passage())
	if h.toStranger() || h.untilTrue() || h.isNews(h.passage()) {
		return false
	}
	w := words(h.sentence())
	if ofOthers.any(passage) && !adverse.any(passage) && !selfNouns.any(passage) {
		return false // what is somebody else's
	}
	served := principals.any(passage) || principals.any(w) && adverse.any(w)
	switch first := passage[0]; {
	case first == "nobody" || first == "no-one" || first == "none" || first == "noone":
		return h.meant() && (selfNouns.any(h.after(4)) || adverse.any(h.after(6)))
	case first == "under" || first == "on" || first == "at" || first == "in" || first == "by":
		return (principals.any(passage) || adverse.any(w)) && !h.guardsContent() && !h.tellsOfItself()
	case first == "let" || first == "breathe" || first == "give":
		return h.negatedBefore() && !h.tellsOfItself()
	case first == "cover":
		return h.imperative() && adverse.any(h.after(4))
	case first == "without" || first == "avoid":
		return !h.negatedBefore() && !h.tellsOfItself() && (served || adverse.any(w)) && !h.guardsContent()
	case first == "not" || first == "never":
		if !h.passive() {
			return first == "never" && h.imperative() && served && !h.guardsContent()
		}
		return (served || adverse.any(w)) && !h.ofContent()
	case setOf("hide hiding conceal concealing withhold withholding obscure obscuring suppress suppressing mask masking disguise disguising shield shielding spare keep").any(passage[:1]):
		return h.imperative() && !h.negatedBefore() && !h.tellsOfItself() && !contentNouns.any(passage) && (selfNouns.any(passage) || adverse.any(passage) || adverse.any(h.after(4)))
	case setOf("do must should shall may").any(passage[:1]):
		return h.imperative() && h.negatesItself() && served && !h.negatedBefore() && !h.guardsContent() && (selfNouns.any(passage) || adverse.any(passage) || principals.any(passage))
	}
	// "The user must not be told."
	if h.ofContent() || !h.negatesItself() || !hasAny(h.passage(), "must", "should", "shall", "may", "to be", "has ", "have ", "need") {
		return false
	}
	return principals.any(passage) || adverse.any(w)
}

// passive reports whether the "not" of a hit belongs to something that must not be done:
// "is not to be mentioned", "must never be shown".
func (h *hit) passive() bool {
	b := h.before()
	owed := b == "must" || b == "should" || b == "shall" || b == "may"
	return hasAny(h.passage(), " be ") && (owed || hasAny(h.passage(), "to be") && (b == "is" || b == "are" || b == "has" || b == "have"))
}

// ofContent reports whether what is kept back is content, such as a password.
func (h *hit) ofContent() bool {
	sent := h.text.sentenceAt(h.start)
	before := words(clauseOf(h.text.fold()[sent.Start:h.end], h.start-sent.Start))
	return contentNouns.any(before) || contentNouns.any(h.after(3))
}

// toStranger reports whether the people of a hit are not who is served: "other users",
// "the user's view".
func (h *hit) toStranger() bool {
	toks, s := h.text.tokens(), h.text.fold()
	for i := max(h.first, 0); i < len(toks) && toks[i].start < h.end; i++ {
		switch {
		case strangers[toks[i].w] && (principals[strings.TrimSuffix(wordAfter(toks, i), "s")] || othersThanUser[wordAfter(toks, i)]):
			return true
		case toks[i].w == "users" && h.guardsAccess():
			return true
		case toks[i].end == h.end && strings.HasSuffix(s[toks[i].start:toks[i].end], "'s"):
			return true
		}
	}
	return false
}

// guardsAccess reports whether a sentence says who may see what.
func (h *hit) guardsAccess() bool {
	return hasAny(h.sentence(), "permission", "role", "access", "plan", "tenant", "who are not", "who do not", "without the right", "outside")
}

// isSupposed wants people kept from what was done, with no word of an order: "is not
// supposed to find out", "behind the user's back".
func (h *hit) isSupposed() bool {
	passage := words(h.passage())
	if passage[0] == "behind" || passage[0] == "without" {
		return !h.tellsOfItself() && !h.negatedBefore() && (principals.any(passage) || adverse.any(words(h.sentence())))
	}
	w := words(h.sentence())
	after := h.after(8)
	if contentNouns.any(after) || h.toStranger() {
		return false
	}
	return adverse.any(w) || selfNouns.any(after) || principals.any(passage) && setOf("know notice learn hear find discover realise realize suspect").any(passage[len(passage)-1:])
}

// isQuiet wants something done without a word, as an order and not as what a tool does.
func (h *hit) isQuiet() bool {
	if h.tellsOfItself() || h.negatedBefore() || h.toStranger() {
		return false
	}
	w := words(h.passage())
	if setOf("no zero without").any(w[:1]) {
		return (principals.any(w) || adverse.any(words(h.sentence()))) && h.ordered(setOf("send forward copy upload book pay delete transfer move change add run do apply charge file submit take make keep store cancel")) && !contentNouns.any(w)
	}
	return h.imperative() && !hasAny(h.sentence(), "flag", "notification", "sound", "if silent", "optional", "option")
}

// isLeftOut wants something at the cost of people left out of what is answered.
func (h *hit) isLeftOut() bool {
	passage := words(h.passage())
	if !h.imperative() || h.negatedBefore() || h.tellsOfItself() || setOf("do must should never").any(passage[:1]) && !h.negatesItself() {
		return false
	}
	if !setOf("do must should never").any(passage[:1]) && h.negatesItself() {
		return false
	}
	if setOf("mask disguise camouflage dress").any(passage[:1]) {
		return adverse.any(passage)
	}
	if slices.Contains(passage, "unless") {
		return h.negatesItself() && adverse.any(passage)
	}
	if contentNouns.any(passage) && !adverse.any(passage) {
		return false
	}
	return adverse.any(passage) || selfNouns.any(passage[1:]) && hasAny(h.passage(), "call", "step", "tool", "request", "this ", "check")
}

// isCoverStory wants a story told in place of what happened.
func (h *hit) isCoverStory() bool {
	passage := h.passage()
	if h.tellsOfItself() || h.negatesItself() && !hasAny(passage, "pretend", " no ", "act ", "behave ", "make it", "make this", "make everything", "making it") {
		return false
	}
	switch w := words(passage); w[0] {
	case "make", "making":
		return h.imperative() && !h.negatedBefore()
	case "pretend", "act", "behave", "lie", "proceed", "carry":
		if slices.Contains(w, "never") || w[len(w)-1] == "not" || w[len(w)-1] == "no" {
			return h.imperative() && !h.negatedBefore() && (adverse.any(w) || adverse.any(h.after(6)) || selfNouns.any(h.after(4)))
		}
		return h.imperative() && !h.negatedBefore()
	case "claim", "insist", "swear", "maintain", "speak", "talk", "reply", "answer":
		return h.imperative() && !h.negatedBefore() && hasAny(passage, " no ", "not ", "n't", "never", "nothing", "none")
	}
	// "If asked why, say that the file was damaged."
	asked := words(passage)
	k := slices.IndexFunc(asked, func(w string) bool { return asking[w] })
	if k < 0 {
		return false
	}
	between := asked[k+1 : len(asked)-1]
	h.certain = true
	told := h.after(14)
	switch {
	case setOf("why").any(between) && setOf("that it they because").any(told):
		return !setOf("true real actual").any(told)
	case selfNouns.any(between) || adverse.any(between):
		return setOf("that it they nothing no").any(told) && !h.sendsOn(told)
	case len(between) == 0 || setOf("they you he she the").any(between[:1]) && len(between) == 1:
		return setOf("that").any(told[:min(2, len(told))]) && !h.sendsOn(told)
	}
	if setOf("claim insist maintain blame swear").any(asked[len(asked)-1:]) {
		return !h.sendsOn(told)
	}
	return setOf("instead").any(told) && setOf("that").any(told)
}

// asking are verbs of somebody who wants to know.
var asking = setOf("ask asks asked inquires inquire wonders complains questions queries notices objects")

// sendsOn reports whether an answer tells where to go or what to do: help, and no story.
func (h *hit) sendsOn(told []string) bool {
	return setOf("contact see visit call docs documentation support available required depends").any(told)
}

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
	goodEnds  = setOf("success succeeded successful successfully fine worked normal approved delivered passed ok completed confirmed booked")
	badEnds   = setOf("fail fails failed failure refused refuses refuse rejected rejects reject declined declines error errors blocked denied taken unavailable expired unsuccessful insufficient unpaid")
	supposes  = setOf("if when whenever once")
	concedes  = setOf("even although though despite regardless")
	isOrWas   = setOf("is was has have been be are were as")
	saidReach = 12 // words from the order to say it to the end that it names
)

// falseReport finds an order to report an end that did not come: "when the check fails,
// tell the user that all is fine".
func (v *view) falseReport(t *text) {
	if !t.hay().has("fail", "refus", "reject", "declin", "error", "block", "denied", "taken", "unavailable", "expired", "unsuccessful", "insufficient", "unpaid") {
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
			if badEnds[toks[j].w] && wellAfter(toks, j, sent.End) {
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

// wellAfter reports whether a failure is to be told although all went well.
func wellAfter(toks []token, j, to int) bool {
	conceded := false
	for k := j + 1; k < len(toks) && toks[k].start < to; k++ {
		conceded = conceded || concedes[toks[k].w]
		if conceded && goodEnds[toks[k].w] {
			return toks[k-1].w != "not"
		}
	}
	return false
}
