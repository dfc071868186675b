package store

import (
	"context"
	"fmt"
	"slices"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/surface"
)

// Kept reads whole tables, one statement or two each.
func (t *tx) Kept(ctx context.Context) (*review.Kept, error) {
	k := &review.Kept{}
	for _, read := range []func(context.Context, *review.Kept) error{t.keptRules, t.keptPeople, t.keptReleases, t.keptReleased, t.keptGrounds, t.keptAnswers, t.keptTalk, t.keptLive} {
		if err := read(ctx, k); err != nil {
			return nil, err
		}
	}
	return k, nil
}

// toldAgain marks the statements that read a table whole, whatever its length.
const toldAgain = "/* told again */"

// every reads a whole table.
func every[R, D any](ctx context.Context, t *tx, table string, of func(R) D) ([]D, error) {
	var rows []R
	err := t.all(ctx, &rows, "SELECT "+columns[R]("")+" FROM "+table+" "+toldAgain)
	return mapped(rows, of), err
}

func (t *tx) keptRules(ctx context.Context, k *review.Kept) (err error) {
	if k.Servers, err = t.Servers(ctx); err != nil {
		return err
	}
	if k.Policies, err = every(ctx, t, "policies", policyRow.kept); err != nil {
		return err
	}
	if k.Secrets, err = every(ctx, t, "server_secrets", secretRow.secret); err != nil {
		return err
	}
	k.Keys, err = t.SigningKeys(ctx)
	return err
}

// kept says where a policy is kept as another version than it says that it is.
func (r policyRow) kept() review.PolicyVersion {
	v := r.version()
	if v.Policy.Version != r.Version {
		v.State += review.PolicyState(fmt.Sprintf(", kept as version %d", r.Version))
	}
	return v
}

func (t *tx) keptPeople(ctx context.Context, k *review.Kept) (err error) {
	if k.Users, err = t.Users(ctx); err != nil {
		return err
	}
	if k.Grants, err = t.Grants(ctx, ""); err != nil {
		return err
	}
	if k.Identities, err = every(ctx, t, "identities", identityRow.link); err != nil {
		return err
	}
	if k.Tokens, err = t.Tokens(ctx); err != nil {
		return err
	}
	k.Proposals, err = every(ctx, t, "proposals", proposalRow.proposal)
	return err
}

func (t *tx) keptReleases(ctx context.Context, k *review.Kept) (err error) {
	if k.Releases, err = every(ctx, t, "releases", releaseRow.release); err != nil {
		return err
	}
	if k.Revisions, err = every(ctx, t, "revisions", revisionRow.revision); err != nil {
		return err
	}
	if err := t.keptListings(ctx, k); err != nil {
		return err
	}
	if k.Authors, err = every(ctx, t, "authors", authorRow.author); err != nil {
		return err
	}
	profiles, err := t.Profiles(ctx, "")
	if err != nil {
		return err
	}
	for _, p := range profiles {
		if p.Baseline != nil {
			k.Baselines = append(k.Baselines, *p.Baseline)
		}
	}
	if k.Namings, err = t.Namings(ctx, ""); err != nil {
		return err
	}
	k.Alarms, err = every(ctx, t, "alarms", alarmRow.alarm)
	return err
}

// keptListings asks the database what listings hold, and not the cache.
func (t *tx) keptListings(ctx context.Context, k *review.Kept) (err error) {
	if k.Pushed, err = every(ctx, t, "listings WHERE NOT live", instructionsRow.info); err != nil {
		return err
	}
	k.Tools = map[string]surface.Hash{}
	for some := range slices.Chunk(k.Pushed, 100) {
		read, err := t.readToolRefs(ctx, mapped(some, func(l review.ListingInfo) string { return l.ID }))
		if err != nil {
			return err
		}
		for id, refs := range read {
			k.Tools[id] = review.ToolsHash(refs)
		}
	}
	return nil
}

func (t *tx) keptGrounds(ctx context.Context, k *review.Kept) (err error) {
	k.Grounds, err = every(ctx, t, "release_grounds", func(r groundsRow) review.KeptGrounds {
		return review.KeptGrounds{ReleaseID: r.ReleaseID, Body: surface.HashOf([]byte(r.Body)), Alone: r.Alone}
	})
	return err
}

func (t *tx) keptAnswers(ctx context.Context, k *review.Kept) (err error) {
	if k.Verdicts, err = every(ctx, t, "verdicts", func(r verdictRow) review.Verdict { return verdictView{verdictRow: r}.verdict() }); err != nil {
		return err
	}
	if k.Overrides, err = every(ctx, t, "overrides", func(r overrideRow) review.Override { return overrideView{overrideRow: r}.override() }); err != nil {
		return err
	}
	if k.Waivers, err = t.waivers(ctx, toldAgain); err != nil {
		return err
	}
	k.Proposed, err = every(ctx, t, "proposed_waivers", func(r proposedWaiverRow) review.ProposedWaiver {
		return proposedWaiverView{proposedWaiverRow: r}.proposed()
	})
	return err
}

func (t *tx) keptTalk(ctx context.Context, k *review.Kept) (err error) {
	if k.Threads, err = t.threads(ctx, "1 = 1 "+toldAgain); err != nil {
		return err
	}
	k.Edits, err = every(ctx, t, "comment_edits", commentEditRow.edit)
	return err
}

func (t *tx) keptLive(ctx context.Context, k *review.Kept) (err error) {
	if k.Endpoints, err = t.Endpoints(ctx, nil); err != nil {
		return err
	}
	k.Known, err = every(ctx, t, "known_drifts", func(r knownDriftRow) review.KnownDrift { return knownDriftView{knownDriftRow: r}.known() })
	return err
}
