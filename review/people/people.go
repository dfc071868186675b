// Package people says who somebody is and what they may do: users, tokens,
// roles and permissions. It is pure; the workflow asks it, handlers never decide.
package people

import (
	"slices"
	"time"
)

// Role is what a person is to a server (or to every server). Strongest last.
type Role string

// The roles.
const (
	NoRole     Role = ""
	Viewer     Role = "viewer"     // reads
	Reviewer   Role = "reviewer"   // comments, approves, rejects
	Maintainer Role = "maintainer" // also baselines, releases, withdraws, settings of a server
	Admin      Role = "admin"      // also people, servers, tokens of everyone
)

var roleRank = map[Role]int{NoRole: 0, Viewer: 1, Reviewer: 2, Maintainer: 3, Admin: 4}

// ParseRole reads a role's name.
func ParseRole(s string) (Role, bool) {
	r := Role(s)
	return r, r != NoRole && roleRank[r] > 0
}

// AtLeast reports whether r may do what other may.
func (r Role) AtLeast(other Role) bool { return roleRank[r] >= roleRank[other] }

// Stronger returns the stronger of two roles.
func Stronger(a, b Role) Role {
	if roleRank[b] > roleRank[a] {
		return b
	}
	return a
}

// User is a person with an account. A user is never deleted, since their
// rejections outlive the account: it is disabled.
type User struct {
	ID           string
	Email        string // as typed; compared case-folded
	Name         string
	PasswordHash string // argon2id, empty while none is set
	InvitedBy    string // user id, "" for the first administrator and the shell
	CreatedAt    time.Time
	JoinedAt     time.Time // when they first got in; zero while the invitation is open
	DisabledAt   time.Time // zero while the account is active
	// SecondFactorAt is when a second factor was confirmed; zero without one.
	SecondFactorAt time.Time
	Memberships    []Membership
}

// Membership gives a user a role on one server, or on every server when
// ServerID is empty.
type Membership struct {
	ServerID string
	Role     Role
}

// HasSecondFactor reports whether signing in asks for a code.
func (u *User) HasSecondFactor() bool { return u != nil && !u.SecondFactorAt.IsZero() }

// Joined reports whether somebody ever came for the account.
func (u *User) Joined() bool { return !u.JoinedAt.IsZero() }

// Since is from when on the user and who invited them are two persons to the
// outside: an invitation is nobody yet.
func (u *User) Since() time.Time {
	if u.Joined() {
		return u.JoinedAt
	}
	return u.CreatedAt
}

// Active reports whether the user may do anything at all.
func (u *User) Active() bool { return u != nil && u.DisabledAt.IsZero() }

// RoleOn returns the user's strongest role on a server; "" asks for the role
// that holds on every server.
func (u *User) RoleOn(serverID string) Role {
	if !u.Active() {
		return NoRole
	}
	best := NoRole
	for _, m := range u.Memberships {
		if m.ServerID == "" || m.ServerID == serverID {
			best = Stronger(best, m.Role)
		}
	}
	return best
}

// Label is how pages and the gate name a person.
func (u *User) Label() string {
	if u.Name != "" {
		return u.Name
	}
	return u.Email
}

// Scope is what a token may do.
type Scope string

// The scopes. Review acts as the token's user and needs one.
const (
	ScopePush   Scope = "push"
	ScopeGate   Scope = "gate"
	ScopeRead   Scope = "read"
	ScopeReview Scope = "review"
)

// ParseScope reads a scope's name.
func ParseScope(s string) (Scope, bool) {
	sc := Scope(s)
	return sc, slices.Contains([]Scope{ScopePush, ScopeGate, ScopeRead, ScopeReview}, sc)
}

// Token is a bearer credential of a machine, or of a user when UserID is set.
// Only its hash is kept.
type Token struct {
	ID        string
	Hash      []byte // SHA-256 of the secret text
	Hint      string // last four characters, to tell tokens apart
	Name      string
	ServerID  string // "" is every server
	Profile   string // of the server; "" is every profile
	UserID    string // "" is a machine
	MadeBy    string // user id, "" for the command line
	Scopes    []Scope
	FromShell bool // minted on the command line, not in the browser
	CreatedAt time.Time
	ExpiresAt time.Time
	LastUsed  time.Time
	RevokedAt time.Time
}

// Reaches reports whether the token may act on a profile.
func (t *Token) Reaches(profile string) bool {
	return t == nil || t.Profile == "" || t.Profile == profile
}

// Has reports whether the token carries a scope.
func (t *Token) Has(s Scope) bool { return t != nil && slices.Contains(t.Scopes, s) }
