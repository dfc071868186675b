package web_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/host"
	"github.com/countersign/countersign/review/people"
	wire "github.com/countersign/countersign/web/api"
)

// canary stands wherever a request holds what is nobody's business.
const canary = "CANARY-7f3a9"

// captureOf is a request as claude-code posts it, full of canaries but for the
// tools of the server git.
func captureOf(tools ...string) string {
	tools = append(tools, fmt.Sprintf(`{"name":"mcp__other__%[1]s","description":"%[1]s","input_schema":{"type":"object","properties":{"%[1]s":{"type":"string"}}}}`, canary),
		fmt.Sprintf(`{"name":"Bash","description":"%[1]s","input_schema":{"type":"object"}}`, canary))
	return fmt.Sprintf(`{"model":"m","max_tokens":9,"system":[{"type":"text","text":"%[1]s"}],"messages":[{"role":"user","content":"%[1]s"}],"metadata":{"%[1]s":"%[1]s"},"tools":[%[2]s]}`,
		canary, strings.Join(tools, ","))
}

func captured(name, description string) string {
	return fmt.Sprintf(`{"name":"mcp__git__%s","description":%q,"input_schema":{"type":"object","properties":{"id":{"type":"string"}},"required":["id"]}}`, name, description)
}

// multipartOf is the form of the page with the capture as a file.
func multipartOf(t *testing.T, target, body string) *http.Request {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	f, err := w.CreateFormFile("file", "request.json")
	if err == nil {
		_, err = f.Write([]byte(body))
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest(http.MethodPost, target, &b)
	r.Header.Set("Content-Type", w.FormDataContentType())
	return r
}

// TestCapturesKeepNoConversation sends requests full of canaries, good and broken
// ones, by API and page, and then looks for them everywhere.
func TestCapturesKeepNoConversation(t *testing.T) {
	dir, temp := t.TempDir(), t.TempDir()
	t.Setenv("TMPDIR", temp)
	in := newInstanceOn(t, filepath.Join(dir, "countersign.db"))
	in.addServer("git", gate.Team)
	ana := in.signedIn(in.addUser("ana", people.Maintainer, "git"))
	token := withToken(in.addToken("git", "ana@example.org", people.ScopeReview))
	pushed := in.pushed("git", "version=1.0.0", listing(tool("entity_get", "Reads one entity."), tool("entity_list", "Lists."))).Listing
	id := pushed.ID
	api, page := "/api/v1/listings/"+id+"/captures", "/servers/git/listings/"+id+"/captures"

	good := captureOf(captured("entity_get", "Reads one."))
	a := in.want(201, in.postJSON(token, api, good))
	for _, words := range []string{`"host":"claude-code"`, `"doubtful":true`, `"sent":"mcp__git__entity_get"`, `"absent":["entity_list"]`, `"foreign":[{"count":2}]`} {
		if !strings.Contains(a.body, words) {
			t.Errorf("the answer lacks %s: %s", words, a.body)
		}
	}
	var seen strings.Builder
	seen.WriteString(a.body)
	for name, body := range map[string]string{
		"cut in the middle": good[:len(good)-40],
		"a key twice":       strings.Replace(good, `"metadata":{`, fmt.Sprintf(`"metadata":{"%s":1,`, canary), 1),
		"of another server": captureOf(),
		"a listing":         listing(tool(canary, canary)),
		"no JSON":           canary + " is secret",
	} {
		a := in.postJSON(token, api, body)
		if a.status < 400 || a.status >= 500 {
			t.Errorf("%s: %d %s", name, a.status, a.body)
		}
		if name == "a key twice" && (!strings.Contains(a.body, "a name stands twice") || !strings.Contains(a.body, "line 1, column ")) {
			t.Errorf("a key twice: %s", a.body)
		}
		seen.WriteString(a.body)
		r := multipartOf(t, page, body)
		ana(r)
		sent := in.send(r)
		fmt.Fprint(&seen, sent.body, sent.header)
	}
	// A machine pushes with a token, by digest; and captures can be taken along.
	digest := pushed.Digest
	push := "/api/v1/servers/git/captures?digest=" + url.QueryEscape(digest)
	machine := withToken(in.addToken("git", "", people.ScopePush))
	a = in.want(201, in.postJSON(machine, push, good))
	fmt.Fprint(&seen, a.body)
	for name, body := range map[string]string{"cut": good[:len(good)-9], "other": captureOf(), "none": canary} {
		a := in.postJSON(machine, push, body)
		if a.status < 400 || a.status >= 500 {
			t.Errorf("pushed, %s: %d %s", name, a.status, a.body)
		}
		seen.WriteString(a.body)
	}
	in.want(400, in.postJSON(machine, "/api/v1/servers/git/captures", good))
	in.want(404, in.postJSON(machine, "/api/v1/servers/git/captures?digest=sha256:"+strings.Repeat("1", 64), good))
	in.want(403, in.postJSON(withToken(in.addToken("git", "", people.ScopeRead)), push, good))
	in.addServer("other", gate.Team)
	in.want(404, in.postJSON(withToken(in.addToken("other", "", people.ScopePush)), push, good))
	kept := decode[wire.Captures](t, in.get(token, api)).Captures
	if len(kept) != 2 || kept[0].By == "" || kept[1].By != "ana" {
		t.Fatalf("%+v", kept)
	}
	for _, at := range []string{api + "/" + kept[0].ID + "/fixture", "/servers/git/listings/" + id + "/captures/" + kept[0].ID} {
		a := in.want(200, in.get(ana, at))
		if !strings.Contains(a.header.Get("Content-Disposition"), "attachment") || !strings.Contains(a.header.Get("Content-Security-Policy"), "sandbox") {
			t.Errorf("%s is no attachment: %v", at, a.header)
		}
		seen.WriteString(a.body)
		f, err := host.ParseFixture([]byte(a.body))
		in.must(err)
		c, err := f.Compare()
		if err != nil || !c.Doubt || len(c.Tools) != 1 || c.Foreign != 2 {
			t.Errorf("%s: %v, %+v", at, err, c)
		}
	}
	in.want(404, in.get(ana, api+"/none/fixture"))
	if a := in.want(200, in.get(token, "/api/v1/servers/git/hosts")); !strings.Contains(a.body, `"id":"claude-code"`) || strings.Count(a.body, `"doubtful":true`) != 1 {
		t.Errorf("hosts: %.300s", a.body)
	}

	r := multipartOf(t, page, captureOf(captured("entity_get", "Reads one entity."), captured("entity_list", "Lists.")))
	ana(r)
	in.want(303, in.send(r))

	doc := in.want(200, in.get(ana, "/servers/git/listings/"+id+"/hosts")).html(t)
	if got := text(doc.Find("main")); !strings.Contains(got, "as predicted") || !strings.Contains(got, "differs") || !strings.Contains(got, "2 tools of others, not kept") || !strings.Contains(got, "doubtful: a capture differs") {
		t.Errorf("the page does not tell: %.900s", got)
	}
	if got := text(doc.Find("#captures").Parent()); !strings.Contains(got, "Description, predicted and sent") || doc.Find("#captures ~ details a[download]").Length() != 3 {
		t.Errorf("no prediction beside what was sent: %.900s", got)
	}
	lens := in.want(200, in.get(ana, "/servers/git/listings/"+id+"/hosts?tool=1")).html(t)
	if got := text(lens.Find("main")); !strings.Contains(got, "doubtful: a capture differs") {
		t.Errorf("the lens does not doubt: %.400s", got)
	}
	for _, path := range []string{"/servers/git/listings/" + id + "/hosts", api, "/audit", "/deliveries", "/api/v1/inbox"} {
		seen.WriteString(in.get(ana, path).body)
	}
	if strings.Contains(seen.String(), canary) || strings.Contains(in.log.String(), canary) {
		t.Error("an answer or the log holds the canary")
	}
	noCanary(t, dir)
	noCanary(t, temp)
}

// noCanary looks into every file, the database and its write-ahead log among them.
func noCanary(t *testing.T, dir string) {
	t.Helper()
	files := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files++
		b, err := os.ReadFile(path)
		if bytes.Contains(b, []byte(canary)) {
			t.Errorf("%s holds the canary", filepath.Base(path))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d files", files)
}

// TestCaptureVariants offers the configurations of a host, and says which one a request
// matches instead of doubting the profile.
func TestCaptureVariants(t *testing.T) {
	in := newInstance(t)
	in.addServer("git", gate.Team)
	ana := in.signedIn(in.addUser("ana", people.Maintainer, "git"))
	now := `{"name":"now","description":"Now.","inputSchema":{"type":"object","properties":{}},"_meta":{"anthropic/alwaysLoad":true}}`
	id := in.pushed("git", "version=1.0.0", listing(now, tool("later", "Later."))).Listing.ID
	page, hosts := "/servers/git/listings/"+id+"/captures", "/servers/git/listings/"+id+"/hosts"
	doc := in.want(200, in.get(ana, hosts)).html(t)
	for _, value := range []string{"claude-code", "claude-code+plain", "claude-code+round", "gemini-cli+plain"} {
		if doc.Find("form[action='"+page+"'] option[value='"+value+"']").Length() != 1 {
			t.Errorf("the form does not offer %s", value)
		}
	}
	token := withToken(in.addToken("git", "ana@example.org", people.ScopeReview))
	request := captureOf(`{"name":"mcp__git__now","description":"Now.","input_schema":{"type":"object","properties":{}}}`)
	for _, chosen := range []string{"claude-code", "claude-code+round", "claude-code+plain"} {
		in.want(303, in.postForm(ana, page, url.Values{"host": {chosen}, "listing": {request}}))
		doc := in.want(200, in.get(ana, hosts)).html(t)
		if got := text(doc.Find("main")); !strings.Contains(got, "as it comes") || strings.Contains(got, "doubtful: a capture differs") {
			t.Errorf("%s: %.600s", chosen, got)
		}
		a := decode[wire.Captures](t, in.get(token, "/api/v1/listings/"+id+"/captures"))
		if got := a.Captures[0]; got.Variant != "plain" || got.Doubtful {
			t.Errorf("%s: %+v", chosen, got)
		}
	}
}

// TestCaptureOfAnotherName holds a request of a host that calls the server otherwise
// against its listing, by form and API, and gives a fixture of that name.
func TestCaptureOfAnotherName(t *testing.T) {
	in := newInstance(t)
	in.addServer("git", gate.Team)
	ana := in.signedIn(in.addUser("ana", people.Maintainer, "git"))
	token := withToken(in.addToken("git", "ana@example.org", people.ScopeReview))
	pushed := in.pushed("git", "version=1.0.0", listing(tool("mcp_status", "Tells."), tool("entity_get", "Reads."))).Listing
	request := captureOf(strings.ReplaceAll(captured("mcp_status", "Tells.")+","+captured("entity_get", "Reads."), "mcp__git__", "mcp__prod-git__"))
	page, hosts := "/servers/git/listings/"+pushed.ID+"/captures", "/servers/git/listings/"+pushed.ID+"/hosts"
	in.want(303, in.postForm(ana, page, url.Values{"listing": {request}}))
	in.want(303, in.postForm(ana, page, url.Values{"listing": {request}, "called": {strings.Repeat("x", 201)}}))
	if n := in.get(ana, hosts).html(t).Find("#captures ~ .check").Length(); n != 0 {
		t.Errorf("%d are kept of a server with another name", n)
	}
	in.want(303, in.postForm(ana, page, url.Values{"listing": {request}, "called": {" prod-git "}}))
	if got := text(in.get(ana, hosts).html(t).Find("#captures ~ .check")); !strings.Contains(got, "as predicted") || !strings.Contains(got, "called prod-git there") || !strings.Contains(got, "2 tools") {
		t.Errorf("the page shows %q", got)
	}
	a := in.want(201, in.postJSON(token, "/api/v1/servers/git/captures?called=prod-git&digest="+pushed.Digest, request))
	got := decode[wire.Capture](t, a)
	if got.Called != "prod-git" || got.Doubtful {
		t.Errorf("%s", a.body)
	}
	in.want(201, in.postJSON(token, "/api/v1/servers/git/captures?called=prod-git&host=claude-code&digest="+pushed.Digest, strings.Replace(request, "Reads.", "Reads", 1)))
	if got := text(in.get(ana, "/servers/git/listings/"+pushed.ID+"?lens=claude-code").html(t).Find("main")); !strings.Contains(got, "doubtful: a capture differs") {
		t.Errorf("the lens says nothing of the doubt: %.300s", got)
	}
	for _, at := range []string{page + "/" + got.ID, "/api/v1/listings/" + pushed.ID + "/captures/" + got.ID + "/fixture"} {
		f, err := host.ParseFixture([]byte(in.want(200, in.get(ana, at)).body))
		in.must(err)
		if c, err := f.Compare(); err != nil || f.Server != "prod-git" || c.Doubt || len(c.Tools) != 2 {
			t.Errorf("%s: %v %+v", at, err, c)
		}
	}
}

// TestLimitsForm sets limits on the page of hosts.
func TestLimitsForm(t *testing.T) {
	in := newInstance(t)
	in.addServer("git", gate.Team)
	ana := in.signedIn(in.addUser("ana", people.Maintainer, "git"))
	id := in.pushed("git", "version=1.0.0", listing(tool("entity_get", "Reads one entity."))).Listing.ID
	hosts := "/servers/git/listings/" + id + "/hosts"
	in.want(303, in.postForm(ana, "/servers/git/limits", url.Values{"gate_host": {"codex", "cline"}, "ceiling": {"500"}, "growth": {""}, "back": {hosts}}))
	doc := in.want(200, in.get(ana, hosts)).html(t)
	if n := doc.Find("input[name=gate_host][checked]").Length(); n != 2 {
		t.Errorf("%d hosts are asked for", n)
	}
	if v, _ := doc.Find("#ceiling").Attr("value"); v != "500" {
		t.Errorf("ceiling %q", v)
	}
	in.postForm(ana, "/servers/git/limits", url.Values{"ceiling": {"much"}, "back": {hosts}})
	srv, err := in.svc.Server(t.Context(), review.Actor{Shell: true}, "git")
	in.must(err)
	if srv.Server.Policy.Limits.Ceiling != 500 || srv.Server.Policy.Version != 2 {
		t.Errorf("%+v", srv.Server.Policy)
	}
}
