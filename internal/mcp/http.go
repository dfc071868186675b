package mcp

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"syscall"
	"time"
)

// Guard decides about an address at the moment it is dialled, so that no name
// and no redirect gets around it.
type Guard func(netip.Addr) error

// metadata are addresses at which clouds hand out credentials although they are
// not link-local.
var metadata = []netip.Prefix{
	netip.MustParsePrefix("fd00:ec2::254/128"),
	netip.MustParsePrefix("100.100.100.200/32"),
	netip.MustParsePrefix("168.63.129.16/32"),
}

// translated are ranges in which an IPv4 address hides.
var translated = []netip.Prefix{
	netip.MustParsePrefix("64:ff9b::/96"),
	netip.MustParsePrefix("64:ff9b:1::/48"),
	netip.MustParsePrefix("2002::/16"),
}

// special are ranges that look global and lead nowhere public: shared and reserved
// ones, and those whose lower bits are somebody's IPv4 address.
var special = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"),
	netip.MustParsePrefix("100.64.0.0/10"),
	netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("198.18.0.0/15"),
	netip.MustParsePrefix("240.0.0.0/4"),
	netip.MustParsePrefix("::/96"),
	netip.MustParsePrefix("2001::/32"),
	netip.MustParsePrefix("fec0::/10"),
}

// OwnMachine lets a person at a command line reach their own machine and
// networks, but never an address at which a cloud hands out credentials.
func OwnMachine(addr netip.Addr) error {
	if addr.IsLinkLocalUnicast() || addr.IsMulticast() || within(metadata, addr) || within(translated, addr) {
		return fmt.Errorf("the address %s is link-local, multicast or a cloud's metadata service, which a listing never comes from", addr)
	}
	return nil
}

// PublicOnly is for addresses that somebody else named: nothing of ours.
func PublicOnly(addr netip.Addr) error {
	if err := OwnMachine(addr); err != nil {
		return err
	}
	if addr.IsLoopback() || addr.IsPrivate() || addr.IsUnspecified() || !addr.IsGlobalUnicast() || within(special, addr) {
		return fmt.Errorf("the address %s is loopback or private", addr)
	}
	return nil
}

func within(prefixes []netip.Prefix, addr netip.Addr) bool {
	for _, p := range prefixes {
		if p.Contains(addr) {
			return true
		}
	}
	return false
}

// newHTTPClient makes a client that dials only what guard allows, takes no proxy
// from the environment, follows no redirect to another origin, and lets the
// recorder see every body.
func newHTTPClient(rec *recorder, header http.Header, guard Guard) *http.Client {
	dialer := &net.Dialer{Timeout: 10 * time.Second, Control: func(_, address string, _ syscall.RawConn) error {
		ap, err := netip.ParseAddrPort(address)
		if err != nil {
			return err
		}
		return guard(ap.Addr().Unmap().WithZone(""))
	}}
	transport := &http.Transport{
		DialContext:           dialer.DialContext,
		TLSHandshakeTimeout:   10 * time.Second,
		ResponseHeaderTimeout: 30 * time.Second,
		DisableKeepAlives:     true,
	}
	return &http.Client{
		Transport:     &teeTransport{next: transport, rec: rec, header: header},
		CheckRedirect: sameOrigin,
	}
}

func sameOrigin(req *http.Request, via []*http.Request) error {
	first := via[0].URL
	if req.URL.Scheme != first.Scheme || req.URL.Host != first.Host {
		return fmt.Errorf("redirected to another origin (%s://%s): give that address if it is meant", req.URL.Scheme, req.URL.Host)
	}
	if len(via) > 5 {
		return errors.New("redirected more than five times")
	}
	return nil
}

// teeTransport adds the caller's headers and records bodies in both directions.
type teeTransport struct {
	next   http.RoundTripper
	rec    *recorder
	header http.Header
}

// RoundTrip sends the request.
func (t *teeTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	for name, values := range t.header {
		req.Header[name] = values
	}
	if req.Body != nil {
		body, err := io.ReadAll(req.Body)
		_ = req.Body.Close()
		if err != nil {
			return nil, err
		}
		t.rec.sent(body)
		req.Body = io.NopCloser(bytes.NewReader(body))
	}
	resp, err := t.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	resp.Body = &teeBody{ReadCloser: resp.Body, rec: t.rec, sink: sinkFor(resp.Header.Get("Content-Type"), t.rec.received)}
	return resp, nil
}

// sink takes a body as it streams by.
type sink interface {
	feed([]byte)
	end()
}

func sinkFor(contentType string, emit func([]byte)) sink {
	kind, _, _ := mime.ParseMediaType(contentType)
	if kind == "text/event-stream" {
		s := &events{emit: emit}
		s.lines.emit = s.line
		return s
	}
	return &whole{emit: emit}
}

// whole is a body that is one message.
type whole struct {
	emit func([]byte)
	buf  []byte
}

func (w *whole) feed(b []byte) { w.buf = append(w.buf, b...) }
func (w *whole) end()          { w.emit(w.buf) }

// events is a body of server-sent events, each one a message.
type events struct {
	lines lines
	emit  func([]byte)
	data  []string
}

func (e *events) feed(b []byte) { e.lines.feed(b) }

// line takes one line of the stream; a blank one ends the event.
func (e *events) line(b []byte) {
	s := strings.TrimSuffix(string(b), "\r")
	if s == "" {
		e.end()
		return
	}
	if data, ok := strings.CutPrefix(s, "data:"); ok {
		e.data = append(e.data, strings.TrimPrefix(data, " "))
	}
}

func (e *events) end() {
	if len(e.data) > 0 {
		e.emit([]byte(strings.Join(e.data, "\n")))
	}
	e.data = nil
}

// teeBody records what the session reads. A message is recorded before the
// session sees its last byte, so that it is there when the call returns.
type teeBody struct {
	io.ReadCloser
	rec  *recorder
	sink sink
	over bool
}

func (t *teeBody) Read(b []byte) (int, error) {
	n, err := t.ReadCloser.Read(b)
	if n > 0 {
		if over := t.rec.spend(n); over != nil {
			return 0, over
		}
		t.sink.feed(b[:n])
	}
	if errors.Is(err, io.EOF) && !t.over {
		t.over = true
		t.sink.end()
	}
	return n, err
}
