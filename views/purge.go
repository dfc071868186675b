package views

import "github.com/countersign/countersign/review/prose"

// PurgePage writes over a text wherever it is kept.
type PurgePage struct {
	Page
	Fault        Sentence
	Text, Reason string // as they were typed, when nothing was purged yet
	Tried        *PurgeResult
	Done         *PurgeResult
}

// PurgeResult is what a purge reached, or would.
type PurgeResult struct {
	Says     string // "2 listings hold it", "Purged."
	Places   []PurgePlace
	Listings []NameLink
	Audit    bool // the audit holds the text too, and keeps it
}

// PurgePlace is a table and how many of its rows hold the text.
type PurgePlace struct {
	Name prose.Visible
	Rows string
}
