package main

import (
	"slices"
	"testing"
)

func TestVersionsAreSortedAsPeopleCount(t *testing.T) {
	want := []string{"0.9.json", "1.9.0.json", "1.10.0-rc.1.json", "1.10.0-rc.2.json", "1.10.0.json", "2.json", "2026.8.31.json"}
	got := slices.Clone(want)
	slices.Reverse(got)
	sortVersions(got)
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
