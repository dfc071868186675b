package api

import "encoding/json"

// Verified says whether a live listing is what was released.
type Verified struct {
	State   string          `json:"state"` // "same", "differs", "unknown"
	Why     string          `json:"why"`
	Gate    string          `json:"gate,omitempty"`    // of the release that it is
	Release *PushedRelease  `json:"release,omitempty"` // that it is, or that it was compared with
	Changes json.RawMessage `json:"changes,omitempty"` // the diff's JSON from that release
}
