package e2e

import (
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// until waits for an expression in the page to be true.
func (b *tab) until(what, expression string) {
	b.t.Helper()
	ok := evalAsync[bool](b, `new Promise((done) => {
		const limit = Date.now() + 30000;
		const ask = () => (`+expression+`) ? done(true) : Date.now() > limit ? done(false) : setTimeout(ask, 50);
		ask();
	})`)
	if !ok {
		b.t.Fatalf("%s did not happen; the line says %q", what, eval[string](b, "document.querySelector('.live')?.innerText ?? ''"))
	}
}

const lineSays = "document.querySelector('.live [role=status]').textContent"

// TestLiveLine: a release page that stays open is told of a push and of an answer,
// by events and by asking, and nothing on it moves but the line.
func TestLiveLine(t *testing.T) {
	a := demo(t)
	reader := keyboard{newTab(t, screen{width: 1280})}
	reader.enter(a)
	reader.open(a.url + "/servers/git")
	release := a.url + eval[string](reader.tab, `document.querySelector("a[href^='/releases/']").getAttribute("href")`)
	reader.open(release)
	reader.do(chromedp.Evaluate[chromedp.Void](`window.kept = document.querySelector(".decision [name=note]"); kept.value = "half a thought"`))
	if said := eval[string](reader.tab, lineSays); said != "" {
		t.Fatalf("the line begins with %q", said)
	}

	// Another tab of the same person answers by a form.
	other := &tab{ctx: reader.ctx, t: t}
	comment := `fetch(location.pathname + "/threads", {method: "POST", body: new URLSearchParams({body: "Why?"})}).then(r => r.status)`
	if status := evalAsync[int](other, comment); status != 200 {
		t.Fatalf("the comment was answered with %d", status)
	}
	reader.until("the comment", lineSays+` === "1 new comment."`)
	if !eval[bool](reader.tab, `kept.isConnected && kept.value === "half a thought"`) {
		t.Error("the page was changed under the reader")
	}
	if eval[bool](reader.tab, `document.querySelector("[data-poll-show]").hidden`) {
		t.Error("there is no way to look")
	}
	if top := eval[float64](reader.tab, `(scrollTo(0, document.documentElement.scrollHeight), scrollY > 200 ? document.querySelector(".live").getBoundingClientRect().top : -1)`); top < 0 || top > 100 {
		t.Errorf("far down the page the line is at %v", top)
	}
	for _, s := range looks() {
		reader.show(s)
		if *shotsDir != "" {
			reader.picture("live-" + s.String())
		}
		reader.check("the line at " + s.String())
	}
}

// TestLiveLineLeadsToDrafts: whoever typed about what a push changed is told that the draft
// moved, and led to it; the text stays where it is.
func TestLiveLineLeadsToDrafts(t *testing.T) {
	a := newServer(t)
	k := keyboard{newTab(t, screen{width: 1280})}
	at := a.firstRelease(k)
	k.do(chromedp.Click(chromedp.CSS(".answer textarea[name=note]")))
	k.press("Looks right")
	k.until("the draft", draftSays+` === "Draft kept."`)
	if eval[bool](k.tab, `document.querySelector("[data-poll-next]").checkVisibility()`) {
		t.Error("there is a way to drafts before any moved")
	}
	a.push("1.0.0", a.secret, toolJSON("forecast_get", "Returns the forecast of a city and a day."))
	k.until("the push", lineSays+` === "Revision 2 was pushed: 1 draft moved."`)
	k.check("the line with drafts")
	if note := k.value(".answer textarea[name=note]"); note != "Looks right" {
		t.Errorf("the note is %q", note)
	}
	k.click("[data-poll-next]")
	if got := eval[string](k.tab, "location.href"); got != at+"/desk" {
		t.Errorf("it leads to %s", got)
	}
	k.sees("Looks right")
	k.sees("It moved:")
}

// TestLiveFallsBack: where events don't come through, the page asks.
func TestLiveFallsBack(t *testing.T) {
	a := demo(t)
	reader := keyboard{newTab(t, screen{width: 1280})}
	reader.enter(a)
	reader.open(a.url + "/servers/git")
	release := a.url + eval[string](reader.tab, `document.querySelector("a[href^='/releases/']").getAttribute("href")`)
	reader.open(release)
	// The stream of an address that answers no events is closed for good.
	began := time.Now()
	reader.do(chromedp.Evaluate[chromedp.Void](`(async () => {
		const line = document.querySelector(".live"), again = line.cloneNode(true);
		again.dataset.live = "/healthz";
		line.replaceWith(again);
		const app = document.querySelector("script[type=module]").src;
		const {live} = await import(app.replace("app.js", "live.js"));
		live(document);
	})()`))
	comment := `fetch(location.pathname + "/threads", {method: "POST", body: new URLSearchParams({body: "Why?"})}).then(r => r.status)`
	if status := evalAsync[int](reader.tab, comment); status != 200 {
		t.Fatalf("the comment was answered with %d", status)
	}
	reader.until("the answer to a question", lineSays+` === "1 new comment."`)
	t.Logf("it asked within %s", time.Since(began).Round(time.Millisecond))
}

// TestLiveBehindABuffer: a proxy that passes nothing on before it has a whole buffer
// keeps events back, and says nothing of it. The page notices and asks instead.
func TestLiveBehindABuffer(t *testing.T) {
	a := demo(t)
	reader := keyboard{newTab(t, screen{width: 1280})}
	reader.enter(a)
	reader.open(a.url + "/servers/git")
	release := eval[string](reader.tab, `document.querySelector("a[href^='/releases/']").getAttribute("href")`)
	proxy, streams := bufferingProxy(t, a.url)
	reader.open(proxy + release)
	began := time.Now()
	comment := `fetch(location.pathname + "/threads", {method: "POST", body: new URLSearchParams({body: "Why?"})}).then(r => r.status)`
	if status := evalAsync[int](reader.tab, comment); status != 200 {
		t.Fatalf("the comment was answered with %d", status)
	}
	reader.until("the answer to a question", lineSays+` === "1 new comment."`)
	if streams.Load() == 0 {
		t.Error("no stream went through the proxy, so it kept nothing back")
	}
	if eval[bool](reader.tab, `document.querySelector("[data-poll-show]").hidden`) {
		t.Error("there is no way to look")
	}
	// 8 s of patience with the stream, then it asks after 1.5 s; the rest is for a busy machine.
	if took := time.Since(began); took > 25*time.Second {
		t.Errorf("it took %s", took)
	}
	reader.check("behind a proxy")
}

// bufferingProxy stands before a server and passes answers on in whole buffers of
// 32 KiB, or when they end: headers at once, an event when a thousand more have come.
// It counts the streams that it keeps back.
func bufferingProxy(t *testing.T, to string) (address string, streams *atomic.Int64) {
	t.Helper()
	target, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	streams = new(atomic.Int64)
	proxy := httptest.NewServer(&httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) },
		ModifyResponse: func(r *http.Response) error {
			if strings.HasPrefix(r.Header.Get("Content-Type"), "text/event-stream") {
				streams.Add(1)
			}
			r.Body = buffered{r.Body}
			return nil
		},
		ErrorLog: log.New(io.Discard, "", 0), // of streams that the reader left
	})
	t.Cleanup(func() {
		proxy.CloseClientConnections()
		proxy.Close()
	})
	return proxy.URL, streams
}

// buffered gives only whole buffers, but for the end.
type buffered struct{ io.ReadCloser }

func (b buffered) Read(p []byte) (int, error) {
	n, err := io.ReadFull(b.ReadCloser, p)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = io.EOF
	}
	return n, err
}
