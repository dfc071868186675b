package store

import (
	"context"
	"time"

	"github.com/countersign/countersign/review"
)

type captureRow struct {
	ID        string `db:"id"`
	ServerID  string `db:"server_id"`
	ListingID string `db:"listing_id"`
	Host      string `db:"host"`
	Version   string `db:"version"`
	Variant   string `db:"variant"`
	Doubt     int    `db:"doubt"`
	Body      blob   `db:"body"`
	By        string `db:"user_id"`
	Label     string `db:"label"`
	At        micros `db:"at"`
}

type captureView struct {
	captureRow
	userLabel
}

func (t *tx) InsertCapture(ctx context.Context, c *review.Capture) error {
	row := captureRow{ID: c.ID, ServerID: c.ServerID, ListingID: c.ListingID, Host: c.Host, Version: c.Version, Variant: c.Variant,
		Body: c.Body, By: c.By, Label: c.ByLabel, At: micros(c.At)}
	if c.Doubt {
		row.Doubt = 1
	}
	_, err := insert(ctx, t, "captures", "", row)
	return err
}

func (t *tx) Captures(ctx context.Context, serverID string, pg review.Page) ([]review.Capture, error) {
	var p params
	where := "WHERE c.server_id = " + p.add(serverID)
	where += p.page("captures", "c.", "at", pg)
	var rows []captureView
	err := t.all(ctx, &rows, "SELECT "+columns[captureRow]("c.")+", "+userLabelColumns+" FROM captures c LEFT JOIN users u ON u.id = c.user_id "+where, p.args...)
	return mapped(rows, func(r captureView) review.Capture {
		label := r.Label
		if r.By != "" {
			label = r.label() // as the person is called now
		}
		return review.Capture{ID: r.ID, ServerID: r.ServerID, ListingID: r.ListingID, Host: r.Host, Version: r.Version, Variant: r.Variant,
			Doubt: r.Doubt == 1, Body: r.Body, By: r.By, ByLabel: label, At: time.Time(r.At)}
	}), err
}
