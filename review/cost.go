package review

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"

	"github.com/countersign/countersign/review/change"
	"github.com/countersign/countersign/review/cost"
	"github.com/countersign/countersign/review/host"
	"github.com/countersign/countersign/review/people"
	"github.com/countersign/countersign/review/report"
	"github.com/countersign/countersign/review/surface"
)

// Kinds of kept reports about cost.
const (
	reportCost   = "cost"
	reportPrefix = "prefix"
	reportTokens = "tokens" // of a listing alone, in decimal: lists of many need no more
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
	// Renamed leads from the position of a tool to its position in the base, where the
	// comparison found it under another name.
	Renamed map[int]int
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
	if v.Renamed, err = s.renamed(ctx, m); err != nil {
		return nil, err
	}
	if v.Bill, err = cost.Session(v.Tokens, q.Prices); err != nil {
		return v, &Error{Kind: Invalid, Sentence: "The session can't be worked out: " + err.Error() + ".", Err: err}
	}
	return v, nil
}

// renamed returns the tools that are in the base under another name.
func (s *Service) renamed(ctx context.Context, m *mounted) (map[int]int, error) {
	if m.old == nil {
		return nil, nil
	}
	var o *outline
	err := s.analysed(ctx, func() error {
		return s.store.View(ctx, func(tx Tx) error {
			p, err := pairOf(ctx, tx, m.server, m.old, m.new, s.now())
			if err != nil {
				return err
			}
			o, err = shortReport(ctx, tx, p)
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	renamed := map[int]int{}
	for _, c := range o.Changes {
		if c.Kind == change.Renamed {
			renamed[c.NewPosition] = c.OldPosition
		}
	}
	return renamed, nil
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

// tokensKey names the number of tokens of a listing as its server sends it.
func tokensKey(digest, raw surface.Hash) ReportKey {
	return ReportKey{Kind: reportTokens, To: digest, Inputs: raw, Engine: cost.Version}
}

func tokensBody(n int) []byte { return strconv.AppendInt(nil, int64(n), 10) }

// countedAtOnce bounds the bytes of the listings that are counted for one view. It
// is the newest that are; what is left over stays unknown until the next view.
const countedAtOnce = 4 << 20

// TokensOf says how many tokens listings of a server have, by id. The ids come
// oldest first. A listing that nobody counted yet is not in the answer, nor is what no
// server answers.
func (s *Service) TokensOf(ctx context.Context, a Actor, slug string, ids []string) (map[string]int, error) {
	var srv *Server
	var infos map[string]ListingInfo
	var have map[ReportKey][]byte
	err := s.store.View(ctx, func(tx Tx) error {
		var err error
		if srv, err = serverFor(ctx, tx, a, slug, people.Viewer, people.ScopeRead); err != nil {
			return err
		}
		infos, have, err = readTokens(ctx, tx, srv.ID, ids)
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := s.countMissing(ctx, srv, ids, infos, have); err != nil {
		return nil, err
	}
	out := map[string]int{}
	for id, info := range infos {
		body, ok := have[tokensKey(info.Digest, info.RawHash)]
		if !ok {
			continue
		}
		if out[id], err = strconv.Atoi(string(body)); err != nil {
			return nil, fmt.Errorf("kept report %s of listing %s: %w", reportTokens, id, err)
		}
	}
	return out, nil
}

// readTokens finds those of the ids that are listings of the server, and what was
// counted of them.
func readTokens(ctx context.Context, tx Tx, serverID string, ids []string) (map[string]ListingInfo, map[ReportKey][]byte, error) {
	found, err := tx.ListingInfosByID(ctx, ids)
	if err != nil {
		return nil, nil, err
	}
	infos := map[string]ListingInfo{}
	var keys []ReportKey
	for _, in := range found {
		if in.ServerID == serverID && in.Kind == surface.KindListing {
			infos[in.ID] = in
			keys = append(keys, tokensKey(in.Digest, in.RawHash))
		}
	}
	have, err := tx.Reports(ctx, keys)
	return infos, have, err
}

// countMissing counts listings that nobody counted yet, newest first, and keeps what
// it found.
func (s *Service) countMissing(ctx context.Context, srv *Server, ids []string, infos map[string]ListingInfo, have map[ReportKey][]byte) error {
	want := map[ReportKey]ListingInfo{}
	bytes := 0
	for _, id := range slices.Backward(ids) {
		info, ok := infos[id]
		key := tokensKey(info.Digest, info.RawHash)
		if _, twice := want[key]; !ok || twice || have[key] != nil {
			continue
		}
		if bytes += info.Bytes; bytes > countedAtOnce && len(want) > 0 {
			break
		}
		want[key] = info
	}
	if len(want) == 0 {
		return nil
	}
	counted, err := s.once(ctx, slices.Collect(maps.Keys(want)), func(ctx context.Context) (compared, error) { return s.count(ctx, srv.ID, want) })
	maps.Copy(have, counted)
	return err
}

// count counts those of the listings that nobody counted meanwhile, and keeps it.
func (s *Service) count(ctx context.Context, serverID string, want map[ReportKey]ListingInfo) (compared, error) {
	found, missing, err := s.foundOr(ctx, slices.Collect(maps.Keys(want)))
	if err != nil || len(missing) == 0 {
		return found, err
	}
	made := compared{}
	for _, key := range missing {
		if made[key], err = s.countListing(ctx, serverID, want[key].ID); err != nil {
			return nil, err
		}
	}
	if err := s.store.Update(ctx, func(tx Tx) error { return made.put(ctx, tx, want[missing[0]].near()) }); err != nil {
		return nil, err
	}
	maps.Copy(made, found)
	return made, nil
}

// countListing counts one listing, one of a server at a time.
func (s *Service) countListing(ctx context.Context, serverID, id string) ([]byte, error) {
	var l *surface.Listing
	err := s.store.View(ctx, func(tx Tx) error {
		var err error
		l, err = wholeListing(ctx, tx, id)
		return err
	})
	if err != nil {
		return nil, err
	}
	mu, _ := s.analysing.LoadOrStore(serverID, &sync.Mutex{})
	mu.(*sync.Mutex).Lock()
	defer mu.(*sync.Mutex).Unlock()
	return tokensBody(cost.Of(l).Tokens), nil
}
