package surface

import (
	"bytes"
	"fmt"
	"slices"
	"sort"
	"unicode/utf16"
	"unicode/utf8"
)

// source is a payload on its way from bytes to text: raw as received, data the
// UTF-8 text that is read. spans map the one to the other, so that a tool is known
// to be contiguous in raw and a problem can name a line of what was sent.
type source struct {
	raw   []byte
	data  []byte
	spans []span    // in order of data; none when data is a conversion (UTF-16)
	notes []Problem // what was done to the bytes
	lines []int     // offsets of the line starts in the text that positions refer to
	blind bool      // the text was rebuilt: its positions would mislead
}

// span says that data[at:at+n] is raw[raw:raw+n].
type span struct{ at, raw, n int }

// newSource takes raw as UTF-8 without a byte order mark.
func newSource(raw []byte) *source {
	return &source{raw: raw, data: raw, spans: []span{{0, 0, len(raw)}}}
}

// byteMarks are the marks that texts of other encodings begin with, longest first.
var byteMarks = []struct {
	mark string
	name string
}{
	{"\xFF\xFE\x00\x00", "UTF-32"},
	{"\x00\x00\xFE\xFF", "UTF-32"},
	{"\xEF\xBB\xBF", "UTF-8"},
	{"\xFF\xFE", "UTF-16LE"},
	{"\xFE\xFF", "UTF-16BE"},
}

// decode turns bytes into text by their byte order mark.
func decode(raw []byte) (*source, *ReadError) {
	for _, m := range byteMarks {
		if !bytes.HasPrefix(raw, []byte(m.mark)) {
			continue
		}
		switch m.name {
		case "UTF-8":
			s := newSource(raw)
			s.data, s.spans = raw[3:], []span{{0, 3, len(raw) - 3}}
			s.note("bom-removed", "The text began with a UTF-8 byte order mark, which was left out.")
			return s, nil
		case "UTF-16LE", "UTF-16BE":
			return fromUTF16(raw, m.name)
		}
		return nil, newSource(raw).error(Unreadable, "encoding", 0, "the text is "+m.name+". Save it as UTF-8 and push again.")
	}
	if looksLikeUTF16(raw) {
		return nil, newSource(raw).error(Unreadable, "encoding", 0, "the text is UTF-16 without a byte order mark. PowerShell's > writes such files: use Out-File -Encoding utf8, and push again.")
	}
	return newSource(raw), nil
}

func (s *source) note(code, message string) {
	s.notes = append(s.notes, Problem{Code: code, Level: LevelInfo, Message: message})
}

func fromUTF16(raw []byte, name string) (*source, *ReadError) {
	body := raw[2:]
	if len(body)%2 != 0 {
		return nil, newSource(raw).error(Unreadable, "encoding", len(raw)-1, "the UTF-16 text ends in the middle of a character. It was cut off: push the whole text.")
	}
	data := make([]byte, 0, len(body))
	for i := 0; i < len(body); i += 2 {
		u := unit16(body, i, name)
		if !isSurrogate(u) {
			data = utf8.AppendRune(data, rune(u))
			continue
		}
		if i+3 >= len(body) || !isHigh(u) || !isLow(unit16(body, i+2, name)) {
			return nil, newSource(raw).error(Unreadable, "encoding", i+2, fmt.Sprintf("half of a UTF-16 character at offset %d. Save the text as UTF-8 and push again.", i+2))
		}
		data = utf8.AppendRune(data, utf16.DecodeRune(rune(u), rune(unit16(body, i+2, name))))
		i += 2
	}
	s := &source{raw: raw, data: data}
	s.note("utf16-converted", "The text is "+name+" and was read as such. The bytes are kept as received.")
	return s, nil
}

func unit16(b []byte, i int, name string) uint16 {
	if name == "UTF-16BE" {
		return uint16(b[i])<<8 | uint16(b[i+1])
	}
	return uint16(b[i+1])<<8 | uint16(b[i])
}

// looksLikeUTF16 reports whether an ASCII character and a zero byte take turns.
func looksLikeUTF16(b []byte) bool {
	return len(b) >= 4 && (b[0] == 0) != (b[1] == 0) && (b[0] == 0) == (b[2] == 0) && (b[1] == 0) == (b[3] == 0)
}

// rawOffset returns where data[at:at+n] stands in raw, or -1 when it does not
// stand there in one piece.
func (s *source) rawOffset(at, n int) int {
	i := sort.Search(len(s.spans), func(i int) bool { return s.spans[i].at > at }) - 1
	if i < 0 || at+n > s.spans[i].at+s.spans[i].n {
		return -1
	}
	return s.spans[i].raw + at - s.spans[i].at
}

// rawPlace is rawOffset for positions: between two spans it is the end of the first.
func (s *source) rawPlace(at int) int {
	i := max(0, sort.Search(len(s.spans), func(i int) bool { return s.spans[i].at > at })-1)
	return s.spans[i].raw + min(at-s.spans[i].at, s.spans[i].n)
}

// position returns line and column, from 1, of an offset in data: of the text as
// received where it is one, else of the converted text. A rebuilt text has none.
func (s *source) position(at int) (line, column int) {
	if s.blind {
		return 0, 0
	}
	text := s.data
	if len(s.spans) > 0 {
		text = s.raw
		at = s.rawPlace(at)
	}
	if s.lines == nil {
		s.lines = lineStarts(text)
	}
	i, found := slices.BinarySearch(s.lines, at)
	if !found {
		i--
	}
	column = at - s.lines[i] + 1
	if i == 0 && len(s.spans) > 0 {
		column -= s.markLength()
	}
	return i + 1, column
}

// markLength is the length of the byte order mark, which no editor counts.
func (s *source) markLength() int {
	if bytes.HasPrefix(s.raw, []byte("\xEF\xBB\xBF")) {
		return 3
	}
	return 0
}

func lineStarts(text []byte) []int {
	starts := append(make([]int, 0, bytes.Count(text, []byte{'\n'})+1), 0)
	for i, c := range text {
		if c == '\n' {
			starts = append(starts, i+1)
		}
	}
	return starts
}

// document parses data[at:at+n] as one JSON text.
func (s *source) document(at, n int, limits Limits) (*document, []fault) {
	d, faults := parse(s.data[at:at+n:at+n], limits)
	if faults != nil {
		for i := range faults {
			faults[i].offset += at
			faults[i].see += at
		}
		return nil, faults
	}
	d.src, d.base = s, at
	return d, nil
}

// error makes the refusal of the payload for a reason at an offset of data.
func (s *source) error(r Reason, code string, at int, message string) *ReadError {
	return s.refuse([]fault{{reason: r, code: code, offset: at, message: message}})
}

// refuse makes a refusal of faults; the first one speaks for all.
func (s *source) refuse(faults []fault) *ReadError {
	e := &ReadError{Reason: faults[0].reason}
	for _, f := range faults {
		if f.tail != "" {
			line, column := s.position(f.see)
			f.message = fmt.Sprintf("%sline %d, column %d%s", f.message, line, column, f.tail)
		}
		line, column := s.position(f.offset)
		e.Problems = append(e.Problems, Problem{
			Code: f.code, Level: LevelError, Pointer: f.pointer, Line: line, Column: column, Message: f.message,
		})
	}
	e.Message = e.Problems[0].Message
	return e
}
