package main

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/countersign/countersign/internal/config"
	"github.com/countersign/countersign/internal/demo"
	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/people"
	"github.com/countersign/countersign/review/surface"
	"github.com/countersign/countersign/web/client"
)

const (
	demoAddr  = "127.0.0.1:8080"
	demoEmail = "you@demo.invalid"
	// demoProof is longer than any session: who came by the demo's link has nothing to
	// prove themselves with.
	demoProof = 365 * 24 * time.Hour
)

type demoCmd struct {
	Addr string `help:"Loopback address to listen on; without: 127.0.0.1:8080, or another port when that is taken." placeholder:"HOST:PORT"`
	Data string `help:"Folder of the demo's database." default:"data/demo"`
}

// Run serves the demo until it is told to stop.
func (c *demoCmd) Run(e *env) error {
	ln, err := c.listen()
	if err != nil {
		return err
	}
	cfg, err := c.config(ln.Addr().String())
	if err != nil {
		return err
	}
	in, err := openInstance(e.ctx, cfg)
	if err != nil {
		return fmt.Errorf("the demo's database can't be opened: %w", err)
	}
	defer in.close()
	in.serving, in.proof = true, demoProof
	if err := in.prepareKey(e.ctx); err != nil {
		return err
	}
	log := newLog(io.Discard, false)
	srv, err := in.server(log, nil)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(e.ctx)
	defer cancel()
	go in.listen(ctx, log)
	go in.seal(ctx, log)
	served := make(chan error, 1)
	go func() { served <- srv.Serve(ctx, ln) }()
	link, err := in.stageDemo(ctx)
	if err != nil {
		return fmt.Errorf("the demo could not be set up: %w (remove %s to start afresh)", err, c.Data)
	}
	fmt.Fprintf(e.stdout, "Three sample servers were pushed through the webhook; their next versions wait for you.\nSign in (the link works once):\n\n    %s\n\nStop with Ctrl-C. The data stays in %s.\n", link, c.Data)
	return <-served
}

// listen takes the address that was asked for, or the usual one, or any.
func (c *demoCmd) listen() (net.Listener, error) {
	if c.Addr == "" {
		if ln, err := net.Listen("tcp", demoAddr); err == nil {
			return ln, nil
		}
		return net.Listen("tcp", "127.0.0.1:0")
	}
	host, _, err := net.SplitHostPort(c.Addr)
	if err != nil {
		return nil, fmt.Errorf("--addr %s: want host:port, such as %s", c.Addr, demoAddr)
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return nil, fmt.Errorf("--addr %s: the demo listens on a loopback address only, such as %s", c.Addr, demoAddr)
	}
	ln, err := net.Listen("tcp", c.Addr)
	if err != nil {
		return nil, fmt.Errorf("can't listen on %s: %w (another address: --addr 127.0.0.1:0 takes any that is free)", c.Addr, err)
	}
	return ln, nil
}

// config is the demo's own: nothing is taken from the environment, so that a
// demo never touches a real database.
func (c *demoCmd) config(addr string) (config.Config, error) {
	if err := os.MkdirAll(c.Data, 0o700); err != nil {
		return config.Config{}, err
	}
	secret, err := keptSecret(filepath.Join(c.Data, "secret"))
	if err != nil {
		return config.Config{}, err
	}
	return config.Config{
		Addr: addr, BaseURL: "http://" + addr, DataDir: c.Data, Secret: secret,
		DatabaseURL:    "sqlite:" + filepath.Join(c.Data, "countersign.db"),
		SigningKeyFile: filepath.Join(c.Data, config.SigningKeyName), OwnSigningKey: true,
	}, nil
}

// keptSecret returns the demo's secret, made once: the database holds what only
// it unseals.
func keptSecret(file string) (string, error) {
	b, err := os.ReadFile(file)
	if err == nil {
		return strings.TrimSpace(string(b)), nil
	}
	if !errors.Is(err, os.ErrNotExist) {
		return "", err
	}
	raw := make([]byte, 32)
	if _, err := rand.Read(raw); err != nil {
		return "", err
	}
	secret := base64.StdEncoding.EncodeToString(raw)
	return secret, os.WriteFile(file, []byte(secret+"\n"), 0o600)
}

// stageDemo brings the sample servers to where there is work to do, and returns
// a link that signs in. What stands already from an earlier run is left alone.
func (i *instance) stageDemo(ctx context.Context) (link string, err error) {
	shell := review.Actor{Shell: true, Via: "shell"}
	user, err := i.demoUser(ctx, shell)
	if err != nil {
		return "", err
	}
	for _, s := range demo.Samples() {
		if err := i.stageSample(ctx, shell, user, s); err != nil {
			return "", fmt.Errorf("%s: %w", s.Slug, err)
		}
	}
	return i.svc.DemoSignInLink(ctx, user.ID)
}

func (i *instance) demoUser(ctx context.Context, shell review.Actor) (*people.User, error) {
	users, err := i.svc.Users(ctx, shell)
	if err != nil {
		return nil, err
	}
	for n := range users {
		if users[n].Email == demoEmail {
			return &users[n], nil
		}
	}
	u, _, err := i.svc.AddUser(ctx, shell, review.NewUser{Email: demoEmail, Name: "You", Role: people.Admin})
	return u, err
}

// stageSample registers a server, pushes its versions signed over HTTP, and lets
// all but the last one be released from a baseline.
func (i *instance) stageSample(ctx context.Context, shell review.Actor, user *people.User, s demo.Sample) error {
	_, secret, err := i.svc.AddServer(ctx, shell, review.NewServer{Slug: s.Slug, Name: s.Name, Preset: gate.Preset(s.Preset)})
	if review.KindOf(err) == review.Conflict {
		return nil
	}
	if err != nil {
		return err
	}
	cl, err := client.New(client.Options{BaseURL: i.cfg.BaseURL, Server: s.Slug, Secret: secret, Agent: "countersign-demo"})
	if err != nil {
		return err
	}
	for n, v := range s.Versions {
		res, err := cl.Push(ctx, client.PushRequest{Body: v.Body, Version: v.Version})
		if err != nil {
			return err
		}
		if n == len(s.Versions)-1 {
			return nil
		}
		digest, err := surface.ParseHash(res.Answer.Listing.Digest)
		if err != nil {
			return err
		}
		maintainer := review.Actor{User: user, Via: "shell"}
		if _, err := i.svc.AcceptBaseline(ctx, maintainer, res.Answer.Release.ID, digest, nil); err != nil {
			return err
		}
		if _, err := i.svc.MarkReleased(ctx, maintainer, res.Answer.Release.ID, digest); err != nil {
			return err
		}
	}
	return nil
}
