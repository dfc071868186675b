package views

import (
	"strconv"

	"github.com/countersign/countersign/review/lint"
	"github.com/countersign/countersign/review/prose"
)

// FindingView is what a rule says about a place. It is never a comment: nobody
// wrote it, and nobody answers it but by a waiver or another text.
type FindingView struct {
	ID       string
	Badge    Badge
	Rule     string
	New      bool
	Tool     prose.Visible // nil where the page is about one tool, or for the listing
	Place    string        // "description"
	URL      string        // of the place, "" for none
	Message  Sentence
	Excerpt  prose.Visible
	Fix      Sentence
	More     string // "12 places in 9 tools"
	Policy   string // "off by policy", "" where the policy says nothing of it
	Waived   bool   // accepted or off: it does not count
	Waivers  []WaiverView
	Proposed []ProposedView
	Quote    string // address of a comment that quotes it, "" where one may not comment
	Waive    *WaiveForm
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

// ProposedView is a waiver that a file beside the code asks for. It counts for nothing.
type ProposedView struct {
	Badge    Badge
	Who      prose.Visible // whom the file names, nil for nobody
	PushedBy prose.Visible
	When     When
	Until    string        // "to the end of 2026-12-31", "" where the file names no day
	Tool     prose.Visible // with Place, where the finding has several places
	Place    string
	Reason   prose.Visible
	Answer   *WaiverForm // nil for who may not
	Second   bool        // a second person has to agree
}

// AskedView points to a proposed waiver that stands beside a tool.
type AskedView struct {
	Rule string
	Tool prose.Visible
	URL  string
}

// IdleView is a waiver of a file that covers nothing.
type IdleView struct {
	Rule   string
	Tool   prose.Visible // nil where the file names none
	Reason prose.Visible
	Why    string
}

// WaiverForm acts on a waiver.
type WaiverForm struct {
	ID, URL, Waiver, Back string
	About                 string // "poison.conceal"
	Reason                string // typed before
	Draft                 DraftBox
}

// WaiveForm accepts a finding.
type WaiveForm struct {
	ID, URL, Fingerprint, Back string
	About                      string
	Days                       string // that are offered
	Most                       string // days at most
	Second                     bool   // a second person has to agree
	Places                     string // "12 places", "" for one
	Kind                       string // chosen before, "" for none
	Reason                     string // typed before
	Draft                      DraftBox
}

// FindingList is findings with their counts.
type FindingList struct {
	Counts    []CountBadge
	Open      []FindingView
	Info      []FindingView // good to know: folded, since there are many
	Waived    []FindingView // accepted as a risk
	Unchecked []FindingView // accepted since nobody could tell
	Off       []FindingView // by policy
	Beside    []FindingView // beside other servers that the reader sees: they count nowhere
	Asked     []AskedView   // proposed waivers beside tools, that wait for an answer
	Idle      []IdleView    // waivers of a file that cover nothing
	None      string        // what to say when there is none
}

var severityBadges = map[lint.Severity]Badge{
	lint.Critical: {Bad, "stop", "critical"},
	lint.High:     {Bad, "stop", "high"},
	lint.Warn:     {Warn, "bang", "warn"},
	lint.Info:     {Plain, "info", "info"},
}

// SeverityBadge is how the severity of a finding looks.
func SeverityBadge(s lint.Severity) Badge {
	if b, ok := severityBadges[s]; ok {
		return b
	}
	return Badge{Ask, "question", string(s)}
}

// apart is findings that don't count, for one reason.
type apart struct {
	label string
	list  []FindingView
}

// apart are the lists that stand behind what counts.
func (l FindingList) apart() []apart {
	var out []apart
	for _, a := range []struct {
		one, more string
		list      []FindingView
	}{
		{"1 finding for information", " findings for information", l.Info},
		{"1 accepted finding", " accepted findings", l.Waived},
		{"1 finding that nobody could check", " findings that nobody could check", l.Unchecked},
		{"1 finding that is off by policy", " findings that are off by policy", l.Off},
	} {
		switch n := len(a.list); n {
		case 0:
		case 1:
			out = append(out, apart{a.one, a.list})
		default:
			out = append(out, apart{strconv.Itoa(n) + a.more, a.list})
		}
	}
	return out
}

// numbered counts things in words.
func numbered(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
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
