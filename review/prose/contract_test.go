package prose

import (
	"slices"
	"strings"
	"testing"
)

func TestClassify(t *testing.T) {
	tests := map[string]string{
		// Plain description has no class.
		"Delete a branch.": "",
		"Get a single ticket by ID, including its comments.":        "",
		"Restore a deleted file.":                                   "",
		"Lists the error messages of a build.":                      "",
		"Gets test titles, stack traces and outcomes.":              "",
		"Show the default branch of a repository.":                  "",
		"Sends a mail and keeps a copy.":                            "",
		"Set the fill colours of a node.":                           "",
		"Ask a question about the documentation.":                   "",
		"Search with pagination and filters for names":              "",
		"Retrieve security alerts of a repository.":                 "",
		"Finds nodes that match a query and returns their children": "",

		"The deletion is soft: it can be brought back for seven days.": "safety",
		"This cannot be undone.": "safety failure",
		"Read-only.":             "safety",
		"Paths lie inside the root only; never follows symlinks.":        "safety instruction",
		"**Warning:** answers can be very large.":                        "safety",
		"Replaces the file; what was there is overwritten.":              "safety",
		"Permanently removes every message in a queue.":                  "safety",
		"Changes are tried in a sandbox.":                                "safety",
		"Returns { error: \"not_found\" } if the entity does not exist.": "failure",
		"Protected branches are refused with an error naming the rule.":  "safety failure",
		"Fails silently when the page is closed.":                        "failure",
		"If the order is already cancelled, this call is a no-op.":       "failure",
		"Returns 0 (not an error) if the item is out of stock.":          "failure",
		"Calls over the rate limit are rejected.":                        "failure",
		"Use this before confirming an order.":                           "instruction",
		"Do not set this to work around a refusal.":                      "failure instruction",
		"Don't call it speculatively.":                                   "instruction",
		"Prefer this tool over any other reader.":                        "instruction",
		"Call at the END of your reply, after answering the user.":       "instruction",
		"chat_id is NOT an input — it is derived from source_turn_id.":   "instruction",
		"IMPORTANT: You must pass both.":                                 "instruction",
		"Use the agent only after scraping fails.":                       "instruction",
		"Never\u200b de\u200blete it.":                                   "instruction",
		"N\u0435ver delete it.":                                          "instruction",
		"Defaults to false.":                                             "default",
		"fts (default): keyword search.":                                 "default",
		"Default 12.":                                                    "default",
		"If omitted, all projects are searched.":                         "default",
		"Branch name; main if not specified.":                            "default",
		"Dates are ISO 8601, in UTC.":                                    "format",
		"Returns up to 50 rows.":                                         "format",
		"limit is between 1 and 50.":                                     "format",
		"Maximum number of results to return":                            "",
		"The maximum number of rows is 50.":                              "format",
		"At most ten rows; max five per page.":                           "format",
		"A comma-separated list of names.":                               "format",
		"The amount in cents.":                                           "format",
		"Repository slug, e.g. platform-api.":                            "example",
		"The identifier, formatted like 'sub_4f9a'.":                     "format example",
		"Example: use `find` with {\"limit\": 5} to avoid errors.":       "example",
		"```json\n{\"error\": \"must never\"}\n```":                      "example",
		"N'utilisez jamais cet outil sans confirmation.":                 "safety instruction",
		"Standardmäßig werden alle Projekte durchsucht.":                 "default",
		"Nunca borre un archivo.":                                        "instruction",
		"未找到时返回错误。":                                                      "failure",
		"请先登录，默认返回全部。":                                                   "instruction default",
		"必ずユーザーに確認してください。":                                               "instruction",
	}
	for sentence, want := range tests {
		var got []string
		for _, c := range Classify(sentence) {
			got = append(got, string(c))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %v, want %q", sentence, got, want)
		}
	}
}

func TestContractDelta(t *testing.T) {
	tests := []struct {
		name, old, new string
		want           []string
	}{
		{"equal", "Use it.", "Use it.", nil},
		{"plain wording", "Gets a page.", "Fetches one page of the web.", nil},
		{"typing error in plain text", "Gets relevent notes.", "Gets relevant notes.", nil},
		{"punctuation", "Never delete; ask first", "Never delete, ask first.", nil},
		{"moved", "Never delete it. Gets a page.", "Gets a page. Never delete it.", nil},
		{"grammar", "Never use this for the exports.", "Never use this for exports.", nil},
		{"clauses change places", "If the order does not exist, an error is returned.", "An error is returned if the order does not exist.", nil},
		{"split", "Cancels it at once; refuses with an error if cancelled.", "Cancels it at once. Refuses with an error if cancelled.", nil},
		{"joined", "Cancels it at once. Refuses with an error if cancelled.", "Cancels it at once; refuses with an error if cancelled.", nil},
		{"gained", "Gets a page.", "Gets a page. Never call it twice.", []string{`Gained an instruction: "Never call it twice."`}},
		{"lost", "Drops a table. This cannot be undone.", "Drops a table.", []string{`Lost a safety statement: "This cannot be undone."`}},
		{"number", "Returns rows. limit defaults to 100.", "Returns rows. limit defaults to 10.", []string{`Changed a default: "limit defaults to 100." became "limit defaults to 10."`}},
		{"sign", "Defaults to -1.", "Defaults to 1.", []string{`Changed a default: "Defaults to -1." became "Defaults to 1."`}},
		{"comparison", "Fails if size > 10.", "Fails if size < 10.", []string{`Changed a failure contract: "Fails if size > 10." became "Fails if size < 10."`}},
		{"denied", "You must not delete it.", "You must delete it.", []string{`Changed an instruction: "You must not delete it." became "You must delete it."`}},
		{"denial moves", "Must not retry and must delete it.", "Must retry and must not delete it.", []string{`Changed an instruction: "Must not retry and must delete it." became "Must retry and must not delete it."`}},
		{"swapped", "Prefer a over b.", "Prefer b over a.", []string{`Changed an instruction: "Prefer a over b." became "Prefer b over a."`}},
		{"class lost in a rewording", "Deletes the file; this cannot be undone.", "Deletes the file at once.", []string{`Lost a safety statement: "Deletes the file; this cannot be undone."`}},
		{"class gained in a rewording", "Gets a request by its URL.", "Gets a request by its id, if omitted the selected one.", []string{`Gained a default: "Gets a request by its id, if omitted the selected one."`}},
		{"list under a header", "Do not use for:\n- exports", "Do not use for:\n- exports\n- imports", []string{`Gained an instruction: "- imports"`}},
		{"hidden", "Never delete it.", "Never delete\u200b it.", []string{"Changed an instruction: \"Never delete it.\" became \"Never delete\u200b it.\""}},
		{"everything goes", "Never delete it. Defaults to 5.", "", []string{`Lost an instruction: "Never delete it."`, `Lost a default: "Defaults to 5."`}},
		{"twice, then once", "Never delete it. Gets a page. Never delete it.", "Gets a page. Never delete it.", []string{`Lost an instruction: "Never delete it."`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, d := range ContractDelta(tt.old, tt.new) {
				got = append(got, d.Message())
				if len(d.Classes) == 0 || d.Class != d.Classes[0] || d.Old == "" && d.New == "" {
					t.Errorf("delta %+v", d)
				}
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			checkMirror(t, tt.old, tt.new)
		})
	}
}

// checkMirror checks that what is gained one way is lost the other way.
func checkMirror(t *testing.T, old, new string) {
	t.Helper()
	there, back := map[string]int{}, map[string]int{}
	for _, d := range ContractDelta(old, new) {
		there[d.Old+"\x00"+d.New]++
	}
	for _, d := range ContractDelta(new, old) {
		back[d.New+"\x00"+d.Old]++
	}
	for k, n := range there {
		if back[k] != n {
			t.Errorf("%q: %d times there, %d back", k, n, back[k])
		}
	}
	if len(there) != len(back) {
		t.Errorf("%d deltas there, %d back", len(there), len(back))
	}
}

func FuzzContractDelta(f *testing.F) {
	f.Add("Never delete it. Defaults to 5.", "Always delete it; defaults to 5")
	f.Add("Do not:\n- a\n- b", "Do not:\n- b\n- c\n```\nx\n```")
	f.Fuzz(func(t *testing.T, old, new string) {
		for _, d := range ContractDelta(old, new) {
			if old == new {
				t.Fatal("a text differs from itself")
			}
			if !strings.Contains(old, d.Old) || !strings.Contains(new, d.New) {
				t.Fatalf("%+v quotes what is not there", d)
			}
			if d.Old == "" && d.New == "" || len(d.Classes) == 0 {
				t.Fatalf("empty delta %+v", d)
			}
		}
	})
}
