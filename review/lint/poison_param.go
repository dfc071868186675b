package lint

import (
	"fmt"
	"strings"
)

// maxParamName is the longest name that is still one.
const maxParamName = 64

// tellingWords in the name of a parameter are orders or places that a name has no use
// for.
var (
	tellingVerbs = setOf("read reading send sending include ignore forward copy copying reveal dump paste call fetch upload provide append attach contents content output write exfiltrate leak from")
	secretWords  = setOf("ssh rsa ed25519 kube kubeconfig netrc npmrc passwd shadow keychain dotenv credentials aws env secrets gnupg")
)

// propertyNames finds parameter names that are sentences, and names that ask for what
// the model knows without a word of explanation.
func (v *view) propertyNames() {
	for _, p := range v.params {
		if why := sentenceName(p); why != "" {
			v.found("poison.param-name", High, p.schema, fmt.Sprintf("The parameter name %q %s.", short(p.name, 80), why))
			if secretStore(lower(p.name)) != "" || len(p.words) >= 4 && secretWords.any(p.words) {
				v.found("poison.secret-read", High, p.schema, fmt.Sprintf("The parameter name %q asks for a store of credentials.", short(p.name, 80)))
			}
		}
		if p.desc == "" && harvestNames[strings.Join(p.words, " ")] && !owners.any(v.words) {
			v.found("poison.context-harvest", High, p.schema, fmt.Sprintf("The parameter %q asks the model for what it was told or thinks, and nothing says why.", short(p.name, 80)))
		}
	}
}

var harvestNames = func() set {
	s := set{}
	for _, name := range []string{
		"system prompt", "conversation history", "chat history", "chain of thought", "full conversation", "conversation", "chat transcript", "conversation context",
		"available tools", "tool list", "tools list", "previous tool results", "user messages", "message history", "hidden reasoning", "model name", "model reasoning",
	} {
		s[name] = true
	}
	delete(s, "conversation")
	return s
}()

var (
	talkWords  = setOf("conversation messages prompt prompts history transcript chat dialogue thoughts reasoning instructions")
	wholeWords = setOf("full all entire whole complete previous earlier every verbatim system")
	orderVerbs = setOf("send forward copy ignore reveal dump paste upload exfiltrate always never disregard tell please read")
)

// flagWords start long names that are still names.
var flagWords = setOf("is has max min num allow enable disable include exclude should")

func sentenceName(p *param) string {
	switch {
	case len(p.name) > maxParamName:
		return "is longer than 64 characters"
	case strings.ContainsAny(p.name, " \n") && len(p.words) >= 4:
		return "is a sentence"
	case len(p.words) >= 4 && secretWords.any(p.words) && tellingVerbs.any(p.words):
		return "tells the model what to read"
	case secretStore(lower(p.name)) != "":
		return "names a store of credentials"
	case len(p.words) >= 4 && talkWords.any(p.words) && wholeWords.any(p.words):
		return "asks for what was said or told before"
	case len(p.words) >= 5 && orderVerbs[p.words[0]] && !p.is("boolean"):
		return "is an order"
	case len(p.words) >= 6 && tellingVerbs.any(p.words) && !flagWords[p.words[0]]:
		return "is a sentence"
	}
	return ""
}

// talk are names of parameters that invite free talk.
var talk = setOf("sidenote side_note remark remarks note notes debug context reasoning scratchpad extra metadata feedback comment comments memo additional_info aside thoughts annotation misc")

// sinkParams finds free text that nothing explains: a place to put what should not leave.
func (v *view) sinkParams() {
	grave := false
	for i := range v.findings {
		f := &v.findings[i]
		grave = grave || strings.HasPrefix(f.Rule, "poison.") && f.Severity.Rank() >= High.Rank()
	}
	text := v.description()
	for _, p := range v.params {
		if p.desc != "" || !talk[lower(p.name)] || !p.isOnly("string") || p.schema.has("maxLength") || p.values() != nil {
			continue
		}
		if strings.Contains(text, lower(p.name)) && !grave {
			continue
		}
		sev := Warn
		if grave {
			sev = High
		}
		v.found("poison.sink-param", sev, p.schema, fmt.Sprintf("Nothing explains the free text %q: a model may put anything there.", p.name))
	}
}
