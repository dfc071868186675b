package views

import (
	"slices"

	"github.com/countersign/countersign/review/prose"
)

// ReleasePage is the review of one release. Exactly one of Decisions, Tools,
// Threads and History is set.
type ReleasePage struct {
	Page
	Head      ReleaseHead
	Tabs      []Tab
	Decisions *DecisionsView
	Tools     *ToolsView
	Threads   *ThreadsView
	History   *HistoryView
	Aside     ReleaseAside
}

// Tab is one view of the same thing.
type Tab struct {
	Text    string
	Count   string
	URL     string
	Current bool
	Key     string
}

// ReleaseHead stands above every view of a release: what it is and what the gate
// says, the gate's sentence first.
type ReleaseHead struct {
	Title       prose.Visible // version or ref
	Against     Sentence      // "against 1.13.0, released 3 weeks ago"
	Pushed      Sentence      // "pushed 12 minutes ago by ci"
	Digest      string        // short
	Tokens      string        // "about 6,448 tokens, +212"
	State       *Badge        // released, withdrawn, superseded
	Gate        GateBar
	Stale       *Stale
	Fault       Sentence // why the last act was refused
	Live        LiveLine
	Alerts      []Alert
	Baseline    *BaselineForm
	Predecessor *ConfirmForm
	Look        *LookForm     // nil where there is nothing to choose
	Overridden  *OverrideNote // nil while nothing passes by override
	Alarm       *AlarmNote    // nil while nothing is raised
}

// LookForm chooses what a release or a listing is looked at from and through.
type LookForm struct {
	URL    string
	Hidden []Hidden
	Bases  []Place  // none of a listing, which stands alone
	Hosts  []Place  // none where no host would send the listing
	Other  Sentence // that this is not the gate base, nil when it is
	Back   string   // to the gate base
}

// OverrideNote says in red who let a release pass without approval.
type OverrideNote struct {
	Says   []Sentence
	EndURL string // "" for those who can't end it
}

// AlarmNote says in red that a released version lost what it stood on, until
// somebody looked into it.
type AlarmNote struct {
	Says     []Sentence
	ClearURL string // "" for those who can't acknowledge it
	Note     string // typed before, kept
	Draft    DraftBox
}

// OverrideForm lets a release pass for a while.
type OverrideForm struct {
	URL          string
	Digest       string
	Policy       string
	Requirements []Choice // that are open
	Hours        []Place
	Reason       string
	Least        string // characters of a reason
	Draft        DraftBox
}

// LiveLine is where a page is told what happened since it was made. It never shows
// more than a sentence and a way to look: nothing is swapped under a reader.
type LiveLine struct {
	Stream string // address of the events; "" for no line
	Poll   string // address that says the same when asked
	Again  string // address of the page itself
}

// GateBar is the gate's answer.
type GateBar struct {
	Tone Tone
	Icon string
	Why  Sentence
	Sub  []string // "48 tools changed", "164 new words, about 6 minutes"
	Next *Link    // "Next decision"

	Release *ReleaseForm // what is next when the gate passes
}

// Alert is something about the comparison as a whole that must not be missed.
type Alert struct {
	Tone Tone
	Icon string
	Text Sentence
	More []NameLink // the tools that it is about
}

// Stale says that what was answered had changed meanwhile; what was typed is kept.
type Stale struct {
	Sentence Sentence
	Kept     []KeptAnswer
}

// KeptAnswer is an answer that was not stored, and where it can be given again.
type KeptAnswer struct {
	About prose.Visible
	Did   string // "approve"
	Note  prose.Visible
	URL   string // of the new diff, "" when the change is gone
}

// BaselineForm accepts a first listing as starting point.
type BaselineForm struct {
	URL      string
	Digest   string
	Question string // "Use these 46 tools as the starting point?"
	Problems []AckField
	Fault    Sentence
	Draft    DraftBox
}

// begun reports whether somebody wrote in the form, so that it stays open.
func (f BaselineForm) begun() bool {
	return slices.ContainsFunc(f.Problems, func(a AckField) bool { return a.Note != "" })
}

// asks says what the form takes.
func (f BaselineForm) asks() string {
	if len(f.Problems) == 1 {
		return "One tool has to be acknowledged first"
	}
	return itoa(len(f.Problems)) + " tools have to be acknowledged first"
}

// AckField takes note of one tool with problems.
type AckField struct {
	Position string
	Name     prose.Visible
	Problems []Problem
	Note     string
}

// ConfirmForm confirms the predecessor that a pusher named.
type ConfirmForm struct {
	URL      string
	Sentence Sentence
	Cannot   string
}

// DecisionsView lists the fewest honest decisions, strongest first.
type DecisionsView struct {
	Pills       []Pill
	Open        []Decision
	Closed      []Decision
	Folded      []FoldLine
	Empty       Sentence
	ClosedLabel string // "9 decided"
	ClosedOpen  bool
	Pages       *PageLinks // nil when all are shown
}

// PageLinks lead through a list that is shown in parts.
type PageLinks struct {
	Text          string // "Decisions 1 to 60 of 200"
	Before, After *Link  // nil at the ends
}

// Pill is a filter: a link that says how many.
type Pill struct {
	Text    string
	Count   string
	URL     string
	Current bool
}

// wholeName is the name of a row in plain text, which a narrow list may not show whole.
func (r ToolRow) wholeName() string { return r.Prefix.String() + r.Name.String() }

// Decision is one answer that is asked for.
type Decision struct {
	ID         string
	Badge      Badge
	Sentence   Sentence
	On         prose.Visible // the one tool, or nil
	OnURL      string
	OnMany     string // "22 tools"
	Hidden     bool   // hidden characters came in
	Meta       []Sentence
	Also       []Effect // the other edits that the answer is for
	More       []Effect // of a long list those that are folded: wordings, never what breaks or misleads
	MoreLabel  string   // "12 more edits"
	Witness    *Witness
	Evidence   *Evidence
	Tools      []NameLink // when there are several
	Said       []VerdictLine
	Answer     *AnswerForm
	Comment    *CommentForm
	CommentURL string // where to comment when there are several tools
	Needs      Sentence
	State      *Badge // approved, rejected
}

// Evidence is what changed, in the form that shows it best.
type Evidence struct {
	Texts  []PlacedText
	Values []PlacedValue
	Tool   *ToolView // of an added or a removed tool: its description and schema
	Order  []OrderLine
	Tools  []ToolWords // of tools that came or went together
	Table  *SchemaDiff // the properties that an edit is about
}

// ToolWords is a tool that came or went with others: its name and its words.
type ToolWords struct {
	NameLink
	Title   TextDiff
	Words   TextDiff
	NoWords string
	Hints   []HintRow
	Needs   prose.Visible // names of its parameters that are required
	Takes   prose.Visible // and of the others
	Schema  Link          // to what they take
	Others  []OtherField
}

// PlacedText is a text and where it stands; Place is "" when that goes without
// saying.
type PlacedText struct {
	Place string
	Text  TextDiff
}

// PlacedValue is a value and where it stands.
type PlacedValue struct {
	Place string
	Value Pair
}

// OrderLine is a tool that stands elsewhere.
type OrderLine struct {
	Name     prose.Visible
	From, To string
}

// FoldLine is noise, as one honest line.
type FoldLine struct {
	Text  Sentence
	Tools []NameLink
}

// ToolsView is the list of all tools with one of them open.
type ToolsView struct {
	Filter    *FilterForm
	Pills     []Pill
	Surface   []ToolRow // instructions, order
	Groups    []ToolGroup
	Same      []NameLink
	SameLabel string // "888 unchanged"
	SameOpen  string // address of the one that is open, "" when none is
	Open      *ToolView
	Overview  []string // what to say while none is open
	ListURL   string
	Next      *ToolRow // the one after the open one, nil at the end of the list
	Chosen    bool
	Threads   []ThreadView
	Needs     []ReqLine
	Findings  *FindingList
	Answers   []VerdictLine
	Past      *ToolPast // nil where nothing is known of earlier versions
	Elsewhere []NameLink
	// At is what the page around it speaks of: shown by a page of another At, a tool
	// would contradict what stands beside it. "" where that can't be.
	At string
}

// FindNext finds the tool that comes after the open one in the list: who has no keys, and
// no room for the list beside the tool, goes along it by that. One that is not in the list,
// since an answer took it out of what the filters leave, is followed by the first.
func (v *ToolsView) FindNext() {
	rows := slices.Clone(v.Surface)
	for _, g := range v.Groups {
		rows = append(rows, g.Tools...)
	}
	next := slices.IndexFunc(rows, func(r ToolRow) bool { return r.Current }) + 1
	if v.Next = nil; next < len(rows) {
		v.Next = &rows[next]
	}
}

// ToolPart is what becomes another of a page when another tool of its list is opened.
// It is made of the same components; a script puts them in the place of those that the
// page has.
type ToolPart struct {
	Title string   // of the page
	Gate  *GateBar // nil where the page has none
	Tabs  []Tab    // none where the page has none
	Look  *LookForm
	Tools ToolsView
}

// FilterForm narrows the list of tools to names that hold a text.
type FilterForm struct {
	URL    string
	Hidden []HiddenField
	Text   string
	Found  string // "3 of 48", "" without a text
	Clear  string // address without the filter
}

func (v ToolsView) noAside() bool {
	return v.Findings == nil && len(v.Needs) == 0 && len(v.Threads) == 0 && len(v.Answers) == 0 && v.Past == nil && len(v.Elsewhere) == 0
}

// ToolPast is what became of a tool in the versions before: a short list, the newest
// first.
type ToolPast struct {
	Lines []PastLine
	More  string // "Earlier changes", "" where these are all
	URL   string // of the tool through all versions
}

// PastLine is a version in which the tool became another.
type PastLine struct {
	Version NameLink // leads to the tool in it
	Here    bool     // it is the version that is open
	Kind    string   // "changed"
	Class   Badge
	State   string // "released"
	When    When
	By      Sentence // who approved it
}

// ToolGroup is a family in the list of tools.
type ToolGroup struct {
	Name  prose.Visible
	Count string // "14"
	Sum   string // "~12 +2 +212 tok"
	Tools []ToolRow
}

// ToolRow is one line of the list: what happened in a letter and in a word.
type ToolRow struct {
	URL     string
	Kind    string        // ~ + − ⇄
	KindIs  string        // "changed"
	Prefix  prose.Visible // greyed
	Name    prose.Visible
	Mark    string // "✕ breaking", "✓ you"
	Tone    Tone
	Threads string // open ones: "2"
	Fresh   string // "1 new": comments since the reader's last visit
	Viewed  bool   // by the reader
	Growth  string // in tokens: "+12"
	Current bool
}

// ThreadsView lists the conversations of a release.
type ThreadsView struct {
	Open    []ThreadView
	Closed  []ThreadView
	Comment *CommentForm
}

// HistoryView lists revisions and answers.
type HistoryView struct {
	Revisions []RevisionLine
	Answers   []AnswerLine
	Baseline  Sentence
}

// RevisionLine is one push.
type RevisionLine struct {
	N       string
	When    When
	By      prose.Visible
	Author  prose.Visible
	Commit  prose.Visible
	RunURL  string
	Digest  string
	URL     string // of the listing
	Compare string // with the revision before
}

// AnswerLine is an answer with what it was about.
type AnswerLine struct {
	VerdictLine
	About prose.Visible
	URL   string
	Edits []Sentence // what it was given to; none when to all of it
}

// ReleaseAside stands beside the views.
type ReleaseAside struct {
	Needs    []ReqLine
	Met      string // "46 met"
	Findings *FindingList
	Withdraw *WithdrawForm
	Override *OverrideForm // nil for those who can't
	LockURL  string        // of the signed lock file, "" while it is not released
	Cannot   []string      // why acts that one could expect are not there
	Threads  []ThreadLine
	Facts    []Fact
	Cost     *CostLines
	Keys     bool
}

// CostLines say what a listing costs in every request, and what an edit of it costs
// once.
type CostLines struct {
	Tokens string // "6,448 tokens"
	Note   string // the tokenizer, and that it is an estimate
	Growth string // against the base
	Prefix Sentence
	URL    string
}

// ReqLine is a requirement, or several alike.
type ReqLine struct {
	State string // "open", "met", "overridden"
	Icon  string
	Text  Sentence
	Who   Sentence // who can
	URL   string
}

// ReleaseForm marks the head as released.
type ReleaseForm struct {
	URL, Digest string
	Label       string // "Release 2.1.1"
}

// WithdrawForm takes a release back.
type WithdrawForm struct {
	URL    string
	Label  string
	Reason string
	Draft  DraftBox
}

// Fact is a label with a value that came from outside, or one of ours.
type Fact struct {
	Label string
	Value prose.Visible
	Text  string
	URL   string
	When  *When
}
