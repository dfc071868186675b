package review

import (
	"context"
	"regexp"
	"strings"
	"time"

	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/people"
	"github.com/countersign/countersign/review/surface"
)

// DefaultProfile is a server's profile when nobody says otherwise.
const DefaultProfile = "default"

// Server is a registered producer of listings.
type Server struct {
	ID        string
	Slug      string // ^[a-z0-9][a-z0-9-]{0,62}$, in URLs
	Name      string
	Policy    gate.Policy
	CreatedAt time.Time
	CreatedBy string // user id, "" from the shell
}

// Families groups the names of a listing of the server: by their words, but where
// its policy names families by pattern, that wins.
func (s *Server) Families(names []string) surface.Families {
	return surface.FamiliesWith(names, s.Policy.Patterns())
}

// ServerSecret is a webhook secret: the current one, or an older one that is
// accepted until it expires after a rotation. It is sealed at rest.
type ServerSecret struct {
	ID        string
	ServerID  string
	Sealed    []byte    // AES-256-GCM under a key derived from SECRET
	ExpiresAt time.Time // zero: the current one
	CreatedAt time.Time
}

// Profile is a named variant of one server's surface, created by its first push.
type Profile struct {
	ServerID string
	Name     string
	Baseline *Baseline // nil while none was accepted
}

// NewServer is a server to register.
type NewServer struct {
	Slug, Name string
	Preset     gate.Preset // "" is team
}

var slugForm = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,62}$`)

// rotationGrace is how long the old webhook secret is accepted after a rotation.
const rotationGrace = 24 * time.Hour

// AddServer registers a server and returns its webhook secret, once.
func (s *Service) AddServer(ctx context.Context, a Actor, n NewServer) (*Server, string, error) {
	if n.Preset == "" {
		n.Preset = gate.Team
	}
	if n.Name = strings.TrimSpace(n.Name); n.Name == "" {
		n.Name = n.Slug
	}
	if err := n.check(); err != nil {
		return nil, "", err
	}
	srv := &Server{
		ID: newID(), Slug: n.Slug, Name: n.Name, CreatedAt: s.now(), CreatedBy: a.userID(),
		Policy: gate.Policy{Preset: n.Preset, Version: 1},
	}
	var secret string
	err := s.store.Update(ctx, func(tx Tx) error {
		if err := a.administrator(); err != nil {
			return err
		}
		if err := tx.InsertServer(ctx, srv); KindOf(err) == Conflict {
			return Errorf(Conflict, "There is a server %s already. Choose another name.", n.Slug)
		} else if err != nil {
			return err
		}
		var err error
		if secret, err = s.addSecret(ctx, tx, srv.ID); err != nil {
			return err
		}
		if err := tx.InsertPolicy(ctx, firstPolicy(srv)); err != nil {
			return err
		}
		secrets, err := tx.Secrets(ctx, srv.ID, time.Time{})
		if err != nil {
			return err
		}
		return s.audit(ctx, tx, a, act{name: "server.add", serverID: srv.ID, subject: srv.Slug, after: serverFacts(srv), kept: leaving(srv, &heldSecrets{srv.ID, secrets}, firstPolicy(srv))})
	})
	if err != nil {
		return nil, "", err
	}
	return srv, secret, nil
}

func (n NewServer) check() error {
	switch _, known := gate.ParsePreset(string(n.Preset)); {
	case !slugForm.MatchString(n.Slug):
		return Errorf(Invalid, "The short name %.80q must be 1 to 63 of a-z, 0-9 and -, and not begin with -.", n.Slug)
	case len(n.Name) > 200 || !plainLine(n.Name):
		return Errorf(Invalid, "The name must be one line of at most 200 bytes.")
	case !known:
		return errPreset(n.Preset)
	}
	return nil
}

func errPreset(p gate.Preset) error {
	return Errorf(Invalid, "The policy %.40q is unknown: use team, solo (just me) or external (not our server).", p)
}

func serverFacts(srv *Server) any {
	return map[string]any{"slug": srv.Slug, "name": srv.Name, "policy": srv.Policy}
}

// RotateSecret makes a new webhook secret; the old one is accepted for 24 hours.
func (s *Service) RotateSecret(ctx context.Context, a Actor, slug string) (string, error) {
	var secret string
	err := s.store.Update(ctx, func(tx Tx) error {
		srv, err := serverFor(ctx, tx, a, slug, people.Maintainer)
		if err != nil {
			return err
		}
		graced := s.now().Add(rotationGrace)
		if err := tx.ExpireSecrets(ctx, srv.ID, graced); err != nil {
			return err
		}
		if secret, err = s.addSecret(ctx, tx, srv.ID); err != nil {
			return err
		}
		secrets, err := tx.Secrets(ctx, srv.ID, time.Time{})
		if err != nil {
			return err
		}
		return s.audit(ctx, tx, a, act{name: "server.rotate-secret", serverID: srv.ID, subject: srv.Slug, after: map[string]any{"old_until": graced}, kept: leaving(&heldSecrets{srv.ID, secrets})})
	})
	return secret, err
}

// SetPreset answers "Who reviews?" anew and keeps what else the policy asks, see
// [Service.SetPolicy].
func (s *Service) SetPreset(ctx context.Context, a Actor, slug string, p gate.Preset) error {
	if _, ok := gate.ParsePreset(string(p)); !ok {
		return errPreset(p)
	}
	v, err := s.Policy(ctx, a, slug)
	if err != nil {
		return err
	}
	if err := a.allow(v.Server.ID, people.Maintainer); err != nil {
		return err
	}
	if v.Server.Policy.Preset == p && v.Server.Policy.Lines == nil {
		return nil
	}
	next := v.Server.Policy
	next.Preset, next.Lines = p, nil
	_, err = s.SetPolicy(ctx, a, slug, next, next.Version)
	return err
}
