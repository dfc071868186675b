package review

import (
	"bytes"
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/countersign/countersign/review/cost"
	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/lint"
	"github.com/countersign/countersign/review/people"
	"github.com/countersign/countersign/review/prose"
	"github.com/countersign/countersign/review/surface"
)

// Suggested is what a suggested text would bring, before anybody publishes it.
type Suggested struct {
	Old       string         // the text that stands there
	Tokens    int            // of the suggested text
	TokensNow int            // of the one that stands there
	Hidden    []prose.Mark   // hidden characters of the suggested text
	Findings  []lint.Finding // of the place with the suggested text, those that it brings marked as new and first
	Gone      []lint.Finding // that the text which stands there has, and the suggested one has not
}

// CheckSuggestion looks at a text that somebody writes for a place of a release's
// head, by the rules as the server's policy counts them, and keeps nothing. Invalid
// when there is no text at the place.
func (s *Service) CheckSuggestion(ctx context.Context, a Actor, releaseID string, at Anchor, text string) (*Suggested, error) {
	var out *Suggested
	err := s.analysed(ctx, func() error {
		return s.store.View(ctx, func(tx Tx) error {
			srv, r, err := releaseFor(ctx, tx, a, releaseID, people.Reviewer, people.ScopeReview)
			if err != nil {
				return err
			}
			as, err := s.placingHead(ctx, tx, srv, r)
			if err != nil {
				return err
			}
			if err := s.suggestable(text); err != nil {
				return err
			}
			t, old, err := textAt(ctx, tx, as, at)
			if err != nil {
				return err
			}
			out, err = as.suggested(t, at, old, text)
			return err
		})
	})
	return out, err
}

// suggestable checks the size of a suggested text.
func (s *Service) suggestable(text string) error {
	if !keepable(text, s.cfg.Limits.CommentBytes) {
		return Errorf(Invalid, "A suggestion is text of at most %d KiB.", s.cfg.Limits.CommentBytes>>10)
	}
	return nil
}

// textAt finds the text of the head that a suggestion is for, and its tool.
func textAt(ctx context.Context, tx Tx, as *assessment, at Anchor) (*surface.Tool, string, error) {
	t, err := anchoredTool(ctx, tx, as, Anchor{Tool: at.Tool, Pointer: at.Pointer, Side: NewSide})
	if err != nil {
		return nil, "", err
	}
	if t == nil {
		return nil, "", Errorf(Invalid, "A suggestion needs a text that it is for: comment on a description or another text.")
	}
	old, ok := TextAt(t.Raw, at.Pointer)
	return t, old, noText(at, ok)
}

// noText refuses a suggestion for a place that has no text.
func noText(at Anchor, ok bool) error {
	if ok {
		return nil
	}
	return Errorf(Invalid, "There is no text at %s, so none can be suggested for it.", at.Pointer)
}

// Leads reports whether a JSON pointer leads anywhere in a value.
func Leads(raw jsontext.Value, pointer string) bool {
	_, ok := valueAt(raw, pointer)
	return ok
}

// TextAt is the text at a place of a value, which a suggestion can be for.
func TextAt(raw jsontext.Value, pointer string) (string, bool) {
	value, ok := valueAt(raw, pointer)
	if !ok {
		return "", false
	}
	return surface.DecodeString(value)
}

// suggested compares the tool as it is with the tool as it would be.
func (as *assessment) suggested(t *surface.Tool, at Anchor, old, text string) (*Suggested, error) {
	out := &Suggested{Old: old, Tokens: cost.Tokens(text), TokensNow: cost.Tokens(old), Hidden: prose.HiddenIn(text)}
	now, err := aloneWith(at, t, old)
	if err != nil {
		return nil, err
	}
	then, err := aloneWith(at, t, text)
	if err != nil {
		return nil, err
	}
	opt := lint.Options{Context: lint.Context{Siblings: as.siblings(at.Tool)}}
	standing := func(f *lint.Finding) bool {
		return f.Pointer == at.Pointer || strings.HasPrefix(f.Pointer, at.Pointer+"/")
	}
	found := graded(then, lint.Change(now, then, nil, opt), as.server.Policy)
	out.Findings = slices.DeleteFunc(found, func(f lint.Finding) bool { return !f.New && !standing(&f) })
	for _, f := range graded(now, lint.Listing(now, opt), as.server.Policy) {
		same := func(o lint.Finding) bool { return o.Rule == f.Rule && o.Pointer == f.Pointer }
		if standing(&f) && !slices.ContainsFunc(out.Findings, same) {
			out.Gone = append(out.Gone, f)
		}
	}
	return out, nil
}

// aloneWith is a listing of one tool, or of the instructions, with a text in its place.
func aloneWith(at Anchor, t *surface.Tool, text string) (*surface.Listing, error) {
	if at.Tool == "" {
		return &surface.Listing{Instructions: surface.Instructions{Asked: true, Present: true, Text: text}}, nil
	}
	tool, err := surface.NewTool(1, withText(t.Raw, at.Pointer, text))
	return &surface.Listing{Tools: []surface.Tool{tool}}, err
}

// siblings are the names of the other tools of the candidate.
func (as *assessment) siblings(but string) []string {
	return slices.DeleteFunc(namesOf(as.candidate.tools), func(name string) bool { return name == but })
}

// graded counts the findings of a listing as a policy says; what it turned off is left
// out.
func graded(l *surface.Listing, found []lint.Finding, p gate.Policy) []lint.Finding {
	all, binder := make([]Finding, len(found)), newBinder(l)
	for i := range found {
		all[i].Finding, all[i].Bound = found[i], hashes(binder.bound(&found[i]))
	}
	all = grade(all, p)
	var out []lint.Finding
	for i := range all {
		if !all[i].Off() {
			out = append(out, all[i].Finding)
		}
	}
	return out
}

// withText returns a value with a text at a place that is there; what is beside the
// place keeps its bytes.
func withText(raw jsontext.Value, pointer, text string) jsontext.Value {
	if pointer == "" {
		return surface.EncodeString(text)
	}
	token, rest := pointer[1:], ""
	if i := strings.IndexByte(token, '/'); i >= 0 {
		token, rest = token[:i], token[i:]
	}
	token = unescapeToken(token)
	var parts [][]byte
	if len(raw) > 0 && raw[0] == '[' {
		n := 0
		for v := range surface.Elements(raw) {
			if strconv.Itoa(n) == token {
				v = withText(v, rest, text)
			}
			parts = append(parts, v)
			n++
		}
		return slices.Concat([]byte("["), bytes.Join(parts, []byte(",")), []byte("]"))
	}
	for name, v := range surface.Members(raw) {
		if name == token {
			v = withText(v, rest, text)
		}
		parts = append(parts, slices.Concat(surface.EncodeString(name), []byte(":"), v))
	}
	return slices.Concat([]byte("{"), bytes.Join(parts, []byte(",")), []byte("}"))
}
