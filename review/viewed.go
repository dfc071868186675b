package review

import (
	"context"
	"time"

	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/people"
)

// Look is a listing that somebody worked on: they decided, commented or marked
// something as viewed. From it follows what came since.
type Look struct {
	UserID    string
	ServerID  string
	Profile   string
	ListingID string
	ReleaseID string
	At        time.Time
}

// ViewedStore keeps what people looked at. Nobody is shown anybody else's; of a
// starting point they are told what nobody has looked at.
type ViewedStore interface {
	// SetViewed marks changes as viewed by a person; those that are keep their time.
	SetViewed(ctx context.Context, userID string, k ProfileKey, changes []string, at time.Time) error
	ClearViewed(ctx context.Context, userID string, k ProfileKey, changes []string) error
	// Viewed returns which of all changes of the profile the person has viewed.
	Viewed(ctx context.Context, userID string, k ProfileKey, changes []string) (map[string]bool, error)
	// ViewedByAny returns which of the changes somebody has viewed, whoever it was.
	ViewedByAny(ctx context.Context, k ProfileKey, changes []string) (map[string]bool, error)
	PutLook(ctx context.Context, l *Look) error // of one listing the newest stays
	// LastLook returns the listing of the profile that the person worked on last;
	// NotFound when there is none.
	LastLook(ctx context.Context, userID string, k ProfileKey) (*Look, error)
	// LookBefore returns the listing that the person worked on last of those that come
	// before a head of the profile and are not its own: an earlier one of the same
	// release, else one that was pushed before it. NotFound when there is none.
	LookBefore(ctx context.Context, userID string, k ProfileKey, head *Revision) (*Look, error)
}

// MarkViewed notes that the actor has looked at changes of a release, or takes it
// back. It is theirs alone: no page and no answer shows it to others, and the
// audit does not keep it. Stale when a change is not one of the release's.
func (s *Service) MarkViewed(ctx context.Context, a Actor, releaseID string, changes []string, viewed bool) error {
	if len(changes) == 0 || len(changes) > maxItems {
		return Errorf(Invalid, "Name 1 to %d changes.", maxItems)
	}
	return s.reading(ctx, a, releaseID, func(tx Tx, as *assessment) error {
		here := map[string]bool{}
		for _, c := range as.outline.Changes {
			here[c.ID] = true
		}
		for _, id := range changes {
			if !here[id] {
				return &Error{Kind: Stale, Sentence: as.release.Title() + " changed while you read. See what changed."}
			}
		}
		if !viewed {
			return tx.ClearViewed(ctx, a.userID(), as.profile(), changes)
		}
		if err := tx.SetViewed(ctx, a.userID(), as.profile(), changes, s.now()); err != nil {
			return err
		}
		return s.looked(ctx, tx, a, as)
	})
}

// see marks as viewed what a person answered and left nothing open in: who judged a
// change has seen it. A token judges nothing with eyes.
func (d *decision) see(ctx context.Context, tx Tx) error {
	if d.actor.Token != nil {
		return nil
	}
	var seen []string
	d.stands = gate.NewStanding(d.given)
	for _, c := range d.touched {
		if o := d.opinion(c); o.Approval != nil || o.Rejection != nil {
			seen = append(seen, c.ID)
		}
	}
	if len(seen) == 0 {
		return nil
	}
	return tx.SetViewed(ctx, d.actor.userID(), d.as.profile(), seen, d.s.now())
}

// reading runs an act that is about the actor alone: every role that reads may do
// it.
func (s *Service) reading(ctx context.Context, a Actor, releaseID string, f func(Tx, *assessment) error) error {
	return s.acting(ctx, a, releaseID, people.Viewer, f)
}

// looked notes that the actor worked on the head of a release.
func (s *Service) looked(ctx context.Context, tx Tx, a Actor, as *assessment) error {
	return tx.PutLook(ctx, &Look{
		UserID: a.userID(), ServerID: as.server.ID, Profile: as.release.Profile, ListingID: as.revision.ListingID,
		ReleaseID: as.release.ID, At: s.now(),
	})
}

// BaseKind says how a base is chosen.
type BaseKind string

// The bases that a reviewer may look from. Decisions are taken from the gate base
// only.
const (
	GateBase     BaseKind = "gate"
	LastReleased BaseKind = "last released"
	LastLooked   BaseKind = "last looked"
	OtherVersion BaseKind = "version"
)

// BaseChoice is a listing to compare the head with.
type BaseChoice struct {
	Kind    BaseKind
	Title   string // version, "" for a listing without
	Listing string // id, "" for nothing
	At      time.Time
}

// baseChoices lists what the head can be compared with: the gate base first, then what
// was released last, what the actor worked on before it, and the newest versions.
func (s *Service) baseChoices(ctx context.Context, tx Tx, a Actor, as *assessment) ([]BaseChoice, error) {
	gate := BaseChoice{Kind: GateBase}
	if as.base != nil {
		gate.Title, gate.Listing, gate.At = as.base.Title(), as.base.Head.ListingID, as.base.ReleasedAt
	}
	out := []BaseChoice{gate}
	if l := as.line.Base; l != nil && (as.base == nil || l.ID != as.base.ID) && l.ID != as.release.ID {
		out = append(out, BaseChoice{Kind: LastReleased, Title: l.Title(), Listing: l.Head.ListingID, At: l.ReleasedAt})
	}
	if a.User != nil {
		look, err := tx.LookBefore(ctx, a.userID(), as.profile(), &as.revision)
		if err != nil && KindOf(err) != NotFound {
			return nil, err
		}
		if err == nil {
			out = append(out, BaseChoice{Kind: LastLooked, Listing: look.ListingID, At: look.At})
		}
	}
	rs, err := tx.Releases(ctx, as.server.ID, as.release.Profile, Page{Limit: baseVersions})
	for _, r := range rs {
		if r.ID != as.release.ID {
			out = append(out, BaseChoice{Kind: OtherVersion, Title: r.Title(), Listing: r.Head.ListingID, At: r.Head.PushedAt})
		}
	}
	return out, err
}

// baseVersions is how many versions a page offers to look from.
const baseVersions = 50
