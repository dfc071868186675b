package change_test

import (
	"testing"

	"github.com/countersign/countersign/review/change"
)

func TestSuggestedStep(t *testing.T) {
	const base = `[{"name":"a","description":"Find a thing.","inputSchema":{"type":"object","properties":{"q":{"type":"string"}},"required":["q"]}}]`
	for _, c := range []struct {
		name, new string
		want      change.Level
	}{
		{"same", base, change.LevelNone},
		{"words", `[{"name":"a","description":"Finds a thing.","inputSchema":{"type":"object","properties":{"q":{"type":"string"}},"required":["q"]}}]`, change.LevelPatch},
		{"hint", `[{"name":"a","description":"Find a thing.","inputSchema":{"type":"object","properties":{"q":{"type":"string"}},"required":["q"]},"annotations":{"readOnlyHint":true}}]`, change.LevelMinor},
		{"optional parameter", `[{"name":"a","description":"Find a thing.","inputSchema":{"type":"object","properties":{"q":{"type":"string"},"r":{"type":"string"}},"required":["q"]}}]`, change.LevelMinor},
		{"required parameter", `[{"name":"a","description":"Find a thing.","inputSchema":{"type":"object","properties":{"q":{"type":"string"},"r":{"type":"string"}},"required":["q","r"]}}]`, change.LevelMajor},
		{"renamed", `[{"name":"a_find","description":"Find a thing.","inputSchema":{"type":"object","properties":{"q":{"type":"string"}},"required":["q"]}}]`, change.LevelMajor},
		{"hint at its default", `[{"name":"a","description":"Find a thing.","inputSchema":{"type":"object","properties":{"q":{"type":"string"}},"required":["q"]},"annotations":{"readOnlyHint":false}}]`, change.LevelPatch},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := change.Compare(read(t, base), read(t, c.new), change.Options{})
			if r.Bump.Level != c.want || r.Bump.Reason == "" {
				t.Errorf("got %s (%s), want %s", r.Bump.Level, r.Bump.Reason, c.want)
			}
		})
	}
}

func TestEnough(t *testing.T) {
	for _, c := range []struct {
		old, new      string
		need          change.Level
		enough, known bool
	}{
		{"1.2.3", "1.2.4", change.LevelPatch, true, true},
		{"1.2.3", "1.2.4", change.LevelMinor, false, true},
		{"v1.2.3", "v1.3.0", change.LevelMinor, true, true},
		{"1.2.3", "2.0.0-rc.1", change.LevelMajor, true, true},
		{"2.8.1", "2.8.2", change.LevelMajor, false, true},
		{"0.10.2", "0.10.3", change.LevelMinor, false, true},
		{"0.10.2", "0.11.0", change.LevelMajor, true, true},
		{"1.2.3", "1.2.3+build", change.LevelPatch, false, false},
		{"2026.8.31", "2.0.1", change.LevelMajor, false, false},
		{"1.2", "1.3", change.LevelMinor, false, false},
		{"1.2.3", "1.2.3", change.LevelNone, true, true},
		{"1.2.3", "1.3.0", change.LevelUnknown, false, false},
	} {
		enough, known, sentence := change.Bump{Level: c.need, Reason: "Because."}.Enough(c.old, c.new)
		if enough != c.enough || known != c.known {
			t.Errorf("%s to %s for a %s step: enough %t known %t, want %t %t", c.old, c.new, c.need, enough, known, c.enough, c.known)
		}
		if (sentence != "") != (known && !enough) {
			t.Errorf("%s to %s: sentence %q", c.old, c.new, sentence)
		}
	}
}

// A team may write down another meaning of its versions.
func TestBumpPolicy(t *testing.T) {
	old := read(t, `[{"name":"a","description":"Find.","inputSchema":{"type":"object"}}]`)
	new := read(t, `[{"name":"a","description":"Find.","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}]`)
	r := change.Compare(old, new, change.Options{})
	strict := change.BumpPolicy{Patch: change.None, Minor: change.Text}
	if got := strict.Suggest(r); got.Level != change.LevelMajor {
		t.Errorf("strict policy: %+v", got)
	}
	lax := change.BumpPolicy{Patch: change.Behaviour, Minor: change.Undecided}
	if got := lax.Suggest(r); got.Level != change.LevelPatch {
		t.Errorf("lax policy: %+v", got)
	}
}
