package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/people"
	"github.com/countersign/countersign/web/api"
)

// The lines of docs/security.md that the workflow's own tests play on both databases,
// here by the forms of the pages and by the API: two ways in, one answer.

// reviewBench is a server whose version 1 is released, with people who work on it.
type reviewBench struct {
	*instance
	rita, rob, mia, max, ada who
}

func newReviewBench(t *testing.T) *reviewBench {
	in := newInstance(t)
	in.addServer("git", gate.Team)
	in.release("git", "1", before)
	sign := func(name string, role people.Role) who { return in.signedIn(in.addUser(name, role, "git")) }
	return &reviewBench{
		instance: in, rita: sign("rita", people.Reviewer), rob: sign("rob", people.Reviewer), mia: sign("mia", people.Maintainer), max: sign("max", people.Maintainer),
		ada: in.signedIn(in.addUser("ada", people.Admin, "")),
	}
}

// finds is version 1 with another description of find.
func finds(text string) string {
	return listing(tool("find", text), tool("drop", "Drops things."), tool("list", "Lists things."))
}

// gateSays asks the gate as CI does.
func (b *reviewBench) gateSays(p api.PushAnswer) api.GateAnswer {
	b.t.Helper()
	return decode[api.GateAnswer](b.t, b.want(http.StatusOK, b.get(b.mia, "/api/v1/servers/git/gate?digest="+url.QueryEscape(p.Listing.Digest))))
}

// changed is the one change of a release.
func (b *reviewBench) changed(p api.PushAnswer) string {
	b.t.Helper()
	d := decode[struct {
		Changes []struct {
			ID string `json:"id"`
		} `json:"changes"`
	}](b.t, b.get(b.mia, "/api/v1/releases/"+p.Release.ID+"/changes"))
	if len(d.Changes) != 1 {
		b.t.Fatalf("%d changes", len(d.Changes))
	}
	return d.Changes[0].ID
}

// personOf is the path of somebody's account, as the page of people has it.
func (b *reviewBench) personOf(name string) string {
	b.t.Helper()
	at := ""
	b.get(b.ada, "/people").html(b.t).Find("main li").Each(func(_ int, li *goquery.Selection) {
		if link, ok := li.Find("a[href$='/answers']").Attr("href"); ok && strings.Contains(li.Text(), name+"@") {
			at = strings.TrimSuffix(link, "/answers")
		}
	})
	if at == "" {
		b.t.Fatalf("the page of people has no %s", name)
	}
	return at
}

// ways say something of a release over a form of its page, and over the API.
func (b *reviewBench) ways(as who, p api.PushAnswer, form string, fields url.Values, call, body string) map[string]func() answer {
	return map[string]func() answer{
		"form": func() answer { return b.postForm(as, "/releases/"+p.Release.ID+"/"+form, fields) },
		"API":  func() answer { return b.postJSON(as, "/api/v1/releases/"+p.Release.ID+"/"+call, body) },
	}
}

func approval(change string) (url.Values, string) {
	return url.Values{"item": {change}, "verdict": {"approve"}, "note": {"Read."}}, `{"items":[{"change":"` + change + `","verdict":"approve","note":"Read."}]}`
}

// TestAcceptance01OwnCommit: CI pushed her commit, and she approves it. It is kept,
// marked, not counted, and the page and the gate say why.
func TestAcceptance01OwnCommit(t *testing.T) {
	b := newReviewBench(t)
	for n, way := range []string{"form", "API"} {
		p := b.pushed("git", "author=rita@example.org&version=2."+string(rune('0'+n)), finds("Finds all things, the "+way+"."))
		fields, body := approval(b.changed(p))
		if a := b.ways(b.rita, p, "verdicts", fields, "verdicts", body)[way](); a.status >= 400 {
			t.Fatalf("%s: %d %s", way, a.status, a.body)
		}
		g := b.gateSays(p)
		if g.Gate != "blocked" || len(g.Requirements) != 1 || !strings.Contains(g.Requirements[0].Why, "by rita does not count") {
			t.Errorf("%s: %+v", way, g)
		}
		if page := text(b.get(b.mia, "/releases/"+p.Release.ID).html(t).Find("main")); !strings.Contains(page, "by rita does not count") {
			t.Errorf("%s: the page does not say why: %s", way, page)
		}
		b.want(http.StatusOK, b.postJSON(b.rob, "/api/v1/releases/"+p.Release.ID+"/verdicts", body))
		if g := b.gateSays(p); g.Gate != "pass" {
			t.Errorf("%s: after another approved it: %+v", way, g.Requirements)
		}
	}
}

// TestAcceptance05PreviousPush: what was shown of an earlier push is answered too late:
// 409, nothing stored, and the note is still there.
func TestAcceptance05PreviousPush(t *testing.T) {
	b := newReviewBench(t)
	p := b.pushed("git", "version=2", finds("Finds all things."))
	fields, body := approval(b.changed(p))
	p = b.pushed("git", "version=2", finds("Finds every thing."))
	for way, send := range b.ways(b.rita, p, "verdicts", fields, "verdicts", body) {
		a := send()
		if a.status != http.StatusConflict || !strings.Contains(a.body, "changed while you read") || way == "form" && !strings.Contains(a.body, "Read.") {
			t.Errorf("%s: %d %s", way, a.status, a.body)
		}
	}
	if g := b.gateSays(p); g.Gate != "blocked" || !strings.HasPrefix(g.Requirements[0].Why, "Needs an approval") {
		t.Errorf("stored all the same: %+v", g)
	}
}

// TestAcceptance10WithdrawnForCause: withdrawn for cause and pushed again is blocked.
func TestAcceptance10WithdrawnForCause(t *testing.T) {
	for _, way := range []string{"form", "API"} {
		b := newReviewBench(t)
		p := b.pushed("git", "version=2", finds("Finds all things."))
		_, body := approval(b.changed(p))
		b.want(http.StatusOK, b.postJSON(b.rita, "/api/v1/releases/"+p.Release.ID+"/verdicts", body))
		b.want(http.StatusOK, b.postJSON(b.mia, "/api/v1/releases/"+p.Release.ID+"/release", `{"digest":"`+p.Listing.Digest+`"}`))
		send := b.ways(b.mia, p, "withdraw", url.Values{"reason": {"It sends mail."}, "cause": {"yes"}, "for_cause": {"yes"}}, "withdraw", `{"reason":"It sends mail.","for_cause":true}`)[way]
		if a := send(); a.status >= 400 {
			t.Fatalf("%s: %d %s", way, a.status, a.body)
		}
		again := b.pushed("git", "version=3", finds("Finds all things."))
		if g := b.gateSays(again); g.Gate != "blocked" || len(g.Requirements) == 0 || !strings.Contains(g.Requirements[0].Why, "Withdrawn for cause: It sends mail.") {
			t.Errorf("%s: %+v", way, g)
		}
	}
}

// TestAcceptance12ApproverRevoked: what an account answered is taken back, and from
// then on what stood on it is blocked; a released version raises an alarm.
func TestAcceptance12ApproverRevoked(t *testing.T) {
	b := newReviewBench(t)
	approved := func(version, text string) api.PushAnswer {
		p := b.pushed("git", "version="+version, finds(text))
		_, body := approval(b.changed(p))
		b.want(http.StatusOK, b.postJSON(b.rita, "/api/v1/releases/"+p.Release.ID+"/verdicts", body))
		if g := b.gateSays(p); g.Gate != "pass" {
			t.Fatalf("approved: %+v", g)
		}
		return p
	}
	released := approved("2", "Finds all things.")
	b.want(http.StatusOK, b.postJSON(b.mia, "/api/v1/releases/"+released.Release.ID+"/release", `{"digest":"`+released.Listing.Digest+`"}`))
	open := approved("3", "Finds every thing.")
	rita := b.personOf("rita") + "/answers"
	values := url.Values{"since": {"2020-01-01T00:00"}, "reason": {"The account was phished."}}
	b.want(http.StatusForbidden, b.postForm(b.mia, rita, values))
	if a := b.postForm(b.ada, rita, values); a.status != http.StatusSeeOther {
		t.Fatalf("%s: %d %s", rita, a.status, text(a.html(t).Find("main")))
	}
	if g := b.gateSays(open); g.Gate != "blocked" || !strings.HasPrefix(g.Requirements[0].Why, "Needs an approval") {
		t.Errorf("the open release: %+v", g)
	}
	if g := b.gateSays(released); len(g.Alarms) != 1 {
		t.Errorf("the released one raises no alarm: %+v", g)
	}
	if n := b.get(b.mia, "/releases/"+released.Release.ID).html(t).Find("#alarm").Length(); n != 1 {
		t.Error("the page of the released version shows no alarm")
	}
}

// TestAcceptance13RejecterLeft: a rejection stays when its account is disabled, until a
// maintainer takes it back with a reason.
func TestAcceptance13RejecterLeft(t *testing.T) {
	for _, way := range []string{"form", "API"} {
		b := newReviewBench(t)
		p := b.pushed("git", "version=2", finds("Finds all things."))
		change := b.changed(p)
		at := "/api/v1/releases/" + p.Release.ID + "/verdicts"
		b.want(http.StatusOK, b.postJSON(b.rita, at, `{"items":[{"change":"`+change+`","verdict":"reject","note":"It lies."}]}`))
		b.want(http.StatusSeeOther, b.postForm(b.ada, b.personOf("rita")+"/disable", nil))
		_, yes := approval(change)
		b.want(http.StatusOK, b.postJSON(b.rob, at, yes))
		if g := b.gateSays(p); g.Gate != "blocked" || !strings.Contains(g.Requirements[0].Why, "It lies.") {
			t.Errorf("%s: the rejection is gone with its account: %+v", way, g)
		}
		back := func(as who, note string) answer {
			fields := url.Values{"item": {change}, "verdict": {"withdraw"}, "note": {note}}
			return b.ways(as, p, "verdicts", fields, "verdicts", `{"items":[{"change":"`+change+`","verdict":"withdraw","note":"`+note+`"}]}`)[way]()
		}
		back(b.rob, "She left.") // takes back what rob said himself, and nothing else
		if g := b.gateSays(p); !strings.Contains(g.Requirements[0].Why, "It lies.") {
			t.Errorf("%s: a reviewer took it back: %+v", way, g)
		}
		if a := back(b.mia, ""); a.status < 400 {
			t.Errorf("%s: without a reason: %d", way, a.status)
		}
		if a := back(b.mia, "She left, and it is true."); a.status >= 400 {
			t.Errorf("%s: a maintainer can't take it back: %d %s", way, a.status, a.body)
		}
		if g := b.gateSays(p); g.Gate == "blocked" && strings.Contains(g.Requirements[0].Why, "It lies.") {
			t.Errorf("%s: taken back: %+v", way, g)
		}
	}
}

// TestAcceptance14AuthorLoosens: whoever loosens the policy waits for a second person,
// and the release that is open asks as before.
func TestAcceptance14AuthorLoosens(t *testing.T) {
	b := newReviewBench(t)
	p := b.pushed("git", "version=2&author=mia@example.org", finds("Finds all things."))
	a := b.want(http.StatusAccepted, b.postJSON(b.mia, "/api/v1/servers/git/policy", `{"version":1,"yaml":"preset: solo\n"}`))
	if v := decode[api.PolicyVersion](t, a); v.State != "proposed" {
		t.Errorf("by the API it is %s", v.State)
	}
	b.problem("who wrote it", b.postJSON(b.mia, "/api/v1/servers/git/policy/decide", `{"version":2,"agree":true}`), http.StatusForbidden)
	if g := b.gateSays(p); g.Gate != "blocked" {
		t.Errorf("the open release is %s", g.Gate)
	}
	b.want(http.StatusOK, b.postJSON(b.max, "/api/v1/servers/git/policy/decide", `{"version":2,"agree":true}`))
	if g := b.gateSays(p); g.Gate != "blocked" {
		t.Errorf("agreed to, it reaches a release that was open: %s", g.Gate)
	}
}

// TestAcceptance15NewRevision: an override is of one digest.
func TestAcceptance15NewRevision(t *testing.T) {
	b := newReviewBench(t)
	const why = "Customers can't pay, see incident 17."
	for n, way := range []string{"form", "API"} {
		version := "version=2." + string(rune('0'+n))
		p := b.pushed("git", version, finds("Finds all things, the "+way+"."))
		fields := url.Values{"digest": {p.Listing.Digest}, "policy": {"1"}, "hours": {"1"}, "reason": {why}, "requirement": {"approval:find"}}
		body := `{"digest":"` + p.Listing.Digest + `","policy_version":1,"reason":"` + why + `"}`
		if a := b.ways(b.ada, p, "override", fields, "override", body)[way](); a.status >= 400 {
			t.Fatalf("%s: %d %s", way, a.status, a.body)
		}
		if g := b.gateSays(p); g.Gate != "pass" || len(g.Overrides) != 1 {
			t.Fatalf("%s: %+v", way, g)
		}
		next := b.pushed("git", version, finds("Finds every thing, the "+way+"."))
		if g := b.gateSays(next); g.Gate != "blocked" || len(g.Overrides) != 0 {
			t.Errorf("%s: the next revision is %+v", way, g)
		}
	}
}
