package e2e

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/countersign/countersign/internal/testkit"
	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/people"
	"github.com/countersign/countersign/store"
)

// TestSoakPostgresOutage ends the database's connections and restarts it while the
// program is at work: what it can't do it says so, and it goes on by itself.
func TestSoakPostgresOutage(t *testing.T) {
	cluster := testkit.NewCluster(t)
	r := newRig(t, cluster.Address())
	p := r.start()
	for round := range soakRounds("COUNTERSIGN_OUTAGE_ROUNDS", 1, 20) {
		l := r.startLoad(4, func() string { return p.url })
		l.grows(4, time.Minute)
		if n := cluster.Disconnect(); n == 0 {
			t.Errorf("round %d: there was no connection to end", round)
		}
		l.grows(6, time.Minute)
		cluster.Stop()
		if ready := statusOf(t, p.url+"/readyz"); ready != http.StatusServiceUnavailable {
			t.Errorf("round %d: ready answers %d without a database", round, ready)
		}
		if healthy := statusOf(t, p.url+"/healthz"); healthy != http.StatusOK {
			t.Errorf("round %d: health answers %d: a restart of the program would mend nothing", round, healthy)
		}
		for deadline := time.Now().Add(20 * time.Second); l.refusals() == 0 && time.Now().Before(deadline); {
			time.Sleep(10 * time.Millisecond)
		}
		cluster.Start()
		l.grows(8, time.Minute)
		l.end()
		if l.refusals() == 0 || l.answers[0] > 0 {
			t.Errorf("round %d: answers %v, want some 503 and no broken connection", round, l.answers)
		}
		l.check()
		t.Logf("round %d: answers by status %v", round, l.answers)
	}
	if statusOf(t, p.url+"/readyz") != http.StatusOK {
		t.Error("the program is not ready in the end")
	}
	if took := p.stop(); took > 20*time.Second {
		t.Errorf("it took %s to stop", took)
	}
}

// refusals is how often the answer was 503.
func (l *load) refusals() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.answers[http.StatusServiceUnavailable]
}

func statusOf(t *testing.T, address string) int {
	t.Helper()
	resp, err := (&http.Client{Timeout: 30 * time.Second}).Get(address)
	if err != nil {
		t.Error(err)
		return 0
	}
	resp.Body.Close()
	return resp.StatusCode
}

// TestListenAfterOutage: whoever listens is told of what is committed after the
// database was away, by another program too.
func TestListenAfterOutage(t *testing.T) {
	cluster := testkit.NewCluster(t)
	r := newRig(t, cluster.Address())
	told := make(chan string, 1000)
	listener, err := store.Open(t.Context(), cluster.Address())
	r.must(err)
	t.Cleanup(func() { listener.Close() })
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- listener.Listen(ctx, func(id string) { told <- id }) }()
	hear := func(want string) {
		t.Helper()
		for limit := time.After(time.Minute); ; {
			select {
			case id := <-told:
				if id == want {
					return
				}
			case err := <-ended:
				t.Fatalf("listening ended: %v", err)
			case <-limit:
				t.Fatalf("never told of %q", want)
			}
		}
	}
	hear("")
	for _, outage := range []func(){func() { cluster.Disconnect() }, func() { cluster.Stop(); cluster.Start() }} {
		outage()
		hear("") // anything may have happened meanwhile
		slug, _ := r.addServer()
		r.with(func(s *store.Store, _ *review.Service) {
			r.must(s.View(t.Context(), func(tx review.Tx) error {
				srv, err := tx.ServerBySlug(t.Context(), slug)
				if err == nil {
					hear(srv.ID)
				}
				return err
			}))
		})
	}
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("listening ended: %v", err)
	}
}

// TestDiskFull lets the program write no further byte for a while: it says so,
// still answers readers, tears nothing, and goes on when there is room again.
func TestDiskFull(t *testing.T) {
	path := filepath.Join(t.TempDir(), "countersign.db")
	r := newRig(t, "sqlite:"+path)
	p := r.start()
	l := r.startLoad(3, func() string { return p.url })
	l.grows(6, time.Minute)

	room := func(most uint64) {
		t.Helper()
		limit := &unix.Rlimit{Cur: most, Max: unix.RLIM_INFINITY}
		if err := unix.Prlimit(p.cmd.Process.Pid, unix.RLIMIT_FSIZE, limit, nil); err != nil {
			t.Fatal(err)
		}
	}
	info, err := os.Stat(path + "-wal")
	r.must(err)
	room(uint64(info.Size())) // of the log; the file itself is smaller
	for deadline := time.Now().Add(time.Minute); l.refusals() < 5 && time.Now().Before(deadline); {
		time.Sleep(10 * time.Millisecond)
	}
	if l.refusals() < 5 {
		t.Errorf("answers %v, want some 503", l.answers)
	}
	if got := statusOf(t, p.url+"/healthz"); got != http.StatusOK {
		t.Errorf("health answers %d", got)
	}
	text, status := refusedPush(t, r, p)
	if status != http.StatusServiceUnavailable || !strings.Contains(text, "disk") {
		t.Errorf("a push is answered %d %s, want 503 and what is wrong", status, text)
	}
	room(unix.RLIM_INFINITY)
	l.grows(8, time.Minute)
	l.end()
	p.kill()
	l.check()
}

// refusedPush pushes while nothing can be written.
func refusedPush(t *testing.T, r *rig, p *process) (text string, status int) {
	t.Helper()
	slug := fmt.Sprint("srv", r.servers)
	req, err := http.NewRequest(http.MethodPost, p.url+"/api/v1/servers/"+slug+"/listings?version=full", strings.NewReader(string(rigListing(slug, "full"))))
	r.must(err)
	req.Header.Set("Authorization", "Bearer "+r.pushToken)
	resp, err := http.DefaultClient.Do(req)
	r.must(err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	r.must(err)
	return string(body), resp.StatusCode
}

// TestTwoInstances kills one of two programs on one database while people work
// through a proxy before both: nothing that was acknowledged is lost, the other
// serves, sessions hold there, and what happens on one is told to readers of the
// other.
func TestTwoInstances(t *testing.T) {
	r := newRig(t, testkit.Postgres(t))
	first, second := r.start(), r.start()
	proxy := proxyTo(t, first.url, second.url)

	// Ann signs in on the first and reads on the second.
	browser := r.signIn(first)
	slug, token := r.addServer()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	events := bufio.NewScanner(r.events(ctx, browser, second.url+"/servers/"+slug+"/events"))
	nextEvent(t, events) // how things are
	pushed := make(chan bool, 1)
	l := &load{rig: r, client: http.DefaultClient, base: func() string { return first.url }, pushes: map[string]string{}, answers: map[int]int{}}
	go func() {
		pushed <- l.call(http.MethodPost, "/api/v1/servers/"+slug+"/listings?version=1", token, rigListing(slug, "1"), nil)
	}()
	begun := time.Now()
	nextEvent(t, events)
	if took := time.Since(begun); !<-pushed || took > 15*time.Second { // a stream looks by itself every 20 s
		t.Errorf("the second was told after %s", took)
	}

	work := r.startLoad(4, func() string { return proxy })
	work.grows(8, time.Minute)
	first.kill()
	work.grows(12, time.Minute)
	if resp, err := browser.Get(proxy + "/"); err != nil || resp.StatusCode != http.StatusOK {
		t.Errorf("Ann's session on the other: %v, %v", resp, err)
	}
	work.end()
	work.check()
	if took := second.stop(); took > 20*time.Second {
		t.Errorf("it took %s to stop", took)
	}
}

// signIn makes an administrator, Ann, and signs her in.
func (r *rig) signIn(p *process) *http.Client {
	r.Helper()
	r.with(func(_ *store.Store, svc *review.Service) {
		_, _, err := svc.AddUser(r.Context(), rigShell, review.NewUser{Email: "ann@example.com", Name: "Ann", Role: people.Admin, Password: "correct horse battery staple"})
		r.must(err)
	})
	jar, err := cookiejar.New(nil)
	r.must(err)
	browser := &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := browser.PostForm(p.url+"/sign-in", url.Values{"email": {"ann@example.com"}, "password": {"correct horse battery staple"}})
	r.must(err)
	resp.Body.Close()
	if home := resp.Header.Get("Location"); resp.StatusCode != http.StatusSeeOther || home != "/" {
		r.Fatalf("sign-in: %d to %q", resp.StatusCode, home)
	}
	return browser
}

// events opens a page's stream of events.
func (r *rig) events(ctx context.Context, browser *http.Client, address string) io.Reader {
	r.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	r.must(err)
	stream, err := browser.Do(req)
	r.must(err)
	r.Cleanup(func() { stream.Body.Close() })
	if stream.StatusCode != http.StatusOK {
		r.Fatalf("events: %d", stream.StatusCode)
	}
	return stream.Body
}

// nextEvent reads one event with data.
func nextEvent(t *testing.T, s *bufio.Scanner) string {
	t.Helper()
	for s.Scan() {
		if data, ok := strings.CutPrefix(s.Text(), "data:"); ok {
			return data
		}
	}
	t.Fatalf("the stream ended: %v", s.Err())
	return ""
}

// proxyTo spreads requests over programs, and leaves those out that don't answer. A
// request that broke off on its way is answered 502 and not tried again: it may have
// been done.
func proxyTo(t *testing.T, targets ...string) string {
	var turn atomic.Int64
	alive := func() *url.URL {
		for range targets {
			u, err := url.Parse(targets[int(turn.Add(1))%len(targets)])
			if err != nil {
				continue
			}
			c, err := net.DialTimeout("tcp", u.Host, time.Second)
			if err == nil {
				c.Close()
				return u
			}
		}
		return nil
	}
	p := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			if u := alive(); u != nil {
				r.SetURL(u)
			}
		},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
			if !errors.Is(err, context.Canceled) {
				// Clients of the tests count it as a connection that broke.
				panic(http.ErrAbortHandler)
			}
		},
	}
	srv := httptest.NewServer(p)
	t.Cleanup(srv.Close)
	return srv.URL
}
