package proof

import (
	"context"
	"crypto"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/secure-systems-lab/go-securesystemslib/dsse"
)

// Envelope is a signed payload: a DSSE envelope, whose JSON form this is.
type Envelope struct{ dsse.Envelope }

// ErrUntrusted says that none of the keys that are trusted signed an envelope. It
// may be fine, and somebody else's.
var ErrUntrusted = errors.New("not signed by a key that is trusted here")

// Sign wraps a payload. Several signers sign the same bytes.
func Sign(payloadType string, payload []byte, by ...*Signer) (Envelope, error) {
	signers := make([]dsse.Signer, len(by))
	for i, s := range by {
		signers[i] = dsseSigner{s}
	}
	es, err := dsse.NewEnvelopeSigner(signers...)
	if err != nil {
		return Envelope{}, err
	}
	e, err := es.SignPayload(context.Background(), payloadType, payload)
	if err != nil {
		return Envelope{}, err
	}
	return Envelope{*e}, nil
}

// signJSON is Sign of a value as JSON.
func signJSON(payloadType string, payload any, by ...*Signer) (Envelope, error) {
	b, err := json.Marshal(payload)
	if err != nil {
		return Envelope{}, err
	}
	return Sign(payloadType, b, by...)
}

// ParseEnvelope reads the JSON form. Nothing of it is believed yet.
func ParseEnvelope(text []byte) (Envelope, error) {
	var e Envelope
	if err := json.Unmarshal(text, &e); err != nil {
		return e, fmt.Errorf("no DSSE envelope: %w", err)
	}
	if e.PayloadType == "" || len(e.Signatures) == 0 {
		return e, errors.New("no DSSE envelope: want payload, payloadType and signatures")
	}
	return e, nil
}

// Open returns the payload when one of the keys signed it as payloadType, with the
// ids of all of keys that did. Otherwise the error is [ErrUntrusted], or says what
// is wrong with the envelope.
func (e Envelope) Open(payloadType string, keys ...Key) (payload []byte, by []string, err error) {
	payload, err = e.Unchecked(payloadType)
	if err != nil {
		return nil, nil, err
	}
	by, err = e.signedBy(keys)
	if err != nil {
		return nil, nil, err
	}
	return payload, by, nil
}

// Unchecked returns the payload whoever signed it: to look at, not to believe.
func (e Envelope) Unchecked(payloadType string) ([]byte, error) {
	if e.PayloadType != payloadType {
		return nil, fmt.Errorf("the envelope holds %.80q: want %s", e.PayloadType, payloadType)
	}
	payload, err := e.DecodeB64Payload()
	if err != nil {
		return nil, fmt.Errorf("the payload of the envelope is no base64: %w", err)
	}
	return payload, nil
}

// Claims reports whether a signature says that it is of the key.
func (e Envelope) Claims(keyID string) bool {
	return slices.ContainsFunc(e.Signatures, func(s dsse.Signature) bool { return s.KeyID == keyID })
}

func (e Envelope) signedBy(keys []Key) ([]string, error) {
	var verifiers []dsse.Verifier
	seen := map[string]bool{}
	for _, k := range keys {
		if !seen[k.ID] {
			verifiers = append(verifiers, dsseKey{k})
		}
		seen[k.ID] = true
	}
	if len(verifiers) == 0 {
		return nil, ErrUntrusted
	}
	ev, err := dsse.NewEnvelopeVerifier(verifiers...)
	if err != nil {
		return nil, err
	}
	accepted, err := ev.Verify(context.Background(), &e.Envelope)
	if err != nil {
		return nil, ErrUntrusted
	}
	by := make([]string, len(accepted))
	for i, a := range accepted {
		by[i] = a.KeyID
	}
	return by, nil
}

type dsseSigner struct{ *Signer }

func (s dsseSigner) Sign(_ context.Context, data []byte) ([]byte, error) {
	return ed25519.Sign(s.private, data), nil
}

func (s dsseSigner) KeyID() (string, error) { return s.key.ID, nil }

type dsseKey struct{ Key }

func (k dsseKey) Verify(_ context.Context, data, sig []byte) error {
	if !ed25519.Verify(k.Key.Public, data, sig) {
		return ErrUntrusted
	}
	return nil
}

func (k dsseKey) KeyID() (string, error) { return k.ID, nil }

func (k dsseKey) Public() crypto.PublicKey { return k.Key.Public }
