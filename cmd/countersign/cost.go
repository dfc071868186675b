package main

import (
	"errors"
	"io"

	"github.com/countersign/countersign/review/cost"
	"github.com/countersign/countersign/review/host"
	"github.com/countersign/countersign/review/report"
	"github.com/countersign/countersign/review/surface"
)

type costCmd struct {
	File       string `arg:"" optional:"" help:"A listing: a file, a folder of one-tool files, - for standard input, stdio:CMD, http(s)://…, or git:REF:PATH."`
	Tokens     int    `help:"Work out a session for this number of tokens, instead of a listing." default:"-1"`
	Turns      int    `help:"Turns of the session." default:"40"`
	Price      string `help:"Dollars for a million tokens of input." default:"3"`
	CacheRead  string `help:"What a cached token costs of that." default:"0.1"`
	CacheWrite string `help:"What a token of the first turn costs of that." default:"1"`
	Base       string `help:"Compare with this listing: growth, and where the cached prefix ends. As FILE."`
	Host       string `help:"Count what this host sends; needs --server."`
	Server     string `help:"Name of the server in the host's configuration."`
	JSON       bool   `help:"Print JSON."`
}

// Run prints what definitions cost in tokens, and over a session in dollars.
func (c *costCmd) Run(e *env) error {
	out := report.Cost{Tokens: c.Tokens, Host: c.Host}
	switch {
	case c.File == "" && c.Tokens < 0:
		return errors.New("nothing to count: name a listing, or give --tokens")
	case c.File != "" && c.Tokens >= 0:
		return errors.New("a listing and --tokens: give one of them")
	case c.File != "":
		if err := c.count(e, &out); err != nil {
			return err
		}
	}
	bill, err := cost.Session(out.Tokens, cost.Prices{Turns: c.Turns, PerMillion: c.Price, CacheRead: c.CacheRead, CacheWrite: c.CacheWrite})
	if err != nil {
		return err
	}
	out.Bill = bill
	if c.JSON {
		return printJSON(e.stdout, report.Cost.JSON, out)
	}
	_, err = io.WriteString(e.stdout, out.Text())
	return err
}

// count counts the listing, and the base if there is one.
func (c *costCmd) count(e *env, out *report.Cost) error {
	l, err := e.listing(c.File)
	if err != nil {
		return err
	}
	var base *surface.Listing
	if c.Base != "" {
		if base, err = e.base(c.Base); err != nil {
			return err
		}
	}
	if c.Host != "" {
		return c.countRendered(l, base, out)
	}
	out.Estimate = cost.Of(l)
	if base != nil {
		out.Base, out.Prefix = cost.Of(base), cost.Prefix(base, l)
	}
	out.Tokens = out.Estimate.Tokens
	return nil
}

func (c *costCmd) countRendered(l, base *surface.Listing, out *report.Cost) error {
	if c.Server == "" {
		return errors.New("--server is missing: hosts make names of it")
	}
	p, err := host.Lookup(c.Host)
	if err != nil {
		return err
	}
	render := func(l *surface.Listing) *host.Rendering {
		return host.NewSurface([]host.Mounted{host.Mount(c.Server, l)}).Render(p)
	}
	r := render(l)
	out.Estimate = cost.OfRendering(r)
	if base != nil {
		b := render(base)
		out.Base, out.Prefix = cost.OfRendering(b), cost.PrefixOf(b, r)
	}
	out.Tokens = out.Estimate.Tokens
	return nil
}
