package host_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/countersign/countersign/review/host"
	"github.com/countersign/countersign/review/surface"
)

// large makes a listing of n tools as real ones are: about a kilobyte each.
func large(t testing.TB, n int) *surface.Listing {
	t.Helper()
	var b strings.Builder
	b.WriteString(`{"tools":[`)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"name":"record_%04d_update","title":"Update %d","description":%q,
 "annotations":{"destructiveHint":true},"inputSchema":{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{
 "id":{"type":"string","description":"The record to change.","pattern":"^[a-z0-9]+$"},
 "status":{"type":"string","enum":["open","closed","waiting"],"default":"open","description":"Leave it out to keep the status."},
 "labels":{"type":"array","items":{"type":"string","maxLength":40},"uniqueItems":true},
 "limit":{"type":["integer","null"],"minimum":1,"maximum":100},
 "owner":{"$ref":"#/$defs/Person"}},"required":["id"],"additionalProperties":false,
 "$defs":{"Person":{"type":"object","properties":{"mail":{"type":"string","format":"email"}}}}}}`,
			i, i, strings.Repeat("Changes one record and returns it. Fails when it is closed. ", 5))
	}
	b.WriteString(`]}`)
	l, err := surface.Read([]byte(b.String()), surface.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// BenchmarkAllHosts renders a listing of 1,000 tools for every profile.
func BenchmarkAllHosts(b *testing.B) {
	l := large(b, 1000)
	b.SetBytes(int64(len(l.Raw)))
	for b.Loop() {
		s := host.NewSurface([]host.Mounted{host.Mount("records", l)})
		for _, p := range host.Profiles() {
			s.Render(p)
		}
	}
}

func BenchmarkPreflight(b *testing.B) {
	l := large(b, 1000)
	for b.Loop() {
		s := host.NewSurface([]host.Mounted{host.Mount("records", l)})
		for _, p := range host.Profiles() {
			s.Preflight(p)
		}
	}
}
