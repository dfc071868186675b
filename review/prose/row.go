package prose

import "strings"

// extent is a piece by its place in the texts; an equal one has a place in both.
type extent struct {
	op             Op
	move           int
	oldFrom, oldTo int
	newFrom, newTo int
}

// shower makes extents visible, counting boxes as it goes. Extents must come in
// order.
type shower struct {
	old, new           string
	oldMarks, newMarks []Mark
	oldBoxes, newBoxes int
}

func newShower(a, b *text) *shower {
	return &shower{old: a.s, new: b.s, oldMarks: a.marks, newMarks: b.marks, oldBoxes: maxBoxes, newBoxes: maxBoxes}
}

func (sh *shower) showOld(e extent) Piece {
	here := takeMarks(&sh.oldMarks, e.oldFrom, e.oldTo)
	return Piece{Op: e.op, Move: e.move, Raw: sh.old[e.oldFrom:e.oldTo],
		Text: showRange(sh.old, here, e.oldFrom, e.oldTo, &sh.oldBoxes)}
}

func (sh *shower) showNew(e extent) Piece {
	here := takeMarks(&sh.newMarks, e.newFrom, e.newTo)
	return Piece{Op: e.op, Move: e.move, Raw: sh.new[e.newFrom:e.newTo],
		Text: showRange(sh.new, here, e.newFrom, e.newTo, &sh.newBoxes)}
}

// takeMarks returns the marks between two bytes and drops them and those before.
func takeMarks(marks *[]Mark, from, to int) []Mark {
	all := *marks
	for len(all) > 0 && all[0].Offset < from {
		all = all[1:]
	}
	n := 0
	for n < len(all) && all[n].Offset < to {
		n++
	}
	*marks = all[n:]
	return all[:n]
}

// diffOf makes the views of an alignment.
func diffOf(a, b *text, all []extent) Diff {
	var d Diff
	columns, unified := newShower(a, b), newShower(a, b)
	for _, e := range all {
		if e.op.Old() {
			d.Old = append(d.Old, columns.showOld(e))
		}
		if e.op.New() {
			d.New = append(d.New, columns.showNew(e))
			d.Unified = append(d.Unified, unified.showNew(e))
		} else {
			d.Unified = append(d.Unified, unified.showOld(e))
		}
	}
	d.Rows = rowsOf(a, b, all)
	return d
}

// maxRows bounds the lines that get a row of their own. Texts with more lines are
// cut only where a piece ends.
const maxRows = 4000

// rowsOf cuts the pieces at line ends and sets the lines of both texts side by
// side.
func rowsOf(a, b *text, all []extent) []Row {
	g := grouper{sh: newShower(a, b), oldFresh: true, newFresh: true}
	whole := strings.Count(a.s, "\n")+strings.Count(b.s, "\n") > 2*maxRows
	for i, e := range all {
		parts := []extent{e}
		if !whole {
			parts = splitLines(a.s, b.s, e)
		}
		for k, part := range parts {
			g.add(part, a.s, b.s)
			last := k == len(parts)-1
			if g.oldFresh && g.newFresh && !(last && i+1 < len(all) && opposite(e.op, all[i+1].op)) {
				g.flush()
			}
		}
	}
	g.flush()
	return g.rows
}

// opposite reports whether one piece is only in the old text and the other only in
// the new one: such neighbours stand side by side.
func opposite(a, b Op) bool {
	return a != Equal && b != Equal && a.Old() != b.Old()
}

// splitLines cuts an extent behind each newline.
func splitLines(old, new string, e extent) []extent {
	raw := new[e.newFrom:e.newTo]
	if !e.op.New() {
		raw = old[e.oldFrom:e.oldTo]
	}
	var out []extent
	for raw != "" {
		n := strings.IndexByte(raw, '\n') + 1
		if n == 0 {
			n = len(raw)
		}
		part := e
		if e.op.Old() {
			part.oldTo = part.oldFrom + n
			e.oldFrom = part.oldTo
		}
		if e.op.New() {
			part.newTo = part.newFrom + n
			e.newFrom = part.newTo
		}
		out = append(out, part)
		raw = raw[n:]
	}
	return out
}

// grouper collects lines until both texts are at the start of one.
type grouper struct {
	sh                 *shower
	rows               []Row
	old, new           [][]Piece // lines of the group
	oldFresh, newFresh bool      // at the start of a line
}

func (g *grouper) add(e extent, old, new string) {
	if e.op.Old() && e.oldTo > e.oldFrom {
		g.old = appendLine(g.old, g.oldFresh, g.sh.showOld(e))
		g.oldFresh = old[e.oldTo-1] == '\n'
	}
	if e.op.New() && e.newTo > e.newFrom {
		g.new = appendLine(g.new, g.newFresh, g.sh.showNew(e))
		g.newFresh = new[e.newTo-1] == '\n'
	}
}

func appendLine(lines [][]Piece, fresh bool, p Piece) [][]Piece {
	if fresh || len(lines) == 0 {
		return append(lines, []Piece{p})
	}
	lines[len(lines)-1] = append(lines[len(lines)-1], p)
	return lines
}

// flush makes rows of the lines collected, the first beside the first.
func (g *grouper) flush() {
	for i := range max(len(g.old), len(g.new)) {
		var row Row
		if i < len(g.old) {
			row.Old = g.old[i]
		}
		if i < len(g.new) {
			row.New = g.new[i]
		}
		row.Same = allEqual(row.Old) && allEqual(row.New)
		g.rows = append(g.rows, row)
	}
	g.old, g.new = nil, nil
}

func allEqual(pieces []Piece) bool {
	for _, p := range pieces {
		if p.Op != Equal {
			return false
		}
	}
	return len(pieces) > 0
}
