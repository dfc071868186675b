package lint

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/countersign/countersign/review/surface"
)

// Case is a question as a line of `countersign lint --batch` puts it: one tool or a few,
// and what is known beside them.
type Case struct {
	ID       json.RawMessage // as received, null when absent
	Listing  *surface.Listing
	Previous *surface.Listing // nil when there is none
	Context  Context
}

// caseJSON is the form of a line.
type caseJSON struct {
	ID      json.RawMessage `json:"id"`
	Tool    json.RawMessage `json:"tool"`
	Tools   json.RawMessage `json:"tools"`
	Context *contextJSON    `json:"context"`
}

// contextJSON is the form of a context, alone in a file or in a line.
type contextJSON struct {
	Server       string                       `json:"server"`
	Siblings     []string                     `json:"siblings"`
	OtherServers map[string][]json.RawMessage `json:"other_servers"`
	Previous     json.RawMessage              `json:"previous"`
	Instructions *string                      `json:"instructions"`
	Hosts        []string                     `json:"hosts"`
	Live         json.RawMessage              `json:"live"`
}

// ParseCase reads a line {"id","tool"|"tools","context"?}.
func ParseCase(line []byte) (*Case, error) {
	var in caseJSON
	if err := json.Unmarshal(line, &in); err != nil {
		return nil, fmt.Errorf(`want {"id","tool"|"tools","context"?}: %w`, err)
	}
	if (in.Tool == nil) == (in.Tools == nil) {
		return nil, errors.New(`want either "tool" or "tools"`)
	}
	c := &Case{ID: in.ID}
	if c.ID == nil {
		c.ID = json.RawMessage("null")
	}
	var instructions *string
	if in.Context != nil {
		var err error
		if c.Context, c.Previous, err = in.Context.read(); err != nil {
			return nil, err
		}
		instructions = in.Context.Instructions
	}
	var err error
	if c.Listing, err = listingOf(in.Tool, in.Tools, instructions); err != nil {
		return nil, fmt.Errorf("tools: %w", err)
	}
	return c, nil
}

// ParseContext reads a context that stands alone: the Previous listing is nil when it
// names none.
func ParseContext(b []byte) (Context, *surface.Listing, error) {
	var in contextJSON
	if err := json.Unmarshal(b, &in); err != nil {
		return Context{}, nil, fmt.Errorf(`want {"server","siblings","other_servers","previous","hosts","live"}: %w`, err)
	}
	return in.read()
}

func (in *contextJSON) read() (Context, *surface.Listing, error) {
	ctx := Context{Server: in.Server, Siblings: in.Siblings, Hosts: in.Hosts}
	if err := CheckHosts(in.Hosts); err != nil {
		return ctx, nil, fmt.Errorf("hosts: %w", err)
	}
	for _, name := range sortedKeys(in.OtherServers) {
		o := OtherServer{Name: name}
		for _, raw := range in.OtherServers[name] {
			t, err := otherTool(raw)
			if err != nil {
				return ctx, nil, fmt.Errorf("other_servers/%s: %w", name, err)
			}
			o.Tools = append(o.Tools, t)
		}
		ctx.Others = append(ctx.Others, o)
	}
	var err error
	if ctx.Live, err = oneOrMore(in.Live); err != nil {
		return ctx, nil, fmt.Errorf("live: %w", err)
	}
	previous, err := oneOrMore(in.Previous)
	if err != nil {
		return ctx, nil, fmt.Errorf("previous: %w", err)
	}
	return ctx, previous, nil
}

// oneOrMore reads a tool, or an array of them; nil for null and nothing.
func oneOrMore(raw json.RawMessage) (*surface.Listing, error) {
	if raw == nil || string(raw) == "null" {
		return nil, nil
	}
	if raw[0] == '[' {
		return listingOf(nil, raw, nil)
	}
	return listingOf(raw, nil, nil)
}

// otherTool reads a name, or a tool.
func otherTool(raw json.RawMessage) (OtherTool, error) {
	var name string
	if json.Unmarshal(raw, &name) == nil {
		return OtherTool{Name: name}, nil
	}
	var t struct{ Name, Description string }
	if err := json.Unmarshal(raw, &t); err != nil {
		return OtherTool{}, fmt.Errorf("want the name of a tool, or a tool: %w", err)
	}
	return OtherTool{Name: t.Name, Description: t.Description}, nil
}

// listingOf reads one tool or a list of them as a complete listing.
func listingOf(tool, tools json.RawMessage, instructions *string) (*surface.Listing, error) {
	if tools == nil {
		tools = append(append(json.RawMessage("["), tool...), ']')
	}
	result := jsontext.Value(fmt.Sprintf(`{"tools":%s}`, tools))
	env := surface.Envelope{Results: []jsontext.Value{result}}
	if instructions == nil {
		return surface.Read(result, surface.Options{Complete: true})
	}
	env.Instructions = surface.Instructions{Asked: true, Present: true, Text: *instructions}
	return surface.Read(env.Encode(), surface.Options{Complete: true})
}

// Find answers the case.
func (c *Case) Find(opt Options) []Finding {
	opt.Context = c.Context
	if c.Previous != nil {
		return Change(c.Previous, c.Listing, nil, opt)
	}
	return Listing(c.Listing, opt)
}
