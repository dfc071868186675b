package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
)

// commentOn is the form that comments on a tool.
func (r *reviewed) commentOn(tool string) *goquery.Selection {
	r.t.Helper()
	row := r.get(r.rita, r.path+"?view=tools").html(r.t).Find("[data-row]").FilterFunction(func(_ int, s *goquery.Selection) bool {
		return strings.Contains(text(s), tool)
	})
	form := r.follow(r.rita, row.AttrOr("href", "")).html(r.t).Find("#comment form")
	if form.Find("[name=quote]").Length() != 1 {
		r.t.Fatalf("the form has no place for words: %s", text(form))
	}
	return form
}

// quoting is what a form sends about words of the description on a side.
func quoting(form *goquery.Selection, side, words, body string) url.Values {
	values := fieldsOf(form, "", "")
	values.Set("at", side+" /description")
	values.Set("quote", words)
	values.Set("body", body)
	values.Set("blocks", "yes")
	return values
}

// TestAWrongQuoteIsSaidAtItsField: words that do not stand there are refused beside their
// field, and all that was typed is there still; those that do are what the thread is about.
func TestAWrongQuoteIsSaidAtItsField(t *testing.T) {
	r := newReviewed(t)
	form := r.commentOn("find")
	to := form.AttrOr("action", "")
	doc := r.want(http.StatusUnprocessableEntity, r.postForm(r.rita, to, quoting(form, "old", "Refused for", "Since when?"))).html(t).Find("#comment form")
	field := doc.Find("[name=quote]")
	said := doc.Find("#" + strings.Fields(field.AttrOr("aria-describedby", "-"))[0])
	if got := text(said); !strings.Contains(got, "does not stand on the old side") || !strings.Contains(got, "Finds things.") || field.AttrOr("aria-invalid", "") != "true" || doc.Find(".fault").Length() != 1 {
		t.Errorf("said at the field: %q", got)
	}
	if got := doc.Find("[name=at] option[selected]").AttrOr("value", ""); field.Text() != "Refused for" || doc.Find("[name=body]").Text() != "Since when?" || got != "old /description" || doc.Find("[name=blocks][checked]").Length() != 1 {
		t.Errorf("kept: %q, %q at %q", field.Text(), doc.Find("[name=body]").Text(), got)
	}
	r.want(http.StatusSeeOther, r.postForm(r.rita, to, quoting(form, "new", " Refused for\r\n", "Since when?")))
	r.want(http.StatusSeeOther, r.postForm(r.rita, to, quoting(form, "old", "things", "It was shorter.")))
	page := r.get(r.rita, r.path+"?view=threads").html(t)
	for body, want := range map[string][2]string{"Since when?": {"Refused for", ""}, "It was shorter.": {"things", "on 1.0.0, as it was"}} {
		card := page.Find("[data-thread]").FilterFunction(func(_ int, s *goquery.Selection) bool { return strings.Contains(text(s), body) })
		if got := text(card.Find("blockquote")); got != want[0] || strings.Contains(text(card.Find("header")), "as it was") != (want[1] != "") || !strings.Contains(text(card.Find("header")), want[1]) {
			t.Errorf("the thread is about %q: %s", got, text(card))
		}
	}
	if list := text(r.get(r.rita, "/threads").html(t).Find("main")); !strings.Contains(list, "description, as it was") || !strings.Contains(list, "Since when?") {
		t.Errorf("the list of threads: %s", list)
	}
}

// TestQuotedWordsAreKeptInTheDraft: so are they beside a text that is looked at. Words
// alone wait, and keep nothing else from being published.
func TestQuotedWordsAreKeptInTheDraft(t *testing.T) {
	r := newReviewed(t)
	form := r.commentOn("find")
	keep := func(words, body, count string) {
		t.Helper()
		values := quoting(form, "new", words, body)
		values.Set("writer", "page")
		values.Set("count", count)
		r.want(http.StatusOK, r.postForm(r.rita, form.AttrOr("data-draft", ""), values))
		if again := r.commentOn("find"); again.Find("[name=quote]").Text() != words || again.Find("[name=body]").Text() != body {
			t.Errorf("the form holds %q and %q", again.Find("[name=quote]").Text(), again.Find("[name=body]").Text())
		}
	}
	keep("Finds", "", "1")
	if desk := text(r.get(r.rita, r.path+"/desk").html(t).Find("main")); !strings.Contains(desk, "Finds") || strings.Contains(desk, "publish 1 draft") {
		t.Errorf("words alone: %s", desk)
	}
	keep("Refused for", "Since when?", "2")
	checked := quoting(form, "new", "Refused", "Say.")
	checked.Set("suggest", "Finds.")
	asked := r.want(http.StatusOK, r.postForm(r.rita, form.Find("[data-check]").AttrOr("data-check", ""), checked)).html(t).Find("#comment form")
	if got := asked.Find("[name=quote]").Text(); got != "Refused" {
		t.Errorf("beside a text that is looked at stands %q", got)
	}
	r.want(http.StatusSeeOther, r.postForm(r.rita, r.path+"/drafts/publish", nil))
	if got := text(r.get(r.rita, r.path+"?view=threads").html(t).Find("[data-thread] blockquote")); got != "Refused for" {
		t.Errorf("published about %q", got)
	}
}
