package prose

import "strings"

// Blank reports whether nothing of s can be seen: it is empty, or all blanks and
// characters without a shape of their own. What counts as given, such as a reason,
// must not be blank.
func Blank(s string) bool {
	for _, span := range Show(s) {
		if span.Kind == Plain && strings.TrimSpace(span.Text) != "" {
			return false
		}
	}
	return true
}
