package e2e

import (
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/countersign/countersign/views/fixtures"
)

// storybook is the real program with its storybook on, one for all tests.
var storybook struct {
	sync.Once
	url string
	cmd *exec.Cmd
}

// storyServer returns the address under which every state stands.
func storyServer(t testing.TB) string {
	t.Helper()
	storybook.Do(func() {
		addr := freePort(t)
		cmd := exec.Command(program(t), "serve", "--storybook")
		cmd.Dir = built.dir
		cmd.Env = append(os.Environ(), "COUNTERSIGN_ADDR="+addr, "COUNTERSIGN_BASE_URL=http://"+addr,
			"COUNTERSIGN_SECRET="+strings.Repeat("s", 40), "COUNTERSIGN_DATA_DIR="+built.dir+"/storybook")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		storybook.cmd, storybook.url = cmd, "http://"+addr+"/storybook"
		waitReady(t, "http://"+addr)
	})
	if storybook.url == "" {
		t.Fatal("the storybook did not start")
	}
	return storybook.url
}

// waitReady waits until a server that was just started answers.
func waitReady(t testing.TB, url string) {
	t.Helper()
	for range 600 {
		if r, err := http.Get(url + "/readyz"); err == nil {
			_ = r.Body.Close()
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatalf("nothing answers at %s", url)
}

// states are those of all that the command line asks for; all without a wish.
func states(all []fixtures.State) []fixtures.State {
	return slices.DeleteFunc(all, func(s fixtures.State) bool {
		return !slices.ContainsFunc(strings.Split(*onlyState, ","), func(begin string) bool { return strings.HasPrefix(s.Name, begin) })
	})
}

// TestHostileStates looks at every page with a model in which every string is an
// attack: nothing of it runs, nothing is loaded, no page is wider than the screen.
func TestHostileStates(t *testing.T) {
	srv := storyServer(t)
	inTabs(t, states(fixtures.Hostile()), func(b *tab, s fixtures.State) {
		b.open(srv + "/" + s.Name)
		for _, sc := range []screen{{width: 1280}, {width: 390}, {width: 320}} {
			b.show(sc)
			if wide := eval[[]string](b, overflow); len(wide) > 0 {
				b.t.Errorf("%s at %s overflows:\n\t%s", s.Name, sc, oneLine(wide))
			}
			if *shotsDir != "" {
				b.picture(s.Name + "-" + sc.String())
			}
		}
		ran := eval[[]string](b, `[
			document.title.includes("owned") && !document.title.includes("<") && "a script ran",
			document.querySelectorAll("main img, main script, main iframe, main object, [onerror], [onload]").length && "markup became elements",
			[...document.querySelectorAll("[href], [action], [src]")].some(e => /^\s*javascript:/i.test(e.getAttribute("href") ?? e.getAttribute("action") ?? e.getAttribute("src"))) && "an address runs a script",
		].filter(Boolean)`)
		if len(ran) > 0 {
			b.t.Errorf("%s: %s", s.Name, oneLine(ran))
		}
		for _, said := range b.complaints() {
			if strings.Contains(said, "Content Security Policy") || strings.Contains(said, "Refused to") {
				b.t.Errorf("%s: the policy had to stop something: %s", s.Name, said)
			}
		}
	})
}

// TestModes looks at the review with more contrast, and with colours that the
// system forces.
func TestModes(t *testing.T) {
	srv := storyServer(t)
	inTabs(t, []string{"home", "server", "release-decisions", "release-tool"}, func(b *tab, name string) {
		b.open(srv + "/" + name)
		b.checkAt("mode-"+name, modes)
	})
}

// TestStates opens every state once and looks at it on all screens: nothing that the
// accessibility checker finds, nothing that the browser complains of, nothing wider
// than the screen, on a very narrow one and with text twice as large too, and nothing
// too small to be pressed.
func TestStates(t *testing.T) {
	srv := storyServer(t)
	inTabs(t, states(fixtures.All()), func(b *tab, s fixtures.State) {
		b.open(srv + "/" + s.Name)
		b.checkAt(s.Name, looks())
		b.checkTargets(s.Name)
		b.checkReflow(s.Name)
	})
}
