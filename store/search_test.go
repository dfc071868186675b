package store

import (
	"fmt"
	"strings"
	"testing"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/surface"
)

// fillSearch makes 20 profiles searchable, of 1,000 tools of about a kilobyte each.
func fillSearch(t testing.TB, s *Store) {
	t.Helper()
	for n := range 20 {
		l := newListing("s", readTools(t, tools(1, 100, fmt.Sprint(n))))
		l.Profile = fmt.Sprint("profile-", n)
		push(t, s, l)
		raws, texts := make([]surface.Hash, 1000), map[surface.Hash]review.SearchText{}
		for i := range raws {
			text := fmt.Sprintf("tool_%d_of_%d\nreturns what number %d of %d asks for. ", i, n, i, n) + strings.Repeat("some more words of a text that is long. ", 24)
			raws[i] = surface.HashOf([]byte(text))
			texts[raws[i]] = review.SearchText{RawHash: raws[i], Name: fmt.Sprintf("tool_%d_of_%d", i, n), Folded: text}
		}
		err := s.Update(t.Context(), func(tx review.Tx) error {
			return tx.PutSearch(t.Context(), review.SearchHead{ProfileKey: review.ProfileKey{ServerID: "s", Profile: l.Profile}, ListingID: l.ID}, raws,
				func(raw surface.Hash) review.SearchText { return texts[raw] })
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// BenchmarkFindTools searches 20,000 tools for a word that one of them has, for one
// that all have, and for one that none has.
func BenchmarkFindTools(b *testing.B) {
	benchmarkBoth(b, func(b *testing.B, s *Store) {
		fillSearch(b, s)
		for _, word := range []string{"tool_417_of_7", "returns", "nothing"} {
			b.Run(word, func(b *testing.B) {
				for b.Loop() {
					err := s.View(b.Context(), func(tx review.Tx) error {
						_, err := tx.FindTools(b.Context(), []string{"s"}, []string{word}, 51)
						return err
					})
					if err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	})
}
