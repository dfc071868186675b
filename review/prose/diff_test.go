package prose

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// checkDiff checks what holds for every comparison.
func checkDiff(t *testing.T, old, new string, d Diff) {
	t.Helper()
	checkSide(t, "old", old, d.Old, Op.Old)
	checkSide(t, "new", new, d.New, Op.New)
	checkSide(t, "unified, old side", old, only(d.Unified, Op.Old), Op.Old)
	checkSide(t, "unified, new side", new, only(d.Unified, Op.New), Op.New)
	var left, right []Piece
	for _, row := range d.Rows {
		if row.Old == nil && row.New == nil || row.Same != (allEqual(row.Old) && allEqual(row.New)) {
			t.Fatalf("row %+v", row)
		}
		left, right = append(left, row.Old...), append(right, row.New...)
	}
	if got := rawOf(left); got != old {
		t.Fatalf("rows join to %+q, want old %+q", got, old)
	}
	if got := rawOf(right); got != new {
		t.Fatalf("rows join to %+q, want new %+q", got, new)
	}
	if d.Same != (old == new) {
		t.Fatal("Same is wrong")
	}
	moves := map[int]int{}
	for i, p := range d.Unified {
		if i > 0 && d.Unified[i-1].Op == p.Op && d.Unified[i-1].Move == p.Move {
			t.Fatalf("pieces %d and %d are one: %+v", i-1, i, d.Unified)
		}
		moves[p.Move]++
	}
	for move, n := range moves {
		if move > 0 && n < 2 {
			t.Fatalf("move %d stands %d times", move, n)
		}
	}
}

// checkSide checks the pieces of one text: joined they are the text, and none ends
// within a word.
func checkSide(t *testing.T, name, want string, pieces []Piece, belongs func(Op) bool) {
	t.Helper()
	if got := rawOf(pieces); got != want {
		t.Fatalf("%s: pieces join to %+q, want %+q", name, got, want)
	}
	inside := map[int]bool{}
	for _, tok := range tokenise(want, HiddenIn(want)) {
		for i := tok.start + 1; i < tok.end; i++ {
			inside[i] = true
		}
	}
	at := 0
	for _, p := range pieces {
		if p.Raw == "" || p.Text.Raw() != p.Raw || !belongs(p.Op) {
			t.Fatalf("%s: piece %+v", name, p)
		}
		if (p.Move > 0) != (p.Op == MovedFrom || p.Op == MovedTo) {
			t.Fatalf("%s: piece %+v", name, p)
		}
		if at += len(p.Raw); inside[at] {
			t.Fatalf("%s: piece %+q ends within a word of %+q", name, p.Raw, want)
		}
	}
}

func only(pieces []Piece, keep func(Op) bool) []Piece {
	var out []Piece
	for _, p := range pieces {
		if keep(p.Op) {
			out = append(out, p)
		}
	}
	return out
}

func rawOf(pieces []Piece) string {
	var b strings.Builder
	for _, p := range pieces {
		b.WriteString(p.Raw)
	}
	return b.String()
}

func TestCompareEqual(t *testing.T) {
	for _, s := range []string{"", "One line.", "Two.\nLines.\n", "a\u200bb"} {
		d := Compare(s, s)
		checkDiff(t, s, s, d)
		if d.Sentence != "" || NewWords(d) != 0 {
			t.Errorf("%q: %q, %d new words", s, d.Sentence, NewWords(d))
		}
		for _, row := range d.Rows {
			if !row.Same {
				t.Errorf("%q: row %+v", s, row)
			}
		}
	}
}

// Whatever is done to a text, the comparison gives back both, and is the same each
// time.
func TestCompareRandomEdits(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 400 {
		old := article(rng, 1+rng.IntN(12))
		new := edit(rng, old, 1+rng.IntN(30))
		d := Compare(old, new)
		checkDiff(t, old, new, d)
		if diff := cmp.Diff(d, Compare(old, new)); diff != "" {
			t.Fatalf("not the same twice:\n%s", diff)
		}
		back := Compare(new, old)
		checkDiff(t, new, old, back)
	}
}

// One changed word is one deletion and one insertion, wherever it stands.
func TestCompareOneWord(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	text := article(rng, 20)
	words := strings.Split(text, " ")
	for i := 0; i < len(words); i += 7 {
		if strings.ContainsAny(words[i], ".\n") {
			continue
		}
		changed := append([]string(nil), words...)
		changed[i] = "zyzzyva" // in no article, so that nothing else can match it
		d := Compare(text, strings.Join(changed, " "))
		var deleted, inserted int
		for _, p := range d.Unified {
			switch p.Op {
			case Delete:
				deleted++
			case Insert:
				inserted++
			}
		}
		if deleted != 1 || inserted != 1 || NewWords(d) != 1 {
			t.Errorf("word %d (%q): %d deletions, %d insertions, %d new words\n%s", i, words[i], deleted, inserted, NewWords(d), marked(d.Unified))
		}
	}
}

// Sentences that only change places are moved, and nothing else is marked.
func TestCompareMovedSentences(t *testing.T) {
	sentences := []string{"The first one stands here.", "A second sentence follows it.", "Then there is number three.", "Four is the last of them all."}
	for i := range sentences {
		for j := range sentences {
			moved := append([]string(nil), sentences...)
			s := moved[i]
			moved = append(moved[:i], moved[i+1:]...)
			moved = append(moved[:j], append([]string{s}, moved[j:]...)...)
			if i == j {
				continue
			}
			d := Compare(strings.Join(sentences, " "), strings.Join(moved, " "))
			if want := "Only the order changed: one sentence moved. No word changed."; d.Sentence != want || NewWords(d) != 0 {
				t.Errorf("%d to %d: %q\n%s", i, j, d.Sentence, marked(d.Unified))
			}
		}
	}
}

func TestSays(t *testing.T) {
	const alike = "These texts look alike but differ: "
	tests := []struct{ name, old, new, want string }{
		{"words", "Delete it.", "Remove it.", ""},
		{"words and a hidden one", "Delete it.", "Remove\u200b it.", ""},
		{"came", "Please delete now.", "Please delete\u200b now.", alike + "an invisible U+200B after 'delete'."},
		{"went", "Please delete\u200b now.", "Please delete now.", alike + "no invisible U+200B any more after 'delete'."},
		{"at the start", "List.", "\ufeffList.", alike + "an invisible U+FEFF at the start."},
		{"another", "a\u200bb", "a\u2060b", alike + "U+2060 in place of U+200B after 'a'."},
		{"blank for space", "the end", "the\u2003end", alike + "U+2003 in place of a space after 'the'."},
		{"space for blank", "the\u00a0end", "the end", alike + "a space in place of U+00A0 after 'the'."},
		{"letter came", "paypal", "p\u0430ypal", alike + "U+0430 in place of 'a' in 'paypal'."},
		{"letter went", "p\u0430ypal", "paypal", alike + "'a' in place of U+0430 in 'paypal'."},
		{"hyphen", "re-read", "re\u2011read", alike + "U+2011 in place of '-' in 're-read'."},
		{"full width", "ABC", "\uff21BC", alike + "U+FF21 in place of 'A' in 'ABC'."},
		{"control", "red", "\x1bred", alike + "an unprintable U+001B at the start."},
		{"line ends", "a\nb\n", "a\r\nb\r\n", "Only line ends differ: LF became CR LF."},
		{"line ends back", "a\r\nb", "a\nb", "Only line ends differ: CR LF became LF."},
		{"edges", "a b", "a b\n", "Only blanks at the start or end differ. No word changed."},
		{"space", "a b", "a  b", "Only spaces differ, first after 'a'. No word changed."},
		{"break", "one two", "one\ntwo", "Only spaces and line breaks differ, first after 'one'. No word changed."},
		{"joined", "to day is", "today is", ""},
		{"split", "Filename to save to.", "File name to save to.", ""},
		{"blank after a sign", "one,two", "one, two", "Only blanks between words or signs differ: some were added or removed after 'one'."},
		{"from nothing", "", " ", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := Compare(tt.old, tt.new)
			checkDiff(t, tt.old, tt.new, d)
			if d.Sentence != tt.want {
				t.Errorf("got %q, want %q", d.Sentence, tt.want)
			}
		})
	}
}

func TestLooksLike(t *testing.T) {
	for _, pair := range [][2]string{{"same", "same"}, {"a", "b"}, {"", "a"}, {"O", "0"}} {
		if s, ok := LooksLike(pair[0], pair[1]); ok || s != "" {
			t.Errorf("LooksLike(%q) = %q", pair, s)
		}
	}
	if _, ok := LooksLike("delete_file", "d\u0435lete_file"); !ok {
		t.Error("a Cyrillic letter in a name is not noticed")
	}
}

func TestConfusables(t *testing.T) {
	got := Confusables("Send to \u0430dmin and g\u03bf\u03bfgle, not kΩ or Привет.")
	want := []Confusable{{8, "\u0430dmin", "admin", []rune{0x430}}, {19, "g\u03bf\u03bfgle", "google", []rune{0x3bf, 0x3bf}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestNewWords(t *testing.T) {
	tests := []struct {
		old, new string
		want     int
	}{
		{"", "", 0}, {"One.", "One. Two three.", 2}, {"a b c", "a c", 0}, {"x", "don't re-read `limit=5` v1.2.3, ok?", 5}, {"", "订单", 2},
	}
	for _, tt := range tests {
		if got := NewWords(Compare(tt.old, tt.new)); got != tt.want {
			t.Errorf("%q to %q: %d new words, want %d", tt.old, tt.new, got, tt.want)
		}
	}
}

// Hostile texts end in bounded time, give back both texts, and make no more pieces
// and rows than a page can hold.
func TestCompareHostile(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for name, pair := range hostile(rng, 40_000) {
		t.Run(name, func(t *testing.T) {
			d := Compare(pair[0], pair[1])
			if rawOf(d.Old) != pair[0] || rawOf(d.New) != pair[1] {
				t.Fatal("something was lost")
			}
			if len(d.Unified) > 3*maxRuns+3 || len(d.Rows) > 2*maxRows+3*maxRuns {
				t.Errorf("%d pieces, %d rows", len(d.Unified), len(d.Rows))
			}
			ContractDelta(pair[0], pair[1])
		})
	}
}

// hostile makes pairs of texts of about n bytes that cost a naive comparison too
// much.
func hostile(rng *rand.Rand, n int) map[string][2]string {
	ab := strings.Repeat("ab ", n/3)
	random := func(alphabet string) string {
		var b strings.Builder
		for b.Len() < n {
			b.WriteByte(alphabet[rng.IntN(len(alphabet))])
			b.WriteByte(' ')
		}
		return b.String()
	}
	return map[string][2]string{
		"ab repeats, shifted":  {ab, "x " + ab[3:] + " y"},
		"ab against ba":        {strings.Repeat("a b ", n/4), strings.Repeat("b a ", n/4)},
		"two letters":          {random("ab"), random("ab")},
		"twenty letters":       {random("abcdefghijklmnopqrst"), random("abcdefghijklmnopqrst")},
		"one giant word":       {strings.Repeat("a", n), strings.Repeat("a", n-1) + "b"},
		"spaces":               {strings.Repeat(" ", n), strings.Repeat(" ", n-1)},
		"newlines":             {strings.Repeat("\n", n), strings.Repeat("\n", n+1)},
		"lines":                {strings.Repeat("a\n", n/2), strings.Repeat("b\n", n/2)},
		"unrelated":            {article(rng, n/80), random("uvwxyz")},
		"brackets":             {strings.Repeat("(", n), strings.Repeat("(", n/2) + strings.Repeat(")", n/2)},
		"ticks":                {strings.Repeat("`", n), strings.Repeat("` ", n/2)},
		"fences":               {strings.Repeat("```\n", n/4), strings.Repeat("~~~\n", n/4)},
		"stops":                {strings.Repeat(". ", n/2), strings.Repeat("! ", n/2)},
		"equal sentences":      {strings.Repeat("The same sentence again. ", n/25), strings.Repeat("The same sentence again, and. ", n/30)},
		"hidden":               {strings.Repeat("a\u200b", n/4), strings.Repeat("a\u200c", n/4)},
		"joined by hidden":     {strings.Repeat("\u200b\u202e", n/6), strings.Repeat("\u202e\u200b", n/6)},
		"look-alikes":          {strings.Repeat("p\u0430y ", n/5), strings.Repeat("pay ", n/5)},
		"marks":                {strings.Repeat("\u0301", n/2), strings.Repeat("\u0302", n/2)},
		"emoji":                {strings.Repeat("👩\u200d", n/7), strings.Repeat("👨\u200d", n/7)},
		"reversed sentences":   {numbered(n/30, false), numbered(n/30, true)},
		"every second word":    {every(n/12, "old"), every(n/12, "new")},
		"direction marks":      {strings.Repeat("a\u200e", n/4), strings.Repeat("b\u200f", n/4)},
		"bad bytes":            {strings.Repeat("\xff\xed\xa0\x80", n/4), strings.Repeat("\xed\xa0\x81\xfe", n/4)},
		"quotes":               {strings.Repeat("\" ", n/2), strings.Repeat("\"a", n/2)},
		"colons":               {strings.Repeat("a:\n", n/3), strings.Repeat("- a\n", n/4)},
		"anchors in all order": {scrambled(rng, n/30), scrambled(rng, n/30)},
	}
}

func numbered(n int, reverse bool) string {
	out := make([]string, n)
	for i := range out {
		k := i
		if reverse {
			k = n - 1 - i
		}
		out[i] = fmt.Sprintf("Sentence number %d stands here.", k)
	}
	return strings.Join(out, " ")
}

func scrambled(rng *rand.Rand, n int) string {
	out := strings.SplitAfter(numbered(n, false), "here.")
	rng.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return strings.Join(out, " ")
}

func every(n int, word string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "w%d %s ", i, word)
	}
	return b.String()
}

var vocabulary = strings.Fields(`list order orders customer the a of to and is returns when not found error field value shop
	stock ticket branch delete create update search limit default name text file path only never use this tool before after
	page number result state open closed user team project server call date time format must be in for with from by if it`)

// article writes n sentences of words drawn from a small vocabulary.
func article(rng *rand.Rand, n int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteString([]string{" ", " ", " ", "\n", "\n\n- "}[rng.IntN(5)])
		}
		words := make([]string, 4+rng.IntN(12))
		for j := range words {
			words[j] = vocabulary[rng.IntN(len(vocabulary))]
		}
		words[0] = strings.ToUpper(words[0][:1]) + words[0][1:]
		b.WriteString(strings.Join(words, " ") + ".")
	}
	return b.String()
}

// edit changes about percent of the words of s, and now and then a whole sentence.
func edit(rng *rand.Rand, s string, percent int) string {
	words := strings.SplitAfter(s, " ")
	var out []string
	for _, w := range words {
		if rng.IntN(100) >= percent {
			out = append(out, w)
			continue
		}
		switch rng.IntN(4) {
		case 0: // removed
		case 1:
			out = append(out, w, vocabulary[rng.IntN(len(vocabulary))]+" ")
		case 2:
			out = append(out, vocabulary[rng.IntN(len(vocabulary))]+" ")
		case 3:
			out = append(out, w, article(rng, 1)+" ")
		}
	}
	return strings.Join(out, "")
}

func FuzzCompare(f *testing.F) {
	f.Add("Delete a branch.", "Delete a branch from a repository. It is soft.")
	f.Add("A one two three. B four five six.", "B four five six. A one two three.")
	f.Add("a\u200bb c\r\nd", "ab\u00a0c\nd\n")
	f.Add("- a\n- b\n", "- a\r\n- c\n- b")
	f.Add("`x y` z", "`x\u200b y` z")
	f.Add("\xed\xa0\x80 \xff", "\xed\xa0\x81\xfe")
	f.Fuzz(func(t *testing.T, old, new string) {
		d := Compare(old, new)
		checkDiff(t, old, new, d)
		for _, p := range d.Unified {
			checkVisible(t, p.Raw, p.Text)
		}
		checkVisible(t, d.Sentence, Show(d.Sentence))
		if d.Sentence != "" && HasHidden(d.Sentence) {
			t.Fatalf("the sentence hides something: %+q", d.Sentence)
		}
	})
}

func BenchmarkCompare(b *testing.B) {
	rng := rand.New(rand.NewPCG(7, 8))
	small, medium, large := article(rng, 36), article(rng, 360), article(rng, 3600)
	hostile := hostile(rng, 200_000)
	for _, bench := range []struct {
		name     string
		old, new string
	}{
		{"2kB/5%", small, edit(rng, small, 5)},
		{"20kB/30%", medium, edit(rng, medium, 30)},
		{"20kB/unrelated", medium, article(rng, 360)},
		{"200kB/5%", large, edit(rng, large, 5)},
		{"200kB/30%", large, edit(rng, large, 30)},
		{"200kB/unrelated", large, article(rng, 3600)},
		{"200kB/ab-repeat", hostile["ab repeats, shifted"][0], hostile["ab repeats, shifted"][1]},
		{"200kB/two-letters", hostile["two letters"][0], hostile["two letters"][1]},
		{"200kB/one-word", hostile["one giant word"][0], hostile["one giant word"][1]},
		{"1MB/spaces", strings.Repeat(" ", 1_000_000), strings.Repeat(" ", 999_999)},
		{"1MB/hidden", strings.Repeat("a\u200b", 250_000), strings.Repeat("a\u200c", 250_000)},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.SetBytes(int64(len(bench.old) + len(bench.new)))
			for b.Loop() {
				Compare(bench.old, bench.new)
			}
		})
	}
}

func BenchmarkContractDelta(b *testing.B) {
	rng := rand.New(rand.NewPCG(7, 8))
	for _, n := range []int{36, 360, 3600} {
		old := article(rng, n)
		new := edit(rng, old, 10)
		b.Run(fmt.Sprintf("%dB", len(old)), func(b *testing.B) {
			for b.Loop() {
				ContractDelta(old, new)
			}
		})
	}
}
