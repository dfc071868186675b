package proof

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/countersign/countersign/review/surface"
)

// Act is one row of the audit. Its JSON form is what is hashed, in canonical form.
type Act struct {
	ID      string    `json:"id"`
	At      time.Time `json:"at"` // as exact as microseconds
	ActorID string    `json:"actor_id"`
	Actor   string    `json:"actor"`
	Via     string    `json:"via"`
	Addr    string    `json:"addr"`
	Act     string    `json:"act"`
	Server  string    `json:"server"` // id, "" for none
	Subject Text      `json:"subject"`
	Before  string    `json:"before"` // JSON, "" for none
	After   string    `json:"after"`
}

// Text is a string that may hold lone surrogates, written as escapes: names of
// tools do.
type Text string

// MarshalJSON writes the canonical literal.
func (t Text) MarshalJSON() ([]byte, error) { return surface.EncodeString(string(t)), nil }

// UnmarshalJSON reads a literal without replacing what is not Unicode.
func (t *Text) UnmarshalJSON(b []byte) error {
	s, ok := surface.DecodeString(jsontext.Value(b))
	if !ok {
		return fmt.Errorf("%.20q is no string", b)
	}
	*t = Text(s)
	return nil
}

// Digest is the SHA-256 of the canonical form of the act.
func (a Act) Digest() (surface.Hash, error) {
	a.At = a.At.UTC()
	b, err := json.Marshal(a)
	if err != nil {
		return surface.Hash{}, err
	}
	return surface.Digest(b)
}

// Link is one place of the chain.
type Link struct {
	Seq  int64        // from 1, without gaps
	Row  surface.Hash // digest of the act
	Hash surface.Hash // of the link, see [Head.Next]
}

// Head is where a chain ends: the hash of its last link.
type Head struct {
	Seq  int64
	Hash surface.Hash
}

// Genesis is the head of the empty chain of an instance, so that the chains of two
// instances have nothing in common.
func Genesis(instance string) Head {
	return Head{Hash: surface.HashOf(fmt.Appendf(nil, `{"audit":%s}`, surface.EncodeString(instance)))}
}

// Next is the link that an act with the digest row makes behind the head. Its hash
// is the SHA-256 of {"prev":…,"row":…,"seq":…} in canonical form.
func (h Head) Next(row surface.Hash) Link {
	seq := h.Seq + 1
	return Link{Seq: seq, Row: row, Hash: surface.HashOf(fmt.Appendf(nil, `{"prev":"%s","row":"%s","seq":%d}`, h.Hash, row, seq))}
}

// Head is the chain's end behind the link.
func (l Link) Head() Head { return Head{l.Seq, l.Hash} }

// CheckpointType is the payload type of a checkpoint.
const CheckpointType = "application/vnd.countersign.audit-checkpoint+json"

// Checkpoint vouches for a link of the chain, and so for all before it.
type Checkpoint struct {
	Instance string       `json:"instance"`
	Seq      int64        `json:"seq"`
	Hash     surface.Hash `json:"hash"`
	At       time.Time    `json:"at"`
}

// SignCheckpoint signs the end of a chain.
func SignCheckpoint(instance string, h Head, at time.Time, by *Signer) (Envelope, error) {
	return signJSON(CheckpointType, Checkpoint{Instance: instance, Seq: h.Seq, Hash: h.Hash, At: at}, by)
}

// ReadCheckpoint returns what an envelope says, whoever signed it.
func ReadCheckpoint(e Envelope) (Checkpoint, error) {
	var c Checkpoint
	payload, err := e.Unchecked(CheckpointType)
	if err != nil {
		return c, err
	}
	if err := json.Unmarshal(payload, &c); err != nil {
		return c, fmt.Errorf("the checkpoint can't be read: %w", err)
	}
	return c, nil
}
