// Package proof makes what an instance says checkable by others: signed
// envelopes, the keys that sign and how one follows another, and the chain of the
// audit with its checkpoints.
//
// # Envelopes
//
// Everything signed is a DSSE envelope: the signature covers the type of the
// payload and its exact bytes, so that nothing depends on how JSON is written. Keys
// are Ed25519. A key's id is the SHA-256 of its public half as
// SubjectPublicKeyInfo in DER, so that it can be computed with standard tools.
//
// # Trust
//
// Only keys that the caller pinned are trusted, and those that a statement of
// rotation ties to a pinned one: see [Ring.Trusted]. What an envelope says about
// its own key is a hint where to look, never a reason to believe it.
//
// # The chain
//
// An act of the audit has a digest, and the n-th link of the chain hashes that
// digest together with the hash of the link before it. The digest stands between
// them so that an export can leave an act out (it belongs to others) and the
// chain still be followed. A checkpoint signs the hash of one link, and with it
// everything before. So a row that was changed, removed, put in or moved breaks a
// link; rows cut off at the end break a checkpoint. See docs/audit.md.
package proof
