package web

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/cost"
	"github.com/countersign/countersign/review/host"
	"github.com/countersign/countersign/review/prose"
	"github.com/countersign/countersign/views"
)

// costRows is how many tools the page of costs lists; the others are added up.
const costRows = 300

// costPage shows what a listing costs, and works out a session.
func (s *Server) costPage(c echo.Context) error {
	q := review.CostQuestion{Listing: c.Param("id"), Base: c.QueryParam("base"), Host: c.QueryParam("host"), Prices: cost.DefaultPrices}
	prices, fault := pricesOf(c)
	if fault == nil {
		q.Prices = prices
	}
	v, err := s.svc.Cost(c.Request().Context(), s.actor(c), q)
	if v == nil && err != nil {
		return err
	}
	if fault == nil {
		fault = err // the amounts are no decimals: the rest of the page stands
	}
	if v.Server.Slug != c.Param("server") {
		return review.Errorf(review.NotFound, "This listing is not of that server.")
	}
	m := s.presentCost(c, v, q)
	status := http.StatusOK
	if sentence, ok := sentenceOf(fault); ok {
		status = describe(fault, "").Status
		m.Form.Fault, m.Bill = sentence, nil
	} else if fault != nil {
		return fault
	}
	return s.render(c, status, views.CostOf(m))
}

func (s *Server) presentCost(c echo.Context, v *review.CostView, q review.CostQuestion) views.CostPage {
	slug, id := v.Server.Slug, v.Listing.ID
	m := views.CostPage{
		Page:    s.page(c, "Cost of "+v.Server.Name, "servers", serversCrumb, serverCrumb(&v.Server)),
		Heading: views.Say("What " + v.Server.Name + " costs"), Digest: v.Listing.Digest.Short(), Sub: s.listingSub(v.Listing, v.Base),
		Tabs: listingTabs(slug, v.Listing, q.Base, "", viewCost), Tokens: plural(v.Tokens, "token", "tokens"), Counted: counted(v.Host),
		Parts: costParts(v.Estimate), Compared: v.Base != nil, Bill: billFacts(v.Bill),
	}
	m.Form = costFormOf(c, v, q)
	if v.Base != nil {
		m.Growth, m.Prefix = views.Say(growthSentence(v.Tokens-v.Cost.Base.Tokens)), prefixSentence(v.Prefix)
	}
	before := costsBefore(v)
	tools := slices.Clone(v.Estimate.Tools)
	slices.SortStableFunc(tools, func(a, b cost.Tool) int { return cmp.Compare(b.Parts.Sum(), a.Parts.Sum()) })
	for _, t := range tools[:min(len(tools), costRows)] {
		m.Tools = append(m.Tools, costRow(listingPath(slug, id), t, t.Parts.Sum()-before(t)))
	}
	if rest := len(tools) - len(m.Tools); rest > 0 {
		m.More = plural(rest, "cheaper tool is", "cheaper tools are") + " not shown; their tokens are in the sum."
	}
	for _, f := range v.Estimate.Families {
		m.Families = append(m.Families, views.CostRow{Name: views.ShowName(f.Name), Tokens: thousands(f.Tokens)})
	}
	return m
}

// costsBefore tells what a tool cost in the base, under whatever name; 0 for a new one.
func costsBefore(v *review.CostView) func(cost.Tool) int {
	byName, byPosition := map[string]int{}, map[int]int{}
	if v.Base != nil {
		for _, t := range v.Cost.Base.Tools {
			byName[t.Name] += t.Parts.Sum()
			byPosition[t.Position] += t.Parts.Sum()
		}
	}
	return func(t cost.Tool) int {
		if old, ok := v.Renamed[t.Position]; ok {
			return byPosition[old]
		}
		return byName[t.Name]
	}
}

func counted(hostID string) views.Sentence {
	what := "as listed"
	if hostID != "" {
		what = "as " + host.NameOf(hostID) + " sends it"
	}
	return views.Say("An estimate with `" + cost.Tokenizer + "`, " + what + ", in every request of a session. " + cost.Spread)
}

func costRow(base string, t cost.Tool, growth int) views.CostRow {
	return views.CostRow{
		Name: views.ShowName(toolName(t.Name, t.Position)), URL: toolAnchor(base, t.Position), Tokens: thousands(t.Parts.Sum()),
		Parts:  []string{thousands(t.Parts.Name), thousands(t.Parts.Description), thousands(t.Parts.Schema)},
		Growth: signed(growth),
	}
}

// signed writes a difference with its sign; nothing is "0".
func signed(n int) string {
	switch {
	case n > 0:
		return "+" + thousands(n)
	case n < 0:
		return "\u2212" + thousands(-n)
	}
	return "0"
}

func growthSentence(n int) string {
	switch {
	case n > 0:
		return plural(n, "token", "tokens") + " more than the base."
	case n < 0:
		return plural(-n, "token", "tokens") + " less than the base."
	}
	return "As many tokens as the base."
}

func prefixSentence(b cost.Break) views.Sentence {
	if b.Why == cost.Nothing {
		return views.Say("What a provider had cached stays cached.")
	}
	if b.Why == cost.Foreword {
		return views.Say("Nothing stays cached: the instructions differ, which stand in front of the tools there. " + plural(b.Resent, "token is", "tokens are") + " paid in full once.")
	}
	tool := prose.Show(toolName(b.Tool, b.Position)).String()
	return views.Say(fmt.Sprintf("The cached prefix ends at tool %s, %s (%s): %s stay cached, %s are paid in full once.",
		thousands(b.Position), quoted(tool), b.Why, plural(b.KeptTokens, "token", "tokens"), thousands(b.Resent)))
}

func costParts(e *cost.Estimate) []views.Fact {
	return []views.Fact{
		{Label: "Names", Text: thousands(e.Parts.Name)}, {Label: "Descriptions", Text: thousands(e.Parts.Description)},
		{Label: "Schemas", Text: thousands(e.Parts.Schema)}, {Label: "Instructions", Text: thousands(e.Instructions)},
	}
}

func billFacts(b cost.Bill) []views.Fact {
	return []views.Fact{
		{Label: "First turn", Text: "$" + b.FirstTurn.String()}, {Label: "Other turns", Text: "$" + b.Cached.String()},
		{Label: "In all", Text: "$" + b.Total.String()},
	}
}

// costFormOf fills the form with what was asked, also where it was wrong.
func costFormOf(c echo.Context, v *review.CostView, q review.CostQuestion) views.CostForm {
	d := cost.DefaultPrices
	f := views.CostForm{
		URL: costPath(v.Server.Slug, v.Listing.ID), Hosts: hostPlaces(q.Host),
		Turns: cmpOr(c.QueryParam("turns"), strconv.Itoa(d.Turns)), Price: cmpOr(c.QueryParam("price"), d.PerMillion),
		CacheRead: cmpOr(c.QueryParam("cache_read"), d.CacheRead), CacheWrite: cmpOr(c.QueryParam("cache_write"), d.CacheWrite),
	}
	f.Hosts = slices.Insert(f.Hosts, 0, views.Place{Label: "As listed", Chosen: q.Host == ""})
	if q.Base != "" {
		f.Hidden = []views.Hidden{{Name: "base", Value: q.Base}}
	}
	return f
}
