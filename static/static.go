// Package static holds what browsers load besides pages: the style sheet, a few
// ES modules and the icon. Everything is embedded.
//
// # Addresses
//
// All files live under one folder whose name is a fingerprint of their content,
// as in "/static/1f0c9ab2d4e6/app.css". So an address never changes its meaning
// and is cached for ever, and modules import each other by relative path without
// any rewriting. A new build that changes a byte gets a new folder; the old one
// answers 404, and pages that name it are never cached.
//
// The style sheet is written in several files, one per layer or page, and served
// as one: the files of css/ in order of their names.
package static

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"time"
)

// Prefix is the path under which Handler answers.
const Prefix = "/static/"

//go:embed css/*.css js/*.js icon.svg rules.json
var files embed.FS

var (
	assets      = mustLoad(files)
	fingerprint = fingerprintOf(assets)
)

// asset is one file as it is served.
type asset struct {
	name string // "app.css", "js/app.js", "icon.svg"
	kind string // content type
	body []byte
}

var contentTypes = map[string]string{
	".css": "text/css; charset=utf-8",
	".js":  "text/javascript; charset=utf-8",
	".svg": "image/svg+xml",
	// What browsers may fetch before it is asked for.
	".json": "application/speculationrules+json",
}

// URL returns the address of a file: "app.css", "js/app.js", "icon.svg". It
// panics on a name that does not exist, since names are constants of ours.
func URL(name string) string {
	if find(name) == nil {
		panic("static: no file " + name)
	}
	return Prefix + fingerprint + "/" + name
}

// Handler answers everything under Prefix. It lets browsers keep what they got
// for ever, and answers 404 for names and fingerprints that are not of this build.
func Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		folder, name, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, Prefix), "/")
		a := find(name)
		if a == nil || folder != fingerprint {
			http.NotFound(w, r)
			return
		}
		h := w.Header()
		h.Set("Content-Type", a.kind)
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
		h.Set("ETag", `W/"`+fingerprint+`"`) // for whoever asks again all the same; weak, since it may be compressed on its way
		http.ServeContent(w, r, a.name, time.Time{}, bytes.NewReader(a.body))
	})
}

func find(name string) *asset {
	for i := range assets {
		if assets[i].name == name {
			return &assets[i]
		}
	}
	return nil
}

// mustLoad reads the embedded files. What it could fail on is fixed when the
// program is built, and the tests of this package load it.
func mustLoad(fsys fs.FS) []asset {
	out := []asset{{name: "app.css", kind: contentTypes[".css"]}}
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		body, err := fs.ReadFile(fsys, name)
		if err != nil {
			return err
		}
		if path.Ext(name) == ".css" {
			out[0].body = append(out[0].body, body...)
			return nil
		}
		out = append(out, asset{name: name, kind: contentTypes[path.Ext(name)], body: body})
		return nil
	})
	if err != nil {
		panic(fmt.Sprintf("static: %v", err))
	}
	return out
}

func fingerprintOf(list []asset) string {
	h := sha256.New()
	for _, a := range list {
		fmt.Fprintf(h, "%s\x00%d\x00", a.name, len(a.body))
		h.Write(a.body)
	}
	return hex.EncodeToString(h.Sum(nil)[:6])
}
