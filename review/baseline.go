package review

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/countersign/countersign/review/lint"
	"github.com/countersign/countersign/review/people"
	"github.com/countersign/countersign/review/surface"
)

// Baseline accepts the first listing of a profile as starting point.
type Baseline struct {
	ServerID     string
	Profile      string
	ListingID    string
	Digest       surface.Hash
	By           string // user id
	ByLabel      string
	At           time.Time
	Acknowledged []Acknowledgement
}

// Acknowledgement takes note of one tool with problems inside a baseline.
type Acknowledgement struct {
	Position int    `json:"position"`
	Note     string `json:"note"`
}

// AcceptBaseline accepts the head of a release as starting point of its profile,
// once. Conflict when the head has another digest, when the profile has a baseline
// or when something of it was released: then there is something to compare with.
func (s *Service) AcceptBaseline(ctx context.Context, a Actor, releaseID string, digest surface.Hash, ack []Acknowledgement) (*ReleaseView, error) {
	err := s.acting(ctx, a, releaseID, people.Maintainer, func(tx Tx, as *assessment) error {
		if why, err := noBaseline(ctx, tx, as); err != nil || why != "" {
			return orConflict(err, why)
		}
		if as.revision.Digest != digest {
			return Errorf(Conflict, "The listing changed while you read: its digest is %s now. Nothing was accepted; look again.", as.revision.Digest)
		}
		if err := as.checkAcknowledged(ack); err != nil {
			return err
		}
		b := &Baseline{
			ServerID: as.server.ID, Profile: as.release.Profile, ListingID: as.revision.ListingID, Digest: digest,
			By: a.userID(), ByLabel: a.Label(), At: s.now(), Acknowledged: ack,
		}
		if err := tx.InsertBaseline(ctx, b); err != nil {
			return err
		}
		return s.audit(ctx, tx, a, act{
			name: "baseline.accept", serverID: as.server.ID, subject: as.release.ID,
			after: map[string]any{"profile": b.Profile, "digest": digest, "policy": as.server.Policy.Version, "acknowledged": ack},
			kept:  leaving(b),
		})
	})
	if err != nil {
		return nil, err
	}
	return s.Release(ctx, a, releaseID)
}

func orConflict(err error, why string) error {
	if err != nil {
		return err
	}
	return Errorf(Conflict, "%s", why)
}

// noBaseline says why the head of a release can't become the baseline now, "" when
// it can.
func noBaseline(ctx context.Context, tx Tx, as *assessment) (string, error) {
	l := as.listing
	switch {
	case !as.release.open():
		return as.release.Title() + " is not under review any more.", nil
	case as.facts.Baseline.By != "" || as.facts.Baseline.ByID != "":
		return "This profile has a baseline, and there is only one: decide the changes.", nil
	case as.base != nil:
		return "Something of this profile was released: decide the changes against it.", nil
	case l.Kind != surface.KindListing || !l.Complete:
		return "Only a whole listing of the server itself can be a baseline. Push it.", nil
	}
	once, err := everReleased(ctx, tx, as.profile())
	if once {
		return "Something of this profile was released once, and withdrawn: decide the changes.", nil
	}
	return "", err
}

// everReleased reports whether any release of a profile was ever released. Only
// asked where none stands now, so the newest ones tell.
func everReleased(ctx context.Context, tx Tx, k ProfileKey) (bool, error) {
	rs, err := tx.Releases(ctx, k.ServerID, k.Profile, Page{Limit: maxPage})
	return slices.ContainsFunc(rs, func(r Release) bool { return !r.ReleasedAt.IsZero() && r.ReleasedOverride == "" }), err
}

// checkAcknowledged checks that the tools that nobody should wave through are
// named one by one, and no others.
func (as *assessment) checkAcknowledged(ack []Acknowledgement) error {
	noted := map[int]bool{}
	for i, n := range ack {
		switch {
		case n.Position < 0 || n.Position > as.listing.ToolCount:
			return Errorf(Invalid, "acknowledged/%d: there is no tool at position %d.", i, n.Position)
		case !keepable(n.Note, maxNote):
			return Errorf(Invalid, "acknowledged/%d: the note must be text of at most 64 KiB.", i)
		}
		noted[n.Position] = true
	}
	var lack []surface.Problem
	for _, p := range as.doubtful() {
		if !noted[p.Position] {
			lack = append(lack, p)
		}
	}
	if len(lack) == 0 {
		return nil
	}
	return &Error{Kind: Invalid, Problems: lack, Sentence: "Some tools have errors, hidden characters or findings of severity high. Acknowledge each by its position: " + positions(lack) + "."}
}

func positions(ps []surface.Problem) string {
	var seen []string
	for _, p := range ps {
		if n := fmt.Sprint(p.Position); !slices.Contains(seen, n) {
			seen = append(seen, n)
		}
	}
	return strings.Join(seen, ", ")
}

// doubtful lists what a baseline must acknowledge: errors, hidden characters, and
// findings of severity high or critical that nobody waived.
func (as *assessment) doubtful() []surface.Problem {
	found := as.errors()
	for _, c := range as.outline.Changes {
		if c.Hidden && c.NewPosition > 0 {
			found = append(found, surface.Problem{
				Code: "text-hidden", Level: surface.LevelWarning, Position: c.NewPosition,
				Message: "The tool's text holds hidden characters.",
			})
		}
	}
	for _, t := range as.candidate.tools {
		if f := as.judged.at[t.Position]; f.Worst.Rank() >= lint.High.Rank() {
			found = append(found, surface.Problem{
				Code: "finding-" + string(f.Worst), Level: surface.LevelWarning, Tool: t.Name, Position: t.Position,
				Message: "Rule " + f.Rule + " found something of severity " + string(f.Worst) + ".",
			})
		}
	}
	slices.SortStableFunc(found, func(a, b surface.Problem) int { return a.Position - b.Position })
	return found
}
