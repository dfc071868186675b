package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/countersign/countersign/internal/config"
	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/store"
)

type backupCmd struct {
	File  string `arg:"" help:"File to write, readable by its owner only; - is standard output."`
	Empty bool   `help:"Back up a database in which nobody has an account and no server stands; without, it is refused."`
	JSON  bool   `help:"Print JSON."`
}

// backupAnswer is what backup and restore print of a backup.
type backupAnswer struct {
	File    string `json:"file"`
	Engine  string `json:"engine"` // of the database that the backup was made from
	Tables  int    `json:"tables"`
	Rows    int64  `json:"rows"`
	Content string `json:"content"`
}

func answerOf(file string, b *store.Backup) backupAnswer {
	return backupAnswer{file, b.Engine, b.Tables, b.Rows, "sha256:" + b.Content}
}

// Run writes a backup, also while the server runs.
func (c *backupCmd) Run(e *env) error {
	in, actor, err := administration(e.ctx, false)
	if err != nil {
		return err
	}
	defer in.close()
	if !c.Empty {
		if err := in.inUse(e.ctx, actor); err != nil {
			return err
		}
	}
	if c.File == "-" {
		_, err := in.store.Backup(e.ctx, e.stdout, version())
		return err
	}
	b, err := writeBackup(e.ctx, in.store, c.File)
	if err != nil {
		return err
	}
	return say(e.stdout, c.JSON, answerOf(c.File, b), "Backed up %d rows of %d tables to %s. SECRET is not in it: keep it elsewhere.", b.Rows, b.Tables, c.File)
}

// inUse refuses a database that nobody ever used: most likely it is not the one that
// should be backed up.
func (i *instance) inUse(ctx context.Context, actor review.Actor) error {
	nobody, err := i.svc.SetUpNeeded(ctx)
	if err != nil || !nobody {
		return err
	}
	servers, err := i.svc.Servers(ctx, actor)
	if err != nil || len(servers) > 0 {
		return err
	}
	return fmt.Errorf("the database %s is empty: nobody has an account there, and no server stands in it. Nothing was written. Run this in the environment of the server (%sDATABASE_URL; countersign config prints it), or add --empty to back it up all the same", i.cfg.Database(), config.Prefix)
}

// writeBackup makes the file whole or not at all: it gets its name when all of it
// is on disk. A file that is there already is left alone.
func writeBackup(ctx context.Context, st *store.Store, file string) (_ *store.Backup, err error) {
	if _, err := os.Lstat(file); !errors.Is(err, fs.ErrNotExist) {
		return nil, errors.Join(err, fmt.Errorf("%s is there already: give another name, a backup overwrites nothing", file))
	}
	part, err := os.CreateTemp(filepath.Dir(file), "."+filepath.Base(file)+".*") // 0600
	if err != nil {
		return nil, err
	}
	defer func() {
		part.Close()
		if err != nil {
			os.Remove(part.Name())
		}
	}()
	b, err := st.Backup(ctx, part, version())
	if err != nil {
		return nil, err
	}
	if err := part.Sync(); err != nil {
		return nil, err
	}
	return b, os.Rename(part.Name(), file)
}

type restoreCmd struct {
	File    string `arg:"" help:"File that countersign backup wrote; - is standard input."`
	Replace bool   `help:"Lose what the database holds; without, only an empty one is taken."`
	Check   bool   `help:"Only read the backup to its end and say whether it is whole."`
	JSON    bool   `help:"Print JSON."`
}

// Run fills the database of the environment from a backup of either engine.
func (c *restoreCmd) Run(e *env) error {
	in, err := c.open(e)
	if err != nil {
		return err
	}
	defer in.Close()
	if c.Check {
		b, err := store.CheckBackup(in)
		if err != nil {
			return err
		}
		return say(e.stdout, c.JSON, answerOf(c.File, b), "%s is whole: %d rows of %d tables, made on %s from %s by %s.",
			c.File, b.Rows, b.Tables, b.MadeAt.Format("2006-01-02 15:04:05 MST"), b.Engine, b.Program)
	}
	r, err := c.restore(e.ctx, in)
	if err != nil {
		return err
	}
	return say(e.stdout, c.JSON, struct {
		backupAnswer
		TokensEnded int      `json:"tokens_ended"`
		OtherSecret []string `json:"sealed_under_another_secret"`
		OtherPeople []string `json:"second_factors_under_another_secret"`
		OtherLive   []string `json:"endpoints_under_another_secret"`
		AuditSigned bool     `json:"audit_signed"`
	}{answerOf(c.File, r.backup), r.after.Tokens, append([]string{}, r.after.Sealed...), append([]string{}, r.after.Factors...), append([]string{}, r.after.Headers...), r.sealed.Checkpoint != nil}, "%s", restoredWords(c.File, r))
}

// restored is what a restore came to.
type restored struct {
	backup *store.Backup
	after  *review.AfterRestore
	sealed review.Sealing // of the act that stands for it
}

func (c *restoreCmd) open(e *env) (io.ReadCloser, error) {
	if c.File == "-" {
		return io.NopCloser(e.stdin), nil
	}
	return os.Open(c.File)
}

// restore doesn't open the instance as other commands do: those migrate first,
// and a backup may be of an older schema.
func (c *restoreCmd) restore(ctx context.Context, in io.Reader) (*restored, error) {
	cfg, err := config.FromEnvironment()
	if err == nil {
		err = cfg.NeedSecret()
	}
	if err != nil {
		return nil, err
	}
	st, err := store.Open(ctx, cfg.DatabaseURL)
	if err != nil {
		return nil, fmt.Errorf("the database can't be opened: %w", err)
	}
	defer st.Close()
	svc := review.NewService(st, review.Config{BaseURL: cfg.BaseURL, Secret: []byte(cfg.Secret), Signer: keyOf(cfg).read})
	var r restored
	r.backup, err = st.Restore(ctx, in, store.Restoring{Replace: c.Replace, After: func(tx review.Tx, b *store.Backup) (err error) {
		r.after, err = svc.Restored(ctx, tx, review.Actor{Shell: true, Via: "shell"},
			review.RestoredFrom{MadeAt: b.MadeAt, Program: b.Program, Engine: b.Engine, Rows: b.Rows, Content: b.Content})
		return err
	}})
	if err != nil {
		return nil, err
	}
	// The restore itself is done: what can't be sealed or signed now waits for serve.
	if r.sealed, err = svc.SealAudit(ctx, true); err != nil {
		r.sealed.Unsigned = err
	}
	return &r, nil
}

func restoredWords(file string, r *restored) string {
	b, after := r.backup, r.after
	words := fmt.Sprintf("Restored %d rows of %d tables from %s, as they were on %s.\nEverybody is signed out, and %s ended: make new ones.",
		b.Rows, b.Tables, file, b.MadeAt.Format("2006-01-02 15:04:05 MST"), count(after.Tokens, "token"))
	if len(after.Sealed) > 0 {
		words += fmt.Sprintf("\nThis SECRET is not the one that the backup was made under, so signed pushes fail for %s. Set that SECRET, or rotate the webhook secrets: countersign server rotate-secret SLUG.",
			strings.Join(after.Sealed, ", "))
	}
	if len(after.Factors) > 0 {
		words += "\nNor does it open the second factor of " + strings.Join(after.Factors, ", ") + ". With the old SECRET at hand: countersign reseal; else: countersign user remove-second-factor EMAIL."
	}
	if len(after.Headers) > 0 {
		words += "\nNor the headers of the endpoints " + strings.Join(after.Headers, ", ") + ". With the old SECRET at hand: countersign reseal; else give them anew on their pages."
	}
	if r.sealed.Checkpoint == nil {
		words += "\nNo key vouches for the restore in the audit yet"
		if r.sealed.Unsigned != nil {
			words += ": " + r.sealed.Unsigned.Error()
		}
		words += ". It waits for countersign serve."
	}
	return words
}
