package views

import "github.com/countersign/countersign/review/prose"

// LineagePage is one tool through all versions.
type LineagePage struct {
	Page
	Name      prose.Visible
	Sub       []string // "12 versions", "changed in 4 of them"
	Gone      Sentence // set when the newest version has no such tool
	Sentences []BlameLine
	NoWords   string
	Steps     []LineageLine
}

// BlameLine is a run of sentences that one version brought.
type BlameLine struct {
	Version NameLink
	Text    []prose.Visible
}

// LineageLine is a version in which the tool changed.
type LineageLine struct {
	Version  NameLink
	Kind     string // "new", "changed", "removed"
	Class    Badge
	When     When
	State    string // "under review", "released"
	Details  []Sentence
	More     string // "and 12 more"
	Approved []ApprovalLine
	Nobody   string // instead of approvals
	Words    *TextDiff
}

// ApprovalLine is who approved, when and with what words.
type ApprovalLine struct {
	Who  prose.Visible
	When When
	Note prose.Visible
}
