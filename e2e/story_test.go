package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/countersign/countersign/internal/testkit"
)

// keyboard is a hand that has no mouse.
type keyboard struct {
	*tab
}

// press sends keys to whatever has the focus.
func (k keyboard) press(keys string) {
	k.t.Helper()
	k.do(chromedp.KeyEvent(keys))
}

// leave presses keys that lead to another page, and waits for it.
func (k keyboard) leave(keys string) {
	k.t.Helper()
	k.follow(keys, chromedp.KeyEvent(keys))
	k.check("after " + keys + " at " + eval[string](k.tab, "location.pathname"))
}

// meanwhile does something elsewhere and waits until the page loads again by
// itself.
func (k keyboard) meanwhile(f func()) {
	k.t.Helper()
	k.follow("what the page should have noticed", chromedp.Func(func(context.Context, *chromedp.Target) error { f(); return nil }))
}

// tabTo presses Tab until the focus is on what the selector means. It fails when
// the focus comes round, so everything that it is used for can be reached.
func (k keyboard) tabTo(selector string) {
	k.t.Helper()
	const most = 200
	want, err := json.Marshal(selector)
	if err != nil {
		k.t.Fatal(err)
	}
	for range most {
		k.press(kb.Tab)
		if eval[bool](k.tab, "document.activeElement.matches("+string(want)+")") {
			if !eval[bool](k.tab, "getComputedStyle(document.activeElement).outlineStyle !== 'none'") {
				k.t.Errorf("%s shows no focus", selector)
			}
			return
		}
	}
	k.t.Fatalf("%s can't be reached by Tab at %s", selector, eval[string](k.tab, "location.href"))
}

// write fills in the field that the selector means.
func (k keyboard) write(selector, text string) {
	k.t.Helper()
	k.tabTo(selector)
	k.press(text)
}

// sees fails unless the page holds the text.
func (k keyboard) sees(text string) {
	k.t.Helper()
	if page := k.text(); !strings.Contains(page, text) {
		k.t.Fatalf("%q is not on the page at %s:\n%s", text, eval[string](k.tab, "location.href"), page)
	}
}

func (k keyboard) text() string {
	k.t.Helper()
	return eval[string](k.tab, "document.querySelector('main').innerText")
}

// focused is the sentence of the decision that has the focus.
func (k keyboard) focused() string {
	k.t.Helper()
	return eval[string](k.tab, "document.activeElement.closest('[data-item]')?.querySelector('h3, .title-link')?.innerText ?? ''")
}

// jTo presses j, and at the end of the list k, until the item about text has the focus.
func (k keyboard) jTo(text string) {
	k.t.Helper()
	for n := range 30 {
		k.press([]string{"j", "k"}[n/15])
		if strings.Contains(k.focused(), text) {
			return
		}
	}
	k.t.Fatalf("no item about %q: %s", text, k.text())
}

func freePort(t testing.TB) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	return ln.Addr().String()
}

// shell runs the program and returns its exit code and what it printed.
func (a *app) shell(args ...string) (int, string) {
	a.t.Helper()
	cmd := exec.Command(program(a.t), args...)
	cmd.Env = a.env
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		a.t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(out)
}

func toolJSON(name, description string) string {
	return `{"name":"` + name + `","description":"` + description + `","inputSchema":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}}`
}

// push writes a listing of tools to a file and pushes it as CI would.
func (a *app) push(version, secret string, tools ...string) string {
	a.t.Helper()
	file := filepath.Join(a.t.TempDir(), "listing.json")
	if err := os.WriteFile(file, []byte(`{"jsonrpc":"2.0","id":1,"result":{"tools":[`+strings.Join(tools, ",")+`]}}`), 0o600); err != nil {
		a.t.Fatal(err)
	}
	code, out := a.shell("push", file, "--to", a.url, "--server", "weather", "--version", version, "--secret", secret)
	if code != 0 && code != 1 {
		a.t.Fatalf("push: exit %d: %s", code, out)
	}
	return file
}

func (a *app) gate(file, token string) int {
	a.t.Helper()
	code, out := a.shell("gate", file, "--to", a.url, "--server", "weather", "--token", token)
	a.t.Logf("gate: exit %d: %s", code, out)
	return code
}

func (a *app) wantGate(file, token string, want int) {
	a.t.Helper()
	if code := a.gate(file, token); code != want {
		a.t.Fatalf("gate: exit %d, want %d", code, want)
	}
}

// newServer starts the real server on an empty database: an embedded one, or the one
// that more of its environment names.
func newServer(t testing.TB, more ...string) *app {
	t.Helper()
	addr := freePort(t)
	env := []string{
		"COUNTERSIGN_ADDR=" + addr, "COUNTERSIGN_BASE_URL=http://" + addr, "COUNTERSIGN_SECRET=" + strings.Repeat("s", 40),
		"COUNTERSIGN_DATA_DIR=" + t.TempDir(),
	}
	return run(t, append(env, more...), "serve")
}

// onBothEngines runs a test over an embedded database and over PostgreSQL.
func onBothEngines(t *testing.T, test func(*testing.T, *app)) {
	t.Run("SQLite", func(t *testing.T) { test(t, newServer(t)) })
	t.Run("PostgreSQL", func(t *testing.T) { test(t, newServer(t, "COUNTERSIGN_DATABASE_URL="+testkit.Postgres(t))) })
}

// onOneEngine is onBothEngines for what the database has no part in: PostgreSQL is for the
// long rounds.
func onOneEngine(t *testing.T, test func(*testing.T, *app)) {
	if os.Getenv("COUNTERSIGN_SOAK") == "1" {
		onBothEngines(t, test)
		return
	}
	test(t, newServer(t))
}

// TestStoryByKeyboard is the main job from an empty database to the second
// release, by keyboard alone, in a browser and against the real program.
func TestStoryByKeyboard(t *testing.T) { onBothEngines(t, storyByKeyboard) }

func storyByKeyboard(t *testing.T, a *app) {
	k := keyboard{newTab(t, screen{width: 1280})}

	k.open(a.link)
	k.write("#email", "ana@example.com")
	k.write("#name", "Ana Ruiz")
	k.write("#password", "a sentence that nobody guesses")
	k.leave(kb.Enter)
	k.sees("Nothing needs you.")

	k.tabTo("a[href='/servers/new']")
	k.leave(kb.Enter)
	k.write("#name", "Weather")
	k.write("#slug", "weather")
	k.tabTo("[name=preset]")
	k.press(kb.ArrowUp) // from "a team" to "just me"
	k.leave(kb.Enter)
	secret := eval[string](k.tab, "document.getElementById('secret').textContent")
	if !strings.HasPrefix(secret, "whsec_") {
		t.Fatalf("the secret is %q", secret)
	}
	k.tabTo("main a.btn.primary")
	k.leave(kb.Enter)
	k.sees("Waiting for the first push.")
	_, token := a.shell("token", "create", "--server", "weather", "--scopes", "gate", "--json")
	token = tokenIn(t, token)

	forecast, alert, station := toolJSON("forecast_get", "Returns the forecast of a city."), toolJSON("alert_list", "Lists alerts."), toolJSON("station_get", "Returns a station.")
	var v1 string
	k.meanwhile(func() { v1 = a.push("1.0.0", secret, forecast, alert, station) })
	k.sees("The first push arrived.")
	a.wantGate(v1, token, 1)
	k.tabTo("main a.btn.primary")
	k.leave(kb.Enter)
	k.sees("Use these 3 tools as the starting point?")
	k.tabTo("form[action$='/baseline'] button")
	k.leave(kb.Enter)
	k.sees("Safe to publish")
	a.wantGate(v1, token, 0)
	k.tabTo("form[action$='/release'] button")
	k.leave(kb.Enter)
	k.sees("is released")

	v2 := []string{toolJSON("forecast_get", "Returns the forecast of a city. Refused for cities that are not known."), station, toolJSON("radar_get", "Returns a radar picture.")}
	first := a.push("1.1.0", secret, v2...)
	a.wantGate(first, token, 1)

	k.tabTo("nav a[href='/']")
	k.leave(kb.Enter)
	k.press("j")
	if at := k.focused(); !strings.Contains(at, "Weather") {
		t.Fatalf("j leads to %q", at)
	}
	k.leave(kb.Enter)
	k.sees("Blocked")

	// A comment on the new tool, then two approvals and a rejection.
	k.jTo("radar_get")
	k.press("c")
	k.press("Which picture?")
	k.tabTo("[data-item] form[action$='/threads'] button")
	k.leave(kb.Enter)
	k.sees("Your comment is published.")

	k.jTo("alert_list") // its removal breaks callers: a reason is asked for
	k.press("y")
	k.sees("asks for a reason")
	k.press("nobody calls it") // the cursor is where the reason goes
	k.press(kb.Enter)          // and Enter decides nothing
	k.press(kb.Escape)
	k.leave("y")
	k.sees("Approved.")
	k.jTo("Refused for cities")
	k.leave("y")
	k.sees("Approved.")
	k.jTo("radar_get")
	k.leave("x")
	k.sees("Rejected.")
	a.wantGate(first, token, 1)

	// The rejected tool is mended; the other answers hold.
	v2[2] = toolJSON("radar_get", "Returns the newest radar picture of a city.")
	second := a.push("1.1.0", secret, v2...)
	a.wantGate(second, token, 1)
	k.do(chromedp.Reload())
	if open := eval[[]string](k.tab, "[...document.querySelectorAll('.decision:not(.done) h3')].map(h => h.innerText)"); len(open) != 1 || !strings.Contains(open[0], "radar_get") {
		t.Fatalf("open decisions: %q", open)
	}
	k.jTo("radar_get")
	k.leave("y")
	k.sees("Safe to publish")
	a.wantGate(second, token, 0)
	k.tabTo("form[action$='/release'] button")
	k.leave(kb.Enter)
	k.sees("is released")
	a.wantGate(second, token, 0)
}

// secretIn reads the webhook secret that "server add --json" printed.
func secretIn(t testing.TB, out string) string {
	t.Helper()
	var made struct {
		Secret string `json:"webhook_secret"`
	}
	if err := json.Unmarshal([]byte(out), &made); err != nil || made.Secret == "" {
		t.Fatalf("server add printed %q", out)
	}
	return made.Secret
}

func tokenIn(t testing.TB, out string) string {
	t.Helper()
	var made struct{ Token string }
	if err := json.Unmarshal([]byte(out), &made); err != nil || made.Token == "" {
		t.Fatalf("token create printed %q", out)
	}
	return made.Token
}

// TestKeys holds the keys to their rules: they wait while somebody types, can be
// switched off, and tell what they are.
func TestKeys(t *testing.T) {
	a := demo(t)
	k := keyboard{newTab(t, screen{width: 1280})}
	k.enter(a)
	k.open(a.url + "/servers/git")
	k.open(a.url + eval[string](k.tab, `document.querySelector("a[href^='/releases/']").getAttribute("href")`))

	k.press("j")
	first := k.focused()
	k.press("j")
	if second := k.focused(); first == "" || second == first {
		t.Errorf("j went from %q to %q", first, second)
	}
	k.press("k")
	if back := k.focused(); back != first {
		t.Errorf("k led to %q, want %q", back, first)
	}
	k.tabTo("[data-item] textarea[name=note]")
	k.press("jky")
	if typed := eval[string](k.tab, "document.activeElement.value"); typed != "jky" {
		t.Errorf("typing gave %q", typed)
	}
	k.do(chromedp.Evaluate[chromedp.Void]("document.activeElement.blur()"))
	k.press("?")
	if !eval[bool](k.tab, "document.getElementById('keys').open") {
		t.Fatal("? opens nothing")
	}
	k.check("the list of keys")
	k.tabTo("[data-keys-switch]")
	k.press(" ")
	k.press(kb.Escape)
	before := k.focused()
	k.press("j")
	if after := k.focused(); after != before {
		t.Error("j still works after keys were switched off")
	}
	k.leaveView(t, a)
}

// leaveView goes to the tools and from one tool to the next.
func (k keyboard) leaveView(t *testing.T, a *app) {
	t.Helper()
	k.do(chromedp.Evaluate[chromedp.Void]("localStorage.clear()"))
	k.leave("t")
	rows := eval[[]string](k.tab, "[...document.querySelectorAll('[data-family] [data-row] .name')].map(r => r.innerText.trim())")
	if len(rows) < 2 {
		t.Fatalf("tools: %q", rows)
	}
	k.turn("j")
	at := eval[string](k.tab, "document.querySelector('[data-row][aria-current] .name').innerText.trim()")
	if at != rows[1] {
		t.Errorf("j opened %q, want %q of %q", at, rows[1], rows)
	}
	k.press("]")
	if !eval[bool](k.tab, "document.activeElement.hasAttribute('data-change')") {
		t.Error("] leads to no change")
	}
	k.leave("d")
	if !slices.Contains(strings.Fields(eval[string](k.tab, "document.querySelector('.tabs [aria-current]').innerText")), "Decisions") {
		t.Error("d does not lead to the decisions")
	}
}
