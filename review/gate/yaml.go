package gate

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// YAML writes a policy out in full: every line, whatever preset it started from.
func (p Policy) YAML() ([]byte, error) {
	full := p
	full.Lines = map[Row]Line{}
	for _, r := range Rows {
		if p.has(r) {
			full.Lines[r] = p.row(r)
		}
	}
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := enc.Encode(full); err != nil {
		return nil, fmt.Errorf("policy: %w", err)
	}
	return b.Bytes(), enc.Close()
}

// maxYAML bounds a policy: names and addresses, not a document.
const maxYAML = 256 << 10

// ParseYAML reads a policy that [Policy.YAML] wrote, or a person. An unknown key is
// an error, since a misspelt one would ask for nothing. Lines that are left out ask
// what the preset asks, and so do words that are left out in a line: who asks for a
// second approval does not mean that no owner is asked. Version and times are the
// server's and not read.
func ParseYAML(b []byte) (Policy, error) {
	if len(b) > maxYAML {
		return Policy{}, fmt.Errorf("the policy has %d bytes, the most is %d", len(b), maxYAML)
	}
	var p Policy
	dec := yaml.NewDecoder(bytes.NewReader(b))
	dec.KnownFields(true)
	if err := dec.Decode(&p); err != nil {
		if errors.Is(err, io.EOF) {
			return Policy{}, errors.New("the policy is empty")
		}
		return Policy{}, inWords(err)
	}
	if err := dec.Decode(new(any)); !errors.Is(err, io.EOF) {
		return Policy{}, errors.New("the policy has more than one document")
	}
	if p.Preset == "" {
		p.Preset = Team
	}
	if err := p.inherit(b); err != nil {
		return Policy{}, inWords(err)
	}
	return p.Spare(), nil
}

// inherit reads the lines once more, each into what the preset says of it.
func (p *Policy) inherit(b []byte) error {
	var written struct {
		Lines map[Row]yaml.Node `yaml:"lines"`
	}
	if err := yaml.Unmarshal(b, &written); err != nil {
		return err
	}
	for r, node := range written.Lines {
		line := Line{Approvals: 1}
		if preset, ok := presets[p.known()][r]; ok {
			line = preset
		}
		var said struct{ Approvals *int }
		if err := node.Decode(&said); err != nil {
			return err
		}
		if said.Approvals != nil {
			line.Rule = false // who asks for approvals wants no rule instead, unless they say so
		}
		if err := node.Decode(&line); err != nil {
			return err
		}
		p.Lines[r] = line
	}
	return nil
}

// Same reports whether two policies ask the same, whatever versions they are.
func (p Policy) Same(other Policy) bool {
	a, errA := p.YAML()
	b, errB := other.YAML()
	return errA == nil && errB == nil && bytes.Equal(a, b)
}

var (
	unknownKey = regexp.MustCompile(`^line (\d+): field (.+) not found in type (?:gate\.)?(\w+)$`)
	wrongType  = regexp.MustCompile("^line (\\d+): cannot unmarshal !!(\\w+)(?: (`.*`))? into (.+)$")
	keysOf     = map[string]reflect.Type{
		"Policy": reflect.TypeFor[Policy](), "Line": reflect.TypeFor[Line](), "OwnerRule": reflect.TypeFor[OwnerRule](), "Limits": reflect.TypeFor[Limits](),
	}
)

// inWords says what is wrong with a text in words of the text, with its line.
func inWords(err error) error {
	var shape *yaml.TypeError
	if !errors.As(err, &shape) {
		return errors.New(strings.TrimPrefix(err.Error(), "yaml: "))
	}
	said := make([]string, len(shape.Errors))
	for i, text := range shape.Errors {
		said[i] = faultInWords(text)
	}
	return errors.New(strings.Join(said, "; "))
}

func faultInWords(text string) string {
	if m := unknownKey.FindStringSubmatch(text); m != nil {
		return fmt.Sprintf("line %s: there is no key %.40q here; use %s", m[1], m[2], strings.Join(keys(keysOf[m[3]]), ", "))
	}
	if m := wrongType.FindStringSubmatch(text); m != nil {
		found := map[string]string{"seq": "a list", "map": "keys with values", "str": "text", "int": "a number", "bool": "true or false", "null": "nothing", "float": "a number"}[m[2]]
		if m[3] != "" {
			found = m[3]
		}
		return fmt.Sprintf("line %s: %s stands here, and it takes %s", m[1], cmp.Or(found, m[2]), takes(m[4]))
	}
	return text
}

// keys are the names that stand in a part of a policy, in order.
func keys(of reflect.Type) []string {
	var names []string
	for i := range of.NumField() {
		if name, _, _ := strings.Cut(of.Field(i).Tag.Get("yaml"), ","); name != "-" {
			names = append(names, name)
		}
	}
	return names
}

// takes names a type of ours as the text has it.
func takes(kind string) string {
	switch {
	case kind == "bool":
		return "true or false"
	case strings.HasPrefix(kind, "int"):
		return "a whole number"
	case strings.HasPrefix(kind, "[]"):
		return "a list"
	case strings.HasPrefix(kind, "map["):
		return "keys with values"
	}
	if of := keysOf[strings.TrimPrefix(kind, "gate.")]; of != nil {
		return "keys: " + strings.Join(keys(of), ", ")
	}
	return "a word"
}

// Spare leaves out the lines that say what the preset says.
func (p Policy) Spare() Policy {
	lines := map[Row]Line{}
	for r, l := range p.Lines {
		if preset, ok := presets[p.known()][r]; !ok || preset != l {
			lines[r] = l
		}
	}
	p.Lines = nil
	if len(lines) > 0 {
		p.Lines = lines
	}
	return p
}
