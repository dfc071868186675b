package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/countersign/countersign/review/cost"
)

// Cost is what is written about the cost of a surface.
type Cost struct {
	Estimate *cost.Estimate // nil when only a number of tokens was given
	Tokens   int
	Bill     cost.Bill
	Host     string         // whose rendering was counted; "" is the listing itself
	Base     *cost.Estimate // what it is compared with, or nil
	Prefix   cost.Break     // against the base
}

type costJSON struct {
	Tokenizer    string           `json:"tokenizer"`
	Estimate     bool             `json:"estimate"`
	Host         *string          `json:"host"`
	Tokens       int              `json:"tokens"`
	Instructions int              `json:"instructions"`
	Parts        *partsJSON       `json:"parts"`
	Tools        []costToolJSON   `json:"tools"`
	Families     []costFamilyJSON `json:"families"`
	Session      sessionJSON      `json:"session"`
	Base         *growthJSON      `json:"base"`
}

type partsJSON struct {
	Name        int `json:"name"`
	Description int `json:"description"`
	Schema      int `json:"schema"`
}

type costToolJSON struct {
	Name     text      `json:"name"`
	Position int       `json:"position"`
	Tokens   int       `json:"tokens"`
	Parts    partsJSON `json:"parts"`
}

type costFamilyJSON struct {
	Name   text `json:"name"`
	Tools  int  `json:"tools"`
	Tokens int  `json:"tokens"`
}

type sessionJSON struct {
	Turns       int         `json:"turns"`
	FirstTurn   cost.Amount `json:"first_turn_usd"`
	CachedTurns cost.Amount `json:"cached_turns_usd"`
	Total       cost.Amount `json:"total_usd"`
}

type growthJSON struct {
	Tokens int        `json:"tokens"`
	Growth int        `json:"growth"`
	Prefix prefixJSON `json:"cache_prefix"`
}

type prefixJSON struct {
	Kept       int      `json:"kept"`
	KeptTokens int      `json:"kept_tokens"`
	Resent     int      `json:"resent_tokens"`
	Tool       *text    `json:"broken_by"`
	Position   int      `json:"position,omitempty"`
	Why        cost.Why `json:"why"`
}

// JSON writes the cost on one line; amounts are decimals without exponent.
func (c Cost) JSON() ([]byte, error) {
	f := costJSON{
		Tokenizer: cost.Tokenizer, Estimate: true, Tokens: c.Tokens,
		Tools: []costToolJSON{}, Families: []costFamilyJSON{},
		Session: sessionJSON{c.Bill.Turns, c.Bill.FirstTurn, c.Bill.Cached, c.Bill.Total},
	}
	if c.Host != "" {
		f.Host = &c.Host
	}
	if e := c.Estimate; e != nil {
		p := partsJSON(e.Parts)
		f.Parts, f.Instructions = &p, e.Instructions
		f.Tools = each(e.Tools, func(t cost.Tool) costToolJSON {
			return costToolJSON{text(t.Name), t.Position, t.Parts.Sum(), partsJSON(t.Parts)}
		})
		f.Families = each(e.Families, func(m cost.Family) costFamilyJSON {
			return costFamilyJSON{text(m.Name), m.Tools, m.Tokens}
		})
	}
	if c.Base != nil {
		f.Base = &growthJSON{c.Base.Tokens, c.Tokens - c.Base.Tokens, prefixForm(c.Prefix)}
	}
	b, err := encode(f)
	if err != nil {
		return nil, fmt.Errorf("write cost: %w", err)
	}
	return b, nil
}

func prefixForm(p cost.Break) prefixJSON {
	f := prefixJSON{p.Kept, p.KeptTokens, p.Resent, nil, p.Position, p.Why}
	if p.Why != cost.Nothing && p.Why != cost.Foreword {
		f.Tool = (*text)(&p.Tool)
	}
	return f
}

// mostCostly bounds the tools that the text names.
const mostCostly = 10

// Text writes the cost for people.
func (c Cost) Text() string {
	var b strings.Builder
	if c.Estimate == nil {
		fmt.Fprintf(&b, "%d tokens, as given.\n", c.Tokens)
	} else {
		fmt.Fprintf(&b, "%d tokens, an estimate with %s. %s\n", c.Tokens, cost.Tokenizer, cost.Spread)
	}
	if c.Host != "" {
		fmt.Fprintf(&b, "Counted as %s sends it.\n", c.Host)
	}
	if e := c.Estimate; e != nil {
		for _, part := range []struct {
			name   string
			tokens int
		}{{"names", e.Parts.Name}, {"descriptions", e.Parts.Description}, {"schemas", e.Parts.Schema}, {"instructions", e.Instructions}} {
			fmt.Fprintf(&b, "  %-12s %8d  %s\n", part.name, part.tokens, Share(part.tokens, e.Tokens))
		}
		tools := slices.Clone(e.Tools)
		slices.SortStableFunc(tools, func(a, b cost.Tool) int { return b.Parts.Sum() - a.Parts.Sum() })
		for _, t := range tools[:min(len(tools), mostCostly)] {
			fmt.Fprintf(&b, "  %6d  %s\n", t.Parts.Sum(), Line(t.Name))
		}
		if rest := len(tools) - mostCostly; rest > 0 {
			fmt.Fprintf(&b, "  and %s\n", plural(rest, "tool"))
		}
	}
	fmt.Fprintf(&b, "A session of %s: $%s for the first, $%s for the others, $%s in all.\n",
		plural(c.Bill.Turns, "turn"), c.Bill.FirstTurn, c.Bill.Cached, c.Bill.Total)
	if c.Base != nil {
		fmt.Fprintf(&b, "Against the base: %+d tokens. %s\n", c.Tokens-c.Base.Tokens, prefixSentence(c.Prefix))
	}
	return b.String()
}

// Share writes a part of a whole in percent; "" where there is no whole.
func Share(part, whole int) string {
	switch {
	case whole == 0:
		return ""
	case part > 0 && part*200 < whole:
		return "under 1 %"
	}
	return fmt.Sprintf("%d %%", (part*100+whole/2)/whole)
}

func prefixSentence(p cost.Break) string {
	if p.Why == cost.Nothing {
		return "What was cached stays cached."
	}
	if p.Why == cost.Foreword {
		return fmt.Sprintf("Nothing stays cached: the instructions differ, which stand in front of the tools there. %d tokens are sent anew.", p.Resent)
	}
	return fmt.Sprintf("The cached prefix ends at tool %d, %s (%s): %d tokens stay cached, %d are sent anew.",
		p.Position, Line(p.Tool), p.Why, p.KeptTokens, p.Resent)
}
