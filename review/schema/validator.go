package schema

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// The address under which the validator knows the only document it may see. It
// is hierarchical, so that a relative reference leads elsewhere and not back.
const documentURL = "https://schema.invalid/document"

// drafts are the dialects by the names of [Options.Draft].
var drafts = map[string]*jsonschema.Draft{
	"4": jsonschema.Draft4, "6": jsonschema.Draft6, "7": jsonschema.Draft7,
	"2019-09": jsonschema.Draft2019, "2020-12": jsonschema.Draft2020,
}

// dialects are the same by the address in $schema, without scheme and fragment.
var dialects = map[string]string{
	"json-schema.org/draft-04/schema":      "4",
	"json-schema.org/draft-06/schema":      "6",
	"json-schema.org/draft-07/schema":      "7",
	"json-schema.org/draft/2019-09/schema": "2019-09",
	"json-schema.org/draft/2020-12/schema": "2020-12",
	"json-schema.org/schema":               "2020-12",
}

// dialectOf returns the dialect of a document: that of its $schema, else fallback.
func dialectOf(v *value, fallback string) (string, error) {
	s := v.get("$schema")
	if s == nil || s.kind != kindString {
		if fallback == "" {
			fallback = "2020-12"
		}
		if drafts[fallback] == nil {
			return "", fmt.Errorf("the draft %q is not one of 4, 6, 7, 2019-09, 2020-12", fallback)
		}
		return fallback, nil
	}
	u := strings.TrimSuffix(s.str, "#")
	u = strings.TrimPrefix(strings.TrimPrefix(u, "http://"), "https://")
	if d := dialects[u]; d != "" {
		return d, nil
	}
	return "", fmt.Errorf("the dialect %q is not known", s.str)
}

// denyLoader refuses every document: a schema of a stranger may not make us
// read files or call addresses.
type denyLoader struct{}

var errRemote = errors.New("external references are not fetched")

func (denyLoader) Load(url string) (any, error) { return nil, fmt.Errorf("%s: %w", url, errRemote) }

// validator is a compiled document, or a large one that is compiled as far as an
// instance needs it.
type validator struct {
	schema   *jsonschema.Schema
	large    *largeDocument
	patterns *patterns
}

func compileValidator(doc []byte, opt Options) (*validator, error) {
	v, err := parseValue(doc)
	if err != nil {
		return nil, err
	}
	return newValidator(v, opt.Draft)
}

func newValidator(v *value, draft string) (*validator, error) {
	return newValidatorWith(v, draft, &patterns{})
}

func newValidatorWith(v *value, draft string, ps *patterns) (*validator, error) {
	d, err := dialectOf(v, draft)
	if err != nil {
		return nil, err
	}
	if v.kind != kindBool && v.kind != kindObject {
		return nil, errors.New("a schema is an object, true or false")
	}
	doc := plain(v, d)
	if doc.size() > largeValues && !pointsIntoProperties(doc) {
		return newLargeValidator(doc, d, ps)
	}
	s, err := compile(doc, d, ps)
	if err != nil {
		return nil, err
	}
	return &validator{schema: s, patterns: ps}, nil
}

// compiler returns a compiler that reads patterns as the prover does and fetches
// nothing.
func compiler(draft string, ps *patterns) *jsonschema.Compiler {
	c := jsonschema.NewCompiler()
	c.UseLoader(denyLoader{})
	c.UseRegexpEngine(ps.compile)
	c.DefaultDraft(drafts[draft])
	if ps.blind {
		c.RegisterVocabulary(blindness(ps))
		c.AssertVocabs()
	}
	return c
}

func compile(doc *value, draft string, ps *patterns) (*jsonschema.Schema, error) {
	c := compiler(draft, ps)
	if err := c.AddResource(documentURL, doc.any()); err != nil {
		return nil, err
	}
	return c.Compile(documentURL)
}

// accepts reports whether v is valid, and whether that is certain.
func (s *validator) accepts(v *value) (ok, sure bool) {
	s.patterns.guessed = false
	ok = s.check(v) == nil
	return ok, !s.patterns.guessed
}

func (s *validator) check(v *value) error {
	if s.large != nil {
		return s.large.check(v)
	}
	return s.schema.Validate(v.any())
}

// rejection says where v fails, most specific first, or "" when it is accepted.
func (s *validator) rejection(v *value) string {
	var e *jsonschema.ValidationError
	if err := s.check(v); !errors.As(err, &e) {
		return ""
	}
	for len(e.Causes) > 0 {
		e = e.Causes[0]
	}
	where := unescapePercent(e.SchemaURL[strings.IndexByte(e.SchemaURL, '#')+1:])
	for _, k := range e.ErrorKind.KeywordPath() {
		where += "/" + escapeToken(k)
	}
	return where + ": " + e.ErrorKind.LocalizedString(english())
}

func english() *message.Printer { return message.NewPrinter(language.English) }

// plain returns the document without what this engine treats as annotation, so
// that every dialect is validated by the same rules: format and content are not
// asserted, and what stands beside a $ref in old dialects is ignored, as those
// dialects say. $schema goes too, because the compiler is told the dialect.
func plain(v *value, draft string) *value {
	return plainer{oldRef: draft == "4" || draft == "6" || draft == "7"}.schema(v)
}

type plainer struct{ oldRef bool }

// holder says how the value of a keyword holds subschemas.
type holder uint8

const (
	holdsOne  holder = 1 << iota // a schema
	holdsList                    // an array of schemas
	holdsMap                     // an object of schemas
)

var holders = map[string]holder{
	"items": holdsOne | holdsList, "additionalItems": holdsOne, "contains": holdsOne, "not": holdsOne,
	"if": holdsOne, "then": holdsOne, "else": holdsOne, "additionalProperties": holdsOne, "propertyNames": holdsOne,
	"unevaluatedItems": holdsOne, "unevaluatedProperties": holdsOne,
	"allOf": holdsList, "anyOf": holdsList, "oneOf": holdsList, "prefixItems": holdsList,
	"properties": holdsMap, "patternProperties": holdsMap, "definitions": holdsMap, "$defs": holdsMap,
	"dependentSchemas": holdsMap, "dependencies": holdsMap,
}

func (p plainer) schema(v *value) *value {
	if v.kind != kindObject {
		return v
	}
	isRef := p.oldRef && v.get("$ref") != nil && v.get("$ref").kind == kindString
	out := &value{kind: kindObject}
	for _, m := range v.members {
		h := holders[m.name]
		switch {
		case m.name == "$schema", m.name == "format", strings.HasPrefix(m.name, "content"):
			continue
		case isRef && m.name != "$ref" && m.name != "definitions" && m.name != "$defs":
			continue
		}
		out.members = append(out.members, member{m.name, p.held(m.value, h)})
	}
	return out
}

func (p plainer) held(v *value, h holder) *value {
	switch {
	case v.kind == kindArray && h&holdsList != 0:
		out := &value{kind: kindArray}
		for _, it := range v.items {
			out.items = append(out.items, p.schema(it))
		}
		return out
	case v.kind == kindObject && h&holdsMap != 0:
		out := &value{kind: kindObject}
		for _, m := range v.members {
			out.members = append(out.members, member{m.name, p.schema(m.value)})
		}
		return out
	case h&holdsOne != 0:
		return p.schema(v)
	}
	return v
}

// problemsOf turns what the compiler says into problems with pointers.
func problemsOf(err error) []Problem {
	if err == nil {
		return nil
	}
	var e *jsonschema.ValidationError
	var invalid *jsonschema.SchemaValidationError
	if errors.As(err, &invalid) { // which doesn't unwrap
		err = invalid.Err
	}
	if !errors.As(err, &e) {
		return []Problem{{Pointer: pointerIn(err), Message: compileMessage(err)}}
	}
	var out []Problem
	collectProblems(e, &out)
	return out
}

func collectProblems(e *jsonschema.ValidationError, out *[]Problem) {
	if len(e.Causes) == 0 {
		p := ""
		for _, t := range e.InstanceLocation {
			p += "/" + escapeToken(t)
		}
		q := Problem{Pointer: p, Message: e.ErrorKind.LocalizedString(english())}
		if !slices.ContainsFunc(*out, func(r Problem) bool { return r.Pointer == p }) {
			*out = append(*out, q)
		}
	}
	for _, c := range e.Causes {
		collectProblems(c, out)
	}
}

// compileMessage says the error without our internal address.
func compileMessage(err error) string {
	var re *jsonschema.InvalidRegexError
	var load *jsonschema.LoadURLError
	switch {
	case errors.As(err, &re):
		return fmt.Sprintf("the pattern %s can't be read: %v", strconv.Quote(re.Regex), re.Err)
	case errors.As(err, &load):
		address := strings.TrimPrefix(load.URL, strings.TrimSuffix(documentURL, "document"))
		return fmt.Sprintf("the reference %s leads outside; it is not fetched", address)
	}
	return strings.ReplaceAll(err.Error(), documentURL, "")
}

func pointerIn(err error) string {
	var re *jsonschema.InvalidRegexError
	if errors.As(err, &re) {
		if i := strings.IndexByte(re.URL, '#'); i >= 0 {
			return re.URL[i+1:]
		}
	}
	return ""
}

// isRemote reports whether a document is fine but for references that lead out.
func isRemote(err error) bool {
	var load *jsonschema.LoadURLError
	return errors.As(err, &load)
}
