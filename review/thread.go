package review

import (
	"time"

	"github.com/countersign/countersign/review/surface"
)

// Side is the side of a comparison that a thread was opened on.
type Side string

// The sides.
const (
	OldSide Side = "old"
	NewSide Side = "new"
)

// Anchor is the place a thread is about.
type Anchor struct {
	Tool    string       // name as received; "" for the release or instructions
	Digest  surface.Hash // of the tool when the thread was opened
	Pointer string       // RFC 6901 within the tool, "" for the whole tool
	Side    Side
	Quote   string // the words that it is about, "" for none
}

// Thread is a conversation about a place, kept with the profile so that it
// follows the tool through revisions and versions. A machine never resolves it.
type Thread struct {
	ID         string
	ServerID   string
	Profile    string
	ReleaseID  string // where it was opened
	Revision   int
	Anchor     Anchor
	Blocks     bool // keeps the gate blocked while it is open
	OpenedBy   string
	OpenedAt   time.Time
	ResolvedBy string
	ResolvedAt time.Time // zero while open
	Comments   []Comment
}

// Open reports whether the thread still waits for an answer.
func (t *Thread) Open() bool { return t.ResolvedAt.IsZero() }

// Comment is one message, in Markdown, at most 64 KiB.
type Comment struct {
	ID        string
	ThreadID  string
	UserID    string
	UserLabel string
	Body      string
	At        time.Time
}
