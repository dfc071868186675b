package views

import "github.com/countersign/countersign/review/prose"

// AuditPage lists acts.
type AuditPage struct {
	Page
	Sealed string // how far the chain of the audit is, and its checkpoint
	Filter AuditFilter
	Acts   []ActLine
	Older  string
	Newest string
	Purge  string // where a leaked text is purged, "" for those who can't
}

// ActLine is one act.
type ActLine struct {
	When    When
	Who     prose.Visible
	Via     string
	Addr    string
	Act     string
	Server  NameLink      // with the acts on it, the zero value for an act on none
	Tool    prose.Visible // that it was done to, nil for none
	Release NameLink      // that it was done to, the zero value for none
	Subject prose.Visible // as the audit keeps it
	Before  prose.Visible
	After   prose.Visible
}

// AuditFilter chooses acts. What it shows stands in the address, so that it can be
// passed on.
type AuditFilter struct {
	Who, Act, Since, Until string
	People                 []string
	Kinds                  []string
	Servers                []Place
	Chosen                 bool // anything is
	AllURL                 string
	JSON, CSV              string // exports of what is chosen
	Fault                  Sentence
}
