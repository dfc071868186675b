package views

import "github.com/countersign/countersign/review/prose"

// SearchPage is what a search found, grouped.
type SearchPage struct {
	Page
	Query   string   // as typed
	Sum     Sentence // "3 tools and 1 comment hold `delete`."
	Hint    Sentence // what to do when nothing was found, or nothing asked for
	Servers []NameLink
	Tools   []FoundTool
	Threads []FoundThread
	MoreT   string // "There are more than 50 tools. Add a word."
	MoreC   string // so for comments
}

// FoundTool is a tool that holds the words.
type FoundTool struct {
	URL        string
	Name       []Mark
	Server     prose.Visible
	Profile    prose.Visible // nil for the default
	LineageURL string        // through all versions
	Texts      []FoundText
	More       string // "and 12 more places"
}

// FoundText is a place where the words stand, in an excerpt.
type FoundText struct {
	Place string
	Text  []Mark
}

// FoundThread is a comment that holds the words.
type FoundThread struct {
	URL     string
	About   prose.Visible // tool, nil for the release
	Place   string
	Server  prose.Visible
	Release prose.Visible
	Text    []Mark
	State   string // "resolved", "" while open
	When    When
}

// Mark is a piece of a text, and whether it is what was looked for.
type Mark struct {
	Text prose.Visible
	Hit  bool
}
