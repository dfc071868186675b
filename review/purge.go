package review

import (
	"context"
	"strings"
	"time"

	"github.com/countersign/countersign/review/people"
	"github.com/countersign/countersign/review/surface"
)

// Purging says who purges, when and why.
type Purging struct {
	By     string
	At     time.Time
	Reason string
}

// Purged says what a purge reached.
type Purged struct {
	Rows     map[string]int // by table; those of the audit keep the text
	Listings []string       // ids of those that held it
	Held     []PurgedListing
}

// PurgedListing names a listing that held a purged text.
type PurgedListing struct {
	ID     string
	Server string // slug
	Digest surface.Hash
}

const (
	minPurge  = 8
	maxPurge  = 64 << 10
	minReason = 10
)

// Purge writes over a text that should never have been pushed, such as a secret in
// a description, wherever it is kept. Digests stay, so verdicts and releases hold,
// and pages of a listing that held it say who purged it. The text itself goes
// nowhere: neither into the audit nor into an answer.
//
// It reaches every server, so it takes an administrator of all of them. dry only counts. The audit itself can't be changed: when it holds the text, its
// rows are counted and nothing else.
func (s *Service) Purge(ctx context.Context, a Actor, text, reason string, dry bool) (*Purged, error) {
	if !a.Shell && (a.Token != nil || !a.role("").AtLeast(people.Admin)) {
		return nil, Errorf(Forbidden, "A purge is done by an administrator, in the browser or on the command line.")
	}
	switch {
	case len(text) < minPurge || len(text) > maxPurge:
		return nil, Errorf(Invalid, "The text to purge has %d bytes: give %d to %d, the whole secret and nothing around it.", len(text), minPurge, maxPurge)
	case !keepable(text, maxPurge):
		return nil, Errorf(Invalid, "The text to purge is no UTF-8, or holds a NUL.")
	case strings.Contains(reason, text):
		return nil, Errorf(Invalid, "The reason holds the text that is to go: say why without it.")
	case len(reason) < minReason || len(reason) > 500 || !plainLine(reason):
		return nil, Errorf(Invalid, "Give a reason of %d to 500 bytes in one line: it is shown where the text was.", minReason)
	}
	var done *Purged
	err := s.store.Erase(ctx, func(tx Tx) error {
		var was *Kept
		var err error
		if !dry {
			if was, err = tx.Kept(ctx); err != nil {
				return err
			}
		}
		if done, err = tx.Purge(ctx, text, Purging{By: a.Label(), At: s.now(), Reason: reason}); err != nil {
			return err
		}
		if done.Held, err = heldBy(ctx, tx, done.Listings); err != nil {
			return err
		}
		if dry {
			return errDry
		}
		is, err := tx.Kept(ctx)
		if err != nil {
			return err
		}
		return s.audit(ctx, tx, a, act{name: "text.purge", subject: reason, after: map[string]any{"rows": done.Rows, "listings": done.Listings}, kept: is.state().since(was.state())})
	})
	if err == errDry {
		err = nil
	}
	return done, err
}

// heldBy names listings for people.
func heldBy(ctx context.Context, tx Tx, ids []string) ([]PurgedListing, error) {
	infos, err := tx.ListingInfosByID(ctx, ids)
	if err != nil || len(infos) == 0 {
		return nil, err
	}
	servers, err := tx.Servers(ctx)
	slugs := map[string]string{}
	for i := range servers {
		slugs[servers[i].ID] = servers[i].Slug
	}
	held := make([]PurgedListing, 0, len(infos))
	for _, in := range infos {
		held = append(held, PurgedListing{in.ID, slugs[in.ServerID], in.Digest})
	}
	return held, err
}

// errDry takes back what a dry run did.
var errDry = Errorf(Conflict, "This was only a try.")
