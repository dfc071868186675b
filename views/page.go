package views

import (
	"github.com/a-h/templ"

	"github.com/countersign/countersign/review/prose"
)

// Page is what every page has: its place, who looks at it, what just happened.
type Page struct {
	Title   string // in the browser's tab, without the product's name
	Section string // the entry of the menu that is current
	Crumbs  []NameLink
	Width   string // "", "narrow" for forms, "slim" for one box
	Notices []Notice
	Account *Account // nil when nobody is signed in
	Refresh int      // seconds after which a browser without scripts asks again; 0 never
	Build   string   // of the program, at the foot
}

// Account is whoever is signed in, and where they may go.
type Account struct {
	Label prose.Visible
	Menu  []MenuItem
}

// MenuItem is an entry of the main menu.
type MenuItem struct {
	Section string
	Text    string
	URL     string
	Unread  string // notices there, "" for none
}

// Notice is a message that an earlier act left behind.
type Notice struct {
	Tone Tone
	Text Sentence
	Undo *UndoForm // nil where there is nothing to take back
}

// UndoForm takes an answer back that was just given.
type UndoForm struct {
	URL      string
	Items    []string
	Subject  string
	Back     string
	Profiles []string // others that it was given in too
}

func (n Notice) icon() string {
	if n.Tone == Bad {
		return "bang"
	}
	return "check"
}

func (p Page) fullTitle() string {
	if p.Title == "" {
		return "Countersign"
	}
	return p.Title + " · Countersign"
}

// withID gives an element an id, if there is one.
func withID(id string) templ.Attributes {
	if id == "" {
		return nil
	}
	return templ.Attributes{"id": id}
}

// current marks the link that leads to where one is.
func current(here bool) templ.Attributes {
	if here {
		return templ.Attributes{"aria-current": "page"}
	}
	return nil
}
