package surface

import (
	"bytes"
	"regexp"
	"strings"
)

// asOther reads text that doesn't begin like JSON: a log with messages in it, or
// else something that is refused by name.
func (r *reader) asOther() error {
	if done, err := r.asLog(); done {
		return err
	}
	if what := looksLike(r.src.data); what != "" {
		return r.src.error(OtherFormat, string(OtherFormat), 0, what)
	}
	return r.asJSON()
}

// magics are the first bytes of files that people push by mistake.
var magics = []struct{ magic, message string }{
	{"\x1f\x8b", "this is gzip data inside the payload. Unpack it, or send it with the header Content-Encoding: gzip."},
	{"PK\x03\x04", "this is a zip archive (a bundle, a document or a package). Push the tool listing itself."},
	{"%PDF", "this is a PDF. Push the answer of tools/list as JSON."},
	{"\x89PNG", "this is a picture. Push the answer of tools/list as JSON."},
}

// looksLike names the format of a text that is no JSON and says what to do, or
// returns "" when there is no telling.
func looksLike(b []byte) string {
	for _, m := range magics {
		if bytes.HasPrefix(b, []byte(m.magic)) {
			return m.message
		}
	}
	head := strings.ToLower(string(bytes.TrimSpace(b[:min(len(b), 4096)])))
	first, _, _ := strings.Cut(head, "\n")
	first = strings.TrimSpace(first)
	switch {
	case strings.HasPrefix(head, "<"):
		return looksLikeMarkup(head)
	case len(head) < 200 && refusal.MatchString(head):
		return "this looks like a refusal of a web server, not a tool listing. Check the address and the credentials."
	case strings.HasPrefix(head, "#") || strings.HasPrefix(head, "|") || strings.HasPrefix(head, "```"):
		return "this looks like Markdown, such as a table of a README. It describes tools in words; push the answer of tools/list as JSON."
	case isTOML(b):
		return looksLikeTOML
	case first == "---", isYAML(first):
		return "this looks like YAML. Convert it to JSON, or push the answer of tools/list."
	case strings.Contains(first, ",") && !strings.Contains(first, ". "), strings.Contains(first, "\t"):
		return "this looks like CSV. A table can't hold a schema: push the answer of tools/list as JSON."
	}
	return ""
}

// refusal is how servers say in plain text that somebody may not.
var refusal = regexp.MustCompile(`\b(unauthorized|unauthenticated|forbidden|access denied|not authorized|bad credentials|invalid token)\b`)

const looksLikeTOML = "this looks like TOML, such as a client's configuration. Use `countersign pull` to ask a server, and push what it prints."

// isTOML reports whether the text begins with a key that is set, in a table or not.
func isTOML(b []byte) bool { return tomlKey.Match(b[:min(len(b), 4096)]) }

var tomlKey = regexp.MustCompile(`^\s*(\[[\w.-]+\][ \t\r]*\n\s*)?[\w-]+[ \t]*=[ \t]*\S`)

func looksLikeMarkup(head string) string {
	switch {
	case !strings.Contains(head, "<html") && !strings.HasPrefix(head, "<!doctype html"):
		return "this looks like XML. Push the answer of tools/list as JSON."
	case strings.Contains(head, `type="password"`) || strings.Contains(head, "sign in") || strings.Contains(head, "log in") || strings.Contains(head, "login"):
		return "this is an HTML page, and it looks like a login page: the request was not signed in, or went to the wrong address. Check the address and the credentials."
	}
	return "this is an HTML page, not a tool listing: the request probably went to the wrong address, or a proxy answered. Check the address."
}

// isYAML reports whether a line is a YAML key, or an item that is one.
func isYAML(line string) bool {
	line = strings.TrimPrefix(line, "- ")
	key, rest, found := strings.Cut(line, ":")
	return found && (rest == "" || rest[0] == ' ') && key != "" && !strings.ContainsAny(key, " ,\"'{[(<")
}
