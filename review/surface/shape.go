package surface

import (
	"strings"
)

// shape finds out what the JSON is and reads its tools. Order matters: a shape
// that carries a mark of its own comes before those that are told by what they lack.
func (r *reader) shape(v value) error {
	switch v.kind() {
	case kindObject:
		return r.object(v)
	case kindArray:
		return r.array(v)
	}
	return r.refuse(NotListing, v, nil, "this is JSON, but only "+v.kind().String()+". Push the answer of tools/list.")
}

func (r *reader) object(v value) error {
	switch {
	case v.field("countersign").is(kindObject):
		return r.own(v)
	case isMessage(v):
		r.is(ShapeJSONRPC, KindListing, FormWire)
		return r.exchange([]value{v}, false)
	case v.has("inputSchema") && !v.has("tools"):
		return r.oneTool(v)
	case v.has("result") || v.has("server") && v.has("pages"):
		return r.wrapped(v)
	case v.at("log", "entries").is(kindArray):
		return r.asHAR(v.at("log", "entries"))
	case v.has("manifest_version") || v.has("dxt_version"):
		return r.manifest(v)
	}
	if c, list, ok := captured(v); ok {
		if tools := v.field("tools"); !tools.null() && !tools.is(kindArray) {
			return r.refuse(NotListing, tools, at(nil, "tools"), notAnArray(tools))
		}
		return r.capture(c, list)
	}
	if v.has("tools") {
		return r.toolsObject(v)
	}
	if isOneTool(v) {
		return r.oneTool(v)
	}
	if isMetadata(v) {
		return r.metadata(v, "This describes a server and lists no tools by design. Push what the server answers to tools/list.")
	}
	return r.refuse(NotListing, v, nil, guess(v))
}

// wrapped reads a result with something beside it: an inspector's export, or what
// `countersign pull` prints, which says under "server" what the session told.
func (r *reader) wrapped(v value) error {
	if v.has("tools") {
		return r.refuse(NotListing, v.field("tools"), at(nil, "tools"), twoLists)
	}
	shape := ShapeInspector
	if v.field("server").is(kindObject) {
		shape = ShapeResult
		r.context(v.field("server"))
	}
	if pages := v.field("pages"); pages.is(kindArray) && !v.has("result") {
		r.is(ShapePages, KindListing, FormWire)
		var list []value
		for _, p := range pages.elements() {
			list = append(list, p)
		}
		return r.exchange(list, true)
	}
	r.is(shape, KindListing, FormWire)
	result := v.field("result")
	if !result.field("tools").present() {
		return r.refuse(NotListing, result, at(nil, "result"), notAResult(result))
	}
	return r.pages([]page{{result, at(nil, "result")}})
}

const twoLists = "`tools` stands beside `result`: readers disagree which of the two lists counts. Push the server's answer alone."

// toolsObject reads an object with a tools member that no provider request explains.
func (r *reader) toolsObject(v value) error {
	tools := v.field("tools")
	card := v.field("serverInfo").is(kindObject) && !v.has("environment")
	switch {
	case isDynamic(tools):
		return r.metadata(v, "This card says only that the tools are dynamic. Push what the server answers to tools/list.")
	case isFastMCP(tools):
		r.is(ShapeFastMCP, KindListing, FormSnake)
		r.found.add(subject{}, v, nil, "not-wire-format", LevelWarning,
			"This is FastMCP's own export, not what a client receives: fields have other names and may be missing. Use `fastmcp inspect --format mcp`.")
	case card:
		r.is(ShapeServerCard, KindListing, FormWire)
		r.found.add(subject{}, v, nil, "not-wire-format", LevelWarning,
			"This is a server card, which somebody wrote or generated beforehand. What the server answers to tools/list may differ.")
	default:
		r.is(ShapeResult, KindListing, FormWire)
	}
	r.context(v)
	return r.pages([]page{{v, nil}})
}

// isDynamic reports whether a server card's tools stand for "ask the server".
func isDynamic(tools value) bool {
	if tools.text() == "dynamic" {
		return true
	}
	for _, t := range tools.elements() {
		if t.text() == "dynamic" {
			return true
		}
	}
	return false
}

// isFastMCP reports whether tools are written as FastMCP's inspect command does.
func isFastMCP(tools value) bool {
	snake, own := false, false
	for _, t := range tools.elements() {
		if t.has("inputSchema") {
			return false
		}
		snake = snake || t.has("input_schema")
		own = own || t.has("key") || t.has("tags") || t.has("enabled") || t.has("output_schema")
	}
	return snake && own
}

func (r *reader) oneTool(v value) error {
	r.is(ShapeTool, KindListing, FormWire)
	r.partial = !r.opt.Complete
	return r.addTool(v)
}

// isOneTool reports whether v is a single definition.
func isOneTool(v value) bool {
	if v.has("inputSchema") {
		return true
	}
	if !v.field("name").is(kindString) || v.has("version") || v.has("$schema") {
		return false
	}
	return v.has("description") || v.has("annotations") || v.has("title")
}

// isMetadata reports whether v is a registry entry or a server card without tools.
func isMetadata(v value) bool {
	schema := v.field("$schema").text()
	if strings.Contains(schema, "server.schema.json") || strings.Contains(schema, "server-card") {
		return true
	}
	named := v.field("name").is(kindString) && v.has("version")
	return named && (v.has("packages") || v.has("remotes") || strings.Contains(schema, "modelcontextprotocol")) ||
		v.field("serverInfo").is(kindObject) && (v.has("transport") || v.has("endpoint"))
}

func (r *reader) metadata(v value, message string) error {
	r.is(ShapeServerCard, KindMetadata, FormWire)
	r.partial = true
	r.found.add(subject{}, v, nil, "lists-no-tools", LevelWarning, message)
	return nil
}

// manifest reads an MCP bundle's manifest: a declaration, unless it carries the
// server's answers in full.
func (r *reader) manifest(v value) error {
	for _, vendor := range v.field("_meta").members() {
		responses := vendor.field("static_responses")
		if answer := responses.field("tools/list"); answer.field("tools").is(kindArray) {
			r.is(ShapeMCPB, KindListing, FormWire)
			r.context(responses.field("initialize"))
			return r.pages([]page{{answer, nil}})
		}
	}
	r.is(ShapeMCPB, KindDeclaration, FormWire)
	r.partial = true
	message := "A manifest declares names and descriptions only. An absent schema is not a removed one: compare it with the live listing."
	if v.field("tools_generated").isTrue() {
		message += " It says that the server offers more tools than it names."
	}
	r.found.add(subject{}, v, nil, "declared-only", LevelInfo, message)
	if !v.has("tools") {
		return nil
	}
	return r.addTools(v.field("tools"), at(nil, "tools"))
}

// array reads a bare array: of messages or pages, of definitions in any form, or
// of something else, which is refused.
func (r *reader) array(v value) error {
	if l := mcpItems(v); l.present() {
		return r.capture(captureForms[ShapeOpenAIMCP], l)
	}
	var names []string
	messages, docker, tools, wire := false, false, false, false
	var all []value
	for _, e := range v.elements() {
		all = append(all, e)
		if e.has("tools") && e.field("name").is(kindString) {
			names = append(names, e.field("name").text())
		}
		messages = messages || isMessage(e) || !e.has("inputSchema") && (e.has("tools") || e.has("result"))
		wire = wire || e.has("inputSchema")
		docker = docker || e.field("arguments").is(kindArray)
		tools = tools || isOneTool(e)
	}
	switch {
	case len(names) > 0:
		return r.refuse(NotListing, v, nil, "this is a list of servers ("+list(names)+"). Push each server's tools on their own.")
	case messages:
		r.is(ShapePages, KindListing, FormWire)
		return r.exchange(all, true)
	}
	if c, ok := captureForms[providerShape(v)]; ok && !wire {
		return r.capture(c, v)
	}
	switch {
	case docker && !wire:
		r.is(ShapeDocker, KindDeclaration, FormArguments)
		r.partial = true
		r.found.add(subject{}, v, nil, "schema-derived", LevelInfo,
			"This is a catalogue's tools.json: input schemas are derived from its lists of arguments and were sent by no server.")
	case tools || v.empty():
		r.is(ShapeArray, KindListing, FormWire)
	default:
		return r.refuse(NotListing, v, nil, "this is an array, but nothing in it looks like a tool (an object with `name` and `inputSchema`). Push the answer of tools/list.")
	}
	return r.addTools(v, nil)
}

// own reads the texts that this package writes: a stripped capture, or a folder.
func (r *reader) own(v value) error {
	mark := v.field("countersign")
	if c, ok := captureForms[Shape(mark.field("capture").text())]; ok {
		return r.stripped(v, c)
	}
	if mark.field("folder").is(kindArray) {
		r.is(ShapeFolder, KindListing, FormWire)
		r.partial = !r.opt.Complete
		return r.addTools(v.field("tools"), at(nil, "tools"))
	}
	return r.refuse(NotListing, mark, at(nil, "countersign"), "this text says that it comes from countersign, but not what it is. Push the answer of tools/list.")
}

// guess says what a JSON object looks like when it is no listing.
func guess(v value) string {
	const push = " Push the answer of tools/list."
	switch {
	case v.has("mcpServers") || v.at("mcp", "servers").present():
		return "this looks like a client's configuration: it names servers, not tools. Use `countersign pull` to ask one of them, and push what it prints."
	case v.field("servers").is(kindObject):
		return "this looks like the tools of several servers. Push each server's on their own."
	case v.has("openapi") || v.has("swagger"):
		return "this looks like an OpenAPI document, not a tool listing." + push
	case v.has("capabilities"):
		return "this looks like the answer to initialize, which lists no tools." + push
	case v.has("resources") || v.has("prompts") || v.has("resourceTemplates"):
		return "this lists resources or prompts, not tools." + push
	case v.has("dependencies") || v.has("devDependencies"):
		return "this looks like a package.json, not a tool listing." + push
	case v.has("properties") || v.has("$schema") || v.has("$defs"):
		return "this looks like a JSON Schema, not a tool listing." + push
	case v.empty():
		return "this is an empty object." + push
	case v.field("error").is(kindString) || v.field("message").is(kindString) || v.field("detail").is(kindString):
		return "this looks like a web service's error, not a tool listing: the request was refused, or went to the wrong address. Check the address and the credentials."
	}
	return "this is JSON, but not a tool listing: there is no `tools` in it." + push
}
