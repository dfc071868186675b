package web

import "testing"

// A box is only filled with what the browser sends back unchanged, and never with what
// its reader can't see.
func TestFilling(t *testing.T) {
	for text, filled := range map[string]string{
		"Reads one.": "Reads one.", "a\r\nb": "a\nb", "\nbegins with a line": "\nbegins with a line", "": "",
		"a\rb": "", "pay\x00x": "", "drop\u200b": "", "\u202eabc": "", "\xff": "",
	} {
		got := newFilling(text)
		if got.text != filled || (got.mark == "") != (filled == "") {
			t.Errorf("%q is filled in as %q, %q", text, got.text, got.mark)
		}
		if got.mark != "" && got.mark == newFilling(text+".").mark {
			t.Errorf("%q and another text have one mark", text)
		}
	}
}
