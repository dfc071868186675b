package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/countersign/countersign/review/change"
	"github.com/countersign/countersign/review/lock"
	"github.com/countersign/countersign/review/proof"
	"github.com/countersign/countersign/review/report"
	"github.com/countersign/countersign/review/surface"
)

type lockCmd struct {
	fileArg
}

// Run prints the lock of a listing as a bare statement: its digests, and nobody's
// word that it was approved. A signed one comes from the server.
func (c *lockCmd) Run(e *env) error {
	l, err := e.listing(c.File)
	if err != nil {
		return err
	}
	k, err := lock.Of(l)
	if err != nil {
		return unsure{fmt.Errorf("%s: %w", c.File, err)}
	}
	b, err := k.Statement()
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(e.stdout, "%s\n", b)
	return err
}

type verifyCmd struct {
	Lock     string   `arg:"" help:"The lock file."`
	File     string   `arg:"" optional:"" help:"The listing: as FILE of inspect."`
	Stdio    string   `help:"Command of a live server, instead of FILE." placeholder:"'CMD ARGS'"`
	URL      string   `name:"url" help:"Address of a live server, instead of FILE." placeholder:"URL"`
	Header   []string `help:"Header to send with every request, as K:V." placeholder:"K:V" sep:"none"`
	Key      []string `help:"Public key to trust, PEM; only these count." placeholder:"PUB" sep:"none"`
	Keys     string   `help:"keys.json of the instance, to follow its rotations from a trusted key." placeholder:"FILE"`
	Released string   `help:"The listing that was released, to say in words what changed since." placeholder:"FILE"`
	JSON     bool     `help:"Print JSON."`
}

// verified is what verify prints.
type verified struct {
	lock.Difference
	Signature lock.Signature  `json:"signature"`
	Server    string          `json:"server,omitempty"`
	Version   string          `json:"version,omitempty"`
	Changes   json.RawMessage `json:"changes,omitempty"` // the diff's JSON, with --released
}

// Run compares a listing with a lock: 0 the same, 1 it differs or another key signed,
// 2 it can't be reached or told, 3 failed.
func (c *verifyCmd) Run(e *env) error {
	f, err := c.lockFile()
	if err != nil {
		return err
	}
	trusted, err := c.trusted()
	if err != nil {
		return err
	}
	v := verified{Signature: f.Check(trusted...), Server: f.Lock.Server, Version: f.Lock.Version}
	if v.Signature == lock.Foreign {
		// What it says is not worth comparing with.
		return errors.Join(c.print(e, v, nil), exit(exitNo))
	}
	live, err := c.listing(e)
	if err != nil {
		return err
	}
	v.Difference = f.Lock.Compare(live)
	r, err := c.changes(e, f, live)
	if err != nil {
		return err
	}
	if err := c.print(e, v, r); err != nil {
		return err
	}
	switch v.State {
	case lock.Same:
		return nil
	case lock.Differs:
		return exit(exitNo)
	}
	return exit(exitUnsure)
}

func (c *verifyCmd) lockFile() (*lock.File, error) {
	b, err := os.ReadFile(c.Lock)
	if err != nil {
		return nil, err
	}
	f, err := lock.Parse(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.Lock, err)
	}
	return f, nil
}

func (c *verifyCmd) trusted() ([]proof.Trusted, error) {
	pins, err := publicKeys(c.Key)
	if err != nil {
		return nil, err
	}
	var ring proof.Ring
	if c.Keys != "" {
		if len(pins) == 0 {
			return nil, errors.New("--keys alone makes nothing trusted: whoever can change that file could put a key into it. Pin one with --key PUB")
		}
		b, err := os.ReadFile(c.Keys)
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(b, &ring); err != nil {
			return nil, fmt.Errorf("%s: %w", c.Keys, err)
		}
	}
	return ring.Trusted(pins...), nil
}

func (c *verifyCmd) listing(e *env) (*surface.Listing, error) {
	given := 0
	for _, s := range []string{c.File, c.Stdio, c.URL} {
		if s != "" {
			given++
		}
	}
	if given != 1 {
		return nil, errors.New("give one of FILE, --stdio and --url")
	}
	if c.File != "" {
		return e.listing(c.File)
	}
	header, err := headers(c.Header)
	if err != nil {
		return nil, err
	}
	in, err := e.live(source{Stdio: c.Stdio, URL: c.URL, Header: header})
	if err != nil {
		return nil, err
	}
	return in.listing(surface.Options{})
}

// changes compares with the released listing, when it was given and is the locked one.
func (c *verifyCmd) changes(e *env, f *lock.File, live *surface.Listing) (*change.Report, error) {
	if c.Released == "" {
		return nil, nil
	}
	released, err := e.listing(c.Released)
	if err != nil {
		return nil, err
	}
	if released.Digest != f.Lock.Digest {
		return nil, fmt.Errorf("%s is not the listing that is locked: its digest is %s, the lock is of %s", c.Released, released.Digest, f.Lock.Digest)
	}
	return change.Compare(released, live, change.Options{}), nil
}

func (c *verifyCmd) print(e *env, v verified, r *change.Report) error {
	if c.JSON {
		if r != nil {
			b, err := report.Diff(r)
			if err != nil {
				return err
			}
			v.Changes = b
		}
		return say(e.stdout, true, v, "")
	}
	if _, err := fmt.Fprint(e.stdout, verifiedText(v)); err != nil || r == nil || v.State == lock.Same {
		return err
	}
	_, err := fmt.Fprint(e.stdout, report.DiffText(r))
	return err
}

var signatureText = map[lock.Signature]string{
	lock.Bare:      "The lock is not signed: it says what was locked, and proves nothing about who approved it.",
	lock.Unchecked: "The signature was NOT checked: no key was given (--key PUB).",
	lock.Valid:     "Signed by a key that you trust.",
	lock.Foreign:   "The lock is not signed by a key that you trust. Nothing in it counts.",
}

func verifiedText(v verified) string {
	var b strings.Builder
	of := "the lock"
	if v.Server != "" {
		of = report.Line(v.Server + " " + v.Version)
	}
	switch v.State {
	case lock.Same:
		fmt.Fprintf(&b, "The same as %s.\n", of)
	case lock.Differs:
		fmt.Fprintf(&b, "Not the same as %s.\n", of)
	case lock.Unknown:
		fmt.Fprintf(&b, "We can't tell whether this is %s. %s\n", of, v.Why)
	}
	for _, s := range v.Sentences {
		fmt.Fprintf(&b, "  %s\n", report.Line(s))
	}
	fmt.Fprintln(&b, signatureText[v.Signature])
	return b.String()
}
