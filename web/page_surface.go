package web

import (
	"fmt"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/surface"
	"github.com/countersign/countersign/views"
)

// surfaceID is what the list of tools calls the listing as a whole: its names, their
// order, its size and its instructions.
const surfaceID = review.ListingPlace

// surfaceRow is the first row of the list.
func (p *releasePresenter) surfaceRow(open string) views.ToolRow {
	row := views.ToolRow{URL: p.toolURL(surfaceID), Kind: "≡", KindIs: "the listing", Name: views.ShowName("as a whole"), Current: open == surfaceID}
	if s := p.v.Sight; s != nil && p.v.Base != nil && s.Tokens != s.Base {
		row.Growth = signed(s.Tokens - s.Base)
	}
	return row
}

// wholeSurface shows what is true of the listing and of no single tool of it.
func (p *releasePresenter) wholeSurface(v *views.ToolsView) {
	t := views.ToolView{Name: views.ShowName("The listing as a whole"), Plain: true, Lines: p.surfaceLines()}
	if in := p.v.New.Instructions; in.Present {
		t.Words = views.Texts(&in.Text, &in.Text, "", "")
		if p.v.BaseListing != nil && p.v.BaseListing.Instructions.Present {
			old, new := p.labels()
			t.Words = views.Texts(&p.v.BaseListing.Instructions.Text, &in.Text, old, new)
		}
	}
	t.Words = t.Words.StandsAt("/instructions")
	v.Open = &t
	v.Findings = p.findingsAt([]int{0, review.InInstructions}, surfaceID)
	v.Threads = p.threadsWhere(surfaceID, func(t *review.Thread) bool { return t.Anchor.Tool == "" })
}

// surfaceLines say in a line each how many tools there are, how they are named and
// ordered, and what they cost.
func (p *releasePresenter) surfaceLines() []views.Line {
	r, families := p.v.Report, p.v.Server.Families(toolNames(p.v.New))
	tools := toolCount(p.v.Listing.ToolCount)
	if p.v.BaseListing != nil {
		tools += ", " + thousands(p.v.BaseListing.ToolCount) + " before"
	}
	lines := []views.Line{{Label: "Tools", Text: views.Say(tools)}, {Label: "Names", Text: views.Say(conventionSentence(families) + namesThatStandOut(families))}}
	if p.v.Base != nil {
		lines = append(lines, views.Line{Label: "Order", Text: views.Say(orderSentence(len(r.Moved), r.CachePrefixKept))})
	}
	if tokens := p.tokensSub(); tokens != "" {
		lines = append(lines, views.Line{Label: "Tokens", Text: views.Say(tokens)})
	}
	switch in := p.v.New.Instructions; {
	case !in.Asked && !in.Present:
		lines = append(lines, views.Line{Label: "Instructions", Text: views.Say("Nobody asked for them.")})
	case !in.Present:
		lines = append(lines, views.Line{Label: "Instructions", Text: views.Say("The server sent none.")})
	}
	return lines
}

func namesThatStandOut(f surface.Families) string {
	s := ""
	if n := len(f.Outliers); n > 0 {
		s += " " + plural(n, "name fits", "names fit") + " no family."
	}
	if n := len(f.Scattered); n > 0 {
		s += " " + plural(n, "family does", "families do") + " not stand together."
	}
	return s
}

func orderSentence(moved, kept int) string {
	s := "The same as before."
	if moved > 0 {
		s = plural(moved, "tool stands", "tools stand") + " elsewhere."
	}
	if kept > 0 {
		s += fmt.Sprintf(" The first %s keep their bytes, and a host's cache of them.", toolCount(kept))
	}
	return s
}
