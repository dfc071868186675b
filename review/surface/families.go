package surface

import (
	"strings"
)

// Convention says how a house names its tools.
type Convention string

// The conventions.
const (
	VerbFirst Convention = "verb-first" // 80 % or more of the names start with a verb
	NounFirst Convention = "noun-first" // 20 % or less do
	Mixed     Convention = "mixed"
)

// Cost is what an outlier costs the reader who looks for it in its family.
type Cost string

// The costs.
const (
	Expensive  Cost = "expensive"  // its noun has a family, where it is looked for in vain
	Unsortable Cost = "unsortable" // it names no noun: there is no place to look
	Free       Cost = "free"       // its noun has no family
)

// Families is the reading of a list of names; docs/families.md has the rules. Its
// JSON form is part of the command line's contract.
type Families struct {
	Convention  Convention  `json:"convention"`
	Separator   string      `json:"separator"` // the most used one, "" when there is none
	HousePrefix *string     `json:"house_prefix"`
	Families    []Family    `json:"families"` // in order of first appearance
	Objects     []Object    `json:"objects"`  // verb-first houses only
	Outliers    []Outlier   `json:"outliers"` // noun-first houses only
	Scattered   []Scattered `json:"scattered"`
}

// Family is a group of tools that share their first word. Tools and Positions
// (from 1) run in parallel, in order of the listing.
type Family struct {
	Name        string   `json:"name"`
	Tools       []string `json:"tools"`
	Positions   []int    `json:"positions"`
	Subfamilies []Family `json:"subfamilies"` // of a family of more than 12
}

// Object groups the tools of a verb-first house by what they act on.
type Object struct {
	Name      string   `json:"name"`
	Tools     []string `json:"tools"`
	Positions []int    `json:"positions"`
}

// Outlier is a tool whose name breaks the convention of the house.
type Outlier struct {
	Tool          string `json:"tool"`
	Position      int    `json:"position"`
	RelatedFamily string `json:"related_family,omitempty"` // where it is looked for, when Expensive
	Cost          Cost   `json:"cost"`
}

// Scattered is a family whose members do not stand together in the listing.
type Scattered struct {
	Family    string `json:"family"`
	Positions []int  `json:"positions"`
}

// Pattern puts the tools that it matches into a family by a team's decision. In
// Match a * stands for any run of characters.
type Pattern struct {
	Family string `json:"family"`
	Match  string `json:"match"`
}

// Shares of the names, in per cent, that make a convention or a house prefix.
const (
	mostShare = 80
	fewShare  = 20
)

// largeFamily is the size above which a family gets subfamilies.
const largeFamily = 12

// NewFamilies groups names, which stand in the order of the listing. A tool without
// a name belongs nowhere. The cost is linear in the text of the names.
func NewFamilies(names []string) Families { return FamiliesWith(names, nil) }

// FamiliesWith is [NewFamilies] with a team's patterns, which win over every rule:
// the first pattern that matches a tool decides its family. Such a tool is no
// outlier, and the convention is still read from all names.
func FamiliesWith(names []string, patterns []Pattern) Families {
	h := newHouse(names)
	groups, outliers := h.group(patterns)
	f := Families{
		Convention:  h.convention,
		Separator:   h.separator,
		HousePrefix: h.prefix,
		Families:    []Family{},
		Objects:     []Object{},
		Outliers:    []Outlier{},
		Scattered:   []Scattered{},
	}
	for _, g := range groups {
		family := g.family(0)
		if len(g.members) > largeFamily {
			family.Subfamilies = g.subfamilies()
		}
		f.Families = append(f.Families, family)
		if p := family.Positions; p[len(p)-1]-p[0] != len(p)-1 {
			f.Scattered = append(f.Scattered, Scattered{family.Name, p})
		}
	}
	if len(outliers) > 0 {
		index := newNounIndex(groups)
		for _, m := range outliers {
			f.Outliers = append(f.Outliers, m.outlier(index))
		}
	}
	if h.convention == VerbFirst {
		f.Objects = h.objects()
	}
	return f
}

// named is one tool's name, read. Words are those behind the house prefix, in lower
// case; nouns are the same in the singular.
type named struct {
	tool     string
	position int
	words    []string
	nouns    []string
}

// house is what all names of a listing say together.
type house struct {
	members    []named
	convention Convention
	separator  string
	prefix     *string
}

func newHouse(names []string) *house {
	h := &house{convention: Mixed, separator: mostUsedSeparator(names)}
	for i, n := range names {
		if n == "" {
			continue
		}
		words := splitWords(n)
		if len(words) == 0 {
			words = []string{strings.ToLower(n)}
		}
		h.members = append(h.members, named{tool: n, position: i + 1, words: words})
	}
	h.findPrefix()
	for i := range h.members {
		m := &h.members[i]
		m.nouns = make([]string, len(m.words))
		for j, w := range m.words {
			m.nouns[j] = singular(w)
		}
	}
	h.findConvention()
	return h
}

// mostUsedSeparator returns the separator that stands most often in the names.
func mostUsedSeparator(names []string) string {
	var counts [len(separators)]int
	for _, n := range names {
		for i := range len(n) {
			if j := strings.IndexByte(separators, n[i]); j >= 0 {
				counts[j]++
			}
		}
	}
	best := 0
	for j, c := range counts {
		if c > counts[best] {
			best = j
		}
	}
	if counts[best] == 0 {
		return ""
	}
	return separators[best : best+1]
}

// findPrefix finds a first word that is no verb and that nearly all tools share,
// and cuts it off where something stands behind it.
func (h *house) findPrefix() {
	counts := map[string]int{}
	for _, m := range h.members {
		counts[singular(m.words[0])]++
	}
	total := len(h.members)
	for _, m := range h.members {
		first := singular(m.words[0])
		if total < 4 || verbs[m.words[0]] || counts[first]*100 < total*mostShare {
			continue
		}
		prefix := m.words[0]
		h.prefix = &prefix
		for i := range h.members {
			if o := &h.members[i]; len(o.words) > 1 && singular(o.words[0]) == first {
				o.words = o.words[1:]
			}
		}
		return
	}
}

func (h *house) findConvention() {
	first := 0
	for _, m := range h.members {
		if m.startsWithVerb() {
			first++
		}
	}
	switch total := len(h.members); {
	case total == 0:
	case first*100 >= total*mostShare:
		h.convention = VerbFirst
	case first*100 <= total*fewShare:
		h.convention = NounFirst
	}
}

func (m named) startsWithVerb() bool { return verbs[m.words[0]] }

// key is what a family is grouped by: the first word, a noun in the singular.
func (m named) key() string {
	if m.startsWithVerb() {
		return m.words[0]
	}
	return m.nouns[0]
}

// group is a family in the making.
type group struct {
	members []named
	fixed   string // the name that a pattern gave, or ""
	verb    bool   // the first word is a verb
	objects bool   // grouped by what stands behind a family's name or a verb, where none counts as a verb
}

// group sorts the tools into families, and the outliers of a noun-first house apart.
func (h *house) group(patterns []Pattern) (groups []*group, outliers []named) {
	byKey := map[string]*group{}
	fixed := map[string]*group{}
	sizes := map[string]int{}
	pattern := make([]string, len(h.members))
	for i, m := range h.members {
		if pattern[i] = firstMatch(patterns, m.tool); pattern[i] == "" {
			sizes[m.key()]++
		}
	}
	for i, m := range h.members {
		index, key := byKey, m.key()
		if pattern[i] != "" {
			index, key = fixed, pattern[i]
		} else if h.convention == NounFirst && m.startsWithVerb() && sizes[key] < 2 {
			outliers = append(outliers, m)
			continue
		}
		g := index[key]
		if g == nil {
			g = &group{fixed: pattern[i], verb: m.startsWithVerb()}
			index[key] = g
			groups = append(groups, g)
		}
		g.members = append(g.members, m)
	}
	return groups, outliers
}

// firstMatch returns the family of the first pattern that matches, "" for none.
func firstMatch(patterns []Pattern, name string) string {
	for _, p := range patterns {
		if matches(p.Match, name) {
			return p.Family
		}
	}
	return ""
}

// matches reports whether name fits a pattern in which * stands for any run of
// characters. Each part is looked for once, from the left: linear, no backtracking.
func matches(pattern, name string) bool {
	first, rest, found := strings.Cut(pattern, "*")
	if !found {
		return pattern == name
	}
	if !strings.HasPrefix(name, first) {
		return false
	}
	name = name[len(first):]
	for {
		part, after, found := strings.Cut(rest, "*")
		if !found {
			return strings.HasSuffix(name, part)
		}
		i := strings.Index(name, part)
		if i < 0 {
			return false
		}
		name, rest = name[i+len(part):], after
	}
}

// shared returns how many leading words, from skip on, all members share. It is at
// least one: they were grouped by it. A verb stands alone.
func (g *group) shared(skip int) int {
	first := g.members[0].nouns[skip:]
	if len(g.members) == 1 || g.startsWithVerb(skip) {
		return 1
	}
	n := len(first)
	for _, m := range g.members[1:] {
		other := m.nouns[skip:]
		same := 1
		for same < n && same < len(other) && first[same] == other[same] {
			same++
		}
		n = same
	}
	return n
}

func (g *group) startsWithVerb(skip int) bool {
	return !g.objects && verbs[g.members[0].words[skip]]
}

// family makes the family of a group, named by the words from skip on.
func (g *group) family(skip int) Family {
	f := Family{Subfamilies: []Family{}}
	for _, m := range g.members {
		f.Tools = append(f.Tools, m.tool)
		f.Positions = append(f.Positions, m.position)
	}
	f.Name = g.name(skip)
	return f
}

func (g *group) name(skip int) string {
	if g.fixed != "" {
		return g.fixed
	}
	m := g.members[0]
	if g.startsWithVerb(skip) {
		return m.words[skip]
	}
	return strings.Join(m.nouns[skip:skip+g.shared(skip)], "_")
}

// subfamilies groups the members of a large family by the words that follow its
// name. A group of one is none.
func (g *group) subfamilies() []Family {
	skip := 0
	if g.fixed == "" {
		skip = g.shared(0)
	}
	byWord := map[string]*group{}
	var order []*group
	for _, m := range g.members {
		if len(m.words) <= skip {
			continue
		}
		word := m.nouns[skip]
		s := byWord[word]
		if s == nil {
			s = &group{objects: true}
			byWord[word] = s
			order = append(order, s)
		}
		s.members = append(s.members, m)
	}
	families := []Family{}
	for _, s := range order {
		if len(s.members) > 1 {
			families = append(families, s.family(skip))
		}
	}
	return families
}
