package views

import "github.com/countersign/countersign/review/prose"

// EndpointsPage is where a server runs: every address at which it is read, and a form
// for one more.
type EndpointsPage struct {
	Page
	Server    prose.Visible
	Endpoints []EndpointLine
	Form      *EndpointForm // nil for those who can't add one
	Cannot    string        // why nobody can, such as that this instance reads none
	Gone      bool          // the endpoint that was asked for is not there
}

// EndpointLine is an endpoint in a list, with what runs there.
type EndpointLine struct {
	URL     string
	Name    prose.Visible
	Profile prose.Visible // nil for the default one
	State   Badge
	Why     Sentence
	When    When   // of the last reading; zero before the first
	Since   When   // when it began to be so
	ReadURL string // "" where this instance reads none
}

// DriftLine is a drift in a list of what somebody should look at.
type DriftLine struct {
	URL    string
	Server prose.Visible
	Name   prose.Visible // of the endpoint
	Level  Badge
	Why    Sentence
	Since  When
	Count  string // "61 readings, 12 listings"
}

// EndpointPage is one endpoint: what runs there, how it differs, and what was read
// before.
type EndpointPage struct {
	Page
	Name      prose.Visible
	Address   prose.Visible
	Profile   prose.Visible
	State     Badge
	Why       Sentence
	Told      bool // by Drift, so that it is not said twice
	Since     When
	Read      When
	Next      string // "in about 40 minutes"
	Every     string
	Headers   []prose.Visible // their names
	ReadURL   string          // "" where this instance reads none
	Drift     *DriftCard      // nil while there is none
	History   []ReadingLine
	Past      []PastDrift
	Form      *EndpointForm
	RemoveURL string
	Fault     Sentence
}

// DriftCard is a drift that goes on.
type DriftCard struct {
	Level      Badge
	Heading    string
	Why        Sentence
	Since      When
	Count      string
	Findings   []DriftFindingLine
	CompareURL string // "" when what is run was not kept
	ListingURL string
	ReviewURL  string // "" for those who can't open it as a review
	Known      *KnownCard
	Know       *KnowForm
}

// DriftFindingLine is a finding of a drift.
type DriftFindingLine struct {
	Severity Badge
	Rule     string
	Tool     prose.Visible // nil for the listing
	Message  prose.Visible
}

// KnownCard says who knows of a drift.
type KnownCard struct {
	By     prose.Visible
	Until  string
	Reason prose.Visible
	EndURL string // "" for those who can't take it back
}

// KnowForm says that somebody knows.
type KnowForm struct {
	URL    string
	Digest string
	Days   string
	Reason string
	Draft  DraftBox
}

// ReadingLine is what an endpoint answered for a while.
type ReadingLine struct {
	State Badge
	Why   Sentence
	From  When
	To    When
	Times string // "31 readings"
}

// PastDrift is a drift that is over.
type PastDrift struct {
	Level Badge
	Why   Sentence
	Since When
	Ended When
	How   Sentence
}

// EndpointForm adds an endpoint or changes one. Headers are never filled in.
type EndpointForm struct {
	URL     string
	Button  string
	Name    string
	Profile string
	Address string
	Every   []Place
	Headers string // as typed, after a fault
	Held    string // "Authorization, X-Key": those that it has
	Fault   Sentence
}
