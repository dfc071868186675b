package lint

import (
	"fmt"
	"strings"
)

// adding are verbs that add something with every call.
var adding = setOf("create append send increment post add insert")

// annotationRules hold the hints against the name and the text.
func (v *view) annotationRules() {
	a := v.root.get("annotations")
	readOnly, readOnlySet := v.hint("readOnlyHint")
	destructive, destructiveSet := v.hint("destructiveHint")
	v.misspelled(a)
	v.titleContradicts()
	if readOnlySet && readOnly {
		v.readOnlyContradiction(a, destructive && destructiveSet)
	}
	if readOnly && readOnlySet && destructive && destructiveSet {
		v.found("annot.incoherent", Warn, a.get("destructiveHint"), "readOnlyHint and destructiveHint are both true: what only reads destroys nothing.")
	}
	if v.annotated() && v.destroysSomething() && !readOnly && destructiveSet && !destructive && !saysReversible(v.prose()) {
		v.found("annot.destructive-undeclared", Warn, a.get("destructiveHint"), fmt.Sprintf("%q destroys something, and destructiveHint says that it does not.", short(v.name, 80)))
	}
	if readOnlySet && !readOnly && !destructiveSet && v.destroysSomething() {
		v.found("annot.destructive-undeclared", Info, a, fmt.Sprintf("%q destroys something, and destructiveHint is left to its default: write it out.", short(v.name, 80)))
	}
	if destructive && destructiveSet && v.effect == reads && !readOnly && v.plainReader() {
		v.found("annot.read-marked-destructive", Info, a.get("destructiveHint"), fmt.Sprintf("%q only reads by its name and text, and is marked destructive: hosts ask for every call.", short(v.name, 80)))
	}
	if idempotent, set := v.hint("idempotentHint"); set && idempotent && !readOnly && v.addsUp() &&
		!v.proseHay().has("idempoten", "already", "no-op", "exists", "upsert", "key", "update") {
		v.found("annot.idempotent-contradiction", Info, a.get("idempotentHint"), fmt.Sprintf("%q adds something with every call, and idempotentHint says that a second call changes nothing.", short(v.name, 80)))
	}
}

// returns are words of what can be taken back.
var returns = setOf(`reversible reversibly reversed reverse undo undoes undoable undone recoverable recover recovered recovery restore restores restored restorable
	soft-delete soft-deleted soft-deletes soft trash trashed archive archives archived bin undelete rollback`)

// saysReversible reports whether a text says that what is done can be taken back, and
// not that it can't.
func saysReversible(s string) bool {
	if strings.Contains(s, "without deleting") {
		return true
	}
	toks := tokenise(s)
	for i := range toks {
		if !returns[toks[i].w] {
			continue
		}
		denied := false
		for j := i - 1; j >= 0 && j >= i-5 && !strings.ContainsAny(between(s, toks[j], toks[j+1]), ".;:!?\n"); j-- {
			switch toks[j].w {
			case "not", "never", "no", "nothing", "without", "neither", "nor", "hardly", "impossible", "non", "bypasses", "bypassing", "skips", "skipping":
				denied = true
			}
		}
		if !denied {
			return true
		}
	}
	return false
}

// addsUp reports whether every call of a tool adds something.
func (v *view) addsUp() bool {
	return adding[v.head] || len(v.words) > 0 && adding[v.words[0]] || hasAny(v.description(), "each call adds", "every call adds", "each call creates", "every call creates", "each call appends")
}

// titleContradicts finds a title that people see and that says another thing than the
// name that the model calls.
func (v *view) titleContradicts() {
	at := v.root.get("title")
	if at == nil {
		at = v.root.get("annotations").get("title")
	}
	if at == nil || len(v.words) == 0 {
		return
	}
	title := nameWords(at.literal())
	if len(title) == 0 {
		return
	}
	said, _ := verbOf(title[0])
	named := verbEffects[v.words[0]]
	if said == reads && named == destroys || said == destroys && named == reads {
		v.found("annot.incoherent", Warn, at, fmt.Sprintf("The title %q says another thing than the name %q: people approve one, and the model calls the other.", short(at.literal(), 80), short(v.name, 80)))
	}
}

// misspelled finds hints that no host reads.
func (v *view) misspelled(a *node) {
	if !a.is('{') {
		return
	}
	for _, k := range a.kids {
		name := k.key
		plain := strings.ReplaceAll(lower(name), "_", "")
		for _, hint := range hintNames {
			switch {
			case name == hint && !k.isTrue() && !k.isFalse() && !k.is('n'):
				v.found("annot.incoherent", Warn, k, fmt.Sprintf("%s is no boolean, so hosts ignore it.", hint))
			case name != hint && (plain == lower(hint) || plain+"hint" == lower(hint)):
				v.found("annot.incoherent", Warn, k, fmt.Sprintf("%q is no hint of the protocol; write %s.", short(name, 40), hint))
			}
		}
	}
}

// changesNothing are words of a text that takes back what its verb says.
var changesNothing = []string{"without changing", "does not change", "does not modify", "never modifies", "read-only", "readonly", "preview", "dry run", "dry-run", "does not write", "no changes", "nothing is changed", "changes nothing", "not modify", "without modifying", "in memory", "simulat", "generate", "nothing is sent", "nothing is saved", "nothing is stored"}

// readouts are last words of names that make the word before them a noun: "move_list".
var readouts = setOf("list history status state count counts log logs report reports info details summary types stats statistics rules schema overview")

// readOnlyContradiction wants the verb of the name or of the first sentence to change
// something, and nothing to say that it does not.
func (v *view) readOnlyContradiction(a *node, marked bool) {
	named, verb := unclear, ""
	for i, w := range v.words {
		if e, ok := verbEffects[w]; ok {
			if last := v.words[len(v.words)-1]; !(i+1 < len(v.words) && verbs[w].noun && readouts[last]) {
				named, verb = e, w
			}
			break
		}
	}
	lead, leadVerb := leadEffect(v.desc)
	if !changes(named) && !(named == unclear && changes(lead)) {
		v.quietChange(a, named)
		return
	}
	if named == unclear {
		verb = leadVerb
	}
	if lead == reads {
		v.quietChange(a, named)
		return
	}
	if hasAny(v.prose(), changesNothing...) {
		return
	}
	sev := High
	if !marked && named == writes && lead != writes && lead != destroys || mild[verb] {
		sev = Warn // the name alone is weak evidence, and some verbs change nothing that lasts
	}
	v.contradicts(a, sev, verb)
}

func changes(e effect) bool { return e == writes || e == destroys }

func (v *view) contradicts(a *node, sev Severity, verb string) {
	v.found("annot.readonly-contradiction", sev, a.get("readOnlyHint"), fmt.Sprintf("readOnlyHint is true, and %q says that it does change something (%s). Hosts run it without asking.", short(v.name, 80), verb))
}

// grave are verbs that change the world even when reading comes first: "looks up the
// order and refunds it".
var grave = setOf(`refund charge pay transfer send mail book buy purchase cancel deploy install publish post submit transmit withdraw deposit ban suspend evict expel fire terminate
	sell ship dispatch discharge prescribe dispense transition merge approve reject`)

// quietChange looks for verbs that the short list of plain ones has not: those with which
// the first sentence begins, and grave ones that follow.
func (v *view) quietChange(a *node, named effect) {
	first, found := true, ""
	v.desc.acts(func(verb string, e effect) {
		if found == "" && (first && named != reads && changes(e) && !mild[verb] || !first && (e == destroys || grave[verb])) {
			found = verb
		}
		first = false
	})
	sev := High
	if found == "start" || found == "stop" {
		if hasAny(v.desc.lead().Text, "trace", "record", "profil", "session", "screencast", "capture", "watch", "timer", "log") {
			return // what runs in the session alone
		}
		sev = Warn
	}
	if found == "" && first && named == unclear && len(v.words) > 1 {
		if w := v.words[0]; changes(verbs[w].effect) && !verbs[w].noun && !mild[w] {
			found, sev = w, Warn
		}
	}
	if found != "" && !hasAny(v.prose(), changesNothing...) {
		v.contradicts(a, sev, found)
	}
}

// mild are verbs that may well change nothing but the session.
var mild = setOf(`close reopen save store register enable disable assign set rename open select execute run invoke load connect disconnect navigate click type press play pause move scroll resize
	collect use make end build generate give draw print record log mark take turn wake expand collapse resolve process apply perform configure`)

// plainReader reports whether nothing in the text speaks of a change.
func (v *view) plainReader() bool {
	for i, tok := range v.desc.tokensOrNone() {
		if e, _ := verbOf(tok.w); i < 40 && (e == destroys || e == writes && i < 3) {
			return false
		}
	}
	return true
}

func (t *text) tokensOrNone() []token {
	if t == nil {
		return nil
	}
	return t.tokens()
}
