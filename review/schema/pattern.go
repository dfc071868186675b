package schema

import (
	"regexp"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

func compilePattern(s string) (jsonschema.Regexp, error) { return regexp.Compile(s) }
