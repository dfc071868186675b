package web

import (
	"bytes"
	"strings"
	"sync"

	"github.com/microcosm-cc/bluemonday"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"

	"github.com/countersign/countersign/review/prose"
)

// Comments are Markdown. goldmark runs without raw HTML, which it leaves out; what
// it makes goes through a policy of ours all the same. There are no images: they
// would tell a stranger who reads.
var (
	commonmark = sync.OnceValue(func() goldmark.Markdown {
		return goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.Linkify, extension.TaskList))
	})
	commentPolicy = sync.OnceValue(newCommentPolicy)
)

func newCommentPolicy() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements("p", "br", "hr", "em", "strong", "del", "code", "pre", "blockquote", "ul", "ol", "li",
		"h1", "h2", "h3", "h4", "h5", "h6", "table", "thead", "tbody", "tr", "th", "td")
	p.AllowAttrs("start").Matching(bluemonday.Integer).OnElements("ol")
	p.AllowAttrs("align").Matching(bluemonday.CellAlign).OnElements("th", "td")
	p.AllowAttrs("type").Matching(bluemonday.SpaceSeparatedTokens).OnElements("input")
	p.AllowAttrs("checked", "disabled").OnElements("input")
	p.AllowAttrs("href").OnElements("a")
	p.AllowURLSchemes("https", "http", "mailto")
	p.RequireParseableURLs(true)
	p.RequireNoReferrerOnLinks(true)
	p.RequireNoFollowOnLinks(true)
	return p
}

// markdown makes a comment into HTML that is safe to print. Hidden characters are
// written out before Markdown sees them.
func markdown(body string) string {
	var b bytes.Buffer
	if err := commonmark().Convert([]byte(visibleText(body)), &b); err != nil {
		return "" // a bytes.Buffer does not fail
	}
	return commentPolicy().Sanitize(headingsLower(b.String()))
}

func visibleText(s string) string {
	v := prose.Show(s)
	if !v.HasHidden() {
		return s
	}
	return v.String()
}

// headingsLower keeps headings of a comment from standing above those of the page:
// they become strong paragraphs.
func headingsLower(html string) string { return headingTags.Replace(html) }

var headingTags = strings.NewReplacer(
	"<h1>", "<p><strong>", "</h1>", "</strong></p>", "<h2>", "<p><strong>", "</h2>", "</strong></p>",
	"<h3>", "<p><strong>", "</h3>", "</strong></p>", "<h4>", "<p><strong>", "</h4>", "</strong></p>",
	"<h5>", "<p><strong>", "</h5>", "</strong></p>", "<h6>", "<p><strong>", "</h6>", "</strong></p>",
)
