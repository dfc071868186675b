package review

import (
	"bytes"
	"cmp"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/countersign/countersign/review/host"
	"github.com/countersign/countersign/review/people"
	"github.com/countersign/countersign/review/surface"
)

// Capture is a request that a host really sent to its provider, held against the
// listing of that time. Of the request nothing is kept but that comparison:
// messages, system text and the tools of others are dropped when it is read, and
// neither an error nor the audit repeats them.
type Capture struct {
	ID        string
	ServerID  string
	ListingID string
	Host      string
	Version   string // of the host's profile
	Variant   string
	Doubt     bool // the profile predicts something else
	Body      []byte
	By        string // user id, "" for a machine
	ByLabel   string // of a person filled in by the store
	At        time.Time
}

// NewCapture is a request as it is handed in.
type NewCapture struct {
	Body    []byte
	Host    string // "" tells the host by what it sent
	Variant string // the configuration that is expected of a host that is named; "" for its own mode
	Called  string // how the host's configuration calls the server; "" for its slug
}

// CaptureView is a kept capture with what it showed.
type CaptureView struct {
	Capture
	Compared *host.Comparison
}

// longestCalled bounds the name of a server in a host, in bytes.
const longestCalled = 200

// maxCaptures is how many captures of a server are looked at.
const maxCaptures = 100

// AddCapture holds a provider request against a listing and keeps the comparison. A
// machine may hand one in with a token that may push.
func (s *Service) AddCapture(ctx context.Context, a Actor, listingID string, n NewCapture) (*CaptureView, error) {
	var l *Listing
	var srv *Server
	err := s.store.View(ctx, func(tx Tx) error {
		info, err := tx.ListingInfoByID(ctx, listingID)
		if KindOf(err) == NotFound {
			return errNoSuchThing
		}
		if err != nil {
			return err
		}
		if err := a.mayCapture(info.ServerID); err != nil {
			return err
		}
		if err := a.reaches(info.Profile); err != nil {
			return err
		}
		if err := rendered(info); err != nil {
			return err
		}
		if srv, err = tx.ServerByID(ctx, info.ServerID); err != nil {
			return err
		}
		l, err = tx.ListingByID(ctx, listingID)
		return err
	})
	if err != nil {
		return nil, err
	}
	v, err := s.compareCapture(srv, l.Surface, n)
	if err != nil {
		return nil, err
	}
	v.ID, v.ServerID, v.ListingID, v.By, v.ByLabel, v.At = newID(), srv.ID, listingID, a.userID(), a.Label(), s.now()
	return v, s.store.Update(ctx, func(tx Tx) error {
		if err := tx.InsertCapture(ctx, &v.Capture); err != nil {
			return err
		}
		return s.audit(ctx, tx, a, act{name: "capture.add", serverID: srv.ID, subject: listingID, after: map[string]any{
			"host": v.Host, "version": v.Version, "tools": len(v.Compared.Tools), "absent": len(v.Compared.Absent), "differs": v.Doubt,
		}})
	})
}

// mayCapture checks that the actor may hand in what a host sent: a reviewer, or a
// machine whose token may push.
func (a Actor) mayCapture(serverID string) error {
	need := people.Reviewer
	if a.User == nil && a.Token != nil {
		need = people.Viewer // which a machine is
	}
	scopes := []people.Scope{people.ScopePush}
	if a.User != nil {
		scopes = append(scopes, people.ScopeReview)
	}
	return a.allow(serverID, need, scopes...)
}

// PushCapture is AddCapture for a listing that is named by its digest.
func (s *Service) PushCapture(ctx context.Context, a Actor, slug, digest string, n NewCapture) (*CaptureView, error) {
	var id string
	err := s.store.View(ctx, func(tx Tx) error {
		srv, err := serverFor(ctx, tx, a, slug, people.Viewer, people.ScopePush, people.ScopeReview)
		if err != nil {
			return err
		}
		if err := a.mayCapture(srv.ID); err != nil {
			return err
		}
		if digest == "" {
			return Errorf(Invalid, "Say of which listing it is: digest= of the listing that the server answered at that time.")
		}
		profiles, err := tx.Profiles(ctx, srv.ID)
		if err != nil {
			return err
		}
		// Equal bytes may stand in two profiles: a bound token means its own.
		profiles = slices.DeleteFunc(profiles, func(p Profile) bool { return !a.Token.Reaches(p.Name) })
		info, err := listingWithDigest(ctx, tx, srv, profiles, digest)
		if err == nil {
			id = info.ID
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return s.AddCapture(ctx, a, id, n)
}

// CaptureFixture is a kept capture as a fixture that a profile is tested with, and the
// slug of the server that it is of.
func (s *Service) CaptureFixture(ctx context.Context, a Actor, listingID, id string) (f *host.Fixture, slug string, err error) {
	var v *CaptureView
	var l *Listing
	var srv *Server
	err = s.store.View(ctx, func(tx Tx) error {
		m, err := mountedFor(ctx, tx, a, listingID, "")
		if err != nil {
			return err
		}
		srv = m.server
		found, err := tx.Captures(ctx, srv.ID, Page{Limit: maxCaptures})
		if err != nil {
			return err
		}
		all, err := viewsOf(found, listingID)
		if err != nil {
			return err
		}
		for i := range all {
			if all[i].ID == id {
				v = &all[i]
			}
		}
		if v == nil {
			return errNoSuchThing
		}
		l, err = tx.ListingByID(ctx, listingID)
		return err
	})
	if err != nil {
		return nil, "", err
	}
	if v.Compared.Shape == "" {
		return nil, "", Errorf(Conflict, "This capture was kept before definitions were: hand the request in again, and export that.")
	}
	made := host.NewFixture(v.Compared, v.Version, v.Variant, v.At.UTC().Format("2006-01-02"), cmp.Or(v.Compared.Server, srv.Slug), l.Surface)
	return &made, srv.Slug, nil
}

func (s *Service) compareCapture(srv *Server, listed *surface.Listing, n NewCapture) (*CaptureView, error) {
	if len(n.Called) > longestCalled {
		return nil, Errorf(Invalid, "The name of the server in the host has %d characters: give at most %d.", len(n.Called), longestCalled)
	}
	m := host.Mount(cmp.Or(n.Called, srv.Slug), listed)
	opt := s.cfg.Limits.Surface
	opt.Of = m.Known()
	captured, err := surface.Read(n.Body, opt)
	if err != nil {
		return nil, captureError(err)
	}
	if captured.Kind != surface.KindCapture {
		return nil, Errorf(Unprocessable, "This is a %s and not a request to a provider: nothing was kept. Paste the JSON body that the host posted, with its tools.", captured.Kind)
	}
	p, err := profileOf(captured, m, n)
	if err != nil {
		return nil, err
	}
	compared, err := host.CompareKnown(p, captured, m)
	if err != nil {
		return nil, &Error{Kind: Unprocessable, Sentence: "Nothing was kept: " + err.Error() + ".", Err: err}
	}
	// A configuration that sends no tool at first is as predicted without one: who names
	// it says that the request is of this server.
	if len(compared.Tools) == 0 && (compared.Doubt || n.Variant == "") {
		return nil, nothingOfIt(compared, m.Name)
	}
	var body bytes.Buffer
	if err := gob.NewEncoder(&body).Encode(compared); err != nil {
		return nil, fmt.Errorf("keep capture: %w", err)
	}
	return &CaptureView{Compared: compared, Capture: Capture{
		Host: p.ID, Version: p.Version, Variant: compared.Variant, Doubt: compared.Doubt, Body: body.Bytes(),
	}}, nil
}

// nothingOfIt says why a request without any tool of the listing was not kept.
func nothingOfIt(c *host.Comparison, called string) error {
	silent := ""
	if c.Silent != "" {
		silent = fmt.Sprintf(" Or is the host configured as %s, in which it sends none at first? Then name that configuration.", c.Silent)
	}
	return Errorf(Unprocessable, "No tool of this listing is in the request: nothing was kept. Is it of another server, or is it called otherwise than %s in the host's configuration?%s", called, silent)
}

// profileOf is the profile of the host that is named, else of the one that
// predicts most of the request.
func profileOf(captured *surface.Listing, m host.Mounted, n NewCapture) (*host.Profile, error) {
	if n.Host == "" {
		p, err := host.Recognise(captured, m)
		if err != nil {
			return nil, &Error{Kind: Unprocessable, Sentence: "Nothing was kept: " + err.Error() + ".", Err: err}
		}
		return p, nil
	}
	p, err := hostNamed(n.Host)
	if err != nil {
		return nil, err
	}
	if p, err = p.As(n.Variant); err != nil {
		return nil, &Error{Kind: Invalid, Sentence: "The host can't be used: " + err.Error() + ".", Err: err}
	}
	return p, nil
}

// captureError says where a request can't be read. What stood there is part of a
// conversation, so names and texts of it are not repeated.
func captureError(err error) error {
	var refused *surface.ReadError
	if !errors.As(err, &refused) {
		return Errorf(Invalid, "The request can't be read, and nothing was kept.")
	}
	unquoted := refused.Unquoted()
	where := ""
	if len(unquoted.Problems) > 0 && unquoted.Problems[0].Line > 0 {
		where = fmt.Sprintf("line %d, column %d: ", unquoted.Problems[0].Line, unquoted.Problems[0].Column)
	}
	return Errorf(kindOfReason[refused.Reason], "Nothing was kept: %s%s", where, unquoted.Message)
}

// Captures returns what hosts were seen to send of a listing, newest first.
func (s *Service) Captures(ctx context.Context, a Actor, listingID string) ([]CaptureView, error) {
	var found []Capture
	err := s.store.View(ctx, func(tx Tx) error {
		m, err := mountedFor(ctx, tx, a, listingID, "")
		if err != nil {
			return err
		}
		found, err = tx.Captures(ctx, m.server.ID, Page{Limit: maxCaptures})
		return err
	})
	if err != nil {
		return nil, err
	}
	return viewsOf(found, listingID)
}

// Doubts names the profiles that a capture of the server contradicts, as "host
// version".
func (s *Service) Doubts(ctx context.Context, a Actor, slug string) (map[string]bool, error) {
	var found []Capture
	err := s.store.View(ctx, func(tx Tx) error {
		srv, err := serverFor(ctx, tx, a, slug, people.Viewer, people.ScopeRead)
		if err != nil {
			return err
		}
		found, err = tx.Captures(ctx, srv.ID, Page{Limit: maxCaptures})
		return err
	})
	return doubtful(found), err
}

// viewsOf reads those captures that are of one listing.
func viewsOf(found []Capture, listingID string) ([]CaptureView, error) {
	out := []CaptureView{}
	for _, c := range found {
		if c.ListingID != listingID {
			continue
		}
		v := CaptureView{Capture: c, Compared: new(host.Comparison)}
		if err := gob.NewDecoder(bytes.NewReader(c.Body)).Decode(v.Compared); err != nil {
			return nil, fmt.Errorf("kept capture %s: %w", c.ID, err)
		}
		v.Compared.Variant = c.Variant // which those that were kept first don't hold
		out = append(out, v)
	}
	return out, nil
}

// doubtful names the profiles that a capture of the server contradicts, by host
// and version.
func doubtful(found []Capture) map[string]bool {
	out := map[string]bool{}
	for _, c := range found {
		out[c.Host+" "+c.Version] = out[c.Host+" "+c.Version] || c.Doubt
	}
	return out
}
