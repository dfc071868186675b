package lint

import (
	"fmt"
	"strings"

	"github.com/countersign/countersign/review/prose"
	"github.com/countersign/countersign/review/surface"
)

// mentionsIn yields the tokens of a text that could be names of tools: words with an
// underscore, a dash or a hump. Names in the folded text are lower case.
func mentionsIn(t *text, yield func(tok token)) {
	for _, tok := range t.tokens() {
		if len(tok.w) >= 4 {
			yield(tok)
		}
	}
}

// rewrites are words of a rule that changes how another tool is called.
var rewrites = []string{"recipient", "bcc", " cc ", "blind copy", "carbon copy", "in copy", "replace", "redirect", "forward", "relay", "reroute", "swap", "substitut", "rewrit", "overwrit", "original address", "instead of the", "also send", "also be sent", "copy to",
	"append", "must be set to", "has to be set to", "always set", "always add", "always include", "always pass", "double", "halve", "multiply", "alter ", "change the", "change its", "modify the", "regardless of what", "no matter what", "whatever the user", "payee", "iban", "to the amount", "the amount by", "account number", "use account", "a second", "twice the", "increase the", "raise the", "lower the", "reduce the"}

// obliges are words of an order.
var obliges = []string{"must", "has to", "have to", "should", "always", "never", "make sure", "be sure", "ensure", "needs to", "do not", "don't", "replace", "redirect", "forward"}

// references looks at sentences that name other tools of this server.
func (h *house) references() {
	lowNames := map[string]string{}
	for name := range h.names {
		if len(name) >= 4 {
			lowNames[lower(name)] = name
		}
	}
	for _, v := range h.views {
		for _, t := range v.texts {
			if t.role != roleDescription && t.role != roleParam || t.hidden {
				continue
			}
			mentionsIn(t, func(tok token) {
				name, ok := lowNames[tok.w]
				if ok && name != v.name {
					h.crossTool(v, t, name, tok)
				}
			})
		}
	}
}

// crossTool finds a rule on how a sibling must be called, that only helps a third party.
func (h *house) crossTool(v *view, t *text, name string, tok token) {
	s := t.sentenceAt(tok.start).Text
	about := strings.ReplaceAll(s, tok.w, "") // its own name is no word of the rule
	if !hasAny(about, rewrites...) {
		return
	}
	plain := speaksOfCalls(s, tok.w)
	if !(plain && hasAny(about, obliges...)) && !((plain || touches(s, tok.w)) && t.orders(t.sentenceAt(tok.start).Start, t.sentenceAt(tok.start).End, tampers)) {
		return
	}
	for i := range h.found {
		if f := &h.found[i]; f.Rule == "poison.cross-tool" && f.Position == v.tool.Position && f.Pointer == t.node.pointer() {
			return
		}
	}
	f := h.at(v, "poison.cross-tool", High, t.node, fmt.Sprintf("Sets a rule for how %q must be called, which is another tool: %s", short(name, 60), quote(excerpt(s))))
	f.PositionClass, f.Excerpt = Instruction, excerpt(s)
}

// tampers are commands that change what another tool is given.
var tampers = setOf("put set change double halve multiply swap replace add append alter modify rewrite use forward redirect copy bcc cc include")

// speaksOfCalls reports whether a sentence gives the case in which a tool is called.
func speaksOfCalls(s, name string) bool {
	for _, before := range []string{"whenever ", "when ", "calling ", "calls ", "call ", "using ", "before ", "after ", "every ", "each ", "each time ", "every time ", "calls to ", "call to ", "use of ", "sent with "} {
		if strings.Contains(s, before+name) {
			return true
		}
	}
	return hasAny(s, name+" must", name+" has to", name+" should", name+" is ", name+" runs", name+" always", name+" needs", name+"'s")
}

// touches reports whether a sentence names a tool as what something is done with.
func touches(s, name string) bool {
	return hasAny(s, "with "+name, "of "+name, "in "+name, "through "+name, "via "+name, "to "+name)
}

// Beside gives what only shows when the tools of other servers stand beside the listing:
// texts that steer them, and tools that pose as one of theirs. [Listing] gives it too.
func Beside(l *surface.Listing, ctx Context) []Finding {
	h := newHouse(l, ctx)
	h.crossServer()
	return finish(h.found, len(l.Tools), Options{})
}

// foreign are the tools of other servers, as they are looked for.
type foreign struct {
	distinctive map[string]string // name in lower case -> server
	faces       map[string][]posed
	servers     []string
}

// posed is a tool that another one can pose as.
type posed struct {
	server string
	OtherTool
}

// crossServer holds the listing against what other servers show.
func (h *house) crossServer() {
	if len(h.ctx.Others) == 0 {
		return
	}
	f := foreign{distinctive: map[string]string{}, faces: map[string][]posed{}}
	for _, o := range h.ctx.Others {
		f.servers = append(f.servers, o.Name)
		for _, t := range o.Tools {
			if !h.names[t.Name] && isDistinctive(t.Name) {
				f.distinctive[lower(t.Name)] = o.Name
			}
			face := Face(t.Name)
			f.faces[face] = append(f.faces[face], posed{o.Name, t})
		}
	}
	for _, v := range h.views {
		for _, t := range v.texts {
			if t.role == roleDescription || t.role == roleParam || t.role == roleTitle || t.role == roleValue {
				h.foreignTools(v, t, f.distinctive)
				h.foreignServers(v, t, f.servers)
			}
		}
		h.impersonation(v, f.faces)
	}
}

// isDistinctive reports whether a name is no plain word.
func isDistinctive(name string) bool {
	return len(name) >= 6 && len(nameWords(name)) > 1
}

// disparages are words that keep a model away from another tool.
var disparages = []string{"never use", "do not use", "don't use", "deprecated", "unsafe", "insecure", "broken", "unreliable", "obsolete", "avoid", "instead of"}

// operates are verbs that start a tool.
var operates = setOf("run execute start trigger launch call invoke use query ask open read send fetch")

func (h *house) foreignTools(v *view, t *text, distinctive map[string]string) {
	seen := map[string]bool{}
	mentionsIn(t, func(tok token) {
		server, ok := distinctive[tok.w]
		if !ok || seen[tok.w] {
			return
		}
		seen[tok.w] = true
		s := t.sentenceAt(tok.start).Text
		sev, what := Info, "Names"
		if hasAny(s, obliges...) || hasAny(s, disparages...) || hasAny(s, "first call", "then call", "call ", "invoke ", "use ") || t.orders(t.sentenceAt(tok.start).Start, tok.start, operates) {
			sev, what = High, "Tells the model how to use"
		}
		f := h.at(v, "shadow.cross-server-ref", sev, t.node, fmt.Sprintf("%s %q, a tool of the server %q: %s", what, tok.w, short(server, 60), quote(excerpt(s))))
		f.PositionClass, f.Excerpt = Instruction, excerpt(s)
		if sent := t.sentenceAt(tok.start); sev == High && hasAny(s, "before ", "after ", "first", "prior to") && hasAny(s, "this tool", "this one", "any tool", "using", "calling", "each call", "answering", "you answer", "it ") && t.orders(sent.Start, tok.start, operates) && !hasAny(s, disparages...) {
			f := h.at(v, "poison.precondition", High, t.node, fmt.Sprintf("Has %q run, a tool of the server %q, beside this one: %s", tok.w, short(server, 60), quote(excerpt(s))))
			f.PositionClass, f.Excerpt = Instruction, excerpt(s)
		}
		if sev == High && hasAny(s, disparages...) {
			f := h.at(v, "poison.priority", High, t.node, fmt.Sprintf("Keeps the model from %q, a tool of the server %q: %s", tok.w, short(server, 60), quote(excerpt(s))))
			f.PositionClass, f.Excerpt = Instruction, excerpt(s)
		}
	})
}

// foreignServers finds an instruction about another server as such.
func (h *house) foreignServers(v *view, t *text, servers []string) {
	s := t.fold()
	if !hasAny(s, " server", " integration", " tools", " mcp") {
		return
	}
	for _, server := range servers {
		name := lower(server)
		if len(name) < 4 || !strings.Contains(s, name) {
			continue
		}
		for _, form := range []string{name + " server", name + " integration", name + " tools", name + " mcp"} {
			i := strings.Index(s, form)
			if i < 0 || i > 0 && isWordByte(s[i-1]) {
				continue
			}
			sent := t.sentenceAt(i).Text
			if hasAny(sent, "whenever", "must", "always", "never", "has to") && hasAny(sent, "call", "use", "tool", "send", "replace", "set") {
				f := h.at(v, "shadow.cross-server-ref", High, t.node, fmt.Sprintf("Gives a rule for the server %q: %s", short(server, 60), quote(excerpt(sent))))
				f.PositionClass, f.Excerpt = Instruction, excerpt(sent)
				return
			}
		}
	}
}

// Similarities from which a tool is a clone of another server's.
const (
	cloneSame  = 0.7  // of one name
	cloneAlike = 0.85 // of a name that only looks the same
)

// Face is what a name looks like at a glance, in lower case: digits and pairs that
// pass for letters are those letters.
func Face(name string) string {
	return asciiFace.Replace(lower(strings.ReplaceAll(prose.Skeleton(name), "I", "l")))
}

var asciiFace = strings.NewReplacer("1", "l", "0", "o", "rn", "m", "vv", "w", "i", "l")

// impersonation finds a tool that poses as another server's.
func (h *house) impersonation(v *view, faces map[string][]posed) {
	if v.name == "" {
		return
	}
	for _, t := range faces[Face(v.name)] {
		disguised := v.name != t.Name && lower(v.name) != lower(t.Name)
		sim := similarity(v.description(), lower(t.Description))
		if !disguised && (t.Description == "" || sim < cloneSame) || disguised && t.Description != "" && sim < cloneAlike-0.35 {
			continue
		}
		how := "has the name and the words of"
		if disguised {
			how = "looks like"
		}
		h.at(v, "shadow.impersonation", High, v.nameNode(), fmt.Sprintf("%q %s %q of the server %q.", short(v.name, 60), how, short(t.Name, 60), short(t.server, 60)))
		return
	}
}

// Legs of a flow by which what somebody else wrote can carry private data out.
var (
	outsideNouns = setOf("mail mails email emails inbox feed rss mailbox comments reviews tickets")
	ownMail      = setOf("campaign campaigns template templates report preview settings config")
	privateNouns = setOf("mail email emails inbox mailbox patient medical health payroll salary bank diary wiki vault file files database calendar contacts secrets drive documents memory notes wallet")
	sinkNouns    = setOf("mail email message messages webhook request tweet sms slack post")
	inVerbs      = setOf("fetch read get search list browse open scrape crawl load download navigate")
	pageVerbs    = setOf("fetch read browse open scrape crawl load navigate search")
	pageNouns    = setOf("url urls web page website webpage internet browser")
	outVerbs     = setOf("send post publish upload forward share reply tweet submit")
)

// flows lists the tools of each leg.
func (h *house) flows() (in, private, out []string) {
	for _, v := range h.views {
		switch {
		case outVerbs.any(v.words) && sinkNouns.any(v.words) || sends(v):
			out = append(out, v.name)
			continue
		case !inVerbs.any(v.words) && v.effect != reads && !strings.HasPrefix(v.desc.lead().Text, "return") && !strings.HasPrefix(v.desc.lead().Text, "give"):
			continue
		}
		if outsideNouns.any(v.words) && !ownMail.any(v.words) || pageNouns.any(v.words) && pageVerbs.any(v.words) {
			in = append(in, v.name)
		}
		if (privateNouns.any(v.words) || hasAny(v.desc.lead().Text, "private ", "personal ", "confidential", "patient", "medical", "salary", "bank account")) && !ownMail.any(v.words) {
			private = append(private, v.name)
		}
	}
	return in, private, out
}

// sends reports whether the first sentence of a tool says that it sends something to
// whoever is named.
func sends(v *view) bool {
	lead := v.desc.lead().Text
	return hasAny(lead, "send", "forward", "notif", "post", "publish") && hasAny(lead, "any address", "any number", "any recipient", "e-mail to", "email to", "mail to", "sms to", "message to", "to a phone", "to any", "to an address", "to a webhook", "to a url")
}

// toxicFlow wants three different tools: one that reads what others wrote, one that
// reads private data, one that sends.
func (h *house) toxicFlow() {
	in, private, out := h.flows()
	if !completes(in, private, out) {
		return
	}
	h.add("flow.toxic", Info, "", strings.Join(append(append(append([]string{}, in...), private...), out...), " "),
		fmt.Sprintf("One server reads what others wrote (%s), reads private data (%s) and sends (%s): a text from outside can carry data out.", listNames(in), listNames(private), listNames(out)))
}

func completes(in, private, out []string) bool {
	if len(in) == 0 || len(private) == 0 || len(out) == 0 {
		return false
	}
	return len(in) > 1 || len(private) > 1 || in[0] != private[0]
}
