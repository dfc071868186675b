package change

import (
	"fmt"
	"strings"
	"testing"
)

func TestPassages(t *testing.T) {
	for _, c := range []struct {
		name, old, new string
		want           []string
	}{
		{"inserted", "One is here. Two is here.", "One is here. New words. Two is here.", []string{"+New words."}},
		{"removed", "One is here. Two is here.", "Two is here.", []string{"-One is here."}},
		{"two inserted apart", "One is here. Two is here.", "New. One is here. Two is here. Late.", []string{"+New.", "+Late."}},
		{"two inserted together", "One is here.", "One is here. Late. Later.", []string{"+Late.", "+Later."}},
		{"reworded", "The first one is here. Two.", "The first one is there. Two.", []string{"-The first one is here. +The first one is there."}},
		{"replaced", "Old words stand. Two.", "Nothing alike. Two.", []string{"-Old words stand. +Nothing alike."}},
		{"reworded beside boilerplate", "Map of a lake. Drawn from the air.", "Map of a lake. Drawn from the ground. Ask first.", []string{"-Drawn from the air. +Drawn from the ground.", "+Ask first."}},
		{"moved", "One is here. Two is here. Three is here.", "Three is here. One is here. Two is here.", []string{"reordered"}},
		{"moved and more", "One is here. Two is here.", "Two is here. One is here. New words.", []string{"+New words.", "reordered"}},
		{"blanks", "One is here. Two.", "One is here.  Two.", []string{"blanks"}},
		{"twice the same", "Go. Stop. Go.", "Go. Go. Go.", []string{"-Stop. +Go."}},
		{"all new", "", "One. Two.", []string{"+One.", "+Two."}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := drawPassages(passages(c.old, c.new))
			if strings.Join(got, " | ") != strings.Join(c.want, " | ") {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

func drawPassages(ps []passage) []string {
	var out []string
	for _, p := range ps {
		var parts []string
		switch p.how {
		case reordered:
			parts = append(parts, "reordered")
		case blanks:
			parts = append(parts, "blanks")
		default:
			if p.lost != "" {
				parts = append(parts, "-"+p.lost)
			}
			if p.gained != "" {
				parts = append(parts, "+"+p.gained)
			}
		}
		out = append(out, strings.Join(parts, " "))
	}
	return out
}

// A long insertion is one passage: nobody decides forty sentences one by one.
func TestLongInsertionIsOnePassage(t *testing.T) {
	var b strings.Builder
	for i := range 40 {
		fmt.Fprintf(&b, " Sentence %d is new.", i)
	}
	if got := passages("First.", "First."+b.String()); len(got) != 1 {
		t.Errorf("%d passages, want 1", len(got))
	}
}

// Every sentence that stands on one side only is in some passage.
func FuzzPassages(f *testing.F) {
	f.Add("One. Two. Three.", "Two. One. Four.")
	f.Add("a\n\n- b\n- c", "a\n\n- c\n- d")
	f.Fuzz(func(t *testing.T, old, new string) {
		if old == new {
			return
		}
		ps := passages(old, new)
		if len(ps) == 0 {
			t.Fatal("the texts differ and no passage says so")
		}
		var lost, gained strings.Builder
		for _, p := range ps {
			lost.WriteString(p.lost + "\n")
			gained.WriteString(p.gained + "\n")
		}
		covers(t, sentenceTexts(old), sentenceTexts(new), lost.String())
		covers(t, sentenceTexts(new), sentenceTexts(old), gained.String())
	})
}

func covers(t *testing.T, have, other []string, passages string) {
	t.Helper()
	on := map[string]bool{}
	for _, s := range other {
		on[s] = true
	}
	for _, s := range have {
		if !on[s] && !strings.Contains(passages, s) {
			t.Errorf("no passage holds %q", s)
		}
	}
}

// Three thousand sentences in reverse order are no reason to hang.
func TestPassagesOfReversedText(t *testing.T) {
	var a, b strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&a, "Sentence %d stands. ", i)
		fmt.Fprintf(&b, "Sentence %d stands. ", 3000-i)
	}
	if got := passages(a.String(), b.String()); len(got) == 0 {
		t.Error("no passage")
	}
}
