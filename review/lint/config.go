package lint

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"
)

// ConfigFile is where a team keeps its word on findings, beside the code. Its form is
// also written down as a JSON Schema, for editors: docs/countersign.schema.json.
const ConfigFile = ".countersign.yaml"

// ParseConfig reads a [ConfigFile]. It is strict: an unknown field, rule or word is an
// error that names its line, since a waiver that is misspelled would silently waive
// nothing. Only Off, On, Severity, Hosts and Waivers of the result are set.
func ParseConfig(b []byte) (Options, error) {
	opt := Options{Severity: map[string]Severity{}}
	var doc yaml.Node
	dec := yaml.NewDecoder(bytes.NewReader(b))
	switch err := dec.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return opt, nil
	case err != nil:
		return Options{}, plainYAML(err)
	}
	if err := dec.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return Options{}, errors.New("more than one document: keep everything in the first")
	}
	c := config{opt: &opt, waived: map[string]int{}}
	if err := c.file(doc.Content[0]); err != nil {
		return Options{}, err
	}
	return opt, nil
}

// plainYAML is an error of the parser without the library's name in front of it.
func plainYAML(err error) error { return errors.New(strings.TrimPrefix(err.Error(), "yaml: ")) }

// config reads the nodes of a file. They are walked by hand because only a node knows
// its line.
type config struct {
	opt    *Options
	waived map[string]int // lines of the waivers by fingerprint
}

func (c *config) file(n *yaml.Node) error {
	return fields(n, "the file", fieldReaders{{"lint", c.lint}})
}

func (c *config) lint(n *yaml.Node) error {
	return fields(n, "lint", fieldReaders{{"rules", c.rules}, {"hosts", c.hosts}, {"waivers", c.waivers}})
}

func (c *config) rules(n *yaml.Node) error {
	return members(n, "lint.rules", func(name string, value *yaml.Node) error {
		word, err := textOf(value, "lint.rules."+name)
		if err != nil {
			return err
		}
		if err := c.opt.rule(name, word); err != nil {
			return at(value, "lint.rules: %w", err)
		}
		return nil
	})
}

func (c *config) hosts(n *yaml.Node) error {
	return items(n, "lint.hosts", func(n *yaml.Node, where string) error {
		id, err := textOf(n, where)
		if err != nil {
			return err
		}
		if err := CheckHosts([]string{id}); err != nil {
			return at(n, "%s: %w", where, err)
		}
		c.opt.Hosts = append(c.opt.Hosts, id)
		return nil
	})
}

func (c *config) waivers(n *yaml.Node) error { return items(n, "lint.waivers", c.waiver) }

func (c *config) waiver(n *yaml.Node, where string) error {
	w := Waiver{Kind: AcceptedRisk}
	text := func(name string, into *string) fieldReader {
		return fieldReader{name, func(n *yaml.Node) (err error) {
			*into, err = textOf(n, where+"."+name)
			return err
		}}
	}
	err := fields(n, where, fieldReaders{
		text("fingerprint", &w.Fingerprint), text("rule", &w.Rule), text("tool", &w.Tool), text("pointer", &w.Pointer),
		text("reason", &w.Reason), text("by", &w.By), text("kind", (*string)(&w.Kind)), text("expires", &w.Expires),
	})
	if err != nil {
		return err
	}
	if err := w.Valid(); err != nil {
		return at(n, "%s: %w", where, err)
	}
	if line, ok := c.waived[w.Fingerprint]; ok {
		return at(n, "%s: line %d waives the same finding: keep one of them", where, line)
	}
	c.waived[w.Fingerprint] = n.Line
	c.opt.Waivers = append(c.opt.Waivers, w)
	return nil
}

// fieldReader reads the value of a field of that name.
type fieldReader struct {
	name string
	read func(*yaml.Node) error
}

type fieldReaders []fieldReader

func (rs fieldReaders) names() string {
	names := make([]string, len(rs))
	for i, r := range rs {
		names[i] = r.name
	}
	return strings.Join(names, ", ")
}

// fields reads a mapping that has no other fields than those.
func fields(n *yaml.Node, where string, known fieldReaders) error {
	return members(n, where, func(name string, value *yaml.Node) error {
		for _, r := range known {
			if r.name == name {
				return r.read(value)
			}
		}
		return at(value, "%s has no field %.60q: want one of %s", where, name, known.names())
	})
}

// items calls f for the elements of a list. Nothing is none.
func items(n *yaml.Node, where string, f func(n *yaml.Node, where string) error) error {
	if n = resolved(n); isNull(n) {
		return nil
	}
	if n.Kind != yaml.SequenceNode {
		return at(n, "%s: want a list", where)
	}
	for i, item := range n.Content {
		if err := f(resolved(item), fmt.Sprintf("%s[%d]", where, i)); err != nil {
			return err
		}
	}
	return nil
}

// members calls f for the members of a mapping, each name once. Nothing is none.
func members(n *yaml.Node, where string, f func(name string, value *yaml.Node) error) error {
	if n = resolved(n); isNull(n) {
		return nil
	}
	if n.Kind != yaml.MappingNode {
		return at(n, "%s: want fields, each as name: value", where)
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, err := textOf(n.Content[i], where)
		if err != nil {
			return err
		}
		if seen[name] {
			return at(n.Content[i], "%s: %.60q stands there twice", where, name)
		}
		seen[name] = true
		if err := f(name, n.Content[i+1]); err != nil {
			return err
		}
	}
	return nil
}

// textOf is the text of a scalar. A day needs no quotes, though YAML has a type for it.
func textOf(n *yaml.Node, where string) (string, error) {
	n = resolved(n)
	if n.Kind == yaml.ScalarNode {
		switch n.ShortTag() {
		case "!!str", "!!timestamp":
			return n.Value, nil
		}
	}
	return "", at(n, "%.80s: want text; put it into quotes", where)
}

// resolved follows a reference to what it stands for. The form is of fixed depth, so
// that a reference to itself ends in an error about it.
func resolved(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }

// at is an error at the line of a node.
func at(n *yaml.Node, format string, args ...any) error {
	return fmt.Errorf("line %d: %w", n.Line, fmt.Errorf(format, args...))
}

func (opt *Options) rule(name, word string) error {
	if !KnownRule(name) {
		return fmt.Errorf("unknown rule %.60q: countersign rules lists them", name)
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
		return fmt.Errorf("%s: %.60q: want off, on, info, warn, high or critical", name, word)
	}
	return nil
}
