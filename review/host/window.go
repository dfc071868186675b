package host

import (
	"fmt"
	"strings"
	"unicode"
)

// MovedBehind returns the sentences of next that the host's cut takes away, and that
// stood whole in front of it in old: an edit pushed them out of the window. A host
// that cuts nothing has none.
func (p *Profile) MovedBehind(old, next string) []string {
	return movedBehind(old, next, p.Description.Limit)
}

func movedBehind(old, next string, limit int) []string {
	if limit == 0 || utf16Len(next) <= limit {
		return nil
	}
	seen := map[string]bool{}
	for _, s := range sentences(cutUTF16(old, limit)) {
		seen[s] = true
	}
	if utf16Len(old) > limit { // the last one may be cut in its middle
		whole := map[string]bool{}
		for _, s := range sentences(old) {
			whole[s] = true
		}
		for s := range seen {
			seen[s] = whole[s]
		}
	}
	still := map[string]bool{}
	for _, s := range sentences(cutUTF16(next, limit)) {
		still[s] = true
	}
	var moved []string
	for _, s := range sentences(next) {
		if seen[s] && !still[s] {
			still[s] = true
			moved = append(moved, s)
		}
	}
	return moved
}

// longestWord is the length over which something without a space in it is no part of
// a sentence: a key, or a table of bytes.
const longestWord = 100

// sentences splits a text at line ends, after a full stop, a question mark or the
// like that a space follows, and after what is too long for a word.
func sentences(text string) []string {
	var out []string
	start := 0
	end := func(at int) {
		if s := strings.TrimSpace(text[start:at]); s != "" {
			out = append(out, s)
		}
		start = at
	}
	stop, word := false, 0
	for i, r := range text {
		space := unicode.IsSpace(r)
		if r == '\n' || space && (stop || i-word > longestWord) {
			end(i)
		}
		if space {
			word = i + 1
		}
		stop = r == '.' || r == '?' || r == '!' || r == '。' || r == '！' || r == '？'
	}
	end(len(text))
	return out
}

// window is a place at which a description is cut somewhere.
type window struct {
	limit int
	level Level
	who   string
}

// windows lists the cuts that matter for the host: its own, that of the provider,
// and those of other versions.
func (c *checkup) windows() []window {
	var all []window
	if l := c.r.p.Description.Limit; l > 0 {
		all = append(all, window{l, Warn, c.r.p.Name})
	}
	for _, d := range c.r.p.Doubts {
		if d.Limit > 0 {
			all = append(all, window{d.Limit, Info, "another version of " + c.r.p.Name})
		}
	}
	return all
}

// moved finds sentences that an edit pushed behind a cut.
func (c *checkup) moved(base *Surface) {
	windows := c.windows()
	if len(windows) == 0 {
		return
	}
	before := map[[2]string]string{}
	for _, sv := range base.servers {
		for _, t := range sv.tools {
			before[[2]string{sv.name, t.name}] = t.exact.get("description").string()
		}
	}
	for _, it := range c.r.sent() {
		old, known := before[[2]string{it.tool.server.name, it.tool.name}]
		if !known {
			continue
		}
		for _, w := range windows {
			for _, s := range movedBehind(old, it.tool.exact.get("description").string(), w.limit) {
				c.add(Issue{Tool: it.tool.name, Position: it.tool.position, Pointer: "/description", What: Truncated, Rule: RuleMoved, Level: w.level, item: it,
					Reason: fmt.Sprintf("%q was in front of the cut of %s at %d and is behind it now.", clip(s), w.who, w.limit)})
			}
		}
	}
}
