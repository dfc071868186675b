package store

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/surface"
)

type serverRow struct {
	ID        string              `db:"id"`
	Slug      string              `db:"slug"`
	Name      string              `db:"name"`
	Policy    jsonOf[gate.Policy] `db:"policy"`
	CreatedAt micros              `db:"created_at"`
	CreatedBy string              `db:"created_by"`
}

func (r serverRow) server() review.Server {
	return review.Server{ID: r.ID, Slug: r.Slug, Name: r.Name, Policy: r.Policy.V,
		CreatedAt: time.Time(r.CreatedAt), CreatedBy: r.CreatedBy}
}

func (t *tx) InsertServer(ctx context.Context, s *review.Server) error {
	row := serverRow{s.ID, s.Slug, s.Name, jsonOf[gate.Policy]{s.Policy}, micros(s.CreatedAt), s.CreatedBy}
	return named(insertOne(ctx, t, "servers", row), review.Conflict, "There is a server %q already.", s.Slug)
}

// UpdateServer changes slug, name and policy.
func (t *tx) UpdateServer(ctx context.Context, s *review.Server) error {
	err := t.execOne(ctx, "UPDATE servers SET slug = $2, name = $3, policy = $4 WHERE id = $1",
		s.ID, s.Slug, s.Name, jsonOf[gate.Policy]{s.Policy})
	err = named(err, review.Conflict, "There is a server %q already.", s.Slug)
	return named(err, review.NotFound, "There is no such server.")
}

func (t *tx) ServerByID(ctx context.Context, id string) (*review.Server, error) {
	return t.server(ctx, "id = $1", id)
}

func (t *tx) ServerBySlug(ctx context.Context, slug string) (*review.Server, error) {
	return t.server(ctx, "slug = $1", slug)
}

func (t *tx) server(ctx context.Context, where, arg string) (*review.Server, error) {
	var row serverRow
	if err := t.get(ctx, &row, "SELECT "+columns[serverRow]("")+" FROM servers WHERE "+where, arg); err != nil {
		return nil, named(err, review.NotFound, "There is no such server.")
	}
	s := row.server()
	return &s, nil
}

func (t *tx) Servers(ctx context.Context) ([]review.Server, error) {
	var rows []serverRow
	if err := t.all(ctx, &rows, "SELECT "+columns[serverRow]("")+" FROM servers"); err != nil {
		return nil, err
	}
	servers := mapped(rows, serverRow.server)
	slices.SortFunc(servers, func(a, b review.Server) int { return cmp.Compare(a.Slug, b.Slug) })
	return servers, nil
}

// mapped makes domain values of rows; no rows give nil.
func mapped[R, D any](rows []R, of func(R) D) []D {
	var list []D
	if len(rows) > 0 {
		list = make([]D, len(rows))
	}
	for i, row := range rows {
		list[i] = of(row)
	}
	return list
}

type secretRow struct {
	ID        string `db:"id"`
	ServerID  string `db:"server_id"`
	Sealed    blob   `db:"sealed"`
	ExpiresAt micros `db:"expires_at"`
	CreatedAt micros `db:"created_at"`
}

func (r secretRow) secret() review.ServerSecret {
	return review.ServerSecret{ID: r.ID, ServerID: r.ServerID, Sealed: r.Sealed,
		ExpiresAt: time.Time(r.ExpiresAt), CreatedAt: time.Time(r.CreatedAt)}
}

func (t *tx) InsertSecret(ctx context.Context, s *review.ServerSecret) error {
	return insertOne(ctx, t, "server_secrets", secretRow{s.ID, s.ServerID, s.Sealed, micros(s.ExpiresAt), micros(s.CreatedAt)})
}

func (t *tx) ExpireSecrets(ctx context.Context, serverID string, at time.Time) error {
	_, err := t.exec(ctx, "UPDATE server_secrets SET expires_at = $2 WHERE server_id = $1 AND (expires_at = 0 OR expires_at > $2)",
		serverID, micros(at))
	return err
}

func (t *tx) Secrets(ctx context.Context, serverID string, now time.Time) ([]review.ServerSecret, error) {
	var rows []secretRow
	err := t.all(ctx, &rows, "SELECT "+columns[secretRow]("")+` FROM server_secrets
		WHERE server_id = $1 AND (expires_at = 0 OR expires_at > $2) ORDER BY created_at DESC, id DESC`, serverID, micros(now))
	return mapped(rows, secretRow.secret), err
}

func (t *tx) EnsureProfile(ctx context.Context, serverID, name string, now time.Time) error {
	_, err := t.exec(ctx, "INSERT INTO profiles (server_id, name, created_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
		serverID, name, micros(now))
	return named(err, review.Invalid, "The profile %q can't be kept: its server is unknown, or its name is no plain text.", name)
}

type profileRow struct {
	ServerID string `db:"server_id"`
	Name     string `db:"name"`
}

// Profiles reads names and baselines in one statement each.
func (t *tx) Profiles(ctx context.Context, serverID string) ([]review.Profile, error) {
	var p params
	where := p.ofServers("b.server_id", oneOrAll(serverID))
	var baselined []baselineView
	if err := t.all(ctx, &baselined, "SELECT "+columns[baselineRow]("b.")+", "+userLabelColumns+
		" FROM baselines b LEFT JOIN users u ON u.id = b.user_id WHERE "+where, p.args...); err != nil {
		return nil, err
	}
	var rows []profileRow
	if err := t.all(ctx, &rows, "SELECT "+columns[profileRow]("b.")+" FROM profiles b WHERE "+where, p.args...); err != nil {
		return nil, err
	}
	slices.SortFunc(rows, func(a, b profileRow) int {
		return cmp.Or(cmp.Compare(a.ServerID, b.ServerID), cmp.Compare(a.Name, b.Name))
	})
	baselines := indexed(baselined, func(b baselineView) profileRow { return profileRow{b.ServerID, b.Profile} })
	return mapped(rows, func(row profileRow) review.Profile {
		profile := review.Profile{ServerID: row.ServerID, Name: row.Name}
		if b, ok := baselines[row]; ok {
			profile.Baseline = b.baseline()
		}
		return profile
	}), nil
}

type baselineRow struct {
	ServerID     string                           `db:"server_id"`
	Profile      string                           `db:"profile"`
	ListingID    string                           `db:"listing_id"`
	Digest       hash                             `db:"digest"`
	UserID       string                           `db:"user_id"`
	At           micros                           `db:"at"`
	Acknowledged jsonOf[[]review.Acknowledgement] `db:"acknowledged"`
}

type baselineView struct {
	baselineRow
	userLabel
}

func (r baselineView) baseline() *review.Baseline {
	return &review.Baseline{ServerID: r.ServerID, Profile: r.Profile, ListingID: r.ListingID, Digest: surface.Hash(r.Digest),
		By: r.UserID, ByLabel: r.label(), At: time.Time(r.At), Acknowledged: r.Acknowledged.V}
}

func (t *tx) InsertBaseline(ctx context.Context, b *review.Baseline) error {
	row := baselineRow{b.ServerID, b.Profile, b.ListingID, hash(b.Digest), b.By, micros(b.At), jsonOf[[]review.Acknowledgement]{b.Acknowledged}}
	return named(insertOne(ctx, t, "baselines", row), review.Conflict, "The profile %q has a baseline already.", b.Profile)
}
