package review

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/countersign/countersign/review/cost"
	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/host"
	"github.com/countersign/countersign/review/lint"
	"github.com/countersign/countersign/review/surface"
)

// reportMeasured is what the limits of a policy are held against. It is made
// together with the comparison, and only where a policy has limits.
const reportMeasured = "measured"

// maxLimit bounds the tokens that a policy can name.
const maxLimit = 100_000_000

// limits are what the pair is measured for, and what rules look at beside the bytes.
type limits struct {
	asked gate.Limits
	name  string   // of the server in the hosts' configurations
	on    []string // rules that nobody looks for unless asked
}

// limitsOf is what the policy of a server asks for.
func limitsOf(srv *Server) limits {
	l := limits{asked: srv.Policy.Limits, name: srv.Slug}
	counted := l.asked.Ceiling > 0 || l.asked.Growth > 0
	for _, id := range lint.OffRules() {
		// To name a severity for such a rule is to ask for it, and so is a limit of tokens.
		as, named := srv.Policy.Rules[id]
		if named && as != gate.Off || srv.Policy.Floors[id] != "" || !named && counted && id == lint.TokenCost {
			l.on = append(l.on, id)
		}
	}
	return l
}

// rules are what findings are made with: the hosts that the policy names, and the rules
// that it asks for.
func (l limits) rules() lint.Options {
	return lint.Options{Context: lint.Context{Server: l.name}, Hosts: l.asked.Hosts, On: l.on}
}

// rulesKey is what findings depend on beside the comparison; "" where the policy names
// neither hosts nor rules, so that most findings are made once for all policies.
func (l limits) rulesKey() string {
	hosts := l.profiles()
	if len(hosts)+len(l.on) == 0 {
		return ""
	}
	parts := []string{l.name, cost.Version, strings.Join(l.on, ",")}
	for _, h := range hosts {
		parts = append(parts, h.Key())
	}
	return strings.Join(parts, " ")
}

// measuredKeys is the key of what was measured, where a policy wants to know.
func (p pair) measuredKeys() []ReportKey {
	if !p.limits.asked.Asked() {
		return nil
	}
	return []ReportKey{p.measuredKey()}
}

// measuredKey depends on the server's name, the hosts that the policy names, their
// profiles, and which tokens are counted for them.
func (p pair) measuredKey() ReportKey {
	k := p.key(reportMeasured)
	asked := p.limits.asked
	inputs := fmt.Appendf(nil, "%s %s %t %t", k.Inputs, p.limits.name, asked.Ceiling > 0, asked.Growth > 0)
	engine := []string{cost.Version}
	for _, h := range p.limits.profiles() {
		engine = append(engine, h.Key())
	}
	k.Inputs, k.Engine = surface.HashOf(inputs), strings.Join(engine, " ")
	return k
}

// profiles are the hosts that are asked for and known.
func (l limits) profiles() []*host.Profile {
	var out []*host.Profile
	for _, h := range host.Profiles() {
		if slices.Contains(l.asked.Hosts, h.ID) {
			out = append(out, h)
		}
	}
	return out
}

// measure counts both listings and asks the hosts, where a policy wants to know.
func (p pair) measure(old, new *surface.Listing, made compared) error {
	if !p.limits.asked.Asked() {
		return nil
	}
	m := gate.Measured{Tokens: cost.Of(new).Tokens}
	s := host.NewSurface([]host.Mounted{host.Mount(p.limits.name, new)})
	var before *host.Surface
	if old != nil {
		m.Base = cost.Of(old).Tokens
		before = host.NewSurface([]host.Mounted{host.Mount(p.limits.name, old)})
	}
	var counter cost.Counter
	for _, h := range p.limits.profiles() {
		fit := hostFit(h, s.Preflight(h))
		if !h.IsProvider() && p.limits.asked.Ceiling+p.limits.asked.Growth > 0 {
			fit.Tokens = counter.OfRendering(s.Render(h)).Tokens
		}
		if before != nil && fit.Tokens > 0 && p.limits.asked.Growth > 0 {
			fit.Base = counter.OfRendering(before.Render(h)).Tokens
		}
		m.Hosts = append(m.Hosts, fit)
	}
	body, err := json.Marshal(m)
	if err == nil {
		made[p.measuredKey()] = body
	}
	return err
}

func hostFit(p *host.Profile, c *host.Check) gate.HostFit {
	f := gate.HostFit{Host: p.ID, Name: p.Name}
	for _, i := range c.Issues {
		if i.Level != host.Error {
			continue
		}
		if f.Refuses++; f.Refuses == 1 {
			f.First = strings.TrimSpace(i.Tool + " " + i.Pointer + ": " + i.Says())
		}
	}
	if f.Refuses == 0 && c.Status == host.Refuses {
		f.Refuses, f.First = 1, "a tool does not reach the model there"
	}
	return f
}

// measured reads what limits are held against; false when nobody measured yet.
func (l *loader) measured(as *assessment, kept map[ReportKey][]byte) (bool, error) {
	if !as.pair.limits.asked.Asked() {
		return true, nil
	}
	body, ok := l.report(kept, as.pair.measuredKey())
	if !ok {
		return false, nil
	}
	return true, json.Unmarshal(body, &as.measured)
}

// SetLimits sets which hosts have to take the listings of a server, and how many
// tokens they may cost. It is a new version of the policy, which applies at once.
func (s *Service) SetLimits(ctx context.Context, a Actor, slug string, l gate.Limits) error {
	if err := checkLimits(&l); err != nil {
		return err
	}
	v, err := s.Policy(ctx, a, slug)
	if err != nil {
		return err
	}
	next := v.Server.Policy
	next.Limits = l
	_, err = s.SetPolicy(ctx, a, slug, next, next.Version)
	return err
}

// checkLimits refuses what can't be kept to, and puts the hosts in order.
func checkLimits(l *gate.Limits) error {
	if l.Ceiling < 0 || l.Growth < 0 || l.Ceiling > maxLimit || l.Growth > maxLimit {
		return Errorf(Invalid, "A limit of tokens is a number from 0, for none, to %d.", maxLimit)
	}
	l.Hosts = slices.Compact(slices.Sorted(slices.Values(l.Hosts)))
	for _, id := range l.Hosts {
		if _, err := host.Lookup(id); err != nil {
			return &Error{Kind: Invalid, Sentence: fmt.Sprintf("The policy can't name that host: %v.", err), Err: err}
		}
	}
	return nil
}
