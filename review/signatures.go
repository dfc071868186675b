package review

import (
	"context"
	"errors"

	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/people"
	"github.com/countersign/countersign/review/surface"
)

var errSoon = errors.New("not written yet")

// NewUser is an account to add: with a role on one server, or on all when
// ServerSlug is empty.
type NewUser struct {
	Email, Name string
	Role        people.Role
	ServerSlug  string
	Password    string // "" makes an invitation
}

// NewToken is a token to make.
type NewToken struct {
	Name       string
	ServerSlug string // "" is every server
	UserEmail  string // "" is a machine
	Scopes     []people.Scope
	Days       int // until it expires; 0 is 90
}

// NewServer is a server to register.
type NewServer struct {
	Slug, Name string
	Preset     gate.Preset // "" is team
}

// SetUpNeeded reports whether no user ever existed, so that a set-up link may be
// made.
func (s *Service) SetUpNeeded(ctx context.Context) (bool, error) { return false, errSoon }

// NewSetUpLink makes the link that creates the first administrator. It is a
// Conflict once a user exists.
func (s *Service) NewSetUpLink(ctx context.Context) (string, error) { return "", errSoon }

// Link returns a usable link and its user (nil for set-up) and changes nothing, so
// that a scanner that opens it does no harm. NotFound when it is unknown, used or
// expired.
func (s *Service) Link(ctx context.Context, token string) (*Link, *people.User, error) {
	return nil, nil, errSoon
}

// UseSetUp creates the first administrator.
func (s *Service) UseSetUp(ctx context.Context, token, email, name, password, addr string) (*people.User, error) {
	return nil, errSoon
}

// UseReset sets a password by an invitation or reset link, and ends the sessions
// and tokens of the account.
func (s *Service) UseReset(ctx context.Context, token, password, addr string) (*people.User, error) {
	return nil, errSoon
}

// UseSignInLink signs a user in by a link of the demo.
func (s *Service) UseSignInLink(ctx context.Context, token, addr string) (*people.User, error) {
	return nil, errSoon
}

// SignIn checks a password. One sentence covers a wrong address and a wrong
// password; failures are throttled per address and per account.
func (s *Service) SignIn(ctx context.Context, email, password, addr string) (*people.User, error) {
	return nil, errSoon
}

// UserByID returns the user of a session; Unauthenticated when the account is gone
// or disabled.
func (s *Service) UserByID(ctx context.Context, id string) (*people.User, error) { return nil, errSoon }

// Users lists accounts by address: all of them for an administrator, those with a
// role on a server of theirs for a maintainer.
func (s *Service) Users(ctx context.Context, a Actor) ([]people.User, error) { return nil, errSoon }

// AddUser adds an account. Without a password it returns an invitation link.
func (s *Service) AddUser(ctx context.Context, a Actor, n NewUser) (*people.User, string, error) {
	return nil, "", errSoon
}

// SetRole gives a user a role on a server, or on every server when serverSlug is
// empty; NoRole takes it away. Nobody gives or takes more than they have, and the
// last administrator stays one.
func (s *Service) SetRole(ctx context.Context, a Actor, userID, serverSlug string, role people.Role) error {
	return errSoon
}

// DisableUser ends an account, its sessions and its tokens. Its rejections stay.
func (s *Service) DisableUser(ctx context.Context, a Actor, userID string) error { return errSoon }

// ResetLink makes a link that sets a new password.
func (s *Service) ResetLink(ctx context.Context, a Actor, email string) (string, error) {
	return "", errSoon
}

// DemoSignInLink makes a link that signs the user in once. Only the demo, on
// loopback, hands it out.
func (s *Service) DemoSignInLink(ctx context.Context, userID string) (string, error) {
	return "", errSoon
}

// TokenActor finds out who a bearer token acts for. Unauthenticated when it is
// unknown, expired or revoked, or its user is disabled.
func (s *Service) TokenActor(ctx context.Context, bearer, addr string) (Actor, error) {
	return Actor{}, errSoon
}

// Tokens lists tokens, newest first: an administrator sees all, others their own
// and those of servers that they maintain.
func (s *Service) Tokens(ctx context.Context, a Actor) ([]people.Token, error) { return nil, errSoon }

// CreateToken makes a token. The secret is returned once and not kept.
func (s *Service) CreateToken(ctx context.Context, a Actor, n NewToken) (string, *people.Token, error) {
	return "", nil, errSoon
}

// RevokeToken ends a token.
func (s *Service) RevokeToken(ctx context.Context, a Actor, id string) error { return errSoon }

// AddServer registers a server and returns its webhook secret, once.
func (s *Service) AddServer(ctx context.Context, a Actor, n NewServer) (*Server, string, error) {
	return nil, "", errSoon
}

// Servers lists the servers that the actor has a role on, with their open releases
// and the last released one.
func (s *Service) Servers(ctx context.Context, a Actor) ([]ServerView, error) { return nil, errSoon }

// Server returns one server with its newest releases.
func (s *Service) Server(ctx context.Context, a Actor, slug string) (*ServerView, error) {
	return nil, errSoon
}

// RotateSecret makes a new webhook secret; the old one is accepted for 24 hours.
func (s *Service) RotateSecret(ctx context.Context, a Actor, slug string) (string, error) {
	return "", errSoon
}

// SetPreset answers "Who reviews?" anew. The policy applies at once.
func (s *Service) SetPreset(ctx context.Context, a Actor, slug string, p gate.Preset) error {
	return errSoon
}

// Deliver takes a push over HTTP: a signed webhook or a bearer token.
func (s *Service) Deliver(ctx context.Context, in Incoming) (*Pushed, error) { return nil, errSoon }

// Upload takes a push of a signed-in person. It is the same push as Deliver.
func (s *Service) Upload(ctx context.Context, a Actor, slug string, p PushParams, body []byte, path string) (*Pushed, error) {
	return nil, errSoon
}

// Deliveries lists pushes, accepted and refused, newest first; "" is every server
// of the actor.
func (s *Service) Deliveries(ctx context.Context, a Actor, slug string, p Page) ([]Delivery, error) {
	return nil, errSoon
}

// Listings lists what was pushed to a server, newest first.
func (s *Service) Listings(ctx context.Context, a Actor, slug string, p Page) ([]ListingInfo, error) {
	return nil, errSoon
}

// Listing returns one listing whole, with its server.
func (s *Service) Listing(ctx context.Context, a Actor, id string) (*Listing, *Server, error) {
	return nil, nil, errSoon
}

// Compare compares any two listings of a server, named by id, digest or version.
func (s *Service) Compare(ctx context.Context, a Actor, slug, from, to string) (*CompareView, error) {
	return nil, errSoon
}

// Releases lists releases of a server, newest first; empty version and profile
// don't restrict.
func (s *Service) Releases(ctx context.Context, a Actor, slug, version, profile string, p Page) ([]ReleaseSummary, error) {
	return nil, errSoon
}

// Release returns everything that a release page shows.
func (s *Service) Release(ctx context.Context, a Actor, id string) (*ReleaseView, error) {
	return nil, errSoon
}

// ConfirmPredecessor lets the predecessor that the pusher named be the gate base.
func (s *Service) ConfirmPredecessor(ctx context.Context, a Actor, releaseID string) error {
	return errSoon
}

// MarkReleased records that the head, with exactly that digest, was published. The
// gate must pass.
func (s *Service) MarkReleased(ctx context.Context, a Actor, releaseID string, digest surface.Hash) (*ReleaseView, error) {
	return nil, errSoon
}

// WithdrawRelease takes a released or open release back. For cause, it rejects what
// the release introduced.
func (s *Service) WithdrawRelease(ctx context.Context, a Actor, releaseID, reason string, forCause bool) (*ReleaseView, error) {
	return nil, errSoon
}

// Home returns whose turn it is, over every server of the actor.
func (s *Service) Home(ctx context.Context, a Actor) (*HomeView, error) { return nil, errSoon }

// Decide stores a batch of answers, all or none. Stale with the current changes
// when an item names a change that is not one of the release's.
func (s *Service) Decide(ctx context.Context, a Actor, releaseID string, items []VerdictItem) (*ReleaseView, error) {
	return nil, errSoon
}

// AcceptBaseline accepts the head of a release as starting point of its profile,
// once. Conflict when the head has another digest.
func (s *Service) AcceptBaseline(ctx context.Context, a Actor, releaseID string, digest surface.Hash, ack []Acknowledgement) (*ReleaseView, error) {
	return nil, errSoon
}

// Gate answers for a listing's digest.
func (s *Service) Gate(ctx context.Context, a Actor, slug, profile string, digest surface.Hash) (*GateAnswer, error) {
	return nil, errSoon
}

// OpenThread starts a thread at a place of the release's head or base.
func (s *Service) OpenThread(ctx context.Context, a Actor, releaseID string, at Anchor, body string, blocks bool) (*Thread, error) {
	return nil, errSoon
}

// AddComment answers in a thread.
func (s *Service) AddComment(ctx context.Context, a Actor, threadID, body string) (*Thread, error) {
	return nil, errSoon
}

// ResolveThread closes a thread.
func (s *Service) ResolveThread(ctx context.Context, a Actor, threadID string) (*Thread, error) {
	return nil, errSoon
}

// ReopenThread opens a resolved thread again.
func (s *Service) ReopenThread(ctx context.Context, a Actor, threadID string) (*Thread, error) {
	return nil, errSoon
}

// Threads lists the threads that a release page shows, oldest first.
func (s *Service) Threads(ctx context.Context, a Actor, releaseID string) ([]Thread, error) {
	return nil, errSoon
}

// AuditLog lists acts, newest first; "" is every server of the actor, and for an
// administrator also what belongs to none.
func (s *Service) AuditLog(ctx context.Context, a Actor, slug string, p Page) ([]AuditEntry, error) {
	return nil, errSoon
}
