package cost

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/countersign/countersign/review/host"
	"github.com/countersign/countersign/review/surface"
)

// Why says what breaks a cached prefix.
type Why string

// The reasons.
const (
	Nothing  Why = ""             // the new surface begins with all of the old one
	Edited   Why = "edited"       // the definition at this place is sent as another text
	Added    Why = "added"        // a new tool stands in front of old ones
	Removed  Why = "removed"      // a tool is gone, and others follow it
	Moved    Why = "moved"        // a tool stands elsewhere
	Foreword Why = "instructions" // the server's instructions are others, which this host sends in front of its tools
)

// Break says where a cached prefix ends.
type Break struct {
	Kept       int    // leading tools that are sent alike
	KeptTokens int    // of them
	Resent     int    // tokens of the new surface after them, which are paid in full once
	Tool       string // the tool whose edit ends the prefix; "" when none does
	Position   int    // its place in the new surface, or in the old one when it is removed, from 1
	Why        Why
}

// definition is one part of a request as far as a cache is concerned: a tool, or the
// foreword of those behind it.
type definition struct {
	foreword bool
	name     string
	sent     [3]string // all that is sent of it
	tokens   int
}

// Prefix compares two listings as a host would send them that changes nothing: names,
// descriptions and input schemas, whatever else is listed and however it is written.
func Prefix(old, next *surface.Listing) Break {
	return compare(definitionsOf(old), definitionsOf(next))
}

func definitionsOf(l *surface.Listing) []definition {
	out := make([]definition, 0, len(l.Tools))
	for _, t := range l.Tools {
		description, _ := t.Description()
		schema, _ := t.InputSchema()
		compacted := compact(schema)
		out = append(out, definition{
			name: t.Name, sent: [3]string{t.Name, description, reprinted(schema, compacted)}, tokens: partsOf(t.Name, description, compacted).Sum(),
		})
	}
	return out
}

// reprinted is a schema as it is after it was read and printed: without space, and
// every text written in one way. What can't be read stays as it is, compacted.
func reprinted(schema []byte, compacted string) string {
	if !bytes.ContainsRune(schema, '\\') {
		return compacted
	}
	v := jsontext.Value(bytes.Clone(schema))
	if v.Format() != nil {
		return compacted
	}
	return string(v)
}

// PrefixOf compares what one host sends of two surfaces.
func PrefixOf(old, next *host.Rendering) Break {
	return compare(entriesOf(old), entriesOf(next))
}

func entriesOf(r *host.Rendering) []definition {
	out := make([]definition, 0, len(r.Tools))
	for _, e := range r.Tools {
		grouped := len(e.Tools) > 0 && e.Tools[0].Group != ""
		if grouped {
			out = append(out, forewordOf(r, e.Tools[0]))
		}
		for _, s := range e.Tools {
			d := definition{name: s.Tool, sent: [3]string{string(e.JSON)}, tokens: partsOf(s.Name, s.Description, string(s.Schema)).Sum()}
			if grouped {
				d.sent = [3]string{s.Name, s.Description, string(s.Schema)}
			}
			out = append(out, d)
		}
	}
	return out
}

// forewordOf is what a host says of the tools of a group in front of them: its name, and
// the instructions of the server.
func forewordOf(r *host.Rendering, first host.Sent) definition {
	d := definition{foreword: true, sent: [3]string{first.Group}}
	for _, in := range r.Instructions {
		if in.Server == first.Server {
			d.sent[1], d.tokens = in.Text, Tokens(in.Text)
		}
	}
	return d
}

func compare(old, next []definition) Break {
	b := Break{}
	at := 0
	for at < min(len(old), len(next)) && old[at].sent == next[at].sent {
		b.KeptTokens += next[at].tokens
		at++
	}
	for _, d := range next[at:] {
		b.Resent += d.tokens
	}
	b.Kept = tools(next[:at])
	b.Why, b.Tool, b.Position = blame(old, next, at)
	return b
}

// tools counts what is no foreword.
func tools(list []definition) int {
	n := 0
	for _, d := range list {
		if !d.foreword {
			n++
		}
	}
	return n
}

// blame names the edit at which two surfaces begin to differ. The position counts tools.
func blame(old, next []definition, at int) (why Why, tool string, position int) {
	if at == len(old) {
		return Nothing, "", 0 // what was cached is all still there
	}
	position = tools(old[:at]) + 1
	gone := old[at]
	if gone.foreword && at+1 < len(old) {
		gone = old[at+1]
	}
	switch {
	case at == len(next):
		return Removed, gone.name, position
	case old[at].foreword && next[at].foreword:
		return Foreword, "", 0
	case old[at].name == next[at].name:
		return Edited, next[at].name, position
	}
	wasThere, isThere := has(old[at:], next[at].name), has(next[at:], old[at].name)
	switch {
	case !wasThere:
		return Added, next[at].name, position
	case !isThere:
		return Removed, old[at].name, position
	}
	return Moved, next[at].name, position
}

func has(list []definition, name string) bool {
	for _, d := range list {
		if d.name == name && !d.foreword {
			return true
		}
	}
	return false
}
