// Package arch holds the test that enforces the architecture of ARCHITECTURE.md:
// which of our packages may import which, and where SQL, HTTP and the outside
// world may be touched at all.
package arch

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/testkit"
)

const module = "github.com/countersign/countersign"

// pure are the packages that are functions of their inputs: a Go library that
// others can import.
var pure = []string{
	"review/surface", "review/prose", "review/schema", "review/schema/internal/lang", "review/change", "review/host",
	"review/cost", "review/lint", "review/report", "review/gate", "review/people", "review/proof", "review/lock",
}

// allowed is the table of ARCHITECTURE.md: what a package may import of ours.
// A name ending in /... stands for the package and all below it. A package that
// is missing here fails the test, so that a new one is a decision.
var allowed = map[string][]string{
	"review/surface":              {},
	"review/prose":                {},
	"review/people":               {},
	"review/schema":               {"review/surface", "review/schema/internal/lang"},
	"review/schema/internal/lang": {},
	"review/change":               {"review/surface", "review/prose", "review/schema"},
	"review/host":                 {"review/surface"},
	"review/cost":                 {"review/surface", "review/host"},
	"review/lint":                 {"review/surface", "review/prose", "review/schema", "review/schema/internal/lang", "review/change", "review/host", "review/cost"},
	"review/report":               {"review/surface", "review/prose", "review/schema", "review/schema/internal/lang", "review/change", "review/host", "review/cost", "review/lint"},
	"review/gate":                 {"review/surface", "review/prose", "review/change", "review/host", "review/lint"},
	"review/proof":                {"review/surface"},
	"review/lock":                 {"review/surface", "review/prose", "review/proof", "review/gate"},
	"review":                      {"review/..."},
	"review/reviewtest":           {"review/...", "internal/testkit"},
	"store":                       {"review/...", "migrations"},
	"store/storetest":             {"review/...", "store", "internal/testkit"},
	"migrations":                  {},
	"views":                       append([]string{"static"}, pure...),
	"views/fixtures":              append([]string{"static", "views"}, pure...),
	"static":                      {},
	"web":                         {"review/...", "web/api", "internal/live", "internal/oidc", "views", "static"},
	"web/api":                     {"review/report"},
	"web/client":                  {"web/api"},
	"internal/arch":               {},
	"internal/config":             {},
	"internal/live":               {"review/..."},
	"internal/metrics":            {"review/..."},
	"internal/worker":             {"review/..."},
	"internal/mcp":                {"review/surface"},
	"internal/oidc":               {},
	"internal/demo":               {"review/surface"},
	"internal/testkit":            {"review/..."},
	"cmd/countersign":             {"..."},
	"e2e":                         {"..."},
}

// outside are the standard packages through which a pure package could learn
// something that is not in its inputs.
var outside = []string{"database/sql", "net", "net/http", "os", "os/exec", "os/signal", "syscall", "io/ioutil", "math/rand", "math/rand/v2", "crypto/rand"}

// clock are the functions of package time that read or wait for the clock.
var clock = []string{"Now", "Since", "Until", "After", "AfterFunc", "Sleep", "Tick", "NewTimer", "NewTicker"}

// only names third-party modules and the folders that may import them.
var only = map[string][]string{
	"github.com/jmoiron/sqlx":         {"store"},
	"github.com/lib/pq":               {"store", "internal/testkit"},
	"modernc.org/sqlite":              {"store"},
	"database/sql":                    {"store", "internal/testkit"},
	"github.com/labstack/echo/v4":     {"web"},
	"github.com/a-h/templ":            {"views", "views/fixtures", "web"},
	"github.com/yuin/goldmark":        {"views", "web"},
	"github.com/alecthomas/kong":      {"cmd/countersign"},
	"github.com/alexedwards/scs/v2":   {"web", "store"},
	"github.com/santhosh-tekuri":      {"review/schema"},
	"github.com/modelcontextprotocol": {"internal/mcp"},
	"github.com/prometheus":           {"internal/metrics"},
	"github.com/coreos/go-oidc":       {"internal/oidc"},
	"golang.org/x/oauth2":             {"internal/oidc"},
}

type pkg struct {
	ImportPath string
	Imports    []string
}

func (p pkg) name() string { return strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, module), "/") }

// list asks the go command, so that build tags and generated files count.
func list(t *testing.T) []pkg {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports", "./...")
	cmd.Dir = testkit.Root()
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var pkgs []pkg
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return pkgs
		} else if err != nil {
			t.Fatal(err)
		}
		pkgs = append(pkgs, p)
	}
}

func matches(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		if rest, ok := strings.CutSuffix(p, "..."); ok {
			rest = strings.TrimSuffix(rest, "/")
			return rest == "" || name == rest || strings.HasPrefix(name, rest+"/")
		}
		return p == name
	})
}

func TestImportsFollowTheTable(t *testing.T) {
	pkgs := list(t)
	if len(pkgs) < 10 {
		t.Fatalf("only %d packages seen", len(pkgs))
	}
	for _, p := range pkgs {
		may, known := allowed[p.name()]
		if !known {
			t.Errorf("package %s is not in the table of allowed imports: add it there and to ARCHITECTURE.md", p.name())
			continue
		}
		for _, imp := range p.Imports {
			ours, ok := strings.CutPrefix(imp, module+"/")
			if ok && !matches(may, ours) {
				t.Errorf("%s imports %s, which the architecture does not allow", p.name(), ours)
			}
		}
	}
}

func TestPurePackagesTouchNothingOutside(t *testing.T) {
	for _, p := range list(t) {
		if !slices.Contains(pure, p.name()) {
			continue
		}
		for _, imp := range p.Imports {
			if slices.Contains(outside, imp) {
				t.Errorf("pure package %s imports %s", p.name(), imp)
			}
		}
	}
}

// TestPurePackagesReadNoClock looks at the source, since package time itself is
// fine as a type.
func TestPurePackagesReadNoClock(t *testing.T) {
	for _, name := range pure {
		fset := token.NewFileSet()
		files, err := filepath.Glob(filepath.Join(testkit.Root(), filepath.FromSlash(name), "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			f, err := parser.ParseFile(fset, file, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(f, func(n ast.Node) bool {
				sel, ok := n.(*ast.SelectorExpr)
				if !ok {
					return true
				}
				if x, ok := sel.X.(*ast.Ident); ok && x.Name == "time" && slices.Contains(clock, sel.Sel.Name) {
					t.Errorf("%s: time.%s: a pure package bounds its work in steps", fset.Position(sel.Pos()), sel.Sel.Name)
				}
				return true
			})
		}
	}
}

func TestLibrariesStayWhereTheyBelong(t *testing.T) {
	for _, p := range list(t) {
		for _, imp := range p.Imports {
			for lib, where := range only {
				if imp != lib && !strings.HasPrefix(imp, lib+"/") {
					continue
				}
				if !slices.Contains(where, p.name()) {
					t.Errorf("%s imports %s, which only %v may", p.name(), imp, where)
				}
			}
		}
	}
}

// TestOnlyCmdJoinsStoreAndWeb holds even through other packages: nothing but the
// command (and the browser tests) may import both.
func TestOnlyCmdJoinsStoreAndWeb(t *testing.T) {
	for _, p := range list(t) {
		store := slices.Contains(p.Imports, module+"/store")
		web := slices.Contains(p.Imports, module+"/web")
		if store && web && p.name() != "cmd/countersign" {
			t.Errorf("%s imports both store and web", p.name())
		}
	}
}

// TestOneSQLiteC keeps the C library's translation at the version that the
// SQLite driver was made with: another one has corrupted databases before.
func TestOneSQLiteC(t *testing.T) {
	want := goList(t, "-m", "-f", "{{.GoMod}}", "modernc.org/sqlite")
	mod, err := exec.Command("go", "mod", "edit", "-json", want).Output()
	if err != nil {
		t.Fatal(err)
	}
	var edit struct {
		Require []struct{ Path, Version string }
	}
	if err := json.Unmarshal(mod, &edit); err != nil {
		t.Fatal(err)
	}
	got := goList(t, "-m", "-f", "{{.Version}}", "modernc.org/libc")
	for _, r := range edit.Require {
		if r.Path == "modernc.org/libc" && r.Version != got {
			t.Errorf("modernc.org/libc is %s, but modernc.org/sqlite was made with %s", got, r.Version)
		}
	}
}

func goList(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list"}, args...)...)
	cmd.Dir = testkit.Root()
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list %v: %v", args, err)
	}
	return strings.TrimSpace(string(out))
}
