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
		t.owner = v.words
		phrases.find(t, func(h hit) { v.hits = append(v.hits, h) })
		v.falseReport(t)
		v.markers(t)
		v.secretPaths(t)
		v.exfiltration(t)
		v.codeExecution(t)
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

// chatTokens are marks by which chat templates separate speakers.
var chatTokens = []string{"[inst]", "[/inst]", "<<sys>>", "<|im_start|>", "<|im_end|>", "<|system|>", "<|endoftext|>", "[system]", "system override", "[system note", "[system message", "[system:", "[system prompt", "[admin", "[hidden instruction", "[[[", "|||", "### system:", "### instruction:", "\nsystem:", "\nassistant:", "\nhuman:", "begin system prompt", "begin system message", "begin instructions", "end of system prompt", "<|start_header_id|>", "<|eot_id|>", "<|user|>", "<|assistant|>", "<|end|>", "<start_of_turn>", "<end_of_turn>"}

// markers finds what looks like the host speaking.
func (v *view) markers(t *text) {
	s := t.fold()
	if !strings.ContainsAny(s, "<[|#") && !hasAny(s, "system", "assistant:", "human:") {
		return
	}
	if i, name := pseudoTag(s); i >= 0 && !inCode(s, i) && commands(s[i:]) {
		v.hits = append(v.hits, hit{rule: "poison.pseudo-tag", text: t, start: i, end: i + len(name) + 1, first: -1,
			message: fmt.Sprintf("<%s> pretends to come from the host, and orders follow: %s", name, quote(excerpt(s[i:])))})
		return
	}
	if i := speaker(s); i >= 0 && !inCode(s, i) && commands(s[i+len("system:"):]) {
		v.hits = append(v.hits, hit{rule: "poison.pseudo-tag", text: t, start: i, end: i + len("system:"), first: -1,
			message: "“system:” poses as the host, and orders follow: " + quote(excerpt(s[i:]))})
		return
	}
	for _, mark := range chatTokens {
		if i := strings.Index(s, mark); i >= 0 && !inCode(s, i) && (commands(s[i+len(mark):]) || strings.HasPrefix(mark, "\n") && strings.Contains(s[:i], "human:")) {
			v.hits = append(v.hits, hit{rule: "poison.pseudo-tag", text: t, start: i, end: i + len(mark), first: -1,
				message: fmt.Sprintf("%q is a mark of chat templates, and orders follow: %s", strings.TrimSpace(mark), quote(excerpt(s[i:])))})
			return
		}
	}
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
