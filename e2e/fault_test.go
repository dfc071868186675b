package e2e

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/people"
	"github.com/countersign/countersign/store"
)

// rig is a database with people on it, and the real program running over it as
// often as a test likes. What is checked afterwards is read from the database, by
// the same packages but with the program gone.
type rig struct {
	*testing.T
	database string
	env      []string
	tokens   []string // of reviewers, on every server
	servers  int

	pushToken string // of the server that was added last
}

const rigReviewers = 6

const faultSecret = "a secret of the fault tests, thirty-two bytes or more"

func newRig(t *testing.T, database string) *rig {
	t.Helper()
	r := &rig{T: t, database: database, env: append(os.Environ(),
		"COUNTERSIGN_DATABASE_URL="+database, "COUNTERSIGN_SECRET="+faultSecret, "COUNTERSIGN_BASE_URL=http://127.0.0.1:1")}
	r.with(func(s *store.Store, svc *review.Service) {
		r.must(s.Migrate(t.Context()))
		for i := range rigReviewers {
			email := fmt.Sprintf("reviewer%d@example.com", i)
			_, _, err := svc.AddUser(t.Context(), rigShell, review.NewUser{Email: email, Name: fmt.Sprint("Reviewer ", i), Role: people.Reviewer})
			r.must(err)
			secret, _, err := svc.CreateToken(t.Context(), rigShell, review.NewToken{Name: email, UserEmail: email, Scopes: []people.Scope{people.ScopeReview, people.ScopeRead}})
			r.must(err)
			r.tokens = append(r.tokens, secret)
		}
	})
	return r
}

var rigShell = review.Actor{Shell: true, Via: "shell"}

func (r *rig) must(err error) {
	r.Helper()
	if err != nil {
		r.Fatal(err)
	}
}

// with opens the database for a moment.
func (r *rig) with(f func(*store.Store, *review.Service)) {
	r.Helper()
	s, err := store.Open(context.Background(), r.database)
	r.must(err)
	defer s.Close()
	f(s, review.NewService(s, review.Config{BaseURL: "http://127.0.0.1:1", Secret: []byte(faultSecret)}))
}

// addServer adds a server with a token that pushes to it. Pushes to one are limited.
func (r *rig) addServer() (slug, token string) {
	r.Helper()
	r.servers++
	slug = fmt.Sprintf("srv%d", r.servers)
	r.with(func(_ *store.Store, svc *review.Service) {
		_, _, err := svc.AddServer(r.Context(), rigShell, review.NewServer{Slug: slug, Name: slug, Preset: gate.Team})
		r.must(err)
		token, _, err = svc.CreateToken(r.Context(), rigShell, review.NewToken{Name: slug, ServerSlug: slug, Scopes: []people.Scope{people.ScopePush, people.ScopeRead}})
		r.must(err)
		r.pushToken = token
	})
	return slug, token
}

// process is the real program, serving.
type process struct {
	cmd    *exec.Cmd
	url    string
	stderr *bytes.Buffer
	ended  chan struct{}
}

var listensOn = regexp.MustCompile(`listens on (127\.0\.0\.1:\d+)`)

// start runs the program and returns when it says where it listens.
func (r *rig) start() *process {
	r.Helper()
	p := &process{cmd: exec.Command(program(r.T), "serve", "--addr", "127.0.0.1:0"), stderr: new(bytes.Buffer), ended: make(chan struct{})}
	p.cmd.Dir, p.cmd.Env, p.cmd.Stderr = r.TempDir(), r.env, p.stderr
	out, err := p.cmd.StdoutPipe()
	r.must(err)
	r.must(p.cmd.Start())
	r.Cleanup(p.kill)
	lines := bufio.NewScanner(out)
	for p.url == "" && lines.Scan() {
		if m := listensOn.FindStringSubmatch(lines.Text()); m != nil {
			p.url = "http://" + m[1]
		}
	}
	go func() {
		_, _ = io.Copy(io.Discard, out)
		_ = p.cmd.Wait()
		close(p.ended)
	}()
	if p.url == "" {
		<-p.ended
		r.Fatalf("the program did not start: %s", p.stderr)
	}
	return p
}

// kill ends the program like a power cut.
func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	<-p.ended
}

// stop asks it to end, and reports how long that took.
func (p *process) stop() time.Duration {
	begun := time.Now()
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	<-p.ended
	return time.Since(begun)
}

// load is pushers and reviewers at work, and what was acknowledged to them.
type load struct {
	*rig
	base   func() string // where to ask now
	client *http.Client
	ending atomic.Bool
	work   sync.WaitGroup

	mu       sync.Mutex
	pushes   map[string]string    // digest by release
	verdicts map[string][2]string // the answers of a batch: release and change, twice
	answers  map[int]int          // how often each status came, 0 for a broken connection
	odd      []string             // what should never have been answered
}

// startLoad sets two pushers a server and the rig's reviewers to work. Each server
// takes so many pushes that its limit is not reached.
func (r *rig) startLoad(servers int, base func() string) *load {
	l := &load{
		rig: r, base: base, client: &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: 32}},
		pushes: map[string]string{}, verdicts: map[string][2]string{}, answers: map[int]int{},
	}
	for range servers {
		slug, token := r.addServer()
		for i := range 2 {
			l.work.Go(func() { l.pushAll(slug, token, i) })
		}
	}
	for i, token := range r.tokens {
		l.work.Go(func() { l.reviewAll(token, rand.New(rand.NewPCG(uint64(i), 1))) })
	}
	return l
}

// end lets running requests finish.
func (l *load) end() {
	l.ending.Store(true)
	l.work.Wait()
	l.client.CloseIdleConnections()
}

const pushesEach = 9 // of two pushers: a server keeps no more than 20 releases open

func (l *load) pushAll(slug, token string, pusher int) {
	for n := 0; n < pushesEach && !l.ending.Load(); {
		version := fmt.Sprintf("%d.%d", pusher, n)
		var answer struct {
			Listing struct{ Digest string }
			Release struct{ ID string }
		}
		if l.call(http.MethodPost, "/api/v1/servers/"+slug+"/listings?version="+version, token, rigListing(slug, version), &answer) {
			l.mu.Lock()
			l.pushes[answer.Release.ID] = answer.Listing.Digest
			l.mu.Unlock()
			n++
		}
	}
}

// rigListing is a listing of tools that no other has.
func rigListing(slug, version string) []byte {
	var tools []string
	for i := range 12 {
		tools = append(tools, fmt.Sprintf(`{"name":"tool_%d","description":"Handles case %d of %s in version %s. %s","inputSchema":{"type":"object"}}`,
			i, i, slug, version, strings.Repeat("It is kept. ", 20)))
	}
	return []byte(`{"tools":[` + strings.Join(tools, ",") + `]}`)
}

// reviewAll approves two changes at a time, each of them once.
func (l *load) reviewAll(token string, rnd *rand.Rand) {
	given := map[string]bool{}
	for !l.ending.Load() {
		release := l.someRelease(rnd)
		var report struct {
			Changes []struct{ ID, Subject string }
		}
		if release == "" || !l.call(http.MethodGet, "/api/v1/releases/"+release+"/changes", token, nil, &report) {
			time.Sleep(5 * time.Millisecond)
			continue
		}
		var ids []string
		for _, c := range report.Changes {
			if c.Subject == "tool" && !given[release+c.ID] && len(ids) < 2 {
				ids = append(ids, c.ID)
			}
		}
		if len(ids) < 2 {
			time.Sleep(5 * time.Millisecond)
			continue
		}
		body := fmt.Sprintf(`{"items":[{"change":%q,"verdict":"approve","note":"Read it."},{"change":%q,"verdict":"approve","note":"Read it."}]}`, ids[0], ids[1])
		given[release+ids[0]], given[release+ids[1]] = true, true
		if l.call(http.MethodPost, "/api/v1/releases/"+release+"/verdicts", token, []byte(body), nil) {
			l.mu.Lock()
			l.verdicts[token+release+ids[0]] = [2]string{release + " " + ids[0], release + " " + ids[1]}
			l.mu.Unlock()
		}
	}
}

func (l *load) someRelease(rnd *rand.Rand) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.pushes) == 0 {
		return ""
	}
	return slices.Sorted(maps.Keys(l.pushes))[rnd.IntN(len(l.pushes))]
}

// call makes one request and reports whether it was acknowledged, its answer read
// to the end. Everything else that may come of it is a clear refusal.
func (l *load) call(method, path, token string, body []byte, into any) bool {
	req, err := http.NewRequest(method, l.base()+path, bytes.NewReader(body))
	if err != nil {
		l.note(-1, err.Error())
		return false
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := l.client.Do(req)
	if err != nil {
		l.note(0, "")
		time.Sleep(10 * time.Millisecond)
		return false
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	switch {
	case err != nil:
		l.note(0, "")
		return false
	case resp.StatusCode < 300:
		l.note(resp.StatusCode, "")
		if into != nil {
			if err := json.Unmarshal(text, into); err != nil {
				l.note(-1, err.Error()+": "+string(text))
			}
		}
		return true
	}
	what := fmt.Sprintf("%s %s: %d %s", method, path, resp.StatusCode, text)
	var problem struct{ Detail string }
	if resp.StatusCode == http.StatusServiceUnavailable && json.Unmarshal(text, &problem) == nil && (strings.Contains(problem.Detail, "try again") || strings.Contains(problem.Detail, "disk may be full")) {
		what = ""
	}
	if resp.StatusCode == http.StatusConflict {
		what = "" // the answer to a batch that broke off was stored all the same
	}
	l.note(resp.StatusCode, what)
	time.Sleep(10 * time.Millisecond)
	return false
}

func (l *load) note(status int, odd string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.answers[status]++
	if odd != "" {
		l.odd = append(l.odd, odd)
	}
}

// count is how many things were acknowledged.
func (l *load) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.pushes) + len(l.verdicts)
}

// grows waits until more is acknowledged than there was.
func (l *load) grows(by int, within time.Duration) {
	l.Helper()
	from, limit := l.count(), time.Now().Add(within)
	for l.count() < from+by {
		if time.Now().After(limit) {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.Fatalf("only %d of %d more were acknowledged within %s; so far %v", len(l.pushes)+len(l.verdicts)-from, by, within, l.answers)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// check looks everything up that was acknowledged, and that nothing is there by
// halves.
func (l *load) check() {
	l.Helper()
	for _, odd := range l.odd {
		l.Errorf("answered: %s", odd)
	}
	l.with(func(s *store.Store, _ *review.Service) {
		ctx := l.Context()
		l.must(s.View(ctx, func(tx review.Tx) error {
			for release, digest := range l.pushes {
				if err := l.checkPush(ctx, tx, release, digest); err != nil {
					l.Errorf("push of release %s was acknowledged: %v", release, err)
				}
			}
			return l.checkVerdicts(ctx, tx)
		}))
	})
}

func (l *load) checkPush(ctx context.Context, tx review.Tx, release, digest string) error {
	r, err := tx.ReleaseByID(ctx, release)
	if err != nil {
		return err
	}
	if r.Head.Digest.String() != digest {
		return fmt.Errorf("its digest is %s, want %s", r.Head.Digest, digest)
	}
	listing, err := tx.ListingByID(ctx, r.Head.ListingID)
	if err == nil && (listing.Surface.RawHash != r.Head.RawHash || len(listing.Surface.Tools) != 12) {
		return fmt.Errorf("its listing has other bytes")
	}
	return err
}

// checkVerdicts looks acknowledged answers up, and that of every batch both are
// there or none, with the acts in the audit.
func (l *load) checkVerdicts(ctx context.Context, tx review.Tx) error {
	stored := map[string]bool{}
	for release := range l.pushes {
		vs, err := tx.VerdictsOfRelease(ctx, release)
		if err != nil {
			return err
		}
		each := map[string]int{}
		for _, v := range vs {
			stored[release+" "+v.ChangeID] = true
			each[v.UserID]++
		}
		for user, n := range each {
			if n%2 != 0 {
				l.Errorf("release %s has %d verdicts of user %s: half a batch", release, n, user)
			}
		}
		r, err := tx.ReleaseByID(ctx, release)
		if err != nil {
			return err
		}
		entries, err := tx.Audit(ctx, review.AuditFilter{ServerIDs: []string{r.ServerID}, Act: "listing.push"}, review.Page{Limit: 200})
		if err != nil {
			return err
		}
		pushed := slices.ContainsFunc(entries, func(e review.AuditEntry) bool { return e.Subject == release })
		if !pushed {
			l.Errorf("the audit does not have the push of release %s", release)
		}
	}
	for _, batch := range l.verdicts {
		for _, v := range batch {
			if !stored[v] {
				l.Errorf("a verdict was acknowledged and is lost: %s", v)
			}
		}
	}
	return nil
}
