package web

import (
	"strconv"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/host"
	"github.com/countersign/countersign/review/people"
	"github.com/countersign/countersign/review/prose"
	"github.com/countersign/countersign/views"
)

// seenTools is how many tools of a capture, and seenHosts how many captures, the
// page lists.
const (
	seenTools = 100
	seenHosts = 10
)

// addCaptures puts what hosts were seen to send on the page of hosts, and the forms
// for who may use them.
func (s *Server) addCaptures(m *views.HostsPage, v *review.HostsView) {
	for i := range v.Captures[:min(len(v.Captures), seenHosts)] {
		m.Seen = append(m.Seen, s.seenHost(v.Server.Slug, &v.Captures[i]))
	}
	slug, id := v.Server.Slug, v.Listing.ID
	if v.Role.AtLeast(people.Reviewer) {
		hosts := append([]views.Place{{Label: "Tell by the request", Chosen: true}}, hostModes("")...)
		m.Capture = &views.CaptureForm{URL: path([]string{"servers", slug, "listings", id, "captures"}), Slug: slug, Hosts: hosts}
	}
	if v.Role.AtLeast(people.Maintainer) {
		m.Limits = limitsFormOf(v)
	}
}

func limitsFormOf(v *review.HostsView) *views.LimitsForm {
	l := v.Server.Policy.Limits
	f := &views.LimitsForm{
		URL: path([]string{"servers", v.Server.Slug, "limits"}), Back: hostsPath(v.Server.Slug, v.Listing.ID),
		Ceiling: limitText(l.Ceiling), Growth: limitText(l.Growth),
	}
	asked := map[string]bool{}
	for _, id := range l.Hosts {
		asked[id] = true
	}
	for _, h := range host.Profiles() {
		f.Hosts = append(f.Hosts, views.Choice{Value: h.ID, Title: h.Name, Checked: asked[h.ID]})
	}
	return f
}

func limitText(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

func (s *Server) seenHost(slug string, v *review.CaptureView) views.SeenHost {
	c := v.Compared
	seen := views.SeenHost{
		Badge: views.Badge{Tone: views.OK, Icon: "check", Word: "as predicted"}, Title: host.NameOf(v.Host) + " " + v.Version,
		When: s.when(v.At), By: prose.Show(v.ByLabel), Facts: []string{toolCount(len(c.Tools)), modeName(v.Host, v.Variant)},
	}
	if v.Doubt {
		seen.Badge = views.Badge{Tone: views.Warn, Icon: "bang", Word: "differs"}
	}
	if c.Shape != "" { // else it was kept before definitions were
		seen.Fixture = path([]string{"servers", slug, "listings", v.ListingID, "captures", v.ID})
	}
	if c.Server != "" && c.Server != slug {
		seen.Facts = append(seen.Facts, "called "+prose.Show(c.Server).String()+" there")
	}
	if c.Foreign > 0 {
		seen.Facts = append(seen.Facts, plural(c.Foreign, "tool of others, not kept", "tools of others, not kept"))
	}
	for _, t := range c.Tools[:min(len(c.Tools), seenTools)] {
		seen.Tools = append(seen.Tools, seenTool(t))
	}
	seen.Absent = seenLosses(c.Absent[:min(len(c.Absent), seenTools)], true)
	for _, t := range c.Added[:min(len(c.Added), seenTools)] {
		seen.Added = append(seen.Added, views.ShowName(t.Sent))
	}
	if len(c.Tools) > seenTools || len(c.Absent) > seenTools || len(c.Added) > seenTools {
		seen.More = "The first " + thousands(seenTools) + " of each are shown; the API has them all."
	}
	return seen
}

func seenTool(t host.Pair) views.SeenTool {
	v := views.SeenTool{
		Name: views.ShowName(toolName(t.Listed, t.Position)), Sent: views.ShowName(t.Sent), Lost: seenLosses(t.Lost, false),
		Badge: views.Badge{Tone: views.OK, Icon: "check", Word: "as predicted"},
	}
	if !t.AsMeant {
		v.Badge = views.Badge{Tone: views.Warn, Icon: "bang", Word: "differs"}
	}
	switch {
	case t.Got == nil:
	case t.Meant == nil:
		v.Unmeant = "We predicted that it is not sent."
	default:
		if t.Meant.Name != t.Got.Name {
			v.Unmeant = "We predicted the name " + views.ShowName(t.Meant.Name).String() + "."
		}
		v.Words = views.Texts(&t.Meant.Description, &t.Got.Description, "predicted", "sent")
		v.Schema = views.Texts(indented(string(t.Meant.Schema)), indented(string(t.Got.Schema)), "predicted", "sent")
		v.Schema.Code = true
	}
	return v
}

func seenLosses(lost []host.Loss, named bool) []views.LensLoss {
	var out []views.LensLoss
	for _, l := range lost {
		loss := views.LensLoss{Badge: lossBadge(l.What), Detail: views.Say(l.Detail)}
		switch {
		case named:
			loss.Pointer = views.ShowName(toolName(l.Tool, l.Position))
		case l.Pointer != "":
			loss.Pointer = prose.Show(l.Pointer)
		}
		out = append(out, loss)
	}
	return out
}
