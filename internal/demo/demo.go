// Package demo holds the three sample servers that the demo pushes: what each
// listed in its first version, and in the second, which is up for review. The
// listings are written for this project.
//
//   - mot: a ticket and memory server of 35 tools in ten prefix families, with
//     three names that don't fit. Its second version adds a search mode to three
//     tools, moves corrections into descriptions and narrows a range.
//   - git: delete_branch before and after its safety moved into the declaration;
//     and a hidden character, a lost warning and a changed default to find.
//   - shop: subscriptions and stock, vague and then exact; one tool gave way to
//     another, and a refund changed its unit.
package demo

import (
	"embed"
	"fmt"
)

//go:embed listings/*.json
var listings embed.FS

// Sample is one sample server.
type Sample struct {
	Slug     string
	Name     string
	Preset   string // "Who reviews?", as on the command line
	Versions []Version
}

// Version is one push of a sample server; the last one is left to review.
type Version struct {
	Version string
	Body    []byte
}

// Samples returns the sample servers, versions in the order of their pushes.
func Samples() []Sample {
	return []Sample{
		sample("mot", "Ministry of Tickets", "team", "1.0.0", "1.1.0"),
		sample("git", "Git hosting", "team", "1.4.0", "2.0.0"),
		sample("shop", "Shop back office", "solo", "2026.10", "2026.11"),
	}
}

func sample(slug, name, preset string, versions ...string) Sample {
	s := Sample{Slug: slug, Name: name, Preset: preset}
	for i, v := range versions {
		body, err := listings.ReadFile(fmt.Sprintf("listings/%s-%d.json", slug, i+1))
		if err != nil {
			panic(err) // embedded at build: a missing file is a defect of the program
		}
		s.Versions = append(s.Versions, Version{Version: v, Body: body})
	}
	return s
}
