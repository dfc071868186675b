package change

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"

	"github.com/countersign/countersign/review/surface"
)

// idBytes is how much of a SHA-256 an id keeps: 160 bits, as much as anyone can
// need against a chosen collision, in 32 letters.
const idBytes = 20

var idEncoding = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

// ID returns the key of a change: a function of the subject, its name and the
// digests on both sides (zero for none), and of the old name where a rename gave
// it another. So equal ids mean that the same thing happened to the same bytes,
// in whatever release. Neither the engine's version nor the class is part of it.
func ID(subject Subject, name, fromName string, from, to surface.Hash) string {
	if fromName == name {
		fromName = ""
	}
	return "ch_" + sum("change", string(subject), name, fromName, hashField(from), hashField(to))
}

// EditID returns the key of an edit: what a rule calls it, where it is, and the
// canonical values on both sides. The class is part of it, so that an answer
// given to an undecided edit is not taken for an answer to a breaking one. Empty
// values stand for none.
func EditID(id, direction, pointer string, class Class, old, new []byte) string {
	return "ed_" + sum("edit", id, direction, pointer, string(class), string(old), string(new))
}

// sum hashes fields so that no two lists of fields have the same encoding: each
// is preceded by its length.
func sum(fields ...string) string {
	h := sha256.New()
	var n [8]byte
	for _, f := range fields {
		binary.BigEndian.PutUint64(n[:], uint64(len(f)))
		h.Write(n[:])
		h.Write([]byte(f))
	}
	return idEncoding.EncodeToString(h.Sum(nil)[:idBytes])
}

func hashField(h surface.Hash) string {
	if h.IsZero() {
		return ""
	}
	return string(h[:])
}
