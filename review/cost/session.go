package cost

import (
	"fmt"
	"math/big"
	"strings"
)

// Prices are what a session is worked out with. The texts are decimals such as
// "3" and "0.1".
type Prices struct {
	Turns      int    // of the session, 1 or more
	PerMillion string // dollars for a million tokens of input
	CacheRead  string // what a cached token costs of that
	CacheWrite string // what the first turn costs of that
}

// DefaultPrices are those of the example in the documentation: 40 turns at $3,
// cached reads at a tenth, and no surcharge for writing.
var DefaultPrices = Prices{Turns: 40, PerMillion: "3", CacheRead: "0.1", CacheWrite: "1"}

// Amount is a number of dollars, exact.
type Amount struct{ rat *big.Rat }

// String writes the amount as a decimal without an exponent, without losing a digit.
func (a Amount) String() string {
	if a.rat == nil {
		return "0"
	}
	digits := 0
	for d := new(big.Int).Set(a.rat.Denom()); d.Cmp(big.NewInt(1)) > 0 && digits < maxDigits*4; digits++ {
		d = reduce(d)
	}
	s := a.rat.FloatString(digits)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}

// reduce takes one power of ten, or what there is of it, out of a denominator.
func reduce(d *big.Int) *big.Int {
	for _, p := range []int64{2, 5} {
		if q, r := new(big.Int).QuoRem(d, big.NewInt(p), new(big.Int)); r.Sign() == 0 {
			d = q
		}
	}
	return d
}

// MarshalJSON writes the amount as a number.
func (a Amount) MarshalJSON() ([]byte, error) { return []byte(a.String()), nil }

// Bill is what the definitions cost over a session.
type Bill struct {
	Turns     int
	FirstTurn Amount
	Cached    Amount // all other turns
	Total     Amount
}

// Session works out what tokens of definitions cost in a session that sends them
// with every turn. The error says which of the prices is no decimal.
func Session(tokens int, p Prices) (Bill, error) {
	if p.Turns < 1 || p.Turns > 1_000_000 {
		return Bill{}, fmt.Errorf("turns: %d is not between 1 and 1000000", p.Turns)
	}
	if tokens < 0 {
		return Bill{}, fmt.Errorf("tokens: %d is less than nothing", tokens)
	}
	price, err := decimal("price", p.PerMillion)
	if err != nil {
		return Bill{}, err
	}
	read, err := decimal("cache-read", p.CacheRead)
	if err != nil {
		return Bill{}, err
	}
	write, err := decimal("cache-write", p.CacheWrite)
	if err != nil {
		return Bill{}, err
	}
	once := new(big.Rat).Mul(big.NewRat(int64(tokens), 1_000_000), price)
	first := new(big.Rat).Mul(once, write)
	cached := new(big.Rat).Mul(once, read)
	cached.Mul(cached, big.NewRat(int64(p.Turns-1), 1))
	return Bill{p.Turns, Amount{first}, Amount{cached}, Amount{new(big.Rat).Add(first, cached)}}, nil
}

// maxDigits bounds the length of a decimal that is read.
const maxDigits = 24

// decimal reads digits with at most one point; nothing else that a number can be.
func decimal(name, s string) (*big.Rat, error) {
	digits := strings.Replace(s, ".", "", 1)
	plain := digits != "" && len(digits) <= maxDigits && strings.Trim(digits, "0123456789") == ""
	if r, ok := new(big.Rat).SetString(s); ok && plain {
		return r, nil
	}
	return nil, fmt.Errorf("%s: %.40q is no amount: want a decimal such as 0.1", name, s)
}
