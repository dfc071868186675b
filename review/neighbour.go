package review

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/countersign/countersign/review/lint"
	"github.com/countersign/countersign/review/people"
	"github.com/countersign/countersign/review/report"
	"github.com/countersign/countersign/review/surface"
)

// A model sees the tools of several servers at once, so a text can steer another server's
// tool, and a tool can pose as one. On a server that several teams share, to say so tells
// of the other team's tools. Therefore what is found beside other servers
//
//   - is found anew for each reader, among the servers that this reader has a role on: who
//     can't see a server learns neither its name nor that it has a tool of some name;
//   - counts nowhere: not in the gate, not in an answer to a push, not in what is asked of
//     anybody. All of these are read by people and machines of one server, who could
//     otherwise push names and see from the answer which of them another server has;
//   - can't be waived or quoted, since waivers and threads are read by others.
//
// What poses or steers is found without other servers too, where it gives itself away
// (poison.*, unicode.*), and that counts.

// reportBeside is what is found in a listing beside those of other servers.
const reportBeside = "beside"

// Bounds of what a listing is held against.
const (
	maxNeighbours     = 100
	maxNeighbourTools = 20_000
)

// neighbour is what another server released last in one of its profiles.
type neighbour struct {
	server    string // slug
	listingID string
	digest    surface.Hash
}

// neighboursOf are those that the actor sees, a fixed number of store calls.
func neighboursOf(ctx context.Context, tx Tx, a Actor, serverID string) ([]neighbour, error) {
	servers, err := tx.Servers(ctx)
	if err != nil {
		return nil, err
	}
	seen := map[string]string{} // slug by id
	for i := range servers {
		if srv := &servers[i]; srv.ID != serverID && a.allow(srv.ID, people.Viewer, people.ScopeRead) == nil {
			seen[srv.ID] = srv.Slug
		}
	}
	if len(seen) == 0 {
		return nil, nil
	}
	profiles, err := tx.Profiles(ctx, "")
	if err != nil {
		return nil, err
	}
	var keys []ProfileKey
	for _, p := range profiles {
		if seen[p.ServerID] != "" {
			keys = append(keys, ProfileKey{p.ServerID, p.Name})
		}
	}
	if len(keys) == 0 {
		return nil, nil
	}
	lines, err := tx.LastReleased(ctx, keys)
	if err != nil {
		return nil, err
	}
	var found []neighbour
	for k, line := range lines {
		if r := line.Base; r != nil {
			found = append(found, neighbour{seen[k.ServerID], r.Head.ListingID, r.Head.Digest})
		}
	}
	slices.SortFunc(found, func(a, b neighbour) int {
		return strings.Compare(a.server+" "+a.listingID, b.server+" "+b.listingID)
	})
	return found[:min(len(found), maxNeighbours)], nil
}

// besideKey depends on the listing and on what its neighbours released: whoever sees the
// same servers reads the same report.
func (p pair) besideKey() ReportKey {
	var b strings.Builder
	for _, n := range p.beside {
		fmt.Fprintf(&b, "%s %s\n", n.server, n.digest)
	}
	return ReportKey{Kind: reportBeside, To: p.new, Inputs: surface.HashOf([]byte(b.String())), Engine: "rules " + lint.Version}
}

// readBeside reads what is found beside the servers that the actor sees, or says that
// nobody looked yet.
func readBeside(ctx context.Context, tx Tx, a Actor, p pair) ([]lint.Finding, error) {
	var err error
	if p.beside, err = neighboursOf(ctx, tx, a, p.serverID); err != nil || len(p.beside) == 0 {
		return nil, err
	}
	body, err := keptReport(ctx, tx, p, p.besideKey())
	if err != nil {
		return nil, err
	}
	return report.ParseFindings(body)
}

// lookBeside holds a listing against what its neighbours released.
func (s *Service) lookBeside(ctx context.Context, p pair) (compared, error) {
	var l *surface.Listing
	var others []lint.OtherServer
	err := s.store.View(ctx, func(tx Tx) error {
		var err error
		if l, err = wholeListing(ctx, tx, p.newID); err != nil {
			return err
		}
		others, err = otherServers(ctx, tx, l, p.beside)
		return err
	})
	if err != nil {
		return nil, err
	}
	body, err := report.Findings(lint.Beside(l, lint.Context{Others: others}))
	return compared{p.besideKey(): body}, err
}

// otherServers are the neighbours as rules look at them: of all tools the names, and the
// texts of those that look like a tool of the listing.
func otherServers(ctx context.Context, tx Tx, l *surface.Listing, ns []neighbour) ([]lint.OtherServer, error) {
	ids := make([]string, len(ns))
	for i := range ns {
		ids[i] = ns[i].listingID
	}
	refs, err := tx.ToolRefs(ctx, ids)
	if err != nil {
		return nil, err
	}
	faces := map[string]bool{}
	for i := range l.Tools {
		faces[lint.Face(l.Tools[i].Name)] = true
	}
	var alike []surface.Hash
	out, left := make([]lint.OtherServer, 0, len(ns)), maxNeighbourTools
	for _, n := range ns {
		o := lint.OtherServer{Name: n.server}
		for _, t := range refs[n.listingID] {
			if left--; left < 0 {
				break
			}
			o.Tools = append(o.Tools, lint.OtherTool{Name: t.Name})
			if faces[lint.Face(t.Name)] {
				alike = append(alike, t.RawHash)
			}
		}
		out = append(out, o)
	}
	raw, err := tx.Slices(ctx, alike)
	if err != nil {
		return nil, err
	}
	for i, n := range ns {
		for j, t := range refs[n.listingID][:len(out[i].Tools)] {
			if b, ok := raw[t.RawHash]; ok {
				out[i].Tools[j].Description, _ = surface.Tool{Raw: b}.Description()
			}
		}
	}
	return out, nil
}
