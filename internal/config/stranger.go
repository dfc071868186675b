package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

// ofCommands are the variables with our prefix that only the command line reads.
var ofCommands = []string{"TOKEN", "WEBHOOK_SECRET"}

// Stranger is a variable with our prefix that nothing reads.
type Stranger struct {
	Name string
	Near string // the name that was probably meant, "" for none
}

// Error says what to do about it.
func (s Stranger) Error() string {
	if s.Near == "" {
		return s.Name + ": nothing reads it: take it away"
	}
	return fmt.Sprintf("%s: nothing reads it: is %s meant?", s.Name, s.Near)
}

// Strangers finds variables with our prefix that nothing reads, in order of their
// names, so that a slip of the pen doesn't leave a setting at its default.
// environ is as os.Environ returns it; what the tests read is left alone.
func Strangers(environ []string) []Stranger {
	known := knownNames()
	var found []Stranger
	for _, pair := range slices.Sorted(slices.Values(environ)) {
		name, value, _ := strings.Cut(pair, "=")
		if !strings.HasPrefix(name, Prefix) || value == "" || slices.Contains(known, name) || ofTests(name) {
			continue
		}
		found = append(found, Stranger{name, nearest(name, known)})
	}
	return found
}

func knownNames() []string {
	var names []string
	for _, s := range (Config{}).Settings() {
		names = append(names, s.Name)
		if s.Secret {
			names = append(names, s.Name+"_FILE")
		}
	}
	for _, name := range ofCommands {
		names = append(names, Prefix+name)
	}
	return names
}

func ofTests(name string) bool {
	for _, p := range []string{"TEST_", "KILL_", "SOAK", "CORPUS", "REQUIRE_ALL"} {
		if strings.HasPrefix(name, Prefix+p) {
			return true
		}
	}
	return false
}

// nearest returns the name that takes the fewest changes of a letter, if a slip
// of the pen explains it: one change in three letters at most.
func nearest(name string, known []string) string {
	short := strings.TrimPrefix(name, Prefix)
	best, least := "", len(short)/3+1
	for _, k := range known {
		if d := levenshtein.ComputeDistance(short, strings.TrimPrefix(k, Prefix)); d < least {
			best, least = k, d
		}
	}
	return best
}
