package main

import (
	"cmp"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// sortVersions orders files by the version that they are named after: parts that
// are numbers by their value, so that 1.10 follows 1.9, and a pre-release before
// its release, so that 2.0-rc.1 stands before 2.0.
func sortVersions(files []string) {
	slices.SortStableFunc(files, func(a, b string) int { return compareVersions(versionOf(a), versionOf(b)) })
}

func versionOf(file string) string { return strings.TrimSuffix(filepath.Base(file), ".json") }

func compareVersions(a, b string) int {
	coreA, preA, isPreA := strings.Cut(a, "-")
	coreB, preB, isPreB := strings.Cut(b, "-")
	if c := compareParts(coreA, coreB); c != 0 {
		return c
	}
	if isPreA != isPreB {
		if isPreA {
			return -1
		}
		return 1
	}
	return compareParts(preA, preB)
}

func compareParts(a, b string) int {
	as, bs := strings.FieldsFunc(a, isDot), strings.FieldsFunc(b, isDot)
	for i := range min(len(as), len(bs)) {
		if c := comparePart(as[i], bs[i]); c != 0 {
			return c
		}
	}
	return cmp.Compare(len(as), len(bs))
}

func isDot(r rune) bool { return r == '.' || r == '_' || r == '+' }

func comparePart(a, b string) int {
	na, errA := strconv.ParseUint(a, 10, 64)
	nb, errB := strconv.ParseUint(b, 10, 64)
	if errA == nil && errB == nil {
		return cmp.Compare(na, nb)
	}
	return strings.Compare(a, b)
}
