package host

import (
	"fmt"
	"slices"

	"github.com/countersign/countersign/review/surface"
)

// Mounted is one server as it is configured in a host.
type Mounted struct {
	Name         string // in the host's configuration; it becomes part of the names
	Tools        []surface.Tool
	Pages        []int // how many tools each page holds; nil when all come at once
	Instructions surface.Instructions
}

// Mount returns a listing as a server of that name. Pages are those of a listing
// that was pushed as pages.
func Mount(name string, l *surface.Listing) Mounted {
	return Mounted{Name: name, Tools: l.Tools, Pages: pagesOf(l), Instructions: l.Instructions}
}

// pagesOf counts the tools on each page of a listing that came in pages. A count
// that does not add up is no count.
func pagesOf(l *surface.Listing) []int {
	if l.Shape != surface.ShapePages {
		return nil
	}
	var pages []int
	all := 0
	for page := range surface.Elements(l.Raw) {
		n := 0
		for range surface.Elements(toolsOf(page)) {
			n++
		}
		pages, all = append(pages, n), all+n
	}
	if all != len(l.Tools) {
		return nil
	}
	return pages
}

// toolsOf finds the tools of one page, a result or a whole answer.
func toolsOf(page []byte) []byte {
	for name, v := range surface.Members(page) {
		switch name {
		case "tools":
			return v
		case "result":
			return toolsOf(v)
		}
	}
	return nil
}

// ParseMounted reads several servers in one text:
//
//	{"servers":{"name":{"tools":[…] or "pages":[[…],…],"instructions":"…"}}}
//
// in the order that they have there. Other members are left alone. A text that is no
// strict JSON is refused with a [*surface.ReadError].
func ParseMounted(raw []byte) ([]Mounted, error) {
	if _, err := surface.NewTool(0, raw); err != nil {
		return nil, err
	}
	root, err := parseNode(raw)
	if err != nil {
		return nil, err
	}
	servers := root.get("servers")
	if !servers.is('{') || len(servers.members) == 0 {
		return nil, fmt.Errorf(`/servers: want an object of servers, such as {"servers":{"tickets":{"tools":[…]}}}`)
	}
	var all []Mounted
	for _, m := range servers.members {
		s, err := parseServer(m.name, m.value)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

func parseServer(name string, n *node) (Mounted, error) {
	at := "/servers/" + escapePointer(name)
	s := Mounted{Name: name, Instructions: surface.Instructions{Asked: true}}
	if text := n.get("instructions"); text.is('"') {
		s.Instructions = surface.Instructions{Asked: true, Present: true, Text: text.str}
	}
	tools, pages := n.get("tools"), n.get("pages")
	switch {
	case tools.is('['):
		pages = array(tools)
	case pages.is('['):
		s.Pages = []int{}
	default:
		return s, fmt.Errorf("%s: want tools, an array of definitions, or pages, an array of such arrays", at)
	}
	for i, page := range pages.elems {
		if !page.is('[') {
			return s, fmt.Errorf("%s/pages/%d: want an array of definitions", at, i)
		}
		for _, t := range page.elems {
			tool, err := surface.NewTool(len(s.Tools)+1, t.text)
			if err != nil {
				return s, fmt.Errorf("%s: %w", at, err)
			}
			s.Tools = append(s.Tools, tool)
		}
		if s.Pages != nil {
			s.Pages = append(s.Pages, len(page.elems))
		}
	}
	return s, nil
}

// Surface is servers, read once to be rendered for many hosts. It may be used by
// several goroutines.
type Surface struct {
	servers []*server
}

type server struct {
	name         string
	tools        []*tool
	firstPage    int // tools on the first page
	instructions surface.Instructions
	names        map[string]int // how many tools have a name
}

// Tools counts the tools of all servers.
func (s *Surface) Tools() int {
	n := 0
	for _, sv := range s.servers {
		n += len(sv.tools)
	}
	return n
}

// countNames counts the tools by name.
func (sv *server) countNames() {
	sv.names = map[string]int{}
	for _, t := range sv.tools {
		sv.names[t.name]++
	}
}

// tool is a definition, parsed; each runtime has its own view of the values.
type tool struct {
	server   *server
	name     string
	loose    string // what names that hosts may make equal have in common
	position int
	exact    *node
	scripted *node
	doubled  *node
}

// NewSurface reads the definitions of servers. What is no JSON counts as null.
func NewSurface(servers []Mounted) *Surface {
	s := &Surface{}
	for _, m := range servers {
		sv := &server{name: m.Name, firstPage: len(m.Tools), instructions: m.Instructions}
		if len(m.Pages) > 0 {
			sv.firstPage = min(m.Pages[0], len(m.Tools))
		}
		for i, t := range m.Tools {
			sv.tools = append(sv.tools, newTool(sv, i+1, t))
		}
		sv.countNames()
		s.servers = append(s.servers, sv)
	}
	return s
}

func newTool(sv *server, position int, t surface.Tool) *tool {
	root, err := parseNode(t.Raw)
	if err != nil {
		root = nullNode
	}
	root = wireForm(root, t.Form)
	return &tool{
		server: sv, name: t.Name, loose: loosely(plainName(t.Name)), position: position,
		exact: root, scripted: root.scripted(), doubled: root.doubled(),
	}
}

// wireForm gives a definition of another form the names that the protocol has, so
// that a declaration can be rendered like a listing.
func wireForm(n *node, form surface.Form) *node {
	names := map[string]string{"input_schema": "inputSchema", "output_schema": "outputSchema"}
	switch form {
	case surface.FormSnake:
	case surface.FormParameters:
		names = map[string]string{"parameters": "inputSchema", "parametersJsonSchema": "inputSchema"}
	default:
		return n
	}
	if !n.is('{') {
		return n
	}
	o := object()
	for _, m := range n.members {
		if to := names[m.name]; to != "" {
			m.name = to
		}
		o.members = append(o.members, m)
	}
	return o
}

// view returns the definition as the host's runtime has it.
func (t *tool) view(runtime string) *node {
	switch runtime {
	case "script":
		return t.scripted
	case "go":
		return t.doubled
	}
	return t.exact
}

// ordered returns the servers in the order in which a host mounts them: JavaScript
// reads its configuration into an object, which puts integer names first.
func (s *Surface) ordered(runtime string) []*server {
	if runtime != "script" {
		return s.servers
	}
	all := slices.Clone(s.servers)
	slices.SortStableFunc(all, func(a, b *server) int { return compareIndexes(a.name, b.name) })
	return all
}
