package review

import (
	"context"
	"slices"
	"strings"

	"github.com/countersign/countersign/review/people"
)

// ThreadQuery chooses among the threads of all versions.
type ThreadQuery struct {
	Server   string // slug, "" for every server of the actor
	Tool     string
	Blocks   bool   // only those that block
	Mine     bool   // only those that the actor opened or answered in
	Answered bool   // only those in which somebody else spoke last
	Before   string // id of the last one of the page before
	Limit    int
}

// Discussion is everything unresolved, newest first, with how many there are of
// each kind: the numbers are of all of them, whatever the page shows.
type Discussion struct {
	Threads  []DiscussedThread
	Total    int // that the query chooses
	All      int
	Blocking int
	Mine     int
	Answered int
	Servers  []Counted // by slug
	Tools    []Counted // by name
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
}

// Discussion lists the open threads of every version, with a fixed number of store
// calls. Filters count before they cut.
func (s *Service) Discussion(ctx context.Context, a Actor, q ThreadQuery) (*Discussion, error) {
	var d *Discussion
	err := s.store.View(ctx, func(tx Tx) error {
		servers, err := serversRead(ctx, tx, a, q.Server)
		if err != nil {
			return err
		}
		f := ThreadFilter{Open: true}
		if q.Server != "" {
			f.ServerID = servers[0].ID
		}
		ts, err := tx.Threads(ctx, f)
		if err != nil {
			return err
		}
		d = newDiscussion(ts, servers, a.userID(), q)
		return d.titles(ctx, tx)
	})
	return d, err
}

// serversRead returns the servers that the actor reads, or the one of a slug.
func serversRead(ctx context.Context, tx Tx, a Actor, slug string) ([]Server, error) {
	if slug != "" {
		srv, err := serverFor(ctx, tx, a, slug, people.Viewer, people.ScopeRead)
		if err != nil {
			return nil, err
		}
		return []Server{*srv}, nil
	}
	if err := a.allowAny(); err != nil {
		return nil, err
	}
	all, err := tx.Servers(ctx)
	return slices.DeleteFunc(all, func(srv Server) bool { return a.role(srv.ID) == people.NoRole }), err
}

func newDiscussion(ts []Thread, servers []Server, me string, q ThreadQuery) *Discussion {
	byID := map[string]Server{}
	for _, srv := range servers {
		byID[srv.ID] = srv
	}
	d := &Discussion{}
	perServer, perTool := map[string]int{}, map[string]int{}
	var chosen []DiscussedThread
	for _, t := range slices.Backward(ts) { // newest first
		srv, ok := byID[t.ServerID]
		if !ok {
			continue
		}
		mine, answered := t.takesPart(me), t.lastBy() != me
		d.All++
		d.Blocking += one(t.Blocks)
		d.Mine += one(mine)
		d.Answered += one(answered)
		perServer[srv.Slug]++
		if t.Anchor.Tool != "" {
			perTool[t.Anchor.Tool]++
		}
		if (q.Tool == "" || q.Tool == t.Anchor.Tool) && (!q.Blocks || t.Blocks) && (!q.Mine || mine) && (!q.Answered || answered) {
			chosen = append(chosen, DiscussedThread{Thread: t, Server: srv})
		}
	}
	d.Total, d.Servers, d.Tools = len(chosen), counted(perServer), counted(perTool)
	d.cut(chosen, q)
	return d
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

// cut takes one page.
func (d *Discussion) cut(chosen []DiscussedThread, q ThreadQuery) {
	start := 0
	if q.Before != "" {
		start = slices.IndexFunc(chosen, func(t DiscussedThread) bool { return t.ID == q.Before }) + 1
	}
	end := min(start+Page{Limit: q.Limit}.bounded().Limit, len(chosen))
	d.Threads = chosen[start:end]
	if end < len(chosen) {
		d.Next = chosen[end-1].ID
	}
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
