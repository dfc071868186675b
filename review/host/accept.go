package host

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// AcceptRules say what the API of a provider takes, by reports of what it refused.
// A request that breaks one of them fails as a whole.
type AcceptRules struct {
	Names            string   `json:"names"`             // pattern of a name
	Once             int      `json:"once"`              // the longest name of earlier times
	Unique           bool     `json:"unique"`            // two tools of one name are refused
	Tools            int      `json:"tools"`             // the most tools
	Description      int      `json:"description"`       // the longest description, in characters
	DescriptionWhere string   `json:"description_where"` // where that holds
	Properties       string   `json:"properties"`        // pattern of the properties at the root
	PropertiesOnce   string   `json:"properties_once"`   // the same in earlier times
	Root             []string `json:"root"`              // keywords refused at the root
	Dialect          string   `json:"dialect"`           // the meta-schema that judges
	Items            bool     `json:"items"`             // an array has to have items
	RootProperties   bool     `json:"root_properties"`   // the root has to have properties
	Without          []string `json:"without"`           // keywords refused anywhere
	OneType          bool     `json:"one_type"`          // a list of types is refused
	TextEnums        bool     `json:"text_enums"`        // an enum is for texts only
	Formats          []string `json:"formats"`           // the formats that are known; nil is all
	Else             string   `json:"else"`              // a way around
	Advice           bool     `json:"advice"`            // a mode that is chosen: what it refuses is for information

	names, properties, propertiesOnce *regexp.Regexp
}

func (a *AcceptRules) compile() error {
	for _, r := range []struct {
		text string
		to   **regexp.Regexp
	}{{a.Names, &a.names}, {a.Properties, &a.properties}, {a.PropertiesOnce, &a.propertiesOnce}} {
		if r.text == "" {
			continue
		}
		re, err := regexp.Compile(r.text)
		if err != nil {
			return fmt.Errorf("accepts: %w", err)
		}
		*r.to = re
	}
	return nil
}

// judge checks what a host sends against what the provider takes.
func (c *checkup) judge(provider *Profile) {
	a := &provider.Accepts
	sent := c.r.sent()
	for _, it := range sent {
		c.judgeName(provider, it)
		if n := utf16Len(it.description); a.Description > 0 && n > a.Description {
			c.refuse(provider, it, "/description", RuleDescription, fmt.Sprintf("the description has %d characters, and %s take %d", n, a.DescriptionWhere, a.Description))
		}
		c.judgeRoot(provider, it)
		walk(it.schema, schemaPath(), func(s *node, at path) { c.judgeSchema(provider, it, s, at) })
	}
	if a.Tools > 0 && len(sent) > a.Tools && c.r.p.Limit.Tools == 0 {
		c.add(Issue{What: Refused, Rule: RuleCount, Level: Error, TakesDown: len(sent),
			Verdict: verdict(Refused, provider), Reason: fmt.Sprintf("%d tools, and it takes %d.", len(sent), a.Tools)})
	}
}

func (c *checkup) judgeName(provider *Profile, it *item) {
	a := &provider.Accepts
	n := utf16Len(it.name)
	switch {
	case !a.names.MatchString(it.name):
		rule := RuleNameChars
		switch tool := it.tool.name; {
		case n > 64:
			rule = RuleNameLength
		case a.names.MatchString(tool) && tool != it.name:
			rule = RuleServerName
		}
		c.refuse(provider, it, "/name", rule, fmt.Sprintf("the name %s, with %d characters, does not match %s", clip(it.name), n, a.Names))
	case a.Once > 0 && n > a.Once:
		c.advise(it, "/name", RuleNameLength, Renamed, fmt.Sprintf("The name is %s there, %d characters; until 2025 the API took %d, and some clients still cut there.", clip(it.name), n, a.Once))
	}
}

// judgeRoot checks what holds for the root of a schema only.
func (c *checkup) judgeRoot(provider *Profile, it *item) {
	a := &provider.Accepts
	for _, k := range a.Root {
		if it.schema.has(k) {
			c.refuse(provider, it, "/inputSchema/"+k, RuleRootUnion, k+" stands at the root of the schema")
		}
	}
	if a.RootProperties && it.schema.is('{') && !it.schema.has("properties") {
		c.refuse(provider, it, "/inputSchema", RuleProperties, "the root of the schema has no properties")
	}
	for _, m := range it.schema.get("properties").membersOf() {
		at := "/inputSchema/properties/" + escapePointer(m.name)
		switch {
		case a.properties != nil && !a.properties.MatchString(m.name):
			c.refuse(provider, it, at, RuleProperty, fmt.Sprintf("the property's name does not match %s", a.Properties))
		case a.propertiesOnce != nil && !a.propertiesOnce.MatchString(m.name):
			c.advise(it, at, RuleProperty, Refused, "Earlier versions of the API wanted a property's name to match "+a.PropertiesOnce+", without a dot.")
		}
	}
	if a.Dialect == "2020-12" && it.schema != nil {
		if p, why := checkSchema(it.schema, draft2020); why != "" {
			c.refuse(provider, it, "/inputSchema"+p, RuleSchema, "the schema is not valid under draft 2020-12 ("+why+")")
		}
	}
}

// judgeSchema checks one schema, wherever it stands.
func (c *checkup) judgeSchema(provider *Profile, it *item, s *node, at path) {
	a := &provider.Accepts
	for _, k := range a.Without {
		if s.has(k) {
			rule := RuleKeyword
			if k == "$ref" || k == "$defs" {
				rule = RuleRef
			}
			c.refuse(provider, it, at.to(k).String(), rule, k+" is not among its keywords")
		}
	}
	typ := s.get("type")
	if a.Items && (typ.isText("array") || slices.Contains(typ.texts(), "array")) && !s.hasAny("items", "prefixItems") {
		c.refuse(provider, it, at.String(), RuleItems, "an array has no items")
	}
	if a.OneType && typ.is('[') {
		c.refuse(provider, it, at.to("type").String(), RuleTypeList, "the type is a list")
	}
	if e := s.get("enum"); a.TextEnums && e.is('[') && (!e.allTexts() || typ != nil && !typ.isText("string")) {
		c.refuse(provider, it, at.to("enum").String(), RuleEnum, "an enum is for texts of type string only")
	}
	if f := s.get("format").string(); f != "" && a.Formats != nil && (typ == nil || typ.isText("string")) && !slices.Contains(a.Formats, f) {
		c.refuse(provider, it, at.to("format").String(), RuleFormat, "the format "+clip(f)+" is not among "+strings.Join(a.Formats, ", "))
	}
}

// refuse records what the provider refuses.
func (c *checkup) refuse(provider *Profile, it *item, at string, rule Rule, why string) {
	if c.full(it) {
		return
	}
	level := Error
	switch {
	case provider.Accepts.Advice:
		level = Info
	case rule == RuleDescription:
		level = Warn // it holds for some models only
	}
	reason, said := why+".", ""
	if c.valid(it) {
		said = verdict(Refused, provider)
	} else {
		reason = "Refused by " + provider.Name + ": " + reason
	}
	if provider.Accepts.Else != "" && !strings.HasPrefix(at, "/name") {
		reason += " " + provider.Accepts.Else
	}
	c.add(Issue{Tool: it.tool.name, Position: it.tool.position, Pointer: at, What: Refused, Rule: rule, Level: level, Verdict: said, Reason: reason,
		TakesDown: c.sent - 1, item: it})
}

// advise records what an author may want to know.
func (c *checkup) advise(it *item, at string, rule Rule, what What, reason string) {
	if c.full(it) {
		return
	}
	c.add(Issue{Tool: it.tool.name, Position: it.tool.position, Pointer: at, What: what, Rule: rule, Level: Info, Reason: reason, item: it})
}

// walk calls f for a schema and those inside it, with their places. What a surface
// may hold bounds how many there are.
func walk(s *node, at path, f func(*node, path)) {
	if !s.is('{') {
		return
	}
	f(s, at)
	for _, m := range s.members {
		if m.value.kind != '{' && m.value.kind != '[' {
			continue
		}
		switch shapes[m.name] {
		case "schema":
			walk(m.value, at.to(m.name), f)
			walkAll(m.value, at.to(m.name), f)
		case "schemas":
			walkAll(m.value, at.to(m.name), f)
		case "map":
			for _, p := range m.value.membersOf() {
				walk(p.value, at.to(m.name).to(p.name), f)
			}
		}
	}
}

func walkAll(list *node, at path, f func(*node, path)) {
	for i, e := range elemsOf(list) {
		walk(e, at.to(strconv.Itoa(i)), f)
	}
}

// clip shortens a name for a sentence.
func clip(s string) string {
	if utf16Len(s) > 80 {
		return cutUTF16(s, 79) + "…"
	}
	return s
}
