package web_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/people"
)

// fields reads a form as a browser would send it.
func fields(form *goquery.Selection) url.Values {
	v := url.Values{}
	form.Find("input[name], textarea[name], select[name]").Each(func(_ int, e *goquery.Selection) {
		name, _ := e.Attr("name")
		kind, _ := e.Attr("type")
		_, checked := e.Attr("checked")
		switch {
		case goquery.NodeName(e) == "textarea":
			v.Add(name, strings.TrimPrefix(e.Text(), "\n"))
		case goquery.NodeName(e) == "select":
			v.Add(name, e.Find("option[selected]").AttrOr("value", ""))
		case kind != "checkbox" && kind != "radio" || checked:
			v.Add(name, e.AttrOr("value", ""))
		}
	})
	return v
}

func (in *instance) policyForm(as who) url.Values {
	in.t.Helper()
	return fields(in.want(200, in.get(as, "/servers/git/policy")).html(in.t).Find("form.form").First())
}

func (in *instance) policy() gate.Policy {
	in.t.Helper()
	v, err := in.svc.Policy(in.t.Context(), shell, "git")
	in.must(err)
	return v.Server.Policy
}

// TestPolicyForm edits every line of a policy by its form, then sends the form as it
// stands: nothing changes.
func TestPolicyForm(t *testing.T) {
	in := newInstance(t)
	in.addServer("git", gate.Team)
	mia := in.signedIn(in.addUser("mia", people.Maintainer, "git"))
	in.addUser("ben", people.Reviewer, "git")
	form := in.policyForm(mia)
	for name, value := range map[string]string{
		"act": "save", "wording.approvals": "2", "wording.reason": "yes", "owner.1.people": "mia@example.org", "owner.1.teams": "pay", "owner.1.names": "pay_*, refund_*",
		"owner.1.class": "breaking", "teams": "pay: ben@example.org", "families": "billing: inv_*,\tpay_*\r\n", "finding_severity": "high", "rules": "desc.no-when: off\nparam.*: info", "days": "30", "ceiling": "9000",
		"growth": "100", "host": "codex", "all_threads_block": "yes", "order_asks": "yes", "no_shell_tokens": "yes", "bound_deliveries_only": "yes",
	} {
		form.Set(name, value)
	}
	in.want(303, in.postForm(mia, "/servers/git/policy", form))
	want, err := gate.ParseYAML([]byte(`
preset: team
lines: {wording: {approvals: 2, reason: true}}
owners: [{people: [mia@example.org], teams: [pay], names: ["pay_*", "refund_*"], classes: [breaking]}]
teams: {pay: [ben@example.org]}
families: {billing: ["inv_*", "pay_*"]}
finding_severity: high
rules: {desc.no-when: off, param.*: info}
destructive_expiry_days: 30
limits: {ceiling: 9000, growth: 100, hosts: [codex]}
all_threads_block: true
order_asks: true
no_shell_tokens: true
bound_deliveries_only: true
`))
	in.must(err)
	if got := in.policy(); got.Version != 2 || len(got.Differences(want)) > 0 {
		t.Errorf("version %d: %+v", got.Version, got.Differences(want))
	}
	again := in.policyForm(mia)
	again.Set("act", "save")
	in.want(303, in.postForm(mia, "/servers/git/policy", again))
	if got := in.policy(); got.Version != 2 || len(got.Differences(want)) > 0 {
		t.Errorf("sent as it stands: version %d, %+v", got.Version, got.Differences(want))
	}
	again = in.policyForm(mia)
	again.Set("owner.1.remove", "yes")
	again.Set("preset", "external")
	in.want(303, in.postForm(mia, "/servers/git/policy", again))
	got := in.policy()
	breaking, _ := got.Row(gate.RowBreaking)
	wording, _ := got.Row(gate.RowWording)
	if got.Version != 3 || len(got.Owners) > 0 || breaking != (gate.Line{Approvals: 1}) || wording.Approvals != 2 {
		t.Errorf("another preset: lines of its own stay and the others follow: %+v", got)
	}
}

// TestPolicyRefused: whatever was typed is there again, with why.
func TestPolicyRefused(t *testing.T) {
	in := newInstance(t)
	in.addServer("git", gate.Team)
	mia, max := in.signedIn(in.addUser("mia", people.Maintainer, "git")), in.signedIn(in.addUser("max", people.Maintainer, "git"))
	form := in.policyForm(mia)
	for name, c := range map[string]struct {
		field, value string
		status       int
		says         string
	}{
		"nobody": {"wording.approvals", "3", 409, "2 people may decide here (max and mia). Add 1 reviewer first"},
		"who":    {"owner.1.people", "gus@example.org", 409, "gus@example.org"},
		"number": {"days", "soon", 400, "days"},
		"line":   {"breaking.approvals", "", 400, "lines/breaking"},
		"rule":   {"rules", "desc.now-hen: off", 400, "the nearest is desc.no-when"},
		"word":   {"rules", "desc.no-when: off, info", 400, "wants one of"},
		"team":   {"teams", "no colon", 400, "no colon"},
		"host":   {"host", "nohost", 400, "nohost"},
	} {
		bad := url.Values{}
		for k, v := range form {
			bad[k] = slices.Clone(v)
		}
		bad.Set(c.field, c.value)
		bad.Set("growth", "77")
		doc := in.want(c.status, in.postForm(mia, "/servers/git/policy", bad)).html(t)
		if got := text(doc.Find("[role=alert]")); !strings.Contains(got, c.says) {
			t.Errorf("%s: %q", name, got)
		}
		if kept := fields(doc.Find("form.form").First()); kept.Get("growth") != "77" || c.field != "host" && kept.Get(c.field) != c.value {
			t.Errorf("%s: what was typed is lost: %v", name, kept)
		}
	}
	other := in.policyForm(max)
	other.Set("order_asks", "yes")
	in.want(303, in.postForm(max, "/servers/git/policy", other))
	form.Set("wording.reason", "yes")
	form.Set("act", "save")
	doc := in.want(409, in.postForm(mia, "/servers/git/policy", form)).html(t)
	if got := text(doc.Find("[role=alert]")); !strings.Contains(got, "changed while you wrote") || !strings.Contains(got, "order_asks") {
		t.Errorf("two editors: %s", got)
	}
	kept := fields(doc.Find("form.form").First())
	if kept.Get("wording.reason") != "yes" || kept.Get("version") != "2" {
		t.Errorf("two editors: %v", kept)
	}
	in.want(400, in.postForm(mia, "/servers/git/policy", url.Values{"version": {"2"}, "yaml": {"preset: team\nquorum: 3\n"}}))
}

// TestPolicyLoosened: an edit that asks for less waits, is shown, and is agreed to by
// somebody else.
func TestPolicyLoosened(t *testing.T) {
	in := newInstance(t)
	in.addServer("git", gate.Team)
	mia, max := in.signedIn(in.addUser("mia", people.Maintainer, "git")), in.signedIn(in.addUser("max", people.Maintainer, "git"))
	vic := in.signedIn(in.addUser("vic", people.Viewer, "git"))
	in.release("git", "1", before)
	in.pushed("git", "version=2", listing(tool("find", "Finds all things."), tool("drop", "Drops things."), tool("list", "Lists things.")))
	form := in.policyForm(mia)
	form.Set("preset", "solo")
	tried := in.want(200, in.postForm(mia, "/servers/git/policy/try", form)).html(t)
	if got := text(tried.Find("#tried").Parent()); !strings.Contains(got, "asks for less") || !strings.Contains(got, "2 ") || in.policy().Version != 1 {
		t.Errorf("tried: %s", got)
	}
	in.want(200, in.postForm(vic, "/servers/git/policy/try", url.Values{"yaml": {"preset: solo\n"}}))
	form.Set("act", "save")
	in.want(303, in.postForm(mia, "/servers/git/policy", form))
	mine := in.get(mia, "/servers/git/policy").html(t)
	if got := text(mine.Find("#waiting").Parent()); !strings.Contains(got, "You wrote this version") || !strings.Contains(got, "Take it back") || strings.Contains(got, "Agree to") {
		t.Errorf("the author sees: %s", got)
	}
	if got := text(in.get(vic, "/servers/git/policy").html(t).Find("main")); !strings.Contains(got, "wording: passes by rule") || strings.Contains(got, "Refuse") {
		t.Errorf("a viewer sees: %s", got)
	}
	if a := in.postForm(mia, "/servers/git/policy/decide", url.Values{"version": {"2"}, "agree": {"yes"}}); a.status != http.StatusForbidden {
		t.Errorf("the author agrees: %d", a.status)
	}
	button := in.get(max, "/servers/git/policy").html(t).Find("#waiting").Parent().Find("button[value=yes]")
	if button.Length() != 1 {
		t.Fatal("nobody can agree")
	}
	in.want(303, in.postForm(max, "/servers/git/policy/decide", url.Values{"version": {"2"}, "agree": {"yes"}}))
	history := text(in.get(vic, "/servers/git/policy").html(t).Find("#versions").Parent())
	if in.policy().Preset != gate.JustMe || !strings.Contains(history, "Written by mia, agreed by max") || !strings.Contains(history, "a teamjust me") {
		t.Errorf("history: %s", history)
	}
}

// TestPolicyAsYAML: what is exported can be imported.
func TestPolicyAsYAML(t *testing.T) {
	in := newInstance(t)
	in.addServer("git", gate.Team)
	mia := in.signedIn(in.addUser("mia", people.Maintainer, "git"))
	a := in.want(200, in.get(mia, "/servers/git/policy/yaml"))
	if got := a.header.Get("Content-Disposition"); got != `attachment; filename="git-policy-1.yaml"` {
		t.Errorf("downloads as %q", got)
	}
	text := strings.Replace(a.body, "order_asks: false", "order_asks: true", 1)
	in.want(303, in.postForm(mia, "/servers/git/policy", url.Values{"version": {"1"}, "yaml": {text}}))
	if got := in.policy(); !got.Order || got.Version != 2 {
		t.Errorf("imported: %+v", got)
	}
}
