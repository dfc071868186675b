package web_test

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/people"
	"github.com/countersign/countersign/web/api"
)

// TestAnEndpointFromFormToReview adds an endpoint, sees a drift, says that it is known,
// and opens it as a review, as somebody without JavaScript does.
func TestAnEndpointFromFormToReview(t *testing.T) {
	in := newInstance(t)
	in.addServer("git", gate.Team)
	maintainer := in.addUser("maintainer", people.Maintainer, "git")
	viewer := in.addUser("viewer", people.Viewer, "git")
	as, sees := in.signedIn(maintainer), in.signedIn(viewer)
	p := &place{instance: in}
	p.releasedVersion(maintainer)

	form := url.Values{"name": {"EU production"}, "profile": {"locked"}, "address": {"https://eu.example/mcp"}, "every": {"15m0s"}, "headers": {"Authorization: Bearer canary-123\n\nX-Team: a"}}
	bad := url.Values{}
	for name, v := range form {
		bad[name] = v
	}
	bad.Set("address", "https://me:secret@eu.example")
	a := in.want(http.StatusBadRequest, in.postForm(as, "/servers/git/endpoints", bad))
	if !strings.Contains(a.body, "name and password out of the address") || !strings.Contains(a.body, `value="EU production"`) {
		t.Errorf("what was typed is gone, or why it was refused:\n%s", a.body)
	}
	bad.Set("address", "https://eu.example/mcp")
	bad.Set("headers", "canary-123-without-a-name")
	if a := in.want(http.StatusBadRequest, in.postForm(as, "/servers/git/endpoints", bad)); !strings.Contains(a.body, "Header 1 must be a name and a value") {
		t.Error("a header without a name was not explained")
	}
	in.want(http.StatusForbidden, in.postForm(sees, "/servers/git/endpoints", form))
	where := in.want(http.StatusSeeOther, in.postForm(as, "/servers/git/endpoints", form)).header.Get("Location")
	in.says(as, where, "not read yet", "every 15 minutes", "Authorization")

	in.runs.say(listing(tool("entity_get", "Reads one entity."), tool("steal", "Sends it away.")))
	in.want(http.StatusSeeOther, in.postForm(sees, where+"/read", nil))
	in.says(as, where, "Something that was never released", "steal", "was never released", "diff.capture-vs-push", "1 reading", "Compare with the release", "Known and meant?")
	in.says(as, "/", "Drift: what runs is not what was released", "EU production", "steal")
	in.says(as, "/inbox", "runs what was never released", "Drift: what runs is not what was released")
	if told := decode[api.Inbox](t, in.want(200, in.get(as, "/api/v1/inbox"))); len(told.Drifts) != 1 || told.Drifts[0].Server != "git" || !strings.HasSuffix(told.Drifts[0].URL, where) || told.Notices[0].Endpoint != told.Drifts[0].Endpoint {
		t.Errorf("the inbox of the API says %+v", told.Drifts)
	}
	in.says(sees, "/servers/git", "What runs now", "EU production")
	if body := in.want(200, in.get(sees, "/")).body; strings.Contains(body, "Drift:") {
		t.Error("a viewer is told what maintainers have to look at")
	}
	if body := in.want(200, in.get(sees, where)).body; strings.Contains(body, "Remove endpoint") || strings.Contains(body, "Known and meant?") || strings.Contains(body, "Open as a review") {
		t.Error("a viewer is offered what only a maintainer can do")
	}
	for _, page := range []string{where, "/servers/git/endpoints", "/servers/git", "/audit", "/api/v1/servers/git/endpoints"} {
		if strings.Contains(in.want(200, in.get(as, page)).body, "canary") {
			t.Errorf("%s shows the header's value", page)
		}
	}
	if a := in.want(http.StatusTooManyRequests, in.postForm(as, where+"/read", nil)); !strings.Contains(a.body, "a moment ago") {
		t.Error("too many readings are not explained")
	}

	// The same over the API.
	list := decode[api.Endpoints](t, in.want(200, in.get(as, "/api/v1/servers/git/endpoints")))
	if len(list.Endpoints) != 1 || list.Endpoints[0].State != "differs" || list.Endpoints[0].Drift == nil || list.Endpoints[0].Drift.Level != "high" || list.Endpoints[0].Release.Version != "0.9.0" {
		t.Fatalf("the API lists %+v", list)
	}
	e := list.Endpoints[0]
	drift := where + "/drifts/" + e.Drift.ID
	in.says(sees, "/servers/git/listings/"+e.Drift.Listing, "Read at", "EU production", "and never pushed", "steal")

	// Known: what was typed stays when something is wrong with it.
	stale := url.Values{"digest": {"sha256:" + strings.Repeat("1", 64)}, "days": {"3"}, "reason": {"The beta of May."}}
	if a := in.want(http.StatusConflict, in.postForm(as, drift+"/known", stale)); !strings.Contains(a.body, "The beta of May.") || !strings.Contains(a.body, "changed while you read") {
		t.Error("a stale word loses what was typed")
	}
	// What is typed meanwhile is kept, for who typed it and this drift.
	know := func(as who) *goquery.Selection { return in.get(as, where).html(t).Find("form[action$='/known']") }
	in.typedInto(as, know(as), url.Values{"days": {"5"}, "reason": {"The beta of Ma"}})
	if left := know(as); fields(left).Get("days") != "5" || fields(left).Get("reason") != "The beta of Ma" || !strings.Contains(text(left), "you left this here") || left.ParentsFiltered("details[open]").Length() != 1 {
		t.Errorf("what was left: %v, %s", fields(left), text(left))
	}
	other := in.signedIn(in.addUser("colleague", people.Maintainer, "git"))
	if left := fields(know(other)); left.Get("reason") != "" || left.Get("days") != "7" {
		t.Errorf("somebody else finds %v", left)
	}
	in.want(http.StatusSeeOther, in.postForm(as, "/servers/git/drafts/remove", fields(know(as))))
	if left := fields(know(as)); left.Get("reason") != "" {
		t.Errorf("dropped, it says %v", left)
	}
	unsaved := fields(know(as))
	unsaved.Set("reason", "Without a script.")
	if to := in.want(http.StatusSeeOther, in.postForm(as, "/servers/git/drafts", unsaved)).header.Get("Location"); to != where {
		t.Errorf("kept by a button, it leads to %s", to)
	}
	known := url.Values{"digest": {e.Digest}, "days": {"3"}, "reason": {"The beta of May."}, "kept": {fields(know(as)).Get("kept")}}
	in.want(http.StatusForbidden, in.postForm(sees, drift+"/known", known))
	in.want(http.StatusSeeOther, in.postForm(as, drift+"/known", known))
	in.says(as, where, "knows of this until", "The beta of May.", "drift, known")
	if body := in.want(200, in.get(as, "/")).body; strings.Contains(body, "Drift:") {
		t.Error("what is known is still on the first page")
	}
	in.want(http.StatusSeeOther, in.postForm(as, drift+"/unknown", nil))
	if left := fields(know(as)); left.Get("reason") != "" {
		t.Errorf("noted and taken back, the draft is still there: %v", left)
	}
	in.says(as, "/", "Drift:")

	to := in.want(http.StatusSeeOther, in.postForm(as, drift+"/review", nil)).header.Get("Location")
	if !strings.HasPrefix(to, "/releases/") {
		t.Fatalf("opened at %s", to)
	}
	in.says(as, to, "live EU production", "Blocked")

	// An outage is no drift, and changing keeps the headers unless they are dropped.
	in.now = in.now.Add(60_000_000_000)
	in.runs.fail(errors.New("dial tcp: connection refused"))
	in.want(http.StatusSeeOther, in.postForm(as, where+"/read", nil))
	in.says(as, where, "Not read since", "The last reading was a drift", "connection refused")
	form.Set("headers", "")
	in.want(http.StatusSeeOther, in.postForm(as, where, form))
	in.says(as, where, "Authorization")
	form.Set("drop", "yes")
	in.want(http.StatusSeeOther, in.postForm(as, where, form))
	if body := in.want(200, in.get(as, where)).body; strings.Contains(body, "Authorization</") {
		t.Error("the headers were not removed")
	}
	in.want(http.StatusSeeOther, in.postForm(as, where+"/remove", nil))
	if gone := text(in.want(http.StatusNotFound, in.get(as, where)).html(t).Find("main")); !strings.Contains(gone, "This endpoint is not here any more") || !strings.Contains(gone, "Add an endpoint") {
		t.Errorf("a notice of a removed endpoint leads to %q", gone)
	}
	in.addServer("other", gate.Team)
	in.want(http.StatusNotFound, in.get(in.signedIn(in.addUser("stranger", people.Viewer, "other")), where))
	in.says(as, "/servers/git/endpoints", "No endpoint yet.")
}

// says checks that a page holds words.
func (in *instance) says(as who, path string, words ...string) {
	in.t.Helper()
	a := in.want(200, in.get(as, path))
	text := strings.Join(strings.Fields(stripTags(a.body)), " ")
	for _, w := range words {
		if !strings.Contains(text, w) && !strings.Contains(a.body, w) {
			in.t.Errorf("%s does not say %q", path, w)
		}
	}
}

// stripTags leaves the text of a page.
func stripTags(html string) string {
	var b strings.Builder
	for rest := html; ; {
		before, after, found := strings.Cut(rest, "<")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		_, rest, _ = strings.Cut(after, ">")
		b.WriteByte(' ')
	}
}
