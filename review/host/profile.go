package host

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Profile is what is known of one host, in one configuration of it.
type Profile struct {
	ID       string     `json:"id"`
	Name     string     `json:"name"`
	Version  string     `json:"version"`
	Verified bool       `json:"verified"`
	Checked  string     `json:"checked"` // day on which the facts were gathered
	Evidence []Evidence `json:"evidence"`
	Notes    []string   `json:"notes"`

	Mode     string `json:"mode"`     // the name of the configuration that the profile describes
	Provider string `json:"provider"` // profile of the API that its requests go to; "" when it depends

	Wire         string           `json:"wire"`    // shape of its requests, where the entry does not tell it
	Runtime      string           `json:"runtime"` // script, go, or "" where values pass untouched
	Listing      ListingRules     `json:"listing"`
	Names        NameRules        `json:"names"`
	Order        string           `json:"order"` // listing, collated, server-bytes, server-collated, any
	Description  DescriptionRules `json:"description"`
	Schema       []string         `json:"schema"` // steps, in order
	Entry        json.RawMessage  `json:"entry"`  // template of one entry
	Group        json.RawMessage  `json:"group"`  // template of a group of entries
	Instructions InstructionRules `json:"instructions"`
	Defer        DeferRules       `json:"defer"`
	Limit        LimitRules       `json:"limit"`
	Doubts       []Doubt          `json:"doubts"`
	Accepts      AcceptRules      `json:"accepts"` // of a provider: what its API takes

	variant  string
	variants map[string]json.RawMessage
	source   []byte
	entry    *node
	group    *node
	servers  *regexp.Regexp
}

// Evidence says where facts come from.
type Evidence struct {
	Kind string `json:"kind"` // capture, source, report
	Ref  string `json:"ref"`
	Date string `json:"date"`
}

// ListingRules say how a host reads listings, and what it does with one that it
// can't read.
type ListingRules struct {
	FirstPage bool   `json:"first_page"` // later pages are never asked for
	Reader    string `json:"reader"`     // which definitions can be read: sdk, ai, rust, go, object, any, draft-07
	Values    string `json:"values"`     // of sdk: what may stand for a property's schema: objects, schemas, any
	Bad       string `json:"bad"`        // what an unreadable definition takes down: tool, server, run
	Twins     string `json:"twins"`      // what a name that is listed twice does: "" or server
	Servers   string `json:"servers"`    // pattern of the server names that are mounted
	Hidden    bool   `json:"hidden"`     // a tool may say in _meta.ui.visibility that it is not for the model
	Unmounted string `json:"unmounted"`  // what another server name does: "" skips the server, run stops
}

// NameRules say what becomes of names. Lengths are UTF-16 units.
type NameRules struct {
	Form   string `json:"form"`   // with {server} and {tool}
	Scheme string `json:"scheme"` // code for what the rules can't say: codex, copilot, hashed, labelled
	Server Clean  `json:"server"`
	Tool   Clean  `json:"tool"`
	Bare   string `json:"bare"` // tool: a tool whose name begins with the server's stands alone; join: what begins like the form doesn't get its beginning again
	Limit  int    `json:"limit"`
	Unit   string `json:"unit"`  // of the limit: bytes; "" for UTF-16 units
	Over   string `json:"over"`  // drop, head, middle, fnv, sha1; "" sends it as it is
	Twins  string `json:"twins"` // first, last, run; "" sends both
}

// Clean says how a part of a name is made safe, in the order of the fields.
type Clean struct {
	Normal bool   `json:"normal"` // normalised to NFKC, invisible characters removed
	Lower  bool   `json:"lower"`
	Space  string `json:"space"`  // what stands for a run of white space; "" leaves it to Keep
	Keep   string `json:"keep"`   // characters that stay, as in a character class; "" keeps all
	With   string `json:"with"`   // what stands for the others; "" drops them
	Per    string `json:"per"`    // one With for each unit, rune, or run of others
	Single string `json:"single"` // a character of which a run becomes one
	Trim   string `json:"trim"`   // taken from both ends
	Cut    int    `json:"cut"`
	Lead   string `json:"lead"`  // put before what begins with neither letter nor underscore
	Empty  string `json:"empty"` // what stands for nothing
}

// DescriptionRules say what becomes of a description.
type DescriptionRules struct {
	Absent string `json:"absent"` // what is sent when there is none; with {server} and {tool}
	Omit   bool   `json:"omit"`   // without a description the field is left out
	Blank  bool   `json:"blank"`  // a description of nothing but space counts as none
	Title  bool   `json:"title"`  // the title stands in for an absent description
	Trim   bool   `json:"trim"`
	Normal bool   `json:"normal"`
	Limit  int    `json:"limit"` // UTF-16 units
	Mark   string `json:"mark"`  // put after a cut
}

// InstructionRules say whether the instructions of a server reach the model.
type InstructionRules struct {
	Cross bool   `json:"cross"`
	Where string `json:"where"`
	Limit int    `json:"limit"`
	Mark  string `json:"mark"`
}

// DeferRules say which tools are not in the first request.
type DeferRules struct {
	On     bool   `json:"on"`
	Mark   string `json:"mark"`   // member that an entry gets instead of being left out
	Always bool   `json:"always"` // a tool may ask, in _meta, to be sent at once
	Shows  string `json:"shows"`  // what the model sees of a deferred tool
	Why    string `json:"why"`
}

// Doubt is something that reports say of other versions or modes of a host, of which
// an author should hear.
type Doubt struct {
	Keyword string `json:"keyword"` // of a schema
	Root    bool   `json:"root"`    // only at the root
	Limit   int    `json:"limit"`   // of a description, in UTF-16 units
	Reason  string `json:"reason"`
}

// LimitRules bound the number of tools.
type LimitRules struct {
	Tools int    `json:"tools"`
	Over  string `json:"over"` // drop or refuse
}

//go:embed profiles/*.json
var files embed.FS

var registry = sync.OnceValues(func() (map[string]*Profile, error) {
	names, err := files.ReadDir("profiles")
	if err != nil {
		return nil, err
	}
	all := map[string]*Profile{}
	for _, f := range names {
		b, err := files.ReadFile("profiles/" + f.Name())
		if err != nil {
			return nil, err
		}
		p, err := readProfile(b)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name(), err)
		}
		if p.ID+".json" != f.Name() {
			return nil, fmt.Errorf("%s: its id is %q", f.Name(), p.ID)
		}
		all[p.ID] = p
	}
	return all, nil
})

// Profiles returns every profile: hosts that captures confirm first, then other
// hosts, then providers, each by id.
func Profiles() []*Profile {
	all, err := registry()
	if err != nil {
		panic("host: " + err.Error()) // the files are part of the program, and a test reads them
	}
	return slices.SortedFunc(maps.Values(all), func(a, b *Profile) int {
		if ar, br := a.rank(), b.rank(); ar != br {
			return ar - br
		}
		return strings.Compare(a.ID, b.ID)
	})
}

func (p *Profile) rank() int {
	switch {
	case p.IsProvider():
		return 2
	case p.Verified:
		return 0
	}
	return 1
}

// IsProvider reports whether the profile is of an API and not of a program.
func (p *Profile) IsProvider() bool { return p.Accepts.Names != "" }

// Lookup returns the profile with an id. The error names the known ids.
func Lookup(id string) (*Profile, error) {
	var ids []string
	for _, p := range Profiles() {
		if p.ID == id {
			return p, nil
		}
		ids = append(ids, p.ID)
	}
	return nil, fmt.Errorf("no host is called %.60q: want one of %s", id, strings.Join(ids, ", "))
}

// NameOf is what people call a host or a provider; the id where no profile is known.
func NameOf(id string) string {
	if p, err := Lookup(id); err == nil {
		return p.Name
	}
	return id
}

// plainMode is the name of the configuration that nobody changed, for a host whose
// profile describes another one.
const plainMode = "plain"

// Variant is the name of the configuration that the profile stands for.
func (p *Profile) Variant() string { return p.variant }

// engine changes whenever the code of a step or of rendering changes what comes out
// of it.
const engine = "host/6"

// Key names everything that a rendering depends on but the listing: profile,
// variant, and the code. Renderings can be kept by it and the listing's digest.
func (p *Profile) Key() string {
	sum := sha256.Sum256(append([]byte(engine+"\x00"+p.variant+"\x00"), p.source...))
	return p.ID + "+" + p.variant + "@" + hex.EncodeToString(sum[:8])
}

// Cut splits a description, as the host cleans it, at the host's cut. Where nothing is
// cut, behind is "".
func (p *Profile) Cut(text string) (front, behind string) {
	text = p.clean(text)
	at := p.CutAt(text)
	return text[:at], text[at:]
}

// CutAt returns how many bytes of a description, as the host cleans it, stand in
// front of the host's cut; all of them where nothing is cut.
func (p *Profile) CutAt(text string) int { return cutAt(text, p.Description.Limit) }

// CutInstructions splits the instructions of a server like [Profile.Cut] does a
// description.
func (p *Profile) CutInstructions(text string) (front, behind string) {
	at := cutAt(text, p.Instructions.Limit)
	return text[:at], text[at:]
}

func cutAt(text string, limit int) int {
	if limit > 0 && utf16Len(text) > limit {
		return len(cutUTF16(text, limit))
	}
	return len(text)
}

// Variants are the names that [Profile.As] takes.
func (p *Profile) Variants() []string {
	all := append(slices.Collect(maps.Keys(p.variants)), p.Mode)
	slices.Sort(all)
	return slices.Compact(all)
}

// As returns the profile of a configuration of the host; "" is the one that it
// describes already.
func (p *Profile) As(variant string) (*Profile, error) {
	if variant == "" || variant == p.Mode {
		return p, nil
	}
	change, ok := p.variants[variant]
	if !ok {
		return nil, fmt.Errorf("%s has no variant %.60q: want one of %s", p.ID, variant, strings.Join(p.Variants(), ", "))
	}
	return decodeProfile(p.source, change, variant)
}

func readProfile(source []byte) (*Profile, error) {
	p, err := decodeProfile(source, nil, "")
	if err != nil {
		return nil, err
	}
	p.variant = p.Mode
	for name := range p.variants {
		if _, err := p.As(name); err != nil {
			return nil, fmt.Errorf("variant %s: %w", name, err)
		}
	}
	return p, nil
}

// decodeProfile reads a profile, and over it what a variant changes.
func decodeProfile(source, change []byte, variant string) (*Profile, error) {
	p := &Profile{source: source, variant: variant}
	if err := strictly(source, &file{Profile: p, Variants: &p.variants}); err != nil {
		return nil, err
	}
	if change != nil {
		if err := strictly(change, p); err != nil {
			return nil, err
		}
	}
	if p.Mode == "" {
		p.Mode = plainMode
	}
	return p, p.compile()
}

// file is a profile as it is written down.
type file struct {
	*Profile
	Variants *map[string]json.RawMessage `json:"variants"`
}

// strictly decodes JSON and refuses fields that nothing reads.
func strictly(b []byte, v any) error {
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	return dec.Decode(v)
}

// words are the values that rules may have where code tells them apart.
var words = map[string][]string{
	"runtime": {"", "script", "go", "rust"},
	"order":   {"listing", "collated", "server-bytes", "server-collated", "bytes", "keys", "any"},
	"scheme":  {"", "codex", "copilot", "hashed", "labelled", "when-taken"},
	"over":    {"", "drop", "head", "tail", "middle", "fnv", "sha1"},
	"twins":   {"", "first", "last", "run"},
	"bad":     {"", "tool", "server", "run"},
	"values":  {"", "objects", "schemas", "any"},
	"per":     {"", "unit", "rune", "run"},
	"bare":    {"", "tool", "join"},
	"unit":    {"", "bytes"},
	"limit":   {"", "drop", "refuse"},
}

// checkWords finds a word that no code knows.
func (p *Profile) checkWords() error {
	for _, c := range [][2]string{
		{"runtime", p.Runtime}, {"order", p.Order}, {"scheme", p.Names.Scheme}, {"over", p.Names.Over},
		{"twins", p.Names.Twins}, {"bad", p.Listing.Bad}, {"values", p.Listing.Values},
		{"per", p.Names.Server.Per}, {"per", p.Names.Tool.Per}, {"limit", p.Limit.Over},
		{"bare", p.Names.Bare}, {"unit", p.Names.Unit},
	} {
		if !slices.Contains(words[c[0]], c[1]) {
			return fmt.Errorf("%s: %q is none of %q", c[0], c[1], words[c[0]])
		}
	}
	if readers[p.Listing.Reader] == nil {
		return fmt.Errorf("reader: no library is called %q", p.Listing.Reader)
	}
	return nil
}

// compile checks what the rules name, so that a slip in a file is found when the
// program is tested and not when a listing is rendered.
func (p *Profile) compile() error {
	err := p.checkWords()
	if err != nil {
		return err
	}
	if p.entry, err = parseNode(p.Entry); err != nil {
		return fmt.Errorf("entry: %w", err)
	}
	if p.Group != nil {
		if p.group, err = parseNode(p.Group); err != nil {
			return fmt.Errorf("group: %w", err)
		}
	}
	if p.Listing.Servers != "" {
		if p.servers, err = regexp.Compile(p.Listing.Servers); err != nil {
			return fmt.Errorf("servers: %w", err)
		}
	}
	for _, s := range p.Schema {
		if steps[s] == nil {
			return fmt.Errorf("schema: no step is called %q", s)
		}
	}
	if p.Verified && !slices.ContainsFunc(p.Evidence, func(e Evidence) bool { return e.Kind == "capture" }) {
		return fmt.Errorf("verified without a capture")
	}
	return p.Accepts.compile()
}
