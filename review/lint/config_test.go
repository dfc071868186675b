package lint_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/countersign/countersign/review/lint"
)

const aHash = "sha256:0123456789012345678901234567890123456789012345678901234567890123"

func TestParseConfig(t *testing.T) {
	got, err := lint.ParseConfig([]byte(`lint:
  rules:
    desc.no-when: off
    "shadow.*": high
    surface.redundant-prefix: on
  waivers:
    - fingerprint: ` + aHash + `
      rule: desc.tautology
      reason: the name says it all
      kind: could-not-check
      expires: 2026-12-31
`))
	if err != nil {
		t.Fatal(err)
	}
	want := lint.Options{
		Off: []string{"desc.no-when"}, On: []string{"surface.redundant-prefix"},
		Severity: map[string]lint.Severity{"shadow.cross-server-ref": lint.High, "shadow.impersonation": lint.High},
		Waivers:  []lint.Waiver{{Fingerprint: aHash, Rule: "desc.tautology", Reason: "the name says it all", Kind: lint.CouldNotTell, Expires: "2026-12-31"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if _, err := lint.ParseConfig(nil); err != nil {
		t.Errorf("an empty file: %v", err)
	}
}

// A word that is not understood is an error: it would silently switch nothing off.
func TestParseConfigStrict(t *testing.T) {
	for name, tc := range map[string]struct{ text, want string }{
		"field":       {"lint:\n  rule: {}\n", "field rule not found"},
		"top":         {"rules: {}\n", "field rules not found"},
		"rule":        {"lint:\n  rules:\n    desc.nothing: off\n", `unknown rule "desc.nothing"`},
		"word":        {"lint:\n  rules:\n    desc.missing: never\n", `"never": want off, on, info`},
		"no reason":   {"lint:\n  waivers:\n    - fingerprint: " + aHash + "\n", "has no reason"},
		"fingerprint": {"lint:\n  waivers:\n    - fingerprint: abc\n      reason: x\n", `fingerprint "abc"`},
		"day":         {"lint:\n  waivers:\n    - fingerprint: " + aHash + "\n      reason: x\n      expires: soon\n", `expires "soon"`},
		"month":       {"lint:\n  waivers:\n    - fingerprint: " + aHash + "\n      reason: x\n      expires: 2026-13-01\n", `expires "2026-13-01"`},
		"kind":        {"lint:\n  waivers:\n    - fingerprint: " + aHash + "\n      reason: x\n      kind: whatever\n", `kind "whatever"`},
		"waived rule": {"lint:\n  waivers:\n    - fingerprint: " + aHash + "\n      reason: x\n      rule: a.b\n", `unknown rule "a.b"`},
		"two":         {"lint: {}\n---\nlint: {}\n", "more than one document"},
		"no yaml":     {"lint: [", "did not find"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := lint.ParseConfig([]byte(tc.text)); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
}

func FuzzParseConfig(f *testing.F) {
	f.Add([]byte("lint:\n  rules:\n    desc.missing: off\n"))
	f.Add([]byte("a: &a [*a]\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		opt, err := lint.ParseConfig(b)
		if err != nil {
			return
		}
		for _, w := range opt.Waivers {
			if err := w.Valid(); err != nil {
				t.Errorf("accepted: %v", err)
			}
		}
	})
}

func TestParseCaseErrors(t *testing.T) {
	for line, want := range map[string]string{
		`{`:                                "unexpected end",
		`{"id":1}`:                         `want either "tool" or "tools"`,
		`{"tool":{"name":"a"},"tools":[]}`: `want either "tool" or "tools"`,
		`{"tools":[],"context":{"other_servers":{"x":[7]}}}`:         "other_servers/x",
		`{"tool":{"name":"a"},"context":{"previous":{"n":1,"n":2}}}`: "previous",
		`{"tool":{"name":"a","name":"b"}}`:                           "tools",
	} {
		if _, err := lint.ParseCase([]byte(line)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", line, err, want)
		}
	}
}
