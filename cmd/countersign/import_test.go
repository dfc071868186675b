package main

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// lineWriter counts the lines written to it, and calls after when there are enough.
type lineWriter struct {
	bytes.Buffer
	enough int
	after  func()
}

func (w *lineWriter) Write(p []byte) (int, error) {
	n, err := w.Buffer.Write(p)
	if bytes.Count(w.Bytes(), []byte("\n")) == w.enough {
		w.after()
	}
	return n, err
}

// versionsIn writes so many listings of one tool into a folder, 1.0.0 and on.
func versionsIn(t *testing.T, dir string, n int) {
	t.Helper()
	for n := range n {
		text := fmt.Sprintf(`{"tools":[{"name":"find","description":"Finds, as of version %d.","inputSchema":{"type":"object"}}]}`, n)
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("1.%d.0.json", n)), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestImportGoesOn: an import says how far it is, and when it is stopped half-way the
// next one goes on and keeps nothing twice.
func TestImportGoesOn(t *testing.T) {
	onEachEngine(t, func(t *testing.T) {
		dir := t.TempDir()
		versionsIn(t, dir, 12)
		command(t, "server", "add", "shop")
		importing := []string{"server", "import", "shop", dir}

		ctx, stop := context.WithCancel(t.Context())
		first, stderr := lineWriter{enough: 3, after: stop}, bytes.Buffer{}
		if code := run(ctx, importing, strings.NewReader(""), &first, &stderr); code != exitFailed {
			t.Errorf("stopped, it exits with %d: %s", code, &stderr)
		}
		if got, want := first.String(), "1 of 12, 1.0.0: 1 tool\n2 of 12, 1.1.0: 1 tool\n3 of 12, 1.2.0: 1 tool\n"; got != want {
			t.Errorf("stopped after three, it said:\n%s", got)
		}
		if !strings.Contains(stderr.String(), "run this again to go on") {
			t.Errorf("stopped, it says %q", &stderr)
		}

		var want strings.Builder
		for n := range 12 {
			before := ""
			if n < 3 {
				before = ", kept before"
			}
			fmt.Fprintf(&want, "%d of 12, 1.%d.0: 1 tool%s\n", n+1, n, before)
		}
		if diff := cmp.Diff(want.String(), command(t, importing...)); diff != "" {
			t.Errorf("the next import (-want +got):\n%s", diff)
		}
	})
}

// TestImportSaysWhatIsRefused: a file that is no listing is named and the others go on;
// where there is no room the import stops and says how far it came, and the limits on
// what CI pushes, open releases among them, do not hold it up.
func TestImportSaysWhatIsRefused(t *testing.T) {
	onEachEngine(t, func(t *testing.T) {
		t.Setenv("COUNTERSIGN_PUSHES_PER_MINUTE", "2")
		t.Setenv("COUNTERSIGN_OPEN_RELEASES", "2")
		t.Setenv("COUNTERSIGN_SERVER_MIB", "1")
		dir := t.TempDir()
		versionsIn(t, dir, 4)
		bad := filepath.Join(dir, "1.1.0.json")
		if err := os.WriteFile(bad, []byte(`<html>`), 0o600); err != nil {
			t.Fatal(err)
		}
		command(t, "server", "add", "shop")
		var stdout, stderr bytes.Buffer
		if code := run(t.Context(), []string{"server", "import", "shop", dir}, strings.NewReader(""), &stdout, &stderr); code != exitFailed {
			t.Errorf("it exits with %d", code)
		}
		if got, want := stdout.String(), "1 of 4, 1.0.0: 1 tool\n3 of 4, 1.2.0: 1 tool\n4 of 4, 1.3.0: 1 tool\n"; got != want {
			t.Errorf("it said:\n%s", got)
		}
		if got := stderr.String(); !strings.Contains(got, bad+": ") || !strings.Contains(got, "1 of 4 versions were refused") {
			t.Errorf("of the refused file it says %q", got)
		}

		versionsIn(t, dir, 9)
		if err := os.WriteFile(filepath.Join(dir, "1.4.0.json"), tooLong(), 0o600); err != nil {
			t.Fatal(err)
		}
		stderr.Reset()
		if code := run(t.Context(), []string{"server", "import", "shop", dir}, strings.NewReader(""), &stdout, &stderr); code != exitFailed {
			t.Errorf("without room it exits with %d", code)
		}
		if got := stderr.String(); !strings.Contains(got, "stopped at version 6 of 9") || !strings.Contains(got, "which is what a server may take") || strings.Count(got, "\n") != 1 {
			t.Errorf("without room it says %q", got)
		}
	})
}

// tooLong is a listing that takes more than 1 MiB however it is kept.
func tooLong() []byte {
	words := make([]byte, 2<<20)
	rand.NewChaCha8([32]byte{}).Read(words)
	return fmt.Appendf(nil, `{"tools":[{"name":"long","description":"%x","inputSchema":{"type":"object"}}]}`, words[:3<<19])
}
