package prose

import (
	"strings"
	"unicode"
)

// markAt says what stands at s[i:]: a hidden character, or (Kind "") something
// that is plain. Raw is how far it reaches. afterBox says that the character
// before is drawn as a box, so that a combining mark here has nothing to stand on.
func markAt(s string, i int, afterBox bool) Mark {
	r, n := decode(s, i)
	if r == flagBase {
		n += regionTags(s[i+n:])
	}
	m := Mark{Raw: s[i : i+n], Count: 1}
	switch {
	case r == badByte:
		m.Kind = BadByte
	case isSurrogate(r):
		m.Kind = Surrogate
	case r == '\r' && strings.HasPrefix(s[i+1:], "\n"):
	case r < 0x20 || r >= 0x7F && r < 0xA0:
		m.Kind = Control
	case isCombining(r):
		return stackAt(s, i, afterBox)
	default:
		m.Kind = formatKind(s, i, r, n)
	}
	return m
}

// formatKind is the kind of a character that may be invisible, judged by its
// neighbours, or "".
func formatKind(s string, i int, r rune, n int) MarkKind {
	switch {
	case r == 0xAD:
		return SoftHyphen
	case r == 0xFEFF:
		return ByteOrder
	case r == 0x2028 || r == 0x2029:
		return Separator
	case r >= 0xE0000 && r <= 0xE007F:
		return Tag
	case isBidiControl(r):
		return Bidi
	case isDirectionMark(r):
		return unless(besideRightToLeft(s, i, n), Bidi)
	case r == zwj || r == zwnj:
		return unless(joinerBelongs(s, i, r, n), ZeroWidth)
	case isSelector(r):
		return unless(selectorBelongs(s, i, r, n), Selector)
	case isBlank(r):
		return unless(r == 0x3000 && besideIdeograph(s, i, n), Space)
	case isFiller(r):
		return ZeroWidth
	case unicode.Is(unicode.Co, r):
		return PrivateUse
	case unicode.Is(unicode.Cf, r):
		return unless(isVisibleFormat(r), ZeroWidth)
	case !isAssigned(r):
		return Unassigned
	}
	return ""
}

func unless(ok bool, k MarkKind) MarkKind {
	if ok {
		return ""
	}
	return k
}

// maxMarks is how many combining marks one letter carries in real writing:
// pointed Hebrew with accents has five.
const maxMarks = 6

// stackAt judges a run of combining marks as a whole: plain, or a box when it is
// higher than maxMarks or has nothing to stand on.
func stackAt(s string, i int, afterBox bool) Mark {
	m := Mark{}
	end := i
	for end < len(s) {
		r, n := decode(s, end)
		if !isCombining(r) {
			break
		}
		end += n
		m.Count++
	}
	m.Raw = s[i:end]
	before := decodeBefore(s, i)
	if m.Count > maxMarks || afterBox || before == edge || before == '\n' || before == '\t' {
		m.Kind = Stack
	}
	return m
}

// isCombining reports marks that draw on the character before them, without those
// that have rules of their own.
func isCombining(r rune) bool {
	return r >= 0x300 && unicode.IsMark(r) && !isSelector(r) && !isFiller(r)
}

// isFiller reports characters that show nothing and are not of category Cf.
func isFiller(r rune) bool {
	switch r {
	case 0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x3164, 0xFFA0, 0xFFFC:
		return true
	}
	return false
}

// isBlank reports spaces other than U+0020, and what looks like one.
func isBlank(r rune) bool {
	switch {
	case r == 0xA0, r == 0x1680, r >= 0x2000 && r <= 0x200A:
		return true
	case r == 0x202F, r == 0x205F, r == 0x3000, r == 0x2800:
		return true
	}
	return false
}

// isVisibleFormat reports format characters that are drawn: Arabic number signs
// and their kin.
func isVisibleFormat(r rune) bool {
	switch {
	case r >= 0x600 && r <= 0x605, r == 0x6DD, r == 0x70F, r == 0x890, r == 0x891, r == 0x8E2:
		return true
	case r == 0x110BD, r == 0x110CD:
		return true
	}
	return false
}

// isAssigned reports whether r is a character. The emoji blocks count as a whole,
// because new emoji come every year and all are visible.
func isAssigned(r rune) bool {
	return r >= 0x1F300 && r <= 0x1FAFF || unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Z)
}

// Bidirectional text.

func isBidiControl(r rune) bool {
	return r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069
}

func isDirectionMark(r rune) bool { return r == 0x200E || r == 0x200F || r == 0x061C }

func isRightToLeft(r rune) bool {
	return r >= 0x590 && r <= 0x8FF || r >= 0xFB1D && r <= 0xFDFF || r >= 0xFE70 && r <= 0xFEFC ||
		r >= 0x10800 && r <= 0x10FFF || r >= 0x1E800 && r <= 0x1EFFF
}

// nearby is how many characters may stand between a direction mark and a
// right-to-left letter of the line that it serves: a telephone number, a name.
const nearby = 24

// besideRightToLeft reports whether the direction mark at s[i:i+n] has a
// right-to-left letter near it on the line. A second mark in a row serves nothing.
func besideRightToLeft(s string, i, n int) bool {
	if isDirectionMark(decodeBefore(s, i)) {
		return false
	}
	j := i + n
	for range nearby {
		r, size := decode(s, j)
		if isRightToLeft(r) {
			return true
		}
		if r < 0 || r == '\n' {
			break
		}
		j += size
	}
	for range nearby {
		r := decodeBefore(s, i)
		if isRightToLeft(r) {
			return true
		}
		if r < 0 || r == '\n' {
			break
		}
		i -= runeLen(r)
	}
	return false
}

// Joiners.

const (
	zwnj rune = 0x200C
	zwj  rune = 0x200D
)

// joining are the scripts whose letters change shape or stack with their
// neighbours, so that joiners are part of their spelling.
var joining = []*unicode.RangeTable{
	unicode.Arabic, unicode.Syriac, unicode.Mongolian, unicode.Nko, unicode.Mandaic, unicode.Adlam,
	unicode.Manichaean, unicode.Phags_Pa, unicode.Hanifi_Rohingya, unicode.Devanagari, unicode.Bengali,
	unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya, unicode.Tamil, unicode.Telugu, unicode.Kannada,
	unicode.Malayalam, unicode.Sinhala, unicode.Khmer, unicode.Myanmar, unicode.Tibetan,
	unicode.Balinese, unicode.Javanese, unicode.Sundanese, unicode.Meetei_Mayek, unicode.Chakma,
	unicode.Grantha, unicode.Newa, unicode.Tirhuta, unicode.Modi,
}

func joins(r rune) bool {
	return r >= 0x600 && (unicode.IsLetter(r) || unicode.IsMark(r)) && unicode.In(r, joining...)
}

// joinerBelongs reports whether a joiner is part of the spelling: between letters
// of a script that joins, after a virama or an Arabic letter at the end of a word,
// or inside an emoji sequence.
func joinerBelongs(s string, i int, r rune, n int) bool {
	before := decodeBefore(s, i)
	after, _ := decode(s, i+n)
	if joins(before) {
		final := unicode.IsMark(before) || r == zwj && unicode.Is(unicode.Arabic, before)
		return joins(after) || final && (i+n == len(s) || !unicode.IsLetter(after) && !isHiddenish(after))
	}
	return r == zwj && isPictograph(after) &&
		(isPictograph(before) || before == emojiLook || isSkinTone(before))
}

// isHiddenish reports what must not follow a joiner at the end of a word: there it
// would be the start of a hidden run.
func isHiddenish(r rune) bool {
	return r == zwj || r == zwnj || r < 0 || unicode.In(r, unicode.Cf, unicode.Cc, unicode.Co) && r != '\n' && r != '\t'
}

// Emoji, flags and variation selectors.

const (
	textLook  rune = 0xFE0E
	emojiLook rune = 0xFE0F
	keycap    rune = 0x20E3
	flagBase  rune = 0x1F3F4
)

// regions are the flags that are spelled in tag characters: England, Scotland,
// Wales. No other sequence is registered for interchange.
var regions = []string{tagged("gbeng"), tagged("gbsct"), tagged("gbwls")}

func tagged(region string) string {
	var b strings.Builder
	for _, c := range region {
		b.WriteRune(0xE0000 + c)
	}
	b.WriteRune(0xE007F)
	return b.String()
}

// regionTags returns the length of a registered flag's tags at the start of s, or 0.
func regionTags(s string) int {
	for _, tags := range regions {
		if strings.HasPrefix(s, tags) {
			return len(tags)
		}
	}
	return 0
}

func isSkinTone(r rune) bool { return r >= 0x1F3FB && r <= 0x1F3FF }

// isPictograph reports characters that emoji sequences are built of.
func isPictograph(r rune) bool {
	switch {
	case r < 0xA9:
		return false
	case r == 0xA9, r == 0xAE, r == 0x203C, r == 0x2049, r == 0x2122, r == 0x2139:
		return true
	case r >= 0x2190 && r <= 0x21FF, r >= 0x2300 && r <= 0x23FF, r >= 0x2460 && r <= 0x27BF:
		return true
	case r >= 0x2900 && r <= 0x297F, r >= 0x2B00 && r <= 0x2BFF:
		return true
	case r == 0x3030, r == 0x303D, r == 0x3297, r == 0x3299:
		return true
	}
	return r >= 0x1F000 && r <= 0x1FAFF
}

func isSelector(r rune) bool {
	return r >= 0xFE00 && r <= 0xFE0F || r >= 0xE0100 && r <= 0xE01EF || r >= 0x180B && r <= 0x180D || r == 0x180F
}

// selectorBelongs reports whether the character before a variation selector takes
// one. A second selector in a row never belongs.
func selectorBelongs(s string, i int, r rune, n int) bool {
	before := decodeBefore(s, i)
	han := unicode.Is(unicode.Han, before)
	switch {
	case r == textLook || r == emojiLook:
		if before == '#' || before == '*' || before >= '0' && before <= '9' {
			after, _ := decode(s, i+n)
			return after == keycap
		}
		return isPictograph(before)
	case r >= 0xE0100:
		return han
	case r >= 0xFE00 && r <= 0xFE02 && han, r == 0xFE00 && before == '0':
		return true
	case r >= 0xFE00 && r <= 0xFE03 && (before >= 0x3000 && before <= 0x303F || before >= 0xFF00 && before <= 0xFF60):
		return true
	case r == 0xFE00:
		return unicode.In(before, unicode.Sm, unicode.Myanmar, unicode.Phags_Pa, unicode.Manichaean)
	case r >= 0x180B && r <= 0x180F:
		return unicode.Is(unicode.Mongolian, before) && unicode.IsLetter(before)
	}
	return false
}

func besideIdeograph(s string, i, n int) bool {
	after, _ := decode(s, i+n)
	return isIdeographic(decodeBefore(s, i)) || isIdeographic(after)
}

func isIdeographic(r rune) bool {
	return r >= 0x2E80 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Bopomofo) ||
		r >= 0x3001 && r <= 0x303F || r >= 0xFF01 && r <= 0xFF60
}

func runeLen(r rune) int {
	switch {
	case r == edge:
		return 0
	case r == badByte || r < 0x80:
		return 1
	case r < 0x800:
		return 2
	case r < 0x10000:
		return 3
	}
	return 4
}
