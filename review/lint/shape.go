package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/countersign/countersign/review/prose"
)

// shapeRules ask whether the tool is one well-defined action, under a name that hosts
// take.
func (v *view) shapeRules() {
	v.nameRules()
	v.modeFlag()
	v.catchAll()
	v.multiAction()
	v.elsewhere()
}

// maxName is the longest name of a tool that the protocol allows.
const maxName = 128

// ages are versions in words.
var ages = setOf("legacy deprecated old")

func (v *view) nameRules() {
	bad, slash := 0, 0
	for i := range len(v.name) {
		switch c := v.name[i]; {
		case c == '/':
			slash++
		case !(isWordByte(c|0x20) && c < 0x80 || isUpper(c) || isDigit(c) || c == '.' || c == '-' || c == '_'):
			bad++
		}
	}
	switch {
	case v.name == "":
	case bad > 0 || len(v.name) > maxName:
		v.found("tool.name-charset", High, v.nameNode(), fmt.Sprintf("%q is no name that the protocol allows: letters, digits, _ - and . up to 128 of them. Hosts rewrite or refuse it.", short(v.name, 80)))
	case slash > 0:
		v.found("tool.name-charset", Warn, v.nameNode(), fmt.Sprintf("%q holds a slash, which a proposal allows (SEP-986) and the published protocol does not.", short(v.name, 80)))
	}
	for i, w := range v.words {
		last := i == len(v.words)-1
		if v.agedAt(i) {
			v.found("tool.name-version", Info, v.nameNode(), fmt.Sprintf("%q carries its age in its name, which the next one makes older.", short(v.name, 80)))
			return
		}
		numbered := len(w) >= 2 && len(w) <= 3 && w[0] == 'v' && isDigit(w[1]) && (last || i == 0)
		if len(v.words) > 1 && (numbered || i > 0 && last && (ages[w] || len(w) == 1 && isDigit(w[0]))) {
			v.found("tool.name-version", Info, v.nameNode(), fmt.Sprintf("%q carries a version in its name, which every change makes older.", short(v.name, 80)))
			return
		}
	}
}

// agedAt reports whether a word of the name says how old the tool is, and not what it is
// about: "new_search" searches, "new_page" makes a page, "list_new" lists what is new.
func (v *view) agedAt(i int) bool {
	w, first, last := v.words[i], i == 0, i == len(v.words)-1
	if w != "new" && !ages[w] || !first && !last || len(v.words) < 2 || slices.Contains(words(v.description()), w) {
		return false
	}
	if w != "new" {
		return first || last
	}
	if last {
		return len(v.words) == 2 && verbEffects[v.words[0]] != unclear
	}
	next := v.words[1]
	return verbEffects[next] != unclear || v.desc != nil && len(v.desc.tokens()) > 0 && stem(v.desc.tokens()[0].w) == stem(next)
}

// modeNames are parameters that choose what a tool does.
var modeNames = setOf("action operation op command method mode subcommand verb")

// kindNames are parameters that choose what a tool does when all their values are verbs.
var kindNames = setOf("type kind task request do")

func allVerbs(vals []*node) bool {
	for _, val := range vals {
		w := nameWords(val.str)
		if len(w) == 0 || verbEffects[w[0]] == unclear {
			return false
		}
	}
	return len(vals) > 0
}

// allDeeds reports whether values are a verb and its object each, whatever the parameter
// is called: create_branch, delete_branch.
func allDeeds(vals []*node) bool {
	for _, val := range vals {
		if val.kind != '"' || len(nameWords(val.str)) < 2 {
			return false
		}
	}
	return len(vals) > 1 && allVerbs(vals)
}

// modeFlag finds a parameter whose values are verbs of different effects: one tool that
// reads and writes can't be permitted by halves.
func (v *view) modeFlag() {
	for _, p := range v.params {
		if p.depth > 0 || !modeNames[lower(p.name)] && !(kindNames[lower(p.name)] && allVerbs(p.values())) && !allDeeds(p.values()) {
			continue
		}
		have := map[effect]string{}
		for _, val := range p.values() {
			if val.kind != '"' {
				continue
			}
			for _, w := range nameWords(val.str) {
				if e, _ := verbOf(w); e != unclear {
					have[e] = val.str
					break
				}
			}
		}
		if len(have) >= 2 {
			v.found("tool.mode-flag", Warn, p.schema, fmt.Sprintf("%q chooses between actions of different effect (%s). Several tools can be chosen, permitted and described apart.", short(p.name, 80), effectList(have)))
		}
	}
}

func effectList(have map[effect]string) string {
	var parts []string
	for _, e := range []effect{reads, writes, destroys} {
		if have[e] != "" {
			parts = append(parts, fmt.Sprintf("%s %s", short(have[e], 30), e))
		}
	}
	return strings.Join(parts, ", ")
}

var catchAllNames = setOf("do run execute process handle manage helper util utility tool action perform main api request invoke dispatch")

// catchAll finds a tool that claims everything.
func (v *view) catchAll() {
	if len(v.words) == 0 || len(v.words) > 2 {
		return
	}
	free := false
	for _, p := range v.params {
		free = free || p.depth == 0 && (p.isOnly("string") || p.isOnly("object")) && p.values() == nil
	}
	s := v.description()
	lead := v.desc.lead().Text
	claims := (catchAllNames.any(v.words) || len(v.words) == 1 && verbEffects[v.words[0]] == unclear) && hasAny(lead, "anything", "any operation", "any task", "all operations", "any action", "everything you", "various operations", "any kind of request", "any request", "everything", "any command", "general purpose", "general-purpose")
	only := catchAllNames[v.words[0]] && len(v.words) == 1
	if free && (claims || only && len(words(s)) <= 6) {
		v.found("tool.catch-all", Warn, v.nameNode(), fmt.Sprintf("%q claims everything, so nothing tells a model when it is the right tool.", short(v.name, 80)))
	}
}

// onePhrase are pairs of verbs that are one action.
var onePhrase = map[string]bool{"drag drop": true, "search replace": true, "find replace": true, "copy paste": true, "track trace": true, "pick place": true, "cut paste": true, "start stop": true}

// multiAction finds several unrelated actions in one tool. "Create or update" is one.
func (v *view) multiAction() {
	var named []string
	for i, w := range v.words {
		if _, verb := verbOf(w); verb != "" || i == 0 || i > 0 && v.words[i-1] == "and" && !fillers[w] {
			named = append(named, w)
		}
	}
	for i, w := range v.words {
		if w != "and" && w != "then" || i == 0 || i == len(v.words)-1 || len(named) < 2 && w == "and" || onePhrase[v.words[i-1]+" "+v.words[i+1]] {
			continue
		}
		_, known := verbs[v.words[i+1]]
		_, too := verbs[v.words[0]]
		if next := v.words[i+1]; verbEffects[next] != unclear || known && too || w == "then" || strings.HasSuffix(next, "ize") {
			v.found("tool.multi-action", Info, v.nameNode(), fmt.Sprintf("%q is several actions in one.", short(v.name, 80)))
			return
		}
	}
	if v.desc == nil {
		return
	}
	distinct := map[string]bool{}
	kinds := map[effect]bool{}
	lead := v.desc.lead()
	for _, tok := range v.desc.tokens() {
		if tok.start >= lead.End || tok.start > 50 {
			break
		}
		if e, verb := verbOf(tok.w); verb == tok.w && e != unclear {
			distinct[verb], kinds[e] = true, true
		}
	}
	v.desc.acts(func(verb string, e effect) {
		if e != unclear {
			distinct[verb], kinds[e] = true, true
		}
	})
	if len(distinct) >= 3 && len(kinds) >= 2 && hasAny(lead.Text, ", ") || v.deedsInARow(lead) >= 3 {
		v.found("tool.multi-action", Info, v.descNode(), "The first sentence names several actions: "+quote(lead.Text))
	}
}

// objects start what a verb acts on.
var objects = setOf("a an the it its them their this each every all")

// deedsInARow counts the clauses of a first sentence that each say another deed: "creates an
// invoice, mails it to the customer and archives the order".
func (v *view) deedsInARow(lead prose.Sentence) int {
	s, toks := v.desc.fold(), v.desc.tokens()
	n := 0
	for i := 0; i+1 < len(toks) && toks[i+1].start < lead.End; i++ {
		w := toks[i].w
		if !strings.HasSuffix(w, "s") || strings.HasSuffix(w, "ss") || len(w) < 4 || !objects[toks[i+1].w] {
			if i == 0 {
				return 0 // not told in this form
			}
			continue
		}
		if i > 0 {
			between := strings.TrimSpace(s[toks[i-1].end:toks[i].start])
			if between != "," && !(between == "" && (toks[i-1].w == "and" || toks[i-1].w == "then")) {
				continue
			}
		}
		n++
	}
	return n
}

// referenceWords name text that is always the same.
var referenceWords = setOf("guide guidelines policy docs documentation help reference style readme instructions manual cheatsheet handbook conventions")

// builtins are names of what most hosts bring along.
var builtins = setOf("run_command execute_command shell bash run_shell exec_shell run_terminal_command read_file write_file edit_file fetch fetch_url web_search web_fetch run_bash terminal")

// commandOfUser finds "when the user types /standup".
func commandOfUser(s string) bool {
	for i := strings.Index(s, "the user "); i >= 0; i = nextIndex(s, "the user ", i) {
		near := s[i:min(len(s), i+40)]
		if at := strings.IndexByte(near, '/'); at > 0 && hasAny(near[:at], " types ", " invokes ", " runs ", " enters ", " calls ", " uses ") && strings.IndexByte(" `\"'", near[at-1]) >= 0 {
			return true
		}
	}
	return false
}

// elsewhere finds what another part of the protocol, or the host, does better.
func (v *view) elsewhere() {
	readOnly, _ := v.hint("readOnlyHint")
	if len(v.params) == 0 && (v.effect == reads || readOnly) && referenceWords.any(v.words) {
		v.found("tool.static-reference", Info, v.nameNode(), fmt.Sprintf("%q returns text that is always the same: a resource, which a user attaches once, fits better.", short(v.name, 80)))
	}
	s := v.description()
	if hasAny(s, "slash command", "run when the user types") || commandOfUser(s) {
		v.found("tool.user-workflow", Info, v.descNode(), "The user starts this by name: a prompt fits better than a tool.")
	}
	if builtins[strings.Join(v.words, "_")] {
		v.found("tool.builtin-overlap", Info, v.nameNode(), fmt.Sprintf("Most hosts have what %q does built in.", short(v.name, 80)))
	}
	if v.destroysSomething() && !v.proseHay().has("only when", "only if", "only after", "explicit", "confirm", "do not call", "don't call", "never call", "use this only", "ask the user", "speculativ", "do not set", "prefer", "refus") {
		v.found("tool.speculative-risk", Info, v.descNode(), fmt.Sprintf("Nothing says when %q must not be called, such as while something is only being discussed.", short(v.name, 80)))
	}
}
