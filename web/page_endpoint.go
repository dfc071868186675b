package web

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/people"
	"github.com/countersign/countersign/review/prose"
	"github.com/countersign/countersign/review/surface"
	"github.com/countersign/countersign/views"
)

func endpointsPath(slug string) string { return serverPath(slug) + "/endpoints" }

func endpointPath(slug, id string, more ...string) string {
	return path(append([]string{"servers", slug, "endpoints", id}, more...))
}

func driftPath(slug string, d *review.DriftView, act string) string {
	return endpointPath(slug, d.EndpointID, "drifts", d.ID, act)
}

// liveBadges say what runs, in a word.
var liveBadges = map[review.LiveState]views.Badge{
	review.LiveSame:       {Tone: views.OK, Icon: "check", Word: "as released"},
	review.LiveOlder:      {Tone: views.Plain, Icon: "minus", Word: "an earlier release"},
	review.LiveDiffers:    {Tone: views.Bad, Icon: "bang", Word: "drift"},
	review.LiveUnknown:    {Tone: views.Ask, Icon: "question", Word: "look at it"},
	review.LiveUnreleased: {Tone: views.Plain, Icon: "minus", Word: "nothing released"},
	review.LiveUnread:     {Tone: views.Warn, Icon: "wait", Word: "not read"},
}

// driftBadges say how loudly a drift is told.
var driftBadges = map[review.DriftLevel]views.Badge{
	review.DriftHigh:  {Tone: views.Bad, Icon: "bang", Word: "drift"},
	review.DriftQuiet: {Tone: views.Warn, Icon: "lines", Word: "small drift"},
	review.DriftAsks:  {Tone: views.Ask, Icon: "question", Word: "look at it"},
}

// driftBadge is the level of a drift, in a low voice when somebody knows of it.
func driftBadge(d *review.DriftView) views.Badge {
	b := driftBadges[d.Level]
	if d.Known != nil {
		b.Tone, b.Word = views.Plain, b.Word+", known"
	}
	return b
}

var neverRead = views.Badge{Tone: views.Plain, Icon: "wait", Word: "not read yet"}

// everyChoices are the intervals that the form offers.
var everyChoices = []struct {
	every time.Duration
	words string
}{
	{5 * time.Minute, "5 minutes"}, {15 * time.Minute, "15 minutes"}, {time.Hour, "hour"}, {6 * time.Hour, "6 hours"}, {24 * time.Hour, "day"},
}

func everyWords(d time.Duration) string {
	for _, c := range everyChoices {
		if c.every == d {
			return "every " + c.words
		}
	}
	return "every " + d.String()
}

func (s *Server) endpointsPage(c echo.Context) error {
	return s.renderEndpoints(c, http.StatusOK, endpointFault{})
}

// renderEndpoints shows the endpoints of a server, with what was refused or looked for in
// vain: notices of an endpoint outlive it.
func (s *Server) renderEndpoints(c echo.Context, status int, f endpointFault) error {
	v, err := s.svc.Endpoints(c.Request().Context(), s.actor(c), c.Param("server"))
	if err != nil {
		return err
	}
	p := views.EndpointsPage{
		Page: s.page(c, "Endpoints of "+v.Server.Name, "servers", serversCrumb, serverCrumb(&v.Server)), Server: views.ShowName(v.Server.Name),
		Endpoints: s.endpointLines(v), Gone: f.gone,
	}
	switch {
	case !v.May:
		p.Cannot = "This instance reads no live servers. An operator can change that with COUNTERSIGN_LIVE_READERS."
	case v.Role.AtLeast(people.Maintainer):
		p.Form = newEndpointForm(v.Server.Slug, f.form, f.said)
	}
	return s.render(c, status, views.Endpoints(p))
}

func newEndpointForm(slug string, form url.Values, fault views.Sentence) *views.EndpointForm {
	f := &views.EndpointForm{URL: endpointsPath(slug), Button: "Add endpoint", Fault: fault}
	every := time.Hour
	if form != nil {
		f.Name, f.Profile, f.Address, f.Headers = form.Get("name"), form.Get("profile"), form.Get("address"), form.Get("headers")
		every = everyOf(form)
	}
	f.Every = everyPlaces(every)
	return f
}

func everyPlaces(chosen time.Duration) []views.Place {
	var out []views.Place
	known := false
	for _, c := range everyChoices {
		known = known || c.every == chosen
		out = append(out, views.Place{Value: c.every.String(), Label: c.words, Chosen: c.every == chosen})
	}
	if !known && chosen > 0 {
		out = append(out, views.Place{Value: chosen.String(), Label: chosen.String(), Chosen: true})
	}
	return out
}

func everyOf(form url.Values) time.Duration {
	d, err := time.ParseDuration(form.Get("every"))
	if err != nil {
		return -1 // for the service to refuse
	}
	return d
}

// endpointLines shows endpoints with what runs there.
func (s *Server) endpointLines(v *review.EndpointsView) []views.EndpointLine {
	var out []views.EndpointLine
	for i := range v.Endpoints {
		e := &v.Endpoints[i]
		state, why := s.liveSays(e)
		line := views.EndpointLine{
			URL: endpointPath(v.Server.Slug, e.ID), Name: views.ShowName(e.Name), Profile: profileName(e.Profile, review.DefaultProfile), State: state, Why: why,
		}
		if e.Now != nil {
			line.When, line.Since = s.when(e.Now.LastAt), s.when(e.Now.FirstAt)
		}
		if v.May {
			line.ReadURL = endpointPath(v.Server.Slug, e.ID, "read")
		}
		out = append(out, line)
	}
	return out
}

// liveSays says what an endpoint runs. One that is not read is no drift, and says what
// it ran when it was.
func (s *Server) liveSays(e *review.EndpointView) (views.Badge, views.Sentence) {
	if e.Now == nil {
		return neverRead, views.Say("It is read soon.")
	}
	badge := liveBadges[e.Now.State]
	if e.Drift != nil && e.Now.State != review.LiveUnread {
		badge = driftBadge(e.Drift)
	}
	if e.Now.State == review.LiveUnread {
		if e.Drift != nil {
			return badge, views.Say("Not read since " + s.ago(e.Now.FirstAt) + ". The last reading was a drift. " + e.Now.Why)
		}
		return badge, views.Say("Not read since " + s.ago(e.Now.FirstAt) + ". This is not drift. " + e.Now.Why)
	}
	return badge, views.Say(e.Now.Why)
}

// addEndpointForm adds an endpoint.
func (s *Server) addEndpointForm(c echo.Context) error {
	form, err := s.form(c)
	if err != nil {
		return err
	}
	n, err := endpointOf(form, false)
	var e *review.Endpoint
	if err == nil {
		e, err = s.svc.AddEndpoint(c.Request().Context(), s.actor(c), c.Param("server"), n)
	}
	if fault, ok := mendable(err); ok {
		return s.renderEndpoints(c, describe(err, "").Status, endpointFault{form: form, said: fault})
	}
	if err != nil {
		return err
	}
	s.flash(c, flashDone, "The endpoint is added. It is read within a minute.")
	return c.Redirect(http.StatusSeeOther, endpointPath(c.Param("server"), e.ID))
}

// mendable is what an error says to who sent a form, where they can mend it, so that the
// form is shown again with what was typed.
func mendable(err error) (views.Sentence, bool) {
	switch review.KindOf(err) {
	case review.Invalid, review.Conflict, review.Stale, review.Unavailable:
		return views.Say(describe(err, "").Sentence), true
	}
	return nil, false
}

// endpointOf reads the form of an endpoint. Without headers one that is changed keeps
// those that it has.
func endpointOf(form url.Values, change bool) (review.NewEndpoint, error) {
	n := review.NewEndpoint{Name: form.Get("name"), Profile: form.Get("profile"), URL: form.Get("address"), Every: everyOf(form)}
	var err error
	if n.Headers, err = headersOf(form.Get("headers")); err != nil {
		return n, err
	}
	if n.Headers == nil && (!change || form.Get("drop") == "yes") {
		n.Headers = []review.Header{}
	}
	return n, nil
}

// headersOf reads headers, one in each line; nil for none.
func headersOf(text string) ([]review.Header, error) {
	var out []review.Header
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		name, value, ok := strings.Cut(line, ":")
		if !ok {
			// The line is not quoted: it may be a key.
			return nil, review.Errorf(review.Invalid, "Header %d must be a name and a value, such as Authorization: Bearer abc.", len(out)+1)
		}
		out = append(out, review.Header{Name: name, Value: value})
	}
	return out, nil
}

func (s *Server) endpointPage(c echo.Context) error {
	return s.renderEndpoint(c, http.StatusOK, endpointFault{})
}

// endpointFault is what was refused on the page of an endpoint, or of all of them.
type endpointFault struct {
	form   url.Values // of the endpoint's form
	know   url.Values // of the form that a drift is known
	said   views.Sentence
	ofForm bool
	gone   bool // there is no such endpoint
}

func (s *Server) renderEndpoint(c echo.Context, status int, f endpointFault) error {
	l, err := s.svc.Endpoint(c.Request().Context(), s.actor(c), c.Param("server"), c.Param("id"))
	if review.KindOf(err) == review.NotFound {
		return s.renderEndpoints(c, http.StatusNotFound, endpointFault{gone: true})
	}
	if err != nil {
		return err
	}
	e, slug := &l.Endpoints[0], l.Server.Slug
	maintains := l.Role.AtLeast(people.Maintainer)
	p := views.EndpointPage{
		Page: s.page(c, e.Name, "servers", serversCrumb, serverCrumb(&l.Server), views.NameLink{Name: prose.Show("Endpoints"), URL: endpointsPath(slug)}),
		Name: views.ShowName(e.Name), Address: prose.Show(e.URL), Profile: views.ShowName(e.Profile), Every: everyWords(e.Every), Next: s.nextReading(l),
	}
	p.State, p.Why = s.liveSays(e)
	if e.Now != nil {
		p.Since, p.Read = s.when(e.Now.FirstAt), s.when(e.Now.LastAt)
	}
	for _, h := range e.Headers {
		p.Headers = append(p.Headers, prose.Show(h))
	}
	if !f.ofForm {
		p.Fault = f.said
	}
	if maintains {
		p.RemoveURL, p.Form = endpointPath(slug, e.ID, "remove"), endpointFields(slug, e, f)
	}
	if l.May {
		p.ReadURL = endpointPath(slug, e.ID, "read")
	}
	if e.Drift != nil {
		p.Drift = s.driftCard(slug, e.Drift, maintains)
		if p.Drift.Know != nil {
			if err := s.fillKnow(c, p.Drift.Know, slug, e.Drift, f.know); err != nil {
				return err
			}
		}
		p.Told = e.Now != nil && e.Now.State != review.LiveUnread
	}
	for i := range l.Readings {
		r := &l.Readings[i]
		p.History = append(p.History, views.ReadingLine{State: liveBadges[r.State], Why: views.Say(r.Why), From: s.when(r.FirstAt), To: s.when(r.LastAt), Times: plural(r.Times, "reading", "readings")})
	}
	for i := range l.Drifts {
		if d := &l.Drifts[i]; !d.EndedAt.IsZero() {
			p.Past = append(p.Past, views.PastDrift{Level: driftBadges[d.Level], Why: views.Say(d.Why), Since: s.when(d.Since), Ended: s.when(d.EndedAt), How: views.Say(d.EndedWhy)})
		}
	}
	return s.render(c, status, views.OneEndpoint(p))
}

// nextReading says when an endpoint is read next.
func (s *Server) nextReading(l *review.EndpointLog) string {
	wait := l.Endpoints[0].Turn.Next.Sub(s.opt.Now())
	switch {
	case !l.May:
		return "never: this instance reads no live servers"
	case wait < time.Minute:
		return "within a minute"
	case wait < 2*time.Hour:
		return "in about " + plural(int(wait.Round(time.Minute).Minutes()), "minute", "minutes")
	}
	return "in about " + plural(int(wait.Round(time.Hour).Hours()), "hour", "hours")
}

func endpointFields(slug string, e *review.EndpointView, fault endpointFault) *views.EndpointForm {
	f := &views.EndpointForm{
		URL: endpointPath(slug, e.ID), Button: "Save", Name: e.Name, Profile: e.Profile, Address: e.URL, Every: everyPlaces(e.Every),
		Held: prose.Show(strings.Join(e.Headers, ", ")).String(),
	}
	if fault.ofForm {
		f.Name, f.Profile, f.Address, f.Headers = fault.form.Get("name"), fault.form.Get("profile"), fault.form.Get("address"), fault.form.Get("headers")
		f.Every, f.Fault = everyPlaces(everyOf(fault.form)), fault.said
	}
	return f
}

// driftCount says how often a drift was found.
func driftCount(d *review.Drift) string {
	return joinWords(plural(d.Times, "reading", "readings"), plural(d.Variants, "listing", "listings"))
}

var driftHeadings = map[review.DriftLevel]string{
	review.DriftHigh:  "Something that was never released",
	review.DriftQuiet: "A little different from the release",
	review.DriftAsks:  "Look at it",
}

func (s *Server) driftCard(slug string, d *review.DriftView, maintains bool) *views.DriftCard {
	card := &views.DriftCard{
		Level: driftBadge(d), Heading: driftHeadings[d.Level], Why: views.Say(d.Why), Since: s.when(d.Since), Count: driftCount(&d.Drift),
	}
	for _, f := range d.Findings {
		line := views.DriftFindingLine{Severity: views.SeverityBadge(f.Severity), Rule: f.Rule, Message: prose.Show(f.Message)}
		if f.Tool != "" {
			line.Tool = views.ShowName(f.Tool)
		}
		card.Findings = append(card.Findings, line)
	}
	if d.ListingID != "" && d.Release != nil {
		card.CompareURL, card.ListingURL = comparePath(slug, d.Release.Head.ListingID, d.ListingID), listingPath(slug, d.ListingID)
		if maintains {
			card.ReviewURL = driftPath(slug, d, "review")
		}
	}
	switch {
	case d.Known != nil:
		card.Known = &views.KnownCard{By: prose.Show(d.Known.ByLabel), Until: s.day(d.Known.Until), Reason: prose.Show(d.Known.Reason)}
		if maintains {
			card.Known.EndURL = driftPath(slug, d, "unknown")
		}
	case maintains:
		card.Know = &views.KnowForm{URL: driftPath(slug, d, "known"), Digest: d.Digest.String()}
	}
	return card
}

// fillKnow fills in what was typed into the form and refused, or else what was left in it.
func (s *Server) fillKnow(c echo.Context, f *views.KnowForm, slug string, d *review.DriftView, sent url.Values) error {
	kept, err := s.loadServerDrafts(c, slug)
	if err != nil {
		return err
	}
	draft, left := s.left(kept, targetKnown+d.EndpointID+" "+d.ID)
	if sent != nil {
		draft.Left = nil // sent just now
	} else {
		sent = left
	}
	f.Draft, f.Days, f.Reason = draft, cmpOr(sent.Get("days"), "7"), sent.Get("reason")
	return nil
}

// driftLines shows what goes on, for the first page.
func (s *Server) driftLines(list []review.DriftView, servers []review.ServerView) []views.DriftLine {
	byID := map[string]*review.Server{}
	for i := range servers {
		byID[servers[i].Server.ID] = &servers[i].Server
	}
	var out []views.DriftLine
	for i := range list {
		d := &list[i]
		srv := byID[d.ServerID]
		if srv == nil {
			continue
		}
		out = append(out, views.DriftLine{
			URL: endpointPath(srv.Slug, d.EndpointID), Server: views.ShowName(srv.Name), Name: views.ShowName(d.Endpoint.Name), Level: driftBadges[d.Level],
			Why: views.Say(d.Why), Since: s.when(d.Since), Count: driftCount(&d.Drift),
		})
	}
	return out
}

// changeEndpointForm changes an endpoint.
func (s *Server) changeEndpointForm(c echo.Context) error {
	form, err := s.form(c)
	if err != nil {
		return err
	}
	n, err := endpointOf(form, true)
	if err == nil {
		_, err = s.svc.ChangeEndpoint(c.Request().Context(), s.actor(c), c.Param("server"), c.Param("id"), n)
	}
	if fault, ok := mendable(err); ok {
		return s.renderEndpoint(c, describe(err, "").Status, endpointFault{form: form, said: fault, ofForm: true})
	}
	if err != nil {
		return err
	}
	s.flash(c, flashDone, "Saved. It is read within a minute.")
	return c.Redirect(http.StatusSeeOther, endpointPath(c.Param("server"), c.Param("id")))
}

func (s *Server) removeEndpointForm(c echo.Context) error {
	if err := s.svc.RemoveEndpoint(c.Request().Context(), s.actor(c), c.Param("server"), c.Param("id")); err != nil {
		return err
	}
	s.flash(c, flashDone, "The endpoint is removed.")
	return c.Redirect(http.StatusSeeOther, endpointsPath(c.Param("server")))
}

// readEndpointForm reads an endpoint while its asker waits.
func (s *Server) readEndpointForm(c echo.Context) error {
	l, err := s.svc.ReadEndpoint(c.Request().Context(), s.actor(c), c.Param("server"), c.Param("id"))
	if fault, ok := sentenceOf(err); ok && review.KindOf(err) == review.RateLimited {
		return s.renderEndpoint(c, describe(err, "").Status, endpointFault{said: fault})
	}
	if err != nil {
		return err
	}
	said := "It was read."
	if now := l.Endpoints[0].Now; now != nil && now.State == review.LiveUnread {
		said = "It did not answer with a listing."
	}
	s.flash(c, flashDone, said)
	return c.Redirect(http.StatusSeeOther, endpointPath(c.Param("server"), c.Param("id")))
}

// knowDriftForm says that somebody knows what runs.
func (s *Server) knowDriftForm(c echo.Context) error {
	form, err := s.form(c)
	if err != nil {
		return err
	}
	digest, err := surface.ParseHash(form.Get("digest"))
	if err != nil {
		return review.Errorf(review.Invalid, "The digest of what you saw is missing: open the endpoint again.")
	}
	n, _ := strconv.Atoi(form.Get("days"))
	err = s.svc.KnowDrift(c.Request().Context(), s.actor(c), c.Param("server"), c.Param("drift"), digest, n, form.Get("reason"))
	if fault, ok := mendable(err); ok {
		return s.renderEndpoint(c, describe(err, "").Status, endpointFault{know: form, said: fault})
	}
	if err != nil {
		return err
	}
	s.savedSettings(c, form)
	s.flash(c, flashDone, "Noted. It is told again when it changes.")
	return c.Redirect(http.StatusSeeOther, endpointPath(c.Param("server"), c.Param("id")))
}

func (s *Server) forgetKnownForm(c echo.Context) error {
	if err := s.svc.ForgetKnown(c.Request().Context(), s.actor(c), c.Param("server"), c.Param("drift")); err != nil {
		return err
	}
	s.flash(c, flashDone, "Taken back.")
	return c.Redirect(http.StatusSeeOther, endpointPath(c.Param("server"), c.Param("id")))
}

// reviewDriftForm pushes what runs as a ref and opens its review.
func (s *Server) reviewDriftForm(c echo.Context) error {
	p, err := s.svc.ReviewDrift(c.Request().Context(), s.actor(c), c.Param("server"), c.Param("drift"))
	if err != nil {
		return err
	}
	s.flash(c, flashDone, "Pushed as a ref, in your name. Nothing of it is approved.")
	return c.Redirect(http.StatusSeeOther, releasePath(p.Answer.Release.ID))
}
