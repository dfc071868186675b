package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"

	"github.com/countersign/countersign/review/cost"
	"github.com/countersign/countersign/review/host"
	"github.com/countersign/countersign/review/report"
	"github.com/countersign/countersign/review/surface"
	"github.com/countersign/countersign/web/client"
)

type renderCmd struct {
	fileArg
	Host    string  `required:"" help:"Id of a host: countersign hosts lists them."`
	Server  string  `help:"Name of the server in the host's configuration." xor:"mount"`
	Mounted bool    `help:"FILE holds several servers: {\"servers\":{NAME:{\"tools\":[…]}}}." xor:"mount"`
	Variant *string `help:"Another configuration of the host than the one that the profile describes."`
	JSON    bool    `help:"Print JSON."`
}

// Run prints what a host sends of a listing, and what is lost on the way.
func (c *renderCmd) Run(e *env) error {
	p, err := host.Lookup(c.Host)
	if err != nil {
		return err
	}
	servers, err := e.servers(c.File, c.Server, c.Mounted)
	if err != nil {
		return err
	}
	variant := ""
	if c.Variant != nil {
		if variant = *c.Variant; variant == "" {
			variant = "plain" // as a capture without a variant is named
		}
	}
	r, err := host.Render(p, servers, variant)
	if err != nil {
		return err
	}
	if c.JSON {
		return printJSON(e.stdout, report.Render, r)
	}
	_, err = io.WriteString(e.stdout, report.RenderText(r))
	return err
}

// servers reads a listing as a server of that name, or several servers in one file.
func (e *env) servers(file, server string, several bool) ([]host.Mounted, error) {
	if !several {
		m, err := e.mounted(file, server)
		return []host.Mounted{m}, err
	}
	in, err := e.open(file)
	if err != nil {
		return nil, err
	}
	servers, err := host.ParseMounted(in.body)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", in.name, err)
	}
	return servers, nil
}

// mounted reads a listing as a server of that name.
func (e *env) mounted(file, server string) (host.Mounted, error) {
	if server == "" {
		return host.Mounted{}, errors.New("--server is missing: hosts make names of it, so give the name that the server has in their configuration")
	}
	l, err := e.listing(file)
	if err != nil {
		return host.Mounted{}, err
	}
	return host.Mount(server, l), nil
}

type hostsCmd struct {
	asked
	Server string `help:"With --to: slug of the registered server whose captures count." placeholder:"SLUG"`
	JSON   bool   `help:"Print JSON."`
}

// Run lists the profiles with the evidence for each, and on an instance those that
// captures of a server contradict.
func (c *hostsCmd) Run(e *env) error {
	var doubts map[string]bool
	if c.To != "" {
		cl, err := c.client(c.Server)
		if err != nil {
			return remote(err)
		}
		if doubts, err = cl.Doubts(e.ctx); err != nil {
			return remote(err)
		}
	}
	if c.JSON {
		return printJSON(e.stdout, func(p []*host.Profile) ([]byte, error) { return report.Hosts(p, doubts) }, host.Profiles())
	}
	_, err := io.WriteString(e.stdout, report.HostsText(host.Profiles(), doubts))
	return err
}

// asked says which server of Countersign is asked, by commands that also work
// without one.
type asked struct {
	To    string `help:"Address of a Countersign server." placeholder:"URL"`
	Token string `help:"Token to ask with." env:"COUNTERSIGN_TOKEN" placeholder:"cs_…"`
}

func (a asked) client(server string) (*client.Client, error) {
	return remoteFlags{To: a.To, Server: server, Token: a.Token}.client("")
}

type preflightCmd struct {
	fileArg
	Server  string   `help:"Name of the server in the hosts' configuration." xor:"mount"`
	Mounted bool     `help:"FILE holds several servers: {\"servers\":{NAME:{\"tools\":[…]}}}. --base does as well." xor:"mount"`
	Host    []string `help:"Ids of hosts or providers; without, all of them." sep:","`
	Base    string   `help:"The listing that was served before: as FILE. Says also what an edit took out of sight."`
	Verbose bool     `help:"Print also what is for information only."`
	JSON    bool     `help:"Print JSON."`
}

// Run says how a listing fares in hosts; 1 when one of them refuses something.
func (c *preflightCmd) Run(e *env) error {
	profiles, err := lookupHosts(c.Host)
	if err != nil {
		return err
	}
	servers, err := e.servers(c.File, c.Server, c.Mounted)
	if err != nil {
		return err
	}
	s := host.NewSurface(servers)
	var base *host.Surface
	if c.Base != "" {
		before, err := e.servers(c.Base, c.Server, c.Mounted)
		if err != nil {
			return err
		}
		base = host.NewSurface(before)
	}
	print := c.alone
	if c.Mounted {
		print = c.together
	}
	refused, err := print(e.stdout, s, base, profiles)
	if err == nil && refused {
		err = exit(exitNo)
	}
	return err
}

// alone prints how one server fares in each host, and reports whether one of them
// refuses something.
func (c *preflightCmd) alone(w io.Writer, s, base *host.Surface, profiles []*host.Profile) (refused bool, err error) {
	checks := make([]*host.Check, 0, len(profiles))
	for _, p := range profiles {
		check := s.PreflightFrom(p, base)
		refused = refused || check.Status == host.Refuses
		checks = append(checks, check)
	}
	if c.JSON {
		return refused, printJSON(w, report.Preflight, checks)
	}
	_, err = io.WriteString(w, report.PreflightText(checks, c.Verbose, s.Tools()))
	return refused, err
}

// together prints how several servers get along in each host, and reports whether
// one of them refuses something.
func (c *preflightCmd) together(w io.Writer, s, base *host.Surface, profiles []*host.Profile) (refused bool, err error) {
	var list []report.Together
	for _, p := range profiles {
		t := s.Together(p, base)
		refused = refused || t.Check.Status == host.Refuses
		list = append(list, report.Together{Together: t, Tokens: cost.OfTogether(t)})
	}
	if c.JSON {
		return refused, printJSON(w, report.TogetherJSON, list)
	}
	_, err = io.WriteString(w, report.TogetherText(list, c.Verbose))
	return refused, err
}

func lookupHosts(ids []string) ([]*host.Profile, error) {
	if len(ids) == 0 {
		return host.Profiles(), nil
	}
	var all []*host.Profile
	for _, id := range ids {
		p, err := host.Lookup(id)
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}

type capturedCmd struct {
	asked
	Capture string `arg:"" help:"A recorded request of a host to its provider: a file, or - for standard input. Only the tools in it are read."`
	Listing string `arg:"" help:"The listing of that time: as FILE."`
	Server  string `required:"" help:"Name of the server in the host's configuration."`
	Host    string `help:"Id of the host; without, it is told by the request."`
	Variant string `help:"Configuration of the host that is expected; where another that is known explains all of the request, it is the one that is named."`
	Slug    string `help:"With --to: slug of the registered server, where the host calls it otherwise than --server." placeholder:"SLUG"`
	Fixture bool   `help:"Print a fixture for the tests of the profile, instead of the comparison: the listing, and this server's tools as they were sent."`
	JSON    bool   `help:"Print JSON."`
}

// Run compares what a host sent with what was listed; 2 when nothing of the listing
// is in it that the host would send, or that any known host would.
func (c *capturedCmd) Run(e *env) error {
	in, err := e.open(c.Capture)
	if err != nil {
		return err
	}
	listed, err := e.listing(c.Listing)
	if err != nil {
		return err
	}
	m := host.Mount(c.Server, listed)
	capture, err := in.request(m.Known())
	if err != nil {
		return err
	}
	p, err := c.profile(capture, m)
	if err != nil {
		return c.failed(err)
	}
	compared, err := host.CompareKnown(p, capture, m)
	if err != nil {
		return c.failed(err)
	}
	if c.To != "" && !compared.Elsewhere() {
		if err := c.push(e, compared, p, listed); err != nil {
			return err
		}
	}
	if c.Fixture {
		_, err = e.stdout.Write(host.NewFixture(compared, p.Version, compared.Variant, today(), c.Server, listed).JSON())
	} else if c.JSON {
		err = printJSON(e.stdout, report.Captured, compared)
	} else {
		_, err = io.WriteString(e.stdout, report.CapturedText(compared))
	}
	if err == nil && compared.Elsewhere() {
		err = exit(exitUnsure)
	}
	return err
}

// failed says of which file an error is, and that it tells nothing of the host when it
// does not.
func (c *capturedCmd) failed(err error) error {
	err = fmt.Errorf("%s: %w", c.Capture, err)
	if errors.Is(err, host.ErrUnrecognised) || errors.Is(err, host.ErrOtherForm) {
		return unsure{err}
	}
	return err
}

// push hands in what was captured of this server's tools. Nothing else of the request
// leaves this machine.
func (c *capturedCmd) push(e *env, compared *host.Comparison, p *host.Profile, listed *surface.Listing) error {
	cl, err := c.client(cmp.Or(c.Slug, c.Server))
	if err != nil {
		return remote(err)
	}
	return remote(cl.PushCapture(e.ctx, compared.Capture(), listed.Digest.String(), p.ID, compared.Variant, c.Server))
}

func (c *capturedCmd) profile(capture *surface.Listing, m host.Mounted) (*host.Profile, error) {
	if c.Host == "" {
		return host.Recognise(capture, m)
	}
	p, err := host.Lookup(c.Host)
	if err != nil {
		return nil, err
	}
	return p.As(c.Variant)
}
