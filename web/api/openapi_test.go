package api_test

import (
	"bytes"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/countersign/countersign/web/api"
)

// described are the types whose fields the description has to name, all of them
// and in order.
var described = []any{
	api.Problem{}, api.InputError{}, api.Health{}, api.PushAnswer{}, api.PushedListing{}, api.PushedRelease{},
	api.GateResult{}, api.Requirement{}, api.GateAnswer{}, api.Approval{}, api.Verified{}, api.Trial{}, api.Override{}, api.Alarm{}, api.PolicyDetail{}, api.PolicyVersion{}, api.PolicyRequest{}, api.PolicyDecision{}, api.PolicyTried{}, api.PredecessorRequest{}, api.TriedRelease{}, api.TriedDifference{}, api.OverrideRequest{}, api.Servers{}, api.Server{},
	api.Policy{}, api.Profile{}, api.Baseline{}, api.Acknowledgment{}, api.Listings{}, api.ListingInfo{}, api.Listing{},
	api.Releases{}, api.Release{}, api.Revision{}, api.ReleaseDetail{}, api.Base{}, api.ChangeState{}, api.CutMove{}, api.SightState{}, api.Prefix{}, api.Verdict{},
	api.Threads{}, api.Thread{}, api.Anchor{}, api.Comment{}, api.VerdictsRequest{}, api.VerdictItem{},
	api.BaselineRequest{}, api.ReleaseRequest{}, api.WithdrawRequest{}, api.ThreadRequest{}, api.CommentRequest{},
	api.Aliases{}, api.Alias{}, api.AliasRequest{}, api.IDRequest{}, api.PairingRequest{}, api.Changelog{}, api.ViewedRequest{},
	api.Drafts{}, api.Draft{}, api.DraftComment{}, api.PublishRequest{}, api.EditRequest{}, api.CommentEdits{}, api.CommentEdit{},
	api.Inbox{}, api.InboxDrift{}, api.Attention{}, api.Notice{}, api.ReadRequest{}, api.FollowRequest{}, api.Discussion{}, api.DiscussionCounts{}, api.Counted{},
	api.Proposals{}, api.Proposal{}, api.ProposalDecision{}, api.Grants{}, api.Grant{}, api.GrantRequest{}, api.PurgeRequest{}, api.PurgeAnswer{},
	api.Place{}, api.Suggestion{}, api.SuggestionRequest{}, api.SuggestionCheck{}, api.HiddenMark{}, api.Captures{}, api.Capture{},
	api.FindingCounts{}, api.Findings{}, api.Waivers{}, api.Waiver{}, api.WaiverRequest{}, api.EndWaiverRequest{},
	api.ProposeRequest{}, api.FileWaiver{}, api.ProposedWaivers{}, api.ProposedWaiver{}, api.AnswerProposedRequest{},
	api.Endpoints{}, api.Endpoint{}, api.Drift{}, api.DriftFinding{}, api.KnownDrift{},
}

// elsewhere are schemas of what other packages write: their tests hold them.
var elsewhere = []string{"Digest", "Class", "Diff", "Families", "ReleaseState"}

var (
	schemaLine   = regexp.MustCompile(`^    ([A-Z]\w*):`)
	propertyLine = regexp.MustCompile(`^        (\w+):`)
	refPattern   = regexp.MustCompile(`\$ref: "#/components/(\w+)/(\w+)"`)
)

// schemas reads the names of schemas and of their properties. The file is written
// by hand in one style, which this relies on.
func schemas(t *testing.T) map[string][]string {
	t.Helper()
	_, text, ok := strings.Cut(string(api.OpenAPI), "\n  schemas:\n")
	if !ok {
		t.Fatal("no schemas in the description")
	}
	out := map[string][]string{}
	name, inProperties := "", false
	for line := range strings.Lines(text) {
		if m := schemaLine.FindStringSubmatch(line); m != nil {
			name, inProperties = m[1], false
			out[name] = nil
		} else if strings.HasPrefix(line, "      ") && line[6] != ' ' {
			inProperties = strings.HasPrefix(line, "      properties:")
		} else if m := propertyLine.FindStringSubmatch(line); m != nil && inProperties {
			out[name] = append(out[name], m[1])
		}
	}
	return out
}

// fields lists the JSON names of a struct, embedded ones in place.
func fields(t reflect.Type) []string {
	var out []string
	for f := range t.Fields() {
		if f.Anonymous {
			out = append(out, fields(f.Type)...)
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		out = append(out, name)
	}
	return out
}

func TestDescriptionNamesEveryField(t *testing.T) {
	got := schemas(t)
	for _, v := range described {
		typ := reflect.TypeOf(v)
		if diff := cmp.Diff(fields(typ), got[typ.Name()]); diff != "" {
			t.Errorf("openapi.yaml, schema %s (-type +description):\n%s", typ.Name(), diff)
		}
		delete(got, typ.Name())
	}
	for name := range got {
		if !slices.Contains(elsewhere, name) {
			t.Errorf("openapi.yaml describes %s, which is no type of this package", name)
		}
	}
}

func TestDescriptionRefersToWhatItHas(t *testing.T) {
	for _, m := range refPattern.FindAllSubmatch(api.OpenAPI, -1) {
		kind, name := string(m[1]), string(m[2])
		_, part, ok := bytes.Cut(api.OpenAPI, []byte("\n  "+kind+":\n"))
		if !ok || !bytes.Contains(part, []byte("\n    "+name+":")) && !bytes.HasPrefix(part, []byte("    "+name+":")) {
			t.Errorf("$ref to %s/%s, which is not there", kind, name)
		}
	}
}
