package review

import (
	"context"
	"slices"
	"time"

	"github.com/countersign/countersign/review/change"
	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/people"
	"github.com/countersign/countersign/review/surface"
)

// candidate is a listing that the gate is asked about, as revision of a release.
type candidate struct {
	server   *Server
	release  *Release // of a preview: not stored
	revision Revision
	listing  ListingInfo
	tools    []ToolRef // nil: read them
}

func (c *candidate) profile() ProfileKey { return ProfileKey{c.server.ID, c.release.Profile} }

// closed reports whether the candidate is what its release was released as.
func (c *candidate) closed() bool {
	return c.release.released() && c.revision.N == c.release.ReleasedRevision
}

// comparedAt is the time as of which names count: what was released is read as it
// was then.
func (c *candidate) comparedAt(now time.Time) time.Time {
	if c.closed() {
		return c.release.ReleasedAt
	}
	return now
}

// assessment is a candidate with everything that the gate's answer stands on.
type assessment struct {
	candidate
	base     *Release // the gate base, nil for none
	follows  *Release // that the pusher named as predecessor, whatever its state; nil for none, or unknown
	line     Line     // of the profile
	named    namings
	pair     pair
	outline  *outline
	marks    marks
	waivers  waivers // open ones of the profile
	judged   *judged
	measured gate.Measured
	authors  []string // ids of people
	tokens   []string // ids of tokens that pushed a revision
	known    []Author // of what changed, in whatever release
	facts    gate.Facts
	given    []Verdict        // on any of the bytes, revoked and used up ones too
	blocking []Thread         // open ones that block
	stood    *KeptGrounds     // what was kept of it when it was released, just now
	passedBy *OverrideInForce // that the release was released by, nil for none
	gate.Outcome
}

// assess finds out where candidates stand. It makes a fixed number of store calls,
// however many candidates, tools, threads and people there are. Comparisons that
// nobody made yet are looked up in made, else they are an error of type missing.
func (s *Service) assess(ctx context.Context, tx Tx, candidates []candidate, made compared) ([]assessment, error) {
	if len(candidates) == 0 {
		return nil, nil
	}
	l := loader{ctx: ctx, tx: tx, read: s.reread, made: made, now: s.now(), factor: s.cfg.SecondFactor, releasedAt: map[string]time.Time{}}
	for _, c := range candidates {
		l.found = append(l.found, &assessment{candidate: c})
	}
	for _, step := range []func() error{
		l.policies, l.bases, l.names, l.outlines, l.waivers, l.tools, l.verdicts, l.baselines, l.releasedSubjects, l.alarms, l.alone, l.baselineTools, l.revisions, l.brought, l.threads, l.people, l.overrides,
	} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	out := make([]assessment, len(l.found))
	for i, as := range l.found {
		l.facts(as, s.pageOf(as))
		as.facts.Alarms = l.alarmFacts(as, s)
		as.Outcome = gate.Evaluate(as.facts)
		out[i] = *as
	}
	return out, nil
}

// pageOf returns the address of the release; of a preview, which has none, that of
// the server.
func (s *Service) pageOf(as *assessment) string {
	if as.release.ID == "" {
		return s.url("/servers/" + as.server.Slug)
	}
	return s.releaseURL(as.release.ID)
}

// assessOne is assess for one candidate.
func (s *Service) assessOne(ctx context.Context, tx Tx, c candidate, made compared) (*assessment, error) {
	all, err := s.assess(ctx, tx, []candidate{c}, made)
	if err != nil {
		return nil, err
	}
	return &all[0], nil
}

// loader collects what assessments need, each kind with one call for all.
type loader struct {
	ctx   context.Context
	tx    Tx
	read  *reread
	made  compared
	now   time.Time
	found []*assessment
	// factor says that the instance asks whoever decides for a second factor.
	factor bool

	named      namings
	refs       map[string][]ToolRef // by listing
	given      map[ProfileKey][]Verdict
	standing   map[ProfileKey]map[bytesKey]ReleasedSubject
	releasedAt map[string]time.Time             // by release
	alarmed    map[string][]Alarm               // that nobody looked into, by release
	byAuthors  map[string]map[surface.Hash]bool // digests that stand by an author's own answer, by release
	baseline   map[ProfileKey]*baselineTools
	blocking   []Thread
	overridden []Override
	users      []people.User
}

// profiles returns the profiles of all candidates, each once.
func (l *loader) profiles() []ProfileKey {
	var keys []ProfileKey
	for _, as := range l.found {
		if !slices.Contains(keys, as.profile()) {
			keys = append(keys, as.profile())
		}
	}
	return keys
}

// bases chooses the gate base of each candidate: what it was compared with when it
// was released, else the named predecessor when it is released and a maintainer
// confirmed it, else what was released last.
func (l *loader) bases() error {
	lines, err := l.tx.LastReleased(l.ctx, l.profiles())
	if err != nil {
		return err
	}
	named, err := l.predecessors()
	if err != nil {
		return err
	}
	then, err := l.basesThen()
	if err != nil {
		return err
	}
	for _, as := range l.found {
		r := as.release
		as.line = lines[as.profile()]
		if as.closed() {
			as.base = then[r.ReleasedBaseID]
			continue
		}
		as.base, as.follows = as.line.Base, named[VersionKey{as.profile(), r.Predecessor}]
		if as.follows != nil && as.follows.vouches() && r.PredecessorConfirmedBy != "" {
			as.base = as.follows
		}
	}
	return nil
}

// predecessors returns the named predecessors that are known.
func (l *loader) predecessors() (map[VersionKey]*Release, error) {
	var keys []VersionKey
	for _, as := range l.found {
		if as.release.Predecessor != "" && !as.closed() {
			keys = append(keys, VersionKey{as.profile(), as.release.Predecessor})
		}
	}
	named := map[VersionKey]*Release{}
	if len(keys) == 0 {
		return named, nil
	}
	rs, err := l.tx.ReleasesByVersion(l.ctx, keys)
	for i := range rs {
		r := &rs[i]
		named[VersionKey{ProfileKey{r.ServerID, r.Profile}, r.Version}] = r
	}
	return named, err
}

// basesThen returns the releases that released candidates were compared with.
func (l *loader) basesThen() (map[string]*Release, error) {
	var ids []string
	for _, as := range l.found {
		if as.closed() && as.release.ReleasedBaseID != "" {
			ids = append(ids, as.release.ReleasedBaseID)
		}
	}
	then := map[string]*Release{}
	if len(ids) == 0 {
		return then, nil
	}
	rs, err := l.tx.ReleasesByID(l.ctx, ids)
	for i := range rs {
		then[rs[i].ID] = &rs[i]
	}
	return then, err
}

// names reads the aliases and pairings that comparisons depend on.
func (l *loader) names() error {
	var err error
	l.named, err = l.tx.Namings(l.ctx, l.oneServer())
	for _, as := range l.found {
		as.named = l.named
	}
	return err
}

// outlines reads the comparisons with the gate bases.
func (l *loader) outlines() error {
	var keys []ReportKey
	for _, as := range l.found {
		var old *Revision
		if as.base != nil {
			old = &as.base.Head
		}
		as.pair = newPair(old, as.listing, l.named.options(as.profile(), as.comparedAt(l.now)))
		as.pair.limits = limitsOf(as.server)
		judged := as.pair.judgedBy()
		for _, key := range append(judged[:], as.pair.measuredKeys()...) {
			if _, ok := l.made[key]; !ok {
				keys = append(keys, key)
			}
		}
	}
	kept := map[ReportKey][]byte{}
	if len(keys) > 0 {
		var err error
		if kept, err = l.tx.Reports(l.ctx, keys); err != nil {
			return err
		}
	}
	return l.readOutlines(kept)
}

func (l *loader) readOutlines(kept map[ReportKey][]byte) error {
	lack := missing{of: len(l.found)}
	for _, as := range l.found {
		keys := as.pair.judgedBy()
		short, ok := l.report(kept, keys[0])
		found, also := l.report(kept, keys[1])
		known, err := l.measured(as, kept)
		if err != nil {
			return err
		}
		if !ok || !also || !known {
			lack.pairs = append(lack.pairs, as.pair)
			continue
		}
		if as.outline, err = l.read.outline(short); err != nil {
			return err
		}
		if as.marks, err = l.read.mark(found); err != nil {
			return err
		}
	}
	if len(lack.pairs) > 0 {
		return &lack
	}
	return nil
}

// report is one that was made just now, or is kept.
func (l *loader) report(kept map[ReportKey][]byte, key ReportKey) ([]byte, bool) {
	if body, ok := l.made[key]; ok {
		return body, true
	}
	body, ok := kept[key]
	return body, ok
}

// judgedBy names the reports that the gate stands on: what changed, and what was
// found.
func (p pair) judgedBy() [2]ReportKey {
	return [2]ReportKey{p.key(reportOutline), p.findingKey(reportMarks)}
}

// waivers reads the open waivers, and takes them and the policy into what was found.
func (l *loader) waivers() error {
	held, err := openWaivers(l.ctx, l.tx, l.profiles(), l.now)
	for _, as := range l.found {
		as.waivers = held[as.profile()]
		as.judged = as.marks.judge(as.server.Policy, as.waivers, as.base == nil)
	}
	return err
}

// tools reads the tools of the candidates.
func (l *loader) tools() error {
	var ids []string
	for _, as := range l.found {
		if as.candidate.tools == nil {
			ids = append(ids, as.listing.ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	var err error
	l.refs, err = l.tx.ToolRefs(l.ctx, ids)
	for _, as := range l.found {
		if as.candidate.tools == nil {
			as.candidate.tools = l.refs[as.listing.ID]
		}
	}
	return err
}

// digests calls f for every digest whose verdicts matter to the gate: of what
// changed, and of what stays as it was where somebody rejected it, which is all
// that can still be asked of it.
func (as *assessment) digests(rejected map[surface.Hash]bool, f func(surface.Hash)) {
	for _, t := range as.candidate.tools {
		if rejected[t.Digest] {
			f(t.Digest)
		}
	}
	if h := as.outline.Instructions; rejected[h] {
		f(h)
	}
	for _, c := range as.outline.Changes {
		f(c.From)
		f(c.To)
	}
}

// verdicts reads what people said of the bytes that matter.
func (l *loader) verdicts() error {
	hashes, err := l.tx.Rejected(l.ctx, l.profiles())
	if err != nil {
		return err
	}
	rejected := map[surface.Hash]bool{}
	for _, h := range hashes {
		rejected[h] = true
	}
	seen := map[surface.Hash]bool{{}: true}
	var digests []surface.Hash
	for _, as := range l.found {
		as.digests(rejected, func(h surface.Hash) {
			if !seen[h] {
				seen[h] = true
				digests = append(digests, h)
			}
		})
	}
	vs, err := l.tx.VerdictsOn(l.ctx, l.profiles(), digests)
	l.given = map[ProfileKey][]Verdict{}
	for _, v := range vs {
		k := ProfileKey{v.ServerID, v.Profile}
		l.given[k] = append(l.given[k], v)
	}
	return err
}

// bytesKey names the bytes of a subject. Digests of tools cover their names.
type bytesKey struct {
	subject change.Subject
	digest  surface.Hash
}

// subjectListing is a listing as a whole among what was released.
const subjectListing change.Subject = "listing"

// releasedSubjects finds out which of the changed bytes were released before, and
// which baselines were as a whole.
func (l *loader) releasedSubjects() error {
	var digests []surface.Hash
	for _, b := range l.baseline {
		digests = append(digests, b.Digest)
	}
	for _, as := range l.found {
		for _, c := range as.outline.Changes {
			if !c.To.IsZero() {
				digests = append(digests, c.To)
			}
		}
	}
	l.standing = map[ProfileKey]map[bytesKey]ReleasedSubject{}
	if len(digests) == 0 {
		return nil
	}
	subjects, err := l.tx.Released(l.ctx, l.profiles(), digests)
	var ids []string
	for _, r := range subjects {
		if l.standing[r.ProfileKey] == nil {
			l.standing[r.ProfileKey] = map[bytesKey]ReleasedSubject{}
		}
		l.standing[r.ProfileKey][bytesKey{r.Subject, r.Digest}] = r
		if !slices.Contains(ids, r.ReleaseID) {
			ids = append(ids, r.ReleaseID)
		}
	}
	if err != nil || len(ids) == 0 {
		return err
	}
	rs, err := l.tx.ReleasesByID(l.ctx, ids)
	for i := range rs {
		l.releasedAt[rs[i].ID] = rs[i].ReleasedAt
	}
	return err
}

// standsOn lists the releases whose answers a candidate stands on: its own once it is
// released, its gate base, and those that hold bytes of it.
func (l *loader) standsOn() []string {
	var ids []string
	for _, as := range l.found {
		if as.release.released() {
			ids = append(ids, as.release.ID)
		}
		if as.base != nil {
			ids = append(ids, as.base.ID)
		}
	}
	for _, of := range l.standing {
		for _, r := range of {
			ids = append(ids, r.ReleaseID)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// alarms reads which of those nobody answers for any more.
func (l *loader) alarms() error {
	ids := l.standsOn()
	if len(ids) == 0 {
		return nil
	}
	open, err := l.tx.Alarms(l.ctx, ids)
	l.alarmed = map[string][]Alarm{}
	for _, a := range open {
		l.alarmed[a.ReleaseID] = append(l.alarmed[a.ReleaseID], a)
	}
	return err
}

// alone reads which bytes stand there by an author's own answer.
func (l *loader) alone() error {
	ids := l.standsOn()
	if len(ids) == 0 {
		return nil
	}
	bodies, err := l.tx.GroundsAlone(l.ctx, ids)
	if err != nil {
		return err
	}
	l.byAuthors = map[string]map[surface.Hash]bool{}
	for id, body := range bodies {
		kept, err := parseGrounds(id, body)
		if err != nil {
			return err
		}
		l.byAuthors[id] = map[surface.Hash]bool{}
		for _, a := range kept.Approvals {
			l.byAuthors[id][a.Digest] = l.byAuthors[id][a.Digest] || !a.Independent
		}
	}
	return nil
}

// ownIn are the digests that stand by an author's own answer in what the candidate was
// released as, else in its gate base.
func (l *loader) ownIn(as *assessment) map[surface.Hash]bool {
	switch {
	case as.closed():
		return l.byAuthors[as.release.ID]
	case as.base != nil:
		return l.byAuthors[as.base.ID]
	}
	return nil
}

// alarmFacts are the alarms of what the candidate was released as, else of its gate
// base.
func (l *loader) alarmFacts(as *assessment, s *Service) []gate.Alarm {
	of := as.base
	if as.release.released() {
		of = as.release
	}
	if of == nil {
		return nil
	}
	var out []gate.Alarm
	for _, a := range l.alarmed[of.ID] {
		out = append(out, gate.Alarm{Release: of.Title(), Why: a.Why, At: a.At, URL: s.releaseURL(of.ID) + "#alarm"})
	}
	return out
}

// baselineTools is an accepted baseline with what it covers.
type baselineTools struct {
	*Baseline
	covers       map[bytesKey]bool
	acknowledged map[surface.Hash]bool     // by digest of the tool
	twins        map[string][]surface.Hash // acknowledged tools that share a name, in order
	listing      bool                      // errors of the listing as a whole are acknowledged
}

// baselines reads the accepted baselines of the profiles.
func (l *loader) baselines() error {
	profiles, err := l.tx.Profiles(l.ctx, l.oneServer())
	if err != nil {
		return err
	}
	l.baseline = map[ProfileKey]*baselineTools{}
	keys := l.profiles()
	for i := range profiles {
		p := &profiles[i]
		if k := (ProfileKey{p.ServerID, p.Name}); p.Baseline != nil && slices.Contains(keys, k) {
			l.baseline[k] = &baselineTools{Baseline: p.Baseline}
		}
	}
	return nil
}

// baselineTools reads what baselines cover, where it matters.
func (l *loader) baselineTools() error {
	var wanted []*baselineTools
	for k, b := range l.baseline {
		if l.wantsBaseline(k) {
			wanted = append(wanted, b)
		}
	}
	if len(wanted) == 0 {
		return nil
	}
	return l.readBaselines(wanted)
}

// oneServer returns the id of the server that all candidates are of, "" when they
// are of several.
func (l *loader) oneServer() string {
	id := l.found[0].server.ID
	for _, as := range l.found {
		if as.server.ID != id {
			return ""
		}
	}
	return id
}

// wantsBaseline reports whether the bytes of the baseline matter to a candidate of
// the profile: when it has errors, that the baseline may have acknowledged, or
// something that was never released while the baseline was not either.
func (l *loader) wantsBaseline(k ProfileKey) bool {
	_, whole := l.standing[k][bytesKey{subjectListing, l.baseline[k].Digest}]
	return slices.ContainsFunc(l.found, func(as *assessment) bool {
		if as.profile() != k {
			return false
		}
		open := !whole && slices.ContainsFunc(as.outline.Changes, func(c outlined) bool {
			return !c.To.IsZero() && l.standing[k][bytesKey{c.Subject, c.To}].ReleaseID == ""
		})
		return open || len(as.errors()) > 0
	})
}

// readBaselines reads the tools of baselines, and the instructions from the
// comparison with nothing that was made when they were pushed.
func (l *loader) readBaselines(wanted []*baselineTools) error {
	var ids []string
	for _, b := range wanted {
		ids = append(ids, b.ListingID)
	}
	refs, err := l.tx.ToolRefs(l.ctx, ids)
	if err != nil {
		return err
	}
	infos, err := l.tx.ListingInfosByID(l.ctx, ids)
	if err != nil {
		return err
	}
	pairs := map[string]pair{}
	var keys []ReportKey
	for _, in := range infos {
		pairs[in.ID] = newPair(nil, in, change.Options{})
		keys = append(keys, pairs[in.ID].key(reportOutline))
	}
	kept, err := l.tx.Reports(l.ctx, keys)
	if err != nil {
		return err
	}
	for _, b := range wanted {
		p := pairs[b.ListingID]
		body, ok := kept[p.key(reportOutline)]
		if !ok {
			return &missing{pairs: []pair{p}}
		}
		o, err := l.read.outline(body)
		if err != nil {
			return err
		}
		b.read(refs[b.ListingID], o)
	}
	return nil
}

// read takes in what the baseline's listing holds.
func (b *baselineTools) read(tools []ToolRef, o *outline) {
	b.covers = map[bytesKey]bool{{change.SubjectInstructions, o.Instructions}: true, {change.SubjectOrder, o.Order}: true}
	b.acknowledged = map[surface.Hash]bool{}
	noted := map[int]bool{}
	for _, a := range b.Acknowledged {
		noted[a.Position] = true
	}
	b.listing = noted[0]
	byName := map[string][]ToolRef{}
	for _, t := range tools {
		b.covers[bytesKey{change.SubjectTool, t.Digest}] = true
		if noted[t.Position] {
			b.acknowledged[t.Digest] = true
		}
		byName[t.Name] = append(byName[t.Name], t)
	}
	b.twins = map[string][]surface.Hash{}
	for name, same := range byName {
		if len(same) > 1 && !slices.ContainsFunc(same, func(t ToolRef) bool { return !noted[t.Position] }) {
			b.twins[name] = digestsOf(same)
		}
	}
}

func digestsOf(tools []ToolRef) []surface.Hash {
	var hs []surface.Hash
	for _, t := range tools {
		hs = append(hs, t.Digest)
	}
	return hs
}

// revisions finds out who wrote and pushed the candidates. Everybody who pushed a
// revision of the release counts, since later pushes carry what earlier ones
// brought.
func (l *loader) revisions() error {
	var ids []string
	for _, as := range l.found {
		if as.release.ID != "" {
			ids = append(ids, as.release.ID)
		}
		as.wrote(&as.revision)
	}
	if len(ids) == 0 {
		return nil
	}
	rs, err := l.tx.Revisions(l.ctx, ids)
	for _, as := range l.found {
		for i := range rs {
			if rs[i].ReleaseID == as.release.ID {
				as.wrote(&rs[i])
			}
		}
	}
	return err
}

// wrote adds the people and the token behind a revision.
func (as *assessment) wrote(r *Revision) {
	as.joined(r.PusherID, r.TokenID)
	as.joined(r.AuthorID, "")
}

// threads reads the open threads that block.
func (l *loader) threads() error {
	all := slices.ContainsFunc(l.found, func(as *assessment) bool { return as.server.Policy.AllThreads })
	f := ThreadFilter{ServerID: l.oneServer(), Open: true, Blocking: !all}
	var err error
	l.blocking, err = l.tx.Threads(l.ctx, f)
	return err
}

// people reads all accounts: who decides, and who invited whom.
func (l *loader) people() error {
	var err error
	l.users, err = l.tx.Users(l.ctx)
	return err
}
