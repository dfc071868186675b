package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/people"
)

// look sends the form that chooses base and host, as a browser without scripts does.
func (in *instance) look(as who, doc *goquery.Document, choose url.Values) answer {
	in.t.Helper()
	form := doc.Find(".look form")
	if form.Length() != 1 || form.Find("button").Length() != 1 {
		in.t.Fatal("there is nothing to choose")
	}
	values := fieldsOf(form, "", "")
	for name, v := range choose {
		values[name] = v
	}
	return in.get(as, form.AttrOr("action", "")+"?"+values.Encode())
}

// optionOf is the value of the option of a select that begins with a text.
func optionOf(t *testing.T, doc *goquery.Document, id, label string) string {
	t.Helper()
	for _, o := range doc.Find("#" + id + " option").EachIter() {
		if strings.HasPrefix(text(o), label) {
			return o.AttrOr("value", "none")
		}
	}
	t.Fatalf("%s offers no %q: %s", id, label, text(doc.Find("#"+id)))
	return ""
}

// TestLookFromAnotherBase: a release is looked at from any version, in the same page and
// with the tool that was open, and decided from the gate base alone.
func TestLookFromAnotherBase(t *testing.T) {
	in := newInstance(t)
	in.addServer("git", gate.Team)
	in.release("git", "2", listing(tool("find", "Finds it."), tool("list", "Lists.")))
	in.pushed("git", "version=1", listing(tool("find", "Finds."), tool("list", "Lists.")))
	at := "/releases/" + in.pushed("git", "version=3", listing(tool("find", "Finds it."), tool("list", "Lists all."))).Release.ID
	rita := in.signedIn(in.addUser("rita", people.Reviewer, "git"))

	page := in.get(rita, at).html(t)
	if got := text(page.Find("#look-base [selected]")); got != "2, the gate base" {
		t.Errorf("the base is %q", got)
	}
	one := optionOf(t, page, "look-base", "1")
	if gateBase := optionOf(t, page, "look-base", "2"); gateBase != "" {
		t.Errorf("the gate base has the address %q", gateBase)
	}
	var tools string
	for _, row := range in.get(rita, at+"?view=tools").html(t).Find("[data-row]").EachIter() {
		if strings.Contains(text(row), "list") {
			tools = row.AttrOr("href", "")
		}
	}
	open := in.get(rita, tools).html(t)

	from := in.want(http.StatusOK, in.look(rita, open, url.Values{"base": {one}})).html(t)
	if said := text(from.Find(".look .note")); !strings.Contains(said, "You look from 1. Nothing is decided here: decisions are taken from 2, the gate base.") {
		t.Errorf("it says %q", said)
	}
	if name := text(from.Find("#tool-name")); name != "list" {
		t.Errorf("the tool that is open is %q", name)
	}
	if n := from.Find("[data-row]").Length(); n != 2 {
		t.Errorf("%d changes from 1, want both tools", n)
	}
	if from.Find("form[action$='/verdicts'], form[action$='/threads']").Length() > 0 {
		t.Error("something can be decided or said from another base")
	}
	if got, want := text(from.Find("[data-part=gate] strong")), text(open.Find("[data-part=gate] strong")); got != want {
		t.Errorf("the gate says %q, from its base %q", got, want)
	}
	for _, row := range from.Find("[data-row]").EachIter() {
		href := row.AttrOr("href", "")
		if !strings.Contains(href, "base="+one) || !strings.HasPrefix(href, at) {
			t.Errorf("a tool leads to %s", href)
		}
		in.want(http.StatusOK, in.get(rita, href))
	}
	back := in.want(http.StatusOK, in.get(rita, from.Find(".look .note a").AttrOr("href", ""))).html(t)
	if text(back.Find("#tool-name")) != "list" || back.Find("form.answer").Length() == 0 {
		t.Errorf("back from it %q is open, with %d forms of answers", text(back.Find("#tool-name")), back.Find("form.answer").Length())
	}

	in.addServer("other", gate.Team)
	alien := in.pushed("other", "version=1", listing(tool("find", "Finds."))).Listing.ID
	in.want(http.StatusNotFound, in.get(rita, at+"?base="+alien))
	in.want(http.StatusNotFound, in.get(rita, at+"?base=none"))
}

// TestLookThroughAHost: the tool that is open is shown as a host sends it, and the next
// one too.
func TestLookThroughAHost(t *testing.T) {
	in := newInstance(t)
	in.addServer("git", gate.Team)
	in.release("git", "1", listing(tool("find", "Finds."), tool("drop", "Drops."), tool("list", "Lists.")))
	at := "/releases/" + in.pushed("git", "version=2", listing(tool("find", "Finds it."), tool("list", "Lists."))).Release.ID
	rita := in.signedIn(in.addUser("rita", people.Reviewer, "git"))

	page := in.want(http.StatusOK, in.look(rita, in.get(rita, at).html(t), url.Values{"lens": {"claude-code"}})).html(t)
	if got := text(page.Find("#look-lens [selected]")); got != "Claude Code" {
		t.Errorf("the host is %q", got)
	}
	opened := map[string]string{}
	for _, row := range page.Find("[data-row], .plain a").EachIter() {
		doc := in.want(http.StatusOK, in.get(rita, row.AttrOr("href", ""))).html(t)
		opened[text(doc.Find("#tool-name"))] = text(doc.Find("#tool [aria-labelledby=lens]"))
	}
	for name, want := range map[string]string{"find": "mcp__git__find", "list": "mcp__git__list", "drop": "Nothing of this is sent"} {
		if !strings.Contains(opened[name], want) {
			t.Errorf("%s through the host: %q", name, opened[name])
		}
	}
	if raw := in.look(rita, page, url.Values{"lens": {""}}).html(t); raw.Find("#tool [aria-labelledby=lens]").Length() > 0 || raw.Find("form.answer").Length() == 0 {
		t.Error("raw is not what the server lists")
	}
	if page.Find("form.answer").Length() == 0 {
		t.Error("nothing can be decided through a host")
	}
	in.want(http.StatusNotFound, in.get(rita, at+"?lens=nobody"))
}
