package web

import (
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/change"
	"github.com/countersign/countersign/review/people"
	"github.com/countersign/countersign/views"
)

// comparePage shows any two listings of a server side by side. It looks like the
// tools of a release, and nothing can be decided on it.
func (s *Server) comparePage(c echo.Context) error {
	ctx, a, slug := c.Request().Context(), s.actor(c), c.Param("server")
	from, to := c.QueryParam("from"), c.QueryParam("to")
	view, err := s.svc.Server(ctx, a, slug)
	if err != nil {
		return err
	}
	listings, err := s.svc.Listings(ctx, a, slug, review.Page{Limit: serverListings})
	if err != nil {
		return err
	}
	titles := titlesOf(view.Releases)
	pick := &views.CompareForm{URL: serverPath(slug) + "/compare", From: s.listingPlaces(listings, titles, from), To: s.listingPlaces(listings, titles, to)}
	page := s.page(c, "Compare", "servers", serversCrumb, serverCrumb(&view.Server))
	if to == "" {
		return s.render(c, http.StatusOK, views.Compare(views.ComparePage{
			Page: page, Heading: views.Say("Compare"), Pick: pick, PickOpen: true, Same: views.Say("Choose two listings."),
		}))
	}
	cmp, err := s.svc.Compare(ctx, a, slug, from, to)
	if err != nil {
		return err
	}
	q := releaseRequest{view: viewTools, tool: c.QueryParam("tool"), names: strings.TrimSpace(c.QueryParam("q")), part: asksPart(c)}
	m := s.presentCompare(cmp, titles, q)
	if q.part {
		return s.renderPart(c, views.ToolPart{Title: titleWith(&m.Tools, page.Title), Tools: m.Tools})
	}
	m.Page, m.Pick = page, pick
	m.Title = titleWith(&m.Tools, page.Title)
	return s.render(c, http.StatusOK, views.Compare(m))
}

func (s *Server) presentCompare(v *review.CompareView, titles map[string]string, q releaseRequest) views.ComparePage {
	old, new := listingTitle(v.From, titles), listingTitle(v.To, titles)
	badge := views.ClassBadge(v.Report.Class)
	m := views.ComparePage{Heading: views.Say(old + " → " + new), Class: &badge, Sub: compareSub(v.Report)}
	if len(v.Report.Changes) == 0 {
		m.Class, m.Same = nil, views.Say("Nothing differs.")
		if v.From.RawHash == v.To.RawHash {
			m.Same = views.Say("Nothing differs, to the byte.")
		}
		return m
	}
	p := s.comparePresenter(v, old, new, q)
	links := func(ch *change.Change) views.NameLink {
		return views.NameLink{Name: views.ShowName(ch.Name()), URL: p.toolURL(ch.ID)}
	}
	m.Folded = foldLines(v.Report, links)
	m.Alerts = alertsOf(v.Report, p.toolLinks)
	m.Tools = *p.tools()
	return m
}

func listingTitle(l review.ListingInfo, titles map[string]string) string {
	if l.ID == "" {
		return "nothing"
	}
	return cmpOr(titles[l.ID], "#"+l.Digest.Short())
}

func compareSub(r *change.Report) []string {
	sub := countWords(r.Counts)
	if r.CachePrefixKept > 0 {
		sub = append(sub, "the first "+toolCount(r.CachePrefixKept)+" keep their bytes")
	}
	return sub
}

// comparePresenter shows a comparison by the presenter of releases: a release that
// nobody can decide.
func (s *Server) comparePresenter(v *review.CompareView, old, new string, q releaseRequest) *releasePresenter {
	why := "Decisions are taken in the review of a release."
	rv := &review.ReleaseView{
		Server: v.Server, Role: people.Viewer, Listing: v.To, Report: v.Report, Old: v.Old, New: v.New,
		Release: review.Release{Version: new}, Base: &review.Release{Version: old},
		Actions: review.Actions{Comment: why},
	}
	for _, ch := range v.Report.Changes {
		rv.Changes = append(rv.Changes, review.Decided{Change: ch, CannotWhy: why})
	}
	p := &releasePresenter{s: s, v: rv, q: q, index: map[string]int{}, whole: v.New}
	p.compare = &comparison{at: []string{"servers", v.Server.Slug, "compare"}, params: []string{"from", v.From.ID, "to", v.To.ID}}
	for i := range rv.Changes {
		p.index[rv.Changes[i].ID] = i
		p.answers = append(p.answers, answers{})
	}
	return p
}

// comparison is set when the presenter shows two listings instead of a release as it is
// decided: the address that its tools are at.
type comparison struct {
	at     []string // segments
	params []string // names and values that it always has
	beside string   // what else the page speaks of, "" for nothing
}

func (c *comparison) path(tool, names string) string {
	return path(c.at, append(slices.Clone(c.params), "tool", tool, "q", names)...)
}

// hidden are the parameters as fields of a form.
func (c *comparison) hidden() []views.HiddenField {
	var out []views.HiddenField
	for i := 0; i+1 < len(c.params); i += 2 {
		if c.params[i+1] != "" {
			out = append(out, views.HiddenField{Name: c.params[i], Value: c.params[i+1]})
		}
	}
	return out
}
