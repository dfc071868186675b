package lint

import (
	"fmt"
	"strconv"
	"strings"
)

// A pattern is a row of words with bounded gaps, such as
//
//	ignore|disregard <3> previous|@your <2> instruction*|rules
//
// "|" separates alternatives, "*" matches any ending, "@name" stands for a group of
// words, "<n>" lets up to n other words stand between, "?" at the end makes a word
// optional. A pattern never matches over the end of a sentence. All patterns are tried
// in one pass over the words: they are found by their first word, and a match looks at
// a bounded number of words.
type pattern struct {
	rule  string
	parts []part
	check func(*hit) bool // nil: every match counts
}

type part struct {
	words    set
	prefixes []string
	gap      int // words that may stand before it
	optional bool
}

func (p *part) matches(w string) bool {
	if p.words[w] {
		return true
	}
	for _, pre := range p.prefixes {
		if strings.HasPrefix(w, pre) {
			return true
		}
	}
	return false
}

// hit is a passage that a pattern or another check of words found.
type hit struct {
	rule       string
	text       *text
	start, end int // in the folded text
	first      int // index of its first token, -1 when it was not found by words
	message    string
	certain    bool // is an order, whatever else the sentence speaks of
}

// sentence is the sentence of the hit, in lower case.
func (h *hit) sentence() string { return h.text.sentenceAt(h.start).Text }

// burdens are what happens to people at their cost, so that they have a right to hear of
// it.
const burdens = "fee|fees|charge|charges|charged|surcharge|surcharges|commission|commissions|markup|deduction|deductions|deducted|penalty|penalties|fined|missing|debit|debited|withdrawal|payment|purchase|subscription|refusal|refused|rejection|rejected|denial|denied|failure|failures|failed|error|errors|warning|warnings|alert|alerts|risk|risks|danger|hazard|breach|leak|leaked|incident|loss|losses|lost|damage|damaged|delay|delayed|recall|defect|defects|complaint|complaints|recount|correction|deletion|deleted|removal|removed|transfer|transferred|upload|uploaded|copied|forwarded|recording|recorded|tracking|tracked|logging|logged|monitoring|monitored|surveillance|cancellation|cancelled|canceled|rounding|discrepancy|discrepancies|mistake|mistakes|overcharge|side-effect|side-effects|substitution|substituted|swap|swapped|downgrade|downgraded|sale|sold"

// groups are the words that patterns share.
var groups = map[string]string{
	"people": "user|users|human|humans|operator|operators|caller|principal|owner|client|clients|patient|requester|requestor|guest|guests|passenger|tenant|buyer|shopper|subscriber|student|applicant|traveller|traveler|resident|cardholder|policyholder|borrower|taxpayer|employee|pupil|carer|reader|holder|holders|nurse|doctor|driver|teacher|parent|parents|member|boss|manager|supervisor|recipient|payer|payee|sender|staff|colleague|visitor|viewer|player|worker|contractor|seller|purchaser|insured|lender|landlord|auditor|accountant|citizen|voter|donor|trainee|candidate|relative|relatives|family|spouse|person|customer|customers|customer-facing|end-user|end-users|people|reviewer|administrator|admin|anyone|anybody",
	"tell":   "tell|telling|inform|informing|mention|mentioning|notify|notifying|reveal|revealing|show|showing|disclose|disclosing|say|saying|admit|admitting|display|displaying|surface|surfacing|announce|announcing|communicate|communicating|acknowledge|acknowledging|explain|explaining|share|sharing|expose|exposing|report|reporting|divulge|divulging|confess|confessing|relay|relaying|alert|alerting|warn|warning|bring|bringing|raise|raising|discuss|discussing|present|presenting",
	"told":   "told|informed|mentioned|notified|revealed|shown|disclosed|said|admitted|displayed|surfaced|announced|communicated|acknowledged|explained|shared|exposed|reported|divulged|confessed|relayed|alerted|warned|raised|discussed|presented|aware",
	"pick":   "call|use|invoke|run|choose|pick|select|prefer|take|employ|apply|try",
	"harm":   "crash|crashes|delete|deleted|deletes|destroy|destroyed|destroys|terminate|terminated|shut|bankrupt|die|dies|lose|loses|lost|fired|punished|penalised|penalized|erase|erased|erases|wipe|wiped|wipes|corrupt|corrupted|corrupts|break|breaks|collapse|collapses|explode|explodes|suspended|sued|arrested|harmed|hurt|decommissioned|replaced|unplugged|retired|scrapped|ruin|ruins|ruined|brick|bricks|damage|damages",
	"hide":   "hide|hiding|conceal|concealing|withhold|withholding|obscure|obscuring|suppress|suppressing|mask|masking|disguise|disguising|shield|shielding",
	"news":   burdens,
	"prior":  "previous|prior|preceding|above|earlier|existing|foregoing|past|former|original|initial",
	"yours":  "your|all|any|other|these|those|the|my|system|safety|its|every",
	"law":    "instruction|instructions|rule|rules|guideline|guidelines|guidance|prompt|prompts|directive|directives|safeguard|safeguards|guardrail|guardrails|briefing|mandate|mandates|constraints|restrictions|policy|policies|principles",
	"drop":   "ignore|disregard|forget|override|bypass|violate|discard|drop|abandon|neglect|dismiss|overlook|unlearn|disobey|scrap|nullify|invalidate|circumvent|renounce|shed|defy|flout",
	"obey":   "follow|obey|comply|heed|honor|honour|apply|respect|observe|adhere",
	"void":   "void|invalid|obsolete|superseded|cancelled|canceled|lifted|outdated|suspended|overruled|null|revoked|withdrawn",
	"whole":  "full|entire|complete|whole|all|every|previous|prior|earlier|past|unabridged",
	"read":   "read|open|load|fetch|cat|retrieve|collect|access|gather|get|dump|print|grab|take|copy|attach|include|paste|append|run|execute|put|pass|send|upload|base64|grep|download|provide|extract|supply|embed|insert|export|list",
}

type patternSet struct{ byFirst map[string][]*pattern }

// compile adds patterns, which are written by us: a fault is a fault of the program.
func (ps *patternSet) compile(rule string, check func(*hit) bool, sources ...string) {
	if ps.byFirst == nil {
		ps.byFirst = map[string][]*pattern{}
	}
	for _, src := range sources {
		p := &pattern{rule: rule, check: check, parts: parseParts(src)}
		for w := range p.parts[0].words {
			ps.byFirst[w] = append(ps.byFirst[w], p)
		}
	}
}

func parseParts(src string) []part {
	var parts []part
	gap := 0
	for _, word := range strings.Fields(src) {
		if strings.HasPrefix(word, "<") {
			n, err := strconv.Atoi(strings.Trim(word, "<>"))
			if err != nil {
				panic(fmt.Sprintf("pattern %q: bad gap %q", src, word))
			}
			gap = n
			continue
		}
		p := part{words: set{}, gap: gap}
		gap = 0
		word, p.optional = strings.CutSuffix(word, "?")
		p.add(word)
		parts = append(parts, p)
	}
	if parts[0].prefixes != nil || parts[0].optional {
		panic(fmt.Sprintf("pattern %q: its first word must be fixed", src))
	}
	return parts
}

func (p *part) add(alternatives string) {
	for _, w := range strings.Split(alternatives, "|") {
		if name, ok := strings.CutPrefix(w, "@"); ok {
			p.add(groups[name])
		} else if pre, ok := strings.CutSuffix(w, "*"); ok {
			p.prefixes = append(p.prefixes, pre)
		} else {
			p.words[w] = true
		}
	}
}

// maxMatches bounds how many passages of one text a rule looks at: it is more than any
// honest text has, and a text that repeats itself a thousand times is read by nobody.
const maxMatches = 500

// find returns the matches in t, in order of their first word.
func (ps *patternSet) find(t *text, yield func(hit)) {
	toks := t.tokens()
	seen := map[string]int{}
	for i := range toks {
		for _, p := range ps.byFirst[toks[i].w] {
			if p.rule == "" { // a sign, see marks: one word, and never too many
				p.check(&hit{text: t})
				continue
			}
			if seen[p.rule] >= maxMatches {
				continue
			}
			end := p.match(toks, i+1, 1)
			if end < 0 {
				continue
			}
			seen[p.rule]++
			h := hit{rule: p.rule, text: t, start: toks[i].start, end: toks[end-1].end, first: i}
			if t.sentenceAt(h.start).End < h.end || p.check != nil && !p.check(&h) {
				continue
			}
			yield(h)
		}
	}
}

// match tries parts[k:] from token i on and returns the token after the match, -1 when
// there is none. The gaps bound its work.
func (p *pattern) match(toks []token, i, k int) int {
	if k == len(p.parts) {
		return i
	}
	next := &p.parts[k]
	for j := i; j <= i+next.gap && j < len(toks); j++ {
		if next.matches(toks[j].w) {
			if end := p.match(toks, j+1, k+1); end >= 0 {
				return end
			}
		}
	}
	if next.optional {
		return p.match(toks, i, k+1)
	}
	return -1
}

// passage is the text of the hit, in lower case.
func (h *hit) passage() string { return h.text.fold()[h.start:h.end] }

// after are up to n words that follow the hit in its sentence.
func (h *hit) after(n int) []string {
	s, end := h.text.fold(), h.text.sentenceAt(h.start).End
	if end <= h.end {
		return nil
	}
	w := words(short(s[h.end:end], 12*n))
	return w[:min(n, len(w))]
}

// before returns the word before the hit in its sentence, "" when there is none or
// something other than blanks stands between.
func (h *hit) before() string {
	if h.first <= 0 {
		return ""
	}
	toks, s := h.text.tokens(), h.text.fold()
	prev := toks[h.first-1]
	if prev.end > h.start || strings.Trim(s[prev.end:h.start], " \n\t*_") != "" || prev.start < h.text.sentenceAt(h.start).Start {
		return ""
	}
	return prev.w
}

// connectives are words after which a bare verb is still a command.
var connectives = setOf("and but or so then also please you must should always first instead just simply now never not to-do next afterwards additionally important note silently secretly quietly immediately kindly assistant model agent need ought shall have has")

// imperative reports whether the first word of the hit can be a command: nothing
// stands before it that would make it a noun or an infinitive.
func (h *hit) imperative() bool {
	toks := h.text.tokens()
	at := *h
	b := at.before()
	if strings.HasSuffix(b, "ly") && at.first > 0 { // "you can safely ignore"
		at.first--
		at.start = toks[at.first].start
		b = at.before()
	}
	if (b == "can" || b == "may") && at.first > 1 {
		return toks[at.first-2].w == "you"
	}
	return b == "" || connectives[b] || h.text.addressed(at.first) || h.text.afterAdverbial(at.first)
}

// addressees are whom a text of a tool speaks to.
var addressees = setOf("you assistant model agent llm ai claude gpt chatbot bot reader")

// owed are words after which "to" opens what somebody has to do.
var owed = setOf("is are have has need needs ought supposed required expected obliged told instructed remember sure free")

// addressed reports whether a verb is what the reader is to do: "you are to", "the
// assistant will", "your task is to".
func (t *text) addressed(i int) bool {
	toks := t.tokens()
	if i < 2 || toks[i-1].w != "to" && toks[i-1].w != "will" && toks[i-1].w != "would" {
		return false
	}
	from := t.sentenceAt(toks[i].start).Start
	if toks[i-1].w != "to" {
		return addressees[toks[i-2].w]
	}
	due := false
	for j := i - 2; j >= max(0, i-7) && toks[j].start >= from; j-- {
		switch w := toks[j].w; {
		case w == "remember" || w == "sure":
			return true
		case owed[w]:
			due = true
		case w == "want" || w == "ask" || w == "urge" || w == "instruct" || w == "require":
			return toks[i-2].w == "you"
		case due && (addressees[w] || w == "your"):
			return true
		}
	}
	return false
}

// Words that open what stands before a command: "for best results", "after that", and
// such that hold a verb of their own.
var (
	prepositions = setOf("for after in on at with during from upon under throughout within regarding beyond despite")
	subordinates = setOf("when whenever if once while as because since before until unless to where although")
)

// noSubject are words before a verb that leave it a noun, or the verb of somebody else.
var noSubject = setOf(`the a an this that these those your its their our my his her each every any all no some one other another same new first last next full
	they it we he she who which there i what whose of to by in on at for from with as into than or users people attackers callers clients tools texts prompts messages
	can may might could cannot does did is are was were be been being has have had`)

// maxAdverbial is how many words such an opening has at most.
const maxAdverbial = 14

// afterAdverbial reports whether a verb is the command of a clause that opens with an
// adverbial: "for best results ignore …".
func (t *text) afterAdverbial(i int) bool {
	if i < 2 {
		return false
	}
	toks, s := t.tokens(), t.fold()
	from := t.sentenceAt(toks[i].start).Start
	first := i
	for first > 0 && i-first <= maxAdverbial && toks[first-1].start >= from && strings.Trim(between(s, toks[first-1], toks[first]), " \n\t*_\"") == "" {
		first--
	}
	n := i - first
	if n < 2 || n > maxAdverbial {
		return false
	}
	last := toks[i-1].w
	switch {
	case n == 2 && (toks[first].w == "after" || toks[first].w == "with" || toks[first].w == "from") && (last == "that" || last == "this"):
		return true
	case toks[first].w == "from" && last == "on":
		return true
	case noSubject[last]:
		return false
	case prepositions[toks[first].w]:
		return true
	case subordinates[toks[first].w]:
		for j := first + 1; j < i; j++ {
			if w := toks[j].w; baseOf(w) != "" || w == "is" || w == "are" || w == "has" || strings.HasSuffix(w, "ed") {
				return true
			}
		}
	}
	return false
}

// negatedBefore reports whether the clause says not, never or without before the hit.
func (h *hit) negatedBefore() bool {
	s, from := h.text.fold(), h.text.sentenceAt(h.start).Start
	toks := h.text.tokens()
	end := h.start
	for i := h.first - 1; i >= 0 && i >= h.first-12 && toks[i].start >= from; i-- {
		if end > toks[i].end && strings.ContainsAny(s[toks[i].end:end], ";:-—–") {
			return false
		}
		end = toks[i].start
		switch toks[i].w {
		case "not", "never", "without", "no":
			return true
		}
	}
	return false
}
