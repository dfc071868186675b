package web

import (
	"bytes"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/microcosm-cc/bluemonday"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"

	"github.com/countersign/countersign/review/prose"
)

// Comments are Markdown. HTML in them is text like any other; what goldmark makes
// goes through a policy of ours all the same. There are no images: they would tell
// a stranger who reads.
var (
	commonmark    = sync.OnceValue(func() goldmark.Markdown { return renderedBy(plainly{}) })
	ownMarkdown   = sync.OnceValue(func() goldmark.Markdown { return renderedBy(plainly{own: true}) })
	commentPolicy = sync.OnceValue(newCommentPolicy)
)

func renderedBy(p plainly) goldmark.Markdown {
	return goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.Linkify, extension.TaskList),
		goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(p, 1))))
}

func newCommentPolicy() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements("p", "br", "hr", "em", "strong", "del", "ins", "code", "pre", "blockquote", "ul", "ol", "li",
		"details", "summary", "h1", "h2", "h3", "h4", "h5", "h6", "table", "thead", "tbody", "tr", "th", "td")
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

// plainly writes out what a comment may not hold as anything but text: HTML, images,
// and links that lead elsewhere than to a page or a mailbox.
type plainly struct {
	own bool // the text is a changelog of ours, which marks words and keeps names apart from mentions
}

// ownTags are what the Markdown of a changelog writes as HTML; everybody else's text is
// escaped in it.
var ownTags = map[string]string{"<ins>": "<ins>", "</ins>": "</ins>", "<del>": "<del>", "</del>": "</del>", "<!-- -->": ""}

func (p plainly) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindRawHTML, p.inline)
	r.Register(ast.KindHTMLBlock, p.block)
	r.Register(ast.KindImage, p.image)
	r.Register(ast.KindLink, p.link)
}

func (p plainly) inline(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	raw := n.(*ast.RawHTML).Segments.Value(source)
	if tag, ok := ownTags[string(raw)]; ok && p.own {
		_, err := w.WriteString(tag)
		return ast.WalkSkipChildren, err
	}
	_, err := w.Write(util.EscapeHTML(raw))
	return ast.WalkSkipChildren, err
}

// ownBlocks are the lines that fold a long list of tools in a changelog.
var ownBlocks = regexp.MustCompile(`^(<details><summary>\d+ tools</summary>|</details>)$`)

func (p plainly) block(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	b := n.(*ast.HTMLBlock)
	text := b.Lines().Value(source)
	if b.HasClosure() {
		text = append(text, b.ClosureLine.Value(source)...)
	}
	if line := bytes.TrimSpace(text); p.own && ownBlocks.Match(line) {
		_, err := w.Write(line)
		return ast.WalkContinue, err
	}
	_, err := w.WriteString("<pre>" + string(util.EscapeHTML(text)) + "</pre>\n")
	return ast.WalkContinue, err
}

// image shows what stands for the picture, and where it is.
func (plainly) image(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		return ast.WalkContinue, nil
	}
	return ast.WalkContinue, address(w, n.(*ast.Image).Destination)
}

func (plainly) link(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	to := n.(*ast.Link).Destination
	var err error
	switch {
	case !leadsOut(to) && !entering:
		err = address(w, to)
	case !leadsOut(to):
	case entering:
		_, err = w.WriteString(`<a href="` + string(util.EscapeHTML(util.URLEscape(to, true))) + `">`)
	default:
		_, err = w.WriteString("</a>")
	}
	return ast.WalkContinue, err
}

func address(w util.BufWriter, to []byte) error {
	_, err := w.WriteString(" (" + string(util.EscapeHTML(to)) + ")")
	return err
}

// leadsOut reports whether a comment may link to an address.
func leadsOut(to []byte) bool {
	u, err := url.Parse(string(to))
	return err == nil && slices.Contains([]string{"https", "http", "mailto"}, u.Scheme)
}

// markdown makes a comment into HTML that is safe to print. Hidden characters are
// written out before Markdown sees them.
func markdown(body string) string { return rendered(commonmark(), body) }

// changelogHTML does the same with a changelog, or a migration note, of ours.
func changelogHTML(text string) string { return rendered(ownMarkdown(), text) }

func rendered(md goldmark.Markdown, body string) string {
	var b bytes.Buffer
	if err := md.Convert([]byte(visibleText(body)), &b); err != nil {
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
