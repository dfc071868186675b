package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/testkit"
)

// typeCheck has the compiler read modules by the types in their comments, and
// returns what it says.
func typeCheck(t *testing.T, files ...string) (said string, ok bool) {
	t.Helper()
	tsc := filepath.Join(testkit.NodeModule(t, "typescript"), "bin", "tsc")
	args := append([]string{
		tsc, "--noEmit", "--allowJs", "--checkJs", "--strict", "--noUnusedLocals", "--noUnusedParameters", "--noImplicitReturns",
		"--target", "es2023", "--module", "es2022", "--lib", "es2023,dom,dom.iterable",
	}, files...)
	cmd := exec.Command(testkit.Node(t), args...)
	cmd.Dir = testkit.Root() // where no types of Node.js are found
	out, err := cmd.CombinedOutput()
	if _, failed := err.(*exec.ExitError); err != nil && !failed {
		t.Fatal(err)
	}
	return string(out), err == nil
}

// TestModulesHaveTypes: what the comments of our modules say of types holds.
func TestModulesHaveTypes(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(testkit.Root(), "static", "js", "*.js"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	if said, ok := typeCheck(t, files...); !ok {
		t.Errorf("the type checker says:\n%s", said)
	}
}

// TestTypeCheckSees: the check would find a wrong type.
func TestTypeCheckSees(t *testing.T) {
	file := filepath.Join(t.TempDir(), "wrong.js")
	text := "/** @param {HTMLElement} e */\nexport function f(e) {\n  e.hidden = e.dataset.x;\n  return e.noSuch;\n}\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	said, ok := typeCheck(t, file)
	if ok || strings.Count(said, "error TS") != 2 {
		t.Errorf("two wrong types, and it says:\n%s", said)
	}
}
