package e2e

import (
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// until waits for an expression in the page to be true.
func (b *tab) until(what, expression string) {
	b.t.Helper()
	ok := evalAsync[bool](b, `new Promise((done) => {
		const limit = Date.now() + 30000;
		const ask = () => (`+expression+`) ? done(true) : Date.now() > limit ? done(false) : setTimeout(ask, 50);
		ask();
	})`)
	if !ok {
		b.t.Fatalf("%s did not happen; the line says %q", what, eval[string](b, "document.querySelector('.live')?.innerText ?? ''"))
	}
}

const lineSays = "document.querySelector('.live [role=status]').textContent"

// TestLiveLine: a release page that stays open is told of a push and of an answer,
// by events and by asking, and nothing on it moves but the line.
func TestLiveLine(t *testing.T) {
	a := demo(t)
	reader := keyboard{newTab(t, screen{width: 1280})}
	reader.enter(a)
	reader.open(a.url + "/servers/git")
	release := a.url + eval[string](reader.tab, `document.querySelector("a[href^='/releases/']").getAttribute("href")`)
	reader.open(release)
	reader.do(chromedp.Evaluate[chromedp.Void](`window.kept = document.querySelector(".decision [name=note]"); kept.value = "half a thought"`))
	if said := eval[string](reader.tab, lineSays); said != "" {
		t.Fatalf("the line begins with %q", said)
	}

	// Another tab of the same person answers by a form.
	other := &tab{ctx: reader.ctx, t: t}
	comment := `fetch(location.pathname + "/threads", {method: "POST", body: new URLSearchParams({body: "Why?"})}).then(r => r.status)`
	if status := evalAsync[int](other, comment); status != 200 {
		t.Fatalf("the comment was answered with %d", status)
	}
	reader.until("the comment", lineSays+` === "1 new comment."`)
	if !eval[bool](reader.tab, `kept.isConnected && kept.value === "half a thought"`) {
		t.Error("the page was changed under the reader")
	}
	if eval[bool](reader.tab, `document.querySelector("[data-poll-show]").hidden`) {
		t.Error("there is no way to look")
	}
	for _, s := range looks() {
		reader.show(s)
		if *shotsDir != "" {
			reader.picture("live-" + s.String())
		}
		reader.check("the line at " + s.String())
	}
}

// TestLiveFallsBack: where events don't come through, the page asks.
func TestLiveFallsBack(t *testing.T) {
	a := demo(t)
	reader := keyboard{newTab(t, screen{width: 1280})}
	reader.enter(a)
	reader.open(a.url + "/servers/git")
	release := a.url + eval[string](reader.tab, `document.querySelector("a[href^='/releases/']").getAttribute("href")`)
	reader.open(release)
	// The stream of an address that answers no events is closed for good.
	began := time.Now()
	reader.do(chromedp.Evaluate[chromedp.Void](`(async () => {
		const line = document.querySelector(".live"), again = line.cloneNode(true);
		again.dataset.live = "/healthz";
		line.replaceWith(again);
		const app = document.querySelector("script[type=module]").src;
		const {live} = await import(app.replace("app.js", "live.js"));
		live(document);
	})()`))
	comment := `fetch(location.pathname + "/threads", {method: "POST", body: new URLSearchParams({body: "Why?"})}).then(r => r.status)`
	if status := evalAsync[int](reader.tab, comment); status != 200 {
		t.Fatalf("the comment was answered with %d", status)
	}
	reader.until("the answer to a question", lineSays+` === "1 new comment."`)
	t.Logf("it asked within %s", time.Since(began).Round(time.Millisecond))
}
