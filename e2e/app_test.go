package e2e

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/testkit"
)

// built is the program, built once for all tests of the package.
var built struct {
	sync.Once
	dir  string
	path string
	err  error
}

// program returns the path of the real binary.
func program(t testing.TB) string {
	t.Helper()
	built.Do(func() {
		built.dir, built.err = os.MkdirTemp("", "countersign-e2e-")
		if built.err != nil {
			return
		}
		built.path = filepath.Join(built.dir, "countersign")
		cmd := exec.Command("go", "build", "-o", built.path, "./cmd/countersign")
		cmd.Dir = testkit.Root()
		if out, err := cmd.CombinedOutput(); err != nil {
			built.err = &exec.Error{Name: string(out), Err: err}
		}
	})
	if built.err != nil {
		t.Fatalf("build: %v", built.err)
	}
	return built.path
}

// app is the real program, running.
type app struct {
	t    testing.TB
	url  string
	link string // that it printed: sign-in of the demo, set-up of a new server
	env  []string
	cmd  *exec.Cmd

	secret string // of the server weather, once a test made it
}

var address = regexp.MustCompile(`http://127\.0\.0\.1:\d+`)

// run starts the program with args and waits until it has printed a link.
func run(t testing.TB, env []string, args ...string) *app {
	t.Helper()
	cmd := exec.Command(program(t), args...)
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), env...)
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var stderr strings.Builder
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	a := &app{t: t, env: cmd.Env, cmd: cmd}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
		if t.Failed() && stderr.Len() > 0 {
			t.Logf("the program said:\n%s", stderr.String())
		}
	})
	lines := make(chan string)
	go func() {
		defer close(lines)
		for s := bufio.NewScanner(stdout); s.Scan(); {
			lines <- s.Text()
		}
	}()
	limit := time.After(time.Minute)
	for {
		select {
		case line, ok := <-lines:
			if !ok {
				t.Fatalf("the program ended: %s", stderr.String())
			}
			if !strings.Contains(line, "/links/") {
				continue
			}
			a.link = strings.TrimSpace(line)
			a.url = address.FindString(line)
			go func() {
				for range lines {
				}
			}()
			return a
		case <-limit:
			t.Fatalf("no link was printed: %s", stderr.String())
		}
	}
}

// demo runs the demo: three servers, each with a version to review.
func demo(t testing.TB) *app {
	t.Helper()
	return run(t, nil, "demo", "--addr", "127.0.0.1:0")
}
