package api

import "time"

// Proposals are what waits for a second person, oldest first.
type Proposals struct {
	Proposals []Proposal `json:"proposals"`
}

// Proposal is an act that waits for a second person, or did: a role with which more
// may decide, or an alias.
type Proposal struct {
	ID          string     `json:"id"`
	ServerID    string     `json:"server_id"` // "" is every server
	Kind        string     `json:"kind"`      // role, grant or alias
	State       string     `json:"state"`     // waits, agreed or refused
	Says        string     `json:"says"`      // in words
	By          string     `json:"by"`
	At          time.Time  `json:"at"`
	Mine        bool       `json:"mine"`              // the caller asked for it
	MayNotAgree string     `json:"may_not_agree"`     // why the caller can't agree; "" when they can
	WhoCan      []string   `json:"who_can,omitempty"` // who can agree, by name
	User        string     `json:"user"`              // of a role or a grant
	Role        string     `json:"role"`
	Permission  string     `json:"permission"` // of a grant
	Profile     string     `json:"profile"`    // of an alias
	Old         string     `json:"old"`
	New         string     `json:"new"`
	Note        string     `json:"note"`
	Until       *time.Time `json:"until"`
}

// ProposalDecision agrees to a proposal, which does what it asks for, or refuses it.
type ProposalDecision struct {
	ID    string `json:"id"`
	Agree bool   `json:"agree"`
}

// Grants are what people may do on a server besides what their role says.
type Grants struct {
	Grants []Grant `json:"grants"`
}

// Grant is one permission of one person.
type Grant struct {
	User       string    `json:"user"` // address
	Permission string    `json:"permission"`
	By         string    `json:"by"`
	At         time.Time `json:"at"`
}

// GrantRequest gives a permission to a person, or takes it away.
type GrantRequest struct {
	User       string `json:"user"` // address
	Permission string `json:"permission"`
	May        bool   `json:"may"`
}
