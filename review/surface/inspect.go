package surface

import (
	"encoding/json"
)

// jsonText is text of a listing on its way into JSON: a lone surrogate, which
// encoding/json would replace, is written as the escape that it came as.
type jsonText string

func (t jsonText) MarshalJSON() ([]byte, error) { return EncodeString(string(t)), nil }

// MarshalJSON keeps names as received, lone surrogates included.
func (p Problem) MarshalJSON() ([]byte, error) {
	type plain Problem
	return json.Marshal(struct {
		plain
		Tool    jsonText `json:"tool,omitempty"`
		Pointer jsonText `json:"pointer"`
		Message jsonText `json:"message"`
	}{plain(p), jsonText(p.Tool), jsonText(p.Pointer), jsonText(p.Message)})
}

// Inspection is what reading told about a listing; package report writes it as the
// JSON of the command line's contract.
type Inspection struct {
	Shape           Shape           `json:"shape"`
	Kind            Kind            `json:"kind"`
	Complete        bool            `json:"complete"`
	Digest          Hash            `json:"digest"`
	ProtocolVersion *string         `json:"protocol_version"`
	Instructions    *string         `json:"instructions"` // null when none were sent, or nobody asked
	Tools           []InspectedTool `json:"tools"`
	Problems        []Problem       `json:"problems"`
}

// InspectedTool is one tool of an [Inspection]. Family is null for an outlier.
type InspectedTool struct {
	Position int     `json:"position"`
	Name     string  `json:"name"`
	Digest   Hash    `json:"digest"`
	Family   *string `json:"family"`
}

// Inspect summarises a listing.
func Inspect(l *Listing) Inspection {
	in := Inspection{
		Shape:    l.Shape,
		Kind:     l.Kind,
		Complete: l.Complete,
		Digest:   l.Digest,
		Tools:    make([]InspectedTool, len(l.Tools)),
		Problems: append([]Problem{}, l.Problems...),
	}
	if l.ProtocolVersion != "" {
		in.ProtocolVersion = &l.ProtocolVersion
	}
	if l.Instructions.Present {
		in.Instructions = &l.Instructions.Text
	}
	family := map[int]string{}
	for _, f := range NewFamilies(l.Names()).Families {
		for _, p := range f.Positions {
			family[p] = f.Name
		}
	}
	for i, t := range l.Tools {
		in.Tools[i] = InspectedTool{Position: t.Position, Name: t.Name, Digest: t.Digest}
		if f, ok := family[t.Position]; ok {
			in.Tools[i].Family = &f
		}
	}
	return in
}

// Names returns the names of the tools in the order of the listing.
func (l *Listing) Names() []string {
	names := make([]string, len(l.Tools))
	for i, t := range l.Tools {
		names[i] = t.Name
	}
	return names
}

// Worst returns the strongest level among the problems, "" when there are none.
func (l *Listing) Worst() Level {
	worst := Level("")
	for _, p := range l.Problems {
		switch {
		case p.Level == LevelError:
			return LevelError
		case p.Level == LevelWarning || worst == "":
			worst = p.Level
		}
	}
	return worst
}
