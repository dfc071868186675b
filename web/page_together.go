package web

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/host"
	"github.com/countersign/countersign/review/prose"
	"github.com/countersign/countersign/review/report"
	"github.com/countersign/countersign/views"
)

// Bounds of the page of servers together: what goes over them is counted.
const (
	picksNear     = 12  // servers that stand in the open
	clashesShown  = 100 // names
	clashingShown = 20  // tools of one name
)

const togetherRoute = "/together"

func togetherPath(pairs ...string) string { return path([]string{"together"}, pairs...) }

// togetherOf is what the address asks for: servers that are left out send an empty
// value.
func togetherOf(c echo.Context) review.TogetherQuestion {
	q := review.TogetherQuestion{Host: cmpOr(c.QueryParam("host"), lensDefault)}
	for _, id := range c.QueryParams()["listing"] {
		if id != "" {
			q.Listings = append(q.Listings, id)
		}
	}
	return q
}

// togetherPage shows how several servers get along in one host. Where that can't be
// told the form stays, to pick otherwise.
func (s *Server) togetherPage(c echo.Context) error {
	q := togetherOf(c)
	v, err := s.svc.Together(c.Request().Context(), s.actor(c), q)
	if fault, ok := sentenceOf(err); ok && review.KindOf(err) == review.Invalid {
		offer, again := s.svc.Together(c.Request().Context(), s.actor(c), review.TogetherQuestion{Host: lensDefault})
		if again != nil {
			return again
		}
		p := togetherPresenter{v: offer, q: q}
		m := p.page(s.page(c, "Servers together", "servers", serversCrumb))
		m.Form.Fault = fault
		return s.render(c, describe(err, "").Status, views.Together(m))
	}
	if err != nil {
		return err
	}
	p := togetherPresenter{v: v, q: q}
	return s.render(c, http.StatusOK, views.Together(p.page(s.page(c, "Servers together", "servers", serversCrumb))))
}

// togetherAPI answers the same as JSON.
func (s *Server) togetherAPI(c echo.Context) error {
	q := togetherOf(c)
	v, err := s.svc.Together(c.Request().Context(), s.actor(c), q)
	if err != nil {
		return err
	}
	found := v.Found
	if found == nil { // no servers, so nothing of them
		found = &report.Together{Together: host.NewSurface(nil).Together(v.Profile, nil)}
	}
	body, err := found.JSON()
	if err != nil {
		return err
	}
	return c.Blob(http.StatusOK, echo.MIMEApplicationJSON, body)
}

// togetherPresenter shows several servers in one host.
type togetherPresenter struct {
	v *review.TogetherView
	q review.TogetherQuestion
}

func (p togetherPresenter) page(frame views.Page) views.TogetherPage {
	m := views.TogetherPage{Page: frame, Form: p.form()}
	if p.v.Found == nil {
		return m
	}
	state := p.state()
	m.State, m.Host, m.Rows = &state, p.host(), p.rows()
	m.None = "No two tools of these servers would have one name in " + p.v.Profile.Name + "."
	clashes := p.v.Found.Clashes
	for _, c := range clashes[:min(len(clashes), clashesShown)] {
		m.Clash = append(m.Clash, p.clash(c))
	}
	if rest := len(clashes) - len(m.Clash); rest > 0 {
		m.Other = plural(rest, "more name is not shown", "more names are not shown") + ": countersign preflight --mounted lists them."
	}
	p.issues(&m)
	return m
}

func (p togetherPresenter) form() views.TogetherForm {
	f := views.TogetherForm{URL: togetherRoute, Hosts: hostModes(p.q.Host)}
	picked := map[string]bool{}
	for _, id := range p.q.Listings {
		picked[id] = true
	}
	var near, far []views.ServerPick
	for _, o := range p.v.Servers {
		pick, chosen := serverPick(o, picked)
		switch {
		case len(pick.Places) == 1 && !chosen:
			// Nothing was pushed that a host could hold.
		case chosen:
			near = append(near, pick)
		default:
			far = append(far, pick)
		}
	}
	room := min(len(far), max(0, picksNear-len(near)))
	f.Near, f.Far = append(near, far[:room]...), far[room:]
	f.FarIs = plural(len(f.Far), "more server", "more servers")
	return f
}

// serverPick offers the listings of a server, and says whether one was picked.
func serverPick(o review.OfferedServer, picked map[string]bool) (views.ServerPick, bool) {
	pick := views.ServerPick{ID: "pick-" + o.Server.Slug, Server: views.ShowName(o.Server.Name), Places: []views.Place{{Label: "Left out"}}}
	any := false
	for _, l := range o.Listings {
		place := views.Place{Value: l.Listing.ID, Label: offeredLabel(l), Chosen: picked[l.Listing.ID]}
		any = any || place.Chosen
		pick.Places = append(pick.Places, place)
	}
	return pick, any
}

func offeredLabel(l review.OfferedListing) string {
	words := []string{"#" + l.Listing.Digest.Short()}
	if l.Title != "" {
		words = []string{prose.Show(l.Title).String(), map[bool]string{true: "released", false: "under review"}[l.Released]}
	}
	if l.Profile != "" && l.Profile != review.DefaultProfile {
		words = append(words, "profile "+prose.Show(l.Profile).String())
	}
	return strings.Join(append(words, toolCount(l.Listing.ToolCount)), ", ")
}

// hostModes lists the programs with their configurations.
func hostModes(chosen string) []views.Place {
	var out []views.Place
	for _, h := range host.Profiles() {
		if h.IsProvider() {
			continue
		}
		out = append(out, views.Place{Value: h.ID, Label: h.Name, Chosen: chosen == h.ID || chosen == h.ID+"+"+h.Mode})
		for _, variant := range h.Variants() {
			if value := h.ID + "+" + variant; variant != h.Mode {
				out = append(out, views.Place{Value: value, Label: h.Name + ", " + modeName(h.ID, variant), Chosen: chosen == value})
			}
		}
	}
	return out
}

func (p togetherPresenter) state() views.GateBar {
	found, name := p.v.Found, p.v.Profile.Name
	across := 0
	for _, c := range found.Clashes {
		if c.Across() {
			across++
		}
	}
	sent, listed := thousands(found.Check.Sent), toolCount(found.Check.Listed)
	var facts []string
	if across > 0 {
		facts = append(facts, plural(across, "name collides", "names collide")+" across servers")
	}
	if n := p.total(func(s host.Share) int { return s.Deferred }); n > 0 {
		facts = append(facts, thousands(n)+" deferred")
	}
	over := slices.ContainsFunc(found.Check.Issues, func(i host.Issue) bool { return i.Rule == host.RuleCount })
	switch {
	case found.Failed != "":
		return gateBar(gate.Blocked, name+" does not start with these servers.", facts...)
	case over:
		return gateBar(gate.Blocked, listed+", and "+found.LimitOf+" takes "+thousands(found.Limit)+".", facts...)
	case found.Check.Status == host.Refuses:
		return gateBar(gate.Blocked, name+" sends "+sent+" of "+listed+", and something is refused.", facts...)
	case found.Check.Status == host.Loses || found.Check.Sent < found.Check.Listed || len(found.Clashes) > 0:
		return gateBar(gate.Undecided, name+" sends "+sent+" of "+listed+", and not all of it as listed.", facts...)
	}
	return gateBar(gate.Pass, name+" sends all "+listed+".", facts...)
}

func (p togetherPresenter) total(of func(host.Share) int) int {
	n := 0
	for _, s := range p.v.Found.Shares {
		n += of(s)
	}
	return n
}

func (p togetherPresenter) host() views.BesideHost {
	found, h := p.v.Found, p.v.Profile
	out := views.BesideHost{Name: h.Name, About: append(standing(h.Version, h.Verified), modeName(h.ID, h.Variant()))}
	if found.Failed != "" {
		out.Failed = views.Say("It does not start: " + found.Failed + ".")
	}
	limit := "none known"
	if found.Limit > 0 {
		limit = toolCount(found.Limit) + ", says " + found.LimitOf
	}
	out.Facts = []views.Fact{
		{Label: "Sent", Text: thousands(found.Check.Sent) + " of " + toolCount(found.Check.Listed)},
		{Label: "Limit", Text: limit},
		{Label: "Estimate", Text: plural(found.Tokens.Tokens, "token", "tokens")},
	}
	for _, more := range []struct {
		label string
		n     int
	}{
		{"Deferred", p.total(func(s host.Share) int { return s.Deferred })},
		{"Lost", p.total(func(s host.Share) int { return s.Lost })},
		{"Renamed", p.total(func(s host.Share) int { return s.Renamed })},
	} {
		if more.n > 0 {
			out.Facts = append(out.Facts, views.Fact{Label: more.label, Text: toolCount(more.n)})
		}
	}
	return out
}

func (p togetherPresenter) rows() []views.ShareRow {
	var out []views.ShareRow
	for i, share := range p.v.Found.Shares {
		picked := p.v.Picked[i]
		row := views.ShareRow{Server: views.ShowName(picked.Server.Name), URL: hostsPath(picked.Server.Slug, picked.Listing.ID), Version: prose.Show(p.titleOf(picked))}
		for _, n := range []int{share.Listed, share.Sent, share.Deferred, share.Lost, share.Renamed, p.v.Found.Tokens.Servers[i]} {
			row.Numbers = append(row.Numbers, thousands(n))
		}
		out = append(out, row)
	}
	return out
}

// titleOf is the release that a picked listing is the head of, else its digest.
func (p togetherPresenter) titleOf(picked review.PickedServer) string {
	for _, o := range p.v.Servers {
		for _, l := range o.Listings {
			if l.Listing.ID == picked.Listing.ID && l.Title != "" {
				return l.Title
			}
		}
	}
	return "#" + picked.Listing.Digest.Short()
}

// pickedCalled finds a picked server by its name in the host.
func (p togetherPresenter) pickedCalled(slug string) *review.PickedServer {
	for i := range p.v.Picked {
		if p.v.Picked[i].Server.Slug == slug {
			return &p.v.Picked[i]
		}
	}
	return nil
}

// lens is the address of one tool through this host, as far as it is the host's own
// mode: a variant has no lens of its own.
func (p togetherPresenter) lens(slug string, position int) string {
	of := p.pickedCalled(slug)
	if of == nil {
		return togetherRoute
	}
	return hostsPath(slug, of.Listing.ID, "host", p.v.Profile.ID, "tool", strconv.Itoa(position))
}

func (p togetherPresenter) clash(c host.Clash) views.ClashRow {
	row := views.ClashRow{Name: views.ShowName(c.Name)}
	for _, t := range c.Tools[:min(len(c.Tools), clashingShown)] {
		tool := views.ClashTool{Server: prose.Show(t.Server), Tool: views.ShowName(toolName(t.Tool, t.Position)), URL: p.lens(t.Server, t.Position)}
		if t.Sent != "" {
			tool.Sent = views.ShowName(t.Sent)
		}
		row.Tools = append(row.Tools, tool)
	}
	return row
}

// issues lists what an author can do something about; the rest is counted.
func (p togetherPresenter) issues(m *views.TogetherPage) {
	more := p.v.Found.Check.More
	for _, i := range p.v.Found.Check.Issues {
		list := &m.Issues
		if i.Level == host.Info {
			list = &m.Info
		}
		if len(*list) == issuesOfAll/2 {
			more++
			continue
		}
		*list = append(*list, p.issue(i))
	}
	if more > 0 {
		m.More = plural(more, "more line is", "more lines are") + " not shown: countersign preflight --mounted lists them."
	}
}

func (p togetherPresenter) issue(i host.Issue) views.HostIssue {
	v := hostIssue(i)
	if i.Server != "" {
		v.Server = prose.Show(i.Server)
	}
	if i.Position > 0 {
		v.URL = p.lens(i.Server, i.Position)
	}
	return v
}
