// Package testkit holds what tests of several packages share: builders for
// domain values, databases to run on, and the folder of handed cases.
package testkit

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// RequireAll reports whether a test that lacks something must fail instead of
// skipping (COUNTERSIGN_REQUIRE_ALL=1, as the continuous integration sets it).
func RequireAll() bool { return os.Getenv("COUNTERSIGN_REQUIRE_ALL") == "1" }

// Missing skips the test because of something that the machine lacks, or fails
// it when nothing may be skipped.
func Missing(t testing.TB, what string) {
	t.Helper()
	if RequireAll() {
		t.Fatalf("missing: %s", what)
	}
	t.Skipf("missing: %s", what)
}

// Root returns the project's top folder.
func Root() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Dir(filepath.Dir(filepath.Dir(file)))
}

// Shared returns the path of name inside the folder of handed cases, which
// stands beside the project and is never committed.
func Shared(t testing.TB, name string) string {
	t.Helper()
	p := filepath.Join(filepath.Dir(Root()), "shared", filepath.FromSlash(name))
	if _, err := os.Stat(p); err != nil {
		Missing(t, "the handed file ../shared/"+name)
	}
	return p
}

// Corpus returns the folder of real listings named by COUNTERSIGN_CORPUS, or the
// one among the handed cases.
func Corpus(t testing.TB) string {
	t.Helper()
	if dir := os.Getenv("COUNTERSIGN_CORPUS"); dir != "" {
		return dir
	}
	return Shared(t, "corpus")
}
