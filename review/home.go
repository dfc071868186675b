package review

import (
	"context"
	"slices"

	"github.com/countersign/countersign/review/change"
	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/people"
)

// HomeView is the first page: whose turn it is.
type HomeView struct {
	YourTurn []ReleaseSummary // open releases with a decision that the actor can take
	Waiting  []ReleaseSummary // open releases that wait for others
	Servers  []ServerView
	Alarms   []RaisedAlarm // that nobody looked into, newest first
	// Drifts go on at servers that the actor maintains, and nobody said that they know of
	// them; the gravest first.
	Drifts []DriftView
	// Unlisted is how many more are under review than the newest ones that are listed:
	// some of them may be the actor's turn.
	Unlisted int
}

// ServerView is a server as its page shows it.
type ServerView struct {
	Server   Server
	Role     people.Role // of the actor
	Profiles []Profile
	Releases []ReleaseSummary // newest first
	Gate     gate.Result      // of the newest open release, else of the last released; "" without any
	Why      string

	Overridden bool          // Gate is a pass by override only
	Alarms     []RaisedAlarm // that nobody looked into, newest first
}

// RaisedAlarm is an alarm with the release that it is about.
type RaisedAlarm struct {
	Alarm
	Release Release
}

// ReleaseSummary is a line in a list of releases.
type ReleaseSummary struct {
	Release  Release
	State    ReleaseState
	Gate     gate.Result
	Why      string
	Listing  ListingInfo
	Class    change.Class         // strongest against the gate base
	Counts   map[change.Class]int // changes by class
	Findings *FindingCounts       // nil while unknown
	URL      string

	Attention  Attention         // while it is under review
	Overrides  []OverrideInForce // that it passes by
	Overridden int               // requirements that only these answer
}

// Home returns whose turn it is, over every server of the actor.
func (s *Service) Home(ctx context.Context, a Actor) (*HomeView, error) {
	var v *HomeView
	err := s.analysed(ctx, func() error {
		return s.store.View(ctx, func(tx Tx) error {
			if err := a.allowAny(); err != nil {
				return err
			}
			l := lister{s: s, ctx: ctx, tx: tx, actor: a}
			if err := l.current(); err != nil {
				return err
			}
			if err := l.raised(); err != nil {
				return err
			}
			if err := l.drifting(); err != nil {
				return err
			}
			v = l.home()
			return nil
		})
	})
	return v, err
}

// allowAny checks that somebody reads at all.
func (a Actor) allowAny() error {
	if a.User == nil && a.Token == nil && !a.Shell {
		return Errorf(Unauthenticated, "Sign in, or send a token.")
	}
	return a.scope(people.ScopeRead)
}

// Servers lists the servers that the actor has a role on, with their open releases
// and the last released one of each profile.
func (s *Service) Servers(ctx context.Context, a Actor) ([]ServerView, error) {
	v, err := s.Home(ctx, a)
	if err != nil {
		return nil, err
	}
	return v.Servers, nil
}

// Server returns one server with its newest releases.
func (s *Service) Server(ctx context.Context, a Actor, slug string) (*ServerView, error) {
	var v *ServerView
	err := s.analysed(ctx, func() error {
		return s.store.View(ctx, func(tx Tx) error {
			srv, err := serverFor(ctx, tx, a, slug, people.Viewer, people.ScopeRead)
			if err != nil {
				return err
			}
			rs, err := tx.Releases(ctx, srv.ID, "", Page{}.bounded())
			if err != nil {
				return err
			}
			l := lister{s: s, ctx: ctx, tx: tx, actor: a, servers: []Server{*srv}}
			if l.profiles, err = tx.Profiles(ctx, srv.ID); err != nil {
				return err
			}
			if err := l.lastReleased(); err != nil {
				return err
			}
			if err := l.load(rs); err != nil {
				return err
			}
			if err := l.raised(); err != nil {
				return err
			}
			v = &l.views()[0]
			return nil
		})
	})
	return v, err
}

// Releases lists releases of a server, newest first; empty version and profile
// don't restrict.
func (s *Service) Releases(ctx context.Context, a Actor, slug, version, profile string, p Page) ([]ReleaseSummary, error) {
	var found []ReleaseSummary
	err := s.analysed(ctx, func() error {
		return s.store.View(ctx, func(tx Tx) error {
			srv, err := serverFor(ctx, tx, a, slug, people.Viewer, people.ScopeRead)
			if err != nil {
				return err
			}
			l := lister{s: s, ctx: ctx, tx: tx, actor: a, servers: []Server{*srv}}
			if l.profiles, err = tx.Profiles(ctx, srv.ID); err != nil {
				return err
			}
			rs, err := l.namedReleases(srv, version, profile, p)
			if err != nil {
				return err
			}
			if err := l.lastReleased(); err != nil {
				return err
			}
			err = l.load(rs)
			found = l.summaries
			return err
		})
	})
	return found, err
}

func (l *lister) namedReleases(srv *Server, version, profile string, p Page) ([]Release, error) {
	if version == "" {
		return l.tx.Releases(l.ctx, srv.ID, profile, p.bounded())
	}
	var keys []VersionKey
	for _, pr := range l.profiles {
		if profile == "" || profile == pr.Name {
			keys = append(keys, VersionKey{ProfileKey{srv.ID, pr.Name}, version})
		}
	}
	if len(keys) == 0 {
		return nil, nil
	}
	rs, err := l.tx.ReleasesByVersion(l.ctx, keys)
	slices.SortFunc(rs, func(a, b Release) int { return b.CreatedAt.Compare(a.CreatedAt) })
	return rs, err
}

// lister makes lists of releases and servers, with a fixed number of store calls
// however many there are.
type lister struct {
	s     *Service
	ctx   context.Context
	tx    Tx
	actor Actor

	servers   []Server // that the actor reads, by slug
	profiles  []Profile
	lines     map[ProfileKey]Line // how far they have come
	named     namings
	summaries []ReleaseSummary // in the order that was asked for
	turn      map[string]bool  // ids of releases with something for the actor to do
	alarms    []RaisedAlarm
	drifts    []DriftView
	unlisted  int // more under review than are listed
}

// raised reads the alarms of the servers that nobody looked into.
func (l *lister) raised() error {
	var ids []string
	for i := range l.servers {
		ids = append(ids, l.servers[i].ID)
	}
	alarms, err := l.tx.AlarmsOf(l.ctx, ids)
	if err != nil || len(alarms) == 0 {
		return err
	}
	ids = nil
	for _, a := range alarms {
		ids = append(ids, a.ReleaseID)
	}
	rs, err := l.tx.ReleasesByID(l.ctx, ids)
	for _, a := range alarms {
		if i := slices.IndexFunc(rs, func(r Release) bool { return r.ID == a.ReleaseID }); i >= 0 {
			l.alarms = append(l.alarms, RaisedAlarm{a, rs[i]})
		}
	}
	return err
}

// current loads the open releases of all servers of the actor, and the last
// released ones.
func (l *lister) current() error {
	rs, err := l.inForce()
	if err != nil {
		return err
	}
	return l.load(rs)
}

// inForce finds the servers of the actor, and of them the newest releases under review
// and, of each profile, the last released one.
func (l *lister) inForce() ([]Release, error) {
	all, err := l.tx.Servers(l.ctx)
	if err != nil {
		return nil, err
	}
	l.servers = slices.DeleteFunc(all, func(srv Server) bool { return l.actor.role(srv.ID) == people.NoRole })
	if l.profiles, err = l.tx.Profiles(l.ctx, ""); err != nil {
		return nil, err
	}
	ids := make([]string, len(l.servers))
	for i := range l.servers {
		ids[i] = l.servers[i].ID
	}
	rs, n, err := l.tx.OpenReleases(l.ctx, ids, maxPage)
	if err != nil {
		return nil, err
	}
	l.unlisted = n - len(rs)
	l.profiles = slices.DeleteFunc(l.profiles, func(p Profile) bool { return l.server(p.ServerID) == nil })
	if err := l.lastReleased(); err != nil {
		return nil, err
	}
	for _, p := range l.profiles {
		if r := l.lines[ProfileKey{p.ServerID, p.Name}].Base; r != nil {
			rs = append(rs, *r)
		}
	}
	return rs, nil
}

// lastReleased finds what each profile released last.
func (l *lister) lastReleased() error {
	var keys []ProfileKey
	for _, p := range l.profiles {
		keys = append(keys, ProfileKey{p.ServerID, p.Name})
	}
	if len(keys) == 0 {
		return nil
	}
	var err error
	l.lines, err = l.tx.LastReleased(l.ctx, keys)
	return err
}

// lineOf returns how far the release's profile has come.
func (l *lister) lineOf(r *Release) Line { return l.lines[ProfileKey{r.ServerID, r.Profile}] }

// asks reports whether a release is under review: superseded ones, of which there
// may be very many, are not judged.
func (l *lister) asks(r *Release) bool { return r.open() && !r.supersededBy(l.lineOf(r)) }

func (l *lister) server(id string) *Server {
	for i := range l.servers {
		if l.servers[i].ID == id {
			return &l.servers[i]
		}
	}
	return nil
}

// load summarises releases. The open ones are judged, the closed ones are looked
// up.
func (l *lister) load(rs []Release) error {
	l.turn = map[string]bool{}
	infos, err := headInfos(l.ctx, l.tx, rs)
	if err != nil {
		return err
	}
	var judged []candidate
	for i := range rs {
		if r := &rs[i]; l.asks(r) {
			judged = append(judged, candidate{server: l.server(r.ServerID), release: r, revision: r.Head, listing: infos[r.Head.ListingID]})
		}
	}
	assessments, err := l.s.assess(l.ctx, l.tx, judged, nil)
	if err != nil {
		return err
	}
	byID := map[string]*assessment{}
	for i := range assessments {
		byID[assessments[i].release.ID] = &assessments[i]
	}
	if l.named, err = l.tx.Namings(l.ctx, l.oneServer()); err != nil {
		return err
	}
	looked, err := l.closed(rs, infos)
	if err != nil {
		return err
	}
	for i := range rs {
		r := &rs[i]
		sum := ReleaseSummary{Release: *r, Listing: infos[r.Head.ListingID], URL: l.s.releaseURL(r.ID)}
		if as := byID[r.ID]; as != nil {
			sum.judge(as)
			l.turn[r.ID] = l.mine(as)
			sum.Attention = as.attention(l.actor, l.turn[r.ID])
		} else {
			sum.close(r, l.lineOf(r), looked[r.ID])
		}
		l.summaries = append(l.summaries, sum)
	}
	return nil
}

// oneServer is the server that the list is of, "" when there are several.
func (l *lister) oneServer() string {
	if len(l.servers) == 1 {
		return l.servers[0].ID
	}
	return ""
}

// headsOf are the ids of the listings that are the heads of releases, in their order.
func headsOf(rs []Release) []string {
	ids := make([]string, len(rs))
	for i := range rs {
		ids[i] = rs[i].Head.ListingID
	}
	return ids
}

// headInfos reads the listings that are the heads of releases.
func headInfos(ctx context.Context, tx Tx, rs []Release) (map[string]ListingInfo, error) {
	infos := map[string]ListingInfo{}
	if len(rs) == 0 {
		return infos, nil
	}
	found, err := tx.ListingInfosByID(ctx, headsOf(rs))
	for _, in := range found {
		infos[in.ID] = in
	}
	return infos, err
}

// closed looks up what released and withdrawn releases changed, and superseded
// ones against what came after. What nobody compared with this version of the rules
// yet stays unknown.
func (l *lister) closed(rs []Release, infos map[string]ListingInfo) (map[string]lookedUp, error) {
	var ids []string
	for i := range rs {
		if !rs[i].open() && rs[i].ReleasedBaseID != "" {
			ids = append(ids, rs[i].ReleasedBaseID)
		}
	}
	bases := map[string]*Release{}
	if len(ids) > 0 {
		found, err := l.tx.ReleasesByID(l.ctx, ids)
		if err != nil {
			return nil, err
		}
		for i := range found {
			bases[found[i].ID] = &found[i]
		}
	}
	pairs := map[string]pair{} // by release
	for i := range rs {
		if r := &rs[i]; !l.asks(r) {
			var old *Revision
			if b := bases[r.ReleasedBaseID]; b != nil {
				old = &b.Head
			} else if last := l.lineOf(r).Base; r.open() && last != nil {
				old = &last.Head
			}
			p := newPair(old, infos[r.Head.ListingID], l.named.options(ProfileKey{r.ServerID, r.Profile}, r.asOf(l.s.now())))
			p.limits = limitsOf(l.server(r.ServerID))
			pairs[r.ID] = p
		}
	}
	return l.lookUp(pairs, rs)
}

// lookedUp is what is known of a release that is not judged; nil is unknown.
type lookedUp struct {
	outline  *outline
	findings *FindingCounts
}

func (l *lister) lookUp(pairs map[string]pair, rs []Release) (map[string]lookedUp, error) {
	if len(pairs) == 0 {
		return nil, nil
	}
	var wanted []ReportKey
	var profiles []ProfileKey
	for i := range rs {
		r := &rs[i]
		p, ok := pairs[r.ID]
		if !ok {
			continue
		}
		keys := p.judgedBy()
		wanted = append(wanted, keys[:]...)
		if k := (ProfileKey{r.ServerID, r.Profile}); !slices.Contains(profiles, k) {
			profiles = append(profiles, k)
		}
	}
	kept, err := l.tx.Reports(l.ctx, wanted)
	if err != nil {
		return nil, err
	}
	held, err := openWaivers(l.ctx, l.tx, profiles, l.s.now())
	if err != nil {
		return nil, err
	}
	out := map[string]lookedUp{}
	for i := range rs {
		p, ok := pairs[rs[i].ID]
		if !ok {
			continue
		}
		ws := held[ProfileKey{rs[i].ServerID, rs[i].Profile}]
		if out[rs[i].ID], err = readLooked(kept, p, l.server(rs[i].ServerID).Policy, ws); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func readLooked(kept map[ReportKey][]byte, p pair, policy gate.Policy, ws waivers) (found lookedUp, err error) {
	keys := p.judgedBy()
	if body, ok := kept[keys[0]]; ok {
		if found.outline, err = parseOutline(body); err != nil {
			return found, err
		}
	}
	if body, ok := kept[keys[1]]; ok {
		ms, err := parseMarks(body)
		if err != nil {
			return found, err
		}
		found.findings = ms.judge(policy, ws, p.old.IsZero()).summary()
	}
	return found, nil
}

// judge fills in what the gate says of an open release.
func (sum *ReleaseSummary) judge(as *assessment) {
	sum.State, sum.Gate, sum.Why = as.state(), as.Answer.Result, as.Answer.Why
	sum.Class, sum.Counts, sum.Findings = as.outline.Class, as.outline.Counts, as.judged.summary()
	sum.Overrides, sum.Overridden = inForce(as.Overrides), as.overridden()
}

// close fills in a release that is not under review. The gate is not asked about a
// superseded one.
func (sum *ReleaseSummary) close(r *Release, line Line, known lookedUp) {
	sum.State = r.state(line, "")
	switch sum.State {
	case StateReleased:
		sum.Gate, sum.Why = gate.Pass, "Released as "+r.Title()+"."
		if r.ReleasedOverride != "" {
			sum.Why = "Released as " + r.Title() + " by override only: what was open then is not approved by that."
		}
	case StateWithdrawn:
		sum.Gate, sum.Why = gate.Blocked, "Withdrawn: "+r.WithdrawnReason
	default:
		sum.Why = r.overtaken(line)
	}
	sum.Findings = known.findings
	if o := known.outline; o != nil {
		sum.Class, sum.Counts = o.Class, o.Counts
	}
}

// mine reports whether the actor can take an open decision of a release, release
// it, or accept it as baseline.
func (l *lister) mine(as *assessment) bool {
	if l.actor.User == nil || as.state() == StateSuperseded {
		return false
	}
	maintainer := l.actor.role(as.server.ID).AtLeast(people.Maintainer)
	ready := as.notReleasable() == "" || as.Answer.Result == gate.Blocked && as.facts.Baseline.Open
	return slices.Contains(as.Turn, l.actor.User.ID) || maintainer && ready
}

// views puts the summaries with their servers.
func (l *lister) views() []ServerView {
	views := make([]ServerView, len(l.servers))
	for i, srv := range l.servers {
		views[i] = ServerView{Server: srv, Role: l.actor.role(srv.ID)}
		for _, p := range l.profiles {
			if p.ServerID == srv.ID {
				views[i].Profiles = append(views[i].Profiles, p)
			}
		}
		for _, sum := range l.summaries {
			if sum.Release.ServerID == srv.ID {
				views[i].Releases = append(views[i].Releases, sum)
			}
		}
		for _, a := range l.alarms {
			if a.ServerID == srv.ID {
				views[i].Alarms = append(views[i].Alarms, a)
			}
		}
		views[i].headline()
	}
	return views
}

// headline takes the gate of the newest open release, else of what was released
// last.
func (v *ServerView) headline() {
	var best *ReleaseSummary
	for i := range v.Releases {
		switch sum := &v.Releases[i]; {
		case sum.State == StateInReview || sum.State == StateReady:
			v.Gate, v.Why, v.Overridden = sum.Gate, sum.Why, len(sum.Overrides) > 0 && sum.Gate == gate.Pass
			return
		case sum.State == StateReleased && (best == nil || sum.Release.ReleasedAt.After(best.Release.ReleasedAt)):
			best = sum
		}
	}
	if best != nil {
		v.Gate, v.Why, v.Overridden = best.Gate, best.Why, best.Release.ReleasedOverride != ""
	}
}

// home sorts the open releases by whose turn it is.
func (l *lister) home() *HomeView {
	v := &HomeView{Servers: l.views(), Alarms: l.alarms, Drifts: l.drifts, Unlisted: l.unlisted}
	for _, sum := range l.summaries {
		switch {
		case sum.State != StateInReview && sum.State != StateReady:
		case l.turn[sum.Release.ID]:
			v.YourTurn = append(v.YourTurn, sum)
		default:
			v.Waiting = append(v.Waiting, sum)
		}
	}
	return v
}
