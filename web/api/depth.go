package api

import (
	"encoding/json"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// Aliases is the ledger of a server: names that it still answers to, and renames
// and merged tools that a person recognised. Ended ones stay in it.
type Aliases struct {
	Aliases  []Alias `json:"aliases"`
	Pairings []Alias `json:"pairings"`
	Merges   []Alias `json:"merges"` // the work of old is done by new
}

// Alias connects an old name of a tool with a new one.
type Alias struct {
	ID      string     `json:"id"`
	Profile string     `json:"profile"`
	Old     string     `json:"old"`
	New     string     `json:"new"`
	Note    string     `json:"note"`
	By      string     `json:"by"`
	Since   time.Time  `json:"since"`
	Until   *time.Time `json:"until"`
	EndedAt *time.Time `json:"ended_at"`
	Holds   bool       `json:"holds"`
}

// AliasRequest notes an alias.
type AliasRequest struct {
	Profile string `json:"profile"`
	Old     string `json:"old"`
	New     string `json:"new"`
	Note    string `json:"note"`
	Until   string `json:"until"` // a day, up to its start by UTC, or a time; "" or null for no end
}

// IDRequest names one thing of a list.
type IDRequest struct {
	ID string `json:"id"`
}

// PairingRequest says that a tool that is gone is one that is new, or that the work
// of several that are gone is done by one that is there.
type PairingRequest struct {
	Old  string   `json:"old"`  // of a rename
	Olds []string `json:"olds"` // of tools that were merged, instead of Old
	New  string   `json:"new"`
}

// Changelog is what a release tells its users, in Markdown.
type Changelog struct {
	Markdown  string `json:"markdown"`
	Migration string `json:"migration"` // "" when nothing breaks
}

// ViewedRequest marks changes as viewed, for the caller alone.
type ViewedRequest struct {
	Changes []string `json:"changes"`
	Viewed  *bool    `json:"viewed"` // false takes the mark back
}

// Drafts lists the caller's own drafts on a release.
type Drafts struct {
	Drafts []Draft `json:"drafts"`
}

// Draft is a comment or a decision that is not published.
type Draft struct {
	Target    string        `json:"target"` // "" for a new one
	UpdatedAt *time.Time    `json:"updated_at"`
	Comment   *DraftComment `json:"comment"`
	Verdict   *VerdictItem  `json:"verdict"`  // the first of the verdicts
	Verdicts  []VerdictItem `json:"verdicts"` // that one form gives: the same answer, the same note
	Texts     []string      `json:"texts"`    // of another form of the dashboard; not published from here
	Revision  int64         `json:"revision"` // grows with every save; ignored when saving
	CopyOf    string        `json:"copy_of"`  // target of the draft that was typed at the same time; ignored when saving
}

// DraftComment is a comment that is not published.
type DraftComment struct {
	Thread  string  `json:"thread"` // "" opens a thread at the anchor
	Anchor  Anchor  `json:"anchor"`
	Body    string  `json:"body"`
	Blocks  bool    `json:"blocks"`
	Suggest *string `json:"suggest"`
}

// SuggestionRequest asks what a text would bring at a place, before it is suggested.
type SuggestionRequest struct {
	Anchor Anchor `json:"anchor"`
	Text   string `json:"text"`
}

// SuggestionCheck is that, as the rules and the policy of the server see it. Findings
// are those of the place with the text; Gone are those that only the text of today has.
type SuggestionCheck struct {
	Tokens    int             `json:"tokens"`
	TokensNow int             `json:"tokens_now"`
	Hidden    []HiddenMark    `json:"hidden"`
	Findings  json.RawMessage `json:"findings"`
	Gone      json.RawMessage `json:"gone"`
}

// HiddenMark is a run of hidden characters.
type HiddenMark struct {
	Name   string `json:"name"`   // "ZERO WIDTH SPACE"
	Offset int    `json:"offset"` // bytes
	Count  int    `json:"count"`
}

// PublishRequest publishes drafts in one batch; without targets all that are ready.
type PublishRequest struct {
	Targets []string `json:"targets"`
}

// EditRequest replaces the text of a comment by its author.
type EditRequest struct {
	Comment string `json:"comment"`
	Body    string `json:"body"`
}

// CommentEdits lists earlier texts of the comments of a thread, oldest first.
type CommentEdits struct {
	Edits []CommentEdit `json:"edits"`
}

// CommentEdit is an earlier text of a comment.
type CommentEdit struct {
	Comment    string    `json:"comment"`
	Body       string    `json:"body"`
	ReplacedAt time.Time `json:"replaced_at"`
}

// Inbox is what waits for the caller, and what they were told.
type Inbox struct {
	YourTurn []Attention  `json:"your_turn"`
	Waiting  []Attention  `json:"waiting"`
	Drifts   []InboxDrift `json:"drifts"`   // at servers that the caller maintains, and that nobody knows of, the gravest first
	Unlisted int          `json:"unlisted"` // more that is under review than the newest, which your_turn and waiting list
	Unread   int          `json:"unread"`
	Notices  []Notice     `json:"notices"` // newest first
	Next     string       `json:"next"`
}

// InboxDrift says that something else runs at an endpoint than what was released.
type InboxDrift struct {
	Server   string    `json:"server"` // slug
	Endpoint string    `json:"endpoint"`
	Name     string    `json:"name"`  // of the endpoint
	Level    string    `json:"level"` // "high", "quiet", "asks"
	Why      string    `json:"why"`
	Since    time.Time `json:"since"`
	URL      string    `json:"url"`
}

// Attention says whose turn a release is, why, and since when.
type Attention struct {
	Server  string    `json:"server"` // slug
	Release string    `json:"release"`
	Title   string    `json:"title"`
	State   string    `json:"state"`
	Who     []string  `json:"who"` // others who can go on
	Why     string    `json:"why"`
	Since   time.Time `json:"since"`
	URL     string    `json:"url"`
}

// Notice tells the caller of what somebody did.
type Notice struct {
	ID       string     `json:"id"`
	Kind     string     `json:"kind"` // why they are told, such as mention, thread, review, push, alarm, drift
	By       string     `json:"by"`
	Text     string     `json:"text"`
	Server   string     `json:"server"` // slug, "" for what is about the caller alone
	Release  string     `json:"release"`
	Thread   string     `json:"thread"`
	Endpoint string     `json:"endpoint"` // that drifted, "" for none
	At       time.Time  `json:"at"`
	ReadAt   *time.Time `json:"read_at"`
}

// ReadRequest marks notices as read; without ids all of them.
type ReadRequest struct {
	IDs []string `json:"ids"`
}

// FollowRequest follows a server, or one family of its tools.
type FollowRequest struct {
	Family string `json:"family"`
	Follow *bool  `json:"follow"` // false ends it
}

// Discussion is everything unresolved, newest first. The place of each thread is that in
// the newest version of its profile.
type Discussion struct {
	Threads []Thread         `json:"threads"`
	Counts  DiscussionCounts `json:"counts"`
	Next    string           `json:"next"`
}

// DiscussionCounts says how many threads are left by each value of each filter, all
// other filters as they are.
type DiscussionCounts struct {
	Total    int       `json:"total"` // that the query chooses
	All      int       `json:"all"`   // without any filter
	Blocking int       `json:"blocking"`
	Mine     int       `json:"mine"`
	Mentions int       `json:"mentions"` // that name the caller
	Answered int       `json:"answered"` // in which somebody else spoke last
	Servers  []Counted `json:"servers"`  // by slug
	Tools    []Counted `json:"tools"`
	Authors  []Counted `json:"authors"` // who opened them
	States   []Counted `json:"states"`  // of their places
}

// Counted is a value of a filter with how many it leaves.
type Counted struct {
	Value string `json:"value"`
	Count int    `json:"count"`
}

// Place is what became of the place that a thread is about.
type Place struct {
	State string `json:"state"` // exact, renamed, changed or gone; "" where none was looked for
	Tool  string `json:"tool"`  // its name there
}

// Suggestion is a text that a comment proposes, as a patch to apply.
type Suggestion struct {
	Old   string `json:"old"`
	New   string `json:"new"`
	Patch string `json:"patch"` // lines, for a person
	Taken bool   `json:"taken"` // it stands there now

	JSONPatch jsontext.Value `json:"json_patch,omitempty"` // RFC 6902, against the listing pushed last; absent where the place is gone
}
