package main

import (
	"bytes"
	"net"
	"strings"
	"testing"
)

// TestDemoOnABusyPort: who asked for an address that is taken is told how to ask for
// another.
func TestDemoOnABusyPort(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	var stdout, stderr bytes.Buffer
	code := run(t.Context(), []string{"demo", "--addr", ln.Addr().String(), "--data", t.TempDir()}, strings.NewReader(""), &stdout, &stderr)
	if code != exitFailed || !strings.Contains(stderr.String(), "another address: --addr") {
		t.Errorf("exit code %d, %s", code, &stderr)
	}
}
