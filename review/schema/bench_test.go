package schema_test

import (
	"fmt"
	"strings"
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

// Lists of values: twice as many must take about twice as long.
func BenchmarkLargeEnum(b *testing.B) {
	for _, n := range []int{1_000, 2_000, 4_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			old, new := []byte(listing(n)), []byte(listing(n+1))
			for b.Loop() {
				if r := schema.Compare(old, new, schema.Input, schema.Options{}); r.Verdict != schema.Compatible {
					b.Fatal(r.Reason)
				}
				if r := schema.Compare(new, old, schema.Input, schema.Options{}); r.Verdict != schema.Breaking {
					b.Fatal(r.Reason)
				}
			}
		})
	}
}

// listing is a schema of one property that takes n values.
func listing(n int) string {
	return `{"type":"object","properties":{"x":` + values(n) + `}}`
}

// values is a schema that takes n strings.
func values(n int) string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf(`"value-%d"`, i))
	}
	return `{"enum":[` + strings.Join(all, ",") + `]}`
}
