package oidc

import (
	"net/http"
	"testing"
)

// TestProviderIsAskedDirectly: no proxy of the environment comes between.
func TestProviderIsAskedDirectly(t *testing.T) {
	p, err := New(Config{Issuer: "https://id.example.com", ClientID: "us", ClientSecret: "secret", RedirectURL: "https://we.example.com/back"})
	if err != nil {
		t.Fatal(err)
	}
	if p.client.Transport.(bounded).next.(*http.Transport).Proxy != nil {
		t.Error("the transport asks for a proxy")
	}
}
