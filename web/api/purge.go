package api

// PurgeRequest writes over a text wherever it is kept.
type PurgeRequest struct {
	Text   string `json:"text"`
	Reason string `json:"reason"`
	DryRun bool   `json:"dry_run"`
}

// PurgeAnswer says what a purge reached, or would.
type PurgeAnswer struct {
	DryRun   bool           `json:"dry_run"`
	Rows     map[string]int `json:"rows"`     // by table; those of the audit keep the text
	Listings []string       `json:"listings"` // ids of those that held it
}
