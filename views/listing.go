package views

import "github.com/countersign/countersign/review/prose"

// ListingPage is one surface as it was received. Exactly one of Overview and
// Tools is set.
type ListingPage struct {
	Page
	Heading  Sentence
	Sub      []string
	Digest   string
	Look     *LookForm // nil where no host would send it
	State    GateBar   // complete or not, problems
	Purged   Sentence  // who wrote over a part of it, when and why
	Live     *LiveNote // where it was read, nil for what was pushed
	Tabs     []Tab
	Overview *ListingOverview
	Tools    *ListingTools
	Open     *ToolsView
	Facts    []Fact
	Compare  *CompareForm
}

// LiveNote says that a listing was read from a live server and never pushed.
type LiveNote struct {
	Endpoint prose.Visible // nil when its endpoint is gone, or has something newer
	URL      string        // of the endpoint
	Read     When
	State    Badge // what it was, held against the release
	Why      Sentence
}

// ListingOverview is how a listing is made: families, positions, what stands out.
type ListingOverview struct {
	Convention Sentence
	Families   []FamilyLine
	Objects    []FamilyLine
	Outliers   []OutlierLine
	Scattered  []ScatteredLine
	Problems   []Problem
	Findings   *FindingList
	Words      *TextDiff // instructions
	NoWords    string    // "This server sent no instructions."
}

// FamilyLine is a family with the places of its members in the array.
type FamilyLine struct {
	Name      prose.Visible
	Count     string
	Tools     []PlacedTool
	Sub       []FamilyLine
	Positions string // "12, 28–29"
}

// PlacedTool is a tool with its position.
type PlacedTool struct {
	Position string
	Name     prose.Visible
	URL      string
}

// OutlierLine is a name that breaks the house convention, and what that costs.
type OutlierLine struct {
	PlacedTool
	Cost Badge
	Why  Sentence
}

// ScatteredLine is a family whose members do not stand together.
type ScatteredLine struct {
	Name      prose.Visible
	Positions string
}

// ListingTools are tools in the order in which a model reads them.
type ListingTools struct {
	Through      *ListingThrough // nil: as listed
	Tools        []ReadTool
	Range        string // "1 to 200 of 584"
	Older, Newer string
}

// ListingThrough is what a host makes of a listing as a whole.
type ListingThrough struct {
	Name     string   // of the host, as people know it
	About    []string // version, verified or not, tools sent
	Failed   Sentence // why it does not start at all
	HostsURL string   // all hosts
	CostURL  string   // what it costs there
	Lost     []LensLoss
	Words    *RuledText // instructions; nil when the server sent none
}

// RuledText is a text with a ruler where a host cuts it.
type RuledText struct {
	Where   string // "" where that is not known
	NotSent Sentence
	Kept    prose.Visible
	Ruler   string // "" when nothing is cut
	Cut     prose.Visible
}

// ReadTool is what a model reads of one tool.
type ReadTool struct {
	Position string
	Name     prose.Visible
	URL      string
	Title    prose.Visible
	Words    prose.Visible
	NoWords  bool
	Params   []Param
	Hints    []string // "destructive"
	Problems []Problem

	// Through a host: Name and Words are as sent.
	Listed  prose.Visible // its name as listed; nil where the one that is sent holds it
	NotSent Sentence      // why it does not reach the model; the rest is as listed
	Ruler   string        // "" when nothing is cut
	Cut     prose.Visible // what stands behind the cut
	Lost    []Badge
}

// Param is a parameter in short.
type Param struct {
	Name     prose.Visible
	Type     prose.Visible
	Optional bool
}

// ComparePage is any two listings side by side.
type ComparePage struct {
	Page
	Heading  Sentence
	Sub      []string
	Class    *Badge
	Pick     *CompareForm
	PickOpen bool
	Alerts   []Alert
	Folded   []FoldLine
	Tools    ToolsView
	Same     Sentence // set when nothing differs
	Decide   *Link    // the review, when this is a release against its gate base
}
