package web

import (
	"slices"
	"strconv"

	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/change"
	"github.com/countersign/countersign/review/prose"
	"github.com/countersign/countersign/review/surface"
	"github.com/countersign/countersign/views"
)

// A release is decided from its gate base and by what its server lists. It can be looked
// at from other bases and through hosts as well, at addresses of the same page. Then its
// tools are shown, since there is nothing to decide.

// opened is the tool that is open in the list.
type opened struct {
	name     string // "" while none is open, and for what is no tool
	before   string // what a renamed tool was called, else ""
	position int    // in the head, 0 for one that is gone
}

// fromBase returns the presenter of the tools from the base that is asked for: p itself
// from the gate base, which is where decisions are taken from.
func (s *Server) fromBase(c echo.Context, p *releasePresenter) (*releasePresenter, error) {
	if p.v.BaseListing != nil && p.q.base == p.v.BaseListing.ID {
		p.q.base = ""
	}
	if p.q.base == "" {
		return p, nil
	}
	v, err := s.svc.Compare(c.Request().Context(), s.actor(c), p.v.Server.Slug, p.q.base, p.v.Listing.ID)
	if err != nil {
		return nil, err
	}
	q := releaseRequest{view: viewTools, tool: p.q.tool, names: p.q.names, name: p.q.name, base: p.q.base, lens: p.q.lens, part: p.q.part}
	from := s.comparePresenter(v, p.baseTitle(v.From), p.v.Release.Title(), q)
	from.compare = &comparison{
		at:     []string{"releases", p.v.Release.ID},
		params: []string{"view", viewTools, "base", p.q.base, "lens", p.q.lens},
		beside: p.standing() + " " + p.q.base,
	}
	return from, nil
}

// baseTitle names a base as the list of bases does.
func (p *releasePresenter) baseTitle(l review.ListingInfo) string {
	for _, b := range p.v.Bases {
		if b.Listing == l.ID && b.Title != "" {
			return b.Title
		}
	}
	return "#" + l.Digest.Short()
}

// keepOpen finds the tool again that was open before another base was chosen: there it
// is part of another change, or did not change.
func (p *releasePresenter) keepOpen() {
	if p.q.name == "" || p.v.New == nil {
		return
	}
	for i := range p.v.Changes {
		if ch := &p.v.Changes[i]; ch.Subject == change.SubjectTool && ch.Name() == p.q.name {
			p.q.tool = ch.ID
			return
		}
	}
	for i := range p.v.New.Tools {
		if p.v.New.Tools[i].Name == p.q.name {
			p.q.tool = "n" + strconv.Itoa(i+1)
			return
		}
	}
}

// shownTools are the tools as they are looked at: from a base, through a host.
func (s *Server) shownTools(c echo.Context, from *releasePresenter) (*views.ToolsView, error) {
	if from.q.lens != "" {
		if err := knownHost(from.q.lens); err != nil {
			return nil, err
		}
	}
	from.keepOpen()
	if err := from.loadUnchanged(c); err != nil {
		return nil, err
	}
	v := from.tools()
	var err error
	if v.Past, err = s.pastOf(c, from.opened); err != nil || from.q.lens == "" || v.Open == nil {
		return v, err
	}
	v.Open.Lens, err = s.throughHost(c, from)
	return v, err
}

// throughHost shows the tool that is open as a host sends it.
func (s *Server) throughHost(c echo.Context, from *releasePresenter) (*views.HostLens, error) {
	at := from.opened.position
	if at == 0 {
		return &views.HostLens{None: views.Say("Nothing of this is sent as a tool: choose one that the new listing has.")}, nil
	}
	base := from.q.base
	if base == "" && from.v.BaseListing != nil {
		base = from.v.BaseListing.ID
	}
	v, err := s.svc.Lens(c.Request().Context(), s.actor(c), from.v.Listing.ID, base, from.q.lens, at)
	if err != nil {
		return nil, err
	}
	lens := lensPresenter{v: v, base: base, position: at}.view()
	return &lens, nil
}

// lookForm chooses the base and the host, with everything else that the address says
// kept. from is the presenter of what is open.
func (p *releasePresenter) lookForm(from *releasePresenter) *views.LookForm {
	f := &views.LookForm{URL: p.path(), Bases: p.basePlaces()}
	if p.v.Listing.Kind == surface.KindListing { // only what a server answers is sent by hosts
		f.Hosts = lensPlaces(p.q.lens)
	}
	if len(f.Bases) < 2 && len(f.Hosts) == 0 {
		return nil
	}
	tool := from.q.tool
	for _, kept := range []views.Hidden{
		{Name: "view", Value: p.q.view}, {Name: "filter", Value: p.q.filter}, {Name: "q", Value: p.q.names},
		{Name: "as", Value: p.q.as}, {Name: "tool", Value: tool},
	} {
		if kept.Value != "" {
			f.Hidden = append(f.Hidden, kept)
		}
	}
	if tool != "" && from.opened.name != "" {
		f.Hidden = append(f.Hidden, views.Hidden{Name: "name", Value: from.opened.name})
	}
	if from != p {
		f.Other = views.Say("You look from " + quoted(from.v.Base.Title()) + ". Nothing is decided here: " + p.decidedFrom())
		f.Back = p.path("view", viewTools, "lens", p.q.lens, "filter", p.q.filter, "q", p.q.names, "name", from.opened.name)
	}
	return f
}

// decidedFrom says which base decisions are taken from.
func (p *releasePresenter) decidedFrom() string {
	if p.v.Base == nil {
		return "nothing of this profile is released, so in the review every tool is new."
	}
	return "decisions are taken from " + quoted(p.v.Base.Title()) + ", the gate base."
}

// basePlaces are the bases to choose from, each once.
func (p *releasePresenter) basePlaces() []views.Place {
	var out []views.Place
	seen := map[string]bool{p.v.Listing.ID: true}
	for _, b := range p.v.Bases {
		place := views.Place{Value: b.Listing, Label: p.s.baseLabel(b), Chosen: b.Listing == p.q.base}
		if b.Kind == review.GateBase {
			place.Value, place.Chosen = "", p.q.base == ""
		} else if b.Listing == "" || seen[b.Listing] {
			continue
		}
		seen[b.Listing] = true
		out = append(out, place)
	}
	if p.q.base != "" && !slices.ContainsFunc(out, func(b views.Place) bool { return b.Chosen }) {
		out = append(out, views.Place{Value: p.q.base, Label: "another listing", Chosen: true})
	}
	return out
}

func (s *Server) baseLabel(b review.BaseChoice) string {
	title := prose.Show(b.Title).String()
	switch {
	case b.Kind == review.GateBase && b.Title == "":
		return "none: every tool is new"
	case b.Kind == review.GateBase:
		return title + ", the gate base"
	case b.Kind == review.LastReleased:
		return title + ", released last"
	case b.Kind == review.LastLooked:
		return "since you last worked on it, " + s.ago(b.At)
	}
	return title
}
