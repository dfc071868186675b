package web

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/change"
	"github.com/countersign/countersign/review/cost"
	"github.com/countersign/countersign/review/lint"
	"github.com/countersign/countersign/views"
)

// chartVersions is the most versions in a chart: more would be thinner than a line.
const chartVersions = 30

// chartSlots is the room for versions in a chart of fewer: bars are no walls.
const chartSlots = 8

// chartKind is a number that versions have; of says false where it is not known,
// which is not nothing.
type chartKind struct {
	label string
	tone  views.Tone
	of    func(*review.ReleaseSummary) (int, bool)
	note  string // how the number came about, where its label does not say
}

// tokensNote says under the charts that tokens are estimated.
const tokensNote = "Tokens are an estimate with " + cost.Tokenizer + ", of each listing as its server sends it."

// unknownNumber stands in the table where a number is not known.
const unknownNumber = "unknown"

// chartKinds are the tools, their tokens by the id of the listing, of each class of
// change how many there were, and of the graver severities how many findings counted.
func chartKinds(tokens map[string]int) []chartKind {
	kinds := []chartKind{
		{label: "Tools", tone: views.Plain, of: func(r *review.ReleaseSummary) (int, bool) { return r.Listing.ToolCount, true }},
		{label: "Tokens", tone: views.Plain, of: func(r *review.ReleaseSummary) (int, bool) { n, ok := tokens[r.Listing.ID]; return n, ok }, note: tokensNote},
	}
	for _, c := range []change.Class{change.Breaking, change.Undecided, change.Behaviour, change.Text, change.Compatible} {
		look := views.ClassBadge(c)
		kinds = append(kinds, chartKind{label: "Changes: " + look.Word, tone: look.Tone, of: func(r *review.ReleaseSummary) (int, bool) { return r.Counts[c], r.Counts != nil }})
	}
	for _, f := range []struct {
		severity lint.Severity
		of       func(*review.FindingCounts) int
	}{
		{lint.Critical, func(c *review.FindingCounts) int { return c.Critical }},
		{lint.High, func(c *review.FindingCounts) int { return c.High }},
		{lint.Warn, func(c *review.FindingCounts) int { return c.Warn }},
	} {
		kinds = append(kinds, chartKind{label: "Findings: " + string(f.severity), tone: views.SeverityBadge(f.severity).Tone, of: func(r *review.ReleaseSummary) (int, bool) {
			if r.Findings == nil {
				return 0, false
			}
			return f.of(r.Findings), true
		}})
	}
	return kinds
}

// unlooked says under the charts that findings of some versions are not known, "" when
// all are.
func unlooked(list []review.ReleaseSummary) string {
	n := 0
	for i := range list {
		if list[i].Findings == nil {
			n++
		}
	}
	if n == 0 {
		return ""
	}
	return plural(n, "version was", "versions were") + " not looked at with the rules of today: what was found there is unknown, not none. Opening a version has it looked at."
}

// charts draws the versions of the profile that was pushed last; nil when there are
// too few for a course.
func (s *Server) charts(c echo.Context, v *review.ServerView) (*views.Charts, error) {
	list := charted(v.Releases)
	if len(list) < 2 {
		return nil, nil
	}
	var ids []string
	for _, r := range list {
		ids = append(ids, r.Listing.ID)
	}
	tokens, err := s.svc.TokensOf(c.Request().Context(), s.actor(c), v.Server.Slug, ids)
	if err != nil {
		return nil, err
	}
	return chartsOf(list, tokens), nil
}

// chartsOf draws versions, oldest first. A kind of which nothing is known, or never
// was any, has no row.
func chartsOf(list []review.ReleaseSummary, tokens map[string]int) *views.Charts {
	c := &views.Charts{}
	for i := range list {
		r := &list[len(list)-1-i].Release
		c.Table.Lines = append(c.Table.Lines, views.ChartLine{Version: views.NameLink{Name: views.ShowName(r.Title()), URL: releasePath(r.ID)}})
	}
	for _, k := range chartKinds(tokens) {
		course := newCourse(k, list)
		if course.most() == 0 {
			continue
		}
		if k.note != "" {
			c.Note = k.note
		}
		c.Rows = append(c.Rows, course.row(k))
		c.Table.Heads = append(c.Table.Heads, k.label)
		for i := range course {
			line := &c.Table.Lines[len(course)-1-i]
			line.Numbers = append(line.Numbers, course[i].String())
		}
	}
	c.Note = strings.TrimSpace(c.Note + " " + unlooked(list))
	return c
}

// charted are the versions in a chart, oldest first: no refs, nothing withdrawn.
func charted(newestFirst []review.ReleaseSummary) []review.ReleaseSummary {
	var list []review.ReleaseSummary
	for _, r := range newestFirst {
		if r.Release.Version == "" || r.State == review.StateWithdrawn || len(list) == chartVersions {
			continue
		}
		if len(list) == 0 || r.Release.Profile == list[0].Release.Profile {
			list = append(list, r)
		}
	}
	slices.Reverse(list)
	return list
}

// course is one kind of number over the versions, oldest first.
type course []courseNumber

type courseNumber struct {
	n     int
	known bool
}

func (n courseNumber) String() string {
	if !n.known {
		return unknownNumber
	}
	return thousands(n.n)
}

func newCourse(k chartKind, list []review.ReleaseSummary) course {
	c := make(course, len(list))
	for i := range list {
		c[i].n, c[i].known = k.of(&list[i])
	}
	return c
}

// known are the numbers that are.
func (c course) known() []int {
	var out []int
	for _, n := range c {
		if n.known {
			out = append(out, n.n)
		}
	}
	return out
}

func (c course) most() int { return slices.Max(append(c.known(), 0)) }

func (c course) row(k chartKind) views.ChartRow {
	known, now := c.known(), c[len(c)-1].String()
	over := fmt.Sprintf("%d", len(c))
	if len(known) < len(c) {
		over = fmt.Sprintf("%d of %d", len(known), len(c))
	}
	row := views.ChartRow{
		Label: k.label, Tone: k.tone, Now: now,
		Says: fmt.Sprintf("%s: from %s to %s over %s versions, %s in the newest", k.label, thousands(slices.Min(known)), thousands(c.most()), over, now),
	}
	step := float64(views.ChartWidth) / float64(max(len(c), chartSlots))
	for i, n := range c {
		if n.n == 0 {
			continue
		}
		height := max(1, views.ChartHeight*float64(n.n)/float64(c.most())) // one of a thousand is seen too
		row.Bars = append(row.Bars, views.Bar{
			X: chartUnits(step * float64(i)), Y: chartUnits(views.ChartHeight - height), Width: chartUnits(step * 0.8), Height: chartUnits(height),
		})
	}
	return row
}

func chartUnits(f float64) string { return strconv.FormatFloat(f, 'f', 1, 64) }
