package static_test

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/countersign/countersign/static"
)

func get(t *testing.T, path string) *http.Response {
	t.Helper()
	w := httptest.NewRecorder()
	static.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
	return w.Result()
}

func TestFilesAreServedForEver(t *testing.T) {
	for name, kind := range map[string]string{"app.css": "text/css", "js/app.js": "text/javascript", "icon.svg": "image/svg+xml"} {
		r := get(t, static.URL(name))
		if r.StatusCode != 200 || !strings.HasPrefix(r.Header.Get("Content-Type"), kind) {
			t.Errorf("%s: %d %s", name, r.StatusCode, r.Header.Get("Content-Type"))
		}
		if got := r.Header.Get("Cache-Control"); !strings.Contains(got, "immutable") {
			t.Errorf("%s: Cache-Control %q", name, got)
		}
		w, again := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, static.URL(name), nil)
		again.Header.Set("If-None-Match", r.Header.Get("ETag"))
		static.Handler().ServeHTTP(w, again)
		if w.Code != http.StatusNotModified || w.Body.Len() > 0 {
			t.Errorf("%s, which is there already: %d and %d bytes", name, w.Code, w.Body.Len())
		}
	}
}

func TestNothingElseIsServed(t *testing.T) {
	folder := filepath.Dir(static.URL("app.css"))
	for _, path := range []string{
		"/static/000000000000/app.css", "/static/app.css", folder + "/none.css", folder + "/css/10-tokens.css", folder + "/", folder, "/static/",
		folder + "/../static.go",
	} {
		if r := get(t, path); r.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %d, want 404", path, r.StatusCode)
		}
	}
}

func TestUnknownNamePanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	static.URL("none.css")
}

var custom = regexp.MustCompile(`var\((--[a-z0-9-]+)`)

// TestTokensExist: a custom property that is used is defined, so that no colour
// falls back to what a browser likes.
func TestTokensExist(t *testing.T) {
	css := read(t, "css/*.css")
	for _, m := range custom.FindAllStringSubmatch(css, -1) {
		if !strings.Contains(css, "\n    "+m[1]+":") && !strings.Contains(css, "      "+m[1]+":") {
			t.Errorf("%s is used and not defined", m[1])
		}
	}
	if strings.Count(css, "{") != strings.Count(css, "}") {
		t.Error("a brace is missing")
	}
}

// TestNoHasInHas: a browser drops a whole rule for one selector that it does not take, and
// takes no :has inside of another.
func TestNoHasInHas(t *testing.T) {
	css := read(t, "css/*.css")
	for i := 0; ; {
		at := strings.Index(css[i:], ":has(")
		if at < 0 {
			return
		}
		begin := i + at
		i = begin + len(":has(")
		for depth, n := 1, i; depth > 0 && n < len(css); n++ {
			switch css[n] {
			case '(':
				depth++
			case ')':
				depth--
			}
			if strings.HasPrefix(css[n:], ":has(") {
				t.Errorf("a :has inside of another: %s", css[begin:n+len(":has(")])
			}
		}
	}
}

// TestModulesAreSmall: each module under 200 lines, all together under 15 kB
// compressed, and nothing that the content policy forbids.
func TestModulesAreSmall(t *testing.T) {
	files, err := filepath.Glob("js/*.js")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if n := bytes.Count(b, []byte("\n")); n >= 200 {
			t.Errorf("%s has %d lines", f, n)
		}
		for _, sink := range []string{"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function", "DOMParser"} {
			if bytes.Contains(b, []byte(sink)) {
				t.Errorf("%s uses %s", f, sink)
			}
		}
		if _, err := w.Write(b); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if packed.Len() >= 15_000 {
		t.Errorf("the modules take %d bytes compressed", packed.Len())
	}
}

func read(t *testing.T, pattern string) string {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	var b strings.Builder
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(text)
	}
	return b.String()
}
