package web_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/people"
)

// listening runs the server as the program does, and returns where. end stops it and
// returns what came of that, and how long it took.
func (in *instance) listening() (address string, end func() (time.Duration, error)) {
	in.t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	in.must(err)
	ctx, cancel := context.WithCancel(context.Background())
	served, heard := make(chan error, 1), make(chan error, 1)
	go func() { served <- in.web.Serve(ctx, ln) }()
	go func() { heard <- in.store.Listen(ctx, in.hub.Tell) }()
	var once sync.Once
	var took time.Duration
	end = func() (_ time.Duration, err error) {
		once.Do(func() {
			begun := time.Now()
			cancel()
			err = <-served
			took = time.Since(begun)
			<-heard
		})
		return took, err
	}
	in.t.Cleanup(func() { end() })
	return ln.Addr().String(), end
}

// dial opens a connection and sends the beginning of a request.
func dial(t *testing.T, address, begin string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if _, err := io.WriteString(c, begin); err != nil {
		t.Fatal(err)
	}
	return c
}

// TestSlowClients holds connections open whose requests never end, in their headers
// and in their bodies. Others are served meanwhile, and who sends no whole header is
// shown out.
func TestSlowClients(t *testing.T) {
	in := newInstance(t)
	in.addServer("mot", gate.Team)
	token := in.addToken("mot", "", people.ScopePush)
	address, _ := in.listening()
	stop := make(chan struct{})
	var drips sync.WaitGroup
	t.Cleanup(func() { close(stop); drips.Wait() })
	drip := func(c net.Conn, more string) {
		drips.Go(func() {
			for {
				select {
				case <-stop:
					return
				case <-time.After(200 * time.Millisecond):
				}
				if _, err := io.WriteString(c, more); err != nil {
					return
				}
			}
		})
	}
	var headers []net.Conn
	begun := time.Now()
	for range 150 {
		c := dial(t, address, "GET / HTTP/1.1\r\nHost: x\r\n")
		headers = append(headers, c)
		drip(c, "X-More: and more\r\n")
	}
	for range 100 {
		drip(dial(t, address, "POST /api/v1/servers/mot/listings?version=9 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "+token+
			"\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n{"), " ")
	}
	client := &http.Client{Timeout: 8 * time.Second} // shorter than any deadline of the slow ones
	for n := range 10 {
		req, err := http.NewRequest(http.MethodPost, fmt.Sprintf("http://%s/api/v1/servers/mot/listings?version=%d", address, n), strings.NewReader(listing(tool("find", fmt.Sprint("Finds ", n)))))
		in.must(err)
		req.Header.Set("Authorization", "Bearer "+token)
		resp, err := client.Do(req)
		if err != nil {
			t.Fatalf("push %d beside slow clients: %v", n, err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusCreated {
			t.Errorf("push %d beside slow clients: %d", n, resp.StatusCode)
		}
	}
	for i, c := range headers {
		in.must(c.SetReadDeadline(begun.Add(40 * time.Second)))
		if _, err := io.Copy(io.Discard, c); err != nil && strings.Contains(err.Error(), "timeout") {
			t.Fatalf("slow header %d is still connected after %s", i, time.Since(begun).Round(time.Second))
		}
	}
	if took := time.Since(begun); took < 5*time.Second {
		t.Errorf("headers were given only %s", took)
	}
	large := dial(t, address, "GET / HTTP/1.1\r\nHost: x\r\nX-Large: "+strings.Repeat("x", 100<<10)+"\r\n\r\n")
	resp, err := http.ReadResponse(bufio.NewReader(large), nil)
	in.must(err)
	if resp.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("a header of 100 KiB is answered %d", resp.StatusCode)
	}
}

// TestThousandStreams keeps a thousand pages waiting. They cost little, others are
// served, all of them are told of a push, and they end when the program does.
func TestThousandStreams(t *testing.T) {
	const readers, each = 200, 5
	in := newInstance(t)
	in.addServer("mot", gate.Team)
	address, end := in.listening()
	before := memory()
	var told atomic.Int64
	var open sync.WaitGroup
	var cookies []string
	for n := range readers {
		cookie, err := in.web.SignedIn(t.Context(), in.addUser(fmt.Sprint("reader", n), people.Reviewer, "").ID)
		in.must(err)
		cookies = append(cookies, cookie.Name+"="+cookie.Value)
		for range each {
			c := dial(t, address, streamRequest(cookies[n]))
			open.Go(func() {
				for s := bufio.NewScanner(c); s.Scan(); {
					if strings.HasPrefix(s.Text(), "data:") {
						told.Add(1)
					}
				}
			})
		}
	}
	reach := func(what string, n int64) time.Duration {
		t.Helper()
		begun := time.Now()
		for told.Load() < n {
			if time.Since(begun) > time.Minute {
				t.Fatalf("%s: %d of %d were told", what, told.Load(), n)
			}
			time.Sleep(5 * time.Millisecond)
		}
		return time.Since(begun)
	}
	reach("at first", readers*each)
	per := (memory() - before) / (readers * each)
	resp, err := http.ReadResponse(bufio.NewReader(dial(t, address, streamRequest(cookies[0]))), nil)
	in.must(err)
	if resp.StatusCode != http.StatusTooManyRequests {
		t.Errorf("a reader's sixth stream is answered %d", resp.StatusCode)
	}
	begun := time.Now()
	if resp, err := http.Get("http://" + address + "/healthz"); err != nil || resp.StatusCode != http.StatusOK {
		t.Errorf("health beside the streams: %v", err)
	}
	page := time.Since(begun)
	in.pushed("mot", "version=1", listing(tool("find", "Finds.")))
	all := reach("after a push", 2*readers*each)
	took, err := end()
	if err != nil || took > 15*time.Second {
		t.Errorf("the end took %s: %v", took, err)
	}
	open.Wait()
	t.Logf("%d streams: %d KiB each with both ends of the connection; a request beside them %s; all told of a push after %s; ended after %s",
		readers*each, per>>10, page.Round(time.Millisecond), all.Round(time.Millisecond), took.Round(time.Millisecond))
	if per > 256<<10 {
		t.Errorf("a stream takes %d KiB", per>>10)
	}
}

func streamRequest(cookie string) string {
	return "GET /servers/mot/events HTTP/1.1\r\nHost: x\r\nCookie: " + cookie + "\r\n\r\n"
}

// memory is what the process holds.
func memory() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse + m.StackInuse
}
