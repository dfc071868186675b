package surface

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// path is a JSON pointer that is only written out when a problem needs it.
type path struct {
	up    *path
	name  string
	index int // of an element, -1 when name counts
}

// at goes from a path to a member.
func at(up *path, name string) *path { return &path{up, name, -1} }

// nth goes from a path to an element.
func nth(up *path, i int) *path { return &path{up, "", i} }

// String writes the RFC 6901 pointer; nil is the whole.
func (p *path) String() string {
	if p == nil {
		return ""
	}
	token := escapePointer(p.name)
	if p.index >= 0 {
		token = strconv.Itoa(p.index)
	}
	return p.up.String() + "/" + token
}

// subject is whom a problem is about; the zero value is the listing.
type subject struct {
	position int
	name     string
}

// most is how many problems of one code one tool may have, and enough is how many
// a listing may have before that becomes one. Further ones are counted in the
// message of the last: a thousand equal lines help nobody. The first of each code
// is always kept, since an error blocks.
const (
	most   = 20
	enough = 10_000
)

// findings collects problems. Each (tool, code) is bounded.
type findings struct {
	problems []Problem
	counts   map[findingKey]*findingCount
}

type findingKey struct {
	position int
	code     string
}

type findingCount struct {
	seen, kept int
	last       int // index of the last one kept
}

// add notes a problem of s at value v (for the position) and pointer p.
func (f *findings) add(s subject, v value, p *path, code string, level Level, message string) {
	if f.counts == nil {
		f.counts = map[findingKey]*findingCount{}
	}
	key := findingKey{s.position, code}
	c := f.counts[key]
	if c == nil {
		c = &findingCount{}
		f.counts[key] = c
	}
	c.seen++
	if c.kept >= most || c.kept > 0 && len(f.problems) >= enough {
		return
	}
	c.kept++
	c.last = len(f.problems)
	problem := Problem{Code: code, Level: level, Tool: s.name, Position: s.position, Pointer: p.String(), Message: message}
	if v.present() && v.d.src != nil {
		problem.Line, problem.Column = v.d.src.position(v.d.base + int(v.node().start))
	}
	f.problems = append(f.problems, problem)
}

// unstorable notes a string that no plain text column can hold.
func (f *findings) unstorable(s subject, v value, p *path) {
	switch fl := v.node().flags; {
	case fl&nul != 0:
		f.add(s, v, p, "text-unstorable", LevelError, "a string holds U+0000 (\\u0000), at which many programs cut it off. Remove it.")
	case fl&surrogate != 0:
		f.add(s, v, p, "text-unstorable", LevelError, "a string holds half of a surrogate pair, which is no character; programs replace or refuse it. Write the whole character.")
	}
}

// sorted returns the problems by position, the listing's own first, each tool's in
// the order in which they were found.
func (f *findings) sorted() []Problem {
	for key, c := range f.counts {
		if more := c.seen - c.kept; more > 0 {
			f.problems[c.last].Message += fmt.Sprintf(" (%d more `%s` in this tool are not listed.)", more, key.code)
		}
	}
	slices.SortStableFunc(f.problems, func(a, b Problem) int { return a.Position - b.Position })
	return f.problems
}

// list writes names for a sentence: `a`, `b` and 3 more.
func list(names []string) string {
	const shown = 5
	var quoted []string
	for _, n := range names[:min(len(names), shown)] {
		quoted = append(quoted, "`"+shorten(n)+"`")
	}
	text := strings.Join(quoted, ", ")
	if more := len(names) - shown; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
