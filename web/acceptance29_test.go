package web_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// unread are calls that take no body, or are for a machine that signs it.
var unread = map[string]bool{
	"/api/v1/releases/:id/threads/:thread/resolve": true, "/api/v1/releases/:id/threads/:thread/reopen": true,
	"/api/v1/releases/:id/override/end": true, "/api/v1/servers/:server/waivers/proposed": true,
	"/api/v1/servers/:server/endpoints/:id/read": true,
}

// TestAcceptance29 sets a command for a stdio server with every call of the API that
// writes, as whoever may do most. Each refuses the field and changes nothing; a listing
// may hold it, as the text that it is. No command is ever run. That a restored backup
// brings none is TestRestoreChangesNothingWhenItFails: there is no table and no column
// that it could stand in.
func TestAcceptance29(t *testing.T) {
	p, callers := newPlace(t, listing(tool("entity_get", "Reads one entity.")))
	mark := filepath.Join(t.TempDir(), "ran")
	command := `"command":["/bin/sh","-c",` + strconv.Quote("touch "+mark) + `],"stdio":` + strconv.Quote("touch "+mark)
	refused := 0
	for _, row := range p.web.Rows() {
		if row.Method != http.MethodPost || !strings.HasPrefix(row.Path, "/api/") {
			continue
		}
		r := p.request(row)
		body := strings.Replace(p.jsonBody(row), "{", "{"+command+",", 1)
		body = strings.Replace(body, ",}", "}", 1)
		r = httptest.NewRequest(r.Method, r.URL.RequestURI(), strings.NewReader(body)).WithContext(t.Context())
		r.Header.Set("Content-Type", "application/json")
		admin(callers)(r)
		a := p.send(r)
		if unread[row.Path] {
			continue
		}
		action := row.Path[strings.LastIndexByte(row.Path, '/')+1:]
		switch isListing := action == "listings" || action == "verify" || action == "captures"; {
		case isListing && a.status < 500:
		case a.status == http.StatusBadRequest && strings.Contains(a.body, "command"):
			refused++
		default:
			t.Errorf("%s %s: status %d %s", row.Method, row.Path, a.status, a.body)
		}
	}
	if refused < 25 {
		t.Errorf("only %d calls refused the field", refused)
	}
	if _, err := os.Stat(mark); err == nil {
		t.Error("the command ran")
	}
}
