package change

import (
	"slices"
	"strings"

	"github.com/countersign/countersign/review/schema"
	"github.com/countersign/countersign/review/surface"
)

// profile is what a tool is recognised by under another name.
type profile struct {
	tool   *surface.Tool
	body   surface.Hash // of the definition without its name and title
	words  map[string]int
	params map[string]int // path and type of every parameter
	names  []string       // of the top-level parameters
}

func profilesOf(tools []*surface.Tool) []*profile {
	all := make([]*profile, len(tools))
	for i, t := range tools {
		all[i] = profileOf(t)
	}
	return all
}

func profileOf(t *surface.Tool) *profile {
	p := &profile{tool: t, body: bodyHash(t), params: map[string]int{}}
	text, _ := t.Description()
	p.words = wordSet(text)
	in, ok := t.InputSchema()
	if !ok {
		return p
	}
	props, err := schema.Properties(in)
	if err != nil {
		return p
	}
	for _, prop := range props {
		p.params[prop.Path+" "+prop.Type]++
		if prop.Depth == 0 {
			p.names = append(p.names, prop.Name)
		}
	}
	return p
}

// bodyHash is the digest of what a rename leaves as it is.
func bodyHash(t *surface.Tool) surface.Hash {
	if t.Raw.Kind() != '{' {
		return t.RawHash
	}
	var parts []string
	for name, v := range t.Fields() {
		if name != "name" && name != "title" {
			parts = append(parts, string(surface.EncodeString(name))+":"+string(canonical(v)))
		}
	}
	slices.Sort(parts)
	return surface.HashOf([]byte(strings.Join(parts, ",")))
}

// telling reports whether the definition says enough to be recognised by.
func (p *profile) telling() bool { return len(p.params) > 0 || size(p.words) >= 3 }

// textLike compares the descriptions. A text that only gained sentences is nearly
// the same text.
func (p *profile) textLike(q *profile) float64 {
	if size(p.words) == 0 && size(q.words) == 0 {
		return 0.5 // nothing speaks for it, nothing against it
	}
	like := dice(p.words, q.words)
	if min(size(p.words), size(q.words)) >= 4 {
		like = max(like, 0.9*contained(p.words, q.words))
	}
	return like
}

func (p *profile) shapeLike(q *profile) float64 { return dice(p.params, q.params) }

// lostParameters lists the top-level parameters of old that new doesn't name.
func lostParameters(old, new *profile) []string {
	lost := []string{}
	for _, name := range old.names {
		if !slices.Contains(new.names, name) {
			lost = append(lost, name)
		}
	}
	return lost
}
