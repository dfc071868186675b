package review

import (
	"bytes"
	"context"
	"encoding/gob"
	"fmt"
	"maps"
	"sync"

	"github.com/countersign/countersign/review/cost"
	"github.com/countersign/countersign/review/host"
	"github.com/countersign/countersign/review/people"
	"github.com/countersign/countersign/review/surface"
)

// mounted is a listing as a server of some name, and the one that it is compared
// with, by what is known of them without their bytes. What hosts make of it and
// what it costs are functions of that.
type mounted struct {
	server *Server
	new    ListingInfo
	old    *ListingInfo // nil for none
}

// key names a report on the listing, and against the base where there is one.
// Keys of objects stand in some order, which hosts pass on, so the bytes count;
// and hosts make names of the server's.
func (m mounted) key(kind, engine string) ReportKey {
	k := ReportKey{Kind: kind, To: m.new.Digest, Engine: engine}
	inputs := fmt.Appendf(nil, "%s %s", m.new.RawHash, m.server.Slug)
	if m.old != nil {
		k.From = m.old.Digest
		inputs = fmt.Appendf(inputs, " %s", m.old.RawHash)
	}
	k.Inputs = surface.HashOf(inputs)
	return k
}

// alone is the listing without what it is compared with.
func (m mounted) alone() mounted { m.old = nil; return m }

// before is what it is compared with, alone.
func (m mounted) before() mounted { return mounted{server: m.server, new: *m.old} }

// bothSides are the listings themselves, read to make a report.
type bothSides struct {
	name     string
	old, new *surface.Listing
	surfaces [2]*host.Surface
	counter  cost.Counter
}

// at returns one side to be rendered: 0 is the base, nil where there is none. The
// definitions are read once however many hosts there are.
func (s *bothSides) at(side int) *host.Surface {
	l := []*surface.Listing{s.old, s.new}[side]
	if s.surfaces[side] == nil && l != nil {
		s.surfaces[side] = host.NewSurface([]host.Mounted{host.Mount(s.name, l)})
	}
	return s.surfaces[side]
}

// recipes are the reports that are wanted, and how each is made when nobody made
// it yet.
type recipes map[ReportKey]func(*bothSides) (any, error)

func (r recipes) keys() []ReportKey {
	keys := make([]ReportKey, 0, len(r))
	for k := range r {
		keys = append(keys, k)
	}
	return keys
}

// add wants other reports too.
func (r recipes) add(more recipes) { maps.Copy(r, more) }

// only is those of some keys.
func (r recipes) only(keys []ReportKey) recipes {
	some := recipes{}
	for _, k := range keys {
		some[k] = r[k]
	}
	return some
}

// kept answers with the reports that are wanted of the listing. What is missing is
// made outside of any transaction that writes, and kept.
func (s *Service) kept(ctx context.Context, m mounted, want recipes, have map[ReportKey][]byte) error {
	for k := range have {
		delete(want, k)
	}
	if len(want) == 0 {
		return nil
	}
	made, err := s.once(ctx, want.keys(), func(ctx context.Context) (compared, error) { return s.makeMissing(ctx, m, want) })
	maps.Copy(have, made)
	return err
}

// makeMissing makes those of the reports that nobody made meanwhile, and keeps them.
func (s *Service) makeMissing(ctx context.Context, m mounted, want recipes) (compared, error) {
	found, missing, err := s.foundOr(ctx, want.keys())
	if err != nil || len(missing) == 0 {
		return found, err
	}
	both, err := s.readBoth(ctx, m)
	if err != nil {
		return nil, err
	}
	made, err := s.make(m.server.ID, want.only(missing), both)
	if err != nil {
		return nil, err
	}
	if err := s.store.Update(ctx, func(tx Tx) error { return made.put(ctx, tx, m.new.near()) }); err != nil {
		return nil, err
	}
	maps.Copy(made, found)
	return made, nil
}

func (s *Service) readBoth(ctx context.Context, m mounted) (*bothSides, error) {
	both := &bothSides{name: m.server.Slug}
	err := s.store.View(ctx, func(tx Tx) error {
		var err error
		if m.old != nil {
			if both.old, err = wholeListing(ctx, tx, m.old.ID); err != nil {
				return err
			}
		}
		both.new, err = wholeListing(ctx, tx, m.new.ID)
		return err
	})
	return both, err
}

// make makes reports of one server at a time, so that a hostile listing takes one
// core and not all.
func (s *Service) make(serverID string, want recipes, both *bothSides) (compared, error) {
	mu, _ := s.analysing.LoadOrStore(serverID, &sync.Mutex{})
	mu.(*sync.Mutex).Lock()
	defer mu.(*sync.Mutex).Unlock()
	made := compared{}
	for k, recipe := range want {
		v, err := recipe(both)
		if err != nil {
			return nil, err
		}
		var body bytes.Buffer
		// Names and texts of a listing may be no valid UTF-8, which JSON would change.
		if err := gob.NewEncoder(&body).Encode(v); err != nil {
			return nil, fmt.Errorf("keep report %s: %w", k.Kind, err)
		}
		made[k] = body.Bytes()
	}
	return made, nil
}

// unpack reads a kept report.
func unpack[T any](have map[ReportKey][]byte, k ReportKey) (*T, error) {
	v := new(T)
	if err := gob.NewDecoder(bytes.NewReader(have[k])).Decode(v); err != nil {
		return nil, fmt.Errorf("kept report %s: %w", k.Kind, err)
	}
	return v, nil
}

// mountedFor reads what is known of a listing that the actor may see, and of the
// one that it is compared with ("" for none), which has to be of the same server.
func mountedFor(ctx context.Context, tx Tx, a Actor, id, base string) (*mounted, error) {
	info, err := tx.ListingInfoByID(ctx, id)
	if KindOf(err) == NotFound {
		return nil, errNoSuchThing
	}
	if err != nil {
		return nil, err
	}
	if err := a.allow(info.ServerID, people.Viewer, people.ScopeRead); err != nil {
		return nil, err
	}
	if err := rendered(info); err != nil {
		return nil, err
	}
	m := &mounted{new: *info}
	if m.server, err = tx.ServerByID(ctx, info.ServerID); err != nil || base == "" {
		return m, err
	}
	m.old, err = tx.ListingInfoByID(ctx, base)
	if KindOf(err) == NotFound || err == nil && (m.old.ServerID != info.ServerID || m.old.Kind != surface.KindListing) {
		return nil, Errorf(Invalid, "%s has no listing %.80q to compare with.", m.server.Name, base)
	}
	return m, err
}

// rendered refuses what no server answers, and what no host renders.
func rendered(info *ListingInfo) error {
	if info.Kind == surface.KindListing {
		return nil
	}
	return Errorf(Invalid, "This is a %s, not what a server answered to tools/list. What hosts make of it and what it costs can't be told.", info.Kind)
}
