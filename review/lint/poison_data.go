package lint

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/url"
	"strings"
)

// secretStores are files and places that hold credentials. A store of the first list
// holds nothing else; those of the second are settings too, which tools have reason to
// name.
var (
	secretStores = []string{
		"~/.ssh", ".ssh/", "id_rsa", "id_ed25519", "id_ecdsa", ".aws/credentials", "aws/credentials", ".netrc", ".pgpass", ".git-credentials",
		"application_default_credentials", "/etc/shadow", "/etc/passwd", ".gnupg", "wallet.dat", "login keychain", "login.keychain", "cookies.sqlite",
		"login data", "browser cookies", ".config/gh/hosts", "credentials.json", ".password-store", ".vault-token",
	}
	settingStores = []string{".kube/config", ".npmrc", ".docker/config.json", "mcp.json", "claude_desktop_config", ".cursor/mcp", ".env file", "dotenv", ".pypirc", ".azure/", "gcloud/"}
)

// secretStore returns the store that a folded text names, "" when there is none.
func secretStore(s string) string {
	for _, list := range [][]string{secretStores, settingStores} {
		for _, store := range list {
			if strings.Contains(s, store) {
				return store
			}
		}
	}
	return ""
}

// takers are verbs that carry something off when they stand as a command.
var takers = setOf("read open load fetch cat copy send put include paste upload attach append pass dump provide export give base64 retrieve extract embed collect place insert add supply forward print post")

// secretPaths finds stores of credentials together with a command to take something
// from them. A store that is only named is a mention.
func (v *view) secretPaths(t *text) {
	s := t.fold()
	if strings.IndexByte(s, '.') < 0 && strings.IndexByte(s, '/') < 0 && !hasAny(s, "id_rsa", "cookies", "keychain") {
		return
	}
	reported := false
	for _, list := range [][]string{secretStores, settingStores} {
		for _, store := range list {
			i := strings.Index(s, store)
			if i < 0 || reported {
				continue
			}
			reported = true
			v.secretPath(t, store, i)
		}
	}
}

func (v *view) secretPath(t *text, store string, i int) {
	h := hit{rule: "poison.secret-read", text: t, start: i, end: i + len(store), first: -1}
	sent := t.sentenceAt(i)
	command := t.role == roleValue && isPipeline(sent.Text)
	if !command && !v.takes(t, sent.Start, sent.End) {
		v.mention(&h, fmt.Sprintf("%q is a store of credentials. It is named here, no order to read it was found.", store))
		return
	}
	h.message = fmt.Sprintf("Asks for what is in %q, a store of credentials: %s", store, quote(excerpt(sent.Text)))
	if h.position() == Quoted && (command || inCode(t.fold(), i)) {
		h.first, h.start, h.end = -1, sent.Start, min(sent.Start+1, sent.End) // the path is quoted, the order is not
	}
	v.hits = append(v.hits, h)
}

// takes reports whether a sentence orders its reader to take something. A description's
// first sentence says what the tool itself does.
func (v *view) takes(t *text, from, to int) bool {
	if t.hidden {
		return true
	}
	lead := t.role == roleDescription && from == t.lead().Start
	toks := t.tokens()
	n := 0
	for i := tokenAt(toks, from); i < len(toks) && toks[i].start < to; i++ {
		n++
		if !takers[toks[i].w] || lead && n <= 2 {
			continue
		}
		h := hit{text: t, start: toks[i].start, end: toks[i].end, first: i}
		if h.imperative() && !h.negatedBefore() || h.before() == "to" && hasAny(t.fold()[from:to], "need", "have", "must", "required") {
			return true
		}
	}
	return false
}

func (v *view) mention(h *hit, message string) {
	f := v.at(h.text, "poison.mention", Info, message)
	f.PositionClass, f.Excerpt = Described, excerpt(h.sentence())
}

// programs start a shell command.
var programs = setOf("cat curl wget bash sh eval nc base64 scp tar python python3 node powershell $( sudo rm echo")

// isPipeline reports whether a text is a shell command that reads, pipes or fetches.
func isPipeline(s string) bool {
	s = strings.TrimSpace(s)
	first, rest, _ := strings.Cut(s, " ")
	if !programs[first] {
		return strings.HasPrefix(s, "$(") || strings.HasPrefix(s, "`") && strings.HasSuffix(s, "`") && strings.Contains(s, "|")
	}
	return strings.ContainsAny(rest, "|~$<>;") || strings.Contains(rest, "/")
}

// carriers are verbs that bring data somewhere.
var carriers = setOf(`send forward copy upload post transmit exfiltrate leak relay redirect deliver bcc cc mail email submit push append add include put set
	replaced redirected forwarded sent copied uploaded posted mailed relayed delivered added included submitted transmitted replace`)

// freight is what leaves: data of the user, not the arguments of the tool.
var freight = []string{
	"conversation", "message", "file", "data", "content", "credential", "key", "token", "history", "copy", "body", "recipient", "prompt", "response", "output",
	"password", "result", "transcript", "secret", "record", "document", "email", "mail", "bcc", "information", "details", "everything", "argument", "contents", "address", "summary", "note", "answer", "text",
}

// exfiltration finds an order to bring data to a literal destination.
func (v *view) exfiltration(t *text) {
	s := t.fold()
	if strings.IndexByte(s, '@') < 0 && !strings.Contains(s, "://") && !hasAny(s, "external server", "third party", "third-party server", "attacker", "our server", "remote server") && !hasDottedQuad(s) && !strings.Contains(s, "+") {
		return
	}
	for i, sent := range t.sentences() {
		if i >= maxMatches {
			return
		}
		at, dest := destination(sent.Text)
		if dest == "" || exampleBefore(sent.Text[:at]) || hasAny(sent.Text[max(0, at-24):at], "e.g", "example", "such as", "format", "like") {
			continue
		}
		if !hasAny(sent.Text, freight...) || !v.carries(t, max(sent.Start, sent.Start+at-windowBefore), sent.Start+at, i == 0) {
			continue
		}
		v.hits = append(v.hits, hit{rule: "poison.exfil", text: t, start: sent.Start + at, end: sent.Start + at + len(dest), first: -1,
			message: fmt.Sprintf("Tells the model to bring data to %q: %s", short(dest, 60), quote(excerpt(sent.Text)))})
		return
	}
}

// carries reports whether a verb within sixty characters before the destination orders
// the transfer.
func (v *view) carries(t *text, start, dest int, first bool) bool {
	lead := first && t.role == roleDescription && !t.hidden
	toks, n := t.tokens(), 0
	for i := tokenAt(toks, start); i < len(toks) && toks[i].start < dest; i++ {
		tok := toks[i]
		n++
		if !carriers[tok.w] || dest-tok.start > 120 || lead && n <= 2 {
			continue
		}
		h := hit{text: t, start: tok.start, end: tok.end, first: i}
		if h.negatedBefore() {
			continue
		}
		if h.imperative() || h.before() == "to" && hasAny(t.fold()[start:dest], "has to", "have to", "need to", "needs to", "be sure to", "remember to") ||
			h.before() == "be" && hasAny(t.fold()[start:dest], "has to be", "have to be", "must be", "should be", "needs to be") {
			return true
		}
	}
	return false
}

// destination finds an address in a sentence: mail, URL, IP, phone number, or words that
// stand for one.
func destination(s string) (int, string) {
	for _, words := range []string{"external server", "third-party server", "attacker", "our server", "remote server"} {
		if i := strings.Index(s, words); i >= 0 {
			return i, words
		}
	}
	if i, phone := phoneNumber(s); i >= 0 {
		return i, phone
	}
	for at := 0; at < len(s); {
		end := strings.IndexAny(s[at:], " \n\t,;()<>\"'`")
		if end < 0 {
			end = len(s) - at
		}
		if w := strings.TrimRight(s[at:at+end], ".:!?"); isAddress(w) {
			return at, w
		}
		at += end + 1
	}
	return -1, ""
}

// phoneNumber finds + and at least nine digits, with blanks and dashes among them.
func phoneNumber(s string) (int, string) {
	for i := strings.IndexByte(s, '+'); i >= 0; i = nextIndex(s, "+", i) {
		end, digits := i+1, 0
		for end < len(s) && (isDigit(s[end]) || s[end] == ' ' || s[end] == '-') {
			if isDigit(s[end]) {
				digits++
			}
			end++
		}
		if digits >= 9 && (i == 0 || s[i-1] == ' ' || s[i-1] == ':') {
			return i, strings.TrimRight(s[i:end], " -")
		}
	}
	return -1, ""
}

func isAddress(w string) bool {
	switch {
	case strings.HasPrefix(w, "http://"), strings.HasPrefix(w, "https://"):
		u, err := url.Parse(w)
		return err == nil && u.Hostname() != "localhost" && u.Hostname() != "127.0.0.1" && u.Hostname() != ""
	case strings.Count(w, "@") == 1 && len(w) > 5:
		user, host, _ := strings.Cut(w, "@")
		return user != "" && strings.Contains(host, ".") && !strings.ContainsAny(w, "/:=")
	case hasDottedQuad(w):
		return w != "127.0.0.1" && w != "0.0.0.0"
	}
	return false
}

// hasDottedQuad finds an IPv4 address.
func hasDottedQuad(s string) bool {
	dots, digits := 0, 0
	for i := range len(s) {
		switch c := s[i]; {
		case '0' <= c && c <= '9':
			if digits++; digits > 3 {
				dots, digits = 0, 0
			} else if dots == 3 {
				return true
			}
		case c == '.' && digits > 0:
			dots++
			digits = 0
		default:
			dots, digits = 0, 0
		}
	}
	return false
}

// shells are what a download is piped into.
var shells = []string{"| sh", "|sh", "| bash", "|bash", "| zsh", "| sudo bash", "| sudo sh", "| python", "|python", "| node", "| perl"}

// codeExecution finds commands that run what they fetch, or open a way in.
func (v *view) codeExecution(t *text) {
	s := t.fold()
	add := func(i int, what string) {
		h := hit{rule: "poison.code-exec", text: t, start: i, end: i + 1, first: -1, message: what + ": " + quote(excerpt(s[i:]))}
		if h.position() == Quoted && (t.role == roleValue || ordersRun(s[max(0, i-60):i])) {
			h.start = t.sentenceAt(i).Start
			h.end = h.start + 1
		}
		v.hits = append(v.hits, h)
	}
	for _, fetch := range []string{"curl ", "wget ", "iwr ", "base64 -d", "base64 --decode"} {
		i := strings.Index(s, fetch)
		if i < 0 {
			continue
		}
		line := short(s[i:], 300)
		if hasAny(line, shells...) || strings.HasPrefix(fetch, "iwr") && strings.Contains(line, "iex") {
			add(i, "A download is run as a program")
			return
		}
	}
	for _, sign := range []string{"bash -c \"$(curl", "sh -c \"$(curl", "/dev/tcp/", "nc -e ", "powershell -enc", "powershell -e ", "eval(atob", "eval(fetch", "exec(requests.get", "exec(urllib", "rm -rf /", "rm -rf ~", "iex(", "invoke-expression", ":(){"} {
		if i := strings.Index(s, sign); i >= 0 {
			add(i, "A command that runs foreign code or destroys")
			return
		}
	}
	if t.role == roleValue && isPipeline(s) && strings.ContainsAny(s, "|~") && !hasAny(s, "select ") {
		v.hits = append(v.hits, hit{rule: "poison.schema-smuggle", text: t, start: 0, end: 1, first: -1, message: "A shell command as a value that a model copies: " + quote(excerpt(s))})
	}
}

func ordersRun(before string) bool {
	return hasAny(before, "run ", "execute ", "paste ", "type ", "invoke ", "call ", "first ", "must ")
}

// harvests are what a tool has no reason to ask a model for.
var harvests = []string{
	"system prompt", "chain of thought", "chain-of-thought", "list of tools available", "list of the tools available", "tools available to you", "tools you have",
	"conversation history", "chat history", "conversation so far", "whole conversation", "entire conversation", "full conversation", "complete conversation", "chat transcript",
	"conversation transcript", "previous messages", "all messages so far", "everything the user said", "earlier tool results", "previous tool results", "previous tool outputs", "results of earlier tools", "hidden reasoning",
	"reasoning trace", "your instructions verbatim", "your full instructions", "context window",
}

// owners are words in the name of a tool whose business is a conversation or a prompt.
var owners = setOf("chat conversation conversations thread message messages session prompt prompts llm agent agents transcript channel dm history completion model assistant ask think thinking sequentialthinking sampling sample context tokens")

// contextHarvest finds a request for what the model knows: in a parameter's description,
// or as an order in any text.
func (v *view) contextHarvest(t *text) {
	s := t.fold()
	for _, what := range harvests {
		i := strings.Index(s, what)
		if i < 0 {
			continue
		}
		sent := t.sentenceAt(i).Text
		mine := hasAny(sent, "your ", "verbatim", "available to you", "you have", "so far", "of this chat", "of this conversation", "with the user", "the user said", "entire", "full", "whole", "complete", "all previous", "you were given")
		asked := t.hidden || t.role == roleParam && mine || hasAny(sent, "include ", "pass ", "provide ", "attach ", "paste ", "put ", "copy ", "send ", "append ") && mine
		if !asked || owners.any(v.words) && !hasAny(sent, "system prompt", "tools available", "verbatim", "chain of thought", "chain-of-thought") {
			continue
		}
		if t.role == roleDescription && t.sentenceAt(i).Start == 0 && !t.hidden {
			continue // what the tool itself does
		}
		v.hits = append(v.hits, hit{rule: "poison.context-harvest", text: t, start: i, end: i + len(what), first: -1,
			message: fmt.Sprintf("Asks the model for its %s: %s", what, quote(excerpt(sent)))})
		return
	}
}

// markupExfil finds an order to put a link or image whose address carries data into the
// answer.
func (v *view) markupExfil(t *text) {
	s := t.fold()
	if !hasAny(s, "![", "<img", "markdown image", "markdown link", "tracking pixel", "image link", "](http") {
		return
	}
	for _, sent := range t.sentences() {
		i := strings.Index(sent.Text, "http")
		if i < 0 || !hasAny(sent.Text[i:], "{", "$", "?", "<", "=") || !hasAny(sent.Text, "![", "<img", "image", "pixel", "](", "link") {
			continue
		}
		if !hasAny(sent.Text, "reply", "response", "answer", "output", "message", "render", "final") || !hasAny(sent.Text, "include", "add", "append", "embed", "put", "end ", "insert", "show", "render", "display", "place") {
			continue
		}
		v.hits = append(v.hits, hit{rule: "poison.markup-exfil", text: t, start: sent.Start, end: sent.Start + 1, first: -1,
			message: "Asks for a link or image whose address carries data out: " + quote(excerpt(sent.Text))})
		return
	}
}

// Bounds of encoded runs that are looked into.
const (
	minBlob     = 24
	maxBlobs    = 20
	longBlob    = 200
	maxBlobSize = 64 << 10
)

// encodedBlobs decodes what is written in an encoding and reads what comes out.
func (v *view) encodedBlobs(t *text) {
	if len(t.s) < minBlob {
		return
	}
	seen := 0
	for at := 0; at < len(t.s) && seen < maxBlobs; {
		end := strings.IndexAny(t.s[at:], " \n\t\r,;:()<>\"'`[]{}")
		if end < 0 {
			end = len(t.s) - at
		}
		if end >= minBlob && end <= maxBlobSize {
			seen++
			v.blob(t, strings.TrimRight(t.s[at:at+end], ".!?"))
		}
		at += end + 1
	}
	if strings.Contains(lower(t.s), "rot13") || strings.Contains(lower(t.s), "rot-13") {
		v.decodedText(t, t.s, rot13(t.s))
	}
}

func (v *view) blob(t *text, w string) {
	if i := strings.LastIndex(w, "base64,"); i >= 0 {
		w = w[i+len("base64,"):]
	}
	decoded := decodeBlob(w)
	if isReadable(decoded) {
		v.decodedText(t, w, decoded)
		return
	}
	if len(w) > longBlob && decoded != "" && !strings.Contains(t.s, "base64,") && t.role != roleHidden {
		v.at(t, "poison.encoded-blob", Info, fmt.Sprintf("%d characters of encoded data that are no text.", len(w))).Excerpt = excerpt(w)
	}
}

// decodedText reports readable text that was encoded; it is grave when a rule of words
// has something to say about it.
func (v *view) decodedText(t *text, from, decoded string) {
	d := &text{node: t.node, role: t.role, output: t.output, s: decoded, hidden: true}
	probe := &view{tool: v.tool, root: v.root, name: v.name, words: v.words}
	phrases.find(d, func(h hit) {
		if h.rule != "desc.steering" && h.rule != "shadow.rule-for" {
			probe.hits = append(probe.hits, h)
		}
	})
	probe.codeExecution(d)
	probe.secretPaths(d)
	probe.exfiltration(d)
	switch {
	case len(probe.hits) > 0 || isPipeline(lower(decoded)):
		f := v.at(t, "poison.encoded-blob", Critical, fmt.Sprintf("Encoded text reads %q.", short(decoded, 200)))
		f.Excerpt, f.PositionClass = excerpt(from), Instruction
		v.addDecoded(t, decoded)
	case strings.Count(decoded, " ") >= 2 && from != t.s:
		v.at(t, "poison.encoded-blob", Info, fmt.Sprintf("Encoded text reads %q.", short(decoded, 200))).Excerpt = excerpt(from)
	}
}

// decodeBlob tries the encodings that text is smuggled in, "" when none fits.
func decodeBlob(w string) string {
	if strings.Count(w, "%") >= 8 {
		if s, err := url.PathUnescape(w); err == nil {
			return s
		}
	}
	if strings.Trim(w, "0123456789abcdefABCDEF") == "" && len(w)%2 == 0 {
		if b, err := hex.DecodeString(w); err == nil {
			return string(b)
		}
	}
	trimmed := strings.TrimRight(w, "=")
	for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		if b, err := enc.DecodeString(trimmed); err == nil {
			return string(b)
		}
	}
	return ""
}

func rot13(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z':
			return 'a' + (r-'a'+13)%26
		case r >= 'A' && r <= 'Z':
			return 'A' + (r-'A'+13)%26
		}
		return r
	}, s)
}
