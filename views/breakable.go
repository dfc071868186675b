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
const shortName = 16

// withBreaks escapes text and puts places to break at after its separators.
func withBreaks(s string) string {
	if len(s) <= shortName {
		return templ.EscapeString(s)
	}
	var b strings.Builder
	for {
		i := strings.IndexAny(s, "_-./:")
		if i < 0 || i == len(s)-1 {
			b.WriteString(templ.EscapeString(s))
			return b.String()
		}
		b.WriteString(templ.EscapeString(s[:i+1]) + "<wbr>")
		s = s[i+1:]
	}
}
