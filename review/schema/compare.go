package schema

import (
	"fmt"
)

// DefaultSteps is the work that one comparison may take: tens of thousands of
// elementary constraints, some tens of milliseconds.
const DefaultSteps = 200_000

// Compare says what the change from old to new does to callers. It never fails:
// a side that can't be read or isn't a schema gives Undecided with the reason.
func Compare(old, new []byte, dir Direction, opt Options) Result {
	a, err := parseValue(old)
	if err != nil {
		return undecided(fmt.Sprintf("The old schema can't be read: %v.", err))
	}
	b, err := parseValue(new)
	if err != nil {
		return undecided(fmt.Sprintf("The new schema can't be read: %v.", err))
	}
	if a.key() == b.key() {
		return Result{Verdict: Equivalent, Declared: Equivalent, Reason: "Both schemas are the same."}
	}
	return undecided("The schemas differ in a way that is not proved either way.")
}

func undecided(reason string) Result {
	return Result{Verdict: Undecided, Declared: Undecided, Reason: reason}
}

// Valid reports whether the validator accepts instance under schema. The error
// says that there is no answer: one of them is no JSON, or schema is invalid.
func Valid(schema, instance []byte, opt Options) (bool, error) {
	v, err := parseValue(instance)
	if err != nil {
		return false, fmt.Errorf("instance: %w", err)
	}
	s, err := compileValidator(schema, opt)
	if err != nil {
		return false, err
	}
	return s.accepts(v), nil
}

// Check lists what makes the document invalid as a schema, in its own dialect;
// empty when nothing does.
func Check(schema []byte, opt Options) []Problem {
	_, err := compileValidator(schema, opt)
	return problemsOf(err)
}
