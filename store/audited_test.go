package store_test

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/countersign/countersign/internal/testkit"
	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/people"
	"github.com/countersign/countersign/review/proof"
	"github.com/countersign/countersign/review/reviewtest"
	"github.com/countersign/countersign/store"
	"github.com/countersign/countersign/store/storetest"
)

// unaudited are the tables whose rows may be written without an act in the audit,
// and why.
var unaudited = map[string]string{
	"drafts":        "what was not said yet is its author's alone",
	"server_drafts": "as drafts",
	"comment_turns": "how often somebody wrote in the past hour, for a limit",
	"viewed":        "marks are of whoever made them, and are shown to nobody else",
	"looks":         "what somebody looked at is theirs alone",
	"subscriptions": "following a tool asks nobody for anything",
	"notifications": "follow from acts that are audited; reading one is nobody else's business",

	"slices":         "hold the bytes of listings, whose push is the act",
	"reports":        "are computed from listings and can be again",
	"report_bases":   "say how reports are kept",
	"search_heads":   "are computed from listings and can be again",
	"search_texts":   "are computed from listings and can be again",
	"readings":       "say what a server answered, which is asked again",
	"drifts":         "follow from readings; what people say of them is an act",
	"endpoint_turns": "say who reads next",

	"profiles":      "come with a push, which is the act",
	"deliveries":    "are a record themselves, of who knocked and was turned away",
	"unverified":    "are a record themselves, of who knocked and was turned away",
	"seen_clock":    "says what an hourly run saw, and lets it forget nothing",
	"instance":      "holds the id that the database gave itself",
	"audit":         "is the audit",
	"audit_pending": "is the audit",
}

// unauditedBy are the functions that may write without an act in the audit, whatever
// the table, and why.
var unauditedBy = map[string]string{
	"TokenActor":        "notes when a token was last used",
	"readClaimed":       "keeps what a server answered, which is nobody's doing",
	"forgetLive":        "takes that away again, and the act that says so follows it",
	"forgetLinks":       "takes away what lets nobody in any more, and the act that says so follows it",
	"BeginSecondFactor": "a second factor that waits to be confirmed protects nobody yet",
}

// playedElsewhere are the functions that write and that no case here calls, with the
// test that does.
var playedElsewhere = map[string]string{
	"AddCapture": "TestCapturesKeepNoConversation",
	"getAlong":   "TestTogetherIsKept",
}

// keeps says which sides of an act the audit has, by what was done: "b" is what was
// before, "a" what is after. What begins has no before, what ends need have no after.
var keeps = map[string]string{
	"accept": "a", "acknowledge": "a", "add": "a", "alarm": "a", "agree": "a", "approve": "a", "comment": "a", "create": "a", "decline": "a", "forget": "a",
	"invite": "a", "open": "a", "override": "a", "propose": "a", "prove": "a", "push": "a", "purge": "a", "refuse": "a",
	"reject": "a", "reseal": "a", "restore": "a", "set-up": "a", "start": "a", "password": "a", "confirm": "a", "revoke-answers": "a", "clear-alarm": "a",
	"give": "a", "take": "a", "join": "a", "identity-linked": "a", "identity-unlinked": "b", "rotate-secret": "a", "withdraw": "a",
	"change": "ba", "end": "b", "end-acknowledgement": "b", "remove": "b", "disable": "ba", "edit": "ba", "end-all": "ba", "end-override": "ba", "recovery-codes": "ba", "release": "ba",
	"release-by-override": "ba", "reopen": "ba", "resolve": "ba", "revoke": "ba", "role": "ba", "rotate": "ba",
	"second-factor": "ba", "second-factor-removed": "ba", "set": "ba", "uninvite": "ba",
}

// TestEveryWriteIsAudited plays every case of the workflow on a database that notes
// by itself which tables were written. A transaction that wrote to one that is not
// in the list of those without an act must have left one, with who did what and what
// was before and after. Functions that write and that no case calls fail as well.
func TestEveryWriteIsAudited(t *testing.T) {
	seen := &writers{called: map[string]bool{}}
	t.Run("cases", func(t *testing.T) {
		reviewtest.Exercise(t, func(t testing.TB) review.Store { return newWatched(t, seen) })
	})
	t.Run("keys and sessions", func(t *testing.T) { keysAndSessions(t, newWatched(t, seen)) })
	for _, name := range writing(t) {
		if !seen.called[name] && playedElsewhere[name] == "" {
			t.Errorf("no case calls %s, which writes", name)
		}
	}
	t.Logf("%d transactions by %d functions", seen.transactions, len(seen.called))
}

// keysAndSessions does what the cases of the workflow don't: they have no signing key.
func keysAndSessions(t *testing.T, w *watched) {
	first, next := proof.NewSigner(bytes.Repeat([]byte("a"), proof.SeedSize)), proof.NewSigner(bytes.Repeat([]byte("b"), proof.SeedSize))
	svc := review.NewService(w, review.Config{
		BaseURL: "https://countersign.example", Secret: bytes.Repeat([]byte("s"), 32),
		Signer: func() (*proof.Signer, error) { return first, nil },
	})
	shell := review.Actor{Shell: true, Via: "shell"}
	w.must(svc.PublishKey(t.Context()))
	_, err := svc.RotateKey(t.Context(), shell, next, false)
	w.must(err)
	u, _, err := svc.AddUser(t.Context(), shell, review.NewUser{Email: "ada@example.com", Name: "Ada", Role: people.Admin})
	w.must(err)
	w.must(svc.EndSessionsOf(t.Context(), shell, u.ID))
}

// writers are the functions of package review under which something was written.
type writers struct {
	mu           sync.Mutex
	called       map[string]bool
	transactions int
}

// watched is a store whose database notes what is written. Its transactions run one
// at a time, so that each is known by what it wrote.
type watched struct {
	*store.Store
	t      testing.TB
	db     *sql.DB
	seen   *writers
	mu     sync.Mutex
	writes int64 // that were looked at
	acts   int64
}

func newWatched(t testing.TB, seen *writers) *watched {
	t.Helper()
	path := storetest.SQLite(t)
	db, err := sql.Open("sqlite", path+"?_pragma=busy_timeout(10000)")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	w := &watched{t: t, db: db, seen: seen}
	all := []string{"BEGIN", "CREATE TABLE written (id INTEGER PRIMARY KEY, name TEXT)"}
	for _, name := range w.strings("SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' AND name <> 'sqlite_sequence'") {
		for _, what := range []string{"INSERT", "UPDATE", "DELETE"} {
			all = append(all, fmt.Sprintf("CREATE TRIGGER watch_%s_%s AFTER %s ON %s BEGIN INSERT INTO written (name) VALUES ('%s'); END", name, what, what, name, name))
		}
	}
	if _, err := db.Exec(strings.Join(append(all, "COMMIT"), ";\n")); err != nil { // at once: by itself each would wait for the disk
		t.Fatal(err)
	}
	w.Store = storetest.OpenAt(t, path)
	return w
}

func (w *watched) strings(query string, args ...any) []string {
	w.t.Helper()
	rows, err := w.db.Query(query, args...)
	if err != nil {
		w.t.Fatal(err)
	}
	defer rows.Close()
	var all []string
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			w.t.Fatal(err)
		}
		all = append(all, s)
	}
	if err := rows.Err(); err != nil {
		w.t.Fatal(err)
	}
	return all
}

func (w *watched) Update(ctx context.Context, f func(review.Tx) error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	err := w.Store.Update(ctx, f)
	if err == nil {
		w.look(callers())
	}
	return err
}

func (w *watched) Erase(ctx context.Context, f func(review.Tx) error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	err := w.Store.Erase(ctx, f)
	if err == nil {
		w.look(callers())
	}
	return err
}

// look checks what the transaction that just ended left.
func (w *watched) look(by []string) {
	w.seen.mu.Lock()
	w.seen.transactions++
	for _, name := range by {
		w.seen.called[name] = true
	}
	w.seen.mu.Unlock()
	tables := w.strings("SELECT DISTINCT name FROM written WHERE id > ? ORDER BY name", w.writes)
	w.must(w.db.QueryRow("SELECT coalesce(max(id), 0) FROM written").Scan(&w.writes))
	audited := w.checkActs()
	bare := slices.DeleteFunc(tables, func(name string) bool { return unaudited[name] != "" })
	excused := slices.ContainsFunc(by, func(name string) bool { return unauditedBy[name] != "" })
	if len(by) > 0 && len(bare) > 0 && !audited && !excused { // by nobody is a case that prepares its world
		w.t.Errorf("%s wrote to %s and left no act in the audit", strings.Join(by, " < "), strings.Join(bare, ", "))
	}
}

// checkActs demands of each act that came since the last look who, what, and what
// was before and after.
func (w *watched) checkActs() (any bool) {
	rows, err := w.db.Query("SELECT rowid, actor, act, before, after FROM audit WHERE rowid > ? ORDER BY rowid", w.acts)
	w.must(err)
	defer rows.Close()
	for rows.Next() {
		var actor, act, before, after string
		w.must(rows.Scan(&w.acts, &actor, &act, &before, &after))
		any = true
		_, verb, _ := strings.Cut(act, ".")
		sides, known := keeps[verb]
		switch {
		case !known:
			w.t.Errorf("%s: say in keeps what the audit has to have of it", act)
		case actor == "":
			w.t.Errorf("%s: by nobody", act)
		case strings.Contains(sides, "b") && before == "", strings.Contains(sides, "a") && after == "":
			w.t.Errorf("%s: before %q, after %q; want %s", act, before, after, sides)
		}
	}
	w.must(rows.Err())
	return any
}

func (w *watched) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

var reviewFunction = regexp.MustCompile(`countersign/review\.(?:\(\*?\w+\)\.)?(\w+)`)

// callers names the functions of package review on the stack, innermost first.
func callers() []string {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs)])
	var names []string
	for {
		frame, more := frames.Next()
		if m := reviewFunction.FindStringSubmatch(frame.Function); m != nil && !slices.Contains(names, m[1]) {
			names = append(names, m[1])
		}
		if !more {
			return names
		}
	}
}

// writing names the functions of package review that begin a transaction which
// writes.
func writing(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(testkit.Root(), "review", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			ast.Inspect(f, func(n ast.Node) bool {
				if call, ok := n.(*ast.SelectorExpr); ok && (call.Sel.Name == "Update" || call.Sel.Name == "Erase") {
					names[f.Name.Name] = true
				}
				return true
			})
		}
	}
	return slices.Sorted(maps.Keys(names))
}
