package web

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/change"
	"github.com/countersign/countersign/views"
)

// chartVersions is the most versions in a chart: more would be thinner than a line.
const chartVersions = 30

// chartKind is a number that every version has.
type chartKind struct {
	label string
	tone  views.Tone
	of    func(*review.ReleaseSummary) int
}

// chartKinds are the tools, and of each class of change how many there were.
func chartKinds() []chartKind {
	kinds := []chartKind{{"Tools", views.Plain, func(r *review.ReleaseSummary) int { return r.Listing.ToolCount }}}
	for _, c := range []change.Class{change.Breaking, change.Undecided, change.Behaviour, change.Text, change.Compatible} {
		look := views.ClassBadge(c)
		kinds = append(kinds, chartKind{look.Word, look.Tone, func(r *review.ReleaseSummary) int { return r.Counts[c] }})
	}
	return kinds
}

// chartsOf draws the versions of the profile that was pushed last; nil when there
// are too few for a course.
func chartsOf(newestFirst []review.ReleaseSummary) *views.Charts {
	list := charted(newestFirst)
	if len(list) < 2 {
		return nil
	}
	c := &views.Charts{}
	for i := range list {
		r := &list[len(list)-1-i].Release
		c.Table.Lines = append(c.Table.Lines, views.ChartLine{Version: views.NameLink{Name: views.ShowName(r.Title()), URL: releasePath(r.ID)}})
	}
	for _, k := range chartKinds() {
		numbers := make([]int, len(list))
		for i := range list {
			numbers[i] = k.of(&list[i])
		}
		if slices.Max(numbers) == 0 {
			continue
		}
		c.Rows = append(c.Rows, chartRow(k, numbers))
		c.Table.Heads = append(c.Table.Heads, k.label)
		for i, n := range numbers {
			line := &c.Table.Lines[len(numbers)-1-i]
			line.Numbers = append(line.Numbers, thousands(n))
		}
	}
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

func chartRow(k chartKind, numbers []int) views.ChartRow {
	least, most, now := slices.Min(numbers), slices.Max(numbers), numbers[len(numbers)-1]
	row := views.ChartRow{
		Label: k.label, Tone: k.tone, Now: thousands(now),
		Says: fmt.Sprintf("%s: from %s to %s over %d versions, %s in the newest", k.label, thousands(least), thousands(most), len(numbers), thousands(now)),
	}
	step := float64(views.ChartWidth) / float64(len(numbers))
	for i, n := range numbers {
		if n == 0 {
			continue
		}
		height := max(1, views.ChartHeight*float64(n)/float64(most)) // one of a thousand is seen too
		row.Bars = append(row.Bars, views.Bar{
			X: chartUnits(step * float64(i)), Y: chartUnits(views.ChartHeight - height), Width: chartUnits(step * 0.8), Height: chartUnits(height),
		})
	}
	return row
}

func chartUnits(f float64) string { return strconv.FormatFloat(f, 'f', 1, 64) }
