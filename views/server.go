package views

import "github.com/countersign/countersign/review/prose"

// ServerNewPage adds a server: a name, and one question.
type ServerNewPage struct {
	Page
	Name, Slug string
	Presets    []Choice
	Fault      Sentence
}

// Choice is one answer to a question.
type Choice struct {
	Value   string
	Title   string
	Text    string
	Checked bool
}

// SecretPage shows a webhook secret, once.
type SecretPage struct {
	Page
	Heading string // "store is registered"
	Lead    string
	Secret  string
	Command string
	Next    Link
	Arrived string // what Next says once the first push is there
	PollURL string // "" when nothing is waited for
	LiveURL string // of the stream of the same
	Waiting string // "Waiting for the first push."
}

// ConnectPage waits for the first delivery and shows it, or why it failed.
type ConnectPage struct {
	Page
	Server    prose.Visible
	Command   string
	PollURL   string
	LiveURL   string
	State     string // "waiting", "arrived", "refused"
	Tone      Tone
	Icon      string
	Status    Sentence
	Problems  []Problem
	When      When
	Next      *Link
	RotateURL string
}

// ServerPage is one server: what is in review, what was released, its families
// and its settings.
type ServerPage struct {
	Page
	Name       prose.Visible
	Slug       string
	Gate       GateBar
	Alarms     []AlarmLine
	Tabs       []Tab
	PushURL    string // "" when the person may not push
	Command    string // for an empty server
	ConnectURL string
	Releases   []ReleaseLine
	Older      string
	Newest     string
	Profiles   []ProfileLine
	Families   []FamilyLine
	ListingURL string
	Together   string // address of the newest listing together with other servers; "" for none
	Listings   []ListingLine
	OlderL     string // listings before those
	NewestL    string
	Compare    *CompareForm
	Settings   *SettingsView
	Charts     *Charts // nil with fewer than two versions

	Import *ImportLine // nil for none

	Live         []EndpointLine
	EndpointsURL string
}

// ImportLine is how far an import of many versions is.
type ImportLine struct {
	Tone     Tone
	Icon     string
	Text     string
	When     When // of one that stopped
	Done, Of int
	Poll     string // tells how it goes on, "" when it does not
	Again    string // address of the page itself
}

// ProfileLine is a variant of a server's surface.
type ProfileLine struct {
	Name     prose.Visible
	Baseline Sentence
	Last     prose.Visible // last released version
}

// ListingLine is a kept listing.
type ListingLine struct {
	URL     string
	Digest  string
	When    When
	Tools   string
	Shape   string
	Profile prose.Visible
	Tag     *Badge // "incomplete"
}

// CompareForm picks two listings.
type CompareForm struct {
	URL  string
	From []Place
	To   []Place
}

// SettingsView is how a server is set up.
type SettingsView struct {
	PolicyURL     string
	PolicyVersion string
	NamesURL      string
	TeamsURL      string
	EndpointsURL  string
	Reviews       string // the preset: "A team"
	RotateURL     string // "" for those who can't change it
}

// UploadPage pushes a listing by hand.
type UploadPage struct {
	Page
	URL                                string
	Profile, Version, Ref, Predecessor string
	Body                               string
	Complete                           bool
	Fault                              Sentence
	Problems                           []Problem
	Limit                              string // "8 MiB"
}
