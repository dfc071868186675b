package config_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/countersign/countersign/internal/config"
	"github.com/countersign/countersign/internal/testkit"
)

func projectFile(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(testkit.Root(), name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// settingNames are the names that the environment may have.
func settingNames() (names []string) {
	for _, s := range (config.Config{}).Settings() {
		if names = append(names, s.Name); s.Secret {
			names = append(names, s.Name+"_FILE")
		}
	}
	return names
}

var variable = regexp.MustCompile(`COUNTERSIGN_[A-Z_]+`)

// TestInstallFilesNameSettings looks for variables that nothing reads in what
// people install from.
func TestInstallFilesNameSettings(t *testing.T) {
	known := settingNames()
	for _, file := range []string{"Dockerfile", "compose.yaml", "packaging/countersign.service", "packaging/environment.example", "docs/operating.md"} {
		found := variable.FindAllString(projectFile(t, file), -1)
		if len(found) == 0 {
			t.Errorf("%s names no variable", file)
		}
		for _, name := range found {
			if name != config.Prefix && !slices.Contains(known, name) {
				t.Errorf("%s names %s, which nothing reads", file, name)
			}
		}
	}
}

// TestEverySettingIsDocumented looks into the table of docs/operating.md.
func TestEverySettingIsDocumented(t *testing.T) {
	docs := projectFile(t, "docs/operating.md")
	for _, s := range (config.Config{}).Settings() {
		if !strings.Contains(docs, "\n| `"+strings.TrimPrefix(s.Name, config.Prefix)+"` |") {
			t.Errorf("docs/operating.md has no row for %s", s.Name)
		}
	}
}

type composeFile struct {
	Services map[string]struct {
		Environment map[string]string
		Secrets     []string
		Ports       []string
		Volumes     []string
		ReadOnly    bool                                  `yaml:"read_only"`
		CapDrop     []string                              `yaml:"cap_drop"`
		DependsOn   map[string]struct{ Condition string } `yaml:"depends_on"`
		Healthcheck struct{ Test []string }
	}
	Secrets map[string]struct{ File string }
	Volumes map[string]any
}

// TestCompose checks that what compose.yaml refers to is there, and that it keeps
// to what docs/operating.md promises.
func TestCompose(t *testing.T) {
	var c composeFile
	if err := yaml.Unmarshal([]byte(projectFile(t, "compose.yaml")), &c); err != nil {
		t.Fatal(err)
	}
	ours, database := c.Services["countersign"], c.Services["database"]
	for name, service := range c.Services {
		for _, secret := range service.Secrets {
			if !strings.HasPrefix(c.Secrets[secret].File, "./secrets/") {
				t.Errorf("%s uses the secret %s, which is no file under secrets/", name, secret)
			}
		}
		for variable, value := range service.Environment {
			if path, ok := strings.CutPrefix(value, "/run/secrets/"); ok && !slices.Contains(service.Secrets, path) {
				t.Errorf("%s: %s names the secret %s, which the service is not given", name, variable, path)
			}
		}
		for _, volume := range service.Volumes {
			if from, _, _ := strings.Cut(volume, ":"); !slices.Contains(keysOf(c.Volumes), from) {
				t.Errorf("%s mounts %s, which is no volume", name, volume)
			}
		}
		for other, on := range service.DependsOn {
			if on.Condition != "service_healthy" || len(c.Services[other].Healthcheck.Test) == 0 {
				t.Errorf("%s waits for %s, which has no health to wait for", name, other)
			}
		}
	}
	for _, port := range ours.Ports {
		if !strings.HasPrefix(port, "127.0.0.1:") {
			t.Errorf("the port %s is open to everybody", port)
		}
	}
	if !ours.ReadOnly || !slices.Equal(ours.CapDrop, []string{"ALL"}) || len(database.Ports) != 0 || len(ours.DependsOn) == 0 {
		t.Error("the services can do more than they need")
	}
	// What it sets is taken as it stands.
	dir := t.TempDir()
	pairs := []string{}
	for name, value := range ours.Environment {
		if secret, ok := strings.CutPrefix(value, "/run/secrets/"); ok {
			value = filepath.Join(dir, secret)
			if err := os.WriteFile(value, []byte(strings.Repeat(secret, 10)+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		value = regexp.MustCompile(`\$\{\w+:-([^}]*)\}`).ReplaceAllString(value, "$1")
		pairs = append(pairs, name, value)
	}
	got, err := config.Load(env(pairs...))
	if err != nil || got.NeedSecret() != nil || !strings.HasPrefix(got.DatabaseURL, "postgres://countersign:") {
		t.Errorf("the configuration of compose.yaml: %v, database %q", err, got.DatabaseURL)
	}
}

func keysOf(m map[string]any) (keys []string) {
	for k := range m {
		keys = append(keys, k)
	}
	return keys
}

// TestDockerfile checks the promises of the image.
func TestDockerfile(t *testing.T) {
	text := projectFile(t, "Dockerfile")
	_, image, ok := strings.Cut(text, "\nFROM scratch\n")
	if !ok || strings.Contains(image, "\nFROM ") {
		t.Fatal("the image is not made from scratch")
	}
	for _, want := range []string{"\nUSER 65532:65532\n", "\nHEALTHCHECK ", `CMD ["/countersign", "health"]`, "\nEXPOSE 8080\n",
		"COUNTERSIGN_ADDR=0.0.0.0:8080", "COUNTERSIGN_DATA_DIR=/data", "\nVOLUME /data\n", "org.opencontainers.image.version"} {
		if !strings.Contains(image, want) {
			t.Errorf("the image has no %q", want)
		}
	}
	for _, want := range []string{"CGO_ENABLED=0", "-trimpath", "-X main.release=${VERSION}"} {
		if !strings.Contains(text, want) {
			t.Errorf("the build has no %s", want)
		}
	}
	if ignored := projectFile(t, ".dockerignore"); !strings.Contains(ignored, "secrets\n") || !strings.Contains(ignored, "data\n") {
		t.Error(".dockerignore lets secrets or data into the image")
	}
}

// TestUnit asks systemd about the unit, with a program that is there.
func TestUnit(t *testing.T) {
	unit := projectFile(t, "packaging/countersign.service")
	tool, err := exec.LookPath("systemd-analyze")
	if err != nil {
		testkit.Missing(t, "systemd-analyze (Debian: systemd)")
	}
	file := filepath.Join(t.TempDir(), "countersign.service")
	there := strings.Replace(unit, "/usr/local/bin/countersign", "/bin/true", 1)
	if err := os.WriteFile(file, []byte(there), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(tool, "verify", "--man=no", file).CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("verify: %v\n%s", err, out)
	}
	if out, err := exec.Command(tool, "security", "--offline=true", "--threshold=20", file).CombinedOutput(); err != nil { // 2.0 of 10, where 9.6 is a unit without any protection
		t.Errorf("security: %v\n%s", err, out[max(0, len(out)-500):])
	}
}
