package review

import (
	"time"

	"github.com/countersign/countersign/review/gate"
)

// Observer is told what happens, so that it can be counted. It learns no names
// and no texts. Its methods return at once.
type Observer interface {
	Pushed(PushOutcome)
	Answered(gate.Result)            // of the gate, to who asked it
	Decided(kind VerdictKind, n int) // n answers that were stored
	Analysed(took time.Duration)     // one comparison of two listings
	Read(LiveState)                  // one reading of an endpoint
	Drifted(DriftLevel)              // a drift that people are told of
}

// PushOutcome is what became of a push: new, same, partial, or the kind of the
// error that it was refused with.
type PushOutcome string

// The outcomes of pushes that were not refused.
const (
	OutcomeNew     PushOutcome = "new"
	OutcomeSame    PushOutcome = "same"
	OutcomePartial PushOutcome = "partial"
)

func outcomeOf(p *Pushed, err error) PushOutcome {
	switch {
	case err != nil:
		return PushOutcome(KindOf(err))
	case p.Status == PushSame:
		return OutcomeSame
	case p.Status == PushPartial:
		return OutcomePartial
	}
	return OutcomeNew
}

// unobserved counts nothing.
type unobserved struct{}

func (unobserved) Pushed(PushOutcome)       {}
func (unobserved) Answered(gate.Result)     {}
func (unobserved) Decided(VerdictKind, int) {}
func (unobserved) Analysed(time.Duration)   {}
func (unobserved) Read(LiveState)           {}
func (unobserved) Drifted(DriftLevel)       {}
