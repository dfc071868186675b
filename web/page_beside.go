package web

import (
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/host"
	"github.com/countersign/countersign/views"
)

// besideRows is how many tools stand on one page of two hosts side by side.
const besideRows = 100

// Hosts that are held side by side when nobody picked others.
const (
	leftDefault  = lensDefault
	rightDefault = "codex"
)

// Which tools are shown.
const (
	besideDiffering = "differ"
	besideAll       = "all"
)

func besidePath(slug, id string, pairs ...string) string {
	return path([]string{"servers", slug, "listings", id, "hosts", "beside"}, pairs...)
}

// besideQuery is what the address of the page asks for.
type besideQuery struct {
	left, right string
	show        string
	from        int // rows start behind this position
	tool        int // 0: all of them
	base        string
}

func besideQueryOf(c echo.Context) (q besideQuery, err error) {
	q = besideQuery{
		left: cmpOr(c.QueryParam("left"), leftDefault), right: cmpOr(c.QueryParam("right"), rightDefault),
		show: cmpOr(c.QueryParam("show"), besideDiffering), base: c.QueryParam("base"),
	}
	if q.show != besideDiffering && q.show != besideAll {
		return q, review.Errorf(review.Invalid, "show is %.20q. Use %s or %s.", q.show, besideDiffering, besideAll)
	}
	for _, id := range []string{q.left, q.right} {
		if err := knownHost(id); err != nil {
			return q, err
		}
	}
	if q.from, err = positionOf(c, "after"); err != nil {
		return q, err
	}
	q.tool, err = positionOf(c, "tool")
	return q, err
}

// besidePage holds a listing through two hosts, or one tool of it.
func (s *Server) besidePage(c echo.Context) error {
	q, err := besideQueryOf(c)
	if err != nil {
		return err
	}
	ctx, a, id := c.Request().Context(), s.actor(c), c.Param("id")
	if c.QueryParam("tool") != "" {
		l, err := s.svc.BesideTool(ctx, a, id, q.left, q.right, q.tool)
		if err != nil {
			return err
		}
		p := besidePresenter{v: &l.BesideView, q: q}
		return s.renderBeside(c, p, p.oneState(l), func(m *views.BesidePage) { m.One = p.one(l) })
	}
	v, err := s.svc.Beside(ctx, a, id, q.left, q.right)
	if err != nil {
		return err
	}
	p := besidePresenter{v: v, q: q}
	return s.renderBeside(c, p, p.state(), p.table)
}

func (s *Server) renderBeside(c echo.Context, p besidePresenter, state views.GateBar, fill func(*views.BesidePage)) error {
	frame, err := s.hostsFrame(c, &p.v.Server, p.v.Listing, nil)
	if err != nil {
		return err
	}
	m := views.BesidePage{Page: frame.Page, Heading: frame.Heading, Sub: frame.Sub, Digest: frame.Digest, Tabs: frame.Tabs, State: state, Form: p.form()}
	for i := range p.v.Sides {
		m.Hosts = append(m.Hosts, p.host(i))
	}
	fill(&m)
	return s.render(c, http.StatusOK, views.Beside(m))
}

// besidePresenter shows a listing through two hosts.
type besidePresenter struct {
	v *review.BesideView
	q besideQuery
}

func (p besidePresenter) at(pairs ...string) string {
	return besidePath(p.v.Server.Slug, p.v.Listing.ID, append(pairs, "left", p.q.left, "right", p.q.right, "base", p.q.base)...)
}

func (p besidePresenter) tool(position int) string { return p.at("tool", strconv.Itoa(position)) }

func (p besidePresenter) form() views.BesideForm {
	f := views.BesideForm{URL: besidePath(p.v.Server.Slug, p.v.Listing.ID), Left: hostPlaces(p.q.left), Right: hostPlaces(p.q.right)}
	kept := []views.Hidden{{Name: "base", Value: p.q.base}}
	if p.q.tool > 0 {
		kept = append(kept, views.Hidden{Name: "tool", Value: strconv.Itoa(p.q.tool)})
	}
	if p.q.show != besideDiffering {
		kept = append(kept, views.Hidden{Name: "show", Value: p.q.show})
	}
	for _, h := range kept {
		if h.Value != "" {
			f.Hidden = append(f.Hidden, h)
		}
	}
	return f
}

func (p besidePresenter) differing() int {
	n := 0
	for _, t := range p.v.Tools {
		if !t.Alike() {
			n++
		}
	}
	return n
}

func (p besidePresenter) state() views.GateBar {
	left, right := p.v.Sides[0].Profile, p.v.Sides[1].Profile
	n := p.differing()
	switch {
	case left.ID == right.ID:
		return gateBar(gate.Undecided, "Both sides are "+left.Name+". Pick another host for one of them.")
	case n > 0:
		return gateBar(gate.Undecided, left.Name+" and "+right.Name+" tell the model different things of "+plural(n, "tool", "tools")+".")
	}
	return gateBar(gate.Pass, left.Name+" and "+right.Name+" tell the model the same of every tool.")
}

func (p besidePresenter) host(i int) views.BesideHost {
	side := p.v.Sides[i]
	h := views.BesideHost{Name: side.Profile.Name, About: append(standing(side.Profile.Version, side.Profile.Verified), modeName(side.Profile.ID, side.Profile.Mode))}
	if side.Doubtful {
		h.About = append(h.About, doubtWords)
	}
	if side.Fit.Failed != "" {
		h.Failed = views.Say("It does not start: " + side.Fit.Failed + ".")
	}
	h.Facts = []views.Fact{
		{Label: "Sent", Text: thousands(side.Fit.Sent) + " of " + toolCount(len(p.v.Tools))},
		{Label: "Estimate", Text: plural(side.Fit.Tokens, "token", "tokens")},
	}
	tools := map[host.What]int{}
	for _, t := range p.v.Tools {
		for what := range lossesByKind(t.Ways[i].Lost) {
			tools[what]++
		}
	}
	if lost := lossCounts(tools); lost != "" {
		h.Facts = append(h.Facts, views.Fact{Label: "Tools", Text: lost})
	} else {
		h.Facts = append(h.Facts, views.Fact{Label: "Tools", Text: "all as listed"})
	}
	return h
}

// lossesByKind counts what is lost of a tool. Fields that no tool of the host is sent
// with are not among it.
func lossesByKind(lost []host.Loss) map[host.What]int {
	kinds := map[host.What]int{}
	for _, l := range lost {
		if !l.IsField() {
			kinds[looksLike(l)]++
		}
	}
	return kinds
}

// table lists the tools that are asked for, a page of them.
func (p besidePresenter) table(m *views.BesidePage) {
	differing := p.differing()
	alike := len(p.v.Tools) - differing
	m.Shown = []views.Pill{
		{Text: "Differ", Count: thousands(differing), URL: p.at(), Current: p.q.show == besideDiffering},
		{Text: "All", Count: thousands(len(p.v.Tools)), URL: p.at("show", besideAll), Current: p.q.show == besideAll},
	}
	if alike > 0 && p.q.show == besideDiffering {
		m.None = p.alikeWords(alike)
	}
	listed := p.listed()
	for _, t := range listed[:min(len(listed), besideRows)] {
		m.Rows = append(m.Rows, p.row(t))
	}
	if p.q.from > 0 {
		m.First = p.at("show", p.shown())
	}
	if rest := len(listed) - len(m.Rows); rest > 0 {
		last := listed[besideRows-1].Position
		m.Next = views.Link{Text: plural(rest, "more tool", "more tools"), URL: p.at("show", p.shown(), "after", strconv.Itoa(last))}
	}
}

// listed are the tools that are asked for, from the first row on.
func (p besidePresenter) listed() []review.BesideTool {
	var out []review.BesideTool
	for _, t := range p.v.Tools {
		if t.Position > p.q.from && (p.q.show == besideAll || !t.Alike()) {
			out = append(out, t)
		}
	}
	return out
}

// shown is how the address says which tools are shown; the default is not said.
func (p besidePresenter) shown() string {
	if p.q.show == besideAll {
		return besideAll
	}
	return ""
}

// alikeWords counts the tools that are left out, and those of them that both hosts
// harm alike.
func (p besidePresenter) alikeWords(alike int) string {
	words := plural(alike, "tool is told", "tools are told") + " alike by both and not listed"
	harmed := 0
	for _, t := range p.v.Tools {
		if t.Alike() && len(t.Ways[0].Lost) > 0 && len(t.Ways[1].Lost) > 0 {
			harmed++
		}
	}
	if harmed > 0 {
		words += "; of " + thousands(harmed) + " both lose something"
	}
	return words + "."
}

var differsWords = map[review.Difference]string{
	review.DiffersName: "name", review.DiffersDescription: "description", review.DiffersSchema: "schema",
}

func (p besidePresenter) row(t review.BesideTool) views.BesideRow {
	r := views.BesideRow{Position: thousands(t.Position), Name: views.ShowName(toolName(t.Name, t.Position)), URL: p.tool(t.Position)}
	for i, way := range t.Ways {
		r.Cells = append(r.Cells, besideCell(p.v.Sides[i].Profile.Name, way))
	}
	for _, d := range t.Differs {
		words := differsWords[d]
		if d == review.DiffersSent {
			only := p.v.Sides[0]
			if t.Ways[0].Sent == nil {
				only = p.v.Sides[1]
			}
			words = "only " + only.Profile.Name + " sends it"
		}
		r.Differs = append(r.Differs, words)
	}
	return r
}

func besideCell(hostName string, way review.Way) views.BesideCell {
	c := views.BesideCell{Host: hostName}
	if way.Sent != nil {
		c.Name = views.ShowName(sentName(way.Sent))
	}
	c.Lost = lossBadges(way.Lost)
	if way.Sent == nil && len(c.Lost) == 0 {
		c.Lost = append(c.Lost, lossBadge(host.NotSent)) // the host does not start
	}
	return c
}

func (p besidePresenter) oneState(l *review.BesideLens) views.GateBar {
	row := p.row(l.Tool)
	if len(row.Differs) == 0 {
		return gateBar(gate.Pass, "Both hosts tell the model the same of this tool.")
	}
	return gateBar(gate.Undecided, "The two hosts tell the model different things of this tool.", row.Differs...)
}

func (p besidePresenter) one(l *review.BesideLens) *views.BesideOne {
	o := &views.BesideOne{Tool: views.ShowName(toolName(l.Tool.Name, l.Tool.Position)), Back: p.at()}
	if p.q.tool > 1 {
		o.Prev = p.tool(p.q.tool - 1)
	}
	if p.q.tool < len(p.v.Tools) {
		o.Next = p.tool(p.q.tool + 1)
	}
	for i := range l.Seen {
		side := p.v.Sides[i].Profile
		o.Sides = append(o.Sides, lensSide(side, side.Name, &l.Seen[i]))
	}
	left, right := p.v.Sides[0].Profile.Name, p.v.Sides[1].Profile.Name
	o.Words = views.Texts(sentWords(&l.Seen[0]), sentWords(&l.Seen[1]), left, right)
	o.Schema = views.Texts(sentSchema(&l.Seen[0]), sentSchema(&l.Seen[1]), left, right)
	o.Schema.Code = true
	return o
}
