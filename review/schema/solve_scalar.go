package schema

import (
	"iter"
	"math/big"
	"strings"

	"github.com/countersign/countersign/review/schema/internal/lang"
)

// Bounds of the scalar leaves.
const (
	maxMultiples = 20_000  // multiples tried for one number
	maxWitness   = 100_000 // characters of a string made up for a witness
	maxSplits    = 12      // halvings of an interval
)

// test returns v when it satisfies all atoms, a guess when that can't be told,
// and nothing when it fails one.
func (s *solver) test(atoms []*form, v *value) answer {
	out := answer{outcome: found, value: v}
	for _, x := range atoms {
		switch s.atomHolds(x.atom, v) {
		case no:
			return answer{}
		case maybe:
			out = answer{outcome: unknown, value: v, why: s.doubt(x.atom)}
		}
	}
	return out
}

func (s *solver) doubt(a *atom) string {
	if a.op == atomOpaque {
		return reasonText(a.reason)
	}
	return "a part that can't be analysed"
}

// choose tests the values in order.
func (s *solver) choose(atoms []*form, vs []*value) answer {
	out := answer{}
	for _, v := range vs {
		a := s.test(atoms, v)
		if a.outcome == found {
			return a
		}
		out = worse(out, a)
	}
	return out
}

// allowed returns the smallest list of values that an atom limits the leaf to.
func allowed(atoms []*form) ([]*value, bool) {
	var out []*value
	ok := false
	for _, x := range atoms {
		if a := x.atom; a.op == atomIn && (!ok || len(a.values) < len(out)) {
			out, ok = a.values, true
		}
	}
	return out, ok
}

func (s *solver) leafNull(st *state) answer {
	return s.test(st.atoms, &value{kind: kindNull})
}

func (s *solver) leafBool(st *state) answer {
	return s.choose(st.atoms, []*value{{kind: kindBool, boolean: true}, {kind: kindBool}})
}

// interval is a range of numbers; nil is unbounded.
type interval struct {
	lo, hi   *big.Rat
	loX, hiX bool
	step     *big.Rat   // every value is a multiple of it; nil when dense
	not      []*big.Rat // no value is a multiple of these
	holes    int        // how many single values are forbidden
}

func intervalOf(atoms []*form) *interval {
	iv := &interval{}
	for _, x := range atoms {
		a := x.atom
		switch a.op {
		case atomAtLeast, atomAbove:
			if c := compareLow(a.num, iv.lo); c > 0 || c == 0 && a.op == atomAbove {
				iv.lo, iv.loX = a.num, a.op == atomAbove
			}
		case atomAtMost, atomBelow:
			if c := compareHigh(a.num, iv.hi); c < 0 || c == 0 && a.op == atomBelow {
				iv.hi, iv.hiX = a.num, a.op == atomBelow
			}
		case atomMultiple:
			iv.step = leastCommonMultiple(iv.step, a.num)
		case atomNoMultiple:
			iv.not = append(iv.not, a.num)
		case atomNotIn:
			iv.holes += len(a.values)
		}
	}
	return iv
}

func compareLow(a, bound *big.Rat) int {
	if bound == nil {
		return 1
	}
	return a.Cmp(bound)
}

func compareHigh(a, bound *big.Rat) int {
	if bound == nil {
		return -1
	}
	return a.Cmp(bound)
}

func isMultiple(x, of *big.Rat) bool {
	return of.Sign() != 0 && new(big.Rat).Quo(x, of).IsInt()
}

func leastCommonMultiple(a, b *big.Rat) *big.Rat {
	if a == nil {
		return b
	}
	g := new(big.Int).GCD(nil, nil, a.Num(), b.Num())
	num := new(big.Int).Mul(a.Num(), new(big.Int).Quo(b.Num(), g))
	den := new(big.Int).GCD(nil, nil, a.Denom(), b.Denom())
	return new(big.Rat).SetFrac(num, den)
}

func (iv *interval) empty() bool {
	if iv.lo == nil || iv.hi == nil {
		return false
	}
	c := iv.lo.Cmp(iv.hi)
	return c > 0 || c == 0 && (iv.loX || iv.hiX)
}

func (s *solver) leafNumber(st *state) answer {
	if vs, ok := allowed(st.atoms); ok {
		return s.choose(st.atoms, vs)
	}
	iv := intervalOf(st.atoms)
	if iv.empty() {
		return answer{}
	}
	if iv.step != nil {
		return s.onGrid(st, iv)
	}
	return s.dense(st, iv)
}

// onGrid looks among the multiples of the step. Whether one is a multiple of a
// forbidden number repeats with a period, so a few periods decide.
func (s *solver) onGrid(st *state, iv *interval) answer {
	tries := big.NewInt(1)
	for _, m := range iv.not {
		common := leastCommonMultiple(iv.step, m)
		if common.Cmp(iv.step) == 0 {
			return answer{}
		}
		tries.Mul(tries, new(big.Rat).Quo(common, iv.step).Num())
	}
	tries.Mul(tries, big.NewInt(int64(iv.holes+1)))
	lo, hi := iv.gridBounds()
	if lo != nil && hi != nil && lo.Cmp(hi) > 0 {
		return answer{}
	}
	start := gridStart(lo, hi)
	a, done := s.walk(st, iv, start, hi, 1, tries)
	if a.outcome != none || !done {
		return a
	}
	if down := new(big.Int).Sub(start, big.NewInt(1)); lo == nil || down.Cmp(lo) >= 0 {
		b, _ := s.walk(st, iv, down, lo, -1, tries)
		return b
	}
	return a
}

// gridBounds are the first and last multiples within the interval.
func (iv *interval) gridBounds() (lo, hi *big.Int) {
	one := big.NewInt(1)
	if iv.lo != nil {
		q := new(big.Rat).Quo(iv.lo, iv.step)
		lo = floor(q)
		if !q.IsInt() || iv.loX {
			lo.Add(lo, one)
		}
	}
	if iv.hi != nil {
		q := new(big.Rat).Quo(iv.hi, iv.step)
		hi = floor(q)
		if q.IsInt() && iv.hiX {
			hi.Sub(hi, one)
		}
	}
	return lo, hi
}

func floor(r *big.Rat) *big.Int {
	return new(big.Int).Div(r.Num(), r.Denom()) // Euclidean: rounds down for a positive divisor
}

// gridStart is the multiple nearest to zero.
func gridStart(lo, hi *big.Int) *big.Int {
	switch {
	case lo != nil && lo.Sign() > 0:
		return lo
	case hi != nil && hi.Sign() < 0:
		return hi
	}
	return new(big.Int)
}

// walk tests multiples from start in one direction. It says false when it gave
// up before the end and before as many tries as prove that there is none.
func (s *solver) walk(st *state, iv *interval, start, end *big.Int, dir int64, tries *big.Int) (answer, bool) {
	out := answer{}
	k := new(big.Int).Set(start)
	for n := int64(0); tries.Cmp(big.NewInt(n)) > 0; n++ {
		if end != nil && k.Cmp(end)*int(dir) > 0 {
			return out, true
		}
		if n > maxMultiples {
			return noAnswer("too many multiples to try"), false
		}
		v := new(big.Rat).Mul(new(big.Rat).SetInt(k), iv.step)
		a := s.test(st.atoms, numberValue(v))
		if a.outcome == found {
			return a, true
		}
		out = worse(out, a)
		k.Add(k, big.NewInt(dir))
	}
	return out, true
}

// dense looks in an interval that holds every real number of its range. All but
// finitely many points of a short stretch avoid given multiples, so it is empty
// only when it is a single point.
func (s *solver) dense(st *state, iv *interval) answer {
	if iv.lo != nil && iv.hi != nil && iv.lo.Cmp(iv.hi) == 0 {
		return s.test(st.atoms, numberValue(iv.lo))
	}
	doubt := noAnswer("too many multiples to try")
	for r := range iv.samples() {
		if !iv.inside(r) {
			continue
		}
		a := s.test(st.atoms, numberValue(r))
		if a.outcome == found {
			return a
		}
		doubt = worse(a, doubt)
	}
	return doubt
}

func (iv *interval) inside(r *big.Rat) bool {
	if iv.lo != nil {
		if c := r.Cmp(iv.lo); c < 0 || c == 0 && iv.loX {
			return false
		}
	}
	if iv.hi != nil {
		if c := r.Cmp(iv.hi); c > 0 || c == 0 && iv.hiX {
			return false
		}
	}
	return true
}

// samples are points of the interval, plain ones first.
func (iv *interval) samples() iter.Seq[*big.Rat] {
	one, kilo := big.NewRat(1, 1), big.NewRat(1024, 1)
	lo, hi := iv.lo, iv.hi
	switch {
	case lo == nil && hi == nil:
		lo, hi = new(big.Rat), kilo
	case lo == nil:
		lo = new(big.Rat).Sub(hi, kilo)
	case hi == nil:
		hi = new(big.Rat).Add(lo, kilo)
	}
	up := new(big.Rat).SetInt(floor(lo))
	plain := []*big.Rat{new(big.Rat), one, lo, up, new(big.Rat).Add(up, one), hi, new(big.Rat).SetInt(floor(hi)), big.NewRat(1, 2)}
	width := new(big.Rat).Sub(hi, lo)
	return func(yield func(*big.Rat) bool) {
		for _, r := range plain {
			if !yield(r) {
				return
			}
		}
		for k := 1; k <= maxSplits; k++ {
			for j := int64(1); j < 1<<k; j += 2 {
				p := new(big.Rat).Mul(width, big.NewRat(j, 1<<k))
				if !yield(p.Add(p, lo)) {
					return
				}
			}
		}
	}
}

func (s *solver) leafString(st *state) answer {
	if vs, ok := allowed(st.atoms); ok {
		return s.choose(st.atoms, vs)
	}
	least, most := 0, -1
	var ids []lang.ID
	doubt := ""
	for _, x := range st.atoms {
		switch a := x.atom; a.op {
		case atomLength:
			least = max(least, a.min)
			if a.max >= 0 && (most < 0 || a.max < most) {
				most = a.max
			}
		case atomLanguage:
			ids = append(ids, a.language)
		case atomNotIn:
			for _, v := range a.values {
				ids = append(ids, s.langs.Not(s.langs.Literal(v.str)))
			}
		case atomOpaque:
			doubt = s.doubt(a)
		}
	}
	if most >= 0 && most < least {
		return answer{}
	}
	if least > maxWitness {
		return noAnswer("a length too large for an example")
	}
	text, ok, err := s.text(ids, least, most)
	switch {
	case err != nil:
		return noAnswer(limitText(err))
	case !ok:
		return answer{}
	case doubt != "":
		return answer{outcome: unknown, value: stringValue(text), why: doubt}
	}
	return answer{outcome: found, value: stringValue(text)}
}

// text returns a shortest string that is in all the languages, but the empty one
// only when there is no other: it hides in a witness.
func (s *solver) text(ids []lang.ID, least, most int) (string, bool, error) {
	if len(ids) == 0 {
		if least == 0 && most != 0 {
			least = 1
		}
		return strings.Repeat("a", least), true, nil
	}
	id := s.langs.And(ids...)
	if least == 0 {
		if text, ok, err := s.langs.Find(id, 1, most); ok && err == nil {
			return text, ok, err
		}
	}
	return s.langs.Find(id, least, most)
}
