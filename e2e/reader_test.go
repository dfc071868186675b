package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// reader is somebody who hears a page and does not see it: what there is comes from
// the accessibility tree, in its order, and what is pressed is found by its name.
type reader struct{ keyboard }

// heard is one thing that a screen reader says.
type heard struct {
	role, name string
	level      int // of headings
	focused    bool
	in         []string // the landmarks and articles around it, outermost first
	node       cdp.BackendNodeID
}

func (h heard) String() string { return h.role + " " + h.name }

// listen returns everything on the page, in the order in which it is read.
func (r reader) listen() []heard {
	r.t.Helper()
	var nodes []*accessibility.Node
	r.do(chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		tree, err := cdp.Call(ctx, target, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
		nodes = tree.Nodes
		return err
	}))
	byID := map[accessibility.NodeID]*accessibility.Node{}
	for _, n := range nodes {
		byID[n.NodeID] = n
	}
	var out []heard
	var walk func(n *accessibility.Node, in []string)
	walk = func(n *accessibility.Node, in []string) {
		h := heardOf(n)
		h.in = in
		if !n.Ignored && h.role != "" {
			out = append(out, h)
			if slices.Contains(places, h.role) {
				in = append(slices.Clone(in), h.String())
			}
		}
		for _, id := range n.ChildIDs {
			if c := byID[id]; c != nil {
				walk(c, in)
			}
		}
	}
	if len(nodes) == 0 {
		r.t.Fatal("the page has no accessibility tree")
	}
	walk(nodes[0], nil)
	return out
}

// places are what a reader can jump to, or out of.
var places = []string{"banner", "navigation", "main", "complementary", "contentinfo", "region", "search", "article"}

func heardOf(n *accessibility.Node) heard {
	h := heard{role: valueOf(n.Role), name: strings.Join(strings.Fields(valueOf(n.Name)), " "), node: n.BackendDOMNodeID}
	for _, p := range n.Properties {
		switch p.Name {
		case "level":
			_, _ = fmt.Sscan(valueOf(p.Value), &h.level)
		case "focused":
			h.focused = valueOf(p.Value) == "true"
		}
	}
	return h
}

// valueOf is a value of the tree as text.
func valueOf(v *accessibility.Value) string {
	if v == nil {
		return ""
	}
	var text string
	if json.Unmarshal(v.Value, &text) == nil {
		return text
	}
	return string(v.Value)
}

// find returns the first thing of a role whose name holds a text, or its parts between
// ellipses, and its place in the order; it fails when there is none.
func (r reader) find(page []heard, role, text string) (heard, int) {
	r.t.Helper()
	for i, h := range page {
		if h.role == role && !slices.ContainsFunc(strings.Split(text, "…"), func(part string) bool { return !strings.Contains(h.name, part) }) {
			return h, i
		}
	}
	var of []string
	for _, h := range page {
		if h.role == role {
			of = append(of, h.name)
		}
	}
	r.t.Fatalf("no %s about %q at %s: %q", role, text, eval[string](r.tab, "location.pathname"), of)
	return heard{}, 0
}

// press gives the focus to something by its name and presses Enter, which leads to
// another page.
func (r reader) press(role, text string) {
	r.t.Helper()
	r.to(role, text)
	r.leave(kb.Enter)
	r.ordered()
}

// to gives the focus to something by its name.
func (r reader) to(role, text string) {
	r.t.Helper()
	h, _ := r.find(r.listen(), role, text)
	r.do(chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, dom.Focus, dom.FocusParams{BackendNodeID: h.node})
		return err
	}))
}

// ordered holds a page to what lets somebody find the way in it: landmarks with names
// of their own, one heading of the first level and none that skips one, a name on
// everything that can be used, and a place where news are said.
func (r reader) ordered() {
	r.t.Helper()
	page := r.listen()
	at := eval[string](r.tab, "location.pathname + location.search")
	names, level, first := map[string]bool{}, 0, 0
	for _, h := range page {
		switch h.role {
		case "navigation", "complementary", "region", "search", "banner", "main", "contentinfo":
			if names[h.String()] {
				r.t.Errorf("%s: two are called %q", at, h)
			}
			names[h.String()] = true
			if h.name == "" && h.role != "banner" && h.role != "main" && h.role != "contentinfo" {
				r.t.Errorf("%s: a %s without a name", at, h.role)
			}
		case "heading":
			if h.level > level+1 {
				r.t.Errorf("%s: %q is a heading of level %d after one of level %d", at, h.name, h.level, level)
			}
			if level = h.level; level == 1 {
				first++
			}
		case "button", "link", "textbox", "searchbox", "combobox", "checkbox", "radio", "article", "DisclosureTriangle":
			if h.name == "" {
				r.t.Errorf("%s: a %s without a name in %q", at, h.role, h.in)
			}
		}
	}
	if first != 1 || !names["banner "] || !names["main "] || !names["contentinfo "] {
		r.t.Errorf("%s has %d headings of level 1 and the landmarks %v", at, first, names)
	}
}

// said returns what the live regions of a role say.
func (r reader) said(role string) string {
	r.t.Helper()
	var out []string
	for _, text := range eval[[]string](r.tab, `[...document.querySelectorAll("[role=`+role+`]")].map(e => e.innerText)`) {
		out = append(out, strings.Join(strings.Fields(text), " "))
	}
	return strings.Join(out, " ")
}

// TestReviewByEar goes through a whole review as somebody does who hears it: the
// gate's answer first, then each decision with its class, its sentence, what was
// deleted and inserted, and its answers by name; refusals and results are said.
func TestReviewByEar(t *testing.T) {
	a := newServer(t)
	r := reader{keyboard{newTab(t, screen{width: 1280})}}
	a.firstRelease(r.keyboard)
	r.ordered()
	r.press("button", "Use as starting point")
	r.press("button", "Release 1.0.0")
	a.push("1.1.0", a.secret,
		strings.Replace(toolJSON("forecast_get", "Returns the forecast of a city and a day. Refused for cities that are not known."), `"required":["city"]`, `"required":["city","day"]`, 1),
		toolJSON("radar_get", "Returns the newest radar picture."))
	r.open(a.url + "/")
	r.ordered()
	r.press("link", "1.1.0")

	page := r.listen()
	_, gate := r.find(page, "region", "The gate's answer")
	decision, first := r.find(page, "article", "")
	_, aside := r.find(page, "complementary", "About this release")
	if !(gate < first && first < aside) {
		t.Errorf("the gate's answer is read at %d, the first decision at %d, what is beside them at %d", gate, first, aside)
	}
	r.wantInOrder(page[first:aside], decision, "breaking", "heading", "behaviour", "insertion", "button Approve", "button Reject", "textbox Reason")

	// What breaks callers asks for a reason: the refusal is said, and the cursor is where the reason goes.
	r.to("button", "Approve…"+decision.name)
	r.keyboard.press(kb.Enter)
	if got := r.said("alert"); !strings.Contains(got, "asks for a reason") {
		t.Errorf("refused, and the alerts say %q", got)
	}
	if i := slices.IndexFunc(r.listen(), func(h heard) bool { return h.focused && h.role == "textbox" }); i < 0 {
		t.Error("refused, and the focus is not where the reason goes")
	}
	r.keyboard.press("callers send the day already")
	r.press("button", "Approve…"+decision.name)
	if got := r.said("status"); !strings.Contains(got, "Approved.") {
		t.Errorf("approved, and the status says %q", got)
	}
	for range 5 {
		if strings.Contains(r.text(), "Safe to publish") {
			break
		}
		r.press("button", "Approve")
	}
	r.find(r.listen(), "region", "The gate's answer")
	r.sees("Safe to publish")

	// The list of tools says of each what happened, in words. A place where a name may go on
	// in the next line is heard as a blank.
	r.press("link", "Tools")
	r.find(r.listen(), "navigation", "Tools")
	r.find(r.listen(), "link", "changed forecast_ get")
	r.find(r.listen(), "link", "new radar_ get")
	r.press("link", "Decisions")
	r.press("button", "Release 1.1.0")
	r.sees("is released")
}

// wantInOrder fails unless things stand inside of an article in this order; each is a
// role with a part of a name, or a text alone.
func (r reader) wantInOrder(page []heard, article heard, want ...string) {
	r.t.Helper()
	var inside []heard
	for _, h := range page {
		if slices.Contains(h.in, article.String()) {
			inside = append(inside, h)
		}
	}
	at := 0
	for _, w := range want {
		i := slices.IndexFunc(inside[at:], func(h heard) bool {
			role, name, _ := strings.Cut(w, " ")
			return strings.Contains(h.name, w) || h.role == role && strings.Contains(h.name, name)
		})
		if i < 0 {
			r.t.Fatalf("%s: %q is not read after the %d things before it: %v", article, w, at, inside)
		}
		at += i + 1
	}
}
