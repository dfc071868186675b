package change

// Level is a part of a version number.
type Level string

// The levels, smallest first. LevelNone means that the surface is the same.
const (
	LevelNone  Level = "none"
	LevelPatch Level = "patch"
	LevelMinor Level = "minor"
	LevelMajor Level = "major"
)

// Bump is the smallest step of a version number that says enough about a change.
type Bump struct {
	Level  Level  `json:"level"`
	Reason string `json:"reason"`
}

func suggestBump(r *Report) Bump {
	return Bump{Level: LevelNone}
}
