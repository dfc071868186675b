package prose

// SentenceClass says what a sentence of a description promises to its reader.
// The classes are found by rules, so the same sentence always has the same ones.
type SentenceClass string

// The sentence classes.
const (
	Instruction SentenceClass = "instruction" // tells the model what to do or not to do
	Default     SentenceClass = "default"     // says what happens when nothing is given
	Failure     SentenceClass = "failure"     // says how the tool fails, refuses or reports
	Safety      SentenceClass = "safety"      // says what can be lost, undone, or is guarded
	Format      SentenceClass = "format"      // fixes a form, a unit, a limit
	Example     SentenceClass = "example"     // shows a value or a call
)

// Classify returns the classes of one sentence in the order above; none for plain
// description.
func Classify(sentence string) []SentenceClass { return nil }

// Delta is a contract sentence that a change gained, lost or altered.
type Delta struct {
	Class SentenceClass
	Old   string // the sentence lost, whole; empty when gained
	New   string // the sentence gained, whole; empty when lost
}

// Message says the delta in one plain sentence that quotes the text, such as
// `No longer says: "Refused unless force is true."`. The quotation is as
// received: show it through [Show].
func (d Delta) Message() string { return "" }

// ContractDelta lists what the contract gained and lost from old to new. Rewording
// that keeps a sentence's class and its content words is no delta, nor is a
// sentence that moved. A text change is of class behaviour when the list is not
// empty, else of class text.
func ContractDelta(old, new string) []Delta { return nil }
