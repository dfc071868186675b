package host_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/countersign/countersign/review/host"
)

var update = flag.Bool("update", false, "write the expected renderings anew")

// probes are listings of our own that touch every rule.
var probes = []string{"names", "texts", "schemas", "broken", "pages"}

// TestRenderings renders the probes for every profile in every variant. Each
// profile has one file of expected renderings.
func TestRenderings(t *testing.T) {
	for _, p := range host.Profiles() {
		t.Run(p.ID, func(t *testing.T) {
			got := txtar.Archive{}
			for _, variant := range p.Variants() {
				for _, probe := range probes {
					got.Files = append(got.Files, txtar.File{Name: probe + "+" + variant, Data: render(t, p, probe, variant)})
				}
			}
			golden(t, "testdata/"+p.ID+".txtar", txtar.Format(&got))
		})
	}
}

func golden(t *testing.T, file string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Error(diff)
	}
}

// render writes a rendering line by line: what is sent, then what is lost.
func render(t *testing.T, p *host.Profile, probe, variant string) []byte {
	t.Helper()
	r, err := host.Render(p, load(t, probe), variant)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	for _, e := range r.Tools {
		fmt.Fprintf(&b, "%s\n", shorten(string(e.JSON)))
	}
	for _, in := range r.Instructions {
		fmt.Fprintf(&b, "instructions of %s in %s: %s\n", in.Server, in.Where, shorten(in.Text))
	}
	if r.Failed != "" {
		fmt.Fprintf(&b, "failed: %s\n", r.Failed)
	}
	for _, l := range r.Lost {
		fmt.Fprintf(&b, "# %s %s/%s %q %s %s\n", l.What, l.Server, l.Tool, l.Pointer, l.Rule, l.Detail)
	}
	return b.Bytes()
}

// shorten keeps both ends of a long line: where it is cut is what counts.
func shorten(s string) string {
	s = strings.ReplaceAll(s, "\n", `\n`)
	if len(s) <= 900 {
		return s
	}
	return fmt.Sprintf("%s <%d bytes> %s", strings.ToValidUTF8(s[:400], ""), len(s)-500, strings.ToValidUTF8(s[len(s)-100:], ""))
}

func load(t testing.TB, probe string) []host.Mounted {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", "probes", probe+".json"))
	if err != nil {
		t.Fatal(err)
	}
	servers, err := host.ParseMounted(raw)
	if err != nil {
		t.Fatal(err)
	}
	return servers
}
