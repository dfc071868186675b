package gate

import (
	"bytes"
	"errors"
	"fmt"
	"io"

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
// what the preset asks. Version and times are the server's and not read.
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
		return Policy{}, err
	}
	if err := dec.Decode(new(any)); !errors.Is(err, io.EOF) {
		return Policy{}, errors.New("the policy has more than one document")
	}
	if p.Preset == "" {
		p.Preset = Team
	}
	return p.Spare(), nil
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
