package store

import (
	"testing"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/reviewtest"
)

// TestReplayFindsWhatNoActDid does to the database what somebody could who can write
// to it: the chain of the audit fits all the same, and what it says is not what is
// there any more. TestEveryColumnIsTold does it to each column by itself.
func TestReplayFindsWhatNoActDid(t *testing.T) {
	onBoth(t, func(t *testing.T, address string) {
		s := open(t, address)
		if err := s.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		if wrong, story := reviewtest.History(t, s, reviewtest.NewActs(2, 80)); wrong != "" {
			t.Fatal(wrong, story)
		}
		svc := review.NewService(s, review.Config{BaseURL: "https://review.example"})
		before := replayed(t, svc)
		if len(before.Deviations) > 0 || before.TooOld > 0 || before.Things < 100 {
			t.Fatalf("untouched: %+v", before)
		}
		const oneOpen = "(SELECT min(id) FROM releases WHERE released_at = 0 AND withdrawn_at = 0)"
		for _, tt := range []struct{ name, sql, kind, field string }{
			{"a rejection made an approval", "UPDATE verdicts SET kind = 'approve' WHERE id = (SELECT min(id) FROM verdicts WHERE kind = 'reject')", "verdict", "kind"},
			{"an approval for other bytes", "UPDATE verdicts SET to_digest = from_digest WHERE id = (SELECT min(id) FROM verdicts WHERE from_digest <> to_digest)", "verdict", "to"},
			{"a rejection revoked", "UPDATE verdicts SET revoked_at = 1 WHERE id = (SELECT max(id) FROM verdicts WHERE revoked_at = 0)", "verdict", "revoked"},
			{"an answer taken away", "DELETE FROM verdicts WHERE id = (SELECT max(id) FROM verdicts)", "verdict", ""},
			{"an account put in", `INSERT INTO users SELECT 'eve', 'eve@example.com', 'eve@example.com', name, password_hash, invited_by, created_at, disabled_at, joined_at, second_factor_at
				FROM users WHERE email = 'rita@example.com'`, "user", ""},
			{"a role raised", "UPDATE memberships SET role = 'admin' WHERE role = 'viewer'", "user", "roles"},
			{"an old policy in force", "UPDATE servers SET policy = (SELECT body FROM policies WHERE version = 1)", "server", "policy"},
			{"released", "UPDATE releases SET released_at = 1, released_by = 'eve', released_revision = 1 WHERE id = " + oneOpen, "release", "released_by"},
			{"another pusher", "UPDATE revisions SET author_id = 'eve' WHERE n = 1 AND release_id = " + oneOpen, "revision", "author"},
			{"a thread resolved", "UPDATE threads SET blocks = NOT blocks", "thread", "blocks"},
			{"an override prolonged", "UPDATE overrides SET expires_at = expires_at + 1000000", "override", "until"},
			{"a permission given", "INSERT INTO grants SELECT id, (SELECT min(id) FROM servers), 'override', 'eve', 1 FROM users WHERE email = 'vic@example.com'", "grant", ""},
		} {
			ctx := t.Context()
			if done, err := s.write.ExecContext(ctx, tt.sql); err != nil {
				t.Fatalf("%s: %v", tt.name, err)
			} else if n, _ := done.RowsAffected(); n == 0 {
				t.Errorf("%s: this history has nothing to do that to", tt.name)
			}
			after := replayed(t, svc)
			if !more(before, after, tt.kind, tt.field) {
				t.Errorf("%s: not found among %+v", tt.name, after.Deviations)
			}
			before = after
		}
	})
}

func replayed(t *testing.T, svc *review.Service) *review.Replayed {
	t.Helper()
	r, err := svc.ReplayAudit(t.Context(), shell)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// more reports whether after has a deviation of a kind that before had not.
func more(before, after *review.Replayed, kind, field string) bool {
	n := func(r *review.Replayed) (n int) {
		for _, d := range r.Deviations {
			if d.Kind == kind && d.Field == field {
				n++
			}
		}
		return n
	}
	return n(after) > n(before)
}
