// Package report turns an analysis into something that leaves the program: JSON,
// Markdown for a pull request, text for a terminal. It is the one place where that
// happens, for offline commands, the API and stored reports alike, so that all of
// them say the same.
//
// # JSON
//
// The forms are those of the contract: fields in a fixed order, null where there is
// nothing, lists never null. A string that is not Unicode (a lone surrogate in the
// JSON that was received) keeps its escape, so that nothing is lost between
// [Diff] and [ParseDiff].
//
// # Text
//
// Every string of a listing was written by somebody else. In Markdown and in text
// for logs it is drawn through package prose, so that nothing in it is invisible,
// and escaped, so that nothing in it is markup, a mention, a terminal sequence or
// a command for a CI runner.
package report

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/countersign/countersign/review/surface"
)

// text is a string in WTF-8, written with its lone surrogates as escapes.
type text string

// MarshalJSON writes the canonical literal.
func (t text) MarshalJSON() ([]byte, error) { return surface.EncodeString(string(t)), nil }

// UnmarshalJSON reads a literal without replacing what is not Unicode.
func (t *text) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		return nil
	}
	s, ok := surface.DecodeString(jsontext.Value(b))
	if !ok {
		return fmt.Errorf("%.20q is no string", b)
	}
	*t = text(s)
	return nil
}

func texts(s []string) []text {
	out := make([]text, len(s))
	for i := range s {
		out[i] = text(s[i])
	}
	return out
}

func plain(t []text) []string {
	out := make([]string, len(t))
	for i := range t {
		out[i] = string(t[i])
	}
	return out
}

func textPtr(s *string) *text { return (*text)(s) }

// hashOrNull is null for the zero hash.
func hashOrNull(h surface.Hash) *surface.Hash {
	if h.IsZero() {
		return nil
	}
	return &h
}

func hashOf(h *surface.Hash) surface.Hash {
	if h == nil {
		return surface.Hash{}
	}
	return *h
}

// encode writes v on one line. Characters such as < stay as they are: the bytes
// of a listing are repeated as received.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
