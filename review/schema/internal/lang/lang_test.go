package lang

import (
	"regexp"
	"strings"
	"testing"
)

func mustSearch(t *testing.T, s *Store, p string) ID {
	t.Helper()
	id, err := s.Search(p)
	if err != nil {
		t.Fatalf("Search(%q): %v", p, err)
	}
	return id
}

func TestSearchAgreesWithGo(t *testing.T) {
	patterns := []string{
		``, `a`, `^a`, `a$`, `^a$`, `^$`, `^[a-z]+$`, `^(foo|bar)$`, `^a|b$`, `(^a)?b`, `(a|^b)c`, `a{2,4}`, `^(?:ab){1,2}$`,
		`^.{1,3}$`, `[^a]`, `(?i)^ab$`, `^\d{4}-\d{2}$`, `^\w+@\w+$`, `^(a*)*$`, `x*^y`, `(^|,)a(,|$)`, `a(b|$)`, `^(a?b?)$`, `\.`, `[\]\-a]`, `^\s*$`,
		`^(a|ab)(c|bcd)$`, `(?s)^.$`, `$^`, `^a*?b`, `\x{61}`,
		`\ba\b`, `\Bb`, `^\w+\b.$`, `(a|\b)b`, `a\b|^$`, `\b`, `\B`, `x?\by?`,
	}
	texts := []string{"", "a", "b", "ab", "ba", "aa", "aaa", "foo", "bar", "foobar", "c", "ac", "bc", "abcd", "abc", "abab", "AB", "aB", "2024-01", "a@b",
		"\n", " ", "a,b", "b,a", ",", "y", "xy", ".", "]", "-", "é", "日本", "a\nb", "bcd", "aaaaab"}
	for _, p := range patterns {
		s := NewStore()
		id := mustSearch(t, s, p)
		re := regexp.MustCompile("(?s)" + p)
		for _, text := range texts {
			if got, want := s.Matches(id, text), re.MatchString(text); got != want {
				t.Errorf("pattern %q, text %q: got %v, want %v", p, text, got, want)
			}
		}
	}
}

func TestLookAhead(t *testing.T) {
	tests := []struct {
		pattern string
		yes, no []string
	}{
		{`^(?!-)[a-z-]+$`, []string{"a", "a-", "ab-c"}, []string{"", "-", "-a", "A"}},
		{`^(?=x$)x$`, []string{"x"}, []string{"", "xx", "y"}},
		{`^(?=.*[0-9])(?=.*[a-z]).{3,}$`, []string{"a0b", "00a"}, []string{"aaa", "a0", "000"}},
		{`^(?:(?!ab)[a-c]{2}|zz)$`, []string{"ac", "ba", "zz"}, []string{"ab", "z"}},
		{`^\u0061(?!b)`, []string{"a", "ac"}, []string{"ab", "b"}},
		{`^((?!a).){2}$`, []string{"bb", "bc"}, []string{"ab", "ba", "b"}},
		{`^((?!ab).)*$`, []string{"", "a", "ba", "acb"}, []string{"ab", "xab", "abx"}},
		{`^(?:(?!ab)[a-c])+$`, []string{"a", "ba", "acb"}, []string{"", "ab", "cab", "x"}},
		{`^\p{Letter}+(?!1)$`, []string{"é"}, []string{"1", ""}},
		{`foo(?!bar)`, []string{"foo", "foobaz", "foobarfoo"}, []string{"foobar", "fo"}},
		{`^(?![Cc]on$|nul$).+$`, []string{"console", "x"}, []string{"con", "Con", "nul", ""}},
	}
	for _, tt := range tests {
		s := NewStore()
		id := mustSearch(t, s, tt.pattern)
		for _, text := range tt.yes {
			if !s.Matches(id, text) {
				t.Errorf("%q must match %q", tt.pattern, text)
			}
		}
		for _, text := range tt.no {
			if s.Matches(id, text) {
				t.Errorf("%q must not match %q", tt.pattern, text)
			}
		}
	}
}

func TestUnsupported(t *testing.T) {
	for p, want := range map[string]string{
		`(?<=a)b`: "look-behind", `(a)\1`: "back-reference", `(?!a`: "unreadable", `[a(?=b)`: "unreadable", `^((?!foo)..)*$`: "inside a repetition", `((?!foo).)*x`: "inside a repetition", `(`: "unreadable", `(?m)^a$`: "multi-line",
		strings.Repeat("a", maxPattern+1): "long",
	} {
		_, err := NewStore().Search(p)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Search(%.20q) = %v, want an error about %q", p, err, want)
		}
	}
}

func TestContains(t *testing.T) {
	tests := []struct {
		big, small string
		min, max   int
		want       bool
	}{
		{`^[a-z0-9]+$`, `^[a-z]+$`, 0, -1, true},
		{`^[a-z]+$`, `^[a-z0-9]+$`, 0, -1, false},
		{`^(foo|bar|baz)$`, `^(foo|bar)$`, 0, -1, true},
		{`.*`, ``, 0, -1, true},
		{`^.{1,20}$`, `^.{1,10}$`, 0, -1, true},
		{`^.{0,10}$`, ``, 0, 10, true}, // a dot is any character
		{`^[^\n]{0,10}$`, ``, 0, 10, false},
		{`^[\s\S]{0,10}$`, ``, 0, 10, true},
		{`^a`, `^ab`, 0, -1, true},
		{`[0-9]`, `^\d+$`, 0, -1, true},
		{`.`, `^.{1,}$`, 0, -1, true},
		{`b.*b`, `^ba+b$`, 0, -1, true},
		{`^[^@]+@[^@]+$`, `^[a-z]+@[a-z]+\.com$`, 0, -1, true},
	}
	for _, tt := range tests {
		s := NewStore()
		got, err := s.Contains(mustSearch(t, s, tt.big), mustSearch(t, s, tt.small), tt.min, tt.max)
		if err != nil || got != tt.want {
			t.Errorf("%q contains %q (%d..%d) = %v, %v; want %v", tt.big, tt.small, tt.min, tt.max, got, err, tt.want)
		}
	}
}

func TestFind(t *testing.T) {
	tests := []struct {
		pattern  string
		min, max int
		want     string
		ok       bool
	}{
		{``, 0, -1, "", true},
		{``, 3, -1, "aaa", true},
		{`^[0-9]+$`, 0, -1, "0", true},
		{`^[0-9]+$`, 3, 4, "000", true},
		{`^ab$`, 3, -1, "", false},
		{`^ab$`, 0, 1, "", false},
		{`^(ab)+$`, 3, -1, "abab", true},
		{`^[^a-z]$`, 0, -1, "0", true},
		{`^\p{Greek}$`, 0, -1, "Ͱ", true},
	}
	for _, tt := range tests {
		s := NewStore()
		got, ok, err := s.Find(mustSearch(t, s, tt.pattern), tt.min, tt.max)
		if err != nil || ok != tt.ok || got != tt.want {
			t.Errorf("Find(%q, %d, %d) = %q, %v, %v; want %q, %v", tt.pattern, tt.min, tt.max, got, ok, err, tt.want, tt.ok)
		}
	}
}

func TestLongMinimum(t *testing.T) {
	s := NewStore()
	got, ok, err := s.Find(mustSearch(t, s, `^[a-z]+$`), 65_536, -1)
	if err != nil || !ok || len(got) != 65_536 {
		t.Errorf("got %d bytes, %v, %v", len(got), ok, err)
	}
}

func TestEnumerate(t *testing.T) {
	s := NewStore()
	got, all, err := s.Enumerate(mustSearch(t, s, `^(a|bb|ccc)$`), 0, -1, 5)
	if err != nil || !all || strings.Join(got, " ") != "a bb ccc" {
		t.Errorf("got %q, %v, %v", got, all, err)
	}
	got, all, err = s.Enumerate(s.All, 0, -1, 3)
	if err != nil || all || len(got) != 3 {
		t.Errorf("got %q, %v, %v", got, all, err)
	}
}

// A catastrophic pattern must end with a result or a clear refusal.
func TestBounded(t *testing.T) {
	for _, p := range []string{`^(a+)+$`, `^(([a-z])+.)+[A-Z]([a-z])+$`, `^(a|aa)+$`, `(x+x+)+y`, `^(.*a.{14})$`, `^((a{1,100}){1,10})$`} {
		s := NewStore()
		id, err := s.Search(p)
		if err != nil {
			t.Errorf("%q: %v", p, err)
			continue
		}
		if _, _, err := s.Find(s.And(id, s.Not(mustSearch(t, s, `^a*b`))), 40, 60); err != nil && err != ErrLimit {
			t.Errorf("%q: %v", p, err)
		}
	}
}

func FuzzSearch(f *testing.F) {
	for _, p := range []string{`^a|b$`, `(a*)*`, `[^\d]{2,3}$`, `(^a)?b`, `^(?!x)y`} {
		f.Add(p, "ab")
	}
	f.Fuzz(func(t *testing.T, p, text string) {
		if len(p) > 40 || len(text) > 20 {
			return
		}
		s := NewStore()
		id, err := s.Search(p)
		re, goErr := regexp.Compile("(?s)" + p)
		if err != nil || goErr != nil || strings.ContainsRune(text, '\uFFFD') {
			return
		}
		if got, want := s.Matches(id, text), re.MatchString(text); got != want {
			t.Errorf("pattern %q, text %q: got %v, want %v", p, text, got, want)
		}
		found, ok, err := s.Find(id, 0, -1)
		if err == nil && ok && !re.MatchString(found) {
			t.Errorf("pattern %q: found %q, which does not match", p, found)
		}
	})
}
