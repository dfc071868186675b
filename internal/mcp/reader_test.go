package mcp_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/mcp"
	"github.com/countersign/countersign/review/surface"
)

// liveServer answers over HTTP and notes what it was sent.
func liveServer(t *testing.T) (address string, asked *[]string) {
	t.Helper()
	asked = new([]string)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		*asked = append(*asked, r.Header.Get("X-Key"))
		answer := reply("odd", body)
		if answer == "" {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, answer)
	}))
	t.Cleanup(srv.Close)
	return srv.URL, asked
}

func TestReaderNeedsTheOperatorsWord(t *testing.T) {
	address, asked := liveServer(t)
	port := address[strings.LastIndexByte(address, ':'):]
	read := func(r *mcp.Reader, address string) error {
		r.Setting, r.Limits.Timeout = "LIVE_HOSTS", 20*time.Second
		body, err := r.Read(t.Context(), address, http.Header{"X-Key": {"k"}})
		if err == nil {
			if _, err := surface.Read(body, surface.Options{}); err != nil {
				t.Errorf("%s: %v", address, err)
			}
		}
		return err
	}
	loopback := []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	for _, tc := range []struct {
		reader  mcp.Reader
		address string
		says    string // "" is that it is read
	}{
		{mcp.Reader{}, address, "Only https:// is read"},
		{mcp.Reader{}, "https://127.0.0.1" + port, "loopback or private, and no operator allowed it with LIVE_HOSTS"},
		{mcp.Reader{}, "https://localhost" + port, "loopback or private"},
		{mcp.Reader{}, "https://[::ffff:127.0.0.1]" + port, "loopback or private"},
		{mcp.Reader{}, "https://0.0.0.0" + port, "loopback or private"},
		{mcp.Reader{}, "ftp://127.0.0.1" + port, "begin with https://"},
		{mcp.Reader{Hosts: []string{"localhost"}}, address, "Only https:// is read"},
		{mcp.Reader{Hosts: []string{"localhost"}}, "http://LOCALHOST" + port, ""},
		{mcp.Reader{Networks: loopback}, address, ""},
		{mcp.Reader{Networks: loopback}, "http://[::ffff:127.0.0.1]" + port, ""},
		{mcp.Reader{Networks: []netip.Prefix{netip.MustParsePrefix("169.254.0.0/16")}}, "http://169.254.169.254/latest", "metadata"},
		{mcp.Reader{Networks: []netip.Prefix{netip.MustParsePrefix("0.0.0.0/0")}}, "http://100.100.100.200/", "metadata"},
	} {
		before := len(*asked)
		err := read(&tc.reader, tc.address)
		switch {
		case tc.says == "" && err != nil:
			t.Errorf("%s: %v", tc.address, err)
		case tc.says != "" && (err == nil || !strings.Contains(err.Error(), tc.says)):
			t.Errorf("%s: got %v, want it to say %q", tc.address, err, tc.says)
		case tc.says != "" && len(*asked) > before:
			t.Errorf("%s: something was sent", tc.address)
		}
	}
	if len(*asked) == 0 || (*asked)[0] != "k" {
		t.Errorf("the header was sent as %q", *asked)
	}
}

// TestReaderFollowsNobodyElsewhere: a server that was allowed can't lead the reader to
// one that was not, and is not sent what belongs to it.
func TestReaderFollowsNobodyElsewhere(t *testing.T) {
	other, asked := liveServer(t)
	srv := httptest.NewServer(http.RedirectHandler(strings.Replace(other, "127.0.0.1", "localhost", 1), http.StatusTemporaryRedirect))
	defer srv.Close()
	r := mcp.Reader{Hosts: []string{"localhost"}, Networks: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}, Limits: mcp.Limits{Timeout: 20 * time.Second}}
	if _, err := r.Read(t.Context(), srv.URL, http.Header{"X-Key": {"k"}}); err == nil || !strings.Contains(err.Error(), "another origin") {
		t.Errorf("got %v", err)
	}
	if len(*asked) != 0 {
		t.Errorf("the other origin was asked: %q", *asked)
	}
}

func TestReaderTakesNoProxyFromTheEnvironment(t *testing.T) {
	address, asked := liveServer(t)
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("HTTP_PROXY", "http://192.0.2.1:9")
	t.Setenv("ALL_PROXY", "http://192.0.2.1:9")
	r := mcp.Reader{Networks: []netip.Prefix{netip.MustParsePrefix(u.Hostname() + "/32")}, Limits: mcp.Limits{Timeout: 20 * time.Second}}
	if _, err := r.Read(t.Context(), address, nil); err != nil || len(*asked) == 0 {
		t.Errorf("got %v", err)
	}
}

func TestReaderIsBounded(t *testing.T) {
	stop := make(chan struct{})
	slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { <-stop }))
	defer slow.Close()
	defer close(stop)
	r := mcp.Reader{Networks: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}, Limits: mcp.Limits{Timeout: 300 * time.Millisecond}}
	if _, err := r.Read(t.Context(), slow.URL, nil); err == nil || !strings.Contains(err.Error(), "no answer in time") {
		t.Errorf("a server that never answers: %v", err)
	}
	huge := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		for {
			if _, err := w.Write(make([]byte, 1<<16)); err != nil {
				return
			}
		}
	}))
	defer huge.Close()
	r.Limits = mcp.Limits{Timeout: 20 * time.Second, Bytes: 1 << 20}
	if _, err := r.Read(t.Context(), huge.URL, nil); err == nil || !strings.Contains(err.Error(), "more bytes than a listing may have") {
		t.Errorf("a server that never ends: %v", err)
	}
}
