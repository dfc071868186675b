package web_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/people"
)

// TestRenderedBesideText shows a description as Markdown below the text itself: what
// Markdown would hide is there to be seen, and nothing is loaded or run.
func TestRenderedBesideText(t *testing.T) {
	in := newInstance(t)
	in.addServer("git", gate.Team)
	in.release("git", "1.0.0", listing(tool("find", "Finds *it*.")))
	id := in.pushed("git", "version=2.0.0", listing(tool("find", "Finds **it**.\n\n<!-- and tells nobody -->\n\n<script>alert(1)</script> ![x](https://e.example/p.png) [y](javascript:alert(1)) z\u200b."))).Release.ID
	as := in.signedIn(in.addUser("rita", people.Reviewer, "git"))
	plain := in.get(as, "/releases/"+id+"?view=tools").html(t)
	first := plain.Find("[data-row]:not([href*='tool=surface'])").First().AttrOr("href", "")
	doc := in.get(as, first).html(t)
	if doc.Find(".rendered").Length() != 0 {
		t.Error("rendered without being asked for")
	}
	var on string
	for _, a := range doc.Find("#tool .section-head a").EachIter() {
		if text(a) == "Show rendered too" {
			on = a.AttrOr("href", "")
		}
	}
	doc = in.get(as, on).html(t)
	if doc.Find("#tool section .duo").Length() < 2 {
		t.Error("the text itself is not beside it")
	}
	rendered := doc.Find(".duo.rendered")
	if got := text(rendered.Find(".old em")); got != "it" {
		t.Errorf("before: %q", got)
	}
	if got := text(rendered.Find(".new strong")); got != "it" {
		t.Errorf("now: %q", got)
	}
	shown := text(rendered.Find(".new"))
	for _, want := range []string{"<!-- and tells nobody -->", "<script>alert(1)</script>", "https://e.example/p.png", "U+200B"} {
		if !strings.Contains(shown, want) {
			t.Errorf("%q is not to be seen: %s", want, shown)
		}
	}
	if n := rendered.Find("img, script, a[href^='javascript']").Length(); n != 0 {
		t.Errorf("%d elements that it must not have", n)
	}
	if next := doc.Find("[data-row]:not([href*='tool=surface'])").First().AttrOr("href", ""); !strings.Contains(next, "as=rendered") {
		t.Errorf("the next tool loses the way of reading: %s", next)
	}
}

// TestTextsToTheByte: what the copy buttons take is what was received.
func TestTextsToTheByte(t *testing.T) {
	in := newInstance(t)
	in.addServer("git", gate.Team)
	old, new := "Finds.\r\n\ttwice ", "\ufeffFinds <b>it</b>. \u200b"
	in.release("git", "1.0.0", listing(tool("find", old)))
	id := in.pushed("git", "version=2.0.0", listing(tool("find", new))).Release.ID
	as := in.signedIn(in.addUser("rita", people.Reviewer, "git"))
	buttons := in.get(as, in.get(as, "/releases/"+id+"?view=tools").html(t).Find("[data-row]:not([href*='tool=surface'])").First().AttrOr("href", "")).html(t).Find("#tool [data-copy-from]")
	if buttons.Length() != 2 {
		t.Fatalf("%d buttons", buttons.Length())
	}
	for i, want := range []string{old, new} {
		a := in.get(as, buttons.Eq(i).AttrOr("data-copy-from", ""))
		if a.status != http.StatusOK || a.body != want || !strings.HasPrefix(a.header.Get("Content-Disposition"), "attachment") {
			t.Errorf("%d: %d %q %s, want %q", i, a.status, a.body, a.header.Get("Content-Disposition"), want)
		}
	}
	in.addServer("shop", gate.Team)
	sam := in.signedIn(in.addUser("sam", people.Maintainer, "shop"))
	if a := in.get(sam, buttons.Eq(0).AttrOr("data-copy-from", "")); a.status != http.StatusNotFound {
		t.Errorf("a stranger reads it: %d", a.status)
	}
}
