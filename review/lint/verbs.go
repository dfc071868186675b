package lint

import (
	_ "embed"
	"strings"

	"github.com/countersign/countersign/review/prose"
)

// verbsText lists English verbs by what they do to the world, in paragraphs that are
// headed "# class". A "~" marks a word that is as often a noun: it counts as a verb only
// where a sentence makes it one.
//
//go:embed verbs.txt
var verbsText string

// verbs are the base forms of the list.
var verbs = parseVerbs(verbsText)

type verb struct {
	effect effect
	noun   bool // is a noun as often
}

func parseVerbs(list string) map[string]verb {
	m := map[string]verb{}
	class := unclear
	for _, line := range strings.Split(list, "\n") {
		if head, ok := strings.CutPrefix(line, "# "); ok {
			class = map[string]effect{"reads": reads, "writes": writes, "destroys": destroys}[head]
			continue
		}
		for _, w := range strings.Fields(line) {
			w, noun := strings.CutSuffix(w, "~")
			m[w] = verb{class, noun}
		}
	}
	return m
}

// baseOf returns the base form of a word that a verb of the list can have in the present:
// "books" is a form of "book", and so is "book". It is "" for any other word.
func baseOf(w string) string {
	if _, ok := verbs[w]; ok {
		return w
	}
	for _, end := range []string{"s", "es", "ies"} {
		if rest, ok := strings.CutSuffix(w, end); ok {
			if end == "ies" {
				rest += "y"
			}
			if _, ok := verbs[rest]; ok {
				return rest
			}
		}
	}
	return ""
}

// determiners open what a verb acts on: after them a word is no noun of its own.
var determiners = setOf("a an the one all every each any this these those your its their his her it them up out several some two new")

// act is the verb at token i of a sentence, in the present, and its effect; "" when the
// word may as well be a noun there.
func act(toks []token, i int) (string, effect) {
	w := toks[i].w
	base := baseOf(w)
	if base == "" {
		return "", unclear
	}
	v, next := verbs[base], wordAfter(toks, i)
	if notAfterVerb[next] || v.noun && !determiners[next] {
		return "", unclear
	}
	return base, v.effect
}

// acts yields the verbs of the first sentence of a text that say what its tool does: the
// first word, and those that follow it in a row.
func (t *text) acts(yield func(verb string, e effect)) {
	if t == nil {
		return
	}
	toks, end, s := t.tokens(), t.lead().End, t.fold()
	begun := false
	for i := 0; i < len(toks) && i < 60 && toks[i].start < end; i++ {
		w := toks[i].w
		if !begun {
			if isAdverb(w) || w == "this" || w == "tool" || w == "to" || w == "will" {
				continue
			}
			begun = true
		} else if b := toks[i-1].w; b != "and" && b != "then" && b != "or" && between(s, toks[i-1], toks[i]) != ", " {
			continue
		}
		if verb, e := act(toks, i); verb != "" {
			yield(verb, e)
		}
	}
}

// beginnings may stand before the verb of a command.
var beginnings = setOf("please now then just simply first next also kindly always only instead immediately silently secretly quietly and but so finally afterwards to")

// notAfterVerb are words after which a word was no verb: "list of", "report is".
var notAfterVerb = setOf("of is are was were has have will can may must should does")

// isAdverb reports whether a word is one by its ending, as "multiply" is not.
func isAdverb(w string) bool {
	return len(w) > 4 && strings.HasSuffix(w, "ly") && baseOf(w) == ""
}

// function are words before a determiner that are no verb.
var function = setOf(`with in on at by for from of to as into onto over under about after before during through between among against within without per than like via upon toward towards
	and or but nor so if when while since until unless because though although that which who whom whose where whether not only even also all both half such what how why there here
	is are was were be been being am it this these those they he she we you i one two three no yes except instead plus minus rather quite see`)

// commandIn reports whether a sentence tells its reader to do something: its first word
// is the base form of a verb, or it says what must or must never be done.
func commandIn(w []string) bool {
	i := 0
	for i < len(w) && (beginnings[w[i]] || isAdverb(w[i])) {
		i++
	}
	if i+1 < len(w) && !notAfterVerb[w[i+1]] {
		if _, ok := verbs[w[i]]; ok {
			return true
		}
		if determiners[w[i+1]] && !function[w[i]] && !strings.HasSuffix(w[i], "s") && !strings.HasSuffix(w[i], "ing") {
			return true // an unknown word that acts on something
		}
	}
	for i := range w[:min(len(w), 12)] {
		switch w[i] {
		case "must", "never", "shall", "should":
			return true
		case "not":
			return i > 0 && w[i-1] == "do"
		case "you":
			if i+1 < len(w) && (w[i+1] == "will" || w[i+1] == "are" || w[i+1] == "have") {
				return true
			}
		}
	}
	return false
}

// commandsWithin reports whether one of the first sentences of s tells its reader to do
// something, in at least so many words.
func commandsWithin(s string, sentences, least int) bool {
	for i, sent := range prose.Sentences(short(s, commandScan)) {
		if i >= sentences {
			break
		}
		if w := words(sent.Text); len(w) >= least && commandIn(w) {
			return true
		}
	}
	return false
}
