package web_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/people"
	"github.com/countersign/countersign/web/api"
)

// opened puts n more releases of the listing of p under review, younger than it.
func (in *instance) opened(p api.PushAnswer, n int) {
	in.t.Helper()
	in.must(in.store.Update(in.t.Context(), func(tx review.Tx) error { return openMore(in.t.Context(), tx, p.Release.ID, n) }))
}

func openMore(ctx context.Context, tx review.Tx, like string, n int) error {
	r, err := tx.ReleaseByID(ctx, like)
	if err != nil {
		return err
	}
	for i := range n {
		r.ID, r.Version, r.CreatedAt = fmt.Sprintf("%s-%03d", like, i), fmt.Sprint("9.", i), r.CreatedAt.Add(time.Second)
		r.Head.ReleaseID = r.ID
		if err := tx.InsertRelease(ctx, r); err != nil {
			return err
		}
		if err := tx.InsertRevision(ctx, &r.Head); err != nil {
			return err
		}
	}
	return nil
}

// TestOthersCrowdNobodyOut: however much is under review on other servers, somebody sees
// what waits for them; where not all is listed, the page says how much is not.
func TestOthersCrowdNobodyOut(t *testing.T) {
	onBoth(t, func(t *testing.T, in *instance) {
		in.addServer("git", gate.Team)
		in.addServer("shop", gate.Team)
		rita := in.signedIn(in.addUser("rita", people.Reviewer, "git"))
		root := in.signedIn(in.addUser("root", people.Admin))
		waits := in.pushed("git", "version=1.0.0", listing(tool("entity_get", "Reads one entity.")))
		in.opened(in.pushed("shop", "version=1.0.0", listing(tool("entity_put", "Writes one entity."))), 504)
		for _, path := range []string{"/", "/inbox"} {
			page := in.get(rita, path)
			if got := page.html(t).Find(`[href="/releases/` + waits.Release.ID + `"]`).Length(); got != 1 {
				t.Errorf("%s: what waits stands there %d times", path, got)
			}
			if strings.Contains(page.body, "releases are under review") {
				t.Errorf("%s says that something is left out", path)
			}
			in.says(root, path, "506 releases are under review. The newest 500 are listed here; the others stand on the pages of their servers")
		}
		for _, c := range []struct {
			as   who
			want [2]int
		}{{rita, [2]int{1, 0}}, {root, [2]int{500, 6}}} {
			said := decode[api.Inbox](t, in.want(200, in.get(c.as, "/api/v1/inbox")))
			if got := [2]int{len(said.YourTurn) + len(said.Waiting), said.Unlisted}; got != c.want {
				t.Errorf("listed and unlisted: %d, want %d", got, c.want)
			}
		}
	})
}
