package store

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/people"
)

type userRow struct {
	ID           string `db:"id"`
	Email        string `db:"email"`
	EmailFolded  string `db:"email_folded"`
	Name         string `db:"name"`
	PasswordHash string `db:"password_hash"`
	InvitedBy    string `db:"invited_by"`
	CreatedAt    micros `db:"created_at"`
	DisabledAt   micros `db:"disabled_at"`
	JoinedAt     micros `db:"joined_at"`
	FactorAt     micros `db:"second_factor_at"`
}

type membershipRow struct {
	UserID   string      `db:"user_id"`
	N        int         `db:"n"`
	ServerID string      `db:"server_id"`
	Role     people.Role `db:"role"`
}

// userLabel is what a join needs to name a user; both empty without one.
type userLabel struct {
	Name  string `db:"label_name"`
	Email string `db:"label_email"`
}

const userLabelColumns = "COALESCE(u.name, '') AS label_name, COALESCE(u.email, '') AS label_email"

func (l userLabel) label() string {
	u := people.User{Name: l.Name, Email: l.Email}
	return u.Label()
}

// foldEmail is done here, since the engines' lower() differ.
func foldEmail(email string) string { return strings.ToLower(email) }

func userRowOf(u *people.User) userRow {
	return userRow{ID: u.ID, Email: u.Email, EmailFolded: foldEmail(u.Email), Name: u.Name, PasswordHash: u.PasswordHash,
		InvitedBy: u.InvitedBy, CreatedAt: micros(u.CreatedAt), DisabledAt: micros(u.DisabledAt), JoinedAt: micros(u.JoinedAt), FactorAt: micros(u.SecondFactorAt)}
}

func (r userRow) user() people.User {
	return people.User{ID: r.ID, Email: r.Email, Name: r.Name, PasswordHash: r.PasswordHash, InvitedBy: r.InvitedBy,
		CreatedAt: time.Time(r.CreatedAt), DisabledAt: time.Time(r.DisabledAt), JoinedAt: time.Time(r.JoinedAt), SecondFactorAt: time.Time(r.FactorAt)}
}

func (t *tx) CountUsers(ctx context.Context) (int, error) {
	var n int
	err := t.get(ctx, &n, "SELECT count(*) FROM users")
	return n, err
}

func (t *tx) InsertUser(ctx context.Context, u *people.User) error {
	if err := insertOne(ctx, t, "users", userRowOf(u)); err != nil {
		return named(err, review.Conflict, "There is an account with the address %s already.", u.Email)
	}
	return t.insertMemberships(ctx, u)
}

func (t *tx) insertMemberships(ctx context.Context, u *people.User) error {
	rows := make([]membershipRow, len(u.Memberships))
	for i, m := range u.Memberships {
		rows[i] = membershipRow{u.ID, i + 1, m.ServerID, m.Role}
	}
	_, err := insert(ctx, t, "memberships", "", rows...)
	return err
}

// UpdateUser changes all but id and creation.
func (t *tx) UpdateUser(ctx context.Context, u *people.User) error {
	row := userRowOf(u)
	err := t.execOne(ctx, `UPDATE users SET email = $2, email_folded = $3, name = $4, password_hash = $5, disabled_at = $6,
		invited_by = $7, joined_at = $8, second_factor_at = $9 WHERE id = $1`,
		row.ID, row.Email, row.EmailFolded, row.Name, row.PasswordHash, row.DisabledAt, row.InvitedBy, row.JoinedAt, row.FactorAt)
	if err != nil {
		err = named(err, review.Conflict, "There is an account with the address %s already.", u.Email)
		return named(err, review.NotFound, "There is no such account.")
	}
	if _, err := t.exec(ctx, "DELETE FROM memberships WHERE user_id = $1", u.ID); err != nil {
		return err
	}
	return t.insertMemberships(ctx, u)
}

func (t *tx) UserByID(ctx context.Context, id string) (*people.User, error) {
	return t.user(ctx, "u.id = $1", id)
}

func (t *tx) UserByEmail(ctx context.Context, email string) (*people.User, error) {
	return t.user(ctx, "u.email_folded = $1", foldEmail(email))
}

func (t *tx) user(ctx context.Context, where, arg string) (*people.User, error) {
	found, err := t.users(ctx, where, arg)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, review.Errorf(review.NotFound, "There is no such account.")
	}
	return &found[0], nil
}

func (t *tx) Users(ctx context.Context) ([]people.User, error) {
	found, err := t.users(ctx, "1 = 1")
	slices.SortFunc(found, func(a, b people.User) int {
		return cmp.Or(cmp.Compare(foldEmail(a.Email), foldEmail(b.Email)), cmp.Compare(a.ID, b.ID))
	})
	return found, err
}

// users reads users and memberships in one statement each.
func (t *tx) users(ctx context.Context, where string, args ...any) ([]people.User, error) {
	var rows []userRow
	if err := t.all(ctx, &rows, "SELECT "+columns[userRow]("u.")+" FROM users u WHERE "+where, args...); err != nil {
		return nil, err
	}
	var members []membershipRow
	if err := t.all(ctx, &members, "SELECT "+columns[membershipRow]("m.")+` FROM memberships m JOIN users u ON u.id = m.user_id
		WHERE `+where+" ORDER BY m.user_id, m.n", args...); err != nil {
		return nil, err
	}
	byUser := make(map[string][]people.Membership, len(rows))
	for _, m := range members {
		byUser[m.UserID] = append(byUser[m.UserID], people.Membership{ServerID: m.ServerID, Role: m.Role})
	}
	return mapped(rows, func(row userRow) people.User {
		u := row.user()
		u.Memberships = byUser[u.ID]
		return u
	}), nil
}

type linkRow struct {
	Hash      blob            `db:"hash"`
	Kind      review.LinkKind `db:"kind"`
	UserID    string          `db:"user_id"`
	ExpiresAt micros          `db:"expires_at"`
	UsedAt    micros          `db:"used_at"`
	MadeBy    string          `db:"made_by"`
	MadeAt    micros          `db:"made_at"`
}

func (t *tx) InsertLink(ctx context.Context, l *review.Link) error {
	return insertOne(ctx, t, "links", linkRow{l.Hash, l.Kind, l.UserID, micros(l.ExpiresAt), micros(l.UsedAt), l.MadeBy, micros(l.MadeAt)})
}

func (r linkRow) link() review.Link {
	return review.Link{Hash: r.Hash, Kind: r.Kind, UserID: r.UserID, ExpiresAt: time.Time(r.ExpiresAt),
		UsedAt: time.Time(r.UsedAt), MadeBy: r.MadeBy, MadeAt: time.Time(r.MadeAt)}
}

func (t *tx) LinkByHash(ctx context.Context, hash []byte) (*review.Link, error) {
	var row linkRow
	if err := t.get(ctx, &row, "SELECT "+columns[linkRow]("")+" FROM links WHERE hash = $1", blob(hash)); err != nil {
		return nil, named(err, review.NotFound, "There is no such link.")
	}
	l := row.link()
	return &l, nil
}

func (t *tx) UnusedLinks(ctx context.Context, kind review.LinkKind) ([]review.Link, error) {
	var rows []linkRow
	err := t.all(ctx, &rows, "SELECT "+columns[linkRow]("")+" FROM links WHERE kind = $1 AND used_at = 0 ORDER BY made_at DESC, expires_at DESC", kind)
	return mapped(rows, linkRow.link), err
}

func (t *tx) EndLinksOfUser(ctx context.Context, userID string, kinds []review.LinkKind, at time.Time) error {
	for _, kind := range kinds {
		_, err := t.exec(ctx, "UPDATE links SET used_at = $3 WHERE user_id = $1 AND kind = $2 AND used_at = 0", userID, kind, micros(at))
		if err != nil {
			return err
		}
	}
	return nil
}

func (t *tx) UseLink(ctx context.Context, hash []byte, at time.Time) error {
	used, err := t.exec(ctx, "UPDATE links SET used_at = $2 WHERE hash = $1 AND used_at = 0", blob(hash), micros(at))
	if err != nil || used == 1 {
		return err
	}
	if _, err := t.LinkByHash(ctx, hash); err != nil {
		return err
	}
	return review.Errorf(review.Conflict, "This link was used already.")
}
