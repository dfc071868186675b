package lock

import (
	"fmt"
	"strings"

	"github.com/countersign/countersign/review/prose"
	"github.com/countersign/countersign/review/surface"
)

// State says whether a listing is the locked one.
type State string

// The states.
const (
	Same    State = "same"
	Differs State = "differs"
	Unknown State = "unknown" // the listing is a part, so what it lacks says nothing
)

// Difference is how a listing differs from a lock.
type Difference struct {
	State        State    `json:"state"`
	Added        []Text   `json:"added"`         // in the listing only
	Removed      []Text   `json:"removed"`       // in the lock only
	Changed      []Text   `json:"changed"`       // of the same name, other definition
	Order        bool     `json:"order"`         // the same definitions in another order
	Instructions bool     `json:"instructions"`  // other instructions
	Why          string   `json:"why,omitempty"` // it is unknown
	Sentences    []string `json:"sentences"`
}

// Compare compares a listing with the lock, tool by tool. Where the lock says nothing
// of instructions, a listing may have none, but not bring some: a model reads them.
func (k *Lock) Compare(l *surface.Listing) Difference {
	d := Difference{State: Same, Added: []Text{}, Removed: []Text{}, Changed: []Text{}, Sentences: []string{}}
	d.tools(k, l)
	d.Instructions = k.otherInstructions(l)
	d.say(k.Version)
	switch {
	case l.Kind != surface.KindListing:
		d.State, d.Why = Unknown, fmt.Sprintf("This is a %s, no listing as a server answers tools/list.", l.Kind)
	case len(d.Added)+len(d.Changed) > 0 || d.Instructions || l.Complete && len(d.Removed) > 0 || d.Order:
		d.State = Differs
	case !l.Complete:
		d.State, d.Why = Unknown, "This is a part of a listing: what is absent may be on another page."
	case k.Instructions != nil && !l.Instructions.Asked:
		d.State, d.Why = Unknown, "The lock binds instructions, and this listing says nothing of them. Read the live server, or its whole answer to initialize."
	}
	return d
}

// tools pairs by name, and by order among tools of one name.
func (d *Difference) tools(k *Lock, l *surface.Listing) {
	locked := map[Text][]surface.Hash{}
	for _, t := range k.Tools {
		locked[t.Name] = append(locked[t.Name], t.Digest)
	}
	same := len(k.Tools) == len(l.Tools)
	for i, t := range l.Tools {
		name := Text(t.Name)
		left := locked[name]
		switch {
		case len(left) == 0:
			d.Added = append(d.Added, name)
		case left[0] != t.Digest:
			d.Changed = append(d.Changed, name)
		}
		locked[name] = left[min(1, len(left)):]
		same = same && k.Tools[i].Digest == t.Digest
	}
	for _, t := range k.Tools {
		if len(locked[t.Name]) > 0 {
			d.Removed = append(d.Removed, t.Name)
			locked[t.Name] = locked[t.Name][1:]
		}
	}
	d.Order = !same && len(d.Added)+len(d.Changed)+len(d.Removed) == 0
}

func (k *Lock) otherInstructions(l *surface.Listing) bool {
	switch {
	case !l.Instructions.Asked:
		return false
	case k.Instructions == nil:
		return l.Instructions.Present
	}
	return l.Instructions.Digest() != *k.Instructions
}

// say tells of the release by its version, where the lock names one: of other releases it
// knows nothing.
func (d *Difference) say(version string) {
	of := "what was released"
	if version != "" {
		of += " as " + prose.Show(version).String()
	}
	for _, part := range []struct {
		names []Text
		say   string
	}{
		{d.Changed, "`%s` is not the definition that was released."},
		{d.Added, "`%s` is not in " + of + "."},
		{d.Removed, "`%s` was released and is not there."},
	} {
		for _, name := range part.names {
			d.Sentences = append(d.Sentences, strings.Replace(part.say, "%s", prose.Show(string(name)).String(), 1))
		}
	}
	if d.Order {
		d.Sentences = append(d.Sentences, "The tools stand in another order.")
	}
	if d.Instructions {
		d.Sentences = append(d.Sentences, "The instructions are not those that were released.")
	}
}
