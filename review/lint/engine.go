package lint

import (
	"cmp"
	"slices"

	"github.com/countersign/countersign/review/change"
	"github.com/countersign/countersign/review/surface"
)

// OtherServer is another server whose tools the same model sees.
type OtherServer struct {
	Name  string
	Tools []OtherTool
}

// OtherTool is a tool of another server; its description may be unknown.
type OtherTool struct {
	Name        string
	Description string
}

// Context is what is known beside the listing. The zero value is nothing.
type Context struct {
	Server   string   // name of the server
	Siblings []string // tools of this server that are not in the listing
	Others   []OtherServer
	Hosts    []string // ids of the host profiles that the tools are served to

	// Live is what a running server of the same version lists, nil when nobody read one.
	Live *surface.Listing
}

// Options steer which findings there are and how they count.
type Options struct {
	Context  Context
	Off      []string            // rules, or "family.*"
	On       []string            // rules that are off unless somebody asks
	Severity map[string]Severity // overrides by rule
	Waivers  []Waiver
	Hosts    []string // ids of the host profiles that a team serves, beside those of Context; see [CheckHosts]
	Today    string   // YYYY-MM-DD, for the expiry of waivers; "" means that none has expired

	// Extra are findings of others, such as host profiles, that are to be judged, rolled
	// up and sorted with ours. See [Fingerprint] for theirs.
	Extra []Finding

	// Kept returns what Tool gave for a digest under this Version, so that an unchanged
	// tool is never looked at twice; nil keeps nothing.
	Kept func(surface.Hash) ([]Finding, bool)
}

// Tool gives the findings that a definition has by itself: a function of its bytes and
// of Version alone, to be kept by the digest. Names and positions in the findings are
// those of t.
func Tool(t surface.Tool) []Finding {
	return toolFindings(newView(t))
}

func toolFindings(v *view) []Finding {
	if !v.root.is('{') {
		return nil
	}
	v.unicodeRules()
	v.textRules()
	v.secretRules()
	v.descRules()
	v.paramRules()
	v.schemaRules()
	v.shapeRules()
	v.annotationRules()
	return v.findings
}

// House gives the findings that only show when the tools stand side by side.
func House(l *surface.Listing, ctx Context) []Finding {
	return newHouse(l, ctx).run()
}

// Listing gives all findings of a listing, by severity, then in the order of the
// listing. Facts that hold for many tools are one finding with its places.
func Listing(l *surface.Listing, opt Options) []Finding {
	return finish(append(raw(l, opt), running(l, opt)...), len(l.Tools), opt)
}

// running is what a running server that lists something else gives.
func running(l *surface.Listing, opt Options) []Finding {
	live := opt.Context.Live
	if live == nil {
		return nil
	}
	return Live(l, live, change.Compare(l, live, change.Options{}), false)
}

func raw(l *surface.Listing, opt Options) []Finding {
	h := newHouse(l, opt.Context)
	var all []Finding
	for i, v := range h.views {
		if opt.Kept != nil {
			if kept, ok := opt.Kept(l.Tools[i].Digest); ok {
				all = append(all, placed(kept, l.Tools[i])...)
				continue
			}
		}
		all = append(all, toolFindings(v)...)
	}
	h.inHosts(opt.hosts())
	return append(append(all, h.run()...), opt.Extra...)
}

// placed gives kept findings the place of this tool.
func placed(kept []Finding, t surface.Tool) []Finding {
	out := slices.Clone(kept)
	for i := range out {
		out[i].Position = t.Position
	}
	return out
}

// Change gives all findings of the new listing, those that are not in the old one
// marked as new and first, and what the change itself did: r is the comparison of the
// two, nil to have it made. Without old every finding is new.
func Change(old, new *surface.Listing, r *change.Report, opt Options) []Finding {
	found := append(raw(new, opt), running(new, opt)...)
	if old == nil {
		return finish(found, len(new.Tools), opt)
	}
	if r == nil {
		r = change.Compare(old, new, change.Options{})
	}
	before := raw(old, opt)
	markNew(before, found, oldNames(r))
	d := newDelta(old, new, r, before, found)
	d.cost(newPolicy(opt))
	edits := d.run()
	for i := range edits {
		edits[i].New = true
	}
	return finish(append(found, edits...), len(new.Tools), opt)
}

// oldNames are the names that renamed tools had.
func oldNames(r *change.Report) map[string]string {
	names := map[string]string{}
	for i := range r.Changes {
		if c := &r.Changes[i]; c.Kind == change.Renamed && c.FromTool != nil {
			names[c.Name()] = *c.FromTool
		}
	}
	return names
}

// markNew marks what the base did not have. What can hide or take over is bound to the
// bytes that stood there; for the rest the same rule at the same place is the same fact,
// so that an edit of a text does not make its old faults new ones.
func markNew(before, found []Finding, oldNames map[string]string) {
	type fact struct{ rule, tool, pointer string }
	bytes, facts := map[string]bool{}, map[fact]bool{}
	for _, f := range before {
		bytes[f.Fingerprint] = true
		facts[fact{f.Rule, f.Tool, f.Pointer}] = true
	}
	for i := range found {
		f := &found[i]
		tool := f.Tool
		if old, ok := oldNames[tool]; ok {
			tool = old
		}
		f.New = !bytes[f.Fingerprint] && (guarded(f.Rule) || !facts[fact{f.Rule, tool, f.Pointer}])
	}
}

// finish applies the policy, rolls up and sorts.
func finish(found []Finding, tools int, opt Options) []Finding {
	p := newPolicy(opt)
	kept := found[:0]
	for _, f := range found {
		if f.PositionClass == "" {
			f.PositionClass = Instruction
		}
		if p.apply(&f) {
			kept = append(kept, f)
		}
	}
	kept = rollUp(kept, tools)
	slices.SortStableFunc(kept, compareFindings)
	return kept
}

func compareFindings(a, b Finding) int {
	return cmp.Or(
		compareBool(a.Waiver == nil, b.Waiver == nil),
		compareBool(a.accepted(AcceptedRisk), b.accepted(AcceptedRisk)),
		compareBool(a.New, b.New),
		cmp.Compare(b.Severity.Rank(), a.Severity.Rank()),
		cmp.Compare(a.Position, b.Position),
		cmp.Compare(a.Pointer, b.Pointer),
		cmp.Compare(a.Rule, b.Rule),
	)
}

// compareBool puts true first.
func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}
