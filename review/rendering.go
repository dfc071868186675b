package review

import (
	"context"
	"errors"
	"fmt"

	"github.com/countersign/countersign/review/change"
	"github.com/countersign/countersign/review/cost"
	"github.com/countersign/countersign/review/host"
	"github.com/countersign/countersign/review/people"
	"github.com/countersign/countersign/review/surface"
)

// Kinds of kept reports about hosts. The fit is what the matrix and the gate need
// of a host, without what it sends: it is small whatever was pushed.
const (
	reportFit       = "fit"
	reportRendering = "rendering"
)

// Fit is how a listing fares in one host.
type Fit struct {
	Check  *host.Check
	Lost   []host.Loss // of a provider none: it only takes or refuses
	Sent   int         // tools that reach the model
	Tokens int         // estimated, of what is sent
	Failed string      // why the host does not start at all; "" when it does
}

// HostsView is what all hosts make of a listing.
type HostsView struct {
	Server  Server
	Listing ListingInfo
	Base    *ListingInfo // nil: compared with nothing
	Tools   []ToolRef
	Fits    []Fit // in the order of host.Profiles

	Captures []CaptureView   // of this listing, newest first
	Doubts   map[string]bool // "host version" of profiles that a capture of the server contradicts
	Role     people.Role     // of the actor on the server
}

// Hosts says how a listing fares in every host. With a base, another listing of
// the server, it also says what an edit took out of sight.
func (s *Service) Hosts(ctx context.Context, a Actor, id, base string) (*HostsView, error) {
	var m *mounted
	var v *HostsView
	have, want := map[ReportKey][]byte{}, recipes{}
	err := s.store.View(ctx, func(tx Tx) error {
		var err error
		if m, err = mountedFor(ctx, tx, a, id, base); err != nil {
			return err
		}
		v = &HostsView{Server: *m.server, Listing: m.new, Base: m.old}
		refs, err := tx.ToolRefs(ctx, []string{id})
		if err != nil {
			return err
		}
		v.Tools, v.Role = refs[id], a.role(m.server.ID)
		if err := v.addCaptures(ctx, tx); err != nil {
			return err
		}
		want = m.fits()
		have, err = tx.Reports(ctx, want.keys())
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := s.kept(ctx, *m, want, have); err != nil {
		return nil, err
	}
	for _, p := range host.Profiles() {
		fit, err := unpack[Fit](have, m.key(reportFit, fitEngine(p)))
		if err != nil {
			return nil, err
		}
		v.Fits = append(v.Fits, *fit)
	}
	return v, nil
}

func (v *HostsView) addCaptures(ctx context.Context, tx Tx) error {
	found, err := tx.Captures(ctx, v.Server.ID, Page{Limit: maxCaptures})
	if err != nil {
		return err
	}
	v.Doubts = doubtful(found)
	v.Captures, err = viewsOf(found, v.Listing.ID)
	return err
}

func fitEngine(p *host.Profile) string { return p.Key() + " " + cost.Version }

// fits wants the fit of every host.
func (m mounted) fits() recipes {
	want := recipes{}
	for _, p := range host.Profiles() {
		want.add(m.fit(p))
	}
	return want
}

// fit wants the fit of one host.
func (m mounted) fit(p *host.Profile) recipes {
	return recipes{m.key(reportFit, fitEngine(p)): func(s *bothSides) (any, error) { return newFit(p, s), nil }}
}

func newFit(p *host.Profile, s *bothSides) *Fit {
	f := &Fit{Check: s.at(1).PreflightFrom(p, s.at(0))}
	if p.IsProvider() {
		return f
	}
	r := s.at(1).Render(p)
	f.Lost, f.Failed, f.Tokens = r.Lost, r.Failed, s.counter.OfRendering(r).Tokens
	for _, e := range r.Tools {
		f.Sent += len(e.Tools)
	}
	return f
}

// RenderingView is what one host sends of a listing.
type RenderingView struct {
	Server    Server
	Listing   ListingInfo
	Base      *ListingInfo
	Profile   *host.Profile
	Rendering *host.Rendering
	Before    *host.Rendering // of the base; nil for none
	Doubtful  bool            // a capture of the server contradicts the host's profile
}

// hostNamed finds a profile of a program. Providers send nothing themselves.
func hostNamed(id string) (*host.Profile, error) {
	p, err := host.Lookup(id)
	if err == nil && p.IsProvider() {
		err = errors.New("it is a provider: hosts send requests to it, and it renders nothing itself")
	}
	if err != nil {
		return nil, &Error{Kind: Invalid, Sentence: fmt.Sprintf("The host %.80q can't be shown: %v.", id, err), Err: err}
	}
	return p, nil
}

// Rendering returns what one host sends of a listing, and of its base ("" for none).
func (s *Service) Rendering(ctx context.Context, a Actor, id, base, hostID string) (*RenderingView, error) {
	var m *mounted
	have, want := map[ReportKey][]byte{}, recipes{}
	var p *host.Profile
	var seen []Capture
	err := s.store.View(ctx, func(tx Tx) error {
		var err error
		if m, err = mountedFor(ctx, tx, a, id, base); err != nil {
			return err
		}
		if p, err = hostNamed(hostID); err != nil {
			return err
		}
		if seen, err = tx.Captures(ctx, m.server.ID, Page{Limit: maxCaptures}); err != nil {
			return err
		}
		want = m.renderings(p)
		have, err = tx.Reports(ctx, want.keys())
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := s.kept(ctx, *m, want, have); err != nil {
		return nil, err
	}
	v := &RenderingView{
		Server: *m.server, Listing: m.new, Base: m.old, Profile: p, Doubtful: doubtful(seen)[p.ID+" "+p.Version],
	}
	if v.Rendering, err = unpack[host.Rendering](have, m.alone().key(reportRendering, p.Key())); err != nil || m.old == nil {
		return v, err
	}
	v.Before, err = unpack[host.Rendering](have, m.before().key(reportRendering, p.Key()))
	return v, err
}

// renderings wants what a host sends of the listing, and of its base.
func (m mounted) renderings(p *host.Profile) recipes {
	want := recipes{}
	if m.old != nil {
		want[m.before().key(reportRendering, p.Key())] = func(s *bothSides) (any, error) { return s.at(0).Render(p), nil }
	}
	want[m.alone().key(reportRendering, p.Key())] = func(s *bothSides) (any, error) { return s.at(1).Render(p), nil }
	return want
}

// Seen is one tool on its way to a model: as it was listed, and as a host sends it.
type Seen struct {
	Listed surface.Tool
	Sent   *host.Sent // nil when it does not reach the model
	Entry  []byte     // JSON that the host sends, of the tool or of the group that it stands in
	Lost   []host.Loss
}

// LensView is one tool through one host, on both sides.
type LensView struct {
	RenderingView
	New Seen
	Old *Seen // nil when the base has no such tool, or there is none
}

// Lens returns the tool at a position of a listing, from 1, as one host sends it,
// beside what the host made of the same tool in the base: the one that the
// comparison pairs it with, whatever it was called.
func (s *Service) Lens(ctx context.Context, a Actor, id, base, hostID string, position int) (*LensView, error) {
	r, err := s.Rendering(ctx, a, id, base, hostID)
	if err != nil {
		return nil, err
	}
	v := &LensView{RenderingView: *r}
	return v, s.analysed(ctx, func() error {
		return s.store.View(ctx, func(tx Tx) error { return s.lens(ctx, tx, v, position) })
	})
}

func (s *Service) lens(ctx context.Context, tx Tx, v *LensView, position int) error {
	ids := []string{v.Listing.ID}
	if v.Base != nil {
		ids = append(ids, v.Base.ID)
	}
	refs, err := tx.ToolRefs(ctx, ids)
	if err != nil {
		return err
	}
	mine := refs[v.Listing.ID]
	if position < 1 || position > len(mine) {
		return errNoTool(position)
	}
	listed, err := readTool(ctx, tx, mine[position-1])
	if err != nil {
		return err
	}
	v.New = seenIn(v.Rendering, listed)
	if v.Before == nil {
		return nil
	}
	was, err := s.pairedWith(ctx, tx, v, mine[position-1], refs[v.Base.ID])
	if err != nil || was == nil {
		return err
	}
	if listed, err = readTool(ctx, tx, *was); err != nil {
		return err
	}
	old := seenIn(v.Before, listed)
	v.Old = &old
	return nil
}

// pairedWith finds the tool of the base that the comparison pairs a tool with; nil
// for none.
func (s *Service) pairedWith(ctx context.Context, tx Tx, v *LensView, at ToolRef, base []ToolRef) (*ToolRef, error) {
	p, err := pairOf(ctx, tx, &v.Server, v.Base, v.Listing, s.now())
	if err != nil {
		return nil, err
	}
	o, err := shortReport(ctx, tx, p)
	if err != nil {
		return nil, err
	}
	for _, c := range o.Changes {
		if c.Subject != change.SubjectTool || c.NewPosition != at.Position {
			continue
		}
		if c.OldPosition < 1 || c.OldPosition > len(base) {
			return nil, nil
		}
		return &base[c.OldPosition-1], nil
	}
	for i := range base {
		if base[i].Digest == at.Digest { // it did not change
			return &base[i], nil
		}
	}
	return nil, nil
}

func errNoTool(position int) error {
	return Errorf(NotFound, "There is no tool at position %d of this listing.", position)
}

func readTool(ctx context.Context, tx Tx, at ToolRef) (surface.Tool, error) {
	raw, err := tx.Slices(ctx, []surface.Hash{at.RawHash})
	if err != nil {
		return surface.Tool{}, err
	}
	return surface.NewTool(at.Position, raw[at.RawHash])
}

func seenIn(r *host.Rendering, listed surface.Tool) Seen {
	v := Seen{Listed: listed}
	for i := range r.Tools {
		for j := range r.Tools[i].Tools {
			if s := &r.Tools[i].Tools[j]; s.Position == listed.Position {
				v.Sent, v.Entry = s, r.Tools[i].JSON
			}
		}
	}
	for _, l := range r.Lost {
		if l.Position == listed.Position {
			v.Lost = append(v.Lost, l)
		}
	}
	return v
}
