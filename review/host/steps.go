package host

// step rewrites the schema of one tool, or drops the tool.
type step func(*renderer, *item)

// steps are the rewrites that profiles name. Each stands in the file of the host
// that it was learned from.
var steps = map[string]step{}

func init() {
	for name, f := range map[string]func(*node) *node{
		"sdk-order":         sdkOrder,
		"ai-order":          aiOrder,
		"type-first":        typeFirst,
		"type-if-absent":    typeIfAbsent,
		"properties":        addProperties,
		"without-schema":    withoutSchema,
		"closed":            closed,
		"three-parts":       threeParts,
		"two-parts":         twoParts,
		"gemini-nullable":   nullable,
		"gemini-wait":       waitForPrevious,
		"qwen-relax":        relax,
		"langchain-merge":   mergeUnions,
		"opencode-gemini":   geminiSubset,
		"opencode-openai":   openaiSubset,
		"copilot-fold":      foldConstraints,
		"copilot-anthropic": foldMore,
		"mcphost":           draft4,
		"vscode":            normaliseVSCode,
		"roo":               rooSchema,
		"librechat":         throughZod,
		"zed-subset":        zedSubset,
	} {
		steps[name] = func(_ *renderer, it *item) { it.schema = f(it.schema) }
	}
	steps["claude"] = claudeSchema
	steps["codex"] = codexSchema
	steps["agents"] = agentsSchema
	steps["agents-strict"] = agentsStrict
	steps["qwen-empty"] = qwenEmpty
	steps["repair"] = repair
	steps["inline"] = inlineRefs
}

// sdkOrder puts first what the SDK's own schema names.
func sdkOrder(s *node) *node {
	if !s.is('{') {
		return s
	}
	return s.first("type", "properties", "required")
}

// aiOrder is sdkOrder for a library that names type and properties only.
func aiOrder(s *node) *node {
	if !s.is('{') {
		return s
	}
	return s.first("type", "properties")
}

// typeFirst forces the type and puts it first.
func typeFirst(s *node) *node {
	if !s.is('{') {
		return typed("object")
	}
	if s.get("type").isText("object") {
		return s.first("type")
	}
	return s.without("type").inFront("type", str("object"))
}

func (n *node) inFront(name string, v *node) *node {
	return object(append([]member{{name, v}}, n.members...)...)
}

// typeIfAbsent puts the type in front of a schema without one.
func typeIfAbsent(s *node) *node {
	if !s.is('{') || s.has("type") {
		return s
	}
	return s.inFront("type", str("object"))
}

// addProperties gives a schema an empty set of properties when it has none.
func addProperties(s *node) *node {
	if !s.is('{') || s.has("properties") {
		return s
	}
	return s.with("properties", emptyNode)
}

func withoutSchema(s *node) *node {
	if !s.is('{') {
		return s
	}
	return s.without("$schema")
}

// closed forbids undeclared arguments, whatever the schema said of them.
func closed(s *node) *node {
	if !s.is('{') {
		return s
	}
	return s.with("additionalProperties", falseNode)
}

// threeParts keeps properties and required, and nothing else.
func threeParts(s *node) *node {
	o := object(member{"type", str("object")})
	if req := s.get("required"); req != nil {
		o.members = append(o.members, member{"required", req})
	}
	props := s.get("properties")
	if props == nil {
		props = emptyNode
	}
	o.members = append(o.members, member{"properties", props})
	return o
}

// twoParts copies properties and required under their names.
func twoParts(s *node) *node {
	o := typed("object")
	props := s.get("properties")
	if !props.is('{') {
		props = emptyNode
	}
	o = o.with("properties", props)
	if req := s.get("required"); req.is('[') {
		o = o.with("required", req)
	}
	return o
}

// repair gives a tool an empty schema instead of one that is none.
func repair(_ *renderer, it *item) {
	if !it.schema.is('{') {
		it.schema = object()
	}
}
