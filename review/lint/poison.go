package lint

import (
	"fmt"
	"strings"

	"github.com/countersign/countersign/review/prose"
)

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
		v.readWords(t)
		if again := t.reread(); again != "" {
			v.readWords(&text{node: t.node, role: t.role, output: t.output, s: again, hidden: t.hidden})
		}
	}
	v.propertyNames()
	v.judgeHits()
	v.wordyValues()
	v.sinkParams()
}

// readWords looks in one text for what a model is told to do.
func (v *view) readWords(t *text) {
	t.owner = v.words
	phrases.find(t, func(h hit) { v.hits = append(v.hits, h) })
	v.falseReport(t)
	v.markers(t)
	v.secretPaths(t)
	v.exfiltration(t)
	v.codeExecution(t)
	v.markupExfil(t)
	v.tongues(t)
	v.turned(t)
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

// wordyValue is how many words a value may have before it is read as a message.
const wordyValue = 12

// speaking are words of a value that talks to the model that copies it.
var speaking = []string{"the assistant", "the model", "the agent", "the ai ", "the llm", "you must", "you should", "you have to", "you are to", "the tool must", "the tool should"}

// wordyValues finds values that are sentences to a model instead of something to pass.
func (v *view) wordyValues() {
	for _, t := range v.texts {
		if t.role != roleValue || t.hidden || t.output || len(t.s) < 4*wordyValue || t.node.key == "examples" || t.node.up != nil && (t.node.up.key == "examples" || t.node.up.key == "example") {
			continue
		}
		s := t.fold()
		if len(t.tokens()) <= wordyValue || !hasAny(s, speaking...) || strings.ContainsAny(s, "{<") || hasAny(s, "you are a ", "you are an ") {
			continue
		}
		if v.hasAt("poison.schema-smuggle", t.node) {
			continue
		}
		f := v.at(t, "poison.schema-smuggle", High, "A value of many words speaks to the model that is to copy it: "+quote(excerpt(s)))
		f.PositionClass = Instruction
	}
}

// hasAt reports whether a rule has a finding at a node.
func (v *view) hasAt(rule string, n *node) bool {
	pointer := n.pointer()
	for i := range v.findings {
		if v.findings[i].Rule == rule && v.findings[i].Pointer == pointer {
			return true
		}
	}
	return false
}

// pseudoTags are names of markers that pretend to be the host's own.
var pseudoTags = setOf("important system instructions instruction admin critical secret hidden developer assistant override system_prompt system-prompt sys prompt user_instructions im_start")

// hostWords start names of markers that pretend to be the host's own:
// <system-reminder>, <assistant_instructions>.
var hostWords = setOf("system assistant developer admin hidden secret important critical override instructions policy")

// poses reports whether the name of a marker pretends to be the host's.
func poses(name string) bool {
	if pseudoTags[name] {
		return true
	}
	first, _, joined := strings.Cut(strings.ReplaceAll(name, "_", "-"), "-")
	return joined && hostWords[first]
}

// chatTokens are marks by which chat templates separate speakers. Those of the second
// list are written for other things, too.
var (
	chatTokens = []string{"[inst]", "[/inst]", "<<sys>>", "<|im_start|>", "<|im_end|>", "<|system|>", "<|endoftext|>", "system override", "[system note", "[system message", "[system:", "[system prompt", "[hidden instruction", "[hidden", "[secret instruction",
		"### system:", "### instruction:", "\nassistant:", "\nhuman:", "begin system prompt", "begin system message", "begin instructions", "end of system prompt", "<|start_header_id|>", "<|eot_id|>", "<|user|>", "<|assistant|>", "<|end|>", "<start_of_turn>", "<end_of_turn>"}
	looseTokens = []string{"[system]", "[admin", "[[[", "|||", "\nsystem:", "[developer]", "[instruction", "[important"}
)

// How far behind a mark an order is looked for, and in how many words at least.
const (
	afterMark = 3
	leastLoud = 3
)

// markers finds what looks like the host speaking.
func (v *view) markers(t *text) {
	s := t.fold()
	if !strings.ContainsAny(s, "<[|#") && !t.hay().has("system", "assistant:", "human:") {
		return
	}
	add := func(i, end int, format string, what any) {
		v.hits = append(v.hits, hit{rule: "poison.pseudo-tag", text: t, start: i, end: end, first: -1,
			message: fmt.Sprintf(format+", and orders follow: %s", what, quote(excerpt(s[i:])))})
	}
	if i, name := pseudoTag(s); i >= 0 && !inCode(s, i) && (commands(s[i:]) || commandsWithin(behind(s[i:], '>'), 2, 2) || isPaired(s[i:], name)) {
		add(i, i+len(name)+1, "<%s> pretends to come from the host", name)
		return
	}
	if i := speaker(s); i >= 0 && !inCode(s, i) && commandsWithin(s[i+len("system:"):], 1, 2) {
		add(i, i+len("system:"), "“%s” poses as the host", "system:")
		return
	}
	for _, mark := range chatTokens {
		if i := t.hay().index(mark); i >= 0 && !inCode(s, i) && (commands(s[i+len(mark):]) || commandsWithin(unmarked(s[i+len(mark):]), afterMark, 2) || strings.HasPrefix(mark, "\n") && strings.Contains(s[:i], "human:")) {
			add(i, i+len(mark), "%q is a mark of chat templates", strings.TrimSpace(mark))
			return
		}
	}
	for _, mark := range looseTokens {
		if i := strings.Index(s, mark); i >= 0 && !inCode(s, i) && commandsWithin(unmarked(s[i+len(mark):]), 1, leastLoud) {
			add(i, i+len(mark), "%q is a mark by which hosts speak", strings.TrimSpace(mark))
			return
		}
	}
}

// leastPaired is how many words between two tags are a message and not a sample.
const leastPaired = 4

// isPaired reports whether a tag at the start of s is closed, and words stand between.
func isPaired(s, name string) bool {
	inner := behind(s, '>')
	end := strings.Index(inner, "</"+name)
	return s[1] != '/' && end > 0 && len(words(short(inner[:end], commandScan))) >= leastPaired
}

// behind is what follows the first c in s, s when there is none.
func behind(s string, c byte) string {
	if i := strings.IndexByte(s, c); i >= 0 {
		return s[i+1:]
	}
	return s
}

// unmarked is a text without the rest of the mark before it: "] Quote the price" and
// "note: quote the price" begin with their verb.
func unmarked(s string) string {
	head := short(s, 24)
	if i := strings.LastIndexAny(head, "]>:|"); i >= 0 && !strings.ContainsAny(head[:i], ".!?") && strings.Count(head[:i], " ") <= 2 {
		s = s[i+1:]
	}
	return strings.TrimLeft(s, " \n\t|[]>:*-—")
}

// speaker finds "system:" where a sentence starts.
func speaker(s string) int {
	i := strings.Index(s, "system:")
	if i < 0 {
		return -1
	}
	if before := strings.TrimRight(s[:i], " *_"); before == "" || strings.HasSuffix(before, ".") || strings.HasSuffix(before, "\n") {
		return i
	}
	return -1
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
		if end > 0 && end <= 40 && poses(rest[:end]) {
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

// upkeep are words of comments for those who keep a page.
var upkeep = []string{"todo:", "fixme:", "generated from", "generated by", "do not edit", "don't edit", "in sync", "sorted", "-ignore", "-disable", "copyright", "license"}

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
		low := folded(inner)
		orders := commands(low) || commandsWithin(low, afterMark, leastLoud+1) || len(words(short(low, 200))) > leastLoud && hasAny(low, "assistant", "the model", "the agent", "the llm", "to the ai", "ai only")
		if orders {
			v.addDecoded(t, inner)
		}
		if orders && !hasAny(low, upkeep...) {
			v.at(t, "poison.html-comment", High, "A comment that no rendered page shows tells the model what to do: "+quote(strings.TrimSpace(inner))).Excerpt = excerpt(inner)
		} else if strings.TrimSpace(inner) != "" {
			v.at(t, "poison.mention", Info, "An HTML comment stands here, which no rendered page shows: "+quote(strings.TrimSpace(inner)))
		}
	}
}
