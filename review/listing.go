package review

import (
	"context"
	"time"

	"github.com/countersign/countersign/review/people"
	"github.com/countersign/countersign/review/surface"
)

// Listing is a kept surface: what surface.Read found, who sent it, and when.
// Its bytes are stored as an envelope and references to slices, each kept once.
type Listing struct {
	ID         string
	ServerID   string
	Profile    string
	Surface    *surface.Listing // as read; from the store with every Raw filled in
	ReceivedAt time.Time
	Purged     *Purging // nil but for one that held a text which was purged
	Live       bool     // it was read at an endpoint and never pushed
}

// ListingInfo is a listing without its bytes, for lists.
type ListingInfo struct {
	ID         string
	ServerID   string
	Profile    string
	RawHash    surface.Hash
	Digest     surface.Hash
	Shape      surface.Shape
	Kind       surface.Kind
	Complete   bool
	ToolCount  int
	Bytes      int
	Problems   []surface.Problem
	ReceivedAt time.Time
	Live       bool // it was read at an endpoint and never pushed

	// Instructions is filled in by ListingInfoByID only.
	Instructions surface.Instructions
}

// near is what reports about the listing resemble, see ReportStore: those about other
// listings of its profile.
func (l ListingInfo) near() string { return l.ServerID + " " + l.Profile }

// Delivery is one attempt to push, accepted or not. Refused ones are kept with
// their reason; a body is never kept here.
type Delivery struct {
	ID         string
	ServerID   string // "" when the server is unknown
	Slug       string // as asked for
	WebhookID  string // webhook-id header, "" for tokens and uploads
	BodyHash   surface.Hash
	BodyBytes  int
	Via        string // "webhook", "token", "upload", "shell"
	By         string // label of the token or user
	Verified   bool
	Status     int    // HTTP status that was answered
	Outcome    string // one sentence: what happened
	Problems   []surface.Problem
	Answer     []byte // body of a verified answer, given again on a replay
	ListingID  string
	ReleaseID  string
	Params     PushParams
	RemoteAddr string
	ReceivedAt time.Time
}

// PushParams is what a push says about its listing.
type PushParams struct {
	Profile     string // "" is DefaultProfile
	Version     string // either Version or Ref
	Ref         string
	Predecessor string
	Commit      string
	Author      string // mail address that a trusted token declares
	RunURL      string // https only
	Complete    bool
	Preview     bool // analyse and keep nothing

	Place, Of int // of an import: which of how many versions this is, from 1; else 0
}

// Listings lists what was pushed to a server, newest first.
func (s *Service) Listings(ctx context.Context, a Actor, slug string, p Page) ([]ListingInfo, error) {
	var found []ListingInfo
	err := s.store.View(ctx, func(tx Tx) error {
		srv, err := serverFor(ctx, tx, a, slug, people.Viewer, people.ScopeRead)
		if err != nil {
			return err
		}
		found, err = tx.ListingInfos(ctx, srv.ID, p.bounded())
		return err
	})
	return found, err
}

// Listing returns one listing whole, with its server.
func (s *Service) Listing(ctx context.Context, a Actor, id string) (*Listing, *Server, error) {
	var l *Listing
	var srv *Server
	err := s.store.View(ctx, func(tx Tx) error {
		info, err := tx.ListingInfoByID(ctx, id)
		if KindOf(err) == NotFound {
			return errNoSuchThing
		}
		if err != nil {
			return err
		}
		if err := a.allow(info.ServerID, people.Viewer, people.ScopeRead); err != nil {
			return err
		}
		if srv, err = tx.ServerByID(ctx, info.ServerID); err != nil {
			return err
		}
		l, err = tx.ListingByID(ctx, id)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	return l, srv, nil
}
