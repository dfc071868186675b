package review

import (
	"context"
	"fmt"
	"time"

	"github.com/countersign/countersign/review/change"
	"github.com/countersign/countersign/review/people"
	"github.com/countersign/countersign/review/proof"
	"github.com/countersign/countersign/review/surface"
)

// Store keeps everything that the workflow knows. Package store implements it on
// SQLite and PostgreSQL; both pass the same suite.
//
// Methods of a Tx return an *Error of kind NotFound when a single thing that was
// asked for is absent, and of kind Conflict when a unique key is taken.
type Store interface {
	// Update runs f in one write transaction and commits when f returns nil. A
	// serialization failure runs f again, so f must not have effects of its own.
	// Updates don't nest.
	Update(ctx context.Context, f func(Tx) error) error
	// Erase is Update for what must not be found in the database's files afterwards:
	// what f writes over or removes. Where the engine keeps old rows for a while, as
	// PostgreSQL does until a VACUUM, it is Update.
	Erase(ctx context.Context, f func(Tx) error) error
	// View runs f on one consistent snapshot; f can't write.
	View(ctx context.Context, f func(Tx) error) error
	// Seal runs f like Update, but one at a time on the whole database, and without
	// holding up those who append to the audit meanwhile. While another one runs, f is
	// not run and ran is false.
	Seal(ctx context.Context, f func(Tx) error) (ran bool, err error)
	// Ping reports whether the database answers and is migrated.
	Ping(ctx context.Context) error
}

// Tx is everything that can be done inside one transaction.
type Tx interface {
	ServerStore
	ListingStore
	ReleaseStore
	VerdictStore
	OverrideStore
	PolicyStore
	ThreadStore
	NamingStore
	ProposalStore
	WaiverStore
	ProposedWaiverStore
	ViewedStore
	DraftStore
	NoticeStore
	EndpointStore
	ReadingStore
	DriftStore
	PeopleStore
	FactorStore
	IdentityStore
	DeliveryStore
	ReportStore
	CaptureStore
	SearchStore
	AuditStore
	ChainStore
	KeptStore
	KeyStore
	AuthorStore
	SealedStore
	RetentionStore
}

// ServerStore keeps servers, their webhook secrets and their profiles.
type ServerStore interface {
	InsertServer(ctx context.Context, s *Server) error // Conflict when the slug is taken
	UpdateServer(ctx context.Context, s *Server) error
	ServerByID(ctx context.Context, id string) (*Server, error)
	ServerBySlug(ctx context.Context, slug string) (*Server, error)
	Servers(ctx context.Context) ([]Server, error) // by slug

	InsertSecret(ctx context.Context, s *ServerSecret) error
	// ExpireSecrets gives every secret of the server that has no end, or a later
	// one, the end at.
	ExpireSecrets(ctx context.Context, serverID string, at time.Time) error
	// Secrets returns those still accepted at now, newest first.
	Secrets(ctx context.Context, serverID string, now time.Time) ([]ServerSecret, error)

	EnsureProfile(ctx context.Context, serverID, name string, now time.Time) error
	// Profiles returns a server's profiles with their baselines, by name; "" is
	// every server's.
	Profiles(ctx context.Context, serverID string) ([]Profile, error)
	// InsertBaseline stores a profile's one baseline; Conflict when it has one.
	InsertBaseline(ctx context.Context, b *Baseline) error
}

// ProfileKey names a profile of a server.
type ProfileKey struct {
	ServerID string
	Profile  string
}

// ToolRef is a tool of a kept listing without its bytes.
type ToolRef struct {
	Position int
	Name     string
	Digest   surface.Hash
	RawHash  surface.Hash
}

// Page bounds a list: at most Limit rows (1 to 500) older than the row Before
// ("" starts at the newest).
type Page struct {
	Limit  int
	Before string
}

// ListingStore keeps listings: envelopes, and every raw tool slice once.
type ListingStore interface {
	InsertListing(ctx context.Context, l *Listing) error
	ListingByID(ctx context.Context, id string) (*Listing, error)         // whole, the exact bytes
	ListingInfoByID(ctx context.Context, id string) (*ListingInfo, error) // with Instructions
	// ListingInfosByID returns those of ids that exist, in no order.
	ListingInfosByID(ctx context.Context, ids []string) ([]ListingInfo, error)
	// InstructionsOf returns the instructions of those of ids that exist, by id.
	InstructionsOf(ctx context.Context, ids []string) (map[string]surface.Instructions, error)
	// ListingByDigest returns the newest complete listing of kind listing with
	// that digest, else the newest of any.
	ListingByDigest(ctx context.Context, serverID, profile string, digest surface.Hash) (*ListingInfo, error)
	// ListingInfos returns those that were pushed, newest first: what was read at an
	// endpoint is not among them.
	ListingInfos(ctx context.Context, serverID string, p Page) ([]ListingInfo, error)
	// ToolRefs returns the tools of each listing in order, without opening their
	// bytes, by listing id; a listing that does not exist has none.
	ToolRefs(ctx context.Context, listingIDs []string) (map[string][]ToolRef, error)
	// StoredBytes returns how many bytes the listings of a server take as they are
	// kept: a definition that was there already costs nothing again.
	StoredBytes(ctx context.Context, serverID string) (int64, error)
	// Slices returns raw definitions by raw hash.
	Slices(ctx context.Context, hashes []surface.Hash) (map[surface.Hash][]byte, error)
}

// ReleaseStore keeps releases, their revisions, and what was ever released.
type ReleaseStore interface {
	InsertRelease(ctx context.Context, r *Release) error // Conflict when version or ref is taken
	UpdateRelease(ctx context.Context, r *Release) error
	ReleaseByID(ctx context.Context, id string) (*Release, error) // with Head
	ReleaseByRef(ctx context.Context, serverID, profile, ref string) (*Release, error)
	// ReleasesByVersion returns those of the versions that exist, in no order.
	ReleasesByVersion(ctx context.Context, keys []VersionKey) ([]Release, error)
	// ReleasesByID returns those of ids that exist, in no order.
	ReleasesByID(ctx context.Context, ids []string) ([]Release, error)
	// Releases returns newest first, with heads; "" is every profile.
	Releases(ctx context.Context, serverID, profile string, p Page) ([]Release, error)
	// OpenReleases returns those of servers that are neither released nor withdrawn, and
	// that nothing superseded, newest first and so many at most; n is how many there are.
	OpenReleases(ctx context.Context, serverIDs []string, limit int) (found []Release, n int, err error)
	// OpenReleasesOf returns all of a server's, or of one of its profiles, that are
	// neither released nor withdrawn, newest first; "" is every profile.
	OpenReleasesOf(ctx context.Context, serverID, profile string) ([]Release, error)
	// NewestReleases returns, of each profile, the release that was begun last and not
	// withdrawn, or the last one where all were; a profile without one has no entry.
	NewestReleases(ctx context.Context, profiles []ProfileKey) (map[ProfileKey]Release, error)
	// CountOpenReleases counts a server's releases that are neither released nor
	// withdrawn, and that nothing superseded: nothing which their profile released last,
	// by override or not, was pushed after them. Imported ones are left out.
	CountOpenReleases(ctx context.Context, serverID string) (int, error)
	// LastReleased returns, of each profile, what was released last and not withdrawn
	// since; a profile that released nothing has no entry.
	LastReleased(ctx context.Context, profiles []ProfileKey) (map[ProfileKey]Line, error)
	// ReleasesByDigest returns releases that have a revision with the digest,
	// newest first.
	ReleasesByDigest(ctx context.Context, serverID, profile string, digest surface.Hash) ([]Release, error)

	InsertRevision(ctx context.Context, r *Revision) error
	// Revisions returns those of all the releases, newest first.
	Revisions(ctx context.Context, releaseIDs []string) ([]Revision, error)

	// InsertGrounds keeps on what a release stood when it was released, as JSON. alone:
	// an author's own answer was among it.
	InsertGrounds(ctx context.Context, releaseID string, body []byte, alone bool) error
	// Grounds returns that; NotFound of releases from before it was kept.
	Grounds(ctx context.Context, releaseID string) ([]byte, error)
	// GroundsAlone returns, by release, those with an author's own answer among them.
	GroundsAlone(ctx context.Context, releaseIDs []string) (map[string][]byte, error)

	// InsertReleased records the subjects of a released listing.
	InsertReleased(ctx context.Context, serverID, profile, releaseID string, subjects []SubjectKey) error
	// Released says where digests stand among the subjects of releases of the
	// profiles that are released and not withdrawn: of each subject the release that
	// was released last. More than was asked for may come back: profiles and digests
	// are not paired.
	Released(ctx context.Context, profiles []ProfileKey, digests []surface.Hash) ([]ReleasedSubject, error)
	// Holders returns the ids of all of those releases, each once.
	Holders(ctx context.Context, profiles []ProfileKey, digests []surface.Hash) ([]string, error)
}

// VersionKey names a release by its version.
type VersionKey struct {
	ProfileKey
	Version string
}

// ReleasedSubject says that a subject's content was released, and in what.
type ReleasedSubject struct {
	ProfileKey
	SubjectKey
	ReleaseID string
	Title     string // version of the release
}

// SubjectKey identifies a subject's content.
type SubjectKey struct {
	Subject change.Subject
	Name    string
	Digest  surface.Hash
}

// VerdictStore keeps verdicts. They are never changed, but for being used up or
// revoked.
type VerdictStore interface {
	InsertVerdicts(ctx context.Context, vs []Verdict) error
	// VerdictsOn returns the verdicts of any of the profiles on the bytes of digests,
	// oldest first, with user labels: those whose To is one of them, and those of
	// removals, which have no To, whose From is.
	VerdictsOn(ctx context.Context, profiles []ProfileKey, digests []surface.Hash) ([]Verdict, error)
	// Rejected returns the bytes of the profiles (To, of removals From) that anybody
	// ever rejected, whether that still holds or not; revoked rejections are left out.
	Rejected(ctx context.Context, profiles []ProfileKey) ([]surface.Hash, error)
	// Removals returns the approvals of removals (zero To) of a profile that are
	// neither used up nor revoked.
	Removals(ctx context.Context, serverID, profile string) ([]Verdict, error)
	VerdictsOfRelease(ctx context.Context, releaseID string) ([]Verdict, error) // oldest first
	// EndRemovals notes what ended approvals of removals; unless it was a push, which
	// ends them for its release alone, they are used up.
	EndRemovals(ctx context.Context, ids []string, e Ending) error
	RevokeVerdicts(ctx context.Context, ids []string, at time.Time, why string) error
	// LiftVerdicts revokes what somebody said who left, in the name of a user, so that
	// it can be restored. Those that are revoked already stay as they are.
	LiftVerdicts(ctx context.Context, ids []string, at time.Time, by, why string) error
	// LiftedBy returns what a user lifted since a time and nobody restored or revoked
	// for good, oldest first.
	LiftedBy(ctx context.Context, userID string, since time.Time) ([]Verdict, error)
	// RestoreVerdicts lets lifted verdicts stand again.
	RestoreVerdicts(ctx context.Context, ids []string) error
}

// ThreadFilter chooses threads; zero fields don't restrict.
type ThreadFilter struct {
	ServerID  string
	Profile   string
	ReleaseID string
	Open      bool // only open ones
	// Since, with Open, adds those that were resolved after it; zero adds none.
	Since    time.Time
	Blocking bool // only those that block
}

// ThreadStore keeps threads and comments.
type ThreadStore interface {
	InsertThread(ctx context.Context, t *Thread) error   // with its first comment
	InsertComment(ctx context.Context, c *Comment) error // with its suggestion
	// EditComment replaces the text of a comment and keeps the earlier one.
	EditComment(ctx context.Context, e *CommentEdit, body string) error
	CommentEdits(ctx context.Context, threadID string) ([]CommentEdit, error) // of all its comments, oldest first
	// CommentTurns counts how often somebody wrote since a time, and says when first.
	CommentTurns(ctx context.Context, userID string, since time.Time) (n int, first time.Time, err error)
	// TakeCommentTurn counts one more time, and forgets those of the person up to since.
	TakeCommentTurn(ctx context.Context, turn CommentTurn, since time.Time) error
	ThreadByID(ctx context.Context, id string) (*Thread, error)
	Threads(ctx context.Context, f ThreadFilter) ([]Thread, error) // with comments, oldest first
	ResolveThread(ctx context.Context, id, by string, at time.Time) error
	ReopenThread(ctx context.Context, id string) error
}

// LinkKind says what a single-use link is for.
type LinkKind string

// The kinds of links.
const (
	LinkSetUp  LinkKind = "set-up"
	LinkInvite LinkKind = "invite"
	LinkReset  LinkKind = "reset"
	LinkSignIn LinkKind = "sign-in" // of the demo
)

// Link is a single-use secret address; only its hash is kept. Opening it changes
// nothing, only the POST of its form uses it up.
type Link struct {
	Hash      []byte
	Kind      LinkKind
	UserID    string
	ExpiresAt time.Time
	UsedAt    time.Time // or when it was ended unused
	MadeBy    string    // user id, "" for the shell
	MadeAt    time.Time
}

// PeopleStore keeps users, roles, tokens and links.
type PeopleStore interface {
	CountUsers(ctx context.Context) (int, error)
	InsertUser(ctx context.Context, u *people.User) error // with memberships; Conflict when the address is taken
	UpdateUser(ctx context.Context, u *people.User) error // with memberships
	UserByID(ctx context.Context, id string) (*people.User, error)
	UserByEmail(ctx context.Context, email string) (*people.User, error)
	Users(ctx context.Context) ([]people.User, error) // with memberships, by address

	InsertToken(ctx context.Context, t *people.Token) error
	TokenByHash(ctx context.Context, hash []byte) (*people.Token, error)
	TokenByID(ctx context.Context, id string) (*people.Token, error)
	Tokens(ctx context.Context) ([]people.Token, error) // newest first
	TouchToken(ctx context.Context, id string, at time.Time) error
	RevokeToken(ctx context.Context, id string, at time.Time) error
	RevokeTokensOfUser(ctx context.Context, userID string, at time.Time) error
	RevokeAllTokens(ctx context.Context, at time.Time) (int, error) // how many could still be used

	InsertLink(ctx context.Context, l *Link) error
	LinkByHash(ctx context.Context, hash []byte) (*Link, error)
	// UseLink marks a link as used; Conflict when it was used already.
	UseLink(ctx context.Context, hash []byte, at time.Time) error
	// UnusedLinks returns those of a kind that were neither used nor ended, expired
	// ones too, newest first.
	UnusedLinks(ctx context.Context, kind LinkKind) ([]Link, error)
	// EndLinksOfUser makes the unused links of a user of those kinds useless.
	EndLinksOfUser(ctx context.Context, userID string, kinds []LinkKind, at time.Time) error

	// SessionsOfUser returns a user's sessions that have not ended, in no order.
	SessionsOfUser(ctx context.Context, userID string) ([]people.Session, error)
	// DeleteSession ends a session of a user; one that is not there is no error.
	DeleteSession(ctx context.Context, userID, id string) error
	// DeleteSessionsOfUser ends every session of a user.
	DeleteSessionsOfUser(ctx context.Context, userID string) error
}

// DeliveryOutcome is how a delivery ended, in three words.
type DeliveryOutcome string

// The outcomes of deliveries.
const (
	DeliveryAccepted   DeliveryOutcome = "accepted"   // kept, or known already
	DeliveryRefused    DeliveryOutcome = "refused"    // of a sender who was verified
	DeliveryUnverified DeliveryOutcome = "unverified" // nobody knows whose it was
)

// DeliveryFilter chooses deliveries; zero fields don't restrict.
type DeliveryFilter struct {
	Outcome DeliveryOutcome
	Since   time.Time
}

// DeliveryStore keeps the record of pushes, accepted and refused.
type DeliveryStore interface {
	InsertDelivery(ctx context.Context, d *Delivery) error
	// DeliveryByWebhookID returns the accepted delivery (Status below 300) of a
	// server with that id. A refused delivery does not use its id up: there may be
	// many with one id, but one accepted (InsertDelivery: Conflict).
	DeliveryByWebhookID(ctx context.Context, serverID, webhookID string) (*Delivery, error)
	// Deliveries returns newest first, those of the servers; nil is all, those for
	// unknown servers included.
	Deliveries(ctx context.Context, serverIDs []string, f DeliveryFilter, p Page) ([]Delivery, error)
	// CountDeliveries counts the verified deliveries of a server since a time, but
	// for those that were refused because there were too many (Status 429).
	CountDeliveries(ctx context.Context, serverID string, since time.Time) (int, error)
	// AddUnverified counts one more unverified delivery for a server ("" when it is
	// unknown) on a day (2006-01-02, UTC) and returns how many there were with it.
	AddUnverified(ctx context.Context, serverID, day string) (int, error)
	// ManyUnverified returns those days since one of which a server had more than most,
	// the servers' added up, newest first; nil is every server.
	ManyUnverified(ctx context.Context, serverIDs []string, since string, most int) ([]TurnedAway, error)
}

// TurnedAway is how many deliveries of one day nobody vouched for, or were too many.
type TurnedAway struct {
	Day string `db:"day"` // 2006-01-02, UTC
	N   int    `db:"n"`
}

// ReportKey names a computed report: it is a function of its inputs, so it is
// computed once and kept.
type ReportKey struct {
	Kind   string // "change", "finding", …
	From   surface.Hash
	To     surface.Hash
	Inputs surface.Hash // of what else matters: aliases, patterns, pairings
	Engine string
}

// String is the key in one line.
func (k ReportKey) String() string {
	return fmt.Sprintf("%s %x %x %x %s", k.Kind, k.From, k.To, k.Inputs, k.Engine)
}

// ReportStore keeps computed reports. near says what they are about, such as a
// profile: reports of one kind that are near the same thing resemble each other, and
// are kept as what differs.
type ReportStore interface {
	// Reports returns those that were computed.
	Reports(ctx context.Context, keys []ReportKey) (map[ReportKey][]byte, error)
	// PutReport keeps a report; the same key again changes nothing.
	PutReport(ctx context.Context, near string, k ReportKey, body []byte) error
	// PutReports keeps several at once.
	PutReports(ctx context.Context, near string, reports map[ReportKey][]byte) error
}

// CaptureStore keeps what hosts were seen to send.
type CaptureStore interface {
	InsertCapture(ctx context.Context, c *Capture) error
	// Captures returns those of a server, newest first, with user labels.
	Captures(ctx context.Context, serverID string, p Page) ([]Capture, error)
}

// RetentionStore forgets what is old, a bounded number at a time.
type RetentionStore interface {
	// SeenClock returns what SeeClock noted last; zero before that.
	SeenClock(ctx context.Context) (SeenClock, error)
	SeeClock(ctx context.Context, c SeenClock) error

	// ForgetDeliveries removes the oldest deliveries from before a time, at most so
	// many, and returns how many.
	ForgetDeliveries(ctx context.Context, before time.Time, most int) (int, error)
	// ForgetNotices is the same of notices that were read.
	ForgetNotices(ctx context.Context, before time.Time, most int) (int, error)
	// ForgetLinks removes the links that expired longest before a time, at most so many,
	// and returns how many. Invitations that nobody used or ended stay.
	ForgetLinks(ctx context.Context, before time.Time, most int) (int, error)
	// ForgottenRefs returns the oldest releases without a version that nobody pushed
	// to since before, released, answered, discussed or overrode.
	ForgottenRefs(ctx context.Context, before time.Time, most int) ([]string, error)
	// ForgetRefs removes such releases, those of their listings that nothing else
	// holds, and the definitions that no listing holds then. Invalid when something
	// refers to one of them.
	ForgetRefs(ctx context.Context, releaseIDs []string) error
	// ForgetReports removes reports that nobody has read since before, at most so many,
	// and returns how many. Those that others are packed against stay. now is when those
	// count as used that were read since the last call.
	ForgetReports(ctx context.Context, now, before time.Time, most int) (int, error)
	// Purge writes over a text wherever it is kept, but in the audit, and marks the
	// listings that held it. Hashes and digests stay.
	Purge(ctx context.Context, text string, p Purging) (*Purged, error)
}

// AuditEntry is one act: who, when, from where, what, before and after.
type AuditEntry struct {
	ID       string
	At       time.Time
	ActorID  string // user id, "" for a machine or the shell
	Actor    string // label
	Via      string // "browser", "token", "webhook", "shell"
	Addr     string
	Act      string // noun.verb, such as "verdict.approve"
	ServerID string
	Subject  string // what it was done to
	Before   string // JSON, "" for none; never a secret
	After    string
}

// AuditFilter chooses acts; zero fields don't restrict.
type AuditFilter struct {
	ServerIDs []string // nil is all, none of a server included
	Actor     string   // label, exactly
	Act       string   // noun.verb, or a noun for all its acts
	Since     time.Time
	Until     time.Time // the first moment that is left out
}

// AuditStore keeps the audit, append-only. Every act that is appended waits to be
// sealed into the chain.
type AuditStore interface {
	AppendAudit(ctx context.Context, e *AuditEntry) error
	// Audit returns those that the filter chooses, newest first.
	Audit(ctx context.Context, f AuditFilter, p Page) ([]AuditEntry, error)
}

// SealedAct is a link of the chain with its act; the act's ID alone is set when
// the row itself is gone.
type SealedAct struct {
	proof.Link
	Entry AuditEntry
	Gone  bool
}

// KeptCheckpoint is a signed checkpoint of the chain.
type KeptCheckpoint struct {
	Seq      int64
	Hash     surface.Hash
	At       time.Time
	KeyID    string
	Envelope proof.Envelope
}

// ChainStore keeps the chain of the audit. Only the one who seals writes it.
type ChainStore interface {
	// PendingAudit returns acts that wait to be sealed, oldest first.
	PendingAudit(ctx context.Context, limit int) ([]AuditEntry, error)
	CountPendingAudit(ctx context.Context) (int, error)
	// AppendChain adds links for the acts with ids, in order, which wait no longer.
	AppendChain(ctx context.Context, links []proof.Link, ids []string) error
	// ChainHead returns where the chain ends; seq 0 when it is empty.
	ChainHead(ctx context.Context) (proof.Head, error)
	// Chain returns links behind a place, in order, with their acts.
	Chain(ctx context.Context, after int64, limit int) ([]SealedAct, error)
	// ChainRange returns the first and the last place of acts that a filter chooses;
	// 0, 0 when there are none.
	ChainRange(ctx context.Context, f AuditFilter) (first, last int64, err error)
	// LinkAt returns the link of a place, NotFound when there is none.
	LinkAt(ctx context.Context, seq int64) (proof.Link, error)
	// StrayAudit returns the id of an act that neither is in the chain nor waits for
	// it; "" when there is none.
	StrayAudit(ctx context.Context) (string, error)

	InsertCheckpoint(ctx context.Context, c *KeptCheckpoint) error
	// Checkpoints returns those behind a place up to another, in order.
	Checkpoints(ctx context.Context, after, upTo int64, limit int) ([]KeptCheckpoint, error)
	// LastCheckpoint returns the newest; NotFound when there is none.
	LastCheckpoint(ctx context.Context) (*KeptCheckpoint, error)
}

// KeyStore keeps who the instance is, and the public halves of its signing keys.
type KeyStore interface {
	// InstanceID returns the id of this database; "" before it has one.
	InstanceID(ctx context.Context) (string, error)
	InsertInstance(ctx context.Context, id string, at time.Time) error
	// SigningKeys returns every key, oldest first; the last one signs.
	SigningKeys(ctx context.Context) ([]proof.Record, error)
	InsertSigningKey(ctx context.Context, k *proof.Record) error // Conflict when it is known
	RetireSigningKey(ctx context.Context, id string, at time.Time) error
}
