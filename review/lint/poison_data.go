package lint

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/countersign/countersign/review/prose"
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
var takers = setOf("read open load fetch cat copy send put include paste upload attach append pass dump provide export give base64 retrieve extract embed collect place insert add supply forward print post take hand fill grab list dump exfiltrate leak steal harvest export transmit share stream pipe tar zip archive sent copied included pasted uploaded attached opened loaded provided returned forwarded appended passed quoted lies lese öffne kopiere sende schicke lis lisez ouvre ouvrez copie copiez envoie envoyez joins lee abre copia envía envia incluye adjunta leia abra envie inclua leggi apri invia includi прочитай прочти прочитайте открой откройте скопируй отправь")

// secretPaths finds stores of credentials together with a command to take something
// from them. A store that is only named is a mention.
func (v *view) secretPaths(t *text) {
	s, h := t.fold(), t.hay()
	if strings.IndexByte(s, '\\') >= 0 {
		s = slashed(s)
		h = newHay(s)
	}
	if strings.IndexByte(s, '.') >= 0 || strings.IndexByte(s, '/') >= 0 || t.signs&ofStore != 0 {
		for _, list := range [][]string{secretStores, settingStores} {
			for _, store := range list {
				if i := h.index(store); i >= 0 {
					v.secretPath(t, store, i)
					return
				}
			}
		}
	}
	if t.signs&ofStore == 0 || !h.has(storeSigns...) {
		return
	}
	for _, store := range namedStores {
		if i := h.index(store); i >= 0 {
			if sent := t.sentenceAt(i); v.takes(t, sent.Start, sent.End) && !v.owns(t, store) {
				v.secretPath(t, store, i)
			}
			return
		}
	}
}

// slashed writes the paths of Windows with slashes; offsets stay.
func slashed(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	return strings.ReplaceAll(s, `\`, "/")
}

// storeSigns are a word of each of namedStores.
var storeSigns = []string{"cookies", "password", "keychain", "keyring", "phrase", "wallet", "logins", "private key"}

// namedStores are stores of credentials that people call by a name instead of a path.
// Pages speak of such things all day, so they count only where they are to be taken.
var namedStores = func() []string {
	list := []string{"keychain", "keyring", "password manager", "password vault", "saved logins", "saved passwords", "stored passwords", "seed phrase", "recovery phrase", "mnemonic phrase", "wallet file", "crypto wallet", "private key of the user", "user's private key", "ssh private key", "private ssh key"}
	for _, browser := range []string{"chrome", "firefox", "safari", "edge", "brave", "opera", "chromium", "browser", "browser's"} {
		for _, what := range []string{"cookies", "cookie database", "cookie store", "passwords", "saved passwords", "password database", "session cookies"} {
			list = append(list, browser+" "+what)
		}
	}
	return list
}()

// storeOwners are words of tools and parameters whose business a store is.
var storeOwners = []struct {
	sign  string
	words []string
}{
	{"ssh", []string{"ssh", "scp", "sftp", "remote", "identity", "host", "deploy", "git"}}, {"id_", []string{"ssh", "scp", "sftp", "remote", "identity", "deploy", "git"}},
	{"aws", []string{"aws", "s3", "profile"}}, {"kube", []string{"kube", "k8s", "cluster", "helm"}}, {"npm", []string{"npm", "registry", "package"}},
	{"docker", []string{"docker", "container", "registry"}}, {"gcloud", []string{"gcloud", "google", "gcp"}}, {"application_default", []string{"google", "gcp", "gcloud", "adc"}},
	{"credentials.json", []string{"google", "oauth", "credential", "auth", "service_account", "service account", "key_file", "keyfile"}}, {"azure", []string{"azure"}}, {"mcp", []string{"mcp"}}, {"claude", []string{"mcp", "claude"}}, {"cursor", []string{"mcp", "cursor"}},
	{"env", []string{"env", "config"}}, {"netrc", []string{"netrc"}}, {"pgpass", []string{"postgres", "pgpass", "psql", "pg_"}}, {"git-credentials", []string{"git"}}, {"gh/", []string{"github", "gh_"}},
	{"pypirc", []string{"pypi", "python"}}, {"gnupg", []string{"gpg", "pgp", "gnupg"}}, {"cookies", []string{"cookie"}}, {"login data", []string{"login"}}, {"vault", []string{"vault"}}, {"wallet", []string{"wallet"}},
	{"/etc/", []string{"etc", "passwd", "account", "users"}}, {"keychain", []string{"keychain"}}, {"keyring", []string{"keyring"}}, {"password", []string{"password"}}, {"private key", []string{"key"}}, {"phrase", []string{"phrase", "wallet"}},
}

// owns reports whether a store is what the tool, or the parameter that names it, is for.
func (v *view) owns(t *text, store string) bool {
	about := lower(v.name) + " " + v.desc.lead().Text
	if t.role == roleValue || t.role == roleParam || t.role == roleTitle {
		for n := t.node; n != nil && n.up != nil; n = n.up {
			if n.up.key == "properties" {
				about += " " + lower(n.key)
				if t.role == roleValue {
					about += " " + lower(n.text("description"))
				}
				break
			}
		}
	}
	for _, o := range storeOwners {
		if strings.Contains(store, o.sign) && hasAny(about, o.words...) {
			return true
		}
	}
	return false
}

func (v *view) secretPath(t *text, store string, i int) {
	h := hit{rule: "poison.secret-read", text: t, start: i, end: i + len(store), first: -1}
	sent := t.sentenceAt(i)
	command := t.role == roleValue && (isPipeline(sent.Text) || v.offers(t, sent.Text, store))
	if !command && !v.takes(t, sent.Start, sent.End) && !wantsContent(t, sent, i) {
		v.mention(&h, fmt.Sprintf("%q is a store of credentials. It is named here, no order to read it was found.", store))
		return
	}
	h.message = fmt.Sprintf("Asks for what is in %q, a store of credentials: %s", store, quote(excerpt(sent.Text)))
	if h.position() == Quoted && (command || inCode(t.fold(), i)) {
		h.first, h.start, h.end = -1, sent.Start, min(sent.Start+1, sent.End) // the path is quoted, the order is not
	}
	v.hits = append(v.hits, h)
}

// offers reports whether a value is the path of a store, or little more, that a model would
// copy into a call of a tool which has no business with it.
func (v *view) offers(t *text, s, store string) bool {
	if v.owns(t, store) || t.output {
		return false
	}
	for n := t.node; n != nil && n.up != nil; n = n.up {
		if n.up.key == "properties" && guards.any(words(n.text("description"))) || hasAny(lower(n.key), "exclude", "ignore", "deny", "block", "forbid", "skip") {
			return false
		}
	}
	return len(words(s)) <= 12 && !guards.any(v.words) && !hasAny(v.desc.lead().Text, "scan", "detect", "secret")
}

// wantsContent reports whether the text of a parameter asks for what stands in a store:
// "content of ~/.netrc", where "path of ~/.netrc" is harmless.
func wantsContent(t *text, sent prose.Sentence, store int) bool {
	before := words(t.fold()[sent.Start:store])
	before = before[max(0, len(before)-6):]
	if !setOf("content contents text lines line value values body data bytes").any(before) {
		return false
	}
	return t.role == roleParam && !guards.any(words(sent.Text)) || hasAny(sent.Text, "must", "should", "has to", "argument", "parameter")
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
		if h.obliged() && !h.negatedBefore() {
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
	replaced redirected forwarded sent copied uploaded posted mailed relayed delivered added included submitted transmitted replace
	ship shipped text sms report reported stream streamed mirror mirrored publish published share shared give hand ping notify log logged save store write export
	pass passed exported reaches reach goes lands transfer transferred dispatch dispatched`)

// freight is what leaves: data of the user, not the arguments of the tool.
var freight = []string{
	"conversation", "message", "file", "data", "content", "credential", "key", "token", "history", "copy", "body", "recipient", "prompt", "response", "output",
	"password", "result", "transcript", "secret", "record", "document", "email", "mail", "bcc", "information", "details", "everything", "argument", "contents", "address", "summary", "note", "answer", "text",
	"reply", "question", "user's", "users'", "photo", "picture", "recording", "calendar", "passport", "profile", "pasted", "typed", "whatever", "workspace", "screenshot", "clipboard", "contacts", "session", "cookie", "input",
}

// exfiltration finds an order to bring data to a literal destination.
func (v *view) exfiltration(t *text) {
	s := t.fold()
	if strings.IndexByte(s, '@') < 0 && strings.IndexByte(s, '+') < 0 && t.signs&ofAway == 0 && !strings.Contains(s, "://") && !hasInnerDot(s) {
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
		if v.ownBusiness(t, sent.Text, dest) {
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

// beyond are words of a transfer that is more than what was asked for.
var beyond = []string{"also", "in addition", "additionally", "every", "copy", "copies", "conversation", "user's", "history", "credential", "password", "secret", "token", "private", "before ", "after ", "silently", "always", "each ", "bcc", "everything", "first,", "transcript", "must", "key"}

// ownBusiness reports whether a transfer is what the tool is for: its verb is that of the
// name or of the first sentence, and nothing is added to what was asked. Addresses that
// are reserved for examples are no destination of such a sentence.
func (v *view) ownBusiness(t *text, s, dest string) bool {
	if t.hidden || hasAny(s, beyond...) {
		return false
	}
	if hasAny(dest, "example.com", "example.org", "example.net") {
		return true
	}
	for _, w := range words(short(s, 60)) {
		if base := baseOf(w); base != "" && carriers[base] {
			lead := v.desc.lead().Text
			return slices.Contains(v.words, base) || lead != "" && strings.HasPrefix(stem(words(lead)[0]), stem(base))
		}
	}
	return false
}

// hasInnerDot reports whether a dot stands within a word, as in a host or an address, and
// not in "e.g.".
func hasInnerDot(s string) bool {
	for i := strings.IndexByte(s, '.'); i >= 0; i = nextIndex(s, ".", i) {
		if i > 1 && i+2 < len(s) && isWordByte(s[i-1]) && isWordByte(s[i+1]) && isWordByte(s[i+2]) {
			return true
		}
	}
	return false
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
		if tok.w == "text" && h.imperative() && !articles[wordAfter(toks, i)] {
			continue // the noun
		}
		if h.imperative() || h.obliged() || strings.HasPrefix(tok.w, "reach") || tok.w == "goes" || tok.w == "lands" {
			if requestsOnly[wordAfter(toks, i)] {
				continue // how the tool itself speaks to its backend
			}
			if next := wordAfter(toks, i); nounAfter[next] || aims[tok.w] && strings.HasSuffix(t.fold()[start:dest], "at ") {
				continue // "mail is sent from", "add your key at"
			}
			if isMovement(tok.w) && !hasAny(t.fold()[start:tok.start], "make sure", "ensure", "must", "see to it") && (lead || !hasAny(t.sentenceAt(tok.start).Text, "each time", "every time", "always", "after each", "after every")) {
				continue
			}
			return true
		}
	}
	return false
}

var (
	nounAfter = setOf("is was are were will from of can that which has")
	aims      = setOf("add set save include put log report")
)

var requestsOnly = setOf("request requests query queries call calls feedback questions")

var articles = setOf("the a all every each your it this that any")

func wordAfter(toks []token, i int) string {
	if i+1 < len(toks) {
		return toks[i+1].w
	}
	return ""
}

// isMovement reports whether a verb says that something arrives, and orders nothing by
// itself.
func isMovement(w string) bool { return strings.HasPrefix(w, "reach") || w == "goes" || w == "lands" }

// destination finds an address in a sentence: mail, URL, IP, phone number, or words that
// stand for one.
func destination(s string) (int, string) {
	for _, words := range []string{"external server", "third-party server", "to a third party", "with a third party", "to third parties", "attacker", "our server", "remote server"} {
		if i := strings.Index(s, words); i >= 0 {
			return i, words
		}
	}
	if i, whom := stranger(s); i >= 0 {
		return i, whom
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

// Words of a destination that nobody named: "our external third party partner".
var (
	elsewhere  = setOf("external outside third-party offshore unknown unrelated unaffiliated foreign")
	receivers  = setOf("server servers partner partners company companies endpoint endpoints address host hosts mailbox recipient recipients inbox account party parties site website domain vendor collector contractor entity person")
	ofSomebody = []string{"the user pasted", "the user typed", "the user said", "the user wrote", "the user entered", "the user gave", "user provided", "user shared", "whatever the user", "user's", "users'", "conversation", "credential", "password", "secret", "private", "personal", "history", "all files", "everything", "their ", "customer"}
)

// stranger finds such a destination.
func stranger(s string) (int, string) {
	if !hasAny(s, "third", "external", "outside", "offshore", "unknown", "unrelated", "unaffiliated", "foreign") {
		return -1, ""
	}
	third := strings.Contains(s, "third party") || strings.Contains(s, "third-party") || strings.Contains(s, "third parties")
	if !third && !hasAny(s, ofSomebody...) {
		return -1, ""
	}
	toks := tokenise(s)
	for i := range toks {
		if !elsewhere[toks[i].w] && !(toks[i].w == "third" && strings.HasPrefix(wordAfter(toks, i), "part")) {
			continue
		}
		to := false
		for j := i - 1; j >= max(0, i-4); j-- {
			to = to || toks[j].w == "to" || toks[j].w == "with" || toks[j].w == "at" || toks[j].w == "on"
		}
		for j := i + 1; to && j < len(toks) && j <= i+3; j++ {
			if receivers[toks[j].w] {
				return toks[i].start, s[toks[i].start:toks[j].end]
			}
		}
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

// remoteSchemes start addresses of other machines.
var remoteSchemes = []string{"http://", "https://", "ftp://", "ftps://", "sftp://", "ws://", "wss://", "tcp://"}

func isAddress(w string) bool {
	switch {
	case slices.ContainsFunc(remoteSchemes, func(scheme string) bool { return strings.HasPrefix(w, scheme) }):
		u, err := url.Parse(w)
		return err == nil && u.Hostname() != "localhost" && u.Hostname() != "127.0.0.1" && u.Hostname() != ""
	case strings.Count(w, "@") == 1 && len(w) > 5:
		user, host, _ := strings.Cut(w, "@")
		return user != "" && strings.Contains(host, ".") && !strings.ContainsAny(w, "/:=")
	case hasDottedQuad(w):
		return w != "127.0.0.1" && w != "0.0.0.0"
	}
	return isBareHost(w)
}

// topLevel are endings of hosts that are not endings of files, too.
var topLevel = setOf("com net org io site dev app co xyz info biz ru cn cc tk top online club cloud link pw to eu de uk fr me")

// isBareHost reports whether a word is a host without a scheme: with a path, or with a
// name that has no other use.
func isBareHost(w string) bool {
	host, path, hasPath := strings.Cut(w, "/")
	labels := strings.Split(host, ".")
	if n := len(labels); n < 2 || !topLevel[labels[n-1]] || slices.Contains(labels, "") || strings.Trim(host, "abcdefghijklmnopqrstuvwxyz0123456789-.") != "" {
		return false
	}
	return hasPath && path != "" || len(labels) >= 3
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

// maxCommand is how much behind the name of a program is read as its command line.
const maxCommand = 300

// encodedCommand finds PowerShell with its command in base64, whatever other flags stand
// between; -1 when there is none.
func encodedCommand(s string) int {
	for _, program := range []string{"powershell", "pwsh"} {
		for i := strings.Index(s, program); i >= 0; i = nextIndex(s, program, i) {
			args := strings.Fields(short(s[i:], maxCommand))
			for k := 1; k+1 < len(args); k++ {
				flag := strings.TrimLeft(args[k], "-/")
				if flag == args[k] || flag == "" || !strings.HasPrefix("encodedcommand", flag) && flag != "ec" {
					continue
				}
				if value := strings.Trim(args[k+1], "\"'`.,"); len(value) >= 8 && strings.Trim(value, "abcdefghijklmnopqrstuvwxyz0123456789+/=") == "" {
					return i
				}
			}
		}
	}
	return -1
}

// inlineProgram finds an interpreter that is given a program which fetches and runs; the
// quotation marks around the program belong to the command.
func inlineProgram(s string) int {
	for _, program := range []string{"python", "node ", "perl ", "ruby ", "php ", "deno ", "bun "} {
		for i := strings.Index(s, program); i >= 0; i = nextIndex(s, program, i) {
			line := short(s[i:], maxCommand)
			head := short(line, 40)
			flag := strings.Index(head, " -c ")
			if flag < 0 {
				flag = strings.Index(head, " -e ")
			}
			if flag < 0 {
				continue
			}
			if hasAny(line, "exec(", "eval(", "os.system", "subprocess", "child_process", "system(", "pty.spawn", "__import__") && hasAny(line, "http", "urlopen", "requests", "fetch(", "socket", "atob", "b64decode", "base64") {
				return i
			}
		}
	}
	return -1
}

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
	if t.signs&ofShell == 0 && !strings.Contains(s, ":(){") {
		v.shellValue(t, s)
		return
	}
	for _, fetch := range []string{"curl ", "wget ", "iwr ", "base64 -d", "base64 --decode"} {
		i := t.hay().index(fetch)
		if i < 0 {
			continue
		}
		line := short(s[i:], 300)
		if hasAny(line, shells...) || strings.HasSuffix(fetch, " ") && hasAny(line, "chmod +x", "&& sh ", "&& bash ", "; sh ", "; bash ", "&& ./", "; ./", "&& python") || strings.HasPrefix(fetch, "iwr") && strings.Contains(line, "iex") {
			add(i, "A download is run as a program")
			return
		}
	}
	if i := encodedCommand(s); i >= 0 {
		add(i, "A command that is hidden in an encoding")
		return
	}
	if i := inlineProgram(s); i >= 0 {
		add(i, "A program on the command line that runs what it fetches")
		return
	}
	for _, sign := range []string{"certutil -urlcache", "mshta http", "regsvr32 /s /n", "bash -c \"$(curl", "sh -c \"$(curl", "sh <(curl", "sh <(wget", "source <(curl", ". <(curl", "eval \"$(curl", "eval $(curl", "exec(urlopen", "exec(u.urlopen", "exec(__import__", ".urlopen(", "| iex", "mkfifo ", "/dev/tcp/", "nc -e ", "powershell -enc", "powershell -e ", "eval(atob", "eval(fetch", "exec(requests.get", "exec(urllib", "rm -rf /", "rm -rf ~", "iex(", "invoke-expression", ":(){"} {
		if i := t.hay().index(sign); i >= 0 {
			add(i, "A command that runs foreign code or destroys")
			return
		}
	}
	v.shellValue(t, s)
}

// shellValue finds a shell command as a value.
func (v *view) shellValue(t *text, s string) {
	if t.role == roleValue && isPipeline(s) && (strings.ContainsAny(s, "|~") || hasAny(s, "$(", "curl ", "wget ")) && !hasAny(s, "select ") {
		v.hits = append(v.hits, hit{rule: "poison.schema-smuggle", text: t, start: 0, end: 1, first: -1, message: "A shell command as a value that a model copies: " + quote(excerpt(s))})
	}
}

func ordersRun(before string) bool {
	return hasAny(before, "run ", "execute ", "paste ", "type ", "invoke ", "call ", "first ", "must ")
}

// owners are words in the name of a tool whose business is a conversation or a prompt.
var owners = setOf("chat conversation conversations thread message messages session prompt prompts llm agent agents transcript channel dm history completion model assistant ask think thinking sequentialthinking sampling sample context tokens")

// ofThisTalk are words that make a conversation the one that goes on now.
var ofThisTalk = []string{"your ", "verbatim", "available to you", "you have", "so far", "this chat", "this conversation", "with the user", "the user said", "user and you", "you and the user", "all previous", "you were given",
	"up to now", "until now", "up to here", "word for word", "unabridged", "this session", "the current conversation", "the current chat", "our conversation"}

// wholes are words that ask for all of it.
var wholes = []string{"entire", "full", "whole", "complete", "all ", "every", "verbatim", "unabridged", "word for word", "step by step", "raw "}

// handings are verbs by which a model hands something over.
var handings = setOf("include pass provide attach paste put copy send append add write supply fill enter list name state give hand transfer insert embed record store place submit share output reveal print")

// ofHarvest are words behind a conversation that make it a mere fact about one.
var ofHarvest = setOf("id ids identifier title name url link count length number type status language setting settings limit mode format key object record")

// isHarvest wants what the model was told, thinks or can do to be asked for: in the text
// of a parameter, or as an order in any text.
func (h *hit) isHarvest() bool {
	t, s, passage := h.text, h.sentence(), h.passage()
	if ofHarvest.any(h.after(1)) {
		return false // "the full conversation id"
	}
	strong := hasAny(passage, "system", "developer", "prompt", "instructions", "chain", "hidden", "tools", "guidelines", "functions")
	if owners.any(t.owner) && !(strong && hasAny(s, "your ", "you ", "verbatim")) {
		return false
	}
	if t.role == roleDescription && !t.hidden && h.start < t.lead().End {
		return false // what the tool itself does
	}
	if !t.hidden && t.role != roleParam && !h.ordered(handings) {
		return false
	}
	return h.isOfThisTalk(passage, s)
}

// isOfThisTalk tells the conversation that goes on from one that is a record.
func (h *hit) isOfThisTalk(passage, s string) bool {
	mine := hasAny(s, ofThisTalk...)
	switch {
	case strings.HasPrefix(passage, "context"):
		return hasAny(s, "your context")
	case hasAny(passage, "prompt", "system", "developer"):
		return mine || hasAny(s, wholes...)
	case hasAny(passage, " you "):
		return true
	case hasAny(passage, "earlier", "previous", "prior", "preceding") && hasAny(passage, "tool", "function") && hasAny(s, wholes...):
		return true
	case hasAny(passage, "tools", "tool", "functions", "function", "capabilities"):
		return mine || hasAny(s, "you ", "your ") && !hasAny(passage, "previous", "earlier", "prior") || h.start == h.text.sentenceAt(h.start).Start && hasAny(s, "you called", "you used", "called before", "verbatim", "earlier", "previous")
	case hasAny(passage, "reasoning", "thinking", "thoughts", "deliberation", "monologue"):
		return hasAny(passage, "internal", "hidden", "inner", "private", "trace", " block", "your ") || hasAny(s, wholes...)
	case hasAny(passage, "conversation", "dialog", "discussion", "chat history", "chat transcript"):
		return mine || hasAny(passage, "so far", "up to", "until") || hasAny(s, wholes...) && !h.ofRecord()
	}
	if hasAny(passage, "earlier", "previous", "prior", "past") && hasAny(passage, "message", "prompt", "turn") && hasAny(s, "verbatim", "exactly", "word for word", "copied", "unabridged", "in full") {
		return true
	}
	return mine || hasAny(passage, "messages") && hasAny(s, "conversation", "in full")
}

// ofRecord reports whether what is asked for belongs to something else than this talk:
// "the conversation of a ticket".
func (h *hit) ofRecord() bool {
	after := h.after(2)
	return len(after) == 2 && setOf("of in for by from").any(after[:1]) && setOf("a an the id each one ticket").any(after[1:])
}

// ordered reports whether the sentence of the hit tells the reader to do one of these.
func (h *hit) ordered(verbs set) bool {
	sent := h.text.sentenceAt(h.start)
	return h.text.orders(sent.Start, sent.End, verbs)
}

// orders reports whether a stretch of a text tells its reader to do one of these: as a
// command, as what one must do, or as what must be done.
func (t *text) orders(from, to int, verbs set) bool {
	toks := t.tokens()
	for i := tokenAt(toks, from); i < len(toks) && toks[i].start < to; i++ {
		h := hit{text: t, start: toks[i].start, end: toks[i].end, first: i}
		switch {
		case !verbs[toks[i].w] || h.negatedBefore():
		case h.imperative(), h.obliged():
			return true
		}
	}
	return false
}

// obliged reports whether the word before is the "to" or the "be" of something that must
// be done.
func (h *hit) obliged() bool {
	toks := h.text.tokens()
	b := h.before()
	if b != "to" && b != "be" && b != "also" {
		return false
	}
	for i := h.first - 1; i >= max(0, h.first-5); i-- {
		switch toks[i].w {
		case "must", "should", "shall", "has", "have", "need", "needs", "required", "sure", "remember", "ought":
			return true
		}
	}
	return false
}

// markupExfil finds an order to put a link or image whose address carries data into the
// answer.
func (v *view) markupExfil(t *text) {
	s := t.fold()
	if !strings.Contains(s, "http") || !hasAny(s, "![", "<img", "image", "pixel", "](http", "link", "beacon") {
		return
	}
	for _, sent := range t.sentences() {
		i := strings.Index(sent.Text, "http")
		if i < 0 || !hasAny(sent.Text[i:], "{", "$", "?", "<", "=") || !hasAny(sent.Text, "![", "<img", "image", "pixel", "](", "link", "beacon") {
			continue
		}
		if !hasAny(sent.Text, "reply", "replies", "response", "answer", "output", "message", "render", "final") || !t.orders(sent.Start, sent.End, displays) && !hasAny(sent.Text, "your reply", "your answer", "your response", "your output", "your message", "your final") {
			continue
		}
		v.hits = append(v.hits, hit{rule: "poison.markup-exfil", text: t, start: sent.Start, end: sent.Start + 1, first: -1,
			message: "Asks for a link or image whose address carries data out: " + quote(excerpt(sent.Text))})
		return
	}
}

// displays are verbs that bring something into an answer.
var displays = setOf("include add append embed put end insert show render display place attach begin start finish close prepend reply respond answer return output print write give")

// Bounds of encoded runs that are looked into.
const (
	minBlob     = 24
	maxBlobs    = 200
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
		end := 0
		for at+end < len(t.s) && !endsBlob[t.s[at+end]] {
			end++
		}
		if end >= minBlob && end <= maxBlobSize {
			seen++
			v.runs(t, strings.TrimRight(t.s[at:at+end], ".!?"))
		}
		at += end + 1
	}
	if plain := unescape(t.s); plain != "" {
		v.decodedText(t, t.s, plain)
	}
}

// endsBlob are the bytes between pieces of text that can be encoded.
var endsBlob = func() (ends [256]bool) {
	for _, c := range []byte(" \n\t\r,;:()<>\"'`[]{}") {
		ends[c] = true
	}
	return ends
}()

// runs looks into a run of bytes, and into what follows a mark within it: "k=…", "x/…".
func (v *view) runs(t *text, run string) {
	v.blob(t, run)
	for at := 0; at < len(run); {
		end := strings.IndexAny(run[at:], "=/&|?#")
		if end < 0 {
			end = len(run) - at
		}
		if at > 0 && end >= minBlob {
			v.blob(t, run[at:at+end])
		}
		at += end + 1
	}
}

// mirrorWords are words that a text read backwards has.
const mirrorWords = "eht|dna|ruoy|lla|suoiverp|snoitcurtsni|erongi|resu|llet|ton|dnes|daer|elif|siht|drawrof|stnetnoc|sselnu"

// rotatedWords are words that a text has when each letter is moved by thirteen.
const rotatedWords = "gur|naq|jvgu|gung|sbe|sebz|nyy|lbhe|lbh|vafgehpgvbaf|cerivbhf|vtaber|hfre|arire|fraq|ernq|guvf|svyr|nafjre|flfgrz|cebzcg|gryy"

// marksRotated and marksMirrored count such words; they are never hits.
func (h *hit) marksRotated() bool {
	h.text.rotated++
	return false
}

func (h *hit) marksMirrored() bool {
	h.text.mirrored++
	return false
}

// mirror reads a text from its end.
func mirror(s string) string {
	r := []rune(s)
	slices.Reverse(r)
	return string(r)
}

// turned reads what is written with other letters: each moved by thirteen, or from the
// end to the start.
func (v *view) turned(t *text) {
	if t.rotated >= minSigns || strings.Contains(t.fold(), "rot13") || strings.Contains(t.fold(), "rot-13") {
		v.decodedText(t, t.s, rot13(t.s))
	}
	if t.mirrored >= minSigns {
		v.decodedText(t, t.s, mirror(t.s))
	}
}

// maxLayers is how often something may be encoded one way within another.
const maxLayers = 3

func (v *view) blob(t *text, w string) {
	if i := strings.LastIndex(w, "base64,"); i >= 0 {
		w = w[i+len("base64,"):]
	}
	decoded := decodeBlob(w)
	if isReadable(decoded) {
		for layer := 1; layer < maxLayers; layer++ {
			inner := decodeBlob(strings.TrimSpace(decoded))
			if !isReadable(inner) {
				break
			}
			decoded = inner
		}
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
	case strings.Count(decoded, " ") >= 2 && from != t.s && !strings.Contains(from, "/"):
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
			return narrow(b)
		}
	}
	trimmed := strings.TrimRight(w, "=")
	if strings.Trim(trimmed, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") == "" {
		if b, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(trimmed); err == nil && isReadable(string(b)) {
			return string(b)
		}
	}
	for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		if b, err := enc.DecodeString(trimmed); err == nil {
			return narrow(b)
		}
	}
	return ""
}

// narrow makes ASCII in UTF-16 the ASCII that it is.
func narrow(b []byte) string {
	for _, zero := range []int{1, 0} {
		out := make([]byte, 0, len(b)/2)
		for i := range b {
			if i%2 == zero && b[i] != 0 {
				break
			}
			if i%2 != zero {
				out = append(out, b[i])
			}
		}
		if len(b) > 1 && len(out) >= len(b)/2 {
			return string(out)
		}
	}
	return string(b)
}

// minEscapes is how many characters have to be spelled out to be a message.
const minEscapes = 12

// escapes are ways to spell characters by their number: prefix, base, most digits, and
// whether a semicolon ends it.
var escapes = []struct {
	prefix string
	base   int
	digits int
}{{`\x`, 16, 2}, {`\u`, 16, 4}, {"&#x", 16, 6}, {"&#", 10, 7}, {`\`, 8, 3}}

// unescape reads a text in which characters are spelled by number, "" when hardly any
// is.
func unescape(s string) string {
	if strings.Count(s, `\`) < minEscapes && strings.Count(s, "&#") < minEscapes {
		return ""
	}
	return unescapeFrom(s, minEscapes)
}

// unescapeFrom is [unescape] for a text with at least so many.
func unescapeFrom(s string, least int) string {
	var b strings.Builder
	n := 0
	for i := 0; i < len(s); {
		r, size := escapeAt(s[i:])
		if size == 0 {
			b.WriteByte(s[i])
			i++
			continue
		}
		b.WriteRune(r)
		i += size
		n++
	}
	if n < least {
		return ""
	}
	return b.String()
}

// escapeAt reads one escape at the start of s; size is 0 when there is none.
func escapeAt(s string) (r rune, size int) {
	for _, e := range escapes {
		rest, ok := strings.CutPrefix(s, e.prefix)
		if !ok {
			continue
		}
		end := 0
		for end < len(rest) && end < e.digits && strings.IndexByte("0123456789abcdefABCDEF"[:max(e.base, 8)+6*(e.base/16)], rest[end]) >= 0 {
			end++
		}
		n, err := strconv.ParseInt(rest[:end], e.base, 32)
		if err != nil || n < 0x20 {
			continue
		}
		size = len(e.prefix) + end
		if size < len(s) && s[size] == ';' && e.prefix[0] == '&' {
			size++
		}
		return rune(n), size
	}
	return 0, 0
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
