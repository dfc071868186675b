package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"

	"github.com/countersign/countersign/review/surface"
)

// A listing is stored as an envelope, the bytes of Listing.Raw that belong to no
// tool, and refs, one packed record per tool in the order of the listing:
//
//	head    uvarint  gap << 2 | own << 1 | apart
//	slice   varint   slice id, less the id of the record before
//	name    uvarint length, bytes           only with own
//	form    uvarint length, bytes           only with own
//	digest  32 bytes                        only with own
//
// gap is how many envelope bytes stand between the end of the tool before and
// this one. apart says that the tool's bytes are not contiguous in Raw (they
// were cut into SSE lines, say): they are then part of the envelope as they came,
// gap is 0, and the slice holds the definition put together.
//
// The slice's row carries name, form and digest, which follow from its bytes. own
// says that this listing read them otherwise, such as another shape that takes
// the name from elsewhere; without it a stranger who pushed the same bytes first
// could choose the name that others see.
//
// Ids of slices that came in together are consecutive, so that a record usually
// takes two bytes.
type ref struct {
	slice int64
	gap   int
	apart bool
	own   bool
	read  reading // with own
}

// reading is what a reader made of a definition's bytes.
type reading struct {
	name   string
	form   surface.Form
	digest surface.Hash
}

const (
	flagApart = 1
	flagOwn   = 2
)

var errRefs = errors.New("the packed references of the listing are damaged")

// split cuts Raw at its tools. A tool is cut out only if its bytes stand where
// it says, behind the tool before: whatever a reader did, no byte is lost.
func split(l *surface.Listing) (envelope []byte, refs []ref) {
	refs = make([]ref, len(l.Tools))
	end := 0
	for i := range l.Tools {
		at, raw := l.Tools[i].Offset, l.Tools[i].Raw
		if at < end || at+len(raw) > len(l.Raw) || !bytes.Equal(l.Raw[at:at+len(raw)], raw) {
			refs[i].apart = true
			continue
		}
		refs[i].gap = at - end
		envelope = append(envelope, l.Raw[end:at]...)
		end = at + len(raw)
	}
	return append(envelope, l.Raw[end:]...), refs
}

// join undoes split: it puts Raw together from the envelope and the slices'
// bytes, which it takes from the tools, and makes their Raw a part of it.
func join(envelope []byte, refs []ref, tools []surface.Tool) ([]byte, error) {
	size := len(envelope)
	for i, r := range refs {
		if !r.apart {
			size += len(tools[i].Raw)
		}
	}
	raw := make([]byte, 0, size)
	for i, r := range refs {
		if r.apart {
			tools[i].Offset = -1
			continue
		}
		if r.gap > len(envelope) {
			return nil, errRefs
		}
		raw = append(raw, envelope[:r.gap]...)
		envelope = envelope[r.gap:]
		tools[i].Offset = len(raw)
		raw = append(raw, tools[i].Raw...)
		tools[i].Raw = raw[tools[i].Offset:len(raw):len(raw)]
	}
	return append(raw, envelope...), nil
}

func packRefs(refs []ref) []byte {
	packed := make([]byte, 0, 3*len(refs))
	var last int64
	for _, r := range refs {
		head := uint64(r.gap) << 2
		if r.apart {
			head |= flagApart
		}
		if r.own {
			head |= flagOwn
		}
		packed = binary.AppendUvarint(packed, head)
		packed = binary.AppendVarint(packed, r.slice-last)
		last = r.slice
		if r.own {
			packed = appendText(packed, r.read.name)
			packed = appendText(packed, string(r.read.form))
			packed = append(packed, r.read.digest[:]...)
		}
	}
	return packed
}

// unpackRefs undoes packRefs.
func unpackRefs(packed []byte) ([]ref, error) {
	var refs []ref
	var last int64
	for len(packed) > 0 {
		head, n := binary.Uvarint(packed)
		if n <= 0 {
			return nil, errRefs
		}
		step, m := binary.Varint(packed[n:])
		if m <= 0 || head>>2 > 1<<40 {
			return nil, errRefs
		}
		packed = packed[n+m:]
		last += step
		r := ref{slice: last, gap: int(head >> 2), apart: head&flagApart != 0, own: head&flagOwn != 0}
		if r.own {
			var err error
			if packed, err = r.read.unpack(packed); err != nil {
				return nil, err
			}
		}
		refs = append(refs, r)
	}
	return refs, nil
}

func (r *reading) unpack(packed []byte) (rest []byte, err error) {
	var form string
	if r.name, packed, err = cutText(packed); err != nil {
		return nil, err
	}
	if form, packed, err = cutText(packed); err != nil {
		return nil, err
	}
	r.form = surface.Form(form)
	if len(packed) < len(r.digest) {
		return nil, errRefs
	}
	return packed[copy(r.digest[:], packed):], nil
}

func appendText(b []byte, text string) []byte {
	b = binary.AppendUvarint(b, uint64(len(text)))
	return append(b, text...)
}

// cutText undoes appendText.
func cutText(b []byte) (text string, rest []byte, err error) {
	size, n := binary.Uvarint(b)
	if n <= 0 || size > uint64(len(b)-n) {
		return "", nil, errRefs
	}
	end := n + int(size)
	return string(b[n:end]), b[end:], nil
}

// sliceIDsOf returns the distinct slice ids of refs, sorted.
func sliceIDsOf(refs []ref) []int64 {
	ids := make([]int64, len(refs))
	for i, r := range refs {
		ids[i] = r.slice
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}
