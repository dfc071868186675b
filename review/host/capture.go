package host

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/countersign/countersign/review/surface"
)

// Pair is a tool of a capture, held against the listing and against the prediction
// of the profile.
type Pair struct {
	Listed   string // name in the listing; "" for a tool that the listing lacks
	Position int    // in the listing, from 1; 0 for a tool that it lacks
	Sent     string // name in the capture, with its namespace
	Lost     []Loss
	AsMeant  bool // what was captured is what the profile predicts

	Definition []byte // as captured: the fields that a capture keeps, nothing else

	Meant *Sent // what the profile predicts, where that is something else; nil also when it predicts that nothing is sent
	Got   *Sent // what was captured, where the profile predicts something else
}

// Comparison holds a capture against what was listed at that time.
type Comparison struct {
	Host    string
	Variant string        // the configuration of the host that it is compared with
	Server  string        // how the host calls the server; "" of those that were kept before it was
	Shape   surface.Shape // of the request
	Tools   []Pair
	Absent  []Loss // tools of the listing that the capture lacks, and why if the profile knows
	Added   []Pair // tools that look like this server's, and that the listing lacks
	Foreign int    // tools of other servers and of the host itself: counted, never named
	Doubt   bool   // the profile predicts something else: it may be about another version
	Silent  string // where no tool of the listing is in the request: the configuration that would send none, "" for none
}

// Elsewhere reports whether the capture holds nothing of the listing although the
// host sends its tools: it is of another server, or the server has another name there.
func (c *Comparison) Elsewhere() bool { return len(c.Tools) == 0 && len(c.Absent) > 0 && c.Doubt }

// Doubtful reports whether the profile is in doubt: a request without anything of the
// listing says nothing of it.
func (c *Comparison) Doubtful() bool { return c.Doubt && !c.Elsewhere() }

// Capture writes the tools of this server as a capture that can be read again. Those
// of others are a number in it, as they were in the request.
func (c *Comparison) Capture() []byte {
	defs := make([][]byte, 0, len(c.Tools))
	for _, t := range c.Tools {
		defs = append(defs, t.Definition)
	}
	return surface.WriteCapture(c.Shape, defs, c.Foreign)
}

// Compare maps the names in a capture back and says what each tool lost. The
// capture is what [surface.Read] keeps of a provider request. Nothing of a tool
// that can't be this server's is repeated.
func Compare(p *Profile, capture *surface.Listing, m Mounted) (*Comparison, error) {
	if capture.Kind != surface.KindCapture {
		return nil, errNoCapture(capture)
	}
	s := NewSurface([]Mounted{m})
	k := &comparer{
		out:  &Comparison{Host: p.ID, Variant: p.variant, Server: m.Name, Shape: capture.Shape, Foreign: foreignOf(capture)},
		p:    p,
		r:    s.run(p),
		sent: map[string][]int{}, used: map[int]bool{}, items: map[*tool]*item{}, why: map[int]Loss{}, tools: capture.Tools,
	}
	for _, it := range k.r.items {
		k.items[it.tool] = it
	}
	for _, l := range k.r.out.Lost {
		if l.Gone {
			k.why[l.Position] = l
		}
	}
	if label := labelOf(capture); label == "" || label == m.Name {
		for i, t := range capture.Tools {
			name := capturedName(t)
			k.sent[name] = append(k.sent[name], i)
		}
	}
	k.pairAll(s.servers[0].tools)
	k.rest()
	return k.out, nil
}

// CompareKnown is Compare with the configuration of the host that predicts all of a
// capture: the one that the profile stands for, or else another that is known. Where none
// does, it is the comparison with the profile's. Variant says which it was. A request to
// an API that the host is not known to talk to says nothing of its profile: an error.
func CompareKnown(p *Profile, capture *surface.Listing, m Mounted) (*Comparison, error) {
	c, err := Compare(p, capture, m)
	if err != nil || !c.Doubt {
		return c, err
	}
	known := p.configurations()
	for _, other := range known {
		o, err := Compare(other, capture, m)
		switch {
		case err != nil || o.Doubt:
		case len(o.Tools) > 0:
			return o, nil
		case c.Silent == "":
			// That no tool is in a request proves no configuration: it may be of another server.
			c.Silent = o.Variant
		}
	}
	if !slices.ContainsFunc(append(known, p), func(v *Profile) bool { return v.wire() == capture.Shape }) {
		return nil, fmt.Errorf("%w: it is %s, where %s sends %s. Name the host that sent it, or none to have it recognised", ErrOtherForm, capture.Shape, p.Name, p.wire())
	}
	return c, nil
}

// Recognise finds the profile, and the configuration of it, that predicts most of a
// capture: the one whose tools are in it as predicted, else under their names. The
// error says that none does.
func Recognise(capture *surface.Listing, m Mounted) (*Profile, error) {
	if capture.Kind != surface.KindCapture {
		return nil, errNoCapture(capture)
	}
	var best *Profile
	most := 0
	for _, p := range Profiles() {
		if p.IsProvider() {
			continue
		}
		for _, v := range p.configurations() {
			if v.wire() != capture.Shape {
				continue
			}
			if n := score(v, capture, m); n > most {
				best, most = v, n
			}
		}
	}
	if best == nil {
		return nil, ErrUnrecognised
	}
	return best, nil
}

// ErrUnrecognised says that no known host sends anything of a server like a capture
// does: it may be of another server, or of a host that nobody knows.
var ErrUnrecognised = errors.New("no known host sends this server's tools like that: name the host, and check that capture, listing and server's name belong together")

// ErrOtherForm says that a host is not known to send requests in the form of a capture, so
// that its profile predicts nothing of it.
var ErrOtherForm = errors.New("the request is in another form than the host is known to send")

func errNoCapture(l *surface.Listing) error {
	return fmt.Errorf("the capture is a %s, not a request to a provider", l.Kind)
}

// score counts the tools that a profile finds in a capture, ten times those that it
// would send under that name, and a thousand times those that are there as it
// predicts.
func score(p *Profile, capture *surface.Listing, m Mounted) int {
	c, err := Compare(p, capture, m)
	if err != nil {
		return 0
	}
	n := 0
	for _, pair := range c.Tools {
		n++
		switch {
		case pair.AsMeant:
			n += 1000
		case pair.Meant != nil && pair.Meant.Name == pair.Sent:
			n += 10 // it would send the tool, and says otherwise what it is
		}
	}
	if n == 0 {
		return 0
	}
	if p.hasStrict() == hasField(capture, "strict") {
		n += 500 // two hosts may differ in this one field only
	}
	for _, l := range c.Absent {
		if l.What == NotSent && l.Rule == "" {
			n-- // it would send that one too
		}
	}
	return max(n, 1)
}

// hasStrict reports whether the host says with every tool how strict it is.
func (p *Profile) hasStrict() bool {
	return p.entry.has("strict") || p.entry.get("function").has("strict")
}

func hasField(capture *surface.Listing, name string) bool {
	for _, t := range capture.Tools {
		if _, ok := t.Field(name); ok {
			return true
		}
	}
	return false
}

// configurations are the profiles of all configurations of a host, its own mode first:
// where two predict alike, it is meant.
func (p *Profile) configurations() []*Profile {
	own, err := Lookup(p.ID)
	if err != nil {
		return []*Profile{p}
	}
	all := []*Profile{own}
	for _, name := range own.Variants() {
		if v, err := own.As(name); err == nil && name != own.Mode {
			all = append(all, v)
		}
	}
	return all
}

// wire tells by the form of an entry which API a host talks to, where the profile does
// not say it.
func (p *Profile) wire() surface.Shape {
	switch {
	case p.Wire != "":
		return surface.Shape(p.Wire)
	case p.entry.has("input_schema"):
		return surface.ShapeAnthropic
	case p.entry.has("function"):
		return surface.ShapeOpenAIChat
	case p.entry.has("type"):
		return surface.ShapeOpenAIResponses
	}
	return surface.ShapeGemini
}

type comparer struct {
	out   *Comparison
	p     *Profile
	r     *renderer
	items map[*tool]*item
	tools []surface.Tool
	sent  map[string][]int // places in tools of those of a name that are not paired yet
	used  map[int]bool     // by place in tools
	why   map[int]Loss     // why a tool is not sent, by position
}

// capturedName is the name of a captured tool, with the namespace that it stood in.
func capturedName(t surface.Tool) string {
	for n, v := range t.Fields() {
		if n == "namespace" {
			if s, ok := surface.DecodeString(v); ok && s != "" {
				return s + "__" + t.Name
			}
		}
	}
	return t.Name
}

// Known is what a reader of a provider request has to know of the server whose tools
// are looked for in it.
func (m Mounted) Known() *surface.Known {
	k := &surface.Known{Label: m.Name}
	for _, t := range m.Tools {
		k.Tools = append(k.Tools, t.Name)
	}
	return k
}

// labelOf reads how the request itself calls the server that its tools are of; "" when
// it does not say so.
func labelOf(capture *surface.Listing) string {
	n, err := parseNode(capture.Raw)
	if err != nil {
		return ""
	}
	return n.get("countersign").get("server").string()
}

// foreignOf reads how many tools were dropped when the capture was read.
func foreignOf(capture *surface.Listing) int {
	n, err := parseNode(capture.Raw)
	if err != nil {
		return 0
	}
	if v := n.get("countersign").get("foreign"); v.is('0') {
		return int(parseDouble(v.bytes()))
	}
	return 0
}

// pairAll finds the captured tool that each listed one became. What the profile sends
// is looked for under its name first, in the order in which it sends it: names that
// became one are given as the profile's own rule gives them. What is left then is
// looked for under any name that the host might have given it.
func (k *comparer) pairAll(listed []*tool) {
	got := map[*tool]int{}
	take := func(it *item, names ...string) {
		if _, done := got[it.tool]; done {
			return
		}
		if at, ok := k.take(it, names); ok {
			got[it.tool] = at
		}
	}
	for _, it := range k.r.sent() {
		take(it, it.fullName())
	}
	for _, it := range k.r.sent() {
		take(it, k.otherNames(it)...)
	}
	for _, t := range listed {
		it := k.itemOf(t)
		if it.gone {
			take(it, k.otherNames(it)...)
		}
		if at, ok := got[t]; ok {
			k.out.Tools = append(k.out.Tools, k.compare(it, k.tools[at], capturedName(k.tools[at])))
		} else {
			k.absent(it)
		}
	}
}

// take takes a captured tool of the first name that is there. Of several it is the one
// that is as predicted: a host that sends twins may send them in any order.
func (k *comparer) take(it *item, names []string) (at int, ok bool) {
	for _, name := range names {
		places := k.sent[name]
		if len(places) == 0 {
			continue
		}
		i := 0
		if twins := places[:min(len(places), mostTwins)]; len(twins) > 1 {
			i = max(0, slices.IndexFunc(twins, func(at int) bool { return it.asSeen(k.tools[at], schemaSent(k.tools[at])) }))
		}
		at = places[i]
		k.sent[name] = slices.Delete(places, i, i+1)
		k.used[at] = true
		return at, true
	}
	return 0, false
}

// mostTwins bounds how many tools of one name are looked at for the one that is meant.
const mostTwins = 16

// asSeen reports whether text and schema of a captured tool are those of an item.
func (it *item) asSeen(got surface.Tool, schema *node) bool {
	text, has := got.Description()
	return text == it.description && has == it.hasDescription && it.schema.same(schema)
}

func (k *comparer) itemOf(t *tool) *item {
	if it := k.items[t]; it != nil {
		return it
	}
	return &item{p: k.p, tool: t, gone: true}
}

// otherNames are the names under which a tool may have been sent although the profile
// does not say so, likeliest first.
func (k *comparer) otherNames(it *item) []string {
	j := k.p.Names.join(it.tool)
	if it.name == "" {
		return []string{j.clean, j.raw}
	}
	return []string{it.fullName(), j.clean, j.raw}
}

// compare says what one tool lost on its way into the capture.
func (k *comparer) compare(it *item, got surface.Tool, name string) Pair {
	pair := Pair{Listed: it.tool.name, Position: it.tool.position, Sent: name, AsMeant: !it.gone && it.fullName() == name, Definition: got.Raw}
	r := &renderer{p: k.p, s: k.r.s, out: &Rendering{}}
	if plain := k.p.Names.fill(it.tool.server.name, it.tool.name); plain != name {
		r.lose(it.tool, "/name", Renamed, "The model saw %s instead of %s.", clip(name), clip(plain))
	}
	seen := *it
	text, has := got.Description()
	seen.description, seen.hasDescription = text, has
	seen.schema = schemaSent(got)
	same := it.asSeen(got, seen.schema)
	k.truncated(r, &seen)
	d := &differ{r: r, it: &seen}
	d.description()
	d.schema(it.tool.exact.get("inputSchema"), seen.schema, schemaPath())
	if !it.gone && !same {
		d.unforeseen(it, &seen)
	}
	pair.Lost = r.out.Lost
	if pair.AsMeant = pair.AsMeant && same; !pair.AsMeant {
		pair.Meant, pair.Got = k.bothSides(it, got, name)
		k.out.Doubt = true
	}
	return pair
}

// unforeseen says where a captured tool is not what the profile predicts, where what it
// lost of the listing doesn't say so: what the host put in, and what it sends otherwise.
func (d *differ) unforeseen(meant, seen *item) {
	if meant.description != seen.description || meant.hasDescription != seen.hasDescription {
		d.otherwise("/description", "%s sends another text than its profile says.")
	}
	d.unforeseenIn(meant.schema, seen.schema, schemaPath())
}

func (d *differ) unforeseenIn(meant, got *node, at path) {
	switch {
	case d.full() || meant.same(got):
	case meant == nil:
		d.otherwise(at.String(), "%s put it in, which its profile does not say.")
	case got == nil:
		d.otherwise(at.String(), "%s leaves it out, which its profile does not say.")
	case meant.is('{') && got.is('{'):
		d.unforeseenOf(meant, got, at)
	case meant.is('[') && got.is('[') && len(meant.elems) == len(got.elems):
		for i, e := range meant.elems {
			d.unforeseenIn(e, got.elems[i], at.to(strconv.Itoa(i)))
		}
	default:
		d.otherwise(at.String(), "%s sends another value than its profile says.")
	}
}

// unforeseenOf compares the members of two objects, of which one is not as the other.
func (d *differ) unforeseenOf(meant, got *node, at path) {
	equal := len(meant.members) == len(got.members)
	for _, m := range meant.members {
		v := got.get(m.name)
		equal = equal && m.value.same(v)
		d.unforeseenIn(m.value, v, at.to(m.name))
	}
	for _, m := range got.members {
		if !meant.has(m.name) {
			d.unforeseenIn(nil, m.value, at.to(m.name))
		}
	}
	if equal {
		d.otherwise(at.String(), "%s gives its keys in another order than its profile says.")
	}
}

// otherwise records a difference between capture and prediction at a place of which
// nothing was said yet.
func (d *differ) otherwise(pointer, says string) {
	if !slices.ContainsFunc(d.r.out.Lost, func(l Loss) bool { return l.Pointer == pointer }) {
		d.lose(pointer, Rewritten, says, d.r.p.Name)
	}
}

// bothSides are the prediction and the capture of one tool.
func (k *comparer) bothSides(it *item, got surface.Tool, name string) (meant, seen *Sent) {
	if !it.gone {
		s := it.sentAs()
		meant = &s
		meant.Name, meant.Group = it.fullName(), ""
	}
	text, _ := got.Description()
	seen = &Sent{Server: it.tool.server.name, Tool: it.tool.name, Position: it.tool.position, Name: name, Description: text}
	if raw, ok := got.InputSchema(); ok {
		seen.Schema = raw
	}
	return meant, seen
}

// schemaSent is the schema of a captured tool; nil when the entry has no field for it,
// as some hosts send a tool that takes nothing.
func schemaSent(t surface.Tool) *node {
	for _, field := range []string{"input_schema", "parameters", "parametersJsonSchema", "parameters_json_schema"} {
		if raw, ok := t.Field(field); ok {
			n, _ := parseNode(raw)
			return n
		}
	}
	return nil
}

// truncated records a description whose end is missing.
func (k *comparer) truncated(r *renderer, seen *item) {
	listed := seen.tool.exact.get("description").string()
	head := strings.TrimSuffix(seen.description, k.p.Description.Mark)
	if k.p.Description.Mark == "" || head == seen.description {
		if len(seen.description) < len(listed) && seen.description != "" && strings.HasPrefix(listed, seen.description) && trimSpace(listed) != seen.description {
			r.lose(seen.tool, "/description", Truncated, "%d of %d UTF-16 units reached the model.", utf16Len(seen.description), utf16Len(listed))
			seen.description = listed // said already
		}
		return
	}
	r.lose(seen.tool, "/description", Truncated, "%d of %d UTF-16 units reached the model.", utf16Len(head), utf16Len(listed))
}

// absent records a tool that was not in the request.
func (k *comparer) absent(it *item) {
	loss := Loss{Server: it.tool.server.name, Tool: it.tool.name, Position: it.tool.position, What: NotSent, Gone: true,
		Detail: "It is not in the request, and the profile knows no reason."}
	if l, ok := k.why[it.tool.position]; ok && it.gone {
		loss = l
	}
	if !it.gone {
		k.out.Doubt = true
	}
	k.out.Absent = append(k.out.Absent, loss)
}

// rest counts what is left of the capture. A tool that the listing lacks is named only
// when it can be nobody else's.
func (k *comparer) rest() {
	for i, t := range k.tools {
		switch {
		case k.used[i]:
		case k.isOurs(t):
			k.out.Added = append(k.out.Added, Pair{Sent: capturedName(t)})
			k.out.Doubt = true
		default:
			k.out.Foreign++
		}
	}
}

// isOurs reports whether a captured tool can only be one of the server, by what the
// host makes of its name: it stands in the server's namespace, or behind its name and
// two underscores that are the only ones. What has more of them may as well be a tool
// of a server whose name begins like this one's, and what has one is part of many names.
func (k *comparer) isOurs(t surface.Tool) bool {
	prefix := strings.TrimSuffix(k.p.Names.join(&tool{server: k.r.s.servers[0], name: "x"}).clean, "x")
	if !strings.HasSuffix(prefix, "__") || !strings.Contains(k.p.Names.Form, "{server}") {
		return false
	}
	name := capturedName(t)
	if name != t.Name { // the host has namespaces
		return strings.TrimSuffix(name, t.Name) == prefix
	}
	rest, found := strings.CutPrefix(name, prefix)
	return found && rest != "" && rest[0] != '_' && !strings.Contains(rest, "__")
}
