package host

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Level grades an issue of a preflight.
type Level string

// The levels.
const (
	Error Level = "error" // the tool, or all of them, can't be used there
	Warn  Level = "warn"  // the model is told less than was written
	Info  Level = "info"  // other versions or modes, and what loses nothing that counts
)

// Status sums a preflight up.
type Status string

// The statuses. Issues for information don't count.
const (
	OK      Status = "ok"
	Loses   Status = "loses"   // something does not reach the model, or some of the models behind a host refuse it
	Refuses Status = "refuses" // something is refused, or a whole tool is left out
)

// Issue is one thing that an author should know before a release.
type Issue struct {
	Server    string // "" when it is about all of them
	Tool      string // as listed; "" when it is about the listing
	Position  int    // from 1
	Pointer   string // into the definition
	What      What
	Rule      Rule
	Level     Level
	Verdict   string  // "Valid by the specification, refused by X"; "" where the specification is against it too
	Reason    string  // what happens, and who says so where no verdict does
	Fix       string  // something to paste or to do
	Patches   []Patch // of the definition; each alone makes the issue go. None where somebody has to write what is needed
	TakesDown int     // how many other tools are lost with it

	item *item
}

// Says is what happens and why, in one sentence.
func (i *Issue) Says() string {
	if i.Verdict == "" {
		return i.Reason
	}
	return i.Verdict + ": " + i.Reason
}

// verdict says that nothing but a host or a provider is against a definition.
func verdict(what What, p *Profile) string {
	return fmt.Sprintf("Valid by the specification, %s by %s", strings.ReplaceAll(string(what), "-", " "), p.Name)
}

// Check is what a preflight found for one host.
type Check struct {
	Host     string
	Version  string
	Verified bool
	Status   Status
	Listed   int // tools
	Sent     int // of them reach the model; of a provider, those that it is given
	Issues   []Issue
	More     int // issues that are not listed, of tools that have very many
}

// mostIssues bounds the issues of one tool that are listed.
const mostIssues = 40

// Preflight says how a server fares in one host, or at a provider, before it is
// released.
func Preflight(p *Profile, m Mounted) *Check { return NewSurface([]Mounted{m}).Preflight(p) }

// Preflight says how the servers of the surface fare together.
func (s *Surface) Preflight(p *Profile) *Check { return s.PreflightFrom(p, nil) }

// PreflightFrom also says what an edit took out of sight, compared with what was
// served before; base may be nil.
func (s *Surface) PreflightFrom(p *Profile, base *Surface) *Check { return s.check(s.run(p), base) }

// check judges what was rendered.
func (s *Surface) check(r *renderer, base *Surface) *Check {
	p := r.p
	c := &checkup{
		r:     r,
		count: map[*tool]int{},
		out:   &Check{Host: p.ID, Version: p.Version, Verified: p.Verified, Status: OK, Listed: s.Tools()},
		items: map[*tool]*item{}, fine: map[*item]bool{},
	}
	for _, it := range c.r.items {
		c.items[it.tool] = it
	}
	c.sent = len(c.r.sent())
	c.out.Sent = c.sent
	c.losses()
	c.duplicates()
	if api := p.api(); api != nil {
		c.judge(api)
	}
	for _, it := range c.r.sent() {
		c.dangling(it)
		c.doubts(it)
	}
	c.unprefixed()
	if base != nil {
		c.moved(base)
	}
	c.finish()
	return c.out
}

// checkup collects the issues of one host.
type checkup struct {
	r     *renderer
	out   *Check
	items map[*tool]*item
	count map[*tool]int  // issues by tool; nil is the listing
	fine  map[*item]bool // what valid found
	sent  int            // tools that the host sends
	names *namer         // nil until a name is proposed
}

// api returns the profile of the provider that the host's requests go to; nil where
// none is known. A provider is its own.
func (p *Profile) api() *Profile {
	if p.IsProvider() {
		return p
	}
	if p.Provider == "" {
		return nil
	}
	api, err := Lookup(p.Provider)
	if err != nil {
		return nil
	}
	return api
}

// full reports that no more issues of a tool are listed, and counts this one.
func (c *checkup) full(it *item) bool {
	if it == nil || c.count[it.tool] < mostIssues {
		return false
	}
	c.out.More++
	return true
}

func (c *checkup) add(i Issue) {
	if i.item != nil {
		c.count[i.item.tool]++
		i.Server = i.item.tool.server.name
	}
	r := c.fix(i)
	i.Fix, i.Patches = r.say, r.patches
	c.out.Issues = append(c.out.Issues, i)
}

// finish orders the issues and sums them up.
func (c *checkup) finish() {
	rank := map[Level]int{Error: 0, Warn: 1, Info: 2}
	slices.SortStableFunc(c.out.Issues, func(a, b Issue) int {
		return cmp.Or(rank[a.Level]-rank[b.Level], c.place(a)-c.place(b))
	})
	for _, i := range c.out.Issues {
		switch {
		case i.Level == Error:
			c.out.Status = Refuses
		case i.Level == Warn && c.out.Status == OK:
			c.out.Status = Loses
		}
	}
}

// place orders issues by server and tool; those of all come first.
func (c *checkup) place(i Issue) int {
	before := 0
	for _, sv := range c.r.s.servers {
		if sv.name == i.Server {
			return before + i.Position
		}
		before += len(sv.tools)
	}
	return 0
}

// losses turns what was lost into issues.
func (c *checkup) losses() {
	together := map[string]int{}
	for _, l := range c.r.out.Lost {
		if l.What == NotSent && l.Pointer == "" && l.Rule == "" && l.Position > 0 {
			together[l.Server]++
		}
	}
	for _, l := range c.r.out.Lost {
		if l.Rule == "" {
			continue
		}
		it := c.find(l)
		if it != nil && l.Rule == RuleConstraint && l.What == Dropped && isTold(it, l.Pointer) {
			continue // the model reads it in words
		}
		if c.full(it) {
			continue
		}
		i := Issue{Server: l.Server, Tool: l.Tool, Position: l.Position, Pointer: l.Pointer, What: l.What, Rule: l.Rule, Level: level(l, it), Reason: l.Detail, item: it}
		i.TakesDown = c.takesDown(l, together)
		if i.Level == Error && it != nil && c.valid(it) {
			i.Verdict = verdict(l.What, c.r.p)
		}
		c.add(i)
	}
}

// takesDown counts the other tools that are lost with what a loss is about; together
// counts by server those that are lost for no reason of their own.
func (c *checkup) takesDown(l Loss, together map[string]int) int {
	p := c.r.p
	switch {
	case l.Rule == RuleListing && p.Listing.Bad == "run", l.Rule == RuleCollision && l.What == Refused && p.Names.Twins == "run":
		return len(c.r.items) - 1
	case l.Rule == RuleListing && p.Listing.Bad != "tool", l.Rule == RuleServerName && l.Position == 0:
		return together[l.Server]
	}
	return 0
}

func (c *checkup) find(l Loss) *item {
	if t := c.r.s.toolAt(l.Server, l.Position); t != nil {
		return c.items[t]
	}
	return nil
}

// harmless are keywords whose loss tells a model nothing less about a call.
var harmless = strings.Fields("$schema $id $comment title examples deprecated readOnly writeOnly markdownDescription enumDescriptions $defs definitions")

// level grades a loss.
func level(l Loss, it *item) Level {
	keyword := l.Pointer[strings.LastIndexByte(l.Pointer, '/')+1:]
	switch {
	case l.Pointer == "/inputSchema" && l.Rule == RuleConstraint && it != nil && len(it.tool.exact.get("inputSchema").get("properties").membersOf()) == 0:
		return Info // a tool without arguments: there is nothing to be told
	case l.Rule == RuleInstruction && l.What == NotSent:
		return Info // no definition depends on them
	case l.What == Refused, l.Rule == RulePage, l.What == Dropped && (l.Position == 0 || l.Gone):
		return Error
	case l.What == Truncated, l.Rule == RuleSize, l.Rule == RuleNameLength, l.Rule == RuleRootUnion:
		return Warn
	case l.Rule == RuleConstraint && l.What == Dropped && !slices.Contains(harmless, keyword) && !strings.HasPrefix(keyword, "x-"):
		if it != nil && isKeyword(l.Pointer) && allowsAll(unescapePointer(keyword), valueAt(it.tool.exact, l.Pointer)) {
			return Info
		}
		return Warn
	}
	return Info
}

// allowsAll reports whether a keyword of a schema allows everything, as no keyword
// would.
func allowsAll(keyword string, v *node) bool {
	switch shapes[keyword] {
	case "schema":
		return (v.is('t') || v.is('{') && len(v.members) == 0) && keyword != "not" && keyword != "if" && keyword != "contains"
	case "map":
		return v.is('{') && len(v.members) == 0
	case "names":
		return v.is('[') && len(v.elems) == 0
	case "count":
		return strings.HasPrefix(keyword, "min") && keyword != "minContains" && v.is('0') && parseDouble(v.bytes()) == 0
	case "bool":
		return v.is('f')
	}
	return false
}

// valid reports whether the specification has nothing against a definition.
func (c *checkup) valid(it *item) bool {
	ok, known := c.fine[it]
	if !known {
		ok = isValid(it) && !isTwin(it.tool) && specName.MatchString(it.tool.name)
		c.fine[it] = ok
	}
	return ok
}

// specName is what the specification says a name should be. Of another one nothing is
// called valid, though the specification only advises.
var specName = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,128}$`)

// isTwin reports whether another tool of the server has the same name, which the
// specification does not allow.
func isTwin(t *tool) bool {
	return t.server.names[t.name] > 1
}

func isValid(it *item) bool {
	if _, why := readSDK(ListingRules{Values: "schemas"}, it.tool.exact); why != "" {
		return false
	}
	in := it.tool.exact.get("inputSchema")
	if _, why := checkSchema(in, draft2020); why != "" {
		return false
	}
	whole := true
	walk(in, schemaPath(), func(s *node, _ path) { whole = whole && !leadsNowhere(in, s.get("$ref").string()) })
	return whole
}

// duplicates finds names that the host sends twice.
func (c *checkup) duplicates() {
	holder := map[[2]string]*item{}
	for _, it := range c.r.sent() {
		first := holder[it.place()]
		if first == nil {
			holder[it.place()] = it
			continue
		}
		c.add(Issue{Tool: it.tool.name, Position: it.tool.position, Pointer: "/name", What: Refused, Rule: RuleCollision, Level: Error, item: it,
			TakesDown: c.sent - 1,
			Reason: fmt.Sprintf("%s sends it under the same name as %s: %s. Providers refuse a request with two tools of one name.",
				c.r.p.Name, clip(first.tool.name), clip(it.fullName()))})
	}
	c.cutTwins()
	c.caseTwins()
}

// caseTwins finds names that differ in case only. Every known host keeps them apart, and
// a model may not.
func (c *checkup) caseTwins() {
	holder := map[[2]string]*item{}
	for _, it := range c.r.sent() {
		key := [2]string{it.group, strings.ToLower(it.name)}
		first := holder[key]
		if first == nil {
			holder[key] = it
			continue
		}
		if first.tool.server == it.tool.server && first.tool.position > it.tool.position {
			first, it = it, first // whatever the host's order, the later one is to be called otherwise
		}
		if first.name != it.name {
			c.advise(it, "/name", RuleCollision, Renamed, fmt.Sprintf("It differs from %s in case only. No known host makes them one, and a call goes to the exact name: a model that mistakes the case calls the other tool.", clip(first.tool.name)))
		}
	}
}

// cutTwins finds names that a client in between would make equal: some keep the
// first 64 characters.
func (c *checkup) cutTwins() {
	const once = 64
	holder := map[string]*item{}
	for _, it := range c.r.sent() {
		name := it.fullName()
		head := cutUTF16(name, once)
		first := holder[head]
		if first == nil {
			holder[head] = it
			continue
		}
		if first.fullName() != name {
			c.advise(it, "/name", RuleCollision, Renamed, fmt.Sprintf("The first %d characters are those of %s: a router that cuts names there makes one of them.", once, clip(first.tool.name)))
		}
	}
}

// dangling finds references that lead nowhere, and those whose definition is not sent.
func (c *checkup) dangling(it *item) {
	listed := it.tool.exact.get("inputSchema")
	walk(it.schema, schemaPath(), func(s *node, at path) {
		ref := s.get("$ref").string()
		why := ""
		switch {
		case ref == "":
		case ref[0] != '#':
			why = "%s is another document, which no host fetches: the model can't know what to put there."
		case leadsNowhere(listed, ref):
			why = "%s leads nowhere: the schema has no such definition, so nothing can be checked against it, in this host or another."
		case leadsNowhere(it.schema, ref):
			why = "%s is sent, and what it refers to is not: the model can't know what to put there."
		}
		if why != "" && !c.full(it) {
			c.add(Issue{Tool: it.tool.name, Position: it.tool.position, Pointer: at.to("$ref").String(), What: Dropped, Rule: RuleRef, Level: Warn, item: it,
				Reason: fmt.Sprintf(why, clip(ref))})
		}
	})
}

// doubts tells what reports say of other versions and modes.
func (c *checkup) doubts(it *item) {
	for _, d := range c.r.p.Doubts {
		if n := utf16Len(it.tool.exact.get("description").string()); d.Limit > 0 && n > d.Limit && n <= c.r.p.Description.Limit {
			c.advise(it, "/description", RuleDescription, Truncated, fmt.Sprintf("%s This one has %d.", d.Reason, n))
		}
		if d.Keyword == "" {
			continue
		}
		rule := RuleUnion
		if d.Keyword == "$ref" {
			rule = RuleRef
		} else if d.Root {
			rule = RuleRootUnion
		}
		walk(it.tool.exact.get("inputSchema"), schemaPath(), func(s *node, at path) {
			if s.has(d.Keyword) && (!d.Root || len(at) == 1) {
				c.advise(it, at.to(d.Keyword).String(), rule, Rewritten, d.Reason)
			}
		})
	}
}

// unprefixed warns of names that another server may have too, where the host puts
// nothing in front of them.
func (c *checkup) unprefixed() {
	if c.r.p.IsProvider() || strings.Contains(c.r.p.Names.Form, "{server}") || len(c.r.s.servers) != 1 {
		return
	}
	server := loosely(plainName(c.r.s.servers[0].name))
	for _, it := range c.r.sent() {
		if server != "" && strings.Contains(it.tool.loose, server) {
			continue
		}
		c.advise(it, "/name", RuleGenericName, Refused, fmt.Sprintf("%s puts no server in front of the name. Beside another server with a tool called %s, %s.",
			c.r.p.Name, clip(it.tool.name), twinsThere[c.r.p.Names.Twins]))
	}
}

// twinsThere words what a host does with two tools of one name.
var twinsThere = map[string]string{
	"":      "both are sent, and the provider refuses the request",
	"first": "only the first one reaches the model",
	"last":  "only the last one reaches the model",
	"run":   "it stops",
}
