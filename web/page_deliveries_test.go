package web_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/people"
)

// TestDeliveriesAreFiltered narrows the log by server, outcome and day, and finds
// the choice in the address again.
func TestDeliveriesAreFiltered(t *testing.T) {
	in := newInstance(t)
	in.addServer("git", gate.Team)
	in.addServer("shop", gate.Team)
	ada := in.signedIn(in.addUser("ada", people.Admin, ""))
	in.pushed("git", "version=old", listing(tool("find", "Finds.")))
	day := in.now.UTC().AddDate(0, 0, 2)
	in.now = day
	in.pushed("git", "version=good", listing(tool("find", "Finds it.")))
	in.push("git", "version=bad", "not JSON")
	in.push("git", "version=forged", "x")
	forged := in.sign(delivery{slug: "git", query: "version=unsigned", body: []byte("{}"), secret: in.secret["shop"]})
	in.send(forged)
	in.pushed("shop", "version=theirs", listing(tool("buy", "Buys.")))
	versions := func(path string) string {
		t.Helper()
		var all []string
		for _, what := range in.get(ada, path).html(t).Find(".lines li .what strong").EachIter() {
			all = append(all, strings.Join(strings.Fields(what.Text()), " "))
		}
		return strings.Join(all, ", ")
	}
	since := day.Format(time.DateOnly)
	for path, want := range map[string]string{
		"/deliveries":                                      "shop theirs, git, git forged, git bad, git good, git old",
		"/deliveries?server=shop":                          "shop theirs",
		"/deliveries?outcome=accepted":                     "shop theirs, git good, git old",
		"/deliveries?server=git&outcome=refused":           "git forged, git bad",
		"/deliveries?outcome=unverified":                   "git",
		"/deliveries?since=" + since + "&outcome=accepted": "shop theirs, git good",
		"/servers/git/deliveries?outcome=accepted":         "git good, git old",
		"/servers/git/deliveries?outcome=accepted&since=" + day.AddDate(0, 0, 1).Format(time.DateOnly): "",
	} {
		if got := versions(path); got != want {
			t.Errorf("%s lists %q, want %q", path, got, want)
		}
	}
	doc := in.get(ada, "/deliveries?server=git&outcome=refused&since="+since+"&limit=1").html(t)
	if doc.Find("#delivery-server [selected]").AttrOr("value", "") != "git" || doc.Find("#delivery-outcome [selected]").AttrOr("value", "") != "refused" ||
		doc.Find("#delivery-since").AttrOr("value", "") != since {
		t.Error("the form doesn't show what was chosen")
	}
	older, err := url.Parse(doc.Find("nav a[href*=before]").AttrOr("href", ""))
	if err != nil || older.Query().Get("server") != "git" || older.Query().Get("outcome") != "refused" || older.Query().Get("since") != since {
		t.Errorf("older rows are at %s (%v)", older, err)
	}
	for _, path := range []string{"/deliveries?outcome=odd", "/deliveries?since=yesterday"} {
		if a := in.get(ada, path); a.status != 400 || a.html(t).Find("[role=alert]").Length() != 1 {
			t.Errorf("%s: %d", path, a.status)
		}
	}
	if got := in.get(ada, "/deliveries").html(t).Find("#unlisted").Text(); got != "" {
		t.Errorf("nothing was left out, and the page says %q", got)
	}
	for range 104 {
		in.now = in.now.Add(5 * time.Second) // one address may try thirty times a minute
		in.send(in.sign(delivery{slug: "git", query: "version=unsigned", body: []byte("{}"), secret: in.secret["shop"]}))
	}
	if got := in.get(ada, "/deliveries?server=git").html(t).Find("#unlisted").Text(); !strings.Contains(got, "than are listed: 105 on "+day.Format("2 January")) {
		t.Errorf("of 105 pushes that nobody vouched for the page says %q", got)
	}
	vic := in.signedIn(in.addUser("vic", people.Viewer, "git"))
	if a := in.get(vic, "/deliveries?server=shop"); a.status != 404 {
		t.Errorf("deliveries of another's server: %d", a.status)
	}
}
