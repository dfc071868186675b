package host_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/countersign/countersign/review/host"
)

// TestFixtures holds every fixture in testdata/captured against the profile of its
// host. One that differs says that the profile is about another version.
func TestFixtures(t *testing.T) {
	files, err := filepath.Glob("testdata/captured/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			f, err := host.ParseFixture(raw)
			if err != nil {
				t.Fatal(err)
			}
			c, err := f.Compare()
			if err != nil || c.Doubt || len(c.Tools) == 0 {
				t.Errorf("%v, %+v", err, c)
			}
		})
	}
}

// TestFixtureOfACapture exports a capture and reads it again: the same comparison,
// and nothing of anybody else.
func TestFixtureOfACapture(t *testing.T) {
	p, err := host.Lookup("claude-code")
	if err != nil {
		t.Fatal(err)
	}
	l := listing(t, listed)
	c, err := host.Compare(p, listing(t, `{"model":"m","system":"CANARY","messages":[{"role":"user","content":"CANARY"}],"tools":[
	 {"name":"mcp__other__secret","description":"CANARY","input_schema":{"type":"object"}},
	 {"name":"mcp__docs__extra","description":"CANARY","input_schema":{"type":"object"}},
	 {"name":"mcp__docs__write_page","description":"Writes a page.","input_schema":{"type":"object","properties":{}},"cache_control":{"type":"CANARY"}}]}`), host.Mount("docs", l))
	if err != nil {
		t.Fatal(err)
	}
	text := host.NewFixture(c, p.Version, p.Variant(), "2026-11-30", "docs", l).JSON()
	if bytes.Contains(text, []byte("CANARY")) {
		t.Errorf("a foreign text is in the fixture: %s", text)
	}
	f, err := host.ParseFixture(text)
	if err != nil {
		t.Fatal(err)
	}
	again, err := f.Compare()
	if err != nil || !again.Doubt || len(again.Tools) != 1 || again.Tools[0].Sent != "mcp__docs__write_page" || len(again.Absent) != 2 || again.Foreign != 1 {
		t.Errorf("%v, %+v", err, again)
	}
	if !bytes.Equal(f.JSON(), text) {
		t.Errorf("written again it is %s", f.JSON())
	}
	for _, bad := range []string{"", "[]", `{"host":"codex"}`, strings.Replace(string(text), `"host":"claude-code"`, `"host":"netscape"`, 1)} {
		if f, err := host.ParseFixture([]byte(bad)); err == nil {
			if _, err = f.Compare(); err == nil {
				t.Errorf("taken: %.80s", bad)
			}
		}
	}
}
