// Package host knows what programs do with a listing before a model sees it.
//
// A listing is what a server returns. A host (Claude Code, Codex, VS Code) turns it
// into the tools of a request to a provider, and each does so in its own way: names
// get prefixes, are cleaned, cut or hashed; descriptions are cut; schemas lose
// keywords; one tool that a host can't read may take its whole server down. None of
// it is an error of the server, and none of it is shown to its authors.
//
// # Profiles
//
// A [Profile] is what is known of one version of one host: rules as data, in
// profiles/*.json, and the names of the steps of code that rewrite schemas. Its
// evidence says where each was learned: from requests of the real program, from its
// source, or from reports. Only a profile that captured requests confirm, byte for
// byte, is Verified. A new host is one file there and one fixture in testdata.
//
// # Rendering
//
// [Render] gives what a host sends for some servers, in its order, keys in its
// order, and everything that was lost on the way, as [Loss] values. Whoever renders
// for many hosts uses [NewSurface] once. [Preflight] says what of it an author
// should know before a release, and what to do. [Compare] holds a recorded request
// against a listing.
//
// # Exactness
//
// Values are kept as the host keeps them: programs in JavaScript and Go make doubles
// of numbers, JavaScript moves integer keys to the front, and Rust keeps integers.
// Where a host does not touch a value, its bytes pass.
//
// Everything here is a function of its arguments. Work is bounded by the size of the
// listing and by the bounds of each rewrite.
package host

// What says how a part of a listing failed to reach the model.
type What string

// The kinds of loss.
const (
	Renamed   What = "renamed"   // the model sees another name than the form of the host gives
	Truncated What = "truncated" // the end of a text is missing
	Folded    What = "folded"    // a constraint became words of a description
	Dropped   What = "dropped"   // silently left out
	Rewritten What = "rewritten" // says something else, or says it elsewhere
	Refused   What = "refused"   // the host or the provider calls it invalid
	NotSent   What = "not-sent"  // never sent, or lost together with something else
	Deferred  What = "deferred"  // sent only when the model asks for it
)

// Loss is one thing that does not reach the model as it was listed.
type Loss struct {
	Server   string
	Tool     string // as listed; "" when the loss is about the server
	Position int    // of the tool in its server's listing, from 1
	Pointer  string // into the definition; "" is the whole of it
	What     What
	Rule     Rule   // why, where an author can do something about it
	Detail   string // one sentence for people
	Gone     bool   // it is why the tool does not reach the model
}

// IsField reports whether the loss is of a field that the host never sends, of any tool:
// a title, or annotations. It says nothing of one tool.
func (l Loss) IsField() bool { return l.What == NotSent && l.Pointer != "" && l.Position > 0 }

// IsTool reports whether a whole tool is silently left out, which is told from one that
// lost a keyword.
func (l Loss) IsTool() bool { return l.Gone && (l.What == Dropped || l.What == NotSent) }

// Rule names a reason for which something is lost or refused. The names are part of
// what [Preflight] answers and do not change.
type Rule string

// The rules.
const (
	RuleListing     Rule = "listing-invalid"
	RuleNameLength  Rule = "name-too-long"
	RuleNameChars   Rule = "name-charset"
	RuleServerName  Rule = "server-name-charset"
	RuleCollision   Rule = "rendered-name-collision"
	RuleGenericName Rule = "generic-name-unprefixed-hosts"
	RuleRootUnion   Rule = "toplevel-combinator"
	RuleProperty    Rule = "property-name"
	RuleSchema      Rule = "schema-invalid"
	RuleItems       Rule = "array-without-items"
	RuleProperties  Rule = "object-without-properties"
	RuleDescription Rule = "description-too-long"
	RuleMoved       Rule = "moved-behind-cut"
	RuleTypeList    Rule = "type-list"
	RuleKeyword     Rule = "unsupported-keyword"
	RuleEnum        Rule = "non-string-enum"
	RuleFormat      Rule = "format"
	RuleRef         Rule = "ref"
	RuleUnion       Rule = "union-degraded"
	RuleCount       Rule = "too-many-tools"
	RuleSize        Rule = "schema-too-large"
	RuleConstraint  Rule = "constraint-lost"
	RuleText        Rule = "text-changed"
	RulePage        Rule = "later-page"
	RuleInstruction Rule = "instructions"
)

// Entry is one element of what a host sends as its tools.
type Entry struct {
	JSON  []byte
	Tools []Sent // the tools that it holds: one, but for hosts that group by server
}

// Sent says under which name a tool reached the model.
type Sent struct {
	Server   string
	Tool     string // as listed
	Position int
	Name     string // as sent
	Group    string // the namespace that the name stands in, if any

	Description string // as sent; "" also when none is
	Schema      []byte // as sent, JSON; nil when none is
}

// Passage is the instructions of a server as the host passes them on.
type Passage struct {
	Server string
	Text   string
	Where  string
}

// Rendering is what one host sends.
type Rendering struct {
	Host         string
	Version      string
	Variant      string
	Verified     bool
	Tools        []Entry
	Lost         []Loss
	Instructions []Passage
	Failed       string // why the host does not start at all; "" when it does
}

// Render renders servers for a profile. The variant names a configuration of the
// host; "" is the profile's own mode. An unknown variant is an error that names the
// known ones.
func Render(p *Profile, servers []Mounted, variant string) (*Rendering, error) {
	v, err := p.As(variant)
	if err != nil {
		return nil, err
	}
	return NewSurface(servers).Render(v), nil
}
