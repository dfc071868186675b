package lint

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/countersign/countersign/review/change"
	"github.com/countersign/countersign/review/prose"
	"github.com/countersign/countersign/review/surface"
)

// delta is a change while its rules run. The comparison says what happened; the rules
// say what a reviewer would have noticed about it.
type delta struct {
	old, new      *house
	r             *change.Report
	before, after []Finding
	byName        map[string]*view // of the new listing
	oldNames      map[string]*view
	found         []Finding
}

func newDelta(old, new *surface.Listing, r *change.Report, before, after []Finding) *delta {
	d := &delta{old: newHouse(old, Context{}), new: newHouse(new, Context{}), r: r, before: before, after: after, byName: map[string]*view{}, oldNames: map[string]*view{}}
	for _, v := range d.new.views {
		d.byName[v.name] = v
	}
	for _, v := range d.old.views {
		d.oldNames[v.name] = v
	}
	return d
}

func (d *delta) run() []Finding {
	for i := range d.r.Changes {
		c := &d.r.Changes[i]
		switch {
		case c.Subject != change.SubjectTool:
			d.subject(c)
		case c.Kind == change.Added:
			d.added(c)
		case c.Kind == change.Removed:
			d.listing("diff.tool-removed", Info, c.ID, fmt.Sprintf("%q is gone. Calls to it fail.", short(c.Name(), 80)))
		default:
			d.changed(c)
		}
	}
	for _, b := range d.r.Raised {
		d.listing("diff.bulk-loss", High, b.ID+strings.Join(b.Tools, " "), b.Sentence)
	}
	d.regression()
	d.copies()
	d.dangling()
	d.flow()
	return d.found
}

// listing reports a finding about the change as a whole; value binds its fingerprint.
func (d *delta) listing(rule string, sev Severity, value, message string) {
	r := catalogue().byID[rule]
	d.found = append(d.found, Finding{
		Rule: rule, Severity: sev, Message: message, Fix: r.Fix,
		Place: Place{Fingerprint: fingerprint(r, "", "", value)},
	})
}

// at reports a finding about a tool of the new listing. The pointer is that of the
// change, or of what is left above it.
func (d *delta) at(v *view, rule string, sev Severity, pointer, key, message, passage string) {
	r := catalogue().byID[rule]
	for v.root.resolve(pointer) == nil {
		pointer = pointer[:strings.LastIndexByte(pointer, '/')]
	}
	f := Finding{
		Rule: rule, Severity: sev, Message: message, Fix: r.Fix, Excerpt: excerpt(passage),
		Place: Place{Tool: v.name, Position: v.tool.Position, Pointer: pointer, Fingerprint: fingerprint(r, v.name, pointer, key)},
	}
	d.found = append(d.found, f)
}

// subject is the instructions or the order.
func (d *delta) subject(c *change.Change) {
	if c.Subject == change.SubjectOrder {
		d.listing("diff.order", Info, c.ID, "The order of the list changed, so the cached front of every request is lost once.")
		return
	}
	for _, det := range c.Details {
		d.listing("diff.description-changed", Info, c.ID+det.Edit, "The instructions changed: "+short(det.Sentence, 300))
	}
}

func (d *delta) changed(c *change.Change) {
	v := d.byName[c.Name()]
	if v == nil {
		return
	}
	if c.Kind == change.Renamed {
		message := fmt.Sprintf("%q is now %q. Calls to the old name fail.", short(*c.FromTool, 80), short(v.name, 80))
		if len(c.Details) <= 1 {
			message += " Only the name changed: a better description repairs more than a better name."
		}
		d.at(v, "diff.tool-renamed", Info, "/name", c.ID, message, v.name)
	}
	for i := range c.Details {
		d.detail(c, v, &c.Details[i])
	}
	d.staleHints(c, v)
}

// plainRules are what the comparison itself says; the finding only makes it countable
// beside the others.
var plainRules = map[string]string{
	"property.required.added": "diff.required-added", "property.became-required": "diff.required-added",
	"property.removed": "diff.property-removed", "property.renamed": "diff.property-removed",
	"additionalProperties.closed": "diff.object-closed",
}

func (d *delta) detail(c *change.Change, v *view, det *change.Detail) {
	key := c.ID + det.Edit
	say := func(rule string, sev Severity) { d.at(v, rule, sev, det.Pointer, key, det.Sentence, gained(det)) }
	if d.texts(c, v, det) {
		return
	}
	switch rule := plainRules[det.ID]; {
	case det.Direction == "output" && det.Class == change.Breaking:
		say("diff.output-broken", Warn)
	case rule != "":
		say(rule, Info)
	case det.ID == "schema.added" && strings.HasPrefix(det.Pointer, "/outputSchema"):
		say("diff.output-schema-added", Warn)
	case det.ID == "default.changed":
		say("diff.default-changed", High)
	case det.ID == "annotation.changed" && d.loosens(det, v):
		say("diff.annotation-flipped", flipSeverity(det, v))
	case det.Class == change.Breaking && det.Direction == "input":
		say("diff.type-or-range-narrowed", Info)
	}
}

func gained(det *change.Detail) string {
	if det.Gained != "" {
		return det.Gained
	}
	return det.Lost
}

// loosens reports whether a hint now lets a host act with less care: the effective
// value counts, not whether it is written.
func (d *delta) loosens(det *change.Detail, v *view) bool {
	old := d.oldNames[v.name]
	if old == nil {
		return false
	}
	was, is := old.tool.Hints(), v.tool.Hints()
	switch det.Pointer {
	case "/annotations/readOnlyHint":
		return !was.ReadOnly && is.ReadOnly
	case "/annotations/destructiveHint":
		return was.Destructive && !is.Destructive
	case "/annotations/openWorldHint":
		return was.OpenWorld && !is.OpenWorld
	}
	return false
}

// flipSeverity is high where a host that trusts the hint can do harm. A hint that agrees
// with what a tool is named and described as is worth a note.
func flipSeverity(det *change.Detail, v *view) Severity {
	switch {
	case len(v.words) > 0 && verbEffects[v.words[0]] == reads && v.plainReader():
		return Info
	case det.Pointer == "/annotations/openWorldHint":
		return Warn
	}
	return High
}

// texts judges a text that changed. It reports whether the detail was one.
func (d *delta) texts(c *change.Change, v *view, det *change.Detail) bool {
	old, ok1 := surface.DecodeString(jsontext.Value(det.Old))
	now, ok2 := surface.DecodeString(jsontext.Value(det.New))
	if !(strings.HasPrefix(det.ID, "description.") || strings.HasPrefix(det.ID, "title.")) {
		if !ok1 || !ok2 {
			old, now = joined(det.Old), joined(det.New)
		}
		if det.Hidden && old != "" && now != "" {
			d.invisible(c, v, det, old, now)
		}
		return false
	}
	key := c.ID + det.Edit
	if ok1 && ok2 && d.invisible(c, v, det, old, now) {
		return true
	}
	if ok1 {
		d.lost(c, v, det, old, now)
	}
	if strings.HasPrefix(det.ID, "description.") {
		d.at(v, "diff.description-changed", Info, det.Pointer, key, det.Sentence, gained(det))
	}
	return true
}

// joined are the values of a list as one text, "" when it is no list of strings.
func joined(raw []byte) string {
	var list []string
	if json.Unmarshal(raw, &list) != nil {
		return ""
	}
	return strings.Join(list, "\n")
}

// invisible finds two texts that a reader takes for one.
func (d *delta) invisible(c *change.Change, v *view, det *change.Detail, old, now string) bool {
	sentence, alike := prose.LooksLike(old, now)
	if !alike {
		return false
	}
	sev := Critical
	if strings.Join(strings.Fields(old), " ") == strings.Join(strings.Fields(now), " ") {
		sev = Info // only blanks and line ends
	}
	d.at(v, "diff.invisible-change", sev, det.Pointer, c.ID+det.Edit, sentence, now)
	return true
}

// zeroArgs are words of a sentence on what happens when nothing is passed.
var zeroArgs = []string{"by default", "if omitted", "when omitted", "if nothing", "when nothing", "with no arguments", "when nothing is passed", "without arguments", "no arguments", "returns all", "all results", "if not given"}

// zeroArg reports whether a sentence says what happens when nothing is passed: "when no
// filter is given".
func zeroArg(s string) bool {
	if hasAny(s, zeroArgs...) {
		return true
	}
	w := words(s)
	for i := 0; i+1 < len(w); i++ {
		switch w[i] {
		case "when", "if", "with", "where", "unless":
			if (w[i+1] == "no" || w[i+1] == "none" || w[i+1] == "nothing") && passing.any(w[i+1:]) || w[i] == "with" && w[i+1] == "no" {
				return true
			}
		case "without":
			if w[i+1] == "any" || w[i+1] == "a" || strings.HasSuffix(w[i+1], "s") {
				return passing.any(w[i+1:]) || setOf("filter filters argument arguments parameter parameters date dates limit criteria value values").any(w[i+1:min(len(w), i+4)])
			}
		}
	}
	return false
}

// passing are words of a value that is given, or is not.
var passing = setOf("given passed set provided supplied specified named chosen selected sent filled")

// lost looks for what a text no longer says, unless it says it somewhere else now. A
// text with two places of change has two details with the same texts: each sentence is
// reported once.
func (d *delta) lost(c *change.Change, v *view, det *change.Detail, old, now string) {
	all := v.prose()
	for _, delta := range prose.ContractDelta(old, now) {
		if delta.Old == "" {
			if delta.Class == prose.Default && det.Pointer == "/description" && caps(lower(delta.New)) {
				d.once(c, v, det, "diff.zero-arg-changed", High, "What comes back when nothing is passed has a limit now: "+quote(delta.New), delta.New)
			}
			continue
		}
		if delta.New == "" && movedTo(all, delta.Old) {
			continue
		}
		switch delta.Class {
		case prose.Safety:
			if d.weakened(delta) {
				d.once(c, v, det, "diff.safety-sentence-lost", High, "A sentence on safety is gone or weaker: "+delta.Message(), delta.Old)
			}
		case prose.Failure:
			d.failureLost(c, v, det, delta)
		case prose.Default:
			switch {
			case delta.New == "":
				d.once(c, v, det, "diff.default-changed", Warn, "A default is no longer stated: "+delta.Message(), delta.Old)
			case statedDefault(lower(delta.Old)) != statedDefault(lower(delta.New)):
				d.once(c, v, det, "diff.default-changed", High, "A default that the text promises changed: "+delta.Message(), delta.Old)
			}
			if zeroArg(lower(delta.Old)) && delta.New != "" && det.Pointer == "/description" {
				d.once(c, v, det, "diff.zero-arg-changed", High, "What happens when nothing is passed changed: "+delta.Message(), delta.Old)
			}
		case prose.Instruction:
			if holdsBack(lower(delta.Old)) && d.weakened(delta) {
				d.once(c, v, det, "diff.safety-sentence-lost", High, "An instruction that held the model back is gone or weaker: "+delta.Message(), delta.Old)
			}
		}
	}
	if det.Pointer == "/description" {
		d.capped(c, v, det, old, now)
	}
	d.glossLost(c, v, det, old, now)
}

// capped finds a text that promised everything and gives a number now, or another answer
// to a call without arguments.
func (d *delta) capped(c *change.Change, v *view, det *change.Detail, old, now string) {
	gone, come := sentencesNotIn(old, now), sentencesNotIn(now, old)
	for i := 0; i < len(gone) && i < len(come); i++ {
		if was, is := lower(gone[i]), lower(come[i]); zeroArg(was) && zeroArg(is) && !slices.Equal(contentWords(was), contentWords(is)) {
			d.once(c, v, det, "diff.zero-arg-changed", High, fmt.Sprintf("What happens when nothing is passed changed: %s was %s.", quote(come[i]), quote(gone[i])), gone[i])
			return
		}
		if whole(lower(gone[i])) && caps(lower(come[i])) && !caps(lower(gone[i])) {
			d.once(c, v, det, "diff.zero-arg-changed", High, fmt.Sprintf("All came back, and now there is a limit: %s was %s.", quote(come[i]), quote(gone[i])), gone[i])
			return
		}
	}
}

// sentencesNotIn are the sentences of a text that another has not, in order.
func sentencesNotIn(a, b string) []string {
	have := map[string]bool{}
	for _, s := range prose.Sentences(b) {
		have[s.Text] = true
	}
	var out []string
	for _, s := range prose.Sentences(a) {
		if !have[s.Text] {
			out = append(out, s.Text)
		}
	}
	return out
}

// whole reports whether a sentence promises everything.
func whole(s string) bool {
	return hasAny(s, "all ", "every ", "everything") && hasAny(s, "return", "list", "gives")
}

// holdsBack reports whether a sentence tells the model what not to do, or when only.
func holdsBack(s string) bool {
	for _, subject := range []string{"you ", "we ", "they ", "users ", "i "} {
		s = strings.ReplaceAll(s, subject+"don't", "")
		s = strings.ReplaceAll(s, subject+"do not", "")
	}
	if hasAny(s, "ask ", "check with", "approval", "consent", "permission", "agreement of", "sign-off") && hasAny(s, "before", "first", "prior to", "beforehand") {
		return true
	}
	return hasAny(s, "never ", "do not ", "don't ", "only when", "only if", "only after", "ask the user", "confirm with") ||
		strings.Contains(s, "only ") && hasAny(s, " when ", " if ", " after ")
}

// weakened reports whether the new sentence says less: it is gone, or lost a word that
// forbids.
func (d *delta) weakened(delta prose.Delta) bool {
	if delta.New == "" {
		return true
	}
	was, now := lower(delta.Old), lower(delta.New)
	for _, same := range holders {
		if hasAny(was, same...) && !hasAny(now, same...) {
			return true
		}
	}
	return numbersGone(was, now)
}

// holders are the words that hold somebody back; of those on one line any will do.
var holders = [][]string{
	{"never", "not", "n't", "n’t"},
	{"cannot", "can not", "can't", "can’t", "never"},
	{"only"}, {"refus"}, {"irreversib"}, {"permanent"}, {"confirm"}, {"recover"}, {"undo"}, {"protected"}, {"must"}, {"fail"}, {"error"},
}

// numbersGone reports whether a text no longer says how long or how many: "for seven
// days" is a promise, "for a while" is none.
func numbersGone(old, now string) bool {
	have := map[string]bool{}
	for _, w := range words(now) {
		have[w] = true
	}
	return slices.ContainsFunc(words(old), func(w string) bool { return (isNumber(w) || numerals[w]) && !have[w] })
}

var numerals = setOf("one two three four five six seven eight nine ten twelve fourteen twenty thirty sixty ninety")

// failureLost looks at declared codes: one that is gone, or that became silence.
func (d *delta) failureLost(c *change.Change, v *view, det *change.Detail, delta prose.Delta) {
	if delta.New != "" && !codeGone(delta.Old, delta.New) {
		return
	}
	if safe := slices.Contains(delta.Classes, prose.Safety) || hasAny(lower(delta.Old), "refus", "protected") || turnsAway(lower(delta.Old)); safe {
		d.once(c, v, det, "diff.safety-sentence-lost", High, "A sentence on what is refused is gone or weaker: "+delta.Message(), delta.Old)
		return
	}
	sev := Warn
	if codeGone(delta.Old, delta.New) || hasAny(lower(delta.Old), declaredFailures...) {
		sev = High
	}
	d.once(c, v, det, "diff.failure-contract-changed", sev, "How it fails is no longer what callers were told: "+delta.Message(), delta.Old)
}

// turnsAway reports whether a sentence says what is not done for a reason in the matter,
// and not because a call is malformed.
func turnsAway(s string) bool {
	return hasAny(s, "rejected", "denied", "blocked", "forbidden", "not allowed", "declined") && !hasAny(s, "invalid", "unknown", "malformed", "missing", "wrong", "empty", "unsupported", "bad ", "format", "too long", "too large", "not found")
}

// declaredFailures are words of a sentence that callers branch on.
var declaredFailures = []string{"{ error", "{error", "returns an error", "returns error", "errors on", "fails with", "throws", "http 4", "http 5", "error code", "is an error"}

// caps reports whether a sentence on a default gives a number of results.
func caps(s string) bool {
	return slices.ContainsFunc(words(s), isNumber) && hasAny(s, "at most", "limit", "first", "results", "items", "returns", "entries", "records", "up to")
}

// codeGone reports whether a word that looks like a code is missing in the new text.
func codeGone(old, now string) bool {
	have := map[string]bool{}
	for _, w := range words(now) {
		have[w] = true
	}
	for _, w := range words(old) {
		if strings.Contains(w, "_") && !have[w] {
			return true
		}
	}
	if !strings.Contains(lower(old), "error") {
		return false
	}
	for _, w := range quotedWords(lower(old)) {
		if !have[w] {
			return true
		}
	}
	return false
}

// quotedWords are the single words that stand between quotation marks.
func quotedWords(s string) []string {
	var out []string
	for _, mark := range []string{`"`, "`", "'"} {
		parts := strings.Split(s, mark)
		for i := 1; i+1 < len(parts); i += 2 {
			if w := parts[i]; w != "" && strings.Trim(w, "abcdefghijklmnopqrstuvwxyz0123456789_-") == "" {
				out = append(out, w)
			}
		}
	}
	return out
}

// movedTo reports whether most words of a sentence stand in what the tool says now.
func movedTo(all, sentence string) bool {
	w := contentWords(sentence)
	if len(w) == 0 {
		return true
	}
	have := map[string]bool{}
	for _, x := range contentWords(all) {
		have[x] = true
	}
	n := 0
	for _, x := range w {
		if have[x] {
			n++
		}
	}
	return n*10 >= len(w)*9
}

// glossLost finds values whose meaning the text no longer gives, while they stay.
func (d *delta) glossLost(c *change.Change, v *view, det *change.Detail, old, now string) {
	was, is := lower(old), lower(now)+"\n"+v.prose()
	for _, p := range v.params {
		if !(det.Pointer == "/description" || strings.HasPrefix(det.Pointer, p.schema.pointer())) {
			continue
		}
		gone := 0
		vals := p.values()
		for _, val := range vals {
			if val.kind == '"' && val.str != "" && glossed(was, lower(val.str)) && !glossed(is, lower(val.str)) {
				gone++
			}
		}
		if gone >= 2 && gone*2 >= len(vals) {
			d.once(c, v, det, "diff.gloss-lost", Warn, fmt.Sprintf("The text no longer says what the values of %q mean.", short(p.name, 60)), old)
		}
	}
}

// glossed reports whether a text speaks of a value; one of a letter or two has to stand
// before a sign that explains it.
func glossed(s, value string) bool {
	if len(value) >= 3 {
		return strings.Contains(s, value)
	}
	for _, sign := range []string{" = ", "=", ": ", " - ", " (", "' ", "\" ", "` "} {
		for at := strings.Index(s, value+sign); at >= 0; at = nextIndex(s, value+sign, at) {
			if at == 0 || !isWordByte(s[at-1]) {
				return true
			}
		}
	}
	return false
}

// once reports a finding unless the same was reported for the place.
func (d *delta) once(c *change.Change, v *view, det *change.Detail, rule string, sev Severity, message, passage string) {
	for _, f := range d.found {
		if f.Rule == rule && f.Position == v.tool.Position && f.Message == message {
			return
		}
	}
	d.at(v, rule, sev, det.Pointer, c.ID+passage, message, passage)
}

// staleHints finds a parameter or a text that replaces data, beside a hint that says
// that nothing is destroyed.
func (d *delta) staleHints(c *change.Change, v *view) {
	if destructive, set := v.hint("destructiveHint"); !set || destructive {
		return
	}
	old := d.oldNames[v.name]
	if old == nil {
		return
	}
	words := []string{"overwrit", "replaces an existing", "replaces the existing", "deletes", "permanently", "removes the", "force", "truncat", "destroys"}
	if hasAny(v.prose()+" "+paramNames(v), words...) && !hasAny(old.prose()+" "+paramNames(old), words...) {
		d.at(v, "diff.annotation-stale", Warn, "/annotations/destructiveHint", c.ID, fmt.Sprintf("%q can now replace or remove data, and destructiveHint still says that it does not.", short(v.name, 80)), "destructiveHint: false")
	}
}

func paramNames(v *view) string {
	var out []string
	for _, p := range v.params {
		out = append(out, lower(p.name))
	}
	return strings.Join(out, " ")
}

// added looks at a new tool beside those that were there: does it fit the house?
func (d *delta) added(c *change.Change) {
	v := d.byName[c.Name()]
	if v == nil || len(d.old.views) < 4 {
		return
	}
	if d.old.groupedShare() >= 0.8 && len(v.words) > 1 && d.old.families.Convention == surface.NounFirst {
		if f := d.new.family[v.tool.Position]; f == nil || len(f.Tools) == 1 {
			d.at(v, "diff.new-prefix", Warn, "/name", c.ID, fmt.Sprintf("%q is new and joins no family, where nearly all tools have one.", short(v.name, 80)), v.name)
		}
	}
	typed := 0
	for _, o := range d.old.views {
		if declaresErrors(o) {
			typed++
		}
	}
	if typed*10 >= len(d.old.views)*6 && !declaresErrors(v) {
		d.at(v, "diff.other-failure-convention", Warn, "/description", c.ID, fmt.Sprintf("%q is new and says nothing of its failures, where %d of %d tools declare them as values.", short(v.name, 80), typed, len(d.old.views)), v.name)
	}
}

// guarded are rules whose findings nobody should let in with a change.
func guarded(rule string) bool {
	family, _, _ := strings.Cut(rule, ".")
	return family == "unicode" || family == "poison" || family == "shadow" || family == "secret"
}

// regressionRule is the rule that makes what hides or misleads graver where a change
// brought it into a tool that was approved without.
const regressionRule = "diff.security-regression"

// regresses reports whether a finding is a reason to stop a change: it is grave, or it is
// of what nobody writes by accident, such as characters that can't be seen.
func regresses(f *Finding) bool {
	if f.Severity.Rank() >= High.Rank() {
		return true
	}
	return f.Severity == Warn && (strings.HasPrefix(f.Rule, "unicode.") || f.Rule == "poison.jailbreak" || f.Rule == "poison.coercion")
}

// regression finds what the approved version did not have: of each place the gravest. It
// is no second thing to judge, so it has the fingerprint of what it is about.
func (d *delta) regression() {
	had := map[string]bool{}
	for _, f := range d.before {
		had[f.Rule+" "+f.Tool] = true
	}
	type place struct{ tool, pointer string }
	gravest := map[place]*Finding{}
	var order []place
	for i := range d.after {
		f := &d.after[i]
		if !guarded(f.Rule) || !regresses(f) || had[f.Rule+" "+f.Tool] || d.byName[f.Tool] == nil || d.oldNames[f.Tool] == nil {
			continue
		}
		at := place{f.Tool, f.Pointer}
		switch before := gravest[at]; {
		case before == nil:
			order = append(order, at)
			gravest[at] = f
		case f.Severity.Rank() > before.Severity.Rank():
			gravest[at] = f
		}
	}
	r := catalogue().byID[regressionRule]
	for _, at := range order {
		f := gravest[at]
		sev := Critical
		if f.Severity.Rank() < High.Rank() {
			sev = High
		}
		d.found = append(d.found, Finding{
			Rule: r.ID, Severity: sev, Fix: r.Fix, Place: f.Place, Of: f.Rule, Excerpt: excerpt(f.Excerpt),
			Message: fmt.Sprintf("The change brought in %s: %s", f.Rule, f.Message),
		})
	}
}

// copies finds a text that several tools shared, edited in some of them.
func (d *delta) copies() {
	shared := map[string][]use{}
	var order []string
	for _, v := range d.old.views {
		for _, p := range v.params {
			if !atLeastWords(p.desc, 4) {
				continue
			}
			key := p.name + "\x00" + p.desc
			if shared[key] == nil {
				order = append(order, key)
			}
			shared[key] = append(shared[key], use{v, p})
		}
	}
	for _, key := range order {
		if len(shared[key]) >= 2 {
			d.copy(shared[key])
		}
	}
}

func (d *delta) copy(all []use) {
	var edited []use
	kept := 0
	for _, u := range all {
		now := d.byName[u.v.name]
		if now == nil {
			continue
		}
		n := now.root.resolve(u.p.schema.pointer())
		switch {
		case n == nil:
		case n.text("description") == u.p.desc:
			kept++
		default:
			edited = append(edited, use{now, &param{name: u.p.name, schema: n, desc: n.text("description")}})
		}
	}
	if len(edited) == 0 || kept == 0 {
		return
	}
	u := edited[0]
	d.at(u.v, "diff.copy-out-of-step", Warn, u.p.schema.pointer(), u.p.desc, fmt.Sprintf("%d tools shared the text of %q; it was edited in %d and not in the other %d.", len(edited)+kept, short(u.p.name, 60), len(edited), kept), u.p.desc)
}

// dangling finds texts that name a tool which is gone.
func (d *delta) dangling() {
	gone := map[string]string{}
	for name := range d.oldNames {
		if d.byName[name] == nil && len(name) >= 4 && (len(nameWords(name)) > 1) {
			gone[lower(name)] = name
		}
	}
	if len(gone) == 0 {
		return
	}
	for _, v := range d.new.views {
		for _, t := range v.texts {
			if t.role != roleDescription && t.role != roleParam {
				continue
			}
			seen := map[string]bool{}
			mentionsIn(t, func(tok token) {
				if name, ok := gone[tok.w]; ok && !seen[tok.w] {
					seen[tok.w] = true
					d.at(v, "desc.dangling-ref", Warn, t.node.pointer(), t.s+name, fmt.Sprintf("The text of %q names %q, which no longer exists.", short(v.name, 80), short(name, 80)), t.sentenceAt(tok.start).Text)
				}
			})
		}
	}
	in := d.new.l.Instructions
	for _, low := range sortedKeys(gone) {
		name := gone[low]
		if in.Present && strings.Contains(lower(in.Text), low) {
			r := catalogue().byID["desc.dangling-ref"]
			d.found = append(d.found, Finding{Rule: r.ID, Severity: Warn, Fix: r.Fix, Message: fmt.Sprintf("The instructions name %q, which no longer exists.", short(name, 80)),
				Place: Place{Pointer: "/instructions", Fingerprint: fingerprint(r, "", "/instructions", in.Text+name)}})
		}
	}
}

// flow finds a change that completes the three legs of a leak.
func (d *delta) flow() {
	in, private, out := d.new.flows()
	was := func() bool { a, b, c := d.old.flows(); return completes(a, b, c) }
	if completes(in, private, out) && !was() {
		names, _ := json.Marshal(append(append(append([]string{}, in...), private...), out...))
		d.listing("flow.toxic", Warn, string(names), fmt.Sprintf("With this change one server reads what others wrote (%s), reads private data (%s) and sends (%s).", listNames(in), listNames(private), listNames(out)))
	}
}
