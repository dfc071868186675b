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

// typedInto keeps a form as a script does while somebody types, with some fields changed.
func (in *instance) typedInto(as who, form *goquery.Selection, change url.Values) answer {
	in.t.Helper()
	values := fields(form)
	values.Set("writer", "page")
	values.Set("count", "1")
	for name, v := range change {
		values[name] = v
	}
	return in.want(http.StatusOK, in.postForm(as, form.AttrOr("data-draft", ""), values))
}

// TestSettingsComeBackAsTheyWereLeft types into the forms of a server's settings and
// finds it in them again, until it is saved or dropped.
func TestSettingsComeBackAsTheyWereLeft(t *testing.T) {
	in := newInstance(t)
	in.addServer("git", gate.Team)
	in.release("git", "1", listing(tool("find", "Finds."), tool("find_one", "Finds one.")))
	mia, moe := in.signedIn(in.addUser("mia", people.Maintainer, "git")), in.signedIn(in.addUser("moe", people.Maintainer, "git"))
	const policy, aliases = "/servers/git/policy", "/servers/git/aliases"
	edit := func(as who) *goquery.Selection { return in.get(as, policy).html(t).Find("form.sheet") }

	in.typedInto(mia, edit(mia), url.Values{"teams": {"payments: mia@example.com"}, "days": {"90"}, "breaking.reason": {"yes"}})
	left := edit(mia)
	if got := text(left.Find("#teams")); got != "payments: mia@example.com" {
		t.Errorf("the teams are %q", got)
	}
	if got := left.Find("#days").AttrOr("value", ""); got != "90" {
		t.Errorf("the days are %q", got)
	}
	if said := text(left.Find(".note")); !strings.Contains(said, "Not saved: you left this here") {
		t.Errorf("it says %q", said)
	}
	if other := edit(moe); other.Find(".note").Length() > 0 || text(other.Find("#teams")) != "" {
		t.Error("somebody else sees it")
	}

	// Saved in between by somebody else: what was left is refused with what differs, and kept.
	between := fields(edit(moe))
	between.Set("ceiling", "9000")
	between.Set("act", "save")
	if a := in.postForm(moe, policy, between); a.status != http.StatusSeeOther {
		t.Fatal(a.status, text(a.html(t).Find("[role=alert]")), between)
	}
	values := fields(edit(mia))
	values.Set("act", "save")
	refused := in.want(http.StatusConflict, in.postForm(mia, policy, values)).html(t)
	if said := text(refused.Find("[role=alert]")); !strings.Contains(said, "ceiling") {
		t.Errorf("refused with %q", said)
	}
	values = fields(refused.Find("form.sheet"))
	values.Set("ceiling", "9000") // without it the policy asks for less, and would wait
	values.Set("act", "save")
	in.want(http.StatusSeeOther, in.postForm(mia, policy, values))
	if saved := edit(mia); saved.Find(".note").Length() > 0 || saved.Find("#days").AttrOr("value", "") != "90" {
		t.Errorf("after it was saved: %s", text(saved.Find(".note")))
	}

	// A text is kept beside the fields, and dropped by its own button.
	yaml := func() *goquery.Selection {
		return in.get(mia, policy).html(t).Find("form").Has("#yaml-text")
	}
	in.typedInto(mia, yaml(), url.Values{"yaml": {"preset: team\n# later"}})
	form := yaml()
	if got := form.Find("#yaml-text").Text(); !strings.Contains(got, "# later") {
		t.Errorf("the text is %q", got)
	}
	drop := form.Find("button[formaction$='/drafts/remove']").AttrOr("formaction", "")
	in.want(http.StatusSeeOther, in.postForm(mia, drop, fields(form)))
	if got := yaml().Find("#yaml-text").Text(); strings.Contains(got, "# later") {
		t.Errorf("dropped, the text is %q", got)
	}

	// An alias is refused with everything that was typed, and kept without a script too.
	names := func() *goquery.Selection { return in.get(mia, aliases).html(t).Find("form").Has("#alias-old") }
	typed := fields(names())
	for name, v := range map[string]string{"old": "find_one", "new": "find_one", "note": "Desktop clients\nkeep <b>listings</b>.", "until": "2027-03-31"} {
		typed.Set(name, v)
	}
	same := in.want(http.StatusBadRequest, in.postForm(mia, aliases, typed)).html(t)
	save := names().Find("noscript").Text()
	in.want(http.StatusSeeOther, in.postForm(mia, "/servers/git/drafts", typed))
	for what, form := range map[string]*goquery.Selection{"refused": same.Find("form").Has("#alias-old"), "kept": names()} {
		if got := fields(form); got.Get("old") != "find_one" || got.Get("until") != "2027-03-31" || got.Get("note") != typed.Get("note") {
			t.Errorf("%s: %v", what, got)
		}
	}
	if !strings.Contains(save, "/servers/git/drafts") {
		t.Errorf("without a script it offers %q", save)
	}
	typed = fields(names())
	typed.Set("new", "find")
	if a := in.postForm(mia, aliases, typed); a.status != http.StatusSeeOther {
		t.Fatal(a.status, text(a.html(t).Find("[role=alert]")))
	}
	if names().Find(".note").Length() > 0 {
		t.Error("a noted alias is still a draft")
	}

	// Two pages at once: both are there.
	one, two := names(), names()
	in.typedInto(mia, one, url.Values{"note": {"One."}})
	if a := in.typedInto(mia, two, url.Values{"note": {"Two."}, "writer": {"other"}}); !strings.Contains(a.body, `"copy":true`) {
		t.Errorf("the second page hears %s", a.body)
	}
	if said := text(names()); !strings.Contains(said, "in another page at the same time") || !strings.Contains(said, "note: Two.") {
		t.Errorf("it says %q", said)
	}

	vic := in.signedIn(in.addUser("vic", people.Viewer, "git"))
	in.want(http.StatusForbidden, in.postForm(vic, "/servers/git/drafts", typed))
	typed.Set("kept", "0 comment")
	in.want(http.StatusBadRequest, in.postForm(mia, "/servers/git/drafts", typed))
}
