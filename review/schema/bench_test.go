package schema_test

import (
	"testing"

	"github.com/countersign/countersign/review/schema"
)

// The pairs of the golden file, each compared once.
func BenchmarkGoldenPairs(b *testing.B) {
	pairs := blocks(b)
	b.ReportAllocs()
	for b.Loop() {
		for _, c := range pairs {
			schema.Compare([]byte(c.old), []byte(c.new), schema.Input, schema.Options{JoinObject: true})
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*len(pairs)), "µs/pair")
}

// The handed pairs: half of them must take less than 5 ms and 99 % less than 100.
func BenchmarkHandedPairs(b *testing.B) {
	cases := loadCases(b)
	for b.Loop() {
		for _, c := range cases {
			schema.Compare(c.Old, c.New, c.Direction, schema.Options{Draft: c.Draft})
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*len(cases)), "µs/pair")
}

func BenchmarkLargeObject(b *testing.B) {
	old, new := []byte(wide(1_000, "")), []byte(wide(1_000, `,"maxLength":3`))
	for b.Loop() {
		if r := schema.Compare(old, new, schema.Input, schema.Options{}); r.Verdict != schema.Breaking {
			b.Fatal(r.Reason)
		}
	}
}

func BenchmarkTable(b *testing.B) {
	old, new := []byte(wide(1_000, "")), []byte(wide(1_000, `,"maxLength":3`))
	for b.Loop() {
		if _, err := schema.Table(old, new); err != nil {
			b.Fatal(err)
		}
	}
}
