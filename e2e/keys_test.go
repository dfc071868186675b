package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// stroke is a key, where it leads, and what holds afterwards: expressions in the page,
// of which the first says where the focus is.
type stroke struct {
	key   string
	leads leads
	focus string // an expression; "" where nothing is said of it
	holds string
}

type leads int

const (
	nowhere     leads = iota // the page stays
	toAnotherOf              // another tool in the page
	toPage                   // another page
)

// strike presses a key and fails unless what should hold does.
func (k keyboard) strike(view string, n int, s stroke) {
	k.t.Helper()
	what := fmt.Sprintf("%s, stroke %d: %q", view, n+1, s.key)
	switch s.leads {
	case toAnotherOf:
		k.turns(what, func() { k.press(s.key) })
	case toPage:
		k.leave(s.key)
	default:
		k.press(s.key)
	}
	for _, expression := range []string{s.focus, s.holds} {
		if expression != "" && !eval[bool](k.tab, expression) {
			k.t.Fatalf("%s at %s: %s does not hold; the focus is on %.300s", what, eval[string](k.tab, "location.href"), expression, eval[string](k.tab, "document.activeElement.outerHTML"))
		}
	}
}

// focusOn says that the focus is on what a selector finds, the nth of it.
func focusOn(selector string, nth int) string {
	return fmt.Sprintf("document.activeElement === document.querySelectorAll(%s)[%d]", quote(selector), nth)
}

// TestEveryKey presses every key that the list of keys names, in the view of decisions
// and in that of tools, and looks where the focus is afterwards.
func TestEveryKey(t *testing.T) { onOneEngine(t, everyKey) }

func everyKey(t *testing.T, a *app) {
	k := keyboard{newTab(t, screen{width: 1280})}
	at := a.twoVersions(k)
	const (
		decision = "[data-item]"
		inItem   = "document.activeElement.closest('[data-item]') === document.querySelectorAll('[data-item]')[1]"
		inBox    = "document.activeElement.type === 'search'"
		onTool   = "document.activeElement.id === 'tool'"
		onNext   = "document.activeElement.matches('.decision:not(.done)') && document.activeElement.id === location.hash.slice(1)"
	)
	strokes := map[string][]stroke{
		"": {
			{"j", nowhere, focusOn(decision, 0), ""},
			{"j", nowhere, focusOn(decision, 1), ""},
			{"k", nowhere, focusOn(decision, 0), ""},
			{"g", nowhere, focusOn(decision, 0), "!document.activeElement.querySelector('details[data-group]').open"},
			{"y", nowhere, focusOn(decision, 0), "document.activeElement.querySelector('details[data-group]').open && document.activeElement.innerText.includes('then press again')"},
			{"g", nowhere, focusOn(decision, 0), "!document.activeElement.querySelector('details[data-group]').open"},
			{"g", nowhere, focusOn(decision, 0), "document.activeElement.querySelector('details[open] .names').checkVisibility()"},
			{"j", nowhere, focusOn(decision, 1), ""},
			{"c", nowhere, inItem + " && document.activeElement.name === 'body'", ""},
			{"gjn?", nowhere, inItem, "document.activeElement.value.endsWith('gjn?') && !document.getElementById('keys').open"},
			{kb.Escape, nowhere, focusOn(decision, 1), ""},
			{"s", nowhere, inItem + " && document.activeElement.name === 'suggest'", ""},
			{kb.Escape, nowhere, focusOn(decision, 1), ""},
			{"?", nowhere, "document.activeElement.closest('#keys') !== null", "document.getElementById('keys').open"},
			{"jx", nowhere, "", "document.getElementById('keys').open"},
			{kb.Escape, nowhere, focusOn(decision, 1), "!document.getElementById('keys').open"},
			{"/", nowhere, inBox, ""},
			{"query", nowhere, inBox + " && document.activeElement.value.endsWith('query')", "!" + answered("approved")},
			{kb.Escape, nowhere, "document.activeElement.id === 'main'", ""},
			{"j", nowhere, focusOn(decision, 0), ""},
			{"x", toPage, onNext, answered("rejected")},
			{"y", toPage, onNext, answered("approved")},
			{"u", toPage, "", "document.body.innerText.includes('Your answer is taken back.')"},
			{"t", toPage, "", "location.search.includes('view=tools')"},
			{"d", toPage, "", "document.querySelector('.tabs [aria-current]').innerText.includes('Decisions')"},
			{kb.Enter, toPage, "", "location.pathname.endsWith('/desk')"},
		},
		"?view=tools": {
			{"J", toAnotherOf, onTool, "document.querySelector('#tool-name').innerText === 'radar_get'"},
			{"K", toAnotherOf, onTool, "document.querySelector('#tool-name').innerText === 'alert_get'"},
			{"j", toAnotherOf, onTool, "document.querySelector('#tool-name').innerText === 'alert_list'"},
			{"k", toAnotherOf, onTool, "document.querySelector('#tool-name').innerText === 'alert_get'"},
			{"]", nowhere, focusOn("[data-change]", 0), ""},
			{"]", nowhere, focusOn("[data-change]", 1), ""},
			{"[", nowhere, focusOn("[data-change]", 0), ""},
			{"n", nowhere, focusOn("[data-thread]", 0), ""},
			{"n", nowhere, focusOn("[data-thread]", 1), ""},
			{"p", nowhere, focusOn("[data-thread]", 0), ""},
			{"v", toPage, onTool, "!document.body.innerText.includes('Viewed, unmark')"}, // what was answered was viewed
			{"v", toPage, onTool, "document.body.innerText.includes('Viewed, unmark')"},
			{"c", nowhere, "document.activeElement.name === 'body'", ""},
			{kb.Escape, nowhere, onTool, ""},
			{"s", nowhere, "document.activeElement.name === 'suggest'", ""},
			{kb.Escape, nowhere, onTool, ""},
			{"/", nowhere, inBox, ""},
			{"vy", nowhere, inBox + " && document.activeElement.value.endsWith('vy')", ""},
			{kb.Escape, nowhere, "document.activeElement.id === 'main'", ""},
			{"]", nowhere, focusOn("[data-change]", 0), ""},
			{"g", toPage, "document.activeElement.matches('.decision') && document.activeElement.id === location.hash.slice(1)", ""},
			{"t", toPage, "", ""},
			{"J", toAnotherOf, onTool, ""},
			{"j", toAnotherOf, onTool, "document.querySelector('#tool-name').innerText === 'station_get'"},
			{"x", toPage, onTool, "document.querySelector('#tool-name').innerText !== 'station_get' && [...document.querySelectorAll('[data-row]')].some((r) => r.innerText.includes('station_get') && r.innerText.includes('✕ you'))"}, // the answer that was taken back waits again
		},
	}
	for _, view := range []string{"", "?view=tools"} {
		k.open(at + view)
		for n, s := range strokes[view] {
			k.strike(cmpOr(view, "decisions"), n, s)
		}
	}
	wantAllKeys(t, k, strokes)
}

// TestReasonsByTheKeyboard approves what needs a reason: the key asks for it in the page,
// Ctrl+Enter in the text gives the answer that was pressed, and the next decision has the
// focus. Where nothing was pressed it gives none.
func TestReasonsByTheKeyboard(t *testing.T) {
	a := newServer(t)
	k := keyboard{newTab(t, screen{width: 1280})}
	k.open(a.firstRelease(k))
	k.click("form[action$='/baseline'] button")
	k.click("form[action$='/release'] button")
	a.push("2.0.0", a.secret, toolJSON("alert_get", "Returns an alert."), toolJSON("radar_get", "Returns a radar picture."))
	k.open(a.url + "/servers/weather")
	k.open(a.url + eval[string](k.tab, `document.querySelector("a[href^='/releases/']").getAttribute("href")`))
	const note, ctrlEnter = ".decision textarea[name=note]", `document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key: "Enter", ctrlKey: true, bubbles: true, cancelable: true}))`

	k.focus(note)
	k.press("Nobody calls it.")
	if !eval[bool](k.tab, ctrlEnter) {
		t.Fatal("an answer was given that nobody pressed")
	}
	k.do(chromedp.Evaluate[chromedp.Void](`document.activeElement.select()`))
	k.press(kb.Backspace)
	k.waitKept()
	k.press(kb.Escape)
	k.strike("without a reason", 0, stroke{"y", nowhere, focusOn(note, 0), "document.activeElement.getAttribute('aria-invalid') === 'true' && document.activeElement.form.innerText.includes('asks for a reason')"})
	k.check("a reason that is missing")
	k.press("Nobody calls it.")
	k.waitKept()
	k.meanwhile(func() { k.do(chromedp.Evaluate[chromedp.Void](ctrlEnter + ", undefined")) })
	k.sees("Approved.")
	if !eval[bool](k.tab, answered("approved")) || !eval[bool](k.tab, "document.activeElement.matches('.decision:not(.done)')") {
		t.Errorf("after the answer the focus is on %.200s", eval[string](k.tab, "document.activeElement.outerHTML"))
	}
}

// answered says that a decision stands as it was answered.
func answered(word string) string {
	return "[...document.querySelectorAll('.decision.done > header')].some((h) => h.textContent.includes(" + quote(word) + "))"
}

func cmpOr(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// wantAllKeys holds the strokes to the list that the page shows: none is left out.
func wantAllKeys(t *testing.T, k keyboard, strokes map[string][]stroke) {
	t.Helper()
	pressed := map[string]bool{"Esc": true, "Ctrl+Enter": true} // TestReasonsByTheKeyboard
	for _, list := range strokes {
		for _, s := range list {
			pressed[strings.ReplaceAll(s.key, kb.Enter, "Enter")] = true
		}
	}
	for _, key := range eval[[]string](k.tab, "[...document.querySelectorAll('#keys dt kbd')].map(k => k.textContent)") {
		if !pressed[key] {
			t.Errorf("the key %q is in the list and was not pressed", key)
		}
	}
}

// twoVersions is a server with a released version and one to review, in which two tools
// of a family changed the same hint and two others what they refuse; and two threads on the
// first of them. It returns the address of the review.
func (a *app) twoVersions(k keyboard) string {
	a.t.Helper()
	first := a.firstRelease(k)
	hinted := func(tool string, readOnly bool) string {
		return strings.Replace(tool, `"inputSchema"`, fmt.Sprintf(`"annotations":{"readOnlyHint":%t},"inputSchema"`, readOnly), 1)
	}
	a.push("1.0.0", a.secret,
		hinted(toolJSON("alert_get", "Returns an alert."), true), hinted(toolJSON("alert_list", "Lists alerts."), true),
		toolJSON("radar_get", "Returns a radar picture."), toolJSON("station_get", "Returns a station."))
	k.open(first)
	k.click("form[action$='/baseline'] button")
	k.click("form[action$='/release'] button")
	a.push("1.1.0", a.secret,
		hinted(toolJSON("alert_get", "Returns one alert."), false), hinted(toolJSON("alert_list", "Lists alerts."), false),
		toolJSON("radar_get", "Returns a radar picture. Refused for cities that are not known."), toolJSON("station_get", "Returns a station. Refused for cities without one."))
	k.open(a.url + "/servers/weather")
	at := a.url + eval[string](k.tab, `document.querySelector("a[href^='/releases/']").getAttribute("href")`)
	k.open(at + "?view=tools")
	on := `[...document.querySelectorAll("[data-row]")].find((r) => r.innerText.includes("get")).href`
	for _, body := range []string{"Why?", "And why now?"} {
		comment := `fetch(location.pathname + "/threads", {method: "POST", body: new URLSearchParams({body: ` + quote(body) + `, on: new URL(` + on + `).searchParams.get("tool")})}).then(r => r.status)`
		if status := evalAsync[int](k.tab, comment); status != 200 {
			a.t.Fatalf("the comment was answered with %d", status)
		}
	}
	return at
}
