package report

import (
	"bytes"
	"html"
	"regexp"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	gmhtml "github.com/yuin/goldmark/renderer/html"

	"github.com/countersign/countersign/review/prose"
)

func TestLine(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"get_me", "get_me"},
		{"a\n::error::b", `a\n:\:error:\:b`},
		{"a\r\nb\tc", `a\nb\tc`},
		{"##vso[task.complete]", `#\#vso[task.complete]`},
		{"\x1b[31mred", "[U+001B][31mred"},
		{"zero\u200bwidth", "zero[U+200B]width"},
	} {
		if got := Line(c.in); got != c.want {
			t.Errorf("%q: got %q, want %q", c.in, got, c.want)
		}
	}
}

func TestCode(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"get_me", "`get_me`"},
		{"a`b", "`` a`b ``"},
		{"``", "``` `` ```"},
		{"", "`  `"},
		{"@team <b>", "`@team <b>`"},
	} {
		if got := Code(c.in); got != c.want {
			t.Errorf("%q: got %s, want %s", c.in, got, c.want)
		}
	}
}

var (
	hostile = []string{
		"plain words", "a < b > c & d", "<script>alert(1)</script>", "<!-- hidden -->", "**bold** _it_ ~~no~~ `code`",
		"@team please", "see #12 and GH-3", "https://example.org/x and www.example.org", "mail a@example.org",
		"[link](https://example.org)", "![img](x.png)", "| a | b |\n|---|---|", "```\nfence\n```", "# heading", "> quote",
		"1. one\n2. two", "- item", "\n::error::x", "a\u202eb\u200bc", "\\*", "&lt;", "&#64;team", "a  b\u00a0c", "line\\\nbreak", ":smile:",
		"[x]: https://example.org", "***", "+ plus", "= equals\n===", "http://", "ftp://x.y", "a\\", "$x$",
	}
	comment = regexp.MustCompile(`<!-- -->`)
	tag     = regexp.MustCompile(`<[^>]*>`)
)

func render(t *testing.T, md string) string {
	t.Helper()
	var b bytes.Buffer
	gm := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(gmhtml.WithUnsafe()))
	if err := gm.Convert([]byte(md), &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Rendered, escaped text is one paragraph of the same characters: no link, no
// element, and no two characters together that a forge would act on.
func checkMarkdown(t *testing.T, s string) {
	t.Helper()
	md := "x " + Markdown(s) + " x" // as it always stands: inside a sentence
	out := strings.TrimSpace(render(t, md))
	for _, bad := range []string{"@team", "#12", "://", "::", "www."} {
		if strings.Contains(out, bad) {
			t.Errorf("%q renders %q together: %s", s, bad, out)
		}
	}
	body := strings.TrimSuffix(strings.TrimPrefix(comment.ReplaceAllString(out, ""), "<p>"), "</p>")
	if tag.MatchString(body) {
		t.Errorf("%q renders elements: %s", s, out)
	}
	want := "x " + strings.Join(strings.Fields(prose.Show(s).String()), " ") + " x"
	if got := html.UnescapeString(body); strings.Join(strings.Fields(got), " ") != strings.Join(strings.Fields(want), " ") {
		t.Errorf("%q renders as %q, want %q", s, got, want)
	}
}

func TestMarkdown(t *testing.T) {
	for _, s := range hostile {
		checkMarkdown(t, s)
	}
}

func TestSentence(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"`a_b` is gone.", "`a_b` is gone."},
		{"`a` and `b`", "`a` and `b`"},
		{"one ` only", "one \\` only"},
		{"It says: \"*x*\".", `It says: "\*x\*".`},
		{"`@team` and @team", "`@team` and @<!-- -->team"},
		{"`<b>` and <b>", "`<b>` and &lt;b&gt;"},
		{"empty `` here", "empty \\`\\` here"},
	} {
		if got := Sentence(c.in); got != c.want {
			t.Errorf("%q: got %s, want %s", c.in, got, c.want)
		}
	}
}

// Whatever text stands in a sentence, it renders as text and code and nothing else.
func FuzzSentence(f *testing.F) {
	for _, s := range hostile {
		f.Add(s)
		f.Add("`" + s + "` says: " + s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		out := strings.TrimSpace(render(t, "x "+Sentence(s)+" x"))
		body := strings.TrimSuffix(strings.TrimPrefix(comment.ReplaceAllString(out, ""), "<p>"), "</p>")
		body = strings.NewReplacer("<code>", "", "</code>", "").Replace(body)
		if tag.MatchString(body) {
			t.Errorf("%q renders elements: %s", s, out)
		}
		text := regexp.MustCompile("<code>[^<]*</code>").ReplaceAllString(out, "x")
		for _, bad := range []string{"@team", "://", "::", "www."} {
			if strings.Contains(text, bad) {
				t.Errorf("%q renders %q together: %s", s, bad, out)
			}
		}
	})
}

func FuzzMarkdown(f *testing.F) {
	for _, s := range hostile {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) { checkMarkdown(t, s) })
}

// Whatever a line holds, it stays one line that no CI runner takes for a command.
func FuzzLine(f *testing.F) {
	for _, s := range hostile {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := Line(s)
		if strings.ContainsAny(got, "\n\r\x1b\x00") || strings.Contains(got, "::") || strings.Contains(got, "##") {
			t.Errorf("%q: %q", s, got)
		}
	})
}

// A code span shows exactly the line that it was given.
func FuzzCode(f *testing.F) {
	for _, s := range hostile {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		out := strings.TrimSpace(render(t, "x "+Code(s)+" x"))
		body, ok := strings.CutPrefix(out, "<p>x <code>")
		if body, ok2 := strings.CutSuffix(body, "</code> x</p>"); !ok || !ok2 || strings.Trim(html.UnescapeString(body), " ") != strings.Trim(Line(s), " ") {
			t.Errorf("%q: %s", s, out)
		}
	})
}
