package views

import "github.com/countersign/countersign/review/prose"

// AccountPage is somebody's own account.
type AccountPage struct {
	Page
	Email     prose.Visible
	Factor    FactorLine
	Provider  ProviderCard
	Sessions  []SessionLine
	EndOthers bool
	Fault     Sentence
}

// ProviderCard says which identities of providers let somebody in.
type ProviderCard struct {
	Host   string // of the provider that may be linked; "" is none
	Linked []IdentityLine
}

// IdentityLine is an identity that lets somebody in.
type IdentityLine struct {
	Host   string
	Issuer string // names it in the form
	Email  prose.Visible
	Since  When
}

// LinkIdentityPage sends somebody on to the provider that they want to link.
type LinkIdentityPage struct {
	Page
	Host string
	URL  string
}

// FactorLine says whether there is a second factor.
type FactorLine struct {
	On    bool
	Since When
	Left  string // "8 recovery codes are left."
	Few   bool
}

// SessionLine is a browser that is signed in.
type SessionLine struct {
	Device  string
	Addr    string
	Since   When
	Seen    When
	Current bool
	EndURL  string
}

// FactorPage teaches an app the secret of a second factor.
type FactorPage struct {
	Page
	QR    QR
	Key   string
	Fault Sentence
}

// QR is a code drawn as one path.
type QR struct {
	Box  string // of the view
	Path string
}

// CodesPage shows recovery codes, once.
type CodesPage struct {
	Page
	Done  string
	Codes []string
	Text  string // all of them, one a line
}

// ProofPage asks whoever is signed in to prove anew who they are. It carries a form
// along that goes on afterwards.
type ProofPage struct {
	Page
	URL    string
	Fields []HiddenField
	Code   bool // ask for a code, not for the password
	Fault  Sentence

	Provider   string // host of an identity provider that may vouch instead; "" is none
	NoPassword bool   // nothing but the provider can
}

// CodePage asks for the second half of a sign-in.
type CodePage struct {
	Page
	Next  string
	Fault Sentence
}
