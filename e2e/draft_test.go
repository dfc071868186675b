package e2e

import (
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

const (
	draftSays = "[...document.querySelectorAll('.draft-line')].map(l => l.textContent).join('')"
	comment   = "#comment-body"

	// signOut is the button of that name, pressed while its page stays.
	signOut = `(f => fetch(f.action, {method: "POST", body: new URLSearchParams(new FormData(f))}).then(r => r.url.includes("/sign-in")))(document.querySelector("form[action='/sign-out']"))`
)

// waitKept waits until the page says that what was typed is on the server.
func (k keyboard) waitKept() {
	k.t.Helper()
	k.until("keeping the draft", draftSays+` === "Draft kept."`)
}

func (k keyboard) value(selector string) string {
	k.t.Helper()
	return eval[string](k.tab, "document.querySelector("+quote(selector)+").value")
}

func quote(s string) string { return `"` + strings.ReplaceAll(s, `"`, `\"`) + `"` }

// focus puts the cursor at the end of a field.
func (k keyboard) focus(selector string) {
	k.t.Helper()
	k.do(chromedp.Evaluate[chromedp.Void](`(e => { for (let d = e.closest("details"); d; d = d.parentElement.closest("details")) d.open = true; e.focus(); e.setSelectionRange(e.value.length, e.value.length); })(document.querySelector(` + quote(selector) + `))`))
}

// another opens a tab of the same browser session.
func (b *tab) another() *tab { return b.anotherFor(b.t) }

// anotherFor is another for a test inside of this one, which closes it.
func (b *tab) anotherFor(t testing.TB) *tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(b.ctx)
	// The tab lives as long as the context that opens it, which must not be that of one step.
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal(err)
	}
	return openTab(t, ctx, cancel, screens[0])
}

// openTool opens the first changed tool of the git server of the demo.
func (k keyboard) openTool(a *app) string {
	k.t.Helper()
	k.open(a.url + "/servers/git")
	k.open(a.url + eval[string](k.tab, `document.querySelector("a[href^='/releases/']").getAttribute("href")`) + "?view=tools")
	at := a.url + eval[string](k.tab, `[...document.querySelectorAll("[data-row]")].find(r => r.href.includes("tool=ch_") && r.querySelector(".name").innerText.length > 0).getAttribute("href")`)
	k.open(at)
	return at
}

// TestDraftsAreNeverLost types into forms of a release and loses the page in every
// way there is: by a reload, by leaving, by signing out, with two tabs at once.
func TestDraftsAreNeverLost(t *testing.T) {
	a := demo(t)
	k := keyboard{newTab(t, screen{width: 1280})}
	k.enter(a)
	at := k.openTool(a)

	k.focus(comment)
	k.press("Why this")
	k.waitKept()
	k.check("the line under a draft")
	k.do(chromedp.Reload())
	if got := k.value(comment); got != "Why this" {
		t.Fatalf("after a reload the comment is %q", got)
	}

	// Left within the pause after the last key: what was typed goes after the page.
	k.focus(comment)
	k.press(" word?")
	k.open(a.url + "/")
	k.open(at)
	k.until("the beacon", `fetch(location.href).then(r => r.text()).then(t => window.again = t.includes("Why this word?")) && window.again`)

	// Two tabs from the same page: neither writes over the other, and both say so.
	k.open(at)
	two := keyboard{k.another()}
	two.open(at)
	k.focus(comment)
	k.press(" One.")
	k.waitKept()
	two.focus(comment)
	two.press(" Two.")
	two.until("the copy", draftSays+`.startsWith("Another page wrote here too.")`)
	k.do(chromedp.Reload())
	if got := k.value(comment); got != "Why this word? One." {
		t.Errorf("the first tab's draft is %q", got)
	}
	k.sees("You also wrote this, in another page at the same time")
	k.check("two drafts of one place")
	k.open(strings.Split(at, "?")[0] + "/desk")
	k.sees("Why this word? One.")
	k.sees("Why this word? Two.")
	k.check("the desk with two drafts")

	// Signed out in another tab: the page keeps the text and does not go away with it.
	k.open(at)
	two.open(a.url + "/")
	if !evalAsync[bool](two.tab, signOut) {
		t.Fatal("signing out did not lead to the page for signing in")
	}
	k.focus(comment)
	k.press(" Still here.")
	k.until("the word that nobody is signed in", draftSays+`.startsWith("Not kept yet: you are signed out.")`)
	k.do(chromedp.Evaluate[chromedp.Void](`document.querySelector("#comment-body").form.requestSubmit()`))
	if got := k.value(comment); !strings.HasSuffix(got, " Still here.") {
		t.Errorf("the text is %q", got)
	}
	k.complaints() // that the server refused
}

// TestDraftsOutliveTheServer kills the program while a reviewer types.
func TestDraftsOutliveTheServer(t *testing.T) {
	a := newServer(t)
	k := keyboard{newTab(t, screen{width: 1280})}
	at := a.firstRelease(k)

	note := ".answer textarea[name=note]"
	k.focus(note)
	k.press("Read twice")
	k.waitKept()
	again := a.kill()
	k.press(", and")
	k.until("the word that nobody answers", draftSays+`.startsWith("Not kept yet: the server does not answer.")`)
	k.do(chromedp.Evaluate[chromedp.Void](`document.querySelector(".answer").requestSubmit(document.querySelector(".answer button"))`))
	if at := k.value(note); at != "Read twice, and" {
		t.Errorf("an answer that could not be sent left %q", at)
	}
	again()
	k.waitKept()
	k.click(".answer button[value=approve]")
	k.sees("Approved.")
	k.complaints()
	k.open(at)
	if got := eval[int](k.tab, `[...document.querySelectorAll("textarea")].filter(e => e.value.includes("Read twice")).length`); got != 0 {
		t.Errorf("%d drafts are left of an answer that was given", got)
	}
	k.sees("Read twice, and")
}

// TestDraftsWithoutScripts saves a draft by a button, meets a change of the release
// and gets everything back.
func TestDraftsWithoutScripts(t *testing.T) {
	a := newServer(t)
	k := keyboard{newTab(t, screen{width: 1280})}
	at := a.firstRelease(k)
	k.withoutScripts()
	k.open(at)
	k.do(chromedp.Click(chromedp.CSS(".decision details.more:has([name=body]) > summary")))
	k.do(chromedp.Click(chromedp.CSS(".decision [name=body]")))
	k.press("Which one?")
	k.click(".decision form:has([name=body]) noscript button[formaction$='/drafts']")
	k.sees("Kept as a draft.")
	k.do(chromedp.Click(chromedp.CSS(".answer textarea[name=note]")))
	k.press("Looks right")
	k.click(".answer noscript button")
	k.sees("Kept as a draft.")
	if body, note := k.value(".decision [name=body]"), k.value(".answer textarea[name=note]"); body != "Which one?" || note != "Looks right" {
		t.Fatalf("the forms hold %q and %q", body, note)
	}

	// A push comes before the answer: it is refused, and nothing typed is gone.
	a.push("1.0.0", a.secret, toolJSON("forecast_get", "Returns the forecast of a city and a day."))
	if answer := k.click(".answer button[value=approve]"); answer.Status != http.StatusConflict {
		t.Errorf("the answer was met with %d, want 409", answer.Status)
	}
	k.sees("Looks right")
	if body := k.value(".decision [name=body]"); body != "Which one?" {
		t.Errorf("the comment is %q", body)
	}
	k.complaints() // that it was refused
}

// firstRelease sets up a server with one pushed listing of one tool, and opens its
// review.
func (a *app) firstRelease(k keyboard) string {
	a.t.Helper()
	k.open(a.link)
	k.write("#email", "ana@example.com")
	k.write("#password", "a sentence that nobody guesses")
	k.leave(kb.Enter)
	_, out := a.shell("server", "add", "weather", "--policy", "solo", "--json")
	a.secret = secretIn(a.t, out)
	a.push("1.0.0", a.secret, toolJSON("forecast_get", "Returns the forecast of a city."))
	k.open(a.url + "/servers/weather")
	at := a.url + eval[string](k.tab, `document.querySelector("a[href^='/releases/']").getAttribute("href")`)
	k.open(at)
	return at
}

// kill ends the program as a power cut would, and returns what starts it again on
// the same address and database.
func (a *app) kill() (again func()) {
	a.t.Helper()
	if err := a.cmd.Process.Kill(); err != nil {
		a.t.Fatal(err)
	}
	_ = a.cmd.Wait()
	return func() {
		a.t.Helper()
		cmd := exec.Command(program(a.t), "serve")
		cmd.Dir, cmd.Env = a.cmd.Dir, a.env
		if err := cmd.Start(); err != nil {
			a.t.Fatal(err)
		}
		a.cmd = cmd
		a.t.Cleanup(func() {
			_ = cmd.Process.Signal(os.Interrupt)
			_ = cmd.Wait()
		})
		waitReady(a.t, a.url)
	}
}
