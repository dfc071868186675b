package review

import (
	"bytes"
	"strings"
	"testing"
)

func TestVault(t *testing.T) {
	v, err := newVault([]byte("0123456789abcdef0123456789abcdef"), webhookVault)
	if err != nil {
		t.Fatal(err)
	}
	secret := []byte("a webhook secret of some length!")
	sealed := v.seal("server-a", secret)
	if bytes.Contains(sealed, secret[:8]) {
		t.Error("the secret stands in clear")
	}
	if bytes.Equal(sealed, v.seal("server-a", secret)) {
		t.Error("sealing twice gives the same bytes")
	}
	got, err := v.open("server-a", sealed)
	if err != nil || !bytes.Equal(got, secret) {
		t.Errorf("open: %q, %v", got, err)
	}
	other, err := newVault([]byte("another secret of thirty-two bytes"), webhookVault)
	if err != nil {
		t.Fatal(err)
	}
	tampered := bytes.Clone(sealed)
	tampered[len(tampered)-1] ^= 1
	for name, open := range map[string]func() ([]byte, error){
		"another server": func() ([]byte, error) { return v.open("server-b", sealed) },
		"another SECRET": func() ([]byte, error) { return other.open("server-a", sealed) },
		"tampered":       func() ([]byte, error) { return v.open("server-a", tampered) },
		"cut off":        func() ([]byte, error) { return v.open("server-a", sealed[:5]) },
		"empty":          func() ([]byte, error) { return v.open("server-a", nil) },
	} {
		if got, err := open(); err == nil {
			t.Errorf("%s opens to %q", name, got)
		}
	}
}

func TestBinding(t *testing.T) {
	const path = "/api/v1/servers/mot/listings?version=1"
	for id, want := range map[string]bool{
		Bind("msg", path):                   true,
		Bind("msg.with.dots", path):         true,
		"msg":                               true, // binds nothing
		"msg.1":                             true,
		"msg.0123456789ABCDEF":              false,
		"msg.0123456789abcdeg":              true, // no hex digits
		strings.ToUpper(Bind("msg", path)):  true,
		"msg.0123456789abcde":               true, // too few
		"msg.0123456789abcdef0":             true, // too many
		"msg.0123456789abcdef":              false,
		Bind("msg", path+"&complete=true"):  false,
		Bind(Bind("msg", path), path+"&a="): false,
	} {
		if got := checkBinding(Incoming{WebhookID: id, PathQuery: path}) == nil; got != want {
			t.Errorf("%s is fine: %t, want %t", id, got, want)
		}
	}
}
