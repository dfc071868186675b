package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// DefaultSteps is the work that one comparison may take.
const DefaultSteps = 60_000

// Compare says what the change from old to new does to callers. It never fails:
// a side that can't be read or isn't a schema gives Undecided with the reason.
func Compare(old, new []byte, dir Direction, opt Options) Result {
	if bytes.Equal(old, new) {
		return Result{Verdict: Equivalent, Declared: Equivalent, Reason: "Both schemas are the same."}
	}
	p, err := newPair(old, new, dir, opt)
	if err != nil {
		return unreadable(upper(err.Error())+".", dir)
	}
	return p.judge()
}

// unreadable is the result for a side that is no JSON or too large: one edit
// that says so.
func unreadable(reason string, dir Direction) Result {
	e := Edit{ID: "engine.unknown", Direction: dir, Verdict: Undecided, VerdictDeclared: Undecided, Sentence: reason, Note: &reason}
	return Result{Verdict: Undecided, Declared: Undecided, Reason: reason, Edits: []Edit{e}}
}

// side is one document of a comparison.
type side struct {
	word  string // "old" or "new"
	doc   *value
	draft string
	lit   lit
	valid *validator
	inert error  // why the document doesn't compile; valid is then nil or blind
	wrong string // why the document is no schema
	*document
}

// pair is a comparison in progress.
type pair struct {
	opt              Options
	dir              Direction
	old, new         *side
	source, target   *side // source must be contained in target
	solver           *solver
	join             lit // what instances are limited to
	strict, declared judgement
	walker           *walker
	costly           bool // an example was not validated because that takes too long
}

func newPair(old, new []byte, dir Direction, opt Options) (*pair, error) {
	steps := opt.Steps
	if steps <= 0 {
		steps = DefaultSteps
	}
	p := &pair{opt: opt, dir: dir, solver: newSolver(newGraph(), steps)}
	var err error
	if p.old, err = p.read("old", old); err != nil {
		return nil, err
	}
	if p.new, err = p.read("new", new); err != nil {
		return nil, err
	}
	p.source, p.target = p.old, p.new
	if dir == Output {
		p.source, p.target = p.new, p.old
	}
	if opt.JoinObject {
		n := newNode()
		n.types = typeOf(kindObject)
		p.join = p.solver.intern(n)
	}
	return p, nil
}

func (p *pair) read(word string, b []byte) (*side, error) {
	doc, err := parseValue(b)
	if err != nil {
		return nil, fmt.Errorf("the %s schema can't be read: %w", word, err)
	}
	draft, err := dialectOf(doc, p.opt.Draft)
	if err != nil {
		return nil, fmt.Errorf("the %s schema can't be read: %w", word, err)
	}
	if n := doc.size(); n > maxValues {
		return nil, fmt.Errorf("the %s schema has %d values; %d are compared", word, n, maxValues)
	}
	s := &side{word: word, doc: doc, draft: draft}
	s.document = newDocument(p.solver.graph, doc, draft)
	s.lit = s.at("")
	if s.valid, s.inert = newValidator(doc, p.opt.Draft); s.inert != nil && !isRemote(s.inert) {
		s.wrong = fmt.Sprintf("the %s schema is not valid: %s", word, firstProblem(s.inert))
	}
	if len(s.remote) > 0 && (s.inert == nil && s.valid.large != nil || isRemote(s.inert)) {
		s.valid = newBlindValidator(doc, draft, s.remote)
	}
	return s, nil
}

func firstProblem(err error) string {
	ps := problemsOf(err)
	if len(ps) == 0 {
		return "the validator refuses it"
	}
	at := ps[0].Pointer
	if at == "" {
		at = "the root"
	}
	return fmt.Sprintf("at %s, %s", at, strings.TrimSuffix(ps[0].Message, "."))
}

// judgement is the answer to one question.
type judgement struct {
	verdict Verdict
	witness *value
	why     string
}

// judge answers both readings.
func (p *pair) judge() Result {
	if p.old.wrong != "" || p.new.wrong != "" {
		p.strict = judgement{verdict: Undecided, why: either(p.old.wrong, p.new.wrong)}
		p.declared = p.strict
		return p.result()
	}
	p.strict = p.contained(p.source.lit, p.target.lit)
	p.declared = p.strict
	switch p.strict.verdict {
	case Compatible:
		if back := p.contained(p.target.lit, p.source.lit); back.verdict == Compatible {
			p.strict.verdict, p.declared.verdict = Equivalent, Equivalent
		}
	default:
		p.solver.more(p.solver.limit)
		p.declared = p.contained(p.source.lit, p.target.lit, p.solver.declared(p.source.lit))
		if p.declared.verdict == Breaking {
			p.declared.witness = p.shrink(p.declared.witness, anyWitness)
			p.strict = p.declared
		} else if p.strict.verdict == Breaking {
			p.strict.witness = p.shrink(p.strict.witness, anyWitness)
		}
	}
	return p.result()
}

func anyWitness(*value) bool { return true }

// contained decides whether every instance of a, as far as the conditions go,
// is one of b.
func (p *pair) contained(a, b lit, conditions ...lit) judgement {
	ls := append([]lit{a, b.not(), p.join}, conditions...)
	ans := p.solver.solve(ls...)
	switch {
	case ans.outcome == none:
		return judgement{verdict: Compatible}
	case ans.value != nil && p.confirms(ans.value):
		return judgement{verdict: Breaking, witness: ans.value}
	case ans.outcome == found:
		return judgement{verdict: Undecided, why: p.unconfirmed()}
	}
	return judgement{verdict: Undecided, why: ans.why}
}

// confirms asks the validator whether v worked on the source side and fails on
// the target side.
func (p *pair) confirms(v *value) bool {
	if p.source.valid == nil || p.target.valid == nil {
		return false
	}
	if p.opt.JoinObject && v.kind != kindObject {
		return false
	}
	cost := p.source.costs(v) + p.target.costs(v)
	if p.solver.steps += cost / perStep; cost > maxValidation {
		p.costly = true
		return false
	}
	worked, sure := p.source.valid.accepts(v)
	if !worked || !sure {
		return false
	}
	works, sure := p.target.valid.accepts(v)
	return !works && sure
}

func (p *pair) unconfirmed() string {
	for _, s := range []*side{p.old, p.new} {
		if s.inert != nil {
			return firstProblem(s.inert)
		}
	}
	if p.costly {
		return "an example that takes too long to validate"
	}
	return "an example that the validator does not confirm"
}

func (p *pair) result() Result {
	r := Result{Verdict: p.strict.verdict, Declared: p.declared.verdict}
	for _, e := range p.blame(p.walk().edits) {
		r.Edits = append(r.Edits, e.Edit)
	}
	if p.strict.witness != nil {
		r.Witness = p.strict.witness.appendJSON(nil)
		r.Rejected = p.target.valid.rejection(p.strict.witness)
	}
	if p.declared.witness != nil {
		r.DeclaredWitness = json.RawMessage(p.declared.witness.appendJSON(nil))
	}
	r.Reason = p.reason()
	return r
}

func (p *pair) reason() string {
	switch p.strict.verdict {
	case Equivalent:
		return "Both schemas accept the same values."
	case Compatible:
		return stillFine
	case Breaking:
		if p.declared.verdict == Compatible {
			return p.walker.either(strictInput, strictOutput)
		}
		if p.dir == Output {
			return "A result is possible now that was not allowed."
		}
		return "A call that was valid is rejected now."
	}
	return doubtful(p.strict.why)
}

// Validator checks instances against one schema, by the same rules as the
// comparison: formats and contents are not asserted, nothing is fetched.
type Validator struct{ compiled *validator }

// NewValidator prepares a schema for many instances. It fails when the bytes are
// no JSON or [Check] finds a problem.
func NewValidator(schema []byte, opt Options) (*Validator, error) {
	v, err := compileValidator(schema, opt)
	if err != nil {
		return nil, err
	}
	return &Validator{v}, nil
}

// Accepts reports whether instance is valid. It fails when instance is no JSON,
// and when a pattern decides that can't be checked, such as one with look-behind.
func (v *Validator) Accepts(instance []byte) (bool, error) {
	x, err := parseValue(instance)
	if err != nil {
		return false, fmt.Errorf("instance: %w", err)
	}
	ok, sure := v.compiled.accepts(x)
	if !sure {
		return false, errors.New("a pattern of the schema can't be checked")
	}
	return ok, nil
}

// Rejection says where and why instance is invalid, in the validator's words; ""
// when it is valid. It fails when instance is no JSON.
func (v *Validator) Rejection(instance []byte) (string, error) {
	x, err := parseValue(instance)
	if err != nil {
		return "", fmt.Errorf("instance: %w", err)
	}
	return v.compiled.rejection(x), nil
}

// Valid reports whether the validator accepts instance under schema. The error
// says that there is no answer: one of them is no JSON, or schema is invalid.
func Valid(schema, instance []byte, opt Options) (bool, error) {
	v, err := NewValidator(schema, opt)
	if err != nil {
		return false, err
	}
	return v.Accepts(instance)
}

// Check lists what makes the document invalid as a schema, in its own dialect;
// empty when nothing does. A pattern that only can't be checked here, such as one
// with look-behind, is no problem of the schema.
func Check(schema []byte, opt Options) []Problem {
	_, err := compileValidator(schema, opt)
	return problemsOf(err)
}

func doubtful(why string) string {
	return fmt.Sprintf("We can't prove that old calls still work (%s).", why)
}
