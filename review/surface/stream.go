package surface

import (
	"bytes"
)

// startsLikeJSON reports whether the first visible character opens an object, an
// array or a string. Texts that begin with a number are rather logs, or tables.
func startsLikeJSON(b []byte) bool {
	b = bytes.TrimLeft(b, " \t\r\n")
	return len(b) > 0 && (b[0] == '{' || b[0] == '[' || b[0] == '"')
}

// sseFields are the names that a line of an event stream begins with.
var sseFields = []string{"event:", "data:", "id:", "retry:", ":"}

// startsLikeSSE reports whether the first line that is not blank is one of an event
// stream, and a line of data follows.
func startsLikeSSE(b []byte) bool {
	b = bytes.TrimLeft(b, "\r\n")
	for _, f := range sseFields {
		if bytes.HasPrefix(b, []byte(f)) {
			return bytes.HasPrefix(b, []byte("data:")) || bytes.Contains(b, []byte("\ndata:")) || bytes.Contains(b, []byte("\rdata:"))
		}
	}
	return false
}

// event is the data of one server-sent event: data[at:at+n] of the source.
type event struct{ at, n int }

// asSSE unwraps the events of a stream and reads the messages in them.
func (r *reader) asSSE() error {
	events := r.src.unwrap()
	var messages []value
	for _, e := range events {
		if !startsLikeJSON(r.src.data[e.at : e.at+e.n]) {
			continue // "[DONE]" aside, older transports announce an address first
		}
		d, faults := r.src.document(e.at, e.n, r.opt.Limits)
		if faults != nil {
			return r.src.refuse(faults)
		}
		messages = append(messages, d.root())
	}
	if len(messages) == 0 {
		return r.src.error(NotListing, string(NotListing), 0, "this is an event stream without a message in it. Push the stream that carries the answer to tools/list.")
	}
	r.is(ShapeSSE, KindListing, FormWire)
	return r.exchange(messages, len(messages) > 1)
}

// unwrap replaces the text of s by the joined data of its events and returns where
// each one stands. Spans keep the way back to the bytes as received.
func (s *source) unwrap() []event {
	var events []event
	var data []byte
	var spans []span
	current := event{}
	flush := func() {
		if current.n > 0 {
			events = append(events, current)
		}
		current = event{at: len(data)}
	}
	for at := 0; at < len(s.data); {
		line, next := s.line(at)
		switch {
		case len(line) == 0:
			flush()
		case bytes.HasPrefix(line, []byte("data:")):
			skip := len("data:")
			if skip < len(line) && line[skip] == ' ' {
				skip++
			}
			if current.n > 0 {
				data = append(data, '\n')
				current.n++
			}
			if place := s.rawOffset(at+skip, len(line)-skip); place >= 0 {
				spans = append(spans, span{len(data), place, len(line) - skip})
			}
			data = append(data, line[skip:]...)
			current.n += len(line) - skip
		}
		at = next
	}
	flush()
	s.data, s.spans = data, spans
	return events
}

// line returns the line at an offset, without its end, and where the next begins.
func (s *source) line(at int) (line []byte, next int) {
	rest := s.data[at:]
	i := bytes.IndexAny(rest, "\r\n")
	if i < 0 {
		return rest, len(s.data)
	}
	next = at + i + 1
	if rest[i] == '\r' && i+1 < len(rest) && rest[i+1] == '\n' {
		next++
	}
	return rest[:i], next
}
