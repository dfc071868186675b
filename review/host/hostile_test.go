package host_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/countersign/countersign/review/host"
	"github.com/countersign/countersign/review/surface"
)

// hostile are schemas that cost the square of their size if anything is looked for
// in a list. Each has thousands of parts.
func hostile() map[string]string {
	const n = 4_000
	many := func(open, sep, form, end string) string {
		var b strings.Builder
		b.WriteString(open)
		for i := range n {
			if i > 0 {
				b.WriteString(sep)
			}
			b.WriteString(strings.ReplaceAll(form, "%", fmt.Sprint(i)))
		}
		return b.String() + end
	}
	deep := strings.Repeat(`{"type":"object","properties":{"a":`, 25) + `{"type":"string"}` + strings.Repeat(`}}`, 25)
	return map[string]string{
		"properties": many(`{"type":"object","properties":{`, `,`, `"p%":{"type":"string","format":"x%"}`, `}}`),
		"required":   many(`{"type":"object","properties":{"a":{}},"required":[`, `,`, `"p%"`, `]}`),
		"references": many(`{"type":"object","properties":{`, `,`, `"p%":{"$ref":"#/$defs/d%"}`, `},`) + many(`"$defs":{`, `,`, `"d%":{"type":"string"}`, `}}`),
		"keywords":   many(`{"type":"object","properties":{},`, `,`, `"x-%":{"a":1.0}`, `}`),
		"branches":   many(`{"type":"object","anyOf":[`, `,`, `{"type":"object","properties":{"a":{"const":%}},"required":["a","b%"]}`, `]}`),
		"enum":       many(`{"type":"object","properties":{"a":{"type":"integer","enum":[`, `,`, `%`, `]}}}`),
		"deep":       deep,
	}
}

// TestHostileSchemas renders and checks large schemas for every host. It is here
// for its running time: with a square in it, it takes minutes.
func TestHostileSchemas(t *testing.T) {
	for name, schema := range hostile() {
		t.Run(name, func(t *testing.T) {
			tool, err := surface.NewTool(1, []byte(`{"name":"t","description":"D.","inputSchema":`+schema+`}`))
			if err != nil {
				t.Fatal(err)
			}
			s := host.NewSurface([]host.Mounted{{Name: "s", Tools: []surface.Tool{tool}}})
			for _, p := range host.Profiles() {
				for _, v := range p.Variants() {
					as, err := p.As(v)
					if err != nil {
						t.Fatal(err)
					}
					checkRendering(t, as, s.Render(as), 1)
				}
				s.Preflight(p)
			}
		})
	}
}

// TestManyNames renders names that all become one.
func TestManyNames(t *testing.T) {
	var all []string
	for i := range 800 {
		all = append(all, tool(strings.Repeat("é", 40)+fmt.Sprint(i%7)+strings.Repeat("ü", i%50), "d", plain))
	}
	l := listing(t, "["+strings.Join(all, ",")+"]")
	s := host.NewSurface([]host.Mounted{host.Mount("s", l)})
	for _, p := range host.Profiles() {
		checkRendering(t, p, s.Render(p), len(all))
		s.Preflight(p)
	}
}
