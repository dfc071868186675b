package web_test

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/google/go-cmp/cmp"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/people"
)

func TestHomePage(t *testing.T) {
	in := newInstance(t)
	ada := in.signedIn(in.addUser("ada", people.Admin, ""))
	if got := text(in.get(ada, "/").html(t).Find("main")); !strings.Contains(got, "Nothing needs you.") || !strings.Contains(got, "Add a server") {
		t.Errorf("first run: %s", got)
	}
	in.addServer("git", gate.Team)
	in.addServer("shop", gate.Team)
	rita := in.signedIn(in.addUser("rita", people.Reviewer, "git"))
	in.pushed("git", "version=1", before)
	in.pushed("shop", "version=1", before)
	home := in.get(rita, "/").html(t)
	if got := text(home.Find("#turn").Closest("section")); !strings.Contains(got, "GIT 1") || strings.Contains(got, "SHOP") {
		t.Errorf("rita's turn: %s", got)
	}
	if got := text(home.Find("#servers").Closest("section")); strings.Contains(got, "SHOP") {
		t.Errorf("rita sees a server that she has no role on: %s", got)
	}
	if home.Find("a[href='/people']").Length() > 0 {
		t.Error("a reviewer is offered the page of people")
	}
}

func TestAddingAServer(t *testing.T) {
	in := newInstance(t)
	ada := in.signedIn(in.addUser("ada", people.Admin, ""))
	if n := in.get(ada, "/servers/new").html(t).Find("[name=preset]").Length(); n != 3 {
		t.Fatalf("%d answers to who reviews", n)
	}
	bad := in.postForm(ada, "/servers", url.Values{"slug": {"Not Good"}, "name": {"Weather"}, "preset": {"solo"}})
	doc := bad.html(t)
	if bad.status != http.StatusBadRequest || doc.Find("#name").AttrOr("value", "") != "Weather" || doc.Find("[value=solo][checked]").Length() != 1 {
		t.Errorf("what was typed is lost: %d %s", bad.status, text(doc.Find("form")))
	}
	added := in.postForm(ada, "/servers", url.Values{"slug": {"weather"}, "name": {"Weather"}, "preset": {"solo"}})
	doc = added.html(t)
	secret := text(doc.Find("#secret"))
	if added.status != http.StatusCreated || !strings.HasPrefix(secret, "whsec_") {
		t.Fatalf("added: %d %q", added.status, secret)
	}
	if got := doc.Find("#command").Text(); !strings.Contains(got, "--server weather") || !strings.Contains(got, baseURL) || strings.Contains(got, secret) {
		t.Errorf("the command: %s", got)
	}
	if again := in.postForm(ada, "/servers", url.Values{"slug": {"weather"}, "name": {"W"}, "preset": {"team"}}); again.status != http.StatusConflict {
		t.Errorf("the same name again: %d", again.status)
	}
	if link := doc.Find("[data-poll] a[data-poll-next]"); link.AttrOr("href", "") != "/servers/weather/connect" || !strings.Contains(link.AttrOr("data-poll-next", ""), "review") {
		t.Errorf("goes on to %q", link.AttrOr("href", ""))
	}
	in.secret["weather"] = secret
	waitForFirstPush(t, in, ada)
}

// waitForFirstPush goes through what the page that waits shows: nothing, a refusal
// with its place, and the push that arrived.
func waitForFirstPush(t *testing.T, in *instance, ada who) {
	state := func() string { return in.get(ada, "/servers/weather/connect/state").body }
	if page := in.get(ada, "/servers/weather/connect"); !strings.Contains(page.body, `http-equiv="refresh"`) || !strings.Contains(state(), `"waiting"`) {
		t.Errorf("nothing pushed: %s %s", text(page.html(t).Find("main")), state())
	}
	in.push("weather", "version=1", `{"tools":[{"name":"a","name":"b"}]}`)
	page := in.get(ada, "/servers/weather/connect").html(t)
	if got := text(page.Find("[role=status]")); !strings.Contains(got, "Not accepted") || !strings.Contains(got, "line 1") || !strings.Contains(state(), `"refused"`) {
		t.Errorf("refused: %s", got)
	}
	pushed := in.pushed("weather", "version=1", before)
	page = in.get(ada, "/servers/weather/connect").html(t)
	if to := page.Find("[role=status] a.btn").AttrOr("href", ""); to != "/releases/"+pushed.Release.ID || !strings.Contains(state(), `"arrived"`) || !strings.Contains(state(), `"next":"`+to+`"`) {
		t.Errorf("arrived: leads to %q", to)
	}
}

// TestListingsInPages: a server with more listings than a page shows leads to all of
// them, and each offers to be compared with the one before it.
func TestListingsInPages(t *testing.T) {
	in := newInstance(t)
	in.addServer("git", gate.Team)
	vic := in.signedIn(in.addUser("vic", people.Viewer, "git"))
	const all = 45
	for i := range all {
		in.pushed("git", fmt.Sprint("ref=pr-", i), listing(tool("find", fmt.Sprint("Finds ", i, "."))))
	}
	seen := map[string]int{}
	pages := 0
	for next := "/servers/git"; next != ""; pages++ {
		page := in.want(200, in.get(vic, next)).html(t)
		page.Find("section[aria-labelledby=listings] .what a").Each(func(_ int, a *goquery.Selection) { seen[a.AttrOr("href", "")]++ })
		if page.Find("section[aria-labelledby=families] a").Length() == 0 {
			t.Errorf("%s shows no families of the newest listing", next)
		}
		next, _, _ = strings.Cut(page.Find("nav[aria-label='Pages of listings'] a:contains(Older)").AttrOr("href", ""), "#")
		if pages > 5 {
			t.Fatal("the pages have no end")
		}
	}
	if len(seen) != all || pages != 3 {
		t.Errorf("%d listings on %d pages, want %d on 3", len(seen), pages, all)
	}
	for url, n := range seen {
		form := in.get(vic, url).html(t).Find("form.pick")
		from, to := form.Find("#from [selected]").AttrOr("value", ""), form.Find("#to [selected]").AttrOr("value", "")
		if n != 1 || from == "" || to == "" || from == to || !strings.HasSuffix(url, "/"+from) && !strings.HasSuffix(url, "/"+to) {
			t.Errorf("%s stands %d times and compares %q with %q", url, n, from, to)
		}
	}
	if got := in.get(vic, "/servers/git?listed=none").html(t).Find("section[aria-labelledby=listings] .what a").Length(); got != 20 {
		t.Errorf("behind a listing that does not exist stand %d", got)
	}
}

func TestServerPage(t *testing.T) {
	in := newInstance(t)
	in.addServer("git", gate.Team)
	mia := in.signedIn(in.addUser("mia", people.Maintainer, "git"))
	vic := in.signedIn(in.addUser("vic", people.Viewer, "git"))
	if got := text(in.get(mia, "/servers/git").html(t).Find(".empty")); !strings.Contains(got, "No listing yet.") || !strings.Contains(got, "countersign push") {
		t.Errorf("empty: %s", got)
	}
	in.release("git", "1.0.0", before)
	in.pushed("git", "version=2.0.0", listing(tool("find", "Finds.")))
	doc := in.get(mia, "/servers/git").html(t)
	if got := text(doc.Find("#releases").Closest("section")); !strings.Contains(got, "2.0.0") || !strings.Contains(got, "released") {
		t.Errorf("releases: %s", got)
	}
	if got := text(doc.Find("aside")); !strings.Contains(got, "Starting point accepted by") {
		t.Errorf("profiles: %s", got)
	}
	if n := in.get(vic, "/servers/git").html(t).Find("form[method=post]:not([action='/sign-out'])").Length(); n != 0 {
		t.Errorf("a viewer is offered %d forms", n)
	}
	if got := text(doc.Find("#settings").Parent()); !strings.Contains(got, "A team") || !strings.Contains(got, "version 1") {
		t.Errorf("settings: %s", got)
	}
	rotated := in.postForm(mia, "/servers/git/secret", url.Values{}).html(t)
	if got := text(rotated.Find("#secret")); !strings.HasPrefix(got, "whsec_") || got == in.secret["git"] {
		t.Errorf("new secret %q", got)
	}
}

// TestServerPageShowsEveryTool: whatever a name looks like, the table has it.
func TestServerPageShowsEveryTool(t *testing.T) {
	in := newInstance(t)
	in.addServer("mot", gate.Team)
	names := []string{"get_memory", "list_memory", "delete_memory", "write_memory", "get_note", "list_note", "search", "summarize_and_archive", "a/../b"}
	var tools []string
	for _, n := range names {
		tools = append(tools, tool(n, "Does things."))
	}
	in.pushed("mot", "version=1", listing(tools...))
	vic := in.signedIn(in.addUser("vic", people.Viewer, "mot"))
	got := in.get(vic, "/servers/mot").html(t).Find("#families").Closest("section").Find("td a").Map(func(_ int, s *goquery.Selection) string { return text(s) })
	slices.Sort(got)
	slices.Sort(names)
	if diff := cmp.Diff(names, slices.Compact(got)); diff != "" {
		t.Errorf("tools on the page (-want +got):\n%s", diff)
	}
}

func TestListingPage(t *testing.T) {
	in := newInstance(t)
	in.addServer("git", gate.Team)
	in.addServer("shop", gate.Team)
	hostile := tool("a/../b", "Odd.")
	id := in.pushed("git", "version=1", listing(tool("entity_get", "Reads one."), tool("write_entity", "Writes one."), tool("entity_list", "Lists."), tool("entity_drop", "Drops."), tool("entity_find", "Finds."), hostile)).Listing.ID
	ada := in.signedIn(in.addUser("ada", people.Admin, ""))
	base := "/servers/git/listings/" + id
	doc := in.get(ada, base).html(t)
	if got := text(doc.Find("#families").Closest("section")); !strings.Contains(got, "entity41 entity_get3 entity_list4 entity_drop5 entity_find") {
		t.Errorf("families: %s", got)
	}
	if got := text(doc.Find("#outliers").Closest("section")); !strings.Contains(got, "write_entity") || !strings.Contains(got, "expensive") {
		t.Errorf("outliers: %s", got)
	}
	read := in.get(ada, base+"?view=read").html(t)
	if got := text(read.Find(".reads li").First()); got != "1entity_getReads one. id string" {
		t.Errorf("as a model reads it: %s", got)
	}
	one := in.get(ada, base+"?tool=6").html(t)
	if got := text(one.Find("#tool h2")); got != "a/../b" {
		t.Errorf("the sixth tool: %s", got)
	}
	if a := in.get(ada, "/servers/shop/listings/"+id); a.status != http.StatusNotFound {
		t.Errorf("under another server: %d", a.status)
	}
	for _, odd := range []string{"?view=read&from=-1", "?view=read&from=x"} {
		if a := in.get(ada, base+odd); a.status != http.StatusOK {
			t.Errorf("%s: %d", odd, a.status)
		}
	}
	for _, odd := range []string{"?tool=0", "?tool=99", "?tool=x"} {
		if a := in.get(ada, base+odd); a.status != http.StatusNotFound || !strings.Contains(a.body, "There is no tool at this position.") || !strings.Contains(a.body, "entity_get") {
			t.Errorf("%s: %d", odd, a.status) // the page lists what there is
		}
	}
}

// upload sends the form of the upload page, with a file or pasted text.
func (in *instance) upload(as who, fields map[string]string, file string) answer {
	in.t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for k, v := range fields {
		in.must(w.WriteField(k, v))
	}
	if file != "" {
		part, err := w.CreateFormFile("file", "listing.json")
		in.must(err)
		_, err = part.Write([]byte(file))
		in.must(err)
	}
	in.must(w.Close())
	r := httptest.NewRequest(http.MethodPost, "/servers/git/push", &b)
	r.Header.Set("Content-Type", w.FormDataContentType())
	as(r)
	return in.send(r)
}

func TestUpload(t *testing.T) {
	in := newInstance(t)
	in.addServer("git", gate.Team)
	rita := in.signedIn(in.addUser("rita", people.Reviewer, "git"))
	for name, a := range map[string]answer{
		"pasted": in.upload(rita, map[string]string{"version": "1", "listing": before}, ""),
		"a file": in.upload(rita, map[string]string{"version": "2"}, before),
	} {
		if a.status != http.StatusSeeOther || !strings.HasPrefix(a.header.Get("Location"), "/releases/") {
			t.Errorf("%s: %d %s", name, a.status, a.body)
		}
	}
	refused := in.upload(rita, map[string]string{"version": "3", "listing": "<!doctype html><title>Log in</title>"}, "")
	doc := refused.html(t)
	if refused.status != http.StatusUnsupportedMediaType || !strings.Contains(text(doc.Find("[role=alert]")), "HTML") {
		t.Errorf("a page: %d %s", refused.status, text(doc.Find("[role=alert]")))
	}
	if doc.Find("#version").AttrOr("value", "") != "3" || !strings.Contains(doc.Find("#body").Text(), "Log in") {
		t.Error("what was typed is lost")
	}
	broken := in.upload(rita, map[string]string{"version": "3", "listing": "{\"tools\":[\n{\"name\":\"a\",\"name\":\"b\"}]}"}, "")
	if got := text(broken.html(t).Find("[role=alert]")); !strings.Contains(got, "line 2") {
		t.Errorf("twice the same name: %s", got)
	}
	if got := text(in.get(rita, "/servers/git/deliveries").html(t).Find("main")); strings.Count(got, " refused git") != 2 || strings.Count(got, "201 new") != 2 {
		t.Errorf("deliveries: %s", got)
	}
}

// TestImportIsShown: the page of a server says how far an import of many versions is, and
// asks how it goes on. Without scripts a link shows what is in.
func TestImportIsShown(t *testing.T) {
	in := newInstance(t)
	in.addServer("git", gate.Team)
	rita := in.signedIn(in.addUser("rita", people.Reviewer, "git"))
	if in.get(rita, "/servers/git").html(t).Find("progress").Length() > 0 {
		t.Error("there is progress before there is an import")
	}
	shell := review.Actor{Shell: true, Via: "import"}
	for place := 1; place <= 2; place++ {
		params := review.PushParams{Version: fmt.Sprint(place), Complete: true, Place: place, Of: 3}
		if _, err := in.svc.Upload(t.Context(), shell, "git", params, []byte(before), ""); err != nil {
			t.Fatal(err)
		}
	}
	page := in.get(rita, "/servers/git").html(t)
	bar := page.Find("main [data-poll] progress")
	if bar.AttrOr("value", "") != "2" || bar.AttrOr("max", "") != "3" || page.Find("main a:contains('Show what is in')").AttrOr("href", "") != "/servers/git" {
		t.Errorf("at work: %s", text(page.Find("main [data-poll]")))
	}
	poll := bar.Closest("[data-poll]").AttrOr("data-poll", "")
	if got := in.get(rita, poll).body; !strings.Contains(got, `"state":"working","text":"Importing: 2 of 3 versions.","done":2`) {
		t.Errorf("%s says %s", poll, got)
	}
	in.now = in.now.Add(time.Hour)
	if got := in.get(rita, poll).body; !strings.Contains(got, `"arrived"`) || !strings.Contains(got, "stopped after 2 of 3") {
		t.Errorf("stopped: %s", got)
	}
	stopped := in.get(rita, "/servers/git").html(t)
	if got := text(stopped.Find(".note:contains('import')")); !strings.Contains(got, "Run it again to go on") || stopped.Find("progress").Length() > 0 {
		t.Errorf("stopped: %s", got)
	}
}

func TestPeoplePage(t *testing.T) {
	in := newInstance(t)
	in.addServer("git", gate.Team)
	ada := in.signedIn(in.addUser("ada", people.Admin, ""))
	mia := in.signedIn(in.addUser("mia", people.Maintainer, "git"))
	added := in.postForm(ada, "/people", url.Values{"email": {"rob@example.org"}, "name": {"Rob"}, "role": {"reviewer"}, "server": {"git"}})
	link := text(added.html(t).Find("#link"))
	if added.status != http.StatusCreated || !strings.HasPrefix(link, baseURL+"/links/") {
		t.Fatalf("added: %d %q", added.status, link)
	}
	if again := text(in.get(ada, "/people").html(t).Find("main")); strings.Contains(again, "/links/") || !strings.Contains(again, "reviewer on GIT") {
		t.Errorf("the next page: %s", again)
	}
	page := in.get(nobody, strings.TrimPrefix(link, baseURL))
	if got := text(page.html(t).Find("main")); !strings.Contains(got, "Choose a password for Rob") {
		t.Errorf("the invitation: %s", got)
	}
	short := in.postForm(nobody, strings.TrimPrefix(link, baseURL), url.Values{"password": {"short"}})
	if short.status != http.StatusBadRequest || short.html(t).Find("[role=alert]").Length() != 1 {
		t.Errorf("a short password: %d", short.status)
	}
	if in2 := in.postForm(nobody, strings.TrimPrefix(link, baseURL), url.Values{"password": {password}}); in2.status != http.StatusSeeOther {
		t.Errorf("a password: %d %s", in2.status, in2.body)
	}
	if used := in.get(nobody, strings.TrimPrefix(link, baseURL)); used.status != http.StatusNotFound || strings.Contains(used.body, "role on the server") {
		t.Errorf("the link again: %d %s", used.status, text(used.html(t).Find("main")))
	}
	admins := in.get(mia, "/people").html(t).Find("#role option").Map(func(_ int, s *goquery.Selection) string { return s.AttrOr("value", "") })
	if strings.Contains(strings.Join(admins, " "), "admin") {
		t.Errorf("a maintainer may give %q", admins)
	}
	form := in.get(ada, "/people").html(t).Find("form[action$='/disable']").Last()
	if a := in.postForm(ada, form.AttrOr("action", ""), url.Values{}); a.status != http.StatusSeeOther {
		t.Errorf("disable: %d", a.status)
	}
}

func TestTokensPage(t *testing.T) {
	in := newInstance(t)
	in.addServer("git", gate.Team)
	mia := in.signedIn(in.addUser("mia", people.Maintainer, "git"))
	made := in.postForm(mia, "/tokens", url.Values{"name": {"ci of git"}, "server": {"git"}, "scope": {"push", "gate"}, "days": {"30"}})
	secret := text(made.html(t).Find("#token"))
	if made.status != http.StatusCreated || !strings.HasPrefix(secret, "cs_") {
		t.Fatalf("made: %d %q", made.status, secret)
	}
	list := in.get(mia, "/tokens")
	if strings.Contains(list.body, secret) || !strings.Contains(text(list.html(t).Find("main")), "push, gate · on GIT · a machine") && !strings.Contains(text(list.html(t).Find("main")), "push, gate on GIT a machine") {
		t.Errorf("the list: %s", text(list.html(t).Find("main")))
	}
	none := in.postForm(mia, "/tokens", url.Values{"name": {"nothing"}, "server": {"git"}})
	if none.status != http.StatusBadRequest || none.html(t).Find("#name").AttrOr("value", "") != "nothing" {
		t.Errorf("no scope: %d", none.status)
	}
	revoke := list.html(t).Find("form[action$='/revoke']").AttrOr("action", "")
	if a := in.postForm(mia, revoke, url.Values{}); a.status != http.StatusSeeOther {
		t.Errorf("revoke: %d", a.status)
	}
	if got := text(in.get(mia, "/tokens").html(t).Find("main")); !strings.Contains(got, "revoked") {
		t.Errorf("after: %s", got)
	}
	bound := url.Values{"name": {"ci of ro"}, "profile": {"ro"}, "scope": {"push", "gate"}}
	if a := in.postForm(mia, "/tokens", bound); a.status != http.StatusBadRequest || a.html(t).Find("#profile").AttrOr("value", "") != "ro" {
		t.Errorf("a profile of no server: %d", a.status)
	}
	bound.Set("server", "git")
	ro := text(in.want(http.StatusCreated, in.postForm(mia, "/tokens", bound)).html(t).Find("#token"))
	if got := text(in.get(mia, "/tokens").html(t).Find("main")); !strings.Contains(got, "on GIT, profile ro only") || !strings.Contains(got, "by you") {
		t.Errorf("bound to a profile: %s", got)
	}
	digest := "sha256:" + strings.Repeat("1", 64)
	for profile, want := range map[string]int{"ro": http.StatusOK, "rw": http.StatusForbidden, "": http.StatusForbidden} {
		if a := in.get(withToken(ro), "/api/v1/servers/git/gate?digest="+digest+"&profile="+profile); a.status != want {
			t.Errorf("the gate of profile %q: %d %s", profile, a.status, a.body)
		}
	}
}

func TestErrorPages(t *testing.T) {
	in := newInstance(t)
	in.addServer("git", gate.Team)
	vic := in.signedIn(in.addUser("vic", people.Viewer, "git"))
	for path, want := range map[string]struct {
		status int
		says   string
	}{
		"/nowhere":             {404, "There is nothing at this address"},
		"/servers/none":        {404, "or you have no role on its server"},
		"/releases/none":       {404, "or you have no role on its server"},
		"/servers/new":         {403, "Only an administrator"},
		"/deliveries?limit=-1": {400, "limit"},
	} {
		a := in.get(vic, path)
		if got := text(a.html(t).Find("main")); a.status != want.status || !strings.Contains(got, want.says) {
			t.Errorf("%s: %d %s", path, a.status, got)
		}
	}
	asked := in.get(nobody, "/servers/git?x=1")
	if to := asked.header.Get("Location"); asked.status != http.StatusSeeOther || to != "/sign-in?next=%2Fservers%2Fgit%3Fx%3D1" {
		t.Errorf("nobody is led to %q", to)
	}
	in.addLocal("ann", people.Admin)
	entered := in.postForm(nobody, "/sign-in", url.Values{"email": {"ann@example.org"}, "password": {password}, "next": {"/servers/git?x=1"}})
	if to := entered.header.Get("Location"); to != "/servers/git?x=1" {
		t.Errorf("after signing in: %q", to)
	}
}

// TestTypedTextSurvivesRefusal: a comment on a thread that the person may not
// resolve any more is on the error page.
func TestTypedTextSurvivesRefusal(t *testing.T) {
	r := newReviewed(t)
	vic := r.signedIn(r.addUser("vic", people.Viewer, "git"))
	a := r.postForm(vic, r.path+"/verdicts", url.Values{"change": {"ch_x"}, "verdict": {"approve"}, "note": {"I read all of it."}})
	if got := text(a.html(t).Find("textarea")); a.status != http.StatusForbidden || got != "I read all of it." {
		t.Errorf("%d: %q", a.status, got)
	}
}
