package web

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/prose"
	"github.com/countersign/countersign/review/schema"
	"github.com/countersign/countersign/review/surface"
	"github.com/countersign/countersign/views"
)

// readAtOnce is how many tools a page shows in full.
const readAtOnce = 200

// listingPage shows a surface as it was received: how it is made, what a model
// reads in its order, or one tool of it.
func (s *Server) listingPage(c echo.Context) error {
	l, srv, err := s.svc.Listing(c.Request().Context(), s.actor(c), c.Param("id"))
	if err != nil {
		return err
	}
	if srv.Slug != c.Param("server") {
		return review.Errorf(review.NotFound, "This listing is not of that server.")
	}
	m, err := s.presentListingPage(c, l, srv)
	if err != nil {
		return err
	}
	title := titleWith(m.Open, "Listing of "+srv.Name)
	if m.Open != nil && asksPart(c) {
		return s.renderPart(c, views.ToolPart{Title: title, Look: m.Look, Tools: *m.Open})
	}
	if l.Purged != nil {
		m.Purged = views.Say(fmt.Sprintf("A text in it was purged by %s on %s: %s. Stars stand where it was; digests are those of what was received.",
			l.Purged.By, l.Purged.At.UTC().Format("2 January 2006"), strings.TrimRight(l.Purged.Reason, ".")))
	}
	if l.Live {
		if m.Live, err = s.liveNote(c, l, srv); err != nil {
			return err
		}
	}
	m.Page = s.page(c, title, "servers", serversCrumb, serverCrumb(srv))
	if m.Overview != nil {
		if m.Compare, err = s.compareWith(c, srv, l); err != nil {
			return err
		}
		toolURL := func(position int) string { return listingPath(srv.Slug, l.ID) + "?tool=" + strconv.Itoa(position) }
		if m.Overview.Findings, err = s.findingsOfListing(c, l.ID, toolURL); err != nil {
			return err
		}
	}
	status := http.StatusOK
	if m.Open != nil && m.Open.Open == nil {
		status = http.StatusNotFound // the page says so, and lists what there is
	}
	return s.render(c, status, views.Listing(m))
}

// liveNote says where a listing was read that nobody pushed.
func (s *Server) liveNote(c echo.Context, l *review.Listing, srv *review.Server) (*views.LiveNote, error) {
	n := &views.LiveNote{Read: s.when(l.ReceivedAt)}
	d, err := s.svc.ReadAt(c.Request().Context(), s.actor(c), l.ID)
	if err != nil || d == nil {
		return n, err
	}
	n.Endpoint, n.URL, n.State, n.Why = views.ShowName(d.Endpoint.Name), endpointPath(srv.Slug, d.EndpointID), driftBadge(d), views.Say(d.Why)
	return n, nil
}

// compareWith offers to compare a listing with another of its server; nil when it
// is the only one.
func (s *Server) compareWith(c echo.Context, srv *review.Server, l *review.Listing) (*views.CompareForm, error) {
	list, err := s.svc.Listings(c.Request().Context(), s.actor(c), srv.Slug, review.Page{Limit: serverListings})
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(list, func(i review.ListingInfo) bool { return i.ID == l.ID })
	if at < 0 { // older than those
		at, list = len(list), append(list, review.ListingInfo{ID: l.ID, Profile: l.Profile, Digest: l.Surface.Digest, ReceivedAt: l.ReceivedAt})
	}
	if len(list) < 2 {
		return nil, nil
	}
	from, to := comparedFirst(list, at)
	return &views.CompareForm{URL: serverPath(srv.Slug) + "/compare", From: s.listingPlaces(list, nil, list[from].ID), To: s.listingPlaces(list, nil, list[to].ID)}, nil
}

// comparedFirst are the two of a list, newest first, that one would compare: the one
// at a place with what its profile had before it, or the first with what came after.
func comparedFirst(list []review.ListingInfo, at int) (from, to int) {
	for i := at + 1; i < len(list); i++ {
		if list[i].Profile == list[at].Profile {
			return i, at
		}
	}
	if at > 0 {
		return at, at - 1
	}
	return 1, 0
}

// presentListingPage shows the view that the address asks for. Through a host it is
// what a model reads: how a listing is made is nothing that hosts know of.
func (s *Server) presentListingPage(c echo.Context, l *review.Listing, srv *review.Server) (views.ListingPage, error) {
	p := listingPresenter{
		l: l.Surface, families: srv.Families(toolNames(l.Surface)), base: listingPath(srv.Slug, l.ID), lens: c.QueryParam("lens"),
		across: func(name string) string { return lineagePath(srv.Slug, l.Profile, name) },
	}
	m := views.ListingPage{
		Heading: views.Say("Listing of " + srv.Name), Digest: l.Surface.Digest.Short(), State: listingState(l.Surface),
		Sub: []string{toolCount(len(l.Surface.Tools)), "received " + s.ago(l.ReceivedAt)}, Facts: listingFacts(l),
	}
	if l.Profile != review.DefaultProfile {
		m.Sub = append(m.Sub, "profile "+l.Profile)
	}
	if p.lens != "" {
		if err := knownHost(p.lens); err != nil {
			return m, err
		}
	}
	tool, current := c.QueryParam("tool"), viewOverview
	var err error
	switch {
	case tool != "":
		m.Open, current = p.oneTool(tool), viewOne
		err = s.openThrough(c, p, l.ID, m.Open)
	case p.lens != "":
		current = viewRead
		m.Tools, err = s.toolsThrough(c, p, l.ID)
	case c.QueryParam("view") == viewRead:
		m.Tools, current = p.readTools(c.QueryParam("from")), viewRead
	default:
		m.Overview = p.overview()
	}
	m.Look = p.lookForm(tool, current)
	m.Tabs = listingTabs(srv.Slug, review.ListingInfo{ID: l.ID, Kind: l.Surface.Kind, ToolCount: len(l.Surface.Tools)}, "", p.lens, current)
	return m, err
}

// toolsThrough shows the tools as the chosen host sends them.
func (s *Server) toolsThrough(c echo.Context, p listingPresenter, id string) (*views.ListingTools, error) {
	v, err := s.svc.Rendering(c.Request().Context(), s.actor(c), id, "", p.lens)
	if err != nil {
		return nil, err
	}
	return p.readThrough(v, c.QueryParam("from")), nil
}

// openThrough shows the tool that is open as the chosen host sends it, above what was
// listed.
func (s *Server) openThrough(c echo.Context, p listingPresenter, id string, v *views.ToolsView) error {
	if p.lens == "" || v.Open == nil {
		return nil
	}
	at, err := positionOf(c, "tool")
	if err != nil {
		return err
	}
	seen, err := s.svc.Lens(c.Request().Context(), s.actor(c), id, "", p.lens, at)
	if err != nil {
		return err
	}
	lens := lensPresenter{v: seen, position: at}.view()
	v.Open.Lens = &lens
	return nil
}

// lookForm chooses the host, with the view kept that the page shows. Of what no server
// answered nothing is sent.
func (p listingPresenter) lookForm(tool, current string) *views.LookForm {
	if p.l.Kind != surface.KindListing {
		return nil
	}
	f := &views.LookForm{URL: p.base, Hosts: lensPlaces(p.lens)}
	switch current {
	case viewOne:
		f.Hidden = []views.Hidden{{Name: "tool", Value: tool}}
	case viewRead:
		f.Hidden = []views.Hidden{{Name: "view", Value: viewRead}}
	}
	return f
}

func listingState(l *surface.Listing) views.GateBar {
	switch {
	case l.Kind != surface.KindListing:
		return gateBar(gate.Undecided, "This is a "+string(l.Kind)+", not what a server answered to `tools/list`. It can't be approved.")
	case !l.Complete:
		return gateBar(gate.Undecided, "This is a part of a listing. What is missing from it is not removed.")
	}
	errors := 0
	for _, p := range l.Problems {
		if p.Level == surface.LevelError {
			errors++
		}
	}
	if errors > 0 {
		return gateBar(gate.Blocked, "Complete, with "+plural(errors, "error", "errors")+". A tool with errors can't be approved as it is.")
	}
	return gateBar(gate.Pass, "Complete: every tool of this listing arrived.")
}

func listingFacts(l *review.Listing) []views.Fact {
	s := l.Surface
	facts := []views.Fact{
		{Label: "Shape", Text: string(s.Shape)},
		{Label: "Protocol", Value: prose.Show(cmpOr(s.ProtocolVersion, "not said"))},
		{Label: "Size", Text: bytesSize(len(s.Raw))},
		{Label: "Digest", Text: s.Digest.String()},
		{Label: "Raw hash", Text: s.RawHash.String()},
	}
	if len(s.Server) > 0 {
		facts = append(facts, views.Fact{Label: "Server info", Value: prose.Show(string(s.Server))})
	}
	return facts
}

// listingPresenter shows one listing; base is its address.
type listingPresenter struct {
	l        *surface.Listing
	families surface.Families
	base     string
	lens     string // id of the host to look through, "" for none
	// across is the page of a tool through all versions.
	across func(name string) string
}

// toolURL is the address of one tool, through the host that is looked through.
func (p listingPresenter) toolURL(position int) string {
	if p.lens == "" {
		return toolAnchor(p.base, position)
	}
	return toolAnchor(p.base, position) + "&lens=" + url.QueryEscape(p.lens)
}

// readURL is the address of tools in full, from a position on; 0 for all.
func (p listingPresenter) readURL(from int) string {
	at := p.base + "?view=" + viewRead
	if p.lens != "" {
		at += "&lens=" + url.QueryEscape(p.lens)
	}
	if from > 0 {
		at += "&from=" + strconv.Itoa(from)
	}
	return at
}

func toolAnchor(base string, position int) string { return base + "?tool=" + strconv.Itoa(position) }

var conventionWords = map[surface.Convention]string{
	surface.NounFirst: "The noun comes first", surface.VerbFirst: "The verb comes first", surface.Mixed: "Nouns and verbs come first",
}

func (p listingPresenter) overview() *views.ListingOverview {
	f := p.families
	o := &views.ListingOverview{
		Convention: views.Say(conventionSentence(f)), Families: familyLines(f.Families, p.base), Problems: problems(p.l.Problems),
	}
	o.Objects = objectLines(f.Objects, p.base)
	for _, out := range f.Outliers {
		o.Outliers = append(o.Outliers, p.outlier(out))
	}
	for _, sc := range f.Scattered {
		o.Scattered = append(o.Scattered, views.ScatteredLine{Name: views.ShowName(sc.Family), Positions: positions(sc.Positions)})
	}
	switch in := p.l.Instructions; {
	case in.Present:
		text := views.Texts(&in.Text, &in.Text, "", "")
		o.Words = &text
	case in.Asked:
		o.NoWords = "This server sent no instructions."
	default:
		o.NoWords = "Nobody asked for them: this is the answer to tools/list alone."
	}
	return o
}

func conventionSentence(f surface.Families) string {
	s := conventionWords[f.Convention]
	if f.Separator != "" {
		s += ", words joined by " + quoted(f.Separator)
	}
	if f.HousePrefix != nil {
		s += ", behind the house prefix " + quoted(*f.HousePrefix)
	}
	return s + "."
}

// groupingOf is the grouping that a page shows first: a house whose names begin
// with verbs is read by what the tools act on.
//
// Tools in none of its groups come last, so that every tool of the server is there.
func groupingOf(l *surface.Listing, f surface.Families, base string) []views.FamilyLine {
	lines := familyLines(f.Families, base)
	if len(f.Objects) > 0 {
		lines = objectLines(f.Objects, base)
	}
	shown := map[string]bool{}
	for _, line := range lines {
		for _, t := range line.Tools {
			shown[t.URL] = true
		}
	}
	rest := surface.Family{Name: "none of these"}
	for i := range l.Tools {
		if t := &l.Tools[i]; !shown[toolAnchor(base, t.Position)] {
			rest.Tools, rest.Positions = append(rest.Tools, toolName(t.Name, t.Position)), append(rest.Positions, t.Position)
		}
	}
	if len(rest.Tools) > 0 {
		lines = append(lines, familyLine(rest, base))
	}
	return lines
}

func objectLines(list []surface.Object, base string) []views.FamilyLine {
	var out []views.FamilyLine
	for _, ob := range list {
		out = append(out, familyLine(surface.Family{Name: ob.Name, Tools: ob.Tools, Positions: ob.Positions}, base))
	}
	return out
}

func familyLines(list []surface.Family, base string) []views.FamilyLine {
	var out []views.FamilyLine
	for _, f := range list {
		out = append(out, familyLine(f, base))
	}
	return out
}

func familyLine(f surface.Family, base string) views.FamilyLine {
	line := views.FamilyLine{Name: views.ShowName(f.Name), Count: thousands(len(f.Tools)), Positions: positions(f.Positions)}
	for i, t := range f.Tools {
		line.Tools = append(line.Tools, views.PlacedTool{Position: thousands(f.Positions[i]), Name: views.ShowName(t), URL: toolAnchor(base, f.Positions[i])})
	}
	for _, sub := range f.Subfamilies {
		line.Sub = append(line.Sub, views.FamilyLine{Name: views.ShowName(sub.Name), Count: toolCount(len(sub.Tools)), Positions: positions(sub.Positions)})
	}
	return line
}

var costLooks = map[surface.Cost]views.Badge{
	surface.Expensive:  {Tone: views.Bad, Icon: "cross", Word: "expensive"},
	surface.Unsortable: {Tone: views.Warn, Icon: "bang", Word: "unsortable"},
	surface.Free:       {Tone: views.Plain, Icon: "equal", Word: "free"},
}

func (p listingPresenter) outlier(o surface.Outlier) views.OutlierLine {
	line := views.OutlierLine{
		PlacedTool: views.PlacedTool{Position: thousands(o.Position), Name: views.ShowName(o.Tool), URL: toolAnchor(p.base, o.Position)},
		Cost:       costLooks[o.Cost],
	}
	switch o.Cost {
	case surface.Expensive:
		line.Why = views.Say("It stands apart from the family " + quoted(o.RelatedFamily) + ", where it is looked for in vain.")
	case surface.Unsortable:
		line.Why = views.Say("It names nothing that it could be sorted under.")
	default:
		line.Why = views.Say("It has no siblings to be found with, so this costs nothing.")
	}
	return line
}

// readPage is the page of tools in full that begins at a position, of so many; start
// and end are the positions that it shows, from 1.
func (p listingPresenter) readPage(from string, n int) (v *views.ListingTools, start, end int) {
	start, err := strconv.Atoi(from)
	if err != nil || start < 1 || start > n {
		start = 1
	}
	end = min(start-1+readAtOnce, n)
	v = &views.ListingTools{Range: thousands(start) + " to " + thousands(end) + " of " + thousands(n)}
	if start > 1 {
		v.Newer = p.readURL(max(1, start-readAtOnce))
	}
	if end < n {
		v.Older = p.readURL(end + 1)
	}
	return v, start, end
}

// readTools shows tools in full, in the order of the array, from a position on.
func (p listingPresenter) readTools(from string) *views.ListingTools {
	v, start, end := p.readPage(from, len(p.l.Tools))
	byPosition := map[int][]surface.Problem{}
	for _, pr := range p.l.Problems {
		byPosition[pr.Position] = append(byPosition[pr.Position], pr)
	}
	for i := start - 1; i < end; i++ {
		t := p.readTool(&p.l.Tools[i])
		t.Problems = problems(byPosition[i+1])
		v.Tools = append(v.Tools, t)
	}
	return v
}

func (p listingPresenter) readTool(t *surface.Tool) views.ReadTool {
	v := views.ReadTool{Position: strconv.Itoa(t.Position), Name: views.ShowName(toolName(t.Name, t.Position)), URL: p.toolURL(t.Position), Hints: hintWords(t)}
	if title, ok := t.Title(); ok {
		v.Title = prose.Show(title)
	}
	if words, ok := t.Description(); ok && strings.TrimSpace(words) != "" {
		v.Words = prose.Show(words)
	} else {
		v.NoWords = true
	}
	input, _ := t.InputSchema()
	v.Params = paramsOf(input)
	return v
}

// paramsOf lists the parameters of an input schema in short; nil without one.
func paramsOf(raw []byte) []views.Param {
	if raw == nil {
		return nil
	}
	list, err := schema.Properties(raw)
	if err != nil {
		return nil // the problem is listed with the tool
	}
	var out []views.Param
	for _, p := range list {
		if p.Depth == 0 {
			out = append(out, views.Param{Name: views.ShowName(p.Path), Type: prose.Show(p.Type), Optional: !p.Required})
		}
	}
	return out
}

// hintWords are the hints that a tool declares itself.
func hintWords(t *surface.Tool) []string {
	if _, ok := t.Annotations(); !ok {
		return nil
	}
	h := t.Hints()
	if h.ReadOnly {
		return []string{"reads only"}
	}
	var out []string
	if h.Destructive {
		out = append(out, "may destroy")
	}
	if h.Idempotent {
		out = append(out, "may be repeated")
	}
	return out
}

// oneTool shows one tool whole beside the list of all.
func (p listingPresenter) oneTool(position string) *views.ToolsView {
	v := &views.ToolsView{ListURL: p.readURL(0), Chosen: true, Overview: []string{"There is no tool at this position."}}
	n, err := strconv.Atoi(position)
	if err == nil && n >= 1 && n <= len(p.l.Tools) {
		t := alone(&p.l.Tools[n-1]).view()
		t.AcrossURL = p.across(p.l.Tools[n-1].Name)
		t.Facts = []string{"position " + thousands(n) + " of " + thousands(len(p.l.Tools))}
		v.Open = &t
	}
	for _, f := range p.families.Families {
		g := views.ToolGroup{Name: views.ShowName(f.Name), Count: thousands(len(f.Tools))}
		for i, name := range f.Tools {
			at := f.Positions[i]
			g.Tools = append(g.Tools, views.ToolRow{URL: p.toolURL(at), Kind: strconv.Itoa(at), KindIs: "position " + strconv.Itoa(at), Name: views.ShowName(name), Current: at == n})
		}
		v.Groups = append(v.Groups, g)
	}
	if g := p.familyless(n); len(g.Tools) > 0 {
		v.Groups = append(v.Groups, g)
	}
	v.FindNext()
	return v
}

// familyless are tools that belong to no family: outliers and tools without names.
func (p listingPresenter) familyless(open int) views.ToolGroup {
	g := views.ToolGroup{Name: views.ShowName("in no family")}
	of := map[string]bool{}
	for _, f := range p.families.Families {
		for _, name := range f.Tools {
			of[name] = true
		}
	}
	for i := range p.l.Tools {
		t := &p.l.Tools[i]
		if of[t.Name] {
			continue
		}
		g.Tools = append(g.Tools, views.ToolRow{
			URL: p.toolURL(t.Position), Kind: strconv.Itoa(t.Position), KindIs: "position " + strconv.Itoa(t.Position),
			Name: views.ShowName(toolName(t.Name, t.Position)), Current: t.Position == open,
		})
	}
	g.Count = thousands(len(g.Tools))
	return g
}
