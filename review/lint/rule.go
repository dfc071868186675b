package lint

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Version is the version of the rule set: findings are kept by a tool's digest and
// this, so it moves whenever the same definition could give other findings.
const Version = "5"

// Scope says what a rule looks at.
type Scope string

// The scopes.
const (
	ScopeTool     Scope = "tool"         // one definition alone
	ScopeProperty Scope = "property"     // one parameter of it
	ScopeFamily   Scope = "family"       // tools that belong together
	ScopeListing  Scope = "listing"      // the whole surface
	ScopeChange   Scope = "change"       // what happened since the base
	ScopeCross    Scope = "cross-server" // what other servers show to the same model
)

// Rule is one entry of the catalogue. Fires and Silent are examples in the form of a
// line of `countersign lint --batch`, without the id; each is a test.
type Rule struct {
	ID       string
	Severity Severity // the strongest that it gives
	Scope    Scope
	Version  string
	Off      bool // only looked at when a policy turns it on
	Title    string
	Why      string
	Fix      string
	Source   string
	Fires    []string
	Silent   []string
}

//go:embed catalogue.txt
var catalogueText string

// catalogue is parsed once; its text is part of the program, so a fault in it is a
// fault of the program.
var catalogue = sync.OnceValue(func() *registry {
	r, err := parseCatalogue(catalogueText)
	if err != nil {
		panic(err)
	}
	return r
})

type registry struct {
	rules []Rule
	byID  map[string]*Rule
}

// Rules lists the catalogue in its order.
func Rules() []Rule { return slices.Clone(catalogue().rules) }

// OffRules are the ids of the rules that nobody looks for unless a policy asks.
var OffRules = sync.OnceValue(func() []string {
	var ids []string
	for _, r := range catalogue().rules {
		if r.Off {
			ids = append(ids, r.ID)
		}
	}
	return ids
})

// RuleByID finds a rule.
func RuleByID(id string) (Rule, bool) {
	r, ok := catalogue().byID[id]
	if !ok {
		return Rule{}, false
	}
	return *r, true
}

// parseCatalogue reads blocks that start with "# ID severity scope [off]" and hold
// "key: text" lines; a line that is indented goes on.
func parseCatalogue(text string) (*registry, error) {
	reg := &registry{byID: map[string]*Rule{}}
	for n, line := range strings.Split(text, "\n") {
		if strings.TrimSpace(line) == "" {
			continue
		}
		var err error
		if head, ok := strings.CutPrefix(line, "# "); ok {
			err = reg.start(head)
		} else {
			err = reg.add(line)
		}
		if err != nil {
			return nil, fmt.Errorf("catalogue.txt:%d: %w", n+1, err)
		}
	}
	for i := range reg.rules {
		reg.byID[reg.rules[i].ID] = &reg.rules[i]
	}
	if len(reg.byID) != len(reg.rules) {
		return nil, fmt.Errorf("catalogue.txt: two rules of one id")
	}
	return reg, nil
}

func (reg *registry) start(head string) error {
	words := strings.Fields(head)
	if len(words) < 3 || Severity(words[1]).Rank() < 0 {
		return fmt.Errorf("want # ID severity scope, got %q", head)
	}
	reg.rules = append(reg.rules, Rule{
		ID: words[0], Severity: Severity(words[1]), Scope: Scope(words[2]),
		Version: "1", Off: slices.Contains(words[3:], "off"),
	})
	return nil
}

func (reg *registry) add(line string) error {
	if len(reg.rules) == 0 {
		return fmt.Errorf("a line before the first rule")
	}
	r := &reg.rules[len(reg.rules)-1]
	key, value, ok := strings.Cut(line, ": ")
	if !ok {
		return fmt.Errorf("want key: text, got %q", line)
	}
	switch key {
	case "title":
		r.Title = value
	case "why":
		r.Why = value
	case "fix":
		r.Fix = value
	case "source":
		r.Source = value
	case "version":
		r.Version = value
	case "fires":
		r.Fires = append(r.Fires, value)
	case "silent":
		r.Silent = append(r.Silent, value)
	default:
		return fmt.Errorf("unknown key %q", key)
	}
	return nil
}
