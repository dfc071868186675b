package web

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/review"
)

func packed(t *testing.T, body []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(body); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// incomingOf is what the service is told of a request.
func incomingOf(t *testing.T, r *http.Request) (in review.Incoming, err error) {
	t.Helper()
	s := bareServer(t, nil)
	withRoute(s, post("/push/:server", delivery, func(c echo.Context) error {
		var giveBack func()
		in, giveBack, err = s.incoming(c)
		defer giveBack()
		s.unpack(&in, r.Header.Get("Content-Encoding"))
		return c.NoContent(204)
	}).limited(ownLimit))
	serve(s, r)
	return in, err
}

func TestWhatAPushSays(t *testing.T) {
	target := "/push/git?version=1.9.0&profile=read-only&ref=&predecessor=1.8&commit=abc&author=a%40b.example&run_url=https%3A%2F%2Fci.example&complete&preview=false"
	r := httptest.NewRequest("POST", target, strings.NewReader("{}"))
	r.RemoteAddr = "192.0.2.7:1234"
	for k, v := range map[string]string{"webhook-id": "msg_1", "webhook-timestamp": "17", "webhook-signature": "v1,x", "Authorization": "bearer cs_t"} {
		r.Header.Set(k, v)
	}
	got, err := incomingOf(t, r)
	if err != nil {
		t.Fatal(err)
	}
	want := review.Incoming{
		Slug: "git", PathQuery: target, Body: []byte("{}"), Wire: []byte("{}"),
		WebhookID: "msg_1", Timestamp: "17", Signature: "v1,x", Bearer: "cs_t", Addr: "192.0.2.7",
		Params: review.PushParams{
			Profile: "read-only", Version: "1.9.0", Predecessor: "1.8", Commit: "abc", Author: "a@b.example",
			RunURL: "https://ci.example", Complete: true,
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestWireAndBody(t *testing.T) {
	const limit = 64 << 10 // of bareServer
	text := []byte(`{"tools":[]}`)
	big := bytes.Repeat([]byte(" "), limit+1)
	for name, a := range map[string]struct {
		encoding string
		wire     []byte
		body     []byte
		over     bool
		refused  review.Kind
	}{
		"plain":            {"", text, text, false, ""},
		"identity":         {"identity", text, text, false, ""},
		"packed":           {"gzip", packed(t, text), text, false, ""},
		"GZIP":             {"GZIP", packed(t, text), text, false, ""},
		"exactly full":     {"", big[:limit], big[:limit], false, ""},
		"packed, full":     {"gzip", packed(t, big[:limit]), big[:limit], false, ""},
		"too large":        {"", big, nil, true, ""},
		"bomb":             {"gzip", packed(t, bytes.Repeat([]byte(" "), 100*limit)), big[:limit], true, ""},
		"not packed":       {"gzip", text, nil, false, review.Invalid},
		"packed, cut off":  {"gzip", packed(t, text)[:15], nil, false, review.Invalid},
		"packed, damaged":  {"gzip", append(packed(t, text)[:12], 1, 2, 3, 4, 5, 6, 7, 8, 9, 10), nil, false, review.Invalid},
		"packed twice":     {"gzip, gzip", packed(t, text), nil, false, review.Unsupported},
		"brotli":           {"br", text, nil, false, review.Unsupported},
		"empty":            {"", nil, nil, false, ""},
		"empty but packed": {"gzip", nil, nil, false, review.Invalid},
	} {
		r := httptest.NewRequest("POST", "/push/git", bytes.NewReader(a.wire))
		r.Header.Set("Authorization", "Bearer cs_t")
		r.Header.Set("Content-Encoding", a.encoding)
		in, err := incomingOf(t, r)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if a.over && len(a.wire) > limit {
			a.wire = a.wire[:limit]
		}
		if !bytes.Equal(in.Wire, a.wire) || !bytes.Equal(in.Body, a.body) || in.TooLarge != a.over {
			t.Errorf("%s: wire %d, body %d bytes, too large %v; want %d, %d, %v", name, len(in.Wire), len(in.Body), in.TooLarge, len(a.wire), len(a.body), a.over)
		}
		if kind := kindOrNone(in.Refused); kind != a.refused {
			t.Errorf("%s: refused %q, want %q", name, kind, a.refused)
		}
	}
}

func kindOrNone(err *review.Error) review.Kind {
	if err == nil {
		return ""
	}
	return err.Kind
}

func TestContradictoryQueriesAreHandedOver(t *testing.T) {
	for query, says := range map[string]string{
		"version=1&version=2":        `"version" is given 2 times`,
		"version=1&complete=perhaps": "complete",
		"version=1&preview=2":        "preview",
	} {
		r := httptest.NewRequest("POST", "/push/git?"+query, strings.NewReader("{}"))
		r.Header.Set("Webhook-Signature", "v1,x")
		in, err := incomingOf(t, r)
		if err != nil || in.Refused == nil || in.Refused.Kind != review.Invalid || !strings.Contains(in.Refused.Sentence, says) {
			t.Errorf("%s: refused %v, %v", query, in.Refused, err)
		}
		if len(in.Wire) == 0 {
			t.Errorf("%s: the bytes were not read, so the sender can't be verified", query)
		}
	}
}

func TestBoolParam(t *testing.T) {
	for value, want := range map[string]bool{"": true, "true": true, "1": true, "false": false, "0": false} {
		if got, err := boolParam(url.Values{"x": {value}}, "x"); err != nil || got != want {
			t.Errorf("%q: %v, %v, want %v", value, got, err, want)
		}
	}
	if got, err := boolParam(url.Values{}, "x"); got || err != nil {
		t.Errorf("absent: %v, %v", got, err)
	}
}

// brokenBody ends in the middle, as when a sender dies.
type brokenBody struct{ io.Reader }

func (b brokenBody) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if err == io.EOF {
		err = errors.New("connection reset")
	}
	return n, err
}

func TestABrokenUploadIsNoPush(t *testing.T) {
	for _, token := range []string{"", "Bearer cs_t"} {
		r := httptest.NewRequest("POST", "/push/git", brokenBody{strings.NewReader(`{"tools":`)})
		r.Header.Set("Authorization", token)
		if _, err := incomingOf(t, r); review.KindOf(err) != review.Invalid {
			t.Errorf("authorization %q: error = %v, want kind invalid", token, err)
		}
	}
}

func TestABodyThatNobodyVouchesForIsNotKept(t *testing.T) {
	in, err := incomingOf(t, httptest.NewRequest("POST", "/push/git", strings.NewReader(`{"tools":[]}`)))
	if err != nil || in.Wire != nil || in.Body != nil || in.TooLarge {
		t.Errorf("incoming = %+v, %v", in, err)
	}
}

func TestPushesWaitForTheirTurn(t *testing.T) {
	s := bareServer(t, nil)
	var ends []func()
	for range pushesAtOnce {
		done, err := s.turn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		ends = append(ends, done)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.turn(gone); review.KindOf(err) != review.Unavailable {
		t.Errorf("one too many: %v, want kind unavailable", err)
	}
	ends[0]()
	if _, err := s.turn(t.Context()); err != nil {
		t.Errorf("after one ended: %v", err)
	}
}

func TestWhoeverDribblesHoldsUpNobody(t *testing.T) {
	s := bareServer(t, nil)
	withRoute(s, post("/push/:server", delivery, func(c echo.Context) error {
		_, giveBack, err := s.incoming(c)
		defer giveBack()
		if err != nil {
			return err
		}
		done, err := s.turn(c.Request().Context())
		if err != nil {
			return err
		}
		defer done()
		return c.NoContent(204)
	}).limited(ownLimit))
	push := func(body io.Reader) *http.Request {
		r := httptest.NewRequest("POST", "/push/git", body)
		r.Header.Set("Webhook-Signature", "v1,x")
		return r
	}
	var senders sync.WaitGroup
	defer senders.Wait()
	for range 2 * pushesAtOnce {
		body, sender := io.Pipe()
		defer sender.Close()
		senders.Go(func() { serve(s, push(body)) })
		if _, err := sender.Write([]byte("{")); err != nil { // returns when it was read
			t.Fatal(err)
		}
	}
	if w := serve(s, push(strings.NewReader("{}"))); w.StatusCode != 204 {
		t.Errorf("beside %d that dribble: status %d, want 204", 2*pushesAtOnce, w.StatusCode)
	}
}

func TestBodiesShareTheirRoom(t *testing.T) {
	s := bareServer(t, nil)
	s.room.Store(10)
	read := func(text string) (func(), error) {
		body := &held{body: strings.NewReader(text), room: &s.room}
		return body.giveBack, s.readPush(&review.Incoming{}, body)
	}
	first, err := read("123456")
	if err != nil {
		t.Fatal(err)
	}
	second, err := read("123456")
	if review.KindOf(err) != review.Unavailable {
		t.Errorf("no room is left: %v, want kind unavailable", err)
	}
	first()
	second()
	if _, err := read("1234567890"); err != nil {
		t.Errorf("all was given back: %v", err)
	}
}

// TestTheSenderOfTooMuchGetsAnAnswer sends more than the limit through a real
// connection, where an answer before the end of the body could be lost.
func TestTheSenderOfTooMuchGetsAnAnswer(t *testing.T) {
	s := bareServer(t, nil)
	withRoute(s, post("/push/:server", delivery, func(c echo.Context) error {
		in, giveBack, err := s.incoming(c)
		defer giveBack()
		if err != nil || !in.TooLarge || int64(len(in.Wire)) != s.opt.ListingBytes {
			t.Errorf("too large %v, %v", in.TooLarge, err)
		}
		return tooLarge(s.opt.ListingBytes)
	}).limited(ownLimit))
	srv := httptest.NewServer(s.Handler())
	defer srv.Close()
	req, err := http.NewRequest("POST", srv.URL+"/push/git", bytes.NewReader(make([]byte, 250<<10)))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer cs_t")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != 413 {
		t.Errorf("status %d, want 413", resp.StatusCode)
	}
}

// A misspelt parameter is refused, since what it was to say would be lost.
func TestAPushSaysNothingUnknown(t *testing.T) {
	in, err := incomingOf(t, httptest.NewRequest("POST", "/push/git?version=2&predecesor=1", strings.NewReader("{}")))
	if err != nil || in.Refused == nil || in.Refused.Kind != review.Invalid || !strings.Contains(in.Refused.Sentence, `no parameter "predecesor". Nothing was kept; use version, ref, profile, predecessor`) {
		t.Errorf("%v, refused as %v", err, in.Refused)
	}
}
