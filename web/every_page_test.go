package web_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/google/go-cmp/cmp"

	"github.com/countersign/countersign/store"
)

// readings are the routes that show something to whoever may see it. Who has just
// signed in has nothing to prove, so that page leads on.
func (p *place) readings() map[string]*http.Request {
	out := map[string]*http.Request{}
	for _, row := range p.web.Rows() {
		if row.Method == http.MethodGet && !row.Open && row.Path != "/account/prove" {
			out[row.Path] = p.request(row)
		}
	}
	return out
}

func admin(callers []caller) who { return callers[len(callers)-1].as }

// TestQueriesDoNotGrow counts the statements behind every page and every reading
// call, for a small server and for one with more of everything.
func TestQueriesDoNotGrow(t *testing.T) {
	small, large := countQueries(t, 2), countQueries(t, 40)
	if diff := cmp.Diff(small, large); diff != "" {
		t.Errorf("statements (-small +large):\n%s", diff)
	}
	for path, n := range small {
		if n == 0 || n > 60 {
			t.Errorf("%s: %d statements", path, n)
		}
	}
}

// countQueries makes a server with size tools, releases, threads, listings and
// people, and counts what each route asks the database when nothing is new.
func countQueries(t *testing.T, size int) map[string]int {
	t.Helper()
	var tools []string
	for n := range size {
		tools = append(tools, tool(fmt.Sprintf("entity_get_%d", n), "Reads one entity."))
	}
	p, callers := newPlace(t, listing(tools...))
	for n := range size {
		p.pushed("git", fmt.Sprintf("ref=pr-%d", n), listing(tools[n:]...))
		p.want(201, p.postJSON(admin(callers), "/api/v1/releases/"+p.release+"/threads", `{"body":"Why?"}`))
		p.addServer(fmt.Sprintf("server-%d", n), "")
		p.addUser(fmt.Sprintf("person-%d", n), "viewer", "git")
	}
	p.tool = fmt.Sprintf("entity_get_%d", size-1)
	counts := map[string]int{}
	for path, r := range p.readings() {
		admin(callers)(r)
		if a := p.send(r.Clone(t.Context())); a.status != 200 {
			t.Fatalf("%s: status %d, to %s", path, a.status, a.header.Get("Location"))
		}
		ctx, queries := store.CountQueries(t.Context())
		p.want(200, p.send(r.WithContext(ctx)))
		counts[path] = queries.Count()
	}
	return counts
}

var handler = regexp.MustCompile(`^on[a-z]+$`)

// TestNothingOfAListingRuns shows a listing whose every string is an attack on
// every page, and looks at what a browser would find.
func TestNothingOfAListingRuns(t *testing.T) {
	attack := `</script><img src=x onerror=alert(1)>"'><svg onload=alert(2)>{{7*7}}` + "`${8*8}`"
	evil := fmt.Sprintf(`{"name":%q,"title":%[1]q,"description":%[1]q,"inputSchema":{"type":"object","properties":{%[1]q:{"type":"string","description":%[1]q,"default":%[1]q,"enum":[%[1]q]}}},"annotations":{"title":%[1]q}}`, attack)
	p, callers := newPlace(t, `{"instructions":`+fmt.Sprintf("%q", attack)+`,"tools":[`+evil+`]}`)
	p.tool = attack
	p.want(201, p.postJSON(admin(callers), "/api/v1/releases/"+p.release+"/threads", fmt.Sprintf(`{"anchor":{"tool":%q},"body":%[1]q}`, attack)))
	for path, r := range p.readings() {
		admin(callers)(r)
		a := p.want(200, p.send(r))
		if !strings.HasPrefix(a.header.Get("Content-Type"), "text/html") {
			continue
		}
		doc, err := goquery.NewDocumentFromReader(strings.NewReader(a.body))
		p.must(err)
		checkPage(t, path, a, doc)
	}
}

// checkPage looks for what the policy would have to stop: nothing should rely on
// it alone.
func checkPage(t *testing.T, path string, a answer, doc *goquery.Document) {
	t.Helper()
	_, rest, _ := strings.Cut(a.header.Get("Content-Security-Policy"), "'nonce-")
	nonce, _, _ := strings.Cut(rest, "'")
	doc.Find("script, style, link[rel=stylesheet], link[rel=modulepreload]").Each(func(_ int, e *goquery.Selection) {
		if got, _ := e.Attr("nonce"); got != nonce || nonce == "" {
			html, _ := goquery.OuterHtml(e)
			t.Errorf("%s: without the nonce of the answer: %.200s", path, html)
		}
	})
	doc.Find("script:not([src]), iframe, object, embed, base, img, svg[onload]").Each(func(_ int, e *goquery.Selection) {
		html, _ := goquery.OuterHtml(e)
		t.Errorf("%s: should not be on a page: %.200s", path, html)
	})
	doc.Find("*").Each(func(_ int, e *goquery.Selection) {
		for _, attr := range e.Nodes[0].Attr {
			if handler.MatchString(attr.Key) || attr.Key == "style" || strings.HasPrefix(strings.TrimSpace(strings.ToLower(attr.Val)), "javascript:") && attr.Key != "value" {
				t.Errorf("%s: <%s %s=%.80q>", path, e.Nodes[0].Data, attr.Key, attr.Val)
			}
		}
	})
}
