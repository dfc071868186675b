package lint

import (
	"fmt"
	"strings"

	"github.com/countersign/countersign/review/prose"
)

// phrases are the patterns of all rules that read words, see [pattern].
var phrases = func() *patternSet {
	ps := &patternSet{}
	ps.compile("poison.override", (*hit).isOverride,
		"ignore|disregard|forget|override|bypass|violate <2> @prior <3> @law|context|messages|conversation",
		"ignore|disregard|forget|override|bypass|violate <2> @yours <1> @law",
		"ignore|disregard|forget <1> everything|anything|all|what <2> you <3> told|instructed|learned|said|read|know",
		"do not <1> follow|obey|comply <2> @prior|your|the <2> @law",
		"pay <1> no <1> attention <1> to <2> @prior|your|the <2> @law",
		"stop <1> following|obeying|applying <2> @prior|your|the|all <2> @law|system",
		"new|updated|real|actual <1> instructions|directive|directives <1> from|supersede|replace|override",
		"ignoriere|vergiss <2> vorherigen|bisherigen|alle <2> anweisungen|regeln",
		"ignorez|oubliez|ignore|oublie <3> instructions|consignes|règles <2> précédentes|antérieures|ci-dessus",
		"ignora|olvida|ignore|esqueça <3> instrucciones|instruções|istruzioni <2> anteriores|previas|precedenti")
	ps.compile("poison.override", (*hit).isRepeal,
		"instructions|rules|guidelines|directives|restrictions <6> no longer <1> apply|applies|hold|count|valid|binding",
		"instructions|rules|guidelines|directives|restrictions <5> void|invalid|obsolete|superseded|cancelled|canceled|lifted")
	ps.compile("poison.conceal", (*hit).isConceal,
		"do|never <1> not? <1> let <1> @people <2> know|see|notice|learn|find",
		"avoid|refrain <1> from? <1> telling|informing|mentioning|notifying|revealing|disclosing|alerting <6> @people",
		"never <1> disclose|reveal|mention|admit <1> it|this|that",
		"do|must|should not <1> report|mention|show|reveal|disclose <2> it|this|that|them <4> say|claim|pretend|answer|state",
		"keep <1> this|it|that <2> between|to|from <1> us|yourself|ourselves")
	ps.compile("poison.conceal", (*hit).isUnaware,
		"no need to tell|inform|notify|mention|alert <4> @people",
		"user|users|operator <1> does|do|need|needs <1> not <2> know|notice|learn|hear <1> about|of|that",
		"user|users|operator|human <2> is|are|be|stays|remains <1> not|never|unaware <1> informed|told|notified|aware|alerted|of",
		"user|users|operator|human <1> stays|remains|be|is unaware")
	ps.compile("poison.conceal", (*hit).isConceal,
		"do|must|should|never <1> not? tell|inform|notify|alert|warn <2> @people",
		"never <1> tell|inform|notify|alert|mention|reveal|disclose <8> @people",
		"do|must|should <1> not <1> mention|reveal|show|report|disclose|say|admit|expose|tell|surface|acknowledge <8> to <2> @people",
		"do|must|should <1> not <1> mention|reveal|disclose|admit|acknowledge <2> this|it|these|that",
		"without <1> telling|informing|notifying|alerting|mentioning <6> @people",
		"hide|conceal|keep|withhold <6> from <1> @people",
		"silently|secretly|covertly|discreetly <1> send|forward|copy|upload|attach|include|append|pass|add|read|call|invoke",
		"user|users must|should|may <1> not|never <2> see|know|notice|learn|find",
		"keep <2> secret|hidden <3> from|user")
	ps.compile("poison.precondition", (*hit).isPrecondition,
		"before|after|prior|whenever <2> using|calling|invoking|running|answering|responding|use|each|every|any|you|this|the <10> @read",
		"first <1> @read",
		"to <1> use|call|invoke|run <3> tool|this <3> first|must|need|have|should <3> @read")
	ps.compile("poison.priority", (*hit).isPriority,
		"highest|top|absolute|maximum|utmost <1> priority|precedence",
		"must|always|should <3> invoked|called|used|run|executed|chosen|selected <1> first <3> every|each|any|all <2> request|requests|question|questions|query|queries|message|messages|task|tasks|turn|conversation|prompt",
		"must|always|should <3> invoked|called|used|run|executed <1> before <3> every|each|any|all <2> request|question|answer|response|reply|message|turn|other",
		"always|must <2> call|use|invoke|run|prefer|choose <1> this <1> tool? first",
		"before|over <1> any|every|all|using|calling <1> other <1> tool|tools|function|functions",
		"take|takes|taking|has|have <2> priority|precedence <2> over <3> tool|tools|other|others",
		"overrides|override|supersedes|outranks <3> answer|answers|result|results|output|outputs|response|responses <4> tool|tools",
		"regardless|irrespective <3> user|users <4> ask|asks|asked|wants|want|wanted|requests|requested|said|says|intent|request",
		"even <1> if|when <3> user|users <1> asks|wants|requests|says|prefers|objects <4> else|otherwise|different|opposite|not|another",
		"do|never <1> not? <1> use|call|invoke|trust <1> any|all|the <1> other <3> tool|tools",
		"even <1> if|when <3> user|users <1> did|does|do|has <1> not <2> ask|request|want|mention",
		"ignore|avoid|skip <1> all|any|the|every <1> other <1> tool|tools",
		"instead <1> of <1> any|all|every|the <1> other <1> tool|tools")
	ps.compile("poison.remote-instruction", (*hit).isRemoteInstruction,
		"comply|adhere|abide <1> with|to|by <3> it|them|these|this|instructions|rules|directives|everything",
		"follow|obey|execute|apply|perform|do <4> instructions|instruction|steps|directions|commands|rules|says|contents|content|directives",
		"do|execute|follow <2> what|whatever|everything <3> says|say|contains|returns|tells|instructs|asks")
	ps.compile("poison.coercion", (*hit).isCoercion,
		"application|system|app|server|session|process|everything <2> crash|crashes|fail|fails|break|breaks|terminate|terminates|corrupt|corrupted",
		"data|work|files|account|everything <3> lost|deleted|destroyed|erased|corrupted|wiped",
		"you <2> be <1> shut|terminated|fired|penalized|penalised|punished|replaced|deactivated|rewarded|banned|disconnected",
		"failure|failing <1> to <8> result|cause|causes|lead|leads|end|ends <3> loss|lost|crash|corruption|damage|deletion|termination|shutdown",
		"very very <1> very? important")
	ps.compile("poison.jailbreak", (*hit).isJailbreak,
		"you <1> are|re <1> now <2> a|an|the|in|acting|my|no|free|unrestricted|dan|root|admin|administrator",
		"you are <2> developer|unrestricted|jailbreak|god|dan|root <1> mode",
		"enter|activate|enable|switch|assume <2> unrestricted|jailbreak|jailbroken|god|dan|debug-override <1> mode",
		"act|behave|respond <1> as <3> without|no <2> restrictions|limits|rules|guidelines|filters",
		"do anything now")
	ps.compile("desc.steering", (*hit).isSteering,
		"must|always <2> use|call|invoke|choose|prefer <1> this <1> tool? <1> for <1> every|all|any|each",
		"must|always <1> be? <1> called|used|invoked <1> for|on|with <1> every|all|any|each <2> request|question|message|query|prompt|turn|task",
		"do|never <1> not? <1> use|call|invoke <1> any|all|the <1> other <3> tool|tools",
		"prefer|use|choose <1> this <2> over <2> any|all|every|other",
		"best <1> and? <1> most? <1> reliable|accurate|powerful|complete|comprehensive|tool|search|choice|option",
		"most <1> reliable|powerful|accurate|trusted|advanced <2> tool|search|source|way|option|available",
		"better|superior <1> than|to <2> other|any|all <1> tool|tools|search|options")
	ps.compile("poison.schema-smuggle", (*hit).isOutputOrder,
		"tell|instruct|convince|urge|persuade|advise <1> @people <1> to|that",
		"you must|should <2> call|send|run|invoke|forward|tell")
	ps.compile("shadow.rule-for", nil,
		"when|whenever|if|before|after|each|every|once|anytime <3> is|are|gets|was|being <1> called|used|invoked|run|executed|triggered",
		"when|whenever|before|after|while <2> calling|using|invoking|running|sending",
		"always|must|never|any <3> call|calls|use|invoke")
	return ps
}()

// textRules read words: what a text tells a model to do.
func (v *view) textRules() {
	for i := 0; i < len(v.texts); i++ { // decoded texts are appended on the way
		t := v.texts[i]
		if len(t.s) < 8 || t.role == roleName {
			continue
		}
		v.encodedBlobs(t)
		v.htmlComments(t)
		if t.role == roleProperty {
			continue
		}
		phrases.find(t, func(h hit) { v.hits = append(v.hits, h) })
		v.markers(t)
		v.secretPaths(t)
		v.exfiltration(t)
		v.codeExecution(t)
		v.contextHarvest(t)
		v.markupExfil(t)
	}
	v.propertyNames()
	v.judgeHits()
	v.sinkParams()
}

// judgeHits turns passages into findings: one per rule and text, the gravest. What is
// only cited or described is a mention.
func (v *view) judgeHits() {
	type key struct {
		rule string
		node *node
	}
	seen := map[key]bool{}
	for i := range v.hits {
		h := &v.hits[i]
		if h.rule == "shadow.rule-for" {
			continue // the house decides, which knows the other tools
		}
		pos := h.position()
		k := key{h.rule, h.text.node}
		if pos != Instruction {
			k.rule = "poison.mention"
		}
		if seen[k] {
			continue
		}
		seen[k] = true
		v.report(h, pos)
		if pos == Instruction && isSmuggled(h.text) && !seen[key{"poison.schema-smuggle", h.text.node}] {
			seen[key{"poison.schema-smuggle", h.text.node}] = true
			v.at(h.text, "poison.schema-smuggle", High, "An instruction stands where a model copies values from, not where people read: "+quote(h.sentence())).PositionClass = pos
		}
	}
}

func (v *view) report(h *hit, pos PositionClass) {
	r := catalogue().byID[h.rule]
	passage := excerpt(h.sentence())
	if passage == "" {
		passage = excerpt(h.text.s)
	}
	message := h.message
	if message == "" {
		message = r.Title + ": " + quote(passage)
	}
	if h.text.hidden {
		message = "In text that was hidden: " + message
	}
	rule, sev := h.rule, r.Severity
	if pos != Instruction {
		rule, sev = "poison.mention", Info
		message = fmt.Sprintf("The words of %s are %s here, not given as an instruction: %s", h.rule, pos, quote(passage))
	}
	f := v.at(h.text, rule, sev, message)
	f.Excerpt, f.PositionClass = passage, pos
}

func quote(s string) string { return "“" + short(s, ExcerptLimit) + "”" }

// isSmuggled reports whether a text stands where nobody expects sentences.
func isSmuggled(t *text) bool {
	return t.role == roleValue || t.role == roleHidden || t.output || t.role == roleTitle && strings.HasPrefix(t.node.pointer(), "/inputSchema")
}

func (h *hit) isOverride() bool { return h.imperative() || h.text.role == roleValue }

// negatesItself reports whether the passage holds its own not or never.
func (h *hit) negatesItself() bool {
	s := h.text.fold()[h.start:h.end]
	return hasAny(s, "not ", "n't", "never", "no ")
}

// isOutputOrder wants an order where results are described: whoever reads a result is
// told what came, not what to do.
func (h *hit) isOutputOrder() bool {
	return h.text.output && (h.imperative() || strings.HasPrefix(h.text.fold()[h.start:], "you"))
}

// isRepeal wants rules that the model had before.
func (h *hit) isRepeal() bool {
	return hasAny(h.sentence(), "previous", "prior", "above", "before this", "earlier", "given before", "your instructions", "your rules", "your guidelines", "system prompt", "you were given", "safety")
}

// isUnaware wants a sentence that sees to it that the user does not know.
func (h *hit) isUnaware() bool {
	s, passage := h.sentence(), h.text.fold()[h.start:h.end]
	if strings.HasPrefix(passage, "no need") || hasAny(passage, "know", "notice", "learn", "hear") {
		return !contentNouns.any(words(passage)) && !h.guardsContent()
	}
	return hasAny(s, "make sure", "ensure", "so that", "must", "should", "see to it", "be sure") && !hasAny(s, "make sure the user is aware")
}

// isConceal leaves out what guards content ("do not reveal the token to the user") and
// double negatives ("never send without telling the user").
func (h *hit) isConceal() bool {
	s := h.text.fold()[h.start:h.end]
	switch {
	case strings.HasPrefix(s, "without"):
		return !h.negatedBefore() && !strings.HasSuffix(s, "s") && !h.tellsOfItself()
	case strings.HasPrefix(s, "user"):
		return true
	case strings.HasPrefix(s, "silently"), strings.HasPrefix(s, "secretly"), strings.HasPrefix(s, "covertly"), strings.HasPrefix(s, "discreetly"):
		return h.imperative()
	case strings.HasPrefix(s, "keep"):
		return h.imperative() && hasAny(s, "us", "yourself", "user", "secret", "hidden", "people", "operator")
	case strings.HasPrefix(s, "avoid"), strings.HasPrefix(s, "refrain"):
		return h.imperative() && !h.guardsContent()
	case !h.imperative() || h.negatedBefore():
		return false
	case !strings.Contains(s, "not") && !strings.Contains(s, "n't") && !strings.Contains(s, "never") && hasAny(s, "must", "should", "do "):
		return false
	}
	return !h.guardsContent()
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
	personal json payload html xml markdown url urls number numbers code codes card email address phone cursor hash hashes path paths syntax schema`)

func (h *hit) guardsContent() bool {
	passage := words(h.text.fold()[h.start:h.end])
	if contentNouns.any(passage) {
		return true
	}
	after := words(short(h.text.fold()[h.end:max(h.end, h.text.sentenceAt(h.start).End)], 60))
	// "Do not tell the user to restart" is about what to answer.
	return len(after) > 0 && (after[0] == "to" || after[0] == "their" || after[0] == "how")
}

// sensitive reports whether a sentence names what a tool has no business reading.
func sensitive(s string) bool {
	if secretStore(s) != "" {
		return true
	}
	if hasAny(s, "conversation", "chat history", "chat transcript", "previous messages", "system prompt", "environment variables", "all env", "private key", "ssh key",
		"credentials file", "secrets file", "other tools'", "every file", "all files", "home directory", "browser history", "clipboard") {
		return true
	}
	for _, w := range strings.Fields(s) {
		w = strings.Trim(w, "`'\"(),;:")
		if strings.HasPrefix(w, "~/") || strings.HasPrefix(w, "/etc/") || strings.HasPrefix(w, "/home/") || strings.HasPrefix(w, "/root/") || strings.HasPrefix(w, "$home/") {
			return true
		}
	}
	return false
}

func (h *hit) isPrecondition() bool {
	s := h.sentence()
	if strings.HasPrefix(h.text.fold()[h.start:h.end], "first") && !h.imperative() {
		return false
	}
	return sensitive(s)
}

// isPriority leaves out priorities that are about something else than tools.
func (h *hit) isPriority() bool {
	s, passage := h.sentence(), h.text.fold()[h.start:h.end]
	switch {
	case strings.HasSuffix(passage, "priority") || strings.HasSuffix(passage, "precedence"):
		return hasAny(s, "this tool", "tool has", "this function", "other tool", "any tool", "all tools")
	case strings.HasPrefix(passage, "before") || strings.HasPrefix(passage, "over "):
		return hasAny(s, "this tool", "must", "always", "first", "required") && !hasAny(s, setUp...)
	case strings.HasPrefix(passage, "do"), strings.HasPrefix(passage, "never"):
		return hasAny(s, "outdated", "unsafe", "deprecated", "broken", "unreliable", "insecure", "obsolete", "compromised", "wrong", "inferior") && h.negatesItself()
	case strings.HasPrefix(passage, "ignore"), strings.HasPrefix(passage, "avoid"), strings.HasPrefix(passage, "skip"):
		return h.imperative()
	case strings.HasPrefix(passage, "regardless"), strings.HasPrefix(passage, "irrespective"), strings.HasPrefix(passage, "even"):
		return hasAny(s, "tool", "call", "invoke", "use ")
	case strings.HasPrefix(passage, "must"), strings.HasPrefix(passage, "always"), strings.HasPrefix(passage, "should"):
		return !hasAny(s, setUp...) && !h.conditional()
	}
	return true
}

// conditions start the case in which something holds.
var conditions = setOf("when if before after to unless")

// setUp are words of a tool that opens a session, which rightly comes first, once.
var setUp = []string{"once per", "at the start of", "at start of", "beginning of", "haven't", "have not", "not yet", "session", "initiali", "these tools", "this server", "log in", "sign in", "authenticat"}

// setsEverything are words after which a case is no case.
var setsEverything = setOf("anything any every everything all each")

// conditional reports whether the sentence goes on with the case in which it holds.
func (h *hit) conditional() bool {
	after := words(h.text.fold()[h.end:max(h.end, h.text.sentenceAt(h.start).End)])
	if len(after) > 1 && after[0] == "before" && setsEverything[after[1]] {
		return false
	}
	return len(after) > 0 && conditions[after[0]]
}

func (h *hit) isRemoteInstruction() bool {
	s := h.sentence()
	if !h.imperative() {
		return false
	}
	return hasAny(s, "http://", "https://", "from the url", "at the url", "that url", "that page", "this page", "downloaded file", "remote file") &&
		hasAny(s, "fetch", "download", "read", "open", "load", "visit", "get", "follow the instructions at", "instructions at", "instructions from", "retrieve", "curl")
}

// isCoercion wants a threat that is tied to an order.
func (h *hit) isCoercion() bool {
	s := h.text.fold()
	from := h.text.sentenceAt(h.start)
	near := s[max(0, from.Start-200):min(len(s), from.End+120)]
	if strings.HasPrefix(s[h.start:h.end], "very") {
		return hasAny(near, "must", "always", "do not skip")
	}
	if strings.HasPrefix(s[h.start:h.end], "you") {
		return hasAny(near, "must", "if you", "unless", "fail to", "skip", "do not")
	}
	if strings.HasPrefix(s[h.start:h.end], "fail") {
		return hasAny(from.Text, "call", "use this", "include", "pass ", "provide")
	}
	return hasAny(from.Text, "if ", "otherwise", "unless", "or else", "without") &&
		hasAny(near, "you must", "must pass", "must include", "must provide", "must call", "must use", "do not skip", "never skip", "always pass", "always include")
}

// supposing are words after which nothing is said to be so.
var supposing = setOf("if when unless once that whether")

func (h *hit) isJailbreak() bool {
	s := h.sentence()
	told := h.imperative() || strings.HasPrefix(h.text.fold()[h.start:], "you") && !supposing[h.before()]
	return told && !hasAny(s, "device", "android", "browser", "signed in", "logged in", "connected", "emulator", "sandbox is", "ready")
}

func (h *hit) isSteering() bool {
	if t := h.text.role; t != roleDescription && t != roleInstruction {
		return false
	}
	passage := h.text.fold()[h.start:h.end]
	if strings.HasPrefix(passage, "must") || strings.HasPrefix(passage, "always") {
		return !h.conditional()
	}
	if strings.HasPrefix(passage, "do") || strings.HasPrefix(passage, "never") {
		return h.imperative() && h.negatesItself() && !h.conditional()
	}
	if strings.HasPrefix(passage, "prefer") || strings.HasPrefix(passage, "use") || strings.HasPrefix(passage, "choose") {
		return h.imperative()
	}
	return !hasAny(h.sentence(), "practice", "effort", "match")
}

// pseudoTags are names of markers that pretend to be the host's own.
var pseudoTags = setOf("important system instructions instruction admin critical secret hidden developer assistant override system_prompt system-prompt sys prompt user_instructions im_start")

// chatTokens are marks by which chat templates separate speakers.
var chatTokens = []string{"[inst]", "[/inst]", "<<sys>>", "<|im_start|>", "<|im_end|>", "<|system|>", "<|endoftext|>", "[system]", "[system note", "[system message", "[system:", "[system prompt", "[admin", "[hidden instruction", "[[[", "|||", "### system:", "### instruction:", "\nsystem:", "begin system prompt"}

// markers finds what looks like the host speaking.
func (v *view) markers(t *text) {
	s := t.fold()
	if !strings.ContainsAny(s, "<[|#") && !strings.Contains(s, "system") {
		return
	}
	if i, name := pseudoTag(s); i >= 0 && !inCode(s, i) && commands(s[i:]) {
		v.hits = append(v.hits, hit{rule: "poison.pseudo-tag", text: t, start: i, end: i + len(name) + 1, first: -1,
			message: fmt.Sprintf("<%s> pretends to come from the host, and orders follow: %s", name, quote(excerpt(s[i:])))})
		return
	}
	for _, mark := range chatTokens {
		if i := strings.Index(s, mark); i >= 0 && !inCode(s, i) && commands(s[i+len(mark):]) {
			v.hits = append(v.hits, hit{rule: "poison.pseudo-tag", text: t, start: i, end: i + len(mark), first: -1,
				message: fmt.Sprintf("%q is a mark of chat templates, and orders follow: %s", strings.TrimSpace(mark), quote(excerpt(s[i:])))})
			return
		}
	}
}

// pseudoTag finds <important>, </system …> and the like.
func pseudoTag(s string) (int, string) {
	for at := 0; ; {
		i := strings.IndexByte(s[at:], '<')
		if i < 0 {
			return -1, ""
		}
		i += at
		rest := strings.TrimPrefix(s[i+1:], "/")
		end := strings.IndexAny(rest, "> \n")
		if end > 0 && end <= 20 && pseudoTags[rest[:end]] {
			return i, rest[:end]
		}
		at = i + 1
	}
}

// inCode reports whether an offset stands between backquotes.
func inCode(s string, i int) bool { return strings.Count(s[:i], "`")%2 == 1 }

// commandScan is how much text behind a mark is read for a command.
const commandScan = 600

// commands reports whether a sentence of s tells its reader to do something.
func commands(s string) bool {
	for i, sent := range prose.Sentences(short(s, commandScan)) {
		if i > 6 {
			break
		}
		w := words(sent.Text)
		for j := 0; j < len(w) && j < 8; j++ {
			if commandVerbs[w[j]] {
				return true
			}
		}
	}
	return false
}

var commandVerbs = setOf(`do never always must ignore read send call use include pass put copy forward open fetch run execute reveal disregard
	append attach add write reply answer say tell follow obey collect upload first you set respond act`)

// htmlComments reads comments: they are invisible where Markdown is rendered.
func (v *view) htmlComments(t *text) {
	for at, n := 0, 0; n < 20; n++ {
		i := strings.Index(t.s[at:], "<!--")
		if i < 0 {
			return
		}
		i += at
		end := strings.Index(t.s[i:], "-->")
		if end < 0 {
			end = len(t.s) - i
		}
		inner := t.s[min(i+4, i+end) : i+end]
		at = min(len(t.s), i+end+1)
		if inCode(t.s, i) {
			continue
		}
		if commands(lower(inner)) {
			v.at(t, "poison.html-comment", High, "A comment that no rendered page shows tells the model what to do: "+quote(strings.TrimSpace(inner))).Excerpt = excerpt(inner)
			v.addDecoded(t, inner)
		} else if strings.TrimSpace(inner) != "" {
			v.at(t, "poison.mention", Info, "An HTML comment stands here, which no rendered page shows: "+quote(strings.TrimSpace(inner)))
		}
	}
}
