package mcp

import (
	"net/http"
	"testing"
)

// TestNoProxyOfTheEnvironment: a proxy would dial in our place, where no guard looks.
// Only the transport can tell, since loopback addresses are never sent to a proxy.
func TestNoProxyOfTheEnvironment(t *testing.T) {
	client := newHTTPClient(&recorder{}, nil, PublicOnly)
	if tee := client.Transport.(*teeTransport); tee.next.(*http.Transport).Proxy != nil {
		t.Error("the transport asks for a proxy")
	}
}
