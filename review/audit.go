package review

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/countersign/countersign/review/people"
)

// act is one thing done, on its way into the audit.
type act struct {
	name          string // noun.verb
	serverID      string
	subject       string
	before, after any         // nil for none; never a secret
	kept          []keptFacts // what else the rows say that it wrote; then after is an object
}

// audit appends an act to the audit, in the transaction that does it.
func (s *Service) audit(ctx context.Context, tx Tx, a Actor, what act) error {
	before, err := auditJSON(what.before)
	if err != nil {
		return err
	}
	after, err := auditJSON(what.after)
	if err != nil {
		return err
	}
	if after, err = withKept(after, what.kept); err != nil {
		return err
	}
	return tx.AppendAudit(ctx, &AuditEntry{
		ID: newID(), At: s.now(), ActorID: a.userID(), Actor: a.Label(), Via: a.Via, Addr: a.Addr,
		Act: what.name, ServerID: what.serverID, Subject: what.subject, Before: before, After: after,
	})
}

func auditJSON(v any) (string, error) {
	if v == nil {
		return "", nil
	}
	b, err := json.Marshal(v)
	if err != nil {
		return "", fmt.Errorf("audit: %w", err)
	}
	return string(b), nil
}

// AuditQuery chooses acts of the audit; zero fields don't restrict.
type AuditQuery struct {
	Server string // slug; "" is every server that the actor maintains, and for an administrator also what belongs to none
	Who    string // as the audit names them
	Act    string // noun.verb, or a noun for all its acts
	Since  time.Time
	Until  time.Time // the first moment that is left out
}

// actPattern is what acts are called, or their nouns.
var actPattern = regexp.MustCompile(`^[a-z]+(-[a-z]+)*(\.[a-z]+(-[a-z]+)*)?$`)

// AuditAct is an act with what it was done to, as far as people have a name for that.
type AuditAct struct {
	AuditEntry
	Release *Release // nil for none, or for one that is gone
	Tool    string   // "" for none
}

// about is what may be the id of the release that an act was done to, besides its
// subject, and the tool, as it left them.
func (e *AuditEntry) about() (release, tool string) {
	var facts struct {
		Release string `json:"release"`
		Tool    string `json:"tool"`
	}
	for _, left := range []string{e.After, e.Before} {
		if facts.Release == "" && strings.HasPrefix(left, "{") && json.Unmarshal([]byte(left), &facts) != nil {
			facts.Release, facts.Tool = "", "" // of another shape, such as a text under one of the names
		}
	}
	return facts.Release, facts.Tool
}

// acts names what acts were done to, by one look-up for all.
func acts(ctx context.Context, tx Tx, entries []AuditEntry) ([]AuditAct, error) {
	out := make([]AuditAct, len(entries))
	var ids []string // two of each act
	for i := range entries {
		var said string
		out[i].AuditEntry = entries[i]
		said, out[i].Tool = entries[i].about()
		ids = append(ids, entries[i].Subject, said)
	}
	found, err := tx.ReleasesByID(ctx, ids)
	if err != nil {
		return nil, err
	}
	releases := map[string]*Release{}
	for i := range found {
		releases[found[i].ID] = &found[i]
	}
	for i := range out {
		if r := cmp.Or(releases[ids[2*i]], releases[ids[2*i+1]]); r != nil && r.ServerID == out[i].ServerID { // else it is not what the reader may see
			out[i].Release = r
		}
	}
	return out, nil
}

// AuditLog lists acts, newest first.
func (s *Service) AuditLog(ctx context.Context, a Actor, q AuditQuery, p Page) ([]AuditAct, error) {
	var list []AuditAct
	err := s.store.View(ctx, func(tx Tx) error {
		f, err := s.auditFilter(ctx, tx, a, q)
		if err != nil {
			return err
		}
		entries, err := tx.Audit(ctx, f, p.bounded())
		if err != nil {
			return err
		}
		list, err = acts(ctx, tx, entries)
		return err
	})
	return list, err
}

// AuditChoices are what the acts that an actor may read can be chosen by.
type AuditChoices struct {
	Servers []Server
	Actors  []string // labels of people, and of what acts without one
	Seal    SealState
}

// SealState is how far the audit of the whole instance can be checked.
type SealState struct {
	Links      int64
	Checkpoint *KeptCheckpoint // the last one, nil before the first
}

// AuditChoices lists what to filter by.
func (s *Service) AuditChoices(ctx context.Context, a Actor) (*AuditChoices, error) {
	out := &AuditChoices{Actors: []string{"shell", "webhook"}}
	err := s.store.View(ctx, func(tx Tx) error {
		ids, err := s.auditScope(ctx, tx, a, "")
		if err != nil {
			return err
		}
		servers, err := tx.Servers(ctx)
		if err != nil {
			return err
		}
		for _, srv := range servers {
			if ids == nil || slices.Contains(ids, srv.ID) {
				out.Servers = append(out.Servers, srv)
			}
		}
		users, err := tx.Users(ctx)
		for i := range users {
			if ids == nil || slices.ContainsFunc(ids, func(id string) bool { return users[i].RoleOn(id) != people.NoRole }) {
				out.Actors = append(out.Actors, users[i].Label())
			}
		}
		if err == nil {
			out.Seal, err = sealState(ctx, tx)
		}
		return err
	})
	return out, err
}

func sealState(ctx context.Context, tx Tx) (SealState, error) {
	head, err := tx.ChainHead(ctx)
	if err != nil {
		return SealState{}, err
	}
	last, err := tx.LastCheckpoint(ctx)
	if KindOf(err) == NotFound {
		err = nil
	}
	return SealState{Links: head.Seq, Checkpoint: last}, err
}

// AuditNouns are what acts are about, for a choice of them.
var AuditNouns = []string{"alias", "baseline", "capture", "comment", "database", "drift", "endpoint", "grant", "key", "link", "listing", "merge", "override", "pairing", "policy", "predecessor", "release",
	"retention", "server", "session", "text", "thread", "token", "user", "verdict", "waiver"}

func (s *Service) auditFilter(ctx context.Context, tx Tx, a Actor, q AuditQuery) (AuditFilter, error) {
	ids, err := s.auditScope(ctx, tx, a, q.Server)
	switch {
	case err != nil:
		return AuditFilter{}, err
	case q.Act != "" && !actPattern.MatchString(q.Act):
		return AuditFilter{}, Errorf(Invalid, "There is no act %.80q: acts are named like verdict.approve, all of a kind like verdict.", q.Act)
	case !keepable(q.Who, maxNote):
		return AuditFilter{}, Errorf(Invalid, "Nobody has such a name.")
	}
	return AuditFilter{ServerIDs: ids, Actor: q.Who, Act: q.Act, Since: q.Since, Until: q.Until}, nil
}

// matches is what the filter means; a store says the same in SQL.
func (f *AuditFilter) matches(e *AuditEntry) bool {
	noun, _, _ := strings.Cut(e.Act, ".")
	return (f.ServerIDs == nil || slices.Contains(f.ServerIDs, e.ServerID)) &&
		(f.Actor == "" || f.Actor == e.Actor) &&
		(f.Act == "" || f.Act == e.Act || f.Act == noun) &&
		(f.Since.IsZero() || !e.At.Before(f.Since)) &&
		(f.Until.IsZero() || e.At.Before(f.Until))
}

// auditScope returns whose acts the actor may read, nil for everybody's.
func (s *Service) auditScope(ctx context.Context, tx Tx, a Actor, slug string) ([]string, error) {
	if err := a.scope(); err != nil {
		return nil, err
	}
	if slug != "" {
		srv, err := serverFor(ctx, tx, a, slug, people.Maintainer)
		if err != nil {
			return nil, err
		}
		return []string{srv.ID}, nil
	}
	ids, all, err := serverIDsFor(ctx, tx, a, people.Maintainer)
	switch {
	case err != nil:
		return nil, err
	case all:
		return nil, nil
	case len(ids) == 0:
		return nil, Errorf(Forbidden, "This takes the role maintainer on a server.")
	}
	return ids, nil
}
