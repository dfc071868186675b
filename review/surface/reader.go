package surface

import (
	"fmt"
)

// reader is one reading of one payload. The shape functions fill it; finish makes
// the listing.
type reader struct {
	opt     Options
	src     *source
	listing Listing
	form    Form
	found   findings
	tools   []value // the definitions, in step with listing.Tools
	partial bool    // something is missing, or the shape proves nothing
	scratch []byte  // for canonical forms
}

// read takes the payload from bytes to tools.
func (r *reader) read(b []byte) error {
	if limit := r.opt.Limits.Bytes; len(b) > limit {
		return newSource(nil).error(TooLarge, "limit", 0, fmt.Sprintf("the payload has %d bytes; at most %d are read. Push fewer tools at once, or ask the operator to raise the limit.", len(b), limit))
	}
	src, err := decode(b)
	if err != nil {
		return err
	}
	r.src = src
	switch {
	case startsLikeJSON(src.data):
		return r.asJSON()
	case startsLikeSSE(src.data):
		return r.asSSE()
	}
	return r.asOther()
}

// asJSON reads one JSON text.
func (r *reader) asJSON() error {
	d, faults := r.src.document(0, len(r.src.data), r.opt.Limits)
	if faults != nil {
		// Several texts one after the other may be a log, and so may a text whose
		// first line only opens with a bracket, such as "[info] …". A broken listing is
		// not searched: what is whole in it would pass for all of it.
		if faults[0].trail || opensNoJSON(r.src.data, faults[0].offset) {
			if done, err := r.asLog(); done {
				return err
			}
			if isTOML(r.src.data) {
				return r.src.error(OtherFormat, string(OtherFormat), 0, looksLikeTOML)
			}
		}
		return r.src.refuse(faults)
	}
	return r.shape(d.root())
}

// rebuilt goes on with a text that was built from the parts of the payload that
// may be kept. Positions in it would mean nothing to the person who pushed.
func (r *reader) rebuilt(text []byte) error {
	notes := r.src.notes
	r.src = newSource(text)
	r.src.blind, r.src.notes = true, notes
	d, faults := r.src.document(0, len(text), r.opt.Limits)
	if faults != nil {
		return r.src.refuse(faults)
	}
	return r.shape(d.root())
}

// refuse makes a refusal that points at v.
func (r *reader) refuse(reason Reason, v value, p *path, message string) *ReadError {
	f := fault{reason: reason, code: string(reason), pointer: p.String(), message: message}
	if v.present() {
		f.offset = v.d.base + int(v.node().start)
	}
	return r.src.refuse([]fault{f})
}

// is notes the shape and the kind, and the form of the definitions to come.
func (r *reader) is(s Shape, k Kind, f Form) {
	r.listing.Shape, r.listing.Kind, r.form = s, k, f
}

// addTools adds the elements of an array of definitions.
func (r *reader) addTools(list value, p *path) error {
	if list.kind() != kindArray {
		return r.refuse(NotListing, list, p, notAnArray(list))
	}
	for _, t := range list.elements() {
		if err := r.addTool(t); err != nil {
			return err
		}
	}
	return nil
}

// notAnArray explains a tools member that holds something else.
func notAnArray(v value) string {
	switch v.kind() {
	case kindObject:
		return "`tools` is an object; the protocol has an array. If it maps names to tools, push its values, each with its `name`."
	case kindNull:
		return "`tools` is null: the server sent no list. An empty surface is written as []. Fix the server, or push again when it answers."
	}
	return "`tools` is " + v.kind().String() + "; the protocol has an array of definitions."
}

func (r *reader) addTool(v value) error {
	if limit := r.opt.Limits.Tools; len(r.tools) >= limit {
		return r.refuse(TooLarge, v, nil, fmt.Sprintf("more than %d tools. Split the server, or ask the operator to raise the limit.", limit))
	}
	raw := v.raw()
	r.scratch = v.appendCanonical(r.scratch[:0])
	r.listing.Tools = append(r.listing.Tools, Tool{
		Position: len(r.tools) + 1,
		Name:     v.field("name").text(),
		Raw:      raw,
		RawHash:  HashOf(raw),
		Digest:   HashOf(r.scratch),
		Offset:   r.offset(v),
		Form:     r.form,
	})
	r.tools = append(r.tools, v)
	return nil
}

func (r *reader) offset(v value) int {
	n := v.node()
	return r.src.rawOffset(v.d.base+int(n.start), int(n.end-n.start))
}

// context takes what v says of the session: protocol version, server and, if the
// member is there, instructions.
func (r *reader) context(v value) {
	l := &r.listing
	if p := v.field("protocolVersion"); p.is(kindString) {
		l.ProtocolVersion = p.text()
	}
	if s := v.field("serverInfo"); s.is(kindObject) {
		l.Server = s.raw()
	}
	if in := v.field("instructions"); in.present() {
		r.instructions(in)
	}
}

func (r *reader) instructions(v value) {
	in := &r.listing.Instructions
	in.Asked = true
	switch {
	case v.is(kindString):
		in.Present, in.Text = true, v.text()
		r.found.unstorable(subject{}, v, at(nil, "instructions"))
	case !v.null():
		r.found.add(subject{}, v, at(nil, "instructions"), "field-type", LevelError,
			"`instructions` is "+v.kind().String()+", not text. Clients that check types refuse the server.")
	}
}

// meta takes the hint about the server that results of 2026-07-28 carry, and the
// version that only its fields can mean.
func (r *reader) meta(result value) {
	if s := result.at("_meta", "io.modelcontextprotocol/serverInfo"); s.is(kindObject) && r.listing.Server == nil {
		r.listing.Server = s.raw()
	}
	for _, n := range []string{"resultType", "ttlMs", "cacheScope"} {
		if r.listing.ProtocolVersion == "" && result.has(n) {
			r.listing.ProtocolVersion = version2026July
		}
	}
}

// finish checks the tools and makes the listing.
func (r *reader) finish() *Listing {
	l := &r.listing
	if l.ProtocolVersion == "" {
		l.ProtocolVersion = r.opt.ProtocolVersion
	}
	l.Complete = !r.partial
	l.Raw, l.RawHash = r.src.raw, HashOf(r.src.raw)
	digests := make([]Hash, len(l.Tools))
	for i, t := range l.Tools {
		digests[i] = t.Digest
	}
	l.Digest = ListingDigest(l.Instructions, digests)
	r.check()
	l.Problems = append(r.src.notes, r.found.sorted()...)
	if l.Tools == nil {
		l.Tools = []Tool{}
	}
	return l
}
