package report_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/countersign/countersign/review/cost"
	"github.com/countersign/countersign/review/host"
	"github.com/countersign/countersign/review/report"
	"github.com/countersign/countersign/review/surface"
)

func mountedFor(t *testing.T, text string) host.Mounted {
	t.Helper()
	l, err := surface.Read([]byte(text), surface.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return host.Mount("docs", l)
}

func profile(t *testing.T, id string) *host.Profile {
	t.Helper()
	p, err := host.Lookup(id)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// keysOf returns the keys of an object in their order.
func keysOf(t *testing.T, b []byte) []string {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(string(b)))
	var keys []string
	if _, err := dec.Token(); err != nil {
		t.Fatal(err)
	}
	for dec.More() {
		k, err := dec.Token()
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, k.(string))
		var v json.RawMessage
		if err := dec.Decode(&v); err != nil {
			t.Fatal(err)
		}
	}
	return keys
}

const trick = `[{"name":"a\u202e\n::error::x","title":"T","description":"<b>\ud800 &","inputSchema":{"type":"object","properties":{"n":{"enum":[1.0]}}}}]`

// TestRenderKeepsBytes checks that entries are written as the host sends them:
// nothing in them is escaped anew, and half a character stays one.
func TestRenderKeepsBytes(t *testing.T) {
	r, err := host.Render(profile(t, "continue-cli"), []host.Mounted{mountedFor(t, trick)}, "")
	if err != nil {
		t.Fatal(err)
	}
	b, err := report.Render(r)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(b), string(r.Tools[0].JSON)) || !strings.Contains(string(b), `"<b>\ud800 &"`) {
		t.Errorf("%s", b)
	}
	if diff := cmp.Diff([]string{"host", "version", "variant", "verified", "tools", "lost", "instructions", "failed"}, keysOf(t, b)); diff != "" {
		t.Error(diff)
	}
	text := report.RenderText(r)
	if strings.Contains(text, "\n::error") || strings.Contains(text, "\u202e") || !strings.Contains(text, "not-sent") {
		t.Errorf("%s", text)
	}
}

func TestPreflightForms(t *testing.T) {
	c := host.Preflight(profile(t, "claude-code"), mountedFor(t, `[{"name":"a\n::error::x","description":"d","inputSchema":{"type":"object","properties":{"x y":{}}}}]`))
	b, err := report.Preflight([]*host.Check{c})
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Hosts []struct {
			Host, Status string
			Issues       []struct{ Tool, Pointer, What, Reason, Fix string }
		}
	}
	if err := json.Unmarshal(b, &got); err != nil {
		t.Fatal(err)
	}
	i := got.Hosts[0].Issues[0]
	if got.Hosts[0].Status != "refuses" || i.Pointer != "/inputSchema/properties/x y" || i.What != "dropped" || i.Reason == "" || i.Fix == "" {
		t.Errorf("%s", b)
	}
	text := report.PreflightText([]*host.Check{c}, true, 1)
	if strings.Contains(text, "\n::error") || !strings.Contains(text, "fix: Call it") {
		t.Errorf("%s", text)
	}
	quiet := report.PreflightText([]*host.Check{c}, false, 1)
	if !strings.Contains(quiet, "for information: 1 more line") {
		t.Errorf("%s", quiet)
	}
	whole := host.Check{Host: "x", Issues: []host.Issue{{What: host.Refused, Level: host.Error, TakesDown: 150, Verdict: "Valid by the specification, refused by X", Reason: "150 tools, and it takes 128."}}}
	want := "  refused: Valid by the specification, refused by X: 150 tools, and it takes 128.\n    takes 150 tools down with it\n"
	if text := report.PreflightText([]*host.Check{&whole}, false, 150); !strings.HasSuffix(text, want) {
		t.Errorf("%s", text)
	}
}

func TestHostsForms(t *testing.T) {
	b, err := report.Hosts(host.Profiles(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Hosts []struct {
			ID, Kind string
			Evidence []struct{ Kind, Ref, Date string }
		}
	}
	if err := json.Unmarshal(b, &got); err != nil || len(got.Hosts) != len(host.Profiles()) {
		t.Fatalf("%v, %d hosts", err, len(got.Hosts))
	}
	if text := report.HostsText(host.Profiles(), nil); !strings.Contains(text, "verified by captures") || !strings.Contains(text, "not verified") {
		t.Error(text)
	}
}

// TestCapturedCounts checks that foreign tools are a number and nothing else.
func TestCapturedCounts(t *testing.T) {
	capture, err := surface.Read([]byte(`{"model":"m","messages":[],"tools":[
	 {"type":"function","function":{"name":"a","description":"A.","parameters":{"type":"object","properties":{}}}},
	 {"type":"function","function":{"name":"private","description":"CANARY","parameters":{"type":"object"}}}]}`), surface.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m := mountedFor(t, `[{"name":"a","description":"A.","inputSchema":{"type":"object"}},{"name":"b","description":"B.","inputSchema":{"type":"object"}}]`)
	c, err := host.Compare(profile(t, "continue-cli"), capture, m)
	if err != nil {
		t.Fatal(err)
	}
	b, err := report.Captured(c)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"foreign":[{"count":1}]`, `"absent":["b"]`, `"listed":"a","position":1,"sent":"a","lost":[]`} {
		if !strings.Contains(string(b), want) {
			t.Errorf("no %s in %s", want, b)
		}
	}
	for _, s := range []string{string(b), report.CapturedText(c)} {
		if strings.Contains(s, "private") || strings.Contains(s, "CANARY") {
			t.Errorf("a foreign tool is named: %s", s)
		}
	}
}

func TestCostForms(t *testing.T) {
	l := func(text string) *surface.Listing {
		l, err := surface.Read([]byte(text), surface.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	old := l(`[{"name":"a","description":"A.","inputSchema":{"type":"object"}}]`)
	next := l(`[{"name":"a\n::error::","description":"A thing.","inputSchema":{"type":"object"}}]`)
	bill, err := cost.Session(cost.Of(next).Tokens, cost.DefaultPrices)
	if err != nil {
		t.Fatal(err)
	}
	c := report.Cost{Estimate: cost.Of(next), Tokens: cost.Of(next).Tokens, Bill: bill, Base: cost.Of(old), Prefix: cost.Prefix(old, next)}
	b, err := c.JSON()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"tokenizer", "estimate", "host", "tokens", "instructions", "parts", "tools", "families", "session", "base"}, keysOf(t, b)); diff != "" {
		t.Error(diff)
	}
	if text := c.Text(); strings.Contains(text, "\n::error") || !strings.Contains(text, "sent anew") {
		t.Error(text)
	}
}

// TestCostOfABigListing writes what a maintainer has to see of a listing whose own
// client hides its cost: the sum, the parts with their shares, the dearest tools,
// the instructions apart, and the method.
func TestCostOfABigListing(t *testing.T) {
	var tools []string
	for i := range 157 {
		words := strings.Repeat("Counts waits by kind. ", 80)
		if i == 40 {
			words = strings.Repeat("Explains every column. ", 890) // 20 kB
		}
		tools = append(tools, fmt.Sprintf(`{"name":"report_%d","description":%q,"inputSchema":{"type":"object","properties":{"db":{"type":"string"}}}}`, i, words))
	}
	l, err := surface.Read([]byte(`{"instructions":"`+strings.Repeat("Read this first. ", 5000)+`","tools":[`+strings.Join(tools, ",")+`]}`), surface.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c := report.Cost{Estimate: cost.Of(l)}
	c.Tokens = c.Estimate.Tokens
	if c.Bill, err = cost.Session(c.Tokens, cost.DefaultPrices); err != nil {
		t.Fatal(err)
	}
	text := c.Text()
	for _, want := range []string{cost.Tokenizer, cost.Spread, "descriptions", "schemas", "report_40", "and 147 tools"} {
		if !strings.Contains(text, want) {
			t.Errorf("nothing about %q in\n%s", want, text)
		}
	}
	if c.Estimate.Instructions == 0 || !regexp.MustCompile(`instructions +[1-9]`).MatchString(text) {
		t.Errorf("instructions: %d\n%s", c.Estimate.Instructions, text)
	}
}
