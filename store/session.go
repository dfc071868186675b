package store

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"time"

	"github.com/alexedwards/scs/v2"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/people"
)

// Sessions keeps browser sessions, by a hash of their token: who reads the
// database can't take one over.
//
// A session manager needs it both as Store and as Codec. The codec writes the
// user's id in front of the data, and the store puts it into a column of its own.
type Sessions struct {
	store *Store
	scs.Codec
}

var (
	_ scs.CtxStore = (*Sessions)(nil)
	_ scs.Codec    = (*Sessions)(nil)
)

// Sessions returns the store of sessions.
func (s *Store) Sessions() *Sessions { return &Sessions{store: s, Codec: scs.GobCodec{}} }

// Encode writes the length of the user's id, the id, and the values.
func (s *Sessions) Encode(deadline time.Time, values map[string]any) ([]byte, error) {
	data, err := s.Codec.Encode(deadline, values)
	if err != nil {
		return nil, err
	}
	user, _ := values[people.SessionUser].(string)
	framed := binary.AppendUvarint(nil, uint64(len(user)))
	framed = append(framed, user...)
	return append(framed, data...), nil
}

// Decode undoes Encode.
func (s *Sessions) Decode(framed []byte) (time.Time, map[string]any, error) {
	_, data, err := sessionParts(framed)
	if err != nil {
		return time.Time{}, nil, err
	}
	return s.Codec.Decode(data)
}

func sessionParts(framed []byte) (user string, data []byte, err error) {
	size, n := binary.Uvarint(framed)
	if n <= 0 || size > uint64(len(framed)-n) {
		return "", nil, errors.New("the session's data has no user in front: the manager needs Sessions as its Codec too")
	}
	return string(framed[n : n+int(size)]), framed[n+int(size):], nil
}

type sessionRow struct {
	TokenHash hash   `db:"token_hash"`
	UserID    string `db:"user_id"`
	ExpiresAt micros `db:"expires_at"`
	Data      blob   `db:"data"`
}

// FindCtx returns the data of a session that is there and not expired.
func (s *Sessions) FindCtx(ctx context.Context, token string) ([]byte, bool, error) {
	var data blob
	t := &tx{db: s.store.read, store: s.store}
	err := t.get(ctx, &data, "SELECT data FROM sessions WHERE token_hash = $1 AND expires_at > $2",
		hash(sha256.Sum256([]byte(token))), micros(s.store.now()))
	if err != nil && review.KindOf(err) == review.NotFound {
		return nil, false, nil
	}
	return data, err == nil, err
}

// CommitCtx adds or replaces a session.
func (s *Sessions) CommitCtx(ctx context.Context, token string, framed []byte, expiry time.Time) error {
	user, _, err := sessionParts(framed)
	if err != nil {
		return err
	}
	row := sessionRow{sha256.Sum256([]byte(token)), user, micros(expiry), framed}
	return s.update(ctx, func(t *tx) error {
		_, err := insert(ctx, t, "sessions", `ON CONFLICT (token_hash) DO UPDATE
			SET user_id = excluded.user_id, expires_at = excluded.expires_at, data = excluded.data`, row)
		return err
	})
}

// DeleteCtx ends a session; one that is not there is no error.
func (s *Sessions) DeleteCtx(ctx context.Context, token string) error {
	return s.update(ctx, func(t *tx) error {
		_, err := t.exec(ctx, "DELETE FROM sessions WHERE token_hash = $1", hash(sha256.Sum256([]byte(token))))
		return err
	})
}

// DeleteExpired removes sessions that can't be used any more and returns how many.
// Finding never returns those, so how often this runs matters only for space.
func (s *Sessions) DeleteExpired(ctx context.Context) (int, error) {
	var deleted int64
	err := s.update(ctx, func(t *tx) (err error) {
		deleted, err = t.exec(ctx, "DELETE FROM sessions WHERE expires_at <= $1", micros(s.store.now()))
		return err
	})
	return int(deleted), err
}

func (s *Sessions) update(ctx context.Context, f func(*tx) error) error {
	return s.store.Update(ctx, func(t review.Tx) error { return f(t.(*tx)) })
}

// Find is FindCtx without a context.
func (s *Sessions) Find(token string) ([]byte, bool, error) {
	return s.FindCtx(context.Background(), token)
}

// Commit is CommitCtx without a context.
func (s *Sessions) Commit(token string, framed []byte, expiry time.Time) error {
	return s.CommitCtx(context.Background(), token, framed, expiry)
}

// Delete is DeleteCtx without a context.
func (s *Sessions) Delete(token string) error { return s.DeleteCtx(context.Background(), token) }

func (t *tx) DeleteSessionsOfUser(ctx context.Context, userID string) error {
	_, err := t.exec(ctx, "DELETE FROM sessions WHERE user_id = $1", userID)
	return err
}

// SessionsOfUser opens the values of each session. Those that another version of
// the program wrote are listed as far as they can be read.
func (t *tx) SessionsOfUser(ctx context.Context, userID string) ([]people.Session, error) {
	rows, err := t.sessions(ctx, userID)
	return mapped(rows, sessionRow.session), err
}

func (t *tx) sessions(ctx context.Context, userID string) ([]sessionRow, error) {
	var rows []sessionRow
	err := t.all(ctx, &rows, "SELECT "+columns[sessionRow]("")+" FROM sessions WHERE user_id = $1 AND expires_at > $2",
		userID, micros(t.store.now()))
	return rows, err
}

func (r sessionRow) session() people.Session {
	values := map[string]any{}
	if _, data, err := sessionParts(r.Data); err == nil {
		if _, read, err := (scs.GobCodec{}).Decode(data); err == nil {
			values = read
		}
	}
	text := func(key string) string { s, _ := values[key].(string); return s }
	at := func(key string) time.Time {
		if n, _ := values[key].(int64); n != 0 {
			return time.Unix(n, 0).UTC()
		}
		return time.Time{}
	}
	return people.Session{ID: text(people.SessionID), Since: at(people.SessionSince), Seen: at(people.SessionSeen),
		Until: time.Time(r.ExpiresAt), Addr: text(people.SessionAddr), Agent: text(people.SessionAgent)}
}

func (t *tx) DeleteSession(ctx context.Context, userID, id string) error {
	rows, err := t.sessions(ctx, userID)
	if err != nil {
		return err
	}
	for _, row := range rows {
		if row.session().ID != id {
			continue
		}
		if _, err := t.exec(ctx, "DELETE FROM sessions WHERE token_hash = $1", row.TokenHash); err != nil {
			return err
		}
	}
	return nil
}
