// Package schema proves what a change of a JSON Schema does to callers.
//
// # The question
//
// An input schema describes the calls that a tool accepts. A new input schema
// is compatible when every instance that is valid under the old one is valid
// under the new one. For an output schema it is the other way round: whoever
// reads results must be able to read every new result as an old one. Either way
// the question is whether one schema (the source) is contained in another (the
// target).
//
// # The answer
//
// [Compare] gives one of four verdicts. Equivalent and compatible are proved;
// breaking comes with a witness, an instance that a third-party validator
// accepts on one side and rejects on the other; undecided names the limit or
// the construct that stopped the engine. A guess is never presented as a proof.
//
// # Two readings
//
// JSON Schema objects are open unless they say otherwise, so adding an optional
// property strictly breaks a caller who already sent something else under that
// name. Real callers rarely do. The strict reading counts them; the declared
// reading counts only callers that send properties which the source schema
// names. An object that names none, or says additionalProperties: true or a
// schema, stays open in both readings.
//
// # How
//
// Both documents become one hash-consed graph of schema nodes. Containment is
// decided by looking for an instance of "source and not target": the conjunction
// is split by type and by the alternatives of the schemas until nothing but
// elementary constraints is left, and those are solved exactly (intervals and
// multiples of exact numbers, regular languages, positions of an array, names of
// an object). Either such an instance is found, or the search closes and is the
// proof that there is none. Recursion is handled by assuming that a conjunction
// which is being searched has no instance: instances are finite, so the smallest
// one never contains a smaller one of its own conjunction.
//
// All bounds are counted in steps. The package touches no disk, network, clock or
// environment; external references are never fetched.
package schema

import (
	"encoding/json"
)

// Direction says who sends the values that a schema describes.
type Direction string

// The directions.
const (
	Input  Direction = "input"  // the caller sends: old must be contained in new
	Output Direction = "output" // the tool sends: new must be contained in old
)

// Verdict is what a change does to callers.
type Verdict string

// The verdicts.
const (
	Equivalent Verdict = "equivalent" // both schemas accept the same instances
	Compatible Verdict = "compatible" // nothing that worked fails
	Breaking   Verdict = "breaking"   // a witness shows what fails, or Effect says what is ignored
	Undecided  Verdict = "undecided"  // neither proved nor refuted
)

// Options steer [Compare]. The zero value compares the schemas as they are.
type Options struct {
	// JoinObject conjoins type: object to both sides first. Arguments of a tool
	// are always an object, so {} -> {"type":"object"} changes nothing for callers.
	JoinObject bool

	// Draft is the dialect of a document that has no $schema: "4", "6", "7",
	// "2019-09" or "2020-12". Empty means 2020-12, as the protocol says.
	Draft string

	// Steps bounds the work of one question; 0 means [DefaultSteps]. The declared
	// reading may take as many again.
	Steps int
}

// Result is the answer of [Compare].
type Result struct {
	Verdict  Verdict // strict reading
	Declared Verdict // for callers that send only what the source schema names

	// Reason says in one sentence why; for undecided what stopped the engine.
	Reason string

	// Witness breaks callers in the declared reading when there is such an
	// instance, else in the strict one; nil unless Verdict is breaking.
	Witness json.RawMessage

	// DeclaredWitness is nil unless Declared is breaking.
	DeclaredWitness json.RawMessage

	// Rejected is where in the schema the witness fails and why, in the words of
	// the validator; empty when there is no witness.
	Rejected string

	// Edits are the differences between the documents, each judged by itself: about
	// in the order of the old document, what is new behind. Empty only when the
	// documents say the same in the same words.
	Edits []Edit
}

// Edit is one difference between two schemas at one place.
type Edit struct {
	ID        string // noun.verb, see docs/schema.md
	Direction Direction
	Pointer   string          // RFC 6901 from the root of the schema: in the new document, or in the old one for what is gone
	Property  string          // path of the property it belongs to as in [Property.Path]; "" at the root
	Old, New  json.RawMessage // as received; nil when absent

	// Verdict and VerdictDeclared are the two readings. Breaking comes with a
	// Witness, or with an Effect where nothing is rejected.
	Verdict, VerdictDeclared Verdict

	// Annotation is set for edits that no validator looks at: texts, defaults,
	// examples, formats. Their Verdict is always equivalent.
	Annotation bool

	// Defaulted is set when a property became required together with a default,
	// as generators write it: validators reject calls without it all the same.
	Defaulted bool

	Sentence string          // one plain sentence for a person
	Witness  json.RawMessage // accepted before and rejected now (mirrored for output); nil otherwise
	Effect   *string         // what happens instead of a rejection: "accepted but ignored"
	Note     *string         // what else is worth knowing: strict reading, default, why undecided
}

// Problem is something that makes a document unusable as a schema.
type Problem struct {
	Pointer string // RFC 6901 from the root of the schema
	Message string // what is wrong
}

// Property is one row of a schema's property table.
type Property struct {
	Path        string          // "repo", "filter.labels[]", "point[0]"; map values are "meta.*"
	Pointer     string          // RFC 6901 of the subschema, before its $ref is followed
	Name        string          // last part of Path
	Depth       int             // 0 for top-level properties
	Type        string          // "string", "integer or null", "array of string", "one of 3 forms"
	Required    bool            // by the object that holds it
	Enum        []string        // allowed values as JSON; nil when not limited
	Default     json.RawMessage // nil when there is none
	Description string          // "" when there is none
	Constraints []string        // "at least 1", "matches ^[a-z]+$", in a fixed order
	Deprecated  bool
	Recursive   bool // the $ref leads back to a schema that is being listed; not followed
}

// Row pairs a property of the old schema with that of the new one.
type Row struct {
	Path     string
	Old, New *Property // one of them is nil for an added or removed property
	Changed  []string  // fields that differ: "type", "required", "enum", "default", "description", "constraints", "deprecated"
}
