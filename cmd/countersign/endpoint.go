package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/report"
)

type endpointCmd struct {
	List   endpointListCmd   `cmd:"" help:"List where a server runs, and what was read there last."`
	Add    endpointAddCmd    `cmd:"" help:"Add an address at which a server runs, to be read at intervals."`
	Read   endpointReadCmd   `cmd:"" help:"Read one now, and hold it against what is released."`
	Remove endpointRemoveCmd `cmd:"" help:"Remove one, with its headers and what was read there."`
}

// endpointLine is an endpoint as the commands print it, under the names of the API.
type endpointLine struct {
	ID       string           `json:"id"`
	Name     string           `json:"name"`
	Profile  string           `json:"profile"`
	URL      string           `json:"url"`
	Every    int              `json:"every_seconds"`
	Headers  []string         `json:"headers"` // names: the values are never given out again
	State    review.LiveState `json:"state"`   // "" before the first reading
	Why      string           `json:"why"`
	Release  string           `json:"release"` // version that it is, or was compared with; "" for none
	Digest   string           `json:"digest"`
	Tools    int              `json:"tools"`
	Complete bool             `json:"complete"`
	Since    *time.Time       `json:"since"`
	ReadAt   *time.Time       `json:"read_at"`
}

func endpointLineOf(v *review.EndpointView) endpointLine {
	l := endpointLine{
		ID: v.ID, Name: v.Name, Profile: v.Profile, URL: v.URL, Every: int(v.Every / time.Second), Headers: append([]string{}, v.Headers...),
	}
	if v.Release != nil {
		l.Release = v.Release.Title()
	}
	if now := v.Now; now != nil {
		since, read := now.FirstAt.UTC(), now.LastAt.UTC()
		l.State, l.Why, l.Tools, l.Complete, l.Since, l.ReadAt = now.State, now.Why, now.Tools, now.Complete, &since, &read
		if !now.Digest.IsZero() {
			l.Digest = now.Digest.String()
		}
	}
	return l
}

// text is the line for a person: what may come from the server is made visible.
func (l endpointLine) text() string {
	state, why := string(l.State), l.Why
	if l.ReadAt == nil {
		state, why = "not read yet", "It is read when the server runs, or by: countersign endpoint read"
	}
	return strings.Join([]string{report.Line(l.Name), l.Profile, report.Line(l.URL), state, report.Line(why)}, "\t")
}

type endpointListCmd struct {
	Slug string `arg:"" help:"The server."`
	JSON bool   `help:"Print JSON."`
}

// Run lists the endpoints of a server, by name.
func (c *endpointListCmd) Run(e *env) error {
	in, actor, err := administration(e.ctx, false)
	if err != nil {
		return err
	}
	defer in.close()
	v, err := in.svc.Endpoints(e.ctx, actor, c.Slug)
	if err != nil {
		return err
	}
	lines, text := []endpointLine{}, []string{}
	for i := range v.Endpoints {
		l := endpointLineOf(&v.Endpoints[i])
		lines, text = append(lines, l), append(text, l.text())
	}
	if len(lines) == 0 {
		text = append(text, "No endpoint yet. Add one: countersign endpoint add "+c.Slug+" NAME URL")
	}
	return say(e.stdout, c.JSON, map[string]any{"endpoints": lines}, "%s", strings.Join(text, "\n"))
}

type endpointAddCmd struct {
	Slug    string        `arg:"" help:"The server."`
	Name    string        `arg:"" help:"What people call it, such as 'EU production'."`
	URL     string        `arg:"" help:"Where the server answers MCP over Streamable HTTP."`
	Profile string        `help:"Profile that it should run." placeholder:"default"`
	Every   time.Duration `default:"1h" help:"How often it is read: 5m to 168h."`
	Header  []string      `help:"Header to send, sealed under SECRET." placeholder:"K:V" sep:"none"`
	JSON    bool          `help:"Print JSON."`
}

// Run adds an endpoint. It is read first by the server that runs, or by read.
func (c *endpointAddCmd) Run(e *env) error {
	given, err := headers(c.Header)
	if err != nil {
		return err
	}
	in, actor, err := administration(e.ctx, len(given) > 0)
	if err != nil {
		return err
	}
	defer in.close()
	n := review.NewEndpoint{Name: c.Name, Profile: c.Profile, URL: c.URL, Every: c.Every}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		for _, v := range given[name] {
			n.Headers = append(n.Headers, review.Header{Name: name, Value: v})
		}
	}
	made, err := in.svc.AddEndpoint(e.ctx, actor, c.Slug, n)
	if err != nil {
		return err
	}
	return say(e.stdout, c.JSON, endpointLineOf(&review.EndpointView{Endpoint: *made}), "Added %s to %s; it is read every %s.", report.Line(made.Name), c.Slug, made.Every)
}

// endpointArgs name one endpoint of a server.
type endpointArgs struct {
	Slug string `arg:"" help:"The server."`
	Name string `arg:"" help:"Name of the endpoint, or its id."`
}

// find returns the endpoint that is named.
func (c *endpointArgs) find(e *env, in *instance, a review.Actor) (*review.EndpointView, error) {
	v, err := in.svc.Endpoints(e.ctx, a, c.Slug)
	if err != nil {
		return nil, err
	}
	var names []string
	for i := range v.Endpoints {
		if f := &v.Endpoints[i]; f.Name == c.Name || f.ID == c.Name {
			return f, nil
		}
		names = append(names, v.Endpoints[i].Name)
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("the server %s has no endpoint; add one: countersign endpoint add %s NAME URL", c.Slug, c.Slug)
	}
	return nil, fmt.Errorf("the server %s has no endpoint %s; it has: %s", c.Slug, report.Line(c.Name), report.Line(strings.Join(names, ", ")))
}

type endpointReadCmd struct {
	endpointArgs
	JSON bool `help:"Print JSON."`
}

// Run reads an endpoint at once. Exits 1 when something else runs than what is released,
// 2 when nobody can tell: no answer, a part of a listing, or nothing released.
func (c *endpointReadCmd) Run(e *env) error {
	in, actor, err := administration(e.ctx, false)
	if err != nil {
		return err
	}
	defer in.close()
	found, err := c.find(e, in, actor)
	if err != nil {
		return err
	}
	if len(found.Headers) > 0 {
		if err := in.cfg.NeedSecret(); err != nil {
			return err
		}
	}
	l, err := in.svc.ReadEndpoint(e.ctx, actor, c.Slug, found.ID)
	if err != nil {
		return err
	}
	line := endpointLineOf(&l.Endpoints[0])
	if err := say(e.stdout, c.JSON, line, "%s", line.text()); err != nil {
		return err
	}
	switch line.State {
	case review.LiveSame, review.LiveOlder:
		return nil
	case review.LiveDiffers:
		return exit(exitNo)
	}
	return exit(exitUnsure)
}

type endpointRemoveCmd struct {
	endpointArgs
}

// Run removes an endpoint.
func (c *endpointRemoveCmd) Run(e *env) error {
	in, actor, err := administration(e.ctx, false)
	if err != nil {
		return err
	}
	defer in.close()
	found, err := c.find(e, in, actor)
	if err != nil {
		return err
	}
	if err := in.svc.RemoveEndpoint(e.ctx, actor, c.Slug, found.ID); err != nil {
		return err
	}
	return say(e.stdout, false, nil, "Removed %s of %s, and what was read there.", report.Line(found.Name), c.Slug)
}
