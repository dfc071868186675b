package web

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/prose"
	"github.com/countersign/countersign/views"
)

// mostPlaces is how many places of one tool are shown.
const mostPlaces = 3

func (s *Server) searchPage(c echo.Context) error {
	query := prose.Show(strings.TrimSpace(c.QueryParam("q"))).String()
	if utf8.RuneCountInString(query) > 200 {
		return review.Errorf(review.Invalid, "Search for at most 200 characters.")
	}
	f, err := s.svc.Search(c.Request().Context(), s.actor(c), c.QueryParam("q"))
	if err != nil {
		return err
	}
	m := views.SearchPage{Page: s.page(c, "Search", "search"), Query: query, Sum: foundSum(f, query)}
	switch {
	case len(f.Words) == 0:
		m.Hint = views.Say("Every word has to be in the tool or the comment.")
	case len(f.Tools)+len(f.Threads)+len(f.Servers) == 0:
		m.Hint = views.Say("The newest version of every profile is searched: names, descriptions and properties of its tools, and all threads. Try fewer letters.")
	}
	for i := range f.Servers {
		m.Servers = append(m.Servers, serverCrumb(&f.Servers[i]))
	}
	for i := range f.Tools {
		m.Tools = append(m.Tools, foundTool(&f.Tools[i], f.Words))
	}
	for i := range f.Threads {
		m.Threads = append(m.Threads, s.foundThread(&f.Threads[i], f.Words))
	}
	const more = "There are more than %d. Add a word to narrow them down."
	if f.MoreTools {
		m.MoreT = fmt.Sprintf(more, len(f.Tools))
	}
	if f.MoreThreads {
		m.MoreC = fmt.Sprintf(more, len(f.Threads))
	}
	return s.render(c, http.StatusOK, views.Search(m))
}

// foundSum says what was found.
func foundSum(f *review.Found, query string) views.Sentence {
	if len(f.Words) == 0 {
		return views.Say("What are you looking for?")
	}
	var parts []string
	for _, n := range []struct {
		n         int
		more      bool
		one, many string
	}{{len(f.Servers), false, "server", "servers"}, {len(f.Tools), f.MoreTools, "tool", "tools"}, {len(f.Threads), f.MoreThreads, "comment", "comments"}} {
		if n.n == 0 {
			continue
		}
		part := plural(n.n, n.one, n.many)
		if n.more {
			part = "more than " + part
		}
		parts = append(parts, part)
	}
	if len(parts) == 0 {
		return views.Say("Nothing that you can see holds " + quoted(query) + ".")
	}
	holds := " hold "
	if len(f.Servers)+len(f.Tools)+len(f.Threads) == 1 {
		holds = " holds "
	}
	text := enumerated(parts, " and ")
	return views.Say(strings.ToUpper(text[:1]) + text[1:] + holds + quoted(query) + ".")
}

func foundTool(t *review.FoundTool, words []string) views.FoundTool {
	out := views.FoundTool{
		URL:  path([]string{"servers", t.Server.Slug, "listings", t.ListingID}, "tool", strconv.Itoa(t.Position)),
		Name: marked(views.ShowName(toolName(t.Name, t.Position)), words), Server: views.ShowName(t.Server.Name), Profile: profileName(t.Profile, review.DefaultProfile),
		LineageURL: path([]string{"servers", t.Server.Slug, "tool"}, "name", t.Name, "profile", t.Profile),
	}
	for i, text := range t.Texts {
		if i == mostPlaces {
			out.More = "and " + plural(len(t.Texts)-i, "more place", "more places")
			break
		}
		out.Texts = append(out.Texts, views.FoundText{Place: placeName(text.Pointer), Text: excerpt(text.Text, words)})
	}
	return out
}

func (s *Server) foundThread(t *review.FoundThread, words []string) views.FoundThread {
	out := views.FoundThread{
		URL:    releasePath(t.Thread.ReleaseID, "view", viewThreads) + "#t-" + t.Thread.ID,
		Server: views.ShowName(t.Server.Name), Release: views.ShowName(t.Release), Place: placeName(t.Thread.Anchor.Pointer),
		Text: excerpt(t.Comment.Body, words), When: s.when(t.Comment.At),
	}
	switch {
	case t.Thread.Anchor.Tool != "":
		out.About = views.ShowName(t.Thread.Anchor.Tool)
	case t.Thread.Anchor.Pointer == "":
		out.Place = "the whole release"
	}
	out.Place = sided(out.Place, &t.Thread)
	if !t.Thread.Open() {
		out.State = "resolved"
	}
	return out
}

// Bytes around the first hit that an excerpt shows.
const (
	excerptBefore = 80
	excerptAfter  = 180
)

// excerpt is what stands around the first hit, with all hits in it marked.
func excerpt(text string, words []string) []views.Mark {
	hits := review.Hits(text, words)
	if len(hits) == 0 {
		return marked(prose.Show(cut(text, 0, min(len(text), excerptBefore+excerptAfter))), words)
	}
	return marked(prose.Show(cut(text, hits[0][0]-excerptBefore, hits[0][1]+excerptAfter)), words)
}

// cut takes bytes from and to of a text, at the bounds of words where there are any
// near, and says by an ellipsis what it left out.
func cut(text string, from, to int) string {
	before, after := "… ", " …"
	if from <= 0 {
		from, before = 0, ""
	} else if i := strings.IndexAny(text[from:min(len(text), from+40)], " \n\t"); i >= 0 {
		from += i + 1
	}
	if to >= len(text) {
		to, after = len(text), ""
	} else if i := strings.LastIndexAny(text[max(from, to-40):to], " \n\t"); i >= 0 {
		to = max(from, to-40) + i
	}
	for from < len(text) && !utf8.RuneStart(text[from]) {
		from++
	}
	for to < len(text) && !utf8.RuneStart(text[to]) {
		to++
	}
	return before + text[from:max(from, to)] + after
}

// marked cuts a text at its hits. It was made visible whole: a space is suspicious at
// the end of a name, and not beside a word that was looked for.
func marked(shown prose.Visible, words []string) []views.Mark {
	var out []views.Mark
	text, rest, at := shown.Raw(), shown, 0
	take := func(to int, hit bool) {
		var piece prose.Visible
		piece, rest = rest.Cut(to - at)
		if len(piece) > 0 {
			out = append(out, views.Mark{Text: piece, Hit: hit})
			at += len(piece.Raw())
		}
	}
	for _, h := range review.Hits(text, words) {
		take(h[0], false)
		take(h[1], true)
	}
	take(len(text), false)
	return out
}
