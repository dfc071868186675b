package web

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/countersign/countersign/review/change"
	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/prose"
	"github.com/countersign/countersign/review/surface"
	"github.com/countersign/countersign/views"
)

// plural counts things: "1 tool", "22 tools", "1,204 tools".
func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return thousands(n) + " " + many
}

func toolCount(n int) string { return plural(n, "tool", "tools") }

func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// when is a moment for people: how long ago, or how long until.
func when(now, t time.Time) views.When {
	if t.IsZero() {
		return views.When{}
	}
	t = t.UTC()
	return views.When{
		Text:  distance(now, t),
		Exact: t.Format("2 January 2006, 15:04 UTC"),
		ISO:   t.Format(time.RFC3339),
	}
}

func (s *Server) when(t time.Time) views.When { return when(s.opt.Now(), t) }

// ago is when as text alone, for sentences.
func (s *Server) ago(t time.Time) string { return s.when(t).Text }

var units = []struct {
	size      time.Duration
	one, many string
}{
	{365 * 24 * time.Hour, "a year", "years"},
	{30 * 24 * time.Hour, "a month", "months"},
	{7 * 24 * time.Hour, "a week", "weeks"},
	{24 * time.Hour, "a day", "days"},
	{time.Hour, "an hour", "hours"},
	{time.Minute, "a minute", "minutes"},
}

func distance(now, t time.Time) string {
	d := now.Sub(t).Abs()
	for _, u := range units {
		n := int(d / u.size)
		switch {
		case n == 0:
			continue
		case n == 1 && now.After(t):
			return u.one + " ago"
		case n == 1:
			return "in " + u.one
		case now.After(t):
			return fmt.Sprintf("%d %s ago", n, u.many)
		}
		return fmt.Sprintf("in %d %s", n, u.many)
	}
	if now.Before(t) {
		return "in a moment"
	}
	return "a moment ago"
}

// day is a date in a sentence: "3 November", with the year when it is another.
func (s *Server) day(t time.Time) string {
	if t.UTC().Year() == s.opt.Now().UTC().Year() {
		return t.UTC().Format("2 January")
	}
	return t.UTC().Format("2 January 2006")
}

// quoted sets a name of a listing as code in a sentence for [views.Say].
func quoted(name string) string { return "`" + strings.ReplaceAll(name, "`", "'") + "`" }

// path builds an address of ours: segments are escaped, pairs become the query.
// Empty values are left out.
func path(segments []string, pairs ...string) string {
	var b strings.Builder
	for _, s := range segments {
		b.WriteString("/" + url.PathEscape(s))
	}
	q := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			q.Set(pairs[i], pairs[i+1])
		}
	}
	if len(q) > 0 {
		b.WriteString("?" + q.Encode())
	}
	return b.String()
}

func serverPath(slug string, pairs ...string) string {
	return path([]string{"servers", slug}, pairs...)
}

func releasePath(id string, pairs ...string) string { return path([]string{"releases", id}, pairs...) }

// listingPath is the page of a listing. It names the server too, so that a
// listing has one address under the server that it is of.
func listingPath(slug, id string, pairs ...string) string {
	return path([]string{"servers", slug, "listings", id}, pairs...)
}

func comparePath(slug, from, to string) string {
	return path([]string{"servers", slug, "compare"}, "from", from, "to", to)
}

// profileName is nil for the profile that nobody needs to be told of.
func profileName(name, usual string) prose.Visible {
	if name == usual {
		return nil
	}
	return views.ShowName(name)
}

// gateBar shows an answer of the gate with its sentence.
func gateBar(r gate.Result, why string, sub ...string) views.GateBar {
	b := views.GateBadge(r)
	return views.GateBar{Tone: b.Tone, Icon: b.Icon, Why: views.Say(why), Sub: sub}
}

// classesByStrength is the order in which counts are shown.
var classesByStrength = []change.Class{change.Breaking, change.Undecided, change.Behaviour, change.Text, change.Compatible}

func countBadges(counts map[change.Class]int) []views.CountBadge {
	var out []views.CountBadge
	for _, c := range classesByStrength {
		if n := counts[c]; n > 0 {
			out = append(out, views.CountBadge{Badge: views.ClassBadge(c), N: thousands(n)})
		}
	}
	return out
}

var problemLooks = map[surface.Level]views.Problem{
	surface.LevelError:   {Tone: views.Bad, Icon: "cross"},
	surface.LevelWarning: {Tone: views.Warn, Icon: "bang"},
	surface.LevelInfo:    {Tone: views.Plain, Icon: "info"},
}

// problems shows what is wrong with a payload and where.
func problems(list []surface.Problem) []views.Problem {
	var out []views.Problem
	for _, p := range list {
		v := problemLooks[p.Level]
		v.Level, v.Code, v.Message = string(p.Level), p.Code, views.Say(p.Message)
		if p.Tool != "" {
			v.Tool = views.ShowName(p.Tool)
		}
		if p.Line > 0 {
			v.Where = append(v.Where, fmt.Sprintf("line %d, column %d", p.Line, p.Column))
		}
		if p.Position > 0 {
			v.Where = append(v.Where, fmt.Sprintf("position %d", p.Position))
		}
		if p.Pointer != "" {
			v.Where = append(v.Where, "at "+prose.Show(p.Pointer).String())
		}
		out = append(out, v)
	}
	return out
}

// positions writes a list of positions in short: "12, 28–29".
func positions(list []int) string {
	var b strings.Builder
	for i := 0; i < len(list); {
		j := i
		for j+1 < len(list) && list[j+1] == list[j]+1 {
			j++
		}
		if b.Len() > 0 {
			b.WriteString(", ")
		}
		b.WriteString(strconv.Itoa(list[i]))
		if j > i {
			b.WriteString("–" + strconv.Itoa(list[j]))
		}
		i = j + 1
	}
	return b.String()
}

// bytesSize writes a number of bytes for people.
func bytesSize(n int) string { return thousands(n) + " bytes" }
