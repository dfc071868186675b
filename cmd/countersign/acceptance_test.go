package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
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
