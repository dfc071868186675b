package web

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/change"
)

func summary(version, profile string, state review.ReleaseState, tools, breaking int) review.ReleaseSummary {
	return review.ReleaseSummary{
		Release: review.Release{ID: "r" + version, Version: version, Ref: "ref", Profile: profile}, State: state,
		Listing: review.ListingInfo{ID: "l" + version, ToolCount: tools}, Counts: map[change.Class]int{change.Breaking: breaking},
	}
}

func TestChartsTellTheCourse(t *testing.T) {
	c := chartsOf(charted([]review.ReleaseSummary{ // newest first
		summary("1.3.0", "default", review.StateInReview, 1000, 2),
		summary("", "default", review.StateInReview, 7, 7),
		summary("9.0.0", "wide", review.StateReleased, 5, 5),
		summary("1.2.0", "default", review.StateWithdrawn, 6, 6),
		summary("1.1.0", "default", review.StateReleased, 1, 0),
		summary("1.0.0", "default", review.StateReleased, 500, 0),
	}), nil)
	if c == nil || len(c.Rows) != 2 {
		t.Fatalf("charts %+v", c)
	}
	if got, want := c.Rows[0].Says, "Tools: from 1 to 1,000 over 3 versions, 1,000 in the newest"; got != want {
		t.Errorf("says %q, want %q", got, want)
	}
	var bars []string
	for _, b := range c.Rows[0].Bars {
		bars = append(bars, "at "+b.X+" high "+b.Height)
	}
	if diff := cmp.Diff([]string{"at 0.0 high 16.0", "at 30.0 high 1.0", "at 60.0 high 32.0"}, bars); diff != "" {
		t.Error(diff)
	}
	if len(c.Rows[1].Bars) != 1 || c.Rows[1].Now != "2" {
		t.Errorf("breaking changes: %+v", c.Rows[1])
	}
	var table []string
	for _, l := range c.Table.Lines {
		table = append(table, l.Version.Name.String()+" "+l.Numbers[0]+" "+l.Numbers[1])
	}
	if diff := cmp.Diff([]string{"1.3.0 1,000 2", "1.1.0 1 0", "1.0.0 500 0"}, table); diff != "" {
		t.Error(diff)
	}
}

// TestWhatIsNotKnownIsNotNothing draws versions whose tokens, and whose changes,
// nobody counted yet: they have no bar, and their place in the table says so.
func TestWhatIsNotKnownIsNotNothing(t *testing.T) {
	list := charted([]review.ReleaseSummary{
		summary("1.2.0", "default", review.StateInReview, 3, 4),
		summary("1.1.0", "default", review.StateReleased, 3, 0),
		summary("1.0.0", "default", review.StateReleased, 3, 0),
	})
	list[0].Counts = nil
	c := chartsOf(list, map[string]int{"l1.0.0": 400, "l1.1.0": 0})
	if diff := cmp.Diff([]string{"Tools", "Tokens", "Changes: breaking"}, c.Table.Heads); diff != "" {
		t.Fatal(diff)
	}
	var table [][]string
	for _, l := range c.Table.Lines {
		table = append(table, l.Numbers)
	}
	if diff := cmp.Diff([][]string{{"3", "unknown", "4"}, {"3", "0", "0"}, {"3", "400", "unknown"}}, table); diff != "" {
		t.Error(diff)
	}
	if got, want := c.Rows[1].Says, "Tokens: from 0 to 400 over 2 of 3 versions, unknown in the newest"; got != want {
		t.Errorf("says %q, want %q", got, want)
	}
	if len(c.Rows[1].Bars) != 1 || c.Note == "" {
		t.Errorf("%+v, note %q", c.Rows[1], c.Note)
	}
}

// TestChartsOfFindings: severities stand apart, what is accepted is not drawn, and what
// nobody looked at is told.
func TestChartsOfFindings(t *testing.T) {
	found := func(version string, c *review.FindingCounts) review.ReleaseSummary {
		r := summary(version, "default", review.StateReleased, 3, 0)
		r.Findings = c
		return r
	}
	c := chartsOf(charted([]review.ReleaseSummary{ // newest first
		found("4", &review.FindingCounts{Warn: 2, Info: 9, Waived: 5}),
		found("3", nil),
		found("2", &review.FindingCounts{High: 1, Warn: 4}),
		found("1", &review.FindingCounts{}),
	}), nil)
	var says []string
	for _, r := range c.Rows[1:] {
		says = append(says, r.Says)
	}
	if diff := cmp.Diff([]string{
		"Findings: high: from 0 to 1 over 3 of 4 versions, 0 in the newest",
		"Findings: warn: from 0 to 4 over 3 of 4 versions, 2 in the newest",
	}, says); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"3", "unknown", "unknown"}, c.Table.Lines[1].Numbers); diff != "" {
		t.Error(diff)
	}
	if !strings.HasPrefix(c.Note, "1 version was not looked at") {
		t.Errorf("the note says %q", c.Note)
	}
	if c := chartsOf(charted([]review.ReleaseSummary{found("2", &review.FindingCounts{}), found("1", &review.FindingCounts{})}), nil); c.Note != "" {
		t.Errorf("all is known: %q", c.Note)
	}
}

func TestChartsNeedACourse(t *testing.T) {
	for _, list := range [][]review.ReleaseSummary{nil, {summary("1.0.0", "default", review.StateReleased, 3, 0)}} {
		if c, err := new(Server).charts(nil, &review.ServerView{Releases: list}); c != nil || err != nil {
			t.Errorf("%d versions make %+v, %v", len(list), c, err)
		}
	}
	var many []review.ReleaseSummary
	for range 3 * chartVersions {
		many = append(many, summary("1.0.0", "default", review.StateReleased, 3, 0))
	}
	if c := chartsOf(charted(many), nil); len(c.Rows) != 1 || len(c.Rows[0].Bars) != chartVersions {
		t.Errorf("many versions make %d rows", len(c.Rows))
	}
}
