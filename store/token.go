package store

import (
	"context"
	"time"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/people"
)

type tokenRow struct {
	ID        string                 `db:"id"`
	Hash      blob                   `db:"hash"`
	Hint      string                 `db:"hint"`
	Name      string                 `db:"name"`
	ServerID  string                 `db:"server_id"`
	Profile   string                 `db:"profile"`
	UserID    string                 `db:"user_id"`
	MadeBy    string                 `db:"made_by"`
	Scopes    jsonOf[[]people.Scope] `db:"scopes"`
	FromShell bool                   `db:"from_shell"`
	CreatedAt micros                 `db:"created_at"`
	ExpiresAt micros                 `db:"expires_at"`
	LastUsed  micros                 `db:"last_used"`
	RevokedAt micros                 `db:"revoked_at"`
}

func (r tokenRow) token() people.Token {
	return people.Token{ID: r.ID, Hash: r.Hash, Hint: r.Hint, Name: r.Name, ServerID: r.ServerID,
		Profile: r.Profile, UserID: r.UserID, MadeBy: r.MadeBy,
		Scopes: r.Scopes.V, FromShell: r.FromShell, CreatedAt: time.Time(r.CreatedAt), ExpiresAt: time.Time(r.ExpiresAt),
		LastUsed: time.Time(r.LastUsed), RevokedAt: time.Time(r.RevokedAt)}
}

func (t *tx) InsertToken(ctx context.Context, k *people.Token) error {
	return insertOne(ctx, t, "tokens", tokenRow{ID: k.ID, Hash: k.Hash, Hint: k.Hint, Name: k.Name,
		ServerID: k.ServerID, Profile: k.Profile, UserID: k.UserID, MadeBy: k.MadeBy, Scopes: jsonOf[[]people.Scope]{k.Scopes}, FromShell: k.FromShell,
		CreatedAt: micros(k.CreatedAt), ExpiresAt: micros(k.ExpiresAt), LastUsed: micros(k.LastUsed), RevokedAt: micros(k.RevokedAt)})
}

// TokenByHash finds expired and revoked tokens too.
func (t *tx) TokenByHash(ctx context.Context, hash []byte) (*people.Token, error) {
	return t.token(ctx, "hash = $1", blob(hash))
}

// TokenByID finds expired and revoked tokens too.
func (t *tx) TokenByID(ctx context.Context, id string) (*people.Token, error) {
	return t.token(ctx, "id = $1", id)
}

func (t *tx) token(ctx context.Context, where string, arg any) (*people.Token, error) {
	var row tokenRow
	if err := t.get(ctx, &row, "SELECT "+columns[tokenRow]("")+" FROM tokens WHERE "+where, arg); err != nil {
		return nil, named(err, review.NotFound, "There is no such token.")
	}
	token := row.token()
	return &token, nil
}

func (t *tx) Tokens(ctx context.Context) ([]people.Token, error) {
	var rows []tokenRow
	err := t.all(ctx, &rows, "SELECT "+columns[tokenRow]("")+" FROM tokens ORDER BY created_at DESC, id DESC")
	return mapped(rows, tokenRow.token), err
}

func (t *tx) TouchToken(ctx context.Context, id string, at time.Time) error {
	return named(t.execOne(ctx, "UPDATE tokens SET last_used = $2 WHERE id = $1", id, micros(at)),
		review.NotFound, "There is no such token.")
}

// RevokeToken ends a token; of one that was revoked before it changes nothing.
func (t *tx) RevokeToken(ctx context.Context, id string, at time.Time) error {
	return named(t.execOne(ctx, "UPDATE tokens SET revoked_at = CASE WHEN revoked_at = 0 THEN $2 ELSE revoked_at END WHERE id = $1", id, micros(at)),
		review.NotFound, "There is no such token.")
}

func (t *tx) RevokeTokensOfUser(ctx context.Context, userID string, at time.Time) error {
	_, err := t.exec(ctx, "UPDATE tokens SET revoked_at = $2 WHERE user_id = $1 AND revoked_at = 0", userID, micros(at))
	return err
}

// RevokeAllTokens ends every token; of those that were revoked before it changes
// nothing.
func (t *tx) RevokeAllTokens(ctx context.Context, at time.Time) (int, error) {
	n, err := t.exec(ctx, "UPDATE tokens SET revoked_at = $1 WHERE revoked_at = 0", micros(at))
	return int(n), err
}
