package main

import (
	"bytes"
	"context"
	"strings"
	"testing"
)

// TestServeToldToEndWhileItBegins: whoever stops the service right after it was started
// has not made it fail; what is wrong with the configuration still does.
func TestServeToldToEndWhileItBegins(t *testing.T) {
	t.Setenv("COUNTERSIGN_DATA_DIR", t.TempDir())
	t.Setenv("COUNTERSIGN_SECRET", strings.Repeat("a secret of this test ", 2))
	ctx, stop := context.WithCancel(t.Context())
	stop()
	var out bytes.Buffer
	if code := run(ctx, []string{"serve", "--addr", "127.0.0.1:0"}, strings.NewReader(""), &out, &out); code != 0 || !strings.Contains(out.String(), "told to end") {
		t.Errorf("it ended with %d:\n%s", code, &out)
	}
	t.Setenv("COUNTERSIGN_SECRET", "short")
	if code := run(t.Context(), []string{"serve", "--addr", "127.0.0.1:0"}, strings.NewReader(""), &out, &out); code == 0 {
		t.Error("a SECRET that is too short is no failure")
	}
}
