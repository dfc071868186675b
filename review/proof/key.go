package proof

import (
	"crypto/ed25519"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"

	"github.com/countersign/countersign/review/surface"
)

// Algorithm is the name of the one kind of key that is used.
const Algorithm = "Ed25519"

const (
	publicBlock  = "PUBLIC KEY"
	privateBlock = "PRIVATE KEY"
)

// Key is the public half of a signing key.
type Key struct {
	ID     string // "sha256:…", of the key as SubjectPublicKeyInfo in DER
	Public ed25519.PublicKey
}

func newKey(public ed25519.PublicKey) Key {
	return Key{ID: surface.HashOf(spki(public)).String(), Public: public}
}

func spki(public ed25519.PublicKey) []byte {
	der, err := x509.MarshalPKIXPublicKey(public)
	if err != nil {
		panic(err) // only for kinds of keys that x509 doesn't know
	}
	return der
}

// PEM is the key as text, as openssl writes it.
func (k Key) PEM() string {
	return string(pem.EncodeToMemory(&pem.Block{Type: publicBlock, Bytes: spki(k.Public)}))
}

// ParseKey reads a public key in PEM.
func ParseKey(text []byte) (Key, error) {
	block, err := onlyBlock(text, publicBlock)
	if err != nil {
		return Key{}, err
	}
	parsed, err := x509.ParsePKIXPublicKey(block)
	if err != nil {
		return Key{}, fmt.Errorf("the public key can't be read: %w", err)
	}
	public, ok := parsed.(ed25519.PublicKey)
	if !ok {
		return Key{}, fmt.Errorf("the public key is of another kind: want %s", Algorithm)
	}
	return newKey(public), nil
}

// onlyBlock takes the bytes out of a PEM text of one block.
func onlyBlock(text []byte, kind string) ([]byte, error) {
	block, rest := pem.Decode(text)
	switch {
	case block == nil:
		return nil, fmt.Errorf("no PEM text: want one that begins with -----BEGIN %s-----", kind)
	case block.Type != kind:
		// The type of an unexpected block is said, its bytes never: it may be a private key.
		return nil, fmt.Errorf("a PEM text of %.40q: want -----BEGIN %s-----", block.Type, kind)
	}
	if more, _ := pem.Decode(rest); more != nil {
		return nil, errors.New("the PEM text holds more than one key: give one")
	}
	return block.Bytes, nil
}

// Signer is a whole key.
type Signer struct {
	key     Key
	private ed25519.PrivateKey
}

// SeedSize is how many random bytes make a key.
const SeedSize = ed25519.SeedSize

// NewSigner makes a key of [SeedSize] random bytes.
func NewSigner(seed []byte) *Signer {
	private := ed25519.NewKeyFromSeed(seed)
	return &Signer{key: newKey(private.Public().(ed25519.PublicKey)), private: private}
}

// ParseSigner reads a private key as PKCS#8 in PEM. Its errors hold nothing of it.
func ParseSigner(text []byte) (*Signer, error) {
	block, err := onlyBlock(text, privateBlock)
	if err != nil {
		return nil, err
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block)
	if err != nil {
		return nil, errors.New("the private key can't be read: want PKCS#8 in PEM, such as openssl genpkey -algorithm ed25519 makes")
	}
	private, ok := parsed.(ed25519.PrivateKey)
	if !ok {
		return nil, fmt.Errorf("the private key is of another kind: want %s (openssl genpkey -algorithm ed25519)", Algorithm)
	}
	return NewSigner(private.Seed()), nil
}

// Key is the public half.
func (s *Signer) Key() Key { return s.key }

// PEM is the private key as PKCS#8 text: a secret.
func (s *Signer) PEM() []byte {
	der, err := x509.MarshalPKCS8PrivateKey(s.private)
	if err != nil {
		panic(err) // only for kinds of keys that x509 doesn't know
	}
	return pem.EncodeToMemory(&pem.Block{Type: privateBlock, Bytes: der})
}
