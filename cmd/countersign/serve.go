package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/countersign/countersign/internal/config"
	"github.com/countersign/countersign/internal/oidc"
	"github.com/countersign/countersign/internal/worker"
	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/views/fixtures"
	"github.com/countersign/countersign/web"
)

type serveCmd struct {
	Addr     string `help:"Address to listen on, instead of COUNTERSIGN_ADDR." placeholder:"HOST:PORT"`
	Database string `help:"Database, instead of COUNTERSIGN_DATABASE_URL." placeholder:"URL"`
	JSONLog  bool   `name:"json-log" help:"Write the log as JSON."`

	Storybook bool `help:"Show every page in every state, from fixtures, under /storybook: for whoever works on the pages."`
}

// Run serves until it is told to stop, then lets running requests finish. To be told
// before it began is no failure: nothing was taken yet.
func (c *serveCmd) Run(e *env) error {
	err := c.serve(e)
	if err != nil && e.ctx.Err() != nil {
		newLog(e.stderr, c.JSONLog).Info("told to end while it began", "left", err.Error())
		return nil
	}
	return err
}

func (c *serveCmd) serve(e *env) error {
	cfg, err := c.config()
	if err != nil {
		return err
	}
	log := newLog(e.stderr, c.JSONLog)
	for _, w := range configWarnings(cfg) {
		log.Warn("configuration", "text", w)
	}
	in, err := openInstance(e.ctx, cfg)
	if err != nil {
		return fmt.Errorf("the database can't be opened: %w", err)
	}
	defer in.close()
	in.serving = true
	if err := in.prepareKey(e.ctx); err != nil {
		// Reviews go on; what can't be signed says so where it is asked for.
		log.Error("nothing can be signed", "error", err)
	}
	ln, err := net.Listen("tcp", cfg.Addr)
	if err != nil {
		return fmt.Errorf("can't listen on %s: %w (another address: --addr)", cfg.Addr, err)
	}
	srv, err := in.server(log, stories(c.Storybook))
	if err != nil {
		return err
	}
	if err := in.serveMetrics(e.ctx, log); err != nil {
		return err
	}
	if err := in.sayHello(e, ln.Addr()); err != nil {
		return err
	}
	go in.sweep(e.ctx, log)
	go in.listen(e.ctx, log)
	go in.seal(e.ctx, log)
	go in.readLive(e.ctx, log)
	return srv.Serve(e.ctx, ln)
}

// sweep forgets expired sessions, and what is older than it is kept, every hour
// until ctx ends. Several instances may do it at once.
func (i *instance) sweep(ctx context.Context, log *slog.Logger) {
	tick := time.NewTicker(time.Hour)
	defer tick.Stop()
	var said time.Time // until when nothing is forgotten, said once
	for {
		if _, err := i.store.Sessions().DeleteExpired(ctx); err != nil && ctx.Err() == nil {
			log.Error("expired sessions were not removed", "error", err)
		}
		keep := review.Keeping{Deliveries: i.cfg.KeepDeliveries, Notices: i.cfg.KeepNotices, Refs: i.cfg.KeepRefs, Reports: i.cfg.KeepReports}
		if f, err := i.svc.Forget(ctx, keep); err != nil && ctx.Err() == nil {
			log.Error("what is old was not forgotten", "error", err)
		} else if f.Waits.After(said) {
			said = f.Waits
			log.Warn("nothing is forgotten yet", "until", f.Waits.UTC().Format(time.RFC3339),
				"text", "The clock is more than a day past the last hourly run, or this is the first one. If the clock is wrong, set it right; else it is believed then.")
		} else if f.Waits.IsZero() && f != (review.Forgotten{}) {
			log.Info("forgotten", "deliveries", f.Deliveries, "notices", f.Notices, "refs", f.Refs, "reports", f.Reports, "links", f.Links, "live", f.Live)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// sealEvery is how long an act waits at most to be sealed into the audit's chain.
const sealEvery = 2 * time.Second

// seal seals the audit until ctx ends. Checkpoints go to the log, so that whoever
// keeps logs elsewhere has something to hold against the database.
func (i *instance) seal(ctx context.Context, log *slog.Logger) {
	tick := time.NewTicker(sealEvery)
	defer tick.Stop()
	var said string // why it can't be signed, said once
	for {
		done, err := i.svc.SealAudit(ctx, false)
		switch {
		case err != nil && ctx.Err() == nil:
			log.Error("the audit was not sealed", "error", err)
		case done.Unsigned != nil && done.Unsigned.Error() != said:
			said = done.Unsigned.Error()
			log.Error("the audit's checkpoint was not signed", "error", done.Unsigned)
		case done.Checkpoint != nil:
			said = ""
			log.Info("audit checkpoint", "seq", done.Checkpoint.Seq, "hash", done.Checkpoint.Hash.String(), "key", done.Checkpoint.KeyID)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// listen wakes waiting pages when something is committed, until ctx ends. Without
// it pages still look every few seconds.
func (i *instance) listen(ctx context.Context, log *slog.Logger) {
	if err := i.store.Listen(ctx, i.hub.Tell); err != nil {
		log.Error("pages are not told at once what happens", "error", err)
	}
}

// lookEvery is how often an idle reader looks whether an endpoint is due.
const lookEvery = 15 * time.Second

// readLive reads endpoints when they are due, until ctx ends. Several instances share
// them.
func (i *instance) readLive(ctx context.Context, log *slog.Logger) {
	worker.Reading{Reads: i.svc, AtOnce: i.cfg.LiveReaders, Look: lookEvery, Failed: func(err error) {
		log.Error("an endpoint was not read, for a reason of ours", "error", err)
	}}.Run(ctx)
}

func (c *serveCmd) config() (config.Config, error) {
	cfg, err := config.FromEnvironmentWith(map[string]string{"ADDR": c.Addr, "DATABASE_URL": c.Database})
	if err != nil {
		return cfg, err
	}
	return cfg, cfg.NeedSecret()
}

func newLog(w io.Writer, asJSON bool) *slog.Logger {
	if asJSON {
		return slog.New(slog.NewJSONHandler(w, nil))
	}
	return slog.New(slog.NewTextHandler(w, nil))
}

// server joins the store and the workflow to the web.
func (i *instance) server(log *slog.Logger, stories []web.Story) (*web.Server, error) {
	provider, err := providerOf(i.cfg)
	if err != nil {
		return nil, err
	}
	s, err := web.New(i.svc, web.Options{
		Provider:       provider,
		BaseURL:        i.cfg.BaseURL,
		TrustedProxies: i.cfg.TrustedProxies,
		Sessions:       i.store.Sessions(),
		ProofLasts:     i.proof,
		Ready:          i.store.Ping,
		Live:           i.hub,
		Log:            log,
		Build:          web.BuildInfo{Version: version()},
		Metrics:        i.meter.Guarded(i.cfg.MetricsToken),
		Requested:      i.meter.Requested,
		StopGrace:      i.cfg.StopGrace,
		ListingBytes:   int64(i.cfg.ListingBytes),
		Stories:        stories,
	})
	if err == nil {
		i.gauges(s)
	}
	return s, err
}

// providerOf is the identity provider of the configuration, nil for none.
func providerOf(cfg config.Config) (*oidc.Provider, error) {
	if cfg.OIDCIssuer == "" {
		return nil, nil
	}
	return oidc.New(oidc.Config{Issuer: cfg.OIDCIssuer, ClientID: cfg.OIDCClientID, ClientSecret: cfg.OIDCClientSecret, RedirectURL: cfg.BaseURL + web.ProviderBack})
}

// stories are every page in every state, when somebody wants to see them.
func stories(wanted bool) []web.Story {
	if !wanted {
		return nil
	}
	var out []web.Story
	for _, s := range append(fixtures.All(), fixtures.Hostile()...) {
		out = append(out, web.Story{Name: s.Name, Page: s.Page})
	}
	return out
}

// sayHello says where the server is and, while nobody has an account, how the
// first one gets theirs.
func (i *instance) sayHello(e *env, addr net.Addr) error {
	needed, err := i.svc.SetUpNeeded(e.ctx)
	if err != nil {
		return err
	}
	link := ""
	if needed {
		if link, err = i.svc.NewSetUpLink(e.ctx); err != nil {
			return err
		}
	}
	fmt.Fprintf(e.stdout, "Countersign listens on %s, for browsers at %s\n", addr, i.cfg.BaseURL)
	if !needed {
		return nil
	}
	fmt.Fprintf(e.stdout, "Nobody has an account yet. This link makes the administrator; it works once, for an hour:\n%s\n", link)
	return nil
}

type healthCmd struct{}

// Run asks the running server; containers use it, since their image holds
// nothing else that could.
func (c *healthCmd) Run(e *env) error {
	cfg, err := config.FromEnvironment()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(e.ctx, 5*time.Second)
	defer cancel()
	url := "http://" + cfg.Local() + "/healthz"
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return unsure{err}
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answered %s", url, resp.Status)
	}
	fmt.Fprintln(e.stdout, "well")
	return nil
}
