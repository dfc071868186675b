package store

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/testkit"
	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/proof"
	"github.com/countersign/countersign/review/reviewtest"
)

// untold are the columns that a replay does not hold against the acts, and why; "" is
// every column of the table. docs/audit.md has the same list. All others are edited by
// hand here, one by one.
var untold = []struct{ table, columns, why string }{
	{"audit, audit_pending, audit_chain, audit_checkpoints", "", "are what is told; the chain and its checkpoints check them"},
	{"instance", "", "names the beginning of the chain, which does not fit with another"},
	{"schema_migrations", "", "say how the tables were made"},
	{"drafts, server_drafts, viewed, looks, subscriptions, notifications, comment_turns", "", "are of one person, and decide nothing"},
	{"seen_clock", "", "is where the clock stood last, and says only when something may be forgotten"},
	{"deliveries, unverified", "", "are a record of who knocked; what came in is an act"},
	{"captures, purged", "", "are shown beside a listing, and decide nothing"},
	{"profiles", "", "are names that pushes brought"},
	{"readings, drifts, endpoint_turns", "", "say what endpoints answered, which is asked again; what people say of it is an act"},
	{"reports, report_bases, search_heads, search_texts", "", "are computed from listings and kept: whoever doubts them deletes all four, and they are made anew"},
	{"slices", "id, form, raw", "every listing is proved by its raw hash when its bytes are read"},
	{"listings", "received_at, protocol_version, problems, server_info, envelope, stored", "the same; what else is computed from the bytes is shown beside them"},
	{"sessions, links, second_factors, recovery_codes", "", "are secrets, which no act says; what is done with them is an act"},
	{"users", "password_hash", "the same"},
	{"users", "email_folded, second_factor_at", "the address and whether there is a factor are compared; in what spelling and since when decides nothing"},
	{"users", "disabled_at", "whether is compared; when decides nothing"},
	{"server_secrets", "sealed, created_at", "holds with SECRET alone"},
	{"endpoints", "sealed", "the same"},
	{"tokens", "last_used", "is no act"},
	{"tokens", "revoked_at", "whether is compared; when decides nothing"},
	{"identities", "email, linked_at", "issuer and subject name the person"},
	{"memberships", "n", "the order decides nothing"},
	{"signing_keys", "n, public, since, until, rotation", "each key signs that the next one follows; --replay holds against the acts which there are, and which is retired"},
	{"policies", "by_label, second", "ids are compared, and labels follow them"},
	{"proposals", "by_label, second, at, decided_at", "the same; when decides nothing"},
	{"baselines", "acknowledged", "places are compared, notes are words"},
	{"releases", "withdrawn_reason", "are words, which can be purged"},
	{"verdicts", "note, revoked_why", "the same; whether a note gives a reason is compared"},
	{"verdicts", "revoked_at", "whether is compared; when decides nothing"},
	{"overrides", "reason", "are words"},
	{"overrides", "ended_at", "whether is compared; when decides nothing"},
	{"alarms", "why, cleared_at", "the same"},
	{"waivers", "reason, ended_why, confirmed_at, ended_at", "the same"},
	{"proposed_waivers", "answered_at, why", "the same"},
	{"namings", "note", "are words"},
	{"known_drifts", "reason, ended_at", "are words; whether it ended is compared"},
	{"threads", "quote, lead, tail, snippet, resolved_at", "are words; whether it is resolved is compared"},
	{"comments", "body", "are words; how often each was edited is compared"},
	{"comment_edits", "id, at, body", "the same"},
	{"suggestions", "", "are words of a comment"},
}

func untoldColumn(table, column string) bool {
	return slices.ContainsFunc(untold, func(u struct{ table, columns, why string }) bool {
		return slices.Contains(strings.Split(u.table, ", "), table) && (u.columns == "" || slices.Contains(strings.Split(u.columns, ", "), column))
	})
}

// TestUntoldColumnsAreDocumented has the documentation say which columns a replay does
// not see.
func TestUntoldColumnsAreDocumented(t *testing.T) {
	doc, err := os.ReadFile(filepath.Join(testkit.Root(), "docs", "audit.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range untold {
		columns := u.columns
		if columns == "" {
			columns = "all"
		}
		if line := fmt.Sprintf("| %s | %s | %s |\n", u.table, columns, u.why); !bytes.Contains(doc, []byte(line)) {
			t.Errorf("docs/audit.md lacks\n%s", line)
		}
	}
}

// edited are cases of the workflow that fill every column which is told, and allEdited
// the groups that they are of.
var (
	edited = []string{
		"finding/a file proposes waivers", "finding/who proposes and who answers", "override/what it is bound to",
		"override/12: what an account took back for others is back", "override/who may", "proposal/an alias takes a second person",
		"drift/known until, and bound to what was seen", "identity/27: same mail, other subject", "talk/edits of a comment stay readable",
	}
	allEdited = []string{"story", "release", "finding", "override", "drift", "thread", "talk", "proposal", "people", "identity"}
)

// TestEveryColumnIsTold plays cases of the workflow and then does to each column what
// somebody could who can write to the database: a replay has to tell it. The long rounds
// play all cases of their groups.
func TestEveryColumnIsTold(t *testing.T) {
	cases := edited
	if os.Getenv("COUNTERSIGN_SOAK") == "1" {
		cases = allEdited
	}
	for name, fresh := range map[string]func(testing.TB) string{
		"SQLite":     func(t testing.TB) string { return filepath.Join(t.TempDir(), "x.db") },
		"PostgreSQL": func(t testing.TB) string { return testkit.Postgres(t) },
	} {
		t.Run(name, func(t *testing.T) {
			told := map[string]bool{} // by table and column; false is that no row could be edited yet
			t.Run("cases", func(t *testing.T) {
				reviewtest.ExerciseSome(t, func(t testing.TB) review.Store {
					address := fresh(t)
					s := open(t, address)
					if err := s.Migrate(t.Context()); err != nil {
						t.Fatal(err)
					}
					signer := func() (*proof.Signer, error) { return proof.NewSigner(bytes.Repeat([]byte("a"), proof.SeedSize)), nil }
					if err := review.NewService(s, review.Config{BaseURL: "https://review.example", Signer: signer}).PublishKey(t.Context()); err != nil {
						t.Fatal(err)
					}
					t.Cleanup(func() { editEach(t, s, told) })
					return s
				}, cases...)
			})
			if len(told) < 200 {
				t.Errorf("only %d columns were edited", len(told))
			}
			for _, column := range slices.Sorted(maps.Keys(told)) {
				if !told[column] {
					t.Errorf("no case leaves a row in which %s could be edited: add one to edited, or say in untold why nobody has to", column)
				}
			}
			t.Logf("%d columns", len(told))
		})
	}
}

// editEach edits a row of each column that was not edited before, and undoes it.
func editEach(t testing.TB, s *Store, told map[string]bool) {
	if t.Failed() {
		return
	}
	ctx := context.Background()
	svc := review.NewService(s, review.Config{BaseURL: "https://review.example"})
	before, err := svc.ReplayAudit(ctx, shell)
	if err != nil {
		t.Error(err)
		return
	}
	if len(before.Deviations) > 0 || before.TooOld > 0 {
		return // a case that forges by itself
	}
	tables, err := s.catalogue(ctx, s.write)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := s.write.Conn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	unbound := "PRAGMA foreign_keys = 0"
	if s.write == s.read {
		unbound = "SET session_replication_role = replica"
	}
	if _, err := conn.ExecContext(ctx, unbound); err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for _, table := range tables {
		for _, c := range table.Columns {
			name := table.Name + "." + c.Name
			if untoldColumn(table.Name, c.Name) || told[name] {
				continue
			}
			told[name] = editByHand(t, svc, conn, table, c)
		}
	}
}

// editByHand reports whether there was a row to edit.
func editByHand(t testing.TB, svc *review.Service, conn *sql.Conn, table table, c column) bool {
	ctx := context.Background()
	var key []string
	for _, k := range table.key {
		key = append(key, quoted(k))
	}
	query := fmt.Sprintf("SELECT %s, %s FROM %s ORDER BY %[1]s LIMIT 1", strings.Join(key, ", "), quoted(c.Name), quoted(table.Name))
	values := make([]any, len(key)+1)
	into := make([]any, len(values))
	for i := range values {
		into[i] = &values[i]
	}
	query = strings.Replace(query, " ORDER", editedListings[table.Name]+" ORDER", 1)
	err := conn.QueryRowContext(ctx, query).Scan(into...)
	if err == sql.ErrNoRows {
		return false
	}
	if err != nil {
		t.Errorf("%s.%s: %v", table.Name, c.Name, err)
		return true
	}
	was := values[len(key)]
	if b, ok := was.([]byte); ok && b == nil || was == nil && c.Type == "bytea" {
		was = []byte{} // empty, as we keep it
	}
	now := otherThan(was, c)
	set := func(from, to any) {
		where, args := "", []any{to}
		for i, k := range table.key {
			v := values[i]
			if k == c.Name {
				v = from
			}
			args = append(args, v)
			where += fmt.Sprintf(" AND %s = $%d", quoted(k), len(args))
		}
		if _, err := conn.ExecContext(ctx, fmt.Sprintf("UPDATE %s SET %s = $1 WHERE 1 = 1%s", quoted(table.Name), quoted(c.Name), where), args...); err != nil {
			t.Errorf("%s.%s from %v to %v: %v", table.Name, c.Name, from, to, err)
		}
	}
	set(was, now)
	r, err := svc.ReplayAudit(ctx, shell) // what can't be read any more is told as well
	if err == nil && len(r.Deviations) == 0 {
		t.Errorf("%s.%s: nobody is told that %v became %v", table.Name, c.Name, was, now)
	}
	set(now, was)
	return true
}

// editedListings are those that a revision has: a listing that was only read is nobody's
// act.
var editedListings = map[string]string{
	"listings": " WHERE id IN (SELECT listing_id FROM revisions)",
	"slices":   " WHERE id = (SELECT min(id) FROM slices)",
}

// byHand is what somebody puts into columns that are empty, where it has a form.
var byHand = map[string]string{
	"evidence": `[{"prompt":"Tried it.","host":"claude","outcome":"as-expected"}]`,
	"ended":    `{"how":"pushed with it","title":"9.9.9","release":"x","at":"2026-11-30T09:00:00Z"}`,
}

// otherThan is a value that a column can have as well.
func otherThan(v any, c column) any {
	switch v := v.(type) {
	case bool:
		return !v
	case int64:
		if c.Type == "boolean" {
			return v == 0
		}
		return v + 1_000_000
	case []byte:
		if c.Type == "text" {
			return otherThan(string(v), c)
		}
		if len(v) == 0 {
			return bytes.Repeat([]byte{1}, 32)
		}
		other := bytes.Clone(v)
		other[len(other)-1] ^= 1
		return other
	case string:
		if given := byHand[c.Name]; v == "" && given != "" {
			return given
		}
		for _, swap := range [][2]string{{"released without it", "pushed with it"}, {"released with it", "pushed with it"}, {"[]", `["x"]`}, {"true", "false"}, {"false", "true"}, {`"version":`, `"version":1`}, {`":"`, `":"x`}, {`["`, `["x`}} {
			if strings.ContainsAny(v, "[{") && strings.Contains(v, swap[0]) {
				return strings.Replace(v, swap[0], swap[1], 1)
			}
		}
		return v + "x"
	}
	return v
}
