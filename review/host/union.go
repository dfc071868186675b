package host

import (
	"fmt"
	"slices"
	"strings"
)

// sayable are the keywords of a branch that a sentence of a description can say.
var sayable = strings.Fields("type properties required title description")

// fixRootUnion takes a union away from the root: its properties are listed, its rule
// goes into the description. Where only both branches are ruled out, conditions say
// the same.
func fixRootUnion(_ *checkup, i Issue) remedy {
	_, keyword := parentOf(i.Pointer)
	in := i.at("/inputSchema")
	say := fmt.Sprintf("Remove %s, list every property under properties, say the rule in the description, and check it in the handler.", keyword)
	branches := elemsOf(in.get(keyword))
	if len(branches) == 0 {
		return i.paste(say, remove(i.Pointer))
	}
	for _, b := range branches {
		for _, m := range b.membersOf() {
			if !slices.Contains(sayable, m.name) {
				return advice("%s", say)
			}
		}
	}
	r := paste(say, apart(i, in, keyword, branches)...)
	if keyword != "anyOf" || len(branches) != 2 || i.What != Refused || in.hasAny("if", "then", "else") { // of oneOf, both at once must be refused
		return r
	}
	a, b := branches[0].get("required").texts(), branches[1].get("required").texts()
	if len(a) == 0 || len(b) == 0 || branches[0].has("properties") || branches[1].has("properties") {
		return r
	}
	unless, then := object(member{"not", object(member{"required", strs(a)})}), object(member{"required", strs(b)})
	r.say += fmt.Sprintf(` Or write it as "if": {"not": {"required": %s}}, "then": {"required": %s}.`, strs(a).bytes(), strs(b).bytes())
	r.patches = append(r.patches, Patch{remove(i.Pointer), add("/inputSchema/if", unless), add("/inputSchema/then", then)})
	return r
}

// apart moves what the branches of a union hold to the root and into the description.
func apart(i Issue, in *node, keyword string, branches []*node) []Op {
	props, required := newBuilder(in.get("properties")), in.get("required").texts()
	var rules []string
	for _, b := range branches {
		for _, m := range b.get("properties").membersOf() {
			if props.get(m.name) == nil {
				props.set(m.name, m.value)
			}
		}
		if needs := b.get("required").texts(); len(needs) > 0 {
			rules = append(rules, strings.Join(needs, " and "))
			if keyword == "allOf" {
				required = unite(required, needs)
			}
		}
	}
	ops := []Op{remove(i.Pointer), add("/inputSchema/properties", props.node())}
	switch {
	case len(rules) == 0:
		return ops
	case keyword == "allOf":
		return append(ops, add("/inputSchema/required", strs(required)))
	}
	sentence := "Give at least one of these: "
	if keyword == "oneOf" {
		sentence = "Give exactly one of these: "
	}
	text := i.at("/description").string() + " " + sentence + strings.Join(rules, "; ") + "."
	return append(ops, add("/description", str(strings.TrimSpace(text))))
}
