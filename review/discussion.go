package review

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/countersign/countersign/review/people"
)

// ThreadQuery chooses among the threads of all versions.
type ThreadQuery struct {
	Server   string // slug, "" for every server of the actor
	Tool     string
	Author   string     // label of who opened it
	State    PlaceState // what became of its place in the newest version of its profile
	Blocks   bool       // only those that block
	Mine     bool       // only those that the actor opened or answered in
	Mentions bool       // only those that name the actor
	Answered bool       // only those in which somebody else spoke last
	Before   string     // id of the last one of the page before
	Limit    int
}

// PlaceStates are the states of a place, in the order of lists.
var PlaceStates = []PlaceState{PlaceExact, PlaceRenamed, PlaceChanged, PlaceGone}

// Discussion is everything unresolved, newest first. Each number says how many threads
// are left when that value is chosen and all other filters stay as they are: a filter
// counts before it cuts.
type Discussion struct {
	Threads  []DiscussedThread
	Total    int // that the query chooses
	All      int // without any filter
	Blocking int
	Mine     int
	Mentions int
	Answered int
	Servers  []Counted // by slug
	Tools    []Counted // by name
	Authors  []Counted // by label
	States   []Counted // in the order of PlaceStates, those that occur
	Next     string    // Before of the next page, "" at the end
}

// Counted is a value of a filter with how many it would leave.
type Counted struct {
	Value string
	N     int
}

// DiscussedThread is a thread with the names of where it was opened.
type DiscussedThread struct {
	Thread
	Server  Server
	Release string // title

	mentions bool // the actor
}

// Discussion lists the open threads of every version, with a fixed number of store
// calls. Filters count before they cut.
func (s *Service) Discussion(ctx context.Context, a Actor, q ThreadQuery) (*Discussion, error) {
	if q.State != "" && !slices.Contains(PlaceStates, q.State) {
		return nil, Errorf(Invalid, "state is %.20q. Use exact, renamed, changed or gone.", q.State)
	}
	var d *Discussion
	err := s.analysed(ctx, func() error {
		return s.store.View(ctx, func(tx Tx) error {
			if q.Server != "" {
				if _, err := serverFor(ctx, tx, a, q.Server, people.Viewer, people.ScopeRead); err != nil {
					return err
				}
			}
			ts, err := s.discussed(ctx, tx, a)
			if err != nil {
				return err
			}
			behind, err := threadsBehind(ctx, tx, a, q.Before)
			if err != nil {
				return err
			}
			var chosen []DiscussedThread
			d, chosen = newDiscussion(ts, a.userID(), q)
			d.cut(chosen, behind, q.Limit)
			return d.titles(ctx, tx)
		})
	})
	return d, err
}

// discussed returns the open threads of the servers that the actor reads, newest first,
// each with its place in the newest version of its profile.
func (s *Service) discussed(ctx context.Context, tx Tx, a Actor) ([]DiscussedThread, error) {
	servers, err := serversRead(ctx, tx, a)
	if err != nil {
		return nil, err
	}
	byID := map[string]*Server{}
	for i := range servers {
		byID[servers[i].ID] = &servers[i]
	}
	ts, err := tx.Threads(ctx, ThreadFilter{Open: true})
	if err != nil {
		return nil, err
	}
	ts = slices.DeleteFunc(ts, func(t Thread) bool { return byID[t.ServerID] == nil })
	if err := s.placeNewest(ctx, tx, byID, ts); err != nil {
		return nil, err
	}
	out := make([]DiscussedThread, 0, len(ts))
	for i := range slices.Backward(ts) {
		out = append(out, DiscussedThread{Thread: ts[i], Server: *byID[ts[i].ServerID], mentions: a.User != nil && ts[i].names(a.User)})
	}
	return out, nil
}

// placeNewest finds the places of threads in the newest versions of their profiles.
func (s *Service) placeNewest(ctx context.Context, tx Tx, servers map[string]*Server, ts []Thread) error {
	if len(ts) == 0 {
		return nil
	}
	at := map[ProfileKey]int{}
	var keys []ProfileKey
	for i := range ts {
		if key := ts[i].profile(); at[key] == 0 {
			keys = append(keys, key)
			at[key] = len(keys)
		}
	}
	list, err := s.newest(ctx, tx, servers, keys)
	if err != nil {
		return err
	}
	clear(at)
	for i, as := range list {
		at[as.profile()] = i + 1
	}
	return placeThreads(ctx, tx, list, func(t *Thread) int { return at[t.profile()] - 1 }, ts)
}

// newest reads the newest versions of profiles, as much of them as places take.
func (s *Service) newest(ctx context.Context, tx Tx, servers map[string]*Server, keys []ProfileKey) ([]*assessment, error) {
	releases, err := tx.NewestReleases(ctx, keys)
	if err != nil {
		return nil, err
	}
	infos, err := headInfos(ctx, tx, slices.Collect(maps.Values(releases)))
	if err != nil {
		return nil, err
	}
	var list []candidate
	for _, key := range keys {
		r, ok := releases[key]
		l, also := infos[r.Head.ListingID]
		if ok && also {
			list = append(list, candidate{server: servers[key.ServerID], release: &r, revision: r.Head, listing: l})
		}
	}
	return s.placing(ctx, tx, list)
}

func (t *Thread) profile() ProfileKey { return ProfileKey{t.ServerID, t.Profile} }

// names reports whether a comment of the thread mentions somebody.
func (t *Thread) names(u *people.User) bool {
	return slices.ContainsFunc(t.Comments, func(c Comment) bool {
		return slices.ContainsFunc(mentions(c.Body), func(handle string) bool { return handleOf(u, handle) })
	})
}

// serversRead returns the servers that the actor reads.
func serversRead(ctx context.Context, tx Tx, a Actor) ([]Server, error) {
	if err := a.allowAny(); err != nil {
		return nil, err
	}
	all, err := tx.Servers(ctx)
	return slices.DeleteFunc(all, func(srv Server) bool { return a.role(srv.ID) == people.NoRole }), err
}

// threadFacet is one filter of the list: what of a thread it looks at, and whether it
// lets the thread through.
type threadFacet struct {
	passes bool
	count  func() // counts the thread for what it would be chosen by
}

// newDiscussion counts, and returns the threads that all filters let through. A thread counts for a filter when all the others let it
// through, so it is looked at once.
func newDiscussion(ts []DiscussedThread, me string, q ThreadQuery) (*Discussion, []DiscussedThread) {
	d := &Discussion{All: len(ts)}
	servers, tools, authors, states := map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}
	by := func(n map[string]int, chosen, value string) threadFacet {
		return threadFacet{chosen == "" || chosen == value, func() {
			if value != "" {
				n[value]++
			}
		}}
	}
	flag := func(n *int, chosen, is bool) threadFacet { return threadFacet{!chosen || is, func() { *n += one(is) }} }
	var chosen []DiscussedThread
	for _, t := range ts {
		facets := []threadFacet{
			by(servers, q.Server, t.Server.Slug), by(tools, q.Tool, t.Anchor.Tool),
			by(authors, q.Author, t.OpenedByLabel), by(states, string(q.State), string(t.Place.State)),
			flag(&d.Blocking, q.Blocks, t.Blocks), flag(&d.Mine, q.Mine, t.takesPart(me)),
			flag(&d.Mentions, q.Mentions, t.mentions), flag(&d.Answered, q.Answered, t.lastBy() != me),
		}
		if countFacets(facets) {
			chosen = append(chosen, t)
		}
	}
	d.Total, d.Servers, d.Tools, d.Authors = len(chosen), counted(servers), counted(tools), counted(authors)
	for _, state := range PlaceStates {
		if n := states[string(state)]; n > 0 {
			d.States = append(d.States, Counted{string(state), n})
		}
	}
	return d, chosen
}

// countFacets counts a thread for each filter that alone might hold it back, and reports
// whether none does.
func countFacets(facets []threadFacet) bool {
	held := 0
	for _, f := range facets {
		held += one(!f.passes)
	}
	for _, f := range facets {
		if held == 0 || held == 1 && !f.passes {
			f.count()
		}
	}
	return held == 0
}

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// takesPart reports whether somebody opened a thread or answered in it.
func (t *Thread) takesPart(userID string) bool {
	return t.OpenedBy == userID || slices.ContainsFunc(t.Comments, func(c Comment) bool { return c.UserID == userID })
}

// lastBy is who spoke last.
func (t *Thread) lastBy() string {
	if len(t.Comments) == 0 {
		return t.OpenedBy
	}
	return t.Comments[len(t.Comments)-1].UserID
}

func counted(n map[string]int) []Counted {
	var out []Counted
	for value, count := range n {
		out = append(out, Counted{value, count})
	}
	slices.SortFunc(out, func(a, b Counted) int { return strings.Compare(a.Value, b.Value) })
	return out
}

// cut takes one page: of those that behind lets through, the first.
func (d *Discussion) cut(chosen []DiscussedThread, behind func(*Thread) bool, limit int) {
	start := slices.IndexFunc(chosen, func(t DiscussedThread) bool { return behind(&t.Thread) })
	if start < 0 {
		start = len(chosen)
	}
	end := min(start+Page{Limit: limit}.bounded().Limit, len(chosen))
	d.Threads = chosen[start:end]
	if end < len(chosen) {
		d.Next = chosen[end-1].ID
	}
}

// threadsBehind reports which threads stand on the pages after the one that ended with a
// thread, which may have been resolved since. "" is none, so all do.
func threadsBehind(ctx context.Context, tx Tx, a Actor, id string) (func(*Thread) bool, error) {
	if id == "" {
		return func(*Thread) bool { return true }, nil
	}
	last, err := tx.ThreadByID(ctx, id)
	if KindOf(err) == NotFound || err == nil && a.role(last.ServerID) == people.NoRole {
		return nil, Errorf(Invalid, "before is %.40q, which is no thread that you can read. Begin at the newest again.", id)
	}
	if err != nil {
		return nil, err
	}
	return func(t *Thread) bool {
		return cmp.Or(t.OpenedAt.Compare(last.OpenedAt), strings.Compare(t.ID, last.ID)) < 0
	}, nil
}

// titles names the releases that the threads of the page were opened on.
func (d *Discussion) titles(ctx context.Context, tx Tx) error {
	if len(d.Threads) == 0 {
		return nil
	}
	var ids []string
	for _, t := range d.Threads {
		ids = append(ids, t.ReleaseID)
	}
	rs, err := tx.ReleasesByID(ctx, ids)
	names := map[string]string{}
	for i := range rs {
		names[rs[i].ID] = rs[i].Title()
	}
	for i := range d.Threads {
		d.Threads[i].Release = names[d.Threads[i].ReleaseID]
	}
	return err
}

// ThreadEdits returns the earlier texts of all comments of a thread, oldest first.
func (s *Service) ThreadEdits(ctx context.Context, a Actor, threadID string) ([]CommentEdit, error) {
	var edits []CommentEdit
	err := s.store.View(ctx, func(tx Tx) error {
		t, err := tx.ThreadByID(ctx, threadID)
		if KindOf(err) == NotFound {
			return errNoSuchThing
		}
		if err != nil {
			return err
		}
		if err := a.allow(t.ServerID, people.Viewer, people.ScopeRead); err != nil {
			return err
		}
		edits, err = tx.CommentEdits(ctx, threadID)
		return err
	})
	return edits, err
}
