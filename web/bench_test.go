package web_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/people"
)

// thousand writes a listing of 1,000 tools, the first changed of which say
// something else.
func thousand(changed int) string {
	tools := make([]string, 1000)
	for i := range tools {
		said := fmt.Sprintf("Reads one entity of kind %d by its id. Fails when there is none.", i)
		if i < changed {
			said = fmt.Sprintf("Reads one entity of kind %d by its id, and its history. Answers nothing when there is none.", i)
		}
		tools[i] = tool(fmt.Sprintf("entity_%d_get", i), said)
	}
	return listing(tools...)
}

// busy is an instance with a released listing of 1,000 tools and a second version
// that changes some of them.
func busy(b *testing.B, changed int) (in *instance, reviewer who, release, digest string) {
	in = newInstance(b)
	in.addServer("git", gate.Team)
	in.release("git", "1.0.0", thousand(0))
	pushed := in.pushed("git", "version=2.0.0", thousand(changed))
	return in, in.signedIn(in.addUser("bob", people.Reviewer, "git")), pushed.Release.ID, pushed.Listing.Digest
}

// BenchmarkReleasePage is the page of a release of 1,000 tools with 100 changes, for
// one reader (under 100 ms are asked for) and for fifty at once, who share the cores.
func BenchmarkReleasePage(b *testing.B) {
	for _, view := range []string{"", "?view=tools"} {
		b.Run("readers=1/view="+strings.TrimPrefix(view, "?view="), func(b *testing.B) {
			in, reviewer, release, _ := busy(b, 100)
			for b.Loop() {
				in.want(200, in.get(reviewer, "/releases/"+release+view))
			}
		})
	}
	b.Run("readers=50/view=", func(b *testing.B) {
		in, reviewer, release, _ := busy(b, 100)
		b.SetParallelism(max(1, 50/runtime.GOMAXPROCS(0)))
		b.ResetTimer()
		b.RunParallel(func(p *testing.PB) {
			for p.Next() {
				if a := in.get(reviewer, "/releases/"+release); a.status != 200 {
					b.Errorf("the page answered %d", a.status)
				}
			}
		})
	})
}

// BenchmarkToolPart is the part that a page with the list asks for, to open another tool
// of 200 that changed: under 50 ms are asked for.
func BenchmarkToolPart(b *testing.B) {
	in, reviewer, release, _ := busy(b, 200)
	tool := in.get(reviewer, "/releases/"+release+"?view=tools").html(b).Find("[data-row]").Eq(40).AttrOr("href", "")
	for b.Loop() {
		in.want(200, in.part(reviewer, tool))
	}
}

// BenchmarkChanges is the same as JSON.
func BenchmarkChanges(b *testing.B) {
	in, reviewer, release, _ := busy(b, 100)
	for b.Loop() {
		in.want(200, in.get(reviewer, "/api/v1/releases/"+release+"/changes"))
	}
}

// BenchmarkGate asks for a listing of 1,000 tools.
func BenchmarkGate(b *testing.B) {
	in, reviewer, _, digest := busy(b, 100)
	for b.Loop() {
		in.wantGate(reviewer, digest, "blocked")
	}
}
