package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/people"
)

// TestPurgePage: who administers sees what a purge reaches before it is done; the
// maintainer of a server can't, and nothing of the text is in the audit.
func TestPurgePage(t *testing.T) {
	const secret = "sk-live-0f1e2d3c4b5a"
	in := newInstance(t)
	in.addServer("git", gate.Team)
	ada, mia := in.signedIn(in.addUser("ada", people.Admin, "")), in.signedIn(in.addUser("mia", people.Maintainer, "git"))
	pushed := in.pushed("git", "version=1.0.0", listing(tool("find", "Uses "+secret+" for now.")))
	raw := "/api/v1/listings/" + pushed.Listing.ID + "/raw"
	form := url.Values{"text": {secret}, "reason": {"a token of production"}}
	in.want(http.StatusForbidden, in.get(mia, "/purge"))
	in.want(http.StatusForbidden, in.postForm(mia, "/purge", form))
	in.want(http.StatusForbidden, in.postJSON(mia, "/api/v1/purge", `{"text":"`+secret+`","reason":"a token of production"}`))

	if page := in.want(http.StatusOK, in.get(ada, "/purge")).body; strings.Contains(page, "Purge it") {
		t.Error("it can be purged before anybody saw what that reaches")
	}
	tried := in.want(http.StatusOK, in.postForm(ada, "/purge", form)).html(t)
	if got := text(tried.Find("main")); !strings.Contains(got, "It would reach 1 listing.") || tried.Find("button[value=purge]").Length() != 1 || tried.Find("#purge-text").Text() != secret {
		t.Errorf("a try shows %s", got)
	}
	if !strings.Contains(in.get(ada, raw).body, secret) {
		t.Fatal("a try purged")
	}
	form.Set("act", "purge")
	done := in.want(http.StatusOK, in.postForm(ada, "/purge", form))
	if got := text(done.html(t).Find("main")); !strings.Contains(got, "It reached 1 listing.") || strings.Contains(done.body, secret) {
		t.Errorf("the answer shows %s", got)
	}
	if strings.Contains(in.get(ada, raw).body, secret) {
		t.Error("the text is still there")
	}
	if audit := in.get(ada, "/audit").body; !strings.Contains(audit, "text.purge") || strings.Contains(audit, secret) {
		t.Error("the audit has no purge, or the text")
	}
	again := in.want(http.StatusOK, in.postJSON(ada, "/api/v1/purge", `{"text":"`+secret+`","reason":"a token of production","dry_run":true}`))
	if !strings.Contains(again.body, `"listings":[]`) {
		t.Errorf("a second one reaches %s", again.body)
	}
	form.Set("reason", "it had "+secret)
	if got := in.want(http.StatusBadRequest, in.postForm(ada, "/purge", form)).body; !strings.Contains(got, "say why without it") {
		t.Errorf("a reason with the text in it: %s", got)
	}
}
