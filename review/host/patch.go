package host

import "fmt"

// Op is one step of a JSON Patch (RFC 6902): "add", "replace" or "remove" at a
// pointer into a definition. Value is JSON, and nil for "remove".
type Op struct {
	Op    string
	Path  string
	Value []byte
}

// Patch changes one definition, step by step. The zero Patch changes nothing.
type Patch []Op

// Apply returns the definition with the patch applied, compact. The error names the
// step that does not fit: a place that is not there, or a value that is no JSON.
func (p Patch) Apply(definition []byte) ([]byte, error) {
	n, err := parseNode(definition)
	if err != nil {
		return nil, err
	}
	for _, op := range p {
		if n, err = op.apply(n); err != nil {
			return nil, fmt.Errorf("%s %s: %w", op.Op, op.Path, err)
		}
	}
	return n.bytes(), nil
}

func (o Op) apply(n *node) (*node, error) {
	if o.Op != "add" && valueAt(n, o.Path) == nil {
		return nil, fmt.Errorf("there is no such place")
	}
	var v *node
	if o.Op != "remove" {
		var err error
		if v, err = parseNode(o.Value); err != nil {
			return nil, err
		}
	}
	n, ok := replaced(n, splitPointer(o.Path), v)
	if !ok {
		return nil, fmt.Errorf("there is no such place")
	}
	return n, nil
}

func add(path string, v *node) Op     { return Op{"add", path, v.bytes()} }
func replace(path string, v *node) Op { return Op{"replace", path, v.bytes()} }
func remove(path string) Op           { return Op{"remove", path, nil} }

// size is the length of the values that the patch holds.
func (p Patch) size() int {
	n := 0
	for _, op := range p {
		n += len(op.Value)
	}
	return n
}
