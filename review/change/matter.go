package change

import (
	"fmt"
	"strings"
)

func (d *decider) sentence(m matter, n Decision) string {
	tools := count(len(n.Tools), "tool")
	if len(m.edits) == 1 {
		return m.edits[0].Sentence
	}
	switch m.kind {
	case kindBulk:
		return d.bulkOf(m.edits[0]).Sentence
	case kindAdded:
		return fmt.Sprintf("%s: %s.", count(len(n.Tools), "new tool"), nameList(n.Tools))
	case kindRemoved:
		return fmt.Sprintf("%s are gone: %s. %s", tools, nameList(n.Tools), fate(n))
	case kindReplaced:
		return d.replacedSentence(m.edits, n)
	case kindRenamed:
		return d.renamedSentence(m.edits, tools)
	case kindSwap:
		return d.swapSentence(m.edits, tools)
	case kindSeveral:
		return fmt.Sprintf("%s changed in %d ways on %s. The strongest: %s", d.placeName(m.edits[0]), len(m.edits), tools, n.Sentence)
	}
	det := d.details[m.edits[0].Edit]
	switch {
	case allEqual(m.edits):
		return m.edits[0].Sentence
	case det.Pointer == "/description":
		return fmt.Sprintf("One rewording of the description on %s, such as: %s", tools, m.edits[0].Sentence)
	}
	if s, ok := placeSentences[m.edits[0].ID]; ok {
		return fmt.Sprintf(s, d.placeName(m.edits[0]), tools, len(m.edits))
	}
	return fmt.Sprintf("%s on %s, in %d forms. The first: %s", d.placeName(m.edits[0]), tools, len(m.edits), m.edits[0].Sentence)
}

func (d *decider) replacedSentence(edits []Edit, n Decision) string {
	var gone, fresh []string
	said := ""
	for _, e := range edits {
		if e.ID == "tool.removed" {
			gone, said = append(gone, e.Tools...), e.Sentence
		} else {
			fresh = append(fresh, e.Tools...)
		}
	}
	their, them := "its", "it"
	if len(gone) > 1 {
		their, them = "their", "them"
		said = fmt.Sprintf("%s are gone: %s. %s", count(len(gone), "tool"), nameList(gone), fate(n))
	}
	for _, m := range d.report.Merged {
		if len(fresh) == 1 && m.To == fresh[0] {
			return fmt.Sprintf("%s %s does %s work now.", said, quoteName(m.To), their)
		}
	}
	return fmt.Sprintf("%s %s may replace %s: %s.", said, count(len(fresh), "new tool"), them, nameList(fresh))
}

// fate says what becomes of calls of tools that are gone.
func fate(n Decision) string {
	if n.Class == Breaking {
		return "Calls of them now fail."
	}
	return "Aliases answer for them."
}

func (d *decider) swapSentence(edits []Edit, tools string) string {
	gone, fresh := edits[0], edits[len(edits)-1]
	return fmt.Sprintf("%s made way for %s on %s. %s", d.placeName(gone), d.placeName(fresh), tools, gone.Sentence)
}

// placeSentences word an edit that has several forms: the place, its tools, how
// many forms.
var placeSentences = map[string]string{
	"schema.added":               "%[1]s is new on %[2]s: results are now promised to fit it.",
	"schema.removed":             "%[1]s is gone from %[2]s: nothing is promised of what it described.",
	"title.added":                "A title is new on %[2]s.",
	"title.removed":              "The title is gone on %[2]s.",
	"annotation.unknown.added":   "%[1]s is new on %[2]s.",
	"annotation.unknown.removed": "%[1]s is gone on %[2]s.",
	"meta.added":                 "%[1]s is new on %[2]s.",
	"meta.removed":               "%[1]s is gone on %[2]s.",
	"description.changed":        "The description of %[1]s changed on %[2]s, in %[3]d ways.",
	"description.added":          "%[1]s is now described on %[2]s.",
	"description.removed":        "The description of %[1]s is gone on %[2]s.",
	"property.required.added":    "%[1]s is newly required on %[2]s.",
	"property.optional.added":    "%[1]s can now be given on %[2]s.",
	"property.removed":           "%[1]s is gone on %[2]s.",
}

func (d *decider) renamedSentence(edits []Edit, tools string) string {
	rule := d.rules[edits[0].Changes[0]]
	s := upperFirst(rule) + " on " + tools + "."
	for _, e := range edits {
		if e.Class == Breaking {
			return s + " Calls by the old names now fail."
		}
	}
	return s + " Aliases answer for the old names."
}

// placeName names a place for people: the parameter, or the schema.
func (d *decider) placeName(e Edit) string {
	det := d.details[e.Edit]
	if det.Property != "" {
		return quoteName(det.Property)
	}
	switch last := det.Pointer[strings.LastIndexByte(det.Pointer, '/')+1:]; last {
	case "inputSchema":
		return "An input schema"
	case "outputSchema":
		return "An output schema"
	default:
		return quoteName(readablePointer(last))
	}
}

func allEqual(edits []Edit) bool {
	for _, e := range edits[1:] {
		if e.Sentence != edits[0].Sentence {
			return false
		}
	}
	return true
}

func nameList(names []string) string {
	quoted := make([]string, 0, namedInSentence+1)
	for i, n := range names {
		if i == namedInSentence && len(names) > namedInSentence+1 {
			quoted = append(quoted, fmt.Sprintf("and %s more", thousands(len(names)-i)))
			break
		}
		quoted = append(quoted, quoteName(n))
	}
	return strings.Join(quoted, ", ")
}

func upperFirst(s string) string {
	if s == "" || s[0] < 'a' || s[0] > 'z' {
		return s
	}
	return string(s[0]-'a'+'A') + s[1:]
}

// wordDelta is the words that a rewording took out and put in: rewordings of
// different sentences that do the same have the same one.
func wordDelta(lost, gained string) string {
	a, b := wordSet(lost), wordSet(gained)
	return strings.Join(without(a, b), " ") + " > " + strings.Join(without(b, a), " ")
}
