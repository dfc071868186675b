package api

import "time"

// Endpoints are where a server runs, by name.
type Endpoints struct {
	Endpoints []Endpoint `json:"endpoints"`
}

// Endpoint is an address at which a server is read, and what was read there last.
type Endpoint struct {
	ID       string         `json:"id"`
	Name     string         `json:"name"`
	Profile  string         `json:"profile"`
	URL      string         `json:"url"`
	Every    int            `json:"every_seconds"`
	State    string         `json:"state"` // "same", "older", "differs", "unknown", "unreleased", "unread"; "" before the first reading
	Why      string         `json:"why"`
	Digest   string         `json:"digest"` // "" when it was not read
	Tools    int            `json:"tools"`
	Complete bool           `json:"complete"`
	Since    *time.Time     `json:"since"`
	ReadAt   *time.Time     `json:"read_at"`
	Release  *PushedRelease `json:"release,omitempty"` // that it is, or was compared with
	Drift    *Drift         `json:"drift,omitempty"`   // that goes on
	PageURL  string         `json:"page_url"`
}

// Drift says that an endpoint runs something else than what is released.
type Drift struct {
	ID       string         `json:"id"`
	Level    string         `json:"level"` // "high", "quiet", "asks"
	Why      string         `json:"why"`
	Since    time.Time      `json:"since"`
	Readings int            `json:"readings"`
	Variants int            `json:"variants"` // listings that it folds
	Listing  string         `json:"listing"`  // id of what is run; "" when it was not kept
	Findings []DriftFinding `json:"findings"`
	Known    *KnownDrift    `json:"known,omitempty"`
}

// DriftFinding is a finding that the released listing does not have.
type DriftFinding struct {
	Rule     string `json:"rule"`
	Severity string `json:"severity"`
	Tool     string `json:"tool"`
	Message  string `json:"message"`
}

// KnownDrift says who knows of a drift, why, and until when.
type KnownDrift struct {
	By     string    `json:"by"`
	Reason string    `json:"reason"`
	Until  time.Time `json:"until"`
}
