package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/countersign/countersign/internal/config"
	"github.com/countersign/countersign/internal/live"
	"github.com/countersign/countersign/internal/mcp"
	"github.com/countersign/countersign/internal/metrics"
	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/people"
	"github.com/countersign/countersign/review/surface"
	"github.com/countersign/countersign/store"
)

// instance is a configured store with the workflow over it.
type instance struct {
	cfg   config.Config
	store *store.Store
	svc   *review.Service
	hub   *live.Hub // wakes pages that wait
	meter *metrics.Metrics

	serving bool          // signs a checkpoint at its end
	proof   time.Duration // how long a proof of who somebody is is good for; 0 as usual
}

// openInstance migrates and opens the database of the configuration. Every
// command that works on the database goes through here, so that all of them
// migrate first, unless look has something against the database as it is.
func openInstance(ctx context.Context, cfg config.Config, look ...func(context.Context, *store.Store) error) (*instance, error) {
	if path, ok := strings.CutPrefix(cfg.DatabaseURL, "sqlite:"); ok {
		// Listings and secrets are nobody else's business on a shared machine.
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return nil, err
		}
	}
	st, err := store.Open(ctx, cfg.DatabaseURL)
	if err != nil {
		return nil, err
	}
	for _, step := range append(look, migrate) {
		if err := step(ctx, st); err != nil {
			st.Close()
			return nil, err
		}
	}
	meter := metrics.New(version())
	svc := review.NewService(st, review.Config{
		BaseURL: cfg.BaseURL, Secret: []byte(cfg.Secret), Newcomers: newcomersOf(cfg), SecondFactor: cfg.RequireSecondFactor, Observer: meter, Signer: keyOf(cfg).read, Limits: limitsOf(cfg),
		Reader: readerOf(cfg),
	})
	if _, err := svc.IndexAll(ctx); err != nil {
		st.Close()
		return nil, err
	}
	hub := live.NewHub()
	if cfg.EventStreams > 0 {
		hub = live.NewHubFor(cfg.EventStreams)
	}
	return &instance{cfg: cfg, store: st, svc: svc, hub: hub, meter: meter}, nil
}

func migrate(ctx context.Context, st *store.Store) error { return st.Migrate(ctx) }

// limitsOf are the limits of the configuration; those that it doesn't set are the
// service's own, as in the demo.
func limitsOf(cfg config.Config) review.Limits {
	return review.Limits{
		Surface: surface.Options{Limits: surface.Limits{
			Bytes: cfg.ListingBytes, Depth: cfg.ListingDepth, Nodes: cfg.ListingValues, Digits: cfg.NumberDigits, Pages: cfg.ListingPages,
		}},
		PushesPerMinute: cfg.PushesPerMinute, PushesPerDay: cfg.PushesPerDay, OpenReleases: cfg.OpenReleases,
		StoredBytes: cfg.ServerBytes, Samples: cfg.Samples, CommentBytes: cfg.CommentBytes, CommentsPerHour: cfg.CommentsPerHour,
	}
}

// readerOf reads live servers, nil when this instance reads none.
func readerOf(cfg config.Config) review.Reader {
	if cfg.LiveReaders == 0 {
		return nil
	}
	return &mcp.Reader{
		Hosts: cfg.LiveHosts, Networks: cfg.LiveNetworks, Setting: config.Prefix + "LIVE_HOSTS",
		Limits: mcp.Limits{Pages: cfg.ListingPages, Bytes: cfg.ListingBytes, Timeout: liveTimeout},
	}
}

// liveTimeout bounds one reading of a live server: somebody may wait for it at a page.
const liveTimeout = 20 * time.Second

// newcomersOf is the role of people who sign in uninvited.
func newcomersOf(cfg config.Config) people.Role {
	if cfg.OIDCNewcomers == config.NewcomersView {
		return people.Viewer
	}
	return people.NoRole
}

// close seals what was done and ends all connections.
func (i *instance) close() {
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	// What stays unsealed waits for the next process; nothing is lost.
	_, _ = i.svc.SealAudit(ctx, i.serving)
	i.store.Close()
}

// closeTimeout bounds what is done at the end of a process.
const closeTimeout = 10 * time.Second

// administration opens the instance of the environment for a command that works
// on the database directly. The acts are those of the shell. There has to be a
// database: a backup that runs in another environment than the server would else make
// an empty one each night, and call it a success.
func administration(ctx context.Context, needSecret bool) (*instance, review.Actor, error) {
	cfg, err := config.FromEnvironment()
	if err != nil {
		return nil, review.Actor{}, err
	}
	if path, ok := strings.CutPrefix(cfg.DatabaseURL, "sqlite:"); ok {
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return nil, review.Actor{}, noDatabase("there is no database " + path)
		}
	}
	return opened(ctx, cfg, needSecret, func(ctx context.Context, st *store.Store) error {
		if there, err := st.Migrated(ctx); err != nil || there {
			return err
		}
		return noDatabase("nothing of Countersign is in the database " + cfg.Database())
	})
}

// noDatabase says what to do where a command found nothing to work on.
func noDatabase(what string) error {
	return fmt.Errorf("%s: run this in the environment of the server (%[2]sDATA_DIR or %[2]sDATABASE_URL; countersign config prints it), or make a new database with countersign migrate", what, config.Prefix)
}

// founding is administration by a command that may be the first one there is.
func founding(ctx context.Context, needSecret bool) (*instance, review.Actor, error) {
	cfg, err := config.FromEnvironment()
	if err != nil {
		return nil, review.Actor{}, err
	}
	return opened(ctx, cfg, needSecret)
}

func opened(ctx context.Context, cfg config.Config, needSecret bool, look ...func(context.Context, *store.Store) error) (*instance, review.Actor, error) {
	if needSecret {
		if err := cfg.NeedSecret(); err != nil {
			return nil, review.Actor{}, err
		}
	}
	in, err := openInstance(ctx, cfg, look...)
	if err != nil {
		return nil, review.Actor{}, fmt.Errorf("the database can't be opened: %w", err)
	}
	return in, review.Actor{Shell: true, Via: "shell"}, nil
}
