package views

import "github.com/countersign/countersign/review/prose"

// SignInPage asks who one is.
type SignInPage struct {
	Page
	Email string // typed before, kept
	Next  string // a path of ours to go on to
	Fault Sentence
	Hint  Sentence // when nobody ever had an account

	Provider    string // host of the identity provider; "" is none
	ProviderURL string
}

// LinkPage is what a single-use link opens. Opening it changes nothing; its button
// does.
type LinkPage struct {
	Page
	URL         string
	Heading     string
	Lead        string
	For         prose.Visible
	AskWho      bool // set-up: address and name
	AskPass     bool
	Email, Name string
	Button      string
	Fault       Sentence
}

// ErrorPage says what happened and what to do.
type ErrorPage struct {
	Reload int // ms after which the page is loaded again, since work goes on; 0 for an error
	Page
	Status   string
	Heading  string
	Sentence Sentence
	Done, Of int // of work that goes on: how much is done, Of is 0 for an error
	Help     string
	Problems []Problem
	Request  string // id to quote
	Links    []Link
	Typed    []TypedText // what was typed and not stored
	Again    *AgainForm  // nil when sending it again would not help
}

// AgainForm sends what was sent once more.
type AgainForm struct {
	URL    string
	Fields []HiddenField
}

// TypedText is something that a person typed and that was not stored.
type TypedText struct {
	ID, Label, Text string
}
