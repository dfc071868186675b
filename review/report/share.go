package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/countersign/countersign/review/change"
)

// share is the part of a decision's tools that is of one class. One matter may
// break some tools and only change how others behave: a headline with the strongest
// class alone would say of all what holds for few.
type share struct {
	class change.Class
	tools []string
}

// label names the share's class where there are several.
func (s share) label(after string, several bool) string {
	if !several {
		return ""
	}
	return string(s.class) + after
}

// shares divides the tools of a decision by the strongest class that one of its
// edits has on them, strongest first. There is one share when all are alike, and
// when the decision is graver than its edits: then it is about the whole listing.
func shares(d change.Decision, details map[string]detail) []share {
	of := map[string]change.Class{}
	for _, e := range d.Edits {
		det := details[e]
		for _, t := range det.tools {
			of[t] = change.Max(of[t], det.Class)
		}
	}
	var parts []share
	for _, t := range d.Tools {
		i := slices.IndexFunc(parts, func(s share) bool { return s.class == of[t] })
		if i < 0 {
			i = len(parts)
			parts = append(parts, share{class: of[t]})
		}
		parts[i].tools = append(parts[i].tools, t)
	}
	slices.SortStableFunc(parts, func(a, b share) int { return b.class.Rank() - a.class.Rank() })
	if len(parts) < 2 || parts[0].class != d.Class {
		return []share{{d.Class, d.Tools}}
	}
	return parts
}

// classWords is the class of a decision, or "breaking on 3; behaviour on 43".
func classWords(d change.Decision, parts []share) string {
	if len(parts) < 2 {
		return string(d.Class)
	}
	return strings.Join(each(parts, func(s share) string { return fmt.Sprintf("%s on %d", s.class, len(s.tools)) }), "; ")
}

// ownLine reports whether an edit says more than the headline it stands under.
func ownLine(d detail, decision change.Decision) bool {
	return len(decision.Edits) > 1 && (d.Sentence != decision.Sentence || d.Class != decision.Class)
}

// otherClass names the class of an edit that is not that of the headline.
func otherClass(d detail, decision change.Decision) string {
	if d.Class == decision.Class {
		return ""
	}
	return string(d.Class) + ": "
}

// namedAbove reports whether tools are many and are a share that a line above names.
func namedAbove(tools []string, parts []share) bool {
	return len(tools) > namedTools && slices.ContainsFunc(parts, func(s share) bool { return slices.Equal(s.tools, tools) })
}
