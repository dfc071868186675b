package host

import (
	"fmt"
	"slices"
	"strings"
)

// remedy is what to do about an issue: words, with the text to paste where there is
// one, and the patches that paste it. Each patch alone makes the issue go; where only
// a person can write what is needed there is none.
type remedy struct {
	say     string
	patches []Patch
}

func advice(format string, args ...any) remedy { return remedy{say: fmt.Sprintf(format, args...)} }

// paste is a remedy of one patch.
func paste(say string, ops ...Op) remedy { return remedy{say, []Patch{ops}} }

// fix proposes what to do about an issue.
func (c *checkup) fix(i Issue) remedy {
	if i.item == nil {
		return advice("%s", listingFixes[i.Rule])
	}
	f := fixes[i.Rule]
	switch {
	case f == nil:
		return remedy{}
	case !i.item.tool.exact.is('{'):
		return advice("Make the definition an object: a text as name, an object as inputSchema.")
	}
	r := f(c, i)
	r.patches = slices.DeleteFunc(r.patches, func(p Patch) bool { return p.size() > mostPasted })
	return r
}

// listingFixes are for issues of no single tool.
var listingFixes = map[Rule]string{
	RuleCount:       "Serve fewer tools: split the server, or switch groups of tools on by a flag.",
	RuleServerName:  "Give the server a name of letters, digits, - and _ in the documentation of its configuration.",
	RuleInstruction: "Say what every call needs in the descriptions of the tools, and what counts of the instructions at their beginning.",
}

// inWords are the remedies that are the same for every definition.
var inWords = map[Rule]string{
	RuleServerName: listingFixes[RuleServerName],
	RuleMoved:      "Move the sentence to the front, or what was put in front of it to the end.",
	RuleUnion:      "Say in the description of the property which forms it takes.",
	RuleSize:       "Make the schema smaller: say what counts in the description of the tool, which is not cut there.",
	RulePage:       "Return all tools on the first page.",
}

var fixes = map[Rule]func(*checkup, Issue) remedy{
	RuleListing:     fixListing,
	RuleNameLength:  fixLongName,
	RuleNameChars:   fixNameChars,
	RuleCollision:   fixCollision,
	RuleGenericName: fixGeneric,
	RuleRootUnion:   fixRootUnion,
	RuleProperty:    fixProperty,
	RuleSchema:      fixSchema,
	RuleItems: func(_ *checkup, i Issue) remedy {
		return i.paste(`"items": {"type": "string"}, or the schema that the elements have.`, add(i.Pointer+"/items", typed("string")))
	},
	RuleProperties: func(_ *checkup, i Issue) remedy {
		return i.paste(`"properties": {}`, add(i.Pointer+"/properties", emptyNode))
	},
	RuleDescription: fixDescription,
	RuleTypeList:    fixTypeList,
	RuleKeyword:     fixKeyword,
	RuleEnum:        fixEnum,
	RuleFormat:      fixFormat,
	RuleRef:         fixRef,
	RuleConstraint:  fixConstraint,
}

func init() {
	for rule, say := range inWords {
		fixes[rule] = func(*checkup, Issue) remedy { return advice("%s", say) }
	}
}

// at returns the value that a pointer leads to in the definition of an issue.
func (i Issue) at(pointer string) *node { return valueAt(i.item.tool.exact, pointer) }

// paste is a remedy of one patch where the definition has what the pointer of the
// issue leads to; else, where the host made that place itself, it is only words.
func (i Issue) paste(say string, ops ...Op) remedy {
	if i.at(i.Pointer) == nil {
		return remedy{say: say}
	}
	return paste(say, ops...)
}

// parentOf splits the last step from a pointer.
func parentOf(pointer string) (parent, step string) {
	at := strings.LastIndexByte(pointer, '/')
	return pointer[:at], unescapePointer(pointer[at+1:])
}

// fixListing repairs what a host can't read of a definition.
func fixListing(c *checkup, i Issue) remedy {
	field, rest, _ := strings.Cut(strings.TrimPrefix(i.Pointer, "/"), "/")
	v := i.at(i.Pointer)
	switch field {
	case "inputSchema", "outputSchema":
		return fixReadSchema(i, "/"+field, rest)
	case "name":
		if v.is('"') {
			return c.rename(i, i.item.tool.name)
		}
		return advice("Give the tool a name: a text of letters, digits, _ and -.")
	case "title", "description", "annotations", "_meta":
		return paste("Make it what the specification wants, or leave it out.", remove(i.Pointer))
	}
	return advice("Make the definition valid: a text as name, an object as inputSchema.")
}

// fixReadSchema repairs a schema of which a host reads the root and its properties.
func fixReadSchema(i Issue, root, rest string) remedy {
	_, property, inside := strings.Cut(rest, "properties/")
	switch s := i.at(root); {
	case !s.is('{') && root == "/outputSchema":
		return paste("Leave outputSchema out, or make it an object.", remove(root))
	case !s.is('{'):
		return paste(`"inputSchema": {"type": "object", "properties": {}}`, add(root, typed("object").with("properties", emptyNode)))
	case rest == "type":
		return paste(`"type": "object"`, add(i.Pointer, str("object")))
	case rest == "properties":
		return paste(`"properties": {}`, replace(i.Pointer, emptyNode))
	case inside && !strings.Contains(property, "/") && !i.at(i.Pointer).is('{'):
		return paste(property+` needs an object as its schema: {} takes anything, {"type": "string"} a text.`, replace(i.Pointer, emptyNode))
	}
	return fixSchema(nil, i)
}

// misnamed are names of types in programming languages, and what they are called in
// a schema.
var misnamed = map[string]string{
	"int": "integer", "int32": "integer", "int64": "integer", "long": "integer", "float": "number", "double": "number", "decimal": "number",
	"str": "string", "text": "string", "bool": "boolean", "dict": "object", "map": "object", "list": "array", "tuple": "array", "none": "null",
}

// fixSchema repairs what a meta-schema rejects.
func fixSchema(_ *checkup, i Issue) remedy {
	parent, keyword := parentOf(i.Pointer)
	v, s := i.at(i.Pointer), i.at(parent)
	if v == nil {
		return advice("Write the schema in draft 2020-12.")
	}
	if !isKeyword(i.Pointer) {
		return paste("A schema is an object: {} takes anything.", replace(i.Pointer, emptyNode))
	}
	switch keyword {
	case "items":
		if v.is('[') {
			return fixTuple(i, parent, s, v)
		}
	case "exclusiveMinimum", "exclusiveMaximum":
		return fixOldBound(i, parent, keyword, s, v)
	case "required":
		return paste(`"required": ["name", …] beside properties, each name once.`, namesOnce(i.Pointer, v))
	case "type":
		return fixTypeName(i, v)
	case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas":
		return paste(fmt.Sprintf("%q: {}, or an object of schemas.", keyword), replace(i.Pointer, emptyNode))
	}
	return paste("Write "+keyword+" as draft 2020-12 has it, or leave it out.", remove(i.Pointer))
}

// fixTuple writes a list of fixed parts as the draft has it.
func fixTuple(i Issue, parent string, s, parts *node) remedy {
	rest := s.get("additionalItems")
	ops := []Op{add(parent+"/prefixItems", parts)}
	if rest != nil {
		ops = append(ops, replace(i.Pointer, rest), remove(parent+"/additionalItems"))
	} else {
		ops = append(ops, remove(i.Pointer))
	}
	return paste(`"prefixItems": […] for a list of fixed parts, with "items": false if there may be no more, or one schema as "items".`, ops...)
}

// fixOldBound writes a bound of draft 4, which is a flag beside the number.
func fixOldBound(i Issue, parent, keyword string, s, flag *node) remedy {
	plain := strings.ToLower(keyword[len("exclusive"):])
	if bound := s.get(plain); flag.is('t') && bound.is('0') {
		return paste(fmt.Sprintf("%q: %s, and remove %s.", keyword, bound.bytes(), plain), replace(i.Pointer, bound), remove(parent+"/"+plain))
	}
	return paste("Write the bound itself as the value of the keyword, or leave it out.", remove(i.Pointer))
}

// namesOnce keeps of a list of names every text once; what is no list goes.
func namesOnce(pointer string, v *node) Op {
	if !v.is('[') {
		return remove(pointer)
	}
	names := array()
	for _, e := range v.elems {
		if e.is('"') {
			names.elems = append(names.elems, e)
		}
	}
	return replace(pointer, distinct(names.elems))
}

func fixTypeName(i Issue, v *node) remedy {
	say := "One of " + strings.Join(typeNames, ", ") + ", or a list of them."
	if name := misnamed[strings.ToLower(v.string())]; name != "" {
		return paste(fmt.Sprintf(`"type": %q`, name), replace(i.Pointer, str(name)))
	}
	if lower := strings.ToLower(v.string()); slices.Contains(typeNames, lower) {
		return paste(fmt.Sprintf(`"type": %q`, lower), replace(i.Pointer, str(lower)))
	}
	return paste(say+" Without a type anything is taken.", remove(i.Pointer))
}

func fixTypeList(_ *checkup, i Issue) remedy {
	types := i.at(i.Pointer).texts()
	rest := slices.DeleteFunc(slices.Clone(types), func(t string) bool { return t == "null" })
	if len(rest) != 1 || len(types) != 2 {
		return advice("Choose one type, and convert in the handler.")
	}
	parent, _ := parentOf(i.Pointer)
	return paste(fmt.Sprintf(`"type": %q, "nullable": true; or leave the property out of required.`, rest[0]),
		replace(i.Pointer, str(rest[0])), add(parent+"/nullable", trueNode))
}

// fixKeyword says in other words what a keyword says that is refused.
func fixKeyword(_ *checkup, i Issue) remedy {
	parent, keyword := parentOf(i.Pointer)
	v, s := i.at(i.Pointer), i.at(parent)
	if v == nil {
		return advice("Remove %s.", keyword)
	}
	switch keyword {
	case "exclusiveMinimum", "exclusiveMaximum":
		plain := strings.ToLower(keyword[len("exclusive"):])
		if bound := wholeBound(keyword, v); bound != nil && s.get("type").isText("integer") && !s.has(plain) {
			return paste(fmt.Sprintf("%q: %s", plain, bound.bytes()), remove(i.Pointer), add(parent+"/"+plain, bound))
		}
		return i.inDescription("Say the bound in the description.", keyword, v)
	case "default":
		return i.inDescription("Say the default in the description.", keyword, v)
	}
	return paste("Remove "+keyword+".", remove(i.Pointer))
}

// wholeBound is the whole number that bounds integers like an exclusive bound does;
// nil where doubles can't tell.
func wholeBound(keyword string, v *node) *node {
	if !isWhole53(v) {
		return nil
	}
	step := 1.0
	if keyword == "exclusiveMaximum" {
		step = -1
	}
	n, err := parseNode([]byte(formatDouble(parseDouble(v.bytes()) + step)))
	if err != nil {
		return nil
	}
	return n
}

// isWhole53 reports whether n is a whole number that doubles hold exactly, with its
// neighbours.
func isWhole53(n *node) bool {
	if !n.is('0') {
		return false
	}
	f := parseDouble(n.bytes())
	return f == float64(int64(f)) && f < 1<<53 && f > -1<<53
}

// inDescription moves what a keyword says into the description of its schema.
func (i Issue) inDescription(say, keyword string, v *node) remedy {
	return paste(say, remove(i.Pointer), i.describe(keyword, v))
}

// describe adds what a keyword says to the description nearest to it: of its schema,
// or of the tool for what stands at the root.
func (i Issue) describe(keyword string, v *node) Op {
	parent, _ := parentOf(i.Pointer)
	at := parent + "/description"
	if parent == "/inputSchema" {
		at = "/description"
	}
	return add(at, str(strings.TrimSpace(i.at(at).string()+" "+told(keyword, v)+".")))
}

// longestTold is the size over which the value of a keyword is not put into words.
const longestTold = 120

// told is how a keyword is said in a description.
func told(keyword string, v *node) string { return keyword + ": " + string(v.bytes()) }

func fixFormat(_ *checkup, i Issue) remedy {
	const say = "Remove format, and say in the description what the text looks like."
	v := i.at(i.Pointer)
	if v == nil {
		return advice(say)
	}
	return i.inDescription(say, "format", v)
}

func fixEnum(_ *checkup, i Issue) remedy {
	parent, _ := parentOf(i.Pointer)
	values := i.at(i.Pointer)
	if !values.is('[') || len(values.elems) > 40 {
		return advice("Make every value a text, and convert in the handler.")
	}
	enum := values.mapElems(asText)
	return paste(fmt.Sprintf(`"type": "string", "enum": %s; convert in the handler.`, enum.bytes()),
		add(parent+"/type", str("string")), replace(i.Pointer, enum))
}

// fixConstraint says in a description what a host leaves out of a schema.
func fixConstraint(c *checkup, i Issue) remedy {
	v := i.at(i.Pointer)
	parent, keyword := parentOf(i.Pointer)
	switch {
	case keyword == "description" && i.What == Dropped:
		return advice("Give the property a type: its description is lost with the rest of a schema that has none.")
	case v == nil || i.What != Dropped || i.Level == Info || len(v.bytes()) > longestTold:
		return remedy{}
	}
	if name, wrong := i.miswritten(parent, keyword, v); wrong {
		return advice("Write %s as draft 2020-12 has it, or leave it out: as it is it says nothing that could be put into words.", name)
	}
	say := fmt.Sprintf("Say it in the description as well, if the model has to know: %s.", told(keyword, v))
	if !isKeyword(i.Pointer) || strings.ContainsFunc(keyword, func(r rune) bool { return !isNamePart(r) && r != '$' && r != '-' }) || !c.readsBeside(i.item, parent) {
		return advice("%s", say)
	}
	return paste(say, i.describe(keyword, v))
}

// miswritten reports whether a keyword, or the flag of draft 4 beside a bound, is not
// what the draft wants it to be, and names it.
func (i Issue) miswritten(parent, keyword string, v *node) (name string, wrong bool) {
	if !isKeyword(i.Pointer) {
		return "", false
	}
	if flag := map[string]string{"minimum": "exclusiveMinimum", "maximum": "exclusiveMaximum"}[keyword]; flag != "" && i.at(parent).get(flag).isBool() {
		return flag, true
	}
	_, why := checkKeyword(keyword, v, draft2020)
	return keyword, why != ""
}

// readsBeside reports whether the model gets the description of a schema, and more of
// it than there is now.
func (c *checkup) readsBeside(it *item, schema string) bool {
	if schema == "/inputSchema" {
		return c.r.p.Description.Limit == 0
	}
	sent := valueAt(it.schema, strings.TrimPrefix(schema, "/inputSchema"))
	return sent.is('{') && sent.has("type") && !it.muted
}

// isTold reports whether a description that the model gets says what a keyword says.
func isTold(it *item, pointer string) bool {
	parent, keyword := parentOf(pointer)
	v := valueAt(it.tool.exact, pointer)
	if v == nil || len(v.bytes()) > longestTold || !isKeyword(pointer) {
		return false
	}
	text := it.description
	if parent != "/inputSchema" {
		text = valueAt(it.schema, strings.TrimPrefix(parent, "/inputSchema")).get("description").string()
	}
	for said := told(keyword, v); ; {
		_, after, found := strings.Cut(text, said)
		if !found {
			return false
		}
		if rest := strings.TrimPrefix(after, "."); !isWordPart(after) && !isWordPart(rest) {
			return true
		}
		text = after
	}
}

// isWordPart reports whether a text goes on with what may be a part of the word or
// number in front of it.
func isWordPart(s string) bool {
	return s != "" && (isLead(s[0]) || s[0] >= '0' && s[0] <= '9')
}

// isKeyword reports whether a pointer into an input schema leads to a keyword of a
// schema, and not to a schema or to something inside a value.
func isKeyword(pointer string) bool {
	steps := splitPointer(pointer)[1:] // without inputSchema
	for at := 0; at < len(steps); {
		shape := shapes[steps[at]]
		at++
		switch {
		case at == len(steps):
			return true
		case shape == "map", shape == "schemas":
			at++
		case shape == "schema" && isIndex(steps[at]):
			at++
		case shape != "schema":
			return false
		}
	}
	return false
}

// fixProperty proposes a name that APIs take for a property of the root.
func fixProperty(_ *checkup, i Issue) remedy {
	_, name := parentOf(i.Pointer)
	clean := cutUTF16(Clean{Keep: "a-zA-Z0-9_-", With: "_", Per: "run", Trim: "_"}.apply(name), 64)
	if clean == "" {
		return advice("Name the property in letters a to z, and keep its name in your language in the description.")
	}
	in := i.at("/inputSchema")
	props := in.get("properties")
	for n, base := 2, cutUTF16(clean, 60); props.has(clean); n++ {
		clean = fmt.Sprintf("%s_%d", base, n)
	}
	say := fmt.Sprintf("Call it %q, and map it to the old name in the handler.", clean)
	if !props.has(name) || in.hasAny("anyOf", "oneOf", "allOf", "not", "if", "then", "else", "dependentRequired", "dependentSchemas", "dependencies") {
		return advice("%s", say) // it may be named there as well
	}
	ops := []Op{remove(i.Pointer), add("/inputSchema/properties/"+clean, props.get(name))}
	if req := in.get("required"); slices.Contains(req.texts(), name) {
		ops = append(ops, replace("/inputSchema/required", req.mapElems(func(e *node) *node {
			if e.isText(name) {
				return str(clean)
			}
			return e
		})))
	}
	return paste(say, ops...)
}

// fixDescription says how much is seen, and what is named only behind the cut.
func fixDescription(c *checkup, i Issue) remedy {
	text := c.r.p.clean(i.at("/description").string())
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
	say := fmt.Sprintf("Say what counts in the first %d characters; %d of %d come after them.", limit, utf16Len(text)-utf16Len(seen), utf16Len(text))
	if hidden := namesBehind(text, len(seen)); len(hidden) > 0 {
		say += " Named only after them: " + strings.Join(hidden, ", ") + "."
	}
	return advice("%s", say)
}

// mostNames bounds the names that a fix lists.
const mostNames = 12

// namesBehind returns words of a text that look like names of tools or functions and
// don't stand whole in front of a place in it. A word that is cut there is one of
// them, and its parts are none.
func namesBehind(text string, at int) []string {
	from := len(strings.TrimRightFunc(text[:at], isNamePart))
	if !isNamePart(firstRune(text[at:])) {
		from = at
	}
	apart := func(r rune) bool { return !isNamePart(r) }
	known := setOf(strings.FieldsFunc(text[:from], apart))
	var out []string
	for _, w := range strings.FieldsFunc(text[from:], apart) {
		if strings.Contains(strings.Trim(w, "_"), "_") && !known[w] && len(w) < 80 {
			known[w] = true
			if out = append(out, w); len(out) == mostNames {
				break
			}
		}
	}
	return out
}

func isNamePart(r rune) bool {
	return r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
}

// firstRune is the character that a text begins with; 0 for none.
func firstRune(s string) rune {
	for _, r := range s {
		return r
	}
	return 0
}
