package surface

import (
	"errors"
	"iter"

	"github.com/go-json-experiment/json/jsontext"
)

var errPending = errors.New("not written yet")

// Canonical returns the canonical form of one JSON value.
func Canonical(raw []byte) ([]byte, error) { return nil, errPending }

// Digest returns the SHA-256 of the canonical form of raw.
func Digest(raw []byte) (Hash, error) { return Hash{}, errPending }

// ListingDigest returns the digest of a listing from its parts.
func ListingDigest(in Instructions, tools []Hash) Hash { return Hash{} }

// Digest returns the digest of the instructions as a subject of review.
func (in Instructions) Digest() Hash { return Hash{} }

// OrderDigest returns the digest of the order of the tools' names.
func (l *Listing) OrderDigest() Hash { return Hash{} }

// Read reads a pushed payload in any shape; a refusal is a *ReadError.
func Read(b []byte, opt Options) (*Listing, error) { return nil, errPending }

// ReadFolder reads one-tool files as one listing, sorted by file name.
func ReadFolder(files []File, opt Options) (*Listing, error) { return nil, errPending }

// Split cuts Listing.Raw at the tools that are contiguous in it: pieces[i] is the
// Raw of the i-th tool with Offset >= 0 (store it by its RawHash), envelope is a
// self-describing encoding of the rest. Join gives the exact Raw back.
func Split(l *Listing) (envelope []byte, pieces []jsontext.Value) { return nil, nil }

// Join undoes Split.
func Join(envelope []byte, pieces []jsontext.Value) ([]byte, error) { return nil, errPending }

// Envelope holds what was learned from a live server; Encode writes it as a text
// that Read reads.
type Envelope struct {
	ProtocolVersion string
	ServerInfo      jsontext.Value // as received, or nil
	Capabilities    jsontext.Value // of the server, as received, or nil
	Instructions    Instructions
	Client          jsontext.Value   // context: what the reader declared, or nil
	Results         []jsontext.Value // the result objects of tools/list, one a page, as received
}

// Encode writes {"server":{…},"client":{…},"result":{…}} ("pages":[…] for several).
func (e Envelope) Encode() []byte { return nil }

// NewTool makes a Tool from the exact bytes of a definition, as Read does
// (Offset -1); an error says that raw is not JSON.
func NewTool(position int, raw jsontext.Value) (Tool, error) { return Tool{}, errPending }

// Members iterates an object's members in received order, names decoded.
func Members(raw jsontext.Value) iter.Seq2[string, jsontext.Value] { return nil }

// Elements iterates an array's elements.
func Elements(raw jsontext.Value) iter.Seq[jsontext.Value] { return nil }

// DecodeString decodes a JSON string literal to WTF-8; false when raw is no string.
func DecodeString(raw jsontext.Value) (string, bool) { return "", false }

// EncodeString writes s (WTF-8) as a canonical JSON string literal.
func EncodeString(s string) jsontext.Value { return nil }

// Fields iterates the fields of the definition in received order.
func (t Tool) Fields() iter.Seq2[string, jsontext.Value] { return nil }

// Field returns the raw value of a top-level field, case-sensitive.
func (t Tool) Field(name string) (jsontext.Value, bool) { return nil, false }

// Description returns the description; false when absent, null or no string.
func (t Tool) Description() (string, bool) { return "", false }

// Title returns what people see: title, else annotations.title.
func (t Tool) Title() (string, bool) { return "", false }

// InputSchema returns the input schema as received; false when absent or null.
func (t Tool) InputSchema() (jsontext.Value, bool) { return nil, false }

// OutputSchema returns the output schema as received; false when absent or null.
func (t Tool) OutputSchema() (jsontext.Value, bool) { return nil, false }

// Annotations returns the annotations object; false when absent or no object.
func (t Tool) Annotations() (jsontext.Value, bool) { return nil, false }

// Hints are the behaviour hints that hold, protocol defaults filled in.
type Hints struct{ ReadOnly, Destructive, Idempotent, OpenWorld bool }

// Hints returns the hints of the tool with the protocol's defaults.
func (t Tool) Hints() Hints { return Hints{} }

// NewFamilies groups names (in order of the listing) by their words.
func NewFamilies(names []string) Families { return Families{} }

// FamiliesWith is NewFamilies with a team's patterns, which win.
func FamiliesWith(names []string, patterns []Pattern) Families { return Families{} }

// Inspection is what `countersign inspect` prints.
type Inspection struct {
	Shape           Shape           `json:"shape"`
	Kind            Kind            `json:"kind"`
	Complete        bool            `json:"complete"`
	Digest          Hash            `json:"digest"`
	ProtocolVersion *string         `json:"protocol_version"`
	Instructions    *string         `json:"instructions"`
	Tools           []InspectedTool `json:"tools"`
	Problems        []Problem       `json:"problems"`
}

// InspectedTool is a line of an Inspection; Family is null for an outlier.
type InspectedTool struct {
	Position int     `json:"position"`
	Name     string  `json:"name"`
	Digest   Hash    `json:"digest"`
	Family   *string `json:"family"`
}

// Inspect summarises a listing.
func Inspect(l *Listing) Inspection { return Inspection{} }
