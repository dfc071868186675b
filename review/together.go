package review

import (
	"bytes"
	"context"
	"encoding/gob"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/countersign/countersign/review/cost"
	"github.com/countersign/countersign/review/host"
	"github.com/countersign/countersign/review/report"
	"github.com/countersign/countersign/review/surface"
)

// reportTogether is what a host makes of several servers at once, without what it
// sends.
const reportTogether = "together"

// mostTogether bounds how many servers are looked at in one host, and togetherTools
// how many tools they may have in all: as many as one listing.
const (
	mostTogether  = 20
	togetherTools = 4000
)

// TogetherQuestion says which listings, of different servers, are looked at in which
// host.
type TogetherQuestion struct {
	Host     string   // id of a host, or "id+variant"
	Listings []string // ids, in the order in which the host has the servers
}

// TogetherView is several servers in one host.
type TogetherView struct {
	Profile *host.Profile
	Servers []OfferedServer // that the actor may see, by slug
	Picked  []PickedServer  // in the order of the question
	Found   *report.Together
}

// OfferedServer is a server with the listings of it that are offered: of each profile
// what was released last, and what is under review.
type OfferedServer struct {
	Server   Server
	Listings []OfferedListing
}

// OfferedListing is a listing with the release that it is the head of.
type OfferedListing struct {
	Listing  ListingInfo
	Title    string // version or ref; "" for a listing that was picked and heads none of these
	Profile  string
	Released bool
}

// PickedServer is a server with the listing of it that was asked about.
type PickedServer struct {
	Server  Server
	Listing ListingInfo
}

// Together says how several servers get along in one host. Without listings it only
// offers some.
func (s *Service) Together(ctx context.Context, a Actor, q TogetherQuestion) (*TogetherView, error) {
	v := &TogetherView{}
	var body []byte
	var key ReportKey
	err := s.store.View(ctx, func(tx Tx) error {
		err := a.allowAny()
		if err != nil {
			return err
		}
		if v.Profile, err = hostOrVariant(q.Host); err != nil {
			return err
		}
		l := lister{s: s, ctx: ctx, tx: tx, actor: a}
		if v.Servers, err = l.offered(); err != nil {
			return err
		}
		if err := v.pick(ctx, tx, q.Listings); err != nil || len(v.Picked) == 0 {
			return err
		}
		key = v.key()
		kept, err := tx.Reports(ctx, []ReportKey{key})
		body = kept[key]
		return err
	})
	if err != nil || len(v.Picked) == 0 {
		return v, err
	}
	if body == nil {
		if body, err = s.getAlong(ctx, v, key); err != nil {
			return nil, err
		}
	}
	v.Found, err = unpack[report.Together](map[ReportKey][]byte{key: body}, key)
	return v, err
}

// hostOrVariant finds the profile of a program, in a configuration of it where one is
// named: "claude-code+plain".
func hostOrVariant(name string) (*host.Profile, error) {
	id, variant, _ := strings.Cut(name, "+")
	p, err := hostNamed(id)
	if err != nil {
		return nil, err
	}
	if p, err = p.As(variant); err != nil {
		return nil, &Error{Kind: Invalid, Sentence: "The host can't be shown: " + err.Error() + ".", Err: err}
	}
	return p, nil
}

// offered lists the servers of the actor with what they released last and what is
// under review.
func (l *lister) offered() ([]OfferedServer, error) {
	rs, err := l.inForce()
	if err != nil {
		return nil, err
	}
	infos, err := headInfos(l.ctx, l.tx, rs)
	if err != nil {
		return nil, err
	}
	out := make([]OfferedServer, len(l.servers))
	for i := range l.servers {
		out[i].Server = l.servers[i]
		for _, r := range rs {
			info := infos[r.Head.ListingID]
			if r.ServerID == l.servers[i].ID && info.Kind == surface.KindListing && (!r.open() || l.asks(&r)) {
				out[i].Listings = append(out[i].Listings, OfferedListing{Listing: info, Title: r.Title(), Profile: r.Profile, Released: r.released()})
			}
		}
		slices.SortStableFunc(out[i].Listings, func(a, b OfferedListing) int {
			if a.Released != b.Released {
				return map[bool]int{true: -1, false: 1}[a.Released]
			}
			return b.Listing.ReceivedAt.Compare(a.Listing.ReceivedAt)
		})
	}
	return out, nil
}

// pick finds the listings that were asked about. The actor has to see the servers of
// all of them, and a host can hold a server once.
func (v *TogetherView) pick(ctx context.Context, tx Tx, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	if len(ids) > mostTogether {
		return Errorf(Invalid, "%d servers at once are too many: pick up to %d.", len(ids), mostTogether)
	}
	found, err := tx.ListingInfosByID(ctx, ids)
	if err != nil {
		return err
	}
	tools := 0
	for _, id := range ids {
		i := slices.IndexFunc(found, func(in ListingInfo) bool { return in.ID == id })
		if i < 0 {
			return errNoSuchThing
		}
		if err := v.add(found[i]); err != nil {
			return err
		}
		tools += found[i].ToolCount
	}
	if tools > togetherTools {
		return Errorf(Invalid, "These listings have %d tools in all: up to %d are looked at together.", tools, togetherTools)
	}
	return nil
}

func (v *TogetherView) add(info ListingInfo) error {
	i := slices.IndexFunc(v.Servers, func(o OfferedServer) bool { return o.Server.ID == info.ServerID })
	if i < 0 {
		return errNoSuchThing // not of a server that the actor sees
	}
	if err := rendered(&info); err != nil {
		return err
	}
	of := &v.Servers[i]
	if slices.ContainsFunc(v.Picked, func(p PickedServer) bool { return p.Server.ID == info.ServerID }) {
		return Errorf(Invalid, "Two listings of %s are picked: a host holds a server once. Leave one of them out.", of.Server.Slug)
	}
	v.Picked = append(v.Picked, PickedServer{of.Server, info})
	if !slices.ContainsFunc(of.Listings, func(o OfferedListing) bool { return o.Listing.ID == info.ID }) {
		of.Listings = append(of.Listings, OfferedListing{Listing: info, Profile: info.Profile})
	}
	return nil
}

// key names what the host makes of the picked listings, in their order.
func (v *TogetherView) key() ReportKey {
	var digests, inputs bytes.Buffer
	for _, p := range v.Picked {
		fmt.Fprintf(&digests, "%s\n", p.Listing.Digest)
		fmt.Fprintf(&inputs, "%s %s\n", p.Server.Slug, p.Listing.RawHash)
	}
	return ReportKey{Kind: reportTogether, To: surface.HashOf(digests.Bytes()), Inputs: surface.HashOf(inputs.Bytes()), Engine: fitEngine(v.Profile)}
}

// getAlong works out what the host makes of the picked listings, and keeps it.
func (s *Service) getAlong(ctx context.Context, v *TogetherView, key ReportKey) ([]byte, error) {
	made, err := s.once(ctx, []ReportKey{key}, func(ctx context.Context) (compared, error) {
		found, missing, err := s.foundOr(ctx, []ReportKey{key})
		if err != nil || len(missing) == 0 {
			return found, err
		}
		body, err := s.mountAll(ctx, v)
		if err != nil {
			return nil, err
		}
		made := compared{key: body}
		return made, s.store.Update(ctx, func(tx Tx) error { return made.put(ctx, tx, v.Picked[0].Listing.near()) })
	})
	return made[key], err
}

// mountAll shows the picked listings to the host at once.
func (s *Service) mountAll(ctx context.Context, v *TogetherView) ([]byte, error) {
	var servers []host.Mounted
	err := s.store.View(ctx, func(tx Tx) error {
		for _, p := range v.Picked {
			l, err := wholeListing(ctx, tx, p.Listing.ID)
			if err != nil {
				return err
			}
			servers = append(servers, host.Mount(p.Server.Slug, l))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	// One at a time, as for all that is made of a server's listing.
	mu, _ := s.analysing.LoadOrStore(v.Picked[0].Server.ID, &sync.Mutex{})
	mu.(*sync.Mutex).Lock()
	defer mu.(*sync.Mutex).Unlock()
	found := host.NewSurface(servers).Together(v.Profile, nil)
	made := report.Together{Together: found, Tokens: cost.OfTogether(found)}
	found.Rendering = nil // it is large, and nobody shows it
	var body bytes.Buffer
	if err := gob.NewEncoder(&body).Encode(made); err != nil {
		return nil, fmt.Errorf("keep report %s: %w", reportTogether, err)
	}
	return body.Bytes(), nil
}
