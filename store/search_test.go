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
		texts := make([]review.SearchText, 1000)
		for i := range texts {
			text := fmt.Sprintf("tool_%d_of_%d\nreturns what number %d of %d asks for. ", i, n, i, n) + strings.Repeat("some more words of a text that is long. ", 24)
			texts[i] = review.SearchText{RawHash: surface.HashOf([]byte(text)), Name: fmt.Sprintf("tool_%d_of_%d", i, n), Folded: text}
		}
		err := s.Update(t.Context(), func(tx review.Tx) error {
			return tx.PutSearch(t.Context(), review.SearchHead{ProfileKey: review.ProfileKey{ServerID: "s", Profile: l.Profile}, ListingID: l.ID}, texts)
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
