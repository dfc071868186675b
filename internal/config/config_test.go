package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

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
	want := config.Config{Addr: "127.0.0.1:8080", BaseURL: "http://127.0.0.1:8080", DataDir: "data", DatabaseURL: "sqlite:" + filepath.Join("data", "countersign.db"),
		SigningKeyFile: filepath.Join("data", "signing-key.pem"), OwnSigningKey: true, OIDCNewcomers: config.NewcomersView, LiveReaders: 2, StopGrace: 20 * time.Second,
		ListingBytes: 8 << 20, ListingDepth: 64, ListingValues: 500_000, NumberDigits: 1000, ListingPages: 100, CommentBytes: 64 << 10,
		PushesPerMinute: 30, PushesPerDay: 500, OpenReleases: 20, ServerBytes: 1 << 30, Samples: 100, CommentsPerHour: 100, EventStreams: 5,
		KeepDeliveries: 400 * 24 * time.Hour, KeepNotices: 180 * 24 * time.Hour, KeepRefs: 180 * 24 * time.Hour, KeepReports: 180 * 24 * time.Hour}
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
		"COUNTERSIGN_METRICS_ADDR", "nowhere",
		"COUNTERSIGN_METRICS_TOKEN", "too-short",
		"COUNTERSIGN_STOP_GRACE", "soon",
		"COUNTERSIGN_PUSHES_PER_MINUTE", "0",
		"COUNTERSIGN_SERVER_MIB", "1GiB",
		"COUNTERSIGN_LISTING_MIB", "257",
		"COUNTERSIGN_LISTING_DEPTH", "7",
		"COUNTERSIGN_COMMENT_KIB", "1024",
		"COUNTERSIGN_KEEP_REFS_DAYS", "6",
		"COUNTERSIGN_TRUSTED_PROXIES", "proxy.example",
	))
	if err == nil {
		t.Fatal("no error")
	}
	for _, name := range []string{"ADDR", "BASE_URL", "SECRET", "DATABASE_URL", "METRICS_ADDR", "METRICS_TOKEN", "STOP_GRACE", "PUSHES_PER_MINUTE", "SERVER_MIB", "LISTING_MIB", "LISTING_DEPTH", "COMMENT_KIB", "KEEP_REFS_DAYS", "TRUSTED_PROXIES"} {
		if !strings.Contains(err.Error(), config.Prefix+name) {
			t.Errorf("%s is not named in: %v", name, err)
		}
	}
	for _, secret := range []string{"hunter2", "too-short", "short\""} {
		if strings.Contains(err.Error(), secret) {
			t.Errorf("%s is shown: %v", secret, err)
		}
	}
}

func TestOIDC(t *testing.T) {
	file := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(file, []byte("hunter2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	with := func(issuer, id, secret string) (config.Config, error) {
		return config.Load(env("COUNTERSIGN_OIDC_ISSUER", issuer, "COUNTERSIGN_OIDC_CLIENT_ID", id, "COUNTERSIGN_OIDC_CLIENT_SECRET_FILE", secret))
	}
	for _, issuer := range []string{"https://id.example.com", "https://id.example.com/realms/team/", "http://127.0.0.1:5556/dex", "http://localhost"} {
		c, err := with(issuer, "us", file)
		if err != nil || c.OIDCIssuer != issuer || c.OIDCClientID != "us" || c.OIDCClientSecret != "hunter2" {
			t.Errorf("%s: %+v, %v", issuer, c, err)
		}
		if all := strings.Join(c.Redacted(), "\n"); strings.Contains(all, "hunter2") || !strings.Contains(all, "OIDC_ISSUER="+issuer) {
			t.Errorf("shown as:\n%s", all)
		}
	}
	for _, issuer := range []string{"http://id.example.com", "id.example.com", "https://u:p@id.example.com", "https://id.example.com?x=1", "ftp://id.example.com"} {
		if _, err := with(issuer, "us", file); err == nil || !strings.Contains(err.Error(), "COUNTERSIGN_OIDC_ISSUER") {
			t.Errorf("%s: %v", issuer, err)
		}
	}
	for value, want := range map[string]string{"": config.NewcomersView, "viewer": config.NewcomersView, "none": config.NewcomersWait} {
		if c, err := config.Load(env("COUNTERSIGN_OIDC_NEWCOMERS", value)); err != nil || c.OIDCNewcomers != want {
			t.Errorf("newcomers %q: %q, %v", value, c.OIDCNewcomers, err)
		}
	}
	if _, err := config.Load(env("COUNTERSIGN_OIDC_NEWCOMERS", "admin")); err == nil || !strings.Contains(err.Error(), "COUNTERSIGN_OIDC_NEWCOMERS: want viewer or none") {
		t.Errorf("newcomers who rule: %v", err)
	}
	for missing, args := range map[string][3]string{"OIDC_ISSUER": {"", "us", file}, "OIDC_CLIENT_ID": {"https://id.example.com", "", file}, "OIDC_CLIENT_SECRET": {"https://id.example.com", "us", ""}} {
		if _, err := with(args[0], args[1], args[2]); err == nil || !strings.Contains(err.Error(), missing+": is missing") {
			t.Errorf("without %s: %v", missing, err)
		}
	}
}

func TestLoadSigningKey(t *testing.T) {
	for name, tt := range map[string]struct {
		env        []string
		text, file string
	}{
		"by itself": {[]string{"COUNTERSIGN_SIGNING_KEY", "pem"}, "pem", ""},
		"in a file": {[]string{"COUNTERSIGN_SIGNING_KEY_FILE", "/run/key"}, "", "/run/key"},
	} {
		c, err := config.Load(env(tt.env...))
		if err != nil || c.SigningKey != tt.text || c.SigningKeyFile != tt.file || c.OwnSigningKey {
			t.Errorf("%s: %+v, %v", name, c, err)
		}
		if strings.Contains(strings.Join(c.Redacted(), "\n"), "SIGNING_KEY=pem") {
			t.Errorf("%s: the key is shown", name)
		}
	}
	if _, err := config.Load(env("COUNTERSIGN_SIGNING_KEY", "pem", "COUNTERSIGN_SIGNING_KEY_FILE", "/run/key")); err == nil {
		t.Error("two keys at once were taken")
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

func TestBaseURLHasNoPath(t *testing.T) {
	for _, url := range []string{"https://h.example/countersign", "https://u:p@h.example", "https://h.example?x=1"} {
		if _, err := config.Load(env("COUNTERSIGN_BASE_URL", url)); err == nil {
			t.Errorf("%s was accepted", url)
		}
	}
	if c, err := config.Load(env("COUNTERSIGN_BASE_URL", "https://h.example/")); err != nil || c.BaseURL != "https://h.example" {
		t.Errorf("a slash at the end: %q, %v", c.BaseURL, err)
	}
}

func TestStrangers(t *testing.T) {
	got := config.Strangers([]string{
		"PATH=/bin", "COUNTERSIGN_ADDR=x", "COUNTERSIGN_SECRET_FILE=x", "COUNTERSIGN_TOKEN=x", "COUNTERSIGN_TEST_POSTGRES=x", "COUNTERSIGN_EMPTY=",
		"COUNTERSIGN_TRUSTED_PROXIE=10.0.0.0/8", "COUNTERSIGN_DATABSE_URL=x", "COUNTERSIGN_SECRETFILE=x", "COUNTERSIGN_COLOUR=blue",
	})
	want := []config.Stranger{
		{Name: "COUNTERSIGN_COLOUR"},
		{Name: "COUNTERSIGN_DATABSE_URL", Near: "COUNTERSIGN_DATABASE_URL"},
		{Name: "COUNTERSIGN_SECRETFILE", Near: "COUNTERSIGN_SECRET_FILE"},
		{Name: "COUNTERSIGN_TRUSTED_PROXIE", Near: "COUNTERSIGN_TRUSTED_PROXIES"},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestMisspeltSettingIsAFault(t *testing.T) {
	t.Setenv("COUNTERSIGN_TRUSTED_PROXIE", "10.0.0.0/8")
	if _, err := config.FromEnvironment(); err == nil || !strings.Contains(err.Error(), "is COUNTERSIGN_TRUSTED_PROXIES meant?") {
		t.Errorf("error %v", err)
	}
}

func TestWarnings(t *testing.T) {
	for _, c := range []struct {
		base, metrics string
		want          int
	}{
		{"https://countersign.example", "127.0.0.1:9090", 0},
		{"http://localhost:8080", "", 0},
		{"http://[::1]:8080", "[::1]:9090", 0},
		{"http://countersign.example", "0.0.0.0:9090", 2},
	} {
		if got := (config.Config{BaseURL: c.base, MetricsAddr: c.metrics}).Warnings(); len(got) != c.want {
			t.Errorf("%s, %s: %q", c.base, c.metrics, got)
		}
	}
}

func TestDatabasePassword(t *testing.T) {
	file := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(file, []byte("a/b@c:d\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := config.Load(env("COUNTERSIGN_DATABASE_URL", "postgres://me@h/d?sslmode=disable", "COUNTERSIGN_DATABASE_PASSWORD_FILE", file))
	if want := "postgres://me:a%2Fb%40c%3Ad@h/d?sslmode=disable"; err != nil || c.DatabaseURL != want {
		t.Errorf("got %q, %v", c.DatabaseURL, err)
	}
	if all := strings.Join(c.Redacted(), "\n"); strings.Contains(all, "a%2F") || strings.Contains(all, "a/b") {
		t.Errorf("the password is shown in:\n%s", all)
	}
	for _, url := range []string{"postgres://me:other@h/d", "postgres://me@h/d?password=x", "postgres://h/d", "sqlite:x.db", ""} {
		_, err := config.Load(env("COUNTERSIGN_DATABASE_URL", url, "COUNTERSIGN_DATABASE_PASSWORD", "p4ss"))
		if err == nil || !strings.Contains(err.Error(), "COUNTERSIGN_DATABASE_PASSWORD") || strings.Contains(err.Error(), "p4ss") {
			t.Errorf("%q: %v", url, err)
		}
	}
}
