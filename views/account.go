package views

import "github.com/countersign/countersign/review/prose"

// AccountPage is somebody's own account.
type AccountPage struct {
	Page
	Email     prose.Visible
	Factor    FactorLine
	Sessions  []SessionLine
	EndOthers bool
	Fault     Sentence
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
}

// CodePage asks for the second half of a sign-in.
type CodePage struct {
	Page
	Next  string
	Fault Sentence
}
