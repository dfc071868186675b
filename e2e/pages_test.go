package e2e

import (
	"strings"
	"testing"
)

// visit is a page of the running demo.
type visit struct{ name, path string }

// demoPages finds the pages of the demo by following links, as a person would.
func demoPages(b *tab, a *app) []visit {
	pages := []visit{
		{"home", "/"}, {"servers", "/servers"}, {"server-new", "/servers/new"}, {"deliveries", "/deliveries"},
		{"people", "/people"}, {"tokens", "/tokens"}, {"audit", "/audit"},
	}
	for _, slug := range []string{"mot", "git", "shop"} {
		server := "/servers/" + slug
		b.open(a.url + server)
		release := eval[string](b, `document.querySelector("a[href^='/releases/']").getAttribute("href")`)
		listing := eval[string](b, `document.querySelector("a[href*='/listings/']").getAttribute("href")`)
		ids := eval[[]string](b, `[...document.querySelectorAll("#from option")].map(o => o.value)`)
		pages = append(pages,
			visit{slug, server}, visit{slug + "-connect", server + "/connect"}, visit{slug + "-push", server + "/push"},
			visit{slug + "-release", release}, visit{slug + "-tools", release + "?view=tools"},
			visit{slug + "-threads", release + "?view=threads"}, visit{slug + "-history", release + "?view=history"},
			visit{slug + "-unchanged", release + "?view=tools&tool=n1"},
			visit{slug + "-listing", listing}, visit{slug + "-read", listing + "?view=read"}, visit{slug + "-tool", listing + "?tool=2"},
			visit{slug + "-compare", server + "/compare?from=" + ids[1] + "&to=" + ids[0]},
		)
	}
	return pages
}

// enter signs in by the link that the program printed.
func (b *tab) enter(a *app) {
	b.t.Helper()
	b.open(a.link)
	b.click("main form button")
	if at := eval[string](b, "location.pathname"); at != "/" {
		b.t.Fatalf("signed in, and at %s", at)
	}
}

// shifts is how much of the page in sight moved after it was painted.
const shifts = `new Promise((done) => {
	let sum = 0;
	new PerformanceObserver((l) => l.getEntries().forEach((e) => sum += e.value)).observe({type: "layout-shift", buffered: true});
	setTimeout(() => done(sum), 150);
})`

// stillness is what nobody sees: a page that is drawn while it still comes in may move
// by a hair.
const stillness = 0.001

// TestPages looks at the pages of the running demo, as TestStates looks at
// fixtures.
func TestPages(t *testing.T) {
	a := demo(t)
	b := newTab(t, screens[0])
	b.enter(a)
	var pages []visit
	for _, p := range demoPages(b, a) {
		if strings.HasPrefix(p.name, *onlyState) {
			pages = append(pages, p)
		}
	}
	inTabsOf(t, b, pages, func(b *tab, p visit) {
		b.open(a.url + p.path)
		moved := evalAsync[float64](b, shifts)
		if moved > stillness { // a busy machine paints a page that is half there
			b.open(a.url + p.path)
			moved = evalAsync[float64](b, shifts)
		}
		if moved > stillness {
			b.t.Errorf("%s: what was painted moved by %.4f", p.name, moved)
		}
		b.checkAt("demo-"+p.name, looks(), func(where string) {
			if eval[bool](b, `(nav => nav.scrollWidth > nav.clientWidth)(document.querySelector(".nav"))`) {
				b.t.Errorf("%s: the menu goes on past the edge", where)
			}
		})
	})
}
