// Package views turns models into pages.
//
// # Models
//
// One page is one .templ file with one model beside it. A model holds exactly
// what is shown: strings are formatted, branches are booleans or nil pointers,
// addresses are built. Who may do what was decided long before; a form is shown
// when the model carries one.
//
// # Other people's text
//
// A field of type string holds our own words. Whatever came from outside (names
// and texts of tools, versions, people's names, notes) is a [prose.Visible], in
// which nothing is hidden and nothing is markup, and the component [Text] is the
// only one that draws it. A sentence of ours that quotes such text is a
// [Sentence]. The one exception are comments, which people write in Markdown: a
// presenter makes them into safe HTML, and [Markdown] is the one place that
// prints HTML as it is.
//
// # Without scripts
//
// Every act is a plain form and every state an address. Modules of package static
// find what they make quicker by data attributes: data-item (a place that j and k
// go to), data-key (the key of a button or link), data-copy, data-poll.
package views

import (
	"github.com/a-h/templ"

	"strings"

	"github.com/countersign/countersign/review/change"
	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/prose"
)

// Tone colours a badge or a message; an icon and a word always say the same.
type Tone string

// The tones.
const (
	Plain Tone = "plain"
	OK    Tone = "ok"
	Warn  Tone = "warn"
	Ask   Tone = "ask" // nobody knows
	Bad   Tone = "bad"
)

// Badge is an icon with a word, such as the class of a change.
type Badge struct {
	Tone Tone
	Icon string
	Word string
}

var classBadges = map[change.Class]Badge{
	change.Breaking:   {Bad, "cross", "breaking"},
	change.Undecided:  {Ask, "question", "undecided"},
	change.Behaviour:  {Warn, "bang", "behaviour"},
	change.Text:       {Plain, "lines", "text"},
	change.Compatible: {OK, "check", "compatible"},
	change.None:       {Plain, "equal", "no effect"},
}

// ClassBadge is how a class of change looks.
func ClassBadge(c change.Class) Badge {
	if b, ok := classBadges[c]; ok {
		return b
	}
	return Badge{Ask, "question", string(c)}
}

var gateBadges = map[gate.Result]Badge{
	gate.Pass:      {OK, "check", "Safe to publish"},
	gate.Blocked:   {Bad, "stop", "Blocked"},
	gate.Undecided: {Ask, "question", "Can't tell"},
	gate.Error:     {Bad, "bang", "Gate failed"},
}

// GateBadge is how an answer of the gate looks; "" is a server without a listing.
func GateBadge(r gate.Result) Badge {
	if b, ok := gateBadges[r]; ok {
		return b
	}
	return Badge{Plain, "minus", "No listing yet"}
}

// OverrideBadge is how a pass looks that nobody approved.
var OverrideBadge = Badge{Bad, "bang", "Passes by override"}

// Link is a place to go to.
type Link struct {
	Text   string
	URL    string
	NewTab bool // leaves the page open
}

// newTab opens a link beside the page.
func newTab(l Link) templ.Attributes {
	if !l.NewTab {
		return nil
	}
	return templ.Attributes{"target": "_blank", "rel": "noopener"}
}

// NameLink is a link whose text came from outside.
type NameLink struct {
	Name prose.Visible
	URL  string
}

// When is a moment: short for reading, exact for hovering and machines.
type When struct {
	Text  string // "12 minutes ago"
	Exact string // "30 November 2026, 12:58 UTC"
	ISO   string
}

// Phrase is a stretch of a sentence; code is set in the face of code.
type Phrase struct {
	Code bool
	Text prose.Visible
}

// Sentence is a sentence of ours that may quote other people's text.
type Sentence []Phrase

// Say makes a Sentence: what stands between backticks is code, in which blanks that a
// line would swallow are drawn, since it may be a name.
func Say(s string) Sentence {
	var out Sentence
	for i, part := range strings.Split(s, "`") {
		if part == "" {
			continue
		}
		p := Phrase{Code: i%2 == 1, Text: prose.Show(part)}
		if p.Code {
			p.Text = ShowName(part)
		}
		out = append(out, p)
	}
	if strings.Count(s, "`")%2 == 1 {
		return Sentence{{Text: prose.Show(s)}} // a lone backtick is no code
	}
	return out
}

// quoted puts quotation marks around other people's words.
func quoted(v prose.Visible) prose.Visible {
	out := prose.Visible{{Kind: prose.Plain, Text: "“", Raw: "“"}}
	return append(append(out, v...), prose.Span{Kind: prose.Plain, Text: "”", Raw: "”"})
}

// String is the sentence in plain text.
func (s Sentence) String() string {
	var b strings.Builder
	for _, p := range s {
		b.WriteString(p.Text.String())
	}
	return b.String()
}

// ShowName is [prose.Show] for names, which are drawn on one line: line ends,
// tabs and blanks that a line would swallow become boxes too.
func ShowName(s string) prose.Visible {
	var out prose.Visible
	for _, span := range prose.Show(s) {
		if span.Kind == prose.Hidden {
			out = append(out, span)
			continue
		}
		out = append(out, boxBlanks(span.Text, len(out) == 0)...)
	}
	return boxLastBlank(out)
}

var blankBoxes = map[rune]prose.Span{
	'\n': {Kind: prose.Hidden, Label: "U+000A", Title: "LINE FEED: ends the line", Raw: "\n"},
	'\t': {Kind: prose.Hidden, Label: "U+0009", Title: "TAB: looks like spaces", Raw: "\t"},
	' ':  {Kind: prose.Hidden, Label: "U+0020", Title: "SPACE: where a reader would not see it", Raw: " "},
}

// boxBlanks draws the blanks of a plain stretch that a line would swallow: line
// ends, tabs, a blank after a blank, and one at the very start.
func boxBlanks(s string, start bool) prose.Visible {
	var out prose.Visible
	from := 0
	swallowed := start
	for i, r := range s {
		box, blank := blankBoxes[r]
		if blank && (r != ' ' || swallowed) {
			out = append(plainSpan(out, s[from:i]), box)
			from = i + 1
		}
		swallowed = blank
	}
	return plainSpan(out, s[from:])
}

func plainSpan(v prose.Visible, s string) prose.Visible {
	if s == "" {
		return v
	}
	return append(v, prose.Span{Kind: prose.Plain, Text: s, Raw: s})
}

func boxLastBlank(v prose.Visible) prose.Visible {
	if len(v) == 0 {
		return v
	}
	last := v[len(v)-1]
	if last.Kind != prose.Plain || !strings.HasSuffix(last.Text, " ") {
		return v
	}
	v = plainSpan(v[:len(v)-1], strings.TrimSuffix(last.Text, " "))
	return append(v, blankBoxes[' '])
}
