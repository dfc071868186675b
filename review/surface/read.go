package surface

import (
	"fmt"
	"strings"
)

// Reason says why bytes were refused. The web answers with the status that
// stands beside it.
type Reason string

// The reasons.
const (
	Unreadable  Reason = "unreadable"    // encoding or JSON is broken: 400
	OtherFormat Reason = "other-format"  // HTML, YAML, CSV and the like: 415
	NotListing  Reason = "not-a-listing" // JSON, but not a tool listing: 422
	TooLarge    Reason = "too-large"     // over a limit: 413
)

// ReadError is the refusal of a whole payload. Nothing of it is kept. Message is
// one sentence or two for the person who sent it: what is wrong and what to do.
// Problems say where; there is at least one.
type ReadError struct {
	Reason   Reason
	Message  string
	Problems []Problem
}

// Error puts place and message on one line: "812:5 (/tools/3): …".
func (e *ReadError) Error() string {
	if len(e.Problems) == 0 {
		return e.Message
	}
	var where strings.Builder
	p := e.Problems[0]
	if p.Line > 0 {
		fmt.Fprintf(&where, "%d:%d", p.Line, p.Column)
	}
	if p.Pointer != "" {
		if where.Len() > 0 {
			where.WriteByte(' ')
		}
		fmt.Fprintf(&where, "(%s)", p.Pointer)
	}
	if where.Len() == 0 {
		return e.Message
	}
	return where.String() + ": " + e.Message
}

// Unquoted is the refusal of a text that is nobody's to repeat, such as a request with
// a conversation and the tools of others in it: reason, line and column, in words of
// which none comes out of the text. A pointer is made of names, so there is none.
func (e *ReadError) Unquoted() *ReadError {
	u := &ReadError{Reason: e.Reason}
	for _, p := range e.Problems {
		u.Problems = append(u.Problems, Problem{Code: p.Code, Level: p.Level, Line: p.Line, Column: p.Column, Message: e.unquoted(p.Code)})
	}
	u.Message = e.unquoted("")
	if len(u.Problems) > 0 {
		u.Message = u.Problems[0].Message
	}
	return u
}

func (e *ReadError) unquoted(code string) string {
	switch {
	case code == codeTwice:
		return "a name stands twice in one object of the request, and parsers disagree which of them counts. Take one out."
	case e.Reason == TooLarge:
		return "the request is larger, or nested deeper, than what is read. Leave the conversation out: only the tools are looked at."
	case e.Reason == NotListing:
		return "this is JSON, and not one request to a provider with its tools. Give the body as the host posted it."
	}
	return "this is not the whole JSON of a request to a provider. Give the body as it was posted, from its first brace to its last."
}

// codeTwice is the problem of an object in which a name stands twice.
const codeTwice = "duplicate-key"

// Limits bound what [Read] accepts. Zero means the default of each.
type Limits struct {
	Bytes  int // of the payload, unpacked; default 8 MiB
	Depth  int // of nested arrays and objects; default 64
	Nodes  int // values in all; default 500,000
	Digits int // of one number; default 1,000
	Pages  int // default 100
	Tools  int // default 5,000
}

// Options say what a payload itself can't. The zero value is what a plain push uses.
type Options struct {
	// Complete is the pusher's word that a single tool or a folder is the whole
	// surface. Other shapes say so themselves, and Complete can't overrule them.
	Complete bool
	// ProtocolVersion is the version that the session used, when the pusher knows
	// it. What the payload says wins.
	ProtocolVersion string
	// Of is the server whose tools are looked for in a provider request; nil where
	// nobody knows.
	Of     *Known
	Limits Limits
}

// Known is what somebody who reads a provider request knows of a server in it.
type Known struct {
	Label string   // its name in the configuration of the host
	Tools []string // names of its tools, as listed
}

// File is one file of a folder of one-tool files. Name is only for messages:
// a tool's identity is the name inside.
type File struct {
	Name string
	Data []byte
}

// Default limits of [Limits].
const (
	defaultBytes  = 8 << 20
	defaultDepth  = 64
	defaultNodes  = 500_000
	defaultDigits = 1_000
	defaultPages  = 100
	defaultTools  = 5_000
)

// WithDefaults fills in what is zero.
func (l Limits) WithDefaults() Limits {
	for _, f := range []struct {
		value   *int
		instead int
	}{
		{&l.Bytes, defaultBytes}, {&l.Depth, defaultDepth}, {&l.Nodes, defaultNodes},
		{&l.Digits, defaultDigits}, {&l.Pages, defaultPages}, {&l.Tools, defaultTools},
	} {
		if *f.value <= 0 {
			*f.value = f.instead
		}
	}
	return l
}

// Read reads a payload of any shape in docs/reading.md. Structure decides, never a
// file name. Every tool is kept, malformed ones with their problems; only a payload
// that is no listing at all, or over a limit, is refused, with a [*ReadError].
//
// Of a capture (what a host sent to a provider) only the definitions of tools are
// kept: Listing.Raw is rebuilt from them, and nothing else of b is retained.
//
// The listing shares memory with b: hand over a slice that nobody changes.
func Read(b []byte, opt Options) (*Listing, error) {
	r := &reader{opt: opt}
	r.opt.Limits = opt.Limits.WithDefaults()
	if err := r.read(b); err != nil {
		return nil, err
	}
	return r.finish(), nil
}

// ReadFolder reads a folder of one-tool files, in the order of their names, as one
// listing. It is complete only if opt says so. Files that [MayHoldTool] rules out are
// passed over, each with a problem that names it. Files that hold a tool of the same
// name are all kept. A file that can't be read refuses the whole folder, with the
// file named: a folder is taken whole or not at all.
func ReadFolder(files []File, opt Options) (*Listing, error) {
	opt.Limits = opt.Limits.WithDefaults()
	folder, err := bundle(files, opt.Limits)
	if err != nil {
		return nil, err
	}
	l, readErr := Read(folder.text, opt)
	if readErr != nil {
		return nil, readErr
	}
	folder.relocate(l.Problems)
	l.Problems = append(folder.passed, l.Problems...)
	return l, nil
}
