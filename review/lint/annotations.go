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
	if v.annotated() && v.destroysSomething() && !readOnly && destructiveSet && !destructive && !v.proseHay().has("revers", "undo", "recover", "restor", "soft", "trash", "archiv", "without deleting") {
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

// readOnlyContradiction wants the verb of the name or of the first sentence to change
// something, and nothing to say that it does not.
func (v *view) readOnlyContradiction(a *node, marked bool) {
	named := unclear
	verb := ""
	for _, w := range v.words {
		if e, ok := verbEffects[w]; ok {
			named, verb = e, w
			break
		}
	}
	lead, leadVerb := leadEffect(v.desc)
	changes := func(e effect) bool { return e == writes || e == destroys }
	if !changes(named) && !(named == unclear && changes(lead)) {
		return
	}
	if named == unclear {
		verb = leadVerb
	}
	s := v.prose()
	if lead == reads || hasAny(s, "without changing", "does not change", "does not modify", "never modifies", "read-only", "readonly", "preview", "dry run", "does not write", "no changes", "not modify", "without modifying", "in memory", "simulat", "generate") {
		return
	}
	sev := High
	if !marked && named == writes && lead != writes && lead != destroys || mild[verb] {
		sev = Warn // the name alone is weak evidence, and some verbs change nothing that lasts
	}
	v.found("annot.readonly-contradiction", sev, a.get("readOnlyHint"), fmt.Sprintf("readOnlyHint is true, and %q says that it does change something (%s). Hosts run it without asking.", short(v.name, 80), verb))
}

// mild are verbs that may well change nothing but the session.
var mild = setOf("close reopen save store register enable disable assign set rename open")

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
