package web_test

import (
	"encoding/csv"
	"net/http"
	"strings"
	"testing"

	"github.com/countersign/countersign/review/proof"
)

// TestAuditFilters chooses acts on the page by each filter, and exports the same.
func TestAuditFilters(t *testing.T) {
	p, callers := newPlace(t, listing(tool("entity_get", "Reads one entity.")))
	today := p.now.UTC().Format("2006-01-02")
	for query, want := range map[string]struct{ has, not string }{
		"":                          {"token.create", ""},
		"act=user":                  {"user.add", "token.create"},
		"act=user.add":              {"user.add", "listing.push"},
		"who=shell":                 {"server.add", "thread.open"},
		"who=maintainer":            {"thread.open", "server.add"},
		"server=git":                {"listing.push", "shop"},
		"since=" + today:            {"listing.push", ""},
		"since=2999-01-01":          {"No such act", "listing.push"},
		"until=2000-01-01":          {"No such act", "listing.push"},
		"until=" + today:            {"listing.push", ""},
		"since=" + today + "T00:00": {"Give a day such as", "listing.push"},
		"act=Push":                  {"acts are named like", "listing.push"},
	} {
		t.Run(query, func(t *testing.T) {
			page := p.get(admin(callers), "/audit?"+query)
			rows := page.body
			if i := strings.Index(rows, "<table>"); i >= 0 {
				rows = rows[i:]
			}
			if !strings.Contains(page.body, want.has) || want.not != "" && strings.Contains(rows, want.not) {
				t.Errorf("want %q and not %q in\n%.3000s", want.has, want.not, rows)
			}
			if page.status != http.StatusOK && page.status != http.StatusBadRequest {
				t.Errorf("status %d", page.status)
			}
		})
	}
}

// TestAuditNamesServers says of each act on which server it was, and leads to the acts
// on that one.
func TestAuditNamesServers(t *testing.T) {
	p, callers := newPlace(t, listing(tool("entity_get", "Reads one entity.")))
	page := p.get(admin(callers), "/audit?act=listing.push&before=")
	if want := `href="/audit?act=listing.push&amp;server=git"`; !strings.Contains(page.body, want) {
		t.Errorf("want %s in\n%.3000s", want, page.body)
	}
	if rows := p.get(admin(callers), "/audit?act=user.add").body; !strings.Contains(rows, `<td class="blank" data-label="server">`) {
		t.Error("an act on no server names one")
	}
}

// TestAuditNamesWhat says which tool of which version an answer was about, and leads there.
func TestAuditNamesWhat(t *testing.T) {
	r := newReviewed(t)
	r.want(303, r.answer(r.rita, "find", "approve", ""))
	doc := r.get(r.mia, "/audit?act=verdict.approve").html(t)
	on := doc.Find("table tbody td.wrap-any").First()
	if got := text(on); !strings.HasPrefix(got, "find in 2.0.0 ") || on.Find(`a[href="`+r.path+`"]`).Length() != 1 || !strings.Contains(got, "kept as ch_") {
		t.Errorf("the answer was about %q", got)
	}
	if got := text(r.get(r.mia, "/audit?act=listing.push").html(t).Find("table tbody td.wrap-any").First()); !strings.HasPrefix(got, "2.0.0 ") {
		t.Errorf("the push was of %q", got)
	}
}

// TestAuditExports downloads both forms, and follows the chain of the one that has
// one. Who maintains one server gets the acts of others as hashes alone.
func TestAuditExports(t *testing.T) {
	p, callers := newPlace(t, listing(tool("entity_get", "Reads one entity.")))
	maintainer := callers[len(callers)-2].as
	p.addUser("=cmd", "viewer", "git")

	a := p.want(200, p.get(admin(callers), "/audit/export"))
	v, err := proof.Check(strings.NewReader(a.body))
	if err != nil || v.Fault != nil || v.LeftOut != 0 || v.Links == 0 {
		t.Errorf("%+v %+v %v", v, v.Fault, err)
	}
	if !strings.HasPrefix(a.header.Get("Content-Disposition"), "attachment") {
		t.Errorf("headers %v", a.header)
	}
	own := p.want(200, p.get(maintainer, "/audit/export"))
	v, err = proof.Check(strings.NewReader(own.body))
	if err != nil || v.Fault != nil || v.LeftOut == 0 || strings.Contains(own.body, "shop") {
		t.Errorf("of a maintainer: %+v %+v %v", v, v.Fault, err)
	}
	table := p.want(200, p.get(admin(callers), "/audit/export?format=csv&act=user"))
	rows, err := csv.NewReader(strings.NewReader(table.body)).ReadAll()
	if err != nil || len(rows) < 3 || !strings.Contains(table.body, "'=cmd@example.org") {
		t.Errorf("%d rows, %v:\n%s", len(rows), err, table.body)
	}
	if a := p.get(admin(callers), "/audit/export?format=xls"); a.status != http.StatusBadRequest {
		t.Errorf("an unknown form: %d", a.status)
	}
}

func TestPublicKeysAreForEverybody(t *testing.T) {
	p, _ := newPlace(t, listing(tool("entity_get", "Reads one entity.")))
	a := p.want(200, p.get(nobody, "/.well-known/countersign/keys.json"))
	if ring := decode[proof.Ring](t, a); len(ring.Keys) != 1 || ring.Keys[0].ID != signer.Key().ID || strings.Contains(a.body, "PRIVATE") {
		t.Errorf("%s", a.body)
	}
}
