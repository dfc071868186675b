package review

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/lint"
	"github.com/countersign/countersign/review/people"
	"github.com/countersign/countersign/review/proof"
	"github.com/countersign/countersign/review/surface"
)

// Kept is what decides what a gate answers and who may do what, as the database has
// it: everything that the audit can tell again.
type Kept struct {
	Servers    []Server
	Policies   []PolicyVersion
	Users      []people.User
	Grants     []Grant
	Identities []IdentityLink
	Tokens     []people.Token
	Releases   []Release
	Revisions  []Revision
	Baselines  []Baseline
	Verdicts   []Verdict
	Overrides  []Override
	Alarms     []Alarm
	Waivers    []Waiver
	Proposed   []ProposedWaiver
	Namings    []Naming
	Proposals  []Proposal
	Threads    []Thread
	Edits      []CommentEdit
	Keys       []proof.Record
	Endpoints  []Endpoint
	Known      []KnownDrift
	Secrets    []ServerSecret
	Pushed     []ListingInfo           // listings, but for those that were only read at an endpoint
	Tools      map[string]surface.Hash // what each of them holds, see ToolsHash
	Released   []KeptRelease           // in order
	Grounds    []KeptGrounds
	Authors    []Author
}

// KeptStore reads all of it at once.
type KeptStore interface {
	Kept(ctx context.Context) (*Kept, error)
}

// Replayed is what became of telling the acts of the audit again, from the first one.
type Replayed struct {
	Acts        int         `json:"acts"`
	Things      int         `json:"things"`       // that the database has
	Deviations  []Deviation `json:"deviations"`   // at most 100
	More        int         `json:"more"`         // beyond those
	TooOld      int         `json:"too_old"`      // acts that do not say enough: an older version wrote them
	FirstTooOld string      `json:"first_of_old"` // id of the first of them, "" for none
	Unsaid      int         `json:"unsaid"`       // facts that older acts don't say, so that nothing is known of them
}

// Deviation is something that is not what the acts made it.
type Deviation struct {
	Kind     string `json:"kind"` // verdict, user, release, …
	ID       string `json:"id"`
	Field    string `json:"field"`    // "" is the whole thing
	Audit    string `json:"audit"`    // as the acts say; "" for nothing
	Database string `json:"database"` // as it is kept; "" for nothing
}

const maxDeviations = 100

// ReplayAudit tells the acts of the audit again and compares what they come to with
// what the database has: who answered what, and what of it was taken back, roles,
// permissions, tokens, policies, baselines, releases, overrides, waivers and proposed
// ones, names, threads, edits of comments and keys. The chain shows that no act was changed; this shows that nothing
// was changed without an act. Free text (notes, reasons, comments) is not compared,
// since it can be purged.
func (s *Service) ReplayAudit(ctx context.Context, a Actor) (*Replayed, error) {
	if err := a.administrator(); err != nil {
		return nil, err
	}
	r := replay{state: newState()}
	var kept *Kept
	err := s.store.View(ctx, func(tx Tx) (err error) {
		if err = r.chain(ctx, tx); err == nil {
			kept, err = tx.Kept(ctx)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return r.against(kept.state()), nil
}

// thing is something that is kept, by kind and id; facts are what is known of it.
type (
	thing struct{ Kind, ID string }
	facts map[string]string
)

// state is what there is, thing by thing.
type state struct {
	things map[thing]facts
	owned  map[thing][]thing    // what belonged to something once, so that nothing is looked for among all
	order  map[ProfileKey]int64 // how many releases of a profile there were
	silent map[string]bool      // groups of authors of which an older act does not say what they brought
}

func newState() *state {
	return &state{things: map[thing]facts{}, owned: map[thing][]thing{}, order: map[ProfileKey]int64{}, silent: map[string]bool{}}
}

// belongs notes what a thing belongs to.
func (st *state) belongs(kind, id string, owners ...thing) {
	for _, o := range owners {
		st.owned[o] = append(st.owned[o], thing{kind, id})
	}
}

// of calls f with everything that belongs to something and is still there.
func (st *state) of(owner thing, f func(thing, facts)) {
	for _, t := range st.owned[owner] {
		if known := st.things[t]; known != nil {
			f(t, known)
		}
	}
}

// put notes facts of a thing, pairs of name and value.
func (st *state) put(kind, id string, pairs ...any) {
	t := thing{kind, id}
	known := st.things[t]
	if known == nil {
		known = facts{}
		st.things[t] = known
	}
	for i := 0; i < len(pairs); i += 2 {
		known[pairs[i].(string)] = asText(pairs[i+1])
	}
}

// asText makes one text of equal values, whether they came from the database or out
// of JSON: there, bytes that are no text became U+FFFD.
func asText(v any) string {
	b, err := json.Marshal(v)
	var text string
	switch {
	case err != nil:
		return fmt.Sprint(v)
	case json.Unmarshal(b, &text) == nil:
		return text
	}
	return string(b)
}

// replay is a state on its way through the acts.
type replay struct {
	state    *state
	acts     int
	tooOld   int
	firstOld string
}

// chain tells the acts that are sealed, and those that wait behind them.
func (r *replay) chain(ctx context.Context, tx Tx) error {
	for after := int64(0); ; {
		links, err := tx.Chain(ctx, after, sealBatch)
		if err != nil {
			return err
		}
		for i := range links {
			r.tell(&links[i].Entry)
		}
		if len(links) == 0 {
			break
		}
		after = links[len(links)-1].Seq
	}
	n, err := tx.CountPendingAudit(ctx)
	if err != nil {
		return err
	}
	waiting, err := tx.PendingAudit(ctx, n)
	for i := range waiting {
		r.tell(&waiting[i])
	}
	return err
}

// tell does one act again. An act that is unknown, or lacks what is needed, is too old
// to be told; one of a row that is gone is for the chain to find.
func (r *replay) tell(e *AuditEntry) {
	r.acts++
	do, known := retold[e.Act]
	if known && (do == nil || do(r.state, e)) {
		if strings.Contains(e.After, `"kept":`) {
			r.state.takeKept(e.After)
		}
		return
	}
	if r.tooOld++; r.tooOld == 1 {
		r.firstOld = e.ID
	}
}

// against compares what the acts came to with what is kept.
func (r *replay) against(kept *state) *Replayed {
	out := &Replayed{Acts: r.acts, Things: len(kept.things), Deviations: []Deviation{}, TooOld: r.tooOld, FirstTooOld: r.firstOld}
	all := maps.Clone(r.state.things)
	maps.Copy(all, kept.things)
	things := slices.SortedFunc(maps.Keys(all), func(a, b thing) int { return slices.Compare([]string{a.Kind, a.ID}, []string{b.Kind, b.ID}) })
	for _, t := range things {
		if r.state.things[t] == nil && r.state.mayHaveBrought(t) {
			out.Unsaid++
			continue
		}
		found, unsaid := deviations(t, r.state.things[t], kept.things[t])
		out.Unsaid += unsaid
		for _, d := range found {
			if len(out.Deviations) == maxDeviations {
				out.More++
				continue
			}
			out.Deviations = append(out.Deviations, d)
		}
	}
	return out
}

// deviations compares a thing, and counts the facts of it that no act says.
func deviations(t thing, told, kept facts) (out []Deviation, unsaid int) {
	switch {
	case kept == nil:
		return []Deviation{{Kind: t.Kind, ID: t.ID, Audit: asText(told)}}, 0
	case told == nil:
		return []Deviation{{Kind: t.Kind, ID: t.ID, Database: asText(kept)}}, 0
	}
	for _, field := range slices.Sorted(maps.Keys(kept)) {
		says, known := told[field]
		bare, further := strings.CutPrefix(field, furtherMark)
		switch {
		case further && !known:
			unsaid++
		case says != kept[field]:
			out = append(out, Deviation{t.Kind, t.ID, bare, says, kept[field]})
		}
	}
	return out, unsaid
}

// What acts say, in their own form where a map would not do.
type (
	// accountFacts is what the audit keeps of an account.
	accountFacts struct {
		ID       string              `json:"id"`
		Email    string              `json:"email"`
		Name     string              `json:"name"`
		Roles    []people.Membership `json:"roles"`
		Disabled bool                `json:"disabled"`
	}
	// pushFacts is what it keeps of a push.
	pushFacts struct {
		Release     string       `json:"release"`
		Profile     string       `json:"profile"`
		Version     string       `json:"version,omitempty"`
		Ref         string       `json:"ref,omitempty"`
		Predecessor string       `json:"predecessor,omitempty"`
		Revision    int          `json:"revision"`
		Digest      surface.Hash `json:"digest"`
		Author      string       `json:"author,omitempty"` // id of an account
		Token       string       `json:"token,omitempty"`  // id
		Delivery    string       `json:"delivery"`
		// Brought are the keys of what its people and its token are kept as authors of, but
		// for those that they were authors of before; nil in older acts.
		Brought []surface.Hash `json:"brought,omitempty"`
		Authors bool           `json:"authors"` // that Brought is said
		Commit  string         `json:"commit,omitempty"`
		Run     string         `json:"run_url,omitempty"`
		UsedUp  []string       `json:"used_up,omitempty"` // as older versions ended approvals of removals
		Ended   []string       `json:"ended,omitempty"`   // approvals of removals that the push ended for its release
	}
	// predecessorFacts are those of a predecessor that was confirmed: who is behind the
	// release, and the keys of what they are authors of against the new base.
	predecessorFacts struct {
		Release     string         `json:"release"`
		Profile     string         `json:"profile"`
		Predecessor string         `json:"predecessor"`
		Authors     []string       `json:"authors,omitempty"` // ids of accounts
		Tokens      []string       `json:"tokens,omitempty"`  // ids
		Brought     []surface.Hash `json:"brought,omitempty"`
	}
	// verdictFacts is what it keeps of an answer to a change, with every verdict that
	// was stored for it: an answer to one edit may write others out.
	verdictFacts struct {
		Release  string       `json:"release"`
		Profile  string       `json:"profile"`
		Change   string       `json:"change"`
		Tool     string       `json:"tool"`
		From     surface.Hash `json:"from"`
		To       surface.Hash `json:"to"`
		Note     string       `json:"note"`
		Own      bool         `json:"own"`
		Evidence []gate.Trial `json:"evidence,omitempty"`
		Stored   []storedAs   `json:"stored"`
	}
	storedAs struct {
		ID   string      `json:"id"`
		Edit string      `json:"edit,omitempty"`
		Kind VerdictKind `json:"kind"`
	}
)

func (f *verdictFacts) add(vs []Verdict) {
	for _, v := range vs {
		f.Stored = append(f.Stored, storedAs{v.ID, v.Edit, v.Kind})
	}
}

// said reads what an act says after it, or before.
func said[T any](text string) (T, bool) {
	var v T
	return v, text != "" && json.Unmarshal([]byte(text), &v) == nil
}

// telling makes a way to tell acts again of what such an act says; false is that it
// does not say enough.
func telling[T any](f func(st *state, e *AuditEntry, now T) bool) func(*state, *AuditEntry) bool {
	return func(st *state, e *AuditEntry) bool {
		now, ok := said[T](e.After)
		return ok && f(st, e, now)
	}
}

// retold says how each act is told again; nil is for acts that change nothing of what
// is compared.
var retold = map[string]func(*state, *AuditEntry) bool{
	"server.add":           telling(toldServer),
	"server.rotate-secret": nil,
	"secret.reseal":        nil,
	"policy.propose":       telling(toldPolicy(PolicyProposed)),
	"policy.set":           telling(toldPolicy(PolicyInForce)),
	"policy.refuse":        telling(toldPolicy(PolicyRefused)),

	"user.add":                   telling(toldAccount),
	"user.invite":                telling(toldAccount),
	"user.uninvite":              telling(toldAccount),
	"user.role":                  telling(toldAccount),
	"user.disable":               telling(toldAccount),
	"user.set-up":                telling(toldAccount),
	"user.join":                  telling(toldNewcomer),
	"user.password":              telling(toldPassword),
	"user.second-factor":         telling(toldFactor),
	"user.second-factor-removed": telling(toldFactor),
	"user.recovery-codes":        nil,
	"user.identity-linked":       telling(toldIdentity),
	"user.identity-unlinked":     toldUnlinked,
	"user.revoke-answers":        telling(toldRevocation),
	"grant.give":                 telling(toldGrant),
	"grant.take":                 telling(toldGrant),
	"grant.propose":              telling(toldProposal(ProposalWaits)),
	"grant.agree":                telling(toldProposal(ProposalAgreed)),
	"grant.refuse":               telling(toldProposal(ProposalRefused)),
	"token.create":               telling(toldToken),
	"token.revoke":               telling(toldTokenEnd),
	"role.propose":               telling(toldProposal(ProposalWaits)),
	"role.agree":                 telling(toldProposal(ProposalAgreed)),
	"role.refuse":                telling(toldProposal(ProposalRefused)),

	"listing.push":                telling(toldPush),
	"predecessor.confirm":         telling(toldPredecessor),
	"baseline.accept":             telling(toldBaseline),
	"release.release":             telling(toldRelease),
	"release.release-by-override": telling(toldRelease),
	"release.withdraw":            telling(toldWithdrawal),
	"release.forget":              toldForgotten,
	"release.override":            telling(toldOverride),
	"release.end-override":        toldOverrideEnd,
	"release.alarm":               telling(toldAlarm),
	"release.clear-alarm":         toldCleared,

	"verdict.approve":  telling(toldVerdict),
	"verdict.reject":   telling(toldVerdict),
	"verdict.withdraw": telling(toldVerdict),
	"verdict.revoke":   telling(toldRevocation),
	"waiver.add":       telling(toldWaiver),
	"waiver.confirm":   toldWaiverConfirmed,
	"waiver.end":       toldWaiverEnd,
	"waiver.propose":   telling(toldProposed),
	"waiver.decline":   telling(toldDeclined),
	"thread.open":      telling(toldThread),
	"thread.comment":   telling(toldComment),
	"thread.resolve":   toldResolved,
	"thread.reopen":    toldReopened,
	"comment.edit":     toldEdit,
	"alias.add":        telling(toldNaming),
	"alias.end":        toldNamingEnd,
	"alias.propose":    telling(toldProposal(ProposalWaits)),
	"alias.agree":      telling(toldProposal(ProposalAgreed)),
	"alias.refuse":     telling(toldProposal(ProposalRefused)),
	"pairing.add":      telling(toldNaming),
	"pairing.end":      toldNamingEnd,
	"merge.add":        telling(toldNaming),
	"merge.end":        toldNamingEnd,

	"endpoint.add":              telling(toldEndpoint),
	"endpoint.change":           telling(toldEndpoint),
	"endpoint.remove":           toldEndpointGone,
	"drift.acknowledge":         telling(toldKnown),
	"drift.end-acknowledgement": toldKnownEnd,

	"key.add":          toldKey,
	"key.rotate":       toldKeyRotation,
	"database.restore": toldRestore,

	"capture.add":      nil,
	"link.create":      nil,
	"retention.forget": nil,
	"session.start":    nil,
	"session.end":      nil,
	"session.end-all":  nil,
	"session.prove":    nil,
	"text.purge":       nil,
}

// The facts of each kind of thing, the same from an act and from the database.

func (st *state) server(id, slug, name string) { st.put("server", id, "slug", slug, "name", name) }

func policyID(serverID string, p gate.Policy) string {
	return fmt.Sprintf("%s/%d", serverID, p.Version)
}

func revisionID(releaseID string, n int) string { return fmt.Sprintf("%s/%d", releaseID, n) }

func grantID(userID, serverID string, p Permission) string {
	return fmt.Sprintf("%s/%s/%s", userID, serverID, p)
}

func (st *state) policy(serverID string, p gate.Policy, s PolicyState) {
	st.put("policy", policyID(serverID, p), "state", s, "says", p)
}

func (st *state) inForce(serverID string, p gate.Policy) { st.put("server", serverID, "policy", p) }

func (st *state) account(f accountFacts) {
	roles := make([]string, len(f.Roles))
	for i, m := range f.Roles {
		roles[i] = m.ServerID + "=" + string(m.Role)
	}
	slices.Sort(roles)
	st.put("user", f.ID, "email", f.Email, "name", f.Name, "roles", roles, "disabled", f.Disabled)
}

func (st *state) factor(userID string, has bool) { st.put("user", userID, "second_factor", has) }

func (st *state) token(id, serverID, profile, userID string, scopes []people.Scope) {
	st.put("token", id, "server", serverID, "profile", profile, "user", userID, "scopes", scopes, "revoked", false)
	st.belongs("token", id, thing{"user", userID})
}

func (st *state) release(id, serverID, profile, version, ref, predecessor string) {
	st.put("release", id, "server", serverID, "profile", profile, "version", version, "ref", ref, "predecessor", predecessor)
}

func (st *state) confirmed(id, by string) { st.put("release", id, "predecessor_confirmed_by", by) }

func (st *state) released(id, by string, revision int, override string) {
	st.put("release", id, "released_by", by, "released_revision", revision, "released_override", override)
}

// stood says which release of its profile was released as the nth, and what it holds.
func (st *state) stood(k ProfileKey, n int64, releaseID string, holds surface.Hash) {
	id := fmt.Sprintf("%s/%s/%d", k.ServerID, k.Profile, n)
	st.put(stoodKind, id, "release", releaseID)
	if !holds.IsZero() {
		st.furthermore(stoodKind, id, "holds", holds)
	}
}

// stoodKind is the kind of what stood in a release.
const stoodKind = "released"

func (st *state) author(a Author) {
	st.put(authorKind, a.group()+"/"+a.Key.String(), "brought", true)
}

// authorKind is the kind of that somebody brought something.
const authorKind = "author"

// mayHaveBrought reports whether a thing is that somebody brought something, of whom an
// older act does not say what all they brought.
func (st *state) mayHaveBrought(t thing) bool {
	end := strings.LastIndex(t.ID, "/")
	return t.Kind == authorKind && end > 0 && st.silent[t.ID[:end]]
}

// group is whose and where.
func (a *Author) group() string { return a.ServerID + "/" + a.Profile + "/" + a.UserID + a.TokenID }

func (st *state) withdrawn(id, by string, withdrawn, forCause bool) {
	st.put("release", id, "withdrawn", withdrawn, "withdrawn_by", by, "withdrawn_for_cause", forCause)
}

func (st *state) revision(releaseID string, n int, digest surface.Hash, pusher, token, author string) {
	st.put("revision", revisionID(releaseID, n), "digest", digest, "pusher", pusher, "token", token, "author", author)
	st.belongs("revision", revisionID(releaseID, n), thing{"release", releaseID})
}

func (st *state) baseline(serverID, profile, by string, digest surface.Hash, positions []int) {
	st.put("baseline", serverID+"/"+profile, "digest", digest, "by", by, "acknowledged", positions)
}

func acknowledged(ack []Acknowledgement) []int {
	positions := []int{}
	for _, a := range ack {
		positions = append(positions, a.Position)
	}
	slices.Sort(positions)
	return positions
}

func (st *state) verdict(v *Verdict) {
	st.put("verdict", v.ID, "server", v.ServerID, "profile", v.Profile, "release", v.ReleaseID, "change", v.ChangeID, "edit", v.Edit,
		"from", v.From, "to", v.To, "kind", v.Kind, "user", v.UserID, "own", v.OwnPush, "used_up", v.UsedUp, "revoked", !v.RevokedAt.IsZero(), "lifted_by", v.LiftedBy)
	var in []string
	for _, e := range v.Ended {
		if e.How == gate.EndedByPush {
			in = append(in, e.ReleaseID)
		}
	}
	st.put("verdict", v.ID, "ended_in", strings.Join(in, " "))
}

func (st *state) override(o *Override) {
	st.put("override", o.ID, "server", o.ServerID, "profile", o.Profile, "release", o.ReleaseID, "digest", o.Digest, "policy", o.Policy,
		"requirements", o.Requirements, "user", o.UserID, "until", o.Until.UTC(), "ended", !o.EndedAt.IsZero(), "ended_by", o.EndedBy)
}

func (st *state) alarm(a *Alarm) {
	st.put("alarm", a.ID, "server", a.ServerID, "release", a.ReleaseID, "cleared", !a.ClearedAt.IsZero(), "cleared_by", a.ClearedBy)
	st.belongs("alarm", a.ID, thing{"release", a.ReleaseID})
}

func (st *state) waiver(w *Waiver) {
	st.put("waiver", w.ID, "server", w.ServerID, "profile", w.Profile, "release", w.ReleaseID, "rule", w.Rule, "severity", w.Severity,
		"kind", w.Kind, "user", w.By, "until", w.Until.UTC(), "policy", w.Policy, "confirmed_by", w.ConfirmedBy, "ended", !w.EndedAt.IsZero(), "ended_by", w.EndedBy)
}

func (st *state) proposed(p *ProposedWaiver) {
	st.put(proposedKind, p.ID, "server", p.ServerID, "profile", p.Profile, "release", p.ReleaseID, "fingerprint", p.Fingerprint, "question", p.Key,
		"state", p.State, "answered_by", p.AnsweredBy, "waiver", p.WaiverID)
	st.belongs(proposedKind, p.ID, thing{"release", p.ReleaseID}, st.things[thing{proposedKind, p.ID}].question())
}

// question is what the same question of several releases belongs to.
func (f facts) question() thing {
	return thing{"question", f["server"] + "/" + f["profile"] + "/" + f["question"]}
}

// proposedKind is the kind of a waiver that a file proposes.
const proposedKind = "proposed waiver"

// answered takes the answer to what a file proposes in: the same question of other
// releases of the profile is dropped with it.
func (st *state) answered(id string, s ProposedState, by, waiver string) bool {
	asked := st.things[thing{proposedKind, id}]
	if asked == nil {
		return false
	}
	st.put(proposedKind, id, "state", s, "answered_by", by, "waiver", waiver)
	st.of(asked.question(), func(t thing, f facts) {
		if f["state"] == string(ProposedOpen) {
			delete(st.things, t)
		}
	})
	return true
}

func (st *state) naming(n *Naming) {
	st.put("name", n.ID, "server", n.ServerID, "profile", n.Profile, "kind", n.Kind, "old", n.Old, "new", n.New, "by", n.By,
		"until", timeOrNil(n.Until.UTC()), "ended", !n.EndedAt.IsZero(), "ended_by", n.EndedBy)
}

func (st *state) proposal(p *Proposal) {
	st.put("proposal", p.ID, "server", p.ServerID, "kind", p.Kind, "by", p.ByID, "state", p.State, "second", p.SecondID, "asks", p.ProposalDetails)
}

func (st *state) thread(id, serverID, releaseID, openedBy string, blocks bool) {
	st.put("thread", id, "server", serverID, "release", releaseID, "opened_by", openedBy, "blocks", blocks)
}

func (st *state) resolved(id, by string, resolved bool) {
	st.put("thread", id, "resolved", resolved, "resolved_by", by)
}

func (st *state) comment(id, threadID, userID string) {
	st.put("comment", id, "thread", threadID, "user", userID, "edits", 0)
}

// edited counts one more edit of a comment.
func (st *state) edited(id string) {
	n, _ := strconv.Atoi(st.things[thing{"comment", id}]["edits"])
	st.put("comment", id, "edits", n+1)
}

func (st *state) endpoint(id, serverID string, f endpointFacts) {
	st.put("endpoint", id, "server", serverID, "name", f.Name, "profile", f.Profile, "url", f.URL, "every", f.Every, "headers", f.Headers)
}

func (st *state) known(id, serverID, by string, f knownFacts) {
	st.put("known drift", id, "server", serverID, "endpoint", f.Endpoint, "digest", f.Digest, "by", by, "until", f.Until.UTC(), "ended", false, "ended_by", "")
}

// state is what is kept, thing by thing.
func (k *Kept) state() *state {
	st := newState()
	for _, step := range []func(*state){k.ruling, k.accounts, k.versions, k.history, k.answers, k.talk, k.live} {
		step(st)
	}
	return st
}

func (k *Kept) ruling(st *state) {
	secrets := map[string][]ServerSecret{}
	for _, s := range k.Secrets {
		secrets[s.ServerID] = append(secrets[s.ServerID], s)
	}
	for _, s := range k.Servers {
		st.server(s.ID, s.Slug, s.Name)
		st.inForce(s.ID, s.Policy)
		st.further(&s)
		st.further(&heldSecrets{s.ID, secrets[s.ID]})
	}
	for _, v := range k.Policies {
		st.policy(v.ServerID, v.Policy, v.State)
		st.further(&v)
	}
	for _, rec := range k.Keys {
		st.put("key", rec.ID, "retired", rec.Until != nil)
	}
}

func (k *Kept) accounts(st *state) {
	for i := range k.Users {
		u := &k.Users[i]
		st.account(userFacts(u))
		st.factor(u.ID, u.HasSecondFactor())
		st.further(u)
	}
	for _, g := range k.Grants {
		st.further(&g)
		st.grant(g.UserID, g.ServerID, g.Permission)
	}
	for _, l := range k.Identities {
		st.identity(l.Issuer, l.Subject, l.UserID)
	}
	for _, t := range k.Tokens {
		st.token(t.ID, t.ServerID, t.Profile, t.UserID, t.Scopes)
		st.put("token", t.ID, "revoked", !t.RevokedAt.IsZero())
		st.further(&t)
	}
	for i := range k.Proposals {
		st.proposal(&k.Proposals[i])
	}
}

func (k *Kept) versions(st *state) {
	for i := range k.Releases {
		r := &k.Releases[i]
		st.release(r.ID, r.ServerID, r.Profile, r.Version, r.Ref, r.Predecessor)
		st.confirmed(r.ID, r.PredecessorConfirmedBy)
		st.released(r.ID, r.ReleasedBy, r.ReleasedRevision, r.ReleasedOverride)
		st.withdrawn(r.ID, r.WithdrawnBy, r.withdrawn(), r.WithdrawnForCause)
		st.further(r)
	}
	pushed := map[string]ListingInfo{}
	for _, l := range k.Pushed {
		pushed[l.ID] = l
	}
	for _, r := range k.Revisions {
		st.revision(r.ReleaseID, r.N, r.Digest, r.PusherID, r.TokenID, r.AuthorID)
		st.further(&pushedRevision{r, pushed[r.ListingID], k.Tools[r.ListingID]})
	}
	for _, b := range k.Baselines {
		st.further(&b)
		st.baseline(b.ServerID, b.Profile, b.By, b.Digest, acknowledged(b.Acknowledged))
	}
	for i := range k.Namings {
		st.naming(&k.Namings[i])
		st.further(&k.Namings[i])
	}
	for i := range k.Alarms {
		st.alarm(&k.Alarms[i])
		st.further(&k.Alarms[i])
	}
}

// history is what counts of earlier versions: what was released, and who brought what.
func (k *Kept) history(st *state) {
	for _, r := range k.Released {
		st.stood(r.ProfileKey, r.N, r.ReleaseID, r.Holds)
	}
	for i := range k.Grounds {
		st.further(&k.Grounds[i])
	}
	for _, a := range k.Authors {
		st.author(a)
	}
}

func (k *Kept) answers(st *state) {
	for i := range k.Verdicts {
		st.verdict(&k.Verdicts[i])
		st.further(&k.Verdicts[i])
	}
	for i := range k.Overrides {
		st.override(&k.Overrides[i])
		st.further(&k.Overrides[i])
	}
	for i := range k.Waivers {
		st.waiver(&k.Waivers[i])
		st.further(&k.Waivers[i])
	}
	for i := range k.Proposed {
		st.proposed(&k.Proposed[i])
		st.further(&k.Proposed[i])
	}
}

func (k *Kept) talk(st *state) {
	for _, t := range k.Threads {
		st.thread(t.ID, t.ServerID, t.ReleaseID, t.OpenedBy, t.Blocks)
		st.resolved(t.ID, t.ResolvedBy, !t.Open())
		st.further(&t)
		for _, c := range t.Comments {
			st.comment(c.ID, c.ThreadID, c.UserID)
			st.further(&c)
		}
	}
	for i := range k.Edits {
		st.edited(k.Edits[i].CommentID)
	}
}

func (k *Kept) live(st *state) {
	for i := range k.Endpoints {
		e := &k.Endpoints[i]
		st.endpoint(e.ID, e.ServerID, e.facts(false))
		st.further(e)
	}
	for i := range k.Known {
		d := &k.Known[i]
		st.known(d.ID, d.ServerID, d.By, d.facts())
		st.put("known drift", d.ID, "ended", !d.EndedAt.IsZero(), "ended_by", d.EndedBy)
		st.further(d)
	}
}

// The acts, each told again.

func toldServer(st *state, e *AuditEntry, now struct {
	Slug   string      `json:"slug"`
	Name   string      `json:"name"`
	Policy gate.Policy `json:"policy"`
}) bool {
	st.server(e.ServerID, now.Slug, now.Name)
	st.inForce(e.ServerID, now.Policy)
	st.policy(e.ServerID, now.Policy, PolicyInForce)
	return e.ServerID != ""
}

type toldVersion struct {
	Policy gate.Policy `json:"policy"`
}

func toldPolicy(s PolicyState) func(*state, *AuditEntry, toldVersion) bool {
	return func(st *state, e *AuditEntry, now toldVersion) bool {
		st.policy(e.ServerID, now.Policy, s)
		if s == PolicyInForce {
			st.inForce(e.ServerID, now.Policy)
		}
		return now.Policy.Version > 0
	}
}

// toldAccount also ends what ends with an account.
func toldAccount(st *state, e *AuditEntry, now accountFacts) bool {
	if now.ID == "" {
		return false
	}
	if st.things[thing{"user", now.ID}] == nil {
		st.factor(now.ID, false)
	}
	st.account(now)
	if now.Disabled {
		st.endTokens(now.ID)
	}
	return true
}

// endTokens revokes the tokens of a user.
func (st *state) endTokens(userID string) {
	st.of(thing{"user", userID}, func(t thing, f facts) {
		if t.Kind == "token" && f["user"] == userID {
			st.put("token", t.ID, "revoked", true)
		}
	})
}

type toldIssuer struct {
	Issuer  string `json:"issuer"`
	Subject string `json:"subject"`
}

func (st *state) identity(issuer, subject, userID string) {
	st.put("identity", issuer+" "+subject, "user", userID)
	st.belongs("identity", issuer+" "+subject, thing{"user", userID})
}

func toldNewcomer(st *state, e *AuditEntry, now struct {
	User     accountFacts `json:"user"`
	Identity toldIssuer   `json:"identity"`
}) bool {
	st.identity(now.Identity.Issuer, now.Identity.Subject, now.User.ID)
	return toldAccount(st, e, now.User)
}

func toldIdentity(st *state, e *AuditEntry, now toldIssuer) bool {
	st.identity(now.Issuer, now.Subject, e.ActorID)
	return e.ActorID != ""
}

func toldUnlinked(st *state, e *AuditEntry) bool {
	was, ok := said[toldIssuer](e.Before)
	delete(st.things, thing{"identity", was.Issuer + " " + was.Subject})
	return ok
}

type toldUser struct {
	User         string     `json:"user"`
	SecondFactor *string    `json:"second_factor"`
	Permission   Permission `json:"permission"`
}

// toldPassword ends tokens and identities, as a new password by link does.
func toldPassword(st *state, e *AuditEntry, now toldUser) bool {
	st.endTokens(now.User)
	st.of(thing{"user", now.User}, func(t thing, f facts) {
		if t.Kind == "identity" && f["user"] == now.User {
			delete(st.things, t)
		}
	})
	return now.User != ""
}

func toldFactor(st *state, e *AuditEntry, now toldUser) bool {
	st.factor(now.User, now.SecondFactor != nil)
	return now.User != ""
}

func (st *state) grant(userID, serverID string, p Permission) {
	st.put("grant", grantID(userID, serverID, p), "may", true)
}

func toldGrant(st *state, e *AuditEntry, now toldUser) bool {
	st.grant(e.Subject, e.ServerID, now.Permission)
	if e.Act == "grant.take" {
		delete(st.things, thing{"grant", grantID(e.Subject, e.ServerID, now.Permission)})
	}
	return now.Permission != ""
}

func toldToken(st *state, e *AuditEntry, now struct {
	ID      string         `json:"id"`
	Scopes  []people.Scope `json:"scopes"`
	Profile string         `json:"profile"`
	User    string         `json:"user"`
}) bool {
	st.token(now.ID, e.ServerID, now.Profile, now.User, now.Scopes)
	return now.ID != ""
}

type toldID struct {
	ID string `json:"id"`
}

func toldTokenEnd(st *state, e *AuditEntry, now toldID) bool {
	st.put("token", now.ID, "revoked", true)
	return now.ID != ""
}

func toldRestore(st *state, e *AuditEntry) bool {
	for t := range st.things {
		if t.Kind == "token" {
			st.put("token", t.ID, "revoked", true)
		}
	}
	return true
}

func toldProposal(s ProposalState) func(*state, *AuditEntry, ProposalDetails) bool {
	return func(st *state, e *AuditEntry, now ProposalDetails) bool {
		if s != ProposalWaits {
			st.put("proposal", e.Subject, "state", s, "second", e.ActorID)
			return true
		}
		kind, _ := strings.CutSuffix(e.Act, ".propose")
		st.proposal(&Proposal{ID: e.Subject, ServerID: e.ServerID, Kind: ProposalKind(kind), State: s, ByID: e.ActorID, ProposalDetails: now})
		return true
	}
}

// toldPush keeps a confirmed predecessor only while it is named.
func toldPush(st *state, e *AuditEntry, now pushFacts) bool {
	was := st.things[thing{"release", e.Subject}]
	if was == nil {
		st.released(e.Subject, "", 0, "")
		st.withdrawn(e.Subject, "", false, false)
	}
	if was == nil || was["predecessor"] != now.Predecessor {
		st.confirmed(e.Subject, "")
	}
	st.release(e.Subject, e.ServerID, now.Profile, now.Version, now.Ref, now.Predecessor)
	st.revision(e.Subject, now.Revision, now.Digest, e.ActorID, now.Token, now.Author)
	st.brought(e, &now)
	st.useUp(now.UsedUp)
	for _, id := range now.Ended {
		in := st.things[thing{"verdict", id}]["ended_in"] + " " + e.Subject
		st.put("verdict", id, "ended_in", strings.TrimSpace(in))
	}
	return now.Profile != ""
}

// brought makes whoever is behind a push the author of what it brought.
func (st *state) brought(e *AuditEntry, now *pushFacts) {
	for _, a := range authorsOf(ProfileKey{e.ServerID, now.Profile}, []string{e.ActorID, now.Author}, []string{now.Token}) {
		if !now.Authors {
			st.silent[a.group()] = true
		}
		for _, a.Key = range now.Brought {
			st.author(a)
		}
	}
}

func (st *state) useUp(verdicts []string) {
	for _, id := range verdicts {
		st.put("verdict", id, "used_up", true)
	}
}

// toldPredecessor makes whoever is behind the release the author of what it changes
// against the confirmed base; older acts name nobody.
func toldPredecessor(st *state, e *AuditEntry, now predecessorFacts) bool {
	st.confirmed(e.Subject, e.ActorID)
	for _, a := range authorsOf(ProfileKey{e.ServerID, now.Profile}, now.Authors, now.Tokens) {
		for _, a.Key = range now.Brought {
			st.author(a)
		}
	}
	return now.Predecessor != ""
}

func toldBaseline(st *state, e *AuditEntry, now struct {
	Profile      string            `json:"profile"`
	Digest       surface.Hash      `json:"digest"`
	Acknowledged []Acknowledgement `json:"acknowledged"`
}) bool {
	st.baseline(e.ServerID, now.Profile, e.ActorID, now.Digest, acknowledged(now.Acknowledged))
	return now.Profile != ""
}

func toldRelease(st *state, e *AuditEntry, now struct {
	Revision int          `json:"revision"`
	Override string       `json:"override"`
	UsedUp   []string     `json:"used_up"`
	Holds    surface.Hash `json:"holds"`
}) bool {
	st.released(e.Subject, e.ActorID, now.Revision, now.Override)
	if now.Override == "" {
		k := ProfileKey{e.ServerID, st.things[thing{"release", e.Subject}]["profile"]}
		st.order[k]++
		st.stood(k, st.order[k], e.Subject, now.Holds)
	}
	st.useUp(now.UsedUp)
	return now.Revision > 0
}

func toldWithdrawal(st *state, e *AuditEntry, now struct {
	ForCause bool           `json:"for_cause"`
	Rejected []verdictFacts `json:"rejected"`
}) bool {
	st.withdrawn(e.Subject, e.ActorID, true, now.ForCause)
	for i := range now.Rejected {
		toldVerdict(st, e, now.Rejected[i])
	}
	return now.Rejected != nil
}

// toldForgotten takes a push without a version away, with what only it held.
func toldForgotten(st *state, e *AuditEntry) bool {
	release := thing{"release", e.Subject}
	delete(st.things, release)
	st.of(release, func(t thing, f facts) {
		if t.Kind == "revision" || t.Kind == proposedKind && f["state"] == string(ProposedOpen) {
			delete(st.things, t)
		}
	})
	delete(st.owned, release)
	return true
}

func toldOverride(st *state, e *AuditEntry, now struct {
	ID           string       `json:"id"`
	Profile      string       `json:"profile"`
	Digest       surface.Hash `json:"digest"`
	Policy       int          `json:"policy"`
	Requirements []string     `json:"requirements"`
	Until        time.Time    `json:"until"`
}) bool {
	st.override(&Override{
		ID: now.ID, ServerID: e.ServerID, Profile: now.Profile, ReleaseID: e.Subject, Digest: now.Digest, Policy: now.Policy,
		Requirements: now.Requirements, UserID: e.ActorID, Until: now.Until,
	})
	return now.ID != ""
}

func toldOverrideEnd(st *state, e *AuditEntry) bool {
	was, ok := said[struct {
		Overrides []string `json:"overrides"`
	}](e.Before)
	st.end("override", was.Overrides, e.Actor)
	return ok
}

// end ends things that have not ended.
func (st *state) end(kind string, ids []string, by string) {
	for _, id := range ids {
		if st.things[thing{kind, id}]["ended"] != "true" {
			st.put(kind, id, "ended", true, "ended_by", by)
		}
	}
}

func toldAlarm(st *state, e *AuditEntry, now toldID) bool {
	st.alarm(&Alarm{ID: now.ID, ServerID: e.ServerID, ReleaseID: e.Subject})
	return now.ID != ""
}

func toldCleared(st *state, e *AuditEntry) bool {
	st.of(thing{"release", e.Subject}, func(t thing, f facts) {
		if t.Kind == "alarm" && f["cleared"] == "false" {
			st.put("alarm", t.ID, "cleared", true, "cleared_by", e.Actor)
		}
	})
	return true
}

func toldVerdict(st *state, e *AuditEntry, now verdictFacts) bool {
	for _, s := range now.Stored {
		st.verdict(&Verdict{
			ID: s.ID, ServerID: e.ServerID, Profile: now.Profile, ReleaseID: now.Release, ChangeID: now.Change, Edit: s.Edit,
			From: now.From, To: now.To, Kind: s.Kind, UserID: e.ActorID, OwnPush: now.Own,
		})
	}
	return len(now.Stored) > 0
}

func toldRevocation(st *state, e *AuditEntry, now struct {
	Revoked  []string `json:"revoked"`
	Restored []string `json:"restored"`
	Ended    []string `json:"ended"`
	Since    string   `json:"since"` // of a whole account
}) bool {
	lifted := "" // what a whole account said is gone for good
	if now.Since == "" {
		lifted = e.ActorID
	}
	for _, id := range now.Restored {
		st.put("verdict", id, "revoked", false, "lifted_by", "")
	}
	for _, id := range now.Revoked {
		st.put("verdict", id, "revoked", true, "lifted_by", lifted)
	}
	st.end("override", now.Ended, e.Actor)
	return now.Since != "" || len(now.Revoked) > 0
}

func toldWaiver(st *state, e *AuditEntry, now struct {
	Waivers  []string        `json:"waivers"`
	Proposed string          `json:"proposed"` // id of what a file proposed, "" for none
	Profile  string          `json:"profile"`
	Release  string          `json:"release"`
	Rule     string          `json:"rule"`
	Severity lint.Severity   `json:"severity"`
	Kind     lint.WaiverKind `json:"kind"`
	Policy   int             `json:"policy"`
	Until    time.Time       `json:"until"`
}) bool {
	for _, id := range now.Waivers {
		st.waiver(&Waiver{
			ID: id, ServerID: e.ServerID, Profile: now.Profile, ReleaseID: now.Release, Rule: now.Rule, Severity: now.Severity,
			Kind: now.Kind, By: e.ActorID, Until: now.Until, Policy: now.Policy,
		})
	}
	if len(now.Waivers) > 0 && now.Proposed != "" {
		if !st.answered(now.Proposed, ProposedAccepted, e.ActorID, now.Waivers[0]) {
			return false
		}
		st.furthermore(proposedKind, now.Proposed, "until", instant(now.Until))
	}
	return len(now.Waivers) > 0
}

// proposedFacts is what the audit keeps of what a file proposes.
type proposedFacts struct {
	ID          string       `json:"id"`
	Fingerprint string       `json:"fingerprint"`
	Question    surface.Hash `json:"question"` // of all that the file says of it
}

func factsOfProposed(ps []ProposedWaiver) []proposedFacts {
	out := make([]proposedFacts, len(ps))
	for i := range ps {
		out[i] = proposedFacts{ps[i].ID, ps[i].Fingerprint, ps[i].Key}
	}
	return out
}

func toldProposed(st *state, e *AuditEntry, now struct {
	Profile  string          `json:"profile"`
	Proposed []proposedFacts `json:"proposed"`
	Dropped  []string        `json:"dropped"`
}) bool {
	for _, id := range now.Dropped {
		delete(st.things, thing{proposedKind, id})
	}
	for _, p := range now.Proposed {
		st.proposed(&ProposedWaiver{
			ID: p.ID, ServerID: e.ServerID, Profile: now.Profile, ReleaseID: e.Subject, Fingerprint: p.Fingerprint, Key: p.Question, State: ProposedOpen,
		})
	}
	return len(now.Proposed)+len(now.Dropped) > 0
}

func toldDeclined(st *state, e *AuditEntry, _ struct{}) bool {
	return st.answered(e.Subject, ProposedDeclined, e.ActorID, "")
}

func toldWaiverConfirmed(st *state, e *AuditEntry) bool {
	st.put("waiver", e.Subject, "confirmed_by", e.ActorID)
	return true
}

func toldWaiverEnd(st *state, e *AuditEntry) bool {
	st.end("waiver", []string{e.Subject}, e.ActorID)
	return true
}

func toldThread(st *state, e *AuditEntry, now struct {
	Release string `json:"release"`
	Blocks  bool   `json:"blocks"`
	Comment string `json:"comment"`
}) bool {
	st.thread(e.Subject, e.ServerID, now.Release, e.ActorID, now.Blocks)
	st.resolved(e.Subject, "", false)
	st.comment(now.Comment, e.Subject, e.ActorID)
	return now.Comment != ""
}

func toldComment(st *state, e *AuditEntry, now struct {
	Comment string `json:"comment"`
}) bool {
	st.comment(now.Comment, e.Subject, e.ActorID)
	return now.Comment != ""
}

// toldEdit counts an edit of each comment that says something else after it.
func toldEdit(st *state, e *AuditEntry) bool {
	var before, after struct {
		Comments map[string]surface.Hash `json:"comments"`
	}
	if json.Unmarshal([]byte(e.Before), &before) != nil || json.Unmarshal([]byte(e.After), &after) != nil {
		return false
	}
	for id, says := range after.Comments {
		if before.Comments[id] != says {
			st.edited(id)
		}
	}
	return len(after.Comments) > 0
}

// toldResolved leaves who resolved it first.
func toldResolved(st *state, e *AuditEntry) bool {
	if st.things[thing{"thread", e.Subject}]["resolved"] == "false" {
		st.resolved(e.Subject, e.ActorID, true)
	}
	return true
}

func toldReopened(st *state, e *AuditEntry) bool {
	st.resolved(e.Subject, "", false)
	return true
}

func toldNaming(st *state, e *AuditEntry, now struct {
	Profile string    `json:"profile"`
	Old     string    `json:"old"`
	New     string    `json:"new"`
	By      *string   `json:"by"` // who asked, where a second person agreed
	Until   time.Time `json:"until"`
}) bool {
	n := &Naming{ID: e.Subject, ServerID: e.ServerID, Profile: now.Profile, Kind: Alias, Old: now.Old, New: now.New, Until: now.Until}
	if kind, ok := strings.CutSuffix(e.Act, ".add"); ok {
		n.Kind = NamingKind(kind)
	}
	if now.By != nil {
		n.By = *now.By
	}
	st.naming(n)
	return now.By != nil
}

func toldNamingEnd(st *state, e *AuditEntry) bool {
	st.end("name", []string{e.Subject}, e.ActorID)
	return true
}

func toldKey(st *state, e *AuditEntry) bool {
	st.put("key", e.Subject, "retired", false)
	return true
}

func toldKeyRotation(st *state, e *AuditEntry) bool {
	was, ok := said[string](e.Before)
	st.put("key", was, "retired", true)
	st.put("key", e.Subject, "retired", false)
	return ok
}

func toldEndpoint(st *state, e *AuditEntry, now endpointFacts) bool {
	st.endpoint(e.Subject, e.ServerID, now)
	return now.URL != ""
}

func toldEndpointGone(st *state, e *AuditEntry) bool {
	delete(st.things, thing{"endpoint", e.Subject})
	return true
}

func toldKnown(st *state, e *AuditEntry, now knownFacts) bool {
	st.known(e.Subject, e.ServerID, e.ActorID, now)
	return now.Endpoint != ""
}

func toldKnownEnd(st *state, e *AuditEntry) bool {
	st.end("known drift", []string{e.Subject}, e.ActorID)
	return true
}
