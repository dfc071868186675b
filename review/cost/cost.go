// Package cost estimates what a tool surface costs: in tokens of a model's context,
// and in money over a session.
//
// # Tokens
//
// Every definition stands in the context of every request, used or not. [Of] counts
// a listing as its server sends it, [OfRendering] counts what one host makes of it.
// Both count names, descriptions and input schemas, since nothing else of a
// definition is sent, and instructions apart from them. The count is an estimate:
// providers other than OpenAI have tokenizers of their own, which are not public,
// and each wraps definitions in words of its own. Ratios between tools and between
// versions hold well; of absolute numbers, [Spread] says how far they may be off.
//
// # Money
//
// [Session] works out a session of some turns with exact decimals: the first turn
// writes the definitions into the prompt cache, the others read them.
//
// # The cache
//
// A provider's prompt cache holds a prefix. Definitions stand at its beginning, so
// an edit of one of them throws away everything from there on. [Prefix] and
// [PrefixOf] say which edit does, and how much is sent anew.
//
// Results depend on the arguments and on [Version] only, so they can be kept by
// digest, profile and version.
package cost

import (
	"crypto/sha256"
	"strings"
	"sync"

	"github.com/tiktoken-go/tokenizer/codec"

	"github.com/countersign/countersign/review/host"
	"github.com/countersign/countersign/review/surface"
)

// Tokenizer is the name of the vocabulary that counts.
const Tokenizer = "o200k_base"

// Spread says how far other vocabularies are from this one. It was measured with
// cl100k_base and p50k_base over the listings of the corpus that the project tests with.
const Spread = "Providers count with vocabularies of their own: those that are public gave from 5 % less to 30 % more for the same listings."

// Version changes whenever the same arguments may give another answer.
const Version = Tokenizer + "/2"

// vocabulary is built once, from tables in the program, and shared.
var vocabulary = sync.OnceValue(codec.NewO200kBase)

// Tokens counts the tokens of a text.
func Tokens(s string) int {
	n := 0
	for len(s) > 0 {
		piece := window(s)
		c, err := vocabulary().Count(piece)
		if err != nil {
			c = (len(piece) + 3) / 4 // a text that the splitter gives up on
		}
		n += c
		s = s[len(piece):]
	}
	return n
}

// windowBytes bounds what is counted at once. Texts are cut in front of a space,
// where tokens end anyway; a run without any space is cut where it has to be.
const windowBytes = 16 << 10

func window(s string) string {
	if len(s) <= windowBytes {
		return s
	}
	if at := strings.LastIndexByte(s[:windowBytes], ' '); at > windowBytes/2 {
		return s[:at]
	}
	return s[:windowBytes]
}

// Parts are the tokens of a definition, by part.
type Parts struct {
	Name        int
	Description int
	Schema      int
}

// Sum is the tokens of all parts.
func (p Parts) Sum() int { return p.Name + p.Description + p.Schema }

func (p *Parts) add(o Parts) {
	p.Name += o.Name
	p.Description += o.Description
	p.Schema += o.Schema
}

// Tool is what one definition costs.
type Tool struct {
	Name     string
	Position int // from 1
	Parts    Parts
}

// Family is what the tools of a family cost together.
type Family struct {
	Name   string
	Tools  int
	Tokens int
}

// Estimate is what a surface costs.
type Estimate struct {
	Tokens       int // of tools and instructions
	Instructions int
	Parts        Parts // of all tools
	Tools        []Tool
	Families     []Family
}

// Of counts a listing as it was received.
func Of(l *surface.Listing) *Estimate {
	e := &Estimate{}
	names := make([]string, 0, len(l.Tools))
	for _, t := range l.Tools {
		description, _ := t.Description()
		schema, _ := t.InputSchema()
		e.add(Tool{Name: t.Name, Position: t.Position, Parts: partsOf(t.Name, description, compact(schema))})
		names = append(names, t.Name)
	}
	if l.Instructions.Present {
		e.Instructions = Tokens(l.Instructions.Text)
		e.Tokens += e.Instructions
	}
	e.group(names)
	return e
}

// OfRendering counts what a host sends. Tools that it holds back cost nothing.
func OfRendering(r *host.Rendering) *Estimate { return new(Counter).OfRendering(r) }

// Counter counts what several hosts send of one listing. Most of the texts are the
// same in all of them and are counted once. It is for one goroutine.
type Counter struct {
	seen map[[sha256.Size]byte]int // tokens by hash: a counter holds no texts
}

func (c *Counter) tokens(s string) int {
	key := sha256.Sum256([]byte(s))
	if n, ok := c.seen[key]; ok {
		return n
	}
	if c.seen == nil {
		c.seen = map[[sha256.Size]byte]int{}
	}
	n := Tokens(s)
	c.seen[key] = n
	return n
}

// OfRendering counts what one of the hosts sends.
func (c *Counter) OfRendering(r *host.Rendering) *Estimate {
	e := &Estimate{}
	var names []string
	for _, entry := range r.Tools {
		for _, s := range entry.Tools {
			e.add(Tool{Name: s.Name, Position: s.Position, Parts: Parts{c.tokens(s.Name), c.tokens(s.Description), c.tokens(string(s.Schema))}})
			names = append(names, s.Tool)
		}
	}
	for _, in := range r.Instructions {
		e.Instructions += c.tokens(in.Text)
	}
	e.Tokens += e.Instructions
	e.group(names)
	return e
}

// Shares are the tokens of several servers in one host.
type Shares struct {
	Tokens  int   // of all, with their instructions
	Servers []int // of each, in the order of host.Together's shares
}

// OfTogether counts what a host sends of several servers.
func OfTogether(t *host.Together) Shares {
	var c Counter
	by := map[string]int{}
	for _, e := range t.Rendering.Tools {
		for _, s := range e.Tools {
			by[s.Server] += c.tokens(s.Name) + c.tokens(s.Description) + c.tokens(string(s.Schema))
		}
	}
	for _, in := range t.Rendering.Instructions {
		by[in.Server] += c.tokens(in.Text)
	}
	var out Shares
	for _, share := range t.Shares {
		out.Servers = append(out.Servers, by[share.Server])
		out.Tokens += by[share.Server]
	}
	return out
}

func (e *Estimate) add(t Tool) {
	e.Tools = append(e.Tools, t)
	e.Parts.add(t.Parts)
	e.Tokens += t.Parts.Sum()
}

// group sums the tools up by family.
func (e *Estimate) group(names []string) {
	for _, f := range surface.NewFamilies(names).Families {
		sum := Family{Name: f.Name, Tools: len(f.Positions)}
		for _, p := range f.Positions {
			sum.Tokens += e.Tools[p-1].Parts.Sum()
		}
		e.Families = append(e.Families, sum)
	}
}

func partsOf(name, description, schema string) Parts {
	return Parts{Name: Tokens(name), Description: Tokens(description), Schema: Tokens(schema)}
}

// compact takes the space between the values of a schema away, as every client does.
func compact(schema []byte) string {
	var b strings.Builder
	b.Grow(len(schema))
	text := false
	for i := 0; i < len(schema); i++ {
		switch c := schema[i]; {
		case text && c == '\\':
			b.WriteByte(c)
			if i++; i < len(schema) {
				b.WriteByte(schema[i])
			}
			continue
		case c == '"':
			text = !text
		case !text && (c == ' ' || c == '\n' || c == '\r' || c == '\t'):
			continue
		}
		b.WriteByte(schema[i])
	}
	return b.String()
}
