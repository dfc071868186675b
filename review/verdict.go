package review

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/countersign/countersign/review/change"
	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/people"
	"github.com/countersign/countersign/review/prose"
	"github.com/countersign/countersign/review/surface"
)

// VerdictKind is a person's answer.
type VerdictKind string

// The answers. Withdraw takes the person's own earlier answer back.
const (
	Approve  VerdictKind = "approve"
	Reject   VerdictKind = "reject"
	Withdraw VerdictKind = "withdraw"
)

// Verdict is a stored answer to one edit of one change, or to the whole change
// when Edit is empty. It is kept by digests, so that it holds for equal bytes in
// whatever release they turn up again. Verdicts are never changed or removed;
// the newest of a person on a (subject, name, from, to, edit) counts.
type Verdict struct {
	ID         string
	ServerID   string
	Profile    string
	ReleaseID  string // where it was given
	Revision   int
	ChangeID   string
	Edit       string // ed_… or "" for the whole change
	Subject    change.Subject
	Name       string       // tool name as received
	From       surface.Hash // zero when added
	To         surface.Hash // zero when removed
	Class      change.Class // of the change when it was decided
	Kind       VerdictKind
	Note       string
	UserID     string
	UserLabel  string // filled in on reading
	TokenID    string
	ShellToken bool // the token was made on the command line; filled in on reading
	OwnPush    bool // given by the author or pusher of the revision
	At         time.Time
	UsedUp     bool // a removal's approval is over everywhere: a release used it up, or has the tool
	Ended      []Ending
	RevokedAt  time.Time
	RevokedWhy string
	LiftedBy   string       // id of who took it back for somebody who left, "" otherwise
	Evidence   []gate.Trial // what the giver tried
}

// Ending says by which release the approval of a removal ended.
type Ending struct {
	gate.Ending
	ReleaseID string    `json:"release"`
	At        time.Time `json:"at"`
}

// endedIn says what ended the approval of a removal for a release, nil when it counts
// there. A tool that is back in an open version is back there; where the approval was
// given it has to be given again for versions that were opened later, too.
func (v *Verdict) endedIn(r *Release) *gate.Ending {
	for i := range v.Ended {
		e := &v.Ended[i]
		again := e.ReleaseID == v.ReleaseID && !r.CreatedAt.Before(e.At)
		if e.How != gate.EndedByPush || e.ReleaseID == r.ID || again {
			return &e.Ending
		}
	}
	if v.UsedUp {
		return &gate.Ending{}
	}
	return nil
}

// approves reports whether it is an approval that nobody took away.
func (v Verdict) approves() bool { return v.Kind == Approve && v.RevokedAt.IsZero() }

// VerdictItem is one decision of a batch: by change, or by edit over Changes.
type VerdictItem struct {
	Change  string      `json:"change,omitempty"`
	Edit    string      `json:"edit,omitempty"`
	Changes []string    `json:"changes,omitempty"`
	Verdict VerdictKind `json:"verdict"`
	Note    string      `json:"note"`

	Evidence []gate.Trial `json:"evidence,omitempty"` // what was tried, with approve or reject
}

const (
	maxItems  = 5000
	maxNote   = 64 << 10
	maxTrials = 20
	maxTrial  = 8 << 10 // bytes of a part of one
)

// checkTrials refuses evidence that says nothing, or too much.
func checkTrials(it VerdictItem) error {
	switch {
	case len(it.Evidence) > 0 && it.Verdict == Withdraw:
		return Errorf(Invalid, "Evidence goes with approve or reject, not with withdraw.")
	case len(it.Evidence) > maxTrials:
		return Errorf(Invalid, "Give at most %d trials as evidence.", maxTrials)
	}
	for _, t := range it.Evidence {
		if prose.Blank(t.Prompt) || prose.Blank(t.Outcome) {
			return Errorf(Invalid, "Evidence needs a prompt that was tried and its outcome.")
		}
		if !keepable(t.Prompt, maxTrial) || !keepable(t.Host, maxTrial) || !keepable(t.Outcome, maxTrial) {
			return Errorf(Invalid, "Evidence must be text, each part of at most 8 KiB.")
		}
	}
	return nil
}

// Decide stores a batch of answers, all or none. Stale with the current changes
// when an item names a change that is not one of the release's.
func (s *Service) Decide(ctx context.Context, a Actor, releaseID string, items []VerdictItem) (*ReleaseView, error) {
	return s.DecideAlso(ctx, a, releaseID, items, nil)
}

func checkItems(items []VerdictItem) error {
	if len(items) == 0 || len(items) > maxItems {
		return Errorf(Invalid, "Send 1 to %d decisions.", maxItems)
	}
	for i, it := range items {
		switch {
		case !slices.Contains([]VerdictKind{Approve, Reject, Withdraw}, it.Verdict):
			return Errorf(Invalid, "items/%d: the verdict %.40q is unknown: use approve, reject or withdraw.", i, it.Verdict)
		case it.Change != "" && (it.Edit != "" || len(it.Changes) > 0):
			return Errorf(Invalid, "items/%d: name a change, or an edit with its changes, not both.", i)
		case it.Change == "" && (it.Edit == "" || len(it.Changes) == 0):
			return Errorf(Invalid, "items/%d: name the change, or the edit and the changes that it was shown on.", i)
		case !keepable(it.Note, maxNote):
			return Errorf(Invalid, "items/%d: the note must be text of at most 64 KiB.", i)
		}
		if err := checkTrials(it); err != nil {
			return err
		}
	}
	return nil
}

// contradiction refuses a batch that approves and rejects the same: which of them
// came last would decide, and nobody could say what was meant. One edit of a change
// may be approved and another rejected; the whole and a part of it may not.
func contradiction(items []VerdictItem) error {
	type place struct{ change, edit string }
	whole, parts := map[string]VerdictKind{}, map[place]VerdictKind{} // by change; also by change, any edit
	against := func(a, b VerdictKind) bool { return a == Approve && b == Reject || a == Reject && b == Approve }
	for i, it := range items {
		if it.Verdict == Withdraw {
			continue
		}
		for _, id := range append([]string{it.Change}, it.Changes...) {
			if id == "" {
				continue
			}
			was := []VerdictKind{whole[id], parts[place{id, it.Edit}]}
			if it.Edit == "" {
				was = append(was, parts[place{id, "approve"}], parts[place{id, "reject"}])
				whole[id] = it.Verdict
			} else {
				parts[place{id, it.Edit}], parts[place{id, string(it.Verdict)}] = it.Verdict, it.Verdict
			}
			if slices.ContainsFunc(was, func(k VerdictKind) bool { return against(k, it.Verdict) }) {
				return Errorf(Invalid, "items/%d: %.80q is approved and rejected in the same batch. Send one of them; nothing was stored.", i, id)
			}
		}
	}
	return nil
}

// acting runs an act of a person on a release under review, in one transaction
// that sees where its head stands.
func (s *Service) acting(ctx context.Context, a Actor, releaseID string, need people.Role, f func(Tx, *assessment) error) error {
	return s.analysed(ctx, func() error {
		return s.store.Update(ctx, func(tx Tx) error {
			as, err := s.actingOn(ctx, tx, a, releaseID, need)
			if err != nil {
				return err
			}
			return f(tx, as)
		})
	})
}

// actingOn assesses the head of a release for a person who may act on it.
func (s *Service) actingOn(ctx context.Context, tx Tx, a Actor, releaseID string, need people.Role) (*assessment, error) {
	srv, r, err := releaseFor(ctx, tx, a, releaseID, need, people.ScopeReview)
	if err != nil {
		return nil, err
	}
	if err := a.person(); err != nil {
		return nil, err
	}
	if need.AtLeast(people.Reviewer) {
		if err := s.mayDecide(a, srv); err != nil {
			return nil, err
		}
	}
	c, err := newCandidate(ctx, tx, srv, r, r.Head)
	if err != nil {
		return nil, err
	}
	return s.assessOne(ctx, tx, *c, nil)
}

// releaseFor returns a release and its server when the actor is at least need
// there.
func releaseFor(ctx context.Context, tx Tx, a Actor, id string, need people.Role, scopes ...people.Scope) (*Server, *Release, error) {
	r, err := tx.ReleaseByID(ctx, id)
	if KindOf(err) == NotFound {
		return nil, nil, errNoSuchThing
	}
	if err != nil {
		return nil, nil, err
	}
	srv, err := tx.ServerByID(ctx, r.ServerID)
	if err != nil {
		return nil, nil, err
	}
	return srv, r, a.allow(srv.ID, need, scopes...)
}

// decision is a batch of answers by one person on their way into the store.
type decision struct {
	s       *Service
	actor   Actor
	as      *assessment
	report  *change.Report
	changes map[string]*change.Change
	own     bool
	at      time.Time // of the batch, once something is added
	stands  gate.Standing
	given   []gate.Verdict // with those of this batch

	verdicts []Verdict
	revoked  []string // ids
	why      string   // of the revocation
	touched  []*change.Change
	acts     []act
	said     map[*change.Change]*verdictFacts // of the newest act on each
}

func newDecision(s *Service, a Actor, as *assessment, r *change.Report) *decision {
	d := &decision{
		s: s, actor: a, as: as, report: r, changes: map[string]*change.Change{},
		own: slices.Contains(as.authors, a.userID()), stands: gate.NewStanding(as.facts.Verdicts),
		given: slices.Clone(as.facts.Verdicts), said: map[*change.Change]*verdictFacts{},
	}
	for i := range r.Changes {
		d.changes[r.Changes[i].ID] = &r.Changes[i]
	}
	return d
}

// item takes one decision of the batch.
func (d *decision) item(it VerdictItem) error {
	if err := d.open(); err != nil {
		return err
	}
	ids := it.Changes
	if it.Change != "" {
		ids = []string{it.Change}
	}
	if it.Verdict == Approve {
		if err := d.eachAlone(ids); err != nil {
			return err
		}
	}
	for _, id := range ids {
		c, ok := d.changes[id]
		if !ok || it.Edit != "" && detailOf(c, it.Edit) == nil {
			return d.stale()
		}
		if err := d.answer(c, it); err != nil {
			return err
		}
	}
	return nil
}

// eachAlone refuses one approval for several tools when some of them must be looked at
// by themselves, and says which and why.
func (d *decision) eachAlone(ids []string) error {
	var found []string
	for _, id := range ids {
		c := d.changes[id]
		if c == nil {
			return d.stale()
		}
		if why := alone(c, d.as.findingsOf(c.Subject, c.NewPosition)); why != "" {
			found = append(found, visible(c.Name())+" ("+why+")")
		}
	}
	if len(ids) < 2 || len(found) == 0 {
		return nil
	}
	more := ""
	if n := len(found) - maxNamed; n > 0 {
		found, more = found[:maxNamed], fmt.Sprintf("; and %d more", n)
	}
	return Errorf(Invalid, "Some of these tools are decided each by itself, apart from the others. Nothing was stored. They are: %s%s.", strings.Join(found, "; "), more)
}

// maxNamed bounds how many tools a sentence names.
const maxNamed = 20

// alone says why no answer for several tools covers a change, "" when one can.
func alone(c *change.Change, found gate.Findings) string {
	switch {
	case c.Hidden:
		return "hidden characters came in"
	case c.Disarms():
		return "it does not say any more that it may destroy (destructiveHint)"
	case c.Destroys():
		return "it is new and says that it may destroy (destructiveHint)"
	case found.High():
		return fmt.Sprintf("rule %s found something of severity %s", found.NewRule, found.New)
	}
	return ""
}

// open checks that the release can still be decided, and by this token.
func (d *decision) open() error {
	r := d.as.release
	switch {
	case r.withdrawn():
		return Errorf(Conflict, "%s is withdrawn. Push a new version and decide there.", r.Title())
	case !r.open() && r.ReleasedOverride == "":
		return Errorf(Conflict, "%s is released and its decisions are closed. Withdraw it if something is wrong with it.", r.Title())
	case d.actor.Token != nil && slices.Contains(d.as.tokens, d.actor.Token.ID) && !d.as.server.Policy.SelfReview():
		return Errorf(Forbidden, "This token pushed the release, so it can't decide it.")
	}
	return nil
}

// said is when anything was last said of the candidate: an answer, or an override
// that an answer may end.
func (as *assessment) said() (last time.Time) {
	for _, v := range as.facts.Verdicts {
		last = later(last, v.At)
	}
	for _, o := range as.facts.Overrides {
		last = later(last, o.At)
	}
	return last
}

func (d *decision) stale() error {
	return &Error{Kind: Stale, Current: d.report.Changes, Sentence: d.as.release.Title() + " changed while you read. Nothing was stored; your notes are kept. See what changed."}
}

// detailOf returns the first detail of a change that is the edit.
func detailOf(c *change.Change, edit string) *change.Detail {
	for i := range c.Details {
		if c.Details[i].Edit == edit {
			return &c.Details[i]
		}
	}
	return nil
}

// answer takes one answer to one change or to one edit of it.
func (d *decision) answer(c *change.Change, it VerdictItem) error {
	var err error
	switch it.Verdict {
	case Approve:
		err = d.mayApprove(c, it)
	case Withdraw:
		var done bool
		if done, err = d.withdraw(c, it); done {
			return err
		}
	}
	if err != nil {
		return err
	}
	said := len(d.verdicts)
	if it.Edit != "" && it.Verdict != Approve {
		d.spell(c, it.Edit)
	}
	d.add(c, it.Edit, it.Verdict, it.Note, it.Evidence)
	facts := d.facts(c, d.verdicts[said:])
	facts.Note, facts.Evidence = it.Note, it.Evidence
	d.said[c] = facts
	d.acts = append(d.acts, act{name: "verdict." + string(it.Verdict), serverID: d.as.server.ID, subject: c.ID, after: facts})
	return nil
}

// add appends a verdict to the batch.
func (d *decision) add(c *change.Change, edit string, kind VerdictKind, note string, tried []gate.Trial) {
	if d.at.IsZero() {
		d.at = d.s.after(d.as.said())
	}
	v := Verdict{
		ID: newID(), ServerID: d.as.server.ID, Profile: d.as.release.Profile, ReleaseID: d.as.release.ID, Revision: d.as.revision.N,
		ChangeID: c.ID, Edit: edit, Subject: c.Subject, From: c.From, To: c.To, Class: c.Class, Kind: kind, Note: note,
		UserID: d.actor.userID(), UserLabel: d.actor.Label(), TokenID: d.actor.tokenID(), OwnPush: d.own, At: d.at, Evidence: tried,
	}
	if c.Tool != nil {
		v.Name = *c.Tool
	}
	d.verdicts = append(d.verdicts, v)
	d.given = append(d.given, v.fact())
	if !slices.Contains(d.touched, c) {
		d.touched = append(d.touched, c)
	}
}

// facts is what the audit keeps of answers to a change.
func (d *decision) facts(c *change.Change, vs []Verdict) *verdictFacts {
	f := &verdictFacts{Release: d.as.release.ID, Profile: d.as.release.Profile, Change: c.ID, Tool: c.Name(), From: c.From, To: c.To, Own: d.own}
	f.add(vs)
	return f
}

// spell writes an approval of the whole out edit by edit, so that one edit can be
// taken out of it and the others still stand.
func (d *decision) spell(c *change.Change, but string) {
	whole := d.opinion(c).Approval
	if whole == nil {
		return
	}
	done := map[string]bool{but: true}
	for _, det := range c.Details {
		if !done[det.Edit] {
			done[det.Edit] = true
			d.add(c, det.Edit, Approve, whole.Note, whole.Evidence)
		}
	}
}

// line is what the policy asks for the change, or for one edit of it.
func (d *decision) line(c *change.Change, edit string) gate.Line {
	return d.as.server.Policy.Line(askOf(c, edit, d.as.findingsOf(c.Subject, c.NewPosition)))
}

// askOf is what a policy is asked about a change, or about one edit of it.
func askOf(c *change.Change, edit string, found gate.Findings) gate.Ask {
	ask := gate.Ask{Class: c.Class, Removal: c.Kind == change.Removed, Hidden: c.Hidden, High: found.High(), Default: defaultsOnly(c.Details)}
	if det := detailOf(c, edit); det != nil && edit != "" {
		ask.Class, ask.Hidden = det.Class, det.Hidden
	}
	return ask
}

// mayApprove checks an approval: nothing that blocks, and a reason where one is asked
// for.
func (d *decision) mayApprove(c *change.Change, it VerdictItem) error {
	line := d.line(c, it.Edit)
	blank := prose.Blank(it.Note)
	switch {
	case line.Block:
		return Errorf(Conflict, "%s: %s", visible(c.Name()), d.blockedWhy(c))
	case line.Reason && blank:
		return Errorf(Invalid, "%s: this policy asks for a reason. Write why it is fine, as a note.", visible(c.Name()))
	case blank && sweeps(c, it.Edit, len(it.Changes)):
		return Errorf(Invalid, "This breaks callers of %d tools: one approval for all of them takes a reason. Write why it is fine, as a note, or answer tool by tool.", len(it.Changes))
	}
	if own := d.opinion(c); own.Rejection != nil && blank {
		return Errorf(Invalid, "%s: you rejected this. Write what changed your mind, as a note.", visible(c.Name()))
	}
	if own := d.opinion(c); own.Rejection != nil && !d.mayTakeBack(own.Rejection) {
		return errOwnPush
	}
	return nil
}

// sweeps reports whether an answer to an edit breaks callers of several tools at once:
// then it takes a reason under every policy, since nobody is asked about each.
func sweeps(c *change.Change, edit string, tools int) bool {
	det := detailOf(c, edit)
	return tools > 1 && det != nil && det.Class == change.Breaking
}

// blockedWhy says why nobody may approve a change.
func (d *decision) blockedWhy(c *change.Change) string {
	if f := d.as.findingsOf(c.Subject, c.NewPosition); !c.Hidden && f.High() {
		return fmt.Sprintf("Rule %s found something of severity %s, and this policy lets nobody approve it.", f.NewRule, f.New)
	}
	return "Hidden characters came in, and this policy lets nobody approve them."
}

var errOwnPush = Errorf(Forbidden, "Who wrote or pushed a release can't take a rejection of it back.")

// opinion returns what the actor's earlier answers to the bytes come to.
func (d *decision) opinion(c *change.Change) gate.Opinion {
	for _, o := range d.stands.On(c.Subject, c.From, c.To) {
		if o.Person == d.actor.userID() {
			return o
		}
	}
	return gate.Opinion{}
}

// mayTakeBack reports whether the actor may take a rejection back.
func (d *decision) mayTakeBack(v *gate.Verdict) bool {
	me := personOf(d.actor.User, d.as.server.ID)
	return gate.MayTakeBack(d.as.server.Policy, me, *v, d.own, d.gone(v.Person))
}

// gone reports whether somebody left: disabled, or without a role that decides here.
func (d *decision) gone(id string) bool {
	i := slices.IndexFunc(d.as.facts.People, func(p gate.Person) bool { return p.ID == id })
	return i < 0 || d.as.facts.People[i].Left
}

// withdraw checks that there is an answer to take back. A rejection by somebody
// who left is revoked instead, and then it is done.
func (d *decision) withdraw(c *change.Change, it VerdictItem) (done bool, err error) {
	own := d.opinion(c)
	rejected := own.Rejection != nil
	if rejected && prose.Blank(it.Note) {
		return true, Errorf(Invalid, "%s: write why you take the rejection back, as a note.", visible(c.Name()))
	}
	switch {
	case rejected && !d.mayTakeBack(own.Rejection):
		return true, errOwnPush
	case rejected || own.Approval != nil || len(own.Edits) > 0:
		return false, nil
	}
	return true, d.revoke(c, it)
}

// revoke takes back the rejections of people who left.
func (d *decision) revoke(c *change.Change, it VerdictItem) error {
	if it.Edit != "" {
		return Errorf(Invalid, "%s: take the rejection of somebody who left back as a whole.", visible(c.Name()))
	}
	found := false
	for _, o := range d.stands.On(c.Subject, c.From, c.To) {
		if o.Rejection == nil || !d.gone(o.Person) {
			continue
		}
		found = true
		if !d.mayTakeBack(o.Rejection) {
			return Errorf(Forbidden, "%s: %s rejected this and left. A maintainer who did not write or push it can take that back.", visible(c.Name()), o.Rejection.Label)
		}
		if prose.Blank(it.Note) {
			return Errorf(Invalid, "%s: write why you take the rejection of %s back, as a note.", visible(c.Name()), o.Rejection.Label)
		}
		revoked := d.revokeAll(o.Person, c)
		d.acts = append(d.acts, act{
			name: "verdict.revoke", serverID: d.as.server.ID, subject: c.ID,
			before: map[string]any{"by": o.Rejection.Label, "note": o.Rejection.Note}, after: map[string]any{"note": it.Note, "revoked": revoked},
		})
	}
	if !found {
		return Errorf(Conflict, "%s: there is no answer of yours to take back.", visible(c.Name()))
	}
	d.why = it.Note
	return nil
}

// revokeAll ends every answer of a person to the bytes: with the rejection alone
// gone, an older approval would count again. It returns their ids.
func (d *decision) revokeAll(person string, c *change.Change) []string {
	var ids []string
	for _, v := range d.as.facts.Verdicts {
		same := v.To == c.To && (!c.To.IsZero() || v.From == c.From)
		if v.Person == person && v.Subject == c.Subject && same {
			ids = append(ids, v.ID)
		}
	}
	d.revoked = append(d.revoked, ids...)
	return ids
}

// complete adds an approval of the whole change where this batch approved the last
// of its edits: then nothing depends on how the decisions were grouped. Who rejected
// the whole and then approves edit by edit approves after all, and who approved the whole
// without a reason gives it one with that of an edit.
func (d *decision) complete() {
	stands := gate.NewStanding(d.given)
	for _, c := range d.touched {
		for _, o := range stands.OnStep(c.Subject, c.From, c.To) {
			if o.Person != d.actor.userID() || len(c.Details) == 0 || o.Approval != nil && !prose.Blank(o.Approval.Note) {
				continue
			}
			if note, tried, all := approvedEdits(c, o); all && (o.Approval == nil || !prose.Blank(note)) {
				d.add(c, "", Approve, note, tried)
				d.said[c].add(d.verdicts[len(d.verdicts)-1:])
			}
		}
	}
}

// approvedEdits reports whether every edit of the change is approved, and returns
// the first reason that was given and what was tried for any of them. What is equal by
// rule is nobody's decision, but where a change has nothing else.
func approvedEdits(c *change.Change, o gate.Opinion) (note string, tried []gate.Trial, all bool) {
	for _, det := range c.Details {
		if det.Class == change.None && !det.Hidden && c.Class != change.None {
			continue
		}
		v := o.Edits[det.Edit]
		if v == nil {
			v = o.Approval
		}
		if v == nil || v.Kind != gate.Approve {
			return "", nil, false
		}
		if note == "" {
			note = strings.TrimSpace(v.Note)
		}
		for _, t := range v.Evidence {
			if len(tried) < maxTrials && !slices.Contains(tried, t) {
				tried = append(tried, t)
			}
		}
	}
	return note, tried, true
}

// store writes the batch.
func (d *decision) store(ctx context.Context, tx Tx) error {
	if err := tx.InsertVerdicts(ctx, d.verdicts); err != nil {
		return err
	}
	if len(d.revoked) > 0 {
		if err := tx.LiftVerdicts(ctx, d.revoked, d.s.now(), d.actor.userID(), d.why); err != nil {
			return err
		}
	}
	stored := make(map[string]*Verdict, len(d.verdicts))
	for i := range d.verdicts {
		stored[d.verdicts[i].ID] = &d.verdicts[i]
	}
	for _, what := range d.acts {
		what.kept = leavingOf(what.after, stored)
		if err := d.s.audit(ctx, tx, d.actor, what); err != nil {
			return err
		}
	}
	return nil
}

// leavingOf is what an act leaves of the verdicts that were stored for it.
func leavingOf(after any, stored map[string]*Verdict) []keptFacts {
	facts, ok := after.(*verdictFacts)
	if !ok {
		return nil
	}
	var its []any
	for _, s := range facts.Stored {
		if v := stored[s.ID]; v != nil {
			its = append(its, v)
		}
	}
	return leaving(its...)
}

// keepable reports whether somebody's text can be kept: UTF-8 without NUL, which
// not every database takes, and not too long.
func keepable(s string, most int) bool {
	return len(s) <= most && utf8.ValidString(s) && !strings.Contains(s, "\x00")
}

// visible makes a name of a listing safe to print.
func visible(name string) string { return prose.Show(name).String() }
