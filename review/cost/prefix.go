package cost

import (
	"github.com/countersign/countersign/review/host"
	"github.com/countersign/countersign/review/surface"
)

// Why says what breaks a cached prefix.
type Why string

// The reasons.
const (
	Nothing Why = ""        // the new surface begins with all of the old one
	Edited  Why = "edited"  // the definition at this place has other bytes
	Added   Why = "added"   // a new tool stands in front of old ones
	Removed Why = "removed" // a tool is gone, and others follow it
	Moved   Why = "moved"   // a tool stands elsewhere
)

// Break says where a cached prefix ends.
type Break struct {
	Kept       int    // leading tools that are the same bytes
	KeptTokens int    // of them
	Resent     int    // tokens of the new surface after them, which are paid in full once
	Tool       string // the tool whose edit ends the prefix; "" when nothing does
	Position   int    // its place in the new surface, or in the old one when it is removed, from 1
	Why        Why
}

// definition is one entry as far as a cache is concerned.
type definition struct {
	name   string
	bytes  string
	tokens int
}

// Prefix compares two listings as a host would send them that changes nothing.
func Prefix(old, next *surface.Listing) Break {
	return compare(definitionsOf(old), definitionsOf(next))
}

func definitionsOf(l *surface.Listing) []definition {
	out := make([]definition, 0, len(l.Tools))
	for _, t := range l.Tools {
		description, _ := t.Description()
		schema, _ := t.InputSchema()
		out = append(out, definition{t.Name, string(t.RawHash[:]), partsOf(t.Name, description, compact(schema)).Sum()})
	}
	return out
}

// PrefixOf compares what one host sends of two surfaces. An entry that holds several
// tools counts as one definition, under the name of its first tool.
func PrefixOf(old, next *host.Rendering) Break {
	return compare(entriesOf(old), entriesOf(next))
}

func entriesOf(r *host.Rendering) []definition {
	out := make([]definition, 0, len(r.Tools))
	for _, e := range r.Tools {
		d := definition{bytes: string(e.JSON)}
		for i, s := range e.Tools {
			if i == 0 {
				d.name = s.Tool
			}
			d.tokens += partsOf(s.Name, s.Description, string(s.Schema)).Sum()
		}
		out = append(out, d)
	}
	return out
}

func compare(old, next []definition) Break {
	b := Break{}
	for b.Kept < min(len(old), len(next)) && old[b.Kept].bytes == next[b.Kept].bytes {
		b.KeptTokens += next[b.Kept].tokens
		b.Kept++
	}
	for _, d := range next[b.Kept:] {
		b.Resent += d.tokens
	}
	b.Why, b.Tool, b.Position = blame(old, next, b.Kept)
	return b
}

// blame names the edit at which two surfaces begin to differ.
func blame(old, next []definition, at int) (why Why, tool string, position int) {
	if at == len(old) {
		return Nothing, "", 0 // what was cached is all still there
	}
	if at == len(next) {
		return Removed, old[at].name, at + 1
	}
	if old[at].name == next[at].name {
		return Edited, next[at].name, at + 1
	}
	wasThere, isThere := has(old[at:], next[at].name), has(next[at:], old[at].name)
	switch {
	case !wasThere:
		return Added, next[at].name, at + 1
	case !isThere:
		return Removed, old[at].name, at + 1
	}
	return Moved, next[at].name, at + 1
}

func has(list []definition, name string) bool {
	for _, d := range list {
		if d.name == name {
			return true
		}
	}
	return false
}
