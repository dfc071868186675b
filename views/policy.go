package views

import "github.com/countersign/countersign/review/prose"

// PolicyPage is what a server's policy asks, how it came to be, and for whoever may,
// the forms that change it.
type PolicyPage struct {
	Page
	Server   prose.Visible
	Standing string // "Version 3 is in force."
	Fault    Sentence
	Moved    []PolicyDifference // what another edit changed while this one was written
	Waiting  *PolicyWaiting     // nil while nothing waits for a second person
	Tried    *PolicyTried       // nil while nothing was tried
	Clauses  []PolicyClause     // what it asks, for those who can't edit it
	Cannot   string             // why one can't edit
	Form     *PolicyForm        // nil for those who can't
	YAML     PolicyYAML
	Versions []PolicyVersionLine
	Older    string
	Newest   string
}

// PolicyClause is one thing that a policy asks. Both are partly other people's words:
// names of teams and families, patterns and addresses.
type PolicyClause struct {
	Where, Says prose.Visible
}

// PolicyDifference is a clause that two versions say differently; nil is not said.
type PolicyDifference struct {
	Where, Old, New prose.Visible
}

// PolicyWaiting is a version that needs a second person.
type PolicyWaiting struct {
	Version string
	Says    Sentence // who wrote it, when
	Loosens []prose.Visible
	Changes []PolicyDifference
	URL     string // of the form that decides, "" for those who can't
	Refuse  string // what the button says: "Refuse" or "Take it back"
	Cannot  string // why one can't agree
}

// PolicyTried is what the gate would say under a policy that nobody saved.
type PolicyTried struct {
	Loosens       []prose.Visible
	Unsatisfiable Sentence
	Releases      []PolicyTriedLine
}

// PolicyTriedLine is one open release under both policies.
type PolicyTriedLine struct {
	Title     prose.Visible
	URL       string
	Now, Then Badge
	Same      bool
	Why       Sentence // what the gate would say
	Differs   string   // "3 requirements differ", "" for none
	Changes   []Sentence
	More      string // "and 12 more"
}

// PolicyForm is every line of a policy as fields. Texts are as typed.
type PolicyForm struct {
	URL, TryURL string
	Draft       DraftBox
	Version     string // that is edited
	Cannot      string // why it can't be saved now, though it can be tried
	Presets     []Choice
	Asks        []AskFields
	Owners      []OwnerFields
	OwnerCount  string
	Teams       string
	Families    string
	Rules       string
	Severities  []Place
	Switches    []Choice
	Days        string
	Ceiling     string
	Growth      string
	Hosts       []Choice
}

// AskFields is what is asked for one kind of change.
type AskFields struct {
	Row       string // of the names of the fields
	Title     string
	Hint      string
	Approvals string
	Ticks     []Choice
}

// OwnerFields is one rule about owners.
type OwnerFields struct {
	N                              string // its number in the names of the fields
	People, Teams, Families, Names string
	Classes                        []Choice
	Remove                         bool
	New                            bool // an empty one to fill in
}

// PolicyYAML is the policy as text, to keep beside the code.
type PolicyYAML struct {
	Text        string
	Version     string
	DownloadURL string
	SaveURL     string // "" for those who can't edit
	TryURL      string
	Open        bool
	Draft       DraftBox
}

// PolicyVersionLine is one version in the history.
type PolicyVersionLine struct {
	Version string
	State   Badge
	Says    Sentence // who wrote it, who agreed
	When    When
	Loosens []prose.Visible
	Changes []PolicyDifference
	First   bool
}
