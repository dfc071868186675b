package review

import (
	"time"

	"github.com/countersign/countersign/review/gate"
)

// DefaultProfile is a server's profile when nobody says otherwise.
const DefaultProfile = "default"

// Server is a registered producer of listings.
type Server struct {
	ID        string
	Slug      string // ^[a-z0-9][a-z0-9-]{0,62}$, in URLs
	Name      string
	Policy    gate.Policy
	CreatedAt time.Time
	CreatedBy string // user id, "" from the shell
}

// ServerSecret is a webhook secret: the current one, or an older one that is
// accepted until it expires after a rotation. It is sealed at rest.
type ServerSecret struct {
	ID        string
	ServerID  string
	Sealed    []byte    // AES-256-GCM under a key derived from SECRET
	ExpiresAt time.Time // zero: the current one
	CreatedAt time.Time
}

// Profile is a named variant of one server's surface, created by its first push.
type Profile struct {
	ServerID string
	Name     string
	Baseline *Baseline // nil while none was accepted
}
