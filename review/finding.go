package review

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/countersign/countersign/review/change"
	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/lint"
	"github.com/countersign/countersign/review/people"
	"github.com/countersign/countersign/review/report"
	"github.com/countersign/countersign/review/surface"
)

// Kinds of kept findings. Those of a tool alone are kept by its digest, so that a
// tool that did not change is never looked at twice, whatever listing it is in. The
// marks of a comparison are what gate and lists need of its findings.
const (
	reportFindings = "finding"
	reportMarks    = "finding marks"
	reportTool     = "tool findings"
)

// findingKey names the findings of a comparison: they are a function of what the
// comparison is one of, of the rules, and of the hosts and rules that a policy names.
func (p pair) findingKey(kind string) ReportKey {
	k := p.key(kind)
	k.Engine += " rules " + lint.Version
	if beside := p.limits.rulesKey(); beside != "" {
		k.Inputs = surface.HashOf(fmt.Appendf(nil, "%s %s", k.Inputs, beside))
	}
	return k
}

func toolFindingsKey(digest surface.Hash) ReportKey {
	return ReportKey{Kind: reportTool, To: digest, Engine: lint.Version}
}

// Finding is what a rule says about a place in a listing, with what people said of
// it.
type Finding struct {
	lint.Finding
	// Bound is what a waiver of each place names: the finding's fingerprint together
	// with the annotations of its tool.
	Bound []surface.Hash
	// Waivers are those of its places that hold, or wait for a second person.
	Waivers []Waiver
	// Waived is set when every place is waived: then it does not count.
	Waived bool
	// Unchecked is set beside Waived where somebody said that nobody could check, which
	// is no word on whether the finding is right.
	Unchecked bool
	// Proposed are the waivers that a file beside the code asks for. They count for
	// nothing.
	Proposed []ProposedWaiver
}

// Counts reports whether nobody accepted the finding and no policy turned it off.
func (f *Finding) Counts() bool { return !f.Waived && !f.Off() }

// Holding is the waiver by which the finding is waived, nil when it is not: where its
// places have several, one that says that nobody could check.
func (f *Finding) Holding() *Waiver {
	if !f.Waived {
		return nil
	}
	var held *Waiver
	for i := range f.Waivers {
		if w := &f.Waivers[i]; w.covers(f.Severity) && (held == nil || held.Kind != w.Kind && w.Kind == lint.CouldNotTell) {
			held = w
		}
	}
	return held
}

// Places returns every place of the finding, at least one, in the order of Bound.
func (f *Finding) Everywhere() []lint.Place { return everywhere(&f.Finding) }

func everywhere(f *lint.Finding) []lint.Place {
	if len(f.Places) > 0 {
		return f.Places
	}
	return []lint.Place{f.Place}
}

// Stands reports whether the finding has a place in the tool at a position of the
// listing, 0 for the listing itself.
func (f *Finding) Stands(position int) bool {
	for _, p := range f.Everywhere() {
		if subjectAt(p) == position {
			return true
		}
	}
	return false
}

// InInstructions is the position of the instructions, which are no tool.
const InInstructions = -1

// subjectAt is the position of the tool that a place is about: 0 for the listing as
// a whole, InInstructions for the instructions.
func subjectAt(p lint.Place) int {
	switch rest, isTool := strings.CutPrefix(p.Pointer, "/tools/"); {
	case p.Position > 0:
		return p.Position
	case p.Pointer == "/instructions" || strings.HasPrefix(p.Pointer, "/instructions/"):
		return InInstructions
	case isTool:
		n, _, _ := strings.Cut(rest, "/")
		if i, err := strconv.Atoi(n); err == nil && i >= 0 {
			return i + 1
		}
	}
	return 0
}

// keptFindings is the form in which findings are kept.
type keptFindings struct {
	Findings json.RawMessage `json:"findings"`
	Bound    []byte          `json:"bound"` // 32 bytes of each place
}

// marks are findings without their texts.
type marks []mark

type mark struct {
	Rule     string        `json:"rule"`
	Severity lint.Severity `json:"severity"`
	New      bool          `json:"new,omitempty"`
	Of       string        `json:"of,omitempty"` // see lint.Finding
	At       []int         `json:"at"`           // positions of the places, see subjectAt
	Bound    []byte        `json:"bound"`        // 32 bytes of each place
}

// bind is what a waiver of a place names. The fingerprint binds rule and version,
// tool, pointer and the whole value; the annotations are what the text's reader is
// told beside it.
func bind(fingerprint string, annotations surface.Hash) surface.Hash {
	return surface.HashOf([]byte(fingerprint + " " + annotations.String()))
}

// annotationsOf is the digest of a tool's annotations, in whatever form they were
// sent.
func annotationsOf(t *surface.Tool) surface.Hash {
	raw, ok := t.Annotations()
	if !ok {
		return surface.Hash{}
	}
	if c, err := surface.Canonical(raw); err == nil {
		return surface.HashOf(c)
	}
	return surface.HashOf(raw)
}

// binder says what waivers of findings name. It reads the annotations of a tool once,
// however many findings there are.
type binder struct {
	listing     *surface.Listing
	annotations map[int]surface.Hash // by position
}

func newBinder(l *surface.Listing) *binder {
	return &binder{listing: l, annotations: map[int]surface.Hash{}}
}

// bound returns what waivers of a finding's places name.
func (b *binder) bound(f *lint.Finding) []byte {
	var all []byte
	for _, p := range everywhere(f) {
		h := bind(p.Fingerprint, b.of(subjectAt(p)))
		all = append(all, h[:]...)
	}
	return all
}

func (b *binder) of(position int) surface.Hash {
	if position < 1 || position > len(b.listing.Tools) {
		return surface.Hash{}
	}
	h, known := b.annotations[position]
	if !known {
		h = annotationsOf(&b.listing.Tools[position-1])
		b.annotations[position] = h
	}
	return h
}

// hashes cuts what bound returned.
func hashes(b []byte) []surface.Hash {
	out := make([]surface.Hash, 0, len(b)/len(surface.Hash{}))
	for len(b) >= len(surface.Hash{}) {
		out = append(out, surface.Hash(b))
		b = b[len(surface.Hash{}):]
	}
	return out
}

// toolFindings are findings of tools alone by digest, on their way into or out of
// the store.
type toolFindings struct {
	kept  map[ReportKey][]byte
	found map[surface.Hash][]lint.Finding
	fresh compared
}

// readToolFindings reads what is kept of the tools of listings, with one call.
func readToolFindings(ctx context.Context, tx Tx, listings ...*surface.Listing) (*toolFindings, error) {
	t := &toolFindings{found: map[surface.Hash][]lint.Finding{}, fresh: compared{}}
	var keys []ReportKey
	seen := map[surface.Hash]bool{}
	for _, l := range listings {
		if l == nil {
			continue
		}
		for i := range l.Tools {
			if h := l.Tools[i].Digest; !seen[h] {
				seen[h] = true
				keys = append(keys, toolFindingsKey(h))
			}
		}
	}
	if len(keys) == 0 {
		return t, nil
	}
	var err error
	t.kept, err = tx.Reports(ctx, keys)
	return t, err
}

// look finds what nobody found yet in the tools of a listing.
func (t *toolFindings) look(l *surface.Listing) error {
	if l == nil {
		return nil
	}
	for i := range l.Tools {
		tool := l.Tools[i]
		if _, ok := t.found[tool.Digest]; ok {
			continue
		}
		key := toolFindingsKey(tool.Digest)
		if body, ok := t.kept[key]; ok {
			found, err := report.ParseFindings(body)
			if err != nil {
				return err
			}
			t.found[tool.Digest] = found
			continue
		}
		found := lint.Tool(tool)
		body, err := report.Findings(found)
		if err != nil {
			return err
		}
		t.found[tool.Digest], t.fresh[key] = found, body
	}
	return nil
}

func (t *toolFindings) of(h surface.Hash) ([]lint.Finding, bool) {
	found, ok := t.found[h]
	return found, ok
}

// find makes the findings of a comparison, in the forms that are kept.
func (t *toolFindings) find(p pair, old, new *surface.Listing, r *change.Report) (compared, error) {
	if err := t.look(old); err != nil {
		return nil, err
	}
	if err := t.look(new); err != nil {
		return nil, err
	}
	made := t.fresh
	opt := lint.Options{Kept: t.of}
	if p.limits.rulesKey() != "" {
		opt = p.limits.rules()
		opt.Kept = t.of
	}
	found := lint.Change(old, new, r, opt)
	texts, err := report.Findings(found)
	if err != nil {
		return nil, err
	}
	short, full, binder := marks{}, keptFindings{Findings: texts}, newBinder(new)
	for i := range found {
		f := &found[i]
		m := mark{Rule: f.Rule, Severity: f.Severity, New: f.New, Of: f.Of, Bound: binder.bound(f)}
		for _, place := range everywhere(f) {
			m.At = append(m.At, subjectAt(place))
		}
		short, full.Bound = append(short, m), append(full.Bound, m.Bound...)
	}
	if made[p.findingKey(reportMarks)], err = json.Marshal(short); err != nil {
		return nil, err
	}
	made[p.findingKey(reportFindings)], err = json.Marshal(full)
	return made, err
}

func parseMarks(b []byte) (marks, error) {
	var ms marks
	if err := json.Unmarshal(b, &ms); err != nil {
		return nil, fmt.Errorf("kept finding marks: %w", err)
	}
	for i := range ms {
		if len(ms[i].Bound) != len(ms[i].At)*len(surface.Hash{}) {
			return nil, fmt.Errorf("kept finding marks: %d places, %d bytes that bind them", len(ms[i].At), len(ms[i].Bound))
		}
	}
	return ms, nil
}

// parseFindings reads the kept findings of a comparison.
func parseFindings(b []byte) ([]Finding, error) {
	var kept keptFindings
	if err := json.Unmarshal(b, &kept); err != nil {
		return nil, fmt.Errorf("kept findings: %w", err)
	}
	found, err := report.ParseFindings(kept.Findings)
	if err != nil {
		return nil, err
	}
	bound := hashes(kept.Bound)
	out := make([]Finding, len(found))
	for i := range found {
		out[i].Finding = found[i]
		n := len(everywhere(&found[i]))
		if n > len(bound) {
			return nil, fmt.Errorf("kept findings: %d places lack what binds them", n-len(bound))
		}
		out[i].Bound, bound = bound[:n:n], bound[n:]
	}
	return out, nil
}

// fullFindings reads the kept findings of a comparison, or says that they are
// missing.
func fullFindings(ctx context.Context, tx Tx, p pair) ([]Finding, error) {
	body, err := findingsBody(ctx, tx, p)
	if err != nil {
		return nil, err
	}
	return parseFindings(body)
}

// findingsShown is fullFindings for the page of a release.
func (s *Service) findingsShown(ctx context.Context, tx Tx, p pair) ([]Finding, error) {
	body, err := findingsBody(ctx, tx, p)
	if err != nil {
		return nil, err
	}
	found, err := once(s.reread.findings, body, parseFindings)
	return slices.Clone(found), err // each reader's waivers are marked in their own
}

// findingsBody is the kept findings of a comparison as they are stored.
func findingsBody(ctx context.Context, tx Tx, p pair) ([]byte, error) {
	return keptReport(ctx, tx, p, p.findingKey(reportFindings))
}

// judged is what the findings of a candidate come to once waivers are taken in.
type judged struct {
	counts  FindingCounts
	at      map[int]gate.Findings // by subject, see subjectAt
	listing []gate.Finding        // that are about no subject
}

// judge takes in what the policy says of rules, and waivers. Without a base
// everything is new.
func (ms marks) judge(p gate.Policy, ws waivers, first bool) *judged {
	j := &judged{at: map[int]gate.Findings{}}
	raised := ms.raised(p)
	for i := range ms {
		m := &ms[i]
		if m.Of != "" {
			continue
		}
		as, isNew := p.Grade(m.Rule, m.Severity), m.New || first
		if as == gate.Off {
			j.counts.Off++
			continue
		}
		if by, ok := raised[m.key()]; ok && by.Rank() > as.Rank() {
			as = by
		}
		open, unchecked := false, false
		for n, bound := range hashes(m.Bound) {
			if w := ws.covering(bound, as); w != nil {
				unchecked = unchecked || w.Kind == lint.CouldNotTell
				continue
			}
			open = true
			waits := ws.waiting(bound)
			j.at[m.At[n]] = j.at[m.At[n]].With(m.Rule, as, isNew, waits)
			if m.At[n] == 0 {
				j.listing = append(j.listing, gate.Finding{Rule: m.Rule, Severity: as, Old: !isNew, Waits: waits})
			}
		}
		if !open {
			j.counts.waive(unchecked)
			continue
		}
		j.counts.Add(as)
		if isNew {
			j.counts.New++
		}
	}
	return j
}

// aboutKey names a finding that another one is about.
type aboutKey struct {
	rule  string
	bound surface.Hash
}

// key names the finding by its rule and what a waiver of its first place names.
func (m *mark) key() aboutKey {
	rule := m.Rule
	if m.Of != "" {
		rule = m.Of
	}
	if len(m.Bound) < len(surface.Hash{}) {
		return aboutKey{rule: rule}
	}
	return aboutKey{rule, surface.Hash(m.Bound)}
}

// raised says of findings that others are about how grave these make them: the two are
// one finding with one waiver. Where the policy turned off the rule that would, nothing is
// raised.
func (ms marks) raised(p gate.Policy) map[aboutKey]lint.Severity {
	raised := map[aboutKey]lint.Severity{}
	for i := range ms {
		if m := &ms[i]; m.Of != "" {
			if as := p.Grade(m.Rule, m.Severity); as != gate.Off {
				raised[m.key()] = as
			}
		}
	}
	return raised
}

// waive counts one finding that somebody accepted.
func (c *FindingCounts) waive(unchecked bool) {
	c.Waived++
	if unchecked {
		c.Unchecked++
	}
}

// grade says of findings how the policy counts them, makes one of those that are about
// one another, and orders them by that.
func grade(found []Finding, p gate.Policy) []Finding {
	raised := map[aboutKey]*Finding{}
	kept, changed := make([]Finding, 0, len(found)), false
	for i := range found {
		f := &found[i]
		as := p.Grade(f.Rule, f.Severity)
		if f.Of != "" {
			if as != gate.Off && len(f.Bound) > 0 {
				f.Severity = as
				raised[aboutKey{f.Of, f.Bound[0]}] = f
			}
			continue
		}
		if as != f.Severity {
			changed = true
			f.Policy = &lint.Override{Found: f.Severity, Off: as == gate.Off}
			if !f.Policy.Off {
				f.Severity = as
			}
		}
		kept = append(kept, *f)
	}
	for i := range kept {
		f := &kept[i]
		if by := raised[aboutKey{f.Rule, f.Bound[0]}]; by != nil && !f.Off() && by.Severity.Rank() > f.Severity.Rank() {
			f.Severity, f.RaisedBy, changed = by.Severity, by.Rule, true
		}
	}
	if changed {
		slices.SortStableFunc(kept, func(a, b Finding) int {
			return cmp.Or(cmp.Compare(b.rank(), a.rank()), cmp.Compare(b.Severity.Rank(), a.Severity.Rank()))
		})
	}
	return kept
}

// rank puts what is new before what the base had, and last what is off.
func (f *Finding) rank() int {
	switch {
	case f.Off():
		return 0
	case f.New:
		return 2
	}
	return 1
}

// Add counts one more finding.
func (c *FindingCounts) Add(s lint.Severity) {
	switch s {
	case lint.Critical:
		c.Critical++
	case lint.High:
		c.High++
	case lint.Warn:
		c.Warn++
	case lint.Info:
		c.Info++
	}
}

// findingsOf is what is known of a subject of the candidate.
func (as *assessment) findingsOf(subject change.Subject, position int) gate.Findings {
	switch {
	case as.judged == nil || subject == change.SubjectOrder:
		return gate.Findings{}
	case subject == change.SubjectInstructions:
		return as.judged.at[InInstructions]
	case position < 1:
		return gate.Findings{}
	}
	return as.judged.at[position]
}

// FindingCounts are findings by severity; what somebody accepted and what a policy
// turned off is counted apart.
type FindingCounts struct {
	Critical  int `json:"critical"`
	High      int `json:"high"`
	Warn      int `json:"warn"`
	Info      int `json:"info"`
	New       int `json:"new"`             // of those, not there in the gate base
	Waived    int `json:"waived"`          // accepted
	Unchecked int `json:"could_not_check"` // of those accepted, the ones that nobody could check
	Off       int `json:"off"`             // by policy
}

func (j *judged) summary() *FindingCounts {
	if j == nil {
		return nil
	}
	return &j.counts
}

// FindingsView is what is found in a listing.
type FindingsView struct {
	Server   Server
	Role     people.Role // of the actor
	Listing  ListingInfo
	Release  *Release  // under review, whose newest revision it is; nil for none
	Findings []Finding // by severity, in the order of the listing
}

// Counts counts the findings.
func (v *FindingsView) Counts() FindingCounts { return CountFindings(v.Findings) }

// CountFindings counts findings by severity, those that don't count apart.
func CountFindings(found []Finding) FindingCounts {
	var c FindingCounts
	for i := range found {
		f := &found[i]
		if f.Off() {
			c.Off++
			continue
		}
		if f.Waived {
			c.waive(f.Unchecked)
			continue
		}
		c.Add(f.Severity)
		if f.New {
			c.New++
		}
	}
	return c
}

// Findings returns what is found in a listing by itself, without a base.
func (s *Service) Findings(ctx context.Context, a Actor, listingID string) (*FindingsView, error) {
	var v *FindingsView
	err := s.analysed(ctx, func() error {
		return s.store.View(ctx, func(tx Tx) error {
			info, srv, err := listingFor(ctx, tx, a, listingID)
			if err != nil {
				return err
			}
			v = &FindingsView{Server: *srv, Role: a.role(srv.ID), Listing: *info}
			if v.Release, err = underReview(ctx, tx, info); err != nil {
				return err
			}
			p := newPair(nil, *info, change.Options{})
			p.limits = limitsOf(srv)
			if v.Findings, err = fullFindings(ctx, tx, p); err != nil {
				return err
			}
			held, err := s.waiversOf(ctx, tx, ProfileKey{info.ServerID, info.Profile})
			v.Findings = held.mark(v.Findings, srv.Policy)
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	return v, nil
}

// underReview is the open release whose newest revision a listing is, nil for none.
func underReview(ctx context.Context, tx Tx, info *ListingInfo) (*Release, error) {
	rs, err := tx.ReleasesByDigest(ctx, info.ServerID, info.Profile, info.Digest)
	for i := range rs {
		if r := &rs[i]; r.open() && r.Head.ListingID == info.ID {
			return r, err
		}
	}
	return nil, err
}

// listingFor returns a listing without its bytes, and its server, for who may read
// it.
func listingFor(ctx context.Context, tx Tx, a Actor, id string) (*ListingInfo, *Server, error) {
	info, err := tx.ListingInfoByID(ctx, id)
	if KindOf(err) == NotFound {
		return nil, nil, errNoSuchThing
	}
	if err != nil {
		return nil, nil, err
	}
	if err := a.allow(info.ServerID, people.Viewer, people.ScopeRead); err != nil {
		return nil, nil, err
	}
	srv, err := tx.ServerByID(ctx, info.ServerID)
	return info, srv, err
}
