package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// still is true of a page that is not about to show another tool.
const still = `!document.querySelector("[data-panes] [inert]")`

// turns does what opens another tool in the page, and waits for it. It fails when the
// browser loads a page for it.
func (k keyboard) turns(what string, do func()) {
	k.t.Helper()
	before := eval[string](k.tab, "window.samePage = true, location.href")
	do()
	k.until(what, "location.href !== "+quote(before)+" && "+still)
	if !eval[bool](k.tab, "window.samePage === true") {
		k.t.Fatalf("%s loaded a page", what)
	}
}

// turn presses keys that open another tool in the page.
func (k keyboard) turn(keys string) {
	k.t.Helper()
	k.turns(keys, func() { k.press(keys) })
}

// past goes back and forward as the buttons of the browser do.
func (k keyboard) past(steps int) {
	k.t.Helper()
	k.turns(fmt.Sprintf("history.go(%d)", steps), func() {
		k.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf("history.go(%d)", steps)))
	})
}

// shown is everything that has to tell the same tool.
type shown struct {
	Tool    string // the heading
	Row     string // the current row
	Title   string // of the browser's tab, up to the server
	Rows    int    // current rows
	Stops   int    // rows that Tab stops at
	Focus   string // id of what has the focus
	Again   bool   // the line that tells what happened leads back here
	Said    string
	Scripts int
}

func (k keyboard) shown() shown {
	k.t.Helper()
	return eval[shown](k.tab, `(() => {
		const rows = [...document.querySelectorAll("[data-list] [aria-current]")], text = (e) => e?.innerText.replace(/\s+/g, "").trim() ?? "";
		return {
			tool: text(document.querySelector("#tool-name")), row: text(rows[0]?.querySelector(".name") ?? rows[0]), title: document.title.split(" · ")[0], rows: rows.length,
			stops: document.querySelectorAll("[data-row][tabindex='0']").length, focus: document.activeElement.id, said: document.querySelector("[data-panes-said]").textContent,
			again: document.querySelector("[data-poll-show]").href === location.href.split("#")[0], scripts: document.querySelectorAll("main script, main noscript").length,
		};
	})()`)
}

// wantTool fails unless all of the page is about one tool.
func (k keyboard) wantTool(what, name string) {
	k.t.Helper()
	s := k.shown()
	if s.Tool != name || s.Row != name || s.Title != name || s.Rows != 1 || s.Stops != 1 || s.Focus != "tool" || !s.Again || s.Scripts > 0 {
		k.t.Fatalf("%s: want all of it about %q: %+v", what, name, s)
	}
}

// TestPanes goes from tool to tool in one page, by keys, by the mouse and by the
// buttons of the browser: heading, row, title, focus and address agree, and a reload
// shows the same.
func TestPanes(t *testing.T) {
	k := twoFamilies(t)
	k.press("j") // at once, before anything can have been fetched beforehand
	k.until("the second tool", "location.search.includes('tool=') && "+still)
	k.wantTool("j", "entity_list")
	if s := k.shown(); s.Said != "3 of 15 in the list" {
		t.Errorf("it says %q", s.Said)
	}
	k.turn("j")
	k.wantTool("j again", "entity_make")
	k.check("another tool in the page")
	k.turn("k")
	k.wantTool("k", "entity_list")
	k.turn("J")
	k.wantTool("J", "order_get")
	k.turn("k") // from one family into the other
	k.wantTool("k over the families", "entity_copy")
	k.turn("J")
	k.turn("K")
	k.wantTool("K", "entity_get")

	// Keys in a row: the last one counts, and nothing is shown in between.
	k.open(eval[string](k.tab, `document.querySelector("[data-family] [data-row]").href`))
	k.press("jjjj")
	k.until("the fifth tool", "document.querySelector('#tool-name').innerText === 'entity_find' && "+still)
	k.wantTool("jjjj", "entity_find")

	// The mouse, then the way back and forth, with how far one had read.
	k.turns("a click", func() { k.do(chromedp.Click(chromedp.CSS("[data-family='order'] [data-row]:last-of-type"))) })
	k.wantTool("a click", "order_copy")
	k.press("j")
	k.press("j")
	if s := k.shown(); s.Tool != "order_copy" {
		t.Errorf("behind the last tool is %q", s.Tool)
	}
	k.do(chromedp.Evaluate[chromedp.Void](`document.body.style.minHeight = "4000px", scrollTo(0, 300)`))
	k.past(-1)
	k.wantTool("back", "entity_find")
	k.past(1)
	k.wantTool("forward", "order_copy")
	if y := eval[float64](k.tab, "scrollY"); y != 300 {
		t.Errorf("forward shows the page at %.0f, it was left at 300", y)
	}
	at := eval[string](k.tab, "location.href")
	k.do(chromedp.Reload())
	if s := k.shown(); s.Tool != "order_copy" || s.Row != "order_copy" || s.Title != "order_copy" {
		t.Errorf("a reload of %s shows %+v", at, s)
	}
	if said := k.complaints(); len(said) > 0 {
		t.Errorf("the browser complains:\n\t%s", oneLine(said))
	}
}

// TestPanesPastFolds: a row that is folded or filtered away is not gone to, and one goes
// on from the current row when it is such a row itself. The filter stays.
func TestPanesPastFolds(t *testing.T) {
	k := twoFamilies(t)
	k.turns("the last of a family", func() {
		k.do(chromedp.Evaluate[chromedp.Void](`document.querySelector("[data-family='entity'] [data-row]:nth-of-type(3)").click()`))
	})
	k.do(chromedp.Evaluate[chromedp.Void](`document.querySelector("[data-family='entity']").open = false`))
	k.turn("j")
	k.wantTool("j out of a fold", "order_get")
	k.do(chromedp.Evaluate[chromedp.Void](`(f => { f.value = "copy"; f.dispatchEvent(new Event("input", {bubbles: true})); })(document.querySelector("#filter"))`))
	k.turn("j")
	k.wantTool("j with a filter", "order_copy")
	if typed := k.value("#filter"); typed != "copy" {
		t.Errorf("the filter is %q", typed)
	}
	k.past(-1) // to a row that the filter took away
	if s := k.shown(); s.Tool != "order_get" {
		t.Errorf("back shows %q", s.Tool)
	}
	k.turn("j")
	k.wantTool("j from a row that is filtered away", "order_copy")

	// A filter in the address stays there.
	k.open(strings.Split(eval[string](k.tab, "location.href"), "?")[0] + "?view=tools&q=order")
	k.turn("j")
	k.wantTool("j in a list that is filtered", "order_list")
	k.wantIn("the address", "location.search", "q=order")
	if n := eval[int](k.tab, "document.querySelectorAll('[data-row]').length"); n != 7 {
		t.Errorf("%d rows are left of 7", n)
	}
}

// TestPanesKeepDrafts: text goes with its tool and comes back with it, and does not go
// where it can't be kept.
func TestPanesKeepDrafts(t *testing.T) {
	a := newServer(t)
	k := keyboard{newTab(t, screen{width: 1280})}
	at := a.firstRelease(k)
	a.push("1.0.0", a.secret, toolJSON("forecast_get", "Returns the forecast."), toolJSON("forecast_list", "Lists forecasts."))
	k.open(at + "?view=tools")

	k.focus(comment)
	k.press("Why this")
	k.press(kb.Escape)
	k.turn("j") // before the pause after the last key
	k.wantTool("j", "forecast_list")
	k.check("another tool after a draft")
	if got := k.value(comment); got != "" {
		t.Errorf("the comment on another tool is %q", got)
	}
	k.wantIn("the tabs", "document.querySelector('.tabs').innerText", "1 draft")
	k.turn("k")
	if got := k.value(comment); got != "Why this" {
		t.Errorf("the comment came back as %q", got)
	}
	k.past(-1)
	k.past(1)
	if got := k.value(comment); got != "Why this" {
		t.Errorf("the way back shows the comment as %q", got)
	}

	again := a.kill()
	k.focus(comment)
	k.press(" word?")
	k.press(kb.Escape)
	k.press("j")
	k.until("the word that nobody answers", draftSays+`.startsWith("Not kept yet: the server does not answer.") && `+still)
	if got := k.value(comment); got != "Why this word?" || k.shown().Row != "forecast_get" {
		t.Errorf("without a server the comment is %q beside %q", got, k.shown().Row)
	}
	stays := eval[string](k.tab, "history.back(), location.href")
	k.until("staying", "location.href === "+quote(stays)+" && "+still+" && "+draftSays+" !== ''")
	if got := k.value(comment); got != "Why this word?" || k.shown().Row != "forecast_get" {
		t.Errorf("going back without a server left %q", got)
	}
	again()
	k.waitKept()
	k.complaints() // that nobody answered
	k.turn("j")
	k.wantTool("j again", "forecast_list")
}

// TestPanesAreFresh: what was fetched beforehand is not shown once something happened,
// and what a push made another is opened as a page of its own.
func TestPanesAreFresh(t *testing.T) {
	a := newServer(t)
	k := keyboard{newTab(t, screen{width: 1280})}
	at := a.firstRelease(k)
	forecasts := []string{toolJSON("forecast_get", "Returns the forecast."), toolJSON("forecast_list", "Lists forecasts."), toolJSON("forecast_drop", "Drops it.")}
	a.push("1.0.0", a.secret, forecasts...)
	k.open(at + "?view=tools")
	k.until("what is fetched beforehand", `performance.getEntriesByType("resource").some((e) => e.initiatorType === "xmlhttprequest")`)

	// A comment from elsewhere on the next tool.
	next := `document.querySelector("[data-row][aria-current] ~ [data-row]").href`
	commented := eval[string](k.tab, next)
	said := `fetch(location.pathname + "/threads", {method: "POST", body: new URLSearchParams({body: "Why?", on: new URL(` + next + `).searchParams.get("tool")})}).then(r => r.status)`
	if status := evalAsync[int](k.tab, said); status != 200 {
		t.Fatalf("the comment was answered with %d", status)
	}
	k.until("the comment", lineSays+` === "1 new comment."`)
	k.turn("j")
	if got := eval[string](k.tab, "location.href"); got != commented {
		t.Fatalf("j leads to %s, want %s", got, commented)
	}
	if n := eval[int](k.tab, "document.querySelectorAll('.aside [data-thread]').length"); n != 1 {
		t.Errorf("%d threads are shown on the tool with a comment", n)
	}
	k.wantIn("its row", here, "1 open threads")

	// An answer of one's own is a page of its own, and what comes after it knows it.
	k.leave("y")
	k.turn("k")
	k.wantIn("the row", here, "you")
	k.turn("j")
	k.turn("k")
	k.sees("Take back")

	// A push makes another listing of it: the next tool is one of that.
	forecasts[2] = toolJSON("forecast_drop", "Drops a forecast for good.")
	a.push("1.0.0", a.secret, append(forecasts, toolJSON("forecast_make", "Makes one."))...)
	k.until("the push", lineSays+`.startsWith("Revision 3 was pushed")`)
	k.leave("j")
	if n := eval[int](k.tab, "document.querySelectorAll('[data-family] [data-row]').length"); n != 4 {
		t.Errorf("%d rows after the push, want 4", n)
	}
}

// TestPanesWithoutScripts: the rows are links, each to a page of its own.
func TestPanesWithoutScripts(t *testing.T) {
	k := twoFamilies(t)
	k.withoutScripts()
	k.do(chromedp.Reload())
	k.click("[data-family='order'] [data-row]:nth-of-type(2)")
	if s := k.shown(); s.Tool != "order_list" || s.Row != "order_list" || s.Title != "order_list" {
		t.Errorf("a row leads to %+v", s)
	}
}

// TestPanesOnAPhone: list and tool are two screens of one page.
func TestPanesOnAPhone(t *testing.T) {
	k := twoFamilies(t)
	k.show(screens[3])
	k.do(chromedp.Reload())
	seen := func(selector string) bool {
		return eval[bool](k.tab, "document.querySelector("+quote(selector)+").checkVisibility()")
	}
	k.turns("a row", func() { k.do(chromedp.Click(chromedp.CSS("[data-family='order'] [data-row]:last-of-type"))) })
	if s := k.shown(); s.Tool != "order_copy" || s.Focus != "tool" || seen("[data-list]") || !seen("#tool") {
		t.Errorf("a row leads to %+v", s)
	}
	if top := eval[float64](k.tab, "document.querySelector('[data-panes]').getBoundingClientRect().top"); top < 0 {
		t.Errorf("the tool begins %.0f px above the screen", -top)
	}
	k.check("a tool on a phone")
	k.turns("all tools", func() { k.do(chromedp.Click(chromedp.CSS("a.back"))) })
	if !seen("[data-list]") || seen("#tool") {
		t.Error("the way back does not show the list")
	}
	k.past(-1)
	if s := k.shown(); s.Tool != "order_copy" || seen("[data-list]") {
		t.Errorf("back shows %+v", s)
	}
	k.check("a tool on a phone, after all")
}
