package review

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	webhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

const (
	webhookPrefix = "whsec_"
	// webhookWindow is how far the sender's clock may be off, either way.
	webhookWindow = 300 * time.Second
	maxWebhookID  = 256
)

// vault seals secrets that must be there in clear when they are used, so that they
// can't be hashed, under a key derived from SECRET for one purpose.
type vault struct{ aead cipher.AEAD }

const webhookVault = "countersign: webhook secrets, version 1"

func newVault(secret []byte, purpose string) (vault, error) {
	key, err := hkdf.Key(sha256.New, secret, nil, purpose, 32)
	if err != nil {
		return vault{}, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return vault{}, err
	}
	aead, err := cipher.NewGCM(block)
	return vault{aead}, err
}

// seal binds the secret to its owner (the id of a server or user), so that a row
// can't be moved to another.
func (v vault) seal(owner string, secret []byte) []byte {
	nonce := randomBytes(v.aead.NonceSize())
	return v.aead.Seal(nonce, nonce, secret, []byte(owner))
}

func (v vault) open(owner string, sealed []byte) ([]byte, error) {
	n := v.aead.NonceSize()
	if len(sealed) < n {
		return nil, fmt.Errorf("secret of %s: too short", owner)
	}
	secret, err := v.aead.Open(nil, sealed[:n], sealed[n:], []byte(owner))
	if err != nil {
		return nil, fmt.Errorf("secret of %s: sealed under another SECRET: %w", owner, err)
	}
	return secret, nil
}

// addSecret makes the server's current webhook secret.
func (s *Service) addSecret(ctx context.Context, tx Tx, serverID string) (string, error) {
	v, err := newVault(s.cfg.Secret, webhookVault)
	if err != nil {
		return "", err
	}
	secret := randomBytes(secretBytes)
	row := &ServerSecret{ID: newID(), ServerID: serverID, Sealed: v.seal(serverID, secret), CreatedAt: s.now()}
	return webhookPrefix + base64.StdEncoding.EncodeToString(secret), tx.InsertSecret(ctx, row)
}

// errBadSignature answers for an unknown server and for a wrong signature alike.
var errBadSignature = Errorf(Unauthenticated, "The signature does not match. Check the server's name and its webhook secret, and sign the body as sent.")

// verifySignature checks a signed push and returns its server. It does the same
// work for a server that does not exist.
func (s *Service) verifySignature(ctx context.Context, in Incoming) (*Server, error) {
	if err := s.checkSigned(in); err != nil {
		return nil, err
	}
	v, err := newVault(s.cfg.Secret, webhookVault)
	if err != nil {
		return nil, err
	}
	var srv *Server
	var secrets []ServerSecret
	err = s.store.View(ctx, func(tx Tx) error {
		if srv, err = tx.ServerBySlug(ctx, in.Slug); err != nil {
			return err
		}
		secrets, err = tx.Secrets(ctx, srv.ID, s.now())
		return err
	})
	if KindOf(err) == NotFound {
		signedBy(in, []byte("no such server"))
		return nil, errBadSignature
	}
	if err != nil {
		return nil, err
	}
	for _, row := range secrets {
		secret, err := v.open(srv.ID, row.Sealed)
		if err != nil {
			return nil, err
		}
		if signedBy(in, secret) {
			if err := checkBinding(in); err != nil {
				return srv, err
			}
			return srv, checkBound(srv, in)
		}
	}
	return srv, errBadSignature
}

// checkSigned checks what needs no secret: that the headers are there and the
// timestamp is now.
func (s *Service) checkSigned(in Incoming) error {
	if in.WebhookID == "" || in.Timestamp == "" || in.Signature == "" {
		return Errorf(Unauthenticated, "Sign the push (headers webhook-id, webhook-timestamp, webhook-signature), or send a token with the scope push.")
	}
	if len(in.WebhookID) > maxWebhookID {
		return Errorf(Unauthenticated, "The webhook-id is longer than %d bytes.", maxWebhookID)
	}
	n, err := strconv.ParseInt(in.Timestamp, 10, 64)
	if err != nil {
		return Errorf(Unauthenticated, "The webhook-timestamp must be seconds since 1970.")
	}
	if off := s.now().Sub(time.Unix(n, 0)).Abs(); off > webhookWindow {
		return Errorf(Unauthenticated, "The webhook-timestamp is off by more than 300 seconds. Set the sender's clock, and sign each attempt anew.")
	}
	return nil
}

// signedBy reports whether one of the signatures is of the bytes on the wire under
// the secret. The library would read the system's clock for the timestamp, so that
// is checked apart.
func signedBy(in Incoming, secret []byte) bool {
	wh, err := webhooks.NewWebhookRaw(secret)
	if err != nil {
		return false
	}
	h := http.Header{}
	h.Set(webhooks.HeaderWebhookID, in.WebhookID)
	h.Set(webhooks.HeaderWebhookTimestamp, in.Timestamp)
	h.Set(webhooks.HeaderWebhookSignature, in.Signature)
	return wh.VerifyIgnoringTimestamp(in.Wire, h) == nil
}

// BindingLength is how many hex digits of a hash bind a delivery id to its path
// and query.
const BindingLength = 16

// Bind ends a delivery id so that it holds for this path and query only.
func Bind(webhookID, pathQuery string) string { return webhookID + "." + binding(pathQuery) }

func binding(pathQuery string) string {
	h := sha256.Sum256([]byte(pathQuery))
	return hex.EncodeToString(h[:])[:BindingLength]
}

// checkBinding checks the ending of a delivery id that has one. The signature does
// not cover the query, so that only the ending tells that nobody changed it.
func checkBinding(in Incoming) error {
	i := strings.LastIndexByte(in.WebhookID, '.')
	if i < 0 || len(in.WebhookID)-i-1 != BindingLength {
		return nil
	}
	end := strings.ToLower(in.WebhookID[i+1:]) // hex digits are the same in either case
	if strings.Trim(end, "0123456789abcdef") != "" || end == binding(in.PathQuery) {
		return nil
	}
	return Errorf(Unauthenticated, "The delivery id is bound to another path and query than it was sent to.")
}
