package people

import "time"

// Session is a browser that somebody is signed in with.
type Session struct {
	ID    string // names it in its owner's list; worth nothing as a credential
	Since time.Time
	Seen  time.Time // last used, exact to some minutes
	Until time.Time // when it ends if it is not used
	Addr  string    // from where it was used last
	Agent string    // what the browser said it is; never to be believed
}

// Keys of a session's values that the web writes and the store reads, to list and
// end the sessions of a user.
const (
	SessionUser  = "user"  // id of the user, a string
	SessionID    = "id"    // a string
	SessionSince = "since" // Unix seconds of the sign-in, an int64
	SessionSeen  = "seen"  // Unix seconds of the last use, an int64
	SessionAddr  = "addr"  // a string
	SessionAgent = "agent" // a string
)
