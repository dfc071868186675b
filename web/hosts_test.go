package web_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/people"
)

// TestHostCalls asks for costs, renderings and preflights of a pushed listing.
func TestHostCalls(t *testing.T) {
	in := newInstance(t)
	in.addServer("git", gate.Team)
	mia := in.signedIn(in.addUser("mia", people.Viewer, "git"))
	one := in.pushed("git", "version=1.0.0", listing(tool("entity_get", "Reads one entity."))).Listing.ID
	two := in.pushed("git", "version=2.0.0", listing(tool("entity_get", "Reads one entity. Never twice."))).Listing.ID
	for path, words := range map[string][]string{
		"/cost": {`"tokenizer":"o200k_base"`, `"turns":40`, `"base":null`},
		"/cost?base=" + one + "&turns=2&price=1.5&host=codex": {`"turns":2`, `"host":"codex"`, `"why":"edited"`},
		"/preflight?base=" + one:                              {`"host":"claude-code"`, `"status":"ok"`, `"host":"anthropic-messages"`},
		"/renderings/claude-code":                             {`"name":"mcp__git__entity_get"`, `"lost":[]`},
	} {
		a := in.want(200, in.get(mia, "/api/v1/listings/"+two+path))
		for _, w := range words {
			if !strings.Contains(a.body, w) {
				t.Errorf("%s lacks %s: %.400s", path, w, a.body)
			}
		}
	}
	for _, path := range []string{"/cost?turns=0", "/cost?price=much", "/cost?host=netscape", "/cost?base=none", "/renderings/netscape", "/renderings/openai-chat"} {
		in.want(400, in.get(mia, "/api/v1/listings/"+two+path))
	}
}

// longWords is a description that claude-code cuts in front of its last sentence.
func longWords(first string) string {
	return first + strings.Repeat("Words of no weight. ", 220) + "Never call it twice."
}

// TestHostsPage reads the matrix, the preflight and one tool through one host.
func TestHostsPage(t *testing.T) {
	in := newInstance(t)
	in.addServer("git", gate.Team)
	mia := in.signedIn(in.addUser("mia", people.Viewer, "git"))
	union := `{"name":"pick","inputSchema":{"type":"object","anyOf":[{"required":["a"]},{"required":["b"]}]}}`
	one := in.pushed("git", "version=1.0.0", listing(tool("entity_get", longWords("Never call it twice. ")), tool("entity_list", "Lists."))).Listing.ID
	two := in.pushed("git", "version=2.0.0", listing(tool("entity_get", longWords("")), tool("entity_list", "Lists."), union)).Listing
	at := "/servers/git/listings/" + two.ID
	doc := in.want(200, in.get(mia, at+"/hosts?base="+one)).html(t)
	for selector, words := range map[string]string{
		".matrix td[data-label='Claude Code']": "cut",
		".matrix tbody th":                     "entity_get",
		"#host-anthropic-messages summary":     "refuses",
		"#host-anthropic-messages strong":      "Valid by the specification, refused by Anthropic's Messages API:",
		"#host-anthropic-messages code":        "/inputSchema/anyOf",
		"#host-claude-code .issues":            "Never call it twice",
		".tabs [aria-current]":                 "Hosts",
	} {
		if got := text(doc.Find(selector)); !strings.Contains(got, words) {
			t.Errorf("%s says %.300q, want %q", selector, got, words)
		}
	}
	if got := text(doc.Find(".matrix")); strings.Contains(got, "entity_list") {
		t.Errorf("a tool without losses is in the matrix: %s", got)
	}
	doc = in.want(200, in.get(mia, at+"/hosts?host=claude-code&tool=1&base="+one)).html(t)
	if got := text(doc.Find(".ruler").First()); !strings.Contains(got, "Claude Code cuts here") {
		t.Errorf("ruler: %q", got)
	}
	if sides := doc.Find(".lens > article"); sides.Length() != 2 || !strings.Contains(text(doc.Find(".beyond")), "Never call it twice.") ||
		!strings.Contains(text(doc.Find(".headline")), strings.TrimPrefix(two.Digest, "sha256:")[:4]) || !strings.Contains(text(sides.Last()), "mcp__git__entity_get") {
		t.Errorf("lens: %.600s", text(doc.Find(".lens")))
	}
	in.want(404, in.get(mia, at+"/hosts?tool=9"))
	in.want(400, in.get(mia, at+"/hosts?tool=x"))
	for _, path := range []string{"/hosts?tool=1&host=netscape", "/hosts?tool=1&host=openai-chat", "/hosts?host=netscape"} {
		in.want(404, in.get(mia, at+path))
	}
	if open := in.want(200, in.get(mia, at+"/hosts?host=codex")).html(t).Find(".check[open]"); open.Length() != 1 || open.AttrOr("id", "") != "host-codex" {
		t.Errorf("%d are open, the first is %q", open.Length(), open.AttrOr("id", ""))
	}
}

// TestListingThroughHost looks at a listing through hosts: what is sent in their order,
// with a ruler at the cut, what is not sent, one tool, and another host.
func TestListingThroughHost(t *testing.T) {
	in := newInstance(t)
	in.addServer("git", gate.Team)
	mia := in.signedIn(in.addUser("mia", people.Viewer, "git"))
	broken := `{"name":"bad","description":"Breaks.","inputSchema":{"type":"object","properties":{"a b":{"type":"string"}}}}`
	l := in.pushed("git", "version=1", listing(tool("entity_list", "Lists\u200b all."), broken, strings.Replace(tool("entity_get", longWords("")), `"name"`, `"title":"One","name"`, 1))).Listing
	at := "/servers/git/listings/" + l.ID
	doc := in.want(200, in.get(mia, at)).html(t)
	if n, hosts := doc.Find("#look-base").Length(), doc.Find("#look-lens option"); n != 0 || hosts.Length() < 20 || text(hosts.First()) != "raw, as listed" {
		t.Errorf("%d bases, hosts %q", n, text(hosts))
	}
	doc = in.want(200, in.get(mia, at+"?lens=claude-code")).html(t)
	var names []string
	for _, h := range doc.Find(".reads h3").EachIter() {
		names = append(names, text(h))
	}
	if diff := cmp.Diff([]string{"mcp__git__entity_get", "mcp__git__entity_list", "bad"}, names); diff != "" {
		t.Errorf("in the order of the host (-want +got): %s", diff)
	}
	tools := doc.Find(".reads > li")
	for i, words := range [][]string{{"cut", "Claude Code cuts here, after 4,096 UTF-16 units", "… [truncated]"}, {"Lists all."}, {"not sent", "Not sent. Claude Code silently leaves the tool out"}} {
		for _, w := range words {
			if got := text(tools.Eq(i)); !strings.Contains(got, w) {
				t.Errorf("tool %d lacks %q: %.300q", i, w, got)
			}
		}
	}
	if got := text(tools.Eq(0).Find(".beyond")); !strings.Contains(got, "Never call it twice.") {
		t.Errorf("behind the cut: %.200q", got)
	}
	if tools.Eq(2).Find(".ruled.not-sent").Length() != 1 || tools.Find(".badge.plain").Length() != 0 || strings.Contains(text(tools), "One") {
		t.Errorf("what is not sent: %s", text(tools.Eq(2)))
	}
	if got := text(doc.Find(".headline code")); got != "#"+strings.TrimPrefix(l.Digest, "sha256:")[:6] {
		t.Errorf("the head says %q", got)
	}
	in.followLens(mia, doc.Find(".reads h3 a").First().AttrOr("href", ""), at)
	for _, path := range []string{"?lens=netscape", "?lens=openai-chat", "?view=read&lens=netscape", "?tool=1&lens=netscape"} {
		in.want(404, in.get(mia, at+path))
	}
	declared := in.pushed("git", "version=2", `[{"name":"a","description":"d","input_schema":{"type":"object"}}]`).Listing.ID
	if n := in.want(200, in.get(mia, "/servers/git/listings/"+declared)).html(t).Find("#look-lens").Length(); n != 0 {
		t.Error("a declaration can be looked at through hosts")
	}
}

// TestLensTellsOfTheProvider: a host sends every tool, and its provider takes fewer.
func TestLensTellsOfTheProvider(t *testing.T) {
	in := newInstance(t)
	in.addServer("git", gate.Team)
	mia := in.signedIn(in.addUser("mia", people.Viewer, "git"))
	var tools []string
	for i := range 129 {
		tools = append(tools, tool(fmt.Sprint("get_", i), "Gets."))
	}
	const says = "takes 128 tools: it refuses the request, and none of them reaches the model."
	for n, want := range map[int]bool{128: false, 129: true} {
		id := in.pushed("git", fmt.Sprint("version=", n), listing(tools[:n]...)).Listing.ID
		if got := text(in.want(200, in.get(mia, "/servers/git/listings/"+id+"?lens=copilot-cli")).html(t).Find("main")); strings.Contains(got, says) != want {
			t.Errorf("%d tools: %.500s", n, got)
		}
	}
}

// followLens opens a tool from a listing through a host: the lens stays.
func (in *instance) followLens(as who, href, listing string) {
	in.t.Helper()
	doc := in.want(200, in.get(as, href)).html(in.t)
	if got := text(doc.Find(".tool .lens")); !strings.Contains(got, "Claude Code cuts here") || !strings.Contains(got, "mcp__git__entity_get") {
		in.t.Errorf("one tool: %.300q", got)
	}
	if v := doc.Find("#look-lens [selected]").AttrOr("value", ""); v != "claude-code" || doc.Find(".look [name=tool]").AttrOr("value", "") != "3" {
		in.t.Errorf("the form has %q", v)
	}
	for _, link := range doc.Find("[data-row], .tabs a").EachIter() {
		if at := link.AttrOr("href", ""); strings.HasPrefix(at, listing+"?") && !strings.Contains(at, "lens=claude-code") {
			in.t.Errorf("%s loses the lens", at)
		}
	}
}

// TestBesidePage holds a listing through two hosts: counts, the tools that differ, all
// of them, and one with its texts.
func TestBesidePage(t *testing.T) {
	in := newInstance(t)
	in.addServer("git", gate.Team)
	mia := in.signedIn(in.addUser("mia", people.Viewer, "git"))
	id := in.pushed("git", "version=1.0.0", listing(tool("entity_get", longWords("")), tool("entity_list", "Lists."))).Listing.ID
	at := "/servers/git/listings/" + id + "/hosts/beside?left=claude-code&right=goose"
	doc := in.want(200, in.get(mia, at)).html(t)
	if got := text(doc.Find(".lens > article").First()); !strings.Contains(got, "Sent2 of 2 tools") || !strings.Contains(got, "1 cut") {
		t.Errorf("counts: %q", got)
	}
	rows := doc.Find(".beside tbody tr")
	if rows.Length() != 1 || !strings.Contains(text(rows), "cut") || !strings.Contains(text(rows.Find("[data-label='Differs in']")), "description") {
		t.Errorf("rows: %q", text(rows))
	}
	if got := text(doc.Find("main")); !strings.Contains(got, "1 tool is told alike by both and not listed.") {
		t.Errorf("nothing counts the tools told alike: %s", got)
	}
	if n := in.want(200, in.get(mia, at+"&show=all")).html(t).Find(".beside tbody tr").Length(); n != 2 {
		t.Errorf("all: %d rows", n)
	}
	href, _ := rows.Find("th a").Attr("href")
	doc = in.want(200, in.get(mia, href)).html(t)
	if sides := doc.Find(".lens > article"); sides.Length() != 2 || !strings.Contains(text(sides.First()), "Claude Code cuts here") || doc.Find(".duo .new").Length() == 0 {
		t.Errorf("one tool: %.600s", text(doc.Find("main")))
	}
	for _, wrong := range []string{"&show=some", "&tool=x", "&after=x"} {
		in.want(400, in.get(mia, at+wrong))
	}
	for _, wrong := range []string{"left=netscape", "left=openai-chat"} {
		in.want(404, in.get(mia, strings.Replace(at, "left=claude-code", wrong, 1)))
	}
	in.want(404, in.get(mia, at+"&tool=9"))
	in.want(404, in.get(mia, at+"&tool=0"))
}

// TestHostsOfManyTools holds the pages of hosts to the bounds of a page, for a
// thousand tools that every host harms, and reaches every tool side by side.
func TestHostsOfManyTools(t *testing.T) {
	in := newInstance(t)
	in.addServer("big", gate.Team)
	in.addServer("less", gate.Team)
	mia := in.signedIn(in.addUser("mia", people.Viewer, "big", "less"))
	tools := make([]string, 1000)
	for i := range tools {
		tools[i] = fmt.Sprintf(`{"name":"act %d of a name that is far too long to be passed on by most of the hosts","title":"T","description":"Acts.","inputSchema":{"type":"object","properties":{"q":{"type":["string","null"],"enum":[1,2],"pattern":"^a","default":"a"}},"anyOf":[{"required":["q"]}]}}`, i)
	}
	at := "/servers/big/listings/" + in.pushed("big", "version=1.0.0", listing(tools...)).Listing.ID
	for _, page := range []string{at + "?lens=codex", at + "/hosts/beside?show=all", at + "/hosts"} {
		light(t, page, in.want(200, in.get(mia, page)))
	}
	// Every page looks at all tools, so what follows on from page to page has fewer.
	at = "/servers/less/listings/" + in.pushed("less", "version=1.0.0", listing(tools[:250]...)).Listing.ID
	seen := map[string]bool{}
	pages := 0
	for next := at + "/hosts/beside?show=all"; next != "" && pages < 20; pages++ {
		doc := in.want(200, in.get(mia, next)).html(t)
		for _, row := range doc.Find(".beside tbody th").EachIter() {
			seen[text(row)] = true
		}
		next = doc.Find("[rel=next]").AttrOr("href", "")
	}
	if len(seen) != 250 || pages != 3 {
		t.Errorf("%d tools on %d pages", len(seen), pages)
	}
	rows := 0
	for next := at + "/hosts"; next != ""; {
		doc := in.want(200, in.get(mia, next)).html(t)
		rows += doc.Find(".matrix tbody tr").Length()
		next = doc.Find("[rel=next]").AttrOr("href", "")
	}
	if rows != 250 {
		t.Errorf("the pages of the matrix have %d rows", rows)
	}
}

// light holds a page to the bounds of pages.
func light(t *testing.T, path string, a answer) {
	t.Helper()
	n, packed := elements(t, a.body), len(gzipped(t, a.body))
	t.Logf("%s: %d elements, %d bytes compressed", path, n, packed)
	if n > mostElements || packed > mostBytes {
		t.Errorf("%s has %d elements in %d bytes compressed, want at most %d in %d", path, n, packed, mostElements, mostBytes)
	}
}

// TestCostPage works out sessions, with exact amounts and with wrong ones.
func TestCostPage(t *testing.T) {
	in := newInstance(t)
	in.addServer("git", gate.Team)
	mia := in.signedIn(in.addUser("mia", people.Viewer, "git"))
	one := in.pushed("git", "version=1.0.0", listing(tool("entity_get", "Reads one entity."))).Listing.ID
	two := in.pushed("git", "version=2.0.0", listing(tool("entity_get", "Reads one entity. Never twice."))).Listing.ID
	at := "/servers/git/listings/" + two + "/cost"
	doc := in.want(200, in.get(mia, at+"?turns=3&price=2.5&cache_read=0.25&base="+one)).html(t)
	body := text(doc.Find("main"))
	for _, words := range []string{"tokens", "o200k_base", "more than the base", "The cached prefix ends at tool 1, entity_get (edited)", "In all"} {
		if !strings.Contains(body, words) {
			t.Errorf("the page lacks %q: %.500s", words, body)
		}
	}
	if v, _ := doc.Find("#turns").Attr("value"); v != "3" {
		t.Errorf("the form forgot the turns: %q", v)
	}
	for _, wrong := range []string{"turns=0", "price=much", "cache_read=-"} {
		doc := in.want(400, in.get(mia, at+"?"+wrong)).html(t)
		if doc.Find(".fault").Length() != 1 || doc.Find("table").Length() == 0 {
			t.Errorf("%s: %.300s", wrong, text(doc.Find("main")))
		}
	}
}

// TestSightOnChanges reads on cards, rows, tools and by the API what hosts show of
// changes, and what they cost.
func TestSightOnChanges(t *testing.T) {
	in := newInstance(t)
	in.addServer("git", gate.Team)
	mia := in.signedIn(in.addUser("mia", people.Maintainer, "git"))
	in.release("git", "1.0.0", listing(tool("entity_get", longWords("Ask first. ")), tool("entity_list", "Lists.")))
	p := in.pushed("git", "version=2.0.0", listing(tool("entity_get", longWords("")+" Ask first."), strings.Replace(tool("entity_list", "Lists."), `"name"`, `"title":"A list","name"`, 1)))
	doc := in.want(200, in.get(mia, "/releases/"+p.Release.ID)).html(t)
	cards := text(doc.Find(".decision"))
	for _, words := range []string{"Moves the cut in Claude Code: “Ask first.” is behind it now", "Invisible in all 12 hosts"} {
		if !strings.Contains(cards, words) {
			t.Errorf("the cards lack %q: %s", words, cards)
		}
	}
	if got := text(doc.Find(".headline .sub")); !strings.Contains(got, "tokens, ") {
		t.Errorf("the head says %q", got)
	}
	if got := text(doc.Find(".aside")); !strings.Contains(got, "The cached prefix ends at tool 1, entity_get (edited)") {
		t.Errorf("the aside says %q", got)
	}
	if got := text(doc.Find(".pills")); !strings.Contains(got, "Moves a cut 1") || !strings.Contains(got, "Invisible in a host 1") {
		t.Errorf("pills: %q", got)
	}
	doc = in.want(200, in.get(mia, "/releases/"+p.Release.ID+"?view=tools&filter=unseen")).html(t)
	if got := text(doc.Find(".pills [aria-current]")); !strings.Contains(got, "Invisible in a host 1") {
		t.Errorf("of the tools: %q", got)
	}
	a := in.want(200, in.get(mia, "/api/v1/releases/"+p.Release.ID+"/changes"))
	for _, words := range []string{`"behind":["Ask first."]`, `"invisible_in":["claude-code",`, `"hosts":["claude-code",`, `"broken_by":"entity_get"`} {
		if !strings.Contains(a.body, words) {
			t.Errorf("changes lack %s: %s", words, a.body)
		}
	}
}
