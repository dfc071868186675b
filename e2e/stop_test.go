package e2e

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestStopUnderLoad tells the program to end (SIGTERM) while pushes and verdicts come in,
// pages are read, pages wait for news, and a push is half on its way. What was
// acknowledged is there, what was begun is answered whole, streams end as streams end
// and not as connections that break, and the program says that all is well.
func TestStopUnderLoad(t *testing.T) {
	onBothDatabases(t, func(t *testing.T, r *rig) {
		p := r.start()
		browser := r.signIn(p)
		slug, token := r.addServer()
		half := beginPush(t, p, slug, token)
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		defer cancel()
		streams := r.watch(ctx, browser, p, slug)
		l := r.startLoad(3, func() string { return p.url })
		l.grows(10, time.Minute)
		pages := l.readPages(browser, p)
		l.grows(5, time.Minute)

		begun := time.Now()
		stopped := make(chan time.Duration, 1)
		go func() { stopped <- p.stop() }()
		streams.Wait()
		if took := time.Since(begun); took > 10*time.Second {
			t.Errorf("streams ended after %s", took)
		}
		if status, text := half.finish(); status != http.StatusCreated || !strings.Contains(text, `"listing"`) {
			t.Errorf("the push that was half on its way is answered %d %s", status, text)
		}
		if took := <-stopped; took > 20*time.Second {
			t.Errorf("it took %s to stop", took)
		}
		if code := p.cmd.ProcessState.ExitCode(); code != 0 {
			t.Errorf("it ended with %d:\n%s", code, p.stderr)
		}
		l.end()
		if read, torn := pages(); read == 0 || len(torn) > 0 {
			t.Errorf("%d pages were read whole; torn were %v", read, torn)
		}
		l.check()
		t.Logf("answers by status %v, 0 for those that found nobody", l.answers)

		// Who comes back finds all of it there.
		again := r.start()
		r.events(ctx, browser, again.url+"/servers/"+slug+"/events")
		if took := again.stop(); took > 20*time.Second || again.cmd.ProcessState.ExitCode() != 0 {
			t.Errorf("it took %s to stop the next one, which ended with %d", took, again.cmd.ProcessState.ExitCode())
		}
	})
}

// TestStopCutsOffWhoDribbles: whoever sends a request for ever holds the end up for
// as long as STOP_GRACE allows, and no longer.
func TestStopCutsOffWhoDribbles(t *testing.T) {
	r := newRig(t, "sqlite:"+t.TempDir()+"/countersign.db")
	r.env = append(r.env, "COUNTERSIGN_STOP_GRACE=2s")
	p := r.start()
	slug, token := r.addServer()
	beginPush(t, p, slug, token)
	if got := statusOf(t, p.url+"/readyz"); got != http.StatusOK {
		t.Fatalf("ready answers %d", got)
	}
	if took := p.stop(); took < 2*time.Second || took > 10*time.Second {
		t.Errorf("it took %s to stop", took)
	}
	if code := p.cmd.ProcessState.ExitCode(); code != 0 || !strings.Contains(p.stderr.String(), "cut off") {
		t.Errorf("it ended with %d and says:\n%s", code, p.stderr)
	}
}

// watch opens as many streams as a person may have. What comes back waits until all of
// them ended, as streams that are over.
func (r *rig) watch(ctx context.Context, browser *http.Client, p *process, slug string) *sync.WaitGroup {
	var open sync.WaitGroup
	for i := range 5 {
		body := r.events(ctx, browser, p.url+"/servers/"+slug+"/events")
		open.Go(func() {
			if _, err := io.Copy(io.Discard, body); err != nil {
				r.Errorf("stream %d broke: %v", i, err)
			}
		})
	}
	return &open
}

// readPages reads pages of releases until the load ends. What comes back says how many
// were whole, and which were not.
func (l *load) readPages(browser *http.Client, p *process) func() (int, []string) {
	read := 0
	var torn []string
	done := make(chan struct{})
	go func() {
		defer close(done)
		for !l.ending.Load() {
			l.mu.Lock()
			var id string
			for id = range l.pushes {
				break
			}
			l.mu.Unlock()
			resp, err := browser.Get(p.url + "/releases/" + id + "?view=tools")
			if err != nil {
				time.Sleep(10 * time.Millisecond)
				continue
			}
			text, err := io.ReadAll(resp.Body)
			resp.Body.Close()
			if err != nil || resp.StatusCode != http.StatusOK || !bytes.HasSuffix(bytes.TrimSpace(text), []byte("</html>")) {
				torn = append(torn, fmt.Sprint(resp.StatusCode, " ", err, " ", len(text), " bytes"))
				continue
			}
			read++
		}
	}()
	return func() (int, []string) { <-done; return read, torn }
}

// halfPush is a push of which the server has seen the half.
type halfPush struct {
	*testing.T
	conn net.Conn
	rest []byte
}

func beginPush(t *testing.T, p *process, slug, token string) *halfPush {
	t.Helper()
	body := rigListing(slug, "half")
	c, err := net.Dial("tcp", strings.TrimPrefix(p.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if _, err := fmt.Fprintf(c, "POST /api/v1/servers/%s/listings?version=half HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n%s",
		slug, token, len(body), body[:len(body)/2]); err != nil {
		t.Fatal(err)
	}
	return &halfPush{t, c, body[len(body)/2:]}
}

// finish sends the rest.
func (h *halfPush) finish() (status int, text string) {
	h.Helper()
	if _, err := h.conn.Write(h.rest); err != nil {
		h.Error(err)
		return 0, ""
	}
	resp, err := http.ReadResponse(bufio.NewReader(h.conn), nil)
	if err != nil {
		h.Error(err)
		return 0, ""
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		h.Error(err)
	}
	return resp.StatusCode, string(body)
}
