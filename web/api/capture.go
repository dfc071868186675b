package api

import (
	"encoding/json"
	"time"
)

// Captures are what hosts were seen to send of a listing, newest first.
type Captures struct {
	Captures []Capture `json:"captures"`
}

// Capture is a request of a host, held against the listing. Nothing of the request
// is kept but this.
type Capture struct {
	ID         string          `json:"id"`
	Host       string          `json:"host"`
	Version    string          `json:"version"`
	Variant    string          `json:"variant"`
	Called     string          `json:"called"` // how the host calls the server; "" where that was not kept
	Doubtful   bool            `json:"doubtful"`
	By         string          `json:"by"`
	At         time.Time       `json:"at"`
	Comparison json.RawMessage `json:"comparison"`
}
