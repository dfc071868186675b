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
	Same     bool // nothing changed or moved in it
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
// The result depends on the texts alone, and takes a bounded number of steps per
// byte. Texts that have little in common are shown as replaced.
func Compare(old, new string) Diff {
	if old == new {
		t := &text{s: old, marks: HiddenIn(old)}
		var all []extent
		if old != "" {
			all = []extent{{op: Equal, oldTo: len(old), newTo: len(new)}}
		}
		d := diffOf(t, t, all)
		d.Same = true
		return d
	}
	m := newMatcher(old, new)
	m.match()
	all := m.extents()
	d := diffOf(m.a.text, m.b.text, all)
	d.Sentence = say(old, new, all)
	return d
}
