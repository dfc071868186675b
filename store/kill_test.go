package store_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/countersign/countersign/internal/testkit"
	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/change"
	"github.com/countersign/countersign/review/surface"
	"github.com/countersign/countersign/store"
	"github.com/countersign/countersign/store/storetest"
)

// killTarget makes the test binary a writer on the database that it names.
const killTarget = "COUNTERSIGN_KILL_TARGET"

func TestMain(m *testing.M) {
	if address := os.Getenv(killTarget); address != "" {
		fmt.Fprintln(os.Stderr, writeUntilKilled(address))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// TestKill kills a writing process at random moments and looks whether all that
// it had acknowledged is there, and nothing by halves. COUNTERSIGN_KILL_ROUNDS
// sets another number of rounds.
func TestKill(t *testing.T) {
	rounds := 50
	if n, err := strconv.Atoi(os.Getenv("COUNTERSIGN_KILL_ROUNDS")); err == nil {
		rounds = n
	}
	addresses := map[string]func(t *testing.T) string{
		"SQLite":     func(t *testing.T) string { return filepath.Join(t.TempDir(), "countersign.db") },
		"PostgreSQL": func(t *testing.T) string { return testkit.Postgres(t) },
	}
	for engine, address := range addresses {
		t.Run(engine, func(t *testing.T) {
			k := &killed{T: t, address: address(t), acknowledged: map[string][]string{}}
			storetest.OpenAt(t, k.address).Close()
			for range rounds {
				k.round()
				if t.Failed() {
					return
				}
			}
			k.checkAll()
			for what, ids := range k.acknowledged {
				t.Logf("%d rounds: %d × %s acknowledged, all there", rounds, len(ids), what)
			}
			for _, what := range []string{"push", "thread", "comment", "verdicts"} {
				if len(k.acknowledged[what]) < rounds/5 {
					t.Errorf("only %d × %s in %d rounds: too few to say anything", len(k.acknowledged[what]), what, rounds)
				}
			}
		})
	}
}

type killed struct {
	*testing.T
	address      string
	acknowledged map[string][]string // by what: push, thread, comment, verdicts
}

// round runs a writer, kills it a random while after a random acknowledgement,
// and checks what it wrote.
func (k *killed) round() {
	exe, err := os.Executable()
	if err != nil {
		k.Fatal(err)
	}
	var failed bytes.Buffer
	writer := exec.Command(exe)
	writer.Env = append(os.Environ(), killTarget+"="+k.address)
	writer.Stderr = &failed
	out, err := writer.StdoutPipe()
	if err != nil {
		k.Fatal(err)
	}
	if err := writer.Start(); err != nil {
		k.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	fresh := map[string][]string{}
	last := rand.N(8)
	for n := 0; lines.Scan(); n++ {
		if what, id, ok := strings.Cut(lines.Text(), " "); ok {
			fresh[what] = append(fresh[what], id)
		}
		if n == last {
			time.AfterFunc(rand.N(25*time.Millisecond), func() { writer.Process.Kill() })
		}
	}
	writer.Wait() // it says "killed"
	if failed.Len() > 0 {
		k.Fatalf("the writer failed: %s", &failed)
	}
	s := storetest.OpenAt(k, k.address)
	defer s.Close()
	k.check(s, fresh)
	for what, ids := range fresh {
		k.acknowledged[what] = append(k.acknowledged[what], ids...)
	}
}

func (k *killed) checkAll() {
	s := storetest.OpenAt(k, k.address)
	defer s.Close()
	k.check(s, k.acknowledged)
	ctx := k.Context()
	err := s.View(ctx, func(tx review.Tx) error {
		servers, err := tx.Servers(ctx)
		if err != nil {
			return err
		}
		for _, server := range servers {
			if err := k.noHalves(ctx, tx, server.ID); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		k.Errorf("read everything: %v", err)
	}
}

// check looks each acknowledged thing up.
func (k *killed) check(s *store.Store, acknowledged map[string][]string) {
	ctx := k.Context()
	look := map[string]func(tx review.Tx, id string) error{
		"push": func(tx review.Tx, id string) error {
			r, err := tx.ReleaseByID(ctx, id)
			if err != nil {
				return err
			}
			l, err := tx.ListingByID(ctx, r.Head.ListingID)
			if err == nil && l.Surface.RawHash != r.Head.RawHash {
				err = fmt.Errorf("its listing has other bytes")
			}
			return err
		},
		"thread": func(tx review.Tx, id string) error {
			th, err := tx.ThreadByID(ctx, id)
			if err == nil && len(th.Comments) == 0 {
				err = fmt.Errorf("its first comment is lost")
			}
			return err
		},
		"comment": func(tx review.Tx, id string) error {
			th, err := tx.ThreadByID(ctx, id)
			if err == nil && len(th.Comments) != 2 {
				err = fmt.Errorf("it has %d comments, want 2", len(th.Comments))
			}
			return err
		},
		"verdicts": func(tx review.Tx, id string) error {
			vs, err := tx.VerdictsOfRelease(ctx, id)
			if err == nil && len(vs) != 2 {
				err = fmt.Errorf("it has %d verdicts, want 2", len(vs))
			}
			return err
		},
	}
	err := s.View(ctx, func(tx review.Tx) error {
		for what, ids := range acknowledged {
			for _, id := range ids {
				if err := look[what](tx, id); err != nil {
					k.Errorf("%s %s was acknowledged: %v", what, id, err)
				}
			}
		}
		return nil
	})
	if err != nil {
		k.Error(err)
	}
}

// noHalves reads all that there is of a server, acknowledged or not.
func (k *killed) noHalves(ctx context.Context, tx review.Tx, serverID string) error {
	listings, err := tx.ListingInfos(ctx, serverID, review.Page{Limit: 500})
	if err != nil {
		return err
	}
	for _, info := range listings {
		if _, err := tx.ListingByID(ctx, info.ID); err != nil {
			k.Errorf("listing %s: %v", info.ID, err)
		}
	}
	releases, err := tx.Releases(ctx, serverID, "", review.Page{Limit: 500})
	if err != nil {
		return err
	}
	for _, r := range releases {
		vs, err := tx.VerdictsOfRelease(ctx, r.ID)
		if err != nil || r.Head.N == 0 || len(vs) == 1 {
			k.Errorf("release %s has head %d and %d verdicts (%v)", r.Version, r.Head.N, len(vs), err)
		}
	}
	threads, err := tx.Threads(ctx, review.ThreadFilter{ServerID: serverID})
	for _, th := range threads {
		if len(th.Comments) == 0 {
			k.Errorf("thread %s has no comment", th.ID)
		}
	}
	return err
}

// writeUntilKilled pushes, comments and decides for ever, and says so on standard
// output after each commit. It returns only when it fails.
func writeUntilKilled(address string) error {
	ctx := context.Background()
	s, err := store.Open(ctx, address)
	if err != nil {
		return err
	}
	server := &review.Server{ID: id(), Slug: id(), CreatedAt: time.Now()}
	if err := s.Update(ctx, func(tx review.Tx) error { return tx.InsertServer(ctx, server) }); err != nil {
		return err
	}
	for n := 0; ; n++ {
		w := killWriter{ctx, s, server, &review.Release{ID: id(), ServerID: server.ID, Profile: "default", Version: fmt.Sprint(n), CreatedAt: time.Now()}}
		for _, step := range []func() error{w.push, w.thread, w.verdicts} {
			if err := step(); err != nil {
				return err
			}
		}
	}
}

func id() string { return uuid.Must(uuid.NewV7()).String() }

type killWriter struct {
	ctx     context.Context
	store   *store.Store
	server  *review.Server
	release *review.Release
}

func (w *killWriter) commit(what, id string, f func(tx review.Tx) error) error {
	if err := w.store.Update(w.ctx, f); err != nil {
		return err
	}
	_, err := os.Stdout.WriteString(what + " " + id + "\n")
	return err
}

// push stores a listing of old and new definitions, its release and revision.
func (w *killWriter) push() error {
	var raw strings.Builder
	raw.WriteString(`{"tools":[`)
	for i := range 40 {
		fmt.Fprintf(&raw, `{"name":"t%d","description":%q},`, i, strings.Repeat("kept ", 30))
		fmt.Fprintf(&raw, `{"name":"n%d","description":%q},`, i, w.release.ID)
	}
	raw.WriteString(`{"name":"last","inputSchema":{"type":"object"}}]}`)
	read, err := surface.Read([]byte(raw.String()), surface.Options{})
	if err != nil {
		return err
	}
	l := &review.Listing{ID: id(), ServerID: w.server.ID, Profile: "default", Surface: read, ReceivedAt: time.Now()}
	return w.commit("push", w.release.ID, func(tx review.Tx) error {
		if err := tx.InsertListing(w.ctx, l); err != nil {
			return err
		}
		if err := tx.InsertRelease(w.ctx, w.release); err != nil {
			return err
		}
		return tx.InsertRevision(w.ctx, &review.Revision{N: 1, ReleaseID: w.release.ID, ListingID: l.ID,
			Digest: read.Digest, RawHash: read.RawHash, PushedAt: time.Now()})
	})
}

// thread opens a thread and answers in it.
func (w *killWriter) thread() error {
	th := &review.Thread{ID: id(), ServerID: w.server.ID, Profile: "default", ReleaseID: w.release.ID, OpenedAt: time.Now()}
	th.Comments = []review.Comment{{ID: id(), ThreadID: th.ID, Body: "why?", At: time.Now()}}
	if err := w.commit("thread", th.ID, func(tx review.Tx) error { return tx.InsertThread(w.ctx, th) }); err != nil {
		return err
	}
	return w.commit("comment", th.ID, func(tx review.Tx) error {
		return tx.InsertComment(w.ctx, &review.Comment{ID: id(), ThreadID: th.ID, Body: "because", At: time.Now()})
	})
}

// verdicts gives two in one transaction, by two statements.
func (w *killWriter) verdicts() error {
	return w.commit("verdicts", w.release.ID, func(tx review.Tx) error {
		for range 2 {
			v := review.Verdict{ID: id(), ServerID: w.server.ID, Profile: "default", ReleaseID: w.release.ID, Subject: change.SubjectTool,
				To: surface.HashOf([]byte(id())), Kind: review.Approve, At: time.Now()}
			if err := tx.InsertVerdicts(w.ctx, []review.Verdict{v}); err != nil {
				return err
			}
		}
		return nil
	})
}
