package review

import (
	"context"
	"errors"
)

var errSoon = errors.New("not written yet")

// Servers lists the servers that the actor has a role on, with their open releases
// and the last released one.
func (s *Service) Servers(ctx context.Context, a Actor) ([]ServerView, error) { return nil, errSoon }

// Server returns one server with its newest releases.
func (s *Service) Server(ctx context.Context, a Actor, slug string) (*ServerView, error) {
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

// Home returns whose turn it is, over every server of the actor.
func (s *Service) Home(ctx context.Context, a Actor) (*HomeView, error) { return nil, errSoon }
