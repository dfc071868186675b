package review

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/countersign/countersign/review/surface"
)

// PlaceState says what became of the place that a thread is about.
type PlaceState string

// The states of a place. Whatever it is, the thread stays open until a person
// resolves it.
const (
	PlaceExact   PlaceState = "exact"   // the same words still stand there
	PlaceRenamed PlaceState = "renamed" // the same, under another name of the tool
	PlaceChanged PlaceState = "changed" // the place is there and says something else
	PlaceGone    PlaceState = "gone"    // the tool or the place is not there any more
)

// Place is where a thread stands in the listing that a page shows.
type Place struct {
	State PlaceState
	Tool  string // name of the tool there, "" when it is gone
	Taken []int  // comments, from 0, whose suggestion stands there now

	Position int // of the tool in the listing pushed last, from 1; 0 is the instructions, -1 not there
}

const (
	maxSnippet = 4 << 10
	maxContext = 48 // bytes of words on either side of a quote
)

// port finds the place of a thread in a tool as it is now, nil when there is none.
// It is a function of its arguments alone, so every page and every answer says the
// same of one revision.
func port(at Anchor, now *surface.Tool) Place {
	if now == nil {
		return Place{State: PlaceGone}
	}
	p := Place{State: at.state(now), Tool: now.Name}
	if p.State == PlaceExact && now.Name != at.Tool {
		p.State = PlaceRenamed
	}
	return p
}

func (at Anchor) state(now *surface.Tool) PlaceState {
	if !at.Digest.IsZero() && now.Digest == at.Digest {
		return PlaceExact
	}
	value, ok := valueAt(now.Raw, at.Pointer)
	switch {
	case !ok:
		return PlaceGone
	case at.stands(textOf(value)):
		return PlaceExact
	}
	return PlaceChanged
}

// stands reports whether the words of the anchor still stand in a text. Without a
// quote the whole text has to be the same. A quote that occurs several times needs
// its context on one side at least, else it may be other words that look the same.
func (at Anchor) stands(text string) bool {
	if at.Quote == "" {
		return at.Snippet != "" && at.Snippet == snippet(text)
	}
	n := strings.Count(text, at.Quote)
	if n == 0 {
		return false
	}
	return n == 1 || at.Lead+at.Tail == "" ||
		at.Lead != "" && strings.Contains(text, at.Lead+at.Quote) ||
		at.Tail != "" && strings.Contains(text, at.Quote+at.Tail)
}

// note fills in what the anchor must remember of the tool that it was set on: the
// digest, the value, and the words around the quote.
func (at Anchor) note(t *surface.Tool) Anchor {
	at.Digest = t.Digest
	value, ok := valueAt(t.Raw, at.Pointer)
	if !ok {
		return at
	}
	text := textOf(value)
	at.Snippet = snippet(text)
	if i := strings.Index(text, at.Lead+at.Quote); at.Quote != "" && i >= 0 {
		i += len(at.Lead)
		at.Lead, at.Tail = lastBytes(text[:i], maxContext), firstBytes(text[i+len(at.Quote):], maxContext)
	}
	return at
}

// snippet is a text as a thread keeps it: long ones are cut, and end in their hash
// so that two of them are equal only when the whole texts are.
func snippet(text string) string {
	if len(text) <= maxSnippet {
		return text
	}
	return fmt.Sprintf("%s … (%d bytes, %s)", firstBytes(text, maxSnippet), len(text), surface.HashOf([]byte(text)))
}

// firstBytes cuts a text to at most n bytes, between characters.
func firstBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

func lastBytes(s string, n int) string {
	i := len(s) - n
	if i <= 0 {
		return s
	}
	for i < len(s) && !utf8.RuneStart(s[i]) {
		i++
	}
	return s[i:]
}

// textOf is the text of a string value, and of anything else its JSON in
// canonical form, so that spaces and the order of keys are no difference.
func textOf(value jsontext.Value) string {
	if s, ok := surface.DecodeString(value); ok {
		return s
	}
	if c, err := surface.Canonical(value); err == nil {
		return string(c)
	}
	return string(value)
}

// valueAt resolves a JSON pointer (RFC 6901). An array's "-" is nowhere.
func valueAt(raw jsontext.Value, pointer string) (jsontext.Value, bool) {
	if len(raw) == 0 {
		return nil, false
	}
	at, rest := follow(raw, pointer)
	return at, rest == ""
}

// follow goes along a pointer for as long as it leads anywhere: to what is there, with
// the rest of the pointer.
func follow(raw jsontext.Value, pointer string) (at jsontext.Value, rest string) {
	for pointer != "" {
		token, more := pointer[1:], ""
		if i := strings.IndexByte(token, '/'); i >= 0 {
			token, more = token[:i], token[i:]
		}
		next, ok := child(raw, unescapeToken(token))
		if !ok {
			break
		}
		raw, pointer = next, more
	}
	return raw, pointer
}

// mostNear bounds how many places an answer names.
const mostNear = 20

// nearest follows a pointer for as long as it leads anywhere, and returns the pointer of
// where it ends with the pointers of what is there.
func nearest(raw jsontext.Value, pointer string) (parent string, below []string) {
	raw, rest := follow(raw, pointer)
	parent = strings.TrimSuffix(pointer, rest)
	n := 0
	add := func(token string) bool {
		if n++; n > mostNear {
			below = append(below, "…")
			return false
		}
		below = append(below, parent+"/"+pointerEscape.Replace(token))
		return true
	}
	switch {
	case len(raw) > 0 && raw[0] == '[':
		for range surface.Elements(raw) {
			if !add(strconv.Itoa(n)) {
				break
			}
		}
	default:
		for name := range surface.Members(raw) {
			if !add(name) {
				break
			}
		}
	}
	return parent, below
}

// child returns a member or an element.
func child(raw jsontext.Value, token string) (jsontext.Value, bool) {
	if len(raw) > 0 && raw[0] == '[' {
		want, err := strconv.Atoi(token)
		if err != nil || strconv.Itoa(want) != token {
			return nil, false
		}
		for v := range surface.Elements(raw) {
			if want == 0 {
				return v, true
			}
			want--
		}
		return nil, false
	}
	for name, v := range surface.Members(raw) {
		if name == token {
			return v, true
		}
	}
	return nil, false
}

func unescapeToken(token string) string {
	return strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
}

// instructionsAsTool lets instructions be looked at like a tool: its one field is
// what the pointer names. The whole release is the empty pointer.
func instructionsAsTool(in surface.Instructions) *surface.Tool {
	t := &surface.Tool{Raw: jsontext.Value("{}")}
	if in.Present {
		t.Raw = jsontext.Value(`{"instructions":` + string(surface.EncodeString(in.Text)) + `}`)
	}
	return t
}
