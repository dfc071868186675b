package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/countersign/countersign/review/prose"
)

// declaresErrors reports whether a text promises failures as values that a caller can
// branch on.
func declaresErrors(v *view) bool { return len(errorCodes(v)) > 0 }

// errorCodes are the quoted codes that stand near the word error.
func errorCodes(v *view) []string {
	s := ""
	if v.desc != nil {
		s = v.desc.s
	}
	var out []string
	for i := strings.Index(s, "error"); i >= 0; i = nextIndex(s, "error", i) {
		rest := strings.TrimLeft(s[i+len("error"):], "\"'`: =(s")
		end := 0
		for end < len(rest) && (isKeyByte(rest[end]) || rest[end] == '_') {
			end++
		}
		code := rest[:end]
		quoted := end < len(rest) && strings.IndexByte("\"'`", rest[end]) >= 0
		if quoted && len(code) >= 3 && code[0] != '-' {
			out = append(out, code)
		}
	}
	return out
}

// failures looks at how tools of one server fail: as values, or as sentences.
func (h *house) failures() {
	typed := map[*view]bool{}
	spellings := map[string][]string{}
	var keys []string
	for _, v := range h.views {
		for _, code := range errorCodes(v) {
			typed[v] = true
			key := strings.Join(nameWords(code), "")
			if spellings[key] == nil {
				keys = append(keys, key)
			}
			if !slices.Contains(spellings[key], code) {
				spellings[key] = append(spellings[key], code)
			}
		}
	}
	for _, key := range keys {
		if s := spellings[key]; len(s) > 1 {
			h.add("surface.error-code-drift", Info, "", strings.Join(s, " "), fmt.Sprintf("One failure has several spellings: %s.", listNames(s)))
		}
	}
	h.mixedFailures(typed)
}

func (h *house) mixedFailures(typed map[*view]bool) {
	var yes, no []string
	for _, v := range h.views {
		if typed[v] {
			yes = append(yes, v.name)
		} else {
			no = append(no, v.name)
		}
	}
	if len(yes) == 0 || len(no) == 0 {
		return
	}
	if len(yes) >= 2 && len(no) >= 2 {
		h.add("surface.error-convention-mixed", Warn, "", strings.Join(yes, " ")+"|"+strings.Join(no, " "),
			fmt.Sprintf("%s their failures as values (%s); the others say nothing (%s), so a model can't know which is coming.", declare(len(yes)), listNames(yes), listNames(no)))
		return
	}
	for _, f := range h.families.Families {
		in, out := []string{}, []string{}
		for _, p := range f.Positions {
			if v := h.views[p-1]; typed[v] {
				in = append(in, v.name)
			} else {
				out = append(out, v.name)
			}
		}
		if len(in) > 0 && len(out) > 0 {
			h.add("surface.error-convention-mixed", Warn, "", strings.Join(in, " ")+"|"+strings.Join(out, " "),
				fmt.Sprintf("In the family %q, %s declares its failures as values and %s says nothing.", short(f.Name, 60), listNames(in), listNames(out)))
		}
	}
}

func declare(n int) string {
	if n == 1 {
		return "1 tool declares"
	}
	return fmt.Sprintf("%d tools declare", n)
}

// use is a parameter of one tool, beside others of that name.
type use struct {
	v *view
	p *param
}

// parameters looks at what tools call the same thing, and say of it.
func (h *house) parameters() {
	uses := map[string][]use{}
	var order []string
	for _, v := range h.views {
		for _, p := range v.params {
			if p.depth > 0 {
				continue
			}
			if uses[p.name] == nil {
				order = append(order, p.name)
			}
			uses[p.name] = append(uses[p.name], use{v, p})
		}
	}
	for _, name := range order {
		h.copyDrift(name, uses[name])
	}
	h.namingMixed(order, uses)
	h.absentSiblings(order, uses)
}

// Bounds on how many wordings of a parameter are compared.
const maxWordings = 6

// copyDrift finds a text that several tools share, and one of them with a small edit:
// nothing else keeps copies in step.
func (h *house) copyDrift(name string, all []use) {
	if len(all) < 2 {
		return
	}
	groups := map[string][]use{}
	var texts []string
	for _, u := range all {
		if u.p.desc == "" {
			continue
		}
		if groups[u.p.desc] == nil {
			texts = append(texts, u.p.desc)
		}
		groups[u.p.desc] = append(groups[u.p.desc], u)
	}
	if len(texts) < 2 {
		return
	}
	slices.SortStableFunc(texts, func(a, b string) int { return len(groups[b]) - len(groups[a]) })
	main := texts[0]
	for _, other := range texts[1:min(len(texts), maxWordings)] {
		a, b := groups[main][0], groups[other][0]
		if len(groups[main]) < 2 && statedDefault(lower(main)) == statedDefault(lower(other)) || !sameType(a.p, b.p) || len(words(main)) < 5 {
			continue
		}
		sim := similarity(main, other)
		if sim < 0.66 || len(groups[main]) < 2 && sim < 0.8 || lower(main) == lower(other) || !h.contractDiffers(main, other, a.v, b.v) {
			continue
		}
		h.at(b.v, "param.copy-drift", Warn, b.p.schema, fmt.Sprintf("%q is described in %d tools as %s and here as %s. Copies that differ by a little were meant to be one.", short(name, 60), len(groups[main]), quote(short(main, 120)), quote(short(other, 120))))
		return
	}
}

func sameType(a, b *param) bool {
	return slices.Equal(a.types, b.types) && valueOf(a.schema.get("enum")) == valueOf(b.schema.get("enum"))
}

// contractDiffers reports whether the difference says something about a call, and is not
// the name of what each tool acts on.
func (h *house) contractDiffers(a, b string, va, vb *view) bool {
	if statedDefault(lower(a)) != statedDefault(lower(b)) {
		return true
	}
	own := map[string]bool{}
	for _, w := range append(append([]string{}, va.words...), vb.words...) {
		own[stem(w)] = true
	}
	differs := false
	x, y := contentWords(a), contentWords(b)
	for _, pair := range [][2][]string{{x, y}, {y, x}} {
		for _, w := range pair[0] {
			if !slices.Contains(pair[1], w) {
				if own[w] {
					return false
				}
				differs = true
			}
		}
	}
	return differs && len(prose.ContractDelta(a, b)) > 0
}

var sameThing = [][]string{{"repo", "repository", "repo_slug"}, {"dir", "directory", "folder"}, {"msg", "message"}, {"desc", "description"}, {"q", "query"}, {"num", "number"}}

// namingMixed finds one concept under two names.
func (h *house) namingMixed(order []string, uses map[string][]use) {
	byWords := map[string]string{}
	var pairs []string
	for _, name := range order {
		key := strings.Join(nameWords(name), " ")
		if first, ok := byWords[key]; ok && first != name && style(first) != style(name) {
			pairs = append(pairs, first+" and "+name)
			continue
		}
		byWords[key] = name
	}
	for _, group := range sameThing {
		var have []string
		for _, name := range group {
			if len(uses[name]) > 0 {
				have = append(have, name)
			}
		}
		if len(have) > 1 && group[0] != "q" {
			pairs = append(pairs, strings.Join(have, " and "))
		}
	}
	if len(pairs) > 0 {
		h.add("param.naming-mixed", Info, "", strings.Join(pairs, ";"), "One thing has two names: "+listNames(pairs)+".")
	}
}

// makers are verbs of tools that rightly take no id of what they make or look for.
var makers = setOf("create add new list search find count register insert open start init upload import browse query send bulk batch upsert all")

// absentSiblings finds a parameter that relatives of a tool take and it does not, without
// a word on it.
func (h *house) absentSiblings(order []string, uses map[string][]use) {
	for _, name := range order {
		all := uses[name]
		if len(all) < 3 || len(nameWords(name)) < 2 && name != "repo" && name != "project" {
			continue
		}
		has := map[*view]bool{}
		perFamily := map[string]int{}
		required := map[string]int{}
		firm := 0
		for _, u := range all {
			has[u.v] = true
			if u.p.required {
				firm++
			}
			if f := h.family[u.v.tool.Position]; f != nil {
				perFamily[f.Name]++
				if u.p.required {
					required[f.Name]++
				}
			}
		}
		for _, v := range h.relatives(perFamily) {
			if !has[v] && h.expects(v, perFamily, required, len(all), firm) && !strings.Contains(v.prose(), lower(name)) && !(len(v.words) > 0 && makers.any(v.words)) {
				h.at(v, "param.absent-sibling", Info, orRoot(v.input, v.root), fmt.Sprintf("%d tools take %q, its relatives among them, and %q does not. If that is meant, the text has to say so.", len(all), short(name, 60), short(v.name, 80)))
			}
		}
	}
}

// relatives are the tools of these families and the outliers that belong to them, in
// the order of the listing.
func (h *house) relatives(perFamily map[string]int) []*view {
	if h.oneNamespace() {
		return h.views
	}
	var out []*view
	for _, f := range h.families.Families {
		if perFamily[f.Name] > 0 {
			for _, p := range f.Positions {
				out = append(out, h.views[p-1])
			}
		}
	}
	for _, o := range h.families.Outliers {
		if perFamily[o.RelatedFamily] > 0 {
			out = append(out, h.views[o.Position-1])
		}
	}
	return out
}

// oneNamespace reports whether a listing is a family as a whole: four tools to a dozen, all
// names begin with the same word, and no two of them share more.
func (h *house) oneNamespace() bool {
	if len(h.views) < 4 || len(h.views) > 12 {
		return false
	}
	for i := range h.families.Families {
		if len(h.families.Families[i].Tools) > 1 {
			return false
		}
	}
	for _, v := range h.views {
		if len(v.words) < 2 || v.words[0] != h.views[0].words[0] {
			return false
		}
	}
	return true
}

// expects reports whether a model that knows the relatives of v would think that it
// takes the parameter, too.
func (h *house) expects(v *view, perFamily, required map[string]int, users, firm int) bool {
	if h.oneNamespace() {
		return users >= 3 && users*10 >= len(h.views)*6 && firm*2 > users
	}
	if f := h.family[v.tool.Position]; f != nil && len(f.Tools) >= 4 {
		return perFamily[f.Name]*10 >= len(f.Tools)*6 && required[f.Name]*2 > perFamily[f.Name] && perFamily[f.Name] >= 3
	}
	for _, o := range h.families.Outliers {
		if o.Position == v.tool.Position && o.RelatedFamily != "" {
			return perFamily[o.RelatedFamily] > 0
		}
	}
	return false
}
