package web

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/change"
)

func TestDistance(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for d, want := range map[time.Duration]string{
		0:                    "a moment ago",
		59 * time.Second:     "a moment ago",
		time.Minute:          "a minute ago",
		119 * time.Minute:    "an hour ago",
		26 * time.Hour:       "a day ago",
		15 * 24 * time.Hour:  "2 weeks ago",
		800 * 24 * time.Hour: "2 years ago",
		-30 * time.Second:    "in a moment",
		-3 * time.Hour:       "in 3 hours",
		-24 * time.Hour:      "in a day",
	} {
		if got := distance(now, now.Add(-d)); got != want {
			t.Errorf("%s: %q, want %q", d, got, want)
		}
	}
	if w := when(now, time.Time{}); w.ISO != "" || w.Text != "" {
		t.Errorf("no moment is %+v", w)
	}
}

func TestCounting(t *testing.T) {
	for n, want := range map[int]string{0: "0 tools", 1: "1 tool", 999: "999 tools", 1000: "1,000 tools", 1234567: "1,234,567 tools"} {
		if got := toolCount(n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
	for want, list := range map[string][]int{"": nil, "12": {12}, "12, 28–29": {12, 28, 29}, "1–3, 5, 7–8": {1, 2, 3, 5, 7, 8}} {
		if got := positions(list); got != want {
			t.Errorf("%v: %q, want %q", list, got, want)
		}
	}
	if got := countWords(change.Counts{Changed: 1, Added: 2, Same: 1000})[0]; got != "1 tool changed, 2 new, 1,000 the same" {
		t.Error(got)
	}
	if got := countWords(change.Counts{})[0]; got != "no tools" {
		t.Error(got)
	}
}

func TestPathEscapes(t *testing.T) {
	for want, got := range map[string]string{
		"/releases/a%2F..%2Fb":                 releasePath("a/../b"),
		"/releases/1?tool=n1&view=tools":       releasePath("1", "view", "tools", "tool", "n1"),
		"/releases/1":                          releasePath("1", "filter", ""),
		"/servers/git/compare?from=a%26b&to=c": comparePath("git", "a&b", "c"),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestBackTo(t *testing.T) {
	for wanted, want := range map[string]string{
		"/releases/1?view=tools#d-1": "/releases/1?view=tools#d-1",
		"/":                          "/",
		"":                           "/else",
		"//evil.example/x":           "/else",
		"https://evil.example/":      "/else",
		`/\evil.example`:             "/else",
		"javascript:alert(1)":        "/else",
		"releases/1":                 "/else",
		"/a\nb":                      "/else",
		"?x=1":                       "/else",
		"/%2F/evil.example":          "/else",
	} {
		if got := backTo(wanted, "/else"); got != want {
			t.Errorf("%q: %q, want %q", wanted, got, want)
		}
	}
}

func TestPlaceName(t *testing.T) {
	for pointer, want := range map[string]string{
		"":                                  "the whole tool",
		"/description":                      "description",
		"/inputSchema/properties/city":      "city",
		"/inputSchema/properties/a~1b/type": "a/b.type",
		"/inputSchema/properties/filter/properties/state": "filter.state",
		"/inputSchema/properties/city/description":        "description of city",
		"/annotations/readOnlyHint":                       "annotations/readOnlyHint",
		"/inputSchema/properties/x\u200b":                 "x[U+200B]",
	} {
		if got := placeName(pointer); got != want {
			t.Errorf("%q: %q, want %q", pointer, got, want)
		}
	}
}

func TestCommonPrefix(t *testing.T) {
	for want, names := range map[string][]string{
		"drop-":   {"drop-index", "drop-database"},
		"":        {"find", "count"},
		"a_b_":    {"a_b_c", "a_b_d"},
		"entity_": {"entity_get", "entity_get_all"},
	} {
		var rows []listRow
		for _, n := range names {
			rows = append(rows, listRow{name: n})
		}
		if got := commonPrefix(rows); got != want {
			t.Errorf("%q: %q, want %q", names, got, want)
		}
	}
}

func TestBeginning(t *testing.T) {
	for body, want := range map[string]string{
		"Why?":            "Why?",
		" Why?\n\nThere.": "Why? …",
		"one two three four five six seven eight nine ten 11 12 13 14 15": "one two three four five six seven eight nine ten 11 12 13 14 …",
	} {
		if got := beginning(body); got != want {
			t.Errorf("%q: %q, want %q", body, got, want)
		}
	}
}

// TestAnswersOfPeople: an answer to the whole replaces earlier ones, and one to an
// edit unmakes an approval of the whole only if it is none itself.
func TestAnswersOfPeople(t *testing.T) {
	v := func(user, edit string, kind review.VerdictKind) review.Verdict {
		return review.Verdict{UserID: user, Edit: edit, Kind: kind}
	}
	for name, c := range map[string]struct {
		given []review.Verdict
		want  review.VerdictKind // of ana on e1
	}{
		"nothing":                     {nil, ""},
		"of somebody else":            {[]review.Verdict{v("ben", "e1", review.Approve)}, ""},
		"the edit":                    {[]review.Verdict{v("ana", "e1", review.Approve)}, review.Approve},
		"the whole":                   {[]review.Verdict{v("ana", "", review.Reject)}, review.Reject},
		"the whole after the edit":    {[]review.Verdict{v("ana", "e1", review.Reject), v("ana", "", review.Approve)}, review.Approve},
		"another edit rejected since": {[]review.Verdict{v("ana", "", review.Approve), v("ana", "e2", review.Reject)}, ""},
		"taken back":                  {[]review.Verdict{v("ana", "e1", review.Approve), v("ana", "e1", review.Withdraw)}, ""},
		"all taken back":              {[]review.Verdict{v("ana", "e1", review.Approve), v("ana", "", review.Withdraw)}, ""},
		"used up":                     {[]review.Verdict{{UserID: "ana", Edit: "e1", Kind: review.Approve, UsedUp: true}}, ""},
		"revoked":                     {[]review.Verdict{{UserID: "ana", Edit: "e1", Kind: review.Reject, RevokedAt: time.Unix(1, 0)}}, ""},
	} {
		all := answersTo(&review.Decided{Verdicts: c.given})
		got := review.VerdictKind("")
		if on := all.by["ana"].on("e1"); on != nil {
			got = on.Kind
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestMarkdown(t *testing.T) {
	for body, want := range map[string]string{
		"Why is the *warning* gone?":          "<p>Why is the <em>warning</em> gone?</p>\n",
		"<img src=x onerror=alert(1)>":        "<pre>&lt;img src=x onerror=alert(1)&gt;</pre>\n",
		"is <script>x</script> <b>so</b>":     "<p>is &lt;script&gt;x&lt;/script&gt; &lt;b&gt;so&lt;/b&gt;</p>\n",
		"<!-- a\nb -->\nc":                    "<pre>&lt;!-- a\nb --&gt;\n</pre>\n<p>c</p>\n",
		"<script>\n*x*\n</script>\nc":         "<pre>&lt;script&gt;\n*x*\n&lt;/script&gt;\n</pre>\n<p>c</p>\n",
		"![](https://evil.example/pixel.png)": "<p> (https://evil.example/pixel.png)</p>\n",
		"![a *b*](https://e.example/?a&b)":    "<p>a <em>b</em> (https://e.example/?a&amp;b)</p>\n",
		"[x](javascript:alert(1))":            "<p>x (javascript:alert(1))</p>\n",
		"[x](/people)":                        "<p>x (/people)</p>\n",
		"<ftp://a.example>":                   "<p>ftp://a.example</p>\n",
		"<a@b.example>":                       "<p><a href=\"mailto:a@b.example\" rel=\"nofollow noreferrer\">a@b.example</a></p>\n",
		"[x](https://example.com)":            "<p><a href=\"https://example.com\" rel=\"nofollow noreferrer\">x</a></p>\n",
		"a\u202eb":                            "<p>a[U+202E]b</p>\n",
		"# Loud":                              "<p><strong>Loud</strong></p>\n",
		"`<b>`":                               "<p><code>&lt;b&gt;</code></p>\n",
	} {
		if diff := cmp.Diff(want, markdown(body)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", body, diff)
		}
	}
}

func FuzzMarkdown(f *testing.F) {
	for _, s := range []string{"*a*", "<script>x</script>", "[a](b)", "![a](b)", "[![a](b)](c)", "<!-- a", "<?php ?>", "<x\ny>", "<a href=javascript:x>", "&#x3C;script&#x3E;", "- [x] a", "\u200b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, body string) {
		checkSafe(t, markdown(body))
	})
}

// TestWhoDelivered: a way in is named once.
func TestWhoDelivered(t *testing.T) {
	s := &Server{opt: Options{Now: time.Now}}
	for _, c := range []struct{ via, by, want string }{
		{"token", "token uV_q", " token uV_q"}, {"token", "ci of git", "token ci of git"}, {"webhook", "webhook", "webhook "}, {"upload", "rita", "upload rita"},
	} {
		line := s.deliveryLine(&review.Delivery{Via: c.via, By: c.by})
		if got := line.Via + " " + line.By.String(); got != c.want {
			t.Errorf("%s by %s: %q, want %q", c.via, c.by, got, c.want)
		}
	}
}

// A changelog of ours marks words and keeps names from being mentions; whatever else
// looks like HTML is text in it too.
func TestChangelogHTML(t *testing.T) {
	for text, want := range map[string]string{
		"Finds <del>all</del> <ins>some</ins>, by rev@<!-- -->example.com.":        "<p>Finds <del>all</del> <ins>some</ins>, by rev@example.com.</p>\n",
		`A <b>bold</b> <ins class="x">word</ins><!-- a --> here`:                   "<p>A &lt;b&gt;bold&lt;/b&gt; &lt;ins class=&#34;x&#34;&gt;word</ins>&lt;!-- a --&gt; here</p>\n",
		"- Gone\n  <details><summary>38 tools</summary>\n\n  a, b\n\n  </details>": "<ul>\n<li>\n<p>Gone</p>\n<details><summary>38 tools</summary><p>a, b</p>\n</details></li>\n</ul>\n",
		"<details><summary>a tool</summary>\n\nb":                                  "<pre>&lt;details&gt;&lt;summary&gt;a tool&lt;/summary&gt;\n</pre>\n<p>b</p>\n",
	} {
		got := changelogHTML(text)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: -want +got:\n%s", text, diff)
		}
		checkSafe(t, got)
	}
	if got := markdown("<ins>a</ins> b@<!-- -->c"); strings.Contains(got, "<ins>") || !strings.Contains(got, "&lt;!-- --&gt;") {
		t.Errorf("a comment has HTML: %s", got)
	}
}
