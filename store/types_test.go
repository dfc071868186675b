package store

import (
	"database/sql"
	"database/sql/driver"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/countersign/countersign/review/surface"
)

func TestColumnsKeepValues(t *testing.T) {
	now := time.Date(2026, 11, 30, 9, 0, 0, 123_456_789, time.FixedZone("", 3600))
	problems := []surface.Problem{{Code: "c", Level: surface.LevelError, Tool: "\xed\xa0\x80", Position: 1, Pointer: "/\xff", Line: 2, Column: 3, Message: "m\x00"}}
	type column interface{ driver.Valuer }
	tests := []struct {
		name string
		in   column
		out  sql.Scanner
		want any // what the database sees
	}{
		{"time", micros(now), new(micros), now.UnixMicro()},
		{"no time", micros{}, new(micros), int64(0)},
		{"hash", hash(surface.HashOf(nil)), new(hash), nil},
		{"no hash", hash{}, new(hash), []byte{}},
		{"octets", octets("\x00\xff"), new(octets), []byte("\x00\xff")},
		{"no octets", octets(""), new(octets), []byte{}},
		{"blob", blob{1, 2}, new(blob), []byte{1, 2}},
		{"no blob", blob(nil), new(blob), []byte{}},
		{"JSON", jsonOf[map[string]int]{map[string]int{"a": 1}}, new(jsonOf[map[string]int]), `{"a":1}`},
		{"problems", keepProblems(problems), new(jsonOf[[]problem]), nil},
		{"no problems", keepProblems(nil), new(jsonOf[[]problem]), "null"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			kept, err := tt.in.Value()
			if err != nil {
				t.Fatal(err)
			}
			if tt.want != nil && !cmp.Equal(kept, tt.want) {
				t.Errorf("kept %#v, want %#v", kept, tt.want)
			}
			if err := tt.out.Scan(kept); err != nil {
				t.Fatal(err)
			}
			again, err := tt.out.(driver.Valuer).Value()
			if err != nil || !cmp.Equal(again, kept) {
				t.Errorf("came back as %#v, want %#v (%v)", again, kept, err)
			}
			if err := tt.out.Scan(math.Pi); err == nil {
				t.Error("a number of another kind was taken")
			}
		})
	}
	if got := givenProblems(keepProblems(problems)); !cmp.Equal(got, problems) {
		t.Errorf("problems came back as %+v", got)
	}
	if err := new(hash).Scan([]byte("short")); err == nil {
		t.Error("a short hash was taken")
	}
	if err := new(hash).Scan(make([]byte, 33)); err == nil {
		t.Error("a long hash was taken")
	}
}

func FuzzExact(f *testing.F) {
	f.Add("plain")
	f.Add("\xed\xa0\x80\x00<")
	f.Fuzz(func(t *testing.T, s string) {
		kept, err := exact(s).MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		var got exact
		if err := got.UnmarshalJSON(kept); err != nil || string(got) != s {
			t.Errorf("%q came back as %q (%v)", s, got, err)
		}
	})
}

func TestExactRefuses(t *testing.T) {
	for _, text := range []string{`["YQ==","YQ=="]`, `[]`, `[1]`, `["%"]`, `1`} {
		var s exact
		if err := s.UnmarshalJSON([]byte(text)); err == nil {
			t.Errorf("%s was taken as %q", text, s)
		}
	}
}
