package lint_test

import (
	"strings"
	"testing"

	"github.com/countersign/countersign/review/lint"
)

const (
	goodDelete = `{"name":"delete_branch","description":"Delete a branch from a repository. The deletion is soft: the branch is recoverable for seven days with restore_branch. Branches protected by repository policy (default branches, release/*) are refused with an error naming the policy. A branch whose tip is not merged into the default branch is refused unless force is true; prefer reporting such a branch back to the user over setting force. Deleting a branch does not delete its open pull requests, which become unmergeable.","inputSchema":{"type":"object","properties":{"repo":{"type":"string","description":"Repository slug, e.g. platform-api."},"branch":{"type":"string","description":"Exact branch name. Never a pattern or a prefix."},"force":{"type":"boolean","description":"Delete even if the branch has commits not merged into the default branch. Defaults to false. Do not set this to work around a refusal without being asked to."}},"required":["repo","branch"],"additionalProperties":false},"annotations":{"readOnlyHint":false,"destructiveHint":true,"idempotentHint":true}}`
	badDelete  = `{"name":"delete_branch","description":"Delete a branch.","inputSchema":{"type":"object","properties":{"repo":{"type":"string"},"branch":{"type":"string"},"force":{"type":"boolean"}},"required":["repo","branch"]}}`
	goodCancel = `{"name":"cancel_subscription","description":"Cancels an active subscription immediately. Use this only when the user explicitly confirms they want to cancel — do not call it speculatively while just discussing options. If the subscription is already canceled, this call is a no-op and returns the existing cancellation date rather than an error.","inputSchema":{"type":"object","properties":{"subscription_id":{"type":"string","description":"The subscription identifier, formatted like 'sub_4f9a2b1c'. Found in the user's account summary, not their email or username."},"reason":{"type":"string","enum":["too_expensive","not_using_it","switching_provider","other"],"description":"Why the user is canceling. Used for internal reporting only; does not change the cancellation outcome."}},"required":["subscription_id"]}}`
	badCancel  = `{"name":"cancel_subscription","description":"Cancels a subscription.","inputSchema":{"type":"object","properties":{"subscription_id":{"type":"string"},"reason":{"type":"string"}},"required":["subscription_id"]}}`
	goodStock  = `{"name":"check_stock","description":"Look up current stock count for a SKU in the warehouse system. Use this before confirming an order can ship. Returns 0 (not an error) if the SKU exists but is out of stock.","inputSchema":{"type":"object","properties":{"sku":{"type":"string","description":"Product SKU, formatted like 'WH-4471'."}}}}`
	goodTicket = `{"name":"mot_get_ticket","description":"Get a single ticket by ID, including its full comment history.","inputSchema":{"type":"object","properties":{"id":{"type":"string","description":"Ticket CUID2 id."}},"required":["id"]}}`
	goodEntity = `{"name":"entity_confirm","description":"Confirm an entity. Returns { error: \"not_found\" } if the entity does not exist or is superseded. Returns { error: \"already_confirmed\" } if it is already confirmed.","inputSchema":{"type":"object","properties":{"id":{"type":"string","description":"Entity CUID2 id."}},"required":["id"]}}`
	goodMode   = `{"name":"chat_search","description":"Search the chat log by words or by meaning. Returns an empty list when nothing matches.","inputSchema":{"type":"object","properties":{"query":{"type":"string","description":"What to look for."},"mode":{"type":"string","enum":["fts","vector","hybrid"],"description":"Search mode. fts (default): keyword/FTS5. vector: semantic KNN. hybrid: RRF merge of fts + vector."}},"required":["query"],"additionalProperties":false}}`
)

// The good examples of the seeds give no warning. That four of them are open objects,
// which the seeds ask to close, is no more than a note where every argument is
// described.
func TestSeedsGoodExamples(t *testing.T) {
	for name, tool := range map[string]string{
		"delete_branch": goodDelete, "cancel_subscription": goodCancel, "check_stock": goodStock,
		"mot_get_ticket": goodTicket, "entity_confirm": goodEntity, "mode": goodMode,
	} {
		t.Run(name, func(t *testing.T) {
			for _, f := range find(t, `{"tool":`+tool+`}`) {
				if f.Severity.Rank() >= lint.Warn.Rank() {
					t.Errorf("%s %s %s: %s", f.Severity, f.Rule, f.Pointer, f.Message)
				}
			}
		})
	}
}

// Nor do they beside each other.
func TestSeedsGoodListing(t *testing.T) {
	tools := strings.Join([]string{goodDelete, goodCancel, goodStock, goodTicket, goodEntity, goodMode}, ",")
	for _, f := range find(t, `{"tools":[`+tools+`]}`) {
		if f.Severity.Rank() >= lint.Warn.Rank() {
			t.Errorf("%s %s %s: %s", f.Severity, f.Rule, f.Pointer, f.Message)
		}
	}
}

// Their bad twins do, for the reasons that the seeds give.
func TestSeedsBadTwins(t *testing.T) {
	for _, tc := range []struct {
		tool string
		want []string
	}{
		{badDelete, []string{
			"desc.tautology", "desc.destructive-silent", "desc.terse", "param.no-description", "param.bypass-flag", "param.exact-vs-pattern",
			"param.invites-reason", "schema.open-object", "annot.missing", "tool.speculative-risk",
		}},
		{badCancel, []string{"desc.tautology", "desc.destructive-silent", "desc.no-when", "desc.no-repeat-semantics", "param.no-description", "param.id-no-format"}},
		{strings.Replace(goodStock, "Returns 0 (not an error) if the SKU exists but is out of stock.", "", 1), []string{"desc.no-empty-result"}},
		{strings.Replace(goodMode, " (default)", "", 1), []string{"param.default-unstated"}},
		{`{"name":"mot_list_tickets","description":"List tickets.","inputSchema":{"type":"object","properties":{"ministry":{"type":"string","enum":["education","commerce","plenty","flow","works","peace","interior","foreign_affairs"],"description":"Filter by ministry."}}}}`, []string{"param.opaque-enum"}},
		{`{"name":"chat_search","description":"Search the chats.","inputSchema":{"type":"object","properties":{"limit":{"type":"integer","minimum":1,"maximum":50}}}}`, []string{"param.default-unstated"}},
	} {
		got := find(t, `{"tool":`+tc.tool+`}`)
		for _, rule := range tc.want {
			if !has(got, rule) {
				t.Errorf("%s not found in %s\ngot:%s", rule, tc.tool, list(got))
			}
		}
	}
}

// The tools that the seed names as not fitting, in its own listing.
func TestSeedsThreeNames(t *testing.T) {
	names := strings.Fields(`mot_list_tickets mot_get_ticket mot_create_ticket chat_recent chat_search chat_log_turn entity_relate entity_relate_confirm
		entity_relate_reject summarize_and_archive write_memory memory_recent entity_confirm graph_compact topic_thread_link notify_robin
		profile_synthesize memory_context memory_profile topic_threads_list`)
	var tools []string
	for _, n := range names {
		tools = append(tools, `{"name":"`+n+`","description":"Does `+n+` as its name says it.","inputSchema":{"type":"object","properties":{}}}`)
	}
	got := find(t, `{"tools":[`+strings.Join(tools, ",")+`]}`)
	want := map[string]string{"write_memory": "surface.family-outlier", "summarize_and_archive": "surface.no-namespace"}
	for _, f := range got {
		if f.Rule != "surface.family-outlier" && f.Rule != "surface.no-namespace" {
			continue
		}
		if want[f.Tool] != f.Rule {
			t.Errorf("%s on %s", f.Rule, f.Tool)
		}
		delete(want, f.Tool)
	}
	if len(want) > 0 || !has(got, "surface.scattered-family") {
		t.Errorf("not found: %v, got:%s", want, list(got))
	}
}
