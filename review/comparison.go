package review

import (
	"context"
	"strings"
	"time"

	"github.com/countersign/countersign/review/change"
	"github.com/countersign/countersign/review/people"
	"github.com/countersign/countersign/review/surface"
)

// CompareView is any two listings of a server, side by side.
type CompareView struct {
	Server   Server
	From, To ListingInfo
	Report   *change.Report
	Old, New *surface.Listing
	Sight    *Sight // what the changes mean to models
}

// Compare compares any two listings of a server, named by id, digest or version;
// an empty from compares with nothing.
func (s *Service) Compare(ctx context.Context, a Actor, slug, from, to string) (*CompareView, error) {
	var v *CompareView
	err := s.analysed(ctx, func() error {
		return s.store.View(ctx, func(tx Tx) error {
			srv, err := serverFor(ctx, tx, a, slug, people.Viewer, people.ScopeRead)
			if err != nil {
				return err
			}
			v, err = s.compareView(ctx, tx, srv, from, to)
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	return v, nil
}

func (s *Service) compareView(ctx context.Context, tx Tx, srv *Server, from, to string) (*CompareView, error) {
	v := &CompareView{Server: *srv}
	var old *ListingInfo
	if from != "" {
		info, err := namedListing(ctx, tx, srv, from)
		if err != nil {
			return nil, err
		}
		v.From, old = *info, info
	}
	info, err := namedListing(ctx, tx, srv, to)
	if err != nil {
		return nil, err
	}
	v.To = *info
	p, err := pairOf(ctx, tx, srv, old, *info, s.now())
	if err != nil {
		return nil, err
	}
	if v.Report, err = s.reread.report(ctx, tx, p); err != nil {
		return nil, err
	}
	if v.Sight, err = readSight(ctx, tx, p); err != nil {
		return nil, err
	}
	if v.Old, err = wholeListing(ctx, tx, v.From.ID); err != nil {
		return nil, err
	}
	v.New, err = wholeListing(ctx, tx, v.To.ID)
	return v, err
}

// pairOf is a listing of the server and what it is compared with, nil for nothing, under
// the names that people vouched for.
func pairOf(ctx context.Context, tx Tx, srv *Server, old *ListingInfo, new ListingInfo, now time.Time) (pair, error) {
	named, err := tx.Namings(ctx, srv.ID)
	if err != nil {
		return pair{}, err
	}
	var base *Revision
	if old != nil {
		base = &Revision{ListingID: old.ID, Digest: old.Digest, RawHash: old.RawHash}
	}
	p := newPair(base, new, namings(named).options(ProfileKey{srv.ID, new.Profile}, now))
	p.limits = limitsOf(srv)
	return p, nil
}

// namedListing finds a listing of the server by digest, by version (in the default
// profile first), or by id.
func namedListing(ctx context.Context, tx Tx, srv *Server, name string) (*ListingInfo, error) {
	profiles, err := tx.Profiles(ctx, srv.ID)
	if err != nil {
		return nil, err
	}
	if strings.HasPrefix(name, "sha256:") {
		return listingWithDigest(ctx, tx, srv, profiles, name)
	}
	if info, err := listingOfVersion(ctx, tx, srv, profiles, name); info != nil || err != nil {
		return info, err
	}
	info, err := tx.ListingInfoByID(ctx, name)
	if KindOf(err) == NotFound || err == nil && info.ServerID != srv.ID {
		return nil, Errorf(NotFound, "%s has no listing or version %.80q.", srv.Name, name)
	}
	return info, err
}

func listingWithDigest(ctx context.Context, tx Tx, srv *Server, profiles []Profile, name string) (*ListingInfo, error) {
	digest, err := surface.ParseHash(name)
	if err != nil {
		return nil, &Error{Kind: Invalid, Sentence: "A digest is sha256: and 64 hex digits.", Err: err}
	}
	for _, p := range profiles {
		info, err := tx.ListingByDigest(ctx, srv.ID, p.Name, digest)
		if KindOf(err) != NotFound {
			return info, err
		}
	}
	return nil, Errorf(NotFound, "%s has no listing with the digest %s.", srv.Name, digest)
}

func listingOfVersion(ctx context.Context, tx Tx, srv *Server, profiles []Profile, version string) (*ListingInfo, error) {
	var keys []VersionKey
	for _, p := range profiles {
		keys = append(keys, VersionKey{ProfileKey{srv.ID, p.Name}, version})
	}
	if version == "" || len(keys) == 0 {
		return nil, nil
	}
	rs, err := tx.ReleasesByVersion(ctx, keys)
	if err != nil || len(rs) == 0 {
		return nil, err
	}
	r := rs[0]
	for _, other := range rs {
		if other.Profile == DefaultProfile {
			r = other
		}
	}
	return tx.ListingInfoByID(ctx, r.Head.ListingID)
}
