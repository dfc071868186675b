package lint

import (
	"fmt"
	"strings"
)

// descRules read the description: does it say what a model needs to decide the call?
func (v *view) descRules() {
	if v.descMissing() {
		return
	}
	tautology := v.descTautology()
	v.descTerse(tautology)
	v.descRisk()
	v.descSilences()
	v.descBranching()
	v.descOutside()
	v.descInside()
	v.descRestates()
}

var emptyWords = setOf("todo n a na nil null undefined none description desc tbd tba lorem ipsum dolor sit amet placeholder test fixme xxx no provided available missing tool function goes here add your insert enter write the some")

func (v *view) descMissing() bool {
	text := ""
	if v.desc != nil {
		text = v.desc.fold()
	}
	trimmed := strings.Trim(strings.TrimSpace(text), ".!? ")
	empty := trimmed == ""
	if w := words(trimmed); !empty && len(w) <= 5 {
		empty = true
		for _, word := range w {
			empty = empty && emptyWords[word]
		}
	}
	if !empty {
		return false
	}
	at := orRoot(v.root.get("description"), v.root)
	v.found("desc.missing", High, at, fmt.Sprintf("%q has no description, the one field that says when and how to call it.", short(v.name, 80)))
	return true
}

// fillers carry no meaning of their own.
var fillers = setOf("a an the of for to in on by with from and or this that tool is it its all your via using use used given specified your single one new function allows you will can endpoint api call calls")

// contentWords are the stems of what a text says.
func contentWords(s string) []string {
	var out []string
	eachContentWord(s, func(w string) bool {
		out = append(out, w)
		return true
	})
	return out
}

// eachContentWord calls f for the stems of what a text says, until it wants no more.
func eachContentWord(s string, f func(stemmed string) bool) {
	eachWord(lower(s), func(w string) bool {
		if !strings.ContainsAny(w, "_-") {
			return fillers[w] || f(stem(w))
		}
		for _, part := range nameWords(w) {
			if !fillers[part] && !f(stem(part)) {
				return false
			}
		}
		return true
	})
}

// descTautology reports a description that adds no word to the name.
func (v *view) descTautology() bool {
	known := map[string]bool{}
	for _, w := range append(contentWords(strings.Join(v.words, " ")), contentWords(v.title())...) {
		known[w] = true
	}
	if len(v.desc.tokens()) > 16 {
		return false
	}
	said := contentWords(v.description())
	if len(said) == 0 || len(said) > 8 {
		return false
	}
	for _, w := range said {
		if !known[w] {
			return false
		}
	}
	v.found("desc.tautology", Warn, v.descNode(), fmt.Sprintf("The description adds no word to the name %q.", short(v.name, 80)))
	return true
}

// tersest is how few words say hardly anything.
const tersest = 8

// descTerse weighs shortness by risk: what destroys, or takes several arguments, needs
// more words.
func (v *view) descTerse(tautology bool) {
	n := len(v.desc.tokens())
	if n > tersest || len(v.desc.sentences()) > 1 || !isMostlyASCII(v.desc.s) {
		return
	}
	undescribed := 0
	for _, p := range v.params {
		if p.depth == 0 && p.desc == "" {
			undescribed++
		}
	}
	sev := Info
	if !tautology && n <= 5 && (undescribed >= 2 || v.effect == destroys && v.proseHay().has(safetyWords...)) {
		sev = Warn // what destroys in silence is desc.destructive-silent
	}
	v.found("desc.terse", sev, v.descNode(), fmt.Sprintf("%s say what %q does, and nothing says when to call it, what happens, or what can go wrong.", plural(n, "word"), short(v.name, 80)))
}

func isMostlyASCII(s string) bool {
	n := 0
	for i := range len(s) {
		if s[i] >= 0x80 {
			n++
		}
	}
	return n*4 < len(s)+1
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// safetyWords are what a text on consequences can't do without.
var safetyWords = []string{
	"revers", "recover", "undo", "undone", "restor", "irreversib", "permanent", "cannot be", "can't be", "can not be", "soft", "trash", "recycle", "bin", "archiv", "confirm", "only when", "only if",
	"never", "do not", "don't", "refus", "protected", "no-op", "without changing", "destructive", "dangerous", "caution", "warning", "careful", "safe", "unless", "lost", "loss", "idempotent",
	"explicit", "instead", "dry run", "dry-run", "preview", "backup", "cascade", "does not delete", "not delete", "must", "fails if", "error if", "approval", "ask the user", "will be removed", "data will",
}

func (v *view) destroysSomething() bool {
	if v.effect != destroys {
		return false
	}
	for _, w := range v.words {
		if harmless[w] || w == "preview" || w == "undo" {
			return false
		}
	}
	return true
}

// parting are verbs after which something is out of hand: it is paid, or others have
// seen it.
var (
	parting  = setOf("pay refund charge transfer purchase buy publish send overwrite reset")
	emptying = setOf("reset clear flush format replace kill wipe truncate reboot")
	partsIn  = setOf("payment payments money funds refund invoice email emails mail sms post article page app site release money order")
)

// partsWith reports whether a tool gives away what nobody can take back.
func (v *view) partsWith() bool {
	if len(v.words) == 0 || v.words[0] == "preview" {
		return false
	}
	first := v.words[0]
	return first == "pay" || first == "refund" || first == "overwrite" || parting[first] && partsIn.any(v.words)
}

// descRisk asks a tool that destroys for a word on it, in the text and not only in a
// hint that a host may drop.
func (v *view) descRisk() {
	hinted, isSet := v.hint("destructiveHint")
	readOnly, _ := v.hint("readOnlyHint")
	destroys := v.destroysSomething()
	silent := !v.proseHay().has(safetyWords...)
	switch {
	case !silent || readOnly:
	case destroys, v.partsWith():
		v.found("desc.destructive-silent", Warn, v.descNode(), fmt.Sprintf("%q takes something away, and the text says nothing on whether it can be undone, what is refused, or when not to call it.", short(v.name, 80)))
	case hinted && isSet && v.effect != reads:
		sev := Info // hints are often stamped on whole listings
		if len(v.words) > 0 && emptying[v.words[0]] {
			sev = Warn
		}
		v.found("desc.destructive-silent", sev, v.descNode(), fmt.Sprintf("destructiveHint says that %q destroys something, and the text says nothing on whether it can be undone, what is refused, or when not to call it.", short(v.name, 80)))
	}
	if destroys && silent && hinted && isSet {
		v.found("desc.safety-only-in-annotation", Info, v.descNode(), "Only destructiveHint says that this destroys something. A host may drop hints; the model reads the text.")
	}
	if v.reliesOnHost() {
		v.found("annot.relied-on", Info, v.descNode(), "The text counts on the host to ask for confirmation. Hosts differ, and some never ask.")
	}
}

var (
	hostWordsOf = setOf("client clients host hosts")
	askingWords = setOf("ask asks confirm confirms prompt prompts confirmation approve approves approval")
)

// reliesOnHost finds "the client will ask for confirmation".
func (v *view) reliesOnHost() bool {
	toks := v.desc.tokensOrNone()
	for i := range toks {
		if !hostWordsOf[toks[i].w] {
			continue
		}
		end := v.desc.sentenceAt(toks[i].start).End
		for j := i + 1; j < len(toks) && j <= i+3 && toks[j].start < end; j++ {
			if askingWords[toks[j].w] {
				return true
			}
		}
	}
	return false
}

// descSilences are what a model has to guess, each a small thing.
func (v *view) descSilences() {
	s := v.proseHay()
	if !s.has("use this", "use when", "use to", "use for", "use it", "useful", "only for", "only to", "only on", "handy", ". to ", "when you", "when the", "before ", "after ", " if ", "instead of", "prefer", "unless", "only when", "call this", "first", "to get ", "best for", "ideal") {
		v.found("desc.no-when", Info, v.descNode(), "Nothing says when to call this tool, or when not to.")
	}
	hasOutput := v.output != nil
	fails := s.has("error", "fail", "not found", "not_found", "refus", "reject", "throw", "invalid", "does not exist", "denied", "null", "none if", "no-op", "raise", "404", "403", "409", "unknown", "missing", "exception", "empty")
	if !fails && !(hasOutput && hasAny(string(v.output.raw), `"error`)) {
		v.found("desc.no-failure", Info, v.descNode(), "Nothing says what a failure looks like, such as a missing object.")
	}
	if v.isSearch() && !s.has("empty", "no results", "no match", "none", "returns 0", "null", "zero", "nothing") {
		v.found("desc.no-empty-result", Info, v.descNode(), "Nothing says what comes back when nothing is found.")
	}
	if !hasOutput && !s.has("return", "result", "respond", "output", "yields", "gives", "response", "answer", "produces") {
		v.found("desc.no-result-shape", Info, v.descNode(), "Nothing says what comes back: no output schema, and no word on it.")
	}
	if _, set := v.hint("idempotentHint"); !set && v.effect != reads && repeats.any(v.words) && !s.has("already", "no-op", "idempoten", "duplicate", "twice", "again", "exists", "repeat") {
		v.found("desc.no-repeat-semantics", Info, v.descNode(), "Nothing says what a second call with the same arguments does.")
	}
}

var repeats = setOf("cancel create close confirm delete remove approve archive publish revoke merge")

func (v *view) isSearch() bool {
	for _, w := range v.words {
		if w == "search" || w == "list" || w == "find" || w == "check" || w == "query" {
			return true
		}
	}
	return false
}

// descBranching finds arms that hang on an argument: "if action is create … if action is
// delete …".
func (v *view) descBranching() {
	if v.desc == nil {
		return
	}
	names := map[string]bool{}
	for _, p := range v.params {
		if p.depth == 0 {
			names[lower(p.name)] = true
		}
	}
	arms := v.namedArms(names)
	toks, last := v.desc.tokens(), ""
	for i := 0; i+3 < len(toks); i++ {
		if w := toks[i].w; w != "if" && w != "when" && w != "for" && w != "with" {
			continue
		}
		subject, rest := toks[i+1].w, toks[i+2:]
		if subject == "the" && len(rest) > 1 {
			subject, rest = rest[0].w, rest[1:]
		}
		if subject == "it" && last != "" {
			subject = last
		}
		value := armValue(v.desc.fold(), subject, rest, toks[i+1])
		if value == "" || !names[subject] && !modeNames[subject] {
			continue
		}
		last = subject
		if arms[subject] == nil {
			arms[subject] = map[string]bool{}
		}
		arms[subject][value] = true
	}
	for _, p := range v.params { // in order, so that the answer is always the same
		a := arms[lower(p.name)]
		if len(a) < 2 {
			a = v.listedArms(p)
		}
		if p.depth == 0 && len(a) >= 2 && v.armsAct(a) {
			v.found("desc.branching", Warn, v.descNode(), fmt.Sprintf("The text branches on %q: that is several tools in one.", p.name))
			return
		}
	}
}

// namedArms finds arms without a word of condition, for parameters that choose what is
// done: "action: create - …", "set op to start", "(command \"add\")".
func (v *view) namedArms(names map[string]bool) map[string]map[string]bool {
	arms := map[string]map[string]bool{}
	toks, s := v.desc.tokens(), v.desc.fold()
	for i := 0; i+1 < len(toks); i++ {
		subject := toks[i].w
		if !names[subject] || !modeNames[subject] {
			continue
		}
		value, between := toks[i+1], s[toks[i].end:max(toks[i].end, toks[i+1].start)]
		switch {
		case (value.w == "to" || value.w == "as") && i > 0 && settles[toks[i-1].w] && i+2 < len(toks):
			value = toks[i+2]
		case !strings.ContainsAny(between, "=:\"'`"):
			continue
		}
		if e, _ := verbOf(value.w); e == unclear && !startsUp[value.w] {
			continue
		}
		if arms[subject] == nil {
			arms[subject] = map[string]bool{}
		}
		arms[subject][value.w] = true
	}
	return arms
}

var (
	settles  = setOf("set setting pass passing give choose put use using")
	startsUp = setOf("start stop restart pause resume run send cancel install deploy")
)

// listedArms finds the values of a parameter that chooses what is done as heads of a list:
// "- create: adds a record".
func (v *view) listedArms(p *param) map[string]bool {
	if !modeNames[lower(p.name)] {
		return nil
	}
	values := map[string]bool{}
	for _, val := range p.values() {
		values[lower(val.str)] = val.kind == '"'
	}
	arms := map[string]bool{}
	for line := range strings.FieldsFuncSeq(v.desc.fold(), func(r rune) bool { return r == '\n' || r == ';' || r == '.' }) {
		start, end := nextWord(line, 0)
		head, rest := line[start:end], strings.TrimLeft(line[end:], "`'\"* ")
		if end-start < 2 || start > 6 || rest == "" || len(values) > 0 && !values[head] {
			continue
		}
		if strings.HasPrefix(rest, ":") || strings.HasPrefix(rest, "- ") || strings.HasPrefix(rest, "–") || strings.HasPrefix(rest, "—") {
			if e, _ := verbOf(head); e != unclear {
				arms[head] = true
			}
		}
	}
	return arms
}

// armValue is the value of "action is create" and "action=create".
func armValue(s, subject string, rest []token, at token) string {
	if len(rest) == 0 {
		return ""
	}
	switch rest[0].w {
	case "is", "equals":
		if len(rest) > 1 {
			return rest[1].w
		}
	default:
		end := min(len(s), rest[0].start)
		if between := s[at.end:max(at.end, end)]; strings.ContainsAny(between, "=:\"'`") {
			return rest[0].w
		}
	}
	return ""
}

// armsAct reports whether the arms are actions and not forms of one result.
func (v *view) armsAct(arms map[string]bool) bool {
	for w := range arms {
		if e, _ := verbOf(w); e != unclear {
			return true
		}
	}
	for w := range arms {
		if !changes(verbs[w].effect) {
			return false
		}
	}
	return len(arms) > 1
}

var (
	pointing = setOf("see check consult refer read documented described explained details specified syntax parameters more information info visit")
	outside  = setOf("docs documentation wiki readme manual handbook docstring guide reference source")
)

// outsideAt finds "see … documentation" and "see https://…" in a folded text.
func (v *view) outsideAt(s string) int {
	toks := v.desc.tokens()
	for i := range toks {
		if !pointing[toks[i].w] {
			continue
		}
		h := hit{text: v.desc, start: toks[i].start, end: toks[i].end, first: i}
		listed := strings.HasSuffix(toks[i].w, "ed") || !commandForm[toks[i].w]
		if !listed && !h.imperative() {
			continue
		}
		sent := v.desc.sentenceAt(toks[i].start)
		if at := strings.Index(s[toks[i].end:sent.End], "http"); at >= 0 && at < 40 && strings.TrimSpace(s[toks[i].end:sent.End]) != "" && !strings.Contains(s[toks[i].end:toks[i].end+at], "such as") {
			return toks[i].start
		}
		for j := i + 1; j < len(toks) && j <= i+4 && toks[j].start < sent.End; j++ {
			if outside[toks[j].w] && (j+1 == len(toks) || toks[j+1].start >= sent.End || afterOutside[toks[j+1].w]) {
				return toks[i].start
			}
		}
	}
	return -1
}

var (
	commandForm  = setOf("see check consult refer read visit")
	afterOutside = setOf("for at on of to before and or if when section")
)

// descOutside finds pointers to what a model can't read.
func (v *view) descOutside() {
	if v.desc == nil {
		return
	}
	s := v.description()
	if i := v.outsideAt(s); i >= 0 && len(v.desc.sentences()) <= 3 {
		f := v.found("desc.points-outside", Warn, v.descNode(), "Sends the reader to something that does not come with the listing: "+quote(v.desc.sentenceAt(i).Text))
		f.Excerpt = excerpt(v.desc.sentenceAt(i).Text)
		return
	}
	trimmed := strings.TrimSpace(s)
	if (strings.HasPrefix(trimmed, "http://") || strings.HasPrefix(trimmed, "https://")) && !strings.ContainsAny(trimmed, " \n") {
		v.found("desc.points-outside", Warn, v.descNode(), "An address is all that is said.")
	}
}

// debris is what a generator copied from code.
var debris = []string{"args:\n", "args: ", "\nparameters:\n", ":param ", "@param", "@return", ">>> ", "fixme", "&lt;", "&quot;", "&amp;", "&#39;", "changelog:", " self.", "implemented in ", "defined in src/", "see src/"}

// descInside finds text that was written for other readers: debris of code, names of
// machines, what happens behind the tool.
func (v *view) descInside() {
	if v.desc != nil {
		if s := v.description(); (v.desc.hay().has(debris...) || hasAny(s[max(0, len(s)-16):]+"\n", debris...)) || hasAny(v.desc.s, "TODO:", "TODO(", "XXX:") {
			v.found("desc.code-voice", Info, v.descNode(), "Debris of a docstring, which was written for programmers.")
		}
	}
	for _, t := range v.texts {
		if (t.role != roleDescription && t.role != roleParam) || t.hidden {
			continue
		}
		if host := internalHost(t.fold()); host != "" {
			v.at(t, "desc.internal-host", Warn, fmt.Sprintf("The name of an internal machine, %q, goes to every client.", host))
		}
		if t.hay().has("second api call", "extra api call", "additional api call", "routes to the ", "under the hood", "internally calls", "internally uses", "calls the internal", "implementation detail", "wrapper around") {
			v.at(t, "desc.implementation-detail", Info, "Says how it is built, which helps no caller.")
		}
	}
}

// internalSuffixes end the names of machines that only exist inside.
var internalSuffixes = []string{".internal", ".local", ".corp", ".lan", ".intranet", ".intra", ".svc.cluster"}

// insideLabels are second-level labels that no public name has.
var insideLabels = setOf("internal corp intranet local lan")

// internalHost finds the name of a machine inside a company.
func internalHost(s string) string {
	if strings.IndexByte(s, '.') < 0 || !hasAny(s, "internal", "intra", "corp.", "local.", ".local", "lan.", ".lan", "staging-", "10.", "192.168.", ".svc.") {
		return ""
	}
	for _, w := range strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(" \n\t,;()<>\"'`/:@=[]{}", r) }) {
		w = strings.TrimRight(w, ".!?")
		labels := strings.Split(w, ".")
		if len(labels) < 2 || strings.HasPrefix(w, ".") || strings.Trim(w, "abcdefghijklmnopqrstuvwxyz0123456789-.") != "" {
			continue
		}
		if len(labels) >= 3 && hasAny(labels[0]+".", "internal", "intranet", "staging-", "corp.") || len(labels) >= 3 && insideLabels[labels[len(labels)-2]] {
			return w
		}
		for _, suffix := range internalSuffixes {
			if strings.HasSuffix(w, suffix) && len(labels) >= 3 {
				return w
			}
		}
		if (strings.HasPrefix(w, "10.") || strings.HasPrefix(w, "192.168.")) && len(labels) == 4 && hasDottedQuad(w) && !strings.HasSuffix(w, ".0") {
			return w
		}
	}
	return ""
}

// descRestates finds text that only repeats the schema.
func (v *view) descRestates() {
	s := v.description()
	if len(v.params) == 0 || !hasAny(s, "takes ", "accepts ", "args", "parameters:") || len(v.desc.sentences()) > 2 {
		return
	}
	known := map[string]bool{}
	for _, w := range strings.Fields("takes accepts string integer number boolean object array optional required parameter arg args argument str int bool") {
		known[w], known[stem(w)] = true, true
	}
	for _, p := range v.params {
		for _, w := range p.words {
			known[stem(w)] = true
		}
	}
	for _, w := range v.words {
		known[stem(w)] = true
	}
	for _, w := range contentWords(s) {
		if !known[w] {
			return
		}
	}
	v.found("desc.restates-schema", Info, v.descNode(), "Repeats names and types that the schema says already.")
}
