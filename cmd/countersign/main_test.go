package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/countersign/countersign/internal/testkit"
)

// TestMain makes the binary under test a command of the scripts.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"countersign": main})
}

// TestOffline runs the scripts that need no server.
func TestOffline(t *testing.T) {
	testscript.Run(t, testscript.Params{Dir: "testdata/offline", Setup: setUp, Cmds: storyCommands()})
}

// TestStories runs every story on both databases, each with a server of its own.
func TestStories(t *testing.T) {
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			testscript.Run(t, testscript.Params{
				Dir:       "testdata/stories",
				Cmds:      storyCommands(),
				Condition: condition,
				Setup: func(e *testscript.Env) error {
					if engine == "postgres" {
						e.Setenv("COUNTERSIGN_DATABASE_URL", testkit.Postgres(t))
					}
					return setUp(e)
				},
			})
		})
	}
}

// TestBackups runs the stories of backing up on one engine and restoring into the
// other, which they know as OTHER, both ways.
func TestBackups(t *testing.T) {
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run("from "+engine, func(t *testing.T) {
			testscript.Run(t, testscript.Params{
				Dir:  "testdata/backup",
				Cmds: storyCommands(),
				Setup: func(e *testscript.Env) error {
					from, to := "sqlite:"+filepath.Join(e.WorkDir, "first.db"), testkit.Postgres(t)
					if engine == "postgres" {
						from, to = to, from
					}
					e.Setenv("COUNTERSIGN_DATABASE_URL", from)
					e.Setenv("OTHER", to)
					return setUp(e)
				},
			})
		})
	}
}

// setUp gives a script a free port, a secret, and the real server to pull from.
func setUp(e *testscript.Env) error {
	addr, err := freeAddress()
	if err != nil {
		return err
	}
	other, err := freeAddress()
	if err != nil {
		return err
	}
	e.Values[browsersKey{}] = map[string]*http.Client{}
	e.Setenv("OTHER_ADDR", other)
	e.Setenv("COUNTERSIGN_ADDR", addr)
	e.Setenv("COUNTERSIGN_SECRET", strings.Repeat("story-secret-", 4))
	e.Setenv("COUNTERSIGN_DATA_DIR", filepath.Join(e.WorkDir, "data"))
	e.Setenv("BASE", "http://"+addr)
	e.Setenv("HOME", e.WorkDir)
	e.Setenv("EVERYTHING", filepath.Join(testkit.Root(), "e2e", "node_modules", "@modelcontextprotocol", "server-everything", "dist", "index.js"))
	return nil
}

// freeAddress returns an address that nobody listens on just now.
func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	return l.Addr().String(), nil
}

// storyCommands are the words that stories have beside those of testscript.
func storyCommands() map[string]func(*testscript.TestScript, bool, []string) {
	return map[string]func(*testscript.TestScript, bool, []string){
		"ready": ready,
		"api":   callAPI,
		"save":  save,
		"fill":  fill,
		"exits": exits,
		"mode":  mode,

		"browse": browse,
		"match":  match,
		"repeat": repeat,
		"for":    forEach,
		"stays":  stays,
	}
}

// condition knows [npm]: the packages that the tests borrow are installed. Where
// nothing may be skipped their absence is an error.
func condition(cond string) (bool, error) {
	if cond != "npm" {
		return false, fmt.Errorf("unknown condition %q", cond)
	}
	_, err := os.Stat(filepath.Join(testkit.Root(), "e2e", "node_modules"))
	if err != nil && testkit.RequireAll() {
		return false, errors.New("the npm packages of the tests are missing: run make deps")
	}
	return err == nil, nil
}

// ready waits until the server answers.
func ready(ts *testscript.TestScript, _ bool, _ []string) {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	for {
		req, _ := http.NewRequestWithContext(ctx, http.MethodGet, ts.Getenv("BASE")+"/readyz", nil)
		resp, err := http.DefaultClient.Do(req)
		if err == nil {
			resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return
			}
		}
		if ctx.Err() != nil {
			ts.Fatalf("the server was not ready in time: %v", err)
		}
		time.Sleep(20 * time.Millisecond) // polling another process, which has no signal to give
	}
}

// exits CODE CMD ARGS… runs a command and checks its exit code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE CMD ARGS…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	if err != nil {
		var code interface{ ExitCode() int }
		if !asExit(err, &code) {
			ts.Fatalf("%s: %v", args[1], err)
		}
		got = code.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// mode OCTAL FILE checks the permissions of a file.
func mode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: mode OCTAL FILE")
	}
	info, err := os.Stat(ts.MkAbs(args[1]))
	ts.Check(err)
	if got := fmt.Sprintf("%o", info.Mode().Perm()); got != args[0] {
		ts.Fatalf("%s has mode %s, want %s", args[1], got, args[0])
	}
}

func asExit(err error, target *interface{ ExitCode() int }) bool {
	e, ok := err.(interface{ ExitCode() int })
	if ok {
		*target = e
	}
	return ok
}

// api TOKEN METHOD PATH STATUS [BODY] calls the API and checks the status. The
// answer goes to standard output and to the file "answer.json". BODY may be
// @FILE. A TOKEN of - sends none.
func callAPI(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 4 {
		ts.Fatalf("usage: api TOKEN METHOD PATH STATUS [BODY]")
	}
	var body io.Reader
	if len(args) > 4 {
		text := args[4]
		if file, ok := strings.CutPrefix(text, "@"); ok {
			text = ts.ReadFile(file)
		}
		body = strings.NewReader(text)
	}
	req, err := http.NewRequest(args[1], ts.Getenv("BASE")+args[2], body)
	ts.Check(err)
	if args[0] != "-" {
		req.Header.Set("Authorization", "Bearer "+args[0])
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	ts.Check(err)
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs("answer.json"), answer, 0o600))
	fmt.Fprintf(ts.Stdout(), "%s\n", answer)
	checkStatus(ts, resp, args[3], answer)
}

// checkStatus wants a status, and of one that says "not now" also when to come back.
func checkStatus(ts *testscript.TestScript, resp *http.Response, want string, body []byte) {
	at := resp.Request.Method + " " + resp.Request.URL.Path
	if strconv.Itoa(resp.StatusCode) != want {
		ts.Fatalf("%s: status %d, want %s\n%s", at, resp.StatusCode, want, body)
	}
	later := resp.StatusCode == http.StatusTooManyRequests || resp.StatusCode == http.StatusServiceUnavailable
	if wait, err := strconv.Atoi(resp.Header.Get("Retry-After")); later && (err != nil || wait < 1) {
		ts.Fatalf("%s: status %d with Retry-After %q", at, resp.StatusCode, resp.Header.Get("Retry-After"))
	}
}

// forEach N CMD ARGS… runs api or browse N times, with each %d of ARGS counting from 1.
func forEach(ts *testscript.TestScript, neg bool, args []string) {
	words := map[string]func(*testscript.TestScript, bool, []string){"api": callAPI, "browse": browse}
	if neg || len(args) < 2 || words[args[1]] == nil {
		ts.Fatalf("usage: for N api|browse ARGS…")
	}
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	for i := range n {
		each := slices.Clone(args[2:])
		for j := range each {
			each[j] = strings.ReplaceAll(each[j], "%d", strconv.Itoa(i+1))
		}
		words[args[1]](ts, false, each)
	}
}

// stays WHO PATH opens a stream of events as somebody's browser, waits for its first
// word, and leaves it open until the script ends.
func stays(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: stays WHO PATH")
	}
	resp, err := browserOf(ts, args[0]).Get(ts.Getenv("BASE") + args[1])
	ts.Check(err)
	ts.Defer(func() { resp.Body.Close() })
	checkStatus(ts, resp, "200", nil)
	_, err = resp.Body.Read(make([]byte, 1))
	ts.Check(err)
}

// browsersKey finds the browsers of a script, by whose they are.
type browsersKey struct{}

// browse WHO METHOD PATH STATUS [NAME=VALUE…] asks for a page as somebody's browser
// does, which has cookies of its own and follows no redirect; with POST it sends a
// form. PATH may be a link. The page goes to standard output and to the file
// "page.html".
func browse(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 4 {
		ts.Fatalf("usage: browse WHO METHOD PATH STATUS [NAME=VALUE…]")
	}
	form := url.Values{}
	for _, field := range args[4:] {
		name, value, _ := strings.Cut(field, "=")
		form.Add(name, value)
	}
	base := ts.Getenv("BASE")
	req, err := http.NewRequest(args[1], base+strings.TrimPrefix(args[2], base), strings.NewReader(form.Encode()))
	ts.Check(err)
	req.Header.Set("Origin", base)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := browserOf(ts, args[0]).Do(req)
	ts.Check(err)
	defer resp.Body.Close()
	page, err := io.ReadAll(resp.Body)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs("page.html"), page, 0o600))
	fmt.Fprintf(ts.Stdout(), "%s\n", page)
	checkStatus(ts, resp, args[3], page)
}

func browserOf(ts *testscript.TestScript, who string) *http.Client {
	all := ts.Value(browsersKey{}).(map[string]*http.Client)
	if all[who] == nil {
		jar, err := cookiejar.New(nil)
		ts.Check(err)
		all[who] = &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	}
	return all[who]
}

// match VAR FILE PATTERN puts the first group of a pattern's first match into a
// variable.
func match(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: match VAR FILE PATTERN")
	}
	found := regexp.MustCompile(args[2]).FindStringSubmatch(ts.ReadFile(args[1]))
	if len(found) != 2 {
		ts.Fatalf("%s: nothing matches %s", args[1], args[2])
	}
	ts.Setenv(args[0], html.UnescapeString(found[1]))
}

// repeat OUT N HEAD TEXT TAIL writes a file: TEXT N times between HEAD and TAIL.
func repeat(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 5 {
		ts.Fatalf("usage: repeat OUT N HEAD TEXT TAIL")
	}
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(args[2]+strings.Repeat(args[3], n)+args[4]), 0o600))
}

// save VAR FILE PATH puts a value of a JSON file into a variable. PATH is dotted;
// a part is a field, an index, or KEY=VALUE that picks an element of an array.
func save(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: save VAR FILE PATH")
	}
	dec := json.NewDecoder(bytes.NewReader([]byte(ts.ReadFile(args[1]))))
	dec.UseNumber()
	var v any
	ts.Check(dec.Decode(&v))
	for _, part := range strings.Split(args[2], ".") {
		next, ok := step(v, part)
		if !ok {
			ts.Fatalf("%s: no %q in %v", args[1], part, v)
		}
		v = next
	}
	ts.Setenv(args[0], fmt.Sprint(v))
}

// fill OUT IN writes a file anew with the variables that it names by $NAME.
func fill(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: fill OUT IN")
	}
	text := os.Expand(ts.ReadFile(args[1]), ts.Getenv)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o600))
}

func step(v any, part string) (any, bool) {
	switch v := v.(type) {
	case map[string]any:
		x, ok := v[part]
		return x, ok
	case []any:
		if i, err := strconv.Atoi(part); err == nil && i < len(v) {
			return v[i], true
		}
		key, want, _ := strings.Cut(part, "=")
		for _, x := range v {
			if m, ok := x.(map[string]any); ok && fmt.Sprint(m[key]) == want {
				return x, true
			}
		}
	}
	return nil, false
}
