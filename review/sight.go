package review

import (
	"bytes"
	"context"
	"encoding/gob"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/countersign/countersign/review/change"
	"github.com/countersign/countersign/review/cost"
	"github.com/countersign/countersign/review/host"
	"github.com/countersign/countersign/review/surface"
)

// reportSight is what a comparison means to models: what hosts don't show of it, and
// what it costs. It is made when somebody looks, and kept.
const reportSight = "sight"

// Sight is what a comparison means to models.
type Sight struct {
	Hosts   []string // ids of the hosts that were asked, in the order of host.Profiles
	Tokens  int      // of the newer listing, an estimate
	Base    int      // of the older one
	Prefix  cost.Break
	Changes map[string]ChangeSight // by id
}

// ChangeSight is what one change means to models. Lists of hosts are in the order of
// Sight.Hosts.
type ChangeSight struct {
	Growth int                 // in tokens
	Unseen []string            // hosts in which nothing of the change reaches the model
	Edits  map[string][]string // the same for each edit that some host does not show
	Moved  []MovedCut
}

// MovedCut is what an edit took across the cut of a host's descriptions.
type MovedCut struct {
	Host          string
	Behind, Front []string // sentences that the model lost, and that it got to see
}

// sighted are the hosts that changes are looked at through: the programs that the
// policy names, else all that captures confirm.
func (l limits) sighted() []*host.Profile {
	var named, verified []*host.Profile
	for _, h := range host.Profiles() {
		switch {
		case h.IsProvider():
		case slices.Contains(l.asked.Hosts, h.ID):
			named = append(named, h)
		case h.Verified:
			verified = append(verified, h)
		}
	}
	if len(named) > 0 {
		return named
	}
	return verified
}

// sightKey depends on the comparison, the server's name, the hosts and the
// vocabulary.
func (p pair) sightKey() ReportKey {
	k := p.key(reportSight)
	inputs := fmt.Appendf(nil, "%s %s", k.Inputs, p.limits.name)
	engine := []string{k.Engine, cost.Version}
	for _, h := range p.limits.sighted() {
		engine = append(engine, h.Key())
	}
	// Keys of many profiles are long, and a report is found by its key.
	k.Inputs, k.Engine = surface.HashOf(inputs), surface.HashOf([]byte(strings.Join(engine, " "))).String()
	return k
}

// readSight reads what a comparison means to models, or says that nobody worked it
// out yet.
func readSight(ctx context.Context, tx Tx, p pair) (*Sight, error) {
	key := p.sightKey()
	kept, err := tx.Reports(ctx, []ReportKey{key})
	if err != nil {
		return nil, err
	}
	if kept[key] == nil {
		p.sight = true
		return nil, &missing{pairs: []pair{p}}
	}
	return unpack[Sight](kept, key)
}

// look works out what a comparison means to models, one of a server at a time.
func (s *Service) look(ctx context.Context, p pair) (compared, error) {
	var old, new *surface.Listing
	var r *change.Report
	err := s.store.View(ctx, func(tx Tx) error {
		var err error
		if r, err = fullReport(ctx, tx, p); err != nil {
			return err
		}
		if old, err = wholeListing(ctx, tx, p.oldID); err != nil {
			return err
		}
		new, err = wholeListing(ctx, tx, p.newID)
		return err
	})
	if err != nil {
		return nil, err
	}
	mu, _ := s.analysing.LoadOrStore(p.serverID, &sync.Mutex{})
	mu.(*sync.Mutex).Lock()
	defer mu.(*sync.Mutex).Unlock()
	var body bytes.Buffer
	v := newSight(p, old, new, r)
	if err := gob.NewEncoder(&body).Encode(v); err != nil {
		return nil, fmt.Errorf("keep report %s: %w", reportSight, err)
	}
	made := compared{p.sightKey(): body.Bytes(), tokensKey(new.Digest, new.RawHash): tokensBody(v.Tokens)}
	if old != nil {
		made[tokensKey(old.Digest, old.RawHash)] = tokensBody(v.Base)
	}
	return made, nil
}

func newSight(p pair, old, new *surface.Listing, r *change.Report) *Sight {
	v := &Sight{Changes: map[string]ChangeSight{}}
	v.count(old, new, r)
	if old == nil {
		return v // all is new: what hosts make of it stands on their own page
	}
	before := host.NewSurface([]host.Mounted{host.Mount(p.limits.name, old)})
	now := host.NewSurface([]host.Mounted{host.Mount(p.limits.name, new)})
	for _, h := range p.limits.sighted() {
		v.Hosts = append(v.Hosts, h.ID)
		v.through(h.ID, host.NewSight(h, before, now), r)
	}
	return v
}

// count says what each change adds to the tokens of the listing.
func (v *Sight) count(old, new *surface.Listing, r *change.Report) {
	now, before := cost.Of(new), &cost.Estimate{}
	if old != nil {
		before = cost.Of(old)
		v.Prefix = cost.Prefix(old, new)
	}
	v.Tokens, v.Base = now.Tokens, before.Tokens
	of := func(e *cost.Estimate, position int) int {
		if position < 1 || position > len(e.Tools) {
			return 0
		}
		return e.Tools[position-1].Parts.Sum()
	}
	for _, c := range r.Changes {
		growth := 0
		switch c.Subject {
		case change.SubjectTool:
			growth = of(now, c.NewPosition) - of(before, c.OldPosition)
		case change.SubjectInstructions:
			growth = now.Instructions - before.Instructions
		}
		v.Changes[c.ID] = ChangeSight{Growth: growth}
	}
}

// through looks at every change through one host.
func (v *Sight) through(id string, s *host.Sight, r *change.Report) {
	for _, c := range r.Changes {
		cs := v.Changes[c.ID]
		switch c.Subject {
		case change.SubjectInstructions:
			cs.add(id, &c, []bool{s.SameInstructions()})
		case change.SubjectOrder:
			cs.add(id, &c, []bool{s.SameOrder()})
		case change.SubjectTool:
			cs.add(id, &c, s.Unseen(c.OldPosition, c.NewPosition, editsOf(&c)))
			if behind, front := s.Moved(c.OldPosition, c.NewPosition); len(behind)+len(front) > 0 {
				cs.Moved = append(cs.Moved, MovedCut{Host: id, Behind: behind, Front: front})
			}
		}
		v.Changes[c.ID] = cs
	}
}

func editsOf(c *change.Change) []host.Edit {
	edits := make([]host.Edit, len(c.Details))
	for i, d := range c.Details {
		edits[i] = host.Edit{Pointer: d.Pointer, Lost: d.Lost, Gained: d.Gained}
	}
	return edits
}

// add takes in what one host does not show of a change: unseen is for each of its
// details, or for all of them.
func (cs *ChangeSight) add(hostID string, c *change.Change, unseen []bool) {
	shown := map[string]bool{}
	for i, d := range c.Details {
		shown[d.Edit] = shown[d.Edit] || !unseen[min(i, len(unseen)-1)]
	}
	whole := len(unseen) > 0
	for edit, seen := range shown {
		whole = whole && !seen
		if !seen {
			if cs.Edits == nil {
				cs.Edits = map[string][]string{}
			}
			cs.Edits[edit] = append(cs.Edits[edit], hostID)
		}
	}
	if whole && !slices.Contains(unseen, false) {
		cs.Unseen = append(cs.Unseen, hostID)
	}
}
