package store

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// Reports of one version of a server say almost what those of the version before
// said, since most of the tools are the same. So each is compressed with another of
// its stem, the base, as dictionary: what is the same costs nothing again. A base
// stands by itself, so reading a report takes one other at most. One that resembles
// its base no more stands by itself too, and is the base of those to come.

const (
	// baseDictionary is the id of the only dictionary of a frame: a key says which one.
	baseDictionary = 1
	// enoughSaved is the part of a report that its packed form may be to be kept without
	// looking for better.
	enoughSaved = 8
	// maxReport bounds what a report may unpack to.
	maxReport = 1 << 30
)

// alone packs and unpacks what stands by itself.
var alone = sync.OnceValues(func() (*zstd.Encoder, *zstd.Decoder) {
	enc, err := zstd.NewWriter(nil, packing...)
	if err != nil {
		panic(err) // the options are constants
	}
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxMemory(maxReport))
	if err != nil {
		panic(err)
	}
	return enc, dec
})

// packing is how reports are packed. The quickest level holds the least memory, and
// what differs little is found at any.
var packing = []zstd.EOption{zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithLowerEncoderMem(true)}

// readers are decoders with one dictionary, which is another each time.
var readers = sync.Pool{New: func() any {
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxMemory(maxReport))
	if err != nil {
		panic(err) // the options are constants
	}
	return dec
}}

// reportBase is a report that others are packed against.
type reportBase struct {
	key  hash
	text []byte
	enc  *zstd.Encoder // nil until it is needed
	sees int           // how far enc looks back, in bytes
}

// newReportBase unpacks a report that stands by itself.
func newReportBase(row *reportRow) (*reportBase, error) {
	if row.Base != (hash{}) || row.Key == (hash{}) {
		return nil, fmt.Errorf("report %x is no base: %w", row.Key[:4], errReport)
	}
	text, err := (&reportReader{}).body(row)
	if err != nil {
		return nil, err
	}
	return &reportBase{key: row.Key, text: text}, nil
}

// window is how far an encoder has to look back to see n bytes: a power of two. It
// takes that much memory, and most reports are small.
func window(n int) int {
	return min(max(1<<bits.Len(uint(n)), leastWindow), mostWindow)
}

const (
	leastWindow = 64 << 10
	mostWindow  = 4 << 20 // as the level has it by itself
)

// pack is for one goroutine at a time.
func (b *reportBase) pack(body []byte) ([]byte, error) {
	if sees := window(len(b.text) + len(body)); b.enc == nil || b.sees < sees {
		var err error
		opts := append(slices.Clone(packing), zstd.WithEncoderConcurrency(1), zstd.WithEncoderDictRaw(baseDictionary, b.text), zstd.WithWindowSize(sees))
		if b.enc, err = zstd.NewWriter(nil, opts...); err != nil {
			return nil, fmt.Errorf("pack a report: %w", err)
		}
		b.sees = sees
	}
	return b.enc.EncodeAll(body, nil), nil
}

func (b *reportBase) unpack(packed []byte) ([]byte, error) {
	dec := readers.Get().(*zstd.Decoder)
	defer readers.Put(dec)
	if err := dec.ResetWithOptions(nil, zstd.WithDecoderDictRaw(baseDictionary, b.text)); err != nil {
		return nil, err
	}
	return dec.DecodeAll(packed, nil)
}

// reportPacker packs reports of one stem.
type reportPacker struct {
	base   *reportBase // nil: there is none yet
	chosen bool        // the base is new
}

// pack returns a report's packed form, and the key of the base that it needs, zero
// for none.
func (p *reportPacker) pack(key hash, body []byte) (packed []byte, base hash, err error) {
	var against []byte
	if p.base != nil && len(p.base.text) > 0 {
		if against, err = p.base.pack(body); err != nil {
			return nil, hash{}, err
		}
		if len(against) <= len(body)/enoughSaved {
			return against, p.base.key, nil
		}
	}
	enc, _ := alone()
	packed = enc.EncodeAll(body, nil)
	if against != nil && len(against) < len(packed)*3/4 {
		return against, p.base.key, nil
	}
	p.base, p.chosen = &reportBase{key: key, text: body}, true
	return packed, hash{}, nil
}

// reportReader unpacks reports, given the bases that they need.
type reportReader struct{ bases map[hash]*reportBase }

var errReport = errors.New("the kept report is damaged")

func (r *reportReader) body(row *reportRow) ([]byte, error) {
	if !row.Packed {
		return row.Body, nil
	}
	var body []byte
	var err error
	if row.Base == (hash{}) {
		_, dec := alone()
		body, err = dec.DecodeAll(row.Body, nil)
	} else if base := r.bases[row.Base]; base != nil {
		body, err = base.unpack(row.Body)
	} else {
		err = errors.New("its base is not there")
	}
	if err != nil {
		return nil, fmt.Errorf("report %x: %w: %w", row.Key[:4], errReport, err)
	}
	return body, nil
}
