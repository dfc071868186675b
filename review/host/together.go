package host

import "slices"

// Together is what a host makes of several servers at once: what each of them
// brings to the model, and which tools would have one name.
type Together struct {
	Check   *Check
	Shares  []Share // in the order of the surface
	Clashes []Clash // in the order of their first tools
	Failed  string  // why the host does not start at all; "" when it does

	Limit   int    // the most tools that fit into one request; 0 where none is known
	LimitOf string // id of the profile that says so: the host's own, or its provider's

	Rendering *Rendering
}

// Share is what becomes of the tools of one server among those of the others. Every
// tool is sent, deferred, or lost; a tool that is marked as deferred, and stands in
// the request, counts as deferred.
type Share struct {
	Server   string
	Listed   int
	Sent     int
	Deferred int
	Lost     int // dropped, refused, or lost together with something else
	Renamed  int // of those that are sent: more than the host's form changes
}

// Clash is several tools that would have one name in the host: what it makes of their
// names before it keeps them apart.
type Clash struct {
	Name  string
	Tools []Clashing
}

// Across reports whether the tools are of more than one server.
func (c Clash) Across() bool {
	return slices.ContainsFunc(c.Tools, func(t Clashing) bool { return t.Server != c.Tools[0].Server })
}

// Clashing is one of the tools of a clash.
type Clashing struct {
	Server   string
	Tool     string // as listed
	Position int    // in its server's listing, from 1
	Sent     string // the name that the model sees; "" when the tool is not sent
}

// Together renders the servers of the surface for one host, and says how they get
// along. A base, which may be nil, is what was served before.
func (s *Surface) Together(p *Profile, base *Surface) *Together {
	r := s.run(p)
	t := &Together{Check: s.check(r, base), Failed: r.out.Failed, Rendering: r.out}
	t.Limit, t.LimitOf = p.Most()
	renamed := map[*tool]bool{}
	for _, l := range r.out.Lost {
		if it := s.toolAt(l.Server, l.Position); it != nil && l.What == Renamed && l.Pointer == "/name" {
			renamed[it] = true
		}
	}
	shares := map[*server]*Share{}
	for _, sv := range s.servers {
		shares[sv] = &Share{Server: sv.name, Listed: len(sv.tools)}
	}
	for _, it := range r.items {
		shares[it.tool.server].count(it, renamed[it.tool])
	}
	for _, sv := range s.servers {
		t.Shares = append(t.Shares, *shares[sv])
	}
	t.Clashes = r.clashes()
	return t
}

func (sh *Share) count(it *item, renamed bool) {
	switch {
	case it.deferred:
		sh.Deferred++
	case it.gone:
		sh.Lost++
	default:
		sh.Sent++
		if renamed {
			sh.Renamed++
		}
	}
}

// toolAt finds a tool by server and position; nil for none.
func (s *Surface) toolAt(server string, position int) *tool {
	for _, sv := range s.servers {
		if sv.name == server && position > 0 && position <= len(sv.tools) {
			return sv.tools[position-1]
		}
	}
	return nil
}

// Most is how many tools a request may hold, by the host's own rules or else by its
// provider's, and the id of the profile whose rule that is. 0 where no rule is known.
func (p *Profile) Most() (tools int, by string) {
	if p.Limit.Tools > 0 {
		return p.Limit.Tools, p.ID
	}
	api := p.api()
	if api == nil || api.Accepts.Tools == 0 {
		return 0, ""
	}
	return api.Accepts.Tools, api.ID
}

// clashes groups the tools that came as far as having a name by what it was before
// the host kept them apart.
func (r *renderer) clashes() []Clash {
	items := map[*tool]*item{}
	for _, it := range r.items {
		items[it.tool] = it
	}
	var names [][2]string
	by := map[[2]string][]*item{}
	for _, sv := range r.s.servers {
		for _, t := range sv.tools {
			it := items[t]
			if it.name == "" {
				continue // the host could not read it
			}
			name := r.p.Names.wanted(it)
			if by[name] == nil {
				names = append(names, name)
			}
			by[name] = append(by[name], it)
		}
	}
	var out []Clash
	for _, name := range names {
		if len(by[name]) < 2 {
			continue
		}
		c := Clash{Name: flat(name)}
		for _, it := range by[name] {
			c.Tools = append(c.Tools, it.clashing())
		}
		out = append(out, c)
	}
	return out
}

func (it *item) clashing() Clashing {
	c := Clashing{Server: it.tool.server.name, Tool: it.tool.name, Position: it.tool.position}
	if !it.gone {
		c.Sent = it.fullName()
	}
	return c
}

// wanted is the name that a host gives a tool before it looks at the others, in its
// namespace.
func (n NameRules) wanted(it *item) [2]string {
	switch n.Scheme {
	case "":
		return [2]string{"", n.fit(n.join(it.tool))}
	case "codex":
		return [2]string{namespace(n, it.tool.server.name), n.Tool.apply(it.tool.name)}
	case "copilot":
		return [2]string{"", n.copilotPart(it.tool.server.name) + "-" + n.copilotPart(it.tool.name)}
	case "hashed":
		return [2]string{"", underscored(it.base)}
	}
	return [2]string{"", n.join(it.tool).clean}
}
