package surface

// linkWords stand between the words that count.
var linkWords = wordSet("a all an and any as at by for from in into my new of on or out over the then to up via with")

// qualifiers say which or how many of what a tool acts on, and never what it is.
var qualifiers = wordSet("current each every last latest many multiple next other previous recent selected several single")

// joins are link words behind which another verb is coordinated with the first.
var joins = wordSet("and or then")

// object returns the index of the word that says what the tool acts on, and whether
// there is one. Only the first verb of a name is a verb (get_merge_request acts on a
// merge request), apart from verbs that are joined to it (get_or_create_user) and a
// leading "bulk".
func (m named) object() (int, bool) {
	i := 0
	if m.words[0] == "bulk" && len(m.words) > 2 && verbs[m.words[1]] {
		i++
	}
	i++
	for i < len(m.words) && linkWords[m.words[i]] {
		joined := joins[m.words[i]]
		i++
		if joined && i < len(m.words) && verbs[m.words[i]] {
			i++
		}
	}
	for i+1 < len(m.words) && qualifiers[m.words[i]] && !linkWords[m.words[i+1]] {
		i++
	}
	return i, i < len(m.words)
}

// acts returns m with only the words of what it acts on, from index i to the next
// word that links it to something else: user, of get_user_by_id.
func (m named) acts(i int) named {
	end := i + 1
	for end < len(m.words) && !linkWords[m.words[end]] {
		end++
	}
	m.words, m.nouns = m.words[i:end], m.nouns[i:end]
	return m
}

// objects groups the tools of a verb-first house by what they act on, in order of
// first appearance. Tools that name no noun are in no group.
func (h *house) objects() []Object {
	byNoun := map[string]*group{}
	var order []*group
	for _, m := range h.members {
		i, ok := m.object()
		if !ok || !m.startsWithVerb() {
			continue
		}
		m = m.acts(i)
		g := byNoun[m.nouns[0]]
		if g == nil {
			g = &group{objects: true}
			byNoun[m.nouns[0]] = g
			order = append(order, g)
		}
		g.members = append(g.members, m)
	}
	objects := []Object{}
	for _, g := range order {
		f := g.family(0)
		objects = append(objects, Object{f.Name, f.Tools, f.Positions})
	}
	return objects
}

// nounIndex finds the family that a noun belongs to: first by the word that the
// family is grouped by, then by any word of its name.
type nounIndex struct{ first, any map[string]string }

func newNounIndex(groups []*group) nounIndex {
	x := nounIndex{map[string]string{}, map[string]string{}}
	for _, g := range groups {
		if g.verb {
			continue
		}
		name := g.name(0)
		if g.fixed != "" {
			for _, w := range splitWords(name) {
				x.add(x.any, singular(w), name)
			}
			continue
		}
		x.add(x.first, g.members[0].nouns[0], name)
		for _, w := range g.members[0].nouns[:g.shared(0)] {
			x.add(x.any, w, name)
		}
	}
	return x
}

// add keeps the first family of a word.
func (x nounIndex) add(m map[string]string, word, family string) {
	if _, there := m[word]; !there {
		m[word] = family
	}
}

// outlier says what it costs that m stands outside of every family.
func (m named) outlier(x nounIndex) Outlier {
	o := Outlier{Tool: m.tool, Position: m.position, Cost: Unsortable}
	i, ok := m.object()
	if !ok {
		return o
	}
	o.Cost = Free
	for _, index := range []map[string]string{x.first, x.any} {
		for _, noun := range m.nouns[i:] {
			if family, there := index[noun]; there && !linkWords[noun] {
				o.Cost, o.RelatedFamily = Expensive, family
				return o
			}
		}
	}
	return o
}
