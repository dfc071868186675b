package lint

import "strings"

// effect says what a tool does to the world, as far as its name and its first sentence
// tell.
type effect string

const (
	unclear  effect = ""
	reads    effect = "reads"
	writes   effect = "writes"
	destroys effect = "destroys" // what it does can't be taken back, or takes something away
)

// verbEffects are verbs whose effect is plain. Words that are as often nouns (issue,
// order, comment, tag) are left out: a name may hold them as what it acts on.
var verbEffects = func() map[string]effect {
	m := map[string]effect{}
	for e, list := range map[effect]string{
		reads: `get list search find read fetch query show describe view lookup look check count inspect preview explain validate verify
			analyze analyse compare diff summarize browse scan ping retrieve detect estimate monitor watch`,
		writes: `create add update set edit write insert upload publish post put patch upsert append modify change rename move
			assign drag enable disable approve reject merge close reopen restore archive unarchive save store register send`,
		destroys: `delete remove drop purge cancel revoke destroy wipe erase truncate terminate uninstall overwrite unpublish deactivate`,
	} {
		for _, w := range strings.Fields(list) {
			m[w] = e
		}
	}
	return m
}()

// verbOf returns the effect of a word in any form: "deletes", "deleted", "deleting".
func verbOf(w string) (effect, string) {
	if e, ok := verbEffects[w]; ok {
		return e, w
	}
	for _, end := range []string{"s", "es", "ies"} {
		if rest, ok := strings.CutSuffix(w, end); ok {
			if end == "ies" {
				rest += "y"
			}
			if e, ok := verbEffects[rest]; ok {
				return e, rest
			}
		}
	}
	return unclear, ""
}

// effectOf reads the first verb of the name, since only that one counts
// (get_merge_request), else the first word of the description.
func effectOf(v *view) (effect, string) {
	for _, w := range v.words {
		if e, ok := verbEffects[w]; ok {
			return e, w
		}
	}
	return leadEffect(v.desc)
}

// afterNoun are words after a plural, not after a verb.
var afterNoun = setOf("of and or are that which is by in from per with for at on")

// leadEffect is the effect of the verb that a description starts with.
func leadEffect(t *text) (effect, string) {
	if t == nil {
		return unclear, ""
	}
	for i, tok := range t.tokens() {
		if i > 2 {
			break
		}
		if strings.HasSuffix(tok.w, "ly") || tok.w == "this" || tok.w == "tool" || tok.w == "to" {
			continue
		}
		if e, verb := verbOf(tok.w); verb == tok.w || !verbs[verb].noun || !afterNoun[wordAfter(t.tokens(), i)] {
			return e, verb
		}
		return unclear, "" // "moves of a game"
	}
	return unclear, ""
}

// harmless are objects whose removal or change loses nothing.
var harmless = setOf("background duplicate duplicates noise whitespace filter filters highlight label labels tag tags reaction reactions member members assignee assignees favorite favourite star stars follower watcher vote overlay")
