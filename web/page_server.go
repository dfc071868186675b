package web

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/people"
	"github.com/countersign/countersign/review/surface"
	"github.com/countersign/countersign/views"
)

func (s *Server) serversPage(c echo.Context) error {
	list, err := s.svc.Servers(c.Request().Context(), s.actor(c))
	if err != nil {
		return err
	}
	return s.render(c, http.StatusOK, views.Servers(views.ServersPage{
		Page: s.page(c, "Servers", "servers"), Servers: s.serverLines(list), AddURL: s.addServerURL(c),
	}))
}

// presetChoices is the one question that a policy starts from.
func presetChoices(chosen gate.Preset) []views.Choice {
	list := []views.Choice{
		{Value: string(gate.JustMe), Title: "Just me", Text: "Wording passes by rule. What changes behaviour asks you; what breaks callers asks you for a reason."},
		{Value: string(gate.Team), Title: "A team", Text: "Every change asks somebody other than its author. What breaks callers asks an owner, with a reason."},
		{Value: string(gate.NotOurServer), Title: "It is not our server", Text: "Every change asks somebody. Hidden characters block."},
	}
	for i := range list {
		list[i].Checked = list[i].Value == string(chosen)
	}
	return list
}

func (s *Server) newServerPage(c echo.Context) error {
	return s.renderNewServer(c, http.StatusOK, views.ServerNewPage{Presets: presetChoices(gate.Team)})
}

func (s *Server) renderNewServer(c echo.Context, status int, p views.ServerNewPage) error {
	p.Page = s.page(c, "Add a server", "servers", serversCrumb)
	p.Width = narrow
	return s.render(c, status, views.ServerNew(p))
}

// addServerForm registers a server and shows its secret, once: the answer to the
// form itself, so that the secret is never kept anywhere to be shown later.
func (s *Server) addServerForm(c echo.Context) error {
	form, err := s.form(c)
	if err != nil {
		return err
	}
	n := review.NewServer{Slug: strings.TrimSpace(form.Get("slug")), Name: form.Get("name"), Preset: gate.Preset(form.Get("preset"))}
	srv, secret, err := s.svc.AddServer(c.Request().Context(), s.actor(c), n)
	if fault, ok := sentenceOf(err); ok {
		return s.renderNewServer(c, describe(err, "").Status, views.ServerNewPage{
			Name: n.Name, Slug: n.Slug, Presets: presetChoices(n.Preset), Fault: fault,
		})
	}
	if err != nil {
		return err
	}
	p := views.SecretPage{
		Page: s.page(c, srv.Name+" is registered", "servers", serversCrumb), Heading: srv.Name + " is registered",
		Lead:   "Keep it where your CI keeps its secrets, as COUNTERSIGN_WEBHOOK_SECRET.",
		Secret: secret, Command: s.pushCommand(srv.Slug),
		Next:    views.Link{Text: "I have kept it: wait for the first push", URL: serverPath(srv.Slug) + "/connect"},
		Arrived: "I have kept it: review the first push",
		PollURL: serverPath(srv.Slug) + "/connect/state", LiveURL: serverPath(srv.Slug) + "/events", Waiting: waitingSentence,
	}
	p.Width = narrow
	return s.render(c, http.StatusCreated, views.Secret(p))
}

// pushCommand is what CI runs.
func (s *Server) pushCommand(slug string) string {
	return fmt.Sprintf("countersign push listing.json \\\n  --to %s \\\n  --server %s --version 1.0.0 \\\n  --secret \"$COUNTERSIGN_WEBHOOK_SECRET\"", s.link(""), slug)
}

func (s *Server) rotateSecretForm(c echo.Context) error {
	slug := c.Param("server")
	secret, err := s.svc.RotateSecret(c.Request().Context(), s.actor(c), slug)
	if err != nil {
		return err
	}
	p := views.SecretPage{
		Page: s.page(c, "New webhook secret", "servers", serversCrumb), Heading: "New webhook secret for " + slug,
		Lead: "Put it into your CI within 24 hours: so long the old one is accepted too.", Secret: secret,
		Next: views.Link{Text: "Back to the server", URL: serverPath(slug)},
	}
	p.Width = narrow
	return s.render(c, http.StatusOK, views.Secret(p))
}

const waitingSentence = "Waiting for the first push."

// arrival is what became of the first pushes to a server.
type arrival struct {
	State    string // "waiting", "arrived", "refused"
	Text     string
	delivery *review.Delivery
}

// arrivalOf looks at the newest delivery: whatever a later push says counts.
func (s *Server) arrivalOf(ctx context.Context, a review.Actor, slug string) (arrival, error) {
	list, err := s.svc.Deliveries(ctx, a, slug, review.Page{Limit: 1})
	if err != nil || len(list) == 0 {
		return arrival{State: "waiting", Text: waitingSentence}, err
	}
	d := &list[0]
	if d.ReleaseID == "" {
		return arrival{State: "refused", Text: d.Outcome, delivery: d}, nil
	}
	return arrival{State: "arrived", Text: "The first push arrived. " + d.Outcome, delivery: d}, nil
}

// live is the arrival as a page that waits is told of it.
func (a arrival) live() liveState {
	now := liveState{State: a.State, Text: a.Text}
	if a.delivery != nil && a.delivery.ReleaseID != "" {
		now.Next = releasePath(a.delivery.ReleaseID)
	}
	return now
}

// connectState answers the module that waits for the first push.
func (s *Server) connectState(c echo.Context) error {
	a, err := s.arrivalOf(c.Request().Context(), s.actor(c), c.Param("server"))
	if err != nil {
		return err
	}
	c.Response().Header().Set(echo.HeaderCacheControl, "no-store")
	return c.JSON(http.StatusOK, a.live())
}

// waitAgain is how often, in seconds, a browser without scripts asks again.
const waitAgain = 5

var arrivalLooks = map[string]views.Badge{
	"waiting": {Tone: views.Plain, Icon: "wait"}, "arrived": {Tone: views.OK, Icon: "check"}, "refused": {Tone: views.Bad, Icon: "cross"},
}

// connectPage waits for the first push, then shows it, or why it failed.
func (s *Server) connectPage(c echo.Context) error {
	view, err := s.svc.Server(c.Request().Context(), s.actor(c), c.Param("server"))
	if err != nil {
		return err
	}
	srv := &view.Server
	a, err := s.arrivalOf(c.Request().Context(), s.actor(c), srv.Slug)
	if err != nil {
		return err
	}
	look := arrivalLooks[a.State]
	p := views.ConnectPage{
		Page: s.page(c, "Connect "+srv.Slug, "servers", serversCrumb, serverCrumb(srv)), Server: views.ShowName(srv.Name),
		Command: s.pushCommand(srv.Slug), PollURL: serverPath(srv.Slug) + "/connect/state", LiveURL: serverPath(srv.Slug) + "/events", RotateURL: serverPath(srv.Slug) + "#settings",
		State: a.State, Tone: look.Tone, Icon: look.Icon, Status: views.Say(a.Text),
	}
	p.Width = narrow
	if a.State != "arrived" {
		p.Refresh = waitAgain
	}
	if a.delivery != nil {
		p.When = s.when(a.delivery.ReceivedAt)
		p.Problems = problems(a.delivery.Problems)
	}
	if a.State == "arrived" {
		p.PollURL, p.LiveURL = "", ""
		p.Next = &views.Link{Text: "Review it", URL: releasePath(a.delivery.ReleaseID)}
	}
	return s.render(c, http.StatusOK, views.Connect(p))
}

// serverListings is how many listings a server's page lists at once, and offers for
// comparing.
const serverListings = 20

func (s *Server) serverPage(c echo.Context) error {
	view, err := s.svc.Server(c.Request().Context(), s.actor(c), c.Param("server"))
	if err != nil {
		return err
	}
	newest, shown, err := s.listingsAsked(c, view.Server.Slug)
	if err != nil {
		return err
	}
	p := s.presentServerPage(view, firstOf(shown, serverListings))
	p.OlderL, p.NewestL = listingLinks(c, view.Server.Slug, shown)
	if p.Charts, err = s.charts(c, view); err != nil {
		return err
	}
	if err := s.olderReleases(c, view, &p); err != nil {
		return err
	}
	if err := s.newestListing(c, &view.Server, newest, &p); err != nil {
		return err
	}
	live, err := s.svc.Endpoints(c.Request().Context(), s.actor(c), view.Server.Slug)
	if err != nil {
		return err
	}
	if p.Import, err = s.importLine(c, view.Server.Slug); err != nil {
		return err
	}
	p.Live, p.EndpointsURL = s.endpointLines(live), endpointsPath(view.Server.Slug)
	p.Page = s.page(c, view.Server.Name, "servers", serversCrumb)
	return s.render(c, http.StatusOK, views.Server(p))
}

// listingsAsked are the newest listing of a server, nil when there is none, and those to
// show: from the one before which the address asks, or from the newest, and one more
// than a page shows where there is one.
func (s *Server) listingsAsked(c echo.Context, slug string) (newest *review.ListingInfo, shown []review.ListingInfo, err error) {
	list := func(before string) ([]review.ListingInfo, error) {
		return s.svc.Listings(c.Request().Context(), s.actor(c), slug, review.Page{Limit: serverListings + 1, Before: before})
	}
	shown, err = list("")
	if err != nil || len(shown) == 0 {
		return nil, nil, err
	}
	newest = &shown[0]
	if before := c.QueryParam("listed"); before != "" {
		older, err := list(before)
		if err != nil {
			return nil, nil, err
		}
		if len(older) > 0 {
			shown = older
		}
	}
	return newest, shown, nil
}

// listingLinks lead to the listings before those that are shown, and back to the newest;
// each is "" where there is nothing to lead to.
func listingLinks(c echo.Context, slug string, shown []review.ListingInfo) (older, newest string) {
	if len(shown) > serverListings {
		older = serverPath(slug, "listed", shown[serverListings-1].ID) + "#listings"
	}
	if c.QueryParam("listed") != "" {
		newest = serverPath(slug) + "#listings"
	}
	return older, newest
}

// newestListing fills in what the page says of the newest listing: where it is, and the
// families of its tools.
func (s *Server) newestListing(c echo.Context, srv *review.Server, newest *review.ListingInfo, p *views.ServerPage) error {
	if newest == nil {
		return nil
	}
	l, _, err := s.svc.Listing(c.Request().Context(), s.actor(c), newest.ID)
	if err != nil {
		return err
	}
	p.ListingURL = listingPath(srv.Slug, l.ID)
	if newest.Kind == surface.KindListing {
		p.Together = togetherPath("listing", l.ID)
	}
	p.Families = groupingOf(l.Surface, srv.Families(toolNames(l.Surface)), p.ListingURL)
	return nil
}

func firstOf[T any](list []T, n int) []T { return list[:min(n, len(list))] }

// serverReleases is how many releases a server's page lists at once, as the
// service gives them.
const serverReleases = 50

// olderReleases turns to the older releases when the address asks for them.
func (s *Server) olderReleases(c echo.Context, view *review.ServerView, p *views.ServerPage) error {
	list := view.Releases
	if before := c.QueryParam("before"); before != "" {
		var err error
		list, err = s.svc.Releases(c.Request().Context(), s.actor(c), view.Server.Slug, "", "", review.Page{Limit: serverReleases, Before: before})
		if err != nil {
			return err
		}
		p.Releases, p.Newest = s.releaseLines(list, nil, newestOpen(list)), serverPath(view.Server.Slug)
	}
	if len(list) >= serverReleases {
		p.Older = serverPath(view.Server.Slug, "before", list[len(list)-1].Release.ID)
	}
	return nil
}

func (s *Server) presentServerPage(v *review.ServerView, listings []review.ListingInfo) views.ServerPage {
	slug := v.Server.Slug
	p := views.ServerPage{
		Name: views.ShowName(v.Server.Name), Slug: slug, Gate: gateBar(v.Gate, serverWhy(*v)), Alarms: s.alarmLines(v.Alarms, nil),
		Releases: s.releaseLines(v.Releases, nil, newestOpen(v.Releases)), Profiles: s.profileLines(v), Settings: serverSettings(v),
	}
	if v.Role.AtLeast(people.Reviewer) {
		p.PushURL = serverPath(slug) + "/push"
	}
	if len(listings) == 0 {
		p.Command, p.ConnectURL = s.pushCommand(slug), serverPath(slug)+"/connect"
		return p
	}
	if v.Overridden {
		p.Gate.Tone, p.Gate.Icon = views.OverrideBadge.Tone, views.OverrideBadge.Icon
	}
	for _, r := range v.Releases {
		if r.State == review.StateInReview || r.State == review.StateReady {
			p.Gate.Next = &views.Link{Text: "Review " + views.ShowName(r.Release.Title()).String(), URL: releasePath(r.Release.ID)}
			break
		}
	}
	titles := titlesOf(v.Releases)
	for _, l := range listings {
		p.Listings = append(p.Listings, s.listingLine(slug, l))
	}
	if len(listings) > 1 {
		from, to := comparedFirst(listings, 0)
		p.Compare = &views.CompareForm{URL: serverPath(slug) + "/compare", From: s.listingPlaces(listings, titles, listings[from].ID), To: s.listingPlaces(listings, titles, listings[to].ID)}
	}
	return p
}

// titlesOf names listings by the releases that they are the heads of.
func titlesOf(releases []review.ReleaseSummary) map[string]string {
	titles := map[string]string{}
	for _, r := range releases {
		titles[r.Release.Head.ListingID] = r.Release.Title()
	}
	return titles
}

func (s *Server) listingPlaces(list []review.ListingInfo, titles map[string]string, chosen string) []views.Place {
	var out []views.Place
	for _, l := range list {
		label := strings.TrimSpace(titles[l.ID] + " #" + l.Digest.Short())
		out = append(out, views.Place{Value: l.ID, Label: label + ", " + s.ago(l.ReceivedAt), Chosen: l.ID == chosen})
	}
	return out
}

func (s *Server) listingLine(slug string, l review.ListingInfo) views.ListingLine {
	line := views.ListingLine{
		URL: listingPath(slug, l.ID), Digest: l.Digest.Short(), When: s.when(l.ReceivedAt), Tools: toolCount(l.ToolCount),
		Shape: string(l.Shape), Profile: profileName(l.Profile, review.DefaultProfile),
	}
	switch {
	case l.Kind != surface.KindListing:
		line.Tag = &views.Badge{Tone: views.Warn, Icon: "bang", Word: string(l.Kind)}
	case !l.Complete:
		line.Tag = &views.Badge{Tone: views.Warn, Icon: "bang", Word: "incomplete"}
	}
	return line
}

func (s *Server) profileLines(v *review.ServerView) []views.ProfileLine {
	var out []views.ProfileLine
	for _, p := range v.Profiles {
		line := views.ProfileLine{Name: views.ShowName(p.Name), Baseline: views.Say("No starting point yet.")}
		if b := p.Baseline; b != nil {
			line.Baseline = views.Say("Starting point accepted by " + b.ByLabel + " on " + s.day(b.At) + ".")
		}
		for _, r := range v.Releases {
			if r.Release.Profile == p.Name && r.State == review.StateReleased {
				line.Last = views.ShowName(r.Release.Title())
				break
			}
		}
		out = append(out, line)
	}
	return out
}

func serverSettings(v *review.ServerView) *views.SettingsView {
	out := &views.SettingsView{PolicyURL: policyPath(v.Server.Slug), PolicyVersion: strconv.Itoa(v.Server.Policy.Version), NamesURL: serverPath(v.Server.Slug) + "/aliases", TeamsURL: teamsPath(v.Server.Slug), EndpointsURL: endpointsPath(v.Server.Slug)}
	for _, c := range presetChoices(v.Server.Policy.Preset) {
		if c.Checked {
			out.Reviews = c.Title
		}
	}
	if v.Role.AtLeast(people.Maintainer) {
		out.RotateURL = serverPath(v.Server.Slug) + "/secret"
	}
	return out
}
