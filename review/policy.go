package review

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/people"
	"github.com/countersign/countersign/review/surface"
)

// PolicyState is where a version of a policy stands.
type PolicyState string

// The states. What was in force once stays PolicyInForce: what was asked then may
// still be asked of releases that were open.
const (
	PolicyInForce  PolicyState = "in force"
	PolicyProposed PolicyState = "proposed" // waits for a second person
	PolicyRefused  PolicyState = "refused"
)

// PolicyVersion is one edit of a server's policy.
type PolicyVersion struct {
	ServerID  string
	Policy    gate.Policy
	State     PolicyState
	ByID      string // who wrote it
	By        string
	At        time.Time
	SecondID  string // who agreed or refused, where a second person was needed
	Second    string
	DecidedAt time.Time // when it came into force or was refused
	Loosens   []string  // where it asks for less than the one before
	Unchanged bool      // of the answer to an edit: it asks what the policy in force asks, so there is no new version
}

// PolicyStore keeps policies in their versions.
type PolicyStore interface {
	InsertPolicy(ctx context.Context, v *PolicyVersion) error // Conflict when the version is taken
	UpdatePolicy(ctx context.Context, v *PolicyVersion) error // its state
	// Policies returns those of the servers, newest first.
	Policies(ctx context.Context, serverIDs []string) ([]PolicyVersion, error)
}

// PolicyView is a server's policy with how it came to be.
type PolicyView struct {
	Server   Server
	Role     people.Role
	Versions []PolicyVersion // newest first
	Proposed *PolicyVersion  // that waits, nil for none
	Mine     bool            // the actor wrote the one that waits
	MayAgree string          // "" or why the actor can't agree to it
	Who      []string        // who can agree to it
	MayEdit  string          // "" or why the actor can't edit
	Present  []gate.Person   // who may decide here
	Grants   []Grant
}

// Policy returns a server's policy and its history.
func (s *Service) Policy(ctx context.Context, a Actor, slug string) (*PolicyView, error) {
	var v *PolicyView
	err := s.store.View(ctx, func(tx Tx) error {
		srv, err := serverFor(ctx, tx, a, slug, people.Viewer, people.ScopeRead)
		if err != nil {
			return err
		}
		v = &PolicyView{Server: *srv, Role: a.role(srv.ID)}
		if v.Versions, err = tx.Policies(ctx, []string{srv.ID}); err != nil {
			return err
		}
		if len(v.Versions) == 0 {
			v.Versions = []PolicyVersion{*firstPolicy(srv)}
		}
		users, err := tx.Users(ctx)
		if err != nil {
			return err
		}
		v.Present = slices.DeleteFunc(peopleOf(users, srv.ID, s.asksSecondFactor(srv)), func(p gate.Person) bool { return !p.Decides })
		if i := slices.IndexFunc(v.Versions, func(p PolicyVersion) bool { return p.State == PolicyProposed }); i >= 0 {
			v.Proposed = &v.Versions[i]
			v.Mine = a.userID() != "" && a.userID() == v.Proposed.ByID
			v.MayAgree = sentenceOr(mayAgree(a, srv, v.Proposed, v.Present))
			v.Who = labelsOf(seconds(users, v.Proposed.ByID, "", srv.ID, people.Maintainer, v.Proposed.At))
		}
		v.MayEdit = sentenceOr(a.allow(srv.ID, people.Maintainer))
		v.Grants, err = tx.Grants(ctx, srv.ID)
		return err
	})
	return v, err
}

// sentenceOr returns what an error says to people, "" for none.
func sentenceOr(err error) string {
	if e, ok := err.(*Error); ok && e != nil {
		return e.Sentence
	}
	return ""
}

// SetPolicy makes a new version of a server's policy. seen is the version that its
// author edited; Conflict when that is not the latest any more. One that asks the same
// is no new version. A policy that
// nobody present could satisfy is refused. One that asks for less anywhere waits
// for a second maintainer where there is one who is another person, and applies to releases that are
// opened after it came into force. The shell is the operator and needs no second person.
func (s *Service) SetPolicy(ctx context.Context, a Actor, slug string, p gate.Policy, seen int) (*PolicyVersion, error) {
	if err := checkPolicy(&p); err != nil {
		return nil, err
	}
	var made *PolicyVersion
	err := s.store.Update(ctx, func(tx Tx) error {
		srv, err := serverFor(ctx, tx, a, slug, people.Maintainer)
		if err != nil {
			return err
		}
		if err := s.mayDecide(a, srv); err != nil {
			return err
		}
		e := policyEdit{s: s, ctx: ctx, tx: tx, actor: a, server: srv}
		made, err = e.save(p, seen)
		return err
	})
	return made, err
}

// checkPolicy says what is wrong with a policy in itself.
func checkPolicy(p *gate.Policy) error {
	if why := p.Check(); why != "" {
		return Errorf(Invalid, "%s", why)
	}
	return checkLimits(&p.Limits)
}

// policyEdit is one edit on its way into the store.
type policyEdit struct {
	s      *Service
	ctx    context.Context
	tx     Tx
	actor  Actor
	server *Server
}

func (e *policyEdit) save(p gate.Policy, seen int) (*PolicyVersion, error) {
	old := e.server.Policy
	history, err := e.history()
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(history, func(v PolicyVersion) bool { return v.State == PolicyProposed }); i >= 0 {
		return nil, Errorf(Conflict, "Version %d waits for a second person. Agree to it or refuse it first.", history[i].Policy.Version)
	}
	if seen != old.Version {
		return nil, Errorf(Conflict, "The policy changed while you wrote: its version is %d now. Nothing was saved; look again.", old.Version)
	}
	if p.Same(old) && (!e.actor.Shell || old.LoosenedAt.IsZero()) {
		return unchanged(history, old.Version), nil
	}
	users, err := e.tx.Users(e.ctx)
	if err != nil {
		return nil, err
	}
	present := peopleOf(users, e.server.ID, e.s.cfg.SecondFactor || p.SecondFactor)
	if why := p.Unsatisfiable(present); why != "" {
		return nil, Errorf(Conflict, "%s", why)
	}
	p.Version, p.LoosenedAt = history[0].Policy.Version+1, old.LoosenedAt
	v := &PolicyVersion{
		ServerID: e.server.ID, Policy: p, State: PolicyProposed, ByID: e.actor.userID(), By: e.actor.Label(), At: e.s.now(), Loosens: p.Loosens(old),
	}
	if len(v.Loosens) > 0 && e.s.takesTwo(e.actor, users, e.server.ID, "", people.Maintainer) {
		if err := e.tx.InsertPolicy(e.ctx, v); err != nil {
			return nil, err
		}
		if err := e.s.tellSecond(e.ctx, e.tx, e.actor, e.server.ID, "", NoticePolicy, fmt.Sprintf("version %d of the policy of %s asks for less", v.Policy.Version, e.server.Name)); err != nil {
			return nil, err
		}
		return v, e.s.audit(e.ctx, e.tx, e.actor, act{name: "policy.propose", serverID: e.server.ID, subject: e.server.Slug, before: old, after: v.facts(), kept: leaving(v)})
	}
	if err := e.tx.InsertPolicy(e.ctx, v); err != nil {
		return nil, err
	}
	return v, e.enforce(v)
}

// unchanged is the version in force, as the answer to an edit that asks for nothing else:
// a new version would end overrides for nothing.
func unchanged(history []PolicyVersion, version int) *PolicyVersion {
	i := slices.IndexFunc(history, func(v PolicyVersion) bool { return v.Policy.Version == version })
	v := history[i]
	v.Unchanged, v.Loosens = true, nil
	return &v
}

// facts is what the audit keeps of a version.
func (v *PolicyVersion) facts() any {
	return map[string]any{"policy": v.Policy, "loosens": v.Loosens, "by": v.By}
}

// history returns all versions, the newest first; of a server that never had an
// edit, the one that it began with.
func (e *policyEdit) history() ([]PolicyVersion, error) {
	vs, err := e.tx.Policies(e.ctx, []string{e.server.ID})
	if err != nil || len(vs) > 0 {
		return vs, err
	}
	first := firstPolicy(e.server)
	return []PolicyVersion{*first}, e.tx.InsertPolicy(e.ctx, first)
}

// firstPolicy is what a server began with.
func firstPolicy(srv *Server) *PolicyVersion {
	return &PolicyVersion{ServerID: srv.ID, Policy: srv.Policy, State: PolicyInForce, ByID: srv.CreatedBy, At: srv.CreatedAt, DecidedAt: srv.CreatedAt}
}

// enforce puts a stored version into force. What the shell does applies at once.
func (e *policyEdit) enforce(v *PolicyVersion) error {
	old := e.server.Policy
	last, err := e.opened()
	if err != nil {
		return err
	}
	v.State, v.DecidedAt = PolicyInForce, e.s.after(last)
	if len(v.Loosens) > 0 && !e.actor.Shell {
		v.Policy.LoosenedAt = v.DecidedAt
	}
	if e.actor.Shell {
		v.Policy.LoosenedAt = time.Time{}
	}
	if err := e.tx.UpdatePolicy(e.ctx, v); err != nil {
		return err
	}
	e.server.Policy = v.Policy
	if err := e.tx.UpdateServer(e.ctx, e.server); err != nil {
		return err
	}
	return e.s.audit(e.ctx, e.tx, e.actor, act{name: "policy.set", serverID: e.server.ID, subject: e.server.Slug, before: old, after: v.facts(), kept: leaving(v)})
}

// opened is when the server's newest release was opened: a looser policy comes after
// it, whatever the clock says.
func (e *policyEdit) opened() (time.Time, error) {
	rs, err := e.tx.Releases(e.ctx, e.server.ID, "", Page{Limit: 1})
	if err != nil || len(rs) == 0 {
		return time.Time{}, err
	}
	return rs[0].CreatedAt, nil
}

// DecidePolicy agrees to the version that waits for a second person, or refuses it.
// Who wrote it, or counts as one with who did, can only take it back.
func (s *Service) DecidePolicy(ctx context.Context, a Actor, slug string, version int, agree bool) (*PolicyVersion, error) {
	var decided *PolicyVersion
	err := s.store.Update(ctx, func(tx Tx) error {
		srv, err := serverFor(ctx, tx, a, slug, people.Maintainer)
		if err != nil {
			return err
		}
		if err := s.mayDecide(a, srv); err != nil {
			return err
		}
		vs, err := tx.Policies(ctx, []string{srv.ID})
		if err != nil {
			return err
		}
		i := slices.IndexFunc(vs, func(v PolicyVersion) bool { return v.State == PolicyProposed && v.Policy.Version == version })
		if i < 0 {
			return Errorf(Conflict, "Version %d does not wait for anybody.", version)
		}
		decided = &vs[i]
		e := policyEdit{s: s, ctx: ctx, tx: tx, actor: a, server: srv}
		return e.decide(decided, agree)
	})
	return decided, err
}

func (e *policyEdit) decide(v *PolicyVersion, agree bool) error {
	v.SecondID, v.Second = e.actor.userID(), e.actor.Label()
	if !agree {
		v.State, v.DecidedAt = PolicyRefused, e.s.now()
		if err := e.tx.UpdatePolicy(e.ctx, v); err != nil {
			return err
		}
		return e.s.audit(e.ctx, e.tx, e.actor, act{name: "policy.refuse", serverID: e.server.ID, subject: e.server.Slug, after: v.facts(), kept: leaving(v)})
	}
	users, err := e.tx.Users(e.ctx)
	if err != nil {
		return err
	}
	present := peopleOf(users, e.server.ID, e.s.cfg.SecondFactor || v.Policy.SecondFactor)
	if err := mayAgree(e.actor, e.server, v, present); err != nil {
		return err
	}
	if why := v.Policy.Unsatisfiable(present); why != "" {
		return Errorf(Conflict, "%s", why)
	}
	return e.enforce(v)
}

// mayAgree checks that the actor is a second person beside who wrote a version.
func mayAgree(a Actor, srv *Server, v *PolicyVersion, present []gate.Person) error {
	if err := a.allow(srv.ID, people.Maintainer); err != nil {
		return err
	}
	if err := a.person(); err != nil {
		return err
	}
	if a.userID() == v.ByID {
		return Errorf(Forbidden, "You wrote this version, and it asks for less: another maintainer must agree.")
	}
	return kinOf(a, v.ByID, v.By, v.At, present)
}

// Tried is what a policy would say of a release that is open.
type Tried struct {
	Release Release
	Now     gate.Answer
	Then    gate.Answer
}

// TriedDifference is one requirement under both policies: in words what it says now and
// what it would say, "" where one of them has none like it.
type TriedDifference struct {
	ID   string
	Now  string
	Then string
}

// Says is the difference in words.
func (d TriedDifference) Says() string {
	switch {
	case d.Now == "":
		return visible(d.ID) + " is new: " + d.Then
	case d.Then == "":
		return visible(d.ID) + " goes: " + d.Now
	}
	return visible(d.ID) + " now: " + d.Now + " Then: " + d.Then
}

// Differs lists the requirements that would come, go, or ask otherwise, in the order of
// what would be asked, then what would go. An equal result says little: what takes two
// people instead of one blocks as before.
func (t *Tried) Differs() []TriedDifference {
	now := map[string]*gate.Requirement{}
	for i := range t.Now.Requirements {
		now[t.Now.Requirements[i].ID] = &t.Now.Requirements[i]
	}
	var out []TriedDifference
	for i := range t.Then.Requirements {
		r := &t.Then.Requirements[i]
		old := now[r.ID]
		delete(now, r.ID)
		if old == nil || old.State != r.State || old.Why != r.Why {
			out = append(out, TriedDifference{ID: r.ID, Now: requirementSays(old), Then: requirementSays(r)})
		}
	}
	for i := range t.Now.Requirements {
		if r := &t.Now.Requirements[i]; now[r.ID] != nil {
			out = append(out, TriedDifference{ID: r.ID, Now: requirementSays(r)})
		}
	}
	return out
}

// requirementSays is what a requirement says with where it stands, "" for none.
func requirementSays(r *gate.Requirement) string {
	if r == nil {
		return ""
	}
	return r.Why + " (" + string(r.State) + ")"
}

// TryPolicy answers what the gate would say of the open releases of a server if the
// policy applied to them. It saves nothing.
func (s *Service) TryPolicy(ctx context.Context, a Actor, slug string, p gate.Policy) ([]Tried, error) {
	if err := checkPolicy(&p); err != nil {
		return nil, err
	}
	var tried []Tried
	err := s.analysed(ctx, func() error {
		return s.store.View(ctx, func(tx Tx) error {
			srv, err := serverFor(ctx, tx, a, slug, people.Viewer, people.ScopeRead)
			if err != nil {
				return err
			}
			tried, err = s.tryPolicy(ctx, tx, srv, p)
			return err
		})
	})
	return tried, err
}

func (s *Service) tryPolicy(ctx context.Context, tx Tx, srv *Server, p gate.Policy) ([]Tried, error) {
	releases, err := judgedReleases(ctx, tx, srv.ID)
	if err != nil {
		return nil, err
	}
	infos, err := headInfos(ctx, tx, releases)
	if err != nil {
		return nil, err
	}
	var candidates []candidate
	for i := range releases {
		r := &releases[i]
		if l, ok := infos[r.Head.ListingID]; ok {
			candidates = append(candidates, candidate{server: srv, release: r, revision: r.Head, listing: l})
		}
	}
	now, err := s.assess(ctx, tx, candidates, nil)
	if err != nil {
		return nil, err
	}
	p.Version = srv.Policy.Version + 1
	other := *srv
	other.Policy = p
	for i := range candidates {
		candidates[i].server = &other
	}
	then, err := s.assess(ctx, tx, candidates, nil)
	tried := make([]Tried, len(then))
	for i := range then {
		tried[i] = Tried{Release: *then[i].release, Now: now[i].Answer, Then: then[i].Answer}
	}
	return tried, err
}

// judgedReleases returns the releases of a server that are under review, newest first,
// however long its history is. Superseded ones, of which there may be very many, are
// not judged.
func judgedReleases(ctx context.Context, tx Tx, serverID string) ([]Release, error) {
	open, err := tx.OpenReleasesOf(ctx, serverID, "")
	if err != nil || len(open) == 0 {
		return nil, err
	}
	var keys []ProfileKey
	for _, r := range open {
		if key := (ProfileKey{r.ServerID, r.Profile}); !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	last, err := tx.LastReleased(ctx, keys)
	return slices.DeleteFunc(open, func(r Release) bool {
		return r.supersededBy(last[ProfileKey{r.ServerID, r.Profile}])
	}), err
}

// policies finds the policy that each candidate is judged by: the latest, but for
// releases that were open when it was loosened.
func (l *loader) policies() error {
	var servers []string
	for _, as := range l.found {
		if as.before() && !slices.Contains(servers, as.server.ID) {
			servers = append(servers, as.server.ID)
		}
	}
	if len(servers) == 0 {
		return nil
	}
	history, err := policiesInForce(l.ctx, l.tx, servers)
	if err != nil {
		return err
	}
	for _, as := range l.found {
		if as.before() {
			srv := *as.server
			srv.Policy = gate.Effective(history[srv.ID], as.release.CreatedAt)
			as.server = &srv
		}
	}
	return nil
}

// policiesInForce returns every policy that ever was in force, by server.
func policiesInForce(ctx context.Context, tx Tx, servers []string) (map[string][]gate.InForce, error) {
	vs, err := tx.Policies(ctx, servers)
	history := map[string][]gate.InForce{}
	for _, v := range vs {
		if v.State == PolicyInForce {
			history[v.ServerID] = append(history[v.ServerID], gate.InForce{Policy: v.Policy, At: v.DecidedAt})
		}
	}
	return history, err
}

// before reports whether the candidate was opened before its server's policy was
// loosened. A preview is opened now.
func (as *assessment) before() bool {
	at := as.server.Policy.LoosenedAt
	return !at.IsZero() && as.release.CreatedAt.Before(at)
}

// familyOf returns the family of each tool name of the candidate, and of those that
// are gone, where the policy asks for it.
func (as *assessment) familyOf() map[string]string {
	if !as.server.Policy.AsksFamilies() {
		return nil
	}
	names := as.allNames()
	of := map[string]string{}
	for _, f := range surface.FamiliesWith(names, as.server.Policy.Patterns()).Families {
		for _, p := range f.Positions {
			of[names[p-1]] = f.Name
		}
	}
	return of
}

// allNames lists the names of the candidate's tools, of those that are gone, and those
// that tools had before.
func (as *assessment) allNames() []string {
	names := namesOf(as.candidate.tools)
	for _, c := range as.outline.Changes {
		if len(c.Name) > 0 {
			names = append(names, string(c.Name))
		}
	}
	return names
}

// checkBound refuses a signed push that does not bind its query where the policy
// asks for it.
func checkBound(srv *Server, in Incoming) error {
	if !srv.Policy.BoundDeliveries || strings.HasSuffix(strings.ToLower(in.WebhookID), "."+binding(in.PathQuery)) {
		return nil
	}
	return Errorf(Unauthenticated, "This server takes signed pushes only whose webhook-id is bound to path and query: end it in . and the first %d hex digits of their SHA-256.", BindingLength)
}
