package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// twoFamilies is a server with the first listing of two families, seven tools each, and
// opens the list of its tools.
func twoFamilies(t *testing.T) keyboard {
	t.Helper()
	a := newServer(t)
	k := keyboard{newTab(t, screen{width: 1280})}
	at := a.firstRelease(k)
	var tools []string
	for _, family := range []string{"entity", "order"} {
		for _, act := range []string{"get", "list", "make", "drop", "find", "move", "copy"} {
			tools = append(tools, toolJSON(family+"_"+act, fmt.Sprintf("Does %s to one %s.", act, family)))
		}
	}
	a.push("1.0.0", a.secret, tools...)
	k.open(at + "?view=tools")
	return k
}

const (
	here    = "document.querySelector('[data-row][aria-current]').innerText.replace(/\\s+/g, ' ')"
	focused = "document.activeElement.innerText.replace(/\\s+/g, ' ')"
)

func (k keyboard) wantIn(what, expression, want string) {
	k.t.Helper()
	if got := eval[string](k.tab, expression); !strings.Contains(got, want) {
		k.t.Fatalf("%s: %q, want %q in it", what, got, want)
	}
}

// TestToolList: the list is one stop for Tab and its rows are for the arrows; families
// fold and stay so; the filter answers while one types.
func TestToolList(t *testing.T) {
	k := twoFamilies(t)
	if n := eval[int](k.tab, "document.querySelectorAll('[data-row][tabindex=\"0\"]').length"); n != 1 {
		t.Errorf("%d rows are stops for Tab, want 1", n)
	}
	k.tabTo("[data-row]")
	first := eval[string](k.tab, focused)
	k.press(kb.ArrowDown)
	if next := eval[string](k.tab, focused); next == first {
		t.Errorf("an arrow stays on %q", next)
	}
	k.press(kb.End)
	k.wantIn("End", focused, "order_copy")
	k.press(kb.Home)
	k.wantIn("Home", focused, "as a whole")
	k.press(kb.Tab)
	if eval[bool](k.tab, "document.activeElement.closest('[data-list] [data-row]') !== null") {
		t.Error("Tab goes from row to row")
	}

	family := eval[string](k.tab, "document.querySelector('[data-row][aria-current]').closest('[data-family]').dataset.family")
	k.do(chromedp.Evaluate[chromedp.Void]("[...document.querySelectorAll('[data-family]')].find(f => !f.querySelector('[data-row][aria-current]')).querySelector('summary').click()"))
	k.turn("j")
	if n := eval[int](k.tab, "document.querySelectorAll('[data-family]:not([open])').length"); n != 1 {
		t.Errorf("%d families are folded after another tool was opened", n)
	}
	k.do(chromedp.Evaluate[chromedp.Void]("document.querySelector('[data-family]:not([open]) summary').click()"))
	k.turn("J")
	if at := eval[string](k.tab, "document.querySelector('[data-row][aria-current]').closest('[data-family]').dataset.family"); at == family {
		t.Errorf("J stays in %q", at)
	}
	k.turn("K")
	k.wantIn("K", here, family+"_")

	k.press("/")
	k.wantIn("/", "document.activeElement.id", "filter")
	// A key is sent here as down and character apart, so the character comes along.
	k.do(chromedp.Evaluate[chromedp.Void]("document.activeElement.value = ''"))
	k.press("ORDER_c")
	k.wantIn("the filter", "document.querySelector('[data-found]').textContent", "1 of 14")
	if seen := eval[[]string](k.tab, "[...document.querySelectorAll('[data-family] [data-row]')].filter(r => r.checkVisibility()).map(r => r.querySelector('.name').innerText)"); len(seen) != 1 || seen[0] != "order_copy" {
		t.Errorf("the filter leaves %q", seen)
	}
	k.check("the filter")
}

// TestKeysOfTool: from the keys to a thread, to a suggestion, and to the end of the
// review.
func TestKeysOfTool(t *testing.T) {
	k := twoFamilies(t)
	comment := `fetch(location.pathname + "/threads", {method: "POST", body: new URLSearchParams({body: "Why?", on: document.querySelector("#comment [name=on]").value})}).then(r => r.status)`
	if status := evalAsync[int](k.tab, comment); status != 200 {
		t.Fatalf("the comment was answered with %d", status)
	}
	k.do(chromedp.Reload())
	k.press("n")
	if !eval[bool](k.tab, "document.activeElement.hasAttribute('data-thread')") {
		t.Error("n leads to no thread")
	}
	k.do(chromedp.Evaluate[chromedp.Void]("document.activeElement.blur()"))
	// The browser is told of the key alone: a driver's key types its letter into what has the focus then.
	k.do(chromedp.Evaluate[chromedp.Void](`document.body.dispatchEvent(new KeyboardEvent("keydown", {key: "s", bubbles: true}))`))
	if at := eval[string](k.tab, "document.activeElement.name ?? ''"); at != "suggest" {
		t.Errorf("s leads to %q", at)
	}
	const begun = `new Promise(done => { const box = document.activeElement; const look = () => box.value ? done(box.value) : setTimeout(look, 50); look(); })`
	if text := evalAsync[string](k.tab, begun); text != "Does get to one entity." {
		t.Errorf("the box begins with %q", text)
	}
	k.press(kb.Escape)
	k.leave("v")
	k.sees("Viewed, unmark")
	k.wantIn("the row", here, "viewed")
	// The focus is with the tool again, where Enter is the tool's.
	k.do(chromedp.Evaluate[chromedp.Void]("document.activeElement.blur()"))
	k.leave(kb.Enter)
	k.wantIn("Enter", "location.pathname", "/desk")
}
