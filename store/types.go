package store

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/countersign/countersign/review/surface"
)

// micros is a time in a BIGINT column: microseconds UTC, 0 for the zero time.
type micros time.Time

func (m micros) Value() (driver.Value, error) {
	if time.Time(m).IsZero() {
		return int64(0), nil
	}
	return time.Time(m).UnixMicro(), nil
}

func (m *micros) Scan(src any) error {
	n, ok := src.(int64)
	if !ok {
		return fmt.Errorf("a time column holds %T, want microseconds", src)
	}
	*m = micros{}
	if n != 0 {
		*m = micros(time.UnixMicro(n).UTC())
	}
	return nil
}

// hash is a SHA-256 sum in a BYTEA column, empty for none.
type hash surface.Hash

func (h hash) Value() (driver.Value, error) {
	if surface.Hash(h).IsZero() {
		return []byte{}, nil
	}
	return h[:], nil
}

func (h *hash) Scan(src any) error {
	b, ok := src.([]byte)
	if !ok && src != nil {
		return fmt.Errorf("a hash column holds %T, want bytes", src)
	}
	*h = hash{}
	if n := copy(h[:], b); len(b) != 0 && (n != len(h) || len(b) != len(h)) {
		return fmt.Errorf("a hash column holds %d bytes, want %d", len(b), len(h))
	}
	return nil
}

// octets is a string in a BYTEA column, for text that may not be Unicode.
type octets string

func (o octets) Value() (driver.Value, error) { return []byte(o), nil }

func (o *octets) Scan(src any) error {
	b, ok := src.([]byte)
	if !ok && src != nil {
		return fmt.Errorf("a bytes column holds %T", src)
	}
	*o = octets(b)
	return nil
}

// blob is bytes in a BYTEA column that is never NULL: nil is kept as empty, and
// empty is read as nil.
type blob []byte

func (b blob) Value() (driver.Value, error) {
	if b == nil {
		return []byte{}, nil
	}
	return []byte(b), nil
}

func (b *blob) Scan(src any) error {
	*b = nil
	if v, ok := src.([]byte); ok && len(v) > 0 {
		*b = append(blob(nil), v...) // the driver owns v
	} else if !ok && src != nil {
		return fmt.Errorf("a bytes column holds %T", src)
	}
	return nil
}

// jsonOf is a value kept as JSON in a TEXT column.
type jsonOf[T any] struct{ V T }

func (j jsonOf[T]) Value() (driver.Value, error) {
	b, err := json.Marshal(j.V)
	return string(b), err
}

func (j *jsonOf[T]) Scan(src any) error {
	switch src := src.(type) {
	case string:
		return json.Unmarshal([]byte(src), &j.V)
	case []byte:
		return json.Unmarshal(src, &j.V)
	}
	return fmt.Errorf("a JSON column holds %T, want text", src)
}

// exact is a string inside a JSON column that may not be Unicode: encoding/json
// would mend it. Such a string becomes an array with its bytes in base64.
type exact string

func (s exact) MarshalJSON() ([]byte, error) {
	if utf8.ValidString(string(s)) {
		return json.Marshal(string(s))
	}
	return json.Marshal([][]byte{[]byte(s)})
}

func (s *exact) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '[' {
		var list [][]byte
		if err := json.Unmarshal(b, &list); err != nil {
			return err
		}
		if len(list) != 1 {
			return fmt.Errorf("a string of %d parts, want 1", len(list))
		}
		*s = exact(list[0])
		return nil
	}
	return json.Unmarshal(b, (*string)(s))
}

// problem is a surface.Problem as kept.
type problem struct {
	Code     string        `json:"code"`
	Level    surface.Level `json:"level"`
	Tool     exact         `json:"tool,omitempty"`
	Position int           `json:"position,omitempty"`
	Pointer  exact         `json:"pointer,omitempty"`
	Line     int           `json:"line,omitempty"`
	Column   int           `json:"column,omitempty"`
	Message  exact         `json:"message"`
}

func keepProblems(ps []surface.Problem) jsonOf[[]problem] {
	if ps == nil {
		return jsonOf[[]problem]{}
	}
	kept := make([]problem, len(ps))
	for i, p := range ps {
		kept[i] = problem{p.Code, p.Level, exact(p.Tool), p.Position, exact(p.Pointer), p.Line, p.Column, exact(p.Message)}
	}
	return jsonOf[[]problem]{kept}
}

func givenProblems(kept jsonOf[[]problem]) []surface.Problem {
	if kept.V == nil {
		return nil
	}
	ps := make([]surface.Problem, len(kept.V))
	for i, p := range kept.V {
		ps[i] = surface.Problem{Code: p.Code, Level: p.Level, Tool: string(p.Tool), Position: p.Position,
			Pointer: string(p.Pointer), Line: p.Line, Column: p.Column, Message: string(p.Message)}
	}
	return ps
}
