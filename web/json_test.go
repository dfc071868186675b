package web

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/web/api"
)

// readVerdicts is a route that reads one type of request.
func readVerdicts(got *api.VerdictsRequest) echo.HandlerFunc {
	return func(c echo.Context) error {
		*got = api.VerdictsRequest{}
		if err := readJSON(c, got); err != nil {
			return err
		}
		return c.NoContent(204)
	}
}

func TestRequestsAreReadStrictly(t *testing.T) {
	var got api.VerdictsRequest
	s := bareServer(t, nil)
	withRoute(s, post("/api/v1/read", anybody, readVerdicts(&got)))
	for name, a := range map[string]struct {
		kind, body string
		status     int
		pointer    string
		line       int
		column     int
		says       string
	}{
		"good":            {"application/json", `{"items":[{"change":"ch_1","verdict":"approve","note":"fine"}]}`, 204, "", 0, 0, ""},
		"with a charset":  {"application/json; charset=utf-8", `{"items":[]}`, 204, "", 0, 0, ""},
		"misspelt":        {"application/json", "{\"items\":[\n {\"change\":\"ch_1\",\"verdict\":\"approve\",\"ntoe\":\"x\"}]}", 400, "/items/0/ntoe", 2, 0, "no field /items/0/ntoe"},
		"NAME for name":   {"application/json", `{"Items":[]}`, 400, "/Items", 1, 0, "case-sensitive"},
		"twice":           {"application/json", `{"items":[],"items":[]}`, 400, "/items", 1, 13, "duplicate"},
		"wrong type":      {"application/json", `{"items":[{"note":5}]}`, 400, "/items/0/note", 1, 0, "wrong type"},
		"not an object":   {"application/json", `[]`, 400, "", 1, 0, "wrong type"},
		"cut off":         {"application/json", `{"items":[`, 400, "/items", 1, 0, "not valid JSON"},
		"empty":           {"application/json", ``, 400, "", 1, 1, "not valid JSON"},
		"two values":      {"application/json", `{"items":[]}{}`, 400, "", 1, 13, "not valid JSON"},
		"not UTF-8":       {"application/json", "{\"items\":[{\"note\":\"\xff\"}]}", 400, "/items/0/note", 1, 0, "not valid JSON"},
		"lone surrogate":  {"application/json", `{"items":[{"note":"\ud800"}]}`, 400, "/items/0/note", 1, 0, "not valid JSON"},
		"a form":          {"application/x-www-form-urlencoded", `items=1`, 415, "", 0, 0, "Content-Type"},
		"no type":         {"", `{"items":[]}`, 415, "", 0, 0, "Content-Type"},
		"deeply nested":   {"application/json", `{"items":` + strings.Repeat("[", 20000), 400, "", 0, 0, "not"},
		"text as JSON":    {"application/json", `approve`, 400, "", 1, 1, "not valid JSON"},
		"HTML as JSON":    {"application/json", `<p>`, 400, "", 1, 1, "not valid JSON"},
		"trailing spaces": {"application/json", "{\"items\":[]} \n", 204, "", 0, 0, ""},
	} {
		r := httptest.NewRequest("POST", "/api/v1/read", strings.NewReader(a.body))
		r.Header.Set("Content-Type", a.kind)
		resp := serve(s, r)
		if resp.StatusCode != a.status {
			t.Errorf("%s: %d %s, want %d", name, resp.StatusCode, bodyOf(t, resp), a.status)
			continue
		}
		if a.status == 204 {
			continue
		}
		var p api.Problem
		if err := json.Unmarshal([]byte(bodyOf(t, resp)), &p); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !strings.Contains(p.Detail, a.says) {
			t.Errorf("%s: %q does not say %q", name, p.Detail, a.says)
		}
		if a.line == 0 {
			continue
		}
		if len(p.Problems) != 1 || p.Problems[0].Pointer != a.pointer || p.Problems[0].Line != a.line || a.column != 0 && p.Problems[0].Column != a.column {
			t.Errorf("%s: problems = %+v, want %s at line %d, column %d", name, p.Problems, a.pointer, a.line, a.column)
		}
	}
}

func TestWrittenJSONKeepsWhatGoCannotHold(t *testing.T) {
	type thing struct {
		Name  string         `json:"name"`
		Count int            `json:"count,omitempty"`
		List  []string       `json:"list"`
		Map   map[string]int `json:"map"`
	}
	s := bareServer(t, nil)
	withRoute(s, get("/api/v1/write", anybody, func(c echo.Context) error {
		return writeJSON(c, 200, thing{Name: "pay\xed\xa0\x80<b>\u202e", Map: map[string]int{"z": 1, "a": 2}})
	}))
	got := bodyOf(t, serve(s, httptest.NewRequest("GET", "/api/v1/write", nil)))
	want := `{"name":"pay\ud800<b>` + "\u202e" + `","list":[],"map":{"a":2,"z":1}}` + "\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestLineColumn(t *testing.T) {
	for _, a := range []struct {
		text         string
		offset       int64
		line, column int
	}{
		{"", 0, 1, 1}, {"abc", 2, 1, 3}, {"a\nbc", 2, 2, 1}, {"a\nbc", 4, 2, 3}, {"a", 99, 1, 2}, {"a", -1, 1, 1}, {"\n\n", 2, 3, 1},
	} {
		if line, column := lineColumn([]byte(a.text), a.offset); line != a.line || column != a.column {
			t.Errorf("lineColumn(%q, %d) = %d, %d, want %d, %d", a.text, a.offset, line, column, a.line, a.column)
		}
	}
}

func FuzzReadJSON(f *testing.F) {
	f.Add(`{"items":[{"change":"ch_1","verdict":"approve","note":"fine"}]}`)
	f.Add(`{"items":[{"edit":"ed_1","changes":["a"],"verdict":"reject"}]} `)
	f.Add("{\"a\n\":\xff")
	var got api.VerdictsRequest
	s := bareServer(&testing.T{}, nil)
	withRoute(s, post("/api/v1/read", anybody, readVerdicts(&got)))
	f.Fuzz(func(t *testing.T, body string) {
		r := httptest.NewRequest("POST", "/api/v1/read", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		resp := serve(s, r)
		switch resp.StatusCode {
		case 204, 413:
		case 400:
			var p api.Problem
			if err := json.Unmarshal([]byte(bodyOf(t, resp)), &p); err != nil || len(p.Problems) != 1 || p.Problems[0].Line < 1 || p.Problems[0].Column < 1 {
				t.Errorf("problem = %+v, %v", p, err)
			}
		default:
			t.Errorf("status %d for %q", resp.StatusCode, body)
		}
	})
}
