package schema

import (
	"fmt"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// blindKeyword stands in for a reference that leads out. Whoever writes it himself
// makes a document that is never sure, which costs nothing but an answer.
const blindKeyword = "countersign:elsewhere"

// newBlindValidator compiles a document whose references at some places lead out. What
// they lead to is never fetched, so the validator's answer about a value is sure only
// while no part of the value is asked about there. It returns nil when the document
// has another fault.
func newBlindValidator(v *value, draft string, places map[string]bool) *validator {
	old := draft == "4" || draft == "6" || draft == "7"
	s, err := newValidatorWith(withoutRemote(v, "", places, old), draft, &patterns{blind: true})
	if err != nil {
		return nil
	}
	return s
}

// withoutRemote puts the blind keyword in place of the references. In old dialects
// everything beside a reference is ignored.
func withoutRemote(v *value, at string, places map[string]bool, old bool) *value {
	switch v.kind {
	case kindObject:
		out := &value{kind: kindObject}
		for _, m := range v.members {
			switch {
			case places[at] && isRefWord(m.name):
				out.members = append(out.members, member{blindKeyword, &value{kind: kindBool, boolean: true}})
			case places[at] && old && m.name != "$schema" && m.name != "definitions" && m.name != "$defs":
			default:
				out.members = append(out.members, member{m.name, withoutRemote(m.value, at+"/"+escapeToken(m.name), places, old)})
			}
		}
		return out
	case kindArray:
		out := &value{kind: kindArray}
		for i, it := range v.items {
			out.items = append(out.items, withoutRemote(it, fmt.Sprintf("%s/%d", at, i), places, old))
		}
		return out
	}
	return v
}

func isRefWord(name string) bool {
	for _, w := range refWords {
		if w == name {
			return true
		}
	}
	return false
}

// blindness is the vocabulary of the blind keyword: whoever asks gets a yes that is
// noted as a guess.
func blindness(ps *patterns) *jsonschema.Vocabulary {
	return &jsonschema.Vocabulary{
		URL: "urn:countersign:elsewhere",
		Compile: func(_ *jsonschema.CompilerContext, obj map[string]any) (jsonschema.SchemaExt, error) {
			if _, ok := obj[blindKeyword]; !ok {
				return nil, nil
			}
			return blind{ps}, nil
		},
	}
}

type blind struct{ of *patterns }

func (b blind) Validate(*jsonschema.ValidatorContext, any) { b.of.guessed = true }
