package views

import "github.com/countersign/countersign/review/prose"

// HostsPage is what hosts make of a listing before a model sees it. Lens is set
// when one tool is looked at through one host, else the rest is.
type HostsPage struct {
	Page
	Heading Sentence
	Sub     []string
	Digest  string
	Tabs    []Tab
	State   GateBar
	Beside  string // address of two hosts side by side
	Mounted string // address of this server together with others
	Matrix  HostMatrix
	Checks  []HostCheck
	Seen    []SeenHost
	Capture *CaptureForm
	Limits  *LimitsForm // nil for who may not set them
	Lens    *HostLens
}

// SeenHost is what a host really sent of the listing, beside what was predicted.
type SeenHost struct {
	Badge   Badge
	Title   string // "Codex 0.21"
	When    When
	By      prose.Visible
	Facts   []string // "12 tools", "3 tools of others, not kept"
	Tools   []SeenTool
	Fixture string     // address of the export
	Absent  []LensLoss // tools that were listed and not sent
	Added   []prose.Visible
	More    string
}

// SeenTool is a tool as it was sent.
type SeenTool struct {
	Name  prose.Visible
	Sent  prose.Visible
	Badge Badge
	Lost  []LensLoss

	Unmeant string   // what was predicted, when it is not another text: "We predicted that it is not sent."
	Words   TextDiff // description as predicted and as sent, where they differ
	Schema  TextDiff
}

// CaptureForm takes a recorded request.
type CaptureForm struct {
	URL   string
	Slug  string // how the server is called where nothing else is said
	Hosts []Place
}

// LimitsForm says what the gate asks of every listing of the server.
type LimitsForm struct {
	URL, Back       string
	Hosts           []Choice
	Ceiling, Growth string
}

// HostMatrix is tools by hosts. Hosts and tools that lose nothing are counted.
type HostMatrix struct {
	Hosts []MatrixHost
	Rows  []MatrixRow
	Whole Sentence // which hosts and tools lose nothing
	Never []Fact   // fields that hosts leave out of every tool, and which hosts
	First string   // address of the first rows; "" where they are shown
	Next  Link     // to more rows; without text where there are none
}

// MatrixHost heads a column.
type MatrixHost struct {
	ID    string
	Name  string // as people know it
	Sent  string // "12 of 14 tools"
	Doubt string // why the profile is doubtful; "" when it is not
}

// MatrixRow is a tool with what each host makes of it.
type MatrixRow struct {
	Position string
	Name     prose.Visible
	Cells    []MatrixCell // one for each host
}

// MatrixCell is the worst of what one host does to one tool.
type MatrixCell struct {
	Badge *Badge // nil: everything arrives
	URL   string
	Label string // host and tool, for the link
}

// HostCheck is the preflight of one host.
type HostCheck struct {
	ID      string
	Name    string
	Status  Badge
	Facts   []string // version, verified or not, tools sent, tokens
	Failed  Sentence // why it does not start at all
	Issues  []HostIssue
	Info    []HostIssue // for information: other versions, generic names
	More    string      // issues that are not shown
	Open    bool
	Summary string // "2 refused, 1 lost"
}

// HostIssue is one thing that an author should know before a release.
type HostIssue struct {
	Badge   Badge
	Server  prose.Visible // nil where there is one server only
	Tool    prose.Visible // nil when it is about the listing
	URL     string
	Pointer prose.Visible
	Verdict Sentence // "Valid by the specification, refused by X:", in front of Reason
	Reason  Sentence
	Takes   string // what else it takes down
	Fix     Sentence
	Plain   string // Fix as it is copied
}

// HostLens is one tool through one host, on both sides.
type HostLens struct {
	Tool   prose.Visible
	Name   string   // of the host, as people know it
	About  []string // version, verified or not
	URL    string   // of the form that picks another host
	Hidden []Hidden
	Hosts  []Place
	Back   string
	Prev   string
	Next   string
	Sides  []LensSide // the base first, where there is one
	Words  TextDiff   // descriptions as sent
	Schema TextDiff   // schemas as sent
	None   Sentence   // why there is nothing to show
}

// Hidden is a field that a form carries along.
type Hidden struct{ Name, Value string }

// LensSide is a tool as one version lists it, and what arrives.
type LensSide struct {
	Label   string
	Digest  string
	Name    prose.Visible // as sent
	NotSent Sentence
	NoWords string
	Kept    prose.Visible // of the description: what stands before the cut
	Ruler   string        // "" when nothing is cut
	Cut     prose.Visible // what does not arrive
	Lost    []LensLoss
}

// LensLoss is one thing that does not reach the model as it was listed.
type LensLoss struct {
	Badge   Badge
	Pointer prose.Visible
	Detail  Sentence
}

// BesidePage is a listing through two hosts side by side. One is set when one tool
// is looked at, else the rest is.
type BesidePage struct {
	Page
	Heading Sentence
	Sub     []string
	Digest  string
	Tabs    []Tab
	State   GateBar
	Form    BesideForm
	Hosts   []BesideHost // left and right
	Shown   []Pill       // which tools the table has
	Rows    []BesideRow
	None    string // why there are no rows
	First   string // address of the first rows; "" where they are shown
	Next    Link   // to more rows; without text where there are none
	One     *BesideOne
}

// BesideForm picks the two hosts.
type BesideForm struct {
	URL         string
	Hidden      []Hidden
	Left, Right []Place
}

// BesideHost heads one side: what arrives there in all.
type BesideHost struct {
	Name   string
	About  []string // version, verified or not, mode
	Failed Sentence // why it does not start at all
	Facts  []Fact   // tools sent, tokens, tools by what they lose
}

// BesideRow is one tool through both hosts.
type BesideRow struct {
	Position string
	Name     prose.Visible // as listed
	URL      string
	Cells    []BesideCell // left and right
	Differs  []string     // "description", "only codex sends it"; nil when both tell the same
}

// BesideCell is what one host makes of a tool.
type BesideCell struct {
	Host string
	Name prose.Visible // as sent; nil when it is not
	Lost []Badge
}

// BesideOne is one tool through both hosts, with its texts.
type BesideOne struct {
	Tool       prose.Visible
	Back       string
	Prev, Next string
	Sides      []LensSide
	Words      TextDiff
	Schema     TextDiff
}

// CostPage is what a listing costs.
type CostPage struct {
	Page
	Heading  Sentence
	Sub      []string
	Digest   string
	Tabs     []Tab
	Tokens   string
	Counted  Sentence // the tokenizer, and that it is an estimate
	Growth   Sentence // against the base
	Prefix   Sentence // what an edit breaks of the cached prefix
	Parts    []Fact
	Form     CostForm
	Bill     []Fact // nil when the form has a fault
	Tools    []CostRow
	More     string
	Families []CostRow
	Compared bool
}

// CostForm is what a session is worked out with.
type CostForm struct {
	URL                                 string
	Hidden                              []Hidden
	Hosts                               []Place
	Turns, Price, CacheRead, CacheWrite string
	Fault                               Sentence
}

// costColumns are the parts of what a tool costs.
var costColumns = [...]string{"Name", "Description", "Schema"}

// CostRow is what one tool or one family costs.
type CostRow struct {
	Name   prose.Visible
	URL    string
	Tokens string
	Parts  []string // as costColumns, nil for a family
	Growth string
}
