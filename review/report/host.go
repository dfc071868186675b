package report

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/countersign/countersign/review/host"
)

type renderJSON struct {
	Host         string            `json:"host"`
	Version      string            `json:"version"`
	Variant      string            `json:"variant"`
	Verified     bool              `json:"verified"`
	Tools        []json.RawMessage `json:"tools"`
	Lost         []lossJSON        `json:"lost"`
	Instructions []passageJSON     `json:"instructions"`
	Failed       *text             `json:"failed"`
}

type lossJSON struct {
	Server   text      `json:"server"`
	Tool     text      `json:"tool"`
	Position int       `json:"position,omitempty"`
	Pointer  text      `json:"pointer"`
	What     host.What `json:"what"`
	Rule     host.Rule `json:"rule,omitempty"`
	Detail   text      `json:"detail"`
}

type passageJSON struct {
	Server text   `json:"server"`
	Where  string `json:"where"`
	Text   text   `json:"text"`
}

// Render writes what a host sends, on one line: the entries as it sends them, and
// what was lost.
func Render(r *host.Rendering) ([]byte, error) {
	f := renderJSON{
		Host: r.Host, Version: r.Version, Variant: r.Variant, Verified: r.Verified,
		Tools: each(r.Tools, func(e host.Entry) json.RawMessage { return e.JSON }),
		Lost:  each(r.Lost, lossForm),
		Instructions: each(r.Instructions, func(p host.Passage) passageJSON {
			return passageJSON{text(p.Server), p.Where, text(p.Text)}
		}),
	}
	if r.Failed != "" {
		f.Failed = (*text)(&r.Failed)
	}
	b, err := encode(f)
	if err != nil {
		return nil, fmt.Errorf("write rendering: %w", err)
	}
	return b, nil
}

func lossForm(l host.Loss) lossJSON {
	return lossJSON{text(l.Server), text(l.Tool), l.Position, text(l.Pointer), l.What, l.Rule, text(l.Detail)}
}

// RenderText writes a rendering for people: which tools are sent under which
// names, and what was lost.
func RenderText(r *host.Rendering) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s, %s: %s\n", r.Host, r.Version, standing(r.Verified), plural(sentCount(r), "tool"))
	if r.Failed != "" {
		fmt.Fprintf(&b, "%s.\n", Line(r.Failed))
	}
	for _, e := range r.Tools {
		for _, s := range e.Tools {
			name := s.Name
			if s.Group != "" {
				name = s.Group + " / " + s.Name
			}
			fmt.Fprintf(&b, "  %s\n", Line(name))
		}
	}
	if len(r.Lost) > 0 {
		b.WriteString("Lost:\n")
	}
	for _, l := range r.Lost {
		fmt.Fprintf(&b, "  %s %s: %s\n", l.What, Line(strings.TrimSpace(l.Tool+" "+l.Pointer)), Line(l.Detail))
	}
	return b.String()
}

func standing(verified bool) string {
	if verified {
		return "verified by captures"
	}
	return "not verified"
}

func sentCount(r *host.Rendering) int {
	n := 0
	for _, e := range r.Tools {
		n += len(e.Tools)
	}
	return n
}

// plural counts things.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

type hostsJSON struct {
	Hosts []hostJSON `json:"hosts"`
}

type hostJSON struct {
	ID       string         `json:"id"`
	Name     string         `json:"name"`
	Kind     string         `json:"kind"`
	Version  string         `json:"version"`
	Verified bool           `json:"verified"`
	Checked  string         `json:"checked"`
	Mode     string         `json:"mode"`
	Variants []string       `json:"variants"`
	Evidence []evidenceJSON `json:"evidence"`
	Notes    []string       `json:"notes"`
	Doubtful *bool          `json:"doubtful,omitempty"` // by captures of one server; absent where none was asked
}

type evidenceJSON struct {
	Kind string `json:"kind"`
	Ref  string `json:"ref"`
	Date string `json:"date"`
}

// Hosts writes what is known of which hosts, and from where. Doubts are the profiles
// that captures of a server contradict, as "id version"; nil where nobody asked a
// server.
func Hosts(profiles []*host.Profile, doubts map[string]bool) ([]byte, error) {
	f := hostsJSON{Hosts: each(profiles, func(p *host.Profile) hostJSON {
		var doubtful *bool
		if doubts != nil {
			doubt := doubts[p.ID+" "+p.Version]
			doubtful = &doubt
		}
		return hostJSON{
			Doubtful: doubtful,

			ID: p.ID, Name: p.Name, Kind: kindOf(p), Version: p.Version, Verified: p.Verified, Checked: p.Checked,
			Mode: p.Mode, Variants: each(p.Variants(), same), Notes: each(p.Notes, same),
			Evidence: each(p.Evidence, func(e host.Evidence) evidenceJSON { return evidenceJSON(e) }),
		}
	})}
	b, err := encode(f)
	if err != nil {
		return nil, fmt.Errorf("write hosts: %w", err)
	}
	return b, nil
}

func kindOf(p *host.Profile) string {
	if p.IsProvider() {
		return "provider"
	}
	return "host"
}

// HostsText lists the profiles for people; doubts as for [Hosts].
func HostsText(profiles []*host.Profile, doubts map[string]bool) string {
	var b strings.Builder
	for _, p := range profiles {
		fmt.Fprintf(&b, "%-26s %-9s %s %s, %s on %s\n", p.ID, kindOf(p), p.Name, p.Version, standing(p.Verified), p.Checked)
		if doubts[p.ID+" "+p.Version] {
			b.WriteString("    doubtful: a capture of this server differs from what the profile predicts\n")
		}
		if v := p.Variants(); len(v) > 1 {
			fmt.Fprintf(&b, "    variants: %s (described: %s)\n", strings.Join(v, ", "), p.Mode)
		}
		for _, e := range p.Evidence {
			fmt.Fprintf(&b, "    %s: %s\n", e.Kind, e.Ref)
		}
		for _, n := range p.Notes {
			fmt.Fprintf(&b, "    %s\n", n)
		}
	}
	return b.String()
}

type preflightJSON struct {
	Hosts []checkJSON `json:"hosts"`
}

type checkJSON struct {
	Host     string      `json:"host"`
	Version  string      `json:"version"`
	Verified bool        `json:"verified"`
	Status   host.Status `json:"status"`
	Issues   []issueJSON `json:"issues"`
	More     int         `json:"more,omitempty"`
	Listed   int         `json:"listed"`
	Sent     int         `json:"sent"`
}

type issueJSON struct {
	Server    *text      `json:"server"`
	Tool      *text      `json:"tool"`
	Position  int        `json:"position,omitempty"`
	Pointer   text       `json:"pointer"`
	What      host.What  `json:"what"`
	Rule      host.Rule  `json:"rule"`
	Level     host.Level `json:"level"`
	Reason    text       `json:"reason"`
	Fix       text       `json:"fix"`
	Patches   [][]opJSON `json:"patches,omitempty"`
	TakesDown int        `json:"takes_down,omitempty"`
}

// opJSON is one step of a JSON Patch of a definition.
type opJSON struct {
	Op    string          `json:"op"`
	Path  text            `json:"path"`
	Value json.RawMessage `json:"value,omitempty"`
}

// Preflight writes how a listing fares in hosts, on one line.
func Preflight(checks []*host.Check) ([]byte, error) {
	f := preflightJSON{Hosts: each(checks, checkForm)}
	b, err := encode(f)
	if err != nil {
		return nil, fmt.Errorf("write preflight: %w", err)
	}
	return b, nil
}

func checkForm(c *host.Check) checkJSON {
	return checkJSON{c.Host, c.Version, c.Verified, c.Status, each(c.Issues, issueForm), c.More, c.Listed, c.Sent}
}

func issueForm(i host.Issue) issueJSON {
	f := issueJSON{nil, nil, i.Position, text(i.Pointer), i.What, i.Rule, i.Level, text(i.Says()), text(i.Fix), patchForms(i.Patches), i.TakesDown}
	if i.Position > 0 {
		f.Tool = (*text)(&i.Tool)
	}
	if i.Server != "" {
		f.Server = (*text)(&i.Server)
	}
	return f
}

// patchForms writes the patches that make an issue go.
func patchForms(patches []host.Patch) [][]opJSON {
	var all [][]opJSON
	for _, p := range patches {
		all = append(all, each(p, func(o host.Op) opJSON { return opJSON{o.Op, text(o.Path), o.Value} }))
	}
	return all
}

// PreflightText writes a preflight of so many tools for people. What is for
// information only is counted, unless verbose; what an edit took out of sight is always
// told, since somebody named a base to hear of it.
func PreflightText(checks []*host.Check, verbose bool, tools int) string {
	var b strings.Builder
	noTools(&b, tools)
	for _, c := range checks {
		checkLine(&b, c)
		issueLines(&b, c, verbose, false)
	}
	return b.String()
}

func noTools(b *strings.Builder, tools int) {
	if tools == 0 {
		b.WriteString("The listing holds no tools: there is nothing that a host could refuse.\n")
	}
}

func checkLine(b *strings.Builder, c *host.Check) {
	fmt.Fprintf(b, "%-26s %-8s %s\n", c.Host, c.Status, standing(c.Verified))
}

// issueLines writes what a host does to tools; several says that they are of more
// than one server, which is then named.
func issueLines(b *strings.Builder, c *host.Check, verbose, several bool) {
	info := 0
	for _, i := range c.Issues {
		if i.Level == host.Info && i.Rule != host.RuleMoved && !verbose {
			info++
			continue
		}
		place := strings.TrimSpace(i.Tool + " " + i.Pointer)
		if several && i.Server != "" {
			place = strings.TrimSpace(i.Server + " " + place)
		}
		if place != "" {
			place = " " + Line(place)
		}
		fmt.Fprintf(b, "  %s%s: %s\n", i.What, place, Line(i.Says()))
		if i.TakesDown > 0 {
			fmt.Fprintf(b, "    takes %s down with it\n", plural(i.TakesDown, taken(i)))
		}
		if i.Fix != "" {
			fmt.Fprintf(b, "    fix: %s\n", Line(i.Fix))
		}
	}
	if info > 0 {
		fmt.Fprintf(b, "  for information: %s (--verbose lists them)\n", plural(info, "more line"))
	}
	if c.More > 0 {
		fmt.Fprintf(b, "  not listed: %s of tools that have very many\n", plural(c.More, "more line"))
	}
}

// taken is what an issue takes down: where it is one of no tool, all are.
func taken(i host.Issue) string {
	if i.Position == 0 {
		return "tool"
	}
	return "other tool"
}

type capturedJSON struct {
	Host      string      `json:"host"`
	Variant   string      `json:"variant"`
	Tools     []pairJSON  `json:"tools"`
	Absent    []text      `json:"absent"`
	AbsentWhy []lossJSON  `json:"absent_why"`
	Added     []text      `json:"added"`
	Foreign   []countJSON `json:"foreign"`
	Doubtful  bool        `json:"profile_doubtful"`
}

type pairJSON struct {
	Listed    text       `json:"listed"`
	Position  int        `json:"position"`
	Sent      text       `json:"sent"`
	Lost      []lossJSON `json:"lost"`
	Predicted bool       `json:"as_predicted"`
}

// countJSON stands for tools of which nothing but their number is kept.
type countJSON struct {
	Count int `json:"count"`
}

// Captured writes a capture held against a listing. Of tools that are not this
// server's only the number is written.
func Captured(c *host.Comparison) ([]byte, error) {
	f := capturedJSON{
		Host: c.Host, Variant: c.Variant, Doubtful: c.Doubtful(),
		Tools: each(c.Tools, func(p host.Pair) pairJSON {
			return pairJSON{text(p.Listed), p.Position, text(p.Sent), each(p.Lost, lossForm), p.AsMeant}
		}),
		Absent:    each(c.Absent, func(l host.Loss) text { return text(l.Tool) }),
		AbsentWhy: each(c.Absent, lossForm),
		Added:     each(c.Added, func(p host.Pair) text { return text(p.Sent) }),
		Foreign:   []countJSON{},
	}
	if c.Foreign > 0 {
		f.Foreign = append(f.Foreign, countJSON{c.Foreign})
	}
	b, err := encode(f)
	if err != nil {
		return nil, fmt.Errorf("write comparison: %w", err)
	}
	return b, nil
}

// CapturedText writes a comparison for people.
func CapturedText(c *host.Comparison) string {
	var b strings.Builder
	if c.Elsewhere() {
		b.WriteString("No tool of this listing is in the request. It is of another server, or the server is called otherwise in the host's configuration: --server says how.\n")
		if c.Silent != "" {
			fmt.Fprintf(&b, "Configured as %s, the host sends none at first: if that is so, name it with --variant %s.\n", c.Silent, c.Silent)
		}
	}
	fmt.Fprintf(&b, "%s, configured as %s, sent %s of this server", c.Host, c.Variant, plural(len(c.Tools), "tool"))
	if c.Foreign > 0 {
		fmt.Fprintf(&b, ", and %s of others, which were not kept", plural(c.Foreign, "tool"))
	}
	b.WriteString(".\n")
	for _, p := range c.Tools {
		fmt.Fprintf(&b, "  %s as %s\n", Line(p.Listed), Line(p.Sent))
		for _, l := range p.Lost {
			fmt.Fprintf(&b, "    %s %s: %s\n", l.What, Line(l.Pointer), Line(l.Detail))
		}
	}
	for _, l := range c.Absent {
		fmt.Fprintf(&b, "  absent: %s. %s\n", Line(l.Tool), Line(l.Detail))
	}
	for _, p := range c.Added {
		fmt.Fprintf(&b, "  not in the listing: %s\n", Line(p.Sent))
	}
	if c.Doubtful() {
		b.WriteString("The profile of this host predicts something else: it may be about another version.\n")
	}
	return b.String()
}
