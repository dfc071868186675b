package demo_test

import (
	"encoding/json"
	"testing"

	"github.com/countersign/countersign/internal/demo"
	"github.com/countersign/countersign/review/surface"
)

func TestSamplesAreGoodListings(t *testing.T) {
	for _, s := range demo.Samples() {
		for _, v := range s.Versions {
			l, err := surface.Read(v.Body, surface.Options{})
			if err != nil {
				t.Fatalf("%s %s: %v", s.Slug, v.Version, err)
			}
			for _, p := range l.Problems {
				if p.Level == surface.LevelError {
					t.Errorf("%s %s: %+v", s.Slug, v.Version, p)
				}
			}
			if !l.Complete || l.Kind != surface.KindListing {
				t.Errorf("%s %s: complete %v, %s", s.Slug, v.Version, l.Complete, l.Kind)
			}
		}
	}
}

// TestMotHasTheFamiliesOfItsHouse keeps the sample true to what it shows: ten
// families and three names outside them.
func TestMotHasTheFamiliesOfItsHouse(t *testing.T) {
	v := demo.Samples()[0].Versions[1]
	l, err := surface.Read(v.Body, surface.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range l.Tools {
		names = append(names, tool.Name)
	}
	f := surface.NewFamilies(names)
	if len(names) != 35 || len(f.Families) != 10 || len(f.Outliers) != 3 {
		b, _ := json.Marshal(f)
		t.Errorf("%d tools, %d families, %d outliers: %s", len(names), len(f.Families), len(f.Outliers), b)
	}
}
