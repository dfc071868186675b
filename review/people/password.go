package people

import (
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"
)

// Argon2id at 19 MiB, two passes, one lane: as strong as it gets for about a
// tenth of a second, and four at a time fit a small machine.
const (
	argonMemory = 19 * 1024 // KiB
	argonTime   = 2
	argonLanes  = 1
	argonKey    = 32

	// SaltBytes is how long a salt must be.
	SaltBytes = 16
	// MinPassword is the fewest characters of a password.
	MinPassword = 12
	maxPassword = 1024 // bytes, so that hashing stays cheap
)

// CheckNewPassword says what is wrong with a password that somebody chose, "" when
// it will do.
func CheckNewPassword(password string) string {
	switch {
	case !utf8.ValidString(password):
		return "The password is not text."
	case utf8.RuneCountInString(password) < MinPassword:
		return fmt.Sprintf("The password is too short: use %d characters or more.", MinPassword)
	case len(password) > maxPassword:
		return fmt.Sprintf("The password is too long: use %d bytes or fewer.", maxPassword)
	}
	return ""
}

// HashPassword returns the stored form of a password, in the usual notation with
// its parameters, so that they can be raised later.
func HashPassword(password string, salt []byte) string {
	key := argon2.IDKey([]byte(password), salt, argonTime, argonMemory, argonLanes, argonKey)
	enc := base64.RawStdEncoding
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, argonMemory, argonTime, argonLanes,
		enc.EncodeToString(salt), enc.EncodeToString(key))
}

// PasswordMatches reports whether password is the one behind a stored hash. It
// takes as long for an empty or broken hash, so that time tells nothing of whether
// an account exists.
func PasswordMatches(stored, password string) bool {
	p, ok := parseHash(stored)
	if len(password) > maxPassword {
		password, ok = "", false
	}
	key := argon2.IDKey([]byte(password), p.salt, p.time, p.memory, p.lanes, argonKey)
	return subtle.ConstantTimeCompare(key, p.key) == 1 && ok
}

type hashParams struct {
	memory, time uint32
	lanes        uint8
	salt, key    []byte
}

// parseHash reads the stored form. What it can't read gets the usual parameters
// and false.
func parseHash(stored string) (hashParams, bool) {
	usual := hashParams{memory: argonMemory, time: argonTime, lanes: argonLanes, salt: make([]byte, SaltBytes), key: make([]byte, argonKey)}
	parts := strings.Split(stored, "$")
	if len(parts) != 6 || parts[1] != "argon2id" || parts[2] != fmt.Sprintf("v=%d", argon2.Version) {
		return usual, false
	}
	p := hashParams{}
	if _, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &p.memory, &p.time, &p.lanes); err != nil {
		return usual, false
	}
	var err1, err2 error
	p.salt, err1 = base64.RawStdEncoding.DecodeString(parts[4])
	p.key, err2 = base64.RawStdEncoding.DecodeString(parts[5])
	sane := p.memory >= 8 && p.memory <= 1<<20 && p.time >= 1 && p.time <= 10 && p.lanes >= 1 && len(p.key) == argonKey
	if err1 != nil || err2 != nil || !sane {
		return usual, false
	}
	return p, true
}
