package change

import "testing"

func TestFreshMarks(t *testing.T) {
	for _, c := range []struct {
		name, old, new, want string
		grave                bool
	}{
		{"none", "a", "b", "", false},
		{"came", "a", "a\u200b", "U+200B ZERO WIDTH SPACE", true},
		{"was there", "a\u200bb", "a\u200bc", "", false},
		{"went", "a\u200b", "a", "", false},
		{"one more", "a\u200b", "\u200ba\u200b", "U+200B ZERO WIDTH SPACE", true},
		{"a no-break space misleads nobody", "a b", "a\u00a0b", "U+00A0 NO-BREAK SPACE", false},
		{"accents are no secret", "cafe", "café", "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := freshMarks([]string{c.old}, []string{c.new})
			if got.labels != c.want || got.grave != c.grave {
				t.Errorf("got %q grave %t, want %q grave %t", got.labels, got.grave, c.want, c.grave)
			}
		})
	}
}

// Hidden characters are found in names of members and in values at any depth.
func TestStringsOf(t *testing.T) {
	got := stringsOf([]byte(`{"a\u200b":[1,{"b":"c"}],"d":null}`))
	want := []string{"a\u200b", "b", "c", "d"}
	if len(got) != len(want) {
		t.Fatalf("got %q, want %q", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
