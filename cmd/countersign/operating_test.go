package main

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/testkit"
)

// TestOperatingPage plays every block of commands of docs/operating.md in its order, as
// somebody who has just installed the program: on a machine whose /etc, /usr/local and so
// on are a folder of the test, and whose systemd is what starts and stops the unit's
// command in the unit's environment. A block that is added is played too.
func TestOperatingPage(t *testing.T) {
	for _, tool := range []string{"bash", "openssl"} {
		if _, err := exec.LookPath(tool); err != nil {
			testkit.Missing(t, tool)
		}
	}
	m := newMachine(t)
	blocks := regexp.MustCompile("(?ms)^```sh\n(.*?)^```$").FindAllStringSubmatch(read(t, filepath.Join(testkit.Root(), "docs", "operating.md")), -1)
	for _, b := range blocks {
		text := b[1]
		switch {
		case strings.Contains(text, "countersign backup"): // there is something to back up
			m.play("mkdir listings; echo '{\"tools\":[{\"name\":\"find\",\"description\":\"Use hunter2-of-production.\"}]}' > listings/1.0.0.json\n" +
				"as_service countersign server add shop; as_service countersign server import shop listings/")
		case strings.Contains(text, "postgres://"):
			text = strings.Replace(text, "postgres://countersign@db/countersign", "\"'"+testkit.Postgres(t)+"'\"", 1)
		case strings.Contains(text, "secret.txt"):
			m.play("echo hunter2-of-production > secret.txt")
		}
		said := m.play(text)
		switch {
		case strings.Contains(text, "systemctl enable"):
			if !regexp.MustCompile(`http\S+/links/\S+`).MatchString(said) {
				t.Errorf("there is no link for the administrator in:\n%s", said)
			}
			m.ready()
		case strings.Contains(text, "--check"):
			m.says(said, "is whole")
		case strings.Contains(text, "postgres://"):
			m.says(said, "Restored")
			m.ready()
		case strings.Contains(text, "purge"):
			m.says(said, "listing")
		case strings.Contains(text, "reseal"):
			m.says(said, "webhook secret")
			m.ready()
		}
	}
	if len(blocks) < 7 {
		t.Errorf("only %d blocks were played", len(blocks))
	}
	for _, line := range []string{"as_service countersign config", "as_service countersign user add ann@example.com --role admin", "as_service countersign user reset-link ann@example.com"} {
		m.play(line)
	}
	m.says(m.play("as_service countersign purge --text-file secret.txt --reason 'looked for again' --dry-run"), "Nothing holds this text")
	m.play("systemctl stop countersign")
}

// machine is a folder that stands for a machine.
type machine struct {
	*testing.T
	root, addr string
}

// fakes are the programs of a machine that would reach beyond the folder. The users are
// who runs the test, so who owns what is not looked at.
var fakes = map[string]string{
	"install":          `args=(); while [ $# -gt 0 ]; do case "$1" in -g|-o) shift 2;; *) args+=("$1"); shift;; esac; done; exec /usr/bin/env PATH="$OLDPATH" install "${args[@]}"`,
	"sudo":             `[ "$1" = -u ] && shift 2; exec "$@"`,
	"systemd-sysusers": `test -s "$ROOT/etc/sysusers.d/countersign.conf"`,
	"journalctl":       `cat "$ROOT/journal"`,
	"systemctl": `unit=$ROOT/etc/systemd/system/countersign.service
case "$1" in
stop) pid=$(cat "$ROOT/pid"); kill -TERM "$pid"; while kill -0 "$pid" 2>/dev/null; do sleep 0.05; done;;
enable|start)
	set -a; eval "$(sed -n 's/^Environment=//p' "$unit" | sed "s#=/#=$ROOT/#")"; . "$(sed -n "s#^EnvironmentFile=#$ROOT#p" "$unit")"; set +a
	mkdir -p "$COUNTERSIGN_DATA_DIR"; : > "$ROOT/journal"
	setsid $(sed -n "s#^ExecStart=#$ROOT#p" "$unit") --addr "$ADDR" >> "$ROOT/journal" 2>&1 < /dev/null &
	echo $! > "$ROOT/pid"
	for i in $(seq 600); do grep -q 'listens on' "$ROOT/journal" && exit 0; sleep 0.05; done; cat "$ROOT/journal"; exit 1;;
*) exit 1;;
esac`,
}

func newMachine(t *testing.T) *machine {
	t.Helper()
	addr, err := freeAddress()
	if err != nil {
		t.Fatal(err)
	}
	m := &machine{t, t.TempDir(), addr}
	for _, dir := range []string{"fakes", "usr/local/bin", "etc/systemd/system", "var/lib", "work/bin"} {
		if err := os.MkdirAll(filepath.Join(m.root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, script := range fakes {
		if err := os.WriteFile(filepath.Join(m.root, "fakes", name), []byte("#!/bin/bash\n"+script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	// What make build makes is this test's own program, which is countersign by that name.
	self, err := os.Executable()
	if err == nil {
		err = os.Symlink(filepath.Join(testkit.Root(), "packaging"), filepath.Join(m.root, "work", "packaging"))
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(m.root, "work", "bin", "countersign"), fmt.Appendf(nil, "#!/bin/bash\nexec -a countersign %q \"$@\"\n", self), 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = exec.Command("bash", "-c", `[ -e "$0/pid" ] && kill -KILL "$(cat "$0/pid")"`, m.root).Run()
	})
	return m
}

var absolute = regexp.MustCompile(`(^|[\s=(])(/(?:usr/local|etc|var/lib|backups)\b)`)

// play runs lines as an operator would, who stops at the first that fails, and returns
// what they said.
func (m *machine) play(lines string) string {
	m.Helper()
	moved := absolute.ReplaceAllString(lines, "${1}"+m.root+"$2")
	if i := strings.Index(moved, "as_service() {"); i >= 0 {
		m.write("functions", moved[i:i+strings.Index(moved[i:], "\n")])
	}
	// The example is one to edit.
	moved = strings.Replace(moved, "systemctl enable", "sed -i 's#=/etc#="+m.root+"/etc#' "+m.root+"/etc/countersign/environment\nsystemctl enable", 1)
	cmd := exec.Command("bash", "-euo", "pipefail", "-c", "[ -e $ROOT/functions ] && . $ROOT/functions\n"+moved)
	cmd.Dir = filepath.Join(m.root, "work")
	cmd.Env = []string{"ROOT=" + m.root, "ADDR=" + m.addr, "HOME=" + m.root, "OLDPATH=" + os.Getenv("PATH"),
		"PATH=" + filepath.Join(m.root, "fakes") + ":" + filepath.Join(m.root, "usr/local/bin") + ":" + os.Getenv("PATH")}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		m.Fatalf("%v:\n%s\n%s", err, moved, out.String())
	}
	return out.String()
}

func (m *machine) write(name, text string) {
	m.Helper()
	if err := os.WriteFile(filepath.Join(m.root, name), []byte(text+"\n"), 0o644); err != nil {
		m.Fatal(err)
	}
}

func (m *machine) says(said, word string) {
	m.Helper()
	if !strings.Contains(said, word) {
		m.Errorf("it does not say %q:\n%s", word, said)
	}
}

// ready asks the service whether it is.
func (m *machine) ready() {
	m.Helper()
	resp, err := (&http.Client{Timeout: 10 * time.Second}).Get("http://" + m.addr + "/readyz")
	if err != nil {
		m.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		m.Errorf("ready answers %d", resp.StatusCode)
	}
}
