package review

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/countersign/countersign/review/change"
	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/people"
	"github.com/countersign/countersign/review/surface"
)

// NamingKind says what a person vouches for.
type NamingKind string

// The kinds. An alias says that the server still answers to the old name, so
// callers don't break. A pairing says only that the new tool is the old one. A merge
// says that the old tool is gone and the new one does its work, perhaps with that of
// others.
const (
	Alias   NamingKind = "alias"
	Pairing NamingKind = "pairing"
	Merge   NamingKind = "merge"
)

// Naming connects an old name of a tool with a new one, in one profile. Namings
// are ended, never removed: what was released while one held is still read with
// it.
type Naming struct {
	ID       string
	ServerID string
	Profile  string
	Kind     NamingKind
	Old, New string // names as received
	Note     string
	By       string // user id, "" for the shell
	ByLabel  string // filled in on reading
	At       time.Time
	Until    time.Time // zero: until it is ended
	EndedBy  string
	EndedAt  time.Time
	Waits    bool // for a second person: not stored yet, and ID is that of the proposal
}

// Holds reports whether the naming holds at a time.
func (n *Naming) Holds(at time.Time) bool {
	switch {
	case at.Before(n.At):
		return false
	case !n.Until.IsZero() && !at.Before(n.Until):
		return false
	}
	return n.EndedAt.IsZero() || at.Before(n.EndedAt)
}

// NamingStore keeps aliases, pairings and merges.
type NamingStore interface {
	InsertNaming(ctx context.Context, n *Naming) error
	NamingByID(ctx context.Context, id string) (*Naming, error)
	// EndNaming ends a naming; one that is ended already keeps its end.
	EndNaming(ctx context.Context, id, by string, at time.Time) error
	// Namings returns those of a server, ended ones too, oldest first; "" is every
	// server's.
	Namings(ctx context.Context, serverID string) ([]Naming, error)
}

// namings are those of some servers.
type namings []Naming

// options are what a comparison on a profile has to know, as of a time.
func (ns namings) options(k ProfileKey, at time.Time) change.Options {
	var opt change.Options
	for i := range ns {
		n := &ns[i]
		if n.ServerID != k.ServerID || n.Profile != k.Profile || !n.Holds(at) {
			continue
		}
		switch n.Kind {
		case Pairing:
			opt.Pairings = append(opt.Pairings, change.Pairing{From: n.Old, To: n.New})
		case Merge:
			opt.Merges = append(opt.Merges, change.Pairing{From: n.Old, To: n.New})
		case Alias:
			if opt.Aliases == nil {
				opt.Aliases = map[string]string{}
			}
			opt.Aliases[n.Old] = n.New
		}
	}
	return opt
}

// namingKey is the part of a comparison's inputs that namings are; empty for none.
// Each name stands as its hash, so that no two lists look alike.
func namingKey(opt change.Options) []byte {
	var b []byte
	for _, p := range opt.Pairings {
		b = appendNames(append(b, 'p'), p.From, p.To)
	}
	for _, m := range opt.Merges {
		b = appendNames(append(b, 'm'), m.From, m.To)
	}
	old := make([]string, 0, len(opt.Aliases))
	for name := range opt.Aliases {
		old = append(old, name)
	}
	slices.Sort(old)
	for _, name := range old {
		b = appendNames(append(b, 'a'), name, opt.Aliases[name])
	}
	return b
}

// NewAlias is an alias to note down.
type NewAlias struct {
	Profile  string // "" is the default
	Old, New string
	Note     string
	Until    time.Time // zero: until it is ended
}

// Namings lists the aliases, pairings and merges of a server, ended ones too, oldest
// first.
func (s *Service) Namings(ctx context.Context, a Actor, slug string) ([]Naming, error) {
	var found []Naming
	err := s.store.View(ctx, func(tx Tx) error {
		srv, err := serverFor(ctx, tx, a, slug, people.Viewer, people.ScopeRead)
		if err != nil {
			return err
		}
		found, err = tx.Namings(ctx, srv.ID)
		return err
	})
	return found, err
}

// AddAlias notes that the server still answers to an old name. It takes a
// maintainer, since a rename with an alias breaks nobody, and a second one where there
// are two: until they agree it Waits and does not hold.
func (s *Service) AddAlias(ctx context.Context, a Actor, slug string, n NewAlias) (*Naming, error) {
	if n.Profile == "" {
		n.Profile = DefaultProfile
	}
	if err := s.checkAlias(n); err != nil {
		return nil, err
	}
	made := &Naming{
		ID: newID(), Profile: n.Profile, Kind: Alias, Old: n.Old, New: n.New, Note: n.Note,
		By: a.userID(), ByLabel: a.Label(), At: s.now(), Until: n.Until,
	}
	err := s.store.Update(ctx, func(tx Tx) error {
		srv, err := serverFor(ctx, tx, a, slug, people.Maintainer, people.ScopeReview)
		if err != nil {
			return err
		}
		made.ServerID = srv.ID
		users, err := tx.Users(ctx)
		if err != nil {
			return err
		}
		if made.Waits = s.takesTwo(a, users, srv.ID, "", people.Maintainer); !made.Waits {
			return s.insertNaming(ctx, tx, a, made)
		}
		if err := s.mayName(ctx, tx, made); err != nil {
			return err
		}
		p := &Proposal{ServerID: srv.ID, Kind: ProposedNaming, ProposalDetails: ProposalDetails{
			Alias: &ProposedAlias{Profile: n.Profile, Old: []byte(n.Old), New: []byte(n.New), Note: n.Note, Until: n.Until},
		}}
		err = s.propose(ctx, tx, a, p)
		made.ID = p.ID
		return err
	})
	if err != nil {
		return nil, err
	}
	return made, nil
}

func (s *Service) checkAlias(n NewAlias) error {
	switch {
	case n.Old == "" || n.New == "":
		return Errorf(Invalid, "Give the old name and the new one.")
	case n.Old == n.New:
		return Errorf(Invalid, "The old name and the new one are the same.")
	case len(n.Old) > maxName || len(n.New) > maxName:
		return Errorf(Invalid, "A name has at most %d bytes.", maxName)
	case !keepable(n.Note, maxNote):
		return Errorf(Invalid, "The note must be text of at most 64 KiB.")
	case !n.Until.IsZero() && !n.Until.After(s.now()):
		return Errorf(Invalid, "The end is in the past: leave it out, or give a later day.")
	}
	return nil
}

// maxName bounds a name that a person writes down.
const maxName = 1 << 10

// insertNaming stores a naming unless the same old name, or for a pairing the new
// one, is taken by another that still holds. What became of an old tool is one answer:
// it was renamed or merged.
func (s *Service) insertNaming(ctx context.Context, tx Tx, a Actor, n *Naming) error {
	if err := s.mayName(ctx, tx, n); err != nil {
		return err
	}
	return s.storeNaming(ctx, tx, a, n)
}

// mayName checks that a naming means something and that nothing stands against it.
func (s *Service) mayName(ctx context.Context, tx Tx, n *Naming) error {
	profiles, err := tx.Profiles(ctx, n.ServerID)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(profiles, func(p Profile) bool { return p.Name == n.Profile }) {
		return Errorf(Invalid, "There is no profile %s.", visible(n.Profile))
	}
	if n.Kind == Alias {
		known, err := everListed(ctx, tx, ProfileKey{n.ServerID, n.Profile}, n.Old)
		if err != nil {
			return err
		}
		if !known {
			return Errorf(Invalid, "No version of the profile %s has a tool %s, so nobody calls it by that name. Check the old name.", visible(n.Profile), visible(n.Old))
		}
	}
	all, err := tx.Namings(ctx, n.ServerID)
	if err != nil {
		return err
	}
	return n.free(all, s.now())
}

// listedStep is how many versions are looked at in one go, the newest first.
const listedStep = 50

// everListed reports whether any version of a profile, of whatever state, has a tool of a
// name.
func everListed(ctx context.Context, tx Tx, in ProfileKey, name string) (bool, error) {
	for p := (Page{Limit: listedStep}); ; {
		versions, err := tx.Releases(ctx, in.ServerID, in.Profile, p)
		if err != nil || len(versions) == 0 {
			return false, err
		}
		refs, err := tx.ToolRefs(ctx, headsOf(versions))
		if err != nil {
			return false, err
		}
		for _, tools := range refs {
			if refNamed(tools, name) != nil {
				return true, nil
			}
		}
		p.Before = versions[len(versions)-1].ID
	}
}

// free checks that no naming that holds stands against this one.
func (n *Naming) free(all []Naming, at time.Time) error {
	for i := range all {
		if o := &all[i]; o.clashes(n, at) {
			return Errorf(Conflict, "%s is already noted as %s %s. End that first.", visible(o.New), clashWords[o.Kind], visible(o.Old))
		}
	}
	return nil
}

// clashWords say what a name is noted as, before the old name.
var clashWords = map[NamingKind]string{Alias: "alias of", Pairing: "the new name of", Merge: "what does the work of"}

func (s *Service) storeNaming(ctx context.Context, tx Tx, a Actor, n *Naming) error {
	if err := tx.InsertNaming(ctx, n); err != nil {
		return err
	}
	return s.audit(ctx, tx, a, act{
		name: string(n.Kind) + ".add", serverID: n.ServerID, subject: n.ID,
		after: map[string]any{"profile": n.Profile, "old": n.Old, "new": n.New, "by": n.By, "note": n.Note, "until": timeOrNil(n.Until)},
		kept:  leaving(n),
	})
}

// clashes reports whether two namings can't both hold.
func (n *Naming) clashes(o *Naming, at time.Time) bool {
	if n.Profile != o.Profile || (n.Kind == Alias) != (o.Kind == Alias) || !n.Holds(at) {
		return false
	}
	return n.Old == o.Old || n.Kind == Pairing && o.Kind == Pairing && n.New == o.New
}

func timeOrNil(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t
}

// EndAlias ends an alias from now on: a rename that relied on it breaks callers
// again.
func (s *Service) EndAlias(ctx context.Context, a Actor, slug, id string) error {
	return s.store.Update(ctx, func(tx Tx) error {
		srv, err := serverFor(ctx, tx, a, slug, people.Maintainer, people.ScopeReview)
		if err != nil {
			return err
		}
		return s.endNaming(ctx, tx, a, id, Alias, ProfileKey{ServerID: srv.ID})
	})
}

func (s *Service) endNaming(ctx context.Context, tx Tx, a Actor, id string, kind NamingKind, of ProfileKey) error {
	n, err := tx.NamingByID(ctx, id)
	if err != nil && KindOf(err) != NotFound {
		return err
	}
	if err != nil || n.ServerID != of.ServerID || n.Kind != kind || of.Profile != "" && n.Profile != of.Profile {
		return Errorf(Invalid, "There is no such %s here.", kind)
	}
	if !n.EndedAt.IsZero() {
		return nil
	}
	n.EndedAt = s.now()
	if err := tx.EndNaming(ctx, id, a.userID(), n.EndedAt); err != nil {
		return err
	}
	return s.audit(ctx, tx, a, act{
		name: string(kind) + ".end", serverID: n.ServerID, subject: n.ID,
		before: map[string]any{"profile": n.Profile, "old": n.Old, "new": n.New}, after: map[string]any{"ended": true}, kept: leaving(n),
	})
}

// Pair says that a tool which is gone from the release's base is a tool that is
// new in its head. What differs between the two is then one change, that breaks
// callers all the same.
func (s *Service) Pair(ctx context.Context, a Actor, releaseID, old, new string) (*ReleaseView, error) {
	err := s.acting(ctx, a, releaseID, people.Reviewer, func(tx Tx, as *assessment) error {
		if err := as.mayRename(a); err != nil {
			return err
		}
		if err := as.pairable(old, new); err != nil {
			return err
		}
		return s.insertNaming(ctx, tx, a, &Naming{
			ID: newID(), ServerID: as.server.ID, Profile: as.release.Profile, Kind: Pairing, Old: old, New: new,
			By: a.userID(), At: s.now(),
		})
	})
	if err != nil {
		return nil, err
	}
	return s.Release(ctx, a, releaseID)
}

// Merge says that several tools which are gone from the release's base have become
// one that is in its head, new there or not. Their removal breaks callers all the same;
// report, changelog and migration note say what to call instead. All of it is noted or
// nothing.
func (s *Service) Merge(ctx context.Context, a Actor, releaseID string, olds []string, new string) (*ReleaseView, error) {
	if len(olds) == 0 || len(olds) > maxMerged {
		return nil, Errorf(Invalid, "Name the tools that were merged: 1 to %d of them.", maxMerged)
	}
	err := s.acting(ctx, a, releaseID, people.Reviewer, func(tx Tx, as *assessment) error {
		if err := as.mayRename(a); err != nil {
			return err
		}
		if err := as.mergeable(ctx, tx, olds, new); err != nil {
			return err
		}
		all, err := tx.Namings(ctx, as.server.ID)
		if err != nil {
			return err
		}
		for _, old := range olds {
			n := Naming{
				ID: newID(), ServerID: as.server.ID, Profile: as.release.Profile, Kind: Merge, Old: old, New: new, By: a.userID(), At: s.now(),
			}
			if err := n.free(all, s.now()); err != nil {
				return err
			}
			if err := s.storeNaming(ctx, tx, a, &n); err != nil {
				return err
			}
			all = append(all, n)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return s.Release(ctx, a, releaseID)
}

// maxMerged bounds the tools that are mapped in one act.
const maxMerged = 500

// mergeable checks that the old tools are gone and the new one is there. A tool that
// the comparison took for renamed is gone as well: a person knows better.
func (as *assessment) mergeable(ctx context.Context, tx Tx, olds []string, new string) error {
	if !as.release.open() {
		return Errorf(Conflict, "%s is not under review any more.", as.release.Title())
	}
	head, base := toolNames(as.candidate.tools), map[string]bool{}
	if as.base != nil {
		refs, err := tx.ToolRefs(ctx, []string{as.base.Head.ListingID})
		if err != nil {
			return err
		}
		base = toolNames(refs[as.base.Head.ListingID])
	}
	for _, old := range olds {
		if !base[old] || head[old] {
			return Errorf(Invalid, "%s is not among the tools that are gone.", visible(old))
		}
	}
	if !head[new] {
		return Errorf(Invalid, "%s is not among the tools of this listing.", visible(new))
	}
	return nil
}

func toolNames(tools []ToolRef) map[string]bool {
	names := make(map[string]bool, len(tools))
	for _, t := range tools {
		names[t.Name] = true
	}
	return names
}

// mayRename checks that the actor's word on what became of a name is a reviewer's: it
// turns questions that others answered into another one, which is nothing for who wrote
// or pushed the release.
func (as *assessment) mayRename(a Actor) error {
	if slices.Contains(as.authors, a.userID()) && !as.server.Policy.SelfReview() {
		return Errorf(Forbidden, "You wrote or pushed %s, so a reviewer says what became of its names.", as.release.Title())
	}
	return nil
}

// pairable checks that the old tool is gone and the new one is new here.
func (as *assessment) pairable(old, new string) error {
	if !as.release.open() {
		return Errorf(Conflict, "%s is not under review any more.", as.release.Title())
	}
	gone, fresh := false, false
	for _, c := range as.outline.Changes {
		if c.Subject != change.SubjectTool {
			continue
		}
		if c.To.IsZero() && string(c.Name) == old {
			gone = true
			if by := as.rejecters(c); len(by) > 0 {
				return Errorf(Conflict, "The removal of %s is rejected by %s. As a rename nobody would be asked about it any more: have that taken back first.", visible(old), strings.Join(by, " and "))
			}
		}
		fresh = fresh || c.From.IsZero() && c.NewPosition > 0 && as.candidate.tools[c.NewPosition-1].Name == new
	}
	switch {
	case !gone:
		return Errorf(Invalid, "%s is not among the tools that are gone.", visible(old))
	case !fresh:
		return Errorf(Invalid, "%s is not among the tools that are new.", visible(new))
	}
	return nil
}

// rejecters names whose rejections of a change stand.
func (as *assessment) rejecters(c outlined) []string {
	var by []string
	for _, o := range gate.NewStanding(as.facts.Verdicts).On(c.Subject, c.From, c.To) {
		if o.Rejection != nil {
			by = append(by, o.Rejection.Label)
		}
	}
	return by
}

// Unpair takes a pairing or a merge back: the old tool is gone again, and nobody says
// where its work went.
func (s *Service) Unpair(ctx context.Context, a Actor, releaseID, id string) (*ReleaseView, error) {
	err := s.acting(ctx, a, releaseID, people.Reviewer, func(tx Tx, as *assessment) error {
		if !as.release.open() {
			return Errorf(Conflict, "%s is not under review any more.", as.release.Title())
		}
		if err := as.mayRename(a); err != nil {
			return err
		}
		n, err := tx.NamingByID(ctx, id)
		if err != nil && KindOf(err) != NotFound {
			return err
		}
		kind := Pairing
		if err == nil && n.Kind == Merge {
			kind = Merge
		}
		return s.endNaming(ctx, tx, a, id, kind, as.profile())
	})
	if err != nil {
		return nil, err
	}
	return s.Release(ctx, a, releaseID)
}

// asOf is the time as of which a release is compared: its release, else now.
func (r *Release) asOf(now time.Time) time.Time {
	if r.released() {
		return r.ReleasedAt
	}
	return now
}

// appendNames appends the hash of each name.
func appendNames(b []byte, names ...string) []byte {
	for _, n := range names {
		h := surface.HashOf([]byte(n))
		b = append(b, h[:]...)
	}
	return b
}

// held lists the namings of one kind and profile that hold at a time.
func (ns namings) held(k ProfileKey, kind NamingKind, at time.Time) []Naming {
	var out []Naming
	for _, n := range ns {
		if n.ServerID == k.ServerID && n.Profile == k.Profile && n.Kind == kind && n.Holds(at) {
			out = append(out, n)
		}
	}
	return out
}
