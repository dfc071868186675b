package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
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
