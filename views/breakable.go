package views

import (
	"context"
	"io"
	"strings"

	"github.com/a-h/templ"

	"github.com/countersign/countersign/review/prose"
)

// breakable draws a name that may go on in the next line after a separator. It is
// not written in templ, which would put a blank beside each place to break at.
func breakable(v prose.Visible) templ.Component {
	return templ.ComponentFunc(func(ctx context.Context, w io.Writer) error {
		for _, span := range v {
			if span.Kind == prose.Hidden {
				if err := Text(prose.Visible{span}).Render(ctx, w); err != nil {
					return err
				}
				continue
			}
			if _, err := io.WriteString(w, withBreaks(span.Text)); err != nil {
				return err
			}
		}
		return nil
	})
}

// shortName fits into a line as it is.
const shortName = 8

// withBreaks escapes text and puts places to break at after its separators and between
// the humps of a camel.
func withBreaks(s string) string {
	if len(s) <= shortName {
		return templ.EscapeString(s)
	}
	var b strings.Builder
	for {
		i := breakAfter(s)
		if i < 0 {
			b.WriteString(templ.EscapeString(s))
			return b.String()
		}
		b.WriteString(templ.EscapeString(s[:i]) + "<wbr>")
		s = s[i:]
	}
}

// breakAfter is how much of a name goes into the line before the first place to break
// at: up to a separator, or to the hump of a camel; -1 for none.
func breakAfter(s string) int {
	for i := 1; i < len(s); i++ {
		if strings.IndexByte("_-./:", s[i-1]) >= 0 || isLower(s[i-1]) && isUpper(s[i]) {
			return i
		}
	}
	return -1
}

func isLower(c byte) bool { return 'a' <= c && c <= 'z' }
func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }
