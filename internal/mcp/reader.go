package mcp

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// Reader reads servers at addresses that people of an instance name. It dials public
// addresses only, and those that the operator allows; what hands out credentials is
// never dialled, whoever allows it.
type Reader struct {
	Hosts    []string       // names whose addresses may be private, and that may be read over http
	Networks []netip.Prefix // the same of addresses
	Limits   Limits
	Setting  string // what an operator allows them with, for the reader of an error
}

// Allows says why an address can't be read at all, whatever it resolves to; nil when it
// may be tried.
func (r *Reader) Allows(u *url.URL) error {
	switch {
	case u.Scheme == "https":
		return nil
	case u.Scheme != "http":
		return refusal("The address must begin with https://.")
	case !r.trusts(u.Hostname()):
		return refusal(fmt.Sprintf("Only https:// is read, since what is sent and listed could be changed on the way. An operator can allow http:// for %q with %s.", u.Hostname(), r.Setting))
	}
	return nil
}

// refusal says in a whole sentence, to the person who named an address, why it is not read.
type refusal string

func (r refusal) Error() string { return string(r) }

// trusts reports whether the operator named a host.
func (r *Reader) trusts(host string) bool {
	if a, err := netip.ParseAddr(host); err == nil {
		return within(r.Networks, a.Unmap())
	}
	return slices.Contains(r.Hosts, strings.ToLower(strings.TrimSuffix(host, ".")))
}

// Read returns the listing of the server at an address, as [Live.Text] writes it.
func (r *Reader) Read(ctx context.Context, address string, header http.Header) ([]byte, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, err
	}
	if err := r.Allows(u); err != nil { // the operator may have changed their mind
		return nil, err
	}
	live, err := HTTP(ctx, address, header, r.guard(u.Hostname()), r.Limits)
	if err != nil {
		return nil, err
	}
	return live.Text(), nil
}

// guard decides about what the name of a host resolved to.
func (r *Reader) guard(host string) Guard {
	if r.trusts(host) {
		return OwnMachine
	}
	return func(addr netip.Addr) error {
		if within(r.Networks, addr) {
			return OwnMachine(addr)
		}
		if err := PublicOnly(addr); err != nil {
			return fmt.Errorf("%w, and no operator allowed it with %s", err, r.Setting)
		}
		return nil
	}
}
