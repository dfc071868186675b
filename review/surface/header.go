package surface

import "strings"

// header checks the rules for x-mcp-header (since 2026-07-28), h, which names an HTTP
// header that carries the value of the parameter, too. Clients drop a tool that
// breaks one of them.
func (s *schemaChecker) header(schema, h value, p *path, where place) {
	if problem := s.headerProblem(schema, h, where); problem != "" {
		s.add(s.subject, h, p, "header-param-invalid", LevelError,
			"`x-mcp-header` "+problem+" Clients drop a tool like this from the list.")
	}
}

// headerProblem says what is wrong with an annotation, or "".
func (s *schemaChecker) headerProblem(schema, h value, where place) string {
	name := h.text()
	lower := strings.ToLower(name)
	switch kind := schema.field("type").text(); {
	case !h.is(kindString) || name == "":
		return "must be a string that is not empty."
	case !isToken(name):
		return "must be the name of an HTTP header: letters, digits and !#$%&'*+-.^_`|~ only."
	case where == atRoot:
		return "stands at the root of the schema; it belongs to a parameter."
	case where == behind:
		return "must be reached through `properties` alone; here it stands behind another keyword."
	case kind != "string" && kind != "integer" && kind != "boolean":
		return "may only stand on a string, integer or boolean."
	case s.headers[lower]:
		return "names `" + shorten(name) + "` a second time (case doesn't count)."
	}
	s.headers[lower] = true
	return ""
}

// isToken reports whether s is a token of RFC 9110.
func isToken(s string) bool {
	for i := range len(s) {
		if c := s[i]; !isWordByte(c) && strings.IndexByte("!#$%&'*+-.^`|~", c) < 0 {
			return false
		}
	}
	return true
}
