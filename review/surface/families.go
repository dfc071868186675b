package surface

// Convention says how a house names its tools.
type Convention string

// The conventions.
const (
	VerbFirst Convention = "verb-first" // 80 % or more of the names start with a verb
	NounFirst Convention = "noun-first" // 20 % or less do
	Mixed     Convention = "mixed"
)

// Cost is what an outlier costs the reader who looks for it in its family.
type Cost string

// The costs.
const (
	Expensive  Cost = "expensive"  // its noun has a family, where it is looked for in vain
	Unsortable Cost = "unsortable" // it names no noun: there is no place to look
	Free       Cost = "free"       // its noun has no family
)

// Families is the reading of a list of names. Its JSON form is part of the
// command line's contract.
type Families struct {
	Convention  Convention  `json:"convention"`
	Separator   string      `json:"separator"` // the most used one, "" when there is none
	HousePrefix *string     `json:"house_prefix"`
	Families    []Family    `json:"families"` // in order of first appearance
	Objects     []Object    `json:"objects"`  // verb-first houses only
	Outliers    []Outlier   `json:"outliers"` // noun-first houses only
	Scattered   []Scattered `json:"scattered"`
}

// Family is a group of tools that share their first word. Tools and Positions
// (from 1) run in parallel, in order of the listing.
type Family struct {
	Name        string   `json:"name"`
	Tools       []string `json:"tools"`
	Positions   []int    `json:"positions"`
	Subfamilies []Family `json:"subfamilies"`
}

// Object groups the tools of a verb-first house by what they act on.
type Object struct {
	Name      string   `json:"name"`
	Tools     []string `json:"tools"`
	Positions []int    `json:"positions"`
}

// Outlier is a tool whose name breaks the convention of the house.
type Outlier struct {
	Tool          string `json:"tool"`
	Position      int    `json:"position"`
	RelatedFamily string `json:"related_family,omitempty"`
	Cost          Cost   `json:"cost"`
}

// Scattered is a family whose members do not stand together in the listing.
type Scattered struct {
	Family    string `json:"family"`
	Positions []int  `json:"positions"`
}

// Pattern puts the tools that it matches into a family by a team's decision. In
// Match a * stands for any run of characters.
type Pattern struct {
	Family string `json:"family"`
	Match  string `json:"match"`
}
