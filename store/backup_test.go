package store

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/countersign/countersign/internal/testkit"
	"github.com/countersign/countersign/migrations"
	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/people"
)

// references says what columns refer to, as SQLite reads it out of the migrations:
// "table.column" to the same of what is referred to.
func references(t *testing.T) map[string]string {
	t.Helper()
	s := open(t, filepath.Join(t.TempDir(), "schema.db"))
	if err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	var rows []struct {
		Child  string `db:"child"`
		From   string `db:"from_column"`
		Parent string `db:"parent"`
		To     string `db:"to_column"`
	}
	if err := s.read.Select(&rows, `SELECT m.name AS child, f."from" AS from_column, f."table" AS parent, f."to" AS to_column
		FROM sqlite_master m JOIN pragma_foreign_key_list(m.name) f WHERE m.type = 'table'`); err != nil {
		t.Fatal(err)
	}
	refs := map[string]string{}
	for _, r := range rows {
		refs[r.Child+"."+r.From] = r.Parent + "." + r.To
	}
	return refs
}

// fillAtRandom puts rows into every table that there is, whoever added it, with
// values that are awkward to carry.
func fillAtRandom(t *testing.T, s *Store, rnd *rand.Rand) {
	t.Helper()
	refs := references(t)
	tables, err := s.catalogue(t.Context(), s.read)
	if err != nil {
		t.Fatal(err)
	}
	have := map[string][]any{} // values by table.column
	for _, table := range kept(tables) {
		into := rowsInto{table: table}
		for n := range 7 {
			row := make([]any, len(table.Columns))
			for i, c := range table.Columns {
				name := table.Name + "." + c.Name
				row[i] = awkward(rnd, c.Type)
				switch {
				case n == 3 && c.Type == "bytea":
					row[i] = []byte{}
				case n == 4 && c.Type == "text":
					row[i] = ""
				}
				if refs[name] != "" {
					row[i] = have[refs[name]][n] // of row n, so that unique and composite references are met
				}
				have[name] = append(have[name], row[i])
			}
			into.rows = append(into.rows, row)
		}
		if err := s.Update(t.Context(), func(tx review.Tx) error { return into.flush(t.Context(), tx.(*storeTx)) }); err != nil {
			t.Fatalf("fill table %s: %v", table.Name, err)
		}
	}
}

type storeTx = tx

func awkward(rnd *rand.Rand, kind string) any {
	id := uuid.NewString()
	switch kind {
	case "text":
		return []string{"", "ä\u2028<&>\U0001F600", "tab\tquote\"\\", strings.Repeat("long ", 2000)}[rnd.IntN(4)] + id
	case "bytea":
		b := make([]byte, rnd.IntN(64))
		for i := range b {
			b[i] = byte(rnd.Uint32())
		}
		return append(b, id...)
	case "boolean":
		return rnd.IntN(2) == 1
	}
	return []int64{0, -1, math.MaxInt64, math.MinInt64 + 1, 1 << 53}[rnd.IntN(5)] ^ rnd.Int64N(1<<40)
}

func backUp(t *testing.T, s *Store) ([]byte, *Backup) {
	t.Helper()
	var b bytes.Buffer
	said, err := s.Backup(t.Context(), &b, "test")
	if err != nil {
		t.Fatalf("back up %s: %v", s.Engine(), err)
	}
	return b.Bytes(), said
}

// content is a backup's lines but for the first, which says when it was made.
func content(t *testing.T, backup []byte) []string {
	t.Helper()
	zip, err := gzip.NewReader(bytes.NewReader(backup))
	if err != nil {
		t.Fatal(err)
	}
	all, err := io.ReadAll(zip)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(string(all), "\n")[1:]
}

func engineAddresses(t *testing.T) map[string]func() string {
	return map[string]func() string{
		"SQLite":     func() string { return filepath.Join(t.TempDir(), "countersign.db") },
		"PostgreSQL": func() string { return testkit.Postgres(t) },
	}
}

// TestBackupIntoEveryEngine is the property: what comes out of the restored
// database is what came out of the first, byte for byte.
func TestBackupIntoEveryEngine(t *testing.T) {
	for from, fromAddress := range engineAddresses(t) {
		for to, toAddress := range engineAddresses(t) {
			t.Run(from+" into "+to, func(t *testing.T) {
				rnd := rand.New(rand.NewPCG(1, 2))
				source := open(t, fromAddress())
				if err := source.Migrate(t.Context()); err != nil {
					t.Fatal(err)
				}
				fillAtRandom(t, source, rnd)
				first, said := backUp(t, source)
				target := open(t, toAddress()) // not migrated
				restored, err := target.Restore(t.Context(), bytes.NewReader(first), Restoring{})
				if err != nil {
					t.Fatalf("restore: %v", err)
				}
				second, _ := backUp(t, target)
				if diff := cmp.Diff(content(t, first), content(t, second)); diff != "" {
					t.Errorf("what came back differs (-first +second):\n%.4000s", diff)
				}
				if diff := cmp.Diff(said, restored); diff != "" || said.Rows < 7*int64(said.Tables) || said.Engine != from {
					t.Errorf("the backup is %+v, differs from what restore read: %s", said, diff)
				}
				if err := target.Ping(t.Context()); err != nil {
					t.Errorf("the restored database: %v", err)
				}
			})
		}
	}
}

// TestBackupHoldsEveryTable compares what is backed up with what is there.
func TestBackupHoldsEveryTable(t *testing.T) {
	onBoth(t, func(t *testing.T, address string) {
		s := open(t, address)
		if err := s.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := s.write.Exec("CREATE TABLE strangers (x TEXT)"); err != nil {
			t.Fatal(err)
		}
		query := "SELECT name FROM sqlite_master WHERE type = 'table'"
		if s.Engine() == "PostgreSQL" {
			query = "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
		}
		var there []string
		if err := s.read.Select(&there, query); err != nil {
			t.Fatal(err)
		}
		there = slices.DeleteFunc(there, func(name string) bool { return slices.Contains(transient, name) || name == "strangers" })
		var held []string
		backup, _ := backUp(t, s)
		for _, m := range regexp.MustCompile(`(?m)^\{"table":"(\w+)"`).FindAllStringSubmatch(strings.Join(content(t, backup), "\n"), -1) {
			held = append(held, m[1])
		}
		slices.Sort(there)
		slices.Sort(held)
		if diff := cmp.Diff(there, held); diff != "" {
			t.Errorf("tables (-there +held):\n%s", diff)
		}
	})
}

// TestRestoreChangesNothingWhenItFails tries every way that a file can be wrong,
// over a database that holds something.
func TestRestoreChangesNothingWhenItFails(t *testing.T) {
	onBoth(t, func(t *testing.T, address string) {
		s := open(t, address)
		if err := s.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		fillAtRandom(t, s, rand.New(rand.NewPCG(3, 4)))
		good, before := backUp(t, s)
		rewritten := func(old, new string) []byte {
			zip, _ := gzip.NewReader(bytes.NewReader(good))
			all, err := io.ReadAll(zip)
			if err != nil || !bytes.Contains(all, []byte(old)) {
				t.Fatalf("the backup has no %q (%v)", old, err)
			}
			var b bytes.Buffer
			w := gzip.NewWriter(&b)
			w.Write(bytes.Replace(all, []byte(old), []byte(new), 1))
			w.Close()
			return b.Bytes()
		}
		flipped := bytes.Clone(good)
		flipped[len(flipped)/2] ^= 0x20
		broken := bytes.Clone(good)
		broken[10] |= 0x06 // behind the header of gzip: a kind of block that there is not
		for name, c := range map[string]struct {
			file []byte
			kind review.Kind
			want string
		}{
			"empty":              {nil, review.Invalid, "not a backup"},
			"something else":     {[]byte("PGDMP\x01\x0e"), review.Invalid, "not a backup"},
			"other lines":        {rewritten(`"format":"countersign backup"`, `"format":"tar"`), review.Invalid, "first line says something else"},
			"cut off":            {good[:len(good)*2/3], review.Invalid, "cut off after"},
			"cut off at its end": {good[:len(good)-4], review.Invalid, "damaged at its end"},
			"a broken block":     {broken, review.Invalid, "damaged"},
			"a bit flipped":      {flipped, review.Invalid, sayBackup}, // what it unpacks to, and so what is wrong with it, depends on the bit
			"followed by more":   {append(bytes.Clone(good), "more"...), review.Invalid, "damaged at its end"},
			"no end":             {rewritten(`{"end":`, `{"table":"x","columns":[],"end":`), review.Invalid, "neither a row nor a table"},
			"an empty line":      {rewritten("}\n{\"table\":\"servers\"", "}\n\n{\"table\":\"servers\""), review.Invalid, "neither a row nor a table"},
			"a value changed":    {rewritten("tab\\t", "tub\\t"), review.Invalid, "with the sum"},
			"a wrong type":       {rewritten("\n[\"", "\n[17,\""), review.Invalid, "can't be read"},
			"unknown table":      {rewritten(`{"table":"profiles"`, `{"table":"endpoints"`), review.Invalid, "is not one that its schema has"},
			"unknown column":     {rewritten(`{"name":"slug","type":"text"}`, `{"name":"command","type":"text"}`), review.Invalid, "is not one that its schema has"},
			"newer format":       {rewritten(`"version":1,"made_at"`, `"version":2,"made_at"`), review.Invalid, "format 2, this program reads 1"},
			"newer schema":       {rewritten(`"schema":[{"version":1,`, `"schema":[{"version":77,`), review.Conflict, "migrations that this version doesn't share"},
		} {
			for _, replace := range []bool{true, false} {
				_, err := s.Restore(t.Context(), bytes.NewReader(c.file), Restoring{Replace: replace})
				if err == nil {
					t.Fatalf("%s: restored", name)
				}
				if replace && (review.KindOf(err) != c.kind || !strings.Contains(err.Error(), c.want)) {
					t.Errorf("%s: error of kind %q %v, want %q with %q", name, review.KindOf(err), err, c.kind, c.want)
				}
			}
			if _, err := CheckBackup(bytes.NewReader(c.file)); err == nil && c.kind == review.Invalid && !strings.Contains(name, "unknown") {
				t.Errorf("%s: found good", name)
			}
		}
		_, err := s.Restore(t.Context(), bytes.NewReader(good), Restoring{})
		if review.KindOf(err) != review.Conflict || !strings.Contains(err.Error(), "not empty") {
			t.Errorf("into a database that is not empty: %v", err)
		}
		ours := errors.New("changed our mind")
		_, err = s.Restore(t.Context(), bytes.NewReader(good), Restoring{Replace: true, After: func(review.Tx, *Backup) error { return ours }})
		if !errors.Is(err, ours) {
			t.Errorf("a caller that refuses: %v", err)
		}
		if _, after := backUp(t, s); after.Content != before.Content {
			t.Error("a restore that failed changed something")
		}
		if said, err := CheckBackup(bytes.NewReader(good)); err != nil || said.Content != before.Content {
			t.Errorf("a good backup: %+v, %v", said, err)
		}
	})
}

// TestRestoreOverWhatIsThere replaces a database, and ends its sessions and links.
func TestRestoreOverWhatIsThere(t *testing.T) {
	onBoth(t, func(t *testing.T, address string) {
		s := open(t, address)
		if err := s.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		fillAtRandom(t, s, rand.New(rand.NewPCG(5, 6)))
		good, before := backUp(t, s)
		ctx, cancel := context.WithCancel(t.Context())
		told := make(chan string, 100)
		listening := make(chan error, 1)
		go func() { listening <- s.Listen(ctx, func(id string) { told <- id }) }()
		if s.Engine() == "PostgreSQL" {
			<-told // it listens
		} else {
			for len(s.listenersNow()) == 0 {
			}
		}
		if err := s.Update(t.Context(), func(tx review.Tx) error {
			if err := insertServerRow(t.Context(), tx.(*storeTx), "later"); err != nil {
				return err
			}
			return tx.InsertLink(t.Context(), &review.Link{Hash: []byte("link"), Kind: review.LinkReset})
		}); err != nil {
			t.Fatal(err)
		}
		if err := s.Sessions().Commit("token", mustEncode(t, s.Sessions()), s.now().AddDate(1, 0, 0)); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Restore(t.Context(), bytes.NewReader(good), Restoring{Replace: true}); err != nil {
			t.Fatal(err)
		}
		for id := range told {
			if id == "" {
				break // everything may have changed
			}
		}
		cancel()
		if err := <-listening; err != nil {
			t.Error(err)
		}
		if _, after := backUp(t, s); after.Content != before.Content {
			t.Error("the restored database is not the one that was backed up")
		}
		if _, ok, err := s.Sessions().Find("token"); ok || err != nil {
			t.Errorf("the session is still there (%v)", err)
		}
		if err := s.View(t.Context(), func(tx review.Tx) error {
			_, err := tx.LinkByHash(t.Context(), []byte("link"))
			return err
		}); review.KindOf(err) != review.NotFound {
			t.Errorf("the link: %v", err)
		}
	})
}

func (s *Store) listenersNow() []*func(string) {
	s.listeners.mu.Lock()
	defer s.listeners.mu.Unlock()
	return s.listeners.list
}

func insertServerRow(ctx context.Context, t *tx, slug string) error {
	return t.InsertServer(ctx, &review.Server{ID: uuid.NewString(), Slug: slug})
}

func mustEncode(t *testing.T, s *Sessions) []byte {
	t.Helper()
	b, err := s.Encode(s.store.now().AddDate(1, 0, 0), map[string]any{people.SessionUser: "u"})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestRestoreOlderSchema makes backups at every earlier version of the schema and
// restores each with all migrations.
func TestRestoreOlderSchema(t *testing.T) {
	all, err := migrations.All()
	if err != nil {
		t.Fatal(err)
	}
	for version := 1; version < len(all); version++ {
		t.Run(fmt.Sprint(version), func(t *testing.T) {
			old := open(t, filepath.Join(t.TempDir(), "old.db"))
			if err := old.migrate(t.Context(), all[:version]); err != nil {
				t.Fatal(err)
			}
			if _, err := old.write.Exec(`INSERT INTO servers (id, slug, name, policy, created_at, created_by) VALUES ('s', 'shop', 'Shop', '{}', 1, '')`); err != nil {
				t.Fatal(err)
			}
			backup, said := backUp(t, old)
			if said.Schema != version {
				t.Errorf("the backup says schema %d, want %d", said.Schema, version)
			}
			s := open(t, filepath.Join(t.TempDir(), "new.db"))
			if _, err := s.Restore(t.Context(), bytes.NewReader(backup), Restoring{}); err != nil {
				t.Fatal(err)
			}
			if err := s.Ping(t.Context()); err != nil {
				t.Error(err)
			}
			var slug string
			if err := s.read.Get(&slug, "SELECT slug FROM servers"); err != nil || slug != "shop" {
				t.Errorf("the server is %q, %v", slug, err)
			}
		})
	}
}

// TestBackupIsOneMoment backs up while a writer keeps two rows equal.
func TestBackupIsOneMoment(t *testing.T) {
	onBoth(t, func(t *testing.T, address string) {
		s := open(t, address)
		if err := s.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		stop := make(chan struct{})
		done := make(chan error, 1)
		go func() {
			for n := 0; ; n++ {
				select {
				case <-stop:
					done <- nil
					return
				default:
				}
				if err := s.Update(context.Background(), func(tx review.Tx) error {
					for _, half := range []string{"left", "right"} { // servers come first, users last
						if half == "left" {
							if err := insertServerRow(context.Background(), tx.(*storeTx), fmt.Sprintf("pair-%d", n)); err != nil {
								return err
							}
						} else if _, err := tx.AddUnverified(context.Background(), "x", fmt.Sprintf("pair-%d", n)); err != nil {
							return err
						}
					}
					return nil
				}); err != nil {
					done <- err
					return
				}
			}
		}()
		for range 10 {
			backup, _ := backUp(t, s)
			lines := strings.Join(content(t, backup), "\n")
			left := strings.Count(lines, `,"pair-`)
			if left%2 != 0 {
				t.Errorf("a backup has half of a transaction: %d rows of pairs", left)
			}
		}
		close(stop)
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

func FuzzCheckBackup(f *testing.F) {
	s, err := Open(context.Background(), filepath.Join(f.TempDir(), "countersign.db"))
	if err != nil {
		f.Fatal(err)
	}
	defer s.Close()
	if err := s.Migrate(context.Background()); err != nil {
		f.Fatal(err)
	}
	var b bytes.Buffer
	if _, err := s.Backup(context.Background(), &b, "test"); err != nil {
		f.Fatal(err)
	}
	zip, _ := gzip.NewReader(&b)
	lines, err := io.ReadAll(zip)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(lines)
	f.Add([]byte(`{"format":"countersign backup","version":1}` + "\n" + `{"table":"t","columns":[{"name":"a","type":"bytea"}]}` + "\n" + `["AA=="]` + "\n"))
	f.Fuzz(func(t *testing.T, lines []byte) {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		w.Write(lines)
		w.Close()
		said, err := CheckBackup(&b)
		if err != nil && review.KindOf(err) != review.Invalid {
			t.Errorf("kind %q: %v", review.KindOf(err), err)
		}
		if err == nil && said == nil {
			t.Error("neither a backup nor an error")
		}
	})
}
