package store

import (
	"context"
	"time"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/gate"
)

type policyRow struct {
	ServerID  string              `db:"server_id"`
	Version   int                 `db:"version"`
	State     review.PolicyState  `db:"state"`
	ByID      string              `db:"by_id"`
	By        string              `db:"by_label"`
	At        micros              `db:"at"`
	SecondID  string              `db:"second_id"`
	Second    string              `db:"second"`
	DecidedAt micros              `db:"decided_at"`
	Loosens   jsonOf[[]string]    `db:"loosens"`
	Body      jsonOf[gate.Policy] `db:"body"`
}

func policyRowOf(v *review.PolicyVersion) policyRow {
	return policyRow{v.ServerID, v.Policy.Version, v.State, v.ByID, v.By, micros(v.At), v.SecondID, v.Second, micros(v.DecidedAt),
		jsonOf[[]string]{v.Loosens}, jsonOf[gate.Policy]{v.Policy}}
}

func (r policyRow) version() review.PolicyVersion {
	return review.PolicyVersion{ServerID: r.ServerID, Policy: r.Body.V, State: r.State, ByID: r.ByID, By: r.By, At: time.Time(r.At),
		SecondID: r.SecondID, Second: r.Second, DecidedAt: time.Time(r.DecidedAt), Loosens: r.Loosens.V}
}

func (t *tx) InsertPolicy(ctx context.Context, v *review.PolicyVersion) error {
	return named(insertOne(ctx, t, "policies", policyRowOf(v)), review.Conflict, "The policy has a version %d already.", v.Policy.Version)
}

// UpdatePolicy changes all that a decision changes.
func (t *tx) UpdatePolicy(ctx context.Context, v *review.PolicyVersion) error {
	row := policyRowOf(v)
	err := t.execOne(ctx, `UPDATE policies SET state = $3, second_id = $4, second = $5, decided_at = $6, body = $7
		WHERE server_id = $1 AND version = $2`, row.ServerID, row.Version, string(row.State), row.SecondID, row.Second, row.DecidedAt, row.Body)
	return named(err, review.NotFound, "There is no such version of the policy.")
}

func (t *tx) Policies(ctx context.Context, serverIDs []string) ([]review.PolicyVersion, error) {
	rows, err := allIn[policyRow](ctx, t, "SELECT "+columns[policyRow]("")+" FROM policies WHERE server_id IN (%s) ORDER BY server_id, version DESC", nil, serverIDs)
	return mapped(rows, policyRow.version), err
}
