package web

import (
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/host"
	"github.com/countersign/countersign/review/prose"
	"github.com/countersign/countersign/review/surface"
	"github.com/countersign/countersign/views"
)

// Bounds of the page of hosts: what goes over them is counted.
const (
	matrixRows   = 200
	matrixCells  = 1000 // of tools by hosts, on one page
	issuesShown  = 25   // of one host
	issuesOfAll  = 300  // of all hosts, where many have very many
	lensDefault  = "claude-code"
	viewOverview = "overview"
	viewRead     = "read"
	viewOne      = "one"
	viewHosts    = "hosts"
	viewCost     = "cost"
)

// listingTabs are the views of a listing; those that compare carry the base along, and
// those that can be looked at through a host the lens.
func listingTabs(slug string, l review.ListingInfo, base, lens, current string) []views.Tab {
	at := []string{"servers", slug, "listings", l.ID}
	tabs := []views.Tab{
		{Text: "Overview", URL: path(at), Current: current == viewOverview},
		{Text: "As a model reads it", Count: thousands(l.ToolCount), URL: path(at, "view", viewRead, "lens", lens), Current: current == viewRead},
		{Text: "One tool", URL: path(at, "tool", "1", "lens", lens), Current: current == viewOne},
	}
	if l.Kind != surface.KindListing {
		return tabs // only what a server answers is rendered and counted
	}
	return append(tabs,
		views.Tab{Text: "Hosts", URL: hostsPath(slug, l.ID, "base", base), Current: current == viewHosts},
		views.Tab{Text: "Cost", URL: costPath(slug, l.ID, "base", base), Current: current == viewCost})
}

func hostsPath(slug, id string, pairs ...string) string {
	return path([]string{"servers", slug, "listings", id, "hosts"}, pairs...)
}

func costPath(slug, id string, pairs ...string) string {
	return path([]string{"servers", slug, "listings", id, "cost"}, pairs...)
}

// hostsPage shows what every host makes of a listing, or one tool through one host.
func (s *Server) hostsPage(c echo.Context) error {
	base := c.QueryParam("base")
	if c.QueryParam("tool") != "" {
		return s.lensPage(c, base)
	}
	open := c.QueryParam("host")
	if _, err := host.Lookup(open); open != "" && err != nil {
		return errNoHost(open)
	}
	v, err := s.svc.Hosts(c.Request().Context(), s.actor(c), c.Param("id"), base)
	if err != nil {
		return err
	}
	m, err := s.hostsFrame(c, &v.Server, v.Listing, v.Base)
	if err != nil {
		return err
	}
	p := hostsPresenter{v: v, base: base, open: open}
	if p.from, err = positionOf(c, "after"); err != nil {
		return err
	}
	m.State, m.Matrix, m.Checks = p.state(), p.matrix(), p.checks()
	m.Beside, m.Mounted = besidePath(v.Server.Slug, v.Listing.ID, "base", base), togetherPath("listing", v.Listing.ID)
	s.addCaptures(&m, v)
	return s.render(c, http.StatusOK, views.Hosts(m))
}

// hostsFrame is what all views of the page have.
func (s *Server) hostsFrame(c echo.Context, srv *review.Server, l review.ListingInfo, base *review.ListingInfo) (views.HostsPage, error) {
	if srv.Slug != c.Param("server") {
		return views.HostsPage{}, review.Errorf(review.NotFound, "This listing is not of that server.")
	}
	return views.HostsPage{
		Page:    s.page(c, "Hosts of "+srv.Name, "servers", serversCrumb, serverCrumb(srv)),
		Heading: views.Say("What hosts make of " + srv.Name), Digest: l.Digest.Short(), Sub: s.listingSub(l, base),
		Tabs: listingTabs(srv.Slug, l, c.QueryParam("base"), "", viewHosts),
	}, nil
}

func (s *Server) listingSub(l review.ListingInfo, base *review.ListingInfo) []string {
	sub := []string{toolCount(l.ToolCount), "received " + s.ago(l.ReceivedAt)}
	if base != nil {
		sub = append(sub, "compared with #"+base.Digest.Short())
	}
	return sub
}

// hostsPresenter shows what hosts make of a listing.
type hostsPresenter struct {
	v    *review.HostsView
	base string
	open string // id of the host whose preflight is open; "" for the first that refuses something
	from int    // rows of the matrix start behind this position
}

func (p hostsPresenter) lens(hostID string, position int) string {
	return hostsPath(p.v.Server.Slug, p.v.Listing.ID, "base", p.base, "host", hostID, "tool", strconv.Itoa(position))
}

func (p hostsPresenter) state() views.GateBar {
	var refuse, lose int
	for _, f := range p.v.Fits {
		switch f.Check.Status {
		case host.Refuses:
			refuse++
		case host.Loses:
			lose++
		}
	}
	switch {
	case refuse > 0:
		return gateBar(gate.Blocked, plural(refuse, "host refuses", "hosts refuse")+" something of this listing, and "+plural(lose, "more loses", "more lose")+" something.")
	case lose > 0:
		return gateBar(gate.Undecided, "Nothing is refused. "+plural(lose, "host loses", "hosts lose")+" something on the way.")
	}
	return gateBar(gate.Pass, "Every host that we know passes everything on that it can.")
}

// lossLooks say how a loss looks, worst first.
var lossLooks = []struct {
	what  host.What
	badge views.Badge
}{
	{host.Refused, views.Badge{Tone: views.Bad, Icon: "cross", Word: "refused"}},
	{host.NotSent, views.Badge{Tone: views.Bad, Icon: "minus", Word: "not sent"}},
	{host.Dropped, views.Badge{Tone: views.Warn, Icon: "minus", Word: "dropped"}},
	{host.Truncated, views.Badge{Tone: views.Warn, Icon: "bang", Word: "cut"}},
	{host.Rewritten, views.Badge{Tone: views.Warn, Icon: "swap", Word: "rewritten"}},
	{host.Renamed, views.Badge{Tone: views.Plain, Icon: "swap", Word: "renamed"}},
	{host.Folded, views.Badge{Tone: views.Plain, Icon: "lines", Word: "folded"}},
	{host.Deferred, views.Badge{Tone: views.Plain, Icon: "wait", Word: "deferred"}},
}

func lossRank(w host.What) int {
	for i, l := range lossLooks {
		if l.what == w {
			return i
		}
	}
	return len(lossLooks)
}

// looksLike is the kind as which a loss is shown and counted: a tool that is left out
// is not sent, whyever, and so is told from one that lost a keyword.
func looksLike(l host.Loss) host.What {
	if l.IsTool() {
		return host.NotSent
	}
	return l.What
}

func lossBadge(w host.What) views.Badge {
	if i := lossRank(w); i < len(lossLooks) {
		return lossLooks[i].badge
	}
	return views.Badge{Tone: views.Plain, Icon: "info", Word: string(w)}
}

// matrix lists tools and hosts that lose something, and counts the others.
func (p hostsPresenter) matrix() views.HostMatrix {
	var m views.HostMatrix
	var worst []map[int]host.What // of each host by position
	whole, refused := 0, 0        // hosts that lose nothing, and those of them whose provider then refuses something
	losing, never := map[int]bool{}, neverSent{}
	for _, f := range p.v.Fits {
		if f.Sent == 0 && len(f.Lost) == 0 {
			continue // a provider, which sends nothing
		}
		of := map[int]host.What{}
		for _, l := range f.Lost {
			if l.IsField() {
				never.add(l.Pointer, host.NameOf(f.Check.Host)) // its way with every tool: said once
				continue
			}
			if was, ok := of[l.Position]; l.Position > 0 && (!ok || lossRank(looksLike(l)) < lossRank(was)) {
				of[l.Position], losing[l.Position] = looksLike(l), true
			}
		}
		refuses := f.Check.Status == host.Refuses
		switch {
		case len(of) > 0:
			head := views.MatrixHost{ID: f.Check.Host, Name: host.NameOf(f.Check.Host), Sent: thousands(f.Sent) + " of " + thousands(len(p.v.Tools)) + " sent"}
			if p.v.Doubts[f.Check.Host+" "+f.Check.Version] {
				head.Doubt = doubtWords
			}
			if refuses {
				head.Sent += ", some refused"
			}
			m.Hosts = append(m.Hosts, head)
			worst = append(worst, of)
		case refuses:
			refused++
		default:
			whole++
		}
	}
	p.matrixPage(&m, losing, worst)
	says := plural(len(p.v.Tools)-len(losing), "tool arrives", "tools arrive") + " whole in every host. " +
		plural(whole, "host passes", "hosts pass") + " every tool on as listed."
	if refused > 0 {
		says += " " + plural(refused, "more sends", "more send") + " every tool as listed, and the provider refuses something: the preflight says what."
	}
	if m.Never = never.lines(); len(m.Never) > 0 {
		says = "Apart from fields that hosts never send: " + says
	}
	m.Whole = views.Say(says)
	return m
}

// neverSent are the hosts that leave a field out of every tool, by the field.
type neverSent map[string][]string

func (n neverSent) add(pointer, hostName string) {
	field, _, _ := strings.Cut(strings.TrimPrefix(pointer, "/"), "/")
	if !slices.Contains(n[field], hostName) {
		n[field] = append(n[field], hostName)
	}
}

func (n neverSent) lines() []views.Fact {
	var out []views.Fact
	for _, field := range slices.Sorted(maps.Keys(n)) {
		out = append(out, views.Fact{Label: prose.Show(field).String(), Text: strings.Join(n[field], ", ")})
	}
	return out
}

// matrixPage fills in the rows, as many as a browser bears: the more hosts lose
// something, the fewer.
func (p hostsPresenter) matrixPage(m *views.HostMatrix, losing map[int]bool, worst []map[int]host.What) {
	most := min(matrixRows, max(1, matrixCells/max(1, len(m.Hosts))))
	rest := 0
	for _, t := range p.v.Tools {
		switch {
		case !losing[t.Position] || t.Position <= p.from:
		case len(m.Rows) < most:
			m.Rows = append(m.Rows, p.matrixRow(t, m.Hosts, worst))
			m.Next = views.Link{URL: p.rows(t.Position)}
		default:
			rest++
		}
	}
	if p.from > 0 {
		m.First = p.rows(0)
	}
	if rest > 0 {
		m.Next.Text = plural(rest, "more tool with losses", "more tools with losses")
	}
}

// rows is the address of the matrix from behind a position.
func (p hostsPresenter) rows(behind int) string {
	after := ""
	if behind > 0 {
		after = strconv.Itoa(behind)
	}
	return hostsPath(p.v.Server.Slug, p.v.Listing.ID, "base", p.base, "after", after)
}

// positionOf reads the position of a tool from the address; 0 where none is given.
func positionOf(c echo.Context, name string) (int, error) {
	given := c.QueryParam(name)
	if given == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(given)
	if err != nil {
		return 0, review.Errorf(review.Invalid, "%s is %.20q. Use the position of a tool in the listing, from 1.", name, given)
	}
	return n, nil
}

func (p hostsPresenter) matrixRow(t review.ToolRef, hosts []views.MatrixHost, worst []map[int]host.What) views.MatrixRow {
	row := views.MatrixRow{Position: thousands(t.Position), Name: views.ShowName(toolName(t.Name, t.Position))}
	for i, h := range hosts {
		cell := views.MatrixCell{URL: p.lens(h.ID, t.Position), Label: prose.Show(toolName(t.Name, t.Position)).String() + " in " + h.Name}
		if w, ok := worst[i][t.Position]; ok {
			b := lossBadge(w)
			cell.Badge = &b
		}
		row.Cells = append(row.Cells, cell)
	}
	return row
}

var statusLooks = map[host.Status]views.Badge{
	host.Refuses: {Tone: views.Bad, Icon: "cross", Word: "refuses"},
	host.Loses:   {Tone: views.Warn, Icon: "bang", Word: "loses"},
	host.OK:      {Tone: views.OK, Icon: "check", Word: "fine"},
}

// checks lists the preflights, the worst first, and the one that is asked for open.
func (p hostsPresenter) checks() []views.HostCheck {
	most := p.issuesOfEach()
	var out []views.HostCheck
	for _, status := range []host.Status{host.Refuses, host.Loses, host.OK} {
		for i := range p.v.Fits {
			if f := &p.v.Fits[i]; f.Check.Status == status {
				c := p.check(f, most)
				c.Name = host.NameOf(c.ID)
				c.Open = c.ID == p.open || p.open == "" && len(out) == 0 && status == host.Refuses
				out = append(out, c)
			}
		}
	}
	return out
}

// issuesOfEach is how many issues are shown of each host, of both kinds.
func (p hostsPresenter) issuesOfEach() int {
	lists := 0
	for i := range p.v.Fits {
		if len(p.v.Fits[i].Check.Issues) > 0 {
			lists += 2
		}
	}
	return min(issuesShown, max(1, issuesOfAll/max(1, lists)))
}

// doubtWords mark a profile that a capture of the server contradicts.
const doubtWords = "doubtful: a capture differs"

func standing(version string, verified bool) []string {
	if verified {
		return []string{version, "verified by captures"}
	}
	return []string{version, "not verified"}
}

func (p hostsPresenter) check(f *review.Fit, most int) views.HostCheck {
	c := views.HostCheck{ID: f.Check.Host, Status: statusLooks[f.Check.Status], Facts: standing(f.Check.Version, f.Check.Verified)}
	if p.v.Doubts[f.Check.Host+" "+f.Check.Version] {
		c.Facts = append(c.Facts, doubtWords)
	}
	if f.Sent > 0 {
		c.Facts = append(c.Facts, thousands(f.Sent)+" of "+toolCount(len(p.v.Tools))+" sent", "about "+plural(f.Tokens, "token", "tokens"))
	}
	if f.Failed != "" {
		c.Failed = views.Say("It does not start: " + f.Failed + ".")
	}
	counts := map[host.What]int{}
	more := f.Check.More
	for _, i := range f.Check.Issues {
		list := &c.Issues
		if i.Level == host.Info {
			list = &c.Info
		} else {
			counts[i.What]++
		}
		if len(*list) == most {
			more++
			continue
		}
		*list = append(*list, p.issue(f.Check.Host, i))
	}
	if more > 0 {
		c.More = plural(more, "more line is", "more lines are") + " not shown: countersign preflight lists them."
	}
	c.Summary = lossCounts(counts)
	return c
}

func lossCounts(counts map[host.What]int) string {
	var parts []string
	for _, l := range lossLooks {
		if n := counts[l.what]; n > 0 {
			parts = append(parts, thousands(n)+" "+l.badge.Word)
		}
	}
	return strings.Join(parts, ", ")
}

func (p hostsPresenter) issue(hostID string, i host.Issue) views.HostIssue {
	v := hostIssue(i)
	if i.Position > 0 {
		v.URL = p.toolURL(hostID, i.Position)
	}
	return v
}

// hostIssue is what a host does to a tool, or to all.
func hostIssue(i host.Issue) views.HostIssue {
	v := views.HostIssue{Badge: lossBadge(i.What), Reason: views.Say(i.Reason), Fix: views.Say(i.Fix), Plain: i.Fix}
	if i.Position > 0 {
		v.Tool = views.ShowName(toolName(i.Tool, i.Position))
	}
	if i.Pointer != "" {
		v.Pointer = prose.Show(i.Pointer)
	}
	if i.Verdict != "" {
		v.Verdict = views.Say(i.Verdict + ":")
	}
	switch {
	case i.TakesDown > 0 && i.Position == 0:
		v.Takes = plural(i.TakesDown, "tool is", "tools are") + " lost with it."
	case i.TakesDown > 0:
		v.Takes = plural(i.TakesDown, "other tool is", "other tools are") + " lost with it."
	}
	return v
}

// toolURL leads to the lens of a program, or to the tool itself for a provider.
func (p hostsPresenter) toolURL(hostID string, position int) string {
	if h, err := host.Lookup(hostID); err == nil && !h.IsProvider() {
		return p.lens(hostID, position)
	}
	return toolAnchor(listingPath(p.v.Server.Slug, p.v.Listing.ID), position)
}
