package web_test

import (
	"strings"
	"testing"

	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/people"
	"github.com/countersign/countersign/web/api"
)

// TestUnknownParametersAreRefused: what a list can't be chosen by is said, and what it can
// be: a filter that is misspelt would answer with more than was asked for.
func TestUnknownParametersAreRefused(t *testing.T) {
	in := newInstance(t)
	in.addServer("git", gate.Team)
	ann := in.signedIn(in.addUser("ann", people.Maintainer, "git"))
	p := in.pushed("git", "version=1", listing(tool("find", "Finds.")))
	for address, says := range map[string]string{
		"/api/v1/threads?sever=git":                                 "Use server, tool, author",
		"/api/v1/threads?blocks=yes":                                "Use true or false",
		"/api/v1/threads?state=lost":                                "exact, renamed, changed or gone",
		"/api/v1/threads?limit=0":                                   "from 1 to 500",
		"/api/v1/servers/git/releases?status=open":                  "Use version, profile, limit or before",
		"/api/v1/servers/git/listings?version=1":                    "Use limit or before",
		"/api/v1/inbox?unread=true":                                 "Use limit or before",
		"/api/v1/servers/git/gate?digset=x":                         "Use digest, version or profile",
		"/api/v1/listings/" + p.Listing.ID + "?tool=99":             "takes none",
		"/api/v1/servers/git/waivers?server=git":                    "Use limit or before",
		"/audit/export?form=csv":                                    "Use who, act, server, since, until or format",
		"/api/v1/releases/" + p.Release.ID + "/threads?state=exact": "takes none",
	} {
		if a := in.get(ann, address); a.status != 400 || !strings.Contains(a.body, says) {
			t.Errorf("%s: %d %.300s", address, a.status, a.body)
		}
	}
	if a := in.get(ann, "/servers/git/listings/"+p.Listing.ID+"?tool=99"); a.status != 404 || !strings.Contains(a.body, "no tool at this position") {
		t.Errorf("a tool that is not there: %d", a.status)
	}
	in.want(200, in.get(ann, "/servers/git/listings/"+p.Listing.ID+"?tool=1"))
	in.problem("nobody", in.get(nobody, "/api/v1/threads?sever=git"), 401)
}

// TestThreadsAreChosen: the list is chosen by its form, which says how many each choice leaves.
func TestThreadsAreChosen(t *testing.T) {
	in := newInstance(t)
	in.addServer("git", gate.Team)
	ann := in.signedIn(in.addUser("ann", people.Maintainer, "git"))
	p := in.pushed("git", "version=1", listing(tool("find", "Finds."), tool("drop", "Drops.")))
	for _, name := range []string{"find", "drop", "drop"} {
		in.want(201, in.postJSON(ann, "/api/v1/releases/"+p.Release.ID+"/threads", `{"anchor":{"tool":"`+name+`"},"body":"Why?"}`))
	}
	d := decode[api.Discussion](t, in.want(200, in.get(ann, "/api/v1/threads?tool=find&state=exact")))
	if len(d.Threads) != 1 || d.Counts.Total != 1 || d.Counts.All != 3 || len(d.Counts.Tools) != 2 || d.Counts.Tools[0] != (api.Counted{Value: "drop", Count: 2}) {
		t.Errorf("%+v", d)
	}
	if d.Threads[0].Place.State != "exact" {
		t.Errorf("its place: %+v", d.Threads[0].Place)
	}
	page := in.want(200, in.get(ann, "/threads?tool=find&blocks=false")).body
	for _, says := range []string{`<option value="drop">drop (2)</option>`, `<option value="find" selected>find (1)</option>`, "1 of 1", "git (1)"} {
		if !strings.Contains(page, says) {
			t.Errorf("the page does not say %q", says)
		}
	}
	in.problem("a pointer that leads nowhere", in.postJSON(ann, "/api/v1/releases/"+p.Release.ID+"/threads",
		`{"anchor":{"tool":"find","pointer":"/inputSchema/nothing"},"body":"Why?"}`), 422)
}
