package surface

import (
	"bytes"
	"encoding/base64"
	"fmt"
)

// asLog looks for JSON-RPC messages in the lines of a log, such as an inspector's
// or a transport's debug output. It is done when there is an answer to tools/list;
// only the messages that make up the listing are kept of the log.
func (r *reader) asLog() (done bool, err error) {
	if !bytes.Contains(r.src.data, []byte(`"tools"`)) {
		return false, nil
	}
	var found [][]byte
	for line := range bytes.Lines(r.src.data) {
		if m := messageIn(line, r.opt.Limits); m != nil {
			found = append(found, m)
		}
	}
	if !anyAnswer(found, r.opt.Limits) {
		return false, nil
	}
	return true, r.rebuilt(joinMessages(found))
}

// opensNoJSON reports whether text is broken off at a place right behind its first
// bracket, on the same line and with nothing of JSON but a number between.
func opensNoJSON(text []byte, at int) bool {
	head := bytes.TrimLeft(text[:at], " \t\r\n")
	return len(head) > 0 && !bytes.ContainsAny(head[1:], "\n\"[{") && bytes.IndexByte(text[at:], '\n') >= 0
}

// messageIn returns the message in a line, if it is one that a listing is made of.
// In a line of a structured log it stands in a member, as it is or as text.
func messageIn(line []byte, limits Limits) []byte {
	i := bytes.Index(line, []byte(`{"`))
	if i < 0 {
		return nil
	}
	if m := asMessage(line[i:], limits); m != nil {
		return m
	}
	d, faults := parse(bytes.TrimSpace(line[i:]), limits)
	if faults != nil {
		return nil
	}
	for _, v := range d.root().members() {
		text := []byte(v.raw())
		if v.is(kindString) {
			text = []byte(v.text())
		}
		if m := asMessage(text, limits); m != nil {
			return m
		}
	}
	return nil
}

// asMessage returns the message that text begins with, if it is one that a listing
// is made of. What stands behind it, such as a duration, is left out.
func asMessage(text []byte, limits Limits) []byte {
	d, faults := parse(text, limits)
	if faults != nil && faults[0].trail {
		text = text[:faults[0].offset]
		d, faults = parse(text, limits)
	}
	if faults != nil {
		return nil
	}
	if v := d.root(); v.has("jsonrpc") && (v.at("result", "tools").present() || isOpener(v.field("result"))) {
		return bytes.TrimSpace(text)
	}
	return nil
}

// anyAnswer reports whether one of the messages answers tools/list.
func anyAnswer(messages [][]byte, limits Limits) bool {
	for _, m := range messages {
		if d, faults := parse(m, limits); faults == nil && d.root().at("result", "tools").present() {
			return true
		}
	}
	return false
}

// joinMessages writes one message as it is, several as an array.
func joinMessages(messages [][]byte) []byte {
	if len(messages) == 1 {
		return messages[0]
	}
	b := append([]byte("[\n"), bytes.Join(messages, []byte(",\n"))...)
	return append(b, "\n]"...)
}

// asHAR finds the answers to tools/list in a browser's or proxy's recording. The
// rest, cookies and tokens included, is dropped.
func (r *reader) asHAR(entries value) error {
	var found [][]byte
	for _, e := range entries.elements() {
		found = append(found, messagesOf(e.at("response", "content"), r.opt.Limits)...)
	}
	if !anyAnswer(found, r.opt.Limits) {
		return r.refuse(NotListing, value{}, nil, fmt.Sprintf("this is a recording (HAR) of %d requests, and none of them was answered with tools. Record again with response bodies, or use `countersign pull`.", count(entries)))
	}
	return r.rebuilt(joinMessages(found))
}

func count(v value) int {
	n := 0
	for range v.elements() {
		n++
	}
	return n
}

// messagesOf returns the messages in a recorded response body that a listing is
// made of: it is one message, or an event stream of them.
func messagesOf(content value, limits Limits) [][]byte {
	text := []byte(content.field("text").text())
	if content.field("encoding").text() == "base64" {
		decoded, err := base64.StdEncoding.DecodeString(string(text))
		if err != nil {
			return nil
		}
		text = decoded
	}
	parts := [][]byte{text}
	if startsLikeSSE(text) {
		s := newSource(text)
		parts = nil
		for _, e := range s.unwrap() {
			parts = append(parts, s.data[e.at:e.at+e.n])
		}
	}
	var found [][]byte
	for _, p := range parts {
		if m := asMessage(p, limits); m != nil {
			found = append(found, m)
		}
	}
	return found
}
