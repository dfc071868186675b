package views

import "github.com/countersign/countersign/review/prose"

// SchemaDiff is a schema on both sides: as a table of its properties, and as JSON.
type SchemaDiff struct {
	Title       string   // "Input schema"
	Summary     string   // "1 of 2 changed", "6 same", "None on either side"
	Fault       Sentence // why there is no table
	Rows        []SchemaRow
	Folded      []SchemaRow // the same on both sides, folded away
	FoldedLabel string
	JSON        TextDiff
	Compared    bool // two sides; else the table has no last column
}

// SchemaRow is one property, before and after.
type SchemaRow struct {
	Anchor   string
	Path     prose.Visible
	Pointer  string // within the tool, never shown
	Depth    int    // 0 to 4
	What     string // "added", "removed", "changed", "same"
	Badge    *Badge
	Type     Pair
	Required Pair
	Allowed  Pair // enum and other constraints
	Default  Pair
	Words    TextDiff // the description
	Comment  string   // address of the form that comments on it
}

func (r SchemaRow) hasWords() bool { return r.Words.State != NoText }

// wordsAt is the pointer of the words.
func (r SchemaRow) wordsAt() string { return r.Pointer + "/description" }

func (r SchemaRow) class() []string {
	var c []string
	if r.What == "same" {
		c = append(c, "same")
	}
	if r.What == "removed" {
		c = append(c, "was-removed")
	}
	if r.hasWords() {
		c = append(c, "has-words")
	}
	return c
}

// columns is how many cells a row has.
func (d SchemaDiff) columns() string {
	if d.Compared {
		return "6"
	}
	return "5"
}

var depthClasses = []string{"", "d1", "d2", "d3", "d4"}

func depthClass(depth int) string { return depthClasses[min(depth, len(depthClasses)-1)] }
