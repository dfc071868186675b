package client

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Signature carries the three headers of a signed delivery.
type Signature struct {
	ID        string // webhook-id
	Timestamp string // webhook-timestamp, Unix seconds
	Value     string // webhook-signature
}

// Sign signs a delivery by the Standard Webhooks scheme. With a pathQuery (such as
// "/api/v1/servers/git/listings?version=1.9.0") the id is bound to it: the
// signature covers the body only, and so covers the query too.
func Sign(secret, id string, at time.Time, body []byte, pathQuery string) (Signature, error) {
	key, err := secretKey(secret)
	if err != nil {
		return Signature{}, err
	}
	if pathQuery != "" {
		id = BindID(id, pathQuery)
	}
	s := Signature{ID: id, Timestamp: strconv.FormatInt(at.Unix(), 10)}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(s.ID + "." + s.Timestamp + "."))
	mac.Write(body)
	s.Value = "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	return s, nil
}

// BindID ends a delivery's id in what its path and query hash to.
func BindID(id, pathQuery string) string {
	sum := sha256.Sum256([]byte(pathQuery))
	return id + "." + hex.EncodeToString(sum[:8])
}

// NewID makes an id for a delivery.
func NewID() string {
	b := make([]byte, 16)
	_, _ = rand.Read(b) // never fails
	return "msg_" + hex.EncodeToString(b)
}

func secretKey(secret string) ([]byte, error) {
	text, ok := strings.CutPrefix(secret, "whsec_")
	if !ok {
		return nil, usage("a webhook secret begins with whsec_")
	}
	key, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(key) == 0 {
		return nil, &Error{Kind: Usage, Sentence: "the webhook secret is damaged: after whsec_ comes padded base64", Err: fmt.Errorf("decode: %w", err)}
	}
	return key, nil
}
