// Package lock makes and checks lock files: what exactly of a server's surface was
// released, by digests, and on whose word.
//
// A lock file is an in-toto Statement v1. Its subject is the listing, by the digest
// of docs/digest.md; its predicate is a [Lock]. As an instance gives it out it is
// wrapped in a signed DSSE envelope; as the command line makes it offline it is the
// bare statement, which proves nothing about who approved what. See docs/lock.md.
package lock

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/proof"
	"github.com/countersign/countersign/review/surface"
)

// The names that a statement is known by.
const (
	PayloadType   = "application/vnd.in-toto+json"
	StatementType = "https://in-toto.io/Statement/v1"
	PredicateType = "https://github.com/countersign/countersign/lock/v1"
)

// Lock says what was released, and on whose word.
type Lock struct {
	Instance      *proof.Instance `json:"instance,omitempty"` // who says so; absent when made offline
	Server        string          `json:"server,omitempty"`
	Profile       string          `json:"profile,omitempty"`
	Version       string          `json:"version,omitempty"`
	Digest        surface.Hash    `json:"digest"`       // of the listing
	Instructions  *surface.Hash   `json:"instructions"` // null when the listing says nothing of them
	Tools         []Tool          `json:"tools"`        // in order
	PolicyVersion int             `json:"policy_version,omitempty"`
	ReleasedAt    *time.Time      `json:"released_at,omitempty"`
	ReleasedBy    string          `json:"released_by,omitempty"`
	Commit        string          `json:"commit,omitempty"`
	Independent   bool            `json:"independent"` // nobody's answer on their own push was needed
	Approvals     []Approval      `json:"approvals"`
	Overrides     []Override      `json:"overrides"` // what was let pass without approval
	IssuedAt      *time.Time      `json:"issued_at,omitempty"`
}

// Tool is a tool of the listing.
type Tool struct {
	Position int          `json:"position"` // from 1
	Name     Text         `json:"name"`
	Digest   surface.Hash `json:"digest"`
}

// Approval is one answer that counted: of a person, a rule, a baseline or an earlier
// release.
type Approval struct {
	Subject     Text         `json:"subject"` // name of the tool, or "instructions", "order"
	Digest      surface.Hash `json:"digest"`
	Kind        string       `json:"kind,omitempty"` // "removed": the digest was let go, and is none of the lock's tools
	By          string       `json:"by"`
	At          time.Time    `json:"at"`
	Note        string       `json:"note,omitempty"`
	Independent bool         `json:"independent"`        // false: on the giver's own push
	Evidence    []gate.Trial `json:"evidence,omitempty"` // what the giver tried
}

// Override is what somebody let pass without approval.
type Override struct {
	By           string    `json:"by"`
	Reason       string    `json:"reason"`
	At           time.Time `json:"at"`
	Until        time.Time `json:"until"`
	Requirements []string  `json:"requirements"`
}

// Text is a name that may hold lone surrogates, which it writes as escapes.
type Text = proof.Text

// Of locks a listing, without any word of who approved it. Only a complete listing
// can be locked: a part says nothing of what is not in it.
func Of(l *surface.Listing) (*Lock, error) {
	switch {
	case l.Kind != surface.KindListing:
		return nil, fmt.Errorf("this is a %s: only a listing, as a server answers tools/list, can be locked", l.Kind)
	case !l.Complete:
		return nil, errors.New("this is a part of a listing: lock the whole one")
	}
	k := &Lock{Digest: l.Digest, Tools: []Tool{}, Approvals: []Approval{}, Overrides: []Override{}}
	if l.Instructions.Asked {
		h := l.Instructions.Digest()
		k.Instructions = &h
	}
	for i, t := range l.Tools {
		k.Tools = append(k.Tools, Tool{i + 1, Text(t.Name), t.Digest})
	}
	return k, nil
}

// statement is an in-toto Statement v1.
type statement struct {
	Type          string    `json:"_type"`
	Subject       []subject `json:"subject"`
	PredicateType string    `json:"predicateType"`
	Predicate     *Lock     `json:"predicate"`
}

type subject struct {
	Name   string            `json:"name"`
	Digest map[string]string `json:"digest"`
}

// Statement is the lock as a bare statement, in JSON.
func (k *Lock) Statement() ([]byte, error) {
	name := "listing"
	if k.Server != "" {
		name = k.Server + "@" + k.Version
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(statement{
		Type: StatementType, PredicateType: PredicateType, Predicate: k,
		Subject: []subject{{name, map[string]string{"sha256": hex.EncodeToString(k.Digest[:])}}},
	})
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// Sign wraps the statement in an envelope.
func (k *Lock) Sign(by *proof.Signer) (proof.Envelope, error) {
	b, err := k.Statement()
	if err != nil {
		return proof.Envelope{}, err
	}
	return proof.Sign(PayloadType, b, by)
}

// File is a lock file as read.
type File struct {
	Lock     Lock
	Envelope *proof.Envelope // nil of a bare statement
}

// Parse reads a lock file, signed or bare. Nothing of it is believed yet: see
// [File.Check].
func Parse(text []byte) (*File, error) {
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	var f File
	payload := text
	if e, err := proof.ParseEnvelope(text); err == nil {
		f.Envelope = &e
		if payload, err = e.Unchecked(PayloadType); err != nil {
			return nil, err
		}
	}
	s := statement{Predicate: &f.Lock}
	if err := json.Unmarshal(payload, &s); err != nil {
		return nil, fmt.Errorf("no lock file: %w", err)
	}
	switch {
	case s.Type != StatementType || s.PredicateType != PredicateType:
		return nil, fmt.Errorf("no lock file: a statement of type %.60q with a predicate of type %.80q", s.Type, s.PredicateType)
	case s.Predicate == nil || f.Lock.Digest.IsZero():
		return nil, errors.New("no lock file: the digest of the listing is missing")
	case len(s.Subject) != 1 || s.Subject[0].Digest["sha256"] != strings.TrimPrefix(f.Lock.Digest.String(), "sha256:"):
		return nil, errors.New("the lock file contradicts itself: its subject is another listing than its predicate")
	case f.Lock.recomputed() != f.Lock.Digest:
		return nil, errors.New("the lock file contradicts itself: its tools do not make up the digest of its listing")
	}
	return &f, nil
}

// recomputed is the digest that tools and instructions make up; of instructions only
// the digest is known, so a listing that has some is taken at its word.
func (k *Lock) recomputed() surface.Hash {
	tools := make([]surface.Hash, len(k.Tools))
	for i, t := range k.Tools {
		tools[i] = t.Digest
	}
	none := surface.Instructions{Asked: true}
	switch {
	case k.Instructions == nil:
		return surface.ListingDigest(surface.Instructions{}, tools)
	case *k.Instructions == none.Digest():
		return surface.ListingDigest(none, tools)
	}
	return k.Digest
}

// Signature is what is known of who signed a lock file.
type Signature string

// The states of a signature.
const (
	Bare      Signature = "none"      // nobody signed
	Unchecked Signature = "unchecked" // no key was given to check it by
	Valid     Signature = "valid"     // signed by a key that is trusted
	Foreign   Signature = "foreign"   // signed by none of the keys that are trusted
)

// Check says whether one of the trusted keys signed the file, while it was in use.
// Without keys nothing is known.
func (f *File) Check(trusted ...proof.Trusted) Signature {
	switch {
	case f.Envelope == nil && len(trusted) > 0:
		return Foreign // whoever pins a key wants a signature
	case f.Envelope == nil:
		return Bare
	case len(trusted) == 0:
		return Unchecked
	}
	for _, t := range trusted {
		_, _, err := f.Envelope.Open(PayloadType, t.Key)
		if err == nil && (f.Lock.IssuedAt == nil || t.Signs(*f.Lock.IssuedAt)) {
			return Valid
		}
	}
	return Foreign
}
