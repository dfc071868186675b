package e2e

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"github.com/countersign/countersign/internal/testkit"
)

const (
	anaMail     = "ana@example.com"
	anaPassword = "a sentence that nobody guesses"
)

// bigReview is the real program with a released listing of 1,000 tools and a second
// version that changes 200 of them, and a browser that is signed in. It returns the
// address of the review.
func bigReview(t testing.TB) (*app, keyboard, string) {
	t.Helper()
	a := newServer(t)
	k := keyboard{newTab(t, screens[0])}
	k.open(a.link)
	for selector, text := range map[string]string{"#email": anaMail, "#name": "Ana Ruiz", "#password": anaPassword} {
		k.do(chromedp.Evaluate[chromedp.Void]("document.querySelector(" + quote(selector) + ").value = " + quote(text)))
	}
	k.click("main form button")
	_, out := a.shell("server", "add", "big", "--policy", "solo", "--json")
	secret := secretIn(t, out)
	a.pushText("big", "1.0.0", secret, testkit.BigListing(1000, 200, 1))
	k.open(a.url + "/servers/big")
	k.open(a.url + eval[string](k.tab, `document.querySelector("a[href^='/releases/']").getAttribute("href")`))
	k.click("form[action$='/baseline'] button")
	k.click("form[action$='/release'] button")
	a.pushText("big", "2.0.0", secret, testkit.BigListing(1000, 200, 2))
	k.open(a.url + "/servers/big")
	return a, k, a.url + eval[string](k.tab, `document.querySelector("a[href^='/releases/']").getAttribute("href")`)
}

// pushText pushes a payload as CI would.
func (a *app) pushText(server, version, secret, payload string) {
	a.t.Helper()
	file := filepath.Join(a.t.TempDir(), "listing.json")
	if err := os.WriteFile(file, []byte(payload), 0o600); err != nil {
		a.t.Fatal(err)
	}
	if code, out := a.shell("push", file, "--to", a.url, "--server", server, "--version", version, "--secret", secret); code > 1 {
		a.t.Fatalf("push: exit %d: %s", code, out)
	}
}

// loaded is what a browser says of a page that it has loaded.
type loaded struct {
	Server   float64 `json:"server"`   // ms to the first byte
	Bytes    float64 `json:"bytes"`    // of the page on the way
	Elements float64 `json:"elements"` // in the page
	Paint    float64 `json:"paint"`    // ms to the largest paint
	Shift    float64 `json:"shift"`    // how much moved after it was painted
}

const measureLoad = `new Promise((done) => {
	let paint = 0, shift = 0;
	new PerformanceObserver((l) => l.getEntries().forEach((e) => paint = e.startTime)).observe({type: "largest-contentful-paint", buffered: true});
	new PerformanceObserver((l) => l.getEntries().forEach((e) => shift += e.value)).observe({type: "layout-shift", buffered: true});
	setTimeout(() => {
		const n = performance.getEntriesByType("navigation")[0];
		done({server: n.responseStart - n.requestStart, bytes: n.encodedBodySize, elements: document.querySelectorAll("*").length, paint, shift});
	}, 500);
})`

// BenchmarkPages measures in a browser what a reviewer with 200 changed tools of
// 1,000 waits for. Each figure is the median of b.N looks, so -benchtime takes a
// number of them: make bench-pages. The floor is a page with nothing on it: what
// remains of it on another machine, or a busy one, remains of the others.
func BenchmarkPages(b *testing.B) {
	a, k, review := bigReview(b)
	tools := review + "?view=tools"
	for _, page := range []struct{ name, url string }{{"floor", a.url + "/search"}, {"decisions", review}, {"tools", tools}, {"unchanged", tools + "&tool=n2"}} {
		b.Run(page.name, func(b *testing.B) { benchmarkLoad(b, k, page.url) })
	}
	b.Run("next", func(b *testing.B) { benchmarkNext(b, k, tools, "j") })
	b.Run("family", func(b *testing.B) { benchmarkNext(b, k, tools, "J") })
	b.Run("filter", func(b *testing.B) { benchmarkFilter(b, k, tools) })
	b.Run("memory", func(b *testing.B) { benchmarkMemory(b, k, tools) })
	b.Run("reviewers", func(b *testing.B) { benchmarkReviewers(b, a, review) })
}

// benchmarkLoad opens a page in a browser that has nothing of it yet.
func benchmarkLoad(b *testing.B, k keyboard, url string) {
	var all []loaded
	for range b.N {
		k.open("about:blank")
		k.do(chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
			_, err := cdp.Call(ctx, target, network.ClearBrowserCache, cdp.Empty{})
			return err
		}))
		k.open(url)
		all = append(all, evalAsync[loaded](k.tab, measureLoad))
	}
	of := func(f func(loaded) float64) float64 {
		var list []float64
		for _, l := range all {
			list = append(list, f(l))
		}
		return quantile(list, 0.5)
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(of(func(l loaded) float64 { return l.Server }), "server-ms")
	b.ReportMetric(of(func(l loaded) float64 { return l.Paint }), "paint-ms")
	b.ReportMetric(of(func(l loaded) float64 { return l.Bytes / 1000 }), "kB")
	b.ReportMetric(of(func(l loaded) float64 { return l.Elements }), "elements")
	b.ReportMetric(of(func(l loaded) float64 { return l.Shift }), "shift")
}

// benchmarkNext goes from tool to tool by the key, and measures from the key to the
// first paint of the next tool: of the one that was fetched beforehand, or of one that
// was not, in another family.
func benchmarkNext(b *testing.B, k keyboard, url, key string) {
	var paint []float64
	k.open(url)
	for range b.N {
		time.Sleep(time.Second) // somebody looks at the tool
		k.do(chromedp.Evaluate[chromedp.Void](watchTurn))
		k.turns(key, func() { k.press(key) })
		paint = append(paint, evalAsync[float64](k.tab, "window.turned"))
	}
	server := eval[[]float64](k.tab, `performance.getEntriesByType("resource").filter((e) => e.initiatorType === "xmlhttprequest").map((e) => e.responseStart - e.requestStart)`)
	kept := eval[[]float64](k.tab, `performance.getEntriesByType("resource").filter((e) => e.initiatorType === "xmlhttprequest").map((e) => e.encodedBodySize / 1000)`)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(quantile(paint, 0.5), "paint-ms")
	b.ReportMetric(quantile(paint, 0.9), "paint-p90-ms")
	b.ReportMetric(quantile(server, 0.5), "server-ms")
	b.ReportMetric(quantile(kept, 0.5), "kB")
}

// watchTurn measures from the next key to the end of the frame in which another tool
// was put into the page.
const watchTurn = `window.turned = new Promise((done) => {
	let pressed = 0;
	document.addEventListener("keydown", (e) => pressed = e.timeStamp, {capture: true, once: true});
	new MutationObserver((_, observer) => {
		observer.disconnect();
		requestAnimationFrame(() => setTimeout(() => done(performance.now() - pressed)));
	}).observe(document.querySelector("[data-panes]"), {childList: true});
}), undefined`

// benchmarkFilter types into the filter of a list of 1,000 tools, and measures until
// the list is laid out anew.
func benchmarkFilter(b *testing.B, k keyboard, url string) {
	var took []float64
	k.open(url)
	for i := range b.N {
		took = append(took, eval[float64](k.tab, fmt.Sprintf(`(() => {
			document.querySelectorAll("details.plain").forEach((d) => d.open = true);
			const field = document.querySelector("#filter");
			field.value = "act%d";
			document.body.offsetHeight;
			const began = performance.now();
			field.dispatchEvent(new Event("input", {bubbles: true}));
			document.body.offsetHeight;
			return performance.now() - began;
		})()`, i%10)))
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(quantile(took, 0.5), "ms")
}

// benchmarkMemory asks what the page holds, scripts, elements and all.
func benchmarkMemory(b *testing.B, k keyboard, url string) {
	var held []float64
	for range b.N {
		k.open(url)
		held = append(held, evalAsync[float64](k.tab, `performance.measureUserAgentSpecificMemory().then((m) => m.bytes / 1e6)`))
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(quantile(held, 0.5), "MB")
}

// reviewersAtOnce open a page each every three seconds.
const (
	reviewersAtOnce = 50
	reviewerThinks  = 3 * time.Second
)

// benchmarkReviewers has 50 reviewers at work, who open the decisions or one tool and
// look at it.
func benchmarkReviewers(b *testing.B, a *app, review string) {
	client := a.signIn()
	pages := append([]string{review, review + "?view=tools"}, toolsOf(b, client, review+"?view=tools")...)
	var mu sync.Mutex
	var took []float64
	var wg sync.WaitGroup
	before := a.cpu()
	for range reviewersAtOnce {
		wg.Go(func() {
			time.Sleep(rand.N(reviewerThinks))
			for range b.N {
				began := time.Now()
				_ = fetch(b, client, pages[rand.IntN(len(pages))])
				mu.Lock()
				took = append(took, float64(time.Since(began).Microseconds())/1000)
				mu.Unlock()
				time.Sleep(reviewerThinks/2 + rand.N(reviewerThinks))
			}
		})
	}
	wg.Wait()
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(quantile(took, 0.5), "p50-ms")
	b.ReportMetric(quantile(took, 0.99), "p99-ms")
	b.ReportMetric(float64((a.cpu()-before).Milliseconds())/float64(len(took)), "cpu-ms/page")
}

// cpu is the time that processors spent on the program, which hardly depends on what
// else a machine does; zero where the system does not say.
func (a *app) cpu() time.Duration {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", a.cmd.Process.Pid))
	_, rest, found := strings.Cut(string(stat), ") ")
	fields := strings.Fields(rest)
	if err != nil || !found || len(fields) < 13 {
		return 0
	}
	const tick = 10 * time.Millisecond
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * tick
}

// signIn returns a client with Ana's session.
func (a *app) signIn() *http.Client {
	a.t.Helper()
	jar, _ := cookiejar.New(nil)
	client := &http.Client{Jar: jar, Transport: &http.Transport{MaxIdleConnsPerHost: reviewersAtOnce}}
	answer, err := client.PostForm(a.url+"/sign-in", url.Values{"email": {anaMail}, "password": {anaPassword}})
	if err != nil {
		a.t.Fatal(err)
	}
	_ = answer.Body.Close()
	if answer.Request.URL.Path != "/" {
		a.t.Fatalf("signing in led to %s", answer.Request.URL)
	}
	return client
}

func fetch(t testing.TB, client *http.Client, url string) string {
	t.Helper()
	answer, err := client.Get(url)
	if err != nil {
		t.Error(err)
		return ""
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Errorf("%s: %d %v", url, answer.StatusCode, err)
	}
	return string(body)
}

// toolsOf lists the addresses of some changed tools.
func toolsOf(t testing.TB, client *http.Client, list string) []string {
	t.Helper()
	base, _, _ := strings.Cut(list, "/releases/")
	var out []string
	for _, part := range strings.Split(fetch(t, client, list), `href="`)[1:] {
		href, _, _ := strings.Cut(part, `"`)
		if strings.Contains(href, "tool=ch_") && len(out) < 40 {
			out = append(out, base+strings.ReplaceAll(href, "&amp;", "&"))
		}
	}
	if len(out) < 10 {
		t.Fatalf("%d tools at %s", len(out), list)
	}
	return out
}

// quantile is the value that a share of a list is not above.
func quantile(list []float64, share float64) float64 {
	if len(list) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(list))
	return sorted[min(len(sorted)-1, int(share*float64(len(sorted))))]
}
