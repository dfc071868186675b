package views_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/a-h/templ"
	"github.com/google/go-cmp/cmp"

	"github.com/countersign/countersign/review/change"
	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/prose"
	"github.com/countersign/countersign/views"
)

func rendered(t testing.TB, c templ.Component) string {
	t.Helper()
	var b bytes.Buffer
	if err := c.Render(templ.WithNonce(context.Background(), "n0nce"), &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestSay(t *testing.T) {
	code := func(s string) string { return "<" + s + ">" }
	for in, want := range map[string]string{
		"":                               "",
		"Plain.":                         "Plain.",
		"Calls without `depth` fail.":    "Calls without <depth> fail.",
		"`a` and `b`":                    "<a> and <b>",
		"A lone ` stays.":                "A lone ` stays.",
		"`x\u200b` hides":                "<x[U+200B]> hides",
		"``":                             "",
		"`a\nb` is\na name":              "<a[U+000A]b> is\na name",
		"<b> is text, `<i>` is code too": "<b> is text, <<i>> is code too",
	} {
		got := ""
		for _, p := range views.Say(in) {
			if p.Code {
				got += code(p.Text.String())
			} else {
				got += p.Text.String()
			}
		}
		if got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestShowName(t *testing.T) {
	for in, want := range map[string]string{
		"find":          "find",
		"a b":           "a b",
		"a  b":          "a [U+0020]b",
		" a":            "[U+0020]a",
		"a ":            "a[U+0020]",
		"a\nb":          "a[U+000A]b",
		"a\tb":          "a[U+0009]b",
		"pay\u200bment": "pay[U+200B]ment",
		"a/../b":        "a/../b",
		"":              "",
		"\n":            "[U+000A]",
	} {
		v := views.ShowName(in)
		if got := v.String(); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
		if raw := v.Raw(); raw != in {
			t.Errorf("%q: the raw text is %q", in, raw)
		}
	}
}

func FuzzShowName(f *testing.F) {
	for _, s := range []string{"find", " a  b ", "\n\t", "\u200b \u200b", "\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		v := views.ShowName(s)
		if v.Raw() != s {
			t.Errorf("%q became %q", s, v.Raw())
		}
		if strings.ContainsAny(v.String(), "\n\t") {
			t.Errorf("%q is drawn over lines: %q", s, v.String())
		}
	})
}

func TestTexts(t *testing.T) {
	a, b := "One.", "Two."
	for name, c := range map[string]struct {
		old, new *string
		want     views.TextState
	}{
		"none": {nil, nil, views.NoText}, "gained": {nil, &b, views.Gained}, "lost": {&a, nil, views.Lost},
		"same": {&a, &a, views.Same}, "differs": {&a, &b, views.Differs},
	} {
		if got := views.Texts(c.old, c.new, "1", "2"); got.State != c.want {
			t.Errorf("%s: %q", name, got.State)
		}
	}
}

// TestDiffIsWhole: both sides of a diff, read in order, are the two texts.
func TestDiffIsWhole(t *testing.T) {
	for _, c := range [][2]string{
		{"One.\nTwo.\nThree.\n", "One.\nTwo and a half.\nThree.\n"},
		{"a\n\n\nb", "a\nb"}, {"", "x"}, {"Same\nsame\nsame\nold", "Same\nsame\nsame\nnew"},
		{"\u200bone", "one"}, {strings.Repeat("line\n", 2000) + "a", strings.Repeat("line\n", 2000) + "b"},
	} {
		d := views.Texts(&c[0], &c[1], "", "")
		old, new := "", ""
		for _, r := range d.Rows {
			old += raw(r.Old)
			new += raw(r.New)
		}
		if old != c[0] || new != c[1] {
			t.Errorf("%.40q -> %.40q became %.40q -> %.40q", c[0], c[1], old, new)
		}
		if len(d.Rows) > 5 {
			t.Errorf("%.40q: %d rows, lines that are the same should be one", c[0], len(d.Rows))
		}
	}
}

func raw(pieces []prose.Piece) string {
	var b strings.Builder
	for _, p := range pieces {
		b.WriteString(p.Raw)
	}
	return b.String()
}

// TestTextIsText: whatever somebody's text holds, it comes out as text.
func TestTextIsText(t *testing.T) {
	for _, hostile := range []string{`<img src=x onerror=alert(1)>`, `"><script>x</script>`, "{{ x }}", "&lt;", "'\"", "\u202e"} {
		v := prose.Show(hostile)
		html := rendered(t, views.Text(v)) + rendered(t, views.Said(v)) + rendered(t, views.Name(views.ShowName(hostile))) + rendered(t, views.Says(views.Say("x `"+hostile+"`")))
		if strings.Contains(html, "<img") || strings.Contains(html, "<script") || strings.Contains(html, "\u202e") {
			t.Errorf("%q comes out as %s", hostile, html)
		}
	}
}

func TestBadges(t *testing.T) {
	for _, c := range []change.Class{change.Breaking, change.Undecided, change.Behaviour, change.Text, change.Compatible, change.None, "new kind"} {
		b := views.ClassBadge(c)
		html := rendered(t, views.BadgeOf(b))
		if b.Word == "" || !strings.Contains(html, b.Word) || !strings.Contains(html, ` d="M`) {
			t.Errorf("%s has no word or no icon: %s", c, html)
		}
	}
	for _, r := range []gate.Result{gate.Pass, gate.Blocked, gate.Undecided, gate.Error, ""} {
		if html := rendered(t, views.GateWord(views.GateBadge(r))); !strings.Contains(html, ` d="M`) {
			t.Errorf("%q has no icon: %s", r, html)
		}
	}
}

func TestPairUp(t *testing.T) {
	for name, c := range map[string]struct {
		old, new string
		want     string
	}{
		"same": {"a", "a", "a"}, "both": {"a", "b", "-a+b"}, "gained": {"", "b", "+b"}, "lost": {"a", "", "-a"}, "none": {"", "", ""},
	} {
		p := views.PairUp(c.old, c.new)
		got := p.Both.String()
		if p.Old != nil {
			got += "-" + p.Old.String()
		}
		if p.New != nil {
			got += "+" + p.New.String()
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
