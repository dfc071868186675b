package surface

// NewFamilies groups names (in order of the listing) by their words.
func NewFamilies(names []string) Families { return Families{} }

// FamiliesWith is NewFamilies with a team's patterns, which win.
func FamiliesWith(names []string, patterns []Pattern) Families { return Families{} }
