package review

import (
	"bytes"
	"context"
	"slices"

	"github.com/countersign/countersign/review/host"
	"github.com/countersign/countersign/review/surface"
)

// HostSide is one of two hosts that a listing is held through.
type HostSide struct {
	Profile   *host.Profile
	Rendering *host.Rendering
	Fit       *Fit
	Doubtful  bool // a capture of the server contradicts the profile
}

// BesideView is a listing through two hosts at once.
type BesideView struct {
	Server  Server
	Listing ListingInfo
	Sides   [2]HostSide // left and right
	Tools   []BesideTool
}

// BesideTool is one tool through both hosts.
type BesideTool struct {
	ToolRef
	Ways    [2]Way
	Differs []Difference // in which the two ways differ; nil for none
}

// Alike reports that the model is told the same of a tool by both hosts.
func (t BesideTool) Alike() bool { return len(t.Differs) == 0 }

// Way is what became of a tool on its way through one host.
type Way struct {
	Sent *host.Sent // nil when it does not reach the model
	Lost []host.Loss
}

// Difference is in what two hosts tell a model different things of a tool. That each
// host has a form of its own for names is none; that one of them had to change the
// name further is.
type Difference string

// The differences.
const (
	DiffersSent        Difference = "sent" // one of them does not send it
	DiffersName        Difference = "name"
	DiffersDescription Difference = "description"
	DiffersSchema      Difference = "schema" // in its values: order and space don't count
)

// Beside holds a listing through two hosts, tool by tool.
func (s *Service) Beside(ctx context.Context, a Actor, id, left, right string) (*BesideView, error) {
	var m *mounted
	v := &BesideView{}
	have, want := map[ReportKey][]byte{}, recipes{}
	err := s.store.View(ctx, func(tx Tx) error {
		var err error
		if m, err = mountedFor(ctx, tx, a, id, ""); err != nil {
			return err
		}
		v.Server, v.Listing = *m.server, m.new
		for i, hostID := range []string{left, right} {
			if v.Sides[i].Profile, err = hostNamed(hostID); err != nil {
				return err
			}
			want.add(m.renderings(v.Sides[i].Profile))
			want.add(m.fit(v.Sides[i].Profile))
		}
		if have, err = tx.Reports(ctx, want.keys()); err != nil {
			return err
		}
		return v.read(ctx, tx)
	})
	if err != nil {
		return nil, err
	}
	if err := s.kept(ctx, *m, want, have); err != nil {
		return nil, err
	}
	for i := range v.Sides {
		side := &v.Sides[i]
		if side.Rendering, err = unpack[host.Rendering](have, m.key(reportRendering, side.Profile.Key())); err != nil {
			return nil, err
		}
		if side.Fit, err = unpack[Fit](have, m.key(reportFit, fitEngine(side.Profile))); err != nil {
			return nil, err
		}
		v.through(i)
	}
	for i := range v.Tools {
		v.Tools[i].Differs = differences(&v.Tools[i].Ways)
	}
	return v, nil
}

// read lists the tools, and says which profile a capture contradicts.
func (v *BesideView) read(ctx context.Context, tx Tx) error {
	refs, err := tx.ToolRefs(ctx, []string{v.Listing.ID})
	if err != nil {
		return err
	}
	for _, ref := range refs[v.Listing.ID] {
		v.Tools = append(v.Tools, BesideTool{ToolRef: ref})
	}
	found, err := tx.Captures(ctx, v.Server.ID, Page{Limit: maxCaptures})
	if err != nil {
		return err
	}
	doubts := doubtful(found)
	for i := range v.Sides {
		p := v.Sides[i].Profile
		v.Sides[i].Doubtful = doubts[p.ID+" "+p.Version]
	}
	return nil
}

// through gives every tool its way through one of the hosts.
func (v *BesideView) through(side int) {
	r := v.Sides[side].Rendering
	for i := range r.Tools {
		for j := range r.Tools[i].Tools {
			sent := &r.Tools[i].Tools[j]
			v.Tools[sent.Position-1].Ways[side].Sent = sent
		}
	}
	for _, l := range r.Lost {
		if l.Position > 0 {
			way := &v.Tools[l.Position-1].Ways[side]
			way.Lost = append(way.Lost, l)
		}
	}
}

func differences(ways *[2]Way) []Difference {
	left, right := ways[0].Sent, ways[1].Sent
	if left == nil || right == nil {
		if left == right {
			return nil
		}
		return []Difference{DiffersSent}
	}
	var out []Difference
	if ways[0].renamed() != ways[1].renamed() {
		out = append(out, DiffersName)
	}
	if left.Description != right.Description {
		out = append(out, DiffersDescription)
	}
	if !sameValue(left.Schema, right.Schema) {
		out = append(out, DiffersSchema)
	}
	return out
}

func (w Way) renamed() bool {
	return slices.ContainsFunc(w.Lost, func(l host.Loss) bool { return l.What == host.Renamed && l.Pointer == "/name" })
}

// sameValue compares JSON; what can't be brought to one form is compared as it is.
func sameValue(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	x, errX := surface.Canonical(a)
	y, errY := surface.Canonical(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}

// BesideLens is one tool through both hosts, with what was listed.
type BesideLens struct {
	BesideView
	Tool BesideTool
	Seen [2]Seen
}

// BesideTool holds the tool at a position of a listing, from 1, through two hosts.
func (s *Service) BesideTool(ctx context.Context, a Actor, id, left, right string, position int) (*BesideLens, error) {
	v, err := s.Beside(ctx, a, id, left, right)
	if err != nil {
		return nil, err
	}
	if position < 1 || position > len(v.Tools) {
		return nil, errNoTool(position)
	}
	l := &BesideLens{BesideView: *v, Tool: v.Tools[position-1]}
	var listed surface.Tool
	err = s.store.View(ctx, func(tx Tx) error {
		listed, err = readTool(ctx, tx, l.Tool.ToolRef)
		return err
	})
	for i := range l.Seen {
		l.Seen[i] = seenIn(v.Sides[i].Rendering, listed)
	}
	return l, err
}
