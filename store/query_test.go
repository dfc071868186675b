package store

import (
	"fmt"
	"strings"
	"testing"
)

func TestAnonymous(t *testing.T) {
	tests := map[string]string{
		"SELECT 1":                              "SELECT 1",
		"SELECT $1, $2 FROM a WHERE x = $3":     "SELECT ?, ? FROM a WHERE x = ?",
		"VALUES ($1,$2),($3,$4)":                "VALUES (?,?),(?,?)",
		"SELECT $2, $1":                         "SELECT $2, $1",
		"SELECT $1, $1":                         "SELECT $1, $1",
		"SELECT $1, $3":                         "SELECT $1, $3",
		"SELECT $1, '$'":                        "SELECT $1, '$'",
		"SELECT $01":                            "SELECT $01",
		"SET a = $2 WHERE b IN ($3) AND c = $1": "SET a = $2 WHERE b IN ($3) AND c = $1",
	}
	for query, want := range tests {
		if got := anonymous(query); got != want {
			t.Errorf("%s became %s, want %s", query, got, want)
		}
	}
	var p params
	long := "IN (" + p.list(12, func(i int) any { return i }) + ")"
	if got := anonymous(long); got != "IN (?"+strings.Repeat(", ?", 11)+")" {
		t.Errorf("%s became %s", long, got)
	}
}

// TestLongLists has more values than one statement takes, and values that would
// show a swap.
func TestLongLists(t *testing.T) {
	onBoth(t, func(t *testing.T, address string) {
		s := open(t, address)
		if _, err := s.write.Exec("CREATE TABLE numbers (n BIGINT PRIMARY KEY, word TEXT NOT NULL, odd BOOLEAN NOT NULL)"); err != nil {
			t.Fatal(err)
		}
		type row struct {
			N    int64  `db:"n"`
			Word string `db:"word"`
			Odd  bool   `db:"odd"`
		}
		var rows []row
		var ns []int64
		for i := range int64(inChunk + 700) {
			rows = append(rows, row{i, fmt.Sprint("word ", i), i%2 == 1})
			ns = append(ns, i)
		}
		db := &tx{db: s.write, store: s}
		if added, err := insert(t.Context(), db, "numbers", "", rows...); err != nil || added != int64(len(rows)) {
			t.Fatalf("%d added, error %v", added, err)
		}
		if added, err := insert(t.Context(), db, "numbers", "ON CONFLICT DO NOTHING", append(rows[:3:3], row{N: -1})...); err != nil || added != 1 {
			t.Errorf("%d added of four, of which three were there (%v)", added, err)
		}
		found, err := allIn[row](t.Context(), db, "SELECT n, word, odd FROM numbers WHERE odd = $1 AND n IN (%s)", []any{true}, ns)
		if err != nil || len(found) != len(rows)/2 {
			t.Fatalf("%d found, error %v", len(found), err)
		}
		for _, r := range found {
			if r.Word != fmt.Sprint("word ", r.N) || !r.Odd {
				t.Fatalf("found %+v", r)
			}
		}
		touched, err := execIn(t.Context(), db, "UPDATE numbers SET word = $2 WHERE odd = $1 AND n IN (%s)", []any{false, "even"}, ns)
		if err != nil || touched != int64(len(rows)/2) {
			t.Errorf("%d touched, error %v", touched, err)
		}
	})
}
