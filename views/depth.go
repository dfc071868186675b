package views

import "github.com/countersign/countersign/review/prose"

// ChangelogPage is what a release tells its users. Both texts are Markdown that a
// presenter made safe, with their source to copy.
type ChangelogPage struct {
	Page
	Title     prose.Visible
	BackURL   string
	HTML      string
	Source    prose.Visible
	Migration string // HTML, "" when nothing breaks
	Guide     prose.Visible
}

// DeskPage is one person's own side of a review: what they have looked at, what
// they wrote and did not publish, and what they may compare with.
type DeskPage struct {
	Page
	Title    prose.Visible
	BackURL  string
	Fault    Sentence
	Viewed   ViewedView
	Drafts   []DraftLine
	Publish  string // address of the form, "" when one may not
	Finish   string // what its button does: "Finish: publish 4"
	Bases    []BaseLine
	Pairings []PairLine
	Offers   []PairLine
	Pair     *PairForm
	Twins    []TwinLine
}

// ViewedView is how far somebody got, and the changes to tick.
type ViewedView struct {
	URL      string
	Progress string // "3 of 14 changes viewed"
	Lines    []ViewedLine
}

// ViewedLine is a change that somebody has looked at or not.
type ViewedLine struct {
	ID     string
	Name   prose.Visible
	URL    string
	Viewed bool
}

// ViewedForm marks one change, from where it is shown.
type ViewedForm struct {
	URL    string
	ID     string
	Viewed bool
	Back   string
}

// DraftLine is something written and not published.
type DraftLine struct {
	Target string
	What   string // "comment", "answer", "approve"
	About  prose.Visible
	Text   prose.Visible
	When   When
	URL    string // where it goes on, "" when that is gone
	Drop   string // address that removes it
	Moved  string // that what it is about is another now, "" when it is not
}

// BaseLine is a listing to look from.
type BaseLine struct {
	URL  string
	Kind string // "gate base", "since you last worked on it"
	Name prose.Visible
	When When
	Note string // "Decisions are taken from here."
}

// PairLine is an old tool with the new one that it is, or several with the one that
// does their work.
type PairLine struct {
	Old    []PairName
	New    PairName
	Merged bool
	Says   Sentence
	URL    string // of the form that pairs or unpairs, "" when one may not
	ID     string // of what is taken back, "" for an offer
}

// PairName is a tool's name as shown, and as received for the form.
type PairName struct {
	Name  prose.Visible
	Value string
}

// PairForm pairs any tool that is gone with any that is new, or maps several that are
// gone to one that is there.
type PairForm struct {
	URL  string
	Old  []PairName
	New  []PairName
	Into []PairName // that are new or changed
}

// TwinLine is another profile that waits for the same answers.
type TwinLine struct {
	Profile prose.Visible
	Release prose.Visible
	URL     string
	Count   string
}

// DiscussionPage is everything unresolved.
type DiscussionPage struct {
	Page
	Pills   []Pill
	Filter  ThreadFilter
	Threads []DiscussedLine
	Shown   string // "50 of 120"
	NextURL string
}

// ThreadFilter chooses which threads are listed; the choice stands in the address. Every
// choice says how many threads it leaves.
type ThreadFilter struct {
	URL     string
	Hidden  []Hidden // the pills that are on
	Servers []Place
	Tools   []Place
	Authors []Place
	States  []Place
	On      bool // something is chosen
}

// DiscussedLine is an open thread in a list across versions.
type DiscussedLine struct {
	URL     string
	Server  prose.Visible
	Release prose.Visible
	About   prose.Visible // nil for the release
	Place   string
	Start   prose.Visible
	Who     prose.Visible
	When    When
	Tags    []string
}

// InboxPage is what waits for somebody, and what they were told.
type InboxPage struct {
	Page
	Turn    []AttentionLine
	Waiting []AttentionLine
	Drifts  []DriftLine // at servers that the reader maintains, and that nobody knows of
	More    Sentence    // that not all under review is listed, and where the rest is; nil when all is
	Notices []NoticeLine
	Unread  string // "3 unread", "" for none
	ReadURL string
	NextURL string
	Follows []FollowLine
}

// AttentionLine is a release with why and since when somebody has to go on.
type AttentionLine struct {
	URL    string
	Server prose.Visible
	Title  prose.Visible
	Gate   Badge
	Why    Sentence
	Who    string // "Ana, Ben and 3 others"
	Since  When
}

// NoticeLine is one thing that somebody was told.
type NoticeLine struct {
	ID     string
	URL    string
	Who    prose.Visible
	Text   prose.Visible
	Kind   string // "named you"
	When   When
	Unread bool
}

// FollowLine is something that somebody follows, or may.
type FollowLine struct {
	Server prose.Visible
	Family prose.Visible // nil for the whole server
	Value  string        // the family as received
	URL    string
	On     bool
}

// AliasesPage is the ledger of names of a server.
type AliasesPage struct {
	Page
	Fault    Sentence
	Waiting  []ProposalLine
	Aliases  []AliasLine
	Pairings []AliasLine
	Merges   []AliasLine // tools whose work another does now
	AddURL   string      // "" when one may not
	EndURL   string
	Profiles []Place
	Old, New string // typed before, kept
	Until    string
	Why      string
	Draft    DraftBox
}

// AliasLine is one entry of the ledger.
type AliasLine struct {
	ID       string
	Old, New prose.Visible
	Profile  prose.Visible // nil for the default one
	By       prose.Visible
	Note     prose.Visible
	Since    When
	Until    string // "until 3 March 2027", "ended 2 hours ago", "" while it holds without an end
	Holds    bool
}
