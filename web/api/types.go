package api

import (
	"encoding/json"
	"time"
)

// PushAnswer is the body of a push's answer. What is not known yet is absent.
type PushAnswer struct {
	Listing  *PushedListing `json:"listing,omitempty"`
	Release  *PushedRelease `json:"release,omitempty"`
	Analysis string         `json:"analysis"`          // "done" or "pending"
	Changes  map[string]int `json:"changes,omitempty"` // by class
	Findings *FindingCounts `json:"findings,omitempty"`
	Gate     *GateResult    `json:"gate,omitempty"`
	Note     string         `json:"note,omitempty"`
	Problems []InputError   `json:"problems,omitempty"`
}

// PushedListing is the listing that a push made or met, or would make.
type PushedListing struct {
	ID     string `json:"id,omitempty"` // of a preview none
	Digest string `json:"digest"`
	Tools  int    `json:"tools"`
}

// PushedRelease is the release that an answer is about.
type PushedRelease struct {
	ID      string `json:"id"`
	Version string `json:"version"`
	State   string `json:"state"`
	URL     string `json:"url"`
	Commit  string `json:"commit,omitempty"` // that its pusher named
	RunURL  string `json:"run_url,omitempty"`
}

// GateResult is the gate's answer without what it was asked for: of a release,
// and after verdicts.
type GateResult struct {
	Gate         string        `json:"gate"` // pass, blocked, undecided or error
	Why          string        `json:"why"`
	Requirements []Requirement `json:"requirements"`
	Independent  bool          `json:"independent"` // false: an author's own approval counted
}

// Requirement is one line of the gate's answer.
type Requirement struct {
	ID     string   `json:"id"`
	State  string   `json:"state"` // open, satisfied, overridden, not applicable
	Why    string   `json:"why"`
	WhoCan []string `json:"who_can"`
	URL    string   `json:"url"`
	Change string   `json:"change,omitempty"`
	Class  string   `json:"class,omitempty"`
}

// GateAnswer is the gate's answer for a digest.
type GateAnswer struct {
	GateResult
	Server    string         `json:"server"`
	Profile   string         `json:"profile"`
	Digest    string         `json:"digest"`
	Policy    int            `json:"policy_version"`
	Release   *PushedRelease `json:"release,omitempty"`
	Approvals []Approval     `json:"approvals"`
	Overrides []Override     `json:"overrides"`
	Alarms    []Alarm        `json:"alarms,omitempty"`
}

// Approval is one counted answer, of a person or of a rule.
type Approval struct {
	Tool   string    `json:"tool"`
	Digest string    `json:"digest"`
	Kind   string    `json:"kind,omitempty"` // "removed": what was approved is that the digest is gone
	By     string    `json:"by"`
	At     time.Time `json:"at"`
	Note   string    `json:"note"`

	Independent bool    `json:"independent"` // false: on the giver's own push
	Evidence    []Trial `json:"evidence,omitempty"`
}

// Trial is what somebody tried before they answered.
type Trial struct {
	Prompt  string `json:"prompt"`
	Host    string `json:"host,omitempty"`
	Outcome string `json:"outcome"`
}

// Override lets a listing pass without approval for a while.
type Override struct {
	By            string    `json:"by"`
	Reason        string    `json:"reason"`
	At            time.Time `json:"at"`
	Until         time.Time `json:"until"`
	PolicyVersion int       `json:"policy_version"`
	Requirements  []string  `json:"requirements"` // ids of those that it covers
}

// Alarm says that what a version was released on does not stand any more.
type Alarm struct {
	Why string    `json:"why"`
	At  time.Time `json:"at"`
}

// Servers lists what the caller may see.
type Servers struct {
	Servers []Server `json:"servers"`
}

// Server is a registered producer of listings.
type Server struct {
	ID        string    `json:"id"`
	Slug      string    `json:"slug"`
	Name      string    `json:"name"`
	Policy    Policy    `json:"policy"`
	Role      string    `json:"role"` // of the caller
	Gate      string    `json:"gate"` // of the newest open release, else of the last released; "" without any
	Why       string    `json:"why"`
	Profiles  []Profile `json:"profiles"`
	Releases  []Release `json:"releases"` // newest first
	CreatedAt time.Time `json:"created_at"`
	URL       string    `json:"url"`
}

// Policy says who reviews: team, solo or external.
type Policy struct {
	Preset  string `json:"preset"`
	Version int    `json:"version"`
}

// Profile is a named variant of a server's surface.
type Profile struct {
	Name     string    `json:"name"`
	Baseline *Baseline `json:"baseline"`
}

// Baseline is the listing that was accepted as starting point of a profile.
type Baseline struct {
	Listing      string           `json:"listing"`
	Digest       string           `json:"digest"`
	By           string           `json:"by"`
	At           time.Time        `json:"at"`
	Acknowledged []Acknowledgment `json:"acknowledged"`
}

// Acknowledgment takes note of one tool with problems inside a baseline.
type Acknowledgment struct {
	Position int    `json:"position"`
	Note     string `json:"note"`
}

// Listings is a page of listings, newest first.
type Listings struct {
	Listings []ListingInfo `json:"listings"`
	Next     string        `json:"next"` // give it as before for the next page; "" at the end
}

// ListingInfo is a listing without its tools.
type ListingInfo struct {
	ID         string       `json:"id"`
	Profile    string       `json:"profile"`
	Digest     string       `json:"digest"`
	RawHash    string       `json:"raw_hash"`
	Shape      string       `json:"shape"`
	Kind       string       `json:"kind"`
	Complete   bool         `json:"complete"`
	Tools      int          `json:"tools"`
	Bytes      int          `json:"bytes"`
	Problems   []InputError `json:"problems"`
	ReceivedAt time.Time    `json:"received_at"`
}

// Listing is a listing with its tools; Inspection is what the command line prints
// for the same bytes.
type Listing struct {
	ID         string          `json:"id"`
	Server     string          `json:"server"`
	Profile    string          `json:"profile"`
	RawHash    string          `json:"raw_hash"`
	Bytes      int             `json:"bytes"`
	ReceivedAt time.Time       `json:"received_at"`
	Inspection json.RawMessage `json:"inspection"`
}

// Releases is a page of releases, newest first.
type Releases struct {
	Releases []Release `json:"releases"`
	Next     string    `json:"next"`
}

// Release is a version of (server, profile) under review.
type Release struct {
	ID          string         `json:"id"`
	Profile     string         `json:"profile"`
	Version     string         `json:"version"` // "" for a push by ref
	Ref         string         `json:"ref"`
	State       string         `json:"state"`
	URL         string         `json:"url"`
	Gate        string         `json:"gate"`
	Why         string         `json:"why"`
	Class       string         `json:"class"`    // strongest against the gate base
	Counts      map[string]int `json:"counts"`   // changes by class
	Findings    *FindingCounts `json:"findings"` // null while unknown
	Listing     ListingInfo    `json:"listing"`
	Predecessor string         `json:"predecessor"`
	Revision    Revision       `json:"revision"` // the newest
	CreatedAt   time.Time      `json:"created_at"`
	ReleasedAt  *time.Time     `json:"released_at"`
	WithdrawnAt *time.Time     `json:"withdrawn_at"`
	WithdrawWhy string         `json:"withdraw_reason"`
}

// Revision is one push to a release.
type Revision struct {
	Number   int       `json:"number"` // from 1
	Listing  string    `json:"listing"`
	Digest   string    `json:"digest"`
	PushedAt time.Time `json:"pushed_at"`
	PushedBy string    `json:"pushed_by"`
	Author   string    `json:"author"` // as declared, "" when unknown
	Commit   string    `json:"commit"`
	RunURL   string    `json:"run_url"`
}

// ReleaseDetail is a release with all its revisions, its base and its gate.
type ReleaseDetail struct {
	Release
	Server    string     `json:"server"`
	Revisions []Revision `json:"revisions"` // newest first
	Base      *Base      `json:"base"`      // null: compared with nothing
	BaseWhy   string     `json:"base_why"`
	Baseline  *Baseline  `json:"baseline"` // of the profile
	Answer    GateResult `json:"answer"`
	Policy    int        `json:"policy_version"`
	Overrides []Override `json:"overrides"` // in force
	Alarms    []Alarm    `json:"alarms"`
}

// Base is the release that another is decided against.
type Base struct {
	ID      string `json:"id"`
	Version string `json:"version"`
	Listing string `json:"listing"`
	Digest  string `json:"digest"`
}

// ChangeState is what a release adds to a change of the diff's JSON.
type ChangeState struct {
	State        string        `json:"state"` // open, satisfied, overridden, not applicable
	Requirements []Requirement `json:"requirements"`
	Verdicts     []Verdict     `json:"verdicts"`

	GrowthTokens int                 `json:"growth_tokens"`      // an estimate
	InvisibleIn  []string            `json:"invisible_in"`       // hosts in which nothing of the change reaches the model
	EditsUnseen  map[string][]string `json:"edits_invisible_in"` // the same by edit
	MovesCut     []CutMove           `json:"moves_cut"`
}

// CutMove is what a change took across the cut of a host's descriptions.
type CutMove struct {
	Host   string   `json:"host"`
	Behind []string `json:"behind"` // sentences that are not sent any more
	Front  []string `json:"front"`  // sentences that are sent now
}

// SightState is what a release adds to the diff's JSON as a whole.
type SightState struct {
	Hosts     []string `json:"hosts"` // that changes were looked at through
	Tokenizer string   `json:"tokenizer"`
	Tokens    int      `json:"tokens"`
	Growth    int      `json:"growth"` // over the base
	Prefix    Prefix   `json:"cache_prefix"`
}

// Prefix says where the prefix ends that a provider had cached of the base.
type Prefix struct {
	Kept       int    `json:"kept"` // leading tools
	KeptTokens int    `json:"kept_tokens"`
	Resent     int    `json:"resent_tokens"`
	BrokenBy   string `json:"broken_by"` // a tool; "" when nothing breaks it
	Position   int    `json:"position"`
	Why        string `json:"why"` // edited, added, removed, moved; "" when nothing breaks it
}

// Verdict is a person's stored answer.
type Verdict struct {
	ID      string    `json:"id"`
	Change  string    `json:"change"`
	Edit    string    `json:"edit"` // "" for the whole change
	Verdict string    `json:"verdict"`
	Note    string    `json:"note"`
	By      string    `json:"by"`
	At      time.Time `json:"at"`
	OwnPush bool      `json:"own_push"`
	Active  bool      `json:"active"` // false: used up, or revoked

	Evidence []Trial `json:"evidence,omitempty"`
}

// Threads lists the conversations of a release, oldest first.
type Threads struct {
	Threads []Thread `json:"threads"`
}

// Thread is a conversation about a place in a listing.
type Thread struct {
	ID         string     `json:"id"`
	Release    string     `json:"release"` // where it was opened
	Revision   int        `json:"revision"`
	Anchor     Anchor     `json:"anchor"`
	Blocks     bool       `json:"blocks"` // keeps the gate blocked while it is open
	State      string     `json:"state"`  // open or resolved
	OpenedBy   string     `json:"opened_by"`
	OpenedAt   time.Time  `json:"opened_at"`
	ResolvedBy string     `json:"resolved_by"`
	ResolvedAt *time.Time `json:"resolved_at"`
	Comments   []Comment  `json:"comments"`
	Place      Place      `json:"place"`
}

// Anchor is the place that a thread is about.
type Anchor struct {
	Tool    string `json:"tool"` // "" for the release or the instructions
	Digest  string `json:"digest"`
	Pointer string `json:"pointer"` // RFC 6901 within the tool
	Side    string `json:"side"`    // old or new
	Quote   string `json:"quote"`
	Lead    string `json:"lead"`    // words before the quote
	Tail    string `json:"tail"`    // words after it
	Snippet string `json:"snippet"` // what stood there when the thread was opened
	Rule    string `json:"rule"`    // of the finding that it was opened on, "" for none
}

// Comment is one message, in Markdown.
type Comment struct {
	ID   string    `json:"id"`
	By   string    `json:"by"`
	Body string    `json:"body"`
	At   time.Time `json:"at"`

	EditedAt   *time.Time  `json:"edited_at"`
	Suggestion *Suggestion `json:"suggestion"`
}
