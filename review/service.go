// Package review is the workflow of Countersign: listings are pushed to
// releases, people decide changes, the gate answers.
//
// # One code path
//
// Webhook, API, command line, upload page and demo all call [Service]. A handler
// binds, makes one call and renders; who may do what is decided here.
//
// # What an approval binds
//
// A verdict names a change by its id, which is made of the subject, its name and
// the digests on both sides. So a verdict says what its giver saw, and holds for
// those bytes in whatever release they turn up; nothing is ever copied from one
// release to another. If either side moved since the page was made, the id is
// not current and the verdict is refused as stale.
package review

import (
	"cmp"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/singleflight"

	"github.com/countersign/countersign/review/change"
	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/people"
	"github.com/countersign/countersign/review/proof"
	"github.com/countersign/countersign/review/surface"
)

// Actor is who makes a call, and how: a person in the browser (User), a machine
// (Token), a token that acts as its user (both), the shell, or nobody.
type Actor struct {
	User  *people.User
	Token *people.Token
	Shell bool   // administration on the command line: may do everything
	Via   string // "browser", "token", "webhook", "shell"
	Addr  string // remote address, for the audit
}

// Config is what a Service needs besides its store.
type Config struct {
	BaseURL string // of links, without a trailing slash
	Secret  []byte // SECRET: seals webhook secrets and second factors, 32 bytes or more
	// Newcomers is the role, on every server, of somebody whom an identity provider
	// vouches for and whom nobody invited. It may be none; it is never more than
	// people.Viewer.
	Newcomers people.Role
	// SecondFactor asks whoever decides for a second factor, on every server.
	SecondFactor bool
	// Signer gives the signing key, read anew each time so that a rotation needs no
	// restart; nil when there is none. Its error says why there is none.
	Signer func() (*proof.Signer, error)
	Now    func() time.Time
	Limits Limits
	// Observer is told what happens; nil is nobody.
	Observer Observer
	// Reader reads live servers; nil is that this instance reads none.
	Reader Reader
}

// Limits bound what strangers may cost; zero fields take the defaults of
// docs/operating.md.
type Limits struct {
	Surface         surface.Options
	PushesPerMinute int
	PushesPerDay    int
	OpenReleases    int
	StoredBytes     int64 // of the listings of a server, as they are kept
	Samples         int   // of unverified deliveries of a server that are kept a day
	CommentBytes    int
	CommentsPerHour int
}

// Incoming is a push as it came in over HTTP, before anything is known of it.
type Incoming struct {
	Slug      string
	Params    PushParams
	PathQuery string // path and query as requested, for a bound delivery id
	Body      []byte // after content encoding was undone
	Wire      []byte // as on the wire: what was signed
	WebhookID string // headers of the Standard Webhooks scheme
	Timestamp string
	Signature string
	Bearer    string // token text, "" for none
	TooLarge  bool   // the body went over the limit and was cut off
	// Refused is what the transport found wrong already (a broken content
	// encoding, a contradictory query). Deliver verifies the sender as ever and
	// then records and returns it, without reading Body.
	Refused *Error
	Addr    string
}

// PushAnswer is the body of a push's answer; absent parts are not known yet.
type PushAnswer struct {
	Listing  *PushedListing       `json:"listing,omitempty"`
	Release  *PushedRelease       `json:"release,omitempty"`
	Analysis string               `json:"analysis"` // "done" or "pending"
	Changes  map[change.Class]int `json:"changes,omitempty"`
	Findings *FindingCounts       `json:"findings,omitempty"`
	Gate     *gate.Answer         `json:"gate,omitempty"`
	Note     string               `json:"note,omitempty"` // why it is partial, what to do
	Problems []surface.Problem    `json:"problems,omitempty"`
}

// PushedListing is the listing part of a PushAnswer.
type PushedListing struct {
	ID     string       `json:"id,omitempty"` // of a preview none
	Digest surface.Hash `json:"digest"`
	Tools  int          `json:"tools"`
}

// PushedRelease is the release part of answers to machines.
type PushedRelease struct {
	ID      string       `json:"id"`
	Version string       `json:"version"`
	State   ReleaseState `json:"state"`
	URL     string       `json:"url"`
	Commit  string       `json:"commit,omitempty"` // that its pusher named
	RunURL  string       `json:"run_url,omitempty"`
}

// PushStatus is how a push ended when it was not refused.
type PushStatus int

// The ends of a push.
const (
	PushNew     PushStatus = 201 // a new listing
	PushSame    PushStatus = 200 // the head has the same bytes, or the delivery is known
	PushPartial PushStatus = 202 // kept, but incomplete or partial
)

// Pushed is an accepted push: status, and the exact body to answer.
type Pushed struct {
	Status PushStatus
	Answer PushAnswer
	Body   []byte // Answer as JSON, byte for byte what a replay gets
}

// Service is the workflow. It is safe for concurrent use.
type Service struct {
	store Store
	cfg   Config

	hashes         chan struct{}      // a place for each password hash being made
	analysing      sync.Map           // *sync.Mutex by server id
	comparing      singleflight.Group // by the key of what is made
	signIns        *throttle          // failures by account
	signInAddrs    *throttle          // failures by address
	identityStarts *throttle          // sign-ins begun at a provider, by address
	codes          *throttle          // one-time codes, by user
	forgeries      *throttle          // pushes that could not be verified, by address

	reread *reread
}

// NewService returns a Service over a store.
func NewService(store Store, cfg Config) *Service {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	cfg.Limits = cfg.Limits.withDefaults()
	if cfg.Observer == nil {
		cfg.Observer = unobserved{}
	}
	return &Service{
		store: store, cfg: cfg,
		hashes:         make(chan struct{}, passwordHashes),
		reread:         newReread(),
		signIns:        newThrottle(failuresPerAccount, failureWindow),
		signInAddrs:    newThrottle(failuresPerAddress, failureWindow),
		identityStarts: newThrottle(providerStarts, failureWindow),
		codes:          newThrottle(codesPerWindow, failureWindow),
		forgeries:      newThrottle(forgeriesPerMinute, time.Minute),
	}
}

func (l Limits) withDefaults() Limits {
	l.PushesPerMinute = cmp.Or(l.PushesPerMinute, 30)
	l.PushesPerDay = cmp.Or(l.PushesPerDay, 500)
	l.OpenReleases = cmp.Or(l.OpenReleases, 20)
	l.StoredBytes = cmp.Or(l.StoredBytes, 1<<30)
	l.Samples = cmp.Or(l.Samples, 100)
	l.CommentBytes = cmp.Or(l.CommentBytes, 64<<10)
	l.CommentsPerHour = cmp.Or(l.CommentsPerHour, 100)
	return l
}

// now is the time in UTC, as exact as a store keeps it.
func (s *Service) now() time.Time { return s.cfg.Now().UTC().Truncate(time.Microsecond) }

// after is now, but never before what it follows. What counts is which of two acts
// came later, and clocks are set back, or differ between instances.
func (s *Service) after(last time.Time) time.Time {
	return later(s.now(), last.Add(time.Microsecond))
}

func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

// url makes an address of a path. Only BaseURL decides the host.
func (s *Service) url(path string) string { return strings.TrimSuffix(s.cfg.BaseURL, "/") + path }

func (s *Service) releaseURL(id string) string { return s.url("/releases/" + id) }

// newID returns an id that sorts by the time it was made.
func newID() string { return uuid.Must(uuid.NewV7()).String() }

// bounded returns the page with a sane limit.
func (p Page) bounded() Page {
	if p.Limit < 1 {
		p.Limit = 50
	}
	p.Limit = min(p.Limit, maxPage)
	return p
}

// maxPage is the most rows of a list.
const maxPage = 500
