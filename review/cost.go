package review

import (
	"context"

	"github.com/countersign/countersign/review/cost"
	"github.com/countersign/countersign/review/host"
	"github.com/countersign/countersign/review/report"
)

// Kinds of kept reports about cost.
const (
	reportCost   = "cost"
	reportPrefix = "prefix"
)

// CostQuestion says what is to be counted.
type CostQuestion struct {
	Listing string // id
	Base    string // id of the listing to compare with; "" for none
	Host    string // counted is what that host sends; "" is the listing itself
	Prices  cost.Prices
}

// CostView is what a listing costs.
type CostView struct {
	Server  Server
	Listing ListingInfo
	Base    *ListingInfo
	report.Cost
}

// Cost estimates what a listing costs, and how much more than its base.
func (s *Service) Cost(ctx context.Context, a Actor, q CostQuestion) (*CostView, error) {
	var m *mounted
	var p *host.Profile
	have, want := map[ReportKey][]byte{}, recipes{}
	err := s.store.View(ctx, func(tx Tx) error {
		var err error
		if m, err = mountedFor(ctx, tx, a, q.Listing, q.Base); err != nil {
			return err
		}
		if q.Host != "" {
			if p, err = hostNamed(q.Host); err != nil {
				return err
			}
		}
		want = m.costs(p)
		have, err = tx.Reports(ctx, want.keys())
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := s.kept(ctx, *m, want, have); err != nil {
		return nil, err
	}
	v := &CostView{Server: *m.server, Listing: m.new, Base: m.old}
	if v.Cost, err = m.readCosts(p, have); err != nil {
		return nil, err
	}
	if v.Bill, err = cost.Session(v.Tokens, q.Prices); err != nil {
		return v, &Error{Kind: Invalid, Sentence: "The session can't be worked out: " + err.Error() + ".", Err: err}
	}
	return v, nil
}

func costEngine(p *host.Profile) string {
	if p == nil {
		return cost.Version
	}
	return cost.Version + " " + p.Key()
}

func estimate(p *host.Profile, s *bothSides, side int) *cost.Estimate {
	if p != nil {
		return cost.OfRendering(s.at(side).Render(p))
	}
	if side == 0 {
		return cost.Of(s.old)
	}
	return cost.Of(s.new)
}

// costs wants the estimate of the listing, as it is or as a host sends it, and
// what it breaks of the base's cached prefix.
func (m mounted) costs(p *host.Profile) recipes {
	want := recipes{}
	if m.old != nil {
		want[m.before().key(reportCost, costEngine(p))] = func(s *bothSides) (any, error) { return estimate(p, s, 0), nil }
		want[m.key(reportPrefix, costEngine(p))] = func(s *bothSides) (any, error) {
			if p != nil {
				return cost.PrefixOf(s.at(0).Render(p), s.at(1).Render(p)), nil
			}
			return cost.Prefix(s.old, s.new), nil
		}
	}
	want[m.alone().key(reportCost, costEngine(p))] = func(s *bothSides) (any, error) { return estimate(p, s, 1), nil }
	return want
}

func (m mounted) readCosts(p *host.Profile, have map[ReportKey][]byte) (c report.Cost, err error) {
	if p != nil {
		c.Host = p.ID
	}
	if c.Estimate, err = unpack[cost.Estimate](have, m.alone().key(reportCost, costEngine(p))); err != nil {
		return c, err
	}
	c.Tokens = c.Estimate.Tokens
	if m.old == nil {
		return c, nil
	}
	if c.Base, err = unpack[cost.Estimate](have, m.before().key(reportCost, costEngine(p))); err != nil {
		return c, err
	}
	prefix, err := unpack[cost.Break](have, m.key(reportPrefix, costEngine(p)))
	if err == nil {
		c.Prefix = *prefix
	}
	return c, err
}
