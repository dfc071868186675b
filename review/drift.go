package review

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/countersign/countersign/review/change"
	"github.com/countersign/countersign/review/lint"
	"github.com/countersign/countersign/review/lock"
	"github.com/countersign/countersign/review/people"
	"github.com/countersign/countersign/review/prose"
	"github.com/countersign/countersign/review/surface"
)

// DriftLevel says how loudly a drift is told.
type DriftLevel string

// The levels.
const (
	// DriftHigh: a tool that was never released or is gone, something that breaks or
	// changes what a tool does, a destructive tool touched at all, hidden characters, or a
	// new finding that is high.
	DriftHigh DriftLevel = "high"
	// DriftQuiet: wording, what is compatible, and the order of the list.
	DriftQuiet DriftLevel = "quiet"
	// DriftAsks: a part, or no tools at all. It may be an outage.
	DriftAsks DriftLevel = "asks"
)

// Drift says that an endpoint runs something else than what is released. Weight names
// what makes it so grave: as long as that is the same it is one drift, however often
// the listing changes beside it, so that a server with a clock in a description is one
// line and not a thousand.
type Drift struct {
	ID         string
	EndpointID string
	ServerID   string
	Profile    string
	Weight     surface.Hash
	Level      DriftLevel
	State      LiveState // LiveDiffers or LiveUnknown
	Digest     surface.Hash
	ListingID  string // of what is run now; "" when it was not kept, or not any more
	ReleaseID  string // that it was compared with
	Why        string // what differs, in one sentence or a few
	Findings   []DriftFinding
	Since      time.Time
	LastAt     time.Time
	Times      int // readings that found it
	Variants   int // listings that it folds
	EndedAt    time.Time
	EndedWhy   string
}

// DriftFinding is a finding that the released listing does not have, or one about
// the difference itself.
type DriftFinding struct {
	Rule     string        `json:"rule"`
	Severity lint.Severity `json:"severity"`
	Tool     string        `json:"tool"` // as shown
	Message  string        `json:"message"`
}

// KnownDrift is somebody's word that they know what an endpoint runs. It binds the
// digest: whatever comes next is told again.
type KnownDrift struct {
	ID         string
	ServerID   string
	EndpointID string
	Digest     surface.Hash
	By         string // user id
	ByLabel    string // filled in on reading
	Reason     string
	At         time.Time
	Until      time.Time
	EndedBy    string
	EndedAt    time.Time
}

// Holds reports whether the word holds at a time.
func (k *KnownDrift) Holds(at time.Time) bool { return k.EndedAt.IsZero() && at.Before(k.Until) }

// DriftFilter chooses drifts; zero fields don't restrict.
type DriftFilter struct {
	ServerIDs  []string // nil is all
	EndpointID string
	ListingID  string // that ran
	Open       bool   // only those that go on
}

// DriftStore keeps drifts and who knows of them.
type DriftStore interface {
	// PutDrift stores a drift, or what became of it.
	PutDrift(ctx context.Context, d *Drift) error
	DriftByID(ctx context.Context, id string) (*Drift, error)
	Drifts(ctx context.Context, f DriftFilter) ([]Drift, error) // newest first, by Since
	// TrimDrifts keeps so many of the newest of an endpoint, and those that go on.
	TrimDrifts(ctx context.Context, endpointID string, keep int) error

	InsertKnownDrift(ctx context.Context, k *KnownDrift) error
	EndKnownDrift(ctx context.Context, id, by string, at time.Time) error
	// KnownDrifts returns those of servers that hold at a time, newest first, with user
	// labels; nil is all servers.
	KnownDrifts(ctx context.Context, serverIDs []string, at time.Time) ([]KnownDrift, error)
}

// DriftView is a drift with where it is, and who knows of it.
type DriftView struct {
	Drift
	Endpoint Endpoint
	Release  *Release    // that it was compared with, nil when it is gone
	Known    *KnownDrift // nil while nobody said that they know
}

// held is what a reading came to.
type held struct {
	state    LiveState
	why      string
	live     *surface.Listing // nil when it was not read
	last     *Release         // released last when it was held against it
	release  *Release         // that it is, or was compared with
	unstable bool
	same     *Drift // goes on with the very same listing: nothing was compared anew

	level    DriftLevel // "" for no drift
	weight   surface.Hash
	findings []DriftFinding
}

func (f *held) releaseID() string {
	if f.release == nil {
		return ""
	}
	return f.release.ID
}

// stillCurrent checks that what it was held against is still what was released last.
func (f *held) stillCurrent(ctx context.Context, tx Tx, c *claimed) error {
	if f.live == nil {
		return nil
	}
	now, err := lastReleased(ctx, tx, ProfileKey{c.endpoint.ServerID, c.endpoint.Profile})
	if err != nil {
		return err
	}
	if (now == nil) != (f.last == nil) || now != nil && now.ID != f.last.ID {
		return errTaken
	}
	return nil
}

// holdings is what a reading is held against.
type holdings struct {
	server  *Server
	stand   []verifiable
	last    *Release
	before  *Reading // the reading before
	open    *Drift
	named   namings
	waivers waivers
	tools   *toolFindings
}

// hold finds out what a reading says. l is nil when it was not read, and failure
// says why.
func (s *Service) hold(ctx context.Context, c *claimed, l *surface.Listing, failure error) (*held, error) {
	if l == nil {
		sentence, ok := sentence(failure)
		if !ok {
			return nil, failure
		}
		return &held{state: LiveUnread, why: sentence}, nil
	}
	var h holdings
	err := s.store.View(ctx, func(tx Tx) error { return h.load(ctx, tx, s, &c.endpoint, l) })
	if err != nil {
		return nil, err
	}
	f := &held{live: l, last: h.last}
	if len(h.stand) == 0 {
		f.state, f.why = LiveUnreleased, "Nothing is released in this profile yet, so there is nothing to hold it against."
		return f, nil
	}
	checked, err := compareLive(h.stand, l)
	if err != nil {
		return nil, err
	}
	f.release = checked.Release
	released := h.listingOf(checked.Release)
	f.unstable = h.unstable(l, released)
	if checked.State == lock.Same {
		f.state, f.why = h.same(checked.Release)
		return f, nil
	}
	if h.open != nil && h.open.Digest == l.Digest && h.open.ReleaseID == f.release.ID {
		f.same, f.state, f.level, f.weight, f.why, f.findings = h.open, h.open.State, h.open.Level, h.open.Weight, h.open.Why, h.open.Findings
		return f, nil
	}
	return f, s.weigh(f, &h, checked, released)
}

// load reads it in a fixed number of store calls.
func (h *holdings) load(ctx context.Context, tx Tx, s *Service, e *Endpoint, l *surface.Listing) error {
	key := ProfileKey{e.ServerID, e.Profile}
	var err error
	if h.server, err = tx.ServerByID(ctx, e.ServerID); err != nil {
		return err
	}
	if h.stand, err = verifiables(ctx, tx, key, l); err != nil {
		return err
	}
	if h.last, err = lastReleased(ctx, tx, key); err != nil {
		return err
	}
	before, err := tx.LastReadings(ctx, []string{e.ID})
	if err != nil {
		return err
	}
	if r, ok := before[e.ID]; ok {
		h.before = &r
	}
	open, err := tx.Drifts(ctx, DriftFilter{EndpointID: e.ID, Open: true})
	if err != nil {
		return err
	}
	if len(open) > 0 {
		h.open = &open[0]
	}
	named, err := tx.Namings(ctx, e.ServerID)
	if err != nil {
		return err
	}
	h.named = named
	if h.waivers, err = s.waiversOf(ctx, tx, key); err != nil {
		return err
	}
	h.tools, err = readToolFindings(ctx, tx, append(h.listings(), l)...)
	return err
}

func (h *holdings) listings() []*surface.Listing {
	var out []*surface.Listing
	for i := range h.stand {
		out = append(out, h.stand[i].listing)
	}
	return out
}

func (h *holdings) listingOf(r *Release) *surface.Listing {
	for i := range h.stand {
		if h.stand[i].release.ID == r.ID {
			return h.stand[i].listing
		}
	}
	return nil
}

// same says which release it is that runs.
func (h *holdings) same(r *Release) (LiveState, string) {
	if h.last != nil && r.ReleasedAt.Before(h.last.ReleasedAt) {
		return LiveOlder, fmt.Sprintf("It runs %s, which was released and stands. %s was released since.", releaseName(r), releaseName(h.last))
	}
	return LiveSame, fmt.Sprintf("It runs %s, as it was released.", releaseName(r))
}

// unstable reports whether the same tools stand in another order than at the reading
// before, or in the release.
func (h *holdings) unstable(l, released *surface.Listing) bool {
	set, order := setOf(l), l.OrderDigest()
	if h.before != nil && h.before.Set == set && h.before.Order != order {
		return true
	}
	return setOf(released) == set && released.OrderDigest() != order
}

// weigh compares what runs with what was released, outside of any transaction, and
// says how grave it is.
func (s *Service) weigh(f *held, h *holdings, checked *Checked, released *surface.Listing) error {
	f.state = LiveDiffers
	emptied := len(f.live.Tools) == 0 && len(released.Tools) > 0
	if checked.State == lock.Unknown || emptied {
		f.state, f.level, f.weight, f.why = LiveUnknown, DriftAsks, surface.HashOf([]byte(DriftAsks)), checked.Why
		if emptied {
			f.why = fmt.Sprintf("It listed no tools, where %s has %s. That may be an outage, or meant: look at it.", releaseName(checked.Release), tools(len(released.Tools)))
		}
		return nil
	}
	key := ProfileKey{h.server.ID, checked.Release.Profile}
	base := checked.Release.Head
	info := (&Listing{ServerID: key.ServerID, Profile: key.Profile, Surface: f.live}).info()
	p := newPair(&base, info, h.named.options(key, s.now()))
	p.limits = limitsOf(h.server)
	// Nothing of it is kept: a listing that is another one at each reading would fill the
	// database. A page that shows the comparison makes it then.
	r, made, err := s.compareNow(p, released, f.live, h.tools)
	if err != nil {
		return err
	}
	found, err := parseFindings(made[p.findingKey(reportFindings)])
	if err != nil {
		return err
	}
	w := weighing{report: r, live: f.live, released: released}
	w.look(h.waivers.mark(found, h.server.Policy))
	f.level, f.weight = w.level()
	f.why, f.findings = w.sentence(), w.shown(f)
	return nil
}

// weighing collects what makes a drift grave.
type weighing struct {
	report         *change.Report
	released, live *surface.Listing
	reasons        []string // why it is high, each once; none of a quiet one
	found          []Finding
}

// look collects the reasons for a drift to be high.
func (w *weighing) look(found []Finding) {
	seen := map[string]bool{}
	add := func(subject, why string) {
		if k := subject + "\x00" + why; !seen[k] {
			seen[k] = true
			w.reasons = append(w.reasons, k)
		}
	}
	for i := range w.report.Changes {
		c := &w.report.Changes[i]
		if why := w.grave(c); why != "" {
			add(c.Name(), why)
		}
	}
	for i := range found {
		f := &found[i]
		if !f.New || !f.Counts() {
			continue
		}
		w.found = append(w.found, *f)
		if f.Severity.Rank() >= lint.High.Rank() {
			add(f.Tool, f.Rule)
		}
	}
	slices.Sort(w.reasons)
}

// grave says what makes a change one of which people are told at once; "" when it is
// not.
func (w *weighing) grave(c *change.Change) string {
	switch {
	case c.Hidden:
		return "hidden"
	case c.Class == change.None || lint.Plumbing(c):
		return ""
	case c.Kind == change.Added || c.Kind == change.Removed || c.Kind == change.Renamed:
		return string(c.Kind)
	case c.Class.Rank() >= change.Behaviour.Rank() && c.Class != change.Compatible:
		return string(c.Class)
	case c.Subject == change.SubjectInstructions:
		return "instructions"
	case c.Subject == change.SubjectTool && c.NewPosition > 0 && w.live.Tools[c.NewPosition-1].SaysDestructive():
		return "destructive"
	}
	return ""
}

// level says how loudly a drift is told, and what it is one with.
func (w *weighing) level() (DriftLevel, surface.Hash) {
	if len(w.reasons) == 0 {
		return DriftQuiet, surface.HashOf([]byte(DriftQuiet))
	}
	return DriftHigh, surface.HashOf([]byte(strings.Join(w.reasons, "\n")))
}

// saidChanges is how many changes a sentence on a drift names.
const saidChanges = 3

// sentence says what differs, what is gravest first.
func (w *weighing) sentence() string {
	list := slices.Clone(w.report.Changes)
	rank := func(c change.Change) int {
		if w.grave(&c) != "" {
			return c.Class.Rank() + 10
		}
		return c.Class.Rank()
	}
	slices.SortStableFunc(list, func(a, b change.Change) int { return cmp.Compare(rank(b), rank(a)) })
	var out []string
	for i := range list[:min(len(list), saidChanges)] {
		out = append(out, changeWords(&list[i]))
	}
	if more := len(list) - saidChanges; more > 0 {
		out = append(out, fmt.Sprintf("%d more differ.", more))
	}
	if len(out) == 0 {
		out = []string{"It differs in what no rule names."}
	}
	return clipText(strings.Join(out, " "), maxWhy)
}

// changeWords is one change in a sentence.
func changeWords(c *change.Change) string {
	name := "`" + visible(c.Name()) + "`"
	switch c.Kind {
	case change.Added:
		return name + " was never released."
	case change.Removed:
		return name + " was released and is not there."
	case change.Renamed:
		if c.FromTool != nil {
			return fmt.Sprintf("%s was never released; it stands where `%s` was.", name, visible(*c.FromTool))
		}
	}
	if c.Subject == change.SubjectOrder {
		return "The tools stand in another order."
	}
	best := -1
	for i := range c.Details {
		if best < 0 || c.Details[i].Class.Rank() > c.Details[best].Class.Rank() {
			best = i
		}
	}
	if best < 0 {
		return name + " is not the definition that was released."
	}
	return name + ": " + prose.Show(clipText(c.Details[best].Sentence, 300)).String()
}

// shownFindings is how many findings are kept with a drift.
const shownFindings = 10

func (w *weighing) shown(f *held) []DriftFinding {
	var out []DriftFinding
	for _, lf := range lint.Live(w.released, w.live, w.report, f.unstable) {
		out = append(out, driftFinding(&lf))
	}
	for i := range w.found[:min(len(w.found), shownFindings)] {
		out = append(out, driftFinding(&w.found[i].Finding))
	}
	return out
}

func driftFinding(f *lint.Finding) DriftFinding {
	tool := ""
	if f.Tool != "" {
		tool = visible(f.Tool)
	}
	return DriftFinding{Rule: f.Rule, Severity: f.Severity, Tool: tool, Message: prose.Show(clipText(f.Message, 500)).String()}
}

// noteDrift begins, goes on with, folds or ends a drift, and tells people what is new.
// It returns the id of the one that goes on, "" for none.
func (s *Service) noteDrift(ctx context.Context, tx Tx, srv *Server, e *Endpoint, f *held) (string, error) {
	all, err := tx.Drifts(ctx, DriftFilter{EndpointID: e.ID})
	if err != nil {
		return "", err
	}
	var open, mine *Drift
	for i := range all {
		if all[i].EndedAt.IsZero() {
			open = &all[i]
		}
		if f.level != "" && all[i].Weight == f.weight {
			mine = &all[i]
		}
	}
	if f.state == LiveUnread {
		if open != nil {
			return open.ID, nil // it says nothing of what runs
		}
		return "", nil
	}
	if open != nil && open != mine {
		if err := s.endDrift(ctx, tx, srv, e, open, f); err != nil {
			return "", err
		}
	}
	if f.level == "" {
		return "", nil
	}
	d, news, err := s.goOn(ctx, tx, e, f, mine)
	if err != nil {
		return "", err
	}
	if news {
		s.cfg.Observer.Drifted(d.Level)
		if err := s.tellDrift(ctx, tx, srv, e, d.Level, driftWords(srv, d)); err != nil {
			return "", err
		}
	}
	return d.ID, tx.TrimDrifts(ctx, e.ID, keptDrifts)
}

// goOn stores the drift of a reading. News is what people are told: a drift that was
// not there at the last reading, or a grave one that is no longer what somebody said
// they know.
func (s *Service) goOn(ctx context.Context, tx Tx, e *Endpoint, f *held, was *Drift) (d *Drift, news bool, err error) {
	now := s.now()
	if was == nil {
		was = &Drift{ID: newID(), EndpointID: e.ID, ServerID: e.ServerID, Profile: e.Profile, Weight: f.weight, Level: f.level, EndedAt: now}
	}
	if !was.EndedAt.IsZero() {
		news = true
		was.Since, was.EndedAt, was.EndedWhy = now, time.Time{}, ""
	}
	if was.Digest != f.live.Digest {
		known, err := tx.KnownDrifts(ctx, []string{e.ServerID}, now)
		if err != nil {
			return nil, false, err
		}
		knew := slices.ContainsFunc(known, func(k KnownDrift) bool { return k.EndpointID == e.ID && k.Digest == was.Digest })
		knows := slices.ContainsFunc(known, func(k KnownDrift) bool { return k.EndpointID == e.ID && k.Digest == f.live.Digest })
		news = (news || knew && f.level == DriftHigh) && !knows
		if was.ListingID, err = s.keepLive(ctx, tx, e, f); err != nil {
			return nil, false, err
		}
		was.Digest = f.live.Digest
		was.Variants++
	}
	was.State, was.ReleaseID, was.Why, was.Findings, was.LastAt = f.state, f.release.ID, f.why, f.findings, now
	was.Times++
	return was, news, tx.PutDrift(ctx, was)
}

// keepLive keeps what an endpoint runs as a listing of its own, which no release and
// no gate knows of. A server that has taken all that it may take goes without.
func (s *Service) keepLive(ctx context.Context, tx Tx, e *Endpoint, f *held) (string, error) {
	n, err := tx.StoredBytes(ctx, e.ServerID)
	if err != nil || n >= s.cfg.Limits.StoredBytes {
		return "", err
	}
	if err := tx.EnsureProfile(ctx, e.ServerID, e.Profile, s.now()); err != nil {
		return "", err
	}
	l := &Listing{ID: newID(), ServerID: e.ServerID, Profile: e.Profile, Surface: f.live, ReceivedAt: s.now(), Live: true}
	return l.ID, tx.InsertListing(ctx, l)
}

// endDrift ends a drift by what was read after it, and says so where it was told.
func (s *Service) endDrift(ctx context.Context, tx Tx, srv *Server, e *Endpoint, d *Drift, f *held) error {
	d.EndedAt, d.EndedWhy = s.now(), f.why
	if f.level != "" {
		d.EndedWhy = "It changed again."
	}
	if err := tx.PutDrift(ctx, d); err != nil {
		return err
	}
	if f.level != "" || d.Level != DriftHigh {
		return nil
	}
	text := fmt.Sprintf("of %s is no longer what it was: %s Before, it ran something that was never released: %s", srv.Name, f.why, d.Why)
	return s.tellDrift(ctx, tx, srv, e, driftSettled, text)
}

// driftSettled is the level of the notice that a drift is over.
const driftSettled DriftLevel = "settled"

func driftWords(srv *Server, d *Drift) string {
	switch d.Level {
	case DriftHigh:
		return fmt.Sprintf("of %s runs something that was never released: %s", srv.Name, d.Why)
	case DriftAsks:
		return fmt.Sprintf("of %s has to be looked at: %s", srv.Name, d.Why)
	}
	return fmt.Sprintf("of %s differs a little from what was released: %s", srv.Name, d.Why)
}

// tellDrift tells the maintainers of a server. Of one endpoint nobody has more than
// one unread notice: a newer one takes its place, but nothing quiet that of an alarm.
func (s *Service) tellDrift(ctx context.Context, tx Tx, srv *Server, e *Endpoint, level DriftLevel, text string) error {
	users, err := tx.Users(ctx)
	if err != nil {
		return err
	}
	unread, err := tx.UnreadOfEndpoint(ctx, e.ID)
	if err != nil {
		return err
	}
	kind := NoticeLive
	if level == DriftHigh {
		kind = NoticeDrift
	}
	var told []Notice
	var replaced []string
	for i := range users {
		u := &users[i]
		if !u.Active() || !u.RoleOn(srv.ID).AtLeast(people.Maintainer) {
			continue
		}
		mine := slices.DeleteFunc(slices.Clone(unread), func(n Notice) bool { return n.UserID != u.ID })
		alarmed := slices.ContainsFunc(mine, func(n Notice) bool { return n.Kind == NoticeDrift })
		if alarmed && level != DriftHigh && level != driftSettled {
			continue
		}
		for _, n := range mine {
			replaced = append(replaced, n.ID)
		}
		told = append(told, Notice{
			ID: newID(), UserID: u.ID, ServerID: srv.ID, EndpointID: e.ID, Kind: kind, Actor: e.Name, Text: clipText(text, 2*maxWhy), At: s.now(),
		})
	}
	if err := tx.DeleteNotices(ctx, replaced); err != nil {
		return err
	}
	return tx.InsertNotices(ctx, told)
}

// ReadAt returns the newest drift that a listing which was read at an endpoint belongs to,
// nil when it is of none any more: the endpoint is gone, or has newer ones.
func (s *Service) ReadAt(ctx context.Context, a Actor, listingID string) (*DriftView, error) {
	var found *DriftView
	err := s.store.View(ctx, func(tx Tx) error {
		info, err := tx.ListingInfoByID(ctx, listingID)
		if KindOf(err) == NotFound {
			return errNoSuchThing
		}
		if err != nil {
			return err
		}
		if err := a.allow(info.ServerID, people.Viewer, people.ScopeRead); err != nil {
			return err
		}
		drifts, err := s.driftViews(ctx, tx, DriftFilter{ServerIDs: []string{info.ServerID}, ListingID: listingID})
		if len(drifts) > 0 {
			found = &drifts[0]
		}
		return err
	})
	return found, err
}

// driftViews reads drifts with what they are about, in a fixed number of store calls.
func (s *Service) driftViews(ctx context.Context, tx Tx, f DriftFilter) ([]DriftView, error) {
	list, err := tx.Drifts(ctx, f)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	var serverIDs, releaseIDs []string
	for i := range list {
		serverIDs, releaseIDs = append(serverIDs, list[i].ServerID), append(releaseIDs, list[i].ReleaseID)
	}
	slices.Sort(serverIDs)
	serverIDs = slices.Compact(serverIDs)
	endpoints, err := tx.Endpoints(ctx, serverIDs)
	if err != nil {
		return nil, err
	}
	known, err := tx.KnownDrifts(ctx, serverIDs, s.now())
	if err != nil {
		return nil, err
	}
	releases, err := tx.ReleasesByID(ctx, releaseIDs)
	if err != nil {
		return nil, err
	}
	views := make([]DriftView, len(list))
	for i, d := range list {
		v := DriftView{Drift: d}
		if n := slices.IndexFunc(endpoints, func(e Endpoint) bool { return e.ID == d.EndpointID }); n >= 0 {
			v.Endpoint = endpoints[n]
		}
		if n := slices.IndexFunc(releases, func(r Release) bool { return r.ID == d.ReleaseID }); n >= 0 {
			v.Release = &releases[n]
		}
		if n := slices.IndexFunc(known, func(k KnownDrift) bool { return k.EndpointID == d.EndpointID && k.Digest == d.Digest }); n >= 0 {
			v.Known = &known[n]
		}
		views[i] = v
	}
	return views, nil
}

// maxKnownDays is how long somebody may know of a drift before it is told again.
const maxKnownDays = 90

// KnowDrift says that somebody knows what an endpoint runs and why, for some days. It
// takes a maintainer and binds the digest that they saw: Stale when it moved.
// It approves nothing: no gate looks at it.
func (s *Service) KnowDrift(ctx context.Context, a Actor, slug, id string, digest surface.Hash, days int, reason string) error {
	reason = strings.TrimSpace(reason)
	switch {
	case prose.Blank(reason) || !keepable(reason, 4000):
		return Errorf(Invalid, "Write why this is known, in at most 4,000 bytes.")
	case days < 1 || days > maxKnownDays:
		return Errorf(Invalid, "A drift is known for 1 to %d days.", maxKnownDays)
	}
	return s.store.Update(ctx, func(tx Tx) error {
		d, err := s.openDrift(ctx, tx, a, slug, id)
		if err != nil {
			return err
		}
		if err := a.person(); err != nil {
			return err
		}
		if d.Digest != digest {
			return Errorf(Stale, "What it runs changed while you read: look again. Nothing was noted.")
		}
		k := &KnownDrift{ID: newID(), ServerID: d.ServerID, EndpointID: d.EndpointID, Digest: digest, By: a.userID(), Reason: reason, At: s.now(), Until: s.now().AddDate(0, 0, days)}
		if err := tx.InsertKnownDrift(ctx, k); err != nil {
			return err
		}
		return s.audit(ctx, tx, a, act{name: "drift.acknowledge", serverID: d.ServerID, subject: k.ID, after: k.facts(), kept: leaving(k)})
	})
}

// knownFacts is what the audit keeps of it.
type knownFacts struct {
	Endpoint string       `json:"endpoint"`
	Digest   surface.Hash `json:"digest"`
	Reason   string       `json:"reason"`
	Until    time.Time    `json:"until"`
}

func (k *KnownDrift) facts() knownFacts { return knownFacts{k.EndpointID, k.Digest, k.Reason, k.Until} }

// ForgetKnown takes back that a drift is known, whoever said so.
func (s *Service) ForgetKnown(ctx context.Context, a Actor, slug, driftID string) error {
	return s.store.Update(ctx, func(tx Tx) error {
		d, err := s.openDrift(ctx, tx, a, slug, driftID)
		if err != nil {
			return err
		}
		known, err := tx.KnownDrifts(ctx, []string{d.ServerID}, s.now())
		if err != nil {
			return err
		}
		for i := range known {
			k := &known[i]
			if k.EndpointID != d.EndpointID || k.Digest != d.Digest {
				continue
			}
			if err := tx.EndKnownDrift(ctx, k.ID, a.userID(), s.now()); err != nil {
				return err
			}
			if err := s.audit(ctx, tx, a, act{name: "drift.end-acknowledgement", serverID: d.ServerID, subject: k.ID, before: k.facts()}); err != nil {
				return err
			}
		}
		return nil
	})
}

// openDrift returns a drift that goes on, for who maintains its server.
func (s *Service) openDrift(ctx context.Context, tx Tx, a Actor, slug, id string) (*Drift, error) {
	srv, err := serverFor(ctx, tx, a, slug, people.Maintainer)
	if err != nil {
		return nil, err
	}
	d, err := tx.DriftByID(ctx, id)
	switch {
	case KindOf(err) == NotFound || err == nil && d.ServerID != srv.ID:
		return nil, errNoSuchThing
	case err != nil:
		return nil, err
	case !d.EndedAt.IsZero():
		return nil, Errorf(Conflict, "This is over: %s", d.EndedWhy)
	}
	return d, nil
}

// ReviewDrift pushes what an endpoint runs as a ref, by the way of every upload: who
// opens it counts as who pushed it, and nothing of it is approved.
func (s *Service) ReviewDrift(ctx context.Context, a Actor, slug, id string) (*Pushed, error) {
	var body []byte
	params := PushParams{}
	err := s.store.View(ctx, func(tx Tx) error {
		d, err := s.openDrift(ctx, tx, a, slug, id)
		if err != nil {
			return err
		}
		e, err := tx.EndpointByID(ctx, d.EndpointID)
		if err != nil {
			return err
		}
		if d.ListingID == "" {
			return Errorf(Conflict, "What it runs was not kept: the listings of this server take all that they may take.")
		}
		l, err := tx.ListingByID(ctx, d.ListingID)
		if err != nil {
			return err
		}
		body, params.Profile, params.Ref = l.Surface.Raw, d.Profile, "live "+e.Name
		return nil
	})
	if err != nil {
		return nil, err
	}
	return s.Upload(ctx, a, slug, params, body, "")
}

// drifting reads what goes on at the endpoints of servers that the actor maintains,
// and of which nobody said that they know.
func (l *lister) drifting() error {
	ids := []string{}
	for i := range l.servers {
		if l.actor.role(l.servers[i].ID).AtLeast(people.Maintainer) {
			ids = append(ids, l.servers[i].ID)
		}
	}
	all, err := l.s.driftViews(l.ctx, l.tx, DriftFilter{ServerIDs: ids, Open: true})
	l.drifts = slices.DeleteFunc(all, func(d DriftView) bool { return d.Known != nil })
	rank := map[DriftLevel]int{DriftHigh: 0, DriftAsks: 1, DriftQuiet: 2}
	slices.SortStableFunc(l.drifts, func(a, b DriftView) int { return cmp.Compare(rank[a.Level], rank[b.Level]) })
	return err
}

// sentence is what an error says to people; false for one of ours that they can't
// mend.
func sentence(err error) (string, bool) {
	var e *Error
	if errors.As(err, &e) && e.Kind == Invalid {
		return e.Sentence, true
	}
	return "", false
}
