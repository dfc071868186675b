package surface

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// envelopeVersion is the first byte of every envelope.
const envelopeVersion = 1

// Split cuts a listing's Raw at its tools, so that a store keeps each definition
// once, whatever number of listings holds it. pieces[i] is the Raw of the i-th tool
// whose Offset is not -1, so its RawHash is its key. The envelope is the rest: a
// self-describing encoding of the bytes between the tools, usually a few hundred
// bytes. [Join] gives the exact Raw back. The pieces share memory with the listing.
func Split(l *Listing) (envelope []byte, pieces []jsontext.Value) {
	var gaps []byte
	var lengths []byte
	at := 0
	for _, t := range l.Tools {
		if t.Offset < at {
			continue // not contiguous: its bytes stay in the envelope
		}
		lengths = binary.AppendUvarint(lengths, uint64(t.Offset-at))
		gaps = append(gaps, l.Raw[at:t.Offset]...)
		pieces = append(pieces, t.Raw)
		at = t.Offset + len(t.Raw)
	}
	envelope = append(envelope, envelopeVersion)
	envelope = binary.AppendUvarint(envelope, uint64(len(pieces)))
	envelope = append(envelope, lengths...)
	envelope = append(envelope, gaps...)
	return append(envelope, l.Raw[at:]...), pieces
}

var errEnvelope = errors.New("envelope of a listing is damaged")

// Join undoes [Split]: it sets the pieces into the gaps of the envelope. An error
// means that the envelope is not one of Split's, or that pieces are missing.
func Join(envelope []byte, pieces []jsontext.Value) ([]byte, error) {
	lengths, rest, err := envelopeGaps(envelope)
	if err != nil {
		return nil, err
	}
	if len(lengths) != len(pieces) {
		return nil, fmt.Errorf("%w: it has %d tools, %d were given", errEnvelope, len(lengths), len(pieces))
	}
	size := len(rest)
	for _, p := range pieces {
		size += len(p)
	}
	raw := make([]byte, 0, size)
	for i, n := range lengths {
		if n > uint64(len(rest)) {
			return nil, errEnvelope
		}
		raw = append(raw, rest[:n]...)
		raw = append(raw, pieces[i]...)
		rest = rest[n:]
	}
	return append(raw, rest...), nil
}

// envelopeGaps reads the lengths of the gaps and returns the bytes of the gaps.
func envelopeGaps(b []byte) (lengths []uint64, rest []byte, err error) {
	if len(b) == 0 || b[0] != envelopeVersion {
		return nil, nil, errEnvelope
	}
	count, n := binary.Uvarint(b[1:])
	if n <= 0 || count > uint64(len(b)) {
		return nil, nil, errEnvelope
	}
	b = b[1+n:]
	lengths = make([]uint64, 0, count)
	for range count {
		length, n := binary.Uvarint(b)
		if n <= 0 {
			return nil, nil, errEnvelope
		}
		lengths, b = append(lengths, length), b[n:]
	}
	return lengths, b, nil
}
