package host

import (
	"fmt"
	"slices"
	"strings"
)

// item is one tool on its way through a host.
type item struct {
	p    *Profile
	tool *tool
	def  *node // the definition as the host's runtime has it

	name, group    string
	base           string // the name before hashing
	description    string
	hasDescription bool
	schema         *node // nil when none is sent
	strict         bool  // a host that asks the provider for strict arguments
	muted          bool  // all descriptions of the schema are lost, which is said once
	deferred       bool
	gone           bool // it is not sent; why is among the losses
}

// renderer turns a surface into what one host sends.
type renderer struct {
	p     *Profile
	s     *Surface
	out   *Rendering
	items []*item
	steps int // left for inlining
}

// Render renders the surface for a profile, in the variant that it stands for.
func (s *Surface) Render(p *Profile) *Rendering { return s.run(p).out }

// run renders, and keeps what it worked with for a preflight.
func (s *Surface) run(p *Profile) *renderer {
	r := s.send(p)
	r.compareAll()
	return r
}

// send renders without looking for what the entries lack of the definitions.
func (s *Surface) send(p *Profile) *renderer {
	r := &renderer{p: p, s: s, steps: inlineSteps, out: &Rendering{
		Host: p.ID, Version: p.Version, Variant: p.variant, Verified: p.Verified,
	}}
	for _, sv := range s.ordered(p.Runtime) {
		r.mount(sv)
	}
	r.failTogether()
	r.nameAll()
	for _, it := range r.sent() {
		r.describe(it)
		r.rewrite(it)
	}
	r.resolveTwins()
	r.order()
	r.limit()
	r.deferAll()
	r.write()
	return r
}

// lose records that a part of a tool is lost. The caller may name the rule; the
// result is valid until the next loss.
func (r *renderer) lose(t *tool, pointer string, what What, format string, args ...any) *Loss {
	r.out.Lost = append(r.out.Lost, Loss{
		Server: t.server.name, Tool: t.name, Position: t.position,
		Pointer: pointer, What: what, Detail: fmt.Sprintf(format, args...),
	})
	return &r.out.Lost[len(r.out.Lost)-1]
}

// drop records that a tool is not sent. A tool is dropped once; of a second reason
// nothing is kept.
func (r *renderer) drop(it *item, pointer string, what What, format string, args ...any) *Loss {
	if it.gone {
		return &Loss{}
	}
	it.gone = true
	l := r.lose(it.tool, pointer, what, format, args...)
	l.Gone = true
	return l
}

// sent are the items that are still to be sent.
func (r *renderer) sent() []*item {
	out := make([]*item, 0, len(r.items))
	for _, it := range r.items {
		if !it.gone {
			out = append(out, it)
		}
	}
	return out
}

// mount reads a server's listing as the host does.
func (r *renderer) mount(sv *server) {
	if r.p.servers != nil && !r.p.servers.MatchString(sv.name) {
		r.skip(sv)
		return
	}
	n := len(sv.tools)
	if r.p.Listing.FirstPage {
		n = sv.firstPage
	}
	var items []*item
	for i, t := range sv.tools {
		it := &item{p: r.p, tool: t, def: t.view(r.p.Runtime)}
		items = append(items, it)
		if i >= n {
			r.drop(it, "", NotSent, "%s reads the first page of a listing only: this tool is on a later one.", r.p.Name).Rule = RulePage
		}
	}
	r.items = append(r.items, items...)
	r.hide(items[:n])
	r.admit(sv, items[:n])
	r.passInstructions(sv)
}

// hide leaves out the tools that say themselves that they are not for the model.
func (r *renderer) hide(items []*item) {
	if !r.p.Listing.Hidden {
		return
	}
	for _, it := range items {
		seen := it.def.get("_meta").get("ui").get("visibility")
		if seen.is('[') && !slices.Contains(seen.texts(), "model") {
			r.drop(it, "", NotSent, "%s shows the model no tool whose _meta.ui.visibility does not name it.", r.p.Name)
		}
	}
}

// skip leaves a server out whose name the host does not take.
func (r *renderer) skip(sv *server) {
	detail := fmt.Sprintf("%s silently skips a server of this name: it wants %s.", r.p.Name, r.p.Listing.Servers)
	if r.p.Listing.Unmounted == "run" {
		r.out.Failed = fmt.Sprintf("%s does not start: its configuration can't hold a server called %q", r.p.Name, sv.name)
		detail = r.out.Failed + "."
	}
	r.out.Lost = append(r.out.Lost, Loss{Server: sv.name, What: Dropped, Rule: RuleServerName, Detail: detail})
	for _, t := range sv.tools {
		it := &item{p: r.p, tool: t, def: t.view(r.p.Runtime)}
		r.items = append(r.items, it)
		r.drop(it, "", NotSent, "Lost with the whole server %q, whose name %s does not take.", sv.name, r.p.Name)
	}
}

// admit drops what the host can't read, and what that takes down with it.
func (r *renderer) admit(sv *server, items []*item) {
	bad := false
	seen := map[string]bool{}
	for _, it := range items {
		if it.gone {
			continue // nobody reads it any further
		}
		pointer, why := r.unreadable(it)
		if why == "" && seen[it.tool.name] && r.p.Listing.Twins == "server" {
			pointer, why = "/name", "the name is listed twice"
		}
		seen[it.tool.name] = true
		if why != "" {
			r.drop(it, pointer, Refused, "%s can't read this definition: %s.", r.p.Name, why).Rule = RuleListing
			bad = true
		}
	}
	if !bad || r.p.Listing.Bad == "tool" {
		return
	}
	for _, it := range items {
		r.drop(it, "", NotSent, "Lost with the whole server %q, because %s can't read another of its definitions.", sv.name, r.p.Name)
	}
	if r.p.Listing.Bad == "run" {
		r.out.Failed = fmt.Sprintf("%s stops: it can't read the listing of %q", r.p.Name, sv.name)
	}
}

// failTogether drops everything when the host does not start.
func (r *renderer) failTogether() {
	if r.out.Failed == "" {
		return
	}
	for _, it := range r.items {
		r.drop(it, "", NotSent, "%s.", r.out.Failed)
	}
}

// describe works out the description that is sent.
func (r *renderer) describe(it *item) {
	rules := r.p.Description
	text := it.def.get("description")
	it.description, it.hasDescription = text.string(), text.is('"')
	if rules.Title && it.description == "" {
		it.description = it.def.get("title").string()
	}
	if rules.Normal {
		it.description = visible(it.description)
	}
	if rules.Trim {
		it.description = trimSpace(it.description)
	}
	if it.description == "" || rules.Blank && trimSpace(it.description) == "" {
		if it.description == "" && rules.Omit && !it.hasDescription {
			return
		}
		it.description = fillIn(rules.Absent, it.tool.server.name, it.tool.name)
	}
	it.hasDescription = true
	if whole := utf16Len(it.description); rules.Limit > 0 && whole > rules.Limit {
		it.description = cutUTF16(it.description, rules.Limit) + rules.Mark
		r.lose(it.tool, "/description", Truncated, "%d of %d UTF-16 units reach the model.", rules.Limit, whole).Rule = RuleDescription
	}
}

// rewrite runs the schema through the host's steps.
func (r *renderer) rewrite(it *item) {
	it.schema = it.def.get("inputSchema")
	for _, name := range r.p.Schema {
		if it.gone {
			return
		}
		steps[name](r, it)
	}
	it.schema = it.schema.printed()
}

func (r *renderer) passInstructions(sv *server) {
	in, rules := sv.instructions, r.p.Instructions
	if !in.Present || in.Text == "" {
		return
	}
	text := in.Text
	switch whole := utf16Len(text); {
	case !rules.Cross && r.p.IsProvider():
		return // what it gets is the host's business
	case !rules.Cross:
		r.out.Lost = append(r.out.Lost, Loss{Server: sv.name, Pointer: "/instructions", What: NotSent, Rule: RuleInstruction,
			Detail: r.p.Name + " does not pass the instructions of a server on."})
		return
	case rules.Limit > 0 && whole > rules.Limit:
		text = cutUTF16(text, rules.Limit) + rules.Mark
		r.out.Lost = append(r.out.Lost, Loss{Server: sv.name, Pointer: "/instructions", What: Truncated, Rule: RuleInstruction,
			Detail: fmt.Sprintf("%d of %d UTF-16 units of the instructions reach the model.", rules.Limit, whole)})
	}
	r.out.Instructions = append(r.out.Instructions, Passage{sv.name, text, rules.Where})
}

// limit takes away tools over the number that the host sends.
func (r *renderer) limit() {
	most := r.p.Limit.Tools
	sent := r.sent()
	if most == 0 || len(sent) <= most {
		return
	}
	if r.p.Limit.Over == "refuse" {
		r.out.Lost = append(r.out.Lost, Loss{What: Refused, Rule: RuleCount,
			Detail: fmt.Sprintf("%d tools, and %s takes %d: the request is refused.", len(sent), r.p.Name, most)})
		return
	}
	r.out.Lost = append(r.out.Lost, Loss{What: Dropped, Rule: RuleCount,
		Detail: fmt.Sprintf("%s offers the first %d tools only, and there are %d.", r.p.Name, most, len(sent))})
	for _, it := range sent[most:] {
		r.drop(it, "", Dropped, "%s offers the first %d tools only.", r.p.Name, most)
	}
}

// deferAll takes away, or marks, what is sent only on demand.
func (r *renderer) deferAll() {
	rules := r.p.Defer
	if !rules.On {
		return
	}
	for _, it := range r.sent() {
		if rules.Always && it.def.get("_meta").get("anthropic/alwaysLoad").is('t') {
			continue
		}
		it.deferred = true
		if rules.Mark == "" {
			r.drop(it, "", Deferred, "%s", rules.Why)
			continue
		}
		r.lose(it.tool, "", Deferred, "%s", rules.Why)
	}
}

// write makes the entries.
func (r *renderer) write() {
	if r.p.group != nil {
		r.writeGroups()
		return
	}
	for _, it := range r.sent() {
		e := Entry{Tools: []Sent{it.sentAs()}}
		entry := it.entry()
		if it.deferred && r.p.Defer.Mark != "" {
			entry = entry.with(r.p.Defer.Mark, trueNode)
		}
		e.JSON = entry.bytes()
		r.out.Tools = append(r.out.Tools, e)
	}
}

func (it *item) sentAs() Sent {
	s := Sent{Server: it.tool.server.name, Tool: it.tool.name, Position: it.tool.position, Name: it.name, Group: it.group}
	if it.hasDescription {
		s.Description = it.description
	}
	if it.schema != nil {
		s.Schema = it.schema.bytes()
	}
	return s
}

// writeGroups makes one entry of each run of items with the same namespace.
func (r *renderer) writeGroups() {
	items := r.sent()
	for len(items) > 0 {
		n := 1
		for n < len(items) && items[n].group == items[0].group {
			n++
		}
		e := Entry{}
		list := array()
		for _, it := range items[:n] {
			e.Tools = append(e.Tools, it.sentAs())
			list.elems = append(list.elems, it.entry())
		}
		e.JSON = fill(r.p.group, map[string]*node{
			"$group": str(items[0].group), "$tools": list, "$instructions": str(r.groupText(items[0])),
		}).bytes()
		r.out.Tools = append(r.out.Tools, e)
		items = items[n:]
	}
}

// groupText is the description of a namespace: the server's instructions.
func (r *renderer) groupText(it *item) string {
	for _, in := range r.out.Instructions {
		if in.Server == it.tool.server.name {
			return in.Text
		}
	}
	return "Tools in the " + it.group + " namespace."
}

// entry fills the profile's template.
func (it *item) entry() *node {
	values := map[string]*node{"$name": str(it.name), "$schema": it.schema, "$strict": falseNode}
	if it.strict {
		values["$strict"] = trueNode
	}
	if it.hasDescription {
		values["$description"] = it.descriptionNode()
	}
	return fill(it.p.entry, values)
}

// descriptionNode is the description as listed, where nothing was done to it, so
// that it need not be written anew.
func (it *item) descriptionNode() *node {
	if d := it.def.get("description"); d.isText(it.description) {
		return d
	}
	return str(it.description)
}

// fill puts values in the place of strings that name them. A member whose value is
// missing is left out.
func fill(template *node, values map[string]*node) *node {
	if template.is('"') && strings.HasPrefix(template.str, "$") {
		return values[template.str]
	}
	return template.mapped(func(_ string, v *node) *node { return fill(v, values) })
}
