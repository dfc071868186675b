package views

import "github.com/countersign/countersign/review/prose"

// PeoplePage lists accounts, and adds one.
type PeoplePage struct {
	Page
	People  []PersonLine
	Invited []PersonLine // who did not come yet
	Add     *PersonForm
	Waiting []ProposalLine
	Link    *OneLink // made by the last act, shown once
	Fault   Sentence
}

// PersonLine is an account.
type PersonLine struct {
	ID       string
	Label    prose.Visible
	Email    prose.Visible
	Roles    []RoleLine
	Teams    []TeamLink
	Disabled string // "disabled 3 days ago"
	You      bool
	Invited  Sentence // who invited them, when, and until when the link works
	Ended    bool     // the link of the invitation works no more
	RoleForm *RoleForm
	Acts     []PersonAct

	Overrides []prose.Visible // servers on which they may override
	Override  *OverrideGrant  // gives and takes that; nil for those who can't
	Answers   string          // where their answers are taken back, "" for those who can't
}

// OverrideGrant lets a person override on a server, or not any more.
type OverrideGrant struct {
	URL  string
	Give []Place // servers where they may not yet
	Take []Place // servers where they may
}

// PersonAct is a button about an account.
type PersonAct struct {
	URL    string
	Text   string
	Danger bool
}

// RoleLine is a role somewhere.
type RoleLine struct {
	Role  string
	Where prose.Visible // nil: every server
}

// TeamLink is a team that somebody is in.
type TeamLink struct {
	Name  prose.Visible
	Where prose.Visible // the server whose policy has it
	URL   string
}

// RoleForm changes a role.
type RoleForm struct {
	URL     string
	Roles   []Place
	Servers []Place
}

// PersonForm adds an account.
type PersonForm struct {
	Email, Name string
	Roles       []Place
	Servers     []Choice
}

// OneLink is a link that works once, shown once.
type OneLink struct {
	For  prose.Visible
	Does string // "sets a password and works once, for 72 hours"
	URL  string
}

// TokensPage lists tokens, and makes one.
type TokensPage struct {
	Page
	Tokens   []TokenLine
	New      *TokenForm
	Secret   string // of the one just made
	SecretOf prose.Visible
	Fault    Sentence
}

// TokenLine is a token.
type TokenLine struct {
	Name      prose.Visible
	Hint      string
	Scopes    string
	Server    prose.Visible // nil: every server
	Profile   prose.Visible // nil: every profile
	User      prose.Visible // nil: a machine
	Maker     prose.Visible // nil: the command line, or not known
	Tags      []string
	Made      When
	Ends      When
	Used      When
	Never     bool   // not used yet
	Dead      string // "revoked", "expired"
	RevokeURL string
}

// TokenForm makes a token.
type TokenForm struct {
	Name    string
	Servers []Place
	Profile string // "": every one
	Scopes  []Choice
	Users   []Place
	Days    string
}

// DeliveriesPage lists pushes, refused ones too.
type DeliveriesPage struct {
	Page
	Deliveries []DeliveryLine
	Older      string
	Newest     string
	Server     prose.Visible // nil: every server
	Command    string
	Filter     DeliveryFilter
}

// DeliveryFilter chooses which pushes are listed; the choice stands in the address.
type DeliveryFilter struct {
	URL      string
	Servers  []Place // none on the page of one server
	Outcomes []Place
	Since    string // 2006-01-02
	On       bool   // something is chosen
	Fault    Sentence
	Unlisted string // days of which more were turned away than are kept: "214 on 30 November, …"
}

// DeliveryLine is one push.
type DeliveryLine struct {
	When     When
	Status   string // "201"
	Tone     Tone
	Icon     string
	Outcome  Sentence
	Problems []Problem
	Server   prose.Visible
	What     prose.Visible // version or ref
	Via      string
	By       prose.Visible
	Addr     string
	Size     string
	ID       prose.Visible // webhook id
	Release  string
	Listing  string
}
