package change

import (
	"fmt"
	"strconv"
	"strings"
)

// Level is a step of a version number of three parts.
type Level string

// The levels, smallest first. LevelNone means that the surface is the same,
// LevelUnknown that a part of one can't say which step is enough.
const (
	LevelUnknown Level = "unknown"
	LevelNone    Level = "none"
	LevelPatch   Level = "patch"
	LevelMinor   Level = "minor"
	LevelMajor   Level = "major"
)

var levels = []Level{LevelNone, LevelPatch, LevelMinor, LevelMajor}

func (l Level) rank() int {
	for i, v := range levels {
		if v == l {
			return i
		}
	}
	return -1
}

// Bump is the smallest step of a version number that says enough about a change.
type Bump struct {
	Level  Level  `json:"level"`
	Reason string `json:"reason"` // one sentence; "" when the level is unknown
}

// BumpPolicy is a team's written word on version numbers: the strongest class of
// change that each step may carry. What is stronger than Minor needs a major step.
type BumpPolicy struct {
	Patch Class `json:"patch"`
	Minor Class `json:"minor"`
}

// DefaultBumpPolicy is what most teams mean by a semantic version: a patch changes
// words, a minor step adds, a major step may break.
var DefaultBumpPolicy = BumpPolicy{Patch: Text, Minor: Behaviour}

// Suggest returns the smallest step that p allows for r.
func (p BumpPolicy) Suggest(r *Report) Bump {
	if r.Partial && r.Class != Breaking {
		return Bump{Level: LevelUnknown}
	}
	if len(r.Changes) == 0 {
		return Bump{LevelNone, "The surface is the same."}
	}
	b := Bump{Level: p.level(r)}
	switch {
	case len(r.Edits) == 0:
		b.Reason = fmt.Sprintf("A %s step is enough: nothing changed for callers.", b.Level)
	case b.Level == LevelMajor && r.Class == Undecided:
		b.Reason = "A major step is the safe one: it is not proved that old calls still work. " + r.Edits[0].Sentence
	case b.Level == LevelMajor:
		b.Reason = "This needs a major step. " + r.Edits[0].Sentence
	default:
		b.Reason = fmt.Sprintf("A %s step is enough. %s", b.Level, r.Edits[0].Sentence)
	}
	return b
}

// level treats an added optional parameter as more than words, though its class is
// weaker than a reworded text: a patch adds nothing.
func (p BumpPolicy) level(r *Report) Level {
	switch {
	case r.Class.Rank() > p.Minor.Rank():
		return LevelMajor
	case r.Class.Rank() > p.Patch.Rank():
		return LevelMinor
	}
	for _, e := range r.Edits {
		if e.Class == Compatible && p.Patch.Rank() < Behaviour.Rank() {
			return LevelMinor
		}
	}
	return LevelPatch
}

// Enough reports whether the step between two version strings is at least b, and
// says so in one sentence when it is not. Versions that are not three numbers, or
// that do not rise, prove nothing: known is then false.
func (b Bump) Enough(old, new string) (enough, known bool, sentence string) {
	step, ok := stepBetween(old, new)
	if !ok || b.Level == LevelUnknown {
		return false, false, ""
	}
	if step.rank() >= b.Level.rank() {
		return true, true, ""
	}
	return false, true, fmt.Sprintf("%s to %s is a %s step, too small. %s", old, new, step, b.Reason)
}

// stepBetween reads versions such as "v1.2.3-rc.1+build". Below 1.0.0 anything may
// break in a minor step, so that one counts as major.
func stepBetween(old, new string) (Level, bool) {
	a, okA := versionNumbers(old)
	b, okB := versionNumbers(new)
	switch {
	case !okA || !okB:
		return LevelNone, false
	case b[0] != a[0]:
		return LevelMajor, b[0] > a[0]
	case b[1] != a[1] && a[0] == 0:
		return LevelMajor, b[1] > a[1]
	case b[1] != a[1]:
		return LevelMinor, b[1] > a[1]
	case b[2] != a[2]:
		return LevelPatch, b[2] > a[2]
	}
	return LevelNone, old == new
}

func versionNumbers(s string) (n [3]int, ok bool) {
	s, _, _ = strings.Cut(strings.TrimPrefix(s, "v"), "+")
	s, _, _ = strings.Cut(s, "-")
	parts := strings.Split(s, ".")
	if len(parts) != 3 {
		return n, false
	}
	for i, p := range parts {
		v, err := strconv.Atoi(p)
		if err != nil || v < 0 {
			return n, false
		}
		n[i] = v
	}
	return n, true
}
