package review

import (
	"context"
	"time"

	"github.com/countersign/countersign/review/people"
)

// importGoesOn is how long after its last version an import is taken to be at work: one
// version of two thousand tools takes some seconds, and a program that was killed says
// nothing.
const importGoesOn = 2 * time.Minute

// importLooks is how many of the newest deliveries are looked at for an import: what CI
// pushes meanwhile stands among them.
const importLooks = 10

// Import is how far an import of many versions is, told from what was delivered: no
// program has to end well for it to be true.
type Import struct {
	Place, Of int       // the newest version that was taken or refused, and how many there are
	At        time.Time // when that was
	Working   bool      // else it ended, or was stopped before its end
}

// Done reports whether every version had its turn.
func (i *Import) Done() bool { return i.Place >= i.Of }

// Importing returns the import of a server that is at work, or that stopped before its
// end or came to it a short while ago; nil for none.
func (s *Service) Importing(ctx context.Context, a Actor, slug string) (*Import, error) {
	var found *Import
	err := s.store.View(ctx, func(tx Tx) error {
		srv, err := serverFor(ctx, tx, a, slug, people.Viewer, people.ScopeRead)
		if err != nil {
			return err
		}
		found, err = importing(ctx, tx, srv.ID, s.now())
		return err
	})
	return found, err
}

func importing(ctx context.Context, tx Tx, serverID string, now time.Time) (*Import, error) {
	newest, err := tx.Deliveries(ctx, []string{serverID}, DeliveryFilter{}, Page{Limit: importLooks})
	if err != nil {
		return nil, err
	}
	for i := range newest {
		d := &newest[i]
		if d.Params.Of == 0 || !d.Verified {
			continue
		}
		im := &Import{Place: d.Params.Place, Of: d.Params.Of, At: d.ReceivedAt}
		recent := now.Sub(d.ReceivedAt) < importGoesOn
		if im.Working = recent && !im.Done(); im.Done() && !recent {
			return nil, nil
		}
		return im, nil
	}
	return nil, nil
}
