package testkit

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// NodeModule returns the folder of a package that the tests borrow from npm,
// installed from e2e/package-lock.json by make deps.
func NodeModule(t testing.TB, name string) string {
	t.Helper()
	dir := filepath.Join(Root(), "e2e", "node_modules", filepath.FromSlash(name))
	if _, err := os.Stat(dir); err != nil {
		Missing(t, "the npm package "+name+" (run: make deps)")
	}
	return dir
}

// Node returns the path of Node.js.
func Node(t testing.TB) string {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		Missing(t, "node (run: make deps)")
	}
	return node
}
