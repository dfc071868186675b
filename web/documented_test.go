package web_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/testkit"
	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/people"
)

// TestLimitsAsDocumented goes over each limit of docs/operating.md that one request
// can go over, and compares the status with the page's.
func TestLimitsAsDocumented(t *testing.T) {
	in := newInstance(t)
	in.addServer("mot", gate.Team)
	in.addUser("ann", people.Reviewer, "mot")
	reviewer := withToken(in.addToken("mot", "ann@example.org", people.ScopeReview))
	p := in.pushed("mot", "version=1", listing(tool("find", "Finds.")))
	schema := func(s string) string { return `{"tools":[{"name":"find","inputSchema":` + s + `}]}` }
	for what, answered := range map[string]answer{
		"listing, unpacked": in.push("mot", "version=2", listing(tool("find", strings.Repeat("x", 9<<20)))),
		"nesting":           in.push("mot", "version=2", schema(strings.Repeat(`{"not":`, 70)+"{}"+strings.Repeat("}", 70))),
		"values in a listing": in.push("mot", "version=2",
			schema(`{"enum":[`+strings.TrimSuffix(strings.Repeat("0,", 500_001), ",")+`]}`)),
		"digits of a number": in.push("mot", "version=2", schema(`{"maximum":`+strings.Repeat("9", 1001)+`}`)),
		"comment": in.postJSON(reviewer, "/api/v1/releases/"+p.Release.ID+"/threads",
			`{"body":"`+strings.Repeat("x", 64<<10+1)+`"}`),
	} {
		if want := documentedStatus(t, what); answered.status != want {
			t.Errorf("over the limit of %s the answer is %d (%.120s), and the page says %d", what, answered.status, answered.body, want)
		}
	}
}

// documentedStatus is the first status in the row of a limit.
func documentedStatus(t *testing.T, what string) int {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(testkit.Root(), "docs", "operating.md"))
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`(?m)^\| ` + regexp.QuoteMeta(what) + ` \| [^|]* \| (\d{3})`).FindSubmatch(page)
	if m == nil {
		t.Fatalf("docs/operating.md has no limit of %q", what)
	}
	n, _ := strconv.Atoi(string(m[1]))
	return n
}

// TestProblemsShowWhatIsHidden: a refusal quotes the listing, and a terminal that
// prints it must not be turned around by it.
func TestProblemsShowWhatIsHidden(t *testing.T) {
	in := newInstance(t)
	in.addServer("mot", gate.Team)
	for name, body := range map[string]string{
		"no listing": `{"re` + "\u202e" + `versed":1,"` + "\u200b" + `":2}`,
		"a key":      `{"tools":[{"name":"a","` + "\u202e" + `x":1,"` + "\u202e" + `x":2}]}`,
		"an error":   `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"` + "\u202e" + `evil"}}`,
	} {
		a := in.push("mot", "version=1", body)
		if a.status < 400 || strings.ContainsAny(a.body, "\u202e\u200b") {
			t.Errorf("%s: %d %q", name, a.status, a.body)
		}
	}
}
