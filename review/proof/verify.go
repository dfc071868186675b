package proof

import (
	"fmt"
	"slices"
	"time"
)

// Fault is the first thing that does not fit.
type Fault struct {
	Seq  int64  `json:"seq"`
	Act  string `json:"act,omitempty"` // id of the row, "" when it is not known
	What string `json:"what"`
}

// Verification is what is known of a chain.
type Verification struct {
	Instance    string `json:"instance"`
	First       int64  `json:"first"`       // place of the first link that was read
	Links       int64  `json:"links"`       // links that fit
	LeftOut     int64  `json:"left_out"`    // of those, links whose act is not in the export
	Checkpoints int    `json:"checkpoints"` // signed by a trusted key, and fitting
	Unchecked   int    `json:"unchecked"`   // fitting, but no key to check their signature was given
	Covered     int64  `json:"covered"`     // the last place that a checked checkpoint vouches for
	Fault       *Fault `json:"fault,omitempty"`
}

// Verifier follows a chain link by link. Give every link and every checkpoint in
// order of their places (a checkpoint behind its link), then call End.
type Verifier struct {
	trusted []Trusted
	head    Head
	v       Verification
}

// clockSkew is how far the clocks of two instances may differ when one retires the
// key that the other signs with.
const clockSkew = 5 * time.Minute

// NewVerifier starts at the beginning of an instance's chain. Without trusted keys
// signatures stay unchecked.
func NewVerifier(instance string, trusted []Trusted) *Verifier {
	return &Verifier{trusted: trusted, head: Genesis(instance), v: Verification{Instance: instance, First: 1}}
}

// From lets the chain begin behind a place of which nothing but its hash is known.
func (v *Verifier) From(h Head) {
	v.head, v.v.First = h, h.Seq+1
}

// Link checks the next link; act is nil when it was left out. It is false once
// something does not fit: then the rest proves nothing.
func (v *Verifier) Link(l Link, act *Act) bool {
	switch {
	case v.v.Fault != nil:
		return false
	case l.Seq != v.head.Seq+1:
		return v.fault(v.head.Seq+1, "", fmt.Sprintf("After place %d comes place %d: rows were removed, put in or moved.", v.head.Seq, l.Seq))
	}
	id := ""
	if act != nil {
		id = act.ID
		if row, err := act.Digest(); err != nil || row != l.Row {
			return v.fault(l.Seq, id, "The row is not what was sealed: it was changed, or another row was put in its place.")
		}
	} else {
		v.v.LeftOut++
	}
	if next := v.head.Next(l.Row); next != l {
		return v.fault(l.Seq, id, "The link does not fit the one before it: rows were changed, put in or moved.")
	}
	v.head = l.Head()
	v.v.Links++
	return true
}

// Gone says that the row of a link, which should be there, is not.
func (v *Verifier) Gone(l Link, id string) {
	if v.v.Fault == nil {
		v.fault(l.Seq, id, "The row was removed from the audit.")
	}
}

// Extra says that the audit holds a row that is not in the chain.
func (v *Verifier) Extra(id string) {
	if v.v.Fault == nil {
		v.fault(0, id, "The audit holds a row that is not in the chain and does not wait for it: it was put in.")
	}
}

// Checkpoint checks a checkpoint against the end of what was read.
func (v *Verifier) Checkpoint(e Envelope) bool {
	if v.v.Fault != nil {
		return false
	}
	c, err := ReadCheckpoint(e)
	switch {
	case err != nil:
		return v.fault(v.head.Seq, "", "A checkpoint can't be read: "+err.Error())
	case c.Instance != v.v.Instance:
		return v.fault(c.Seq, "", "A checkpoint is of another instance.")
	case c.Seq > v.head.Seq:
		return v.fault(v.head.Seq+1, "", fmt.Sprintf("A checkpoint vouches for %d rows, but the chain ends after %d: rows were cut off.", c.Seq, v.head.Seq))
	case c.Seq < v.head.Seq || c.Hash != v.head.Hash:
		return v.fault(c.Seq, "", "A checkpoint vouches for another chain than this: rows before it were changed.")
	}
	return v.signature(e, c)
}

func (v *Verifier) signature(e Envelope, c Checkpoint) bool {
	if len(v.trusted) == 0 {
		v.v.Unchecked++
		return true
	}
	keys := make([]Key, len(v.trusted))
	for i, t := range v.trusted {
		keys[i] = t.Key
	}
	_, by, err := e.Open(CheckpointType, keys...)
	if err != nil {
		return v.fault(c.Seq, "", "A checkpoint is not signed by a key that is trusted here.")
	}
	if !slices.ContainsFunc(v.trusted, func(t Trusted) bool { return slices.Contains(by, t.ID) && t.Signs(c.At) }) {
		return v.fault(c.Seq, "", "A checkpoint is signed by a key that had been replaced by then.")
	}
	v.v.Checkpoints++
	v.v.Covered = c.Seq
	return true
}

// Signs reports whether the key's signatures count at a time.
func (t Trusted) Signs(at time.Time) bool {
	return t.Until.IsZero() || !at.After(t.Until.Add(clockSkew))
}

func (v *Verifier) fault(seq int64, act, what string) bool {
	v.v.Fault = &Fault{Seq: seq, Act: act, What: what}
	return false
}

// End returns what was found.
func (v *Verifier) End() Verification { return v.v }
