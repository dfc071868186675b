package prose

// Confusable is a word that looks like another: it mixes Latin with letters of
// another script that look Latin.
type Confusable struct {
	Offset, Len int    // of the word in the text
	Word        string // as received
	Looks       string // the word that a reader sees, in ASCII
	Runes       []rune // the foreign letters in it, in order
}

// Confusables lists the words of s that mix Latin with look-alike letters of
// another script. A word wholly in one script is no confusable, nor is a known
// scientific form such as "kΩ" or "μs".
func Confusables(s string) []Confusable { return nil }

// Skeleton maps s to what a reader sees: hidden characters dropped, look-alike
// letters and full-width forms as ASCII, every kind of blank as one space. Two
// texts with one skeleton can't be told apart at a glance.
func Skeleton(s string) string { return s }

// LooksLike reports whether a and b differ only in what a reader can't see, and
// says in one sentence how, such as "These texts look alike but differ: an
// invisible U+200B after 'delete'." It is false for equal texts.
func LooksLike(a, b string) (sentence string, ok bool) { return "", false }
