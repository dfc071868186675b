package lint

import (
	"strings"
	"testing"
)

// FuzzHay: a word is found exactly where package strings finds it.
func FuzzHay(f *testing.F) {
	f.Add("Delete a branch from a repository, never a tag; unless force is set.", "force")
	f.Add(strings.Repeat("ab", 40), "ba")
	f.Add(strings.Repeat("\xff\x00", 40), "\x00\xff\x00")
	f.Add("short", "")
	f.Fuzz(func(t *testing.T, s, part string) {
		h := newHay(s)
		if got, want := h.index(part), strings.Index(s, part); got != want {
			t.Errorf("%q in %q: at %d, want %d", part, s, got, want)
		}
		if got, want := h.has("\x01none\x01", part), strings.Contains(s, part) || strings.Contains(s, "\x01none\x01"); got != want {
			t.Errorf("%q in %q: %t, want %t", part, s, got, want)
		}
	})
}
