package prose

// MarkKind groups hidden characters by what they do to a reader.
type MarkKind string

// The kinds of marks.
const (
	ZeroWidth  MarkKind = "zero-width"  // takes no room: U+200B, a joiner out of place, a filler
	SoftHyphen MarkKind = "soft-hyphen" // U+00AD
	ByteOrder  MarkKind = "byte-order"  // U+FEFF
	Bidi       MarkKind = "bidi"        // reorders the text around it
	Tag        MarkKind = "tag"         // U+E0000 block: ASCII that nobody sees
	Selector   MarkKind = "selector"    // a variation selector out of place
	Control    MarkKind = "control"     // C0 (but tab and newline), DEL, C1
	PrivateUse MarkKind = "private-use" // has no agreed meaning or look
	Unassigned MarkKind = "unassigned"  // no character yet, or never one
	Surrogate  MarkKind = "surrogate"   // half a UTF-16 pair
	BadByte    MarkKind = "bad-byte"    // a byte that is not UTF-8
	Space      MarkKind = "space"       // looks like a space and is another one
	Separator  MarkKind = "separator"   // U+2028, U+2029: a line break that is none elsewhere
	Stack      MarkKind = "stack"       // combining marks piled higher than writing needs
)

// Mark is a run of hidden characters of one kind.
type Mark struct {
	Kind    MarkKind
	Offset  int    // of its first byte
	Len     int    // bytes
	Count   int    // characters (for BadByte: bytes)
	First   rune   // its first character; for BadByte the byte's value
	Name    string // of the first character, such as "ZERO WIDTH SPACE"
	Label   string // as a box shows it, such as "U+200B × 3"
	Title   string // the name, and what it does to a reader
	Decoded string // for Tag: the ASCII text that it spells
}

// HiddenIn lists the hidden characters of s in order. A run of one character is
// one mark with its count. What writing needs is not hidden: joiners between
// letters of scripts that join, emoji sequences, flags, keycaps, direction marks
// beside right-to-left letters.
func HiddenIn(s string) []Mark { return nil }

// HasHidden reports whether s holds a hidden character.
func HasHidden(s string) bool { return len(HiddenIn(s)) > 0 }
