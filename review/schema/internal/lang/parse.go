package lang

import (
	"errors"
	"fmt"
	"regexp/syntax"
	"strings"
	"unicode"
)

// ErrPattern says that a pattern uses something that isn't regular or not
// supported. It is wrapped with the name of the construct.
var ErrPattern = errors.New("pattern")

// ErrUnreadable says that a pattern is none in any dialect that is known here.
var ErrUnreadable = errors.New("unreadable pattern")

const (
	maxPattern = 8192 // bytes of a pattern
	maxUnroll  = 24   // repetitions of something with an assertion in it
	maxGroups  = 64   // nesting of groups that hold look-ahead
)

// Flags are how patterns are read: as Go's regexp does, but a dot is any
// character. ECMAScript's dot leaves out line breaks, which no author of ".+"
// has in mind, and which would make it differ from minLength 1.
const Flags = syntax.Perl | syntax.DotNL

func unsupported(what string) error { return fmt.Errorf("%s %w", what, ErrPattern) }

// refused explains why regexp/syntax doesn't read p.
func refused(p string) error {
	switch {
	case strings.Contains(p, "(?<=") || strings.Contains(p, "(?<!"):
		return unsupported("look-behind")
	case backReference(p):
		return unsupported("back-reference")
	}
	return ErrUnreadable
}

func backReference(p string) bool {
	for i := 0; i+1 < len(p); i++ {
		if p[i] != '\\' {
			continue
		}
		if i++; p[i] >= '1' && p[i] <= '9' || p[i] == 'k' {
			return true
		}
	}
	return false
}

// Search returns the strings in which the pattern matches somewhere, as the
// keyword pattern means it. Patterns that Go's regexp reads mean what they mean
// there; look-ahead and \uXXXX are read as ECMAScript does.
func (s *Store) Search(pattern string) (ID, error) {
	if len(pattern) > maxPattern {
		return 0, unsupported("long")
	}
	t, err := parse(pattern, 0)
	if err != nil {
		return 0, err
	}
	word := makeSet([]rune{'0', '9', 'A', 'Z', '_', '_', 'a', 'z'})
	c := &translator{store: s, word: s.chars(word), other: s.chars(word.complement())}
	all := func(place) ID { return s.All }
	start := c.lang(t, all, atStart)
	afterW, afterO := c.lang(t, all, afterWord), c.lang(t, all, afterOther)
	later := s.Concat(s.Length(1, -1), afterW)
	if afterW != afterO {
		later = s.Union(s.Concat(s.All, s.Concat(c.word, afterW)), s.Concat(s.All, s.Concat(c.other, afterO)))
	}
	if c.err != nil {
		return 0, c.err
	}
	return s.Union(start, later), nil
}

// tree is a pattern: an expression of regexp/syntax, or a node around one that
// holds a look-ahead.
type tree struct {
	op       treeOp
	re       *syntax.Regexp
	subs     []*tree
	min, max int
}

type treeOp uint8

const (
	treeRE     treeOp = iota
	treeSeq           // subs in order
	treeAlt           // one of subs
	treeRepeat        // subs[0], min to max times
	treeAhead         // (?=subs[0])
	treeNot           // (?!subs[0])
)

// parse reads a pattern. What regexp/syntax can't read is split by hand into
// alternatives, groups and look-aheads, and the pieces are read again.
func parse(p string, depth int) (*tree, error) {
	re, err := syntax.Parse(p, Flags)
	if err == nil {
		return &tree{op: treeRE, re: re}, nil
	}
	q := unescapeUnicode(p)
	if re, err := syntax.Parse(q, Flags); err == nil {
		return &tree{op: treeRE, re: re}, nil
	}
	if depth > maxGroups {
		return nil, unsupported("deeply nested")
	}
	if !strings.Contains(q, "(?=") && !strings.Contains(q, "(?!") {
		return nil, refused(q)
	}
	return split(q, depth)
}

// unescapeUnicode writes ECMAScript's \uXXXX, \u{X} and \cX as Go spells them.
func unescapeUnicode(p string) string {
	var b strings.Builder
	for i := 0; i < len(p); i++ {
		if p[i] != '\\' || i+1 == len(p) {
			b.WriteByte(p[i])
			continue
		}
		rest := p[i+2:]
		switch end := strings.IndexByte(rest, '}'); {
		case p[i+1] == 'u' && strings.HasPrefix(rest, "{") && end > 0:
			b.WriteString(`\x` + rest[:end+1])
			i += 2 + end
		case p[i+1] == 'u' && len(rest) >= 4 && isHex(rest[:4]):
			b.WriteString(`\x{` + rest[:4] + `}`)
			i += 5
		case (p[i+1] == 'p' || p[i+1] == 'P') && strings.HasPrefix(rest, "{") && end > 0:
			b.WriteString(p[i:i+2] + "{" + className(rest[1:end]) + "}")
			i += 2 + end
		case p[i+1] == 'c' && rest != "":
			fmt.Fprintf(&b, `\x{%02x}`, rest[0]%32)
			i += 2
		default:
			b.WriteString(p[i : i+2])
			i++
		}
	}
	return b.String()
}

// classNames are ECMAScript's long names of general categories.
var classNames = map[string]string{
	"Letter": "L", "Lowercase_Letter": "Ll", "Uppercase_Letter": "Lu", "Titlecase_Letter": "Lt", "Modifier_Letter": "Lm", "Other_Letter": "Lo",
	"Mark": "M", "Number": "N", "Decimal_Number": "Nd", "Letter_Number": "Nl", "Other_Number": "No",
	"Punctuation": "P", "Symbol": "S", "Math_Symbol": "Sm", "Currency_Symbol": "Sc", "Separator": "Z", "Space_Separator": "Zs", "Control": "Cc",
}

// className returns the name that Go has for a class of ECMAScript.
func className(name string) string {
	for _, prefix := range []string{"Script=", "sc=", "Script_Extensions=", "scx=", "General_Category=", "gc="} {
		name = strings.TrimPrefix(name, prefix)
	}
	if short := classNames[name]; short != "" {
		return short
	}
	return name
}

func isHex(s string) bool {
	return strings.Trim(s, "0123456789abcdefABCDEF") == ""
}

// split reads the top level of a pattern that holds look-ahead.
func split(p string, depth int) (*tree, error) {
	alts, err := alternatives(p)
	if err != nil {
		return nil, err
	}
	out := &tree{op: treeAlt}
	for _, a := range alts {
		seq, err := sequence(a, depth)
		if err != nil {
			return nil, err
		}
		out.subs = append(out.subs, seq)
	}
	if len(out.subs) == 1 {
		return out.subs[0], nil
	}
	return out, nil
}

// skip returns the index behind the atom that starts at i: an escape, a class,
// a group, or one byte.
func skip(p string, i int) (int, error) {
	switch p[i] {
	case '\\':
		if i+1 < len(p) {
			return i + 2, nil
		}
	case '[':
		for j := i + 1; j < len(p); j++ {
			switch {
			case p[j] == '\\':
				j++
			case p[j] == ']' && j > i+1:
				return j + 1, nil
			}
		}
		return 0, ErrUnreadable
	case '(':
		j := i + 1
		for j < len(p) && p[j] != ')' {
			var err error
			if j, err = skip(p, j); err != nil {
				return 0, err
			}
		}
		if j >= len(p) {
			return 0, ErrUnreadable
		}
		return j + 1, nil
	}
	return i + 1, nil
}

func alternatives(p string) ([]string, error) {
	var out []string
	start := 0
	for i := 0; i < len(p); {
		if p[i] == '|' {
			out = append(out, p[start:i])
			i++
			start = i
			continue
		}
		var err error
		if i, err = skip(p, i); err != nil {
			return nil, err
		}
	}
	return append(out, p[start:]), nil
}

// sequence reads one alternative: stretches without look-ahead go to
// regexp/syntax as they are, groups with look-ahead are opened.
func sequence(p string, depth int) (*tree, error) {
	out := &tree{op: treeSeq}
	start := 0
	flush := func(end int) error {
		if start == end {
			return nil
		}
		re, err := syntax.Parse(p[start:end], Flags)
		if err != nil {
			return refused(p[start:end])
		}
		out.subs = append(out.subs, &tree{op: treeRE, re: re})
		return nil
	}
	for i := 0; i < len(p); {
		end, err := skip(p, i)
		if err != nil {
			return nil, err
		}
		atom := p[i:end]
		if p[i] != '(' || !(strings.Contains(atom, "(?=") || strings.Contains(atom, "(?!")) {
			i = end
			continue
		}
		if err := flush(i); err != nil {
			return nil, err
		}
		t, err := group(atom, depth)
		if err != nil {
			return nil, err
		}
		min, max, n, err := quantifier(p[end:])
		if err != nil {
			return nil, err
		}
		if n > 0 {
			t = &tree{op: treeRepeat, subs: []*tree{t}, min: min, max: max}
		}
		out.subs = append(out.subs, t)
		i = end + n
		start = i
	}
	return out, flush(len(p))
}

func group(atom string, depth int) (*tree, error) {
	o := treeSeq
	body := atom[1 : len(atom)-1]
	switch {
	case strings.HasPrefix(body, "?="):
		o, body = treeAhead, body[2:]
	case strings.HasPrefix(body, "?!"):
		o, body = treeNot, body[2:]
	case strings.HasPrefix(body, "?:"):
		body = body[2:]
	case strings.HasPrefix(body, "?"):
		return nil, unsupported("look-behind or named group beside look-ahead in a")
	}
	t, err := parse(body, depth+1)
	if err != nil {
		return nil, err
	}
	return &tree{op: o, subs: []*tree{t}}, nil
}

// quantifier reads what follows an atom and returns how many bytes it took.
func quantifier(p string) (min, max, n int, err error) {
	if p == "" || !strings.ContainsRune("*+?{", rune(p[0])) {
		return 1, 1, 0, nil
	}
	end := 1
	if p[0] == '{' {
		end = strings.IndexByte(p, '}') + 1
		if end == 0 {
			return 1, 1, 0, nil
		}
	}
	re, err := syntax.Parse("a"+p[:end], syntax.Perl)
	if err != nil {
		return 0, 0, 0, ErrUnreadable
	}
	if end < len(p) && p[end] == '?' { // lazy: the same strings
		end++
	}
	switch re.Op {
	case syntax.OpStar:
		return 0, -1, end, nil
	case syntax.OpPlus:
		return 1, -1, end, nil
	case syntax.OpQuest:
		return 0, 1, end, nil
	case syntax.OpRepeat:
		return re.Min, re.Max, end, nil
	}
	return 1, 1, 0, nil
}

// place is what an assertion can ask about the character before it.
type place uint8

const (
	atStart   place = iota // there is none
	afterWord              // it is one of [0-9A-Za-z_]
	afterOther
	places
)

// then gives what may follow, depending on the place.
type then func(at place) ID

// translator turns a tree into a language in continuation-passing style: what
// follows is known when an assertion is met, so "end of text" is "and nothing
// follows", and look-ahead an intersection.
type translator struct {
	store       *Store
	word, other ID // one character that is one of a word, or isn't
	err         error
	depth       int
}

func (c *translator) fail(what string) ID {
	if c.err == nil {
		c.err = unsupported(what)
	}
	return c.store.None
}

func (c *translator) lang(t *tree, k then, at place) ID {
	s := c.store
	switch t.op {
	case treeRE:
		return c.re(t.re, k, at)
	case treeSeq:
		return c.sequence(len(t.subs), func(i int, k then, at place) ID { return c.lang(t.subs[i], k, at) }, k, at)
	case treeAlt:
		var ids []ID
		for _, sub := range t.subs {
			ids = append(ids, c.lang(sub, k, at))
		}
		return s.Union(ids...)
	case treeRepeat:
		if id, ok := c.tempered(t, k); ok {
			return id
		}
		return c.unroll(func(k then, at place) ID { return c.lang(t.subs[0], k, at) }, t.min, t.max, k, at)
	}
	ahead := c.lang(t.subs[0], func(place) ID { return s.All }, at)
	if t.op == treeNot {
		ahead = s.Not(ahead)
	}
	return s.And(ahead, k(at))
}

// tempered reads ((?!x).)*$, the usual way of saying "x appears nowhere": one
// character at a time, none of which starts an x, up to the end of the text.
func (c *translator) tempered(t *tree, k then) (ID, bool) {
	s := c.store
	for at := range places {
		if k(at) != s.Empty {
			return 0, false
		}
	}
	body := t.subs[0]
	for body.op == treeSeq && len(body.subs) == 1 {
		body = body.subs[0]
	}
	if t.max >= 0 || body.op != treeSeq || len(body.subs) != 2 || body.subs[0].op != treeNot || body.subs[1].op != treeRE {
		return 0, false
	}
	one := body.subs[1].re
	if one.Op != syntax.OpCharClass && one.Op != syntax.OpAnyChar && one.Op != syntax.OpLiteral || one.Op == syntax.OpLiteral && len(one.Rune) != 1 {
		return 0, false
	}
	all := func(place) ID { return s.All }
	inside := c.lang(body.subs[0].subs[0], all, afterWord)
	if inside != c.lang(body.subs[0].subs[0], all, afterOther) || inside != c.lang(body.subs[0].subs[0], all, atStart) {
		return 0, false
	}
	starts := s.Concat(s.All, s.And(inside, s.Length(1, -1)))
	return s.And(s.Repeat(c.chars(one), t.min, -1), s.Not(starts)), true
}

// sequence runs n parts one after the other. Each continuation is computed at
// most once per place.
func (c *translator) sequence(n int, part func(int, then, place) ID, k then, at place) ID {
	for i := n - 1; i >= 0; i-- {
		k = c.memo(i, part, k)
	}
	return k(at)
}

func (c *translator) memo(i int, part func(int, then, place) ID, k then) then {
	var done [places]bool
	var ids [places]ID
	return func(at place) ID {
		if !done[at] {
			ids[at], done[at] = part(i, k, at), true
		}
		return ids[at]
	}
}

// unroll repeats something that holds an assertion, which is possible only for
// few repetitions.
func (c *translator) unroll(part func(then, place) ID, min, max int, k then, at place) ID {
	if max < 0 || max > maxUnroll {
		return c.fail("look-ahead or anchor inside a repetition in a")
	}
	for i := max; i > 0; i-- {
		end := k
		once := c.memo(0, func(_ int, k then, at place) ID { return part(k, at) }, end)
		if i > min {
			k = func(at place) ID { return c.store.Union(end(at), once(at)) }
			continue
		}
		k = once
	}
	return k(at)
}

// re translates an expression of regexp/syntax.
func (c *translator) re(re *syntax.Regexp, k then, at place) ID {
	s := c.store
	if c.depth++; c.depth > 100_000 {
		return c.fail("large")
	}
	if re.Op != syntax.OpConcat && re.Op != syntax.OpCapture && !asserts(re) {
		return c.pure(re, k, at)
	}
	switch re.Op {
	case syntax.OpCapture:
		return c.re(re.Sub[0], k, at)
	case syntax.OpConcat:
		return c.sequence(len(re.Sub), func(i int, k then, at place) ID { return c.re(re.Sub[i], k, at) }, k, at)
	case syntax.OpAlternate:
		var ids []ID
		for _, sub := range re.Sub {
			ids = append(ids, c.re(sub, k, at))
		}
		return s.Union(ids...)
	case syntax.OpBeginText:
		if at == atStart {
			return k(at)
		}
		return s.None
	case syntax.OpEndText:
		return s.And(s.Empty, k(at))
	case syntax.OpStar, syntax.OpPlus, syntax.OpQuest, syntax.OpRepeat:
		min, max := bounds(re)
		return c.unroll(func(k then, at place) ID { return c.re(re.Sub[0], k, at) }, min, max, k, at)
	case syntax.OpWordBoundary:
		return s.And(c.boundary(at), k(at))
	case syntax.OpNoWordBoundary:
		return s.And(s.Not(c.boundary(at)), k(at))
	}
	return c.fail("multi-line")
}

// boundary is every text before which a word starts or ends.
func (c *translator) boundary(at place) ID {
	s := c.store
	word := s.Concat(c.word, s.All)
	if at == afterWord {
		return s.Not(word)
	}
	return word
}

// pure handles an expression without assertions. It is split by its last
// character only if that makes a difference for what follows.
func (c *translator) pure(re *syntax.Regexp, k then, at place) ID {
	s := c.store
	l := c.chars(re)
	word, other := k(afterWord), k(afterOther)
	if word == other && (at != atStart || k(at) == word) {
		return s.Concat(l, word)
	}
	some := s.Concat(s.And(l, s.Length(1, -1)), word)
	if word != other {
		some = s.Union(s.Concat(s.And(l, s.Concat(s.All, c.word)), word), s.Concat(s.And(l, s.Concat(s.All, c.other)), other))
	}
	if s.nodes[l].nullable {
		return s.Union(k(at), some)
	}
	return some
}

// chars translates an expression without assertions.
func (c *translator) chars(re *syntax.Regexp) ID {
	s := c.store
	switch re.Op {
	case syntax.OpEmptyMatch:
		return s.Empty
	case syntax.OpLiteral:
		return c.literal(re)
	case syntax.OpCharClass:
		return s.chars(makeSet(re.Rune))
	case syntax.OpAnyCharNotNL:
		return s.chars(makeSet([]rune{0, '\n' - 1, '\n' + 1, unicode.MaxRune}))
	case syntax.OpAnyChar:
		return s.chars(anyChar)
	case syntax.OpCapture:
		return c.chars(re.Sub[0])
	case syntax.OpStar, syntax.OpPlus, syntax.OpQuest, syntax.OpRepeat:
		min, max := bounds(re)
		return s.Repeat(c.chars(re.Sub[0]), min, max)
	case syntax.OpConcat:
		out := s.Empty
		for i := len(re.Sub) - 1; i >= 0; i-- {
			out = s.Concat(c.chars(re.Sub[i]), out)
		}
		return out
	case syntax.OpAlternate:
		var ids []ID
		for _, sub := range re.Sub {
			ids = append(ids, c.chars(sub))
		}
		return s.Union(ids...)
	}
	return s.None // OpNoMatch
}

func (c *translator) literal(re *syntax.Regexp) ID {
	s := c.store
	out := s.Empty
	for i := len(re.Rune) - 1; i >= 0; i-- {
		r := re.Rune[i]
		pairs := []rune{r, r}
		if re.Flags&syntax.FoldCase != 0 {
			for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
				pairs = append(pairs, f, f)
			}
		}
		out = s.Concat(s.chars(makeSet(pairs)), out)
	}
	return out
}

func bounds(re *syntax.Regexp) (min, max int) {
	switch re.Op {
	case syntax.OpStar:
		return 0, -1
	case syntax.OpPlus:
		return 1, -1
	case syntax.OpQuest:
		return 0, 1
	}
	return re.Min, re.Max
}

// asserts reports whether re holds an anchor or a boundary.
func asserts(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpBeginText, syntax.OpEndText, syntax.OpBeginLine, syntax.OpEndLine,
		syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return true
	}
	for _, sub := range re.Sub {
		if asserts(sub) {
			return true
		}
	}
	return false
}
