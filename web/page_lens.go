package web

import (
	"fmt"
	"net/http"
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

// A listing, a release and one tool of them can be looked at through a host: as the
// model behind it would read them.

// knownHost refuses what is no host to look through. Providers send nothing themselves.
func knownHost(id string) error {
	if h, err := host.Lookup(id); err != nil || h.IsProvider() {
		return errNoHost(id)
	}
	return nil
}

// modeWords are the configurations of hosts as people would say them. One whose words
// are true of one host only stands there behind the id of that host.
var modeWords = map[string]string{
	"plain": "as it comes", "toff": "tool search off", "round": "after a tool search", "yolo": "all tools approved", "prefix": "server names in front",
	"anthropic": "with Anthropic's API", "openai": "with OpenAI's API", "google": "with Gemini", "resp": "with OpenAI's Responses API", "chat": "with OpenAI's chat API",
	"codex plain": "with a model that has no tool search", "codex gpt-5.5": "with gpt-5.5, which searches tools", "codex gpt-5.5-round": "with gpt-5.5, after a tool search",
}

// modeName says how a host is configured.
func modeName(hostID, variant string) string {
	if words, ok := modeWords[hostID+" "+variant]; ok {
		return words
	}
	if words, ok := modeWords[variant]; ok {
		return words
	}
	return "configured as " + variant
}

func errNoHost(id string) error {
	return review.Errorf(review.NotFound, "There is no host %.60q to look through. Choose one of the list.", id)
}

// lensPage shows one tool through one host.
func (s *Server) lensPage(c echo.Context, base string) error {
	position, err := positionOf(c, "tool")
	if err != nil {
		return err
	}
	id := cmpOr(c.QueryParam("host"), lensDefault)
	if err := knownHost(id); err != nil {
		return err
	}
	v, err := s.svc.Lens(c.Request().Context(), s.actor(c), c.Param("id"), base, id, position)
	if err != nil {
		return err
	}
	m, err := s.hostsFrame(c, &v.Server, v.Listing, v.Base)
	if err != nil {
		return err
	}
	p := lensPresenter{v: v, base: base, position: position}
	lens := p.view()
	m.State, m.Lens = p.state(), &lens
	return s.render(c, http.StatusOK, views.Hosts(m))
}

// lensPresenter shows one tool through one host.
type lensPresenter struct {
	v        *review.LensView
	base     string
	position int
}

func (p lensPresenter) at(position int) string {
	return hostsPath(p.v.Server.Slug, p.v.Listing.ID, "base", p.base, "host", p.v.Profile.ID, "tool", strconv.Itoa(position))
}

func (p lensPresenter) state() views.GateBar {
	switch {
	case p.v.New.Sent == nil:
		return gateBar(gate.Blocked, p.v.Profile.Name+" does not send this tool.")
	case len(p.v.New.Lost) > 0:
		return gateBar(gate.Undecided, p.v.Profile.Name+" sends this tool, and not all of it.")
	}
	return gateBar(gate.Pass, p.v.Profile.Name+" passes everything on that it knows of.")
}

func (p lensPresenter) view() views.HostLens {
	slug, id, h := p.v.Server.Slug, p.v.Listing.ID, p.v.Profile
	name := toolName(p.v.New.Listed.Name, p.position)
	l := views.HostLens{
		Tool: views.ShowName(name), Name: h.Name, About: append(standing(h.Version, h.Verified), modeName(h.ID, h.Mode)),
		URL: hostsPath(slug, id), Back: hostsPath(slug, id, "base", p.base),
		Hidden: []views.Hidden{{Name: "tool", Value: strconv.Itoa(p.position)}},
	}
	if p.v.Doubtful {
		l.About = append(l.About, doubtWords)
	}
	if p.base != "" {
		l.Hidden = append(l.Hidden, views.Hidden{Name: "base", Value: p.base})
	}
	l.Hosts = hostPlaces(h.ID)
	if p.position > 1 {
		l.Prev = p.at(p.position - 1)
	}
	if p.position < p.v.Listing.ToolCount {
		l.Next = p.at(p.position + 1)
	}
	if p.v.Old != nil {
		l.Sides = append(l.Sides, lensSide(p.v.Profile, "Before", p.v.Old))
	}
	label := "Now"
	if p.v.Old == nil {
		label = "As listed"
	}
	l.Sides = append(l.Sides, lensSide(p.v.Profile, label, &p.v.New))
	l.Words = views.Texts(sentWords(p.v.Old), sentWords(&p.v.New), "before", "now")
	l.Schema = views.Texts(sentSchema(p.v.Old), sentSchema(&p.v.New), "before", "now")
	l.Schema.Code = true
	return l
}

// hostPlaces lists the programs to choose from.
func hostPlaces(chosen string) []views.Place {
	var out []views.Place
	for _, h := range host.Profiles() {
		if !h.IsProvider() {
			out = append(out, views.Place{Value: h.ID, Label: h.Name, Chosen: h.ID == chosen})
		}
	}
	return out
}

// lensSide shows a tool as listed, with a ruler where the host cuts.
func lensSide(h *host.Profile, label string, seen *review.Seen) views.LensSide {
	v := views.LensSide{Label: label, Digest: seen.Listed.Digest.Short()}
	words, ok := seen.Listed.Description()
	if !ok || words == "" {
		v.NoWords = "Listed without a description."
	}
	v.Kept = prose.Show(words)
	if seen.Sent == nil {
		v.NotSent = views.Say(notSentWhy(h, seen.Lost))
	} else {
		v.Name = views.ShowName(sentName(seen.Sent))
		if front, behind := h.Cut(words); behind != "" {
			v.Kept, v.Cut = prose.Show(front), prose.Show(behind)
			v.Ruler = rulerAt(h, h.Description.Limit)
		}
	}
	v.Lost = lensLosses(seen.Lost)
	return v
}

// rulerAt says what a ruler marks at the cut of a host.
func rulerAt(h *host.Profile, limit int) string {
	return fmt.Sprintf("%s cuts here, after %s UTF-16 units: what follows is not sent", h.Name, thousands(limit))
}

func lensLosses(lost []host.Loss) []views.LensLoss {
	var out []views.LensLoss
	for _, l := range lost {
		loss := views.LensLoss{Badge: lossBadge(l.What), Detail: views.Say(l.Detail)}
		if l.Pointer != "" {
			loss.Pointer = prose.Show(l.Pointer)
		}
		out = append(out, loss)
	}
	return out
}

func notSentWhy(h *host.Profile, lost []host.Loss) string {
	for _, l := range lost {
		switch {
		case !l.Gone || l.Detail == "":
		case strings.HasPrefix(l.Detail, h.Name):
			return "Not sent. " + l.Detail
		default:
			return "Not sent by " + h.Name + ": " + l.Detail
		}
	}
	return "Not sent by " + h.Name + "."
}

func sentName(s *host.Sent) string {
	if s.Group != "" {
		return s.Group + " / " + s.Name
	}
	return s.Name
}

// sentWords is the description as sent; nil when the tool is not.
func sentWords(seen *review.Seen) *string {
	if seen == nil || seen.Sent == nil || seen.Sent.Description == "" {
		return nil
	}
	return &seen.Sent.Description
}

func sentSchema(seen *review.Seen) *string {
	if seen == nil || seen.Sent == nil || seen.Sent.Schema == nil {
		return nil
	}
	return indented(string(seen.Sent.Schema))
}

// lensPlaces are the hosts to look through, and none.
func lensPlaces(chosen string) []views.Place {
	return append([]views.Place{{Label: "raw, as listed", Chosen: chosen == ""}}, hostPlaces(chosen)...)
}

// crossing is a tool on its way through a host.
type crossing struct {
	tool *surface.Tool
	sent *host.Sent // nil when it does not reach the model
	lost []host.Loss
}

// crossings are the tools of a listing in the order in which a host sends them, and
// behind them those that it does not send.
func crossings(l *surface.Listing, r *host.Rendering) []crossing {
	lost := map[int][]host.Loss{}
	for _, loss := range r.Lost {
		lost[loss.Position] = append(lost[loss.Position], loss)
	}
	sent := map[int]bool{}
	var out []crossing
	for i := range r.Tools {
		for j := range r.Tools[i].Tools {
			s := &r.Tools[i].Tools[j]
			sent[s.Position] = true
			out = append(out, crossing{&l.Tools[s.Position-1], s, lost[s.Position]})
		}
	}
	for i := range l.Tools {
		if t := &l.Tools[i]; !sent[t.Position] {
			out = append(out, crossing{t, nil, lost[t.Position]})
		}
	}
	return out
}

// readThrough shows the tools of a listing as a host sends them, and says whether a
// capture of the server contradicts the host's profile.
func (p listingPresenter) readThrough(v *review.RenderingView, from string) *views.ListingTools {
	all := crossings(p.l, v.Rendering)
	t, start, end := p.readPage(from, len(all))
	t.Through = p.through(v)
	if v.Doubtful {
		t.Through.About = append(t.Through.About, doubtWords)
	}
	for _, c := range all[start-1 : end] {
		t.Tools = append(t.Tools, p.readCrossing(v.Profile, c))
	}
	return t
}

// through is what a host makes of the listing as a whole.
func (p listingPresenter) through(v *review.RenderingView) *views.ListingThrough {
	h, r := v.Profile, v.Rendering
	n := 0
	for i := range r.Tools {
		n += len(r.Tools[i].Tools)
	}
	t := &views.ListingThrough{
		Name: h.Name, About: append(standing(h.Version, h.Verified), modeName(h.ID, h.Mode), thousands(n)+" of "+toolCount(len(p.l.Tools))+" sent"),
		HostsURL: hostsPath(v.Server.Slug, v.Listing.ID), CostURL: costPath(v.Server.Slug, v.Listing.ID, "host", h.ID),
	}
	if r.Failed != "" {
		t.Failed = views.Say("It does not start: " + r.Failed + ".")
	}
	if most, by := h.Most(); by != h.ID && most > 0 && n > most {
		t.Failed = views.Say(host.NameOf(by) + " takes " + toolCount(most) + ": it refuses the request, and none of them reaches the model.")
	}
	for _, l := range r.Lost {
		if l.Position == 0 && l.Pointer != instructionsAt {
			t.Lost = append(t.Lost, lensLosses([]host.Loss{l})...)
		}
	}
	if in := p.l.Instructions; in.Present && in.Text != "" {
		t.Words = instructionsThrough(h, r, in.Text)
	}
	return t
}

// instructionsAt is the pointer of what is lost of instructions.
const instructionsAt = "/instructions"

// instructionsThrough shows what a host passes on of the instructions.
func instructionsThrough(h *host.Profile, r *host.Rendering, listed string) *views.RuledText {
	if len(r.Instructions) == 0 {
		return &views.RuledText{Kept: prose.Show(listed), NotSent: views.Say(h.Name + " does not pass the instructions of a server on.")}
	}
	t := &views.RuledText{Kept: prose.Show(r.Instructions[0].Text), Where: r.Instructions[0].Where}
	if _, behind := h.CutInstructions(listed); behind != "" {
		t.Ruler, t.Cut = rulerAt(h, h.Instructions.Limit), prose.Show(behind)
	}
	return t
}

// readCrossing is what a model reads of one tool behind a host. What is not sent stands
// there as listed, and is marked.
func (p listingPresenter) readCrossing(h *host.Profile, c crossing) views.ReadTool {
	v := p.readTool(c.tool)
	v.Hints, v.Title = nil, nil // no host sends them
	v.Lost = lossBadges(c.lost)
	if c.sent == nil {
		v.NotSent = views.Say(notSentWhy(h, c.lost))
		return v
	}
	if !strings.Contains(c.sent.Name, c.tool.Name) {
		v.Listed = v.Name
	}
	v.Name = views.ShowName(sentName(c.sent))
	v.Params = paramsOf(c.sent.Schema)
	v.Words, v.NoWords = prose.Show(c.sent.Description), c.sent.Description == ""
	listed, _ := c.tool.Description()
	if _, behind := h.Cut(listed); behind != "" {
		v.Ruler, v.Cut = rulerAt(h, h.Description.Limit), prose.Show(behind)
	}
	return v
}

// lossBadges count what a tool loses, worst first.
func lossBadges(lost []host.Loss) []views.Badge {
	kinds := lossesByKind(lost)
	var out []views.Badge
	for _, look := range lossLooks {
		if n := kinds[look.what]; n > 0 {
			b := look.badge
			if n > 1 {
				b.Word = thousands(n) + " " + b.Word
			}
			out = append(out, b)
		}
	}
	return out
}
