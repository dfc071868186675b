package lint

import (
	"fmt"
	"slices"
	"strings"
)

// Findings of one rule that stand at this many places of a listing, or of one tool, are
// one finding with its places.
const (
	rollUpListing = 5
	rollUpTool    = 4
	rollUpTools   = 3 // tools that it takes to speak of the listing
)

// leastPlaces is smaller in a small listing, where fewer places are true of the whole.
func leastPlaces(tools int) int { return min(rollUpListing, max(rollUpTools, tools/3)) }

type rollKey struct {
	rule     string
	severity Severity
	isNew    bool
	tool     string
	position int
}

// rollUp joins equal facts: first over the whole listing, then within a tool. The order
// of what is left is that of the first place.
func rollUp(found []Finding, tools int) []Finding {
	found = join(found, leastPlaces(tools), func(f *Finding) rollKey {
		return rollKey{rule: f.Rule, severity: f.Severity, isNew: f.New}
	}, true)
	return join(found, rollUpTool, func(f *Finding) rollKey {
		return rollKey{f.Rule, f.Severity, f.New, f.Tool, f.Position}
	}, false)
}

func join(found []Finding, least int, key func(*Finding) rollKey, overTools bool) []Finding {
	groups := map[rollKey][]int{}
	for i := range found {
		if f := &found[i]; rollsUp(f) {
			k := key(f)
			groups[k] = append(groups[k], i)
		}
	}
	drop := make([]bool, len(found))
	for _, places := range groups {
		if len(places) < least || overTools && toolsIn(found, places) < rollUpTools {
			continue
		}
		joined := joinPlaces(found, places, overTools)
		for _, i := range places {
			drop[i] = true
		}
		found[places[0]], drop[places[0]] = joined, false
	}
	out := found[:0]
	for i, f := range found {
		if !drop[i] {
			out = append(out, f)
		}
	}
	return out
}

// rollsUp reports whether a finding may stand with others of its rule. Grave ones stand
// alone, but for what one change did in many places.
func rollsUp(f *Finding) bool {
	if f.Waiver != nil || f.Places != nil {
		return false
	}
	return f.Severity.Rank() <= Warn.Rank() || f.Severity == High && strings.HasPrefix(f.Rule, "diff.")
}

func toolsIn(found []Finding, places []int) int {
	tools := map[int]bool{}
	for _, i := range places {
		tools[found[i].Position] = true
	}
	return len(tools)
}

// namedInMessage is how many places a sentence names.
const namedInMessage = 3

func joinPlaces(found []Finding, places []int, overTools bool) Finding {
	f := found[places[0]]
	var names []string
	for _, i := range places {
		f.Places = append(f.Places, found[i].Place)
		name := found[i].Tool
		if !overTools {
			name = lastPart(found[i].Pointer)
		}
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	where := fmt.Sprintf("%d places of this tool", len(places))
	if overTools {
		where = inTools(len(places), toolsIn(found, places))
		f.Tool, f.Position, f.Pointer = "", 0, ""
	}
	more := ""
	if n := len(names) - namedInMessage; n > 0 {
		names, more = names[:namedInMessage], fmt.Sprintf(" and %d more", n)
	}
	f.Message = fmt.Sprintf("%s: %s (%s%s). The first: %s", titleOf(f.Rule), where, strings.Join(names, ", "), more, f.Message)
	return f
}

func inTools(places, tools int) string {
	switch {
	case places == tools:
		return fmt.Sprintf("%d tools", tools)
	case tools == 1:
		return fmt.Sprintf("%d places in one tool", places)
	}
	return fmt.Sprintf("%d places in %d tools", places, tools)
}

func titleOf(rule string) string {
	if r := catalogue().byID[rule]; r != nil {
		return r.Title
	}
	return rule
}

func lastPart(pointer string) string {
	return pointer[strings.LastIndexByte(pointer, '/')+1:]
}
