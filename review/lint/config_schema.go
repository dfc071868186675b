package lint

import (
	"encoding/json"
	"strings"

	"github.com/countersign/countersign/review/host"
)

// ConfigSchema is the form of a [ConfigFile] as a JSON Schema (draft 2020-12), with the
// rules of this version by name, so that an editor refuses what [ParseConfig] refuses. One
// thing it can't say: that no two waivers may have one fingerprint.
func ConfigSchema() []byte {
	b, err := json.MarshalIndent(configSchema(), "", "  ")
	if err != nil {
		panic(err) // it is made of maps and texts
	}
	return append(b, '\n')
}

type object = map[string]any

func configSchema() object {
	return object{
		"$schema": "https://json-schema.org/draft/2020-12/schema",
		"title":   ConfigFile,
		"type":    []string{"object", "null"}, "additionalProperties": false,
		"properties": object{"lint": object{
			"type": []string{"object", "null"}, "additionalProperties": false,
			"properties": object{
				"rules": object{
					"description":          "What is looked for, and how much it matters. A name is a rule or a family of rules.",
					"type":                 []string{"object", "null"},
					"propertyNames":        object{"enum": ruleNames()},
					"additionalProperties": object{"enum": []any{"off", "on", Info, Warn, High, Critical}},
				},
				"hosts": object{
					"description": "The hosts that the team serves: their limits are looked at.",
					"type":        []string{"array", "null"},
					"items":       object{"enum": hostIDs()},
				},
				"waivers": object{
					"description": "Findings that somebody accepted, one entry for each fingerprint.",
					"type":        []string{"array", "null"},
					"items":       waiverSchema(),
				},
			},
		}},
	}
}

func waiverSchema() object {
	text := func(description string) object { return object{"type": "string", "description": description} }
	fingerprint := text("As the finding shows it: it binds the rule, the tool, the place and the whole text.")
	fingerprint["pattern"] = "^sha256:[0-9a-f]{64}$"
	rule := text("For people; another rule than the finding has makes the waiver cover nothing.")
	rule["enum"] = append([]string{""}, ruleIDs()...)
	reason := text("Why this is accepted.")
	reason["pattern"] = `\S`
	kind := text("A risk that somebody accepts, or something that nobody could check.")
	kind["enum"], kind["default"] = []WaiverKind{AcceptedRisk, CouldNotTell}, AcceptedRisk
	expires := text("The last day on which it holds; without it for ever.")
	expires["pattern"] = "^([0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01]))?$"
	return object{
		"type": "object", "additionalProperties": false, "required": []string{"fingerprint", "reason"},
		"properties": object{
			"fingerprint": fingerprint, "rule": rule,
			"tool":    text("For people: the name of the tool; another one than the finding has makes the waiver cover nothing."),
			"pointer": text("For people: the place in the definition, RFC 6901; checked like tool."),
			"reason":  reason, "by": text("Who accepted it."), "kind": kind, "expires": expires,
		},
	}
}

func hostIDs() []string {
	var ids []string
	for _, p := range host.Profiles() {
		ids = append(ids, p.ID)
	}
	return ids
}

func ruleIDs() []string {
	ids := make([]string, len(catalogue().rules))
	for i := range catalogue().rules {
		ids[i] = catalogue().rules[i].ID
	}
	return ids
}

// ruleNames are the names that [KnownRule] knows: each rule and each family.
func ruleNames() []string {
	var names []string
	seen := map[string]bool{}
	for _, id := range ruleIDs() {
		family, _, _ := strings.Cut(id, ".")
		if !seen[family] {
			seen[family] = true
			names = append(names, family+".*")
		}
		names = append(names, id)
	}
	return names
}
