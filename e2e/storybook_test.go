package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/countersign/countersign/static"
	"github.com/countersign/countersign/views/fixtures"
	"github.com/countersign/countersign/web"
)

// storybook serves every page in every state at /STATE, under the policy of the
// real server.
func storybook() http.Handler {
	mux := http.NewServeMux()
	mux.Handle(static.Prefix, static.Handler())
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		for _, s := range fixtures.All() {
			fmt.Fprintf(w, "<p><a href=\"/%s\">%s</a></p>\n", s.Name, s.Name)
		}
	})
	mux.HandleFunc("GET /{state}", func(w http.ResponseWriter, r *http.Request) {
		s, ok := fixtures.Find(r.PathValue("state"))
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if err := s.Page.Render(r.Context(), w); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	})
	return web.Policy(mux)
}

// storyServer serves the storybook for the time of a test.
func storyServer(t *testing.T) string {
	t.Helper()
	srv := httptest.NewServer(storybook())
	t.Cleanup(srv.Close)
	return srv.URL
}

// states are those that the command line asks for; all without a wish.
func states() []fixtures.State {
	var some []fixtures.State
	for _, s := range fixtures.All() {
		if strings.HasPrefix(s.Name, *onlyState) {
			some = append(some, s)
		}
	}
	return some
}

// TestServeStorybook serves the states for a person to look at:
// go test ./e2e -run ServeStorybook -storybook 127.0.0.1:8090 -timeout 0
func TestServeStorybook(t *testing.T) {
	if *storyAddr == "" {
		t.Log("nothing to do without -storybook ADDR")
		return
	}
	t.Fatal(http.ListenAndServe(*storyAddr, storybook()))
}

// TestModes looks at the review with more contrast, and with colours that the
// system forces.
func TestModes(t *testing.T) {
	srv := storyServer(t)
	b := newTab(t, screens[0])
	for _, name := range []string{"home", "server", "release-decisions", "release-tool"} {
		b.open(srv + "/" + name)
		for _, m := range modes {
			b.show(m)
			if *shotsDir != "" {
				b.picture("mode-" + name + "-" + m.String())
			}
			b.check(name + " at " + m.String())
		}
	}
}

// TestStates looks at every state on every screen: nothing that the accessibility
// checker finds, nothing that the browser complains of, nothing wider than the
// screen.
func TestStates(t *testing.T) {
	srv := storyServer(t)
	b := newTab(t, screens[0])
	for _, s := range states() {
		b.open(srv + "/" + s.Name)
		for _, sc := range screens {
			b.show(sc)
			if *shotsDir != "" {
				b.picture(s.Name + "-" + sc.String())
			}
			b.check(s.Name + " at " + sc.String())
		}
	}
}
