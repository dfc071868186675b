package surface

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// captureForm says how one provider's requests hold tools, and which fields of a
// definition are kept. Whatever is not named here is dropped: an allow-list, since
// a request also carries a conversation.
type captureForm struct {
	shape Shape
	form  Form
	keep  []string
}

var captureForms = map[Shape]captureForm{
	ShapeAnthropic:       {ShapeAnthropic, FormSnake, []string{"type", "name", "description", "input_schema", "strict", "defer_loading"}},
	ShapeOpenAIChat:      {ShapeOpenAIChat, FormParameters, []string{"name", "description", "strict", "parameters"}},
	ShapeOpenAIResponses: {ShapeOpenAIResponses, FormParameters, []string{"type", "namespace", "name", "description", "strict", "parameters", "defer_loading"}},
	ShapeOpenAIMCP:       {ShapeOpenAIMCP, FormSnake, []string{"name", "description", "input_schema", "annotations"}},
	ShapeGemini: {ShapeGemini, FormParameters, []string{"name", "description", "parameters", "parametersJsonSchema",
		"parameters_json_schema", "behavior", "response", "responseJsonSchema", "response_json_schema"}},
}

// definition is one tool of a request. Namespace is the group that it stands in.
type definition struct {
	value     value
	namespace string
}

// captured reports whether v is a provider request, or a part of one, and returns
// the list that holds its tools.
func captured(v value) (captureForm, value, bool) {
	if l := mcpList(v); l.present() {
		return captureForms[ShapeOpenAIMCP], l, true
	}
	tools := v.field("tools")
	if isFastMCP(tools) && !isRequest(v) {
		return captureForm{}, value{}, false
	}
	for _, t := range tools.elements() {
		if t.has("inputSchema") && !isRequest(v) {
			return captureForm{}, value{}, false
		}
	}
	shape := providerShape(tools)
	if shape == "" {
		shape = requestShape(v)
	}
	if shape == "" && !v.has("tools") && !v.has("inputSchema") {
		tools, shape = v, elementShape(v)
	}
	c, ok := captureForms[shape]
	return c, tools, ok
}

// isRequest reports whether v holds a conversation, or settings of a model.
func isRequest(v value) bool {
	for _, n := range []string{"messages", "contents", "max_tokens", "tool_choice", "system", "systemInstruction", "system_instruction"} {
		if v.has(n) {
			return true
		}
	}
	return v.field("model").is(kindString)
}

// requestShape tells the provider by what stands beside the tools, for a request
// that has no tools to tell it by.
func requestShape(v value) Shape {
	switch {
	case !isRequest(v):
		return ""
	case v.has("contents") || v.has("systemInstruction") || v.has("system_instruction"):
		return ShapeGemini
	case v.has("input"):
		return ShapeOpenAIResponses
	case v.has("system") || v.has("max_tokens"):
		return ShapeAnthropic
	}
	return ShapeOpenAIChat
}

// providerShape tells the provider by the form of the definitions.
func providerShape(tools value) Shape {
	for _, t := range tools.elements() {
		if s := elementShape(t); s != "" {
			return s
		}
	}
	return ""
}

func elementShape(t value) Shape {
	kind := t.field("type").text()
	switch {
	case t.has("functionDeclarations") || t.has("function_declarations") || isGeminiDeclaration(t):
		return ShapeGemini
	case kind == "function" && t.field("function").is(kindObject):
		return ShapeOpenAIChat
	case kind == "mcp_list_tools":
		return ShapeOpenAIMCP
	case kind == "function" && t.has("name"), kind == "namespace" && t.has("tools"):
		return ShapeOpenAIResponses
	case t.has("input_schema"):
		return ShapeAnthropic
	}
	return ""
}

// isGeminiDeclaration reports whether t is a declaration taken out of its group: by
// a name that only Gemini has, or by types in upper case.
func isGeminiDeclaration(t value) bool {
	kind := t.at("parameters", "type").text()
	return t.has("parametersJsonSchema") || t.has("parameters_json_schema") || kind != "" && kind == strings.ToUpper(kind)
}

// mcpList finds the lists of MCP tools of the responses API: in an item, in an answer,
// or in a request that carries the items of the conversation so far.
func mcpList(v value) value {
	if v.field("type").text() == "mcp_list_tools" {
		return v
	}
	if items := mcpItems(v.field("output")); items.present() {
		return items
	}
	return mcpItems(v.field("input"))
}

// mcpItems returns the items of a response if a list of MCP tools is among them.
func mcpItems(items value) value {
	for _, item := range items.elements() {
		if item.field("type").text() == "mcp_list_tools" {
			return items
		}
	}
	return value{}
}

// capture strips a provider request down to the definitions of its MCP tools and
// goes on with that text. Nothing else of the request is kept, shown or hashed.
func (r *reader) capture(c captureForm, list value) error {
	labels, of := serverLabels(c, list), r.opt.Of
	label := strings.Join(labels, "")
	switch {
	case len(labels) < 2:
	case of == nil:
		return r.refuse(NotListing, value{}, nil, "this holds the tools of several servers. Push each server's list on its own.")
	case !slices.Contains(labels, of.Label):
		return r.refuse(NotListing, value{}, nil, "this holds the tools of several servers, and none of them is called as you say. Name the server as the request does.")
	default:
		label = of.Label
	}
	kept, foreign := c.definitions(list, label, of)
	return r.rebuilt(c.write(label, kept, foreign))
}

// stripped reads a text that capture wrote. Anything else in it is dropped first:
// somebody may have added to it.
func (r *reader) stripped(v value, c captureForm) error {
	var kept []definition
	for _, t := range v.field("tools").elements() {
		kept = append(kept, definition{value: t})
	}
	foreign := 0
	if n := v.at("countersign", "foreign"); n.is(kindNumber) && len(n.raw()) < 9 {
		foreign, _ = strconv.Atoi(string(n.raw()))
	}
	if text := c.write(v.at("countersign", "server").text(), kept, max(0, foreign)); string(text) != string(r.src.data) {
		return r.rebuilt(text)
	}
	r.is(c.shape, KindCapture, c.form)
	r.partial = true // what a host left out was not removed
	if foreign > 0 {
		r.found.add(subject{}, value{}, nil, "capture-foreign", LevelInfo,
			fmt.Sprintf("Tools of the request that don't come from an MCP server, or don't say so, were not kept: %d.", foreign))
	}
	return r.addTools(v.field("tools"), at(nil, "tools"))
}

// serverLabels returns the labels that the lists of a responses API answer carry.
func serverLabels(c captureForm, list value) []string {
	if c.shape != ShapeOpenAIMCP {
		return nil
	}
	var labels []string
	if list.is(kindObject) {
		return []string{list.field("server_label").text()}
	}
	for _, item := range list.elements() {
		if item.field("type").text() == "mcp_list_tools" {
			labels = append(labels, item.field("server_label").text())
		}
	}
	slices.Sort(labels)
	return slices.Compact(labels)
}

// definitions returns the definitions that may come from an MCP server, of those with
// a label the one that is called so, and how many others there are: tools of the
// provider, and, where the host marks MCP tools by a prefix, tools without it. Names
// that a server gave its own tools mark nothing.
func (c captureForm) definitions(list value, label string, of *Known) (kept []definition, foreign int) {
	if list.is(kindObject) {
		kept, foreign = c.unpack(kept, foreign, list)
	}
	for _, t := range list.elements() {
		if c.shape == ShapeOpenAIMCP && t.field("type").text() == "mcp_list_tools" && t.field("server_label").text() != label {
			others, _ := c.unpack(nil, 0, t)
			foreign += len(others)
			continue
		}
		kept, foreign = c.unpack(kept, foreign, t)
	}
	own := of.lookingMarked()
	byHost := func(d definition) bool {
		name := plainly(d.value.field("name").text())
		return d.marked() && (d.namespace != "" || !own.begins(name))
	}
	if !slices.ContainsFunc(kept, byHost) {
		return kept, foreign
	}
	all := len(kept)
	kept = slices.DeleteFunc(kept, func(d definition) bool { return !d.marked() })
	return kept, foreign + all - len(kept)
}

// lookingMarked are names of the server's own tools, as hosts clean them, that look as
// if a host had marked them. A host may put something behind such a name.
func (k *Known) lookingMarked() prefixes {
	if k == nil {
		return nil
	}
	var names []string
	for _, n := range k.Tools {
		if n = plainly(n); strings.HasPrefix(n, "mcp_") {
			names = append(names, n)
		}
	}
	slices.Sort(names)
	var own prefixes
	for _, n := range names {
		if !own.begins(n) {
			own = append(own, n)
		}
	}
	return own
}

// prefixes are sorted, and none begins with another.
type prefixes []string

// begins reports whether a text begins with one of them: only the last one that is not
// behind it in the order can be it.
func (p prefixes) begins(s string) bool {
	at, found := slices.BinarySearch(p, s)
	return found || at > 0 && strings.HasPrefix(s, p[at-1])
}

// plainly is a name as hosts clean it.
func plainly(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, name)
}

// marked reports whether the host marked the tool as one of an MCP server.
func (d definition) marked() bool {
	return strings.HasPrefix(d.namespace, "mcp_") || strings.HasPrefix(d.value.field("name").text(), "mcp_")
}

// unpack adds the definitions in one element of a request's tools.
func (c captureForm) unpack(kept []definition, foreign int, t value) ([]definition, int) {
	group, namespace := value{}, ""
	switch c.shape {
	case ShapeAnthropic:
		// Tools of the provider have a type of their own. One without a schema is what a host
		// passes on of a definition that has none.
		if kind := t.field("type"); t.has("name") && (kind.null() || kind.text() == "custom") {
			return append(kept, definition{value: t}), foreign
		}
	case ShapeOpenAIChat:
		if f := t.field("function"); f.is(kindObject) {
			return append(kept, definition{value: f}), foreign
		}
	case ShapeOpenAIResponses:
		if t.field("type").text() == "function" {
			return append(kept, definition{value: t}), foreign
		}
		group, namespace = t.field("tools"), t.field("name").text()
	case ShapeOpenAIMCP:
		if t.field("type").text() != "mcp_list_tools" {
			return kept, foreign // a message
		}
		group = t.field("tools")
	case ShapeGemini:
		if isGeminiDeclaration(t) {
			return append(kept, definition{value: t}), foreign
		}
		group = t.field("functionDeclarations")
		if !group.present() {
			group = t.field("function_declarations")
		}
	}
	if !group.is(kindArray) {
		return kept, foreign + 1
	}
	for _, e := range group.elements() {
		kept = append(kept, definition{e, namespace})
	}
	return kept, foreign
}

// WriteCapture writes definitions as they stand in a capture of a shape, as a text
// that [Read] takes for a capture. What is no object becomes null there.
func WriteCapture(shape Shape, definitions [][]byte, foreign int) []byte {
	c := captureForms[shape]
	kept := make([]definition, 0, len(definitions))
	for _, raw := range definitions {
		kept = append(kept, definition{value: whole(raw)})
	}
	return c.write("", kept, max(0, foreign))
}

// write writes the text that is kept of a capture. Reading it and writing it again
// gives the same bytes. Server is how the request calls the server of the tools; ""
// when it does not say so.
func (c captureForm) write(server string, kept []definition, foreign int) []byte {
	b := fmt.Appendf(nil, `{"countersign":{"capture":%s,"foreign":%d`, EncodeString(string(c.shape)), foreign)
	if server != "" {
		b = append(append(b, `,"server":`...), EncodeString(server)...)
	}
	b = append(b, `},"tools":[`...)
	for i, d := range kept {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, '\n')
		b = c.appendDefinition(b, d)
	}
	return append(b, "\n]}"...)
}

func (c captureForm) appendDefinition(b []byte, d definition) []byte {
	if !d.value.is(kindObject) {
		return append(b, "null"...)
	}
	b = append(b, '{')
	if d.namespace != "" {
		b = appendMember(b, "namespace", EncodeString(d.namespace))
	}
	for n, v := range d.value.members() {
		if slices.Contains(c.keep, n) && (n != "namespace" || d.namespace == "") {
			b = appendMember(b, n, v.raw())
		}
	}
	return append(b, '}')
}

// appendMember appends name and value, after a comma unless it is the first.
func appendMember(b []byte, name string, raw jsontext.Value) []byte {
	b = append(appendComma(b), EncodeString(name)...)
	b = append(b, ':')
	return append(b, raw...)
}
