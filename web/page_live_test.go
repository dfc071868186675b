package web_test

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/people"
)

// watcher is a page that waits: a stream over a real connection.
type watcher struct {
	t        *testing.T
	messages chan map[string]string // closed at the end of the stream
	close    func()
}

// serving answers over real connections, with deadlines that a stream outlives.
func serving(t *testing.T, in *instance) *httptest.Server {
	t.Helper()
	srv := httptest.NewUnstartedServer(in.web.Handler())
	srv.Config.ReadTimeout, srv.Config.WriteTimeout = 300*time.Millisecond, 300*time.Millisecond
	srv.Start()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- in.store.Listen(ctx, in.hub.Tell) }()
	t.Cleanup(func() {
		in.hub.Close()
		srv.Close()
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return srv
}

func watch(t *testing.T, srv *httptest.Server, as who, path string) *watcher {
	t.Helper()
	resp := openStream(t, srv, as, path)
	if resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != "text/event-stream; charset=utf-8" || resp.Header.Get("Content-Encoding") != "" {
		t.Fatalf("%s: %d %v", path, resp.StatusCode, resp.Header)
	}
	w := &watcher{t: t, messages: make(chan map[string]string), close: func() { resp.Body.Close() }}
	go func() {
		defer close(w.messages)
		for s := bufio.NewScanner(resp.Body); s.Scan(); {
			if data, ok := strings.CutPrefix(s.Text(), "data: "); ok {
				m := map[string]string{}
				if json.Unmarshal([]byte(data), &m) == nil {
					w.messages <- m
				}
			}
		}
	}()
	t.Cleanup(func() {
		w.close()
		for range w.messages {
		}
	})
	return w
}

func openStream(t *testing.T, srv *httptest.Server, as who, path string) *http.Response {
	t.Helper()
	r, err := http.NewRequest(http.MethodGet, srv.URL+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	as(r)
	r.Header.Set("Accept-Encoding", "gzip")
	resp, err := srv.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { resp.Body.Close() })
	return resp
}

// text returns the text of the next message, and false at the end of the stream.
func (w *watcher) text() (string, bool) {
	w.t.Helper()
	select {
	case m, ok := <-w.messages:
		return m["text"], ok
	case <-time.After(30 * time.Second):
		w.t.Fatal("no message came")
		return "", false
	}
}

func (w *watcher) want(text string) {
	w.t.Helper()
	if got, ok := w.text(); !ok || got != text {
		w.t.Errorf("told %q (%v), want %q", got, ok, text)
	}
}

func (w *watcher) ends() {
	w.t.Helper()
	if got, ok := w.text(); ok {
		w.t.Errorf("told %q, want the end", got)
	}
}

// line returns the addresses of the line on a release page.
func (in *instance) line(as who, release string) (stream, poll string) {
	in.t.Helper()
	a := in.get(as, "/releases/"+release)
	in.want(200, a)
	doc, err := goquery.NewDocumentFromReader(strings.NewReader(a.body))
	in.must(err)
	line := doc.Find(".live")
	if line.Find("[role=status]").Text() != "" || line.Length() != 1 {
		in.t.Fatalf("a page begins with one empty line, not %d", line.Length())
	}
	return line.AttrOr("data-live", ""), line.AttrOr("data-poll", "")
}

func TestLineTellsWhatHappens(t *testing.T) {
	onBoth(t, func(t *testing.T, in *instance) {
		in.addServer("git", gate.Team)
		ben := in.signedIn(in.addUser("ben", people.Reviewer, "git"))
		ana := in.signedIn(in.addUser("ana", people.Viewer, "git"))
		get, set := tool("entity_get", "Reads one entity."), tool("entity_set", "Writes one entity.")
		release := in.pushed("git", "version=1.0.0", listing(get, set)).Release.ID
		srv := serving(t, in)
		stream, poll := in.line(ana, release)
		w := watch(t, srv, ana, stream)
		w.want("")

		in.want(201, in.postJSON(ben, "/api/v1/releases/"+release+"/threads", `{"body":"Why?"}`))
		w.want("1 new comment.")
		for _, id := range in.changeIDs(ben, release) {
			in.want(200, in.postJSON(ben, "/api/v1/releases/"+release+"/verdicts", `{"items":[{"change":"`+id+`","verdict":"approve","note":"Read."}]}`))
			if text, ok := w.text(); !ok || !strings.Contains(text, "1 new answer.") && !strings.Contains(text, "2 new answers.") {
				t.Errorf("told %q of an answer", text)
			}
		}
		in.pushed("git", "version=1.0.0", listing(get, tool("entity_set", "Writes one entity, at once.")))
		const pushed = "Revision 2 was pushed: 1 verdict still holds, 1 needs another look. 1 new comment."
		w.want(pushed)

		// A page that was away is told the same, by a stream or by asking.
		watch(t, srv, ana, stream).want(pushed)
		if got := decode[map[string]string](t, in.get(ana, poll)); got["text"] != pushed {
			t.Errorf("asked, it says %q", got["text"])
		}
		stream, _ = in.line(ana, release)
		watch(t, srv, ana, stream).want("")
	})
}

// TestLineTellsOfDrafts: whose drafts are about what a push changed is told how many, and
// led to them; others are not.
func TestLineTellsOfDrafts(t *testing.T) {
	in := newInstance(t)
	in.addServer("git", gate.Team)
	ben := in.signedIn(in.addUser("ben", people.Reviewer, "git"))
	ana := in.signedIn(in.addUser("ana", people.Reviewer, "git"))
	release := in.pushed("git", "version=1.0.0", listing(tool("entity_get", "Reads."), tool("entity_set", "Writes."))).Release.ID
	for _, id := range in.changeIDs(ben, release) {
		in.want(200, in.postJSON(ben, "/api/v1/releases/"+release+"/drafts", `{"target":"verdict `+id+`","verdict":{"change":"`+id+`","verdict":"approve","note":"Read."}}`))
	}
	asked := func(as who, poll string) (text, next string) {
		got := decode[map[string]any](t, in.get(as, poll))
		text, _ = got["text"].(string)
		next, _ = got["next"].(string)
		return text, next
	}
	_, bens := in.line(ben, release)
	_, anas := in.line(ana, release)
	if said, next := asked(ben, bens); said != "" || next != "" {
		t.Errorf("before: %q, %q", said, next)
	}
	in.pushed("git", "version=1.0.0", listing(tool("entity_get", "Reads."), tool("entity_set", "Writes, at once.")))
	if said, next := asked(ben, bens); said != "Revision 2 was pushed: 1 draft moved." || next != "/releases/"+release+"/desk" {
		t.Errorf("ben is told %q, %q", said, next)
	}
	if said, next := asked(ana, anas); said != "Revision 2 was pushed." || next != "" {
		t.Errorf("ana is told %q, %q", said, next)
	}
	if desk := text(in.document(ben, "/releases/"+release+"/desk").Find("[aria-labelledby=drafts]")); strings.Count(desk, "It moved:") != 1 {
		t.Errorf("the desk says %q", desk)
	}
}

// changeIDs lists the changes of tools of a release.
func (in *instance) changeIDs(as who, release string) []string {
	in.t.Helper()
	list := decode[struct {
		Changes []struct {
			ID      string `json:"id"`
			Subject string `json:"subject"`
		} `json:"changes"`
	}](in.t, in.get(as, "/api/v1/releases/"+release+"/changes"))
	var ids []string
	for _, c := range list.Changes {
		if c.Subject == "tool" {
			ids = append(ids, c.ID)
		}
	}
	return ids
}

// TestStreamOutlivesDeadlines: the server's deadlines for requests and answers do not
// end what waits.
func TestStreamOutlivesDeadlines(t *testing.T) {
	in := newInstance(t)
	in.addServer("git", gate.Team)
	ana := in.signedIn(in.addUser("ana", people.Viewer, "git"))
	srv := serving(t, in)
	w := watch(t, srv, ana, "/servers/git/events")
	w.want("Waiting for the first push.")
	select {
	case m := <-w.messages:
		t.Fatalf("it ended, or said %q", m)
	case <-time.After(4 * srv.Config.ReadTimeout):
	}
	in.pushed("git", "version=1.0.0", listing(tool("entity_get", "Reads one entity.")))
	if text, ok := w.text(); !ok || !strings.HasPrefix(text, "The first push arrived.") {
		t.Errorf("told %q (%v)", text, ok)
	}
	in.hub.Close() // as the program does when it stops
	w.ends()
}

// TestStreamAsksWhoReads: rights count when something is sent, and not when the
// stream began.
func TestStreamAsksWhoReads(t *testing.T) {
	in := newInstance(t)
	in.addServer("git", gate.Team)
	ana, ben := in.addUser("ana", people.Viewer, "git"), in.addUser("ben", people.Viewer, "git")
	asAna, asBen := in.signedIn(ana), in.signedIn(ben)
	srv := serving(t, in)
	signedOut, disabled := watch(t, srv, asAna, "/servers/git/events"), watch(t, srv, asBen, "/servers/git/events")
	signedOut.want("Waiting for the first push.")
	disabled.want("Waiting for the first push.")

	r := httptest.NewRequest(http.MethodPost, "/sign-out", nil)
	asAna(r)
	in.want(303, in.send(r))
	in.must(in.svc.DisableUser(t.Context(), shell, ben.ID))
	in.pushed("git", "version=1.0.0", listing(tool("entity_get", "Reads one entity.")))
	signedOut.ends()
	disabled.ends()
}

func TestStreamsPerPerson(t *testing.T) {
	in := newInstance(t)
	in.addServer("git", gate.Team)
	ana, ben := in.signedIn(in.addUser("ana", people.Viewer, "git")), in.signedIn(in.addUser("ben", people.Viewer, "git"))
	srv := serving(t, in)
	for range 5 {
		watch(t, srv, ana, "/servers/git/events").want("Waiting for the first push.")
	}
	resp := openStream(t, srv, ana, "/servers/git/events")
	if resp.StatusCode != http.StatusTooManyRequests || resp.Header.Get("Retry-After") == "" {
		t.Errorf("the sixth: %d %v", resp.StatusCode, resp.Header)
	}
	watch(t, srv, ben, "/servers/git/events").want("Waiting for the first push.")
}
