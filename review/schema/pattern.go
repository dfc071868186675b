package schema

import (
	"regexp"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/countersign/countersign/review/schema/internal/lang"
)

// compilePattern is the validator's regexp engine: Go's, with a dot that is any
// character, and for what Go can't read (look-ahead, \uXXXX) the languages that
// the prover uses. Both take time linear in the text.
func compilePattern(pattern string) (jsonschema.Regexp, error) {
	re, err := regexp.Compile("(?s)" + pattern)
	if err == nil {
		return goPattern{pattern, re}, nil
	}
	store := lang.NewStore()
	id, langErr := store.Search(pattern)
	if langErr != nil {
		return nil, err
	}
	return &langPattern{pattern, store, id}, nil
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
