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
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/web/api"
)

// typing is a form as a script sends it while somebody types.
func typing(kept, text, count string) url.Values {
	return url.Values{"kept": {kept}, "body": {text}, "writer": {"page"}, "count": {count}}
}

// TestTypedTextComesBack types into forms of a release and finds it in them again.
func TestTypedTextComesBack(t *testing.T) {
	p, callers := newPlace(t, listing(tool("entity_get", "Reads one entity.")))
	as, at := admin(callers), "/releases/"+p.release
	a := p.want(http.StatusOK, p.postForm(as, at+"/drafts", typing("0 comment ", "Why\r\nthis?", "1")))
	if !strings.Contains(a.body, `comment "`) || !strings.Contains(a.body, `"copy":false`) {
		t.Errorf("answered %s", a.body)
	}
	note := typing("0 verdict "+p.change, "", "1")
	note["item"], note["note"], note["subject"] = []string{p.change}, []string{"Read twice."}, []string{"entity_get"}
	p.want(http.StatusOK, p.postForm(as, at+"/drafts", note))
	if got := p.get(as, at+"?view=threads").html(t).Find("#comment-body").Text(); got != "Why\nthis?" {
		t.Errorf("the comment is %q", got)
	}
	tool := p.get(as, at+"?view=tools&tool="+p.change).html(t)
	if got := tool.Find("form.answer textarea").Text(); got != "Read twice." {
		t.Errorf("the note is %q", got)
	}
	desk := text(p.get(as, at+"/desk").html(t).Find("main"))
	for _, want := range []string{"Why this?", "Read twice.", "note on entity_get"} {
		if !strings.Contains(desk, want) {
			t.Errorf("the desk lacks %q: %s", want, desk)
		}
	}
	// What was sent is no draft any more.
	kept := tool.Find("form.answer input[name=kept]").AttrOr("value", "")
	p.want(http.StatusSeeOther, p.postForm(as, at+"/verdicts", url.Values{"item": {p.change}, "verdict": {"approve"}, "note": {"Read twice."}, "kept": {kept}}))
	if desk := text(p.get(as, at+"/desk").html(t).Find("main")); strings.Contains(desk, "Read twice.") {
		t.Errorf("the note is still a draft: %s", desk)
	}
}

// gateOf is the gate's answer to the release of a place.
func gateOf(p *place, as who) api.GateAnswer {
	p.t.Helper()
	return decode[api.GateAnswer](p.t, p.want(http.StatusOK, p.get(as, "/api/v1/servers/git/gate?digest="+url.QueryEscape(p.digest))))
}

// TestAnswersAreKeptUntilTheReviewIsFinished drafts answers over the buttons of two
// forms, one of which asks for several edits at once, and publishes both in one.
func TestAnswersAreKeptUntilTheReviewIsFinished(t *testing.T) {
	p, callers := newPlace(t, listing(tool("entity_get", "Reads one entity.")))
	as, at := admin(callers), "/releases/"+p.release
	ask := p.get(as, at+"?view=tools&tool="+p.change).html(t).Find("form.answer")
	then := ask.Find("button[name=draft]")
	if got := text(then); !strings.Contains(got, "Approve then") || !strings.Contains(got, "Reject then") {
		t.Fatalf("the form keeps no answers: %s", got)
	}
	values := url.Values{"item": {p.change}, "subject": {"entity_get"}, "note": {"Read twice."}, "kept": {"0 verdict " + p.change}, "draft": {"approve"}}
	p.want(http.StatusSeeOther, p.postForm(as, then.AttrOr("formaction", ""), values))
	if g := gateOf(p, as); g.Gate != "blocked" {
		t.Errorf("a draft is counted: the gate says %s", g.Gate)
	}
	again := p.get(as, at+"?view=tools&tool="+p.change).html(t).Find("form.answer")
	if got := text(again); !strings.Contains(got, "Kept: approve") {
		t.Errorf("the form does not say what is kept: %s", got)
	}
	// A script that keeps the note as it is typed takes the answer along.
	typed := url.Values{"writer": {"page"}, "count": {"1"}, "item": {p.change}, "note": {"Read thrice."}}
	for _, name := range []string{"kept", "drafted", "subject"} {
		typed.Set(name, again.Find("[name="+name+"]").AttrOr("value", ""))
	}
	p.want(http.StatusOK, p.postForm(as, at+"/drafts", typed))
	desk := p.get(as, at+"/desk").html(t)
	if got := text(desk.Find("section[aria-labelledby=drafts]")); !strings.Contains(got, "approve on entity_get") || !strings.Contains(got, "Read thrice.") || !strings.Contains(got, "publish 1 draft") {
		t.Errorf("the desk: %s", got)
	}
	p.want(http.StatusSeeOther, p.postForm(as, at+"/drafts/publish", nil))
	if g := gateOf(p, as); g.Gate != "pass" || len(g.Approvals) != 1 || g.Approvals[0].Note != "Read thrice." {
		t.Errorf("published: %+v", g)
	}
}

// TestAnAnswerThatWouldBeRefusedIsNotKept: that a reason is missing is said by the
// button that keeps the answer, in its form, and not when the review is finished.
func TestAnAnswerThatWouldBeRefusedIsNotKept(t *testing.T) {
	in := newInstance(t)
	in.addServer("git", gate.Team)
	in.release("git", "1", listing(tool("entity_get", "Reads one entity."), tool("entity_set", "Writes one entity.")))
	as := in.signedIn(in.addUser("rita", people.Reviewer, "git"))
	p := in.pushed("git", "version=2", listing(tool("entity_get", "Reads one entity.")))
	at := "/releases/" + p.Release.ID
	item := in.get(as, at).html(t).Find("form.answer input[name=item]").AttrOr("value", "")
	values := url.Values{"item": {item}, "subject": {"entity_set"}, "kept": {"0 verdict " + item}, "draft": {"approve"}}
	a := in.want(http.StatusBadRequest, in.postForm(as, at+"/drafts", values))
	if !strings.Contains(a.html(t).Find("form.answer").Text(), "asks for a reason") {
		t.Error("the form does not say that a reason is missing")
	}
	if n := in.get(as, at+"/desk").html(t).Find("form[action$='/drafts/publish']").Length(); n != 0 {
		t.Error("the answer was kept")
	}
	values.Set("note", "Nobody calls it.")
	in.want(http.StatusSeeOther, in.postForm(as, at+"/drafts", values))
	in.want(http.StatusSeeOther, in.postForm(as, at+"/drafts/publish", nil))
}

// TestDraftOfSeveralItems keeps all that a form asks for, not the first of it.
func TestDraftOfSeveralItems(t *testing.T) {
	p, callers := newPlace(t, listing(tool("entity_get", "Reads one entity."), tool("entity_set", "Writes one entity.")))
	as, at := admin(callers), "/releases/"+p.release
	doc := p.get(as, at).html(t)
	var items []string
	doc.Find("form.answer input[name=item]").Each(func(_ int, in *goquery.Selection) {
		if item := in.AttrOr("value", ""); !slices.Contains(items, item) {
			items = append(items, item)
		}
	})
	if len(items) < 2 {
		t.Fatalf("the page asks for %q", items)
	}
	p.want(http.StatusSeeOther, p.postForm(as, at+"/drafts", url.Values{"item": items, "kept": {"0 verdict several"}, "draft": {"approve"}}))
	p.want(http.StatusSeeOther, p.postForm(as, at+"/drafts/publish", nil))
	if g := gateOf(p, as); g.Gate != "pass" {
		t.Errorf("published: %+v", g)
	}
}

// TestEditingAComment changes one's own comment by its form, and reads what it said.
func TestEditingAComment(t *testing.T) {
	p, callers := newPlace(t, listing(tool("entity_get", "Reads one entity.")))
	as, at := admin(callers), "/releases/"+p.release
	p.want(http.StatusSeeOther, p.postForm(as, at+"/threads", url.Values{"body": {"Why *that*?"}}))
	form := p.get(as, at+"?view=threads").html(t).Find("form[action$='/edit']")
	if got := form.Find("textarea").Text(); got != "Why *that*?" {
		t.Fatalf("the form holds %q", got)
	}
	edit := form.AttrOr("action", "")
	values := url.Values{"comment": {form.Find("[name=comment]").AttrOr("value", "")}, "body": {"Why\r\n*this*?"}}
	var other who
	for _, c := range callers {
		if c.name == "reviewer" {
			other = c.as
		}
	}
	if n := p.get(other, at+"?view=threads").html(t).Find("form[action$='/edit']").Length(); n != 0 {
		t.Error("others are offered to edit it")
	}
	p.want(http.StatusForbidden, p.postForm(other, edit, values))
	p.want(http.StatusSeeOther, p.postForm(as, edit, values))
	a := p.want(http.StatusOK, p.get(other, edit+"s"))
	if got := text(a.html(t).Find("main")); !strings.Contains(got, "Says nowWhy *this*?") || !strings.Contains(got, "Why *that*?") || strings.Contains(a.body, "U+000D") {
		t.Errorf("the texts: %s", got)
	}
	if a := p.get(other, at+"?view=threads"); !strings.Contains(a.body, "Why\n<em>this</em>?") || a.html(t).Find("a[href='"+edit+"s']").Length() != 1 {
		t.Error("the thread does not say that the comment was edited")
	}
}

// TestSuggestionIsLookedAt asks what a text would bring by a button, as a script does
// and by the API.
func TestSuggestionIsLookedAt(t *testing.T) {
	p, callers := newPlace(t, listing(tool("entity_get", "Reads one entity.")))
	as, at := admin(callers), "/releases/"+p.release
	page := p.get(as, at+"?view=tools&tool="+p.change+"&at=/description").html(t)
	text := page.Find("textarea[name=suggest]")
	mark := text.Closest("form").Find("[name=filled]").AttrOr("value", "")
	if text.Text() != "Reads one entity." || mark == "" {
		t.Errorf("the box begins with %q", text.Text())
	}
	// A box that nobody touched is no suggestion, wherever the comment goes.
	for _, where := range []string{"new /description", "new "} {
		p.want(http.StatusSeeOther, p.postForm(as, at+"/threads", url.Values{"on": {p.change}, "at": {where}, "body": {"Fine."}, "suggest": {text.Text()}, "filled": {mark}}))
	}
	if n := strings.Count(p.get(as, at+"?view=threads").body, "Suggested text"); n != 0 {
		t.Errorf("%d suggestions that nobody made", n)
	}
	p.want(http.StatusSeeOther, p.postForm(as, at+"/threads", url.Values{"on": {p.change}, "at": {"new /description"}, "body": {"So."}, "suggest": {"Reads one."}, "filled": {mark}}))
	if n := strings.Count(p.get(as, at+"?view=threads").body, "Suggested text"); n != 1 {
		t.Errorf("%d suggestions, want the one that was made", n)
	}
	values := url.Values{"on": {p.change}, "at": {"new /description"}, "body": {"Better:"}, "suggest": {"Reads one entity\u200b. Use it when the id is known."}}
	checked := p.want(http.StatusOK, p.postForm(as, text.AttrOr("data-check", ""), values)).html(t)
	form := checked.Find("textarea[name=suggest]").Closest("form")
	if got := form.Find("ul.checked").Text(); !strings.Contains(got, "U+200B") || !strings.Contains(got, "more than now") || !strings.Contains(got, "New, ") {
		t.Errorf("the page says %q", got)
	}
	if form.Find("[name=body]").Text() != "Better:" || form.Find("[name=suggest]").Text() != values.Get("suggest") {
		t.Error("what was typed is lost")
	}
	values.Set("script", "yes")
	lines := decode[struct {
		Lines []views.CheckLine `json:"lines"`
	}](t, p.want(http.StatusOK, p.postForm(as, text.AttrOr("data-check", ""), values))).Lines
	if len(lines) < 3 || lines[0].Tone != "bad" {
		t.Errorf("a script is told %v", lines)
	}
	for _, l := range lines {
		if strings.HasPrefix(l.Text, "New, info, ") && l.Tone != views.Plain {
			t.Errorf("what could be better is told as %s: %s", l.Tone, l.Text)
		}
	}
	// Who asks about an empty box begins with what stands there.
	values.Set("suggest", "")
	begun := decode[struct {
		Lines  []views.CheckLine `json:"lines"`
		Now    string            `json:"now"`
		Filled string            `json:"filled"`
	}](t, p.want(http.StatusOK, p.postForm(as, text.AttrOr("data-check", ""), values)))
	if begun.Now != "Reads one entity." || begun.Filled != mark || len(begun.Lines) != 0 {
		t.Errorf("an empty box: %+v", begun)
	}
	values.Set("at", "new ")
	if a := p.postForm(as, text.AttrOr("data-check", ""), values); a.status != http.StatusBadRequest {
		t.Errorf("a text for no place: %d", a.status)
	}
	got := decode[api.SuggestionCheck](t, p.want(http.StatusOK, p.postJSON(as, "/api/v1"+at+"/suggestions/check",
		`{"anchor":{"tool":"entity_get","pointer":"/description"},"text":"Reads one entity\u200b."}`)))
	if len(got.Hidden) != 1 || got.Hidden[0].Name != "ZERO WIDTH SPACE" || got.TokensNow == 0 || !strings.Contains(string(got.Findings), `"unicode.zero-width"`) || got.Findings[0] != '[' {
		t.Errorf("the API says %+v", got)
	}
}

// TestSignedOutText gives back what was sent by somebody who is not signed in any
// more, with a way to send it again.
func TestSignedOutText(t *testing.T) {
	p, _ := newPlace(t, listing(tool("entity_get", "Reads one entity.")))
	a := p.want(http.StatusUnauthorized, p.postForm(nobody, "/releases/"+p.release+"/threads", url.Values{"body": {"A long thought."}, "at": {"new /description"}}))
	doc := a.html(t)
	if got := doc.Find("main textarea").Text(); got != "A long thought." {
		t.Errorf("given back: %q", got)
	}
	again := doc.Find("main form")
	if again.AttrOr("action", "") == "" || again.Find("[name=at]").AttrOr("value", "") != "new /description" || again.Find("[name=body]").AttrOr("value", "") != "A long thought." {
		t.Errorf("what would be sent again: %s", text(again))
	}
}
