package review

import (
	"context"
	"slices"
	"time"

	"github.com/countersign/countersign/review/change"
	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/lint"
	"github.com/countersign/countersign/review/lock"
	"github.com/countersign/countersign/review/people"
	"github.com/countersign/countersign/review/surface"
)

// Decided is a change with where it stands.
type Decided struct {
	change.Change
	Requirement *gate.Requirement // nil when nothing is asked for
	Verdicts    []Verdict         // active and past ones on this change, oldest first
	Mine        VerdictKind       // the actor's active answer, "" for none
	CanDecide   bool              // the actor may answer
	CannotWhy   string            // why not, one sentence
	Threads     int               // open threads about this subject
	Fresh       int               // comments of others in its threads since the actor last worked on the profile
	Findings    gate.Findings     // of the new side
	Alone       string            // why no answer for several tools covers it, "" when one can
	NotRead     bool              // accepted with the starting point, and nobody has viewed or approved it
}

// Ask is what a policy is asked about the change, or about one edit of it.
func (d *Decided) Ask(edit string) gate.Ask { return askOf(&d.Change, edit, d.Findings) }

// Sweeps reports whether one approval of an edit on so many changes takes a reason under
// every policy.
func (d *Decided) Sweeps(edit string, changes int) bool { return sweeps(&d.Change, edit, changes) }

// ReleaseView is everything a release page shows.
type ReleaseView struct {
	Server       Server
	Role         people.Role
	Release      Release
	Revisions    []Revision
	State        ReleaseState
	Overtaken    string // what superseded it and how it comes back, "" when nothing did
	Listing      ListingInfo
	Base         *Release // gate base; nil: compared with nothing
	BaseListing  *ListingInfo
	BaseWhy      string // how the gate base was chosen, one sentence
	Report       *change.Report
	Changes      []Decided
	Answer       gate.Answer
	Threads      []Thread
	Old, New     *surface.Listing // bodies of the tools that the page shows
	Pulse        Pulse            // to tell what happened since
	BaselineOpen bool             // a baseline can still be accepted
	Baseline     *Baseline
	Actions      Actions
	Overrides    []OverrideInForce
	Overridden   int              // requirements that only an override answers
	PassedBy     *OverrideInForce // that it was released by, nil for none
	Alarms       []Alarm          // of this release, not cleared
	Pairings     []Naming         // renames that a person recognised, that hold
	Merges       []Naming         // tools whose work went to another, as a person said, that hold
	Aliases      []Naming         // of the profile, that hold
	Twins        []Twin           // other profiles with the identical changes
	Viewed       map[string]bool  // by change id: the actor's own marks
	Looked       time.Time        // when the actor last worked on the profile, zero for never
	Bases        []BaseChoice     // what a reviewer may look from
	Findings     []Finding        // of the head, new ones first, waived ones too
	Beside       []lint.Finding   // beside the other servers that the actor sees; they count nowhere
	Proposed     []ProposedFate   // waivers that a file proposes and that cover nothing
	Sight        *Sight           // what the changes mean to models

	ownOnly map[string]bool // by id: approvals that authors gave and the policy leaves out
}

// Actions says which acts the actor may take now; each "" or a reason why not.
type Actions struct {
	Baseline, Release, Withdraw, Comment, ConfirmPredecessor, Override, EndOverride, ClearAlarms, Rename string
}

// Release returns everything that a release page shows.
func (s *Service) Release(ctx context.Context, a Actor, id string) (*ReleaseView, error) {
	var v *ReleaseView
	err := s.analysed(ctx, func() error {
		return s.store.View(ctx, func(tx Tx) error {
			srv, r, err := releaseFor(ctx, tx, a, id, people.Viewer, people.ScopeRead)
			if err != nil {
				return err
			}
			v, err = s.releaseView(ctx, tx, a, srv, r)
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	return v, nil
}

func (s *Service) releaseView(ctx context.Context, tx Tx, a Actor, srv *Server, r *Release) (*ReleaseView, error) {
	c, err := newCandidate(ctx, tx, srv, r, r.Head)
	if err != nil {
		return nil, err
	}
	as, err := s.assessOne(ctx, tx, *c, nil)
	if err != nil {
		return nil, err
	}
	v := &ReleaseView{
		Server: *as.server, Role: a.role(srv.ID), Release: *r, State: as.state(), Overtaken: r.overtaken(as.line), Listing: as.listing,
		Base: as.base, BaseWhy: as.baseWhy(), Answer: as.Answer,
		Overrides: inForce(as.Overrides), Overridden: as.overridden(), PassedBy: as.passedBy,
	}
	b := viewBuilder{s: s, ctx: ctx, tx: tx, as: as, actor: a, v: v}
	for _, step := range []func() error{b.history, b.stood, b.alarms, b.report, b.sight, b.findings, b.sides, b.threads, b.baseline, b.depth} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	b.changes()
	v.Pulse = as.pulse(v.Threads)
	return v, nil
}

func namesOf(tools []ToolRef) []string {
	names := make([]string, len(tools))
	for i, t := range tools {
		names[i] = t.Name
	}
	return names
}

// baseWhy says how the gate base was chosen.
func (as *assessment) baseWhy() string {
	r := as.release
	switch {
	case as.base == nil && as.closed():
		return "It was the first release, so there was nothing to compare it with."
	case as.base == nil:
		return sentences("Nothing of this profile is released, so every tool is new.", as.predecessorNote())
	case as.closed():
		return "Compared with " + as.base.Title() + ", as when it was released."
	case r.PredecessorConfirmedBy != "" && as.base.Version == r.Predecessor:
		return "Compared with " + as.base.Title() + ", the predecessor that the push named and a maintainer confirmed."
	}
	return sentences("Compared with "+as.base.Title()+", released last.", as.predecessorNote())
}

// viewBuilder fills in a release page, a fixed number of store calls for each part.
type viewBuilder struct {
	s     *Service
	ctx   context.Context
	tx    Tx
	as    *assessment
	actor Actor
	v     *ReleaseView
	read  map[string]bool // of a starting point: changes that somebody viewed; else nil

	stoodOn []lock.Approval // of what is released: the approvals that counted then; else nil
}

func (b *viewBuilder) history() error {
	var err error
	b.v.Revisions, err = b.tx.Revisions(b.ctx, []string{b.as.release.ID})
	return err
}

func (b *viewBuilder) alarms() error {
	var err error
	b.v.Alarms, err = b.tx.Alarms(b.ctx, []string{b.as.release.ID})
	return err
}

func (b *viewBuilder) report() error {
	var err error
	b.v.Report, err = b.s.reread.report(b.ctx, b.tx, b.as.pair)
	return err
}

func (b *viewBuilder) sight() error {
	var err error
	b.v.Sight, err = readSight(b.ctx, b.tx, b.as.pair)
	return err
}

func (b *viewBuilder) findings() error {
	found, err := b.s.findingsShown(b.ctx, b.tx, b.as.pair)
	if err != nil {
		return err
	}
	found = b.as.waivers.mark(found, b.as.server.Policy)
	b.v.Findings = found
	if !b.as.release.open() {
		return nil
	}
	if b.v.Beside, err = readBeside(b.ctx, b.tx, b.actor, b.as.pair); err != nil {
		return err
	}
	open, err := b.tx.OpenProposedWaivers(b.ctx, b.as.release.ID)
	b.v.Proposed = propose(found, open, b.as, b.s.now())
	return err
}

// sides reads both listings' tools, and the bytes of those that the page shows:
// what changed.
func (b *viewBuilder) sides() error {
	refs := map[string][]ToolRef{b.as.listing.ID: b.as.candidate.tools}
	if b.as.base != nil {
		id := b.as.base.Head.ListingID
		info, err := b.tx.ListingInfoByID(b.ctx, id)
		if err != nil {
			return err
		}
		b.v.BaseListing = info
		found, err := b.tx.ToolRefs(b.ctx, []string{id})
		if err != nil {
			return err
		}
		refs[id] = found[id]
	}
	oldShown, newShown := map[int]bool{}, map[int]bool{}
	for _, c := range b.v.Report.Changes {
		oldShown[c.OldPosition], newShown[c.NewPosition] = true, true
	}
	var hashes []surface.Hash
	if b.v.BaseListing != nil {
		hashes = shownHashes(hashes, refs[b.v.BaseListing.ID], oldShown)
	}
	bytes, err := b.tx.Slices(b.ctx, shownHashes(hashes, b.as.candidate.tools, newShown))
	if err != nil {
		return err
	}
	if b.v.BaseListing != nil {
		b.v.Old = partListing(b.v.BaseListing, refs[b.v.BaseListing.ID], oldShown, bytes)
	}
	b.v.New = partListing(&b.as.listing, b.as.candidate.tools, newShown, bytes)
	return nil
}

func shownHashes(hashes []surface.Hash, tools []ToolRef, shown map[int]bool) []surface.Hash {
	for _, t := range tools {
		if shown[t.Position] {
			hashes = append(hashes, t.RawHash)
		}
	}
	return hashes
}

// partListing is a listing with the bytes of some tools only.
func partListing(info *ListingInfo, tools []ToolRef, shown map[int]bool, raw map[surface.Hash][]byte) *surface.Listing {
	l := &surface.Listing{
		Shape: info.Shape, Kind: info.Kind, Complete: info.Complete, RawHash: info.RawHash, Digest: info.Digest,
		Instructions: info.Instructions, Problems: info.Problems, Tools: make([]surface.Tool, len(tools)),
	}
	for i, t := range tools {
		l.Tools[i] = surface.Tool{Position: t.Position, Name: t.Name, Digest: t.Digest, RawHash: t.RawHash, Offset: -1}
		if shown[t.Position] {
			l.Tools[i].Raw = raw[t.RawHash]
		}
	}
	return l
}

func (b *viewBuilder) threads() error {
	var err error
	b.v.Threads, err = placedThreads(b.ctx, b.tx, b.as)
	return err
}

// depth reads what a reviewer works with beside the changes: names that people
// vouch for, twins in other profiles, marks and bases.
func (b *viewBuilder) depth() error {
	at := b.as.comparedAt(b.s.now())
	held := func(kind NamingKind) []Naming { return b.as.named.held(b.as.profile(), kind, at) }
	b.v.Pairings, b.v.Merges, b.v.Aliases = held(Pairing), held(Merge), held(Alias)
	ids := []string{""}
	for _, c := range b.v.Report.Changes {
		ids = append(ids, c.ID)
	}
	var err error
	if l := b.v.Baseline; l != nil && l.ListingID == b.as.listing.ID {
		if b.read, err = b.tx.ViewedByAny(b.ctx, b.as.profile(), ids); err != nil {
			return err
		}
	}
	if b.v.Twins, err = b.s.twins(b.ctx, b.tx, b.as); err != nil {
		return err
	}
	if b.v.Bases, err = b.s.baseChoices(b.ctx, b.tx, b.actor, b.as); err != nil || b.actor.User == nil {
		return err
	}
	look, err := b.tx.LastLook(b.ctx, b.actor.userID(), b.as.profile())
	switch {
	case err == nil:
		b.v.Looked = look.At
	case KindOf(err) != NotFound:
		return err
	}
	b.v.Viewed, err = b.tx.Viewed(b.ctx, b.actor.userID(), b.as.profile(), ids)
	return err
}

// fresh counts by tool what others wrote since the actor last worked on the profile.
// To whoever never did everything is new, and nothing has to be marked.
func (b *viewBuilder) fresh() map[string]int {
	n := map[string]int{}
	for _, t := range b.v.Threads {
		for _, c := range t.Comments {
			if !b.v.Looked.IsZero() && c.At.After(b.v.Looked) && c.UserID != b.actor.userID() {
				n[t.Anchor.Tool]++
			}
		}
	}
	return n
}

func (b *viewBuilder) baseline() error {
	profiles, err := b.tx.Profiles(b.ctx, b.as.server.ID)
	if err != nil {
		return err
	}
	for _, p := range profiles {
		if p.Name == b.as.release.Profile {
			b.v.Baseline = p.Baseline
		}
	}
	why, err := noBaseline(b.ctx, b.tx, b.as)
	if err != nil {
		return err
	}
	b.v.BaselineOpen = why == ""
	b.v.Actions, err = b.actions(why)
	return err
}

// actions says what the actor may do now, and why not.
func (b *viewBuilder) actions(noBaseline string) (Actions, error) {
	noPred, err := noPredecessor(b.ctx, b.tx, b.as.release)
	if err != nil {
		return Actions{}, err
	}
	noOverride, err := b.noOverride()
	if err != nil {
		return Actions{}, err
	}
	return Actions{
		Baseline:           b.unless(people.Maintainer, noBaseline),
		Release:            b.unless(people.Maintainer, b.as.notReleasable()),
		Withdraw:           b.unless(people.Maintainer, whyNot(b.as.release.withdrawn(), "It is withdrawn already.")),
		Comment:            b.unless(people.Reviewer, ""),
		ConfirmPredecessor: b.unless(people.Maintainer, noPred),
		Override:           noOverride,
		EndOverride:        b.unless(people.Maintainer, whyNot(len(b.as.facts.Overrides) == 0, "Nothing is overridden here.")),
		Rename:             sentenceOr(b.as.mayRename(b.actor)),
		ClearAlarms:        b.unless(people.Maintainer, whyNot(len(b.v.Alarms) == 0, "There is no alarm.")),
	}, nil
}

// whyNot is why something can't be done, "" when it can.
func whyNot(not bool, why string) string {
	if not {
		return why
	}
	return ""
}

// unless returns why the actor may not do what takes a role, else why.
func (b *viewBuilder) unless(need people.Role, why string) string {
	err := b.actor.allow(b.as.server.ID, need, people.ScopeReview)
	if err == nil {
		err = b.actor.person()
	}
	if e, ok := err.(*Error); ok {
		return e.Sentence
	}
	return why
}

// changes puts requirement, verdicts, threads and the actor's own answer beside
// each change.
func (b *viewBuilder) changes() {
	requirements := map[string]*gate.Requirement{}
	for i := range b.v.Answer.Requirements {
		if r := &b.v.Answer.Requirements[i]; r.Change != "" {
			requirements[r.Change] = r
		}
	}
	open, fresh := map[string]int{}, b.fresh()
	for _, t := range b.v.Threads {
		if t.Open() {
			open[t.Anchor.Tool]++
		}
	}
	verdicts := map[bytesKey][]Verdict{}
	for _, v := range b.as.given {
		verdicts[verdictKey(v.Subject, v.From, v.To)] = append(verdicts[verdictKey(v.Subject, v.From, v.To)], v)
	}
	d := newDecision(nil, b.actor, b.as, b.v.Report)
	b.v.ownOnly = map[string]bool{}
	shut := b.unless(people.Reviewer, "")
	for _, c := range b.v.Report.Changes {
		dc := Decided{Change: c, Requirement: requirements[c.ID], Verdicts: verdicts[verdictKey(c.Subject, c.From, c.To)]}
		if c.Tool != nil {
			dc.Threads, dc.Fresh = open[*c.Tool], fresh[*c.Tool]
		}
		dc.Mine, dc.Findings = d.mine(&c), b.as.findingsOf(c.Subject, c.NewPosition)
		dc.Alone = alone(&c, dc.Findings)
		dc.CannotWhy = d.cannot(&c, shut)
		dc.CanDecide = dc.CannotWhy == ""
		line := d.line(&c, "")
		for i := range dc.Verdicts {
			if said := &dc.Verdicts[i]; b.ownApproval(said, dc.Verdicts, line) {
				b.v.ownOnly[said.ID] = true
			}
		}
		dc.NotRead = b.read != nil && !c.To.IsZero() && !b.read[c.ID] && !slices.ContainsFunc(dc.Verdicts, Verdict.approves)
		b.v.Changes = append(b.v.Changes, dc)
	}
}

// verdictKey groups verdicts by the bytes that they are about: of a removal, those
// that go.
func verdictKey(subject change.Subject, from, to surface.Hash) bytesKey {
	if to.IsZero() {
		return bytesKey{subject + " gone", from}
	}
	return bytesKey{subject, to}
}

// mine returns the actor's answer that stands.
func (d *decision) mine(c *change.Change) VerdictKind {
	switch o := d.opinion(c); {
	case d.actor.User == nil:
		return ""
	case o.Rejection != nil:
		return Reject
	case o.Approval != nil:
		return Approve
	}
	return ""
}

// cannot says why the actor may not answer to a change, "" when they may. shut is
// what keeps them from answering at all.
func (d *decision) cannot(c *change.Change, shut string) string {
	if shut != "" {
		return shut
	}
	if err := d.open(); err != nil {
		return err.(*Error).Sentence
	}
	switch line := d.line(c, ""); {
	case c.Subject == change.SubjectOrder && !d.as.server.Policy.AsksOrder():
		return "This policy does not ask about the order of the tools."
	case line.Block:
		return d.blockedWhy(c)
	case d.own && !line.Self:
		return "You wrote or pushed this, so your approval would not count."
	}
	return ""
}
