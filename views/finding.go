package views

import (
	"strconv"

	"github.com/countersign/countersign/review/lint"
	"github.com/countersign/countersign/review/prose"
)

// FindingView is what a rule says about a place. It is never a comment: nobody
// wrote it, and nobody answers it but by a waiver or another text.
type FindingView struct {
	ID      string
	Badge   Badge
	Rule    string
	New     bool
	Tool    prose.Visible // nil where the page is about one tool, or for the listing
	Place   string        // "description"
	URL     string        // of the place, "" for none
	Message Sentence
	Excerpt prose.Visible
	Fix     Sentence
	More    string // "12 places in 9 tools"
	Waived  bool
	Waivers []WaiverView
	Quote   string // address of a comment that quotes it, "" where one may not comment
	Waive   *WaiveForm
}

// WaiverView is somebody's word on a finding.
type WaiverView struct {
	Badge    Badge // accepted risk, or could not check
	Who      prose.Visible
	Reason   prose.Visible
	When     When
	Until    string // "holds until 2026-12-31"
	Second   prose.Visible
	Pending  bool
	Confirm  *WaiverForm // for the second person
	TakeBack *WaiverForm
}

// WaiverForm acts on a waiver.
type WaiverForm struct {
	ID, URL, Waiver, Back string
	About                 string // "poison.conceal"
}

// WaiveForm accepts a finding.
type WaiveForm struct {
	ID, URL, Fingerprint, Back string
	About                      string
	Days                       string // that are offered
	Most                       string // days at most
	Second                     bool   // a second person has to agree
	Places                     string // "12 places", "" for one
}

// FindingList is findings with their counts.
type FindingList struct {
	Counts []CountBadge
	Open   []FindingView
	Waived []FindingView
	None   string // what to say when there is none
}

var severityBadges = map[lint.Severity]Badge{
	lint.Critical: {Bad, "stop", "critical"},
	lint.High:     {Bad, "stop", "high"},
	lint.Warn:     {Ask, "question", "warn"},
	lint.Info:     {Plain, "info", "info"},
}

// SeverityBadge is how the severity of a finding looks.
func SeverityBadge(s lint.Severity) Badge {
	if b, ok := severityBadges[s]; ok {
		return b
	}
	return Badge{Ask, "question", string(s)}
}

func waivedLabel(n int) string {
	if n == 1 {
		return "1 accepted finding"
	}
	return strconv.Itoa(n) + " accepted findings"
}

var waiverBadges = map[lint.WaiverKind]Badge{
	lint.AcceptedRisk: {Plain, "check", "accepted risk"},
	lint.CouldNotTell: {Ask, "question", "could not check"},
}

// WaiverBadge tells an accepted risk from what nobody could check.
func WaiverBadge(k lint.WaiverKind) Badge {
	if b, ok := waiverBadges[k]; ok {
		return b
	}
	return Badge{Ask, "question", string(k)}
}
