package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/countersign/countersign/review/surface"
)

// house is a listing while the rules run that look at tools side by side.
type house struct {
	l        *surface.Listing
	ctx      Context
	views    []*view
	families surface.Families
	family   map[int]*surface.Family // by position
	names    map[string]bool         // tools of this server
	found    []Finding
}

func newHouse(l *surface.Listing, ctx Context) *house {
	h := &house{l: l, ctx: ctx, names: map[string]bool{}, family: map[int]*surface.Family{}}
	for _, t := range l.Tools {
		h.views = append(h.views, newView(t))
		h.names[t.Name] = true
	}
	for _, s := range ctx.Siblings {
		h.names[s] = true
	}
	h.families = surface.NewFamilies(l.Names())
	for i := range h.families.Families {
		for _, p := range h.families.Families[i].Positions {
			h.family[p] = &h.families.Families[i]
		}
	}
	return h
}

func (h *house) run() []Finding {
	h.instructions()
	h.nameTwins()
	h.duplicates()
	h.hints()
	h.outputs()
	h.order()
	h.failures()
	h.parameters()
	h.references()
	h.crossServer()
	h.toxicFlow()
	return h.found
}

// add reports a finding about the listing; value is what the fingerprint binds.
func (h *house) add(rule string, sev Severity, pointer, value, message string) *Finding {
	r := catalogue().byID[rule]
	h.found = append(h.found, Finding{
		Rule: rule, Severity: sev, Message: message, Fix: r.Fix, Excerpt: excerpt(value),
		Place: Place{Pointer: pointer, Fingerprint: fingerprint(r, "", pointer, value)},
	})
	return &h.found[len(h.found)-1]
}

// at reports a finding about one tool that only shows beside the others.
func (h *house) at(v *view, rule string, sev Severity, n *node, message string) *Finding {
	kept := v.findings
	v.findings = nil
	h.found = append(h.found, *v.found(rule, sev, n, message))
	v.findings = kept
	return &h.found[len(h.found)-1]
}

// instructions reads the server's instructions with the rules that read any text.
func (h *house) instructions() {
	if !h.l.Instructions.Present || h.l.Instructions.Text == "" {
		return
	}
	holder := parse(surface.EncodeString(h.l.Instructions.Text))
	v := &view{root: holder}
	v.texts = []*text{{node: holder, role: roleInstruction, s: holder.str}}
	v.unicodeRules()
	v.textRules()
	v.secretRules()
	worst := Severity("")
	for _, f := range v.findings {
		f.Pointer = "/instructions"
		f.Fingerprint = fingerprint(catalogue().byID[f.Rule], "", f.Pointer, holder.str)
		h.found = append(h.found, f)
		if f.Severity.Rank() > worst.Rank() {
			worst = f.Severity
		}
	}
	if worst.Rank() >= High.Rank() {
		h.add("surface.instructions", High, "/instructions", holder.str, "The server's instructions stand before every conversation, and the rules found something grave in them.")
	}
}

// nameTwins finds names that clients can't tell apart.
func (h *house) nameTwins() {
	seen, folded := map[string]*view{}, map[string]*view{}
	for _, v := range h.views {
		if v.name == "" {
			continue
		}
		low := lower(v.name)
		switch {
		case seen[v.name] != nil:
			h.at(v, "tool.duplicate-name", Critical, v.nameNode(), fmt.Sprintf("Two tools are named %q: which one a call reaches is chance.", short(v.name, 80)))
		case folded[low] != nil:
			h.at(v, "tool.duplicate-name", Warn, v.nameNode(), fmt.Sprintf("%q and %q differ only in case, and some hosts fold it.", short(folded[low].name, 80), short(v.name, 80)))
		}
		seen[v.name], folded[low] = v, v
	}
}

// maxBucket bounds how many tools of one kind are compared with each other.
const maxBucket = 24

// duplicates finds tools that a model can't choose between.
func (h *house) duplicates() {
	byText := map[string]*view{}
	for _, v := range h.views {
		key := wordsKey(v.desc)
		if len(key) < 4 {
			continue
		}
		if first := byText[key]; first != nil && first.name != v.name {
			h.at(v, "desc.duplicate", High, v.descNode(), fmt.Sprintf("%q has the same description as %q: nothing tells a model which one to call.", short(v.name, 80), short(first.name, 80)))
			continue
		}
		byText[key] = v
	}
	buckets := map[string][]*view{}
	var order []string
	for _, v := range h.views {
		for _, key := range bucketKeys(v) {
			if buckets[key] == nil {
				order = append(order, key)
			}
			buckets[key] = append(buckets[key], v)
		}
	}
	said := map[[2]string]bool{}
	for _, key := range order {
		b := buckets[key]
		for i := 0; i < len(b) && i < maxBucket; i++ {
			for j := i + 1; j < len(b) && j < maxBucket; j++ {
				h.pair(b[i], b[j], said)
			}
		}
	}
}

// wordsKey is the words of a text, which works on nil.
func wordsKey(t *text) string {
	var b strings.Builder
	for i, tok := range t.tokensOrNone() {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(tok.w)
	}
	return b.String()
}

// bucketKeys are what similar tools share: the object in their names, and what their
// first sentences act on.
func bucketKeys(v *view) []string {
	var object []string
	for _, w := range v.words {
		if _, verb := verbOf(w); verb == "" && !stages[w] {
			object = append(object, stem(w))
		}
	}
	slices.Sort(object)
	keys := []string{"name " + strings.Join(object, " ")}
	if v.desc != nil {
		said := contentWords(v.desc.lead().Text)
		if len(said) >= 4 {
			said = said[1:]
			slices.Sort(said)
			keys = append(keys, "text "+strings.Join(said, " "))
		}
	}
	return keys
}

// stages are words of tools that show a change, or make it.
var (
	stages   = setOf("preview dry simulate validate apply commit execute confirm deploy estimate")
	shows    = setOf("preview dry simulate validate estimate draft")
	makes    = setOf("apply commit execute confirm deploy run merge")
	synonyms = []set{setOf("search find lookup query look"), setOf("get fetch read retrieve show"), setOf("create add new insert register"), setOf("delete remove destroy erase"), setOf("update edit modify change patch set"), setOf("send post publish")}
)

func sameKind(a, b string) bool {
	if a == b {
		return true
	}
	for _, s := range synonyms {
		if s[a] && s[b] {
			return true
		}
	}
	return false
}

// pair judges two tools that act on the same thing.
func (h *house) pair(a, b *view, said map[[2]string]bool) {
	k := [2]string{a.name, b.name}
	if a.name == b.name || said[k] || a.desc == nil || b.desc == nil {
		return
	}
	h.buried(a, b, k, said)
	h.buried(b, a, k, said)
	if said[k] || namesEach(a, b) || !sameKind(a.head, b.head) || a.head == "" {
		return
	}
	if toldApart(a, b) || toldApart(b, a) {
		return
	}
	sim := similarity(a.description(), b.description())
	synonymNames := sameObject(a, b) && a.head != b.head
	if sim < 0.75 && !(synonymNames && sim >= 0.5) || a.description() == b.description() || sim >= 0.75 && !synonymNames && differentParams(a, b) {
		return
	}
	said[k] = true
	h.at(b, "tool.near-duplicate", Warn, b.descNode(), fmt.Sprintf("%q and %q read alike, and neither text says when to take which.", short(a.name, 80), short(b.name, 80)))
}

// toldApart reports whether a has a word in its name, no verb, that b lacks and that its
// text takes up.
func toldApart(a, b *view) bool {
	for _, w := range a.words {
		if !slices.Contains(b.words, w) && !sameKind(w, b.head) && strings.Contains(a.description(), stem(w)) && w != a.head {
			return true
		}
	}
	return false
}

// sameObject reports whether two names differ in the verb alone.
func sameObject(a, b *view) bool {
	return bucketKeys(a)[0] == bucketKeys(b)[0] && bucketKeys(a)[0] != "name "
}

// differentParams reports whether the arguments tell two tools apart.
func differentParams(a, b *view) bool {
	names := func(v *view) string {
		var out []string
		for _, p := range v.params {
			if p.depth == 0 && p.required {
				out = append(out, p.name)
			}
		}
		slices.Sort(out)
		return strings.Join(out, " ")
	}
	return names(a) != names(b)
}

// namesEach reports whether one text names the other tool.
func namesEach(a, b *view) bool {
	return strings.Contains(a.description(), lower(b.name)) || strings.Contains(b.description(), lower(a.name))
}

// similarity is the share of content words that two texts have in common.
func similarity(a, b string) float64 {
	x, y := map[string]bool{}, map[string]bool{}
	for _, w := range contentWords(short(a, 2000)) {
		x[w] = true
	}
	for _, w := range contentWords(short(b, 2000)) {
		y[w] = true
	}
	if len(x) == 0 || len(y) == 0 {
		return 0
	}
	both := 0
	for w := range x {
		if y[w] {
			both++
		}
	}
	return float64(both) / float64(len(x)+len(y)-both)
}

// distinctions are words that tell showing from doing.
var distinctions = []string{"without changing", "changes nothing", "does not change", "read-only", "commits the", "commit the", "applies the", "irreversibl", "permanent", "cannot be undone", "reversibl", "makes the change", "no changes are", "mutat", "this commits", "takes effect", "writes to"}

// early is how far into a text a reader who chooses looks.
const early = 160

// buried finds the word that separates a preview from its deed, said late.
func (h *house) buried(a, b *view, k [2]string, said map[[2]string]bool) {
	if !shows.any(a.words) || !makes.any(b.words) && b.effect != writes && b.effect != destroys || shows.any(b.words) || !sameObject(a, b) {
		return
	}
	for _, v := range []*view{a, b} {
		s := v.description()
		first := len(s)
		for _, d := range distinctions {
			if i := strings.Index(s, d); i >= 0 {
				first = min(first, i)
			}
		}
		if first == len(s) {
			continue
		}
		lead := v.desc.lead().End
		if first > max(lead, early) || first > lead && first > early/2 {
			said[k] = true
			h.at(v, "desc.buried-distinction", Warn, v.descNode(), fmt.Sprintf("What separates %q from its sibling stands after %d characters; a model that chooses reads the beginning.", short(v.name, 80), first))
		}
	}
}

// hints looks at the annotations of all tools: none at all, or one stamp on every tool.
func (h *house) hints() {
	bare, stamped := []string{}, map[string][]*view{}
	annotated := 0
	for _, v := range h.views {
		if !v.annotated() {
			bare = append(bare, v.name)
			continue
		}
		annotated++
		stamp := ""
		for _, name := range hintNames {
			value, set := v.hint(name)
			stamp += fmt.Sprint(value, set, ";")
		}
		stamped[stamp] = append(stamped[stamp], v)
	}
	if len(bare) > 0 {
		h.add("annot.missing", Info, "", strings.Join(bare, " "), fmt.Sprintf("%s no hints, so hosts assume the worst: that they destroy, and reach the open world. (%s)", have(len(bare)), listNames(bare)))
	}
	if annotated < 3 || len(stamped) != 1 {
		return
	}
	for _, all := range stamped {
		if readers, writers := split(all); len(readers) > 0 && len(writers) > 0 {
			h.add("annot.uniform", Warn, "", strings.Join(h.l.Names(), " "), fmt.Sprintf("All %d tools carry the same hints, readers (%s) and writers (%s) alike: they say nothing.", len(all), listNames(readers), listNames(writers)))
		}
	}
}

func have(n int) string {
	if n == 1 {
		return "1 tool has"
	}
	return fmt.Sprintf("%d tools have", n)
}

func split(all []*view) (readers, writers []string) {
	for _, v := range all {
		switch v.effect {
		case reads:
			readers = append(readers, v.name)
		case writes, destroys:
			writers = append(writers, v.name)
		}
	}
	return readers, writers
}

func listNames(names []string) string {
	more := ""
	if len(names) > namedInMessage {
		names, more = names[:namedInMessage], " and more"
	}
	return short(strings.Join(names, ", "), 200) + more
}

// outputs looks at output schemas: who has one, and whether it covers the errors that
// the text promises.
func (h *house) outputs() {
	var without []string
	with := 0
	for _, v := range h.views {
		if v.output == nil {
			without = append(without, v.name)
			continue
		}
		with++
		if declaresErrors(v) && !hasAny(string(v.output.raw), "error") {
			h.at(v, "schema.output-hides-error", Info, v.output, fmt.Sprintf("The text of %q promises errors as values, and the output schema has no place for them.", short(v.name, 80)))
		}
	}
	if len(without) > 0 && (len(h.views) >= 2 || with > 0) {
		h.add("schema.no-output", Info, "", strings.Join(without, " "), fmt.Sprintf("%s no output schema: the shape of a result is what the text says, or a guess. (%s)", have(len(without)), listNames(without)))
	}
}

// order looks at names as a list: families, conventions, numbers.
func (h *house) order() {
	f, n := h.families, len(h.views)
	for _, o := range f.Outliers {
		v := h.views[o.Position-1]
		switch o.Cost {
		case surface.Expensive:
			sev := Info
			if h.familySize(o.RelatedFamily) >= 2 {
				sev = Warn
			}
			h.at(v, "surface.family-outlier", sev, v.nameNode(), fmt.Sprintf("%q stands apart from the family %q, where it is looked for.", short(v.name, 80), short(o.RelatedFamily, 80)))
		case surface.Unsortable:
			h.at(v, "surface.no-namespace", Info, v.nameNode(), fmt.Sprintf("%q belongs to no family, and its name says nothing to sort it by.", short(v.name, 80)))
		}
	}
	h.conventions()
	var parts []string
	for _, s := range f.Scattered {
		parts = append(parts, fmt.Sprintf("%s at %s", s.Family, positions(s.Positions)))
	}
	if len(parts) > 0 && n >= 6 {
		h.add("surface.scattered-family", Info, "", strings.Join(h.l.Names(), " "), "Families do not stand together in the list: "+short(strings.Join(parts, "; "), 300)+".")
	}
	if n > 25 {
		sev := Info
		if grouped := h.groupedShare(); n > 40 && grouped < 0.8 {
			sev = Warn
		}
		h.add("surface.too-many-tools", sev, "", fmt.Sprint(n), fmt.Sprintf("%d tools in %d families: a model reads all of them before every answer.", n, len(f.Families)))
	}
	if h.ctx.Server != "" && n >= 3 && f.HousePrefix != nil && lower(*f.HousePrefix) == lower(h.ctx.Server) {
		h.add("surface.redundant-prefix", Info, "", strings.Join(h.l.Names(), " "), fmt.Sprintf("Every name starts with the server's own, %q, which hosts put in front once more.", short(h.ctx.Server, 60)))
	}
}

func positions(p []int) string {
	var out []string
	for i, n := range p {
		if i == 6 {
			out = append(out, "…")
			break
		}
		out = append(out, fmt.Sprint(n))
	}
	return strings.Join(out, ", ")
}

func (h *house) familySize(name string) int {
	for _, f := range h.families.Families {
		if f.Name == name {
			return len(f.Tools)
		}
	}
	return 0
}

// groupedShare is the share of tools that stand in a family or with an object of two or
// more.
func (h *house) groupedShare() float64 {
	if len(h.views) == 0 {
		return 1
	}
	in := map[int]bool{}
	for _, f := range h.families.Families {
		if len(f.Tools) >= 2 {
			for _, p := range f.Positions {
				in[p] = true
			}
		}
	}
	return float64(len(in)) / float64(len(h.views))
}

// mixedTools is how many names it takes to speak of a convention.
const mixedTools = 8

// conventions finds two ways to write names in one list.
func (h *house) conventions() {
	styles := map[string][]string{}
	for _, v := range h.views {
		if s := style(v.name); s != "" {
			styles[s] = append(styles[s], v.name)
		}
	}
	n := len(h.views)
	var mixed []string
	for _, s := range []string{"snake_case", "camelCase", "kebab-case", "dotted"} {
		if len(styles[s]) > 0 {
			mixed = append(mixed, fmt.Sprintf("%d in %s (%s)", len(styles[s]), s, short(styles[s][0], 40)))
		}
	}
	second := 0
	most := 0
	for _, names := range styles {
		switch {
		case len(names) > most:
			second, most = most, len(names)
		case len(names) > second:
			second = len(names)
		}
	}
	switch {
	case n >= 4 && len(mixed) > 1 && second*5 >= n:
		h.add("surface.convention-mixed", Warn, "", strings.Join(h.l.Names(), " "), "Names are written in several ways: "+strings.Join(mixed, ", ")+".")
	case n >= 4 && len(mixed) > 1:
		h.add("surface.convention-mixed", Info, "", strings.Join(h.l.Names(), " "), "Names are written in several ways: "+strings.Join(mixed, ", ")+".")
	case n >= mixedTools && h.families.Convention == surface.Mixed:
		verbs := 0
		for _, v := range h.views {
			if len(v.words) > 1 && verbEffects[v.words[0]] != unclear {
				verbs++
			}
		}
		if verbs*5 >= n && verbs*5 <= 4*n {
			h.add("surface.convention-mixed", Warn, "", strings.Join(h.l.Names(), " "), fmt.Sprintf("%d of %d names start with a verb, the others with what they act on: the list does not sort.", verbs, n))
		}
	}
}

func style(name string) string {
	switch {
	case strings.Contains(name, "_"):
		return "snake_case"
	case strings.Contains(name, "-"):
		return "kebab-case"
	case strings.Contains(name, "."):
		return "dotted"
	case len(nameWords(name)) > 1:
		return "camelCase"
	}
	return ""
}
