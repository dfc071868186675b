package surface

import (
	"fmt"
	"regexp"
	"strings"
)

// The versions of the protocol that changed what a definition may hold.
const (
	version2025March = "2025-03-26"
	version2025June  = "2025-06-18"
	version2025Nov   = "2025-11-25"
	version2026July  = "2026-07-28"
)

var versionPattern = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}$`)

// knownFields are the fields of a definition with the version that brought each.
var knownFields = map[string]string{
	"name": "", "description": "", "inputSchema": "",
	"annotations": version2025March,
	"title":       version2025June, "outputSchema": version2025June, "_meta": version2025June,
	"icons": version2025Nov, "execution": version2025Nov,
}

// formFields are the further fields of definitions that aren't in the wire form.
var formFields = map[Form]string{
	FormSnake:      " input_schema output_schema key tags enabled meta type strict defer_loading ",
	FormParameters: " type namespace parameters parametersJsonSchema parameters_json_schema strict defer_loading behavior response responseJsonSchema response_json_schema ",
	FormArguments:  " arguments ",
}

// checker looks at one definition.
type checker struct {
	*findings
	subject
	form    Form
	wire    bool   // the checks of the protocol apply
	version string // of the protocol; "" when nothing says
	steps   *int   // left for looking up references, of the whole listing
}

// referenceSteps bounds the looking up of references: a hostile listing can hold
// many that lead through long objects.
const referenceSteps = 1_000_000

// check looks at every definition, then at all names together.
func (r *reader) check() {
	version := r.listing.ProtocolVersion
	if !versionPattern.MatchString(version) {
		version = ""
	}
	steps := referenceSteps
	for i, v := range r.tools {
		t := r.listing.Tools[i]
		c := checker{
			findings: &r.found,
			subject:  subject{t.Position, t.Name},
			form:     r.form,
			wire:     r.form == FormWire && r.listing.Kind == KindListing,
			version:  version,
			steps:    &steps,
		}
		c.tool(v)
	}
	r.checkNames()
}

// tool checks one definition.
func (c *checker) tool(v value) {
	if !v.is(kindObject) {
		c.add(c.subject, v, nil, "name-missing", LevelError, "this entry is "+v.kind().String()+", not a definition. Clients that check types refuse the whole list: remove it.")
		return
	}
	c.name(v)
	c.fields(v)
	c.texts(v)
	c.description(v)
	c.annotations(v)
	c.icons(v.field("icons"))
	c.meta(v.field("_meta"))
	if v.d.odd&(nul|surrogate|wide) != 0 {
		c.oddities(v, nil)
	}
	c.schemas(v)
}

// title, icons and execution have a type, whatever the version.
func (c *checker) texts(v value) {
	for _, want := range []struct {
		name string
		kind kind
	}{{"title", kindString}, {"execution", kindObject}, {"icons", kindArray}, {"_meta", kindObject}} {
		if f := v.field(want.name); !f.null() && !f.is(want.kind) {
			c.add(c.subject, f, at(nil, want.name), "field-type", LevelError,
				fmt.Sprintf("`%s` is %s; the protocol has %s. Clients that check types refuse the tool, or the whole list.", want.name, f.kind(), want.kind))
		}
	}
}

func (c *checker) name(v value) {
	n := v.field("name")
	name := n.text()
	switch {
	case !n.present():
		c.add(c.subject, v, nil, "name-missing", LevelError, "the definition has no `name`, so nobody can call it. Add one.")
	case !n.is(kindString):
		c.add(c.subject, n, at(nil, "name"), "name-missing", LevelError, "`name` is "+n.kind().String()+", not a string. Write it as one.")
	case strings.TrimSpace(name) == "":
		c.add(c.subject, n, at(nil, "name"), "name-missing", LevelError, "`name` is blank, so nobody can call the tool. Give it one.")
	default:
		c.nameRules(n, name)
	}
}

// nameRules are those of the specification since 2025-11-25.
func (c *checker) nameRules(n value, name string) {
	if bad := outsideNameSet(name); bad != "" && c.wire {
		message := fmt.Sprintf("the name has %s, outside A-Z a-z 0-9 _ - . of the specification (since 2025-11-25). Many providers refuse the whole call.", bad)
		if strings.Contains(name, "/") {
			message += " A slash is allowed by the text of SEP-986, but not by the published specification."
		}
		c.add(c.subject, n, at(nil, "name"), "name-charset", LevelWarning, message)
	}
	if length := len([]rune(name)); length > 128 && c.wire {
		c.add(c.subject, n, at(nil, "name"), "name-length", LevelWarning,
			fmt.Sprintf("the name has %d characters. The specification stops at 128; SEP-986 and most providers stop at 64.", length))
	}
}

// outsideNameSet names the first characters of a name that are not in the
// specification's set.
func outsideNameSet(name string) string {
	var bad []string
	seen := map[rune]bool{}
	for _, r := range name {
		if r < 0x80 && (isWordByte(byte(r)) || r == '-' || r == '.') || seen[r] {
			continue
		}
		seen[r] = true
		if len(bad) < 3 {
			bad = append(bad, fmt.Sprintf("%+q", r))
		}
	}
	if more := len(seen) - len(bad); more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(bad, ", "), more)
	}
	return strings.Join(bad, ", ")
}

// fields checks which fields there are, against the version of the protocol.
func (c *checker) fields(v value) {
	for n, f := range v.members() {
		since, known := knownFields[n]
		switch {
		case !known && !strings.Contains(formFields[c.form], " "+n+" "):
			c.add(c.subject, f, at(nil, n), "field-unknown", LevelInfo,
				"`"+shorten(n)+"` is no field of the protocol. It is kept as received and compared like every other.")
		case c.version == "" || f.null():
		case c.version < since:
			c.add(c.subject, f, at(nil, n), "field-version", LevelWarning,
				fmt.Sprintf("`%s` came with %s; this listing speaks %s, so clients may ignore it.", n, since, c.version))
		case n == "execution" && c.version >= version2026July:
			c.add(c.subject, f, at(nil, n), "field-version", LevelWarning,
				"`execution` left the protocol with 2026-07-28, so clients may ignore it.")
		}
	}
}

func (c *checker) description(tool value) {
	v := tool.field("description")
	switch {
	case v.null():
		c.add(c.subject, tool, nil, "description-absent", LevelWarning, "there is no description: a model has only the name to go by. Say what the tool does and when to call it.")
	case !v.is(kindString):
		c.add(c.subject, v, at(nil, "description"), "field-type", LevelError, "`description` is "+v.kind().String()+", not text. Clients that check types refuse the tool, or the whole list.")
	case strings.TrimSpace(v.text()) == "":
		c.add(c.subject, v, at(nil, "description"), "description-absent", LevelWarning, "the description is blank: a model has only the name to go by. Say what the tool does and when to call it.")
	}
}

// annotations checks the hints: their types, and whether they say anything.
func (c *checker) annotations(tool value) {
	a := tool.field("annotations")
	if a.null() {
		return
	}
	p := at(nil, "annotations")
	if !a.is(kindObject) {
		c.add(c.subject, a, p, "annotation-type", LevelError, "`annotations` is "+a.kind().String()+", not an object.")
		return
	}
	for n, v := range a.members() {
		c.annotation(n, v, at(p, n))
	}
	if a.field("readOnlyHint").isTrue() {
		for _, n := range []string{"destructiveHint", "idempotentHint"} {
			if v := a.field(n); v.is(kindBool) {
				c.add(c.subject, v, at(p, n), "hint-without-effect", LevelWarning,
					"`"+n+"` means nothing beside `readOnlyHint: true`. Remove one of them, so that no reader guesses which is meant.")
			}
		}
	}
	title, other := tool.field("title"), a.field("title")
	if title.is(kindString) && other.is(kindString) && title.text() != other.text() {
		c.add(c.subject, other, at(p, "title"), "title-conflict", LevelWarning, "`title` and `annotations.title` differ. Clients show the first; older ones know only the second.")
	}
}

func (c *checker) annotation(n string, v value, p *path) {
	standard, isHint := hintDefaults[n]
	switch {
	case v.null():
	case n == "title" && !v.is(kindString):
		c.add(c.subject, v, p, "annotation-type", LevelError, "`annotations.title` is "+v.kind().String()+", not text.")
	case n == "title":
	case !isHint:
		c.add(c.subject, v, p, "field-unknown", LevelInfo, "`"+shorten(n)+"` is no annotation of the protocol. It is kept as received and compared like every other.")
	case !v.is(kindBool):
		c.add(c.subject, v, p, "annotation-type", LevelError, fmt.Sprintf("`%s` is %s, not true or false: clients may take it for the default (%t), or refuse the tool.", n, v.kind(), standard))
	case v.isTrue() == standard:
		c.add(c.subject, v, p, "default-hint", LevelInfo, fmt.Sprintf("`%s` is written out at its default (%t).", n, standard))
	}
}

// icons may only be fetched from https or come along as data.
func (c *checker) icons(v value) {
	for i, icon := range v.elements() {
		src := icon.field("src")
		lower := strings.ToLower(src.text())
		if strings.HasPrefix(lower, "https://") || strings.HasPrefix(lower, "data:") {
			continue
		}
		place, where := icon, nth(at(nil, "icons"), i)
		if src.present() {
			place, where = src, at(where, "src")
		}
		c.add(c.subject, place, where, "icon-scheme", LevelError,
			"an icon must be an https: address or a data: URI; clients refuse any other.")
	}
}

// meta points out keys under a prefix that the protocol keeps for itself.
func (c *checker) meta(v value) {
	for n, m := range v.members() {
		prefix, _, found := strings.Cut(n, "/")
		labels := strings.Split(prefix, ".")
		if found && len(labels) > 1 && (labels[1] == "modelcontextprotocol" || labels[1] == "mcp") {
			c.add(c.subject, m, at(at(nil, "_meta"), n), "meta-reserved", LevelInfo, "`"+shorten(n)+"` stands under a prefix that the protocol keeps for itself.")
		}
	}
}

// oddities looks through a whole definition for text that no column can store and
// for numbers that programs round.
func (c *checker) oddities(v value, p *path) {
	switch v.kind() {
	case kindObject:
		for i, end := v.i+1, v.node().next; i < end; i = v.d.nodes[i+1].next {
			name := value{v.d, i}
			below := at(p, name.text())
			c.unstorable(c.subject, name, below)
			c.oddities(value{v.d, i + 1}, below)
		}
	case kindArray:
		for i, e := range v.elements() {
			c.oddities(e, nth(p, i))
		}
	case kindString:
		c.unstorable(c.subject, v, p)
	case kindNumber:
		if v.node().flags&wide != 0 && !exactInDouble(v.raw()) {
			c.add(c.subject, v, p, "number-precision", LevelWarning,
				"this number is more than a double can hold (beyond 2^53, or with more digits): many programs will round it. It is kept and compared as written.")
		}
	}
}

// checkNames looks for names that stand twice, exactly or but for case.
func (r *reader) checkNames() {
	exact := map[string]int{}
	folded := map[string]int{}
	for i, t := range r.listing.Tools {
		if t.Name == "" {
			continue
		}
		s := subject{t.Position, t.Name}
		n := r.tools[i].field("name")
		key := t.Name
		if r.listing.Kind == KindCapture {
			key += "\x00" + r.tools[i].field("namespace").text()
		}
		low := strings.ToLower(key)
		if first, twice := exact[key]; twice {
			message := fmt.Sprintf("tool %d has the same name: which of them a client calls is open. Both are kept, by position. Rename or remove one.", first)
			if r.listing.Shape == ShapeFolder {
				message = fmt.Sprintf("tool %d has the same name. If they are variants of one tool, say which configuration each belongs to and push them as profiles.", first)
			}
			r.found.add(s, n, at(nil, "name"), "name-duplicate", LevelError, message)
		} else if first, twin := folded[low]; twin {
			r.found.add(s, n, at(nil, "name"), "name-case-twin", LevelWarning,
				fmt.Sprintf("the name differs from that of tool %d only in upper and lower case. Models and some clients mix them up.", first))
		}
		if _, there := exact[key]; !there {
			exact[key] = t.Position
		}
		if _, there := folded[low]; !there {
			folded[low] = t.Position
		}
	}
}
