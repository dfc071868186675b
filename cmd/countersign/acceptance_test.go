package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/config"
	"github.com/countersign/countersign/internal/testkit"
	"github.com/countersign/countersign/review"
)

// onEachEngine runs a test in the environment of a fresh database of each engine.
func onEachEngine(t *testing.T, test func(t *testing.T)) {
	for name, address := range map[string]func() string{
		"sqlite":   func() string { return "sqlite:" + filepath.Join(t.TempDir(), "countersign.db") },
		"postgres": func() string { return testkit.Postgres(t) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("COUNTERSIGN_DATABASE_URL", address())
			t.Setenv("COUNTERSIGN_SECRET", strings.Repeat("acceptance-", 4))
			test(t)
		})
	}
}

// command runs the program and returns what it printed.
func command(t *testing.T, args ...string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if code := run(t.Context(), args, strings.NewReader(""), &stdout, &stderr); code != exitFine {
		t.Fatalf("countersign %s: exit code %d, %s", strings.Join(args, " "), code, &stderr)
	}
	return stdout.String()
}

// served is a server over the database of the environment, for as long as f runs.
func served(t *testing.T, f func(base string)) {
	t.Helper()
	cfg, err := config.FromEnvironment()
	if err != nil {
		t.Fatal(err)
	}
	in, err := openInstance(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer in.close()
	s, err := in.server(slog.New(slog.DiscardHandler), nil)
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(s.Handler())
	defer web.Close()
	f(web.URL)
}

// status asks with a token and returns the status of the answer.
func status(t *testing.T, url, token string) int {
	t.Helper()
	req, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, resp.Body)
	return resp.StatusCode
}

// TestAcceptance33OldBackupEndsTokens: an old backup is restored, an old token
// answers 401, and the audit says so.
func TestAcceptance33OldBackupEndsTokens(t *testing.T) {
	onEachEngine(t, func(t *testing.T) {
		command(t, "user", "add", "ada@example.com", "--role", "admin")
		command(t, "server", "add", "shop")
		var made struct{ ID, Token string }
		if err := json.Unmarshal([]byte(command(t, "token", "create", "--scopes", "read,review", "--user", "ada@example.com", "--json")), &made); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "old.backup")
		command(t, "backup", file)
		served(t, func(base string) {
			if got := status(t, base+"/api/v1/servers/shop", made.Token); got != http.StatusOK {
				t.Fatalf("before the restore: status %d", got)
			}
			// Also while the server runs.
			command(t, "restore", file, "--replace")
			if got := status(t, base+"/api/v1/servers/shop", made.Token); got != http.StatusUnauthorized {
				t.Errorf("after the restore: status %d, want 401", got)
			}
		})
		served(t, func(base string) {
			if got := status(t, base+"/api/v1/servers/shop", made.Token); got != http.StatusUnauthorized {
				t.Errorf("after a restart: status %d, want 401", got)
			}
		})
		in, actor, err := administration(t.Context(), false)
		if err != nil {
			t.Fatal(err)
		}
		defer in.close()
		entries, err := in.svc.AuditLog(t.Context(), actor, review.AuditQuery{}, review.Page{Limit: 1})
		if err != nil || len(entries) == 0 || entries[0].Act != "database.restore" || !strings.Contains(entries[0].After, `"tokens_ended":1`) {
			t.Errorf("the audit begins with %+v, %v", entries, err)
		}
	})
}

// fails runs the program and returns what it said when it failed.
func fails(t *testing.T, args ...string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if code := run(t.Context(), args, strings.NewReader(""), &stdout, &stderr); code == exitFine || stdout.Len() > 0 {
		t.Fatalf("countersign %s: exit code %d, printed %q", strings.Join(args, " "), code, &stdout)
	}
	return stderr.String()
}

// TestAcceptance28RedirectToMetadata: a pull that is redirected to the address of
// a cloud's metadata, in any of its forms, is refused without asking there.
func TestAcceptance28RedirectToMetadata(t *testing.T) {
	for _, to := range []string{"http://169.254.169.254/latest/meta-data/", "http://[::ffff:169.254.169.254]/", "http://[fd00:ec2::254]/", "http://0xa9fea9fe/"} {
		asked := 0
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked++
			http.Redirect(w, r, to, http.StatusTemporaryRedirect)
		}))
		said := fails(t, "pull", "--url", srv.URL+"/mcp")
		srv.Close()
		if asked == 0 || !strings.Contains(said, "redirected to another origin") {
			t.Errorf("%s: the server was asked %d times, and the pull said %q", to, asked, said)
		}
	}
}

// TestAcceptance29NoCommandFromARestore: a backup can't bring a command to run: the
// database has no place for one, and a place that the backup brings is refused.
func TestAcceptance29NoCommandFromARestore(t *testing.T) {
	onEachEngine(t, func(t *testing.T) {
		command(t, "server", "add", "shop")
		file := filepath.Join(t.TempDir(), "good.backup")
		command(t, "backup", file)
		lines := backupLines(t, file)
		for _, line := range lines {
			if found := regexp.MustCompile(`"name":"[^"]*(command|argv|stdio|exec)[^"]*"`).FindString(line); found != "" && strings.HasPrefix(line, `{"table"`) {
				t.Errorf("the database has a place for a command: %s of %s", found, line)
			}
		}
		last := len(lines) - 1
		bad := append(append([]string{}, lines[:last]...),
			`{"table":"endpoints","columns":[{"name":"id","type":"text"},{"name":"command","type":"text"}]}`, `["1","sh -c id"]`)
		said := fails(t, "restore", writeBackupLines(t, bad), "--replace")
		if !strings.Contains(said, "endpoints") || !strings.Contains(said, "Nothing was changed") {
			t.Errorf("a table with a command: %s", said)
		}
		for i, line := range lines {
			if strings.HasPrefix(line, `{"table":"servers"`) {
				lines[i] = strings.Replace(line, `]}`, `,{"name":"command","type":"text"}]}`, 1)
			}
		}
		if said := fails(t, "restore", writeBackupLines(t, lines[:last]), "--replace"); !strings.Contains(said, "Nothing was changed") {
			t.Errorf("a column with a command: %s", said)
		}
		if got := command(t, "server", "list"); !strings.HasPrefix(got, "shop") {
			t.Errorf("the servers are now %q", got)
		}
	})
}

func backupLines(t *testing.T, file string) []string {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	zip, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	all, err := io.ReadAll(zip)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(all), "\n"), "\n")
}

// writeBackupLines writes a backup whose sum is right, whatever its lines are.
func writeBackupLines(t *testing.T, lines []string) string {
	t.Helper()
	content := strings.Join(lines[1:], "\n") + "\n"
	rows := strings.Count("\n"+content, "\n[")
	sum := sha256.Sum256([]byte(content))
	var b bytes.Buffer
	zip := gzip.NewWriter(&b)
	fmt.Fprintf(zip, "%s\n%s{\"end\":{\"rows\":%d,\"content\":\"%s\"}}\n", lines[0], content, rows, hex.EncodeToString(sum[:]))
	if err := zip.Close(); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "bent.backup")
	if err := os.WriteFile(file, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestAcceptance30NameThatIsACommand: a tool's name holds a newline and ::error::,
// and no line that a CI runner reads begins with a command.
func TestAcceptance30NameThatIsACommand(t *testing.T) {
	dir := t.TempDir()
	write := func(name, description string) string {
		file := filepath.Join(dir, name)
		tool, err := json.Marshal(map[string]any{"name": "find\n::error::pwned\r\n##[error]pwned\x1b[31m", "description": description, "inputSchema": map[string]any{"type": "object"}})
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(`{"tools":[`+string(tool)+`]}`), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	from, to := write("old.json", "Finds.\n::set-output name=x::y"), write("new.json", "Finds it.\n::error::pwned")
	for _, args := range [][]string{
		{"inspect", to}, {"families", to}, {"diff", from, to}, {"lint", to, "--base", from}, {"digest", to}, {"cost", to},
		{"lint", to, "--format", "markdown"}, {"lint", to, "--format", "sarif"}, {"lint", to, "--format", "junit"}, {"lint", to, "--format", "json"},
		{"preflight", to, "--server", "s"}, {"inspect", to + ".missing\n::error::pwned"},
	} {
		var stdout, stderr bytes.Buffer
		run(t.Context(), args, strings.NewReader(""), &stdout, &stderr)
		if stdout.Len()+stderr.Len() == 0 {
			t.Errorf("%q said nothing", args)
		}
		for _, line := range regexp.MustCompile(`[\r\n]`).Split(stdout.String()+"\n"+stderr.String(), -1) {
			if line = strings.TrimSpace(line); strings.HasPrefix(line, "::") || strings.HasPrefix(line, "##[") || strings.Contains(line, "\x1b") {
				t.Errorf("%q prints the line %q", args, line)
			}
		}
	}
}

// TestNoSecretIsKeptInClear makes one of every secret that lets somebody in, and looks
// for them in the files of the database and in a backup.
func TestNoSecretIsKeptInClear(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("COUNTERSIGN_DATA_DIR", dir)
	t.Setenv("COUNTERSIGN_SECRET", strings.Repeat("acceptance-", 4))
	password := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(password, []byte("correct horse battery"), 0o600); err != nil {
		t.Fatal(err)
	}
	secrets := map[string]string{
		"password":   "correct horse battery",
		"SECRET":     os.Getenv("COUNTERSIGN_SECRET"),
		"webhook":    field(t, command(t, "server", "add", "shop", "--json"), "webhook_secret"),
		"invitation": path.Base(field(t, command(t, "user", "add", "ada@example.com", "--role", "admin", "--json"), "link")),
		"token":      field(t, command(t, "token", "create", "--server", "shop", "--scopes", "push", "--json"), "token"),
	}
	command(t, "user", "add", "bo@example.com", "--role", "viewer", "--password-file", password)
	secrets["reset"] = path.Base(field(t, command(t, "user", "reset-link", "bo@example.com", "--json"), "link"))
	served(t, func(base string) {
		secrets["session"] = signedInCookie(t, base, "bo@example.com", "correct horse battery")
	})
	command(t, "backup", filepath.Join(dir, "all.backup"))
	kept := strings.Join(backupLines(t, filepath.Join(dir, "all.backup")), "\n")
	files, err := filepath.Glob(filepath.Join(dir, "countersign.db*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("files of the database: %v, %v", files, err)
	}
	for _, file := range files {
		kept += read(t, file)
	}
	if !strings.Contains(kept, "bo@example.com") {
		t.Fatal("what is looked through is not the database")
	}
	for what, secret := range secrets {
		bare := strings.TrimPrefix(strings.TrimPrefix(secret, "cs_"), "whsec_")
		if len(bare) < 20 || strings.Contains(kept, bare) || strings.Contains(kept, hex.EncodeToString([]byte(bare))) {
			t.Errorf("%s: a secret of %d bytes is kept in clear, or none", what, len(bare))
		}
	}
	for _, what := range []string{"token", "invitation", "reset", "session"} { // 256 bits
		if raw, err := base64.RawURLEncoding.DecodeString(strings.TrimPrefix(secrets[what], "cs_")); err != nil || len(raw) != 32 {
			t.Errorf("%s: %d bytes, %v", what, len(raw), err)
		}
	}
}

// field takes a text out of a JSON object.
func field(t *testing.T, object, name string) string {
	t.Helper()
	var all map[string]any
	if err := json.Unmarshal([]byte(object), &all); err != nil {
		t.Fatal(err)
	}
	text, _ := all[name].(string)
	return text
}

// signedInCookie signs in by the form and returns the value of the session's cookie.
func signedInCookie(t *testing.T, base, email, password string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+"/sign-in", strings.NewReader(url.Values{"email": {email}, "password": {password}}.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Origin", base)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	for _, c := range resp.Cookies() {
		if c.HttpOnly && c.Value != "" {
			return c.Value
		}
	}
	t.Fatalf("signing in answered %d with the cookies %v", resp.StatusCode, resp.Cookies())
	return ""
}
