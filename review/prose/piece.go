package prose

import "strings"

// builder turns an alignment into pieces, by their place.
type builder struct {
	m            *matcher
	i, j         int // next token of all, on each side
	oldAt, newAt int // bytes written
	out          []extent
}

// extents walks both texts once. Between kept words lie holes: the blanks, deleted
// and moved tokens of the old text against those of the new one.
func (m *matcher) extents() []extent {
	b := &builder{m: m}
	keptA := 0
	for i := 0; i < len(m.a.all); i++ {
		if m.a.moveOf[i] != 0 {
			continue
		}
		partner := m.a.pair[keptA]
		keptA++
		if partner < 0 {
			continue
		}
		tok, twin := m.a.all[i], m.b.toks[partner]
		b.hole(i, tok.start, twin.start)
		b.add(Equal, 0, tok.end, twin.end)
		b.i = i + 1
		for b.j < len(m.b.all) && m.b.all[b.j].start <= twin.start {
			b.j++
		}
	}
	b.hole(len(m.a.all), len(m.a.s), len(m.b.s))
	return b.out
}

// hole emits what lies before the bytes oldTo and newTo: common blanks as equal,
// the rest by side.
func (b *builder) hole(toToken, oldTo, newTo int) {
	old, new := b.m.a.s[b.oldAt:oldTo], b.m.b.s[b.newAt:newTo]
	if old == new && toToken == b.i {
		b.add(Equal, 0, oldTo, newTo)
		return
	}
	head := commonBlanks(old, new)
	b.add(Equal, 0, b.oldAt+head, b.newAt+head)
	tail := commonBlanksEnd(old[head:], new[head:])
	remove := func() { b.i = b.strip(b.m.a, b.i, toToken, Delete, MovedFrom, oldTo-tail) }
	insert := func() { b.j = b.strip(b.m.b, b.j, tokensBefore(b.m.b.all, b.j, newTo), Insert, MovedTo, newTo-tail) }
	// What is added at the end of a line comes before the lines removed below it.
	ends := newTo == len(b.m.b.s) || startsLine(new[len(new)-tail:])
	if ends && startsLine(old[head:]) && !startsLine(new[head:]) {
		insert()
		remove()
	} else {
		remove()
		insert()
	}
	b.add(Equal, 0, oldTo, newTo)
}

// tokensBefore returns the index of the first token from i on that starts at byte
// stop or later.
func tokensBefore(all []token, i, stop int) int {
	for i < len(all) && all[i].start < stop {
		i++
	}
	return i
}

// startsLine reports whether s goes on in a new line.
func startsLine(s string) bool {
	return strings.HasPrefix(strings.TrimLeft(s, " \t\r"), "\n")
}

// strip emits the unpaired tokens of one side in a hole, up to the byte stop:
// stretches that were changed and stretches that moved. Blanks belong to the
// stretch before them.
func (b *builder) strip(s *side, from, to int, changed, moved Op, stop int) int {
	for i := from; i < to; {
		next := i + 1
		for next < to && s.moveOf[next] == s.moveOf[i] {
			next++
		}
		end := stop
		if next < to {
			end = s.all[next].start
		}
		op, move := changed, int(s.moveOf[i])
		if move != 0 {
			op = moved
		}
		b.addSide(op, move, end)
		i = next
	}
	b.addSide(changed, 0, stop)
	return to
}

func (b *builder) addSide(op Op, move, end int) {
	if op.Old() {
		b.add(op, move, end, b.newAt)
	} else {
		b.add(op, move, b.oldAt, end)
	}
}

// add appends the text up to oldTo and newTo, to the last piece where that is of
// the same kind.
func (b *builder) add(op Op, move, oldTo, newTo int) {
	if oldTo == b.oldAt && newTo == b.newAt {
		return
	}
	if n := len(b.out); n > 0 && b.out[n-1].op == op && b.out[n-1].move == move {
		b.out[n-1].oldTo, b.out[n-1].newTo = oldTo, newTo
	} else {
		b.out = append(b.out, extent{op, move, b.oldAt, oldTo, b.newAt, newTo})
	}
	b.oldAt, b.newAt = oldTo, newTo
}

// commonBlanks returns the length of the blank that both texts start with. Blanks
// that are drawn as boxes are not counted, as a box can't be cut.
func commonBlanks(a, b string) int {
	n := 0
	for {
		unit := blankUnit(a[n:])
		if unit == "" || !strings.HasPrefix(b[n:], unit) {
			return n
		}
		n += len(unit)
	}
}

func blankUnit(s string) string {
	switch {
	case strings.HasPrefix(s, "\r\n"):
		return s[:2]
	case s != "" && strings.Contains(" \t\n", s[:1]):
		return s[:1]
	}
	return ""
}

// commonBlanksEnd returns the length of the blank that both texts end with.
func commonBlanksEnd(a, b string) int {
	n := 0
	for {
		unit := blankUnitEnd(a[:len(a)-n])
		if unit == "" || unit != blankUnitEnd(b[:len(b)-n]) {
			return n
		}
		n += len(unit)
	}
}

func blankUnitEnd(s string) string {
	switch {
	case strings.HasSuffix(s, "\r\n"):
		return "\r\n"
	case s != "" && strings.Contains(" \t\n", s[len(s)-1:]):
		return s[len(s)-1:]
	}
	return ""
}
