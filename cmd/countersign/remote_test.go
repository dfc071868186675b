package main

import (
	"strings"
	"testing"

	"github.com/countersign/countersign/web/api"
)

// What passes without an approval is never counted as met, and an alarm is never left
// out: somebody decides by these lines whether to publish.
func TestGateInWords(t *testing.T) {
	answer := api.GateAnswer{Alarms: []api.Alarm{{Why: "Rob's answers were revoked."}}}
	answer.Gate, answer.Why = "pass", "Passes by override only."
	answer.Server, answer.Profile, answer.Digest = "mot", "default", "sha256:ab"
	answer.Release = &api.PushedRelease{Version: "2.1.1", URL: "https://review.example/releases/7", Commit: "0a1b", RunURL: "https://ci.example/1"}
	answer.Requirements = []api.Requirement{
		{ID: "approval:find", State: "open", Why: "Needs an approval.", WhoCan: []string{"Ana", "Ben"}},
		{ID: "approval:drop", State: "overridden", Why: "Needs an approval."},
		{ID: "approval:list", State: "satisfied", Why: "Approved by Rita."},
		{ID: "order", State: "not applicable", Why: "The policy does not ask."},
	}
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"text": {gateText(answer), []string{
			"Passes by override only.", "open: approval:find: Needs an approval. (Ana, Ben)", "NOT APPROVED, overridden: approval:drop: Needs an approval.",
			"ALARM: Rob's answers were revoked.", "  1 requirement met\n",
			"  mot 2.1.1, sha256:ab\n", "commit 0a1b, run https://ci.example/1\nhttps://review.example/releases/7\n",
		}},
		"markdown": {gateMarkdown(answer), []string{
			"**Countersign: pass.** Passes by override only.", "| approval:find | Needs an approval. | Ana, Ben |", "| **Not approved**, overridden | Why |",
			"| approval:drop | Needs an approval. |", "**Alarm:** Rob's answers were revoked.", "\n1 requirement met.\n",
			"[mot 2.1.1](<https://review.example/releases/7>), `sha256:ab`, commit [`0a1b`](<https://ci.example/1>)",
		}},
	} {
		for _, want := range c.want {
			if !strings.Contains(c.text, want) {
				t.Errorf("the %s does not say %q:\n%s", name, want, c.text)
			}
		}
		if strings.Contains(c.text, "approval:list") || strings.Contains(c.text, "order") {
			t.Errorf("the %s lists what is not asked:\n%s", name, c.text)
		}
	}
}
