package e2e

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"github.com/countersign/countersign/internal/testkit"
)

var (
	shotsDir  = flag.String("shots", "", "write a picture of every state into this folder")
	onlyState = flag.String("state", "", "only states whose name begins with one of these, comma-separated")
)

// chromium is one browser for all tests of the package.
var chromium struct {
	sync.Once
	ctx    context.Context
	cancel context.CancelFunc
	err    error
}

func TestMain(m *testing.M) {
	flag.Parse()
	code := m.Run()
	if chromium.cancel != nil {
		chromium.cancel()
	}
	if storybook.cmd != nil {
		_ = storybook.cmd.Process.Signal(os.Interrupt)
		_ = storybook.cmd.Wait()
	}
	if built.dir != "" {
		_ = os.RemoveAll(built.dir)
	}
	os.Exit(code)
}

// browser returns the running browser, and starts it the first time.
func browser(t testing.TB) context.Context {
	t.Helper()
	path, err := exec.LookPath("chromium")
	if err != nil {
		testkit.Missing(t, "chromium (run: make deps)")
	}
	chromium.Do(func() { startChromium(path) })
	if chromium.err != nil {
		t.Fatalf("start chromium: %v", chromium.err)
	}
	return chromium.ctx
}

func startChromium(path string) {
	home, err := os.MkdirTemp("", "countersign-chromium-")
	if err != nil {
		chromium.err = err
		return
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path),
		chromedp.UserDataDir(home+"/profile"),
		chromedp.Env("HOME="+home),
		chromedp.NoSandbox,
		chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true),
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("hide-scrollbars", true),
		chromedp.WSURLReadTimeout(time.Minute),
	)
	alloc, stop := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, cancel := chromedp.NewContext(alloc)
	chromium.ctx = ctx
	chromium.cancel = func() {
		cancel()
		stop()
		_ = os.RemoveAll(home)
	}
	chromium.err = chromedp.Do(ctx)
}

// screen is what a page is looked at on.
type screen struct {
	width  int64
	dark   bool
	wishes []string // media features that are wished for: "prefers-contrast: more"
}

var screens = []screen{{width: 1280}, {width: 1280, dark: true}, {width: 390}, {width: 390, dark: true}}

// looks are the screens that pages are checked on: where things stand does not
// depend on colours, and colours not on the width, so the diagonal says as much as
// all four. Pictures are taken of all.
func looks() []screen {
	if *shotsDir != "" {
		return screens
	}
	return []screen{screens[0], screens[3]}
}

// modes are screens of people who need something else.
var modes = []screen{
	{width: 1280, wishes: []string{"prefers-contrast: more"}}, {width: 1280, dark: true, wishes: []string{"prefers-contrast: more"}},
	{width: 1280, wishes: []string{"forced-colors: active"}}, {width: 1280, dark: true, wishes: []string{"forced-colors: active"}},
}

func (s screen) String() string {
	name := fmt.Sprintf("%d-light", s.width)
	if s.dark {
		name = fmt.Sprintf("%d-dark", s.width)
	}
	for _, w := range s.wishes {
		feature, _, _ := strings.Cut(w, ":")
		name += "-" + feature
	}
	return name
}

// features are what the browser is told about the screen.
func (s screen) features() []*emulation.MediaFeature {
	scheme := "light"
	if s.dark {
		scheme = "dark"
	}
	list := []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"}}
	for _, w := range s.wishes {
		feature, value, _ := strings.Cut(w, ": ")
		list = append(list, &emulation.MediaFeature{Name: feature, Value: value})
	}
	return list
}

// tab is one tab, and what went wrong in it.
type tab struct {
	ctx  context.Context
	t    testing.TB
	mu   sync.Mutex
	said []string // console messages of level warning or worse
}

// inTabs looks at every item in one of as many tabs as there are processors: most of
// the time goes into what runs inside of a page, on one processor each.
func inTabs[T any](t *testing.T, items []T, look func(*tab, T)) {
	t.Helper()
	inTabsFrom(t, items, look, func(t *testing.T) *tab { return newTab(t, screens[0]) })
}

// inTabsOf is inTabs in the session of a browser that signed in.
func inTabsOf[T any](t *testing.T, signedIn *tab, items []T, look func(*tab, T)) {
	t.Helper()
	inTabsFrom(t, items, look, func(t *testing.T) *tab { return signedIn.anotherFor(t) })
}

func inTabsFrom[T any](t *testing.T, items []T, look func(*tab, T), open func(*testing.T) *tab) {
	t.Helper()
	queue := make(chan T, len(items))
	for _, item := range items {
		queue <- item
	}
	close(queue)
	for i := range min(runtime.GOMAXPROCS(0), 4, len(items)) {
		t.Run(fmt.Sprintf("tab %d", i+1), func(t *testing.T) {
			t.Parallel()
			b := open(t)
			for item := range queue {
				look(b, item)
			}
		})
	}
}

// newTab opens a tab that is closed at the end of the test.
func newTab(t testing.TB, s screen) *tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(browser(t), chromedp.WithNewBrowserContext())
	return openTab(t, ctx, cancel, s)
}

// openTab shows a tab that was just made, and hears what goes wrong in it.
func openTab(t testing.TB, ctx context.Context, cancel func(), s screen) *tab {
	t.Helper()
	b := &tab{ctx: ctx, t: t}
	console := chromedp.Console(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for m, err := range console {
			if err != nil {
				return
			}
			b.note(m)
		}
	}()
	t.Cleanup(func() {
		cancel()
		<-done
	})
	b.show(s)
	return b
}

func (b *tab) note(m chromedp.ConsoleMessage) {
	if m.Type != chromedp.ConsoleError && m.Type != chromedp.ConsoleWarning && !m.IsException() {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.said = append(b.said, m.String())
}

// complaints returns what the browser complained of since the last call.
func (b *tab) complaints() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	said := b.said
	b.said = nil
	return said
}

// show changes the screen.
func (b *tab) show(s screen) {
	b.t.Helper()
	b.do(
		chromedp.EmulateViewport(s.width, 900),
		chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
			_, err := cdp.Call(ctx, target, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
				Features: s.features(),
			})
			return err
		}),
	)
}

// patience is what one step may take. There is no limit for a whole test: how long
// that takes is the machine's affair.
const patience = 2 * time.Minute

func (b *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		b.t.Fatalf("browser: %v", err)
	}
}

// follow does what leads to another page, and returns how that was answered.
func (b *tab) follow(what string, step chromedp.Action[chromedp.Void]) *network.Response {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	answer, err := chromedp.RunResponse(ctx, step)
	if err != nil {
		b.t.Fatalf("%s led nowhere: %v", what, err)
	}
	return answer
}

// click presses what leads to another page, and waits for it.
func (b *tab) click(selector string) *network.Response {
	b.t.Helper()
	return b.follow(selector, chromedp.Click(chromedp.CSS(selector)))
}

func (b *tab) open(url string) {
	b.t.Helper()
	b.do(chromedp.Navigate(url))
}

// eval returns the value of an expression in the page.
func eval[T any](b *tab, expression string) T {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		b.t.Fatalf("browser: %.200s: %v", expression, err)
	}
	return v
}

// evalAsync is eval for an expression that gives a promise.
func evalAsync[T any](b *tab, expression string) T {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatalf("browser: %.200s: %v", expression, err)
	}
	return v
}

// picture writes what the whole page looks like.
func (b *tab) picture(name string) {
	b.t.Helper()
	png, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
	if err != nil {
		b.t.Fatalf("picture: %v", err)
	}
	if err := os.WriteFile(*shotsDir+"/"+name+".png", png, 0o644); err != nil {
		b.t.Fatal(err)
	}
}

// colours are the rules of the accessibility checker that ask about colours. The
// others ask about markup and places, which are the same in every colour scheme.
const colours = `["color-contrast", "link-in-text-block"]`

// axe returns what the accessibility checker finds on the page, one line each: by
// all rules, or only by those about colours.
func (b *tab) axe(onlyColours bool) []string {
	b.t.Helper()
	if !eval[bool](b, "'axe' in window") {
		// Evaluated by the debugger, so the page's policy does not stand in the way.
		b.do(chromedp.Evaluate[chromedp.Void](axeSource(b.t)))
	}
	rules := ""
	if onlyColours {
		rules = `, runOnly: {type: "rule", values: ` + colours + `}`
	}
	return evalAsync[[]string](b, `axe.run(document, {resultTypes: ["violations"]`+rules+`}).then(r => r.violations.flatMap(
		v => v.nodes.map(n => v.id + ": " + v.help + ": " + n.target.join(" ") + ": " + n.html.slice(0, 160) + " | " + (n.any[0]?.message ?? n.all[0]?.message ?? ""))))`)
}

var axeOnce = sync.OnceValues(func() (string, error) {
	b, err := os.ReadFile(testkit.Root() + "/e2e/node_modules/axe-core/axe.min.js")
	return string(b) + "\n;undefined", err
})

func axeSource(t testing.TB) string {
	t.Helper()
	testkit.NodeModule(t, "axe-core")
	source, err := axeOnce()
	if err != nil {
		t.Fatal(err)
	}
	return source
}

// overflow lists what is wider than the screen and can't be scrolled by itself.
const overflow = `(() => {
	const wide = document.documentElement.clientWidth;
	if (document.documentElement.scrollWidth <= wide) return [];
	const scrolls = (e) => { for (; e && e !== document.body; e = e.parentElement) if (/auto|scroll|hidden/.test(getComputedStyle(e).overflowX)) return true; return false; };
	return ["page is " + document.documentElement.scrollWidth + " wide"].concat([...document.body.querySelectorAll("*")]
		.filter((e) => e.getBoundingClientRect().right > wide + 1 && !scrolls(e.parentElement))
		.concat([...document.body.querySelectorAll(".unseen")].filter((e) => e.getBoundingClientRect().right > wide + 1))
		.concat([...document.body.querySelectorAll("*")].filter((e) => e.scrollWidth > e.clientWidth + 1 && !scrolls(e) && ![...e.children].some((c) => c.scrollWidth > c.clientWidth + 1)))
		.slice(0, 8).map((e) => e.outerHTML.slice(0, 160)));
})()`

func oneLine(list []string) string { return strings.Join(list, "\n\t") }

// checkAt shows the page in sight on every one of the screens, and checks it there.
// All rules are asked once for each width, those about colours everywhere.
func (b *tab) checkAt(name string, list []screen, more ...func(where string)) {
	b.t.Helper()
	asked := map[int64]bool{}
	for _, s := range list {
		b.show(s)
		where := name + " at " + s.String()
		b.checkBy(where, asked[s.width])
		asked[s.width] = true
		for _, m := range more {
			m(where)
		}
		if *shotsDir != "" {
			b.picture(name + "-" + s.String())
		}
	}
}

// check reports everything that is wrong with the page in sight: what the
// accessibility checker finds, what the browser complains of, what is wider than
// the screen.
func (b *tab) check(where string) {
	b.t.Helper()
	b.checkBy(where, false)
}

func (b *tab) checkBy(where string, onlyColours bool) {
	b.t.Helper()
	if wide := eval[[]string](b, overflow); len(wide) > 0 {
		b.t.Errorf("%s overflows:\n\t%s", where, oneLine(wide))
	}
	if found := b.axe(onlyColours); len(found) > 0 {
		b.t.Errorf("%s:\n\t%s", where, oneLine(found))
	}
	if said := b.complaints(); len(said) > 0 {
		b.t.Errorf("%s, the browser complains:\n\t%s", where, oneLine(said))
	}
}
