package schema

import (
	"errors"
	"regexp"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/countersign/countersign/review/schema/internal/lang"
)

// patterns is the regexp engine of one validator: Go's, with a dot that is any
// character, and for what Go can't read (look-ahead, \uXXXX) the languages that
// the prover uses. Both take time linear in the text. A pattern that neither can
// check is noted when it is asked about: then the validator's answer is worth
// nothing.
type patterns struct {
	guessed bool
	blind   bool // the document stands for one with references that lead out
}

func (p *patterns) compile(pattern string) (jsonschema.Regexp, error) {
	re, err := regexp.Compile("(?s)" + pattern)
	if err == nil {
		return goPattern{pattern, re}, nil
	}
	store := lang.NewStore()
	id, langErr := store.Search(pattern)
	switch {
	case langErr == nil:
		return &langPattern{pattern, store, id}, nil
	case errors.Is(langErr, lang.ErrUnreadable):
		return nil, err
	}
	return &unchecked{pattern, p}, nil
}

type goPattern struct {
	pattern string
	*regexp.Regexp
}

func (p goPattern) String() string { return p.pattern }

type langPattern struct {
	pattern string
	store   *lang.Store
	id      lang.ID
}

func (p *langPattern) String() string { return p.pattern }

func (p *langPattern) MatchString(s string) bool { return p.store.Matches(p.id, s) }

// unchecked is a pattern that can't be checked, such as one with look-behind.
type unchecked struct {
	pattern string
	of      *patterns
}

func (p *unchecked) String() string { return p.pattern }

func (p *unchecked) MatchString(string) bool {
	p.of.guessed = true
	return true
}
