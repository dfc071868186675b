package review

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/people"
	"github.com/countersign/countersign/review/prose"
	"github.com/countersign/countersign/review/surface"
)

// An act says in its own words what was done. What the rows that it wrote say besides
// (times, digests, who made what) it leaves in one form, whatever the act, under the
// name "kept". Acts from before that lack it: then those facts can't be held against
// anything, and a replay says how many they are.

// keptFacts is what an act leaves of one thing.
type keptFacts struct {
	Kind  string            `json:"kind"`
	ID    string            `json:"id"`
	Facts map[string]string `json:"facts"`
}

// furtherMark stands before the names of facts that older acts don't say.
const furtherMark = "+"

// Things that are put together for a replay alone.
type (
	// pushedRevision is a revision with what is known of its listing.
	pushedRevision struct {
		Revision
		Listing ListingInfo
		Tools   surface.Hash
	}
	// heldSecrets are the webhook secrets of a server.
	heldSecrets struct {
		ServerID string
		Secrets  []ServerSecret
	}
)

// KeptGrounds is on what a release stood, as a digest of the text that is kept.
type KeptGrounds struct {
	ReleaseID string
	Body      surface.Hash
	Alone     bool
}

// leaving says what acts leave of things that they wrote.
func leaving(things ...any) []keptFacts {
	st := newState()
	for _, t := range things {
		st.further(t)
	}
	return st.furtherFacts()
}

// pointers are rows as leaving takes them.
func pointers[T any](rows []T) []any {
	out := make([]any, len(rows))
	for i := range rows {
		out[i] = &rows[i]
	}
	return out
}

// furtherFacts lists the facts of a state that older acts don't say.
func (st *state) furtherFacts() []keptFacts {
	var out []keptFacts
	for t, known := range st.things {
		kept := keptFacts{t.Kind, t.ID, map[string]string{}}
		for name, value := range known {
			if bare, ok := strings.CutPrefix(name, furtherMark); ok {
				kept.Facts[bare] = value
			}
		}
		if len(kept.Facts) > 0 {
			out = append(out, kept)
		}
	}
	slices.SortFunc(out, func(a, b keptFacts) int { return slices.Compare([]string{a.Kind, a.ID}, []string{b.Kind, b.ID}) })
	return out
}

// since lists the facts that are others than they were, as a purge leaves them.
func (st *state) since(was *state) []keptFacts {
	changed := newState()
	for t, known := range st.things {
		for name, value := range known {
			if old, ok := was.things[t][name]; ok && old != value {
				changed.put(t.Kind, t.ID, furtherMark+strings.TrimPrefix(name, furtherMark), value)
			}
		}
	}
	return changed.furtherFacts()
}

// withKept adds what an act leaves to what it says, which is a JSON object.
func withKept(after string, kept []keptFacts) (string, error) {
	if len(kept) == 0 {
		return after, nil
	}
	b, err := json.Marshal(kept)
	body, ok := strings.CutSuffix(after, "}")
	switch {
	case err != nil:
		return "", err
	case !ok:
		return "", fmt.Errorf("audit: %.40q is no object, so it can't leave anything", after)
	case body != "{":
		body += ","
	}
	return body + `"kept":` + string(b) + "}", nil
}

// takeKept notes what an act left, of things that there are by the acts: it makes none.
func (st *state) takeKept(after string) {
	now, ok := said[struct {
		Kept []keptFacts `json:"kept"`
	}](after)
	if !ok {
		return
	}
	for _, k := range now.Kept {
		known := st.things[thing{k.Kind, k.ID}]
		for name, value := range k.Facts {
			if _, always := known[name]; always { // as a purge leaves it
				known[name] = value
			} else if known != nil {
				known[furtherMark+name] = value
			}
		}
	}
}

// furthermore notes facts of a thing that older acts don't say.
func (st *state) furthermore(kind, id string, pairs ...any) {
	for i := 0; i < len(pairs); i += 2 {
		st.put(kind, id, furtherMark+pairs[i].(string), pairs[i+1])
	}
}

// further notes what there is to say of a row beside what its act always said.
func (st *state) further(row any) {
	switch r := row.(type) {
	case *people.User:
		st.furthermore("user", r.ID, "invited_by", r.InvitedBy, "created", instant(r.CreatedAt), "joined", instant(r.JoinedAt))
	case *people.Token:
		st.furtherToken(r)
	case *Server:
		st.furthermore("server", r.ID, "created", instant(r.CreatedAt), "created_by", r.CreatedBy)
	case *heldSecrets:
		st.furtherSecrets(r)
	case *PolicyVersion:
		st.furthermore("policy", policyID(r.ServerID, r.Policy), "by", r.ByID, "second", r.SecondID, "at", instant(r.At), "decided", instant(r.DecidedAt), "loosens", append([]string{}, r.Loosens...))
	case *Grant:
		st.furthermore("grant", grantID(r.UserID, r.ServerID, r.Permission), "by", r.GrantedBy, "at", instant(r.At))
	case *Endpoint:
		st.furthermore("endpoint", r.ID, "by", r.By, "at", instant(r.At))
	case *KnownDrift:
		st.furthermore("known drift", r.ID, "at", instant(r.At))
	default:
		st.furtherReview(row)
	}
}

// furtherReview is further for what belongs to a release.
func (st *state) furtherReview(row any) {
	switch r := row.(type) {
	case *Release:
		st.furthermore("release", r.ID, "opened", instant(r.CreatedAt), "released", instant(r.ReleasedAt), "base", r.ReleasedBaseID, "aside", r.ReleasedAside, "withdrawn_at", instant(r.WithdrawnAt))
	case *KeptGrounds:
		st.furthermore("release", r.ReleaseID, "grounds", r.Body, "alone", r.Alone)
	case *pushedRevision:
		st.furtherRevision(r)
	case *Baseline:
		st.furthermore("baseline", r.ServerID+"/"+r.Profile, "listing", r.ListingID, "at", instant(r.At))
	case *Verdict:
		st.furtherVerdict(r)
	case *Override:
		st.furthermore("override", r.ID, "at", instant(r.At))
	case *Alarm:
		st.furthermore("alarm", r.ID, "at", instant(r.At))
	case *Waiver:
		st.furthermore("waiver", r.ID, "rule_version", r.RuleVersion, "tool", r.Tool, "pointer", r.Pointer, "fingerprint", r.Fingerprint, "bound", r.Bound, "at", instant(r.At))
	case *ProposedWaiver:
		st.furthermore(proposedKind, r.ID, "asks", r.asks(), "at", instant(r.At), "until", instant(r.Until))
	case *Naming:
		st.furthermore("name", r.ID, "at", instant(r.At), "ended_at", instant(r.EndedAt))
	case *Thread:
		st.furthermore("thread", r.ID, "profile", r.Profile, "revision", r.Revision, "tool", r.Anchor.Tool, "digest", r.Anchor.Digest, "pointer", r.Anchor.Pointer,
			"side", r.Anchor.Side, "rule", r.Anchor.Rule, "at", instant(r.OpenedAt))
	case *Comment:
		st.furthermore("comment", r.ID, "at", instant(r.At))
	default:
		panic(fmt.Sprintf("nothing is known to say of a %T", row))
	}
}

// instant is a time as facts have it, "" for the zero time.
func instant(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}

// furtherToken says which secret it is by a hash of its hash.
func (st *state) furtherToken(t *people.Token) {
	st.furthermore("token", t.ID, "secret", surface.HashOf(t.Hash), "hint", t.Hint, "name", t.Name, "made_by", t.MadeBy, "from_shell", t.FromShell,
		"created", instant(t.CreatedAt), "expires", instant(t.ExpiresAt))
}

func (st *state) furtherSecrets(h *heldSecrets) {
	var all []string
	for _, s := range h.Secrets {
		all = append(all, strings.TrimSpace(s.ID+" "+instant(s.ExpiresAt)))
	}
	slices.Sort(all)
	st.furthermore("server", h.ServerID, "secrets", strings.Join(all, ", "))
}

func (st *state) furtherRevision(r *pushedRevision) {
	l := &r.Listing
	st.furthermore("revision", revisionID(r.ReleaseID, r.N), "pushed", instant(r.PushedAt), "by", r.PushedBy, "declared_author", r.Revision.Author, "commit", r.Commit, "run", r.RunURL,
		"listing", r.ListingID, "raw", r.RawHash,
		"listing_says", fmt.Sprintf("%s %s %s %s, %s %s, complete %t, %d tools, %d bytes", l.ServerID, l.Profile, l.RawHash, l.Digest, l.Kind, l.Shape, l.Complete, l.ToolCount, l.Bytes),
		"tools", r.Tools, "instructions", fmt.Sprintf("%t %t %s", l.Instructions.Asked, l.Instructions.Present, surface.HashOf([]byte(l.Instructions.Text))))
}

// ToolsHash is a digest of what a listing holds, as it was read: with it stands or falls
// what is compared.
func ToolsHash(refs []ToolRef) surface.Hash {
	var b []byte
	for _, t := range refs {
		key := SubjectKey{Name: t.Name, Digest: t.Digest}.Hash()
		b = append(append(b, key[:]...), t.RawHash[:]...)
	}
	return surface.HashOf(b)
}

// furtherVerdict says of a note whether it gives a reason, since its words may be purged.
func (st *state) furtherVerdict(v *Verdict) {
	st.furthermore("verdict", v.ID, "revision", v.Revision, "subject", v.Subject, "name", v.Name, "class", v.Class, "reason", !prose.Blank(v.Note),
		"token", v.TokenID, "at", instant(v.At), "evidence", trialsHash(v.Evidence))
}

func trialsHash(tried []gate.Trial) surface.Hash {
	if len(tried) == 0 {
		return surface.Hash{}
	}
	b, _ := json.Marshal(tried) // of texts and numbers alone
	return surface.HashOf(b)
}

// asks is a digest of what a file proposes.
func (p *ProposedWaiver) asks() surface.Hash {
	b, _ := json.Marshal([]string{p.Fingerprint, p.Rule, p.Tool, p.Pointer, string(p.Kind), p.Reason, p.Author, p.Expires, p.PushedBy})
	return surface.HashOf(b)
}

// Hash is the key under which bytes that were released are found: a length before each
// part keeps different subjects apart.
func (k SubjectKey) Hash() surface.Hash {
	var b []byte
	b = binary.AppendUvarint(b, uint64(len(k.Subject)))
	b = append(b, k.Subject...)
	b = binary.AppendUvarint(b, uint64(len(k.Name)))
	b = append(b, k.Name...)
	return surface.HashOf(append(b, k.Digest[:]...))
}

// Stood says that bytes stood in a release: by the key under which they are found, and
// by what is kept beside it, of which that is the hash.
type Stood struct {
	Key, Says surface.Hash
}

// Holding is a digest of all that stood in a release. It orders stood.
func Holding(stood []Stood) surface.Hash {
	slices.SortFunc(stood, func(a, b Stood) int {
		return cmp.Or(bytes.Compare(a.Key[:], b.Key[:]), bytes.Compare(a.Says[:], b.Says[:]))
	})
	var b []byte
	for _, s := range slices.Compact(stood) {
		b = append(append(b, s.Key[:]...), s.Says[:]...)
	}
	return surface.HashOf(b)
}

// holdingOf is the digest of what a candidate holds.
func holdingOf(keys []SubjectKey) surface.Hash {
	stood := make([]Stood, len(keys))
	for i, k := range keys {
		h := k.Hash()
		stood[i] = Stood{h, h}
	}
	return Holding(stood)
}

// KeptRelease says that a release was the nth of its profile to be released, and what
// stood in it.
type KeptRelease struct {
	ProfileKey
	N         int64
	ReleaseID string
	Holds     surface.Hash
}
