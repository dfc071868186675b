package report

import (
	"strings"

	"github.com/countersign/countersign/review/prose"
)

// Line makes untrusted text safe for one line of a terminal or of a log that a CI
// runner reads: hidden characters are labelled, line ends are written out, and
// what a runner would take for a command ("::error::", "##vso[") is broken up.
func Line(s string) string {
	s = lineEnds.Replace(prose.Show(s).String())
	return apart(apart(s, ":", `\`), "#", `\`)
}

// longestName is how much of a name or a reason a line shows, in characters: a name may
// be as long as a listing.
const longestName = 500

// ShortLine is [Line] of what may be very long, cut with a mark.
func ShortLine(s string) string { return Line(cut(s, longestName)) }

// cut is at most so many characters of s, with a mark where something is missing.
func cut(s string, most int) string {
	n := 0
	for i := range s {
		if n++; n > most {
			return s[:i] + "…"
		}
	}
	return s
}

var lineEnds = strings.NewReplacer("\r\n", `\n`, "\n", `\n`, "\r", `\r`, "\t", `\t`)

// apart puts something between every two neighbours of one character.
func apart(s, c, between string) string {
	for strings.Contains(s, c+c) {
		s = strings.ReplaceAll(s, c+c, c+between+c)
	}
	return s
}

// Markdown makes untrusted text safe inside a paragraph of Markdown: it renders as
// the same characters, hidden ones labelled. Nothing in it is markup, HTML, a
// link, a mention or a reference to an issue.
func Markdown(s string) string {
	return apart(markdown.Replace(strings.Join(strings.Fields(prose.Show(s).String()), " ")), ":", split)
}

// A comment between two characters keeps GitHub and GitLab from reading them
// together: an escape would not, since they look for mentions in rendered text.
const split = "<!-- -->"

var markdown = strings.NewReplacer(
	"<", "&lt;", ">", "&gt;", "&", "&amp;",
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "(", `\(`, ")", `\)`,
	"{", `\{`, "}", `\}`, "|", `\|`, "~", `\~`, "!", `\!`, "$", `\$`, "+", `\+`, "-", `\-`, "=", `\=`,
	"://", ":"+split+"//",
	"@", "@"+split, "#", "#"+split, "www.", "www"+split+".",
)

// Sentence makes a sentence of a report safe inside Markdown. Names stand between
// backticks in it and become code spans. Somebody else's text may hold backticks too:
// whatever they enclose is safe as code, and the rest as text.
func Sentence(s string) string {
	parts := strings.Split(s, "`")
	if len(parts)%2 == 0 {
		return Markdown(s)
	}
	var b strings.Builder
	for i, p := range parts {
		switch before, after := edgeBlanks(p); {
		case i%2 == 1 && strings.TrimSpace(p) != "":
			b.WriteString(Code(p))
		case i%2 == 1:
			b.WriteString("\\`" + before + "\\`")
		default:
			b.WriteString(before + Markdown(p) + after)
		}
	}
	return strings.TrimSpace(b.String())
}

// Code makes untrusted text safe inside a code span of Markdown, delimiters
// included.
func Code(s string) string {
	s = Line(s)
	ticks := strings.Repeat("`", longestRun(s, '`')+1)
	if s == "" || len(ticks) > 1 || s[0] == ' ' {
		return ticks + " " + s + " " + ticks
	}
	return ticks + s + ticks
}

func longestRun(s string, c byte) int {
	longest, run := 0, 0
	for i := range len(s) {
		if s[i] != c {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}
