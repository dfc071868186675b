package host

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// fix proposes what to do about an issue: text to paste where there is one.
func (c *checkup) fix(i Issue) string {
	if i.item == nil {
		return listingFixes[i.Rule]
	}
	if f := fixes[i.Rule]; f != nil {
		return f(c, i)
	}
	return ""
}

// listingFixes are for issues of no single tool.
var listingFixes = map[Rule]string{
	RuleCount:       "Serve fewer tools: split the server, or switch groups of tools on by a flag.",
	RuleServerName:  "Give the server a name of letters, digits, - and _ in the documentation of its configuration.",
	RuleInstruction: "Say what every call needs in the descriptions of the tools, and what counts of the instructions at their beginning.",
}

var fixes = map[Rule]func(*checkup, Issue) string{
	RuleListing:     fixListing,
	RuleNameLength:  fixLongName,
	RuleNameChars:   fixNameChars,
	RuleServerName:  func(*checkup, Issue) string { return listingFixes[RuleServerName] },
	RuleCollision:   fixCollision,
	RuleGenericName: fixGeneric,
	RuleRootUnion:   fixRootUnion,
	RuleProperty:    fixProperty,
	RuleSchema:      fixSchema,
	RuleItems: func(*checkup, Issue) string {
		return `"items": {"type": "string"}, or the schema that the elements have.`
	},
	RuleProperties:  func(*checkup, Issue) string { return `"properties": {}` },
	RuleDescription: fixDescription,
	RuleMoved: func(*checkup, Issue) string {
		return "Move the sentence to the front, or what was put in front of it to the end."
	},
	RuleTypeList: fixTypeList,
	RuleKeyword:  fixKeyword,
	RuleEnum:     fixEnum,
	RuleFormat: func(*checkup, Issue) string {
		return "Remove format, and say in the description what the text looks like."
	},
	RuleRef:   fixRef,
	RuleUnion: func(*checkup, Issue) string { return "Say in the description of the property which forms it takes." },
	RuleSize: func(*checkup, Issue) string {
		return "Make the schema smaller: say what counts in the description of the tool, which is not cut there."
	},
	RuleConstraint: fixConstraint,
	RulePage:       func(*checkup, Issue) string { return "Return all tools on the first page." },
	RuleText:       func(*checkup, Issue) string { return "" },
}

func fixListing(c *checkup, i Issue) string {
	in := i.item.tool.exact.get("inputSchema")
	switch {
	case i.Pointer == "/inputSchema/type":
		return `"type": "object"`
	case strings.HasPrefix(i.Pointer, "/inputSchema") && !in.is('{'):
		return `"inputSchema": {"type": "object", "properties": {}}`
	case i.Pointer == "/inputSchema/properties":
		return `"properties": {}`
	case strings.HasPrefix(i.Pointer, "/inputSchema/properties/"):
		return i.Pointer[len("/inputSchema/properties/"):] + ` needs an object as its schema: {} takes anything, {"type": "string"} a text.`
	case i.Pointer == "/inputSchema/required":
		return `"required": []`
	case strings.HasPrefix(i.Pointer, "/outputSchema"):
		return `Put "type": "object" at the root of outputSchema, or leave outputSchema out.`
	case i.Pointer == "/name":
		return "Give every tool a name of its own."
	case i.Pointer == "/title" || i.Pointer == "/description":
		return "Make it a text, or leave the field out."
	}
	return "Make the definition valid: a text as name, an object as inputSchema."
}

// fixLongName proposes a name that fits, cut between words.
func fixLongName(c *checkup, i Issue) string {
	names := c.r.p.Names
	limit := names.Limit
	if limit == 0 || limit > 64 {
		limit = 64
	}
	room := limit - names.size(i.item.fullName()) + names.size(i.item.tool.name)
	if names.Limit > 0 { // the name as sent is cut already
		room = limit - names.size(names.join(i.item.tool).clean) + names.size(i.item.tool.name)
	}
	if room < 8 {
		return fmt.Sprintf("No name fits beside a server's name of this length: use a shorter server name, and at most %d characters in all.", limit)
	}
	return fmt.Sprintf("At most %d characters are left beside this server's name, if it is to fit the %d of every host, such as %q.", room, limit, names.shorter(i.item.tool.name, room))
}

// shorter cuts a name to a size of n, between two words where it can.
func (r NameRules) shorter(s string, n int) string {
	r.Limit = n
	cut := r.head(s)
	if cut == s {
		return s
	}
	if at := strings.LastIndexAny(cut, "_-./"); at > n/2 {
		cut = cut[:at]
	}
	return cut
}

func fixNameChars(c *checkup, i Issue) string {
	clean := plainName(i.item.tool.name)
	switch {
	case clean == "" || clean == i.item.tool.name:
		return "Use letters, digits, _ and - only."
	case i.item.tool.server.plain()[clean] > 1:
		return fmt.Sprintf("Use letters, digits, _ and - only, and no name that is like another: more than one tool would be %q.", clean)
	}
	return fmt.Sprintf(`"name": %q`, clean)
}

// plainName writes a name in the characters that every provider takes. Letters lose
// their accents and stay.
func plainName(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFKD.String(visible(s)))
	return Clean{Keep: "a-zA-Z0-9_-", With: "_", Per: "run", Trim: "_"}.apply(s)
}

func fixCollision(c *checkup, i Issue) string {
	if isTwin(i.item.tool) {
		return "Give every tool a name of its own."
	}
	return "Make the names differ in their first words, and in more than the characters that hosts replace."
}

func fixGeneric(c *checkup, i Issue) string {
	server := Clean{Keep: "a-zA-Z0-9_", With: "_", Per: "run", Trim: "_"}.apply(i.item.tool.server.name)
	if server == "" {
		return "Put the name of the product in front."
	}
	return fmt.Sprintf(`"name": %q`, NameRules{}.shorter(server+"_"+i.item.tool.name, 64))
}

// fixRootUnion offers the forms that are accepted everywhere and say the same.
func fixRootUnion(c *checkup, i Issue) string {
	in := i.item.tool.exact.get("inputSchema")
	keyword := i.Pointer[strings.LastIndexByte(i.Pointer, '/')+1:]
	branches := elemsOf(in.get(keyword))
	check := fmt.Sprintf("Remove %s, list every property under properties, say the rule in the description, and check it in the handler.", keyword)
	if keyword != "anyOf" || len(branches) != 2 { // of oneOf, both at once must be refused
		return check
	}
	a, b := branches[0].get("required").texts(), branches[1].get("required").texts()
	if len(a) == 0 || len(b) == 0 {
		return check
	}
	return fmt.Sprintf(`%s Or write it as "if": {"not": {"required": %s}}, "then": {"required": %s}.`, check, strs(a).bytes(), strs(b).bytes())
}

func fixProperty(c *checkup, i Issue) string {
	name := i.Pointer[strings.LastIndexByte(i.Pointer, '/')+1:]
	name = unescapePointer(name)
	clean := cutUTF16(Clean{Keep: "a-zA-Z0-9_-", With: "_", Per: "run", Trim: "_"}.apply(name), 64)
	if clean == "" {
		return "Name the property in letters a to z, and keep its name in your language in the description."
	}
	return fmt.Sprintf("Call it %q, and map it to the old name in the handler.", clean)
}

func fixSchema(c *checkup, i Issue) string {
	switch {
	case strings.HasSuffix(i.Pointer, "/items"):
		return `"prefixItems": […] with "items": false for a list of fixed parts, or one schema as "items".`
	case strings.HasSuffix(i.Pointer, "/exclusiveMinimum"), strings.HasSuffix(i.Pointer, "/exclusiveMaximum"):
		return "Write the bound itself as the value of the keyword, and remove minimum or maximum."
	case strings.HasSuffix(i.Pointer, "/required"):
		return `"required": ["name", …] beside properties, each name once.`
	case strings.HasSuffix(i.Pointer, "/type"):
		return "One of " + strings.Join(typeNames, ", ") + ", or a list of them."
	}
	return "Write the schema in draft 2020-12."
}

// fixDescription says how much is seen, and what is named only behind the cut.
func fixDescription(c *checkup, i Issue) string {
	text := i.item.tool.exact.get("description").string()
	limit := c.r.p.Description.Limit
	if api := c.r.p.api(); api != nil && api.Accepts.Description > 0 {
		limit = api.Accepts.Description
	}
	for _, d := range c.r.p.Doubts {
		if d.Limit > 0 && i.Level == Info {
			limit = d.Limit
		}
	}
	seen := cutUTF16(text, limit)
	hidden := namesOnlyIn(text[len(seen):], seen)
	fix := fmt.Sprintf("Say what counts in the first %d characters; %d of %d come after them.", limit, utf16Len(text)-utf16Len(seen), utf16Len(text))
	if len(hidden) > 0 {
		fix += " Named only after them: " + strings.Join(hidden, ", ") + "."
	}
	return fix
}

// mostNames bounds the names that a fix lists.
const mostNames = 12

// namesOnlyIn returns words that look like names of tools or functions, stand in
// tail, and don't stand in head.
func namesOnlyIn(tail, head string) []string {
	isName := func(r rune) bool {
		return r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
	}
	known := map[string]bool{}
	for _, w := range strings.FieldsFunc(head, func(r rune) bool { return !isName(r) }) {
		known[w] = true
	}
	var out []string
	for _, w := range strings.FieldsFunc(tail, func(r rune) bool { return !isName(r) }) {
		if strings.Contains(strings.Trim(w, "_"), "_") && !known[w] && len(w) < 80 {
			known[w] = true
			if out = append(out, w); len(out) == mostNames {
				break
			}
		}
	}
	return out
}

// at returns the value that a pointer leads to in the definition of an issue.
func (i Issue) at(pointer string) *node { return valueAt(i.item.tool.exact, pointer) }

func fixTypeList(c *checkup, i Issue) string {
	types := i.at(i.Pointer).texts()
	rest := slices.DeleteFunc(slices.Clone(types), func(t string) bool { return t == "null" })
	if len(rest) == 1 && len(types) == 2 {
		return fmt.Sprintf(`"type": %q, "nullable": true; or leave the property out of required.`, rest[0])
	}
	return "Choose one type, and convert in the handler."
}

func fixKeyword(c *checkup, i Issue) string {
	keyword := i.Pointer[strings.LastIndexByte(i.Pointer, '/')+1:]
	switch keyword {
	case "exclusiveMinimum", "exclusiveMaximum":
		v := i.at(i.Pointer)
		parent := i.at(strings.TrimSuffix(i.Pointer, "/"+keyword))
		if v.is('0') && parent.get("type").isText("integer") {
			step := 1.0
			if keyword == "exclusiveMaximum" {
				step = -1
			}
			return fmt.Sprintf(`"%s": %s`, strings.ToLower(keyword[len("exclusive"):]), formatDouble(parseDouble(v.bytes())+step))
		}
		return "Say the bound in the description."
	case "default":
		return "Say the default in the description."
	}
	return "Remove " + keyword + "."
}

func fixEnum(c *checkup, i Issue) string {
	values := i.at(i.Pointer)
	if !values.is('[') || len(values.elems) > 40 {
		return "Make every value a text, and convert in the handler."
	}
	return fmt.Sprintf(`"type": "string", "enum": %s; convert in the handler.`, values.mapElems(asText).bytes())
}

// fixRef shows the definition, when it is small enough to be pasted.
func fixRef(c *checkup, i Issue) string {
	def := localDef(i.at(i.Pointer).string())
	table, name, _ := strings.Cut(def, "/")
	target := i.item.tool.exact.get("inputSchema").get(table).get(name)
	if b := target.bytes(); target != nil && len(b) <= 200 {
		return "Put the definition itself in the place of $ref: " + string(b)
	}
	return "Put the definitions themselves in the place of the references."
}

func fixConstraint(c *checkup, i Issue) string {
	v := i.at(i.Pointer)
	keyword := i.Pointer[strings.LastIndexByte(i.Pointer, '/')+1:]
	switch {
	case keyword == "description" && i.What == Dropped:
		return "Give the property a type: its description is lost with the rest of a schema that has none."
	case v == nil || i.What != Dropped || i.Level == Info || len(v.bytes()) > 120:
		return ""
	}
	return fmt.Sprintf("Say it in the description as well, if the model has to know: %s %s.", keyword, v.bytes())
}
