package change

import (
	"fmt"
	"slices"
	"strings"

	"github.com/countersign/countersign/review/schema"
	"github.com/countersign/countersign/review/surface"
)

// bulkTools is how many tools must lose the same thing before it is a finding
// about the listing. Such a loss is what a library upgrade does behind its user's
// back.
const bulkTools = 2

// bulkLoss is something that a tool can lose altogether.
type bulkLoss struct {
	id       string
	class    Class
	within   string // a larger loss that says it already
	count    func(*surface.Tool) int
	sentence func(n, tools int) string
}

// bulkLosses are looked for in this order: where all parameters are gone, that their
// descriptions are gone too is no second finding.
var bulkLosses = []bulkLoss{
	{
		id: "bulk.parameters.removed", class: Breaking,
		count: parameters,
		sentence: func(n, tools int) string {
			return fmt.Sprintf("All %s of %s are gone: their input schemas are empty now. A change of schema library does that.", count(n, "parameter"), count(tools, "tool"))
		},
	},
	{
		id: "bulk.param-descriptions.removed", class: Behaviour, within: "bulk.parameters.removed",
		count: describedParameters,
		sentence: func(n, tools int) string {
			return fmt.Sprintf("All %s of %s are gone. A change of schema library does that.", count(n, "parameter description"), count(tools, "tool"))
		},
	},
	{
		id: "bulk.descriptions.removed", class: Behaviour,
		count: func(t *surface.Tool) int { text, _ := t.Description(); return one(strings.TrimSpace(text) != "") },
		sentence: func(_, tools int) string {
			return fmt.Sprintf("%s lost their descriptions.", count(tools, "tool"))
		},
	},
	{
		id: "bulk.annotations.removed", class: Behaviour,
		count: func(t *surface.Tool) int { v, _ := t.Annotations(); return len(membersOf(v).names) },
		sentence: func(_, tools int) string {
			return fmt.Sprintf("%s lost all their annotations.", count(tools, "tool"))
		},
	},
	{
		id: "bulk.output-schemas.removed", class: Breaking,
		count: func(t *surface.Tool) int { _, ok := t.OutputSchema(); return one(ok) },
		sentence: func(_, tools int) string {
			return fmt.Sprintf("%s lost their output schemas.", count(tools, "tool"))
		},
	},
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

func describedParameters(t *surface.Tool) int {
	n := 0
	for _, p := range propertiesOf(t) {
		n += one(p.Description != "")
	}
	return n
}

func parameters(t *surface.Tool) int { return len(propertiesOf(t)) }

func propertiesOf(t *surface.Tool) []schema.Property {
	in, ok := t.InputSchema()
	if !ok {
		return nil
	}
	props, err := schema.Properties(in)
	if err != nil {
		return nil
	}
	return props
}

// raiseBulk finds what whole listings lost. Only changed tools are opened, and of
// those only what they lost is looked at: a loss counts when every changed tool
// that had the thing has none of it left.
func raiseBulk(pairs []pair) []Bulk {
	var raised []Bulk
	said := map[string][]string{} // tools by the loss that they were part of
	for _, loss := range bulkLosses {
		b, whole := lossOf(loss, pairs, said[loss.within])
		if whole && len(b.Tools) >= bulkTools {
			said[b.ID] = b.Tools
			raised = append(raised, b)
		}
	}
	return raised
}

// lossOf collects the tools that lost something altogether; whole is false when a
// changed tool still has it.
func lossOf(l bulkLoss, pairs []pair, skip []string) (b Bulk, whole bool) {
	b = Bulk{ID: l.id, Class: l.class}
	for _, p := range pairs {
		if p.same() || slices.Contains(skip, p.new.Name) {
			continue
		}
		had := l.count(p.old)
		if had == 0 {
			continue
		}
		if l.count(p.new) > 0 {
			return b, false
		}
		b.Count += had
		b.Tools = append(b.Tools, p.new.Name)
	}
	b.Sentence = l.sentence(b.Count, len(b.Tools))
	return b, true
}
