package web

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/countersign/countersign/review/people"
	"github.com/countersign/countersign/web/api"
)

var (
	pathLine   = regexp.MustCompile(`^  (/\S*):$`)
	methodLine = regexp.MustCompile(`^    (get|post|put|patch|delete):$`)
	parameter  = regexp.MustCompile(`:(\w+)`)
)

// describedCalls are the calls of the OpenAPI description, as "GET /path".
func describedCalls() []string {
	var out []string
	path := ""
	for line := range strings.Lines(string(api.OpenAPI)) {
		line = strings.TrimRight(line, "\n")
		if m := pathLine.FindStringSubmatch(line); m != nil {
			path = m[1]
		} else if m := methodLine.FindStringSubmatch(line); m != nil && path != "" {
			out = append(out, strings.ToUpper(m[1])+" "+path)
		} else if line == "components:" {
			break
		}
	}
	slices.Sort(out)
	return out
}

func TestDescriptionAndRoutesAgree(t *testing.T) {
	s := bareServer(t, nil)
	var routed []string
	for _, r := range s.apiRoutes() {
		if strings.HasPrefix(r.path, "/static/") {
			continue
		}
		routed = append(routed, r.method+" "+parameter.ReplaceAllString(r.path, "{$1}"))
	}
	slices.Sort(routed)
	if diff := cmp.Diff(describedCalls(), routed); diff != "" {
		t.Errorf("-openapi.yaml +routes:\n%s", diff)
	}
}

// TestParametersAsDescribed compares what each question can be chosen by.
func TestParametersAsDescribed(t *testing.T) {
	type parameters []struct {
		Name string `yaml:"name"`
		In   string `yaml:"in"`
		Ref  string `yaml:"$ref"`
	}
	var described struct {
		Paths map[string]struct {
			Parameters parameters `yaml:"parameters"`
			Get        struct {
				Parameters parameters `yaml:"parameters"`
			} `yaml:"get"`
		} `yaml:"paths"`
	}
	if err := yaml.Unmarshal(api.OpenAPI, &described); err != nil {
		t.Fatal(err)
	}
	for _, r := range bareServer(t, nil).apiRoutes() {
		if r.method != http.MethodGet || !strings.HasPrefix(r.path, "/api/") {
			continue
		}
		at := described.Paths[parameter.ReplaceAllString(r.path, "{$1}")]
		var want []string
		for _, p := range append(at.Parameters, at.Get.Parameters...) {
			switch name := strings.ToLower(p.Ref[strings.LastIndexByte(p.Ref, '/')+1:]); {
			case p.In == "query":
				want = append(want, p.Name)
			case name == "limit" || name == "before":
				want = append(want, name)
			}
		}
		got := slices.Clone(r.query)
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s takes %v, described are %v", r.path, got, want)
		}
	}
}

// TestRowsOfTheTableMakeSense guards what the table promises for later rows.
func TestRowsOfTheTableMakeSense(t *testing.T) {
	s := bareServer(t, nil)
	seen := map[string]bool{}
	for _, r := range s.routes() {
		name := r.method + " " + r.path
		if seen[name] {
			t.Errorf("%s stands twice in the table", name)
		}
		seen[name] = true
		if r.method != "GET" && r.method != "POST" {
			t.Errorf("%s: state is read by GET and changed by POST", name)
		}
		if !r.who.open && !r.who.signed && r.who.role == people.NoRole {
			t.Errorf("%s: neither open nor for anybody", name)
		}
		if isPage := !strings.HasPrefix(r.path, "/api/"); isPage && len(r.who.scopes) > 0 {
			t.Errorf("%s: tokens are for the API only", name)
		}
		if r.plain && !r.who.open {
			t.Errorf("%s: without a session nobody is anybody", name)
		}
		if r.method == "POST" && r.who.open && strings.HasPrefix(r.path, "/api/") {
			t.Errorf("%s: nobody may change anything", name)
		}
	}
}
