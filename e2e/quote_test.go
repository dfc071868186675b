package e2e

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// selectWords selects words in the first text that a selector finds.
func (k keyboard) selectWords(selector, words string) {
	k.t.Helper()
	k.do(chromedp.Evaluate[chromedp.Void](`((text, words) => {
		const nodes = document.createTreeWalker(text, NodeFilter.SHOW_TEXT);
		for (let n; (n = nodes.nextNode()); ) {
			const at = n.data.indexOf(words);
			if (at >= 0) return getSelection().setBaseAndExtent(n, at, n, at + words.length);
		}
		throw new Error("the words do not stand there");
	})(document.querySelector(` + quote(selector) + `), ` + quote(words) + `)`))
}

// TestSelectedWordsAreQuoted: the key for a comment takes along what is selected, with the
// side where it stands, on the page of a tool and on a decision. What lies in two texts is
// no quote.
func TestSelectedWordsAreQuoted(t *testing.T) {
	a := newServer(t)
	k := keyboard{newTab(t, screen{width: 1280})}
	at := a.twoVersions(k)
	k.open(at + "?view=tools")
	k.open(eval[string](k.tab, `[...document.querySelectorAll("[data-row]")].find((r) => ((r.closest("[data-family]")?.dataset.family ?? "") + r.textContent).includes("radar")).href`))
	const form = "#comment form "
	k.press("c")
	if got := k.value(form + "[name=quote]"); got != "" {
		t.Fatalf("with nothing selected the box holds %q", got)
	}
	k.press(kb.Escape)
	for _, c := range [][3]string{
		{".tool .duo .old.said", "radar picture", "old /description"},
		{".tool .duo .new.said", "Refused for cities", "new /description"}, // the box is open, and stays so
	} {
		k.selectWords(c[0], c[1])
		k.press("c")
		if quoted, place := k.value(form+"[name=quote]"), k.value(form+"[name=at]"); quoted != c[1] || place != c[2] || !eval[bool](k.tab, "document.activeElement.name === 'body'") {
			t.Errorf("%q at %q, want %q at %q", quoted, place, c[1], c[2])
		}
		k.press(kb.Escape)
	}
	k.do(chromedp.Evaluate[chromedp.Void](`getSelection().selectAllChildren(document.querySelector(".tool .duo"))`))
	k.press("c")
	if got := k.value(form + "[name=quote]"); got != "Refused for cities" {
		t.Errorf("two texts were quoted: %q", got)
	}

	k.open(at)
	k.do(chromedp.Evaluate[chromedp.Void](`[...document.querySelectorAll("[data-item]")].find((i) => i.querySelector("[name=quote]") && i.innerText.includes("Refused for cities")).focus()`))
	k.selectWords("[data-item]:focus .said:not(.old)", "Refused for cities")
	k.press("c")
	if got := eval[string](k.tab, "document.activeElement.form.elements.namedItem('quote').value"); got != "Refused for cities" {
		t.Fatalf("on a decision %q is quoted", got)
	}
	k.press("Which?")
	k.waitKept()
	k.click("[data-item]:has([name=body]:focus) form[action$='/threads'] .row .btn")
	k.open(at + "?view=threads")
	k.sees("Refused for cities")
}
