package host

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// namer proposes names for tools that no known host has to change, and that no other
// tool has.
type namer struct {
	taken map[string]int   // how many tools have a name that hosts may make this of
	given map[string]*tool // what was proposed, and for which tool
	next  map[string]int   // the number to try next, by name
	room  map[*server]int  // the longest name beside the name of a server
}

// namer returns the proposals of this checkup.
func (c *checkup) namer() *namer {
	if c.names != nil {
		return c.names
	}
	c.names = &namer{taken: map[string]int{}, given: map[string]*tool{}, next: map[string]int{}, room: map[*server]int{}}
	for _, sv := range c.r.s.servers {
		for _, t := range sv.tools {
			c.names.taken[t.loose]++
		}
	}
	return c.names
}

// loosely is what names have in common that hosts may make equal.
func loosely(name string) string {
	return single(strings.ToLower(strings.ReplaceAll(name, "-", "_")), "_")
}

// everyLimit is the length that a name may have in every known host and provider.
const everyLimit = 64

// fewest is the length below which a name says too little to be proposed.
const fewest = 8

// roomBeside is how long a tool's name may be beside the name of a server, if no host
// is to cut it.
func roomBeside(server string) int {
	room := everyLimit
	for _, p := range Profiles() {
		limit := everyLimit
		if p.Names.Limit > 0 {
			limit = min(limit, p.Names.Limit)
		}
		room = min(room, limit-p.Names.beside(server))
	}
	return room
}

// beside is how much of a name a host adds to that of the tool.
func (n NameRules) beside(name string) int {
	const one = "x"
	switch n.Scheme {
	case "when-taken":
		return 0
	case "copilot":
		return len(n.copilotPart(name) + "-")
	}
	return n.size(n.join(&tool{server: &server{name: name}, name: one}).clean) - len(one)
}

// propose returns a name like base for a tool; "" where there is none. It asks for
// nothing that the tool has already.
func (n *namer) propose(t *tool, base string) string {
	room, known := n.room[t.server]
	if !known {
		room = roomBeside(t.server.name)
		n.room[t.server] = room
	}
	base = plainName(base)
	if room < fewest || base == "" {
		return ""
	}
	if name := shorter(base, room); n.free(t, name) {
		n.given[loosely(name)] = t
		return name
	}
	for {
		n.next[base] = max(n.next[base], 1) + 1
		suffix := "_" + strconv.Itoa(n.next[base])
		if len(suffix) > room/2 {
			return ""
		}
		if name := shorter(base, room-len(suffix)) + suffix; n.free(t, name) {
			n.given[loosely(name)] = t
			return name
		}
	}
}

// free reports whether a name is new for a tool, and whether no other tool has it or
// was proposed it.
func (n *namer) free(t *tool, name string) bool {
	key := loosely(name)
	if other := n.given[key]; other != nil && other != t || name == t.name {
		return false
	}
	mine := 0
	if key == t.loose {
		mine = 1
	}
	return n.taken[key] == mine
}

// shorter cuts a plain name to a size of n, between two words where it can.
func shorter(s string, n int) string {
	if len(s) <= n {
		return s
	}
	cut := s[:n]
	if at := strings.LastIndexAny(cut, "_-"); at > n/2 {
		cut = cut[:at]
	}
	return strings.TrimRight(cut, "_-")
}

// plainName writes a name in the characters that every provider takes, beginning with
// a letter or an underscore, and no underscore or hyphen twice: hosts join names by two.
// Letters lose their accents and stay.
func plainName(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFKD.String(visible(s)))
	s = Clean{Keep: "a-zA-Z0-9_-", With: "_", Per: "run", Single: "_"}.apply(s)
	return Clean{Single: "-", Trim: "_-", Lead: "_"}.apply(s)
}

// rename proposes a name like base for the tool of an issue.
func (c *checkup) rename(i Issue, base string) remedy {
	name := c.namer().propose(i.item.tool, base)
	if name == "" {
		return advice("Give the tool a name of its own, of letters, digits and _, that is short beside the server's name.")
	}
	return paste(fmt.Sprintf(`"name": %q`, name), add("/name", str(name)))
}

func fixLongName(c *checkup, i Issue) remedy {
	r := c.rename(i, i.item.tool.name)
	room := c.names.room[i.item.tool.server]
	if room < fewest {
		return advice("No name fits beside a server's name of this length: use a shorter server name, and at most %d characters in all.", everyLimit)
	}
	r.say = fmt.Sprintf("%s: at most %d characters are left beside this server's name, if no known host is to cut it.", r.say, room)
	return r
}

func fixNameChars(c *checkup, i Issue) remedy {
	base := plainName(i.item.tool.name)
	if base == "" {
		return advice("Use letters, digits, _ and - only.")
	}
	if c.r.p.Names.Tool.apply(base) != base {
		base = strings.ReplaceAll(base, "-", "_")
	}
	return c.rename(i, base)
}

// fixCollision offers a name that keeps two tools apart: one that says whose tool it
// is where hosts put no server in front.
func fixCollision(c *checkup, i Issue) remedy {
	t, base := i.item.tool, i.item.tool.name
	if !isTwin(t) && len(c.r.s.servers) > 1 && !strings.Contains(c.r.p.Names.Form, "{server}") {
		base = t.server.name + "_" + t.name
	}
	r := c.rename(i, base)
	if r.patches == nil {
		return r
	}
	if isTwin(t) {
		r.say += ", or a better one: every tool needs a name of its own."
	} else {
		r.say += ", or another one: hosts replace and cut characters, so names have to differ in their first words."
	}
	return r
}

func fixGeneric(c *checkup, i Issue) remedy {
	t := i.item.tool
	server := loosely(plainName(t.server.name))
	if server == "" {
		return advice("Put the name of the product in front.")
	}
	r := c.rename(i, server+"_"+t.name)
	if r.patches == nil || !strings.Contains(r.say, server) {
		return advice("Put the name of the product in front, in few letters.")
	}
	return r
}
