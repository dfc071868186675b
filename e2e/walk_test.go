package e2e

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/countersign/countersign/internal/testkit"
)

// walk is a whole review of 200 changed tools, from the first decision until the version
// is released.
type walk struct {
	keyboard
	at    string // address of the review
	steps int    // answers that were given
}

// newWalk is the real program with a released listing of 240 tools and a second version
// that changes 200 of them in a dozen ways, and a browser that is signed in on a screen.
func newWalk(t *testing.T, s screen) *walk {
	t.Helper()
	a := newServer(t)
	k := keyboard{newTab(t, screens[0])}
	first := a.firstRelease(k)
	a.pushText("weather", "1.0.0", a.secret, testkit.SharedListing(1))
	k.open(first)
	k.click("form[action$='/baseline'] button")
	k.click("form[action$='/release'] button")
	a.pushText("weather", "2.0.0", a.secret, testkit.SharedListing(2))
	k.open(a.url + "/servers/weather")
	w := &walk{keyboard: k, at: a.url + eval[string](k.tab, `document.querySelector("a[href^='/releases/']").getAttribute("href")`)}
	w.show(s)
	return w
}

// withoutScripts runs none from now on.
func (b *tab) withoutScripts() {
	b.t.Helper()
	b.do(chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
		return err
	}))
}

// reviewed is what a page says of a review that goes on.
type reviewed struct {
	Open    int     // decisions
	Passes  bool    // the gate
	Focus   string  // id of what has the focus
	Current string  // id of the decision that the page stands at
	Top     float64 // of that in the window
	Needs   bool    // a reason, to be approved
	Flash   bool    // what was done last is in sight
}

func (w *walk) reviewed() reviewed {
	w.t.Helper()
	return eval[reviewed](w.tab, `(() => {
		const at = document.querySelector(":target") ?? document.activeElement.closest("[data-item]"), flash = document.querySelector("main > .notes[role=status]")?.getBoundingClientRect();
		return {
			open: document.querySelectorAll(".decision:not(.done)").length, passes: document.querySelector("#gate").innerText.includes("Safe to publish"),
			focus: document.activeElement.id, current: at?.id ?? "", top: at?.getBoundingClientRect().top ?? -1,
			needs: (at?.querySelector("[name=note]")?.placeholder ?? "").includes("needed"), flash: !!flash && flash.top >= 0 && flash.bottom <= innerHeight,
		};
	})()`)
}

// picture of a step, where pictures are wanted.
func (w *walk) shot(name string) {
	if *shotsDir == "" {
		return
	}
	png, err := chromedp.Run(w.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(fmt.Sprintf("%s/walk-%s-%02d.png", *shotsDir, name, w.steps), png, 0o644); err != nil {
		w.t.Fatal(err)
	}
}

// answerAll gives answers until no decision is open. After each the page has to stand at
// the next decision, with the focus on it, or in the end at the gate's answer, and show
// what was done.
func (w *walk) answerAll(name string, begin func(), answer func(needs bool)) {
	w.t.Helper()
	w.open(w.at)
	w.shot(name)
	begin()
	const most = 60
	for range most {
		now := w.reviewed()
		if now.Open == 0 {
			break
		}
		if !strings.HasPrefix(now.Focus, "d-") || now.Current != "" && now.Focus != now.Current {
			w.t.Fatalf("after %d answers the focus is not on the decision that the page stands at: %+v", w.steps, now)
		}
		if w.steps > 0 && (now.Top < 0 || now.Top > 300 || !now.Flash) {
			w.t.Errorf("after %d answers what is next, or what was done, is out of sight: %+v", w.steps, now)
		}
		answer(now.Needs)
		w.steps++
		w.shot(name)
		if left := w.reviewed().Open; left != now.Open-1 {
			w.t.Fatalf("after %d answers %d decisions are open, there were %d", w.steps, left, now.Open)
		}
	}
	if now := w.reviewed(); !now.Passes || now.Focus != "gate" || now.Top < 0 || now.Top > 300 || !now.Flash {
		w.t.Fatalf("after %d answers: %+v", w.steps, now)
	}
	if said := w.complaints(); len(said) > 0 {
		w.t.Errorf("the browser complains:\n\t%s", oneLine(said))
	}
}

// TestWalkByKeyboard: two keys an answer at most, but for what a reason needs; and two to
// release the version.
func TestWalkByKeyboard(t *testing.T) {
	w := newWalk(t, screens[0])
	w.answerAll("keys", func() { w.press("j") }, func(needs bool) {
		if !needs {
			w.follow("y", chromedp.KeyEvent("y"))
			return
		}
		w.press("y")
		w.do(chromedp.Evaluate[chromedp.Void]("document.activeElement.select()")) // the driver typed the key too
		w.press("Told to all callers.")
		w.follow("Ctrl+Enter", chromedp.Evaluate[chromedp.Void](`document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key: "Enter", ctrlKey: true, bubbles: true, cancelable: true})), undefined`))
	})
	w.press(kb.Tab)
	w.leave(kb.Enter)
	w.sees("is released")
	w.shot("keys-released")
}

// TestWalkWithoutScripts: every answer is a form and a page, which stands where the
// review goes on. One that was refused stands where the reason goes.
func TestWalkWithoutScripts(t *testing.T) {
	w := newWalk(t, screens[0])
	w.withoutScripts()
	refused := false
	w.answerAll("plain", func() { w.click("#gate a") }, func(needs bool) {
		if needs && !refused {
			refused = true
			w.click(":target button[value=approve]")
			w.shot("plain-refused")
			if !eval[bool](w.tab, `document.activeElement.name === "note" && document.activeElement.getBoundingClientRect().top > 0 && document.activeElement.getBoundingClientRect().bottom < innerHeight`) {
				t.Errorf("refused, and the cursor is on %.200s", eval[string](w.tab, "document.activeElement.outerHTML"))
			}
			w.complaints() // that it was refused
			w.press("Told to all callers.")
			w.click(".answer:has(:focus) button[value=approve]")
			return
		}
		if needs {
			w.do(chromedp.Click(chromedp.CSS(":target textarea[name=note]")))
			w.press("Told to all callers.")
		}
		w.click(":target button[value=approve]")
	})
	if !refused {
		t.Error("no answer was refused for want of a reason")
	}
	w.click("#gate form button")
	w.sees("is released")
}

// TestWalkOnAPhone does it by finger.
func TestWalkOnAPhone(t *testing.T) {
	w := newWalk(t, screens[2])
	w.answerAll("phone", func() { w.do(chromedp.Click(chromedp.CSS("#gate a"))) }, func(needs bool) {
		if needs {
			w.do(chromedp.Click(chromedp.CSS(":target textarea[name=note]")))
			w.press("Told to all callers.")
		}
		w.click(":target button[value=approve]")
		if wide := eval[[]string](w.tab, overflow); len(wide) > 0 {
			t.Errorf("after an answer the page overflows:\n\t%s", oneLine(wide))
		}
	})
	w.click("#gate form button")
	w.sees("is released")
	w.check("released on a phone")
}
