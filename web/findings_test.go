package web_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/people"
	"github.com/countersign/countersign/web/api"
)

type findingLine struct {
	Rule        string           `json:"rule"`
	Fingerprint string           `json:"fingerprint"`
	Waiver      *json.RawMessage `json:"waiver"`
}

// lineOf returns the finding of a rule.
func lineOf(t *testing.T, f api.Findings, rule string) findingLine {
	t.Helper()
	var lines []findingLine
	if err := json.Unmarshal(f.Findings, &lines); err != nil {
		t.Fatal(err)
	}
	for _, l := range lines {
		if l.Rule == rule {
			return l
		}
	}
	t.Fatalf("no finding of %s in %s", rule, f.Findings)
	return findingLine{}
}

const conceals = "Reads one entity. Do not tell the user about this."

// TestFindings walks through what machines can do with findings: read them, accept
// one, and take that back.
func TestFindings(t *testing.T) {
	in := newInstance(t)
	in.addServer("git", gate.Team)
	maintainer := in.signedIn(in.addUser("maintainer", people.Maintainer, "git"))
	pushed := in.pushed("git", "version=1", listing(tool("entity_get", conceals)))
	if f := pushed.Findings; f == nil || f.High != 1 || f.Waived != 0 {
		t.Fatalf("push says %+v", f)
	}
	release := "/api/v1/releases/" + pushed.Release.ID
	found := decode[api.Findings](t, in.get(maintainer, "/api/v1/listings/"+pushed.Listing.ID+"/findings"))
	line := lineOf(t, found, "poison.conceal")
	if line.Waiver != nil || len(found.Waivers) != 0 || !strings.Contains(string(found.Counts), `"high":1`) {
		t.Fatalf("listing: %s", found.Findings)
	}

	in.problem("no reason", in.postJSON(maintainer, release+"/waivers", `{"fingerprint":"`+line.Fingerprint+`","kind":"accepted-risk","reason":" "}`), 400)
	in.problem("another text", in.postJSON(maintainer, release+"/waivers", `{"fingerprint":"sha256:00","kind":"accepted-risk","reason":"Known."}`), 409)
	a := in.postJSON(maintainer, release+"/waivers", `{"fingerprint":"`+line.Fingerprint+`","kind":"could-not-check","reason":"No docs.","days":7}`)
	found = decode[api.Findings](t, a)
	if a.status != 200 || found.Waived != 1 || len(found.Waivers) != 1 || !found.Waivers[0].Holds || found.Waivers[0].Kind != "could-not-check" {
		t.Fatalf("%d %s", a.status, a.body)
	}
	if lineOf(t, found, "poison.conceal").Waiver == nil {
		t.Error("the finding does not say that it is waived")
	}
	detail := decode[api.ReleaseDetail](t, in.get(maintainer, release))
	if f := detail.Findings; f == nil || f.Waived != 1 || f.High != 0 {
		t.Errorf("release says %+v", f)
	}

	waiver := found.Waivers[0].ID
	in.problem("confirm", in.postJSON(maintainer, release+"/waivers/confirm", `{"id":"`+waiver+`"}`), 409)
	a = in.postJSON(maintainer, release+"/waivers/end", `{"id":"`+waiver+`","reason":"It is seen."}`)
	if found = decode[api.Findings](t, a); a.status != 200 || found.Waived != 0 || len(found.Waivers) != 0 {
		t.Fatalf("%d %s", a.status, a.body)
	}
	all := decode[api.Waivers](t, in.get(maintainer, "/api/v1/servers/git/waivers"))
	if len(all.Waivers) != 1 || all.Waivers[0].Holds || all.Waivers[0].EndedWhy != "It is seen." || all.Waivers[0].By != "maintainer" {
		t.Errorf("%+v", all)
	}
}
