// Package surface reads what an MCP server shows to a model: the answer to
// tools/list, in whatever shape it was captured.
//
// # What a listing is
//
// A [Listing] is one surface as received: the raw bytes, the ordered [Tool]s,
// the server's instructions, and the [Problem]s found while reading. Nothing is
// repaired. One malformed tool never hides the others: it is kept by position
// and carries its problems.
//
// # Identity
//
// A tool and a listing have two hashes. The raw hash is the SHA-256 of the
// bytes as received; it says what to store and what a prompt cache would see.
// The digest is the SHA-256 of the canonical form (RFC 8785 with three rules of
// ours, see [Canonical]); it is what an approval binds, and it covers every
// field, unknown ones included.
//
// # Storing
//
// Each [Tool] says where its bytes stand in Raw, so that a store can cut them out,
// keep each definition once and give the exact bytes back. Reading Raw again gives
// the same listing, so nothing else needs to be kept.
//
// # Text
//
// JSON can carry strings that are not Unicode: a lone surrogate such as "\ud800".
// Go strings that this package hands out hold such a surrogate in its three-byte
// form (as WTF-8 does: ED A0 80), so that two different lone surrogates stay two
// different strings. [github.com/countersign/countersign/review/prose] draws them.
//
// The package touches no disk, network, clock or environment.
package surface

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Hash is a SHA-256 sum. Its text form is "sha256:" and 64 hex digits.
// The zero Hash means "none".
type Hash [sha256.Size]byte

// HashOf returns the SHA-256 of b.
func HashOf(b []byte) Hash { return sha256.Sum256(b) }

// IsZero reports whether h stands for "none".
func (h Hash) IsZero() bool { return h == Hash{} }

// String returns "sha256:…", or "" for the zero Hash.
func (h Hash) String() string {
	if h.IsZero() {
		return ""
	}
	return "sha256:" + hex.EncodeToString(h[:])
}

// Short returns the first 6 hex digits, for people.
func (h Hash) Short() string { return hex.EncodeToString(h[:3]) }

// MarshalText writes the form of [Hash.String].
func (h Hash) MarshalText() ([]byte, error) { return []byte(h.String()), nil }

// UnmarshalText reads the form of [ParseHash]; empty text gives the zero Hash.
func (h *Hash) UnmarshalText(b []byte) error {
	if len(b) == 0 {
		*h = Hash{}
		return nil
	}
	var err error
	*h, err = ParseHash(string(b))
	return err
}

// ParseHash reads "sha256:" followed by 64 lower-case hex digits.
func ParseHash(s string) (Hash, error) {
	const prefix = "sha256:"
	var h Hash
	if len(s) != len(prefix)+2*len(h) || s[:len(prefix)] != prefix {
		return Hash{}, fmt.Errorf("digest %.80q: want sha256: and 64 hex digits", s)
	}
	if _, err := hex.Decode(h[:], []byte(s[len(prefix):])); err != nil {
		return Hash{}, fmt.Errorf("digest %.80q: want sha256: and 64 hex digits", s)
	}
	if h.IsZero() {
		return Hash{}, fmt.Errorf("digest %.80q: no bytes have this digest", s)
	}
	if h.String() != s {
		return Hash{}, fmt.Errorf("digest %.80q: hex digits must be lower case", s)
	}
	return h, nil
}

// NoBytes reports whether a text has the form of a digest and is all zeros: one that no
// bytes have, and that [ParseHash] refuses since the zero Hash means "none".
func NoBytes(s string) bool {
	const prefix = "sha256:"
	return len(s) == len(prefix)+2*sha256.Size && s[:len(prefix)] == prefix && strings.Trim(s[len(prefix):], "0") == ""
}

// Shape says what the bytes looked like. Structure decides, never a file name.
type Shape string

// The shapes that [Read] knows.
const (
	ShapeJSONRPC         Shape = "jsonrpc"
	ShapeResult          Shape = "result"
	ShapeArray           Shape = "array"
	ShapeTool            Shape = "tool"
	ShapeFolder          Shape = "folder"
	ShapePages           Shape = "pages"
	ShapeSSE             Shape = "sse"
	ShapeAnthropic       Shape = "anthropic"
	ShapeOpenAIChat      Shape = "openai-chat"
	ShapeOpenAIResponses Shape = "openai-responses"
	ShapeOpenAIMCP       Shape = "openai-mcp"
	ShapeGemini          Shape = "gemini"
	ShapeMCPB            Shape = "mcpb"
	ShapeDocker          Shape = "docker"
	ShapeFastMCP         Shape = "fastmcp"
	ShapeServerCard      Shape = "server-card"
	ShapeInspector       Shape = "inspector"
)

// Kind says what the bytes can prove. Only a listing can pass the gate.
type Kind string

// The kinds.
const (
	KindListing     Kind = "listing"     // what a server answered to tools/list
	KindCapture     Kind = "capture"     // what a host sent to a provider
	KindDeclaration Kind = "declaration" // names and texts without (real) schemas
	KindMetadata    Kind = "metadata"    // lists no tools by design
)

// Level grades a [Problem].
type Level string

// The levels, weakest first.
const (
	LevelInfo    Level = "info"
	LevelWarning Level = "warning"
	LevelError   Level = "error" // blocks approval of the tool
)

// Problem is something wrong or odd about a place in a listing. Code is one of
// the codes documented in docs/reading.md and never changes its meaning.
type Problem struct {
	Code     string `json:"code"`
	Level    Level  `json:"level"`
	Tool     string `json:"tool,omitempty"`     // name as received
	Position int    `json:"position,omitempty"` // of the tool, from 1; 0 is the listing
	Pointer  string `json:"pointer"`            // RFC 6901, relative to the tool, or to the whole
	Line     int    `json:"line,omitempty"`     // from 1, of the text as received
	Column   int    `json:"column,omitempty"`   // from 1, in bytes
	Message  string `json:"message"`            // what, and what to do
}

// Tool is one definition, every field kept as received.
type Tool struct {
	Position int            // in the listing, from 1
	Name     string         // "" when the definition has no usable name
	Raw      jsontext.Value // exact bytes of the definition
	RawHash  Hash           // of Raw
	Digest   Hash           // of the canonical form of Raw
	Offset   int            // of Raw in Listing.Raw, or -1 when it is not contiguous there
	Form     Form           // which names its parts go by; "" is the protocol's own
}

// Instructions is the server's instructions text. Not asked for (Asked false, a
// plain tools/list), none sent (Asked, not Present) and empty text are three
// different things, and give three different listing digests.
type Instructions struct {
	Asked   bool
	Present bool
	Text    string
}

// Listing is one surface as received.
type Listing struct {
	Shape           Shape
	Kind            Kind
	Complete        bool           // no page is missing and nothing says that this is a part
	Raw             []byte         // as received; of a capture, log, recording or folder: rebuilt from what is kept
	RawHash         Hash           // of Raw
	Digest          Hash           // of instructions and the tools' digests, in order
	ProtocolVersion string         // "" when nothing says
	Server          jsontext.Value // serverInfo when the shape carries one: a hint only
	Instructions    Instructions
	Tools           []Tool
	Problems        []Problem // in order of position
}
