package api

import (
	"encoding/json"
	"time"
)

// FindingCounts are findings by severity.
type FindingCounts struct {
	Critical int `json:"critical"`
	High     int `json:"high"`
	Warn     int `json:"warn"`
	Info     int `json:"info"`
	New      int `json:"new"`    // of those, not there in the gate base
	Waived   int `json:"waived"` // accepted, not counted above

	Unchecked int `json:"could_not_check"` // of those accepted, the ones that nobody could check
	Off       int `json:"off"`             // by policy, not counted above
}

// Findings are what countersign lint prints, with the waivers that are open on
// them.
type Findings struct {
	Findings     json.RawMessage `json:"findings"`
	Counts       json.RawMessage `json:"counts"`
	Waived       int             `json:"waived"`
	RulesVersion string          `json:"rules_version"`
	Waivers      []Waiver        `json:"waivers"`

	Proposed []ProposedWaiver `json:"proposed_waivers"` // by files beside the code: they count for nothing

	// Beside are findings of a release beside other servers that the caller sees. They
	// count nowhere.
	Beside json.RawMessage `json:"beside"`
}

// Waivers is a page of waivers, newest first.
type Waivers struct {
	Waivers []Waiver `json:"waivers"`
	Next    string   `json:"next"`
}

// Waiver is an accepted finding, at one place.
type Waiver struct {
	ID          string     `json:"id"`
	Profile     string     `json:"profile"`
	Release     string     `json:"release"` // where it was given
	Rule        string     `json:"rule"`
	RuleVersion string     `json:"rule_version"`
	Severity    string     `json:"severity"`
	Tool        string     `json:"tool"` // "": the listing
	Pointer     string     `json:"pointer"`
	Fingerprint string     `json:"fingerprint"`
	Kind        string     `json:"kind"` // accepted-risk or could-not-check
	Reason      string     `json:"reason"`
	By          string     `json:"by"`
	At          time.Time  `json:"at"`
	Until       time.Time  `json:"until"`
	Policy      int        `json:"policy_version"`
	ConfirmedBy string     `json:"confirmed_by"` // the second person, for a critical one
	ConfirmedAt *time.Time `json:"confirmed_at"`
	EndedAt     *time.Time `json:"ended_at"`
	EndedWhy    string     `json:"ended_why"`
	Holds       bool       `json:"holds"`
}

// WaiverRequest accepts a finding of a release, at all of its places.
type WaiverRequest struct {
	Fingerprint string `json:"fingerprint"`
	Kind        string `json:"kind"`
	Reason      string `json:"reason"`
	Days        int    `json:"days,omitempty"` // 1 to 365, of a critical one 90; absent: 180, or 90
}

// EndWaiverRequest takes a waiver back.
type EndWaiverRequest struct {
	ID     string `json:"id"`
	Reason string `json:"reason"`
}

// ProposeRequest is what a file beside the code proposes for a release: all of it, since
// what is left out is proposed no longer.
type ProposeRequest struct {
	Release string       `json:"release"` // id, as the answer to the push says
	Waivers []FileWaiver `json:"waivers"`
}

// FileWaiver is a waiver as .countersign.yaml has it.
type FileWaiver struct {
	Fingerprint string `json:"fingerprint"`
	Rule        string `json:"rule,omitempty"`
	Tool        string `json:"tool,omitempty"`
	Pointer     string `json:"pointer,omitempty"`
	Reason      string `json:"reason"`
	By          string `json:"by,omitempty"`
	Kind        string `json:"kind,omitempty"`    // absent: accepted-risk
	Expires     string `json:"expires,omitempty"` // last day, YYYY-MM-DD
}

// ProposedWaivers is what became of proposed waivers, or a page of them, newest first.
type ProposedWaivers struct {
	Proposed []ProposedWaiver `json:"proposed_waivers"`
	Next     string           `json:"next"`
}

// ProposedWaiver is a waiver that a file beside the code asks for.
type ProposedWaiver struct {
	ID          string     `json:"id"` // "" where nothing was kept of it
	Profile     string     `json:"profile"`
	Release     string     `json:"release"` // that it was pushed with
	Rule        string     `json:"rule"`
	Tool        string     `json:"tool"`
	Pointer     string     `json:"pointer"`
	Fingerprint string     `json:"fingerprint"`
	Kind        string     `json:"kind"`
	Reason      string     `json:"reason"`
	By          string     `json:"by"`      // whom the file names, which nobody checked
	Expires     string     `json:"expires"` // last day, "" when the file names none
	PushedBy    string     `json:"pushed_by"`
	At          time.Time  `json:"at"`
	State       string     `json:"state"` // open, accepted or declined
	Idle        string     `json:"idle"`  // why an open one asks nobody anything, "" when it asks
	AnsweredBy  string     `json:"answered_by"`
	AnsweredAt  *time.Time `json:"answered_at"`
	Why         string     `json:"why"`    // it was declined
	Waiver      string     `json:"waiver"` // id of what an acceptance made
}

// AnswerProposedRequest answers a proposed waiver.
type AnswerProposedRequest struct {
	ID     string `json:"id"`
	Answer string `json:"answer"`         // accept or decline
	Why    string `json:"why,omitempty"`  // needed to decline
	Days   int    `json:"days,omitempty"` // of an acceptance, as of a waiver; the day that the file names ends it too
}
