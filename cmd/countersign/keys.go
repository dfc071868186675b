package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/countersign/countersign/internal/config"
	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/proof"
)

// keyFile is where the private signing key is: never in the database.
type keyFile struct {
	text string // PEM from the environment, else
	path string
	own  bool // the file is ours: made at first, replaced by a rotation
}

func keyOf(c config.Config) keyFile {
	return keyFile{text: c.SigningKey, path: c.SigningKeyFile, own: c.OwnSigningKey}
}

// read is asked whenever something is signed.
func (k keyFile) read() (*proof.Signer, error) {
	text, where := []byte(k.text), config.Prefix+"SIGNING_KEY"
	if k.text == "" {
		where = k.path
		var err error
		if text, err = os.ReadFile(k.path); err != nil {
			return nil, err
		}
	}
	s, err := proof.ParseSigner(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", where, err)
	}
	return s, nil
}

// next is where a rotation puts the new key until the database knows it.
func (k keyFile) next() string { return k.path + ".next" }

func newSigner() (*proof.Signer, error) {
	seed := make([]byte, proof.SeedSize)
	if _, err := rand.Read(seed); err != nil {
		return nil, err
	}
	return proof.NewSigner(seed), nil
}

// writeKey writes a private key to a file that must not exist, for its owner only.
func writeKey(path string, s *proof.Signer) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(s.PEM())
	if err == nil {
		err = f.Sync() // the database is about to rely on it
	}
	return errors.Join(err, f.Close())
}

// prepareKey publishes the signing key, made at the first start. An instance that
// published one already never gets another by itself: the key is lost, or it is
// with another process, and only the operator knows which.
func (i *instance) prepareKey(ctx context.Context) error {
	k := keyOf(i.cfg)
	ring, err := i.svc.Ring(ctx)
	if err != nil {
		return err
	}
	if k.own {
		if err := k.finishRotation(ring); err != nil {
			return err
		}
	}
	_, err = os.Stat(k.path)
	if k.own && errors.Is(err, os.ErrNotExist) {
		if len(ring.Keys) > 0 {
			return fmt.Errorf("%s is not there, but this instance signed with a key before: bring it back, or give it as COUNTERSIGN_SIGNING_KEY_FILE; when it is lost: countersign keys rotate --lost", k.path)
		}
		if err := k.makeFirst(); err != nil {
			return err
		}
	}
	return i.svc.PublishKey(ctx)
}

// makeFirst makes the file; another process on the same folder may be quicker.
func (k keyFile) makeFirst() error {
	s, err := newSigner()
	if err != nil {
		return err
	}
	if err := writeKey(k.path, s); err != nil && !errors.Is(err, os.ErrExist) {
		return fmt.Errorf("the signing key can't be kept: %w", err)
	}
	return nil
}

// finishRotation puts the new key in its place when a rotation was killed between
// the database and the file, and removes one that the database never knew.
func (k keyFile) finishRotation(ring *proof.Ring) error {
	b, err := os.ReadFile(k.next())
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	s, err := proof.ParseSigner(b)
	if n := len(ring.Keys); err == nil && n > 0 && ring.Keys[n-1].ID == s.Key().ID {
		return os.Rename(k.next(), k.path)
	}
	return os.Remove(k.next())
}

type keysCmd struct {
	List   keysListCmd   `cmd:"" help:"List the keys that sign and signed."`
	Export keysExportCmd `cmd:"" help:"Print the public keys, for those who check what this instance signed."`
	Rotate keysRotateCmd `cmd:"" help:"Sign with a new key from now on; the old one signs that it follows."`
}

type keysListCmd struct {
	JSON bool `help:"Print JSON."`
}

// Run lists the keys, oldest first.
func (c *keysListCmd) Run(e *env) error {
	ring, err := ringOf(e)
	if err != nil {
		return err
	}
	if len(ring.Keys) == 0 {
		return say(e.stdout, c.JSON, ring, "No key yet. The first start of countersign serve makes one.")
	}
	var text strings.Builder
	for _, k := range ring.Keys {
		until := "signs now"
		if k.Until != nil {
			until = "until " + k.Until.Format("2006-01-02 15:04 MST")
		}
		fmt.Fprintf(&text, "%s\t%s\tsince %s\t%s\n", k.ID, k.Algorithm, k.Since.Format("2006-01-02 15:04 MST"), until)
	}
	return say(e.stdout, c.JSON, ring, "%s", strings.TrimSuffix(text.String(), "\n"))
}

// ringOf reads the public keys, and makes the first one where there is none.
func ringOf(e *env) (*proof.Ring, error) {
	in, _, err := administration(e.ctx, false)
	if err != nil {
		return nil, err
	}
	defer in.close()
	return in.svc.Ring(e.ctx)
}

type keysExportCmd struct {
	PEM bool `name:"pem" help:"Only the key that signs now, as PEM."`
}

// Run prints what /.well-known/countersign/keys.json serves.
func (c *keysExportCmd) Run(e *env) error {
	in, _, err := administration(e.ctx, false)
	if err != nil {
		return err
	}
	defer in.close()
	if err := in.prepareKey(e.ctx); err != nil {
		return err
	}
	ring, err := in.svc.Ring(e.ctx)
	if err != nil {
		return err
	}
	if c.PEM {
		_, err := fmt.Fprint(e.stdout, ring.Keys[len(ring.Keys)-1].PublicKey)
		return err
	}
	b, err := json.MarshalIndent(ring, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(e.stdout, "%s\n", b)
	return err
}

type keysRotateCmd struct {
	New  string `help:"File with the new private key, PKCS#8 in PEM; needed where the key is configured. Without: one is made." placeholder:"FILE"`
	Lost bool   `help:"The old key is gone: only the new one signs, and whoever pinned the old one must pin the new one by hand."`
	JSON bool   `help:"Print JSON."`
}

// Run lets another key sign.
func (c *keysRotateCmd) Run(e *env) error {
	in, actor, err := administration(e.ctx, false)
	if err != nil {
		return err
	}
	defer in.close()
	rec, err := c.rotate(e, in, actor)
	if err != nil {
		return err
	}
	then := "It is in " + in.cfg.SigningKeyFile + "."
	if !in.cfg.OwnSigningKey {
		then = "Give it to every process now (COUNTERSIGN_SIGNING_KEY or COUNTERSIGN_SIGNING_KEY_FILE); until then nothing can be signed."
	}
	return say(e.stdout, c.JSON, rec, "%s signs from now on. %s", rec.ID, then)
}

func (c *keysRotateCmd) rotate(e *env, in *instance, actor review.Actor) (*proof.Record, error) {
	k := keyOf(in.cfg)
	if !k.own {
		if c.New == "" {
			return nil, errors.New("the signing key is configured, so the new one is yours to make: openssl genpkey -algorithm ed25519 -out new.pem, then --new new.pem")
		}
		next, err := keyFile{path: c.New}.read()
		if err != nil {
			return nil, err
		}
		return in.svc.RotateKey(e.ctx, actor, next, c.Lost)
	}
	if err := in.prepareKey(e.ctx); err != nil && !c.Lost {
		return nil, err
	}
	next, err := c.madeOrGiven()
	if err != nil {
		return nil, err
	}
	if err := writeKey(k.next(), next); err != nil {
		return nil, fmt.Errorf("the new signing key can't be kept: %w", err)
	}
	rec, err := in.svc.RotateKey(e.ctx, actor, next, c.Lost)
	if err != nil {
		return nil, errors.Join(err, os.Remove(k.next()))
	}
	return rec, os.Rename(k.next(), k.path)
}

func (c *keysRotateCmd) madeOrGiven() (*proof.Signer, error) {
	if c.New != "" {
		return keyFile{path: c.New}.read()
	}
	return newSigner()
}
