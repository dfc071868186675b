package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/countersign/countersign/internal/config"
)

func env(pairs ...string) config.Lookup {
	m := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i]] = pairs[i+1]
	}
	return func(name string) (string, bool) { v, ok := m[name]; return v, ok }
}

func TestLoadDefaults(t *testing.T) {
	c, err := config.Load(env())
	if err != nil {
		t.Fatal(err)
	}
	want := config.Config{Addr: "127.0.0.1:8080", BaseURL: "http://127.0.0.1:8080", DataDir: "data", DatabaseURL: "sqlite:" + filepath.Join("data", "countersign.db")}
	if d := cmp.Diff(want, c); d != "" {
		t.Error(d)
	}
	if c.NeedSecret() == nil {
		t.Error("a missing secret was not noticed")
	}
}

func TestLoadReportsEveryFaultAtOnce(t *testing.T) {
	_, err := config.Load(env(
		"COUNTERSIGN_ADDR", "8080",
		"COUNTERSIGN_BASE_URL", "countersign.example.com",
		"COUNTERSIGN_SECRET", "short",
		"COUNTERSIGN_DATABASE_URL", "mysql://u:hunter2@h/d",
	))
	if err == nil {
		t.Fatal("no error")
	}
	for _, name := range []string{"ADDR", "BASE_URL", "SECRET", "DATABASE_URL"} {
		if !strings.Contains(err.Error(), config.Prefix+name) {
			t.Errorf("%s is not named in: %v", name, err)
		}
	}
	if strings.Contains(err.Error(), "hunter2") {
		t.Errorf("the password is shown: %v", err)
	}
}

func TestLoadReadsSecretFiles(t *testing.T) {
	file := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(file, []byte(strings.Repeat("s", 40)+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := config.Load(env("COUNTERSIGN_SECRET_FILE", file))
	if err != nil || len(c.Secret) != 40 {
		t.Errorf("got %d bytes, %v", len(c.Secret), err)
	}
	if _, err := config.Load(env("COUNTERSIGN_SECRET_FILE", file, "COUNTERSIGN_SECRET", strings.Repeat("x", 40))); err == nil {
		t.Error("both forms at once were accepted")
	}
	if _, err := config.Load(env("COUNTERSIGN_SECRET_FILE", file+".missing")); err == nil {
		t.Error("a missing file was accepted")
	}
}

func TestDatabaseURLWithoutPrefixIsHonoured(t *testing.T) {
	c, err := config.Load(env("DATABASE_URL", "postgres://u:p@h/d"))
	if err != nil || c.DatabaseURL != "postgres://u:p@h/d" {
		t.Errorf("got %q, %v", c.DatabaseURL, err)
	}
}

func TestRedactedHidesSecrets(t *testing.T) {
	c, err := config.Load(env(
		"COUNTERSIGN_SECRET", strings.Repeat("topsecret", 5),
		"COUNTERSIGN_DATABASE_URL", "postgres://u:hunter2@h/d?password=hunter3"))
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Join(c.Redacted(), "\n")
	for _, hidden := range []string{"topsecret", "hunter2", "hunter3"} {
		if strings.Contains(all, hidden) {
			t.Errorf("%s is shown in:\n%s", hidden, all)
		}
	}
	if !strings.Contains(all, "COUNTERSIGN_ADDR=127.0.0.1:8080") {
		t.Errorf("a setting is missing in:\n%s", all)
	}
}

func TestBaseURLOfAnyAddressIsBrowsable(t *testing.T) {
	c, err := config.Load(env("COUNTERSIGN_ADDR", "0.0.0.0:9000"))
	if err != nil || c.BaseURL != "http://127.0.0.1:9000" {
		t.Errorf("got %q, %v", c.BaseURL, err)
	}
}

func TestTrustedProxies(t *testing.T) {
	c, err := config.Load(env("COUNTERSIGN_TRUSTED_PROXIES", "127.0.0.1, 10.0.0.0/8,::1"))
	if err != nil || len(c.TrustedProxies) != 3 || c.TrustedProxies[0].String() != "127.0.0.1/32" {
		t.Errorf("got %v, %v", c.TrustedProxies, err)
	}
	if _, err := config.Load(env("COUNTERSIGN_TRUSTED_PROXIES", "proxy.example")); err == nil {
		t.Error("a name was taken for an address")
	}
}
