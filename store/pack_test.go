package store

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/countersign/countersign/review/surface"
)

var cmpRefs = cmp.AllowUnexported(ref{}, reading{})

func TestPackRefs(t *testing.T) {
	own := reading{"pay\x00\xed\xa0\x80", surface.FormSnake, surface.HashOf([]byte("x"))}
	tests := []struct {
		name string
		refs []ref
		size int
	}{
		{"none", nil, 0},
		{"in a row", []ref{{slice: 5, gap: 20}, {slice: 6, gap: 1}, {slice: 7, gap: 1}}, 6},
		{"jumps", []ref{{slice: math.MaxInt64}, {slice: 0}, {slice: math.MaxInt64, gap: 1 << 23}}, -1},
		{"apart", []ref{{slice: 5, apart: true}, {slice: 5, apart: true}}, 4},
		{"own reading", []ref{{slice: 5, own: true, read: own}, {slice: 6, own: true, apart: true}, {slice: 7}}, -1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			packed := packRefs(tt.refs)
			if tt.size >= 0 && len(packed) != tt.size {
				t.Errorf("packed in %d bytes, want %d", len(packed), tt.size)
			}
			got, err := unpackRefs(packed)
			if diff := cmp.Diff(tt.refs, got, cmpRefs); err != nil || diff != "" {
				t.Errorf("error %v, -want +got:\n%s", err, diff)
			}
			for n := range len(packed) { // cut short: an error or fewer records, never a panic
				if less, err := unpackRefs(packed[:n]); err == nil && len(less) >= len(tt.refs) {
					t.Errorf("%d of %d bytes gave all records", n, len(packed))
				}
			}
		})
	}
}

func FuzzUnpackRefs(f *testing.F) {
	f.Add([]byte{})
	f.Add(packRefs([]ref{{slice: 5, gap: 20}, {slice: 7, own: true, read: reading{name: "x"}}, {slice: 6, apart: true}}))
	f.Add(bytes.Repeat([]byte{0xff}, 40))
	f.Fuzz(func(t *testing.T, packed []byte) {
		refs, err := unpackRefs(packed)
		if err != nil {
			return
		}
		again, err := unpackRefs(packRefs(refs))
		if diff := cmp.Diff(refs, again, cmpRefs); err != nil || diff != "" {
			t.Errorf("error %v, -want +got:\n%s", err, diff)
		}
	})
}

func TestSplitKeepsEveryByte(t *testing.T) {
	raw := []byte(`{"tools":[AAA,BB,AAA]}`)
	tool := func(text string, offset int) surface.Tool { return surface.Tool{Raw: []byte(text), Offset: offset} }
	tests := []struct {
		name     string
		tools    []surface.Tool
		envelope string
		apart    int
	}{
		{"as they stand", []surface.Tool{tool("AAA", 10), tool("BB", 14), tool("AAA", 17)}, `{"tools":[,,]}`, 0},
		{"none", nil, string(raw), 0},
		{"not contiguous", []surface.Tool{tool("AAA", -1), tool("BB", 14)}, `{"tools":[AAA,,AAA]}`, 1},
		{"out of order", []surface.Tool{tool("BB", 14), tool("AAA", 10)}, `{"tools":[AAA,,AAA]}`, 1},
		{"overlapping", []surface.Tool{tool("AAA,B", 10), tool("BB", 14)}, `{"tools":[B,AAA]}`, 1},
		{"other bytes", []surface.Tool{tool("XXX", 10), tool("BB", 14)}, `{"tools":[AAA,,AAA]}`, 1},
		{"beyond the end", []surface.Tool{tool("]}...", 20), tool("x", 99)}, string(raw), 2},
		{"all", []surface.Tool{tool(string(raw), 0)}, "", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			envelope, refs := split(&surface.Listing{Raw: raw, Tools: tt.tools})
			if string(envelope) != tt.envelope {
				t.Errorf("envelope %s, want %s", envelope, tt.envelope)
			}
			apart := 0
			for _, r := range refs {
				if r.apart {
					apart++
				}
			}
			if apart != tt.apart {
				t.Errorf("%d tools are apart, want %d", apart, tt.apart)
			}
			tools := make([]surface.Tool, len(tt.tools))
			for i := range tools {
				tools[i].Raw = bytes.Clone(tt.tools[i].Raw)
			}
			joined, err := join(envelope, refs, tools)
			if err != nil || !bytes.Equal(joined, raw) {
				t.Fatalf("joined %s, error %v", joined, err)
			}
			for i, tool := range tools {
				if at := tool.Offset; at >= 0 && at != tt.tools[i].Offset || at < 0 && !refs[i].apart {
					t.Errorf("tool %d is at %d, was at %d", i, at, tt.tools[i].Offset)
				}
			}
		})
	}
}

// What a version costs beside its tools must be small: one that changes little
// costs little.
func TestSplitCostsLittle(t *testing.T) {
	const tools = 300
	var text bytes.Buffer
	text.WriteString(`{"jsonrpc":"2.0","id":1,"result":{"tools":[`)
	for i := range tools {
		if i > 0 {
			text.WriteByte(',')
		}
		fmt.Fprintf(&text, `{"name":"action_%d","description":%q,"inputSchema":{"type":"object"}}`, i, strings.Repeat("Says what it does. ", 40))
	}
	text.WriteString(`]}}`)
	l, err := surface.Read(text.Bytes(), surface.Options{})
	if err != nil {
		t.Fatal(err)
	}
	envelope, refs := split(l)
	for i := range refs {
		refs[i].slice = int64(1000 + i) // as they come in together
	}
	if cost := len(envelope) + len(packRefs(refs)); len(refs) != tools || cost > 4*tools {
		t.Errorf("%d records and %d bytes beside the tools, want %d and %d at most", len(refs), cost, tools, 4*tools)
	}
	again := make([]surface.Tool, tools)
	for i := range again {
		again[i].Raw = bytes.Clone(l.Tools[i].Raw)
	}
	if joined, err := join(envelope, refs, again); err != nil || !bytes.Equal(joined, l.Raw) {
		t.Errorf("joined differs from what was read: %v", err)
	}
}

func TestJoinRefusesDamage(t *testing.T) {
	tools := []surface.Tool{{Raw: []byte("A")}}
	if _, err := join([]byte("short"), []ref{{gap: 6}}, tools); err != errRefs {
		t.Errorf("a gap beyond the envelope: %v", err)
	}
}

// FuzzSplit cuts any bytes anywhere: what is put together again is the same.
func FuzzSplit(f *testing.F) {
	f.Add([]byte(`{"tools":[A,B]}`), []byte{10, 1, 12, 1})
	f.Add([]byte("x"), []byte{0, 1, 0, 1, 200, 200})
	f.Fuzz(func(t *testing.T, raw, cuts []byte) {
		l := &surface.Listing{Raw: raw}
		for i := 0; i+1 < len(cuts); i += 2 {
			at, end := int(cuts[i]), int(cuts[i])+int(cuts[i+1])
			text := []byte("elsewhere")
			if end <= len(raw) {
				text = raw[at:end]
			}
			l.Tools = append(l.Tools, surface.Tool{Raw: bytes.Clone(text), Offset: at - 1 + i%2})
		}
		envelope, refs := split(l)
		packed, err := unpackRefs(packRefs(refs))
		if err != nil {
			t.Fatal(err)
		}
		joined, err := join(envelope, packed, l.Tools)
		if err != nil || !bytes.Equal(joined, raw) {
			t.Errorf("error %v, joined %q, want %q", err, joined, raw)
		}
	})
}
