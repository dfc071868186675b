package proof

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/countersign/countersign/review/surface"
)

// ExportFormat is the version of the export's form.
const ExportFormat = 1

// Header is the first line of an export.
type Header struct {
	Instance   Instance          `json:"instance"`
	Keys       []Record          `json:"keys"`
	ExportedAt time.Time         `json:"exported_at"`
	Only       map[string]string `json:"only,omitempty"`    // what acts were chosen by
	Servers    map[string]string `json:"servers,omitempty"` // slug by id, for readers
	Start      Start             `json:"start"`
}

// Start is the link before the first one of an export; seq 0 is none.
type Start struct {
	Seq  int64        `json:"seq"`
	Hash surface.Hash `json:"hash"`
}

// line is one line of an export; kind says which fields count.
type line struct {
	Kind       string `json:"kind"` // "audit", "act", "checkpoint", "end"
	Format     int    `json:"format,omitempty"`
	*Header    `json:",omitempty"`
	Seq        int64         `json:"seq,omitempty"`
	Row        *surface.Hash `json:"row,omitempty"`
	Hash       *surface.Hash `json:"hash,omitempty"`
	Act        *Act          `json:"act,omitempty"` // absent: left out
	Checkpoint *Envelope     `json:"checkpoint,omitempty"`
}

// Exporter writes acts as they come.
type Exporter interface {
	Begin(Header) error
	Link(l Link, act *Act) error // act is nil when it is left out
	Checkpoint(e Envelope) error
	End(last int64) error
}

// NewJSON writes JSON, one object a line, that [Check] can verify.
func NewJSON(w io.Writer) Exporter { return &jsonExporter{bufio.NewWriter(w)} }

type jsonExporter struct{ w *bufio.Writer }

func (x *jsonExporter) put(l line) error {
	enc := json.NewEncoder(x.w)
	enc.SetEscapeHTML(false)
	return enc.Encode(l)
}

func (x *jsonExporter) Begin(h Header) error {
	return x.put(line{Kind: "audit", Format: ExportFormat, Header: &h})
}

func (x *jsonExporter) Link(l Link, act *Act) error {
	return x.put(line{Kind: "act", Seq: l.Seq, Row: &l.Row, Hash: &l.Hash, Act: act})
}

func (x *jsonExporter) Checkpoint(e Envelope) error {
	return x.put(line{Kind: "checkpoint", Checkpoint: &e})
}

func (x *jsonExporter) End(last int64) error {
	if err := x.put(line{Kind: "end", Seq: last}); err != nil {
		return err
	}
	return x.w.Flush()
}

// NewCSV writes a table for people, of the acts that are not left out. Its hashes
// say which links of the chain they are; only a JSON export can be verified.
func NewCSV(w io.Writer) Exporter { return &csvExporter{w: csv.NewWriter(w)} }

type csvExporter struct {
	w       *csv.Writer
	servers map[string]string
}

func (x *csvExporter) Begin(h Header) error {
	x.servers = h.Servers
	return x.w.Write([]string{"seq", "at", "who", "via", "from", "act", "server", "on", "before", "after", "id", "row", "hash"})
}

func (x *csvExporter) Link(l Link, act *Act) error {
	if act == nil {
		return nil
	}
	server := x.servers[act.Server]
	if server == "" {
		server = act.Server
	}
	cells := []string{fmt.Sprint(l.Seq), act.At.UTC().Format(time.RFC3339Nano), act.Actor, act.Via, act.Addr, act.Act, server,
		string(act.Subject), act.Before, act.After, act.ID, l.Row.String(), l.Hash.String()}
	for i := range cells {
		cells[i] = Cell(cells[i])
	}
	return x.w.Write(cells)
}

func (x *csvExporter) Checkpoint(Envelope) error { return nil }

func (x *csvExporter) End(int64) error {
	x.w.Flush()
	return x.w.Error()
}

// Cell makes untrusted text safe as a cell of a table: a spreadsheet would run what
// begins like a formula.
func Cell(s string) string {
	if s != "" {
		switch s[0] {
		case '=', '+', '-', '@', '\t', '\r':
			return "'" + s
		}
	}
	return s
}

// maxLine bounds a line of an export in bytes; the longest act is far shorter.
const maxLine = 32 << 20

// Check verifies a JSON export offline. pins are the keys that are trusted; without
// any, signatures stay unchecked. The error is about a file that is no export.
func Check(r io.Reader, pins ...Key) (Verification, error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 64<<10), maxLine)
	var v *Verifier
	for n := 1; lines.Scan(); n++ {
		var l line
		err := json.Unmarshal(lines.Bytes(), &l)
		switch {
		case n == 1:
			if err != nil || l.Kind != "audit" || l.Header == nil {
				return Verification{}, errors.New("no export of an audit: make one with countersign audit export --format json")
			}
			if l.Format != ExportFormat {
				return Verification{}, fmt.Errorf("an export of format %d: this version reads %d", l.Format, ExportFormat)
			}
			v = l.Header.verifier(pins)
		case err != nil:
			return Verification{}, fmt.Errorf("line %d: %w", n, err)
		case l.Kind == "act" && l.Row != nil && l.Hash != nil:
			v.Link(Link{Seq: l.Seq, Row: *l.Row, Hash: *l.Hash}, l.Act)
		case l.Kind == "checkpoint" && l.Checkpoint != nil:
			v.Checkpoint(*l.Checkpoint)
		case l.Kind == "end":
			return v.ended(l.Seq), nil
		default:
			return Verification{}, fmt.Errorf("line %d: neither an act nor a checkpoint", n)
		}
	}
	if err := lines.Err(); err != nil {
		return Verification{}, err
	}
	if v == nil {
		return Verification{}, errors.New("the file is empty")
	}
	return v.ended(-1), nil
}

func (h Header) verifier(pins []Key) *Verifier {
	var trusted []Trusted
	if len(pins) > 0 {
		trusted = Ring{Instance: h.Instance, Keys: h.Keys}.Trusted(pins...)
	}
	v := NewVerifier(h.Instance.ID, trusted)
	if h.Start.Seq > 0 {
		v.From(Head{h.Start.Seq, h.Start.Hash})
	}
	return v
}

// ended compares the end with what the export says of itself; -1 says nothing.
func (v *Verifier) ended(last int64) Verification {
	if v.v.Fault == nil && last != v.head.Seq {
		v.fault(v.head.Seq+1, "", "The export is cut off: its last line is missing, or names another place.")
	}
	return v.End()
}
