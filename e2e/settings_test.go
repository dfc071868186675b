package e2e

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestSettingsAreKept types into a form of a server's settings, loses the page, and
// finds it as it was left, until it is dropped.
func TestSettingsAreKept(t *testing.T) {
	a := demo(t)
	k := keyboard{newTab(t, screen{width: 1280})}
	k.enter(a)
	k.open(a.url + "/servers/git/policy")
	k.focus("#teams")
	k.press("payments: ana@example.com")
	k.waitKept()
	k.check("a policy that is kept while it is typed")
	k.do(chromedp.Reload())
	if got := k.value("#teams"); got != "payments: ana@example.com" {
		t.Errorf("after a reload the teams are %q", got)
	}
	k.sees("Not saved: you left this here")
	k.check("a policy that was left")
	k.click("form.sheet button[formaction$='/drafts/remove']")
	k.sees("The draft is gone.")
	if got := k.value("#teams"); got != "" {
		t.Errorf("dropped, the teams are %q", got)
	}
}

// TestSettingsOutliveSessionAndServer types into forms outside of a release, signs out in
// another page and kills the program meanwhile: what was typed stays in the page, is kept
// once it can be, and is there for whoever signs in again.
func TestSettingsOutliveSessionAndServer(t *testing.T) {
	a := newServer(t)
	k := keyboard{newTab(t, screen{width: 1280})}
	a.firstRelease(k)
	for path, field := range map[string]string{"/servers/weather/policy": "#teams", "/servers/weather/aliases": "#alias-old"} {
		k.open(a.url + path)
		k.focus(field)
		k.press("before")
		k.waitKept()
		again := a.kill()
		k.press(" between")
		k.until("the word that nobody answers", draftSays+`.startsWith("Not kept yet: the server does not answer.")`)
		again()
		k.waitKept()

		two := keyboard{k.another()}
		two.open(a.url + "/")
		if !evalAsync[bool](two.tab, signOut) {
			t.Fatal("signing out did not lead to the page for signing in")
		}
		k.press(" after")
		k.until("the word that nobody is signed in", draftSays+`.startsWith("Not kept yet: you are signed out.")`)
		two.open(a.url + "/sign-in")
		two.write("#email", anaMail)
		two.write("#password", anaPassword)
		two.leave(kb.Enter)
		k.waitKept()
		k.open(a.url + path)
		if got := k.value(field); got != "before between after" {
			t.Errorf("%s holds %q", path, got)
		}
		k.sees("you left this here")
		k.complaints() // that nobody answered, and that nobody was signed in
		two.complaints()
	}
}

// TestChoosingWhatToLookFrom: what a mouse chooses is shown at once, and what the
// keyboard chooses when its button is pressed.
func TestChoosingWhatToLookFrom(t *testing.T) {
	a := demo(t)
	k := keyboard{newTab(t, screen{width: 1280})}
	k.enter(a)
	at := k.openTool(a)
	choose := func(by string) {
		k.do(chromedp.Evaluate[chromedp.Void](`(s => { s.focus(); s.dispatchEvent(new Event("` + by + `", {bubbles: true})); s.value = "claude-code"; s.dispatchEvent(new Event("change", {bubbles: true})); })(document.querySelector("#look-lens"))`))
	}
	k.meanwhile(func() { choose("pointerdown") })
	k.sees("As Claude Code sends it")
	if url := eval[string](k.tab, "location.href"); !strings.Contains(url, "lens=claude-code") || !strings.Contains(url, "tool=ch_") {
		t.Errorf("the address is %s", url)
	}

	k.open(at)
	choose("keydown")
	k.press(kb.Tab)
	if !eval[bool](k.tab, `document.activeElement.matches("[data-choose] button") && document.activeElement.getBoundingClientRect().width > 24`) {
		t.Fatal("Tab leads to no button that can be seen")
	}
	k.leave(kb.Enter)
	k.sees("As Claude Code sends it")
}
