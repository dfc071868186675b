package api

// VerdictsRequest is a batch of decisions: all of it is kept, or nothing. It has
// items, or the members of one item in their place.
type VerdictsRequest struct {
	Items    []VerdictItem `json:"items,omitempty"`
	Profiles []string      `json:"profiles,omitempty"` // others with the identical changes, answered by the same act

	Change   string   `json:"change,omitempty"`
	Edit     string   `json:"edit,omitempty"`
	Changes  []string `json:"changes,omitempty"`
	Verdict  string   `json:"verdict,omitempty"`
	Note     string   `json:"note,omitempty"`
	Evidence []Trial  `json:"evidence,omitempty"`
}

// Asked returns the items of the request, however it gave them. It is false when
// there are both.
func (r *VerdictsRequest) Asked() ([]VerdictItem, bool) {
	one := VerdictItem{Change: r.Change, Edit: r.Edit, Changes: r.Changes, Verdict: r.Verdict, Note: r.Note, Evidence: r.Evidence}
	if one.Change == "" && one.Edit == "" && len(one.Changes) == 0 && one.Verdict == "" && one.Note == "" && len(one.Evidence) == 0 {
		return r.Items, true
	}
	return []VerdictItem{one}, len(r.Items) == 0
}

// VerdictItem decides one change, or one edit on the changes that were shown.
type VerdictItem struct {
	Change  string   `json:"change,omitempty"`
	Edit    string   `json:"edit,omitempty"`
	Changes []string `json:"changes,omitempty"`
	Verdict string   `json:"verdict"` // approve, reject or withdraw
	Note    string   `json:"note"`

	Evidence []Trial `json:"evidence,omitempty"` // what was tried, at most 20
}

// BaselineRequest accepts a profile's first listing as starting point.
type BaselineRequest struct {
	Digest       string           `json:"digest"`
	Acknowledged []Acknowledgment `json:"acknowledged"`
}

// ReleaseRequest marks a listing as released.
type ReleaseRequest struct {
	Digest string `json:"digest"`
}

// PredecessorRequest confirms the predecessor that a push named.
type PredecessorRequest struct {
	Predecessor string `json:"predecessor"` // a version
}

// WithdrawRequest takes a release back.
type WithdrawRequest struct {
	Reason   string `json:"reason"`
	ForCause bool   `json:"for_cause"` // also rejects what the release introduced
}

// OverrideRequest lets a listing pass for a while without what it lacks.
type OverrideRequest struct {
	Digest        string   `json:"digest"`
	PolicyVersion int      `json:"policy_version"`
	Requirements  []string `json:"requirements,omitempty"` // absent: all that are open
	Reason        string   `json:"reason"`                 // 20 characters or more
	Hours         int      `json:"hours,omitempty"`        // 1 to 168, absent: 24
}

// ThreadRequest opens a thread with its first comment.
type ThreadRequest struct {
	Anchor Anchor `json:"anchor"`
	Body   string `json:"body"`
	Blocks bool   `json:"blocks"`

	Suggest *string `json:"suggest"` // a text for the place
}

// CommentRequest adds a comment to a thread.
type CommentRequest struct {
	Body    string  `json:"body"`
	Suggest *string `json:"suggest"` // a text for the place of the thread
}
