package prose

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestShowBoxes(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"nothing", "", ""},
		{"plain", "List orders.\n\tAll of them.", "List orders.\n\tAll of them."},
		{"zero width space", "a\u200bb", "a[U+200B]b"},
		{"run", "a" + strings.Repeat("\u200b", 1234) + "b", "a[U+200B × 1,234]b"},
		{"mixed run", "\u200b\u200c\u200b\u2060\u200d", "[U+200B U+200C U+2060 … × 5]"},
		{"two kinds", "\u200b\u202e", "[U+200B][U+202E]"},
		{"word joiner", "a\u2060b", "a[U+2060]b"},
		{"soft hyphen", "soft\u00adhyphen", "soft[U+00AD]hyphen"},
		{"byte order mark", "\ufeffList", "[U+FEFF]List"},
		{"no-break space", "10\u00a0s", "10[U+00A0]s"},
		{"braille blank", "a\u2800b", "a[U+2800]b"},
		{"Hangul filler", "a\u3164b", "a[U+3164]b"},
		{"line separator", "a\u2028b", "a[U+2028]b"},
		{"override", "Pay \u202eelif\u202c", "Pay [U+202E]elif[U+202C]"},
		{"isolates", "\u2066x\u2069", "[U+2066]x[U+2069]"},
		{"direction mark in Latin text", "abc\u200f.", "abc[U+200F]."},
		{"second direction mark", "\u05e9\u05dc\u05d5\u05dd\u200f\u200f", "\u05e9\u05dc\u05d5\u05dd\u200f[U+200F]"},
		{"tags", "x\U000e0061\U000e006c\U000e0073y", "x[U+E0061… × 3 “als”]y"},
		{"one tag", "x\U000e0041", "x[U+E0041 “A”]"},
		{"language tag", "x\U000e0001y", "x[U+E0001]y"},
		{"flag with a message", "\U0001f3f4\U000e0061\U000e007f", "\U0001f3f4[U+E0061… × 2 “a”]"},
		{"selector after a letter", "a\ufe0fb", "a[U+FE0F]b"},
		{"second selector", "❤\ufe0f\ufe0f", "❤\ufe0f[U+FE0F]"},
		{"selector supplement", "a\U000e0100", "a[U+E0100]"},
		{"selector after a digit alone", "5\ufe0f", "5[U+FE0F]"},
		{"null", "a\x00b", "a[U+0000]b"},
		{"escape", "\x1b[31mred", "[U+001B][31mred"},
		{"delete", "a\x7f", "a[U+007F]"},
		{"C1", "a\u009bb", "a[U+009B]b"},
		{"carriage return alone", "a\rb", "a[U+000D]b"},
		{"carriage return and newline", "a\r\nb", "a\nb"},
		{"private use", "a\ue000b", "a[U+E000]b"},
		{"private use, plane 15", "a\U000f0000b", "a[U+F0000]b"},
		{"noncharacter", "a\ufffeb", "a[U+FFFE]b"},
		{"unassigned", "a\u0378b", "a[U+0378]b"},
		{"replacement character", "a\ufffdb", "a\ufffdb"},
		{"lone surrogate", "a\xed\xa0\x80b", "a[U+D800]b"},
		{"pair as surrogates", "\xed\xa0\xbd\xed\xb8\x80", "[U+D83D U+DE00]"},
		{"bad bytes", "a\xff\xfeb", "a[byte FF FE]b"},
		{"cut character", "a\xe2\x82", "a[byte E2 82]"},
		{"tower of marks", "e" + strings.Repeat("\u0301", 11) + "x", "e[U+0301 × 11]x"},
		{"mark at the start", "\u0301abc", "[U+0301]abc"},
		{"mark after a box", "a\u200b\u0301", "a[U+200B][U+0301]"},
		{"grapheme joiner", "a\u034fb", "a[U+034F]b"},
		{"joiner between Latin letters", "a\u200db", "a[U+200D]b"},
		{"joiner before Latin", "\u0645\u200ca", "\u0645[U+200C]a"},
		{"two joiners", "\u0645\u200c\u200c\u0645", "\u0645[U+200C × 2]\u0645"},
		{"Cyrillic in a Latin word", "p\u0430ypal", "p[U+0430 ≈ a]ypal"},
		{"Greek in a Latin word", "g\u03bfogle", "g[U+03BF ≈ o]ogle"},
		{"a word of posers alone", "\u0441\u043e\u0440\u0443 file", "[U+0441 ≈ c][U+043E ≈ o][U+0440 ≈ p][U+0443 ≈ y] file"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v := Show(tt.in)
			if got := v.String(); got != tt.want {
				t.Errorf("Show(%+q) = %+q, want %+q", tt.in, got, tt.want)
			}
			checkVisible(t, tt.in, v)
		})
	}
}

// TestShowPeace holds what real writing needs. Nothing of it is drawn as a box.
func TestShowPeace(t *testing.T) {
	for _, s := range []string{
		"می\u200cخواهم", "نتیجه\u200cها.", "ه\u200d.", // Persian
		"क्\u200dष", "क्\u200cष", "ക\u200dക", "හ්\u200dය", "র\u200d্য", // Indic
		"שָׁלוֹם\u200f!", "מספר \u200e+972-50-000-0000\u200e.", "بِسْمِ اللَّهِ",
		"👨\u200d👩\u200d👧\u200d👦", "👩🏽\u200d🚀", "❤️\u200d🔥", "🏳️\u200d🌈", "🏴\u200d☠️", "1️⃣ #️⃣ *⃣", "☎\ufe0e ☎\ufe0f ©️",
		"🇩🇪🇫🇷", "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
		"é e\u0301 ệ", "ไทย ที่นี่", "བོད་སྐད", "日本\u3000語", "葛\U000e0100", "查询（订单）。",
		"kΩ μs α-test Δt π", "Ωμέγα και άλφα", "Привет, мир", "ТЕСТ сору Я", "SQL-запрос и HTTP", "İstanbul ılık", "naïve café Straße",
		"١٢٣ ۱۲۳", "ﬁle ² ½ № ™", "→ ✓ • … — “q”",
	} {
		if v := Show(s); v.HasHidden() || v.Raw() != s {
			t.Errorf("Show(%+q) = %s", s, v)
		}
		if HasHidden(s) {
			t.Errorf("HasHidden(%+q)", s)
		}
	}
}

// A run costs one span however long it is, and a text of many runs a bounded
// number of spans, with nothing of it lost.
func TestShowIsBounded(t *testing.T) {
	if n := len(Show(strings.Repeat("\u200b", 1_000_000))); n != 1 {
		t.Errorf("a million zero width spaces: %d spans", n)
	}
	s := strings.Repeat("a\u200b", 100_000)
	v := Show(s)
	if len(v) > 2*maxBoxes+1 {
		t.Errorf("a hundred thousand boxes: %d spans", len(v))
	}
	if v.Raw() != s || strings.Count(v.String(), "[U+200B]") != 100_000 {
		t.Error("something was lost")
	}
}

func TestMarks(t *testing.T) {
	s := "Pay\u200b\u200b to p\u0430ypal\U000e0068\U000e0069"
	marks := HiddenIn(s)
	if len(marks) != 3 {
		t.Fatalf("%d marks: %+v", len(marks), marks)
	}
	zero, like, tag := marks[0], marks[1], marks[2]
	if zero.Kind != ZeroWidth || zero.Offset != 3 || zero.Count != 2 || zero.End() != 9 || zero.Name() != "ZERO WIDTH SPACE" {
		t.Errorf("zero width: %+v", zero)
	}
	if like.Kind != LookAlike || like.First() != 0x430 || like.Label() != "U+0430 ≈ a" {
		t.Errorf("look-alike: %+v %s", like, like.Label())
	}
	if tag.Kind != Tag || tag.Decoded() != "hi" || tag.Name() != `TAG 'h'` {
		t.Errorf("tag: %+v %q %q", tag, tag.Decoded(), tag.Name())
	}
	if zero.Decoded() != "" {
		t.Error("only tags spell something")
	}
}

func TestGrave(t *testing.T) {
	tests := map[string]bool{
		"a\u200bb": true, "\u202ex": true, "\U000e0041": true, "\x1b": true, "p\u0430y": true, "a\ufeffb": true, "\xff": true,
		"\ufeffa": false, "a\u00adb": false, "a\u00a0b": false, "\ue000": false,
	}
	for s, want := range tests {
		if got := HiddenIn(s)[0].Grave(); got != want {
			t.Errorf("%+q: grave = %t", s, got)
		}
	}
}

// Every mark has a name and says what it does.
func TestNames(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		s := "a" + string(r) + "b"
		if !utf8.ValidRune(r) || r > 0x20000 && r < 0xE0000 || r > 0xE1000 && r%0x1000 != 0 {
			continue // planes in which all is alike
		}
		for m := range marks(s) {
			if m.Name() == "" || strings.HasSuffix(m.Title(), ": ") || m.Label() == "" {
				t.Errorf("%U: name %q, title %q, label %q", r, m.Name(), m.Title(), m.Label())
			}
			if m.Kind != Unassigned && m.Name() == "UNASSIGNED CODE POINT" {
				t.Errorf("%U (%s) has no name", r, m.Kind)
			}
		}
	}
}

// checkVisible checks what views rely on.
func checkVisible(t *testing.T, s string, v Visible) {
	t.Helper()
	if v.Raw() != s {
		t.Fatalf("raw: %+q, want %+q", v.Raw(), s)
	}
	for _, sp := range v {
		for _, text := range []string{sp.Text, sp.Label, sp.Title} {
			if !utf8.ValidString(text) {
				t.Fatalf("%+q is not UTF-8 (of %+q)", text, s)
			}
			for _, r := range text {
				if r == '\r' || r == 0x7F || r < 0x20 && r != '\n' && r != '\t' || isBidiControl(r) || r == 0x200B || r >= 0xE0000 && r <= 0xE007F && !strings.Contains(text, "\U0001f3f4") {
					t.Fatalf("%+q holds %U (of %+q)", text, r, s)
				}
			}
		}
		if sp.Kind == Hidden && (sp.Text != "" || sp.Label == "" || sp.Title == "") || sp.Raw == "" {
			t.Fatalf("span %+v of %+q", sp, s)
		}
	}
}

func TestCut(t *testing.T) {
	tests := []struct {
		in            string
		n             int
		before, after string
	}{
		{"a word here", 2, "a ", "word here"}, // the space was no end of the text
		{"ab", 0, "", "ab"},
		{"ab", 2, "ab", ""},
		{"ab", 9, "ab", ""},
		{"a\u200bb", 1, "a", "[U+200B]b"},
		{"a\u200bb", 2, "a[U+200B]", "b"}, // a box is whole
		{"a\r\nb", 2, "a\n", "b"},
		{"\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f!", 8, "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f!", ""}, // a flag is whole
	}
	for _, tt := range tests {
		before, after := Show(tt.in).Cut(tt.n)
		if before.String() != tt.before || after.String() != tt.after || before.Raw()+after.Raw() != tt.in {
			t.Errorf("%+q cut at %d: %q and %q, want %q and %q", tt.in, tt.n, before, after, tt.before, tt.after)
		}
	}
	many := strings.Repeat("a\u200b", maxBoxes) + "b\u200bc"
	before, after := Show(many).Cut(len(many) - 1)
	if before.Raw() != many || len(after) != 0 || strings.Contains(before.String(), "\u200b") {
		t.Errorf("what is drawn as text is cut: %q", after)
	}
}

func FuzzShow(f *testing.F) {
	for _, s := range []string{"a\u200bb", "\xed\xa0\x80\xff", "\r\n\r", "p\u0430y\u0301", "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
		"می\u200cخو", "5\ufe0f\u20e3", "\u05d0\u200f", "e\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301", "`a\u200bb`"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		v := Show(s)
		checkVisible(t, s, v)
		if v.HasHidden() != HasHidden(s) {
			t.Fatalf("HasHidden(%+q) = %t", s, HasHidden(s))
		}
		for n := range len(s) + 1 {
			before, after := v.Cut(n)
			if len(before.Raw()) < n {
				t.Fatalf("%+q cut at %d begins with %+q", s, n, before.Raw())
			}
			checkVisible(t, s, append(before[:len(before):len(before)], after...))
		}
		at := 0
		for _, m := range HiddenIn(s) {
			if m.Offset < at || m.Raw == "" || s[m.Offset:m.End()] != m.Raw || m.Count < 1 {
				t.Fatalf("mark %+v of %+q", m, s)
			}
			at = m.End()
		}
		if skeleton := Skeleton(s); !utf8.ValidString(skeleton) || Skeleton(skeleton) != skeleton {
			t.Fatalf("Skeleton(%+q) = %+q, then %+q", s, skeleton, Skeleton(skeleton))
		}
	})
}
