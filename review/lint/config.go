package lint

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"go.yaml.in/yaml/v3"
)

// ConfigFile is where a team keeps its word on findings, beside the code.
const ConfigFile = ".countersign.yaml"

// configYAML is the form of the file. A rule is "off", "on", or a severity.
type configYAML struct {
	Lint struct {
		Rules   map[string]string `yaml:"rules"`
		Waivers []waiverYAML      `yaml:"waivers"`
	} `yaml:"lint"`
}

type waiverYAML struct {
	Fingerprint string `yaml:"fingerprint"`
	Rule        string `yaml:"rule"`
	Tool        string `yaml:"tool"`
	Pointer     string `yaml:"pointer"`
	Reason      string `yaml:"reason"`
	By          string `yaml:"by"`
	Kind        string `yaml:"kind"`
	Expires     string `yaml:"expires"`
}

// ParseConfig reads a [ConfigFile]. It is strict: an unknown field, rule or word is an
// error, since a waiver that is misspelled would silently waive nothing. Only Off, On,
// Severity and Waivers of the result are set.
func ParseConfig(b []byte) (Options, error) {
	var in configYAML
	dec := yaml.NewDecoder(bytes.NewReader(b))
	dec.KnownFields(true)
	if err := dec.Decode(&in); err != nil && !errors.Is(err, io.EOF) {
		return Options{}, err
	}
	if err := dec.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return Options{}, errors.New("more than one document: keep everything in the first")
	}
	opt := Options{Severity: map[string]Severity{}}
	for _, name := range sortedKeys(in.Lint.Rules) {
		if err := opt.rule(name, in.Lint.Rules[name]); err != nil {
			return Options{}, fmt.Errorf("lint.rules: %w", err)
		}
	}
	for i, w := range in.Lint.Waivers {
		waiver, err := w.waiver()
		if err != nil {
			return Options{}, fmt.Errorf("lint.waivers[%d]: %w", i, err)
		}
		opt.Waivers = append(opt.Waivers, waiver)
	}
	return opt, nil
}

func (opt *Options) rule(name, word string) error {
	if !KnownRule(name) {
		return fmt.Errorf("unknown rule %q: countersign rules lists them", name)
	}
	switch {
	case word == "off":
		opt.Off = append(opt.Off, name)
	case word == "on":
		opt.On = append(opt.On, name)
	case Severity(word).Rank() >= 0:
		for i := range catalogue().rules {
			if id := catalogue().rules[i].ID; matchesRule([]string{name}, id) {
				opt.Severity[id] = Severity(word)
			}
		}
	default:
		return fmt.Errorf("%s: %q: want off, on, info, warn, high or critical", name, word)
	}
	return nil
}

func (w waiverYAML) waiver() (Waiver, error) {
	out := Waiver{
		Fingerprint: w.Fingerprint, Rule: w.Rule, Tool: w.Tool, Pointer: w.Pointer,
		Reason: w.Reason, By: w.By, Kind: WaiverKind(w.Kind), Expires: w.Expires,
	}
	if out.Kind == "" {
		out.Kind = AcceptedRisk
	}
	return out, out.Valid()
}
