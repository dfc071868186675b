package e2e

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/testkit"
)

// hostileTools are what a server can send that would break a careless page.
func hostileTools(version int) []string {
	def := func(name, description string, properties map[string]any) string {
		b, err := json.Marshal(map[string]any{
			"name": name, "description": description, "title": name,
			"annotations": map[string]any{"title": description[:min(len(description), 200)], "destructiveHint": version == 1},
			"inputSchema": map[string]any{"type": "object", "properties": properties},
		})
		if err != nil {
			panic(err)
		}
		return string(b)
	}
	markup := fmt.Sprintf(`<img src=x onerror="document.title='owned %d'">`, version)
	many := map[string]any{}
	for i := range 500 {
		many[fmt.Sprintf("parameter_%d", i)] = map[string]any{"type": "string", "description": fmt.Sprint(markup, i*version)}
	}
	long := strings.Repeat("x", 300)
	return []string{
		def(markup, markup, map[string]any{markup: map[string]any{"type": "string", "enum": []string{markup}, "default": markup, "description": markup}}),
		def("a/../b", "A tool named like a path, version "+fmt.Sprint(version), nil),
		def(long, strings.Repeat("Unbroken"+fmt.Sprint(version), 300), map[string]any{long: map[string]any{"type": "string", "pattern": "^" + long + "$"}}),
		def("long text", strings.Repeat(fmt.Sprintf("A sentence of version %d. ", version), 4000), nil),
		def("many parameters", "Five hundred.", many),
		def("עברית", fmt.Sprintf("مرحبا بالعالم %d", version), map[string]any{"שם": map[string]any{"type": "string"}}),
		def("stack"+strings.Repeat("\u0301", 40), "Z\u0351\u036b\u0343\u036a\u0302\u036b\u033d\u034f\u0334\u0319\u0324\u031e\u0349\u035a\u032f\u031e\u0320\u034dA "+fmt.Sprint(version), nil),
		def("invisible\u200b\u202e\U000e0041", "Tags: \U000e0068\U000e0069 "+strings.Repeat("\u200b", version*1000), nil),
		def("line\nend\ttab", "Blanks   in a row. "+fmt.Sprint(version), nil),
	}
}

// TestHostileListing pushes what would break a careless page, and looks at the
// pages that show it, on the narrowest screen too: nothing runs, nothing is wider
// than the screen, no text lies over another. So it does with no tools and with many.
func TestHostileListing(t *testing.T) {
	a := newServer(t)
	b := newTab(t, screens[0])
	_, out := a.shell("server", "add", "weather", "--policy", "solo", "--json")
	secret := secretIn(t, out)
	k := keyboard{b}
	b.open(a.link)
	k.write("#email", "ana@example.com")
	k.write("#password", "a sentence that nobody guesses")
	k.leave("\r")
	a.push("1.0.0", secret, hostileTools(1)...)
	a.push("2.0.0", secret, hostileTools(2)...)

	b.open(a.url + "/servers/weather")
	release := eval[string](b, `document.querySelector("a[href^='/releases/']").getAttribute("href")`)
	listing := eval[string](b, `document.querySelector("a[href*='/listings/']").getAttribute("href")`)
	ids := eval[[]string](b, `[...document.querySelectorAll("#from option")].map(o => o.value)`)
	compare := "/servers/weather/compare?from=" + ids[1] + "&to=" + ids[0]
	b.open(a.url + compare)
	tools := eval[[]string](b, `[...document.querySelectorAll("[data-row]")].map(r => r.getAttribute("href"))`)
	paths := append([]string{"/", "/servers/weather", release, release + "?view=tools", listing, listing + "?view=read", "/deliveries", "/audit"}, tools...)
	paths = append(paths, a.pagesOf(b, "none", `{"tools":[]}`)...)
	paths = append(paths, a.pagesOf(b, "many", testkit.BigListing(2000, 2000, 1))...)
	inTabsOf(t, b, paths, func(b *tab, path string) {
		b.open(a.url + path)
		for _, s := range []screen{{width: 1280}, {width: 320}} {
			b.show(s)
			where := fmt.Sprintf("%.80s at %d", path, s.width)
			if wide := eval[[]string](b, overflow); len(wide) > 0 {
				b.t.Errorf("%s overflows:\n\t%s", where, oneLine(wide))
			}
			if over := eval[[]string](b, overlaps); len(over) > 0 {
				b.t.Errorf("%s has text over text:\n\t%s", where, oneLine(over))
			}
			if title := eval[string](b, "document.title"); strings.HasPrefix(title, "owned") {
				b.t.Fatalf("%s: a script of the listing ran", where)
			}
			if n := eval[int](b, "document.querySelectorAll('main img').length"); n > 0 {
				b.t.Errorf("%s: %d images", where, n)
			}
			if said := b.complaints(); len(said) > 0 {
				b.t.Errorf("%s, the browser complains:\n\t%s", where, oneLine(said))
			}
		}
	})
}

// pagesOf pushes a payload as the first listing of a server of its own, and returns the
// addresses of the pages that show it.
func (a *app) pagesOf(b *tab, server, payload string) []string {
	a.t.Helper()
	_, out := a.shell("server", "add", server, "--policy", "solo", "--json")
	a.pushText(server, "1.0.0", secretIn(a.t, out), payload)
	b.open(a.url + "/servers/" + server)
	release := eval[string](b, `document.querySelector("a[href^='/releases/']").getAttribute("href")`)
	listing := eval[string](b, `document.querySelector("a[href*='/listings/']").getAttribute("href")`)
	pages := []string{release, release + "?view=tools", listing}
	if strings.Contains(payload, `"name"`) {
		pages = append(pages, listing+"?tool=2000")
	}
	return pages
}

// overlaps lists texts of the page that lie over one another by half a line or more,
// as far as they are in sight: what a box that scrolls hides lies over nothing.
const overlaps = `(() => {
	const whole = {left: -1e9, top: -1e9, right: 1e9, bottom: 1e9}, known = new Map();
	const within = (a, b) => ({left: Math.max(a.left, b.left), top: Math.max(a.top, b.top), right: Math.min(a.right, b.right), bottom: Math.min(a.bottom, b.bottom)});
	const sight = (e) => {
		if (!e || e === document.body) return whole;
		if (!known.has(e)) known.set(e, getComputedStyle(e).overflow === "visible" ? sight(e.parentElement) : within(sight(e.parentElement), e.getBoundingClientRect()));
		return known.get(e);
	};
	const texts = [], walk = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT), range = document.createRange();
	for (let n; n = walk.nextNode();) {
		const e = n.parentElement;
		if (!n.data.trim() || !e.checkVisibility({visibilityProperty: true, opacityProperty: true}) || e.closest(".unseen, noscript")) continue;
		range.selectNodeContents(n);
		for (const r of range.getClientRects()) {
			const box = within(r, sight(e));
			if (box.right - box.left > 2 && box.bottom - box.top > 2) texts.push({n, box});
		}
	}
	texts.sort((a, b) => a.box.top - b.box.top);
	const found = [];
	texts.forEach((a, i) => {
		for (let j = i + 1; j < texts.length && texts[j].box.top < a.box.bottom && found.length < 8; j++) {
			const b = texts[j], both = within(a.box, b.box), line = Math.min(a.box.bottom - a.box.top, b.box.bottom - b.box.top);
			if (a.n !== b.n && both.right - both.left > 2 && both.bottom - both.top > line / 2) {
				found.push([a, b].map(({n, box}) => n.data.trim().slice(0, 40) + " at " + Math.round(box.left) + "," + Math.round(box.top)).join(" | "));
			}
		}
	});
	return found;
})()`

// TestOverlapsAreSeen: the check would find text over text.
func TestOverlapsAreSeen(t *testing.T) {
	b := newTab(t, screens[0])
	b.open("data:text/html,<main><p>One line.</p><p style='margin-top:-2.2em'>Another.</p><div style='overflow:hidden;height:1em'>Seen.<br><br><br>Not seen.</div><p>Below it.</p></main>")
	if found := eval[[]string](b, overlaps); len(found) != 1 || !strings.Contains(found[0], "One line.") || !strings.Contains(found[0], "Another.") {
		t.Errorf("found %q", found)
	}
}

// checkReflow: at 320 px, and with text twice as large, the page in sight is not wider
// than the screen. It leaves the text large.
func (b *tab) checkReflow(name string) {
	b.t.Helper()
	b.show(screen{width: 320})
	if wide := eval[[]string](b, overflow); len(wide) > 0 {
		b.t.Errorf("%s at 320 px overflows:\n\t%s", name, oneLine(wide))
	}
	b.show(screen{width: 640})
	if wide := eval[[]string](b, "document.documentElement.style.fontSize = '200%', "+overflow); len(wide) > 0 {
		b.t.Errorf("%s with text at 200 %% overflows:\n\t%s", name, oneLine(wide))
	}
}

// checkTargets: what can be pressed is at least 24 px high and wide, or stands in a
// line of text.
func (b *tab) checkTargets(name string) {
	b.t.Helper()
	b.show(screen{width: 390})
	if small := eval[[]string](b, smallTargets); len(small) > 0 {
		b.t.Errorf("%s has small targets:\n\t%s", name, oneLine(small))
	}
}

const smallTargets = `[...document.querySelectorAll("a, button, summary, input:not([type=hidden]), select, textarea")]
	.filter((e) => e.checkVisibility() && !e.closest(".unseen, .skip, p, dd, td, .prose, .section-head, .what, .side, .row"))
	.map((e) => [e, (e.closest("label") ?? e).getBoundingClientRect()])
	.filter(([, r]) => r.height < 23.5 || r.width < 23.5)
	.map(([e, r]) => Math.round(r.width) + " x " + Math.round(r.height) + ": " + e.outerHTML.slice(0, 140))`
