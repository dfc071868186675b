package api

import "time"

// PolicyDetail is a server's policy with its history.
type PolicyDetail struct {
	Version  int             `json:"version"`
	YAML     string          `json:"yaml"`
	Versions []PolicyVersion `json:"versions"`          // newest first
	WhoCan   []string        `json:"who_can,omitempty"` // who can agree to the version that waits
}

// PolicyVersion is one edit of a policy.
type PolicyVersion struct {
	Version   int        `json:"version"`
	State     string     `json:"state"` // in force, proposed or refused
	By        string     `json:"by"`
	At        time.Time  `json:"at"`
	Second    string     `json:"second"` // who agreed or refused, where a second person was needed
	DecidedAt *time.Time `json:"decided_at"`
	Loosens   []string   `json:"loosens"`             // where it asks for less than the one before
	Unchanged bool       `json:"unchanged,omitempty"` // of the answer to an edit: it asks the same, so this version stays in force
	YAML      string     `json:"yaml"`
}

// PolicyRequest is a policy to save or to try. Version is the one that was edited.
type PolicyRequest struct {
	Version int    `json:"version,omitempty"`
	YAML    string `json:"yaml"`
}

// PolicyDecision agrees to a version that waits for a second person, or refuses it.
type PolicyDecision struct {
	Version int  `json:"version"`
	Agree   bool `json:"agree"`
}

// PolicyTried is what a policy would do.
type PolicyTried struct {
	Loosens       []string       `json:"loosens"`
	Unsatisfiable string         `json:"unsatisfiable"` // "" when everything could be answered by somebody present
	Releases      []TriedRelease `json:"releases"`
}

// TriedRelease is an open release under another policy.
type TriedRelease struct {
	ID      string     `json:"id"`
	Version string     `json:"version"`
	Now     string     `json:"now"`
	Then    GateResult `json:"then"`

	Differs     int               `json:"differs"`     // requirements that come, go or ask otherwise
	Differences []TriedDifference `json:"differences"` // the first of them
}

// TriedDifference is one requirement under both policies, "" where one has none like it.
type TriedDifference struct {
	ID   string `json:"id"`
	Now  string `json:"now"`
	Then string `json:"then"`
}
