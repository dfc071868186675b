package host

// waitText is what gemini-cli adds to every tool, as the captures have it.
const waitText = "Set to true to wait for all previously requested tools in this turn to complete before starting. " +
	"Set to false (or omit) to run in parallel. Use true when this tool depends on the output of previous tools."

var waitNode = object(member{"type", str("boolean")}, member{"description", str(waitText)})

// nullable writes a type that is one thing or null as that thing with nullable.
func nullable(s *node) *node {
	s = s.mapped(func(_ string, v *node) *node { return nullable(v) })
	types := s.get("type")
	if !types.allTexts() || len(types.elems) != 2 {
		return s
	}
	a, b := types.elems[0], types.elems[1]
	switch {
	case b.isText("null") && !a.isText("null"):
	case a.isText("null") && !b.isText("null"):
		a = b
	default:
		return s
	}
	return s.with("type", a).with("nullable", trueNode)
}

// waitForPrevious adds the property with which gemini-cli orders calls.
func waitForPrevious(s *node) *node {
	if !s.is('{') {
		return s
	}
	props := s.get("properties")
	if !props.is('{') {
		props = object()
	}
	return s.with("properties", props.with("wait_for_previous", waitNode))
}
