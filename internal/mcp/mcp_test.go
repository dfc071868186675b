package mcp_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/countersign/countersign/internal/mcp"
	"github.com/countersign/countersign/internal/testkit"
	"github.com/countersign/countersign/review/surface"
)

// TestMain lets the test binary be the server that it reads.
func TestMain(m *testing.M) {
	if mode := os.Getenv("COUNTERSIGN_TEST_SERVER"); mode != "" {
		serveStdio(mode, os.Stdin, os.Stdout)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// oddTools are definitions that a typed client would drop, merge or rewrite.
var oddTools = []string{
	`{ "name" : "spaced" , "inputSchema":{"type":"object"}, "x-unknown":[1.0, 9007199254740993] }`,
	`{"inputSchema":{"type":"object"},"name":"order","description":"key order kept"}`,
	`{"name":"dup","inputSchema":{"type":"object"}}`,
	`{"name":"dup","inputSchema":{"type":"object"},"description":"the second"}`,
	`{"name":"header","inputSchema":{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"bad name"}}}}`,
	`{"name":"mistyped","inputSchema":7,"description":5}`,
}

// pageOf cuts the odd tools into pages of two.
func pageOf(mode, cursor string) string {
	start := 0
	if cursor != "" {
		_, _ = fmt.Sscanf(cursor, "from-%d", &start)
	}
	end := min(start+2, len(oddTools))
	next := ""
	if end < len(oddTools) {
		next = fmt.Sprintf(`,"nextCursor":"from-%d"`, end)
	}
	switch mode {
	case "loop":
		next = `,"nextCursor":"from-0"`
	case "null":
		return `{"tools":null}`
	case "huge":
		return `{"tools":[{"name":"` + strings.Repeat("x", 9<<20) + `"}]}`
	}
	return fmt.Sprintf(`{"tools":[ %s ]%s}`, strings.Join(oddTools[start:end], " , "), next)
}

type request struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Cursor string `json:"cursor"`
	} `json:"params"`
}

// reply answers one request of a client; "" answers nothing.
func reply(mode string, line []byte) string {
	var req request
	if json.Unmarshal(line, &req) != nil || req.ID == nil {
		return ""
	}
	result := ""
	switch req.Method {
	case "initialize":
		result = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"odd","version":"1"},"instructions":"Read \ud83d\ude00 this."}`
	case "tools/list":
		if mode == "error" {
			return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":"no tools today"}}`, req.ID)
		}
		result = pageOf(mode, req.Params.Cursor)
	default:
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"unknown"}}`, req.ID)
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, req.ID, result)
}

func serveStdio(mode string, in io.Reader, out io.Writer) {
	if mode == "dies" {
		fmt.Fprintln(os.Stderr, "no database configured")
		os.Exit(4)
	}
	for s := bufio.NewScanner(in); s.Scan(); {
		// A rogue answer that nobody asked for must never be taken for one.
		fmt.Fprintln(out, `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"hi"}}`)
		if r := reply(mode, s.Bytes()); r != "" && mode == "slow newline" {
			fmt.Fprint(out, r)
			time.Sleep(20 * time.Millisecond)
			fmt.Fprintln(out)
		} else if r != "" {
			fmt.Fprintln(out, r)
		}
	}
}

func stdio(t *testing.T, mode string) (*mcp.Live, error) {
	t.Helper()
	t.Setenv("COUNTERSIGN_TEST_SERVER", mode)
	return mcp.Stdio(t.Context(), []string{os.Args[0]}, mcp.Limits{Timeout: 30 * time.Second})
}

func rawTools(t *testing.T, live *mcp.Live) []string {
	t.Helper()
	l, err := surface.Read(live.Text(), surface.Options{})
	if err != nil {
		t.Fatalf("the text can't be read: %v\n%s", err, live.Text())
	}
	var raws []string
	for _, tool := range l.Tools {
		raws = append(raws, string(tool.Raw))
	}
	return raws
}

func TestStdioKeepsEveryByte(t *testing.T) {
	live, err := stdio(t, "odd")
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(oddTools, rawTools(t, live)); d != "" {
		t.Errorf("tools (-sent +kept):\n%s", d)
	}
	if !live.Complete || live.ProtocolVersion != "2025-11-25" || len(live.Results) != 3 {
		t.Errorf("complete %v, protocol %q, %d pages", live.Complete, live.ProtocolVersion, len(live.Results))
	}
	if got := string(live.Instructions); got != `"Read \ud83d\ude00 this."` {
		t.Errorf("instructions %s", got)
	}
	l, err := surface.Read(live.Text(), surface.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !l.Complete || !l.Instructions.Present || l.Instructions.Text != "Read 😀 this." || l.ProtocolVersion != "2025-11-25" {
		t.Errorf("read back: complete %v, %+v, protocol %q", l.Complete, l.Instructions, l.ProtocolVersion)
	}
}

// TestALateNewline: the message is there before its line has ended, and the
// session must not go on without its record.
func TestALateNewline(t *testing.T) {
	late, err := stdio(t, "slow newline")
	if err != nil {
		t.Fatal(err)
	}
	once, err := stdio(t, "odd")
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(rawTools(t, once), rawTools(t, late)); d != "" {
		t.Errorf("another listing:\n%s", d)
	}
	if !late.Complete {
		t.Error("not complete")
	}
}

func TestRawIsThePagesAsTheyCame(t *testing.T) {
	live, err := stdio(t, "odd")
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("[%s,\n%s,\n%s]\n", pageOf("", ""), pageOf("", "from-2"), pageOf("", "from-4"))
	if d := cmp.Diff(want, string(live.Raw())); d != "" {
		t.Error(d)
	}
}

func TestARepeatedCursorIsNotComplete(t *testing.T) {
	live, err := stdio(t, "loop")
	if err != nil {
		t.Fatal(err)
	}
	l, err := surface.Read(live.Text(), surface.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if live.Complete || l.Complete {
		t.Error("an endless listing was called complete")
	}
}

func TestFaultsAreNamed(t *testing.T) {
	for mode, want := range map[string]string{
		"error": "no tools today",
		"dies":  "no database configured",
		"huge":  "more bytes than a listing may have",
	} {
		if _, err := stdio(t, mode); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want it to say %q", mode, err, want)
		}
	}
	if _, err := mcp.Stdio(t.Context(), []string{"./no-such-program"}, mcp.Limits{}); err == nil {
		t.Error("a missing program started")
	}
}

// TestNullToolsAreForTheReaderToRefuse: what the server answered reaches the one
// place that words such faults.
func TestNullToolsAreForTheReaderToRefuse(t *testing.T) {
	live, err := stdio(t, "null")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := surface.Read(live.Text(), surface.Options{}); err == nil {
		t.Errorf("%s was read as a listing", live.Text())
	}
}

func TestHTTPKeepsEveryByte(t *testing.T) {
	for _, kind := range []string{"application/json", "text/event-stream"} {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			if r.Header.Get("X-Key") != "k" {
				http.Error(w, "no key", http.StatusUnauthorized)
				return
			}
			answer := reply("odd", body)
			if answer == "" {
				w.WriteHeader(http.StatusAccepted)
				return
			}
			w.Header().Set("Content-Type", kind)
			if kind == "text/event-stream" {
				answer = ": comment\nevent: message\ndata: " + answer + "\n\n"
			}
			_, _ = io.WriteString(w, answer)
		}))
		live, err := mcp.HTTP(t.Context(), srv.URL, http.Header{"X-Key": {"k"}}, mcp.OwnMachine, mcp.Limits{Timeout: 30 * time.Second})
		srv.Close()
		if err != nil {
			t.Fatalf("%s: %v", kind, err)
		}
		if d := cmp.Diff(oddTools, rawTools(t, live)); d != "" {
			t.Errorf("%s: tools (-sent +kept):\n%s", kind, d)
		}
	}
}

// TestRedirectsElsewhereAreRefused is acceptance line 28.
func TestRedirectsElsewhereAreRefused(t *testing.T) {
	srv := httptest.NewServer(http.RedirectHandler("http://169.254.169.254/latest/meta-data/", http.StatusTemporaryRedirect))
	defer srv.Close()
	_, err := mcp.HTTP(t.Context(), srv.URL, nil, mcp.OwnMachine, mcp.Limits{Timeout: 10 * time.Second})
	if err == nil || !strings.Contains(err.Error(), "another origin") {
		t.Errorf("got %v", err)
	}
}

func TestGuards(t *testing.T) {
	for _, tc := range []struct {
		addr        string
		own, public bool
	}{
		{"127.0.0.1", true, false},
		{"::1", true, false},
		{"10.1.2.3", true, false},
		{"169.254.169.254", false, false},
		{"fe80::1", false, false},
		{"64:ff9b::a9fe:a9fe", false, false},
		{"100.100.100.200", false, false},
		{"0.0.0.0", true, false},
		{"100.64.1.1", true, false},
		{"198.18.0.1", true, false},
		{"240.0.0.1", true, false},
		{"::7f00:1", true, false},
		{"2001::1", true, false},
		{"fd12::1", true, false},
		{"8.8.8.8", true, true},
		{"2001:4860:4860::8888", true, true},
	} {
		a := netip.MustParseAddr(tc.addr)
		if own := mcp.OwnMachine(a) == nil; own != tc.own {
			t.Errorf("OwnMachine(%s): allowed %v, want %v", a, own, tc.own)
		}
		if public := mcp.PublicOnly(a) == nil; public != tc.public {
			t.Errorf("PublicOnly(%s): allowed %v, want %v", a, public, tc.public)
		}
	}
}

// TestTheGuardIsAskedWhenDialled: a mapped form of a refused address is refused.
func TestTheGuardIsAskedWhenDialled(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	_, err = mcp.HTTP(t.Context(), "http://[::ffff:127.0.0.1]:"+port, nil, mcp.PublicOnly, mcp.Limits{Timeout: 10 * time.Second})
	if err == nil || !strings.Contains(err.Error(), "loopback") {
		t.Errorf("got %v", err)
	}
}

// everything is the program of a server that nobody here wrote.
func everything(t *testing.T) []string {
	t.Helper()
	return []string{testkit.Node(t), testkit.NodeModule(t, "@modelcontextprotocol/server-everything") + "/dist/index.js"}
}

func TestARealServerOverBothTransports(t *testing.T) {
	argv := everything(t)
	overStdio, err := mcp.Stdio(t.Context(), append(argv, "stdio"), mcp.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	url := startHTTP(t, argv)
	overHTTP, err := mcp.HTTP(t.Context(), url, nil, mcp.OwnMachine, mcp.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	a, b := rawTools(t, overStdio), rawTools(t, overHTTP)
	if len(a) < 10 {
		t.Fatalf("only %d tools", len(a))
	}
	if d := cmp.Diff(a, b); d != "" {
		t.Errorf("stdio and HTTP differ:\n%s", d)
	}
	if strings.Contains(strings.Join(a, "\n"), `"name":"get-roots-list"`) {
		t.Error("the server believes that this client has roots")
	}
}

// startHTTP runs the server on a free port and returns its address once it
// listens.
func startHTTP(t *testing.T, argv []string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().(*net.TCPAddr)
	l.Close()
	cmd := exec.Command(argv[0], argv[1], "streamableHttp")
	cmd.Env = append(os.Environ(), fmt.Sprintf("PORT=%d", addr.Port))
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	for s := bufio.NewScanner(stderr); s.Scan(); {
		if strings.Contains(s.Text(), "listening") {
			go io.Copy(io.Discard, stderr)
			return fmt.Sprintf("http://127.0.0.1:%d/mcp", addr.Port)
		}
	}
	t.Fatal("the server never listened")
	return ""
}

func TestSplitCommand(t *testing.T) {
	for in, want := range map[string][]string{
		`node server.js`:           {"node", "server.js"},
		` a  'b c' "d 'e'" f\ g `:  {"a", "b c", "d 'e'", "f g"},
		`x ''`:                     {"x", ""},
		`x '$HOME' "$(id)" 'a\b'`:  {"x", "$HOME", "$(id)", `a\b`},
		`--flag="two words" --end`: {"--flag=two words", "--end"},
	} {
		got, err := mcp.SplitCommand(in)
		if err != nil {
			t.Errorf("%s: %v", in, err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s:\n%s", in, d)
		}
	}
	for _, in := range []string{"", "  ", `a 'b`, `a \`} {
		if _, err := mcp.SplitCommand(in); err == nil {
			t.Errorf("%q was accepted", in)
		}
	}
}
