package e2e

import (
	"bufio"
	"bytes"
	"debug/elf"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/testkit"
)

// image is what the Dockerfile makes, without a container engine: its program alone
// in a folder that is the whole file system to it, where nobody's user may write in
// /data and nowhere else. There is no home, no /tmp, no /proc and no name of the user.
type image struct {
	testing.TB
	root string
	env  []string
}

// nobody is the user of the image.
const nobody = 65532

func newImage(t testing.TB) *image {
	t.Helper()
	if err := exec.Command("unshare", "--user", "--map-root-user", "true").Run(); err != nil && os.Getuid() != 0 {
		testkit.Missing(t, "root, or namespaces of users")
	}
	i := &image{TB: t, root: filepath.Join(t.TempDir(), "image")}
	i.must(os.MkdirAll(filepath.Join(i.root, "data"), 0o700))
	i.build()
	if os.Getuid() == 0 {
		i.must(os.Chown(filepath.Join(i.root, "data"), nobody, nobody))
	}
	i.must(os.Chmod(i.root, 0o555))
	t.Cleanup(func() { _ = os.Chmod(i.root, 0o700) })
	i.env = []string{"COUNTERSIGN_ADDR=127.0.0.1:0", "COUNTERSIGN_DATA_DIR=/data", "COUNTERSIGN_SECRET=" + faultSecret}
	return i
}

func (i *image) must(err error) {
	i.Helper()
	if err != nil {
		i.Fatal(err)
	}
}

// buildLine is the command of the Dockerfile that builds the program.
var buildLine = regexp.MustCompile(`(?m)^RUN (CGO_ENABLED=0 go build .*) -o /countersign (\./cmd/countersign) `)

// build runs the command of the Dockerfile, so that what is tested is what is shipped. But
// for the long rounds it leaves out -trimpath, which only shortens what panics say: with it
// everything would be compiled once more.
func (i *image) build() {
	i.Helper()
	file, err := os.ReadFile(filepath.Join(testkit.Root(), "Dockerfile"))
	i.must(err)
	line := buildLine.FindSubmatch(file)
	if line == nil {
		i.Fatal("no line of the Dockerfile builds the program")
	}
	build := string(line[1])
	if os.Getenv("COUNTERSIGN_SOAK") != "1" {
		build = strings.Replace(build, " -trimpath", "", 1)
	}
	cmd := exec.Command("sh", "-c", build+` -o "$OUT" `+string(line[2]))
	cmd.Dir, cmd.Env = testkit.Root(), append(os.Environ(), "VERSION=1.2.3", "OUT="+filepath.Join(i.root, "countersign"))
	if out, err := cmd.CombinedOutput(); err != nil {
		i.Fatalf("build: %v\n%s", err, out)
	}
}

// command is the program in the image, as its user.
func (i *image) command(args ...string) *exec.Cmd {
	cmd := exec.CommandContext(i.Context(), "/countersign", args...)
	cmd.Env, cmd.Dir = i.env, "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: i.root}
	if os.Getuid() == 0 {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: nobody, Gid: nobody}
		return cmd
	}
	cmd.SysProcAttr.Cloneflags = syscall.CLONE_NEWUSER
	cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: nobody, HostID: os.Getuid(), Size: 1}}
	cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: nobody, HostID: os.Getgid(), Size: 1}}
	return cmd
}

// run runs a command in the image to its end and reads the JSON that it prints.
func (i *image) run(into any, args ...string) string {
	i.Helper()
	var stdout, stderr bytes.Buffer
	cmd := i.command(args...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		i.Fatalf("countersign %s: %v\n%s", strings.Join(args, " "), err, &stderr)
	}
	if into != nil {
		i.must(json.Unmarshal(stdout.Bytes(), into))
	}
	return stdout.String()
}

// serve runs the server until stop is called, which returns how it ended.
func (i *image) serve() (url string, stop func() error) {
	i.Helper()
	cmd, said := i.command("serve"), new(bytes.Buffer)
	cmd.Stderr = said
	out, err := cmd.StdoutPipe()
	i.must(err)
	i.must(cmd.Start())
	i.Cleanup(func() {
		_ = cmd.Process.Kill()
		if i.Failed() {
			i.Logf("the program said:\n%s", said)
		}
	})
	lines := bufio.NewScanner(out)
	for url == "" && lines.Scan() {
		if m := listensOn.FindStringSubmatch(lines.Text()); m != nil {
			url = "http://" + m[1]
		}
	}
	if url == "" {
		i.Fatalf("the program did not start: %v\n%s", cmd.Wait(), said)
	}
	return url, func() error {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_, _ = io.Copy(io.Discard, out)
		return cmd.Wait()
	}
}

// TestImage plays a day in the image. The second listing of a thousand tools makes
// SQLite keep more for its statements than it does by itself in memory: it must not
// look for a folder of scratch files.
func TestImage(t *testing.T) {
	i := newImage(t)
	i.isStatic()
	var token struct{ Token string }
	i.run(nil, "server", "add", "shop", "--policy", "solo", "--json")
	i.run(&token, "token", "create", "--server", "shop", "--scopes", "push,gate", "--json")
	url, stop := i.serve()
	i.env = append(i.env, "COUNTERSIGN_ADDR="+strings.TrimPrefix(url, "http://"))
	if said := i.run(nil, "health"); strings.TrimSpace(said) != "well" {
		t.Errorf("the health check said %q", said)
	}
	for _, path := range []string{"/healthz", "/readyz"} {
		if status := i.ask(http.MethodGet, url+path, "", nil, nil); status != http.StatusOK {
			t.Errorf("%s answered %d", path, status)
		}
	}
	for _, listing := range []string{testkit.BigListing(1000, 1000, 1), testkit.BigListing(1000, 1000, 2)} {
		var answer struct{ Listing struct{ Digest string } }
		if status := i.ask(http.MethodPost, url+"/api/v1/servers/shop/listings?ref=main", token.Token, strings.NewReader(listing), &answer); status != http.StatusCreated {
			t.Fatalf("a push answered %d", status)
		}
		var gate struct{ Gate string }
		if i.ask(http.MethodGet, url+"/api/v1/servers/shop/gate?digest="+answer.Listing.Digest, token.Token, nil, &gate); gate.Gate != "blocked" {
			t.Errorf("the gate answered %q", gate.Gate)
		}
	}
	i.run(nil, "backup", "/data/first.backup")
	if err := stop(); err != nil {
		t.Errorf("told to stop, it ended with %v", err)
	}
	i.env = append(i.env, "COUNTERSIGN_DATABASE_URL=sqlite:/data/second.db")
	i.run(nil, "restore", "/data/first.backup")
}

// isStatic demands a program that needs neither a loader nor a library, and knows
// the version that its build was given.
func (i *image) isStatic() {
	i.Helper()
	f, err := elf.Open(filepath.Join(i.root, "countersign"))
	i.must(err)
	defer f.Close()
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP || p.Type == elf.PT_DYNAMIC {
			i.Errorf("the program is not static: it has a segment %v", p.Type)
		}
	}
	if got := i.run(nil, "version"); !strings.Contains(got, "1.2.3") {
		i.Errorf("the version given to the build is not in %q", got)
	}
}

// ask makes a request and reads its answer, if into is not nil.
func (i *image) ask(method, url, token string, body io.Reader, into any) int {
	i.Helper()
	req, err := http.NewRequestWithContext(i.Context(), method, url, body)
	i.must(err)
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := (&http.Client{Timeout: time.Minute}).Do(req)
	i.must(err)
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	i.must(err)
	if into != nil {
		i.must(json.Unmarshal(answer, into))
	}
	return resp.StatusCode
}
